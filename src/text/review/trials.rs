//! Results of many debates in words: mean payoffs with their parts, and the consistency and knowledge of the estimates.

use num_traits::{Signed as _, Zero as _};

use debate_core::gate::is_visible_gap;
use debate_core::number::{Exact, format_with_decimals};
use debate_core::player::seated_player_in_plain_words;
use debate_core::protocol::{ProtocolKind, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::review::{ManyDebatesEstimateMeasures, ManyDebatesPayoffs};

use super::{CONSISTENCY, KNOWLEDGE, knowledge_text, labelled_parts, number_count};
use crate::amounts::rounded_to_digit;
use crate::{PayoffFormatter, PayoffUnit, with_thousands_separators};

/// Describes the estimates in many debates by two measures: consistency, from the mean gap of a debate, and knowledge,
/// from a mean over estimates. Leaves out knowledge if no estimate counts for it.
fn trial_measures(
    trial_results: &ManyDebatesPayoffs,
    measures: &ManyDebatesEstimateMeasures,
    amounts: &PayoffFormatter,
) -> Vec<(&'static str, String)> {
    let consistency = if measures.gap == 0.0 {
        "no gap.".to_owned()
    } else if !has_visible_mean_gap(measures) {
        "nearly consistent: on average, the gaps are below 0.5 percentage points in a debate."
            .to_owned()
    } else {
        let mean_gap = format_with_decimals(100.0 * measures.gap, 1);
        let earnings_clause = if trial_results.has_own_numbers {
            // An earlier sentence says what the gaps cost.
            String::new()
        } else {
            let payoff = amounts.absolute_with_unit(&mean_gap_cost(trial_results, measures));
            let at_least = if measures.is_exact { "" } else { "at least " };
            format!("; bets on the right side earn {at_least}{payoff}")
        };
        let wrong_bets_sentence = wrong_mean_bets_sentence(trial_results, measures, amounts);
        format!(
            "gaps of {mean_gap} percentage points a debate on average{earnings_clause}.{wrong_bets_sentence} A coin that decides a claim early can hide part of a gap."
        )
    };
    // The reader may hold another seat than the estimator whose numbers are measured.
    let [consistent, knows] = if trial_results.has_own_numbers {
        [CONSISTENCY, KNOWLEDGE]
    } else {
        ["Consistency of Bob's numbers", "Knowledge of Bob"]
    };
    let mut lines = vec![(consistent, consistency)];
    if measures.count > 0 {
        let errors = [measures.own, measures.reference];
        let text = knowledge_text(errors, measures.to_posterior, &number_count(measures.count));
        lines.push((knows, text));
    }
    lines
}

/// True if the mean sum of a debate's gaps is visible ([`is_visible_gap`]).
fn has_visible_mean_gap(measures: &ManyDebatesEstimateMeasures) -> bool {
    is_visible_gap(&exact_or_zero(measures.gap))
}

fn exact_or_zero(value: f64) -> Exact {
    Exact::from_float(value).unwrap_or_default()
}

/// Returns the mean payoff of bets on the right side of the gaps. If the exact payoff of the actual bets is known, only
/// the difference between both is taken from the played debates, so that the actual bets never appear to pay more.
fn mean_gap_cost(
    trial_results: &ManyDebatesPayoffs,
    measures: &ManyDebatesEstimateMeasures,
) -> Exact {
    match &trial_results.exact_parts {
        Some([_, gaps, ..]) => {
            let sign = if gaps.is_negative() { -1.0 } else { 1.0 };
            let difference = measures.open - sign * measures.misses;
            // All bets were on the same side, up to the rounding of sums.
            if difference <= 1e-9 * measures.open {
                return gaps.abs();
            }
            gaps.abs() + exact_or_zero(difference)
        }
        None => exact_or_zero(measures.open),
    }
}

/// Returns a sentence, after a space, if the built-in prover's bets paid the estimator for gaps on average. Gaps can
/// only help a player who bets on the right side.
fn wrong_mean_bets_sentence(
    trial_results: &ManyDebatesPayoffs,
    measures: &ManyDebatesEstimateMeasures,
    amounts: &PayoffFormatter,
) -> String {
    let earned = match &trial_results.exact_parts {
        Some([_, gaps, ..]) => gaps.clone(),
        None => exact_or_zero(measures.misses),
    };
    if !earned.is_negative() {
        return String::new();
    }
    let paid = amounts.absolute_with_unit(&earned);
    let bob = if trial_results.has_own_numbers {
        amounts
            .perspective
            .player_name_or_you_in_sentence(Seat::Opponent)
    } else {
        "Bob"
    };
    // The user may hold Alice's seat, but a built-in player bets here.
    format!(
        " This Alice's bets do not follow the gaps: they were on the wrong side on average and paid {bob} {paid}."
    )
}

/// Says what the gaps of a user's numbers cost on average. It precedes the mean, because bets on the wrong side can
/// make a mean with gaps higher than one without. `None` if the numbers are not the user's, or have no visible gaps.
fn own_gaps_sentence(
    trial_results: &ManyDebatesPayoffs,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let measures = trial_results.measures.as_ref()?;
    if !trial_results.has_own_numbers || !has_visible_mean_gap(measures) {
        return None;
    }
    let bobs = amounts.perspective.possessive(Seat::Opponent);
    let bob = amounts
        .perspective
        .player_name_or_you_in_sentence(Seat::Opponent);
    let at_least = if measures.is_exact { "" } else { "at least " };
    let cost = amounts.absolute_with_unit(&mean_gap_cost(trial_results, measures));
    let last_claim_note = match &trial_results.exact_parts {
        Some([_, _, _, last]) if !last.is_zero() => {
            " The figure for the last claim is an average, because these debates end at different claims."
        }
        _ => "",
    };
    Some(format!(
        "{OWN_NUMBERS} On average, {bobs} gaps cost {bob} {at_least}{cost} in a debate against an Alice who bets on the right side.{last_claim_note}"
    ))
}

/// The sentences that say in which simulated debates the user's number is used, and in which the hint's number.
const OWN_NUMBERS: &str = "Each debate has its own coins, so its questions can differ from yours. If a question and its hint are as in your debate, your number is used, otherwise the hint. These debates can therefore have fewer and smaller gaps than yours.";

/// Explains why Bob's mean payoff is larger with the user's inconsistent numbers than with the built-in Bob's numbers.
/// `None` if it is not larger, if the gaps are not visible, or if Bob's payoff from gaps is smaller than the
/// difference. `None` also if an exact mean or the exact parts are not known.
pub fn lucky_gaps_sentence(
    own: &ManyDebatesPayoffs,
    pair: &ManyDebatesPayoffs,
    amounts: &PayoffFormatter,
) -> Option<String> {
    let [own_mean, pair_mean] = [own, pair].map(|results| results.exact.as_ref().ok());
    let more = pair_mean? - own_mean?;
    let [_, gaps, ..] = own.exact_parts.as_ref()?;
    let is_visible = own.measures.as_ref().is_some_and(has_visible_mean_gap);
    let earns_by_gaps = more.is_positive() && -gaps >= more;
    let bobs = amounts.perspective.possessive(Seat::Opponent);
    (is_visible && earns_by_gaps).then(|| {
        format!(
            "This mean is better for {bob} than the built-in Bob's only because this Alice's bets do not follow {bobs} gaps.",
            bob = amounts.perspective.player_name_or_you_in_sentence(Seat::Opponent),
        )
    })
}

/// Formats a mean payoff and its parts, so that the shown parts add up to the shown mean: "-11.9", and "first answer 0,
/// gaps -10.9, coins -1, last claim 0".
fn mean_and_parts(parts: &[Exact; 4], amounts: &PayoffFormatter) -> (String, String) {
    let shown = amounts.amounts_with_sum(parts, &parts.iter().sum());
    (shown.sum, labelled_parts(&shown.parts))
}

/// Describes in sentences the payoffs of many trial debates about an instance, which the program plays alone. `amounts`
/// formats payoffs for the viewer.
pub fn trial_result_sentences(
    instance: &Instance,
    protocol: ProtocolKind,
    trial_results: &ManyDebatesPayoffs,
    amounts: &PayoffFormatter,
) -> Vec<String> {
    let [prover, opponent, judge] = &trial_results.players;
    let described = |seat, name: &str| seated_player_in_plain_words(instance, protocol, seat, name);
    let mut lines = vec![format!(
        "Alice: {prover}. Bob: {opponent}. Judge: {judge}.",
        prover = described(Seat::Prover, prover),
        opponent = described(Seat::Opponent, opponent),
        judge = described(Seat::Judge, judge),
    )];
    lines.extend(own_gaps_sentence(trial_results, amounts));
    lines.extend(mean_payoff_sentences(trial_results, amounts));
    if let Some(measures) = &trial_results.measures {
        let measures = trial_measures(trial_results, measures, amounts).into_iter();
        lines.extend(measures.map(|(name, text)| format!("{name}: {text}")));
    }
    lines
}

/// Returns sentences about the mean payoff of many debates: the exact value with its exact parts. If these parts are
/// not known, adds those of the played debates. Without an exact value, returns the mean of the played debates with its
/// interval and the reason.
fn mean_payoff_sentences(
    trial_results: &ManyDebatesPayoffs,
    amounts: &PayoffFormatter,
) -> Vec<String> {
    let debates = with_thousands_separators(trial_results.payoffs.len() as u64);
    let recipient = amounts.word_for_payoff_recipient();
    let half_width = exact_or_zero(trial_results.confidence_half_width());
    let half_width_text = amounts.payoff_without_sign(&half_width);
    let played = trial_results.measures.as_ref().map(|measures| {
        let parts = [
            measures.first,
            measures.misses,
            measures.coins,
            measures.last,
        ];
        let digit = amounts.place_value_of_last_meaningful_digit(&half_width);
        let parts = parts.map(|part| rounded_to_digit(&exact_or_zero(part), &digit));
        mean_and_parts(&parts, amounts)
    });
    match (&trial_results.exact, amounts.unit) {
        (Ok(exact), unit) => {
            let equal_fraction = match amounts.amount_for_viewer(exact).to_string() {
                text if unit == PayoffUnit::OfRules && text.len() <= 24 && text.contains('/') => {
                    format!(" = {text}")
                }
                _ => String::new(),
            };
            if let Some(parts) = &trial_results.exact_parts {
                let (mean, parts) = mean_and_parts(parts, amounts);
                let mean = amounts.with_unit(mean);
                return vec![format!(
                    "Exact mean: {mean}{equal_fraction} to {recipient}: {parts}."
                )];
            }
            let exact = amounts.signed_for_viewer_with_unit(exact);
            let exact = format!("Exact mean: {exact}{equal_fraction} to {recipient}.");
            // The parts of a sample add up to the sample's mean, not to the exact one.
            let played = played.map(|(mean, parts)| {
                format!(
                    "In a sample of {debates} debates the mean was {mean} ± {half_width_text} (chance): {parts}."
                )
            });
            std::iter::once(exact).chain(played).collect()
        }
        (Err(why), _) => {
            let (mean, parts) = if let Some((mean, parts)) = played {
                (mean, format!(": {parts}"))
            } else {
                let mean = exact_or_zero(trial_results.mean_payoff());
                (amounts.signed_for_viewer(&mean), String::new())
            };
            vec![
                format!(
                    "Mean {mean} ± {half_width_text} to {recipient} in {debates} debates (95 % interval){parts}."
                ),
                format!("The exact value is not known: {why}."),
            ]
        }
    }
}
