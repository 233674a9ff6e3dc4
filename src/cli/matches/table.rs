//! The table of a match: as lines, while it is played, and as comma-separated values.

use std::io::{self, Write as _};

use ratatui::crossterm::terminal;
use unicode_width::UnicodeWidthStr as _;

use debate_core::number::{percent, short, signed, without_rounding};
use debate_core::text::{counted, safe};
use debate_lab::expectation::BySeat;
use debate_lab::export::table;
use debate_lab::matches::{
    Estimate, EstimateUnit, Faults, MatchReport, MatchupReport, PrintedCost,
};

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

/// The table in words.
pub(super) fn lines(report: &MatchReport) -> Vec<String> {
    let mut lines = vec![
        safe(&report.title).into_owned(),
        format!(
            "{} of {} debates, seed {}{}",
            report.finished,
            report.debates,
            safe(&report.seed),
            spent(&report.cost)
        ),
        String::new(),
    ];
    let cells: Vec<[String; 8]> = report.matchups.iter().map(cells).collect();
    let widths: Vec<usize> = HEADS
        .iter()
        .enumerate()
        .map(|(column, head)| {
            let widest = cells.iter().map(|row| row[column].width()).max();
            head.width().max(widest.unwrap_or(0))
        })
        .collect();
    let row = |cells: &[String]| {
        let cells = cells.iter().zip(&widths);
        let padded: Vec<String> = cells
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.width())))
            .collect();
        format!("  {}", padded.join("  ")).trim_end().to_owned()
    };
    lines.push(row(&HEADS.map(str::to_owned)));
    for (matchup, cells) in report.matchups.iter().zip(&cells) {
        lines.push(label(matchup));
        lines.push(row(cells));
    }
    lines.push(String::new());
    lines.extend(legend(report));
    lines
}

/// What the figures mean.
fn legend(report: &MatchReport) -> Vec<String> {
    let mut lines = vec![
        "In brackets: the interval of 95 %, by instances (by debates where all are about one instance); \
         under ten of"
            .to_owned(),
        "these it says \"too few\". Honest Alice argues for what is true. A seat that forfeits has lost, \
         and pays nothing."
            .to_owned(),
    ];
    let illegal: u64 = report
        .matchups
        .iter()
        .filter(|matchup| matchup.scenario.is_some())
        .map(|matchup| {
            let BySeat {
                prover,
                opponent,
                judge,
            } = &matchup.illegal_replies;
            prover + opponent + judge
        })
        .sum();
    if illegal > 0 {
        lines.push(format!("Replies that the rules refused: {illegal}."));
    }
    lines
}

/// Who plays, by which rules, about what.
fn label(matchup: &MatchupReport) -> String {
    let BySeat {
        prover,
        opponent,
        judge,
    } = &matchup.players;
    let scenario = matchup.scenario.as_deref().unwrap_or("all scenarios");
    let label = format!(
        "{scenario}, {}: {prover} against {opponent}, judged by {judge}",
        matchup.condition
    );
    safe(&label).into_owned()
}

fn cells(matchup: &MatchupReport) -> [String; 8] {
    let payoff = |value: f64| signed(without_rounding(value, 1.0), 4);
    [
        format!("{}/{}", matchup.finished, matchup.debates),
        figure(matchup.payoff.as_ref(), payoff),
        figure(matchup.prover_wins.as_ref(), percent),
        figure(matchup.answer_correct.as_ref(), percent),
        figure(matchup.judge_right_honest.as_ref(), percent),
        figure(matchup.judge_right_dishonest.as_ref(), percent),
        faults(&matchup.forfeits),
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

/// Who forfeited how often: "Bob 3 (timeout 2, crash 1)".
fn faults(forfeits: &BySeat<Faults>) -> String {
    let seats = [
        ("Alice", &forfeits.prover),
        ("Bob", &forfeits.opponent),
        ("judge", &forfeits.judge),
    ];
    let told = seats.into_iter().filter(|(_, faults)| !faults.is_empty());
    let told: Vec<String> = told
        .map(|(who, faults)| {
            let each: Vec<String> = faults
                .iter()
                .map(|(fault, count)| format!("{fault} {count}"))
                .collect();
            format!("{who} {}", each.join(", "))
        })
        .collect();
    if told.is_empty() {
        "-".to_owned()
    } else {
        told.join("; ")
    }
}

fn total(cost: &BySeat<PrintedCost>) -> String {
    let seats = [&cost.prover, &cost.opponent, &cost.judge];
    let calls: u64 = seats.iter().map(|cost| cost.calls).sum();
    let usd: f64 = seats
        .iter()
        .filter_map(|cost| cost.usd.parse::<f64>().ok())
        .sum();
    if calls == 0 && usd == 0.0 {
        return "-".to_owned();
    }
    format!("{}, ${}", counted(calls, "call", "calls"), short(usd, 4))
}

/// What everything cost, behind a comma; empty where nothing is known of it.
fn spent(cost: &PrintedCost) -> String {
    let tokens = cost.tokens_in + cost.tokens_out;
    if cost.calls == 0 && tokens == 0 && cost.usd == "0" {
        return String::new();
    }
    let calls = counted(cost.calls, "call", "calls");
    let tokens = counted(tokens, "token", "tokens");
    format!(", {calls}, {tokens}, ${}", cost.usd)
}

/// The table as comma-separated values, a row a matchup.
pub(super) fn csv(report: &MatchReport) -> Vec<String> {
    let mut header: Vec<String> = [
        "scenario",
        "condition",
        "prover",
        "opponent",
        "judge",
        "seed",
        "debates",
        "finished",
    ]
    .map(str::to_owned)
    .into();
    for figure in [
        "payoff",
        "prover_wins",
        "answer_correct",
        "judge_right_honest",
        "judge_right_dishonest",
    ] {
        for part in ["", "_of", "_low", "_high", "_units", "_by"] {
            header.push(format!("{figure}{part}"));
        }
    }
    for seat in ["prover", "opponent", "judge"] {
        for part in [
            "forfeits",
            "refusals",
            "illegal",
            "calls",
            "tokens_in",
            "tokens_out",
            "usd",
        ] {
            header.push(format!("{seat}_{part}"));
        }
    }
    let mut lines = vec![table::line(header)];
    lines.extend(
        report
            .matchups
            .iter()
            .map(|matchup| csv_row(matchup, &report.seed)),
    );
    lines
}

fn csv_row(matchup: &MatchupReport, seed: &str) -> String {
    let players = &matchup.players;
    let scenario = matchup.scenario.as_deref().unwrap_or_default();
    let texts = [
        scenario,
        &matchup.condition,
        &players.prover,
        &players.opponent,
        &players.judge,
        seed,
    ];
    let mut cells: Vec<String> = texts.into_iter().map(table::text).collect();
    cells.extend([matchup.debates, matchup.finished].map(|count| count.to_string()));
    for estimate in [
        &matchup.payoff,
        &matchup.prover_wins,
        &matchup.answer_correct,
        &matchup.judge_right_honest,
        &matchup.judge_right_dishonest,
    ] {
        cells.extend(figure_cells(estimate.as_ref()));
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
    table::line(cells)
}

/// A mean, of how many values, its interval, how many units, and what they are.
fn figure_cells(estimate: Option<&Estimate>) -> [String; 6] {
    let Some(estimate) = estimate else {
        return Default::default();
    };
    let [low, high] = estimate
        .ci95
        .map_or_else(Default::default, |ends| ends.map(|it| it.to_string()));
    let by = match estimate.by {
        EstimateUnit::Instance => "instance",
        EstimateUnit::Debate => "debate",
    };
    [
        estimate.mean.to_string(),
        estimate.of.to_string(),
        low,
        high,
        estimate.units.to_string(),
        by.to_owned(),
    ]
}

/// A table on stderr that is drawn over itself.
#[derive(Default)]
pub(super) struct LiveTable {
    /// The lines that were drawn last.
    drawn: usize,
}

impl LiveTable {
    pub(super) fn draw(&mut self, report: &MatchReport) -> io::Result<()> {
        let (columns, rows) = terminal::size().unwrap_or((80, 24));
        let mut lines = lines(report);
        // What scrolled away could not be drawn over.
        lines.truncate(usize::from(rows.saturating_sub(1)));
        self.wipe()?;
        let mut err = io::stderr().lock();
        for line in &lines {
            let mut shown = String::new();
            for sign in line.chars() {
                if shown.width() + 2 > usize::from(columns) {
                    break;
                }
                shown.push(sign);
            }
            writeln!(err, "{shown}")?;
        }
        self.drawn = lines.len();
        err.flush()
    }

    /// Takes away what was drawn.
    pub(super) fn wipe(&mut self) -> io::Result<()> {
        let mut err = io::stderr().lock();
        if self.drawn > 0 {
            write!(err, "\x1b[{}A\x1b[J", self.drawn)?;
        }
        self.drawn = 0;
        err.flush()
    }
}
