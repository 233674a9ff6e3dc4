//! A few labelled answers, each with a key, one selected; long ones explain themselves below.

use ratatui::{buffer::Buffer, layout::Rect};

use super::measure;
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::text::{safe, safe_multiline};

/// Columns of a line at most: in wider rooms the eye would lose the way from an answer to its value.
const WIDEST: u16 = 100;

/// One answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// The key that picks it at once; without one, the first nine answer to their number.
    pub key: Option<char>,
    /// The answer in words, on one line.
    pub label: String,
    /// A short value at the right edge, such as what the answer is worth; may be empty.
    pub value: String,
    /// More about it, wrapped below; may be empty.
    pub detail: String,
    /// True if the label says how something came out, in our words and not in a claim's.
    pub outcome: bool,
}

impl Item {
    /// An answer that says how something came out: "yes, it is true".
    pub fn outcome(key: Option<char>, label: impl Into<String>) -> Self {
        Self {
            outcome: true,
            ..Self::new(key, label)
        }
    }

    /// An answer with a key and no detail.
    pub fn new(key: Option<char>, label: impl Into<String>) -> Self {
        Self {
            key,
            label: label.into(),
            ..Self::default()
        }
    }
}

/// Which answer is selected, and which lines are in view.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice {
    selected: usize,
    top: usize,
    height: usize,
    columns: usize,
}

impl Choice {
    /// The selected answer.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Selects an answer.
    pub fn select(&mut self, number: usize) {
        self.selected = number;
    }

    /// Moves the selection by so many answers, round the ends.
    pub fn step(&mut self, by: isize, items: &[Item]) {
        let count = isize::try_from(items.len()).unwrap_or(isize::MAX);
        if count > 0 {
            let at = isize::try_from(self.selected).unwrap_or(0) + by;
            self.selected = usize::try_from(at.rem_euclid(count)).unwrap_or(0);
        }
    }

    /// Selects the answer with this key (of its own, or its number) and says which that is.
    pub fn press(&mut self, key: char, items: &[Item]) -> Option<usize> {
        let own = items.iter().position(|item| item.key == Some(key));
        let number = || {
            let at = (key.to_digit(10)? as usize).checked_sub(1)?;
            items.get(at).filter(|item| item.key.is_none()).map(|_| at)
        };
        let found = own.or_else(number)?;
        self.selected = found;
        Some(found)
    }

    /// Takes the room there is, and brings the selected answer into view.
    pub fn fit(&mut self, items: &[Item], area: Rect) {
        self.height = area.height.into();
        self.columns = area.width.min(WIDEST).into();
        self.selected = self.selected.min(items.len().saturating_sub(1));
        let heights = || items.iter().map(|item| self.lines_of(item));
        let total: usize = heights().sum();
        let start: usize = heights().take(self.selected).sum();
        let end = start
            + items
                .get(self.selected)
                .map_or(0, |item| self.lines_of(item));
        let lowest = end.saturating_sub(self.height);
        self.top = self
            .top
            .max(lowest)
            .min(start)
            .min(total.saturating_sub(self.height));
    }

    /// The rows that all answers take in so many columns.
    pub fn rows(items: &[Item], columns: u16) -> usize {
        let columns = usize::from(columns.min(WIDEST).saturating_sub(4));
        let rows = items.iter().map(|item| match item.detail.as_str() {
            "" => 1,
            detail => 1 + measure::wrap(detail, columns).len(),
        });
        rows.sum()
    }

    /// The answer under a row of the panel, for a click.
    pub fn item_at(&self, row: u16, items: &[Item]) -> Option<usize> {
        if usize::from(row) >= self.height {
            return None;
        }
        let mut rows = self.top + usize::from(row);
        for (number, item) in items.iter().enumerate() {
            match rows.checked_sub(self.lines_of(item)) {
                Some(below) => rows = below,
                None => return Some(number),
            }
        }
        None
    }

    /// Draws the answers in view. The selection shows only where `focused`.
    pub fn render(
        &self,
        items: &[Item],
        focused: bool,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let width = area.width.min(WIDEST);
        let area = Rect { width, ..area };
        let mut line = 0;
        // Lines above the view have no row; wrapping puts them far below it instead.
        let row = |line: usize| measure::row(area, line.wrapping_sub(self.top));
        for (number, item) in items.iter().enumerate() {
            let selected = focused && number == self.selected;
            draw_label(number, item, selected, look, buffer, row(line));
            line += 1;
            for detail in self.details(&safe_multiline(&item.detail)) {
                let room = measure::after(row(line), 4);
                measure::put(detail, look.style(StyleRole::Faint), buffer, room);
                line += 1;
            }
            if line >= self.top + self.height {
                break;
            }
        }
    }

    fn lines_of(&self, item: &Item) -> usize {
        1 + self.details(&safe_multiline(&item.detail)).len()
    }

    fn details<'a>(&self, detail: &'a str) -> Vec<&'a str> {
        if detail.is_empty() {
            return Vec::new();
        }
        measure::wrap(detail, self.columns.saturating_sub(4))
    }
}

fn draw_label(
    number: usize,
    item: &Item,
    selected: bool,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    let cursor = if selected { look.glyphs.cursor } else { " " };
    measure::put(
        cursor,
        look.style(StyleRole::Selected),
        buffer,
        Rect {
            width: area.width.min(1),
            ..area
        },
    );
    let key = item.key.map_or_else(
        || {
            if number < 9 {
                (number + 1).to_string()
            } else {
                String::new()
            }
        },
        |key| key.to_string(),
    );
    let rest = measure::after(area, 1);
    measure::put(
        &key,
        look.style(StyleRole::Key),
        buffer,
        Rect {
            width: rest.width.min(2),
            ..rest
        },
    );
    let rest = measure::after(rest, 3);
    let label = safe(&item.label);
    let value = fitting(&item.value, usize::from(rest.width), measure::width(&label));
    let columns = measure::put_right(value, look.style(StyleRole::Text), buffer, rest);
    let drawn = measure::after(rest, rest.width - columns);
    measure::colour_outcomes(value, look, buffer, drawn);
    let value = columns;
    let gap = u16::from(value > 0);
    let rest = Rect {
        width: rest.width.saturating_sub(value + gap),
        ..rest
    };
    let label = measure::clip(&label, rest.width.into(), look.glyphs.ellipsis);
    measure::put(&label, look.style(StyleRole::Text), buffer, rest);
    if item.outcome {
        measure::colour_outcomes(&label, look, buffer, rest);
    }
    if selected {
        buffer.set_style(
            area.intersection(buffer.area),
            look.style(StyleRole::Selected),
        );
    }
}

/// The value beside a label; of one in several parts the last, where there is no room for more.
fn fitting(value: &str, columns: usize, label: usize) -> &str {
    match value.rsplit_once(" · ") {
        Some((_, last)) if label + 1 + measure::width(value) > columns => last,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::panel::testing::drawn;

    fn example() -> Vec<Item> {
        vec![
            Item {
                value: "+.01".into(),
                ..Item::new(Some('y'), "yes")
            },
            Item {
                value: "−.99".into(),
                ..Item::new(Some('n'), "no")
            },
        ]
    }

    fn supports() -> Vec<Item> {
        let item = |label: &str, detail: &str| Item {
            detail: detail.into(),
            ..Item::new(None, label)
        };
        vec![
            item("and of 2", "none of 2–33\nnone of 34–65"),
            item("and of 4", "a detail that is long enough to wrap"),
        ]
    }

    fn picture(choice: &mut Choice, items: &[Item], columns: u16, rows: u16) -> String {
        choice.fit(items, Rect::new(0, 0, columns, rows));
        drawn(columns, rows, |buffer, area| {
            choice.render(items, true, &Appearance::default(), buffer, area);
        })
    }

    #[test]
    fn answers_show_key_words_and_worth() {
        insta::assert_snapshot!(picture(&mut Choice::default(), &example(), 20, 2), @r"
        ›y  yes         +.01
         n  no          −.99
        ");
    }

    #[test]
    fn details_wrap_below_and_the_selected_answer_is_in_view() {
        let items = supports();
        let mut choice = Choice::default();
        insta::assert_snapshot!(picture(&mut choice, &items, 24, 4), @r"
        ›1  and of 2
            none of 2–33
            none of 34–65
         2  and of 4
        ");
        assert_eq!(choice.item_at(2, &items), Some(0));
        choice.step(1, &items);
        insta::assert_snapshot!(picture(&mut choice, &items, 24, 3), @r"
        ›2  and of 4
            a detail that is
            long enough to wrap
        ");
        assert_eq!(choice.item_at(0, &items), Some(1));
        assert_eq!(choice.item_at(3, &items), None);
    }

    #[test]
    fn keys_and_numbers_pick() {
        let mut choice = Choice::default();
        assert_eq!(choice.press('n', &example()), Some(1));
        assert_eq!(choice.selected(), 1);
        assert_eq!(choice.press('1', &example()), None);
        assert_eq!(choice.press('2', &supports()), Some(1));
        assert_eq!(choice.press('3', &supports()), None);
        assert_eq!(choice.press('0', &supports()), None);
    }

    #[test]
    fn steps_go_round() {
        let mut choice = Choice::default();
        choice.step(-1, &example());
        assert_eq!(choice.selected(), 1);
        choice.step(1, &example());
        assert_eq!(choice.selected(), 0);
        choice.step(1, &[]);
        assert_eq!(choice.selected(), 0);
    }

    #[test]
    fn nothing_to_choose_and_no_room_are_fine() {
        for (columns, rows) in [(0, 0), (1, 1), (3, 2), (0, 5), (5, 0)] {
            picture(&mut Choice::default(), &supports(), columns, rows);
            picture(&mut Choice::default(), &[], columns, rows);
        }
    }
}
