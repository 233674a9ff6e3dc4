//! What can be computed about a debate: exact values, what the best reply is worth, and what many
//! debates come to.
//!
//! All of it walks the same state machine that people play: nothing here knows a rule. A walk asks
//! the state for its request, plays every reply that the seat's player might give with its
//! probability, and remembers what the rest was worth wherever histories meet
//! ([`Rules::mark`](debate_core::protocol::Rules::mark)).

mod drawn;
pub mod efg;
pub mod equilibrium;
mod expected;
pub mod indistinguishable;
#[cfg(test)]
#[allow(dead_code, reason = "each crate uses a part of it")]
#[path = "../../tests/support/sample.rs"]
mod instances;
pub(crate) mod players;
mod prefixes;
pub mod review;
#[cfg(test)]
mod sample;
pub mod simulate;
mod solve;
pub mod stability;
mod walk;
mod worst;

pub use expected::{EXPENSES, Expected, Gain};
pub use solve::{BEST, Case, Solved, Unsolvable, default_grid, over_all};
pub use walk::{Actor, Memory, Unsolved, Walk, Worth};
pub use worst::Worst;
