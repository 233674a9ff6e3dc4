//! What the panels draw: their frames and titles, the strip, the tree, the transcript and the rewards.

use crate::tui::widget::Canvas;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use super::rewards::RewardLines;
use super::rewards::RewardStrip;
use super::source::SourcePanel;
use super::{CHART, DebatePanels, Panel, WHOLE_TEXTS};
use crate::tui::actions::KeyMap;
use crate::tui::keys::{Action, READING};
use crate::tui::panel::rewards;
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget;
use crate::tui::widget::chart::Bar;
use crate::tui::widget::scroll::{FrameEntries, Scroll, lines_up_to};
use crate::tui::widget::tree::TreeRow;
use crate::tui::widget::{chart, measure};
use debate_lab::tell::claim_tree::{ClaimRow, RowMark};
use debate_lab::tell::{self, Amounts, Viewpoint};

impl DebatePanels {
    /// The strip of the rewards.
    fn strip(&self, viewpoint: &Viewpoint<'_, '_>, look: Appearance) -> RewardStrip<'_> {
        let amounts = self.rewards.amounts(viewpoint).in_unit(self.unit);
        RewardStrip::new(&self.rewards, viewpoint, amounts, look)
    }

    /// Draws the strip of a debate that stands beside another one.
    pub fn draw_strip_beside(&self, view: &Viewpoint<'_, '_>, canvas: &mut Canvas<'_>, area: Rect) {
        self.strip(view, canvas.look).draw(canvas, area);
    }

    /// Draws the rewards where they have no panel of their own.
    fn draw_strip(&self, view: &Viewpoint<'_, '_>, canvas: &mut Canvas<'_>, area: Rect) {
        if area.is_empty() {
            return;
        }
        let inner = if self.places.strip_framed {
            canvas.frame(&self.rewards_title(view), false, area)
        } else {
            measure::after(area, 1)
        };
        if view.reader.follows() {
            self.strip(view, canvas.look).draw(canvas, inner);
        } else {
            closed(canvas, inner);
        }
    }

    /// Draws the title, the panels above the ask panel, and the strip.
    pub fn draw(
        &mut self,
        view: &Viewpoint<'_, '_>,
        pointing: bool,
        keys: &KeyMap<Action>,
        canvas: &mut Canvas<'_>,
    ) {
        let look = canvas.look;
        let places = self.places.clone();
        self.keys = Panel::TO.map(|to| keys.called(READING, to));
        rewards::draw_title(view, &self.rewards, canvas, places.title);
        self.draw_strip(view, canvas, places.strip);
        if let Some(area) = places.explanation {
            Self::draw_explanation(view, canvas, area);
        }
        if let Some(area) = places.tabs {
            let front = Panel::UPPER.iter().position(|panel| *panel == self.front);
            widget::render_tabs(&self.tabs(), front.unwrap_or(1), canvas, area);
        }
        for (panel, area) in &places.panels {
            let focused = self.focus == *panel;
            let inner = if places.framed {
                canvas.frame(&self.name(view, *panel), focused, *area)
            } else {
                *area
            };
            if !view.reader.follows() {
                closed(canvas, inner);
                continue;
            }
            match panel {
                Panel::Tree => match &mut self.source {
                    Some(source) => source.draw(focused, places.framed, canvas, inner),
                    None => self.draw_tree(view, focused || pointing, canvas, inner),
                },
                Panel::Transcript => {
                    let transcript = view.transcript(look.script());
                    let newest = &view.newest;
                    let framed = places.framed;
                    self.transcript
                        .draw(&transcript, newest, framed, canvas, inner);
                }
                Panel::Rewards => self.draw_rewards(view, canvas, inner),
                Panel::Ask => {}
            }
        }
    }

    fn draw_explanation(view: &Viewpoint<'_, '_>, canvas: &mut Canvas<'_>, area: Rect) {
        let inner = canvas.frame("This step", false, area);
        let entries = tell::explanation(view);
        let mut scroll = Scroll::fixed(0);
        scroll.draw(&entries[..], &(0..0), true, canvas, inner);
    }

    /// Draws the frame of the panel below the others, or its title alone where rows are scarce.
    /// Returns the room inside.
    pub fn draw_below(&self, title: &str, canvas: &mut Canvas<'_>) -> Rect {
        let area = self.places.ask;
        let focused = self.focus == Panel::Ask;
        if self.places.framed {
            return canvas.frame(title, focused, area);
        }
        let [head, inner] = Layout::vertical([Length(1), Fill(1)]).areas(area);
        let role = if focused { Role::Focus } else { Role::Title };
        let line = measure::pad(title, area.width.into());
        canvas.put(&line, role, head);
        inner
    }

    fn name(&self, view: &Viewpoint<'_, '_>, panel: Panel) -> String {
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

    fn rewards_title(&self, view: &Viewpoint<'_, '_>) -> String {
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
    pub fn tabs(&self) -> [String; 3] {
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
        view: &Viewpoint<'_, '_>,
        focused: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let look = canvas.look;
        let count = self.outline.rows();
        self.tree.fit(count, area);
        let row = |number| {
            let row = self.outline.row(view, number, look.script());
            row.map_or_else(TreeRow::default, |row| {
                let whole = view.facts.instance.text(row.claim);
                fitted(row, &whole, area.width.into(), &look)
            })
        };
        self.tree.render(count, row, focused, canvas, area);
    }

    fn draw_rewards(&mut self, view: &Viewpoint<'_, '_>, canvas: &mut Canvas<'_>, area: Rect) {
        let look = canvas.look;
        // Where there is no strip below the panels its lines stand here, and do not scroll away.
        let head = if self.places.strip.is_empty() { 2 } else { 0 };
        let [top, area] = Layout::vertical([Length(head), Fill(1)]).areas(area);
        self.strip(view, look).draw(canvas, top);
        let gap = u16::from(head > 0 && area.height > 4);
        let [_, area] = Layout::vertical([Length(gap), Fill(1)]).areas(area);
        let columns = area.width.into();
        let amounts = self.amounts(view);
        let rows = RewardLines::new(&self.rewards, view, amounts.clone(), &look, columns);
        let entries = FrameEntries::new(&rows);
        let lines = lines_up_to(&entries, area.width, area.height.into());
        let left = usize::from(area.height).saturating_sub(lines + 1);
        // The chart takes what the table leaves, if that is enough to tell sizes apart.
        let chart = measure::cells(left.min(CHART.1));
        let chart = chart * u16::from(left >= CHART.0 && self.rewards.compares());
        let [table, room] = Layout::vertical([Fill(1), Length(chart)]).areas(area);
        let framed = self.places.framed;
        self.rewards_view
            .draw(&entries, &(0..0), framed, canvas, table);
        if chart > 0 {
            let point = amounts.in_points(&self.rewards.largest(view)).max(1.0);
            let bars: Vec<Bar> = self.bars(&amounts);
            chart::render(&bars, Some((1.0, point)), canvas, room);
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
fn closed(canvas: &mut Canvas<'_>, area: Rect) {
    let sentence = "Not shown to the judge before the end.";
    canvas.put_wrapped(sentence, Role::Faint, area);
}
