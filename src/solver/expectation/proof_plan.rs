//! The proof bits that a best-responding prover writes, planned before they are requested.
//!
//! A proof bit is a function only of the instance and the bit's index (PE Figure 2, step 3b). The player therefore
//! fixes one plan for all bits before the first move, and the best strategy is found by a search over plans. If the
//! player could choose some bits at each request, the value would be an upper bound for all plans with the fixed bits.
//! If such a search chooses 0 for a bit on one path and 1 on another path, each value of this bit is fixed in turn
//! ([`best_plan`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PayoffNotComputedReason;
use debate_core::number::Number;
use debate_core::protocol::{PendingTurn, Reply, Request};
use debate_core::scenario::BitId;

/// A plan for proof bits: the value of each bit that it fixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProofBitValues(BTreeMap<BitId, bool>);

impl FromIterator<(BitId, bool)> for ProofBitValues {
    fn from_iter<I: IntoIterator<Item = (BitId, bool)>>(each: I) -> Self {
        Self(each.into_iter().collect())
    }
}

impl ProofBitValues {
    /// Returns the planned value of a proof bit; `None` if the plan leaves it open.
    pub(crate) fn value(&self, bit: BitId) -> Option<bool> {
        self.0.get(&bit).copied()
    }

    /// True if the plan fixes no proof bit.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a copy of the plan that also fixes this proof bit to `value`.
    #[must_use]
    pub(crate) fn with_proof_bit(&self, bit: BitId, value: bool) -> Self {
        let mut plan = self.clone();
        plan.0.insert(bit, value);
        plan
    }

    /// Returns a plan that also fixes each of the given proof bits to 0, unless this plan already fixes its value.
    #[must_use]
    pub(crate) fn with_missing_bits_zero(mut self, bits: &[BitId]) -> Self {
        for bit in bits {
            self.0.entry(*bit).or_insert(false);
        }
        self
    }

    /// True if the request is for a proof bit that the plan fixes.
    pub(crate) fn determines_reply<N>(&self, turn: &PendingTurn<N>) -> bool {
        turn.request
            .requested_proof_bit()
            .is_some_and(|bit| self.0.contains_key(&bit))
    }
}

/// The proof bits that a player writes on the possible paths of a debate. Each bit has two flags: true if it is 0 on
/// some path, and true if it is 1 on some path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProofBitValuesOnPossiblePaths(Option<Arc<BTreeMap<BitId, [bool; 2]>>>);

impl ProofBitValuesOnPossiblePaths {
    /// Adds the proof bits that the player writes on other paths.
    pub(crate) fn merge(&mut self, other: &Self) {
        let Some(more) = &other.0 else {
            return;
        };
        let Some(known) = &mut self.0 else {
            self.0 = Some(more.clone());
            return;
        };
        if Arc::ptr_eq(known, more) {
            return;
        }
        let known = Arc::make_mut(known);
        for (bit, values) in more.iter() {
            let there = known.entry(*bit).or_default();
            *there = [there[0] | values[0], there[1] | values[1]];
        }
    }

    /// Records a reply to a request, if the reply is a proof bit.
    pub(crate) fn note<N>(&mut self, request: &Request<N>, reply: &Reply<N>) {
        if let (Some(bit), Reply::Bits(bits)) = (request.requested_proof_bit(), reply)
            && let [value] = bits.as_slice()
        {
            let values = [!value, *value];
            self.merge(&Self(Some(Arc::new(BTreeMap::from([(bit, values)])))));
        }
    }

    /// Returns the first proof bit that has different values on different paths; `None` if none has.
    fn conflict(&self) -> Option<BitId> {
        let mut each = self.0.iter().flat_map(|bits| bits.iter());
        each.find_map(|(bit, values)| (*values == [true, true]).then_some(*bit))
    }

    /// Returns a plan with these proof bits. The caller ensures that no bit has two values.
    pub(crate) fn to_proof_bit_values(&self) -> ProofBitValues {
        let each = self.0.iter().flat_map(|bits| bits.iter());
        each.map(|(bit, values)| (*bit, values[1])).collect()
    }
}

/// The result of a search for the best replies, in which the proof bits of a plan were fixed.
pub(crate) struct SearchResultWithFixedProofBits<N, T> {
    /// The expected payoff of the player who writes the proof bits.
    pub(crate) worth: N,
    pub(crate) result: T,
    pub(crate) given: ProofBitValuesOnPossiblePaths,
}

/// Finds the best plan for the proof bits that includes the bits in `fixed`. Returns the result of `search` under this
/// plan, and the plan for the bits that were requested. `search` treats bits that a plan leaves open as free choices.
pub(crate) fn best_plan<N: Number, T>(
    fixed: &ProofBitValues,
    mut search: impl FnMut(
        &ProofBitValues,
    ) -> Result<SearchResultWithFixedProofBits<N, T>, PayoffNotComputedReason>,
) -> Result<(T, ProofBitValues), PayoffNotComputedReason> {
    let mut best: Option<(N, T, ProofBitValues)> = None;
    let mut open: Vec<(Option<N>, ProofBitValues)> = vec![(None, fixed.clone())];
    while let Some((bound, plan)) = open.pop() {
        let exceeds = |worth: &N| {
            let most = best.as_ref().map(|(most, _, _)| most);
            most.is_none_or(|most| worth.exceeds(most))
        };
        if bound.as_ref().is_some_and(|bound| !exceeds(bound)) {
            continue;
        }
        let under = search(&plan)?;
        if !exceeds(&under.worth) {
            continue;
        }
        match under.given.conflict() {
            None => {
                let mut whole = plan;
                whole.0.extend(under.given.to_proof_bit_values().0);
                best = Some((under.worth, under.result, whole));
            }
            Some(bit) => {
                let each = [true, false].map(|value| plan.with_proof_bit(bit, value));
                open.extend(each.map(|plan| (Some(under.worth.clone()), plan)));
            }
        }
    }
    let (_, result, plan) = best.ok_or(PayoffNotComputedReason::NoReply(
        debate_core::protocol::Seat::Prover,
    ))?;
    Ok((result, plan))
}
