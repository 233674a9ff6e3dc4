//! The screen: terminal, keys and widgets, and the screens of a debate made from them.
//!
//! From the ground up; a room uses only rooms above it in this table:
//!
//! | room | what is true of all in it |
//! | --- | --- |
//! | [`theme`] | styles and glyphs |
//! | [`widget`] | pieces that draw themselves and know nothing of debates |
//! | [`actions`] | the machinery of key maps |
//! | [`input`] | what the loop of the screens waits for, read from bytes |
//! | [`keys`] | every action and its keys |
//! | [`terminal`] | takes a terminal, real, recorded or remote, and gives it back |
//! | `background` | what is computed on a thread of its own while a screen goes on |
//! | [`tutorial`] | what a lesson says at each moment |
//! | [`scene`] | the facts around a debate, from which screens draw |
//! | [`screen`] | what every screen is: the loop, help, the palette |
//! | `panel` | the panels that show a debate: claims, transcript, rewards, source |
//! | `ask` | the panel that puts a request, and the widgets that answer it |
//! | [`menu`] | screens without a debate: home, forms, lessons' texts, pages of a study |
//! | [`debate`] | screens with a debate: play, replay, comparison, judging again |
//! | [`settings`] | the user's settings, kept in `config.ron` |
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
