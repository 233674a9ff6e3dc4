//! What a study can find, from the effect and the spread that its file states. Simulated judges say
//! nothing of either: they are no people.

use schemars::JsonSchema;
use serde::Serialize;

use crate::plan::{Plan, Power};
use debate_lab::judgements::statistics::{detectable, power};

/// What is found at the target where the stated numbers are true.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlannedPower {
    /// The effect and its standard deviation between participants, as the study file states them.
    pub stated: Power,
    pub participants: u32,
    /// The chance that the stated effect is found.
    pub power: Option<f64>,
    /// The smallest effect that is found four times out of five, in the measure's unit.
    pub detectable: Option<f64>,
}

impl PlannedPower {
    /// `None` where the study file states no effect.
    pub fn of(plan: &Plan) -> Option<Self> {
        let stated = plan.analysis.power?;
        let participants = plan.target.participants;
        let target = participants as usize;
        Some(Self {
            stated,
            participants,
            power: power(stated.effect / stated.sd, target),
            detectable: detectable(target).map(|sds| sds * stated.sd),
        })
    }
}
