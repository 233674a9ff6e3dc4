//! Scenario files, and what can be computed about them.
//!
//! ```
//! use debate_core::{Exact, Request, Rules, Seat};
//! use debate_solver::setup::{Limits, Setup};
//!
//! let setup = Setup::find("primes", &Limits::default()).unwrap();
//! let instance = setup.instance(setup.instance_named("4331").unwrap());
//! let debate = setup.protocol.start::<Exact>(&instance).unwrap();
//! let turn = debate.request().unwrap();
//! assert_eq!(turn.seat, Seat::Prover);
//! assert!(matches!(turn.request, Request::Answer { .. }));
//! ```
//!
//! # The rooms, from the ground up
//!
//! A room uses only rooms below it. Files are read in [`setup`] alone.
//!
//! | floor | room | knows |
//! | --- | --- | --- |
//! | 11 | [`simulate`] | many debates on all cores, and their sums |
//! | 10 | [`analysis`] | what a debate is worth to its players: values, best replies, equilibria, hints and reviews |
//! | 9 | [`closed_form`], [`training`] | values without a search, one module a protocol; estimators that tests cannot tell from the truth |
//! | 8 | [`expectimax`] | the value of a debate, by playing every reply that its players might give |
//! | 7 | `game` | the one game tree: what may be replied at a node, chances, what debaters have seen |
//! | 6 | [`expectation`] | expected rewards and expenses, why there are none, and how reports write them |
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
