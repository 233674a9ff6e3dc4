//! The one flow of the program on the screen: home, lobby, play, replay, compare, tutorial, settings.
//!
//! Each page is a function from its request to what comes next ([`page::Next`]): another [`Page`],
//! or back. [`run`] is the only loop; no page calls another.

mod compare;
mod comparison;
mod context;
mod course;
mod home;
mod lobby;
pub mod matchup;
mod page;
mod parting;
pub mod plan;
mod play;
mod preferences;
mod replay;
mod scene;
mod settings;
mod tutorial;

use std::fmt::Display;
use std::io;

use thiserror::Error;

pub use compare::played;
pub use comparison::Comparison;
pub use context::{AppContext, AppOptions};
pub use course::{Course, CourseStep, LAST, after, before};
pub use page::{
    ComparePage, Compared, HomePage, Page, PlayPage, ReplayPage, SeenBy, Start, TO_GO_ON,
};
pub use parting::{Parting, where_kept};
pub use play::resumed;
pub use preferences::Preferences;
pub use replay::{case, reader};

use page::Next;

/// Why a page cannot be shown, or the program on the screen ends.
#[derive(Debug, Error)]
pub enum Failure {
    /// Bad input: a scenario, a save or a player that cannot be used.
    #[error("{0}")]
    Input(String),
    /// Something on the machine failed.
    #[error("{0}")]
    System(String),
    /// Ctrl-C was pressed, or the terminal was closed: the number of the signal.
    #[error("interrupted")]
    Interrupted(u8),
    /// Whoever reads the output has gone.
    #[error("nobody reads the output any more")]
    BrokenPipe,
}

impl Failure {
    pub fn input(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    fn system(error: impl Display) -> Self {
        Self::System(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::system(error),
        }
    }
}

/// Shows a page and all that follow it, until the user leaves. Returns what is left to say once the
/// terminal is given back.
///
/// # Errors
/// What is wrong with the first page, or with one that was not opened from home: a page that home
/// opened and that fails leads back there, with why.
pub fn run(app: &mut AppContext, first: Page) -> Result<Parting, Failure> {
    // The pages that are come back to; home is the first of them, if it is one.
    let mut behind: Vec<Page> = Vec::new();
    let mut page = first;
    loop {
        page = match visit(app, page) {
            Ok(Next::Open(next)) => next,
            Ok(Next::OpenOver { next, below }) => {
                behind.push(below);
                next
            }
            Ok(Next::Back(parting)) => match behind.pop() {
                Some(below) => below,
                None => return Ok(parting),
            },
            Err(failure) => back_home(failure, &mut behind)?,
        };
    }
}

/// Home again, which says what went wrong; the failure itself where home is not behind, or all ends.
fn back_home(failure: Failure, behind: &mut Vec<Page>) -> Result<Page, Failure> {
    let (Failure::Input(why) | Failure::System(why)) = &failure else {
        return Err(failure);
    };
    behind.truncate(1);
    let Some(Page::Home(home)) = behind.pop() else {
        return Err(failure);
    };
    Ok(Page::Home(HomePage {
        said: Some(why.clone()),
        ..home
    }))
}

/// Shows one page.
fn visit(app: &mut AppContext, page: Page) -> Result<Next, Failure> {
    match page {
        Page::Home(home) => home::home(app, home),
        Page::Settings { marked } => settings::settings(app, marked),
        Page::Target { target, how } => home::open(app, target, how),
        Page::Seat {
            plan,
            standing,
            keeping,
        } => lobby::seat(app, *plan, standing, keeping),
        Page::Lobby { plan, watches } => lobby::lobby(app, *plan, watches),
        Page::Play(play) => play::play(app, *play),
        Page::Replay(replay) => replay::replay(app, *replay),
        Page::Compare(compare) => compare::compare(app, compare),
        Page::Tutorial(course) => tutorial::tutorial(app, course),
    }
}
