//! The seats: what each spends, and what each may see. Views of a debate's state are for strategies, readers of its
//! log for people and programs.

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::{ComputationTranscript, ProofSource, Rules, State};
use crate::number::Number;
use crate::scenario::JudgeSees;

/// A place at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Seat {
    /// Alice: answers, decomposes, defends.
    Prover,
    /// Bob: the estimator of prover-estimator debate, the challenger elsewhere.
    Opponent,
    /// Answers oracle queries.
    Judge,
    /// The trusted randomness.
    Chance,
}

impl Seat {
    /// The seats that a player can take.
    pub const PLAYERS: [Self; 3] = [Self::Prover, Self::Opponent, Self::Judge];

    /// The seat's index: Prover 0, Opponent 1, Judge 2, Chance 3.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The seat in lower case, as command-line flags and JSON name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Opponent => "opponent",
            Self::Judge => "judge",
            Self::Chance => "chance",
        }
    }

    /// The name of the person in this seat in sentences.
    pub fn person(self) -> &'static str {
        match self {
            Self::Prover => "Alice",
            Self::Opponent => "Bob",
            Self::Judge => "Judge",
            Self::Chance => "Coin",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The spending of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename = "spent")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spent {
    /// Questions put to the oracle.
    pub oracle_queries: u64,
    /// Bits read of proofs, transcripts, inputs and pointers.
    pub bits_read: u64,
    /// Configurations of a machine read.
    pub configurations_read: u64,
    /// Samples drawn to estimate a probability.
    pub samples: u64,
    /// Replies given.
    pub calls: u64,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        self.oracle_queries += more.oracle_queries;
        self.bits_read += more.bits_read;
        self.configurations_read += more.configurations_read;
        self.samples += more.samples;
        self.calls += more.calls;
    }
}

/// The spending of every seat. What the verifier spends stands at the judge's seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger([Spent; 4]);

impl Ledger {
    pub fn of(&self, seat: Seat) -> &Spent {
        &self.0[seat.index()]
    }

    #[inline]
    pub fn of_mut(&mut self, seat: Seat) -> &mut Spent {
        &mut self.0[seat.index()]
    }

    /// The sum over all seats.
    pub fn total(&self) -> Spent {
        let mut total = Spent::default();
        for spent in self.0 {
            total += spent;
        }
        total
    }
}

/// A reader of a debate's log. What a reader may not see is on no screen, in no line and in no file
/// that is made for them ([`Log::seen_by`](super::Log::seen_by)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    seat: Option<Seat>,
    judge_sees: JudgeSees,
    /// True for somebody who judges a finished debate anew.
    judges_anew: bool,
}

impl Reader {
    /// Somebody who plays no part, or reads when the debate is over: they see everything.
    pub const ALL: Self = Self {
        seat: None,
        judge_sees: JudgeSees::Transcript,
        judges_anew: false,
    };

    /// Somebody who judges a finished debate anew: they see what was open to its judge, without what
    /// that judge held and decided, what was paid and how it came out. What that judge said to the
    /// debaters is shown: they answer it.
    pub const JUDGING_ANEW: Self = Self {
        seat: Some(Seat::Judge),
        judges_anew: true,
        ..Self::ALL
    };

    /// The same reader, shown estimates and coins as well: for those who are told them in words.
    #[must_use]
    pub fn with_figures(self) -> Self {
        Self {
            judge_sees: JudgeSees::Figures,
            ..self
        }
    }

    /// Somebody in a seat; `judge_sees` is what the scenario shows its judge. Whoever sits in the
    /// seat of chance sees what is open to all.
    pub fn new(seat: Seat, judge_sees: JudgeSees) -> Self {
        Self {
            seat: Some(seat),
            judge_sees,
            judges_anew: false,
        }
    }

    /// The reader of a debate under way that these people play: the one person, or else somebody who
    /// sees what is open to all of them. Where nobody plays, everything is open.
    pub fn for_people(people: impl IntoIterator<Item = Seat>, judge_sees: JudgeSees) -> Self {
        let mut seats = people.into_iter();
        match (seats.next(), seats.next()) {
            (None, _) => Self::ALL,
            (Some(seat), None) => Self::new(seat, judge_sees),
            (Some(_), Some(_)) => Self::new(Seat::Chance, judge_sees),
        }
    }

    /// True for somebody who judges a finished debate anew.
    pub(crate) fn judges_anew(self) -> bool {
        self.judges_anew
    }

    /// The seat that the reader sits in; `None` for somebody who plays no part.
    pub fn seat(self) -> Option<Seat> {
        self.seat
    }

    /// True if the reader follows the debate: a judge who is shown less than the transcript sees
    /// nothing of it but the question.
    pub fn follows(self) -> bool {
        self.seat != Some(Seat::Judge)
            || matches!(self.judge_sees, JudgeSees::Transcript | JudgeSees::Figures)
    }

    /// True if the reader is shown estimates, coins, bets and rewards: a judge is not, unless the
    /// scenario opens them, because they tell how the debaters judge the claim.
    pub fn sees_figures(self) -> bool {
        self.seat != Some(Seat::Judge) || self.judge_sees == JudgeSees::Figures
    }

    /// True if a judge who does not follow the debate is shown the claims that led to the question.
    pub fn sees_path(self) -> bool {
        self.judge_sees == JudgeSees::Path
    }
}

impl From<Option<Seat>> for Reader {
    /// A seat that sees all that is open to both debaters; `None` sees everything.
    fn from(seat: Option<Seat>) -> Self {
        Self { seat, ..Self::ALL }
    }
}

/// A debate as a strategy in a seat sees it. A judge of any protocol is given no more than the
/// question and the proof bits of its leaf; what a person in the judge's seat sees says
/// [`Reader`]. Each protocol says in its own file what its views show; what a
/// view does not show, no built-in strategy can use.
#[derive(Debug)]
pub struct View<'v, R> {
    pub(super) rules: &'v R,
    pub(super) seat: Seat,
}

impl<'v, R> View<'v, R> {
    /// The view of a seat.
    #[inline]
    pub fn new(rules: &'v R, seat: Seat) -> Self {
        Self { rules, seat }
    }

    /// The proof bits given for the leaf under discussion, in the order of its check: every seat
    /// sees them.
    #[inline]
    pub fn proof<N: Number>(&self) -> Vec<bool>
    where
        R: Rules<N>,
    {
        let bits = self.rules.proof_bits();
        bits.map_or_else(Vec::new, ProofSource::proof)
    }

    /// The computation that is written down or examined, and what was written of it: every seat
    /// sees it.
    pub fn transcript<N: Number>(&self) -> Option<ComputationTranscript>
    where
        R: Rules<N>,
    {
        self.rules.computed()?.transcript()
    }

    /// The same view of the rules `S`, where these are played.
    pub fn under<S>(self) -> Option<View<'v, S>>
    where
        &'v S: TryFrom<&'v R>,
    {
        let rules = self.rules.try_into().ok()?;
        Some(View::new(rules, self.seat))
    }

    /// The seat whose view it is.
    pub fn seat(&self) -> Seat {
        self.seat
    }
}

/// For players that play any protocol.
impl<'v, 'a, N> View<'v, State<'a, N>> {
    /// The whole debate, sealed replies included.
    pub fn state(&self) -> &'v State<'a, N> {
        self.rules
    }
}

impl<R> Clone for View<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for View<'_, R> {}
