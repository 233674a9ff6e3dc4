//! The panels of the debate screen and the replay screen: recursion, transcript and rewards, the
//! title, the strip and the footer.

mod bars;
mod layout;
mod reading;
mod rewards;
mod source;
mod strip;

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::{
        Constraint::{Fill, Length},
        Layout, Position, Rect,
    },
};

use crate::tui::actions::{Contexts, Facts, KeyMap};
use crate::tui::panel::scroll::{Entries, FrameEntries, Scroll, SearchCursor};
use crate::tui::panel::tree::{Tree, TreeRow};
use crate::tui::panel::{chart, chart::Bar, frame, measure, tabs, text_input::TextInput};
use crate::tui::scene::Scene;
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::Exact;
use debate_core::protocol::words::{Amounts, Perspective, Unit};
use debate_core::protocol::{Log, Reader, Rules as _, State};

use super::ScreenContext;
use super::keys::{Action, COMPUTING, READING, SEARCHED};
pub(super) use bars::{footer, searching, typing};
pub(super) use debate_lab::narration::chance;
use debate_lab::narration::claim_tree::{ClaimRow, RowMark};
use debate_lab::narration::transcript::{TranscriptView, starts_round};
use debate_lab::narration::{
    ClaimTree, QuotedSource, ReplyMark, RewardTable, RoundStake, Viewpoint, step,
};
pub(super) use layout::{AskRows, PanelLayout, page};
use rewards::RewardLines;
pub(super) use source::SourcePanel;
use strip::RewardStrip;

/// Columns for the labels of a report.
pub(super) const REPORT_MARGIN: u16 = 9;
/// From so many columns on the tree has claims in full, where each fits.
const WHOLE_TEXTS: usize = 48;
/// Rows of the chart below the table of rewards at least and at most.
const CHART: (usize, usize) = (8, 12);
/// Columns for who speaks in a transcript.
pub(super) const TRANSCRIPT_MARGIN: u16 = 8;

/// A debate as one seat sees it now.
pub(super) struct PanelView<'s, 'a> {
    pub(super) scene: &'s Scene<'a>,
    pub(super) state: &'s State<'a, Exact>,
    pub(super) log: &'s Log<Exact>,
    /// The reader.
    pub(super) reader: Reader,
    /// The seat that looks, or nobody's.
    pub(super) perspective: Perspective,
    /// The entries that the last step made.
    pub(super) newest: Range<usize>,
    /// Remarks on people's replies, once they are valued.
    pub(super) marks: &'s [ReplyMark],
}

impl<'s, 'a> PanelView<'s, 'a> {
    /// The debate as whoever looks sees it.
    pub(super) fn viewpoint(&self) -> Viewpoint<'s, 'a> {
        Viewpoint {
            facts: &self.scene.facts,
            state: self.state,
            log: self.log,
            reader: self.reader,
            perspective: self.perspective,
            newest: self.newest.clone(),
        }
    }

    /// The log, entry by entry.
    pub(super) fn transcript(&self, look: &Appearance) -> TranscriptView<'s, 'a> {
        TranscriptView {
            view: self.viewpoint(),
            marks: self.marks,
            script: look.script(),
        }
    }
}

/// A panel that can have the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Panel {
    Tree,
    Transcript,
    Rewards,
    /// The question, the report at the end, or the timeline of a replay.
    Ask,
}

impl Panel {
    const UPPER: [Self; 3] = [Self::Tree, Self::Transcript, Self::Rewards];
    const ALL: [Self; 4] = [Self::Ask, Self::Tree, Self::Transcript, Self::Rewards];
    const NAMES: [&'static str; 3] = ["Claims", "Transcript", "Rewards"];
    const TO: [Action; 3] = [Action::ToTree, Action::ToTranscript, Action::ToRewards];
}

/// The part of a mouse event that is left to the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PanelEvent {
    /// A hint of the footer was clicked.
    Action(Action),
    /// A claim of the tree was clicked.
    Claim,
    /// A click or the wheel on the panel below the others, or a drag.
    Below,
    /// Nothing.
    Done,
}

/// The shared panels and where the reader is in each.
#[derive(Debug)]
pub(super) struct DebatePanels {
    pub(super) focus: Panel,
    /// The panel in view where there is room for one.
    front: Panel,
    pub(super) tree: Tree,
    outline: ClaimTree,
    /// The question with its source, in the place of the claims, where there is one.
    source: Option<SourcePanel>,
    transcript: Scroll,
    rewards_view: Scroll,
    rewards: RewardTable,
    /// The unit of all figures.
    unit: Unit,
    pub(super) places: PanelLayout,
    /// The search line while it is being typed.
    typing: Option<TextInput>,
    pattern: String,
    /// True if the source is searched, not the transcript.
    searches_source: bool,
    /// A search that goes on for longer than a frame.
    search_cursor: Option<SearchCursor>,
    /// The work under way, for the footer as long as nothing is said there.
    pub(super) status: Option<String>,
    /// Said in the footer until the next key.
    pub(super) said: Option<String>,
    /// Labels of the keys to the upper panels in the last frame.
    keys: [String; 3],
}

impl DebatePanels {
    pub(super) fn new(view: &PanelView<'_, '_>) -> Self {
        let schedule = view.state.schedule();
        let mut panels = Self {
            focus: Panel::Ask,
            front: Panel::Transcript,
            tree: Tree::default(),
            outline: ClaimTree::new(&view.viewpoint()),
            source: QuotedSource::new(&view.viewpoint()).map(SourcePanel::new),
            transcript: Scroll::new(TRANSCRIPT_MARGIN),
            rewards_view: Scroll::fixed(0),
            rewards: RewardTable::new(&view.viewpoint(), &schedule),
            unit: Unit::Points,
            search_cursor: None,
            keys: Default::default(),
            places: PanelLayout::default(),
            typing: None,
            pattern: String::new(),
            searches_source: false,
            status: None,
            said: None,
        };
        panels.refresh(view);
        panels
    }

    /// Reads on in the log. Called when it has grown, so that drawing costs what is in view, and
    /// this what was added.
    pub(super) fn refresh(&mut self, view: &PanelView<'_, '_>) {
        self.outline.read(&view.viewpoint());
        self.rewards.read(&view.viewpoint());
        if let Some(source) = &mut self.source {
            source.told.read(&view.viewpoint());
        }
        self.tree.select(self.outline.current());
    }

    /// Reads the log anew: replies were taken back.
    pub(super) fn reread(&mut self, view: &PanelView<'_, '_>) {
        self.outline = ClaimTree::new(&view.viewpoint());
        self.rewards.clear(&view.viewpoint());
        self.search_cursor = None;
        self.refresh(view);
    }

    /// True if claims fell into parts or were written down in bits.
    pub(super) fn is_parted(&self) -> bool {
        self.outline.is_parted()
    }

    /// Marks a subclaim of the claim under discussion in the tree.
    pub(super) fn point_at(&mut self, place: usize) {
        if let Some(row) = self.outline.row_of(place) {
            self.tree.select(row);
        }
    }

    /// The subclaim of the claim under discussion that is marked in the tree.
    pub(super) fn pointed_at(&self) -> Option<usize> {
        self.outline.place_of(self.tree.selected())
    }

    /// The panel in view where there is room for one.
    pub(super) fn front(&self) -> Panel {
        self.front
    }

    /// The marked sentence of the source.
    pub(super) fn sentence(&self) -> Option<&str> {
        self.source.as_ref()?.sentence()
    }

    /// Scrolls the source by pages, whoever has the keys.
    pub(super) fn read_source(&mut self, pages: isize) {
        if let Some(source) = &mut self.source {
            source.page(pages);
            self.front = Panel::Tree;
        }
    }

    /// The rewards so far.
    pub(super) fn rewards(&self) -> &RewardTable {
        &self.rewards
    }

    /// The number of the first round.
    pub(super) fn depth(&self) -> Option<u32> {
        self.rewards.depth()
    }

    /// Figures as whoever looks reads them, in the unit of the moment.
    pub(super) fn amounts(&self, view: &PanelView<'_, '_>) -> Amounts {
        self.rewards.amounts(&view.viewpoint()).in_unit(self.unit)
    }

    /// The least and the most that the round under way can still pay the prover; `None` where it is
    /// paid.
    pub(super) fn open_range(&self, view: &PanelView<'_, '_>) -> Option<[Exact; 2]> {
        match self.rewards.summary(&view.viewpoint()).now {
            RoundStake::Open(range) => Some(range),
            _ => None,
        }
    }

    /// The least and the most that the prover can have in all once the round under way is over;
    /// `None` where it can bring nothing.
    pub(super) fn span(&self, view: &PanelView<'_, '_>) -> Option<[Exact; 2]> {
        let range = self.open_range(view).filter(|range| range[0] != range[1])?;
        let total = view.state.payoff();
        Some(range.map(|value| &total + value))
    }

    /// Shows all figures in the other unit; says so.
    pub(super) fn change_unit(&mut self) {
        self.unit = self.unit.other();
        self.said = Some(match self.unit {
            Unit::Points => "Rewards are shown in points.".to_owned(),
            Unit::Payoff => "Rewards are shown as exact payoffs.".to_owned(),
        });
    }

    /// True if a search line is open and takes all characters.
    pub(super) fn is_typing(&self) -> bool {
        self.typing.is_some()
    }

    /// The facts that hold of these panels.
    pub(super) fn facts(&self) -> Facts {
        SEARCHED.only_if(!self.pattern.is_empty()) | COMPUTING.only_if(self.search_cursor.is_some())
    }

    pub(super) fn focus(&mut self, panel: Panel) {
        self.focus = panel;
        if panel != Panel::Ask {
            self.front = panel;
        }
    }

    /// Gives the keys to the first of the tree, the transcript and the rewards that is among
    /// these contexts, else to what is asked; `panels` says which contexts those three are.
    pub(super) fn reach(&mut self, contexts: Contexts, panels: [Contexts; 3]) {
        // What can be done in several panels is mostly wanted for the transcript.
        let order = [1, 0, 2].map(|at| (panels[at], Panel::UPPER[at]));
        let found = order.into_iter().find(|(set, _)| set.meets(contexts));
        self.focus(found.map_or(Panel::Ask, |(_, panel)| panel));
    }

    /// The strip of the rewards.
    fn strip<'s>(&'s self, viewpoint: &Viewpoint<'_, '_>, look: &'s Appearance) -> RewardStrip<'s> {
        let amounts = self.rewards.amounts(viewpoint).in_unit(self.unit);
        RewardStrip::new(&self.rewards, viewpoint, amounts, look)
    }

    /// Draws the strip for a debate that stands beside one under other rules: a point of the one is
    /// none of the other, so payoffs are told.
    pub(super) fn draw_strip_beside(
        &self,
        view: &PanelView<'_, '_>,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let viewpoint = view.viewpoint();
        let amounts = self.rewards.amounts(&viewpoint).in_unit(Unit::Payoff);
        RewardStrip::new(&self.rewards, &viewpoint, amounts, look).draw(buffer, area);
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
    pub(super) fn draw(
        &mut self,
        view: &PanelView<'_, '_>,
        pointing: bool,
        keys: &KeyMap<Action>,
        look: &Appearance,
        buffer: &mut Buffer,
    ) {
        let places = self.places.clone();
        self.keys = Panel::TO.map(|to| keys.called(READING, to));
        bars::title(view, &self.rewards, look, buffer, places.title);
        self.draw_strip(view, look, buffer, places.strip);
        if let Some(area) = places.explanation {
            Self::draw_explanation(view, look, buffer, area);
        }
        if let Some(area) = places.tabs {
            let front = Panel::UPPER.iter().position(|panel| *panel == self.front);
            tabs::render(&self.tabs(), front.unwrap_or(1), look, buffer, area);
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
                    let entries = FrameEntries::new(&transcript);
                    let (newest, framed) = (&view.newest, places.framed);
                    self.transcript
                        .draw(&entries, newest, framed, look, buffer, inner);
                }
                Panel::Rewards => self.draw_rewards(view, look, buffer, inner),
                Panel::Ask => {}
            }
        }
    }

    /// The lines that a panel has to show in so many columns, counted no further than `most`.
    pub(super) fn lines(
        &self,
        view: &PanelView<'_, '_>,
        look: &Appearance,
        panel: Panel,
        columns: u16,
        most: u16,
    ) -> u16 {
        if !view.reader.follows() {
            return 1;
        }
        let lines = match panel {
            Panel::Tree => match &self.source {
                Some(source) => source.lines(columns, most.into()),
                None => self.outline.rows(),
            },
            Panel::Transcript => {
                let columns = columns - TRANSCRIPT_MARGIN.min(columns / 3);
                lines_up_to(&view.transcript(look), columns, most.into())
            }
            // The two lines of the strip, and the table below its head.
            Panel::Rewards => self.rewards.len() + 4,
            Panel::Ask => 0,
        };
        u16::try_from(lines).map_or(most, |lines| lines.min(most))
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
    pub(super) fn draw_below(&self, title: &str, look: &Appearance, buffer: &mut Buffer) -> Rect {
        let area = self.places.ask;
        let focused = self.focus == Panel::Ask;
        if self.places.framed {
            return frame(title, focused, look, buffer, area);
        }
        let [head, inner] = Layout::vertical([Length(1), Fill(1)]).areas(area);
        let role = if focused {
            StyleRole::Focus
        } else {
            StyleRole::Title
        };
        let line = measure::pad(title, area.width.into());
        measure::put(&line, look.style(role), buffer, head);
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
            amounts.unit().name()
        )
    }

    /// The name of the first panel.
    fn first_name(&self) -> &'static str {
        let source = self.source.as_ref();
        source.map_or(Panel::NAMES[0], SourcePanel::name)
    }

    /// The names of the upper panels, each after the key that leads to it.
    fn tabs(&self) -> [String; 3] {
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

    /// Draws the footer: a search line, something said, or the keys.
    pub(super) fn footer(
        &self,
        keys: &KeyMap<Action>,
        here: ScreenContext,
        look: &Appearance,
        buffer: &mut Buffer,
    ) {
        let area = self.places.footer;
        if let Some(line) = &self.typing {
            bars::searching(line, look, buffer, area);
        } else if let Some(search_cursor) = &self.search_cursor {
            let line = format!(" Searching: {} % (esc stops)", search_cursor.percent());
            measure::put(&line, look.style(StyleRole::Title), buffer, area);
        } else if let (Some(status), None) = (&self.status, &self.said) {
            let stop = keys.called(super::keys::WATCH, Action::Stop);
            let line = format!(" {status} ({stop} stops)");
            measure::put(&line, look.style(StyleRole::Title), buffer, area);
        } else {
            bars::footer(self.said.as_deref(), keys, here, look, buffer, area);
        }
    }

    /// The action of the footer's hint under a click.
    fn hint_at(
        &self,
        keys: &KeyMap<Action>,
        here: ScreenContext,
        look: &Appearance,
        at: Position,
    ) -> Option<Action> {
        bars::hints(keys, here, look, self.places.footer)
            .into_iter()
            .find(|(_, place)| place.contains(at))
            .map(|(hint, _)| hint.id)
    }

    /// The text of the round in view, for the clipboard.
    pub(super) fn round_text(&self, view: &PanelView<'_, '_>, look: &Appearance) -> String {
        let entries = view.transcript(look);
        let count = view.log.entries().len();
        let starts = |number: &usize| starts_round(view.log, *number);
        // At the end the last round is meant, though an older one may stand at the top.
        let at = if self.transcript.sticks() {
            count.saturating_sub(1)
        } else {
            self.transcript.top()
        };
        let from = (0..=at).rev().find(starts).unwrap_or(0);
        let to = (from + 1..count).find(starts).unwrap_or(count);
        let seen = |number: &usize| view.log.seen_by(*number, view.reader).is_some();
        let lines = (from..to).filter(seen).map(|number| entries.line(number));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The claim in the selected row of the tree, in full.
    pub(super) fn pointed_claim(&self, view: &PanelView<'_, '_>) -> Option<String> {
        if self.source.is_some() {
            return None;
        }
        let selected = view.reader.follows().then(|| self.tree.selected())?;
        let claim = self.outline.claim(selected)?;
        Some(view.scene.facts.instance.text(claim))
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
    let full = in_full.forms().into_iter().filter(|_| wide);
    let full = full.map(|form| (form, branches));
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
    for (number, line) in measure::wrap(sentence, area.width.into())
        .iter()
        .enumerate()
    {
        measure::put(
            line,
            look.style(StyleRole::Faint),
            buffer,
            measure::row(area, number),
        );
    }
}

/// The number of lines of a few entries.
pub(super) fn measure_lines(entries: &[crate::tui::panel::scroll::Entry], columns: u16) -> usize {
    lines_up_to(entries, columns, usize::MAX)
}

/// The number of lines of entries, counted until it is more than `most`. Each has a line at least.
fn lines_up_to(entries: &(impl Entries + ?Sized), columns: u16, most: usize) -> usize {
    if entries.len() > most {
        return entries.len();
    }
    let mut lines = 0;
    for number in 0..entries.len() {
        let entry = entries.entry(number);
        let pieces = entry.body.iter().map(|piece| piece.text.as_str());
        lines += measure::wrap(&pieces.collect::<String>(), columns.into()).len();
        if lines > most {
            break;
        }
    }
    lines
}
