//! Proof bits depend only on Alice's knowledge of the instance and on the bit's index (PE Figure 2, step 3b), for every
//! prover.

use std::collections::HashMap;
use std::fmt::Write as _;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::prover_estimator::{EstimateQuery, Estimator, EstimatorPolicy, PeView};
use debate_core::player::{
    PlayerSpec, PolicyAsStrategy, ReplyDistribution, StrategyEntry, StrategyMemoryAndCosts,
    StrategyRegistry,
};
use debate_core::protocol::{Log, Protocol, ProtocolKind, ProverEstimatorDebate, Reply, Seat};
use debate_solver::analysis::equilibrium::UnrestrictedDebaterGame;
use debate_solver::analysis::{BestResponseKnowledgeAndAnswers, DebateSolutionInputs};
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::LoadedScenario;

use super::{Numbers, Writer, best, best_of, every_strategy, players, shares};
use crate::support::scenarios::setup;

/// A leaf whose truth is a bit that Alice writes.
const ONE_BIT: &str = r#"Scenario(
    format: 1, title: "One bit",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "The bit is 1.", reads: ["u"], check: All),
    }, proof: {"u": true}),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

/// A small argument with leaves that share some of their bits.
fn argument_with_bits(numbers: &mut Numbers) -> LoadedScenario {
    let leaves = 1 + numbers.below(3);
    let named: Vec<String> = (0..leaves).map(|leaf| format!("\"l{leaf}\"")).collect();
    let gate = match leaves {
        1 => numbers.one_of(&["All", "Not"]),
        _ => numbers.one_of(&["All", "Any", "Majority", "Xor"]),
    };
    let mut claims = format!(
        "\"r\": Claim(text: \"R.\", supports: [Support(gate: {gate}, on: [{}])]),",
        named.join(", ")
    );
    for leaf in 0..leaves {
        let kinds = [
            "truth: true",
            "reads: [\"u\"], check: All",
            "reads: [\"u\"], check: Not",
            "reads: [\"v\"], check: All",
            "reads: [\"u\", \"v\"], check: Xor",
            "reads: [\"v\", \"u\"], check: All",
        ];
        // The first leaf always reads a bit.
        let from = usize::from(leaf == 0);
        let kind = kinds[from + numbers.below(kinds.len() - from)];
        let _ = write!(claims, "\"l{leaf}\": Claim(text: \"L{leaf}.\", {kind}),");
    }
    let protocol = numbers.one_of(&["Recursive", "ProverEstimator(epsilon: 0.25, rho: 0.5)"]);
    setup(&format!(
        "Scenario(format: 1, title: \"Bits\", problem: Argument(root: \"r\", claims: {{{claims}}}, \
         proof: {{\"u\": true, \"v\": false}}), protocol: {protocol})"
    ))
}

/// Estimates the root as 0, and every other claim as 0 or 1 by a separate coin.
struct Wavering;

impl Estimator<Exact> for Wavering {
    fn estimate(
        &self,
        _view: PeView<'_, '_, Exact>,
        asked: EstimateQuery,
    ) -> ReplyDistribution<Exact> {
        let count = if asked.place.is_some() { 2 } else { 1 };
        ReplyDistribution::uniform_over_numbered_replies(count, |place| {
            Reply::Probability(Exact::ratio(place.into(), 1))
        })
    }
}

/// The built-in strategies, and [`Wavering`].
fn registry() -> StrategyRegistry<Exact> {
    let mut registry = debate_solver::registry::<Exact>();
    registry.add(StrategyEntry {
        name: "wavering",
        seat: Seat::Opponent,
        protocol: Some(ProtocolKind::ProverEstimator),
        parameters: &[],
        about: Some("for tests"),
        uses_no_claim_knowledge: true,
        build: |_| {
            let policy = EstimatorPolicy(Wavering);
            Ok(Box::new(PolicyAsStrategy::<
                _,
                ProverEstimatorDebate<'_, Exact>,
            >::new(policy)))
        },
    });
    registry
}

fn solver<'s>(
    registry: &'s StrategyRegistry<Exact>,
    setup: &'s LoadedScenario,
    players: &'s [PlayerSpec; 3],
) -> DebateSolutionInputs<'s, Exact> {
    DebateSolutionInputs {
        registry,
        protocol: &setup.protocol,
        players,
        grid: &[],
    }
}

/// Alice gets ½ for a single leaf against a Bob who estimates any tenth, and r/2 for her answer. Her bit cannot depend
/// on his estimate.
#[test]
fn a_single_bit_does_not_wait_for_the_estimate() {
    let setup = setup(ONE_BIT);
    let registry = debate_solver::registry::<Exact>();
    let players = players(Seat::Prover, "random");
    let solved =
        solver(&registry, &setup, &players).solve(&setup.instance(0), ComputationBudget::default());
    let value = Exact::ratio(1, 2) + Exact::ratio(1, 64);
    assert_eq!(solved.unwrap().expected.expected_payoff(), value);
    let knowing = BestResponseKnowledgeAndAnswers {
        seat: Seat::Prover,
        blocks: vec![0],
        queries: 0,
        answers: None,
    };
    assert_eq!(best(&setup, &players, &knowing, &[]), value);
}

/// The same holds over all strategies: a Bob who estimates 0 or 1 meets a bit that was fixed before.
#[test]
fn all_strategies_settle_their_bits_first() {
    let setup = setup(ONE_BIT);
    let instances = shares(&setup);
    let grid = ["0", "1"].map(|text| parse(text).unwrap());
    let game = UnrestrictedDebaterGame {
        protocol: &setup.protocol,
        judge: &PlayerSpec::without_arguments("oracle"),
        instances: &instances,
        blocks: [&[0], &[0]],
        queries: [0, 0],
        grid: &grid,
        alpha: &Exact::default(),
        rounds: 100,
    };
    let found = game.solve(ComputationBudget::default()).unwrap();
    let value = Exact::ratio(1, 2) + Exact::ratio(1, 64);
    assert!(found.lower <= value && value <= found.upper);
    assert!((&found.upper - &found.lower).to_float() < 1e-9);
    // The answer is still the first move.
    assert!(found.answers_truly.is_some());
}

/// Checks that the solvers find the best of all pure strategies in which a bit depends on its index alone. Returns true
/// if a bit chosen later would pay more; `None` if there are more than `strategies` pure strategies.
fn settled_bits_are_the_best_of_all(
    setup: &LoadedScenario,
    other: &str,
    strategies: usize,
) -> Option<bool> {
    let registry = registry();
    let players = players(Seat::Prover, other);
    let instance = setup.instance(0);
    let built = Seat::PLAYERS.map(|there| {
        let spec = &players[there.seat_index()];
        let built = registry.build(spec, there, &instance, &setup.protocol);
        (there != Seat::Prover).then(|| built.unwrap())
    });
    let best_of_all = |settles| {
        let mut writer = Writer {
            seat: Seat::Prover,
            settles,
            grid: &[],
            sets: HashMap::new(),
        };
        let start = setup.protocol.start(&instance).unwrap();
        let policy_states = [StrategyMemoryAndCosts::default(); 3];
        let node = writer.node((0, &built), &start, &Log::default(), policy_states);
        every_strategy(&node, strategies)?.into_iter().max()
    };
    let value = best_of_all(true)?;
    let solver = solver(&registry, setup, &players);
    let solved = solver
        .solve(&instance, ComputationBudget::default())
        .unwrap();
    assert_eq!(
        solved.expected.expected_payoff(),
        value,
        "{} {other}",
        setup.source
    );
    let knowing = BestResponseKnowledgeAndAnswers {
        seat: Seat::Prover,
        blocks: vec![0],
        queries: 0,
        answers: None,
    };
    let found = best_of(&registry, setup, &players, (&knowing, &[]));
    assert_eq!(found, value, "{} {other}", setup.source);
    // The built player keeps the same value, so it also fixes its bits first.
    if other != "wavering" {
        let kept = played(&registry, setup, &players);
        assert_eq!(kept, value, "{} {other}", setup.source);
    }
    Some(best_of_all(false).is_some_and(|loose| loose > value))
}

/// Compares `games` random games, and returns the number in which a bit chosen later would pay more.
fn compared(games: usize, strategies: usize) -> usize {
    let mut numbers = Numbers(7);
    let (mut compared, mut waiting) = (0, 0);
    while compared < games {
        let setup = argument_with_bits(&mut numbers);
        let other = match setup.protocol {
            Protocol::Recursive(_) => numbers.one_of(&["honest", "random", "bounded(1)"]),
            _ => numbers.one_of(&["bayes", "stubborn(0.2)", "wavering", "wavering"]),
        };
        if let Some(waits) = settled_bits_are_the_best_of_all(&setup, other, strategies) {
            waiting += usize::from(waits);
            compared += 1;
        }
    }
    waiting
}

#[test]
fn the_best_settled_bits_are_the_best_of_all_pure_strategies() {
    compared(25, 300);
    // A leaf whose estimate is 0 or 1, independent of the bit; a bit chosen later would match it.
    let waits = setup(
        r#"Scenario(
        format: 1, title: "Waits",
        problem: Argument(root: "r", claims: {
            "r": Claim(text: "R.", supports: [Support(gate: Not, on: ["l"])]),
            "l": Claim(text: "L.", reads: ["u"], check: Not),
        }, proof: {"u": true}),
        protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
    )"#,
    );
    let found = settled_bits_are_the_best_of_all(&waits, "wavering", 1000);
    assert_eq!(found, Some(true));
}

#[test]
#[ignore = "exhaustive: 11 s; every day: the_best_settled_bits_are_the_best_of_all_pure_strategies"]
fn the_best_settled_bits_are_the_best_of_3000_pure_strategies() {
    assert!(compared(50, 3000) > 0);
}

/// The expected payoff of the built player of Alice's seat.
fn played(
    registry: &StrategyRegistry<Exact>,
    setup: &LoadedScenario,
    players: &[PlayerSpec; 3],
) -> Exact {
    let instance = setup.instance(0);
    let built = Seat::PLAYERS.map(|seat| {
        let built = registry.build_at(
            players,
            seat,
            &instance,
            &setup.protocol,
            ComputationBudget::default(),
        );
        built.unwrap()
    });
    let start = setup.protocol.start::<Exact>(&instance).unwrap();
    let search = ExhaustiveExpectimax::new(
        &start,
        SeatDecisionMaker::decision_makers_of_players(&built),
        ComputationBudget::default(),
    )
    .restrict_to_total_payoff();
    { search }
        .expectation_from_state(start)
        .unwrap()
        .expected_payoff()
}
