//! Provers as functions of the claim under discussion and its probability alone: how they play, and
//! what the best reply to them is found from.

use super::{PeView, ProverPolicy};
use crate::number::Number;
use crate::player::Choice;
use crate::protocol::{Bet, Bits, Reply};
use crate::scenario::{BitId, ClaimId, Support};

/// With which subclaim a prover goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The first whose [score](MarkovProver::score) is the greatest.
    Greatest,
    /// Any, each as likely.
    Uniform,
    /// The first.
    First,
}

/// A prover whose replies hang on the round's claim and what was said of it and of its subclaims,
/// not on the coins. It plays as a [`Markovian`].
pub trait MarkovProver<N: Number>: Send + Sync {
    /// Its answer to the root claim.
    fn claims(&self, root: ClaimId) -> bool;
    /// True if it bets nothing in any round, having answered so and this being said of the root.
    fn abstains(&self, _answer: bool, _root_p: &N, _epsilon: &N) -> bool {
        false
    }
    /// Its bet on a claim with these supports, `answer` being its own to the root.
    fn bet_on(&self, answer: bool, claim: ClaimId, offered: &[Support], p: &N, epsilon: &N) -> Bet;
    /// The place of the support that it takes.
    fn support_place(&self, offered: &[Support]) -> usize;
    /// The rule by which it chooses where to go on.
    #[inline]
    fn selection(&self) -> Selection {
        Selection::Greatest
    }
    /// The preference for going on with a subclaim of which `p` was said, under
    /// [`Selection::Greatest`].
    fn score(&self, _claim: ClaimId, _p: &N) -> N {
        N::zero()
    }
    /// A bit of its proof.
    fn bit(&self, bit: BitId) -> bool;
}

/// A [`MarkovProver`] as a prover, request by request.
#[derive(Clone, Copy, Debug)]
pub struct Markovian<P>(pub P);

impl<N: Number, P: MarkovProver<N>> ProverPolicy<N> for Markovian<P> {
    #[inline]
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Answer(self.0.claims(view.claim())))
    }

    #[inline]
    fn bet(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let answer = view.answer().unwrap_or(false);
        let epsilon = view.epsilon();
        // At the root an estimate near enough needs no bet; a disputed step is bet on by itself.
        let abstains = self.0.abstains(answer, view.root_p(), epsilon);
        let bet = if abstains && !view.is_disputed() {
            Bet::AboutRight
        } else {
            self.0
                .bet_on(answer, view.claim(), view.offered(), view.p(), epsilon)
        };
        Choice::Sure(Reply::Direction(bet))
    }

    #[inline]
    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let place = self.0.support_place(view.offered());
        Choice::Sure(Reply::Support(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    #[inline]
    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let on = &view.support().on;
        let place = match self.0.selection() {
            Selection::Uniform => return any_subclaim(view),
            Selection::First => 0,
            Selection::Greatest => {
                let words = on.iter().zip(view.carried());
                first_greatest(words.map(|(claim, p)| self.0.score(*claim, p)))
            }
        };
        Choice::Sure(Reply::Select(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    fn proof_bit(&self, index: BitId) -> Choice<N> {
        Choice::Sure(Reply::Bits(Bits::from(vec![self.0.bit(index)])))
    }

    fn ignores_round_coins(&self) -> bool {
        true
    }

    fn as_markov(&self) -> Option<&dyn MarkovProver<N>> {
        Some(&self.0)
    }
}

/// Any of the subclaims, each as likely.
pub(super) fn any_subclaim<N: Number>(view: PeView<'_, '_, N>) -> Choice<N> {
    Choice::even(view.support().on.len(), Reply::Select)
}

/// The first place where `score` is greatest.
#[inline]
fn first_greatest<N: Number>(scores: impl Iterator<Item = N>) -> usize {
    let mut best: Option<(usize, N)> = None;
    for (place, score) in scores.enumerate() {
        if best
            .as_ref()
            .is_none_or(|(_, greatest)| score.exceeds(greatest))
        {
            best = Some((place, score));
        }
    }
    best.map_or(0, |(place, _)| place)
}
