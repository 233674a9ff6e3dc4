//! The table of a match, for people and as comma-separated values.

use schemars::JsonSchema;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::report::{Estimate, EstimateUnit, Faults, MatchReport, MatchupReport, PrintedCost};
use crate::expectation::BySeat;
use crate::tell::results::Tell;
use crate::tell::{Page, table};
use debate_core::number::{percent, short, signed, without_rounding};
use debate_core::text::{counted, safe};

/// The heads of the columns.
const HEADS: [&str; 8] = [
    "debates",
    "payoff to Alice",
    "Alice ahead",
    "answer right",
    "judge right: honest",
    "and dishonest Alice",
    "forfeits",
    "cost",
];

/// The estimates of a matchup, as the table names them.
const ESTIMATES: [&str; 5] = [
    "payoff",
    "prover_wins",
    "answer_correct",
    "judge_right_honest",
    "judge_right_dishonest",
];

impl Tell for MatchReport {
    fn document(&self) -> impl Serialize + JsonSchema {
        self
    }

    fn page(&self) -> Page {
        let mut page = Page::default();
        page.row(&self.title);
        page.row(format!(
            "{} of {} debates, seed {}{}",
            self.finished,
            self.debates,
            self.seed,
            spent(&self.cost)
        ));
        page.gap();
        let cells: Vec<[String; 8]> = self.matchups.iter().map(cells).collect();
        let heads = HEADS.map(str::to_owned);
        let widths: [usize; 8] = std::array::from_fn(|column| {
            let rows = std::iter::once(&heads).chain(&cells);
            rows.map(|row| row[column].width()).max().unwrap_or(0)
        });
        let row = |cells: &[String; 8]| {
            let padded: Vec<String> = (cells.iter().zip(widths))
                .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.width())))
                .collect();
            format!("  {}", padded.join("  ")).trim_end().to_owned()
        };
        page.row(row(&heads));
        for (matchup, cells) in self.matchups.iter().zip(&cells) {
            let BySeat {
                prover,
                opponent,
                judge,
            } = &matchup.players;
            let scenario = matchup.scenario.as_deref().unwrap_or("all scenarios");
            page.row(format!(
                "{scenario}, {}: {prover} against {opponent}, judged by {judge}",
                matchup.condition
            ));
            page.row(row(cells));
        }
        page.gap();
        page.row(
            "In brackets: the interval of 95 %, by instances (by debates where all are about one \
             instance); under ten of",
        );
        page.row(
            "these it says \"too few\". Honest Alice argues for what is true. A seat that forfeits has \
             lost, and pays nothing.",
        );
        let single = (self.matchups.iter()).filter(|matchup| matchup.scenario.is_some());
        let illegal = single.map(|matchup| {
            let BySeat {
                prover,
                opponent,
                judge,
            } = &matchup.illegal_replies;
            prover + opponent + judge
        });
        if let illegal @ 1.. = illegal.sum::<u64>() {
            page.row(format!("Replies that the rules refused: {illegal}."));
        }
        page
    }

    /// A row for each matchup.
    fn table(&self) -> Vec<Vec<String>> {
        let fixed = [
            "scenario",
            "condition",
            "prover",
            "opponent",
            "judge",
            "seed",
            "debates",
            "finished",
        ];
        let mut header: Vec<String> = fixed.map(str::to_owned).to_vec();
        for estimate in ESTIMATES {
            let parts = ["", "_of", "_low", "_high", "_units", "_by"];
            header.extend(parts.map(|part| format!("{estimate}{part}")));
        }
        for seat in ["prover", "opponent", "judge"] {
            let parts = [
                "forfeits",
                "refusals",
                "illegal",
                "calls",
                "tokens_in",
                "tokens_out",
                "usd",
            ];
            header.extend(parts.map(|part| format!("{seat}_{part}")));
        }
        let mut rows = vec![header];
        rows.extend(
            self.matchups
                .iter()
                .map(|matchup| csv_cells(matchup, &self.seed)),
        );
        rows
    }
}

/// The estimates in the order of [`ESTIMATES`].
fn estimates(matchup: &MatchupReport) -> [Option<&Estimate>; 5] {
    [
        matchup.payoff.as_ref(),
        matchup.prover_wins.as_ref(),
        matchup.answer_correct.as_ref(),
        matchup.judge_right_honest.as_ref(),
        matchup.judge_right_dishonest.as_ref(),
    ]
}

fn cells(matchup: &MatchupReport) -> [String; 8] {
    let [payoff, wins, correct, honest, dishonest] = estimates(matchup);
    [
        format!("{}/{}", matchup.finished, matchup.debates),
        figure(payoff, |value| signed(without_rounding(value, 1.0), 4)),
        figure(wins, percent),
        figure(correct, percent),
        figure(honest, percent),
        figure(dishonest, percent),
        safe(&faults(&matchup.forfeits)).into_owned(),
        total(&matchup.cost),
    ]
}

/// A mean with its interval: "62.5 % [48 %, 75 %]".
fn figure(estimate: Option<&Estimate>, written: impl Fn(f64) -> String) -> String {
    let Some(estimate) = estimate else {
        return "-".to_owned();
    };
    let mean = written(estimate.mean);
    match estimate.ci95 {
        Some([low, high]) => format!("{mean} [{}, {}]", written(low), written(high)),
        None => format!("{mean} (too few)"),
    }
}

/// Who forfeited how often: "Bob timeout 2, crash 1".
fn faults(forfeits: &BySeat<Faults>) -> String {
    let seats = [
        ("Alice", &forfeits.prover),
        ("Bob", &forfeits.opponent),
        ("judge", &forfeits.judge),
    ];
    let texts: Vec<String> = (seats.into_iter())
        .filter(|(_, faults)| !faults.is_empty())
        .map(|(who, faults)| {
            let counts = faults
                .iter()
                .map(|(fault, count)| format!("{fault} {count}"));
            format!("{who} {}", counts.collect::<Vec<_>>().join(", "))
        })
        .collect();
    if texts.is_empty() {
        "-".to_owned()
    } else {
        texts.join("; ")
    }
}

fn total(cost: &BySeat<PrintedCost>) -> String {
    let seats = [&cost.prover, &cost.opponent, &cost.judge];
    let calls: u64 = seats.iter().map(|cost| cost.calls).sum();
    let dollars = seats.iter().filter_map(|cost| cost.usd.parse::<f64>().ok());
    let usd: f64 = dollars.sum();
    if calls == 0 && usd == 0.0 {
        return "-".to_owned();
    }
    format!("{}, ${}", counted(calls, "call", "calls"), short(usd, 4))
}

/// The cost of everything, behind a comma; empty where nothing is known of it.
fn spent(cost: &PrintedCost) -> String {
    let tokens = cost.tokens_in + cost.tokens_out;
    if cost.calls == 0 && tokens == 0 && cost.usd == "0" {
        return String::new();
    }
    let calls = counted(cost.calls, "call", "calls");
    let tokens = counted(tokens, "token", "tokens");
    format!(", {calls}, {tokens}, ${}", cost.usd)
}

fn csv_cells(matchup: &MatchupReport, seed: &str) -> Vec<String> {
    let BySeat {
        prover,
        opponent,
        judge,
    } = &matchup.players;
    let scenario = matchup.scenario.as_deref().unwrap_or_default();
    let texts = [scenario, &matchup.condition, prover, opponent, judge, seed];
    let mut cells: Vec<String> = texts.into_iter().map(table::text).collect();
    cells.extend([matchup.debates, matchup.finished].map(|count| count.to_string()));
    for estimate in estimates(matchup) {
        cells.extend(estimate.map_or_else(Default::default, estimate_cells));
    }
    let (forfeits, illegal, cost) = (&matchup.forfeits, &matchup.illegal_replies, &matchup.cost);
    for (faults, illegal, cost) in [
        (&forfeits.prover, illegal.prover, &cost.prover),
        (&forfeits.opponent, illegal.opponent, &cost.opponent),
        (&forfeits.judge, illegal.judge, &cost.judge),
    ] {
        let all: u64 = faults.values().sum();
        let refusals = faults.get("model_refusal").copied().unwrap_or(0);
        let amounts = [
            all,
            refusals,
            illegal,
            cost.calls,
            cost.tokens_in,
            cost.tokens_out,
        ];
        cells.extend(amounts.map(|amount| amount.to_string()));
        cells.push(cost.usd.clone());
    }
    cells
}

/// A mean, of how many values, its interval, how many units, and what they are.
fn estimate_cells(estimate: &Estimate) -> [String; 6] {
    let ends = estimate.ci95.map(|ends| ends.map(|end| end.to_string()));
    let [low, high] = ends.unwrap_or_default();
    let unit = match estimate.by {
        EstimateUnit::Instance => "instance",
        EstimateUnit::Debate => "debate",
    };
    [
        estimate.mean.to_string(),
        estimate.of.to_string(),
        low,
        high,
        estimate.units.to_string(),
        unit.to_owned(),
    ]
}
