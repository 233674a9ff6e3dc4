//! Several pieces of evidence for a claim (PE Definitions 8.1 and 8.2): how dependent their errors are, and the
//! probability that the debated claim differs from the intended one.
//!
//! Theorem 8.3 debates the language L' of Definition 8.2: claims about majorities of pieces of evidence, each of which
//! errs as the oracle does. L' differs from the intended language L with probability at most ε/(4n). This follows from
//! Definition 8.1: each piece is right with probability 1 − ε/(4n), whatever all other pieces say. If the pieces for a
//! leaf share a cause of error, more pieces do not help.

use std::collections::HashMap;

use num_traits::{One as _, Zero as _};
use serde::Serialize;

use debate_core::gate::Gate;
use debate_core::number::{Exact, power, to_u32_saturating};
use debate_core::protocol::prover_estimator::ProverEstimatorParameters;
use debate_core::scenario::{ClaimId, InformedReader, Instance};
use debate_solver::setup::{EvidenceErrorDependence, LoadedScenario};

/// Maximum number of leaves for which all combinations of shared errors are enumerated.
const MAX_CAUSES: usize = 8;
/// Maximum number of instances for which the errors of the evidence are computed.
const MAX_INSTANCES: usize = 64;
/// Maximum number of claims of an instance for which the errors of the evidence are computed.
const MAX_CLAIMS: usize = 2000;
/// Maximum number of other pieces of evidence in the computation. More of them can only decrease the probability that a
/// piece is right.
const MAX_OTHERS: u32 = 64;

/// The joint errors of the pieces of evidence in a `Stable` decomposition (PE Definition 8.1), with their effect on PE
/// Theorem 8.3. Numbers are fractions, or formatted for a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "EvidenceErrors"))]
pub struct JointEvidenceErrors<N> {
    /// The probability that all pieces of evidence for a leaf err together, as the scenario's field `evidence` states.
    pub shared_cause: N,
    /// The greatest probability, over all leaves, that a piece of evidence errs independently of the others, as the
    /// oracle states.
    pub error: N,
    /// The least probability, over all leaves, that a piece of evidence is right although all other pieces err.
    pub supported: N,
    /// The probability 1 − ε/(4n) that PE Definition 8.1 requires, where n = r^−(d+1).
    pub required: N,
    pub s_supported: bool,
    /// A lower and an upper bound on the probability, over μ, that the debated claim's truth differs from the intended
    /// claim's. They are equal if the probability is known.
    pub wrong: [N; 2],
    /// The probability ε/(4n) of a difference that PE Theorem 8.3 permits.
    pub allowed: N,
    /// A lower bound on the probability that the debated claim (about the evidence) is true, over all instances in
    /// which the intended claim (the claim itself) is true. Null without such an instance.
    pub true_if_true: Option<N>,
    /// An upper bound on the probability that the debated claim (about the evidence) is true, over all instances in
    /// which the intended claim (the claim itself) is false. Null without such an instance.
    pub true_if_false: Option<N>,
    /// The second half of PE Theorem 8.3: true if the debated claim (about the evidence) is true with probability above
    /// 1 − ε/(4n) exactly when the intended claim (the claim itself) is true. Null if the bounds do not decide it.
    pub membership: Option<bool>,
}

/// The check of the second half of PE Theorem 8.3, accumulated over the instances.
#[derive(Default)]
struct Membership {
    /// The smallest lower bound so far on the probability that the debated claim (about the evidence) is true, over
    /// instances in which the intended claim (the claim itself) is true.
    if_true: Option<Exact>,
    /// The greatest upper bound so far on the probability that the debated claim (about the evidence) is true, over
    /// instances in which the intended claim (the claim itself) is false.
    if_false: Option<Exact>,
    /// True if some instance certainly contradicts the second half of PE Theorem 8.3, whatever the exact probabilities
    /// are.
    fails: bool,
}

impl Membership {
    /// Includes one more instance in the check. In this instance, the debated claim's truth differs from the intended
    /// claim's with a probability between `low` and `high`.
    fn add(&mut self, truth: bool, low: &Exact, high: &Exact, required: &Exact) {
        let right = |wrong: &Exact| Exact::one() - wrong;
        if truth {
            self.fails |= right(low) <= *required;
            let least = right(high);
            self.if_true = Some(
                self.if_true
                    .take()
                    .map_or_else(|| least.clone(), |own| own.min(least.clone())),
            );
        } else {
            self.fails |= low > required;
            let most = high.clone();
            self.if_false = Some(
                self.if_false
                    .take()
                    .map_or_else(|| most.clone(), |own| own.max(most.clone())),
            );
        }
    }

    fn holds(&self, required: &Exact) -> Option<bool> {
        let is_above = self.if_true.as_ref().is_none_or(|p| p > required);
        let is_below = self.if_false.as_ref().is_none_or(|p| p <= required);
        match (self.fails, is_above && is_below) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }
}

/// Computes the errors of the scenario's evidence. Returns `None` if it has no evidence, if some truths are unknown, or
/// if a claim has no sound support. Also returns `None` for too many claims or instances. `number` formats a number.
pub fn evidence_errors<N>(
    setup: &LoadedScenario,
    parameters: &ProverEstimatorParameters,
    number: impl Fn(&Exact) -> N,
) -> Option<JointEvidenceErrors<N>> {
    let stable = setup.decomposition.as_stable()?;
    let of = stable.original_decomposition();
    let copies = stable.evidence_copies_per_subclaim();
    let worlds = of.worlds();
    if worlds.len() > MAX_INSTANCES {
        return None;
    }
    let shared = match &setup.evidence {
        EvidenceErrorDependence::Independent => Exact::zero(),
        EvidenceErrorDependence::SharedCause(p) => p.clone(),
    };
    let depth = setup.decomposition.size(0).depth;
    let prize = power(&parameters.weight_ratio_to_next_round(), depth + 1);
    let required = Exact::one() - &parameters.epsilon.0 * prize / Exact::from_integer(4.into());
    let others = copies
        .checked_pow(depth)
        .unwrap_or(u32::MAX)
        .saturating_sub(1);
    let mut supported = Exact::one();
    let mut worst_error = Exact::zero();
    let mut low = Exact::zero();
    let mut high = Exact::zero();
    let mut all = Exact::zero();
    let mut membership = Membership::default();
    for (world, known) in worlds.iter().enumerate() {
        let instance = Instance::new(of.clone(), world, setup.oracle.clone());
        let pieces = Pieces::of(&instance, copies)?;
        for p in pieces.leaves.values() {
            let error = &p.error;
            worst_error = worst_error.max(error.clone());
            let right = Exact::one() - &p.error;
            let against = power(error, others.min(MAX_OTHERS));
            // All other pieces err: by the shared cause, or independently.
            let by_itself = (Exact::one() - &shared) * &against;
            let likely = &shared + &by_itself;
            let least = if shared.is_zero() || likely.is_zero() {
                right
            } else {
                by_itself * right / likely
            };
            supported = supported.min(least);
        }
        let (least, most) = pieces.bounds_on_wrong(&shared);
        membership.add(pieces.truth, &least, &most, &required);
        low += &known.weight * least;
        high += &known.weight * most;
        all += &known.weight;
    }
    Some(JointEvidenceErrors {
        s_supported: supported >= required,
        allowed: number(&(Exact::one() - &required)),
        shared_cause: number(&shared),
        error: number(&worst_error),
        supported: number(&supported),
        required: number(&required),
        true_if_true: membership.if_true.as_ref().map(&number),
        true_if_false: membership.if_false.as_ref().map(&number),
        membership: membership.holds(&required),
        wrong: [low / &all, high / all].each_ref().map(number),
    })
}

/// The truth of a leaf, and the probability that a piece of evidence for it errs.
struct LeafEvidence {
    truth: bool,
    error: Exact,
}

/// The structure of the evidence in an instance: the claims, their supports and their leaves.
struct Pieces {
    root: ClaimId,
    truth: bool,
    copies: u32,
    /// For each claim that is not a leaf: the gate and the subclaims of its first sound support.
    supports: HashMap<ClaimId, (Gate, Vec<ClaimId>)>,
    leaves: HashMap<ClaimId, LeafEvidence>,
}

impl Pieces {
    fn of(instance: &Instance, copies: u32) -> Option<Self> {
        let mut pieces = Self {
            root: instance.root(),
            truth: instance.truth(instance.root())?,
            copies,
            supports: HashMap::new(),
            leaves: HashMap::new(),
        };
        let informed = InformedReader::new(instance);
        let mut open = vec![instance.root()];
        while let Some(claim) = open.pop() {
            if pieces.supports.contains_key(&claim) || pieces.leaves.contains_key(&claim) {
                continue;
            }
            if pieces.supports.len() + pieces.leaves.len() >= MAX_CLAIMS {
                return None;
            }
            let supports = instance.supports(claim);
            if supports.is_empty() {
                let truth = instance.truth(claim)?;
                let yes = instance.oracle_yes_probability(claim, &[])?.exact().clone();
                let error = if truth { Exact::one() - yes } else { yes };
                pieces.leaves.insert(claim, LeafEvidence { truth, error });
            } else {
                let support = supports.iter().find(|support| informed.is_sound(support))?;
                open.extend(&support.on);
                let chosen = (support.gate.clone(), support.on.clone());
                pieces.supports.insert(claim, chosen);
            }
        }
        Some(pieces)
    }

    /// Returns a lower and an upper bound on the probability that the evidence for the root is wrong. `shared` is the
    /// probability that all pieces for a leaf err together.
    fn bounds_on_wrong(&self, shared: &Exact) -> (Exact, Exact) {
        if shared.is_zero() {
            let wrong = self.wrong_if_struck(&[]);
            return (wrong.clone(), wrong);
        }
        let mut leaves: Vec<ClaimId> = self.leaves.keys().copied().collect();
        leaves.sort_unstable_by_key(|leaf| leaf.claim_number());
        let none = power(&(Exact::one() - shared), to_u32_saturating(leaves.len()));
        if leaves.len() > MAX_CAUSES {
            // Without any shared cause the probability is known; with one, it may have any value.
            let low = &none * self.wrong_if_struck(&[]);
            let high = &low + (Exact::one() - none);
            return (low, high);
        }
        let mut sum = Exact::zero();
        for set in 0_u32..1 << leaves.len() {
            let struck: Vec<ClaimId> = leaves
                .iter()
                .enumerate()
                .filter(|(index, _)| set >> index & 1 == 1)
                .map(|(_, leaf)| *leaf)
                .collect();
            let few = set.count_ones();
            let rest = to_u32_saturating(leaves.len()) - few;
            let chance = power(shared, few) * power(&(Exact::one() - shared), rest);
            sum += chance * self.wrong_if_struck(&struck);
        }
        (sum.clone(), sum)
    }

    /// Returns the probability that the evidence for the root is wrong. All pieces of evidence for the leaves in
    /// `struck` err, from a shared cause. All other pieces err independently.
    fn wrong_if_struck(&self, struck: &[ClaimId]) -> Exact {
        let p = self.probability_of_yes(self.root, struck, &mut HashMap::new());
        if self.truth { Exact::one() - p } else { p }
    }

    /// Returns the probability that a piece of evidence for a claim says yes. Each piece has separate evidence for its
    /// subclaims, so the subclaims err independently.
    fn probability_of_yes(
        &self,
        claim: ClaimId,
        struck: &[ClaimId],
        known: &mut HashMap<ClaimId, Exact>,
    ) -> Exact {
        if let Some(known) = known.get(&claim) {
            return known.clone();
        }
        let outcomes = match (self.leaves.get(&claim), self.supports.get(&claim)) {
            (Some(leaf), _) => {
                let error = if struck.contains(&claim) {
                    Exact::one()
                } else {
                    leaf.error.clone()
                };
                if leaf.truth {
                    Exact::one() - error
                } else {
                    error
                }
            }
            (None, Some((gate, on))) => {
                let majority =
                    |p: Exact| Gate::Majority.probability(&vec![p; self.copies as usize]);
                let each = on
                    .iter()
                    .map(|on| majority(self.probability_of_yes(*on, struck, known)));
                gate.probability(&each.collect::<Vec<_>>())
            }
            (None, None) => Exact::zero(),
        };
        known.insert(claim, outcomes.clone());
        outcomes
    }
}
