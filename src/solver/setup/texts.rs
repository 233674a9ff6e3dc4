//! The texts of a scenario. Placeholders in them stand for the debated instance and its solution.

use debate_core::protocol::Seat;
use debate_core::scenario::Decomposition;
use debate_core::text::readable_number;

/// The placeholder in scenario texts that is replaced by the name of the debated instance.
pub(super) const INSTANCE: &str = "{instance}";
/// Stands for the solution of the debated instance; only a debrief may contain it.
pub(super) const SOLUTION: &str = "{solution}";

/// An optional text for each seat: a player's name, or the briefing of the seat alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatTexts([Option<String>; 3]);

impl SeatTexts {
    pub fn get(&self, seat: Seat) -> Option<&str> {
        self.0.get(seat.index())?.as_deref()
    }

    /// Sets a seat's text; returns the replaced text.
    pub(super) fn set_text(&mut self, seat: Seat, text: String) -> Option<String> {
        self.0.get_mut(seat.index())?.replace(text)
    }
}

/// The title, the description, the briefings and the debrief of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioTexts {
    /// The title, on one line.
    pub title: String,
    /// A text for all players before the debate. It reveals no secrets.
    pub about: String,
    /// The text that each seat alone receives before the debate.
    pub briefing: SeatTexts,
    /// The lesson, shown after the end.
    pub debrief: String,
}

impl ScenarioTexts {
    /// Returns the texts that are shown before the end.
    pub(super) fn texts_shown_before_end(&self) -> impl Iterator<Item = &str> {
        let briefings = self.briefing.0.iter().flatten();
        [&self.title, &self.about]
            .into_iter()
            .chain(briefings)
            .map(String::as_str)
    }

    /// Returns the texts about an instance, without placeholders.
    pub(super) fn texts_of_instance(
        &self,
        decomposition: &dyn Decomposition,
        world: usize,
    ) -> Self {
        let worlds = decomposition.worlds();
        let name = worlds.get(world).map_or("", |world| &world.name);
        let named = |text: &String| with_instance(text, name);
        let mut debrief = named(&self.debrief);
        if debrief.contains(SOLUTION) {
            let solution = decomposition.solution(world).unwrap_or_default();
            debrief = debrief.replace(SOLUTION, &solution);
        }
        Self {
            title: named(&self.title),
            about: named(&self.about),
            briefing: SeatTexts(
                self.briefing
                    .0
                    .each_ref()
                    .map(|text| text.as_ref().map(named)),
            ),
            debrief,
        }
    }
}

/// Returns a text with the name of an instance in place of its placeholder.
pub(super) fn with_instance(text: &str, name: &str) -> String {
    text.replace(INSTANCE, &readable_number(name))
}
