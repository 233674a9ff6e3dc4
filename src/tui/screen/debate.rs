//! The debate screen: the recursion, the transcript and the rewards, and below them what is asked.
//!
//! Moves of the others are not made until the user reveals them, so nothing has to be hidden
//! that has happened already. Whoever sits sees what is open to both debaters and what is their
//! own; a judge follows the whole debate down to the question, because a game that shows its
//! judge a single leaf teaches nothing. What a *study* would show a judge (`judge_sees`) is said
//! in the ask panel.

mod ask;
pub(super) mod pace;

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind},
    layout::{Position, Rect},
};

use super::help::Help;
use super::keys::{
    END, MINE, OTHERS, PLAYING, REWARDS, RUNNING, TRANSCRIPT, TREE, UNDOABLE, WATCH,
};
use super::stage::{Panel, Places, Sight, Stage};
use super::{Do, Effect, Show, end, in_ascii, too_small};
use crate::number::Exact;
use crate::protocol::{Seat, Turn};
use crate::tui::actions::{Key, KeyMap, Set};
use crate::tui::panel::{frame, measure, scroll::Entry, scroll::Scroll};
use crate::tui::scene::Scene;
use crate::tui::table::{Refusal, Table};
use crate::tui::theme::{Look, Role};
use ask::Ask;
use pace::Pace;

/// What the user decided at the end of a debate, or before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// To leave.
    Quit,
    /// To watch this debate again from its start.
    WatchAgain,
    /// To play again with a new seed.
    PlayAgain,
}

/// A debate on the screen.
pub struct Debate<'t, 'a> {
    table: &'t mut dyn Table<'a>,
    scene: &'t Scene<'a>,
    keys: &'t KeyMap<Do>,
    stage: Stage,
    /// The user's turn, with the answer as it stands.
    ask: Option<Ask>,
    /// When the question was put.
    asked: Instant,
    /// What is shown in the place of the question on others' turns, and at the end.
    notice: Vec<Entry>,
    notice_view: Scroll,
    /// Why the debate cannot go on.
    stuck: Option<String>,
    pace: Pace,
    /// The entries that the last move made.
    newest: std::ops::Range<usize>,
    help: Option<Help>,
    /// Whether a reply can be taken back.
    undoable: bool,
    /// Quitting loses the debate, and was asked for once.
    leaving: bool,
    /// The look of the last frame: sentences are made with its signs.
    look: Look,
}

/// What a seat sees of a table's debate.
fn sight<'s, 'a>(
    table: &'s dyn Table<'a>,
    scene: &'s Scene<'a>,
    newest: std::ops::Range<usize>,
) -> Sight<'s, 'a> {
    let seating = table.seating();
    let people = Seat::PLAYERS
        .into_iter()
        .filter(|seat| seating.is_outside(*seat));
    let viewer = match (people.clone().count(), seating.awaited()) {
        _ if seating.turn().is_none() => None,
        (0, _) => None,
        (1, _) => people.clone().next(),
        // Several people at one keyboard: whoever is asked; in between what all of them may see.
        (_, Some(seat)) => Some(seat),
        (_, None) => Some(Seat::Chance),
    };
    Sight {
        scene,
        state: seating.state(),
        log: seating.log(),
        viewer,
        newest,
    }
}

impl<'t, 'a> Debate<'t, 'a> {
    /// A debate that goes on from wherever it stands.
    pub fn new(table: &'t mut dyn Table<'a>, scene: &'t Scene<'a>, keys: &'t KeyMap<Do>) -> Self {
        let stage = Stage::new(&sight(table, scene, 0..0));
        let mut debate = Self {
            table,
            scene,
            keys,
            stage,
            ask: None,
            asked: Instant::now(),
            notice: Vec::new(),
            notice_view: Scroll::new(0),
            stuck: None,
            pace: Pace::default(),
            newest: 0..0,
            help: None,
            undoable: false,
            leaving: false,
            look: Look::default(),
        };
        debate.refresh();
        debate
    }

    fn sight(&self) -> Sight<'_, 'a> {
        sight(self.table, self.scene, self.newest.clone())
    }

    fn is_over(&self) -> bool {
        self.table.seating().turn().is_none()
    }

    /// Reads the debate anew after it has changed.
    fn refresh(&mut self) {
        let sight = sight(self.table, self.scene, self.newest.clone());
        self.stage.refresh(&sight);
        let seating = self.table.seating();
        let mine = seating.turn().filter(|turn| seating.is_outside(turn.seat));
        self.ask = mine.map(|turn: Turn<Exact>| {
            Ask::new(
                &sight,
                &self.stage,
                turn,
                |reply| seating.worth(reply),
                &self.look,
            )
        });
        self.notice = if self.ask.is_some() {
            Vec::new()
        } else if seating.turn().is_none() {
            let ledger = seating.ledger();
            end::report(&sight, &self.stage, &ledger, &self.look)
        } else {
            pace::notice(&sight, seating, &self.stage, self.stuck.as_deref())
        };
        self.undoable = seating.undo_point().is_ok();
        self.notice_view = Scroll::new(self.margin());
        self.notice_view.unstick();
        self.asked = Instant::now();
        self.stage.focus = Panel::Ask;
        if self.is_over() {
            self.pace.stop();
        }
        self.rest();
    }

    /// Waits for the next move, if the debate plays by itself and it is not the user's turn.
    fn rest(&mut self) {
        let moving = self.ask.is_none() && !self.is_over() && self.stuck.is_none();
        self.pace.rest(moving);
    }

    /// Makes moves of the others until `enough` says so, it is the user's turn, or the end.
    fn go(&mut self, enough: impl Fn(&dyn Table<'a>) -> bool) {
        self.stuck = None;
        loop {
            let seating = self.table.seating();
            if seating.turn().is_none() || seating.awaited().is_some() {
                break;
            }
            let before = seating.log().entries().len();
            if let Err(refusal) = self.table.advance() {
                self.stuck = Some(refusal.to_string());
                self.pace.stop();
                break;
            }
            self.newest = before..self.table.seating().log().entries().len();
            if enough(self.table) {
                break;
            }
        }
        self.refresh();
    }

    fn go_round(&mut self) {
        use crate::protocol::Rules;
        let round = self.table.seating().state().round();
        self.go(move |table| table.seating().state().round() != round);
    }

    fn send(&mut self) {
        let Some(ask) = &mut self.ask else {
            return;
        };
        let reply = match ask.reply() {
            Ok(reply) => reply,
            Err(missing) => return ask.refuse(missing),
        };
        let taken = self.asked.elapsed().as_millis();
        let before = self.table.seating().log().entries().len();
        match self
            .table
            .reply(reply, u64::try_from(taken).unwrap_or(u64::MAX))
        {
            Ok(()) => {
                self.newest = before..self.table.seating().log().entries().len();
                self.refresh();
            }
            Err(refusal) => {
                let sentence = sentence(&refusal);
                ask.refuse(sentence);
            }
        }
    }

    fn undo(&mut self) {
        match self.table.undo() {
            Ok(()) => {
                let end = self.table.seating().log().entries().len();
                self.newest = end..end;
                self.stuck = None;
                self.refresh();
                self.stage.said = Some("Your last reply is taken back.".to_owned());
            }
            Err(refusal) => {
                self.stage.said = Some(format!("Not undone: {refusal}."));
            }
        }
    }

    fn context(&self) -> Set {
        match self.stage.focus {
            Panel::Tree => TREE,
            Panel::Transcript => TRANSCRIPT,
            Panel::Rewards => REWARDS,
            Panel::Ask => match &self.ask {
                Some(ask) => ask.context(),
                None if self.is_over() => END,
                None => WATCH,
            },
        }
    }

    fn facts(&self) -> Set {
        let over = self.is_over();
        OTHERS.only_if(self.ask.is_none() && !over)
            | MINE.only_if(self.ask.is_some())
            | RUNNING.only_if(!over)
            | PLAYING.only_if(self.pace.is_playing())
            | UNDOABLE.only_if(!over && self.undoable)
            | self.stage.facts()
    }

    fn act(&mut self, action: Do) -> Effect<Outcome> {
        match action {
            Do::Send => self.send(),
            Do::PlayStep => self.go(|_| true),
            Do::PlayRound => self.go_round(),
            Do::PlayToTurn if self.ask.is_some() => self.stage.focus = Panel::Ask,
            Do::PlayToTurn => self.go(|_| false),
            Do::Auto => {
                self.pace.toggle();
                self.rest();
                self.stage.said = Some(self.pace.words());
            }
            Do::Faster | Do::Slower => {
                self.pace.change(action == Do::Faster);
                self.rest();
                self.stage.said = Some(self.pace.words());
            }
            Do::Undo => self.undo(),
            Do::Help => {
                let about = pace::about(self.context());
                self.help = Some(Help::new(self.context(), self.facts(), about));
            }
            Do::Copy => {
                return Effect::Copy(self.stage.round_text(&self.sight(), &self.look));
            }
            Do::Theme => return Effect::Theme,
            Do::Ascii => return Effect::Ascii,
            Do::Mouse => return Effect::Mouse,
            Do::Suspend => return Effect::Suspend,
            Do::WatchAgain => return Effect::Leave(Outcome::WatchAgain),
            Do::PlayAgain => return Effect::Leave(Outcome::PlayAgain),
            Do::Quit => return self.quit(),
            Do::ReadOn | Do::ReadBack => self.read(if action == Do::ReadOn { 1 } else { -1 }),
            _ => self.act_in_panel(action),
        }
        Effect::None
    }

    fn quit(&mut self) -> Effect<Outcome> {
        let lost = self.scene.kept.is_none()
            && !self.is_over()
            && !self.table.seating().moves().is_empty();
        if lost && !self.leaving {
            self.leaving = true;
            self.stage.said =
                Some("This debate is not kept anywhere: q once more leaves it.".to_owned());
            return Effect::None;
        }
        Effect::Leave(Outcome::Quit)
    }

    fn read(&mut self, pages: isize) {
        let in_question = self.ask.as_mut().is_some_and(|ask| ask.read(pages));
        if !in_question {
            let sight = sight(self.table, self.scene, self.newest.clone());
            self.stage.read(&sight, pages);
        }
    }

    fn act_in_panel(&mut self, action: Do) {
        if self.stage.focus == Panel::Ask {
            if self.ask.as_mut().is_some_and(|ask| ask.act(action)) {
                self.point();
                return;
            }
            if self.ask.is_none() && self.scroll_notice(action) {
                return;
            }
        }
        let sight = sight(self.table, self.scene, self.newest.clone());
        self.stage.act(action, &sight);
        if self.stage.focus == Panel::Tree {
            self.pick_in_tree();
            // The row may have no room for the whole claim.
            if matches!(action, Do::Up | Do::Down) {
                self.stage.said = self.stage.pointed_claim(&self.sight());
            }
        }
    }

    /// Scrolls the report at the end; a short notice leaves the keys to the transcript.
    fn scroll_notice(&mut self, action: Do) -> bool {
        let view = &mut self.notice_view;
        let entries = &self.notice[..];
        if !view.is_below_start() && view.is_at_end(entries) {
            return false;
        }
        let page = view.page();
        match action {
            Do::Up => view.scroll(entries, -1),
            Do::Down => view.scroll(entries, 1),
            Do::PageUp => view.scroll(entries, -page),
            Do::PageDown => view.scroll(entries, page),
            Do::First => view.to_start(entries),
            Do::Last => view.scroll(entries, isize::MAX / 2),
            _ => return false,
        }
        view.unstick();
        true
    }

    /// The tree shows the subclaim that is marked in the ask panel.
    fn point(&mut self) {
        if let Some(place) = self.ask.as_ref().and_then(Ask::marked) {
            self.stage.point_at(place);
        }
    }

    /// The tree is a selector too.
    fn pick_in_tree(&mut self) {
        if let Some(ask) = self.ask.as_mut().filter(|ask| ask.is_selecting())
            && let Some(place) = self.stage.pointed_at()
        {
            ask.mark(place);
        }
    }

    /// Columns for labels: the report has them, a notice has not.
    fn margin(&self) -> u16 {
        if self.is_over() { end::MARGIN } else { 0 }
    }

    fn rows(&self, columns: u16) -> u16 {
        if let Some(ask) = &self.ask {
            return ask.rows(columns);
        }
        let margin = self.margin().min(columns / 3);
        let lines = super::stage::measure_lines(&self.notice, columns.saturating_sub(margin));
        u16::try_from(lines).unwrap_or(u16::MAX - 9)
    }

    fn draw_ask(&mut self, look: &Look, buffer: &mut Buffer) {
        let area = self.stage.places.ask;
        let focused = self.stage.focus == Panel::Ask;
        let title = match &self.ask {
            Some(ask) => ask.title(),
            None if self.is_over() => "The end",
            None => "What comes next",
        };
        let inner = if self.stage.places.framed {
            frame(title, focused, look, buffer, area)
        } else {
            let role = if focused { Role::Focus } else { Role::Title };
            let line = measure::pad(title, area.width.into());
            measure::put(&line, look.style(role), buffer, measure::row(area, 0));
            Rect {
                y: area.y + area.height.min(1),
                height: area.height.saturating_sub(1),
                ..area
            }
        };
        if let Some(ask) = &mut self.ask {
            ask.draw(look, self.stage.places.framed, buffer, inner);
            return;
        }
        self.notice_view.fit(&self.notice[..], inner);
        self.notice_view
            .render(&self.notice[..], &(0..0), look, buffer, inner);
        super::stage::edges(
            &self.notice_view,
            &self.notice[..],
            self.stage.places.framed,
            look,
            buffer,
            inner,
        );
    }

    fn click(&mut self, at: Position, action: Option<Do>) -> Effect<Outcome> {
        if let Some(action) = action {
            return self.act(action);
        }
        match self.stage.click(at) {
            Some(Panel::Ask) => {
                if let Some(ask) = &mut self.ask {
                    ask.click(at);
                }
                self.point();
            }
            Some(Panel::Tree) => {
                self.pick_in_tree();
                self.stage.said = self.stage.pointed_claim(&self.sight());
            }
            _ => {}
        }
        Effect::None
    }
}

impl Show for Debate<'_, '_> {
    type Outcome = Outcome;

    fn draw(&mut self, look: &Look, buffer: &mut Buffer, area: Rect) {
        if look.glyphs != self.look.glyphs {
            // The sentences of the report are made with the signs.
            self.look = *look;
            if self.ask.is_none() {
                self.refresh();
            }
        }
        self.look = *look;
        if too_small(look, buffer, area) {
            return;
        }
        // The report has the room that the panels can spare; a question has no more than half.
        let most = match (self.is_over(), self.stage.focus) {
            (true, Panel::Ask) => u16::MAX,
            (true, _) => 4,
            (false, _) => area.height / 2,
        };
        let rows = |columns| self.rows(columns).clamp(3, most.max(3));
        self.stage.places = Places::of(area, self.stage.front(), rows);
        let sight = sight(self.table, self.scene, self.newest.clone());
        let pointing = self.ask.as_ref().is_some_and(|ask| ask.marked().is_some());
        self.stage.draw(&sight, pointing, look, buffer);
        self.draw_ask(look, buffer);
        let (context, facts) = (self.context(), self.facts());
        self.stage.footer(self.keys, context, facts, look, buffer);
        if let Some(help) = &mut self.help {
            help.draw(self.keys, look, buffer, area);
        }
        in_ascii(look, buffer);
    }

    fn key(&mut self, event: KeyEvent) -> Effect<Outcome> {
        let key = Key::from(event);
        self.stage.said = None;
        if let Some(help) = &mut self.help {
            let action = self.keys.find(super::keys::HELP, Set::NONE, key);
            match action {
                Some(Do::Close) => self.help = None,
                Some(Do::Suspend) => return Effect::Suspend,
                Some(action) => {
                    help.act(action, self.keys, &self.look);
                }
                None => {}
            }
            return Effect::None;
        }
        let sight = sight(self.table, self.scene, self.newest.clone());
        if self.stage.type_key(&sight, event) {
            return Effect::None;
        }
        let context = self.context();
        let action = self.keys.find(context, self.facts(), key);
        if action != Some(Do::Quit) {
            self.leaving = false;
        }
        if let Some(action) = action {
            return self.act(action);
        }
        // Undo is always answered: it says why it cannot be done.
        if self.keys.find(context, Set::ALL, key) == Some(Do::Undo) {
            self.undo();
            return Effect::None;
        }
        if self.stage.focus == Panel::Ask
            && let Some(ask) = &mut self.ask
        {
            match key.character() {
                Some(c) => {
                    ask.press(c);
                }
                None if event.code == KeyCode::Backspace => {
                    ask.erase();
                }
                None => {}
            }
            self.point();
        }
        Effect::None
    }

    fn mouse(&mut self, event: MouseEvent) -> Effect<Outcome> {
        let at = Position::new(event.column, event.row);
        if self.help.is_some() {
            if let (Some(help), Some(action)) = (&mut self.help, wheel_action(event.kind)) {
                help.act(action, self.keys, &self.look);
            }
            return Effect::None;
        }
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let (context, facts) = (self.context(), self.facts());
                let hint = self
                    .stage
                    .hint_at(self.keys, context, facts, &self.look, at);
                self.click(at, hint)
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                if let Some(ask) = &mut self.ask {
                    ask.click(at);
                }
                Effect::None
            }
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                let down = event.kind == MouseEventKind::ScrollDown;
                let lines = if down { 3 } else { -3 };
                match self.stage.under(at) {
                    Some(Panel::Ask) if self.ask.is_none() => {
                        let action = if down { Do::Down } else { Do::Up };
                        self.scroll_notice(action);
                    }
                    Some(Panel::Ask) => {
                        if let Some(ask) = &mut self.ask {
                            ask.scroll(if down { 1 } else { -1 });
                        }
                    }
                    Some(panel) => {
                        let sight = sight(self.table, self.scene, self.newest.clone());
                        self.stage.wheel(&sight, panel, lines);
                    }
                    None => {}
                }
                Effect::None
            }
            _ => Effect::None,
        }
    }

    fn paste(&mut self, text: &str) {
        if self.stage.is_typing() {
            self.stage.paste(text);
        } else if let Some(ask) = &mut self.ask {
            // A pasted number is as good as a typed one.
            for c in text.trim().chars().take(40) {
                ask.press(c);
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.pace.deadline()
    }

    fn wake(&mut self) {
        if self.ask.is_none() && !self.is_over() {
            let said = self.stage.said.take();
            let focus = self.stage.focus;
            self.go(|_| true);
            // Whoever reads elsewhere meanwhile goes on reading, until it is their turn.
            if self.ask.is_none() && !self.is_over() {
                self.stage.focus = focus;
                self.stage.said = said;
            }
        }
    }

    fn say(&mut self, words: String) {
        self.stage.said = Some(words);
    }

    fn gone(&self) -> Outcome {
        Outcome::Quit
    }
}

/// The wheel as a key.
pub(super) fn wheel_action(kind: MouseEventKind) -> Option<Do> {
    match kind {
        MouseEventKind::ScrollUp => Some(Do::Up),
        MouseEventKind::ScrollDown => Some(Do::Down),
        _ => None,
    }
}

/// A refusal as a sentence of its own.
fn sentence(refusal: &Refusal) -> String {
    let text = refusal.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), characters.as_str())
}
