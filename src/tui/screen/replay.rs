//! The replay screen: a debate that was played, step by step, with the same panels and a timeline.
//!
//! Everything is open, unless somebody watches who may see no more than a seat does.

mod position;

use std::cmp::Ordering;
use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind},
    layout::{Position as Point, Rect},
};

use super::debate::pace;
use super::keys::{
    COMPARABLE, COMPUTING, PLAYING, REPLAY, REPLAY_REWARDS, REPLAY_TRANSCRIPT, REPLAY_TREE,
    RUNNING, TIMELINE, VALUED,
};
use super::panels::{DebatePanels, Panel, PanelLayout, PanelView};
use super::tasks::{ReviewTasks, next_progress};
use super::{Action, Effect, Overlay, Screen, ScreenContext};
use crate::tui::actions::{Contexts, Facts, KeyMap};
use crate::tui::panel::{frame, measure};
use crate::tui::scene::Scene;
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::{Rules, Seat};
use debate_lab::narration::{ReplyMark, pending_action};
use debate_lab::record::{History, StepKind};
use pace::Pace;
pub(super) use position::Position;

/// Rows inside the timeline's frame.
const ROWS: u16 = 3;

/// What the user decided in a replay.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplayOutcome {
    /// To leave.
    Done,
    /// To play on from where so many steps were made, and these moves stand.
    PlayOn(usize, Vec<Move<Exact>>),
    /// To see the same under other rules.
    Compare,
}

/// A replay on the screen.
pub struct Replay<'t, 'a> {
    position: Position<'a>,
    /// The moves that stand at the end.
    end: Vec<Move<Exact>>,
    tasks: ReviewTasks,
    scene: &'t Scene<'a>,
    keys: &'t KeyMap<Action>,
    panels: DebatePanels,
    pace: Pace,
    overlay: Overlay,
    /// Whether the panels have not read yet what has changed.
    stale: bool,
    /// Where the timeline's bar was drawn.
    bar: Rect,
    look: Appearance,
}

fn sight<'s, 'a>(
    position: &'s Position<'a>,
    scene: &'s Scene<'a>,
    marks: &'s [ReplyMark],
) -> PanelView<'s, 'a> {
    position.sight(scene, marks)
}

/// What is said of people's replies, where the debate stands as it went on.
fn marks<'s>(tasks: &'s ReviewTasks, position: &Position<'_>) -> &'s [ReplyMark] {
    if position.history().leads_to_end() {
        &tasks.marks
    } else {
        &[]
    }
}

impl<'t, 'a> Replay<'t, 'a> {
    /// A replay at the start of a debate.
    #[must_use]
    pub fn new(history: History<'a>, scene: &'t Scene<'a>, keys: &'t KeyMap<Action>) -> Self {
        let position = Position::at_start(history);
        let panels = DebatePanels::new(&sight(&position, scene, &[]));
        let mut tasks = ReviewTasks::new(scene.values.as_ref());
        let end = position.history().moves_at_end();
        if tasks.is_able() {
            tasks.review(&end);
        }
        Self {
            position,
            end,
            tasks,
            scene,
            keys,
            panels,
            // A replay stands at its start until it is told to play.
            pace: Pace::new(scene.tempo.waiting()),
            overlay: Overlay::default(),
            stale: false,
            bar: Rect::ZERO,
            look: Appearance::default(),
        }
    }

    /// Goes to where so many steps have been made.
    pub fn go(&mut self, to: usize) {
        self.position.go(to);
        self.refresh();
    }

    /// Says something below, until a key is pressed.
    pub fn say(&mut self, said: Option<String>) {
        self.panels.said = said;
    }

    fn refresh(&mut self) {
        self.stale = true;
        if self.at_end() {
            self.pace.stop();
        }
        self.pace.rest(!self.at_end());
    }

    /// Has the panels read what they have not read yet: once for many steps at once.
    fn settle(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.position.show(&mut self.panels, self.scene);
        }
    }

    fn at_end(&self) -> bool {
        self.position.at() == self.position.len() || self.position.broken().is_some()
    }

    fn context(&self) -> Contexts {
        match self.panels.focus {
            Panel::Tree => REPLAY_TREE,
            Panel::Transcript => REPLAY_TRANSCRIPT,
            Panel::Rewards => REPLAY_REWARDS,
            Panel::Ask => TIMELINE,
        }
    }

    fn facts(&self) -> Facts {
        RUNNING
            | PLAYING.only_if(self.pace.is_playing())
            | VALUED.only_if(self.tasks.is_able())
            | COMPARABLE.only_if(self.scene.comparable)
            | COMPUTING.only_if(self.tasks.is_running())
            | self.panels.facts()
    }

    /// What the last step was, in words.
    fn told(&self) -> String {
        if let Some(broken) = self.position.broken() {
            return format!("The next step cannot be made: {broken}.");
        }
        let Some(step) = self.position.history().last() else {
            return "Nobody has spoken yet.".to_owned();
        };
        let time = step.ms.map_or_else(String::new, |milliseconds| {
            format!(
                ", after {}.{} s",
                milliseconds / 1000,
                milliseconds % 1000 / 100
            )
        });
        match &step.kind {
            StepKind::Move(_) => {
                let marks = marks(&self.tasks, &self.position);
                let sight = sight(&self.position, self.scene, marks);
                let told = DebatePanels::told(&sight, sight.newest.start, &self.look);
                format!("{told}{time}")
            }
            StepKind::Undo { .. } => format!("The last reply was taken back{time}."),
        }
    }

    fn draw_timeline(&mut self, look: &Appearance, buffer: &mut Buffer) {
        let area = self.panels.places.ask;
        let focused = self.panels.focus == Panel::Ask;
        let inner = if self.panels.places.framed {
            frame("Timeline", focused, look, buffer, area)
        } else {
            let role = if focused {
                StyleRole::Focus
            } else {
                StyleRole::Title
            };
            measure::put("Timeline", look.style(role), buffer, measure::row(area, 0));
            Rect {
                y: area.y + area.height.min(1),
                height: area.height.saturating_sub(1),
                ..area
            }
        };
        let (at, all) = (self.position.at(), self.position.len());
        let line = format!("Step {at} of {all}. {}", self.told());
        measure::put(
            &line,
            look.style(StyleRole::Title),
            buffer,
            measure::row(inner, 0),
        );
        let bar = measure::row(inner, 1);
        self.bar = bar;
        let knob = usize::from(bar.width.saturating_sub(1)) * at / all.max(1);
        for (number, column) in bar.columns().enumerate() {
            let (glyph, role) = match number.cmp(&knob) {
                Ordering::Less => (look.glyphs.slider_track, StyleRole::Focus),
                Ordering::Equal => (look.glyphs.slider_knob, StyleRole::Current),
                Ordering::Greater => (look.glyphs.slider_track, StyleRole::Faint),
            };
            measure::put(glyph, look.style(role), buffer, column);
        }
        let hint = match self.position.state().request() {
            Some(_) if !self.position.reader(self.scene).follows() => String::new(),
            Some(turn) if !self.at_end() => {
                let name = match turn.seat {
                    Seat::Chance => "a coin".to_owned(),
                    Seat::Judge => "the judge".to_owned(),
                    seat => seat.person().to_owned(),
                };
                let marks = marks(&self.tasks, &self.position);
                let sight = sight(&self.position, self.scene, marks);
                format!(
                    "Next: {name} {}.",
                    pending_action(sight.scene.facts.instance, &turn.request)
                )
            }
            Some(_) => "The debate was not played to its end.".to_owned(),
            None => "The debate is over.".to_owned(),
        };
        measure::put(
            &hint,
            look.style(StyleRole::Faint),
            buffer,
            measure::row(inner, 2),
        );
    }

    fn scrub(&mut self, column: u16) {
        let steps = usize::from(self.bar.width.saturating_sub(1)).max(1);
        let from = usize::from(column.saturating_sub(self.bar.x)).min(steps);
        self.go((from * self.position.len() + steps / 2) / steps);
    }
}

impl Screen for Replay<'_, '_> {
    type Outcome = ReplayOutcome;

    fn picture(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        self.look = *look;
        self.settle();
        self.tasks.poll();
        self.panels.places = PanelLayout::of(area, self.panels.front(), |_| ROWS);
        let marks = marks(&self.tasks, &self.position);
        let sight = sight(&self.position, self.scene, marks);
        self.panels.draw(&sight, false, self.keys, look, buffer);
        self.draw_timeline(look, buffer);
        self.panels
            .footer(self.keys, self.screen_context(), look, buffer);
        if let Some(page) = &mut self.tasks.page {
            page.draw(look, buffer, area);
        }
    }

    fn screen_context(&self) -> ScreenContext {
        ScreenContext {
            context: self.context(),
            screen: REPLAY,
            facts: self.facts(),
        }
    }

    fn overlay(&mut self) -> (&mut Overlay, &KeyMap<Action>) {
        (&mut self.overlay, self.keys)
    }

    fn about(&self) -> [String; 2] {
        [
            pace::about(TIMELINE).to_owned(),
            self.scene.facts.about.clone(),
        ]
    }

    fn act(&mut self, action: Action) -> Effect<ReplayOutcome> {
        let at = self.position.at();
        match action {
            Action::Forward => self.go(at + 1),
            Action::Back => self.go(at.saturating_sub(1)),
            Action::Start => self.go(0),
            Action::Finish => self.go(usize::MAX),
            Action::RoundOn | Action::RoundBack => {
                self.position.go_round(action == Action::RoundOn);
                self.refresh();
            }
            Action::Auto => {
                // At the end there is nothing left to play, so it begins again.
                if self.at_end() && !self.pace.is_playing() {
                    self.go(0);
                }
                self.pace.toggle();
                self.pace.rest(!self.at_end());
                self.panels.said = Some(self.pace.words());
            }
            Action::Faster | Action::Slower => {
                self.pace.change(action == Action::Faster);
                self.pace.rest(!self.at_end());
                self.panels.said = Some(self.pace.words());
            }
            Action::Copy => {
                let marks = marks(&self.tasks, &self.position);
                let sight = sight(&self.position, self.scene, marks);
                return Effect::Copy(self.panels.round_text(&sight, &self.look));
            }
            Action::Review => self.tasks.open_review(&self.end),
            Action::Stop if self.panels.is_searching() => self.panels.stop_search(),
            Action::PlayOn if self.position.state().request().is_some() => {
                let moves = self.position.history().timeline().moves().to_vec();
                return Effect::Leave(ReplayOutcome::PlayOn(at, moves));
            }
            Action::PlayOn => {
                let told = "The debate is over here: go back, and play on from there.";
                self.panels.said = Some(told.to_owned());
            }
            Action::Compare => return Effect::Leave(ReplayOutcome::Compare),
            Action::Stop => self.tasks.stop(),
            Action::Quit => return Effect::Leave(ReplayOutcome::Done),
            _ => {
                self.settle();
                self.panels.act(
                    action,
                    &sight(
                        &self.position,
                        self.scene,
                        marks(&self.tasks, &self.position),
                    ),
                );
            }
        }
        Effect::None
    }

    fn said(&mut self) -> &mut Option<String> {
        &mut self.panels.said
    }

    fn reach(&mut self, action: Action) {
        let contexts = self.keys.contexts(action);
        if !contexts.meets(self.context()) {
            let panels = [REPLAY_TREE, REPLAY_TRANSCRIPT, REPLAY_REWARDS];
            self.panels.reach(contexts, panels);
        }
    }

    fn type_key(&mut self, event: KeyEvent) -> Option<Effect<ReplayOutcome>> {
        if let Some(effect) = self.tasks.type_key(self.keys, event) {
            return Some(effect);
        }
        let marks = marks(&self.tasks, &self.position);
        let sight = sight(&self.position, self.scene, marks);
        let typed = self.panels.type_key(&sight, event);
        typed.then_some(Effect::None)
    }

    fn touch(&mut self, event: MouseEvent) -> Effect<ReplayOutcome> {
        let at = Point::new(event.column, event.row);
        self.settle();
        if self.tasks.touch(event) {
            return Effect::None;
        }
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let here = self.screen_context();
                if let Some(hint) = self.panels.hint_at(self.keys, here, &self.look, at) {
                    return self.perform(hint);
                }
                if self.bar.contains(at) {
                    self.scrub(at.x);
                }
                if self.panels.click(at) == Some(Panel::Tree) {
                    let marks = marks(&self.tasks, &self.position);
                    let sight = sight(&self.position, self.scene, marks);
                    self.panels.said = self.panels.pointed_claim(&sight);
                }
            }
            MouseEventKind::Drag(MouseButton::Left) if self.bar.y == at.y => self.scrub(at.x),
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                let down = event.kind == MouseEventKind::ScrollDown;
                match self.panels.under(at) {
                    Some(Panel::Ask) => {
                        return self.act(if down { Action::Forward } else { Action::Back });
                    }
                    Some(panel) => {
                        let marks = marks(&self.tasks, &self.position);
                        let sight = sight(&self.position, self.scene, marks);
                        self.panels.wheel(&sight, panel, if down { 3 } else { -3 });
                    }
                    None => {}
                }
            }
            _ => {}
        }
        Effect::None
    }

    fn pasted(&mut self, text: &str) {
        self.panels.paste(text);
    }

    fn deadline(&self) -> Option<Instant> {
        let look = self.tasks.is_running().then(next_progress);
        let hunt = self.panels.is_searching().then(Instant::now);
        [self.pace.deadline(), look, hunt]
            .into_iter()
            .flatten()
            .min()
    }

    fn wake(&mut self) {
        let hunting = self.panels.is_searching();
        if hunting {
            let marks = marks(&self.tasks, &self.position);
            let sight = sight(&self.position, self.scene, marks);
            self.panels.continue_search(&sight);
        }
        let due = self.pace.deadline();
        let other = hunting || self.tasks.is_running();
        if other && due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        let at = self.position.at();
        self.go(at + 1);
    }

    fn gone(&self) -> ReplayOutcome {
        ReplayOutcome::Done
    }
}
