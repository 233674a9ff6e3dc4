//! The screen: terminal, keys and panels, and the screens of a debate made from them.
//!
//! From the ground up: [`terminal::Terminal`] takes the terminal and gives it back;
//! [`input::Inbox`] is what the loop waits for. [`actions`] turns keys into named actions,
//! [`theme`] has styles and glyphs, and [`panel`] holds the pieces that draw themselves. These know
//! nothing of debates. On top of them, [`players`] asks built-in players on a thread of their own,
//! [`scene`] holds the facts around a debate, [`tutorial`] explains lessons, and [`screen`] holds
//! the screens. [`settings`] are the user's, kept in `config.ron`.

pub mod actions;
pub mod input;
pub mod panel;
pub mod picture;
pub mod players;
pub mod scene;
pub mod screen;
pub mod settings;
pub mod terminal;
pub mod theme;
pub mod tutorial;
