//! The report as a picture: accuracies with their intervals, and a reliability diagram for each
//! condition.

use serde_json::{Value, json};

use super::statistics::number;
use super::{ConditionReport, JudgementReport};
use crate::export::safe::markup;
use crate::tell::fill;
use debate_core::text::safe;

/// The width of the picture, in its own units.
const WIDTH: f64 = 720.0;
/// The height of a row of accuracies.
const ROW: f64 = 34.0;
/// A reliability diagram's side, and the room around it.
const SIDE: f64 = 150.0;
const AROUND: f64 = 44.0;
/// Diagrams beside one another.
const ACROSS: usize = 3;
/// The ends of the scale of accuracies.
const SCALE: (f64, f64) = (250.0, 640.0);

/// The picture, with places for what [`chart`] puts into them.
const PICTURE: &str = include_str!("chart/chart.svg");

/// An SVG picture of a report.
pub fn chart(report: &JudgementReport) -> String {
    let count = report.conditions.len();
    let bars = 60.0 + ROW * number(count);
    let lines = number(count.div_ceil(ACROSS));
    let ticks =
        [0.0, 0.5, 1.0].map(|tenth| json!({ "x": plain(on_scale(tenth)), "of": plain(tenth) }));
    let conditions = report.conditions.iter().enumerate();
    let conditions = conditions.map(|(place, condition)| {
        let row = number(place / ACROSS);
        let column = number(place % ACROSS);
        let x = AROUND + column * (SIDE + 2.0 * AROUND);
        let y = bars + 64.0 + row * (SIDE + AROUND + 20.0);
        let name: String = safe(&condition.condition).chars().take(30).collect();
        json!({
            "name": name,
            "accuracy": accuracy(condition, 58.0 + ROW * number(place)),
            "diagram": diagram(condition, x, y),
        })
    });
    let document = json!({
        "width": plain(WIDTH),
        "height": plain(bars + 40.0 + lines * (SIDE + AROUND + 20.0)),
        "bottom": plain(bars - 8.0),
        "below": plain(bars - 8.0 + 16.0),
        "second": plain(bars + 34.0),
        "ticks": ticks,
        "conditions": conditions.collect::<Vec<_>>(),
    });
    fill(PICTURE, &document, markup)
}

/// A length as the picture writes it.
fn plain(length: f64) -> String {
    length.to_string()
}

/// A length to a tenth.
fn tenth(length: f64) -> String {
    format!("{length:.1}")
}

fn on_scale(share: f64) -> f64 {
    SCALE.0 + share * (SCALE.1 - SCALE.0)
}

/// A row: the interval, the share as a dot, and both counts.
fn accuracy(condition: &ConditionReport, y: f64) -> Value {
    let interval = condition.accuracy_intervals.first();
    let ends = interval.map(|interval| [interval.low, interval.high]);
    json!({
        "y": plain(y),
        "below": plain(y + 4.0),
        "interval": ends.map(|ends| ends.map(|end| tenth(on_scale(end)))).map(|ends| json!({ "ends": ends })),
        "dot": tenth(on_scale(condition.accuracy)),
        "counts": plain(SCALE.1 + 14.0),
        "correct": condition.correct,
        "judgements": condition.judgements,
    })
}

/// A reliability diagram: a dot for each bin, its area by the count in it.
fn diagram(condition: &ConditionReport, x: f64, y: f64) -> Value {
    let bottom = y + SIDE;
    let bins = condition.reliability.iter().map(|bin| {
        let count = number(bin.count);
        json!({
            "across": tenth(x + (bin.mean_confidence - 0.5) * 2.0 * SIDE),
            "up": tenth(bottom - bin.hits / count * SIDE),
            "radius": tenth((2.0 + count.sqrt()).min(14.0)),
            "hits": plain(bin.hits),
            "count": bin.count,
        })
    });
    json!({
        "x": plain(x),
        "y": plain(y),
        "side": plain(SIDE),
        "middle": plain(y + SIDE / 2.0),
        "right": plain(x + SIDE),
        "above": plain(y - 6.0),
        "below": plain(bottom + 16.0),
        "bins": bins.collect::<Vec<_>>(),
    })
}
