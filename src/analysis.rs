//! What can be computed about a debate: exact values, what the best reply is worth, and what many
//! debates come to.
//!
//! All of it walks the same state machine that people play: nothing here knows a rule. A walk asks
//! the state for its request, plays every reply that the seat's player might give with its
//! probability, and remembers what the rest was worth wherever histories meet
//! ([`Rules::mark`](crate::protocol::Rules::mark)).

mod expected;
pub mod review;
mod walk;

pub use expected::{Expected, Gain};
pub use walk::{Actor, Effort, Unsolved, Walk, Worth};
