//! `study serve`: whole sessions by forms without a script, interrupted at every page, with repeated and forged
//! answers, blinded byte by byte. Also checks who may join and which pages they can reach.

pub mod client;
mod dashboard;
mod groups;
mod languages;
mod live;
mod load;
mod media;
mod models;
mod outages;
mod screening;

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread;

use debate_study::{
    LiveOrSimulated, Study, StudySessionStatus, create_example_study, read_log,
    read_session_status_and_records,
};

use tempfile::TempDir;

use crate::support::patience::wait_until;
use crate::support::program::{path, say};
use crate::support::studies::{STUDY, indistinguishable, study};
use crate::support::web_server::Server;
use client::{Client, Response};

/// The links of `count` invited participants, from after the `?`.
pub fn invited(folder: &Path, count: usize) -> Vec<String> {
    let count = count.to_string();
    let arguments = ["study", "invite", path(folder), "-n", &count];
    let links = say(folder, &arguments, "");
    let query = |link: &str| link.split_once('?').expect("a query").1.to_owned();
    links.out.lines().map(query).collect()
}

pub fn serve(folder: &Path, more: &[&str]) -> Server {
    Server::start(folder, &[&["study", "serve", path(folder)], more].concat())
}

/// A study in a separate folder, and the links of its invited participants.
struct Pilot {
    dir: TempDir,
    folder: PathBuf,
    links: Vec<String>,
}

impl Pilot {
    fn new(text: &str, count: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("pilot");
        study(&folder, text);
        let links = invited(&folder, count);
        Self { dir, folder, links }
    }
}

fn log_of(folder: &Path, session: &str) -> std::path::PathBuf {
    let study = Study::load(folder).unwrap();
    study.folder.log_file(LiveOrSimulated::Live, session)
}

#[test]
fn killed_form_sessions_count_each_answer_once_on_the_first_pages() {
    session_by_forms(12);
}

#[test]
#[ignore = "exhaustive: 30 s; every day: killed_form_sessions_count_each_answer_once_on_the_first_pages"]
fn killed_form_sessions_count_each_answer_once_on_every_page() {
    session_by_forms(usize::MAX);
}

/// A session of the example by forms alone. The server is killed and started at each of its pages, up to this number.
/// Every answer is sent twice, and a second window that is still open sends another one.
fn session_by_forms(pages: usize) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    create_example_study(&folder).unwrap();
    let link = invited(&folder, 1).remove(0);
    let mut server = serve(&folder, &[]);
    let mut client = Client::new(&server.address);
    let mut page = client.come(&link);
    let mut headings = BTreeSet::new();
    let mut answers = 0;
    while !page.is_last() && answers < pages {
        assert_eq!(page.status, 200);
        assert!(!page.body.contains("debate-tui"), "{}", page.body);
        headings.insert(page.heading().to_owned());
        let again = client.get("/");
        assert_eq!(again.body, page.body, "loaded again, it is the same");
        server.kill();
        server = serve(&folder, &[]);
        client.address.clone_from(&server.address);
        assert_eq!(client.get("/").body, page.body, "so it is after a kill");
        let next = client.go_on(&page);
        answers += 1;
        // Two equal answers, as from a double click, count once. Another answer to the same page does not count.
        let twice = client.answer(&page, &page.answer());
        assert_eq!(twice.status, 303, "{}", twice.body);
        let late = client.answer(&page, &[("leave", "1".to_owned())]);
        assert_eq!(late.status, 303);
        let late = client.get("/");
        if next.is_last() {
            assert!(late.is_last());
        } else {
            assert!(
                late.body.contains("already answered that page"),
                "{}",
                late.body
            );
        }
        let token = page.token();
        let (signed, last) = token.split_at(token.len() - 1);
        let other = if last == "0" { "1" } else { "0" };
        let forged = client.post(&[("token", &format!("{signed}{other}"))]);
        assert_eq!(forged.status, 303);
        let forged = client.get("/");
        assert!(
            next.is_last() || forged.body.contains("was not saved"),
            "{}",
            forged.body
        );
        assert_eq!(client.get("/").body, next.body);
        page = next;
    }
    let (status, records) = read_session_status_and_records(&log_of(&folder, "s0000")).unwrap();
    let inputs = records
        .iter()
        .filter(|record| record.payload_value("input").is_some());
    // The first input is the size of the window, which this page does not request.
    assert_eq!(inputs.count(), answers + 1);
    if !page.is_last() {
        assert_eq!(answers, pages);
        return;
    }
    assert_eq!(status, StudySessionStatus::Complete);
    assert!(headings.contains("A break") && headings.contains("A short check"));
    assert!(answers > 40, "{answers}");
    // Without a script the reading time is unknown, and the log contains no guess.
    assert!(
        records
            .iter()
            .skip_while(|record| record.kind != "consent")
            .all(|record| record.t_active_ms.is_none())
    );
    let report = say(&folder, &["study", "export", path(&folder)], "");
    assert_eq!(report.code, Some(0), "{report:?}");
    let trials =
        fs::read_to_string(folder.join("export/data/study-pilot01_description-trials_data.csv"))
            .unwrap();
    let mut rows = trials.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap();
    let active = names.iter().position(|name| *name == "active_s").unwrap();
    let elapsed = names.iter().position(|name| *name == "elapsed_s").unwrap();
    let cells: Vec<(&str, &str)> = rows.map(|row| (row[active], row[elapsed])).collect();
    assert!(cells.len() >= 9 && cells.iter().all(|(active, _)| active.is_empty()));
    assert!(cells.iter().any(|(_, elapsed)| !elapsed.is_empty()));
}

/// The log contains the time that the page's script counts, up to the time that has passed.
#[test]
fn counted_time_is_saved_and_at_most_the_elapsed_time() {
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = Pilot::new(STUDY, 1);
    let link = &links[0];
    let server = serve(&folder, &[]);
    let mut client = Client::new(&server.address);
    let page = client.come(link);
    let active = |ms: &str| [("choice", "0".to_owned()), ("active", ms.to_owned())];
    assert_eq!(client.answer(&page, &active("1")).status, 303);
    let page = client.get("/");
    let far = [
        ("percent", "70".to_owned()),
        ("active", "999999999".to_owned()),
    ];
    assert_eq!(client.answer(&page, &far).status, 303);
    let records = read_log(&log_of(&folder, "s0000")).unwrap().records;
    let times: Vec<_> = records
        .iter()
        .map(|it| (it.t_mono_ms, it.t_active_ms))
        .collect();
    for (mono, active) in &times {
        assert!(active.is_some_and(|active| active <= *mono), "{times:?}");
    }
    assert_eq!(times[2].1, Some(times[1].1.unwrap() + 1), "{times:?}");
}

/// A refused answer is explained on the page itself, which keeps the input. The page explains the effects of pausing
/// and of leaving.
#[test]
fn invalid_answers_and_leaving_are_explained_on_the_page() {
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = Pilot::new(STUDY, 1);
    let link = &links[0];
    let server = serve(&folder, &[]);
    let mut client = Client::new(&server.address);
    let consent = client.come(link);
    // No choice, or a choice that does not exist.
    for answer in [
        vec![],
        vec![("choice", "9".to_owned())],
        vec![("text", "x".to_owned())],
    ] {
        assert_eq!(client.answer(&consent, &answer).status, 303);
        let refused = client.get("/");
        assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
        assert_eq!(client.get("/").body, consent.body, "it is said once");
    }
    let page = client.go_on(&consent);
    for (typed, said) in [
        ("many<b>", "Type a whole percentage"),
        ("100", "would mean “certain”"),
    ] {
        let refused = client.answer(&page, &[("percent", typed.to_owned())]);
        assert_eq!(refused.status, 303);
        let refused = client.get("/");
        assert!(refused.body.contains(said), "{}", refused.body);
        let kept = typed.replace('<', "&lt;").replace('>', "&gt;");
        assert!(
            refused.body.contains(&format!("value=\"{kept}\"")),
            "{}",
            refused.body
        );
        assert_eq!(refused.token(), page.token());
        assert_eq!(client.get("/").body, page.body, "it is said once");
    }
    // For a number between 0 and 1 the page asks for confirmation.
    assert_eq!(
        client
            .answer(&page, &[("percent", "0.5".to_owned())])
            .status,
        303
    );
    let asked = client.get("/");
    assert!(
        asked
            .body
            .contains("You typed 0.5. Do you mean 50 percent?"),
        "{}",
        asked.body
    );
    // Leaving needs a confirmation. A page for pausing says how to come back.
    let leaving = client.answer(&asked, &[("leave", "1".to_owned())]);
    assert_eq!(leaving.status, 303);
    let leaving = client.get("/");
    assert!(!leaving.body.contains("name=\"leave\""), "{}", leaving.body);
    let paused = client.answer(&leaving, &[("choice", "1".to_owned())]);
    assert_eq!(paused.status, 303);
    assert_eq!(client.get("/").heading(), "Paused");
    let back = client.come(link);
    assert!(back.body.contains("You typed 0.5."), "{}", back.body);
    client.answer(&back, &[("leave", "1".to_owned())]);
    let end = client.answer(&client.get("/"), &[("choice", "2".to_owned())]);
    assert_eq!(end.status, 303);
    assert!(
        client
            .get("/")
            .body
            .contains("You have stopped taking part.")
    );
}

#[test]
fn digits_of_every_script_are_numbers_on_a_page() {
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = Pilot::new(STUDY, 1);
    let server = serve(&folder, &[]);
    let mut client = Client::new(&server.address);
    let mut page = client.go_on_from(&links[0]);
    // Arabic-Indic digits, then full-width ones.
    for typed in ["\u{666}\u{660}", "\u{FF16}\u{FF10}\u{FF05}"] {
        let answer = client.answer(&page, &[("percent", typed.to_owned())]);
        assert_eq!(answer.status, 303);
        let records = read_log(&log_of(&folder, "s0000")).unwrap().records;
        let last = records.last().unwrap();
        assert_eq!(last.payload_value("percent"), Some(&serde_json::json!(60)));
        page = client.get("/");
    }
}

#[test]
fn the_time_of_a_page_before_a_kill_of_the_server_counts() {
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = Pilot::new(STUDY, 1);
    let mut server = serve(&folder, &[]);
    let mut client = Client::new(&server.address);
    let consent = client.come(&links[0]);
    let page = client.go_on(&consent);
    let answered = read_log(&log_of(&folder, "s0000")).unwrap().records;
    let answered = answered.last().unwrap().t_mono_ms;
    // The server records the time of the page while no answer arrives.
    let study = Study::load(&folder).unwrap();
    let shown = wait_until("the time of the page is kept", || {
        let shown = study.folder.stored_session_clock_ms("s0000");
        shown.filter(|shown| *shown > answered)
    });
    server.kill();
    server = serve(&folder, &[]);
    client.address.clone_from(&server.address);
    assert_eq!(client.get("/").body, page.body);
    client.go_on(&page);
    let records = read_log(&log_of(&folder, "s0000")).unwrap().records;
    let [.., resumed, next] = records.as_slice() else {
        panic!("{records:?}");
    };
    assert_eq!(resumed.kind, "resume");
    assert!(resumed.t_mono_ms >= shown && next.t_mono_ms >= resumed.t_mono_ms);
}

/// The head and the body of a response, without random parts: tokens and the time.
fn normalised(response: &Response) -> String {
    let headers = response.headers.iter();
    let headers = headers.filter(|(name, _)| name != "date");
    let mut text = format!(
        "{} {:?}\n{}",
        response.status,
        headers.collect::<Vec<_>>(),
        response.body
    );
    while let Some((before, rest)) = text.split_once("name=\"token\" value=\"") {
        let (token, after) = rest.split_once('"').expect("an end");
        text = format!("{before}<token of {}>{after}", token.len());
    }
    text
}

/// Blinding byte by byte: studies that differ only in sealed fields give equal responses, including heads and lengths.
#[test]
fn browser_pages_are_independent_of_truths_and_players() {
    let dir = tempfile::tempdir().unwrap();
    let folders = indistinguishable(dir.path());
    let [(one, debrief), (other, other_debrief)] = pages_before_the_debrief(&folders);
    assert!(one.len() > 20, "{}", one.len());
    assert!(
        one.iter().any(|page| page.contains("<meter")),
        "claims with bars"
    );
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
    assert_eq!(one.len(), other.len());
    assert_ne!(debrief, other_debrief, "the debrief tells what was right");
}

/// The normalised responses of a whole session of each of two studies, and the next page, which is the debrief. The
/// pages of a debate come at an even pace, so both sessions run at the same time.
fn pages_before_the_debrief(folders: &[PathBuf; 2]) -> [(Vec<String>, String); 2] {
    let session = |folder: &Path| {
        let link = invited(folder, 1).remove(0);
        let server = serve(folder, &[]);
        let mut client = Client::new(&server.address);
        let mut page = client.come(&link);
        let mut seen = vec![normalised(&page)];
        while page.heading() != "What this was about" {
            let taken = client.answer(&page, &page.answer());
            seen.push(normalised(&taken));
            page = client.get("/");
            seen.push(normalised(&page));
        }
        seen.pop();
        (seen, page.body)
    };
    thread::scope(|scope| {
        let sessions = folders
            .each_ref()
            .map(|folder| scope.spawn(|| session(folder)));
        sessions.map(|session| session.join().unwrap())
    })
}

/// One participant in two windows of a browser, and one who sends another participant's form: each can answer only in
/// their own session.
#[test]
fn forged_foreign_large_and_slow_forms_are_refused_with_a_page() {
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = Pilot::new(STUDY, 2);
    let server = serve(&folder, &[]);
    let mut owner = Client::new(&server.address);
    let mut thief = owner.clone();
    let own = owner.come(&links[0]);
    thief.come(&links[1]);
    // The body of this request never arrives. The server waits ten seconds for it and serves the others meanwhile.
    let mut slow = TcpStream::connect(&server.address).unwrap();
    let head = format!(
        "{}Content-Length: 100\r\n\r\ntoken=",
        owner.head("POST", "/")
    );
    slow.write_all(head.as_bytes()).unwrap();
    // A stolen token with the thief's own cookie, and the thief's own name with a stolen secret.
    let stolen = thief.answer(&own, &own.answer());
    assert_eq!(stolen.status, 303);
    let stolen = thief.get("/");
    assert!(stolen.body.contains("was not saved"), "{}", stolen.body);
    let mut forged = owner.clone();
    let cookie = owner.cookie.clone().unwrap();
    forged.cookie = Some(cookie.replace("invited.", "link."));
    assert_eq!(forged.get("/").status, 403);
    forged.cookie = None;
    assert_eq!(forged.get("/").status, 403);
    assert_eq!(
        forged
            .post(&[("token", &own.token()), ("choice", "0")])
            .status,
        403
    );
    assert_eq!(owner.get("/").body, own.body, "nothing was taken");
    // A page of another site.
    let body = format!("token={}&choice=0", own.token());
    let foreign = |origin: &str, host: &str| {
        let head = owner
            .head("POST", "/")
            .replace(&format!("Host: {}", server.address), host);
        let length = body.len();
        let request = format!("{head}Origin: {origin}\r\nContent-Length: {length}\r\n\r\n{body}");
        owner.send(request.as_bytes())
    };
    let host = format!("Host: {}", server.address);
    for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
        assert_eq!(foreign(origin, &host).status, 403, "{origin}");
    }
    let own_origin = format!("http://{}", server.address);
    assert_eq!(foreign(&own_origin, "Host: evil.example").status, 403);
    // This answer is too long.
    let large = owner.post(&[("token", &own.token()), ("text", &"x".repeat(70_000))]);
    assert_eq!(large.status, 413);
    assert!(large.body.contains("too long"), "{}", large.body);
    let next = owner.go_on(&own);
    assert_ne!(next.body, own.body, "nobody waits for somebody slow");
    let mut refused = String::new();
    slow.read_to_string(&mut refused).unwrap();
    assert!(
        refused.starts_with("HTTP/1.1 408") && refused.contains("<h1>"),
        "{refused}"
    );
    for path in [
        "/../study.ron",
        "/study.ron",
        "/data/raw/s0000.jsonl",
        "/private/link.key",
        "/page-1",
    ] {
        let nothing = owner.get(path);
        assert_eq!(nothing.status, 404, "{path}");
        assert!(nothing.body.contains("<h1>Page not found</h1>"));
    }
    let records = read_log(&log_of(&folder, "s0001")).unwrap().records;
    assert_eq!(records.iter().filter(|it| it.kind == "consent").count(), 0);
}

/// The holder of the signed link can put any name in it, but reaches no other participant's session.
#[test]
fn a_name_in_a_signed_link_is_not_an_invited_name() {
    let Pilot { dir, folder, links } = Pilot::new(STUDY, 1);
    let token = links[0].replace("token=", "");
    let invite = |arguments: &[&str]| {
        let all = [&["study", "invite", path(&folder)], arguments].concat();
        say(dir.path(), &all, "")
    };
    let signed = invite(&["--prolific", "abc"]).out;
    let (_, signature) = signed
        .trim()
        .split_once("&signature=")
        .expect("a signature");
    let server = serve(&folder, &[]);
    let link = |name: &str, study: &str, signature: &str| {
        format!("PROLIFIC_PID={name}&STUDY_ID={study}&SESSION_ID=v1&signature={signature}")
    };
    // The refusal reveals neither the error in a link nor the time needed to find it.
    let stranger = Client::new(&server.address);
    let refusals = [
        "token=nobody".to_owned(),
        "token=../../x".to_owned(),
        link("p1", "abd", signature),
        link("p1", "abc", "00"),
        "PROLIFIC_PID=p1".to_owned(),
        format!("again={token}&cookie=00"),
    ];
    // A refusal takes a second, so all requests are sent at once.
    let refusals = thread::scope(|scope| {
        let refusals = refusals
            .each_ref()
            .map(|link| scope.spawn(|| stranger.clone().come(link)));
        refusals.map(|refused| refused.join().unwrap())
    });
    for refused in &refusals {
        assert_eq!((refused.status, &refused.body), (403, &refusals[0].body));
    }
    assert!(
        !folder.join("data/sessions").exists(),
        "nothing is kept of them"
    );
    let mut owner = stranger.clone();
    let agreed = owner.go_on_from(&format!("token={token}"));
    let mut thief = stranger.clone();
    assert_eq!(
        thief.come(&link(&token, "abc", signature)).heading(),
        "Before you begin"
    );
    assert_eq!(owner.get("/").body, agreed.body);
    // Two visitors with the same link: only the browser that started the session can continue it.
    let mut first = stranger.clone();
    let second_page = first.go_on_from(&link("p1", "abc", signature));
    for cookie in [None, thief.cookie.clone(), owner.cookie.clone()] {
        let mut other = stranger.clone();
        other.cookie = cookie;
        let refused = other.come(&link("p1", "abc", signature));
        assert!(
            refused.body.contains("Message researcher"),
            "{}",
            refused.body
        );
    }
    assert_eq!(
        first.come(&link("p1", "abc", signature)).body,
        second_page.body
    );
    // The experimenter allows the participant to continue in another browser.
    assert_eq!(invite(&["--again", "p2"]).code, Some(2));
    let sent = invite(&["--again", "p1"]).out;
    let (_, again) = sent.trim().split_once('?').expect("a link");
    assert_eq!(stranger.clone().come(again).body, second_page.body);
    let wrong = again.replace("p1", "p3");
    assert_eq!(stranger.clone().come(&wrong).status, 403);
    // Only private/ contains the service's names for participants.
    let private = fs::read_dir(folder.join("private")).unwrap();
    let texts = private.map(|it| fs::read(it.unwrap().path()).unwrap());
    let texts: Vec<String> = texts
        .map(|it| String::from_utf8_lossy(&it).into_owned())
        .collect();
    let own = texts.iter().filter(|it| it.contains(r#""id":"p1","#));
    assert!(own.clone().count() == 1 && own.clone().all(|it| it.contains(r#""session":"v1""#)));
    for log in fs::read_dir(folder.join("data/raw")).unwrap() {
        let text = fs::read_to_string(log.unwrap().path()).unwrap();
        assert!(!text.contains("\"p1\"") && !text.contains(&token), "{text}");
    }
    // A participant who asked to be forgotten has no session any more and cannot join again.
    let forgotten = say(dir.path(), &["study", "forget", path(&folder), &token], "");
    assert_eq!(forgotten.code, Some(0), "{forgotten:?}");
    assert!(forgotten.out.contains("data/raw/"), "{}", forgotten.out);
    assert_eq!(owner.get("/").status, 403);
    assert_eq!(owner.come(&format!("token={token}")).status, 403);
}

/// The last place goes to the first participant who reaches the trials. Participants with a code can return with it.
#[test]
fn the_last_slot_goes_to_the_first_participant_at_the_trials() {
    let codes = "codes: (screened_out: \"OUT1\", no_consent: \"NO1\"),\n    analysis:";
    let text = STUDY.replace("analysis:", codes);
    let text = text.replace("stop: Participants(40)", "stop: Participants(1)");
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = Pilot::new(&text, 4);
    let redirect = "https://example.org/back?cc={code}";
    let server = serve(&folder, &["--redirect", redirect, "--base", "/pilots/one/"]);
    let come = |link: &str| {
        let mut client = Client::new(&server.address);
        client.base = "/pilots/one";
        let page = client.come(link);
        (client, page)
    };
    let back = |page: &Response, code: &str| {
        let link = format!("href=\"https://example.org/back?cc={code}\"");
        assert!(page.is_last() && page.body.contains(&link), "{}", page.body);
    };
    let (late, late_page) = come(&links[0]);
    let (first, first_page) = come(&links[1]);
    let (refuses, page) = come(&links[2]);
    assert_eq!(
        refuses.answer(&page, &[("choice", "1".to_owned())]).status,
        303
    );
    back(&refuses.get("/"), "NO1");
    // No place is taken yet; the second visitor is the first to consent.
    assert!(first.go_on(&first_page).heading().starts_with("Question 1"));
    let full = late.go_on(&late_page);
    assert!(
        full.body.contains("All places of this study are taken"),
        "{}",
        full.body
    );
    back(&full, "OUT1");
    // A later participant gets no consent page, because no place is left.
    let (_, third) = come(&links[3]);
    back(&third, "OUT1");
    let whole = Client::new(&server.address).get("/pilots/one?token=x");
    assert_eq!(whole.header("location"), Some("/pilots/one/?token=x"));
}

/// The experimenter's page needs only its key. A backup can be copied during a session and then used.
#[test]
fn the_status_page_needs_its_key_and_a_backup_continues() {
    let Pilot { dir, folder, links } = Pilot::new(STUDY, 1);
    let link = &links[0];
    let (server, lines) = Server::start_and_say(&folder, &["study", "serve", path(&folder)], 2);
    let (_, key) = lines[1].split_once("/status?key=").expect("a key");
    let stranger = Client::new(&server.address);
    for wrong in [
        "",
        "?key=",
        "?key=00",
        &format!("?key={}", key.replace(['1', '2'], "3")),
    ] {
        assert_eq!(
            stranger.get(&format!("/status{wrong}")).status,
            403,
            "{wrong}"
        );
    }
    let mut client = stranger.clone();
    let mut page = client.come(link);
    let status = || stranger.get(&format!("/status?key={key}"));
    assert!(
        status()
            .body
            .contains("<th scope=\"row\">started</th><td>1</td>"),
        "{}",
        status().body
    );
    assert_eq!(status().header("refresh"), Some("5"));
    // A participant continues to answer while the folder is copied.
    let backup = dir.path().join("backup");
    let copied = std::thread::scope(|scope| {
        let copying = scope.spawn(|| copy(&folder, &backup));
        while !page.is_last() {
            page = client.go_on(&page);
        }
        copying.join()
    });
    copied.unwrap();
    let done = status().body;
    assert!(
        done.contains("1 of 40 sessions complete.") && done.contains("debrief"),
        "{done}"
    );
    for sealed in ["calibrated", "honest", "Right answer"] {
        assert!(!done.contains(sealed), "{sealed}: {done}");
    }
    fs::remove_file(backup.join("data/ledger.log")).unwrap();
    let server = serve(&backup, &[]);
    client.address.clone_from(&server.address);
    let mut page = client.get("/");
    while !page.is_last() {
        page = client.go_on(&page);
    }
    assert_eq!(
        read_session_status_and_records(&log_of(&backup, "s0000"))
            .unwrap()
            .0,
        StudySessionStatus::Complete
    );
    let verified = say(dir.path(), &["verify", path(&backup)], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

/// Copies a folder, file by file.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let copy = to.join(entry.file_name());
        if entry.path().is_dir() {
            self::copy(&entry.path(), &copy);
        } else if let Err(error) = fs::copy(entry.path(), copy) {
            // A file that is being replaced has a temporary name; a file that is appended to keeps its name.
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        }
    }
}

/// The shared pages of a study in another language contain no English.
#[test]
fn a_study_has_a_language_and_a_preview_stores_no_data() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    let words = r#"language: "ar", texts: {
        "continue": (text: "تابع"), "leave button": (text: "توقف"), "likely true": (ask: "ما احتمال «{{claim}}»؟"),
        "likely false": (ask: "ما احتمال خطأ «{{claim}}»؟"),
        "before": (ask: "قبل أن تقرأ: {{likely}}"), "first answer": (ask: "قبل أن تقرأ: {{likely}}"), "claim": (ask: "هل هذا صحيح؟ {{claim}}", options: ["نعم", "لا"]),
        "consent": (heading: "قبل البدء", ask: "هل توافق؟", options: ["أوافق", "لا أوافق"]),
    }, stage:"#;
    study(&folder, &STUDY.replace("stage:", words));
    let server = Server::start(&folder, &["study", "preview", path(&folder)]);
    let client = Client::new(&server.address);
    let index = client.get("/");
    let count = index.body.matches("href=\"page-").count();
    assert!(count > 15, "{}", index.body);
    let consent = client.get("/page-1");
    for part in [
        "lang=\"ar\" dir=\"rtl\"",
        "<h1>قبل البدء</h1>",
        "هل توافق؟",
        ">أوافق<",
        ">تابع</button>",
        ">توقف</button>",
    ] {
        assert!(consent.body.contains(part), "{part}: {}", consent.body);
    }
    let asked = client.get("/page-2");
    assert!(
        asked.body.contains("قبل أن تقرأ: ما احتمال "),
        "{}",
        asked.body
    );
    for number in 1..=count {
        let page = client.get(&format!("/page-{number}"));
        assert_eq!(page.status, 200);
        let onward = page
            .between("action=\"", "\"")
            .or_else(|| page.between("<a href=\"", "\""));
        let next = if number < count {
            format!("page-{}", number + 1)
        } else {
            "./".to_owned()
        };
        assert_eq!(onward, Some(next.as_str()), "{}", page.body);
    }
    assert_eq!(client.get(&format!("/page-{}", count + 1)).status, 404);
    assert!(!folder.join("data").exists() && !folder.join("lock.json").exists());
    // A preview of one condition; text that no page uses is an error.
    let one = ["study", "preview", path(&folder), "--condition", "direct"];
    let few = Server::start(&folder, &one);
    let index = Client::new(&few.address).get("/");
    assert!((1..count).contains(&index.body.matches("href=\"page-").count()));
    let text = fs::read_to_string(folder.join("study.ron")).unwrap();
    fs::write(
        folder.join("study.ron"),
        text.replace("\"leave button\"", "\"nonsense\""),
    )
    .unwrap();
    let refused = say(&folder, &["study", "check", path(&folder)], "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.err.contains("there is no standard text `nonsense`"),
        "{refused:?}"
    );
}
