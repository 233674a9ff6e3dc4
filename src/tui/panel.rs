//! The panels of the debate screen and the replay screen: recursion, transcript and rewards, the
//! title, the strip and the footer.

mod drawing;
mod layout;
mod reading;
mod rewards;
mod source;
mod strip;
mod transcript;

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::keys::{Action, COMPUTING, SEARCHED};
use crate::tui::actions::{Contexts, Facts, KeyMap, ScreenContext};
use crate::tui::scene::Scene;
use crate::tui::screen;
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::scroll::Scroll;
use crate::tui::widget::text_input::TextInput;
use crate::tui::widget::tree::Tree;
use debate_core::number::Exact;
use debate_core::protocol::{Log, Reader, Rules as _, State};
use debate_lab::tell::transcript::TranscriptView;
use debate_lab::tell::{
    Amounts, ClaimTree, Perspective, QuotedSource, ReplyMark, RewardTable, RoundStake, Unit,
    Viewpoint,
};

pub(super) use debate_lab::tell::chance;
pub(super) use layout::{AskRows, PanelLayout};
pub(super) use source::SourcePanel;
pub(super) use transcript::TranscriptPanel;

/// Columns for the labels of a report.
pub(super) const REPORT_MARGIN: u16 = 9;
/// From so many columns on the tree has claims in full, where each fits.
const WHOLE_TEXTS: usize = 48;
/// Rows of the chart below the table of rewards at least and at most.
const CHART: (usize, usize) = (8, 12);

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
            in_points: true,
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
    transcript: TranscriptPanel,
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
    /// The work under way, for the footer as long as nothing is said there.
    pub(super) status: Option<String>,
    /// Said in the footer until the next key.
    pub(super) note: Option<String>,
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
            transcript: TranscriptPanel::default(),
            rewards_view: Scroll::fixed(0),
            rewards: RewardTable::new(&view.viewpoint(), &schedule),
            unit: Unit::Points,
            keys: Default::default(),
            places: PanelLayout::default(),
            typing: None,
            pattern: String::new(),
            searches_source: false,
            status: None,
            note: None,
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
            source.quoted.read(&view.viewpoint());
        }
        self.tree.select(self.outline.current());
    }

    /// Reads the log anew: replies were taken back.
    pub(super) fn reread(&mut self, view: &PanelView<'_, '_>) {
        self.outline = ClaimTree::new(&view.viewpoint());
        self.rewards.clear(&view.viewpoint());
        self.transcript.stop_search();
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
        self.note = Some(match self.unit {
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
        SEARCHED.only_if(!self.pattern.is_empty()) | COMPUTING.only_if(self.is_searching())
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
        let panel = order.into_iter().find(|(set, _)| set.meets(contexts));
        self.focus(panel.map_or(Panel::Ask, |(_, panel)| panel));
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
            Panel::Transcript => TranscriptPanel::lines(&view.transcript(look), columns, most),
            // The two lines of the strip, and the table below its head.
            Panel::Rewards => self.rewards.len() + 4,
            Panel::Ask => 0,
        };
        u16::try_from(lines).map_or(most, |lines| lines.min(most))
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
            screen::searching(line, look, buffer, area);
        } else if let Some(percent) = self.transcript.searched_percent() {
            let line = format!(" Searching: {percent} % (esc stops)");
            look.put(&line, Role::Title, buffer, area);
        } else if let (Some(status), None) = (&self.status, &self.note) {
            let stop = keys.called(super::keys::WATCH, Action::Stop);
            let line = format!(" {status} ({stop} stops)");
            look.put(&line, Role::Title, buffer, area);
        } else {
            screen::footer(self.note.as_deref(), keys, here, look, buffer, area);
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
        screen::hints(keys, here, look, self.places.footer)
            .into_iter()
            .find(|(_, place)| place.contains(at))
            .map(|(hint, _)| hint.id)
    }

    /// The text of the round in view, for the clipboard.
    pub(super) fn round_text(&self, view: &PanelView<'_, '_>, look: &Appearance) -> String {
        self.transcript.round_text(&view.transcript(look))
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
