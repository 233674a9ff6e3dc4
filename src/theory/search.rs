//! Searches small games for counterexamples to statements like those of the papers.
//!
//! A [`GameSpace`] numbers games in the order of their size. Games that differ only by negation of claims are searched
//! once. For each game, a [`StatementTestedOnGames`] computes how close it is to failing: in floating point, by dynamic
//! programming with the formulas of the rules. The reported games are then recomputed in fractions, and solved as
//! scenarios ([`GameReportedBySearch`]).

mod game;
mod part;
mod shape;
mod space;
mod statement;
mod values;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, format_canonical};
use serde::{Deserialize, Serialize};

pub use game::GameOfSearchSpace;
use part::variant_name;
pub use part::{CARRIES, EARLY_LEAVES, SUPPORTS, SearchShard, ShardError, WARRANTS};
pub use shape::MAX_LEAVES;
pub use space::{
    GameSearchSpaceParameters, GameSpace, RootSupportSoundnessFilter, SearchSpaceTooLargeError,
};
pub use statement::{FoundGameVerificationError, StatementTestedOnGames};

/// The number of games that a search thread takes from the shared range at once.
const CHUNK: u64 = 64;

/// The least excess over a bound, divided by r^(d+1), that counts as a violation. Floating-point rounding errors are
/// smaller.
const MARGIN: f64 = 1e-6;

/// A search for games in which a statement fails.
#[derive(Clone, Debug)]
pub struct CounterexampleSearch<'s> {
    pub space: &'s GameSpace,
    pub statement: StatementTestedOnGames,
    /// The range of game numbers to search.
    pub games: Range<u64>,
    pub threads: usize,
}

/// The results of a search over a range of game numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SearchResults"))]
#[serde(rename = "GameSearchResults")]
pub struct CounterexampleSearchResults {
    /// The number of the first game in the range.
    pub first: u64,
    /// The number after that of the last game in the range.
    pub end: u64,
    /// The number of games that were searched. Games that differ only by negating claims count once.
    pub games: u64,
    /// The number of games in which the hypotheses of the statement hold.
    pub tested: u64,
    /// The number of games in which the statement fails.
    pub violations: u64,
    /// The number of the smallest game in which the statement fails; null if there is none.
    pub smallest: Option<u64>,
    /// The number of the game whose value violates the statement's bound most, or comes nearest to it, and the excess.
    /// The excess is in units of r^(d+1), or for `recursion` of the payoff of a win. Null if no game was tested.
    pub farthest: Option<(u64, f64)>,
}

impl CounterexampleSearchResults {
    fn empty(games: &Range<u64>) -> Self {
        Self {
            first: games.start,
            end: games.end,
            games: 0,
            tested: 0,
            violations: 0,
            smallest: None,
            farthest: None,
        }
    }

    /// Adds the counts of another part of the same search to this result. The recorded range of games (from
    /// [`Self::first`] to [`Self::end`]) does not change.
    pub fn add(&mut self, other: &Self) {
        self.games = self.games.saturating_add(other.games);
        self.tested = self.tested.saturating_add(other.tested);
        self.violations = self.violations.saturating_add(other.violations);
        self.smallest = [self.smallest, other.smallest].into_iter().flatten().min();
        if let Some((game, excess)) = other.farthest {
            self.note_farthest(game, excess);
        }
    }

    /// Records a game if it exceeds the statement's bound by more than the recorded one. If both are equal, the smaller
    /// number wins.
    fn note_farthest(&mut self, game: u64, excess: f64) {
        let farther = |(known, most): (u64, f64)| {
            excess > most || (excess.total_cmp(&most).is_eq() && game < known)
        };
        if self.farthest.is_none_or(farther) {
            self.farthest = Some((game, excess));
        }
    }

    fn test_game(&mut self, search: &CounterexampleSearch<'_>, number: u64) {
        let Some(game) = search.space.game_unless_negation_of_earlier(number) else {
            return;
        };
        self.games += 1;
        let Some(verdict) = search.statement.verdict::<f64>(&game) else {
            return;
        };
        self.tested += 1;
        let excess = verdict.excess_over_bound(search.statement.is_lower_bound());
        if excess > MARGIN {
            self.violations += 1;
            self.smallest = Some(self.smallest.map_or(number, |known| known.min(number)));
        }
        self.note_farthest(number, excess);
    }
}

/// The reason why the search for counterexamples does not start.
#[derive(Debug, thiserror::Error)]
#[error("cannot start threads: {0}")]
pub struct SearchThreadsNotStarted(String);

impl CounterexampleSearch<'_> {
    /// Searches all games of the range, or only the first ones if the user stops the search.
    ///
    /// # Errors
    /// Returns an error if no threads can be started.
    pub fn run(
        &self,
        budget: ComputationBudget<'_>,
    ) -> Result<CounterexampleSearchResults, SearchThreadsNotStarted> {
        let next = AtomicU64::new(self.games.start);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|error| SearchThreadsNotStarted(error.to_string()))?;
        let each = pool.broadcast(|_| {
            let mut own = CounterexampleSearchResults::empty(&self.games);
            while budget.check_not_cancelled().is_ok() {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first >= self.games.end {
                    break;
                }
                let last = first.saturating_add(CHUNK).min(self.games.end);
                (first..last).for_each(|number| own.test_game(self, number));
                budget.add_to_progress(last - first);
            }
            own
        });
        let mut total = CounterexampleSearchResults::empty(&self.games);
        for own in &each {
            total.add(own);
        }
        // The count is exact, because every chunk that was begun was finished.
        total.end = next.into_inner().min(self.games.end);
        Ok(total)
    }
}

/// A game that the search reports, which need not be a counterexample. The statement's figures are recomputed as
/// fractions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Finding"))]
pub struct GameReportedBySearch {
    /// The number that identifies the game within the search space.
    pub number: u64,
    /// The game on one line.
    pub game: String,
    /// Alice's expected payoff, as a fraction.
    pub value: String,
    /// The statement's bound on Alice's expected payoff: a lower or an upper one.
    pub bound: String,
    /// Alice's expected payoff in units of r^(d+1), or for `recursion` of the payoff of a win.
    pub units: String,
    /// True if the statement fails in this game.
    pub fails: bool,
    /// Alice's expected payoff as computed by `solve`, which applies the rules move by move. It must equal `value`.
    pub solved: String,
    /// The flags, as text, to type after `debate-tui solve FILE`, so that `solve` computes Alice's expected payoff in
    /// this game.
    pub flags: String,
    /// The scenario file.
    pub scenario: String,
}

impl GameReportedBySearch {
    /// Evaluates the statement, in exact fractions, in the game with this number of the search space. Also computes
    /// Alice's payoff as `solve` does. Returns `None` if no game has this number, if an earlier game differs only by
    /// negated claims, or if the statement's hypotheses do not hold.
    ///
    /// # Errors
    /// Returns an error if its scenario cannot be solved.
    pub fn of(
        space: &GameSpace,
        statement: StatementTestedOnGames,
        number: u64,
    ) -> Result<Option<Self>, FoundGameVerificationError> {
        let Some(game) = space.game_unless_negation_of_earlier(number) else {
            return Ok(None);
        };
        let Some(verdict) = statement.verdict::<Exact>(&game) else {
            return Ok(None);
        };
        let solved = verdict.players.value_by_solve(&game)?;
        Ok(Some(Self {
            number,
            game: game.searched_game_summary(),
            value: format_canonical(&verdict.value),
            bound: format_canonical(&verdict.bound),
            units: format_canonical(&(&verdict.value / &verdict.unit)),
            fails: verdict.excess_over_bound(statement.is_lower_bound()) > Exact::default(),
            solved: format_canonical(&solved),
            flags: verdict.players.solve_command_flags(&game),
            scenario: game.generated_scenario_text(),
        }))
    }

    /// True if `solve` finds the expected payoff that the search found.
    pub fn is_payoff_confirmed_by_solver(&self) -> bool {
        self.value == self.solved
    }
}

/// The JSON document of `search --json`: one statement's result, or a list of all variants of the rules.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "SearchDocument")]
pub enum SearchResultDocument {
    One(Box<CounterexampleGameSearchReport>),
    Frontier(Vec<RuleVariantRow>),
}

/// The result of a search for counterexamples to one statement.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SearchReport"))]
#[serde(rename = "CounterexampleSearchReport")]
pub struct CounterexampleGameSearchReport {
    pub statement: &'static str,
    pub says: &'static str,
    /// The searched space of games, in words.
    pub space: String,
    /// True if all games of the space were searched.
    pub complete: bool,
    /// The number of games that were searched. Games that differ only by negating claims count once.
    pub games: u64,
    /// The number of games in which the statement's hypotheses hold.
    pub tested: u64,
    /// The number of games in which the statement fails.
    pub violations: u64,
    /// The smallest game in which the statement fails; null if there is none.
    pub smallest: Option<GameReportedBySearch>,
    /// The game whose value violates the statement's bound most, or comes nearest to it. Null if no game was tested.
    pub farthest: Option<GameReportedBySearch>,
    pub seconds: f64,
    pub threads: usize,
}

impl CounterexampleGameSearchReport {
    /// Recomputes the results of a search as fractions, and checks them with `solve`.
    ///
    /// # Errors
    /// Returns an error if a game cannot be solved, or if `solve` finds another value.
    pub fn of(
        space: &GameSpace,
        statement: StatementTestedOnGames,
        results: &CounterexampleSearchResults,
        time: Duration,
        threads: usize,
    ) -> Result<Self, FoundGameVerificationError> {
        let finding = |number: Option<u64>| {
            let finding = number
                .map(|number| GameReportedBySearch::of(space, statement, number))
                .transpose()?
                .flatten();
            match finding {
                Some(game) if !game.is_payoff_confirmed_by_solver() => {
                    Err(FoundGameVerificationError::Differs(Box::new(game)))
                }
                finding => Ok(finding),
            }
        };
        Ok(Self {
            statement: variant_name(statement),
            says: statement.statement_text(),
            space: space.terms.to_string(),
            complete: results.first == 0 && results.end == space.game_count(),
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

/// The results for one variant of the rules: honest Alice's least expected payoff against `bayes`, `marginal` and
/// `truthful`, and the gains of liars. Other Bobs are not tried.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FrontierRow")]
pub struct RuleVariantRow {
    /// The rule for the probability with which the next round starts: conditional or marginal.
    pub carry: &'static str,
    /// The rule for the stake of a leaf before the last round: jump or in-place.
    pub early_leaf: &'static str,
    /// The rule for disputes of the step from the subclaims to a claim: none or challenge.
    pub warrants: &'static str,
    /// Always `either`: sealed and public bets make no difference, because these Bobs ignore bets.
    pub direction: &'static str,
    /// The result of the search for each statement, in this variant of the rules.
    pub statements: Vec<CounterexampleGameSearchReport>,
}

impl RuleVariantRow {
    /// The statements that are tested for each variant of the rules. The first one bounds honest Alice's payoff from
    /// below; the others bound a liar's payoff from above.
    pub const STATEMENTS: [StatementTestedOnGames; 4] = [
        StatementTestedOnGames::Completeness,
        StatementTestedOnGames::Posterior,
        StatementTestedOnGames::Soundness,
        StatementTestedOnGames::TruthfulBob,
    ];

    /// Creates the table row for one variant of the rules. `statements` are the search results for the statements in
    /// [`Self::STATEMENTS`], in that order.
    pub fn row_of_rule_variant(
        variant: &GameSearchSpaceParameters,
        statements: Vec<CounterexampleGameSearchReport>,
    ) -> Self {
        Self {
            carry: variant_name(variant.carry),
            early_leaf: variant_name(variant.early_leaf),
            warrants: variant_name(variant.warrants),
            direction: "either",
            statements,
        }
    }
}
