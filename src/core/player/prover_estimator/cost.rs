//! The time that estimators take for a reply, before anybody waits for one.

use std::collections::HashSet;
use std::time::Duration;

use super::estimates::MAX_CLAIMS;
use crate::scenario::{Blind, Estimate};

/// A reply may take so long.
const MOST: Duration = Duration::from_millis(50);

/// The cost of visiting a claim, in nanoseconds on a machine of today; what a step takes of
/// counting how many subclaims are true; what a world takes to be asked about a claim.
const CLAIM: u64 = 4000;
/// As of [`CLAIM`].
const COUNT: u64 = 40;
/// As of [`CLAIM`].
const WORLD: u64 = 500;

/// The built-in estimators that take longer than a screen may stand still for a reply about this
/// instance, each with about how long.
pub fn slow(blind: &Blind<'_>) -> Vec<(&'static str, Duration)> {
    let propagated = Duration::from_nanos(propagated(blind));
    let worlds = WORLD.saturating_mul(blind.worlds() as u64);
    let posterior = Duration::from_nanos(worlds.saturating_mul(blind.width().into()));
    let by_posterior = blind.estimate(blind.root()) == Estimate::Posterior;
    let calibrated = if by_posterior { posterior } else { propagated };
    let each = [
        ("calibrated", calibrated),
        ("coherent", propagated),
        ("bayes", posterior),
        ("marginal", posterior),
    ];
    let slow = each.into_iter().filter(|(_, takes)| *takes > MOST);
    slow.collect()
}

/// The cost of the estimates of all claims, in nanoseconds.
fn propagated(blind: &Blind<'_>) -> u64 {
    let mut met = HashSet::from([blind.root()]);
    let mut open = vec![blind.root()];
    let mut takes = 0_u64;
    while let Some(claim) = open.pop() {
        takes += CLAIM;
        for (number, support) in blind.supports(claim).iter().enumerate() {
            let width = support.on.len() as u64;
            if number == 0 && support.gate.counts() {
                takes += COUNT * width * width / 4;
            }
            open.extend(support.on.iter().filter(|on| met.insert(**on)));
        }
        if met.len() > MAX_CLAIMS {
            return CLAIM * MAX_CLAIMS as u64;
        }
    }
    takes
}
