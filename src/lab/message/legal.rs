//! The legal replies to a request as a JSON Schema, in the strict subset that model providers take
//! for structured outputs: the root is an object, every property is required, no other is allowed,
//! there is no `anyOf` at the root, and no list has more than 500 values.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use debate_core::number::Exact;
use debate_core::protocol::Request;
use debate_core::scenario::Instance;

/// The most values that a list of allowed ones has; of more it is only said what type they are.
const MOST_LISTED: u64 = 500;

/// More bits than these are asked for by what differs from those prepared.
pub const MOST_BITS: u32 = 4096;

/// A JSON Schema of the strict subset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StrictSchema {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<BTreeMap<&'static str, Self>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<Vec<&'static str>>,
    /// False for every object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_properties: Option<bool>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub any_of: Option<Vec<Self>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Box<Self>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

impl StrictSchema {
    fn of(kind: &'static str) -> Self {
        Self {
            kind: Some(kind),
            ..Self::default()
        }
    }

    fn described(self, description: impl Into<String>) -> Self {
        Self {
            description: Some(description.into()),
            ..self
        }
    }

    fn object<const COUNT: usize>(properties: [(&'static str, Self); COUNT]) -> Self {
        Self {
            required: Some(properties.iter().map(|(name, _)| *name).collect()),
            properties: Some(BTreeMap::from(properties)),
            additional_properties: Some(false),
            ..Self::of("object")
        }
    }

    fn any(kinds: impl Into<Vec<Self>>) -> Self {
        Self {
            any_of: Some(kinds.into()),
            ..Self::default()
        }
    }

    fn or_null(self) -> Self {
        Self::any([self, Self::of("null")])
    }

    fn words(words: &[&str]) -> Self {
        Self {
            values: Some(words.iter().map(|word| Value::from(*word)).collect()),
            ..Self::of("string")
        }
    }

    /// Whole numbers from the first on, the last excluded.
    fn integers(from: u64, to: u64) -> Self {
        let listed = to.saturating_sub(from) <= MOST_LISTED;
        Self {
            values: listed.then(|| (from..to).map(Value::from).collect()),
            ..Self::of("integer")
        }
    }

    fn list(items: Self) -> Self {
        Self {
            items: Some(Box::new(items)),
            ..Self::of("array")
        }
    }

    fn probability() -> Self {
        Self::any([Self::of("number"), Self::of("string")])
    }
}

/// The legal replies to a request. What the rules say beyond it (that numbers are probabilities,
/// that answers support what was claimed) stands in descriptions.
pub fn legal(request: &Request<Exact>, instance: &Instance) -> StrictSchema {
    const PROBABILITY: &str = "A number from 0 to 1, or a string such as \"1/3\".";
    match request {
        Request::Answer { .. } => StrictSchema::object([(
            "answer",
            StrictSchema::of("boolean").described("True if you say that the claim is true."),
        )]),
        Request::Probability { .. } | Request::Share { .. } => StrictSchema::object([(
            "probability",
            StrictSchema::probability().described(PROBABILITY),
        )]),
        Request::Direction { .. } => StrictSchema::object([(
            "direction",
            StrictSchema::words(&["too_high", "about_right", "too_low"])
                .described("Where the stated probability is wrong."),
        )]),
        Request::Support { claim, offered } => support(*offered, instance.composing(*claim)),
        Request::Select { count, .. } => StrictSchema::object([(
            "select",
            StrictSchema::integers(0, u64::from(*count)).described("A place, from 0."),
        )]),
        Request::Challenge { steps, .. } => StrictSchema::object([(
            "challenge",
            StrictSchema::integers(steps.start, steps.end)
                .or_null()
                .described(format!(
                    "The number of a step from {} to {}, or null for none.",
                    steps.start,
                    steps.end.saturating_sub(1)
                )),
        )]),
        Request::Bits { length, .. } if *length > MOST_BITS => {
            let flips = StrictSchema::list(StrictSchema::of("integer")).described(format!(
                "The places, from 0, of the bits that differ from those prepared ({length} bits are \
                 too many to be listed)."
            ));
            let bulk = StrictSchema::object([("flips", flips)]);
            StrictSchema::object([("bulk_bits", bulk)])
        }
        Request::Bits { length, .. } => {
            let bits = StrictSchema {
                pattern: Some(format!("^[01]{{{length}}}$")),
                ..StrictSchema::of("string")
            };
            StrictSchema::object([(
                "bits",
                bits.described(format!("Exactly {length} characters, each 0 or 1.")),
            )])
        }
        Request::Oracle { .. } => {
            let oracle = StrictSchema::object([
                (
                    "holds",
                    StrictSchema::of("boolean").described("True if the claim is true."),
                ),
                (
                    "confidence",
                    StrictSchema::any([
                        StrictSchema::of("number"),
                        StrictSchema::of("string"),
                        StrictSchema::of("null"),
                    ])
                    .described(format!(
                        "How likely the claim is to be true; recorded only. {PROBABILITY} Null where \
                         you do not say."
                    )),
                ),
            ]);
            StrictSchema::object([("oracle", oracle)])
        }
        Request::Speech { argues_for, limits } => {
            let most = |most: Option<u32>, what: &str| match most {
                Some(most) => format!(" At most {most} characters {what}."),
                None => String::new(),
            };
            let quotes = if argues_for.is_some() {
                " Words of the source, exactly as it has them, stand between <quote> and </quote>."
            } else {
                " It may be empty."
            };
            let own = most(limits.words, "of your own");
            let quoted = most(limits.quotes, "quoted");
            let told = format!("What you say.{quotes}{own}{quoted}");
            StrictSchema::object([("speech", StrictSchema::of("string").described(told))])
        }
        Request::Continue { .. } => StrictSchema::object([(
            "continue",
            StrictSchema::of("boolean").described("True to hear another round, false to end."),
        )]),
        // Nobody but chance is asked to draw.
        Request::Draw { .. } => StrictSchema::object([]),
    }
}

/// A support that is offered, or one in the prover's own words of at most so many subclaims.
fn support(offered: u32, most: Option<u32>) -> StrictSchema {
    let listed = StrictSchema::integers(0, u64::from(offered))
        .described("The place of an offered support, from 0.");
    let Some(most) = most else {
        return StrictSchema::object([("support", listed)]);
    };
    let gate = StrictSchema::any([
        StrictSchema::words(&["all", "any", "majority", "not", "xor"]),
        StrictSchema::object([("at_least", StrictSchema::of("integer"))]),
    ])
    .described("How the truth of the claim follows from that of the subclaims.");
    let compose = StrictSchema::object([
        ("gate", gate),
        (
            "on",
            StrictSchema::list(StrictSchema::of("string"))
                .described(format!("The subclaims, in words; at most {most}.")),
        ),
        (
            "judged",
            StrictSchema::list(StrictSchema::of("integer"))
                .described("The places, from 0, of subclaims that go to the judge as they stand."),
        ),
    ]);
    if offered == 0 {
        return StrictSchema::object([("compose", compose)]);
    }
    let one = "Give one of support and compose; the other is null.";
    StrictSchema::object([
        ("support", listed.or_null().described(one)),
        ("compose", compose.or_null().described(one)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::{Limits, Setup};
    use crate::strict::loose;
    use debate_core::protocol::Ask;
    use debate_core::scenario::SpeechLimits;

    /// A request of every kind, small and large.
    fn every_kind(instance: &Instance) -> Vec<Request<Exact>> {
        let claim = instance.root();
        let probability = |alone| Request::Probability {
            claim,
            place: None,
            alone,
        };
        let mut requests = vec![
            Request::Answer { claim },
            probability(true),
            probability(false),
            Request::Direction { claim },
            Request::Share { claim },
            Request::Oracle { claim },
            Request::Continue { round: 2 },
        ];
        for count in [1, 500, 501, 70_000] {
            requests.push(Request::Support {
                claim,
                offered: count,
            });
            requests.push(Request::Select { claim, count });
            let steps = 7..u64::from(count) + 7;
            requests.push(Request::Challenge { claim, steps });
            requests.push(Request::Bits {
                ask: Ask::Witness,
                length: count,
            });
        }
        requests.push(Request::Support { claim, offered: 0 });
        for argues_for in [None, Some(1)] {
            requests.push(Request::Speech {
                argues_for,
                limits: SpeechLimits {
                    words: Some(750),
                    quotes: None,
                },
            });
        }
        requests
    }

    #[test]
    fn the_legal_replies_to_every_kind_of_request_are_in_the_strict_subset() {
        // One in which the prover writes supports of their own, and one in which nobody does.
        for scenario in ["primes", "open"] {
            let setup = Setup::bundled(scenario, &Limits::default()).unwrap();
            let instance = setup.instance(0);
            for request in every_kind(&instance) {
                let composes = instance.composing(instance.root()).is_some();
                if matches!(request, Request::Support { offered: 0, .. }) && !composes {
                    continue;
                }
                let schema = serde_json::to_value(legal(&request, &instance)).unwrap();
                assert_eq!(loose(&schema, true), None, "{request:?}: {schema}");
            }
        }
    }
}
