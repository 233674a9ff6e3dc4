//! A page of a study as HTML: the page that the terminal and plain lines also show, as a form that needs no script.

use std::fmt::Write as _;

use serde_json::{Value, json};

use debate_core::digest::Digest;
use debate_lab::export::escape_html_or_svg;
use debate_study::{
    ClaimOnStudyPage, PERCENT_RANGES, PageWording, ProbabilityScaleWords, Study,
    StudyPagePointOrRemark, StudyPlan, StudySessionPage,
};
use debate_text::{DebateAnswerForm, Line, QuestionToUser, TextRole, fill_template};

/// The template of a page, which [`render_page`] fills in.
const PAGE: &str = include_str!("page.html");
/// The maximum number of characters for which a text question gets a one-line field.
const ONE_LINE: usize = 80;
/// The number of seconds between two polls of a page that waits for other participants.
const POLL_S: u32 = 4;

/// A study's page with the notice, form and link that are added for browsers.
#[derive(Default)]
pub(super) struct BrowserStudyPage<'p> {
    pub(super) page: StudySessionPage,
    /// The reason why the participant's answer was refused; `None` if it was not.
    pub(super) notice: Option<String>,
    /// The experimenter's messages, if the page waits.
    pub(super) messages: Vec<String>,
    /// The page's form, for an answer or only for the button that leaves the study. Outside of a preview, `None` on the
    /// last page of a session and on the page of a pause.
    pub(super) form: Option<PageForm<'p>>,
    /// The address and the words of a link on the page.
    pub(super) link: Option<[String; 2]>,
}

/// The form of a page.
pub(super) struct PageForm<'p> {
    /// The address to which the form sends the answer.
    pub(super) action: String,
    /// A token that is valid for this page only; `None` in a preview, whose form leads to the next page.
    pub(super) token: Option<String>,
    /// The text that the participant typed, if their answer was refused.
    pub(super) typed: &'p str,
    /// The words of the button that leaves the study; `None` if the page has no such button.
    pub(super) leave: Option<String>,
}

/// Renders a page with the study's words and language.
pub(super) fn render_page(plan: &StudyPlan, content: &BrowserStudyPage<'_>) -> String {
    let page = &content.page;
    let quotes = quotes(&page.source);
    let prose = page.prose.as_ref();
    // New lines are marked only if the page has other text to read than its question.
    let has_old_text = page.page.lines.iter().take(page.new_from).any(|line| {
        let role = line.body.first().map(|piece| piece.role);
        role.is_some_and(|role| !matches!(role, TextRole::Title | TextRole::Faint))
    });
    let is_prose = |index: usize| prose.is_some_and(|prose| prose.lines.contains(&index));
    let lines: Vec<Value> = (page.page.lines.iter().enumerate())
        .filter(|(_, line)| !line.plain_body_text().trim().is_empty())
        .filter_map(|(index, line)| {
            if is_prose(index) {
                // The lines of a Markdown text are its form for terminals. Its first line stands for all of them.
                let prose = prose.filter(|prose| prose.lines.start == index)?;
                return Some(json!({"prose": prose.html}));
            }
            let is_new = has_old_text && index >= page.new_from;
            let is_title = line.body.first().map(|piece| piece.role) == Some(TextRole::Title);
            Some(json!({
                "tag": if is_title { "h2" } else { "p" },
                "is_new": is_new,
                "is_first_new": page.new_from > 0 && index == page.new_from,
                "body": line_body(line, &quotes),
            }))
        })
        .collect();
    let heading = |name: &str| plan.wording(name).heading;
    let arguments = (!page.arguments.is_empty()).then(|| {
        let words = plan.filled_text("new", &Value::Null);
        json!({"heading": heading("arguments"), "list": argument_list(&page.arguments, &words, &quotes)})
    });
    let claims = (!page.claims.is_empty())
        .then(|| json!({"heading": heading("claims"), "list": claim_list(&page.claims)}));
    let source = (!page.source.is_empty()).then(|| {
        let mut number = 0;
        let lines = page.source.iter().filter(|line| !line.body.is_empty());
        let lines: Vec<String> = lines.map(|line| source_line(line, &mut number)).collect();
        // A debater who writes a speech quotes from the source.
        let ask = page.page.ask.as_ref();
        let writes = ask.is_some_and(|ask| matches!(ask.kind, DebateAnswerForm::Text { .. }));
        json!({"heading": heading("source"), "lines": lines, "writes": writes})
    });
    let has_debate = arguments.is_some() || claims.is_some() || source.is_some();
    let has_text = !lines.is_empty() || has_debate;
    // The question is beside the text if the page has earlier lines, arguments, claims or a source.
    let is_beside = page.new_from > 0 || has_debate;
    let progress = page.progress.as_ref().map(|progress| {
        json!({
            "done": progress.done,
            "all": progress.all,
            "time_left": progress.time_left,
            "label": plan.filled_text("progress", &Value::Null),
        })
    });
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
        "details": Some(&page.details).filter(|details| !details.is_empty()),
        "progress": progress,
        "beside": is_beside,
        "polls": polls.then(|| json!({
            "seconds": POLL_S,
            "state": page_digest(page, &content.messages),
            "reconnecting": plan.filled_text("reconnecting", &Value::Null),
            "wait_left": page.wait_left,
        })),
        "notice": content.notice,
        "messages": content.messages.iter().map(|message| {
            let paragraphs: Vec<&str> = message.split("\n\n").collect();
            json!({"heading": heading("message"), "paragraphs": paragraphs})
        }).collect::<Vec<_>>(),
        "content": has_text.then(|| {
            json!({"lines": lines, "arguments": arguments, "claims": claims, "source": source})
        }),
        "form": form,
        "link": link.map(|[href, words]| json!({"href": href, "words": words})),
    });
    fill_template(PAGE, &document, escape_html_or_svg)
}

/// Returns a digest of a participant's page: its lines, claims and arguments, and the experimenter's messages on it.
fn page_digest(page: &StudySessionPage, messages: &[String]) -> String {
    let lines = page.page.lines.iter().map(Line::plain_body_text);
    let claims = page
        .claims
        .iter()
        .map(|claim| format!("{} {}", claim.text, claim.value));
    let arguments = page
        .arguments
        .iter()
        .map(StudyPagePointOrRemark::plain_text);
    let texts = lines.chain(claims).chain(arguments);
    let texts: Vec<String> = texts.chain(messages.iter().cloned()).collect();
    Digest::digest_of_bytes(texts.join("\n").as_bytes()).to_string()
}

/// Returns an HTML page with a heading and one paragraph.
pub(super) fn message_page(heading: &str, text: &str) -> String {
    paragraphs_page(heading, [escape_html_or_svg(text)])
}

/// Returns the page with the heading and text of the standard wording `name`, in the language of each of these studies.
/// They are the same study in different languages.
pub(super) fn multilingual_page_of_wording(studies: &[&Study], name: &str) -> String {
    let words = |plan: &StudyPlan| plan.filled_wording(name, &Value::Null);
    page_in_languages(studies, words)
}

/// Returns the page with the heading of the standard wording `name`, and with the wording's option at index `option` as
/// its text. Like [`multilingual_page_of_wording`], it is in the language of each of these studies.
pub(super) fn page_from_wording_option(studies: &[&Study], name: &str, option: usize) -> String {
    page_in_languages(studies, |plan| PageWording {
        text: Some(plan.filled_option(name, option, &Value::Null)),
        ..plan.filled_wording(name, &Value::Null)
    })
}

fn page_in_languages(studies: &[&Study], words: impl Fn(&StudyPlan) -> PageWording) -> String {
    let mut lines = Vec::new();
    let mut first_heading = None;
    for plan in studies.iter().map(|study| &study.plan) {
        let PageWording { heading, text, .. } = words(plan);
        let heading = heading.unwrap_or_default();
        let in_language = |text: &str| {
            format!(
                "<span lang=\"{}\">{}</span>",
                escape_html_or_svg(plan.language()),
                escape_html_or_svg(text)
            )
        };
        if first_heading.is_none() {
            first_heading = Some(heading);
        } else {
            lines.push(json!({"tag": "h2", "body": in_language(&heading)}));
        }
        lines.push(json!({"tag": "p", "body": in_language(&text.unwrap_or_default())}));
    }
    let first = studies.first().map(|study| &study.plan);
    let document = json!({
        "language": first.map_or("en", StudyPlan::language),
        "direction": if first.is_some_and(StudyPlan::is_right_to_left) { "rtl" } else { "ltr" },
        "version": env!("CARGO_PKG_VERSION"), "heading": first_heading.unwrap_or_default(),
        "content": {"lines": lines},
    });
    fill_template(PAGE, &document, escape_html_or_svg)
}

/// Returns an HTML page of paragraphs, which are given as HTML.
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
        "content": {"lines": lines},
    });
    fill_template(PAGE, &document, escape_html_or_svg)
}

fn written_form(
    plan: &StudyPlan,
    page: &StudySessionPage,
    ask: &QuestionToUser,
    form: &PageForm<'_>,
) -> Value {
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
        "go": (!page.polls || form.token.is_none()).then(|| {
            let button = page.button.clone();
            button.unwrap_or_else(|| plan.filled_text("continue", &Value::Null))
        }),
        "leave": form.leave,
        "limit": page.limit_s.map(|seconds| {
            json!({"seconds": seconds, "text": plan.filled_text("time left", &json!({"time": "{time}"}))})
        }),
    });
    match &ask.kind {
        DebateAnswerForm::Next | DebateAnswerForm::Size | DebateAnswerForm::Reply(_) => {}
        DebateAnswerForm::OneOf(options) => {
            let numbered = options.iter().enumerate();
            let options: Vec<Value> = numbered
                .map(|(index, words)| json!({"place": index, "words": words}))
                .collect();
            document["choice"] = with(json!({"options": options}));
        }
        DebateAnswerForm::Percent { answers, min, max } => {
            let [first, second] = answers;
            let placeholders = json!({"first": first, "second": second, "min": min, "max": max});
            // The script's placeholders have single braces.
            let script = json!({
                "first": "{first}", "second": "{second}", "percent": "{percent}", "rest": "{rest}",
            });
            let scale = page.scale.as_ref();
            let in_words = scale.filter(|scale| scale.repeats_number);
            // Without a scale, the page repeats both percentages.
            let shares = match scale {
                None => plan.filled_text("shares", &script),
                Some(_) if in_words.is_none() => String::new(),
                Some(_) => {
                    let script = json!({"percent": "{percent}", "words": "{words}"});
                    plan.filled_text("you say", &script)
                }
            };
            document["percent"] = with(json!({
                "first": first, "second": second, "min": min, "max": max,
                "words": in_words.map(words_by_percent),
                "most": scale.map(|scale| &scale.ends[0]),
                "least": scale.map(|scale| &scale.ends[1]),
                "range": plan.filled_text("range", &placeholders),
                "label": plan.filled_text("percent of", &placeholders),
                "shares": shares,
                "unset": plan.filled_text("not set", &Value::Null),
                "typed": form.typed,
            }));
        }
        DebateAnswerForm::Text { most } => {
            // A page with a text question and a source is for a debater who writes a speech.
            let quotes =
                (!page.source.is_empty()).then(|| plan.filled_text("quote button", &Value::Null));
            document["text"] = with(json!({
                "most": most, "is_long": *most > ONE_LINE, "is_number": page.asks_number,
                "typed": form.typed, "quote_words": quotes,
            }));
        }
    }
    document
}

/// Returns the words of a probability scale for the page's script: one line for each range, with its highest percentage
/// and its words.
fn words_by_percent(scale: &ProbabilityScaleWords) -> String {
    let ranges = PERCENT_RANGES.iter().zip(&scale.words);
    let lines: Vec<String> = ranges
        .map(|(most, words)| format!("{most} {words}"))
        .collect();
    lines.join("\n")
}

/// Adds the fields of the JSON object `one` to the JSON object `other`.
fn merged(one: &Value, mut other: Value) -> Value {
    for (name, value) in one.as_object().into_iter().flatten() {
        other[name] = value.clone();
    }
    other
}

/// Returns the CSS class for a span with this role.
fn css_class(role: TextRole) -> &'static str {
    match role {
        TextRole::Faint => "faint",
        TextRole::Chosen => "quote",
        TextRole::Party(0) => "alice",
        TextRole::Party(1) => "bob",
        TextRole::Party(2) => "judge",
        TextRole::Party(_) => "coin",
        _ => "",
    }
}

/// Returns a line of a page as HTML, each span with the CSS class of its role. A quote that the page's source contains
/// links to its position there.
fn line_body(line: &Line, quotes: &[String]) -> String {
    let mut out = String::new();
    for piece in &line.body {
        let mut text = text_with_percents(&piece.text);
        let words = without_quotation_marks(&piece.text);
        if piece.role == TextRole::Chosen {
            // The mark of a quote is for plain text. A page shows the colour of the quote instead.
            let quote = piece.text.trim_start_matches('\n');
            out.push_str(&"\n".repeat(piece.text.len() - quote.len()));
            text = text_with_percents(quote.strip_prefix("> ").unwrap_or(quote));
        }
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

/// Returns the words of a quote, separated by single spaces, without the quotation marks and without a leading `> `.
fn without_quotation_marks(text: &str) -> String {
    let text = text.trim().trim_start_matches("> ");
    let text = text.trim_start_matches('“').trim_end_matches('”');
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the quoted passages of the source text, in their order.
fn quotes(source: &[Line]) -> Vec<String> {
    let pieces = source.iter().flat_map(|line| &line.body);
    let quoted = pieces.filter(|piece| piece.role == TextRole::Chosen);
    quoted
        .map(|piece| without_quotation_marks(&piece.text))
        .collect()
}

/// Returns a line of the source as HTML. `number` is the number of the next quoted passage; each passage advances it.
fn source_line(line: &Line, number: &mut usize) -> String {
    let mut out = String::new();
    for piece in &line.body {
        let text = escape_html_or_svg(&piece.text);
        if piece.role == TextRole::Chosen {
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

/// A builder of nested HTML lists: an item of greater depth is nested in the item before it.
#[derive(Default)]
struct NestedList {
    html: String,
    /// The depth of the list's last item; `None` before the first one.
    depth: Option<u16>,
}

impl NestedList {
    /// Opens an item of the list with these HTML attributes. The item's content follows.
    fn open_item(&mut self, depth: u16, attributes: &str) {
        match self.depth {
            None => self.html.push_str("<ul>\n"),
            Some(before) if depth > before => self.html.push_str("<ul>\n"),
            Some(before) => {
                self.html.push_str("</li>\n");
                for _ in depth..before {
                    self.html.push_str("</ul>\n</li>\n");
                }
            }
        }
        // An item is at most one level below the item before it.
        let deepest = self.depth.map_or(0, |before| before + 1);
        self.depth = Some(depth.min(deepest));
        let _ = write!(self.html, "<li{attributes}>");
    }

    fn finish(mut self) -> String {
        if let Some(depth) = self.depth {
            for _ in 0..=depth {
                self.html.push_str("</li>\n</ul>\n");
            }
        }
        self.html
    }
}

/// Returns a bar for a percentage as HTML, rounded to a tenth as in the plain lines.
fn percent_bar(percent: f64, label: &str) -> String {
    let percent = (percent * 10.0).round() / 10.0;
    format!(
        "<meter min=\"0\" max=\"100\" value=\"{percent}\" aria-label=\"{label}\">{percent} %</meter>"
    )
}

/// Returns the arguments of a debate as nested lists. New lines are marked, and the first line of each run of new lines
/// begins with the word `new`. Nothing is marked if all lines are new.
fn argument_list(lines: &[StudyPagePointOrRemark], new: &str, quotes: &[String]) -> String {
    let mut list = NestedList::default();
    let has_old_lines = lines.iter().any(|line| !line.is_new);
    let first_new = lines.iter().position(|line| line.is_new && has_old_lines);
    let mut was_new = false;
    for (index, line) in lines.iter().enumerate() {
        let is_new = line.is_new && has_old_lines;
        let classes = [
            line.number.is_some().then_some("point"),
            is_new.then_some("new"),
            line.is_current.then_some("current"),
        ];
        let classes: Vec<&str> = classes.into_iter().flatten().collect();
        let mut attributes = match classes.as_slice() {
            [] => String::new(),
            classes => format!(" class=\"{}\"", classes.join(" ")),
        };
        // The page opens at its first new line.
        if Some(index) == first_new {
            attributes.push_str(" id=\"new\"");
        }
        list.open_item(line.depth, &attributes);
        let out = &mut list.html;
        let current = if line.is_current {
            " aria-current=\"true\""
        } else {
            ""
        };
        let _ = write!(out, "<p dir=\"auto\"{current}>");
        if is_new && !was_new {
            let _ = write!(
                out,
                "<span class=\"badge\">{}</span> ",
                escape_html_or_svg(new)
            );
        }
        was_new = is_new;
        if let Some(number) = &line.number {
            let _ = write!(out, "<span class=\"point-number\">{number}.</span> ");
        }
        out.push_str(&line_body(&line.body, quotes));
        let mut notes: Vec<String> = line
            .notes
            .iter()
            .map(|note| text_with_percents(note))
            .collect();
        if let Some(percent) = line.percent {
            // The bar repeats the probability of the first note of a numbered point, or of the text of a remark. This
            // note or text is the bar's label.
            if let Some(note) = notes.first_mut().filter(|_| line.number.is_some()) {
                let bar = percent_bar(percent, note);
                let _ = write!(note, " {bar}");
            } else {
                let label = escape_html_or_svg(&line.body.plain_body_text());
                let _ = write!(out, " {}", percent_bar(percent, &label));
            }
        }
        out.push_str("</p>");
        if notes.is_empty() {
            continue;
        }
        // A line breaks only between notes.
        let notes: Vec<String> = notes
            .iter()
            .map(|note| format!("<span>{note}</span>"))
            .collect();
        let notes = notes.join(" ");
        let _ = write!(out, "\n<p class=\"notes\" dir=\"auto\">{notes}</p>");
    }
    list.finish()
}

/// Escapes a text for HTML. A no-break space keeps a number and its percent sign on one line.
fn text_with_percents(text: &str) -> String {
    escape_html_or_svg(text).replace(" %", "\u{a0}%")
}

/// Returns the claims of a debate as nested lists, with a bar for each probability.
fn claim_list(claims: &[ClaimOnStudyPage]) -> String {
    let mut list = NestedList::default();
    for claim in claims {
        list.open_item(claim.depth, "");
        let out = &mut list.html;
        let current = if claim.is_current {
            " class=\"current\" aria-current=\"true\""
        } else {
            ""
        };
        let text = escape_html_or_svg(&claim.text);
        let _ = write!(out, "<span{current} dir=\"auto\">{text}</span>");
        if !claim.value.is_empty() {
            let value = escape_html_or_svg(&claim.value);
            let _ = write!(out, " <span class=\"value\">{value}</span>");
        }
        if let Some(percent) = claim.percent {
            let bar = percent_bar(percent, &text);
            let percent = (percent * 10.0).round() / 10.0;
            let _ = write!(out, " {bar} <span class=\"value\">{percent}\u{a0}%</span>");
        }
    }
    list.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(depth: u16, text: &str) -> ClaimOnStudyPage {
        ClaimOnStudyPage {
            depth,
            text: text.to_owned(),
            value: String::new(),
            percent: (depth > 0).then_some(62.5),
            is_current: false,
        }
    }

    #[test]
    fn a_quote_is_coloured_without_its_mark() {
        let line = Line::unlabelled(TextRole::Text, "Alice says:");
        let line = line.append_span(TextRole::Chosen, "\n> “A & B.”");
        assert_eq!(
            line_body(&line, &[]),
            "Alice says:\n<span class=\"quote\">“A &amp; B.”</span>"
        );
        let linked = line_body(&line, &["A & B.".to_owned()]);
        assert!(
            linked.ends_with("\n<a class=\"quote\" href=\"#quote0\">“A &amp; B.”</a>"),
            "{linked}"
        );
    }

    #[test]
    fn nested_claim_lists_are_well_formed() {
        for depths in [&[0][..], &[0, 1, 1, 2, 2, 1], &[0, 1, 2, 3, 1], &[0, 1, 1]] {
            let claims: Vec<ClaimOnStudyPage> =
                depths.iter().map(|it| claim(*it, "<a & b>")).collect();
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
