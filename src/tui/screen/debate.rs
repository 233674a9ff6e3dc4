//! The debate screen: the recursion, the transcript and the rewards, and below them what is asked.
//!
//! Moves of the others are not made until the user reveals them, so nothing has to be hidden
//! that has happened already. Whoever sits sees what is open to both debaters and what is their
//! own; a judge as much of it as the scenario's `judge_sees` says.

mod analysis_tasks;
mod ask;
mod coaching;
mod handover;
mod hint_tasks;
mod live;
pub(super) mod pace;
mod panels;
mod pending_moves;
mod screen;

use std::time::Instant;

use super::keys::{
    COMPARABLE, COMPUTING, END, HANDOVER, LESSON, MINE, OTHERS, PLAYING, REWARDS, RUNNING,
    TRANSCRIPT, TREE, UNDOABLE, VALUED, WATCH,
};
use super::panels::{DebatePanels, Panel, REPORT_MARGIN};
use super::tasks::ReviewTasks;
use super::{Action, Effect, Overlay};
use crate::tui::actions::{Contexts, Facts, KeyMap};
use crate::tui::panel::{scroll::Entry, scroll::Scroll};
use crate::tui::players::PlayerThread;
use crate::tui::scene::Scene;
use crate::tui::theme::Appearance;
use ask::Ask;
use debate_core::number::Exact;
use debate_core::protocol::{Seat, Turn};
use debate_lab::narration::{passed, report};
use debate_lab::record::Session;
use hint_tasks::HintTasks;
use live::LiveDebate;
use pace::Pace;
use pending_moves::{Goal, PendingMoves};

/// The user's decision at the end of a debate, or before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebateOutcome {
    /// To leave.
    Quit,
    /// To watch this debate again from its start.
    WatchAgain,
    /// To see it as it stood before the move of this number.
    Show(usize),
    /// To play on from there.
    TryAgain(usize),
    /// To play again with a new seed.
    PlayAgain,
    /// To see the same under other rules.
    Compare,
    /// To go on in the tutorial.
    Onward,
}

/// A debate on the screen.
pub struct Debate<'t, 'a> {
    live: LiveDebate<'t, 'a>,
    keys: &'t KeyMap<Action>,
    panels: DebatePanels,
    /// The user's turn, with the answer as it stands.
    ask: Option<Ask>,
    /// When the question was put.
    asked: Instant,
    /// The text in place of the question on others' turns, and at the end.
    notice: Vec<Entry>,
    notice_view: Scroll,
    /// The reason why the debate cannot go on.
    stuck: Option<String>,
    pace: Pace,
    players: PlayerThread,
    /// Moves of theirs that are waited for.
    pending: Option<PendingMoves>,
    overlay: Overlay,
    hint_tasks: HintTasks,
    tasks: ReviewTasks,
    /// True if a reply can be taken back.
    undoable: bool,
    /// True if what the tutorial says is shown.
    shows_coach: bool,
    /// Quitting loses the debate, and was asked for once.
    leaving: bool,
    /// The look of the last frame: sentences are made with its signs.
    look: Appearance,
    /// The seat that has the keyboard, where several people share it.
    holder: Option<Seat>,
    /// The entries of the log when the user went on to their turn at once.
    skipped_from: Option<usize>,
}

impl<'t, 'a> Debate<'t, 'a> {
    /// A debate that goes on from wherever it stands, with the thread of its built-in players.
    pub fn new(
        session: &'t mut Session<'a>,
        players: PlayerThread,
        scene: &'t Scene<'a>,
        keys: &'t KeyMap<Action>,
    ) -> Self {
        let live = LiveDebate::new(session, scene);
        let panels = DebatePanels::new(&live.view());
        let mut debate = Self {
            live,
            keys,
            panels,
            ask: None,
            asked: Instant::now(),
            notice: Vec::new(),
            notice_view: Scroll::fixed(0),
            stuck: None,
            pace: Pace::new(scene.tempo),
            players,
            pending: None,
            overlay: Overlay::default(),
            hint_tasks: HintTasks::new(scene.values.as_ref().is_some_and(|values| values.hints)),
            tasks: ReviewTasks::new(scene.values.as_ref()),
            undoable: false,
            shows_coach: true,
            leaving: false,
            look: Appearance::default(),
            holder: None,
            skipped_from: None,
        };
        debate.holder = debate.first_holder();
        debate.refresh();
        debate
    }

    /// Reads the debate anew after it has changed.
    fn refresh(&mut self) {
        let view = self.live.view();
        self.panels.refresh(&view);
        let seating = self.live.seating();
        let mine = seating.turn().filter(|turn| seating.is_outside(turn.seat));
        let mine = mine.filter(|_| handover::due(seating, self.holder).is_none());
        let told = view.tells_worth();
        let worth = |reply| seating.immediate_reward(reply).filter(|_| told);
        let ask = |turn: Turn<Exact>| {
            let texts = self.texts(turn.seat);
            Ask::new(&view, &self.panels, turn, texts, worth, &self.look)
        };
        self.ask = mine.map(ask);
        if let Some(ask) = &mut self.ask
            && let Some(from) = self.skipped_from.take()
        {
            let entries = from..view.log.entries().len();
            ask.tell_passed(passed(&view.viewpoint(), entries, self.look.script()));
        }
        match (&self.live.scene.values, &self.ask) {
            (Some(values), Some(_)) if told => self.hint_tasks.start(values, seating.moves()),
            _ => self.hint_tasks.forget(),
        }
        self.notice = if self.ask.is_some() {
            Vec::new()
        } else if seating.turn().is_none() {
            self.tasks.review(seating.moves());
            self.report()
        } else {
            pace::notice(&view, seating, &self.panels, self.stuck.as_deref())
        };
        self.undoable = seating.undo_point().is_ok() && self.undo_refusal().is_none();
        self.update_coach_text();
        self.notice_view = Scroll::fixed(self.margin());
        self.asked = Instant::now();
        self.panels.focus = Panel::Ask;
        if self.live.is_over() {
            self.pace.stop();
        }
        self.rest();
    }

    /// The scenario's texts for a person at their question, where no notice had them before. A lesson
    /// says in its own words what it is about.
    fn texts(&self, seat: Seat) -> Vec<&'t str> {
        let seating = self.live.seating();
        let entries = seating.log().entries();
        match self.live.scene.coach {
            Some(_) => Vec::new(),
            None if entries.is_empty() => self.live.scene.facts.texts_for(Some(seat)),
            None if !handover::is_shared(seating) => Vec::new(),
            None if entries.iter().any(|entry| entry.seat == seat) => Vec::new(),
            None => self
                .live
                .scene
                .facts
                .briefing
                .get(seat)
                .into_iter()
                .collect(),
        }
    }

    /// The report at the end.
    fn report(&self) -> Vec<Entry> {
        let ledger = self.live.seating().ledger();
        let (view, rewards) = (self.live.view().viewpoint(), self.panels.rewards());
        let mut report = report::report(&view, rewards, &ledger, self.look.script());
        report.extend(self.tasks.review_entries(false));
        report.splice(0..0, self.coach_text());
        report
    }

    /// Waits for the next move, if the debate plays by itself and it is not the user's turn.
    fn rest(&mut self) {
        let awaited = self.live.seating().awaited().is_some();
        let still =
            awaited || self.live.is_over() || self.stuck.is_some() || self.pending.is_some();
        let moving = self.ask.is_none() && !still && !self.is_held();
        self.pace.rest(moving);
    }

    /// True if a lesson says something that is to be read before the others go on.
    fn is_held(&self) -> bool {
        self.ask.is_none() && !self.live.is_over() && self.coach_text().is_some()
    }

    /// Goes on to the user's turn at once; where a lesson holds the others back, lets them go on.
    fn go_on(&mut self) {
        if self.pace.is_playing() && self.is_held() {
            self.go(Goal::Repeats);
            return;
        }
        let entries = self.live.seating().log().entries().len();
        self.skipped_from.get_or_insert(entries);
        self.go(Goal::Turn);
    }

    fn send(&mut self) {
        let Some(ask) = &mut self.ask else {
            return;
        };
        if ask.settle() {
            return;
        }
        let reply = match ask.reply() {
            Ok(reply) => reply,
            Err(missing) => return ask.refuse(self.keys.filled(&missing)),
        };
        let taken = self.asked.elapsed().as_millis();
        let ms = u64::try_from(taken).unwrap_or(u64::MAX);
        match self.live.reply(reply, ms) {
            Ok(()) => self.refresh(),
            Err(why) => ask.refuse(sentence(&why)),
        }
    }

    fn undo(&mut self) {
        if let Some(theirs) = self.undo_refusal() {
            self.panels.said = Some(theirs);
            return;
        }
        match self.live.undo() {
            Ok(()) => {
                self.pending = None;
                self.players.forget();
                self.stuck = None;
                self.panels.reread(&self.live.view());
                self.refresh();
                self.panels.said = Some("Your last reply is taken back.".to_owned());
            }
            Err(refusal) => {
                self.panels.said = Some(format!("Not undone: {refusal}."));
            }
        }
    }

    fn context(&self) -> Contexts {
        if self.next_person().is_some() {
            return HANDOVER;
        }
        match self.panels.focus {
            Panel::Tree => TREE,
            Panel::Transcript => TRANSCRIPT,
            Panel::Rewards => REWARDS,
            Panel::Ask => self.below(),
        }
    }

    /// Which keys the panel below the others has.
    fn below(&self) -> Contexts {
        match &self.ask {
            Some(ask) => ask.context(),
            None if self.live.is_over() => END,
            None => WATCH,
        }
    }

    fn facts(&self) -> Facts {
        let over = self.live.is_over();
        if self.next_person().is_some() {
            return UNDOABLE.only_if(self.undoable);
        }
        OTHERS.only_if(self.ask.is_none() && !over)
            | MINE.only_if(self.ask.is_some())
            | RUNNING.only_if(!over)
            | PLAYING.only_if(self.pace.is_playing())
            | UNDOABLE.only_if(!over && self.undoable)
            | VALUED.only_if(self.tasks.is_able())
            | COMPARABLE.only_if(self.live.scene.comparable)
            | COMPUTING.only_if(self.is_computing())
            | LESSON.only_if(self.live.scene.coach.is_some())
            | self.panels.facts()
    }

    fn quit(&mut self) -> Effect<DebateOutcome> {
        let lost = self.live.scene.kept.is_none()
            && !self.live.is_over()
            && !self.live.seating().moves().is_empty();
        if lost && !self.leaving {
            self.leaving = true;
            self.panels.said =
                Some("This debate is not kept anywhere: q once more leaves it.".to_owned());
            return Effect::None;
        }
        Effect::Leave(DebateOutcome::Quit)
    }

    /// Columns for labels: the report has them, a notice has not.
    fn margin(&self) -> u16 {
        if self.live.is_over() {
            REPORT_MARGIN
        } else {
            0
        }
    }

    fn rows(&self, columns: u16) -> u16 {
        if let Some(ask) = &self.ask {
            return ask.rows(columns);
        }
        let margin = self.margin().min(columns / 3);
        let lines = super::panels::measure_lines(&self.notice, columns.saturating_sub(margin));
        u16::try_from(lines).unwrap_or(u16::MAX - 9)
    }
}

/// A sentence of its own.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), characters.as_str())
}
