//! Tools for many debates: matches with ratings, judgements, imports from other projects, exports for other programs.
//!
//! ```
//! use debate_lab::export::ExportFormatRegistry;
//!
//! let formats = ExportFormatRegistry::with_builtin_formats();
//! assert!(formats.iter().any(|format| format.name == "html"));
//! assert_eq!(formats.find_format("md", true).unwrap().ending, "md");
//! ```
//!
//! # The modules, from the lowest layer up
//!
//! A module uses only modules of lower layers. Running debates are in `debate-host`, texts in `debate-text`.
//! Start with [`export`] to write a format, or with [`mod@matches`] to play many debates.
//!
//! | layer | module | contents |
//! | --- | --- | --- |
//! | 15 | [`import`], `matches` | imports of debates as saves; matches of players over instances, with ratings |
//! | 15 | [`calibration`] | one person's calibration over their own debates, with charts |
//! | 14 | [`judgements`] | judgements of debates: scores, calibration, intervals |
//! | 13 | [`export`] | a debate or a scenario for readers and other programs: one file per format |

pub mod calibration;
pub mod export;
pub mod import;
pub mod judgements;
pub mod matches;

/// Turns the README's code example into a documentation test.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
