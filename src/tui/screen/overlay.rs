//! An overlay over a screen: the help, the command palette or a page of text.

use crate::tui::widget::{Canvas, measure};
use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget as _};

use super::help;
use super::palette::{CommandPalette, PaletteResult};
use super::{draw_footer, hint_areas};
use crate::tui::actions::{Contexts, Facts, FooterHint, KeyMap, KeyPress, ScreenKeyContext};
use crate::tui::keys::{
    Action, BRIEFING, COMMANDS, HELP, PANEL_CONTEXTS, UNREAD, opens_help, scroll_text, wheel_lines,
};
use crate::tui::theme::ScreenAppearance;
use crate::tui::widget::scroll::{Entry, Scroll, screen_reader_text};

/// The result of passing an event to the overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayEventResult {
    /// No overlay is open, or the event has closed the open page. The screen must handle the event.
    Ignored,
    /// The overlay handled the event.
    Consumed,
    /// The screen must carry out this action. A command palette has closed; a page can still be open.
    Action(Action),
}

/// The overlay that is open over a screen, if any.
#[derive(Debug, Default)]
pub struct Overlay {
    layer: Option<Layer>,
    /// The briefing that was open when the user opened the help. It is shown again when the help is closed.
    briefing: Option<TextPage>,
    look: ScreenAppearance,
    /// The area of the screen's last line.
    footer: Rect,
}

#[derive(Debug)]
enum Layer {
    Palette(CommandPalette),
    Page(TextPage),
}

/// A text that scrolls.
#[derive(Debug)]
struct TextPage {
    title: String,
    /// The text in two versions: first with the names of keys, then with their Unicode symbols.
    entries: [Vec<Entry>; 2],
    scroll: Scroll,
    /// The action that opened the page. Its key also closes the page. Every other key that has no action on the page
    /// closes it too, and is then passed to the screen. `None` for the help and the briefing, which ignore such keys.
    opened_by: Option<Action>,
    /// The context in which the page's keys are active.
    context: Contexts,
}

impl Overlay {
    /// True if an overlay is open.
    pub(super) fn is_overlay_open(&self) -> bool {
        self.layer.is_some()
    }

    pub(super) fn open_help(
        &mut self,
        keys: &KeyMap<Action>,
        context: ScreenKeyContext,
        about: &[String; 2],
    ) {
        if let Some(Layer::Page(page)) = self.layer.take()
            && page.context == BRIEFING
        {
            self.briefing = Some(page);
        }
        self.layer = Some(Layer::Page(TextPage {
            title: help::HELP_TITLE.to_owned(),
            entries: [false, true].map(|unicode| help::help_entries(keys, context, about, unicode)),
            scroll: Scroll::at_start_without_following(help::KEY_COLUMNS),
            opened_by: None,
            context: HELP,
        }));
    }

    /// Opens a page of text about the current question over the screen.
    pub(in crate::tui) fn open_page(
        &mut self,
        keys: &KeyMap<Action>,
        title: &str,
        entries: Vec<Entry>,
        action: Action,
    ) {
        self.open_layer(keys, title, entries, Some(action), HELP);
    }

    /// Opens the page with the question and the user's briefing, which stays until the user closes it.
    pub(in crate::tui) fn open_briefing(
        &mut self,
        keys: &KeyMap<Action>,
        title: &str,
        entries: Vec<Entry>,
    ) {
        self.open_layer(keys, title, entries, None, BRIEFING);
    }

    fn open_layer(
        &mut self,
        keys: &KeyMap<Action>,
        title: &str,
        entries: Vec<Entry>,
        opened_by: Option<Action>,
        context: Contexts,
    ) {
        let close = keys.key_or_command_name(context, Action::Close);
        let verb = if context == BRIEFING {
            "begins"
        } else {
            "closes"
        };
        self.layer = Some(Layer::Page(TextPage {
            title: format!("{title}: {close} {verb}"),
            entries: [entries.clone(), entries],
            scroll: Scroll::at_start_without_following(0),
            opened_by,
            context,
        }));
    }

    /// Closes the open overlay. If the help was opened over a briefing, the briefing is shown again.
    fn close(&mut self) {
        self.layer = self.briefing.take().map(Layer::Page);
    }

    pub(super) fn open_command_palette(&mut self, context: ScreenKeyContext) {
        self.layer = Some(Layer::Palette(CommandPalette::new(context)));
    }

    pub(super) fn key(&mut self, event: KeyEvent, keys: &KeyMap<Action>) -> OverlayEventResult {
        let context = self.context().unwrap_or_default();
        let action = keys.action_of_key(context, self.facts(), KeyPress::from(event));
        match (&mut self.layer, action) {
            (None, _) => return OverlayEventResult::Ignored,
            (Some(Layer::Palette(palette)), _) => {
                let picked = palette.key(event, keys);
                return self.picked(picked);
            }
            // The key of the help has the action `Close` here. On a page about the question, it shows the help; in the
            // help, it closes the help.
            (Some(Layer::Page(page)), Some(Action::Close))
                if page.opened_by.is_some() && opens_help(keys, event.into()) =>
            {
                return OverlayEventResult::Action(Action::Help);
            }
            (_, Some(Action::Close)) => self.close(),
            (_, Some(action @ (Action::Suspend | Action::Interrupt | Action::Help))) => {
                return OverlayEventResult::Action(action);
            }
            (_, Some(Action::Palette)) => {
                self.layer = None;
                self.briefing = None;
                return OverlayEventResult::Action(Action::Palette);
            }
            (Some(Layer::Page(page)), Some(action)) => {
                let entries = &page.entries[usize::from(self.look.glyphs.unicode)];
                scroll_text(action, &mut page.scroll, entries);
            }
            // A key that scrolls down does nothing at the end of a page.
            (Some(Layer::Page(_)), None)
                if keys
                    .action_of_key(context, Facts::ALL, KeyPress::from(event))
                    .is_some() => {}
            (Some(Layer::Page(page)), None) => {
                if let Some(action) = page.opened_by {
                    self.layer = None;
                    if keys.action_of_key(PANEL_CONTEXTS, Facts::ALL, KeyPress::from(event))
                        != Some(action)
                    {
                        return OverlayEventResult::Ignored;
                    }
                }
            }
        }
        OverlayEventResult::Consumed
    }

    /// Returns the facts about the open overlay that decide which keys have an action.
    fn facts(&self) -> Facts {
        let Some(Layer::Page(page)) = &self.layer else {
            return Facts::NONE;
        };
        let entries = &page.entries[usize::from(self.look.glyphs.unicode)];
        UNREAD.only_if(!page.scroll.is_scrolled_to_end(&entries[..]))
    }

    /// Returns the key contexts of the open overlay; `None` if none is open.
    fn context(&self) -> Option<Contexts> {
        Some(match self.layer.as_ref()? {
            Layer::Palette(_) => COMMANDS,
            Layer::Page(page) => page.context,
        })
    }

    /// Returns the key hint that the user clicked in the last line: a hint of the overlay if one is open, else of the
    /// screen.
    pub(super) fn hint_at(
        &self,
        event: MouseEvent,
        keys: &KeyMap<Action>,
        screen: ScreenKeyContext,
    ) -> Option<FooterHint<Action>> {
        let at = Position::new(event.column, event.row);
        let over = self.context();
        let context = over.map_or(screen, |context| {
            ScreenKeyContext::of_single_panel(context, self.facts())
        });
        let mut hints = hint_areas(keys, context, &self.look, self.footer).into_iter();
        let (hint, _) = hints.find(|(_, index)| index.contains(at))?;
        Some(hint)
    }

    pub(super) fn mouse(&mut self, event: MouseEvent, keys: &KeyMap<Action>) -> OverlayEventResult {
        match (&mut self.layer, wheel_lines(event.kind), event.kind) {
            (None, _, _) => return OverlayEventResult::Ignored,
            (Some(Layer::Page(page)), Some(lines), _) => {
                let entries = &page.entries[usize::from(self.look.glyphs.unicode)];
                page.scroll.scroll(&entries[..], lines);
            }
            (Some(Layer::Palette(palette)), Some(lines), _) => {
                palette.move_selection_by_wheel(lines, keys);
            }
            (Some(Layer::Palette(palette)), None, MouseEventKind::Down(MouseButton::Left)) => {
                let picked = palette.click(Position::new(event.column, event.row), keys);
                return self.picked(picked);
            }
            (Some(Layer::Page(_)), None, MouseEventKind::Down(_)) => self.close(),
            _ => {}
        }
        OverlayEventResult::Consumed
    }

    /// Passes a pasted text to the overlay. Returns false if no overlay is open.
    pub(super) fn paste_if_overlay_open(&mut self, text: &str) -> bool {
        if let Some(Layer::Palette(palette)) = &mut self.layer {
            palette.paste(text);
        }
        self.is_overlay_open()
    }

    fn picked(&mut self, picked: PaletteResult) -> OverlayEventResult {
        if let PaletteResult::Break(action) = picked {
            self.layer = None;
            return action.map_or(OverlayEventResult::Consumed, OverlayEventResult::Action);
        }
        OverlayEventResult::Consumed
    }

    /// Returns the screen-reader description of the open overlay, if any.
    pub(super) fn screen_reader_text(&self, keys: &KeyMap<Action>) -> Option<String> {
        Some(match self.layer.as_ref()? {
            Layer::Palette(palette) => palette.marked_action_screen_reader_text(keys),
            Layer::Page(page) => screen_reader_text(&page.title, &page.entries[0]),
        })
    }

    pub(super) fn draw(&mut self, keys: &KeyMap<Action>, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        self.look = look;
        let height = area.height.saturating_sub(1);
        self.footer = measure::row(area, height.into());
        let area = Rect { height, ..area };
        match &mut self.layer {
            None => {}
            Some(Layer::Palette(palette)) => palette.draw(keys, canvas, area),
            Some(Layer::Page(page)) => {
                let entries = &page.entries[usize::from(look.glyphs.unicode)];
                page.scroll.draw_box(&page.title, entries, canvas, area);
            }
        }
        if let Some(context) = self.context() {
            Clear.render(self.footer, canvas.buffer);
            let context = ScreenKeyContext::of_single_panel(context, self.facts());
            draw_footer(None, keys, context, canvas, self.footer);
        }
    }
}
