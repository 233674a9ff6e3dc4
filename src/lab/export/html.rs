//! `html`: a self-contained page with transcript, claims, rewards and report, and keys to step through the debate.
//!
//! The page has no references outside itself. Its policy forbids loading or sending anything, and running any script or
//! style but its own. Without scripts, and on paper, it shows all its events. `#event=7` opens it at event 7.

mod states;

use std::fmt::Write as _;
use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::safe::escape_html_or_svg;
use super::{
    ExportError, ExportFormat, ExportFunctionByInput, ExportNotes, ExportOptions, ReplayedSave,
};
use debate_core::protocol::{Round, Rules as _, Seat};
use debate_text::{Line, ReplayFrame, TemplateSplitAtList, TextRole, fill_template};
use states::{BAR_CHART, HtmlPageStates};

pub(super) const FORMAT: ExportFormat = ExportFormat {
    name: "html",
    dated: false,
    about: "one page to step through in any browser, without a network",
    ending: "html",
    takes: &["--events"],
    of: ExportFunctionByInput::Save(write),
};

const EVENTS: usize = 2_000;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// The page template, with placeholders for the values of [`Page::document`].
const PAGE: &str = include_str!("html/page.html");

/// The placeholder for the script's data.
const DATA: &str = "{{&data}}";

fn write(
    debate: &ReplayedSave<'_>,
    asked: &ExportOptions,
    out: &mut dyn io::Write,
) -> Result<ExportNotes, ExportError> {
    let last = debate.transcript_events().len();
    let (from, to) = match asked.events {
        Some((from, _)) if from > last => return Err(ExportError::NoEvent { asked: from, last }),
        Some((from, to)) if to - from >= EVENTS => {
            return Err(ExportError::Option(format!(
                "--events: a page holds at most {EVENTS} events, but {from}..{to} has {}",
                to - from + 1
            )));
        }
        Some((from, to)) => (from, to.min(last)),
        None => (1, last.min(EVENTS)),
    };
    let shown = debate
        .transcript_events()
        .get(from - 1..to)
        .unwrap_or_default();
    let cut = (shown.len() < last).then(|| {
        format!("This page has events {from} to {to} of {last}. Select others with --events.")
    });
    let page = Page {
        debate,
        told: ReplayFrame::new(&debate.facts, debate.state(), debate.log(), 0..0),
        states: HtmlPageStates::for_events_between(debate, from, to)?,
        from,
        to,
        cut: cut.clone(),
    };
    page.write(out)?;
    Ok(cut.into_iter().collect())
}

/// The content of a page.
struct Page<'d, 'a> {
    debate: &'d ReplayedSave<'a>,
    told: ReplayFrame<'d, 'a>,
    states: HtmlPageStates,
    from: usize,
    to: usize,
    cut: Option<String>,
}

/// Returns the digest with which the page's Content-Security-Policy allows a script or a style.
fn digest(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Returns the CSS class for a text role.
fn class(role: TextRole) -> &'static str {
    match role {
        TextRole::Faint => "faint",
        TextRole::Title => "strong",
        TextRole::Good => "good",
        TextRole::Bad => "bad",
        _ => "",
    }
}

/// Returns the CSS class of a speaker.
fn party(seat: Seat) -> &'static str {
    match seat {
        Seat::Prover => "alice",
        Seat::Opponent => "bob",
        Seat::Judge => "judge",
        Seat::Chance => "coin",
    }
}

/// Returns the body of a transcript line as HTML: each piece with the class of its role. A line feed becomes `<br/>`.
fn body(entry: &Line) -> String {
    let mut out = String::new();
    let last = entry.body.len();
    for (index, piece) in entry.body.iter().enumerate() {
        // The style sheet sets the gaps between entries.
        let is_last = index + 1 == last;
        let text = if is_last {
            piece.text.trim_end()
        } else {
            &piece.text
        };
        if text.is_empty() {
            continue;
        }
        // Keeps a number and its percent sign on one line.
        let lines = escape_html_or_svg(text)
            .replace('\n', "<br/>")
            .replace(" %", "\u{a0}%");
        let _ = match class(piece.role) {
            "" => write!(out, "{lines}"),
            class => write!(out, "<span class=\"{class}\">{lines}</span>"),
        };
    }
    out
}

impl Page<'_, '_> {
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let document = self.document();
        let template = TemplateSplitAtList::split_at_list(PAGE, "events");
        out.write_all(fill_template(template.before, &document, escape_html_or_svg).as_bytes())?;
        for shown in self.shown() {
            let item = self.event(shown);
            out.write_all(fill_template(template.item, &item, escape_html_or_svg).as_bytes())?;
        }
        let (before, after) = template
            .after
            .split_once(DATA)
            .unwrap_or((template.after, ""));
        out.write_all(fill_template(before, &document, escape_html_or_svg).as_bytes())?;
        self.states.write_json(out)?;
        out.write_all(fill_template(after, &document, escape_html_or_svg).as_bytes())
    }

    /// Returns the values for the page template's placeholders, except the events and the script's data.
    fn document(&self) -> Value {
        let debate = self.debate;
        let facts = &self.debate.facts;
        let instance = debate.instance;
        let about = Some(facts.scenario_introduction()).filter(|about| !about.is_empty());
        let tree = self.states.tree_rows_after_last_event().iter().map(|row| {
            let rails = vec![(); row.depth.into()];
            json!({ "row": row, "rails": rails })
        });
        json!({
            "style_digest": digest(STYLE),
            "script_digest": digest(SCRIPT),
            "style": STYLE,
            "script": SCRIPT,
            "version": env!("CARGO_PKG_VERSION"),
            "title": facts.title,
            "warning": debate.save.verification_warning(),
            "about": about,
            "claim": instance.text(instance.root()),
            "facts": debate.debate_facts(),
            "rules": facts.kind.protocol_texts().rules,
            "cut": self.cut,
            "before": self.from - 1,
            "to": self.to,
            "rounds": self.rounds(),
            "tree": tree.collect::<Vec<_>>(),
            "unfinished": debate.unfinished_reason(self.told.next_move_sentence()),
            "table": self.told.has_several_paying_rounds().then(|| self.table()),
            "because": self.states.reason_lines_after_last_event(),
            "report": debate.is_over().then(|| self.report()),
        })
    }

    fn shown(&self) -> &[super::TranscriptEvent] {
        let all = self.debate.transcript_events();
        all.get(self.from - 1..self.to).unwrap_or_default()
    }

    fn event(&self, shown: &super::TranscriptEvent) -> Value {
        let entry = self.told.transcript_line(shown.entry);
        let event = self.debate.log().entries().get(shown.entry);
        let who = self.debate.event_sentence(shown).who;
        json!({
            "n": shown.n,
            "heading": event.is_some_and(|entry| entry.event.begins_transcript_section()),
            "who": who.map(|seat| json!({ "class": party(seat), "name": entry.label })),
            "body": body(&entry),
        })
    }

    /// Returns the rewards as rows of a table and as bars. The bars have a log scale from the smallest to the largest
    /// round weight.
    fn table(&self) -> Value {
        let rows = self.states.reward_rows_after_last_event();
        let rewards = rows.iter().enumerate().map(|(index, row)| {
            let (top, high) = BAR_CHART.bar_or_mark_top_and_height(row.height);
            let left = index * BAR_CHART.pitch;
            json!({
                "class": row.class,
                "cells": row.cells,
                "left": left + BAR_CHART.gap,
                "middle": left + BAR_CHART.pitch / 2,
                "top": top.to_string(),
                "high": high.to_string(),
            })
        });
        json!({
            "rewards": rewards.collect::<Vec<_>>(),
            "width": rows.len() * BAR_CHART.pitch,
            "height": BAR_CHART.height,
            "zero": BAR_CHART.zero,
            "bar": BAR_CHART.pitch - 2 * BAR_CHART.gap,
            "foot": BAR_CHART.height - 4,
        })
    }

    fn report(&self) -> Value {
        let entries = self
            .told
            .end_report_lines(&self.debate.seating.spending_by_seat());
        let lines = entries.iter().map(|entry| {
            let label = entry.label.trim();
            let mut seats = Seat::PLAYERS.into_iter();
            let seat = seats.find(|seat| seat.player_name_of_seat() == label);
            json!({ "class": seat.map_or("", party), "label": label, "body": body(entry) })
        });
        json!({ "lines": lines.collect::<Vec<_>>() })
    }

    /// Returns the buttons that jump to rounds: for each round that begins on this page, its first event and its
    /// labels.
    fn rounds(&self) -> Vec<Value> {
        let mut rounds: Vec<(Round, usize)> = Vec::new();
        for transcript_event in self.shown() {
            let entry = self.debate.log().entries().get(transcript_event.entry);
            let entered = entry.and_then(|entry| entry.event.round_started_by_event());
            let first = transcript_event.round.filter(|_| transcript_event.n == 1);
            let enters = entered.map(Round::Number).or(first);
            if let Some(round) = enters
                && rounds.last().is_none_or(|(last, _)| *last != round)
            {
                rounds.push((round, transcript_event.n));
            }
        }
        let first = Round::first_of(&self.debate.state().schedule());
        let buttons = rounds.into_iter().map(|(round, event)| {
            let label = round.round_label(first);
            let (name, button) = match round {
                Round::Initial => ("First estimate".to_owned(), "start".to_owned()),
                Round::Number(_) => (format!("Round {label}"), format!("round {label}")),
            };
            json!({ "event": event, "label": label, "name": name, "button": button })
        });
        buttons.collect()
    }
}
