//! The system prompts for language models: a bundled text for each seat, or the user's files.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Maximum size of the file of a system prompt, in bytes.
const MAX_PROMPT: u64 = 1 << 16;

/// The bundled prompts by seat.
const BUNDLED: [(&str, &str); 3] = [
    ("prover", include_str!("prompts/prover.md")),
    ("opponent", include_str!("prompts/opponent.md")),
    ("judge", include_str!("prompts/judge.md")),
];

/// Returns the system prompt for a seat: the bundled text if `folder` is empty. Otherwise reads the file
/// `PROTOCOL-SEAT.md` of the user's folder or, if that file does not exist, `SEAT.md`.
///
/// # Errors
/// If the seat has no bundled text, or if the folder's file for the seat is missing or cannot be used. The error is a
/// sentence.
pub(super) fn system_prompt(folder: &str, protocol: &str, seat: &str) -> Result<String, String> {
    if folder.is_empty() {
        let own = BUNDLED.iter().find(|(name, _)| *name == seat);
        let (_, text) =
            own.ok_or_else(|| format!("there is no bundled prompt for a model as the {seat}"))?;
        return Ok(text.trim_end().to_owned());
    }
    let names = [format!("{protocol}-{seat}.md"), format!("{seat}.md")];
    for name in &names {
        let path = Path::new(folder).join(name);
        if path.exists() {
            return read_prompt(&path).map_err(|why| {
                format!(
                    "the prompt {file} cannot be used: {why}",
                    file = path.display()
                )
            });
        }
    }
    let [prompt_of_protocol_and_seat, prompt_of_seat] = names;
    Err(format!(
        "the prompt folder {folder} has neither {prompt_of_protocol_and_seat} nor {prompt_of_seat}"
    ))
}

fn read_prompt(path: &Path) -> Result<String, String> {
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let read = file.take(MAX_PROMPT + 1).read_to_string(&mut text);
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_PROMPT {
        return Err(format!("the prompt is larger than {MAX_PROMPT} bytes"));
    }
    Ok(text.trim_end().to_owned())
}

/// Writes the bundled prompts to new files in a folder, where they can be changed. Returns the paths.
///
/// # Errors
/// If a file exists or cannot be written. The error is a sentence.
pub(super) fn export_prompts(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed =
        |path: &Path, why: &str| format!("{file} cannot be written: {why}", file = path.display());
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error.to_string()))?;
    let path = |seat: &str| folder.join(format!("{seat}.md"));
    if let Some((seat, _)) = BUNDLED.iter().find(|(seat, _)| path(seat).exists()) {
        return Err(failed(&path(seat), "it exists"));
    }
    let mut written = Vec::new();
    for (seat, text) in BUNDLED {
        let path = path(seat);
        fs::write(&path, text).map_err(|error| failed(&path, &error.to_string()))?;
        written.push(path);
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_of_the_protocol_precedes_one_of_the_seat() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let prompt = |protocol: &str| system_prompt(path, protocol, "judge");
        assert!(prompt("recursive").unwrap_err().contains("has neither"));
        fs::write(folder.path().join("judge.md"), "Judge.").unwrap();
        fs::write(folder.path().join("speeches-judge.md"), "Listen.").unwrap();
        assert_eq!(prompt("recursive").unwrap(), "Judge.");
        assert_eq!(prompt("speeches").unwrap(), "Listen.");
        fs::write(folder.path().join("judge.md"), "x".repeat(70_000)).unwrap();
        assert!(prompt("recursive").unwrap_err().contains("larger than"));
    }

    #[test]
    fn exported_prompts_are_the_bundled_ones() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(export_prompts(folder.path()).unwrap().len(), 3);
        let path = folder.path().to_str().unwrap();
        for (seat, _) in BUNDLED {
            let exported = system_prompt(path, "recursive", seat).unwrap();
            assert_eq!(exported, system_prompt("", "recursive", seat).unwrap());
        }
        let refused = export_prompts(folder.path()).unwrap_err();
        assert!(
            refused.ends_with("prover.md cannot be written: it exists"),
            "{refused}"
        );
    }

    #[test]
    fn each_seat_has_a_bundled_prompt() {
        for seat in ["prover", "opponent", "judge"] {
            let prompt = system_prompt("", "recursive", seat).unwrap();
            assert!(
                prompt.starts_with("You are") && prompt.contains(seat),
                "{prompt}"
            );
        }
    }
}
