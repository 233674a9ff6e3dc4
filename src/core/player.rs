//! Who answers: built-in strategies by seat, and the seating that asks the seats in turn.
//!
//! Where to start: a [`Policy`] answers requests of one protocol; a [`Registry`] builds one from
//! its name; [`play()`] runs a whole debate between three policies at full speed; a [`Seating`]
//! runs one step by step, with people in some of the seats.

pub mod bisection;
mod builtin;
mod choice;
pub mod cross_examination;
pub mod descent;
pub mod examination;
mod judge;
mod play;
mod policy;
pub mod prover_estimator;
pub mod quantifiers;
pub mod recursive;
mod registry;
#[cfg(test)]
mod sample;
mod seating;
mod shelf;
mod spec;
pub mod stochastic;
mod verified;

pub use choice::{Choice, MOST_EXACT, MOST_LISTED, half};
pub use judge::{NoisyJudge, OracleJudge};
pub use play::{Chances, Played, Seeded, play, play_between};
pub use policy::{Markov, Memory, Mind, Only, Policy, Strategy};
pub use registry::{Build, BuildError, Built, Entry, Order, Parameter, Registry, built};
pub use seating::{CannotUndo, Coin, Latest, Move, Player, Seating, Stuck};
pub use shelf::Shelf;
pub use spec::{FROM_FILE, MAX_SPEC, Spec, SpecError, bare};
