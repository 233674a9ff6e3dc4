//! The lines at the top and at the bottom: what is debated, what is at stake, which keys there are.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::number::{Number, short, signed};
use crate::protocol::{Round, Rules};
use crate::tui::actions::{Hint, KeyMap};
use crate::tui::panel::{chart::height, line::Line, measure};
use crate::tui::screen::{Do, Here};
use crate::tui::theme::{Look, Role};

use super::{Sight, rewards::Rewards};

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

/// The round in words.
fn round(sight: &Sight<'_, '_>, rewards: &Rewards) -> String {
    if !sight.reader.follows() {
        return String::new();
    }
    match (sight.state.round(), rewards.depth()) {
        (None, _) => "the debate is over".to_owned(),
        (Some(Round::Initial), _) => "first estimate".to_owned(),
        (Some(Round::Number(0)), Some(0)) => "the only round".to_owned(),
        (Some(Round::Number(0)), Some(_)) => "round 0, the last".to_owned(),
        (Some(Round::Number(k)), Some(depth)) => format!("round {k} of {depth}"),
        (Some(Round::Number(k)), None) => format!("round {k}"),
    }
}

/// The title line.
pub(super) fn title(
    sight: &Sight<'_, '_>,
    rewards: &Rewards,
    look: &Look,
    buffer: &mut Buffer,
    area: Rect,
) {
    let scene = sight.scene;
    let round = round(sight, rewards);
    let seed = if scene.seed.is_empty() {
        String::new()
    } else {
        format!("seed {}", scene.seed)
    };
    let columns = usize::from(area.width).saturating_sub(1);
    // The round stays whatever else goes, and so does the front of the title.
    let most = columns
        .saturating_sub(measure::width(&round) + 3)
        .clamp(12, 48);
    let title = measure::clip(&scene.title, most, look.glyphs.ellipsis).into_owned();
    let room = columns.saturating_sub(measure::width(&title) + 2);
    let (rules, parameters) = if sight.tells_rules() {
        (scene.kind.name(), &*scene.parameters)
    } else {
        ("", "")
    };
    let right = fitting(
        vec![
            (4, rules.to_owned()),
            (3, parameters.to_owned()),
            (2, seed),
            (5, round),
        ],
        3,
        room,
    )
    .join("   ");
    measure::put(&format!(" {title}"), look.style(Role::Title), buffer, area);
    let taken = measure::width(&title) + measure::width(&right) + 3;
    if taken <= usize::from(area.width) {
        measure::put_right(&format!("{right} "), look.style(Role::Faint), buffer, area);
    }
}

/// What the strip says: the round, what is at stake in it, so far, and the round that dominates.
pub(super) fn strip_words(
    sight: &Sight<'_, '_>,
    rewards: &Rewards,
    look: &Look,
    columns: u16,
) -> Vec<String> {
    let teller = sight.scene.teller(look);
    // The title line tells the round too.
    let narrow = columns < 60;
    let at = if narrow { "" } else { "at " };
    let stake = sight.state.round().map(|round| {
        let Some(weight) = rewards.weight(round) else {
            // Nothing is paid before the end.
            return format!("{at}stake 1, at the end");
        };
        match round {
            Round::Number(0) => format!("{at}stake 1"),
            round => {
                let exponent = match round {
                    Round::Number(k) => k,
                    Round::Initial => rewards.depth().unwrap_or(0) + 1,
                };
                let equals = if narrow {
                    String::new()
                } else {
                    format!("{} = ", teller.power(exponent))
                };
                format!("{at}stake {equals}{}", short(weight, 2))
            }
        }
    });
    let payoff = sight.state.payoff().to_float();
    let so_far = if payoff == 0.0 {
        "so far 0".to_owned()
    } else {
        let to = if narrow { "" } else { " to Alice" };
        format!("so far {}{to}", signed(payoff, 3))
    };
    let dominating = rewards
        .dominating()
        .filter(|_| rewards.compares())
        .map_or_else(String::new, |(round, value)| {
            let name = match round {
                Round::Initial => "first estimate".to_owned(),
                Round::Number(k) => format!("round {k}"),
            };
            let sign = look.glyphs.dominant;
            if narrow {
                format!("{sign} {name}")
            } else {
                format!("{sign} mostly {name} ({})", signed(value, 2))
            }
        });
    fitting(
        vec![
            (if narrow { 1 } else { 9 }, round(sight, rewards)),
            (8, stake.unwrap_or_default()),
            (9, so_far),
            (5, dominating),
        ],
        3,
        usize::from(columns).saturating_sub(1),
    )
}

/// The strip with its small chart.
pub(super) fn strip(
    sight: &Sight<'_, '_>,
    rewards: &Rewards,
    look: &Look,
    buffer: &mut Buffer,
    area: Rect,
) {
    let payoff = sight.state.payoff().to_float();
    let pieces = strip_words(sight, rewards, look, area.width);
    let gap = if look.glyphs.unicode { " · " } else { " | " };
    let line = format!(" {}", pieces.join(gap));
    measure::put(&line, look.style(Role::Text), buffer, area);
    if payoff != 0.0
        && let Some(before) = line.find("so far ")
    {
        let front = measure::width(line.split_at(before).0) + 7;
        let role = if payoff > 0.0 { Role::Good } else { Role::Bad };
        let value = measure::after(area, u16::try_from(front).unwrap_or(u16::MAX));
        measure::put(&signed(payoff, 3), look.style(role), buffer, value);
    }
    let taken = u16::try_from(measure::width(&line) + 2).unwrap_or(u16::MAX);
    spark(rewards, look, buffer, measure::after(area, taken));
}

/// The rounds as a chart of one row at the right edge, where there is room for it: the sign and
/// the size of each reward, on the scale of the large chart.
fn spark(rewards: &Rewards, look: &Look, buffer: &mut Buffer, area: Rect) {
    let bars = rewards.bars();
    if !rewards.compares() {
        return;
    }
    let Some((least, largest)) = rewards.scale() else {
        return;
    };
    let Some(from) = u16::try_from(bars.len() + 1)
        .ok()
        .and_then(|columns| area.width.checked_sub(columns))
    else {
        return;
    };
    for (bar, cell) in bars.iter().zip(measure::after(area, from).columns()) {
        let height = height(bar.value, least, largest);
        let (glyphs, role) = if height < 0.0 {
            (look.glyphs.hanging, Role::Bad)
        } else {
            (look.glyphs.rising, Role::Good)
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
            () if bar.value.is_nan() => (look.glyphs.unplayed, Role::Faint),
            () if height == 0.0 => ("0", Role::Faint),
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
    keys: &KeyMap<Do>,
    here: Here,
    look: &Look,
    buffer: &mut Buffer,
    area: Rect,
) {
    if let Some(said) = said {
        let columns = usize::from(area.width).saturating_sub(1);
        let said = measure::clip(said, columns, look.glyphs.ellipsis);
        measure::put(&format!(" {said}"), look.style(Role::Warning), buffer, area);
        return;
    }
    for (hint, place) in hints(keys, here, look, area) {
        let drawn = measure::put(&hint.key, look.style(Role::Key), buffer, place);
        let word = measure::after(place, drawn + 1);
        measure::put(hint.word, look.style(Role::Faint), buffer, word);
    }
}

/// The last line while the words of a search are typed.
pub(in crate::tui::screen) fn searching(line: &Line, look: &Look, buffer: &mut Buffer, area: Rect) {
    let room = usize::from(area.width).saturating_sub(40).max(8);
    let typed = line.shown(room);
    let told = format!(" Search: {typed}   (enter finds, esc gives up)");
    measure::put(&told, look.style(Role::Title), buffer, area);
}

/// The hints with their places, for drawing and for clicks.
pub(super) fn hints(
    keys: &KeyMap<Do>,
    here: Here,
    look: &Look,
    area: Rect,
) -> Vec<(Hint<Do>, Rect)> {
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
