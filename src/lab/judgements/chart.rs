//! Charts of a report on judges: accuracies with their intervals, and a reliability diagram for each condition. They
//! are written as SVG and as a Vega-Lite document, which other programs can draw.

use serde_json::{Value, json};

use super::report::TOO_FEW_JUDGES;
use super::statistics::count_to_float;
use super::{JudgementConditionReport, JudgementReport};
use crate::export::safe::escape_html_or_svg;
use crate::export::vega::{NO_LIMIT, SCHEMA, missing_interval_label_layer};
use debate_core::text::replace_unsafe_characters;
use debate_text::fill_template;

/// The width of the picture, in its own units.
const WIDTH: f64 = 720.0;
/// The height of a row of the accuracy chart; `NAMED_ROW` is its height if the names are above the intervals.
const ROW: f64 = 34.0;
const NAMED_ROW: f64 = 48.0;
/// The maximum length of a condition's name, in characters, beside the scale or above one of several diagrams in a row.
const SHORT_NAME: usize = 30;
/// The maximum length of a condition's name, in characters, across the width of the picture.
const LONG_NAME: usize = 100;
/// The side length of a reliability diagram; `AROUND` is the margin around the diagram.
const SIDE: f64 = 150.0;
const AROUND: f64 = 44.0;
/// The number of reliability diagrams side by side.
const ACROSS: usize = 3;
/// The horizontal positions of the two ends of the accuracy scale.
const SCALE: (f64, f64) = (250.0, 640.0);

/// The picture template, with placeholders for the values of [`judgement_chart_svg`].
const PICTURE: &str = include_str!("chart/chart.svg");

/// Returns an SVG picture of a report on judgements.
pub fn judgement_chart_svg(report: &JudgementReport) -> String {
    let count = report.conditions.len();
    let names: Vec<String> = report.conditions.iter().map(name).collect();
    let are_short = names.iter().all(|name| name.chars().count() <= SHORT_NAME);
    let (row_height, across) = if are_short {
        (ROW, ACROSS)
    } else {
        (NAMED_ROW, 1)
    };
    let bars = 60.0 + row_height * count_to_float(count);
    let lines = count_to_float(count.div_ceil(across));
    let ticks =
        [0.0, 0.5, 1.0].map(|tenth| json!({ "x": plain(on_scale(tenth)), "of": plain(tenth) }));
    let conditions = report.conditions.iter().zip(names).enumerate();
    let conditions = conditions.map(|(index, (condition, name))| {
        let row = count_to_float(index / across);
        let column = count_to_float(index % across);
        let x = AROUND + column * (SIDE + 2.0 * AROUND);
        let y = bars + 84.0 + row * (SIDE + AROUND + 20.0);
        let line = 24.0 + row_height * count_to_float(index + 1);
        let label = if are_short { line + 4.0 } else { line - 14.0 };
        json!({
            "name": name,
            "accuracy": accuracy(condition, line, label),
            "diagram": diagram(condition, x, y),
        })
    });
    let document = json!({
        "width": plain(WIDTH),
        "height": plain(bars + 60.0 + lines * (SIDE + AROUND + 20.0)),
        "bottom": plain(bars - 8.0),
        "below": plain(bars - 8.0 + 16.0),
        "middle": plain(f64::midpoint(SCALE.0, SCALE.1)),
        "axis": plain(bars + 24.0),
        "second": plain(bars + 54.0),
        "ticks": ticks,
        "conditions": conditions.collect::<Vec<_>>(),
    });
    fill_template(PICTURE, &document, escape_html_or_svg)
}

/// Returns one row of chart data for each bin of each condition's reliability diagram.
fn bin_rows(report: &JudgementReport) -> Vec<Value> {
    let bins = report.conditions.iter().flat_map(|condition| {
        condition.reliability.iter().map(|bin| {
            json!({
                "condition": condition.condition,
                "held": bin.mean_confidence,
                "right": bin.hits / count_to_float(bin.count),
                "low": bin.share95[0],
                "high": bin.share95[1],
                "count": bin.count,
            })
        })
    });
    bins.collect()
}

/// Returns the charts of accuracy and calibration as a Vega-Lite document.
pub fn judgement_chart_vega(report: &JudgementReport) -> Value {
    let accuracies = report.conditions.iter().map(|condition| {
        let interval = condition.accuracy_intervals.first();
        json!({
            "condition": condition.condition,
            "right": condition.accuracy,
            "low": interval.map(|interval| interval.low),
            "high": interval.map(|interval| interval.high),
            "correct": condition.correct,
            "judgements": condition.judgements,
        })
    });
    let share = |title: &str| {
        json!({
            "field": "right", "type": "quantitative", "title": title, "scale": { "domain": [0, 1] },
        })
    };
    let right = "proportion of right judgements";
    let names: Vec<&str> = report
        .conditions
        .iter()
        .map(|it| it.condition.as_str())
        .collect();
    let condition =
        json!({ "field": "condition", "type": "nominal", "title": null, "sort": names });
    let mut rows = condition.clone();
    rows["axis"] = json!({ "labelLimit": NO_LIMIT });
    // Headings are above the diagrams and start at their edge, so that a long name covers no other name.
    let mut headings = condition;
    headings["header"] =
        json!({ "labelOrient": "top", "labelAnchor": "start", "labelLimit": NO_LIMIT });
    // A calibrated judge has all points on this line.
    let calibrated = json!([{ "held": 0.5, "right": 0.5 }, { "held": 1, "right": 1 }]);
    let held = json!({
        "field": "held", "type": "quantitative", "title": "the judge's probability", "scale": { "domain": [0.5, 1] },
    });
    json!({
        "$schema": SCHEMA,
        "title": "Accuracy and calibration of judges, with 95 % intervals",
        "vconcat": [
            {
                "data": { "values": accuracies.collect::<Vec<_>>() },
                "width": 400,
                "height": { "step": 28 },
                "encoding": { "y": rows },
                "layer": [
                    {
                        "mark": { "type": "rule", "size": 3 },
                        "encoding": {
                            "x": { "field": "low", "type": "quantitative", "title": right, "scale": { "domain": [0, 1] } },
                            "x2": { "field": "high" },
                        },
                    },
                    missing_interval_label_layer("right", &rows, TOO_FEW_JUDGES),
                    {
                        "mark": { "type": "point", "filled": true, "size": 80, "tooltip": { "content": "data" } },
                        "encoding": { "x": share(right) },
                    },
                ],
            },
            {
                "data": { "values": bin_rows(report) },
                "facet": { "row": headings },
                "spec": {
                    "width": 400,
                    "height": 150,
                    "encoding": { "x": held },
                    "layer": [
                        {
                            "data": { "values": calibrated },
                            "mark": { "type": "line", "color": "#999", "strokeDash": [4, 4] },
                            "encoding": { "y": share("proportion right") },
                        },
                        {
                            "mark": "rule",
                            "encoding": {
                                "y": { "field": "low", "type": "quantitative", "title": "proportion right", "scale": { "domain": [0, 1] } },
                                "y2": { "field": "high" },
                            },
                        },
                        {
                            "mark": { "type": "point", "filled": true, "tooltip": { "content": "data" } },
                            "encoding": {
                                "y": share("proportion right"),
                                "size": {
                                    "field": "count", "type": "quantitative", "title": "judgements",
                                    "scale": { "rangeMin": 30 },
                                },
                            },
                        },
                    ],
                },
            },
        ],
    })
}

/// Formats a length in the picture.
fn plain(length: f64) -> String {
    length.to_string()
}

/// Formats a length in the picture to one decimal place.
fn tenth(length: f64) -> String {
    format!("{length:.1}")
}

fn on_scale(share: f64) -> f64 {
    SCALE.0 + share * (SCALE.1 - SCALE.0)
}

/// Returns the name of a condition for the chart. A very long name ends with an ellipsis.
fn name(condition: &JudgementConditionReport) -> String {
    let name = replace_unsafe_characters(&condition.condition);
    if name.chars().count() <= LONG_NAME {
        return name.into_owned();
    }
    let start = name.chars().take(LONG_NAME - 1);
    start.chain(std::iter::once('…')).collect()
}

/// Returns a row of the accuracy chart: the proportion of correct judgements as a dot, the numbers of correct and of
/// all judgements, and the interval or the reason for its absence. `label` is the vertical position of the condition's
/// name.
fn accuracy(condition: &JudgementConditionReport, y: f64, label: f64) -> Value {
    let interval = condition.accuracy_intervals.first();
    let ends = interval.map(|interval| [interval.low, interval.high]);
    json!({
        "y": plain(y),
        "below": plain(y + 4.0),
        "label": plain(label),
        "note": plain(y + 18.0),
        "too_few": interval.is_none().then_some(TOO_FEW_JUDGES),
        "interval": ends.map(|ends| ends.map(|end| tenth(on_scale(end)))).map(|ends| json!({ "ends": ends })),
        "dot": tenth(on_scale(condition.accuracy)),
        "counts": plain(SCALE.1 + 14.0),
        "correct": condition.correct,
        "judgements": condition.judgements,
    })
}

/// Returns a reliability diagram of one condition: a dot for each bin, with an area that grows with the bin's count.
fn diagram(condition: &JudgementConditionReport, x: f64, y: f64) -> Value {
    let bottom = y + SIDE;
    let bins = condition.reliability.iter().map(|bin| {
        let count = count_to_float(bin.count);
        json!({
            "across": tenth(x + (bin.mean_confidence - 0.5) * 2.0 * SIDE),
            "up": tenth(bottom - bin.hits / count * SIDE),
            "ends": bin.share95.map(|end| tenth(bottom - end * SIDE)),
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
        "center": plain(x + SIDE / 2.0),
        "axis": plain(bottom + 30.0),
        "left": plain(x - 6.0),
        "bottom": plain(bottom),
        "top": plain(y + 10.0),
        "aside": plain(x - 20.0),
        "used": condition.range_used.map(|held| tenth(x + (held - 0.5) * 2.0 * SIDE)),
        "percents": condition.range_used.map(|held| format!("{:.0}", held * 100.0)),
        "bins": bins.collect::<Vec<_>>(),
    })
}
