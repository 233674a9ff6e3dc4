//! What one debate of a match came to, by its save.

use crate::record::{LineKind, RecordError, Save, SaveEnd, SeatCosts};
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Protocol, Reply, Rules as _, Seat};
use debate_core::scenario::Instance;
use num_traits::{One as _, Zero as _};

/// What a finished debate came to.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateResult {
    /// What Alice received; `None` where the fault of a player ended the debate.
    pub payoff: Option<f64>,
    /// Whose fault ended it, and which.
    pub forfeit: Option<(Seat, String)>,
    /// Whether Alice argued for what is true; `None` where nobody knows, or nobody asks her.
    pub prover_honest: Option<bool>,
    /// Whether the debate's answer is true.
    pub answer_correct: Option<bool>,
    /// Each question that the judge was asked and to which the answer is known: whether the judge was
    /// right. Of free speeches it is the last probability.
    pub judged: Vec<bool>,
    /// How many replies of prover, opponent and judge the rules refused.
    pub illegal: [u64; 3],
    pub costs: SeatCosts,
}

impl DebateResult {
    /// The result of a save about its instance; `None` where the debate has no end yet.
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed.
    pub fn of(save: &Save, instance: &Instance) -> Result<Option<Self>, RecordError> {
        let Some(end) = save.end() else {
            return Ok(None);
        };
        let history = save.history(instance)?;
        let state = history.state();
        let protocol = &save.header.protocol;
        let truth = instance.truth(instance.root());
        let known = truth.filter(|_| state.odds().is_none());
        let right = |answer: Option<bool>| Some(answer? == known?);
        let asked = protocol.conditions().asks(Seat::Prover, instance);
        let forfeit = match end {
            SaveEnd::Forfeit { seat, fault } => Some((*seat, fault.clone())),
            SaveEnd::Finished { .. } => None,
        };
        let over = forfeit.is_none();
        let judged = match protocol {
            Protocol::Speeches(_) if over => known.map(|truth| state.finding() == Some(truth)),
            _ => None,
        };
        let mut illegal = [0; 3];
        for line in save.lines() {
            if let LineKind::Refused { seat, .. } = &line.kind
                && let Some(count) = illegal.get_mut(seat.index())
            {
                *count += 1;
            }
        }
        Ok(Some(Self {
            payoff: over.then(|| state.payoff().to_float()),
            forfeit,
            prover_honest: right(state.answer().filter(|_| asked)),
            answer_correct: right(state.finding()).filter(|_| over),
            judged: match judged {
                Some(right) => vec![right],
                None => answers(history.timeline(), instance)?,
            },
            illegal,
            costs: save.costs(),
        }))
    }
}

/// For each question to the oracle that has one right answer, whether the judge gave it.
fn answers(
    timeline: &debate_core::player::Timeline<'_, Exact>,
    instance: &Instance,
) -> Result<Vec<bool>, RecordError> {
    let mut past = timeline.rewound();
    let mut judged = Vec::new();
    loop {
        let turn = past.state().request();
        let claim = turn
            .filter(|turn| turn.seat == Seat::Judge)
            .and_then(|turn| turn.request.claim());
        let truth = claim.and_then(|claim| instance.oracle(claim, &past.state().proof()));
        let Some(latest) = past.forward()? else {
            return Ok(judged);
        };
        if let (Some(yes), Reply::Oracle { holds, .. }) = (truth, &latest.made.reply) {
            let yes = yes.exact();
            // An oracle that may say either has no one answer.
            if yes.is_one() || yes.is_zero() {
                judged.push(*holds == yes.is_one());
            }
        }
    }
}
