//! `serve --stdio`: other programs drive debates.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::driver::{Driver, legal_reply};
use crate::support::engines::script;
use crate::support::program::{json as document, path, say};
use crate::support::strict::loose;
use debate_host::record::verify_file;
use debate_solver::setup::{ScenarioLimits, bundled_scenarios};

const SEATS: [&str; 3] = ["prover", "opponent", "judge"];

#[test]
fn every_seat_of_every_scenario_is_played_to_a_verified_save() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    let (mut kinds, mut played) = (BTreeSet::new(), 0);
    for (number, scenario) in bundled_scenarios().iter().enumerate() {
        for seat in SEATS {
            // Only users and external programs can write the claims of an open argument.
            let seats = match scenario.name {
                "open" => json!(SEATS),
                _ => json!([seat]),
            };
            driver.send(&json!({
                "type": "new", "scenario": scenario.name, "seats": seats, "seed": "7",
            }));
            let started = driver.next();
            if started["type"] == "error" {
                // Users play the other seats.
                assert!(
                    started["why"].as_str().unwrap().starts_with("nobody plays"),
                    "{started}"
                );
                continue;
            }
            let mut handles = started["debates"].as_object().unwrap().len();
            let end = driver.play(number as u64, |said| {
                if said["type"] == "act" {
                    assert_eq!(loose(&said["legal"], true), None, "{}", said["legal"]);
                    kinds.insert(said["request"]["kind"].as_str().unwrap().to_owned());
                    assert!(said["text"].as_str().unwrap().contains("Your task"));
                }
            });
            while handles > 1 {
                driver.next_of("end");
                handles -= 1;
            }
            assert_eq!(end["outcome"]["outcome"], "finished");
            let save = started["save"].as_str().unwrap();
            let verdict = verify_file(Path::new(save), &ScenarioLimits::default()).unwrap();
            assert!(verdict.ok && verdict.finished, "{verdict:?}");
            let verdict = serde_json::to_value(&verdict).unwrap();
            assert_eq!(verdict["payoff"], end["outcome"]["payoff"]);
            played += 1;
        }
    }
    assert!(driver.end().is_empty());
    assert!(played > 40, "{played}");
    let every = [
        "answer",
        "bits",
        "challenge",
        "direction",
        "oracle",
        "probability",
        "select",
        "support",
    ];
    assert!(every.iter().all(|kind| kinds.contains(*kind)), "{kinds:?}");
}

#[test]
fn a_restarted_server_resumes_every_debate() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    let new = json!({"scenario": "primes-small", "seats": ["prover", "opponent"], "seed": "3"});
    let handles = driver.begin(&new);
    let first = driver.next_of("act");
    driver.reply(&first, &json!({"answer": true}));
    let second = driver.next_of("act");
    assert_eq!(second["debate"], handles["opponent"]);
    driver.kill();

    let mut driver = Driver::start(folder.path(), &[]);
    // The prover's seat is taken up first and has no request.
    driver.send(&json!({"type": "resume", "debate": handles["prover"]}));
    driver.next_of("started");
    driver.send(&json!({"type": "resume", "debate": handles["opponent"]}));
    let again = driver.next_of("act");
    assert_eq!(again, second);
    // The accepted reply remains valid.
    driver.reply(&first, &json!({"answer": false}));
    let late = driver.next_of("error");
    assert_eq!(late["kind"], "answered", "{late}");
    driver.reply(&again, &json!({"probability": 0.5}));
    let end = driver.play(5, |_| ());
    driver.next_of("end");
    // A finished debate sends its end again.
    driver.send(&json!({"type": "resume", "debate": handles["prover"]}));
    let said = driver.next_of("end");
    assert_eq!(said["outcome"], end["outcome"]);
    driver.end();
    let saves = fs::read_dir(folder.path()).unwrap();
    let saves = saves.filter(|entry| {
        let path = entry.as_ref().unwrap().path();
        path.extension().is_some_and(|ending| ending == "ron")
    });
    assert_eq!(saves.count(), 1);
}

/// A message may contain the scenario itself, which cannot make the server read files of this machine.
#[test]
fn a_message_can_contain_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    let text = include_str!("../../scenarios/primes-small.ron");
    let inline = json!({"scenario": {"inline": text}, "seats": ["opponent"], "seed": "7"});
    let named = json!({"scenario": "primes-small", "seats": ["opponent"], "seed": "7"});
    let ends = [inline, named].map(|new| {
        driver.begin(&new);
        loop {
            let said = driver.next();
            if said["type"] == "end" {
                break said["outcome"].clone();
            }
            driver.reply(&said, &json!({"probability": "1/2"}));
        }
    });
    assert_eq!(ends[0], ends[1]);
    let own = folder.path().join("own.ron");
    fs::write(&own, "secret").unwrap();
    let with_player = |file: &str| text.replace("obfuscator", &format!("trained({file})"));
    for inline in [
        "Scenario(".to_owned(),
        with_player(path(&own)),
        with_player("own.ron"),
        "x".repeat(2 << 20),
    ] {
        driver.send(&json!({"type": "new", "scenario": {"inline": inline}, "seats": ["opponent"]}));
        let error = driver.next_of("error");
        assert_eq!(error["kind"], "bad_request", "{error}");
        let told = error["why"].as_str().unwrap();
        assert!(
            told.starts_with("the inline scenario") && !told.contains("secret"),
            "{told}"
        );
    }
    assert!(driver.end().is_empty());
}

/// Debates that are stepped together give the same results as single debates.
#[test]
fn a_batch_plays_the_debates_of_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    let new = json!({
        "scenario": "primes-small", "seats": ["opponent"], "players": {"prover": "obfuscator"},
        "seed": "7", "save": false, "text": false,
    });
    let mut open = new.clone();
    open["type"] = json!("open");
    open["count"] = json!(3);
    open["points"] = json!(5);
    driver.send(&open);
    let opened = driver.next_of("opened");
    assert_eq!(opened["replies"]["opponent"], json!({"probability": 5}));
    let batch = opened["batch"].clone();
    let mut slots = opened["slots"].clone();
    assert_eq!(slots.as_array().unwrap().len(), 3);
    assert_eq!(slots[0]["asks"], "probability");
    let mut payoffs = [0.0; 6];
    while payoffs.contains(&0.0) {
        let each = slots.as_array().unwrap().iter();
        // Replies with one half each time; when a debate is over, the next one starts.
        let replies: Vec<Value> = each
            .map(|slot| {
                if slot["seat"].is_null() {
                    Value::Null
                } else {
                    json!(2)
                }
            })
            .collect();
        driver.send(&json!({"type": "step", "batch": batch, "replies": replies}));
        slots = driver.next_of("stepped")["slots"].clone();
        for slot in slots.as_array().unwrap() {
            let number = usize::try_from(slot["number"].as_u64().unwrap()).unwrap();
            if slot["seat"].is_null() && number < payoffs.len() {
                payoffs[number] = slot["payoff"].as_f64().unwrap();
            }
        }
    }
    for refused in [json!([2]), json!([2, 9, 2])] {
        driver.send(&json!({"type": "step", "batch": batch, "replies": refused}));
        assert_eq!(driver.next_of("error")["kind"], "bad_request");
    }
    driver.send(&json!({"type": "leave", "debate": batch}));
    driver.send(&json!({"type": "step", "batch": batch, "replies": [null, null, null]}));
    assert_eq!(driver.next_of("error")["kind"], "unknown_debate");
    for (number, payoff) in payoffs.iter().enumerate() {
        let mut new = new.clone();
        new["number"] = json!(number);
        driver.begin(&new);
        let end = loop {
            let said = driver.next();
            if said["type"] == "end" {
                break said;
            }
            driver.reply(&said, &json!({"probability": "1/2"}));
        };
        let (top, bottom) = end["reward"].as_str().unwrap().split_once('/').unwrap();
        let exact = top.parse::<f64>().unwrap() / bottom.parse::<f64>().unwrap();
        assert!(
            (exact + payoff).abs() < 1e-12,
            "{exact} for {payoff} in {number}"
        );
    }
    // A claim in the user's own words has no number.
    driver
        .send(&json!({"type": "open", "scenario": "lighthouse", "seats": ["prover"], "seed": "7"}));
    let error = driver.next_of("error");
    assert!(
        error["why"]
            .as_str()
            .unwrap()
            .contains("too many replies to number"),
        "{error}"
    );
    assert!(driver.end().is_empty());
}

/// Steps a batch of an opponent to the end of all debates, with the estimate one half each time; returns the payoffs.
fn batch_payoffs(driver: &mut Driver, opened: &Value) -> Vec<f64> {
    let mut slots = opened["slots"].clone();
    loop {
        let each = slots.as_array().unwrap();
        let over = |slot: &Value| slot["seat"].is_null();
        if each.iter().all(over) {
            return each
                .iter()
                .map(|it| it["payoff"].as_f64().unwrap())
                .collect();
        }
        let keep: Vec<usize> = (0..each.len()).filter(|at| over(&each[*at])).collect();
        let replies = vec![1; each.len()];
        let batch = &opened["batch"];
        driver.send(&json!({"type": "step", "batch": batch, "replies": replies, "keep": keep}));
        slots = driver.next_of("stepped")["slots"].clone();
    }
}

#[test]
fn a_fork_continues_from_the_copied_states() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    driver.send(&json!({
        "type": "open", "scenario": "primes", "seats": ["opponent"], "players": {"prover": "obfuscator"},
        "seed": "7", "count": 2, "points": 3,
    }));
    let opened = driver.next_of("opened");
    let batch = &opened["batch"];
    driver.send(&json!({"type": "step", "batch": batch, "replies": [1, 2]}));
    let stepped = driver.next_of("stepped");
    // Debates that are kept do not change.
    driver.send(&json!({"type": "step", "batch": batch, "replies": [0, 0], "keep": [0, 1]}));
    assert_eq!(driver.next_of("stepped"), stepped);

    driver.send(&json!({"type": "fork", "id": "f", "batch": batch, "slots": [1, 0, 1]}));
    let fork = driver.next_of("opened");
    assert_eq!(fork["id"], "f");
    assert_eq!(fork["replies"], opened["replies"]);
    assert_eq!(fork["point"], opened["point"]);
    let slots = &stepped["slots"];
    assert_eq!(fork["slots"], json!([slots[1], slots[0], slots[1]]));
    // Copies keep the coins: they end as the copied debates do, which stepping the fork does not change.
    let copies = batch_payoffs(&mut driver, &fork);
    let originals = batch_payoffs(&mut driver, &stepped);
    assert_eq!(copies, [originals[1], originals[0], originals[1]]);

    // Under another seed, copies have different coins, but the same past.
    driver.send(&json!({"type": "fork", "batch": batch, "slots": vec![0; 40], "seed": "1"}));
    let over = driver.next_of("opened");
    assert_eq!(over["slots"][39]["number"], 39);
    assert!(over["slots"][39]["seat"].is_null());
    driver.send(&json!({"type": "step", "batch": batch, "replies": [null, null]}));
    let begun = driver.next_of("stepped")["slots"][0].clone();
    driver.send(&json!({"type": "fork", "batch": batch, "slots": vec![0; 40], "seed": "1"}));
    let varied = driver.next_of("opened");
    for field in ["seen", "claim", "asks", "payoff", "replies"] {
        assert_eq!(varied["slots"][39][field], begun[field], "{field}");
    }
    let mut payoffs = batch_payoffs(&mut driver, &varied);
    payoffs.sort_by(f64::total_cmp);
    payoffs.dedup();
    assert!(payoffs.len() > 1, "{payoffs:?}");

    for (wrong, why) in [
        (json!({"slots": [2]}), "no debate 2; it has 2 debates"),
        (json!({"slots": []}), "`slots` must list 1 to"),
        (json!({"slots": [0], "seed": ""}), "seed"),
        (
            json!({"slots": [0], "batch": "nowhere"}),
            "no running batch",
        ),
    ] {
        let mut fork = json!({"type": "fork", "id": "g", "batch": batch});
        for (name, value) in wrong.as_object().unwrap() {
            fork[name] = value.clone();
        }
        driver.send(&fork);
        let error = driver.next_of("error");
        assert_eq!(error["id"], "g");
        assert!(error["why"].as_str().unwrap().contains(why), "{error}");
    }
    driver.send(&json!({"type": "step", "batch": batch, "replies": [0, 0], "keep": [2]}));
    assert_eq!(driver.next_of("error")["kind"], "bad_request");
    assert!(driver.end().is_empty());
}

#[test]
fn a_batch_begins_with_the_number_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    let mut open = |number: u64, count: u32| {
        driver.send(&json!({
            "type": "open", "scenario": "primes-small", "seats": ["opponent"], "seed": "7",
            "number": number, "count": count,
        }));
        driver.next()
    };
    let (all, last) = (open(0, 7), open(5, 2));
    assert_eq!(last["slots"][0]["number"], 5, "{last}");
    assert_eq!(last["slots"][0], all["slots"][5]);
    assert_eq!(last["slots"][1], all["slots"][6]);
    let beyond = open(u64::MAX, 1);
    assert_eq!(beyond["kind"], "bad_request", "{beyond}");
}

/// The server does not wait for an engine that never replies.
#[test]
fn the_end_of_the_input_ends_the_server_although_an_engine_thinks() {
    let folder = tempfile::tempdir().unwrap();
    let silent = format!("engine:{}", script(folder.path(), "silent", ""));
    let mut driver = Driver::start(folder.path(), &["--allow-commands"]);
    driver.begin(&json!({
        "scenario": "primes-small", "seats": ["prover"], "players": {"opponent": silent},
    }));
    let act = driver.next_of("act");
    driver.reply(&act, &json!({"answer": true}));
    let begun = Instant::now();
    assert!(driver.end().is_empty());
    // The engine has a limit of ten minutes.
    assert!(begun.elapsed() < Duration::from_secs(120));
    let saved = fs::read_dir(folder.path()).unwrap().find_map(|entry| {
        let text = fs::read_to_string(entry.unwrap().path()).ok()?;
        text.contains("events: [").then_some(text)
    });
    assert!(saved.is_some_and(|text| text.contains("reply: Answer(true)")));
}

/// A reply costs the same if it is illegal or cannot be read.
#[test]
fn costs_of_illegal_driver_replies_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    driver.send(&json!({
        "type": "new", "scenario": "primes-small", "seats": ["opponent"], "seed": "7",
    }));
    let save = driver.next_of("started")["save"].clone();
    let mut act = driver.next_of("act");
    let mut replies = 0;
    let mut reply = |driver: &mut Driver, act: &Value, reply: Value| {
        replies += 1;
        driver.send(&json!({
            "type": "reply", "debate": act["debate"], "id": act["id"], "reply": reply,
            "cost": {"calls": 1, "usd": "0.5"},
        }));
        driver.next()
    };
    for illegal in [
        json!({"probability": "about half"}),
        json!({"select": 99}),
        json!(7),
    ] {
        assert_eq!(reply(&mut driver, &act, illegal)["type"], "illegal");
    }
    while act["type"] == "act" {
        act = reply(&mut driver, &act, json!({"probability": "1/2"}));
    }
    assert_eq!(act["type"], "end", "{act}");
    driver.end();
    let save = Path::new(save.as_str().unwrap());
    let text = fs::read_to_string(save).unwrap();
    let costs = format!("costs: (opponent: (calls: {replies}, usd: ");
    assert!(text.contains(&costs), "{text}");
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.finished, "{verdict:?}");
}

#[test]
fn errors_have_the_right_kind() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    let mut refused = |line: &str, kind: &str| {
        driver.send_text(line);
        let said = driver.next_of("error");
        assert_eq!(said["kind"], kind, "{said}");
        assert!(said["why"].as_str().unwrap().len() > 10, "{said}");
        said
    };
    refused("hello", "bad_json");
    refused("{\"type\":\"dance\"}", "bad_json");
    refused("[1, 2", "bad_json");
    // The error reaches the caller that waits for an answer, because it keeps the message's `id` or handle.
    for (names, field, name) in [
        ("\"type\":\"new\",\"id\":\"a\",\"seed\":7", "id", "a"),
        ("\"type\":\"open\",\"id\":8,\"seed\":7", "id", "8"),
        (
            "\"type\":\"step\",\"batch\":\"b\",\"replies\":[0.5]",
            "debate",
            "b",
        ),
        (
            "\"type\":\"reply\",\"debate\":\"c\",\"id\":-1",
            "debate",
            "c",
        ),
    ] {
        let said = refused(&format!("{{{names}}}"), "bad_json");
        assert_eq!(said[field], name, "{said}");
    }
    // The prover of an open argument writes the supports.
    let said = refused(
        "{\"type\":\"open\",\"id\":\"o\",\"scenario\":\"open\",\"seats\":[\"prover\",\"opponent\",\"judge\"]}",
        "bad_request",
    );
    assert!(
        said["why"]
            .as_str()
            .unwrap()
            .contains("too many replies to number"),
        "{said}"
    );
    refused(&format!("\"{}\"", "x".repeat(9 << 20)), "too_long");
    refused(
        "{\"type\":\"reply\",\"debate\":\"7\",\"id\":1,\"reply\":{}}",
        "unknown_debate",
    );
    refused(
        "{\"type\":\"resume\",\"debate\":\"../7\"}",
        "unknown_debate",
    );
    let said = refused(
        "{\"type\":\"new\",\"id\":\"mine\",\"seats\":[\"judge\"]}",
        "bad_request",
    );
    assert_eq!(said["id"], "mine");
    refused("{\"type\":\"new\",\"scenario\":\"primes\"}", "bad_request");
    refused(
        "{\"type\":\"new\",\"scenario\":\"-\",\"seats\":[\"judge\"]}",
        "bad_request",
    );
    refused(
        "{\"type\":\"new\",\"scenario\":\"nowhere\",\"seats\":[\"judge\"]}",
        "bad_request",
    );

    driver.begin(&json!({"scenario": "primes-small", "seats": SEATS, "save": false}));
    let act = driver.next_of("act");
    let illegal = [
        json!({"select": 3}),
        json!({"answer": "perhaps"}),
        json!({"probability": 2}),
        json!(17),
        json!({"answer": true, "select": 0}),
    ];
    for reply in illegal {
        driver.reply(&act, &reply);
        let said = driver.next_of("illegal");
        assert_eq!(
            (&said["debate"], &said["id"]),
            (&act["debate"], &act["id"]),
            "{said}"
        );
    }
    let mut early = act.clone();
    early["id"] = json!(2);
    driver.reply(&early, &json!({"answer": true}));
    assert_eq!(driver.next_of("error")["kind"], "not_your_turn");
    driver.reply(&act, &json!({"answer": true, "later versions": [1]}));
    driver.next_of("act");
    driver.send(&json!({"type": "ping", "later versions": 1}));
    driver.next_of("pong");
    assert!(driver.end().is_empty());
    // A debate without a save leaves no file on the disk.
    let kept = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(kept, 0);
}

/// Messages may name bundled scenarios, and files in the folders that the owner of the server allows. They reveal no
/// facts about any other file.
#[cfg(unix)]
#[test]
fn messages_name_only_allowed_files() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    let (inside, outside) = (own.join("more"), folder.path().join("outside"));
    for folder in [&inside, &outside] {
        fs::create_dir_all(folder).unwrap();
    }
    let text = fs::read_to_string("scenarios/primes-small.ron").unwrap();
    fs::write(own.join("mine.ron"), &text).unwrap();
    fs::write(inside.join("deep.ron"), &text).unwrap();
    fs::write(own.join("notes.ron"), "quartz: sphinx").unwrap();
    fs::write(outside.join("secret"), "quartz: sphinx").unwrap();
    fs::write(outside.join("other.ron"), &text).unwrap();
    std::os::unix::fs::symlink(outside.join("secret"), own.join("link.ron")).unwrap();
    std::os::unix::fs::symlink(&outside, own.join("out")).unwrap();
    let secret = outside.join("secret").display().to_string();
    let recorded = format!("recorded({secret})");
    let new = |scenario: &str| json!({"type": "new", "scenario": scenario, "seats": ["judge"]});
    let saves = folder.path().join("saves");
    let mut driver = Driver::start(&saves, &["--scenarios", path(&own)]);
    let mut refusals = BTreeSet::new();
    for scenario in [
        &*secret,
        path(&outside.join("other.ron")),
        path(&outside.join("no such file")),
        "link",
        "link.ron",
        "out/other",
        "out/other.ron",
        "../outside/other",
        "../outside/secret",
        "more/../../outside/secret",
        "/etc/passwd",
        "scenarios/../Cargo.toml",
        path(&own),
    ] {
        driver.send(&new(scenario));
        let said = driver.next_of("error");
        assert_eq!(said["kind"], "bad_request", "{said}");
        let why = said["why"].as_str().unwrap();
        assert!(!why.contains("quartz") && !why.contains("sphinx"), "{why}");
        // The refusal is the same for existing and missing files.
        refusals.insert(why.replace(scenario, "…"));
    }
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    // A readable file that is not a scenario is not shown either.
    driver.send(&new("notes"));
    let said = driver.next_of("error").to_string();
    assert!(
        said.contains("not a valid scenario") && !said.contains("quartz"),
        "{said}"
    );
    for player in [&*recorded, "trained(/etc/passwd)", "trained(notes.ron)"] {
        let mut message = new("lighthouse");
        message["players"] = json!({"prover": player});
        driver.send(&message);
        let said = driver.next_of("error")["why"].to_string();
        assert!(
            said.contains("--scenarios") && !said.contains("quartz"),
            "{said}"
        );
    }
    for scenario in [
        "mine",
        "mine.ron",
        path(&own.join("mine.ron")),
        "more/deep",
        "primes",
    ] {
        driver.begin(&json!({"scenario": scenario, "seats": SEATS}));
        driver.next_of("act");
    }
    driver.end();
    // Without an allowed folder, only the bundled scenarios are available.
    let mut driver = Driver::start(&saves, &[]);
    driver.send(&new(path(&own.join("mine.ron"))));
    driver.next_of("error");
    driver.send(&new("scenarios/primes-small.ron"));
    driver.next_of("started");
    driver.end();
}

#[test]
fn giving_up_loses_the_debate() {
    for kept in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let mut driver = Driver::start(folder.path(), &[]);
        let new =
            json!({"scenario": "primes-small", "seats": ["opponent"], "seed": "3", "save": kept});
        driver.begin(&new);
        let act = driver.next_of("act");
        let forfeit = json!({"type": "forfeit", "debate": act["debate"], "fault": "model_refusal"});
        driver.send(&forfeit);
        let end = driver.next_of("end");
        assert_eq!(end["outcome"]["outcome"], "forfeited", "{end}");
        let lost = json!({"seat": "opponent", "fault": "model_refusal"});
        assert_eq!(end["outcome"]["forfeit"], lost);
        driver.reply(&act, &json!({"probability": "1/2"}));
        let kind = driver.next_of("error")["kind"].clone();
        assert!(kind == "over" || kind == "unknown_debate", "{kind}");
        if kept {
            // The state persists.
            driver.send(&json!({"type": "resume", "debate": act["debate"]}));
            assert_eq!(driver.next_of("end")["outcome"]["forfeit"], lost);
        }
        driver.end();
    }
}

/// A debate beyond the limit is refused, and the other debates continue.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_start_ends_no_other_debate() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -v 2000000; exec \"$0\" serve --stdio",
            env!("CARGO_BIN_EXE_debate-tui"),
        ])
        .env("DEBATE_TUI_SAVES", folder.path())
        .env("DEBATE_TUI_CONFIG", folder.path().join("config.ron"))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null());
    let mut driver = Driver::of(command);
    let new = json!({"scenario": "primes-small", "seats": ["prover"], "text": false});
    driver.begin(&new);
    let first = driver.next_of("act");
    let many = 1200;
    let mut message = new;
    message["type"] = json!("new");
    let (mut begun, mut refused) = (0, 0);
    for number in 0..many {
        message["id"] = json!(number.to_string());
        driver.send(&message);
        // Each response is read before the next request, because a full pipe would block both sides.
        loop {
            let said = driver.next();
            if said["type"] == "started" {
                begun += 1;
                break;
            }
            if said["type"] == "error" {
                assert_eq!(said["kind"], "busy", "{said}");
                assert!(said["why"].as_str().unwrap().contains("end"), "{said}");
                assert_eq!(said["id"], message["id"]);
                refused += 1;
                break;
            }
        }
    }
    assert!(begun > 0 && refused > 0, "{begun} {refused}");
    driver.reply(&first, &json!({"answer": true}));
    loop {
        let said = driver.next();
        if said["debate"] == first["debate"] {
            assert_eq!(said["type"], "act", "{said}");
            break;
        }
    }
    // The test does not wait for the ends of all debates.
    driver.kill();
}

/// A debate with a save runs on a separate thread. A debate without a save is played on the thread that reads the
/// messages.
#[test]
fn unsaved_debates_give_the_same_lines() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    for (scenario, seats) in [
        ("primes-small", json!(SEATS)),
        ("primes", json!(["opponent"])),
        ("turing", json!(["prover", "judge"])),
        ("law", json!(["judge"])),
    ] {
        let mut told = |kept: bool| {
            let new = json!({"scenario": scenario, "seats": seats, "seed": "7", "save": kept});
            let handles = driver.begin(&new);
            let mut lines = Vec::new();
            let mut tell = |said: &Value| {
                let mut said = said.clone();
                said["debate"] = json!(handles["prover"] == said["debate"]);
                lines.push(said);
            };
            driver.play(5, &mut tell);
            for _ in 1..handles.as_object().unwrap().len() {
                tell(&driver.next_of("end"));
            }
            assert!(lines.iter().any(|said| said["type"] == "act"), "{scenario}");
            lines
        };
        assert_eq!(told(true), told(false), "{scenario}");
    }
    assert!(driver.end().is_empty());
}

#[test]
fn unsaved_debates_interleave_and_can_be_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &["--no-save"]);
    let new = json!({"scenario": "primes-small", "seats": ["prover", "opponent"], "seed": "3"});
    let begin = |driver: &mut Driver| {
        let handles = driver.begin(&new);
        (handles, driver.next_of("act"))
    };
    let (left, first) = begin(&mut driver);
    let (_, second) = begin(&mut driver);
    let (_, third) = begin(&mut driver);
    driver.send(&json!({"type": "leave", "debate": left["opponent"]}));
    driver.reply(&third, &json!({"answer": true}));
    let asked = driver.next_of("act");
    assert_eq!(asked["request"]["kind"], "probability");
    driver.reply(&first, &json!({"answer": true}));
    assert_eq!(driver.next_of("error")["kind"], "over");
    // A new debate removes the finished ones.
    let (_, fourth) = begin(&mut driver);
    driver.reply(&first, &json!({"answer": true}));
    assert_eq!(driver.next_of("error")["kind"], "unknown_debate");
    for act in [second, fourth] {
        driver.reply(&act, &json!({"answer": true}));
        let asked = driver.next_of("act");
        assert_eq!(asked["request"]["kind"], "probability");
    }
    assert!(driver.end().is_empty());
}

#[test]
fn notes_and_costs_are_saved_with_the_reply() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    driver.send(
        &json!({"type": "new", "scenario": "primes-small", "seats": ["opponent"], "seed": "1"}),
    );
    let save = driver.next_of("started")["save"]
        .as_str()
        .unwrap()
        .to_owned();
    let act = driver.next_of("act");
    let cost = json!({"calls": 1, "tokens_in": 812, "tokens_out": 64, "usd": 0.0041, "model": "m"});
    driver.send(&json!({
        "type": "reply", "debate": act["debate"], "id": act["id"], "note": "hm",
        "reply": {"probability": "1/3"}, "cost": cost,
    }));
    driver.next();
    let text = fs::read_to_string(&save).unwrap();
    let line = "note: \"hm\", cost: (calls: 1, tokens_in: 812, tokens_out: 64, usd: \"0.0041\", model: \"m\")";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("opponent: \"program\""), "{text}");
    driver.end();
    let verified = document(&say(folder.path(), &["verify", &save, "--json"], ""));
    assert_eq!(verified["ok"], true);
}

#[test]
fn without_history_a_request_has_only_new_events() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Driver::start(folder.path(), &[]);
    let mut told = |history: bool| {
        let new = json!({
            "scenario": "primes-small", "seats": ["opponent"], "seed": "3", "history": history,
        });
        driver.begin(&new);
        let mut requests = Vec::new();
        driver.play(5, |said| {
            if said["type"] == "act" {
                requests.push(said["view"]["events"].as_array().unwrap().clone());
            }
        });
        requests
    };
    let (whole, parts) = (told(true), told(false));
    assert!(parts.len() > 4);
    assert_eq!(whole.len(), parts.len());
    // A reply that was sealed is sent again after the seal was opened; in the whole history it keeps its position.
    let open = |events: &[Value]| {
        let open = events.iter().filter(|event| event.get("sealed").is_none());
        let mut texts: Vec<_> = open.map(|event| event["text"].to_string()).collect();
        texts.sort();
        texts
    };
    for (request, whole) in whole.iter().enumerate() {
        let so_far = parts[..=request].concat();
        assert_eq!(open(&so_far), open(whole));
    }
    // A client that takes up a seat again gets the whole history.
    let new = json!({
        "scenario": "primes-small", "seats": ["opponent"], "seed": "3", "history": false,
    });
    let handles = driver.begin(&new);
    for _ in 0..2 {
        let act = driver.next_of("act");
        driver.reply(&act, &legal_reply(&act, 5));
    }
    let third = driver.next_of("act");
    driver.kill();
    let mut driver = Driver::start(folder.path(), &[]);
    driver.send(&json!({"type": "resume", "debate": handles["opponent"]}));
    driver.next_of("started");
    let again = driver.next_of("act");
    assert_eq!(again["id"], third["id"]);
    let told = again["view"]["events"].as_array().unwrap();
    assert_eq!((told.len(), &told[0]), (whole[2].len(), &whole[2][0]));
    driver.end();
}
