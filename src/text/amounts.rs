//! Formats payoffs for users: in points, with the sign from the perspective of one side.
//!
//! **One point** under prover-estimator debate is the weight of the first answer, r^(d+1). Every later stake is r⁻¹
//! times the previous one, so with r = 1/10 the stakes of the rounds are 1, 10, 100 … points. Under all rules with one
//! payoff at the end, one point is a payoff of 1, and the payoff is +1 or -1, or p - ½. These rules are plain
//! recursion, bisection, cross-examination, descent, quantified formulas, stochastic debate, verified debates and free
//! speeches.
//!
//! Points are for display only. Files, exports and JSON contain the payoff.

use std::cmp::Ordering;

use num_traits::{One as _, Signed as _, Zero as _};

use debate_core::number::{
    Exact, Number as _, format_as_short_decimal_or_fraction, format_rounded,
};
use debate_core::protocol::{Log, Reward, Round};

use super::sums::MAX_AMOUNTS;
use super::{
    DebateNarrator, FormulaCharacterSet, SignCharacters, ViewerPerspective,
    with_thousands_separators,
};

/// Maximum number of digits of a number of points before the decimal point; longer numbers are abbreviated. Also the
/// number of significant digits of a payoff that is too long to be written exactly.
const DIGITS: usize = 6;
/// Maximum number of decimal places of an exactly formatted payoff.
const PLACES: u32 = 8;
/// Maximum length of an exactly formatted payoff on one line; longer ones are rounded.
const EXACT_COLUMNS: usize = 14;

/// The unit in which payoffs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PayoffUnit {
    #[default]
    Points,
    /// The unit that rules and files use, not converted to points.
    OfRules,
}

impl PayoffUnit {
    #[must_use]
    pub fn other_unit(self) -> Self {
        match self {
            Self::Points => Self::OfRules,
            Self::OfRules => Self::Points,
        }
    }

    /// Returns the unit for a title, to follow a noun: "in points".
    pub fn unit_title_suffix(self) -> &'static str {
        match self {
            Self::Points => "in points",
            Self::OfRules => "as payoffs",
        }
    }
}

/// Rounds a payoff to a multiple of `place`; unchanged if `place` is zero.
pub(super) fn rounded_to_digit(value: &Exact, place: &Exact) -> Exact {
    if place.is_zero() {
        return value.clone();
    }
    (value / place).round() * place
}

/// A formatter for payoffs, with signs from the perspective of one side.
#[derive(Clone, Debug)]
pub struct PayoffFormatter {
    /// The payoff of one point.
    pub point: Exact,
    /// The exponent k if one point is a payoff of r^k, because the rules weight rounds by powers of r.
    exponent: Option<u32>,
    /// The perspective of the viewer, whose gains are shown as positive amounts.
    pub perspective: ViewerPerspective,
    pub unit: PayoffUnit,
    /// The number of significant digits of payoffs in the unit of the rules; `None` to write them exactly. Not used for
    /// points.
    rounded: Option<usize>,
    /// The payments that are shown with their sum; empty if there are none.
    payments: Vec<Exact>,
    pub script: FormulaCharacterSet,
}

impl PayoffFormatter {
    /// Creates a formatter of payoffs in points, with the neutral perspective. The round weights in `schedule`
    /// determine the payoff that equals one point.
    pub fn formatter_in_points_of_schedule(schedule: &[(Round, Exact)]) -> Self {
        let weights = schedule.iter().map(|(_, weight)| weight);
        let least = weights.filter(|weight| weight.is_positive()).min();
        let initial = schedule.iter().any(|(round, _)| *round == Round::Initial);
        let depth = Round::first_of(schedule);
        Self {
            point: least
                .filter(|_| initial)
                .cloned()
                .unwrap_or_else(Exact::one),
            exponent: depth.filter(|_| initial).map(|depth| depth + 1),
            perspective: ViewerPerspective::NEUTRAL,
            unit: PayoffUnit::Points,
            rounded: None,
            payments: Vec::new(),
            script: FormulaCharacterSet::Unicode,
        }
    }

    /// Creates a formatter for payoffs in the unit of the rules, rounded to three digits, as in plain text.
    pub fn formatter_with_three_digits(perspective: ViewerPerspective) -> Self {
        Self::formatter_with_digits(perspective, 3)
    }

    /// Creates a formatter for payoffs in the unit of the rules, rounded to four digits. `perspective` decides the
    /// signs.
    pub fn in_unit_of_rules(perspective: ViewerPerspective) -> Self {
        Self::formatter_with_digits(perspective, 4)
    }

    pub(super) fn formatter_with_digits(perspective: ViewerPerspective, digits: usize) -> Self {
        Self {
            rounded: Some(digits),
            unit: PayoffUnit::OfRules,
            perspective,
            ..Self::formatter_in_points_of_schedule(&[])
        }
    }

    /// Sets the perspective.
    #[must_use]
    pub fn with_perspective(self, perspective: ViewerPerspective) -> Self {
        Self {
            perspective,
            ..self
        }
    }

    /// Sets the payoff that equals one point. It may come from other rules, to compare debates side by side.
    #[must_use]
    pub fn with_payoff_of_one_point(self, point: Exact) -> Self {
        if point == self.point {
            return self;
        }
        Self {
            point,
            exponent: None,
            ..self
        }
    }

    #[must_use]
    pub fn with_payoff_unit(self, unit: PayoffUnit) -> Self {
        Self { unit, ..self }
    }

    #[must_use]
    pub fn with_script(self, script: FormulaCharacterSet) -> Self {
        Self { script, ..self }
    }

    /// Sets the payments that a screen shows with their sum. [`Self::signed_payment`] then writes each of them with the
    /// same digits as beside the sum.
    #[must_use]
    pub fn with_matching_payment_digits(self, payments: impl IntoIterator<Item = Exact>) -> Self {
        let mut payments: Vec<Exact> = payments.into_iter().take(MAX_AMOUNTS + 1).collect();
        // In a longer list, each payment is formatted on its own.
        if payments.len() > MAX_AMOUNTS {
            payments.clear();
        }
        Self { payments, ..self }
    }

    /// Sets the payments that a screen shows with their sum to all payments in a debate's log. See
    /// [`Self::with_matching_payment_digits`].
    #[must_use]
    pub fn with_digits_matching_log_payments(self, log: &Log<Exact>) -> Self {
        self.with_matching_payment_digits(log.paid_rewards().map(Reward::payment_to_prover))
    }

    /// Returns the side whose gains are positive amounts, for use after "to": "you", "Alice".
    pub fn word_for_payoff_recipient(&self) -> &'static str {
        self.perspective.payoff_recipient_word()
    }

    /// Converts a payoff of the prover to the viewer's side: negates it if the viewer is the opponent.
    pub fn amount_for_viewer(&self, value: &Exact) -> Exact {
        self.perspective.value(value.clone())
    }

    /// Converts a range of the prover's payoffs to the viewer's side, with the smaller end first.
    pub fn range_for_viewer(&self, prover_payoff_range: &[Exact; 2]) -> [Exact; 2] {
        let mut ends = prover_payoff_range
            .each_ref()
            .map(|end| self.amount_for_viewer(end));
        ends.sort();
        ends
    }

    /// Converts a payoff to points, as a floating-point number for a chart.
    pub fn in_points(&self, value: &Exact) -> f64 {
        self.over_point(value).to_float().clamp(f64::MIN, f64::MAX)
    }

    /// Returns the payoff that equals one unit of the formatter.
    pub fn payoff_of_one_unit(&self) -> Exact {
        match self.unit {
            PayoffUnit::Points => self.point.clone(),
            PayoffUnit::OfRules => Exact::one(),
        }
    }

    /// Returns the power of ten, as a payoff, that is the last meaningful digit of a mean with this margin of error.
    /// Zero without a margin.
    pub(super) fn place_value_of_last_meaningful_digit(&self, half_width: &Exact) -> Exact {
        let unit = self.payoff_of_one_unit();
        let width = (half_width / &unit).to_float();
        if width <= 0.0 {
            return Exact::zero();
        }
        // A tenth of the margin.
        #[expect(clippy::cast_possible_truncation, reason = "an exponent")]
        let exponent = width.log10().floor() as i32 - 1;
        let ten = Exact::from_integer(10.into());
        unit * ten.pow(exponent)
    }

    /// Converts a payoff of the prover to the viewer's payoff (with the sign for the viewer's side), in this
    /// formatter's unit.
    pub(super) fn in_unit_for_viewer(&self, prover_payoff: &Exact) -> Exact {
        let own = self.amount_for_viewer(prover_payoff);
        match self.unit {
            PayoffUnit::Points => self.over_point(&own),
            PayoffUnit::OfRules => own,
        }
    }

    /// True if amounts are formatted as exact payoffs, without rounding.
    pub(super) fn formats_payoffs_exactly(&self) -> bool {
        self.unit == PayoffUnit::OfRules && self.rounded.is_none()
    }

    /// Converts a payoff to points. The fraction is not reduced: rounded figures do not need it, and reducing a
    /// fraction with thousands of digits takes most of the time of drawing a frame.
    fn over_point(&self, value: &Exact) -> Exact {
        let point = &self.point;
        Exact::new_raw(value.numer() * point.denom(), value.denom() * point.numer())
    }

    /// Formats the prover's payoff as an amount of the viewer's side, with its sign.
    pub fn signed_for_viewer(&self, value: &Exact) -> String {
        self.format_with_sign(&self.amount_for_viewer(value))
    }

    /// Returns a sentence about the result of a debate with this payoff of the prover. Only a debate that ends with a
    /// verdict (`sums_bets` false) is won or lost, because bets also pay for luck. For a viewer who is not a debater,
    /// the sentence has the amounts of both debaters.
    pub fn payoff_sentence(&self, value: &Exact, sums_bets: bool) -> String {
        self.sentence_about_payoff(value, self.signed_for_viewer(value), sums_bets)
    }

    /// Returns the sentence of [`Self::payoff_sentence`] for the end of a debate. The payoff has as many decimal places
    /// as the rewards in the log, so that the shown rewards add up to it.
    pub fn payoff_sentence_of_log(
        &self,
        log: &Log<Exact>,
        value: &Exact,
        sums_bets: bool,
    ) -> String {
        let rewards = log.paid_rewards().map(Reward::payment_to_prover);
        let figure = self
            .amounts_with_sum(&rewards.collect::<Vec<_>>(), value)
            .sum;
        self.sentence_about_payoff(value, figure, sums_bets)
    }

    /// Returns a sentence about a debate's payoff, which is already formatted for the viewer.
    fn sentence_about_payoff(&self, value: &Exact, figure: String, sums_bets: bool) -> String {
        if value.is_zero() {
            return "The payoff is even: both sides receive 0.".to_owned();
        }
        if !self.perspective.receives_shown_payoff() {
            let bobs_payoff = opposite_figure(&figure);
            return format!(
                "Alice receives {alices_payoff}, Bob {bobs_payoff}.",
                alices_payoff = self.with_unit(figure)
            );
        }
        let figure = self.with_unit(figure);
        if sums_bets {
            return format!("{figure} to you.");
        }
        format!("{}: {figure} to you.", self.you_won_or_lost(value))
    }

    /// Returns "You won" or "You lost" for a debate or a round with this payoff of the prover.
    pub(super) fn you_won_or_lost(&self, prover_payoff: &Exact) -> &'static str {
        let won = self.amount_for_viewer(prover_payoff).is_positive();
        if won { "You won" } else { "You lost" }
    }

    /// Formats an amount that is already converted to the viewer's side, with its sign.
    pub fn format_with_sign(&self, value: &Exact) -> String {
        if value.is_zero() {
            return "0".to_owned();
        }
        let sign = if value.is_positive() { "+" } else { "-" };
        let (about, size) = self.digits(value);
        format!("{about}{sign}{size}")
    }

    /// Formats the absolute value of a payoff, without its unit.
    pub fn payoff_without_sign(&self, value: &Exact) -> String {
        let (about, size) = self.digits(value);
        format!("{about}{size}")
    }

    /// Formats the absolute value of a payoff with its unit: "10 points", or only the number in the unit of the rules.
    pub fn absolute_with_unit(&self, value: &Exact) -> String {
        self.with_unit(self.payoff_without_sign(value))
    }

    /// Formats a payment to the prover, or the sum of all payments, with the digits that it has in the list with the
    /// sum. Other amounts are formatted like [`Self::signed_for_viewer`].
    pub fn signed_payment(&self, payment: &Exact) -> String {
        let sum: Exact = self.payments.iter().sum();
        let index = self.payments.iter().position(|other| other == payment);
        let shown = match index {
            None if *payment != sum => None,
            None => Some(self.amounts_with_sum(&self.payments, &sum).sum),
            Some(index) => {
                let parts = self.amounts_with_sum(&self.payments, &sum).parts;
                parts.into_iter().nth(index)
            }
        };
        shown.unwrap_or_else(|| self.signed_for_viewer(payment))
    }

    /// Formats a payment to the prover like [`Self::signed_payment`], with its unit: "+156.3 points".
    pub fn signed_payment_with_unit(&self, payment: &Exact) -> String {
        self.with_unit(self.signed_payment(payment))
    }

    /// Formats the prover's payoff as an amount of the viewer's side, with its sign and unit: "+10 points".
    pub fn signed_for_viewer_with_unit(&self, value: &Exact) -> String {
        self.with_unit(self.signed_for_viewer(value))
    }

    pub(super) fn with_unit(&self, figure: String) -> String {
        match (self.unit, &*figure) {
            (PayoffUnit::OfRules, _) => figure,
            (_, "1" | "+1" | "-1" | "±1" | "+-1") => figure + " point",
            _ => figure + " points",
        }
    }

    /// Formats the absolute value of a payoff. Also returns a sign to put before the digits. It is `≈` (`~` in ASCII)
    /// if the digits should be exact but were rounded, because there are too many; otherwise it is empty.
    fn digits(&self, value: &Exact) -> (&'static str, String) {
        let size = value.abs();
        let exact = match (self.unit, self.rounded) {
            (PayoffUnit::Points, _) => return ("", in_points(&self.over_point(&size))),
            (PayoffUnit::OfRules, Some(digits)) => {
                return ("", format_rounded(size.to_float(), digits));
            }
            (PayoffUnit::OfRules, None) => exact(&size),
        };
        if exact.len() <= EXACT_COLUMNS {
            return ("", exact);
        }
        let about = match self.script {
            FormulaCharacterSet::Unicode => "≈",
            FormulaCharacterSet::Ascii => "~",
        };
        (about, format_rounded(size.to_float(), DIGITS))
    }

    /// Formats a range of payoffs: "±10", "-1 to +9", or a single amount if both ends are equal.
    pub fn format_range(&self, prover_payoff_range: &[Exact; 2]) -> String {
        let [least, most] = self.range_for_viewer(prover_payoff_range);
        if least == most {
            return self.format_with_sign(&least);
        }
        if least == -&most {
            return self.either_way(&most);
        }
        format!(
            "{} to {}",
            self.format_with_sign(&least),
            self.format_with_sign(&most)
        )
    }

    /// Formats a range of payoffs in fewer columns: "±10", or "-1/+9".
    pub fn format_payoff_range_briefly(&self, range: &[Exact; 2]) -> String {
        self.format_range(range).replace(" to ", "/")
    }

    /// Formats a symmetric range: "±10".
    fn either_way(&self, value: &Exact) -> String {
        let sign = SignCharacters::symbols_for_character_set(self.script).plus_minus;
        format!("{sign}{}", self.payoff_without_sign(value))
    }

    /// Formats a range of payoffs as the upper bound of its absolute values, `max 90`, where only one number fits.
    pub fn format_largest_absolute_payoff(&self, range: &[Exact; 2]) -> String {
        let most = range.iter().map(Exact::abs).max();
        format!(
            "max {}",
            self.payoff_without_sign(&most.unwrap_or_default())
        )
    }

    /// Formats a payoff in the unit of the rules with all its digits: "-0.942", "+1/3".
    pub fn exact_payoff(&self, value: &Exact) -> String {
        let own = self.amount_for_viewer(value);
        let sign = match own.cmp(&Exact::zero()) {
            Ordering::Greater => "+",
            Ordering::Equal => "",
            Ordering::Less => "-",
        };
        format!("{sign}{}", exact(&own.abs()))
    }

    /// True if one point is not a payoff of 1.
    pub fn points_differ_from_payoffs(&self) -> bool {
        !self.point.is_one()
    }

    /// Says which payoff one point is, as a sentence without its full stop.
    pub fn payoff_of_one_point_sentence(&self, narrator: &DebateNarrator<'_>) -> String {
        match self.exponent {
            Some(exponent) => format!(
                "1 point is the stake of the first answer; exact payoffs count it as {stake} ({power_of_r})",
                power_of_r = narrator.power_of_ratio_text(exponent),
                stake = rounded(&self.point)
            ),
            None => format!(
                "1 point is a payoff of {value}",
                value = rounded(&self.point)
            ),
        }
    }
}

/// Returns a formatted amount with the opposite sign: "+10" for "-10".
pub(super) fn opposite_figure(figure: &str) -> String {
    // The first sign is the amount's; a later one belongs to an exponent.
    let Some(at) = figure.find(['+', '-']) else {
        return figure.to_owned();
    };
    let (about, signed) = figure.split_at(at);
    match signed.strip_prefix('-') {
        Some(size) => format!("{about}+{size}"),
        None => format!("{about}{}", signed.replacen('+', "-", 1)),
    }
}

/// Formats a non-negative payoff exactly: as a decimal if eight decimal places suffice, else as a fraction.
fn exact(value: &Exact) -> String {
    let scaled = value * Exact::from_integer(10_u32.pow(PLACES).into());
    if !scaled.is_integer() {
        return format_as_short_decimal_or_fraction(value);
    }
    let decimals = PLACES as usize;
    let digits = format!("{:0>width$}", scaled.to_integer(), width = decimals + 1);
    let (whole, rest) = digits.split_at(digits.len() - decimals);
    with_point(whole, rest)
}

/// Formats a non-negative payoff in a few characters.
fn rounded(value: &Exact) -> String {
    let digits = exact(value);
    if digits.len() <= PLACES as usize + 2 {
        digits
    } else {
        format_rounded(value.to_float(), 4)
    }
}

/// Formats a non-negative number of points. Below a thousand it has at most three significant digits. Larger numbers
/// are whole points with thousands separators, abbreviated if they have more than six digits.
fn in_points(points: &Exact) -> String {
    let whole = points.round().to_integer();
    if whole < 1000.into() {
        return format_rounded(points.to_float(), 3);
    }
    let digits = whole.to_string();
    if digits.len() <= DIGITS {
        return digits.parse().map_or(digits, with_thousands_separators);
    }
    // Rounded to three digits, so that the abbreviated amount is as near as possible.
    let (first, rest) = digits.split_at(3);
    let first = first.parse().unwrap_or(0) + u32::from(rest.starts_with(['5', '6', '7', '8', '9']));
    let digits = first.to_string() + &"0".repeat(rest.len());
    // From a thousand million on, the text uses powers of ten, which are easier to read.
    let power = digits.len() - 1;
    if power < 9 {
        return format!("{}M", leading(&digits, digits.len() - DIGITS));
    }
    format!("{}e{power}", leading(&digits, 1))
}

/// Returns the first digits of a number that is too long to be shown in full. The number has `before` digits before its
/// decimal point.
fn leading(digits: &str, before: usize) -> String {
    let shown = digits.get(..before.max(3)).unwrap_or(digits);
    let (whole, rest) = shown.split_at(before.min(shown.len()));
    with_point(whole, rest)
}

/// Formats a decimal number from the digits before and after its decimal point, without trailing zeros.
fn with_point(whole: &str, rest: &str) -> String {
    match rest.trim_end_matches('0') {
        "" => whole.to_owned(),
        rest => format!("{whole}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::protocol::Seat;

    fn schedule() -> Vec<(Round, Exact)> {
        let weight = |under| Exact::ratio(1, under);
        vec![
            (Round::Initial, weight(10_000)),
            (Round::Number(3), weight(1000)),
            (Round::Number(2), weight(100)),
            (Round::Number(1), weight(10)),
            (Round::Number(0), weight(1)),
        ]
    }

    fn amounts(seat: Option<Seat>) -> PayoffFormatter {
        let perspective = seat.map_or(ViewerPerspective::NEUTRAL, ViewerPerspective::of_seat);
        PayoffFormatter::formatter_in_points_of_schedule(&schedule()).with_perspective(perspective)
    }

    fn exact(seat: Option<Seat>) -> PayoffFormatter {
        amounts(seat).with_payoff_unit(PayoffUnit::OfRules)
    }

    #[test]
    fn one_point_is_the_weight_of_the_first_answer() {
        let alice = amounts(Some(Seat::Prover));
        for (value, points) in [
            (Exact::ratio(1, 10_000), "+1"),
            (Exact::ratio(-67, 100_000), "-6.7"),
            (Exact::ratio(942, 1000), "+9,420"),
            (Exact::ratio(0, 1), "0"),
        ] {
            assert_eq!(alice.signed_for_viewer(&value), points);
        }
        let once = [
            (Round::Number(1), Exact::ratio(0, 1)),
            (Round::Number(0), Exact::ratio(1, 1)),
        ];
        let once = PayoffFormatter::formatter_in_points_of_schedule(&once);
        assert_eq!(once.signed_for_viewer(&Exact::ratio(-1, 1)), "-1");
    }

    #[test]
    fn amounts_have_the_sign_of_the_viewing_side() {
        let value = Exact::ratio(-942, 1000);
        for (seat, told) in [
            (Some(Seat::Prover), "-9,420"),
            (Some(Seat::Opponent), "+9,420"),
            (Some(Seat::Judge), "-9,420"),
            (None, "-9,420"),
        ] {
            assert_eq!(amounts(seat).signed_for_viewer(&value), told);
        }
        let range = [Exact::ratio(-1, 10_000), Exact::ratio(9, 10_000)];
        assert_eq!(amounts(None).format_range(&range), "-1 to +9");
        assert_eq!(
            amounts(Some(Seat::Opponent)).format_range(&range),
            "-9 to +1"
        );
        let even = [Exact::ratio(-1, 100), Exact::ratio(1, 100)];
        assert_eq!(amounts(Some(Seat::Opponent)).format_range(&even), "±100");
        let plain = amounts(None).with_script(FormulaCharacterSet::Ascii);
        assert_eq!(plain.format_range(&even), "+-100");
    }

    #[test]
    fn the_payoff_is_shown_on_request() {
        let value = Exact::ratio(-9421, 10_000);
        let exact = exact(Some(Seat::Opponent));
        assert_eq!(exact.signed_for_viewer(&value), "+0.9421");
        assert_eq!(exact.exact_payoff(&value), "+0.9421");
        assert_eq!(exact.signed_for_viewer(&Exact::ratio(1, 10_000)), "-0.0001");
        let long = Exact::new(1_234_567_890_123_i64.into(), 7_000_000_000_000_i64.into());
        assert_eq!(exact.signed_for_viewer(&long), "≈-0.176367");
        let plain = exact.clone().with_script(FormulaCharacterSet::Ascii);
        assert_eq!(plain.signed_for_viewer(&long), "~-0.176367");
        assert_eq!(exact.exact_payoff(&long), "-1234567890123/7000000000000");
    }

    #[test]
    fn large_amounts_are_short_and_rounded() {
        let points = |text: &str| in_points(&debate_core::number::parse(text).unwrap());
        for (value, told) in [
            ("0.05", "0.05"),
            ("999", "999"),
            ("999.6", "1,000"),
            ("12345.4", "12,345"),
            ("999999", "999,999"),
            ("1000000", "1M"),
            ("1239999", "1.24M"),
            ("1048576", "1.05M"),
            ("45600000", "45.6M"),
            ("999999999", "1e9"),
            ("1000000000", "1e9"),
            ("1.5e40", "1.5e40"),
        ] {
            assert_eq!(points(value), told, "{value}");
        }
    }
}
