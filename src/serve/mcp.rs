//! Debates over the Model Context Protocol: a few tools, each call of which names all that it needs.
//!
//! Nothing is kept between calls but the saves and the handles beside them ([`tools`]). Revision
//! 2026-07-28, which has no session, and the older ones with `initialize` are [`rmcp`]'s business.

mod tools;

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use schemars::JsonSchema;

use super::ServeOptions;
use crate::app::Failure;
use tools::{HandleArgs, NoArgs, ReplyArgs, StartArgs, Tools};

const INSTRUCTIONS: &str = "\
Debates by exact rules. `start` begins one and gives a handle for each seat that you ask for; keep it. \
`view` shows the debate as that seat may see it, with the pending request, if it is this seat's, and the \
JSON Schema of a legal reply. `reply` answers it by its number. At the end `result` says what it came to, \
and `replay` tells it event by event.";

/// Serves debates on stdin and stdout until the client goes.
///
/// # Errors
/// If the streams fail.
pub fn serve_mcp(options: ServeOptions) -> Result<(), Failure> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build()?;
    let handler = McpHandler(Arc::new(Tools::new(options)));
    runtime.block_on(async {
        let service = handler.serve(rmcp::transport::stdio()).await;
        let service = service.map_err(Failure::system)?;
        service.waiting().await.map(drop).map_err(Failure::system)
    })
}

#[derive(Clone)]
struct McpHandler(Arc<Tools>);

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let server = Implementation::new("debate-tui", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(described()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = Arc::clone(&self.0);
        let arguments = request.arguments.unwrap_or_default();
        // Players may think long.
        let done = tokio::task::spawn_blocking(move || tools.call(&request.name, arguments)).await;
        let done = done.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(match done {
            Ok(value) => CallToolResult::structured(value).into(),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]).into(),
        })
    }
}

/// The tools, with what they take.
fn described() -> Vec<Tool> {
    let tool =
        |name: &'static str, about: &'static str, takes: JsonObject| Tool::new(name, about, takes);
    vec![
        tool(
            "list_scenarios",
            "What can be debated: scenarios with their titles and rules.",
            takes::<NoArgs>(),
        ),
        tool(
            "start",
            "Begins a debate, kept from its first move on. Gives a handle for each seat asked for: a \
             secret for this debate and this seat.",
            takes::<StartArgs>(),
        ),
        tool(
            "view",
            "The debate as the handle's seat may see it. `state` is asked (with `id`, `request`, `text` \
             and `legal`), waiting for another seat, or over.",
            takes::<HandleArgs>(),
        ),
        tool(
            "reply",
            "Answers the request of this number, by an object as `legal` has it; then as `view`. The same \
             reply to an answered number changes nothing, another one is an error.",
            takes::<ReplyArgs>(),
        ),
        tool(
            "result",
            "What the debate came to; an error before its end.",
            takes::<HandleArgs>(),
        ),
        tool(
            "replay",
            "Everything that happened, event by event; an error before the end.",
            takes::<HandleArgs>(),
        ),
    ]
}

/// The JSON Schema of a tool's arguments.
fn takes<T: JsonSchema>() -> JsonObject {
    let schema = schemars::schema_for!(T);
    match schema.to_value() {
        serde_json::Value::Object(object) => object,
        _ => JsonObject::default(),
    }
}
