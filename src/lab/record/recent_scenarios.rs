//! The scenario files that were opened lately, kept beside the saves.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The file's name in the folder of saves. It does not end like a save.
const NAME: &str = "recent.list";
/// The most files that are remembered.
const MOST: usize = 20;
/// The most of the list that is read.
const MAX_BYTES: u64 = 1 << 16;

/// The scenario files opened lately, the last one first; those that are gone are left out.
#[must_use]
pub fn recent_scenarios(folder: &Path) -> Vec<PathBuf> {
    let mut text = String::new();
    let read = fs::File::open(folder.join(NAME))
        .and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    let paths = text.lines().map(PathBuf::from);
    let there = paths.filter(|path| path.is_absolute() && path.is_file());
    there.take(MOST).collect()
}

/// Remembers that a scenario file was opened. A path that cannot stand on a line of text is not
/// remembered.
///
/// # Errors
/// Where the folder or the list cannot be written, or the file has no absolute path.
pub fn remember(folder: &Path, scenario: &Path) -> io::Result<()> {
    let path = fs::canonicalize(scenario)?;
    let Some(line) = path.to_str().filter(|line| !line.contains(['\n', '\r'])) else {
        return Ok(());
    };
    let mut lines = vec![line.to_owned()];
    let before = recent_scenarios(folder)
        .into_iter()
        .filter(|other| *other != path);
    lines.extend(before.filter_map(|path| Some(path.to_str()?.to_owned())));
    lines.truncate(MOST);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    for line in lines {
        writeln!(file, "{line}")?;
    }
    file.persist(folder.join(NAME))?;
    Ok(())
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
            remember(&saves, path).unwrap();
        }
        remember(&saves, &paths[0]).unwrap();
        let found = |saves: &Path| -> Vec<String> {
            let found = recent_scenarios(saves).into_iter();
            found
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(found(&saves), ["one.ron", "three.ron", "two.ron"]);
        fs::remove_file(&paths[2]).unwrap();
        assert_eq!(found(&saves), ["one.ron", "two.ron"]);
        assert!(remember(&saves, &paths[2]).is_err());
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
            remember(folder.path(), &path).unwrap();
        }
        assert_eq!(recent_scenarios(folder.path()).len(), MOST);
    }
}
