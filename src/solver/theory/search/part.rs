//! Searches, whole or in part, as files.

use debate_core::number::{Exact, Number as _, canonical, parse};
use debate_core::protocol::Warrants;
use debate_core::protocol::prover_estimator::{Carry, EarlyLeaf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_LEAVES, SearchResults, Space, SpaceTerms, Statement, Supports, TooLarge};

/// The version of the format.
const FORMAT: u32 = 1;

/// The most instances that a file may ask for.
const MAX_WORLDS: usize = 16;
/// The most that their weights may sum to.
const MAX_WEIGHT: u32 = 64;
/// The most values of ε, and of ρ.
const MAX_NUMBERS: usize = 1000;

/// A search, or a part of one, as a file: one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchPart {
    /// The version of the format.
    debate_tui_search: u32,
    /// The statement by its name.
    pub statement: String,
    space: SpaceFile,
    /// The number after the last game that it was to look at.
    pub until: u64,
    pub results: SearchResults,
}

/// A space as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct SpaceFile {
    leaves: [usize; 2],
    depth: u32,
    worlds: [usize; 2],
    weight: [u32; 2],
    counting: bool,
    /// sound, unsound or any.
    supports: String,
    stable: bool,
    epsilons: Vec<String>,
    rhos: Vec<String>,
    /// conditional or marginal.
    carry: String,
    /// jump or in-place.
    early_leaf: String,
    /// none or challenge; none where it is missing.
    #[serde(default = "no_warrants")]
    warrants: String,
}

fn no_warrants() -> String {
    "none".to_owned()
}

/// Why a file is no part of a search, or parts are not put together.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    #[error("this is no part of a search: {0}; `search --shard I/M` writes one")]
    Malformed(String),
    #[error("this is part of another search than the first file")]
    Other,
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    #[error("game {0} is in another file too, and would be counted twice")]
    Twice(u64),
}

/// The choices of which supports the root claim has, by their names in files and on the command line.
pub const SUPPORTS: [(&str, Supports); 3] = [
    ("sound", Supports::Sound),
    ("unsound", Supports::Unsound),
    ("any", Supports::Any),
];
/// The choices of the probability that is carried into the next round.
pub const CARRIES: [(&str, Carry); 2] = [
    ("conditional", Carry::Conditional),
    ("marginal", Carry::Marginal),
];
/// The choices of the weight at which a leaf above round 0 is played.
pub const EARLY_LEAVES: [(&str, EarlyLeaf); 2] =
    [("jump", EarlyLeaf::Jump), ("in-place", EarlyLeaf::InPlace)];
/// The choices of whether Bob may dispute the step from the parts to the claim.
pub const WARRANTS: [(&str, Warrants); 2] =
    [("none", Warrants::None), ("challenge", Warrants::Challenge)];

/// The choice of a name.
fn named<T: Copy>(name: &str, choices: &[(&str, T)]) -> Result<T, PartError> {
    let named = choices.iter().find(|(known, _)| *known == name);
    let choice = named.map(|(_, choice)| *choice);
    choice.ok_or_else(|| PartError::Malformed(format!("what is {name:?}?")))
}

/// The name of a choice; empty where it has none.
pub(super) fn name_of<T: Copy + PartialEq>(
    choice: T,
    choices: &[(&'static str, T)],
) -> &'static str {
    let named = choices.iter().find(|(_, known)| *known == choice);
    named.map_or("", |(name, _)| name)
}

impl SearchPart {
    /// A part with its terms.
    pub fn new(
        statement: Statement,
        terms: &SpaceTerms,
        until: u64,
        results: SearchResults,
    ) -> Self {
        Self {
            debate_tui_search: FORMAT,
            statement: statement.name().to_owned(),
            space: SpaceFile {
                leaves: [*terms.leaves.start(), *terms.leaves.end()],
                depth: terms.depth,
                worlds: [*terms.worlds.start(), *terms.worlds.end()],
                weight: [*terms.weight.start(), *terms.weight.end()],
                counting: terms.counting,
                supports: name_of(terms.supports, &SUPPORTS).to_owned(),
                stable: terms.stable,
                epsilons: terms.epsilons.iter().map(canonical).collect(),
                rhos: terms.rhos.iter().map(canonical).collect(),
                carry: name_of(terms.carry, &CARRIES).to_owned(),
                early_leaf: name_of(terms.early_leaf, &EARLY_LEAVES).to_owned(),
                warrants: name_of(terms.warrants, &WARRANTS).to_owned(),
            },
            until,
            results,
        }
    }

    /// Reads a part.
    ///
    /// # Errors
    /// If it is none, or of another version.
    pub fn read(text: &str) -> Result<Self, PartError> {
        let malformed = |why: String| PartError::Malformed(why);
        let part: Self =
            serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
        if part.debate_tui_search != FORMAT {
            return Err(malformed(format!(
                "its format is version {}, not {FORMAT}",
                part.debate_tui_search
            )));
        }
        let results = &part.results;
        if results.first > results.end || results.end > part.until {
            return Err(malformed("its games do not follow each other".to_owned()));
        }
        Ok(part)
    }

    /// Numbers the games that it is about.
    ///
    /// # Errors
    /// If the file says what no search writes, or the space is too large.
    pub fn space(&self) -> Result<(Statement, Space), PartError> {
        let (statement, terms) = self.terms()?;
        let space = Space::new(terms)?;
        if self.until > space.len() {
            let games = space.len();
            let why = format!("its games go up to {}, and there are {games}", self.until);
            return Err(PartError::Malformed(why));
        }
        Ok((statement, space))
    }

    /// True if a text looks like a part of a search, and not of a simulation.
    pub fn is_one(text: &str) -> bool {
        text.trim_start().starts_with("{\"debate_tui_search\"")
    }

    fn terms(&self) -> Result<(Statement, SpaceTerms), PartError> {
        let statements = Statement::ALL.map(|one| (one.name(), one));
        let space = &self.space;
        let [least, most] = space.leaves;
        let small = most <= MAX_LEAVES
            && least > 0
            && space.worlds[0] > 0
            && (1..=2).contains(&space.depth)
            && space.worlds[1] <= MAX_WORLDS
            && space.weight[1] <= MAX_WEIGHT
            && space.epsilons.len().max(space.rhos.len()) <= MAX_NUMBERS;
        if !small {
            return Err(PartError::Malformed("its space is too large".to_owned()));
        }
        let numbers = |texts: &[String], below: Exact| {
            let each = texts.iter().map(|text| {
                let number =
                    parse(text).map_err(|error| PartError::Malformed(error.to_string()))?;
                if number > Exact::default() && number < below {
                    return Ok(number);
                }
                let why = format!("{text} is not above 0 and below {below}");
                Err(PartError::Malformed(why))
            });
            each.collect::<Result<Vec<_>, _>>()
        };
        let terms = SpaceTerms {
            leaves: least..=most,
            depth: space.depth,
            worlds: space.worlds[0]..=space.worlds[1],
            weight: space.weight[0]..=space.weight[1],
            counting: space.counting,
            stable: space.stable,
            supports: named(&space.supports, &SUPPORTS)?,
            epsilons: numbers(&space.epsilons, Exact::ratio(1, 2))?,
            rhos: numbers(&space.rhos, Exact::ratio(1, 1))?,
            carry: named(&space.carry, &CARRIES)?,
            early_leaf: named(&space.early_leaf, &EARLY_LEAVES)?,
            warrants: named(&space.warrants, &WARRANTS)?,
        };
        Ok((named(&self.statement, &statements)?, terms))
    }

    /// Puts parts of one search together; with each gap, the numbers of games that are in none.
    ///
    /// # Errors
    /// If they are of different searches, or overlap; with the place of the file.
    #[expect(clippy::type_complexity, reason = "parts and gaps")]
    pub fn merged(
        parts: Vec<Self>,
    ) -> Result<Option<(Self, Vec<std::ops::Range<u64>>)>, (usize, PartError)> {
        let mut placed: Vec<(usize, Self)> = parts.into_iter().enumerate().collect();
        placed.sort_by_key(|(place, part)| (part.results.first, *place));
        let mut sum: Option<Self> = None;
        let mut gaps = Vec::new();
        for (place, part) in placed {
            let Some(sum) = &mut sum else {
                if part.results.first > 0 {
                    gaps.push(0..part.results.first);
                }
                sum = Some(part);
                continue;
            };
            if (&part.statement, &part.space) != (&sum.statement, &sum.space) {
                return Err((place, PartError::Other));
            }
            let end = sum.results.end;
            if part.results.first < end {
                return Err((place, PartError::Twice(part.results.first)));
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
