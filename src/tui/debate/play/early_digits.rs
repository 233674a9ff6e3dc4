//! Keeps a user who types a number before the question from skipping a screen or from sending half of the number.
//!
//! While the other players move, the key that ends a number is also the key that lets them play on. After a digit, that
//! key is refused once between two moves, with a note.

use ratatui::crossterm::event::KeyEvent;

use super::DebateScreen;
use crate::tui::actions::{Facts, KeyPress};
use crate::tui::keys::Action;

/// The note on a digit that the user typed while another player moves.
const NOT_TAKEN: &str = "It is not your turn yet: the digit was not taken.";

/// True if the key types a digit.
pub(super) fn is_digit(event: KeyEvent) -> bool {
    KeyPress::from(event)
        .character()
        .is_some_and(|character| character.is_ascii_digit())
}

impl DebateScreen<'_, '_> {
    /// Notes that the user typed a digit while another player moves, and tells the user that it was not taken.
    pub(super) fn warn_about_early_digit(&mut self) {
        self.has_early_digits = true;
        self.panels.note = Some(NOT_TAKEN.to_owned());
    }

    /// Intercepts the key after a number whose first digits were typed before the question and were lost. Returns true,
    /// and shows the reason, if the key would send the incomplete reply, or search or let the debate continue before
    /// the user's turn. The key must then have no effect.
    pub(super) fn intercept_key_after_early_digits(&mut self, event: KeyEvent) -> bool {
        if !self.has_early_digits || self.panels.is_search_line_open() {
            return false;
        }
        if is_digit(event) {
            // With a question on the screen, the widget takes this digit. The first digits are still missing.
            return false;
        }
        self.has_early_digits = false;
        let key = KeyPress::from(event);
        let action = self.keys.action_of_key(self.context(), Facts::ALL, key);
        // In 7.5 and 1/3, the second character is the key of an action.
        let ends_number = !matches!(key.character(), Some('.' | '/'));
        let moves = Some(self.live.seating().moves().len()).filter(|_| ends_number);
        match (&mut self.ask, action) {
            // The user has read the note, so the next number lets the debate continue.
            (None, _) if moves.is_some() && self.refused_at == moves => false,
            (Some(ask), Some(Action::Send)) => {
                let error = "The first digits came before the question and were not taken. Check your reply, then press {send}.";
                ask.error = Some(self.keys.with_key_names(error));
                true
            }
            (
                None,
                Some(Action::PlayToTurn | Action::PlayStep | Action::PlayRound | Action::Search),
            ) if !self.live.is_over() => {
                let note = "It is not your turn yet: the number was not taken. Press {play-to-turn} to go on.";
                self.panels.note = Some(self.keys.with_key_names(note));
                self.refused_at = moves.or(self.refused_at);
                true
            }
            _ => false,
        }
    }
}
