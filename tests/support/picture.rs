//! Screens as text, with their styles, for snapshots.

use std::collections::BTreeMap;
use std::fmt::Write;

use debate_tui::tui::{panel::measure, screen::Show, theme::Look};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
};

/// What a screen draws at a size.
pub fn buffer(show: &mut impl Show, look: &Look, columns: u16, rows: u16) -> Buffer {
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
                skip = measure::width(symbol).saturating_sub(1);
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

/// The styles: for each style where it stands, as row:from-to.
pub fn styles(buffer: &Buffer) -> String {
    let mut runs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in 0..buffer.area.height {
        let mut column = 0;
        while column < buffer.area.width {
            let style = name(buffer[(column, row)].style());
            let from = column;
            while column < buffer.area.width && name(buffer[(column, row)].style()) == style {
                column += 1;
            }
            if !style.is_empty() {
                runs.entry(style)
                    .or_default()
                    .push(format!("{row}:{from}-{}", column - 1));
            }
        }
    }
    let mut map = String::new();
    for (style, runs) in runs {
        let _ = writeln!(map, "{style}: {}", runs.join(" "));
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
