//! Serves 201 participants in groups of three from one process. Prints the memory of the server, and the median and
//! the 95th percentile of the time in which it accepts an answer and of the time in which it shows a page.
//!
//! `cargo bench --bench groups --features web`

#[allow(dead_code, reason = "tests use the other functions")]
#[path = "../program/study_pages/client.rs"]
mod client;
#[allow(dead_code, reason = "tests use the other functions")]
#[path = "../support/web_server.rs"]
mod web_server;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use client::Client;
use debate_study::create_example_study;
use serde_json::json;
use web_server::Server;

/// Number of participants: 67 groups of three.
const PARTICIPANTS: usize = 201;
/// Number of threads that act for participants.
const SENDERS: usize = 10;

const STUDY: &str = r#"Study(
    format: 1, id: "groups", title: "Debating together", stage: Pilot, seed: 3,
    roles: [Prover, Opponent, Judge],
    group: (wait_s: 3600, turn_s: 3600, cents: 40),
    conditions: [
        (id: "alone", shown_as: "Task K", task: Direct(shows: Question)),
        (id: "argued", shown_as: "Task M", task: Debate(protocol: Speeches(rounds: 2, simultaneous: true, judge_feedback: true))),
    ],
    items: (questions: "set.jsonl"),
    design: Within(blocks: 1),
    flow: [Consent("consent.md"), Trials, Debrief(reveal: true)],
    response: Probability(confirm: false),
    target: (participants: 201), stop: Participants(201),
    analysis: (primary: Difference(measure: Brier, of: "argued", against: "alone")),
)"#;

/// The times of the requests of some participants.
#[derive(Default)]
struct Times {
    answers: Vec<Duration>,
    pages: Vec<Duration>,
}

fn main() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("pilot");
    create_example_study(&folder).expect("a new folder");
    fs::write(folder.join("study.ron"), STUDY).expect("a file");
    let rows = (0..8).map(|number| {
        let row = json!({
            "id": format!("q{number}"), "question": format!("Question {number}?"), "answers": ["Yes", "No"],
            "correct": number % 2, "source": "The roof was wet. The cellar was dry.",
        });
        row.to_string()
    });
    let rows: Vec<String> = rows.collect();
    fs::write(folder.join("set.jsonl"), rows.join("\n")).expect("a file");
    let links = invited(&folder);
    let most = PARTICIPANTS.to_string();
    let path = folder.to_str().expect("UTF-8");
    let limits = [
        "--visitors",
        &most,
        "--per-address",
        &most,
        "--new-per-minute",
        "10000",
    ];
    let server = Server::start(&folder, &[&["study", "serve", path], &limits[..]].concat());
    let begun = Instant::now();
    let address = server.address.as_str();
    let times = thread::scope(|scope| {
        let senders: Vec<_> = links
            .chunks(PARTICIPANTS.div_ceil(SENDERS))
            .map(|links| scope.spawn(move || take_part(address, links)))
            .collect();
        let mut all = Times::default();
        for sender in senders {
            let own = sender.join().expect("a sender");
            all.answers.extend(own.answers);
            all.pages.extend(own.pages);
        }
        all
    });
    println!(
        "{PARTICIPANTS} sessions in groups of three: {} answers in {:.1} s; memory {}",
        times.answers.len(),
        begun.elapsed().as_secs_f64(),
        memory(server.id())
    );
    print_times("an answer", times.answers);
    print_times("a page", times.pages);
}

/// Returns the links of all participants.
fn invited(folder: &Path) -> Vec<String> {
    let invited = Command::new(env!("CARGO_BIN_EXE_debate-tui"))
        .args(["study", "invite", folder.to_str().expect("UTF-8"), "-n"])
        .arg(PARTICIPANTS.to_string())
        .output()
        .expect("the program starts");
    let links = String::from_utf8(invited.stdout).expect("UTF-8");
    let query = |link: &str| link.split_once('?').expect("a query").1.to_owned();
    links.lines().map(query).collect()
}

/// Takes part as several participants, until all of their sessions are over.
fn take_part(address: &str, links: &[String]) -> Times {
    let mut times = Times::default();
    let mut running: Vec<Client> = links
        .iter()
        .map(|link| {
            let mut client = Client::new(address);
            client.come(link);
            client
        })
        .collect();
    while !running.is_empty() {
        running.retain(|client| {
            let asked = Instant::now();
            let page = client.get("/");
            times.pages.push(asked.elapsed());
            if page.is_last() {
                assert_eq!(page.heading(), "The end", "{}", page.body);
                return false;
            }
            if !page.body.contains("data-poll=") {
                let answered = Instant::now();
                let accepted = client.answer(&page, &page.answer());
                times.answers.push(answered.elapsed());
                assert_eq!(accepted.status, 303, "{}", accepted.body);
            }
            true
        });
    }
    times
}

/// Returns the current and the largest resident memory of a process; "unknown" outside of Linux.
fn memory(process: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let megabytes = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes / 1024.0)
    };
    match megabytes("VmRSS:").zip(megabytes("VmHWM:")) {
        Some((now, most)) => format!("{now:.0} MB, at most {most:.0} MB"),
        None => "unknown".to_owned(),
    }
}

fn print_times(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let ms = |percent: usize| {
        let index = (times.len() * percent / 100).min(times.len() - 1);
        times[index].as_secs_f64() * 1000.0
    };
    println!(
        "{name}: {:.1} ms in the median, {:.1} ms at the 95th percentile",
        ms(50),
        ms(95)
    );
}
