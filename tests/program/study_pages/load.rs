//! Many simultaneous participants of one study: each answer is accepted, and each session needs little memory.

use std::fs;
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

use super::{Client, invited, serve};
use crate::support::studies::{STUDY, study};

/// Number of threads that send answers.
const SENDERS: usize = 10;

fn megabytes(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    let number: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    number / 1024.0
}

/// Opens `open` sessions, and gives `answers` answers concurrently in every session. Prints the duration of an answer
/// and the memory of the server.
fn many_sessions(open: usize, answers: usize) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    // The speeches of built-in players are shown at an even pace; here no player speaks.
    let text = STUDY
        .replace("40", &open.to_string())
        .replace(
            "task: Debate(protocol: ProverEstimator(epsilon: 0.25, rho: 0.5), prover: \"honest\", opponent: \"calibrated\")",
            "task: Direct(shows: Evidence)",
        );
    study(&folder, &text);
    let links = invited(&folder, open);
    let most = open.to_string();
    let limits = [
        "--visitors",
        &most,
        "--per-address",
        &most,
        "--new-per-minute",
        "10000",
    ];
    let server = serve(&folder, &limits);
    let clients: Vec<Client> = links
        .iter()
        .map(|link| {
            let mut client = Client::new(&server.address);
            client.come(link);
            client
        })
        .collect();
    let memory = megabytes(server.id());
    println!("{open} open sessions: {memory:.0} MB");
    // The same address opens and closes other connections.
    let idle: Vec<TcpStream> = (0..2 * open)
        .filter_map(|_| TcpStream::connect(&server.address).ok())
        .collect();
    drop(idle);
    let begun = Instant::now();
    let given: usize = thread::scope(|scope| {
        let senders: Vec<_> = clients
            .chunks(open.div_ceil(SENDERS))
            .map(|clients| scope.spawn(move || each_answered(clients, answers)))
            .collect();
        let given = senders.into_iter().map(|it| it.join().unwrap());
        given.sum::<usize>()
    });
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{given} answers in {seconds:.1} s: {:.0} MB",
        megabytes(server.id())
    );
    assert_eq!(given, open * answers);
    assert!(memory < 200.0, "{memory} MB");
}

/// Gives `answers` answers as each participant. Returns the number that the server accepted.
fn each_answered(clients: &[Client], answers: usize) -> usize {
    let mut taken = 0;
    for _ in 0..answers {
        for client in clients {
            let page = client.get("/");
            if page.is_last() {
                continue;
            }
            let answer = client.answer(&page, &page.answer());
            assert_eq!(answer.status, 303, "{}", answer.body);
            taken += 1;
        }
    }
    taken
}

#[test]
fn twenty_sessions_are_open_and_answered_at_once() {
    many_sessions(20, 3);
}

/// `cargo test --release --features web --test suite five_hundred -- --ignored --nocapture` prints the figures.
#[test]
#[ignore = "exhaustive: 20 s; every day: twenty_sessions_are_open_and_answered_at_once"]
fn five_hundred_sessions_are_open_and_answered_at_once() {
    many_sessions(500, 6);
}
