//! Progress through the bundled scenarios, by the saves of their debates.

use std::collections::HashMap;
use std::time::SystemTime;

use num_traits::Zero as _;

use crate::tui::menu::ItemProgress;
use debate_core::number::{Exact, Number as _};
use debate_core::player::Spec;
use debate_core::protocol::Seat;
use debate_lab::record::{Header, SaveCondition, SaveListing};
use debate_lab::setup::BundledScenario;

/// The debates of a scenario that were played to their end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ScenarioProgress {
    pub(super) played: u32,
    /// Those that were won, from the seat of whoever played.
    pub(super) won: u32,
    /// When the last one ended.
    pub(super) last: Option<SystemTime>,
}

impl ScenarioProgress {
    pub(super) fn mark(&self) -> ItemProgress {
        match self {
            Self { won: 1.., .. } => ItemProgress::Won,
            Self { played: 1.., .. } => ItemProgress::Played,
            Self { .. } => ItemProgress::New,
        }
    }
}

/// The debates that people finished, by the scenario's title. Debates of lessons do not count, and
/// neither do debates that were watched.
pub(super) fn progress<'s>(
    saves: impl IntoIterator<Item = &'s SaveListing>,
    is_lesson: impl Fn(&Header) -> bool,
) -> HashMap<String, ScenarioProgress> {
    let mut found: HashMap<String, ScenarioProgress> = HashMap::new();
    for save in saves {
        let (Some(title), Some(header)) = (&save.title, &save.header) else {
            continue;
        };
        if save.condition != SaveCondition::Finished
            || people(header).is_empty()
            || is_lesson(header)
        {
            continue;
        }
        let progress = found.entry(title.clone()).or_default();
        progress.played += 1;
        progress.won += u32::from(result(save).is_some_and(|won| won > Exact::zero()));
        progress.last = progress.last.max(Some(save.modified));
    }
    found
}

/// The seats in which people sit.
pub(super) fn people(header: &Header) -> Vec<Seat> {
    let human = |seat: &Seat| {
        let name = header.player(*seat).and_then(|name| Spec::parse(name).ok());
        name.is_some_and(|spec| spec.is_human())
    };
    Seat::PLAYERS.into_iter().filter(human).collect()
}

/// The payoff of the one debater who is a person; `None` where there is none, or there are two.
pub(super) fn result(save: &SaveListing) -> Option<Exact> {
    let payoff = save.payoff()?;
    let people = people(save.header.as_ref()?);
    match [Seat::Prover, Seat::Opponent].map(|seat| people.contains(&seat)) {
        [true, false] => Some(payoff),
        [false, true] => Some(Exact::from_integer(0.into()) - payoff),
        _ => None,
    }
}

/// The scenario to play next: the first of the course that was not played; where all were, the first
/// that was not won.
pub(super) fn next<'b>(
    course: &'b [BundledScenario],
    progress: &HashMap<String, ScenarioProgress>,
) -> Option<&'b BundledScenario> {
    let stands = |mark| {
        move |scenario: &&BundledScenario| {
            let found = progress.get(&scenario.title);
            found.map_or(ItemProgress::New, ScenarioProgress::mark) == mark
        }
    };
    let fresh = course.iter().find(stands(ItemProgress::New));
    fresh.or_else(|| course.iter().find(stands(ItemProgress::Played)))
}

/// A payoff in words: "won, +0.942".
pub(super) fn told(result: &Exact) -> String {
    let figure = debate_core::number::signed(result.to_float(), 6);
    let word = match result.cmp(&Exact::zero()) {
        std::cmp::Ordering::Greater => "won",
        std::cmp::Ordering::Equal => "came out even",
        std::cmp::Ordering::Less => "lost",
    };
    format!("{word}, {figure}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_lab::setup::bundled;

    fn with(pairs: &[(&str, u32, u32)]) -> HashMap<String, ScenarioProgress> {
        let one = |(title, played, won): &(&str, u32, u32)| {
            let progress = ScenarioProgress {
                played: *played,
                won: *won,
                last: None,
            };
            ((*title).to_owned(), progress)
        };
        pairs.iter().map(one).collect()
    }

    #[test]
    fn what_comes_next_is_new_and_then_what_was_lost() {
        let course = bundled();
        let next = |progress: &HashMap<_, _>| next(&course, progress).map(|one| one.name);
        assert_eq!(next(&with(&[])), Some("primes"));
        let played = with(&[("Is 4331 prime?", 2, 0)]);
        assert_eq!(next(&played), Some("primes-recursive"));
        let mut all: Vec<_> = course
            .iter()
            .map(|one| (one.title.as_str(), 1, 1))
            .collect();
        assert_eq!(next(&with(&all)), None);
        all[2].2 = 0;
        assert_eq!(next(&with(&all)), Some(course[2].name));
    }
}
