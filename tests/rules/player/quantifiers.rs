use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::player::{
    PlayableStrategy, PlayerSpec, SeededRandomness, StrategyBuildError, StrategyMemoryAndCosts,
    StrategyRegistry, play_between,
};
use debate_core::protocol::quantifiers::{FormulaMatrixCheckMethod, QuantifierProtocolParameters};
use debate_core::protocol::{
    Protocol, ProtocolParameters as _, QuantifierDebate, Rules, Seat, View,
};
use debate_core::scenario::netlist::{Netlist, TwoInputGate, TwoInputTruthTable};
use debate_core::scenario::{
    Formula, FormulaMatrix, Instance, Oracle, QbfProblem, Quantifier, QuantifierBlock, read_qdimacs,
};
use proptest::prelude::*;

use crate::support::players::all_replies;
use crate::support::vectors::whole;
use crate::support::{vector_circuits, vectors};

const BOTH: [FormulaMatrixCheckMethod; 2] = [
    FormulaMatrixCheckMethod::Direct,
    FormulaMatrixCheckMethod::CrossExamined,
];

fn instance(formula: Formula) -> Instance {
    Instance::new(Arc::new(QbfProblem::new(formula)), 0, Oracle::Truth)
}

fn of_text(text: &str) -> Instance {
    instance(read_qdimacs(text.as_bytes()).unwrap())
}

/// The rules with one of the two verifiers.
fn rules(verifier: FormulaMatrixCheckMethod) -> Protocol {
    Protocol::Quantifiers(QuantifierProtocolParameters { verifier })
}

/// A built-in player.
fn player<'a>(
    instance: &'a Instance,
    verifier: FormulaMatrixCheckMethod,
    seat: Seat,
    name: &'static str,
) -> PlayableStrategy<'a, f64> {
    let registry = StrategyRegistry::registry_with_builtin_players();
    let built = registry.build(
        &PlayerSpec::without_arguments(name),
        seat,
        instance,
        &rules(verifier),
    );
    built.expect("a player of the game")
}

/// The payoff and the bits read at every end of the games. `player`, if given, takes its seat, and every other seat
/// makes every reply.
fn ends<'a>(
    instance: &'a Instance,
    verifier: FormulaMatrixCheckMethod,
    player: Option<&(Seat, PlayableStrategy<'a, f64>)>,
) -> Vec<(f64, u64)> {
    let mut open = vec![rules(verifier).start::<f64>(instance).unwrap()];
    let mut ends = Vec::new();
    while let Some(game) = open.pop() {
        let Some(turn) = game.request() else {
            ends.push((
                game.payoff(),
                game.ledger().spending_of_seat(Seat::Judge).bits_read,
            ));
            continue;
        };
        let replies = match player {
            Some((seat, player)) if *seat == turn.seat => {
                let view = View::new(&game, turn.seat);
                let choice =
                    player.choose(view, &turn.request, &mut StrategyMemoryAndCosts::default());
                choice
                    .expect("a reply")
                    .weighted_replies()
                    .unwrap()
                    .into_iter()
                    .map(|(_, reply)| reply)
                    .collect()
            }
            _ => all_replies(&turn.request),
        };
        for reply in replies {
            let mut next = game.clone();
            next.reply(reply, &mut ()).expect("a legal reply");
            open.push(next);
        }
    }
    ends
}

fn bound(instance: &Instance, verifier: FormulaMatrixCheckMethod) -> u64 {
    let bounds = QuantifierProtocolParameters { verifier }.bounds(instance);
    assert_eq!(bounds[0].what, "bits_read");
    bounds[0].most
}

/// The minimax value of the game from this position, by trying all replies.
fn minimax(game: &QuantifierDebate<'_, f64>) -> f64 {
    let Some(turn) = game.request() else {
        return game.payoff();
    };
    let values = all_replies(&turn.request).into_iter().map(|reply| {
        let mut next = game.clone();
        next.reply(reply, &mut ()).expect("a legal reply");
        minimax(&next)
    });
    if turn.seat == Seat::Prover {
        values.fold(f64::NEG_INFINITY, f64::max)
    } else {
        values.fold(f64::INFINITY, f64::min)
    }
}

/// Checks that the honest seat wins against every reply, and that the verifier never reads more than the bound.
fn check_honest(instance: &Instance) {
    let holds = instance.truth(instance.root()).expect("decided");
    for verifier in BOTH {
        let most = bound(instance, verifier);
        let seat = if holds { Seat::Prover } else { Seat::Opponent };
        let honest = player(instance, verifier, seat, "honest");
        let ends = ends(instance, verifier, Some(&(seat, honest)));
        assert!(!ends.is_empty());
        let won = if holds { 1.0 } else { -1.0 };
        for (payoff, bits) in ends {
            assert!(payoff.total_cmp(&won).is_eq(), "{verifier:?} {instance:?}");
            assert!(bits <= most, "{bits} > {most}");
        }
    }
}

#[test]
fn the_honest_seat_wins_every_small_game() {
    let literals = [1, -1, 2, -2, 3, -3];
    let mut clauses: Vec<Vec<i32>> = literals.iter().map(|literal| vec![*literal]).collect();
    for (place, a) in literals.iter().enumerate() {
        clauses.extend(
            literals[place..]
                .iter()
                .filter(|b| **b != *a)
                .map(|b| vec![*a, *b]),
        );
    }
    let mut played = 0;
    for mask in 0..8_u32 {
        let blocks: Vec<QuantifierBlock> = (0..3)
            .map(|place| QuantifierBlock {
                quantifier: if mask >> place & 1 == 0 {
                    Quantifier::Exists
                } else {
                    Quantifier::ForAll
                },
                variables: vec![place + 1],
            })
            .collect();
        for (place, a) in clauses.iter().enumerate() {
            for b in &clauses[place..] {
                let matrix = FormulaMatrix::Clauses(vec![a.clone(), b.clone()]);
                check_honest(&instance(Formula::new(blocks.clone(), matrix).unwrap()));
                played += 1;
            }
        }
    }
    assert_eq!(played, 8 * 21 * 22 / 2);
}

fn some_formula() -> impl Strategy<Value = Formula> {
    let literal = (1_i32..=4, any::<bool>()).prop_map(|(v, s)| if s { v } else { -v });
    let clause = proptest::collection::vec(literal, 1..4);
    let clauses = proptest::collection::vec(clause, 0..4);
    (clauses, proptest::collection::vec(any::<bool>(), 4)).prop_map(|(clauses, prefix)| {
        let blocks = (1..)
            .zip(prefix)
            .map(|(variable, exists)| QuantifierBlock {
                quantifier: if exists {
                    Quantifier::Exists
                } else {
                    Quantifier::ForAll
                },
                variables: vec![variable],
            })
            .collect();
        Formula::new(blocks, FormulaMatrix::Clauses(clauses)).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_honest_seat_wins_larger_games(formula in some_formula()) {
        check_honest(&instance(formula));
    }
}

#[test]
fn the_bounds_are_reached() {
    let instance = of_text("p cnf 4 3\ne 1 0\na 2 0\ne 3 4 0\n1 -2 0\n2 3 0\n-3 4 0\n");
    for (verifier, most) in [
        (FormulaMatrixCheckMethod::Direct, 4),
        (FormulaMatrixCheckMethod::CrossExamined, 3 + 3),
    ] {
        assert_eq!(bound(&instance, verifier), most);
        let all = ends(&instance, verifier, None);
        assert_eq!(all.iter().map(|(_, bits)| *bits).max(), Some(most));
    }
}

#[test]
fn a_formula_without_blocks_is_played() {
    for (text, won) in [("p cnf 0 0\n", 1.0), ("p cnf 0 1\n0\n", -1.0)] {
        let instance = of_text(text);
        check_honest(&instance);
        for verifier in BOTH {
            let game =
                QuantifierDebate::<f64>::new(&instance, &QuantifierProtocolParameters { verifier })
                    .unwrap();
            assert!(
                minimax(&game).total_cmp(&won).is_eq(),
                "{verifier:?} {text:?}"
            );
        }
    }
}

/// DQC's debates: α and β alternate, and a verifier reads both and the input x.
fn debate(inputs: u32, gates: &[TwoInputGate], rounds: u32, x: &str) -> Instance {
    let mut netlist = Netlist::new(inputs);
    for gate in gates {
        netlist.push(*gate).unwrap();
    }
    netlist.add_output(inputs + u32::try_from(gates.len()).unwrap() - 1);
    let blocks = (0..2 * rounds).map(|turn| QuantifierBlock {
        // Prover 0, who claims 0, moves first in each round.
        quantifier: if turn % 2 == 0 {
            Quantifier::ForAll
        } else {
            Quantifier::Exists
        },
        variables: vec![turn + 1],
    });
    let matrix = FormulaMatrix::Circuit {
        netlist: Arc::new(netlist),
        given: BitString::parse(x).unwrap(),
    };
    instance(Formula::new(blocks.collect(), matrix).unwrap())
}

#[test]
fn cross_examining_a_verifier_keeps_the_value_of_its_debate() {
    let gate = |table, a, b| TwoInputGate { table, a, b };
    // lemma8-02: (α and x) or β, with x = 1: value 1, base value 1, 4 bits at most.
    let verifier = [
        gate(TwoInputTruthTable::AND, 0, 2),
        gate(TwoInputTruthTable::OR, 3, 1),
    ];
    let with_xor = [
        gate(TwoInputTruthTable::XOR, 0, 1),
        gate(TwoInputTruthTable::AND, 3, 2),
        gate(TwoInputTruthTable::OR, 4, 0),
    ];
    for (gates, x, value, most) in [
        (&verifier[..], "1", 1.0, 4),
        (&verifier[..], "0", 1.0, 4),
        (&verifier[..1], "1", -1.0, 3),
        (&with_xor[..], "1", 1.0, 5),
        (&with_xor[..], "0", -1.0, 5),
    ] {
        let instance = debate(3, gates, 1, x);
        for verifier in BOTH {
            let game =
                QuantifierDebate::<f64>::new(&instance, &QuantifierProtocolParameters { verifier })
                    .unwrap();
            assert!(
                minimax(&game).total_cmp(&value).is_eq(),
                "{verifier:?} {gates:?} {x}"
            );
        }
        check_honest(&instance);
        let all = ends(&instance, FormulaMatrixCheckMethod::CrossExamined, None);
        assert_eq!(all.iter().map(|(_, bits)| *bits).max(), Some(most));
    }
}

#[test]
fn recorded_verifiers_keep_their_values() {
    let whole = |value: &_| u32::try_from(whole(value)).unwrap();
    for vector in vectors::of("lemma8") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let gates = vector_circuits::gates(&input["circuit"]);
        let x = vector_circuits::bits(&input["x"]).to_string();
        let inputs = whole(&input["circuit"]["n"]);
        assert_eq!(inputs, 2 * whole(&input["k"]) + whole(&input["n"]), "{id}");
        let instance = debate(inputs, &gates, whole(&input["k"]), &x);
        for (verifier, name) in [
            (FormulaMatrixCheckMethod::Direct, "base_value"),
            (FormulaMatrixCheckMethod::CrossExamined, "value"),
        ] {
            let game =
                QuantifierDebate::<f64>::new(&instance, &QuantifierProtocolParameters { verifier })
                    .unwrap();
            let holds = minimax(&game) > 0.0;
            assert_eq!(u32::from(holds), whole(&expect[name]), "{id}: {name}");
        }
        let all = ends(&instance, FormulaMatrixCheckMethod::CrossExamined, None);
        let most = all.iter().map(|(_, bits)| *bits).max();
        assert_eq!(most, expect["max_bits"].as_u64(), "{id}");
    }
}

/// The prover's payoff between two built-in players.
fn met(
    instance: &Instance,
    verifier: FormulaMatrixCheckMethod,
    prover: &'static str,
    opponent: &'static str,
) -> f64 {
    let prover = player(instance, verifier, Seat::Prover, prover);
    let opponent = player(instance, verifier, Seat::Opponent, opponent);
    let judge = player(instance, verifier, Seat::Judge, "oracle");
    let mut game = rules(verifier).start(instance).unwrap();
    let seed = Seed::new("quantifiers").unwrap();
    let mut chances = SeededRandomness::new(&seed, 0, 0);
    play_between(
        &mut game,
        [&*prover, &*opponent, &*judge],
        &mut chances,
        &mut (),
        &ComputationBudget::default(),
    )
    .unwrap()
    .payoff
}

#[test]
fn honest_opponents_catch_liars_and_false_alarms_do_not() {
    // ∀ can make the first clause or the second false, for every choice of ∃.
    let falsehood = of_text("p cnf 2 2\ne 1 0\na 2 0\n1 2 0\n1 -2 0\n-1 2 0\n");
    for verifier in BOTH {
        let against_honest = met(&falsehood, verifier, "liar", "honest");
        assert!(against_honest < 0.0, "{verifier:?}");
    }
    let cross = FormulaMatrixCheckMethod::CrossExamined;
    assert!(met(&falsehood, cross, "liar", "silent") < 0.0);
    assert!(met(&falsehood, cross, "liar", "false-alarm") > 0.0);
    assert!(met(&falsehood, cross, "honest", "false-alarm") > 0.0);
    // A player who only guesses never refutes a truth.
    let truth = of_text("p cnf 3 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n");
    for opponent in ["silent", "false-alarm", "random"] {
        for verifier in BOTH {
            assert!(met(&truth, verifier, "honest", opponent) > 0.0);
        }
    }
}

#[test]
fn players_that_need_the_winner_are_refused_on_hard_formulas() {
    assert_eq!(
        StrategyBuildError::Unsolved("honest").to_string(),
        "honest needs to know who wins this formula, but that was not decided within the allowed \
         effort; choose a player that only guesses, such as random"
    );
}
