//! The screen: terminal, keys and panels, and the screens of a debate made from them.
//!
//! From the ground up: [`terminal::Terminal`] takes the terminal and gives it back;
//! [`input::Inbox`] is what the loop waits for. [`actions`] is the machinery of key maps; every action and its keys
//! are declared in [`screen`]'s `keys.rs`;
//! [`theme`] has styles and glyphs, and [`panel`] holds the pieces that draw themselves. These know
//! nothing of debates. On top of them, [`players`] asks built-in players on a thread of their own,
//! [`scene`] holds the facts around a debate, [`tutorial`] decides what is said at each moment of a lesson, and [`screen`] holds
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
