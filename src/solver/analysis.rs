//! What can be computed about a debate: exact values, what the best reply is worth, and what many
//! debates come to.
//!
//! | folder | what it computes |
//! | --- | --- |
//! | `expectimax` | the exact value under any rules: it walks the state machine that people play, and remembers what the rest is worth wherever histories meet ([`Rules::state_key`](debate_core::protocol::Rules::state_key)) |
//! | `closed_form` | the same without a walk, one module a protocol |
//! | `solve` | one entry for both |
//! | `best_response` | the best reply to known players, as a player |
//! | `judge_error` | how wrong the judge may be between named players |
//! | `evidence` | how good several pieces of evidence for a claim are, and how they err together |
//! | `information` | games of imperfect information: the best reply of a seat that knows part of the instance |
//! | [`efg`], [`equilibrium`] | the extensive-form game; mixed equilibria of tables of players |
//! | [`simulate`] | many debates on all cores: the threads are in `simulate.rs`, one of them in `worker` |
//! | [`indistinguishable`] | estimators that are trained |
//! | [`check`] | what a scenario is like: size, stability, promises, as a typed report |
//! | `provability` | the share of μ that somebody can prove who knows so much and looks up so many leaves |
//! | [`papers`] | how statements of the papers came out, in words from a fixed set |
//! | [`query_complexity`] | the fewest bits that a verifier must read to decide a small function (DQC) |
//! | [`search`] | small games in which a statement close to those of the papers fails |
//! | `soundness` | what the soundness proof promises of a prover, step by step, beside what is kept |
//! | [`report`] | parts that several reports share |
//! | [`review`], [`stability`] | hints (`review/hints.rs` has the limits that end one), the ledger of skill and luck; stability of a scenario |

pub(crate) mod best_response;
pub mod check;
mod closed_form;
pub mod efg;
pub mod equilibrium;
mod evidence;
mod expectimax;
pub mod indistinguishable;
mod information;
mod judge_error;
pub mod papers;
mod provability;
pub mod query_complexity;
#[cfg(test)]
#[path = "../../tests/support/random_computations.rs"]
mod random_computations;
pub mod report;
mod report_number;
pub mod review;
#[cfg(test)]
#[path = "../../tests/support/scenarios.rs"]
mod scenarios;
pub mod search;
pub mod simulate;
mod solve;
mod soundness;
pub mod stability;

pub use expectimax::expected::{EXPENSES, Expected};
pub use expectimax::{Actor, Expectimax, Unsolved};
pub use information::ProofStep;
pub use judge_error::{CostlyLeaf, JudgeErrors, JudgedDebate};
pub use report_number::{NumberFormat, ReportNumber};
pub use solve::{
    BEST_RESPONSE, BestResponseReport, BestResponseTerms, DebateSolver, KnowingSeat, Solution,
    SolveDocument, SolveError, SolveReport, SolvedPoint, SweepPoint, SweptReport,
    average_over_instances, default_grid, says_probabilities,
};
pub use soundness::{EstimatorCost, Soundness, SoundnessHypothesis, SoundnessReport};
