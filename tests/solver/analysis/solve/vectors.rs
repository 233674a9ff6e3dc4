//! Exact values that were computed elsewhere; skipped without their folder.

use std::collections::HashMap;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number};
use debate_core::player::prover_estimator::estimators::ProblemEstimatesEstimator;
use debate_core::player::prover_estimator::{EstimateQuery, Estimator, EstimatorPolicy, PeView};
use debate_core::player::{
    OracleJudge, PlayableStrategy, PlayerSpec, Policy, PolicyAsStrategy, ReplyDistribution,
    StrategyMemoryAndCosts, StrategyRegistry,
};
use debate_core::protocol::prover_estimator::{CarriedEstimateKind, ProverEstimatorParameters};
use debate_core::protocol::{
    Bet, BitString, Protocol, ProverEstimatorDebate, Reply, Request, Seat,
};
use debate_core::scenario::stability::{completeness_bound, survey};
use debate_core::scenario::{BlindReader, ClaimId, InformedReader, Instance};
use debate_solver::analysis::DebateSolutionInputs;
use debate_solver::expectimax::{BEST_RESPONSE, ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::LoadedScenario;
use debate_solver::training::train;
use num_traits::Zero as _;
use serde_json::Value as Json;

use super::game::game_value;
use super::worked::{against_pairs, bundled, true_leaves};
use super::{exact, mean, players, value};
use crate::support::scenarios::setup;
use crate::support::vectors;

type Pe<'a> = ProverEstimatorDebate<'a, Exact>;

pub(super) fn number(value: &Json) -> Exact {
    exact(value.as_str().expect("a fraction"))
}

fn gate(node: &Json) -> String {
    match node["gate"].as_str().unwrap() {
        "all" => "All".to_owned(),
        "any" => "Any".to_owned(),
        "majority" => "Majority".to_owned(),
        "not" => "Not".to_owned(),
        "xor" => "Xor".to_owned(),
        "at_least" => format!("AtLeast({})", node["k"]),
        "table" => {
            let rows = node["table"].as_array().unwrap().iter();
            let digit = |row: &Json| if *row == 1 || *row == true { "1" } else { "0" };
            format!(
                "Table([{}])",
                rows.map(digit).collect::<Vec<_>>().join(", ")
            )
        }
        other => panic!("no gate {other}"),
    }
}

/// Writes the claims of a tree in preorder, in the format of scenarios.
fn claims(node: &Json, estimates: &[Json], out: &mut Vec<String>) -> usize {
    let own = out.len();
    out.push(String::new());
    let text = if let Some(bit) = node["bit"].as_u64() {
        format!("truth: {}", bit == 1)
    } else {
        let children = node["children"].as_array().unwrap().iter();
        let on: Vec<String> = children
            .map(|child| format!("\"n{}\"", claims(child, estimates, out)))
            .collect();
        let gate = gate(node);
        format!("supports: [Support(gate: {gate}, on: [{}])]", on.join(", "))
    };
    let estimate = estimates
        .get(own)
        .map_or_else(String::new, |p| format!(", estimate: {p}"));
    out[own] = format!("\"n{own}\": Claim(text: \"{own}.\", {text}{estimate}),\n");
    own
}

fn scenario(input: &Json) -> LoadedScenario {
    let estimator = &input["estimator"];
    let estimates = estimator["p"]
        .as_array()
        .or_else(|| estimator["leaf_p"].as_array());
    let mut written = Vec::new();
    claims(
        &input["tree"],
        estimates.map_or(&[], Vec::as_slice),
        &mut written,
    );
    let early = match input["leaf_rule"].as_str().unwrap() {
        "jump" => "Jump",
        _ => "InPlace",
    };
    setup(&format!(
        "Scenario(format: 1, title: \"Tree\", problem: Argument(root: \"n0\", claims: {{ {} }}),
          protocol: ProverEstimator(epsilon: {}, rho: {}, early_leaf: {early}))",
        written.concat(),
        input["eps"],
        input["rho"],
    ))
}

/// The number of a claim in preorder.
fn preorder(instance: &Instance, claim: ClaimId) -> usize {
    let id = instance.claim_id_in_file(claim).unwrap();
    id.trim_start_matches('n').parse().unwrap()
}

/// A prover that answers, bets and selects according to a table.
struct Tabled<'a> {
    instance: &'a Instance,
    claim: bool,
    sign: Vec<i64>,
    pick: Vec<u32>,
}

impl<'a> Policy<Exact, Pe<'a>> for Tabled<'_> {
    fn ignores_round_coins(&self) -> bool {
        true
    }
    fn choose(
        &self,
        view: PeView<'_, 'a, Exact>,
        request: &Request<Exact>,
        _mind: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        let place = preorder(self.instance, view.claim_under_discussion());
        Some(ReplyDistribution::Certain(match request {
            Request::Answer { .. } => Reply::Answer(self.claim),
            Request::Direction { .. } => {
                let difference = Exact::ratio(self.sign[place], 1);
                Reply::Direction(Bet::beyond(&difference, &Exact::zero()))
            }
            Request::Support { .. } => Reply::Support(0),
            Request::Select { .. } => Reply::Select(self.pick[place]),
            Request::Bits { .. } => Reply::Bits(BitString::from(vec![true])),
            _ => return None,
        }))
    }
}

/// An estimator that reads each claim's estimate from a table, by the coins of the round.
struct Conditional<'a> {
    instance: &'a Instance,
    root: Exact,
    nodes: HashMap<String, HashMap<String, Exact>>,
}

impl Estimator<Exact> for Conditional<'_> {
    fn estimate(
        &self,
        view: PeView<'_, '_, Exact>,
        asked: EstimateQuery,
    ) -> ReplyDistribution<Exact> {
        if asked.place.is_none() {
            return ReplyDistribution::Certain(Reply::Probability(self.root.clone()));
        }
        let digit = |coin: bool| if coin { '1' } else { '0' };
        let prefix: String = view
            .tossed_subclaims()
            .map(|(_, coin)| digit(coin))
            .collect();
        let node = &self.nodes[&preorder(self.instance, view.claim_under_discussion()).to_string()];
        ReplyDistribution::Certain(Reply::Probability(node[&prefix].clone()))
    }
}

fn named<'a>(name: &str, seat: Seat, instance: &'a Instance) -> PlayableStrategy<'a, Exact> {
    let spec = PlayerSpec::parse(name).unwrap();
    let rules = debate_solver::setup::default_protocol();
    let registry = StrategyRegistry::registry_with_builtin_players();
    registry.build(&spec, seat, instance, &rules).unwrap()
}

fn estimating<'a>(estimator: impl Estimator<Exact> + 'a) -> PlayableStrategy<'a, Exact> {
    Box::new(PolicyAsStrategy::<_, Pe<'a>>::new(EstimatorPolicy(
        estimator,
    )))
}

fn prover<'a>(instance: &'a Instance, written: &Json) -> Option<PlayableStrategy<'a, Exact>> {
    let named = |name| named(name, Seat::Prover, instance);
    let numbers = |name: &str| written[name].as_array().unwrap().iter();
    Some(match written["kind"].as_str().unwrap() {
        "honest" if written["stop_rule"] == true => named("honest"),
        "honest" => named("honest(markov)"),
        "contrarian" => named("contrarian"),
        "best_response" => return None,
        "table" => Box::new(PolicyAsStrategy::<_, Pe<'a>>::new(Tabled {
            instance,
            claim: written["claim"] == 1,
            sign: numbers("sign").map(|s| s.as_i64().unwrap()).collect(),
            pick: numbers("pick")
                .map(|p| u32::try_from(p.as_u64().unwrap()).unwrap())
                .collect(),
        })),
        other => panic!("no prover {other}"),
    })
}

fn estimator<'a>(instance: &'a Instance, written: &Json) -> PlayableStrategy<'a, Exact> {
    let named = |name: &str| named(name, Seat::Opponent, instance);
    match written["kind"].as_str().unwrap() {
        "truth" => named("truthful"),
        "shift" => named(&format!("shifted({})", written["delta"].as_str().unwrap())),
        "table" => estimating(ProblemEstimatesEstimator::new(BlindReader::new(instance))),
        "propagate" => named("coherent"),
        "conditional" => {
            let nodes = written["nodes"].as_object().unwrap().iter();
            let nodes = nodes.map(|(node, prefixes)| {
                let prefixes = prefixes
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(prefix, p)| (prefix.clone(), number(p)));
                (node.clone(), prefixes.collect())
            });
            estimating(Conditional {
                instance,
                root: number(&written["root"]),
                nodes: nodes.collect(),
            })
        }
        other => panic!("no estimator {other}"),
    }
}

#[test]
fn prover_estimator_debates_agree() {
    for vector in vectors::of("prover_estimator") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let setup = scenario(input);
        let instance = setup.instance(0);
        let start = setup.protocol.start::<Exact>(&instance).unwrap();
        let prover = prover(&instance, &input["prover"]);
        let opponent = Some(estimator(&instance, &input["estimator"]));
        let judge = OracleJudge::new(InformedReader::new(&instance));
        let judge: PlayableStrategy<'_, Exact> =
            Box::new(PolicyAsStrategy::<_, Pe<'_>>::new(judge));
        for plain in [false, true] {
            let actors = [
                SeatDecisionMaker::player_or_best_response(prover.as_ref()),
                SeatDecisionMaker::player_or_best_response(opponent.as_ref()),
                SeatDecisionMaker::Plays(&*judge),
            ];
            let walk = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default());
            let mut walk = if plain {
                walk.follow_each_coin_separately()
            } else {
                walk
            };
            let found = walk.expectation_from_state(start.clone()).unwrap();
            assert_eq!(found.expected_payoff(), number(&expect["expected"]), "{id}");
            if prover.is_some() {
                let rounds: Vec<Exact> = expect["per_round"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(number)
                    .collect();
                assert_eq!(found.expected_rewards_by_round(), rounds, "{id}");
                assert_eq!(found.payoff_variance(), number(&expect["variance"]), "{id}");
            }
        }
        let ratio = setup.protocol.weight_ratio_if_constant();
        assert_eq!(ratio, Some(number(&expect["r"])), "{id}");
        let truth = instance.truth(instance.root()).map(u64::from);
        assert_eq!(truth, expect["truth"].as_u64(), "{id}");
        let depth = u64::from(instance.size().depth);
        assert_eq!(Some(depth), expect["depth"].as_u64(), "{id}");
    }
}

#[test]
fn the_worst_estimators_agree() {
    for vector in vectors::of("lemma_a5") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let setup = scenario(input);
        let grid: Vec<Exact> = input["grid"]
            .as_array()
            .unwrap()
            .iter()
            .map(number)
            .collect();
        let Protocol::ProverEstimator(parameters) = &setup.protocol else {
            panic!("another protocol");
        };
        let (epsilon, rho) = (&parameters.epsilon.0, &parameters.rho.0);
        let depth = setup.decomposition.size(0).depth;
        let bound = completeness_bound(epsilon, &parameters.weight_ratio_to_next_round(), depth);
        assert_eq!(bound, number(&expect["bound"]), "{id}");
        let holds = number(&expect["worst"]) >= bound;
        assert_eq!(Some(holds), expect["holds"].as_bool(), "{id}");
        let found = survey(&setup.decomposition, &setup.oracle, (epsilon, rho), 10_000);
        assert_eq!(found.is_stable(), expect["stable"].as_bool(), "{id}");
        let game = game_value(&setup, &grid);
        assert_eq!(game, number(&expect["game_value"]), "{id}");
        for (prover, wanted) in [("honest", "worst"), ("honest(markov)", "worst_markov")] {
            let found = mean(
                &setup,
                &setup.protocol,
                [prover, BEST_RESPONSE, "oracle"],
                &grid,
            );
            assert_eq!(
                found.expected.expected_payoff(),
                number(&expect[wanted]),
                "{id}"
            );
            let floats: Vec<f64> = grid.iter().map(Number::to_float).collect();
            let float = mean(
                &setup,
                &setup.protocol,
                [prover, BEST_RESPONSE, "oracle"],
                &floats,
            );
            let off =
                float.expected.expected_payoff() - found.expected.expected_payoff().to_float();
            assert!(off.abs() < 1e-12, "{id}: {off}");
        }
    }
}

/// The parameters of prover-estimator debate.
fn terms(setup: &LoadedScenario) -> &ProverEstimatorParameters {
    match &setup.protocol {
        Protocol::ProverEstimator(parameters) => parameters,
        other => panic!("{other}"),
    }
}

#[test]
fn the_counterexamples_agree() {
    for vector in vectors::of("counterexample") {
        let (input, expect, id) = (&vector["input"], &vector["expect"], &vector["id"]);
        let against =
            |setup: &LoadedScenario, bob: &str| value(setup, ["exploiter", bob, "oracle"]);
        match input["name"].as_str().unwrap() {
            "C1_soundness_conditional" => {
                let flaw = bundled("hidden-flaw");
                for bob in ["bayes", "marginal"] {
                    assert_eq!(against(&flaw, bob), number(&expect[bob]), "{id}");
                }
                let delta = number(&input["delta"]);
                let prover = PlayerSpec::without_arguments("exploiter");
                let trained = train(
                    &flaw.instance(0),
                    &flaw.protocol,
                    &prover,
                    &delta,
                    ComputationBudget::default(),
                )
                .unwrap();
                let steps = trained.report.rounds[0].steps;
                assert_eq!(Some(steps as u64), expect["steps"].as_u64(), "{id}");
                let registry = debate_solver::registry::<Exact>();
                let bob = format!("indistinguishable({})", input["delta"].as_str().unwrap());
                let names = players("exploiter", &bob, "oracle");
                let case = DebateSolutionInputs {
                    registry: &registry,
                    protocol: &flaw.protocol,
                    players: &names,
                    grid: &[],
                };
                let half = Exact::ratio(1, 2);
                let each = [0, 1].map(|world| {
                    let found = case.solve(&flaw.instance(world), ComputationBudget::default());
                    found.unwrap().expected.expected_payoff() * &half
                });
                let found: Exact = each.into_iter().sum();
                assert_eq!(found, number(&expect["algorithm1_constant_step"]), "{id}");
                assert_eq!(Exact::ratio(3, 1) * delta, number(&expect["bound"]), "{id}");
            }
            "C1b_count_not_two_of_four" => {
                let count = bundled("hidden-flaw-count");
                assert_eq!(
                    against(&count, "marginal"),
                    number(&expect["marginal"]),
                    "{id}"
                );
                // 3δ at δ = εr²/3.
                let ratio = terms(&count).weight_ratio_to_next_round();
                let bound = &terms(&count).epsilon.0 * &ratio * &ratio;
                assert_eq!(bound, number(&expect["bound_at_theorem_6_2"]), "{id}");
            }
            "C3_unstable_all" => {
                let all = true_leaves("All", 5);
                let grid: Vec<Exact> = input["grid"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(number)
                    .collect();
                let found = mean(
                    &all,
                    &all.protocol,
                    ["honest", BEST_RESPONSE, "oracle"],
                    &grid,
                );
                assert_eq!(
                    found.expected.expected_payoff(),
                    number(&expect["worst"]),
                    "{id}"
                );
                let bound = completeness_bound(
                    &terms(&all).epsilon.0,
                    &terms(&all).weight_ratio_to_next_round(),
                    1,
                );
                assert_eq!(bound, number(&expect["bound"]), "{id}");
            }
            "C4_marginal_carry" => {
                let found = against_pairs(CarriedEstimateKind::Marginal);
                assert_eq!(found, number(&expect["honest"]), "{id}");
                let majority = true_leaves("Majority", 3);
                let terms = terms(&majority);
                let bound =
                    completeness_bound(&terms.epsilon.0, &terms.weight_ratio_to_next_round(), 1);
                assert_eq!(bound, number(&expect["bound"]), "{id}");
            }
            // A stochastic debate, which is compared separately from its players.
            "C2_repeated_query" => {}
            other => panic!("no counterexample {other}"),
        }
    }
}
