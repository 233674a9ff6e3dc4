//! Progress in the tutorial, kept beside the saves.

use std::io;
use std::path::{Path, PathBuf};

use super::whole_file;

/// The file's name in the folder of saves. It does not end like a save.
const NAME: &str = "tutorial.progress";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TutorialProgress {
    /// Lessons that are done.
    pub done: usize,
    /// The page that was left, within the next lesson, counted from 0.
    pub page: usize,
    /// The save of the next lesson's debate, where it was begun and is still there.
    pub save: Option<PathBuf>,
}

impl TutorialProgress {
    /// Reads the progress kept in this folder; the start where none is.
    pub fn read(folder: &Path) -> Self {
        let text = whole_file::read(folder, NAME);
        let field = |name: &str| {
            let mut lines = text.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
        };
        let number = |name: &str| field(name).and_then(|text| text.parse().ok());
        // The folder may have been moved: only the file's name counts.
        let save = field("save")
            .filter(|name| Path::new(name).file_name() == Some(name.as_ref()))
            .map(|name| folder.join(name));
        Self {
            done: number("done").unwrap_or(0),
            page: number("page").unwrap_or(0),
            save: save.filter(|path| path.is_file()),
        }
    }

    /// Keeps it in this folder.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub fn keep(&self, folder: &Path) -> io::Result<()> {
        let name = self.save.as_deref().and_then(Path::file_name);
        let save = name.and_then(|name| name.to_str());
        let save = save.map_or_else(String::new, |name| format!("save {name}\n"));
        let text = format!("done {}\npage {}\n{save}", self.done, self.page);
        whole_file::write(folder, NAME, &text)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_kept_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let saves = folder.path().join("saves");
        assert_eq!(TutorialProgress::read(&saves), TutorialProgress::default());
        let save = saves.join("one.ron");
        let progress = TutorialProgress {
            done: 2,
            page: 1,
            save: Some(save.clone()),
        };
        progress.keep(&saves).unwrap();
        // The save is not there yet.
        assert_eq!(TutorialProgress::read(&saves).save, None);
        fs::write(&save, "").unwrap();
        assert_eq!(TutorialProgress::read(&saves), progress);
        let moved = folder.path().join("moved");
        fs::rename(&saves, &moved).unwrap();
        assert_eq!(
            TutorialProgress::read(&moved).save,
            Some(moved.join("one.ron"))
        );
        // Whatever stands there, it is read without harm.
        for text in ["done -1\npage x\nsave ../../one.ron\n", "\0", "save \n"] {
            fs::write(moved.join(NAME), text).unwrap();
            assert_eq!(
                TutorialProgress::read(&moved),
                TutorialProgress::default(),
                "{text:?}"
            );
        }
    }
}
