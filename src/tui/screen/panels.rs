//! What the debate screen and the replay screen share: recursion, transcript and rewards, the
//! title, the strip and the footer.

mod bars;
mod layout;
mod reading;
mod rewards;

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::tui::actions::{Contexts, Facts, KeyMap};
use crate::tui::panel::scroll::{Entries, Scroll, SearchCursor};
use crate::tui::panel::tree::{Tree, TreeRow};
use crate::tui::panel::{chart::Bar, frame, line::TextInput, measure, tabs};
use crate::tui::scene::Scene;
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::Exact;
use debate_core::protocol::{Event, Log, Reader, Round, Rules, Seal, Seat, State, VisibleEntry};

use super::ScreenContext;
use super::keys::{Action, COMPUTING, READING, SEARCHED};
pub(super) use bars::{footer, searching};
pub(super) use debate_lab::narration::chance;
use debate_lab::narration::claim_tree::ClaimRow;
use debate_lab::narration::transcript::{TranscriptView, starts_round};
use debate_lab::narration::{ClaimTree, ReplyMark, RewardTable, Viewpoint};
pub(super) use layout::PanelLayout;
use rewards::RewardLines;

/// Columns for the labels of a report.
pub(super) const REPORT_MARGIN: u16 = 9;
/// Columns for who speaks in a transcript.
pub(super) const TRANSCRIPT_MARGIN: u16 = 8;

/// A debate as one seat sees it now.
pub(super) struct PanelView<'s, 'a> {
    pub(super) scene: &'s Scene<'a>,
    pub(super) state: &'s State<'a, Exact>,
    pub(super) log: &'s Log<Exact>,
    /// Who looks.
    pub(super) reader: Reader,
    /// The entries that the last step made.
    pub(super) newest: Range<usize>,
    /// What is said of people's replies once they are valued.
    pub(super) marks: &'s [ReplyMark],
}

impl<'s, 'a> PanelView<'s, 'a> {
    /// The debate as whoever looks sees it.
    pub(super) fn view(&self) -> Viewpoint<'s, 'a> {
        Viewpoint {
            facts: &self.scene.facts,
            state: self.state,
            log: self.log,
            reader: self.reader,
            newest: self.newest.clone(),
        }
    }

    /// The log, entry by entry.
    pub(super) fn transcript(&self, look: &Appearance) -> TranscriptView<'s, 'a> {
        TranscriptView {
            view: self.view(),
            marks: self.marks,
            script: look.script(),
        }
    }

    /// Whether whoever looks may know by which rules is played.
    pub(super) fn tells_rules(&self) -> bool {
        !self.scene.facts.blind || self.reader.seat() != Some(Seat::Judge)
    }

    /// Whether whoever looks may be told what replies are worth: nobody in a blind debate, and no
    /// judge from whom something is kept that follows from it.
    pub(super) fn tells_worth(&self) -> bool {
        let judges = self.reader.seat() == Some(Seat::Judge);
        !(self.scene.facts.blind || judges && (!self.reader.follows() || self.hides_a_bet()))
    }

    /// Whether somebody has bet what whoever looks must not know yet.
    pub(super) fn hides_a_bet(&self) -> bool {
        let sealed = |seen: VisibleEntry<'_, Exact>| {
            matches!(
                seen,
                VisibleEntry::Sealed {
                    seal: Seal::Bet(_),
                    ..
                }
            )
        };
        let length = self.log.entries().len();
        let mut backwards = (0..length).rev();
        let mut round = backwards.by_ref().take_while(|index| {
            let entry = &self.log.entries()[*index];
            !matches!(entry.event, Event::Entered { .. })
        });
        round.any(|index| self.log.seen_by(index, self.reader).is_some_and(sealed))
    }
}

/// A panel that can have the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Panel {
    Tree,
    Transcript,
    Rewards,
    /// What is asked, the report at the end, or the timeline of a replay.
    Ask,
}

impl Panel {
    const UPPER: [Self; 3] = [Self::Tree, Self::Transcript, Self::Rewards];
    const ALL: [Self; 4] = [Self::Ask, Self::Tree, Self::Transcript, Self::Rewards];
    const NAMES: [&'static str; 3] = ["Recursion", "Transcript", "Rewards"];
    const TO: [Action; 3] = [Action::ToTree, Action::ToTranscript, Action::ToRewards];
}

/// The shared panels and where the reader is in each.
#[derive(Debug)]
pub(super) struct DebatePanels {
    schedule: Vec<(Round, Exact)>,
    pub(super) focus: Panel,
    /// The panel in view where there is room for one.
    front: Panel,
    pub(super) tree: Tree,
    outline: ClaimTree,
    transcript: Scroll,
    rewards_view: Scroll,
    rewards: RewardTable,
    pub(super) places: PanelLayout,
    /// The search line while it is being typed.
    typing: Option<TextInput>,
    pattern: String,
    /// A search that goes on for longer than a frame.
    search_cursor: Option<SearchCursor>,
    /// What goes on, in the footer as long as nothing is said there.
    pub(super) status: Option<String>,
    /// Said in the footer until the next key.
    pub(super) said: Option<String>,
    /// What the keys to the upper panels were called in the last frame.
    keys: [String; 3],
}

impl DebatePanels {
    pub(super) fn new(sight: &PanelView<'_, '_>) -> Self {
        let mut rewards_view = Scroll::new(0);
        rewards_view.unstick();
        let schedule = sight.state.schedule();
        let mut panels = Self {
            focus: Panel::Ask,
            front: Panel::Transcript,
            tree: Tree::default(),
            outline: ClaimTree::new(&sight.view()),
            transcript: Scroll::new(TRANSCRIPT_MARGIN),
            rewards_view,
            rewards: RewardTable::new(&sight.view(), &schedule),
            schedule,
            search_cursor: None,
            keys: Default::default(),
            places: PanelLayout::default(),
            typing: None,
            pattern: String::new(),
            status: None,
            said: None,
        };
        panels.refresh(sight);
        panels
    }

    /// Reads on in the log. Called when it has grown, so that drawing costs what is in view, and
    /// this what was added.
    pub(super) fn refresh(&mut self, sight: &PanelView<'_, '_>) {
        self.outline.read(&sight.view());
        self.rewards.read(&sight.view());
        self.tree.select(self.outline.current());
    }

    /// Reads the log anew: replies were taken back.
    pub(super) fn reread(&mut self, sight: &PanelView<'_, '_>) {
        self.outline = ClaimTree::new(&sight.view());
        self.rewards.clear(&sight.view());
        self.search_cursor = None;
        self.refresh(sight);
    }

    /// Whether claims fell into parts or were written down in bits.
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

    /// The rewards so far.
    pub(super) fn rewards(&self) -> &RewardTable {
        &self.rewards
    }

    /// The number of the first round.
    pub(super) fn depth(&self) -> Option<u32> {
        self.rewards.depth()
    }

    /// The most that a round can pay.
    pub(super) fn weight(&self, round: Round) -> Option<Exact> {
        self.schedule
            .iter()
            .find(|(other, _)| *other == round)
            .map(|(_, weight)| weight.clone())
    }

    /// Whether a search line is open and takes all characters.
    pub(super) fn is_typing(&self) -> bool {
        self.typing.is_some()
    }

    /// What holds of these panels.
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

    /// Draws the title, the panels above the ask panel, and the strip.
    pub(super) fn draw(
        &mut self,
        sight: &PanelView<'_, '_>,
        pointing: bool,
        keys: &KeyMap<Action>,
        look: &Appearance,
        buffer: &mut Buffer,
    ) {
        let places = self.places.clone();
        self.keys = Panel::TO.map(|to| keys.called(READING, to));
        bars::title(sight, &self.rewards, look, buffer, places.title);
        if sight.reader.follows() {
            bars::strip(sight, &self.rewards, look, buffer, places.strip);
        }
        if let Some(area) = places.tabs {
            let front = Panel::UPPER.iter().position(|panel| *panel == self.front);
            tabs::render(&self.tabs(), front.unwrap_or(1), look, buffer, area);
        }
        for (panel, area) in &places.panels {
            let focused = self.focus == *panel;
            let inner = if places.framed {
                frame(&self.name(*panel), focused, look, buffer, *area)
            } else {
                *area
            };
            if !sight.reader.follows() {
                closed(look, buffer, inner);
                continue;
            }
            match panel {
                Panel::Tree => self.draw_tree(sight, focused || pointing, look, buffer, inner),
                Panel::Transcript => {
                    let entries = sight.transcript(look);
                    self.transcript.fit(&entries, inner);
                    self.transcript
                        .render(&entries, &sight.newest, look, buffer, inner);
                    edges(
                        &self.transcript,
                        &entries,
                        places.framed,
                        look,
                        buffer,
                        inner,
                    );
                }
                Panel::Rewards => self.draw_rewards(sight, look, buffer, inner),
                Panel::Ask => {}
            }
        }
    }

    fn name(&self, panel: Panel) -> String {
        let alone = self.places.panels.len() == 2;
        let [_, transcript, rewards] = &self.keys;
        match panel {
            Panel::Tree => Panel::NAMES[0].to_owned(),
            Panel::Transcript if alone => format!("Transcript ({rewards}: rewards)"),
            Panel::Transcript => Panel::NAMES[1].to_owned(),
            Panel::Rewards if alone => format!("Rewards to Alice ({transcript}: transcript)"),
            _ => "Rewards to Alice".to_owned(),
        }
    }

    /// The names of the upper panels, each after the key that leads to it.
    fn tabs(&self) -> [String; 3] {
        let [tree, transcript, rewards] = &self.keys;
        let [first, second, third] = Panel::NAMES;
        [
            format!("{tree} {first}"),
            format!("{transcript} {second}"),
            format!("{rewards} {third}"),
        ]
    }

    fn draw_tree(
        &mut self,
        sight: &PanelView<'_, '_>,
        focused: bool,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let count = self.outline.rows();
        self.tree.fit(count, area);
        let view = sight.view();
        let row = |number| {
            let row = self.outline.row(&view, number, look.script());
            row.map_or_else(TreeRow::default, |row| fitted(row, area.width.into()))
        };
        self.tree.render(count, row, focused, look, buffer, area);
    }

    fn draw_rewards(
        &mut self,
        sight: &PanelView<'_, '_>,
        look: &Appearance,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        let entries = RewardLines::new(&self.rewards, &sight.view(), look, area.width.into());
        let lines = lines_up_to(&entries, area.width, area.height.into());
        let left = usize::from(area.height).saturating_sub(lines + 1);
        // The chart takes what the table leaves, if that is enough to tell sizes apart.
        let chart = u16::try_from(left.min(10)).unwrap_or(0);
        let chart = if chart >= 5 && self.rewards.compares() {
            chart
        } else {
            0
        };
        let table = Rect {
            height: area.height - chart,
            ..area
        };
        self.rewards_view.fit(&entries, table);
        self.rewards_view
            .render(&entries, &(0..0), look, buffer, table);
        if chart > 0 {
            let room = Rect {
                y: table.bottom(),
                height: chart,
                ..area
            };
            let bars: Vec<Bar> = self
                .rewards
                .bars()
                .map(|(round, paid)| Bar::new(round, paid))
                .collect();
            crate::tui::panel::chart::render(&bars, self.rewards.scale(), look, buffer, room);
        } else {
            edges(
                &self.rewards_view,
                &entries,
                self.places.framed,
                look,
                buffer,
                area,
            );
        }
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
    pub(super) fn hint_at(
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
    pub(super) fn round_text(&self, sight: &PanelView<'_, '_>, look: &Appearance) -> String {
        let entries = sight.transcript(look);
        let count = sight.log.entries().len();
        let starts = |number: &usize| starts_round(sight.log, *number);
        // At the end the last round is meant, though an older one may stand at the top.
        let at = if self.transcript.sticks() {
            count.saturating_sub(1)
        } else {
            self.transcript.top()
        };
        let from = (0..=at).rev().find(starts).unwrap_or(0);
        let to = (from + 1..count).find(starts).unwrap_or(count);
        let seen = |number: &usize| sight.log.seen_by(*number, sight.reader).is_some();
        let lines = (from..to).filter(seen).map(|number| entries.line(number));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// An entry of the log as one line of text.
    pub(super) fn told(sight: &PanelView<'_, '_>, number: usize, look: &Appearance) -> String {
        sight.transcript(look).line(number)
    }

    /// The claim in the selected row of the tree, in full.
    pub(super) fn pointed_claim(&self, sight: &PanelView<'_, '_>) -> Option<String> {
        let selected = sight.reader.follows().then(|| self.tree.selected())?;
        let claim = self.outline.claim(selected)?;
        Some(sight.scene.facts.instance.text(claim))
    }
}

/// A row of the tree, in the longest form for which there is room.
fn fitted(row: ClaimRow, columns: usize) -> TreeRow {
    // Fold, mark and the gap before the value take five columns.
    let taken = measure::width(&row.value) + 5;
    let mut forms = row.forms().into_iter();
    let text = forms.find(|form| measure::width(form) + taken <= columns);
    TreeRow {
        branches: row.branches,
        fold: row.fold,
        text: text.unwrap_or(row.text),
        value: row.value,
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

/// Signs at the right edge of a scrolled panel where there is more: on its frame, if it has one.
pub(super) fn edges(
    scroll: &Scroll,
    entries: &(impl Entries + ?Sized),
    framed: bool,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    if area.is_empty() {
        return;
    }
    let edge = Rect {
        x: area.right() - u16::from(!framed),
        width: 1,
        ..area
    };
    let style = look.style(StyleRole::Focus);
    if scroll.is_below_start() {
        measure::put(look.glyphs.more_up, style, buffer, measure::row(edge, 0));
    }
    if !scroll.is_at_end(entries) {
        let last = usize::from(edge.height) - 1;
        measure::put(
            look.glyphs.more_down,
            style,
            buffer,
            measure::row(edge, last),
        );
    }
}

/// How many lines a few entries take.
pub(super) fn measure_lines(entries: &[crate::tui::panel::scroll::Entry], columns: u16) -> usize {
    lines_up_to(entries, columns, usize::MAX)
}

/// How many lines entries take, counted no further than to where they are more than `most`.
fn lines_up_to(entries: &(impl Entries + ?Sized), columns: u16, most: usize) -> usize {
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
