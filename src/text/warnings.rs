//! Warnings about certain consequences: the debate is already decided, a reply loses, or a reply contradicts an earlier
//! statement of the same seat. The warnings follow from the rules and from information that every participant can see;
//! none of them is a guess.

use num_traits::{One as _, Signed as _, Zero as _};

use debate_core::gate::{EstimateConsistency, Gate, is_rounding_gap, is_visible_gap};
use debate_core::number::Exact;
use debate_core::protocol::{BitsMeaning, Log, Reply, Request, Rules as _, Seat, State};
use debate_core::scenario::{ClaimId, Instance};

use super::{DebateNarrator, DebateViewpoint, FormulaCharacterSet, in_percent, lowercase_first};

/// Maximum number of words of a claim's text that a sentence about the estimates of its subclaims quotes. If at least
/// `MANY` estimates were given before the new one, the sentence counts the estimates instead of listing them.
const NAME: usize = 6;
const MANY: usize = 4;

/// True if this payoff of the prover means that the seat has lost the debate.
fn loses(seat: Seat, payoff: &Exact) -> bool {
    match seat {
        Seat::Prover => payoff.is_negative(),
        Seat::Opponent => payoff.is_positive(),
        Seat::Judge | Seat::Chance => false,
    }
}

/// Returns a sentence that says who has won a debate that continues although its result is certain. `None` if the
/// result is not certain, in a blind debate, and for a judge who may not see the debate.
pub fn decided_result_sentence(
    view: &DebateViewpoint<'_, '_>,
    script: FormulaCharacterSet,
) -> Option<String> {
    if view.facts.blind
        || view.state.request().is_none()
        || !view.reader.is_shown_debate_during_play()
    {
        return None;
    }
    let settled = view.state.settled()?;
    let prover_loses = loses(Seat::Prover, &settled.payoff);
    let outcome = match view.reader.viewer_seat() {
        Some(seat @ (Seat::Prover | Seat::Opponent)) if loses(seat, &settled.payoff) => {
            "you have lost"
        }
        Some(Seat::Prover | Seat::Opponent) => "you have won",
        _ if prover_loses => "Alice has lost",
        _ => "Alice has won",
    };
    let narrator = view.narrator(script);
    let reason_clause = settled.by.map_or_else(String::new, |check| {
        let finding = narrator.check_sentence(view.log, check, !prover_loses);
        format!(", since {}", lowercase_first(&finding))
    });
    Some(format!(
        "The result is decided: {outcome}, regardless of later moves{reason_clause}."
    ))
}

/// Returns a warning about a reply to the pending request that certainly loses, concedes the debate, or contradicts an
/// earlier statement of the same seat. Checks only answers, bits and the prover's selections. `None` if the rules imply
/// none of these, in a blind debate, and once the result is decided. Considers only a seat's own statements, because
/// the correctness of the other seat's statements is the subject of the debate.
pub fn reply_warning(
    view: &DebateViewpoint<'_, '_>,
    reply: &Reply<Exact>,
    script: FormulaCharacterSet,
) -> Option<String> {
    let turn = view.state.request()?;
    let states = match reply {
        Reply::Answer(_) | Reply::Bits(_) => true,
        Reply::Select(_) => turn.seat == Seat::Prover,
        _ => false,
    };
    if view.facts.blind || !states || view.state.settled().is_some() {
        return None;
    }
    let mut after = view.state.clone();
    after.reply(reply.clone(), &mut ()).ok()?;
    let warning = Warning {
        view,
        narrator: view.narrator(script),
        seat: turn.seat,
        request: turn.request,
        after,
    };
    warning
        .failing_clause(reply)
        .or_else(|| warning.settled(reply))
        .or_else(|| warning.concession(reply))
        .or_else(|| warning.contradiction(reply))
}

/// The pending request, and the state of the debate after the reply that the user is about to give.
struct Warning<'w, 's, 'a> {
    view: &'w DebateViewpoint<'s, 'a>,
    narrator: DebateNarrator<'a>,
    seat: Seat,
    request: Request<Exact>,
    after: State<'a, Exact>,
}

impl Warning<'_, '_, '_> {
    /// Returns the warning that the seat certainly loses the debate after this reply.
    fn settled(&self, reply: &Reply<Exact>) -> Option<String> {
        let settled = self.after.settled()?;
        if !loses(self.seat, &settled.payoff) {
            return None;
        }
        Some(match settled.by {
            Some(check) => {
                let holds = self.seat == Seat::Opponent;
                let finding =
                    lowercase_first(&self.narrator.check_sentence(self.view.log, check, holds));
                format!("This reply loses for certain, regardless of later moves: {finding}.")
            }
            None => format!(
                "This reply loses for certain: {reason}.",
                reason = self.why(&[reply])?
            ),
        })
    }

    /// Returns the warning that, after this reply of the prover, the opponent wins simply by challenging no step.
    fn concession(&self, reply: &Reply<Exact>) -> Option<String> {
        let next = self.after.request()?;
        let challenged = next.request.challengeable_steps().is_some();
        if self.seat != Seat::Prover || next.seat != Seat::Opponent || !challenged {
            return None;
        }
        let mut passed = self.after.clone();
        let pass = Reply::Challenge(None);
        passed.reply(pass.clone(), &mut ()).ok()?;
        let lost = passed.request().is_none() && loses(self.seat, &passed.payoff());
        let why = lost.then(|| self.why(&[reply, &pass])).flatten()?;
        let bob = self
            .view
            .perspective
            .player_name_or_you_in_sentence(Seat::Opponent);
        Some(format!(
            "This reply concedes the debate: {bob} can win by pointing at no step, because {why}."
        ))
    }

    /// Returns the reason for the debate's result if it ends with these replies.
    fn why(&self, replies: &[&Reply<Exact>]) -> Option<String> {
        let mut state = self.view.state.clone();
        let mut log = self.view.log.clone();
        for reply in replies {
            state.reply((*reply).clone(), &mut log).ok()?;
        }
        let reward = log.paid_rewards().last()?;
        // The verifier's finding is enough, because the warning already says that the reply loses.
        let finding = self.narrator.verifier_decision_reason(&log);
        Some(finding.unwrap_or_else(|| self.narrator.reward_reason_with_check_result(reward, &log)))
    }

    /// Returns the warning that chosen values make a clause false (for the prover) or all clauses true (for the
    /// opponent).
    fn failing_clause(&self, reply: &Reply<Exact>) -> Option<String> {
        let (Some(BitsMeaning::Block { .. }), Reply::Bits(bits)) =
            (self.request.meaning_of_bits(), reply)
        else {
            return None;
        };
        let formula = self.view.facts.instance.formula()?;
        let mut values = self.view.log.chosen_variable_values();
        if formula.matrix_value_if_decided(&values).is_some() {
            return None;
        }
        values.extend_from_slice(bits.as_slice());
        let certain = self.after.settled().is_some();
        match (formula.matrix_value_if_decided(&values)?, self.seat) {
            (false, Seat::Prover) => {
                let fails =
                    |number: &_| formula.clause_value_if_decided(*number, &values) == Some(false);
                let false_clause =
                    formula.clause_in_words((0..formula.clause_count()).find(fails)?)?;
                let reason = format!("“{false_clause}” fails with these values");
                Some(if certain {
                    format!("This reply loses for certain: {reason}.")
                } else {
                    format!(
                        "{reason}, so the formula is false: you can win only if Bob overlooks a \
                         false gate."
                    )
                })
            }
            (true, Seat::Opponent) if certain => Some(
                "This reply loses for certain: every clause holds with these values.".to_owned(),
            ),
            (true, Seat::Opponent) => Some(
                "Every clause holds with these values, so the formula is true: you can win \
                 only if Alice writes a false gate."
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Returns the warning that the reply contradicts an earlier answer of the same seat.
    fn contradiction(&self, reply: &Reply<Exact>) -> Option<String> {
        let instance = self.view.facts.instance;
        let now: Vec<(ClaimId, bool)> = match (self.request.meaning_of_bits(), reply) {
            (None, Reply::Answer(answer)) => vec![(self.request.claim_of_request()?, *answer)],
            (Some(BitsMeaning::Answers { claim, support, .. }), Reply::Bits(answers)) => {
                instance.subclaims_with_answers(claim, support, answers)
            }
            _ => return None,
        };
        let earlier = self.view.log.logged_answers_of_seat(self.seat, instance);
        let opposite = |(claim, answer): &(ClaimId, bool)| now.contains(&(*claim, !answer));
        let (claim, before) = earlier.into_iter().find(opposite)?;
        let (before, now) = (
            DebateNarrator::truth_word(before),
            DebateNarrator::truth_word(!before),
        );
        let claim = self.narrator.short_claim(claim);
        Some(format!(
            "You said earlier that {claim} is {before}. This reply says that it is {now}."
        ))
    }
}

/// True if the next subclaim's estimate must equal the claim's own estimate, which is 0 % or 100 %.
fn allows_only_claim_estimate(fit: &EstimateConsistency<Exact>) -> bool {
    let stated = fit.claim_estimate();
    let range = fit.consistent_estimate_range();
    let is_certain = stated.is_zero() || stated.is_one();
    is_certain && range.start() == stated && range.end() == stated
}

/// The estimates of a claim's subclaims while some are still missing, and their consistency with the claim's own
/// estimate.
#[derive(Clone, Debug)]
pub struct PartialSubclaimEstimates {
    /// The claim.
    pub claim: ClaimId,
    /// The claim's text in quotation marks, or "the claim" if it is long.
    name: String,
    /// The estimates of the claim's first subclaims, in order.
    pub given: Vec<Exact>,
    /// The consistency of these estimates with the claim's own estimate.
    pub fit: EstimateConsistency<Exact>,
    /// True if the claim's gate is `All`: while all coins come up yes, the product of the subclaims' estimates is the
    /// claim's probability.
    multiplies: bool,
    /// True if the claim's own estimate, 0 % or 100 %, left only the same number for the first subclaim.
    claim_forces_estimates: bool,
}

impl PartialSubclaimEstimates {
    /// Returns the subclaim estimates of the claim that was split last, if some are still missing. `None` if no claim
    /// was split, if all are given, or if the coin of the last estimate is not thrown yet. `None` also if subclaims are
    /// estimated separately, ignoring coins.
    pub fn incomplete_estimates_of_last_split(
        instance: &Instance,
        log: &Log<Exact>,
    ) -> Option<Self> {
        let mut entries = log.entries().iter();
        let at = entries.rposition(|entry| entry.event.claim_and_chosen_support().is_some())?;
        let (estimates, _) = log.estimates_and_coins_of_split(at)?;
        Self::from(instance, log, at, &estimates)
    }

    /// Creates the partial estimates of the claim that the log entry with index `at` splits. `estimates` are those of
    /// its first subclaims. `None` if no estimate is missing, or if the coin of one of these estimates is not thrown
    /// yet.
    fn from(
        instance: &Instance,
        log: &Log<Exact>,
        at: usize,
        estimates: &[&Exact],
    ) -> Option<Self> {
        let (claim, support) = log.entries().get(at)?.event.claim_and_chosen_support()?;
        let support = instance.support(claim, support)?;
        let (_, coins) = log.estimates_and_coins_of_split(at)?;
        let stated = log.claim_probability_before_entry(at, claim)?.clone();
        let mut fit = EstimateConsistency::new(&support.gate, support.on.len(), stated);
        let claim_forces_estimates = allows_only_claim_estimate(&fit);
        for (index, p) in estimates.iter().enumerate() {
            fit.record_estimate_and_return_unweighted_gap(p);
            fit.update_consistency_with_coin(p, *coins.get(index)?);
        }
        let name = instance.short_text(claim);
        let is_short = name.split_whitespace().count() <= NAME;
        (fit.untossed_subclaim_count() > 0).then(|| Self {
            name: if is_short {
                format!("“{name}”")
            } else {
                "the claim".to_owned()
            },
            claim,
            given: estimates.iter().map(|p| (*p).clone()).collect(),
            fit,
            multiplies: support.gate == Gate::All,
            claim_forces_estimates,
        })
    }

    /// Says which probability of the claim the estimates imply, if `next_estimate` is the next subclaim's estimate.
    /// Without `next_estimate`, says which probability they should imply. If the coins have decided the gate, says that
    /// the next bet may be about the estimate.
    pub fn implied_claim_probability_sentence(&self, next_estimate: Option<&Exact>) -> String {
        let (claim_name, own_estimate) = (&self.name, in_percent(self.fit.claim_estimate()));
        if self.fit.is_gate_decided() {
            return "The coins decided this round. But the next bet may be about your number."
                .to_owned();
        }
        let Some(next_estimate) = next_estimate else {
            let multiplied_or_together = if self.multiplies {
                "Multiplied"
            } else {
                "Together"
            };
            return format!(
                "{multiplied_or_together}, your numbers should give {own_estimate}, your number for the claim above."
            );
        };
        let subclaim_estimates = match &self.given[..] {
            [] => in_percent(next_estimate),
            few if few.len() < MANY => {
                let each: Vec<String> = few.iter().map(in_percent).collect();
                format!("{} and {}", each.join(", "), in_percent(next_estimate))
            }
            many => format!("these {} numbers", many.len() + 1),
        };
        let implied = self.implied_claim_range_after_estimate(next_estimate);
        let implied_range = implied.implied_range_in_words();
        let is_open = implied.range.0 != implied.range.1;
        let verdict = match (implied.is_in_range(), implied.is_consistent()) {
            (true, _) if is_open => "possible",
            (true, _) => "consistent",
            (false, true) if is_rounding_gap(&implied.gap()) => "consistent",
            (false, true) => "nearly consistent",
            (false, false) if implied.stated > implied.range.1 => "too high",
            (false, false) => "too low",
        };
        format!(
            "With {subclaim_estimates}, {claim_name} is {implied_range}; your {own_estimate} is {verdict}."
        )
    }

    /// Returns the claim's own estimate if it is 0 % or 100 %, and if only the same number is consistent for each
    /// missing subclaim, whatever the coins are. `None` otherwise, and if the coins have decided the claim.
    pub fn estimate_forced_by_certain_claim(&self) -> Option<Exact> {
        let is_forced = self.claim_forces_estimates
            && !self.fit.is_gate_decided()
            && allows_only_claim_estimate(&self.fit);
        is_forced.then(|| self.fit.claim_estimate().clone())
    }

    /// Returns the range of the claim's probability that the estimates imply if `next` is the next subclaim's estimate.
    pub fn implied_claim_range_after_estimate(&self, next: &Exact) -> ImpliedRangeAndOwnEstimate {
        ImpliedRangeAndOwnEstimate {
            claim: self.claim,
            stated: self.fit.claim_estimate().clone(),
            range: self.fit.claim_range_after_estimate(next),
        }
    }
}

/// The range of a claim's probability that its subclaims' estimates imply, and the claim's own, earlier estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpliedRangeAndOwnEstimate {
    /// The claim.
    pub claim: ClaimId,
    /// The claim's own estimate, which was stated earlier.
    pub stated: Exact,
    /// The least and the greatest probability of the claim that its subclaims' estimates allow.
    pub range: (Exact, Exact),
}

impl ImpliedRangeAndOwnEstimate {
    /// Returns the implied range for the claim that was split last. `next`, if given, is one more estimate of a
    /// subclaim. `None` if no claim was split, if this claim's subclaims have no estimate, or if an estimate of the
    /// round ignores the coins.
    pub fn of_last_split_claim(
        instance: &Instance,
        log: &Log<Exact>,
        next: Option<&Exact>,
    ) -> Option<Self> {
        let mut entries = log.entries().iter();
        let at = entries.rposition(|entry| entry.event.claim_and_chosen_support().is_some())?;
        Self::from(instance, log, at, next)
    }

    /// Returns the implied range for each claim of which at least one subclaim was estimated, in the order of the log.
    /// Leaves out a split if one of its estimates ignores the coins.
    pub fn implied_ranges_of_splits(instance: &Instance, log: &Log<Exact>) -> Vec<Self> {
        let entries = 0..log.entries().len();
        entries
            .filter_map(|at| Self::from(instance, log, at, None))
            .collect()
    }

    /// Returns the implied range for the claim that the log entry `at` splits.
    fn from(
        instance: &Instance,
        log: &Log<Exact>,
        at: usize,
        next: Option<&Exact>,
    ) -> Option<Self> {
        let (mut estimates, _) = log.estimates_and_coins_of_split(at)?;
        estimates.extend(next);
        let (last, before) = estimates.split_last()?;
        Some(
            PartialSubclaimEstimates::from(instance, log, at, before)?
                .implied_claim_range_after_estimate(last),
        )
    }

    /// True if the claim's own estimate is in the implied range.
    fn is_in_range(&self) -> bool {
        let (least, most) = &self.range;
        (least..=most).contains(&&self.stated)
    }

    /// True if the claim's own estimate is in the implied range, or so near it that the gap is not visible
    /// ([`is_visible_gap`]).
    pub fn is_consistent(&self) -> bool {
        !is_visible_gap(&self.gap())
    }

    /// Returns the signed distance from the nearest probability in the range to the claim's own estimate.
    fn gap(&self) -> Exact {
        let (least, most) = &self.range;
        &self.stated - self.stated.clone().clamp(least.clone(), most.clone())
    }

    /// Formats the implied range in words: "66 %", "at most 90 %", "20 % to 90 %".
    pub fn implied_range_in_words(&self) -> String {
        probability_range_in_words(&self.range)
    }
}

/// Formats a range of probabilities in words: "66 %", "at most 90 %", "20 % to 90 %".
pub(super) fn probability_range_in_words((least, most): &(Exact, Exact)) -> String {
    let (low, high) = (in_percent(least), in_percent(most));
    match (least.is_zero(), most.is_one()) {
        _ if low == high => low,
        (true, false) => format!("at most {high}"),
        (false, true) => format!("at least {low}"),
        _ => format!("{low} to {high}"),
    }
}

#[cfg(test)]
mod tests;
