//! `md`: a transcript to read, with the table of rewards and the report.

use std::io::{self, Write};

use serde_json::json;

use super::safe::{escape_markdown, escape_markdown_line};
use super::{ExportFormat, ExportFunctionByInput, ExportNotes, ReplayedSave};
use debate_core::protocol::Seat;
use debate_text::{Line, ReplayFrame, TemplateSplitAtList, fill_template};

pub(super) const FORMAT: ExportFormat = ExportFormat {
    name: "md",
    dated: false,
    about: "a transcript to read, with the rewards and the report, in Markdown",
    ending: "md",
    takes: &[],
    of: ExportFunctionByInput::Save(|debate, _, out| Ok(write(debate, out)?)),
};

/// The text template, with placeholders for the values of [`write()`].
const TEXT: &str = include_str!("md/text.md");

fn write(debate: &ReplayedSave<'_>, out: &mut dyn Write) -> io::Result<ExportNotes> {
    let scene = &debate.facts;
    let log = debate.log();
    let narration = ReplayFrame::new(scene, debate.state(), log, 0..0);
    let about = scene.scenario_introduction().replace('\n', " ");
    let rewards = narration.reward_rows().into_iter().map(|paid| {
        let mark = if paid.dominant { " ◆" } else { "" };
        let cells = paid
            .third_person_table_cells()
            .each_ref()
            .map(|cell| escape_markdown(cell));
        cells.join(" | ") + mark
    });
    let reasons = narration.last_reward_explanation_lines().into_iter();
    let lines = reasons.map(|entry| line(&entry, false));
    let full: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    let report = debate.is_over().then(|| {
        let entries = narration
            .end_report_lines(&debate.seating.spending_by_seat())
            .into_iter();
        let lines: Vec<String> = entries.map(|entry| line(&entry, false)).collect();
        json!({ "lines": lines })
    });
    let has_several_paying_rounds = narration.has_several_paying_rounds();
    let document = json!({
        "title": scene.title,
        "warning": debate.save.verification_warning(),
        "about": (!about.is_empty()).then(|| escape_markdown_line(&about)),
        "facts": debate.debate_facts(),
        "rules": scene.kind.protocol_texts().rules,
        "unfinished": debate.unfinished_reason(narration.next_move_sentence()),
        "table": has_several_paying_rounds.then(|| json!({ "rows": rewards.collect::<Vec<_>>() })),
        "reasons": (!has_several_paying_rounds).then(|| full.join("  \n")),
        "report": report,
    });
    let template = TemplateSplitAtList::split_at_list(TEXT, "events");
    out.write_all(fill_template(template.before, &document, escape_markdown).as_bytes())?;
    for shown in debate.transcript_events() {
        let event = log.entries().get(shown.entry);
        let first = event.is_some_and(|entry| entry.event.begins_transcript_section());
        let text = line(&narration.transcript_line(shown.entry), first);
        let item = json!({ "n": shown.n, "gap": first && shown.n > 1, "line": text });
        out.write_all(fill_template(template.item, &item, escape_markdown).as_bytes())?;
    }
    out.write_all(fill_template(template.after, &document, escape_markdown).as_bytes())?;
    Ok(ExportNotes::new())
}

/// Formats a line of the transcript or the report as the content of a Markdown list item, possibly of several lines.
fn line(entry: &Line, heading: bool) -> String {
    let body = entry.plain_body_text();
    let label = entry.label.trim();
    let numbered = body.trim().lines().enumerate();
    let lines = numbered.map(|(index, line)| match (index, label) {
        (0, label) if heading || !label.is_empty() => escape_markdown(line),
        _ => escape_markdown_line(line),
    });
    let body = lines.collect::<Vec<_>>().join("  \n   ");
    match (label, heading) {
        ("", true) => format!("**{body}**"),
        ("", false) => body,
        (label, _)
            if Seat::PLAYERS
                .iter()
                .any(|seat| seat.player_name_of_seat() == label) =>
        {
            format!("**{label}** {body}")
        }
        (label, _) => format!("**{}**: {body}", escape_markdown(label)),
    }
}
