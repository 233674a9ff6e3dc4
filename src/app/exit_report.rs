//! The report that the program prints after the screen is closed.

use std::io::{self, IsTerminal as _, Write as _};

use crossterm::terminal;

use super::home::{FINISHED, WHAT_NEXT};
use super::{CommandFailure, Result};
use crate::tui::widget::measure::wrap;
use debate_core::protocol::Rules as _;
use debate_core::scenario::Instance;
use debate_core::text::replace_unsafe_characters;
use debate_host::Debate;
use debate_host::plan::{DebatePlan, daily_debate_result_lines};
use debate_text::{PayoffFormatter, closing_lines, end_disclosure_lines};

/// The report to print after the screen is closed.
#[derive(Clone, Debug, Default)]
pub struct ExitReport {
    /// The lines for stdout, such as the outcome of the debate.
    pub(super) lines: Vec<String>,
    /// True if the report is about a finished debate.
    pub(super) is_over: bool,
    /// The sentence about the save, or the reason why saving failed, for stderr.
    pub(super) save_result: Option<Result<String, String>>,
    /// The command to continue the tutorial, for stderr.
    pub(super) tutorial: Option<String>,
}

impl ExitReport {
    pub(super) fn of_debate(
        running: &mut Debate<'_>,
        instance: &Instance,
        plan: &DebatePlan,
    ) -> Self {
        let over = running.state_and_players().turn().is_none();
        let mut lines = Vec::new();
        if over {
            let amounts = PayoffFormatter::formatter_in_points_of_schedule(
                &running.state_and_players().state().schedule(),
            );
            let amounts = amounts.with_perspective(plan.narration_perspective());
            lines.extend(closing_lines(
                running.state_and_players(),
                instance,
                &amounts,
            ));
            lines.extend(end_disclosure_lines(
                &plan.setup,
                plan.world,
                &plan.player_names(),
                plan.blind,
            ));
            if let (Some(_), Some(path)) = (plan.daily_date(), running.save_path()) {
                lines.extend(daily_debate_result_lines(path));
            }
        }
        let kept = sentence_about_checked_save(running, over).transpose();
        Self {
            lines,
            is_over: over,
            save_result: kept.map(|kept| kept.map_err(|failure| failure.to_string())),
            tutorial: None,
        }
    }

    /// Returns an exit report that prints these lines to stdout.
    pub(super) fn exit_report_with_lines(lines: &[String]) -> Self {
        Self {
            lines: lines
                .iter()
                .map(|line| replace_unsafe_characters(line).into_owned())
                .collect(),
            ..Self::default()
        }
    }

    /// Returns a sentence for the home page about the save of the debate, or the reason why saving failed. `None` if
    /// the report is about no save.
    pub(super) fn save_notice_for_home(self) -> Option<String> {
        // The debate that was left last is the latest unfinished one.
        let home_section = if self.is_over { FINISHED } else { WHAT_NEXT };
        let kept = self.save_result?;
        Some(kept.map_or_else(
            |why| why,
            |_| format!("The debate is saved; it is listed under “{home_section}”."),
        ))
    }

    /// Returns the report's lines for a remote screen, without the path of the save, which is of no use to a remote
    /// user.
    pub(super) fn into_remote_screen_lines(self) -> Vec<String> {
        let mut lines = self.lines;
        if let Some(Err(why)) = self.save_result {
            lines.push(why);
        }
        lines
    }

    /// Prints the exit report. On a terminal, long lines are wrapped at words.
    pub(super) fn print_exit_report(self) -> Result {
        let columns = match terminal::size() {
            Ok((columns, _)) if io::stdout().is_terminal() => columns.into(),
            _ => usize::MAX,
        };
        for line in self.lines.iter().flat_map(|line| wrap(line, columns)) {
            writeln!(io::stdout(), "{line}")?;
        }
        if let Some(kept) = self.save_result {
            writeln!(io::stderr(), "{}", kept.map_err(CommandFailure::System)?)?;
        }
        if let Some(tutorial) = self.tutorial {
            writeln!(io::stderr(), "{tutorial}")?;
        }
        Ok(())
    }
}

/// Returns a sentence about the save of a debate; `None` if there is no save. Before that, checks that no other program
/// changed the save.
pub fn sentence_about_checked_save(
    running: &mut Debate<'_>,
    is_over: bool,
) -> Result<Option<String>> {
    running
        .check_save_is_unchanged()
        .map_err(CommandFailure::from_system_error)?;
    let Some(path) = running.save_path() else {
        return Ok(None);
    };
    let shown = path.display().to_string();
    let path = replace_unsafe_characters(&shown);
    Ok(Some(if is_over {
        format!("The debate is saved. To see it again: debate-tui replay {path}")
    } else {
        format!("The debate is saved. To continue: debate-tui resume {path}")
    }))
}
