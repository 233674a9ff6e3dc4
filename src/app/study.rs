//! The screens of a study: a participant's session, and the progress of all participants.

use std::thread;
use std::time::{Duration, Instant};

use super::context::AppContext;
use super::exit_report::ExitReport;
use super::page::{PageTransition, StudySessionStart, TerminalStudyStatusPage};
use super::{CommandFailure, Result};
use crate::tui::menu::{StudyPageOutcome, StudyPageScreen, StudyStatusScreen};
use crate::tui::screen::ScreenExt as _;
use debate_study::{
    ParticipantInput, RunningStudySession, SessionClock, Study, StudyError, StudyTerminalTexts,
    completion_codes, last_page_without_session, start_or_resume,
};

/// Minimum delay before another seat's reply is shown, so that the response time does not reveal whether a human or a
/// program plays that seat.
pub const REPLY_DELAY: Duration = Duration::from_millis(400);

/// Shows one page after another until the session is over, or the participant leaves.
pub(super) fn show_study_session(
    app: &mut AppContext,
    run: &StudySessionStart,
) -> Result<PageTransition> {
    let StudySessionStart {
        study,
        id,
        language,
    } = run;
    let codes = completion_codes(study);
    let (mut session, mut clock) = match start_or_resume(study, id.as_deref(), codes) {
        Ok(started) => started,
        Err(error) => return show_refusal(app, study, &error),
    };
    if let Some(language) = language {
        session
            .choose_language(language, &clock.record_key_press_times())
            .map_err(|error| participant_failure(&error))?;
    }
    let keys = app.keys();
    let keeper = session.start_page_time_saver(&clock);
    let mut position = None;
    loop {
        let page = session.current_page();
        let is_end = page.is_session_over();
        let mut now = clock.clone();
        let waits = page.polls;
        let words = session.participant_terminal_words();
        keys.replace_footer_words(words.key_labels_replaced_by_study());
        let mut screen = StudyPageScreen::new(page, words, &mut now, &keys)
            .restore_study_page_position(position);
        if waits {
            let seen = clock.clone();
            let session = &mut session;
            screen = screen.polling(move || {
                let refreshed = session.end_expired_sessions_and_update_waiting(&seen);
                refreshed.map_err(|error| error.message_for_participant())?;
                Ok(session.current_page())
            });
        }
        let input = match app.show(&mut screen)? {
            StudyPageOutcome::Input(input) if !is_end => Some(input),
            StudyPageOutcome::Input(_) | StudyPageOutcome::Gone => None,
        };
        position = Some(screen.reading_position());
        drop(screen);
        clock = now;
        let Some(input) = input else {
            break;
        };
        let answered = Instant::now();
        submit_answer(app, &mut session, &mut clock, &input)?;
        if session.participant().has_paused_session() {
            break;
        }
        if session.current_page().paced {
            thread::sleep(REPLY_DELAY.saturating_sub(answered.elapsed()));
        }
    }
    keys.replace_footer_words(Vec::new());
    keeper.stop_and_save_page_time(&session, &clock);
    let notice: Vec<String> = session.session_resume_sentence().into_iter().collect();
    Ok(PageTransition::Back(ExitReport::exit_report_with_lines(
        &notice,
    )))
}

/// Shows the participant why the study session cannot start, if the reason concerns the participant. Returns the
/// failure.
fn show_refusal(app: &mut AppContext, study: &Study, error: &StudyError) -> Result<PageTransition> {
    if let Some(status) = error.status_of_session_refused_by_error() {
        let keys = app.keys();
        let mut clock = SessionClock::new(&study.folder.time, 0, Some(0), study.plan.time.idle_s);
        let page = last_page_without_session(study, status, &completion_codes(study));
        let words = StudyTerminalTexts::terminal_words_of_plan(&study.plan);
        app.show(&mut StudyPageScreen::new(page, words, &mut clock, &keys))?;
    }
    Err(participant_failure(error))
}

/// Shows the progress of a study until the researcher leaves.
pub(super) fn show_study_status(
    app: &mut AppContext,
    page: TerminalStudyStatusPage,
) -> Result<PageTransition> {
    let keys = app.keys();
    let mut screen = StudyStatusScreen::new(page.look_up, &keys);
    app.show(&mut screen)?;
    Ok(PageTransition::Back(ExitReport::default()))
}

/// Submits an answer. If the answer is refused, or cannot be saved for a transient reason, shows the reason on the same
/// page and asks again.
fn submit_answer(
    app: &mut AppContext,
    session: &mut RunningStudySession<'_>,
    clock: &mut SessionClock,
    input: &ParticipantInput,
) -> Result {
    let keys = app.keys();
    let mut input = input.clone();
    loop {
        let refused = session.answer_now(&input, clock);
        let Some(why) = refused.map_err(|error| participant_failure(&error))? else {
            return Ok(());
        };
        let mut now = clock.clone();
        let words = session.participant_terminal_words();
        let mut screen = StudyPageScreen::new(session.current_page(), words, &mut now, &keys);
        screen.show_note(why);
        let outcome = app.show(&mut screen)?;
        drop(screen);
        *clock = now;
        match outcome {
            StudyPageOutcome::Input(again) => input = again,
            StudyPageOutcome::Gone => return Ok(()),
        }
    }
}

/// Returns the error that ends a participant's session. Its text contains no paths and no items; `--log` has the
/// details.
pub fn participant_failure(error: &StudyError) -> CommandFailure {
    tracing::error!(%error, "a participant was refused");
    let text = error.message_for_participant();
    if error.is_transient() {
        CommandFailure::System(text)
    } else {
        CommandFailure::Input(text)
    }
}
