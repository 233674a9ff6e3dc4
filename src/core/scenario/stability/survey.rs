//! A survey of a decomposition over all instances of μ: its stability, provability and unsound supports, and its leaves
//! that read proof bits.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use num_traits::Zero as _;

use super::{largest_shift_at_truths, threshold};
use crate::gate::Gate;
use crate::number::{Exact, Number as _, to_u32_saturating};
use crate::scenario::{ClaimId, Decomposition, InformedReader, Instance, Oracle, Support};

/// Default maximum number of claims that a survey visits.
pub const MAX_CLAIMS: usize = 1 << 18;

/// The support whose gate's probability an estimator can move most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastStableSupport {
    /// The supported claim: its id in the scenario, or else its short text.
    pub claim: String,
    /// The instance of μ.
    pub instance: String,
    /// The gate of the support.
    pub gate: Gate,
    /// The number of inputs of the gate: the subclaims, or under `Stable` their pieces of evidence.
    pub width: usize,
    /// The number of gate inputs whose probabilities an estimator must change to change the gate's probability as much
    /// as possible.
    pub moved: usize,
    /// The supremum of the gate's shift |P_p − P_q| (PE Definition 5.3).
    pub deviation: Exact,
}

/// The results of a survey of all claims that a debate with honest Alice can reach. She chooses only sound supports, so
/// only their subclaims are visited. If a claim has no sound support, all its supports are visited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StabilitySurvey {
    /// The support that an estimator can move most; `None` if no support could be rated, for example because the root
    /// is a leaf.
    pub worst: Option<LeastStableSupport>,
    /// The maximum shift of a stable support's gate: ρε.
    pub allowed: Exact,
    /// The different kinds of supports found, each with its gate and the truths of its subclaims. A subclaim counts
    /// once, even if it has several pieces of evidence.
    pub supports: Vec<(Gate, Vec<bool>)>,
    /// The proportion of μ, by weight, on which an estimator can move no support by more than ρε.
    pub stable: Exact,
    /// For each visited instance of μ, in order: true if every support is stable; `None` if that is unknown.
    pub stable_in: Vec<Option<bool>>,
    /// The proportion of μ, by weight, on which honest Alice can prove the root: she can decide every claim that the
    /// debate reaches, and each of these claims is a leaf or has a sound support.
    pub provable: Exact,
    /// The greatest probability, over all leaves, that the oracle is wrong; `None` if it is unknown for some leaf.
    pub oracle_error: Option<Exact>,
    /// The largest number of proof bits that one leaf's check reads.
    pub bits_read: usize,
    /// A claim without a sound support, if there is one.
    pub unsupported: Option<String>,
    /// True if the truth of some claims cannot be computed, so that the survey's result may be unknown.
    pub undecided: bool,
    /// True if the survey visited every claim. Otherwise the proportions are only over the visited instances.
    pub complete: bool,
}

impl StabilitySurvey {
    /// True if the decomposition is stable on all instances of μ; `None` if that is unknown.
    pub fn is_stable(&self) -> Option<bool> {
        let above = |worst: &LeastStableSupport| worst.deviation > self.allowed;
        if self.worst.as_ref().is_some_and(above) {
            return Some(false);
        }
        (self.complete && !self.undecided).then_some(true)
    }
}

/// Surveys a decomposition in every instance of μ, and visits at most `claims` claims in total. All pieces of evidence
/// for a claim are equivalent, so the survey of a [`StableProblem`](crate::scenario::StableProblem) visits each claim
/// once instead of each piece.
pub fn survey(
    decomposition: &Arc<dyn Decomposition>,
    oracle: &Oracle,
    (epsilon, rho): (&Exact, &Exact),
    claims: usize,
) -> StabilitySurvey {
    let (decomposition, copies) = match decomposition.as_stable() {
        Some(stable) => (
            stable.original_decomposition(),
            Some(stable.evidence_copies_per_subclaim()),
        ),
        None => (decomposition, None),
    };
    let mut surveyor = Surveyor {
        epsilon,
        copies,
        left: claims,
        known: HashMap::new(),
        found: StabilitySurvey {
            worst: None,
            allowed: rho * epsilon,
            supports: Vec::new(),
            stable: Exact::zero(),
            stable_in: Vec::new(),
            provable: Exact::zero(),
            oracle_error: Some(Exact::zero()),
            bits_read: 0,
            unsupported: None,
            undecided: false,
            complete: true,
        },
    };
    let mut stable = Exact::zero();
    let mut provable = Exact::zero();
    let mut all = Exact::zero();
    for (number, world) in decomposition.worlds().iter().enumerate() {
        if surveyor.left == 0 {
            surveyor.found.complete = false;
            break;
        }
        let instance = Instance::new(Arc::clone(decomposition), number, oracle.clone());
        let (is_stable, is_provable) = surveyor.world(&instance);
        all += &world.weight;
        if is_stable == Some(true) {
            stable += &world.weight;
        }
        surveyor.found.stable_in.push(is_stable);
        if is_provable {
            provable += &world.weight;
        }
    }
    let mut survey = surveyor.found;
    if !all.is_zero() {
        survey.stable = stable / &all;
        survey.provable = provable / all;
    }
    survey
}

struct Surveyor<'p> {
    epsilon: &'p Exact,
    /// The number of pieces of evidence for each subclaim; `None` if the subclaim is used directly.
    copies: Option<u32>,
    /// The number of claims that may still be visited, of the limit that the caller of the survey set.
    left: usize,
    /// For each kind of support, how far an estimator can move its gate's probability.
    known: HashMap<(Gate, Vec<bool>), Exact>,
    found: StabilitySurvey,
}

impl Surveyor<'_> {
    /// Surveys the decomposition in one instance. Returns two flags: true if it is stable (`None` if that is unknown),
    /// and true if honest Alice can prove it.
    fn world(&mut self, instance: &Instance) -> (Option<bool>, bool) {
        let mut stable = true;
        let mut known = true;
        let mut provable = true;
        let mut visited = HashSet::from([instance.root()]);
        let mut open = vec![instance.root()];
        while let Some(claim) = open.pop() {
            if self.left == 0 {
                self.found.complete = false;
                known = false;
                break;
            }
            self.left -= 1;
            if instance.truth(claim).is_none() {
                self.found.undecided = true;
                provable = false;
            }
            if instance.is_leaf(claim) {
                self.leaf(instance, claim);
                continue;
            }
            let informed = InformedReader::new(instance);
            let supports = instance.supports(claim);
            let has_sound = supports.iter().any(|support| informed.is_sound(support));
            if !has_sound {
                provable = false;
                let name = || id_or_short_text(instance, claim);
                self.found.unsupported.get_or_insert_with(name);
            }
            let looked_at = |support: &&Support| !has_sound || informed.is_sound(support);
            for support in supports.iter().filter(looked_at) {
                match self.support(instance, claim, support) {
                    Some(below) => stable &= below,
                    None => known = false,
                }
                open.extend(support.on.iter().filter(|below| visited.insert(**below)));
            }
        }
        // One support that moves by more than ρε makes the instance unstable.
        ((known || !stable).then_some(stable), provable)
    }

    fn leaf(&mut self, instance: &Instance, leaf: ClaimId) {
        let reads = instance.proof_bits_read_by_leaf(leaf);
        self.found.bits_read = self.found.bits_read.max(reads.len());
        let bits: Vec<bool> = reads
            .iter()
            .map(|bit| instance.true_proof_bit(*bit))
            .collect();
        let error = match (
            instance.truth(leaf),
            instance.oracle_yes_probability(leaf, &bits),
        ) {
            (Some(true), Some(yes)) => Some(Exact::ratio(1, 1) - yes.exact()),
            (Some(false), Some(yes)) => Some(yes.exact().clone()),
            _ => None,
        };
        self.found.oracle_error = match (self.found.oracle_error.take(), error) {
            (Some(most), Some(error)) => Some(most.max(error)),
            _ => None,
        };
    }

    /// True if a support is stable: an estimator can move it by at most ρε. `None` if that is unknown.
    fn support(&mut self, instance: &Instance, claim: ClaimId, support: &Support) -> Option<bool> {
        let truths: Option<Vec<bool>> = support.on.iter().map(|y| instance.truth(*y)).collect();
        let Some(truths) = truths else {
            self.found.undecided = true;
            return None;
        };
        let ones = truths.iter().filter(|truth| **truth).count();
        // For a gate that counts, only the number of true subclaims matters.
        let kind = if support.gate.ignores_subclaim_order() {
            let counted = (0..truths.len()).map(|index| index < ones).collect();
            (support.gate.clone(), counted)
        } else {
            (support.gate.clone(), truths)
        };
        let deviation = match self.known.get(&kind) {
            Some(known) => Some(known.clone()),
            None => self.shift_of_gate(&kind.0, &kind.1).inspect(|shift| {
                self.found.supports.push(kind.clone());
                self.known.insert(kind, shift.clone());
            }),
        };
        // Cannot be `None`: a scenario whose gate does not fit its subclaims is rejected when it is loaded.
        let Some(deviation) = deviation else {
            self.found.undecided = true;
            return None;
        };
        // At the truth the supremum is never attained, so a deviation of exactly ρε counts as stable.
        let stable = deviation <= self.found.allowed;
        let worse = |worst: &LeastStableSupport| deviation > worst.deviation;
        if self.found.worst.as_ref().is_none_or(worse) {
            self.found.worst = Some(LeastStableSupport {
                claim: id_or_short_text(instance, claim),
                instance: instance.world_name().to_owned(),
                gate: self.gate(&support.gate),
                width: support.on.len() * self.copies_or_one(),
                moved: count_moved(&support.gate, support.on.len(), ones) * self.copies_or_one(),
                deviation,
            });
        }
        Some(stable)
    }

    /// Returns the number of pieces of evidence for each subclaim; 1 if the subclaim is used directly.
    fn copies_or_one(&self) -> usize {
        self.copies.unwrap_or(1) as usize
    }

    /// Returns the gate over the pieces of evidence for a support's subclaims; the support's own gate if subclaims are
    /// used directly.
    fn gate(&self, gate: &Gate) -> Gate {
        let gate = gate.clone();
        match self.copies {
            Some(copies) => gate.with_majority_at_each_input(copies),
            None => gate,
        }
    }

    /// Returns how far an estimator can move a gate's probability, for these truths of its subclaims.
    fn shift_of_gate(&self, gate: &Gate, truths: &[bool]) -> Option<Exact> {
        let each = self.copies_or_one();
        let each = |truth: &bool| std::iter::repeat_n(*truth, each);
        let pieces = truths.iter().flat_map(each);
        largest_shift_at_truths(&self.gate(gate), &pieces.collect::<Vec<_>>(), self.epsilon)
    }
}

pub(super) fn id_or_short_text(instance: &Instance, claim: ClaimId) -> String {
    let id = instance.claim_id_in_file(claim).map(str::to_owned);
    id.unwrap_or_else(|| instance.short_text(claim))
}

/// Returns the number of subclaims whose probabilities an estimator changes to flip the gate most often.
fn count_moved(gate: &Gate, width: usize, ones: usize) -> usize {
    match threshold(gate, to_u32_saturating(width)) {
        Some(least) if ones >= least as usize => ones,
        Some(_) => width - ones,
        None => width,
    }
}

/// A support from which its claim does not follow: the gate over the subclaims' truths has, or may have, another value
/// than the claim's truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsoundSupport {
    /// The supported claim: its id in the scenario, or else its short text.
    pub claim: String,
    /// The support's label, or else its number, counted from 1.
    pub support: String,
    /// The first instance of μ in which the support is unsound.
    pub instance: String,
}

/// Returns the first `most` unsound supports that the prover may choose, each once; visits at most `claims` claims. The
/// soundness theorem assumes that there are none (PE Definition 5.1). So does the guarantee of plain recursion, that a
/// challenger who knows every truth catches every liar.
pub fn find_unsound_supports(
    decomposition: &Arc<dyn Decomposition>,
    oracle: &Oracle,
    most: usize,
    claims: usize,
) -> Vec<UnsoundSupport> {
    // Pieces of evidence for one claim are alike.
    let decomposition = decomposition
        .as_stable()
        .map_or(decomposition, |stable| stable.original_decomposition());
    let mut unsound_supports = Vec::<UnsoundSupport>::new();
    let mut left = claims;
    for (number, world) in decomposition.worlds().iter().enumerate() {
        let instance = Instance::new(Arc::clone(decomposition), number, oracle.clone());
        let informed = InformedReader::new(&instance);
        for claim in instance.claim_and_descendants(instance.root()) {
            if left == 0 || unsound_supports.len() == most {
                return unsound_supports;
            }
            left -= 1;
            for (index, support) in instance.supports(claim).iter().enumerate() {
                // The soundness of a claim that cannot be decided is unknown.
                if informed.is_sound(support) || informed.truth(claim).is_none() {
                    continue;
                }
                let label = instance.support_label(claim, index).map(str::to_owned);
                let one = UnsoundSupport {
                    claim: id_or_short_text(&instance, claim),
                    support: label.unwrap_or_else(|| (index + 1).to_string()),
                    instance: world.name.clone(),
                };
                let known =
                    |it: &UnsoundSupport| it.claim == one.claim && it.support == one.support;
                if !unsound_supports.iter().any(known) && unsound_supports.len() < most {
                    unsound_supports.push(one);
                }
            }
        }
    }
    unsound_supports
}

/// Returns the first leaf whose check reads proof bits: its id in the scenario, or else its short text; `None` if none
/// is found. Visits at most `claims` claims. A prover who claims the opposite of the root may give other bits.
/// Soundness (PE equation 10) therefore assumes that there is no such leaf, or that the claim fixes the machine under
/// debate.
pub fn first_leaf_with_proof_bits(
    decomposition: &Arc<dyn Decomposition>,
    oracle: &Oracle,
    claims: usize,
) -> Option<String> {
    let decomposition = decomposition
        .as_stable()
        .map_or(decomposition, |stable| stable.original_decomposition());
    decomposition.as_proof()?;
    let mut left = claims;
    for number in 0..decomposition.worlds().len() {
        let instance = Instance::new(Arc::clone(decomposition), number, oracle.clone());
        for claim in instance.claim_and_descendants(instance.root()) {
            if !instance.proof_bits_read_by_leaf(claim).is_empty() {
                return Some(id_or_short_text(&instance, claim));
            }
            left = left.checked_sub(1)?;
        }
    }
    None
}
