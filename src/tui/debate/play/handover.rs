//! Several human players at one keyboard: between their turns the screen shows who takes the keyboard next, and hides
//! the debate.
//!
//! No panel shows secrets of the next player while the previous one can still look. The previous player's search, marks
//! and scroll positions are cleared when the next one takes the keyboard.

use crate::tui::widget::Canvas;
use ratatui::layout::Rect;

use super::live::human_seats;
use super::{DebateScreen, DebateScreenChoice, ScreenEffect};
use crate::tui::keys::{Action, HANDOVER};
use crate::tui::panel::DebatePanels;
use crate::tui::screen::{Screen as _, draw_footer};
use crate::tui::theme::TextRole;
use crate::tui::widget::measure;
use debate_core::number::Exact;
use debate_core::player::SeatedDebate;
use debate_core::protocol::Seat;

/// True if several human players share the keyboard.
pub(super) fn is_keyboard_shared(seating: &SeatedDebate<'_, Exact>) -> bool {
    human_seats(seating).count() > 1
}

/// Returns the seat whose player must take the keyboard before the debate continues. `None` if that player already has
/// it, if the keyboard is not shared, or if no user is to move.
pub(super) fn seat_awaiting_keyboard(
    seating: &SeatedDebate<'_, Exact>,
    keyboard_holder: Option<Seat>,
) -> Option<Seat> {
    let awaited = seating.awaited_seat_of_user_or_driving_program()?;
    (is_keyboard_shared(seating) && keyboard_holder != Some(awaited)).then_some(awaited)
}

/// Returns the name of a seat's player in the form for the middle of a sentence.
fn name_in_sentence(seat: Seat) -> &'static str {
    match seat {
        Seat::Judge => "the judge",
        seat => seat.player_name_of_seat(),
    }
}

impl DebateScreen<'_, '_> {
    /// Returns the seat whose player must take the keyboard before the debate is shown.
    pub(super) fn next_keyboard_user(&self) -> Option<Seat> {
        seat_awaiting_keyboard(self.live.seating(), self.live.keyboard_holder)
    }

    /// Gives the keyboard to the next player.
    pub(super) fn hand_over_keyboard_and_stay(&mut self) -> ScreenEffect<DebateScreenChoice> {
        self.live.keyboard_holder = self
            .live
            .seating()
            .awaited_seat_of_user_or_driving_program();
        let layout = std::mem::take(&mut self.panels.layout);
        self.panels = DebatePanels::new(&self.live.view());
        self.panels.layout = layout;
        self.refresh();
        ScreenEffect::None
    }

    /// Returns a sentence on why the player at the keyboard cannot undo the last reply, if the keyboard is shared and
    /// another player made the reply.
    pub(super) fn undo_refusal_on_shared_keyboard(&self) -> Option<String> {
        let made = self.live.seating().seat_of_reply_to_undo().ok()?;
        self.live
            .keyboard_holder
            .filter(|keyboard_holder| *keyboard_holder != made)?;
        is_keyboard_shared(self.live.seating()).then(|| {
            format!(
                "Not undone: the last reply is {player}'s, not yours.",
                player = name_in_sentence(made)
            )
        })
    }

    /// Returns sentences that ask the next player to take the keyboard. They must not depend on any reply.
    pub(super) fn handover_notice(&self, seat: Seat) -> [(TextRole, String); 3] {
        let name = name_in_sentence(seat);
        let role = match seat {
            Seat::Judge => String::new(),
            seat => format!(", the {}", self.live.scene.facts.role_title(seat)),
        };
        let key = self.keys.key_or_command_name(HANDOVER, Action::TakeSeat);
        [
            (TextRole::Title, self.live.scene.facts.title.clone()),
            (
                TextRole::Text,
                format!("Hand the keyboard to {name}{role}. Press {key} when {name} sits here."),
            ),
            (
                TextRole::Faint,
                "Sealed replies of other players stay hidden until they are opened.".to_owned(),
            ),
        ]
    }

    /// Draws the screen that asks the next player to take the keyboard.
    pub(super) fn draw_handover(&self, seat: Seat, canvas: &mut Canvas<'_>, area: Rect) {
        let sentences = self.handover_notice(seat);
        let columns = area.width.saturating_sub(4);
        let lines: Vec<(TextRole, String)> = sentences
            .iter()
            .flat_map(|(role, sentence)| {
                let wrapped = measure::wrap(sentence, columns.into());
                let lines = wrapped.into_iter().map(|line| (*role, line.to_owned()));
                lines.chain([(TextRole::Text, String::new())])
            })
            .collect();
        let below = usize::from(area.height).saturating_sub(lines.len() + 1) / 3;
        let height = usize::from(area.height).saturating_sub(1);
        let [body, last] = measure::split_rows(area, height);
        let [_, room] = measure::split_rows(measure::skip_columns(body, 2), below);
        for (number, (role, line)) in lines.iter().enumerate() {
            canvas.draw_text_line(line, *role, measure::row(room, number));
        }
        let note = self.panels.note.as_deref();
        draw_footer(note, self.keys, self.screen_context(), canvas, last);
    }
}
