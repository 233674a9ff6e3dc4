//! Scenario files: what is debated, under which rules, by whom.
//!
//! Where to start: [`Setup::find`] takes what a person types (a path or the name of a
//! [`bundled()`] scenario); [`Setup::draw`] picks the instance of μ, [`Setup::instance`] makes it.
//!
//! `written` has the forms that a scenario file is written in, `read` turns them into a [`Setup`] with the reader of each
//! kind of problem, and `problem_kinds` lists the kinds with an example each.
//!
//! ```
//! use debate_core::chance::Seed;
//! use debate_solver::setup::{Limits, Setup};
//!
//! let setup = Setup::find("primes", &Limits::default()).unwrap();
//! let seed = Seed::new("7").unwrap();
//! let instance = setup.instance(setup.draw(&seed, 0));
//! assert_eq!(instance.text(instance.root()), "4331 is prime");
//! ```

mod argument;
mod bundled;
mod circuit;
mod error;
mod file_loader;
mod limits;
mod load;
mod locator;
mod machine;
mod plan;
mod primality;
mod problem_kinds;
mod qbf;
mod question;
mod quoting;
mod read;
mod reader;
mod scenario;
mod written;

pub use bundled::{
    BundledScenario, Difficulty, SECONDS_A_REPLY, SECONDS_TO_READ, SeatAdvice, bundled,
    bundled_name, names,
};
pub use error::{NamedSource, Origin, SetupError, SourceLocation};
pub use file_loader::{LoadedFile, read_at_most};
pub use limits::{Limits, MAX_NAME};
pub use load::STDIN;
pub use problem_kinds::{FittingProtocols, PROBLEMS};
pub use quoting::{nearest_name, shortened};
pub use reader::ron_options;
pub use scenario::{Evidence, SeatTexts, Setup, default_protocol};
pub use written::{MapEntries, ProblemKind};

#[cfg(test)]
mod tests;
