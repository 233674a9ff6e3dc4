//! The built-in client for language models, against a server on this machine that behaves as providers do.

use std::fs;
use std::path::Path;

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
            "the answer is larger than 16777216 bytes".to_owned(),
        ),
        ("cut", "the answer of the model breaks off".to_owned()),
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

#[test]
fn a_name_without_an_address_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (player, why, code) in [
        ("model:m", "it has no URL; write 'model:NAME@URL'", 3),
        ("ollama:", "`ollama:` has no model", 2),
        (
            "model(heat=1):m@http://127.0.0.1:9/v1",
            "it has no option \"heat\"",
            3,
        ),
    ] {
        let said = say(
            folder.path(),
            &["primes-small", "--role", "none", "--opponent", player],
            "",
        );
        assert!(
            said.code == Some(code) && said.err.contains(why),
            "{player}: {said:?}"
        );
    }
}
