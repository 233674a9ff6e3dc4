//! The report on judgements for people, and the judgements as a table.

use schemars::JsonSchema;
use serde::Serialize;

use super::Judgement;
use super::report::{ClusteredBy, ConditionReport, Interval, JudgementReport, LeftOut};
use crate::tell::results::Tell;
use crate::tell::{Page, table};
use debate_core::text::{counted, safe};

/// Judgements, and the report on them.
#[derive(Clone, Copy, Debug)]
pub struct JudgementSummary<'r> {
    pub judgements: &'r [Judgement],
    pub report: &'r JudgementReport,
}

impl Tell for JudgementSummary<'_> {
    fn document(&self) -> impl Serialize + JsonSchema {
        self.report
    }

    fn page(&self) -> Page {
        let mut page = Page::default();
        let conditions = &self.report.conditions;
        let names = conditions.iter().map(|it| name(it).chars().count());
        let column = names.max().unwrap_or(0).max(9);
        page.row(format!(
            "{:column$}  {:>9}  {:>8}  {:>15}  {:>15}  {:>7}  {:>6}  {:>4}  {:>5}",
            "condition",
            "right",
            "accuracy",
            "interval 95 %",
            "by",
            "score",
            "Brier",
            "ECE",
            "noise"
        ));
        for condition in conditions {
            let right = format!("{}/{}", condition.correct, condition.judgements);
            let accuracy = format!("{:.1} %", condition.accuracy * 100.0);
            let interval = condition.accuracy_intervals.first();
            let (interval, by) =
                interval.map_or_else(Default::default, |it| (percents(it), unit(it.by)));
            let score = match condition.score {
                Some(score) => format!("{score:.3}"),
                None => "-inf".to_owned(),
            };
            page.row(format!(
                "{:column$}  {right:>9}  {accuracy:>8}  {interval:>15}  {by:>15}  {score:>7}  {:>6.3}  \
                 {:>4}  {:>5}",
                name(condition),
                condition.brier,
                thousandths(condition.calibration_error),
                thousandths(condition.calibration_noise),
            ));
        }
        page.gap();
        for line in [
            "score: log2 of the probability of the right answer, less 0.05 a round heard, in bits. ECE: ten bins of",
            "the likelier answer's probability, closed on the left, even odds half right; noise: what perfect calibration",
            "is expected to show at these numbers.",
        ] {
            page.row(line);
        }
        for condition in conditions {
            tell_condition(&mut page, condition);
        }
        for LeftOut { why, count } in &self.report.left_out {
            page.gap();
            page.row(format!("Not counted: {count} {why}."));
        }
        page
    }

    /// A row for each judgement, as [`read_table`](super::read_table) reads it back.
    fn table(&self) -> Vec<Vec<String>> {
        let header = [
            "condition",
            "debate",
            "judge",
            "story",
            "p_correct",
            "continues",
            "reward",
            "correct_answer_index",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(self.judgements.iter().map(|made| {
            vec![
                table::text(&made.condition),
                table::text(&made.debate),
                table::text(&made.judge),
                made.story.as_deref().map_or_else(String::new, table::text),
                made.p_correct.to_string(),
                made.continues.to_string(),
                made.reward
                    .map_or_else(String::new, |reward| reward.to_string()),
                made.correct_answer_index.to_string(),
            ]
        }));
        rows
    }
}

/// The name of a condition as it is shown.
fn name(condition: &ConditionReport) -> String {
    safe(&condition.condition).into_owned()
}

/// The lines below the table for a condition.
fn tell_condition(page: &mut Page, condition: &ConditionReport) {
    let stories = condition.stories.map_or_else(String::new, |stories| {
        format!(", {}", counted(stories as u64, "story", "stories"))
    });
    let ties = match condition.ties {
        0 => String::new(),
        ties => format!(", {ties} at even odds"),
    };
    page.gap();
    page.row(format!(
        "{}: {} by {}{stories}{ties}; they went on {}.",
        name(condition),
        counted(condition.judgements as u64, "judgement", "judgements"),
        counted(condition.judges as u64, "judge", "judges"),
        counted(condition.continues, "time", "times"),
    ));
    for other in condition.accuracy_intervals.iter().skip(1) {
        page.row(format!(
            "  accuracy {}: {}",
            unit(other.by),
            percents(other)
        ));
    }
    let score = condition.score_intervals.iter().map(|it| ("score", it));
    let brier = condition.brier_intervals.iter().map(|it| ("Brier", it));
    for (what, Interval { by, low, high }) in score.chain(brier) {
        page.row(format!("  {what} {}: {low:.3} to {high:.3}", unit(*by)));
    }
    let murphy = &condition.murphy;
    page.row(format!(
        "  Brier {:.3} = reliability {:.3} - resolution {:.3} + uncertainty {:.3} + within bins {:.3}",
        condition.brier,
        murphy.reliability,
        murphy.resolution,
        murphy.uncertainty,
        murphy.within_bins
    ));
    for bin in &condition.reliability {
        page.row(format!(
            "  held {:.1} to {:.1}: {} right of {}, held {:.1} % on average",
            bin.from,
            bin.to,
            bin.hits,
            bin.count,
            bin.mean_confidence * 100.0
        ));
    }
    for round in &condition.by_round {
        page.row(format!(
            "  after round {}: {} right of {}, right answer held {:.1} % on average",
            round.round,
            round.correct,
            round.judgements,
            round.mean_p_correct * 100.0
        ));
    }
}

/// A number below 1 with three digits: ".167".
fn thousandths(value: f64) -> String {
    let text = format!("{value:.3}");
    text.strip_prefix('0').unwrap_or(&text).to_owned()
}

fn percents(interval: &Interval) -> String {
    let [low, high] = [interval.low, interval.high].map(|end| end * 100.0);
    format!("{low:.1} to {high:.1} %")
}

/// What an interval is by.
fn unit(by: ClusteredBy) -> &'static str {
    match by {
        ClusteredBy::Judgement => "judgements",
        ClusteredBy::Judge => "judges",
        ClusteredBy::Story => "stories",
    }
}
