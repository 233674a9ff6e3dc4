//! Golden playthroughs: small debates of each protocol, written out in full. They reveal any change of the rules, of a
//! sentence, of a seat's observations or of a save's lines.
//!
//! The files are in `tests/golden/`. After an intended change, `UPDATE=1 cargo test --test suite debates::golden`
//! writes them again; read the difference before you keep it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::support::pairs::PAIRS;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number, format_canonical};
use debate_core::player::{Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{
    Bet, BitString, ChanceDraw, Event, LogEntry, LogViewerRole, PendingTurn, Protocol,
    ProtocolKind, Reply, Request, Rules, Seat, SeatResourceCosts, State,
};
use debate_core::scenario::{Instance, JudgeSees, Speech};
use debate_host::record::{SaveHeader, by_round, verify_save_bytes, whole_save_text};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_text::{DebateNarrator, FormulaCharacterSet};

/// The players and the seed of each pair.
pub const PLAYED: &[(&str, [&str; 3], &str)] = &[
    (
        "prover-estimator",
        ["random", "stubborn(0.25)", "noisy(0.5)"],
        "7",
    ),
    ("recursive", ["obfuscator", "bounded(3)", "oracle"], "7"),
    ("bisection", ["liar(2)", "honest", "oracle"], "7"),
    ("cross-examination", ["liar", "honest", "oracle"], "7"),
    (
        "cross-examination-witness",
        ["honest", "random", "oracle"],
        "7",
    ),
    ("descent", ["liar", "honest", "oracle"], "7"),
    ("stochastic", ["drifting(0.25)", "honest", "oracle"], "7"),
    ("quantifiers", ["honest", "honest", "oracle"], "7"),
    ("quantifiers-direct", ["liar", "honest", "oracle"], "7"),
    ("verified", ["liar(2)", "honest", "oracle"], "7"),
    ("speeches-at-once", ["quoter", "silent", "oracle"], "7"),
];

/// Every legal reply is listed up to this number of bits or steps.
const NAMED: u64 = 5;

#[test]
fn every_protocol_has_a_golden_playthrough() {
    let played = |kind: &ProtocolKind| {
        PLAYED.iter().any(|(name, ..)| {
            let pair = PAIRS.iter().find(|pair| pair.name == *name);
            Protocol::parse(pair.expect("a pair of this name").protocol)
                .is_ok_and(|protocol| protocol.kind() == *kind)
        })
    };
    for kind in ProtocolKind::ALL {
        let name = kind.protocol_name();
        assert!(
            played(kind),
            "add a line for {name} to PLAYED in tests/debates/golden.rs"
        );
    }
}

#[test]
fn debates_are_played_as_they_were() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let update = std::env::var_os("UPDATE").is_some();
    let mut names = BTreeSet::new();
    for (name, players, seed) in PLAYED {
        let told = playthrough(name, players, seed);
        let path = folder.join(format!("{name}.txt"));
        names.insert(path.clone());
        if update {
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(&path, told).expect("written");
            continue;
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let differs = told
            .lines()
            .zip(kept.lines())
            .position(|(now, was)| now != was);
        let line = differs.unwrap_or_else(|| told.lines().count().min(kept.lines().count()));
        assert!(
            told == kept,
            "{}:{}: this debate is played otherwise now: {:?} was {:?}; if that is meant, run \
             UPDATE=1 cargo test --test suite debates::golden",
            path.display(),
            line + 1,
            told.lines().nth(line),
            kept.lines().nth(line),
        );
    }
    let there = fs::read_dir(&folder).expect("the golden playthroughs");
    let there: BTreeSet<PathBuf> = there.map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(there, names, "files and debates");
}

/// A debate of [`PLAYED`] before the first move.
pub struct Golden {
    pub setup: LoadedScenario,
    pub protocol: Protocol,
    pub instance: Instance,
    seed: Seed,
    players: [PlayerSpec; 3],
}

impl Golden {
    pub fn new(name: &str, players: &[&str; 3], seed: &str) -> Self {
        let pair = PAIRS.iter().find(|pair| pair.name == name).expect("a pair");
        let origin = ScenarioTextSource::Text(name.to_owned());
        let setup = LoadedScenario::from_text(&pair.scenario(), origin, &ScenarioLimits::default());
        let setup = setup.expect("a scenario");
        let seed = Seed::new(seed).expect("a seed");
        Self {
            instance: setup.instance(setup.world_of_debate(&seed, 0)),
            protocol: Protocol::parse(pair.protocol).expect("a protocol"),
            players: players.map(|player| PlayerSpec::parse(player).expect("a player")),
            setup,
            seed,
        }
    }

    pub fn seating(&self) -> SeatedDebate<'_, Exact> {
        let seats = Seat::PLAYERS.map(|seat| {
            let spec = &self.players[seat.seat_index()];
            let built = StrategyRegistry::registry_with_builtin_players().build(
                spec,
                seat,
                &self.instance,
                &self.protocol,
            );
            Player::Builtin(built.expect("a player"))
        });
        let start = self.protocol.start::<Exact>(&self.instance);
        SeatedDebate::new(start.expect("it fits"), seats, &self.seed, 0)
    }
}

/// A debate written out in full.
fn playthrough(name: &str, players: &[&str; 3], seed: &str) -> String {
    let golden = Golden::new(name, players, seed);
    let mut seating = golden.seating();
    let Golden {
        setup,
        protocol,
        instance,
        seed,
        ..
    } = &golden;
    let header = SaveHeader::new(
        setup,
        protocol.clone(),
        seed.clone(),
        instance,
        players.map(str::to_owned),
    );
    let narrator = DebateNarrator::new(instance, FormulaCharacterSet::Unicode);

    let [prover, opponent, judge] = players;
    let mut out = format!(
        "{}\n{protocol}, instance {}, seed {}\nprover {prover}, opponent {opponent}, judge {judge}\n",
        setup.title,
        instance.world_name(),
        seed.as_str(),
    );
    for number in 1.. {
        let Some(turn) = seating.turn() else { break };
        assert!(number < 1000, "{name}: a small debate ends soon");
        tell_request(&mut out, number, &turn, &narrator, &seating);
        seating
            .make_automatic_move()
            .unwrap_or_else(|stuck| panic!("{name}: {stuck}"));
        let latest = seating.latest().expect("just made");
        let _ = writeln!(out, "  reply: {}", reply_text(&latest.made.reply));
        let first = seating.log().entries().len() - latest.events.len();
        for (place, entry) in latest.events.iter().enumerate() {
            tell_event(&mut out, first + place, entry, &narrator, &seating);
        }
        tell_ledger(&mut out, &seating);
    }
    tell_end(&mut out, &seating);
    tell_views(&mut out, &narrator, &seating);
    let piece = whole_save_text(&header, &seating).expect("a save");
    assert!(
        verify_save_bytes(piece.text.as_bytes(), &ScenarioLimits::default())
            .expect("a save")
            .ok
    );
    let _ = writeln!(out, "\nAs a save:");
    for row in piece
        .text
        .lines()
        .skip_while(|row| row.trim() != "events: [")
    {
        let shown = row.rsplit_once(", h: \"").map_or(row, |(row, _)| row);
        let _ = writeln!(out, "{}", shown.trim_end());
    }
    out
}

fn tell_request(
    out: &mut String,
    number: usize,
    turn: &PendingTurn<Exact>,
    narrator: &DebateNarrator<'_>,
    seating: &SeatedDebate<'_, Exact>,
) {
    let question = narrator.pending_question(turn, seating.log());
    let request = variant(&turn.request);
    let _ = writeln!(
        out,
        "\n{number}. {} is asked: {request}",
        turn.seat.player_name_of_seat()
    );
    let _ = writeln!(out, "  {}: {}", question.title, question.text);
    if let Some(evidence) = question.evidence {
        let _ = writeln!(out, "  evidence: {}", evidence.replace('\n', " / "));
    }
    if let Request::Oracle { .. } = turn.request {
        let path = narrator
            .claim_path_sentence(turn, seating.log())
            .unwrap_or_default();
        let _ = writeln!(out, "  to a judge who sees the path: {path}");
    }
    let state = seating.state();
    if let Some(round) = state.round() {
        let _ = writeln!(out, "  round: {round}");
    }
    if let Some(prepared) = state.honest_reply_bits() {
        let _ = writeln!(out, "  prepared: {prepared}");
    }
    let _ = writeln!(out, "  legal: {}", legal(state, &turn.request));
}

/// The replies that the rules accept, found by trying each one.
fn legal(state: &State<'_, Exact>, request: &Request<Exact>) -> String {
    let takes = |reply: &Reply<Exact>| state.clone().reply(reply.clone(), &mut ()).is_ok();
    let named = |replies: Vec<Reply<Exact>>| {
        let texts = replies.iter().filter(|reply| takes(reply)).map(reply_text);
        texts.collect::<Vec<_>>().join(" · ")
    };
    match request {
        Request::Answer { .. } => named([false, true].map(Reply::Answer).into()),
        Request::Probability { .. } | Request::Share { .. } => {
            let number = |top, bottom| Reply::Probability(Exact::ratio(top, bottom));
            assert!(takes(&number(0, 1)) && takes(&number(1, 3)) && takes(&number(1, 1)));
            assert!(!takes(&number(-1, 3)) && !takes(&number(4, 3)));
            "any number from 0 to 1".to_owned()
        }
        Request::Direction { .. } => named(Bet::ALL.map(Reply::Direction).into()),
        Request::Support { offered, .. } => named((0..=*offered).map(Reply::Support).collect()),
        Request::Select { count, .. } => named((0..=*count).map(Reply::Select).collect()),
        Request::Challenge { steps, .. } => {
            let none = std::iter::once(None);
            let each = (0..=steps.end).map(Some);
            named(none.chain(each).map(Reply::Challenge).collect())
        }
        Request::Bits { length, .. } if u64::from(*length) <= NAMED => {
            let each = (0..1_u64 << length)
                .map(|bits| Reply::Bits(BitString::low_bits_of_number(bits, *length)));
            named(each.collect())
        }
        Request::Bits { length, .. } => {
            for bit in [false, true] {
                let bits = |count: u32| Reply::Bits((0..count).map(|_| bit).collect());
                assert!(takes(&bits(*length)) && !takes(&bits(length + 1)));
            }
            format!("any {length} bits")
        }
        Request::Oracle { .. } => {
            let answer = |holds, confidence| Reply::Oracle { holds, confidence };
            assert!(takes(&answer(true, Some(Exact::ratio(1, 3)))));
            assert!(!takes(&answer(true, Some(Exact::ratio(4, 3)))));
            named(vec![answer(false, None), answer(true, None)]) + ", with a confidence or without"
        }
        Request::Speech { .. } => {
            let say = |text: &str| Reply::Speech(Box::new(Speech::parse(text).expect("a speech")));
            assert!(takes(&say("")) && takes(&say("<quote>He</quote>")));
            // The rules treat a quote that is not in the source as the speaker's own words.
            assert!(takes(&say("<quote>nobody said this</quote>")) && !takes(&say("\u{1b}")));
            "any text, with quotes from the source".to_owned()
        }
        Request::Continue { .. } => named([false, true].map(Reply::Continue).into()),
        Request::Draw { draw, .. } => match draw {
            ChanceDraw::Bernoulli(p) => {
                let each = named((0..=2).map(Reply::Drawn).collect());
                format!("{each} (1 with probability {})", format_canonical(p))
            }
            ChanceDraw::Binomial { count, p } => {
                assert!(!takes(&Reply::Drawn(count + 1)));
                format!(
                    "how many of {count} are 1, each with probability {}",
                    format_canonical(p)
                )
            }
        },
    }
}

fn reply_text(reply: &Reply<Exact>) -> String {
    match reply {
        Reply::Answer(answer) => format!("Answer({answer})"),
        Reply::Probability(p) => format!("Probability({})", format_canonical(p)),
        Reply::Direction(bet) => format!("Direction({bet:?})"),
        Reply::Support(place) => format!("Support({place})"),
        Reply::Compose(composed) => format!("Compose({composed:?})"),
        Reply::Select(place) => format!("Select({place})"),
        Reply::Bits(bits) => format!("Bits({bits})"),
        Reply::Challenge(None) => "Challenge(None)".to_owned(),
        Reply::Challenge(Some(step)) => format!("Challenge({step})"),
        Reply::Oracle { holds, confidence } => match confidence {
            None => format!("Oracle({holds})"),
            Some(p) => format!("Oracle({holds}, {})", format_canonical(p)),
        },
        Reply::Speech(speech) => format!("Speech({:?})", speech.to_string()),
        Reply::Continue(continues) => format!("Continue({continues})"),
        Reply::Drawn(value) => format!("Drawn({value})"),
    }
}

/// The name of an enum's variant.
fn variant(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    let end = text.find([' ', '(', '{']).unwrap_or(text.len());
    text.chars().take(end).collect()
}

fn said(
    narrator: &DebateNarrator<'_>,
    seating: &SeatedDebate<'_, Exact>,
    index: usize,
    seat: Option<Seat>,
) -> String {
    match narrator.narrate(seating.log(), index, seat) {
        None => "(nothing is said of it)".to_owned(),
        Some(told) => match told.who {
            None => told.text,
            Some(who) => format!("{} {}", who.player_name_of_seat(), told.text),
        },
    }
}

/// Writes an event, and each seat's observation at that moment if it differs.
fn tell_event(
    out: &mut String,
    index: usize,
    entry: &LogEntry<Exact>,
    narrator: &DebateNarrator<'_>,
    seating: &SeatedDebate<'_, Exact>,
) {
    let whole = said(narrator, seating, index, None);
    let _ = writeln!(out, "  {}: {whole}", variant(&entry.event));
    // A judge who may not see the transcript sees only their own answers in it.
    for sees in [JudgeSees::Leaf, JudgeSees::Path] {
        let judge = LogViewerRole::new(Seat::Judge, sees);
        let seen = seating.log().observation_at(index, judge);
        assert_eq!(seen.is_some(), entry.seat == Seat::Judge, "{entry:?}");
    }
    for seat in Seat::PLAYERS {
        let seen = said(narrator, seating, index, Some(seat));
        if seen != whole {
            let _ = writeln!(out, "    to the {seat}: {seen}");
        }
    }
}

fn tell_ledger(out: &mut String, seating: &SeatedDebate<'_, Exact>) {
    let ledger = seating.spending_by_seat();
    let each = Seat::PLAYERS
        .iter()
        .chain([&Seat::Chance])
        .filter_map(|seat| {
            let spent = *ledger.spending_of_seat(*seat);
            (spent != SeatResourceCosts::default()).then(|| {
                format!(
                    "{seat} {} calls, {} bits, {} queries, {} samples",
                    spent.calls, spent.bits_read, spent.oracle_queries, spent.samples
                )
            })
        });
    let _ = writeln!(out, "  spent: {}", each.collect::<Vec<_>>().join("; "));
}

fn tell_end(out: &mut String, seating: &SeatedDebate<'_, Exact>) {
    let state = seating.state();
    let paid: Exact = seating
        .log()
        .entries()
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Rewarded(reward) => Some(reward.payment_to_prover()),
            _ => None,
        })
        .sum();
    assert_eq!(paid, state.payoff());
    let _ = writeln!(out, "\nAlice receives {}.", format_canonical(&paid));
    let sums = by_round(state, seating.log());
    for ((round, weight), sum) in state.schedule().iter().zip(&sums) {
        let (weight, sum) = (format_canonical(weight), format_canonical(sum));
        let _ = writeln!(out, "  round {round}: {sum}, at most {weight}");
    }
    if let Some(spoken) = state.verifier_input() {
        let _ = writeln!(out, "  what the verifier may read: {spoken}");
    }
}

/// Writes the final view of each seat, as far as it differs from the public one.
fn tell_views(out: &mut String, narrator: &DebateNarrator<'_>, seating: &SeatedDebate<'_, Exact>) {
    let view = |seat: Option<Seat>| {
        let indices = 0..seating.log().entries().len();
        indices
            .map(|index| said(narrator, seating, index, seat))
            .collect::<Vec<_>>()
    };
    let whole = view(None);
    for seat in Seat::PLAYERS {
        let seen = view(Some(seat));
        if seen == whole {
            let _ = writeln!(out, "\nIn the end the {seat} has seen all of it.");
            continue;
        }
        let _ = writeln!(out, "\nIn the end the {seat} has seen:");
        for line in seen {
            let _ = writeln!(out, "  {line}");
        }
    }
}
