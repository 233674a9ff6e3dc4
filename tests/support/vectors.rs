//! Exact values that were computed elsewhere, in a folder beside the checkout that is not part of a clone. The
//! library's own tests read them too.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The values of a family; empty, with a printed message, if the folder is missing.
pub fn of(family: &str) -> Vec<Value> {
    let Some(all) = file("vectors.json") else {
        return Vec::new();
    };
    let all = all["vectors"].as_array().expect("a list").iter();
    let of_family: Vec<Value> = all.filter(|v| v["family"] == family).cloned().collect();
    assert!(!of_family.is_empty(), "{family}");
    of_family
}

/// A file of that folder; `None`, with a printed message, if it is missing.
pub fn file(name: &str) -> Option<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors");
    let file = folder.join(name);
    let Ok(text) = fs::read_to_string(&file) else {
        eprintln!("skipped: there is no {}", file.display());
        return None;
    };
    Some(serde_json::from_str(&text).expect("JSON"))
}

/// The value as a whole number.
pub fn whole(value: &Value) -> u64 {
    value.as_u64().expect("a whole number")
}
