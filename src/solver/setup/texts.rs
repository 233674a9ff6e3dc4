//! The texts of a scenario, and the placeholders in them for the debated instance and its solution.

use debate_core::protocol::Seat;
use debate_core::scenario::Decomposition;
use debate_core::text::add_group_commas;

/// The placeholder in scenario texts that is replaced by the name of the debated instance.
pub(super) const INSTANCE: &str = "{instance}";
/// The placeholder in a scenario's debrief (the text after a debate) that is replaced by a short proof of the answer,
/// for example "109,931 = 211 × 521". The scenario's other texts must not contain it.
pub(super) const SOLUTION: &str = "{solution}";

/// An optional text for each seat: the name of its player, or its private briefing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextBySeat([Option<String>; 3]);

impl TextBySeat {
    pub fn text_of_seat(&self, seat: Seat) -> Option<&str> {
        self.0.get(seat.seat_index())?.as_deref()
    }

    /// Sets the text of a seat and returns the previous one.
    pub(super) fn replace_seat_text(&mut self, seat: Seat, text: String) -> Option<String> {
        self.0.get_mut(seat.seat_index())?.replace(text)
    }
}

/// A scenario's title, description, private briefings and debrief.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioTitleAndBriefings {
    /// The title, on one line.
    pub title: String,
    /// The description that all players read before the debate. It reveals no secrets.
    pub about: String,
    /// The private text that each seat reads before the debate.
    pub briefing: TextBySeat,
    /// The lesson that is shown after the debate.
    pub debrief: String,
}

impl ScenarioTitleAndBriefings {
    /// Returns the texts that are shown before the end of the debate, each with its field in the scenario file.
    pub(super) fn scenario_texts_shown_before_end(
        &self,
    ) -> impl Iterator<Item = (&'static str, &str)> {
        let briefings = self.briefing.0.iter().flatten();
        [("title", &*self.title), ("about", &*self.about)]
            .into_iter()
            .chain(briefings.map(|text| ("briefing", text.as_str())))
    }

    /// Returns the texts with their placeholders replaced for the given instance.
    pub(super) fn texts_of_instance(
        &self,
        decomposition: &dyn Decomposition,
        world: usize,
    ) -> Self {
        let worlds = decomposition.worlds();
        let name = worlds.get(world).map_or("", |world| &world.name);
        let named = |text: &String| fill_in_instance_name(text, name);
        let mut debrief = named(&self.debrief);
        if debrief.contains(SOLUTION) {
            let solution = decomposition.solution(world).unwrap_or_default();
            debrief = debrief.replace(SOLUTION, &solution);
        }
        Self {
            title: named(&self.title),
            about: named(&self.about),
            briefing: TextBySeat(
                self.briefing
                    .0
                    .each_ref()
                    .map(|text| text.as_ref().map(named)),
            ),
            debrief,
        }
    }
}

/// Returns a text in which the placeholder for the instance is replaced by `name`, whose digits are grouped by commas.
pub(super) fn fill_in_instance_name(text: &str, name: &str) -> String {
    text.replace(INSTANCE, &add_group_commas(name))
}
