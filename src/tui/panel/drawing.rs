//! Drawing of the panels: frames and titles, the strip, the tree, the transcript and the rewards.

use crate::tui::widget::Canvas;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use super::claims::ClaimColumns;
use super::explanation::{self, AskState, Explanation};
use super::rewards::RewardLines;
use super::rewards::RewardStrip;
use super::source::SourcePanel;
use super::{DebatePanels, Panel, title};
use crate::tui::actions::KeyMap;
use crate::tui::keys::{Action, READING_CONTEXTS};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{FrameEntries, lines_up_to};
use crate::tui::widget::tree::TreeRow;
use debate_text::Viewpoint;
use debate_text::claim_tree::ClaimRow;

impl DebatePanels {
    /// Returns the strip of the rewards.
    fn strip(&self, viewpoint: &Viewpoint<'_, '_>, look: Appearance) -> RewardStrip<'_> {
        let amounts = self.rewards.amounts(viewpoint).with_payoff_unit(self.unit);
        RewardStrip::new(self.shown_rewards(), viewpoint, amounts, look)
    }

    /// Draws the strip of a debate that is shown beside another one.
    pub fn draw_reward_strip(&self, view: &Viewpoint<'_, '_>, canvas: &mut Canvas<'_>, area: Rect) {
        self.strip(view, canvas.look).draw(canvas, area);
    }

    /// Draws the strip if the rewards have no panel.
    fn draw_strip(&self, view: &Viewpoint<'_, '_>, canvas: &mut Canvas<'_>, area: Rect) {
        if area.is_empty() {
            return;
        }
        self.draw_reward_strip(view, canvas, measure::skip_columns(area, 1));
    }

    /// Draws the title, the panels above the ask panel, and the strip. `asked`: the state of the user's question.
    pub fn draw(
        &mut self,
        view: &Viewpoint<'_, '_>,
        asked: &AskState,
        keys: &KeyMap<Action>,
        canvas: &mut Canvas<'_>,
    ) {
        let look = canvas.look;
        let layout = self.layout.clone();
        // The claims are complete while their panel has the focus.
        let row = self.tree.selected();
        let row = self.outline.set_folding(self.focus != Panel::Tree, row);
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

    /// Draws the explanation: after the panel above it, whose border has no title, and before the focused panel.
    fn draw_explanation(
        &self,
        view: &Viewpoint<'_, '_>,
        asked: &AskState,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        if area.is_empty() {
            return;
        }
        let claim = self.outline.claim(self.tree.selected());
        let explanation = Explanation::new(view, claim, asked);
        let inner = canvas.draw_frame(explanation::TITLE, false, area);
        explanation.draw(canvas, measure::skip_columns(inner, 1));
    }

    /// Draws the frame of the panel below the other panels, or only its title if rows are scarce. Returns the area
    /// inside.
    pub fn draw_bottom_frame(&self, title: &str, canvas: &mut Canvas<'_>) -> Rect {
        let area = self.layout.ask;
        let focused = self.focus == Panel::Ask;
        if self.layout.framed {
            return canvas.draw_frame(title, focused, area);
        }
        let [head, inner] = Layout::vertical([Length(1), Fill(1)]).areas(area);
        let role = if focused { Role::Focus } else { Role::Title };
        let line = measure::pad(title, area.width.into());
        canvas.put(&line, role, head);
        inner
    }

    fn panel_title(&self, view: &Viewpoint<'_, '_>, panel: Panel) -> String {
        match panel {
            Panel::Tree if self.source.is_none() && self.outline.hides_claims() => {
                format!("{} on the path", self.first_panel_name())
            }
            Panel::Tree => self.first_panel_name().to_owned(),
            Panel::Transcript => Panel::NAMES[1].to_owned(),
            Panel::Rewards | Panel::Ask => self.rewards_title(view),
        }
    }

    fn rewards_title(&self, view: &Viewpoint<'_, '_>) -> String {
        let amounts = self.amounts(view);
        format!("Rewards to {}", amounts.recipient_word())
    }

    /// Returns the name of the first panel.
    fn first_panel_name(&self) -> &'static str {
        let source = self.source.as_ref();
        source.map_or(Panel::NAMES[0], SourcePanel::name)
    }

    /// Returns the names of the upper panels, each after the key that focuses it.
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
        view: &Viewpoint<'_, '_>,
        focused: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let count = self.outline.row_count();
        let area = measure::skip_columns(area, 1);
        self.tree.fit(count, area);
        let top = self.tree.first_visible_row();
        let numbers = top..(top + usize::from(area.height)).min(count);
        let script = canvas.look.formula_script();
        let rows = numbers.map(|number| self.outline.row(view, number, script));
        let mut rows: Vec<ClaimRow> = rows.map_while(|row| row).collect();
        let instance = view.facts.instance;
        let whole = |row: &ClaimRow| instance.text(row.claim);
        let columns = ClaimColumns::new(&mut rows, area.width.into(), whole);
        let texts = measure::first_columns(area, measure::to_cells(columns.text));
        let row = |number: usize| {
            let row = rows.get(number.saturating_sub(top));
            row.map_or_else(TreeRow::default, |row| TreeRow {
                branches: row.branches,
                text: row.text.clone(),
                claim: Some(row.claim.number()),
                mark: row.mark,
                extra_columns: measure::to_cells(columns.extra_columns(row)),
                ..TreeRow::default()
            })
        };
        self.tree.render(count, row, focused, canvas, texts);
        for (line, row) in rows.iter().enumerate() {
            let at = measure::row(area, line);
            let at = measure::skip_columns(at, texts.width);
            columns.draw(row, canvas, at);
            if focused && top + line == self.tree.selected() {
                canvas.set_style(at, Role::Selected);
            }
        }
    }

    fn draw_rewards(&mut self, view: &Viewpoint<'_, '_>, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        let columns = area.width.into();
        let amounts = self.amounts(view);
        // Reasons and formulas are shown only while this panel has the focus.
        let read = self.focus == Panel::Rewards;
        let shown = self.frozen_rewards.as_ref().unwrap_or(&self.rewards);
        let rows = RewardLines::new(shown, view, amounts, &look, columns, read);
        let [above, total] = Layout::vertical([Fill(1), Length(1)]).areas(area);
        let lines = lines_up_to(&rows, area.width, above.height.into());
        // The total is directly below the rounds if all rounds are in view.
        let all = measure::to_cells(lines).min(above.height);
        let y = above.y + all;
        rows.draw_total(canvas, measure::row(Rect { y, ..total }, 0));
        let entries = FrameEntries::new(&rows);
        let table = measure::rows(above, 0, all.into());
        let framed = self.layout.framed;
        self.rewards_view.fit(&entries, table);
        if let Some(current) = rows.current_round_entry().filter(|_| !read) {
            self.rewards_view.scroll_into_view(&entries, current);
        }
        self.rewards_view
            .draw(&entries, &(0..0), framed, canvas, table);
    }
}

/// Draws a notice in a panel whose contents are hidden from a judge who does not follow the debate.
fn draw_closed_notice(canvas: &mut Canvas<'_>, area: Rect) {
    let sentence = "Not shown to the judge before the end.";
    canvas.put_wrapped(sentence, Role::Faint, area);
}
