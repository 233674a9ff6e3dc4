//! Pages during an outage of the server, or of a proxy in front of it; and the limits that keep the server responsive.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::{Client, Pilot, Response, serve};
use crate::support::studies::STUDY;

const SCRIPT: &str = include_str!("../../../src/web/study/study.js");
const RUNNER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/program/study_pages/poll.mjs"
);

/// The actions of a page that waits in the state `one` and gets these responses; `None` without Node.
fn polled(responses: &[Value]) -> Option<Value> {
    let mut node = Command::new("node")
        .arg(RUNNER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .inspect_err(|_| eprintln!("skipped: there is no node"))
        .ok()?;
    let input = json!({"script": SCRIPT, "state": "one", "responses": responses});
    let mut to = node.stdin.take().expect("a pipe");
    to.write_all(input.to_string().as_bytes()).expect("a pipe");
    drop(to);
    let output = node.wait_with_output().expect("an end");
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// A page of the study in a state.
fn page(state: &str) -> Value {
    let body = format!("<html><body data-study data-poll=\"4\" data-state=\"{state}\">");
    json!({"status": 200, "body": body})
}

#[test]
fn a_waiting_page_retries_until_the_study_answers() {
    let failures = [
        json!({"status": 502, "body": "<html><body>502 Bad Gateway</body></html>"}),
        Value::Null,
        json!({"status": 503, "body": "<html><body data-study>Not now"}),
        json!({"status": 403, "body": "<html><body data-study>Not now"}),
        // A proxy's page with status 200 is not a page of the study.
        json!({"status": 200, "body": "<html><body>Down for maintenance</body></html>"}),
    ];
    let responses = [&[page("one")], &failures[..], &[page("one"), page("two")]].concat();
    let Some(seen) = polled(&responses) else {
        return;
    };
    // The first two pauses are those of a page that waits; then each failure doubles the pause, up to a limit.
    assert_eq!(
        seen["pauses"],
        json!([4, 4, 8, 16, 30, 30, 30, 4]),
        "{seen}"
    );
    assert_eq!(
        seen["reconnecting"],
        json!([false, true, true, true, true, true, false]),
        "{seen}"
    );
    assert_eq!(seen["loaded"], true);
}

#[test]
fn a_waiting_page_reloads_when_the_study_has_a_question() {
    let asks = json!({"status": 200, "body": "<html><body data-study><form>"});
    for responses in [vec![asks.clone()], vec![Value::Null, asks]] {
        let Some(seen) = polled(&responses) else {
            return;
        };
        assert_eq!(seen["loaded"], true, "{seen}");
    }
}

/// The remaining time changes on a page that waits, without loading the page again.
#[test]
fn a_waiting_page_updates_the_remaining_time() {
    let at = |time: &str| {
        let body = format!(
            "<html><body data-study data-poll=\"4\" data-state=\"one\"><p id=\"wait-left\" role=\"timer\" dir=\"auto\">{time}</p>"
        );
        json!({"status": 200, "body": body})
    };
    let times = ["5 minutes", "4 minutes &amp; less", "1 minute"];
    let mut responses: Vec<Value> = times.iter().map(|time| at(time)).collect();
    responses.extend([Value::Null, page("one"), page("one")]);
    let Some(seen) = polled(&responses) else {
        return;
    };
    // A page without a remaining time, or no page, changes nothing.
    let expected = [times[0], times[1], times[2], times[2], times[2], times[2]];
    assert_eq!(seen["left"], json!(expected), "{seen}");
    assert_eq!(seen["loaded"], false, "{seen}");
}

/// A browser without a script also comes back.
#[test]
fn a_refusal_has_a_retry_time_that_browsers_obey_without_script() {
    let pilot = Pilot::new(STUDY, 2);
    let server = serve(&pilot.folder, &["--visitors", "1"]);
    let mut first = Client::new(&server.address);
    first.come(&pilot.links[0]);
    let refused = Client::new(&server.address).come(&pilot.links[1]);
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.header("retry-after"), Some("10"));
    assert_eq!(refused.header("refresh"), Some("10"));
}

/// Restarts the server of a study with `open` active sessions, with limits that leave no room for new ones. Every page
/// is shown and every answer is accepted, from `at_once` concurrent clients.
fn sessions_outlive_a_restart(open: usize, at_once: usize, limits: &[&str]) {
    let text = STUDY.replace("40", &open.to_string());
    let pilot = Pilot::new(&text, open + 1);
    let all = (open + 1).to_string();
    let wide = [
        "--visitors",
        &all,
        "--per-address",
        &all,
        "--new-per-minute",
        "10000",
    ];
    let server = serve(&pilot.folder, &wide);
    let mut clients: Vec<Client> = (0..open).map(|_| Client::new(&server.address)).collect();
    for (client, link) in clients.iter_mut().zip(&pilot.links) {
        assert_eq!(client.come(link).status, 200);
    }
    drop(server);
    let server = serve(&pilot.folder, limits);
    for client in &mut clients {
        client.address.clone_from(&server.address);
    }
    let continues = |client: &Client| {
        let page = client.get("/");
        let taken = client.answer(&page, &page.answer());
        let link = client.get("/");
        [page.status, taken.status, link.status]
    };
    let refused = thread::scope(|scope| {
        let clients = clients.chunks(open.div_ceil(at_once));
        let threads: Vec<_> = clients
            .map(|clients| scope.spawn(move || clients.iter().map(continues).collect::<Vec<_>>()))
            .collect();
        let all = threads.into_iter().flat_map(|it| it.join().unwrap());
        all.filter(|statuses| *statuses != [200, 303, 200]).count()
    });
    assert_eq!(refused, 0, "of {open}");
    // The link of a participant who has begun also works, and a new session has to wait.
    assert_eq!(clients[0].come(&pilot.links[0]).status, 200);
    let newcomer = Client::new(&server.address).come(&pilot.links[open]);
    assert_eq!(newcomer.status, 503, "{}", newcomer.body);
}

#[test]
fn sessions_under_way_are_not_refused_after_a_restart() {
    let limits = [
        "--visitors",
        "4",
        "--per-address",
        "2",
        "--new-per-minute",
        "1",
    ];
    sessions_outlive_a_restart(20, 5, &limits);
}

#[test]
#[ignore = "exhaustive: 60 s; every day: sessions_under_way_are_not_refused_after_a_restart"]
fn five_hundred_sessions_under_way_are_not_refused_after_a_restart() {
    sessions_outlive_a_restart(500, 100, &[]);
}

const FROM: [&str; 2] = ["--address-header", "X-Forwarded-For"];

/// Sends a request from this address, as a proxy forwards it, without waiting for the response.
fn request_from(client: &Client, address: &str, method: &str, rest: &str) -> TcpStream {
    let head = client.head(method, "/");
    let request = format!("{head}X-Forwarded-For: {address}\r\n{rest}");
    let mut stream = TcpStream::connect(&client.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// The status line of the response.
fn status_of(mut stream: TcpStream) -> String {
    let mut text = String::new();
    // A refused connection may be reset after its response.
    let _ = stream.read_to_string(&mut text);
    text.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn slow_answers_of_one_address_behind_a_proxy_leave_room_for_others() {
    let pilot = Pilot::new(STUDY, 1);
    let server = serve(&pilot.folder, &FROM);
    let mut client = Client::new(&server.address);
    client.come(&pilot.links[0]);
    let stranger = Client::new(&server.address);
    let part = "Content-Length: 100\r\n\r\ntoken=";
    let slow: Vec<TcpStream> = (0..80)
        .map(|_| request_from(&stranger, "10.0.0.1", "POST", part))
        .collect();
    // An address may hold an eighth of 512 connections; the other ones are refused at once.
    let statuses: Vec<String> = slow.into_iter().rev().map(status_of).collect();
    let count = |status: &str| statuses.iter().filter(|it| it.contains(status)).count();
    assert_eq!((count(" 503 "), count(" 408 ")), (16, 64), "{statuses:?}");
    let slow: Vec<TcpStream> = (0..80)
        .map(|_| request_from(&stranger, "10.0.0.1", "POST", part))
        .collect();
    // Meanwhile the server serves another address, and a participant of the same address.
    for (who, address) in [(&stranger, "10.0.0.2"), (&client, "10.0.0.1")] {
        let shown = request_from(who, address, "GET", "\r\n");
        let wanted = if who.cookie.is_some() {
            " 200 "
        } else {
            " 403 "
        };
        assert!(status_of(shown).contains(wanted), "{address}");
    }
    drop(slow);
}

const SECURITY: [&str; 5] = [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "x-frame-options",
    "cache-control",
];

fn is_guarded(response: &Response) -> bool {
    SECURITY.iter().all(|name| response.header(name).is_some())
}

#[test]
fn every_refusal_has_the_security_headers_and_two_hosts_are_refused() {
    let pilot = Pilot::new(STUDY, 1);
    let game = tempfile::tempdir().unwrap();
    for server in [
        serve(&pilot.folder, &["--base", "/pilot"]),
        crate::support::web_server::Server::start(game.path(), &["web", "primes"]),
    ] {
        let client = Client::new(&server.address);
        let host = format!("Host: {}\r\n", server.address);
        for (head, status) in [
            ("PUT /", 405),
            ("DELETE /pilot/", 405),
            ("POST /pilot/status", 403),
            ("GET /nothing", 404),
            ("GET /pilot", 308),
            ("GET /pilot/", 403),
        ] {
            let response = client.send(format!("{head} HTTP/1.1\r\n{host}\r\n").as_bytes());
            let is_known = response.status == status || response.status == 404;
            assert!(is_known || response.status == 405, "{head}: {response:?}");
            assert!(is_guarded(&response), "{head}: {response:?}");
        }
        // The server cannot parse these requests, so they reach no route.
        for request in ["GET / HTTP/1.1\r\nno header\r\n\r\n", "nonsense\r\n\r\n"] {
            let response = client.send(request.as_bytes());
            assert_eq!(response.status, 400, "{request}");
            assert!(is_guarded(&response), "{request}: {response:?}");
        }
        let other = "Host: evil.example\r\n";
        let origin = format!("Origin: http://{}\r\n", server.address);
        for headers in [
            format!("{host}{other}"),
            format!("{other}{host}"),
            format!("{host}{host}"),
            format!("{host}{origin}{origin}"),
            String::new(),
        ] {
            let request = format!("GET / HTTP/1.1\r\n{headers}\r\n");
            let response = client.send(request.as_bytes());
            assert_eq!(response.status, 400, "{headers}");
            assert!(is_guarded(&response), "{response:?}");
        }
    }
}

/// Without a free file descriptor, the process refuses a valid link only temporarily.
#[cfg(target_os = "linux")]
#[test]
fn a_valid_link_is_not_refused_for_good_without_file_descriptors() {
    use crate::support::patience::wait_until;
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
    let pilot = Pilot::new(STUDY, 2);
    let server = serve(&pilot.folder, &[]);
    let mut client = Client::new(&server.address);
    let page = client.come(&pilot.links[0]);
    let id = Pid::from_raw(i32::try_from(server.id()).unwrap());
    let before = getrlimit(Resource::Nofile);
    let set = |current: u64| {
        let limit = Rlimit {
            current: Some(current),
            ..before
        };
        prlimit(id, Resource::Nofile, limit).unwrap();
    };
    let is_open =
        |number: &u64| std::fs::exists(format!("/proc/{}/fd/{number}", server.id())).unwrap();
    let stranger = Client::new(&server.address);
    // There is one descriptor for the connection, and none for a file. Earlier connections may still be open.
    let refused = wait_until("a refusal", || {
        let lowest = (0..1_000_000).find(|number| !is_open(number)).unwrap();
        set(lowest + 1);
        let response = stranger.get(&format!("/?{}", pilot.links[1]));
        (response.status != 303).then_some(response)
    });
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.header("retry-after"), Some("10"));
    assert_eq!(refused.header("refresh"), Some("10"));
    set(before.current.unwrap());
    assert_eq!(stranger.clone().come(&pilot.links[1]).status, 200);
    assert_eq!(client.get("/").body, page.body);
}
