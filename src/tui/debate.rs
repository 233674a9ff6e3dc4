//! Screens that show a debate: [`DebateScreen`] plays one until it ends or the user leaves, [`ReplayScreen`] steps
//! through a finished one, [`CompareScreen`] shows two side by side, and [`RejudgeScreen`] lets another judge decide a
//! finished one.

mod compare;
mod play;
mod rejudge;
mod replay;
mod tasks;

pub use compare::{CompareScreen, ComparedDebate, ComparedDebatePair};
pub use play::{DebateScreen, DebateScreenChoice};
pub use rejudge::{JudgementSaver, RejudgeScreen, RejudgeScreenChoice};
pub use replay::{ReplayScreen, ReplayScreenChoice};
