//! Requests for the pages of a study, and the responses to them.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::dashboard::{Dashboard, status_page_routes};
use super::html::{message_page, multilingual_page_of_wording, page_from_wording_option};
use super::media::media_response;
use super::{StudySite, Visit};
use crate::web::WebOptions;
use crate::web::listener::{CountedConnection, WebService, set_retry_headers};
use crate::web::pages::{admits_form, admits_page};
use debate_study::PAGE_TIME_SAVE_INTERVAL;

const HOST: &str = "This server does not answer requests to this host name; its operator can allow the name with --public.";
/// For each reason to refuse an answer, the index of its text in the wording `answer refused`. The reasons: sent from
/// another site, too large, broken off, too slow.
const FOREIGN: usize = 0;
const LARGE: usize = 1;
const BROKEN: usize = 2;
const SLOW: usize = 3;
/// Upper limit on the bytes of a submitted answer.
const MAX_FORM: usize = 64 << 10;
/// Timeout for the arrival of a complete answer, the grace period before a minimum rate applies, and this rate in bytes
/// per second.
const BODY: Duration = Duration::from_secs(20);
const BODY_GRACE: Duration = Duration::from_secs(3);
const BODY_RATE: u32 = 2048;
/// Interval of the task that closes sessions of absent participants and ends sessions whose time is over.
const SWEEP: Duration = Duration::from_secs(30);
/// Interval at which the study server records for the study's groups that it is running.
const TICK: Duration = Duration::from_secs(1);
/// Interval at which the server applies the experimenter's requests.
const REQUESTS: Duration = Duration::from_secs(2);
/// Lifetime of a participant's cookie, in seconds: one year.
const KEPT_S: u32 = 365 * 24 * 3600;
const CSS: &str = include_str!("study.css");
const SCRIPT: &str = include_str!("study.js");
const ICON: &str = include_str!("../icon.svg");
/// The pages' content security policy: it allows only scripts, styles and media of this site, and requests and forms to
/// this site. Other sites cannot frame a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// Shared state of the request handlers.
#[derive(Clone)]
struct Served {
    site: Arc<StudySite>,
    options: Arc<WebOptions>,
}

/// Returns the server of a study and starts its repeated tasks.
pub(in crate::web) fn study_service(
    site: StudySite,
    dashboard: Dashboard,
    options: &Arc<WebOptions>,
) -> WebService {
    let site = Arc::new(site);
    let known = Arc::clone(&site);
    let name = site.cookie_name();
    let refused = Arc::clone(&site.refused);
    WebService {
        routes: routes(site, Arc::new(dashboard), options),
        // Only a browser whose session has begun has the cookie.
        participants: Arc::new(move |headers| {
            known
                .key
                .participant_id_of_signed_cookie(&cookie(headers, &name)?)
        }),
        refused: Box::new(move || refused.store(true, Ordering::Relaxed)),
    }
}

fn routes(site: Arc<StudySite>, dashboard: Arc<Dashboard>, options: &Arc<WebOptions>) -> Router {
    repeat(&site, SWEEP, StudySite::sweep);
    repeat(&site, PAGE_TIME_SAVE_INTERVAL, StudySite::save_shown_times);
    repeat(&site, REQUESTS, StudySite::apply_requests);
    if site.groups.is_some() {
        repeat(&site, TICK, StudySite::tick);
    }
    let base = options.path_prefix.as_str();
    let served = Served {
        site,
        options: Arc::clone(options),
    };
    let missing = multilingual_page_of_wording(&served.site.studies_for(None, None), "no page");
    let pages = Router::new()
        .route(&format!("{base}/"), get(show).post(receive_answer))
        .route(&format!("{base}/media/{{*name}}"), get(show_media))
        .with_state(served);
    with_assets_and_host_check(
        pages.merge(status_page_routes(dashboard, options)),
        missing,
        options,
    )
}

/// Repeats a task as long as the study is served.
fn repeat(site: &Arc<StudySite>, pause: Duration, task: fn(&StudySite)) {
    let served = Arc::downgrade(site);
    tokio::spawn(async move {
        while let Some(site) = served.upgrade() {
            // A panic in the task is ignored here: the runtime has already printed it.
            let _ = spawn_blocking(move || task(&site)).await;
            sleep(pause).await;
        }
    });
}

/// Adds to pages the routes of their style, script and icon, and refuses requests under another host name.
/// `not_found_page` is the page for an address without a page.
pub(super) fn with_assets_and_host_check(
    pages: Router,
    not_found_page: String,
    options: &Arc<WebOptions>,
) -> Router {
    let base = options.path_prefix.as_str();
    let asset = |kind: &'static str, text: &'static str| {
        get(async move || {
            let kept = HeaderValue::from_static("public, max-age=86400");
            let mut response = text_response(StatusCode::OK, kind, text.to_owned());
            response.headers_mut().insert(header::CACHE_CONTROL, kept);
            response
        })
    };
    let mut router = pages
        .route(&format!("{base}/study.css"), asset("text/css", CSS))
        .route(
            &format!("{base}/study.js"),
            asset("text/javascript", SCRIPT),
        )
        .route(&format!("{base}/icon.svg"), asset("image/svg+xml", ICON))
        .fallback(async move || text_response(StatusCode::NOT_FOUND, "text/html", not_found_page));
    if !base.is_empty() {
        let whole = format!("{base}/");
        let onward = async move |uri: Uri| {
            let query = uri.query().map(|query| format!("?{query}"));
            let location = format!("{whole}{}", query.unwrap_or_default());
            (
                StatusCode::PERMANENT_REDIRECT,
                [(header::LOCATION, location)],
            )
        };
        router = router.route(base, get(onward));
    }
    let options = Arc::clone(options);
    router.layer(from_fn_with_state(options, refuse_other_hosts))
}

async fn refuse_other_hosts(
    State(options): State<Arc<WebOptions>>,
    request: Request,
    next: Next,
) -> Response {
    if admits_page(request.headers(), options.public.as_ref()) {
        return next.run(request).await;
    }
    text_response(
        StatusCode::FORBIDDEN,
        "text/html",
        message_page("Wrong address", HOST),
    )
}

/// The parts of a request for a page, without a submitted form.
type PageRequest = (State<Served>, Extension<CountedConnection>, HeaderMap, Uri);

async fn show(asked: PageRequest) -> Response {
    let (State(served), Extension(connection), headers, uri) = asked;
    let query_parameters = form_fields(uri.query().unwrap_or_default().as_bytes());
    served
        .respond(query_parameters, None, &connection, &headers)
        .await
}

/// Sends a media file to a participant. Other visitors learn nothing about the files of the study.
async fn show_media(
    State(served): State<Served>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let site = &served.site;
    let cookie = cookie(&headers, &site.cookie_name());
    let is_participant =
        cookie.is_some_and(|it| site.key.participant_id_of_signed_cookie(&it).is_some());
    let file = is_participant.then(|| site.study.plan.media.file(&format!("media/{name}")));
    media_response(file.flatten(), &headers)
}

async fn receive_answer(
    State(served): State<Served>,
    Extension(connection): Extension<CountedConnection>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let refused = |status, reason: usize| {
        let cookie = cookie(&headers, &served.site.cookie_name());
        let studies = served.site.studies_for(None, cookie.as_deref());
        let html = page_from_wording_option(&studies, "answer refused", reason);
        text_response(status, "text/html", html)
    };
    if !admits_form(&headers, served.options.public.as_ref()) {
        return refused(StatusCode::FORBIDDEN, FOREIGN);
    }
    let form = match read_form(body).await {
        Ok(bytes) => form_fields(&bytes),
        Err(BodyError::Large) => return refused(StatusCode::PAYLOAD_TOO_LARGE, LARGE),
        Err(BodyError::Slow) => return refused(StatusCode::REQUEST_TIMEOUT, SLOW),
        Err(BodyError::Broken) => return refused(StatusCode::BAD_REQUEST, BROKEN),
    };
    served
        .respond(Vec::new(), Some(form), &connection, &headers)
        .await
}

/// The reason why the body of a request could not be read completely.
#[derive(Debug, PartialEq)]
enum BodyError {
    Large,
    Slow,
    Broken,
}

/// Reads the body of a submitted form. The body must arrive at a minimum rate, so that a slow one does not occupy a
/// connection.
async fn read_form(mut body: Body) -> Result<Vec<u8>, BodyError> {
    let begun = Instant::now();
    let mut bytes = Vec::new();
    loop {
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let frame = timeout_at(begun + body_time(bytes.len()), frame).await;
        let Some(frame) = frame.map_err(|_late| BodyError::Slow)? else {
            return Ok(bytes);
        };
        let frame = frame.map_err(|_broken| BodyError::Broken)?;
        // Other frames are trailers, which no form has.
        let part = frame.into_data().unwrap_or_default();
        if bytes.len() + part.len() > MAX_FORM {
            return Err(BodyError::Large);
        }
        bytes.extend_from_slice(&part);
    }
}

/// Reads the fields of a submitted form. The error is the HTTP status of a refusal.
pub(super) async fn read_form_fields(body: Body) -> Result<Vec<(String, String)>, StatusCode> {
    match read_form(body).await {
        Ok(bytes) => Ok(form_fields(&bytes)),
        Err(BodyError::Large) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(BodyError::Slow) => Err(StatusCode::REQUEST_TIMEOUT),
        Err(BodyError::Broken) => Err(StatusCode::BAD_REQUEST),
    }
}

/// Returns the time from the start of a body until when more than this number of its bytes must have arrived.
fn body_time(bytes: usize) -> Duration {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    (BODY_GRACE + Duration::from_secs(1) * bytes / BODY_RATE).min(BODY)
}

/// Returns the fields of a form or of a query string.
pub(super) fn form_fields(bytes: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(bytes).into_owned().collect()
}

impl Served {
    async fn respond(
        &self,
        query_parameters: Vec<(String, String)>,
        form: Option<Vec<(String, String)>>,
        connection: &CountedConnection,
        headers: &HeaderMap,
    ) -> Response {
        let came = Instant::now();
        let name = self.site.cookie_name();
        let is_answer = form.is_some();
        let visit = Visit {
            query_parameters,
            browser_cookie: cookie(headers, &name),
            form,
            address: connection.request_address(&self.options.addresses, headers),
        };
        let site = Arc::clone(&self.site);
        let Ok(turn) = spawn_blocking(move || site.respond(&visit)).await else {
            let studies = self
                .site
                .studies_for(None, cookie(headers, &name).as_deref());
            let html = multilingual_page_of_wording(&studies, "reload");
            return text_response(StatusCode::INTERNAL_SERVER_ERROR, "text/html", html);
        };
        sleep_until(came + turn.after).await;
        let mut response = text_response(turn.status, "text/html", turn.html);
        if turn.status == StatusCode::SERVICE_UNAVAILABLE {
            set_retry_headers(&mut response, !is_answer);
        }
        let mut put = |name, value: String| {
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().insert(name, value);
            }
        };
        if let Some(location) = turn.location {
            put(header::LOCATION, location.to_owned());
        }
        if let Some(cookie) = turn.new_cookie {
            let base = &self.options.path_prefix;
            let public = self.options.public.as_ref();
            let secure = public.filter(|it| it.as_str().starts_with("https"));
            let secure = if secure.is_some() { "; Secure" } else { "" };
            put(
                header::SET_COOKIE,
                format!(
                    "{name}={cookie}; Path={base}/; Max-Age={KEPT_S}; HttpOnly; SameSite=Lax{secure}"
                ),
            );
        }
        response
    }
}

impl StudySite {
    /// Returns the name of the cookie that this study sets.
    fn cookie_name(&self) -> String {
        format!("study-{}", self.study.plan.id)
    }
}

/// Returns the value of the named cookie in a request.
fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter();
    let mut pairs = all
        .filter_map(|it| it.to_str().ok())
        .flat_map(|it| it.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let found = pairs.find(|(of, _)| *of == name);
    found.map(|(_, value)| value.to_owned())
}

pub(super) fn text_response(status: StatusCode, kind: &'static str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, format!("{kind}; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        // With a stricter policy, browsers would not report that a form comes from this site.
        (header::REFERRER_POLICY, "same-origin".to_owned()),
        (header::X_FRAME_OPTIONS, "DENY".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (status, headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_has_a_grace_period_a_minimum_rate_and_a_deadline() {
        let ms = |bytes| body_time(bytes).as_millis();
        assert_eq!([0, 1024, 2048, 20_480].map(ms), [3000, 3500, 4000, 13_000]);
        assert_eq!(ms(MAX_FORM), 20_000);
        // A body of one byte per second is too slow from the fourth byte on.
        let is_late = |bytes: &usize| (*bytes as u128) * 1000 > ms(*bytes);
        assert_eq!((1..10).find(is_late), Some(4));
    }
}
