//! The command line of a debate: what plays it again.

use std::path::{Path, PathBuf};

use super::{DebatePlan, players};
use debate_core::player::bare;
use debate_core::protocol::Seat;
use debate_solver::setup::{Origin, bundled_name};

/// What plays a debate again, to be taken along.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reproduction {
    /// The seed of all coins.
    pub seed: Option<String>,
    /// The command line.
    pub command: Option<String>,
    /// True if the command tells what is hidden until the end: names or arguments of players.
    pub tells_secrets: bool,
    /// The save.
    pub save: Option<PathBuf>,
}

impl DebatePlan {
    /// What plays the debate again. A debate from a save is named by the save, unless its scenario is a
    /// bundled one.
    pub fn reproduction(&self, save: Option<&Path>) -> Reproduction {
        let named = self.named_players();
        // An argument may give a lie away to whoever sits down.
        let has_arguments = named.iter().any(|(_, name)| bare(name) != *name);
        let command = self.scenario_name().map(|scenario| {
            let first = ["debate-tui".to_owned(), scenario].into_iter();
            let words = first
                .chain(self.flags(&named))
                .map(|word| word_in_shell(&word));
            words.collect::<Vec<_>>().join(" ")
        });
        Reproduction {
            seed: Some(self.seed.as_str().to_owned()),
            command: command
                .or_else(|| Some(format!("debate-tui replay {}", path_in_shell(save?)))),
            tells_secrets: self.blind || has_arguments,
            save: save.map(Path::to_owned),
        }
    }

    /// The name or the path by which the scenario is found again.
    fn scenario_name(&self) -> Option<String> {
        match &self.setup.origin {
            Origin::Bundled(name) => Some((*name).to_owned()),
            Origin::File(path) => Some(path.display().to_string()),
            Origin::Text(_) => bundled_name(&self.setup.source).map(str::to_owned),
        }
    }

    /// The seats that people take; nobody watches.
    fn roles(&self) -> Vec<Option<Seat>> {
        let roles: Vec<Option<Seat>> = self.people().map(Some).collect();
        if roles.is_empty() { vec![None] } else { roles }
    }

    /// The built-in players whom the scenario would not seat itself.
    fn named_players(&self) -> Vec<(Seat, String)> {
        let own = players([None; 3], &self.roles(), &self.setup, &self.protocol);
        let named = Seat::PLAYERS.into_iter().filter_map(|seat| {
            let player = &self.players[seat.index()];
            let same = own.as_ref().is_ok_and(|own| own[seat.index()] == *player);
            (!player.is_human() && !same).then(|| (seat, player.to_string()))
        });
        named.collect()
    }

    /// The flags without which the debate would be another one.
    fn flags(&self, named: &[(Seat, String)]) -> Vec<String> {
        let mut flags = Vec::new();
        let mut flag = |name: &str, value: String| {
            // What begins like a flag is not to be taken for one.
            if value.starts_with('-') {
                flags.push(format!("--{name}={value}"));
            } else {
                flags.extend([format!("--{name}"), value]);
            }
        };
        for role in self.roles() {
            flag("role", role.map_or("none", Seat::name).to_owned());
        }
        flag("seed", self.seed.as_str().to_owned());
        if self.debate > 0 {
            flag("debate", self.debate.to_string());
        }
        if self.setup.draw(&self.seed, self.debate) != self.world {
            let worlds = self.setup.decomposition.worlds();
            let name = worlds.get(self.world).map(|world| world.name.clone());
            flag("instance", name.unwrap_or_default());
        }
        if self.protocol != self.setup.protocol {
            flag("protocol", self.protocol.to_string());
        }
        for (seat, name) in named {
            flag(seat.name(), name.clone());
        }
        if self.blind {
            flags.push("--blind".to_owned());
        } else if self.hints {
            flags.push("--hints".to_owned());
        }
        flags
    }
}

/// A word as a shell takes it for one.
pub fn word_in_shell(word: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./=:@,+".contains(sign);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A path as a shell takes it for one word.
pub fn path_in_shell(path: &Path) -> String {
    word_in_shell(&path.display().to_string())
}
