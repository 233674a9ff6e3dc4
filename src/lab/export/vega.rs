//! Pictures as Vega-Lite documents, which many programs draw.

use debate_core::number::{Number as _, parse};
use debate_solver::theory::search::{FrontierRow, SearchReport};
use serde_json::{Value, json};

/// A frontier: for each variant of the rules what honest Alice is guaranteed, against what each kind of liar gets, both
/// in units of r^(d+1). What a statement says nothing of in the space is left out.
pub fn frontier(rows: &[FrontierRow]) -> Value {
    let units = |report: &SearchReport| {
        let farthest = report.farthest.as_ref()?;
        parse(&farthest.units).ok().map(|units| units.to_float())
    };
    let points = rows.iter().flat_map(|row| {
        let variant = format!(
            "{}, {}, warrants {}",
            row.carry, row.early_leaf, row.warrants
        );
        let mut each = row.statements.iter();
        let honest = each.next().and_then(units);
        each.filter_map(move |report| {
            Some(json!({
                "variant": variant,
                "liar": report.statement,
                "honesty is guaranteed": honest?,
                "a liar gets": units(report)?,
                "game": report.farthest.as_ref()?.game,
            }))
        })
    });
    let space = rows.first().and_then(|row| row.statements.first());
    json!({
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": "What variants of the rules guarantee honesty, and what they leave liars",
        "description": space.map(|report| report.space.as_str()),
        "width": 480,
        "height": 360,
        "data": { "values": points.collect::<Vec<_>>() },
        "mark": { "type": "point", "filled": true, "size": 100, "opacity": 0.7 },
        "encoding": {
            "x": {
                "field": "honesty is guaranteed", "type": "quantitative",
                "title": "honest Alice expects at least, in units of r^(d+1)",
            },
            "y": {
                "field": "a liar gets", "type": "quantitative", "scale": { "type": "symlog" },
                "title": "a liar gets at most, in units of r^(d+1)",
            },
            "color": { "field": "variant", "type": "nominal" },
            "shape": { "field": "liar", "type": "nominal" },
            "tooltip": [
                { "field": "variant" }, { "field": "liar" }, { "field": "honesty is guaranteed" },
                { "field": "a liar gets" }, { "field": "game" },
            ],
        },
    })
}
