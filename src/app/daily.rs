//! Chooses the state from which a daily debate starts: its unfinished save, or a new debate.

use super::Result;
use super::page::DebateStart;
use debate_host::plan::{DailyDate, unfinished_daily_save};
use debate_host::record::SaveListing;

/// Returns the start of a day's daily debate: its save if the user began the debate and can continue it, else a new
/// debate. A finished debate starts anew. `saves` are all saves in the folder.
pub fn start_of_daily_debate(date: DailyDate, saves: &[SaveListing]) -> Result<DebateStart> {
    Ok(match unfinished_daily_save(date, saves) {
        Some(path) => DebateStart::Kept(path),
        None => DebateStart::New(date.daily_debate_plan()?),
    })
}
