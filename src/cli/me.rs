//! `me`: the calibration of the person who played the saved debates.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use clap::{ArgGroup, Args, ValueHint};

use super::Result;
use super::output::PrintedFormat;
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::progress::{print_covered_part_and_fail_if_interrupted, with_progress};
use debate_host::plan::{DailyDate, daily_streak};
use debate_host::record::{SaveListing, SavedDebateProgress, list_saves, saves_folder};
use debate_lab::calibration::{
    LeftOutSaveCounts, PersonDebateMeasures, calibration_chart_svg, calibration_chart_vega,
    measure_save, report_on_debates,
};
use debate_solver::setup::ScenarioLimits;

/// The time after which `me` reads no further save.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Show your calibration over your saved debates: estimates against the truth, gaps over time, and verdicts.
///
/// Counts finished debates in the folder of saves in which a person played one or two seats. Imported debates and
/// those of engines, matches and studies do not count, nor do debates that continue another save. Damaged saves are
/// skipped; their number is shown. Reading stops after 60 seconds, the newest saves first.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs").multiple(true))]
#[command(after_help = include_str!("help/me.txt"))]
pub(super) struct OwnCalibrationArgs {
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
    /// Write a chart of the reliability curve and of the gaps to this file (SVG).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    svg: Option<PathBuf>,
    /// Write the same chart to this file (Vega-Lite).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    vega: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
    /// Read the saves in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) saves: Option<PathBuf>,
}

pub(super) fn run_own_calibration(args: &OwnCalibrationArgs, quiet: bool) -> Result {
    let outputs = CheckedOutputFiles::check(args.replace, [args.svg.as_ref(), args.vega.as_ref()])?;
    let folder = saves_folder(args.saves.as_deref())?;
    let saves = list_saves(&folder)?;
    let count = saves.len() as u64;
    let ((debates, left_out), signal) = with_progress(count, "saves", !quiet, |budget| {
        let begun = Instant::now();
        let mut debates = Vec::new();
        let mut left_out = LeftOutSaveCounts::default();
        for (index, save) in saves.iter().enumerate() {
            if budget.check_not_cancelled().is_err() || begun.elapsed() > TIME_LIMIT {
                left_out.unread = saves.len() - index;
                break;
            }
            measure_or_count_as_left_out(save, &mut debates, &mut left_out);
            budget.add_to_progress(1);
        }
        (debates, left_out)
    })?;
    let streak = daily_streak(DailyDate::utc_day_of_time(SystemTime::now()), &saves);
    let report = report_on_debates(&debates, left_out, streak);
    if let Some(path) = &args.svg {
        outputs.write(path, calibration_chart_svg(&report))?;
    }
    outputs.write_chart(args.vega.as_deref(), || calibration_chart_vega(&report))?;
    outputs.print(&report, PrintedFormat::page_or_json(args.json))?;
    print_covered_part_and_fail_if_interrupted(signal, "saves that were read")
}

/// If `me` counts the debate of the save, measures the debate and adds it to `debates`. Otherwise adds the save to the
/// counts in `left_out`.
fn measure_or_count_as_left_out(
    save: &SaveListing,
    debates: &mut Vec<PersonDebateMeasures>,
    left_out: &mut LeftOutSaveCounts,
) {
    match save.condition {
        SavedDebateProgress::Unclear => left_out.damaged += 1,
        SavedDebateProgress::Unfinished | SavedDebateProgress::Unplayed => left_out.other += 1,
        SavedDebateProgress::Finished => match measure_save(&save.path, &ScenarioLimits::default())
        {
            Ok(Some(measured)) => debates.push(measured),
            Ok(None) => left_out.other += 1,
            Err(_) => left_out.damaged += 1,
        },
    }
}
