//! Replies as saves write them: `Answer(true)`, `Probability("1/3")`, `Direction(TooLow)`.

use serde::Deserialize;

use super::syntax::{exact, quoted};
use crate::number::{Exact, canonical};
use crate::protocol::{Bet, Bits, Reply};

/// The written form, kept apart from [`Reply`] so that the rules know no file format.
#[derive(Deserialize)]
pub(super) enum Written {
    Answer(bool),
    Probability(String),
    Direction(Direction),
    Support(u32),
    Select(u32),
    Bits(String),
    Challenge(Option<u64>),
    Oracle {
        holds: bool,
        #[serde(default)]
        confidence: Option<String>,
    },
    Drawn(u64),
}

#[derive(Deserialize)]
pub(super) enum Direction {
    TooHigh,
    AboutRight,
    TooLow,
}

/// A reply in its written form.
pub(super) fn write(reply: &Reply<Exact>) -> String {
    let number = |value: &Exact| quoted(&canonical(value));
    match reply {
        Reply::Answer(answer) => format!("Answer({answer})"),
        Reply::Probability(p) => format!("Probability({})", number(p)),
        Reply::Direction(bet) => format!("Direction({bet:?})"),
        Reply::Support(place) => format!("Support({place})"),
        Reply::Select(place) => format!("Select({place})"),
        Reply::Bits(bits) => format!("Bits(\"{bits}\")"),
        Reply::Challenge(None) => "Challenge(None)".to_owned(),
        Reply::Challenge(Some(step)) => format!("Challenge(Some({step}))"),
        Reply::Oracle { holds, confidence } => match confidence {
            None => format!("Oracle(holds: {holds})"),
            Some(p) => format!("Oracle(holds: {holds}, confidence: {})", number(p)),
        },
        Reply::Drawn(value) => format!("Drawn({value})"),
    }
}

/// The longest number in a reply, in characters.
pub(super) fn longest_number(reply: &Reply<Exact>) -> usize {
    match reply {
        Reply::Probability(p)
        | Reply::Oracle {
            confidence: Some(p),
            ..
        } => canonical(p).len(),
        _ => 0,
    }
}

impl Written {
    /// The reply that is meant, or what is wrong with it.
    pub(super) fn meant(self) -> Result<Reply<Exact>, String> {
        let number = |text: &str| {
            exact(text).ok_or_else(|| {
                let text: String = text.chars().take(40).collect();
                format!("{} is no fraction in lowest terms", quoted(&text))
            })
        };
        Ok(match self {
            Self::Answer(answer) => Reply::Answer(answer),
            Self::Probability(p) => Reply::Probability(number(&p)?),
            Self::Direction(Direction::TooHigh) => Reply::Direction(Bet::TooHigh),
            Self::Direction(Direction::AboutRight) => Reply::Direction(Bet::AboutRight),
            Self::Direction(Direction::TooLow) => Reply::Direction(Bet::TooLow),
            Self::Support(place) => Reply::Support(place),
            Self::Select(place) => Reply::Select(place),
            Self::Bits(bits) => Reply::Bits(
                Bits::parse(&bits).ok_or_else(|| "bits are written as 0 and 1".to_owned())?,
            ),
            Self::Challenge(step) => Reply::Challenge(step),
            Self::Oracle { holds, confidence } => Reply::Oracle {
                holds,
                confidence: confidence.as_deref().map(number).transpose()?,
            },
            Self::Drawn(value) => Reply::Drawn(value),
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::syntax::Fields;
    use super::*;
    use crate::number::Number as _;

    /// Any reply, legal somewhere or nowhere.
    pub(in super::super) fn replies() -> impl Strategy<Value = Reply<Exact>> {
        let number = || (-3_i64..1000, 1_i64..1000).prop_map(|(a, b)| Exact::ratio(a, b));
        prop_oneof![
            any::<bool>().prop_map(Reply::Answer),
            number().prop_map(Reply::Probability),
            (0..3_usize).prop_map(|bet| Reply::Direction(Bet::ALL[bet])),
            any::<u32>().prop_map(Reply::Support),
            any::<u32>().prop_map(Reply::Select),
            proptest::collection::vec(any::<bool>(), 0..9)
                .prop_map(|bits| Reply::Bits(Bits::from(bits))),
            proptest::option::of(any::<u64>()).prop_map(Reply::Challenge),
            (any::<bool>(), proptest::option::of(number()))
                .prop_map(|(holds, confidence)| Reply::Oracle { holds, confidence }),
            any::<u64>().prop_map(Reply::Drawn),
        ]
    }

    proptest! {
        #[test]
        fn replies_read_back(reply in replies()) {
            let text = format!("(r: {})", write(&reply));
            let mut fields = Fields::read("Event", &text).unwrap();
            let written: Written = fields.required("r").unwrap();
            prop_assert_eq!(written.meant(), Ok(reply));
        }
    }

    #[test]
    fn bets_are_written_by_their_names() {
        assert_eq!(write(&Reply::Direction(Bet::TooLow)), "Direction(TooLow)");
        let p = Some(Exact::ratio(9, 10));
        let oracle = Reply::Oracle {
            holds: true,
            confidence: p,
        };
        assert_eq!(write(&oracle), "Oracle(holds: true, confidence: \"9/10\")");
    }
}
