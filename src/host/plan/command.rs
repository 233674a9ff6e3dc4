//! Builds the command line with which a user can reproduce a debate.

use std::path::{Path, PathBuf};

use super::{DebatePlan, players};
use debate_core::player::player_name_without_arguments;
use debate_core::protocol::Seat;
use debate_solver::setup::{ScenarioTextSource, name_of_bundled_text};

/// The data with which a user can reproduce a debate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReproductionInfo {
    /// The seed of all coins.
    pub seed: Option<String>,
    /// The command line; `None` if the scenario has no name or path and the debate has no save.
    pub command: Option<String>,
    /// True if screens must not show `command` before the end of the debate: it names the players of a blind debate,
    /// or the arguments of players, which may reveal a planned lie.
    pub tells_secrets: bool,
    /// The path of the debate's save; `None` without a save.
    pub save: Option<PathBuf>,
}

impl DebatePlan {
    /// Returns the seed, the command and the save to reproduce the debate. For a debate from a save, the command names
    /// the save, unless the scenario is bundled.
    pub fn reproduction_info(&self, save: Option<&Path>) -> ReproductionInfo {
        if let Some(date) = self.daily_date() {
            // The other flags would name the instance, and with it the answer.
            return ReproductionInfo {
                seed: Some(self.seed.as_str().to_owned()),
                command: Some(format!("debate-tui daily --date {date}")),
                tells_secrets: false,
                save: save.map(Path::to_owned),
            };
        }
        let named = self.named_players();
        // An argument may reveal a planned lie to another player.
        let has_arguments = named
            .iter()
            .any(|(_, name)| player_name_without_arguments(name) != *name);
        let command = self.scenario_name().map(|scenario| {
            let first = ["debate-tui".to_owned(), scenario].into_iter();
            let words = first
                .chain(self.flags(&named))
                .map(|word| quote_for_shell(&word));
            words.collect::<Vec<_>>().join(" ")
        });
        ReproductionInfo {
            seed: Some(self.seed.as_str().to_owned()),
            command: command
                .or_else(|| Some(format!("debate-tui replay {}", quote_path_for_shell(save?)))),
            tells_secrets: self.blind || has_arguments,
            save: save.map(Path::to_owned),
        }
    }

    /// Returns the name or the path of the scenario; `None` if its text came from elsewhere and is not a bundled one.
    fn scenario_name(&self) -> Option<String> {
        match &self.setup.origin {
            ScenarioTextSource::Bundled(name) => Some((*name).to_owned()),
            ScenarioTextSource::File(path) => Some(path.display().to_string()),
            ScenarioTextSource::Text(_) => {
                name_of_bundled_text(&self.setup.source).map(str::to_owned)
            }
        }
    }

    /// Returns the roles of the human players for the command line. If there are none, the list contains a single
    /// `None`, which means watching.
    fn roles(&self) -> Vec<Option<Seat>> {
        let roles: Vec<Option<Seat>> = self.human_seats().map(Some).collect();
        if roles.is_empty() { vec![None] } else { roles }
    }

    /// Returns the players, except users, that the command line must name: those that differ from the scenario's
    /// choice, and a prover that adapts its bets to the past debates of the user who plays the opponent.
    fn named_players(&self) -> Vec<(Seat, String)> {
        let own = players([None; 3], &self.roles(), &self.setup, &self.protocol);
        let named = Seat::PLAYERS.into_iter().filter_map(|seat| {
            let player = &self.players[seat.seat_index()];
            // The same command would give another prover after another debate.
            let follows = seat == Seat::Prover
                && self.players[Seat::Opponent.seat_index()].is_human()
                && self.has_scenario_prover_learning_across_debates();
            let same = own
                .as_ref()
                .is_ok_and(|own| own[seat.seat_index()] == *player)
                && !follows;
            (!player.is_human() && !same).then(|| (seat, player.to_string()))
        });
        named.collect()
    }

    /// Returns the flags that reproduce the debate on the command line.
    fn flags(&self, named: &[(Seat, String)]) -> Vec<String> {
        let mut flags = Vec::new();
        let mut flag = |name: &str, value: String| {
            // A value that begins with `-` must not be read as a flag.
            if value.starts_with('-') {
                flags.push(format!("--{name}={value}"));
            } else {
                flags.extend([format!("--{name}"), value]);
            }
        };
        for role in self.roles() {
            flag(
                "role",
                role.map_or("none", Seat::name_in_flags_and_json).to_owned(),
            );
        }
        flag("seed", self.seed.as_str().to_owned());
        if self.debate > 0 {
            flag("debate", self.debate.to_string());
        }
        if self.setup.world_of_debate(&self.seed, self.debate) != self.world {
            let worlds = self.setup.decomposition.worlds();
            let name = worlds.get(self.world).map(|world| world.name.clone());
            flag("instance", name.unwrap_or_default());
        }
        if self.protocol != self.setup.protocol {
            flag("protocol", self.protocol.to_string());
        }
        for (seat, name) in named {
            flag(seat.name_in_flags_and_json(), name.clone());
        }
        if self.blind {
            flags.push("--blind".to_owned());
        } else if self.hints {
            flags.push("--hints".to_owned());
        }
        flags
    }
}

/// Quotes a word for a shell, if needed.
pub fn quote_for_shell(word: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./=:@,+".contains(sign);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Quotes a path for a shell, if needed.
pub fn quote_path_for_shell(path: &Path) -> String {
    quote_for_shell(&path.display().to_string())
}
