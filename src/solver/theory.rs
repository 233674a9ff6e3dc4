//! Statements of the papers, tried on scenarios, players and small games, as typed reports.
//!
//! | file | what it tries |
//! | --- | --- |
//! | [`check`] | what a scenario is like: size, stability, promises |
//! | `evidence` | how good several pieces of evidence for a claim are, and how they err together |
//! | `judge_error` | how wrong the judge may be between named players |
//! | [`papers`] | how each statement came out, in words from a fixed set |
//! | [`provability`] | the share of μ that a prover can prove, by its knowledge and the number of leaves it looks up |
//! | [`query_complexity`] | the fewest bits that a verifier must read to decide a small function (DQC) |
//! | [`search`] | small games in which a statement close to those of the papers fails |
//! | `solve` | each point of `solve` over the instances of a scenario, and what is reported of it: values, judge errors, steps of the soundness proof |
//! | `soundness` | the share of each step of the soundness proof in what a prover gets |

pub mod check;
mod evidence;
mod judge_error;
pub mod papers;
pub mod provability;
pub mod query_complexity;
pub mod search;
mod solve;
mod soundness;

pub use evidence::{EvidenceErrors, evidence_errors};
pub use judge_error::{CostlyLeaf, JudgeErrors, Polynomial};
pub use solve::{
    BestResponseTerms, PointError, PointSolver, SolveDocument, SolveReport, SolvedPoint,
    SweepPoint, SweptReport,
};
pub use soundness::{EstimatorCost, Soundness, SoundnessHypothesis, SoundnessReport};
