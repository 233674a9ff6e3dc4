//! The page and its parts, which are the same for everybody.

use std::sync::Arc;

use axum::extract::{State, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};

use super::listener::{FULL, Place};
use super::visitors::Visitors;
use super::{WebOptions, guard, socket};

/// Nothing but our own script, style and socket; nobody may frame the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

#[derive(Clone)]
pub(super) struct Server {
    pub(super) options: Arc<WebOptions>,
    pub(super) visitors: Arc<Visitors>,
}

pub(super) fn routes(options: Arc<WebOptions>, visitors: Arc<Visitors>) -> Router {
    let part = |kind: &'static str, text: &'static str| {
        get(
            async move |State(server): State<Server>, headers: HeaderMap| {
                page(&server, &headers, kind, text)
            },
        )
    };
    Router::new()
        .route("/", part("text/html", include_str!("page.html")))
        .route("/page.js", part("text/javascript", include_str!("page.js")))
        .route("/page.css", part("text/css", include_str!("page.css")))
        .route("/socket", get(open))
        .fallback(nothing)
        .with_state(Server { options, visitors })
}

async fn nothing() -> Response {
    plain_page(
        StatusCode::NOT_FOUND,
        "There is no such page; the game is at /.",
    )
}

async fn open(
    State(server): State<Server>,
    Extension(place): Extension<Place>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if !guard::admits_socket(&headers, server.options.public.as_ref()) {
        return plain_page(
            StatusCode::FORBIDDEN,
            "Only the page of this address opens the game.",
        );
    }
    let Ok(upgrade) = upgrade else {
        return plain_page(
            StatusCode::BAD_REQUEST,
            "This address is for the page's own connection.",
        );
    };
    let Some(waiting) = place.waiting(&server.options.addresses, &headers) else {
        return plain_page(StatusCode::SERVICE_UNAVAILABLE, FULL);
    };
    upgrade
        .max_message_size(socket::MAX_MESSAGE)
        .max_frame_size(socket::MAX_MESSAGE)
        .read_buffer_size(socket::BUFFER)
        .write_buffer_size(socket::BUFFER)
        .on_upgrade(move |socket| socket::talk(socket, server, waiting))
}

fn page(server: &Server, headers: &HeaderMap, kind: &'static str, text: &'static str) -> Response {
    if !guard::admits_page(headers, server.options.public.as_ref()) {
        return plain_page(
            StatusCode::FORBIDDEN,
            "This address is not the one that this server was told to answer for (--public).",
        );
    }
    answer(StatusCode::OK, kind, text)
}

fn plain_page(status: StatusCode, text: &'static str) -> Response {
    answer(status, "text/plain", text)
}

fn answer(status: StatusCode, kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, format!("{kind}; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
        (header::X_FRAME_OPTIONS, "DENY".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (status, headers, text).into_response()
}
