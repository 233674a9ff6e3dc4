//! Three participants in one debate, each in a separate browser. The server is killed at every answer, and participants
//! leave the waiting room and the debate. No page shows text that only another seat may see.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use debate_host::record::{Save, list_save_files, verify_file};
use debate_solver::setup::ScenarioLimits;
use serde_json::json;

use super::client::{Client, Response};
use super::{Pilot, Server, serve};
use crate::support::program::{json as document, path, say};
use crate::support::studies::study;

/// Direct questions, and debates of three participants about them. Debaters read the source, and the judge does not.
pub(super) const STUDY: &str = r#"Study(
    format: 1, id: "together", title: "Debating together", stage: Pilot, seed: 3,
    roles: [Prover, Opponent, Judge],
    group: (wait_s: 600, turn_s: 600, cents: 40),
    conditions: [
        (id: "alone", shown_as: "Task K", task: Direct(shows: Question)),
        (id: "argued", shown_as: "Task M", task: Debate(protocol: Speeches(rounds: 2, simultaneous: true, judge_feedback: true))),
    ],
    items: (questions: "set.jsonl"),
    design: Within(blocks: 1),
    flow: [Consent("consent.md"), Trials, Debrief(reveal: true)],
    response: Probability(confirm: false),
    codes: (complete: "DONE", waited: "WAITED", left_alone: "LEFT"),
    target: (participants: 6), stop: Participants(6),
    bonus: OneTrial(score: Quadratic, cents: 300),
    analysis: (primary: Difference(measure: Brier, of: "argued", against: "alone")),
)"#;

/// A secret that occurs only in the source.
const SECRET: &str = "The cellar was dry";

pub(super) fn pilot(text: &str, count: usize) -> Pilot {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    study(&folder, text);
    let rows = (0..4).map(|number| {
        json!({
            "id": format!("q{number}"), "question": format!("Question {number}?"), "answers": ["Yes", "No"],
            "correct": number % 2, "source": format!("{SECRET}. The roof was wet."),
        })
    });
    let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
    fs::write(folder.join("set.jsonl"), rows.join("\n")).unwrap();
    let links = super::invited(&folder, count);
    Pilot { dir, folder, links }
}

fn waits(page: &Response) -> bool {
    page.body.contains("data-poll=")
}

/// The seat that a page names.
fn seat(page: &Response) -> Option<&'static str> {
    let who = page.details().split_once("Your role: ")?.1;
    let names = [("Alice", "Alice"), ("Bob", "Bob"), ("The judge", "Judge")];
    let mut named = names.into_iter().filter(|(name, _)| who.starts_with(name));
    Some(named.next()?.1)
}

/// The lines of a page except those with a remaining time, which differ after a restart of the server.
fn without_times(page: &Response) -> Vec<&str> {
    let lines = page.body.lines();
    let has_time =
        |line: &&str| line.contains("class=\"timer\"") || line.contains("role=\"timer\"");
    lines.filter(|line| !has_time(line)).collect()
}

/// The number that a participant in this seat gives as every estimate.
fn percent(seat: Option<&str>) -> &'static str {
    match seat {
        Some("Alice") => "71",
        Some("Bob") => "83",
        _ => "64",
    }
}

/// A participant in a debate.
struct Person {
    client: Client,
    /// All pages that were shown to the participant.
    pages: Vec<Response>,
    seat: Option<&'static str>,
    spoken: usize,
}

impl Person {
    fn new(server: &Server, link: &str) -> Self {
        let mut client = Client::new(&server.address);
        let page = client.come(link);
        Self {
            client,
            pages: vec![page],
            seat: None,
            spoken: 0,
        }
    }

    fn look(&mut self) -> Response {
        let page = self.client.get("/");
        self.seat = self.seat.or_else(|| seat(&page));
        self.pages.push(page.clone());
        page
    }

    /// Answers the current question. Returns false if there is none.
    fn step(&mut self) -> bool {
        let page = self.look();
        if waits(&page) || page.is_last() {
            return false;
        }
        let mut answer = page.answer();
        match answer.first_mut() {
            Some(("percent", value)) => percent(self.seat).clone_into(value),
            Some(("text", value)) => {
                self.spoken += 1;
                *value = format!(
                    "Words {} of {}.",
                    self.spoken,
                    self.seat.unwrap_or_default()
                );
            }
            _ => {}
        }
        let taken = self.client.answer(&page, &answer);
        assert_eq!(taken.status, 303, "{}", taken.body);
        true
    }

    /// Proceeds to the waiting room, or to a seat.
    fn wait_for_others(&mut self) {
        assert!(self.step(), "consent");
        self.look();
    }
}

fn look_all(people: &mut [Person]) {
    for person in people {
        person.look();
    }
}

fn statuses(folder: &Path) -> BTreeMap<String, String> {
    let status = document(&say(
        folder,
        &["study", "status", path(folder), "--json"],
        "",
    ));
    let sessions = status["sessions"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    sessions
        .map(|it| (text(&it["session"]), text(&it["status"])))
        .collect()
}

#[test]
fn three_participants_debate_despite_kills_at_every_answer() {
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = pilot(STUDY, 3);
    // A terminal offers no debates with other participants.
    let alone = say(&folder, &["study", "run", path(&folder), "--plain"], "");
    assert_eq!(alone.code, Some(2), "{alone:?}");
    assert!(
        alone.err.contains("run it in browsers with `study serve`"),
        "{}",
        alone.err
    );
    let checked = say(&folder, &["study", "check", path(&folder)], "");
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(
        checked
            .out
            .contains("a debate (speeches) in which they take the seats"),
        "{}",
        checked.out
    );
    let mut server = serve(&folder, &[]);
    let mut people: Vec<Person> = links
        .iter()
        .map(|link| Person::new(&server, link))
        .collect();
    let mut steps = 0;
    let mut restart = |people: &mut Vec<Person>| {
        server.kill();
        server = serve(&folder, &[]);
        for person in people {
            person.client.address.clone_from(&server.address);
        }
    };
    for place in 0..3 {
        people[place].wait_for_others();
        restart(&mut people);
    }
    // A participant who is seated meanwhile waits for no other.
    for _ in 0..2 {
        look_all(&mut people);
        restart(&mut people);
    }
    loop {
        let mut is_asked = false;
        for place in 0..3 {
            let has_answered = people[place].step();
            is_asked |= has_answered;
            if has_answered {
                steps += 1;
                let page = people[place].client.get("/");
                restart(&mut people);
                let again = people[place].client.get("/");
                assert_eq!(without_times(&again), without_times(&page));
                assert!(!page.body.contains("debate-tui"), "{}", page.body);
            }
        }
        if people.iter_mut().all(|person| person.look().is_last()) {
            break;
        }
        assert!(is_asked, "somebody is asked");
    }
    assert!(steps > 20, "{steps}");
    let ends = people.iter_mut().map(|person| person.look().body);
    assert!(
        ends.into_iter()
            .all(|end| end.contains("Your completion code: DONE"))
    );
    assert!(
        statuses(&folder)
            .values()
            .all(|status| status == "complete")
    );

    // One debate, one save, with the participants who held the seats.
    let saves = list_save_files(&folder.join("data/debates")).unwrap();
    assert_eq!(saves.len(), 1);
    assert!(
        verify_file(&saves[0], &ScenarioLimits::default())
            .unwrap()
            .ok
    );
    let save = Save::read_save(&saves[0]).unwrap();
    let sat: BTreeSet<&str> = save.header.tags["sessions"].split(' ').collect();
    assert_eq!(sat, BTreeSet::from(["s0000", "s0001", "s0002"]));
    // Each participant has a seat and their own replies in it: two speeches per debater, and the judge's words before
    // each round.
    let seats: BTreeSet<&str> = people.iter().filter_map(|person| person.seat).collect();
    assert_eq!(seats, BTreeSet::from(["Alice", "Bob", "Judge"]));
    let text = fs::read_to_string(&saves[0]).unwrap();
    for words in [
        "Words 1 of Alice.",
        "Words 2 of Alice.",
        "Words 1 of Bob.",
        "Words 2 of Bob.",
        "Words 1 of Judge.",
        "Words 2 of Judge.",
    ] {
        assert!(text.contains(words), "{words}");
    }
    // No debater reads words after the last round, so the judge is not asked for them.
    assert!(!text.contains("Words 3 of Judge."), "{text}");
    blind(&people);
    opened(&people);
    tables(&folder);
}

/// Checks that all participants read both speeches of a round after both are in.
fn opened(people: &[Person]) {
    for person in people {
        let own = person.seat.unwrap();
        let debate = person
            .pages
            .iter()
            .rfind(|page| page.body.contains("Words 2 of Bob."))
            .unwrap();
        assert!(debate.body.contains("Words 2 of Alice."), "{own}");
        assert!(!debate.body.contains("sealed until"), "{own}");
    }
}

/// Checks that no page shows text that only another seat may see.
fn blind(people: &[Person]) {
    for person in people {
        let seat = person.seat.unwrap();
        for page in &person.pages {
            let body = page.body.replace('\u{a0}', " ");
            assert!(seat != "Judge" || !body.contains(SECRET), "{body}");
            for other in people.iter().filter(|other| other.seat != person.seat) {
                // A debater's estimate is hidden from the others. The judge's estimate is public in the debate.
                if other.seat != Some("Judge") {
                    let number = format!("{} %", percent(other.seat));
                    assert!(!body.contains(&number), "{seat} sees {number}: {body}");
                }
            }
            // The simultaneous speech of the other debater appears after both have spoken.
            let speaks = body.contains("<textarea") && page.details().contains("Your role: B");
            if speaks && !body.contains("of Bob.") {
                assert!(!body.contains("of Alice."), "{body}");
                assert!(body.contains("Alice has answered."), "{body}");
            }
            // A debater who writes sees the text, and can quote it with a button.
            let writes = body.contains("<textarea") && seat != "Judge";
            assert_eq!(body.contains("class=\"quoter\""), writes, "{body}");
            assert_eq!(body.contains("id=\"source\" open"), writes, "{body}");
        }
        let has_source = person.pages.iter().any(|page| page.body.contains(SECRET));
        assert_eq!(has_source, seat != "Judge", "{seat}");
    }
}

/// Checks that report, tables and payments compare the judge's numbers, and contain the bonus of all participants.
fn tables(folder: &Path) {
    let report = document(&say(
        folder,
        &["study", "report", path(folder), "--json"],
        "",
    ));
    let groups = &report["flow"]["groups"];
    assert_eq!(
        (&groups["made"], &groups["complete"], &groups["void"]),
        (&json!(1), &json!(1), &json!(0))
    );
    for condition in report["conditions"].as_array().unwrap() {
        assert_eq!(condition["n"], json!(1), "{condition}");
    }
    assert_eq!(
        say(folder, &["study", "export", path(folder)], "").code,
        Some(0)
    );
    let trials = folder.join("export/data/study-together_description-trials_data.csv");
    let mut reader = csv::Reader::from_path(trials).unwrap();
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 6);
    let compared: Vec<_> = rows
        .iter()
        .filter(|row| row["is_compared"] == "true")
        .collect();
    assert!(compared.len() == 2 && compared.iter().all(|row| row["role"] == "judge"));
    let argued = compared
        .iter()
        .find(|row| row["condition"] == "argued")
        .unwrap();
    assert!(
        ["0.64", "0.36"].contains(&argued["p_first"].as_str()),
        "{argued:?}"
    );
    // The table without names still shows which participants debated together.
    let out = folder.join("anonymous");
    let anonymous = [
        "study",
        "export",
        path(folder),
        "--anonymise",
        "--out",
        path(&out),
    ];
    assert_eq!(say(folder, &anonymous, "").code, Some(0));
    let people = out.join("data/study-together_description-participants_data.csv");
    let mut reader = csv::Reader::from_path(people).unwrap();
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let group = &rows[0]["group"];
    assert!(rows.iter().any(|row| row["session"] == *group), "{rows:?}");
    assert!(rows.iter().all(|row| row["group"] == *group), "{rows:?}");
    assert_eq!(
        say(folder, &["study", "pay", path(folder)], "").code,
        Some(0)
    );
    let paid = fs::read_to_string(folder.join("private/payments.csv")).unwrap();
    assert_eq!(
        paid.lines().filter(|line| line.ends_with(",bonus")).count(),
        3,
        "{paid}"
    );
}

#[test]
fn leaving_the_waiting_room_frees_the_seat_and_vain_waits_are_paid() {
    let text = STUDY.replace("wait_s: 600", "wait_s: 1");
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = pilot(&text, 1);
    let server = serve(&folder, &[]);
    let mut first = Person::new(&server, &links[0]);
    first.wait_for_others();
    let end = loop {
        let page = first.look();
        if page.is_last() {
            break page;
        }
        assert!(
            waits(&page) && page.heading() == "Waiting for others",
            "{}",
            page.body
        );
        assert!(
            page.body.contains("http-equiv=\"refresh\""),
            "{}",
            page.body
        );
    };
    assert!(
        end.body.contains("Too few participants joined in time") && end.body.contains("WAITED"),
        "{}",
        end.body
    );
    drop(server);

    let Pilot {
        dir: _other,
        folder,
        links,
    } = pilot(STUDY, 4);
    let server = serve(&folder, &[]);
    let mut people: Vec<Person> = links
        .iter()
        .map(|link| Person::new(&server, link))
        .collect();
    let (one, others) = people.split_first_mut().unwrap();
    one.wait_for_others();
    others[0].wait_for_others();
    // The first participant leaves; the three others get the debate.
    let page = one.look();
    assert_eq!(
        one.client
            .answer(&page, &[("leave", "1".to_owned())])
            .status,
        303
    );
    let asked = one.look();
    assert_eq!(
        one.client
            .answer(&asked, &[("choice", "2".to_owned())])
            .status,
        303
    );
    assert!(one.look().is_last());
    for other in &mut others[1..] {
        other.wait_for_others();
    }
    for other in others {
        assert!(!other.look().heading().contains("Waiting"), "a seat");
    }
    let found = statuses(&folder);
    assert_eq!(found["s0000"], "withdrawn");
}

#[test]
#[ignore = "exhaustive: 61 s; every day: an_absent_member_forfeits_and_frees_the_schedule_row"]
fn an_absent_debater_ends_the_debate_for_the_group() {
    // Long enough for the answers of the others on a busy machine.
    let text = STUDY.replace("turn_s: 600", "turn_s: 60");
    let Pilot {
        dir: _dir,
        folder,
        links,
    } = pilot(&text, 3);
    let server = serve(&folder, &[]);
    let mut people: Vec<Person> = links
        .iter()
        .map(|link| Person::new(&server, link))
        .collect();
    people.iter_mut().for_each(Person::wait_for_others);
    look_all(&mut people);
    // Bob never speaks, so the others wait for him.
    let mut away = None;
    let mut left = 0;
    while left < 2 {
        thread::sleep(Duration::from_millis(100));
        left = 0;
        for (place, person) in people.iter_mut().enumerate() {
            let page = person.look();
            if person.seat == Some("Bob") && page.body.contains("<textarea") {
                away = Some(place);
            }
            if away == Some(place) {
                continue;
            }
            person.step();
            left += usize::from(person.look().is_last());
        }
    }
    let away = away.expect("Bob was asked");
    for (place, person) in people.iter_mut().enumerate() {
        let end = person.look();
        let said = if place == away {
            "waited too long for your answer"
        } else {
            "has left, so your group cannot continue"
        };
        assert!(end.body.contains(said), "{}", end.body);
        assert_eq!(
            end.body.contains("Your completion code: LEFT"),
            place != away,
            "{}",
            end.body
        );
        assert_eq!(
            end.body.contains("You will be paid for your time."),
            place != away
        );
    }
    let report = document(&say(
        &folder,
        &["study", "report", path(&folder), "--json"],
        "",
    ));
    let groups = &report["flow"]["groups"];
    assert_eq!(
        (&groups["void"], &groups["left_alone"], &groups["forfeited"]),
        (&json!(1), &json!(2), &json!(1))
    );
    assert_eq!(
        say(&folder, &["study", "pay", path(&folder)], "").code,
        Some(0)
    );
    let paid = fs::read_to_string(folder.join("private/payments.csv")).unwrap();
    assert_eq!(
        paid.lines()
            .filter(|line| line.ends_with(",,,40,left_alone"))
            .count(),
        2,
        "{paid}"
    );
    let saves = list_save_files(&folder.join("data/debates")).unwrap();
    assert_eq!(
        Save::read_save(&saves[0])
            .unwrap()
            .forfeit()
            .map(|it| it.seat),
        Some("opponent")
    );
    // The row is free for other participants.
    let claims = fs::read_dir(folder.join("data/slots")).unwrap();
    let mut names: Vec<_> = claims
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["0000-0", "0000-0.returned"]);
}
