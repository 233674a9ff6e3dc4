//! What is kept of debates, what they say, and who else takes part. What can be computed about them is in
//! [`debate_solver`], whose public rooms stand here under the same names.
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
//! clocks, processes) live in [`record`], [`engine`], [`host`], [`plan`], [`mod@matches`]
//! and [`serve`].
//!
//! | floor | room | knows |
//! | --- | --- | --- |
//! | 12 | `matches`, [`serve`] | players against players over instances, each debate into a save, and their table; debates that other programs drive |
//! | 11 | [`plan`] | the plan of a debate: choices as text, the checked plan, the command line that makes it again |
//! | 10 | [`host`] | a running debate: its state, players, engines, save and costs |
//! | 9 | [`engine`], [`import`] | other programs in the seats: processes, deadlines, faults; debates that were held elsewhere, as saves |
//! | 8 | [`judgements`], [`message`] | what judges made of debates: scores, calibration, intervals; what another program in a seat is told, and what it says |
//! | 7 | [`export`] | a debate or a scenario for other people and programs: one file a format |
//! | 6 | [`record`], [`tell`] | what is kept of a debate: journal, save, replay, verification; what readers are told of it: pages, transcript, claim tree, rewards |

pub mod engine;
pub mod export;
pub mod host;
pub mod import;
pub mod judgements;
pub mod matches;
pub mod message;
pub mod plan;
pub mod record;
pub mod serve;
pub mod tell;

pub use debate_solver::{
    analysis, closed_form, expectation, expectimax, registry, setup, simulate, training,
};

#[cfg(test)]
extern crate self as debate_lab;
#[cfg(test)]
#[path = "../../tests/support/strict.rs"]
mod strict;
