//! The export format `svg`: a picture of the replay screen as a terminal draws it, at an event or at the end.
//!
//! Every cell has a position on an exact grid, independent of the viewer's font. Each character has an explicit
//! position, and a viewer that reads only the first one still shows all spaces. Lines and blocks are drawn as shapes.
//! The file has no external references.

use std::fmt::Write as _;
use std::io;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

use crate::tui::debate::ReplayScreen;
use crate::tui::keys;
use crate::tui::scene::DebateScreenContext;
use crate::tui::screen::{MIN_SCREEN_SIZE, ScreenExt as _};
use crate::tui::theme::{ASCII, ScreenAppearance, TerminalColours, Theme, UNICODE};
use debate_core::text::replace_unsafe_characters;
use debate_host::record::SavedDebateWithCursor;
use debate_lab::export::safe::escape_html_or_svg;
use debate_lab::export::{
    ExportError, ExportFormat, ExportFunctionByInput, ExportNotes, ExportOptions, ReplayedSave,
};

/// The format `svg`.
pub const FORMAT: ExportFormat = ExportFormat {
    name: "svg",
    dated: false,
    about: "a picture of the replay's screen",
    ending: "svg",
    takes: &["--event", "--size", "--theme", "--ascii"],
    of: ExportFunctionByInput::Save(write),
};

/// The maximum size of the picture, in columns and rows of characters.
const MAX_SIZE: (u16, u16) = (400, 200);
/// The default size of the picture, in columns and rows of characters.
const DEFAULT_SIZE: (u16, u16) = (100, 30);
/// The width and height of a character cell in the picture. Their ratio is the usual one of monospace fonts.
const CELL_SIZE: (f32, f32) = (8.4, 17.0);
/// The distance of a text's baseline from the top of its cell. `FONT` is the size of the font.
const BASELINE: f32 = 12.8;
const FONT: f32 = 14.0;
/// A space that no SVG viewer drops from a text.
const NO_BREAK_SPACE: char = '\u{a0}';
/// The margin around the screen.
const MARGIN: f32 = 8.0;

fn write(
    debate: &ReplayedSave<'_>,
    asked: &ExportOptions,
    out: &mut dyn io::Write,
) -> Result<ExportNotes, ExportError> {
    let theme = asked.theme.as_ref().map(|name| {
        Theme::theme_named(name).ok_or_else(|| {
            ExportError::Option(format!(
                "unknown theme {name:?}; choose dark, light, high-contrast or monochrome"
            ))
        })
    });
    let look = ScreenAppearance {
        theme: theme.transpose()?.unwrap_or_default(),
        colours: TerminalColours::True,
        glyphs: if asked.ascii { &ASCII } else { &UNICODE },
        frame: None,
    };
    let last = debate.transcript_events().len();
    let event = asked.event.unwrap_or(last);
    let step = match event.checked_sub(1) {
        None => 0,
        Some(index) => {
            debate
                .transcript_events()
                .get(index)
                .ok_or(ExportError::NoEvent { asked: event, last })?
                .step
        }
    };
    let keys = keys::default_key_map().map_err(|error| ExportError::Keys(error.to_string()))?;
    let start = debate.seating.state_at_start().clone();
    let scene = DebateScreenContext::from(debate.facts.clone());
    let history = SavedDebateWithCursor::from_moves(start, debate.seating.moves())?;
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    replay.go_to_step(step);
    let (columns, rows) = asked.size.unwrap_or(DEFAULT_SIZE);
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    replay.draw(&look, &mut buffer, area);
    let title = format!(
        "{title}: event {event} of {last}",
        title = debate
            .setup
            .scenario_texts(debate.instance.world_index())
            .title
    );
    out.write_all(screen_as_svg(&buffer, look.theme, &title).as_bytes())?;
    Ok(ExportNotes::new())
}

/// Parses a size: `100x30`.
///
/// # Errors
/// Returns an error if the text is not a size, or the size is outside the limits of a screen.
pub fn parse_screen_size(text: &str) -> Result<(u16, u16), ExportError> {
    let parted = text.split_once(['x', 'X', '×']);
    let number = |text: &str| text.trim().parse::<u16>().ok();
    let read = parted.and_then(|(columns, rows)| Some((number(columns)?, number(rows)?)));
    let columns = MIN_SCREEN_SIZE.0..=MAX_SIZE.0;
    let rows = MIN_SCREEN_SIZE.1..=MAX_SIZE.1;
    read.filter(|(width, height)| columns.contains(width) && rows.contains(height))
        .ok_or_else(|| {
            ExportError::Option(format!(
                "--size: {} is no size from {}x{} to {}x{}, such as 100x30",
                replace_unsafe_characters(text),
                MIN_SCREEN_SIZE.0,
                MIN_SCREEN_SIZE.1,
                MAX_SIZE.0,
                MAX_SIZE.1
            ))
        })
}

/// White and black, as the colours of the theme without colours.
const MONOCHROME: [Color; 2] = [Color::Rgb(255, 255, 255), Color::Rgb(0, 0, 0)];

/// The style of a cell.
#[derive(Clone, Copy, PartialEq)]
struct Ink {
    colour: Color,
    ground: Option<Color>,
    bold: bool,
    dim: bool,
    line: bool,
}

impl Ink {
    /// Returns the style of a character cell. The second argument contains the default colours of text and background.
    fn of_cell(cell: &ratatui::buffer::Cell, [text, ground]: [Color; 2]) -> Self {
        let known = |colour, other| {
            if colour == Color::Reset {
                other
            } else {
                colour
            }
        };
        let (text, own) = (known(cell.fg, text), known(cell.bg, ground));
        let reversed = cell.modifier.contains(Modifier::REVERSED);
        let (colour, own) = if reversed { (own, text) } else { (text, own) };
        Self {
            colour,
            ground: Some(own).filter(|own| *own != ground),
            bold: cell.modifier.contains(Modifier::BOLD),
            dim: cell.modifier.contains(Modifier::DIM),
            line: cell.modifier.contains(Modifier::UNDERLINED),
        }
    }

    /// Returns the style as attributes of an SVG element.
    fn attributes(self) -> String {
        let mut out = format!(" fill=\"{}\"", hex_colour(self.colour));
        if self.bold {
            out.push_str(" font-weight=\"bold\"");
        }
        if self.dim {
            out.push_str(" opacity=\"0.66\"");
        }
        out
    }
}

/// Returns a screen as an SVG picture.
pub fn screen_as_svg(buffer: &Buffer, theme: Theme, title: &str) -> String {
    let ground = theme.text_and_background_colours().unwrap_or(MONOCHROME);
    let area = buffer.area;
    let width = format_length(f32::from(area.width) * CELL_SIZE.0 + 2.0 * MARGIN);
    let height = format_length(f32::from(area.height) * CELL_SIZE.1 + 2.0 * MARGIN);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" font-size=\"{FONT}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\">",
    );
    let _ = writeln!(out, "<title>{}</title>", escape_html_or_svg(title));
    let _ = writeln!(
        out,
        "<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{background}\"/>",
        background = hex_colour(ground[1])
    );
    for y in 0..area.height {
        row(&mut out, buffer, y, ground);
    }
    out + "</svg>\n"
}

/// Writes one row of the screen as SVG: its backgrounds, shapes, texts and underlines.
fn row(out: &mut String, buffer: &Buffer, y: u16, ground: [Color; 2]) {
    let top = MARGIN + f32::from(y) * CELL_SIZE.1;
    let mut x = 0;
    while x < buffer.area.width {
        let Some(first) = buffer.cell((x, y)) else {
            return;
        };
        let ink = Ink::of_cell(first, ground);
        let from = x;
        let mut xs = Vec::new();
        let mut text = String::new();
        let mut apart = Vec::new();
        let mut wide_signs = String::new();
        while let Some(cell) = buffer
            .cell((x, y))
            .filter(|cell| Ink::of_cell(cell, ground) == ink)
        {
            let symbol = cell.symbol();
            let columns = u16::try_from(symbol.width()).unwrap_or(1).max(1);
            let left = MARGIN + f32::from(x) * CELL_SIZE.0;
            let mut signs = symbol.chars();
            let mut blank = true;
            match (signs.next(), signs.next()) {
                (Some(' ') | None, None) => {}
                (Some(sign), None) if is_drawn_as_shape(sign) => apart.push((left, sign)),
                (Some(sign), None) if columns == 1 => {
                    blank = false;
                    xs.push(format_length(left));
                    text.push(sign);
                }
                // Wide signs, and signs of several characters, are separate elements.
                _ => {
                    let wide = f32::from(columns) * CELL_SIZE.0;
                    let _ = writeln!(
                        wide_signs,
                        "<text x=\"{}\" y=\"{}\" textLength=\"{}\" \
                         lengthAdjust=\"spacingAndGlyphs\"{}>{}</text>",
                        format_length(left),
                        format_length(top + BASELINE),
                        format_length(wide),
                        ink.attributes(),
                        escape_html_or_svg(symbol)
                    );
                }
            }
            // Some viewers ignore the positions, so a gap is also written as a space.
            if blank && !text.is_empty() {
                for column in x..x + columns {
                    xs.push(format_length(MARGIN + f32::from(column) * CELL_SIZE.0));
                    text.push(NO_BREAK_SPACE);
                }
            }
            x += columns;
            if x >= buffer.area.width {
                break;
            }
        }
        let left = MARGIN + f32::from(from) * CELL_SIZE.0;
        let wide = f32::from(x.min(buffer.area.width) - from) * CELL_SIZE.0;
        let (left, wide) = (format_length(left), format_length(wide));
        let rect = |y: f32, height: f32, colour: Color| {
            let [y, height] = [y, height].map(format_length);
            format!(
                "<rect x=\"{left}\" y=\"{y}\" width=\"{wide}\" height=\"{height}\" fill=\"{fill_colour}\"/>\n",
                fill_colour = hex_colour(colour)
            )
        };
        if let Some(ground) = ink.ground {
            out.push_str(&rect(top, CELL_SIZE.1, ground));
        }
        // They are drawn over the background of their cells.
        out.push_str(&wide_signs);
        let shapes = svg_path_of_shapes(&apart, top, CELL_SIZE);
        if !shapes.is_empty() {
            let _ = writeln!(out, "<path d=\"{shapes}\"{}/>", ink.attributes());
        }
        let text = text.trim_end_matches(NO_BREAK_SPACE);
        xs.truncate(text.chars().count());
        if !text.is_empty() {
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\"{}>{}</text>",
                xs.join(" "),
                format_length(top + BASELINE),
                ink.attributes(),
                escape_html_or_svg(text)
            );
        }
        if ink.line {
            out.push_str(&rect(top + BASELINE + 2.0, 1.0, ink.colour));
        }
        if x == from {
            x += 1;
        }
    }
}

/// Returns a colour in the notation of web pages.
fn hex_colour(colour: Color) -> String {
    colour.to_string().to_lowercase()
}

/// Formats a length for SVG, with one decimal if necessary.
fn format_length(value: f32) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// The widths of the thin and of the thick lines of box-drawing characters.
const THIN: f32 = 1.2;
const THICK: f32 = 2.6;

/// Returns the widths of the arms of a box-drawing character to the left, right, top and bottom: each 0, thin or thick.
/// `None` for other characters.
fn line_arms(sign: char) -> Option<[f32; 4]> {
    let thin = |arms: [u8; 4]| Some(arms.map(|arm| f32::from(arm) * THIN));
    match sign {
        '─' => thin([1, 1, 0, 0]),
        '│' => thin([0, 0, 1, 1]),
        '┌' => thin([0, 1, 0, 1]),
        '┐' => thin([1, 0, 0, 1]),
        '└' => thin([0, 1, 1, 0]),
        '┘' => thin([1, 0, 1, 0]),
        '├' => thin([0, 1, 1, 1]),
        '┤' => thin([1, 0, 1, 1]),
        '┬' => thin([1, 1, 0, 1]),
        '┴' => thin([1, 1, 1, 0]),
        '┼' => thin([1, 1, 1, 1]),
        '━' => Some([THICK, THICK, 0.0, 0.0]),
        _ => None,
    }
}

/// Returns the directions of a round box-drawing corner: right or left, and down or up. `None` for other characters.
fn round_corner(sign: char) -> Option<[f32; 2]> {
    match sign {
        '╭' => Some([1.0, 1.0]),
        '╮' => Some([-1.0, 1.0]),
        '╰' => Some([1.0, -1.0]),
        '╯' => Some([-1.0, -1.0]),
        _ => None,
    }
}

/// Returns the left, top, right and bottom edge of a block character as proportions of its cell. `None` for other
/// characters.
fn block_proportions(sign: char) -> Option<[f32; 4]> {
    let eighths = |from: u32, to: u32| f32::from(u8::try_from(to - from).unwrap_or(8)) / 8.0;
    let code = u32::from(sign);
    Some(match sign {
        '▀' => [0.0, 0.0, 1.0, 0.5],
        '▔' => [0.0, 0.0, 1.0, 0.125],
        '▐' => [0.5, 0.0, 1.0, 1.0],
        '▕' => [0.875, 0.0, 1.0, 1.0],
        '▁'..='█' => [0.0, 1.0 - eighths(0x2580, code), 1.0, 1.0],
        '▉'..='▏' => [0.0, 0.0, eighths(code, 0x2590), 1.0],
        _ => return None,
    })
}

/// True if a character is drawn as a shape, not as text.
pub(super) fn is_drawn_as_shape(sign: char) -> bool {
    line_arms(sign).is_some() || block_proportions(sign).is_some() || round_corner(sign).is_some()
}

/// Returns the shapes of some characters of a row as the data of one SVG path. Each character comes with the left edge
/// of its cell.
pub(super) fn svg_path_of_shapes(signs: &[(f32, char)], top: f32, cell_size: (f32, f32)) -> String {
    let mut out = String::new();
    let mut corners = String::new();
    let mut rect = |x: f32, y: f32, width: f32, height: f32| {
        // Writing to a string cannot fail.
        let _ = write!(out, "M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z");
    };
    for (left, sign) in signs {
        let middle = left + cell_size.0 / 2.0;
        let line = top + cell_size.1 / 2.0;
        if let Some([from, above, to, below]) = block_proportions(*sign) {
            let [x, width] = [from, to - from].map(|share| share * cell_size.0);
            let [y, height] = [above, below - above].map(|share| share * cell_size.1);
            rect(left + x, top + y, width, height);
        }
        if let Some([right, down]) = round_corner(*sign) {
            let [half, side] = [right * THIN / 2.0, middle + right * cell_size.0 / 2.0];
            let [over, edge] = [down * THIN / 2.0, line + down * cell_size.1 / 2.0];
            let bend = line + down * cell_size.0 / 2.0;
            // Writing to a string cannot fail.
            let _ = write!(
                corners,
                "M{:.1} {edge:.1}V{bend:.1}Q{:.1} {:.1} {side:.1} {:.1}V{:.1}Q{:.1} {:.1} {:.1} {bend:.1}V{edge:.1}z",
                middle - half,
                middle - half,
                line - over,
                line - over,
                line + over,
                middle + half,
                line + over,
                middle + half,
            );
            continue;
        }
        let Some([west, east, north, south]) = line_arms(*sign) else {
            continue;
        };
        let half = west.max(east).max(north).max(south) / 2.0;
        if west + east > 0.0 {
            let from = if west > 0.0 { *left } else { middle - half };
            let to = if east > 0.0 {
                left + cell_size.0
            } else {
                middle + half
            };
            rect(from, line - half, to - from, 2.0 * half);
        }
        if north + south > 0.0 {
            let from = if north > 0.0 { top } else { line - half };
            let to = if south > 0.0 {
                top + cell_size.1
            } else {
                line + half
            };
            rect(middle - half, from, 2.0 * half, to - from);
        }
    }
    out + &corners
}
