//! Requests to players in the form of messages, as the asked seat may see them.

use serde::Serialize;

use super::event::{ClaimsMentionedInEvents, requested_bits_name};
use super::reply::MAX_BITS;
use debate_core::number::{Exact, format_canonical};
use debate_core::protocol::{BitsMeaning, PendingTurn, Request, Seat};
use debate_core::scenario::{ClaimId, Instance};
use debate_text::{
    DebateNarrator, FormulaCharacterSet, PendingQuestionInLines, StepWithWrittenBit,
    ViewerPerspective, prepared_reply_bits,
};

/// Maximum number of steps of a computation that a request lists.
const MAX_STEPS: u64 = 1000;

/// A request to a player. It names each claim by its index in the view's `claims`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestMessage {
    /// The question in words.
    pub question: String,
    /// The evidence that the asked player may see, if the scenario has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// True if the answer must depend on this request only. A copy of the player without knowledge of the debate
    /// answers it, so its view has no events.
    pub context_free: bool,
    #[serde(flatten)]
    pub asked: RequestMessageFields,
}

/// The content of a request, by its kind.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RequestMessageFields {
    /// Is the claim true?
    Answer { claim: usize },
    /// The probability of the claim.
    Probability {
        claim: usize,
        /// Index of the claim to estimate among its sibling claims, from 0; null for the root.
        place: Option<u32>,
        /// True if the estimate must ignore the coins of this round.
        alone: bool,
        /// The results of this round's coins so far.
        given: Vec<EarlierCoinInSameRound>,
    },
    /// A request to bet: is the probability stated for the claim too low, about right or too high?
    Direction {
        claim: usize,
        /// The probability as a fraction.
        stated: Option<String>,
    },
    /// A request to choose a support, a decomposition of the claim.
    Support {
        claim: usize,
        offered: Vec<OfferedSupport>,
        /// Maximum number of subclaims of a support in your own words; null if you cannot write one.
        compose: Option<u32>,
    },
    /// The choice of a subclaim.
    Select {
        claim: usize,
        count: u32,
        /// The subclaims in their order.
        on: Vec<usize>,
    },
    /// A request for a number from 0 to 1, as if drawn uniformly. Together with the other player's number it decides a
    /// coin.
    Share { claim: usize },
    /// A request to challenge one step of the computation as wrong, or to challenge none.
    Challenge {
        claim: usize,
        /// The first step that can be challenged.
        first: u64,
        /// The last step that can be challenged.
        last: u64,
        steps: Vec<StepWithWrittenBit>,
    },
    /// A string of bits.
    Bits {
        #[serde(skip_serializing_if = "Option::is_none")]
        claim: Option<usize>,
        /// The meaning of the bits.
        what: &'static str,
        length: u32,
        /// The prepared bits, a proposal that the reply may repeat or change. Null if there are more than 4,096 bits,
        /// and for proof bits and claimed answers.
        prepared: Option<String>,
        /// The answer to the claim that the claimed answers of its subclaims must imply.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<bool>,
        /// The subclaims for which the player claims answers, in order.
        #[serde(skip_serializing_if = "Option::is_none")]
        on: Option<Vec<usize>>,
        /// The steps of the computation that the player must write down; only the first ones if there are many.
        #[serde(skip_serializing_if = "Option::is_none")]
        steps: Option<Vec<StepWithWrittenBit>>,
    },
    /// The question to the judge: is this claim true?
    Oracle {
        claim: usize,
        /// The proof bits given for the claim, in the order in which its check reads them.
        proof: String,
    },
    /// A speech.
    Speech {
        /// The answer for which the asked seat argues; null for a judge.
        argues_for: Option<String>,
        /// The source text that can be quoted; null for a judge, who has not read it.
        source: Option<String>,
        /// Maximum number of characters in all of the speech's own words together; null if there is no limit.
        most_words: Option<u32>,
        /// Maximum number of characters in all quotations of the speech together.
        most_quoted: Option<u32>,
    },
    /// A request to the judge: hear another round, or end the debate.
    Continue {
        /// The number of the next round, from 1.
        round: u32,
    },
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "GivenCoin")]
pub struct EarlierCoinInSameRound {
    pub claim: usize,
    pub value: bool,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferedSupport {
    pub label: Option<String>,
    pub gate: String,
    pub on: Vec<usize>,
}

impl RequestMessage {
    /// Returns the pending request of a debate as a message; `None` if it is a request to chance.
    pub(super) fn of(
        asked: &PendingQuestionInLines<'_, '_>,
        turn: &PendingTurn<Exact>,
        numbers: &mut ClaimsMentionedInEvents,
    ) -> Option<Self> {
        let instance = asked.instance;
        let log = asked.seating.log();
        let narrator = DebateNarrator::new(instance, FormulaCharacterSet::Unicode);
        let question = narrator
            .seen_from(ViewerPerspective::of_seat(turn.seat))
            .pending_question(turn, log);
        let kind = RequestMessageFields::of(asked, turn, &mut |claim| {
            numbers.number_of_claim(instance, claim)
        })?;
        Some(Self {
            question: question.text,
            evidence: question.evidence,
            context_free: turn.request.is_log_hidden_from_replying_player(),
            asked: kind,
        })
    }
}

impl RequestMessageFields {
    fn of(
        asked: &PendingQuestionInLines<'_, '_>,
        turn: &PendingTurn<Exact>,
        number: &mut impl FnMut(ClaimId) -> usize,
    ) -> Option<Self> {
        let instance = asked.instance;
        let log = asked.seating.log();
        Some(match &turn.request {
            Request::Answer { claim } => Self::Answer {
                claim: number(*claim),
            },
            Request::Probability {
                claim,
                place,
                alone,
            } => {
                let is_given = !*alone && place.is_some();
                let mut coins = log.coins_since_split();
                coins.retain(|(of, _)| is_given && of != claim);
                let claim = number(*claim);
                let coins = coins
                    .into_iter()
                    .map(|(claim, value)| EarlierCoinInSameRound {
                        claim: number(claim),
                        value,
                    });
                Self::Probability {
                    claim,
                    place: *place,
                    alone: *alone,
                    given: coins.collect(),
                }
            }
            Request::Direction { claim } => Self::Direction {
                claim: number(*claim),
                stated: log.claim_probability_at_round_start().map(format_canonical),
            },
            Request::Support { claim, .. } => Self::Support {
                claim: number(*claim),
                offered: offered(instance, *claim, number),
                compose: instance.max_prover_written_subclaims(*claim),
            },
            Request::Select { claim, count } => {
                let mut parts = log.subclaims_in_last_split(*claim, instance);
                if parts.len() != *count as usize {
                    parts.clear();
                }
                Self::Select {
                    claim: number(*claim),
                    count: *count,
                    on: parts.into_iter().map(number).collect(),
                }
            }
            Request::Share { claim } => Self::Share {
                claim: number(*claim),
            },
            Request::Challenge { claim, steps } => Self::Challenge {
                claim: number(*claim),
                first: steps.start,
                last: steps.end.saturating_sub(1),
                steps: steps_of(asked, steps.start, steps.end),
            },
            Request::Bits { ask, length } => bits(asked, turn, *ask, *length, number),
            Request::Oracle { claim } => {
                let proof = asked.seating.state().proof_bits_of_leaf();
                Self::Oracle {
                    claim: number(*claim),
                    proof: debate_core::protocol::BitString::from(proof).to_string(),
                }
            }
            Request::Speech { argues_for, limits } => {
                let own = instance.as_two_answer_question().zip(*argues_for);
                let answer = own.map(|(question, place)| question.answers()[usize::from(place)]);
                Self::Speech {
                    argues_for: answer.map(str::to_owned),
                    source: own.map(|(question, _)| question.source().as_str().to_owned()),
                    most_words: limits.words,
                    most_quoted: limits.quotes,
                }
            }
            Request::Continue { round } => Self::Continue { round: *round },
            Request::Draw { .. } => return None,
        })
    }
}

/// Returns the supports, possible decompositions into subclaims, that are listed for a claim.
fn offered(
    instance: &Instance,
    claim: ClaimId,
    number: &mut impl FnMut(ClaimId) -> usize,
) -> Vec<OfferedSupport> {
    let supports = instance.supports(claim).iter().enumerate();
    let offered = supports.map(|(place, support)| OfferedSupport {
        label: instance.support_label(claim, place).map(str::to_owned),
        gate: support.gate.describe_gate_over_inputs(support.on.len()),
        on: support.on.iter().map(|part| number(*part)).collect(),
    });
    offered.collect()
}

fn steps_of(
    asked: &PendingQuestionInLines<'_, '_>,
    first: u64,
    end: u64,
) -> Vec<StepWithWrittenBit> {
    let Some(computed) = asked.seating.state().transcript() else {
        return Vec::new();
    };
    let most = first.saturating_add(MAX_STEPS);
    let last = end.min(computed.computation.steps()).min(most);
    let steps =
        (first..last).map(|step| StepWithWrittenBit::from_prover_transcript(&computed, step));
    steps.collect()
}

fn bits(
    asked: &PendingQuestionInLines<'_, '_>,
    turn: &PendingTurn<Exact>,
    ask: BitsMeaning,
    length: u32,
    number: &mut impl FnMut(ClaimId) -> usize,
) -> RequestMessageFields {
    let prepared = ask.can_program_prepare_bits() && length <= MAX_BITS;
    let mut result = None;
    let mut support = None;
    if let BitsMeaning::Answers {
        claim,
        support: place,
        result: owed,
    } = ask
    {
        result = Some(owed);
        support = asked.instance.support(claim, place);
    }
    let writes = matches!(ask, BitsMeaning::Transcript { .. });
    RequestMessageFields::Bits {
        claim: turn.request.claim_of_request().map(&mut *number),
        what: requested_bits_name(ask),
        length,
        prepared: prepared.then(|| prepared_reply_bits(asked.seating, &turn.request).to_string()),
        result,
        on: support.map(|support| support.on.iter().map(|part| number(*part)).collect()),
        steps: writes.then(|| steps_of(asked, 0, u64::from(length))),
    }
}

/// Returns the seat of a turn, if a player and not chance is to move.
pub(super) fn player_seat_of_turn(turn: &PendingTurn<Exact>) -> Option<Seat> {
    Some(turn.seat).filter(|seat| *seat != Seat::Chance)
}
