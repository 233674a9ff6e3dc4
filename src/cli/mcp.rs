//! `mcp`: debates for clients of the Model Context Protocol. It offers a few tools, and each call contains everything
//! that the tool needs. Between calls, only the saves and the handles beside them remain. [`rmcp`] supports revision
//! 2026-07-28, which has no sessions, and the older revisions with `initialize`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};

use super::flags::{EngineArgs, ScenarioLimitArgs, ServedScenarioFolderArgs};
use super::{CommandFailure, Result, progress};
use debate_host::plan::SaveStorageOptions;
use debate_host::serve::{AllowedScenarioFolders, McpDebateTools, ServeOptions};

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/mcp.txt"))]
pub(super) struct McpArgs {
    /// Store saves in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) saves: Option<PathBuf>,
    #[command(flatten)]
    scenarios: ServedScenarioFolderArgs,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
    #[command(flatten)]
    pub(super) engines: EngineArgs,
}

pub(super) fn run_mcp(args: &McpArgs) -> Result {
    let options = ServeOptions {
        save_options: SaveStorageOptions {
            folder: args.saves.clone(),
            no_save: false,
        },
        scenarios: AllowedScenarioFolders::new(&args.scenarios.folders)?,
        limits: args.limits.limits(),
        engines: args.engines.external_player_options(),
    };
    progress::install_engine_ending_signal_handler()?;
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build()?;
    let handler = McpHandler(Arc::new(McpDebateTools::new(options)));
    runtime.block_on(async {
        let served = handler.serve(rmcp::transport::stdio()).await;
        let service = served.map_err(CommandFailure::from_system_error)?;
        service
            .waiting()
            .await
            .map(drop)
            .map_err(CommandFailure::from_system_error)
    })
}

#[derive(Clone)]
struct McpHandler(Arc<McpDebateTools>);

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let server = Implementation::new("debate-tui", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(include_str!("help/mcp-instructions.txt").trim_end())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = McpDebateTools::callable_tools()
            .map(|tool| Tool::new(tool.name, tool.about, tool.arguments));
        Ok(ListToolsResult::with_all_items(tools.into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = Arc::clone(&self.0);
        let arguments = request.arguments.unwrap_or_default();
        // A call may block for a long time while players think.
        let call =
            tokio::task::spawn_blocking(move || tools.call_tool(&request.name, arguments)).await;
        let result = call.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(match result {
            Ok(value) => CallToolResult::structured(value).into(),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]).into(),
        })
    }
}
