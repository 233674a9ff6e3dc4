//! The page on which the user judges finished debates again, one after the other.

use super::context::AppContext;
use super::exit_report::ExitReport;
use super::page::{PageTransition, RejudgePage};
use super::{CommandFailure, Result};
use crate::tui::debate::{RejudgeScreen, RejudgeScreenChoice};
use crate::tui::screen::ScreenExt as _;
use debate_core::text::count_with_noun;

/// Shows the debates of a queue for judging, until it is empty or the user leaves.
pub(super) fn show_rejudging(app: &mut AppContext, page: RejudgePage) -> Result<PageTransition> {
    let RejudgePage { mut queue, seed } = page;
    let all = queue.remaining_save_count();
    let mut judged = 0;
    let mut notice: Option<String> = None;
    loop {
        let case = match queue.next_debate_to_rejudge() {
            Ok(None) => break,
            Ok(Some(case)) => case,
            Err(error) if all == 1 => return Err(CommandFailure::from_input_error(error)),
            // If one save cannot be read, the user can still judge the remaining ones.
            Err(error) => {
                notice = Some(error.to_string());
                continue;
            }
        };
        let rejudged = case.begin_rejudgement()?;
        let heading = match all {
            1 => String::new(),
            _ => format!("debate {} of {all}", all - queue.remaining_save_count()),
        };
        let append_judgement = |made: &_| {
            queue
                .append_judgement(made)
                .map_err(|error| error.to_string())
        };
        let keys = app.keys();
        let mut screen =
            RejudgeScreen::new(&case, rejudged, heading, Box::new(append_judgement), &keys)?;
        if let Some(notice) = notice.take() {
            screen.show_note(notice);
        }
        match app.show(&mut screen)? {
            RejudgeScreenChoice::Next => judged += 1,
            RejudgeScreenChoice::Judged => {
                judged += 1;
                break;
            }
            RejudgeScreenChoice::Left => break,
        }
    }
    let debates = count_with_noun(judged, "debate", "debates");
    let mut lines = vec![format!("{debates} judged.")];
    if judged > 0 {
        let judgements_file = queue.judgements_file().display();
        lines.push(format!(
            "Judgements are saved in {judgements_file}; `debate-tui report` summarises them."
        ));
    }
    if all > 1 {
        lines.push(format!(
            "The order of the debates comes from seed {seed}.",
            seed = seed.as_str()
        ));
    }
    lines.extend(notice);
    Ok(PageTransition::Back(ExitReport::exit_report_with_lines(
        &lines,
    )))
}
