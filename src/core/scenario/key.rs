//! Keys of claims as texts, for tables that outlive the program.

use std::fmt;

use num_bigint::BigUint;

use super::decomposition::Key;
use super::open::Part;
use crate::bits::Bits;

/// The most characters of a key's text.
const MAX_KEY: usize = 10_000;

/// As [`Key::parse`] reads it.
impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(number) => write!(out, "{number}"),
            Self::Span(span) => write!(out, "{}..{}", span.0, span.1),
            Self::Step(step) => write!(out, "step {step}"),
            Self::Piece(piece) => {
                let (claim, numbers) = piece.as_ref();
                let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                write!(out, "piece {} of {claim}", numbers.join("."))
            }
            Self::Times(from, to) => write!(out, "times {from}..{to}"),
            Self::Word(word) => write!(out, "word {word}"),
            Self::Block(from, to) => write!(out, "block {from}..{to}"),
            Self::Wire { wire, part, value } => {
                write!(out, "wire {wire} {part} {}", u8::from(*value))
            }
            Self::Said(said) => {
                let (level, part) = said.as_ref();
                let judged = u8::from(part.judged);
                write!(out, "said {level} {judged} {}", part.text)
            }
        }
    }
}

impl Key {
    /// Reads a key as it is written by its [`Display`](fmt::Display), and in no other form; `None`
    /// of anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_KEY {
            return None;
        }
        let key = match text.split_once(' ') {
            None => match text.split_once("..") {
                None => Self::At(text.parse().ok()?),
                Some((from, to)) => Self::Span(Box::new((big(from)?, big(to)?))),
            },
            Some(("step", rest)) => Self::Step(rest.parse().ok()?),
            Some(("piece", rest)) => {
                let (numbers, claim) = rest.split_once(" of ")?;
                // Evidence is never divided twice, so a piece is not of a piece.
                let claim = Some(claim).filter(|claim| !claim.starts_with("piece "))?;
                let numbers = numbers.split('.').filter(|number| !number.is_empty());
                let numbers = numbers.map(|number| number.parse().ok());
                Self::Piece(Box::new((
                    Self::parse(claim)?,
                    numbers.collect::<Option<_>>()?,
                )))
            }
            Some(("times", rest)) => pair(rest).map(|(from, to)| Self::Times(from, to))?,
            Some(("word", rest)) => Self::Word(Bits::parse(rest)?),
            Some(("block", rest)) => pair(rest).map(|(from, to)| Self::Block(from, to))?,
            Some(("wire", rest)) => {
                let mut parts = rest.split(' ');
                let mut next = || parts.next();
                let (wire, part) = (next()?.parse().ok()?, next()?.parse().ok()?);
                let value = next()? == "1";
                Self::Wire { wire, part, value }
            }
            Some(("said", rest)) => {
                let (level, rest) = rest.split_once(' ')?;
                let (judged, text) = rest.split_once(' ')?;
                let mut part = Part::new(text);
                part.judged = judged == "1";
                Self::Said(Box::new((level.parse().ok()?, part)))
            }
            Some(_) => return None,
        };
        (key.to_string() == text).then_some(key)
    }
}

fn big(text: &str) -> Option<BigUint> {
    text.parse().ok()
}

fn pair(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once("..")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let span = |from: u32, to: u32| Key::Span(Box::new((from.into(), to.into())));
        let wire = Key::Wire {
            wire: 7,
            part: 2,
            value: true,
        };
        let mut part = Part::new("two  words");
        part.judged = true;
        for (key, text) in [
            (Key::At(3), "3"),
            (Key::Said(Box::new((2, part))), "said 2 1 two  words"),
            (span(2, 17), "2..17"),
            (Key::Step(0), "step 0"),
            (Key::Times(1, 4), "times 1..4"),
            (Key::Word(Bits::from(vec![false, true])), "word 01"),
            (Key::Word(Bits::default()), "word "),
            (Key::Block(0, 8), "block 0..8"),
            (wire, "wire 7 2 1"),
            (
                Key::Piece(Box::new((span(2, 17), vec![4, 0]))),
                "piece 4.0 of 2..17",
            ),
            (
                Key::Piece(Box::new((Key::At(3), Vec::new()))),
                "piece  of 3",
            ),
        ] {
            assert_eq!(key.to_string(), text);
            assert_eq!(Key::parse(text), Some(key), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_a_key() {
        let long = "1".repeat(MAX_KEY + 1);
        for text in [
            "",
            " ",
            "03",
            "-1",
            "+1",
            "1..",
            "..",
            "1..02",
            "step",
            "step x",
            "times 1",
            "word 2",
            "block 1..",
            "wire 1 2",
            "wire 1 2 3",
            "wire 1 2 1 1",
            "sub 1",
            "piece 1",
            "said x 1 y",
            "said 1 2 y",
            "said 01 1 y",
            "piece 1. of 3",
            "piece x of 3",
            "piece 1 of piece 1 of 3",
            &long,
        ] {
            assert_eq!(Key::parse(text), None, "{text:?}");
        }
    }
}
