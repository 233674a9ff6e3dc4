//! Replies as saves write them: `Answer(true)`, `Probability("1/3")`, `Direction(TooLow)`. A support in the prover's
//! own words is `Compose(gate: All, on: ["…", "…"], judged: [1])`. A long bit string is
//! `BulkBits(length: 1000000, flips: [17], digest: "…")`.

use std::fmt;

use super::long_bits::{MAX_WRITTEN, SavedLongBits};
use super::sidecar::Sidecar;
use super::syntax::{RonStructFields, SaveTextMistake, ron_options, ron_string_literal};
use debate_core::number::{Exact, format_canonical};
use debate_core::protocol::{BitString, Reply};
use debate_core::scenario::{ProverWrittenSupport, Speech, SpeechPart};

/// A reply as a line of a save stores it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged))]
pub enum SavedReply {
    /// A reply in full.
    Whole(Reply<Exact>),
    /// A long bit string, stored by its differences from bits that can be computed again from the debate, or in a file
    /// beside the save. Of refused bits that were not requested, only the digest is stored.
    LongBits(
        #[cfg_attr(
            feature = "schema",
            schemars(with = "super::long_bits::SavedLongBitsFields")
        )]
        SavedLongBits,
    ),
}

impl SavedReply {
    /// Removes a field that contains a reply from the fields of a save's line, and returns the reply.
    pub(super) fn take_reply_field(
        fields: &mut RonStructFields<'_>,
        field: &str,
    ) -> Result<Option<Self>, SaveTextMistake> {
        let is_long = |raw: &str| raw.starts_with("BulkBits");
        Ok(if fields.peek_raw_ron_value(field).is_some_and(is_long) {
            fields.optional(field)?.map(Self::LongBits)
        } else {
            fields.optional(field)?.map(Self::Whole)
        })
    }

    /// Converts a reply to its form on a save's line, given the bits that the rules prepared. Also returns the file
    /// that must be stored beside the save, if any.
    pub(super) fn stored_form_of(
        reply: &Reply<Exact>,
        prepared: Option<&BitString>,
    ) -> (Self, Option<Sidecar>) {
        match reply {
            Reply::Bits(bits) if bits.len() > MAX_WRITTEN => {
                let (bulk, sidecar) = SavedLongBits::stored_form_of(bits, prepared);
                (Self::LongBits(bulk), sidecar)
            }
            reply => (Self::Whole(reply.clone()), None),
        }
    }

    /// Converts a refused reply whose bits were not requested in this length to its form on a save's line.
    pub(super) fn refused_reply_with_long_bits_as_digest(reply: &Reply<Exact>) -> Self {
        match reply {
            Reply::Bits(bits) if bits.len() > MAX_WRITTEN => {
                Self::LongBits(SavedLongBits::refused_bits_as_digest(bits))
            }
            reply => Self::Whole(reply.clone()),
        }
    }

    /// Reads a reply that a save's line stores in full.
    ///
    /// # Errors
    /// Returns the mistake in the text, as a sentence.
    pub fn parse_reply_stored_in_full(ron_text: &str) -> Result<Reply<Exact>, String> {
        let read = ron_options().from_str(ron_text);
        read.map_err(|error| SaveTextMistake::from(error).what)
    }

    /// Returns the number of characters of the probability or confidence that the reply contains; 0 if it contains
    /// none. Other numbers in the reply, such as indices, do not count.
    pub(super) fn stated_probability_character_count(&self) -> usize {
        match self {
            Self::Whole(
                Reply::Probability(p)
                | Reply::Oracle {
                    confidence: Some(p),
                    ..
                },
            ) => format_canonical(p).len(),
            _ => 0,
        }
    }
}

impl fmt::Display for SavedReply {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(reply) => out.write_str(&write(reply)),
            Self::LongBits(bulk) => bulk.fmt(out),
        }
    }
}

/// Returns the text of a reply in a save.
fn write(reply: &Reply<Exact>) -> String {
    let number = |value: &Exact| ron_string_literal(&format_canonical(value));
    match reply {
        Reply::Answer(answer) => format!("Answer({answer})"),
        Reply::Probability(p) => format!("Probability({})", number(p)),
        Reply::Direction(bet) => format!("Direction({bet:?})"),
        Reply::Support(place) => format!("Support({place})"),
        Reply::Compose(composed) => write_support(composed),
        Reply::Select(place) => format!("Select({place})"),
        Reply::Bits(bits) => format!("Bits(\"{bits}\")"),
        Reply::Challenge(step) => format!("Challenge({step:?})"),
        Reply::Speech(speech) => write_speech(speech),
        Reply::Continue(continues) => format!("Continue({continues})"),
        Reply::Oracle { holds, confidence } => match confidence {
            None => format!("Oracle(holds: {holds})"),
            Some(p) => format!("Oracle(holds: {holds}, confidence: {})", number(p)),
        },
        Reply::Drawn(value) => format!("Drawn({value})"),
    }
}

/// Writes a speech in the notation of saves: `Speech([Text("…"), Quote("…")])`.
fn write_speech(speech: &Speech) -> String {
    let parts: Vec<String> = speech
        .parts
        .iter()
        .map(|part| match part {
            SpeechPart::Text(words) => format!("Text({})", ron_string_literal(words)),
            SpeechPart::Quote(words) => format!("Quote({})", ron_string_literal(words)),
        })
        .collect();
    format!("Speech([{}])", parts.join(", "))
}

/// Returns the text in a save of a support (decomposition into subclaims) in the prover's own words.
fn write_support(composed: &ProverWrittenSupport) -> String {
    let parts = composed.parts.iter();
    let on: Vec<String> = parts
        .clone()
        .map(|part| ron_string_literal(&part.text))
        .collect();
    let judged: Vec<String> = parts
        .enumerate()
        .filter(|(_, part)| part.judged)
        .map(|(place, _)| place.to_string())
        .collect();
    let judged = match judged.join(", ") {
        none if none.is_empty() => none,
        places => format!(", judged: [{places}]"),
    };
    let (gate, on) = (&composed.gate, on.join(", "));
    format!("Compose(gate: {gate:?}, on: [{on}]{judged})")
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::long_bits::LongBitsStorageInSave;
    use super::*;
    use debate_core::digest::Digest;
    use debate_core::gate::Gate;
    use debate_core::number::Number as _;
    use debate_core::protocol::Bet;
    use debate_core::scenario::ProverWrittenSubclaim;

    /// Returns a proptest strategy that generates arbitrary replies, legal or not.
    pub(in super::super) fn replies() -> impl Strategy<Value = Reply<Exact>> {
        let number = || (-3_i64..1000, 1_i64..1000).prop_map(|(a, b)| Exact::ratio(a, b));
        prop_oneof![
            any::<bool>().prop_map(Reply::Answer),
            number().prop_map(Reply::Probability),
            (0..3_usize).prop_map(|bet| Reply::Direction(Bet::ALL[bet])),
            any::<u32>().prop_map(Reply::Support),
            any::<u32>().prop_map(Reply::Select),
            supports().prop_map(|composed| Reply::Compose(Box::new(composed))),
            proptest::collection::vec(any::<bool>(), 0..9)
                .prop_map(|bits| Reply::Bits(BitString::from(bits))),
            proptest::option::of(any::<u64>()).prop_map(Reply::Challenge),
            any::<bool>().prop_map(Reply::Continue),
            speeches().prop_map(|speech| Reply::Speech(Box::new(speech))),
            (any::<bool>(), proptest::option::of(number()))
                .prop_map(|(holds, confidence)| Reply::Oracle { holds, confidence }),
            any::<u64>().prop_map(Reply::Drawn),
        ]
    }

    /// Returns a proptest strategy that generates arbitrary speeches, legal or not.
    fn speeches() -> impl Strategy<Value = Speech> {
        let part = prop_oneof![
            any::<String>().prop_map(SpeechPart::Text),
            ".{0,9}".prop_map(SpeechPart::Quote),
        ];
        proptest::collection::vec(part, 0..5).prop_map(|parts| Speech { parts })
    }

    /// Returns a proptest strategy that generates arbitrary supports (decompositions of a claim), legal or not.
    fn supports() -> impl Strategy<Value = ProverWrittenSupport> {
        let gates = prop_oneof![
            Just(Gate::All),
            Just(Gate::Any),
            Just(Gate::Majority),
            any::<u32>().prop_map(Gate::AtLeast),
            Just(Gate::Not),
            Just(Gate::Xor),
        ];
        let part = (".{0,9}", any::<bool>())
            .prop_map(|(text, judged)| ProverWrittenSubclaim { text, judged });
        (gates, proptest::collection::vec(part, 0..5))
            .prop_map(|(gate, parts)| ProverWrittenSupport { gate, parts })
    }

    /// Returns a proptest strategy that generates arbitrary replies in their form on a save's line.
    pub(in super::super) fn saved() -> impl Strategy<Value = SavedReply> {
        let storage = prop_oneof![
            proptest::collection::vec(any::<u64>(), 0..5).prop_map(LongBitsStorageInSave::Flips),
            Just(LongBitsStorageInSave::Sidecar),
            Just(LongBitsStorageInSave::Nowhere),
        ];
        let bulk =
            (any::<u64>(), any::<[u8; 3]>(), storage).prop_map(|(length, bytes, storage)| {
                SavedLongBits {
                    length,
                    digest: Digest::digest_of_bytes(&bytes),
                    storage,
                }
            });
        prop_oneof![
            9 => replies().prop_map(SavedReply::Whole),
            3 => bulk.prop_map(SavedReply::LongBits),
        ]
    }

    #[test]
    fn a_digest_is_no_path() {
        let digest = "0".repeat(64);
        let wrong = "../".repeat(21) + "x";
        let read = |fields: &str| {
            let text = format!("(r: BulkBits(length: 5, {fields}))");
            SavedReply::take_reply_field(
                &mut RonStructFields::read_struct_fields("Event", &text).unwrap(),
                "r",
            )
        };
        assert!(read(&format!("digest: \"{digest}\"")).is_ok());
        assert!(read(&format!("digest: \"{wrong}\", sidecar: true")).is_err());
        let both = format!("flips: [], digest: \"{digest}\", sidecar: true");
        assert!(read(&both).is_err());
    }

    proptest! {
        #[test]
        fn a_whole_reply_reads_back_alone(reply in replies()) {
            let text = SavedReply::Whole(reply.clone()).to_string();
            prop_assert_eq!(SavedReply::parse_reply_stored_in_full(&text), Ok(reply));
        }

        #[test]
        fn replies_read_back(reply in saved()) {
            let text = format!("(r: {reply})");
            let mut fields = RonStructFields::read_struct_fields("Event", &text).unwrap();
            prop_assert_eq!(SavedReply::take_reply_field(&mut fields, "r"), Ok(Some(reply)));
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
