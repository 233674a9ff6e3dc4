//! Imports texts of the export format `game`: restores the saves from which they were exported.

use super::save::file_name_for_debate;
use super::{ImportError, ImportedSave};
use debate_core::text::strip_byte_order_mark;
use debate_host::record::read_game_text;
use debate_solver::setup::ScenarioLimits;

/// Returns the save that a text of the export format `game` describes. `name` is the name of the text's file.
///
/// # Errors
/// The line and the reason, if the text is not such a debate, or the debate does not follow from its rules and seed.
pub fn import_game_text(name: &str, text: &str) -> Result<ImportedSave, ImportError> {
    let read = read_game_text(strip_byte_order_mark(text), &ScenarioLimits::default());
    let (save, text) = read.map_err(|mistake| {
        ImportError::error_at_place(format!("line {}", mistake.line), mistake.what)
    })?;
    Ok(ImportedSave {
        name: file_name_for_debate(name),
        text,
        finished: save.stated_debate_end().is_some(),
        notes: Vec::new(),
        normalised: Vec::new(),
        cut_quotes: 0,
    })
}
