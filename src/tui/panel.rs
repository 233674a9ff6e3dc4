//! The panels of the debate screen and the replay screen: the tree of claims, the transcript and the rewards, the
//! title, the strip of rewards and the footer.

mod claim_columns;
mod drawing;
mod explanation;
mod layout;
mod reading;
mod rewards;
mod source;
mod title;
mod transcript;

use crate::tui::widget::Canvas;
use explanation::EstimateSplitBarCache;

use super::keys::{Action, COMPUTING, SCALED, SEARCHED};
use crate::tui::actions::{Contexts, Facts, KeyMap, ScreenKeyContext};
use crate::tui::screen;
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::Scroll;
use crate::tui::widget::text_input::TextInput;
use crate::tui::widget::tree::RowSelectionAndScroll;
use debate_core::number::{Exact, format_percent};
use debate_core::protocol::{ProtocolKind, Rules as _};
use debate_text::transcript::TranscriptFormatter;
use debate_text::{
    ClaimTree, DebateViewpoint, EstimateSplitBar, FormulaCharacterSet, PayoffFormatter, PayoffUnit,
    QuestionSourceView, RewardTable, RoundPaymentState, probability_text,
};

pub use explanation::PendingQuestionState;
pub use layout::{AskPanelHeights, PanelLayout, PanelLayoutInputs};
pub use source::SourcePanel;
pub use transcript::TranscriptPanel;

/// Columns for the labels of the report at a debate's end.
pub const REPORT_MARGIN: u16 = 9;

/// Minimum width of a transcript that contains whole sentences although it has no focus, in columns.
const MIN_SENTENCE_COLUMNS: u16 = 56;

/// A panel that can have keyboard focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    Tree,
    Transcript,
    Rewards,
    /// The lowest panel: the question to the user, the report at the end, or the timeline of a replay.
    Ask,
}

impl Panel {
    const UPPER: [Self; 3] = [Self::Tree, Self::Transcript, Self::Rewards];
    const ALL: [Self; 4] = [Self::Ask, Self::Tree, Self::Transcript, Self::Rewards];
    const NAMES: [&'static str; 3] = ["Claims", "Transcript", "Rewards"];
    const FOCUS_ACTIONS: [Action; 3] = [Action::ToTree, Action::ToTranscript, Action::ToRewards];
}

/// The part of a mouse event that the panels leave to the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseEventLeftByPanels {
    /// The panel of the claims was clicked, or its tab. If a claim was clicked, it is already selected in the tree.
    Claim,
    /// A left click or a turn of the wheel on the lowest panel, or a drag or another event of the mouse anywhere.
    Below,
    /// Nothing: the panels handled the event, or it has no effect.
    Done,
}

/// The panels that the debate screen and the replay screen share, with the scroll position of each.
#[derive(Debug)]
pub struct DebatePanels {
    pub focus: Panel,
    /// The panel that is in view if the screen has room for only one.
    pub front: Panel,
    pub tree: RowSelectionAndScroll,
    pub outline: ClaimTree,
    /// The debate's question with its source text, if there is one. It takes the place of the tree of claims.
    pub source: Option<SourcePanel>,
    pub transcript: TranscriptPanel,
    rewards_view: Scroll,
    pub rewards: RewardTable,
    /// The rewards before the last move. They are shown while the move's coins are animated.
    frozen_rewards: Option<RewardTable>,
    /// The unit in which amounts are shown. The transcript always shows points.
    unit: PayoffUnit,
    pub layout: PanelLayout,
    split_bar: EstimateSplitBarCache,
    /// The search line while it is being typed.
    typing: Option<TextInput>,
    pattern: String,
    /// True if the user searches in the source, false if in the transcript.
    searches_source: bool,
    /// True if the search line was opened while the question had the focus. Cancelling the search returns the focus to
    /// it.
    pub searches_from_question: bool,
    /// The computation that is running, shown in the footer if there is no note.
    pub status: Option<String>,
    /// A note in the footer, shown until the next key press or click.
    pub note: Option<String>,
    /// Labels of the keys that move the focus to the upper panels, from the last frame.
    keys: [String; 3],
}

impl DebatePanels {
    pub fn new(view: &DebateViewpoint<'_, '_>) -> Self {
        let schedule = view.state.schedule();
        let mut panels = Self {
            focus: Panel::Ask,
            front: if view.facts.kind == ProtocolKind::Speeches {
                Panel::Transcript
            } else {
                Panel::Tree
            },
            tree: RowSelectionAndScroll::default(),
            outline: ClaimTree::new(view),
            source: QuestionSourceView::new(view).map(SourcePanel::new),
            transcript: TranscriptPanel::default(),
            rewards_view: Scroll::at_start_without_following(0),
            rewards: RewardTable::new(view, &schedule),
            frozen_rewards: None,
            unit: PayoffUnit::Points,
            keys: Default::default(),
            layout: PanelLayout::default(),
            split_bar: EstimateSplitBarCache::default(),
            typing: None,
            pattern: String::new(),
            searches_source: false,
            searches_from_question: false,
            status: None,
            note: None,
        };
        panels.read_new_log_entries(view);
        panels
    }

    /// Reads the new entries of the log. Called after the debate has changed, not for each frame, so that drawing a
    /// frame never reads the whole log.
    pub fn read_new_log_entries(&mut self, view: &DebateViewpoint<'_, '_>) {
        self.outline.read_new_log_entries(view);
        self.rewards.read_new_log_entries(view);
        if let Some(source) = &mut self.source {
            source.quoted.read_new_log_entries(view);
        }
        self.tree.select(self.outline.row_of_claim_of_request());
    }

    /// Keeps showing the current rewards until [`Self::unfreeze_shown_rewards`], so that the rewards do not reveal a
    /// coin before its animation.
    pub fn freeze_shown_rewards(&mut self) {
        self.frozen_rewards = Some(self.rewards.clone());
    }

    /// Shows all rewards again, after the animation of the last coin.
    pub fn unfreeze_shown_rewards(&mut self) {
        self.frozen_rewards = None;
    }

    /// Returns the rewards to show.
    pub(super) fn shown_rewards(&self) -> &RewardTable {
        self.frozen_rewards.as_ref().unwrap_or(&self.rewards)
    }

    /// Reads the whole log again after entries were removed, by an undo or by a step back in a replay.
    pub fn reread_log(&mut self, view: &DebateViewpoint<'_, '_>) {
        self.frozen_rewards = None;
        self.split_bar.clear();
        self.outline = ClaimTree::new(view);
        self.rewards.clear_data_from_log(view);
        self.transcript.cancel_transcript_search();
        self.read_new_log_entries(view);
    }

    /// Selects a subclaim of the current claim in the tree. No effect if there is no subclaim `index`.
    pub fn select_subclaim_in_tree(&mut self, index: usize) {
        if let Some(row) = self.outline.row_of_subclaim(index) {
            self.tree.select(row);
        }
    }

    /// Returns the index of the current claim's subclaim that is marked in the tree.
    pub fn selected_subclaim(&self) -> Option<usize> {
        self.outline.subclaim_index(self.tree.selected())
    }

    /// Returns the sentence of the source that is marked.
    pub fn marked_source_sentence(&self) -> Option<&str> {
        self.source.as_ref()?.marked_sentence()
    }

    /// Scrolls the source text by pages, even if another panel has the focus.
    pub fn scroll_source(&mut self, pages: isize) {
        if let Some(source) = &mut self.source {
            source.scroll_pages(pages);
            self.front = Panel::Tree;
        }
    }

    /// Returns the format of amounts for the viewer, in the current unit.
    pub fn amount_format(&self, view: &DebateViewpoint<'_, '_>) -> PayoffFormatter {
        self.rewards
            .payoff_formatter(view)
            .with_payoff_unit(self.unit)
    }

    /// Returns the smallest and the largest payoff that the prover can still get in the current round. `None` if the
    /// round has paid or pays nothing, or if the debate is over.
    pub fn prover_payoff_range_of_open_round(
        &self,
        view: &DebateViewpoint<'_, '_>,
    ) -> Option<[Exact; 2]> {
        match self.rewards.summary(view).now {
            RoundPaymentState::Open(range) => Some(range),
            _ => None,
        }
    }

    /// Switches the amounts outside the transcript to the other unit and shows a note about it.
    pub fn change_payoff_unit(&mut self) {
        self.unit = self.unit.other_unit();
        self.note = Some(match self.unit {
            PayoffUnit::Points => "Amounts are shown in points.".to_owned(),
            PayoffUnit::OfRules => {
                "Amounts are shown as exact payoffs; the transcript keeps points.".to_owned()
            }
        });
    }

    /// True if a search line is open, to which all typed characters belong.
    pub fn is_search_line_open(&self) -> bool {
        self.typing.is_some()
    }

    /// Returns the facts about these panels that decide which actions are available.
    pub fn facts_for_keys(&self) -> Facts {
        SEARCHED.only_if(!self.pattern.is_empty())
            | COMPUTING.only_if(self.is_transcript_search_running())
            | SCALED.only_if(!self.rewards.are_points_equal_to_payoffs())
    }

    pub fn focus(&mut self, panel: Panel) {
        self.focus = panel;
        if panel != Panel::Ask {
            self.front = panel;
        }
    }

    /// Moves the focus to the first of transcript, tree and rewards that has one of these contexts, or else to the
    /// question. `panels` are the contexts of tree, transcript and rewards.
    pub fn focus_panel_for(&mut self, contexts: Contexts, panels: [Contexts; 3]) {
        // Actions of several panels are mostly wanted for the transcript, so it comes first.
        let order = [1, 0, 2].map(|at| (panels[at], Panel::UPPER[at]));
        let panel = order.into_iter().find(|(set, _)| set.intersects(contexts));
        self.focus(panel.map_or(Panel::Ask, |(_, panel)| panel));
    }

    /// Returns the number of lines that a panel needs at a width of `columns`, counted up to `max_lines`.
    pub fn line_count(
        &self,
        view: &DebateViewpoint<'_, '_>,
        look: &ScreenAppearance,
        panel: Panel,
        columns: u16,
        max_lines: u16,
    ) -> u16 {
        if !view.reader.is_shown_debate_during_play() {
            return 1;
        }
        let lines = match panel {
            Panel::Tree => match &self.source {
                Some(source) => source.line_count(columns, max_lines.into()),
                None => self.outline.row_count(),
            },
            Panel::Transcript => {
                let entries = self.entries_in(view, look.formula_script(), columns);
                TranscriptPanel::line_count(&entries, columns, max_lines)
            }
            // One line for each round, and one for the total.
            Panel::Rewards => self.rewards.len() + 1,
            Panel::Ask => 0,
        };
        u16::try_from(lines).map_or(max_lines, |lines| lines.min(max_lines))
    }

    /// Returns the facts that decide which panels are in view.
    pub fn layout_inputs(&self, view: &DebateViewpoint<'_, '_>) -> PanelLayoutInputs {
        let rewards = measure::to_u16_saturating(self.rewards.len() + 1);
        let shown = view.reader.sees_estimates() && view.reader.is_shown_debate_during_play();
        PanelLayoutInputs {
            front: self.front,
            main: self.focus,
            is_speech_debate: view.facts.kind == ProtocolKind::Speeches,
            rewards: rewards * u16::from(shown),
            has_explanation: can_explain(view),
            max_upper_rows: u16::MAX,
            is_over: view.state.request().is_none(),
        }
    }

    /// Returns the transcript in the form for its panel: in short lines unless the panel is wide or has the focus, or
    /// the debate consists of speeches.
    pub fn entries<'s, 'a>(
        &self,
        view: &DebateViewpoint<'s, 'a>,
        script: FormulaCharacterSet,
    ) -> TranscriptFormatter<'s, 'a> {
        self.entries_in(view, script, self.layout.transcript_columns())
    }

    /// Returns the transcript in the form for a panel that is `columns` wide.
    fn entries_in<'s, 'a>(
        &self,
        view: &DebateViewpoint<'s, 'a>,
        script: FormulaCharacterSet,
        columns: u16,
    ) -> TranscriptFormatter<'s, 'a> {
        let is_brief = self.focus != Panel::Transcript
            && view.facts.kind != ProtocolKind::Speeches
            && columns < MIN_SENTENCE_COLUMNS;
        TranscriptFormatter {
            // Two columns are reserved: the sign of new entries and the scroll bar.
            brief: is_brief.then(|| usize::from(columns.saturating_sub(2))),
            withheld: (self.frozen_rewards.as_ref())
                .map_or(usize::MAX, RewardTable::log_entries_read),
            ..view.transcript(script)
        }
    }

    /// Draws the footer: the search line, the progress of a search, a note, the running computation, or hints for the
    /// keys.
    pub fn footer(&self, keys: &KeyMap<Action>, here: ScreenKeyContext, canvas: &mut Canvas<'_>) {
        let area = self.layout.footer;
        if let Some(line) = &self.typing {
            screen::draw_search_line(line, canvas, area);
        } else if let Some(percent) = self.transcript.transcript_search_percent() {
            let stop = keys.key_or_command_name(super::keys::WATCH, Action::Stop);
            let line = format!(" Searching: {percent} % ({stop} stops)");
            canvas.draw_text_line(&line, TextRole::Title, area);
        } else if let (Some(status), None) = (&self.status, &self.note) {
            let stop = keys.key_or_command_name(super::keys::WATCH, Action::Stop);
            let line = format!(" {status} ({stop} stops)");
            canvas.draw_text_line(&line, TextRole::Title, area);
        } else {
            screen::draw_footer(self.note.as_deref(), keys, here, canvas, area);
        }
    }

    /// Returns the transcript of the round in view, to be copied to the clipboard.
    pub fn transcript_of_shown_round(
        &self,
        view: &DebateViewpoint<'_, '_>,
        look: &ScreenAppearance,
    ) -> String {
        self.transcript
            .transcript_of_round_on_screen(&view.transcript(look.formula_script()))
    }

    /// Returns the full text of the claim in the selected row of the tree. `None` if a source takes the place of the
    /// tree, or if the viewer does not follow the debate.
    pub fn selected_claim_text(&self, view: &DebateViewpoint<'_, '_>) -> Option<String> {
        if self.source.is_some() {
            return None;
        }
        let selected = view
            .reader
            .is_shown_debate_during_play()
            .then(|| self.tree.selected())?;
        let claim = self.outline.claim(selected)?;
        Some(format!("“{}”", view.facts.instance.text(claim)))
    }
}

/// Formats a probability as on the other parts of the screen: "33.3 %". If this is too wide for `columns`, rounds it to
/// two digits: "33 %".
fn percent_that_fits(probability: f64, columns: usize) -> String {
    let precise = format_percent(probability);
    if measure::width(&precise) <= columns {
        precise
    } else {
        probability_text(probability)
    }
}

/// True if the debate has something to explain in the explanation panel, which only wide screens show. Always false in
/// a debate of speeches, because its source text is shown in that place.
fn can_explain(view: &DebateViewpoint<'_, '_>) -> bool {
    if view.facts.kind == ProtocolKind::Speeches || !view.viewer_may_see_rules() {
        return false;
    }
    view.state.request().is_some()
        || EstimateSplitBar::last_round_has_estimate_bar(view.facts.instance, view.log)
}
