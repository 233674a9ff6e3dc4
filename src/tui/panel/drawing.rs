//! Draws the panels: frames and titles, the strip of rewards, the tree with its columns, the transcript and the
//! rewards.

use crate::tui::widget::Canvas;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use super::explanation::{self, ExplanationPanel, PendingQuestionState};
use super::rewards::RewardStrip;
use super::rewards::RewardTableRows;
use super::source::SourcePanel;
use super::{DebatePanels, Panel, percent_that_fits, title};
use crate::tui::actions::KeyMap;
use crate::tui::keys::{Action, READING_CONTEXTS};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget;
use crate::tui::widget::labels::MIN_LABEL_COLUMNS;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{EntriesCachedForFrame, lines_up_to};
use crate::tui::widget::tree::TreeRow;
use debate_core::number::format_percent;
use debate_core::protocol::Rules as _;
use debate_text::claim_tree::{ClaimTreeRow, RowMark};
use debate_text::{DebateViewpoint, PayoffUnit, probability_text};

/// The number of empty columns between two columns of the tree.
const GAP: usize = 2;
/// Minimum width of the bar of a probability, and its maximum in a panel of at most 51 columns. In a wider panel, the
/// maximum is a quarter of the panel's width.
const BAR_COLUMNS: (usize, usize) = (4, 12);
/// Minimum width of the text column at which claims are shown in full, if each fits.
const MIN_FULL_TEXT_COLUMNS: usize = 44;

impl DebatePanels {
    /// Returns the strip that shows the rewards in one or two lines.
    fn strip(
        &self,
        viewpoint: &DebateViewpoint<'_, '_>,
        look: ScreenAppearance,
    ) -> RewardStrip<'_> {
        let amounts = self
            .rewards
            .payoff_formatter(viewpoint)
            .with_payoff_unit(self.unit);
        RewardStrip::new(self.shown_rewards(), viewpoint, amounts, look)
    }

    /// Draws the strip of rewards for a debate that is shown beside another one.
    pub fn draw_reward_strip(
        &self,
        view: &DebateViewpoint<'_, '_>,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        self.strip(view, canvas.look).draw(canvas, area);
    }

    /// Draws the strip of rewards if the layout has no panel for them.
    fn draw_strip(&self, view: &DebateViewpoint<'_, '_>, canvas: &mut Canvas<'_>, area: Rect) {
        if area.is_empty() {
            return;
        }
        self.draw_reward_strip(view, canvas, measure::skip_columns(area, 1));
    }

    /// Draws the title, the panels above the ask panel, and the strip of rewards. `asked` is the state of the question
    /// to the user.
    pub fn draw(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        asked: &PendingQuestionState,
        keys: &KeyMap<Action>,
        canvas: &mut Canvas<'_>,
    ) {
        let look = canvas.look;
        let layout = self.layout.clone();
        // The claims are complete while their panel has the focus.
        let row = self.tree.selected();
        let row = self
            .outline
            .set_claims_beside_path_hidden(self.focus != Panel::Tree, row);
        self.tree.select(row);
        self.keys = Panel::FOCUS_ACTIONS.map(|to| keys.key_or_command_name(READING_CONTEXTS, to));
        title::draw_title(view, self.shown_rewards(), canvas, layout.title);
        self.draw_strip(view, canvas, layout.strip);
        if let Some(area) = layout.tabs {
            let front = Panel::UPPER.iter().position(|panel| *panel == self.front);
            widget::render_tabs(&self.tabs(), front.unwrap_or(1), canvas, area);
        }
        // The frame of the focused panel is drawn last, over the borders of its neighbours.
        let mut panels = layout.panels;
        panels.sort_by_key(|(panel, _)| *panel == self.focus);
        for (panel, area) in &panels {
            let focused = self.focus == *panel;
            if focused {
                self.draw_explanation(view, asked, canvas, layout.side);
            }
            let inner = if layout.framed {
                canvas.draw_frame(&self.panel_title(view, *panel), focused, *area)
            } else {
                *area
            };
            let open = match panel {
                Panel::Rewards => view.reader.is_following_debate() && view.reader.sees_estimates(),
                _ => view.reader.is_following_debate(),
            };
            if !open {
                // One notice is enough.
                if *panel == Panel::Tree || layout.tabs.is_some() {
                    draw_closed_notice(canvas, inner);
                }
                continue;
            }
            match panel {
                Panel::Tree => match &mut self.source {
                    Some(source) => source.draw(focused, layout.framed, canvas, inner),
                    None => {
                        self.draw_tree(view, focused || asked.is_marking_in_tree, canvas, inner);
                    }
                },
                Panel::Transcript => {
                    let transcript = self.entries(view, look.formula_script());
                    let newest = &view.newest;
                    let framed = layout.framed;
                    self.transcript
                        .draw(&transcript, newest, framed, canvas, inner);
                }
                Panel::Rewards => self.draw_rewards(view, canvas, inner),
                Panel::Ask => {}
            }
        }
        if panels.iter().all(|(panel, _)| *panel != self.focus) {
            self.draw_explanation(view, asked, canvas, layout.side);
        }
    }

    /// Draws the explanation panel. Called after the panel above it was drawn, whose border has no title, and before
    /// the focused panel is drawn.
    fn draw_explanation(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        asked: &PendingQuestionState,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        if area.is_empty() {
            return;
        }
        let claim = self.outline.claim(self.tree.selected());
        let explanation = ExplanationPanel::new(view, claim, asked, &mut self.split_bar);
        let inner = canvas.draw_frame(explanation::TITLE, false, area);
        explanation.draw(canvas, measure::skip_columns(inner, 1));
    }

    /// Draws the frame of the lowest panel, or only its title if rows are scarce. Returns the area inside the frame.
    pub fn draw_bottom_frame(&self, title: &str, canvas: &mut Canvas<'_>) -> Rect {
        let area = self.layout.ask;
        let focused = self.focus == Panel::Ask;
        if self.layout.framed {
            return canvas.draw_frame(title, focused, area);
        }
        let [head, inner] = Layout::vertical([Length(1), Fill(1)]).areas(area);
        let role = if focused {
            TextRole::Focus
        } else {
            TextRole::Title
        };
        let line = measure::pad(title, area.width.into());
        canvas.draw_text(&line, role, head);
        inner
    }

    fn panel_title(&self, view: &DebateViewpoint<'_, '_>, panel: Panel) -> String {
        match panel {
            Panel::Tree if self.source.is_none() && self.outline.hides_claims() => {
                format!("{} on the path", self.first_panel_name())
            }
            Panel::Tree => self.first_panel_name().to_owned(),
            Panel::Transcript => Panel::NAMES[1].to_owned(),
            Panel::Rewards | Panel::Ask => self.rewards_title(view),
        }
    }

    fn rewards_title(&self, view: &DebateViewpoint<'_, '_>) -> String {
        let amounts = self.amount_format(view);
        let amount_noun = match amounts.unit {
            PayoffUnit::Points => "Rewards",
            // The transcript keeps points, so the title says that these amounts are no points.
            PayoffUnit::OfRules => "Payoffs",
        };
        format!("{amount_noun} to {}", amounts.recipient_word())
    }

    /// Returns the name of the first panel: the tree of claims, or the source.
    fn first_panel_name(&self) -> &'static str {
        let source = self.source.as_ref();
        source.map_or(Panel::NAMES[0], SourcePanel::panel_name)
    }

    /// Returns the titles of the three upper panels, each after the label of the key that focuses it.
    pub fn tabs(&self) -> [String; 3] {
        let [tree, transcript, rewards] = &self.keys;
        let [_, second, third] = Panel::NAMES;
        let first = self.first_panel_name();
        [
            format!("{tree} {first}"),
            format!("{transcript} {second}"),
            format!("{rewards} {third}"),
        ]
    }

    fn draw_tree(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        focused: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let count = self.outline.row_count();
        let area = measure::skip_columns(area, 1);
        self.tree.fit_to_area(count, area);
        let top = self.tree.first_visible_row();
        let numbers = top..(top + usize::from(area.height)).min(count);
        let script = canvas.look.formula_script();
        let rows = numbers.map(|number| self.outline.row(view, number, script));
        let mut rows: Vec<ClaimTreeRow> = rows.map_while(|row| row).collect();
        let instance = view.facts.instance;
        let whole = |row: &ClaimTreeRow| instance.text(row.claim);
        let columns = ClaimColumns::new(&mut rows, area.width.into(), whole);
        let texts = measure::first_columns(area, measure::to_u16_saturating(columns.text));
        let row = |number: usize| {
            let row = rows.get(number.saturating_sub(top));
            row.map_or_else(TreeRow::default, |row| TreeRow {
                branches: row.branches,
                text: row.text.clone(),
                claim: Some(row.claim.claim_number()),
                mark: row.mark,
                extra_columns: measure::to_u16_saturating(columns.extra_columns(row)),
                ..TreeRow::default()
            })
        };
        self.tree.render(count, row, focused, canvas, texts);
        for (line, row) in rows.iter().enumerate() {
            let at = measure::row(area, line);
            let at = measure::skip_columns(at, texts.width);
            columns.draw(row, canvas, at);
            if focused && top + line == self.tree.selected() {
                canvas.set_style(at, TextRole::Selected);
            }
        }
        // A player reads the claim in the question. Between questions, the text would appear and vanish with each move.
        let is_playing = view.state.request().is_some() && view.reader.viewer_seat().is_some();
        if self.focus == Panel::Tree || !is_playing {
            let cut = rows.iter().filter(|row| columns.cuts(row)).map(whole);
            draw_in_full(cut, canvas, measure::rows(area, rows.len(), usize::MAX));
        }
    }

    fn draw_rewards(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let look = canvas.look;
        let columns = area.width.into();
        let amounts = self.amount_format(view);
        // Reasons and formulas are shown only while this panel has the focus.
        let read = self.focus == Panel::Rewards;
        let shown = self.frozen_rewards.as_ref().unwrap_or(&self.rewards);
        let rows = RewardTableRows::new(shown, view, amounts, &look, columns, read);
        let [above, total] = Layout::vertical([Fill(1), Length(1)]).areas(area);
        let lines = lines_up_to(&rows, area.width, above.height.into());
        // The total is directly below the rounds if all rounds are in view.
        let all = measure::to_u16_saturating(lines).min(above.height);
        let y = above.y + all;
        rows.draw_total(canvas, measure::row(Rect { y, ..total }, 0));
        let entries = EntriesCachedForFrame::new(&rows);
        let table = measure::rows(above, 0, all.into());
        let framed = self.layout.framed;
        self.rewards_view.fit_to_area(&entries, table);
        if let Some(current) = rows.displayed_row_of_current_round().filter(|_| !read) {
            self.rewards_view.scroll_into_view(&entries, current);
        }
        self.rewards_view
            .draw(&entries, &(0..0), framed, canvas, table);
    }
}

/// Draws the full texts of claims that are cut off in their rows, as far as there are free rows below the tree.
fn draw_in_full(claims: impl Iterator<Item = String>, canvas: &mut Canvas<'_>, free: Rect) {
    let mut left = measure::rows(free, 1, usize::MAX);
    let mut is_first = true;
    for claim in claims {
        let text = format!("“{claim}”");
        let lines = measure::wrap(&text, left.width.into());
        if lines.len() + usize::from(is_first) > usize::from(left.height) {
            return;
        }
        if std::mem::take(&mut is_first) {
            canvas.draw_text("In full:", TextRole::Faint, left);
            left = measure::rows(left, 1, usize::MAX);
        }
        for (number, line) in lines.iter().enumerate() {
            canvas.draw_text(line, TextRole::Faint, measure::row(left, number));
        }
        left = measure::rows(left, lines.len(), usize::MAX);
    }
}

/// Draws a notice in a panel whose contents are hidden from the judge.
fn draw_closed_notice(canvas: &mut Canvas<'_>, area: Rect) {
    let sentence = "Not shown to the judge before the end.";
    canvas.draw_text_wrapped(sentence, TextRole::Faint, area);
}

/// Minimum width of a tree of claims whose numbers always have all of their digits.
const PRECISE_COLUMNS: usize = 56;

/// The widths of the columns in a claim's row of the tree: its text, the reply and bet, the coin, and a bar with its
/// number.
#[derive(Clone, Copy, Debug)]
struct ClaimColumns {
    /// The width of the claims' texts with the branches of the tree.
    text: usize,
    response: usize,
    outcome: usize,
    /// The remaining width, left empty before the bar.
    slack: usize,
    /// The width of the bar; 0 if there is no room for it.
    bar: usize,
    /// The width of the number or the bits beside the bar.
    number: usize,
}

/// Returns the reply that was made to a claim, and the player who must reply next.
fn response(row: &ClaimTreeRow) -> String {
    let text = format!("{} {}", row.response, row.asked);
    text.trim().to_owned()
}

/// Returns the columns of a row's bits, or of its probability in this format.
fn number_columns(row: &ClaimTreeRow, format: fn(f64) -> String) -> usize {
    let number = row.p.map_or(0, |p| measure::width(&format(p)));
    number.max(measure::width(&row.bits))
}

/// The columns of the mark before the text of a new row.
const MARK_COLUMNS: usize = 2;

/// Returns the columns of a claim's text in the tree, including its branches and the mark of new rows.
fn row_columns(row: &ClaimTreeRow) -> usize {
    2 * usize::from(row.branches.depth_in_claim_tree()) + measure::width(&row.text) + MARK_COLUMNS
}

impl ClaimColumns {
    /// Computes the widths of the columns for these rows. Claims are shown in full if there is room; `full_text`
    /// returns the full text of a row's claim.
    fn new(
        rows: &mut [ClaimTreeRow],
        columns: usize,
        full_text: impl Fn(&ClaimTreeRow) -> String,
    ) -> Self {
        let widest = |rows: &[ClaimTreeRow], width: &dyn Fn(&ClaimTreeRow) -> usize| {
            rows.iter().map(width).max().unwrap_or(0)
        };
        let text = row_columns;
        let mut all = Self {
            text: widest(rows, &text),
            response: widest(rows, &|row| measure::width(&response(row))),
            outcome: widest(rows, &|row| measure::width(&row.outcome)),
            slack: 0,
            bar: 0,
            number: widest(rows, &|row| number_columns(row, probability_text)),
        };
        // If not all fits, claims are first cut as far as they remain distinguishable. Then the column of replies is
        // dropped, then the column of coins.
        let least = all.text.min(MIN_LABEL_COLUMNS + 8);
        if all.other_columns() + least > columns {
            all.response = 0;
        }
        if all.other_columns() + least > columns {
            all.outcome = 0;
        }
        // Numbers have all of their digits unless a claim would be cut for them in a narrow panel.
        let precise = widest(rows, &|row| number_columns(row, format_percent));
        let needed = widest(rows, &|row| {
            text(row).saturating_sub(all.spare_response(row))
        });
        let is_wide = columns >= PRECISE_COLUMNS;
        if is_wide || all.other_columns() - all.number + precise + needed <= columns {
            all.number = precise;
        }
        let free = columns.saturating_sub(all.other_columns() + all.text + GAP);
        if free >= BAR_COLUMNS.0 && rows.iter().any(|row| row.p.is_some()) {
            all.bar = free.min(BAR_COLUMNS.1.max(columns / 4));
            // A bar of the usual length is enough if claims are then shown in full.
            let taken = all.other_columns() - all.bar + MIN_FULL_TEXT_COLUMNS;
            let beside_full_text = columns.saturating_sub(taken);
            if beside_full_text >= BAR_COLUMNS.1 {
                all.bar = all.bar.min(beside_full_text);
            }
        }
        let room = columns.saturating_sub(all.other_columns());
        for row in rows.iter_mut().filter(|_| room >= MIN_FULL_TEXT_COLUMNS) {
            let full = full_text(row);
            let short = std::mem::replace(&mut row.text, full);
            if text(row) > room + all.spare_response(row) {
                row.text = short;
            }
        }
        all.text = widest(rows, &text).min(room);
        all.slack = room - all.text;
        all
    }

    /// Returns the additional columns that a claim's text may use because the next cells of its row are empty.
    fn extra_columns(self, row: &ClaimTreeRow) -> usize {
        let free = self.free_columns_after_response(row);
        if self.shifts_asked(row) {
            return self.response.saturating_sub(measure::width(&row.asked)) + free;
        }
        if !response(row).is_empty() {
            return self.shift_of_response(row);
        }
        self.response + GAP * usize::from(self.response > 0) + free
    }

    /// Returns the columns that a row's reply leaves free in its cell; 0 if the cell is empty.
    fn spare_response(self, row: &ClaimTreeRow) -> usize {
        match measure::width(&response(row)) {
            0 => 0,
            taken => self.response.saturating_sub(taken),
        }
    }

    /// Returns the columns by which a row's reply moves to the right end of its cell, so that a claim that would be cut
    /// can use the rest of the cell.
    fn shift_of_response(self, row: &ClaimTreeRow) -> usize {
        let is_cut = row_columns(row) > self.text && !row.response.is_empty();
        self.spare_response(row) * usize::from(is_cut)
    }

    /// Returns the number of columns of the empty cells that follow the cell of a row's reply.
    fn free_columns_after_response(self, row: &ClaimTreeRow) -> usize {
        let has_number = row.p.is_some() || !row.bits.is_empty();
        // The bar and the number are at the right edge, after the slack.
        let cells = [
            (self.outcome, row.outcome.is_empty()),
            (self.bar, !has_number),
            (self.number, !has_number),
        ];
        let free = cells.iter().take_while(|(_, is_empty)| *is_empty);
        let columns: usize = free
            .clone()
            .map(|(width, _)| width + GAP * usize::from(*width > 0))
            .sum();
        columns + self.slack * usize::from(free.count() > 0)
    }

    /// True if the mark of the pending question moves to the right end of its cell and of the empty cells after it, so
    /// that the claim's text can use the rest of these cells.
    fn shifts_asked(self, row: &ClaimTreeRow) -> bool {
        let has_only_mark = row.response.is_empty() && !row.asked.is_empty();
        self.response > 0 && has_only_mark && row_columns(row) > self.text
    }

    /// True if the text of a claim does not fit into its row.
    fn cuts(self, row: &ClaimTreeRow) -> bool {
        // A row without a mark leaves the mark's columns to its text.
        let unused = match row.mark {
            RowMark::Plain | RowMark::Chosen => MARK_COLUMNS,
            _ => 0,
        };
        row_columns(row) - unused > self.text + self.extra_columns(row)
    }

    /// Returns the number of columns that all cells of a row except the claim's text take.
    fn other_columns(self) -> usize {
        let widths = [self.response, self.outcome, self.bar, self.number];
        let shown = widths.into_iter().filter(|width| *width > 0);
        shown.map(|width| width + GAP).sum()
    }

    /// Draws all cells of a row except the claim's text.
    fn draw(self, row: &ClaimTreeRow, canvas: &mut Canvas<'_>, mut at: Rect) {
        let faint = row.mark == RowMark::Faint;
        // Colours show the speaker: answers and bets are Alice's, numbers are Bob's.
        let roles = [TextRole::Text, TextRole::Party(0), TextRole::Party(1)];
        let [plain, alice, bob] = roles.map(|role| if faint { TextRole::Faint } else { role });
        let cell = |at: &mut Rect, width: usize| {
            let gap = if width > 0 { GAP } else { 0 };
            *at = measure::skip_columns(*at, measure::to_u16_saturating(gap));
            let area = measure::first_columns(*at, measure::to_u16_saturating(width));
            *at = measure::skip_columns(*at, measure::to_u16_saturating(width));
            area
        };
        let area = cell(&mut at, self.response);
        let mut area = measure::skip_columns(
            area,
            measure::to_u16_saturating(self.shift_of_response(row)),
        );
        canvas.draw_text_and_advance(&row.response, alice, &mut area);
        if !row.response.is_empty() {
            area = measure::skip_columns(area, 1);
        }
        if self.shifts_asked(row) {
            let free = measure::to_u16_saturating(self.free_columns_after_response(row));
            area.width = area.width.saturating_add(free);
            canvas.draw_text_right_aligned(&row.asked, TextRole::Focus, area);
        } else {
            canvas.draw_text(&row.asked, TextRole::Focus, area);
        }
        let area = cell(&mut at, self.outcome);
        // Green and red are for decisions of a player, never for a coin.
        let role = TextRole::role_of_table_word(&row.outcome).unwrap_or(plain);
        canvas.draw_text(&row.outcome, role, area);
        at = measure::skip_columns(at, measure::to_u16_saturating(self.slack));
        let area = cell(&mut at, self.bar);
        if row.bits.is_empty() && self.bar > 0 {
            canvas.draw_text(
                &self.probability_bar(row.p.unwrap_or(0.0), canvas),
                bob,
                area,
            );
        }
        let area = cell(&mut at, self.number);
        let number = row.p.map(|p| percent_that_fits(p, self.number));
        let number = number.filter(|_| row.bits.is_empty());
        canvas.draw_text_right_aligned(number.as_ref().unwrap_or(&row.bits), plain, area);
    }

    /// Returns a probability as a text bar with marks at both ends.
    fn probability_bar(self, p: f64, canvas: &Canvas<'_>) -> String {
        let glyphs = canvas.look.glyphs;
        let inside = self.bar.saturating_sub(2);
        let halves = u32::try_from(2 * inside).unwrap_or(0);
        let length = (0..=halves)
            .rev()
            .find(|n| f64::from(*n) - 0.5 <= p * f64::from(halves))
            .unwrap_or(0);
        // Only a certain value reaches an end of the bar.
        let length = length.clamp(
            u32::from(p > 0.0).min(halves),
            halves.saturating_sub(u32::from(p < 1.0)),
        ) as usize;
        let bar = glyphs.whole.repeat(length / 2) + &glyphs.right_half.repeat(length % 2);
        let bar = measure::pad(&bar, inside);
        format!("{}{bar}{}", glyphs.stake_left, glyphs.stake_right)
    }
}
