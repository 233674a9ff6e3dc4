//! Words that are always wrong in this project's texts: comments that open with a question word, and a few private
//! idioms for plain verbs. Other habits of style are left to the reader.

use std::fs;
use std::path::{Path, PathBuf};

use super::top;

/// Folders whose texts other people wrote or the program generates.
const SKIPPED: [&str; 6] = ["target", ".git", "snapshots", "golden", "nyu", "official"];
/// File name extensions, with the signs that begin a comment line.
const COMMENTS: [(&str, &[&str]); 9] = [
    ("rs", &["///", "//!", "//"]),
    ("ron", &["//"]),
    ("js", &["//", "/**", "/*", "*"]),
    ("css", &["/*", "*"]),
    ("html", &["<!--"]),
    ("py", &["#", "\"\"\""]),
    ("toml", &["#"]),
    ("sh", &["#"]),
    ("md", &[]),
];
/// Words that open a clause where a comment needs a noun or a verb.
const OPENINGS: [&str; 8] = [
    "What",
    "Whatever",
    "Who",
    "Whose",
    "Whether",
    "How",
    "Where",
    "Whichever",
];
/// Idioms, each with the words after it that make it ordinary English. Split, so that this file does not contain them.
const IDIOMS: [(&[&str], &[&str]); 4] = [
    (&["sta", "nds"], &["for", "in"]),
    (&["so ", "many"], &["that", "as"]),
    (&["who", "ever"], &[]),
    (&["is ", "told"], &[]),
];

/// Returns the text of a comment line; `None` for other lines.
fn comment<'l>(line: &'l str, signs: &[&str]) -> Option<&'l str> {
    let line = line.trim_start();
    let text = signs.iter().find_map(|sign| line.strip_prefix(sign))?;
    Some(text.trim_start())
}

fn first_word(text: &str) -> &str {
    let end = text.find(|sign: char| !sign.is_alphanumeric());
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

fn has_idiom(line: &str, idiom: &str, ordinary_before: &[&str]) -> bool {
    let line = line.to_lowercase();
    line.match_indices(idiom).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default().chars().next_back();
        let after = line.get(at + idiom.len()..).unwrap_or_default();
        let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
        let is_whole = !before.is_some_and(is_word) && !after.starts_with(is_word);
        is_whole && !ordinary_before.contains(&first_word(after.trim_start()))
    })
}

/// Returns the reasons why a line is not in plain words.
fn flaws(line: &str, signs: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(text) = comment(line, signs) {
        let opening = first_word(text);
        // A question may begin with any of these words.
        if OPENINGS.contains(&opening) && !text.contains('?') {
            found.push(format!("a comment opens with “{opening}”; name the thing"));
        }
    }
    for (pieces, ordinary_before) in IDIOMS {
        let idiom = pieces.concat();
        if has_idiom(line, &idiom, ordinary_before) {
            found.push(format!("“{idiom}”; use a plain verb or name the actor"));
        }
    }
    found
}

fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !SKIPPED.contains(&&*name) {
                texts(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

#[test]
fn texts_avoid_the_words_that_are_always_wrong() {
    let mut paths = Vec::new();
    texts(&top("."), &mut paths);
    paths.sort();
    let mut read = 0;
    let mut found = Vec::new();
    for path in paths {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let Some((_, signs)) = COMMENTS.iter().find(|(known, _)| *known == ending) else {
            continue;
        };
        let text = fs::read_to_string(&path).unwrap_or_default();
        read += 1;
        for (number, line) in (1..).zip(text.lines()) {
            for flaw in flaws(line, signs) {
                found.push(format!("{}:{number}: {flaw}", path.display()));
            }
        }
    }
    assert!(read > 500, "{read}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn wrong_words_are_found_in_comments_and_sentences() {
    let rust = COMMENTS[0].1;
    let wrong = [
        "/// Where the cursor is.".to_owned(),
        "    // Whether it is over.".to_owned(),
        format!("let text = \"the claim {}nds alone\";", "sta"),
        format!("//! {} many rows.", "So"),
        format!("// {}ever asks waits.", "who"),
    ];
    for line in wrong {
        assert_eq!(flaws(&line, rust).len(), 1, "{line}");
    }
    let right = [
        "/// The cursor's position.",
        "// Why not?",
        "let where_clause = 1; // a number",
        "/// `x` stands for a claim.",
        "// There are so many that they wrap.",
        "// How long does it take?",
    ];
    for line in right {
        assert_eq!(flaws(line, rust), Vec::<String>::new(), "{line}");
    }
    assert_eq!(flaws("# Who plays.", COMMENTS[5].1).len(), 1);
    // A heading of a page may be a question word.
    assert_eq!(flaws("# Where to look", COMMENTS[8].1).len(), 0);
}
