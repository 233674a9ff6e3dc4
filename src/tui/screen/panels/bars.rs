//! The lines at the top and at the bottom: what is debated, what is at stake, which keys there are.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::tui::actions::{Hint, KeyMap};
use crate::tui::panel::{measure, text_input::TextInput};
use crate::tui::screen::{Action, ScreenContext};
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::{Number, signed};
use debate_core::protocol::Rules;

use super::PanelView;
use debate_lab::narration::{RewardTable, bar_height, status};

/// Pieces of a line: those with the least weight give way where there is no room for all.
fn fitting(mut pieces: Vec<(u8, String)>, gap: usize, columns: usize) -> Vec<String> {
    pieces.retain(|(_, text)| !text.is_empty());
    loop {
        let width: usize = pieces
            .iter()
            .map(|(_, text)| measure::width(text) + gap)
            .sum();
        if width <= columns + gap || pieces.len() <= 1 {
            return pieces.into_iter().map(|(_, text)| text).collect();
        }
        let lightest = (0..pieces.len()).rev().min_by_key(|at| pieces[*at].0);
        pieces.remove(lightest.unwrap_or(0));
    }
}

/// The title line.
pub(super) fn title(
    view: &PanelView<'_, '_>,
    rewards: &RewardTable,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    let scene = view.scene;
    let round = status::round(&view.viewpoint(), rewards);
    let seed = if scene.facts.seed.is_empty() {
        String::new()
    } else {
        format!("seed {}", scene.facts.seed)
    };
    let columns = usize::from(area.width).saturating_sub(1);
    // The round stays whatever else goes, and so does the front of the title.
    let most = columns
        .saturating_sub(measure::width(&round) + 3)
        .clamp(12, 48);
    let title = measure::clip(&scene.facts.title, most, look.glyphs.ellipsis).into_owned();
    let room = columns.saturating_sub(measure::width(&title) + 2);
    let (rules, parameters) = if view.tells_rules() {
        let parameters = look.script().spelled(&scene.facts.parameters);
        (scene.facts.kind.name(), parameters)
    } else {
        ("", Cow::Borrowed(""))
    };
    let right = fitting(
        vec![
            (4, rules.to_owned()),
            (3, parameters.into_owned()),
            (2, seed),
            (5, round),
        ],
        3,
        room,
    )
    .join("   ");
    measure::put(
        &format!(" {title}"),
        look.style(StyleRole::Title),
        buffer,
        area,
    );
    let taken = measure::width(&title) + measure::width(&right) + 3;
    if taken <= usize::from(area.width) {
        measure::put_right(
            &format!("{right} "),
            look.style(StyleRole::Faint),
            buffer,
            area,
        );
    }
}

/// The text of the strip in so many columns.
fn strip_words(
    view: &PanelView<'_, '_>,
    rewards: &RewardTable,
    look: &Appearance,
    columns: u16,
) -> Vec<String> {
    let brief = columns < 60;
    let pieces = status::pieces(&view.viewpoint(), rewards, look.script(), brief);
    fitting(pieces, 3, usize::from(columns).saturating_sub(1))
}

/// The strip with its small chart.
pub(super) fn strip(
    view: &PanelView<'_, '_>,
    rewards: &RewardTable,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    let payoff = view.perspective.value(view.state.payoff()).to_float();
    let pieces = strip_words(view, rewards, look, area.width);
    let gap = if look.glyphs.unicode { " · " } else { " | " };
    let line = format!(" {}", pieces.join(gap));
    measure::put(&line, look.style(StyleRole::Text), buffer, area);
    if payoff != 0.0
        && let Some(before) = line.find("so far ")
    {
        let front = measure::width(line.split_at(before).0) + 7;
        let role = if payoff > 0.0 {
            StyleRole::Good
        } else {
            StyleRole::Bad
        };
        let value = measure::after(area, u16::try_from(front).unwrap_or(u16::MAX));
        measure::put(&signed(payoff, 3), look.style(role), buffer, value);
    }
    let taken = u16::try_from(measure::width(&line) + 2).unwrap_or(u16::MAX);
    spark(rewards, look, buffer, measure::after(area, taken));
}

/// The rounds as a chart of one row at the right edge, where there is room for it: the sign and
/// the size of each reward, on the scale of the large chart.
fn spark(rewards: &RewardTable, look: &Appearance, buffer: &mut Buffer, area: Rect) {
    if !rewards.compares() {
        return;
    }
    let Some((least, largest)) = rewards.scale() else {
        return;
    };
    let Some(from) = u16::try_from(rewards.len() + 1)
        .ok()
        .and_then(|columns| area.width.checked_sub(columns))
    else {
        return;
    };
    for ((_, value), cell) in rewards.bars().zip(measure::after(area, from).columns()) {
        let height = bar_height(value, least, largest);
        let (glyphs, role) = if height < 0.0 {
            (look.glyphs.hanging, StyleRole::Bad)
        } else {
            (look.glyphs.rising, StyleRole::Good)
        };
        // The first of n glyphs stands for up to one n-th, and so on.
        let all = u8::try_from(glyphs.len()).unwrap_or(u8::MAX);
        let step = (1..all)
            .rev()
            .find(|step| height.abs() * f64::from(all) > f64::from(*step))
            .unwrap_or(0);
        let glyph = glyphs.get(usize::from(step)).copied().unwrap_or("");
        // The two ASCII sets have signs in common, so there the plain signs of numbers stand.
        let (glyph, role) = match () {
            () if value.is_nan() => (look.glyphs.unplayed, StyleRole::Faint),
            () if height == 0.0 => ("0", StyleRole::Faint),
            () if look.glyphs.unicode => (glyph, role),
            () if height < 0.0 => ("-", role),
            () => ("+", role),
        };
        measure::put(glyph, look.style(role), buffer, cell);
    }
}

/// The last line of a screen: what was said, else the keys that do something here and now.
pub(in crate::tui::screen) fn footer(
    said: Option<&str>,
    keys: &KeyMap<Action>,
    here: ScreenContext,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    if let Some(said) = said {
        let columns = usize::from(area.width).saturating_sub(1);
        let said = measure::clip(said, columns, look.glyphs.ellipsis);
        measure::put(
            &format!(" {said}"),
            look.style(StyleRole::Warning),
            buffer,
            area,
        );
        return;
    }
    for (hint, place) in hints(keys, here, look, area) {
        let drawn = measure::put(&hint.key, look.style(StyleRole::Key), buffer, place);
        let word = measure::after(place, drawn + 1);
        measure::put(hint.word, look.style(StyleRole::Faint), buffer, word);
    }
}

/// The last line while the words of a search are typed.
pub(in crate::tui::screen) fn searching(
    line: &TextInput,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    let room = usize::from(area.width).saturating_sub(40).max(8);
    let typed = line.shown(room);
    let told = format!(" Search: {typed}   (enter finds, esc gives up)");
    measure::put(&told, look.style(StyleRole::Title), buffer, area);
}

/// The hints with their places, for drawing and for clicks.
pub(super) fn hints(
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
