//! Charts as Vega-Lite documents, which many programs can draw.

use debate_core::number::{Number as _, parse};
use debate_theory::search::{CounterexampleGameSearchReport, RuleVariantRow};
use serde_json::{Value, json};

/// The URL of the Vega-Lite schema that the exported documents name.
pub const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v5.json";
/// The width of a chart, in pixels.
pub const WIDTH: u32 = 480;
/// The value of `labelLimit` for an axis, a legend or a heading that shows labels in full.
pub const NO_LIMIT: u32 = 0;

/// Returns the chart of payoffs by variant of the rules, in units of r^(d+1). For each variant it shows honest Alice's
/// lowest expected payoff against three Bobs (`bayes`, `marginal`, `truthful`), and the largest payoff of each kind of
/// liar. A liar without a game in the searched space is left out; a variant is left out if honest Alice has no game.
/// Each pair of variant and liar has its own line, so that no point hides another.
pub fn rule_variant_payoff_chart(rows: &[RuleVariantRow]) -> Value {
    let units = |report: &CounterexampleGameSearchReport| {
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
        "$schema": SCHEMA,
        "title": "Guaranteed payoff of honesty and largest payoff of a liar, by variant of the rules",
        "description": space.map(|report| report.space.as_str()),
        "width": WIDTH,
        "data": { "values": points.collect::<Vec<_>>() },
        "encoding": {
            "y": {
                "field": "variant", "type": "nominal", "sort": null, "title": null,
                "axis": { "labelLimit": NO_LIMIT, "grid": true, "tickBand": "extent" },
            },
            "yOffset": { "field": "liar", "type": "nominal", "sort": null },
            "tooltip": [
                { "field": "variant" }, { "field": "liar" }, { "field": "honesty is guaranteed" },
                { "field": "a liar gets" }, { "field": "game" },
            ],
        },
        "layer": [
            {
                "mark": { "type": "tick", "thickness": 3, "color": "black" },
                "encoding": { "x": {
                    "field": "honesty is guaranteed", "type": "quantitative", "scale": { "type": "symlog" },
                    "axis": { "values": [-100, -10, -1, 0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000] },
                    "title": [
                        "tick: honest Alice's lowest payoff against the Bobs bayes, marginal and truthful;",
                        "point: largest payoff of a liar. All payoffs are in units of r^(d+1).",
                    ],
                } },
            },
            {
                "mark": { "type": "point", "filled": true, "size": 100 },
                "encoding": {
                    "x": { "field": "a liar gets", "type": "quantitative" },
                    "color": { "field": "liar", "type": "nominal", "sort": null, "legend": { "labelLimit": NO_LIMIT } },
                    "shape": { "field": "liar", "type": "nominal", "sort": null },
                },
            },
        ],
    })
}

/// Returns a chart layer that writes `text` above each point without an interval: rows whose `low` is null. `field` is
/// the horizontal position.
pub(crate) fn missing_interval_label_layer(field: &str, y: &Value, text: &str) -> Value {
    json!({
        "transform": [{ "filter": "datum.low === null" }],
        "mark": { "type": "text", "text": text, "dy": -9, "fontSize": 9, "color": "#666" },
        "encoding": { "y": y, "x": { "field": field, "type": "quantitative" } },
    })
}

/// Reads a number of an exported JSON document: a JSON number, or a fraction in a string. `None` for any other value.
fn figure(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => parse(text).ok().map(|number| number.to_float()),
        value => value.as_f64(),
    }
}

/// Returns the debaters' names and the protocol of one compared side in a document: "honest against calibrated, …".
fn debaters(side: &Value) -> String {
    let player = |seat: &str| side["players"][seat].as_str().unwrap_or_default();
    let (prover, opponent) = (player("prover"), player("opponent"));
    format!(
        "{prover} against {opponent}, {}",
        side["protocol"].as_str().unwrap_or_default()
    )
}

/// Returns the chart of `simulate --json`: for each compared side, the mean payoff with its 95 % interval and the
/// payoffs by round.
pub fn simulation_chart(document: &Value) -> Value {
    let sides = [Some(document), document.get("versus")];
    let sides: Vec<&Value> = sides.into_iter().flatten().collect();
    let means = sides.iter().map(|side| {
        json!({
            "side": debaters(side),
            "mean": side["mean"],
            "low": side["ci95"][0],
            "high": side["ci95"][1],
            "debates": side["debates"],
        })
    });
    let rounds = sides.iter().flat_map(|side| {
        let name = debaters(side);
        let rounds = side["by_round"].as_array().into_iter().flatten();
        rounds.map(move |round| {
            json!({ "side": name, "round": round["round"].to_string().replace('"', ""), "mean": round["mean"] })
        })
    });
    let side = json!({
        "field": "side", "type": "nominal", "sort": null, "title": null, "axis": { "labelLimit": NO_LIMIT },
    });
    json!({
        "$schema": SCHEMA,
        "title": document["title"],
        "vconcat": [
            {
                "data": { "values": means.collect::<Vec<_>>() },
                "width": WIDTH,
                "height": { "step": 28 },
                "layer": [
                    {
                        "mark": "rule",
                        "encoding": {
                            "y": side,
                            "x": {
                                "field": "low", "type": "quantitative",
                                "title": "Alice's mean payoff, with its 95 % interval",
                            },
                            "x2": { "field": "high" },
                        },
                    },
                    missing_interval_label_layer("mean", &side, "too few debates"),
                    {
                        "mark": { "type": "point", "filled": true, "size": 80 },
                        "encoding": {
                            "y": side,
                            "x": { "field": "mean", "type": "quantitative" },
                            "tooltip": [
                                { "field": "mean" }, { "field": "low" }, { "field": "high" }, { "field": "debates" },
                            ],
                        },
                    },
                ],
            },
            {
                "data": { "values": rounds.collect::<Vec<_>>() },
                "width": WIDTH,
                "mark": "bar",
                "encoding": {
                    "x": { "field": "round", "type": "nominal", "sort": null, "title": "round, counted down" },
                    "xOffset": { "field": "side" },
                    "y": { "field": "mean", "type": "quantitative", "title": "mean reward to Alice" },
                    "color": { "field": "side", "type": "nominal", "title": null, "legend": { "labelLimit": NO_LIMIT } },
                },
            },
        ],
    })
}

/// Returns the chart of `solve --sweep --json`: the expected payoff of Alice for each value of the swept parameter.
pub fn parameter_sweep_chart(document: &Value) -> Value {
    let parameter = document["sweep"].as_str().unwrap_or_default();
    let points = document["points"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|point| {
            json!({
                parameter: figure(&point[parameter]),
                "value": figure(&point["value"]),
                "answer right": figure(&point["answer_correct"]),
            })
        });
    json!({
        "$schema": SCHEMA,
        "title": format!("Alice's expected payoff, by {parameter}"),
        "data": { "values": points.collect::<Vec<_>>() },
        "width": WIDTH,
        "height": 240,
        "mark": { "type": "line", "point": true },
        "encoding": {
            "x": { "field": parameter, "type": "quantitative", "scale": { "zero": false } },
            "y": { "field": "value", "type": "quantitative", "title": "Alice's expected payoff" },
            "tooltip": [{ "field": parameter }, { "field": "value" }, { "field": "answer right" }],
        },
    })
}

/// Returns the chart of `equilibrium --json` for named players: the payoff of each prover against each opponent.
pub fn payoff_table_chart(document: &Value) -> Value {
    let names = |seat: &str| document[seat].as_array().into_iter().flatten();
    let cells = names("provers").enumerate().flat_map(|(row, prover)| {
        let opponents = names("opponents").enumerate();
        opponents.map(move |(column, opponent)| {
            let payoff = figure(&document["payoff"][row][column]);
            json!({ "prover": prover, "opponent": opponent, "payoff": payoff })
        })
    });
    let axis = |name: &str| json!({ "field": name, "type": "nominal", "sort": null, "axis": { "labelLimit": NO_LIMIT } });
    json!({
        "$schema": SCHEMA,
        "title": document["title"],
        "data": { "values": cells.collect::<Vec<_>>() },
        "mark": "rect",
        "encoding": {
            "y": axis("prover"),
            "x": axis("opponent"),
            "color": {
                "field": "payoff", "type": "quantitative", "title": "payoff to Alice",
                "scale": { "scheme": "redblue", "domainMid": 0, "reverse": true },
            },
            "tooltip": [{ "field": "prover" }, { "field": "opponent" }, { "field": "payoff" }],
        },
    })
}
