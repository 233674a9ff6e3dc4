use std::collections::HashMap;

use debate_core::protocol::bisection::{
    BisectionDebate, BisectionHalfRule, BisectionProtocolParameters,
};
use debate_core::protocol::{
    BitString, BitsMeaning, DebateWithExaminedComputation as _, Event, Log,
    ProtocolParameters as _, Reply, Request, Rules as _, Seat, VerifierCheck, View,
};
use debate_core::scenario::Instance;

use crate::support::table_machine::{Hop, Hops, running};

/// The play of a seat: honest, or a best response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plays {
    Honest,
    Best,
}

/// The minimax value of a debate: a seat that plays its best tries every reply.
struct Search<'i> {
    instance: &'i Instance,
    prover: Plays,
    opponent: Plays,
    /// Outcomes by the values that determine the remaining debate: the two configurations, the number of steps between
    /// them, and the soundness of all given configurations.
    known: HashMap<(BitString, BitString, u64, bool), bool>,
    /// Maximum number of configurations that the verifier read, and of oracle queries.
    most: (u64, u64),
    rounds: u32,
}

impl<'i> Search<'i> {
    fn new(instance: &'i Instance, prover: Plays, opponent: Plays) -> Self {
        Self {
            instance,
            prover,
            opponent,
            known: HashMap::new(),
            most: (0, 0),
            rounds: 0,
        }
    }

    /// Returns true if the prover wins from here, after `rounds` choices of the opponent.
    fn wins(&mut self, at: &BisectionDebate<'_, f64>, rounds: u32) -> bool {
        let Some(turn) = at.request() else {
            let spent = at.ledger().spending_of_seat(Seat::Judge);
            self.most.0 = self.most.0.max(spent.configurations_read);
            self.most.1 = self.most.1.max(spent.oracle_queries);
            self.rounds = self.rounds.max(rounds);
            return at.payoff() > 0.0;
        };
        match turn.request {
            Request::Bits { length, .. } => {
                let key = self.key(at);
                if let Some(wins) = key.as_ref().and_then(|key| self.known.get(key)) {
                    return *wins;
                }
                let all: Vec<BitString> = match self.prover {
                    Plays::Honest => vec![at.prepared().unwrap()],
                    Plays::Best => (0..1 << length)
                        .map(|code| BitString::low_bits_of_number(code, length))
                        .collect(),
                };
                let wins = all
                    .into_iter()
                    .any(|bits| self.after(at, Reply::Bits(bits), rounds));
                self.known.extend(key.map(|key| (key, wins)));
                wins
            }
            Request::Select { .. } => match self.opponent {
                Plays::Honest => {
                    let view = View::new(at, Seat::Opponent);
                    let (from, middle, _) = view.first_middle_last_disputed_time();
                    let first = view
                        .machine_run()
                        .follow(view.configuration_at_disputed_start(), middle - from);
                    let is_true = first.as_ref() == view.latest_given_configuration();
                    self.after(at, Reply::Select(u32::from(is_true)), rounds + 1)
                }
                Plays::Best => (0..2).all(|place| self.after(at, Reply::Select(place), rounds + 1)),
            },
            Request::Oracle { claim } => {
                let holds = self.instance.truth(claim).unwrap();
                let confidence = None;
                self.after(at, Reply::Oracle { holds, confidence }, rounds)
            }
            other => panic!("{other:?} is not asked in a bisection"),
        }
    }

    fn key(&self, at: &BisectionDebate<'_, f64>) -> Option<(BitString, BitString, u64, bool)> {
        let view = View::new(at, Seat::Opponent);
        // An honest prover's reply depends on the time, not on the configurations. Without a last configuration the
        // debate has just begun.
        if self.prover == Plays::Honest || view.latest_given_configuration().is_none() {
            return None;
        }
        let (from, _, to) = view.first_middle_last_disputed_time();
        let sound = at.decided_outcome().is_none();
        Some((
            view.configuration_at_disputed_start().clone(),
            view.configuration_at_disputed_end().clone(),
            to - from,
            sound,
        ))
    }

    fn after(&mut self, at: &BisectionDebate<'_, f64>, reply: Reply<f64>, rounds: u32) -> bool {
        let mut next = at.clone();
        next.reply(reply, &mut ()).unwrap();
        self.wins(&next, rounds)
    }
}

fn start(instance: &Instance, half: BisectionHalfRule) -> BisectionDebate<'_, f64> {
    BisectionDebate::new(instance, &BisectionProtocolParameters { half }).unwrap()
}

fn hops(table: &[u64], start: u64, accept: u64, steps: u64) -> Instance {
    running(Hops {
        table: table.iter().map(|to| Hop::To(*to)).collect(),
        start,
        accept,
        steps,
    })
}

fn wins(instance: &Instance, half: BisectionHalfRule, prover: Plays, opponent: Plays) -> bool {
    Search::new(instance, prover, opponent).wins(&start(instance, half), 0)
}

/// Asserts that the side that is right wins against every reply, and that the verifier reads at most as much as the
/// theorem allows.
#[track_caller]
fn assert_sound(instance: &Instance) -> (u64, u64) {
    let truth = instance.truth(instance.root()).unwrap();
    let (prover, opponent) = if truth {
        (Plays::Honest, Plays::Best)
    } else {
        (Plays::Best, Plays::Honest)
    };
    let mut search = Search::new(instance, prover, opponent);
    assert_eq!(
        search.wins(&start(instance, BisectionHalfRule::Disputed), 0),
        truth,
        "{instance:?}"
    );
    let bounds = BisectionProtocolParameters::default().bounds(instance);
    let named = |what| bounds.iter().find(|bound| bound.what == what).unwrap().most;
    assert!(search.most.0 <= named("configurations_read"));
    assert!(search.most.1 <= named("oracle_queries"));
    search.most
}

#[test]
fn the_right_side_wins_against_every_reply() {
    // Three numbers in two bits, so one bit string is not a configuration.
    for code in 0..27 {
        let table = [code % 3, code / 3 % 3, code / 9];
        for accept in 0..3 {
            for steps in 1..=6 {
                assert_sound(&hops(&table, 0, accept, steps));
            }
        }
    }
}

#[test]
fn the_right_side_wins_if_the_oracle_is_asked() {
    for says in [true, false] {
        for accept in 0..3 {
            for steps in 1..=6 {
                let table = vec![Hop::To(1), Hop::Ask(2, 0, says), Hop::Ask(0, 1, !says)];
                let instance = running(Hops {
                    table,
                    start: 0,
                    accept,
                    steps,
                });
                assert_sound(&instance);
            }
        }
    }
}

#[test]
fn the_bounds_are_reached() {
    let ring = [1, 2, 3, 0];
    for (steps, read) in [(1, 2), (2, 3), (4, 4), (5, 5), (8, 5)] {
        let instance = hops(&ring, 0, steps % 4, steps);
        assert_eq!(assert_sound(&instance), (read, 0), "{steps} steps");
    }
    let asks = running(Hops {
        table: vec![Hop::Ask(1, 0, true), Hop::Ask(0, 1, true)],
        start: 0,
        accept: 0,
        steps: 4,
    });
    assert_eq!(assert_sound(&asks), (4, 1));
}

/// Errata 3: with the swapped label of DE Figure 4 the debate leaves the disputed half, and every lie passes.
#[test]
fn continuing_in_the_undisputed_half_loses_the_debate() {
    let instance = hops(&[1, 2, 3, 4, 0], 0, 2, 8);
    assert_eq!(instance.truth(instance.root()), Some(false));
    let against = |half| !wins(&instance, half, Plays::Best, Plays::Honest);
    assert!(against(BisectionHalfRule::Disputed));
    assert!(!against(BisectionHalfRule::Printed));
}

#[test]
fn a_single_step_needs_no_question() {
    let instance = hops(&[1, 0], 0, 1, 1);
    let mut debate = start(&instance, BisectionHalfRule::Disputed);
    let mut log = Log::default();
    let length = 1;
    let ask = BitsMeaning::Configuration { time: 1 };
    let request = Request::Bits { ask, length };
    assert_eq!(debate.request().unwrap().request, request);
    assert_eq!(debate.answer(), None);
    debate
        .reply(Reply::Bits(BitString::low_bits_of_number(1, 1)), &mut log)
        .unwrap();
    assert_eq!((debate.request(), debate.payoff()), (None, 1.0));
    assert_eq!(debate.answer(), Some(true));
    let checks: Vec<(VerifierCheck, bool)> = log
        .entries()
        .iter()
        .filter_map(|entry| match entry.event {
            Event::Checked { check, holds } => Some((check, holds)),
            _ => None,
        })
        .collect();
    assert_eq!(
        checks,
        [
            (VerifierCheck::Start, true),
            (VerifierCheck::WellFormed { time: 1 }, true),
            (VerifierCheck::Accepts, true),
            (VerifierCheck::Follows { time: 0 }, true),
        ]
    );
}

#[test]
fn the_verifier_stops_at_an_invalid_configuration() {
    let instance = hops(&[1, 2, 0], 0, 2, 2);
    let mut debate = start(&instance, BisectionHalfRule::Disputed);
    let mut say = |reply| debate.reply(reply, &mut ()).unwrap();
    say(Reply::Bits(BitString::low_bits_of_number(2, 2)));
    say(Reply::Bits(BitString::low_bits_of_number(3, 2)));
    say(Reply::Select(1));
    assert_eq!((debate.request(), debate.payoff()), (None, -1.0));
    // The first configuration, and the one in the middle.
    assert_eq!(
        debate
            .ledger()
            .spending_of_seat(Seat::Judge)
            .configurations_read,
        2
    );
    assert_eq!(debate.ledger().spending_of_seat(Seat::Judge).bits_read, 4);
}

#[test]
fn illegal_replies_have_no_effect() {
    let instance = hops(&[1, 2, 0], 0, 2, 4);
    let mut debate = start(&instance, BisectionHalfRule::Disputed);
    let refused = |debate: &mut BisectionDebate<'_, f64>, reply: Reply<f64>| {
        let (request, mut log) = (debate.request(), Log::default());
        let illegal = debate.reply(reply, &mut log).unwrap_err();
        assert_eq!((debate.request(), log.entries().len()), (request, 0));
        illegal.to_string()
    };
    assert_eq!(
        refused(&mut debate, Reply::Bits(BitString::zeros(3))),
        "expected 2 bits, not 3"
    );
    assert_eq!(
        refused(&mut debate, Reply::Select(0)),
        "expected bits, not a subclaim"
    );
    for code in [2, 2] {
        let bits = BitString::low_bits_of_number(code, 2);
        debate.reply(Reply::Bits(bits), &mut ()).unwrap();
    }
    assert_eq!(
        refused(&mut debate, Reply::Select(2)),
        "the index 2 is out of range: there are 2 options, counted from 0"
    );
    assert_eq!(
        refused(&mut debate, Reply::Bits(BitString::zeros(2))),
        "expected a subclaim, not bits"
    );
}

#[test]
fn bisections_of_known_value() {
    for vector in crate::support::vectors::of("bisection") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let number = |name: &str| input[name].as_u64().unwrap();
        let table: Vec<u64> = input["step"]
            .as_array()
            .unwrap()
            .iter()
            .map(|to| to.as_u64().unwrap())
            .collect();
        let instance = hops(&table, number("z"), number("z2"), number("t"));
        assert_eq!(
            instance.truth(instance.root()),
            expect["true"].as_bool(),
            "{id}"
        );
        let a_wins = wins(
            &instance,
            BisectionHalfRule::Disputed,
            Plays::Best,
            Plays::Best,
        );
        assert_eq!(Some(a_wins), expect["a_wins"].as_bool(), "{id}");
        let b_wins = |half| Some(!wins(&instance, half, Plays::Best, Plays::Honest));
        assert_eq!(
            b_wins(BisectionHalfRule::Disputed),
            expect["honest_b_wins_fixed"].as_bool(),
            "{id}"
        );
        assert_eq!(
            b_wins(BisectionHalfRule::Printed),
            expect["honest_b_wins_printed"].as_bool(),
            "{id}"
        );
        let mut all = Search::new(&instance, Plays::Honest, Plays::Best);
        all.wins(&start(&instance, BisectionHalfRule::Disputed), 0);
        // The search does not enter both halves after a prover who cannot win; the schedule counts all rounds.
        assert!(u64::from(all.rounds) <= expect["rounds"].as_u64().unwrap());
        let scheduled = start(&instance, BisectionHalfRule::Disputed)
            .schedule()
            .len() as u64
            - 1;
        assert_eq!(Some(scheduled), expect["rounds"].as_u64(), "{id}");
    }
}
