//! The two suites: `cargo test` runs every day, `cargo test -- --ignored` is exhaustive.
//!
//! A test that is too slow for every day names a fast sibling, which finds the same kind of fault on a small instance.

use std::collections::BTreeSet;
use std::fs;

use super::{files, top};

/// A function with the attribute `#[test]`.
struct TestFunction {
    file: String,
    name: String,
    /// The attribute `#[ignore]` as it is written, if the test has one.
    ignore: Option<String>,
}

/// Reads the test functions of one file from its lines, so that tests inside macros are found as well.
fn test_functions(file: &str, text: &str) -> Vec<TestFunction> {
    let mut found = Vec::new();
    let mut is_test = false;
    let mut ignore = None;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" {
            is_test = true;
        } else if line.starts_with("#[ignore") {
            ignore = Some(line.to_owned());
        } else if let Some(rest) = line.strip_prefix("fn ") {
            let end = rest.find(['(', '<']).unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or_default().to_owned();
            if is_test {
                found.push(TestFunction {
                    file: file.to_owned(),
                    name,
                    ignore: ignore.take(),
                });
            }
            is_test = false;
            ignore = None;
        }
    }
    found
}

fn all_test_functions() -> Vec<TestFunction> {
    let mut paths = Vec::new();
    files(&top("src"), &mut paths);
    files(&top("tests"), &mut paths);
    let mut found = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("UTF-8");
        found.extend(test_functions(&path.display().to_string(), &text));
    }
    found
}

/// Returns the name of the fast sibling in `#[ignore = "exhaustive: 20 s; every day: module::name"]`.
fn sibling(ignore: &str) -> Option<&str> {
    let reason = ignore.strip_prefix("#[ignore = \"exhaustive: ")?;
    let (_, sibling) = reason.strip_suffix("\"]")?.split_once("; every day: ")?;
    sibling.rsplit("::").next()
}

#[test]
fn each_exhaustive_test_names_a_sibling_that_runs_every_day() {
    let tests = all_test_functions();
    assert!(tests.len() > 1000, "{} tests", tests.len());
    let everyday: BTreeSet<&str> = tests
        .iter()
        .filter(|test| test.ignore.is_none())
        .map(|test| test.name.as_str())
        .collect();
    for test in &tests {
        let Some(ignore) = &test.ignore else { continue };
        let named = sibling(ignore);
        assert!(
            named.is_some_and(|name| everyday.contains(name)),
            "{} in {} needs `#[ignore = \"exhaustive: TIME; every day: SIBLING\"]` with a test that is not ignored, \
             and has {ignore}",
            test.name,
            test.file,
        );
    }
}

#[test]
fn test_functions_are_found_with_their_attributes() {
    let text = "#[test]\nfn fast() {}\nfn helper() {}\n    #[test]\n    #[ignore = \"exhaustive: 9 s; every day: m::fast\"]\n    \
                fn slow() {}\n";
    let found = test_functions("file.rs", text);
    let names: Vec<&str> = found.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["fast", "slow"]);
    assert_eq!(found[0].ignore, None);
    assert_eq!(
        sibling(found[1].ignore.as_deref().expect("ignored")),
        Some("fast")
    );
    assert_eq!(sibling("#[ignore = \"20 s\"]"), None);
    assert_eq!(sibling("#[ignore]"), None);
}
