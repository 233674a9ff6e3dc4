//! Shards of a simulation: parts of its debates in files, which `merge` adds up.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use num_bigint::Sign;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::sums::{
    RoundRewardSum, SimulationSums, SumAndSumOfSquares, round_of_sort_key, sort_key_of_round,
};
use super::{MAX_DEBATES, PlannedSimulation, SimulationResults};
use crate::expectation::EXPENSE_KINDS;
use debate_core::digest::{Digest, LineDigestCheck, append_digest_to_json, check_line_digest};
use debate_core::protocol::Round;

/// The version of the format.
const FORMAT: u32 = 3;
/// The oldest version of the shard format that can be read. Files of version 2 have no digest.
const OLDEST_FORMAT: u32 = 2;

/// The version of this program. Players of another version may reply differently, so its shards are refused.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Maximum length of a sum in a shard's file, in characters, including a minus sign.
const MAX_DIGITS: usize = 200;

/// Maximum number of rounds of a debate in a shard's file.
const MAX_ROUNDS: usize = 1 << 20;

/// Everything that determines the results of a simulation, apart from the program's version. Shards can be merged only
/// if they agree in all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Identity")]
pub struct SimulationIdentity {
    /// The seed.
    pub seed: String,
    /// The scenario's title.
    pub title: String,
    /// The SHA-256 digest of the scenario file and of the files to which it refers.
    pub scenario: String,
    /// The name of the instance, if the user requested one.
    pub instance: Option<String>,
    /// The number of debates in the whole simulation, over all shards.
    pub debates: u64,
    /// The rules and players of each side. There are two sides if they are compared.
    pub sides: Vec<RulesAndPlayerNames>,
}

/// Rules and players by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SideNames")]
pub struct RulesAndPlayerNames {
    /// The rules with their parameters.
    pub protocol: String,
    /// Prover, opponent and judge.
    pub players: [String; 3],
}

impl SimulationIdentity {
    /// Returns the identity of a simulation that has `debates` debates in total.
    pub fn identity_of_simulation(simulation: &PlannedSimulation<'_>, debates: u64) -> Self {
        let setup = simulation.setup;
        let worlds = setup.decomposition.worlds();
        let asked = simulation.world.and_then(|world| worlds.get(world));
        let mut text = String::new();
        for file in &setup.files {
            // Names and digests have no line breaks.
            let _ = writeln!(text, "{} {}", file.digest, file.name);
        }
        text.push_str(&setup.source);
        let sides = simulation.sides.iter().map(|side| RulesAndPlayerNames {
            protocol: side.protocol.to_string(),
            players: side.players.each_ref().map(ToString::to_string),
        });
        Self {
            seed: simulation.seed.as_str().to_owned(),
            title: match simulation.world {
                Some(world) => setup.scenario_texts(world).title,
                None => setup.title.clone(),
            },
            scenario: Digest::digest_of_bytes(text.as_bytes()).to_string(),
            instance: asked.map(|world| world.name.clone()),
            debates,
            sides: sides.collect(),
        }
    }

    /// Returns the first value in which two simulations differ; `None` if they are the same simulation.
    fn difference(&self, other: &Self) -> Option<SimulationSettingMismatch> {
        let texts = |of: &Self| {
            let seat = |index: usize| {
                let names = of.sides.iter().map(|side| side.players[index].clone());
                names.collect::<Vec<_>>().join(" and ")
            };
            let protocols: Vec<_> = of.sides.iter().map(|side| side.protocol.clone()).collect();
            let instance = of.instance.clone();
            [
                ("scenario", format!("{} ({})", of.title, of.scenario)),
                ("instance", instance.unwrap_or_else(|| "drawn".to_owned())),
                ("protocol", protocols.join(" and ")),
                ("prover", seat(0)),
                ("opponent", seat(1)),
                ("judge", seat(2)),
                ("seed", of.seed.clone()),
                ("number of debates", of.debates.to_string()),
            ]
        };
        let pairs = texts(self).into_iter().zip(texts(other));
        let mut differing = pairs.filter(|((_, here), (_, there))| here != there);
        differing
            .next()
            .map(|((what, here), (_, there))| SimulationSettingMismatch { what, here, there })
    }
}

/// A difference between two simulations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulationSettingMismatch {
    /// The name of the setting in which the simulations differ, for an error message about shards that cannot be
    /// merged.
    pub what: &'static str,
    /// The setting's value in the first of the two simulations.
    pub here: String,
    /// The setting's value in the second of the two simulations.
    pub there: String,
}

/// The reason why shards cannot be merged.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ShardError {
    /// The file is not a shard of a simulation; the text gives the reason.
    #[error("this is not a shard of a simulation: {reason}; `simulate --shard I/M` writes one", reason = .0)]
    Malformed(String),
    /// The shard's digest is missing or does not match its contents.
    #[error(
        "this shard was changed after it was written, because its digest is missing or does not match; simulate the shard again"
    )]
    Damaged,
    /// Another version of the program simulated the shard.
    #[error(
        "version {0:?} of the program simulated this shard, but this is version {PROGRAM}, whose \
         players may reply differently; simulate it again, or merge with that version"
    )]
    Version(String),
    /// The shards belong to different simulations.
    #[error(
        "this shard belongs to another simulation: its {field} is {value_here:?}, but {value_in_first_file:?} in the first file",
        field = .0.what, value_here = .0.there, value_in_first_file = .0.here
    )]
    IdentityMismatch(SimulationSettingMismatch),
    /// The debate with this number is in two shards, so it would be counted twice.
    #[error("debate {number} is also in another file, so it would be counted twice; remove one file", number = .0)]
    Twice(u64),
}

/// A shard of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationShard {
    pub identity: SimulationIdentity,
    pub simulated: SimulationResults,
    /// The running time, in seconds.
    pub seconds: f64,
    pub threads: u64,
}

/// The file format of a shard, which `simulate --shard` writes on one line. It has the debates from `first` to `end` −
/// 1. Sums are integer multiples of 2^-80, written as strings of digits.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationShardFile {
    /// The version of the format.
    debate_tui_shard: u32,
    program: String,
    simulation: SimulationIdentity,
    first: u64,
    end: u64,
    sides: Vec<SideFile>,
    difference: Option<MomentsFile>,
    seconds: f64,
    threads: u64,
    /// The SHA-256 digest of the shard's line without this field. Files of version 2 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// The versions in a shard's file, which are checked before the rest is read.
#[derive(Deserialize)]
struct Head {
    debate_tui_shard: u32,
    #[serde(default)]
    program: String,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SideFile {
    won: u64,
    answered: u64,
    correct: u64,
    payoff: MomentsFile,
    spent: [[String; EXPENSE_KINDS]; 3],
    rounds: Vec<RoundFile>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MomentsFile {
    sum: String,
    squares: String,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RoundFile {
    /// `None` for the initial round.
    round: Option<u32>,
    weight: Option<String>,
    sum: String,
}

impl From<&SumAndSumOfSquares> for MomentsFile {
    fn from(moments: &SumAndSumOfSquares) -> Self {
        Self {
            sum: moments.sum.to_string(),
            squares: moments.squares.to_string(),
        }
    }
}

impl MomentsFile {
    fn read(&self) -> Result<SumAndSumOfSquares, ShardError> {
        let moments = SumAndSumOfSquares {
            sum: integer(&self.sum)?,
            squares: integer(&self.squares)?,
        };
        if moments.squares.sign() == Sign::Minus {
            return Err(malformed("a sum of squares in the shard is negative"));
        }
        Ok(moments)
    }
}

fn malformed(what: impl Into<String>) -> ShardError {
    ShardError::Malformed(what.into())
}

fn integer<T: std::str::FromStr>(text: &str) -> Result<T, ShardError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let read = (plain && text.len() <= MAX_DIGITS).then(|| text.parse().ok());
    read.flatten()
        .ok_or_else(|| malformed("a sum in the shard is not an integer, or has too many digits"))
}

impl SideFile {
    fn of(sums: &SimulationSums) -> Self {
        Self {
            won: sums.won,
            answered: sums.answered,
            correct: sums.correct,
            payoff: (&sums.payoff).into(),
            spent: sums.spent.map(|seat| seat.map(|amount| amount.to_string())),
            rounds: sums
                .rounds
                .iter()
                .map(|(key, round)| RoundFile {
                    round: match round_of_sort_key(*key) {
                        Round::Initial => None,
                        Round::Number(k) => Some(k),
                    },
                    // The decimal parses back to the same number.
                    weight: round.weight.map(|weight| format!("{weight:?}")),
                    sum: round.sum.to_string(),
                })
                .collect(),
        }
    }

    fn read(&self, debates: u64) -> Result<SimulationSums, ShardError> {
        if self.won > debates || self.correct > self.answered || self.answered > debates {
            return Err(malformed(
                "the shard's counts contradict each other or exceed its number of debates",
            ));
        }
        if self.rounds.len() > MAX_ROUNDS {
            return Err(malformed("the shard has too many rounds"));
        }
        let mut spent = [[0_u128; EXPENSE_KINDS]; 3];
        for (amount, text) in spent.iter_mut().flatten().zip(self.spent.iter().flatten()) {
            *amount = integer::<u64>(text)?.into();
        }
        let mut rounds = BTreeMap::new();
        for round in &self.rounds {
            let weight = match round.weight.as_deref().map(str::parse::<f64>) {
                None => None,
                Some(Ok(weight)) if weight.is_finite() => Some(weight),
                Some(_) => {
                    return Err(malformed(
                        "the weight of a round in the shard is not a number",
                    ));
                }
            };
            let sum = integer(&round.sum)?;
            let of = round.round.map_or(Round::Initial, Round::Number);
            if rounds
                .insert(sort_key_of_round(of), RoundRewardSum { weight, sum })
                .is_some()
            {
                return Err(malformed("the shard lists a round twice"));
            }
        }
        Ok(SimulationSums {
            debates,
            won: self.won,
            answered: self.answered,
            correct: self.correct,
            payoff: self.payoff.read()?,
            spent,
            rounds,
        })
    }
}

impl SimulationShard {
    #[expect(
        clippy::cast_precision_loss,
        reason = "the number of debates per second need not be exact"
    )]
    pub fn debates_per_second(&self) -> f64 {
        let sides = &self.simulated.sides;
        let debates = sides.first().map_or(0, |sums| sums.debates);
        debates as f64 / self.seconds.max(1e-9)
    }

    /// Returns the shard in its file format: one line of JSON.
    pub fn to_json_line(&self) -> String {
        let file = SimulationShardFile {
            debate_tui_shard: FORMAT,
            program: PROGRAM.to_owned(),
            simulation: self.identity.clone(),
            first: self.simulated.debates.start,
            end: self.simulated.debates.end,
            sides: self.simulated.sides.iter().map(SideFile::of).collect(),
            difference: self.simulated.difference.as_ref().map(Into::into),
            seconds: self.seconds,
            threads: self.threads,
            digest: None,
        };
        // Serialising these texts and numbers cannot fail.
        append_digest_to_json(&serde_json::to_string(&file).unwrap_or_default())
    }

    /// Reads a shard from the text of its file.
    ///
    /// # Errors
    /// Returns an error if the text is not a shard or its values are inconsistent. Also if its digest does not match,
    /// or another version of the program wrote it.
    pub fn parse_shard_file(text: &str) -> Result<Self, ShardError> {
        let unreadable = |error: serde_json::Error| malformed(error.to_string());
        let digest = check_line_digest(text);
        if digest == LineDigestCheck::Wrong {
            return Err(ShardError::Damaged);
        }
        let head: Head = serde_json::from_str(text).map_err(unreadable)?;
        let format = head.debate_tui_shard;
        if !(OLDEST_FORMAT..=FORMAT).contains(&format) {
            return Err(malformed(
                "this program does not read the shard's format version",
            ));
        }
        if digest == LineDigestCheck::Absent && format > OLDEST_FORMAT {
            return Err(ShardError::Damaged);
        }
        if head.program != PROGRAM {
            return Err(ShardError::Version(head.program));
        }
        let file: SimulationShardFile = serde_json::from_str(text).map_err(unreadable)?;
        let all = file.simulation.debates;
        if all > MAX_DEBATES || file.first > file.end || file.end > all {
            return Err(malformed("the shard's debate numbers are out of range"));
        }
        let sides = file.simulation.sides.len();
        let compared = file.difference.is_some();
        if !(1..=2).contains(&sides) || file.sides.len() != sides || compared != (sides == 2) {
            return Err(malformed(
                "the shard has the wrong number of sides, or its difference of two sides is missing or superfluous",
            ));
        }
        if !file.seconds.is_finite() || file.seconds < 0.0 {
            return Err(malformed("the shard's running time is not valid"));
        }
        let count = file.end - file.first;
        let read = file.sides.iter().map(|side| side.read(count));
        let difference = file.difference.as_ref().map(MomentsFile::read);
        let simulated = SimulationResults {
            debates: file.first..file.end,
            sides: read.collect::<Result<_, _>>()?,
            difference: difference.transpose()?,
        };
        Ok(Self {
            identity: file.simulation,
            simulated,
            seconds: file.seconds,
            threads: file.threads,
        })
    }
}

/// Merged shards of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedShards {
    /// The sum of the shards, as one shard of all debates of the simulation, even if some are missing.
    pub whole: SimulationShard,
    /// The ranges of debate numbers that no shard contains.
    pub missing: Vec<Range<u64>>,
}

/// Merges shards of the same simulation. Returns `None` for an empty list.
///
/// # Errors
/// Returns the index of the shard that does not belong to the first one's simulation, or that repeats debates
/// of another, with the reason.
pub fn merge_shards(
    shards: Vec<SimulationShard>,
) -> Result<Option<MergedShards>, (usize, ShardError)> {
    let mut indices: Vec<(usize, Range<u64>)> = Vec::new();
    let mut whole: Option<SimulationShard> = None;
    for (index, shard) in shards.into_iter().enumerate() {
        if !shard.simulated.debates.is_empty() {
            indices.push((index, shard.simulated.debates.clone()));
        }
        let Some(sum) = &mut whole else {
            whole = Some(shard);
            continue;
        };
        if let Some(foreign) = sum.identity.difference(&shard.identity) {
            return Err((index, ShardError::IdentityMismatch(foreign)));
        }
        sum.simulated.merge(&shard.simulated);
        sum.seconds += shard.seconds;
        sum.threads = sum.threads.max(shard.threads);
    }
    let Some(mut whole) = whole else {
        return Ok(None);
    };
    indices.sort_by_key(|(_, debates)| debates.start);
    let mut missing = Vec::new();
    let mut next = 0;
    for (index, debates) in indices {
        if debates.start < next {
            return Err((index, ShardError::Twice(debates.start)));
        }
        if debates.start > next {
            missing.push(next..debates.start);
        }
        next = debates.end;
    }
    if next < whole.identity.debates {
        missing.push(next..whole.identity.debates);
    }
    whole.simulated.debates = 0..whole.identity.debates;
    Ok(Some(MergedShards { whole, missing }))
}
