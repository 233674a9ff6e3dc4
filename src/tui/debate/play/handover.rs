//! Several people at one keyboard: between the turns of two of them the screen shows who is to sit
//! down, and nothing of the debate.
//!
//! Secrets of the next person are on no panel while the person before may still look, and
//! what the person before did on the screen (a search, a mark, a scrolled panel) is forgotten when
//! the next one sits down.

use crate::tui::widget::Canvas;
use ratatui::layout::Rect;

use super::live::people;
use super::{DebateOutcome, DebateScreen, Effect};
use crate::tui::keys::{Action, HANDOVER};
use crate::tui::panel::DebatePanels;
use crate::tui::screen::{Screen as _, footer};
use crate::tui::theme::Role;
use crate::tui::widget::measure;
use debate_core::number::Exact;
use debate_core::player::Seating;
use debate_core::protocol::Seat;

/// True if several people play at one keyboard.
pub(super) fn is_shared(seating: &Seating<'_, Exact>) -> bool {
    people(seating).count() > 1
}

/// The seat whose person is to sit down before the debate goes on; `None` if they sit there.
pub(super) fn due(seating: &Seating<'_, Exact>, holder: Option<Seat>) -> Option<Seat> {
    let awaited = seating.awaited()?;
    (is_shared(seating) && holder != Some(awaited)).then_some(awaited)
}

/// Somebody as a sentence calls them.
fn called(seat: Seat) -> &'static str {
    match seat {
        Seat::Judge => "the judge",
        seat => seat.person(),
    }
}

impl DebateScreen<'_, '_> {
    /// The seat whose person is to sit down before anything is shown.
    pub(super) fn next_person(&self) -> Option<Seat> {
        due(self.live.seating(), self.live.holder)
    }

    /// The next person sits down.
    pub(super) fn take_seat(&mut self) -> Effect<DebateOutcome> {
        self.live.holder = self.live.seating().awaited();
        let places = std::mem::take(&mut self.panels.places);
        self.panels = DebatePanels::new(&self.live.view());
        self.panels.places = places;
        self.refresh();
        Effect::None
    }

    /// A sentence why the person here cannot take the last reply back, where it is another's.
    pub(super) fn undo_refusal(&self) -> Option<String> {
        let made = self.live.seating().undone_seat().ok()?;
        self.live.holder.filter(|holder| *holder != made)?;
        is_shared(self.live.seating()).then(|| {
            format!(
                "Not undone: the last reply is {}'s, not yours.",
                called(made)
            )
        })
    }

    /// Who is to sit down. Nothing here depends on what anybody said.
    pub(super) fn handover(&self, seat: Seat) -> [(Role, String); 3] {
        let name = called(seat);
        let role = match seat {
            Seat::Judge => String::new(),
            seat => format!(", the {}", self.live.scene.facts.role(seat)),
        };
        let key = self.keys.called(HANDOVER, Action::TakeSeat);
        [
            (Role::Title, self.live.scene.facts.title.clone()),
            (
                Role::Text,
                format!("Hand the keyboard to {name}{role}. Press {key} when {name} sits here."),
            ),
            (
                Role::Faint,
                "What others said in secret stays hidden until it is opened.".to_owned(),
            ),
        ]
    }

    /// Draws who is to sit down.
    pub(super) fn draw_handover(&self, seat: Seat, canvas: &mut Canvas<'_>, area: Rect) {
        let sentences = self.handover(seat);
        let columns = area.width.saturating_sub(4);
        let lines: Vec<(Role, String)> = sentences
            .iter()
            .flat_map(|(role, sentence)| {
                let wrapped = measure::wrap(sentence, columns.into());
                let lines = wrapped.into_iter().map(|line| (*role, line.to_owned()));
                lines.chain([(Role::Text, String::new())])
            })
            .collect();
        let below = usize::from(area.height).saturating_sub(lines.len() + 1) / 3;
        let height = usize::from(area.height).saturating_sub(1);
        let [body, last] = measure::split(area, height);
        let [_, room] = measure::split(measure::after(body, 2), below);
        for (number, (role, line)) in lines.iter().enumerate() {
            canvas.put(line, *role, measure::row(room, number));
        }
        let note = self.panels.note.as_deref();
        footer(note, self.keys, self.screen_context(), canvas, last);
    }
}
