//! Built-in players of the quantifier game: the debate about a quantified Boolean formula.

use super::cross_examination::ExaminationRole::{self, Point, Write};
use super::cross_examination::{Examiner, TranscriptWriter, random};
use super::registry::{BuildError, BuildInputs, StrategyEntry, boxed_strategy};
use super::{ChallengeRule, Policy, PolicyState, ReplyDistribution};
use crate::bits::Bits;
use crate::number::Number;
use crate::protocol::{BitsMeaning, Kind, Quantifiers, Reply, Request, Seat, View};

/// A player of the quantifier game: it chooses values for its blocks of variables, then takes part in the
/// cross-examination.
#[derive(Clone, Copy, Debug)]
struct GamePlayer {
    values: Values,
    role: ExaminationRole,
}

/// The rule by which a player chooses values for its blocks of variables.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// Winning values, if there are any. The player makes no reply if it cannot solve the position within its effort
    /// limit.
    Winning,
    /// Values chosen greedily, one variable at a time, to satisfy (or, for the other side, to violate) the most
    /// clauses.
    Greedy,
    Zeros,
    Random,
}

impl GamePlayer {
    const fn new(values: Values, role: ExaminationRole) -> Self {
        Self { values, role }
    }
}

impl<'a, N: Number> Policy<N, Quantifiers<'a, N>> for GamePlayer {
    fn as_challenge_rule(&self) -> Option<ChallengeRule> {
        self.role.challenge_rule()
    }

    fn choose(
        &self,
        view: View<'_, Quantifiers<'a, N>>,
        request: &Request<N>,
        _policy_state: &mut PolicyState,
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
            Values::Greedy => view
                .formula()
                .greedy_block_values(view.chosen_variable_values()),
            Values::Zeros => Bits::zeros(length),
            Values::Random => return Some(random(length)),
        };
        Some(ReplyDistribution::Certain(Reply::Bits(bits)))
    }
}

const HONEST_PROVER: GamePlayer = GamePlayer::new(Values::Winning, Write(TranscriptWriter::Honest));
/// A prover that keeps a false formula undecided as long as possible, and always writes 1 for the last gate.
const LIAR: GamePlayer = GamePlayer::new(Values::Greedy, Write(TranscriptWriter::Liar(None)));
const RANDOM_PROVER: GamePlayer = GamePlayer::new(Values::Random, Write(TranscriptWriter::Random));
const HONEST_OPPONENT: GamePlayer = GamePlayer::new(Values::Winning, Point(Examiner::Honest));
const SILENT: GamePlayer = GamePlayer::new(Values::Zeros, Point(Examiner::Silent));
/// An opponent that chooses values that violate the most clauses, then challenges a gate that is right.
const FALSE_ALARM: GamePlayer = GamePlayer::new(Values::Greedy, Point(Examiner::FalseAlarm));
const RANDOM_OPPONENT: GamePlayer = GamePlayer::new(Values::Random, Point(Examiner::Random));

/// Returns an error if the winner of the game cannot be computed.
fn solved(order: &BuildInputs<'_, '_>) -> Result<(), BuildError> {
    let decided = order
        .instance
        .formula()
        .and_then(|formula| formula.is_true());
    decided.map(|_| ()).ok_or(BuildError::Unsolved(order.name))
}

/// Returns the built-in players of the quantifier game by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(Kind::Quantifiers, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(Kind::Quantifiers, Seat::Opponent);
    vec![
        prover("honest", |order| {
            solved(order).and_then(|()| boxed_strategy(HONEST_PROVER))
        }),
        prover("liar", |_| boxed_strategy(LIAR)),
        prover("random", |_| boxed_strategy(RANDOM_PROVER)),
        opponent("honest", |order| {
            solved(order).and_then(|()| boxed_strategy(HONEST_OPPONENT))
        }),
        opponent("silent", |_| boxed_strategy(SILENT)),
        opponent("false-alarm", |_| boxed_strategy(FALSE_ALARM)),
        opponent("random", |_| boxed_strategy(RANDOM_OPPONENT)),
    ]
}
