//! Debates as state machines that ask one seat one question at a time.

pub mod text;
pub mod tui;
