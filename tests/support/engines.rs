//! Engines beside these tests, run by Python.

use std::path::Path;
use std::process::Command;

/// The Python that runs engines; `None` where there is none.
pub fn python() -> Option<String> {
    let python = std::env::var("DEBATE_TUI_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let runs = Command::new(&python).arg("--version").output().is_ok();
    if !runs {
        eprintln!("skipped: there is no {python}");
    }
    runs.then_some(python)
}

/// The command line of one of the engines.
pub fn command(file: &str, arguments: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines");
    let file = folder.join(file).display().to_string();
    Some(format!("{} {file} {arguments}", python()?))
}
