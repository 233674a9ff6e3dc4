//! Hints, reviews of debates and results of practice trials in words.

mod advice;
mod trials;

pub use advice::{consistency_sentence, estimate_advice_sentence, would_have_visible_gap};
pub use trials::{lucky_gaps_sentence, trial_result_sentences};

use num_traits::{One as _, Signed, Zero as _};

use debate_core::gate::is_visible_gap;
use debate_core::number::{Exact, Number, format_with_decimals};
use debate_core::player::player_in_plain_words;
use debate_core::protocol::{ProtocolKind, Reply, Seat};

use super::sums::decimals_with_sum;
use super::{
    DebateNarrator, FormulaCharacterSet, PayoffFormatter, capitalized, in_percent, other_debater,
    reply_words, with_thousands_separators,
};
use debate_solver::analysis::review::{
    DebateReview, EstimatorMeasures, InconsistentEstimate, LaterReplyAssumption, MoveReview,
    PayoffParts, RatedReply, ReplyFault, ReplyFaultCause, ReplyPayoffHint, ReviewContext,
    RoundGapSum, SearchedRivals,
};

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
                .machine_configuration_or_invalid_bits_text(bits)
        }
        Reply::Select(half) if case.protocol_kind() == ProtocolKind::Bisection => {
            let half = if *half == 0 { "first" } else { "second" };
            return format!("the {half} half");
        }
        // The choice is between two named replies, without step numbers.
        Reply::Challenge(step) => match case.protocol_kind() {
            ProtocolKind::Stochastic => {
                let name = if step.is_some() {
                    "end the debate"
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

/// Returns the name of the opponent of the debater who gets these hints: "Alice" or "Bob".
fn rival(hints: &ReplyPayoffHint) -> &'static str {
    other_debater(hints.seat).player_name_of_seat()
}

/// Returns a phrase about the opponents against whom a hint's payoff holds. If the payoff is guaranteed: "whatever
/// Alice does", or "against any of 3 listed Alices". Otherwise: "against this Alice", with her player in words.
fn against(case: &ReviewContext, hints: &ReplyPayoffHint, guaranteed: bool) -> String {
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

/// Returns sentences, after a space, with the reason for a bet or for the selection of a subclaim: a probability, and
/// the opponent's estimate. Before the last claim, a bet's probability is that of the coins. Otherwise it is the claim's
/// probability by what the player knows. Empty for other replies.
fn reason_for_reply(hints: &ReplyPayoffHint, amounts: &PayoffFormatter) -> String {
    if let Some(bet) = &hints.bet_outcome {
        let [expected, estimate] = [&bet.probability, &bet.estimate].map(in_percent);
        return format!(
            " The coins of its subclaims decide the bet: yes with {expected} on average. Bob: {estimate}."
        );
    }
    let (known, subject) = match (&hints.last_claim, &hints.best_subclaim) {
        (Some(last), _) => (last, ":"),
        (None, Some(subclaim)) => (subclaim, ", the best subclaim is true with"),
        (None, None) => return String::new(),
    };
    let own_probability = in_percent(&known.probability);
    let case_counts = known.cases.filter(|(_, count)| *count > 1);
    let case_counts = case_counts.map_or_else(String::new, |(holding, count)| {
        let [holding, count] = [holding, count].map(|n| with_thousands_separators(n as u64));
        format!(" ({holding} of {count} cases)")
    });
    let player = amounts
        .perspective
        .player_name_or_you_in_sentence(hints.seat);
    let knows = amounts.perspective.verb_form(hints.seat, "knows", "know");
    let bobs_estimate = in_percent(&known.estimate);
    format!(
        " By what {player} {knows}{subject} {own_probability}{case_counts}. Bob: {bobs_estimate}."
    )
}

/// Returns sentences, each after a space: the reason for a reply and the meaning of a hint's points.
/// Then the player assumed for the seat's later replies, and the knowledge that the hint assumes. Leaves out those that
/// do not apply.
fn scope_sentences(
    case: &ReviewContext,
    hints: &ReplyPayoffHint,
    amounts: &PayoffFormatter,
) -> String {
    let mut text = reason_for_reply(hints, amounts);
    if case.protocol_kind() == ProtocolKind::ProverEstimator {
        text.push_str(" Points are the expected total of the whole debate.");
    }
    if hints.later == LaterReplyAssumption::PlaceholderPlayer {
        let player = case.player_name(hints.seat);
        let possessive = capitalized(amounts.perspective.possessive(hints.seat));
        let player = player_in_plain_words(case.protocol_kind(), hints.seat, &player);
        text.extend([
            " ",
            &possessive,
            " later replies are assumed to be those of ",
            &player,
            ".",
        ]);
    }
    if case.rules_allow_uninformed_debaters() {
        let knowledge = knowledge_phrase(hints.seat, hints.instances, "knows", amounts);
        text.extend([" Assumed: ", knowledge.as_str(), "."]);
    }
    text
}

/// Describes the knowledge on which the value of a reply is based: "you know only that 64 cases are possible". `knows`
/// is the third-person verb to use, "knows" or "knew".
fn knowledge_phrase(
    seat: Seat,
    possible_cases: usize,
    knows: &'static str,
    amounts: &PayoffFormatter,
) -> String {
    let player = amounts.perspective.player_name_or_you_in_sentence(seat);
    let (knows_or_knew, are_or_were) = match knows {
        "knows" => (amounts.perspective.verb_form(seat, "knows", "know"), "are"),
        past => (past, "were"),
    };
    match possible_cases {
        1 => format!("{player} {knows_or_knew} which claims are true"),
        count => {
            let case_count = with_thousands_separators(count as u64);
            format!("{player} {knows_or_knew} only that {case_count} cases {are_or_were} possible")
        }
    }
}

/// Formats the value of a reply for the player who must reply: a payoff under prover-estimator rules, else the
/// probability of winning.
fn value(
    case: &ReviewContext,
    hints: &ReplyPayoffHint,
    value: &Exact,
    amounts: &PayoffFormatter,
) -> String {
    if case.protocol_kind() == ProtocolKind::ProverEstimator {
        return amounts.signed_for_viewer_with_unit(value);
    }
    let won = (hints.payoff_of_seat_to_move(value.clone()) + Exact::one()) / Exact::ratio(2, 1);
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
    hints: &ReplyPayoffHint,
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
fn as_good_as(hints: &ReplyPayoffHint, rated: &RatedReply) -> usize {
    let others = hints.replies.iter();
    others.filter(|other| is_as_good(other, rated)).count()
}

/// Maximum number of equally good replies that a hint names.
const MAX_NAMED_REPLIES: usize = 4;

/// Lists the replies that are as good as the best one, in their order: "subclaim 3 and subclaim 4". `None` if there are
/// too many.
fn best_reply_names(
    case: &ReviewContext,
    hints: &ReplyPayoffHint,
    best: &RatedReply,
) -> Option<String> {
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
fn all_alike(hints: &ReplyPayoffHint) -> bool {
    let first = hints.replies.first().filter(|_| hints.replies.len() > 1);
    first.is_some_and(|first| as_good_as(hints, first) == hints.replies.len())
}

fn is_as_good(one: &RatedReply, other: &RatedReply) -> bool {
    one.worst == other.worst && one.value == other.value
}

/// True if a reply that is not as good as the best one is shown with the same value.
fn is_shown_as_good_as_best(
    case: &ReviewContext,
    hints: &ReplyPayoffHint,
    best: &RatedReply,
    amounts: &PayoffFormatter,
) -> bool {
    let shown = |rated: &RatedReply| {
        value(
            case,
            hints,
            rated.worst.as_ref().unwrap_or(&rated.value),
            amounts,
        )
    };
    let best_value = shown(best);
    let mut others = hints.replies.iter().filter(|it| !is_as_good(it, best));
    others.any(|other| shown(other) == best_value)
}

/// Returns a sentence with the value of a debater's reply and, if another reply is better, with the best reply's value.
/// `None` for a judge. `amounts` formats payoffs for the player who must reply.
pub fn hint_sentence(
    case: &ReviewContext,
    hints: &ReplyPayoffHint,
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
    let against_whom = against(case, hints, guaranteed);
    let expected_result = value(case, hints, own, amounts);
    let scope_remarks = scope_sentences(case, hints, amounts);
    if hints.replies.len() == 1 {
        return Some(format!(
            "Hint: this is the only reply: {expected_result} {against_whom}.{scope_remarks}"
        ));
    }
    if all_alike(hints) {
        let alike = match rated.reply {
            Reply::Direction(_) => "this bet changes nothing on average. The whole debate",
            _ => "all replies are equally good",
        };
        return Some(format!(
            "Hint: {alike}: {expected_result} {against_whom}.{scope_remarks}"
        ));
    }
    let reply = reply_text(case, &rated.reply);
    Some(if is_as_good(rated, best) {
        // Values that are shown as equal would contradict "best".
        let margin = if is_shown_as_good_as_best(case, hints, best, amounts) {
            ", by too little to show"
        } else {
            ""
        };
        let best = match (best_reply_names(case, hints, best), as_good_as(hints, best)) {
            (_, 1) => format!("{reply} is best"),
            (Some(names), _) => format!("{names} are best"),
            (None, count) => format!(
                "{reply} is one of the {count} best replies",
                count = with_thousands_separators(count as u64)
            ),
        };
        format!("Hint: {best}{margin}: {expected_result} {against_whom}.{scope_remarks}")
    } else {
        let best_result = value(case, hints, most, amounts);
        let best_reply = reply_text(case, &best.reply);
        format!(
            "Hint: {reply}: {expected_result} {against_whom}. Best: {best_reply}, {best_result}.{scope_remarks}"
        )
    })
}

/// Returns lines with the hint for a debater and the values of the possible replies, the best reply first. If all
/// replies are equally good, returns only the hint. For a judge, returns only the values, in the order of the replies.
pub fn hint_lines(
    case: &ReviewContext,
    hints: &ReplyPayoffHint,
    amounts: &PayoffFormatter,
) -> Vec<String> {
    let best = hints.best_reply();
    let hint = best.and_then(|best| hint_sentence(case, hints, best, amounts));
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

/// Returns a sentence about a reply that is a mistake: its subject, the reply, the reason, and a better reply. `None`
/// if the review finds no mistake in it.
pub fn fault_sentence(
    case: &ReviewContext,
    step: &MoveReview,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let fault = step.fault.as_ref()?;
    let about = about(case, step);
    let about = about.map_or_else(String::new, |about| format!("{about}: "));
    let given = reply_text(case, &step.reply);
    let given = match &step.reply {
        Reply::Probability(_) => format!("you said {given}"),
        _ => given,
    };
    let reason = reason(case, step.seat, fault, amounts);
    Some(match &fault.cause {
        ReplyFaultCause::Unlikely { .. } => format!("{about}{given}; {reason}"),
        _ => format!("{about}{given}. {reason}"),
    })
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
        ReplyFaultCause::Unlikely {
            posterior,
            consistent,
        } => {
            let [right_number, nearest] = [posterior, consistent].map(in_percent);
            let right_number_clause = format!("from what you knew, {right_number} was right");
            if in_percent(posterior) == nearest {
                return format!("{right_number_clause}.");
            }
            format!(
                "{right_number_clause}; with your earlier numbers, {nearest} was the nearest consistent number."
            )
        }
        ReplyFaultCause::Worse {
            best,
            possible_cases,
            guaranteed,
        } => {
            let best_reply = reply_text(case, best);
            let knowledge_clause = if case.rules_allow_uninformed_debaters() {
                let knowledge = knowledge_phrase(seat, *possible_cases, "knew", amounts);
                format!(", if {knowledge}")
            } else {
                String::new()
            };
            let rival = other_debater(seat).player_name_of_seat();
            let against_whom = if *guaranteed {
                format!("whatever {rival} does")
            } else {
                format!("against this {rival}")
            };
            if case.protocol_kind() == ProtocolKind::ProverEstimator {
                let more_payoff = amounts.absolute_with_unit(&fault.loss);
                return format!(
                    "With {best_reply} you would expect {more_payoff} more {against_whom}{knowledge_clause}."
                );
            }
            let more = in_percent(&fault.share);
            let more = more.trim_end_matches(" %");
            format!(
                "With {best_reply} your probability of winning would be {more} percentage points higher {against_whom}{knowledge_clause}."
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
    let evenly_shared_number = in_percent(&misfit.even);
    let advice = if misfit.even_leaves_no_gap {
        format!("A consistent number is {evenly_shared_number}.")
    } else {
        format!(
            "The earlier numbers had a gap already; {evenly_shared_number} would have added none."
        )
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

/// Lists the four parts of a payoff under prover-estimator rules: "First answer 0, gaps +271, coins -90, last claim 0".
/// Adds an explanation if the gaps of a round exceed its stake. `None` under other rules.
pub fn payoff_parts_text(review: &DebateReview, amounts: &PayoffFormatter) -> Option<String> {
    let figures = payoff_part_figures(review, amounts)?;
    let parts = review.parts.as_ref()?;
    let excess = if parts.exceeds_stake { EXCESS } else { "" };
    let text = labelled_parts(&figures);
    Some(format!("{}{excess}", capitalized(&text)))
}

/// True if some gap is visible and the coins that came up changed the shown payoff from gaps.
fn coins_change_gaps(parts: &PayoffParts, amounts: &PayoffFormatter) -> bool {
    let is_visible = parts
        .round_gaps
        .iter()
        .any(|round| is_visible_gap(&round.gap));
    let [before, after] =
        [&parts.misses_before_coins, &parts.misses].map(|gaps| amounts.signed_for_viewer(gaps));
    is_visible && before != after
}

/// A sentence, after a space, that says why the payoff from gaps differs from its mean before the coins.
const DIVIDED_BY_COINS: &str =
    " The less likely the coins before a number were, the more its gap counts.";

/// A sentence, without its full stop, that explains why the gaps of a round can cost more than its stake.
const EXCESS: &str = ". After each coin, the next number adds its own gap, so a round's gaps can exceed its stake; the coins pay the excess back";

/// Formats the four parts of a payoff. They add up to the shown payoff, unless that payoff is abbreviated.
fn payoff_part_figures(review: &DebateReview, amounts: &PayoffFormatter) -> Option<[String; 4]> {
    let parts = review.parts.as_ref()?;
    let shown = amounts.amounts_with_sum(&review.rewards, &review.payoff);
    let values = [&parts.first, &parts.misses, &parts.coins, &parts.last].map(Exact::clone);
    amounts
        .parts_of_shown_sum(&values, &shown.sum)
        .try_into()
        .ok()
}

/// The names of the parts of a payoff under prover-estimator rules, in their order.
const PARTS: [&str; 4] = ["first answer", "gaps", "coins", "last claim"];

/// Lists the figures of a payoff's parts with their names: "first answer 0, gaps +271, coins -90, last claim 0".
fn labelled_parts(figures: &[String]) -> String {
    let each = PARTS.iter().zip(figures);
    let each: Vec<String> = each
        .map(|(label, figure)| format!("{label} {figure}"))
        .collect();
    each.join(", ")
}

/// The name of the measure of an estimator's gaps.
pub const CONSISTENCY: &str = "Consistency";
/// The plain name of the mean squared distance of estimates to the posterior.
pub const DISTANCE_TO_BEST: &str = "squared distance from the best possible numbers";
/// The name of the measure of the quality of estimates: their squared errors, or their squared distances to the
/// posterior if these are known.
const KNOWLEDGE: &str = "Knowledge";
/// The name under which the report shows how much chance (the coins and the last claim) paid.
const LUCK: &str = "Luck";

/// True if the estimates of some round have a gap of at least half a percentage point.
pub fn has_visible_gap_after_rounding(review: &DebateReview) -> bool {
    let figures = review.figures.as_ref();
    figures.is_some_and(EstimatorMeasures::has_visible_gap)
}

/// The name of the line about a prover's bet on the last claim.
const LAST_BET: &str = "Last bet";

/// Describes the measured estimates of a human Bob, each measure with its name: consistency, knowledge (if the truth is
/// known) and luck. If Bob is not human, describes to a user in Alice's seat the last bet (if it was valued) and luck.
/// Otherwise empty.
pub fn estimate_quality_measures(
    review: &DebateReview,
    amounts: &PayoffFormatter,
) -> Vec<(&'static str, String)> {
    let Some(parts) = &review.parts else {
        return Vec::new();
    };
    let Some(figures) = &review.figures else {
        if !amounts.perspective.is_viewer_seat(Seat::Prover) {
            return Vec::new();
        }
        let last_bet = last_bet_sentence(review, amounts).map(|text| (LAST_BET, text));
        let luck = (LUCK, prover_luck_sentences(review, parts, amounts));
        return last_bet.into_iter().chain([luck]).collect();
    };
    let consistency = if figures.gap.is_zero() {
        let meaning = if figures.is_exact {
            no_earnings_sentence(figures.rounds, amounts)
        } else {
            " One joint probability of the claims explains all the numbers.".to_owned()
        };
        format!("no gap.{meaning}{}", last_claim_sentence(figures, amounts))
    } else if !figures.has_gap_beyond_rounding() {
        format!(
            "no gap of 0.05 percentage points or more in any round; smaller gaps are rounding.{last_claim_sentence}",
            last_claim_sentence = last_claim_sentence(figures, amounts)
        )
    } else if !has_visible_gap_after_rounding(review) {
        format!(
            "nearly consistent: every round's gap is below 0.5 percentage points.{last_claim_sentence}",
            last_claim_sentence = last_claim_sentence(figures, amounts)
        )
    } else {
        let gaps = gaps_text(&figures.round_gaps);
        let earned = if parts.wrong_bets == 0 {
            let most = amounts.absolute_with_unit(&parts.open);
            earnings_sentence(figures, &most, amounts)
        } else {
            wrong_bets_text(review, parts, figures, amounts)
        };
        let divided = if coins_change_gaps(parts, amounts) {
            DIVIDED_BY_COINS
        } else {
            ""
        };
        format!("gaps of {gaps}. {earned}{divided}")
    };
    let mut lines = vec![(CONSISTENCY, consistency)];
    if let Some(knowledge) = &figures.knowledge {
        let errors = [&knowledge.own, &knowledge.reference].map(Number::to_float);
        let distances = knowledge.to_posterior.as_ref();
        let distances = distances.map(|both| [&both.own, &both.reference].map(Number::to_float));
        let numbers = counted_numbers_text(review, knowledge.count, amounts);
        let text = knowledge_text(errors, distances, &numbers);
        lines.push((KNOWLEDGE, text));
    }
    lines.push((LUCK, estimator_luck_sentences(review, parts, amounts)));
    lines
}

/// Formats the payoff from the coins and from the last claim as in the list of all parts ([`payoff_parts_text`]).
fn coins_and_last_claim(
    review: &DebateReview,
    parts: &PayoffParts,
    amounts: &PayoffFormatter,
) -> [String; 2] {
    let figures = payoff_part_figures(review, amounts).map_or_else(
        || [&parts.coins, &parts.last].map(|part| amounts.signed_for_viewer(part)),
        |[_, _, coins, last]| [coins, last],
    );
    figures.map(|figure| amounts.with_unit(figure))
}

/// Says how much the coins and the last claim paid. Only the coins are luck in every case.
fn estimator_luck_sentences(
    review: &DebateReview,
    parts: &PayoffParts,
    amounts: &PayoffFormatter,
) -> String {
    let [coin_payment, last_payment] = coins_and_last_claim(review, parts, amounts);
    if parts.last.is_zero() {
        return format!("coins {coin_payment}.");
    }
    let bob = amounts
        .perspective
        .player_name_or_you_in_sentence(Seat::Opponent);
    format!(
        "coins {coin_payment}. The last claim, {last_payment}, was luck only as far as {bob} could not know its answer."
    )
}

/// Says how much the coins paid a user in Alice's seat, and where to see the value of the bets. The last claim belongs
/// to luck only if [`last_bet_sentence`] does not describe it.
fn prover_luck_sentences(
    review: &DebateReview,
    parts: &PayoffParts,
    amounts: &PayoffFormatter,
) -> String {
    let [coins_part, last_claim_part] = coins_and_last_claim(review, parts, amounts);
    let last_claim_part = match last_bet_sentence(review, amounts) {
        None if !parts.last.is_zero() => format!(", last claim {last_claim_part}"),
        _ => String::new(),
    };
    format!(
        "coins {coins_part}{last_claim_part}. Only the average of many debates shows what your play is worth."
    )
}

/// Says if another bet on the last claim was better by the prover's knowledge, and what the prover's bet paid. `None`
/// if the judge decided no claim, or if the bet was not valued.
fn last_bet_sentence(review: &DebateReview, amounts: &PayoffFormatter) -> Option<String> {
    let parts = review.parts.as_ref()?;
    let is_bet = |step: &&MoveReview| matches!(step.reply, Reply::Direction(_));
    let bet = review.steps.iter().rev().find(is_bet)?;
    let judge_decided = review
        .steps
        .iter()
        .any(|step| step.seat == Seat::Judge && matches!(step.reply, Reply::Oracle { .. }));
    if !judge_decided {
        return None;
    }
    let [_, payment] = coins_and_last_claim(review, parts, amounts);
    if bet.is_best {
        return Some(format!(
            "no other bet was better by what you knew; it paid {payment}."
        ));
    }
    let was_better_in_this_case = bet.lucky_fault.is_some();
    (was_better_in_this_case || bet.fault.is_some()).then(|| {
        let reason = if was_better_in_this_case {
            "not the best by what you knew, but right in this case"
        } else {
            "not the best by what you knew"
        };
        format!("{reason}; it paid {payment}.")
    })
}

/// Says how many points a prover with the right bets earns on average from the gaps: as expected before any coin, and
/// after the coins that came up (`after_coins`). The two differ: before the coins, a gap counts times the probability
/// of the coins before its number; after these coins, it counts in full. A coin that decides a round hides later gaps.
fn earnings_sentence(
    figures: &EstimatorMeasures,
    after_coins: &str,
    amounts: &PayoffFormatter,
) -> String {
    let before_coins = amounts.absolute_with_unit(&figures.before_coins);
    match (figures.is_exact, before_coins == after_coins) {
        (true, true) => format!("Bets on the right side earn {after_coins} on average."),
        (true, false) => format!(
            "Before the coins, bets on the right side were worth {before_coins} on average; after the coins that came up, {after_coins}."
        ),
        (false, true) => format!("Bets on the right side earn at least {after_coins} on average."),
        (false, false) => format!(
            "Before the coins, bets on the right side were worth at least {before_coins} on average; after the coins that came up, {after_coins}."
        ),
    }
}

/// Describes the sum of the gaps and the rounds that have them: "31.6 percentage points in round 3", or "47.9
/// percentage points: 21.0 in round 2, 26.9 in round 3". The shown gaps add up to the shown sum.
fn gaps_text(round_gaps: &[RoundGapSum]) -> String {
    let gaps: Vec<Exact> = round_gaps
        .iter()
        .map(|round| &round.gap * Exact::ratio(100, 1))
        .collect();
    let (each, sum) = decimals_with_sum(&gaps);
    let each = round_gaps.iter().map(|round| round.number).zip(each);
    let shown: Vec<(u32, String)> = each
        .filter(|(_, gap)| gap.contains(|digit| matches!(digit, '1'..='9')))
        .collect();
    match &shown[..] {
        [] => format!("{sum} percentage points"),
        [(round_number, _)] => format!("{sum} percentage points in round {round_number}"),
        several => {
            let each: Vec<String> = several
                .iter()
                .map(|(number, gap)| format!("{gap} in round {number}"))
                .collect();
            format!("{sum} percentage points: {}", each.join(", "))
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
    let bobs = capitalized(amounts.perspective.possessive(Seat::Opponent));
    format!(" {bobs} numbers left no bet in {rounds} worth anything on average.")
}

/// Returns a sentence, after a space, about the payoff of the last claim; empty if the judge answered no claim.
fn last_claim_sentence(figures: &EstimatorMeasures, amounts: &PayoffFormatter) -> String {
    let Some(last) = &figures.last_claim else {
        return String::new();
    };
    let most = amounts.payoff_without_sign(&last.most);
    let stake = amounts.absolute_with_unit(&last.stake);
    format!(
        " Consistent numbers do not protect the last claim, which the judge decides: the right bet on it pays up to {most} of {stake}."
    )
}

/// Says how much the prover's bets won and lost; called if some bets were in the wrong direction of a gap. If the bets
/// lost more than they won, first says that the estimator was lucky. The amount won minus the amount lost is the gaps'
/// part of the payoff line.
fn wrong_bets_text(
    review: &DebateReview,
    parts: &PayoffParts,
    figures: &EstimatorMeasures,
    amounts: &PayoffFormatter,
) -> String {
    let perspective = amounts.perspective;
    let bob = perspective.player_name_or_you_in_sentence(Seat::Opponent);
    let luck = if parts.misses.is_negative() {
        let bobs = capitalized(perspective.possessive(Seat::Opponent));
        let at_least = if figures.is_exact { "" } else { "at least " };
        let cost = amounts.absolute_with_unit(&figures.before_coins);
        let wrong_bets_clause = match perspective.is_viewer_seat(Seat::Prover) {
            true => "your bets were on the wrong side",
            false if parts.wrong_bets == 1 => "this Alice bet on the wrong side",
            false => "this Alice's bets were on the wrong side",
        };
        format!(
            "{bobs} gaps paid {bob} only because {wrong_bets_clause}; against bets on the right side, they would cost {bob} {at_least}{cost} on average. "
        )
    } else {
        String::new()
    };
    let alice = match perspective.is_viewer_seat(Seat::Opponent) {
        // The sentence before has named her opponent only.
        true if luck.is_empty() => "Alice's bets",
        true => "her bets",
        false if perspective.is_viewer_seat(Seat::Prover) => "your bets",
        false => "Alice's bets",
    };
    let gaps_total = payoff_part_figures(review, amounts).map_or_else(
        || amounts.signed_for_viewer(&parts.misses),
        |[_, gaps, ..]| gaps,
    );
    let won = &parts.misses + &parts.wrong;
    let both = amounts.parts_of_shown_sum(&[won, -&parts.wrong], &gaps_total);
    let [won, lost] = [0, 1].map(|index| both[index].trim_start_matches(['+', '-']));
    let recipient = amounts.word_for_payoff_recipient();
    format!(
        "{luck}In the part from gaps, {alice} won {won} and lost {lost}: gaps {gaps_total} to {recipient}."
    )
}

/// Returns the number of estimates that the estimator gave.
fn estimate_count(review: &DebateReview) -> u64 {
    let is_estimate = |step: &&MoveReview| {
        step.seat == Seat::Opponent && matches!(step.reply, Reply::Probability(_))
    };
    review.steps.iter().filter(is_estimate).count() as u64
}

/// Names the estimates that count for knowledge: "the 3 of your 8 numbers that can be compared", or "8 numbers" if all
/// count.
fn counted_numbers_text(review: &DebateReview, count: u32, amounts: &PayoffFormatter) -> String {
    let all = estimate_count(review);
    if all <= count.into() {
        return number_count(count.into());
    }
    let bobs = amounts.perspective.possessive(Seat::Opponent);
    let [counted, total] = [count.into(), all].map(with_thousands_separators);
    let counted = if count == 1 { "one" } else { &counted };
    format!("the {counted} of {bobs} {total} numbers that can be compared")
}

/// Returns a count of estimates in words: "1 number", "1,512 numbers".
fn number_count(count: u64) -> String {
    match count {
        1 => "1 number".to_owned(),
        count => format!("{} numbers", with_thousands_separators(count)),
    }
}

/// Compares estimates, counted in words by `number_count`, with the hints for the same claims: by their mean squared
/// distances to the posterior if these are known, else by their mean squared errors.
fn knowledge_text(errors: [f64; 2], distances: Option<[f64; 2]>, number_count: &str) -> String {
    let (error_measure, [own, reference]) = match distances {
        Some(distances) => (DISTANCE_TO_BEST, distances),
        None => ("squared error", errors),
    };
    let [their_mean, mean_of_hints] = [own, reference].map(squared_error_text);
    // Estimates that are rounded to whole percentages are not worse.
    if their_mean == mean_of_hints || (own - reference).abs() < 0.0005 {
        return format!(
            "as good as the hints on {number_count}: mean {error_measure} {their_mean}."
        );
    }
    let estimates_are_better_or_worse = if own > reference { "worse" } else { "better" };
    format!(
        "{estimates_are_better_or_worse} than the hints on {number_count}: mean {error_measure} {their_mean} (hints {mean_of_hints})."
    )
}

/// Says which estimates the measure of knowledge covers. Names the estimate that differs most from the hint, if by at
/// least 2 percentage points. `None` without estimates of a user, and if the truth is not known.
pub fn knowledge_measure_coverage_sentences(
    case: &ReviewContext,
    review: &DebateReview,
) -> Option<String> {
    let knowledge = review.figures.as_ref()?.knowledge.as_ref()?;
    let scope = "Only numbers for the first claim and for round 1 can be compared, up to the first coin that differs from the truth.";
    let furthest = knowledge.furthest.as_ref().map(|furthest| {
        let claim = case.instance().short_text(furthest.claim);
        let [own_number, hint] = [&furthest.own, &furthest.reference].map(in_percent);
        let is_small = (&furthest.own - &furthest.reference).abs() < Exact::ratio(1, 50);
        if own_number == hint || is_small {
            return String::new();
        }
        format!(" Of these, furthest from its hint: “{claim}”, {own_number} (hint {hint}).")
    });
    Some(format!("{scope}{}", furthest.unwrap_or_default()))
}

/// Tells a user in Alice's seat which rounds of Bob's numbers had gaps. `None` for others, and without visible gaps.
pub fn bobs_gaps_sentence_for_alice(
    review: &DebateReview,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let gaps = &review.parts.as_ref()?.round_gaps;
    let is_visible = gaps.iter().any(|round| is_visible_gap(&round.gap));
    let is_shown = is_visible && amounts.perspective.is_viewer_seat(Seat::Prover);
    is_shown.then(|| {
        format!(
            "Bob's numbers had gaps of {gaps_by_round}.",
            gaps_by_round = gaps_text(gaps)
        )
    })
}

/// Formats a mean squared error or distance with three decimals. A value that is not 0 is never shown as 0.
pub fn squared_error_text(value: f64) -> String {
    if value > 0.0 && value < 0.0005 {
        return "below 0.001".to_owned();
    }
    format_with_decimals(value, 3)
}

/// The beginning of the sentence that says that the review found no mistake.
pub const NO_MISTAKE: &str = "No mistake: ";

/// Returns the review's conclusion about a user's play: it names the greatest mistake. Without a mistake, it names the
/// replies that were better only in the debated instance, or says that there is no mistake. `None` if the review rates
/// no user's replies.
pub fn final_review_sentence(
    case: &ReviewContext,
    review: &DebateReview,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let mut seats = [Seat::Prover, Seat::Opponent].into_iter();
    let seat = seats.find(|seat| case.is_human_seat(*seat) && case.can_value_replies(*seat))?;
    // Equal mistakes are in the order of play: the first inconsistent number of a round causes the later gaps.
    let greatest = review.moves_with_greatest_faults().into_iter().next();
    let greatest = greatest.and_then(|number| review.steps.get(number));
    if greatest.is_none()
        && let Some(text) = lucky_faults_text(case, review, amounts)
    {
        return Some(text);
    }
    Some(match greatest {
        Some(step) => {
            let fault = fault_sentence(case, step, amounts)?;
            match round_suffix(step).strip_prefix(", ") {
                Some(round) => format!("{}, {fault}", capitalized(round)),
                None => fault,
            }
        }
        None if case.is_rated_by_consistency(seat) => {
            let figures = review.figures.as_ref();
            let why = if has_visible_gap_after_rounding(review) {
                "each gap of your numbers is below 0.5 percentage points"
            } else if figures.is_some_and(EstimatorMeasures::has_gap_beyond_rounding) {
                "your numbers are nearly consistent"
            } else {
                "your numbers are consistent"
            };
            format!("{NO_MISTAKE}{why}.")
        }
        None => {
            let known = if case.rules_allow_uninformed_debaters() {
                let seat = amounts.perspective.player_name_or_you_in_sentence(seat);
                format!("by what {seat} knew, ")
            } else {
                String::new()
            };
            // The limits of the review.
            let limit = match (case.protocol_kind(), seat) {
                (ProtocolKind::ProverEstimator, Seat::Prover) => {
                    "no reply lowered the average payoff by 5 % of its round's stake or more, or by 5 % of the largest stake for the first answer"
                }
                (ProtocolKind::ProverEstimator, _) => {
                    "no reply lowered the average payoff by 5 % of its round's stake or more"
                }
                _ => "no reply lowered the probability of winning by 5 percentage points or more",
            };
            format!("{NO_MISTAKE}{known}{limit}.")
        }
    })
}

/// Returns a sentence about each reply that its player's knowledge made look worse, but that was better in the debated
/// instance. The review does not call it a mistake: the player may have found the truth. `None` if there are none.
fn lucky_faults_text(
    case: &ReviewContext,
    review: &DebateReview,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let sentence = |step: &MoveReview| {
        let fault = step.lucky_fault.as_ref()?;
        let ReplyFaultCause::Worse { possible_cases, .. } = &fault.cause else {
            return None;
        };
        let reply = reply_text(case, &step.reply);
        let reply = match round_suffix(step).strip_prefix(", ") {
            Some(round) => format!("{}, {reply}", capitalized(round)),
            None => capitalized(&reply),
        };
        let loss_phrase = if case.protocol_kind() == ProtocolKind::ProverEstimator {
            format!("{} less", amounts.absolute_with_unit(&fault.loss))
        } else {
            let difference = in_percent(&fault.share);
            format!("a probability of winning {difference} lower")
        };
        let player = amounts
            .perspective
            .player_name_or_you_in_sentence(step.seat);
        let cases = with_thousands_separators(*possible_cases as u64);
        Some(format!(
            "{reply}: {loss_phrase} by what {player} knew ({cases} cases); in this case it was right."
        ))
    };
    let sentences: Vec<String> = review.steps.iter().filter_map(sentence).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

#[cfg(test)]
mod tests;
