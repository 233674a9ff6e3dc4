//! Built-in players of the game of a quantified formula.

use super::registry::{BuildError, Built, Entry, Order, built};
use super::{Choice, Mind, Policy};
use crate::bits::Bits;
use crate::number::Number;
use crate::protocol::{Ask, Kind, Quantifiers, Reply, Request, Seat, Sheet, View};

type GameView<'v, 'a, N> = View<'v, Quantifiers<'a, N>>;

/// Blocks of more variables than this are filled at random from as many strings as these have.
const RANDOM_BITS: u32 = 16;

/// A prover of the game, who says that the formula is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prover {
    /// Plays to win wherever that is possible and writes down what every gate says.
    Honest,
    /// Keeps a false formula open for as long as it can: chooses values that make most clauses
    /// hold, writes down what every gate says, but always that the last one says 1.
    Liar,
    /// Any values; gates with one of them false, or none.
    Random,
}

impl Prover {
    fn block<N: Number>(self, view: GameView<'_, '_, N>, length: u32) -> Option<Choice<N>> {
        match self {
            Self::Honest => winning(view),
            Self::Liar => Some(bits(view.formula().greedy(view.values()))),
            Self::Random => Some(random_bits(length)),
        }
    }

    fn gates<N: Number>(self, sheet: &Sheet) -> Option<Choice<N>> {
        let gates = sheet.computation.transcript(&sheet.witness)?;
        let last = gates.len().checked_sub(1)?;
        Some(match self {
            Self::Honest => bits(gates),
            Self::Liar if gates.as_slice().last() == Some(&true) => bits(gates),
            Self::Liar => bits(gates.turned(last)),
            Self::Random => Choice::made(gates.len() as u64 + 1, move |place| {
                // Beyond the end nothing is turned around.
                let place = usize::try_from(place).unwrap_or(usize::MAX);
                Reply::Bits(gates.turned(place))
            }),
        })
    }
}

impl<'a, N: Number> Policy<N, Quantifiers<'a, N>> for Prover {
    fn choose(
        &self,
        view: GameView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut Mind,
    ) -> Option<Choice<N>> {
        match request {
            Request::Bits {
                ask: Ask::Block { .. },
                length,
            } => self.block(view, *length),
            Request::Bits {
                ask: Ask::Transcript { .. },
                ..
            } => self.gates(&view.gates()?),
            _ => None,
        }
    }
}

/// An opponent of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Plays to win wherever that is possible and points at the first false gate.
    Honest,
    /// Chooses 0 everywhere and never points at anything.
    Silent,
    /// Chooses values that break most clauses, then points at a gate that is right.
    FalseAlarm,
    /// Any values; points at any gate, or none.
    Random,
}

impl Opponent {
    fn block<N: Number>(self, view: GameView<'_, '_, N>, length: u32) -> Option<Choice<N>> {
        match self {
            Self::Honest => winning(view),
            Self::Silent => Some(bits(Bits::zeros(length as usize))),
            Self::FalseAlarm => Some(bits(view.formula().greedy(view.values()))),
            Self::Random => Some(random_bits(length)),
        }
    }

    fn challenge<N: Number>(self, sheet: &Sheet) -> Option<Choice<N>> {
        let given = sheet.transcript.as_ref()?;
        let first_wrong = || {
            let computation = &sheet.computation;
            computation.first_wrong(&sheet.witness, given.as_slice())
        };
        let is_right = |step: &u64| {
            let value = sheet
                .computation
                .value(*step, &sheet.witness, given.as_slice());
            value == given.at(*step)
        };
        let steps = sheet.computation.steps();
        let step = match self {
            Self::Honest => first_wrong(),
            Self::Silent => None,
            Self::FalseAlarm => (0..steps).find(is_right),
            Self::Random => {
                return Some(Choice::made(steps + 1, move |place| {
                    Reply::Challenge((place < steps).then_some(place))
                }));
            }
        };
        Some(Choice::Sure(Reply::Challenge(step)))
    }
}

impl<'a, N: Number> Policy<N, Quantifiers<'a, N>> for Opponent {
    fn choose(
        &self,
        view: GameView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut Mind,
    ) -> Option<Choice<N>> {
        match request {
            Request::Bits {
                ask: Ask::Block { .. },
                length,
            } => self.block(view, *length),
            Request::Challenge { .. } => self.challenge(&view.gates()?),
            _ => None,
        }
    }
}

fn bits<N>(bits: Bits) -> Choice<N> {
    Choice::Sure(Reply::Bits(bits))
}

/// Values that win, where any do; no reply where this position is not decided within the effort
/// that is allowed.
fn winning<N: Number>(view: GameView<'_, '_, N>) -> Option<Choice<N>> {
    let position = view.formula().play(view.values())?;
    Some(bits(position.values))
}

/// Any values, each as likely; of a long block as many as a short one has, spread over all.
fn random_bits<N: Number>(length: u32) -> Choice<N> {
    Choice::made(1 << length.min(RANDOM_BITS), move |number| {
        Reply::Bits(if length <= RANDOM_BITS {
            Bits::of_number(number, length)
        } else {
            spread(number, length)
        })
    })
}

/// The first bits of a sequence of numbers that this one begins (SplitMix64, Steele, Lea and Flood,
/// OOPSLA 2014).
fn spread(number: u64, length: u32) -> Bits {
    let mix = |place: u64| {
        let state = number
            .wrapping_add(1)
            .wrapping_mul(0xd1b5_4a32_d192_ed03)
            .wrapping_add(place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ (state >> 31)
    };
    (0..u64::from(length))
        .map(|place| mix(place / 64) >> (place % 64) & 1 == 1)
        .collect()
}

/// Refuses where nobody knows who wins.
fn solved(order: &Order<'_, '_>) -> Result<(), BuildError> {
    let decided = order.instance.formula().and_then(|formula| formula.holds());
    decided.map(|_| ()).ok_or(BuildError::Unsolved(order.name))
}

fn prover<'a, N: Number>(prover: Prover) -> Result<Built<'a, N>, BuildError> {
    built::<N, Quantifiers<'a, N>>(prover)
}

fn opponent<'a, N: Number>(opponent: Opponent) -> Result<Built<'a, N>, BuildError> {
    built::<N, Quantifiers<'a, N>>(opponent)
}

/// The built-in players of the game by name.
pub(super) fn entries<N: Number>() -> Vec<Entry<N>> {
    let entry = |name, seat, about, build| Entry {
        name,
        seat,
        protocol: Some(Kind::Quantifiers),
        parameters: &[],
        about,
        build,
    };
    vec![
        entry(
            "honest",
            Seat::Prover,
            "wins wherever the formula is true, writes down what every gate says",
            |order| solved(order).and_then(|()| prover(Prover::Honest)),
        ),
        entry(
            "liar",
            Seat::Prover,
            "satisfies most clauses, then says of the last gate that it says 1",
            |_| prover(Prover::Liar),
        ),
        entry(
            "random",
            Seat::Prover,
            "any values, at most one false gate",
            |_| prover(Prover::Random),
        ),
        entry(
            "honest",
            Seat::Opponent,
            "wins wherever the formula is false, points at the first false gate",
            |order| solved(order).and_then(|()| opponent(Opponent::Honest)),
        ),
        entry(
            "silent",
            Seat::Opponent,
            "chooses 0 everywhere and never points at anything",
            |_| opponent(Opponent::Silent),
        ),
        entry(
            "false-alarm",
            Seat::Opponent,
            "breaks most clauses, then points at a gate that is right",
            |_| opponent(Opponent::FalseAlarm),
        ),
        entry(
            "random",
            Seat::Opponent,
            "any values, points at any gate or none",
            |_| opponent(Opponent::Random),
        ),
    ]
}

#[cfg(test)]
mod tests;
