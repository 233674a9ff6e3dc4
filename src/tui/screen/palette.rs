//! The command palette: every action of the screen with its key, searchable by typing.

use crate::tui::widget::Canvas;
use std::ops::ControlFlow;

use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

use super::help::merge_entries_of_same_action;
use crate::tui::actions::{ActionHelpEntry, Facts, KeyMap, KeyPress, ScreenKeyContext};
use crate::tui::keys::{Action, COMMANDS, NO_CLICK_QUITS, unavailable_reason};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::POPUP_WIDTH;
use crate::tui::widget::text_input::{LineInputResult, TextInput};
use crate::tui::widget::tree::{RowSelectionAndScroll, TreeRow};
use debate_text::claim_tree::RowMark;

/// The text shown if no action matches the typed search.
const NOTHING: &str = "No command contains the typed words.";
const TITLE: &str = "Commands: type a word";

/// Columns for the names.
const NAMES: usize = 20;

/// The result of a key press in the command palette: the palette stays open, or it closes, possibly with an action to
/// carry out.
pub type PaletteResult = ControlFlow<Option<Action>>;

/// The state of the open command palette.
#[derive(Debug)]
pub struct CommandPalette {
    line: TextInput,
    context: ScreenKeyContext,
    list: RowSelectionAndScroll,
    /// The reason why the marked action was not carried out, shown after the user tried it.
    note: Option<String>,
}

impl CommandPalette {
    pub fn new(context: ScreenKeyContext) -> Self {
        Self {
            line: TextInput::default(),
            context,
            list: RowSelectionAndScroll::default(),
            note: None,
        }
    }

    /// Returns the actions that match the search: first those of the focused panel, then those of the other panels.
    /// Unavailable actions come last. An action whose whole name was typed comes first, even if it is unavailable.
    fn entries(&self, keys: &KeyMap<Action>) -> Vec<ActionHelpEntry<Action>> {
        let ScreenKeyContext {
            context,
            screen,
            facts,
            ..
        } = self.context;
        let mut matches = keys.command_palette_entries(context, facts, self.line.typed_text());
        for other in keys.command_palette_entries(screen, facts, self.line.typed_text()) {
            if matches.iter().all(|entry| entry.id != other.id) {
                matches.push(other);
            }
        }
        matches.retain(|entry| entry.id != Action::Palette);
        let mut matches = merge_entries_of_same_action(matches);
        let typed = self.line.typed_text().trim();
        matches.sort_by_key(|entry| (entry.name != typed, !entry.possible));
        matches
    }

    pub fn key(&mut self, event: KeyEvent, keys: &KeyMap<Action>) -> PaletteResult {
        self.note = None;
        let count = self.entries(keys).len();
        match keys.action_of_key(COMMANDS, Facts::NONE, KeyPress::from(event)) {
            Some(Action::Close) => return PaletteResult::Break(None),
            Some(Action::Send) => return self.carry_out_marked(keys),
            Some(Action::Above) => self.list.move_selection(-1, count),
            Some(Action::Below) => self.list.move_selection(1, count),
            Some(Action::PageAbove) => self.list.move_selection(-8, count),
            Some(Action::PageBelow) => self.list.move_selection(8, count),
            _ if self.line.key(event) == LineInputResult::Changed => self.list.select(0),
            _ => {}
        }
        PaletteResult::Continue(())
    }

    pub fn paste(&mut self, text: &str) {
        self.line.paste(text);
        self.list.select(0);
    }

    pub fn move_selection_by_wheel(&mut self, rows: isize, keys: &KeyMap<Action>) {
        let count = self.entries(keys).len();
        self.list.move_selection(rows, count);
    }

    /// Handles a click. The first click marks an action and the second one carries it out, unless the action quits. A
    /// click outside the list closes the palette.
    pub fn click(&mut self, at: Position, keys: &KeyMap<Action>) -> PaletteResult {
        if !self.list.drawn_area.contains(at) {
            return PaletteResult::Break(None);
        }
        let count = self.entries(keys).len();
        match self.list.row_at(at, count) {
            Some(row) if !self.list.is_second_click(row) => {
                self.list.select(row);
                self.note = None;
                PaletteResult::Continue(())
            }
            Some(_)
                if self
                    .marked_action(keys)
                    .is_some_and(Action::is_quit_or_interrupt) =>
            {
                self.note = Some(NO_CLICK_QUITS.to_owned());
                PaletteResult::Continue(())
            }
            Some(_) => self.carry_out_marked(keys),
            None => PaletteResult::Continue(()),
        }
    }

    /// Returns the marked action.
    fn marked_action(&self, keys: &KeyMap<Action>) -> Option<Action> {
        let entries = self.entries(keys);
        entries.get(self.list.selected()).map(|entry| entry.id)
    }

    fn carry_out_marked(&mut self, keys: &KeyMap<Action>) -> PaletteResult {
        match self.entries(keys).get(self.list.selected()) {
            Some(entry) if entry.possible => PaletteResult::Break(Some(entry.id)),
            Some(entry) => {
                let why = unavailable_reason(entry.needs, self.context.facts);
                self.note = Some(format!("Not now: {why}."));
                PaletteResult::Continue(())
            }
            None => PaletteResult::Continue(()),
        }
    }

    /// Returns the marked action as a text for screen readers: its name, its key, and its description or the reason why
    /// it is unavailable. If the user tried an action in vain, the note about it follows.
    pub fn marked_action_screen_reader_text(&self, keys: &KeyMap<Action>) -> String {
        let entries = self.entries(keys);
        let Some(entry) = entries.get(self.list.selected()) else {
            return format!("{TITLE}\n{NOTHING}");
        };
        let key = entry.keys.first().map(|key| key.key_label(false));
        let key = key.map_or_else(String::new, |key| format!(", {key}"));
        let about = description(entry, self.context.facts);
        let row = format!("{}{key}: {about}", entry.name);
        let lines = [TITLE, &row].into_iter().chain(self.note.as_deref());
        lines.collect::<Vec<_>>().join("\n")
    }

    pub fn draw(&mut self, keys: &KeyMap<Action>, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        let entries = self.entries(keys);
        let needed = widest(keys, &look) + 4;
        let width = measure::to_u16_saturating(needed).max(POPUP_WIDTH);
        let inner = canvas.draw_popup(TITLE, width, area.height, area);
        let columns = usize::from(inner.width);
        let line = format!(": {}", self.line.visible_text(columns.saturating_sub(2)));
        canvas.draw_text_line(&line, TextRole::Title, measure::row(inner, 0));
        let rows = usize::from(inner.height).saturating_sub(2);
        let list = measure::rows(inner, 1, rows);
        let facts = self.context.facts;
        let row = |number: usize| {
            let entry = entries.get(number);
            entry.map_or_else(TreeRow::default, |entry| row(entry, facts, &look))
        };
        self.list.draw(entries.len(), row, true, canvas, list);
        let below = match (self.note.as_deref(), entries.get(self.list.selected())) {
            (Some(note), _) => (TextRole::Warning, note),
            (None, Some(entry)) => (TextRole::Faint, entry.doc),
            (None, None) => (TextRole::Warning, NOTHING),
        };
        let last = usize::from(inner.height).saturating_sub(1).max(1);
        canvas.draw_text_line(below.1, below.0, measure::row(inner, last));
    }
}

/// Returns the width of the palette's longest row. All actions count, so that the frame keeps its width while the user
/// types.
fn widest(keys: &KeyMap<Action>, look: &ScreenAppearance) -> usize {
    let all = keys.all_actions();
    let width = |entry: &ActionHelpEntry<Action>| {
        let row = row(entry, Facts::ALL, look);
        measure::width(&row.text) + measure::width(&row.value) + 1
    };
    all.iter().map(width).max().unwrap_or(0)
}

/// Returns the description of an action, or the reason why it is unavailable.
fn description(entry: &ActionHelpEntry<Action>, facts: Facts) -> String {
    if entry.possible {
        entry.doc.to_owned()
    } else {
        format!("not now: {}", unavailable_reason(entry.needs, facts))
    }
}

/// Returns an action as a row of the palette: its name, its description or the reason why it is unavailable, and its
/// key.
fn row(entry: &ActionHelpEntry<Action>, facts: Facts, look: &ScreenAppearance) -> TreeRow {
    let name = measure::pad(entry.name, NAMES);
    let key = entry.keys.first();
    TreeRow {
        text: format!("{name} {}", description(entry, facts)),
        value: key.map_or_else(String::new, |key| key.key_label(look.glyphs.unicode)),
        mark: if entry.possible {
            RowMark::Plain
        } else {
            RowMark::Faint
        },
        ..TreeRow::default()
    }
}
