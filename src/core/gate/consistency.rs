//! The consistency of a round's estimates, and the even share: an estimate of each subclaim that is always consistent.
//!
//! [`EstimateConsistency`] holds J = [low, high]: the probabilities of the gate, given the coins so far, that the
//! estimates so far allow. At first, low and high are p_k. If an estimate allows no probability in J, its *gap* is the
//! distance from J to the nearest probability that the estimate allows. If one joint distribution has the estimates of
//! the claim and of its subclaims, no estimate has a gap.

use std::ops::RangeInclusive;

use super::{Gate, GateEvaluationState};
use crate::number::{Exact, Number, to_u32_saturating};
use num_traits::Signed as _;

/// Number of bisection steps in the search for the even share (one equal estimate for all remaining subclaims) under
/// `Majority` and `AtLeast`.
const HALVINGS: u32 = 40;

/// True if a gap (in probability, with any sign) is at least half a percentage point: whole percentages are no more
/// exact. Reviews, lessons and pictures name only such gaps; estimates with smaller ones are called “nearly
/// consistent”.
pub fn is_visible_gap(gap: &Exact) -> bool {
    gap.abs() >= Exact::ratio(1, 200)
}

/// True if a gap (in probability, with any sign) is at most a rounding error: below 0.05 percentage points, so that it
/// is shown as 0.0. An estimate with the four digits of a hint is at most 0.005 percentage points off, so a round of
/// such estimates is called consistent.
pub fn is_rounding_gap(gap: &Exact) -> bool {
    gap.abs() < Exact::ratio(1, 2000)
}

/// The estimates of one round's subclaims, compared with the estimate of their claim.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateConsistency<N> {
    gate: Gate,
    inputs: u32,
    tally: GateEvaluationState,
    /// p_k, the estimate of the round's claim.
    p: N,
    low: N,
    high: N,
    /// The probability, by Bob's estimates, of the coin outcomes that this round has had so far.
    weight: N,
    /// Bounds (least, greatest) on the probability that the gate is true after other coin outcomes of this round than
    /// the actual ones.
    aside: (N, N),
}

fn at_most<N: Number>(one: N, other: N) -> N {
    if one.exceeds(&other) { other } else { one }
}

fn at_least<N: Number>(one: N, other: N) -> N {
    if other.exceeds(&one) { other } else { one }
}

/// Returns the gate's possible values as an interval: {0}, {1} or [0, 1].
fn ends<N: Number>(reachable_values: (bool, bool)) -> (N, N) {
    let (can_be_false, can_be_true) = reachable_values;
    (N::indicator(!can_be_false), N::indicator(can_be_true))
}

impl<N: Number> EstimateConsistency<N> {
    /// Creates the state before the first estimate of a round. The round's claim has probability `p` and is supported
    /// by `gate` over `inputs` subclaims.
    pub fn new(gate: &Gate, inputs: usize, p: N) -> Self {
        Self {
            gate: gate.clone(),
            inputs: to_u32_saturating(inputs),
            tally: GateEvaluationState::default(),
            low: p.clone(),
            high: p.clone(),
            p,
            weight: N::one(),
            aside: (N::zero(), N::zero()),
        }
    }

    /// True if the estimates along one sequence of coin outcomes determine the claim's probability. If so, the mean
    /// gain of a bet in the right direction is exactly gap × stake. Under other gates the estimates after other coins
    /// matter too, and only a bound is known.
    pub fn is_probability_determined_by_one_coin_path(&self) -> bool {
        matches!(self.gate, Gate::All | Gate::Any | Gate::Not)
    }

    /// Returns p_k, the estimate of the round's claim.
    pub fn claim_estimate(&self) -> &N {
        &self.p
    }

    /// Returns J: the least and the greatest probability of the claim, given the coins so far, that the estimates so
    /// far allow.
    pub fn claim_range_given_coins(&self) -> (&N, &N) {
        (&self.low, &self.high)
    }

    /// Returns the probability of the round's coin outcomes so far, by the estimates.
    pub fn probability_of_tossed_coins(&self) -> &N {
        &self.weight
    }

    /// Returns the number of subclaims whose coins have not been tossed.
    pub fn untossed_subclaim_count(&self) -> u32 {
        self.inputs.saturating_sub(self.tally.seen)
    }

    /// True if the coins so far decide the gate's value, so that every estimate of a later subclaim is consistent.
    pub fn is_gate_decided(&self) -> bool {
        self.gate
            .reachable_false_and_true(self.tally, self.untossed_subclaim_count())
            != (true, true)
    }

    fn after(&self, outcome: bool) -> (N, N) {
        let rest = self.untossed_subclaim_count().saturating_sub(1);
        ends(
            self.gate
                .reachable_false_and_true(self.gate.tally_with_outcome(self.tally, outcome), rest),
        )
    }

    /// Returns the gap of an estimate of the next subclaim; 0 if the estimate is consistent. Earlier estimates allow an
    /// interval J of probabilities of the gate. The gap is the signed distance from J to the nearest probability that
    /// this estimate allows.
    pub fn signed_unweighted_subclaim_estimate_gap(&self, estimate: &N) -> N {
        let rest = self.untossed_subclaim_count().saturating_sub(1);
        let (least, most) = self.gate.implied_range(self.tally, rest, estimate);
        if least.exceeds(&self.high) {
            least - self.high.clone()
        } else if self.low.exceeds(&most) {
            most - self.low.clone()
        } else {
            N::zero()
        }
    }

    /// Returns the [gap](Self::signed_unweighted_subclaim_estimate_gap) of an estimate as a change of the claim's
    /// probability: the gap times the probability of the coins so far. Under `All` and `Any`, these gaps add up to the
    /// distance from the claim's estimate to the nearest probability that the estimates allow.
    pub fn signed_gap_times_coin_probability(&self, subclaim_estimate: &N) -> N {
        self.weight.clone() * self.signed_unweighted_subclaim_estimate_gap(subclaim_estimate)
    }

    /// Returns the least and the greatest probability of the claim that the estimates of this round allow, with
    /// `estimate` for the next subclaim. If the claim's estimate p_k lies outside this range, the subclaims' estimates
    /// contradict it.
    pub fn claim_range_after_estimate(&self, estimate: &N) -> (N, N) {
        let rest = self.untossed_subclaim_count().saturating_sub(1);
        let (least, most) = self.gate.implied_range(self.tally, rest, estimate);
        let of = |aside: &N, value: N| aside.clone() + self.weight.clone() * value;
        (of(&self.aside.0, least), of(&self.aside.1, most))
    }

    /// Records an estimate of the next subclaim, and returns its [gap](Self::signed_unweighted_subclaim_estimate_gap).
    pub fn record_estimate_and_return_unweighted_gap(&mut self, estimate: &N) -> N {
        let rest = self.untossed_subclaim_count().saturating_sub(1);
        let (least, most) = self.gate.implied_range(self.tally, rest, estimate);
        let gap = self.signed_unweighted_subclaim_estimate_gap(estimate);
        if least.exceeds(&self.high) {
            (self.low, self.high) = (least.clone(), least);
        } else if self.low.exceeds(&most) {
            (self.low, self.high) = (most.clone(), most);
        } else {
            self.low = at_least(self.low.clone(), least);
            self.high = at_most(self.high.clone(), most);
        }
        gap
    }

    /// Records the outcome of a coin that comes up true with the probability `estimate`.
    pub fn update_consistency_with_coin(&mut self, estimate: &N, outcome: bool) {
        let (least, most) = self.after(outcome);
        let (other_least, other_most) = self.after(!outcome);
        let no = N::one() - estimate.clone();
        let (weight, rest) = if outcome {
            (estimate.clone(), no)
        } else {
            (no, estimate.clone())
        };
        self.tally = self.gate.tally_with_outcome(self.tally, outcome);
        let off = self.weight.clone() * rest.clone();
        self.aside.0 += off.clone() * other_least.clone();
        self.aside.1 += off * other_most.clone();
        self.weight *= weight.clone();
        // A coin outcome of probability 0 does not constrain the estimates after it.
        if !weight.exceeds(&N::zero()) {
            (self.low, self.high) = (least, most);
            return;
        }
        let low = (self.low.clone() - rest.clone() * other_most) / weight.clone();
        let high = (self.high.clone() - rest * other_least) / weight;
        self.low = at_most(at_least(low, least.clone()), most.clone());
        self.high = at_least(at_most(high, most), least);
    }

    /// Returns the range of consistent estimates of the next subclaim: those without a
    /// [gap](Self::signed_unweighted_subclaim_estimate_gap).
    pub fn consistent_estimate_range(&self) -> RangeInclusive<N> {
        let (yes, no) = (self.after(true), self.after(false));
        let (mut from, mut to) = (N::zero(), N::one());
        // The least that the estimate b allows is linear in b: it may not exceed J's upper end.
        if yes.0.exceeds(&no.0) {
            to = at_most(to, self.high.clone());
        } else if no.0.exceeds(&yes.0) {
            from = at_least(from, N::one() - self.high.clone());
        }
        // The greatest allowed value must not be below J's lower end either.
        if yes.1.exceeds(&no.1) {
            from = at_least(from, self.low.clone());
        } else if no.1.exceeds(&yes.1) {
            to = at_most(to, N::one() - self.low.clone());
        }
        from..=to
    }

    /// Returns the even share: an estimate of the next subclaim that splits the remaining doubt evenly. The even share
    /// is consistent. If the coins have already decided the gate, it is 1 under `All`, 0 under `Any`, and p_k under
    /// `Majority` and `AtLeast`.
    ///
    /// With m for the least probability in J: `All`: 1 − (1 − m)/left; `Any`: m/left; `Not`: 1 − m. `Majority` and
    /// `AtLeast`: the x nearest to p_k for which P[Bin(left, x) ≥ needed] lies in J. `Xor` and tables: the consistent
    /// number nearest to ½. Pieces of evidence: the consistent number nearest to the even share of their claim.
    pub fn estimate_sharing_doubt_evenly(&self) -> N {
        let left = N::ratio(self.untossed_subclaim_count().max(1).into(), 1);
        let share = match &self.gate {
            Gate::All if self.is_gate_decided() => N::one(),
            Gate::Any if self.is_gate_decided() => N::zero(),
            Gate::All => N::one() - (N::one() - self.low.clone()) / left,
            Gate::Any => self.low.clone() / left,
            Gate::Not => N::one() - self.low.clone(),
            Gate::Majority | Gate::AtLeast(_) if self.is_gate_decided() => self.p.clone(),
            Gate::Majority | Gate::AtLeast(_) => self.counted_share(),
            Gate::Xor | Gate::Table(_) => N::ratio(1, 2),
            Gate::OfMajorities { of, copies } => {
                let inputs = self.inputs / (*copies).max(1);
                of.even_share_estimate(&self.p, inputs)
            }
        };
        let consistent_range = self.consistent_estimate_range();
        at_most(
            at_least(share, consistent_range.start().clone()),
            consistent_range.end().clone(),
        )
    }

    /// Returns the quantity that [`Self::estimate_sharing_doubt_evenly`] divides evenly among the remaining subclaims.
    /// Under `All` it is the claim's doubt 1 − m, under `Any` its probability m, for the least allowed probability m.
    /// `Majority` and `AtLeast` divide no quantity: each subclaim gets the same number. `None` under other gates.
    pub fn evenly_shared_quantity(&self) -> Option<ProbabilityToShareEvenly<N>> {
        match &self.gate {
            Gate::All => Some(ProbabilityToShareEvenly::Doubt(N::one() - self.low.clone())),
            Gate::Any => Some(ProbabilityToShareEvenly::Chance(self.low.clone())),
            Gate::Majority | Gate::AtLeast(_) => Some(ProbabilityToShareEvenly::Alike),
            Gate::Not | Gate::Xor | Gate::Table(_) | Gate::OfMajorities { .. } => None,
        }
    }

    /// Returns the even share under `Majority` and `AtLeast`: one equal estimate x for all remaining subclaims. If
    /// each of them is true with probability x, the gate's probability is in the allowed range J
    /// ([`Self::claim_range_given_coins`]). Of all such x, returns the one nearest to p_k.
    fn counted_share(&self) -> N {
        let chance = |x: &N| self.chance_of(x);
        let at = chance(&self.p);
        if self.low.exceeds(&at) {
            Self::share_where(|x| !self.low.exceeds(&chance(x)))
        } else if at.exceeds(&self.high) {
            Self::share_where(|x| !self.high.exceeds(&chance(x)))
        } else {
            self.p.clone()
        }
    }

    /// Returns the least multiple x of 2⁻⁴⁰ in [0, 1] for which a monotone condition holds: once true, it is true for
    /// all greater x.
    fn share_where(holds: impl Fn(&N) -> bool) -> N {
        let half = N::ratio(1, 2);
        let (mut below, mut from) = (N::zero(), N::one());
        if holds(&below) {
            return below;
        }
        for _ in 0..HALVINGS {
            let middle = (below.clone() + from.clone()) * half.clone();
            if holds(&middle) {
                from = middle;
            } else {
                below = middle;
            }
        }
        from
    }

    /// Returns P[gate = 1] if each remaining subclaim is true with probability `x`, independently.
    fn chance_of(&self, x: &N) -> N {
        let mut chances = vec![(self.tally, N::one())];
        for _ in 0..self.untossed_subclaim_count() {
            let mut next: Vec<(GateEvaluationState, N)> = Vec::with_capacity(chances.len() + 1);
            for (tally, chance) in chances {
                for (outcome, factor) in [(false, N::one() - x.clone()), (true, x.clone())] {
                    let reached = self.gate.tally_with_outcome(tally, outcome);
                    let tally_index = self.gate.tally_index(reached);
                    let part = chance.clone() * factor;
                    match next
                        .iter_mut()
                        .find(|(other, _)| self.gate.tally_index(*other) == tally_index)
                    {
                        Some((_, sum)) => *sum += part,
                        None => next.push((reached, part)),
                    }
                }
            }
            chances = next;
        }
        let holding = chances
            .into_iter()
            .filter(|(tally, _)| self.gate.value_of_tally(*tally));
        holding.fold(N::zero(), |sum, (_, chance)| sum + chance)
    }
}

/// The amount of probability that is split into equal parts for the subclaims whose coins are not yet tossed.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbabilityToShareEvenly<N> {
    /// Under `All`: the probability that the claim is false, to be divided among the subclaims.
    Doubt(N),
    /// Under `Any`: the probability that the claim is true, to be divided among the subclaims.
    Chance(N),
    /// `Majority` and `AtLeast`: every remaining subclaim gets the same estimate, so there is nothing to divide.
    Alike,
}

impl Gate {
    /// Returns the estimate of each of `inputs` subclaims if doubt is split evenly and no coin has been tossed (PE §7):
    /// under `All` 1 − (1 − p)/inputs, under `Any` p/inputs, under `Not` 1 − p, under `Xor` and a table ½, else p.
    pub fn even_share_estimate<N: Number>(&self, p: &N, inputs: u32) -> N {
        let each = N::ratio(1, inputs.max(1).into());
        match self {
            Self::All => N::one() - (N::one() - p.clone()) * each,
            Self::Any => p.clone() * each,
            Self::Not => N::one() - p.clone(),
            Self::Majority | Self::AtLeast(_) | Self::OfMajorities { .. } => p.clone(),
            Self::Xor | Self::Table(_) => N::ratio(1, 2),
        }
    }
}
