//! A page of a study as HTML: the page that the terminal and plain lines also show, as a form that needs no script.

use std::fmt::Write as _;

use serde_json::{Value, json};

use debate_core::digest::Digest;
use debate_lab::export::escape_markup;
use debate_study::{PageClaim, Plan, SessionPage};
use debate_text::{Ask, AskKind, Line, Role, fill_template};

/// The template of a page, which [`render_page`] fills in.
const PAGE: &str = include_str!("page.html");
/// The maximum number of characters for which a text question gets a one-line field.
const ONE_LINE: usize = 80;
/// The number of seconds between two polls of a page that waits for other participants.
const POLL_S: u32 = 4;

/// A page with its notice, form and link.
#[derive(Default)]
pub(super) struct PageContent<'p> {
    pub(super) page: SessionPage,
    /// The reason why an answer was refused, or a note on its effect.
    pub(super) notice: Option<String>,
    /// The form; `None` if the page takes no answer.
    pub(super) form: Option<Form<'p>>,
    /// The address and the words of a link.
    pub(super) link: Option<[String; 2]>,
}

/// The form of a page.
pub(super) struct Form<'p> {
    /// The address that the answer is sent to.
    pub(super) action: String,
    /// A token that is valid for this page only; `None` in a preview, whose form leads to the next page.
    pub(super) token: Option<String>,
    /// The typed text of an answer that was refused.
    pub(super) typed: &'p str,
    /// True if the participant can leave the study on this page.
    pub(super) leaves: bool,
}

/// Renders a page with the study's words and language.
pub(super) fn render_page(plan: &Plan, content: &PageContent<'_>) -> String {
    let page = &content.page;
    let quotes = quotes(&page.source);
    let lines: Vec<Value> = (page.page.lines.iter().enumerate())
        .filter(|(_, line)| !line.text().trim().is_empty())
        .map(|(index, line)| {
            let is_new = page.new_from > 0 && index >= page.new_from;
            let is_title = line.body.first().map(|piece| piece.role) == Some(Role::Title);
            json!({
                "tag": if is_title { "h2" } else { "p" },
                "is_new": is_new,
                "is_first_new": page.new_from > 0 && index == page.new_from,
                "body": line_body(line, &quotes),
            })
        })
        .collect();
    let heading = |name: &str| plan.wording(name).heading;
    let claims = (!page.claims.is_empty())
        .then(|| json!({"heading": heading("claims"), "list": claim_list(&page.claims)}));
    let source = (!page.source.is_empty()).then(|| {
        let mut number = 0;
        let lines = page.source.iter().filter(|line| !line.body.is_empty());
        let lines: Vec<String> = lines.map(|line| source_line(line, &mut number)).collect();
        json!({"heading": heading("source"), "lines": lines})
    });
    let is_told = !lines.is_empty() || claims.is_some() || source.is_some();
    // The question is beside the narration if the page has earlier lines, claims or a source.
    let is_beside = page.new_from > 0 || claims.is_some() || source.is_some();
    let form = content.form.as_ref().and_then(|form| {
        let ask = page.page.ask.as_ref()?;
        Some(written_form(plan, page, ask, form))
    });
    let link = content.link.as_ref();
    let polls = page.polls
        && content
            .form
            .as_ref()
            .is_some_and(|form| form.token.is_some());
    let document = json!({
        "language": plan.language(),
        "direction": if plan.is_right_to_left() { "rtl" } else { "ltr" },
        "version": env!("CARGO_PKG_VERSION"),
        "title": plan.title,
        "heading": page.page.heading,
        "beside": is_beside,
        "polls": polls.then(|| json!({
            "seconds": POLL_S,
            "state": page_digest(page),
            "reconnecting": plan.filled_text("reconnecting", &Value::Null),
        })),
        "notice": content.notice,
        "told": is_told.then_some(json!({"lines": lines, "claims": claims, "source": source})),
        "form": form,
        "link": link.map(|[href, words]| json!({"href": href, "words": words})),
    });
    fill_template(PAGE, &document, escape_markup)
}

/// Returns a digest of the page's narration and claims.
fn page_digest(page: &SessionPage) -> String {
    let lines = page.page.lines.iter().map(Line::text);
    let claims = page
        .claims
        .iter()
        .map(|claim| format!("{} {}", claim.text, claim.value));
    let texts: Vec<String> = lines.chain(claims).collect();
    Digest::of(texts.join("\n").as_bytes()).to_string()
}

/// Returns a page with a heading and one text.
pub(super) fn message_page(heading: &str, text: &str) -> String {
    paragraphs_page(heading, [escape_markup(text)])
}

/// Returns a page of paragraphs. The paragraphs are HTML.
pub(super) fn paragraphs_page(
    heading: &str,
    paragraphs: impl IntoIterator<Item = String>,
) -> String {
    let lines = paragraphs.into_iter();
    let lines: Vec<Value> = lines
        .map(|body| json!({"tag": "p", "body": body}))
        .collect();
    let document = json!({
        "language": "en", "direction": "ltr", "version": env!("CARGO_PKG_VERSION"), "heading": heading,
        "told": {"lines": lines},
    });
    fill_template(PAGE, &document, escape_markup)
}

fn written_form(plan: &Plan, page: &SessionPage, ask: &Ask, form: &Form<'_>) -> Value {
    let mut rows = ask.text.lines();
    let question = rows.next().unwrap_or_default();
    let below: Vec<&str> = rows.filter(|row| !row.trim().is_empty()).collect();
    let asked = json!({"question": question, "below": below});
    let with = |more: Value| merged(&asked, more);
    let mut document = json!({
        "method": if form.token.is_some() { "post" } else { "get" },
        "action": form.action,
        "token": form.token,
        "idle_s": plan.time.idle_s,
        // A preview continues with the next page.
        "go": (!page.polls || form.token.is_none()).then(|| plan.filled_text("continue", &Value::Null)),
        "leave": form.leaves.then(|| plan.filled_text("leave button", &Value::Null)),
        "limit": page.limit_s.map(|seconds| {
            json!({"seconds": seconds, "text": plan.filled_text("time left", &json!({"time": "{time}"}))})
        }),
    });
    match &ask.kind {
        AskKind::Next | AskKind::Size | AskKind::Reply(_) => {}
        AskKind::OneOf(options) => {
            let numbered = options.iter().enumerate();
            let options: Vec<Value> = numbered
                .map(|(index, words)| json!({"place": index, "words": words}))
                .collect();
            document["choice"] = with(json!({"options": options}));
        }
        AskKind::Percent { answers, min, max } => {
            let [first, second] = answers;
            let placeholders = json!({"first": first, "second": second, "min": min, "max": max});
            // The script's placeholders have single braces.
            let script = json!({
                "first": "{first}", "second": "{second}", "percent": "{percent}", "rest": "{rest}",
            });
            document["percent"] = with(json!({
                "first": first, "second": second, "min": min, "max": max,
                "range": plan.filled_text("range", &placeholders),
                "label": plan.filled_text("percent of", &placeholders),
                "shares": plan.filled_text("shares", &script),
                "unset": plan.filled_text("not set", &Value::Null),
                "typed": form.typed,
            }));
        }
        AskKind::Text { most } => {
            document["text"] = with(json!({
                "most": most, "is_long": *most > ONE_LINE, "typed": form.typed,
            }));
        }
    }
    document
}

/// Adds the fields of the JSON object `one` to the JSON object `other`.
fn merged(one: &Value, mut other: Value) -> Value {
    for (name, value) in one.as_object().into_iter().flatten() {
        other[name] = value.clone();
    }
    other
}

/// Returns the CSS class of a role.
fn css_class(role: Role) -> &'static str {
    match role {
        Role::Faint => "faint",
        Role::Chosen => "quote",
        Role::Party(0) => "alice",
        Role::Party(1) => "bob",
        Role::Party(2) => "judge",
        Role::Party(_) => "coin",
        _ => "",
    }
}

/// Returns a line as HTML, each piece with the class of its role. A quote links to its position in the source.
fn line_body(line: &Line, quotes: &[String]) -> String {
    let mut out = String::new();
    for piece in &line.body {
        // A no-break space keeps the number and its percent sign on one line.
        let text = escape_markup(&piece.text).replace(" %", "\u{a0}%");
        let words = without_quotation_marks(&piece.text);
        let index = quotes.iter().position(|quote| *quote == words);
        // Writing to a string cannot fail.
        let _ = match (css_class(piece.role), index) {
            ("", _) => write!(out, "{text}"),
            ("quote", Some(index)) => {
                write!(out, "<a class=\"quote\" href=\"#quote{index}\">{text}</a>")
            }
            (class, _) => write!(out, "<span class=\"{class}\">{text}</span>"),
        };
    }
    out
}

/// Returns the words of a quote without the quotation marks.
fn without_quotation_marks(text: &str) -> String {
    let text = text.trim().trim_start_matches("> ");
    let text = text.trim_start_matches('“').trim_end_matches('”');
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the quoted passages of a source, in their order.
fn quotes(source: &[Line]) -> Vec<String> {
    let pieces = source.iter().flat_map(|line| &line.body);
    let quoted = pieces.filter(|piece| piece.role == Role::Chosen);
    quoted
        .map(|piece| without_quotation_marks(&piece.text))
        .collect()
}

/// Returns a line of the source as HTML. `number` is the number of the next quote, and is advanced by each quote.
fn source_line(line: &Line, number: &mut usize) -> String {
    let mut out = String::new();
    for piece in &line.body {
        let text = escape_markup(&piece.text);
        if piece.role == Role::Chosen {
            let _ = write!(
                out,
                "<span class=\"quote\" id=\"quote{number}\">{text}</span>"
            );
            *number += 1;
        } else {
            out.push_str(&text);
        }
    }
    out
}

/// Returns the claims of a debate as nested lists, with a bar for each probability.
fn claim_list(claims: &[PageClaim]) -> String {
    let mut out = String::from("<ul>\n");
    let mut depth = None;
    for claim in claims {
        match depth {
            None => {}
            Some(before) if claim.depth > before => out.push_str("<ul>\n"),
            Some(before) => {
                out.push_str("</li>\n");
                for _ in claim.depth..before {
                    out.push_str("</ul>\n</li>\n");
                }
            }
        }
        depth = Some(claim.depth.min(depth.map_or(0, |before| before + 1)));
        let current = if claim.is_current {
            " class=\"current\" aria-current=\"true\""
        } else {
            ""
        };
        let text = escape_markup(&claim.text);
        let _ = write!(out, "<li><span{current} dir=\"auto\">{text}</span>");
        if !claim.value.is_empty() {
            let value = escape_markup(&claim.value);
            let _ = write!(out, " <span class=\"value\">{value}</span>");
        }
        if let Some(percent) = claim.percent {
            // Rounded to a tenth, as in the plain lines.
            let percent = (percent * 10.0).round() / 10.0;
            let _ = write!(
                out,
                " <meter min=\"0\" max=\"100\" value=\"{percent}\" aria-label=\"{text}\">{percent} %</meter> \
                 <span class=\"value\">{percent}\u{a0}%</span>"
            );
        }
    }
    for _ in 0..=depth.unwrap_or(0) {
        out.push_str("</li>\n</ul>\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(depth: u16, text: &str) -> PageClaim {
        PageClaim {
            depth,
            text: text.to_owned(),
            value: String::new(),
            percent: (depth > 0).then_some(62.5),
            is_current: false,
        }
    }

    #[test]
    fn nested_claim_lists_are_well_formed() {
        for depths in [&[0][..], &[0, 1, 1, 2, 2, 1], &[0, 1, 2, 3, 1], &[0, 1, 1]] {
            let claims: Vec<PageClaim> = depths.iter().map(|it| claim(*it, "<a & b>")).collect();
            let html = claim_list(&claims);
            let read = roxmltree::Document::parse(&html).expect(&html);
            let items = read.descendants().filter(|it| it.has_tag_name("li"));
            let found: Vec<usize> = items
                .map(|it| it.ancestors().filter(|it| it.has_tag_name("li")).count() - 1)
                .collect();
            let wanted: Vec<usize> = depths.iter().map(|it| usize::from(*it)).collect();
            assert_eq!(found, wanted, "{html}");
        }
    }
}
