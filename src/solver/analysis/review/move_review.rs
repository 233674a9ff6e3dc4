//! The ledger of skill and luck: what each move of a debate changed, and what that is put down to.
//!
//! payoff = value at the start + Σ skill (people) + Σ mixing (strategies) + Σ luck (coins, oracle).
//! The values before and after each move telescope, so in exact arithmetic the sum has no rest.

use super::beliefs::SeatKnowledge;
use super::hint_search::ReplyFilter;
use super::hints::HintEffort;
use super::{Hints, ReviewError, even_grid};
use super::{MAX_REVIEW_REPLIES, ReviewContext};
use crate::expectation::Unsolved;
use crate::expectimax::Expectimax;
use crate::game::Node;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::Move;
use debate_core::protocol::{Ask, Log, Reply, Round, Rules as _, Seat, Turn};
use debate_core::scenario::ClaimId;

/// Into how many parts the grid of probabilities splits the range, for each of many replies.
const PARTS: u32 = 10;

/// The class of a reply by how much worse than the best it was, in parts of the payoff's range.
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
    const INACCURACY: i64 = 5;
    /// All, with the hundredths of the range from which on they are.
    const FROM: [(Self, i64); 3] = [
        (Self::Blunder, 15),
        (Self::Mistake, 10),
        (Self::Inaccuracy, Self::INACCURACY),
    ];
}

/// The most that a round can pay.
#[derive(Clone, Debug, PartialEq)]
pub struct Stake {
    pub round: Round,
    /// r^k, the most.
    pub weight: Exact,
    /// k.
    pub exponent: u32,
    /// The round as people count, from 1; `None` for the first estimate, before all rounds.
    pub number: Option<u32>,
}

/// A better reply than the one that was given, as far as whoever gave it could know.
#[derive(Clone, Debug, PartialEq)]
pub struct Regret {
    /// The best reply.
    pub best: Reply<Exact>,
    /// The difference in worth to whoever replied.
    pub short: Exact,
    /// True if it is the difference in what replies guarantee; else it is the difference in what they are
    /// worth against the one who sat there.
    pub guaranteed: bool,
}

/// What a change of the prover's expectation is put down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A person chose. The change is measured against the reference player of the seat, who plays
    /// in the person's place from their next reply on.
    Skill,
    /// A strategy drew among its own replies: its dice, not its skill. The strategy is its own
    /// reference player, so over its draws the change has mean 0.
    Mixing,
    /// A coin fell, or the oracle answered.
    Luck,
}

/// One move with what it changed.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReview {
    pub seat: Seat,
    pub cause: Cause,
    pub reply: Reply<Exact>,
    /// The stake of its round, if rounds differ in that.
    pub stake: Option<Stake>,
    /// The claim that was asked about, if there is one.
    pub claim: Option<ClaimId>,
    /// The bits that were asked for, if it was bits.
    pub ask: Option<Ask>,
    /// The number of the first event that it made.
    pub entry: usize,
    /// The prover's expectation before it, all that is sealed laid open.
    pub before: Exact,
    /// The prover's expectation after it.
    pub after: Exact,
    /// Of a person: how their reply compares with the best, where that is known.
    pub regret: Option<Regret>,
}

impl MoveReview {
    /// The change of the prover's expectation.
    pub fn change(&self) -> Exact {
        self.after.clone() - self.before.clone()
    }
}

/// A debate move by move, with what each was worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The prover's expectation before anybody had spoken.
    pub start: Exact,
    /// Every move.
    pub steps: Vec<MoveReview>,
    /// The prover's payoff; of a debate that is not over, the expectation.
    pub payoff: Exact,
    /// The most that the rules pay the prover, less the least.
    pub range: Exact,
}

impl Review {
    /// The change for the prover by what the person in a seat replied; 0 for a strategy's seat.
    pub fn skill(&self, seat: Seat) -> Exact {
        self.sum(|step| step.seat == seat && step.cause == Cause::Skill)
    }

    /// The change for the prover by how the dice of the strategy in a seat fell; 0 for a person's.
    pub fn mixing(&self, seat: Seat) -> Exact {
        self.sum(|step| step.seat == seat && step.cause == Cause::Mixing)
    }

    /// The change for the prover by coins and the oracle.
    pub fn luck(&self) -> Exact {
        self.sum(|step| step.cause == Cause::Luck)
    }

    fn sum(&self, counts: impl Fn(&MoveReview) -> bool) -> Exact {
        let steps = self.steps.iter().filter(|step| counts(step));
        steps.fold(Exact::default(), |sum, step| sum + step.change())
    }

    /// The class of a person's reply; `None` if it was nearly as good as the best.
    pub fn fault(&self, step: &MoveReview) -> Option<MoveFault> {
        let regret = &step.regret.as_ref()?.short;
        let hundredth = self.range.clone() / Exact::ratio(100, 1);
        let from = |hundredths: i64| hundredth.clone() * Exact::ratio(hundredths, 1);
        let fault = MoveFault::FROM
            .into_iter()
            .find(|(_, hundredths)| *regret >= from(*hundredths));
        fault
            .filter(|_| self.range != Exact::default())
            .map(|(fault, _)| fault)
    }

    /// The numbers of the moves with which a person lost an inaccuracy or more: of the whole range,
    /// or of what the round could pay.
    pub fn mistakes(&self) -> Vec<usize> {
        let lost_in_round = |step: &MoveReview| {
            let (regret, stake) = step.regret.as_ref().zip(step.stake.as_ref())?;
            let least = stake.weight.clone() * Exact::ratio(MoveFault::INACCURACY, 100);
            Some(regret.short > Exact::default() && regret.short >= least)
        };
        let is_mistake =
            |step: &MoveReview| self.fault(step).is_some() || lost_in_round(step) == Some(true);
        let numbered = self.steps.iter().enumerate();
        let mistakes = numbered.filter(|(_, step)| is_mistake(step));
        mistakes.map(|(number, _)| number).collect()
    }
}

impl Stake {
    /// The stake of a round of a schedule. The first estimate, which has no number, weighs one power of
    /// r less than all others.
    fn of(round: Round, schedule: &[(Round, Exact)]) -> Option<Self> {
        let (_, weight) = schedule.iter().find(|(other, _)| *other == round)?;
        let first = Round::first_of(schedule);
        let (exponent, number) = match (round, first) {
            (Round::Number(k), first) => (k, Some(Round::counted(k, first.unwrap_or(k)))),
            (Round::Initial, first) => (first.map_or(0, |d| d + 1), None),
        };
        Some(Self {
            round,
            weight: weight.clone(),
            exponent,
            number,
        })
    }
}

impl ReviewContext {
    /// Values every one of these moves, and compares each reply of a person with the best.
    ///
    /// # Errors
    /// If a value takes too long or is stopped, or a player fails.
    pub fn review(&self, moves: &[Move<Exact>], budget: Budget<'_>) -> Result<Review, ReviewError> {
        let mut review = self.attribution(moves, budget)?;
        let start = self.start()?;
        let people = self.people();
        let mut known = Vec::new();
        for seat in Seat::PLAYERS {
            // What nobody can weigh is left open; the ledger stands without it.
            let asked = people[seat.index()];
            known.push(asked.then(|| self.known_to(seat).ok()).flatten());
        }
        let mut worlds = Vec::new();
        for known in &known {
            let possible = (known.as_ref()).map(|known| self.possible(known, budget));
            worlds.push(possible.transpose()?);
        }
        for (number, (step, made)) in review.steps.iter_mut().zip(moves).enumerate() {
            let Some(Some(worlds)) = worlds.get(made.seat.index()) else {
                continue;
            };
            let view = SeatKnowledge::new(&start, &moves[..number], people)?;
            // What was really said is among those compared.
            let mut grid = even_grid(PARTS);
            if let Reply::Probability(p) = &made.reply
                && !grid.contains(p)
            {
                grid.push(p.clone());
            }
            let effort = HintEffort::REVIEW;
            let hints = self.hints_of(&view, worlds, ReplyFilter::All(&grid), effort, budget);
            let hints = match hints {
                Ok(mut hints) if hints.of_players && hints.of(&made.reply).is_none() => {
                    let own = ReplyFilter::These(std::slice::from_ref(&made.reply));
                    let own = self.hints_of(&view, worlds, own, effort, budget);
                    own.map(|own| {
                        hints.replies.extend(own.replies);
                        hints
                    })
                }
                hints => hints,
            };
            step.regret = regret(hints, &made.reply)?;
        }
        Ok(review)
    }

    /// Values every one of these moves, without comparing replies with better ones.
    ///
    /// # Errors
    /// If a value takes too long or is stopped, or a player fails.
    pub fn attribution(
        &self,
        moves: &[Move<Exact>],
        budget: Budget<'_>,
    ) -> Result<Review, ReviewError> {
        let start = self.start()?;
        let players = self.build(self.plays(budget)?, &self.instance, budget)?;
        let bets = self.has_bets();
        let (least, most) = self.range()?;
        let schedule = start.schedule();
        let mut search =
            Expectimax::between(&start, &players, budget.with_steps(MAX_REVIEW_REPLIES));
        // A `Timeline` does not ask the players: a position knows what they remember, on which
        // values hang.
        let mut at = Node::new(start.clone());
        let mut log = Log::default();
        let mut value = search.value_at(&at)?.value();
        let mut review = Review {
            start: value.clone(),
            steps: Vec::with_capacity(moves.len()),
            payoff: Exact::default(),
            range: most - least,
        };
        for made in moves {
            let Some(turn) = at.state.request() else {
                break;
            };
            let seat = turn.seat;
            let round = at.state.round().filter(|_| bets);
            let stake = round.and_then(|round| Stake::of(round, &schedule));
            if let Some(player) = players.get(seat.index()) {
                // It is asked so that it remembers; what it would say does not matter.
                let _ = at.asked(&turn, &**player);
            }
            let entry = log.entries().len();
            let illegal = |illegal| Unsolved::Illegal { seat, illegal };
            at.state
                .reply(made.reply.clone(), &mut log)
                .map_err(illegal)?;
            at = at.taken_up();
            let after = at.state.payoff() + search.value_at(&at)?.value();
            let before = std::mem::replace(&mut value, after.clone());
            review.steps.push(MoveReview {
                seat,
                cause: self.cause(&turn),
                reply: made.reply.clone(),
                stake,
                claim: turn.request.claim(),
                ask: turn.request.ask(),
                entry,
                before,
                after,
                regret: None,
            });
        }
        review.payoff = value;
        Ok(review)
    }

    /// What the change by a reply to this request is put down to.
    fn cause(&self, turn: &Turn<Exact>) -> Cause {
        let is_debater = matches!(turn.seat, Seat::Prover | Seat::Opponent);
        // Whatever a seat gives for its half of a coin, the coin falls as it should.
        if !is_debater || turn.request.is_half_of_coin() {
            Cause::Luck
        } else if self.is_person(turn.seat) {
            Cause::Skill
        } else {
            Cause::Mixing
        }
    }
}

/// Compares a reply with the best of these hints. `None` if the replies are too many to
/// compare, or have no stake.
fn regret(
    hints: Result<Hints, ReviewError>,
    made: &Reply<Exact>,
) -> Result<Option<Regret>, ReviewError> {
    use Unsolved::{Countless, Endless, Exceeded};
    let hints = match hints {
        Err(error) if error.is_stopped() => return Err(error),
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
    let less =
        |best: &Exact, made: &Exact| hints.to_asked(best.clone()) - hints.to_asked(made.clone());
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
