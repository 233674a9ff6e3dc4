//! Numbers: the arithmetic that the debate rules use, generic over exact rationals and `f64`.
//!
//! Rules run on [`Exact`] rationals if a person, a save or a proof reads the result, and on `f64` if millions of
//! debates are averaged. Both implement [`Number`]. Text becomes a number only through [`parse`] or
//! [`parse_canonical`], which are exact: `0.1` is a tenth, `"1/3"` a third.

use std::fmt::{Debug, Display};

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{FromPrimitive, NumAssign, One, Signed, ToPrimitive, Zero};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// An exact rational number of any size.
pub type Exact = BigRational;

/// The number of bits of the random integer that decides a coin toss. The integer is below 2⁵³.
pub const COIN_BITS: u32 = 53;

/// Maximum number of characters that [`parse`] reads.
pub const MAX_DIGITS: usize = 400;

/// The half-width of a 95 % confidence interval of a normal distribution, in standard errors.
pub const NORMAL_95: f64 = 1.959_963_984_540_054;

/// A number type with which the rules of debates compute: `f64`, or [`Exact`] for exact fractions.
pub trait Number:
    NumAssign + Signed + PartialOrd + Default + Clone + Debug + Display + Send + Sync + 'static
{
    /// Converts from an exact rational. For `f64`, rounds to the nearest.
    fn from_exact(value: &Exact) -> Self;
    /// Returns a number of a scenario in this number type. No conversion is needed, because an [`ExactWithFloat`]
    /// stores the number in both types.
    fn of(known: &ExactWithFloat) -> Self;
    /// Converts to an exact rational; a floating-point value is first rounded to 10⁻¹².
    fn to_exact(&self) -> Exact;
    /// Returns the nearest `f64`.
    fn to_float(&self) -> f64;
    /// True if a coin with the random integer `coin` (below 2⁵³) comes up true at this probability: `coin / 2⁵³ <
    /// self`.
    fn comes_up_yes(&self, coin: u64) -> bool;

    /// True if the value is greater than `other`. Two `f64` that differ by 10⁻¹² or less count as equal, so that a
    /// rounding error never crosses a threshold. `f64` and [`Exact`] therefore decide alike for values that are equal
    /// or further apart, such as any two that are written with at most eleven decimals.
    fn exceeds(&self, other: &Self) -> bool;

    /// Returns 0 for an `f64` that is only the rounding error of a sum of terms of size `scale`
    /// ([`zero_if_rounding_error`]). An exact number is returned unchanged.
    #[must_use]
    fn clear_rounding_error(self, scale: &Self) -> Self;

    /// Appends the value to a key as 64-bit words. Two values append the same words only if they are equal.
    fn add_to_key(&self, key: &mut Vec<u64>);

    /// Computes a probability from independent probabilities by products and sums of integers. A probability n/d has
    /// the weights [d − n, n] of no and yes, and `weigh` combines them. `None` for `f64`, for an empty list, and if a
    /// value is outside [0, 1].
    fn by_weights(
        _each: &[Self],
        _weigh: impl FnOnce(&[[BigUint; 2]]) -> [BigUint; 2],
    ) -> Option<Self> {
        None
    }

    /// Returns the fraction `numerator / denominator`; the denominator must not be 0.
    fn ratio(numerator: i64, denominator: i64) -> Self {
        Self::from_exact(&Exact::new(numerator.into(), denominator.into()))
    }

    /// Returns 1 for true, 0 for false.
    fn indicator(holds: bool) -> Self {
        if holds { Self::one() } else { Self::zero() }
    }

    /// True if the value lies in [0, 1].
    fn is_probability(&self) -> bool {
        *self >= Self::zero() && *self <= Self::one()
    }
}

impl Number for f64 {
    fn from_exact(value: &Exact) -> Self {
        value.to_f64().unwrap_or(Self::NAN)
    }

    #[inline]
    fn of(known: &ExactWithFloat) -> Self {
        known.float
    }

    fn to_exact(&self) -> Exact {
        const SCALE: f64 = 1e12;
        let scaled = BigInt::from_f64((self * SCALE).round()).unwrap_or_default();
        Exact::new(scaled, BigInt::from(1_000_000_000_000_u64))
    }

    #[inline]
    fn to_float(&self) -> f64 {
        *self
    }

    #[inline]
    fn exceeds(&self, other: &Self) -> bool {
        const ROUNDING: f64 = 1e-12;
        *self > *other + ROUNDING
    }

    fn clear_rounding_error(self, scale: &Self) -> Self {
        zero_if_rounding_error(self, *scale)
    }

    #[inline]
    fn add_to_key(&self, key: &mut Vec<u64>) {
        // +0 and −0 are the same number.
        key.push((self + 0.0).to_bits());
    }

    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a coin's random integer is below 2⁵³, so the cast to a float is exact"
    )]
    fn comes_up_yes(&self, coin: u64) -> bool {
        const UNIT: f64 = 1.0 / (1_u64 << COIN_BITS) as f64;
        (coin as Self) * UNIT < *self
    }
}

impl Number for Exact {
    fn from_exact(value: &Exact) -> Self {
        value.clone()
    }

    fn of(known: &ExactWithFloat) -> Self {
        known.exact.clone()
    }

    fn to_exact(&self) -> Exact {
        self.clone()
    }

    fn to_float(&self) -> f64 {
        self.to_f64().unwrap_or(f64::NAN)
    }

    fn exceeds(&self, other: &Self) -> bool {
        self > other
    }

    fn clear_rounding_error(self, _scale: &Self) -> Self {
        self
    }

    fn add_to_key(&self, key: &mut Vec<u64>) {
        for part in [self.numer(), self.denom()] {
            let digits = part.iter_u64_digits();
            key.push(digits.len() as u64 * 2 + u64::from(part.is_negative()));
            key.extend(digits);
        }
    }

    /// Computes in integers and divides only once, at the end. Computing with fractions is slower, because they are
    /// reduced at every step.
    fn by_weights(
        each: &[Self],
        weigh: impl FnOnce(&[[BigUint; 2]]) -> [BigUint; 2],
    ) -> Option<Self> {
        let pair = |p: &Self| {
            let all = p.denom().to_biguint()?;
            let yes = p.numer().to_biguint()?;
            (yes <= all).then(|| [all - &yes, yes])
        };
        let each: Option<Vec<_>> = each.iter().map(pair).collect();
        let [no, yes] = weigh(&each.filter(|each| !each.is_empty())?);
        Some(Self::new(yes.clone().into(), (no + yes).into()))
    }

    fn comes_up_yes(&self, coin: u64) -> bool {
        BigInt::from(coin) * self.denom() < self.numer() << COIN_BITS
    }
}

/// A number of a scenario, stored both exactly and as `f64`, so that using it needs no conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactWithFloat {
    exact: Exact,
    float: f64,
}

impl ExactWithFloat {
    pub fn exact(&self) -> &Exact {
        &self.exact
    }
}

impl From<Exact> for ExactWithFloat {
    fn from(exact: Exact) -> Self {
        let float = exact.to_float();
        Self { exact, float }
    }
}

impl From<bool> for ExactWithFloat {
    fn from(holds: bool) -> Self {
        Exact::indicator(holds).into()
    }
}

/// A number as a field of a RON file. The number is read from its digits or a string, never through floating point. It
/// is written as [`format_as_short_decimal_or_fraction`] formats it: a plain decimal, or a string for a fraction or an
/// exponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RonNumber(pub Exact);

impl<'de> Deserialize<'de> for RonNumber {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let raw = <&ron::value::RawValue>::deserialize(reader)?;
        let value = parse(number_text_in_raw_ron(raw.get_ron()));
        value.map(Self).map_err(D::Error::custom)
    }
}

/// Returns the number in a raw slice of a RON file, without the quotes and comments around it.
pub fn number_text_in_raw_ron(raw: &str) -> &str {
    let mut rest = raw.trim_start();
    let comments = [("//", "\n"), ("/*", "*/")];
    while let Some((_, end)) = comments.iter().find(|(start, _)| rest.starts_with(start)) {
        rest = rest
            .split_once(end)
            .map_or("", |(_, behind)| behind.trim_start());
    }
    let end = |c: char| c.is_whitespace() || c == '/';
    match rest.strip_prefix('"') {
        Some(string) => string.split('"').next().unwrap_or(string),
        None => rest.split(end).next().unwrap_or(rest),
    }
}

impl Serialize for RonNumber {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        let text = format_as_short_decimal_or_fraction(&self.0);
        if text.contains(['/', 'e']) {
            return writer.serialize_str(&text);
        }
        let raw = ron::value::RawValue::from_ron(&text).map_err(serde::ser::Error::custom)?;
        raw.serialize(writer)
    }
}

/// The reason why [`parse`] rejects a text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NumberError {
    #[error(
        "`{text}` is not a number; write a decimal such as 0.25, a percentage or a fraction such as 1/3", text = .0)]
    Malformed(String),
    /// The text has more than [`MAX_DIGITS`] characters, or its power of ten is outside ±[`MAX_DIGITS`].
    #[error("write a number out in at most {MAX_DIGITS} characters")]
    TooLong,
    #[error("`{0}` divides by zero")]
    ZeroDenominator(String),
}

/// Reads a decimal (`0.25`, `.25`, `-3`, `2.5e-3`), a percentage (`25 %`) or a fraction (`1/3`), exactly.
///
/// # Errors
/// Returns an error if the text is not such a number, divides by zero, or has more than [`MAX_DIGITS`] characters.
/// Returns an error also if its power of ten is outside ±[`MAX_DIGITS`].
pub fn parse(text: &str) -> Result<Exact, NumberError> {
    let text = text.trim();
    if text.len() > MAX_DIGITS {
        return Err(NumberError::TooLong);
    }
    let malformed = || NumberError::Malformed(text.chars().take(40).collect());
    if let Some((numerator, denominator)) = text.split_once('/') {
        let numerator = decimal(numerator.trim()).ok_or_else(malformed)??;
        let denominator = decimal(denominator.trim()).ok_or_else(malformed)??;
        if denominator.is_zero() {
            return Err(NumberError::ZeroDenominator(text.to_owned()));
        }
        return Ok(numerator / denominator);
    }
    if let Some(percent) = text.strip_suffix('%') {
        let value = decimal(percent.trim()).ok_or_else(malformed)??;
        return Ok(value / Exact::from_integer(100.into()));
    }
    decimal(text).ok_or_else(malformed)?
}

/// Reads a decimal number. `None` if the text is not a decimal, `Some(Err(..))` if it is a decimal but too long.
fn decimal(text: &str) -> Option<Result<Exact, NumberError>> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}").replace('_', "");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let places = i64::try_from(fraction.replace('_', "").len()).ok()?;
    let power = exponent.checked_sub(places)?;
    let size = index_saturating(power.unsigned_abs());
    if size > MAX_DIGITS {
        return Some(Err(NumberError::TooLong));
    }
    let scale = num_traits::pow(BigInt::from(10), size);
    let digits: BigInt = all.parse().ok()?;
    let value = if power < 0 {
        Exact::new(digits, scale)
    } else {
        Exact::from_integer(digits * scale)
    };
    Some(Ok(if negative { -value } else { value }))
}

/// Converts a count to `u32`; saturates at `u32::MAX`.
#[inline]
pub fn to_u32_saturating(count: impl TryInto<u32>) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}

/// Converts a number to an index; saturates at `usize::MAX`.
#[inline]
pub fn index_saturating(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(usize::MAX)
}

pub fn power<N: Number>(base: &N, exponent: u32) -> N {
    (0..exponent).fold(N::one(), |product, _| product * base.clone())
}

/// Returns the powers `base^0`, `base^1`, … `base^last`, with one multiplication for each power.
pub fn powers<N: Number>(base: &N, last: u32) -> impl Iterator<Item = N> {
    let times = |product: &N| Some(product.clone() * base.clone());
    let count = last as usize + 1;
    std::iter::successors(Some(N::one()), times).take(count)
}

/// Formats a value briefly: up to `significant_digits` significant digits, but at least the whole integer part;
/// scientific below 10⁻³.
pub fn format_rounded(value: f64, significant_digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{value:.*e}", significant_digits.saturating_sub(1));
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let exponent: i64 = exponent.parse().unwrap_or(0);
    if exponent < -3 {
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let places = i64::try_from(significant_digits).unwrap_or(i64::MAX) - 1 - exponent;
    let places = usize::try_from(places).unwrap_or(0);
    trimmed(&format!("{value:.places$}")).to_owned()
}

/// Formats an exact value briefly: as a decimal if four decimal places represent it exactly, else as a fraction. The
/// decimal has up to 12 significant digits, and is scientific below 10⁻³. If 12 digits or an `f64` are too few, all
/// digits are written.
pub fn format_as_short_decimal_or_fraction(value: &Exact) -> String {
    let scaled = value * Exact::from_integer(10_000.into());
    if !scaled.is_integer() {
        return format_canonical(value);
    }
    let text = format_rounded(value.to_float(), 12);
    if parse(&text).is_ok_and(|shown| shown == *value) {
        return text;
    }
    // Twelve digits, or the digits of an `f64`, are too few.
    let digits = format!("{:05}", scaled.to_integer().magnitude());
    let (whole, decimals) = digits.split_at(digits.len() - 4);
    let sign = if scaled.is_negative() { "-" } else { "" };
    let text = format!("{sign}{whole}.{decimals}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns 0 if `value` is only a rounding error: if it is a sum of `f64` terms of size `scale` and is below 2⁻⁴⁸ ·
/// `scale`. Else returns `value`.
///
/// Text, JSON, tables and charts pass their `f64` figures through this function, so that they agree about which figures
/// are 0.
pub fn zero_if_rounding_error(value: f64, scale: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    const LEAST: f64 = 1.0 / (1_u64 << 48) as f64;
    if value.abs() < scale.abs() * LEAST {
        0.0
    } else {
        // −0 + 0 is 0, so a zero is written without a sign.
        value + 0.0
    }
}

/// Formats a value with `decimals` decimals. A value that rounds to 0 gets no minus sign.
pub fn format_with_decimals(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if size.bytes().all(|byte| matches!(byte, b'0' | b'.')) => size.to_owned(),
        _ => text,
    }
}

/// Formats as [`format_rounded`], with an explicit plus sign for positive values.
pub fn format_rounded_with_sign(value: f64, significant_digits: usize) -> String {
    let text = format_rounded(value, significant_digits);
    if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// Formats a probability as a percentage of at most four significant digits: `33.33 %`, `0 %`, `100 %`. A value below
/// the rounding error of sums up to 1 is `0 %`. A value below 1 that rounds to 100 % is `>99.99 %`, unless it differs
/// from 1 only by a rounding error.
pub fn format_percent(probability: f64) -> String {
    let text = format_rounded(zero_if_rounding_error(probability, 1.0) * 100.0, 4);
    // A probability just below 1 must not look certain, unless only rounding separates them.
    if text == "100" && zero_if_rounding_error(1.0 - probability, 1.0) > 0.0 {
        ">99.99 %".to_owned()
    } else {
        format!("{text} %")
    }
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Returns an integer, or a fraction `num/den` in lowest terms. [`parse_canonical`] reads the text back as the same
/// value.
pub fn format_canonical(value: &Exact) -> String {
    value.to_string()
}

/// Maximum number of characters of a number in this program's files: the time to reduce a fraction grows with the
/// square of its length.
pub const MAX_NUMBER: usize = 20_000;

/// Reads a number that is written in its [`format_canonical`] form, such as `3` or `-1/9`. `None` for any other text,
/// and if it is longer than [`MAX_NUMBER`] characters.
pub fn parse_canonical(text: &str) -> Option<Exact> {
    if text.len() > MAX_NUMBER {
        return None;
    }
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(numerator.strip_prefix('-').unwrap_or(numerator)) || !digits(denominator) {
        return None;
    }
    let [numerator, denominator] = [numerator, denominator].map(str::parse::<BigInt>);
    let denominator = denominator.ok().filter(|it| !it.is_zero())?;
    let value = Exact::new(numerator.ok()?, denominator);
    (format_canonical(&value) == text).then_some(value)
}

/// A number stored in its [`format_canonical`] form, as a string.
struct Canonical<N>(N);

impl<'de, N: Number> Deserialize<'de> for Canonical<N> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let text = String::deserialize(reader)?;
        let value = parse_canonical(&text).ok_or_else(|| {
            let beginning: String = text.chars().take(40).collect();
            D::Error::custom(format!(
                "the text {beginning:?} is not a fraction in lowest terms"
            ))
        })?;
        Ok(Self(N::from_exact(&value)))
    }
}

/// Reads a number in its [`format_canonical`] form, for `deserialize_with`.
///
/// # Errors
/// Returns an error if the string is not such a number.
pub fn deserialize_canonical<'de, N: Number, D: Deserializer<'de>>(
    reader: D,
) -> Result<N, D::Error> {
    Canonical::deserialize(reader).map(|Canonical(value)| value)
}

/// Reads an optional number as [`deserialize_canonical`] does, for `deserialize_with`.
///
/// # Errors
/// Returns an error if the string is not such a number.
pub fn deserialize_optional<'de, N: Number, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<N>, D::Error> {
    let read = Option::<Canonical<N>>::deserialize(reader)?;
    Ok(read.map(|Canonical(value)| value))
}

/// Extra bits of precision in the computation of logarithms, to absorb the truncation error of the series.
const GUARD: u32 = 32;

/// Maximum number of bits that [`ceil_of_factor_times_ln`] works with.
const MAX_BITS: u32 = 1 << 14;

/// Returns a lower and an upper bound on ln(x). Their distance is below (1 + |log₂ x|) / 2^`precision_bits`. `None`
/// unless x > 0.
pub fn ln_bounds(x: &Exact, precision_bits: u32) -> Option<(Exact, Exact)> {
    if !x.is_positive() {
        return None;
    }
    let lengths = |n: &BigInt| i64::try_from(n.bits()).unwrap_or(i64::MAX);
    let mut power = lengths(x.numer()) - lengths(x.denom());
    let two = Exact::from_integer(2.into());
    let scaled = |power: i64| {
        let shift = Exact::from_integer(BigInt::one() << power.unsigned_abs());
        if power < 0 { x * shift } else { x / shift }
    };
    let mut mantissa = scaled(power);
    if mantissa < Exact::one() {
        power -= 1;
        mantissa = scaled(power);
    }
    // ln m = 2 artanh((m − 1)/(m + 1)) with the argument in [0, 1/3], and ln 2 = 2 artanh(1/3).
    let one = Exact::one();
    let (low, high) = artanh(&((&mantissa - &one) / (&mantissa + &one)), precision_bits);
    let (two_low, two_high) = artanh(&Exact::ratio(1, 3), precision_bits);
    let times = Exact::from_integer(power.into());
    let (first, second) = (&times * two_low, &times * two_high);
    let (whole_low, whole_high) = if power < 0 {
        (second, first)
    } else {
        (first, second)
    };
    Some((&two * (low + whole_low), two * (high + whole_high)))
}

/// Returns a lower and an upper bound on artanh(y) = y + y³/3 + y⁵/5 + … for y in [0, 1/3].
fn artanh(y: &Exact, bits: u32) -> (Exact, Exact) {
    let bits = bits + GUARD;
    let unit = BigInt::one() << bits;
    let mut power = (&unit * y.numer()).div_floor(y.denom());
    let squares = (y.numer() * y.numer(), y.denom() * y.denom());
    let (mut sum, mut terms) = (BigInt::zero(), 0_u32);
    while !power.is_zero() {
        sum += &power / (2 * terms + 1);
        power = (power * &squares.0).div_floor(&squares.1);
        terms += 1;
    }
    // Every power and every quotient is less than 2 units too low, and so is the omitted remainder.
    let most = &sum + 4 * terms + 4;
    (Exact::new(sum, unit.clone()), Exact::new(most, unit))
}

/// Returns ⌈factor · ln(x)⌉; `None` unless x and the factor are both positive.
/// The logarithm of a rational other than 1 is irrational, so a finite number of bits decides. If `MAX_BITS` bits do
/// not decide, returns the ceiling of the upper bound.
pub fn ceil_of_factor_times_ln(factor: &Exact, x: &Exact) -> Option<BigInt> {
    if !factor.is_positive() || !x.is_positive() {
        return None;
    }
    if x.is_one() {
        return Some(BigInt::zero());
    }
    let mut bits = 64;
    loop {
        let (low, high) = ln_bounds(x, bits)?;
        let [low, high] = [low, high].map(|bound| (factor * bound).ceil().to_integer());
        if low == high || bits >= MAX_BITS {
            return Some(high);
        }
        bits *= 2;
    }
}
