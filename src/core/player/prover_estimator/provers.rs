//! Built-in provers (PE Lemma A.5's honest one, and several that are not).

use super::any_subclaim;
use super::{MarkovProver, PeView, ProverPolicy, Selection};
use crate::number::Number;
use crate::player::Choice;
use crate::protocol::{Bet, Reply, Request};
use crate::scenario::{BitId, Blind, ClaimId, Informed, Support};

/// The place of the first sound support; the first of all where none is.
#[inline]
pub(in crate::player) fn sound_place(informed: Informed<'_>, offered: &[Support]) -> usize {
    let mut each = offered.iter();
    each.position(|support| informed.is_sound(support))
        .unwrap_or(0)
}

/// True if a claim is true; false where it cannot be decided.
#[inline]
fn truth(informed: Informed<'_>, claim: ClaimId) -> bool {
    informed.truth(claim).unwrap_or(false)
}

/// The truth less a probability; 0 where the truth cannot be decided.
#[inline]
fn error<N: Number>(informed: Informed<'_>, claim: ClaimId, p: &N) -> N {
    informed
        .truth(claim)
        .map_or_else(N::zero, |truth| N::indicator(truth) - p.clone())
}

/// Equation (13) of PE: a bet only where the estimate is off by more than ε.
#[inline]
fn equation_13<N: Number>(informed: Informed<'_>, claim: ClaimId, p: &N, epsilon: &N) -> Bet {
    Bet::beyond(&error(informed, claim, p), epsilon)
}

/// The honest prover of PE Lemma A.5: claims the truth; where |p_d − L(x)| ≤ ε bets nothing at
/// all, else bets by equation (13); goes on where the estimate is furthest from the truth.
///
/// A claim that it cannot decide it treats as estimated right.
#[derive(Clone, Copy, Debug)]
pub struct Honest<'a> {
    informed: Informed<'a>,
    /// True if it follows equation (13) in every round, without the rule about p_d.
    markov: bool,
}

impl<'a> Honest<'a> {
    /// The prover of the proof; with `markov` the one that looks at the current round alone.
    pub fn new(informed: Informed<'a>, markov: bool) -> Self {
        Self { informed, markov }
    }
}

impl<N: Number> MarkovProver<N> for Honest<'_> {
    #[inline]
    fn claims(&self, root: ClaimId) -> bool {
        truth(self.informed, root)
    }

    #[inline]
    fn abstains(&self, answer: bool, root_p: &N, epsilon: &N) -> bool {
        let error = N::indicator(answer) - root_p.clone();
        !self.markov && Bet::beyond(&error, epsilon) == Bet::AboutRight
    }

    #[inline]
    fn bet_on(&self, _: bool, claim: ClaimId, p: &N, epsilon: &N) -> Bet {
        equation_13(self.informed, claim, p, epsilon)
    }

    #[inline]
    fn support_place(&self, offered: &[Support]) -> usize {
        sound_place(self.informed, offered)
    }

    #[inline]
    fn score(&self, claim: ClaimId, p: &N) -> N {
        error(self.informed, claim, p).abs()
    }

    fn bit(&self, bit: BitId) -> bool {
        self.informed.bit(bit)
    }
}

/// The honest prover's opposite: claims 1 − L(x), negates equation (13), goes on with the subclaim
/// whose estimate is least wrong.
#[derive(Clone, Copy, Debug)]
pub struct Contrarian<'a>(pub Informed<'a>);

impl<N: Number> MarkovProver<N> for Contrarian<'_> {
    fn claims(&self, root: ClaimId) -> bool {
        !truth(self.0, root)
    }

    fn bet_on(&self, _: bool, claim: ClaimId, p: &N, epsilon: &N) -> Bet {
        equation_13(self.0, claim, p, epsilon).against()
    }

    fn support_place(&self, offered: &[Support]) -> usize {
        sound_place(self.0, offered)
    }

    fn score(&self, claim: ClaimId, p: &N) -> N {
        -error(self.0, claim, p).abs()
    }

    fn bit(&self, bit: BitId) -> bool {
        !self.0.bit(bit)
    }
}

/// Answers the root falsely and bets every time the way of that answer; goes on anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Liar<'a>(pub Informed<'a>);

impl<N: Number> MarkovProver<N> for Liar<'_> {
    fn claims(&self, root: ClaimId) -> bool {
        !truth(self.0, root)
    }

    fn bet_on(&self, answer: bool, _: ClaimId, _: &N, _: &N) -> Bet {
        if answer { Bet::TooLow } else { Bet::TooHigh }
    }

    fn support_place(&self, offered: &[Support]) -> usize {
        sound_place(self.0, offered)
    }

    fn selection(&self) -> Selection {
        Selection::Uniform
    }

    fn bit(&self, bit: BitId) -> bool {
        !self.0.bit(bit)
    }
}

/// The obfuscated argument: answers the root falsely, takes the support with the fewest false
/// subclaims but at least one (the widest of these), so that one flaw hides among many; bets +1
/// every time; goes on anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Obfuscator<'a>(pub Informed<'a>);

impl<N: Number> MarkovProver<N> for Obfuscator<'_> {
    fn claims(&self, root: ClaimId) -> bool {
        !truth(self.0, root)
    }

    fn bet_on(&self, _: bool, _: ClaimId, _: &N, _: &N) -> Bet {
        Bet::TooLow
    }

    /// Where the fewest subclaims are false, but at least one; ties to the widest, then the first.
    fn support_place(&self, offered: &[Support]) -> usize {
        let key = |support: &Support| {
            let wrong = |claim: &&ClaimId| self.0.truth(**claim) == Some(false);
            let wrong = support.on.iter().filter(wrong).count();
            (wrong == 0, wrong, usize::MAX - support.on.len())
        };
        (0..offered.len())
            .min_by_key(|place| key(&offered[*place]))
            .unwrap_or(0)
    }

    fn selection(&self) -> Selection {
        Selection::Uniform
    }

    fn bit(&self, _bit: BitId) -> bool {
        true
    }
}

/// Never looks at a truth: claims the root against the odds; bets at the root towards what
/// independent marginals imply; goes on where the probability given is furthest from the
/// subclaim's own marginal, and bets on the marginal. The attack on carried conditionals
/// (Errata 1 of the guide).
#[derive(Clone, Debug)]
pub struct Exploiter<'a>(pub Blind<'a>);

impl<N: Number> MarkovProver<N> for Exploiter<'_> {
    fn claims(&self, root: ClaimId) -> bool {
        let odds: N = self.0.marginal(root);
        odds <= N::ratio(1, 2)
    }

    fn bet_on(&self, _: bool, claim: ClaimId, p: &N, _: &N) -> Bet {
        let own: N = if claim == self.0.root() {
            self.0.by_subclaims(claim)
        } else {
            self.0.marginal(claim)
        };
        Bet::beyond(&(own - p.clone()), &N::zero())
    }

    fn support_place(&self, _offered: &[Support]) -> usize {
        0
    }

    /// The distance of a probability from the claim's own marginal.
    fn score(&self, claim: ClaimId, p: &N) -> N {
        (p.clone() - self.0.marginal::<N>(claim)).abs()
    }

    fn bit(&self, _bit: BitId) -> bool {
        true
    }
}

/// Answers truly and bets nothing, ever.
#[derive(Clone, Copy, Debug)]
pub struct Lazy<'a>(pub Informed<'a>);

impl<N: Number> MarkovProver<N> for Lazy<'_> {
    fn claims(&self, root: ClaimId) -> bool {
        truth(self.0, root)
    }

    fn bet_on(&self, _: bool, _: ClaimId, _: &N, _: &N) -> Bet {
        Bet::AboutRight
    }

    fn support_place(&self, offered: &[Support]) -> usize {
        sound_place(self.0, offered)
    }

    fn selection(&self) -> Selection {
        Selection::First
    }

    fn bit(&self, bit: BitId) -> bool {
        self.0.bit(bit)
    }
}

/// Any legal reply, each as likely.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl Random {
    fn any_bet<N: Number>() -> Choice<N> {
        Choice::even(3, |place| Reply::Direction(Bet::ALL[place as usize % 3]))
    }
}

impl<N: Number> ProverPolicy<N> for Random {
    fn answer(&self, _view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::any_answer()
    }

    fn bet(&self, _view: PeView<'_, '_, N>) -> Choice<N> {
        Self::any_bet()
    }

    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::even(view.offered().len(), Reply::Support)
    }

    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        any_subclaim(view)
    }

    fn proof_bit(&self, _index: BitId) -> Choice<N> {
        Choice::any_bit()
    }

    fn ignores_round_coins(&self) -> bool {
        true
    }

    fn as_constant(&self, request: &Request<N>) -> Option<Choice<N>> {
        match request {
            Request::Answer { .. } => Some(Choice::any_answer()),
            Request::Direction { .. } => Some(Self::any_bet()),
            _ => None,
        }
    }
}
