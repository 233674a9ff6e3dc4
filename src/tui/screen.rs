//! The screens of a debate, and the loop that all of them share.
//!
//! Where to start: [`Chooser`] asks which seat to take, [`Debate`] plays a debate to its end or
//! until the user leaves, [`Replay`] walks through one that was played. [`run`] shows a screen on
//! the [`Terminal`] until it ends, and returns what the user decided; printing, saving and starting
//! the next debate are the caller's.
//!
//! A screen is a value that takes keys and draws itself into a buffer, so that tests need no
//! terminal. Nothing is drawn without a cause: the loop sleeps until something arrives, and a
//! deadline is set only while a debate plays by itself or something is computed on the side.

mod chooser;
mod compare;
mod debate;
mod form;
mod help;
mod home;
mod interface;
pub mod keys;
mod lecture;
mod next_steps;
mod overlay;
mod palette;
mod panels;
mod rejudge;
mod replay;
mod study;
mod study_status;
mod tasks;
mod waiting;

use std::io;
use std::path::PathBuf;

use ratatui::{buffer::Buffer, layout::Rect};

use super::input::{Inbox, Message};
use super::terminal::{EndReason, Terminal};
use super::theme::{ASCII, Appearance, UNICODE, in_ascii};
use debate_core::text::safe_multiline;

pub use chooser::{Chooser, ChooserModel, SeatChoice};
pub use compare::{Compare, ComparedDebate, ComparedPair};
pub use debate::{Debate, DebateOutcome};
pub use form::{Field, Form, FormModel, FormOutcome};
pub use home::{Home, HomeItem, HomeModel, HomeOutcome, HomeSection, ItemProgress, Preview};
pub use interface::{Screen, ScreenContext};
pub use keys::Action;
pub use lecture::{Lecture, LessonOutcome, Paragraphs};
pub use next_steps::NextSteps;
pub use overlay::Overlay;
pub use rejudge::{KeepJudgement, Rejudge, RejudgeOutcome};
pub use replay::{Replay, ReplayOutcome};
pub use study::{ReadingPlace, StudyOutcome, StudyPage};
pub use study_status::StudyStatusScreen;
pub use waiting::Waiting;

/// The smallest size at which a screen is drawn.
pub const SMALLEST: (u16, u16) = (40, 12);

/// An effect that the loop carries out for a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect<O> {
    /// Nothing.
    None,
    /// The next colours.
    Theme,
    /// ASCII signs or Unicode ones.
    Ascii,
    /// The mouse on or off.
    Mouse,
    /// The terminal to the shell.
    Suspend,
    /// This text to the clipboard.
    Copy(String),
    /// Something for which the screen is left for a while, or for good.
    Errand(Errand),
    /// The end of all screens.
    Interrupt,
    /// The end of the screen, with what came of it.
    Leave(O),
}

/// What can be asked for on any screen, and is no screen's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Errand {
    /// To go home.
    Home,
    /// To change the settings, and to come back.
    Settings,
    /// To write the debate of this save to a file, and to come back.
    Export(PathBuf),
}

/// Why a screen is no longer shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended<O> {
    /// It ended, with what came of it.
    Outcome(O),
    /// It can be shown again once this is done.
    Errand(Errand),
}

/// What a screen said last: where the user stands, there or in what lies over it, and what is said in the place of the key
/// hints.
type Told = [Option<String>; 2];

/// What is new on a screen, in words.
fn news_in_words<S: Screen>(screen: &mut S, told: &mut Told) -> Option<String> {
    let (overlay, keys) = screen.overlay();
    let over = overlay.in_words(keys);
    let now = [over.or_else(|| screen.standing()), screen.said().clone()];
    let changed = (now.iter().zip(told.iter())).filter(|(now, before)| now != before);
    let changed = changed.filter_map(|(now, _)| now.as_deref());
    let changed = changed.map(|words| safe_multiline(words).into_owned());
    let news: Vec<String> = screen.spoken().into_iter().chain(changed).collect();
    *told = now;
    (!news.is_empty()).then(|| news.join("\n"))
}

/// Runs a screen until it ends, or an errand takes the user away from it. After Ctrl-C, and where the terminal is gone, it and every other
/// screen end at once; [`Terminal::ended`] says so.
///
/// # Errors
/// If the terminal does not take the picture any more.
pub fn run<S: Screen, T>(
    terminal: &mut dyn Terminal,
    inbox: &mut Inbox<T>,
    screen: &mut S,
    look: &mut Appearance,
) -> io::Result<Ended<S::Outcome>> {
    let mut told = Told::default();
    while terminal.ended().is_none() {
        terminal.draw(&mut |buffer, area| screen.draw(look, buffer, area))?;
        if terminal.speaks()
            && let Some(words) = news_in_words(screen, &mut told)
        {
            terminal.speak(&words)?;
        }
        let mut awake = false;
        for message in inbox.wait(screen.deadline()) {
            awake = true;
            let effect = match message {
                Message::Key(key) => screen.key(key),
                Message::Mouse(event) => screen.mouse(event),
                Message::Paste(text) => {
                    screen.paste(&text);
                    Effect::None
                }
                Message::Share => match screen.take_along(Action::CopyCommand) {
                    Effect::None => {
                        let why =
                            keys::reason(keys::SEEDED.or(keys::REPEATABLE), screen.here().facts);
                        screen.say(format!("Nothing is shared now: {why}."));
                        Effect::None
                    }
                    shared => shared,
                },
                Message::Closed => {
                    terminal.end(EndReason::HungUp);
                    break;
                }
                Message::Other(_) => screen.woken(),
                Message::Resized | Message::Resumed => Effect::None,
            };
            match effect {
                Effect::None => {}
                Effect::Theme => {
                    look.theme = look.theme.next();
                    screen.say(format!("Colours: {}.", look.theme.name()));
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
                    screen.say(format!("The mouse is {}.", if on { "on" } else { "off" }));
                }
                Effect::Suspend => terminal.suspend(),
                Effect::Copy(text) => {
                    let sent = terminal.copy(&text)?;
                    screen.say(sent.unwrap_or("Too long for the clipboard.").to_owned());
                }
                Effect::Interrupt => {
                    terminal.end(EndReason::Interrupted);
                    break;
                }
                Effect::Errand(errand) => return Ok(Ended::Errand(errand)),
                Effect::Leave(outcome) => return Ok(Ended::Outcome(outcome)),
            }
        }
        if !awake {
            screen.wake();
        }
    }
    Ok(Ended::Outcome(screen.gone()))
}

/// Draws a notice where the screen is too small; says whether it is.
fn too_small(look: &Appearance, buffer: &mut Buffer, area: Rect) -> bool {
    use super::panel::measure;
    use super::theme::StyleRole;
    if area.width >= SMALLEST.0 && area.height >= SMALLEST.1 {
        return false;
    }
    let notice = format!(
        "This needs {} columns and {} rows; here there are {} and {}. Make the window larger, or press q.",
        SMALLEST.0, SMALLEST.1, area.width, area.height
    );
    for (number, line) in measure::wrap(&notice, area.width.into()).iter().enumerate() {
        measure::put(
            line,
            look.style(StyleRole::Text),
            buffer,
            measure::row(area, number),
        );
    }
    true
}

/// Replaces typographic signs where the terminal shows only ASCII. Letters of other scripts stay:
/// a claim in them has no other form.
fn draw_in_ascii(look: &Appearance, buffer: &mut Buffer) {
    if look.glyphs.unicode {
        return;
    }
    for cell in &mut buffer.content {
        if let Some(plain) = in_ascii(cell.symbol()) {
            cell.set_symbol(plain);
        }
    }
}
