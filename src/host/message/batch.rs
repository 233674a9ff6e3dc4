//! Messages of a batch: many debates of one scenario that are stepped together, for learning programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{DebateStartRequest, SeatName};
use debate_core::Instance;
use debate_core::player::SeatedDebate;
use debate_core::protocol::{PendingTurn, Reply, Round, Rules as _};

/// A request to begin a batch of debates. The batch has no saves, and its requests contain no texts. `number` is the
/// index of its first debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename = "OpenBatch")]
pub struct DebateBatchStartRequest {
    #[serde(flatten)]
    pub debate: DebateStartRequest,
    /// Number of concurrent debates: 1 to 4,096.
    #[serde(default = "one")]
    pub count: u32,
    /// Number of evenly spaced probabilities from 0 to 1 that players can state: 2 to 1,001.
    #[serde(default = "points")]
    pub points: u32,
}

/// A request to copy debates of a batch into another batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename = "ForkBatch")]
pub struct DebateBatchForkRequest {
    /// A text that the sender chooses; the answer `opened` or `error` repeats it.
    #[serde(default)]
    pub id: Option<String>,
    /// The handle of the batch whose debates are copied.
    pub batch: String,
    /// For each debate of the new batch the index of the copied debate. A debate can be copied more than once.
    pub slots: Vec<usize>,
    /// The seed of all later coins. Copies are then the debates 0, 1, … under this seed, so their coins differ. By
    /// default, each copy keeps the coins of the copied debate.
    #[serde(default)]
    pub seed: Option<String>,
}

fn one() -> u32 {
    1
}

fn points() -> u32 {
    21
}

/// For each kind of request, by the name of its reply: the largest number of replies to choose from.
pub type ReplyCounts = BTreeMap<String, usize>;

/// A debate of a batch: the pending request to the caller, or the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "BatchSlot")]
pub struct BatchDebateStatus {
    /// The index of the debate among the debates with the same seed.
    pub number: u64,
    /// The seat whose reply is requested in this debate; null if the debate is over.
    pub seat: Option<SeatName>,
    /// The name of the requested reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<&'static str>,
    /// An identifier of the claim that the request is about, equal for claims that look the same; absent if the request
    /// is about no claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<u64>,
    /// The index of the requested claim among its siblings, from 0, or the index of the requested proof bit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
    /// The current round's number. Rounds are counted down, so it is also the number of rounds that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The probability stated for the claim, if the pending request is to bet on it: is it too low or too high?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<f64>,
    /// The outcomes of this round's coins so far that the requested estimate may depend on, in the order in which they
    /// were tossed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coins: Vec<bool>,
    /// The number of possible replies; a reply is given by its index, from 0. For `answer`, `oracle` and `continue`,
    /// index 0 is true. For `direction`, the order is from too high to too low. For `challenge`, index 0 is none. For
    /// `probability`, the indices are the points from 0 to 1. For `bits`, the index is the bits as a binary number.
    pub replies: usize,
    /// Indices of illegal replies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub illegal: Vec<usize>,
    /// A digest of the seat's observations, equal for debates that the seat cannot tell apart, except by prior
    /// knowledge of the instance. 0 if the reply must depend on the request only.
    pub seen: u64,
    /// The prover's payoff so far.
    pub payoff: f64,
}

impl BatchDebateStatus {
    /// Sets the fields of the slot from the pending request.
    pub(crate) fn fill(
        &mut self,
        instance: &Instance,
        seating: &SeatedDebate<'_, f64>,
        turn: &PendingTurn<f64>,
        replies: &[Reply<f64>],
    ) {
        let request = &turn.request;
        let state = seating.state();
        self.seat = SeatName::player_seat_name(turn.seat);
        self.asks = Some(request.reply_name());
        let appearance_fingerprint = |claim| instance.nontext_appearance_fingerprint(claim)[0];
        self.claim = request.claim_of_request().map(appearance_fingerprint);
        self.place = request
            .index_among_siblings()
            .or_else(|| request.requested_proof_bit());
        if !request.is_log_hidden_from_replying_player() {
            self.round = match state.round() {
                Some(Round::Number(number)) => Some(number),
                _ => None,
            };
        }
        if self.asks == Some("direction") {
            self.stated = seating.log().claim_probability_at_round_start().copied();
        }
        if request.may_depend_on_sibling_coins() {
            let coins = seating.log().coins_since_split().into_iter();
            let others = coins.filter(|(claim, _)| Some(*claim) != request.claim_of_request());
            self.coins = others.map(|(_, value)| value).collect();
        }
        self.replies = replies.len();
        // Only bit strings can be against the rules.
        if request.meaning_of_bits().is_some() {
            let tried = replies.iter().enumerate();
            let illegal = tried.filter(|(_, reply)| {
                seating
                    .immediate_reward_if_legal((*reply).clone())
                    .is_none()
            });
            self.illegal = illegal.map(|(place, _)| place).collect();
        }
    }
}
