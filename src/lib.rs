//! Debates as state machines that ask one seat one question at a time.
pub mod chance;
pub mod gate;
pub mod number;
pub mod player;
pub mod protocol;
pub mod record;
pub mod scenario;
pub mod setup;
pub mod text;
pub mod tui;
