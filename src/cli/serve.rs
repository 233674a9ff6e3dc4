//! `serve`: debates that another program controls.

use std::io::{self, BufReader, BufWriter};

use clap::Args;

use super::flags::{EngineArgs, SaveStorageArgs, ScenarioLimitArgs, ServedScenarioFolderArgs};
use super::{Result, progress};
use debate_host::engine::kill_engine_process_groups;
use debate_host::plan::SaveStorageOptions;
use debate_host::serve::{AllowedScenarioFolders, JsonLinesServer, ServeOptions};

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/serve.txt"))]
pub(super) struct ServeDebatesArgs {
    /// Read messages from stdin and write them to stdout.
    #[arg(long, required = true)]
    stdio: bool,
    #[command(flatten)]
    pub(super) save_options: SaveStorageArgs,
    #[command(flatten)]
    scenarios: ServedScenarioFolderArgs,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
    #[command(flatten)]
    pub(super) engines: EngineArgs,
}

pub(super) fn run_serve_debates(args: &ServeDebatesArgs) -> Result {
    let options = ServeOptions {
        save_options: SaveStorageOptions::from(&args.save_options),
        scenarios: AllowedScenarioFolders::new(&args.scenarios.folders)?,
        limits: args.limits.limits(),
        engines: args.engines.external_player_options(),
    };
    progress::install_engine_ending_signal_handler()?;
    let server = JsonLinesServer::new(options, Box::new(BufWriter::new(io::stdout())));
    let served = server.run(&mut BufReader::with_capacity(1 << 16, io::stdin()));
    // Engines that are still thinking are ended: no debate accepts their replies any more.
    kill_engine_process_groups();
    Ok(served?)
}
