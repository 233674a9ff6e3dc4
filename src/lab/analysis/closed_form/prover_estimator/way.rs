//! What the best estimator needs to know of a prover: the same pure functions that it plays by.

use debate_core::number::Number;
use debate_core::player::Spec;
use debate_core::player::prover_estimator::provers::{
    Exploiter, Obfuscator, bet_beyond, error, sound_place,
};
use debate_core::protocol::Bet;
use debate_core::scenario::{BitId, Blind, ClaimId, Informed, Instance, Support};

/// How a prover plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// By equation (13); `markov`: whatever was said of the root.
    Honest { markov: bool },
    /// Against it.
    Contrarian,
    /// The way of a false answer, going on anywhere.
    Liar,
    /// Up, going on anywhere.
    Obfuscator,
    /// By marginals alone.
    Exploiter,
    /// Not at all.
    Lazy,
}

/// A prover whose bets hang on the claim and its probability alone, and who goes on by what was
/// said of each subclaim.
#[derive(Clone, Debug)]
pub(super) struct Way<'a> {
    habit: Habit,
    instance: &'a Instance,
    informed: Informed<'a>,
    exploiter: Exploiter<'a>,
}

/// Where a prover goes on.
#[derive(Clone, Debug)]
pub(super) enum Going<N> {
    /// With the first word of the greatest score, each having one.
    Greatest(Vec<N>),
    /// With each subclaim so often, whatever was said.
    Shares(Vec<N>),
}

impl<'a> Way<'a> {
    /// That of a prover by name; `None` where it has none.
    pub(super) fn of(prover: &Spec, instance: &'a Instance) -> Option<Self> {
        let arguments: Vec<&str> = prover.arguments.iter().map(String::as_str).collect();
        let habit = match (prover.name.as_str(), arguments.as_slice()) {
            ("honest", []) => Habit::Honest { markov: false },
            ("honest", ["markov"]) => Habit::Honest { markov: true },
            ("contrarian", []) => Habit::Contrarian,
            ("liar", []) => Habit::Liar,
            ("obfuscator", []) => Habit::Obfuscator,
            ("exploiter", []) => Habit::Exploiter,
            ("lazy", []) => Habit::Lazy,
            _ => return None,
        };
        Some(Self {
            habit,
            instance,
            informed: Informed::new(instance),
            exploiter: Exploiter(Blind::new(instance)),
        })
    }

    /// Its answer to the root claim.
    pub(super) fn answer<N: Number>(&self) -> bool {
        let root = self.instance.root();
        let truth = self.informed.truth(root).unwrap_or(false);
        match self.habit {
            Habit::Honest { .. } | Habit::Lazy => truth,
            Habit::Contrarian | Habit::Liar | Habit::Obfuscator => !truth,
            Habit::Exploiter => self.exploiter.claims::<N>(root),
        }
    }

    /// Whether it bets nothing at all where the root was estimated well enough.
    pub(super) fn may_stop(&self) -> bool {
        self.habit == Habit::Honest { markov: false }
    }

    /// Its bet on a claim, `answer` being its own to the root.
    pub(super) fn bet<N: Number>(&self, answer: bool, claim: ClaimId, p: &N, epsilon: &N) -> Bet {
        let equation_13 = || bet_beyond(self.informed, claim, p, epsilon);
        match self.habit {
            Habit::Honest { .. } => equation_13(),
            Habit::Contrarian => equation_13().against(),
            Habit::Liar if !answer => Bet::TooHigh,
            Habit::Liar | Habit::Obfuscator => Bet::TooLow,
            Habit::Exploiter => self.exploiter.bets(claim, self.instance.supports(claim), p),
            Habit::Lazy => Bet::AboutRight,
        }
    }

    /// Which of the supports that are offered it takes.
    pub(super) fn support(&self, offered: &[Support]) -> usize {
        match self.habit {
            Habit::Obfuscator => Obfuscator(self.informed).hiding_place(offered),
            Habit::Exploiter => 0,
            _ => sound_place(self.informed, offered),
        }
    }

    /// Where it goes on among subclaims, a word being a subclaim's place with one of the `grid`.
    pub(super) fn going<N: Number>(&self, on: &[ClaimId], grid: &[N]) -> Going<N> {
        let scores = |score: &dyn Fn(ClaimId, &N) -> N| {
            let of = |claim: &ClaimId| grid.iter().map(|p| score(*claim, p)).collect::<Vec<N>>();
            Going::Greatest(on.iter().flat_map(of).collect())
        };
        let wrong = |claim, p: &N| error(self.informed, claim, p).abs();
        let shares = |of: &dyn Fn(usize) -> N| Going::Shares((0..on.len()).map(of).collect());
        let count = i64::try_from(on.len()).unwrap_or(i64::MAX);
        match self.habit {
            Habit::Honest { .. } => scores(&wrong),
            Habit::Contrarian => scores(&|claim, p| -wrong(claim, p)),
            Habit::Exploiter => scores(&|claim, p| self.exploiter.gap(claim, p)),
            Habit::Liar | Habit::Obfuscator => shares(&|_| N::ratio(1, count)),
            Habit::Lazy => shares(&|place| N::indicator(place == 0)),
        }
    }

    /// Whether where it goes on hangs on what was said.
    pub(super) fn follows_words(&self) -> bool {
        matches!(
            self.habit,
            Habit::Honest { .. } | Habit::Contrarian | Habit::Exploiter
        )
    }

    /// What it gives as a bit of its proof.
    pub(super) fn proof_bit(&self, bit: BitId) -> bool {
        match self.habit {
            Habit::Honest { .. } | Habit::Lazy => self.informed.bit(bit),
            Habit::Contrarian | Habit::Liar => !self.informed.bit(bit),
            Habit::Obfuscator | Habit::Exploiter => true,
        }
    }
}
