//! Charts of ratings: SVG, and a Vega-Lite document.

use serde_json::{Value, json};

use super::{MatchRatings, MatchReport, PlayerRating};
use crate::export::safe::escape_html_or_svg;
use crate::export::vega;
use crate::judgements::statistics::count_to_float;
use debate_core::number::format_with_decimals;
use debate_core::text::replace_unsafe_characters;
use debate_text::fill_template;

/// The picture template, with placeholders for the values of [`ratings_chart_svg`].
const PICTURE: &str = include_str!("chart/ratings.svg");
/// The width of the picture, in its own units.
const WIDTH: f64 = 720.0;
/// The height of a player's row in the chart.
const ROW: f64 = 26.0;
/// The horizontal positions of the two ends of the rating scale.
const SCALE: [f64; 2] = [250.0, 640.0];
/// The maximum length of a player's name in the chart, in characters.
const NAME: usize = 32;

/// Returns an SVG picture of the ratings.
pub fn ratings_chart_svg(report: &MatchReport) -> String {
    let mut top = 56.0;
    let mut tables = Vec::new();
    for ratings in &report.ratings {
        tables.push(table(ratings, top));
        top += 70.0 + ROW * count_to_float(ratings.players.len());
    }
    let document = json!({ "width": WIDTH, "height": top, "tables": tables });
    fill_template(PICTURE, &document, escape_html_or_svg)
}

fn heading(ratings: &MatchRatings) -> String {
    format!("{}, judged by {}", ratings.condition, ratings.judge)
}

/// Returns a player's name in printable form. A long name is shortened at its start, because the end of a command
/// identifies it best.
fn name(text: &str) -> String {
    let text = replace_unsafe_characters(text);
    match text.chars().count().checked_sub(NAME) {
        None | Some(0) => text.into_owned(),
        Some(more) => std::iter::once('…')
            .chain(text.chars().skip(more + 1))
            .collect(),
    }
}

/// Returns the two ends of a player's interval: the rating minus and plus its standard error. `None` if the rating is
/// unbounded.
fn ends(row: &PlayerRating) -> Option<[f64; 2]> {
    let figure = row.rating?;
    Some([-1.0, 1.0].map(|side| figure.value + side * figure.standard_error))
}

fn table(ratings: &MatchRatings, top: f64) -> Value {
    let all = ratings.players.iter().filter_map(ends).flatten();
    let farthest = all.map(f64::abs).fold(0.5, f64::max);
    let across = |value: f64| {
        let share = f64::midpoint(value / farthest, 1.0);
        format!("{:.1}", SCALE[0] + share * (SCALE[1] - SCALE[0]))
    };
    let bottom = top + 12.0 + ROW * count_to_float(ratings.players.len());
    let ticks = [-farthest, 0.0, farthest].map(|value| {
        json!({ "x": across(value), "top": top + 10.0, "bottom": bottom, "below": bottom + 16.0, "of": format_with_decimals(value, 2) })
    });
    let players = ratings.players.iter().enumerate().map(|(index, row)| {
        let y = top + 26.0 + ROW * count_to_float(index);
        let figure = ends(row).map(|[low, high]| {
            json!({ "low": across(low), "high": across(high), "dot": across(f64::midpoint(low, high)) })
        });
        json!({
            "name": name(&row.player),
            "y": y,
            "below": y + 4.0,
            "middle": across(0.0),
            "counts": SCALE[1] + 14.0,
            "points": row.points.to_string(),
            "games": row.games,
            "figure": figure,
        })
    });
    json!({
        "name": replace_unsafe_characters(&heading(ratings)),
        "title": top,
        "ticks": ticks,
        "players": players.collect::<Vec<_>>(),
    })
}

/// Returns the ratings as a Vega-Lite document. A player with an unbounded rating is marked by the word "unbounded",
/// without a dot.
pub fn ratings_chart_vega(report: &MatchReport) -> Value {
    let rows = report.ratings.iter().flat_map(|ratings| {
        ratings.players.iter().map(move |row| {
            json!({
                "table": heading(ratings),
                "player": row.player,
                "rating": row.rating.map(|it| it.value),
                "low": ends(row).map(|[low, _]| low),
                "high": ends(row).map(|[_, high]| high),
                "points": row.points,
                "games": row.games,
            })
        })
    });
    let player = json!({
        "field": "player", "type": "nominal", "sort": null, "title": null,
        "axis": { "labelLimit": vega::NO_LIMIT },
    });
    json!({
        "$schema": vega::SCHEMA,
        "title": "Ratings of the players; each line extends one standard error to both sides",
        "data": { "values": rows.collect::<Vec<_>>() },
        "facet": { "row": { "field": "table", "type": "nominal", "title": null } },
        "resolve": { "scale": { "y": "independent" } },
        "spec": {
            "width": vega::WIDTH,
            "layer": [
                {
                    "mark": "rule",
                    "encoding": {
                        "y": player,
                        "x": { "field": "low", "type": "quantitative", "title": "rating in natural log-odds" },
                        "x2": { "field": "high" },
                    },
                },
                {
                    "transform": [{ "filter": "datum.rating === null" }],
                    "mark": { "type": "text", "text": "unbounded" },
                    "encoding": { "y": player, "x": { "datum": 0 } },
                },
                {
                    "mark": { "type": "point", "filled": true, "size": 80 },
                    "encoding": {
                        "y": player,
                        "x": { "field": "rating", "type": "quantitative" },
                        "tooltip": [
                            { "field": "player" }, { "field": "rating" }, { "field": "points" }, { "field": "games" },
                        ],
                    },
                },
            ],
        },
    })
}
