//! Formats amounts that are shown beside their sum. The shown figures add up exactly, except abbreviated amounts and
//! long lists.

use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

use debate_core::number::{Exact, Number as _, format_with_decimals};

use super::{PayoffFormatter, PayoffUnit, with_thousands_separators};

/// Maximum number of amounts that are formatted to add up. The rewards of longer debates would slow down drawing.
pub(super) const MAX_AMOUNTS: usize = 32;
/// Maximum number of decimal places with which amounts are shown beside their sum: first in points, then in the unit of
/// the rules.
const MAX_PLACES: [usize; 2] = [3, 8];
/// The number of additional decimal places that are tried to make displayed amounts add up to their displayed sum.
const MORE_PLACES: usize = 2;

/// Amounts that are shown with their sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormattedAmountsWithSum {
    /// The amounts with their signs, in the given order.
    pub parts: Vec<String>,
    /// The sum with its sign.
    pub sum: String,
}

impl PayoffFormatter {
    /// Formats payoffs of the prover for the viewer, so that the shown figures add up exactly to the shown sum. Exact
    /// payoffs (fractions), abbreviated amounts and more than `MAX_AMOUNTS` payoffs are each formatted on their own.
    pub fn amounts_with_sum(&self, parts: &[Exact], sum: &Exact) -> FormattedAmountsWithSum {
        let separate = FormattedAmountsWithSum {
            parts: parts
                .iter()
                .map(|part| self.signed_for_viewer(part))
                .collect(),
            sum: self.signed_for_viewer(sum),
        };
        let texts = separate.parts.iter().chain([&separate.sum]);
        let Some(places) = texts
            .map(|text| decimal_places(text))
            .collect::<Option<Vec<_>>>()
        else {
            return separate;
        };
        if self.formats_payoffs_exactly() || parts.len() > MAX_AMOUNTS {
            return separate;
        }
        let most = self.max_places();
        // The sum alone needs no more places than its parts.
        let (_, places_of_parts) = places.split_last().unwrap_or((&0, &[]));
        let least = places_of_parts.iter().copied().max().unwrap_or(0).min(most);
        let own: Vec<Exact> = parts
            .iter()
            .map(|part| self.in_unit_for_viewer(part))
            .collect();
        let total = self.in_unit_for_viewer(sum);
        // Each amount keeps its own rounding if a few more places let them add up.
        let mut each = (least..=(least + MORE_PLACES).min(most)).map(|places| {
            let rounded: Vec<Exact> = own.iter().map(|value| scaled(value, places)).collect();
            (places, rounded)
        });
        let fitting =
            each.find(|(places, rounded)| rounded.iter().sum::<Exact>() == scaled(&total, *places));
        let (places, rounded) = fitting.unwrap_or_else(|| {
            let places = (least + 1).min(most);
            (
                places,
                rounded_to_sum(&own, &scaled(&total, places), places),
            )
        });
        FormattedAmountsWithSum {
            parts: rounded.iter().map(|value| decimal(value, places)).collect(),
            sum: decimal(&scaled(&total, places), places),
        }
    }

    /// Returns the maximum number of decimal places of amounts that are shown beside their sum, in the formatter's
    /// unit.
    fn max_places(&self) -> usize {
        MAX_PLACES[usize::from(self.unit == PayoffUnit::OfRules)]
    }

    /// Formats the parts of a payoff, so that the shown figures add up exactly to `shown_sum`, the payoff's figure. For
    /// exact payoffs (fractions) or an abbreviated sum, formats them as [`Self::amounts_with_sum`].
    pub fn parts_of_shown_sum(&self, parts: &[Exact], shown_sum: &str) -> Vec<String> {
        let total: Exact = parts.iter().sum();
        match decimal_places(shown_sum) {
            Some(shown) if !self.formats_payoffs_exactly() => {
                let own: Vec<Exact> = parts
                    .iter()
                    .map(|part| self.in_unit_for_viewer(part))
                    .collect();
                let total = self.in_unit_for_viewer(&total);
                let texts = parts.iter().map(|part| self.signed_for_viewer(part));
                let finer = texts.filter_map(|text| decimal_places(&text)).max();
                let finer = finer.unwrap_or(0).min(self.max_places());
                // If the shown sum is exact, its parts may have more places than the sum.
                let places = if scaled(&total, shown) == times_ten_to(&total, shown) {
                    shown.max(finer)
                } else {
                    shown
                };
                let rounded = rounded_to_sum(&own, &scaled(&total, places), places);
                rounded.iter().map(|value| decimal(value, places)).collect()
            }
            _ => self.amounts_with_sum(parts, &total).parts,
        }
    }
}

/// Formats non-negative values and their sum with one decimal place each. If the rounded values do not add up, tries
/// two and then three places. Adjusts the rounding only if three places do not add up either, so that figures agree
/// with the same values elsewhere.
pub(super) fn decimals_with_sum(values: &[Exact]) -> (Vec<String>, String) {
    let sum: Exact = values.iter().sum();
    let adds_up = |places: &usize| {
        let each = values.iter().map(|value| scaled(value, *places));
        each.sum::<Exact>() == scaled(&sum, *places)
    };
    let places = (1..=3).find(adds_up).unwrap_or(3);
    let power = 10_i64.pow(u32::try_from(places).unwrap_or(0));
    let total = scaled(&sum, places);
    let text =
        |value: &Exact| format_with_decimals((value / Exact::ratio(power, 1)).to_float(), places);
    let each: Vec<Exact> = if adds_up(&places) {
        values.iter().map(|value| scaled(value, places)).collect()
    } else {
        rounded_to_sum(values, &total, places)
    };
    (each.iter().map(text).collect(), text(&total))
}

/// Returns the number of decimal places of a formatted amount. `None` if it is abbreviated or a fraction.
fn decimal_places(text: &str) -> Option<usize> {
    let (mantissa, exponent) = text.split_once("e-").unwrap_or((text, "0"));
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '+' | '-');
    let places = mantissa
        .split_once('.')
        .map_or(0, |(_, places)| places.len());
    let exponent: usize = exponent.parse().ok()?;
    mantissa.chars().all(is_part).then_some(places + exponent)
}

/// Returns 10^`places` times a value, as the nearest whole number; halves are rounded away from zero.
fn scaled(value: &Exact, places: usize) -> Exact {
    times_ten_to(value, places).round()
}

/// Multiplies a value by 10^`places`. The fraction is not reduced, because that takes long for long fractions.
fn times_ten_to(value: &Exact, places: usize) -> Exact {
    let factor = 10_u64.pow(u32::try_from(places).unwrap_or(0));
    Exact::new_raw(value.numer() * factor, value.denom().clone())
}

/// Rounds values, scaled by 10^`places`, so that they add up to `sum`, their rounded sum: rounds all of them down, then
/// those with the largest fractional parts up.
fn rounded_to_sum(values: &[Exact], sum: &Exact, places: usize) -> Vec<Exact> {
    let exact: Vec<Exact> = values
        .iter()
        .map(|value| times_ten_to(value, places))
        .collect();
    let mut rounded: Vec<Exact> = exact.iter().map(Exact::floor).collect();
    let missing = sum - rounded.iter().sum::<Exact>();
    let rests: Vec<Exact> = exact.iter().map(|value| value - value.floor()).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| rests[*other].cmp(&rests[*one]));
    for index in order.into_iter().take(missing.to_usize().unwrap_or(0)) {
        rounded[index] += Exact::one();
    }
    rounded
}

/// Formats a whole number divided by 10^`places` as a decimal with its sign, without trailing zeros.
fn decimal(value: &Exact, places: usize) -> String {
    if value.is_zero() {
        return "0".to_owned();
    }
    let sign = if value.is_positive() { "+" } else { "-" };
    let digits = format!("{:0>width$}", value.abs().to_integer(), width = places + 1);
    let (whole, rest) = digits.split_at(digits.len() - places);
    let whole = whole
        .parse()
        .map_or_else(|_| whole.to_owned(), with_thousands_separators);
    match rest.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViewerPerspective;
    use debate_core::number::parse;
    use debate_core::protocol::{Round, Seat};
    use proptest::prelude::*;

    fn read(text: &str) -> Exact {
        parse(&text.replace([',', '+'], "")).unwrap()
    }

    fn points(parts: &[(i64, i64)]) -> (Vec<Exact>, Exact) {
        let parts: Vec<Exact> = parts
            .iter()
            .map(|(numerator, denominator)| Exact::ratio(*numerator, *denominator))
            .collect();
        let sum = parts.iter().sum();
        (parts, sum)
    }

    fn formatter() -> PayoffFormatter {
        let schedule = [
            (Round::Initial, Exact::ratio(1, 100)),
            (Round::Number(1), Exact::ratio(1, 10)),
            (Round::Number(0), Exact::ratio(1, 1)),
        ];
        PayoffFormatter::formatter_in_points_of_schedule(&schedule)
    }

    /// Tests that gaps get more decimal places if their rounded values do not add up to their rounded sum. A gap of
    /// 21.45 points is shown as 21.5 in a question, so the final report must not show 21.4.
    #[test]
    fn gaps_that_do_not_add_up_have_more_places() {
        let (gaps, _) = points(&[(2145, 100), (1497, 100), (1612, 100)]);
        let (each, sum) = decimals_with_sum(&gaps);
        assert_eq!(each, ["21.45", "14.97", "16.12"]);
        assert_eq!(sum, "52.54");
    }

    #[test]
    fn a_sum_has_the_places_of_its_parts() {
        let (parts, sum) = points(&[(1, 200), (1, 5), (1, 1)]);
        let shown = formatter().amounts_with_sum(&parts, &sum);
        assert_eq!(shown.parts, ["+0.5", "+20", "+100"]);
        assert_eq!(shown.sum, "+120.5");
    }

    /// Tests that a payment is written as it is written beside the sum of all payments: −156.25 points as -156.3, not
    /// as -156.
    #[test]
    fn a_payment_has_the_digits_that_it_has_beside_the_sum() {
        let (paid, sum) = points(&[(25, 100), (625, 1000), (-15_625, 10_000)]);
        let shown = formatter().amounts_with_sum(&paid, &sum);
        assert_eq!(shown.parts, ["+25", "+62.5", "-156.3"]);
        let amounts = formatter().with_matching_payment_digits(paid.clone());
        assert_eq!(formatter().signed_payment(&paid[2]), "-156");
        for (payment, part) in paid.iter().zip(&shown.parts) {
            assert_eq!(amounts.signed_payment(payment), *part);
        }
        assert_eq!(amounts.signed_payment(&sum), shown.sum);
        // An amount that was not paid keeps its own rounding, and long lists are formatted separately.
        assert_eq!(amounts.signed_payment(&(&sum + &paid[2])), "-225");
        let many = formatter().with_matching_payment_digits(vec![paid[2].clone(); MAX_AMOUNTS + 1]);
        assert_eq!(many.signed_payment(&paid[2]), "-156");
    }

    #[test]
    fn the_opposite_of_a_figure_has_the_other_sign() {
        use crate::amounts::opposite_figure;
        for (figure, opposite) in [
            ("+10", "-10"),
            ("-10", "+10"),
            ("+1e-5", "-1e-5"),
            ("≈-0.17", "≈+0.17"),
            ("0", "0"),
        ] {
            assert_eq!(opposite_figure(figure), opposite);
        }
    }

    proptest! {
        /// Tests that displayed gaps add up to their displayed sum. Each displayed gap differs from the exact gap by
        /// less than one unit of its last decimal place.
        #[test]
        fn shown_gaps_add_up_and_round_as_elsewhere(
            gaps in proptest::collection::vec((0_i64..9000, 1_i64..700), 1..6),
        ) {
            let (gaps, _) = points(&gaps);
            let (each, sum) = decimals_with_sum(&gaps);
            let added: Exact = each.iter().map(|gap| read(gap)).sum();
            prop_assert_eq!(added, read(&sum), "{:?} {}", each, sum);
            for (gap, shown) in gaps.iter().zip(&each) {
                let places = shown.split_once('.').map_or(0, |(_, places)| places.len());
                let unit = Exact::ratio(1, 10_i64.pow(u32::try_from(places).unwrap()));
                prop_assert!((read(shown) - gap).abs() < unit);
            }
        }

        /// Tests that the displayed parts of a payoff add up to its displayed sum, in points and in exact payoffs, for
        /// each viewer.
        #[test]
        fn shown_amounts_add_up_to_the_shown_sum(
            parts in proptest::collection::vec((-900_i64..900, 1_i64..700), 1..7),
            is_bob in any::<bool>(),
        ) {
            let (parts, sum) = points(&parts);
            let seat = if is_bob { Seat::Opponent } else { Seat::Prover };
            let perspective = ViewerPerspective::of_seat(seat);
            for amounts in [
                formatter().with_perspective(perspective),
                PayoffFormatter::formatter_with_three_digits(perspective),
            ] {
                let shown = amounts.amounts_with_sum(&parts, &sum);
                let added: Exact = shown.parts.iter().map(|part| read(part)).sum();
                prop_assert_eq!(&added, &read(&shown.sum), "{:?}", shown);
                // Other parts of the same payoff.
                let (half, others) = (&sum / Exact::ratio(2, 1), [&sum / Exact::ratio(3, 1), &sum / Exact::ratio(6, 1)]);
                let more = [&[half], &others[..]].concat();
                let added: Exact = amounts.parts_of_shown_sum(&more, &shown.sum).iter().map(|part| read(part)).sum();
                prop_assert_eq!(&added, &read(&shown.sum));
            }
        }
    }
}
