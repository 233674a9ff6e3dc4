//! The rules of AI-safety debate protocols, and strategies that play them.
//!
//! A debate is a state machine that asks one seat one question at a time: [`Rules::request`] returns the seat and the
//! question, [`Rules::reply`] takes the answer. Screens, saves, simulations and exact analysis are clients of these two
//! calls. This crate has no input or output, no clock and no threads.
//!
//! # Build a problem, and ask the first question
//!
//! A problem is built from a specification: plain values with public fields. Scenario files contain the same
//! specification as text.
//!
//! ```
//! use debate_core::scenario::{ArgumentProblem, ArgumentProblemSpec, ClaimSpec, ScenarioValuePath, SupportSpec};
//! use debate_core::{Exact, Gate, Instance, Oracle, Protocol, Request, Rules, Seat};
//! use std::sync::Arc;
//!
//! let leaf = |text: &str, truth| ClaimSpec {
//!     text: text.to_owned(),
//!     truth: Some(truth),
//!     ..ClaimSpec::default()
//! };
//! let bridge = ClaimSpec {
//!     text: "The bridge carries the truck.".to_owned(),
//!     supports: vec![SupportSpec {
//!         label: None,
//!         gate: Gate::All, // the bridge holds if the deck and the cables hold
//!         on: vec!["deck".to_owned(), "cables".to_owned()],
//!         sound: true,
//!     }],
//!     ..ClaimSpec::default()
//! };
//! let spec = ArgumentProblemSpec {
//!     root: "bridge".to_owned(),
//!     claims: vec![
//!         ("bridge".to_owned(), bridge),
//!         ("deck".to_owned(), leaf("The deck carries 40 tonnes.", true)),
//!         ("cables".to_owned(), leaf("No cable is worn.", false)),
//!     ],
//!     ..ArgumentProblemSpec::default()
//! };
//! let problem = ArgumentProblem::build(spec, &ScenarioValuePath::default()).unwrap();
//! let instance = Instance::new(Arc::new(problem), 0, Oracle::Truth);
//! assert_eq!(instance.truth(instance.root()), Some(false)); // a cable is worn
//!
//! let protocol = Protocol::parse("ProverEstimator(epsilon: 0.25, rho: 0.5)").unwrap();
//! let debate = protocol.start::<Exact>(&instance).unwrap();
//! let turn = debate.request().unwrap();
//! assert_eq!(turn.seat, Seat::Prover); // Alice answers the root claim first
//! assert!(matches!(turn.request, Request::Answer { .. }));
//! ```
//!
//! # Ask, and reply
//!
//! ```
//! use debate_core::number::parse; use debate_core::scenario::{TestedNumberVisibility, PrimalityMethod, NumbersTestedForPrimality,
//! ScenarioValuePath, PrimalityProblem, PrimalitySpec}; use debate_core::{Exact, Instance, Number, Oracle, Protocol,
//! Reply, Request, Rules, Seat}; use std::sync::Arc;
//!
//! // Is 4331 prime? It is 61 × 71; divisors are looked for in four intervals at a time.
//! let problem = PrimalitySpec {
//!     numbers: NumbersTestedForPrimality::List(vec![4331_u32.into()]),
//!     estimator_knows: TestedNumberVisibility::Number,
//!     method: PrimalityMethod::Intervals { width: 4, primes_from: None },
//! };
//! let problem = PrimalityProblem::build(problem, &ScenarioValuePath::path_of_top_level_field("problem")).unwrap();
//! let instance = Instance::new(Arc::new(problem), 0, Oracle::Truth);
//! let protocol = Protocol::parse("ProverEstimator(epsilon: 0.45, rho: \"1/9\")").unwrap();
//!
//! let mut debate = protocol.start::<Exact>(&instance).unwrap();
//! let turn = debate.request().unwrap();
//! assert_eq!(turn.seat, Seat::Prover);
//! assert!(matches!(turn.request, Request::Answer { .. }));
//!
//! debate.reply(Reply::Answer(false), &mut ()).unwrap(); // Alice: 4331 is not prime
//! debate.reply(Reply::Probability(Exact::ratio(1, 10)), &mut ()).unwrap(); // Bob: 10 %
//! debate.reply(Reply::Drawn(0), &mut ()).unwrap(); // the coin agrees with Alice
//! assert_eq!(debate.payoff(), parse("1/10000").unwrap()); // r⁴, for r = 1/10
//! assert!(debate.reply(Reply::Select(0), &mut ()).is_err()); // her bet is asked for
//! ```
//!
//! # Play a whole debate between strategies
//!
//! ```
//! use debate_core::budget::ComputationBudget;
//! use debate_core::{InformedReader, StrategyRegistry, Rules, Seat, Seed, SeededRandomness, PlayerSpec, play_between};
//! # use debate_core::scenario::{TestedNumberVisibility, PrimalityMethod, NumbersTestedForPrimality, ScenarioValuePath, PrimalityProblem, PrimalitySpec};
//! # use debate_core::{Instance, Oracle, Protocol};
//! # use std::sync::Arc;
//! # let problem = PrimalitySpec {
//! #     numbers: NumbersTestedForPrimality::List(vec![4331_u32.into()]),
//! #     estimator_knows: TestedNumberVisibility::Number,
//! #     method: PrimalityMethod::Intervals { width: 4, primes_from: None },
//! # };
//! # let problem = PrimalityProblem::build(problem, &ScenarioValuePath::path_of_top_level_field("problem")).unwrap();
//! # let instance = Instance::new(Arc::new(problem), 0, Oracle::Truth);
//! # let protocol = Protocol::parse("ProverEstimator(epsilon: 0.45, rho: \"1/9\")").unwrap();
//! let mut debate = protocol.start::<f64>(&instance).unwrap();
//! let registry = StrategyRegistry::registry_with_builtin_players();
//! let player = |name, seat| {
//!     let spec = PlayerSpec::parse(name).unwrap();
//!     registry.build(&spec, seat, &instance, &protocol).unwrap()
//! };
//! let alice = player("honest", Seat::Prover);
//! let bob = player("bayes", Seat::Opponent);
//! let judge = player("oracle", Seat::Judge);
//! let mut chances = SeededRandomness::new(&Seed::new("7").unwrap(), 0, debate.coins());
//! let (players, budget) = ([&*alice, &*bob, &*judge], ComputationBudget::default());
//! let played = play_between(&mut debate, players, &mut chances, &mut (), &budget).unwrap();
//! assert!((played.payoff - 0.0001).abs() < 1e-15);
//! ```
//!
//! # Modules and layers
//!
//! A module uses only modules of lower layers; modules of one layer do not depend on each other.
//!
//! | layer | module | content |
//! | --- | --- | --- |
//! | 5 | [`player`] | players: strategies by seat, the registry, the seating |
//! | 4 | [`observe`] | observations: a seat's view of a log, as values with a key |
//! | 3 | [`protocol`] | the rules: one file per protocol |
//! | 2 | [`scenario`] | problems, decompositions, oracles, instances |
//! | 1 | [`gate`], [`chance`] | Boolean gates, auditable coins |
//! | 0 | [`number`], [`bits`], [`digest`], [`text`], [`budget`] | arithmetic, strings of bits, digests, safe text, budgets of computations |

pub mod bits;
pub mod budget;
pub mod chance;
pub mod digest;
pub mod gate;
pub mod number;
pub mod observe;
pub mod player;
pub mod protocol;
pub mod scenario;
pub mod text;

pub use chance::Seed;
pub use gate::Gate;
pub use number::{Exact, Number};
pub use player::{
    DebateTimeline, Move, OracleJudge, PayoffAndSpending, Player, PlayerSpec, Policy,
    ReplyDistribution, SeatedDebate, SeededRandomness, Strategy, StrategyRegistry, play_between,
};
pub use protocol::{
    Event, EventSink, IllegalReply, Log, PendingTurn, Protocol, Reply, Request,
    ResourceCostsBySeat, Rules, Seat, State, View,
};
pub use scenario::{
    BlindReader, ClaimId, Decomposition, InformedReader, Instance, Oracle, Support,
};

/// This module runs the example in the README as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
