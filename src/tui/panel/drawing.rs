//! What the panels draw: their frames and titles, the strip, the tree, the transcript and the rewards.

use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use super::rewards::RewardLines;
use super::source::SourcePanel;
use super::strip::RewardStrip;
use super::{CHART, DebatePanels, Panel, PanelView, WHOLE_TEXTS};
use crate::tui::actions::KeyMap;
use crate::tui::keys::{Action, READING};
use crate::tui::panel::strip;
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget;
use crate::tui::widget::chart::Bar;
use crate::tui::widget::scroll::{FrameEntries, Scroll, lines_up_to};
use crate::tui::widget::tree::TreeRow;
use crate::tui::widget::{chart, frame, measure};
use debate_lab::tell::claim_tree::{ClaimRow, RowMark};
use debate_lab::tell::{Amounts, Viewpoint, step};

impl DebatePanels {
    /// The strip of the rewards.
    fn strip<'s>(&'s self, viewpoint: &Viewpoint<'_, '_>, look: &'s Appearance) -> RewardStrip<'s> {
        let amounts = self.rewards.amounts(viewpoint).in_unit(self.unit);
        RewardStrip::new(&self.rewards, viewpoint, amounts, look)
    }

    /// Draws the strip of a debate that stands beside another one.
    pub(in crate::tui) fn draw_strip_beside(
        &self,
        view: &PanelView<'_, '_>,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        self.strip(&view.viewpoint(), look).draw(buffer, area);
    }

    /// Draws the rewards where they have no panel of their own.
    fn draw_strip(
        &self,
        view: &PanelView<'_, '_>,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        if area.is_empty() {
            return;
        }
        let viewpoint = view.viewpoint();
        let inner = if self.places.strip_framed {
            frame(&self.rewards_title(view), false, look, buffer, area)
        } else {
            measure::after(area, 1)
        };
        if view.reader.follows() {
            self.strip(&viewpoint, look).draw(buffer, inner);
        } else {
            closed(look, buffer, inner);
        }
    }

    /// Draws the title, the panels above the ask panel, and the strip.
    pub(in crate::tui) fn draw(
        &mut self,
        view: &PanelView<'_, '_>,
        pointing: bool,
        keys: &KeyMap<Action>,
        look: &Appearance,
        buffer: &mut Buffer,
    ) {
        let places = self.places.clone();
        self.keys = Panel::TO.map(|to| keys.called(READING, to));
        strip::draw_title(view, &self.rewards, look, buffer, places.title);
        self.draw_strip(view, look, buffer, places.strip);
        if let Some(area) = places.explanation {
            Self::draw_explanation(view, look, buffer, area);
        }
        if let Some(area) = places.tabs {
            let front = Panel::UPPER.iter().position(|panel| *panel == self.front);
            widget::render_tabs(&self.tabs(), front.unwrap_or(1), look, buffer, area);
        }
        for (panel, area) in &places.panels {
            let focused = self.focus == *panel;
            let inner = if places.framed {
                frame(&self.name(view, *panel), focused, look, buffer, *area)
            } else {
                *area
            };
            if !view.reader.follows() {
                closed(look, buffer, inner);
                continue;
            }
            match panel {
                Panel::Tree => match &mut self.source {
                    Some(source) => source.draw(focused, places.framed, look, buffer, inner),
                    None => self.draw_tree(view, focused || pointing, look, buffer, inner),
                },
                Panel::Transcript => {
                    let transcript = view.transcript(look);
                    let (newest, framed) = (&view.newest, places.framed);
                    self.transcript
                        .draw(&transcript, newest, framed, look, buffer, inner);
                }
                Panel::Rewards => self.draw_rewards(view, look, buffer, inner),
                Panel::Ask => {}
            }
        }
    }

    fn draw_explanation(
        view: &PanelView<'_, '_>,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let inner = frame("This step", false, look, buffer, area);
        let entries = step::explanation(&view.viewpoint());
        let mut scroll = Scroll::fixed(0);
        scroll.draw(&entries[..], &(0..0), true, look, buffer, inner);
    }

    /// Draws the frame of the panel below the others, or its title alone where rows are scarce.
    /// Returns the room inside.
    pub(in crate::tui) fn draw_below(
        &self,
        title: &str,
        look: &Appearance,
        buffer: &mut Buffer,
    ) -> Rect {
        let area = self.places.ask;
        let focused = self.focus == Panel::Ask;
        if self.places.framed {
            return frame(title, focused, look, buffer, area);
        }
        let [head, inner] = Layout::vertical([Length(1), Fill(1)]).areas(area);
        let role = if focused { Role::Focus } else { Role::Title };
        let line = measure::pad(title, area.width.into());
        look.put(&line, role, buffer, head);
        inner
    }

    fn name(&self, view: &PanelView<'_, '_>, panel: Panel) -> String {
        let alone = self.places.panels.len() == 2;
        let [_, transcript, rewards] = &self.keys;
        match panel {
            Panel::Tree => self.first_name().to_owned(),
            Panel::Transcript if alone => format!("Transcript ({rewards}: rewards by round)"),
            Panel::Transcript => Panel::NAMES[1].to_owned(),
            Panel::Rewards if alone => {
                format!("{} ({transcript}: transcript)", self.rewards_title(view))
            }
            Panel::Rewards | Panel::Ask => self.rewards_title(view),
        }
    }

    fn rewards_title(&self, view: &PanelView<'_, '_>) -> String {
        let amounts = self.amounts(view);
        format!(
            "Rewards to {}, {}",
            amounts.recipient(),
            amounts.unit.name()
        )
    }

    /// The name of the first panel.
    fn first_name(&self) -> &'static str {
        let source = self.source.as_ref();
        source.map_or(Panel::NAMES[0], SourcePanel::name)
    }

    /// The names of the upper panels, each after the key that leads to it.
    pub(super) fn tabs(&self) -> [String; 3] {
        let [tree, transcript, rewards] = &self.keys;
        let [_, second, third] = Panel::NAMES;
        let first = self.first_name();
        [
            format!("{tree} {first}"),
            format!("{transcript} {second}"),
            format!("{rewards} {third}"),
        ]
    }

    fn draw_tree(
        &mut self,
        view: &PanelView<'_, '_>,
        focused: bool,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let count = self.outline.rows();
        self.tree.fit(count, area);
        let viewpoint = view.viewpoint();
        let row = |number| {
            let row = self.outline.row(&viewpoint, number, look.script());
            row.map_or_else(TreeRow::default, |row| {
                let whole = viewpoint.facts.instance.text(row.claim);
                fitted(row, &whole, area.width.into(), look)
            })
        };
        self.tree.render(count, row, focused, look, buffer, area);
    }

    fn draw_rewards(
        &mut self,
        view: &PanelView<'_, '_>,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let viewpoint = view.viewpoint();
        // Where there is no strip below the panels its lines stand here, and do not scroll away.
        let head = if self.places.strip.is_empty() { 2 } else { 0 };
        let [top, area] = Layout::vertical([Length(head), Fill(1)]).areas(area);
        self.strip(&viewpoint, look).draw(buffer, top);
        let gap = u16::from(head > 0 && area.height > 4);
        let [_, area] = Layout::vertical([Length(gap), Fill(1)]).areas(area);
        let columns = area.width.into();
        let amounts = self.amounts(view);
        let rows = RewardLines::new(&self.rewards, &viewpoint, amounts.clone(), look, columns);
        let entries = FrameEntries::new(&rows);
        let lines = lines_up_to(&entries, area.width, area.height.into());
        let left = usize::from(area.height).saturating_sub(lines + 1);
        // The chart takes what the table leaves, if that is enough to tell sizes apart.
        let chart = u16::try_from(left.min(CHART.1)).unwrap_or(0);
        let chart = chart * u16::from(left >= CHART.0 && self.rewards.compares());
        let [table, room] = Layout::vertical([Fill(1), Length(chart)]).areas(area);
        let framed = self.places.framed;
        self.rewards_view
            .draw(&entries, &(0..0), framed, look, buffer, table);
        if chart > 0 {
            let point = amounts
                .in_points(&self.rewards.largest(&viewpoint))
                .max(1.0);
            let bars: Vec<Bar> = self.bars(&amounts);
            chart::render(&bars, Some((1.0, point)), look, buffer, room);
        }
    }

    /// What each round paid, in points, as whoever looks receives it.
    fn bars(&self, amounts: &Amounts) -> Vec<Bar> {
        let rounds = self.rewards.payments();
        let bars = rounds.map(|(label, paid)| {
            let points = paid.map(|value| amounts.in_points(&amounts.to_side(value)));
            Bar::new(label, points.unwrap_or(f64::NAN))
        });
        bars.collect()
    }
}

/// A row of the tree, in the longest form for which there is room; `whole` is its claim in full.
fn fitted(row: ClaimRow, whole: &str, columns: usize, look: &Appearance) -> TreeRow {
    // The arrow of the claim under discussion leaves no room for the sign of what is new.
    let value = if row.newest && row.mark == RowMark::Current {
        format!("{} {}", look.signs().newest, row.value)
    } else {
        row.value.clone()
    };
    // Fold, mark and the gap before the value take five columns.
    let taken = measure::width(&value) + 5;
    let branches = 2 * usize::from(row.branches.depth());
    let in_full = ClaimRow {
        text: whole.to_owned(),
        ..row.clone()
    };
    let wide = columns >= WHOLE_TEXTS;
    let full = in_full
        .forms()
        .into_iter()
        .filter(|_| wide)
        .map(|form| (form, branches));
    let mut forms = full.chain(row.forms().into_iter().map(|form| (form, 0)));
    let text = forms.find(|(form, more)| measure::width(form) + taken + more <= columns);
    TreeRow {
        branches: row.branches,
        fold: row.fold,
        text: text.map_or(row.text, |(text, _)| text),
        claim: Some(row.claim.number()),
        value,
        mark: row.mark,
    }
}

/// Says in a panel that there is nothing in it for a judge who does not follow the debate.
fn closed(look: &Appearance, buffer: &mut Buffer, area: Rect) {
    let sentence = "Not shown to the judge before the end.";
    look.put_wrapped(sentence, Role::Faint, buffer, area);
}
