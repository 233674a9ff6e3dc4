//! A slider for a probability, which is set by arrows, by typing or by clicking, and stored exactly. Also the widget
//! that asks for a probability.
//!
//! Typed numbers are never rounded: `33.3` means 33.3 percent, `1/3` means one third.

use num_bigint::BigInt;
use num_traits::{One as _, Zero as _};
use ratatui::layout::Rect;

use super::widget::{
    AnswerWidget, ReplyPayoffTexts, RowsNeededByWidget, UnmappedWidgetInput, WidgetContentsInWords,
};
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, SHARE, SLIDER};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::{Canvas, measure};
use debate_core::chance;
use debate_core::number::{COIN_BITS, Exact, Number as _, format_percent, parse};
use debate_core::protocol::Reply;
use debate_core::text::to_ascii_number_character;
use debate_text::PartialSubclaimEstimates;

/// Maximum number of typed characters.
const TYPED: usize = 36;
/// Maximum number of decimals of a value. A value that needs more is rounded on the screen, and is a fraction in
/// [`Slider::exact_text`].
const PLACES: usize = 30;
/// Columns for the value beside the slider's track.
const VALUE_COLUMNS: u16 = 20;

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
struct Slider {
    unit: Unit,
    value: Option<Exact>,
    /// The characters that the user is typing. They replace the value; if they form no probability, the value is
    /// `None`.
    typed: String,
    /// True if an unset slider does not name the range of its value. Study pages name their own range, in their
    /// language.
    hides_range: bool,
}

impl Slider {
    /// Creates a slider for a number from 0 to 1, which is typed and shown as a decimal such as `0.371`.
    fn for_number() -> Self {
        Self {
            unit: Unit::Number,
            ..Self::default()
        }
    }

    /// Sets the slider to a fraction. Clears its value if the fraction is not from 0 to 1.
    fn set_fraction(&mut self, numerator: u64, denominator: u64) {
        self.typed.clear();
        let sensible = numerator <= denominator && denominator > 0;
        self.value = sensible.then(|| Exact::new(numerator.into(), denominator.into()));
    }

    /// True if the typed text is not a probability.
    fn is_invalid(&self) -> bool {
        !self.typed.is_empty() && read(&self.typed, self.unit).is_none()
    }

    /// Returns the slider's exact value. `None` if it is unset, or if the typed text is not a probability.
    fn value(&self) -> Option<&Exact> {
        self.value.as_ref().filter(|_| !self.is_invalid())
    }

    /// Returns the slider's exact value as text: a percentage (`33.3%`) if it needs at most [`PLACES`] decimals, or
    /// else a fraction (`1/3`). `None` as for [`Slider::value`].
    fn exact_text(&self) -> Option<String> {
        let value = self.value()?;
        Some(percent(value).map_or_else(|| value.to_string(), |digits| format!("{digits}%")))
    }

    /// Returns the slider's value for screen readers; `None` as for [`Slider::value`].
    fn screen_reader_text(&self) -> Option<String> {
        let value = self.value()?;
        Some(format!(
            "Set to {}.",
            self.written(value, &ScreenAppearance::default())
        ))
    }

    /// Moves the slider by `percent` percentage points, stopping at 0 and 100. An unset slider moves to 50.
    fn step_percent(&mut self, percent: i32) {
        self.typed.clear();
        let step = Exact::ratio(percent.into(), 100);
        self.value = Some(match &self.value {
            Some(value) => (value + step).clamp(Exact::zero(), Exact::one()),
            None => Exact::ratio(1, 2),
        });
    }

    /// Types a character. Returns false if it does not belong to a number (digits, `.`, `,`, `/`, `%`). A second
    /// decimal point in the same number changes nothing.
    fn type_character(&mut self, c: char) -> bool {
        let c = match to_ascii_number_character(c) {
            ',' => '.',
            c => c,
        };
        let belongs = c.is_ascii_digit() || matches!(c, '.' | '/' | '%');
        // A fraction has two numbers.
        let number = self.typed.rsplit('/').next();
        let is_second_point = c == '.' && number.is_some_and(|number| number.contains('.'));
        if belongs && !is_second_point && self.typed.len() < TYPED {
            self.typed.push(c);
            self.read_typed();
        }
        belongs
    }

    /// True if a number is being typed.
    fn has_typed_text(&self) -> bool {
        !self.typed.is_empty()
    }

    /// Removes the last typed character. Returns false if there was none.
    fn erase(&mut self) -> bool {
        let erased = self.typed.pop().is_some();
        if erased {
            self.read_typed();
        }
        erased
    }

    fn read_typed(&mut self) {
        self.value = read(&self.typed, self.unit);
    }

    /// Sets the slider to the clicked position. Returns false if the click missed the track.
    fn click(&mut self, column: u16, row: u16, area: Rect) -> bool {
        let track = track(area);
        let on_track = track.contains((column, row).into());
        if on_track {
            let steps = i64::from(track.width.saturating_sub(1)).max(1);
            let hundredths = (i64::from(column - track.x) * 100 + steps / 2) / steps;
            self.typed.clear();
            self.value = Some(Exact::ratio(hundredths, 100));
        }
        on_track
    }

    /// Draws the slider in the first row of `area`.
    fn render(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        let (glyphs, area) = (look.glyphs, measure::row(area, 0));
        let track = track(area);
        let (value, role) = self.shown(&look);
        if track.is_empty() {
            canvas.draw_text_line(&value, role, area);
            return;
        }
        let [least, most] = self.ends();
        canvas.draw_text_line(least, TextRole::Faint, area);
        let steps = BigInt::from(track.width - 1);
        let knob = self.value.as_ref().map(|value| (value * steps).round());
        let knob = knob.map(|knob| u16::try_from(knob.to_integer()).unwrap_or(0));
        for (number, column) in (0..).zip(track.columns()) {
            let (sign, role) = match knob {
                Some(knob) if number == knob => (glyphs.slider_knob, TextRole::Selected),
                Some(knob) if number < knob => (glyphs.slider_full, TextRole::Current),
                _ => (glyphs.slider_track, TextRole::Border),
            };
            canvas.draw_text_line(sign, role, column);
        }
        let right = measure::skip_columns(area, track.width + 3);
        canvas.draw_text_line(most, TextRole::Faint, right);
        canvas.draw_text_line(&value, role, measure::skip_columns(right, 6));
    }

    /// Returns the labels at the ends of the slider's track.
    fn ends(&self) -> [&'static str; 2] {
        match self.unit {
            Unit::Percent => ["0", "100"],
            Unit::Number => ["0", "1"],
        }
    }

    fn shown(&self, look: &ScreenAppearance) -> (String, TextRole) {
        if !self.typed.is_empty() {
            let unit = if self.unit == Unit::Number || self.typed.contains(['%', '/']) {
                ""
            } else {
                " %"
            };
            let typed = format!("{}_{unit}", self.typed);
            return match &self.value {
                None => (format!("{typed} ?"), TextRole::Bad),
                Some(value) if self.typed.contains('/') || self.digits(value).is_none() => {
                    let value = self.written(value, look);
                    // A rounded value begins with its own sign.
                    let equals = if value.starts_with(['≈', '~']) {
                        ""
                    } else {
                        "= "
                    };
                    (format!("{typed} {equals}{value}"), TextRole::Title)
                }
                Some(_) => (typed, TextRole::Title),
            };
        }
        match &self.value {
            None if self.hides_range => ("?".into(), TextRole::Faint),
            None => {
                let [least, most] = self.ends();
                (format!("? type {least} to {most}"), TextRole::Faint)
            }
            Some(value) => (self.written(value, look), TextRole::Title),
        }
    }

    /// Returns a value in the slider's unit, rounded if it is long.
    fn written(&self, value: &Exact, look: &ScreenAppearance) -> String {
        let digits = self.digits(value);
        let fits = |digits: &String| digits.len() < usize::from(VALUE_COLUMNS) - 2;
        match (digits.filter(fits), self.unit) {
            (Some(digits), Unit::Percent) => format!("{digits} %"),
            (Some(digits), Unit::Number) => digits,
            (None, _) => self.rounded(value, look),
        }
    }

    /// Returns the digits of a value in the slider's unit, or `None` if it needs more than [`PLACES`] decimals.
    fn digits(&self, value: &Exact) -> Option<String> {
        match self.unit {
            Unit::Percent => percent(value),
            Unit::Number => decimals(value),
        }
    }

    /// Formats a value with the sign ≈ (~ in ASCII), rounded to four decimals, or as a percentage to two decimals.
    fn rounded(&self, value: &Exact, look: &ScreenAppearance) -> String {
        let about = if look.glyphs.unicode { "≈" } else { "~" };
        let parts = (value * BigInt::from(10_000)).round().to_integer();
        let parts = u32::try_from(parts).unwrap_or(0);
        match self.unit {
            Unit::Percent => format!("{about}{}.{:02} %", parts / 100, parts % 100),
            Unit::Number => format!("{about}{}.{:04}", parts / 10_000, parts % 10_000),
        }
    }
}

/// Returns the area of the slider's track between its end labels. Empty if there is room only for the value.
fn track(area: Rect) -> Rect {
    let width = area.width.saturating_sub(VALUE_COLUMNS + 9);
    if width < 5 || area.height == 0 {
        return measure::first_columns(area, 0);
    }
    let row = measure::row(area, 0);
    measure::first_columns(measure::skip_columns(row, 2), width.min(101))
}

/// Returns the digits of a probability in percent, or `None` if it needs more than [`PLACES`] decimals.
fn percent(value: &Exact) -> Option<String> {
    decimals(&(value * BigInt::from(100)))
}

/// Returns the digits of a number, or `None` if it has more than [`PLACES`] decimals.
fn decimals(value: &Exact) -> Option<String> {
    let scaled = value * num_traits::pow(BigInt::from(10), PLACES);
    let digits = format!("{:0>width$}", scaled.numer(), width = PLACES + 1);
    let (whole, part) = digits.split_at(digits.len() - PLACES);
    let text = format!("{whole}.{part}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    scaled.is_integer().then(|| text.to_owned())
}

/// Parses `33.3`, `33.3%` or `1/3` as a probability. A bare number is in the slider's unit: percent, or a number from 0
/// to 1.
fn read(text: &str, unit: Unit) -> Option<Exact> {
    let value = parse(text).ok()?;
    let in_percent = unit == Unit::Percent && !text.contains(['/', '%']);
    let below = BigInt::from(if in_percent { 100 } else { 1 });
    Some(value / below).filter(Exact::is_probability)
}

/// The meaning of the slider's number.
#[derive(Debug)]
enum Meaning {
    /// The slider asks for a probability. If it is a subclaim's estimate, the field has the earlier estimates of the
    /// other subclaims.
    Estimate(Option<Box<PartialSubclaimEstimates>>),
    /// The number that the user contributes to a coin which two players throw together.
    Share,
}

/// A slider with notes below it.
#[derive(Debug)]
pub struct SliderWidget {
    slider: Slider,
    meaning: Meaning,
    notes: Vec<String>,
    /// The slider's first value, if the user's earlier estimates leave no other.
    forced: Option<Exact>,
}

impl SliderWidget {
    pub fn slider_for_estimate(
        parent: Option<PartialSubclaimEstimates>,
        notes: Vec<String>,
    ) -> Self {
        Self {
            slider: Slider::default(),
            meaning: Meaning::Estimate(parent.map(Box::new)),
            notes,
            forced: None,
        }
    }

    /// Creates a slider that draws no English words, for a study page in another language.
    pub fn slider_for_study_page() -> Self {
        let mut widget = Self::slider_for_estimate(None, Vec::new());
        widget.slider.hides_range = true;
        widget
    }

    /// Sets the slider to the only consistent estimate of a subclaim, if the earlier estimate of 0 % or 100 % for the
    /// claim above leaves only one.
    #[must_use]
    pub fn set_to_forced_estimate(mut self) -> Self {
        if let Meaning::Estimate(Some(parent)) = &self.meaning {
            self.forced = parent.estimate_forced_by_certain_claim();
            self.slider.value.clone_from(&self.forced);
        }
        self
    }

    /// Returns the note on the only estimate that the estimate of the claim above leaves. `None` if it leaves several,
    /// or if the slider has another value.
    fn forced_estimate_note(&self) -> Option<String> {
        let forced_estimate = self.forced.as_ref()?;
        if self.slider.value() != Some(forced_estimate) {
            return None;
        }
        let forced_estimate = format_percent(forced_estimate.to_float());
        Some(format!(
            "Your {forced_estimate} for the claim above leaves only {forced_estimate} here. Send it, or type another number."
        ))
    }

    /// Returns the slider's value as text, see [`Slider::exact_text`].
    pub fn value_as_text(&self) -> Option<String> {
        self.slider.exact_text()
    }

    /// Returns the slider's value in words, for screen readers; `None` if no value is set.
    pub fn chosen_value_for_screen_readers(&self) -> Option<String> {
        self.slider.screen_reader_text()
    }

    pub(super) fn set_payoff_texts(&mut self, payoff_texts: ReplyPayoffTexts) {
        self.notes = payoff_texts.notes;
    }

    pub(super) fn drafted_subclaim_estimate(&self) -> Option<Exact> {
        match self.meaning {
            Meaning::Estimate(Some(_)) => self.slider.value().cloned(),
            Meaning::Estimate(None) | Meaning::Share => None,
        }
    }

    pub fn slider_for_joint_coin_number() -> Self {
        Self {
            slider: Slider::for_number(),
            meaning: Meaning::Share,
            notes: vec!["A uniformly random number cannot be exploited.".to_owned()],
            forced: None,
        }
    }
}

impl AnswerWidget for SliderWidget {
    fn context(&self) -> Contexts {
        match self.meaning {
            Meaning::Estimate(_) => SLIDER,
            Meaning::Share => SHARE,
        }
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        let value = self.slider.value().cloned();
        value.map(Reply::Probability).ok_or_else(|| {
            let text = match (&self.meaning, self.slider.is_invalid()) {
                (Meaning::Estimate(_), true) => {
                    "Type a number from 0 to 100, such as 33.3, or a fraction, such as 1/3."
                }
                (Meaning::Estimate(_), false) => {
                    "Type a percentage or use the arrows, then press {send}."
                }
                (Meaning::Share, true) => "This is not a number from 0 to 1; type 0.371 or 1/3.",
                (Meaning::Share, false) => "Type a number or press {random}, then press {send}.",
            };
            text.to_owned()
        })
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Lower => self.slider.step_percent(-1),
            Action::Raise => self.slider.step_percent(1),
            Action::LowerMuch => self.slider.step_percent(-10),
            Action::RaiseMuch => self.slider.step_percent(10),
            Action::Random => {
                let random = chance::random_53_bit_integer_for_user(&mut rand::rng());
                self.slider.set_fraction(random, 1 << COIN_BITS);
            }
            _ => return false,
        }
        true
    }

    fn input(&mut self, input: UnmappedWidgetInput<'_>) -> bool {
        match input {
            // A fraction begins with a digit, so `/` as the first key opens the search.
            UnmappedWidgetInput::Character('/') if !self.slider.has_typed_text() => false,
            UnmappedWidgetInput::Character(c) => self.slider.type_character(c),
            UnmappedWidgetInput::Erase => self.slider.erase(),
            UnmappedWidgetInput::Click { at, area } => self.slider.click(at.x, at.y, area),
            UnmappedWidgetInput::Key(_)
            | UnmappedWidgetInput::Paste(_)
            | UnmappedWidgetInput::Quote(_)
            | UnmappedWidgetInput::Enter
            | UnmappedWidgetInput::Wheel(_) => false,
        }
    }

    fn rows(&self, _columns: u16) -> RowsNeededByWidget {
        RowsNeededByWidget::fixed(1)
    }

    fn words(&self) -> WidgetContentsInWords {
        WidgetContentsInWords {
            marked: self.chosen_value_for_screen_readers(),
            choices: "0 100".to_owned(),
        }
    }

    fn notes(&self) -> Vec<(TextRole, String)> {
        let implied = match &self.meaning {
            Meaning::Estimate(Some(parent)) => {
                let p = self.slider.value();
                let role = if p.is_some() {
                    TextRole::Text
                } else {
                    TextRole::Faint
                };
                let sentence = self.forced_estimate_note();
                Some((
                    role,
                    sentence.unwrap_or_else(|| parent.implied_claim_probability_sentence(p)),
                ))
            }
            _ => None,
        };
        // The note of the first estimate must be read; for the estimate of a subclaim it is a minor note.
        let role = match self.meaning {
            Meaning::Estimate(None) => TextRole::Text,
            _ => TextRole::Faint,
        };
        let notes = self.notes.iter().map(|note| (role, note.clone()));
        implied.into_iter().chain(notes).collect()
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        self.slider.render(canvas, area);
    }
}

#[cfg(test)]
mod tests;
