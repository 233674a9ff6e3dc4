//! `match`: many debates, killed and resumed, with a count of the faults of each seat.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use debate_host::record::list_save_files;
use serde_json::{Value, json};

use crate::program::models::has_modules;
use crate::support::engines::{command, python, script};
use crate::support::patience::wait_until;
use crate::support::program::{Said, json as document, path, program, say};

fn engine(file: &str, arguments: &str) -> Option<String> {
    Some(format!("engine:{}", command(file, arguments)?))
}

fn saves(folder: &Path) -> Vec<PathBuf> {
    list_save_files(folder).unwrap_or_default()
}

/// The saves that have an end.
fn finished(folder: &Path) -> usize {
    let saves = saves(folder);
    let ended = saves.iter().filter(|save| {
        let text = fs::read_to_string(save).unwrap_or_default();
        text.contains("], end: ")
    });
    ended.count()
}

fn play(folder: &Path, arguments: &[&str]) -> Said {
    let all = [&["match", "--saves", path(folder), "--json"], arguments].concat();
    say(folder, &all, "")
}

/// The table of a match with unfinished debates.
fn incomplete(said: &Said) -> Value {
    assert_eq!(said.code, Some(1), "{said:?}");
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn a_match_that_is_killed_five_times_has_the_same_table() {
    let Some(simple) = command("simple.py", "") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    // Without this file an engine gets 14 messages: its greeting, the 11 of a debate and 2 of the next debate. Two
    // engines in five runs finish at least 5 and at most 11 debates, so every run is killed before its end.
    let complete = folder.path().join("complete");
    let text = format!(
        r#"if [ -e {} ]; then exec {simple}; fi
{{
    n=0
    while [ $n -lt 14 ] && read -r line; do
        printf '%s\n' "$line"
        n=$((n + 1))
    done
    exec cat > /dev/null
}} | {simple}
"#,
        complete.display()
    );
    let script = folder.path().join("engine.sh");
    fs::write(&script, text).unwrap();
    fs::write(&complete, "").unwrap();
    let engine = format!("engine:exec sh {}", script.display());
    let arguments = [
        "--scenario",
        "primes-small",
        "--prover",
        "honest",
        "--prover",
        "contrarian",
        "--opponent",
        &engine,
        "--instance",
        "all",
        "--seed",
        "7",
        "-n",
        "8",
        "--jobs",
        "2",
    ];
    let table = document(&play(&whole, &arguments));
    let debates = usize::try_from(table["debates"].as_u64().unwrap()).unwrap();
    assert!(debates >= 16, "{table}");
    assert_eq!(table["finished"], table["debates"]);
    assert_eq!(saves(&whole).len(), debates);

    fs::remove_file(&complete).unwrap();
    for kill in 1..=5 {
        let mut running = program(&killed)
            .args(["match", "--saves", path(&killed)])
            .args(arguments)
            .spawn()
            .unwrap();
        wait_until("another finished debate", || {
            assert!(running.try_wait().unwrap().is_none(), "the match has ended");
            (finished(&killed) >= kill).then_some(())
        });
        running.kill().unwrap();
        running.wait().unwrap();
    }
    fs::write(&complete, "").unwrap();
    let before: BTreeSet<(PathBuf, String)> = saves(&killed)
        .into_iter()
        .map(|save| (save.clone(), fs::read_to_string(save).unwrap()))
        .filter(|(_, text)| text.contains("], end: "))
        .collect();
    assert!(
        !before.is_empty() && before.len() < debates,
        "{}",
        before.len()
    );
    let again = document(&play(&killed, &arguments));
    assert_eq!(again, table);
    // No debate is played twice or lost, and finished saves are unchanged.
    assert_eq!(saves(&killed).len(), debates);
    for (save, text) in before {
        assert_eq!(fs::read_to_string(&save).unwrap(), text);
    }
    let every: Vec<String> = saves(&killed)
        .iter()
        .map(|save| path(save).to_owned())
        .collect();
    let mut verify = vec!["verify", "-q"];
    verify.extend(every.iter().map(String::as_str));
    assert_eq!(say(&killed, &verify, "").code, Some(0));
    // All debates are played.
    let dry = [&arguments[..], &["--dry-run"]].concat();
    assert_eq!(document(&play(&killed, &dry)), table);
}

#[test]
fn a_seats_own_faults_are_losses_and_outages_are_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let (Some(bug), Some(down), Some(simple)) = (
        engine("faulty.py", "bug"),
        command("faulty.py", "infrastructure"),
        command("simple.py", ""),
    ) else {
        return;
    };
    let small = [
        "--scenario",
        "primes-small",
        "--seed",
        "7",
        "-n",
        "3",
        "--jobs",
        "2",
    ];
    let lost = folder.path().join("lost");
    let table = document(&play(&lost, &[&small[..], &["--opponent", &bug]].concat()));
    let row = &table["matchups"][0];
    assert_eq!(
        (row["finished"].as_u64(), &row["payoff"]),
        (Some(3), &Value::Null)
    );
    assert_eq!(row["forfeits"]["opponent"]["bug"], 3);
    assert_eq!(row["prover_wins"]["mean"], 1.0);
    assert_eq!(row["prover_wins"]["ci95"], Value::Null);

    // An outage does not count. After it, the debates continue in their saves.
    let up = folder.path().join("up");
    let moody = format!(
        "engine:if [ -e {} ]; then exec {simple}; else exec {down}; fi",
        up.display()
    );
    let out = folder.path().join("out");
    let arguments = [&small[..], &["--opponent", &moody]].concat();
    let said = play(&out, &arguments);
    let table = incomplete(&said);
    assert_eq!(
        (&table["finished"], &table["debates"]),
        (&0.into(), &3.into())
    );
    assert!(
        said.err.contains("counts as lost for no player"),
        "{said:?}"
    );
    let begun: BTreeSet<PathBuf> = saves(&out).into_iter().collect();
    assert_eq!((begun.len(), finished(&out)), (3, 0));
    fs::write(&up, "").unwrap();
    let table = document(&play(&out, &arguments));
    assert_eq!(table["finished"], 3);
    assert_eq!(saves(&out).into_iter().collect::<BTreeSet<_>>(), begun);
}

#[test]
fn no_call_is_made_after_a_cap_is_reached() {
    let Some(costly) = engine("faulty.py", "recovers") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "--scenario",
        "primes-small",
        "--opponent",
        &costly,
        "--seed",
        "7",
        "-n",
        "20",
        "--jobs",
        "1",
    ];
    let capped = |flags: &[&str]| play(folder.path(), &[&arguments[..], flags].concat());
    let said = capped(&["--max-calls", "4"]);
    let table = incomplete(&said);
    assert!(said.err.contains("4 calls of at most 4"), "{said:?}");
    assert_eq!(table["cost"]["calls"], 4);
    // The costs of the first run count.
    let said = capped(&["--max-usd", "0.05"]);
    let table = incomplete(&said);
    assert_eq!(
        (&table["cost"]["calls"], &table["cost"]["usd"]),
        (&5.into(), &"0.05".into())
    );
    let ended = saves(folder.path()).into_iter().find_map(|save| {
        let text = fs::read_to_string(save).unwrap();
        let (_, end) = text.split_once("], end: ")?;
        Some(end.to_owned())
    });
    if let Some(end) = ended {
        assert!(end.contains("costs: (opponent: (calls: "), "{end}");
    }
}

/// Every reply costs, legal or not, and so does an error. The program makes no call that could exceed a cap.
#[test]
fn costs_of_illegal_replies_and_errors_count_toward_caps() {
    let folder = tempfile::tempdir().unwrap();
    let cost = r#""cost":{"calls":1,"usd":"1"}"#;
    let reply = |reply: &str, more: &str| {
        format!(r#"{{"type":"reply","id":'$n',"reply":{reply},{cost}{more}}}"#)
    };
    let error = |kind: &str| {
        let rest = r#""why":"because","retry_after_ms":1"#;
        format!(r#"{{"type":"error","id":'$n',"kind":"{kind}",{rest},{cost}}}"#)
    };
    let vague = r#"{"probability":"about half"}"#;
    let mut played = 0;
    for (line, jobs, fault, illegal, usd) in [
        (reply(vague, ""), "1", "illegal", 3, "3"),
        (reply(vague, ""), "4", "illegal", 3, "3"),
        (reply(r#"{"select":99}"#, ""), "2", "illegal", 3, "3"),
        (reply("17", ""), "1", "illegal", 3, "3"),
        // An invalid message that still reports its cost.
        (reply(vague, r#","note":[7]"#), "1", "bad_json", 3, "3"),
        (error("model_refusal"), "1", "model_refusal", 0, "1"),
        (error("transient"), "1", "", 0, "5"),
    ] {
        played += 1;
        let command = script(
            folder.path(),
            &format!("e{played}"),
            &format!("echo '{line}'"),
        );
        let engine = format!("engine:{command}");
        let small = [
            "--scenario",
            "primes-small",
            "--seed",
            "7",
            "--opponent",
            &engine,
        ];
        // One debate without a cap: each of its replies is counted.
        if !fault.is_empty() {
            let out = folder.path().join(format!("whole{played}"));
            let table = document(&play(&out, &[&small[..], &["-n", "1"]].concat()));
            let row = &table["matchups"][0];
            assert_eq!(row["forfeits"]["opponent"][fault], 1, "{line}: {row}");
            assert_eq!(row["illegal_replies"]["opponent"], illegal, "{line}");
            assert_eq!(row["cost"]["opponent"]["usd"], usd, "{line}");
        }
        let out = folder.path().join(format!("capped{played}"));
        let many = ["-n", "8", "--jobs", jobs, "--max-usd", "5.5"];
        let arguments = [&small[..], &many].concat();
        let said = play(&out, &arguments);
        let why = "5 US dollars of at most 5.5, and the next reply may cost 1";
        assert!(said.err.contains(why), "{line}: {said:?}");
        assert_eq!(incomplete(&said)["cost"]["usd"], "5", "{line}");
        // The saves have the same costs, and after a restart the cap still binds.
        assert_eq!(
            incomplete(&play(&out, &arguments))["cost"]["usd"],
            "5",
            "{line}"
        );
    }
}

/// Four debates wait for one process, and it ends.
#[test]
fn the_crash_of_a_shared_process_forfeits_one_debate() {
    let folder = tempfile::tempdir().unwrap();
    let crashed = folder.path().join("crashed");
    let Some(shared) = engine("faulty.py", &format!("crashes_once {}", crashed.display())) else {
        return;
    };
    let out = folder.path().join("out");
    let small = [
        "--scenario",
        "primes-small",
        "--seed",
        "7",
        "-n",
        "4",
        "--jobs",
        "4",
    ];
    let table = document(&play(
        &out,
        &[&small[..], &["--opponent", &shared]].concat(),
    ));
    let row = &table["matchups"][0];
    assert_eq!(row["finished"], 4, "{row}");
    assert_eq!(row["forfeits"]["opponent"], json!({"crash": 1}), "{row}");
    let saves = saves(&out);
    let asked_again = saves.iter().filter(|save| {
        let text = fs::read_to_string(save).unwrap();
        text.contains("the engine's process ended during another debate")
    });
    assert_eq!(asked_again.count(), 3);
    let mut verify = vec!["verify", "-q"];
    verify.extend(saves.iter().map(|save| path(save)));
    assert_eq!(say(&out, &verify, "").code, Some(0));
}

/// The conditions in the table of `report`, with the number of judgements of each.
fn reported(folder: &Path, saves: &[&Path]) -> Vec<(String, u64)> {
    let saves: Vec<&str> = saves.iter().map(|it| path(it)).collect();
    let report = document(&say(
        folder,
        &[&["report", "--json"][..], &saves].concat(),
        "",
    ));
    let rows = report["conditions"].as_array().unwrap().iter();
    rows.map(|row| {
        let name = row["condition"].as_str().unwrap().to_owned();
        (name, row["judgements"].as_u64().unwrap())
    })
    .collect()
}

#[test]
fn a_report_separates_the_conditions_of_a_match() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |name: &str, rest: &str| {
        let file = folder.path().join(format!("{name}.ron"));
        let text = format!(
            "Match(format: 1, scenarios: [\"lighthouse\"], seed: \"7\", debates: 3, judges: [\"swayed\"], {rest})"
        );
        fs::write(&file, text).unwrap();
        let saves = folder.path().join(name);
        document(&play(&saves, &[path(&file)]));
        saves
    };
    let rows = |saves: &[&Path]| reported(folder.path(), saves);
    let named = |rows: &[(&str, u64)]| -> Vec<(String, u64)> {
        let rows = rows.iter();
        rows.map(|(name, count)| ((*name).to_owned(), *count))
            .collect()
    };
    let two = plan(
        "two",
        "conditions: {\"debate\": Speeches(rounds: 2), \"judge alone\": Speeches(rounds: 0)}",
    );
    assert_eq!(rows(&[&two]), named(&[("debate", 3), ("judge alone", 3)]));
    let text = fs::read_to_string(&saves(&two)[0]).unwrap();
    for tag in [
        "\"condition\": ",
        "\"rules\": \"Speeches(",
        "\"judge\": \"swayed\"",
    ] {
        assert!(text.contains(tag), "{tag}: {text}");
    }
    let verify = say(
        folder.path(),
        &["verify", "--quiet", path(&saves(&two)[0])],
        "",
    );
    assert_eq!(verify.code, Some(0), "{verify:?}");
    // A save that cannot be read is reported, counted and left out.
    fs::write(two.join("x.ron"), "Save(").unwrap();
    let said = say(folder.path(), &["report", "--json", path(&two)], "");
    assert!(
        said.code == Some(2) && said.err.contains("x.ron"),
        "{said:?}"
    );
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["left_out"][0]["count"], 1, "{said:?}");
    fs::remove_file(two.join("x.ron")).unwrap();
    // A condition with the same name and other rules has a separate row.
    let longer = plan("longer", "conditions: {\"debate\": Speeches(rounds: 3)}");
    let all = rows(&[&two, &longer]);
    let debates: Vec<_> = all
        .iter()
        .filter(|(name, _)| name.starts_with("debate, "))
        .collect();
    assert_eq!((all.len(), debates.len()), (3, 2), "{all:?}");
    for rounds in ["rounds: 2", "rounds: 3"] {
        assert!(
            debates.iter().any(|(name, _)| name.contains(rounds)),
            "{all:?}"
        );
    }
    // Without conditions, the name of a row consists of its players, then of its rules and its judge.
    let own = plan(
        "own",
        "provers: [\"quoter\", \"silent\"], opponents: [\"quoter\"]",
    );
    let players = named(&[("quoter against quoter", 3), ("silent against quoter", 3)]);
    assert_eq!(rows(&[&own]), players);
    let arguments = [
        "lighthouse",
        "--role",
        "none",
        "--seed",
        "1",
        "--json",
        "--saves",
    ];
    let played = |more: &[&str]| {
        let kept = folder.path().join("played");
        let said = say(
            folder.path(),
            &[&arguments[..], &[path(&kept)], more].concat(),
            "",
        );
        document(&said);
        kept
    };
    played(&["--protocol", "Speeches(rounds: 1)"]);
    let kept = played(&["--protocol", "Speeches(rounds: 4)"]);
    let all = rows(&[&kept]);
    assert_eq!(all.len(), 2, "{all:?}");
    let kept = played(&["--protocol", "Speeches(rounds: 4)", "--judge", "oracle"]);
    let all = rows(&[&kept]);
    let judged: Vec<_> = all
        .iter()
        .filter(|(name, _)| name.contains("judged by oracle"))
        .collect();
    assert_eq!((all.len(), judged.len()), (3, 1), "{all:?}");
}

#[test]
fn baseline_conditions_are_compared_in_both_orders() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.ron");
    fs::write(
        &plan,
        "Match(format: 1, title: \"Light\", scenarios: [\"lighthouse\"], conditions: {\n\
         \"debate\": Speeches(rounds: 2), \"consultancy\": Speeches(rounds: 2, consultant: First),\n\
         \"judge alone\": Speeches(rounds: 0)}, provers: [\"quoter\", \"silent\"],\n\
         opponents: [\"quoter\"], judges: [\"swayed\"], both_orders: true, seed: \"7\", debates: 2)",
    )
    .unwrap();
    let table = document(&play(folder.path(), &[path(&plan)]));
    let rows = table["matchups"].as_array().unwrap();
    let conditions: Vec<&str> = rows
        .iter()
        .map(|row| row["condition"].as_str().unwrap())
        .collect();
    // The judge alone has one row, because this condition has no debaters.
    let expected = [
        "debate",
        "debate",
        "consultancy",
        "consultancy",
        "judge alone",
    ];
    assert_eq!(conditions, expected);
    for row in rows {
        assert_eq!(row["debates"], 4, "{row}");
        let [honest, not] =
            ["judge_right_honest", "judge_right_dishonest"].map(|name| &row[name]["of"]);
        if row["condition"] == "judge alone" {
            // An estimate of 50 % is neither right nor wrong.
            assert_eq!(
                (honest, not, &row["answer_correct"]),
                (&Value::Null, &Value::Null, &Value::Null)
            );
        } else {
            assert_eq!((honest, not), (&2.into(), &2.into()), "{row}");
        }
    }
    // This judge believes the consultant who quotes, so it is right if and only if the consultant is honest.
    let consulted = &rows[2];
    assert_eq!(consulted["judge_right_honest"]["mean"], 1.0);
    assert_eq!(consulted["judge_right_dishonest"]["mean"], 0.0);
    // The same table as lines and as CSV.
    let shown = |form: &[&str]| {
        let all = [
            &["match", path(&plan), "--saves", path(folder.path())],
            form,
        ]
        .concat();
        let said = say(folder.path(), &all, "");
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out
    };
    let lines = shown(&[]);
    assert!(
        lines.starts_with("Light\n20 of 20 debates finished, seed 7\n"),
        "{lines}"
    );
    assert!(lines.contains("100 % (too few)"), "{lines}");
    let csv = shown(&["--csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(reader.records().map(Result::unwrap).count(), 5);
}

/// The games of a table of ratings in the format of `ratings.py`.
fn games(ratings: &Value, players: &[&str]) -> Vec<Value> {
    let place = |name: &Value| players.iter().position(|it| *it == name).unwrap();
    let encounters = ratings["crosstable"].as_array().unwrap().iter();
    let each = encounters.flat_map(|it| {
        let seated = i32::from(!it["exchanged"].as_bool().unwrap());
        let of = [("won", 1.0), ("drawn", 0.5), ("lost", 0.0)];
        of.into_iter().flat_map(move |(name, points)| {
            let game = json!([place(&it["player"]), place(&it["other"]), seated, points]);
            let count = usize::try_from(it[name].as_u64().unwrap()).unwrap();
            vec![game; count]
        })
    });
    each.collect()
}

#[test]
fn four_engines_have_the_ratings_that_scipy_finds() {
    four_engines_are_rated(3);
}

#[test]
#[ignore = "exhaustive: 8 s; every day: four_engines_have_the_ratings_that_scipy_finds"]
fn four_engines_have_the_ratings_that_scipy_finds_in_many_debates() {
    four_engines_are_rated(13);
}

/// Compares the ratings after this many debates of each pair and order with those of scipy.
fn four_engines_are_rated(debates: usize) {
    let Some(python) = python() else {
        return;
    };
    let engines: Vec<String> = ["one", "two", "three", "four"]
        .iter()
        .filter_map(|name| engine("simple.py", name))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let count = debates.to_string();
    let mut arguments = vec!["--scenario", "primes-small", "--seed", "7"];
    arguments.extend(["-n", &count, "--jobs", "4"]);
    for engine in &engines {
        arguments.extend(["--prover", engine, "--opponent", engine]);
    }
    let (chart, vega) = (at("ratings.svg"), at("ratings.json"));
    arguments.extend(["--chart", path(&chart), "--vega", path(&vega)]);
    let table = document(&play(folder.path(), &arguments));
    assert_eq!(table["finished"], 16 * debates, "{table}");
    let ratings = &table["ratings"][0];
    let rows = ratings["players"].as_array().unwrap();
    let players: Vec<&str> = rows
        .iter()
        .map(|row| row["player"].as_str().unwrap())
        .collect();
    let games = games(ratings, &players);
    // Six pairs, and each player against itself.
    assert_eq!(players.len(), 4, "{ratings}");
    assert_eq!(games.len(), debates * (6 + 4), "{ratings}");
    let figure = |it: &Value| ["value", "standard_error"].map(|name| it[name].as_f64().unwrap());
    let mut own: Vec<[f64; 2]> = rows.iter().map(|row| figure(&row["rating"])).collect();
    assert!(own.is_sorted_by(|one, other| one[0] >= other[0]), "{own:?}");
    own.push(figure(&ratings["seat"]));
    let picture = fs::read_to_string(&chart).unwrap();
    let picture = roxmltree::Document::parse(&picture).unwrap();
    let dots = picture
        .descendants()
        .filter(|node| node.has_tag_name("circle"));
    assert_eq!(dots.count(), 4);
    let vega: Value = serde_json::from_str(&fs::read_to_string(&vega).unwrap()).unwrap();
    assert_eq!(vega["data"]["values"][0]["rating"], own[0][0]);

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/ratings.py");
    if !has_modules(&python, "scipy, numpy") {
        return;
    }
    let plan = json!({ "players": 4, "games": games }).to_string();
    let mut fit = Command::new(&python);
    fit.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut fit = fit.spawn().unwrap();
    fit.stdin
        .take()
        .unwrap()
        .write_all(plan.as_bytes())
        .unwrap();
    let other = fit.wait_with_output().unwrap();
    let other: Vec<[f64; 2]> = serde_json::from_slice(&other.stdout).unwrap();
    assert_eq!(own.len(), other.len());
    for (own, other) in own.iter().flatten().zip(other.iter().flatten()) {
        assert!((own - other).abs() < 1e-3, "{own} for {other}");
    }
}

#[test]
fn shards_of_a_match_merge_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let match_of = |folder: &Path, more: &str| {
        let all = format!(
            "--scenario primes-small --opponent bayes --opponent even --seed 7 -n 5 {more}"
        );
        play(folder, &all.split_whitespace().collect::<Vec<_>>())
    };
    let table = document(&match_of(&whole, ""));
    assert_eq!(table["finished"], 10);
    let mut finished = 0;
    for part in ["1/3", "2/3", "3/3"] {
        let part = document(&match_of(&parts, &format!("--shard {part}")));
        assert_eq!(part["finished"], part["debates"]);
        finished += part["finished"].as_u64().unwrap();
        assert_eq!(saves(&parts).len() as u64, finished);
    }
    assert_eq!(finished, 10);
    assert_eq!(document(&match_of(&parts, "--dry-run")), table);
    // During a shard, the folder is locked against a run of the whole match, but open to other shards.
    let refused = "another program is running a match in this folder";
    let lock = fs::File::open(parts.join("match.lock")).unwrap();
    lock.lock_shared().unwrap();
    let said = match_of(&parts, "");
    assert!(
        said.code == Some(3) && said.err.contains(refused),
        "{said:?}"
    );
    assert_eq!(match_of(&parts, "--shard 1/3").code, Some(0));
    lock.unlock().unwrap();
    lock.lock().unwrap();
    let said = match_of(&parts, "--shard 1/3");
    assert!(
        said.code == Some(3) && said.err.contains(refused),
        "{said:?}"
    );
}

#[test]
fn a_rating_that_the_debates_do_not_determine_is_unbounded() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &str| {
        let all = format!(
            "match --seed 7 -n 4 --saves {} {arguments}",
            path(folder.path())
        );
        say(folder.path(), &all.split(' ').collect::<Vec<_>>(), "").out
    };
    // Two players, each in one seat, so no comparison is possible.
    let page = said("--scenario primes-small --opponent calibrated --prover contrarian");
    assert!(
        page.contains("4 of 4") && !page.contains("Ratings"),
        "{page}"
    );
    // One of them always wins.
    let page = said(
        "--scenario lighthouse --judge swayed --prover quoter --prover silent --opponent quoter --opponent silent",
    );
    assert_eq!(page.matches("unbounded").count(), 2, "{page}");
    assert!(page.contains("cannot be estimated"), "{page}");
}

#[test]
fn unplayable_plans_are_refused_before_the_first_debate() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, code, why) in [
        (&["--scenario", "primes"][..], 2, "needs a seed"),
        (
            &["--scenario", "primes", "--seed", "7", "--prover", "nobody"],
            2,
            "nobody",
        ),
        (
            &["--scenario", "primes", "--seed", "7", "--prover", "human"],
            2,
            "users cannot play",
        ),
        (
            &["--scenario", "primes", "--seed", "7", "--both-orders"],
            2,
            "primes has no such question",
        ),
        (
            &[
                "--scenario",
                "primes",
                "--seed",
                "7",
                "--protocol",
                "Descent",
            ],
            2,
            "Descent",
        ),
        (
            &["--scenario", "primes", "--seed", "7", "--instance", "6"],
            2,
            "6",
        ),
        (
            &[
                "--scenario",
                "primes",
                "--seed",
                "7",
                "--judge",
                "engine:exit 3",
            ],
            3,
            "not an engine",
        ),
        (&["no-such-plan.ron"], 2, "no-such-plan.ron"),
    ] {
        let said = play(folder.path(), arguments);
        assert_eq!(said.code, Some(code), "{said:?}");
        assert!(
            said.err.contains(why) && said.is_clean(),
            "{arguments:?} {said:?}"
        );
    }
    assert_eq!(saves(folder.path()).len(), 0);
    // A plan runs a command only with permission.
    let plan = folder.path().join("plan.ron");
    fs::write(
        &plan,
        "Match(format: 1, scenarios: [\"primes\"], judges: [\"engine:touch ran\"], seed: \"7\")",
    )
    .unwrap();
    let said = play(folder.path(), &[path(&plan)]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--allow-commands"), "{said:?}");
    assert!(!Path::new("ran").exists());
}

#[test]
fn a_sequential_test_stops_a_match_of_named_engines() {
    let Some(simple) = command("simple.py", "") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["A", "B"].map(|name| format!("engine(name={name}):{simple} {name}"));
    let run = |saves: &Path, more: &[&str]| {
        let players = [
            "--prover",
            &a,
            "--prover",
            &b,
            "--opponent",
            &a,
            "--opponent",
            &b,
        ];
        let test = ["--scenario", "primes-small", "--seed", "7", "-n", "40"];
        let sprt = ["--sprt=-200,200,0.2,0.2"];
        play(saves, &[&players[..], &test, &sprt, more].concat())
    };
    let alone = folder.path().join("alone");
    let table = document(&run(&alone, &["--jobs", "1"]));
    let sprt = &table["sprt"];
    assert_eq!([&sprt["player"], &sprt["other"]], ["A", "B"], "{table}");
    assert!(sprt["accepted"].is_string(), "{sprt}");
    assert_eq!(sprt["elo1"], 200.0);
    // Nobody meets itself, and the match stops early.
    let [finished, debates] = ["finished", "debates"].map(|it| table[it].as_u64().unwrap());
    assert!(debates == 80 && finished < debates, "{table}");
    assert_eq!(table["matchups"][0]["players"]["prover"], "A");
    assert!(table["ratings"][0]["players"][0]["elo"].is_object() || sprt["lost"] == 0);
    // The same command plays no further debates; several jobs decide the same.
    assert_eq!(document(&run(&alone, &[])), table);
    assert_eq!(saves(&alone).len() as u64, finished);
    let together = document(&run(&folder.path().join("together"), &["--jobs", "4"]));
    assert_eq!(together["sprt"], *sprt);
    // A plan file can contain the test.
    let plan = folder.path().join("plan.ron");
    let text = format!(
        "Match(format: 1, scenarios: [\"primes-small\"], provers: [{a:?}, {b:?}], opponents: [{a:?}, {b:?}], \
         seed: \"7\", debates: 40, sprt: (elo0: -200, elo1: 200, alpha: 0.2, beta: 0.2))"
    );
    std::fs::write(&plan, text).unwrap();
    let planned = [path(&plan), "--allow-commands"];
    assert_eq!(document(&play(&alone, &planned)), table);
    let shard = play(&alone, &[&planned[..], &["--shard", "1/2"]].concat());
    assert!(
        shard.code == Some(2) && shard.err.contains("--shard"),
        "{shard:?}"
    );
    // The table shows the state and the short names.
    let text = say(
        folder.path(),
        &[
            &[
                "match",
                "--saves",
                path(&alone),
                "--dry-run",
                "--scenario",
                "primes-small",
            ][..],
            &["--seed", "7", "-n", "40", "--sprt=-200,200,0.2,0.2"],
            &[
                "--prover",
                &a,
                "--prover",
                &b,
                "--opponent",
                &b,
                "--opponent",
                &a,
            ],
        ]
        .concat(),
        "",
    );
    assert!(text.out.contains("SPRT of A against B"), "{text:?}");
    assert!(text.out.contains("A against B, judged by"), "{text:?}");
    for (arguments, why) in [
        (vec!["--prover", &*a, "--opponent", &*b], "name both"),
        (
            vec![
                "--prover",
                &*a,
                "--prover",
                "engine(name=A):other",
                "--opponent",
                &*b,
            ],
            "two players have the name",
        ),
    ] {
        let start = [
            "--scenario",
            "primes-small",
            "--seed",
            "7",
            "--sprt=0,50,0.05,0.05",
        ];
        let said = play(&alone, &[&start[..], &arguments].concat());
        assert!(said.code == Some(2) && said.err.contains(why), "{said:?}");
    }
}
