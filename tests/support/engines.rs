//! Engines for tests: the ones of `tests/engines` and of the guide, which Python runs, and shell scripts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python that runs engines; `None` if there is none.
pub fn python() -> Option<String> {
    let python = std::env::var("DEBATE_TUI_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let runs = Command::new(&python).arg("--version").output().is_ok();
    if !runs {
        eprintln!("skipped: there is no {python}");
    }
    runs.then_some(python)
}

/// The path of an engine of `tests/engines`, or else of the guide.
pub fn engine_path(file: &str) -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = project.join("tests/engines").join(file);
    if own.exists() {
        return own;
    }
    project.join("src/guide").join(file)
}

/// The command line of an engine of `tests/engines` or of the guide.
pub fn command(file: &str, arguments: &str) -> Option<String> {
    let file = engine_path(file).display().to_string();
    Some(format!("{} {file} {arguments}", python()?))
}

/// The command line of an engine that is a shell script in this folder. It says hello, runs `at_request` at each
/// request and at each refusal of a reply, and ends on `bye`. The variable `n` is the number of the request.
pub fn script(folder: &Path, name: &str, at_request: &str) -> String {
    let text = format!(
        r#"read -r hello
echo '{{"type":"hello","name":"{name}","version":"1"}}'
at_request() {{
    :; {at_request}
}}
n=0
while read -r line; do
    case $line in
        '{{"type":"act"'*) n=$((n + 1)); at_request ;;
        '{{"type":"illegal"'*) at_request ;;
        '{{"type":"bye"'*) exit ;;
    esac
done
"#
    );
    let file = folder.join(format!("{name}.sh"));
    fs::write(&file, text).expect("a script");
    format!("exec sh {}", file.display())
}
