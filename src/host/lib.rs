//! Running debates: players, engines, saves, messages, servers.
//!
//! ```
//! use debate_core::{Exact, Number, Reply, Request, Rules, Seat, PendingTurn};
//! use debate_host::AdvanceResult;
//! use debate_host::plan::{DebateOptions, SaveStorageOptions};
//!
//! // Bob is a closure; the scenario names the other players.
//! let bob = |turn: &PendingTurn<Exact>| match &turn.request {
//!     Request::Probability { .. } => Reply::Probability(Exact::ratio(1, 2)),
//!     other => panic!("the estimator is not asked this: {other:?}"),
//! };
//! let options = DebateOptions {
//!     roles: vec![Some(Seat::Opponent)],
//!     ..DebateOptions::default()
//! };
//! let plan = options.plan_named_scenario("primes").unwrap();
//! let instance = plan.instance();
//! let mut debate = plan.start(&instance, &SaveStorageOptions::without_save()).unwrap();
//! while let AdvanceResult::Ask(turn) = debate.play_until_blocked().unwrap() {
//!     debate.reply(bob(&turn), 0).unwrap().unwrap();
//! }
//! println!("the prover's payoff: {}", debate.state_and_players().state().payoff());
//! ```
//!
//! # The modules, from the lowest layer up
//!
//! A module uses only modules below it. Start with [`Debate`], which owns a running debate; [`plan`] makes one from
//! options. Effects (files, clocks, processes) are in [`record`], [`engine`], `debate`, [`plan`] and [`serve`].
//!
//! | layer | module | contents |
//! | --- | --- | --- |
//! | 12 | [`serve`] | debates that other programs drive, by lines of JSON or by tools |
//! | 11 | [`plan`] | the plan of a debate: choices as text, the checked plan, the command line that makes it again |
//! | 10 | `debate` | a running debate: its state, players, engines, save and costs |
//! | 9 | [`engine`] | other programs as players: processes, deadlines, faults |
//! | 8 | [`message`] | the JSON encoding of requests, replies and events, and the messages to a seat |
//! | 7 | [`record`] | the saved debate: journal, save, replay, verification |

mod debate;
pub mod engine;
pub mod message;
pub mod plan;
pub mod record;
pub mod serve;

pub use debate::{
    AdvanceResult, Debate, DebateError, DebateWithEngines, PlaceholderForThreadedPlayer,
    PlayersThread,
};

#[cfg(test)]
extern crate self as debate_host;
#[cfg(test)]
#[path = "../../tests/support/strict.rs"]
mod strict;

/// The example of the README is a documentation test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
