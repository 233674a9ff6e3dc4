//! An exported page in a real browser; skipped if none is installed.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::chromium;
use crate::support::program::say;

/// Steps through the page by keyboard, from its start to its end and back, and records the content after each step.
const DRIVER: &str = include_str!("browser/driver.js");

fn exported(folder: &Path, save: &str) -> PathBuf {
    let page = folder.join("page.html");
    let save = format!("{}/saves/{save}", env!("CARGO_MANIFEST_DIR"));
    let out = page.to_str().expect("UTF-8");
    let said = say(folder, &["export", &save, "--to", "html", "--out", out], "");
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    page
}

/// The same page with the test's own script, which its content policy allows.
fn driven(page: &Path) -> PathBuf {
    let text = fs::read_to_string(page).expect("UTF-8");
    let digest = BASE64_STANDARD.encode(Sha256::digest(DRIVER));
    let allowed = format!("script-src 'sha256-{digest}' ");
    let text = text.replacen("script-src ", &allowed, 1);
    let text = text.replacen("</body>", &format!("<script>{DRIVER}</script></body>"), 1);
    let path = page.with_file_name("driven.html");
    fs::write(&path, text).expect("a file");
    path
}

/// The output of the replay: the same events in the same words.
fn replayed(folder: &Path, save: &str) -> Vec<String> {
    let save = format!("{}/saves/{save}", env!("CARGO_MANIFEST_DIR"));
    let said = say(folder, &["replay", "--plain", "--json", &save], "");
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    let lines = document["lines"].as_array().expect("lines");
    let text = |line: &Value| line["text"].as_str().expect("a text").to_owned();
    lines.iter().map(text).collect()
}

/// The text without whitespace, because line breaks and separated names do not change the words.
fn words(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[test]
fn the_page_steps_through_every_event_by_keyboard() {
    let Some(browser) = chromium::browser() else {
        return;
    };
    for save in [
        "primes-estimator.ron",
        "primes-recursive-challenger.ron",
        "caffeine-judge.ron",
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let page = driven(&exported(dir.path(), save));
        let address = format!("file://{}#event=7", page.display());
        let dom = chromium::run(&browser, &["--dump-dom"], &address);
        let (_, rest) = dom
            .split_once("<pre id=\"driven\">")
            .expect("the driver ran");
        let (told, _) = rest.split_once("</pre>").expect("its end");
        let told = told
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&nbsp;", "\u{a0}")
            .replace("&amp;", "&");
        let seen: Value = serde_json::from_str(&told).expect("JSON");
        let lines = replayed(dir.path(), save);

        // The address opens the page at its event.
        assert_eq!(seen["linked"]["at"], 7);
        let on = seen["on"].as_array().expect("states");
        assert_eq!(on.len(), lines.len() + 1);
        assert_eq!(on[0]["now"], "No moves yet.");
        assert_eq!(on[0]["shown"], 0);
        for (n, line) in lines.iter().enumerate() {
            let n = n + 1;
            let state = &on[n];
            assert_eq!(state["at"], n, "{save}");
            assert_eq!(state["hash"], format!("#event={n}"));
            assert_eq!(state["where"], format!("Event {n} of {}", lines.len()));
            // All events up to here are shown, none after it, and this one is marked.
            assert_eq!(state["shown"], n);
            let now = words(text(&state["now"]));
            // A line with a formula consists of the formula only.
            let spoken = words(line);
            assert!(
                now.ends_with(&spoken) || spoken.starts_with(&now) || decided(&now, line),
                "{line}\n{now}"
            );
            assert_eq!(words(text(&state["marked"][0])), now);
            // A name and what follows it are read aloud as two words.
            for name in ["Alice", "Bob", "Judge"] {
                if line.starts_with(&format!("{name} ")) {
                    let spoken = text(&state["now"]);
                    assert!(spoken.starts_with(&format!("{name} ")), "{spoken}");
                }
            }
            assert_eq!(state["report"], n == lines.len());
            assert!(!state["tree"].as_array().expect("rows").is_empty());
        }
        // Moving backwards shows the same states, and moving beyond the end stays at the end.
        assert_eq!(
            seen["back"].as_array().expect("states")[..],
            on[..lines.len()]
        );
        assert_eq!(seen["beyond"], on[lines.len()]);
        assert_eq!(seen["end"], on[lines.len()]);
        assert_eq!(seen["scrubbed"], on[5]);
        assert_eq!(seen["toggled"], true);
        assert_eq!(seen["restored"], true);
        assert_eq!(
            (&seen["playing"], &seen["paused"]),
            (&json!("Pause"), &json!("Play"))
        );
        assert_eq!(seen["live"], "polite");
        assert_eq!(seen["named"], true);
        // The browser loaded no other resource than the page.
        assert_eq!(seen["loaded"], json!([]));
        if save == "primes-estimator.ron" {
            debate_of_primes(&seen, &lines);
        }
    }
}

/// Returns true if a decision is shown with its reason; the plain replay shows its formula.
fn decided(now: &str, line: &str) -> bool {
    line.starts_with("r = ") && (now.contains("verifier") || now.contains("judge"))
}

fn debate_of_primes(seen: &Value, lines: &[String]) {
    let on = &seen["on"];
    for round in ["1", "2", "3", "4"] {
        let state = &seen["rounds"][round];
        let at = usize::try_from(state["at"].as_u64().expect("a number")).expect("small");
        assert!(lines[at - 1].starts_with(&format!("Round {round}")));
    }
    assert!(text(&seen["before"]["now"]).starts_with("Round 3 of 4:"));
    assert!(text(&seen["after"]["now"]).starts_with("Round 4 of 4"));
    // The tree grows, and the claim under discussion is marked in it.
    assert_eq!(on[0]["tree"].as_array().expect("rows").len(), 1);
    assert_eq!(on[9]["tree"].as_array().expect("rows").len(), 5);
    assert_eq!(on[9]["current"], json!(["none of 2–17"]));
    // Rewards appear one after the other.
    let paid = |n: usize| {
        let rows = on[n]["rewards"].as_array().expect("rows");
        rows.iter()
            .map(|row| text(&row[5]).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(paid(4), ["", "", "", "", ""]);
    assert_eq!(paid(5), ["0", "", "", "", ""]);
    assert_eq!(paid(34), ["0", "0", "-0.0033", "", ""]);
    assert_eq!(paid(56), ["0", "0", "-0.0033", "+0.033", "0"]);
    assert!(text(&on[34]["strip"]).contains("so far -0.0033 to Alice"));
}

#[test]
fn the_page_as_it_is_runs_under_its_own_policy_and_is_printed() {
    let Some(browser) = chromium::browser() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let page = exported(dir.path(), "primes-estimator.ron");
    let address = format!("file://{}", page.display());
    let dom = chromium::run(&browser, &["--dump-dom"], &address);
    // Its script has run, which the root element shows. The page is at its end, so all events are visible.
    assert!(dom.contains("class=\"js\""), "the page's own script ran");
    let last = replayed(dir.path(), "primes-estimator.ron").len();
    assert!(dom.contains(&format!("data-event=\"{last}\"")));
    assert!(!dom.contains("class=\"later\""));
    // The print layout shows everything.
    let paper = dir.path().join("page.pdf");
    let print = format!("--print-to-pdf={}", paper.display());
    chromium::run(&browser, &["--no-pdf-header-footer", &print], &address);
    let bytes = fs::read(&paper).expect("a file");
    assert!(
        bytes.starts_with(b"%PDF") && bytes.len() > 20_000,
        "{}",
        bytes.len()
    );
}

#[test]
fn hostile_claims_are_harmless_in_a_browser() {
    let Some(browser) = chromium::browser() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let harm = "</script><script>document.title='owned'</script>\
                <img src=x onerror=document.title='owned'>\" onfocus='x' ]]>";
    let scenario = format!(
        "Scenario(format: 1, title: {harm:?}, problem: Argument(root: \"r\", claims: {{\
         \"r\": Claim(text: {harm:?}, supports: [Support(gate: All, on: [\"a\", \"b\"])]), \
         \"a\": Claim(text: {harm:?}, truth: true, estimate: 0.5), \
         \"b\": Claim(text: {harm:?}, truth: true, estimate: 0.5)}}))"
    );
    let file = dir.path().join("harm.ron");
    fs::write(&file, scenario).expect("a file");
    let saves = dir.path().join("saves");
    let file = file.to_str().expect("UTF-8");
    let said = say(&saves, &[file, "--json", "--seed", "7"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let save = fs::read_dir(&saves)
        .expect("a folder")
        .next()
        .expect("a save");
    let save = save.expect("an entry").path();
    let save = save.to_str().expect("UTF-8");
    let page = dir.path().join("page.html");
    let out = page.to_str().expect("UTF-8");
    let said = say(&saves, &["export", save, "--to", "html", "--out", out], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let address = format!("file://{}#event=9", page.display());
    let dom = chromium::run(&browser, &["--dump-dom"], &address);
    assert!(dom.contains("class=\"js\"") && dom.contains("data-event=\"9\""));
    assert!(!dom.contains("<img") && !dom.contains("<title>owned"));
    assert_eq!(dom.matches("<script").count(), 2);
    let picture = dir.path().join("screen.svg");
    let out = picture.to_str().expect("UTF-8");
    let said = say(&saves, &["export", save, "--to", "svg", "--out", out], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let address = format!("file://{}", picture.display());
    let dom = chromium::run(&browser, &["--dump-dom"], &address);
    assert!(dom.contains("<svg") && !dom.contains("<script") && !dom.contains("<img"));
}
