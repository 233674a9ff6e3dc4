//! Charts of a person's calibration: the reliability curve and the gaps by day, as SVG and as Vega-Lite.

use serde_json::{Value, json};

use super::CalibrationReport;
use crate::export::safe::escape_html_or_svg;
use crate::export::vega::SCHEMA;
use crate::judgements::statistics::count_to_float;
use debate_text::fill_template;

/// The left and top edges of the two diagrams, and the length of their sides, in the picture's own units.
const LEFT: f64 = 60.0;
const SECOND_LEFT: f64 = 420.0;
const TOP: f64 = 60.0;
const SIDE: f64 = 260.0;

/// The picture template, with placeholders for the values of [`calibration_chart_svg`].
const PICTURE: &str = include_str!("chart.svg");

/// Returns an SVG picture of a calibration report.
pub fn calibration_chart_svg(report: &CalibrationReport) -> String {
    let bottom = TOP + SIDE;
    let bins = report.reliability.iter().map(|bin| {
        json!({
            "x": tenth(LEFT + bin.mean_estimate * SIDE),
            "y": tenth(bottom - bin.proportion_true * SIDE),
            "radius": tenth((2.0 + count_to_float(bin.count).sqrt()).min(14.0)),
            "count": bin.count,
        })
    });
    let largest = report.days.iter().map(|row| row.mean_gap);
    let largest = largest.fold(0.0, f64::max);
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let steps = count_to_float(report.days.len().saturating_sub(1).max(1));
    let days = report.days.iter().enumerate().map(|(index, row)| {
        json!({
            "x": tenth(SECOND_LEFT + count_to_float(index) / steps * SIDE),
            "y": tenth(bottom - row.mean_gap / scale * SIDE),
            "day": row.day,
            "points": tenth(row.mean_gap * 100.0),
        })
    });
    let document = json!({
        "bins": bins.collect::<Vec<_>>(),
        "days": days.collect::<Vec<_>>(),
        "largest": tenth(scale * 100.0),
    });
    fill_template(PICTURE, &document, escape_html_or_svg)
}

/// Returns the charts of a calibration report as a Vega-Lite document.
pub fn calibration_chart_vega(report: &CalibrationReport) -> Value {
    let quantity = |field: &str, title: &str| json!({ "field": field, "type": "quantitative", "title": title });
    let share = |field: &str, title: &str| {
        let mut axis = quantity(field, title);
        axis["scale"] = json!({ "domain": [0, 1] });
        axis
    };
    // A calibrated person has all points on this line.
    let calibrated = [0, 1].map(|end| json!({ "mean_estimate": end, "proportion_true": end }));
    json!({
        "$schema": SCHEMA,
        "title": "Calibration of your estimates",
        "hconcat": [
            {
                "width": SIDE,
                "height": SIDE,
                "encoding": {
                    "x": share("mean_estimate", "your estimate"),
                    "y": share("proportion_true", "proportion true"),
                },
                "layer": [
                    {
                        "data": { "values": calibrated },
                        "mark": { "type": "line", "color": "#999", "strokeDash": [4, 4] },
                    },
                    {
                        "data": { "values": report.reliability },
                        "mark": { "type": "point", "filled": true, "tooltip": { "content": "data" } },
                        "encoding": { "size": quantity("count", "estimates") },
                    },
                ],
            },
            {
                "width": SIDE,
                "height": SIDE,
                "data": { "values": report.days },
                "mark": { "type": "line", "point": true, "tooltip": { "content": "data" } },
                "encoding": {
                    "x": { "field": "day", "type": "temporal", "title": "day" },
                    "y": quantity("mean_gap", "mean total gap of your estimates in a debate"),
                },
            },
        ],
    })
}

/// Formats a length in the picture to one decimal place.
fn tenth(length: f64) -> String {
    format!("{length:.1}")
}
