//! A terminal game and laboratory for AI-safety debate protocols: the program's own crate.
//!
//! The rules and the strategies are in [`debate_core`], scenario files and analysis in [`debate_solver`], running debates
//! and saves in [`debate_host`], texts in [`debate_text`], matches, imports and exports in [`debate_lab`], studies with
//! people in [`debate_study`]. The binary parses the command line and
//! calls [`cli::run`]. The user's guide, which `debate-tui guide` prints, is [`guide`]; its
//! [`guide::glossary`] has the words.
//!
//! A room uses only rooms below it; terminals, clocks and files belong to both rooms here.
//!
//! | floor | room | knows |
//! | --- | --- | --- |
//! | 17 | [`cli`] | the command line; wires rooms together, prints tables and JSON |
//! | 16 | `web` | the screens and the pages of studies in a browser |
//! | 15 | `app` | the one flow of the screens: home, lobby, play, replay, compare, tutorial |
//! | 14 | [`tui`] | screens, widgets, keys, themes |
//! | 14 | [`guide`] | the user's guide: pages of text |
//! | 13 | `exit` | why the program ends, and with which exit code |

mod app;
pub mod cli;
mod exit;
pub mod guide;
pub mod tui;
#[cfg(feature = "web")]
mod web;
