//! The value of the normal form equals the value of all replies, in games small enough to try all.

use std::fmt::Write as _;

use debate_core::budget::ComputationBudget;
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::Seat;
use debate_solver::expectation::PayoffNotComputedReason;
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::LoadedScenario;

use crate::support::scenarios::setup;

/// Alice's best payoff against this Bob: over all strategies, or over those in normal form.
fn worth(
    setup: &LoadedScenario,
    bob: &str,
    use_normal_form: bool,
) -> Result<f64, PayoffNotComputedReason> {
    let instance = setup.instance(0);
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    let player = |name: &str, seat| {
        let spec = PlayerSpec::parse(name).unwrap();
        let built = registry.build(&spec, seat, &instance, &setup.protocol);
        built.unwrap()
    };
    let bob = player(bob, Seat::Opponent);
    let judge = player("oracle", Seat::Judge);
    let actors = [
        SeatDecisionMaker::BestResponse,
        SeatDecisionMaker::Plays(&*bob),
        SeatDecisionMaker::Plays(&*judge),
    ];
    let start = setup.protocol.start::<f64>(&instance).unwrap();
    let mut search = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default())
        .restrict_to_total_payoff();
    if use_normal_form {
        search = search.restrict_to_sufficient_replies();
    }
    Ok(search.expectation_from_state(start)?.expected_payoff())
}

#[track_caller]
fn assert_enough(setup: &LoadedScenario, bob: &str) {
    let [all, few] = [false, true].map(|few| worth(setup, bob, few).unwrap());
    assert!(
        (all - few).abs() < 1e-12,
        "{bob}: {all} {few} {}",
        setup.source
    );
}

/// A circuit of random gates; each reads two wires before it.
fn circuit(dice: &mut impl FnMut(u64) -> u64, gates: u64, witness: u64) -> String {
    let mut text = String::new();
    let mut wires: Vec<String> = Vec::new();
    for input in 0..2 + witness {
        wires.push(format!("x{input}"));
        writeln!(text, "INPUT(x{input})").unwrap();
    }
    writeln!(text, "OUTPUT(g{})", gates - 1).unwrap();
    for gate in 0..gates {
        let kind = ["AND", "OR", "XOR", "NAND", "NOR"][usize::try_from(dice(5)).unwrap()];
        let mut wire = || wires[usize::try_from(dice(wires.len() as u64)).unwrap()].clone();
        let (first, second) = (wire(), wire());
        writeln!(text, "g{gate} = {kind}({first}, {second})").unwrap();
        wires.push(format!("g{gate}"));
    }
    let bits: String = (0..2 + witness)
        .map(|_| ["0", "1"][usize::try_from(dice(2)).unwrap()])
        .collect();
    let says = if witness > 0 { "(witness: true)" } else { "" };
    format!(
        "Scenario(format: 1, title: \"Circuit\", problem: Circuit(inline: \"{text}\", format: Bench, \
         witness: {witness}, inputs: [Input(name: \"x\", bits: \"{bits}\")]), decomposition: Gates, \
         protocol: CrossExamination{says})"
    )
}

#[test]
fn transcripts_and_witnesses_before_every_examiner() {
    let mut state = 7_u64;
    let mut dice = |sides: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let mut unlisted = 0;
    for round in 0..90 {
        let witness = round % 3;
        let gates = 1 + dice(6);
        let setup = setup(&circuit(&mut dice, gates, witness));
        for bob in ["honest", "silent", "false-alarm", "random"] {
            if worth(&setup, bob, true).is_err() {
                // A Bob who selects any step, after a witness if none is accepted.
                assert!(bob == "random" && witness > 0 || gates == 1 && bob == "false-alarm");
                unlisted += 1;
                continue;
            }
            assert_enough(&setup, bob);
        }
    }
    assert!((1..40).contains(&unlisted), "{unlisted}");
}

/// A machine with one cell: it accepts a 1, and first turns a 0 into a 1 if it can.
fn machine(input: char, writes: char, steps: u64, half: &str) -> String {
    format!(
        "Scenario(format: 1, title: \"Machine\", problem: Machine(turing: (start: \"s\", accept: \"yes\", \
         reject: \"no\", rules: [(\"s\", \"0\", \"s\", \"{writes}\", Stay), (\"s\", \"1\", \"yes\", \"1\", \
         Stay)]), input: \"{input}\", steps: {steps}, cells: 1), protocol: Bisection(half: {half}))"
    )
}

#[test]
fn configurations_against_challengers_that_see_only_the_middle() {
    for (input, writes, steps) in [
        ('0', '0', 1),
        ('0', '0', 2),
        ('0', '1', 1),
        ('0', '1', 2),
        ('1', '1', 3),
        ('0', '0', 3),
    ] {
        for half in ["Disputed", "Printed"] {
            let setup = setup(&machine(input, writes, steps, half));
            for bob in ["honest", "false-alarm", "random"] {
                assert_enough(&setup, bob);
            }
        }
    }
}
