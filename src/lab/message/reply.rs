//! Replies as other programs write them: `{"probability": "1/3"}`, `{"select": 0}`. The names are
//! those of saves, in lower case with underscores.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::record::MAX_NUMBER;
use debate_core::gate::Gate;
use debate_core::number::{Exact, canonical, parse};
use debate_core::protocol::{Bet, Bits, Reply, Request};
use debate_core::scenario::{ComposedPart, ComposedSupport, Speech, Unspeakable};

/// A reply: an object with one field, named after the kind of request. Fields that are null count
/// as left out, but for `challenge`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplyMessage {
    /// True if the claim is said to be true.
    Answer(bool),
    /// To `probability` and `share`: from 0 to 1.
    Probability(SpokenNumber),
    /// The bet: the probability is too high, about right or too low.
    Direction(DirectionName),
    /// The place of an offered support, from 0.
    Support(u32),
    /// A support in the prover's own words.
    Compose(ComposeMessage),
    /// A place, from 0.
    Select(u32),
    /// A string of 0 and 1.
    Bits(String),
    /// Bits by their differences from those prepared, or from zeros where none are.
    BulkBits(BulkBitsMessage),
    /// A step, or null for none.
    Challenge(Option<u64>),
    /// The judge's answer.
    Oracle(OracleMessage),
    /// What is said: words, and quotes between `<quote>` and `</quote>`. An empty text says nothing.
    Speech(String),
    /// True for another round, false for the end of the debate.
    Continue(bool),
}

/// A number: a string such as "1/3", "0.62" or "62%", or a JSON number; probabilities are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SpokenNumber {
    Text(String),
    Number(serde_json::Number),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DirectionName {
    TooHigh,
    AboutRight,
    TooLow,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComposeMessage {
    pub gate: GateName,
    /// The subclaims, in words.
    pub on: Vec<String>,
    /// The places, from 0, of the subclaims that are put to the judge as they stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Vec<usize>>,
}

/// The gates that a support in words may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateName {
    All,
    Any,
    Majority,
    AtLeast(u32),
    Not,
    Xor,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BulkBitsMessage {
    /// The places, from 0, of the bits that differ.
    pub flips: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OracleMessage {
    /// True if the judge holds the claim true.
    pub holds: bool,
    /// The judge's probability of the claim, from 0 to 1; without effect on the debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<SpokenNumber>,
}

/// The reason why an object is no reply.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnreadReply {
    #[error("a reply is an object such as {{\"{0}\": …}}")]
    NoObject(&'static str),
    #[error("the reply has none of the known fields; {0:?} is asked for")]
    Nothing(&'static str),
    #[error("the reply has both {0:?} and {1:?}; give one")]
    Two(&'static str, &'static str),
    #[error("`{field}` cannot be read: {why}")]
    Field { field: &'static str, why: String },
    #[error("`{0}` is no number; write one such as 0.62, \"1/3\" or \"62%\"")]
    NoNumber(String),
    #[error("a number has more than {MAX_NUMBER} characters as a fraction")]
    LongNumber,
    #[error("`bits` has other characters than 0 and 1")]
    NoBits,
    #[error("{0} is no place among {1} bits; places count from 0, and each stands once")]
    NoPlace(u64, usize),
    #[error("{0}")]
    Speech(#[from] Unspeakable),
    #[error("`judged` names places of subclaims, each once and in order")]
    Judged,
}

/// Every field that a reply can have.
const FIELDS: [&str; 12] = [
    "answer",
    "probability",
    "direction",
    "support",
    "compose",
    "select",
    "bits",
    "bulk_bits",
    "challenge",
    "oracle",
    "speech",
    "continue",
];

/// The field of the usual reply to a request.
pub fn field_of(request: &Request<Exact>) -> &'static str {
    match request {
        Request::Answer { .. } => "answer",
        Request::Probability { .. } | Request::Share { .. } => "probability",
        Request::Direction { .. } => "direction",
        Request::Support { .. } => "support",
        Request::Select { .. } => "select",
        Request::Bits { .. } => "bits",
        Request::Challenge { .. } => "challenge",
        Request::Oracle { .. } => "oracle",
        Request::Speech { .. } => "speech",
        Request::Continue { .. } => "continue",
        Request::Draw { .. } => "drawn",
    }
}

/// Reads a reply to a request. Whether it is legal is for the rules to say. `prepared` is what
/// `flips` differ from.
///
/// # Errors
/// If the value is no reply at all.
pub fn read_reply(
    value: &Value,
    request: &Request<Exact>,
    prepared: impl FnOnce() -> Bits,
) -> Result<Reply<Exact>, UnreadReply> {
    let asked = field_of(request);
    let Value::Object(object) = value else {
        return Err(UnreadReply::NoObject(asked));
    };
    let is_given = |field: &&&str| match object.get(**field) {
        // Where a step is asked for, null is a reply: none.
        Some(Value::Null) => **field == "challenge" && asked == "challenge",
        given => given.is_some(),
    };
    let mut given = FIELDS.iter().filter(is_given);
    let field = match (given.next(), given.next()) {
        (Some(field), None) => *field,
        (Some(first), Some(second)) => return Err(UnreadReply::Two(first, second)),
        (None, _) => return Err(UnreadReply::Nothing(asked)),
    };
    let content = object.get(field).cloned().unwrap_or_default();
    let one = Value::Object(Map::from_iter([(field.to_owned(), content)]));
    let message: ReplyMessage =
        serde_json::from_value(one).map_err(|error| UnreadReply::Field {
            field,
            why: error.to_string(),
        })?;
    message.into_reply(prepared)
}

impl ReplyMessage {
    fn into_reply(self, prepared: impl FnOnce() -> Bits) -> Result<Reply<Exact>, UnreadReply> {
        Ok(match self {
            Self::Answer(answer) => Reply::Answer(answer),
            Self::Probability(p) => Reply::Probability(p.read()?),
            Self::Direction(direction) => Reply::Direction(match direction {
                DirectionName::TooHigh => Bet::TooHigh,
                DirectionName::AboutRight => Bet::AboutRight,
                DirectionName::TooLow => Bet::TooLow,
            }),
            Self::Support(place) => Reply::Support(place),
            Self::Compose(composed) => Reply::Compose(Box::new(composed.read()?)),
            Self::Select(place) => Reply::Select(place),
            Self::Bits(bits) => Reply::Bits(Bits::parse(&bits).ok_or(UnreadReply::NoBits)?),
            Self::BulkBits(BulkBitsMessage { flips }) => Reply::Bits(flipped(&prepared(), &flips)?),
            Self::Challenge(step) => Reply::Challenge(step),
            Self::Oracle(OracleMessage { holds, confidence }) => Reply::Oracle {
                holds,
                confidence: confidence.map(|p| p.read()).transpose()?,
            },
            Self::Speech(text) => Reply::Speech(Box::new(Speech::parse(text.trim())?)),
            Self::Continue(goes_on) => Reply::Continue(goes_on),
        })
    }

    /// A reply as another program would write it; `None` of a coin, which no program gives.
    pub fn of(reply: &Reply<Exact>) -> Option<Self> {
        let number = |p: &Exact| SpokenNumber::Text(canonical(p));
        Some(match reply {
            Reply::Answer(answer) => Self::Answer(*answer),
            Reply::Probability(p) => Self::Probability(number(p)),
            Reply::Direction(bet) => Self::Direction(match bet {
                Bet::TooHigh => DirectionName::TooHigh,
                Bet::AboutRight => DirectionName::AboutRight,
                Bet::TooLow => DirectionName::TooLow,
            }),
            Reply::Support(place) => Self::Support(*place),
            Reply::Compose(composed) => Self::Compose(ComposeMessage::of(composed)?),
            Reply::Select(place) => Self::Select(*place),
            Reply::Bits(bits) => Self::Bits(bits.to_string()),
            Reply::Challenge(step) => Self::Challenge(*step),
            Reply::Oracle { holds, confidence } => Self::Oracle(OracleMessage {
                holds: *holds,
                confidence: confidence.as_ref().map(number),
            }),
            Reply::Speech(speech) => Self::Speech(speech.to_string()),
            Reply::Continue(goes_on) => Self::Continue(*goes_on),
            Reply::Drawn(_) => return None,
        })
    }
}

/// Bits with those at these places turned around.
fn flipped(prepared: &Bits, flips: &[u64]) -> Result<Bits, UnreadReply> {
    let mut bits = prepared.as_slice().to_vec();
    let mut last = None;
    let mut places = flips.to_vec();
    places.sort_unstable();
    for place in places {
        let wrong = UnreadReply::NoPlace(place, bits.len());
        let index = usize::try_from(place).ok().filter(|_| last != Some(place));
        let bit = index.and_then(|index| bits.get_mut(index)).ok_or(wrong)?;
        (*bit, last) = (!*bit, Some(place));
    }
    Ok(bits.into())
}

impl SpokenNumber {
    fn read(&self) -> Result<Exact, UnreadReply> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        };
        let value = parse(&text)
            .map_err(|_malformed| UnreadReply::NoNumber(text.chars().take(40).collect()))?;
        if canonical(&value).len() > MAX_NUMBER {
            return Err(UnreadReply::LongNumber);
        }
        Ok(value)
    }
}

impl ComposeMessage {
    fn of(composed: &ComposedSupport) -> Option<Self> {
        let parts = composed.parts.iter();
        let judged = parts.clone().enumerate().filter(|(_, part)| part.judged);
        Some(Self {
            gate: GateName::of(&composed.gate)?,
            on: parts.map(|part| part.text.clone()).collect(),
            judged: Some(judged.map(|(place, _)| place).collect()),
        })
    }

    fn read(self) -> Result<ComposedSupport, UnreadReply> {
        let mut parts: Vec<ComposedPart> = self.on.into_iter().map(ComposedPart::new).collect();
        let mut last = None;
        for place in self.judged.unwrap_or_default() {
            let part = parts.get_mut(place).filter(|_| last < Some(place));
            part.ok_or(UnreadReply::Judged)?.judged = true;
            last = Some(place);
        }
        let gate = match self.gate {
            GateName::All => Gate::All,
            GateName::Any => Gate::Any,
            GateName::Majority => Gate::Majority,
            GateName::AtLeast(count) => Gate::AtLeast(count),
            GateName::Not => Gate::Not,
            GateName::Xor => Gate::Xor,
        };
        Ok(ComposedSupport { gate, parts })
    }
}

impl GateName {
    fn of(gate: &Gate) -> Option<Self> {
        Some(match gate {
            Gate::All => Self::All,
            Gate::Any => Self::Any,
            Gate::Majority => Self::Majority,
            Gate::AtLeast(count) => Self::AtLeast(*count),
            Gate::Not => Self::Not,
            Gate::Xor => Self::Xor,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use debate_core::number::Number as _;
    use debate_core::protocol::Ask;

    fn bits(length: u32) -> Request<Exact> {
        Request::Bits {
            ask: Ask::Witness,
            length,
        }
    }

    fn read(value: &Value, request: &Request<Exact>) -> Result<Reply<Exact>, UnreadReply> {
        read_reply(value, request, || Bits::zeros(4))
    }

    #[test]
    fn replies_are_read_back_as_they_are_written() {
        let composed = ComposedSupport {
            gate: Gate::AtLeast(2),
            parts: vec![
                ComposedPart::new("one"),
                ComposedPart {
                    text: "two".to_owned(),
                    judged: true,
                },
            ],
        };
        for reply in [
            Reply::Answer(false),
            Reply::Probability(Exact::ratio(1, 3)),
            Reply::Direction(Bet::TooLow),
            Reply::Support(3),
            Reply::Compose(Box::new(composed)),
            Reply::Select(0),
            Reply::Bits(Bits::parse("0110").unwrap()),
            Reply::Challenge(Some(17)),
            Reply::Oracle {
                holds: true,
                confidence: Some(Exact::ratio(9, 10)),
            },
        ] {
            let written = serde_json::to_value(ReplyMessage::of(&reply).unwrap()).unwrap();
            assert_eq!(read(&written, &bits(4)), Ok(reply), "{written}");
        }
        assert_eq!(ReplyMessage::of(&Reply::Drawn(1)), None);
    }

    #[test]
    fn probabilities_are_strings_or_numbers() {
        let p = |value: Value| read(&json!({ "probability": value }), &bits(1));
        let third = |n, d| Ok(Reply::Probability(Exact::ratio(n, d)));
        assert_eq!(p(json!("1/3")), third(1, 3));
        assert_eq!(p(json!(0.62)), third(31, 50));
        assert_eq!(p(json!("62%")), third(31, 50));
        assert_eq!(p(json!(1)), third(1, 1));
        assert_eq!(
            p(json!("likely")),
            Err(UnreadReply::NoNumber("likely".into()))
        );
        assert!(p(json!([1])).is_err());
    }

    #[test]
    fn what_is_null_counts_as_left_out_but_for_no_step() {
        let challenge = |value: Value| {
            let mut instance = None;
            let request = challenge_request(&mut instance);
            read(&value, &request)
        };
        assert_eq!(
            challenge(json!({"challenge": null})),
            Ok(Reply::Challenge(None))
        );
        assert_eq!(
            challenge(json!({"challenge": 2})),
            Ok(Reply::Challenge(Some(2)))
        );
        assert_eq!(
            read(
                &json!({"support": 0, "compose": null, "why": "unknown"}),
                &bits(1)
            ),
            Ok(Reply::Support(0))
        );
        assert_eq!(
            read(&json!({"select": null}), &bits(1)),
            Err(UnreadReply::Nothing("bits"))
        );
        assert_eq!(
            read(&json!({"select": 1, "answer": true}), &bits(1)),
            Err(UnreadReply::Two("answer", "select"))
        );
        assert_eq!(
            read(&json!([]), &bits(1)),
            Err(UnreadReply::NoObject("bits"))
        );
    }

    fn challenge_request(kept: &mut Option<debate_core::scenario::Instance>) -> Request<Exact> {
        let setup = crate::setup::Setup::bundled("primes", &crate::setup::Limits::default());
        let instance = kept.insert(setup.unwrap().instance(0));
        Request::Challenge {
            claim: instance.root(),
            steps: 0..4,
        }
    }

    #[test]
    fn long_bits_are_given_by_what_differs() {
        let flips = |flips: Value| read(&json!({"bulk_bits": {"flips": flips}}), &bits(4));
        assert_eq!(
            flips(json!([2])),
            Ok(Reply::Bits(Bits::parse("0010").unwrap()))
        );
        assert_eq!(flips(json!([4])), Err(UnreadReply::NoPlace(4, 4)));
        assert_eq!(flips(json!([1, 1])), Err(UnreadReply::NoPlace(1, 4)));
        assert_eq!(
            read(&json!({"bits": "012"}), &bits(3)),
            Err(UnreadReply::NoBits)
        );
    }
}
