//! Built-in provers (PE Lemma A.5's honest one, and several that are not).

use super::{PeView, Prover};
use crate::number::Number;
use crate::player::Choice;
use crate::protocol::{Bet, Bits, Reply};
use crate::scenario::{BitId, Blind, ClaimId, Informed, Support};

#[inline]
fn bit<N>(value: bool) -> Choice<N> {
    Choice::Sure(Reply::Bits(Bits::from(vec![value])))
}

#[inline]
fn nth<N>(place: usize) -> Reply<N> {
    Reply::Support(u32::try_from(place).unwrap_or(u32::MAX))
}

#[inline]
fn select<N>(place: usize) -> Choice<N> {
    Choice::Sure(Reply::Select(u32::try_from(place).unwrap_or(u32::MAX)))
}

fn any_subclaim<N: Number>(view: PeView<'_, '_, N>) -> Choice<N> {
    let count = u32::try_from(view.support().on.len()).unwrap_or(u32::MAX);
    Choice::Even {
        count,
        nth: Reply::Select,
    }
}

/// The place of the first sound support; the first of all where none is.
#[inline]
#[must_use]
pub fn sound_place(informed: Informed<'_>, offered: &[Support]) -> usize {
    let mut each = offered.iter();
    each.position(|support| informed.is_sound(support))
        .unwrap_or(0)
}

#[inline]
fn sound<N: Number>(informed: Informed<'_>, offered: &[Support]) -> Choice<N> {
    Choice::Sure(nth(sound_place(informed, offered)))
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

/// How far a probability is from the truth; nothing where the truth cannot be decided.
#[inline]
pub fn error<N: Number>(informed: Informed<'_>, claim: ClaimId, p: &N) -> N {
    informed
        .truth(claim)
        .map_or_else(N::zero, |truth| N::indicator(truth) - p.clone())
}

/// Equation (13) of PE: a bet only where the estimate is off by more than ε.
#[inline]
pub fn bet_beyond<N: Number>(informed: Informed<'_>, claim: ClaimId, p: &N, epsilon: &N) -> Bet {
    Bet::beyond(&error(informed, claim, p), epsilon)
}

#[inline]
fn equation_13<N: Number>(informed: Informed<'_>, view: PeView<'_, '_, N>) -> Bet {
    bet_beyond(informed, view.claim(), view.p(), view.epsilon())
}

/// The honest prover of PE Lemma A.5: claims the truth; where |p_d − L(x)| ≤ ε bets nothing at
/// all, else bets by equation (13); goes on where the estimate is furthest from the truth.
///
/// A claim that it cannot decide it treats as estimated right.
#[derive(Clone, Copy, Debug)]
pub struct Honest<'a> {
    informed: Informed<'a>,
    /// Whether it follows equation (13) in every round, without the rule about p_d.
    markov: bool,
}

impl<'a> Honest<'a> {
    /// The prover of the proof.
    #[must_use]
    pub fn new(informed: Informed<'a>) -> Self {
        Self {
            informed,
            markov: false,
        }
    }

    /// The one that looks at the current round alone.
    #[must_use]
    pub fn markov(informed: Informed<'a>) -> Self {
        Self {
            informed,
            markov: true,
        }
    }

    #[inline]
    fn truth(&self, claim: ClaimId) -> bool {
        self.informed.truth(claim).unwrap_or(false)
    }
}

impl<N: Number> Prover<N> for Honest<'_> {
    #[inline]
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Answer(self.truth(view.claim())))
    }

    #[inline]
    fn bet(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let root_error = N::indicator(view.answer().unwrap_or(false)) - view.root_p().clone();
        if !self.markov && Bet::beyond(&root_error, view.epsilon()) == Bet::AboutRight {
            return Choice::Sure(Reply::Direction(Bet::AboutRight));
        }
        Choice::Sure(Reply::Direction(equation_13(self.informed, view)))
    }

    #[inline]
    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        sound(self.informed, view.offered())
    }

    #[inline]
    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let errors = view.support().on.iter().zip(view.carried());
        select(first_greatest(
            errors.map(|(claim, p)| error(self.informed, *claim, p).abs()),
        ))
    }

    fn proof_bit(&self, index: BitId) -> Choice<N> {
        bit(self.informed.bit(index))
    }
}

/// The honest prover's opposite: claims 1 − L(x), negates equation (13), goes on with the subclaim
/// whose estimate is least wrong.
#[derive(Clone, Copy, Debug)]
pub struct Contrarian<'a>(pub Informed<'a>);

impl<N: Number> Prover<N> for Contrarian<'_> {
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Answer(!self.0.truth(view.claim()).unwrap_or(false)))
    }

    fn bet(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Direction(equation_13(self.0, view).against()))
    }

    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        sound(self.0, view.offered())
    }

    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let errors = view.support().on.iter().zip(view.carried());
        select(first_greatest(
            errors.map(|(claim, p)| -error(self.0, *claim, p).abs()),
        ))
    }

    fn proof_bit(&self, index: BitId) -> Choice<N> {
        bit(!self.0.bit(index))
    }
}

/// Answers the root falsely and bets every time the way of that answer; goes on anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Liar<'a>(pub Informed<'a>);

impl<N: Number> Prover<N> for Liar<'_> {
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Answer(!self.0.truth(view.claim()).unwrap_or(false)))
    }

    fn bet(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let claimed = view.answer().unwrap_or(false);
        Choice::Sure(Reply::Direction(if claimed {
            Bet::TooLow
        } else {
            Bet::TooHigh
        }))
    }

    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        sound(self.0, view.offered())
    }

    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        any_subclaim(view)
    }

    fn proof_bit(&self, index: BitId) -> Choice<N> {
        bit(!self.0.bit(index))
    }
}

/// The obfuscated argument: answers the root falsely, takes the support with the fewest false
/// subclaims but at least one (the widest of these), so that one flaw hides among many; bets +1
/// every time; goes on anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Obfuscator<'a>(pub Informed<'a>);

impl Obfuscator<'_> {
    /// Where the fewest subclaims are false, but at least one; ties to the widest, then the first.
    #[must_use]
    pub fn hiding_place(self, offered: &[Support]) -> usize {
        let key = |support: &Support| {
            let wrong = support
                .on
                .iter()
                .filter(|claim| self.0.truth(**claim) == Some(false))
                .count();
            (wrong == 0, wrong, usize::MAX - support.on.len())
        };
        (0..offered.len())
            .min_by_key(|place| key(&offered[*place]))
            .unwrap_or(0)
    }
}

impl<N: Number> Prover<N> for Obfuscator<'_> {
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Answer(!self.0.truth(view.claim()).unwrap_or(false)))
    }

    fn bet(&self, _view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Direction(Bet::TooLow))
    }

    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(nth(self.hiding_place(view.offered())))
    }

    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        any_subclaim(view)
    }

    fn proof_bit(&self, _index: BitId) -> Choice<N> {
        bit(true)
    }
}

/// Never looks at a truth: claims the root against the odds; bets at the root towards what
/// independent marginals imply; goes on where the probability given is furthest from the
/// subclaim's own marginal, and bets on the marginal. The attack on carried conditionals
/// (PROTOCOLS, Errata 1).
#[derive(Clone, Debug)]
pub struct Exploiter<'a>(pub Blind<'a>);

impl Exploiter<'_> {
    /// What it says of the root.
    #[must_use]
    pub fn claims<N: Number>(&self, root: ClaimId) -> bool {
        let odds: N = self.0.marginal(root);
        odds <= N::ratio(1, 2)
    }

    /// Its bet on a claim with these supports.
    pub fn bets<N: Number>(&self, claim: ClaimId, offered: &[Support], p: &N) -> Bet {
        let own: N = match offered.first() {
            Some(support) if claim == self.0.root() => {
                let each: Vec<N> = support.on.iter().map(|y| self.0.marginal(*y)).collect();
                support.gate.probability(&each)
            }
            _ => self.0.marginal(claim),
        };
        Bet::beyond(&(own - p.clone()), &N::zero())
    }

    /// How far a probability is from the claim's own marginal.
    pub fn gap<N: Number>(&self, claim: ClaimId, p: &N) -> N {
        (p.clone() - self.0.marginal::<N>(claim)).abs()
    }
}

impl<N: Number> Prover<N> for Exploiter<'_> {
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Answer(self.claims::<N>(view.claim())))
    }

    fn bet(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let bet = self.bets(view.claim(), view.offered(), view.p());
        Choice::Sure(Reply::Direction(bet))
    }

    fn support(&self, _view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Support(0))
    }

    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let gaps = view.support().on.iter().zip(view.carried());
        select(first_greatest(gaps.map(|(y, p)| self.gap(*y, p))))
    }

    fn proof_bit(&self, _index: BitId) -> Choice<N> {
        bit(true)
    }
}

/// Answers truly and bets nothing, ever.
#[derive(Clone, Copy, Debug)]
pub struct Lazy<'a>(pub Informed<'a>);

impl<N: Number> Prover<N> for Lazy<'_> {
    fn answer(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Answer(self.0.truth(view.claim()).unwrap_or(false)))
    }

    fn bet(&self, _view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Direction(Bet::AboutRight))
    }

    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        sound(self.0, view.offered())
    }

    fn select(&self, _view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Sure(Reply::Select(0))
    }

    fn proof_bit(&self, index: BitId) -> Choice<N> {
        bit(self.0.bit(index))
    }
}

/// Any legal reply, each as likely.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl<N: Number> Prover<N> for Random {
    fn answer(&self, _view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Even {
            count: 2,
            nth: |place| Reply::Answer(place == 1),
        }
    }

    fn bet(&self, _view: PeView<'_, '_, N>) -> Choice<N> {
        Choice::Even {
            count: 3,
            nth: |place| Reply::Direction(Bet::ALL[place as usize % 3]),
        }
    }

    fn support(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        let count = u32::try_from(view.offered().len()).unwrap_or(u32::MAX);
        Choice::Even {
            count,
            nth: Reply::Support,
        }
    }

    fn select(&self, view: PeView<'_, '_, N>) -> Choice<N> {
        any_subclaim(view)
    }

    fn proof_bit(&self, _index: BitId) -> Choice<N> {
        Choice::Even {
            count: 2,
            nth: |place| Reply::Bits(Bits::from(vec![place == 1])),
        }
    }
}
