//! What many participants take: memory, and the time until an answer is on the disk.

use std::fs;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::{Client, invited, serve};
use crate::support::studies::{STUDY, study};

/// Sessions that are open at once.
const OPEN: usize = 500;
/// Answers a second, and for so many seconds.
const RATE: u32 = 50;
const SECONDS: u32 = 60;
/// Threads that send them.
const SENDERS: u32 = 10;

fn megabytes(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    let number: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    number / 1024.0
}

/// Milliseconds below which this share of the times lies.
fn quantile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "few"
    )]
    let place = ((times.len() - 1) as f64 * share).round() as usize;
    times[place].as_secs_f64() * 1000.0
}

/// `cargo test --release --features web --test suite five_hundred -- --ignored --nocapture`
#[test]
#[ignore = "two minutes, and figures that mean something on a quiet machine alone"]
fn five_hundred_sessions_are_open_and_fifty_answers_come_a_second() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    // What others say comes after an even time; here nobody else speaks.
    let text = STUDY
        .replace("40", "500")
        .replace(
            "task: Debate(protocol: ProverEstimator(epsilon: 0.25, rho: 0.5), prover: \"honest\", opponent: \"calibrated\")",
            "task: Direct(shows: Evidence)",
        );
    study(&folder, &text);
    let links = invited(&folder, OPEN);
    let limits = [
        "--visitors",
        "500",
        "--per-address",
        "500",
        "--new-per-minute",
        "10000",
    ];
    let server = serve(&folder, &limits);
    let began = Instant::now();
    let clients: Vec<Client> = links
        .iter()
        .map(|link| {
            let mut client = Client::new(&server.address);
            client.come(link);
            client
        })
        .collect();
    println!("{OPEN} came in {:.1} s", began.elapsed().as_secs_f64());
    let open = megabytes(server.id());
    println!("{OPEN} open sessions: {open:.0} MB");
    // Heads that never end, of the same address, while answers are given.
    let idle: Vec<TcpStream> = (0..1000)
        .filter_map(|_| TcpStream::connect(&server.address).ok())
        .collect();
    drop(idle);
    let began = Instant::now();
    let gap = Duration::from_secs(1) / (RATE / SENDERS);
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let senders: Vec<_> = clients
            .chunks(OPEN / SENDERS as usize)
            .map(|clients| {
                scope.spawn(move || {
                    let mut times = Vec::new();
                    let mut turns = clients.iter().cycle();
                    while began.elapsed() < Duration::from_secs(SECONDS.into()) {
                        let client = turns.next().expect("somebody");
                        let page = client.get("/");
                        if page.is_last() {
                            continue;
                        }
                        let due = gap * u32::try_from(times.len()).unwrap();
                        thread::sleep(due.saturating_sub(began.elapsed()));
                        let sent = Instant::now();
                        let taken = client.answer(&page, &page.answer());
                        let took = sent.elapsed();
                        if took > Duration::from_millis(100) {
                            println!("{took:?} after “{}”", page.heading());
                        }
                        times.push(took);
                        assert_eq!(taken.status, 303, "{}", taken.body);
                    }
                    times
                })
            })
            .collect();
        senders
            .into_iter()
            .flat_map(|it| it.join().unwrap())
            .collect()
    });
    let a_second = f64::from(u32::try_from(times.len()).unwrap()) / began.elapsed().as_secs_f64();
    let [middle, late] = [0.5, 0.95].map(|share| quantile(&mut times, share));
    println!(
        "{} answers, {a_second:.1} a second: {middle:.1} ms in the middle, {late:.1} ms for 95 of 100; {:.0} MB",
        times.len(),
        megabytes(server.id())
    );
    assert!(open < 200.0 && late < 50.0 && a_second > 48.0);
}
