//! The ledger of skill and luck: what each move of a debate changed.

use super::{Hints, ReviewError, range};
use crate::analysis::expectimax::{Actor, Expectimax, Position};
use debate_core::budget::Budget;
use debate_core::number::Number;
use debate_core::player::{Built, Move};
use debate_core::protocol::{Log, Reply, Request, Round, Rules as _, Seat, State};

/// How much worse than the best a reply was, in shares of the payoff's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveFault {
    /// By 5 % or more.
    Inaccuracy,
    /// By 10 % or more.
    Mistake,
    /// By 15 % or more.
    Blunder,
}

impl MoveFault {
    /// All, with the hundredths of the range from which on they are.
    const FROM: [(Self, i64); 3] = [
        (Self::Blunder, 15),
        (Self::Mistake, 10),
        (Self::Inaccuracy, 5),
    ];
}

/// What a round can pay.
#[derive(Clone, Debug, PartialEq)]
pub struct Stake<N> {
    /// Which round.
    pub round: Round,
    /// r^k, the most.
    pub weight: N,
    /// k.
    pub exponent: u32,
}

/// A better reply than the one that was given, as far as whoever gave it could know.
#[derive(Clone, Debug, PartialEq)]
pub struct Regret<N> {
    /// The best reply.
    pub best: Reply<N>,
    /// How much less theirs was worth to them than that.
    pub short: N,
    /// Whether that is what it guaranteed, whoever the other seat's player; else it is what it was
    /// worth against the one who sat there.
    pub guaranteed: bool,
}

/// One move with what it changed.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReview<N> {
    /// Who made it.
    pub seat: Seat,
    /// What was replied.
    pub reply: Reply<N>,
    /// What was at stake in its round, where rounds differ in that.
    pub stake: Option<Stake<N>>,
    /// The number of the first event that it made.
    pub entry: usize,
    /// What the prover could expect before it, all that is sealed laid open.
    pub before: N,
    /// What the prover could expect after it.
    pub after: N,
    /// Of a person: how their reply compares with the best, where that is known.
    pub regret: Option<Regret<N>>,
}

impl<N: Number> MoveReview<N> {
    /// What the move changed for the prover.
    #[must_use]
    pub fn change(&self) -> N {
        self.after.clone() - self.before.clone()
    }

    /// Whether chance or the oracle made it: their changes are luck.
    #[must_use]
    pub fn is_luck(&self) -> bool {
        matches!(self.seat, Seat::Chance | Seat::Judge)
    }
}

/// A debate move by move, with what each was worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Review<N> {
    /// What the prover could expect before anybody had spoken.
    pub start: N,
    /// Every move.
    pub steps: Vec<MoveReview<N>>,
    /// What the prover received in the end; where the debate is not over, what can be expected.
    pub payoff: N,
    /// The most that the rules pay the prover, less the least.
    pub range: N,
}

impl<N: Number> Review<N> {
    /// What a seat's moves changed for the prover.
    #[must_use]
    pub fn skill(&self, seat: Seat) -> N {
        self.sum(|step| step.seat == seat)
    }

    /// What coins and the oracle changed for the prover.
    #[must_use]
    pub fn luck(&self) -> N {
        self.sum(MoveReview::is_luck)
    }

    fn sum(&self, counts: impl Fn(&MoveReview<N>) -> bool) -> N {
        let steps = self.steps.iter().filter(|step| counts(step));
        steps.fold(N::zero(), |sum, step| sum + step.change())
    }

    /// How bad a person's reply was; `None` where it was nearly as good as the best.
    #[must_use]
    pub fn fault(&self, step: &MoveReview<N>) -> Option<MoveFault> {
        let regret = &step.regret.as_ref()?.short;
        let hundredth = self.range.clone() / N::ratio(100, 1);
        let from = |hundredths: i64| hundredth.clone() * N::ratio(hundredths, 1);
        let found = MoveFault::FROM
            .into_iter()
            .find(|(_, hundredths)| *regret >= from(*hundredths));
        found
            .filter(|_| !self.range.is_zero())
            .map(|(fault, _)| fault)
    }
}

impl<N: Number> Stake<N> {
    /// What a round of a schedule can pay. The first one, which has no number, weighs one power of
    /// r less than all others.
    fn of(round: Round, schedule: &[(Round, N)]) -> Option<Self> {
        let (_, weight) = schedule.iter().find(|(other, _)| *other == round)?;
        let numbers = schedule.iter().map(|(round, _)| match round {
            Round::Number(k) => k + 1,
            Round::Initial => 0,
        });
        Some(Self {
            round,
            weight: weight.clone(),
            exponent: match round {
                Round::Number(k) => k,
                Round::Initial => numbers.max().unwrap_or(0),
            },
        })
    }
}

/// How the last of some moves compares with the best.
type FindRegret<'f, N> = dyn Fn(&[Move<N>]) -> Result<Option<Regret<N>>, ReviewError> + 'f;

/// Values every move of a debate between these players. `regret`: how the last of some moves
/// compares with the best, where a person made it; `bets`: whether what a round pays can be lost as
/// well.
///
/// # Errors
/// Where a value is not found.
pub(super) fn review<'a, N: Number>(
    (start, moves): (&State<'a, N>, &[Move<N>]),
    players: &[Built<'a, N>; 3],
    (regret, bets): (&FindRegret<'_, N>, bool),
    budget: Budget<'_>,
) -> Result<Review<N>, ReviewError> {
    let actors = players.each_ref().map(|player| Actor::Plays(&**player));
    let mut walk = Expectimax::new(start, actors, budget).for_value();
    let mut at = Position::new(start.clone());
    let mut log = Log::default();
    let mut value = walk.value_at(at.clone())?.value();
    let (least, most) = range(start, bets);
    let schedule = start.schedule();
    let mut found = Review {
        start: value.clone(),
        steps: Vec::with_capacity(moves.len()),
        payoff: N::zero(),
        range: most - least,
    };
    for (number, made) in moves.iter().enumerate() {
        let Some(turn) = at.state.request() else {
            break;
        };
        let seat = turn.seat;
        let stake = at.state.round().filter(|_| bets);
        let stake = stake.and_then(|round| Stake::of(round, &schedule));
        if let (false, Some(player)) = (
            matches!(turn.request, Request::Draw { .. }),
            players.get(seat.index()),
        ) {
            // It is asked so that it remembers; what it would say does not matter.
            let _ = at.asked(&turn, &**player);
        }
        let regret = regret(&moves[..=number])?;
        let entry = log.entries().len();
        let illegal = |illegal| crate::analysis::Unsolved::Illegal { seat, illegal };
        at.state
            .reply(made.reply.clone(), &mut log)
            .map_err(illegal)?;
        at = at.taken_up();
        let after = at.state.payoff() + walk.value_at(at.clone())?.value();
        let before = std::mem::replace(&mut value, after.clone());
        found.steps.push(MoveReview {
            seat,
            reply: made.reply.clone(),
            stake,
            entry,
            before,
            after,
            regret,
        });
    }
    found.payoff = value;
    Ok(found)
}

/// How a reply compares with the best of these hints. `None` where the replies are too many to
/// compare, or have no stake.
pub(super) fn regret<N: Number>(
    hints: Result<Hints<N>, ReviewError>,
    made: &Reply<N>,
) -> Result<Option<Regret<N>>, ReviewError> {
    use crate::analysis::Unsolved::{self, Countless, Endless, Exceeded};
    let hints = match hints {
        Err(ReviewError::Unsolved(Unsolved::STOPPED)) => {
            return Err(Unsolved::STOPPED.into());
        }
        Err(
            ReviewError::Unsolved(Countless(_) | Endless(_) | Exceeded(_))
            | ReviewError::Sealed
            | ReviewError::TooMuchSealed,
        ) => return Ok(None),
        hints => hints?,
    };
    let (Some(best), Some(made)) = (hints.best(), hints.of(made)) else {
        return Ok(None);
    };
    let less = |best: &N, made: &N| hints.to_asked(best.clone()) - hints.to_asked(made.clone());
    let (short, guaranteed) = match (&best.worst, &made.worst) {
        (Some(most), Some(worst)) if most != worst => (less(most, worst), true),
        _ => (less(&best.value, &made.value), false),
    };
    Ok(Some(Regret {
        best: best.reply.clone(),
        short,
        guaranteed,
    }))
}
