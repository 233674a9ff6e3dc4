//! Reads judgements from saves, CSV tables and files with one JSON document per line.

use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

use super::{
    JudgeProbabilityAfterRound, Judgement, JudgementIdentityNames, JudgementWithCondition,
    ReportConditionKey, tags,
};
use debate_core::protocol::speeches::{
    JudgeScoring, judge_probabilities_by_round, rounds_heard_by_judge,
};
use debate_core::text::{numbered_lines, strip_byte_order_mark_bytes};
use debate_core::{Exact, Log, Number as _, Protocol, Rules as _, Seat};
use debate_host::record::{Save, SaveFileError};
use debate_solver::setup::ScenarioLimits;

/// The reason why a file contains no readable judgements.
#[derive(Debug, Error)]
pub enum JudgementFileError {
    /// The save cannot be read.
    #[error(transparent)]
    Save(#[from] SaveFileError),
    /// The rules of the save's debate do not allow it to start.
    #[error("{0}")]
    Refused(#[from] debate_core::protocol::ProtocolError),
    /// A row of a CSV table, the table itself, or a line of a file of JSON lines is invalid.
    #[error("line {line}: {what}")]
    Row { line: u64, what: String },
}

/// The reason why a debate is left out of a report on judgements. This is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DebateExclusionReason {
    /// The debate has rules other than Speeches, under which the judge gives no probability of an answer.
    OtherRules,
    /// The debate was not played to its end (it is unfinished or was forfeited), or the judge gave no probability.
    Unfinished,
    /// The right answer is unknown.
    NoRightAnswer,
    /// The debate's study leaves the debate out of the study's results.
    NotIncluded,
}

impl DebateExclusionReason {
    /// Returns in words why the debate is left out.
    pub fn debate_exclusion_reason_in_words(self) -> &'static str {
        match self {
            Self::OtherRules => "of a protocol other than Speeches",
            Self::Unfinished => "not finished",
            Self::NoRightAnswer => "whose right answer is unknown",
            Self::NotIncluded => "excluded from the results of a study",
        }
    }
}

/// Reads the judgement in a save, without a condition name. The inner result is an error if reports leave the debate
/// out. If `all` is true, also reads debates that their study left out of its results.
///
/// # Errors
/// If the save cannot be read or followed.
pub fn of_save(
    path: &Path,
    limits: &ScenarioLimits,
    all: bool,
) -> Result<Result<JudgementWithCondition, DebateExclusionReason>, JudgementFileError> {
    let save = Save::read_save(path)?;
    let Protocol::Speeches(parameters) = &save.header.protocol else {
        return Ok(Err(DebateExclusionReason::OtherRules));
    };
    let setup = save.read_saved_scenario(limits)?;
    if !all && setup.tags.get("included").map(String::as_str) == Some("false") {
        return Ok(Err(DebateExclusionReason::NotIncluded));
    }
    let instance = save.header.debated_instance(&setup)?;
    let history = save.history(&instance)?;
    if save.stated_debate_end().is_none() || history.state_at_cursor().request().is_some() {
        return Ok(Err(DebateExclusionReason::Unfinished));
    }
    let Some(first_is_right) = instance.truth(instance.root()) else {
        return Ok(Err(DebateExclusionReason::NoRightAnswer));
    };
    let player = &save.header.players[Seat::Judge.seat_index()];
    let judge = setup.tags.get(tags::JUDGE).unwrap_or(player);
    // `give_conditions_unique_names` sets the condition once all saves are read.
    let debate = JudgementIdentityNames::of_save(path, &setup, String::new(), judge.clone());
    let log = history.log();
    let by_round = round_beliefs(log, first_is_right);
    let Some(last) = by_round.last() else {
        return Ok(Err(DebateExclusionReason::Unfinished));
    };
    let p_correct = last.p_correct;
    let scoring = &parameters.scoring;
    let correct = u32::from(!first_is_right);
    let judgement = debate.judged(
        correct,
        scoring,
        p_correct,
        rounds_heard_by_judge(log),
        by_round,
    );
    let setting = ReportConditionKey::condition_of_saved_debate(&save.header, &setup);
    Ok(Ok(JudgementWithCondition { judgement, setting }))
}

/// Returns the judge's probabilities of the right answer in order, each with the judge's feedback.
fn round_beliefs(log: &Log<Exact>, first_is_right: bool) -> Vec<JudgeProbabilityAfterRound> {
    let beliefs = judge_probabilities_by_round(log)
        .into_iter()
        .map(|(round, p)| {
            let right = if first_is_right {
                p
            } else {
                Exact::ratio(1, 1) - p
            };
            let speech = log.speeches_of(Seat::Judge).find(|(of, _)| *of == round);
            JudgeProbabilityAfterRound {
                round,
                p_correct: right.to_float(),
                says: speech.map_or_else(String::new, |(_, words)| words.to_string()),
            }
        });
    beliefs.collect()
}

/// A row of a CSV table of judgements. `setting` is an alias of the column `condition`.
#[derive(Deserialize)]
struct Row {
    #[serde(alias = "setting")]
    condition: String,
    debate: String,
    judge: String,
    #[serde(default)]
    story: Option<String>,
    p_correct: f64,
    #[serde(default)]
    continues: u32,
    correct_answer_index: u32,
}

/// Reads a table of judgements: comma-separated values with a header. The columns `condition` (or `setting`), `debate`,
/// `judge`, `p_correct` and `correct_answer_index` are required; `story` and `continues` are optional. The score is
/// recomputed: log₂ `p_correct` − 0.05 `continues`.
///
/// # Errors
/// The first row that is not a judgement, with its line.
pub fn read_judgement_table(table: &[u8]) -> Result<Vec<Judgement>, JudgementFileError> {
    // A blank line at the end is not a row.
    let table = strip_byte_order_mark_bytes(table).trim_ascii_end();
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(table);
    let line_of = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
    let wrong = |line: u64, what: String| JudgementFileError::Row { line, what };
    let unread = |error: csv::Error| wrong(line_of(&error), error.to_string());
    let headers = reader.headers().cloned().map_err(unread)?;
    let mut judgements = Vec::new();
    let mut record = csv::StringRecord::new();
    loop {
        if !reader.read_record(&mut record).map_err(unread)? {
            return Ok(judgements);
        }
        let line = record.position().map_or(1, csv::Position::line);
        let row: Row = record.deserialize(Some(&headers)).map_err(|error| {
            let what = match error.kind() {
                csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
                _ => error.to_string(),
            };
            wrong(line, what)
        })?;
        let debate = JudgementIdentityNames {
            condition: row.condition,
            debate: row.debate,
            judge: row.judge,
            story: row.story.filter(|story| !story.is_empty()),
        };
        let scoring = JudgeScoring::default();
        let correct = row.correct_answer_index;
        let p = row.p_correct;
        let made = debate.judged(correct, &scoring, p, row.continues, Vec::new());
        check(&made).map_err(|what| wrong(line, what))?;
        judgements.push(made);
    }
}

/// Reads judgements from JSON lines.
///
/// # Errors
/// The first line that is not a judgement.
pub fn read_judgement_lines(text: &str) -> Result<Vec<Judgement>, JudgementFileError> {
    let written = numbered_lines(text).filter(|(_, line)| !line.is_empty());
    let read = written.map(|(line, text)| {
        let line = line as u64;
        let made = serde_json::from_str(text).map_err(|error| error.to_string());
        let checked = made.and_then(|made| check(&made).map(|()| made));
        checked.map_err(|what| JudgementFileError::Row { line, what })
    });
    read.collect()
}

/// Checks a judgement's numbers and returns an error for the first invalid one.
fn check(made: &Judgement) -> Result<(), String> {
    if !(0.0..=1.0).contains(&made.p_correct) {
        let p = made.p_correct;
        return Err(format!("p_correct is {p}; give a number from 0 to 1"));
    }
    if made.correct_answer_index > 1 {
        let index = made.correct_answer_index;
        return Err(format!("correct_answer_index is {index}; give 0 or 1"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "setting,debate,judge,story,p_correct,continues,correct_answer_index\n";

    #[test]
    fn a_row_is_read_to_the_last_digit_and_scored() {
        let table = format!("{HEAD}a,d1,J1,51461,0.4000000000000001,3,1\n");
        let made = read_judgement_table(table.as_bytes()).unwrap().remove(0);
        assert_eq!(
            made.p_correct.to_bits(),
            0.400_000_000_000_000_1_f64.to_bits()
        );
        assert_eq!(made.forecast(), (0.599_999_999_999_999_9, false));
        let expected = 0.400_000_000_000_000_1_f64.log2() - 0.15;
        assert!((made.reward.unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn invalid_judgements_are_refused_with_their_line() {
        let wrong = |rows: &str| {
            let read = read_judgement_table(format!("{HEAD}{rows}").as_bytes());
            read.unwrap_err().to_string()
        };
        let fine = "a,d,J,s,0.5,1,0\n";
        for (rows, line, word) in [
            ("a,d,J,s,1.5,1,0\n", 2, "p_correct"),
            ("a,d,J,s,NaN,1,0\n", 2, "p_correct"),
            ("a,d,J,s,0.5,1,2\n", 2, "correct_answer_index"),
            ("a,d,J,s,x,1,0\n", 2, "invalid float"),
            ("a,d,J\n", 2, "found record with 3 fields"),
        ] {
            let told = wrong(rows);
            assert!(
                told.contains(&format!("line {line}")) && told.contains(word),
                "{told}"
            );
            let later = wrong(&format!("{fine}{rows}"));
            assert!(later.contains(&format!("line {}", line + 1)), "{later}");
        }
        assert!(read_judgement_table("a,b\n1,2\n".as_bytes()).is_err());
        assert!(read_judgement_lines("{}").is_err());
    }
}
