//! Pages: what is told, and what is asked below it.
//!
//! A page is made once from a request, an event or a result. Terminal widgets, plain lines, HTML
//! and the texts of messages render it: they choose colours, break lines and take the answer.

use debate_core::number::Exact;
use debate_core::protocol::Request;

use super::{Line, Role};

/// A heading, lines of text, and a question where one is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The subject, or the place in a session: "Task M, 3 of 8".
    pub heading: String,
    pub lines: Vec<Line>,
    /// `None` where the reader can only read.
    pub ask: Option<Ask>,
}

impl Page {
    /// A page without a question.
    pub fn new(heading: impl Into<String>, lines: Vec<Line>) -> Self {
        Self {
            heading: heading.into(),
            lines,
            ask: None,
        }
    }

    #[must_use]
    pub fn asking(self, ask: Ask) -> Self {
        Self {
            ask: Some(ask),
            ..self
        }
    }
}

/// The paragraphs of a text: lines that follow one another are one paragraph, those that begin with
/// `#` are headings.
pub fn paragraphs(text: &str) -> Vec<Line> {
    let mut paragraphs: Vec<(Role, String)> = Vec::new();
    let mut goes_on = false;
    for line in text.trim_end().lines().map(str::trim_end) {
        if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim();
            paragraphs.push((Role::Title, heading.to_owned()));
            goes_on = false;
        } else if goes_on
            && !line.is_empty()
            && let Some((_, paragraph)) = paragraphs.last_mut()
        {
            paragraph.push(' ');
            paragraph.push_str(line.trim_start());
        } else {
            paragraphs.push((Role::Text, line.to_owned()));
            goes_on = !line.is_empty();
        }
    }
    let lines = paragraphs.into_iter();
    lines.map(|(role, text)| Line::of(role, text)).collect()
}

/// A question, and the form of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The kind of reply that is wanted, in few words: "Your estimate". May be empty.
    pub title: &'static str,
    /// The question, one sentence or two.
    pub text: String,
    /// What the values chosen before leave of a formula's clauses, line by line; may be empty.
    pub clauses: String,
    /// The evidence for a judge, at a leaf.
    pub evidence: Option<String>,
    pub kind: AskKind,
}

impl Ask {
    /// A question without clauses and evidence.
    pub fn new(title: &'static str, text: impl Into<String>, kind: AskKind) -> Self {
        Self {
            title,
            text: text.into(),
            clauses: String::new(),
            evidence: None,
            kind,
        }
    }

    #[must_use]
    pub fn with_evidence(self, evidence: Option<String>) -> Self {
        Self { evidence, ..self }
    }
}

/// The form of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AskKind {
    /// A reply to a request of the rules.
    Reply(Request<Exact>),
    /// None: the reader goes on when they have read.
    Next,
    /// The size of the window, which whoever shows the page knows.
    Size,
    /// One of these options.
    OneOf(Vec<String>),
    /// A whole percentage of the first of two answers, from `min` to `max`; the second gets the
    /// rest.
    Percent {
        answers: [String; 2],
        min: u8,
        max: u8,
    },
    /// Free text of so many characters at most.
    Text { most: usize },
}
