//! The report as a picture: accuracies with their intervals, and a reliability diagram for each
//! condition.

use std::fmt::Write as _;

use super::statistics::number;
use super::{ConditionReport, JudgementReport};
use crate::export::safe::markup;
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

/// An SVG picture of a report.
pub fn chart(report: &JudgementReport) -> String {
    let count = report.conditions.len();
    let bars = 60.0 + ROW * number(count);
    let lines = number(count.div_ceil(ACROSS));
    let height = bars + 40.0 + lines * (SIDE + AROUND + 20.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"20\" y=\"28\" font-size=\"15\">Right judgements, with intervals of 95 %</text>\n"
    );
    for tenth in [0.0, 0.5, 1.0] {
        let x = on_scale(tenth);
        let bottom = bars - 8.0;
        let _ = writeln!(
            out,
            "<line x1=\"{x}\" y1=\"40\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#ccc\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">{tenth}</text>",
            bottom + 16.0
        );
    }
    let mut y = 58.0;
    for condition in &report.conditions {
        accuracy(&mut out, condition, y);
        y += ROW;
    }
    let _ = writeln!(
        out,
        "<text x=\"20\" y=\"{}\" font-size=\"15\">How often the answer held likelier was right, by \
         how likely it was held</text>",
        bars + 34.0
    );
    for (place, condition) in report.conditions.iter().enumerate() {
        let x = AROUND + number(place % ACROSS) * (SIDE + 2.0 * AROUND);
        let y = bars + 64.0 + number(place / ACROSS) * (SIDE + AROUND + 20.0);
        diagram(&mut out, condition, x, y);
    }
    out.push_str("</svg>\n");
    out
}

fn on_scale(share: f64) -> f64 {
    SCALE.0 + share * (SCALE.1 - SCALE.0)
}

/// A condition's name, on one line and not too long.
fn name(condition: &ConditionReport) -> String {
    markup(
        &safe(&condition.condition)
            .chars()
            .take(30)
            .collect::<String>(),
    )
}

/// A row: the name, the interval, the share as a dot, and both counts.
fn accuracy(out: &mut String, condition: &ConditionReport, y: f64) {
    let dot = on_scale(condition.accuracy);
    let (below, name) = (y + 4.0, name(condition));
    let _ = writeln!(out, "<text x=\"20\" y=\"{below}\">{name}</text>");
    if let Some(interval) = condition.accuracy_intervals.first() {
        let (low, high) = (on_scale(interval.low), on_scale(interval.high));
        let _ = writeln!(
            out,
            "<line x1=\"{low:.1}\" y1=\"{y}\" x2=\"{high:.1}\" y2=\"{y}\" stroke=\"#2a6fb0\" \
             stroke-width=\"3\"/>"
        );
    }
    let _ = writeln!(
        out,
        "<circle cx=\"{dot:.1}\" cy=\"{y}\" r=\"5\" fill=\"#1b4e80\"/>\
         <text x=\"{}\" y=\"{}\">{}/{}</text>",
        SCALE.1 + 14.0,
        y + 4.0,
        condition.correct,
        condition.judgements
    );
}

/// A reliability diagram: a dot for each bin, its area by the count in it.
fn diagram(out: &mut String, condition: &ConditionReport, x: f64, y: f64) {
    let (right, bottom) = (x + SIDE, y + SIDE);
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" \
         stroke=\"#999\"/>\
         <line x1=\"{x}\" y1=\"{}\" x2=\"{right}\" y2=\"{y}\" stroke=\"#ccc\"/>\
         <text x=\"{x}\" y=\"{}\">{}</text>\
         <text x=\"{x}\" y=\"{}\" fill=\"#666\">0.5</text>\
         <text x=\"{right}\" y=\"{}\" text-anchor=\"end\" fill=\"#666\">1</text>",
        y + SIDE / 2.0,
        y - 6.0,
        name(condition),
        bottom + 16.0,
        bottom + 16.0
    );
    for bin in &condition.reliability {
        let count = number(bin.count);
        let across = x + (bin.mean_confidence - 0.5) * 2.0 * SIDE;
        let up = bottom - bin.hits / count * SIDE;
        let radius = (2.0 + count.sqrt()).min(14.0);
        let _ = writeln!(
            out,
            "<circle cx=\"{across:.1}\" cy=\"{up:.1}\" r=\"{radius:.1}\" fill=\"#2a6fb0\" \
             fill-opacity=\"0.6\"><title>{} of {}</title></circle>",
            bin.hits, bin.count
        );
    }
}
