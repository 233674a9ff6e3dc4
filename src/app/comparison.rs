//! The last lesson's two debates, and the figures under them.

use super::Failure;
use super::course::planned;
use crate::tui::menu::Paragraphs;
use crate::tui::tutorial::{COMPARED, LESSONS, Opponents, SCENARIO, figures};
use debate_core::budget::Budget;
use debate_core::player::Spec;
use debate_core::protocol::Seat;
use debate_lab::analysis::review::{ReviewContext, ReviewError};
use debate_lab::plan::{DebatePlan, seed, usual_plans};
use debate_lab::registry;

/// Debates of which averages are told.
const MANY: u32 = 1000;
/// Other opponents of the liar, to show what the figures depend on: under plain recursion, and
/// under prover-estimator.
const OTHERS: [&str; 2] = ["honest", "stubborn(0.9)"];

/// The liar of the first lesson under both sets of rules.
pub struct Comparison {
    pub plans: [DebatePlan; 2],
}

impl Comparison {
    pub fn new() -> Result<Self, Failure> {
        let seed = seed(Some(LESSONS[0].seed))?;
        let plans = usual_plans(&planned(SCENARIO, seed, COMPARED)?)?;
        Ok(Self { plans })
    }

    /// Finds what can be said of both in figures.
    pub fn figures(
        &self,
    ) -> Result<
        impl FnOnce(Budget<'_>) -> Result<Paragraphs, ReviewError> + Send + 'static + use<>,
        Failure,
    > {
        let instance = self.plans[0].instance();
        let case = |plan: &DebatePlan, opponent: Option<&str>| -> Result<ReviewContext, Failure> {
            let mut players = plan.players.clone();
            if let Some(name) = opponent {
                players[Seat::Opponent.index()] = Spec::parse(name).map_err(Failure::input)?;
            }
            let registry = registry().with(plan.setup.player_files());
            let players = (players, Default::default());
            Ok(ReviewContext::new(
                &instance,
                &plan.protocol,
                players,
                registry,
            ))
        };
        let [recursive, estimated] = &self.plans;
        let cases: Opponents = [
            [case(recursive, None)?, case(recursive, Some(OTHERS[0]))?],
            [case(estimated, None)?, case(estimated, Some(OTHERS[1]))?],
        ];
        let kinds = self.plans.each_ref().map(|plan| plan.protocol.kind());
        let seed = recursive.seed.clone();
        Ok(move |watch: Budget<'_>| figures(&cases, kinds, &seed, MANY, watch))
    }
}
