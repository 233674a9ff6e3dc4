//! A pilot study in a real browser: sixteen participants in two languages, debates of two scripted models that
//! `study prepare` played, an image beside some questions, a screening survey and a quota. The test counts by hand from
//! the lines of the logs. Report, tables, payments and dashboard must agree. Skipped if no browser is installed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::support::engines::python;
use crate::support::patience::wait_until;
use crate::support::program::{json as document, path, say};
use crate::support::studies::study;
use crate::support::web_server::Server;
use crate::terminal::browser::Page;
use crate::terminal::study_browser::{Hand, barriers, place, touch};

/// Direct questions, and debates of two scripted models about the same questions.
const STUDY: &str = r#"Study(
    format: 1, id: "trains", title: "Who is right?", stage: Pilot, seed: 11, markup: Markdown,
    languages: ["en", "de"], texts: {"de": "de/texts.ron"},
    engines: {
        "one": (command: ["{python}", "{speaker}", "first-model", "0.25"]),
        "two": (command: ["{python}", "{speaker}", "second-model", "0.5"]),
    },
    screening: (survey: "screening.ron", screen_out: [(question: "age", is: Below(18))]),
    quotas: [(question: "reads", is: OneOf(["daily"]), most: 6)],
    conditions: [
        (id: "alone", shown_as: "Part A", task: Direct(shows: Question)),
        (
            id: "debate", shown_as: "Part B",
            task: Debate(protocol: Speeches(rounds: 1, judge_feedback: false), prover: "engine:one", opponent: "engine:two"),
        ),
    ],
    items: (questions: "set.jsonl", translated: {"de": "de"}, notes: {{notes}}),
    design: Within(blocks: 2),
    flow: [Consent("consent.md"), Trials, Debrief(reveal: true)],
    response: Probability(ask: [Final], confirm: true),
    outcome_pay: (screened_out: 20),
    target: (participants: 16), stop: Participants(16),
    bonus: OneTrial(score: Quadratic, cents: 300),
    analysis: (primary: Difference(measure: Brier, of: "debate", against: "alone")),
)"#;

const SCREENING: &str = r#"[
    (id: "age", ask: "How old are you?", answer: Number(min: 0, max: 120)),
    (id: "reads", ask: "How often do you read news?", answer: Choice(["daily", "weekly"])),
]"#;

const CONSENT: &str = "You read short arguments about trains. You can stop at any time.";

/// The study's own texts in English and in German.
const TEXTS: [(&str, &str); 9] = [
    ("Who is right?", "Wer hat recht?"),
    ("Part A", "Teil A"),
    ("Part B", "Teil B"),
    (
        CONSENT,
        "Sie lesen kurze Argumente über Züge. Sie können jederzeit aufhören.",
    ),
    ("How old are you?", "Wie alt sind Sie?"),
    (
        "How often do you read news?",
        "Wie oft lesen Sie Nachrichten?",
    ),
    ("daily", "täglich"),
    ("weekly", "wöchentlich"),
    (NOTE, "![Der Bahnhof](media/station.png)"),
];

/// The Markdown text beside the questions with an image.
const NOTE: &str = "![The station](media/station.png)";
/// An image of one pixel.
const IMAGE: [u8; 67] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0,
    0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 156, 99, 104, 0, 0, 0, 130, 0, 129,
    119, 205, 114, 182, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

const QUESTIONS: usize = 12;
/// Questions below this number have an image.
const WITH_IMAGE: usize = 6;
const PARTICIPANTS: usize = 16;
/// The participant with a phone.
const PHONE: usize = 0;
/// The participant who is too young.
const YOUNG: usize = 2;
/// The participant who pauses, and returns with another browser.
const RETURNS: usize = 5;
/// The participant who stops taking part in the trials.
const LEAVES: usize = 9;
/// The participant who comes last and finds the quota full.
const LATE: usize = 15;

fn speaks_german(number: usize) -> bool {
    number.is_multiple_of(2)
}

/// Participants who read news daily fill the quota of six.
fn reads_daily(number: usize) -> bool {
    [0, 1, 3, 4, 6, 7, LATE].contains(&number)
}

/// The percentage that a participant gives as the answer to their question with this number, from 0. Never 50.
fn percent(number: usize, question: usize) -> usize {
    match (number * 17 + question * 29) % 98 + 1 {
        50 => 51,
        percent => percent,
    }
}

fn pilot(folder: &Path) -> Option<()> {
    let speaker = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/speaker.py");
    let notes = (0..WITH_IMAGE).map(|number| format!("\"q{number:02}\": \"{NOTE}\""));
    let notes = notes.collect::<Vec<_>>().join(", ");
    let text = STUDY
        .replace("{python}", &python()?)
        .replace("{speaker}", path(&speaker))
        .replace("{notes}", &notes);
    study(folder, &text);
    fs::write(folder.join("screening.ron"), SCREENING).unwrap();
    fs::write(folder.join("consent.md"), CONSENT).unwrap();
    fs::create_dir_all(folder.join("media")).unwrap();
    fs::write(folder.join("media/station.png"), IMAGE).unwrap();
    fs::create_dir_all(folder.join("de")).unwrap();
    let questions = |ask: fn(usize) -> String, answers: [&str; 2]| {
        let rows = (0..QUESTIONS).map(|number| {
            let row = json!({
                "id": format!("q{number:02}"), "question": ask(number), "answers": answers,
                "correct": number % 2, "source": "One sentence.",
            });
            row.to_string()
        });
        rows.collect::<Vec<_>>().join("\n")
    };
    let english = questions(
        |number| format!("Does train {number} arrive before noon?"),
        ["Yes", "No"],
    );
    let german = questions(
        |number| format!("Kommt der Zug {number} vor Mittag an?"),
        ["Ja", "Nein"],
    );
    fs::write(folder.join("set.jsonl"), english).unwrap();
    fs::write(folder.join("de/set.jsonl"), german).unwrap();
    let texts = ["study", "texts", path(folder), "--lang", "de"];
    let mut texts: BTreeMap<String, String> = ron::from_str(&say(folder, &texts, "").out).unwrap();
    for text in texts.values_mut() {
        let (_, german) = TEXTS
            .iter()
            .find(|(english, _)| english == text)
            .unwrap_or_else(|| panic!("{text} has no translation"));
        *text = (*german).to_owned();
    }
    fs::write(folder.join("de/texts.ron"), ron::to_string(&texts).unwrap()).unwrap();
    Some(())
}

/// The state of a page; its `token` identifies the page.
const STATE: &str = "(() => {
    if (document.readyState !== 'complete') return null;
    const form = document.querySelector('form'), images = [...document.querySelectorAll('.content img')];
    return {
        heading: document.querySelector('h1').textContent, language: document.documentElement.lang,
        token: form ? document.querySelector('[name=token]').value : null,
        options: [...document.querySelectorAll('.option')].map((it) => it.textContent.trim()),
        percent: document.querySelector('#percent') !== null, text: document.querySelector('#text') !== null,
        waits: document.body.dataset.poll !== undefined,
        images: images.length, broken: images.filter((it) => it.naturalWidth === 0 || !it.alt).length,
        wide: document.documentElement.scrollWidth > innerWidth,
    };
})()";

/// A participant at a browser.
struct Person<'p> {
    page: &'p mut Page,
    number: usize,
    hand: Hand,
    /// The number of percentages that the participant has given.
    judged: usize,
    /// The number of pages with an image that was shown.
    images: usize,
}

impl Person<'_> {
    /// Waits for a page with another token than `before`, or without a form.
    fn next(&mut self, before: &Value) -> Value {
        let number = self.number;
        let state = wait_until("the next page", || {
            let state = self.page.value(STATE);
            let is_new = state["heading"].is_string() && state["token"] != *before;
            (is_new && state["waits"] == false).then_some(state)
        });
        assert_eq!(state["wide"], false, "{number}: {state}");
        assert_eq!(state["broken"], 0, "{number}: {state}");
        self.images += usize::from(state["images"] != 0);
        state
    }

    fn press(&mut self, element: &str) {
        let at = place(self.page, element);
        touch(self.page, self.hand, at);
    }

    /// Types a text into an empty field.
    fn type_into(&mut self, element: &str, text: &str) {
        self.press(element);
        let has_focus = format!("document.activeElement?.matches('{element}')");
        wait_until("the field", || {
            (self.page.value(&has_focus) == true).then_some(())
        });
        self.page
            .command("Input.insertText", &json!({"text": text}));
    }

    fn choose(&mut self, option: usize) {
        self.press(&format!(".option:nth-of-type({})", option + 1));
        let is_chosen =
            format!("document.querySelector('[name=choice]:checked')?.value === '{option}'");
        wait_until("the choice", || {
            (self.page.value(&is_chosen) == true).then_some(())
        });
    }

    /// Answers a page and sends the answer.
    fn answer(&mut self, state: &Value) {
        let options: Vec<&str> = state["options"]
            .as_array()
            .unwrap()
            .iter()
            .map(|option| option.as_str().unwrap())
            .collect();
        if options.contains(&"Deutsch") {
            self.choose(usize::from(speaks_german(self.number)));
        } else if options.contains(&"daily") || options.contains(&"täglich") {
            self.choose(usize::from(!reads_daily(self.number)));
        } else if !options.is_empty() {
            self.choose(0);
        } else if state["percent"] == true {
            let percent = percent(self.number, self.judged).to_string();
            self.judged += 1;
            self.type_into("#percent", &percent);
            // The page repeats the number in words.
            let repeats =
                format!("document.querySelector('.shares').textContent.includes('{percent} %')");
            wait_until("the number in words", || {
                (self.page.value(&repeats) == true).then_some(())
            });
        } else if state["text"] == true {
            let age = if self.number == YOUNG { "17" } else { "40" };
            self.type_into("#text", age);
        }
        self.press(".go");
    }

    /// Chooses an option of the page about leaving. Returns the page after it.
    fn leave(&mut self, state: &Value, option: usize) -> Value {
        self.press(".leave");
        let asked = self.next(&state["token"]);
        assert_eq!(asked["options"].as_array().unwrap().len(), 3, "{asked}");
        self.choose(option);
        self.press(".go");
        self.next(&asked["token"])
    }

    /// Opens a link as in another browser, without cookies and stored data.
    fn open(&mut self, link: &str) {
        self.page.command("Network.clearBrowserCookies", &json!({}));
        self.page
            .command("Page.navigate", &json!({"url": "about:blank"}));
        wait_until("an empty page", || {
            (self.page.value("document.URL") == "about:blank").then_some(())
        });
        self.page.command("Page.navigate", &json!({"url": link}));
    }

    /// Takes part from the link to the last page, and returns that page.
    fn take_part(&mut self, link: &str) -> Value {
        self.open(link);
        let mut state = self.next(&Value::Null);
        let mut has_returned = false;
        for _ in 0..60 {
            if state["token"].is_null() {
                return state;
            }
            let language = if speaks_german(self.number) {
                "de"
            } else {
                "en"
            };
            let chooses = state["options"]
                .as_array()
                .unwrap()
                .contains(&json!("Deutsch"));
            assert!(chooses || state["language"] == language, "{state}");
            if state["percent"] == true && self.judged == 1 {
                if self.number == LEAVES {
                    return self.leave(&state, 2);
                }
                if self.number == RETURNS && !has_returned {
                    has_returned = true;
                    let paused = self.leave(&state, 1);
                    assert!(paused["token"].is_null(), "{paused}");
                    self.open(link);
                    let again = self.next(&Value::Null);
                    assert_eq!(again["heading"], state["heading"]);
                    state = again;
                }
                barriers(self.page);
            }
            self.answer(&state);
            state = self.next(&state["token"]);
        }
        panic!("the session of participant {} has no end", self.number);
    }
}

/// Takes a participant through the study. Returns the number of pages with an image.
fn participant(page: &mut Page, number: usize, link: &str) -> usize {
    let is_phone = number == PHONE;
    let (width, height) = if is_phone { (390, 844) } else { (1280, 900) };
    let size =
        json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone});
    page.command("Emulation.setDeviceMetricsOverride", &size);
    page.command(
        "Emulation.setTouchEmulationEnabled",
        &json!({"enabled": is_phone}),
    );
    let mut person = Person {
        page,
        number,
        hand: if is_phone { Hand::Finger } else { Hand::Mouse },
        judged: 0,
        images: 0,
    };
    // Some participants choose their language by the link, the others on the first page.
    let language = if number.is_multiple_of(4) {
        "&lang=de"
    } else {
        ""
    };
    let end = person.take_part(&format!("{link}{language}"));
    let wanted = if speaks_german(number) {
        "Ende"
    } else {
        "The end"
    };
    assert_eq!(end["heading"], wanted, "{number}: {end}");
    let images = person.images;
    assert!(
        page.complaints.is_empty(),
        "{number}: {:?}",
        page.complaints
    );
    images
}

/// A judgement as one line of a log states it.
#[derive(Debug)]
struct Judgement {
    session: String,
    trial: u64,
    condition: String,
    item: usize,
    p_first: f64,
}

impl Judgement {
    /// The probability of the right answer.
    fn p_right(&self) -> f64 {
        if self.item.is_multiple_of(2) {
            self.p_first
        } else {
            1.0 - self.p_first
        }
    }
}

/// Everything that is counted from the lines of the logs, without the program.
#[derive(Debug, Default)]
struct ByHand {
    statuses: BTreeMap<String, String>,
    languages: BTreeMap<String, usize>,
    judgements: Vec<Judgement>,
    /// The duration of each session in minutes.
    minutes: BTreeMap<String, f64>,
    daily: usize,
}

impl ByHand {
    fn count(folder: &Path) -> Self {
        let mut counted = Self::default();
        let logs = fs::read_dir(folder.join("data/raw")).unwrap();
        for log in logs {
            let log = log.unwrap().path();
            if log.extension().is_none_or(|it| it != "jsonl") {
                continue;
            }
            for line in fs::read_to_string(&log).unwrap().lines() {
                counted.count_line(&serde_json::from_str(line).unwrap());
            }
        }
        let is_complete = |session: &str| counted.statuses[session] == "complete";
        let complete = counted.daily_sessions(folder).into_iter();
        counted.daily = complete.filter(|session| is_complete(session)).count();
        counted
    }

    /// The sessions whose participants said that they read news daily.
    fn daily_sessions(&self, folder: &Path) -> Vec<String> {
        let sessions = self.statuses.keys();
        let says_daily = |session: &&String| {
            let log = folder.join(format!("data/raw/{session}.jsonl"));
            let text = fs::read_to_string(log).unwrap();
            text.lines().any(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                line["payload"]["question"] == "reads" && line["payload"]["answer"] == "daily"
            })
        };
        sessions.filter(says_daily).cloned().collect()
    }

    fn count_line(&mut self, line: &Value) {
        let session = line["session"].as_str().unwrap().to_owned();
        let payload = &line["payload"];
        let status = payload["status"].as_str().unwrap_or("started");
        let known = self.statuses.entry(session.clone()).or_default();
        if known.is_empty() || payload["status"].is_string() {
            status.clone_into(known);
        }
        if let Some(language) = payload["language"].as_str() {
            *self.languages.entry(language.to_owned()).or_default() += 1;
        }
        let minutes = line["t_mono_ms"].as_f64().unwrap() / 60_000.0;
        self.minutes.insert(session.clone(), minutes);
        if payload["trial_over"] == true {
            let item = line["item"].as_str().unwrap().trim_start_matches('q');
            self.judgements.push(Judgement {
                session,
                trial: line["trial"].as_u64().unwrap(),
                condition: line["condition"].as_str().unwrap().to_owned(),
                item: item.parse().unwrap(),
                p_first: payload["first_percent"].as_f64().unwrap() / 100.0,
            });
        }
    }

    fn sessions_by_status(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for status in self.statuses.values() {
            *counts.entry(status.as_str()).or_default() += 1;
        }
        counts
    }

    fn is_complete(&self, session: &str) -> bool {
        self.statuses[session] == "complete"
    }

    /// The median duration of the complete sessions in minutes.
    fn median_minutes(&self) -> f64 {
        let complete = self.minutes.iter().filter(|(it, _)| self.is_complete(it));
        let mut minutes: Vec<f64> = complete.map(|(_, minutes)| *minutes).collect();
        minutes.sort_by(f64::total_cmp);
        let middle = minutes.len() / 2;
        if minutes.len().is_multiple_of(2) {
            f64::midpoint(minutes[middle - 1], minutes[middle])
        } else {
            minutes[middle]
        }
    }
}

#[test]
#[ignore = "exhaustive: 60 s; every day: debates_are_played_before_and_judged_by_twelve_and_all_counts_agree"]
fn sixteen_participants_in_browsers_are_counted_as_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    let Some(mut first) = Page::open("about:blank") else {
        return;
    };
    if pilot(&folder).is_none() {
        return;
    }
    let run = |arguments: &[&str]| {
        let said = say(&folder, arguments, "");
        assert_eq!(said.code, Some(0), "{said:?}");
        said
    };
    run(&["study", "prepare", path(&folder), "--allow-commands"]);
    run(&["study", "check", path(&folder)]);
    let arguments = ["study", "serve", path(&folder)];
    let (server, lines) = Server::start_and_say(dir.path(), &arguments, 2);
    let public = format!("http://{}", server.address);
    let count = PARTICIPANTS.to_string();
    let invited = run(&[
        "study",
        "invite",
        path(&folder),
        "-n",
        &count,
        "--public",
        &public,
    ]);
    let links: Vec<&str> = invited.out.lines().collect();
    let others = |from: usize| (from..LATE).step_by(2);
    let images = thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut page = Page::open("about:blank").expect("a browser");
            let images = others(1).map(|number| participant(&mut page, number, links[number]));
            images.sum::<usize>()
        });
        let images = others(0).map(|number| participant(&mut first, number, links[number]));
        let images: usize = images.sum();
        images + second.join().unwrap()
    });
    // All places of the quota are taken now.
    participant(&mut first, LATE, links[LATE]);

    let counted = ByHand::count(&folder);
    let by_status = counted.sessions_by_status();
    let wanted = [
        ("complete", 13),
        ("quota_full", 1),
        ("screened_out", 1),
        ("withdrawn", 1),
    ];
    assert_eq!(by_status, BTreeMap::from(wanted));
    let on_images = counted.judgements.iter().filter(|it| it.item < WITH_IMAGE);
    assert!(images >= on_images.count() && images > 0, "{images}");
    report_agrees(&folder, &counted);
    tables_agree(&folder, &counted);
    let cents = payments_agree(&folder, &counted);
    let (_, key) = lines[1].split_once("/status?key=").expect("a key");
    let address = format!("{public}/status?key={key}&still=1");
    dashboard_agrees(&mut first, &address, &counted, cents);
    run(&["verify", path(&folder)]);
}

fn report_agrees(folder: &Path, counted: &ByHand) {
    let report = ["study", "report", path(folder), "--json"];
    let report = document(&say(folder, &report, ""));
    let flow = &report["flow"];
    assert_eq!(flow["sessions"], json!(counted.statuses.len()));
    assert_eq!(flow["by_status"], json!(counted.sessions_by_status()));
    assert_eq!(flow["by_language"], json!(counted.languages));
    assert_eq!(flow["counted"], json!(13));
    assert_eq!(flow["damaged"], json!(0));
    for condition in report["conditions"].as_array().unwrap() {
        let own = counted
            .judgements
            .iter()
            .filter(|it| counted.is_complete(&it.session) && it.condition == condition["id"]);
        let own: Vec<f64> = own.map(Judgement::p_right).collect();
        // Each participant judges two questions under each condition.
        assert_eq!((own.len(), &condition["n"]), (26, &json!(26)));
        let right = own.iter().filter(|p| **p > 0.5).count();
        assert_eq!(condition["correct"], json!(right), "{condition}");
        let brier = own.iter().map(|p| (1.0 - p).powi(2)).sum::<f64>() / 26.0;
        let reported = condition["brier"]["mean"].as_f64().unwrap();
        assert!((reported - brier).abs() < 1e-9, "{reported} {brier}");
    }
}

/// The rows of a table of the export.
fn table(folder: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let file = format!("export/data/study-trains_description-{name}_data.csv");
    let mut reader = csv::Reader::from_path(folder.join(file)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

fn tables_agree(folder: &Path, counted: &ByHand) {
    let exported = say(folder, &["study", "export", path(folder)], "");
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let statuses = table(folder, "participants")
        .into_iter()
        .map(|row| (row["session"].clone(), row["status"].clone()));
    assert_eq!(statuses.collect::<BTreeMap<_, _>>(), counted.statuses);
    let rows = table(folder, "trials");
    assert_eq!(rows.len(), counted.judgements.len());
    for judgement in &counted.judgements {
        let is_own = |row: &&BTreeMap<String, String>| {
            row["session"] == judgement.session && row["trial"] == judgement.trial.to_string()
        };
        let row = rows.iter().find(is_own).expect("a row");
        assert_eq!(row["p_first"].parse(), Ok(judgement.p_first), "{row:?}");
        assert_eq!(row["condition"], judgement.condition);
        let is_counted = counted.is_complete(&judgement.session);
        assert_eq!(row["is_counted"], is_counted.to_string(), "{row:?}");
    }
}

/// Returns the sum of all payments in cents.
fn payments_agree(folder: &Path, counted: &ByHand) -> u64 {
    let paid = say(folder, &["study", "pay", path(folder)], "");
    assert_eq!(paid.code, Some(0), "{paid:?}");
    let file = fs::read_to_string(folder.join("private/payments.csv")).unwrap();
    let mut sum = 0;
    let mut sessions = Vec::new();
    for line in file.lines().skip(1) {
        let [_, session, trial, score, cents, why] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        sum += cents.parse::<u64>().unwrap();
        sessions.push(session);
        if why == "screened_out" {
            assert_eq!((counted.statuses[session].as_str(), cents), (why, "20"));
            continue;
        }
        assert!(counted.is_complete(session), "{line}");
        let is_own = |it: &&Judgement| it.session == session && it.trial.to_string() == trial;
        let p = counted.judgements.iter().find(is_own).unwrap().p_right();
        let worth = 1.0 - (1.0 - p).powi(2);
        assert_eq!(score, format!("{worth:.4}"));
        assert_eq!(cents, format!("{:.0}", (300.0 * worth).round()));
    }
    // Each complete session and the screened-out one is paid once.
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!((sessions.len(), file.lines().count()), (14, 15), "{file}");
    sum
}

fn dashboard_agrees(page: &mut Page, address: &str, counted: &ByHand, cents: u64) {
    page.command("Page.navigate", &json!({"url": address}));
    // The rows of each table, by the caption of the table.
    let tables = "document.readyState === 'complete' && Object.fromEntries([...document.querySelectorAll('table')].map(
        (table) => [table.caption.textContent, [...table.rows].map((row) => [...row.cells].map((it) => it.textContent.trim()))]
    ))";
    let tables = wait_until("the dashboard", || {
        let tables = page.value(tables);
        tables["All sessions"].is_array().then_some(tables)
    });
    let cell = |caption: &str, name: &str| {
        let rows = tables[caption].as_array().unwrap();
        let row = rows.iter().find(|row| row[0] == name);
        row.unwrap_or_else(|| panic!("{name}: {tables}"))[1]
            .as_str()
            .unwrap()
            .to_owned()
    };
    for (status, sessions) in counted.sessions_by_status() {
        let shown = cell("All sessions", &status.replace('_', " "));
        assert_eq!(shown, sessions.to_string(), "{status}");
    }
    let figures = "Time, pay and attention";
    let paid = cell(figures, "pay of all participants so far, in cents");
    assert_eq!(paid, cents.to_string());
    let minutes = cell(figures, "median minutes of complete sessions");
    assert_eq!(minutes, format!("{:.1}", counted.median_minutes()));
    let quotas = tables["Quotas: participants with a place"]
        .as_array()
        .unwrap();
    let quota = format!("{} of 6", counted.daily);
    let shown = quotas
        .iter()
        .any(|row| row[1].as_str().is_some_and(|it| it.ends_with(&quota)));
    assert!(shown, "{quota}: {quotas:?}");
    let steps = tables["Sessions that reached each step"]
        .as_array()
        .unwrap();
    let reached = |row: &Value| row[1].as_str().unwrap().parse::<usize>().unwrap();
    assert_eq!(reached(&steps[1]), PARTICIPANTS, "{steps:?}");
    assert_eq!(reached(steps.last().unwrap()), 13, "{steps:?}");
    let each = tables["Each session with its last answer"]
        .as_array()
        .unwrap();
    assert_eq!(each.len(), 1 + counted.statuses.len());
    barriers(page);
}
