//! The lines of a save, one for each event, and the JSON Schema of all lines.
//!
//! A save is a RON document. Its header, each of its events and its end have separate hashes, and each is one object in
//! the schema. A RON struct is a JSON object, and an enum variant is an object with one field.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::syntax::{
    self, MAX_AMOUNT, RonStructFields, SaveTextMistake, ron_fields, ron_string_literal,
    ron_text_map,
};
use super::{ReplyCost, SavedReply};
use debate_core::number::MAX_NUMBER;
use debate_core::protocol::{Event, Reply, Seat, SeatResourceCosts};
use debate_core::scenario::BitSource;

/// An event line of a save: a move, an undo, a refused reply or a fault. Unlike an event of the log, it records a reply
/// itself and not the consequences.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveEventLine {
    /// Number of the event in the save, from 1.
    pub n: u64,
    /// Number of the event's line in the file, from 1.
    pub line: usize,
    pub kind: SavedEventKind,
    /// Bits that the verifier read because of this event, each as "step 17 = 1".
    pub read: Vec<String>,
    pub meta: ReplyMeta,
    /// Fields of the line that only a later version of the program knows, each with its value as text.
    pub unknown: Vec<(String, String)>,
}

/// The kind of an event, with its content.
#[derive(Clone, Debug, PartialEq)]
pub enum SavedEventKind {
    /// A reply of a player.
    Reply {
        seat: Seat,
        reply: SavedReply,
        /// The player's own costs of finding this reply, such as oracle queries. They do not follow from the rules, so
        /// the save states them.
        spent: SeatResourceCosts,
    },
    /// A coin toss.
    Toss {
        /// The 53-bit integer that was drawn from the seed for this coin.
        integer: u64,
        /// The coin's probability, with which the integer was compared, in canonical form.
        p: String,
        value: bool,
    },
    /// Several samples drawn at once.
    Sample {
        /// The 53-bit integer that was drawn from the seed for these samples.
        integer: u64,
        count: u64,
        /// The probability that a sample is 1, in canonical form.
        p: String,
        ones: u64,
    },
    /// An undo of a reply and everything after it.
    Undo {
        /// The number of the event that is undone.
        from: u64,
    },
    /// A refused reply of a player, recorded as a comment on the turn. It does not affect the debate.
    Refused {
        seat: Seat,
        reply: SavedReply,
        why: String,
    },
    /// Another failure of a player, recorded as a comment on the turn. If it ends the debate, the closing line states a
    /// forfeit.
    Fault {
        seat: Seat,
        /// The kind of the player's failure: `timeout`, `crash`, `stall`, `bad_json` and so on.
        fault: String,
        why: String,
    },
}

/// Metadata of a player's reply. It does not affect the debate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplyMeta {
    /// Thinking time of a person or an engine, in milliseconds.
    pub ms: Option<u64>,
    pub note: Option<String>,
    /// The cost of the reply, as reported by the program that gave it.
    pub cost: Option<ReplyCost>,
    /// The name and version of the program that replied, stated at its first reply.
    pub engine: Option<String>,
    /// The options of the program that replied, stated at its first reply.
    pub options: BTreeMap<String, String>,
}

impl ReplyMeta {
    /// Returns metadata that contains only the thinking time.
    pub fn with_thinking_ms(ms: u64) -> Self {
        Self {
            ms: Some(ms),
            ..Self::default()
        }
    }
}

impl SaveEventLine {
    /// Returns the part of the save's line from which the line's hash is computed.
    pub(super) fn line_text_to_hash(&self) -> String {
        let mut out = format!("        (n: {}, ", self.n);
        // Writing to a string cannot fail.
        let _ = match &self.kind {
            SavedEventKind::Reply { seat, reply, .. } => {
                write!(out, "seat: {seat:?}, reply: {reply}")
            }
            SavedEventKind::Toss { integer, p, value } => {
                let reply = format!("Drawn({integer}), p: {}", ron_string_literal(p));
                write!(out, "seat: Chance, reply: {reply}, value: {value}")
            }
            SavedEventKind::Sample {
                integer,
                count,
                p,
                ones,
            } => {
                let reply = format!("Drawn({integer}), p: {}", ron_string_literal(p));
                write!(
                    out,
                    "seat: Chance, reply: {reply}, count: {count}, ones: {ones}"
                )
            }
            SavedEventKind::Undo { from } => write!(out, "undo: {from}"),
            SavedEventKind::Refused { seat, reply, why } => {
                let why = ron_string_literal(why);
                write!(out, "seat: {seat:?}, refused: {reply}, why: {why}")
            }
            SavedEventKind::Fault { seat, fault, why } => {
                let (fault, why) = (ron_string_literal(fault), ron_string_literal(why));
                write!(out, "seat: {seat:?}, fault: {fault}, why: {why}")
            }
        };
        if !self.read.is_empty() {
            let bits: Vec<String> = self
                .read
                .iter()
                .map(|bit| ron_string_literal(bit))
                .collect();
            let _ = write!(out, ", read: [{}]", bits.join(", "));
        }
        if let SavedEventKind::Reply { spent, .. } = &self.kind {
            out.push_str(&write_spent(*spent));
        }
        if let Some(ms) = self.meta.ms {
            let _ = write!(out, ", ms: {ms}");
        }
        if let Some(note) = &self.meta.note {
            let _ = write!(out, ", note: {}", ron_string_literal(note));
        }
        if let Some(cost) = &self.meta.cost {
            out.push_str(&cost.save_line_cost_field());
        }
        if let Some(engine) = &self.meta.engine {
            let _ = write!(out, ", engine: {}", ron_string_literal(engine));
        }
        if !self.meta.options.is_empty() {
            let _ = write!(out, ", options: {}", ron_text_map(&self.meta.options));
        }
        for (name, raw) in &self.unknown {
            let _ = write!(out, ", {name}: {raw}");
        }
        out
    }

    /// Parses the part of a save's line that the line's hash covers.
    pub(super) fn read_save_line(body: &str, line: usize) -> Result<Self, SaveTextMistake> {
        let text = format!("{body})");
        let mut fields = RonStructFields::read_struct_fields("Event", &text)?;
        let n = fields.required("n")?;
        let kind = SavedEventKind::read(&mut fields)?;
        let tells_bits = kind.is_move();
        let bits = tells_bits.then(|| fields.optional("read")).transpose()?;
        let read = Self {
            n,
            line,
            kind,
            read: bits.flatten().unwrap_or_default(),
            meta: ReplyMeta {
                ms: fields.optional("ms")?,
                note: fields.optional("note")?,
                cost: fields.optional("cost")?,
                engine: fields.optional("engine")?,
                options: fields.optional("options")?.unwrap_or_default(),
            },
            unknown: fields.unknown_fields(),
        };
        if !read.fits_number_limits_of_saves() {
            return Err("a number in this save line is too large".to_owned().into());
        }
        Ok(read)
    }

    /// True if no number in the line exceeds the limits of saves.
    pub(super) fn fits_number_limits_of_saves(&self) -> bool {
        let (longest, spent) = match &self.kind {
            SavedEventKind::Reply { reply, spent, .. } => {
                (reply.stated_probability_character_count(), *spent)
            }
            SavedEventKind::Refused { reply, .. } => (
                reply.stated_probability_character_count(),
                SeatResourceCosts::default(),
            ),
            _ => (0, SeatResourceCosts::default()),
        };
        let mut amounts = amounts(spent)
            .map(|(_, amount)| amount)
            .into_iter()
            .chain(self.meta.ms);
        let costs = self
            .meta
            .cost
            .as_ref()
            .is_none_or(|cost| cost.validate_reported_cost().is_ok());
        longest <= MAX_NUMBER && costs && amounts.all(|amount| amount <= MAX_AMOUNT)
    }
}

impl SavedEventKind {
    fn read(fields: &mut RonStructFields<'_>) -> Result<Self, SaveTextMistake> {
        if let Some(from) = fields.optional("undo")? {
            return Ok(Self::Undo { from });
        }
        let seat: Seat = fields.required("seat")?;
        if let Some(fault) = fields.optional("fault")? {
            let why = fields.required("why")?;
            return Ok(Self::Fault { seat, fault, why });
        }
        if let Some(reply) = SavedReply::take_reply_field(fields, "refused")? {
            let why = fields.required("why")?;
            return Ok(Self::Refused { seat, reply, why });
        }
        let Some(reply) = SavedReply::take_reply_field(fields, "reply")? else {
            return Err("the field `reply` is missing".to_owned().into());
        };
        match (seat, reply) {
            (Seat::Chance, SavedReply::Whole(Reply::Drawn(integer))) => {
                let p = fields.required("p")?;
                Ok(match fields.optional("count")? {
                    None => Self::Toss {
                        integer,
                        p,
                        value: fields.required("value")?,
                    },
                    Some(count) => Self::Sample {
                        integer,
                        count,
                        p,
                        ones: fields.required("ones")?,
                    },
                })
            }
            (Seat::Chance, _) | (_, SavedReply::Whole(Reply::Drawn(_))) => Err(
                "the reply Drawn(…) belongs to the seat Chance, which has no other reply"
                    .to_owned()
                    .into(),
            ),
            (seat, reply) => {
                let spent = fields.optional("spent")?.unwrap_or_default();
                Ok(Self::Reply { seat, reply, spent })
            }
        }
    }

    /// True if the line is a move of the debate: a seat's reply, a coin, or a drawing of several samples.
    pub fn is_move(&self) -> bool {
        matches!(
            self,
            Self::Reply { .. } | Self::Toss { .. } | Self::Sample { .. }
        )
    }

    /// Returns the seat whose reply was illegal or unreadable; `None` for every other line.
    pub fn seat_of_illegal_reply(&self) -> Option<Seat> {
        match self {
            Self::Refused { seat, .. } => Some(*seat),
            Self::Fault { seat, fault, .. } if fault == "illegal" || fault == "bad_json" => {
                Some(*seat)
            }
            _ => None,
        }
    }

    /// Returns the seat whose reply, rejected reply or fault this line records, or [`Seat::Chance`] for a random draw.
    /// `None` for an undo, because a save does not store the seat that requested it.
    pub fn seat_unless_undo(&self) -> Option<Seat> {
        match self {
            Self::Reply { seat, .. } | Self::Refused { seat, .. } | Self::Fault { seat, .. } => {
                Some(*seat)
            }
            Self::Toss { .. } | Self::Sample { .. } => Some(Seat::Chance),
            Self::Undo { .. } => None,
        }
    }
}

/// Returns the amounts that a player itself spent on a reply, such as oracle queries, each with the name of its field.
fn amounts(spent: SeatResourceCosts) -> [(&'static str, u64); 5] {
    [
        ("oracle_queries", spent.oracle_queries),
        ("bits_read", spent.bits_read),
        ("configurations_read", spent.configurations_read),
        ("samples", spent.samples),
        ("calls", spent.calls),
    ]
}

/// Returns the `spent` field of a save's line; empty if no cost was recorded.
fn write_spent(spent: SeatResourceCosts) -> String {
    match ron_fields(syntax::amounts(amounts(spent))) {
        none if none.is_empty() => none,
        some => format!(", spent: ({some})"),
    }
}

/// Maximum number of bits listed for one reply. If the verifier read more bits, the list ends with the number of bits
/// that it leaves out.
pub(super) const MAX_READ: usize = 1024;

/// Returns the bits that a verifier read because of one reply, in the form of a save's line.
pub(super) fn bits_read<'e, N: 'e>(
    events: impl Iterator<Item = &'e Event<N>> + Clone,
) -> Vec<String> {
    let read = events.filter_map(Event::read_bit_source_value_and_is_verifier_examined);
    let words = |(source, value, verifier)| bit_in_words(source, value, verifier);
    let mut named: Vec<String> = read.clone().take(MAX_READ).map(words).collect();
    if let more @ 1.. = read.skip(MAX_READ).count() {
        named.push(format!("and {more} more"));
    }
    named
}

fn bit_in_words(source: BitSource, value: bool, verifier: bool) -> String {
    let whose = if verifier { "verifier's " } else { "" };
    let bit = u8::from(value);
    match source {
        BitSource::Input(index) => format!("{whose}input {index} = {bit}"),
        BitSource::Witness(index) => format!("{whose}witness {index} = {bit}"),
        BitSource::Step(step) => format!("{whose}step {step} = {bit}"),
    }
}

/// The schema of the hashed parts of a save: the header, each event and the end, as in `line/schema.json`.
#[cfg(feature = "schema")]
pub struct SaveLineSchema;

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SaveLineSchema {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SaveLineSchema".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        // The schema file refers to these types by name.
        generator.subschema_for::<super::header::SaveBranchPoint>();
        generator.subschema_for::<super::header::SaveHeaderPlayers>();
        generator.subschema_for::<Seat>();
        generator.subschema_for::<SavedReply>();
        generator.subschema_for::<SeatResourceCosts>();
        generator.subschema_for::<ReplyCost>();
        generator.subschema_for::<super::SavedDebateEnd>();
        // A test checks that the file can be read.
        let mut schema: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(include_str!("line/schema.json")).unwrap_or_default();
        if let Some(serde_json::Value::Object(parts)) = schema.remove("$defs") {
            generator.definitions_mut().extend(parts);
        }
        schema.into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::reply::tests::saved;
    use super::*;
    use debate_core::protocol::Reply;

    #[cfg(feature = "schema")]
    #[test]
    fn every_reference_in_the_schema_has_a_definition() {
        let schema = schemars::schema_for!(SaveLineSchema);
        let text = serde_json::to_string(&schema).unwrap();
        let names = text.split("\"#/$defs/").skip(1);
        let parts = schema.get("$defs").and_then(serde_json::Value::as_object);
        let parts = parts.expect("the parts of a save");
        assert!(parts.contains_key("EventSchema"), "{text}");
        for name in names.filter_map(|rest| rest.split('"').next()) {
            assert!(parts.contains_key(&name.replace("%20", " ")), "{name}");
        }
    }

    fn seats() -> impl Strategy<Value = Seat> {
        (0..3_usize).prop_map(|seat| Seat::PLAYERS[seat])
    }

    fn line_kinds() -> impl Strategy<Value = SavedEventKind> {
        let spent =
            (0..3_u64, 0..2_u64, 0..2_u64, 0..2_u64).prop_map(|(a, b, c, d)| SeatResourceCosts {
                oracle_queries: a,
                bits_read: b,
                configurations_read: b,
                samples: c,
                calls: d,
            });
        let drawn = |reply: &SavedReply| matches!(reply, SavedReply::Whole(Reply::Drawn(_)));
        let spoken = || saved().prop_filter("chance's", move |reply| !drawn(reply));
        prop_oneof![
            (seats(), spoken(), spent).prop_map(|(seat, reply, spent)| SavedEventKind::Reply {
                seat,
                reply,
                spent
            }),
            (any::<u64>(), "[0-9/]{1,5}", any::<bool>())
                .prop_map(|(integer, p, value)| SavedEventKind::Toss { integer, p, value }),
            (any::<u64>(), any::<u64>(), "[0-9/]{1,5}", any::<u64>()).prop_map(
                |(integer, count, p, ones)| SavedEventKind::Sample {
                    integer,
                    count,
                    p,
                    ones
                }
            ),
            any::<u64>().prop_map(|from| SavedEventKind::Undo { from }),
            (seats(), saved(), ".*").prop_map(|(seat, reply, why)| SavedEventKind::Refused {
                seat,
                reply,
                why
            }),
            (seats(), ".*", ".*").prop_map(|(seat, fault, why)| SavedEventKind::Fault {
                seat,
                fault,
                why
            }),
        ]
    }

    fn costs() -> impl Strategy<Value = ReplyCost> {
        let money = proptest::option::of("[0-9]{1,3}(\\.[0-9]{1,9})?");
        let text = || proptest::option::of("[^\n]{0,20}");
        (0..=MAX_AMOUNT, 0..9_u64, money, text(), text()).prop_map(
            |(tokens_in, calls, usd, model, temperature)| ReplyCost {
                calls,
                tokens_in,
                usd,
                model,
                temperature,
                ..ReplyCost::default()
            },
        )
    }

    proptest! {
        #[test]
        fn lines_read_back(
            n in any::<u64>(), kind in line_kinds(), ms in proptest::option::of(0..=MAX_AMOUNT),
            note in proptest::option::of(".*"), known in any::<bool>(),
            read in proptest::collection::vec("[a-z]+ [0-9]+ = [01]", 0..3),
            cost in proptest::option::of(costs()), engine in proptest::option::of(".*"),
            options in proptest::collection::btree_map(".*", ".*", 0..3),
        ) {
            let unknown = if known { Vec::new() } else { vec![("mood".to_owned(), "Some([1])".to_owned())] };
            let read = if kind.is_move() { read } else { Vec::new() };
            let line = SaveEventLine { n, line: 7, kind, read, meta: ReplyMeta { ms, note, cost, engine, options }, unknown };
            let written = line.line_text_to_hash();
            prop_assert!(!written.contains('\n'));
            prop_assert_eq!(SaveEventLine::read_save_line(&written, 7), Ok(line));
        }
    }

    #[test]
    fn amounts_that_could_overflow_a_sum_are_refused() {
        let line = |field: &str| format!("(n: 1, seat: Judge, reply: Oracle(holds: true), {field}");
        for field in ["ms: 1099511627776", "spent: (calls: 7)"] {
            assert!(
                SaveEventLine::read_save_line(&line(field), 1).is_ok(),
                "{field}"
            );
        }
        for field in [
            "ms: 1099511627777",
            "spent: (calls: 18446744073709551615)",
            "ms: -1",
        ] {
            assert!(
                SaveEventLine::read_save_line(&line(field), 1).is_err(),
                "{field}"
            );
        }
    }
}

#[cfg(test)]
mod bits_read_tests {
    use super::*;

    fn reading(source: BitSource, value: bool, verifier: bool) -> Event<f64> {
        Event::Read {
            source,
            value,
            verifier,
        }
    }

    #[test]
    fn bits_are_named_by_source_and_index() {
        let events = [
            reading(BitSource::Input(3), false, false),
            reading(BitSource::Witness(0), true, false),
            reading(BitSource::Step(17), true, true),
            Event::Ended { payoff: 0.0 },
        ];
        let told = ["input 3 = 0", "witness 0 = 1", "verifier's step 17 = 1"];
        assert_eq!(bits_read(events.iter()), told);
    }

    #[test]
    fn a_line_stays_short_however_much_is_read() {
        let steps = 0..MAX_READ as u64 + 7;
        let events: Vec<_> = steps
            .map(|step| reading(BitSource::Step(step), true, false))
            .collect();
        let told = bits_read(events.iter());
        assert_eq!(told.len(), MAX_READ + 1);
        assert_eq!(told.last().map(String::as_str), Some("and 7 more"));
    }
}
