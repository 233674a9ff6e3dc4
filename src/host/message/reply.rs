//! Replies as JSON, as other programs write them: `{"probability": "1/3"}`, `{"select": 0}`. The field names are those
//! of saves, in snake case.
//!
//! [`read_reply`] reads a reply. [`legal_reply_schema`] returns the legal replies to a request as a JSON Schema. The
//! schema uses the strict subset that model providers accept for structured outputs. The root is an object without
//! `anyOf`. Every property is required, and no other property is allowed. An enumeration has at most 500 values.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::{Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use debate_core::gate::Gate;
use debate_core::number::{Exact, MAX_NUMBER, format_canonical, parse};
use debate_core::protocol::{Bet, BitString, Reply, Request};
use debate_core::scenario::{
    Instance, ProverWrittenSupport, SavedProverSupport, Speech, SpeechError,
};
use debate_text::NamedTexts;

/// A reply: an object with one field. A null field counts as absent, except `challenge` in reply to a request
/// `challenge`.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
pub struct ReplyMessage {
    /// True if the player answers that the claim of the request is true.
    pub answer: Option<bool>,
    /// The player's probability, from 0 to 1: the reply to a request `probability`. In reply to a request `share`, it
    /// is the player's random half of a coin.
    pub probability: Option<JsonNumberOrText>,
    /// The bet that the stated probability is too high, about right or too low.
    #[schemars(extend("enum" = ["too_high", "about_right", "too_low", null]))]
    pub direction: Option<String>,
    /// Index of the chosen support (decomposition into subclaims) among the offered ones, from 0.
    pub support: Option<u32>,
    /// A support, a decomposition into subclaims, in the prover's own words.
    pub compose: Option<ComposedSupportReply>,
    /// Index of the subclaim with which the debate continues, from 0.
    pub select: Option<u32>,
    /// The player's bits, as a string of the digits 0 and 1.
    pub bits: Option<String>,
    /// Bits given by their differences from the prepared bits, or from zeros if no bits are prepared.
    pub bulk_bits: Option<FlippedPreparedBitsReply>,
    /// Number of the step that the opponent challenges, or null to challenge none.
    pub challenge: Option<u64>,
    /// The judge's answer.
    pub oracle: Option<JudgeAnswerReply>,
    /// A speech: words, and quotations between `<quote>` and `</quote>`. An empty text is an empty speech.
    pub speech: Option<String>,
    /// The judge's decision: true for another round, false for the end of the debate.
    pub r#continue: Option<bool>,
}

/// A number: a string such as "1/3", "0.62" or "62%", or a JSON number. A probability is from 0 to 1.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "SpokenNumber")]
pub enum JsonNumberOrText {
    Text(String),
    Number(serde_json::Number),
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ComposeMessage")]
pub struct ComposedSupportReply {
    #[cfg_attr(feature = "schema", schemars(schema_with = "composed_gate_schema"))]
    gate: Value,
    /// The subclaims, in words.
    on: Vec<String>,
    /// Indices, from 0, of the subclaims that the judge answers directly.
    #[serde(default)]
    judged: Option<Vec<usize>>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "BulkBitsMessage")]
pub struct FlippedPreparedBitsReply {
    /// Indices, from 0, of the bits that differ from the prepared ones.
    flips: Vec<u64>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "OracleMessage")]
pub struct JudgeAnswerReply {
    /// True if the judge believes the claim.
    holds: bool,
    /// The judge's probability of the claim, from 0 to 1. It does not affect the debate.
    #[serde(default)]
    confidence: Option<JsonNumberOrText>,
}

/// Bets and their names.
const DIRECTIONS: [(&str, Bet); 3] = [
    ("too_high", Bet::TooHigh),
    ("about_right", Bet::AboutRight),
    ("too_low", Bet::TooLow),
];

/// Gates and their names, except `at_least`, which takes a number.
const GATES: [(&str, Gate); 5] = [
    ("all", Gate::All),
    ("any", Gate::Any),
    ("majority", Gate::Majority),
    ("not", Gate::Not),
    ("xor", Gate::Xor),
];

#[cfg(feature = "schema")]
fn composed_gate_schema(_: &mut SchemaGenerator) -> Schema {
    StrictSchema {
        description: MEANINGS.get("gate").cloned(),
        ..gate_schema()
    }
    .into()
}

/// The reason why a JSON value is not a reply.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum JsonReplyError {
    #[error("a reply must be an object such as {{\"{field}\": …}}", field = .0)]
    NoObject(&'static str),
    #[error("the reply has none of the known fields; give {field:?}", field = .0)]
    Nothing(&'static str),
    #[error("the reply has both fields {first:?} and {second:?}; give only one", first = .0, second = .1)]
    Two(&'static str, &'static str),
    #[error("the field `{field}` cannot be read: {why}")]
    Field { field: &'static str, why: String },
    #[error("`{text}` is not a number; write one such as 0.62, \"1/3\" or \"62%\"", text = .0)]
    NoNumber(String),
    #[error("a number of the reply has more than {MAX_NUMBER} characters as a fraction")]
    LongNumber,
    #[error("the number {index} is not a valid index into {length} bits; give each index at most once, counted from 0", index = .0, length = .1)]
    NoCapacity(u64, usize),
    #[error("{0}")]
    Speech(#[from] SpeechError),
}

/// The content of the field that a reply consists of.
struct FieldContent<'r> {
    field: &'static str,
    value: &'r Value,
    /// The bits that `flips` changes.
    prepared: &'r dyn Fn() -> BitString,
}

type Reader = fn(&FieldContent<'_>) -> Result<Reply<Exact>, JsonReplyError>;

/// Every field that a reply can have, with the function that reads it.
const READERS: [(&str, Reader); 12] = [
    ("answer", |content| content.read().map(Reply::Answer)),
    ("probability", |content| {
        let p: JsonNumberOrText = content.read()?;
        p.read().map(Reply::Probability)
    }),
    ("direction", |content| {
        Ok(Reply::Direction(content.named(&DIRECTIONS, content.value)?))
    }),
    ("support", |content| content.read().map(Reply::Support)),
    ("compose", |content| {
        let support = content.composed_support()?;
        Ok(Reply::Compose(Box::new(support)))
    }),
    ("select", |content| content.read().map(Reply::Select)),
    ("bits", |content| content.read().map(Reply::Bits)),
    ("bulk_bits", |content| {
        content.flipped_bits().map(Reply::Bits)
    }),
    ("challenge", |content| content.read().map(Reply::Challenge)),
    ("oracle", |content| {
        let oracle: JudgeAnswerReply = content.read()?;
        Ok(Reply::Oracle {
            holds: oracle.holds,
            confidence: oracle.confidence.map(|p| p.read()).transpose()?,
        })
    }),
    ("speech", |content| {
        let text: String = content.read()?;
        Ok(Reply::Speech(Box::new(Speech::parse(text.trim())?)))
    }),
    ("continue", |content| content.read().map(Reply::Continue)),
];

/// Parses the reply to a request. The rules check its legality separately. `prepared` returns the bits that `flips`
/// changes.
///
/// # Errors
/// If the value is not a reply.
pub fn read_reply(
    value: &Value,
    request: &Request<Exact>,
    prepared: impl Fn() -> BitString,
) -> Result<Reply<Exact>, JsonReplyError> {
    let asked = request.reply_name();
    let Value::Object(object) = value else {
        return Err(JsonReplyError::NoObject(asked));
    };
    let given = |reader: &(&'static str, Reader)| match object.get(reader.0) {
        // If a step is asked for, null is a reply: no challenge.
        Some(Value::Null) => reader.0 == "challenge" && asked == "challenge",
        value => value.is_some(),
    };
    let mut readers = READERS.into_iter().filter(given);
    let (field, read) = readers.next().ok_or(JsonReplyError::Nothing(asked))?;
    if let Some((second, _)) = readers.next() {
        return Err(JsonReplyError::Two(field, second));
    }
    let value = &object[field];
    read(&FieldContent {
        field,
        value,
        prepared: &prepared,
    })
}

impl FieldContent<'_> {
    fn unread(&self, why: &dyn ToString) -> JsonReplyError {
        JsonReplyError::Field {
            field: self.field,
            why: why.to_string(),
        }
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, JsonReplyError> {
        T::deserialize(self.value).map_err(|error| self.unread(&error))
    }

    /// Returns the value to which the list `all` gives this name.
    fn named<T: Clone>(&self, all: &[(&str, T)], name: &Value) -> Result<T, JsonReplyError> {
        let of_this_name = all.iter().find(|(known, _)| name == known);
        of_this_name.map(|(_, one)| one.clone()).ok_or_else(|| {
            let known: Vec<String> = all.iter().map(|(known, _)| format!("`{known}`")).collect();
            self.unread(&format!(
                "the value {value} is none of {known_values}",
                value = name,
                known_values = known.join(", ")
            ))
        })
    }

    fn composed_support(&self) -> Result<ProverWrittenSupport, JsonReplyError> {
        let ComposedSupportReply { gate, on, judged } = self.read()?;
        let gate = match gate.get("at_least") {
            None => self.named(&GATES, &gate)?,
            Some(count) => {
                let count = u32::deserialize(count);
                Gate::AtLeast(count.map_err(|error| self.unread(&error))?)
            }
        };
        let written = SavedProverSupport {
            gate,
            on,
            judged: judged.unwrap_or_default(),
        };
        written.try_into().map_err(|why: &str| self.unread(&why))
    }

    /// Returns the prepared bits with the bits at the given indices flipped.
    fn flipped_bits(&self) -> Result<BitString, JsonReplyError> {
        let FlippedPreparedBitsReply { mut flips } = self.read()?;
        flips.sort_unstable();
        let mut bits = (self.prepared)().as_slice().to_vec();
        let mut last = None;
        for place in flips {
            let wrong = JsonReplyError::NoCapacity(place, bits.len());
            let index = usize::try_from(place).ok().filter(|_| last != Some(place));
            let bit = index.and_then(|index| bits.get_mut(index)).ok_or(wrong)?;
            (*bit, last) = (!*bit, Some(place));
        }
        Ok(bits.into())
    }
}

impl JsonNumberOrText {
    fn read(&self) -> Result<Exact, JsonReplyError> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        };
        let value = parse(&text)
            .map_err(|_malformed| JsonReplyError::NoNumber(text.chars().take(40).collect()))?;
        if format_canonical(&value).len() > MAX_NUMBER {
            return Err(JsonReplyError::LongNumber);
        }
        Ok(value)
    }
}

/// Maximum number of values that a schema lists as an enumeration. For a larger range, the schema states only the type.
const MAX_LISTED: u64 = 500;

/// Maximum length of a bit string that is requested in full. A longer one is requested as its differences from the
/// prepared bits.
pub const MAX_BITS: u32 = 4096;

/// A JSON Schema in the strict subset that model providers accept for structured outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    fn words<const COUNT: usize>(words: [&str; COUNT]) -> Self {
        Self {
            values: Some(words.map(Value::from).into()),
            ..Self::of("string")
        }
    }

    /// Returns the schema of an integer from `from` up to, but not including, `to`.
    fn integers(from: u64, to: u64) -> Self {
        let listed = to.saturating_sub(from) <= MAX_LISTED;
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

    /// Adds a description to each field of the schema that has none yet.
    fn with_meanings(mut self, places: &Value) -> Self {
        let properties = self.properties.iter_mut().flatten();
        for (name, schema) in properties {
            let meaning = MEANINGS
                .has_text(name)
                .then(|| MEANINGS.filled_text(name, places));
            let described = Self {
                description: schema.description.take().or(meaning),
                ..std::mem::take(schema)
            };
            *schema = described.with_meanings(places);
        }
        for schema in self.any_of.iter_mut().flatten() {
            *schema = std::mem::take(schema).with_meanings(places);
        }
        self
    }
}

#[cfg(feature = "schema")]
impl From<StrictSchema> for Schema {
    fn from(schema: StrictSchema) -> Self {
        // Cannot fail: the schema consists of strings, lists and objects.
        let value = serde_json::to_value(schema).unwrap_or_default();
        value.try_into().unwrap_or_default()
    }
}

/// The description of each field of a reply, with placeholders for values of the request.
static MEANINGS: NamedTexts = NamedTexts::new(include_str!("reply.ron"));

/// Returns the JSON Schema of the legal replies to a request. Its descriptions state rules that a schema cannot express,
/// for example that a number is a probability. Only the request itself states the answer that claimed answers must
/// imply.
pub fn legal_reply_schema(request: &Request<Exact>, instance: &Instance) -> StrictSchema {
    let of = StrictSchema::of;
    let only = |field, schema| StrictSchema::object([(field, schema)]);
    let mut places = Value::Null;
    let schema = match request {
        Request::Answer { .. } => only("answer", of("boolean")),
        Request::Probability { .. } | Request::Share { .. } => {
            let kinds = ["number", "string"].map(StrictSchema::of);
            only("probability", StrictSchema::any(kinds))
        }
        Request::Direction { .. } => {
            let names = StrictSchema::words(DIRECTIONS.map(|(name, _)| name));
            only("direction", names)
        }
        Request::Support { claim, offered } => {
            let most = instance.max_prover_written_subclaims(*claim);
            places = json!({ "most": most });
            support(*offered, most.is_some())
        }
        Request::Select { count, .. } => {
            only("select", StrictSchema::integers(0, u64::from(*count)))
        }
        Request::Challenge { steps, .. } => {
            places = json!({ "first": steps.start, "last": steps.end.saturating_sub(1) });
            let numbers = StrictSchema::integers(steps.start, steps.end);
            only("challenge", numbers.or_null())
        }
        Request::Bits { length, .. } => {
            places = json!({ "length": length });
            if *length > MAX_BITS {
                let flips = StrictSchema::list(of("integer"));
                only("bulk_bits", only("flips", flips))
            } else {
                let pattern = Some(format!("^[01]{{{length}}}$"));
                let bits = StrictSchema {
                    pattern,
                    ..of("string")
                };
                only("bits", bits)
            }
        }
        Request::Oracle { .. } => {
            let confidence = StrictSchema::any(["number", "string", "null"].map(StrictSchema::of));
            let fields = [("holds", of("boolean")), ("confidence", confidence)];
            only("oracle", StrictSchema::object(fields))
        }
        Request::Speech { argues_for, limits } => {
            let words = limits.words;
            let quotes = limits.quotes;
            places = json!({ "argues": argues_for.is_some(), "words": words, "quotes": quotes });
            only("speech", of("string"))
        }
        Request::Continue { .. } => only("continue", of("boolean")),
        // Only chance draws, so no player receives this request.
        Request::Draw { .. } => StrictSchema::object([]),
    };
    schema.with_meanings(&places)
}

/// Returns the schema of the gates with which a prover may join the subclaims of its own support.
fn gate_schema() -> StrictSchema {
    StrictSchema::any([
        StrictSchema::words(GATES.map(|(name, _)| name)),
        StrictSchema::object([("at_least", StrictSchema::of("integer"))]),
    ])
}

/// Returns the schema of the choice of an offered support (decomposition of a claim). If `composes` is true, it also
/// allows one in the prover's own words.
fn support(offered: u32, composes: bool) -> StrictSchema {
    let listed = StrictSchema::integers(0, u64::from(offered));
    if !composes {
        return StrictSchema::object([("support", listed)]);
    }
    let texts = StrictSchema::list(StrictSchema::of("string"));
    let places = StrictSchema::list(StrictSchema::of("integer"));
    let fields = [("gate", gate_schema()), ("on", texts), ("judged", places)];
    let compose = StrictSchema::object(fields);
    if offered == 0 {
        return StrictSchema::object([("compose", compose)]);
    }
    let either = |schema: StrictSchema| StrictSchema {
        description: MEANINGS.get("either").cloned(),
        ..schema.or_null()
    };
    let listed = StrictSchema {
        description: MEANINGS.get("support").cloned(),
        ..listed
    };
    StrictSchema::object([("support", either(listed)), ("compose", either(compose))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strict::loose;
    use debate_core::number::Number as _;
    use debate_core::protocol::BitsMeaning;
    use debate_core::scenario::{ProverWrittenSubclaim, SpeechCharacterLimits};
    use debate_solver::setup::{LoadedScenario, ScenarioLimits};

    fn bits(length: u32) -> Request<Exact> {
        Request::Bits {
            ask: BitsMeaning::Witness,
            length,
        }
    }

    fn read(value: &Value, request: &Request<Exact>) -> Result<Reply<Exact>, JsonReplyError> {
        read_reply(value, request, || BitString::zeros(4))
    }

    #[test]
    fn every_reply_is_read() {
        let composed = ProverWrittenSupport {
            gate: Gate::AtLeast(2),
            parts: vec![
                ProverWrittenSubclaim::new("one"),
                ProverWrittenSubclaim {
                    text: "two".to_owned(),
                    judged: true,
                },
            ],
        };
        for (written, reply) in [
            (json!({"answer": false}), Reply::Answer(false)),
            (
                json!({"probability": "1/3"}),
                Reply::Probability(Exact::ratio(1, 3)),
            ),
            (
                json!({"direction": "too_low"}),
                Reply::Direction(Bet::TooLow),
            ),
            (json!({"support": 3}), Reply::Support(3)),
            (
                json!({"compose": {"gate": {"at_least": 2}, "on": ["one", "two"], "judged": [1]}}),
                Reply::Compose(Box::new(composed)),
            ),
            (json!({"select": 0}), Reply::Select(0)),
            (
                json!({"bits": "0110"}),
                Reply::Bits(BitString::parse("0110").unwrap()),
            ),
            (json!({"challenge": 17}), Reply::Challenge(Some(17))),
            (
                json!({"oracle": {"holds": true, "confidence": "9/10", "mood": 1}}),
                Reply::Oracle {
                    holds: true,
                    confidence: Some(Exact::ratio(9, 10)),
                },
            ),
            (
                json!({"speech": " so "}),
                Reply::Speech(Box::new(Speech::from_own_words("so"))),
            ),
            (
                json!({"speech": "a\tb\r\nc\u{ad}"}),
                Reply::Speech(Box::new(Speech::from_own_words("a b\nc"))),
            ),
            (json!({"continue": true}), Reply::Continue(true)),
        ] {
            assert_eq!(read(&written, &bits(4)), Ok(reply), "{written}");
        }
        let unread = |value: Value| read(&value, &bits(4)).unwrap_err().to_string();
        assert_eq!(
            unread(json!({"direction": "up"})),
            "the field `direction` cannot be read: the value \"up\" is none of `too_high`, `about_right`, `too_low`"
        );
        let gate = |gate: Value| unread(json!({"compose": {"gate": gate, "on": []}}));
        assert!(gate(json!("most")).contains("none of `all`"));
        assert!(gate(json!({"at_least": -2})).contains("invalid value"));
        let judged = json!({"compose": {"gate": "all", "on": ["a"], "judged": [0, 0]}});
        assert!(unread(judged).contains("ascending, each once"));
    }

    #[test]
    fn the_meanings_of_fields_are_read() {
        let unlike = [
            "on",
            "gate",
            "judged",
            "holds",
            "confidence",
            "flips",
            "either",
        ];
        for name in MEANINGS.text_names() {
            let is_inner = unlike.contains(&name);
            assert!(
                is_inner || READERS.iter().any(|(field, _)| *field == name),
                "{name}"
            );
        }
    }

    #[cfg(feature = "schema")]
    #[test]
    fn the_schema_has_every_field() {
        let schema = schemars::schema_for!(ReplyMessage);
        let fields = schema.get("properties").and_then(Value::as_object).unwrap();
        let mut names = READERS.map(|(name, _)| name);
        names.sort_unstable();
        assert!(fields.keys().eq(&names), "{fields:?}");
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
            Err(JsonReplyError::NoNumber("likely".into()))
        );
        assert!(p(json!([1])).is_err());
    }

    #[test]
    fn null_means_absent_except_for_a_challenge() {
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
            Err(JsonReplyError::Nothing("bits"))
        );
        assert_eq!(
            read(&json!({"select": 1, "answer": true}), &bits(1)),
            Err(JsonReplyError::Two("answer", "select"))
        );
        assert_eq!(
            read(&json!([]), &bits(1)),
            Err(JsonReplyError::NoObject("bits"))
        );
    }

    fn challenge_request(kept: &mut Option<Instance>) -> Request<Exact> {
        let setup = LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default());
        let instance = kept.insert(setup.unwrap().instance(0));
        Request::Challenge {
            claim: instance.root(),
            steps: 0..4,
        }
    }

    #[test]
    fn long_bits_are_given_by_their_differences() {
        let flips = |flips: Value| read(&json!({"bulk_bits": {"flips": flips}}), &bits(4));
        assert_eq!(
            flips(json!([2])),
            Ok(Reply::Bits(BitString::parse("0010").unwrap()))
        );
        assert_eq!(flips(json!([4])), Err(JsonReplyError::NoCapacity(4, 4)));
        assert_eq!(flips(json!([1, 1])), Err(JsonReplyError::NoCapacity(1, 4)));
        assert_eq!(
            read(&json!({"bits": "012"}), &bits(3)),
            Err(JsonReplyError::Field {
                field: "bits",
                why: "bits are written as 0 and 1".to_owned()
            })
        );
    }

    /// Returns requests of every kind, small and large.
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
                ask: BitsMeaning::Witness,
                length: count,
            });
        }
        requests.push(Request::Support { claim, offered: 0 });
        for argues_for in [None, Some(1)] {
            requests.push(Request::Speech {
                argues_for,
                limits: SpeechCharacterLimits {
                    words: Some(750),
                    quotes: None,
                },
            });
        }
        requests
    }

    #[test]
    fn the_legal_replies_to_every_kind_of_request_are_in_the_strict_subset() {
        // One scenario in which the prover writes supports, and one without written supports.
        for scenario in ["primes", "open"] {
            let setup = LoadedScenario::load_bundled_scenario(scenario, &ScenarioLimits::default())
                .unwrap();
            let instance = setup.instance(0);
            for request in every_kind(&instance) {
                let composes = instance
                    .max_prover_written_subclaims(instance.root())
                    .is_some();
                if matches!(request, Request::Support { offered: 0, .. }) && !composes {
                    continue;
                }
                let schema = serde_json::to_value(legal_reply_schema(&request, &instance)).unwrap();
                assert_eq!(loose(&schema, true), None, "{request:?}: {schema}");
            }
        }
    }
}
