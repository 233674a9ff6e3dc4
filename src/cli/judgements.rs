//! `report`: what judges made of debates.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use super::Failure;
use super::output::print_json;
use debate_core::text::{counted, safe};
use debate_lab::export::table;
use debate_lab::import::read_text;
use debate_lab::judgements::{
    ClusteredBy, ConditionReport, Interval, Judgement, JudgementReport, LeftOut, SavedJudgement,
    by_condition, chart, of_save, read_lines, read_table, report,
};
use debate_lab::setup::Limits;

const EXAMPLES: &str = "\
Examples:
  debate-tui report nyu                        saves that import nyu made
  debate-tui report nyu/rejudgements.jsonl     what was judged again
  debate-tui report judgements.csv --chart report.svg --json";

/// Sum up what judges made of debates, by condition: how often they were right, how sure they were,
/// and how well these went together.
///
/// Takes folders of saves, saves, tables of judgements (.csv) and judgements a line (.jsonl). Of a
/// save played under Speeches the judge's last probability counts. A save is counted under the condition
/// that its match or its scenario names, else under who played; where several rules or judges would
/// come under one name, the name says which. Intervals are of 95 %: Wilson's
/// where every judge gave one judgement, else by the spread between judges, and between stories.
#[expect(clippy::struct_excessive_bools, reason = "one a flag")]
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReportArgs {
    /// Saves, folders of saves, tables of judgements.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Count debates too that the study that they are from leaves out.
    #[arg(long)]
    all: bool,
    /// Print one JSON document and nothing else on stdout.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the judgements as comma-separated values, a row each.
    #[arg(long)]
    csv: bool,
    /// Draw accuracies and reliability into this file, as SVG.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    chart: Option<PathBuf>,
    /// Replace the file of the chart where there is one.
    #[arg(long, requires = "chart")]
    replace: bool,
}

/// Why a save is not counted that is none, or not what was written.
const UNREADABLE: &str = "that cannot be read";

/// The files that were found.
#[derive(Default)]
struct Found {
    judgements: Vec<Judgement>,
    saved: Vec<SavedJudgement>,
    left_out: BTreeMap<&'static str, usize>,
    /// True if something could not be read.
    failed: bool,
}

pub(super) fn judgements(args: &ReportArgs) -> Result<(), Failure> {
    super::interrupt::ends_at_once(false)?;
    let mut found = Found::default();
    for path in &args.paths {
        found.take(path, args.all)?;
    }
    let saved = by_condition(std::mem::take(&mut found.saved));
    found.judgements.extend(saved);
    if found.judgements.is_empty() {
        return Err(nothing(&found));
    }
    let left_out = found.left_out.iter();
    let left_out = left_out.map(|(why, count)| LeftOut {
        why: (*why).to_owned(),
        count: *count,
    });
    let told = report(&found.judgements, left_out.collect());
    if let Some(path) = &args.chart {
        draw(&told, path, args.replace)?;
    }
    if args.json {
        print_json(&told)?;
    } else if args.csv {
        rows(&found.judgements)?;
    } else {
        tell(&told)?;
    }
    if found.failed {
        Err(Failure::Reported)
    } else {
        Ok(())
    }
}

/// The sentence where nothing counts.
fn nothing(found: &Found) -> Failure {
    let mut told = "no judgement to count".to_owned();
    for (why, count) in &found.left_out {
        // Writing to a string cannot fail.
        let _ = write!(told, "; {count} {why}");
    }
    told += "; take saves of debates under Speeches that are over, or a table of judgements";
    Failure::Input(told)
}

impl Found {
    fn take(&mut self, path: &Path, all: bool) -> Result<(), Failure> {
        if path.is_dir() {
            let unread = |error: io::Error| {
                Failure::input(format!("{}: {error}", safe(&path.display().to_string())))
            };
            let entries = fs::read_dir(path).map_err(unread)?;
            let files = entries.map(|entry| Ok(entry?.path()));
            let mut files = files.collect::<io::Result<Vec<_>>>().map_err(unread)?;
            files.retain(|file| file.extension().is_some_and(|ending| ending == "ron"));
            files.sort();
            return files.iter().try_for_each(|file| self.save(file, all));
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        let read = match ending {
            Some("csv") => read_text(path).map(|text| read_table(text.as_bytes())),
            Some("jsonl") => read_text(path).map(|text| read_lines(&text)),
            _ => return self.save(path, all),
        };
        let wrong =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        let read = read.map_err(|error| wrong(&error))?;
        self.judgements.extend(read.map_err(|error| wrong(&error))?);
        Ok(())
    }

    fn save(&mut self, path: &Path, all: bool) -> Result<(), Failure> {
        match of_save(path, &Limits::default(), all) {
            Ok(Ok(made)) => self.saved.push(made),
            Ok(Err(unjudged)) => *self.left_out.entry(unjudged.words()).or_default() += 1,
            Err(error) => {
                self.failed = true;
                *self.left_out.entry(UNREADABLE).or_default() += 1;
                let told = format!("{}: {error}", path.display());
                writeln!(io::stderr(), "debate-tui: {}", safe(&told))?;
            }
        }
        Ok(())
    }
}

fn draw(told: &JudgementReport, path: &Path, replace: bool) -> Result<(), Failure> {
    if !replace && fs::symlink_metadata(path).is_ok() {
        let path = safe(&path.display().to_string()).into_owned();
        return Err(Failure::Input(format!(
            "{path} is there already; --replace replaces it"
        )));
    }
    fs::write(path, chart(told)).map_err(|error| {
        let path = safe(&path.display().to_string()).into_owned();
        Failure::System(format!("{path}: {error}"))
    })
}

/// The judgements, a row each, as [`read_table`] reads them back.
fn rows(judgements: &[Judgement]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
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
    writeln!(out, "{}", table::line(header))?;
    for made in judgements {
        let cells = [
            table::text(&made.condition),
            table::text(&made.debate),
            table::text(&made.judge),
            made.story.as_deref().map_or_else(String::new, table::text),
            made.p_correct.to_string(),
            made.continues.to_string(),
            made.reward
                .map_or_else(String::new, |reward| reward.to_string()),
            made.correct_answer_index.to_string(),
        ];
        writeln!(out, "{}", table::line(cells))?;
    }
    Ok(())
}

fn tell(told: &JudgementReport) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let shown = |condition: &ConditionReport| safe(&condition.condition).into_owned();
    let widest = told.conditions.iter().map(|it| shown(it).chars().count());
    let column = widest.max().unwrap_or(0).max(9);
    writeln!(
        out,
        "{:column$}  {:>9}  {:>8}  {:>15}  {:>15}  {:>7}  {:>6}  {:>4}  {:>5}",
        "condition", "right", "accuracy", "interval 95 %", "by", "score", "Brier", "ECE", "noise"
    )?;
    for condition in &told.conditions {
        let right = format!("{}/{}", condition.correct, condition.judgements);
        let accuracy = format!("{:.1} %", condition.accuracy * 100.0);
        let (interval, by) = condition
            .accuracy_intervals
            .first()
            .map_or_else(Default::default, |it| (percents(it), by(it.by)));
        let score = condition
            .score
            .map_or_else(|| "-inf".to_owned(), |it| format!("{it:.3}"));
        writeln!(
            out,
            "{:column$}  {right:>9}  {accuracy:>8}  {interval:>15}  {by:>15}  {score:>7}  {:>6.3}  \
             {:>4}  {:>5}",
            shown(condition),
            condition.brier,
            thousandths(condition.calibration_error),
            thousandths(condition.calibration_noise),
        )?;
    }
    writeln!(
        out,
        "\nscore: log2 of the probability of the right answer, less 0.05 a round heard, in bits. ECE: \
         ten bins of\nthe likelier answer's probability, closed on the left, even odds half right; \
         noise: what perfect calibration\nis expected to show at these numbers."
    )?;
    for condition in &told.conditions {
        details(&mut out, condition)?;
    }
    for LeftOut { why, count } in &told.left_out {
        writeln!(out, "\nNot counted: {count} {why}.")?;
    }
    Ok(())
}

/// The lines below the table for each condition.
fn details(out: &mut impl io::Write, condition: &ConditionReport) -> Result<(), Failure> {
    let stories = condition.stories.map_or_else(String::new, |stories| {
        format!(", {}", counted(stories as u64, "story", "stories"))
    });
    let ties = match condition.ties {
        0 => String::new(),
        ties => format!(", {ties} at even odds"),
    };
    writeln!(
        out,
        "\n{}: {} by {}{stories}{ties}; they went on {}.",
        safe(&condition.condition),
        counted(condition.judgements as u64, "judgement", "judgements"),
        counted(condition.judges as u64, "judge", "judges"),
        counted(condition.continues, "time", "times"),
    )?;
    for other in condition.accuracy_intervals.iter().skip(1) {
        writeln!(out, "  accuracy {}: {}", by(other.by), percents(other))?;
    }
    for (what, intervals) in [
        ("score", &condition.score_intervals),
        ("Brier", &condition.brier_intervals),
    ] {
        for Interval { by: of, low, high } in intervals {
            writeln!(out, "  {what} {}: {low:.3} to {high:.3}", by(*of))?;
        }
    }
    let murphy = &condition.murphy;
    writeln!(
        out,
        "  Brier {:.3} = reliability {:.3} - resolution {:.3} + uncertainty {:.3} + within bins {:.3}",
        condition.brier,
        murphy.reliability,
        murphy.resolution,
        murphy.uncertainty,
        murphy.within_bins
    )?;
    for bin in &condition.reliability {
        writeln!(
            out,
            "  held {:.1} to {:.1}: {} right of {}, held {:.1} % on average",
            bin.from,
            bin.to,
            bin.hits,
            bin.count,
            bin.mean_confidence * 100.0
        )?;
    }
    for round in &condition.by_round {
        writeln!(
            out,
            "  after round {}: {} right of {}, right answer held {:.1} % on average",
            round.round,
            round.correct,
            round.judgements,
            round.mean_p_correct * 100.0
        )?;
    }
    Ok(())
}

/// A number below 1 with three digits: ".167".
fn thousandths(value: f64) -> String {
    let text = format!("{value:.3}");
    text.strip_prefix('0').unwrap_or(&text).to_owned()
}

fn percents(interval: &Interval) -> String {
    format!(
        "{:.1} to {:.1} %",
        interval.low * 100.0,
        interval.high * 100.0
    )
}

fn by(by: ClusteredBy) -> String {
    match by {
        ClusteredBy::Judgement => "judgements",
        ClusteredBy::Judge => "judges",
        ClusteredBy::Story => "stories",
    }
    .to_owned()
}
