//! `daily`: the daily debate.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, ValueHint};

use super::errors::print_remark;
use super::flags::DisplayArgs;
use super::output::stdout;
use super::play::resume_in_lines;
use super::{CommandFailure, Result, on_screen, plain};
use crate::app::{DebateToPlay, start_of_daily_debate};
use debate_core::budget::ComputationBudget;
use debate_core::text::replace_unsafe_characters;
use debate_host::plan::{
    DailyDate, DailyResult, DebateOptions, ExternalPlayerOptions, SaveStorageOptions,
    finished_daily_save, unfinished_daily_save,
};
use debate_host::record::{SaveListing, list_saves};

/// Play today's debate: the same scenario, instance, coins and opponent for everybody.
///
/// The date determines all of them. You take the scenario's recommended seat. If you have begun the debate of this
/// date, it continues. A hint, an undo, a second debate of the same date, or its seed in another debate makes it
/// practice. At the end, one line to share shows your gap and your squared error, never your payoff.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/daily.txt"))]
pub(super) struct DailyDebateArgs {
    /// The day of the debate in UTC, as YYYY-MM-DD, not after today [default: today].
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    /// Play nothing. Print the line to share of the finished debate; exit with 1 if there is none.
    #[arg(long, conflicts_with = "json")]
    pub(super) share: bool,
    #[command(flatten)]
    pub(super) display: DisplayArgs,
    /// Store saves in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) saves: Option<PathBuf>,
}

pub(super) fn run_daily_debate(args: &DailyDebateArgs) -> Result {
    let today = DailyDate::utc_day_of_time(SystemTime::now());
    let date = read_date(args.date.as_deref(), today)?;
    let save_options = SaveStorageOptions {
        folder: args.saves.clone(),
        no_save: false,
    };
    let saves = list_saves(&save_options.saves_folder()?)?;
    if args.share {
        return share(date, &saves);
    }
    if args.display.uses_full_screen() {
        let page = DebateToPlay::new(start_of_daily_debate(date, &saves)?, save_options.clone());
        let options = args
            .display
            .app_options(save_options, DebateOptions::default());
        return on_screen(options, page.into());
    }
    if let Some(save) = unfinished_daily_save(date, &saves) {
        return resume_in_lines(&save, ExternalPlayerOptions::default(), &args.display);
    }
    if finished_daily_save(date, &saves).is_some() && !args.display.quiet {
        print_remark(format!(
            "You have already finished the daily debate of {date}, so this debate is practice."
        ))?;
    }
    let plan = date.daily_debate_plan()?;
    let instance = plan.instance();
    let players = plan.build_players(&instance, ComputationBudget::default())?;
    let mut debate = plan.debate(&instance, players, &save_options, None)?;
    plain::play_in_lines(&plan, &instance, &mut debate, &args.display, None)
}

/// Parses the date of a daily debate. Returns an error if the date is after today.
fn read_date(text: Option<&str>, today: DailyDate) -> Result<DailyDate> {
    let Some(text) = text else {
        return Ok(today);
    };
    let shown = replace_unsafe_characters(text);
    let date = DailyDate::parse(text).ok_or_else(|| {
        CommandFailure::from_input_error(format!(
            "--date: `{shown}` is not a date; write YYYY-MM-DD, such as {today}"
        ))
    })?;
    if date > today {
        return Err(CommandFailure::from_input_error(format!(
            "--date: {date} is in the future; today is {today} in UTC"
        )));
    }
    Ok(date)
}

/// Prints a line that users can share, about the first finished daily debate of a date. If there is none, says so and
/// returns a failure.
fn share(date: DailyDate, saves: &[SaveListing]) -> Result {
    let result = match finished_daily_save(date, saves) {
        Some(save) => DailyResult::read_daily_result(save, saves)?,
        None => None,
    };
    let mut out = stdout();
    let Some(result) = result else {
        writeln!(out, "You have no finished daily debate of {date}.")?;
        return Err(CommandFailure::No);
    };
    Ok(writeln!(out, "{}", result.shareable_result_line())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_written_in_full_and_not_after_today() {
        let today = DailyDate::parse("2026-03-01").unwrap();
        let read = |text| read_date(Some(text), today).map_err(|why| why.to_string());
        assert_eq!(read("2026-03-01"), Ok(today));
        assert!(read("2026-02-28").unwrap() < today);
        assert_eq!(
            read("2026-03-02").unwrap_err(),
            "--date: 2026-03-02 is in the future; today is 2026-03-01 in UTC"
        );
        for wrong in [
            "",
            "today",
            "2026-3-1",
            "2026-02-30",
            "2026-03-01T00:00:00Z",
        ] {
            let why = read(wrong).unwrap_err();
            assert!(why.contains("write YYYY-MM-DD"), "{why}");
        }
        assert_eq!(
            read_date(None, today).map_err(|why| why.to_string()),
            Ok(today)
        );
    }
}
