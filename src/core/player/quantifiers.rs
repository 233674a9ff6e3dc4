//! Built-in players of the quantifier game: the debate about a quantified Boolean formula.

use super::cross_examination::TranscriptOrChallengeStrategy::{self, Point, Write};
use super::cross_examination::{StepChallengeStrategy, TranscriptWritingProver, random_bits};
use super::registry::{StrategyBuildError, StrategyBuildInputs, StrategyEntry, boxed_strategy};
use super::{ChallengeStrategy, Policy, ReplyDistribution, StrategyMemoryAndCosts};
use crate::bits::BitString;
use crate::number::Number;
use crate::protocol::{BitsMeaning, ProtocolKind, QuantifierDebate, Reply, Request, Seat, View};

/// A player of the quantifier game: it chooses values for its blocks of variables, then takes part in the
/// cross-examination.
#[derive(Clone, Copy, Debug)]
struct GamePlayer {
    values: Values,
    role: TranscriptOrChallengeStrategy,
}

/// The rule by which a player chooses values for its blocks of variables.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// Winning values, if there are any, else all 0. The player makes no reply if the position is not solved within the
    /// solver's effort limit.
    Winning,
    /// Winning values, if there are any, else random values, so that a losing player does not repeat itself. The player
    /// makes no reply if the position is not solved within the solver's effort limit.
    WinningOrRandom,
    /// Values chosen greedily, one variable at a time: the prover satisfies and the opponent violates as many clauses
    /// as possible. All 0 if the formula has no clauses.
    Greedy,
    Zeros,
    Random,
}

impl GamePlayer {
    const fn new(values: Values, role: TranscriptOrChallengeStrategy) -> Self {
        Self { values, role }
    }
}

impl<'a, N: Number> Policy<N, QuantifierDebate<'a, N>> for GamePlayer {
    fn as_challenge_rule(&self) -> Option<ChallengeStrategy> {
        self.role.challenge_rule()
    }

    fn choose(
        &self,
        view: View<'_, QuantifierDebate<'a, N>>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let Request::Bits {
            ask: BitsMeaning::Block { .. },
            length,
        } = request
        else {
            return self.role.examination_reply(&view.transcript()?);
        };
        let length = *length as usize;
        let bits = match self.values {
            Values::Winning => {
                view.formula()
                    .solve_position(view.chosen_variable_values())?
                    .values
            }
            Values::WinningOrRandom => {
                let position = view
                    .formula()
                    .solve_position(view.chosen_variable_values())?;
                let is_winning = position.holds == (view.viewing_seat() == Seat::Prover);
                if !is_winning {
                    return Some(random_bits(length));
                }
                position.values
            }
            Values::Greedy => view
                .formula()
                .greedy_block_values(view.chosen_variable_values()),
            Values::Zeros => BitString::zeros(length),
            Values::Random => return Some(random_bits(length)),
        };
        Some(ReplyDistribution::Certain(Reply::Bits(bits)))
    }
}

const HONEST_PROVER: GamePlayer =
    GamePlayer::new(Values::Winning, Write(TranscriptWritingProver::Honest));
/// A prover that chooses values that satisfy many clauses, then writes the true values of all gates but the last, and 1
/// for the last gate.
const LIAR: GamePlayer =
    GamePlayer::new(Values::Greedy, Write(TranscriptWritingProver::Liar(None)));
const RANDOM_PROVER: GamePlayer =
    GamePlayer::new(Values::Random, Write(TranscriptWritingProver::Random));
const HONEST_OPPONENT: GamePlayer =
    GamePlayer::new(Values::Winning, Point(StepChallengeStrategy::Honest));
const VARIED: GamePlayer = GamePlayer::new(
    Values::WinningOrRandom,
    Point(StepChallengeStrategy::Honest),
);
const SILENT: GamePlayer = GamePlayer::new(Values::Zeros, Point(StepChallengeStrategy::Silent));
/// An opponent that chooses values that violate many clauses, then challenges a gate that is right, if there is one.
const FALSE_ALARM: GamePlayer =
    GamePlayer::new(Values::Greedy, Point(StepChallengeStrategy::FalseAlarm));
const RANDOM_OPPONENT: GamePlayer =
    GamePlayer::new(Values::Random, Point(StepChallengeStrategy::Random));

/// Returns an error if the winner of the game cannot be computed.
fn solved(order: &StrategyBuildInputs<'_, '_>) -> Result<(), StrategyBuildError> {
    let decided = order
        .instance
        .formula()
        .and_then(|formula| formula.is_formula_true());
    decided
        .map(|_| ())
        .ok_or(StrategyBuildError::Unsolved(order.name))
}

/// Returns the built-in players of the quantifier game, each with its name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(ProtocolKind::Quantifiers, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(ProtocolKind::Quantifiers, Seat::Opponent);
    vec![
        prover("honest", |order| {
            solved(order).and_then(|()| boxed_strategy(HONEST_PROVER))
        }),
        prover("liar", |_| boxed_strategy(LIAR)),
        prover("random", |_| boxed_strategy(RANDOM_PROVER)),
        opponent("honest", |order| {
            solved(order).and_then(|()| boxed_strategy(HONEST_OPPONENT))
        }),
        opponent("varied", |order| {
            solved(order).and_then(|()| boxed_strategy(VARIED))
        }),
        opponent("silent", |_| boxed_strategy(SILENT)),
        opponent("false-alarm", |_| boxed_strategy(FALSE_ALARM)),
        opponent("random", |_| boxed_strategy(RANDOM_OPPONENT)),
    ]
}
