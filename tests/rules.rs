//! Tests of the rules: the crate `debate-core`, through its public items.

mod bits;
mod budget;
mod chance;
mod gate;
mod number;
mod observe;
mod player;
mod protocol;
mod scenario;
mod text;
