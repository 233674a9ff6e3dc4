//! Screens as text, with their styles, for snapshots.

use std::collections::BTreeMap;
use std::fmt::Write;

use debate_tui::tui::screen::{Screen, ScreenExt as _};
use debate_tui::tui::theme::ScreenAppearance;
use debate_tui::tui::widget::measure;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
};

/// Draws a screen at a size.
pub fn buffer(show: &mut impl Screen, look: &ScreenAppearance, columns: u16, rows: u16) -> Buffer {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    show.draw(look, &mut buffer, area);
    buffer
}

/// The characters, without the spaces at the ends of lines.
pub fn text(buffer: &Buffer) -> String {
    let line = |row| {
        let mut line = String::new();
        let mut skip = 0;
        for column in 0..buffer.area.width {
            let symbol = buffer[(column, row)].symbol();
            if skip == 0 {
                line.push_str(symbol);
                if symbol.len() > 1 {
                    skip = measure::width(symbol).saturating_sub(1);
                }
            } else {
                skip -= 1;
            }
        }
        line.trim_end().to_owned()
    };
    (0..buffer.area.height)
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The styles: for each style its positions, as rows:columns.
pub fn styles(buffer: &Buffer) -> String {
    styles_of(&[buffer])
}

/// The styles of the same picture under several themes: for each combination its positions, as rows:columns.
pub fn styles_of(buffers: &[&Buffer]) -> String {
    let area = buffers[0].area;
    let style = |column, row| {
        let names: Vec<String> = buffers
            .iter()
            .map(|buffer| name(buffer[(column, row)].style()))
            .collect();
        if names.iter().all(String::is_empty) {
            return String::new();
        }
        let shown = |name: &String| {
            if name.is_empty() {
                "-".to_owned()
            } else {
                name.clone()
            }
        };
        names.iter().map(shown).collect::<Vec<_>>().join(" | ")
    };
    // Equal styles have equal names. Names are slow to write, so only changes of style write one.
    let same = |row: u16, one: u16, other: u16| {
        buffers
            .iter()
            .all(|buffer| buffer[(one, row)].style() == buffer[(other, row)].style())
    };
    // First and last row, then first and last column.
    let mut runs: BTreeMap<String, Vec<[u16; 4]>> = BTreeMap::new();
    for row in 0..area.height {
        let mut column = 0;
        while column < area.width {
            let here = style(column, row);
            let from = column;
            while column < area.width && (same(row, from, column) || style(column, row) == here) {
                column += 1;
            }
            if here.is_empty() {
                continue;
            }
            let runs = runs.entry(here).or_default();
            let to = column - 1;
            // A run continues an equal run in the row above.
            let above = runs
                .iter_mut()
                .find(|run| run[1] + 1 == row && run[2..] == [from, to]);
            match above {
                Some(run) => run[1] = row,
                None => runs.push([row, row, from, to]),
            }
        }
    }
    let span = |from: u16, to: u16| {
        if from == to {
            from.to_string()
        } else {
            format!("{from}-{to}")
        }
    };
    let mut map = String::new();
    for (style, runs) in runs {
        let runs = runs
            .iter()
            .map(|[top, bottom, from, to]| format!("{}:{}", span(*top, *bottom), span(*from, *to)));
        let _ = writeln!(map, "{style}: {}", runs.collect::<Vec<_>>().join(" "));
    }
    map
}

fn name(style: Style) -> String {
    let mut words = Vec::new();
    match style.fg {
        None | Some(Color::Reset) => {}
        Some(colour) => words.push(format!("{colour:?}").to_lowercase()),
    }
    for (name, modifier) in [
        ("bold", Modifier::BOLD),
        ("dim", Modifier::DIM),
        ("underlined", Modifier::UNDERLINED),
        ("reversed", Modifier::REVERSED),
    ] {
        if style.add_modifier.contains(modifier) {
            words.push(name.to_owned());
        }
    }
    words.join(" ")
}
