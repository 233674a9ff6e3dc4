//! Debates as state machines that ask one seat one question at a time.
//!
//! A program for AI-safety debate protocols: a terminal game and a laboratory. This library knows
//! debates; the binary parses the command line and calls [`cli::run`].
//!
//! # Load a scenario and ask who must speak
//!
//! ```
//! use debate_tui::number::Exact;
//! use debate_tui::protocol::{Request, Rules, Seat};
//! use debate_tui::setup::{Limits, Setup};
//!
//! let setup = Setup::find("primes", &Limits::default()).unwrap();
//! let world = setup.instance_named("4331").unwrap();
//! let instance = setup.instance(world);
//! let debate = setup.protocol.start::<Exact>(&instance).unwrap();
//!
//! let turn = debate.request().unwrap();
//! assert_eq!(turn.seat, Seat::Prover);
//! assert!(matches!(turn.request, Request::Answer { .. }));
//! ```
//!
//! # Reply, and read the payoff
//!
//! ```
//! use debate_tui::number::{Exact, Number};
//! use debate_tui::protocol::{Reply, Rules};
//! # use debate_tui::setup::{Limits, Setup};
//! # let setup = Setup::find("primes", &Limits::default()).unwrap();
//! # let instance = setup.instance(setup.instance_named("4331").unwrap());
//! # let mut debate = setup.protocol.start::<Exact>(&instance).unwrap();
//! debate.reply(Reply::Answer(false), &mut ()).unwrap(); // Alice: 4331 is not prime
//! debate.reply(Reply::Probability(Exact::ratio(1, 10)), &mut ()).unwrap(); // Bob: 10 %
//! debate.reply(Reply::Drawn(0), &mut ()).unwrap(); // the coin agrees with Alice
//! assert_eq!(debate.payoff(), Exact::ratio(1, 10_000)); // r⁴, for r = 1/10
//! assert!(debate.reply(Reply::Select(0), &mut ()).is_err()); // her bet is asked for
//! ```
//!
//! # Play a whole debate between strategies
//!
//! ```
//! use debate_tui::chance::Seed;
//! use debate_tui::player::prover_estimator::estimators::Bayes;
//! use debate_tui::player::prover_estimator::provers::Honest;
//! use debate_tui::player::prover_estimator::{EstimatorSeat, ProverSeat};
//! use debate_tui::player::{OracleJudge, Seeded, play};
//! use debate_tui::protocol::{Protocol, ProverEstimator, Rules};
//! use debate_tui::scenario::{Blind, Informed};
//! # use debate_tui::setup::{Limits, Setup};
//! # let setup = Setup::find("primes", &Limits::default()).unwrap();
//! # let instance = setup.instance(setup.instance_named("4331").unwrap());
//! let Protocol::ProverEstimator(parameters) = &setup.protocol else { panic!() };
//! let mut debate = ProverEstimator::<f64>::new(&instance, parameters).unwrap();
//! let mut chances = Seeded::new(&Seed::new("7").unwrap(), 0, debate.coins());
//! let played = play(
//!     &mut debate,
//!     &ProverSeat(Honest::new(Informed::new(&instance))),
//!     &EstimatorSeat(Bayes(Blind::new(&instance))),
//!     &OracleJudge::new(Informed::new(&instance)),
//!     &mut chances,
//!     &mut (),
//! );
//! assert!((played.payoff - 0.0001).abs() < 1e-15);
//! ```
//!
//! # The rooms, from the ground up
//!
//! A room uses only rooms below it; rooms on one floor do not know each other.
//!
//! | floor | room | knows |
//! | --- | --- | --- |
//! | 9 | [`cli`] | the command line; wires rooms together, prints tables and JSON |
//! | 8 | [`export`] | a debate or a scenario for other people and programs: one file a format |
//! | 7 | [`tui`] | screens, widgets, keys, themes |
//! | 5 | [`record`], [`analysis`] | what is kept of a debate: journal, save, replay, verification; what can be expected of it: exact values, games, simulations, training |
//! | 4 | [`setup`] | a scenario *file*: read, limited, checked; bundled files |
//! | 3 | [`player`] | who answers: strategies by seat, the registry, the seating |
//! | 2 | [`protocol`] | the rules: one file a protocol |
//! | 1 | [`scenario`] | what is debated: problem, decomposition, oracle, instances |
//! | 0 | [`number`], [`gate`], [`bits`], [`chance`], [`digest`], [`text`], [`budget`] | arithmetic, Boolean gates, strings of bits, auditable coins, digests, safe text, budgets of computations |
//!
//! Floor 6 is for `study`, which is not built yet.
//!
//! Effects (files, clocks, terminals) live only in [`setup`], [`record`], [`tui`] and [`cli`].

pub mod analysis;
pub mod bits;
pub mod budget;
pub mod chance;
pub mod cli;
pub mod digest;
pub mod export;
pub mod gate;
pub mod number;
pub mod player;
pub mod protocol;
pub mod record;
pub mod scenario;
pub mod setup;
pub mod text;
pub mod tui;

#[cfg(test)]
extern crate self as debate_tui;
#[cfg(test)]
#[path = "../tests/support/vectors.rs"]
mod vectors;
