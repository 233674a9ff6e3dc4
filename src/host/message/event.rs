//! Events of a debate and its claims in the form of messages, as one reader sees them.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use debate_core::number::{Exact, Number as _, format_canonical};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{BitsMeaning, Event, LogEntry, ReplySeal, Reward};
use debate_core::scenario::{BitId, BitSource, ClaimId, Instance, SpeechPart};
use debate_text::verifier_check_text_name;

/// Maximum length of a bit string that is exported in full. For a longer one only the length is exported.
pub const MAX_BITS: usize = 4096;

/// Returns the outcome that an event records, as text: `true`, `too low`, `17`, the words of a speech. `None` if the
/// event records no outcome, or more than [`MAX_BITS`] bits.
pub fn event_outcome_text(event: &Event<Exact>) -> Option<String> {
    let truth = |holds: bool| Some(holds.to_string());
    match event {
        Event::Answered { answer, .. } | Event::Judged { answer, .. } => truth(*answer),
        Event::Tossed { value, .. } | Event::Read { value, .. } | Event::GaveBit { value, .. } => {
            truth(*value)
        }
        Event::Gated { holds, .. } | Event::Checked { holds, .. } => truth(*holds),
        Event::BetPlaced { bet, .. } => Some(bet.bet_in_words().to_owned()),
        Event::Supported { support, .. } => Some((support + 1).to_string()),
        Event::Selected { place, .. } => Some((place + 1).to_string()),
        Event::Claimed { answers, .. } => Some(answers.to_string()),
        Event::Challenged { step, .. } => {
            Some(step.map_or_else(|| "none".to_owned(), |step| step.to_string()))
        }
        Event::Gave { bits, .. } => (bits.len() <= MAX_BITS).then(|| bits.to_string()),
        Event::Shared { share, .. } => Some(format_canonical(share)),
        Event::Sampled { ones, .. } => Some(ones.to_string()),
        Event::Spoke { speech, .. } => Some(speech.to_string()),
        Event::Continued { continues } => truth(*continues),
        Event::Entered { .. }
        | Event::Estimated { .. }
        | Event::Parts { .. }
        | Event::Opened(_)
        | Event::Rewarded(_)
        | Event::Ended { .. } => None,
    }
}

/// The content of an event, by its kind. A claim is given by its index in `claims`. A number that a player stated
/// appears twice: as a floating-point number, and in the field with `_exact` as a fraction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[serde(rename = "EventFields")]
pub enum EventMessageFields {
    /// The start of a round.
    Entered {
        claim: usize,
        #[serde(flatten)]
        p: Option<ProbabilityWithExactText>,
    },
    /// A player's answer to the root claim.
    Answered {
        claim: usize,
        answer: bool,
    },
    Estimated {
        claim: usize,
        /// Index of the estimated claim among its sibling claims, from 0; null for the root.
        place: Option<u32>,
        /// True if the claim was estimated in isolation: before this round's coins were tossed, and without regard to
        /// them.
        alone: bool,
        #[serde(flatten)]
        p: ProbabilityWithExactText,
    },
    /// A coin toss.
    Tossed {
        claim: usize,
        /// Index of the claim whose coin was tossed among its sibling claims, from 0; null for the root.
        place: Option<u32>,
        value: bool,
        #[serde(flatten)]
        p: ProbabilityWithExactText,
    },
    #[serde(rename = "betted")]
    BetPlaced {
        claim: usize,
        /// The bet: 1 says that the estimate is too low, 0 about right, -1 too high.
        bet: i8,
    },
    /// The choice of a decomposition.
    Supported {
        claim: usize,
        /// Index of the chosen support (decomposition into subclaims) among the supports of the claim, from 0.
        support: u32,
        gate: Option<String>,
        on: Vec<usize>,
    },
    /// The prover's claimed answers to all subclaims of a support.
    Claimed {
        claim: usize,
        support: u32,
        answers: Vec<bool>,
    },
    /// The value of the claim's gate, computed from the coins of its subclaims.
    Gated {
        claim: usize,
        holds: bool,
    },
    /// The choice of the subclaim with which the debate continues.
    Selected {
        claim: usize,
        /// The seat of the player who chose the subclaim.
        by: &'static str,
        place: u32,
    },
    /// The decomposition of a claim.
    Parts {
        claim: usize,
        on: Vec<usize>,
    },
    /// Bits given by a player.
    Gave {
        #[serde(skip_serializing_if = "Option::is_none")]
        claim: Option<usize>,
        what: &'static str,
        length: usize,
        /// The bits that were sent; null if there are more than 4,096.
        bits: Option<String>,
    },
    /// A number from 0 to 1 that a player gave, to decide a coin together with the other player's number. A copy of the
    /// player without knowledge of the debate gave it.
    Shared {
        place: u32,
        share: f64,
        share_exact: String,
    },
    Challenged {
        /// The challenged step of the computation, from 0; null if no step is challenged.
        challenged: Option<u64>,
        /// True if the steps are those of the verifier's own computation.
        verifier: bool,
    },
    /// A bit that the verifier read.
    Read {
        from: &'static str,
        place: u64,
        value: bool,
        verifier: bool,
    },
    Sampled {
        /// The step.
        sampled: u64,
        ones: u64,
        count: u64,
    },
    Checked {
        check: &'static str,
        holds: bool,
    },
    /// A proof bit given by a player.
    GaveBit {
        bit: BitId,
        value: bool,
    },
    /// The judge's answer to the question whether a claim is true; `p` is the judge's confidence.
    Judged {
        claim: usize,
        answer: bool,
        #[serde(flatten)]
        p: Option<ProbabilityWithExactText>,
    },
    /// A speech.
    Spoke {
        /// The round of the speech, from 1; 0 before the first round.
        speech_round: u32,
        speech: Vec<SerializedSpeechPart>,
    },
    /// The judge decided whether to hear another round.
    Continued {
        goes_on: bool,
    },
    /// Sealed replies become visible with this event.
    Opened {
        opened: &'static str,
    },
    Rewarded {
        reward: f64,
        reward_exact: String,
        #[serde(flatten)]
        terms: RewardFormulaTerms,
    },
    /// The end of the debate.
    Ended {
        payoff_exact: String,
    },
}

/// A probability that a player stated.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Probability")]
pub struct ProbabilityWithExactText {
    pub p: f64,
    pub p_exact: String,
}

impl ProbabilityWithExactText {
    fn of(p: &Exact) -> Self {
        Self {
            p: p.to_float(),
            p_exact: format_canonical(p),
        }
    }
}

/// The numbers in a reward's formula, from which a reader can recompute the reward.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub enum RewardFormulaTerms {
    /// A reward for the answer: the weight, if the coin agrees with the answer.
    Agreement {
        weight: f64,
        coin: bool,
        answer: bool,
    },
    /// A reward for a bet: the weight times the bet times the error of the estimate.
    Bet {
        weight: f64,
        /// The bet: 1 says that the estimate is too low, 0 about right, -1 too high.
        bet: i8,
        outcome: bool,
        /// True if the judge, and not a coin, decided the outcome.
        judged: bool,
        #[serde(flatten)]
        p: ProbabilityWithExactText,
    },
    /// The reward of a debate that was decided: 1 if the prover wins, -1 if not.
    Decided {
        for_prover: bool,
    },
    /// The reward of a debate in free speeches: the judge's last probability of the prover's answer, minus one half.
    Persuaded {
        #[serde(flatten)]
        p: ProbabilityWithExactText,
    },
    Verdict {
        claimed: bool,
        answer: bool,
    },
}

/// A part of a speech.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
#[serde(rename = "SpeechPartMessage")]
pub enum SerializedSpeechPart {
    /// The speaker's own words.
    Text(String),
    /// A quotation from the source.
    Quote(String),
}

impl SerializedSpeechPart {
    /// Returns the words of this part of a speech: the speaker's own or quoted.
    pub fn text_of_speech_part(&self) -> &str {
        match self {
            Self::Text(words) | Self::Quote(words) => words,
        }
    }

    fn of(part: &SpeechPart) -> Self {
        match part {
            SpeechPart::Text(words) => Self::Text(words.clone()),
            SpeechPart::Quote(words) => Self::Quote(words.clone()),
        }
    }
}

impl From<SerializedSpeechPart> for SpeechPart {
    fn from(part: SerializedSpeechPart) -> Self {
        match part {
            SerializedSpeechPart::Text(words) => Self::Text(words),
            SerializedSpeechPart::Quote(words) => Self::Quote(words),
        }
    }
}

impl RewardFormulaTerms {
    fn of(reward: &Reward<Exact>) -> Self {
        match reward {
            Reward::Agreement {
                weight,
                coin,
                answer,
                ..
            } => Self::Agreement {
                weight: weight.to_float(),
                coin: *coin,
                answer: *answer,
            },
            Reward::Bet {
                weight,
                bet,
                outcome,
                judged,
                p,
                ..
            } => Self::Bet {
                weight: weight.to_float(),
                bet: bet.sign(),
                outcome: *outcome,
                judged: *judged,
                p: ProbabilityWithExactText::of(p),
            },
            Reward::Decided { for_prover } => Self::Decided {
                for_prover: *for_prover,
            },
            Reward::Persuaded { p } => Self::Persuaded {
                p: ProbabilityWithExactText::of(p),
            },
            Reward::Verdict { claimed, answer } => Self::Verdict {
                claimed: *claimed,
                answer: *answer,
            },
        }
    }
}

impl EventMessageFields {
    /// Converts an event to its content in messages; `number` returns the number of a claim.
    #[expect(clippy::too_many_lines, reason = "one arm a kind")]
    pub fn of(
        event: &Event<Exact>,
        instance: &Instance,
        mut number: impl FnMut(ClaimId) -> usize,
    ) -> Self {
        match event {
            Event::Entered { claim, p, .. } => Self::Entered {
                claim: number(*claim),
                p: p.as_ref().map(ProbabilityWithExactText::of),
            },
            Event::Answered { claim, answer } => Self::Answered {
                claim: number(*claim),
                answer: *answer,
            },
            Event::Estimated {
                claim,
                place,
                alone,
                p,
            } => Self::Estimated {
                claim: number(*claim),
                place: *place,
                alone: *alone,
                p: ProbabilityWithExactText::of(p),
            },
            Event::Tossed {
                claim,
                place,
                p,
                value,
            } => Self::Tossed {
                claim: number(*claim),
                place: *place,
                value: *value,
                p: ProbabilityWithExactText::of(p),
            },
            Event::BetPlaced { claim, bet, .. } => Self::BetPlaced {
                claim: number(*claim),
                bet: bet.sign(),
            },
            Event::Supported { claim, support } => {
                let chosen = instance.support(*claim, *support);
                let on = chosen.map_or(&[][..], |chosen| &chosen.on);
                Self::Supported {
                    claim: number(*claim),
                    support: *support,
                    gate: chosen.map(|chosen| chosen.gate.to_string()),
                    on: on.iter().map(|below| number(*below)).collect(),
                }
            }
            Event::Claimed {
                claim,
                support,
                answers,
            } => Self::Claimed {
                claim: number(*claim),
                support: *support,
                answers: answers.as_slice().to_vec(),
            },
            Event::Gated { claim, holds } => Self::Gated {
                claim: number(*claim),
                holds: *holds,
            },
            Event::Selected {
                by, place, chosen, ..
            } => Self::Selected {
                claim: number(*chosen),
                by: by.name_in_flags_and_json(),
                place: *place,
            },
            Event::Parts { claim, on } => Self::Parts {
                claim: number(*claim),
                on: on.iter().map(|below| number(*below)).collect(),
            },
            Event::Gave { ask, bits } => Self::Gave {
                claim: event.claim().map(number),
                what: requested_bits_name(*ask),
                length: bits.len(),
                bits: (bits.len() <= MAX_BITS).then(|| bits.to_string()),
            },
            Event::Shared { place, share } => Self::Shared {
                place: *place,
                share: share.to_float(),
                share_exact: format_canonical(share),
            },
            Event::Challenged { step, verifier } => Self::Challenged {
                challenged: *step,
                verifier: *verifier,
            },
            Event::Read {
                source,
                value,
                verifier,
            } => {
                let (from, place) = match source {
                    BitSource::Input(place) => ("input", *place),
                    BitSource::Witness(place) => ("witness", *place),
                    BitSource::Step(step) => ("step", *step),
                };
                Self::Read {
                    from,
                    place,
                    value: *value,
                    verifier: *verifier,
                }
            }
            Event::Sampled { step, ones, count } => Self::Sampled {
                sampled: *step,
                ones: *ones,
                count: *count,
            },
            Event::Checked { check, holds } => Self::Checked {
                check: verifier_check_text_name(*check),
                holds: *holds,
            },
            Event::GaveBit { bit, value } => Self::GaveBit {
                bit: *bit,
                value: *value,
            },
            Event::Judged {
                claim,
                answer,
                confidence,
            } => Self::Judged {
                claim: number(*claim),
                answer: *answer,
                p: confidence.as_ref().map(ProbabilityWithExactText::of),
            },
            Event::Spoke { round, speech } => Self::Spoke {
                speech_round: *round,
                speech: speech.parts.iter().map(SerializedSpeechPart::of).collect(),
            },
            Event::Continued { continues } => Self::Continued {
                goes_on: *continues,
            },
            Event::Opened(seal) => Self::Opened {
                opened: seal_name(*seal),
            },
            Event::Rewarded(reward) => {
                let value = reward.payment_to_prover();
                Self::Rewarded {
                    reward: value.to_float(),
                    reward_exact: format_canonical(&value),
                    terms: RewardFormulaTerms::of(reward),
                }
            }
            Event::Ended { payoff } => Self::Ended {
                payoff_exact: format_canonical(payoff),
            },
        }
    }
}

fn seal_name(seal: ReplySeal) -> &'static str {
    match seal {
        ReplySeal::Answer => "answer",
        ReplySeal::Bet(_) => "bet",
        ReplySeal::Share(_) => "share",
        ReplySeal::Speech(_) => "speech",
    }
}

pub fn requested_bits_name(meaning: BitsMeaning) -> &'static str {
    match meaning {
        BitsMeaning::Proof(_) => "proof",
        BitsMeaning::Answers { .. } => "answers",
        BitsMeaning::Configuration { .. } => "configuration",
        BitsMeaning::Witness => "witness",
        BitsMeaning::Transcript { verifier: false } => "transcript",
        BitsMeaning::Transcript { verifier: true } => "verifier_transcript",
        BitsMeaning::Block { .. } => "block",
    }
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "NumberedClaim")]
pub struct ClaimMentionedInEvents {
    pub text: String,
    pub short: String,
    /// The scenario's name for the claim, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The claims in events, numbered in the order of their first mention.
#[derive(Clone, Default)]
pub struct ClaimsMentionedInEvents {
    /// True if `claims` gives each claim's name in the scenario file too. Players must not see these names, because a
    /// name may reveal too much.
    tells_ids: bool,
    numbers: HashMap<ClaimId, usize>,
    pub claims: Vec<Arc<ClaimMentionedInEvents>>,
}

impl ClaimsMentionedInEvents {
    /// Creates an empty numbering that will also give each claim's name in the scenario file.
    pub fn with_scenario_claim_names() -> Self {
        Self {
            tells_ids: true,
            ..Self::default()
        }
    }

    /// Removes the claims with number `first_removed_number` or above from the numbering.
    pub fn remove_claims_numbered_from(&mut self, first_removed_number: usize) {
        if first_removed_number < self.claims.len() {
            self.claims.truncate(first_removed_number);
            self.numbers
                .retain(|_, number| *number < first_removed_number);
        }
    }

    /// Returns the number of a claim in events. A claim that has none gets the next number.
    pub fn number_of_claim(&mut self, instance: &Instance, claim: ClaimId) -> usize {
        let next = self.claims.len();
        let tells_ids = self.tells_ids;
        *self.numbers.entry(claim).or_insert_with(|| {
            self.claims.push(Arc::new(ClaimMentionedInEvents {
                text: instance.text(claim),
                short: instance.short_text(claim),
                id: instance
                    .claim_id_in_file(claim)
                    .filter(|_| tells_ids)
                    .map(str::to_owned),
            }));
            next
        })
    }
}

/// An event as a reader sees it, with a sentence that describes it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SeenEvent {
    pub seat: &'static str,
    pub text: String,
    /// The seal (reason for hiding) under which this event was kept from the other seats at first; absent if it was
    /// never sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sealed: Option<&'static str>,
    #[serde(flatten)]
    pub content: OpenOrSealedEvent,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
#[serde(rename = "EventContent")]
pub enum OpenOrSealedEvent {
    Open(EventMessageFields),
    /// An event whose content is still hidden (sealed) from the reader.
    Sealed {
        kind: &'static str,
    },
}

impl SeenEvent {
    /// Converts a log entry as a seat observes it; `text` is its sentence.
    pub fn of(
        entry: &LogEntry<Exact>,
        seen: &ObservedLogEntry<'_, Exact>,
        text: String,
        instance: &Instance,
        numbers: &mut ClaimsMentionedInEvents,
    ) -> Self {
        Self {
            seat: entry.seat.name_in_flags_and_json(),
            text,
            sealed: entry.seal.map(seal_name),
            content: match seen {
                ObservedLogEntry::Open(entry) => {
                    let number = |claim| numbers.number_of_claim(instance, claim);
                    OpenOrSealedEvent::Open(EventMessageFields::of(&entry.event, instance, number))
                }
                ObservedLogEntry::Sealed { .. } => OpenOrSealedEvent::Sealed {
                    kind: entry.event.event_kind_name(),
                },
            },
        }
    }
}
