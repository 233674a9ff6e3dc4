//! The full-screen terminal interface: terminal, keys and widgets, and the screens of a debate made from them.
//!
//! A module uses only modules above it in this table:
//!
//! | module | contents |
//! | --- | --- |
//! | [`theme`] | styles and glyphs |
//! | [`widget`] | widgets that draw themselves and do not depend on debates |
//! | [`actions`] | the machinery of key maps |
//! | [`input`] | events for the screen loop, parsed from bytes |
//! | [`keys`] | every action and its keys |
//! | [`terminal`] | acquires and releases a terminal: real, recorded or remote |
//! | `background` | computations on a separate thread while a screen is running |
//! | [`tutorial`] | the texts of a lesson for each step |
//! | [`scene`] | the facts around a debate from which screens draw |
//! | [`screen`] | the common part of all screens: the loop, help, the palette |
//! | `panel` | the panels that show a debate: claims, transcript, rewards, source |
//! | `ask` | the panel for requests, and the widgets that answer them |
//! | [`menu`] | screens without a debate: home, forms, texts of lessons, pages of a study |
//! | [`debate`] | screens with a debate: play, replay, comparison, judging again |
//! | [`settings`] | the user's settings, saved in `config.ron` |
//! | [`picture`] | a screen as an SVG file |

pub mod actions;
mod ask;
mod background;
pub mod debate;
pub mod input;
pub mod keys;
pub mod menu;
mod panel;
pub mod picture;
pub mod scene;
pub mod screen;
pub mod settings;
pub mod terminal;
pub mod theme;
pub mod tutorial;
pub mod widget;
