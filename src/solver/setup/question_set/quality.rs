//! Reads the public files of the QuALITY data set (Pang et al. 2022). Each line has an article and one writer's
//! questions, with four options each.
//!
//! Labels count from 1. The right option is paired with the wrong one that most annotators named as the best
//! distractor, or with each wrong one. Of a tie, the lower label is used. Both options keep their order.

use std::sync::Arc;

use html_escape::decode_html_entities;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{DebatedWrongAnswers, QuestionSetEntry, TextForm};
use debate_core::text::{normalise_invisible_characters, replace_unsafe_multiline};

/// An article of the QuALITY data set, with the questions that one writer asked about it.
#[derive(Deserialize)]
struct Article {
    #[serde(rename = "article_id")]
    id: String,
    set_unique_id: Option<String>,
    #[serde(rename = "article")]
    text: String,
    questions: Vec<ArticleQuestion>,
}

#[derive(Deserialize)]
struct ArticleQuestion {
    question: String,
    question_unique_id: Option<String>,
    options: Vec<String>,
    /// The number of the right option, by the annotators' majority. Missing where the data set keeps labels secret.
    gold_label: Option<usize>,
    #[serde(default)]
    validation: Vec<Annotation>,
    difficult: Option<u32>,
}

/// The answer of an annotator who had unlimited time to read the article.
#[derive(Deserialize)]
struct Annotation {
    /// The number of the most misleading wrong option. The files of QuALITY use this field name; the data set's
    /// description calls the field `untimed_eval3_distractor`.
    #[serde(alias = "untimed_eval3_distractor")]
    untimed_best_distractor: Option<usize>,
}

/// The questions of a line.
#[derive(Default)]
pub(super) struct ArticleQuestions {
    pub(super) rows: Vec<QuestionSetEntry>,
    /// The number of questions in the line that have no label for the right option.
    pub(super) unlabelled: usize,
    /// True if characters of a text were normalised: tabs, line ends or invisible characters.
    pub(super) is_changed: bool,
}

/// True if a JSON line has the layout of the QuALITY data set.
pub(super) fn has_quality_layout(fields: &Map<String, Value>) -> bool {
    fields.contains_key("article") && fields.contains_key("questions")
}

/// Reads the questions of one line of the QuALITY data set.
pub(super) fn read_article(
    line: Value,
    pairs: DebatedWrongAnswers,
    form: TextForm,
) -> Result<ArticleQuestions, String> {
    let article: Article = serde_json::from_value(line).map_err(|error| error.to_string())?;
    let mut read = ArticleQuestions::default();
    let mut is_changed = false;
    let mut shown = |text: &str| {
        if form == TextForm::Raw {
            return replace_unsafe_multiline(text).into_owned();
        }
        let normal = normalise_invisible_characters(text).text;
        is_changed |= normal != text;
        replace_unsafe_multiline(&normal).into_owned()
    };
    let source: Arc<str> = shown(&plain(&article.text)).into();
    let set = article.set_unique_id.as_ref().unwrap_or(&article.id);
    for (number, question) in (1..).zip(&article.questions) {
        let id = question
            .question_unique_id
            .clone()
            .unwrap_or_else(|| format!("{set}_{number}"));
        let Some(right) = question.gold_label else {
            read.unlabelled += 1;
            continue;
        };
        let options = question.options.len();
        if !(1..=options).contains(&right) || options < 2 {
            return Err(format!(
                "questions[{index}]: `gold_label` {right} is not one of {options} options",
                index = number - 1
            ));
        }
        let wrong = match pairs {
            DebatedWrongAnswers::Best => vec![question.distractor(right)],
            DebatedWrongAnswers::All => (1..=options).filter(|option| *option != right).collect(),
        };
        for wrong in wrong {
            let answers = [right.min(wrong), right.max(wrong)];
            read.rows.push(QuestionSetEntry {
                id: match pairs {
                    DebatedWrongAnswers::Best => id.clone(),
                    DebatedWrongAnswers::All => format!("{id}-{wrong}"),
                },
                question: shown(question.question.trim()),
                answers: answers.map(|label| shown(question.options[label - 1].trim())),
                correct: Some(u32::from(wrong < right)),
                source: Arc::clone(&source),
                source_file: None,
                difficulty: question.difficult.map(|difficult| difficult.to_string()),
                group: Some(article.id.clone()),
            });
        }
    }
    read.is_changed = is_changed;
    Ok(read)
}

impl ArticleQuestion {
    /// Returns the number of the wrong option that most annotators found most misleading; the lowest number of a tie.
    fn distractor(&self, right: usize) -> usize {
        let votes = |label: usize| {
            let named = self.validation.iter().map(|it| it.untimed_best_distractor);
            named.filter(|it| *it == Some(label)).count()
        };
        let wrong = (1..=self.options.len()).filter(|label| *label != right);
        // `max_by_key` returns the last of equal elements, so the order is reversed.
        wrong
            .rev()
            .max_by_key(|label| votes(*label))
            .unwrap_or(right)
    }
}

/// HTML elements whose start and end tags end a line of text.
const BLOCKS: [&str; 16] = [
    "p",
    "br",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "li",
    "tr",
    "hr",
    "blockquote",
    "pre",
    "title",
    "table",
];
/// HTML elements whose content is not part of the text.
const HIDDEN: [&str; 3] = ["script", "style", "head"];

/// Returns the text of an article without HTML. Only one variant of the data set's files has HTML.
fn plain(article: &str) -> String {
    let is_html = ["</p>", "<br", "<p>", "</html>", "</div>"];
    let lower = article.to_ascii_lowercase();
    if !is_html.iter().any(|tag| lower.contains(tag)) {
        return article.trim().to_owned();
    }
    let mut text = HtmlText::default();
    // A `<` after the last `>` starts no tag, so no part of the text is searched twice.
    let last_end = article.rfind('>').unwrap_or(0);
    let mut at = 0;
    while let Some(rest) = article.get(at..).filter(|rest| !rest.is_empty()) {
        let low = lower.get(at..).unwrap_or_default();
        let Some(tag) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            text.words(rest.get(..end).unwrap_or_default());
            at += end;
            continue;
        };
        if low.starts_with("<!--") {
            at += low.find("-->").map_or(rest.len(), |end| end + 3);
            continue;
        }
        let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?');
        let is_tag = at < last_end && tag.starts_with(is_name);
        let Some(end) = is_tag.then(|| rest.find('>')).flatten() else {
            text.words("<");
            at += 1;
            continue;
        };
        let name = low.trim_start_matches(['<', '/']);
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
        let name = name.unwrap_or_default();
        at += end + 1;
        if BLOCKS.contains(&name) {
            text.end_line(name);
        }
        if HIDDEN.contains(&name) && !tag.starts_with('/') {
            let close = format!("</{name}");
            at += low
                .get(end + 1..)
                .and_then(|after| after.find(&close))
                .unwrap_or(low.len() - end - 1);
        }
    }
    text.lines.trim().to_owned()
}

/// The text extracted from HTML so far. White space between two words of a line becomes one space; HTML elements end
/// lines.
#[derive(Default)]
struct HtmlText {
    lines: String,
    /// True if white space was read after the last character or element. It becomes a space before the next
    /// character, unless this character begins a line.
    has_pending_whitespace: bool,
}

impl HtmlText {
    fn words(&mut self, text: &str) {
        for c in decode_html_entities(text).chars() {
            if c.is_whitespace() {
                self.has_pending_whitespace = true;
                continue;
            }
            if std::mem::take(&mut self.has_pending_whitespace)
                && !self.lines.is_empty()
                && !self.lines.ends_with('\n')
            {
                self.lines.push(' ');
            }
            self.lines.push(c);
        }
    }

    /// Ends the line at an HTML element. Adds an empty line as well, unless the element is a line break.
    fn end_line(&mut self, name: &str) {
        self.has_pending_whitespace = false;
        let most = if name == "br" { 1 } else { 2 };
        let there = self.lines.chars().rev().take_while(|c| *c == '\n').count();
        for _ in there..most {
            self.lines.push('\n');
        }
    }
}
