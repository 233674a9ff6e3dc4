//! Where an unfinished debate stands: found by following its save, which takes a while.

use std::path::Path;

use debate_core::player::Player;
use debate_core::protocol::{Round, Rules as _, Seat};
use debate_lab::record::{RecordError, Save};
use debate_lab::setup::Limits;

/// The position of an unfinished debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DebatePosition {
    /// The round under way, in words: "round 2 of 4".
    pub(super) round: String,
    /// The seat that is to reply.
    pub(super) awaits: Option<Seat>,
}

/// Follows a save to its end.
pub(super) fn position(path: &Path) -> Result<DebatePosition, RecordError> {
    let save = Save::read(path)?;
    let setup = save.setup(&Limits::default())?;
    let instance = save.header.instance(&setup)?;
    let outside = [Player::Outside, Player::Outside, Player::Outside];
    let seating = save.seat(&instance, outside)?;
    let state = seating.state();
    let numbered: Vec<Round> = state
        .schedule()
        .into_iter()
        .map(|(round, _)| round)
        .collect();
    Ok(DebatePosition {
        round: round_in_words(state.round(), &numbered),
        awaits: seating.turn().map(|turn| turn.seat),
    })
}

/// A round as people count it.
fn round_in_words(round: Option<Round>, schedule: &[Round]) -> String {
    let numbered = || schedule.iter().filter(|round| **round != Round::Initial);
    match round {
        None => "over".to_owned(),
        Some(Round::Initial) => "the first answer".to_owned(),
        Some(round) => match numbered().position(|other| *other == round) {
            Some(at) => format!("round {} of {}", at + 1, numbered().count()),
            None => String::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_count_up_to_the_judges() {
        let numbers = [3, 2, 1, 0].map(Round::Number);
        let schedule: Vec<Round> = std::iter::once(Round::Initial).chain(numbers).collect();
        for (round, words) in [
            (Some(Round::Initial), "the first answer"),
            (Some(Round::Number(3)), "round 1 of 4"),
            (Some(Round::Number(0)), "round 4 of 4"),
            (None, "over"),
        ] {
            assert_eq!(round_in_words(round, &schedule), words);
        }
    }
}
