//! Page flow of the terminal program: home, lobby, play, replay, compare, tutorial, rejudging, studies.
//!
//! Each [`AppPage`] has a function that shows it and returns the next step ([`page::PageTransition`]): another
//! [`AppPage`], or back. [`run`] calls these functions in a loop, so that pages do not open each other recursively.

mod compare;
mod context;
mod daily;
mod exit_report;
mod harder;
mod home;
mod lobby;
mod page;
mod play;
mod rejudge;
mod replay;
mod requests;
mod scene;
mod study;
mod tutorial;

pub use context::{AppContext, AppOptions, EffectivePreferences, LocalOrRemoteScreen};
pub use daily::start_of_daily_debate;
pub use exit_report::{ExitReport, sentence_about_checked_save};
pub use page::{
    AppPage, CONTINUE_HINT, DebateStart, DebateToPlay, DebatesToCompare, HomePageToOpen,
    RejudgePage, ReplayAudience, ReplayPage, StudySessionStart, TerminalStudyStatusPage,
};
pub use play::{open_save, seat_prover_using_past_estimates};
pub use replay::viewer_of_save;
pub use scene::{review_context, review_context_at_end, saved_debate_review_context};
pub use study::{REPLY_DELAY, participant_failure};
pub use tutorial::{
    CourseStep, LAST_LESSON_NAME, LessonCourseProgress, lesson_texts_of_plan,
    prepare_tutorial_comparison_chart, tutorial_comparison_texts,
};

use crate::exit::{CommandFailure, Result};
use crate::tui::menu::ReadingPage;
use page::PageTransition;

/// Shows a page and the pages that follow it, until the user leaves. Returns the report to print after the terminal is
/// released.
///
/// # Errors
/// Returns an error if a page fails and no page is below it, or if the failure has no message to show, as after an
/// interruption. If another page fails that was opened over a page, the user goes back to the page below and sees the
/// reason.
pub fn run(app: &mut AppContext, first: AppPage) -> Result<ExitReport> {
    // The stack of pages to return to. If home is among them, it is the first.
    let mut behind: Vec<AppPage> = Vec::new();
    let mut page = first;
    loop {
        let visited = visit(app, page);
        let goes_home = app.take_home_page_request();
        page = match visited {
            Ok(left) if goes_home => home_from(left, &mut behind),
            Ok(PageTransition::Open(next)) => {
                // Home is always at the bottom of the stack.
                if matches!(next, AppPage::Home(_)) {
                    behind.clear();
                }
                // A new debate replaces the finished debate from whose end it was chosen.
                while next.is_new_debate() && behind.last().is_some_and(AppPage::is_finished_debate)
                {
                    behind.pop();
                }
                next
            }
            Ok(PageTransition::OpenOver { next, below }) => {
                // Home is on the stack at most once.
                let is_home = |page: &AppPage| matches!(page, AppPage::Home(_));
                if !(is_home(&below) && behind.first().is_some_and(is_home)) {
                    behind.push(below);
                }
                next
            }
            Ok(PageTransition::Back(exit_report)) => match behind.pop() {
                Some(AppPage::Home(home)) => {
                    AppPage::Home(home.home_page_reopened_with_report(exit_report))
                }
                Some(below) => below,
                None => return Ok(exit_report),
            },
            Err(failure) => page_below(app, failure, &mut behind)?,
        };
    }
}

/// Returns the home page that the user asked for on another page, and drops all pages above it.
fn home_from(left: PageTransition, behind: &mut Vec<AppPage>) -> AppPage {
    behind.truncate(1);
    let home = match behind.pop() {
        Some(AppPage::Home(home)) => home,
        _ => HomePageToOpen::default(),
    };
    AppPage::Home(match left {
        PageTransition::Back(report) => home.home_page_reopened_with_report(report),
        PageTransition::Open(_) | PageTransition::OpenOver { .. } => HomePageToOpen {
            notice: None,
            ..home
        },
    })
}

/// Returns the page from which the failed page was opened. The home page gets the reason of the failure as its notice;
/// before any other page, a separate page shows the reason. Returns the failure itself if no page is below, or if the
/// failure ends the program.
fn page_below(
    app: &mut AppContext,
    failure: CommandFailure,
    behind: &mut Vec<AppPage>,
) -> Result<AppPage> {
    let Some(why) = failure.unprinted_error_message().map(str::to_owned) else {
        return Err(failure);
    };
    match behind.pop() {
        None => Err(failure),
        Some(AppPage::Home(home)) => Ok(AppPage::Home(HomePageToOpen {
            notice: Some(why),
            ..home
        })),
        Some(below) => {
            let keys = app.keys();
            let text = vec![(String::new(), format!("{why}."))];
            app.show(&mut ReadingPage::new("This cannot be shown", text, &keys))?;
            Ok(below)
        }
    }
}

/// Shows one page. Returns the transition to the next page.
fn visit(app: &mut AppContext, page: AppPage) -> Result<PageTransition> {
    match page {
        AppPage::Home(home) => home::show_home_page(app, home),
        AppPage::Target { target, how } => home::open_home_item(app, target, how),
        AppPage::Seat {
            plan,
            played,
            save_options,
        } => lobby::show_seat_choice(app, *plan, played, save_options),
        AppPage::Lobby {
            plan,
            watches,
            seat_page_options,
        } => lobby::show_lobby(app, *plan, watches, seat_page_options),
        AppPage::Play(play) => play::show_debate(app, *play),
        AppPage::Replay(replay) => replay::show_replay(app, *replay),
        AppPage::Rejudge(rejudge) => rejudge::show_rejudging(app, *rejudge),
        AppPage::Study(run) => study::show_study_session(app, &run),
        AppPage::StudyStatus(page) => study::show_study_status(app, page),
        AppPage::Compare(compare) => compare::show_comparison(app, compare),
        AppPage::Tutorial(course) => tutorial::show_next_lesson(app, course),
    }
}
