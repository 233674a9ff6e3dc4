//! The ledger of skill and luck: what each move of a debate changed.

use super::{Later, Reference, Unknown, hints, range};
use crate::analysis::walk::Position;
use crate::analysis::walk::Walk;
use crate::budget::Budget;
use crate::number::Number;
use crate::player::Move;
use crate::protocol::{Log, Reply, Request, Round, Rules as _, Seat, State};

/// How much worse than the best a reply was, in shares of the payoff's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// By 5 % or more.
    Inaccuracy,
    /// By 10 % or more.
    Mistake,
    /// By 15 % or more.
    Blunder,
}

impl Fault {
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

/// One move with what it changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<N> {
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
    /// Of a person: the best reply as far as they could know, and how much less theirs was worth
    /// to them.
    pub regret: Option<(Reply<N>, N)>,
}

impl<N: Number> Step<N> {
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
    pub steps: Vec<Step<N>>,
    /// What the prover received in the end; where the debate is not over, what can be expected.
    pub payoff: N,
    /// The most that the rules pay the prover, less the least.
    pub range: N,
    /// Whose replies were held against the best there are.
    pub best: Option<Seat>,
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
        self.sum(Step::is_luck)
    }

    fn sum(&self, counts: impl Fn(&Step<N>) -> bool) -> N {
        let steps = self.steps.iter().filter(|step| counts(step));
        steps.fold(N::zero(), |sum, step| sum + step.change())
    }

    /// How bad a person's reply was; `None` where it was nearly as good as the best.
    #[must_use]
    pub fn fault(&self, step: &Step<N>) -> Option<Fault> {
        let (_, regret) = step.regret.as_ref()?;
        let hundredth = self.range.clone() / N::ratio(100, 1);
        let from = |hundredths: i64| hundredth.clone() * N::ratio(hundredths, 1);
        let found = Fault::FROM
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

/// Values every move of a debate. `people`: whose replies are compared with the best; `bets`:
/// whether what a round pays can be lost as well.
///
/// # Errors
/// Where a value is not found.
pub fn review<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
    reference: &Reference<'_, 'a, N>,
    (people, bets): ([bool; 3], bool),
    (grid, budget): (&[N], Budget<'_>),
) -> Result<Review<N>, Unknown> {
    let mut walk = Walk::new(start, reference.actors(), budget)
        .for_value()
        .on_grid(grid.to_vec());
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
        best: reference.best,
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
            reference.players.get(seat.index()),
        ) {
            // It is asked so that it remembers; what it would say does not matter.
            let _ = at.asked(&turn, &**player);
        }
        let regret = if people.get(seat.index()) == Some(&true) {
            regret(start, &moves[..=number], reference, (grid, budget))?
        } else {
            None
        };
        let entry = log.entries().len();
        let illegal = |illegal| crate::analysis::Unsolved::Illegal { seat, illegal };
        at.state
            .reply(made.reply.clone(), &mut log)
            .map_err(illegal)?;
        at = at.taken_up();
        let after = at.state.payoff() + walk.value_at(at.clone())?.value();
        let before = std::mem::replace(&mut value, after.clone());
        found.steps.push(Step {
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

/// The best reply in the place of the last of these moves, and by how much the move fell short of
/// it. `None` where the replies are too many to compare, or have no stake.
fn regret<'a, N: Number>(
    start: &State<'a, N>,
    moves: &[Move<N>],
    reference: &Reference<'_, 'a, N>,
    (grid, budget): (&[N], Budget<'_>),
) -> Result<Option<(Reply<N>, N)>, Unknown> {
    use crate::analysis::Unsolved::{self, Endless, Hidden};
    let Some((made, before)) = moves.split_last() else {
        return Ok(None);
    };
    let mut reference = Reference {
        players: reference.players,
        best: reference.best,
    };
    // What was really said is among those compared.
    let mut grid = grid.to_vec();
    if let Reply::Probability(p) = &made.reply
        && !grid.contains(p)
    {
        grid.push(p.clone());
    }
    let mut found = hints(start, before, &reference, grid.clone(), budget);
    if let (Err(Unknown::Unsolved(Hidden(_))), Later::Best) = (&found, reference.later(made.seat)) {
        reference.best = None;
        found = hints(start, before, &reference, grid, budget);
    }
    let found = match found {
        Err(stopped @ Unknown::Unsolved(Unsolved::STOPPED)) => return Err(stopped),
        Err(Unknown::Unsolved(Endless(_)) | Unknown::Sealed | Unknown::TooMuchSealed) => {
            return Ok(None);
        }
        found => found?,
    };
    let (Some((best, most)), Some(value)) = (found.best(), found.of(&made.reply)) else {
        return Ok(None);
    };
    let short = found.to_asked(most.clone()) - found.to_asked(value.clone());
    Ok(Some((best.clone(), short)))
}
