//! Hints for an estimator in words: the recommended number, its reason, and the gap that another number would cause.

use num_traits::{One as _, Signed as _, Zero as _};

use debate_core::gate::{ProbabilityToShareEvenly, is_rounding_gap, is_visible_gap};
use debate_core::number::{Exact, Number as _};
use debate_core::scenario::InstanceOrFlawCaseKind;
use debate_solver::analysis::review::{EstimateAdvice, ReferenceEstimateBasis};

use crate::sums::decimals_with_sum;
use crate::{DebateNarrator, in_percent, with_thousands_separators};

/// Returns a hint for an estimator in a few sentences: the recommended estimate and its reason. Adds the range of
/// consistent estimates if the truth is not known and the estimate can cause a gap.
pub fn estimate_advice_sentence(advice: &EstimateAdvice) -> String {
    let number = in_percent(&advice.reference.p);
    if let Some(truth) = advice.known {
        let truth = DebateNarrator::truth_word(truth);
        return format!("Hint: {number}. A test has shown you that this claim is {truth}.");
    }
    let reason_clause = match advice.reference.basis {
        ReferenceEstimateBasis::Posterior => posterior_reason(advice),
        ReferenceEstimateBasis::LeafEstimates => ", from the evidence for the leaves".to_owned(),
        ReferenceEstimateBasis::EvenShare => even_share(advice),
    };
    if advice.left == 0 {
        return match advice.reference.basis {
            ReferenceEstimateBasis::EvenShare => {
                format!("Hint: {number}. None of your earlier numbers limits this number.")
            }
            _ => format!("Hint: {number}{reason_clause}."),
        };
    }
    if advice.is_decided {
        return format!(
            "Hint: {number}{reason_clause}. No gap is possible here any more, but your number counts if Alice continues with this claim."
        );
    }
    format!(
        "Hint: {number}{reason_clause}.{}",
        consistent_numbers_text(advice, &reason_clause)
    )
}

/// Returns sentences, each after a space, about the numbers that are consistent with the round's earlier numbers. If
/// these have a gap, says that it stays. `why` is the reason for the hint's number, which may name the range already.
fn consistent_numbers_text(advice: &EstimateAdvice, why: &str) -> String {
    let (from, to) = &advice.consistent_range;
    let has_gap = is_visible_gap(&advice.earlier_gap);
    let is_consistent_or_adds_no_gap = if has_gap {
        "adds no gap"
    } else {
        "is consistent"
    };
    let is_whole = from.is_zero() && to.is_one();
    let range_sentence = match numbers_in_range(advice) {
        range if !is_whole && why.ends_with(&allowed_numbers_clause(&range)) => String::new(),
        _ if from == to && why == FITS_BOTH => String::new(),
        number if from == to => format!(" Only {number} {is_consistent_or_adds_no_gap}."),
        _ if is_whole && has_gap => "No number raises the gap.".to_owned(),
        _ if is_whole => " Any number is still consistent.".to_owned(),
        range => format!(" Any number from {range} {is_consistent_or_adds_no_gap}."),
    };
    if has_gap {
        let points = percentage_points(&advice.earlier_gap);
        return format!(
            "{range_sentence} The gap of your earlier numbers stays: {points} percentage points."
        );
    }
    range_sentence
}

/// Formats the range of consistent estimates: "80 % to 100 %", or "100 %" if only one number is consistent.
fn numbers_in_range(advice: &EstimateAdvice) -> String {
    let (from, to) = &advice.consistent_range;
    if from == to {
        return in_percent(from);
    }
    format!("{} to {}", in_percent(from), in_percent(to))
}

/// Returns the end of the reason for a hint whose number differs from the posterior.
fn allowed_numbers_clause(range: &str) -> String {
    format!("but your earlier numbers allow only {range}")
}

/// Formats a probability in percentage points with one decimal place, rounded as in the review.
fn percentage_points(probability: &Exact) -> String {
    let (_, points) = decimals_with_sum(&[probability * Exact::ratio(100, 1)]);
    points
}

/// The reason for a hint's recommended estimate, if that number is both the posterior and consistent with the user's
/// earlier estimates, after rounding.
const FITS_BOTH: &str = ", which fits both what you know and your earlier numbers";

/// Explains a recommended estimate that is a posterior. The text follows the recommended number.
fn posterior_reason(advice: &EstimateAdvice) -> String {
    let posterior = advice.reference.posterior.as_ref();
    if let Some(posterior) = posterior.filter(|posterior| **posterior != advice.reference.p) {
        let posterior = in_percent(posterior);
        if posterior == in_percent(&advice.reference.p) {
            return FITS_BOTH.to_owned();
        }
        let allowed_numbers = allowed_numbers_clause(&numbers_in_range(advice));
        return format!(". From what you know the probability is {posterior}, {allowed_numbers}");
    }
    let (Some(cases), true) = (advice.cases, posterior == Some(&advice.reference.p)) else {
        return ", implied by what you know and the coins so far".to_owned();
    };
    if cases.possible.count == 1 {
        let that_remains = if advice.is_given_coins {
            "that agrees with the coins"
        } else {
            "that is still possible"
        };
        return format!(", in the only case {that_remains}");
    }
    let [holding, count] = [cases.holding, cases.possible.count].map(with_thousands_separators);
    // A coin has the probability of an estimate, so it says nothing about the truth.
    if advice.is_given_coins {
        let case_noun = match cases.possible.kind {
            InstanceOrFlawCaseKind::Worlds => "cases",
            InstanceOrFlawCaseKind::Primes => "primes",
            InstanceOrFlawCaseKind::Positions => "places of the error",
        };
        let how_many_of_them = if holding == count {
            "all of them".to_owned()
        } else {
            format!("{holding} of them")
        };
        return format!(
            ": if the coins were the truth, {count} {case_noun} would be left, and the claim true in {how_many_of_them}"
        );
    }
    match cases.possible.kind {
        InstanceOrFlawCaseKind::Worlds => {
            format!(": the claim is true in {holding} of the {count} cases that are still possible")
        }
        InstanceOrFlawCaseKind::Primes => {
            format!(
                ": the claim is true for {holding} of the {count} primes that may still divide the number"
            )
        }
        InstanceOrFlawCaseKind::Positions => {
            format!(
                ": the claim is true for {holding} of the {count} places where the error may still be"
            )
        }
    }
}

/// Explains a recommended estimate that divides the remaining probability evenly among subclaims. The text follows the
/// recommended number.
fn even_share(advice: &EstimateAdvice) -> String {
    let subclaims_left = advice.left;
    match &advice.share {
        _ if subclaims_left == 1 => {
            ", the probability that your numbers leave for the last subclaim".to_owned()
        }
        Some(ProbabilityToShareEvenly::Doubt(none)) if none.is_zero() => {
            ": your numbers leave no doubt".to_owned()
        }
        Some(ProbabilityToShareEvenly::Doubt(doubt)) => {
            let doubt = in_percent(doubt);
            format!(": the remaining doubt, {doubt}, split evenly among {subclaims_left} subclaims")
        }
        Some(ProbabilityToShareEvenly::Chance(chance)) => {
            let probability = in_percent(chance);
            format!(
                ": the remaining probability, {probability}, split evenly among {subclaims_left} subclaims"
            )
        }
        Some(ProbabilityToShareEvenly::Alike) => {
            format!(", the same for each of {subclaims_left} subclaims")
        }
        None => String::new(),
    }
}

/// Returns the gap that an estimate of a subclaim would cause, as a distance between probabilities of the claim that
/// was split.
pub(super) fn estimate_gap(advice: &EstimateAdvice, estimate: &Exact) -> Exact {
    let (from, to) = &advice.consistent_range;
    (estimate - estimate.clamp(from, to)).abs() * &advice.coins_probability
}

/// True if an estimate would have a visible gap ([`is_visible_gap`]).
pub fn would_have_visible_gap(advice: &EstimateAdvice, estimate: &Exact) -> bool {
    is_visible_gap(&estimate_gap(advice, estimate))
}

/// Returns a sentence that says if an estimate is consistent and, if it is not, how large its gap is.
pub fn consistency_sentence(advice: &EstimateAdvice, estimate: &Exact) -> String {
    let stated_number = in_percent(estimate);
    let gap = estimate_gap(advice, estimate);
    let has_earlier_gap = is_visible_gap(&advice.earlier_gap);
    // The hint's number is rounded; typed as shown, it has such a gap.
    if is_rounding_gap(&gap) {
        return if has_earlier_gap {
            format!("{stated_number} adds no gap.")
        } else {
            format!("{stated_number} is consistent.")
        };
    }
    if has_earlier_gap {
        if !is_visible_gap(&gap) {
            return format!("{stated_number} adds a gap below 0.5 percentage points.");
        }
        let gaps = [&gap, &advice.earlier_gap].map(|gap| gap * Exact::ratio(100, 1));
        let (each, gap_sum) = decimals_with_sum(&gaps);
        return format!(
            "{stated_number} adds a gap of {added_gap} percentage points, in all {gap_sum}.",
            added_gap = each[0]
        );
    }
    let points = percentage_points(&gap);
    if !is_visible_gap(&gap) {
        return format!(
            "{stated_number} is nearly consistent: its gap is below 0.5 percentage points."
        );
    }
    format!("{stated_number} is inconsistent: its gap is {points} percentage points.")
}
