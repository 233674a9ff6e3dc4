//! What the tutorial says, above the question or in its place.

use super::Debate;
use crate::tui::coach::InputMode;
use crate::tui::panel::scroll::Entry;
use crate::tui::theme::Role;

impl Debate<'_, '_> {
    /// What the tutorial says now, where it is to be shown.
    pub(super) fn lead(&self) -> Option<Entry> {
        let coach = self.scene.coach.filter(|_| self.coached)?;
        let hands = InputMode::Keys(self.keys);
        let says = coach.says(self.table.seating(), self.scene.facts.instance, hands)?;
        let place = format!("{}. ", coach.place());
        Some(
            Entry::default()
                .then(Role::Current, place)
                .then(Role::Text, says),
        )
    }

    /// Puts what the tutorial says where it is read first. At the end the report has it.
    pub(super) fn be_coached(&mut self) {
        let lead = self.lead();
        if let Some(ask) = &mut self.ask {
            ask.lead(lead);
        } else if !self.is_over() {
            self.notice.splice(0..0, lead);
        }
    }

    /// Hides what the tutorial says, or shows it again.
    pub(super) fn toggle_coach(&mut self) {
        self.coached = !self.coached;
        if self.ask.is_some() {
            // The answer stays as it stands.
            self.be_coached();
        } else {
            self.refresh();
        }
        let shown = if self.coached {
            "shown again"
        } else {
            "hidden; the same key shows it again"
        };
        self.panels.said = Some(format!("What the tutorial says is {shown}."));
    }
}
