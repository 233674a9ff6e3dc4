//! A list of a few labelled answers to choose from, one of them selected. Each answer has a key; long answers have
//! details below.

use crate::tui::widget::Canvas;
use ratatui::layout::{Position, Rect};

use super::labels::{LabelToShorten, MIN_LABEL_COLUMNS, fit_labels};
use super::measure;
use crate::tui::theme::{ScreenAppearance, TextRole};
use debate_core::text::{replace_unsafe_characters, replace_unsafe_multiline, to_ascii_digit};

/// Maximum width of an answer's line, unless its label needs more columns. In wider lines it is hard to match an answer
/// with its value.
const WIDEST: u16 = 100;

/// Columns before an answer's label: for the cursor, the key and a gap.
const MARGIN: u16 = 4;

/// An answer that the user can choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChoiceItem {
    /// The key that selects the answer. If it is `None` and the answer is one of the first nine, the digit of its
    /// position selects it.
    pub key: Option<char>,
    /// The answer in words, on one line.
    pub label: String,
    /// The number of the claim that the answer is about. Answers about two different claims then never get equal
    /// labels.
    pub claim: Option<u32>,
    /// A short text at the right edge, for example the answer's expected payoff; may be empty.
    pub value: String,
    /// Details of the answer, wrapped below the label; may be empty.
    pub detail: String,
    /// True if the label is a short form of the details. In a row with room for the details, they take its place.
    pub is_short_form: bool,
    /// True if the label is an outcome in the program's own words, such as "true". Such words are coloured.
    pub is_outcome: bool,
}

impl ChoiceItem {
    /// Creates an answer whose label is an outcome: "yes, it is true".
    pub fn new_outcome_choice(key: Option<char>, label: impl Into<String>) -> Self {
        Self {
            is_outcome: true,
            ..Self::new(key, label)
        }
    }

    /// Returns the answer with the text at its right edge and its details, for screen readers.
    pub fn screen_reader_text(&self) -> String {
        let (label, detail) = if self.is_short_form {
            (&self.detail, "")
        } else {
            (&self.label, &*self.detail)
        };
        let words: Vec<&str> = [label, &*self.value, detail]
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect();
        words.join(": ")
    }

    /// Returns the label and the details in a list that is `columns` wide.
    fn label_and_detail(&self, columns: usize) -> (&str, &str) {
        let needed = columns_of_answer(&self.detail, &self.value);
        if self.is_short_form && needed <= columns {
            (&self.detail, "")
        } else {
            (&self.label, &self.detail)
        }
    }

    /// Creates an answer with a key and without details.
    pub fn new(key: Option<char>, label: impl Into<String>) -> Self {
        Self {
            key,
            label: label.into(),
            ..Self::default()
        }
    }
}

/// The state of a list of answers: the selected answer, and the lines that are in view.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChoiceList {
    selected: usize,
    top: usize,
    /// The area in which the list was last drawn.
    drawn_area: Rect,
    columns: usize,
    clicks: LastClickedRow,
}

impl ChoiceList {
    /// Returns the index of the selected answer.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Selects an answer.
    pub fn select_choice(&mut self, index: usize) {
        self.selected = index;
    }

    /// Moves the selection by `offset` answers. After the last answer it always continues with the first one, and vice
    /// versa. In contrast,
    /// [`RowSelectionAndScroll::move_selection`](super::tree::RowSelectionAndScroll::move_selection) stops at the
    /// ends of its lists.
    pub fn cycle_selection(&mut self, offset: isize, items: &[ChoiceItem]) {
        self.selected = cycle_index(self.selected, offset, items.len());
    }

    /// Selects the answer that has this key or number. Returns its index.
    pub fn select_by_key(&mut self, key: char, items: &[ChoiceItem]) -> Option<usize> {
        let key = to_ascii_digit(key);
        let own = items.iter().position(|item| item.key == Some(key));
        let number = || {
            let at = digit_index(key)?;
            items.get(at).filter(|item| item.key.is_none()).map(|_| at)
        };
        let item = own.or_else(number)?;
        self.selected = item;
        Some(item)
    }

    /// Adapts the list to the area and scrolls the selected answer into view.
    pub fn fit_to_area(&mut self, items: &[ChoiceItem], area: Rect) {
        self.drawn_area = area;
        let height = usize::from(area.height);
        self.columns = area.width.into();
        self.selected = self.selected.min(items.len().saturating_sub(1));
        let heights = || items.iter().map(|item| self.line_count(item));
        let total: usize = heights().sum();
        let start: usize = heights().take(self.selected).sum();
        let end: usize = heights().take(self.selected + 1).sum();
        let lowest = end.saturating_sub(height);
        let last = total.saturating_sub(height);
        self.top = self.top.max(lowest).min(start).min(last);
    }

    /// Returns the number of rows that all answers need at a width of `columns`.
    pub fn row_count(items: &[ChoiceItem], columns: u16) -> usize {
        let rows = items.iter().map(|item| {
            let (_, detail) = item.label_and_detail(columns.into());
            1 + wrapped_detail(&replace_unsafe_multiline(detail), columns.into()).len()
        });
        rows.sum()
    }

    /// Handles a click: selects the answer under the mouse. Returns its index, and true if it was the second click on
    /// the same answer.
    pub fn click(&mut self, at: Position, items: &[ChoiceItem]) -> Option<(usize, bool)> {
        let item = self.item_at(at, items)?;
        let second = self.clicks.is_second_click(item, Some(self.selected));
        self.selected = item;
        Some((item, second))
    }

    /// Returns the index of the answer under the mouse.
    fn item_at(&self, at: Position, items: &[ChoiceItem]) -> Option<usize> {
        if !self.drawn_area.contains(at) {
            return None;
        }
        let mut rows = self.top + usize::from(at.y - self.drawn_area.y);
        for (number, item) in items.iter().enumerate() {
            match rows.checked_sub(self.line_count(item)) {
                Some(below) => rows = below,
                None => return Some(number),
            }
        }
        None
    }

    /// Adapts the list to the area and draws the answers that are in view.
    pub fn draw(
        &mut self,
        items: &[ChoiceItem],
        focused: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        self.fit_to_area(items, area);
        self.render(items, focused, canvas, area);
    }

    /// Draws the answers that are in view. The selection is highlighted only if `focused`.
    pub fn render(&self, items: &[ChoiceItem], focused: bool, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        let width = line_columns(items, area.width);
        let area = Rect { width, ..area };
        // Lines above the view have no row; wrapping puts them far below it instead.
        let row = |line: usize| measure::row(area, line.wrapping_sub(self.top));
        let height = usize::from(self.drawn_area.height);
        let mut labels = self.labels(items, area.width, &look).into_iter();
        let mut line = 0;
        for (number, item) in items.iter().enumerate() {
            let selected = focused && number == self.selected;
            if line >= self.top
                && let Some((label, value)) = labels.next()
            {
                let key = key_label(number, item);
                let texts = [&key, &label, &value].map(String::as_str);
                draw_answer(texts, item.is_outcome, selected, canvas, row(line));
            }
            line += 1;
            let (_, detail) = item.label_and_detail(self.columns);
            for detail in wrapped_detail(&replace_unsafe_multiline(detail), self.columns) {
                let room = measure::skip_columns(row(line), MARGIN);
                canvas.draw_text_line(detail, TextRole::Faint, room);
                line += 1;
            }
            if line >= self.top + height {
                break;
            }
        }
    }

    /// Returns the labels and values of the answers whose first lines are in view.
    fn labels<'i>(
        &self,
        items: &'i [ChoiceItem],
        width: u16,
        look: &ScreenAppearance,
    ) -> Vec<(String, String)> {
        let room = usize::from(width.saturating_sub(MARGIN));
        let mut line = 0;
        let mut seen = Vec::new();
        for item in items {
            if line >= self.top + usize::from(self.drawn_area.height) {
                break;
            }
            if line >= self.top {
                let (label, _) = item.label_and_detail(self.columns);
                let value = value_that_fits(
                    &item.value,
                    room,
                    measure::width(&replace_unsafe_characters(label)),
                );
                // A claim retains the columns that distinguish it from the others, and another label up to half of the
                // line.
                let label_columns = match item.claim {
                    Some(_) => MIN_LABEL_COLUMNS,
                    None => measure::width(&replace_unsafe_characters(label)).min(room / 2),
                };
                let most = room.saturating_sub(label_columns + 1);
                let value = measure::clip(
                    &replace_unsafe_characters(value),
                    most,
                    look.glyphs.ellipsis,
                )
                .into_owned();
                seen.push((item, value));
            }
            line += self.line_count(item);
        }
        let label = |(item, value): &(&'i ChoiceItem, String)| {
            let taken = measure::width(value);
            LabelToShorten {
                text: item.label_and_detail(self.columns).0,
                id: item.claim,
                family: 0,
                columns: room - (taken + usize::from(taken > 0)).min(room),
            }
        };
        let labels: Vec<LabelToShorten<'_>> = seen.iter().map(label).collect();
        let texts = fit_labels(&labels, look.glyphs.ellipsis).into_iter();
        let values = seen.into_iter().map(|(_, value)| value);
        texts.zip(values).collect()
    }

    fn line_count(&self, item: &ChoiceItem) -> usize {
        let (_, detail) = item.label_and_detail(self.columns);
        1 + wrapped_detail(&replace_unsafe_multiline(detail), self.columns).len()
    }
}

/// Returns the lines of an answer's details in a list that is `columns` wide.
fn wrapped_detail(detail: &str, columns: usize) -> Vec<&str> {
    if detail.is_empty() {
        return Vec::new();
    }
    let columns = columns.min(WIDEST.into());
    measure::wrap(detail, columns.saturating_sub(MARGIN.into()))
}

/// Returns the width of the answers' lines in an area that is `columns` wide: at most [`WIDEST`], or as much as the
/// longest label and its value need.
fn line_columns(items: &[ChoiceItem], columns: u16) -> u16 {
    let needed = items.iter().map(|item| {
        let (label, _) = item.label_and_detail(columns.into());
        columns_of_answer(label, &item.value)
    });
    let needed = measure::to_u16_saturating(needed.max().unwrap_or(0));
    columns.min(WIDEST.max(needed))
}

/// Returns the columns of an answer's line with this label and value.
fn columns_of_answer(label: &str, value: &str) -> usize {
    let [label, value] =
        [label, value].map(|text| measure::width(&replace_unsafe_characters(text)));
    usize::from(MARGIN) + label + usize::from(value > 0) + value
}

/// Returns the index, from 0, of the answer that a digit key chooses: 1 chooses the first answer.
pub fn digit_index(key: char) -> Option<usize> {
    let number = to_ascii_digit(key).to_digit(10)? as usize;
    number.checked_sub(1)
}

/// Moves an index by `offset` (back if negative) among `count` items. After the last item it continues with the first
/// one, and vice versa.
pub fn cycle_index(at: usize, offset: isize, count: usize) -> usize {
    let count = isize::try_from(count).unwrap_or(isize::MAX).max(1);
    let to = isize::try_from(at).unwrap_or(0) + offset;
    usize::try_from(to.rem_euclid(count)).unwrap_or(0)
}

/// Returns the label of the key that chooses an answer; empty if there is none.
fn key_label(number: usize, item: &ChoiceItem) -> String {
    match item.key {
        Some(key) => key.to_string(),
        None if number < 9 => (number + 1).to_string(),
        None => String::new(),
    }
}

/// Draws the first line of an answer. If its label is an outcome, the words of outcomes are coloured.
fn draw_answer(
    [key, label, value]: [&str; 3],
    outcome: bool,
    selected: bool,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    if selected {
        let cursor = canvas.look.glyphs.cursor;
        canvas.draw_text_line(cursor, TextRole::Text, measure::first_columns(area, 1));
    }
    let rest = measure::skip_columns(area, 1);
    canvas.draw_text_line(key, TextRole::Key, measure::first_columns(rest, 2));
    let rest = measure::skip_columns(area, MARGIN);
    let columns = canvas.draw_text_right_aligned(value, TextRole::Text, rest);
    let drawn = measure::skip_columns(rest, rest.width - columns);
    canvas.colour_answer_and_bet_words(value, drawn);
    let rest = measure::area_left_of_item_at_right_edge(rest, columns);
    canvas.draw_text_line(label, TextRole::Text, rest);
    if outcome {
        canvas.colour_answer_and_bet_words(label, rest);
    }
    if selected {
        canvas.set_style(area, TextRole::Selected);
    }
}

/// Returns the text at the right edge of an answer. If there is no room for all of its parts, returns the last part.
fn value_that_fits(value: &str, columns: usize, label: usize) -> &str {
    match value.rsplit_once(" · ") {
        // Half of the line is enough for a label: the whole text follows below it.
        Some((_, last)) if label.min(columns / 2) + 1 + measure::width(value) > columns => last,
        _ => value,
    }
}

/// The row of the last click in a list, to recognise a second click on the same row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastClickedRow(Option<usize>);

impl LastClickedRow {
    /// Handles a click on a row of a list in which `marked` is the marked row. Returns true for the second click on the
    /// same row. A row that was marked by keys also needs two clicks.
    pub fn is_second_click(&mut self, row: usize, marked: Option<usize>) -> bool {
        let second = self.0 == Some(row) && marked == Some(row);
        self.0 = (!second).then_some(row);
        second
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widget::testing::drawn_text;

    fn example() -> Vec<ChoiceItem> {
        vec![
            ChoiceItem {
                value: "+.01".into(),
                ..ChoiceItem::new(Some('y'), "yes")
            },
            ChoiceItem {
                value: "−.99".into(),
                ..ChoiceItem::new(Some('n'), "no")
            },
        ]
    }

    fn supports() -> Vec<ChoiceItem> {
        let item = |label: &str, detail: &str| ChoiceItem {
            detail: detail.into(),
            ..ChoiceItem::new(None, label)
        };
        vec![
            item("and of 2", "none of 2–33\nnone of 34–65"),
            item("and of 4", "a detail that is long enough to wrap"),
        ]
    }

    fn picture(choice: &mut ChoiceList, items: &[ChoiceItem], columns: u16, rows: u16) -> String {
        choice.fit_to_area(items, Rect::new(0, 0, columns, rows));
        drawn_text(columns, rows, |buffer, area| {
            choice.render(
                items,
                true,
                &mut Canvas::new(&ScreenAppearance::default(), buffer),
                area,
            );
        })
    }

    #[test]
    fn answers_show_key_label_and_value() {
        insta::assert_snapshot!(picture(&mut ChoiceList::default(), &example(), 20, 2), @r"
        ›y  yes         +.01
         n  no          −.99
        ");
    }

    #[test]
    fn details_wrap_below_and_the_selected_answer_is_in_view() {
        let items = supports();
        let mut choice = ChoiceList::default();
        insta::assert_snapshot!(picture(&mut choice, &items, 24, 4), @r"
        ›1  and of 2
            none of 2–33
            none of 34–65
         2  and of 4
        ");
        assert_eq!(choice.item_at(Position::new(0, 2), &items), Some(0));
        choice.cycle_selection(1, &items);
        insta::assert_snapshot!(picture(&mut choice, &items, 24, 3), @r"
        ›2  and of 4
            a detail that is
            long enough to wrap
        ");
        assert_eq!(choice.item_at(Position::new(0, 0), &items), Some(1));
        assert_eq!(choice.item_at(Position::new(0, 3), &items), None);
    }

    #[test]
    fn answers_are_selected_by_keys_and_numbers() {
        let mut choice = ChoiceList::default();
        assert_eq!(choice.select_by_key('n', &example()), Some(1));
        assert_eq!(choice.selected(), 1);
        assert_eq!(choice.select_by_key('1', &example()), None);
        assert_eq!(choice.select_by_key('2', &supports()), Some(1));
        assert_eq!(choice.select_by_key('3', &supports()), None);
        // An Arabic-Indic and a full-width two.
        assert_eq!(choice.select_by_key('\u{662}', &supports()), Some(1));
        assert_eq!(choice.select_by_key('\u{FF12}', &supports()), Some(1));
        assert_eq!(choice.select_by_key('0', &supports()), None);
    }

    #[test]
    fn a_label_is_not_cut_while_there_are_free_columns() {
        let words = "a label of many words ".repeat(7);
        let long = ChoiceItem {
            value: "+.01".into(),
            ..ChoiceItem::new(Some('y'), words.trim())
        };
        let items = [long, ChoiceItem::new(Some('n'), "no")];
        for columns in [WIDEST - 1, WIDEST, WIDEST + 1, 162, 163, 200] {
            let shown = picture(&mut ChoiceList::default(), &items, columns, 2);
            let line = shown.lines().next().unwrap();
            let needed = usize::from(MARGIN) + measure::width(words.trim()) + 1 + 4;
            assert_eq!(
                line.contains('…'),
                usize::from(columns) < needed,
                "{columns}: {line}"
            );
        }
        // Short labels stay close to their values.
        let shown = picture(&mut ChoiceList::default(), &example(), 200, 1);
        assert_eq!(measure::width(&shown), usize::from(WIDEST));
    }

    #[test]
    fn a_short_form_is_shown_only_if_the_whole_label_does_not_fit() {
        let items = [ChoiceItem {
            detail: "no prime from 7 to 67 divides it".into(),
            value: "33 %".into(),
            is_short_form: true,
            ..ChoiceItem::new(None, "no prime from 7…")
        }];
        for columns in [36, 40, 41, 120] {
            let rows = u16::from(columns < 41) + 1;
            assert_eq!(ChoiceList::row_count(&items, columns), usize::from(rows));
            let shown = picture(&mut ChoiceList::default(), &items, columns, 3);
            assert_eq!(shown.contains('…'), columns < 41, "{columns}: {shown}");
            assert_eq!(shown.trim_end().lines().count(), usize::from(rows));
        }
    }

    #[test]
    fn the_selection_continues_at_the_other_end() {
        let mut choice = ChoiceList::default();
        choice.cycle_selection(-1, &example());
        assert_eq!(choice.selected(), 1);
        choice.cycle_selection(1, &example());
        assert_eq!(choice.selected(), 0);
        choice.cycle_selection(1, &[]);
        assert_eq!(choice.selected(), 0);
    }

    #[test]
    fn empty_choices_and_tiny_areas_are_drawn() {
        for (columns, rows) in [(0, 0), (1, 1), (3, 2), (0, 5), (5, 0)] {
            picture(&mut ChoiceList::default(), &supports(), columns, rows);
            picture(&mut ChoiceList::default(), &[], columns, rows);
        }
    }
}

#[cfg(test)]
mod clicks_tests {
    use super::*;

    #[test]
    fn a_second_click_on_a_row_is_recognised() {
        let mut clicks = LastClickedRow::default();
        assert!(
            !clicks.is_second_click(0, Some(0)),
            "marked, but not by a click"
        );
        assert!(clicks.is_second_click(0, Some(0)));
        assert!(!clicks.is_second_click(0, Some(0)), "the third begins anew");
        assert!(!clicks.is_second_click(2, Some(0)));
        assert!(
            !clicks.is_second_click(2, Some(1)),
            "keys have gone elsewhere"
        );
        assert!(clicks.is_second_click(2, Some(2)));
    }
}
