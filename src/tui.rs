//! The screen: terminal, keys and panels, and the screens of a debate made from them.
//!
//! From the ground up: [`terminal::Terminal`] takes the terminal and gives it back;
//! [`input::Inbox`] is what the loop waits for. [`actions`] turns keys into named actions,
//! [`theme`] says how things look, and [`panel`] holds the pieces that draw themselves. These
//! know nothing of debates. On top of them, [`table`] is the debate that is played, [`scene`] what
//! is told about it, [`coach`] what the tutorial says of it, and [`screen`] holds the screens:
//! [`screen::choose`], [`screen::play`] and [`screen::replay()`]. [`settings`] is what the user likes,
//! kept in `config.ron`.

pub mod actions;
pub mod coach;
pub mod input;
pub mod panel;
pub mod picture;
pub mod players;
pub mod scene;
pub mod screen;
pub mod settings;
pub mod table;
pub mod terminal;
pub mod theme;
