use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::budget::ComputationBudget;
use debate_core::number::Exact;
use debate_core::player::descent::CircuitDescentPlayer;
use debate_core::player::{
    OracleJudge, Policy, PolicyAsStrategy, SeededRandomness, StrategyMemoryAndCosts, play_between,
};
use debate_core::protocol::descent::DescentProtocolParameters;
use debate_core::protocol::{
    CircuitDescentDebate, DebateWithCircuitVerifier as _, ProtocolParameters as _, Reply, Request,
    Rules, Seat, State, View,
};
use debate_core::scenario::netlist::{Netlist, TwoInputGate, TwoInputTruthTable, generated};
use debate_core::scenario::{
    CircuitDecomposition, InformedReader, Instance, Oracle, PossibleWorld, ScenarioValuePath,
};

fn instance(netlist: &Arc<Netlist>, output: u32, input: &BitString) -> Instance {
    let world = PossibleWorld {
        name: input.to_string(),
        weight: Exact::from_integer(1.into()),
    };
    let inputs = vec![(world, input.clone())];
    let problem = CircuitDecomposition::build(
        netlist,
        output,
        inputs,
        &ScenarioValuePath::path_of_top_level_field("problem"),
    )
    .unwrap();
    Instance::new(Arc::new(problem), 0, Oracle::Truth)
}

/// A circuit of `gates` gates over three inputs, derived from a number.
fn scrambled(mut number: u64, gates: u32) -> Netlist {
    let mut netlist = Netlist::new(3);
    let mut draw = |below: u32| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(number >> 33).unwrap() % below
    };
    for wire in 3..3 + gates {
        let rows = draw(16);
        let table = TwoInputTruthTable::from_function(|a, b| {
            rows >> (u32::from(a) * 2 + u32::from(b)) & 1 == 1
        });
        let (a, b) = (draw(wire), draw(wire));
        let constant = table == TwoInputTruthTable::TRUE || table == TwoInputTruthTable::FALSE;
        let (a, b) = if constant { (0, 0) } else { (a, b) };
        netlist.push(TwoInputGate::new(table, a, b)).unwrap();
    }
    netlist.add_output(2 + gates);
    netlist
}

/// The prover's payoff and the bits read at each end, if one seat plays a policy and the other makes every reply.
fn against_all<P>(instance: &Instance, seat: Seat, policy: &P) -> Vec<(f64, u64)>
where
    P: for<'a> Policy<f64, CircuitDescentDebate<'a, f64>>,
{
    let mut open =
        vec![CircuitDescentDebate::new(instance, &DescentProtocolParameters::default()).unwrap()];
    let mut ends = Vec::new();
    while let Some(descent) = open.pop() {
        let Some(turn) = descent.request() else {
            ends.push((
                descent.payoff(),
                descent.ledger().spending_of_seat(Seat::Judge).bits_read,
            ));
            continue;
        };
        let replies: Vec<Reply<f64>> = if turn.seat == seat {
            let view = View::new(&descent, seat);
            let choice = policy.choose(view, &turn.request, &mut StrategyMemoryAndCosts::default());
            choice
                .unwrap()
                .weighted_replies()
                .unwrap()
                .into_iter()
                .map(|(_, reply)| reply)
                .collect()
        } else if matches!(turn.request, Request::Answer { .. }) {
            vec![Reply::Answer(false), Reply::Answer(true)]
        } else {
            vec![Reply::Select(0), Reply::Select(1)]
        };
        for reply in replies {
            let mut next = descent.clone();
            next.reply(reply, &mut ()).unwrap();
            open.push(next);
        }
    }
    ends
}

/// On every input, an honest Alice wins against every reply, and an honest Bob against every false answer. The verifier
/// never reads more than the bound.
fn honesty_wins(netlist: &Arc<Netlist>, output: u32) {
    for row in 0..1_u64 << netlist.input_count() {
        let input = BitString::low_bits_of_number(row, netlist.input_count());
        let instance = instance(netlist, output, &input);
        let informed = InformedReader::new(&instance);
        let bounds = DescentProtocolParameters::default().bounds(&instance);
        let most = bounds[0].most;
        let alice = against_all(
            &instance,
            Seat::Prover,
            &CircuitDescentPlayer::Honest(informed),
        );
        assert!(
            alice
                .iter()
                .all(|(payoff, bits)| *payoff > 0.0 && *bits <= most)
        );
        // Every play with an honest Bob: she wins if and only if she answered truly.
        let truth = informed.truth(instance.root()).unwrap();
        for answer in [false, true] {
            let mut start =
                CircuitDescentDebate::<f64>::new(&instance, &DescentProtocolParameters::default())
                    .unwrap();
            start.reply(Reply::Answer(answer), &mut ()).unwrap();
            let wins = bob_against_all(start, &CircuitDescentPlayer::Honest(informed));
            if answer != truth {
                assert!(wins.iter().all(|payoff| *payoff < 0.0), "on {input}");
            }
        }
    }
}

fn bob_against_all<P>(start: CircuitDescentDebate<'_, f64>, policy: &P) -> Vec<f64>
where
    P: for<'a> Policy<f64, CircuitDescentDebate<'a, f64>>,
{
    let mut open = vec![start];
    let mut ends = Vec::new();
    while let Some(descent) = open.pop() {
        let Some(turn) = descent.request() else {
            ends.push(descent.payoff());
            continue;
        };
        let replies = if turn.seat == Seat::Opponent {
            let view = View::new(&descent, turn.seat);
            let choice = policy.choose(view, &turn.request, &mut StrategyMemoryAndCosts::default());
            vec![choice.unwrap().reply_for_draw(|| 0)]
        } else {
            vec![Reply::Select(0), Reply::Select(1)]
        };
        for reply in replies {
            let mut next = descent.clone();
            next.reply(reply, &mut ()).unwrap();
            open.push(next);
        }
    }
    ends
}

#[test]
fn the_right_side_wins_against_every_reply() {
    for netlist in [
        generated::parity_circuit(4),
        generated::majority_circuit(5),
        generated::multiplier_circuit(2),
    ] {
        let netlist = Arc::new(netlist.unwrap());
        for output in 0..u32::try_from(netlist.outputs().len()).unwrap() {
            honesty_wins(&netlist, output);
        }
    }
    for number in 0..200 {
        honesty_wins(&Arc::new(scrambled(number, 9)), 0);
    }
}

#[test]
fn a_liar_is_caught_late_and_survives_a_false_alarm() {
    // x0 and (x1 and (x2 and x3)), all 1: the lie is that it is 0.
    let mut netlist = Netlist::new(4);
    let mut last = 3;
    for input in [2, 1, 0] {
        let table = TwoInputTruthTable::AND;
        last = netlist.push(TwoInputGate::new(table, input, last)).unwrap();
    }
    netlist.add_output(last);
    let netlist = Arc::new(netlist);
    let seed = debate_core::chance::Seed::new("descent").unwrap();
    let end = |input: &str, honest_prover: bool, honest_opponent: bool| {
        let instance = instance(&netlist, 0, &BitString::parse(input).unwrap());
        let informed = InformedReader::new(&instance);
        let descent =
            CircuitDescentDebate::<f64>::new(&instance, &DescentProtocolParameters::default())
                .unwrap();
        let mut descent = State::Descent(descent);
        let player = |honest| {
            PolicyAsStrategy::new(if honest {
                CircuitDescentPlayer::Honest(informed)
            } else {
                CircuitDescentPlayer::Dishonest(informed)
            })
        };
        let (prover, opponent) = (player(honest_prover), player(honest_opponent));
        let judge =
            PolicyAsStrategy::<_, CircuitDescentDebate<'_, f64>>::new(OracleJudge::new(informed));
        let played = play_between(
            &mut descent,
            [&prover, &opponent, &judge],
            &mut SeededRandomness::new(&seed, 0, 0),
            &mut (),
            &ComputationBudget::default(),
        )
        .unwrap();
        (
            played.payoff,
            descent.ledger().spending_of_seat(Seat::Judge).bits_read,
        )
    };
    let whole = instance(&netlist, 0, &BitString::parse("1111").unwrap());
    assert_eq!(
        DescentProtocolParameters::default().bounds(&whole)[0].most,
        4,
        "reached"
    );
    assert_eq!(end("1111", false, true), (-1.0, 4));
    // It is 0 because of x0 alone; a Bob who disputes true claims never finds that.
    assert_eq!(end("0111", false, true), (-1.0, 2));
    assert_eq!(end("0111", false, false), (1.0, 3));
    assert_eq!(end("0111", true, false), (1.0, 2));
}

#[test]
fn a_hundred_thousand_levels_are_walked() {
    let mut netlist = Netlist::new(2);
    let mut last = 0;
    for place in 0..100_000_u32 {
        let table = if place % 2 == 0 {
            TwoInputTruthTable::AND
        } else {
            TwoInputTruthTable::OR
        };
        last = netlist.push(TwoInputGate::new(table, 1, last)).unwrap();
    }
    netlist.add_output(last);
    let instance = instance(&Arc::new(netlist), 0, &BitString::parse("01").unwrap());
    let informed = InformedReader::new(&instance);
    let mut descent =
        CircuitDescentDebate::<f64>::new(&instance, &DescentProtocolParameters::default()).unwrap();
    descent.reply(Reply::Answer(false), &mut ()).unwrap();
    let mut count = 0;
    while let Some(turn) = descent.request() {
        let view = View::new(&descent, turn.seat);
        let player = CircuitDescentPlayer::Dishonest(informed);
        let choice = player.choose(view, &turn.request, &mut StrategyMemoryAndCosts::default());
        descent
            .reply(choice.unwrap().reply_for_draw(|| 0), &mut ())
            .unwrap();
        count += 1;
    }
    let bits = descent.ledger().spending_of_seat(Seat::Judge).bits_read;
    assert_eq!(bits, count + 1);
    assert!(bits <= 100_001);
    assert!(descent.verifier().is_some());
}
