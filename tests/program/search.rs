//! Searches for small games and small verifiers, in the form that scripts use.

use std::fs;
use std::path::Path;

use crate::support::program::{Said, json, path, say};
use serde_json::Value;

fn said(dir: &Path, arguments: &[&str]) -> Said {
    say(dir, arguments, "")
}

/// Removes the fields that depend on the speed of the search.
fn without_time(mut report: Value) -> Value {
    for field in ["seconds", "threads"] {
        report[field] = Value::Null;
    }
    report
}

#[test]
fn a_found_scenario_has_the_same_value_in_solve() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("found.ron");
    // Finds the games of Errata 1 (a) and 7 from their statements alone.
    for (statement, value) in [("posterior", "1025/2048"), ("recursion", "1")] {
        let terms = [
            "--epsilon",
            "1/4",
            "--rho",
            "1/2",
            "--replace",
            "--save",
            path(&file),
        ];
        let found = json(&said(
            dir.path(),
            &[&["search", statement, "--json"][..], &terms].concat(),
        ));
        let smallest = &found["smallest"];
        assert_eq!(
            (&smallest["value"], &smallest["fails"]),
            (&value.into(), &true.into())
        );
        assert_eq!(found["complete"], true);
        let flags = smallest["flags"].as_str().unwrap().replace('"', "");
        let solve: Vec<&str> = ["solve", path(&file), "--json"]
            .into_iter()
            .chain(flags.split_whitespace())
            .collect();
        // `solve` writes a whole number as a fraction too.
        let solved = json(&said(dir.path(), &solve))["value"].clone();
        let solved = solved.as_str().unwrap().trim_end_matches("/1").to_owned();
        assert_eq!(solved, value);
    }
    let told = said(
        dir.path(),
        &["search", "truthful-bob", "--supports", "sound"],
    )
    .out;
    assert!(
        told.contains("The statement holds in all") && told.contains("closest to its bound"),
        "{told}"
    );
}

#[test]
fn shards_and_resumed_searches_equal_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let space = ["--epsilon", "1/4", "--rho", "1/2", "--width", "2", "--json"];
    let search = [&["search", "soundness"][..], &space].concat();
    let whole = without_time(json(&said(dir.path(), &search)));
    let parts = [1, 2].map(|part| dir.path().join(format!("{part}.part")));
    for (file, shard) in parts.iter().zip(["2/2", "1/2"]) {
        let more = ["--shard", shard, "--out", path(file)];
        assert_eq!(
            said(dir.path(), &[&search[..], &more].concat()).code,
            Some(0)
        );
    }
    let merge = ["merge", path(&parts[0]), path(&parts[1]), "--json"];
    assert_eq!(without_time(json(&said(dir.path(), &merge))), whole);
    let twice = said(dir.path(), &["merge", path(&parts[0]), path(&parts[0])]);
    assert!(
        twice.code == Some(2) && twice.err.contains("counted twice"),
        "{twice:?}"
    );
    let half = said(dir.path(), &["merge", path(&parts[0])]);
    assert!(
        half.code == Some(2) && half.err.contains("--partial"),
        "{half:?}"
    );
    // The error names a shard that was changed.
    let text = std::fs::read_to_string(&parts[0]).unwrap();
    let damaged = dir.path().join("damaged");
    std::fs::write(&damaged, text.replacen("\"until\":", "\"until\":1", 1)).unwrap();
    let refused = said(dir.path(), &["merge", path(&parts[1]), path(&damaged)]);
    let is_named = refused.err.contains(path(&damaged)) && refused.err.contains("digest");
    assert!(refused.code == Some(2) && is_named, "{refused:?}");
    // The first half, as if a version without digests had stopped the whole search there.
    let mut part: Value =
        serde_json::from_str(&std::fs::read_to_string(&parts[0]).unwrap()).unwrap();
    part.as_object_mut().unwrap().remove("digest");
    part["debate_tui_search"] = 1.into();
    part["until"] = serde_json::from_str::<Value>(&std::fs::read_to_string(&parts[1]).unwrap())
        .unwrap()["until"]
        .clone();
    std::fs::write(&parts[0], part.to_string()).unwrap();
    let resume = ["search", "--resume", path(&parts[0]), "--json"];
    assert_eq!(without_time(json(&said(dir.path(), &resume))), whole);
    // The result is complete, and no shard is left.
    assert_eq!(
        without_time(json(&said(
            dir.path(),
            &["merge", path(&parts[0]), "--json"]
        ))),
        whole
    );
}

#[test]
fn search_frontier_compares_variants_of_the_rules() {
    let dir = tempfile::tempdir().unwrap();
    let terms = [
        "--epsilon",
        "1/4",
        "--rho",
        "1/2",
        "--worlds",
        "2",
        "--weight",
        "2",
    ];
    let rows = json(&said(
        dir.path(),
        &[&["search", "frontier", "--json"][..], &terms].concat(),
    ));
    let units =
        |row: usize, place: usize| rows[row]["statements"][place]["farthest"]["units"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 4);
    // With carried conditionals a liar keeps half a debate; with carried marginals, the payment for a true answer.
    assert_eq!((units(0, 1), units(1, 1)), ("1025/2".into(), "1/2".into()));
    // A support that does not imply its claim pays a liar, unless Bob may dispute the step.
    let of = |row: usize| (rows[row]["warrants"].clone(), units(row, 3));
    assert_eq!(of(0), ("none".into(), "32".into()));
    assert_eq!(of(2), ("challenge".into(), "0".into()));
    // The same data as a chart: three kinds of liars for each of four variants.
    let picture = dir.path().join("frontier.json");
    let flags = ["search", "frontier", "--vega", picture.to_str().unwrap()];
    assert_eq!(
        said(dir.path(), &[&flags[..], &terms].concat()).code,
        Some(0)
    );
    let drawn: Value = serde_json::from_str(&fs::read_to_string(&picture).unwrap()).unwrap();
    let points = drawn["data"]["values"].as_array().unwrap();
    let of = |liar: &str, variant: &str| {
        let mut each = points.iter();
        each.find(|point| point["liar"] == liar && point["variant"] == variant)
            .unwrap()["a liar gets"]
            .clone()
    };
    assert_eq!(points.len(), 12);
    // Each variant and liar has its own line, and names are shown in full.
    assert_eq!(drawn["encoding"]["y"]["field"], "variant");
    assert_eq!(drawn["encoding"]["yOffset"]["field"], "liar");
    let line = |point: &Value| format!("{} {}", point["variant"], point["liar"]);
    let lines: std::collections::HashSet<String> = points.iter().map(line).collect();
    assert_eq!(lines.len(), points.len());
    let axis = &drawn["encoding"]["y"]["axis"];
    let legend = &drawn["layer"][1]["encoding"]["color"]["legend"];
    assert!(
        [axis, legend]
            .iter()
            .all(|labels| labels["labelLimit"] == 0)
    );
    assert_eq!(
        of("posterior", "conditional, jump, warrants none"),
        Value::from(512.5)
    );
    assert_eq!(
        of("truthful-bob", "conditional, jump, warrants challenge"),
        Value::from(0.0)
    );
    let wrong = said(dir.path(), &["search", "posterior", "--vega", "x.json"]);
    assert!(
        wrong.code == Some(2) && wrong.err.contains("frontier"),
        "{wrong:?}"
    );
    let wrong = said(dir.path(), &["search", "posterior", "--width", "5"]);
    assert!(
        wrong.code == Some(2) && wrong.err.contains("from 1 to 4"),
        "{wrong:?}"
    );
    let wrong = said(dir.path(), &["search", "posterior", "--epsilon", "1/2"]);
    assert!(
        wrong.code == Some(2) && wrong.err.contains("--epsilon"),
        "{wrong:?}"
    );
}

/// The query complexity of all functions of up to three inputs. A second, plain search beside the code finds the same
/// values.
#[test]
fn the_table_of_query_complexities_is_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let told = said(dir.path(), &["queries"]);
    assert_eq!(
        (told.code, &*told.out),
        (Some(0), include_str!("query_complexity.txt"))
    );
    let parity = json(&said(
        dir.path(),
        &["queries", "0110100110010110", "--json"],
    ));
    let ends = ["lower", "upper", "exact"].map(|field| parity[field].clone());
    assert_eq!(ends, [Value::from(4), Value::from(4), Value::from(true)]);
    assert_eq!(
        parity["lower_by"],
        "no verifier with three queries decides this function (complete search)"
    );
    let wrong = said(dir.path(), &["queries", "01x"]);
    assert!(
        wrong.code == Some(2) && wrong.err.contains("0110"),
        "{wrong:?}"
    );
}
