//! The study that `study new` writes: it works as it stands.

use std::path::{Path, PathBuf};

use crate::error::StudyError;
use crate::folder::{create_new, make_folder};

/// The files of the example.
macro_rules! files {
    ($($name:literal)+) => {
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("example/", $name)))),+];
    };
}

files! {
    "study.ron" "consent.md" "howto.md" "quiz.ron" "after.ron" "debrief.md"
    "items/cake.ron" "items/dog.ron" "items/footbridge.ron" "items/journey.ron" "items/letter.ron"
    "items/newsletter.ron" "items/prize.ron" "items/pump.ron" "practice/parcel.ron"
}

/// Writes the example into a folder that is not there yet or is empty. Returns the files.
///
/// # Errors
/// If there is something in the folder, or it cannot be written to.
pub fn create(folder: &Path) -> Result<Vec<PathBuf>, StudyError> {
    let is_empty = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(cause) => return Err(StudyError::io(folder)(cause)),
    };
    if !is_empty {
        return Err(StudyError::file(
            folder,
            "there is something in it already; name a new folder",
        ));
    }
    let mut written = Vec::new();
    for (name, text) in FILES {
        let path = folder.join(name);
        if let Some(above) = path.parent() {
            make_folder(above)?;
        }
        create_new(&path, text.as_bytes()).map_err(StudyError::io(&path))?;
        written.push(path);
    }
    Ok(written)
}
