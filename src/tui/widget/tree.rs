//! A tree, drawn from a flat list of its visible rows (those whose ancestors are unfolded).
//!
//! The caller traverses its tree depth first and gives each row its `TreeBranchLines`. Only rows in view are requested.

use std::ops::Range;

use crate::tui::widget::Canvas;
use ratatui::layout::{Position, Rect};

use super::choice::LastClickedRow;
use super::labels::{LabelToShorten, MIN_LABEL_COLUMNS, fit_labels};
use super::measure;
use crate::tui::theme::{ScreenAppearance, TextRole};
use debate_core::text::replace_unsafe_characters;
use debate_text::claim_tree::{FoldState, RowMark, TreeBranchLines};

/// Columns of a row that are not available for its text: its branch, its fold symbol, its mark and the gap before the
/// value.
const AROUND: usize = 7;

/// Width in columns of a row's fold symbol, and of its mark, each with a gap.
const SIGN_COLUMNS: usize = 2;

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeRow {
    /// Its position in the tree.
    pub branches: TreeBranchLines,
    /// The state of the row's children: shown, hidden or none.
    pub fold: FoldState,
    /// The row's text, cut if there is no room.
    pub text: String,
    /// The number of the claim in the row. Rows of two different claims then never get equal texts.
    pub claim: Option<u32>,
    /// A short text at the right edge, such as a probability; may be empty.
    pub value: String,
    /// The way in which the row is highlighted, for example as newest or current; plain if it is not.
    pub mark: RowMark,
    /// Columns that the row's text may use in addition to those of the other rows.
    pub extra_columns: u16,
}

/// A tree on the screen: its selected row and the rows in view.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowSelectionAndScroll {
    selected: usize,
    top: usize,
    /// The area in which the tree was last drawn.
    pub drawn_area: Rect,
    clicks: LastClickedRow,
}

impl RowSelectionAndScroll {
    /// Returns the index of the selected row.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Returns the index of the first row in view.
    pub fn first_visible_row(&self) -> usize {
        self.top
    }

    /// Selects a row of the tree. Does not scroll; `fit_to_area` later scrolls the row into view.
    pub fn select(&mut self, row: usize) {
        self.selected = row;
    }

    /// Moves the selection by `rows`, stopping at the first and the last row. In contrast,
    /// [`ChoiceList::cycle_selection`](super::choice::ChoiceList::cycle_selection) continues at the other end of its
    /// list.
    pub fn move_selection(&mut self, rows: isize, count: usize) {
        let last = count.saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
    }

    /// Scrolls the view by `rows`. The selection moves only if it would leave the view.
    pub fn scroll(&mut self, rows: isize, row_count: usize) {
        let height = usize::from(self.drawn_area.height);
        let last = row_count.saturating_sub(height);
        self.top = self.top.saturating_add_signed(rows).min(last);
        let bottom = (self.top + height).saturating_sub(1).max(self.top);
        self.selected = self.selected.clamp(self.top, bottom);
    }

    /// Adapts the tree to the area and the number of rows, and scrolls the selection into view.
    pub fn fit_to_area(&mut self, count: usize, area: Rect) {
        self.drawn_area = area;
        let height = usize::from(area.height);
        self.selected = self.selected.min(count.saturating_sub(1));
        let last = count.saturating_sub(height);
        self.top = self.top.min(last).min(self.selected);
        if self.selected >= self.top + height {
            self.top = (self.selected + 1).saturating_sub(height);
        }
    }

    /// Returns the row of the tree under the mouse.
    pub fn row_at(&self, at: Position, count: usize) -> Option<usize> {
        let row = self.top + usize::from(at.y.checked_sub(self.drawn_area.y)?);
        (self.drawn_area.contains(at) && row < count).then_some(row)
    }

    /// Handles a click on a row. Returns true for the second click on the same row.
    pub fn is_second_click(&mut self, row: usize) -> bool {
        self.clicks.is_second_click(row, Some(self.selected))
    }

    /// Adapts the tree to the area and draws the rows that are in view.
    pub fn draw(
        &mut self,
        count: usize,
        row: impl Fn(usize) -> TreeRow,
        focused: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        self.fit_to_area(count, area);
        self.render(count, row, focused, canvas, area);
    }

    /// Draws the tree's rows that are in view. The selection is highlighted only if `focused`.
    pub fn render(
        &self,
        count: usize,
        row: impl Fn(usize) -> TreeRow,
        focused: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let height = usize::from(self.drawn_area.height.min(area.height));
        let lines = height.min(count.saturating_sub(self.top));
        let selected = Some(self.selected).filter(|_| focused);
        draw_rows(self.top..self.top + lines, selected, row, canvas, area);
    }
}

/// Draws the tree's rows with these indices from the top of `area`, with the cursor on the selected row.
pub fn draw_rows(
    numbers: Range<usize>,
    selected: Option<usize>,
    row: impl Fn(usize) -> TreeRow,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let look = canvas.look;
    let mut rows: Vec<DrawnRow> = numbers
        .clone()
        .map(|number| DrawnRow::of(row(number), &look, area.width))
        .collect();
    // All rows leave out levels from the same depth on, so that no row is left of its parent.
    let cut = rows.iter().filter(|row| row.is_depth_cut());
    let most = cut.map(|row| row.levels).min().unwrap_or(usize::MAX);
    for row in &mut rows {
        row.draw_branches(most, &look);
    }
    let labels: Vec<LabelToShorten<'_>> = rows.iter().map(DrawnRow::label).collect();
    let texts = fit_labels(&labels, look.glyphs.ellipsis);
    for (line, (number, (row, text))) in numbers.zip(rows.iter().zip(texts)).enumerate() {
        let mut area = measure::row(area, line);
        area.width = area.width.saturating_add(row.row.extra_columns);
        row.draw(&text, canvas, area);
        if selected == Some(number) {
            canvas.set_style(area, TextRole::Selected);
        }
    }
}

/// A row of the tree whose value and branches are fitted to its columns; its text is fitted later.
struct DrawnRow {
    row: TreeRow,
    role: TextRole,
    /// The text at the row's right edge, cut if the row's main text needs the room.
    value: String,
    /// The number of levels of branch lines for which the row has room.
    levels: usize,
    /// The branch lines before the row's text.
    lines: String,
    fold: &'static str,
    sign: &'static str,
    /// Columns for the text.
    columns: usize,
}

impl DrawnRow {
    fn of(row: TreeRow, look: &ScreenAppearance, width: u16) -> Self {
        let (sign, role) = match row.mark {
            RowMark::Plain | RowMark::Chosen => ("", TextRole::Text),
            RowMark::Faint => ("", TextRole::Faint),
            RowMark::Current => ("", TextRole::Current),
            RowMark::Newest => (look.narration_symbols().newest, TextRole::Newest),
        };
        let fold = match row.fold {
            FoldState::Leaf => "",
            FoldState::Open => look.glyphs.open,
            FoldState::Shut => look.glyphs.shut,
        };
        let width = usize::from(width.saturating_add(row.extra_columns));
        // A claim retains the columns that distinguish it from the others.
        let kept = row.claim.map_or(0, |_| MIN_LABEL_COLUMNS);
        let mut value = replace_unsafe_characters(&row.value).into_owned();
        if kept > 0 {
            let most = width.saturating_sub(kept + AROUND);
            value = measure::clip(&value, most, look.glyphs.ellipsis).into_owned();
        } else if measure::width(&value) > width {
            value.clear();
        }
        let taken = measure::width(&value);
        let room = width.saturating_sub(taken + usize::from(taken > 0));
        let signs = SIGN_COLUMNS * (usize::from(!fold.is_empty()) + usize::from(!sign.is_empty()));
        // Branch lines take at most half of the width, so that deep rows still have text.
        let most = (room / 2).min(room.saturating_sub(signs + kept));
        Self {
            row,
            role,
            value,
            levels: most / 2,
            lines: String::new(),
            fold,
            sign,
            columns: room.saturating_sub(signs),
        }
    }

    /// True if the row has no room for all levels of its branch lines.
    fn is_depth_cut(&self) -> bool {
        self.levels < usize::from(self.row.branches.depth_in_claim_tree())
    }

    /// Draws the branch lines, at most this number of levels, and takes their columns from the text.
    fn draw_branches(&mut self, most: usize, look: &ScreenAppearance) {
        self.lines = drawn_branches(self.row.branches, self.levels.min(most), look);
        self.columns = self.columns.saturating_sub(measure::width(&self.lines));
        // The text of a claim is more important than the sign of a change, which the row's style shows as well.
        let text = measure::width(&self.row.text);
        let is_cut_for_sign = text > self.columns && text <= self.columns + SIGN_COLUMNS;
        if self.row.claim.is_some() && !self.sign.is_empty() && is_cut_for_sign {
            self.sign = "";
            self.columns += SIGN_COLUMNS;
        }
    }

    /// Returns the row's text as a label, with the columns that are available for it.
    fn label(&self) -> LabelToShorten<'_> {
        LabelToShorten {
            text: &self.row.text,
            id: self.row.claim,
            family: self.row.branches.depth_in_claim_tree(),
            columns: self.columns,
        }
    }

    fn draw(&self, text: &str, canvas: &mut Canvas<'_>, area: Rect) {
        let value = canvas.draw_text_right_aligned(&self.value, self.role, area);
        let drawn = measure::skip_columns(area, area.width - value);
        canvas.colour_answer_and_bet_words(&self.value, drawn);
        let mut room = measure::area_left_of_item_at_right_edge(area, value);
        canvas.draw_line_and_skip_columns(&self.lines, TextRole::Border, &mut room);
        if !self.fold.is_empty() {
            canvas.draw_line_and_skip_columns(self.fold, TextRole::Border, &mut room);
            room = measure::skip_columns(room, 1);
        }
        canvas.draw_line_and_skip_columns(text, self.role, &mut room);
        if !self.sign.is_empty() && room.width >= 2 {
            canvas.draw_text_line(self.sign, self.role, measure::skip_columns(room, 1));
        }
    }
}

/// Returns the branch lines before a row as text, two columns per level. If the row is deeper than `levels`, an
/// ellipsis replaces the levels nearest the root.
fn drawn_branches(branches: TreeBranchLines, levels: usize, look: &ScreenAppearance) -> String {
    let glyphs = look.glyphs;
    let levels = levels.min(branches.depth_in_claim_tree().into());
    let hidden = usize::from(branches.depth_in_claim_tree()) - levels;
    let mut text = String::new();
    for level in hidden..usize::from(branches.depth_in_claim_tree()) {
        let own = level + 1 == usize::from(branches.depth_in_claim_tree());
        text.push_str(match (own, branches.is_last_sibling()) {
            _ if hidden > 0 && level == hidden && !own => glyphs.ellipsis,
            (true, true) => glyphs.last_branch,
            (true, false) => glyphs.branch,
            _ if u16::try_from(level).is_ok_and(|level| branches.has_branch_line_at(level)) => {
                glyphs.rail
            }
            _ => " ",
        });
        text.push(' ');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::ASCII;
    use crate::tui::widget::testing::drawn_text;

    fn row(
        branches: TreeBranchLines,
        fold: FoldState,
        text: &str,
        value: &str,
        mark: RowMark,
    ) -> TreeRow {
        TreeRow {
            branches,
            fold,
            text: text.into(),
            value: value.into(),
            mark,
            claim: None,
            extra_columns: 0,
        }
    }

    fn example() -> Vec<TreeRow> {
        let inner = TreeBranchLines::ROOT.branch_of_child(false);
        vec![
            row(
                TreeBranchLines::ROOT,
                FoldState::Open,
                "4331 is prime",
                ".00",
                RowMark::Plain,
            ),
            row(
                inner,
                FoldState::Open,
                "none of 2–17",
                ".90",
                RowMark::Chosen,
            ),
            row(
                inner.branch_of_child(true),
                FoldState::Leaf,
                "none of 2–9",
                "",
                RowMark::Current,
            ),
            row(
                inner,
                FoldState::Shut,
                "none of 18–33",
                ".33",
                RowMark::Newest,
            ),
            row(
                TreeBranchLines::ROOT.branch_of_child(true),
                FoldState::Leaf,
                "none of 34–65 \u{1b}",
                "",
                RowMark::Faint,
            ),
        ]
    }

    fn picture(
        tree: &mut RowSelectionAndScroll,
        rows: &[TreeRow],
        columns: u16,
        height: u16,
        look: &ScreenAppearance,
    ) -> String {
        tree.fit_to_area(rows.len(), Rect::new(0, 0, columns, height));
        drawn_text(columns, height, |buffer, area| {
            tree.render(
                rows.len(),
                |at| rows[at].clone(),
                true,
                &mut Canvas::new(look, buffer),
                area,
            );
        })
    }

    #[test]
    fn rows_show_their_depth_value_and_claim() {
        let shown = picture(
            &mut RowSelectionAndScroll::default(),
            &example(),
            28,
            6,
            &ScreenAppearance::default(),
        );
        insta::assert_snapshot!(shown, @r"
        ▾ 4331 is prime          .00
        ├ ▾ none of 2–17         .90
        │ └ none of 2–9
        ├ ▸ none of 18–33 •      .33
        └ none of 34–65 �
        ");
    }

    #[test]
    fn rows_are_drawn_in_ascii_and_in_narrow_areas() {
        let look = ScreenAppearance {
            glyphs: &ASCII,
            ..ScreenAppearance::default()
        };
        let mut rows = example();
        for row in &mut rows {
            row.text = row.text.replace('–', "-");
        }
        rows.truncate(4);
        insta::assert_snapshot!(picture(&mut RowSelectionAndScroll::default(), &rows, 18, 4, &look), @r"
        v 4331 is pri~ .00
        | v none of~   .90
        | ` none of 2-9
        | > none of~ * .33
        ");
    }

    #[test]
    fn the_selection_stays_in_view() {
        let rows: Vec<_> = (0..100)
            .map(|n| {
                row(
                    TreeBranchLines::ROOT,
                    FoldState::Leaf,
                    &format!("row {n}"),
                    "",
                    RowMark::Plain,
                )
            })
            .collect();
        let mut tree = RowSelectionAndScroll::default();
        let look = ScreenAppearance::default();
        tree.select(50);
        assert_eq!(picture(&mut tree, &rows, 9, 2, &look), "row 49\nrow 50");
        tree.move_selection(-1, 100);
        assert_eq!(picture(&mut tree, &rows, 9, 2, &look), "row 49\nrow 50");
        tree.move_selection(-1000, 100);
        assert_eq!(picture(&mut tree, &rows, 9, 2, &look), "row 0\nrow 1");
        tree.move_selection(1000, 100);
        assert_eq!(picture(&mut tree, &rows, 9, 2, &look), "row 98\nrow 99");
        assert_eq!(tree.row_at(Position::new(0, 1), 100), Some(99));
        assert_eq!(tree.row_at(Position::new(0, 2), 100), None);
        tree.scroll(-10, 100);
        assert_eq!(picture(&mut tree, &rows, 9, 2, &look), "row 88\nrow 89");
        assert_eq!(tree.selected(), 89);
    }

    #[test]
    fn very_deep_rows_still_have_text() {
        let deep = (0..200).fold(TreeBranchLines::ROOT, |branches, _| {
            branches.branch_of_child(false)
        });
        let rows = [row(deep, FoldState::Leaf, "leaf", "", RowMark::Plain)];
        let shown = picture(
            &mut RowSelectionAndScroll::default(),
            &rows,
            16,
            1,
            &ScreenAppearance::default(),
        );
        assert_eq!(shown, "…     ├ leaf");
    }

    /// A row with a long value has room for fewer levels than its parent; both are then drawn at the same depth.
    #[test]
    fn no_row_is_left_of_its_parent() {
        let mut branches = TreeBranchLines::ROOT;
        let mut rows = Vec::new();
        for depth in 0..6 {
            let value = if depth == 5 { "a long value" } else { "" };
            rows.push(row(
                branches,
                FoldState::Leaf,
                "step",
                value,
                RowMark::Plain,
            ));
            branches = branches.branch_of_child(true);
        }
        let look = ScreenAppearance::default();
        let shown = picture(&mut RowSelectionAndScroll::default(), &rows, 24, 6, &look);
        let starts: Vec<usize> = shown
            .lines()
            .map(|line| line.chars().take_while(|c| *c != 's').count())
            .collect();
        assert!(starts.is_sorted(), "{shown}");
        assert!(
            starts[5] < 10,
            "the levels of the last row are cut\n{shown}"
        );
    }

    #[test]
    fn empty_trees_and_tiny_areas_are_drawn() {
        for (columns, height) in [(0, 0), (1, 1), (3, 2), (0, 5), (5, 0)] {
            picture(
                &mut RowSelectionAndScroll::default(),
                &example(),
                columns,
                height,
                &ScreenAppearance::default(),
            );
            picture(
                &mut RowSelectionAndScroll::default(),
                &[],
                columns,
                height,
                &ScreenAppearance::default(),
            );
        }
    }
}
