//! Access to the claims of an instance, by a player's knowledge: an [`InformedReader`] reader answers with truths, a
//! [`BlindReader`] reader with probabilities. The types keep truths away from players who must not know them.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

use super::belief::{
    HypotheticalTruths, PossibleCaseCount, PossibleFlawIntegers, TruthDistributionBelief,
};
use super::decomposition::{BitId, CarefulReaderEstimate};
use super::instance::{ClaimId, Instance, Support};
use super::key::ClaimKey;
use crate::number::{Exact, ExactWithFloat, Number};

impl TruthDistributionBelief {
    /// Returns the probability that a claim is true, given the truths of other claims. `None` if these truths are
    /// impossible together.
    fn chance<'g, N: Number>(
        &self,
        instance: &Instance,
        claim: ClaimId,
        given: impl Iterator<Item = (ClaimId, bool)> + Clone + 'g,
    ) -> Option<N> {
        let about = |id: ClaimId| instance.key(id).claim_key_behind_evidence();
        match self {
            // If the belief does not list worlds, the problem's own supports are sound, so every warrant is true.
            Self::Place { .. } | Self::Each { .. }
                if instance.warranted_claim_and_support(claim).is_some() =>
            {
                Some(N::one())
            }
            Self::Worlds(worlds) => {
                let mut all = N::zero();
                let mut holding = N::zero();
                let truths = instance.truth_by_world(claim);
                for (world, weight) in worlds {
                    let fits = |(id, truth)| instance.truth_by_world(id)[*world] == Some(truth);
                    if given.clone().all(fits) {
                        all += N::of(weight);
                        if truths[*world] == Some(true) {
                            holding += N::of(weight);
                        }
                    }
                }
                (!all.is_zero()).then(|| holding / all)
            }
            Self::Place { none, count, all } => {
                let share = |id: ClaimId| {
                    let within = count.possible_flaw_count_within(
                        instance.key(id).range_named_by_claim().unwrap_or(all),
                    );
                    let total = count.possible_flaw_count_within(all).max(BigUint::one());
                    let some = Exact::one() - none;
                    some * Exact::new(within.into(), total.into())
                };
                // The claims of one request are about disjoint spans, which contain the position at most once. Or they
                // are pieces of evidence for one claim.
                let mut alive = Exact::one();
                let mut before = None;
                for (id, truth) in given {
                    let again = before.replace(about(id)) == Some(about(id));
                    if !truth {
                        // The position lies in this span, so in no other one.
                        let possible = !again && !share(id).is_zero();
                        return possible.then(|| N::indicator(about(id) != about(claim)));
                    }
                    if !again {
                        alive -= share(id);
                    }
                }
                if before == Some(about(claim)) {
                    return (alive > Exact::zero()).then(N::one);
                }
                let here = share(claim);
                let sound = || Exact::one() - (here / &alive).min(Exact::one());
                (alive > Exact::zero()).then(|| N::from_exact(&sound()))
            }
            Self::Each { root, other } => {
                // All pieces of evidence for a claim have the claim's truth.
                let same = given.filter(|(id, _)| about(*id) == about(claim));
                let mut truths = same.map(|(_, truth)| truth);
                if let Some(truth) = truths.next() {
                    let agreed = truths.all(|other| other == truth);
                    return agreed.then(|| N::indicator(truth));
                }
                let is_root = claim == instance.root();
                Some(N::from_exact(if is_root { root } else { other }))
            }
        }
    }
}

/// The reader for an informed player: it answers questions about claims with their truths.
#[derive(Clone, Copy, Debug)]
pub struct InformedReader<'a>(&'a Instance);

impl<'a> InformedReader<'a> {
    /// Creates a reader with full knowledge of an instance.
    pub fn new(instance: &'a Instance) -> Self {
        Self(instance)
    }

    /// Returns a claim's truth.
    #[inline]
    pub fn truth(&self, claim: ClaimId) -> Option<bool> {
        self.0.truth(claim)
    }

    /// True if the claim is a leaf, which the oracle decides.
    #[inline]
    pub fn is_leaf(&self, claim: ClaimId) -> bool {
        self.0.is_leaf(claim)
    }

    /// True if a support is sound: its claim is true if and only if the gate over the subclaims is.
    #[inline]
    pub fn is_sound(&self, support: &Support) -> bool {
        support.sound
    }

    /// Returns the value of a proof bit in the true proof.
    pub fn true_proof_bit(&self, bit: BitId) -> bool {
        self.0.true_proof_bit(bit)
    }

    /// Returns the number of leaves below a claim.
    pub fn leaf_count_under(&self, claim: ClaimId) -> u64 {
        self.0.leaf_count_under(claim)
    }

    /// Returns the probability that the oracle answers yes about a leaf, given its proof bits.
    #[inline]
    pub fn oracle_yes_probability(&self, leaf: ClaimId, bits: &[bool]) -> Option<ExactWithFloat> {
        self.0.oracle_yes_probability(leaf, bits)
    }
}

/// The reader for a blind player: it answers questions about claims with probabilities. The only truth that it gives is
/// the result of a cheap test of the root.
#[derive(Clone, Debug)]
pub struct BlindReader<'a> {
    instance: &'a Instance,
    belief: TruthDistributionBelief,
}

impl<'a> BlindReader<'a> {
    /// Creates a reader with the knowledge that the problem grants to players who cannot decide claims.
    pub fn new(instance: &'a Instance) -> Self {
        let belief = instance.decomposition().belief(instance.world_index());
        Self { instance, belief }
    }

    /// Creates a reader with the knowledge of a seat (prover 0, opponent 1, judge 2). If the scenario states the seat's
    /// knowledge, the reader knows only that the instance is one of those that the seat cannot tell apart. Otherwise it
    /// is as [`Self::new`].
    pub fn belief_reader_for_seat(instance: &'a Instance, seat: usize) -> Self {
        match instance
            .indistinguishable_worlds(seat)
            .map(TruthDistributionBelief::Worlds)
        {
            Some(belief) => Self { instance, belief },
            None => Self::new(instance),
        }
    }

    /// Returns the probability that a claim is true, given the truths of other claims, such as the outcomes of their
    /// coins. If these truths are impossible together, ignores them.
    pub fn posterior<'g, N: Number>(
        &self,
        claim: ClaimId,
        given: impl Iterator<Item = (ClaimId, bool)> + Clone + 'g,
    ) -> N {
        let chance = self.posterior_if_possible(claim, given);
        chance.unwrap_or_else(|| self.marginal(claim))
    }

    /// Returns the probability that a claim is true, given the truths of other claims, such as the outcomes of their
    /// coins. `None` if these truths are impossible together.
    pub fn posterior_if_possible<'g, N: Number>(
        &self,
        claim: ClaimId,
        given: impl Iterator<Item = (ClaimId, bool)> + Clone + 'g,
    ) -> Option<N> {
        self.belief.chance(self.instance, claim, given)
    }

    /// Counts the equally likely cases that agree with the given truths of claims. `None` if the player's belief does
    /// not consist of equally likely cases, or if no case or more than 100,000 cases agree.
    pub fn possible_cases(
        &self,
        given: impl Iterator<Item = (ClaimId, bool)> + Clone,
    ) -> Option<PossibleCaseCount> {
        self.belief.possible_cases(self.instance, given)
    }

    /// True if the reader's belief is a distribution over several instances, or over positions of a flaw. False if only
    /// one instance is possible for the reader, or if the belief consists of independent probabilities of claims.
    pub fn has_belief_over_instances_or_flaw_places(&self) -> bool {
        match &self.belief {
            TruthDistributionBelief::Worlds(worlds) => worlds.len() > 1,
            TruthDistributionBelief::Place { .. } => true,
            TruthDistributionBelief::Each { .. } => false,
        }
    }

    /// Returns a key of the reader's belief. Readers of one scenario with equal keys give equal answers. `None` if the
    /// belief is not a distribution over listed instances.
    pub fn belief_key(&self) -> Option<Vec<u64>> {
        let TruthDistributionBelief::Worlds(worlds) = &self.belief else {
            return None;
        };
        let test = self
            .cheap_root_test_result()
            .map_or(0, |test| 1 + u64::from(test));
        let worlds = worlds.iter().map(|(world, _)| *world as u64);
        Some([test].into_iter().chain(worlds).collect())
    }

    /// Returns the claim's marginal probability; ½ if it is unknown.
    pub fn marginal<N: Number>(&self, claim: ClaimId) -> N {
        let chance = self.belief.chance(self.instance, claim, std::iter::empty());
        chance.unwrap_or_else(|| N::ratio(1, 2))
    }

    /// Computes the probability of a claim from the probabilities of the subclaims of its first support, as if they
    /// were independent. For a claim without supports, returns its marginal probability.
    pub fn probability_from_subclaims<N: Number>(&self, claim: ClaimId) -> N {
        let Some(support) = self.supports(claim).first() else {
            return self.marginal(claim);
        };
        let each: Vec<N> = support.on.iter().map(|y| self.marginal(*y)).collect();
        support.gate.probability(&each)
    }

    /// Returns the truth of the root claim, if a cheap test that the seat can make decides it.
    pub fn cheap_root_test_result(&self) -> Option<bool> {
        let problem = self.instance.decomposition();
        let tested = problem.cheap_test(self.instance.world_index())?;
        // If the scenario states less knowledge for the seat, the seat cannot make the test.
        let agrees = |world: usize| problem.cheap_test(world) == Some(tested);
        match &self.belief {
            TruthDistributionBelief::Worlds(worlds)
                if !worlds.iter().all(|(world, _)| agrees(*world)) =>
            {
                None
            }
            _ => Some(tested),
        }
    }

    /// Returns the quick estimate of a claim: the probability that a careful reader with little time would give, as far
    /// as the problem states it.
    pub fn estimate(&self, claim: ClaimId) -> CarefulReaderEstimate {
        self.instance.estimate(claim)
    }

    /// Returns all supports of a claim.
    pub fn supports(&self, claim: ClaimId) -> &'a [Support] {
        self.instance.supports(claim)
    }

    /// Returns every claim once.
    pub fn claims(&self) -> impl Iterator<Item = ClaimId> {
        self.instance.claim_and_descendants(self.root())
    }

    /// Returns the root claim: the claim under debate.
    pub fn root(&self) -> ClaimId {
        self.instance.root()
    }

    /// Returns the number of instances over which a posterior sums; 1 if the belief is not a distribution over listed
    /// instances.
    pub fn instance_count_in_posterior_sum(&self) -> usize {
        match &self.belief {
            TruthDistributionBelief::Worlds(worlds) => worlds.len(),
            _ => 1,
        }
    }

    /// Returns the maximum number of subclaims of a support.
    pub fn max_subclaims_per_support(&self) -> u32 {
        self.instance.size().width
    }

    /// Returns the depth of the decomposition in edges.
    pub fn decomposition_depth(&self) -> u32 {
        self.instance.size().depth
    }
}

impl Instance {
    /// Returns every instance of μ with its probability; `None` if there are more than `max_instances`.
    pub fn instances_of_distribution(&self, max_instances: usize) -> Option<Vec<(Exact, Self)>> {
        match TruthDistributionBelief::belief_proportional_to_weights(self.decomposition().worlds())
        {
            TruthDistributionBelief::Worlds(worlds) => self.weighted(&worlds, max_instances),
            TruthDistributionBelief::Place { .. } | TruthDistributionBelief::Each { .. } => None,
        }
    }

    /// Returns every instance that a player with the problem's `estimator_knows` considers possible, with its
    /// probability; `None` if there are more than `max_instances`. This instance itself need not be among them: for a
    /// single number with an unknown divisor, there is one instance for each possible divisor.
    pub fn possible_instances_for_estimator(
        &self,
        max_instances: usize,
    ) -> Option<Vec<(Exact, Self)>> {
        match self.decomposition().belief(self.world_index()) {
            TruthDistributionBelief::Worlds(worlds) => self.weighted(&worlds, max_instances),
            TruthDistributionBelief::Place { none, count, all } => {
                let indices = flaw_positions(&count, &all, max_instances)?;
                let share = (Exact::one() - &none)
                    / Exact::ratio(i64::try_from(indices.len()).ok()?.max(1), 1);
                let flaws = indices
                    .into_iter()
                    .map(|index| (share.clone(), Some(index)));
                let each = std::iter::once((none.clone(), None)).chain(flaws);
                let possible = each.filter(|(chance, _)| !chance.is_zero());
                let supposed = possible.map(|(chance, index)| {
                    let flaw = HypotheticalTruths::Flaw(index);
                    (chance, self.with_supposed_truths(Some(flaw)))
                });
                Some(supposed.collect())
            }
            TruthDistributionBelief::Each { root, other } => {
                self.independent_assignments(&root, &other, max_instances)
            }
        }
    }

    /// Returns the number of instances of μ that a seat (prover 0, opponent 1, judge 2) cannot tell from this one. If
    /// the scenario does not state the seat's knowledge, returns the number of all instances of μ.
    pub fn initially_indistinguishable_instance_count(&self, seat: usize) -> usize {
        let known = self.indistinguishable_worlds(seat);
        let possible = |weight: &ExactWithFloat| !weight.exact().is_zero();
        known.map_or_else(
            || self.decomposition().worlds().len(),
            |worlds| worlds.iter().filter(|(_, weight)| possible(weight)).count(),
        )
    }

    /// Returns every instance that a seat (prover 0, opponent 1, judge 2) cannot tell from this one, with its
    /// probability. `None` if there are more than `max_instances`. If the scenario does not state the seat's knowledge,
    /// returns [`Self::possible_instances_for_estimator`] for the opponent, and all of μ for the other seats.
    pub fn instances_known_to(
        &self,
        seat: usize,
        max_instances: usize,
    ) -> Option<Vec<(Exact, Self)>> {
        match self.indistinguishable_worlds(seat) {
            Some(block) => self.weighted(&block, max_instances),
            None if seat == 1 => self.possible_instances_for_estimator(max_instances),
            None => self.instances_of_distribution(max_instances),
        }
    }

    fn weighted(
        &self,
        worlds: &[(usize, ExactWithFloat)],
        most: usize,
    ) -> Option<Vec<(Exact, Self)>> {
        if worlds.len() > most {
            return None;
        }
        let all: Exact = worlds.iter().map(|(_, weight)| weight.exact()).sum();
        let each = worlds
            .iter()
            .filter(|(_, weight)| !weight.exact().is_zero());
        let each =
            each.map(|(world, weight)| (weight.exact() / &all, self.instance_in_world(*world)));
        Some(each.collect())
    }

    /// Returns a copy of this instance for every assignment of truths to all claims that is possible if claims are
    /// independent, with the assignment's probability. `root` is the root's probability, `other` that of every other
    /// claim. `None` if there are more than `most` claims or assignments.
    fn independent_assignments(
        &self,
        root: &Exact,
        other: &Exact,
        most: usize,
    ) -> Option<Vec<(Exact, Self)>> {
        let mut keys: Vec<ClaimKey> = Vec::new();
        let mut open: Vec<ClaimId> = vec![self.root()];
        while let Some(claim) = open.pop() {
            let key = self.key(claim).claim_key_behind_evidence();
            if keys.contains(key) {
                continue;
            }
            keys.push(key.clone());
            if keys.len() > most {
                return None;
            }
            let supports = self.supports(claim).iter();
            open.extend(supports.flat_map(|support| &support.on));
        }
        let mut cases: Vec<(Exact, HashMap<ClaimKey, bool>)> = vec![(Exact::one(), HashMap::new())];
        for (index, key) in keys.into_iter().enumerate() {
            let p = if index == 0 { root } else { other };
            let sides = [(true, p.clone()), (false, Exact::one() - p)];
            let sides = sides.iter().filter(|(_, share)| !share.is_zero());
            let with = |(truth, share): &(bool, Exact)| {
                let longer = cases.iter().map(|(chance, truths)| {
                    let mut truths = truths.clone();
                    truths.insert(key.clone(), *truth);
                    (chance * share, truths)
                });
                longer.collect::<Vec<_>>()
            };
            cases = sides.flat_map(with).collect();
            if cases.len() > most {
                return None;
            }
        }
        let supposed = cases.into_iter().map(|(chance, truths)| {
            let truths = HypotheticalTruths::Truths(Arc::new(truths));
            (chance, self.with_supposed_truths(Some(truths)))
        });
        Some(supposed.collect())
    }
}

/// Returns the possible positions of a flaw; `None` if there are more than `most`.
fn flaw_positions(
    count: &PossibleFlawIntegers,
    all: &(BigUint, BigUint),
    most: usize,
) -> Option<Vec<BigUint>> {
    let (first, last) = all;
    let indices: Vec<BigUint> = match count {
        PossibleFlawIntegers::Primes(primes) => {
            let each = primes.iter().map(|prime| BigUint::from(*prime));
            let within = each.filter(|prime| first <= prime && prime <= last);
            within.take(most + 1).collect()
        }
        PossibleFlawIntegers::Integers => {
            let number = (last + 1_u32 - first).to_usize()?.min(most + 1);
            (0..number).map(|index| first + index).collect()
        }
    };
    (indices.len() <= most).then_some(indices)
}
