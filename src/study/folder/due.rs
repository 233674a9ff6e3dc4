//! The day after which the logs are to be deleted.

use std::time::SystemTime;

use crate::Study;
use crate::error::StudyError;
use debate_lab::record::utc;

impl Study {
    /// True if the day is over that the study file names for the deletion of the logs.
    pub fn is_deletion_due(&self) -> bool {
        let day = self.plan.delete_raw_after.as_ref();
        day.is_some_and(|day| utc(SystemTime::now()) > format!("{day}T23:59:59Z"))
    }

    /// Deletes the logs, the debates and the names of all participants once the day is over that the
    /// study file names. Returns how many sessions there were.
    ///
    /// # Errors
    /// If the file names no day, the day is not over, or something cannot be deleted.
    pub fn delete_due(&self) -> Result<usize, StudyError> {
        match &self.plan.delete_raw_after {
            Some(_) if self.is_deletion_due() => self.folder.delete_raw(),
            Some(day) => Err(StudyError::Plan(format!(
                "the logs are to be deleted after {day}, which is not over"
            ))),
            None => Err(StudyError::Plan(
                "the study file names no day; add `delete_raw_after: \"2027-06-30\"`, or forget participants one by one"
                    .to_owned(),
            )),
        }
    }
}
