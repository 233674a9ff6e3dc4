//! Built-in provers of prover-estimator debate: the honest one of PE Lemma A.5, and dishonest ones.

use super::uniform_subclaim;
use super::{MarkovProver, PeView, SubclaimSelectionRule};
use crate::number::Number;
use crate::player::{
    Policy, ReplyDistribution, StrategyBuildError, StrategyBuildInputs, StrategyMemoryAndCosts,
};
use crate::protocol::{Bet, BitsMeaning, ProverEstimatorDebate, Reply, Request};
use crate::scenario::{BitId, BlindReader, ClaimId, InformedReader, Support};

/// Returns the error of a probability `p` of a claim: the claim's truth (1 or 0) minus `p`. Returns 0 if the truth is
/// unknown.
#[inline]
fn error<N: Number>(informed: InformedReader<'_>, claim: ClaimId, p: &N) -> N {
    informed
        .truth(claim)
        .map_or_else(N::zero, |truth| N::indicator(truth) - p.clone())
}

/// The behaviours of a prover that knows every truth, honest or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InformedProverBehaviour {
    /// The honest prover of PE Lemma A.5: answers the root claim truthfully. If |p_d − L(x)| ≤ ε it never bets, else it
    /// bets by equation (13). It continues with the subclaim whose estimate is furthest from the truth.
    ///
    /// If it cannot decide a claim, it treats the estimate as right.
    Honest,
    /// The honest prover without the rule about p_d: it bets by equation (13) in every round, whatever the root's
    /// estimate.
    HonestMarkov,
    /// The opposite of the honest prover: answers 1 − L(x), bets against equation (13), and continues with the subclaim
    /// whose estimate is closest to the truth.
    Contrarian,
    /// Answers the root claim falsely, always bets in the direction of that answer, and continues with a random
    /// subclaim.
    Liar,
    /// The obfuscated argument: answers the root claim falsely and hides one flaw among many subclaims. It always bets
    /// +1 and continues with a random subclaim.
    Obfuscator,
    /// Answers truly and never bets.
    Lazy,
}

/// A prover that knows the truth of every claim that can be decided. `manner` states whether it is honest or how it
/// deceives.
#[derive(Clone, Copy, Debug)]
pub struct InformedProver<'a> {
    pub informed: InformedReader<'a>,
    pub manner: InformedProverBehaviour,
}

impl<'a> InformedProver<'a> {
    /// Builds the requested prover.
    ///
    /// # Errors
    /// Returns an error if the scenario gives the prover's seat less knowledge than the instance.
    pub(in crate::player) fn of(
        order: &StrategyBuildInputs<'a, '_>,
        manner: InformedProverBehaviour,
    ) -> Result<Self, StrategyBuildError> {
        let informed = order.truth_reader_for_seat()?;
        Ok(Self { informed, manner })
    }

    #[inline]
    fn is_truthful(&self) -> bool {
        matches!(
            self.manner,
            InformedProverBehaviour::Honest
                | InformedProverBehaviour::HonestMarkov
                | InformedProverBehaviour::Lazy
        )
    }

    /// Returns the prover's answer to a claim. A claim whose truth is unknown counts as false.
    #[inline]
    pub(in crate::player) fn answer(&self, claim: ClaimId) -> bool {
        self.informed.truth(claim).unwrap_or(false) == self.is_truthful()
    }

    /// Returns the index of the support that the prover chooses: the first sound one, else the first. An obfuscator
    /// chooses among the supports with a false subclaim: the fewest false subclaims, then the most subclaims, so that
    /// one flaw hides among many.
    #[inline]
    pub(in crate::player) fn place(&self, offered: &[Support]) -> usize {
        if self.manner != InformedProverBehaviour::Obfuscator {
            let sound = |support| self.informed.is_sound(support);
            return offered.iter().position(sound).unwrap_or(0);
        }
        let key = |support: &Support| {
            let wrong = |claim: &&ClaimId| self.informed.truth(**claim) == Some(false);
            let wrong = support.on.iter().filter(wrong).count();
            (wrong == 0, wrong, usize::MAX - support.on.len())
        };
        (0..offered.len())
            .min_by_key(|index| key(&offered[*index]))
            .unwrap_or(0)
    }

    /// Returns the value that the prover chooses for a proof bit.
    pub(in crate::player) fn proof_bit(&self, bit: BitId) -> bool {
        self.manner == InformedProverBehaviour::Obfuscator
            || self.informed.true_proof_bit(bit) == self.is_truthful()
    }
}

impl<N: Number> MarkovProver<N> for InformedProver<'_> {
    #[inline]
    fn claims(&self, root: ClaimId) -> bool {
        self.answer(root)
    }

    #[inline]
    fn bets_nothing(&self, answer: bool, root_p: &N, epsilon: &N) -> bool {
        let error = || N::indicator(answer) - root_p.clone();
        self.manner == InformedProverBehaviour::Honest
            && Bet::beyond(&error(), epsilon) == Bet::AboutRight
    }

    #[inline]
    fn bet_on(&self, answer: bool, claim: ClaimId, p: &N, epsilon: &N) -> Bet {
        // Equation (13) of PE: bets only if the estimate is off by more than ε.
        let equation_13 = || Bet::beyond(&error(self.informed, claim, p), epsilon);
        match self.manner {
            InformedProverBehaviour::Honest | InformedProverBehaviour::HonestMarkov => {
                equation_13()
            }
            InformedProverBehaviour::Contrarian => equation_13().opposite_bet(),
            InformedProverBehaviour::Liar if !answer => Bet::TooHigh,
            InformedProverBehaviour::Liar | InformedProverBehaviour::Obfuscator => Bet::TooLow,
            InformedProverBehaviour::Lazy => Bet::AboutRight,
        }
    }

    #[inline]
    fn support_index(&self, offered: &[Support]) -> usize {
        self.place(offered)
    }

    #[inline]
    fn selection(&self) -> SubclaimSelectionRule {
        match self.manner {
            InformedProverBehaviour::Honest
            | InformedProverBehaviour::HonestMarkov
            | InformedProverBehaviour::Contrarian => SubclaimSelectionRule::Greatest,
            InformedProverBehaviour::Liar | InformedProverBehaviour::Obfuscator => {
                SubclaimSelectionRule::Uniform
            }
            InformedProverBehaviour::Lazy => SubclaimSelectionRule::First,
        }
    }

    #[inline]
    fn score(&self, claim: ClaimId, p: &N) -> N {
        let error = error(self.informed, claim, p).abs();
        if self.manner == InformedProverBehaviour::Contrarian {
            -error
        } else {
            error
        }
    }

    fn bit(&self, bit: BitId) -> bool {
        self.proof_bit(bit)
    }
}

/// A prover with two fixed bets on the claim's estimate: one if the estimate is below ½, the other if not. On the last
/// claim, which no gate decides, it bets only that an estimate below ½ is too low. Answers the root falsely, uses no
/// other truth, and continues with any subclaim.
#[derive(Clone, Copy, Debug)]
pub struct BetBySideOfHalfProver<'a> {
    informed: InformedReader<'a>,
    /// The bet on an estimate below one half.
    below_half: Bet,
    /// The bet on an estimate of one half or more.
    from_half: Bet,
}

impl<'a> BetBySideOfHalfProver<'a> {
    /// Builds the prover from the signs of its two bets.
    ///
    /// # Errors
    /// Returns an error if the scenario gives the prover's seat less knowledge than the instance.
    pub(in crate::player) fn of(
        order: &StrategyBuildInputs<'a, '_>,
    ) -> Result<Self, StrategyBuildError> {
        let informed = order.truth_reader_for_seat()?;
        let bet = |index: usize| match order.arguments.get(index) {
            Some(sign) if sign == "-" => Bet::TooHigh,
            _ => Bet::TooLow,
        };
        Ok(Self {
            informed,
            below_half: bet(0),
            from_half: bet(1),
        })
    }
}

impl<N: Number> MarkovProver<N> for BetBySideOfHalfProver<'_> {
    fn claims(&self, root: ClaimId) -> bool {
        self.informed.truth(root) != Some(true)
    }

    #[inline]
    fn bet_on(&self, _: bool, claim: ClaimId, p: &N, _: &N) -> Bet {
        let is_below_half = N::ratio(1, 2).exceeds(p);
        match (is_below_half, self.informed.is_leaf(claim)) {
            (true, true) => Bet::TooLow,
            (false, true) => Bet::AboutRight,
            (true, false) => self.below_half,
            (false, false) => self.from_half,
        }
    }

    fn support_index(&self, _offered: &[Support]) -> usize {
        0
    }

    fn selection(&self) -> SubclaimSelectionRule {
        SubclaimSelectionRule::Uniform
    }

    fn bit(&self, _bit: BitId) -> bool {
        true
    }
}

/// A prover that knows no truths. It gives the less likely answer to the root, and bets at the root towards the value
/// that independent marginals imply. It continues with the subclaim whose estimate is furthest from the subclaim's
/// marginal probability, and bets towards this marginal. The attack on carried conditionals (Errata 1 of the guide).
#[derive(Clone, Debug)]
pub struct CarriedConditionalsExploitingProver<'a>(pub BlindReader<'a>);

impl<N: Number> MarkovProver<N> for CarriedConditionalsExploitingProver<'_> {
    fn claims(&self, root: ClaimId) -> bool {
        let probability: N = self.0.marginal(root);
        probability <= N::ratio(1, 2)
    }

    fn bet_on(&self, _: bool, claim: ClaimId, p: &N, _: &N) -> Bet {
        let own: N = if claim == self.0.root() {
            self.0.probability_from_subclaims(claim)
        } else {
            self.0.marginal(claim)
        };
        Bet::beyond(&(own - p.clone()), &N::zero())
    }

    fn support_index(&self, _offered: &[Support]) -> usize {
        0
    }

    /// Returns the distance of a probability from the claim's marginal probability.
    fn score(&self, claim: ClaimId, p: &N) -> N {
        (p.clone() - self.0.marginal::<N>(claim)).abs()
    }

    fn bit(&self, _bit: BitId) -> bool {
        true
    }
}

/// A prover that gives a random legal reply, each equally likely.
#[derive(Clone, Copy, Debug)]
pub struct RandomProver;

impl<'a, N: Number> Policy<N, ProverEstimatorDebate<'a, N>> for RandomProver {
    fn ignores_round_coins(&self) -> bool {
        true
    }

    fn as_constant(&self, request: &Request<N>) -> Option<ReplyDistribution<N>> {
        match request {
            Request::Answer { .. } => Some(ReplyDistribution::uniform_yes_no_answer()),
            Request::Direction { .. } => Some(ReplyDistribution::uniform_over_numbered_replies(
                3,
                |index| Reply::Direction(Bet::ALL[index as usize % 3]),
            )),
            _ => None,
        }
    }

    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        match request {
            Request::Support { .. } => Some(ReplyDistribution::uniform_over_numbered_replies(
                view.available_supports().len(),
                Reply::Support,
            )),
            Request::Select { .. } => Some(uniform_subclaim(view)),
            Request::Bits {
                ask: BitsMeaning::Proof(_),
                ..
            } => Some(ReplyDistribution::uniform_bit_reply_distribution()),
            _ => self.as_constant(request),
        }
    }
}
