//! What the page is stepped through with: buttons, the slider, the rounds, the keys.

use std::fmt::Write as _;

use super::Page;
use debate_core::protocol::{Event, Round, Rules as _};

impl Page<'_, '_> {
    /// Writes the controls. They are hidden until the page's script shows them.
    pub(super) fn put_controls(&self, out: &mut String) {
        let before = self.from - 1;
        let icon = |path: &str| {
            format!("<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"{path}\"/></svg>")
        };
        let button = |id: &str, path: &str, name: &str, key: &str| {
            format!(
                "<button type=\"button\" id=\"{id}\" aria-label=\"{name}\" \
                 title=\"{name} ({key})\">{}</button>",
                icon(path)
            )
        };
        let _ = writeln!(
            out,
            "<nav class=\"controls scripted\" aria-label=\"Steps of the debate\">\n\
             <div class=\"buttons\">{}{}<button type=\"button\" id=\"play\" \
             title=\"Play (space)\">{}{}<span>Play</span></button>{}{}</div>\n\
             <input type=\"range\" id=\"at\" min=\"{before}\" max=\"{}\" value=\"{}\" step=\"1\" \
             aria-label=\"Event\"/>\n<output id=\"where\" for=\"at\"></output>",
            button("first", "M3 2h2v12H3zM14 2v12L6 8z", "To the start", "Home"),
            button("back", "M12 2v12L4 8z", "One event back", "←"),
            icon("M4 2v12l9-6z"),
            icon("M3 2h4v12H3zM9 2h4v12H9z"),
            button("on", "M4 2v12l8-6z", "One event on", "→"),
            button("last", "M2 2v12l8-6zM11 2h2v12h-2z", "To the end", "End"),
            self.to,
            self.to
        );
        out.push_str("<div class=\"rounds\" id=\"rounds\">");
        let first = Round::first_of(&self.debate.state().schedule());
        for (round, event) in self.rounds() {
            let label = round.label(first);
            let (name, button) = match round {
                Round::Initial => ("First estimate".to_owned(), "start".to_owned()),
                Round::Number(_) => (format!("Round {label}"), format!("round {label}")),
            };
            let _ = write!(
                out,
                "<button type=\"button\" data-event=\"{event}\" data-round=\"{label}\" \
                 title=\"{name}\">{button}</button>"
            );
        }
        out.push_str("</div>\n");
        out.push_str(
            "<div class=\"now\"><p id=\"now\" aria-live=\"polite\" aria-atomic=\"true\"></p>\
             <p id=\"strip\" class=\"faint\"></p></div>\n</nav>\n",
        );
    }

    /// Where each round begins on this page. A debate of very many rounds is not given a button
    /// for each.
    fn rounds(&self) -> Vec<(Round, usize)> {
        let mut rounds: Vec<(Round, usize)> = Vec::new();
        for transcript_event in self.shown() {
            let entry = self.debate.log().entries().get(transcript_event.entry);
            let enters = match entry.map(|entry| &entry.event) {
                Some(Event::Entered { round, .. }) => Some(Round::Number(*round)),
                _ if transcript_event.n == 1 => transcript_event.round,
                _ => None,
            };
            if let Some(round) = enters
                && rounds.last().is_none_or(|(last, _)| *last != round)
            {
                rounds.push((round, transcript_event.n));
            }
        }
        rounds
    }
}

/// What the keys do.
pub(super) fn keys() -> String {
    let keys = [
        ("← →", "one event"),
        ("Home End", "start and end"),
        ("space", "play"),
        ("[ ]", "rounds"),
        ("1–9", "that round"),
        ("t", "light or dark"),
    ];
    let each = keys.map(|(key, does)| format!("<span><kbd>{key}</kbd> {does}</span>"));
    format!("<p class=\"keys scripted\">{}</p>", each.join(" "))
}
