//! The parts of a screen, and its last line: what was said, what is typed, which keys there are.

use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use crate::tui::actions::{Hint, KeyMap, ScreenContext};
use crate::tui::keys::Action;
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::measure;
use crate::tui::widget::text_input::TextInput;

/// The title line, the body and the footer of a screen.
pub(in crate::tui) fn page(area: Rect) -> [Rect; 3] {
    Layout::vertical([Length(1), Fill(1), Length(1)]).areas(area)
}

/// The last line of a screen: what was said, else the keys that do something here and now.
pub(in crate::tui) fn footer(
    note: Option<&str>,
    keys: &KeyMap<Action>,
    here: ScreenContext,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    if let Some(note) = note {
        let columns = usize::from(area.width).saturating_sub(1);
        let note = measure::clip(note, columns, look.glyphs.ellipsis);
        look.put(&format!(" {note}"), Role::Warning, buffer, area);
        return;
    }
    for (hint, place) in hints(keys, here, look, area) {
        let drawn = look.put(&hint.key, Role::Key, buffer, place);
        let word = measure::after(place, drawn + 1);
        look.put(hint.word, Role::Faint, buffer, word);
    }
}

/// The last line while the words of a search are typed.
pub(in crate::tui) fn searching(
    line: &TextInput,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    typing(
        "Search",
        "enter finds, esc gives up",
        line,
        look,
        buffer,
        area,
    );
}

/// Draws a line that is being typed, with its name before and its keys behind it.
pub(in crate::tui) fn typing(
    name: &str,
    keys: &str,
    line: &TextInput,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    let taken = measure::width(name) + measure::width(keys) + 9;
    let room = usize::from(area.width).saturating_sub(taken).max(8);
    let typed = line.shown(room);
    let text = format!(" {name}: {typed}   ({keys})");
    look.put(&text, Role::Title, buffer, area);
}

/// The hints with their places, for drawing and for clicks.
pub(in crate::tui) fn hints(
    keys: &KeyMap<Action>,
    here: ScreenContext,
    look: &Appearance,
    area: Rect,
) -> Vec<(Hint<Action>, Rect)> {
    let mut room = measure::after(area, 1);
    let columns = room.width.into();
    let mut places = Vec::new();
    for hint in keys.hints(here.context, here.facts, look.glyphs.unicode, columns) {
        let width = u16::try_from(hint.width())
            .unwrap_or(u16::MAX)
            .min(room.width);
        places.push((hint, Rect { width, ..room }));
        room = measure::after(room, width + 2);
    }
    places
}
