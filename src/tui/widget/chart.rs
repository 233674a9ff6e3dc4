//! Bars for values that span many orders of magnitude, with a sign.
//!
//! The scale is logarithmic both ways from a middle line of zero: a bar's length grows with the
//! number of digits of its value. The value that outweighs all others gets a mark, because on such
//! a scale it does not stand out by itself. By hand: ratatui's bars are of counts, without a sign.

use crate::tui::widget::Canvas;
use ratatui::layout::Rect;

use super::measure;
use crate::tui::theme::Role;
use debate_lab::tell::{bar_height, dominant};

/// Values smaller than this, beside the largest, are drawn as the least bar there is.
const LEAST_SHARE: f64 = 1e-9;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The text below the bar.
    pub label: String,
    /// The value; NaN stands for "not known yet" and draws a dot.
    pub value: f64,
}

impl Bar {
    /// A bar.
    pub fn new(label: impl Into<String>, value: f64) -> Self {
        Self {
            label: label.into(),
            value,
        }
    }
}

/// Draws the bars: rising and hanging ones around a line of zero where both signs occur, and
/// labels in the last row. Where not all fit, the last ones stay.
///
/// `scale` holds the least and the largest size to tell apart, and makes room for both signs, so
/// that the picture does not jump when bars are added; without it the values decide.
pub fn render(bars: &[Bar], scale: Option<(f64, f64)>, canvas: &mut Canvas<'_>, area: Rect) {
    let look = canvas.look;
    if area.height < 2 || area.width == 0 || bars.is_empty() {
        return;
    }
    let label_width = bars
        .iter()
        .map(|bar| measure::width(&bar.label))
        .max()
        .unwrap_or(0);
    let pitch = label_width.max(2) + 1;
    let fit = (usize::from(area.width) / pitch).max(1);
    let shown = bars.len().saturating_sub(fit);
    let dominant = dominant(bars.iter().map(|bar| bar.value));

    let sizes = || {
        bars.iter()
            .map(|bar| bar.value.abs())
            .filter(|size| size.is_normal())
    };
    let (least, largest) = scale.unwrap_or_else(|| {
        let largest = sizes().fold(0.0, f64::max);
        (sizes().fold(largest, f64::min), largest)
    });
    let least = least.max(largest * LEAST_SHARE);
    let rows = plan(bars, scale.is_some(), area);

    for (place, (number, bar)) in bars.iter().enumerate().skip(shown).enumerate() {
        let Ok(x) = u16::try_from(place * pitch) else {
            break;
        };
        let column = measure::after(area, x);
        let column = measure::first(column, measure::cells(pitch - 1));
        let body = measure::first(column, 2);
        let height = bar_height(bar.value, least, largest);
        let role = if bar.value < 0.0 {
            Role::Bad
        } else {
            Role::Good
        };
        draw_bar(height, &rows, role, canvas, body);
        if bar.value.is_nan() {
            let at = measure::row(body, usize::from(rows.zero));
            canvas.put(look.glyphs.unplayed, Role::Faint, at);
        } else if height == 0.0 {
            let at = measure::row(body, usize::from(rows.zero));
            canvas.put(look.glyphs.zero, Role::Faint, at);
        }
        let foot = measure::row(column, usize::from(area.height) - 1);
        let role = if dominant == Some(number) {
            Role::Current
        } else {
            Role::Text
        };
        let foot = measure::after(foot, canvas.put(&bar.label, role, foot));
        if dominant == Some(number) {
            // The gap between two bars is always there to take the mark.
            let gap = Rect::new(foot.x, foot.y, 1, foot.height);
            let mark = gap.intersection(area);
            canvas.put(look.signs().dominant, role, mark);
        }
    }
}

/// The share of rows above the labels.
struct Rows {
    /// Rows of rising bars.
    above: u16,
    /// The row where the sign of an empty bar stands.
    zero: u16,
    /// Rows of hanging bars.
    below: u16,
}

fn plan(bars: &[Bar], both: bool, area: Rect) -> Rows {
    let rows = area.height - 1;
    let up = both || bars.iter().any(|bar| bar.value > 0.0);
    let down = both || bars.iter().any(|bar| bar.value < 0.0);
    let (above, below) = match (up, down) {
        (true, true) => (rows - rows / 2, rows / 2),
        (false, true) => (0, rows),
        _ => (rows, 0),
    };
    Rows {
        above,
        zero: above.saturating_sub(1),
        below,
    }
}

/// Draws a bar that rises from the line of zero, or hangs below it.
fn draw_bar(height: f64, rows: &Rows, role: Role, canvas: &mut Canvas<'_>, area: Rect) {
    let glyphs = canvas.look.glyphs;
    let hangs = height < 0.0;
    let (count, steps) = if hangs {
        (rows.below, glyphs.hanging)
    } else {
        (rows.above, glyphs.rising)
    };
    if height != 0.0 {
        for (row, glyph) in fill(height.abs(), count, steps) {
            let row = if hangs {
                rows.above + row
            } else {
                rows.above - 1 - row
            };
            let at = measure::row(area, row.into());
            canvas.put(&glyph.repeat(2), role, at);
        }
    }
}

/// The glyph of each row that a bar covers, counted from the line of zero; never nothing.
fn fill<'a>(
    height: f64,
    rows: u16,
    glyphs: &'a [&'static str],
) -> impl Iterator<Item = (u16, &'static str)> + 'a {
    let steps = glyphs.len();
    let all = f64::from(rows) * f64::from(measure::cells(steps));
    let wanted = (height * all).round().max(1.0);
    let reached = move |row: u16, step: usize| {
        let line = f64::from(row) * f64::from(measure::cells(steps));
        line + f64::from(measure::cells(step + 1)) <= wanted
    };
    (0..rows).filter_map(move |row| {
        (0..steps)
            .rev()
            .find(|&step| reached(row, step))
            .map(|step| (row, glyphs[step]))
    })
}

#[cfg(test)]
mod tests;
