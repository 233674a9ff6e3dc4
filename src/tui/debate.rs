//! Screens with a debate: [`DebateScreen`] plays one to its end or until the user leaves, [`Replay`]
//! walks through one that was played, [`Compare`] shows two side by side, and [`Rejudge`] has
//! somebody judge once more.

mod compare;
mod play;
mod rejudge;
mod replay;
mod tasks;

pub use compare::{Compare, ComparedDebate, ComparedPair};
pub use play::{DebateOutcome, DebateScreen};
pub use rejudge::{KeepJudgement, Rejudge, RejudgeOutcome};
pub use replay::{Replay, ReplayOutcome};
