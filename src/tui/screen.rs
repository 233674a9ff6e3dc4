//! The trait of all screens, and the loop that runs them.
//!
//! Entry point: [`run`] shows a [`Screen`] on the [`Terminal`] until it ends, and returns the user's decision. The
//! caller prints, saves and starts the next debate. The screens themselves are in the modules `menu` and `debate`.
//!
//! A screen is a value that handles keys and draws itself into a buffer, so tests need no terminal. The loop draws only
//! after an event: it sleeps until a message arrives, and sets a deadline only during autoplay or a background
//! computation.

mod help;
mod interface;
mod overlay;
mod palette;

use std::io;

use super::input::{Inbox, Message};
use super::terminal::{EndReason, Terminal};
use super::theme::{ASCII, Appearance, UNICODE};
use crate::tui::keys;
use crate::tui::keys::Action;
use debate_core::text::replace_unsafe_multiline;

pub(super) use interface::draw_in_ascii;
pub use interface::{
    AppRequest, Effect, MIN_SCREEN_SIZE, Screen, ScreenBase, ScreenExt, ScreenInput, ScreenParts,
    ScreenReference, Timer,
};
pub(super) use interface::{
    draw_footer, draw_search_line, draw_title, draw_typed_line, page_areas,
};
pub use overlay::Overlay;

/// The result of running a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScreenResult<O> {
    /// The screen ended with this outcome.
    Outcome(O),
    /// The screen requests something that other code must do. It can be shown again afterwards.
    AppRequest(AppRequest),
}

/// The last announcement for screen readers: the screen's or overlay's text with its marked item, and the note in place
/// of the key hints.
type Announcement = [Option<String>; 2];

/// Returns the changes on a screen since the last announcement, in words.
fn news_in_words<S: Screen>(screen: &mut S, before: &mut Announcement) -> Option<String> {
    let parts = screen.shared_parts();
    let (over, note) = (
        parts.overlay.screen_reader_text(parts.keys),
        parts.note.clone(),
    );
    let now = [over.or_else(|| screen.screen_reader_text()), note];
    let changed = (now.iter().zip(before.iter()))
        .filter(|(now, before)| now != before)
        .filter_map(|(now, _)| now.as_deref())
        .map(|words| replace_unsafe_multiline(words).into_owned());
    let news: Vec<String> = screen.news().into_iter().chain(changed).collect();
    *before = now;
    (!news.is_empty()).then(|| news.join("\n"))
}

/// Runs a screen until it ends or a request leaves it. After Ctrl-C, or if the terminal is gone, this screen and all
/// others end at once, and [`Terminal::end_reason`] gives the reason.
///
/// # Errors
/// Returns an error if the terminal no longer accepts output.
pub fn run<S: Screen, T>(
    terminal: &mut dyn Terminal,
    inbox: &mut Inbox<T>,
    screen: &mut S,
    look: &mut Appearance,
) -> io::Result<ScreenResult<S::Outcome>> {
    let mut announcement = Announcement::default();
    while terminal.end_reason().is_none() {
        terminal.draw(&mut |buffer, area| screen.draw(look, buffer, area))?;
        if screen.take_bell() {
            terminal.ring()?;
        }
        if terminal.has_screen_reader()
            && let Some(words) = news_in_words(screen, &mut announcement)
        {
            terminal.speak(&words)?;
        }
        let mut awake = false;
        let deadline = screen.timer().and_then(|timer| timer.deadline());
        for message in inbox.wait(deadline) {
            awake = true;
            let effect = match message {
                Message::Key(key) => screen.key(key),
                Message::Mouse(event) => screen.mouse(event),
                Message::Paste(text) => screen.paste(&text),
                Message::Share => match screen.copy_or_export(Action::CopyCommand) {
                    Effect::None => {
                        let why = keys::unavailable_reason(
                            keys::SEEDED.or(keys::REPEATABLE),
                            screen.context_with_shared_facts().facts,
                        );
                        screen.show_note(format!("Cannot share now: {why}."));
                        Effect::None
                    }
                    shared => shared,
                },
                Message::Closed => {
                    terminal.end(EndReason::HungUp);
                    break;
                }
                Message::Other(_) => screen.try_input(ScreenInput::Signal),
                Message::Resized | Message::Resumed => Effect::None,
            };
            match effect {
                Effect::None => {}
                Effect::Theme => {
                    look.theme = look.theme.next();
                    screen.show_note(format!("Colours: {}.", look.theme.name()));
                }
                Effect::Ascii => {
                    look.glyphs = if look.glyphs.unicode {
                        &ASCII
                    } else {
                        &UNICODE
                    };
                }
                Effect::Mouse => {
                    let on = terminal.toggle_mouse()?;
                    screen.show_note(format!("The mouse is {}.", if on { "on" } else { "off" }));
                }
                Effect::Suspend => terminal.suspend(),
                Effect::Copy(text) => {
                    let sent = terminal.copy(&text)?;
                    screen.show_note(sent.unwrap_or("Too long for the clipboard.").to_owned());
                }
                Effect::Interrupt => {
                    terminal.end(EndReason::Interrupted);
                    break;
                }
                Effect::AppRequest(errand) => return Ok(ScreenResult::AppRequest(errand)),
                Effect::Leave(outcome) => return Ok(ScreenResult::Outcome(outcome)),
            }
        }
        if !awake && let Some(timer) = screen.timer() {
            timer.wake();
        }
    }
    Ok(ScreenResult::Outcome(screen.outcome_if_closed()))
}
