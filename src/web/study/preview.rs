//! A preview of every page of a study, as participants see it, for the researcher. It has no participants and no
//! saved data.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;

use super::html::{BrowserStudyPage, PageForm, message_page, paragraphs_page, render_page};
use super::media::media_response;
use super::routes::{text_response, with_assets_and_host_check};
use crate::web::WebOptions;
use debate_lab::export::escape_html_or_svg;
use debate_study::{PreviewedStudyPage, StudyPlan};

/// The pages of a study that a preview shows.
pub struct StudyPreview {
    pub plan: StudyPlan,
    pub pages: Vec<PreviewedStudyPage>,
}

/// Returns the routes of the preview: the list of the pages at `/`, and each page at `/page-N`.
pub(in crate::web) fn preview_routes(preview: StudyPreview, options: &Arc<WebOptions>) -> Router {
    let pages = Router::new()
        .route("/", get(index))
        .route("/page-{number}", get(page))
        .route("/media/{*name}", get(media))
        .with_state(Arc::new(preview));
    let missing = message_page("Page not found", "This page does not exist.");
    with_assets_and_host_check(pages, missing, options)
}

async fn index(State(preview): State<Arc<StudyPreview>>) -> Response {
    text_response(StatusCode::OK, "text/html", preview.index())
}

async fn page(State(preview): State<Arc<StudyPreview>>, Path(number): Path<String>) -> Response {
    let number = number.parse().ok();
    let found = number.and_then(|number| preview.page(number));
    let status = match &found {
        Some(_) => StatusCode::OK,
        None => StatusCode::NOT_FOUND,
    };
    let html = found.unwrap_or_else(|| {
        message_page(
            "Page not found",
            "The preview has no page with this number.",
        )
    });
    text_response(status, "text/html", html)
}

async fn media(
    State(preview): State<Arc<StudyPreview>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    media_response(preview.plan.media.file(&format!("media/{name}")), &headers)
}

impl StudyPreview {
    fn page(&self, number: usize) -> Option<String> {
        let shown = self.pages.get(number.checked_sub(1)?)?;
        let next = if number < self.pages.len() {
            format!("page-{}", number + 1)
        } else {
            "./".to_owned()
        };
        let form = PageForm {
            action: next.clone(),
            token: None,
            typed: "",
            leave: shown.leaves.then(|| {
                self.plan
                    .filled_text("leave button", &serde_json::Value::Null)
            }),
        };
        let is_last = shown.page.is_session_over();
        let words = self.plan.filled_text("continue", &serde_json::Value::Null);
        let shown = BrowserStudyPage {
            page: shown.page.clone(),
            notice: None,
            messages: Vec::new(),
            form: Some(form),
            link: is_last.then_some([next, words]),
        };
        Some(render_page(&self.plan, &shown))
    }

    /// Returns an HTML page with the list of the study's pages: the number, heading, schedule row, condition and
    /// question of each.
    fn index(&self) -> String {
        let lines = self.pages.iter().zip(1..).map(|(shown, number)| {
            let slot = shown.slot.map(|slot| format!("slot {slot}"));
            let ask = shown.page.page.ask.as_ref();
            let asked = ask
                .and_then(|ask| ask.text.lines().next())
                .unwrap_or_default();
            let parts = [slot, shown.condition.clone(), Some(asked.to_owned())];
            let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
            let about = parts.collect::<Vec<_>>().join(" · ");
            let heading = escape_html_or_svg(&shown.page.page.heading);
            format!(
                "<a href=\"page-{number}\">{number}. {heading}</a> {}",
                escape_html_or_svg(&about)
            )
        });
        paragraphs_page("Every page of this study", lines)
    }
}
