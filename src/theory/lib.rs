//! Checks of the statements of papers about debate on scenarios, players and small games, as typed reports.
//!
//! ```
//! use debate_solver::expectation::NumberFormat;
//! use debate_solver::setup::{Limits, Setup};
//! use debate_theory::check::check;
//!
//! let setup = Setup::find("primes", &Limits::default()).unwrap();
//! let report = check(&setup, &setup.protocol, NumberFormat::Fraction).unwrap();
//! assert_eq!((report.depth, report.claim_true), (3, Some(false)));
//! ```
//!
//! # The modules, from the lowest layer up
//!
//! A module uses only modules below it. Start with [`check`], which the command `check` prints.
//!
//! | layer | module | contents |
//! | --- | --- | --- |
//! | 14 | [`search`] | small games in which a statement close to those of the papers fails |
//! | 13 | `solve` | each point of `solve` over the instances of a scenario: values, judge errors, steps of the soundness proof |
//! | 12 | [`check`] | the size of a scenario, its stability, and the bounds that theorems promise |
//! | 11 | `evidence`, `judge_error`, [`papers`], [`provability`], [`query_complexity`], `soundness` | the accuracy of several pieces of evidence and the dependence of their errors; the judge's error rate between named players; the result of each statement, in words from a fixed set; the proportion of μ that a prover can prove, by its knowledge and the number of leaves that it queries; the least number of bits that a verifier must read to decide a small function (DQC); the share of each step of the soundness proof in the prover's payoff |

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
pub use judge_error::{CostlyLeaf, JudgeErrors, Polynomial, judge_errors};
pub use solve::{
    BestResponseTerms, PointError, PointSolver, SolveDocument, SolveReport, SolvedPoint,
    SweepPoint, SweptReport,
};
pub use soundness::{EstimatorCost, Soundness, SoundnessHypothesis, SoundnessReport, soundness};

/// The example of the README is a documentation test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
