//! Text measured in terminal columns: wide characters take two, combining marks none, and a
//! grapheme is never split.
//!
//! Terminals do not agree on how many columns joined emoji take: some draw a woman, a joiner and a
//! microscope as one sign of two columns, others as two signs of four. A line of which a terminal
//! thinks otherwise than we do ends in the wrong column, and with it the frame. So such graphemes
//! are drawn by their parts, each of which takes the same columns everywhere: nothing of what was
//! written is left out but joiners, selectors of a style, and tones of skin.
//!
//! Letters of scripts that read from right to left are sent in the order in which they are
//! written, and no control of the direction is ever sent.

use std::borrow::Cow;

use ratatui::{
    buffer::{Buffer, CellWidth},
    layout::Rect,
    style::Style,
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar as _;

use crate::text::safe;

/// How many columns a text takes when drawn.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.graphemes(true).map(grapheme_width).sum()
    }
}

/// As a terminal counts that measures one character after the other.
fn grapheme_width(grapheme: &str) -> usize {
    let each = |text: &str| text.chars().map(character_width).sum();
    // Characters alone are most of what there is.
    if grapheme.len() == 1 {
        1
    } else if agreed(grapheme) {
        each(grapheme)
    } else {
        each(&parts(grapheme))
    }
}

fn character_width(c: char) -> usize {
    // Control characters are made visible before they are drawn.
    c.width().unwrap_or(1)
}

/// What goes into one place of the screen each: a character with the marks upon it, which take no
/// columns. A terminal may draw some of them together; then they take as many columns together.
fn units(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut marks = rest.char_indices().skip(1);
        let end = marks.find(|(_, c)| character_width(*c) > 0);
        let (unit, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = after;
        (!unit.is_empty()).then_some(unit)
    })
}

/// Whether all terminals come to the same columns for a grapheme.
fn agreed(grapheme: &str) -> bool {
    let mut characters = grapheme.chars();
    let Some(base) = characters.next() else {
        return true;
    };
    // What takes no columns would go to the sign before, the frame perhaps.
    let stands = character_width(base) > 0 && long_sign(base).is_none();
    stands
        && (characters.next().is_none()
            || !grapheme.contains(is_style)
                && !characters_after(grapheme).any(is_tone)
                && (joins_letters(base) || !grapheme.contains(JOINER))
                && units(grapheme).all(|unit| {
                    let base = unit.chars().next().map_or(0, character_width);
                    // Of a byte alone ratatui asks that it be no control character.
                    unit.len() == 1 || usize::from(unit.cell_width()) == base
                }))
}

fn characters_after(grapheme: &str) -> impl Iterator<Item = char> {
    grapheme.chars().skip(1)
}

/// Signs that should take two columns or three, and in many terminals take one; with what stands
/// for them.
fn long_sign(c: char) -> Option<&'static str> {
    match c {
        '\u{2E3A}' => Some("——"),
        '\u{2E3B}' => Some("———"),
        '\u{17D8}' => Some("\u{FFFD}"),
        // Marks of half a column's height: for some they take one, for some none.
        '\u{FF9E}' => Some("\u{309B}"),
        '\u{FF9F}' => Some("\u{309C}"),
        _ => None,
    }
}

/// Colours the emoji before it.
fn is_tone(c: char) -> bool {
    ('\u{1F3FB}'..='\u{1F3FF}').contains(&c)
}

/// Makes one sign of two emoji, or another form of a letter.
const JOINER: char = '\u{200D}';

/// Whether letters after this one take another form when a joiner stands between: in Arabic and
/// the scripts of India and around. Elsewhere a joiner is for emoji.
fn joins_letters(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{1FFF}' | '\u{A800}'..='\u{ABFF}' | '\u{10A00}'..='\u{11FFF}')
}

/// Selectors of a style: they change the columns of the sign before them in some terminals only.
fn is_style(c: char) -> bool {
    matches!(c, '\u{FE0E}' | '\u{FE0F}')
}

/// A grapheme on whose columns terminals do not agree, by parts on which they do.
fn parts(grapheme: &str) -> String {
    let mut parts = String::with_capacity(grapheme.len());
    for (at, c) in grapheme.chars().enumerate() {
        let left_out = is_style(c) || c == JOINER || at > 0 && is_tone(c);
        if let Some(shown) = long_sign(c) {
            parts.push_str(shown);
        } else if !left_out && (character_width(c) > 0 || !parts.is_empty()) {
            parts.push(c);
        }
    }
    if units(&parts).all(agreed) {
        return parts;
    }
    // Marks that change the columns of what they stand upon: then without them.
    parts.retain(|c| character_width(c) > 0);
    parts
}

/// The text as it is sent to a terminal: safe, and every grapheme of agreed columns.
fn settled(text: &str) -> Cow<'_, str> {
    let text = safe(text);
    // Most texts have nothing that could be joined, which is seen faster than graphemes are.
    let plain = |c: char| c < '\u{300}' || ('\u{2010}'..='\u{2BFF}').contains(&c);
    if text.chars().all(plain) {
        return text;
    }
    // What is left out may bring together what stood apart, so it is looked at again.
    let mut text = text;
    for _ in 0..MAX_LOOKS {
        if text.graphemes(true).all(agreed) {
            return text;
        }
        text = Cow::Owned(taken_apart(&text));
    }
    text
}

/// How often a text is looked at: each time marks are left out, and few follow one another.
const MAX_LOOKS: usize = 4;

fn taken_apart(text: &str) -> String {
    let each = text.graphemes(true).map(|grapheme| {
        if agreed(grapheme) {
            Cow::Borrowed(grapheme)
        } else {
            Cow::Owned(parts(grapheme))
        }
    });
    each.collect()
}

/// The front of a text that fits into so many columns, ending in `ellipsis` where it was cut.
#[must_use]
pub fn clip<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mark = width(ellipsis);
    if columns < mark {
        return Cow::Borrowed("");
    }
    let (front, _) = split_at(text, columns - mark);
    Cow::Owned(format!("{front}{ellipsis}"))
}

/// The text with spaces after it, up to so many columns.
#[must_use]
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces before it, up to so many columns.
#[must_use]
pub fn align_right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Splits a text after as many graphemes as fit into so many columns.
#[must_use]
pub fn split_at(text: &str, columns: usize) -> (&str, &str) {
    let mut taken = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        taken += grapheme_width(grapheme);
        if taken > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// Breaks a text into lines of at most so many columns: at line feeds, at spaces (but not before
/// a percent sign), and inside a word only when it is longer than a line. Spaces at a break are dropped. There is at least one
/// line; a grapheme wider than a line gets one of its own.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<&str> {
    text.split('\n')
        .flat_map(|line| wrap_line(line, columns.max(1)))
        .collect()
}

fn wrap_line(mut rest: &str, columns: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    loop {
        let (mut front, mut back) = split_at(rest, columns);
        if back.is_empty() {
            lines.push(front);
            return lines;
        }
        if front.is_empty() {
            let first = rest.graphemes(true).next().map_or(rest.len(), str::len);
            (front, back) = rest.split_at(first);
        } else if !may_break(back)
            && let Some(space) = last_break(front, back)
            && !front.trim_start_matches(' ').is_empty()
            && !front.split_at(space).0.trim_matches(' ').is_empty()
        {
            (front, back) = rest.split_at(space);
        }
        lines.push(front.trim_end_matches(' '));
        rest = back.trim_start_matches(' ');
        if rest.is_empty() {
            return lines;
        }
    }
}

/// Whether a line may end before this text: at a space, but a number keeps its percent sign.
fn may_break(text: &str) -> bool {
    text.starts_with(' ') && !text.starts_with(" %")
}

/// The last place in `front` where a line may end, `back` being what follows it.
fn last_break(front: &str, back: &str) -> Option<usize> {
    let spaces = front.rmatch_indices(' ').map(|(space, _)| space);
    let mut breaks = spaces.filter(|space| {
        let (_, after) = front.split_at(space + 1);
        let next = if after.is_empty() { back } else { after };
        !next.starts_with('%')
    });
    breaks.next()
}

/// Draws one line of text at the left of the first row of `area`, made safe and cut to its width.
/// Returns the columns taken.
pub fn put(text: &str, style: Style, buffer: &mut Buffer, area: Rect) -> u16 {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
    }
    uncover(area.x, area.y, buffer);
    let mut x = area.x;
    for unit in units(&settled(text)) {
        let columns = unit.chars().next().map_or(0, character_width);
        let Ok(columns @ 1..) = u16::try_from(columns) else {
            continue;
        };
        if columns > area.right() - x {
            break;
        }
        buffer[(x, area.y)].set_symbol(unit).set_style(style);
        for hidden in x + 1..x + columns {
            buffer[(hidden, area.y)].reset();
        }
        x += columns;
    }
    x - area.x
}

/// Takes away a wide sign of which the half at this place is about to be drawn over: half of it
/// cannot be shown, and the terminal would pass over what is drawn.
pub(super) fn uncover(x: u16, y: u16, buffer: &mut Buffer) {
    let before = x.checked_sub(1).and_then(|x| buffer.cell_mut((x, y)));
    if let Some(cell) = before
        && cell.symbol().chars().any(|c| character_width(c) > 1)
    {
        cell.set_symbol(" ");
    }
}

/// Draws one line of text at the right of the first row of `area`, or nothing of it if it does
/// not fit. Returns the columns taken.
pub fn put_right(text: &str, style: Style, buffer: &mut Buffer, area: Rect) -> u16 {
    let columns = u16::try_from(width(&safe(text))).unwrap_or(u16::MAX);
    if columns > area.width {
        return 0;
    }
    put(
        text,
        style,
        buffer,
        Rect {
            x: area.right() - columns,
            width: columns,
            ..area
        },
    )
}

/// The row of `area` that is so many rows below its top, or an empty area.
#[must_use]
pub fn row(area: Rect, number: usize) -> Rect {
    match u16::try_from(number) {
        Ok(number) if number < area.height => Rect {
            y: area.y + number,
            height: 1,
            ..area
        },
        _ => Rect { height: 0, ..area },
    }
}

/// The area without its first columns.
#[must_use]
pub fn after(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect {
        x: area.x + columns,
        width: area.width - columns,
        ..area
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::REPLACEMENT;
    use crate::tui::panel::testing::drawn;
    use proptest::prelude::*;
    use ratatui::backend::CrosstermBackend;
    use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

    #[test]
    fn columns_are_measured_not_counted() {
        assert_eq!(width("prime"), 5);
        assert_eq!(width("素数"), 4);
        assert_eq!(width("e\u{301}"), 1);
        // Drawn as a woman and a microscope, without what joins them.
        assert_eq!(width("👩‍🔬"), 4);
        assert_eq!(width("👍🏽"), 2);
        assert_eq!(width("❤\u{fe0f}"), 1);
        assert_eq!(width("🇩🇪"), 2);
        assert_eq!(width("क्\u{200d}ष"), width("क्ष"));
        assert_eq!(width("é\u{7}"), 2);
        assert_eq!(width("é\r\n"), 3);
    }

    #[test]
    fn clipping_marks_the_cut_and_splits_no_grapheme() {
        assert_eq!(clip("prime", 5, "…"), "prime");
        assert_eq!(clip("primes", 5, "…"), "prim…");
        assert_eq!(clip("素数", 3, "…"), "素…");
        assert_eq!(clip("素数", 2, "…"), "…");
        assert_eq!(clip("primes", 0, "…"), "");
        assert_eq!(clip("e\u{301}e\u{301}e\u{301}", 2, "…"), "e\u{301}…");
    }

    #[test]
    fn padding_counts_columns() {
        assert_eq!(pad("素", 4), "素  ");
        assert_eq!(align_right(".90", 5), "  .90");
        assert_eq!(align_right("too long", 3), "too long");
    }

    #[test]
    fn lines_break_at_spaces_and_at_line_feeds() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one  two", 4), ["one", "two"]);
        assert_eq!(wrap("a\n\nb", 9), ["a", "", "b"]);
        assert_eq!(wrap("", 9), [""]);
        assert_eq!(wrap("composite", 4), ["comp", "osit", "e"]);
        assert_eq!(wrap("素数 素", 5), ["素数", "素"]);
        assert_eq!(wrap("素数", 1), ["素", "数"]);
        assert_eq!(wrap("  indented text", 10), ["  indented", "text"]);
        assert_eq!(wrap("held 60 % likely", 8), ["held", "60 %", "likely"]);
        assert_eq!(wrap("held 60 % likely", 7), ["held", "60 %", "likely"]);
    }

    #[test]
    fn what_is_put_is_safe_and_stays_in_its_area() {
        let style = Style::new();
        let picture = drawn(5, 1, |buffer, area| {
            assert_eq!(put("a\u{1b}[2Jlong", style, buffer, area), 5);
        });
        assert_eq!(picture, "a\u{FFFD}[2J");
        let picture = drawn(5, 1, |buffer, area| {
            assert_eq!(put("素数素", style, buffer, area), 4);
        });
        assert_eq!(picture, "素数");
        let picture = drawn(5, 1, |buffer, area| {
            put_right(".90", style, buffer, area);
        });
        assert_eq!(picture, "  .90");
    }

    #[test]
    fn scripts_are_sent_as_they_are_written() {
        for text in [
            "素数 한국어 ทดสอบ",
            "שלום العربية لا",
            "क्\u{200d}ष می\u{200c}خواهم",
            "e\u{301}\u{323}\u{330}",
            "🇩🇪 👩",
        ] {
            assert!(matches!(settled(text), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(
            settled("👩\u{200d}🔬 👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3}"),
            "👩🔬 👍 ❤ 1\u{20e3}"
        );
        assert_eq!(settled("a\u{200d}b"), "ab");
        assert_eq!(settled("a⸻b"), "a———b");
        assert_eq!(settled("\u{202e}\u{ad}\u{1f3fd}"), "\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn what_is_drawn_over_half_of_a_sign_is_seen() {
        let picture = drawn(6, 1, |buffer, area| {
            put("素数素", Style::new(), buffer, area);
            put("│", Style::new(), buffer, after(area, 3));
        });
        assert_eq!(picture, "素 │素");
    }

    /// What a terminal that measures one character after the other shows of a frame with these
    /// texts in it, which are drawn as often as there are `shifts`, each time further down.
    fn shown(texts: &[String], shifts: &[usize]) -> vt100::Parser {
        let rows = u16::try_from(texts.len()).unwrap();
        let area = Rect::new(0, 0, 30, rows);
        let mut bytes = Vec::new();
        let backend = CrosstermBackend::new(&mut bytes);
        let viewport = Viewport::Fixed(area);
        let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        for shift in shifts {
            let frame = |frame: &mut Frame| {
                let buffer = frame.buffer_mut();
                for (number, text) in texts
                    .iter()
                    .cycle()
                    .skip(*shift)
                    .take(texts.len())
                    .enumerate()
                {
                    let line = row(area, number);
                    put("│", Style::new(), buffer, line);
                    put_right("│", Style::new(), buffer, line);
                    let width = 28;
                    put(
                        text,
                        Style::new(),
                        buffer,
                        Rect {
                            width,
                            ..after(line, 1)
                        },
                    );
                }
            };
            terminal.draw(frame).unwrap();
        }
        drop(terminal);
        let sent = String::from_utf8_lossy(&bytes);
        assert!(
            !sent
                .chars()
                .any(|c| c != '\u{1b}' && crate::text::is_unsafe(c))
        );
        let size = |n: u16| std::num::NonZero::new(n).unwrap();
        let mut seen = vt100::Parser::new(size(rows), size(30), 0);
        // This emulator alone passes over the replacement mark.
        seen.process(sent.replace(REPLACEMENT, "?").as_bytes());
        seen
    }

    fn assert_framed(texts: &[String]) {
        let (once, twice) = (shown(texts, &[1]), shown(texts, &[0, 1]));
        let told = twice.screen().contents();
        assert_eq!(
            told,
            once.screen().contents(),
            "something is left of the first frame"
        );
        for (line, text) in (0_u16..).zip(texts.iter().cycle().skip(1).take(texts.len())) {
            for column in [0, 29] {
                let cell = twice.screen().cell(line, column).unwrap();
                assert_eq!(cell.contents(), "│", "{line}, {column}: {text:?}\n{told}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn no_text_moves_a_frame(
            texts in prop::collection::vec(
                prop_oneof![
                    any::<String>(),
                    "[a👩🔬❤🏽👍🇩🇪🏴1\u{200d}\u{fe0f}\u{fe0e}\u{20e3}\u{301}]{0,20}",
                    "[אבגלا\u{627}\u{644}\u{202e}\u{2066}\u{200f}\u{200d} \u{ad}\t]{0,20}",
                    "[\u{1100}\u{1161}\u{11a8}각क्षក្ทำ\u{16d63}\u{16d67}\u{e33}\u{200c}\u{200d}]{0,20}",
                ],
                1..6,
            ),
        ) {
            assert_framed(&texts);
        }
    }

    proptest! {
        #[test]
        fn what_is_measured_is_what_is_drawn(text in any::<String>()) {
            let columns = u16::try_from(width(&safe(&text))).unwrap();
            let mut buffer = Buffer::empty(Rect::new(0, 0, columns + 9, 1));
            let area = buffer.area;
            prop_assert_eq!(put(&text, Style::new(), &mut buffer, area), columns);
        }

        #[test]
        fn wrapping_loses_nothing_but_spaces(text in "[a-c%素é \u{301}\n]{0,40}", columns in 1_usize..9) {
            let lines = wrap(&text, columns);
            let letters = |text: &str| text.replace([' ', '\n'], "");
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
            for line in lines {
                prop_assert!(width(line) <= columns.max(2), "{:?}", line);
            }
        }
    }
}
