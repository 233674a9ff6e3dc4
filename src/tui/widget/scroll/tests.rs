use crate::tui::theme::ScreenAppearance;
use crate::tui::widget::Canvas;
use std::cell::Cell;

use super::*;
use crate::tui::widget::testing::{draw_to_buffer, drawn_text};
use proptest::prelude::*;

const NONE: Range<usize> = 0..0;

impl Scroll {
    /// Scrolls to the next entry (or the previous one) that `matches`, around the end if necessary, and marks it.
    /// Returns its index.
    fn search(
        &mut self,
        entries: &(impl Entries + ?Sized),
        forward: bool,
        matches: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let found = self
            .search_cursor_from_last_match_or_view(entries.len(), forward)
            .find(|at| matches(*at))?;
        self.show_search_match(entries, found, "");
        Some(found)
    }
}

impl<F: Fn(usize) -> Entry> Entries for (usize, F) {
    fn len(&self) -> usize {
        self.0
    }

    fn entry(&self, number: usize) -> Entry {
        (self.1)(number)
    }
}

fn numbered(count: usize) -> (usize, impl Fn(usize) -> Entry) {
    (count, |n| {
        Entry::new(format!("n{n}"), TextRole::Title, format!("line {n}"))
    })
}

fn picture(
    scroll: &mut Scroll,
    entries: &(impl Entries + ?Sized),
    columns: u16,
    rows: u16,
) -> String {
    scroll.fit_to_area(entries, Rect::new(0, 0, columns, rows));
    drawn_text(columns, rows, |buffer, area| {
        scroll.render(
            entries,
            &NONE,
            &mut Canvas::new(&ScreenAppearance::default(), buffer),
            area,
        );
    })
}

#[test]
fn the_view_follows_the_end_until_scrolled_up() {
    let mut scroll = Scroll::following_list_end(6);
    assert_eq!(
        picture(&mut scroll, &numbered(9), 20, 2),
        "n7    line 7\nn8    line 8"
    );
    assert_eq!(
        picture(&mut scroll, &numbered(10), 20, 2),
        "n8    line 8\nn9    line 9"
    );
    scroll.scroll(&numbered(10), -1);
    assert!(!scroll.follows_new_entries());
    assert_eq!(
        picture(&mut scroll, &numbered(50), 20, 2),
        "n7    line 7\nn8    line 8"
    );
    scroll.scroll(&numbered(50), 1000);
    assert!(scroll.follows_new_entries());
    assert_eq!(picture(&mut scroll, &numbered(51), 20, 1), "n50   line 50");
}

#[test]
fn long_bodies_wrap_beside_their_label_and_scroll_line_by_line() {
    let entries = [
        Entry::new(
            "Bob",
            TextRole::Party(1),
            "0 % likely (one test: composite, but not where)",
        ),
        Entry::new("Coin", TextRole::Faint, "false"),
    ];
    let mut scroll = Scroll::following_list_end(6);
    insta::assert_snapshot!(picture(&mut scroll, &entries[..], 24, 5), @r"
    Bob   0 % likely (one
          test: composite,
          but not where)
    Coin  false
    ");
    picture(&mut scroll, &entries[..], 24, 2);
    scroll.scroll(&entries[..], -1);
    insta::assert_snapshot!(picture(&mut scroll, &entries[..], 24, 2), @r"
          test: composite,
          but not where)
    ");
}

#[test]
fn styles_follow_their_pieces_over_a_break() {
    let entry = Entry::unlabelled(TextRole::Text, "one ").append_span(TextRole::Bad, "two three");
    let entries = [entry];
    let mut scroll = Scroll::following_list_end(0);
    scroll.fit_to_area(&entries[..], Rect::new(0, 0, 7, 2));
    let look = ScreenAppearance::default();
    let buffer = draw_to_buffer(7, 2, |buffer, area| {
        scroll.render(&entries[..], &NONE, &mut Canvas::new(&look, buffer), area);
    });
    let colour = |column, row| buffer[(column, row)].fg;
    let bad = look.style(TextRole::Bad).fg.unwrap();
    assert_ne!(colour(0, 0), bad);
    assert_eq!((colour(4, 0), colour(0, 1)), (bad, bad));
}

#[test]
fn the_newest_and_the_found_entry_are_marked_with_a_sign() {
    let mut scroll = Scroll::following_list_end(6);
    let entries = numbered(3);
    scroll.fit_to_area(&entries, Rect::new(0, 0, 20, 3));
    assert_eq!(scroll.search(&entries, true, |n| n == 1), Some(1));
    scroll.fit_to_area(&entries, Rect::new(0, 0, 20, 3));
    let picture = drawn_text(20, 3, |buffer, area| {
        scroll.render(
            &entries,
            &(2..3),
            &mut Canvas::new(&ScreenAppearance::default(), buffer),
            area,
        );
    });
    assert_eq!(picture, "n0    line 0\nn1  › line 1\nn2  • line 2");
}

#[test]
fn a_search_wraps_in_both_directions() {
    let entries = numbered(30);
    let mut scroll = Scroll::following_list_end(0);
    scroll.fit_to_area(&entries, Rect::new(0, 0, 20, 4));
    scroll.scroll_to_start(&entries);
    let tens = |n: usize| n.is_multiple_of(10);
    let forward: Vec<_> = (0..4)
        .map(|_| scroll.search(&entries, true, tens))
        .collect();
    assert_eq!(forward, [Some(0), Some(10), Some(20), Some(0)]);
    assert_eq!(scroll.search(&entries, false, tens), Some(20));
    assert_eq!(scroll.search(&entries, true, |n| n == 20), Some(20));
    assert_eq!(scroll.search(&entries, true, |_| false), None);
    assert_eq!(scroll.top_entry(), 20);
    assert_eq!(
        Scroll::following_list_end(0).search(&numbered(0), true, tens),
        None
    );
}

#[test]
fn a_jump_puts_the_entry_at_the_top() {
    let entries = numbered(100);
    let mut scroll = Scroll::following_list_end(0);
    scroll.fit_to_area(&entries, Rect::new(0, 0, 20, 4));
    scroll.scroll_entry_to_top(&entries, 40);
    scroll.scroll_entry_to_top(&entries, 99);
    assert_eq!(scroll.top_entry(), 96);
}

#[test]
fn the_cost_is_independent_of_the_number_of_entries() {
    let made = |count: usize| {
        let calls = Cell::new(0);
        let entries = (count, |n| {
            calls.set(calls.get() + 1);
            Entry::new("", TextRole::Text, format!("entry {n}"))
        });
        let mut scroll = Scroll::following_list_end(0);
        picture(&mut scroll, &entries, 30, 5);
        scroll.scroll(&entries, -3);
        scroll.scroll_entry_to_top(&entries, count / 2);
        picture(&mut scroll, &entries, 30, 5);
        calls.get()
    };
    assert!(
        made(1_000_000) <= made(20) + 5,
        "{} {}",
        made(1_000_000),
        made(20)
    );
}

#[test]
fn empty_lists_and_tiny_areas_are_drawn() {
    for (columns, rows, count) in [(0, 0, 3), (1, 1, 3), (20, 5, 0), (2, 0, 1), (0, 4, 2)] {
        let mut scroll = Scroll::following_list_end(9);
        picture(&mut scroll, &numbered(count), columns, rows);
        scroll.scroll(&numbered(count), -5);
        scroll.scroll(&numbered(count), 5);
        scroll.scroll_entry_to_top(&numbered(count), 7);
        scroll.search(&numbered(count), false, |_| true);
        picture(&mut scroll, &numbered(count), columns, rows);
    }
}

proptest! {
    #[test]
    fn scrolling_moves_by_exactly_the_given_lines(
        texts in prop::collection::vec("[a-c 素\n]{0,30}", 1..12),
        columns in 1_u16..12,
        rows in 1_u16..6,
        moves in prop::collection::vec(-7_isize..8, 0..12),
    ) {
        let entries: Vec<_> = texts.iter().map(|t| Entry::unlabelled(TextRole::Text, t)).collect();
        let all: Vec<&str> =
            texts.iter().flat_map(|text| measure::wrap(text, columns.into())).collect();
        let rows_shown = usize::from(rows);
        let last = all.len().saturating_sub(rows_shown);
        let mut scroll = Scroll::following_list_end(0);
        let mut top = last;
        for step in moves {
            picture(&mut scroll, &entries[..], columns, rows);
            scroll.scroll(&entries[..], step);
            top = top.saturating_add_signed(step).min(last);
            let shown = picture(&mut scroll, &entries[..], columns, rows);
            let fits = |line: &&str| measure::split_at(line, columns.into()).0.trim_end().to_owned();
            let expected: Vec<_> = all.iter().skip(top).take(rows_shown).map(fits).collect();
            let expected = expected.join("\n");
            prop_assert_eq!(shown.trim_end(), expected.trim_end());
            prop_assert_eq!(scroll.follows_new_entries(), top == last);
        }
    }
}

#[test]
fn entries_without_text_take_no_line() {
    let entry = |number: usize| match number % 3 {
        1 => Entry::empty_line_without_space(),
        _ => Entry::unlabelled(TextRole::Text, format!("line {number}")),
    };
    let entries = (8, entry);
    let mut scroll = Scroll::following_list_end(0);
    let mut seen = |lines: isize| {
        drawn_text(10, 3, |buffer, area| {
            scroll.fit_to_area(&entries, area);
            scroll.scroll(&entries, lines);
            scroll.render(
                &entries,
                &(0..0),
                &mut Canvas::new(&ScreenAppearance::default(), buffer),
                area,
            );
        })
    };
    assert_eq!(seen(0), "line 3\nline 5\nline 6");
    assert_eq!(seen(-1), "line 2\nline 3\nline 5");
    assert_eq!(seen(-9), "line 0\nline 2\nline 3");
    assert_eq!(seen(2), "line 3\nline 5\nline 6");
    assert_eq!(seen(9), "line 3\nline 5\nline 6");
}
