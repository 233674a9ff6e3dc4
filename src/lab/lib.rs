//! Many debates: matches with ratings, judgements of debates, imports from other projects, exports for other programs.
//!
//! ```
//! use debate_lab::export::Formats;
//!
//! let formats = Formats::builtin();
//! assert!(formats.iter().any(|format| format.name == "html"));
//! assert_eq!(formats.find("md", true).unwrap().ending, "md");
//! ```
//!
//! # The modules, from the ground up
//!
//! A module uses only modules below it. Running debates are in `debate-host`, texts in `debate-text`. Start with
//! [`export`] to write a format, with [`mod@matches`] to play many debates.
//!
//! | floor | module | contents |
//! | --- | --- | --- |
//! | 15 | [`import`], `matches` | debates that were held elsewhere, as saves; players against players over instances, each debate into a save, and their table |
//! | 14 | [`judgements`] | judgements of debates: scores, calibration, intervals |
//! | 13 | [`export`] | a debate or a scenario for other people and programs: one file a format |

pub mod export;
pub mod import;
pub mod judgements;
pub mod matches;
