//! Checks statements of papers about debate on scenarios, players and small games. Each check returns a typed report.
//!
//! ```
//! use debate_solver::expectation::ReportNumberFormat;
//! use debate_solver::setup::{ScenarioLimits, LoadedScenario};
//! use debate_theory::check::check;
//!
//! let setup = LoadedScenario::find_scenario("primes", &ScenarioLimits::default()).unwrap();
//! let report = check(&setup, &setup.protocol, ReportNumberFormat::Fraction).unwrap();
//! assert_eq!((report.depth, report.claim_true), (3, Some(false)));
//! ```
//!
//! # The modules, from the lowest layer up
//!
//! A module uses only modules below it. Start with [`check`], which the command `check` prints.
//!
//! | layer | module | contents |
//! | --- | --- | --- |
//! | 14 | [`search`] | a search for small games in which a statement close to those of the papers fails |
//! | 13 | `solve` | the command `solve`: values, judge errors and the steps of the soundness proof, over the instances of a scenario |
//! | 12 | [`growth`] | the parameters of PE Theorems 6.1 and 8.3 as functions of the depth, and the reward gap of PE §7 |
//! | 12 | [`check`] | the size of a scenario, its stability, and the bounds that theorems promise |
//! | 11 | [`amplification`] | the majority of repeated debates |
//! | 11 | `evidence` | the accuracy of several pieces of evidence for a claim, and the dependence of their errors |
//! | 11 | [`in_practice`] | the Bobs and the errors of estimates with which honest Alice loses |
//! | 11 | `judge_error` | the effect of the judge's errors on the payoff between named players |
//! | 11 | [`least_queries`] | a lower bound on the queries of an estimator, for the open question of PE §9 |
//! | 11 | [`papers`] | the statements of the papers, and the result of each test in words from a fixed set |
//! | 11 | [`provability`] | the proportion of μ that a prover can prove, by its knowledge and the number of leaves that it queries |
//! | 11 | [`query_complexity`] | the least number of bits that a verifier must read to decide a small function (DQC) |
//! | 11 | `soundness` | the contribution of each step of the soundness proof to the prover's payoff |

pub mod amplification;
pub mod check;
mod evidence;
pub mod growth;
pub mod in_practice;
mod judge_error;
pub mod least_queries;
pub mod papers;
pub mod provability;
pub mod query_complexity;
pub mod search;
mod solve;
mod soundness;

pub use evidence::{JointEvidenceErrors, evidence_errors};
pub use judge_error::{LeafWithJudgeErrorCost, Polynomial, TolerableJudgeErrors, judge_errors};
pub use solve::{
    BestResponseConstraints, SolveDocument, SolveReport, SweepPointError, SweepPointReport,
    SweepPointResults, SweepPointRulesAndPlayers, SweepPointSolver,
};
pub use soundness::{
    EstimatorCost, PayoffBySoundnessProofStep, SoundnessHypothesis, SoundnessReport, soundness,
};

/// Turns the README's code example into a documentation test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
