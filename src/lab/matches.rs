//! Matches: players against players over instances and debates, and what they come to.
//!
//! Where to start: a [`MatchPlan`] says who plays against whom, about what and how often; the program
//! plays its debates, each into a save; [`DebateResult::of`] reads a save, and a [`MatchReport`] sums up
//! the results. Nothing is kept but the saves: the same saves give the same report.

mod estimate;
mod plan;
mod report;
mod result;

pub use estimate::{Estimate, EstimateUnit, LEAST_UNITS};
pub use plan::{CostCaps, MatchCondition, MatchPlan, MatchPlanError};
pub use report::{Faults, MatchReport, MatchupReport, MatchupResults, PrintedCost};
pub use result::DebateResult;
