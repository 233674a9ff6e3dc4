//! Builders, drivers and readers that several groups of tests share.

pub mod arguments;
#[cfg(unix)]
pub mod cells;
pub mod chromium;
pub mod computed;
pub mod driver;
pub mod engines;
pub mod full;
pub mod game_file;
pub mod large;
pub mod long;
pub mod pairs;
pub mod patience;
pub mod picture;
pub mod play;
pub mod played;
pub mod players;
#[cfg(unix)]
pub mod probe;
pub mod program;
pub mod provider;
#[cfg(unix)]
pub mod pty;
pub mod random_computations;
#[cfg(unix)]
pub mod remote;
pub mod scenarios;
pub mod scenes;
pub mod strict;
pub mod studies;
pub mod table_machine;
#[cfg(target_os = "linux")]
pub mod threads;
pub mod trees;
pub mod vector_circuits;
pub mod vectors;
#[cfg(feature = "web")]
pub mod web_server;
#[cfg(feature = "web")]
pub mod web_socket;

/// The key hint of the briefing, which a debate shows before its first move.
#[cfg(unix)]
pub const BEGIN: &str = " enter begin";
