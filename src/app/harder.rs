//! The offer of a harder opponent than in the user's last debate.

use super::home::{human_seats, lesson_texts_of_save};
use debate_core::player::PlayerSpec;
use debate_core::protocol::{ProtocolKind, Seat};
use debate_host::plan::{
    DebatePlan, DifficultyLevel, LevelStep, adjacent_difficulty_index, daily_date_of_save,
    difficulty_levels, is_saved_debate_won,
};
use debate_host::record::{SaveListing, SavedDebateProgress};
use debate_solver::setup::name_of_bundled_text;

/// A harder opponent than in a finished debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarderOpponent {
    /// The name of the debate's scenario, if it is bundled.
    pub(super) scenario: Option<&'static str>,
    /// The title of the scenario.
    pub(super) title: String,
    pub(super) kind: ProtocolKind,
    /// The user's seat.
    pub(super) seat: Seat,
    /// The index of the harder difficulty level.
    pub(super) level: usize,
}

impl HarderOpponent {
    /// Returns an opponent one difficulty level above that of the finished debate in `save`, which the user won. `None`
    /// if the debate is unfinished or is not known to be won, or if not exactly one seat is a user's. `None` also if
    /// the save's players form no level or the highest one. Debates of lessons and daily debates do not count. The
    /// report at the end of a debate offers the same level.
    pub(super) fn one_level_harder_than_won_in_save(save: &SaveListing) -> Option<Self> {
        let header = save.header.as_ref()?;
        let seats = human_seats(header);
        let [seat] = seats.as_slice() else {
            return None;
        };
        // The opponent of a daily debate is the same for everybody, so it shows no level of the user.
        if save.condition != SavedDebateProgress::Finished
            || lesson_texts_of_save(header).is_some()
            || daily_date_of_save(header).is_some()
        {
            return None;
        }
        let kind = header.protocol.kind();
        let level = adjacent_difficulty_index(kind, *seat, &header.players, LevelStep::Harder)?;
        // Reading the save takes longest.
        if is_saved_debate_won(&save.path) != Some(true) {
            return None;
        }
        Some(Self {
            scenario: name_of_bundled_text(&header.scenario),
            title: save.title.clone()?,
            kind,
            seat: *seat,
            level,
        })
    }

    fn opponents(&self) -> Option<&'static DifficultyLevel> {
        difficulty_levels(self.kind, self.seat).get(self.level)
    }

    /// Returns the number of the level, counted from 1.
    pub(super) fn difficulty_level_number(&self) -> usize {
        self.level + 1
    }

    /// Returns the level with the number of levels: "level 4 of 5".
    pub(super) fn level_number_and_count_text(&self) -> String {
        let count = difficulty_levels(self.kind, self.seat).len();
        format!("level {} of {count}", self.difficulty_level_number())
    }

    /// Returns the players in words.
    pub(super) fn player_names_text(&self) -> String {
        self.opponents()
            .map(DifficultyLevel::player_names_text)
            .unwrap_or_default()
    }

    /// Returns sentences with the difficulty level and the user's weakness that its players exploit.
    pub(super) fn opponent_level_description(&self) -> String {
        let level_count = difficulty_levels(self.kind, self.seat).len();
        let exploited_weakness = self.opponents().map_or("", |level| level.exploits);
        format!(
            "Level {level} of {level_count}. {exploited_weakness}",
            level = self.difficulty_level_number()
        )
    }

    /// Seats the user and the players of the harder level in the plan.
    pub(super) fn put_players_in_plan(&self, plan: &mut DebatePlan) {
        if let Some(level) = self.opponents() {
            level.put_players_in_plan(plan);
        }
        if let Some(player) = plan.players.get_mut(self.seat.seat_index()) {
            *player = PlayerSpec::without_arguments("human");
        }
    }
}
