//! The text of the tutorial, above the question or in its place.

use super::Debate;
use crate::tui::theme::StyleRole;
use crate::tui::tutorial::InputMode;
use crate::tui::widget::scroll::Entry;

impl Debate<'_, '_> {
    /// The text of the tutorial at this moment, where it is shown.
    pub(super) fn coach_text(&self) -> Option<Entry> {
        let coach = self.live.scene.coach.filter(|_| self.shows_coach)?;
        let input_mode = InputMode::Keys(self.keys);
        let says = coach.advice(
            self.live.seating(),
            self.live.scene.facts.instance,
            input_mode,
        )?;
        let place = format!("{}. ", coach.place());
        Some(
            Entry::default()
                .then(StyleRole::Current, place)
                .then(StyleRole::Text, says),
        )
    }

    /// Puts what the tutorial says where it is read first. At the end the report has it.
    pub(super) fn update_coach_text(&mut self) {
        let coach_text = self.coach_text();
        if let Some(ask) = &mut self.ask {
            ask.coach_text(coach_text);
        } else if !self.live.is_over() {
            self.notice.splice(0..0, coach_text);
        }
    }

    /// Hides what the tutorial says, or shows it again.
    pub(super) fn toggle_coach(&mut self) {
        self.shows_coach = !self.shows_coach;
        if self.ask.is_some() {
            // The answer stays as it stands.
            self.update_coach_text();
        } else {
            self.refresh();
        }
        let shown = if self.shows_coach {
            "shown again"
        } else {
            "hidden; the same key shows it again"
        };
        self.panels.said = Some(format!("What the tutorial says is {shown}."));
    }
}
