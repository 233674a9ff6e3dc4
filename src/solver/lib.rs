//! Reads scenario files, and computes expected payoffs, equilibria and simulations of their debates.
//!
//! ```
//! use debate_core::{Exact, Request, Rules, Seat};
//! use debate_solver::setup::{ScenarioLimits, LoadedScenario};
//!
//! let setup = LoadedScenario::find_scenario("primes", &ScenarioLimits::default()).unwrap();
//! let instance = setup.instance(setup.world_index("109931").unwrap());
//! let debate = setup.protocol.start::<Exact>(&instance).unwrap();
//! let turn = debate.request().unwrap();
//! assert_eq!(turn.seat, Seat::Prover);
//! assert!(matches!(turn.request, Request::Answer { .. }));
//! ```
//!
//! # The modules, from the lowest layer up
//!
//! A module uses only modules below it. Only [`setup`] reads files.
//!
//! | layer | module | contents |
//! | --- | --- | --- |
//! | 11 | [`simulate`] | many debates on all cores, and their sums |
//! | 10 | [`analysis`] | the value of a debate to its players: values, best replies, equilibria, hints and reviews |
//! | 9 | [`closed_form`], [`training`] | values without a search, one module per protocol; estimators that tests cannot distinguish from the truth |
//! | 8 | [`expectimax`] | the value of a debate, by playing every possible reply of its players |
//! | 7 | `game` | the game tree: the replies at a node, chances, the observations of debaters |
//! | 6 | [`expectation`] | expected rewards and expenses, the reasons why none is found, and their form in reports |
//! | 5 | [`setup`] | a scenario *file*: read, limited, checked; bundled files |

pub mod analysis;
pub mod closed_form;
pub mod expectation;
pub mod expectimax;
mod game;
pub mod setup;
pub mod simulate;
pub mod training;

pub use analysis::best_response::registry;
pub use game::{every_reply, outcomes};

/// Turns the README's code example into a documentation test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
