//! A headless browser, if one is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::patience::wait_until;

/// The browser on the PATH; `None`, with a printed message, if there is none.
pub fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file());
    if found.is_none() {
        println!("skipped: there is no chromium on the PATH");
    }
    found
}

/// Opens an address with a new profile. Returns the text that the browser prints with these arguments.
pub fn run(browser: &Path, arguments: &[&str], address: &str) -> String {
    let profile = tempfile::tempdir().expect("a folder");
    let out = profile.path().join("out");
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            // Blocks the browser's own requests too.
            "--host-resolver-rules=MAP * ~NOTFOUND",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser starts");
    let ended = wait_until("the end of the browser", || {
        child.try_wait().expect("a child")
    });
    assert!(ended.success(), "{ended}");
    std::fs::read_to_string(&out).expect("UTF-8")
}
