//! `html`: one page that holds everything: transcript, claims, rewards and report, with keys to
//! step through the debate.
//!
//! The page refers to nothing outside itself, and its policy forbids that anything be loaded or
//! sent, and that any script or style run but its own. Without scripts, and on paper, it shows
//! the whole debate. `#event=7` opens it at event 7.

mod states;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

use super::safe::{json_in_page, markup};
use super::{ExportError, ExportOptions, ExportedText, Format, FormatWriter, SavedDebate};
use crate::tell::{Line, Narration, Role};
use debate_core::protocol::{Round, Rules as _, Seat};
use states::{BARS, PanelStates};

pub(super) const FORMAT: Format = Format {
    name: "html",
    dated: false,
    about: "one page to scrub through in any browser, without a network",
    ending: "html",
    takes: &["--events"],
    of: FormatWriter::Save(write),
};

const EVENTS: usize = 2_000;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

fn write(debate: &SavedDebate<'_>, asked: &ExportOptions) -> Result<ExportedText, ExportError> {
    let last = debate.transcript_events().len();
    let (from, to) = match asked.events {
        Some((from, _)) if from > last => return Err(ExportError::NoEvent { asked: from, last }),
        Some((from, to)) if to - from >= EVENTS => {
            return Err(ExportError::Option(format!(
                "--events: a page holds at most {EVENTS} events, and {from}..{to} are {}",
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
        format!("Events {from} to {to} of {last} are on this page; --events writes others.")
    });
    let page = Page {
        debate,
        told: Narration::new(&debate.facts, debate.state(), debate.log(), 0..0),
        states: PanelStates::of(debate, from, to)?,
        from,
        to,
        cut: cut.clone(),
    };
    let mut text = String::new();
    page.put(&mut text);
    let notes = cut.into_iter().collect();
    Ok(ExportedText { text, notes })
}

/// A page under way. Writing to a string cannot fail.
struct Page<'d, 'a> {
    debate: &'d SavedDebate<'a>,
    told: Narration<'d, 'a>,
    states: PanelStates,
    from: usize,
    to: usize,
    cut: Option<String>,
}

/// The digest by which the page's Content-Security-Policy allows a script or a style.
fn digest(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// The CSS class of a role.
fn class(role: Role) -> &'static str {
    match role {
        Role::Faint => "faint",
        Role::Title => "strong",
        Role::Good => "good",
        Role::Bad => "bad",
        _ => "",
    }
}

/// The CSS class of a speaker.
fn party(seat: Seat) -> &'static str {
    match seat {
        Seat::Prover => "alice",
        Seat::Opponent => "bob",
        Seat::Judge => "judge",
        Seat::Chance => "coin",
    }
}

/// The body of an entry: each piece in its role, each line on its own.
fn body(entry: &Line) -> String {
    let mut out = String::new();
    let last = entry.body.len();
    for (place, piece) in entry.body.iter().enumerate() {
        // Gaps between entries are the style's business.
        let is_last = place + 1 == last;
        let text = if is_last {
            piece.text.trim_end()
        } else {
            &piece.text
        };
        if text.is_empty() {
            continue;
        }
        // A number and its sign stay on one line.
        let lines = markup(text).replace('\n', "<br/>").replace(" %", "\u{a0}%");
        let _ = match class(piece.role) {
            "" => write!(out, "{lines}"),
            class => write!(out, "<span class=\"{class}\">{lines}</span>"),
        };
    }
    out
}

impl Page<'_, '_> {
    fn put(&self, out: &mut String) {
        let title = markup(&self.debate.facts.title);
        let _ = writeln!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src {}; script-src {}; base-uri 'none'; form-action 'none'\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"referrer\" content=\"no-referrer\"/>\n\
             <meta name=\"generator\" content=\"debate-tui {}\"/>\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>",
            digest(STYLE),
            digest(SCRIPT),
            env!("CARGO_PKG_VERSION")
        );
        self.put_header(out);
        self.put_controls(out);
        out.push_str("<main>\n");
        self.put_tree(out);
        self.put_transcript(out);
        self.put_rewards(out);
        out.push_str("</main>\n");
        self.put_report(out);
        let _ = writeln!(
            out,
            "<footer>{}<p class=\"faint\">Written by debate-tui {}. \
             The page holds everything that it shows.</p></footer>",
            keys(),
            env!("CARGO_PKG_VERSION")
        );
        let data = json_in_page(&self.states.json().to_string());
        let _ = writeln!(
            out,
            "<script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>{SCRIPT}</script>\n</body>\n</html>"
        );
    }

    fn put_header(&self, out: &mut String) {
        let scene = &self.debate.facts;
        let _ = writeln!(
            out,
            "<header>\n<div class=\"bar\"><span class=\"brand\">debate-tui</span>\
             <button type=\"button\" id=\"theme\" class=\"scripted\" \
             title=\"Light or dark (t)\"><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M8 1a7 7 0 1 0 0 14z\"/>\
             <circle cx=\"8\" cy=\"8\" r=\"6.4\"/></svg><span>Theme</span></button></div>\n\
             <h1 dir=\"auto\">{}</h1>",
            markup(&scene.title)
        );
        if let Some(warning) = self.debate.save.warning() {
            let text = markup(&warning);
            let _ = writeln!(
                out,
                "<p class=\"unverified\" role=\"alert\" dir=\"auto\">{text}</p>"
            );
        }
        if !scene.opening_text().is_empty() {
            let text = markup(scene.opening_text());
            let _ = writeln!(out, "<p class=\"about\" dir=\"auto\">{text}</p>");
        }
        let claim = markup(&self.debate.instance.text(self.debate.instance.root()));
        let _ = writeln!(
            out,
            "<p class=\"claim\">Debated: <q dir=\"auto\">{claim}</q></p>"
        );
        out.push_str("<dl class=\"facts\">\n");
        for (name, value) in self.debate.facts() {
            let (name, value) = (markup(&name), markup(&value));
            let _ = writeln!(
                out,
                "<div><dt>{name}</dt><dd dir=\"auto\">{value}</dd></div>"
            );
        }
        let rules = markup(scene.kind.introduction().rules);
        out.push_str("</dl>\n<details><summary>The rules in short</summary>");
        let _ = writeln!(out, "<p>{rules}</p></details>");
        if let Some(cut) = &self.cut {
            let _ = writeln!(out, "<p class=\"cut\">{}</p>", markup(cut));
        }
        out.push_str("</header>\n");
    }

    fn shown(&self) -> &[super::TranscriptEvent] {
        let all = self.debate.transcript_events();
        all.get(self.from - 1..self.to).unwrap_or_default()
    }

    fn put_tree(&self, out: &mut String) {
        out.push_str(
            "<section class=\"panel\" id=\"recursion\" aria-labelledby=\"h-tree\">\
             <h2 id=\"h-tree\">Recursion</h2>\n<ol class=\"tree\" id=\"tree\">\n",
        );
        for row in self.states.final_tree() {
            let rails = "<i></i>".repeat(row.depth.into());
            let _ = writeln!(
                out,
                "<li class=\"{}\" title=\"{}\">{rails}<span class=\"fold\">{}</span>\
                 <span class=\"text\" dir=\"auto\">{}</span><span class=\"mark\">{}</span>\
                 <span class=\"value\">{}</span></li>",
                row.class,
                markup(&row.full),
                if row.open { "▾" } else { "" },
                markup(&row.text),
                row.sign,
                markup(&row.value)
            );
        }
        out.push_str("</ol></section>\n");
    }

    fn put_transcript(&self, out: &mut String) {
        out.push_str(
            "<section class=\"panel\" id=\"said\" aria-labelledby=\"h-said\">\
             <h2 id=\"h-said\">Transcript</h2>\n<ol class=\"transcript\" id=\"events\">\n",
        );
        for transcript_event in self.shown() {
            let entry = self.told.entry(transcript_event.entry);
            let event = self.debate.log().entries().get(transcript_event.entry);
            let heading = event.is_some_and(|entry| entry.event.begins_section());
            let who = self.debate.sentence(transcript_event).who;
            let label = who.map_or_else(String::new, |seat| {
                let (class, name) = (party(seat), markup(&entry.label));
                format!("<b class=\"who {class}\">{name}</b> ")
            });
            let class = if heading { " class=\"heading\"" } else { "" };
            let (n, body) = (transcript_event.n, body(&entry));
            let _ = writeln!(
                out,
                "<li id=\"event={n}\" value=\"{n}\"{class}>{label}\
                 <span class=\"what\" dir=\"auto\">{body}</span></li>"
            );
        }
        out.push_str("</ol>");
        if let Some(why) = self.debate.breaking_off(self.told.next()) {
            let _ = write!(out, "<p class=\"faint unfinished\">{}</p>", markup(&why));
        }
        out.push_str("</section>\n");
    }

    fn put_rewards(&self, out: &mut String) {
        out.push_str(
            "<section class=\"panel\" id=\"paid\" aria-labelledby=\"h-paid\">\
             <h2 id=\"h-paid\">Rewards to Alice</h2>\n",
        );
        if self.told.compares() {
            out.push_str(
                "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">round</th>\
                 <th scope=\"col\">weight</th><th scope=\"col\">bet</th>\
                 <th scope=\"col\">came</th><th scope=\"col\">p</th><th scope=\"col\">paid</th>\
                 </tr></thead>\n<tbody id=\"rewards\">\n",
            );
            for row in self.states.final_rewards() {
                let _ = write!(out, "<tr class=\"{}\">", row.class);
                let [round, cells @ ..] = row.cells.each_ref().map(|cell| markup(cell));
                let _ = write!(out, "<th scope=\"row\">{round}</th>");
                for cell in cells {
                    let _ = write!(out, "<td>{cell}</td>");
                }
                out.push_str("</tr>\n");
            }
            out.push_str("</tbody></table></div>\n");
            self.put_chart(out);
        }
        out.push_str("<div id=\"because\">");
        for line in self.states.final_because() {
            let (class, text) = (line.class, markup(&line.text));
            let _ = write!(out, "<p class=\"{class}\">{text}</p>");
        }
        out.push_str("</div></section>\n");
    }

    /// The rewards as bars on the scale of the screen's chart.
    fn put_chart(&self, out: &mut String) {
        let rows = self.states.final_rewards();
        let width = rows.len() * BARS.pitch;
        let _ = writeln!(
            out,
            "<figure class=\"chart\"><svg viewBox=\"0 0 {width} {}\" role=\"img\" \
             aria-label=\"Rewards by round on a logarithmic scale with a sign\" \
             preserveAspectRatio=\"xMinYMid meet\" height=\"{}\" id=\"chart\">\
             <line x1=\"0\" x2=\"{width}\" y1=\"{}\" y2=\"{}\"/>",
            BARS.height, BARS.height, BARS.zero, BARS.zero
        );
        for (place, row) in rows.iter().enumerate() {
            let (top, high) = BARS.bar(row.height);
            let left = place * BARS.pitch;
            let _ = writeln!(
                out,
                "<rect class=\"{}\" x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{high}\" \
                 rx=\"1.5\"/><text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>",
                row.class,
                left + BARS.gap,
                BARS.pitch - 2 * BARS.gap,
                row.class,
                left + BARS.pitch / 2,
                BARS.height - 4,
                markup(row.cells.first().map_or("", String::as_str))
            );
        }
        out.push_str(
            "</svg><figcaption class=\"faint\">Logarithmic both ways; ◆ outweighs all other \
             rounds.</figcaption></figure>\n",
        );
    }

    fn put_report(&self, out: &mut String) {
        if !self.debate.is_over() {
            return;
        }
        out.push_str(
            "<section class=\"panel report\" id=\"report\" aria-labelledby=\"h-report\">\
             <h2 id=\"h-report\">What came of it</h2>\n<dl>\n",
        );
        for entry in self.told.report(&self.debate.seating.ledger()) {
            let label = entry.label.trim();
            let mut seats = Seat::PLAYERS.into_iter();
            let seat = seats.find(|seat| seat.person() == label);
            let class = seat.map_or("", party);
            let _ = write!(out, "<div><dt class=\"{class}\">{}</dt>", markup(label));
            let _ = writeln!(out, "<dd dir=\"auto\">{}</dd></div>", body(&entry));
        }
        out.push_str("</dl></section>\n");
    }
}

impl Page<'_, '_> {
    /// Writes the controls. They are hidden until the page's script shows them.
    fn put_controls(&self, out: &mut String) {
        let before = self.from - 1;
        let icon = |path: &str| {
            format!("<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"{path}\"/></svg>")
        };
        let button = |id: &str, path: &str, name: &str, key: &str| {
            let names = format!("aria-label=\"{name}\" title=\"{name} ({key})\"");
            format!(
                "<button type=\"button\" id=\"{id}\" {names}>{}</button>",
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
        out.push_str(
            "</div>\n<div class=\"now\"><p id=\"now\" aria-live=\"polite\" aria-atomic=\"true\"></p>\
             <p id=\"strip\" class=\"faint\"></p></div>\n</nav>\n",
        );
    }

    /// Where each round begins on this page. A debate of very many rounds is not given a button
    /// for each.
    fn rounds(&self) -> Vec<(Round, usize)> {
        let mut rounds: Vec<(Round, usize)> = Vec::new();
        for transcript_event in self.shown() {
            let entry = self.debate.log().entries().get(transcript_event.entry);
            let entered = entry.and_then(|entry| entry.event.round_entered());
            let first = transcript_event.round.filter(|_| transcript_event.n == 1);
            let enters = entered.map(Round::Number).or(first);
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
fn keys() -> String {
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
