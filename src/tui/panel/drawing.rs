//! Draws the panels: frames and titles, the strip of rewards, the tree with its columns, the transcript and the
//! rewards.

use crate::tui::widget::Canvas;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use super::claim_columns::{ClaimColumnLayoutInputs, ClaimColumns};
use super::explanation::{self, ExplanationPanel, PendingQuestionState};
use super::rewards::RewardStrip;
use super::rewards::{ROUND_HEADING, RewardTableRows};
use super::source::SourcePanel;
use super::{DebatePanels, Panel, title};
use crate::tui::actions::KeyMap;
use crate::tui::keys::{Action, READING_CONTEXTS};
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{EntriesCachedForFrame, lines_up_to};
use crate::tui::widget::tree::TreeRow;
use debate_core::protocol::Rules as _;
use debate_text::claim_tree::ClaimTreeRow;
use debate_text::{DebateViewpoint, PayoffUnit};

/// If the panel of claims has fewer rows than this and no focus, a deep tree hides the claims beside the path.
const MIN_ROWS_OF_ALL_CLAIMS: u16 = 20;
/// Minimum width of the panel of rewards at which its rows have a margin.
const MIN_COLUMNS_WITH_MARGIN: u16 = 30;

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
        // Claims beside the path are hidden if the panel is low or has too few rows for all claims. They are shown
        // while the panel has the focus, because it scrolls.
        let tree = layout
            .panels
            .iter()
            .find(|(panel, _)| *panel == Panel::Tree);
        let frame = 2 * u16::from(layout.has_frames);
        let tree_rows = tree.map_or(0, |(_, area)| area.height.saturating_sub(frame));
        let hides = self.focus != Panel::Tree
            && (tree_rows < MIN_ROWS_OF_ALL_CLAIMS
                || self.outline.row_count_if_unfolded() > usize::from(tree_rows));
        let row = self.tree.selected();
        let row = self.outline.set_claims_beside_path_hidden(hides, row);
        self.tree.select(row);
        self.keys = Panel::FOCUS_ACTIONS.map(|to| keys.key_or_command_name(READING_CONTEXTS, to));
        title::draw_title(view, self.shown_rewards(), canvas, layout.title);
        self.draw_strip(view, canvas, layout.strip);
        if let Some(area) = layout.tabs {
            let front = Panel::UPPER.iter().position(|panel| *panel == self.front);
            widget::render_tabs(&self.upper_panel_titles(), front.unwrap_or(1), canvas, area);
        }
        // The frame of the focused panel is drawn last, over the borders of its neighbours.
        let mut panels = layout.panels;
        panels.sort_by_key(|(panel, _)| *panel == self.focus);
        for (panel, area) in &panels {
            let focused = self.focus == *panel;
            if focused {
                self.draw_explanation(view, asked, canvas, layout.side);
            }
            let inner = if layout.has_frames {
                canvas.draw_frame(&self.panel_title(view, *panel), focused, *area)
            } else {
                *area
            };
            let open = match panel {
                Panel::Rewards => {
                    view.reader.is_shown_debate_during_play() && view.reader.sees_estimates()
                }
                _ => view.reader.is_shown_debate_during_play(),
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
                    Some(source) => source.draw(focused, layout.has_frames, canvas, inner),
                    None => {
                        self.draw_tree(view, focused || asked.is_marking_in_tree, canvas, inner);
                    }
                },
                Panel::Transcript => {
                    let transcript = self.entries(view, look.formula_script());
                    let newest = &view.newest;
                    let is_inside_frame = layout.has_frames;
                    self.transcript
                        .draw(&transcript, newest, is_inside_frame, canvas, inner);
                }
                Panel::Rewards => self.draw_rewards(view, canvas, inner),
                Panel::Ask => {}
            }
        }
        if panels.iter().all(|(panel, _)| *panel != self.focus) {
            self.draw_explanation(view, asked, canvas, layout.side);
        }
    }

    /// Draws the explanation panel. The panel above it must already be drawn: its lower border is shared, and would
    /// overwrite the title of this panel. The focused panel must be drawn later, so that its highlighted border stays
    /// in view.
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
    pub fn draw_lowest_panel_frame(&self, title: &str, canvas: &mut Canvas<'_>) -> Rect {
        let area = self.layout.ask;
        let focused = self.focus == Panel::Ask;
        if self.layout.has_frames {
            return canvas.draw_frame(title, focused, area);
        }
        let [head, inner] = Layout::vertical([Length(1), Fill(1)]).areas(area);
        let role = if focused {
            TextRole::Focus
        } else {
            TextRole::Title
        };
        let line = measure::pad(title, area.width.into());
        canvas.draw_text_line(&line, role, head);
        inner
    }

    fn panel_title(&self, view: &DebateViewpoint<'_, '_>, panel: Panel) -> String {
        match panel {
            Panel::Tree if self.source.is_none() && self.outline.has_folded_claims() => {
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
        format!("{amount_noun} to {}", amounts.word_for_payoff_recipient())
    }

    /// Returns the name of the first panel: the tree of claims, or the source.
    fn first_panel_name(&self) -> &'static str {
        let source = self.source.as_ref();
        source.map_or(Panel::NAMES[0], SourcePanel::panel_name)
    }

    /// Returns the titles of the three upper panels, each after the label of the key that focuses it.
    pub fn upper_panel_titles(&self) -> [String; 3] {
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
        let columns = ClaimColumns::new(
            &mut rows,
            area.width.into(),
            ClaimColumnLayoutInputs::of(view),
            whole,
        );
        let least = rows.iter().map(|row| columns.text_columns(row)).min();
        let least = measure::to_u16_saturating(least.unwrap_or(0));
        let texts = measure::first_columns(area, least);
        let row = |number: usize| {
            let row = rows.get(number.saturating_sub(top));
            row.map_or_else(TreeRow::default, |row| TreeRow {
                branches: row.branches,
                text: row.text.clone(),
                claim: Some(row.claim.claim_number()),
                mark: row.mark,
                extra_columns: measure::to_u16_saturating(columns.text_columns(row)) - least,
                ..TreeRow::default()
            })
        };
        self.tree.render(count, row, focused, canvas, texts);
        for (line, row) in rows.iter().enumerate() {
            let at = measure::row(area, line);
            columns.draw_cells_beside_claim_text(row, canvas, at);
            if focused && top + line == self.tree.selected() {
                canvas.set_style(at, TextRole::Selected);
            }
        }
        // A player reads the claim in the question. Between questions, the text would appear and vanish with each move.
        let is_playing = view.state.request().is_some() && view.reader.viewer_seat().is_some();
        if self.focus == Panel::Tree || !is_playing {
            let cut = rows
                .iter()
                .filter(|row| columns.is_claim_text_cut(row))
                .map(whole);
            draw_in_full(cut, canvas, measure::rows(area, rows.len(), usize::MAX));
        }
    }

    fn draw_rewards(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        // The sign of the transcript's scroll position is on the frame beside the rows.
        let has_wide_column = area.width >= MIN_COLUMNS_WITH_MARGIN;
        let area = measure::skip_columns(area, u16::from(has_wide_column));
        let look = canvas.look;
        let columns = area.width.into();
        let amounts = self.amount_format(view);
        // Reasons and formulas are shown only while this panel has the focus.
        let read = self.focus == Panel::Rewards;
        let shown = self.frozen_rewards.as_ref().unwrap_or(&self.rewards);
        let rows = RewardTableRows::new(shown, view, amounts, &look, columns, read);
        let lines = lines_up_to(&rows, area.width, area.height.into());
        let has_free_row = rows.has_round_numbers() && lines + 1 < usize::from(area.height);
        let [heading, area] = measure::split_rows(area, has_free_row.into());
        if has_free_row {
            canvas.draw_text_line(ROUND_HEADING, TextRole::Faint, heading);
        }
        let [above, total] = Layout::vertical([Fill(1), Length(1)]).areas(area);
        // The total is directly below the rounds if all rounds are in view.
        let all = measure::to_u16_saturating(lines).min(above.height);
        let y = above.y + all;
        rows.draw_total(canvas, measure::row(Rect { y, ..total }, 0));
        let entries = EntriesCachedForFrame::new(&rows);
        let table = measure::rows(above, 0, all.into());
        let is_inside_frame = self.layout.has_frames;
        self.rewards_view.fit_to_area(&entries, table);
        if let Some(current) = rows.displayed_row_of_current_round().filter(|_| !read) {
            self.rewards_view.scroll_into_view(&entries, current);
        }
        self.rewards_view
            .draw(&entries, &(0..0), is_inside_frame, canvas, table);
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
            canvas.draw_text_line("In full:", TextRole::Faint, left);
            left = measure::rows(left, 1, usize::MAX);
        }
        for (number, line) in lines.iter().enumerate() {
            canvas.draw_text_line(line, TextRole::Faint, measure::row(left, number));
        }
        left = measure::rows(left, lines.len(), usize::MAX);
    }
}

/// Draws a notice in a panel whose contents are hidden from the judge.
fn draw_closed_notice(canvas: &mut Canvas<'_>, area: Rect) {
    let sentence = "Not shown to the judge before the end.";
    canvas.draw_text_wrapped(sentence, TextRole::Faint, area);
}
