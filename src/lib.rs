//! A terminal game and laboratory for AI-safety debate protocols: the program's own crate.
//!
//! The other crates are:
//! - [`debate_core`]: the rules and the strategies
//! - [`debate_solver`]: scenario files and analysis
//! - [`debate_theory`]: statements of the papers, checked on scenarios and small games
//! - [`debate_host`]: running debates, and saves
//! - [`debate_text`]: debates and results as text
//! - [`debate_lab`]: matches, imports and exports
//! - [`debate_study`]: studies with human participants
//!
//! The binary parses the command line and calls [`cli::run`]. [`guide`] is the user's guide, which `debate-tui guide`
//! prints. Its page [`guide::glossary`] defines the terms.
//!
//! A module uses only modules in lower layers. The modules of this crate may use terminals, clocks and files.
//!
//! | layer | module | responsibility |
//! | --- | --- | --- |
//! | 17 | [`cli`] | the command line; connects the modules, prints tables and JSON |
//! | 16 | `web` | the screens and the pages of studies in a browser |
//! | 15 | `app` | the page flow: home, lobby, play, replay, compare, tutorial |
//! | 14 | [`tui`] | screens, widgets, keys, themes |
//! | 14 | [`guide`] | the user's guide: pages of text |
//! | 14 | `model` | the client of a language model that plays a seat |
//! | 13 | `exit` | failures and exit codes |

mod app;
pub mod cli;
mod exit;
pub mod guide;
mod model;
pub mod tui;
#[cfg(feature = "web")]
mod web;
