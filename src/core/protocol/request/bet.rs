//! Bets on where an estimate is wrong.

use crate::number::Number;

/// A bet on the direction of an estimate's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bet {
    /// −1: the probability is too high.
    TooHigh,
    /// 0: the probability is about right; nothing can be won or lost.
    AboutRight,
    /// +1: the probability is too low.
    TooLow,
}

impl Bet {
    /// All bets, from −1 to +1.
    pub const ALL: [Self; 3] = [Self::TooHigh, Self::AboutRight, Self::TooLow];

    /// −1, 0 or +1.
    pub fn sign(self) -> i8 {
        match self {
            Self::TooHigh => -1,
            Self::AboutRight => 0,
            Self::TooLow => 1,
        }
    }

    /// The bet with this sign, if there is one.
    pub fn from_sign(sign: i64) -> Option<Self> {
        match sign {
            -1 => Some(Self::TooHigh),
            0 => Some(Self::AboutRight),
            1 => Some(Self::TooLow),
            _ => None,
        }
    }

    /// The bet against this one.
    #[must_use]
    pub fn against(self) -> Self {
        match self {
            Self::TooHigh => Self::TooLow,
            Self::AboutRight => Self::AboutRight,
            Self::TooLow => Self::TooHigh,
        }
    }

    /// The sign of a difference, where its size is more than `margin`, else [`Self::AboutRight`].
    #[inline]
    pub fn beyond<N: Number>(difference: &N, margin: &N) -> Self {
        if difference.exceeds(margin) {
            Self::TooLow
        } else if (-margin.clone()).exceeds(difference) {
            Self::TooHigh
        } else {
            Self::AboutRight
        }
    }

    /// The bet times a number.
    #[inline]
    pub fn times<N: Number>(self, value: N) -> N {
        match self {
            Self::TooHigh => -value,
            Self::AboutRight => N::zero(),
            Self::TooLow => value,
        }
    }

    /// The bet in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::TooHigh => "too high",
            Self::AboutRight => "about right",
            Self::TooLow => "too low",
        }
    }
}
