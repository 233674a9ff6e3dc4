//! A sealed value never reaches the seat that it is sealed from. Covers the seats of `serve`, the tools of `mcp`, and
//! engines. A random debate is played again with one sealed reply changed. Every other seat gets the same bytes until
//! the seal opens.

use std::fs;
use std::path::Path;

use debate_study::{CodeOrAddressByOutcome, Study, preview_pages};
use debate_text::Line;
use serde_json::{Value, json};

use crate::support::driver::{Driver, legal_reply};
use crate::support::engines::command;
use crate::support::program::say;
use crate::support::studies::study;

const SEATS: [&str; 3] = ["prover", "opponent", "judge"];
/// Scenarios with seals: of the prover's answer, of bets, of simultaneous speeches.
const SCENARIOS: [&str; 8] = [
    "caffeine",
    "lighthouse",
    "primes-small",
    "law",
    "hidden-flaw",
    "two-of-three",
    "primes",
    "pull-request",
];

/// An interface through which another program plays seats.
pub(crate) trait Way {
    /// Begins a debate; returns its handles.
    fn begin(&mut self, new: &Value) -> Value;
    /// Returns everything that the holders of the seats can get now, and the seat that is asked with its request.
    /// `None` if the debate is over.
    fn told(&mut self, handles: &Value) -> Option<(Value, Vec<(&'static str, Value)>)>;
    /// Answers a request. Returns false if the reply is not legal.
    fn reply(&mut self, handles: &Value, act: &Value, reply: &Value) -> bool;
}

/// A request, the data that every seat could get at that time, and the reply.
struct Step {
    seat: String,
    kind: String,
    told: Vec<(&'static str, Value)>,
    reply: Value,
}

impl Step {
    /// All data that a seat could get.
    fn to<'s>(&'s self, seat: &'s str) -> impl Iterator<Item = &'s Value> {
        let own = self.told.iter().filter(move |(other, _)| *other == seat);
        own.map(|(_, told)| told)
    }
}

/// A reply that can be sealed, and the index of its event among those of its seat and kind.
struct Reply<'s> {
    seat: &'s str,
    event: &'static str,
    place: usize,
}

impl<'s> Reply<'s> {
    /// The reply of a step; `None` if no reply of its kind is ever sealed.
    fn of(steps: &'s [Step], at: usize) -> Option<Self> {
        let Step { seat, kind, .. } = &steps[at];
        let event = match kind.as_str() {
            "answer" => "answered",
            "direction" => "betted",
            "speech" => "spoke",
            "probability" => "estimated",
            _ => return None,
        };
        let alike = |step: &&Step| (&step.seat, &step.kind) == (seat, kind);
        let place = steps[..at].iter().filter(alike).count();
        Some(Self { seat, event, place })
    }

    /// Returns true if the reply is sealed in a view; `None` if the view does not contain it.
    fn is_sealed(&self, told: &Value) -> Option<bool> {
        let mut events = told["view"]["events"].as_array()?.iter();
        let own = |event: &&Value| event["seat"] == self.seat && event["kind"] == self.event;
        let event = events.by_ref().filter(own).nth(self.place)?;
        let sealed = &event["sealed"];
        Some(sealed.is_string() && !events.any(|later| later["opened"] == *sealed))
    }
}

fn mixed(seed: u64, step: u64) -> u64 {
    let mixed =
        (seed ^ step.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 31)) >> 8
}

/// A debate with a random scenario and random parameters.
fn random_debate(seed: u64) -> Value {
    let pick = |of: u64, step| mixed(seed, step) % of;
    let scenario = SCENARIOS[usize::try_from(seed).unwrap() % SCENARIOS.len()];
    let mut new = json!({"scenario": scenario, "seats": SEATS, "seed": seed.to_string()});
    if scenario != "lighthouse" {
        let (epsilon, rho) = (1 + pick(3, 1), 1 + pick(8, 2));
        new["protocol"] = json!(format!(
            "ProverEstimator(epsilon: \"{epsilon}/8\", rho: \"{rho}/9\")"
        ));
    }
    new
}

/// Plays a debate by random replies. If `before` is given, repeats its replies as far as they are legal. The step
/// `change` gets a different reply.
fn play(
    way: &mut impl Way,
    new: &Value,
    seed: u64,
    (before, change): (&[Step], Option<usize>),
) -> Vec<Step> {
    let handles = way.begin(new);
    let mut steps = Vec::new();
    while let Some((act, told)) = way.told(&handles) {
        let place = steps.len();
        let was = before.get(place).map(|step| &step.reply);
        let changes = change == Some(place);
        let again = was.filter(|_| !changes).cloned();
        let random = (mixed(seed, place as u64)..).map(|number| legal_reply(&act, number));
        let reply = again
            .into_iter()
            .chain(random)
            .filter(|reply| !changes || Some(reply) != was)
            .find(|reply| way.reply(&handles, &act, reply))
            .unwrap();
        let seat = act["view"]["seat"].as_str().unwrap().to_owned();
        let kind = act["request"]["kind"].as_str().unwrap().to_owned();
        steps.push(Step {
            seat,
            kind,
            told,
            reply,
        });
    }
    steps
}

/// Compares the data that a seat gets in two debates whose replies at one step differ. Compares as long as that step's
/// reply is sealed and all other replies are equal. Returns the number of comparisons.
fn compare(steps: &[Step], others: &[Step], changed: usize, seat: &str) -> usize {
    let Some(reply) = Reply::of(steps, changed) else {
        return 0;
    };
    let mut compared = 0;
    for (step, other) in steps.iter().zip(others).skip(changed + 1) {
        match step.to(seat).find_map(|told| reply.is_sealed(told)) {
            None => {}
            Some(false) => break,
            Some(true) => {
                let (told, same): (Vec<_>, Vec<_>) =
                    (step.to(seat).collect(), other.to(seat).collect());
                assert!(
                    told == same,
                    "{} {}: {}",
                    reply.event,
                    steps[changed].reply,
                    difference(&told, &same)
                );
                compared += 1;
            }
        }
        if step.reply != other.reply {
            break;
        }
    }
    compared
}

/// The first difference between two answers.
fn difference(told: &[&Value], same: &[&Value]) -> String {
    let lines = |all: &[&Value]| serde_json::to_string_pretty(all).unwrap();
    let (told, same) = (lines(told), lines(same));
    let mut lines = told.lines().zip(same.lines());
    let differ = lines.find(|(one, other)| one != other);
    differ.map_or_else(String::new, |(one, other)| format!("{one} and {other}"))
}

/// Plays random debates, and each again with its first `most` sealed replies changed in turn.
pub(crate) fn debates_alike(way: &mut impl Way, seeds: std::ops::Range<u64>, most: usize) -> usize {
    let mut compared = 0;
    for seed in seeds {
        let new = random_debate(seed);
        let steps = play(way, &new, seed, (&[], None));
        let sealed = (0..steps.len()).filter(|at| {
            let mut others = SEATS.iter().filter(|seat| **seat != steps[*at].seat);
            others.any(|seat| compare(&steps, &steps, *at, seat) > 0)
        });
        let sealed: Vec<usize> = sealed.collect();
        for at in sealed.into_iter().take(most) {
            let others = play(way, &new, seed, (&steps, Some(at)));
            for seat in SEATS.iter().filter(|seat| **seat != steps[at].seat) {
                compared += compare(&steps, &others, at, seat);
            }
        }
    }
    compared
}

/// The seats of `serve`, by its lines.
struct Served {
    driver: Driver,
    /// A line that was read but not yet processed.
    next: Option<Value>,
    new: Value,
}

impl Served {
    fn next(&mut self) -> Value {
        self.next.take().unwrap_or_else(|| self.driver.next())
    }
}

impl Way for Served {
    fn begin(&mut self, new: &Value) -> Value {
        let mut new = new.clone();
        for (name, value) in self.new.as_object().unwrap() {
            new[name] = value.clone();
        }
        self.driver.begin(&new)
    }

    fn told(&mut self, handles: &Value) -> Option<(Value, Vec<(&'static str, Value)>)> {
        let said = self.next();
        if said["type"] == "end" {
            for _ in 1..handles.as_object().unwrap().len() {
                self.driver.next_of("end");
            }
            return None;
        }
        assert_eq!(said["type"], "act", "{said}");
        let seat = SEATS
            .into_iter()
            .find(|seat| said["debate"] == handles[seat]);
        let mut told = said.clone();
        told["debate"] = Value::Null;
        Some((said, vec![(seat.unwrap(), told)]))
    }

    fn reply(&mut self, _: &Value, act: &Value, reply: &Value) -> bool {
        self.driver.reply(act, reply);
        let next = self.driver.next();
        let legal = next["type"] != "illegal";
        self.next = Some(next).filter(|_| legal);
        legal
    }
}

#[test]
fn no_line_of_the_server_reveals_sealed_replies() {
    let folder = tempfile::tempdir().unwrap();
    let driver = Driver::start(folder.path(), &["--no-save"]);
    let new = json!({});
    let mut way = Served {
        driver,
        next: None,
        new,
    };
    let compared = debates_alike(&mut way, 0..16, 3);
    assert!(compared > 30, "{compared}");
    assert!(way.driver.end().is_empty());
}

#[test]
fn no_line_to_an_engine_reveals_sealed_replies() {
    let folder = tempfile::tempdir().unwrap();
    let Some(simple) = command("simple.py", "") else {
        return;
    };
    let driver = Driver::start(folder.path(), &["--no-save", "--allow-commands"]);
    let mut way = Served {
        driver,
        next: None,
        new: Value::Null,
    };
    let mut debates = 0;
    let mut told = |seed, again: (&[Step], Option<usize>)| {
        debates += 1;
        let lines = folder.path().join(format!("{debates}.log"));
        let engine = format!("engine:tee {} | {simple}", lines.display());
        way.new = json!({"seats": ["prover", "judge"], "players": {"opponent": engine}});
        let steps = play(&mut way, &random_debate(seed), seed, again);
        let text = fs::read_to_string(&lines).unwrap();
        // The last line, about the end, may be incomplete.
        let lines = text
            .lines()
            .map_while(|line| serde_json::from_str(line).ok());
        (steps, lines.collect::<Vec<Value>>())
    };
    let mut compared = 0;
    for seed in [0, 3, 4] {
        let (steps, first) = told(seed, (&[], None));
        // The answer is sealed until the estimator has committed itself.
        assert_eq!(steps[0].kind, "answer");
        let (_, second) = told(seed, (&steps, Some(0)));
        let answer = Reply::of(&steps, 0).unwrap();
        for (line, other) in first.iter().zip(&second) {
            match answer.is_sealed(line) {
                Some(false) => break,
                sealed => compared += usize::from(sealed.is_some()),
            }
            assert_eq!(line, other);
        }
    }
    assert!(compared >= 3, "{compared}");
}

/// Rules with sealed replies, and the texts of one debate under them.
struct Sealing {
    scenario: &'static str,
    rules: &'static str,
    /// A seat from which replies are sealed.
    seat: &'static str,
    /// Input that a user in this seat types repeatedly.
    typed: &'static str,
    /// Text that is shown once a reply is open.
    opened: &'static str,
    /// Text that the last page of a study has.
    on_pages: &'static str,
}

const SEALING: [Sealing; 3] = [
    Sealing {
        scenario: "caffeine",
        rules: "ProverEstimator(epsilon: 0.25, rho: 0.5)",
        seat: "opponent",
        typed: "50 %\n",
        opened: "Alice had said that it is",
        on_pages: "says: this is",
    },
    Sealing {
        scenario: "lighthouse",
        rules: "Speeches(rounds: 2, simultaneous: true)",
        seat: "opponent",
        typed: "I say so.\n",
        opened: "Alice says",
        on_pages: "Alice says",
    },
    // Each of two players gives a number for each coin.
    Sealing {
        scenario: "caffeine-plan",
        rules: "Stochastic(k: 3, constants: Paper)",
        seat: "prover",
        typed: "p=0.5\n0.5\n",
        opened: "Bob gives the number 0",
        on_pages: "Bob gives the number 0",
    },
];

/// True if an event has other fields than its kind, its seat and its sentence.
fn has_content(event: &Value) -> bool {
    let mut keys = event.as_object().unwrap().keys();
    keys.any(|key| !["seat", "text", "sealed", "kind"].contains(&key.as_str()))
}

/// Counts the sealed replies among the events that a seat got, and checks that they follow each opening event.
fn opened(events: &[Value]) -> usize {
    let mut count = 0;
    for (at, opening) in events.iter().enumerate() {
        let Some(seal) = opening["opened"].as_str() else {
            continue;
        };
        let hidden = |event: &&Value| {
            let is_meant = opening["seat"] == "chance" || opening["seat"] == event["seat"];
            event["sealed"] == seal && is_meant
        };
        let Some(sealed) = events[..at].iter().rev().find(hidden) else {
            panic!("nothing was sealed before {opening}");
        };
        count += 1;
        let mut shown = events[at + 1..].iter().take(2).filter(hidden);
        assert!(
            has_content(sealed) || shown.any(has_content),
            "{sealed} is never shown: {events:?}"
        );
    }
    count
}

/// Covers the messages of engines, plain lines, and the pages of studies. In streams the reply follows the opening.
/// Pages leave sealed replies out until they are opened.
#[test]
fn opened_replies_are_shown_in_every_front_end() {
    let dir = tempfile::tempdir().unwrap();
    for sealing in SEALING {
        let Sealing {
            scenario,
            rules,
            seat,
            typed,
            opened: words,
            on_pages,
        } = sealing;
        for history in [true, false] {
            let mut driver = Driver::in_process();
            let handles = driver.begin(&json!({
                "scenario": scenario, "protocol": rules, "seats": SEATS, "seed": "7", "history": history,
            }));
            let mut events = vec![Vec::new(); SEATS.len()];
            for _ in 0..SEATS.len() {
                driver.play(7, |said| {
                    let seat = SEATS
                        .iter()
                        .position(|seat| said["debate"] == handles[*seat]);
                    if let (Some(seat), Some(new)) = (seat, said["view"]["events"].as_array()) {
                        if history {
                            events[seat].clear();
                        }
                        events[seat].extend(new.iter().cloned());
                    }
                });
            }
            let found: usize = events.iter().map(|events| opened(events)).sum();
            assert!(found > 0, "{scenario}");
        }

        let folder = dir.path().join(scenario);
        fs::create_dir(&folder).unwrap();
        let arguments = [
            scenario,
            "--plain",
            "--protocol",
            rules,
            "--seed",
            "7",
            &format!("--{seat}"),
            "human",
        ];
        let played = say(&folder, &arguments, &typed.repeat(40));
        let (_, after) = played.out.split_once("(sealed until").unwrap();
        assert!(after.contains(words), "{}", played.out);
        let again = ["replay", "--last", "--plain", "--seen-by", seat];
        let replayed = say(&folder, &again, "");
        let (_, after) = replayed.out.split_once("(sealed until").unwrap();
        assert!(after.contains(words), "{}", replayed.out);

        let pages = pages_of_a_group(&dir.path().join("study"), scenario, rules);
        let seats = pages.len();
        let sealed = pages
            .iter()
            .flatten()
            .filter(|page| page.contains("(sealed until"));
        assert_eq!(sealed.count(), 0, "{scenario}");
        for pages in &pages {
            let last = pages.last().unwrap();
            assert!(!last.contains("(sealed until"), "{scenario}: {last}");
        }
        let shown = pages
            .iter()
            .filter(|pages| pages.last().unwrap().contains(on_pages));
        // The speaker reads "You say".
        assert!(shown.count() >= seats - 1, "{scenario}");
    }
}

/// The texts of each seat's pages in a study in which participants debate with each other.
fn pages_of_a_group(folder: &Path, scenario: &str, rules: &str) -> Vec<Vec<String>> {
    let text = GROUP
        .replace("{rules}", rules)
        .replace("{scenario}", scenario);
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    study(folder, &text);
    let study = Study::load(folder).unwrap();
    let pages = preview_pages(&study, &CodeOrAddressByOutcome::default()).unwrap();
    let mut seats: Vec<(String, Vec<String>)> = Vec::new();
    for page in pages {
        if page.condition.as_deref() != Some("argued") {
            continue;
        }
        let heading = &page.page.page.heading;
        if seats.last().is_none_or(|(last, _)| last != heading) {
            seats.push((heading.clone(), Vec::new()));
        }
        let lines = page.page.page.lines.iter().map(Line::plain_body_text);
        let text = lines.collect::<Vec<_>>().join("\n");
        seats.last_mut().unwrap().1.push(text);
    }
    seats.into_iter().map(|(_, pages)| pages).collect()
}

/// One debate of three participants.
const GROUP: &str = r#"Study(
    format: 1, id: "sealed", title: "Sealed replies", stage: Pilot, seed: 3, roles: [Prover, Opponent, Judge],
    group: (wait_s: 600, turn_s: 600),
    conditions: [
        (id: "alone", shown_as: "Task K", task: Direct(shows: Question)),
        (id: "argued", shown_as: "Task M", task: Debate(protocol: {rules})),
    ],
    items: (scenarios: ["{scenario}"]),
    design: Between(block: [2]),
    flow: [Consent("consent.md"), Trials],
    target: (participants: 6), stop: Participants(6),
    analysis: (primary: Difference(measure: Brier, of: "argued", against: "alone")),
)"#;
