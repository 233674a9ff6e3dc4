//! The integration tests of the whole workspace, in one binary so that the crates are linked once.
//!
//! `cargo test --test suite program::solve` runs the tests whose path contains `program::solve`.

mod debates;
mod house;
mod program;
mod rules;
mod screens;
mod solver;
mod support;
#[cfg(unix)]
mod terminal;
