//! `mcp`: debates for clients of the Model Context Protocol.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::flags::{EngineArgs, LimitArgs, NamedScenarioArgs};
use super::{Failure, interrupt};
use crate::serve::{ScenarioFolders, ServeOptions, serve_mcp};
use debate_lab::plan::SaveOptions;

const EXAMPLE: &str = "\
A client starts it and calls its tools: list_scenarios, start, view, reply, result, replay. For a client
that is configured by JSON:
  {\"mcpServers\": {\"debate\": {\"command\": \"debate-tui\", \"args\": [\"mcp\"]}}}

Bundled scenarios can be named, and files in the folders that --scenarios allows.

Every call names the handle of a seat, which `start` gives; nothing lists the debates of others.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct McpArgs {
    /// Keep saves in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) saves: Option<PathBuf>,
    #[command(flatten)]
    scenarios: NamedScenarioArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    engines: EngineArgs,
}

pub(super) fn mcp(args: &McpArgs) -> Result<(), Failure> {
    let options = ServeOptions {
        keeping: SaveOptions {
            folder: args.saves.clone(),
            no_save: false,
        },
        scenarios: ScenarioFolders::new(&args.scenarios.folders)?,
        limits: args.limits.limits(),
        engines: args.engines.options(),
    };
    interrupt::ends_engines()?;
    Ok(serve_mcp(options)?)
}
