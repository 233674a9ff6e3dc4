//! Hints, reviews of debates and results of practice trials in words.

use num_traits::{One as _, Signed, Zero as _};

use debate_core::gate::{EvenlySharedProbability, is_visible_gap};
use debate_core::number::{Exact, Number, format_with_decimals};
use debate_core::player::player_in_plain_words;
use debate_core::protocol::{ProtocolKind, Reply, Seat};
use debate_core::scenario::BeliefCaseKind;

use super::{
    DebateNarrator, FormulaCharacterSet, PayoffFormatter, PayoffUnit, capitalized, in_percent,
    other_debater, reply_words, with_thousands_separators,
};
use debate_solver::analysis::review::{
    DebateReview, EstimateAdvice, EstimatorMeasures, InconsistentEstimate, MoveReview, PayoffParts,
    RatedReply, ReferenceEstimateBasis, ReplyFault, ReplyFaultCause, ReplyHints, ReviewContext,
    RoundEstimateGap, SearchedRivals, TrialDebatePayoffs, TrialEstimateMeasures,
};

/// Returns a hint for an estimator in one or two sentences: the recommended estimate, its reason, and the range of
/// consistent estimates.
pub fn estimate_advice_sentence(advice: &EstimateAdvice) -> String {
    let number = in_percent(&advice.reference.p);
    if let Some(truth) = advice.known {
        let truth = DebateNarrator::truth_word(truth);
        return format!("Hint: {number}. A test has shown you that this claim is {truth}.");
    }
    let why = match advice.reference.basis {
        ReferenceEstimateBasis::Posterior => posterior_reason(advice),
        ReferenceEstimateBasis::LeafEstimates => ", from the evidence for the leaves".to_owned(),
        ReferenceEstimateBasis::EvenShare => even_share(advice),
    };
    if advice.left == 0 {
        return match advice.reference.basis {
            ReferenceEstimateBasis::EvenShare => {
                format!("Hint: {number}. None of your earlier numbers limits this number.")
            }
            _ => format!("Hint: {number}{why}."),
        };
    }
    if advice.is_decided {
        return format!(
            "Hint: {number}{why}. The coins have already decided the claim above, so any number is consistent."
        );
    }
    let (from, to) = &advice.consistent_range;
    let fits = if from == to {
        format!("Only {} is consistent.", in_percent(from))
    } else if from.is_zero() && to.is_one() {
        "Any number is still consistent.".to_owned()
    } else {
        format!(
            "Any number from {from} to {to} is consistent.",
            from = in_percent(from),
            to = in_percent(to)
        )
    };
    format!("Hint: {number}{why}. {fits}")
}

/// Explains a recommended estimate that is a posterior. The text follows the recommended number.
fn posterior_reason(advice: &EstimateAdvice) -> String {
    let posterior = advice.reference.posterior.as_ref();
    if let Some(posterior) = posterior.filter(|posterior| **posterior != advice.reference.p) {
        let posterior = in_percent(posterior);
        return format!(
            ". From what you know the probability is {posterior}, but your earlier numbers allow only this number"
        );
    }
    let (Some(cases), true) = (advice.cases, posterior == Some(&advice.reference.p)) else {
        return ", from what you know and the coins so far".to_owned();
    };
    if cases.possible.count == 1 {
        return ", in the only case that is still possible".to_owned();
    }
    let [holding, count] = [cases.holding, cases.possible.count].map(with_thousands_separators);
    match cases.possible.kind {
        BeliefCaseKind::Worlds => {
            format!(": the claim is true in {holding} of the {count} cases that are still possible")
        }
        BeliefCaseKind::Primes => {
            format!(
                ": the claim is true for {holding} of the {count} primes that may still divide the number"
            )
        }
        BeliefCaseKind::Positions => {
            format!(
                ": the claim is true for {holding} of the {count} places where the error may still be"
            )
        }
    }
}

/// Explains a recommended estimate that divides the remaining probability evenly among subclaims. The text follows the
/// recommended number.
fn even_share(advice: &EstimateAdvice) -> String {
    let left = advice.left;
    match &advice.share {
        _ if left == 1 => {
            ", the probability that your numbers leave for the last subclaim".to_owned()
        }
        Some(EvenlySharedProbability::Doubt(none)) if none.is_zero() => {
            ": your numbers leave no doubt".to_owned()
        }
        Some(EvenlySharedProbability::Doubt(doubt)) => {
            let doubt = in_percent(doubt);
            format!(": the remaining doubt, {doubt}, split evenly among {left} subclaims")
        }
        Some(EvenlySharedProbability::Chance(chance)) => {
            let chance = in_percent(chance);
            format!(": the remaining {chance}, split evenly among {left} subclaims")
        }
        Some(EvenlySharedProbability::Alike) => format!(", the same for each of {left} subclaims"),
        None => String::new(),
    }
}

/// Returns the size of an estimate's gap, as a change of the probability of the claim above.
fn estimate_gap(advice: &EstimateAdvice, estimate: &Exact) -> Exact {
    let (from, to) = &advice.consistent_range;
    (estimate - estimate.clamp(from, to)).abs() * &advice.coins_probability
}

/// True if an estimate would have a visible gap ([`is_visible_gap`]).
pub fn would_have_visible_gap(advice: &EstimateAdvice, estimate: &Exact) -> bool {
    is_visible_gap(&estimate_gap(advice, estimate))
}

/// Returns a sentence that says if an estimate is consistent and, if it is not, how large its gap is.
pub fn consistency_sentence(advice: &EstimateAdvice, estimate: &Exact) -> String {
    let (from, to) = &advice.consistent_range;
    let said = in_percent(estimate);
    let nearest = estimate.clamp(from, to);
    if said == in_percent(nearest) {
        return format!("{said} is consistent.");
    }
    let gap = estimate_gap(advice, estimate);
    let points = format_with_decimals((&gap * Exact::ratio(100, 1)).to_float(), 1);
    if !is_visible_gap(&gap) {
        return format!("{said} is nearly consistent: its gap is below 0.5 percentage points.");
    }
    format!("{said} is inconsistent: its gap is {points} percentage points.")
}

/// Describes briefly what a move is about: its claim, or the requested bits.
fn about(case: &ReviewContext, step: &MoveReview) -> Option<String> {
    if let Some(claim) = step.claim {
        return Some(format!("“{}”", case.instance().short_text(claim)));
    }
    let narrator = DebateNarrator::new(case.instance(), FormulaCharacterSet::Unicode);
    step.ask.map(|ask| narrator.requested_bits_name(ask))
}

/// Describes a reply in words that suit the debate's rules.
pub fn reply_text(case: &ReviewContext, given: &Reply<Exact>) -> String {
    let configuration = match given {
        Reply::Bits(bits) if case.protocol_kind() == ProtocolKind::Bisection => {
            DebateNarrator::new(case.instance(), FormulaCharacterSet::Unicode)
                .configuration_text(bits)
        }
        // The choice is between two named replies, without step numbers.
        Reply::Challenge(step) => match case.protocol_kind() {
            ProtocolKind::Stochastic => {
                let name = if step.is_some() {
                    "stop here"
                } else {
                    "continue"
                };
                return format!("“{name}”");
            }
            ProtocolKind::ProverEstimator => {
                let name = if step.is_some() { "dispute" } else { "accept" };
                return format!("“{name} the step”");
            }
            _ => None,
        },
        _ => None,
    };
    configuration.map_or_else(|| reply_words(given), |text| format!("“{text}”"))
}

/// Returns the name of the player who plays against the one with the hints.
fn rival(hints: &ReplyHints) -> &'static str {
    other_debater(hints.seat).player_name()
}

/// Says which play of the other side a reply's value assumes: "whatever Alice does", "against this Alice".
fn against(case: &ReviewContext, hints: &ReplyHints, guaranteed: bool) -> String {
    let rival = rival(hints);
    match hints.rivals.filter(|_| guaranteed) {
        Some(SearchedRivals::Listed(count)) => format!("against any of {count} listed {rival}s"),
        Some(SearchedRivals::Everybody) => format!("whatever {rival} does"),
        None => {
            let seat = other_debater(hints.seat);
            let player = player_in_plain_words(case.protocol_kind(), seat, &case.player_name(seat));
            format!("against this {rival}, {player}")
        }
    }
}

/// Returns a sentence, after a space, that explains which payments the points of a hint include; empty under rules
/// without points.
fn payoff_scope_sentence(case: &ReviewContext) -> &'static str {
    if case.protocol_kind() == ProtocolKind::ProverEstimator {
        " These points are the expected total of the whole debate, including the points already paid."
    } else {
        ""
    }
}

/// Formats the value of a reply for the player who must reply: a payoff if rounds are bets, else the probability of
/// winning.
fn value(
    case: &ReviewContext,
    hints: &ReplyHints,
    value: &Exact,
    amounts: &PayoffFormatter,
) -> String {
    if case.protocol_kind() == ProtocolKind::ProverEstimator {
        return amounts.signed_with_unit(value);
    }
    let won = (hints.value_to_mover(value.clone()) + Exact::one()) / Exact::ratio(2, 1);
    if won.is_one() {
        "wins for certain".to_owned()
    } else if won.is_zero() {
        "loses for certain".to_owned()
    } else {
        format!(
            "wins {probability} of the time",
            probability = in_percent(&won)
        )
    }
}

/// Describes the value of a reply briefly: "wins 50 % of the time", "+60 points, best".
pub fn reply_value_text(
    case: &ReviewContext,
    hints: &ReplyHints,
    rated: &RatedReply,
    amounts: &PayoffFormatter,
) -> String {
    let reply_value_text = value(
        case,
        hints,
        rated.worst.as_ref().unwrap_or(&rated.value),
        amounts,
    );
    match hints.best_reply() {
        Some(_) if all_alike(hints) => format!("{reply_value_text}, as good as any"),
        Some(best) if is_as_good(rated, best) => format!("{reply_value_text}, best"),
        _ => reply_value_text,
    }
}

/// Returns the number of possible replies that have the same value as this reply, including itself.
fn as_good_as(hints: &ReplyHints, rated: &RatedReply) -> usize {
    let others = hints.replies.iter();
    others.filter(|other| is_as_good(other, rated)).count()
}

/// Maximum number of equally good replies that a hint names.
const MAX_NAMED_REPLIES: usize = 4;

/// Lists the replies that are as good as the best one, in their order: "subclaim 3 and subclaim 4". `None` if there are
/// too many.
fn best_reply_names(case: &ReviewContext, hints: &ReplyHints, best: &RatedReply) -> Option<String> {
    let good = hints.replies.iter().filter(|other| is_as_good(other, best));
    let mut names: Vec<String> = good.map(|good| reply_text(case, &good.reply)).collect();
    if names.len() > MAX_NAMED_REPLIES {
        return None;
    }
    let last = names.pop()?;
    Some(match &names[..] {
        [] => last,
        others => format!("{} and {last}", others.join(", ")),
    })
}

/// True if the player has several possible replies and all have the same value.
fn all_alike(hints: &ReplyHints) -> bool {
    let first = hints.replies.first().filter(|_| hints.replies.len() > 1);
    first.is_some_and(|first| as_good_as(hints, first) == hints.replies.len())
}

fn is_as_good(one: &RatedReply, other: &RatedReply) -> bool {
    one.worst == other.worst && one.value == other.value
}

/// Returns a sentence with the value of a debater's reply and, if another reply is better, with the best reply's value.
/// `None` for a judge. `amounts` formats payoffs for the player who must reply.
pub fn hint(
    case: &ReviewContext,
    hints: &ReplyHints,
    rated: &RatedReply,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let best = hints.best_reply()?;
    let known = rated.worst.as_ref().zip(best.worst.as_ref());
    let guaranteed = known.is_some_and(|(worst, most)| worst != most || rated.value == best.value);
    let (own, most) = match known.filter(|_| guaranteed) {
        Some(known) => known,
        None => (&rated.value, &best.value),
    };
    let against = against(case, hints, guaranteed);
    let own = value(case, hints, own, amounts);
    let scope = payoff_scope_sentence(case);
    if hints.replies.len() == 1 {
        return Some(format!(
            "Hint: this is the only reply: {own} {against}.{scope}"
        ));
    }
    if all_alike(hints) {
        return Some(format!(
            "Hint: all replies are equally good: {own} {against}.{scope}"
        ));
    }
    let reply = reply_text(case, &rated.reply);
    Some(if is_as_good(rated, best) {
        let best = match (best_reply_names(case, hints, best), as_good_as(hints, best)) {
            (_, 1) => format!("{reply} is best"),
            (Some(names), _) => format!("{names} are best"),
            (None, count) => format!(
                "{reply} is one of the {count} best replies",
                count = with_thousands_separators(count as u64)
            ),
        };
        format!("Hint: {best}: {own} {against}.{scope}")
    } else {
        let most = value(case, hints, most, amounts);
        let better = reply_text(case, &best.reply);
        format!("Hint: {reply}: {own} {against}. Best: {better}, {most}.{scope}")
    })
}

/// Returns the values of the possible replies as lines of text, the best reply first.
pub fn hint_lines(
    case: &ReviewContext,
    hints: &ReplyHints,
    amounts: &PayoffFormatter,
) -> Vec<String> {
    let best = hints.best_reply();
    let hint = best.and_then(|best| hint(case, hints, best, amounts));
    let mut lines = Vec::from_iter(hint);
    if all_alike(hints) && best.is_some() {
        return lines;
    }
    let ranked_replies = hints.ranked_replies();
    let all = hints.replies.iter().collect();
    for rated in if ranked_replies.is_empty() {
        all
    } else {
        ranked_replies
    } {
        let reply = reply_text(case, &rated.reply);
        lines.push(format!(
            "  {reply}: {}",
            reply_value_text(case, hints, rated, amounts)
        ));
    }
    lines
}

/// Returns a sentence about a reply that is a mistake: its subject, the reply, the reason, and a better reply. `None` if
/// the review finds no mistake in it.
pub fn fault_sentence(
    case: &ReviewContext,
    step: &MoveReview,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let fault = step.fault.as_ref()?;
    let about = about(case, step);
    let about = about.map_or_else(String::new, |about| format!("{about}: "));
    let given = reply_text(case, &step.reply);
    let given = match (&step.reply, &fault.cause) {
        (Reply::Probability(_), ReplyFaultCause::Unlikely(posterior)) => {
            let right = in_percent(posterior);
            return Some(format!(
                "{about}you said {given}; from what you knew, {right} was right."
            ));
        }
        (Reply::Probability(_), _) => format!("you said {given}"),
        _ => given,
    };
    Some(format!(
        "{about}{given}. {}",
        reason(case, step.seat, fault, amounts)
    ))
}

fn reason(
    case: &ReviewContext,
    seat: Seat,
    fault: &ReplyFault,
    amounts: &PayoffFormatter,
) -> String {
    match &fault.cause {
        ReplyFaultCause::Misfit(misfit) => misfit_text(case, misfit),
        ReplyFaultCause::Known(truth) => {
            let truth = DebateNarrator::truth_word(*truth);
            format!("A test had shown you that this claim is {truth}.")
        }
        ReplyFaultCause::Unlikely(posterior) => {
            let posterior = in_percent(posterior);
            format!("From what you knew, {posterior} was right.")
        }
        ReplyFaultCause::Worse { best, guaranteed } => {
            let best = reply_text(case, best);
            let rival = other_debater(seat).player_name();
            let against = match guaranteed {
                true => format!("whatever {rival} does"),
                false => format!("against this {rival}"),
            };
            if case.protocol_kind() == ProtocolKind::ProverEstimator {
                let more = amounts.absolute_with_unit(&fault.loss);
                return format!("With {best} you would expect {more} more {against}.");
            }
            let more = in_percent(&fault.share);
            let more = more.trim_end_matches(" %");
            format!(
                "With {best} your probability of winning would be {more} percentage points higher {against}."
            )
        }
    }
}

fn misfit_text(case: &ReviewContext, misfit: &InconsistentEstimate) -> String {
    let claim = case.instance().short_text(misfit.claim);
    let stated = in_percent(&misfit.stated);
    let (least, most) = &misfit.claim_range;
    let claim_range = if least == most {
        let numbers = match misfit.count {
            1 => "With your number,".to_owned(),
            count => format!("With your {count} numbers,"),
        };
        format!("{numbers} “{claim}” is {}", in_percent(most))
    } else if misfit.stated > *most {
        format!(
            "With your numbers so far, “{claim}” is at most {most}",
            most = in_percent(most)
        )
    } else {
        format!(
            "With your numbers so far, “{claim}” is at least {least}",
            least = in_percent(least)
        )
    };
    let even = in_percent(&misfit.even);
    let advice = if misfit.even_leaves_no_gap {
        format!("A consistent number is {even}.")
    } else {
        format!("The earlier numbers had a gap already; {even} adds none.")
    };
    format!("{claim_range}; you had said {stated}. {advice}")
}

/// If stakes differ by round, returns the round of a reply after a comma: ", round 3".
pub fn round_suffix(step: &MoveReview) -> String {
    match step.stake.as_ref().map(|stake| stake.number) {
        None => String::new(),
        Some(None) => ", first estimate".to_owned(),
        Some(Some(number)) => format!(", round {number}"),
    }
}

/// Lists the four parts of a payoff under prover-estimator rules: "first answer 0, gaps +271, coins -90, last claim 0".
pub fn payoff_parts_text(review: &DebateReview, amounts: &PayoffFormatter) -> Option<String> {
    let parts = review.parts.as_ref()?;
    let each = [
        ("first answer", &parts.first),
        ("gaps", &parts.misses),
        ("coins", &parts.coins),
        ("last claim", &parts.last),
    ];
    let each = each.map(|(label, value)| format!("{label} {}", amounts.signed_for_viewer(value)));
    Some(capitalized(&each.join(", ")))
}

/// The name of the measure of an estimator's gaps.
pub const CONSISTENCY: &str = "Consistency";
/// The plain name of the mean squared distance of estimates to the posterior.
pub const DISTANCE_TO_BEST: &str = "squared distance from the best possible numbers";
/// The name of the measure of the estimates' squared errors, or of their squared distances to the posterior.
const KNOWLEDGE: &str = "Knowledge";
/// The name of the measure of the parts of the payoff that chance decides.
const LUCK: &str = "Luck";

/// True if the estimates of some round have a gap of at least half a percentage point.
pub fn has_visible_estimate_gap(review: &DebateReview) -> bool {
    let figures = review.figures.as_ref();
    figures.is_some_and(EstimatorMeasures::has_visible_gap)
}

/// Describes a user's estimates by three measures, each with its name: consistency, knowledge and luck. For a user in
/// Alice's seat, only luck. Empty for all other readers.
pub fn estimate_quality_measures(
    review: &DebateReview,
    amounts: &PayoffFormatter,
) -> Vec<(&'static str, String)> {
    let Some(parts) = &review.parts else {
        return Vec::new();
    };
    let Some(figures) = &review.figures else {
        let is_prover = amounts.perspective.is_viewer_seat(Seat::Prover);
        return Vec::from_iter(is_prover.then(|| (LUCK, prover_luck_sentences(parts, amounts))));
    };
    let consistency = if figures.gap.is_zero() {
        let meaning = if figures.is_exact {
            no_earnings_sentence(figures.rounds, amounts)
        } else {
            " One joint probability of the claims explains all the numbers.".to_owned()
        };
        format!("no gap.{meaning}{}", last_claim_sentence(figures, amounts))
    } else if !has_visible_estimate_gap(review) {
        format!(
            "nearly consistent: every round's gap is below 0.5 percentage points.{}",
            last_claim_sentence(figures, amounts)
        )
    } else {
        let gap = format_with_decimals((&figures.gap * Exact::ratio(100, 1)).to_float(), 1);
        let most = amounts.absolute_with_unit(&parts.open);
        let earned = earnings_sentence(figures, &most, amounts);
        let wrong = wrong_bets_sentence(parts, amounts);
        let where_they_are = round_gaps_text(&figures.round_gaps);
        format!("gaps of {gap} percentage points{where_they_are}. {earned}{wrong}")
    };
    let mut lines = vec![(CONSISTENCY, consistency)];
    if let Some(knowledge) = &figures.knowledge {
        let errors = [&knowledge.own, &knowledge.reference].map(Number::to_float);
        let distances = knowledge.to_posterior.as_ref();
        let distances = distances.map(|both| [&both.own, &both.reference].map(Number::to_float));
        let text = knowledge_text(errors, distances);
        lines.push((KNOWLEDGE, text));
    }
    lines.push((LUCK, estimator_luck_sentences(parts, amounts)));
    lines
}

/// Says how much the coins and the last claim paid. Only the coins are luck in every case.
fn estimator_luck_sentences(parts: &PayoffParts, amounts: &PayoffFormatter) -> String {
    let coins = amounts.signed_with_unit(&parts.coins);
    if parts.last.is_zero() {
        return format!("coins {coins}.");
    }
    let last = amounts.signed_with_unit(&parts.last);
    let bob = amounts.perspective.seat_name_in_sentence(Seat::Opponent);
    format!(
        "coins {coins}. The last claim, {last}, was luck only as far as {bob} could not know its answer."
    )
}

/// Says how much the coins and the last claim paid a user in Alice's seat, and where to see the value of the bets.
fn prover_luck_sentences(parts: &PayoffParts, amounts: &PayoffFormatter) -> String {
    let coins = amounts.signed_with_unit(&parts.coins);
    let last = amounts.signed_with_unit(&parts.last);
    format!(
        "coins {coins}, last claim {last}. Only the average of many debates shows what your play is worth."
    )
}

/// Says how many points a prover with the right bets earns on average from the gaps: as expected before any coin, and
/// after the coins that came up (`most`). The two differ because a coin can decide a round early.
fn earnings_sentence(figures: &EstimatorMeasures, most: &str, amounts: &PayoffFormatter) -> String {
    let before = amounts.absolute_with_unit(&figures.before_coins);
    match (figures.is_exact, before == most) {
        (true, true) => format!("Bets on the right side earn {most} on average."),
        (true, false) => format!(
            "Bets on the right side earn {before} on average, and {most} with the coins that came up."
        ),
        (false, true) => format!("Bets on the right side earn at least {most} on average."),
        (false, false) => format!(
            "Bets on the right side earn at least {before} on average, and {most} with the coins that came up."
        ),
    }
}

/// Lists the rounds with visible gaps, after a space or colon: " in round 3", or ": 21 in round 2, 26.9 in round 3".
fn round_gaps_text(round_gaps: &[RoundEstimateGap]) -> String {
    let points = |gap: &Exact| format_with_decimals((gap * Exact::ratio(100, 1)).to_float(), 1);
    match round_gaps {
        [] => String::new(),
        [only] => format!(" in round {}", only.number),
        several => {
            let each: Vec<String> = several
                .iter()
                .filter(|round| is_visible_gap(&round.gap))
                .map(|round| format!("{} in round {}", points(&round.gap), round.number))
                .collect();
            format!(": {}", each.join(", "))
        }
    }
}

/// Returns a sentence, after a space, that says that bets earned nothing in rounds 1 to `rounds`, because the estimates
/// were consistent; empty without rounds.
fn no_earnings_sentence(rounds: u32, amounts: &PayoffFormatter) -> String {
    let rounds = match rounds {
        0 => return String::new(),
        1 => "round 1".to_owned(),
        last => format!("rounds 1 to {last}"),
    };
    let whose = capitalized(amounts.perspective.possessive(Seat::Opponent));
    format!(" {whose} numbers left no bet in {rounds} worth anything on average.")
}

/// Returns a sentence, after a space, about the payoff of the last claim; empty if the judge answered no claim.
fn last_claim_sentence(figures: &EstimatorMeasures, amounts: &PayoffFormatter) -> String {
    let Some(last) = &figures.last_claim else {
        return String::new();
    };
    let most = amounts.absolute_payoff(&last.most);
    let stake = amounts.absolute_with_unit(&last.stake);
    format!(
        " Consistent numbers do not protect the last claim, which the judge decides: it pays the side that knows more up to {most} of {stake}."
    )
}

/// Returns a sentence, after a space, about the prover's bets in the wrong direction of a gap; empty if there were
/// none.
fn wrong_bets_sentence(parts: &PayoffParts, amounts: &PayoffFormatter) -> String {
    if parts.wrong_bets == 0 {
        return String::new();
    }
    let bob = amounts.perspective.seat_name_in_sentence(Seat::Opponent);
    let her = match amounts.perspective.possessive(Seat::Prover) {
        // The sentence before has named her opponent only.
        _ if amounts.perspective.is_viewer_seat(Seat::Opponent) => "her",
        alices => alices,
    };
    let whose = capitalized(her);
    let bets = match parts.wrong_bets {
        1 => "bet",
        _ => "bets",
    };
    let paid = amounts.absolute_with_unit(&parts.wrong);
    format!(" {whose} {bets} on the wrong side paid {bob} {paid} instead of costing {bob} as much.")
}

/// Compares a user's estimates with the hints for the same claims: by their mean squared distances to the posterior if
/// these are known, else by their mean squared errors.
fn knowledge_text(errors: [f64; 2], distances: Option<[f64; 2]>) -> String {
    let (measure, both) = match distances {
        Some(distances) => (DISTANCE_TO_BEST, distances),
        None => ("squared error", errors),
    };
    let [own, reference] = both.map(|value| format_with_decimals(value, 3));
    // Later rounds do not count, because Alice's choice of a claim reveals something about them.
    format!(
        "{measure} {own} in the estimates up to round 1 (in the hints: {reference}; 0 is best)."
    )
}

/// Describes the estimates in many debates by the three measures, each as a mean per debate.
fn trial_measures(
    measures: &TrialEstimateMeasures,
    amounts: &PayoffFormatter,
) -> Vec<(&'static str, String)> {
    let figure = |value: f64| Exact::from_float(value).unwrap_or_default();
    let consistency = if measures.gap == 0.0 {
        "no gap.".to_owned()
    } else if Exact::from_float(measures.gap).is_some_and(|gap| !is_visible_gap(&gap)) {
        "nearly consistent: on average, the gaps are below 0.5 percentage points in a debate."
            .to_owned()
    } else {
        let gap = format_with_decimals(100.0 * measures.gap, 1);
        let most = amounts.absolute_with_unit(&figure(measures.open));
        let least = if measures.is_exact { "" } else { "at least " };
        // Bets on the wrong side pay Bob, although gaps can only help a player who bets on the right side.
        let wrong = if measures.misses < 0.0 {
            let alices = capitalized(amounts.perspective.possessive(Seat::Prover));
            let bob = amounts.perspective.seat_name_in_sentence(Seat::Opponent);
            let paid = amounts.absolute_with_unit(&figure(measures.misses));
            format!(" {alices} bets were on the wrong side on average and paid {bob} {paid}.")
        } else {
            String::new()
        };
        format!(
            "gaps of {gap} percentage points in a debate; bets on the right side earn {least}{most}.{wrong}"
        )
    };
    let mut lines = vec![(CONSISTENCY, consistency)];
    if measures.count > 0 {
        let errors = [measures.own, measures.reference];
        let text = knowledge_text(errors, measures.to_posterior);
        lines.push((KNOWLEDGE, text));
    }
    lines
}

/// Lists the parts of a mean payoff, after a colon: ": first answer 0, gaps -66, coins +7.7, last claim -10".
fn mean_parts_text(measures: &TrialEstimateMeasures, amounts: &PayoffFormatter) -> String {
    let parts = [
        ("first answer", measures.first),
        ("gaps", measures.misses),
        ("coins", measures.coins),
        ("last claim", measures.last),
    ];
    let parts = parts.map(|(label, value)| {
        let value = Exact::from_float(value).unwrap_or_default();
        format!("{label} {}", amounts.signed_for_viewer(&value))
    });
    format!(": {}", parts.join(", "))
}

/// The beginning of the sentence that says that the review found no mistake.
pub const NO_MISTAKE: &str = "No mistake: ";

/// Returns the review's final sentence about a user's play: it names the greatest mistake, or says that there is none.
/// `None` if the review rates no user's replies.
pub fn final_review_sentence(
    case: &ReviewContext,
    review: &DebateReview,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let mut seats = [Seat::Prover, Seat::Opponent].into_iter();
    let seat = seats.find(|seat| case.is_person(*seat) && case.can_value_replies(*seat))?;
    let greatest = review
        .moves_with_faults()
        .into_iter()
        .filter_map(|number| review.steps.get(number));
    let greatest = greatest.max_by(|one, other| {
        let loss = |step: &MoveReview| step.fault.as_ref().map(|fault| fault.loss.clone());
        loss(one).cmp(&loss(other))
    });
    Some(match greatest {
        Some(step) => fault_sentence(case, step, amounts)?,
        None if case.is_rated_by_consistency(seat) => {
            let open = review.parts.as_ref().map(|parts| &parts.open);
            let why = if has_visible_estimate_gap(review) {
                "each gap of your numbers is below 0.5 percentage points"
            } else if open.is_some_and(Signed::is_positive) {
                "your numbers are nearly consistent"
            } else {
                "your numbers are consistent"
            };
            format!("{NO_MISTAKE}{why}.")
        }
        None => format!("{NO_MISTAKE}no reply was 5 % or more worse than the best reply."),
    })
}

/// Describes the results of practice trials in sentences. `amounts` formats payoffs for the viewer.
pub fn trial_result_sentences(
    trial_results: &TrialDebatePayoffs,
    amounts: &PayoffFormatter,
) -> Vec<String> {
    let [prover, opponent, judge] = &trial_results.players;
    let figure = |value: f64| Exact::from_float(value).unwrap_or_default();
    let mean = amounts.signed_for_viewer(&figure(trial_results.mean_payoff()));
    let debates = with_thousands_separators(trial_results.payoffs.len() as u64);
    let to = amounts.recipient_word();
    let width = amounts.absolute_payoff(&figure(trial_results.confidence_half_width()));
    let parts = trial_results.measures.as_ref();
    let parts = parts.map_or_else(String::new, |measures| mean_parts_text(measures, amounts));
    let mean =
        format!("Mean {mean} ± {width} in {debates} debates (to {to}, 95 % interval){parts}.");
    let exact = match (&trial_results.exact, amounts.unit) {
        (Ok(exact), PayoffUnit::Points) => {
            format!("Exact expectation: {}.", amounts.signed_with_unit(exact))
        }
        (Ok(exact), PayoffUnit::Payoff) => {
            let fraction = match amounts.amount_for_viewer(exact).to_string() {
                text if text.len() <= 24 && text.contains('/') => format!(" = {text}"),
                _ => String::new(),
            };
            let exact = amounts.signed_for_viewer(exact);
            format!("Exact expectation: {exact}{fraction}.")
        }
        (Err(why), _) => format!("The exact value is not known: {why}."),
    };
    let mut lines = vec![format!("{prover} against {opponent}, judged by {judge}.")];
    if let Some(measures) = &trial_results.measures {
        let measures = trial_measures(measures, amounts).into_iter();
        lines.extend(measures.map(|(name, text)| format!("{name}: {text}")));
    }
    lines.extend([mean, exact]);
    lines
}

#[cfg(test)]
mod tests;
