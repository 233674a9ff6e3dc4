//! The system prompts: a bundled text for each seat, or the user's files.

use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Maximum size of a prompt file, in bytes.
const MAX_PROMPT: u64 = 1 << 16;

/// Returns the system prompt of a seat: the file `PROTOCOL-SEAT.md` or `SEAT.md` of the user's folder, else the bundled
/// text.
///
/// # Errors
/// If the folder has a file for the seat that cannot be used, or no file for it. The error is a sentence.
pub(super) fn system_prompt(folder: &str, protocol: &str, seat: &str) -> Result<String, String> {
    if folder.is_empty() {
        let bundled = match seat {
            "prover" => include_str!("prompts/prover.md"),
            "judge" => include_str!("prompts/judge.md"),
            _ => include_str!("prompts/opponent.md"),
        };
        return Ok(bundled.trim().replace('\n', " "));
    }
    let names = [format!("{protocol}-{seat}.md"), format!("{seat}.md")];
    for name in &names {
        let path = Path::new(folder).join(name);
        if path.exists() {
            return read_prompt(&path)
                .map_err(|why| format!("the prompt {} cannot be used: {why}", path.display()));
        }
    }
    let [first, second] = names;
    Err(format!(
        "the folder {folder} has neither {first} nor {second}"
    ))
}

fn read_prompt(path: &Path) -> Result<String, String> {
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let read = file.take(MAX_PROMPT + 1).read_to_string(&mut text);
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_PROMPT {
        return Err(format!("it is larger than {MAX_PROMPT} bytes"));
    }
    Ok(text)
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
