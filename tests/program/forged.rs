//! Saves that do not verify: they are shown, with a warning.

use std::fs;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::support::program::{path, say};

const SAVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/saves/primes-small-prover.ron");
const OPENER: &str = ", h: \"";

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text);
    let pairs = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
    pairs.collect()
}

/// The same save with a new chain of hashes, as an attacker who rewrites the whole file would make it.
fn chained(text: &str) -> String {
    let mut out = String::new();
    let mut last: Option<String> = None;
    for line in text.lines() {
        let sealed = line
            .rsplit_once(OPENER)
            .filter(|_| !line.starts_with("    scenario:"));
        let Some((body, rest)) = sealed else {
            out.extend([line, "\n"]);
            continue;
        };
        let new = match &last {
            None => hash(&format!("{out}{body}")),
            Some(last) => hash(&format!("{last}{body}")),
        };
        let (_, closer) = rest.split_at(32);
        out.extend([body, OPENER, &new, closer, "\n"]);
        last = Some(new);
    }
    out
}

/// A changed copy of a save in a folder.
fn changed(folder: &Path, from: &str, to: &str, chain: bool) -> String {
    let text = fs::read_to_string(SAVE).expect("UTF-8");
    assert!(text.contains(from), "{from}");
    let text = text.replacen(from, to, 1);
    let text = if chain { chained(&text) } else { text };
    let file = folder.join("changed.ron");
    fs::write(&file, text).expect("a file");
    path(&file).to_owned()
}

/// For each forgery: the old text, the new text, true if the chain is recomputed, and the line that the error names.
fn forgeries() -> [(&'static str, &'static str, bool, &'static str); 5] {
    let text = fs::read_to_string(SAVE).expect("UTF-8");
    let coin = text.lines().position(|line| line.contains("value: false"));
    let coin: &str = format!("line {}: ", coin.expect("a coin") + 1).leak();
    let last: &str = format!("line {}: ", text.lines().count()).leak();
    let header: &str = {
        let line = text.lines().position(|line| line.contains(OPENER));
        format!("line {}: ", line.expect("a hash") + 1).leak()
    };
    [
        ("value: false", "value: true", true, coin),
        ("value: false", "value: true", false, coin),
        ("Finished(payoff: \"", "Finished(payoff: \"9", true, last),
        ("Finished(payoff: \"", "Finished(payoff: \"9", false, last),
        ("Is 323 prime?", "Is 325 prime?", false, header),
    ]
}

#[test]
fn the_test_recomputes_the_hash_chain() {
    let text = fs::read_to_string(SAVE).expect("UTF-8");
    assert_eq!(chained(&text), text);
}

#[test]
fn a_save_that_does_not_verify_is_replayed_with_a_banner() {
    let dir = tempfile::tempdir().expect("a folder");
    for (from, to, chain, line) in forgeries() {
        let save = changed(dir.path(), from, to, chain);
        let said = say(dir.path(), &["replay", "--plain", &save], "");
        assert_eq!(said.code, Some(1), "{said:?}");
        let banner = said.out.lines().next().expect("a line");
        assert!(
            banner.starts_with(&format!("NOT VERIFIED: {line}")),
            "{banner}"
        );
        let told = format!("debate-tui: {save}: the save does not verify: {line}");
        assert!(said.err.starts_with(&told), "{said:?}");
        assert_eq!(said.err.lines().count(), 1);
        assert!(said.out.contains("  1. "), "{said:?}");
        let said = say(dir.path(), &["replay", "--plain", "--json", &save], "");
        assert_eq!(said.code, Some(1), "{said:?}");
        let document: Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!(document["verified"], false);
        let named = document["first_difference"]["line"]
            .as_u64()
            .expect("a line");
        assert_eq!(format!("line {named}: "), line);
    }
    let said = say(dir.path(), &["replay", "--plain", "--json", SAVE], "");
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(
        (said.code, &document["verified"]),
        (Some(0), &Value::from(true))
    );
    assert!(document["first_difference"].is_null());
}

#[test]
fn a_save_that_does_not_verify_is_exported_with_a_banner() {
    let dir = tempfile::tempdir().expect("a folder");
    for (from, to, chain, line) in forgeries() {
        let save = changed(dir.path(), from, to, chain);
        let export = |format: &str| {
            let said = say(dir.path(), &["export", &save, "--to", format], "");
            assert_eq!(said.code, Some(1), "{said:?}");
            let told = format!("{save}: the save does not verify: {line}");
            assert!(said.err.contains(&told), "{said:?}");
            said.out
        };
        let document: Value = serde_json::from_str(&export("json")).expect("JSON");
        assert_eq!(document["verified"], false);
        let named = document["first_difference"]["line"]
            .as_u64()
            .expect("a line");
        assert_eq!(format!("line {named}: "), line);
        let table = export("csv");
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        let headers = reader.headers().expect("a header").clone();
        for row in reader.records() {
            let row = row.expect("a row");
            let cell = |name| &row[headers.iter().position(|one| one == name).expect("so")];
            assert_eq!((cell("save"), cell("verified")), ("changed.ron", "false"));
            assert!(cell("first_difference").starts_with(line));
        }
        let log: Value = serde_json::from_str(&export("inspect")).expect("JSON");
        assert_eq!(log["eval"]["metadata"]["verified"], false);
        assert_eq!(log["samples"][0]["metadata"]["verified"], false);
        assert!(log["samples"][0]["metadata"]["first_difference"]["line"].is_u64());
        let banner = format!("NOT VERIFIED: {line}");
        assert!(export("html").contains(&banner));
        assert!(export("md").contains(&banner.replace('(', "\\(")));
        assert!(export("svg").contains("NOT"));
    }
    let document = say(dir.path(), &["export", SAVE, "--to", "json"], "").out;
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["verified"], true);
    assert!(document["first_difference"].is_null());
}

#[test]
fn a_coin_that_differs_is_shown_as_the_save_has_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let save = changed(dir.path(), "value: false", "value: true", true);
    let tossed = |save: &str| -> Vec<bool> {
        let said = say(dir.path(), &["export", save, "--to", "json"], "");
        let document: Value = serde_json::from_str(&said.out).expect("JSON");
        let events = document["events"].as_array().expect("events").iter();
        let coins = events.filter(|event| event["kind"] == "tossed");
        coins
            .map(|coin| coin["value"].as_bool().expect("so"))
            .collect()
    };
    let (true_coins, coins) = (tossed(SAVE), tossed(&save));
    let place = true_coins.iter().position(|value| !value).expect("a coin");
    assert!(coins.len() > place, "{coins:?}");
    assert_eq!(coins[..place], true_coins[..place]);
    assert!(coins[place]);
}

#[test]
fn a_last_hash_that_was_noted_down_is_compared() {
    let dir = tempfile::tempdir().expect("a folder");
    let said = say(dir.path(), &["verify", "--json", SAVE], "");
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    let last = document["last_hash"].as_str().expect("a hash").to_owned();
    let text = fs::read_to_string(SAVE).expect("UTF-8");
    assert!(text.ends_with(&format!("{OPENER}{last}\")\n")));
    let said = say(dir.path(), &["verify", SAVE], "");
    assert!(
        said.out
            .trim_end()
            .ends_with(&format!("; last hash {last}")),
        "{said:?}"
    );
    let expect = |save: &str, hash: &str| {
        let arguments = ["verify", "--expect", hash, save];
        say(dir.path(), &arguments, "")
    };
    assert_eq!(expect(SAVE, &last).code, Some(0));
    assert_eq!(expect(SAVE, &last.to_uppercase()).code, Some(0));
    // An attacker who rewrites the whole file gets a save that verifies, but not the same hash.
    let forged = changed(dir.path(), "Is 323 prime?", "Is 325 prime?", true);
    assert_eq!(say(dir.path(), &["verify", &forged], "").code, Some(0));
    let said = expect(&forged, &last);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    assert!(
        said.err.contains(&last) && said.err.lines().count() == 1,
        "{said:?}"
    );
    let said = say(
        dir.path(),
        &["verify", "--json", "--expect", &last, &forged],
        "",
    );
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, &document["ok"]), (Some(1), &Value::from(false)));
    assert_eq!(document["expected_hash"], last);
    assert_eq!(expect(SAVE, "12").code, Some(2));
    let two = ["verify", "--expect", &last, SAVE, &forged];
    assert_eq!(say(dir.path(), &two, "").code, Some(2));
}
