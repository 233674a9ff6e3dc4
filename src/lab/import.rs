//! Imports: converts debates from other projects to saves, and questions from data sets to scenario files.
//!
//! Start with a [`ImportedSpeechDebate`], the public format; [`nyu`] debates are converted to it too.
//! [`ImportedSpeechDebate::to_imported_save`] makes a save that verifies and replays. A debate that cannot be
//! converted is refused; the error names the place in the file. [`QuestionImporter`] imports questions.

mod files;
pub mod game;
mod importer;
pub mod inspect;
pub mod nyu;
mod questions;
mod save;
mod transcript;
pub mod tree;

use std::fmt;

use thiserror::Error;

use crate::judgements::{JudgeProbabilityAfterRound, Judgement, JudgementIdentityNames};
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::speeches::JudgeScoring;

pub use files::{
    FilesToImport, ImportFileKind, find_files_to_import, read_study_metadata, read_text_file,
};
pub use importer::{DebatesInFile, NewFileWriteOutcome, write_new_file};
pub use importer::{ImportInProgress, ImportReport, ImportedDebateNotes, RefusedFile};
pub use questions::QuestionImporter;
pub use save::ImportedSave;
pub use transcript::{
    ImportedSpeech, ImportedSpeechDebate, ImportedSpeechRound, RoundJudgement,
    RoundJudgementsByAnotherJudge, WrittenProbability,
};

/// The version of the published transcript format.
pub const FORMAT: u32 = 1;

/// The reason why an import failed, or refused a debate or question, with the place in the file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub struct ImportError {
    /// The place in the file, such as `rounds[3].speeches[0]`, or the path of a file or folder. Empty for the file as a
    /// whole.
    pub place: String,
    pub what: String,
    /// True if the system failed, for example because of a full disk. The import of later files would then fail too.
    pub is_system_error: bool,
}

impl ImportError {
    pub(super) fn error_at_place(place: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self {
            place: place.into(),
            what: reason.to_string(),
            is_system_error: false,
        }
    }

    fn whole(what: impl fmt::Display) -> Self {
        Self::error_at_place("", what)
    }
}

impl RoundJudgementsByAnotherJudge {
    /// Returns a judge's last probability about a finished debate, as a judgement. `None` if the judge stopped before
    /// the end of the debate, or gave no probability or an invalid one, or if the right answer is unknown.
    pub fn final_judgement_in(&self, debate: &ImportedSpeechDebate) -> Option<Judgement> {
        let correct = debate.correct?;
        let right = |turn: &RoundJudgement| {
            let p = turn.p_first.exact_probability().ok()?;
            let p = if correct == 0 {
                p
            } else {
                Exact::ratio(1, 1) - p
            };
            Some(p.to_float())
        };
        let beliefs = (0..).zip(&self.turns).map(|(round, turn)| {
            let says = turn
                .says
                .as_ref()
                .and_then(|says| says.to_displayable_speech().ok());
            Some(JudgeProbabilityAfterRound {
                round,
                p_correct: right(turn)?,
                says: says.unwrap_or_default().to_string(),
            })
        });
        let by_round: Vec<JudgeProbabilityAfterRound> = beliefs.collect::<Option<_>>()?;
        let last = by_round.last()?;
        let p_correct = last.p_correct;
        let continues = last.round;
        let judged = JudgementIdentityNames {
            condition: debate.condition.clone().unwrap_or_default(),
            debate: debate.name.clone(),
            judge: self.judge.clone(),
            story: debate.story.clone(),
        };
        let ended = self.turns.last()?.ends.unwrap_or(true);
        let scoring = JudgeScoring::default();
        ended.then(|| judged.judged(correct, &scoring, p_correct, continues, by_round))
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            return out.write_str(&self.what);
        }
        write!(out, "{}: {}", self.place, self.what)
    }
}

impl From<serde_json::Error> for ImportError {
    fn from(error: serde_json::Error) -> Self {
        // The parser's error already gives line and column.
        Self::whole(format_args!("not the expected format: {error}"))
    }
}
