//! `csv`: one line per event, for spreadsheets and data frames.
//!
//! The format is RFC 4180: a header, commas, lines ended by CR LF, and quotation marks if needed. A text cell that a
//! spreadsheet would read as a formula has an apostrophe before it; numbers stay numbers. The last columns give the
//! save's name, the result of its verification, and the first difference if it does not verify.

use std::io::{self, Write};

use super::{ExportFormat, ExportFunctionByInput, ExportNotes, ReplayedSave, TranscriptEvent};
use debate_core::observe::ObservedLogEntry;
use debate_core::{Event, Number as _};
use debate_host::message::event;
use debate_text::table::{csv_line, spreadsheet_safe_cell_text as cell};

pub(super) const FORMAT: ExportFormat = ExportFormat {
    name: "csv",
    dated: false,
    about: "one line per event, for spreadsheets and data frames (RFC 4180)",
    ending: "csv",
    takes: &[],
    of: ExportFunctionByInput::Saves(|debates, _, out| Ok(write(debates, out)?)),
};

const COLUMNS: &str = "event,step,round,seat,player,kind,claim,probability,\
    value,reward,payoff,milliseconds,text,note,save,verified,first_difference";

const END: &str = "\r\n";

fn write(debates: &[ReplayedSave<'_>], out: &mut dyn Write) -> io::Result<ExportNotes> {
    write!(out, "{COLUMNS}{END}")?;
    for debate in debates {
        put(out, debate)?;
    }
    Ok(ExportNotes::new())
}

fn put(out: &mut dyn Write, debate: &ReplayedSave<'_>) -> io::Result<()> {
    let first_difference = debate.save.first_difference();
    let why = first_difference.map_or_else(String::new, |difference| cell(&difference.to_string()));
    for transcript_event in debate.transcript_events() {
        let Some(entry) = debate.log().entries().get(transcript_event.entry) else {
            continue;
        };
        let open = matches!(
            debate.seen(transcript_event),
            Some(ObservedLogEntry::Open(_))
        );
        let event = Some(&entry.event).filter(|_| open);
        let sentence = debate.event_sentence(transcript_event);
        let player = debate.visible_player_name(entry.seat);
        let number = |value: f64| value.to_string();
        let TranscriptEvent { n, step, round, .. } = transcript_event;
        let (claim, p) = (
            event.and_then(Event::claim),
            event.and_then(Event::probability_in_event),
        );
        let (value, reward) = (
            event.and_then(event::event_outcome_text),
            debate.reward_paid_by_event(transcript_event),
        );
        let cells = csv_line([
            n.to_string(),
            step.to_string(),
            round.map(|round| round.to_string()).unwrap_or_default(),
            entry.seat.name_in_flags_and_json().to_owned(),
            cell(player),
            entry.event.event_kind_name().to_owned(),
            claim
                .map(|claim| cell(&debate.instance.text(claim)))
                .unwrap_or_default(),
            p.map(|p| number(p.to_float())).unwrap_or_default(),
            value.map(|value| cell(&value)).unwrap_or_default(),
            reward
                .map(|reward| number(reward.to_float()))
                .unwrap_or_default(),
            number(transcript_event.payoff.to_float()),
            transcript_event
                .ms
                .map(|ms| ms.to_string())
                .unwrap_or_default(),
            cell(&sentence.text),
            cell(transcript_event.note.as_deref().unwrap_or_default()),
            cell(&debate.name),
            first_difference.is_none().to_string(),
            why.clone(),
        ]);
        write!(out, "{cells}{END}")?;
    }
    Ok(())
}
