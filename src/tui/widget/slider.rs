//! A probability, set by arrows, by typing or by clicking, and kept exactly.
//!
//! Typed numbers are never rounded: `33.3` means 33.3 percent, `1/3` means one third. The answer
//! is text again, so that the caller can read it into its own exact numbers.

use crate::tui::widget::Canvas;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};
use ratatui::layout::Rect;

use super::measure;
use crate::tui::theme::{Appearance, Role};
use num_rational::Ratio;

/// Digits of a number that can be typed. With these limits no step overflows: a quotient of two
/// such numbers has at most 10^32 below the line, a step of a percent 10^34, rounding 10^38.
const TYPED_DIGITS: usize = 16;
const LARGEST_DENOMINATOR: i128 = 10_i128.pow(32);
/// Decimals of a percentage; a value that needs more is told as a fraction.
const PLACES: usize = 30;
/// Columns beside the track, for the value.
const VALUE_COLUMNS: u16 = 20;

type Exact = Ratio<i128>;

/// The unit of a slider's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unit {
    /// 37.1 %
    #[default]
    Percent,
    /// 0.371
    Number,
}

/// The state of a slider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slider {
    unit: Unit,
    value: Option<Exact>,
    /// Digits that are being typed, and replace the value where they make sense.
    typed: String,
}

impl Slider {
    /// A slider for a number from 0 to 1, which is typed and shown as such: `0.371`.
    pub fn number() -> Self {
        Self {
            unit: Unit::Number,
            ..Self::default()
        }
    }

    /// Goes to a fraction; to nowhere where it is not from 0 to 1.
    pub fn go(&mut self, above: u64, below: u64) {
        self.typed.clear();
        let sensible = above <= below && below > 0;
        self.value = sensible.then(|| Exact::new(above.into(), below.into()));
    }

    /// True if what is being typed is not a probability.
    pub fn is_wrong(&self) -> bool {
        !self.typed.is_empty() && read(&self.typed, TYPED_DIGITS, self.unit).is_none()
    }

    /// The exact value as text: a percentage (`33.3%`) where that is finite, else a fraction
    /// (`1/3`). None while unset or while what is typed makes no sense.
    pub fn answer(&self) -> Option<String> {
        let value = self.value.filter(|_| !self.is_wrong())?;
        Some(percent(value).map_or_else(|| value.to_string(), |digits| format!("{digits}%")))
    }

    /// The value as it stands, for whoever does not see it; `None` as for [`Slider::answer`].
    pub fn in_words(&self) -> Option<String> {
        let value = self.value.filter(|_| !self.is_wrong())?;
        Some(format!(
            "Set to {}.",
            self.written(value, &Appearance::default())
        ))
    }

    /// Moves by so many percent, stopping at 0 and 100. From unset, starts at 50.
    pub fn step(&mut self, percent: i32) {
        self.typed.clear();
        let Some(value) = self.value else {
            self.value = Some(Exact::new(1, 2));
            return;
        };
        let step = Exact::new(percent.unsigned_abs().into(), 100);
        let moved = if percent < 0 {
            value.checked_sub(&step)
        } else {
            value.checked_add(&step)
        };
        self.value = moved.map(|value| value.clamp(Exact::zero(), Exact::new(1, 1)));
    }

    /// Types a character; says whether it belongs to a number (digits, `.`, `,`, `/`, `%`).
    pub fn type_character(&mut self, c: char) -> bool {
        let c = if c == ',' { '.' } else { c };
        let belongs = c.is_ascii_digit() || matches!(c, '.' | '/' | '%');
        if belongs && self.typed.len() < 2 * TYPED_DIGITS + 4 {
            self.typed.push(c);
            self.read_typed();
        }
        belongs
    }

    /// Takes back the last character typed; says whether there was one.
    pub fn erase(&mut self) -> bool {
        let erased = self.typed.pop().is_some();
        if erased {
            self.read_typed();
        }
        erased
    }

    fn read_typed(&mut self) {
        self.value = read(&self.typed, TYPED_DIGITS, self.unit);
    }

    /// Sets the value from a click; says whether the click was on the track.
    pub fn click(&mut self, column: u16, row: u16, area: Rect) -> bool {
        let track = track(area);
        let on_track = track.contains((column, row).into());
        if on_track {
            let steps = i128::from(track.width.saturating_sub(1)).max(1);
            let hundredths = (i128::from(column - track.x) * 100 + steps / 2) / steps;
            self.typed.clear();
            self.value = Some(Exact::new(hundredths, 100));
        }
        on_track
    }

    /// Draws the slider in the first row of `area`.
    pub fn render(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        let (glyphs, area) = (look.glyphs, measure::row(area, 0));
        let track = track(area);
        let (value, role) = self.shown(&look);
        if track.is_empty() {
            canvas.put(&value, role, area);
            return;
        }
        canvas.put(glyphs.slider_left, Role::Border, area);
        for column in track.columns() {
            canvas.put(glyphs.slider_track, Role::Border, column);
        }
        let right = measure::after(area, track.width + 1);
        canvas.put(glyphs.slider_right, Role::Border, measure::first(right, 1));
        if let Some(value) = self.value {
            let steps = i128::from(track.width - 1);
            let at = (value * steps).round().to_integer();
            let knob = measure::after(track, u16::try_from(at).unwrap_or(0));
            canvas.put(glyphs.slider_knob, Role::Selected, knob);
        }
        let rest = measure::after(area, track.width + 3);
        canvas.put(&value, role, rest);
    }

    fn shown(&self, look: &Appearance) -> (String, Role) {
        if !self.typed.is_empty() {
            let unit = if self.unit == Unit::Number || self.typed.contains(['%', '/']) {
                ""
            } else {
                " %"
            };
            let typed = format!("{}_{unit}", self.typed);
            return match self.value {
                None => (format!("{typed} ?"), Role::Bad),
                Some(value) if self.digits(value).is_none() => {
                    let rounded = self.rounded(value, look);
                    (format!("{typed} = {rounded}"), Role::Title)
                }
                Some(_) => (typed, Role::Title),
            };
        }
        match self.value {
            None => ("not set".into(), Role::Faint),
            Some(value) => (self.written(value, look), Role::Title),
        }
    }

    /// The value in its unit, rounded where it is long.
    fn written(&self, value: Exact, look: &Appearance) -> String {
        let digits = self.digits(value);
        let fits = |digits: &String| digits.len() < usize::from(VALUE_COLUMNS) - 2;
        match (digits.filter(fits), self.unit) {
            (Some(digits), Unit::Percent) => format!("{digits} %"),
            (Some(digits), Unit::Number) => digits,
            (None, _) => self.rounded(value, look),
        }
    }

    /// The digits of the value as it is written, if they are finitely many.
    fn digits(&self, value: Exact) -> Option<String> {
        match self.unit {
            Unit::Percent => percent(value),
            Unit::Number => decimals(value),
        }
    }

    /// To four decimals of the number, marked as rounded.
    fn rounded(&self, value: Exact, look: &Appearance) -> String {
        let about = if look.glyphs.unicode { "≈" } else { "~" };
        let parts = (value * 10_000).round().to_integer();
        match self.unit {
            Unit::Percent => format!("{about}{}.{:02} %", parts / 100, parts % 100),
            Unit::Number => format!("{about}{}.{:04}", parts / 10_000, parts % 10_000),
        }
    }
}

/// The columns of the track between its ends, or none where only the value fits.
fn track(area: Rect) -> Rect {
    let width = area.width.saturating_sub(VALUE_COLUMNS + 3);
    if width < 5 || area.height == 0 {
        return measure::first(area, 0);
    }
    let row = measure::row(area, 0);
    measure::first(measure::after(row, 1), width.min(101))
}

/// The digits of a percentage, if it has finitely many.
fn percent(value: Exact) -> Option<String> {
    decimals(value.checked_mul(&Exact::from_integer(100))?)
}

/// The digits of a number, if it has finitely many.
fn decimals(value: Exact) -> Option<String> {
    let mut denominator = *value.denom();
    let mut places = 0;
    let mut scale = 1_i128;
    while denominator != 1 {
        let common = num_integer::gcd(denominator, 10);
        if common == 1 {
            return None;
        }
        denominator /= common;
        places += 1;
        scale *= 10;
        if places > PLACES {
            return None;
        }
    }
    let digits = (value.numer() * (scale / value.denom())).to_string();
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, part) = digits.split_at(digits.len() - places);
    Some(if places == 0 {
        whole.to_owned()
    } else {
        format!("{whole}.{part}")
    })
}

/// Reads `33.3`, `33.3%` or `1/3` as a probability; a bare number is one in its unit.
fn read(text: &str, digits: usize, unit: Unit) -> Option<Exact> {
    let value = match (text.split_once('/'), text.strip_suffix('%')) {
        (Some((above, below)), _) => {
            let below = Some(decimal(below, digits)?).filter(|below| !below.is_zero())?;
            decimal(above, digits)?.checked_div(&below)?
        }
        (None, None) if unit == Unit::Number => decimal(text, digits)?,
        (None, percent) => {
            let hundred = Exact::from_integer(100);
            decimal(percent.unwrap_or(text), digits)?.checked_div(&hundred)?
        }
    };
    let sensible = (Exact::zero()..=Exact::new(1, 1)).contains(&value);
    (sensible && *value.denom() <= LARGEST_DENOMINATOR).then_some(value)
}

fn decimal(text: &str, limit: usize) -> Option<Exact> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    let readable =
        (1..=limit).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let scale = 10_i128.checked_pow(part.len().try_into().ok()?)?;
    Some(Exact::new(digits.parse().ok().filter(|_| readable)?, scale))
}

#[cfg(test)]
mod tests;
