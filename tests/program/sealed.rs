//! What is sealed from a seat reaches it in no way: as a seat of `serve`, by the tools of `mcp`, as an
//! engine. A random debate is played again with one sealed reply changed, and whoever holds another seat
//! gets the same, word for word, until the seal opens.

use std::fs;

use serde_json::{Value, json};

use crate::support::driver::{Driver, legal_reply};
use crate::support::engines::command;

const SEATS: [&str; 3] = ["prover", "opponent", "judge"];
/// Scenarios with seals: of the prover's answer, of bets, of speeches at once.
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

/// A way in which another program plays seats.
pub(crate) trait Way {
    /// Begins a debate; returns its handles.
    fn begin(&mut self, new: &Value) -> Value;
    /// Everything that the holders of the seats can get now, and the seat that is asked with its request;
    /// `None` once the debate is over.
    fn told(&mut self, handles: &Value) -> Option<(Value, Vec<(&'static str, Value)>)>;
    /// Answers a request; false where the reply is not legal.
    fn reply(&mut self, handles: &Value, act: &Value, reply: &Value) -> bool;
}

/// A request, what every seat could get when it was put, and the reply.
struct Step {
    seat: String,
    kind: String,
    told: Vec<(&'static str, Value)>,
    reply: Value,
}

impl Step {
    /// Everything that a seat could get.
    fn to<'s>(&'s self, seat: &'s str) -> impl Iterator<Item = &'s Value> {
        let own = self.told.iter().filter(move |(other, _)| *other == seat);
        own.map(|(_, told)| told)
    }
}

/// A reply that can be sealed: the place of its event among those of its seat and kind.
struct Reply<'s> {
    seat: &'s str,
    event: &'static str,
    place: usize,
}

impl<'s> Reply<'s> {
    /// The reply of a step; `None` where no reply of its kind is ever sealed.
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

    /// Whether it is sealed in a view; `None` where it does not stand there.
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

/// A debate of random scenario and parameters.
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

/// Plays a debate by random replies; where it was played `before`, by the same ones, as far as they are
/// legal, but for the step to `change`, whose reply is to be another.
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

/// Compares what a seat gets after a step with what it gets where that step's reply is another, as long
/// as it is sealed and all others are the same. Returns how often.
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

/// The first place where two answers differ.
fn difference(told: &[&Value], same: &[&Value]) -> String {
    let lines = |all: &[&Value]| serde_json::to_string_pretty(all).unwrap();
    let (told, same) = (lines(told), lines(same));
    let mut lines = told.lines().zip(same.lines());
    let differ = lines.find(|(one, other)| one != other);
    differ.map_or_else(String::new, |(one, other)| format!("{one} and {other}"))
}

/// Plays random debates, and each again with every sealed reply changed in turn, up to so many.
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
    /// A line that was read and not taken.
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
fn no_line_of_the_server_tells_a_seat_what_is_sealed_from_it() {
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
fn no_line_tells_an_engine_what_is_sealed_from_its_seat() {
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
        // The last line, on the end, may not be written whole yet.
        let lines = text
            .lines()
            .map_while(|line| serde_json::from_str(line).ok());
        (steps, lines.collect::<Vec<Value>>())
    };
    let mut compared = 0;
    for seed in [0, 3, 4] {
        let (steps, first) = told(seed, (&[], None));
        // The answer is sealed until the estimator has bound itself.
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
