//! A participant's session in a study as lines, for screen readers and terminals that cannot draw screens.

use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

use super::super::Result;
use super::super::output::{is_terminal, prompt_and_read_line, stdin, stdout};
use crate::app::{REPLY_DELAY, participant_failure};
use debate_core::text::{replace_unsafe_characters, replace_unsafe_multiline};
use debate_study::{
    ParticipantInput, RunningStudySession, SessionClock, Study, StudySessionPage, completion_codes,
    start_or_resume,
};

/// The interval between two checks of a page on which the participant waits.
const WAIT_PAUSE: Duration = Duration::from_secs(1);
/// The maximum length of a participant's line, in bytes.
const MAX_LINE: u64 = 64 * 1024;

/// Shows one page after another until the participant's session is over or paused, or until the input ends.
pub(super) fn run_session_in_plain_lines(
    study: &Study,
    id: Option<&str>,
    language: Option<&str>,
) -> Result {
    let (mut session, mut clock) = start_or_resume(study, id, completion_codes(study))
        .map_err(|error| participant_failure(&error))?;
    if let Some(language) = language {
        session
            .choose_language(language, &clock.record_key_press_times())
            .map_err(|error| participant_failure(&error))?;
    }
    let mut input = stdin();
    let mut out = stdout();
    // Answers from a file need no delays, because there is no participant who could measure them.
    let watches = is_terminal(&io::stdin());
    writeln!(
        out,
        "{}",
        session
            .participant_terminal_words()
            .plain_lines_introduction()
    )?;
    let keeper = session.start_page_time_saver(&clock);
    let mut shown = true;
    let mut last: Option<StudySessionPage> = None;
    loop {
        let page = session.current_page();
        // A page that was already read is not printed again for the next question about it.
        let same = |last: &StudySessionPage| {
            last.page.heading == page.page.heading
                && last.page.lines == page.page.lines
                && last.arguments == page.arguments
        };
        if shown && !last.as_ref().is_some_and(same) {
            show(&page, &page.unseen_page_lines(), &mut out)?;
        }
        last = Some(page.clone());
        if page.is_session_over() {
            break;
        }
        if page.polls {
            wait_for_change(&mut session, &clock, &page)?;
            shown = true;
            continue;
        }
        for line in session.participant_terminal_words().request_lines(&page) {
            writeln!(out, "{}", replace_unsafe_multiline(&line))?;
        }
        let Some(line) = prompt_and_read_line(&mut input, MAX_LINE, &mut out)? else {
            break;
        };
        // Bytes that are not UTF-8 are read as replacement characters, so that such a line is no error.
        let line = String::from_utf8_lossy(&line);
        clock.record_key_press();
        shown = false;
        let read = match line.trim() {
            "again" => {
                show(&page, &page.all_plain_text_lines(), &mut out)?;
                continue;
            }
            "q" | "quit" => Ok(ParticipantInput::Leave),
            typed => ParticipantInput::parse_typed_answer(
                typed,
                &page,
                &session.participant_terminal_words(),
            ),
        };
        let answered = Instant::now();
        let refused = match read {
            Ok(input) => session.answer_now(&input, &mut clock),
            Err(why) => Ok(Some(why)),
        };
        match refused.map_err(|error| participant_failure(&error))? {
            None => shown = true,
            Some(why) => writeln!(out, "{}", replace_unsafe_characters(&why))?,
        }
        if session.participant().has_paused_session() {
            break;
        }
        if shown && watches && session.current_page().paced {
            thread::sleep(REPLY_DELAY.saturating_sub(answered.elapsed()));
        }
    }
    keeper.stop_and_save_page_time(&session, &clock);
    if let Some(farewell) = session.session_resume_sentence() {
        writeln!(out, "{farewell}")?;
    }
    Ok(())
}

/// Waits until the page changes.
fn wait_for_change(
    session: &mut RunningStudySession<'_>,
    clock: &SessionClock,
    page: &StudySessionPage,
) -> Result {
    while session.current_page() == *page {
        thread::sleep(WAIT_PAUSE);
        let refreshed = session.end_expired_sessions_and_update_waiting(clock);
        refreshed.map_err(|error| participant_failure(&error))?;
    }
    Ok(())
}

/// Prints the heading of a page, its details and the time left, followed by the given lines. On the last page, then
/// prints the address to which the participant returns.
fn show(page: &StudySessionPage, lines: &[String], out: &mut impl Write) -> Result {
    let heading = replace_unsafe_characters(&page.page.heading);
    writeln!(out, "\n== {heading} ==")?;
    let time_left = page.progress.as_ref().and_then(|it| it.time_left.as_ref());
    let details = Some(&page.details).filter(|details| !details.is_empty());
    let link = page.return_link.as_ref();
    for line in details
        .into_iter()
        .chain(time_left)
        .chain(lines)
        .chain(link)
    {
        writeln!(out, "{}", replace_unsafe_multiline(line))?;
    }
    Ok(())
}
