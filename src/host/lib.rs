//! Running debates: players, engines, saves, messages, servers.
//!
//! ```
//! use debate_core::Seat;
//! use debate_host::Step;
//! use debate_host::plan::{DebateOptions, SaveOptions};
//!
//! let options = DebateOptions { roles: vec![Some(Seat::Prover)], ..DebateOptions::default() };
//! let plan = options.plan("primes").unwrap();
//! let instance = plan.instance();
//! let mut debate = plan.start(&instance, &SaveOptions::none()).unwrap();
//! assert!(matches!(debate.play().unwrap(), Step::Ask(_)));
//! ```
//!
//! # The modules, from the ground up
//!
//! A module uses only modules below it. Start with [`Debate`], which owns a running debate; [`plan`] makes one from
//! options. Effects (files, clocks, processes) are in [`record`], [`engine`], `debate`, [`plan`] and [`serve`].
//!
//! | floor | module | contents |
//! | --- | --- | --- |
//! | 12 | [`serve`] | debates that other programs drive, by lines of JSON or by tools |
//! | 11 | [`plan`] | the plan of a debate: choices as text, the checked plan, the command line that makes it again |
//! | 10 | `debate` | a running debate: its state, players, engines, save and costs |
//! | 9 | [`engine`] | other programs as players: processes, deadlines, faults |
//! | 8 | [`message`] | the JSON encoding of requests, replies and events, and what a seat is told |
//! | 7 | [`record`] | the saved debate: journal, save, replay, verification |

mod debate;
pub mod engine;
pub mod message;
pub mod plan;
pub mod record;
pub mod serve;

pub use debate::{Debate, DebateError, PlayerThread, SeatedPlayers, StandIn, Step};

#[cfg(test)]
extern crate self as debate_host;
#[cfg(test)]
#[path = "../../tests/support/strict.rs"]
mod strict;
