//! What can be found out about debates, and what is kept of them.
//!
//! ```
//! use debate_core::{Exact, Request, Rules, Seat};
//! use debate_lab::setup::{Limits, Setup};
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
//! A room uses only rooms below it; rooms on one floor do not know each other. Effects (files,
//! clocks, processes) live in [`setup`], [`record`] and [`engine`].
//!
//! | floor | room | knows |
//! | --- | --- | --- |
//! | 9 | [`engine`], [`import`], [`matches`] | other programs in the seats: processes, deadlines, faults; debates that were held elsewhere, as saves; players against players over instances, and their table |
//! | 8 | [`judgements`], [`message`] | what judges made of debates: scores, calibration, intervals; what another program in a seat is told, and what it says |
//! | 7 | [`export`] | a debate or a scenario for other people and programs: one file a format |
//! | 6 | [`analysis`], [`record`], [`narration`] | what can be expected of a debate: exact values, games, simulations, training; what is kept of it: journal, save, replay, verification; what it says: transcript, claim tree, rewards |
//! | 5 | [`setup`] | a scenario *file*: read, limited, checked; bundled files |

pub mod analysis;
pub mod engine;
pub mod export;
pub mod import;
pub mod judgements;
pub mod matches;
pub mod message;
pub mod narration;
pub mod record;
pub mod setup;

pub use analysis::best_response::registry;

#[cfg(test)]
extern crate self as debate_lab;
#[cfg(test)]
#[path = "../../tests/support/strict.rs"]
mod strict;
#[cfg(test)]
#[path = "../../tests/support/vectors.rs"]
mod vectors;
