use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::player::{
    PlayableStrategy, PlayerSpec, Strategy, StrategyMemoryAndCosts, StrategyRegistry,
};
use debate_core::protocol::{Protocol, Reply, Rules as _, Seat, State, View};
use debate_core::scenario::netlist::{Netlist, TwoInputGate, TwoInputTruthTable};
use debate_core::scenario::{
    CircuitDecomposition, Instance, Oracle, PossibleWorld, QbfProblem, ScenarioValuePath,
    read_qdimacs,
};

use crate::support::players::all_replies;

/// Two gates over three inputs, with arbitrary tables.
fn wired(first: TwoInputTruthTable, second: TwoInputTruthTable, input: &BitString) -> Instance {
    let mut netlist = Netlist::new(3);
    let gates = [(first, 0, 1), (second, 2, 3)];
    for (table, a, b) in gates {
        netlist.push(TwoInputGate { table, a, b }).unwrap();
    }
    netlist.add_output(4);
    let world = PossibleWorld {
        name: input.to_string(),
        weight: debate_core::number::Exact::from_integer(1.into()),
    };
    let inputs = vec![(world, input.clone())];
    let problem = CircuitDecomposition::build(
        &Arc::new(netlist),
        0,
        inputs,
        &ScenarioValuePath::path_of_top_level_field("problem"),
    )
    .unwrap();
    Instance::new(Arc::new(problem), 0, Oracle::Truth)
}

fn formula(text: &str) -> Instance {
    let formula = read_qdimacs(text.as_bytes()).unwrap();
    Instance::new(Arc::new(QbfProblem::new(formula)), 0, Oracle::Truth)
}

fn player<'a>(
    name: &str,
    seat: Seat,
    instance: &'a Instance,
    rules: &Protocol,
) -> PlayableStrategy<'a, f64> {
    let spec = PlayerSpec::without_arguments(name);
    let built =
        StrategyRegistry::registry_with_builtin_players().build(&spec, seat, instance, rules);
    built.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All ends of the debates in which a strategy plays one seat and the other seat makes every reply.
fn ends<'a>(
    instance: &'a Instance,
    rules: &Protocol,
    seat: Seat,
    strategy: &dyn Strategy<'a, f64>,
) -> Vec<State<'a, f64>> {
    let mut open: Vec<State<'a, f64>> = vec![rules.start(instance).unwrap()];
    let mut ends = Vec::new();
    while let Some(state) = open.pop() {
        let Some(turn) = state.request() else {
            ends.push(state);
            continue;
        };
        let replies = if turn.seat == seat {
            let choice = strategy.choose(
                View::new(&state, seat),
                &turn.request,
                &mut StrategyMemoryAndCosts::default(),
            );
            let each = choice.expect("a reply").weighted_replies().unwrap();
            each.into_iter().map(|(_, reply)| reply).collect()
        } else {
            all_replies(&turn.request)
        };
        for reply in replies {
            let mut next = state.clone();
            next.reply(reply, &mut ()).expect("a legal reply");
            open.push(next);
        }
    }
    ends
}

/// Checks that the side that is right wins against every reply, and that the verifier reads at most its limit. Returns
/// the maximum number of bits read.
fn whoever_is_right_wins(instance: &Instance, rules: &Protocol) -> u64 {
    let truth = instance.truth(instance.root()).unwrap();
    let bound = rules.protocol_parameters().bounds(instance)[0].most;
    let alice = player("honest", Seat::Prover, instance, rules);
    let bob = player("honest", Seat::Opponent, instance, rules);
    let with_alice = ends(instance, rules, Seat::Prover, &*alice);
    let with_bob = ends(instance, rules, Seat::Opponent, &*bob);
    assert!(!with_alice.is_empty() && !with_bob.is_empty());
    // If Alice answers, she is always right; otherwise she claims the root.
    for end in &with_alice {
        let right = end.answer().map_or(truth, |answer| answer == truth);
        assert!(!right || end.payoff() > 0.0, "{instance:?}");
    }
    for end in &with_bob {
        let right = end.answer().map_or(truth, |answer| answer == truth);
        assert!(right || end.payoff() < 0.0, "{instance:?}");
    }
    let read = |end: &State<'_, f64>| end.ledger().spending_of_seat(Seat::Judge).bits_read;
    let most = with_alice.iter().chain(&with_bob).map(read).max().unwrap();
    assert!(most <= bound, "{most} > {bound}");
    most
}

#[test]
fn the_right_side_wins_on_every_input_of_a_circuit() {
    let rules = Protocol::parse("Verified(Descent)").unwrap();
    let mut reached = false;
    for (first, second) in [
        (TwoInputTruthTable::AND, TwoInputTruthTable::OR),
        (TwoInputTruthTable::OR, TwoInputTruthTable::AND),
        (TwoInputTruthTable::AND, TwoInputTruthTable::AND),
        (TwoInputTruthTable::FIRST, TwoInputTruthTable::OR),
    ] {
        for row in 0..8 {
            let instance = wired(first, second, &BitString::low_bits_of_number(row, 3));
            let bound = rules.protocol_parameters().bounds(&instance)[0].most;
            reached |= whoever_is_right_wins(&instance, &rules) == bound;
        }
    }
    assert!(reached, "the bound of Lemma 8 is reached");
}

#[test]
fn the_right_side_wins_about_a_formula() {
    let rules = Protocol::parse("Verified(Quantifiers(verifier: Direct))").unwrap();
    for text in [
        "p cnf 2 2\na 1 0\ne 2 0\n-1 2 0\n1 -2 0\n",
        "p cnf 2 2\ne 1 0\na 2 0\n-1 2 0\n1 -2 0\n",
        "p cnf 3 2\ne 1 0\na 2 0\ne 3 0\n1 2 0\n-2 3 0\n",
        "p cnf 2 2\na 1 2 0\n1 2 0\n-1 2 0\n",
    ] {
        whoever_is_right_wins(&formula(text), &rules);
    }
}

#[test]
fn true_gates_preserve_the_inner_verdict() {
    let rules = Protocol::parse("Verified(Descent)").unwrap();
    let inner = Protocol::parse("Descent").unwrap();
    for row in 0..8 {
        let instance = wired(
            TwoInputTruthTable::OR,
            TwoInputTruthTable::AND,
            &BitString::low_bits_of_number(row, 3),
        );
        let silent = player("silent", Seat::Opponent, &instance, &rules);
        let within = player("honest", Seat::Opponent, &instance, &inner);
        // Every answer and every selection of Alice, with the same reply in both debates.
        let mut open: Vec<(State<'_, f64>, State<'_, f64>)> = vec![(
            rules.start(&instance).unwrap(),
            inner.start(&instance).unwrap(),
        )];
        let mut compared = 0;
        while let Some((whole, part)) = open.pop() {
            let Some(turn) = part.request() else {
                let mut whole = whole;
                let bits = whole.honest_reply_bits().expect("the gates, truly");
                whole.reply(Reply::Bits(bits), &mut ()).unwrap();
                let pointed = whole.request().unwrap();
                let choice = silent.choose(
                    View::new(&whole, pointed.seat),
                    &pointed.request,
                    &mut StrategyMemoryAndCosts::default(),
                );
                let reply = choice.unwrap().weighted_replies().unwrap().remove(0).1;
                assert_eq!(reply, Reply::Challenge(None));
                whole.reply(reply, &mut ()).unwrap();
                assert!(whole.payoff().total_cmp(&part.payoff()).is_eq());
                compared += 1;
                continue;
            };
            assert_eq!(whole.request().map(|turn| turn.seat), Some(turn.seat));
            let replies = if turn.seat == Seat::Opponent {
                let choice = within.choose(
                    View::new(&part, turn.seat),
                    &turn.request,
                    &mut StrategyMemoryAndCosts::default(),
                );
                let each = choice.unwrap().weighted_replies().unwrap().into_iter();
                each.map(|(_, reply)| reply).collect()
            } else {
                all_replies(&turn.request)
            };
            for reply in replies {
                let (mut whole, mut part) = (whole.clone(), part.clone());
                whole.reply(reply.clone(), &mut ()).unwrap();
                part.reply(reply, &mut ()).unwrap();
                open.push((whole, part));
            }
        }
        assert!(compared > 1);
    }
}
