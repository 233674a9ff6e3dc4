//! Screens with a debate: [`DebateScreen`] plays one until it ends or the user leaves, [`Replay`] steps through a
//! finished one, [`Compare`] shows two side by side, and [`Rejudge`] lets another judge decide a finished one.

mod compare;
mod play;
mod rejudge;
mod replay;
mod tasks;

pub use compare::{Compare, ComparedDebate, ComparedPair};
pub use play::{DebateOutcome, DebateScreen};
pub use rejudge::{KeepJudgement, Rejudge, RejudgeOutcome};
pub use replay::{Replay, ReplayOutcome};
