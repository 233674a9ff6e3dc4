//! The trait of all screens, and the loop that runs them.
//!
//! Entry point: [`run`] shows a [`Screen`] on the [`Terminal`] until it ends, and returns the user's decision. The
//! caller prints, saves and starts the next debate. The screens themselves are in the modules `menu` and `debate`.
//!
//! A screen is a value that handles keys and draws itself into a buffer, so tests need no terminal. The loop draws only
//! after an event: it sleeps until a message arrives, and sets a deadline only if the screen changes without input, as
//! during autoplay, an animation or a background computation.

mod help;
mod overlay;
mod palette;

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use super::input::{MainLoopInbox, MainLoopMessage};
use super::terminal::{ScreensClosedReason, Terminal};
use super::theme::{ASCII, ScreenAppearance, TextRole, UNICODE, ascii_replacement};
use crate::tui::actions::{FooterHint, KeyMap, KeyPress, ScreenKeyContext};
use crate::tui::keys;
use crate::tui::keys::{
    AWAY, Action, HELP, HOME, KEPT, NO_CLICK_QUITS, REPEATABLE, SEEDED, SPEAKING, SPEECH,
    purpose_of_context,
};
use crate::tui::widget::text_input::TextInput;
use crate::tui::widget::{Canvas, measure};
use debate_core::text::replace_unsafe_multiline;
use debate_host::plan::ReproductionInfo;

pub use overlay::Overlay;
use overlay::OverlayEventResult;

/// The smallest terminal size in columns and rows at which screens are drawn.
pub const MIN_SCREEN_SIZE: (u16, u16) = (40, 12);

/// An effect of the user's input that the main loop carries out for the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScreenEffect<O> {
    /// No effect.
    None,
    /// Switches to the next colour theme.
    Theme,
    /// Switches between ASCII and Unicode symbols.
    Ascii,
    /// Switches the use of the mouse on or off.
    Mouse,
    /// Suspends the program and shows the shell. The shell's command `fg` continues the program.
    Suspend,
    /// Copies this text to the clipboard.
    Copy(String),
    /// The screen asks the application to carry out this request, such as changing the settings, and may be shown again
    /// afterwards.
    AppRequest(AppRequest),
    /// Closes all screens.
    Interrupt,
    /// Closes the screen with this outcome.
    Leave(O),
}

/// A request of the user that the application carries out, not the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppRequest {
    /// Go to the home screen.
    Home,
    /// Change the settings, then return.
    Settings,
    /// Write the debate of this save to a file in another format. The application then shows the same screen again.
    Export(PathBuf),
}

/// The state that every screen of the program has: the open overlay, the key map, and the note shown instead of the key
/// hints.
pub struct ScreenBase<'k> {
    pub overlay: Overlay,
    pub keys: &'k KeyMap<Action>,
    pub note: Option<String>,
}

/// The overlay, the key map and the note of a screen, borrowed from the screen.
pub struct BorrowedScreenParts<'s> {
    pub overlay: &'s mut Overlay,
    pub keys: &'s KeyMap<Action>,
    pub note: &'s mut Option<String>,
    /// True if the user is typing a line, which is shown in place of the key hints.
    pub is_typing: bool,
}

impl<'s> BorrowedScreenParts<'s> {
    pub fn new(
        overlay: &'s mut Overlay,
        keys: &'s KeyMap<Action>,
        note: &'s mut Option<String>,
    ) -> Self {
        Self {
            overlay,
            keys,
            note,
            is_typing: false,
        }
    }

    /// Sets whether the user is typing a line in place of the key hints.
    #[must_use]
    pub fn typing(mut self, is_typing: bool) -> Self {
        self.is_typing = is_typing;
        self
    }
}

impl<'k> ScreenBase<'k> {
    /// Returns the shared parts of a screen, without overlay and note.
    pub fn new(keys: &'k KeyMap<Action>) -> Self {
        let overlay = Overlay::default();
        let note = None;
        Self {
            overlay,
            keys,
            note,
        }
    }

    pub fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        BorrowedScreenParts::new(&mut self.overlay, self.keys, &mut self.note)
    }

    /// Draws the last line.
    pub fn draw_footer(&self, context: ScreenKeyContext, canvas: &mut Canvas<'_>, area: Rect) {
        draw_footer(self.note.as_deref(), self.keys, context, canvas, area);
    }
}

/// An input that is passed to a screen itself, not as the action of a key: for example a typed line, a key without an
/// action, a mouse event, or a message of another thread.
#[derive(Clone, Copy, Debug)]
pub enum UnmappedScreenInput<'i> {
    /// A key that no overlay has handled, before its action is looked up. A line that the user is typing takes it.
    Typed(KeyEvent),
    /// A key press that has no binding in the panel with the focus, or whose action is not possible now.
    Unbound(KeyEvent),
    /// A click, a drag or a turn of the wheel, if no overlay covers the screen.
    Mouse(MouseEvent),
    /// A pasted text, if no overlay covers the screen.
    Paste(&'i str),
    /// The user picked this action in an overlay, such as the command palette or the help. Sent before the action is
    /// carried out, so that the panel with the action can take the focus.
    Palette(Action),
    /// Another thread has a message for the screen.
    Signal,
}

/// The texts for a screen's help page, and the command, seed and save with which its debate can be repeated.
#[derive(Clone, Debug, Default)]
pub struct ScreenHelpAndReproduction {
    /// The help text of the panel that has the focus. The help page replaces names of actions in braces by their keys.
    pub panel: String,
    /// The help text of the scenario.
    pub scenario: String,
    /// The command, seed and save of the debate that is shown or marked.
    pub reproduction: Option<ReproductionInfo>,
}

/// The purpose of the editor in which a judge writes to the debaters.
const PURPOSE_OF_JUDGES_TEXT: &str = "Your text to the debaters: ask a question, or send no text. Enter begins a new line, {send-speech} sends the text. Letters are text here, so {commands-on-writing} opens a list of the other actions, for example undo.";

impl ScreenHelpAndReproduction {
    /// Returns the help text of the focused panel, with neither a scenario nor a debate to repeat. Screens of debates
    /// add these two fields.
    pub fn help_with_purpose_of_focused_panel(context: ScreenKeyContext) -> Self {
        // Without quotes the text is a judge's, who argues for no answer.
        let is_judge = context.context.intersects(SPEECH) && !context.facts.contains_all(SPEAKING);
        let purpose = if is_judge {
            PURPOSE_OF_JUDGES_TEXT
        } else {
            purpose_of_context(context.context)
        };
        Self {
            panel: purpose.to_owned(),
            ..Self::default()
        }
    }
}

/// A screen that changes at a given time without input from the user.
pub trait ScreenWithTimedUpdates {
    /// Returns the time of the screen's next change; `None` if none is scheduled.
    fn deadline(&self) -> Option<Instant>;
    /// Makes the screen's next change. The main loop calls this method when the deadline has passed.
    fn wake(&mut self);
}

/// A screen of the program: handles inputs, draws itself, and returns effects for the main loop.
///
/// A screen states which keys have an action now ([`Screen::screen_context`]) and carries actions out
/// ([`Screen::act`]). [`ScreenExt`] adds the help, the command palette and the actions of all screens.
pub trait Screen {
    /// The user's decision.
    type Outcome: Default;

    /// Draws the screen itself.
    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect);
    /// Returns the focused panel and the current facts, which decide which keys have an action.
    fn screen_context(&self) -> ScreenKeyContext;
    /// Returns the overlay, the keys and the note, which every screen has.
    fn shared_parts(&mut self) -> BorrowedScreenParts<'_>;
    /// Carries out an action of this screen.
    fn act(&mut self, action: Action) -> ScreenEffect<Self::Outcome>;
    /// Returns the text for screen readers: the text on the screen and its marked item. It is spoken whenever it
    /// changes. `None` if [`Screen::news`] covers it.
    fn screen_reader_text(&self) -> Option<String>;

    /// Handles an input that has no action. Returns `None` if the screen has no use for it.
    fn input(&mut self, _input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        None
    }
    /// Called after the user has closed the help, the palette or a page over this screen.
    fn overlay_closed(&mut self) {}
    /// Returns the debate's events since the last call and the pending question, for screen readers, in the sentences
    /// of plain mode.
    fn news(&mut self) -> Option<String> {
        None
    }
    /// Returns true once if the terminal bell must ring.
    fn take_bell(&mut self) -> bool {
        false
    }
    /// Returns the texts for the help page, and the command, seed and save with which the debate can be repeated.
    fn reference(&self) -> ScreenHelpAndReproduction {
        ScreenHelpAndReproduction::help_with_purpose_of_focused_panel(self.screen_context())
    }
    /// Returns the timer of a screen that changes without input; `None` for other screens.
    fn timer(&mut self) -> Option<&mut dyn ScreenWithTimedUpdates> {
        None
    }
    /// Handles the request for the home screen. A screen may first ask for confirmation.
    fn go_home(&mut self) -> ScreenEffect<Self::Outcome> {
        ScreenEffect::AppRequest(AppRequest::Home)
    }
    /// Returns the outcome of the screen if Ctrl-C or a closed terminal ends it.
    fn outcome_if_closed(&self) -> Self::Outcome {
        Self::Outcome::default()
    }
}

/// Methods that all screens share, such as those for the help, the command palette and the mouse.
pub trait ScreenExt: Screen {
    /// Returns the screen's context, with the additional facts on which actions of all screens depend.
    fn context_with_shared_facts(&self) -> ScreenKeyContext {
        let mut context = self.screen_context();
        let reproduction = self.reference().reproduction.unwrap_or_default();
        context.facts = context.facts
            | AWAY.only_if(!context.context.intersects(HOME))
            | SEEDED.only_if(reproduction.seed.is_some())
            | REPEATABLE.only_if(reproduction.command.is_some())
            | KEPT.only_if(reproduction.save.is_some());
        context
    }

    /// Draws the screen and the overlay over it.
    fn draw(&mut self, look: &ScreenAppearance, buffer: &mut Buffer, area: Rect) {
        let canvas = &mut Canvas::new(look, buffer);
        if !too_small(canvas, area) {
            self.render(canvas, area);
            let BorrowedScreenParts { overlay, keys, .. } = self.shared_parts();
            overlay.draw(keys, canvas, area);
            replace_unsupported_characters(canvas);
        }
        look.fill_uncoloured_cells(canvas.buffer);
    }

    /// Handles a key.
    fn key(&mut self, event: KeyEvent) -> ScreenEffect<Self::Outcome> {
        *self.shared_parts().note = None;
        let context = self.context_with_shared_facts();
        let BorrowedScreenParts { keys, .. } = self.shared_parts();
        let key = KeyPress::from(event);
        // Ctrl-C interrupts even during a question, a typed line or the help.
        if key.character().is_none()
            && keys.action_of_key(context.context | HELP, context.facts, key)
                == Some(Action::Interrupt)
        {
            return ScreenEffect::Interrupt;
        }
        match self.pass_to_overlay(|overlay, keys| overlay.key(event, keys)) {
            OverlayEventResult::Ignored => {}
            OverlayEventResult::Consumed => return ScreenEffect::None,
            OverlayEventResult::Action(action) => return self.pick(action),
        }
        if let Some(effect) = self.input(UnmappedScreenInput::Typed(event)) {
            return effect;
        }
        let context = self.context_with_shared_facts();
        let keys = self.shared_parts().keys;
        match keys.action_of_key(context.context, context.facts, key) {
            Some(action) => self.perform(action),
            None => self.try_input(UnmappedScreenInput::Unbound(event)),
        }
    }

    /// Passes an event to the overlay. Calls `overlay_closed` on the screen if the event closed the overlay.
    fn pass_to_overlay(
        &mut self,
        handle: impl FnOnce(&mut Overlay, &KeyMap<Action>) -> OverlayEventResult,
    ) -> OverlayEventResult {
        let BorrowedScreenParts { overlay, keys, .. } = self.shared_parts();
        let was_open = overlay.is_overlay_open();
        let result = handle(overlay, keys);
        if was_open && !overlay.is_overlay_open() {
            self.overlay_closed();
        }
        result
    }

    /// Handles a mouse event. A click on a key hint has the effect of the key, unless the action quits: then the click
    /// only shows a note.
    fn mouse(&mut self, event: MouseEvent) -> ScreenEffect<Self::Outcome> {
        let context = self.context_with_shared_facts();
        let BorrowedScreenParts {
            overlay,
            keys,
            note,
            is_typing,
        } = self.shared_parts();
        let presses = event.kind == MouseEventKind::Down(MouseButton::Left);
        // A click clears the note, as a key does, and the hints appear again.
        let notice = presses.then(|| note.take()).flatten();
        if presses
            && !is_typing
            && notice.is_none()
            && let Some(hint) = overlay.hint_at(event, keys, context)
        {
            if hint.id.is_quit_or_interrupt() {
                *note = Some(NO_CLICK_QUITS.to_owned());
                return ScreenEffect::None;
            }
            return self.key(hint.pressed.into());
        }
        match self.pass_to_overlay(|overlay, keys| overlay.mouse(event, keys)) {
            OverlayEventResult::Ignored => self.try_input(UnmappedScreenInput::Mouse(event)),
            OverlayEventResult::Consumed => ScreenEffect::None,
            OverlayEventResult::Action(action) => self.pick(action),
        }
    }

    /// Handles a pasted text.
    fn paste(&mut self, text: &str) -> ScreenEffect<Self::Outcome> {
        if self.shared_parts().overlay.paste_if_overlay_open(text) {
            return ScreenEffect::None;
        }
        self.try_input(UnmappedScreenInput::Paste(text))
    }

    /// Passes an input to the screen. Returns no effect if the screen has no use for it.
    fn try_input(&mut self, input: UnmappedScreenInput<'_>) -> ScreenEffect<Self::Outcome> {
        self.input(input).unwrap_or(ScreenEffect::None)
    }

    /// Carries out an action that the user picked in an overlay.
    fn pick(&mut self, action: Action) -> ScreenEffect<Self::Outcome> {
        self.try_input(UnmappedScreenInput::Palette(action));
        self.perform(action)
    }

    /// Carries out an action: one of this screen, or one that all screens have.
    fn perform(&mut self, action: Action) -> ScreenEffect<Self::Outcome> {
        match action {
            Action::Help => {
                let context = self.context_with_shared_facts();
                let ScreenHelpAndReproduction {
                    panel, scenario, ..
                } = self.reference();
                let BorrowedScreenParts { overlay, keys, .. } = self.shared_parts();
                overlay.open_help(keys, context, &[panel, scenario]);
            }
            Action::Palette => {
                let context = self.context_with_shared_facts();
                self.shared_parts().overlay.open_command_palette(context);
            }
            Action::Theme => return ScreenEffect::Theme,
            Action::Ascii => return ScreenEffect::Ascii,
            Action::Mouse => return ScreenEffect::Mouse,
            Action::Suspend => return ScreenEffect::Suspend,
            Action::Interrupt => return ScreenEffect::Interrupt,
            Action::Home => return self.go_home(),
            Action::Settings => return ScreenEffect::AppRequest(AppRequest::Settings),
            Action::Export | Action::CopySeed | Action::CopyCommand => {
                return self.copy_or_export(action);
            }
            _ => return self.act(action),
        }
        ScreenEffect::None
    }

    /// Copies the seed or the command of the debate to the clipboard, or exports the debate to a file.
    fn copy_or_export(&mut self, action: Action) -> ScreenEffect<Self::Outcome> {
        let reproduction = self.reference().reproduction.unwrap_or_default();
        let taken = match action {
            Action::Export => reproduction
                .save
                .map(|save| ScreenEffect::AppRequest(AppRequest::Export(save))),
            Action::CopySeed => reproduction.seed.map(ScreenEffect::Copy),
            _ => reproduction.command.map(ScreenEffect::Copy),
        };
        taken.unwrap_or(ScreenEffect::None)
    }

    /// Shows a note in place of the key hints, until the next key press or click.
    fn show_note(&mut self, words: String) {
        *self.shared_parts().note = Some(words);
    }
}

impl<S: Screen + ?Sized> ScreenExt for S {}

/// The reason why [`run`] ended: the screen has an outcome, or it requests an action of the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScreenOutcomeOrAppRequest<O> {
    /// The screen ended with this outcome.
    Outcome(O),
    /// The screen requests an action of the application. The screen can be shown again afterwards.
    AppRequest(AppRequest),
}

/// The last announcement for screen readers: the text of the screen or the overlay with its marked item, and the note
/// in place of the key hints.
type Announcement = [Option<String>; 2];

/// Returns the changes on a screen since the last announcement, as a text for screen readers.
fn screen_reader_news<S: Screen>(screen: &mut S, before: &mut Announcement) -> Option<String> {
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

/// Runs a screen until it ends or leaves with a request. After Ctrl-C, or if the terminal is gone, all screens end at
/// once, and [`Terminal::end_reason`] gives the reason.
///
/// # Errors
/// Returns an error if the terminal no longer accepts output.
pub fn run<S: Screen, T>(
    terminal: &mut dyn Terminal,
    inbox: &mut MainLoopInbox<T>,
    screen: &mut S,
    look: &mut ScreenAppearance,
) -> io::Result<ScreenOutcomeOrAppRequest<S::Outcome>> {
    let mut announcement = Announcement::default();
    while terminal.end_reason().is_none() {
        terminal.draw(&mut |buffer, area| screen.draw(look, buffer, area))?;
        if screen.take_bell() {
            terminal.ring()?;
        }
        if terminal.has_screen_reader()
            && let Some(words) = screen_reader_news(screen, &mut announcement)
        {
            terminal.speak(&words)?;
        }
        let mut awake = false;
        let deadline = screen.timer().and_then(|timer| timer.deadline());
        for message in inbox.wait(deadline) {
            awake = true;
            let effect = match message {
                MainLoopMessage::Key(key) => screen.key(key),
                MainLoopMessage::Mouse(event) => screen.mouse(event),
                MainLoopMessage::Paste(text) => screen.paste(&text),
                MainLoopMessage::Share => match screen.copy_or_export(Action::CopyCommand) {
                    ScreenEffect::None => {
                        let why = keys::unavailable_reason(
                            keys::SEEDED.or(keys::REPEATABLE),
                            screen.context_with_shared_facts().facts,
                        );
                        screen.show_note(format!("Cannot share now: {why}."));
                        ScreenEffect::None
                    }
                    shared => shared,
                },
                MainLoopMessage::Closed => {
                    terminal.end(ScreensClosedReason::HungUp);
                    break;
                }
                MainLoopMessage::Other(_) => screen.try_input(UnmappedScreenInput::Signal),
                MainLoopMessage::Resized | MainLoopMessage::Resumed => ScreenEffect::None,
            };
            match effect {
                ScreenEffect::None => {}
                ScreenEffect::Theme => {
                    look.theme = look.theme.next_theme();
                    screen.show_note(format!("Colours: {}.", look.theme.theme_name()));
                }
                ScreenEffect::Ascii => {
                    look.glyphs = if look.glyphs.unicode {
                        &ASCII
                    } else {
                        &UNICODE
                    };
                }
                ScreenEffect::Mouse => {
                    let on = terminal.toggle_mouse()?;
                    screen.show_note(format!("The mouse is {}.", if on { "on" } else { "off" }));
                }
                ScreenEffect::Suspend => terminal.suspend(),
                ScreenEffect::Copy(text) => {
                    let sent = terminal.copy(&text)?;
                    screen.show_note(
                        sent.unwrap_or("The text is too long for the clipboard.")
                            .to_owned(),
                    );
                }
                ScreenEffect::Interrupt => {
                    terminal.end(ScreensClosedReason::Interrupted);
                    break;
                }
                ScreenEffect::AppRequest(errand) => {
                    return Ok(ScreenOutcomeOrAppRequest::AppRequest(errand));
                }
                ScreenEffect::Leave(outcome) => {
                    return Ok(ScreenOutcomeOrAppRequest::Outcome(outcome));
                }
            }
        }
        if !awake && let Some(timer) = screen.timer() {
            timer.wake();
        }
    }
    Ok(ScreenOutcomeOrAppRequest::Outcome(
        screen.outcome_if_closed(),
    ))
}

/// Draws a notice if the terminal is smaller than the minimum size. Returns true if it is.
fn too_small(canvas: &mut Canvas<'_>, area: Rect) -> bool {
    if area.width >= MIN_SCREEN_SIZE.0 && area.height >= MIN_SCREEN_SIZE.1 {
        return false;
    }
    let notice = format!(
        "The screen needs {columns} columns and {rows} rows; the window has {width} and {height}. Make the window larger, or press q.",
        columns = MIN_SCREEN_SIZE.0,
        rows = MIN_SCREEN_SIZE.1,
        width = area.width,
        height = area.height
    );
    canvas.draw_text_wrapped(&notice, TextRole::Text, area);
    true
}

/// Replaces typographic characters on the screen if the terminal shows only ASCII. Letters of other scripts stay,
/// because a claim in them has no other form.
pub(super) fn replace_unsupported_characters(canvas: &mut Canvas<'_>) {
    if canvas.look.glyphs.unicode {
        return;
    }
    for cell in &mut canvas.buffer.content {
        if let Some(plain) = ascii_replacement(cell.symbol()) {
            cell.set_symbol(plain);
        }
    }
}

/// Divides the area of a screen into the title line, the body and the footer.
pub(super) fn page_areas(area: Rect) -> [Rect; 3] {
    Layout::vertical([Length(1), Fill(1), Length(1)]).areas(area)
}

/// Draws the title line of a screen. A title that is too long is cut off.
pub(super) fn draw_title(title: &str, canvas: &mut Canvas<'_>, area: Rect) {
    let room = measure::first_columns(area, area.width.saturating_sub(1));
    canvas.draw_text_clipped(&format!(" {title}"), TextRole::Title, room);
}

/// Draws the last line of a screen: the note, or else the hints for the keys that currently have an action.
pub(super) fn draw_footer(
    note: Option<&str>,
    keys: &KeyMap<Action>,
    context: ScreenKeyContext,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let look = canvas.look;
    if let Some(note) = note {
        canvas.draw_text_clipped(&format!(" {note}"), TextRole::Warning, area);
        return;
    }
    for (hint, area) in hint_areas(keys, context, &look, area) {
        let drawn = canvas.draw_text_line(&hint.key, TextRole::Key, area);
        let word = measure::skip_columns(area, drawn + 1);
        canvas.draw_text_line(&hint.word, TextRole::Faint, word);
    }
}

/// Draws the last line of a screen while the user types a search term.
pub(super) fn draw_search_line(line: &TextInput, canvas: &mut Canvas<'_>, area: Rect) {
    draw_typed_line("Search", "enter searches, esc cancels", line, canvas, area);
}

/// Draws a line that the user is typing, with its name before it and its keys after it.
pub(super) fn draw_typed_line(
    name: &str,
    keys: &str,
    line: &TextInput,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let taken = measure::width(name) + measure::width(keys) + 9;
    let room = usize::from(area.width).saturating_sub(taken).max(8);
    let typed = line.visible_text(room);
    let text = format!(" {name}: {typed}   ({keys})");
    canvas.draw_text_line(&text, TextRole::Title, area);
}

/// Returns the footer's key hints with their areas, for drawing and for clicks.
fn hint_areas(
    keys: &KeyMap<Action>,
    context: ScreenKeyContext,
    look: &ScreenAppearance,
    area: Rect,
) -> Vec<(FooterHint<Action>, Rect)> {
    let mut room = measure::skip_columns(area, 1);
    let columns = room.width.into();
    let mut areas = Vec::new();
    for hint in keys.hints(context.context, context.facts, look.glyphs.unicode, columns) {
        let width = measure::to_u16_saturating(hint.width_in_columns()).min(room.width);
        areas.push((hint, Rect { width, ..room }));
        room = measure::skip_columns(room, width + 2);
    }
    areas
}
