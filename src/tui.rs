//! The screen. This part knows terminals, keys and panels, and nothing of debates.
//!
//! From the ground up: [`terminal::Screen`] takes the terminal and gives it back;
//! [`input::Inbox`] is what the loop waits for. [`actions`] turns keys into named actions,
//! [`theme`] says how things look, and [`panel`] holds the pieces that draw themselves.

pub mod actions;
pub mod input;
pub mod panel;
pub mod terminal;
pub mod theme;
