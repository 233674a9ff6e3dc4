//! Exact analysis of debates: expected payoffs between named players, best responses, mixed equilibria, and the
//! mistakes of a player.
//!
//! | folder | contents |
//! | --- | --- |
//! | `solve` | the value between named players, by closed form if one exists |
//! | `best_response` | the best reply to known players, as a player |
//! | `information` | the best reply of a seat that knows part of the instance |
//! | [`efg`] | the game as a file for other programs |
//! | [`equilibrium`] | equilibria between named players, and between all strategies |
//! | [`promise`] | PE Lemma A.5: its hypotheses, and the bound if all of them hold |
//! | [`review`] | hints during a debate (`review/hints.rs` has their limits); faults and the parts of the payoff after it |

pub(crate) mod best_response;
pub mod efg;
pub mod equilibrium;
mod information;
pub mod promise;
pub mod review;
mod solve;

pub use information::SoundnessProofStep;
pub use solve::{
    BestResponseKnowledgeAndAnswers, DebateSolution, DebateSolutionInputs, SolveError,
    average_over_instances, debater_gives_probabilities, default_probability_grid,
};
