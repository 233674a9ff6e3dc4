//! Messages of a batch: many debates of one scenario that are stepped together, for learning programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{NewDebate, SeatName};
use debate_core::Instance;
use debate_core::player::Seating;
use debate_core::protocol::{Reply, Round, Rules as _, Turn};

/// A batch that is to begin. It keeps no save and puts nothing into words. `number` is the number of its first debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct OpenBatch {
    #[serde(flatten)]
    pub debate: NewDebate,
    /// How many debates at once: 1 to 4,096.
    #[serde(default = "one")]
    pub count: u32,
    /// How many probabilities from 0 to 1, evenly spaced, can be said: 2 to 1,001.
    #[serde(default = "points")]
    pub points: u32,
}

fn one() -> u32 {
    1
}

fn points() -> u32 {
    21
}

/// The maximum number of replies to each kind of request, by the name of the reply.
pub type ReplyCounts = BTreeMap<String, usize>;

/// A debate of a batch: what the caller is asked in it, or that it is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatchSlot {
    /// The debate's number under the seed.
    pub number: u64,
    /// The seat that is asked; null where the debate is over.
    pub seat: Option<SeatName>,
    /// The name of the reply that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<&'static str>,
    /// The claim by a number that is the same wherever the claim looks the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<u64>,
    /// The claim's place among its siblings, from 0, or the proof bit that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
    /// The round under way, by the number of rounds after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The probability that a bet is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<f64>,
    /// The coins of the round that an estimate may depend on, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coins: Vec<bool>,
    /// How many replies there are; a reply is named by its place among them, from 0. Of `answer`, `oracle` and `continue`
    /// place 0 is true; of `direction` they go from too high to too low; of `challenge` place 0 is none; of `probability`
    /// they are the points from 0 to 1; of `bits` they are read as a binary number.
    pub replies: usize,
    /// Places of replies that are not legal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub illegal: Vec<usize>,
    /// A digest of all that the seat has seen: the same in the same information set, but for what seats know of the
    /// instance beforehand. 0 where the reply may depend on nothing but the request.
    pub seen: u64,
    /// What the prover has received so far.
    pub payoff: f64,
}

impl BatchSlot {
    /// Sets the fields from the pending request.
    pub(crate) fn fill(
        &mut self,
        instance: &Instance,
        seating: &Seating<'_, f64>,
        turn: &Turn<f64>,
        replies: &[Reply<f64>],
    ) {
        let request = &turn.request;
        let state = seating.state();
        self.seat = SeatName::of(turn.seat);
        self.asks = Some(request.reply_name());
        let appearance = |claim| instance.appearance(claim)[0];
        self.claim = request.claim().map(appearance);
        self.place = request.place().or_else(|| request.proof_bit());
        if !request.is_context_free() {
            self.round = match state.round() {
                Some(Round::Number(number)) => Some(number),
                _ => None,
            };
        }
        if self.asks == Some("direction") {
            self.stated = seating.log().probability_entered().copied();
        }
        if request.is_conditional() {
            let coins = seating.log().coins_of_round().into_iter();
            let others = coins.filter(|(claim, _)| Some(*claim) != request.claim());
            self.coins = others.map(|(_, value)| value).collect();
        }
        self.replies = replies.len();
        // Only bit strings can be against the rules.
        if request.ask().is_some() {
            let tried = replies.iter().enumerate();
            let illegal =
                tried.filter(|(_, reply)| seating.immediate_reward((*reply).clone()).is_none());
            self.illegal = illegal.map(|(place, _)| place).collect();
        }
    }
}
