//! The start of a daily debate.

use super::Result;
use super::page::DebateStart;
use debate_host::plan::{DailyDate, unfinished_daily_save};
use debate_host::record::SaveListing;

/// Returns the start of a day's daily debate: its save if the user already began the debate, else a new debate. `saves`
/// are all saves in the folder.
pub fn daily_start(date: DailyDate, saves: &[SaveListing]) -> Result<DebateStart> {
    Ok(match unfinished_daily_save(date, saves) {
        Some(path) => DebateStart::Kept(path),
        None => DebateStart::New(date.daily_debate_plan()?),
    })
}
