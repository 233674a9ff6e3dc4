//! The real program: what it prints, writes, and keeps.

mod at_scale;
mod browser;
#[cfg(feature = "web")]
#[path = "../support/cells.rs"]
mod cells;
mod command_line;
mod completion;
mod disk;
#[path = "../support/driver.rs"]
mod driver;
#[path = "../support/engines.rs"]
mod engine_commands;
mod engines;
mod errata;
mod examples;
mod export;
mod exports;
mod forged;
#[path = "../support/game_file.rs"]
mod game_file;
mod golden;
mod guide;
mod import;
mod interrupt;
mod kill;
mod matches;
#[cfg(feature = "mcp")]
mod mcp;
mod models;
mod open;
mod play;
#[path = "../support/played.rs"]
mod played;
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
#[path = "../support/strict.rs"]
mod strict;
#[path = "../support/studies.rs"]
mod studies;
mod study;
mod study_logs;
#[cfg(feature = "web")]
mod study_pages;
#[path = "../support/program.rs"]
mod support;
mod theorems;
mod trained;
mod tutorial;
#[cfg(feature = "web")]
mod web;
#[cfg(feature = "web")]
#[path = "../support/web_server.rs"]
mod web_server;
#[cfg(feature = "web")]
#[path = "../support/web_socket.rs"]
mod web_socket;
