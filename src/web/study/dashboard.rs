//! The experimenter's dashboard of a study: live figures and actions. It needs no script.
//!
//! `study serve` has it at `/status`, and `study status --serve` serves it separately. An action writes a file in the
//! study's folder. The process that serves the study reads the file and applies the action.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::REFUSAL;
use super::html::message_page;
use super::links::LinkSigningKey;
use super::routes::{form_fields, read_form_fields, text_response, with_assets_and_host_check};
use crate::web::WebOptions;
use crate::web::pages::admits_form;
use debate_lab::export::escape_html_or_svg;
use debate_study::{
    ExperimenterMessageTarget, Study, StudyError, StudyProgress, StudySessionStatus,
    end_sessions_closed_by_experimenter,
};
use debate_text::fill_template;

const PAGE: &str = include_str!("dashboard.html");
/// Interval in seconds at which the page refreshes its figures.
const REFRESH_S: &str = "5";
/// Upper limits on the characters of a message to participants, and on the pay of a closed session in cents.
const MAX_MESSAGE: usize = 500;
const MAX_CENTS: u32 = 100_000;

/// The dashboard of a study.
pub struct Dashboard {
    study: Study,
    key: LinkSigningKey,
}

/// An action of the experimenter.
#[derive(Debug, PartialEq, Eq)]
enum Action {
    Pause(bool),
    Close {
        session: String,
        cents: u32,
    },
    Message {
        to: ExperimenterMessageTarget,
        text: String,
    },
}

/// Returns the routes of a dashboard with its style and script, for a process that does not serve the study.
pub(in crate::web) fn dashboard_routes(dashboard: Dashboard, options: &Arc<WebOptions>) -> Router {
    let missing = message_page("Page not found", "This page does not exist.");
    with_assets_and_host_check(
        status_page_routes(Arc::new(dashboard), options),
        missing,
        options,
    )
}

/// Returns the routes of the dashboard's page, without those of its style and script.
pub(super) fn status_page_routes(dashboard: Arc<Dashboard>, options: &Arc<WebOptions>) -> Router {
    let base = options.path_prefix.as_str();
    let post_options = Arc::clone(options);
    let shown = Arc::clone(&dashboard);
    Router::new().route(
        &format!("{base}/status"),
        get(async move |uri: Uri| show(shown, uri).await).post(
            async move |headers: HeaderMap, body: Body| {
                act(dashboard, &post_options, headers, body).await
            },
        ),
    )
}

async fn show(dashboard: Arc<Dashboard>, uri: Uri) -> Response {
    let parameters = form_fields(uri.query().unwrap_or_default().as_bytes());
    if !dashboard.admits(&parameters) {
        return refused().await;
    }
    let is_still = value(&parameters, "still").is_some();
    let mut response = respond(dashboard, is_still, None).await;
    if !is_still && response.status() == StatusCode::OK {
        let again = HeaderValue::from_static(REFRESH_S);
        response.headers_mut().insert(header::REFRESH, again);
    }
    response
}

async fn act(
    dashboard: Arc<Dashboard>,
    options: &WebOptions,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let form = match read_form_fields(body).await {
        Ok(form) if admits_form(&headers, options.public.as_ref()) => form,
        Ok(_) | Err(_) => return refused().await,
    };
    if !dashboard.admits(&form) {
        return refused().await;
    }
    let notice = match Action::parse(&form) {
        Err(why) => Some(why),
        Ok(action) => {
            let known = Arc::clone(&dashboard);
            let done = spawn_blocking(move || known.apply(&action)).await;
            match done {
                Ok(Ok(effect)) => effect,
                Ok(Err(error)) => Some(format!("Not done: {error}.")),
                Err(_panicked) => Some("Not done. Try again.".to_owned()),
            }
        }
    };
    respond(dashboard, true, notice).await
}

/// Returns the dashboard's page. With `has_actions`, it has forms and is not refreshed.
async fn respond(dashboard: Arc<Dashboard>, has_actions: bool, notice: Option<String>) -> Response {
    let page = spawn_blocking(move || dashboard.page(has_actions, notice.as_deref())).await;
    match page {
        Ok(Ok(html)) => text_response(StatusCode::OK, "text/html", html),
        Ok(Err(error)) => {
            let html = message_page(
                "The study's status is not available now",
                &error.to_string(),
            );
            text_response(StatusCode::INTERNAL_SERVER_ERROR, "text/html", html)
        }
        Err(_panicked) => {
            let html = message_page(
                "The study's status is not available now",
                "Load this page again.",
            );
            text_response(StatusCode::INTERNAL_SERVER_ERROR, "text/html", html)
        }
    }
}

async fn refused() -> Response {
    sleep(REFUSAL).await;
    text_response(
        StatusCode::FORBIDDEN,
        "text/html",
        message_page(
            "This link does not work",
            "The key in the address is wrong, or a form was not sent from the dashboard. Open the address that `study serve` or `study status --serve` printed.",
        ),
    )
}

/// Returns the value of a parameter of an address or a field of a form.
fn value<'p>(parameters: &'p [(String, String)], name: &str) -> Option<&'p str> {
    let mut parameters = parameters.iter();
    let found = parameters.find(|(of, _)| of == name);
    found.map(|(_, value)| value.as_str())
}

impl Action {
    /// Parses the experimenter's action from the submitted fields of a form of the dashboard. The error is a sentence
    /// for the experimenter.
    fn parse(form: &[(String, String)]) -> Result<Self, String> {
        let field = |name: &str| value(form, name).unwrap_or_default().trim();
        match field("action") {
            "pause" => Ok(Self::Pause(true)),
            "continue" => Ok(Self::Pause(false)),
            "close" => {
                let cents = field("cents").parse().ok();
                let cents = cents.filter(|cents| (1..=MAX_CENTS).contains(cents));
                let cents = cents.ok_or_else(|| {
                    format!("Not done: type the pay in cents, from 1 to {MAX_CENTS}.")
                })?;
                Ok(Self::Close {
                    session: field("session").to_owned(),
                    cents,
                })
            }
            "message" => {
                let text = field("message").replace("\r\n", "\n");
                let is_plain = |c: char| c == '\n' || !c.is_control();
                if text.chars().count() > MAX_MESSAGE || !text.chars().all(is_plain) {
                    return Err(format!(
                        "Not done: a message to participants has at most {MAX_MESSAGE} characters, and no control characters except line breaks."
                    ));
                }
                let to = ExperimenterMessageTarget::parse(field("to"));
                let to = to.ok_or("Not done: choose the participants from the list.")?;
                Ok(Self::Message { to, text })
            }
            _ => Err("Not done: the form names no action that this page knows.".to_owned()),
        }
    }
}

impl Dashboard {
    pub fn new(study: Study, key: LinkSigningKey) -> Self {
        Self { study, key }
    }

    fn admits(&self, parameters: &[(String, String)]) -> bool {
        let key = value(parameters, "key").unwrap_or_default();
        self.key.is_status_page_key(&self.study.plan.id, key)
    }

    /// Applies an action of the experimenter. Returns a sentence about its effect; `None` after a pause, because the
    /// page itself says that recruiting is paused.
    fn apply(&self, action: &Action) -> Result<Option<String>, StudyError> {
        let folder = &self.study.folder;
        let effect = match action {
            Action::Pause(paused) => {
                folder.set_recruiting_paused(*paused)?;
                if *paused {
                    return Ok(None);
                }
                "Recruiting continues.".to_owned()
            }
            Action::Close { session, cents } => {
                folder.request_session_end(session, *cents)?;
                // A server that has the session open applies the request itself.
                let ended = end_sessions_closed_by_experimenter(&self.study)?;
                if ended.contains(session) {
                    format!("Session {session} is closed.")
                } else if !folder.is_session_end_requested(session) {
                    format!("Nothing changed: session {session} had already ended.")
                } else {
                    format!(
                        "The server that runs session {session} closes it within a few seconds."
                    )
                }
            }
            Action::Message { to, text } => {
                folder.set_message_to_waiting_participants(to, text)?;
                let recipients = to.message_target_in_words();
                if text.trim().is_empty() {
                    format!("The message to {recipients} is removed.")
                } else {
                    format!(
                        "The message to {recipients} is shown within a few seconds, on pages on which a participant waits."
                    )
                }
            }
        };
        Ok(Some(effect))
    }

    fn page(&self, has_actions: bool, notice: Option<&str>) -> Result<String, StudyError> {
        let progress = StudyProgress::read_session_progress(&self.study)?;
        let key = self.key.status_page_key(&self.study.plan.id);
        let document = document(
            &self.study,
            &progress,
            has_actions.then_some(&key),
            &key,
            notice,
        );
        Ok(fill_template(PAGE, &document, escape_html_or_svg))
    }
}

/// Returns a name with spaces in place of underscores, or a dash in place of an empty one.
fn or_dash(name: &str) -> String {
    if name.is_empty() {
        "-".to_owned()
    } else {
        name.replace('_', " ")
    }
}

/// Returns the rows of the table of groups: the members of one group below each other.
fn group_member_rows(progress: &StudyProgress) -> Vec<Value> {
    let mut rows = Vec::new();
    for group in &progress.groups {
        for (index, member) in group.members.iter().enumerate() {
            let mut sessions = progress.sessions.iter();
            let own = sessions.find(|own| own.session == member.session);
            let (status, page) = own.map_or(("", ""), |own| (own.status.status_name(), &own.page));
            rows.push(json!({
                "size": (index == 0).then(|| json!({"rows": group.members.len(), "group": member.session})),
                "session": member.session, "seat": member.seat.name_in_flags_and_json(), "status": or_dash(status),
                "page": or_dash(page), "waits_for": member.waits_for.as_deref().unwrap_or("-"),
                "last": own.map_or("-", |own| own.last.as_str()),
            }));
        }
    }
    rows
}

/// Returns the values that fill in the template of the dashboard's page. `form_key` is the key in its forms, if it has
/// forms.
fn document(
    study: &Study,
    progress: &StudyProgress,
    form_key: Option<&String>,
    key: &str,
    notice: Option<&str>,
) -> Value {
    let (switch, words) = match form_key {
        None => ("&still=1", "Stop the automatic updates, and show actions"),
        Some(_) => ("", "Update every five seconds"),
    };
    let all = progress.sessions.len();
    let share = |sessions: usize| {
        let rounded = (200 * sessions + all).checked_div(2 * all).unwrap_or(0);
        format!("{rounded} %")
    };
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |it| format!("{it:.1}"));
    let figure = |name: &str, value: String| json!({"name": name, "value": value});
    let is_running = |it: &&debate_study::SessionProgress| it.status == StudySessionStatus::Started;
    let running: Vec<&str> = progress
        .sessions
        .iter()
        .filter(is_running)
        .map(|it| it.session.as_str())
        .collect();
    let groups: BTreeSet<&String> = progress
        .sessions
        .iter()
        .filter(is_running)
        .filter_map(|it| it.group.as_ref())
        .collect();
    let actions = form_key.map(|key| {
        json!({
            "key": key,
            "recruiting": if progress.is_paused { "Recruiting is paused." } else { "New participants can begin." },
            "pause": if progress.is_paused { "continue" } else { "pause" },
            "pause_words": if progress.is_paused { "Continue recruiting" } else { "Pause recruiting" },
            "running": running,
            "close": (!running.is_empty()).then(|| json!({"sessions": running})),
            "groups": groups,
            "messages": progress.waiting_messages.iter().map(|(to, text)| {
                json!({"to": to.message_target_in_words(), "text": text})
            }).collect::<Vec<_>>(),
        })
    });
    let sessions = progress.sessions.iter().map(|it| {
        json!({
            "session": it.session, "status": or_dash(it.status.status_name()), "condition": or_dash(&it.condition),
            "trial": it.trial.map_or_else(|| "-".to_owned(), |trial| trial.to_string()),
            "page": or_dash(&it.page), "resumes": it.resumes, "minutes": format!("{:.1}", it.minutes), "failed": it.attention_failed,
            "cents": it.cents.map_or_else(|| "-".to_owned(), |cents| cents.to_string()), "last": it.last,
        })
    });
    let members = group_member_rows(progress);
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "title": format!("Status of {}", study.plan.id),
        "notice": notice,
        "about": format!(
            "Stage {stage}. {complete} of {target} sessions complete.",
            stage = study.plan.stage.study_stage_name(),
            complete = progress.complete,
            target = progress.target,
        ),
        "paused": progress.is_paused,
        "switch": format!("<a href=\"status?key={key}{switch}\">{words}</a>"),
        "damage": progress.damage,
        "statuses": progress.by_status.iter().map(|(status, sessions)| {
            json!({"status": or_dash(status), "sessions": sessions})
        }).collect::<Vec<_>>(),
        "quotas": (!progress.quotas.is_empty()).then(|| json!({"rows": progress.quotas.iter().map(|it| {
            json!({
                "name": it.quota_question_and_answers(), "filled": it.filled, "most": it.most, "complete": it.complete,
                "count": format!("{} of {}", it.filled, it.most),
            })
        }).collect::<Vec<_>>()})),
        "places": progress.places.iter().map(|it| {
            json!({"condition": or_dash(&it.condition), "page": or_dash(&it.page), "sessions": it.sessions})
        }).collect::<Vec<_>>(),
        "steps": progress.drop_off.iter().map(|it| {
            json!({"step": it.step, "sessions": it.sessions, "all": all.max(1), "share": share(it.sessions)})
        }).collect::<Vec<_>>(),
        "figures": [
            figure("median minutes of complete sessions", number(progress.median_minutes)),
            figure("pay of all participants so far, in cents", progress.pay_cents.to_string()),
            figure(
                "attention failures",
                format!("{} of {} answers", progress.attention_failed, progress.attention_answered),
            ),
        ],
        "members": (!members.is_empty()).then(|| json!({"rows": members})),
        "sessions": sessions.collect::<Vec<_>>(),
        "actions": actions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: &[(&str, &str)]) -> Vec<(String, String)> {
        let fields = fields.iter();
        fields
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_form_without_a_known_action_or_with_a_bad_value_is_refused() {
        let close = |cents: &str| {
            Action::parse(&form(&[
                ("action", "close"),
                ("session", "s0001"),
                ("cents", cents),
            ]))
        };
        let session = "s0001".to_owned();
        assert_eq!(
            close(" 150 "),
            Ok(Action::Close {
                session,
                cents: 150
            })
        );
        for wrong in ["", "0", "-1", "1.5", "100001", "99999999999999"] {
            assert!(close(wrong).is_err(), "{wrong}");
        }
        let message =
            |text: &str| Action::parse(&form(&[("action", "message"), ("message", text)]));
        let to = ExperimenterMessageTarget::Everybody;
        let text = "a\nb".to_owned();
        assert_eq!(message("a\r\nb"), Ok(Action::Message { to, text }));
        for (to, expected) in [
            (
                "s0001",
                Some(ExperimenterMessageTarget::Session("s0001".to_owned())),
            ),
            (
                "group-s0001",
                Some(ExperimenterMessageTarget::Group("s0001".to_owned())),
            ),
            ("../s0001", None),
            ("group-", None),
            ("s", None),
        ] {
            let fields = [("action", "message"), ("message", "x"), ("to", to)];
            let parsed = Action::parse(&form(&fields));
            let text = "x".to_owned();
            let expected = expected.map(|to| Action::Message { to, text });
            assert_eq!(parsed.ok(), expected, "{to}");
        }
        assert!(message(&"x".repeat(MAX_MESSAGE + 1)).is_err());
        assert!(message("\u{1b}[2J").is_err());
        assert!(Action::parse(&form(&[("action", "delete")])).is_err());
        assert!(Action::parse(&[]).is_err());
    }
}
