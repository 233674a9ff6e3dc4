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
//! | 6 | [`analysis`] | what can be expected of a debate: exact values, games, simulations, training |
//! | 5 | [`setup`] | a scenario *file*: read, limited, checked; bundled files |

pub mod analysis;
pub mod setup;

pub use analysis::best_response::registry;

#[cfg(test)]
#[path = "../../tests/support/vectors.rs"]
mod vectors;
