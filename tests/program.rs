//! The real program: its output, its files and its saves.

mod advice;
mod at_scale;
mod browser;
mod command_line;
mod completion;
mod daily;
#[cfg(all(unix, feature = "web"))]
mod deployment;
mod disk;
mod engines;
mod errata;
mod errors;
mod examples;
mod export;
mod exports;
mod forged;
mod golden;
mod guide;
mod import;
mod interrupt;
mod kill;
mod line_ends;
mod matches;
#[cfg(feature = "mcp")]
mod mcp;
mod me;
mod model_client;
mod models;
mod open;
mod output_files;
mod play;
mod python;
mod questions;
mod saves;
mod schema;
mod sealed;
mod search;
mod secrets;
mod serve;
mod settings;
mod simulate;
mod solve;
mod study;
mod study_logs;
mod study_models;
#[cfg(feature = "web")]
mod study_pages;
mod theorems;
mod trained;
mod tutorial;
#[cfg(feature = "web")]
mod web;
