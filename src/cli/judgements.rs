//! `report`: accuracy, scores and calibration of judges, from their judgements of debates.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueHint};

use super::errors::print_warning;
use super::output::PrintedFormat;
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::{CommandFailure, Result};
use debate_core::text::count_with_noun;
use debate_host::record::paths_in;
use debate_lab::import::read_text_file;
use debate_lab::judgements::{
    Judgement, JudgementWithCondition, JudgementsWithStatistics, UncountedDebates,
    give_conditions_unique_names, judgement_chart_svg, judgement_chart_vega, of_save,
    read_judgement_lines, read_judgement_table, report_on_judgements,
};
use debate_solver::setup::ScenarioLimits;

/// Summarise judgements of debates by condition: accuracy, confidence and calibration.
///
/// Reads folders of saves, saves, tables of judgements (.csv) and one judgement per line (.jsonl). For a save
/// played under Speeches, the judge's last probability counts. The condition of a save is the one that its match or
/// its scenario names, or else its players. If several rules or judges would share a name, the name includes them.
/// Intervals are 95 %: Wilson's if every judge gave one judgement, else from the spread between judges and between
/// stories.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs").multiple(true))]
#[command(after_help = include_str!("help/report.txt"))]
pub(super) struct JudgementReportArgs {
    /// Saves, folders of saves, tables of judgements.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Include debates that their original study left out.
    #[arg(long)]
    all: bool,
    /// Print the result as one JSON document on stdout.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the judgements as comma-separated values, one per row.
    #[arg(long)]
    csv: bool,
    /// Write a chart of accuracy and reliability to this file (SVG).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    chart: Option<PathBuf>,
    /// Write the same chart to this file (Vega-Lite).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    vega: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
}

/// The reason that the report states for saves that were left out because they cannot be read or do not verify.
const UNREADABLE: &str = "that cannot be read";

/// The judgements collected from the files that the user named.
#[derive(Default)]
struct Collection {
    judgements: Vec<Judgement>,
    saved: Vec<JudgementWithCondition>,
    left_out: BTreeMap<&'static str, usize>,
    /// True if a save could not be read or does not verify.
    failed: bool,
}

pub(super) fn run_judgement_report(args: &JudgementReportArgs) -> Result {
    super::progress::install_exit_signal_handler()?;
    let outputs =
        CheckedOutputFiles::check(args.replace, [args.chart.as_ref(), args.vega.as_ref()])?;
    let mut collection = Collection::default();
    for path in &args.paths {
        collection.take(path, args.all)?;
    }
    let mut judgements = collection.judgements;
    judgements.extend(give_conditions_unique_names(collection.saved));
    if judgements.is_empty() {
        return Err(no_judgement_error(&collection.left_out));
    }
    let left_out = collection
        .left_out
        .into_iter()
        .map(|(why, count)| UncountedDebates {
            why: why.to_owned(),
            count,
        });
    let report = report_on_judgements(&judgements, left_out.collect());
    if let Some(path) = &args.chart {
        outputs.write(path, judgement_chart_svg(&report))?;
    }
    outputs.write_chart(args.vega.as_deref(), || judgement_chart_vega(&report))?;
    let summary = JudgementsWithStatistics {
        judgements: &judgements,
        report: &report,
    };
    let form = if args.csv {
        PrintedFormat::Csv
    } else {
        PrintedFormat::page_or_json(args.json)
    };
    outputs.print(&summary, form)?;
    CommandFailure::Reported.fail_unless(!collection.failed)
}

/// Returns the error for a report in which no judgement counts. It names the reasons for which judgements were left
/// out.
fn no_judgement_error(left_out: &BTreeMap<&'static str, usize>) -> CommandFailure {
    let mut text = "no judgement to count".to_owned();
    for (why, count) in left_out {
        let debates = count_with_noun(*count, "debate", "debates");
        // Writing to a string cannot fail.
        let _ = write!(text, "; {debates} {why}");
    }
    text += "; give saves of finished debates in free speeches (`Speeches`), or a CSV table of judgements";
    CommandFailure::Input(text)
}

impl Collection {
    fn take(&mut self, path: &Path, all: bool) -> Result {
        if path.is_dir() {
            let unread = |error: io::Error| CommandFailure::from_file_error(path, error);
            let mut files = paths_in(path).map_err(unread)?;
            files.retain(|file| file.extension().is_some_and(|ending| ending == "ron"));
            return files.iter().try_for_each(|file| self.save(file, all));
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        let text =
            || read_text_file(path).map_err(|error| CommandFailure::from_file_error(path, error));
        let judgements = match ending {
            Some("csv") => read_judgement_table(text()?.as_bytes()),
            Some("jsonl") => read_judgement_lines(&text()?),
            _ => return self.save(path, all),
        };
        self.judgements
            .extend(judgements.map_err(|error| CommandFailure::from_file_error(path, error))?);
        Ok(())
    }

    fn save(&mut self, path: &Path, all: bool) -> Result {
        match of_save(path, &ScenarioLimits::default(), all) {
            Ok(Ok(made)) => self.saved.push(made),
            Ok(Err(unjudged)) => {
                *self
                    .left_out
                    .entry(unjudged.debate_exclusion_reason_in_words())
                    .or_default() += 1;
            }
            Err(error) => {
                self.failed = true;
                *self.left_out.entry(UNREADABLE).or_default() += 1;
                print_warning(format!("{}: {error}", path.display()))?;
            }
        }
        Ok(())
    }
}
