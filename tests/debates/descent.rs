//! The descent through circuits agrees with exact values that were computed elsewhere, if their folder exists, and with
//! whole scenarios.

use std::collections::BTreeSet;
use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::number::{Exact, Number};
use debate_core::player::descent::CircuitDescentPlayer;
use debate_core::player::{Policy, StrategyMemoryAndCosts};
use debate_core::protocol::descent::DescentProtocolParameters;
use debate_core::protocol::{CircuitDescentDebate, Reply, Request, Rules, Seat, View};
use debate_core::scenario::netlist::Netlist;
use debate_core::scenario::{
    self, CircuitDecomposition, InformedReader, Instance, Oracle, PossibleWorld,
};
use serde_json::Value;

use crate::support::vector_circuits::{self, bits};
use crate::support::vectors;

fn whole(value: &Value) -> u32 {
    u32::try_from(vectors::whole(value)).expect("a small number")
}

fn instance(written: &Value, input: &BitString) -> Instance {
    let mut netlist = Netlist::new(whole(&written["n"]));
    let mut last = 0;
    for gate in vector_circuits::gates(written) {
        last = netlist.push(gate).expect("earlier wires");
    }
    netlist.add_output(last);
    let world = PossibleWorld {
        name: input.to_string(),
        weight: Exact::ratio(1, 1),
    };
    let inputs = vec![(world, input.clone())];
    let at = scenario::ScenarioValuePath::path_of_top_level_field("problem");
    let problem =
        CircuitDecomposition::build(&Arc::new(netlist), 0, inputs, &at).expect("a circuit");
    Instance::new(Arc::new(problem), 0, Oracle::Truth)
}

type State<'a> = CircuitDescentDebate<'a, f64>;

fn start(instance: &Instance, answer: bool) -> State<'_> {
    let mut state = CircuitDescentDebate::new(instance, &DescentProtocolParameters::default())
        .expect("a circuit");
    state.reply(Reply::Answer(answer), &mut ()).expect("legal");
    state
}

fn after<'a>(state: &State<'a>, place: u32) -> State<'a> {
    let mut next = state.clone();
    next.reply(Reply::Select(place), &mut ()).expect("legal");
    next
}

/// Returns true if Alice wins under optimal play by both sides.
fn alice_wins(state: &State<'_>) -> bool {
    let Some(turn) = state.request() else {
        return state.payoff() > 0.0;
    };
    let mut wins = [0, 1]
        .map(|place| alice_wins(&after(state, place)))
        .into_iter();
    if turn.seat == Seat::Prover {
        wins.any(|wins| wins)
    } else {
        wins.all(|wins| wins)
    }
}

/// The selection of an honest player of a seat.
fn honest(state: &State<'_>, instance: &Instance, seat: Seat, request: &Request<f64>) -> u32 {
    let (view, informed) = (View::new(state, seat), InformedReader::new(instance));
    let mut policy_state = StrategyMemoryAndCosts::default();
    let choice = CircuitDescentPlayer::Honest(informed).choose(view, request, &mut policy_state);
    match choice.expect("a reply").reply_for_draw(|| 0) {
        Reply::Select(place) => place,
        other => panic!("{other:?}"),
    }
}

/// All final states of a debate in which one seat is honest and the other one makes every reply.
fn ends<'a>(state: State<'a>, instance: &'a Instance, seat: Seat) -> Vec<State<'a>> {
    let mut open = vec![state];
    let mut ends = Vec::new();
    while let Some(state) = open.pop() {
        match state.request() {
            None => ends.push(state),
            Some(turn) if turn.seat == seat => {
                let place = honest(&state, instance, seat, &turn.request);
                open.push(after(&state, place));
            }
            Some(_) => open.extend([0, 1].map(|place| after(&state, place))),
        }
    }
    ends
}

fn bits_read(state: &State<'_>) -> u32 {
    u32::try_from(state.ledger().spending_of_seat(Seat::Judge).bits_read).expect("few bits")
}

#[test]
fn descents_agree_with_the_exact_values() {
    for vector in vectors::of("circuit") {
        let (input, expect) = (&vector["input"], &vector["expect"]);
        let id = &vector["id"];
        let instance = instance(&input["circuit"], &bits(&input["x"]));
        let gates = instance.circuit().expect("a circuit");
        let rewritten = gates.and_or_not_form().expect("a small circuit");
        assert_eq!(rewritten.and_or_depth(), whole(&expect["depth"]), "{id}");

        // The value of the game in which Alice claims 1 is the output.
        let value = alice_wins(&start(&instance, true));
        assert_eq!(u32::from(value), whole(&expect["kw_minimax"]), "{id}");
        assert_eq!(alice_wins(&start(&instance, false)), !value, "{id}");
        assert_eq!(gates.true_output_value(), value, "{id}");

        // The side that is right wins against every reply; `bits` is the number of bits read.
        for (seat, answer) in [(Seat::Prover, value), (Seat::Opponent, !value)] {
            let ends = ends(start(&instance, answer), &instance, seat);
            let wins = |end: &State<'_>| (end.payoff() > 0.0) == (seat == Seat::Prover);
            assert_eq!(
                Value::Bool(ends.iter().all(wins)),
                expect["kw_honest_wins"],
                "{id}"
            );
            let read: BTreeSet<u32> = ends.iter().map(bits_read).collect();
            let expected: BTreeSet<u32> = expect["kw_bits"]
                .as_array()
                .expect("numbers")
                .iter()
                .map(whole)
                .collect();
            assert_eq!(read, expected, "{id}");
        }

        // Both seats always select the first input: the resulting output, and the bits read.
        for answer in [false, true] {
            let mut state = start(&instance, answer);
            while state.request().is_some() {
                state = after(&state, 0);
            }
            let found = answer == (state.payoff() > 0.0);
            let both = [u32::from(found), bits_read(&state)];
            let expected = expect["kw_both_left"].as_array().expect("two numbers");
            assert_eq!(
                both.to_vec(),
                expected.iter().map(whole).collect::<Vec<_>>(),
                "{id}"
            );
        }
    }
}
