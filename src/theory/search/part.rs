//! The file format for the results of a search or of a shard of it.

use debate_core::digest::{LineDigestCheck, append_digest_to_json, check_line_digest};
use debate_core::number::{Exact, Number as _, format_canonical, parse};
use debate_core::protocol::SupportDisputeRule;
use debate_core::protocol::prover_estimator::{CarriedEstimateKind, EarlyLeafWeight};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    CounterexampleSearchResults, GameSearchSpaceParameters, GameSpace, MAX_LEAVES,
    RootSupportSoundnessFilter, SearchSpaceTooLargeError, StatementTestedOnGames,
};

/// The version of the file format that this program writes.
const FORMAT: u32 = 2;
/// The oldest version of the file format that can be read. Files of version 1 have no digest.
const OLDEST_FORMAT: u32 = 1;

/// Maximum number of instances of a game in a file's search space.
const MAX_WORLDS: usize = 16;
/// Maximum sum of the instance weights of a game in a file's search space.
const MAX_WEIGHT: u32 = 64;
/// Maximum number of values of ε, and of ρ, in a file's search space.
const MAX_NUMBERS: usize = 1000;

/// The results of a search, or of a shard of it, as a file: one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchShard {
    /// The version of the file format.
    debate_tui_search: u32,
    /// The name of the statement.
    #[serde(with = "name")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    statement: StatementTestedOnGames,
    space: GameSearchSpaceParameters,
    /// The end of the shard's range of game numbers, exclusive. `results.end` is smaller if the user stopped the search
    /// early.
    pub until: u64,
    pub results: CounterexampleSearchResults,
    /// The SHA-256 digest of the file's line without this field. Files of version 1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// The reason why a file cannot be read as a shard of a search, or why shards cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    #[error("this is not a shard of a search: {reason}; `search --shard I/M` writes one", reason = .0)]
    Malformed(String),
    /// The shard's digest is missing or does not match its contents.
    #[error(
        "this shard was changed after it was written: its digest is missing or does not match its text; search the shard again"
    )]
    Damaged,
    #[error("this shard belongs to another search than the other shards")]
    Other,
    #[error(transparent)]
    TooLarge(#[from] SearchSpaceTooLargeError),
    #[error("game {number} is in two files and would be counted twice", number = .0)]
    Twice(u64),
}

/// The options for the soundness of the root claim's support, with their names in files and on the command line.
pub const SUPPORTS: [(&str, RootSupportSoundnessFilter); 3] = [
    ("sound", RootSupportSoundnessFilter::Sound),
    ("unsound", RootSupportSoundnessFilter::Unsound),
    ("any", RootSupportSoundnessFilter::Any),
];
/// The options for the estimate that is carried into the next round: conditional on the coins, or not.
pub const CARRIES: [(&str, CarriedEstimateKind); 2] = [
    ("conditional", CarriedEstimateKind::Conditional),
    ("marginal", CarriedEstimateKind::Marginal),
];
/// The options for the stake of a leaf that is reached before the last round.
pub const EARLY_LEAVES: [(&str, EarlyLeafWeight); 2] = [
    ("jump", EarlyLeafWeight::Jump),
    ("in-place", EarlyLeafWeight::InPlace),
];
/// The options for whether Bob may dispute the step from the subclaims to a claim.
pub const WARRANTS: [(&str, SupportDisputeRule); 2] = [
    ("none", SupportDisputeRule::None),
    ("challenge", SupportDisputeRule::Challenge),
];

/// A type of option whose values have names in files and on the command line.
pub(super) trait NamedVariants: Copy + PartialEq + 'static {
    const CHOICES: &'static [(&'static str, Self)];
}

impl NamedVariants for StatementTestedOnGames {
    const CHOICES: &'static [(&'static str, Self)] = &Self::ALL;
}

impl NamedVariants for RootSupportSoundnessFilter {
    const CHOICES: &'static [(&'static str, Self)] = &SUPPORTS;
}

impl NamedVariants for CarriedEstimateKind {
    const CHOICES: &'static [(&'static str, Self)] = &CARRIES;
}

impl NamedVariants for EarlyLeafWeight {
    const CHOICES: &'static [(&'static str, Self)] = &EARLY_LEAVES;
}

impl NamedVariants for SupportDisputeRule {
    const CHOICES: &'static [(&'static str, Self)] = &WARRANTS;
}

/// Returns the name of an option's value in files and on the command line.
pub(super) fn variant_name<T: NamedVariants>(choice: T) -> &'static str {
    let named = T::CHOICES.iter().find(|(_, known)| *known == choice);
    named.map_or("", |(name, _)| name)
}

/// Serialises an option's value as its name, and parses the name.
pub(super) mod name {
    use super::*;

    pub fn serialize<T: NamedVariants, S: Serializer>(
        choice: &T,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.serialize_str(variant_name(*choice))
    }

    pub fn deserialize<'f, T: NamedVariants, D: Deserializer<'f>>(from: D) -> Result<T, D::Error> {
        let name = String::deserialize(from)?;
        let named = T::CHOICES.iter().find(|(known, _)| *known == name);
        let choice = named.map(|(_, choice)| *choice);
        choice.ok_or_else(|| D::Error::custom(format_args!("unknown choice {name:?}")))
    }
}

/// Serialises a list of exact numbers as strings, and parses it.
pub(super) mod numbers {
    use super::*;

    pub fn serialize<S: Serializer>(numbers: &[Exact], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(numbers.iter().map(format_canonical))
    }

    pub fn deserialize<'f, D: Deserializer<'f>>(from: D) -> Result<Vec<Exact>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        let numbers = texts.iter().map(|text| parse(text));
        numbers.collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}

impl SearchShard {
    /// Creates the file of a shard from the search's parameters and results.
    pub fn new(
        statement: StatementTestedOnGames,
        space: &GameSearchSpaceParameters,
        until: u64,
        results: CounterexampleSearchResults,
    ) -> Self {
        Self {
            debate_tui_search: FORMAT,
            statement,
            space: space.clone(),
            until,
            results,
            digest: None,
        }
    }

    /// Returns the shard in its file format: one line of JSON.
    ///
    /// # Errors
    /// Returns an error if it cannot be written as JSON.
    pub fn to_json_line(&self) -> serde_json::Result<String> {
        Ok(append_digest_to_json(&serde_json::to_string(self)?))
    }

    /// Reads a shard.
    ///
    /// # Errors
    /// Returns an error if the text is not a shard, if its version is unknown, or if its digest is wrong. Also returns
    /// an error if a shard of version 2 has no digest, or if its range of games is impossible.
    pub fn parse_search_shard_file(text: &str) -> Result<Self, ShardError> {
        let malformed = |why: String| ShardError::Malformed(why);
        let digest = check_line_digest(text);
        if digest == LineDigestCheck::Wrong {
            return Err(ShardError::Damaged);
        }
        let mut part: Self =
            serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
        let format = part.debate_tui_search;
        if !(OLDEST_FORMAT..=FORMAT).contains(&format) {
            return Err(malformed(format!(
                "the shard's format is version {format}; this program reads versions {OLDEST_FORMAT} to {FORMAT}"
            )));
        }
        if digest == LineDigestCheck::Absent && format > OLDEST_FORMAT {
            return Err(ShardError::Damaged);
        }
        // The version and the digest describe this file only. A search that continues from it writes its own.
        (part.debate_tui_search, part.digest) = (FORMAT, None);
        let results = &part.results;
        if results.first > results.end || results.end > part.until {
            return Err(malformed(format!(
                "the shard's range of games is impossible: its results start at game {first} and end before game \
                 {end}, and the shard ends before game {until}",
                first = results.first,
                end = results.end,
                until = part.until
            )));
        }
        Ok(part)
    }

    /// Returns the statement that the shard's search tests, and the whole search space, of which the shard is a part.
    ///
    /// # Errors
    /// Returns an error if the file has values that no search writes, or if the space is too large.
    pub fn statement_and_space(&self) -> Result<(StatementTestedOnGames, GameSpace), ShardError> {
        let terms = &self.space;
        let [least, most] = terms.leaves;
        let small = most <= MAX_LEAVES
            && least > 0
            && terms.worlds[0] > 0
            && (1..=2).contains(&terms.depth)
            && terms.worlds[1] <= MAX_WORLDS
            && terms.weight[1] <= MAX_WEIGHT
            && terms.epsilons.len().max(terms.rhos.len()) <= MAX_NUMBERS;
        if !small {
            return Err(ShardError::Malformed(
                "the shard's space of games has a limit that `search` cannot have".to_owned(),
            ));
        }
        for (numbers, below) in [
            (&terms.epsilons, Exact::ratio(1, 2)),
            (&terms.rhos, Exact::ratio(1, 1)),
        ] {
            let is_off = |number: &&Exact| **number <= Exact::default() || **number >= below;
            if let Some(number) = numbers.iter().find(is_off) {
                let why = format!(
                    "the shard's number {number} for ε or ρ must be above 0 and below {below}"
                );
                return Err(ShardError::Malformed(why));
            }
        }
        let space = GameSpace::new(terms.clone())?;
        if self.until > space.game_count() {
            let games = space.game_count();
            let why = format!(
                "the shard's games go up to number {until}, but there are only {games}",
                until = self.until
            );
            return Err(ShardError::Malformed(why));
        }
        Ok((self.statement, space))
    }

    /// True if a text seems to be a shard of a search, not of a simulation.
    pub fn is_search_shard(text: &str) -> bool {
        text.trim_start().starts_with("{\"debate_tui_search\"")
    }

    /// Merges the shards of one search; `None` for an empty list. Also returns the ranges of games before and between
    /// the shards that no shard contains, but not the games after the last shard.
    ///
    /// # Errors
    /// Returns the index of the file with an error if the shards belong to different searches, or overlap.
    #[expect(clippy::type_complexity, reason = "parts and gaps")]
    pub fn merged(
        parts: Vec<Self>,
    ) -> Result<Option<(Self, Vec<std::ops::Range<u64>>)>, (usize, ShardError)> {
        let mut placed: Vec<(usize, Self)> = parts.into_iter().enumerate().collect();
        placed.sort_by_key(|(index, part)| (part.results.first, *index));
        let mut sum: Option<Self> = None;
        let mut gaps = Vec::new();
        for (index, part) in placed {
            let Some(sum) = &mut sum else {
                if part.results.first > 0 {
                    gaps.push(0..part.results.first);
                }
                sum = Some(part);
                continue;
            };
            if (&part.statement, &part.space) != (&sum.statement, &sum.space) {
                return Err((index, ShardError::Other));
            }
            let end = sum.results.end;
            if part.results.first < end {
                return Err((index, ShardError::Twice(part.results.first)));
            }
            if part.results.first > end {
                gaps.push(end..part.results.first);
            }
            sum.results.add(&part.results);
            sum.results.end = part.results.end;
            sum.until = sum.until.max(part.until);
        }
        Ok(sum.map(|sum| (sum, gaps)))
    }
}
