//! A person's note about a save: a name of their own, and that home hides it.
//!
//! It stands in a file beside the save, which has the save's name and an ending of its own. The save
//! itself stays as it is, byte for byte, and so does what refers to it by its file name.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use super::sidecar::folder_of;
use super::whole_file;
use debate_core::text::is_unsafe;

/// The ending of the file's name, after the save's whole name. It does not end like a save.
const ENDING: &str = ".label";
/// The most characters of a name.
pub const MAX_SAVE_NAME: usize = 100;

/// A person's note about a save.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveLabel {
    /// The person's own name for it.
    pub name: Option<String>,
    /// True if home is not to show it.
    pub is_hidden: bool,
}

impl SaveLabel {
    /// Reads what was noted about a save; nothing where there is no such file.
    pub fn read(save: &Path) -> Self {
        let text = match file_name(save) {
            Some(name) => whole_file::read(folder_of(save), &name),
            None => String::new(),
        };
        let mut label = Self::default();
        for line in text.lines() {
            match line.strip_prefix("name ") {
                Some(name) => label.name = self::name(name),
                None => label.is_hidden |= line == "hidden",
            }
        }
        label
    }

    /// Keeps it beside the save; where nothing is noted the file is taken away.
    ///
    /// # Errors
    /// If the file cannot be written or taken away.
    pub fn keep(&self, save: &Path) -> io::Result<()> {
        let Some(file) = file_name(save) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut text = String::new();
        if let Some(name) = self.name.as_deref().and_then(name) {
            text = format!("name {name}\n");
        }
        if self.is_hidden {
            text.push_str("hidden\n");
        }
        if text.is_empty() {
            return forget(save);
        }
        whole_file::write(folder_of(save), &file, &text)
    }
}

/// A name as it is kept: on one line, not too long, without signs that a terminal obeys. `None` where
/// nothing is left of it.
fn name(text: &str) -> Option<String> {
    let plain = text.chars().filter(|sign| !is_unsafe(*sign));
    let plain: String = plain.take(MAX_SAVE_NAME).collect();
    let plain = plain.trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// Takes away what was noted about a save, where something was.
pub(super) fn forget(save: &Path) -> io::Result<()> {
    let Some(file) = file_name(save) else {
        return Ok(());
    };
    match fs::remove_file(folder_of(save).join(file)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn file_name(save: &Path) -> Option<OsString> {
    let mut name = save.file_name()?.to_owned();
    name.push(ENDING);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_the_wish_to_hide_are_kept_beside_the_save() {
        let folder = tempfile::tempdir().unwrap();
        let save = folder.path().join("2026 one.ron");
        fs::write(&save, "Save(").unwrap();
        assert_eq!(SaveLabel::read(&save), SaveLabel::default());
        let label = SaveLabel {
            name: Some("the one I lost".to_owned()),
            is_hidden: true,
        };
        label.keep(&save).unwrap();
        assert_eq!(SaveLabel::read(&save), label);
        assert_eq!(fs::read(&save).unwrap(), b"Save(");
        SaveLabel::default().keep(&save).unwrap();
        assert_eq!(SaveLabel::read(&save), SaveLabel::default());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // What is not there is forgotten without ado.
        SaveLabel::default().keep(&save).unwrap();
    }

    #[test]
    fn whatever_stands_in_the_file_it_is_read_without_harm() {
        let folder = tempfile::tempdir().unwrap();
        let save = folder.path().join("one.ron");
        let file = folder.path().join("one.ron.label");
        let long = "x".repeat(3 * MAX_SAVE_NAME);
        for (text, name) in [
            ("", None),
            ("name \u{1b}[31mred\u{7}\nother\n", Some("[31mred")),
            ("name    \n", None),
            ("hiddenly\n", None),
            (&format!("name {long}"), long.get(..MAX_SAVE_NAME)),
        ] {
            fs::write(&file, text).unwrap();
            let label = SaveLabel::read(&save);
            assert_eq!(label.name.as_deref(), name, "{text:?}");
            assert!(!label.is_hidden);
        }
        fs::write(&file, b"\xff\xfe").unwrap();
        assert_eq!(SaveLabel::read(&save), SaveLabel::default());
    }
}
