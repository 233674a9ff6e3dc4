//! Whole sessions of a study in a real browser: by clicks alone, by touch alone on a phone, by keyboard alone. Some
//! reload every page, and a program checks the pages for accessibility barriers. Skipped if no browser is installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use debate_study::{
    LiveOrSimulated, Study, StudySessionStatus, create_example_study,
    read_session_status_and_records,
};
use serde_json::{Value, json};

use crate::support::patience::wait_until;
use crate::support::web_server::Server;
use crate::terminal::browser::Page;

/// The input device.
#[derive(Clone, Copy, PartialEq)]
pub enum Hand {
    Mouse,
    Finger,
    Keys,
}

/// The question of a page; its `token` identifies the page.
const ASKED: &str = "(() => {
    if (document.readyState !== 'complete') return null;
    const form = document.querySelector('form'), options = [...document.querySelectorAll('.option')];
    const word = /Choose “(.*)”/.exec(form ? form.textContent : '');
    const wanted = ['65', 'The last one', 'She knows the answer', 'Bob thinks that', word ? word[1] : '\\0'];
    const right = options.findIndex((it) => wanted.some((words) => it.textContent.startsWith(words)));
    return {
        heading: document.querySelector('h1').textContent,
        token: form ? document.querySelector('[name=token]').value : null,
        choice: options.length ? Math.max(0, right) : null,
        percent: document.querySelector('#slider') !== null,
        waits: document.body.dataset.poll !== undefined,
        wide: document.documentElement.scrollWidth > innerWidth,
    };
})()";

/// The middle of an element after scrolling it into view.
pub fn place(page: &mut Page, element: &str) -> [f64; 2] {
    let found = page.value(&format!(
        "(() => {{ const it = document.querySelector('{element}'); it.scrollIntoView({{block: 'center'}});
        const at = it.getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; }})()"
    ));
    [0, 1].map(|at| found[at].as_f64().expect("a place"))
}

pub fn touch(page: &mut Page, hand: Hand, [x, y]: [f64; 2]) {
    if hand == Hand::Finger {
        for (kind, points) in [
            ("touchStart", json!([{"x": x, "y": y}])),
            ("touchEnd", json!([])),
        ] {
            page.command(
                "Input.dispatchTouchEvent",
                &json!({"type": kind, "touchPoints": points}),
            );
        }
        return;
    }
    for kind in ["mousePressed", "mouseReleased"] {
        let click = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
        page.command("Input.dispatchMouseEvent", &click);
    }
}

fn press(page: &mut Page, name: &str, code: u32, text: &str) {
    let down = json!({
        "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "key": name, "code": name, "text": text,
        "windowsVirtualKeyCode": code,
    });
    page.command("Input.dispatchKeyEvent", &down);
    let up = json!({"type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": code});
    page.command("Input.dispatchKeyEvent", &up);
}

/// Presses Tab until the element has focus.
fn tab_to(page: &mut Page, element: &str) {
    for _ in 0..60 {
        press(page, "Tab", 9, "");
        if page.value(&format!("document.activeElement.matches('{element}')")) == true {
            return;
        }
    }
    panic!("{element} is not to be reached by Tab");
}

fn answer(page: &mut Page, hand: Hand, asked: &Value) {
    if let Some(choice) = asked["choice"].as_u64() {
        if hand == Hand::Keys {
            tab_to(page, "[name=choice]");
            press(page, " ", 32, " ");
            for _ in 0..choice {
                press(page, "ArrowDown", 40, "");
            }
        } else {
            let at = place(page, &format!(".option:nth-of-type({})", choice + 1));
            touch(page, hand, at);
        }
        let is_chosen =
            format!("document.querySelector('[name=choice]:checked')?.value === '{choice}'");
        wait_until("the choice", || {
            (page.value(&is_chosen) == true).then_some(())
        });
    } else if asked["percent"] == true {
        // No value is suggested before the user sets one.
        assert_eq!(page.value("document.querySelector('#percent').value"), "");
        if hand == Hand::Keys {
            tab_to(page, "#slider");
            press(page, "ArrowRight", 39, "");
        } else {
            let at = place(page, "#slider");
            touch(page, hand, at);
        }
        // A study without confirmations does not repeat the number in words.
        let is_set = "Number(document.querySelector('#percent').value) >= 40 && \
                      (!document.querySelector('fieldset.percent').dataset.shares || \
                      /^You say \\d+ %: /.test(document.querySelector('.shares').textContent))";
        wait_until("the slider", || (page.value(is_set) == true).then_some(()));
    }
    if hand == Hand::Keys {
        tab_to(page, ".go");
        press(page, "Enter", 13, "\r");
    } else {
        let at = place(page, ".go");
        touch(page, hand, at);
    }
}

/// Takes a session to its end. Reloads every third page, or kills the browser at every page if `link` is given to
/// return by. Returns the number of pages.
fn through(page: &mut Page, hand: Hand, link: Option<&str>) -> usize {
    let mut before = Value::Null;
    for count in 0..300 {
        let asked = wait_until("the next page", || {
            let asked = page.value(ASKED);
            let is_new = asked["heading"].is_string() && asked["token"] != before["token"];
            is_new.then_some(asked)
        });
        assert_eq!(asked["wide"], false, "{asked}");
        if count == 1 || asked["percent"] == true && count < 30 {
            barriers(page);
        }
        if asked["token"].is_null() {
            return count;
        }
        if let Some(link) = link {
            // Another browser without any data of the first one.
            *page = Page::open(link).expect("a browser");
            let again = wait_until("the page in another browser", || {
                let again = page.value(ASKED);
                again["heading"].is_string().then_some(again)
            });
            assert_eq!(again, asked);
        } else if count % 3 == 0 {
            page.value("window.isOld = true");
            page.command("Page.reload", &json!({}));
            let mut again = Value::Null;
            wait_until("the page again", || {
                let is_new = page.value("window.isOld === undefined") == true;
                again = page.value(ASKED);
                (is_new && again["heading"].is_string()).then_some(())
            });
            assert_eq!(again, asked);
        }
        answer(page, hand, &asked);
        before = asked;
    }
    panic!("it has no end");
}

/// Asserts that axe-core, the file in `AXE_CORE`, finds no accessibility barrier on a page.
pub fn barriers(page: &mut Page) {
    let Some(script) = std::env::var_os("AXE_CORE") else {
        println!(
            "skipped: AXE_CORE names no axe.min.js, so the barriers of pages were not checked"
        );
        return;
    };
    let script = fs::read_to_string(script).expect("AXE_CORE names a file");
    let run = "axe.run(document, {resultTypes: ['violations']}).then((it) => it.violations.map((it) => it.id))";
    // A page that reloads during the check gives no result, so the check runs again on the new page.
    let found = wait_until("the result of the check", || {
        page.command("Runtime.evaluate", &json!({"expression": script}));
        let found = page.value(run);
        found.is_array().then_some(found)
    });
    assert_eq!(found, json!([]));
}

fn link(folder: &Path, server: &Server) -> String {
    let invited = Command::new(env!("CARGO_BIN_EXE_debate-tui"))
        .args(["study", "invite", folder.to_str().unwrap(), "-n", "1"])
        .args(["--public", &format!("http://{}", server.address)])
        .output()
        .unwrap();
    String::from_utf8(invited.stdout).unwrap().trim().to_owned()
}

fn session_by(hand: Hand) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    create_example_study(&folder).unwrap();
    let server = Server::start(dir.path(), &["study", "serve", folder.to_str().unwrap()]);
    let Some(mut page) = Page::open("about:blank") else {
        return;
    };
    if hand == Hand::Finger {
        let size = json!({"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true});
        page.command("Emulation.setDeviceMetricsOverride", &size);
        page.command(
            "Emulation.setTouchEmulationEnabled",
            &json!({"enabled": true}),
        );
    }
    let address = link(&folder, &server);
    page.command("Page.navigate", &json!({"url": address}));
    let link = (hand == Hand::Mouse).then_some(address.as_str());
    let pages = through(&mut page, hand, link);
    assert!(pages > 40, "{pages}");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
    let study = Study::load(&folder).unwrap();
    let (status, records) =
        read_session_status_and_records(&study.folder.log_file(LiveOrSimulated::Live, "s0000"))
            .unwrap();
    assert_eq!(status, StudySessionStatus::Complete);
    // The page's script has counted the time.
    let last = records.last().expect("a line");
    assert!(
        last.t_active_ms
            .is_some_and(|active| (1..=last.t_mono_ms).contains(&active))
    );
}

#[test]
fn a_session_by_clicks_alone() {
    session_by(Hand::Mouse);
}

#[test]
fn a_session_by_touch_alone_on_a_phone() {
    session_by(Hand::Finger);
}

#[test]
fn a_session_by_keyboard_alone() {
    session_by(Hand::Keys);
}

/// A study with two participants in one debate, after a direct question for each.
const TOGETHER: &str = r#"Study(
    format: 1, id: "together", title: "Debating together", stage: Pilot, seed: 7,
    roles: [Opponent, Judge], group: (wait_s: 600, turn_s: 600),
    conditions: [
        (id: "alone", shown_as: "Task K", task: Direct(shows: Question)),
        (
            id: "argued", shown_as: "Task M",
            task: Debate(protocol: ProverEstimator(epsilon: 0.25, rho: 0.5), prover: "honest"),
        ),
    ],
    items: (scenarios: ["items/*.ron"]),
    design: Within(blocks: 1),
    flow: [Consent("consent.md"), Trials],
    response: Probability(confirm: false),
    target: (participants: 2), stop: Participants(2),
    analysis: (primary: Difference(measure: Brier, of: "argued", against: "alone")),
)"#;

/// A page that waits for other participants continues automatically, by its script.
#[test]
fn a_waiting_page_continues_automatically() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    create_example_study(&folder).unwrap();
    fs::write(folder.join("study.ron"), TOGETHER).unwrap();
    let server = Server::start(dir.path(), &["study", "serve", folder.to_str().unwrap()]);
    let mut pages = Vec::new();
    for _ in 0..2 {
        let Some(page) = Page::open(&link(&folder, &server)) else {
            return;
        };
        pages.push(page);
    }
    let asked = |page: &mut Page, what: &str, heading: &str| {
        wait_until(what, || {
            let asked = page.value(ASKED);
            let is_it = asked["heading"]
                .as_str()
                .is_some_and(|it| it.starts_with(heading));
            is_it.then_some(asked)
        })
    };
    for (place, page) in pages.iter_mut().enumerate() {
        let consent = asked(page, "consent", "Before you begin");
        answer(page, Hand::Mouse, &consent);
        if place == 0 {
            asked(page, "the waiting room", "Waiting for others");
            barriers(page);
        }
    }
    // The first window gets no input any more: it waited, and now has its trial.
    for page in &mut pages {
        let trial = asked(page, "the first trial", "Question ");
        barriers(page);
        assert_eq!(trial["percent"], true, "{trial}");
        assert!(page.complaints.is_empty(), "{:?}", page.complaints);
    }
    // The same in the debate: each participant answers the current question until the session is over.
    // Each page of a group is checked for barriers, also those that wait for the other participant.
    let mut before = [Value::Null, Value::Null];
    let mut checked = [Value::Null, Value::Null];
    wait_until("the end of both", || {
        let mut over = 0;
        for ((page, before), checked) in pages.iter_mut().zip(&mut before).zip(&mut checked) {
            let asked = page.value(ASKED);
            over += usize::from(asked["heading"] == "The end");
            if asked["heading"].is_string() && *checked != asked {
                barriers(page);
                checked.clone_from(&asked);
            }
            let is_new = asked["token"].is_string() && asked["token"] != before["token"];
            // Both values must be from one snapshot, because the page may change between two.
            if is_new && asked["waits"] == false {
                answer(page, Hand::Mouse, &asked);
                *before = asked;
            }
        }
        (over == 2).then_some(())
    });
    for page in &pages {
        assert!(page.complaints.is_empty(), "{:?}", page.complaints);
    }
}

/// The experimenter's dashboard with its figures and its actions.
#[test]
fn the_dashboard_has_no_barriers() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    create_example_study(&folder).unwrap();
    let arguments = ["study", "serve", folder.to_str().unwrap()];
    let (server, lines) = Server::start_and_say(dir.path(), &arguments, 2);
    let Some(mut participant) = Page::open(&link(&folder, &server)) else {
        return;
    };
    wait_until("the first page", || {
        participant.value(ASKED)["heading"]
            .is_string()
            .then_some(())
    });
    let (_, key) = lines[1].split_once("/status?key=").expect("a key");
    for size in [390, 1280] {
        for still in ["", "&still=1"] {
            let address = format!("http://{}/status?key={key}{still}", server.address);
            let mut page = Page::open(&address).expect("a browser");
            page.resize([size, 900]);
            // The page reloads every five seconds, and its heading appears before its style. Both values are from one
            // state of a complete page.
            let state = format!(
                "document.readyState === 'complete' && innerWidth === {size}
                    ? {{heading: document.querySelector('h1').textContent, wide: document.documentElement.scrollWidth > innerWidth}}
                    : null"
            );
            let shown = wait_until("the dashboard", || {
                let state = page.value(&state);
                state.is_object().then_some(state)
            });
            let wanted = json!({"heading": "Status of pilot01", "wide": false});
            assert_eq!(shown, wanted, "{address}");
            barriers(&mut page);
            assert!(page.complaints.is_empty(), "{:?}", page.complaints);
        }
    }
}
