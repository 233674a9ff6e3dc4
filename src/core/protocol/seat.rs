//! Seats: their costs, and their views of the debate. Built-in strategies see the debate's state through a [`View`].
//! Users and other programs see its log through a [`LogViewerRole`].

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::{ComputationAndTranscript, ProofBitSource, Rules, State};
use crate::number::Number;
use crate::scenario::JudgeSees;

/// A seat at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Seat {
    /// Alice: answers, decomposes, defends.
    Prover,
    /// Bob: the estimator of prover-estimator debate, the second debater in speeches, the challenger elsewhere.
    Opponent,
    /// Answers oracle queries. In speeches, states how likely the first answer is.
    Judge,
    /// The trusted randomness.
    Chance,
}

impl Seat {
    /// The seats that a player can take.
    pub const PLAYERS: [Self; 3] = [Self::Prover, Self::Opponent, Self::Judge];

    /// Returns the index of the seat: prover 0, opponent 1, judge 2, chance 3.
    #[inline]
    pub fn seat_index(self) -> usize {
        self as usize
    }

    /// Returns the name of the seat in lower case, as in command-line flags and JSON.
    pub fn name_in_flags_and_json(self) -> &'static str {
        match self {
            Self::Prover => "prover",
            Self::Opponent => "opponent",
            Self::Judge => "judge",
            Self::Chance => "chance",
        }
    }

    /// Returns the name of the seat's player in sentences, such as Alice.
    pub fn player_name_of_seat(self) -> &'static str {
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
        out.write_str(self.name_in_flags_and_json())
    }
}

/// The spending of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename = "spent")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeatResourceCosts {
    /// Questions put to the oracle.
    pub oracle_queries: u64,
    /// The number of bits that the seat read from proofs, transcripts, inputs and pointers.
    pub bits_read: u64,
    /// Configurations of a machine read.
    pub configurations_read: u64,
    /// Samples drawn to estimate a probability.
    pub samples: u64,
    /// Replies given.
    pub calls: u64,
}

impl AddAssign for SeatResourceCosts {
    fn add_assign(&mut self, more: Self) {
        self.oracle_queries += more.oracle_queries;
        self.bits_read += more.bits_read;
        self.configurations_read += more.configurations_read;
        self.samples += more.samples;
        self.calls += more.calls;
    }
}

/// The costs of every seat in a debate. The verifier's costs are recorded for the judge's seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceCostsBySeat([SeatResourceCosts; 4]);

impl ResourceCostsBySeat {
    pub fn spending_of_seat(&self, seat: Seat) -> &SeatResourceCosts {
        &self.0[seat.seat_index()]
    }

    #[inline]
    pub fn spending_of_seat_mut(&mut self, seat: Seat) -> &mut SeatResourceCosts {
        &mut self.0[seat.seat_index()]
    }

    /// Returns the sum of the costs of all seats.
    pub fn spending_of_all_seats(&self) -> SeatResourceCosts {
        let mut total = SeatResourceCosts::default();
        for spent in self.0 {
            total += spent;
        }
        total
    }
}

/// A reader of a debate's log. Log entries that a reader may not see are left out of all screens, lines and files for
/// this reader ([`Log::observation_at`](super::Log::observation_at)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogViewerRole {
    seat: Option<Seat>,
    judge_sees: JudgeSees,
    /// True if the viewer of the log is a participant who judges a finished debate again.
    is_rejudging: bool,
}

impl LogViewerRole {
    /// A reader that sees the whole log: a reader without a seat, or any reader of a finished debate.
    pub const ALL: Self = Self {
        seat: None,
        judge_sees: JudgeSees::Transcript,
        is_rejudging: false,
    };

    /// A reader who judges a finished debate again. This reader sees the entries that a judge sees under
    /// [`JudgeSees::Transcript`], but not the debate's own judge's estimates and decisions, the payments or the
    /// outcome. The judge's messages to the debaters are shown, because the debaters answer them.
    pub const JUDGING_ANEW: Self = Self {
        seat: Some(Seat::Judge),
        is_rejudging: true,
        ..Self::ALL
    };

    /// Returns this reader with estimates and coins made visible, for readers to whom the screen describes them in
    /// words.
    #[must_use]
    pub fn with_estimates_visible(self) -> Self {
        Self {
            judge_sees: JudgeSees::Figures,
            ..self
        }
    }

    /// Creates the reader of a seat; `judge_sees` is the scenario's setting for its judge. A reader in the seat of
    /// chance sees everything that is hidden from no seat.
    pub fn new(seat: Seat, judge_sees: JudgeSees) -> Self {
        Self {
            seat: Some(seat),
            judge_sees,
            is_rejudging: false,
        }
    }

    /// Returns the reader for the screen of a debate in which users play these seats. A single user sees the log as its
    /// seat does. Several users see only entries that are hidden from no seat. Without users, everything is visible.
    pub fn for_user_seats(
        user_seats: impl IntoIterator<Item = Seat>,
        judge_sees: JudgeSees,
    ) -> Self {
        let mut seats = user_seats.into_iter();
        match (seats.next(), seats.next()) {
            (None, _) => Self::ALL,
            (Some(seat), None) => Self::new(seat, judge_sees),
            (Some(_), Some(_)) => Self::new(Seat::Chance, judge_sees),
        }
    }

    /// True if the reader judges a finished debate again.
    pub(crate) fn is_rejudging(self) -> bool {
        self.is_rejudging
    }

    /// Returns the reader's seat; `None` for a reader without a seat.
    pub fn viewer_seat(self) -> Option<Seat> {
        self.seat
    }

    /// True if the reader is shown the debate while it is played. False for a judge who may not see the transcript.
    pub fn is_shown_debate_during_play(self) -> bool {
        self.seat != Some(Seat::Judge)
            || matches!(self.judge_sees, JudgeSees::Transcript | JudgeSees::Figures)
    }

    /// True if the reader is shown estimates, coins, bets and rewards. A judge is not, unless the scenario allows it,
    /// because they reveal how the debaters judge the claim.
    pub fn sees_estimates(self) -> bool {
        self.seat != Some(Seat::Judge) || self.judge_sees == JudgeSees::Figures
    }

    /// True if the judge, who is not shown the debate, is shown the claims from the root to the question.
    pub fn sees_path_to_question(self) -> bool {
        self.judge_sees == JudgeSees::Path
    }
}

impl From<Option<Seat>> for LogViewerRole {
    /// Returns the reader in this seat; a judge sees the transcript without estimates and coins
    /// ([`JudgeSees::Transcript`]). For `None`, returns a reader that sees everything.
    fn from(seat: Option<Seat>) -> Self {
        Self { seat, ..Self::ALL }
    }
}

/// The state of a debate as far as a built-in strategy in a seat may see it; for users, see [`LogViewerRole`]. Each
/// protocol's file defines what its views show, and a strategy for this protocol cannot use anything else. A view of
/// [`State`], for strategies that play any protocol, shows everything ([`View::state`]). A built-in judge uses only the
/// question and the proof bits of its leaf or, in speeches, the lengths of the quotes.
#[derive(Debug)]
pub struct View<'v, R> {
    pub(super) rules: &'v R,
    pub(super) seat: Seat,
}

impl<'v, R> View<'v, R> {
    /// Returns the view of a debate from a seat.
    #[inline]
    pub fn new(rules: &'v R, seat: Seat) -> Self {
        Self { rules, seat }
    }

    /// Returns the proof bits that the prover gave for the leaf under discussion, in the order in which the leaf's
    /// check reads them. Every seat sees them.
    #[inline]
    pub fn proof<N: Number>(&self) -> Vec<bool>
    where
        R: Rules<N>,
    {
        let bits = self.rules.proof_bits();
        bits.map_or_else(Vec::new, ProofBitSource::proof)
    }

    /// Returns the computation under examination and the transcript written so far; every seat sees it.
    pub fn transcript<N: Number>(&self) -> Option<ComputationAndTranscript>
    where
        R: Rules<N>,
    {
        self.rules.computed()?.transcript()
    }

    /// Returns this view as a view of the rules `S`; `None` if the debate has other rules.
    pub fn under<S>(self) -> Option<View<'v, S>>
    where
        &'v S: TryFrom<&'v R>,
    {
        let rules = self.rules.try_into().ok()?;
        Some(View::new(rules, self.seat))
    }

    /// Returns the seat from which the debate is viewed.
    pub fn viewing_seat(&self) -> Seat {
        self.seat
    }
}

/// Access to the state of a debate, for players that can play any protocol.
impl<'v, 'a, N> View<'v, State<'a, N>> {
    /// Returns the whole state of the debate, including sealed replies.
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
