//! `game`: a text in the manner of chess's PGN, which a person can read and `import game` reads back to the same save.

use std::collections::BTreeMap;
use std::io::Write;

use super::{ExportError, ExportFormat, ExportFunctionByInput, ExportNotes, ReplayedSave};
use debate_core::protocol::LogViewerRole;
use debate_host::record::write_game_text;

pub(super) const FORMAT: ExportFormat = ExportFormat {
    name: "game",
    dated: false,
    about: "a text to read and to import again: tags, then numbered moves, like chess's PGN",
    ending: "game",
    takes: &[],
    of: ExportFunctionByInput::Save(|debate, _, out| write(debate, out)),
};

fn write(debate: &ReplayedSave<'_>, out: &mut dyn Write) -> Result<ExportNotes, ExportError> {
    let refused = |why: String| {
        ExportError::Option(format!(
            "the export cannot be written in the format `game`: {why}"
        ))
    };
    // The text holds every reply, so it would show hidden ones to players who can continue.
    if debate.facts.reader != LogViewerRole::ALL {
        let why = "the debate is unfinished, and its players must not see all replies yet";
        return Err(refused(why.to_owned()));
    }
    let numbers: Vec<u64> = debate.save.moves_not_undone().map(|line| line.n).collect();
    let mut comments: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for event in debate.transcript_events() {
        let number = event.step.checked_sub(1).and_then(|step| numbers.get(step));
        if let Some(number) = number {
            let sentences = comments.entry(*number).or_default();
            sentences.push(debate.event_sentence(event).text);
        }
    }
    let of = |number: u64| comments.get(&number).cloned().unwrap_or_default();
    let text = write_game_text(debate.save, &debate.facts.title, of);
    let text = text.map_err(|why| refused(why.to_string()))?;
    out.write_all(text.as_bytes())?;
    Ok(ExportNotes::new())
}
