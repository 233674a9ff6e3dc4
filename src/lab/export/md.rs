//! `md`: a transcript to read, with the table of rewards and the report.

use std::fmt::Write as _;

use super::safe::{markdown, markdown_line};
use super::{Format, FormatWriter, SavedDebate};
use crate::tell::{Line, Narration};
use debate_core::protocol::Seat;

pub(super) const FORMAT: Format = Format {
    name: "md",
    dated: false,
    about: "a transcript to read, with the rewards and the report, in Markdown",
    ending: "md",
    takes: &[],
    of: FormatWriter::Save(|debate, _| Ok(write(debate).into())),
};

fn write(debate: &SavedDebate<'_>) -> String {
    let mut out = String::new();
    let (scene, log) = (&debate.facts, debate.log());
    let narration = Narration::new(scene, debate.state(), log, 0..0);
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# {}\n", markdown(&scene.title));
    if let Some(warning) = debate.save.warning() {
        let _ = writeln!(out, "> **{}**\n", markdown(&warning));
    }
    if !scene.opening_text().is_empty() {
        let about = markdown_line(&scene.opening_text().replace('\n', " "));
        let _ = writeln!(out, "{about}\n");
    }
    let _ = writeln!(out, "| | |\n| --- | --- |");
    for (name, value) in debate.facts() {
        let _ = writeln!(out, "| {} | {} |", markdown(&name), markdown(&value));
    }
    let rules = markdown(scene.kind.introduction().rules);
    let _ = writeln!(out, "\n{rules}\n\n## Transcript\n");
    for transcript_event in debate.transcript_events() {
        let entry = narration.entry(transcript_event.entry);
        let event = log.entries().get(transcript_event.entry);
        let first = event.is_some_and(|entry| entry.event.begins_section());
        if first && transcript_event.n > 1 {
            out.push('\n');
        }
        let _ = writeln!(out, "{}. {}", transcript_event.n, line(&entry, first));
    }
    if let Some(why) = debate.breaking_off(narration.next()) {
        let _ = writeln!(out, "\n{}", markdown(&why));
    }
    let _ = writeln!(out, "\n## Rewards to Alice\n");
    if narration.compares() {
        let _ = writeln!(out, "| round | weight | bet | came | p | paid |");
        let _ = writeln!(out, "| --- | ---: | --- | --- | ---: | ---: |");
        for paid in narration.rewards() {
            let mark = if paid.dominant { " ◆" } else { "" };
            let cells: Vec<String> = paid.cells().iter().map(|cell| markdown(cell)).collect();
            let _ = writeln!(out, "| {}{mark} |", cells.join(" | "));
        }
        let _ = writeln!(out, "\n◆ marks the round that outweighs all others.");
    } else {
        let reasons = narration.reward_reasons().into_iter();
        let lines = reasons.map(|entry| line(&entry, false));
        let full: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        let _ = writeln!(out, "{}", full.join("  \n"));
    }
    if debate.is_over() {
        let _ = writeln!(out, "\n## Report\n");
        for entry in narration.report(&debate.seating.ledger()) {
            let _ = writeln!(out, "- {}", line(&entry, false));
        }
    }
    out
}

/// An entry as one item, perhaps of several lines.
fn line(entry: &Line, heading: bool) -> String {
    let body = entry.text();
    let label = entry.label.trim();
    let numbered = body.trim().lines().enumerate();
    let lines = numbered.map(|(place, line)| match (place, label) {
        (0, label) if heading || !label.is_empty() => markdown(line),
        _ => markdown_line(line),
    });
    let body = lines.collect::<Vec<_>>().join("  \n   ");
    match (label, heading) {
        ("", true) => format!("**{body}**"),
        ("", false) => body,
        (label, _) if Seat::PLAYERS.iter().any(|seat| seat.person() == label) => {
            format!("**{label}** {body}")
        }
        (label, _) => format!("**{}**: {body}", markdown(label)),
    }
}
