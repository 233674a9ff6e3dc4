//! What searches print as JSON.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::part::{CARRIES, EARLY_LEAVES, WARRANTS, name_of};
use super::{ConfirmError, Finding, SearchResults, Space, SpaceTerms, Statement};
use debate_core::protocol::Warrants;
use debate_core::protocol::prover_estimator::{Carry, EarlyLeaf};

/// `search --json`: of one statement, or of a frontier a list.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SearchDocument {
    One(Box<SearchReport>),
    Frontier(Vec<FrontierRow>),
}

/// What a search for one statement found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchReport {
    pub statement: &'static str,
    pub says: &'static str,
    /// The games in words.
    pub space: String,
    /// True if all games of the space were looked at.
    pub complete: bool,
    /// The games that were looked at, those that are the same up to turning claims round once.
    pub games: u64,
    /// Those in which the hypotheses hold.
    pub tested: u64,
    /// Those in which the statement fails.
    pub violations: u64,
    /// The smallest game in which it fails.
    pub smallest: Option<Finding>,
    /// The game that is farthest beyond the bound, or nearest to it.
    pub farthest: Option<Finding>,
    pub seconds: f64,
    pub threads: usize,
}

impl SearchReport {
    /// Works out in fractions what was found, and solves it.
    ///
    /// # Errors
    /// If a game cannot be solved, or `solve` finds another value.
    pub fn of(
        space: &Space,
        statement: Statement,
        results: &SearchResults,
        time: Duration,
        threads: usize,
    ) -> Result<Self, ConfirmError> {
        let finding = |number: Option<u64>| {
            let finding = number
                .map(|number| Finding::of(space, statement, number))
                .transpose()?
                .flatten();
            match finding {
                Some(game) if !game.is_confirmed() => Err(ConfirmError::Differs(Box::new(game))),
                finding => Ok(finding),
            }
        };
        Ok(Self {
            statement: statement.name(),
            says: statement.says(),
            space: space.terms.to_string(),
            complete: results.first == 0 && results.end == space.len(),
            games: results.games,
            tested: results.tested,
            violations: results.violations,
            smallest: finding(results.smallest)?,
            farthest: finding(results.farthest.map(|(number, _)| number))?,
            seconds: time.as_secs_f64(),
            threads,
        })
    }
}

/// Conventions of the rules.
#[derive(Clone, Copy, Debug)]
pub struct RulesVariant {
    carry: Carry,
    early_leaf: EarlyLeaf,
    warrants: Warrants,
}

impl RulesVariant {
    /// The variants that differ on games of so many levels: up to one gate no leaf is early.
    pub fn all(depth: u32) -> Vec<Self> {
        let leaves: &[EarlyLeaf] = match depth {
            1 => &[EarlyLeaf::Jump],
            _ => &[EarlyLeaf::Jump, EarlyLeaf::InPlace],
        };
        let mut all = Vec::new();
        for warrants in [Warrants::None, Warrants::Challenge] {
            for carry in [Carry::Conditional, Carry::Marginal] {
                all.extend(leaves.iter().map(|early_leaf| Self {
                    carry,
                    early_leaf: *early_leaf,
                    warrants,
                }));
            }
        }
        all
    }

    /// The terms of a search under these rules.
    pub fn terms(self, terms: SpaceTerms) -> SpaceTerms {
        SpaceTerms {
            carry: self.carry,
            early_leaf: self.early_leaf,
            warrants: self.warrants,
            ..terms
        }
    }
}

/// What a variant of the rules guarantees honesty, and what it leaves liars.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FrontierRow {
    /// conditional or marginal.
    pub carry: &'static str,
    /// jump or in-place.
    pub early_leaf: &'static str,
    /// none or challenge.
    pub warrants: &'static str,
    /// Of each statement what was found in this variant.
    pub statements: Vec<SearchReport>,
}

impl FrontierRow {
    /// What is compared: the guarantee to honesty first, then what liars are left.
    pub const STATEMENTS: [Statement; 4] = [
        Statement::Completeness,
        Statement::Posterior,
        Statement::Soundness,
        Statement::TruthfulBob,
    ];

    /// The row of a variant, with what was found of each of [`Self::STATEMENTS`].
    pub fn of(variant: RulesVariant, statements: Vec<SearchReport>) -> Self {
        Self {
            carry: name_of(variant.carry, &CARRIES),
            early_leaf: name_of(variant.early_leaf, &EARLY_LEAVES),
            warrants: name_of(variant.warrants, &WARRANTS),
            statements,
        }
    }
}
