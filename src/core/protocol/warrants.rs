//! SupportDisputeRule: the opponent can dispute that a claim follows from its subclaims. This rule is an addition of
//! this program and is not in the papers.
//!
//! A support's warrant is the claim that the step from its subclaims to the claim follows: "Suppose you knew whether
//! each of these holds. Would that settle the claim?" Under [`SupportDisputeRule::Challenge`] the opponent is asked
//! after every [`Request::Support`] whether it disputes the step, and if so, the judge decides the warrant. A warrant
//! is not an input of the gate, so stability does not change.
//!
//! Without warrants a support with `sound: false` breaks what PE equation (9), and the claim that plain recursion
//! catches every liar, assume: that a claim follows from its subclaims.

use serde::{Deserialize, Serialize};

use super::parameter::one_of;
use super::request::{IllegalReply, check_probability};
use super::{ParameterValue, PendingTurn, Request, Seat};
use crate::number::Number;
use crate::scenario::ClaimId;

/// The rule by which the opponent may dispute that a claim follows from its subclaims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Warrants")]
pub enum SupportDisputeRule {
    /// The opponent cannot dispute that a claim follows from its subclaims, as in the papers.
    #[default]
    None,
    /// After each split of a claim into subclaims, the opponent may dispute that the claim follows from them.
    Challenge,
}

impl SupportDisputeRule {
    /// True if the opponent can dispute that a claim follows from its subclaims.
    #[inline]
    pub fn allows_support_disputes(self) -> bool {
        self == Self::Challenge
    }

    /// Passes this rule to a function under the name `warrants`, its name as a protocol parameter. The function can
    /// read or change it.
    pub(super) fn lend_dispute_parameter(
        &mut self,
        with: &mut dyn FnMut(&'static str, ParameterValue<'_>),
    ) {
        with("warrants", one_of(self, &[Self::None, Self::Challenge]));
    }
}

/// Returns the request to the opponent by which it may dispute a step; `warrant` claims that the step is valid.
#[inline]
pub(super) fn dispute_request<N>(warrant: ClaimId) -> PendingTurn<N> {
    let request = Request::Challenge {
        claim: warrant,
        steps: 0..1,
    };
    PendingTurn {
        seat: Seat::Opponent,
        request,
    }
}

/// Checks the opponent's probability of the warrant of a disputed step: it must be at most ½.
pub(super) fn check_disputed_step_probability<N: Number>(p: N) -> Result<N, IllegalReply> {
    let p = check_probability(p)?;
    if p.exceeds(&N::ratio(1, 2)) {
        return Err(IllegalReply::NoDoubt(p.to_string()));
    }
    Ok(p)
}
