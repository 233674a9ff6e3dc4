//! What each seat may see: views of a debate's state, for strategies, and readers of its log, for people and programs.

use super::{ComputationTranscript, Rules, Seat, State};
use crate::number::Number;
use crate::scenario::JudgeSees;

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
        self.seat != Some(Seat::Judge) || self.judge_sees == JudgeSees::Transcript
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
        self.rules.proof()
    }

    /// The computation that is written down or examined, and what was written of it: every seat
    /// sees it.
    pub fn transcript<N: Number>(&self) -> Option<ComputationTranscript>
    where
        R: Rules<N>,
    {
        self.rules.transcript()
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
