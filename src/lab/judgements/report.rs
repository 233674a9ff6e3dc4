//! Reports on judgements by condition: a JSON document, a text page, and a table.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use serde::Serialize;

use super::Judgement;
use super::statistics::{
    BINS, BrierDecomposition, brier_score_and_parts, calibration_error,
    calibration_error_by_chance, cluster_interval, confidence_and_hit, count_to_float,
    group_by_bin, is_undecided_judgement, mean,
};
use debate_core::number::format_with_decimals;
use debate_core::text::{count_with_noun, replace_unsafe_characters};
use debate_solver::simulate::{wilson_interval, wilson_interval_of_proportion};
use debate_text::HeadedTextPage;
use debate_text::results::PrintableCommandResult;
use debate_text::table::{self, ColumnAlignment, TextTable};

/// The summary of many judgements.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgementReport {
    /// The version of the report's JSON format: 1.
    pub format: u32,
    /// The number of judgements that the report counts.
    pub judgements: usize,
    /// The judgements that the report does not count, with the reason.
    pub left_out: Vec<UncountedDebates>,
    /// In alphabetical order.
    pub conditions: Vec<JudgementConditionReport>,
}

/// Debates that are not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "LeftOut")]
pub struct UncountedDebates {
    pub why: String,
    pub count: usize,
}

/// The judgements under one condition.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ConditionReport")]
pub struct JudgementConditionReport {
    pub condition: String,
    pub judgements: usize,
    pub judges: usize,
    /// The number of different stories that the questions are about; null if a judgement names no story.
    pub stories: Option<usize>,
    /// The number of judgements that gave the right answer a probability of more than one half.
    pub correct: usize,
    /// The number of judgements that gave both answers the same probability. They do not count as correct.
    pub ties: usize,
    pub accuracy: f64,
    /// The 95 % intervals of the accuracy: Wilson's interval if every judge gave one judgement, otherwise an interval
    /// from the spread between judges. A single judge with several judgements has no such interval. If a story was
    /// judged more than once, also an interval from the spread between stories.
    pub accuracy_intervals: Vec<ConfidenceInterval>,
    /// The judges' mean score in bits; null if a judge gave the right answer probability 0.
    pub score: Option<f64>,
    pub score_intervals: Vec<ConfidenceInterval>,
    /// The mean of (1 − p)², where p is the judge's probability of the right answer.
    pub brier: f64,
    pub brier_intervals: Vec<ConfidenceInterval>,
    pub murphy: BrierDecomposition,
    /// The expected calibration error of the judges, with ten left-closed bins of the unrounded probability of the
    /// likelier answer. Equal probabilities count as half a hit.
    pub calibration_error: f64,
    /// The calibration error that a perfectly calibrated judge with the same probabilities is expected to have by
    /// chance.
    pub calibration_noise: f64,
    /// The non-empty bins of the reliability diagram.
    pub reliability: Vec<ReliabilityDiagramBin>,
    /// The lowest and the highest probability that judges gave to the answer that they found likelier.
    pub range_used: [f64; 2],
    /// The sum of the numbers of rounds that the judges saw.
    pub continues: u64,
    pub by_round: Vec<JudgeAccuracyAfterRoundReport>,
}

/// A 95 % interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Interval")]
pub struct ConfidenceInterval {
    pub by: IndependentJudgementUnit,
    pub low: f64,
    pub high: f64,
}

/// The unit of which an interval assumes independence: judgements, judges or stories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[serde(rename = "ClusteredBy")]
pub enum IndependentJudgementUnit {
    /// Each judgement is independent: Wilson's interval for a proportion, the t interval for a mean.
    Judgement,
    /// Judges are independent; the judgements of one judge may be correlated.
    Judge,
    /// Stories are independent; the judgements about one story may be correlated.
    Story,
}

/// A bin of the reliability diagram: judgements with similar probabilities of the likelier answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Bin")]
pub struct ReliabilityDiagramBin {
    /// The lower end of the bin, included: a probability of the likelier answer.
    pub from: f64,
    /// The bin's upper end; excluded, except in the last bin.
    pub to: f64,
    pub count: usize,
    pub mean_confidence: f64,
    /// The number of judgements in the bin whose likelier answer was right. Equal probabilities count half.
    pub hits: f64,
    /// Wilson's interval of the proportion of hits. It treats the judges in the bin as the independent trials, not
    /// their judgements.
    pub share95: [f64; 2],
}

/// The judges' probabilities of the right answer after one round.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "RoundReport")]
pub struct JudgeAccuracyAfterRoundReport {
    /// The round number from 1; 0 before the first round.
    pub round: u32,
    pub judgements: usize,
    pub correct: usize,
    pub mean_p_correct: f64,
}

/// Summarises judgements by condition.
pub fn report_on_judgements(
    judgements: &[Judgement],
    left_out: Vec<UncountedDebates>,
) -> JudgementReport {
    let mut conditions: BTreeMap<&str, Vec<&Judgement>> = BTreeMap::new();
    for judgement in judgements {
        let condition = conditions.entry(&judgement.condition).or_default();
        condition.push(judgement);
    }
    JudgementReport {
        format: 1,
        judgements: judgements.len(),
        left_out,
        conditions: conditions
            .into_iter()
            .map(|(condition, judgements)| of_condition(condition, &judgements))
            .collect(),
    }
}

fn of_condition(condition: &str, judgements: &[&Judgement]) -> JudgementConditionReport {
    let count = judgements.len();
    let p: Vec<f64> = judgements.iter().map(|made| made.p_correct).collect();
    let judged: Vec<(f64, f64)> = p.iter().map(|p| confidence_and_hit(*p)).collect();
    let hits = |p: &f64| if *p > 0.5 { 1.0 } else { 0.0 };
    let right: Vec<f64> = p.iter().map(hits).collect();
    let correct = right.iter().filter(|hit| **hit > 0.0).count();
    let scores: Option<Vec<f64>> = judgements.iter().map(|made| made.reward).collect();
    let squares: Vec<f64> = p.iter().map(|p| (1.0 - p).powi(2)).collect();
    let forecasts: Vec<(f64, bool)> = judgements.iter().map(|made| made.forecast()).collect();
    let (brier, murphy) = brier_score_and_parts(&forecasts);
    let judges: BTreeSet<&str> = judgements.iter().map(|made| made.judge.as_str()).collect();
    let named = judgements.iter().map(|made| made.story.as_deref());
    let stories: Option<BTreeSet<&str>> = named.collect();
    let one_each = judges.len() == count;
    let mut accuracy_intervals = intervals(judgements, &right);
    if one_each {
        let by = IndependentJudgementUnit::Judgement;
        let by_judgement = wilson_interval(correct as u64, count as u64)
            .map(|[low, high]| ConfidenceInterval { by, low, high });
        accuracy_intervals.splice(0..1.min(accuracy_intervals.len()), by_judgement);
    }
    for interval in &mut accuracy_intervals {
        interval.low = interval.low.max(0.0);
        interval.high = interval.high.min(1.0);
    }
    JudgementConditionReport {
        condition: condition.to_owned(),
        judgements: count,
        judges: judges.len(),
        stories: stories.map(|stories| stories.len()),
        correct,
        ties: judged
            .iter()
            .filter(|(_, hit)| is_undecided_judgement(*hit))
            .count(),
        accuracy: count_to_float(correct) / count_to_float(count),
        accuracy_intervals,
        score: scores.as_deref().map(mean),
        score_intervals: scores.map_or_else(Vec::new, |all| intervals(judgements, &all)),
        brier,
        brier_intervals: intervals(judgements, &squares),
        murphy,
        calibration_error: calibration_error(&judged),
        calibration_noise: calibration_error_by_chance(&judged),
        reliability: bins(judgements, &judged),
        range_used: judged.iter().fold([1.0, 0.5], |[least, most], (held, _)| {
            [f64::min(least, *held), f64::max(most, *held)]
        }),
        continues: judgements
            .iter()
            .map(|made| u64::from(made.continues))
            .sum(),
        by_round: by_round(judgements),
    }
}

/// Returns the intervals of a mean: by judge and, if a story was judged more than once, by story.
fn intervals(judgements: &[&Judgement], values: &[f64]) -> Vec<ConfidenceInterval> {
    let with =
        |by, ends: Option<(f64, f64)>| ends.map(|(low, high)| ConfidenceInterval { by, low, high });
    let each = judgements.iter().zip(values);
    let judges: BTreeSet<&str> = judgements.iter().map(|made| made.judge.as_str()).collect();
    let by = if judges.len() == judgements.len() {
        IndependentJudgementUnit::Judgement
    } else {
        IndependentJudgementUnit::Judge
    };
    let by_judge = each
        .clone()
        .map(|(made, value)| (made.judge.as_str(), *value));
    let mut intervals: Vec<ConfidenceInterval> =
        with(by, cluster_interval(by_judge)).into_iter().collect();
    let named = judgements.iter().map(|made| made.story.as_deref());
    let stories: Option<Vec<&str>> = named.collect();
    if let Some(stories) = stories {
        let different: BTreeSet<&str> = stories.iter().copied().collect();
        if different.len() < judgements.len() {
            let by_story = stories.iter().copied().zip(values.iter().copied());
            intervals.extend(with(
                IndependentJudgementUnit::Story,
                cluster_interval(by_story),
            ));
        }
    }
    intervals
}

fn bins(judgements: &[&Judgement], judged: &[(f64, f64)]) -> Vec<ReliabilityDiagramBin> {
    let named = judgements.iter().zip(judged);
    let named: Vec<(&str, f64, f64)> = named
        .map(|(made, (held, hit))| (made.judge.as_str(), *held, *hit))
        .collect();
    let bins = group_by_bin(&named, |(_, held, _)| held)
        .into_iter()
        .enumerate();
    let full = bins.filter(|(_, bin)| !bin.is_empty());
    full.map(|(index, bin)| {
        let count = bin.len();
        let held: Vec<f64> = bin.iter().map(|(_, held, _)| *held).collect();
        let hits: f64 = bin.iter().map(|(_, _, hit)| hit).sum();
        let judges: BTreeSet<&str> = bin.iter().map(|(judge, ..)| *judge).collect();
        ReliabilityDiagramBin {
            from: count_to_float(index) / count_to_float(BINS),
            to: count_to_float(index + 1) / count_to_float(BINS),
            count,
            mean_confidence: mean(&held),
            hits,
            share95: wilson_interval_of_proportion(
                hits / count_to_float(count),
                count_to_float(judges.len()),
            ),
        }
    })
    .collect()
}

fn by_round(judgements: &[&Judgement]) -> Vec<JudgeAccuracyAfterRoundReport> {
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for belief in judgements.iter().flat_map(|made| &made.by_round) {
        let round = rounds.entry(belief.round).or_default();
        round.push(belief.p_correct);
    }
    let reports = rounds
        .into_iter()
        .map(|(round, held)| JudgeAccuracyAfterRoundReport {
            round,
            judgements: held.len(),
            correct: held.iter().filter(|p| **p > 0.5).count(),
            mean_p_correct: mean(&held),
        });
    reports.collect()
}

/// The text in place of an interval that cannot be computed because one judge gave all judgements.
pub(super) const TOO_FEW_JUDGES: &str = "too few judges";

/// The column names of the table of judgements: fields of [`Judgement`].
const COLUMNS: &str =
    "condition,debate,judge,story,p_correct,continues,reward,correct_answer_index";

/// The result of the command `judgements`: the judgements and the report on them.
#[derive(Clone, Copy, Debug)]
pub struct JudgementsWithStatistics<'r> {
    pub judgements: &'r [Judgement],
    pub report: &'r JudgementReport,
}

impl PrintableCommandResult for JudgementsWithStatistics<'_> {
    fn document(&self) -> impl Serialize {
        self.report
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        let conditions = &self.report.conditions;
        let mut table = TextTable::new([
            ("condition", ColumnAlignment::Left),
            ("right", ColumnAlignment::Right),
            ("accuracy", ColumnAlignment::Right),
            ("interval 95 %", ColumnAlignment::Right),
            ("by", ColumnAlignment::Right),
            ("score", ColumnAlignment::Right),
            ("Brier", ColumnAlignment::Right),
            ("ECE", ColumnAlignment::Right),
            ("noise", ColumnAlignment::Right),
        ]);
        for condition in conditions {
            let right = format!("{}/{}", condition.correct, condition.judgements);
            let accuracy = format!("{} %", format_with_decimals(condition.accuracy * 100.0, 1));
            let interval = condition.accuracy_intervals.first();
            let (interval, by) = match interval {
                Some(interval) => (percents(interval), unit(interval.by)),
                None => (TOO_FEW_JUDGES.to_owned(), ""),
            };
            let score = match condition.score {
                Some(score) => format_with_decimals(score, 3),
                None => "-inf".to_owned(),
            };
            table.row([
                name(condition),
                right,
                accuracy,
                interval,
                by.to_owned(),
                score,
                format_with_decimals(condition.brier, 3),
                thousandths(condition.calibration_error),
                thousandths(condition.calibration_noise),
            ]);
        }
        for line in table.aligned_table_lines() {
            page.add_row(line);
        }
        page.add_empty_line();
        for line in [
            "score: log2 of the probability of the right answer, minus the penalty per round (usually 0.05), in bits.",
            "ECE: expected calibration error, in ten bins by the judge's probability of the more likely answer.",
            "A bin contains its lower end; a probability of 50 % counts as half right.",
            "noise: the mean ECE of a perfectly calibrated judge who states the same probabilities.",
        ] {
            page.add_row(line);
        }
        for condition in conditions {
            add_condition(&mut page, condition);
        }
        for UncountedDebates { why, count } in &self.report.left_out {
            page.add_empty_line();
            let debates = count_with_noun(*count, "debate", "debates");
            page.add_row(format!("Not counted: {debates} {why}."));
        }
        page
    }

    /// Returns a header and one row for each judgement, in the format of
    /// [`read_judgement_table`](super::read_judgement_table).
    fn table(&self) -> Vec<Vec<String>> {
        let rows = self.judgements.iter();
        let rows = rows.map(|made| table::csv_row(made, COLUMNS));
        iter::once(table::csv_header_from_comma_list(COLUMNS))
            .chain(rows)
            .collect()
    }
}

/// Returns the name of a condition in printable form.
fn name(condition: &JudgementConditionReport) -> String {
    replace_unsafe_characters(&condition.condition).into_owned()
}

/// Writes the text lines about one condition, below the table.
fn add_condition(page: &mut HeadedTextPage, condition: &JudgementConditionReport) {
    let stories = condition.stories.map_or_else(String::new, |stories| {
        format!(", {}", count_with_noun(stories as u64, "story", "stories"))
    });
    let ties = match condition.ties {
        0 => String::new(),
        ties => format!(", {ties} of the judgements give exactly 50 %"),
    };
    page.add_empty_line();
    page.add_row(format!(
        "{condition}: {judgements} by {judges}{stories}{ties}.",
        condition = name(condition),
        judgements = count_with_noun(condition.judgements as u64, "judgement", "judgements"),
        judges = count_with_noun(condition.judges as u64, "judge", "judges")
    ));
    page.add_row(format!(
        "  The judges heard {rounds} in total.",
        rounds = count_with_noun(condition.continues, "round", "rounds")
    ));
    for other in condition.accuracy_intervals.iter().skip(1) {
        let (unit, percents) = (unit(other.by), percents(other));
        page.add_row(format!("  accuracy, 95 % interval by {unit}: {percents}"));
    }
    let score = condition.score_intervals.iter().map(|it| ("score", it));
    let brier = condition.brier_intervals.iter().map(|it| ("Brier", it));
    for (measure, ConfidenceInterval { by, low, high }) in score.chain(brier) {
        let [low, high] = [low, high].map(|end| format_with_decimals(*end, 3));
        page.add_row(format!(
            "  {measure}, 95 % interval by {independent_units}: {low} to {high}",
            independent_units = unit(*by)
        ));
    }
    let murphy = &condition.murphy;
    page.add_row(format!(
        "  Brier {score} = reliability {reliability} - resolution {resolution} + uncertainty {uncertainty} + within bins {within_bins}", score = format_with_decimals(condition.brier, 3), reliability = format_with_decimals(murphy.reliability, 3), resolution = format_with_decimals(murphy.resolution, 3), uncertainty = format_with_decimals(murphy.uncertainty, 3), within_bins = format_with_decimals(murphy.within_bins, 3)));
    for bin in &condition.reliability {
        page.add_row(format!(
            "  stated probability {from:.1} to {to:.1}: {right} of {count} judgements right, mean stated probability {mean:.1} %", from = bin.from, to = bin.to, right = bin.hits, count = bin.count, mean = bin.mean_confidence * 100.0));
    }
    for round in &condition.by_round {
        let moment = match round.round {
            0 => "before round 1".to_owned(),
            number => format!("after round {number}"),
        };
        page.add_row(format!(
            "  {moment}: {right} right of {judgements}, mean probability of the right answer {mean:.1} %", right = round.correct, judgements = round.judgements, mean = round.mean_p_correct * 100.0));
    }
}

/// Formats a number below 1 with three digits after the decimal point: ".167".
fn thousandths(value: f64) -> String {
    let text = format_with_decimals(value, 3);
    text.strip_prefix('0').unwrap_or(&text).to_owned()
}

fn percents(interval: &ConfidenceInterval) -> String {
    let [low, high] = [interval.low, interval.high].map(|end| format_with_decimals(end * 100.0, 1));
    format!("{low} to {high} %")
}

/// Returns the plural name of the independent unit: judgements, judges or stories.
fn unit(by: IndependentJudgementUnit) -> &'static str {
    match by {
        IndependentJudgementUnit::Judgement => "judgements",
        IndependentJudgementUnit::Judge => "judges",
        IndependentJudgementUnit::Story => "stories",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(judge: &str, p: f64, correct: u32) -> Judgement {
        Judgement {
            condition: "x".to_owned(),
            debate: "d".to_owned(),
            judge: judge.to_owned(),
            story: None,
            p_correct: p,
            continues: 2,
            reward: Some(p.log2() - 0.1),
            correct_answer_index: correct,
            by_round: Vec::new(),
        }
    }

    #[test]
    fn wilson_intervals_need_one_judgement_per_judge() {
        let once = [
            judged("a", 0.9, 0),
            judged("b", 0.2, 1),
            judged("c", 0.5, 0),
        ];
        let found = report_on_judgements(&once, Vec::new()).conditions.remove(0);
        assert_eq!((found.correct, found.ties, found.judges), (1, 1, 3));
        let expected = wilson_interval(1, 3).unwrap();
        let interval = &found.accuracy_intervals[0];
        assert_eq!(interval.by, IndependentJudgementUnit::Judgement);
        let ends = [interval.low, interval.high].map(f64::to_bits);
        assert_eq!(ends, expected.map(f64::to_bits));
        let twice = [
            judged("a", 0.9, 0),
            judged("b", 0.2, 1),
            judged("a", 0.5, 0),
        ];
        let found = report_on_judgements(&twice, Vec::new())
            .conditions
            .remove(0);
        assert_eq!(
            found.accuracy_intervals[0].by,
            IndependentJudgementUnit::Judge
        );
        assert!((found.brier - (0.01 + 0.64 + 0.25) / 3.0).abs() < 1e-12);
        assert_eq!(found.continues, 6);
    }
}
