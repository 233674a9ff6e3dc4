//! The experimenter's dashboard: its figures equal counts from the logs, and its actions reach the server that runs the
//! study, also from another process.

use debate_study::{StudySessionStatus, read_session_status_and_records};
use serde_json::Value;

use super::client::{Client, Response};
use super::groups::pilot;
use super::{Pilot, Server, log_of, serve};
use crate::support::patience::wait_until;
use crate::support::program::{json, path, say};
use crate::support::studies::STUDY;

/// The dashboard of a separate process (`study status --serve`), with its key.
struct Dashboard {
    _server: Server,
    client: Client,
    key: String,
}

impl Dashboard {
    fn start(pilot: &Pilot) -> Self {
        let child = [
            "study",
            "status",
            path(&pilot.folder),
            "--serve=127.0.0.1:0",
        ];
        let (server, lines) = Server::start_plainly(&pilot.folder, &child, 1);
        let (_, key) = lines[0].split_once("/status?key=").expect("a key");
        let (key, _) = key.split_once(' ').expect("its end");
        Self {
            client: Client::new(&server.address),
            key: key.to_owned(),
            _server: server,
        }
    }

    fn page(&self) -> Response {
        self.client.get(&format!("/status?key={}", self.key))
    }

    fn act(&self, fields: &[(&str, &str)]) -> String {
        let all = [&[("key", self.key.as_str())], fields].concat();
        let response = self.client.post_to("/status", &all);
        assert_eq!(response.status, 200, "{}", response.body);
        let notice = response.between("role=\"alert\">", "</p>");
        let notice = notice.or_else(|| response.between("class=\"notice\">", "</p>"));
        notice.expect("a notice").to_owned()
    }
}

/// The cells of the rows of a table, by its caption.
fn table(page: &Response, caption: &str) -> Vec<Vec<String>> {
    let after = format!("<caption>{caption}</caption>");
    let table = page.between(&after, "</table>").expect("the table");
    let rows = table
        .split("<tr>")
        .skip(1)
        .filter(|row| row.contains("scope=\"row\""));
    rows.map(|row| {
        let cells = row.split("</t").filter_map(|cell| {
            let (_, text) = cell.rsplit_once('>')?;
            (cell.contains("<th") || cell.contains("<td")).then(|| text.trim().to_owned())
        });
        cells.collect()
    })
    .collect()
}

fn cell(rows: &[Vec<String>], name: &str) -> String {
    let row = rows.iter().find(|row| row[0] == name);
    row.unwrap_or_else(|| panic!("{name}: {rows:?}"))[1].clone()
}

#[test]
fn the_figures_of_the_dashboard_equal_the_logs_and_the_payments() {
    let text = STUDY.replace(
        "flow:",
        "bonus: OneTrial(score: Quadratic, cents: 300), flow:",
    );
    let pilot = Pilot::new(&text, 4);
    let server = serve(&pilot.folder, &[]);
    let dashboard = Dashboard::start(&pilot);
    let come = |link: &String, answers: usize| {
        let mut client = Client::new(&server.address);
        let mut page = client.come(link);
        for _ in 0..answers {
            if page.is_last() {
                break;
            }
            page = client.go_on(&page);
        }
        client
    };
    come(&pilot.links[0], usize::MAX);
    come(&pilot.links[1], usize::MAX);
    come(&pilot.links[2], 2);
    // The fourth participant does not agree.
    let mut client = Client::new(&server.address);
    let page = client.come(&pilot.links[3]);
    client.answer(&page, &[("choice", "1".to_owned())]);
    let page = dashboard.page();
    assert_eq!(page.header("refresh"), Some("5"));
    let all = table(&page, "All sessions");
    for (status, count) in [("complete", "2"), ("started", "1"), ("no consent", "1")] {
        assert_eq!(cell(&all, status), count, "{all:?}");
    }
    let steps = table(&page, "Sessions that reached each step");
    let reached: Vec<&str> = steps.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(reached, ["4", "3", "3", "2", "2", "2"], "{steps:?}");
    // The figures by hand: payments and minutes from the command line and the logs.
    let status = ["study", "status", path(&pilot.folder), "--json"];
    let status: Value = json(&say(&pilot.folder, &status, ""));
    let figures = table(&page, "Time, pay and attention");
    let cents = status["bonus_cents"].as_u64().unwrap();
    assert!(cents > 0);
    assert_eq!(
        cell(&figures, "pay of all participants so far, in cents"),
        cents.to_string()
    );
    let minutes: Vec<f64> = ["s0000", "s0001"]
        .map(|session| {
            let (_, records) =
                read_session_status_and_records(&log_of(&pilot.folder, session)).unwrap();
            f64::from(u32::try_from(records.last().unwrap().t_mono_ms).unwrap()) / 60_000.0
        })
        .to_vec();
    let median = f64::midpoint(minutes[0], minutes[1]);
    assert_eq!(
        cell(&figures, "median minutes of complete sessions"),
        format!("{median:.1}")
    );
    let places = table(&page, "Running sessions by condition and last answer");
    assert_eq!(places.len(), 1, "{places:?}");
}

#[test]
fn recruiting_is_paused_and_a_session_is_closed_with_pay() {
    let pilot = Pilot::new(STUDY, 3);
    let server = serve(&pilot.folder, &[]);
    let dashboard = Dashboard::start(&pilot);
    let mut first = Client::new(&server.address);
    let page = first.go_on_from(&pilot.links[0]);
    assert!(dashboard.act(&[("action", "pause")]).contains("is paused"));
    let mut second = Client::new(&server.address);
    let refused = second.come(&pilot.links[1]);
    assert_eq!(refused.status, 503);
    assert!(
        refused.body.contains("no new participants at the moment"),
        "{}",
        refused.body
    );
    // A session that has begun continues.
    let next = first.go_on(&page);
    assert!(
        dashboard
            .act(&[("action", "continue")])
            .contains("continues")
    );
    assert_eq!(second.come(&pilot.links[1]).status, 200);
    let wrong = dashboard.act(&[("action", "close"), ("session", "s0009"), ("cents", "100")]);
    assert!(wrong.contains("no participant is named `s0009`"), "{wrong}");
    let wrong = dashboard.act(&[
        ("action", "close"),
        ("session", "../s0000"),
        ("cents", "100"),
    ]);
    assert!(wrong.starts_with("Not done"), "{wrong}");
    dashboard.act(&[("action", "close"), ("session", "s0000"), ("cents", "150")]);
    let log = log_of(&pilot.folder, "s0000");
    wait_until("the end of the session", || {
        (read_session_status_and_records(&log).unwrap().0 == StudySessionStatus::Closed)
            .then_some(())
    });
    let last = first.get("/");
    assert!(
        last.is_last() && last.body.contains("ended this session"),
        "{}",
        last.body
    );
    let late = first.answer(&next, &next.answer());
    assert_eq!(late.status, 303, "{}", late.body);
    let pay = say(&pilot.folder, &["study", "pay", path(&pilot.folder)], "");
    assert!(pay.out.contains("150 cents in all"), "{pay:?}");
    let verified = say(&pilot.folder, &["verify", path(&pilot.folder)], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(dashboard.page().status, 200);
    // Without the key, no action is accepted.
    let foreign = dashboard
        .client
        .post_to("/status", &[("key", "00"), ("action", "pause")]);
    assert_eq!(foreign.status, 403);
    assert!(!pilot.folder.join("data/control/paused").exists());
}

#[test]
fn a_message_is_shown_to_waiting_participants_alone() {
    let pilot = pilot(super::groups::STUDY, 2);
    let server = serve(&pilot.folder, &[]);
    let dashboard = Dashboard::start(&pilot);
    let mut waiting = Client::new(&server.address);
    let page = waiting.go_on_from(&pilot.links[0]);
    assert!(page.body.contains("data-poll="), "{}", page.body);
    let text = "The others are <late>: about ten minutes.";
    let said = dashboard.act(&[("action", "message"), ("message", text)]);
    assert!(
        said.contains("all participants who wait is shown"),
        "{said}"
    );
    let again = waiting.get("/");
    assert!(
        again
            .body
            .contains("The others are &lt;late&gt;: about ten minutes."),
        "{}",
        again.body
    );
    // The page's script reloads a page whose state has changed.
    assert_ne!(
        page.between("data-state=\"", "\""),
        again.between("data-state=\"", "\"")
    );
    let mut other = Client::new(&server.address);
    let consent = other.come(&pilot.links[1]);
    assert!(!consent.body.contains("late"), "{}", consent.body);
    dashboard.act(&[("action", "message"), ("message", "")]);
    assert_eq!(waiting.get("/").body, page.body);
    // A message to one session is on no other page.
    let to = |session: &str, text: &str| {
        dashboard.act(&[("action", "message"), ("to", session), ("message", text)])
    };
    assert!(to("s0009", "x").contains("Not done"), "no such session");
    to("s0001", "For the second one.");
    assert_eq!(waiting.get("/").body, page.body);
    let said = to("s0000", "For the first one.");
    assert!(said.contains("session s0000"), "{said}");
    let own = waiting.get("/");
    assert!(own.body.contains("For the first one."), "{}", own.body);
    to("s0000", "");
    assert_eq!(waiting.get("/").body, page.body);
    // A waiting participant whose session is closed leaves the waiting room.
    dashboard.act(&[("action", "close"), ("session", "s0000"), ("cents", "40")]);
    wait_until("the last page", || waiting.get("/").is_last().then_some(()));
}

#[test]
fn the_dashboard_shows_the_members_of_a_group_and_who_waits_for_whom() {
    let pilot = pilot(super::groups::STUDY, 3);
    let server = serve(&pilot.folder, &[]);
    let dashboard = Dashboard::start(&pilot);
    let mut clients: Vec<Client> = pilot
        .links
        .iter()
        .map(|link| {
            let mut client = Client::new(&server.address);
            client.go_on_from(link);
            client
        })
        .collect();
    let caption = "Groups in progress: members and the sessions that they wait for";
    let mut waited = 0;
    for turn in 0.. {
        assert!(turn < 60, "two members wait for the third one");
        let pages: Vec<Response> = clients.iter_mut().map(|client| client.get("/")).collect();
        let waits: Vec<bool> = pages
            .iter()
            .map(|page| page.body.contains("data-poll="))
            .collect();
        // The pages of the members are compared while no member answers.
        let rows = table(&dashboard.page(), caption);
        assert_eq!(rows.len(), 3, "{rows:?}");
        assert_eq!(
            rows[0].len(),
            7,
            "the first row also names the group: {rows:?}"
        );
        for row in &rows {
            let [session, seat, status, _, waits_for, _] = &row[row.len() - 6..] else {
                panic!("{row:?}");
            };
            assert!(
                ["prover", "opponent", "judge"].contains(&seat.as_str()),
                "{row:?}"
            );
            assert_eq!(status, "started");
            let number: usize = session.trim_start_matches('s').parse().unwrap();
            assert_eq!(waits_for != "-", waits[number], "{row:?}");
            if waits[number] {
                let awaited: usize = waits_for.trim_start_matches('s').parse().unwrap();
                assert!(awaited < 3 && awaited != number, "{row:?}");
                let left = pages[number]
                    .between("role=\"timer\"", "</p>")
                    .expect("a time");
                assert!(left.contains("10 minutes"), "{left}");
                waited += 1;
            }
        }
        if waits.iter().filter(|waits| **waits).count() == 2 && waited > 4 {
            break;
        }
        let asked = waits
            .iter()
            .position(|waits| !waits)
            .expect("a member is asked");
        let page = &pages[asked];
        clients[asked].go_on(page);
    }
}
