//! Warrants: the step from the subclaims to the claim can be disputed (ours, not the papers').
//!
//! A support's warrant is the claim that the step from its subclaims to the claim follows: "Suppose you knew whether
//! each of these holds. Would that settle the claim?" Under [`Warrants::Challenge`] the opponent is asked after every
//! [`Request::Support`] whether it disputes the step, and if so, the judge decides the warrant. A warrant is not an
//! input of the gate, so stability does not change.
//!
//! Without warrants a support with `sound: false` breaks what PE equation (9), and the claim that plain recursion
//! catches every liar, assume: that a claim follows from its subclaims.

use serde::{Deserialize, Serialize};

use super::parameter::one_of;
use super::request::{Illegal, probability};
use super::{ParameterValue, Request, Seat, Turn};
use crate::number::Number;
use crate::scenario::ClaimId;

/// The rule for disputing the step from the subclaims to the claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Warrants {
    /// Steps cannot be disputed, as in the papers.
    #[default]
    None,
    /// A step may be disputed after it is made.
    Challenge,
}

impl Warrants {
    /// True if steps can be disputed.
    #[inline]
    pub fn can_be_disputed(self) -> bool {
        self == Self::Challenge
    }

    /// Calls a function with the parameter "steps can be disputed", so that it can be read or changed.
    pub(super) fn lend_dispute_parameter(
        &mut self,
        with: &mut dyn FnMut(&'static str, ParameterValue<'_>),
    ) {
        with("warrants", one_of(self, &[Self::None, Self::Challenge]));
    }
}

/// Returns the turn in which the opponent may dispute a step.
#[inline]
pub(super) fn dispute<N>(warrant: ClaimId) -> Turn<N> {
    let request = Request::Challenge {
        claim: warrant,
        steps: 0..1,
    };
    Turn {
        seat: Seat::Opponent,
        request,
    }
}

/// Checks the probability that a disputing opponent gives to a warrant: at most ½.
pub(super) fn doubt<N: Number>(p: N) -> Result<N, Illegal> {
    let p = probability(p)?;
    if p.exceeds(&N::ratio(1, 2)) {
        return Err(Illegal::NoDoubt(p.to_string()));
    }
    Ok(p)
}
