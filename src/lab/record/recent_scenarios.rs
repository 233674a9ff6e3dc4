//! The scenario files that were opened lately, kept beside the saves.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use super::whole_file;

/// The file's name in the folder of saves. It does not end like a save.
const NAME: &str = "recent.list";
/// The most files that are remembered.
const MOST: usize = 20;

/// The scenario files opened lately, the last one first; those that are gone are left out.
pub fn recent_scenarios(folder: &Path) -> Vec<PathBuf> {
    let text = whole_file::read(folder, NAME);
    let paths = text.lines().map(PathBuf::from);
    let there = paths.filter(|path| path.is_absolute() && path.is_file());
    there.take(MOST).collect()
}

/// Remembers that a scenario file was opened. A path that cannot stand on a line of text is not
/// remembered.
///
/// # Errors
/// If the folder or the list cannot be written, or the file has no absolute path.
pub fn remember_scenario(folder: &Path, scenario: &Path) -> io::Result<()> {
    let path = fs::canonicalize(scenario)?;
    let Some(line) = path.to_str().filter(|line| !line.contains(['\n', '\r'])) else {
        return Ok(());
    };
    let before = recent_scenarios(folder)
        .into_iter()
        .filter(|other| *other != path);
    let before = before.filter_map(|path| Some(format!("{}\n", path.to_str()?)));
    let lines = iter::once(format!("{line}\n")).chain(before);
    whole_file::write(folder, NAME, &lines.take(MOST).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_file_comes_first_and_each_stands_once() {
        let folder = tempfile::tempdir().unwrap();
        let saves = folder.path().join("saves");
        assert!(recent_scenarios(&saves).is_empty());
        let names = ["one.ron", "two.ron", "three.ron"];
        let paths = names.map(|name| folder.path().join(name));
        for path in &paths {
            fs::write(path, "").unwrap();
            remember_scenario(&saves, path).unwrap();
        }
        remember_scenario(&saves, &paths[0]).unwrap();
        let found = |saves: &Path| -> Vec<String> {
            let found = recent_scenarios(saves).into_iter();
            found
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(found(&saves), ["one.ron", "three.ron", "two.ron"]);
        fs::remove_file(&paths[2]).unwrap();
        assert_eq!(found(&saves), ["one.ron", "two.ron"]);
        assert!(remember_scenario(&saves, &paths[2]).is_err());
        // Whatever stands in the list, it is read without harm.
        fs::write(saves.join(NAME), b"\xff\xfe\nrelative\n\0").unwrap();
        assert!(recent_scenarios(&saves).is_empty());
    }

    #[test]
    fn no_more_than_a_few_are_remembered() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..MOST + 5 {
            let path = folder.path().join(format!("{number}.ron"));
            fs::write(&path, "").unwrap();
            remember_scenario(folder.path(), &path).unwrap();
        }
        assert_eq!(recent_scenarios(folder.path()).len(), MOST);
    }
}
