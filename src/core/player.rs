//! Players: built-in strategies for each seat, and the seating, which asks the seats in turn for replies.
//!
//! Entry points: a [`Policy`] answers requests of one protocol with a [`ReplyDistribution`] (weighted replies); a
//! [`StrategyRegistry`] builds one from its name; [`play_between`] runs a whole debate at full speed; a
//! [`SeatedDebate`] runs one step by step, with people in some of the seats; a [`DebateTimeline`] moves back and forth
//! in a debate.

pub mod bisection;
pub mod cross_examination;
pub mod descent;
mod judge;
mod knowledge;
mod play;
mod policy;
pub mod prover_estimator;
pub mod quantifiers;
pub mod recursive;
mod registry;
mod seating;
mod spec;
pub mod speeches;
pub mod stochastic;
mod timeline;
mod verified;

pub use judge::OracleJudge;
pub use knowledge::{KnowledgeBlocks, KnowledgeError, KnowledgePartition, SeatKnowledge};
pub use play::{
    BuiltinDebateUnfinishedError, PayoffAndSpending, RandomSource, SeededRandomness, play_between,
    play_recording_moves, play_until_done,
};
pub use policy::{
    ChallengeStrategy, ChallengerObjectionRule, ClosedFormStrategy, MAX_EXACT, MAX_LISTED, Policy,
    PolicyAsStrategy, PolicyMemory, ReplyDistribution, Strategy, StrategyMemoryAndCosts, half,
};
pub use registry::{
    BuildFunction, PlayableStrategy, PlayerFiles, StrategyBuildError, StrategyBuildInputs,
    StrategyEntry, StrategyParameter, StrategyRegistry, boxed_strategy, player_in_plain_words,
    seated_player_in_plain_words,
};
pub use seating::{CannotAdvanceDebate, CannotUndoReply, Player, SeatedDebate};
pub use spec::{
    ALIAS, ENGINE, ERRS, MAX_SPEC, MODEL_PROVIDERS, PlayerSpec, PlayerSpecError, SERVED, TRAINED,
    is_outside_player_name, player_name_without_arguments,
};
pub use timeline::{CoinDrawFromSeed, DebateTimeline, Move, MoveWithEvents, StateSnapshots};

use crate::number::Number;

impl<N: Number> StrategyRegistry<N> {
    /// Returns a registry of the built-in strategies of this crate. Higher layers add theirs with [`Self::add`].
    pub fn registry_with_builtin_players() -> Self {
        let tables = [
            prover_estimator::entries(),
            recursive::entries(),
            bisection::entries(),
            cross_examination::entries(),
            descent::entries(),
            stochastic::entries(),
            quantifiers::entries(),
            verified::entries(),
            speeches::entries(),
            judge::entries(),
            speeches::judges(),
        ];
        Self::new(tables.into_iter().flatten().collect())
    }
}
