mod proof_bits;

use std::collections::HashMap;
use std::fmt::Write as _;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::prover_estimator::{
    EstimateQuery, Estimator, EstimatorPolicy, PeView, ReferenceEstimator,
};
use debate_core::player::{
    KnowledgePartition, PlayableStrategy, PlayerSpec, PolicyAsStrategy, ReplyDistribution,
    StrategyEntry, StrategyMemoryAndCosts, StrategyRegistry,
};
use debate_core::protocol::{
    BitsMeaning, Log, Protocol, ProtocolKind, ProverEstimatorDebate, Request, Rules as _, Seat,
    State, View,
};
use debate_core::scenario::{ClaimId, Instance};
use debate_solver::analysis::{BestResponseKnowledgeAndAnswers, DebateSolutionInputs};
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_solver::{every_reply, outcomes};

use crate::support::scenarios::setup;

/// A deterministic sequence of pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 40).unwrap() % most
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// A small argument with several instances and some unsound supports.
fn random_argument(numbers: &mut Numbers) -> LoadedScenario {
    let leaves = 1 + numbers.below(3);
    let named: Vec<String> = (0..leaves).map(|leaf| format!("\"l{leaf}\"")).collect();
    let gate = match leaves {
        1 => numbers.one_of(&["All", "Not"]),
        _ => numbers.one_of(&["All", "Any", "Majority", "Xor"]),
    };
    let mut supports = format!("Support(gate: {gate}, on: [{}])", named.join(", "));
    if numbers.below(3) == 0 {
        let _ = write!(supports, ", Support(gate: All, on: [\"l0\"], sound: false)");
    }
    let mut claims = format!("\"r\": Claim(text: \"R.\", supports: [{supports}]),");
    for leaf in 0..leaves {
        let estimate = numbers.one_of(&["0", "1/2", "1"]);
        let _ = write!(
            claims,
            "\"l{leaf}\": Claim(text: \"L{leaf}.\", truth: true, estimate: \"{estimate}\"),"
        );
    }
    let mut worlds = String::new();
    for world in 0..2 + numbers.below(2) {
        let truths: Vec<String> = (0..leaves)
            .filter(|_| numbers.below(2) == 0)
            .map(|leaf| format!("\"l{leaf}\": false"))
            .collect();
        let weight = 1 + numbers.below(3);
        let _ = write!(
            worlds,
            "World(name: \"w{world}\", weight: {weight}, truths: {{{}}}),",
            truths.join(", ")
        );
    }
    let protocol = numbers.one_of(&["Recursive", "ProverEstimator(epsilon: 0.25, rho: 0.5)"]);
    setup(&format!(
        "Scenario(format: 1, title: \"Random\", problem: Argument(root: \"r\", claims: {{{claims}}}, \
         worlds: [{worlds}]), protocol: {protocol})"
    ))
}

/// A game written out node by node.
enum Node {
    End(Exact),
    Chance(Vec<(Exact, Self)>),
    /// An information set of the seat.
    Choice(usize, Vec<Self>),
}

/// Writes out a game, using only the log that a seat sees.
struct Writer<'t> {
    seat: Seat,
    /// True if a proof bit depends only on the block and its own index.
    settles: bool,
    grid: &'t [Exact],
    sets: HashMap<String, usize>,
}

impl Writer<'_> {
    fn node<'a>(
        &mut self,
        (block, players): (usize, &[Option<PlayableStrategy<'a, Exact>>; 3]),
        state: &State<'a, Exact>,
        log: &Log<Exact>,
        policy_states: [StrategyMemoryAndCosts; 3],
    ) -> Node {
        let Some(turn) = state.request() else {
            return Node::End(state.payoff());
        };
        let mut policy_states = policy_states;
        let each = match &turn.request {
            Request::Draw { draw, .. } => outcomes(draw, None).unwrap(),
            _ if turn.seat == self.seat => {
                let replies = every_reply(&turn, self.grid).unwrap().into_iter();
                replies.map(|reply| (Exact::default(), reply)).collect()
            }
            request => {
                let player = players[turn.seat.seat_index()].as_ref().unwrap();
                let policy_state = &mut policy_states[turn.seat.seat_index()];
                let choice = player.choose(View::new(state, turn.seat), request, policy_state);
                choice.unwrap().weighted_replies().unwrap()
            }
        };
        let mut next = Vec::new();
        for (chance, reply) in each {
            let (mut state, mut log) = (state.clone(), log.clone());
            if state.reply(reply, &mut log).is_ok() {
                let node = self.node((block, players), &state, &log, policy_states);
                next.push((chance, node));
            }
        }
        if turn.seat != self.seat {
            return Node::Chance(next);
        }
        let mut seen = block.to_string();
        for entry in log.all_observations(Some(self.seat)) {
            let _ = write!(seen, "\n{entry:?}");
        }
        if let (
            true,
            Request::Bits {
                ask: BitsMeaning::Proof(bit),
                ..
            },
        ) = (self.settles, &turn.request)
        {
            seen = format!("{block} bit {bit}");
        }
        let known = self.sets.len();
        let set = *self.sets.entry(seen).or_insert(known);
        Node::Choice(set, next.into_iter().map(|(_, node)| node).collect())
    }
}

/// The value if the seat plays this strategy. `Err` contains the first information set without a reply, and the number
/// of its replies.
fn value(node: &Node, strategy: &HashMap<usize, usize>) -> Result<Exact, (usize, usize)> {
    Ok(match node {
        Node::End(payoff) => payoff.clone(),
        Node::Chance(each) => {
            let mut sum = Exact::default();
            for (chance, node) in each {
                sum += chance * value(node, strategy)?;
            }
            sum
        }
        Node::Choice(set, each) => {
            let reply = strategy.get(set).ok_or((*set, each.len()))?;
            value(&each[*reply], strategy)?
        }
    })
}

/// The values of all pure strategies; `None` if there are more than `most`.
fn every_strategy(game: &Node, most: usize) -> Option<Vec<Exact>> {
    let (mut open, mut found) = (vec![HashMap::new()], Vec::new());
    while let Some(strategy) = open.pop() {
        match value(game, &strategy) {
            Ok(value) => found.push(value),
            Err((set, replies)) => {
                for reply in 0..replies {
                    let mut longer = strategy.clone();
                    longer.insert(set, reply);
                    open.push(longer);
                }
            }
        }
        if found.len() + open.len() > most {
            return None;
        }
    }
    Some(found)
}

fn players(seat: Seat, other: &str) -> [PlayerSpec; 3] {
    let mut players =
        ["best-response", "best-response", "oracle"].map(PlayerSpec::without_arguments);
    let there = if seat == Seat::Prover {
        Seat::Opponent
    } else {
        Seat::Prover
    };
    players[there.seat_index()] = PlayerSpec::parse(other).unwrap();
    players
}

fn shares(setup: &LoadedScenario) -> Vec<(Exact, Instance)> {
    let worlds = setup.decomposition.worlds();
    let total: Exact = worlds.iter().map(|world| &world.weight).sum();
    let each = worlds.iter().enumerate();
    each.map(|(number, world)| (&world.weight / &total, setup.instance(number)))
        .collect()
}

fn best(
    setup: &LoadedScenario,
    players: &[PlayerSpec; 3],
    knowing: &BestResponseKnowledgeAndAnswers,
    grid: &[Exact],
) -> Exact {
    best_of(&debate_solver::registry(), setup, players, (knowing, grid))
}

fn best_of(
    registry: &StrategyRegistry<Exact>,
    setup: &LoadedScenario,
    players: &[PlayerSpec; 3],
    (knowing, grid): (&BestResponseKnowledgeAndAnswers, &[Exact]),
) -> Exact {
    let solver = DebateSolutionInputs {
        registry,
        protocol: &setup.protocol,
        players,
        grid,
    };
    let instances = shares(setup);
    let found = solver.solve_with_knowledge(&instances, knowing, ComputationBudget::default());
    let each = instances.iter().zip(found.unwrap());
    each.map(|((share, _), solved)| share * solved.expected.expected_payoff())
        .sum()
}

/// The best value of a seat with partial knowledge equals the maximum over all pure strategies.
#[test]
fn the_best_reply_is_the_best_of_all_pure_strategies() {
    best_replies_are_the_best_of_all(30);
}

#[test]
#[ignore = "exhaustive: 9 s; every day: the_best_reply_is_the_best_of_all_pure_strategies"]
fn the_best_reply_is_the_best_of_all_pure_strategies_on_500_games() {
    best_replies_are_the_best_of_all(500);
}

fn best_replies_are_the_best_of_all(games: usize) {
    let mut numbers = Numbers(18);
    let grid = [Exact::ratio(0, 1), Exact::ratio(1, 1)];
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let (mut compared, mut below_everything) = (0, 0);
    while compared < games {
        let setup = random_argument(&mut numbers);
        let recursive = matches!(setup.protocol, Protocol::Recursive(_));
        let seat = [Seat::Prover, Seat::Opponent][numbers.below(2)];
        let other = match (seat, recursive) {
            (Seat::Prover, true) => numbers.one_of(&["honest", "random", "bounded(1)"]),
            (Seat::Prover, false) => numbers.one_of(&[
                "truthful",
                "stubborn(1)",
                "bayes",
                "calibrated",
                "stubborn(0.5)",
            ]),
            (_, true) => numbers.one_of(&["honest", "obfuscator", "random"]),
            (_, false) => numbers.one_of(&["honest", "liar", "obfuscator", "random"]),
        };
        let knowledge = numbers.one_of(&["nothing", "everything", "leaves(l0)", "instances(w0)"]);
        let knowledge = KnowledgePartition::parse(knowledge).unwrap();
        let blocks = knowledge
            .instance_blocks(setup.decomposition.as_ref())
            .unwrap();
        let players = players(seat, other);
        let instances = shares(&setup);
        let mut writer = Writer {
            seat,
            settles: true,
            grid: &grid,
            sets: HashMap::new(),
        };
        let mut each = Vec::new();
        for (place, (share, instance)) in instances.iter().enumerate() {
            let built = Seat::PLAYERS.map(|there| {
                let spec = &players[there.seat_index()];
                let built = registry.build(spec, there, instance, &setup.protocol);
                (there != seat).then(|| built.unwrap())
            });
            let start = setup.protocol.start(instance).unwrap();
            let policy_states = [StrategyMemoryAndCosts::default(); 3];
            let node = writer.node(
                (blocks[place], &built),
                &start,
                &Log::default(),
                policy_states,
            );
            each.push((share.clone(), node));
        }
        let Some(values) = every_strategy(&Node::Chance(each), 150) else {
            continue;
        };
        let value = match seat {
            Seat::Prover => values.into_iter().max().unwrap(),
            _ => values.into_iter().min().unwrap(),
        };
        let knowing = BestResponseKnowledgeAndAnswers {
            seat,
            blocks: blocks.to_vec(),
            queries: 0,
            answers: None,
        };
        let found = best(&setup, &players, &knowing, &grid);
        assert_eq!(found, value, "{} {knowledge} {seat} {other}", setup.source);
        let all = BestResponseKnowledgeAndAnswers {
            blocks: (0..instances.len()).collect(),
            ..knowing
        };
        below_everything += usize::from(best(&setup, &players, &all, &grid) != value);
        compared += 1;
    }
    assert!(below_everything * 25 > games, "{below_everything}");
}

/// The reference estimator without its knowledge key, so that the search follows every instance separately.
struct Unshared<'a>(ReferenceEstimator<'a>);

impl Estimator<Exact> for Unshared<'_> {
    fn uses_earlier_coins(&self) -> bool {
        Estimator::<Exact>::uses_earlier_coins(&self.0)
    }

    fn estimate(
        &self,
        view: PeView<'_, '_, Exact>,
        asked: EstimateQuery,
    ) -> ReplyDistribution<Exact> {
        self.0.estimate(view, asked)
    }

    fn doubt(&self, warrant: ClaimId) -> Option<Exact> {
        self.0.doubt(warrant)
    }
}

/// Instances that differ only outside the current claim share one search, with the same exact results.
#[test]
fn instances_that_continue_alike_are_searched_once_with_equal_values() {
    let mut registry = debate_solver::registry::<Exact>();
    registry.add(StrategyEntry {
        name: "unshared",
        seat: Seat::Opponent,
        protocol: Some(ProtocolKind::ProverEstimator),
        parameters: &[],
        about: Some("for tests"),
        uses_no_claim_knowledge: true,
        build: |order| {
            let policy = EstimatorPolicy(Unshared(ReferenceEstimator::new(order.blind_reader())));
            Ok(Box::new(PolicyAsStrategy::<
                _,
                ProverEstimatorDebate<'_, Exact>,
            >::new(policy)))
        },
    });
    let mut saved = 0;
    for name in [
        "primes-4331",
        "hidden-flaw",
        "two-of-three",
        "pull-request",
        "three-readings",
    ] {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        let instances = shares(&setup);
        for blocks in [vec![0; instances.len()], (0..instances.len()).collect()] {
            let knowing = BestResponseKnowledgeAndAnswers {
                seat: Seat::Prover,
                blocks,
                queries: 0,
                answers: None,
            };
            let solved = ["reference", "unshared"].map(|opponent| {
                let solver = DebateSolutionInputs {
                    registry: &registry,
                    protocol: &setup.protocol,
                    players: &players(Seat::Prover, opponent),
                    grid: &[],
                };
                let found = solver.expectations_with_knowledge(
                    &instances,
                    &knowing,
                    None,
                    ComputationBudget::default(),
                );
                found.unwrap()
            });
            let [(shared, fewer), (separate, all)] = solved;
            assert_eq!(shared, separate, "{name}");
            assert!(fewer <= all, "{name}: {fewer} of {all}");
            saved += all - fewer;
        }
    }
    assert!(saved > 0);
}

/// A player who knows everything gets the value of the search for the best response to each instance. So does a player
/// who may query everything relevant.
#[test]
fn full_knowledge_and_enough_queries_have_equal_values() {
    for (name, opponents) in [
        ("hidden-flaw", ["bayes", "marginal"]),
        ("primes-small", ["bayes", "stubborn(0.5)"]),
    ] {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        let registry = debate_solver::registry::<Exact>();
        for opponent in opponents {
            let players = players(Seat::Prover, opponent);
            let instances = shares(&setup);
            let mut sum = Exact::default();
            for (share, instance) in &instances {
                let start = setup.protocol.start::<Exact>(instance).unwrap();
                let built = |seat: Seat| {
                    let spec = &players[seat.seat_index()];
                    let built = registry.build(spec, seat, instance, &setup.protocol);
                    built.unwrap()
                };
                let (bob, judge) = (built(Seat::Opponent), built(Seat::Judge));
                let actors = [
                    SeatDecisionMaker::BestResponse,
                    SeatDecisionMaker::Plays(&*bob),
                    SeatDecisionMaker::Plays(&*judge),
                ];
                let mut search =
                    ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default());
                sum += share
                    * search
                        .expectation_from_state(start.clone())
                        .unwrap()
                        .expected_payoff();
            }
            let knowing = BestResponseKnowledgeAndAnswers {
                seat: Seat::Prover,
                blocks: (0..instances.len()).collect(),
                queries: 0,
                answers: None,
            };
            let everything = best(&setup, &players, &knowing, &[]);
            assert_eq!(everything, sum, "{name} {opponent}");
            let nothing = BestResponseKnowledgeAndAnswers {
                blocks: vec![0; instances.len()],
                ..knowing.clone()
            };
            let blind = best(&setup, &players, &nothing, &[]);
            let asking = BestResponseKnowledgeAndAnswers {
                queries: 1,
                ..nothing.clone()
            };
            let asks = best(&setup, &players, &asking, &[]);
            assert!(blind <= asks && asks <= sum, "{name} {opponent}");
            if name == "hidden-flaw" {
                // One page determines both.
                assert_eq!(asks, sum, "{opponent}");
            }
        }
    }
}

/// On `primes`, the best liar who does not know the divisor earns several times as much as the best built-in liar.
#[test]
fn the_best_blind_liar_on_primes_is_found() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
    let players = players(Seat::Prover, "bayes");
    let instances = setup.decomposition.worlds().len();
    let knowing = |answers| BestResponseKnowledgeAndAnswers {
        seat: Seat::Prover,
        blocks: vec![0; instances],
        queries: 0,
        answers,
    };
    let liar = best(&setup, &players, &knowing(Some(true)), &[]);
    let any = best(&setup, &players, &knowing(None), &[]);
    // The payoff of `exploiter`, the best of the built-in liars.
    let exploiter = Exact::ratio(157, 30000);
    assert!(liar > exploiter.clone() * Exact::ratio(3, 1), "{liar}");
    assert!(any >= liar);
}

/// The best reply of a seat is the better of its two answers, each valued over all possible instances.
#[test]
fn replies_are_valued_over_all_that_is_possible() {
    let setup =
        LoadedScenario::load_bundled_scenario("hidden-flaw", &ScenarioLimits::default()).unwrap();
    let players = players(Seat::Prover, "bayes");
    let instances = setup.decomposition.worlds().len();
    let value = |answers, blocks: Vec<usize>| {
        let knowing = BestResponseKnowledgeAndAnswers {
            seat: Seat::Prover,
            blocks,
            queries: 0,
            answers,
        };
        best(&setup, &players, &knowing, &[])
    };
    for blocks in [vec![0; instances], (0..instances).collect()] {
        let [yes, no] = [true, false].map(|answer| value(Some(answer), blocks.clone()));
        assert_eq!(value(None, blocks), yes.clone().max(no.clone()));
        assert_ne!(yes, no);
    }
}
