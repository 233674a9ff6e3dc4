//! Tests of the crate `debate-solver` through its public items, in modules that mirror `src/solver`.

mod analysis;
mod closed_form;
mod expectation;
mod expectimax;
mod setup;
mod simulate;
mod theory;
mod training;
