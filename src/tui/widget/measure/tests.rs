use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use super::*;
use crate::tui::widget::testing::drawn_text;
use debate_core::text::REPLACEMENT;
use proptest::prelude::*;

#[test]
fn widths_are_measured_in_columns_not_in_characters() {
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
    // Between words, unless too little would be left.
    assert_eq!(clip("no prime from 7 to 67", 11, "…"), "no prime…");
    assert_eq!(clip("no prime divides it", 17, "…"), "no prime divides…");
    assert_eq!(clip("no prime divides it", 18, "…"), "no prime divides…");
    assert_eq!(clip("no indivisible number", 12, "…"), "no indivisi…");
    assert_eq!(clip("e\u{301}e\u{301}e\u{301}", 2, "…"), "e\u{301}…");
}

#[test]
fn the_end_of_a_text_begins_with_a_whole_grapheme() {
    assert_eq!(longest_fitting_end("prime", 5), "prime");
    assert_eq!(longest_fitting_end("primes", 4), "imes");
    assert_eq!(longest_fitting_end("日本語", 4), "本語");
    assert_eq!(longest_fitting_end("日本語", 3), "語");
    assert_eq!(longest_fitting_end("e\u{301}e\u{301}", 1), "e\u{301}");
    assert_eq!(longest_fitting_end("👩‍🔬x", 3), "x");
    assert_eq!(longest_fitting_end("ab", 0), "");
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
fn drawn_text_is_escaped_and_stays_in_its_area() {
    let style = Style::new();
    let picture = drawn_text(5, 1, |buffer, area| {
        assert_eq!(
            draw_single_text_line("a\u{1b}[2Jlong", style, buffer, area),
            5
        );
    });
    assert_eq!(picture, "a\u{FFFD}[2J");
    let picture = drawn_text(5, 1, |buffer, area| {
        assert_eq!(draw_single_text_line("素数素", style, buffer, area), 4);
    });
    assert_eq!(picture, "素数");
    let picture = drawn_text(5, 1, |buffer, area| {
        draw_text_right_aligned(".90", style, buffer, area);
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
        assert!(
            matches!(with_agreed_widths(text), Cow::Borrowed(_)),
            "{text}"
        );
    }
    assert_eq!(
        with_agreed_widths("👩\u{200d}🔬 👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3}"),
        "👩🔬 👍 ❤ 1\u{20e3}"
    );
    assert_eq!(with_agreed_widths("a\u{200d}b"), "ab");
    assert_eq!(with_agreed_widths("a⸻b"), "a———b");
    assert_eq!(
        with_agreed_widths("\u{202e}\u{ad}\u{1f3fd}"),
        "\u{FFFD}\u{FFFD}"
    );
}

#[test]
fn drawing_over_half_of_a_wide_character_erases_it() {
    let picture = drawn_text(6, 1, |buffer, area| {
        draw_single_text_line("素数素", Style::new(), buffer, area);
        draw_single_text_line("│", Style::new(), buffer, skip_columns(area, 3));
    });
    assert_eq!(picture, "素 │素");
}

/// The picture of a terminal that measures one character after the other, of a frame with these
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
                draw_single_text_line("│", Style::new(), buffer, line);
                draw_text_right_aligned("│", Style::new(), buffer, line);
                let width = 28;
                draw_single_text_line(
                    text,
                    Style::new(),
                    buffer,
                    Rect {
                        width,
                        ..skip_columns(line, 1)
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
            .any(|c| c != '\u{1b}' && debate_core::text::is_unsafe_character(c))
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
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn no_text_shifts_the_frame_around_it(
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
    fn the_measured_width_equals_the_drawn_width(text in any::<String>()) {
        let columns = u16::try_from(width(&replace_unsafe_characters(&text))).unwrap();
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns + 9, 1));
        let area = buffer.area;
        prop_assert_eq!(draw_single_text_line(&text, Style::new(), &mut buffer, area), columns);
    }

    #[test]
    fn wrapping_drops_only_spaces(text in "[a-c%素é \u{301}\n]{0,40}", columns in 1_usize..9) {
        let lines = wrap(&text, columns);
        let letters = |text: &str| text.replace([' ', '\n'], "");
        prop_assert_eq!(letters(&lines.concat()), letters(&text));
        for line in lines {
            prop_assert!(width(line) <= columns.max(2), "{:?}", line);
        }
    }
}
