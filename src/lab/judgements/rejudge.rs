//! Judging a finished debate again: a second judge sees the debate round by round, without its result.
//!
//! Hidden are speeches that are still sealed, the first judge's probabilities and decisions, rewards, the payoff, and
//! the number of remaining rounds. The first judge's messages to the debaters are shown, because the debaters answer
//! them.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::condition::condition_of_rejudgements;
use super::{
    JudgeProbabilityAfterRound, Judgement, JudgementFileError, JudgementIdentityNames,
    read_judgement_lines,
};
use debate_core::digest::Digest;
use debate_core::number::{Exact, Number as _, format_percent, format_with_decimals};
use debate_core::protocol::speeches::{
    JudgeScoring, judge_probabilities_by_round, rounds_heard_by_judge,
};
use debate_core::protocol::{
    Event, IllegalReply, Log, LogViewerRole, PendingTurn, Protocol, ProtocolKind, Rules as _, Seat,
    State,
};
use debate_core::{Instance, Move};
use debate_host::record::{
    Save, SaveFileError, SavedDebateWithCursor, is_system_failure, list_save_files,
};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, check_regular_file};
use debate_text::{DebateNarrator, new_plain_lines};

/// A finished debate that a second judge is judging.
#[derive(Clone, Debug)]
pub struct RejudgementInProgress<'a> {
    history: SavedDebateWithCursor<'a>,
    /// True under the rules Speeches, where the first judge gave probabilities too.
    speaks: bool,
    /// For each question to the second judge, the number of the debate's moves that precede it.
    stops: Vec<usize>,
    /// The number of stops reached.
    reached: usize,
    /// The number of log entries shown to the second judge so far.
    shown: usize,
    given: Vec<JudgeProbabilityAfterRound>,
}

impl<'a> RejudgementInProgress<'a> {
    /// Begins the second judgement of a debate. `moves` are the debate's moves without the undone ones.
    ///
    /// # Errors
    /// If the moves do not follow from the rules.
    pub fn begin_rejudgement(
        start: State<'a, Exact>,
        moves: &[Move<Exact>],
    ) -> Result<Self, IllegalReply> {
        let speaks = start.kind() == ProtocolKind::Speeches;
        let mut history = SavedDebateWithCursor::from_moves(start, moves)?;
        let mut stops = if speaks { Vec::new() } else { vec![0] };
        let mut entered = None;
        for count in 0..=moves.len() {
            history.move_cursor_and_tell_if_log_shrank(count)?;
            if speaks {
                // The second judge is asked before the first judge has answered.
                let turn = history.state_at_cursor().request();
                if turn.is_some_and(|turn| turn.request.asks_for_claim_probability()) {
                    stops.push(count);
                }
                continue;
            }
            // Under all other rules, a round ends at the start of the next one.
            let entries = history.log().entries();
            let mut events = entries.iter().rev().map(|entry| &entry.event);
            let round = events.find_map(Event::round_started_by_event);
            if round != entered {
                stops.extend(entered.map(|_| count - 1));
                entered = round;
            }
        }
        if !speaks {
            stops.push(last_stop(moves));
            stops.dedup();
        }
        history.move_cursor_and_tell_if_log_shrank(0)?;
        Ok(Self {
            history,
            speaks,
            stops,
            reached: 0,
            shown: 0,
            given: Vec::new(),
        })
    }

    /// True until the second judge gives the first probability.
    pub fn has_no_judgement_yet(&self) -> bool {
        self.given.is_empty()
    }

    /// Returns the number of rounds shown to the second judge.
    pub fn rounds_shown_so_far(&self) -> u32 {
        if self.speaks {
            return rounds_heard_by_judge(self.history.log());
        }
        u32::try_from(self.reached.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// True if the debate has further points at which the second judge is asked for a probability.
    pub fn has_more_questions_to_second_judge(&self) -> bool {
        self.reached < self.stops.len()
    }

    /// Shows the debate up to the next question for the second judge. Returns the indices of the log entries since the
    /// previous question; `None` if no question is left.
    ///
    /// # Errors
    /// If a move does not follow from the rules.
    pub fn show_debate_up_to_next_question(
        &mut self,
    ) -> Result<Option<Range<usize>>, IllegalReply> {
        let Some(stop) = self.stops.get(self.reached).copied() else {
            return Ok(None);
        };
        self.history.move_cursor_and_tell_if_log_shrank(stop)?;
        self.reached += 1;
        let shown = self.shown_log().entries().len();
        let new = std::mem::replace(&mut self.shown, shown)..shown;
        Ok(Some(new))
    }

    /// Returns the log of the part shown so far. [`LogViewerRole::JUDGING_ANEW`] determines the entries that the second
    /// judge may see.
    pub fn shown_log(&self) -> &Log<Exact> {
        self.history.log()
    }

    /// Returns the debate's state at the end of the shown part.
    pub fn shown_state(&self) -> &State<'a, Exact> {
        self.history.state_at_cursor()
    }

    /// Returns the claim that the first judge had to check at this point, and the evidence for it, as text lines. Empty
    /// if the debate does not wait for such a check here.
    pub fn question_and_evidence(&self, narrator: &DebateNarrator<'_>) -> Vec<String> {
        let turn = self.shown_state().request();
        let asked = |turn: &PendingTurn<Exact>| turn.request.claim_for_judge_to_decide().is_some();
        let Some(turn) = turn.filter(asked) else {
            return Vec::new();
        };
        let question = narrator.pending_question(&turn, self.shown_log());
        let evidence = question.evidence.map(|text| format!("Evidence: {text}"));
        let asked = format!(
            "The question to the judge: {question}",
            question = question.text
        );
        [asked].into_iter().chain(evidence).collect()
    }

    /// Returns the given log entries as sentences, followed by [`Self::question_and_evidence`].
    pub fn new_sentences_with_evidence(
        &self,
        narrator: &DebateNarrator<'_>,
        new: Range<usize>,
    ) -> Vec<String> {
        let lines = new_plain_lines(narrator, self.shown_log(), new, LogViewerRole::JUDGING_ANEW)
            .into_iter();
        let lines = lines.map(|(_, line)| line);
        lines.chain(self.question_and_evidence(narrator)).collect()
    }

    /// Records the second judge's probability: that the root claim is true, or, in a debate of speeches, that the first
    /// answer is right.
    pub fn record_probability_of_second_judge(&mut self, stated_probability: &Exact) {
        self.given.push(JudgeProbabilityAfterRound {
            round: self.rounds_shown_so_far(),
            // Converted to the probability of the right answer in `end`.
            p_correct: stated_probability.to_float(),
            says: String::new(),
        });
    }

    /// Advances to the end of the debate. Returns the second judge's judgement and the first judge's probabilities by
    /// round, if there are any. `None` if the second judge gave no judgement or the right answer is unknown.
    ///
    /// # Errors
    /// If a move does not follow from the rules.
    pub fn end(
        &mut self,
        instance: &Instance,
        protocol: &Protocol,
        debate: JudgementIdentityNames,
    ) -> Result<Option<(Judgement, Vec<JudgeProbabilityAfterRound>)>, IllegalReply> {
        self.history
            .move_cursor_and_tell_if_log_shrank(self.history.steps().len())?;
        let Some(holds) = instance.truth(instance.root()) else {
            return Ok(None);
        };
        let right = |p: f64| if holds { p } else { 1.0 - p };
        let theirs = judge_probabilities_by_round(self.history.log())
            .into_iter()
            .map(|(round, p)| JudgeProbabilityAfterRound {
                round,
                p_correct: right(p.to_float()),
                says: String::new(),
            });
        let mut by_round = self.given.clone();
        for belief in &mut by_round {
            belief.p_correct = right(belief.p_correct);
        }
        let Some(last) = by_round.last() else {
            return Ok(None);
        };
        let scoring = match protocol {
            Protocol::Speeches(parameters) => parameters.scoring.clone(),
            _ => JudgeScoring::default(),
        };
        let p_correct = last.p_correct;
        let continues = last.round;
        let correct = u32::from(!holds);
        let made = debate.judged(correct, &scoring, p_correct, continues, by_round);
        Ok(Some((made, theirs.collect())))
    }
}

/// Returns the number of the debate's moves that precede the last question to the second judge, who judges the finished
/// debate again. This question precedes the first judge's decision; without a decision, it comes after all moves.
fn last_stop(moves: &[Move<Exact>]) -> usize {
    let is_debater = |made: &Move<_>| !matches!(made.seat, Seat::Judge | Seat::Chance);
    let end = moves
        .iter()
        .rposition(is_debater)
        .map_or(0, |last| last + 1);
    let rest = moves.iter().skip(end);
    end + rest.take_while(|made| made.seat != Seat::Judge).count()
}

/// The name of the file with the second judge's judgements, in the folder of the saves.
const RESULTS: &str = "rejudgements.jsonl";

/// The reason why a debate cannot be judged again, or a judgement cannot be saved.
#[derive(Debug, Error)]
pub enum RejudgeError {
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("{path} cannot be written: {error}")]
    Unwritten { path: String, error: io::Error },
    #[error("{folder}: this folder has no saves to judge", folder = .0)]
    NoSaves(String),
    #[error("{path}: {error}")]
    Save { path: String, error: SaveFileError },
    #[error("{save}: this debate is not finished; continue it with `debate-tui resume`", save = .0)]
    Unfinished(String),
    #[error("{path}: {error}")]
    Results {
        path: String,
        error: JudgementFileError,
    },
    #[error("{file} is not a regular file", file = .0)]
    NoPlainFile(String),
    #[error("{file}: judgements are written as lines of JSON, not as a table; name a file that ends in .jsonl", file = .0)]
    Table(String),
}

impl RejudgeError {
    /// True if the system could not write the judgement, for example because of a full disk.
    pub fn is_system_error(&self) -> bool {
        matches!(self, Self::Unwritten { error, .. } if is_system_failure(error))
    }
}

/// The queue of finished debates that the user judges again as a second judge (`replay --as judge`).
#[derive(Debug)]
pub struct RejudgeQueue {
    /// The saves that the queue has not read yet, in reverse order. The second judge may have judged some of them in an
    /// earlier run.
    left: Vec<PathBuf>,
    /// True if the queue contained several saves at first.
    many: bool,
    results: PathBuf,
    judge: String,
    /// The names of the debates that the second judge has already judged.
    done: HashSet<String>,
}

impl RejudgeQueue {
    /// Queues the debates of a folder in a random order determined by the seed, or the debate of one save. Judgements
    /// are appended to `file`, or by default to a file beside the saves.
    ///
    /// # Errors
    /// If there are no saves, or the file of judgements cannot be read or is named as a table (`.csv`).
    pub fn new(
        path: &Path,
        seed: &str,
        file: Option<PathBuf>,
        judge: &str,
    ) -> Result<Self, RejudgeError> {
        let left = shuffled(path, seed)?;
        let parent = path.parent().unwrap_or_else(|| Path::new(""));
        let folder = if path.is_dir() { path } else { parent };
        let results = file.unwrap_or_else(|| folder.join(RESULTS));
        // `report` chooses the format by the file's extension.
        if results.extension().is_some_and(|ending| ending == "csv") {
            return Err(RejudgeError::Table(results.display().to_string()));
        }
        let read = check_regular_file(&results).and_then(|()| fs::read_to_string(&results));
        let made = match read {
            Ok(text) => read_judgement_lines(&text).map_err(|error| RejudgeError::Results {
                path: results.display().to_string(),
                error,
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(in_file(&results)(error)),
        };
        let own = made.into_iter().filter(|made| made.judge == judge);
        Ok(Self {
            many: left.len() > 1,
            left,
            done: own.map(|made| made.debate).collect(),
            judge: judge.to_owned(),
            results,
        })
    }

    /// Returns the number of saves that the queue has not read yet. It includes saves that the queue will skip, such as
    /// debates that the judge has already judged.
    pub fn remaining_save_count(&self) -> usize {
        self.left.len()
    }

    /// Returns the path of the file to which judgements are appended.
    pub fn judgements_file(&self) -> &Path {
        &self.results
    }

    /// Returns the next finished debate that this judge has not judged; `None` after the last one.
    ///
    /// # Errors
    /// If a save cannot be read or followed, or if the only one is not finished.
    pub fn next_debate_to_rejudge(
        &mut self,
    ) -> Result<Option<FinishedDebateToRejudge>, RejudgeError> {
        while let Some(path) = self.left.pop() {
            match FinishedDebateToRejudge::read_finished_debate(&path, &self.judge)? {
                Some(case) if !self.done.contains(&case.debate.debate) => return Ok(Some(case)),
                None if !self.many => {
                    return Err(RejudgeError::Unfinished(path.display().to_string()));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Appends a judgement to the queue's file and syncs the file to disk.
    ///
    /// # Errors
    /// If the file cannot be written, or is a link or a folder.
    pub fn append_judgement(&self, judgement: &Judgement) -> Result<(), RejudgeError> {
        let path = &self.results;
        let there = fs::symlink_metadata(path);
        if there.is_ok_and(|there| !there.is_file()) {
            return Err(RejudgeError::NoPlainFile(path.display().to_string()));
        }
        let write = || {
            let mut line = serde_json::to_string(judgement)?;
            line.push('\n');
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(line.as_bytes())?;
            file.sync_data()
        };
        write().map_err(|error| RejudgeError::Unwritten {
            path: path.display().to_string(),
            error,
        })
    }
}

fn of_save(path: &Path, error: SaveFileError) -> RejudgeError {
    let path = path.display().to_string();
    RejudgeError::Save { path, error }
}

/// Adds the file's name to an I/O error.
fn in_file(path: &Path) -> impl Fn(io::Error) -> RejudgeError {
    move |error| RejudgeError::File {
        path: path.display().to_string(),
        error,
    }
}

/// Returns the saves of a folder in a random order determined by the seed. If `path` is a save, returns it alone.
fn shuffled(path: &Path, seed: &str) -> Result<Vec<PathBuf>, RejudgeError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = list_save_files(path).map_err(in_file(path))?;
    files.sort_by_cached_key(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        Digest::digest_of_bytes(format!("{seed}\n{name}").as_bytes()).to_string()
    });
    // Reversed, because the queue takes saves from the end.
    files.reverse();
    if files.is_empty() {
        return Err(RejudgeError::NoSaves(path.display().to_string()));
    }
    Ok(files)
}

/// A finished debate that a second judge is to judge.
#[derive(Debug)]
pub struct FinishedDebateToRejudge {
    pub setup: LoadedScenario,
    pub instance: Instance,
    pub protocol: Protocol,
    moves: Vec<Move<Exact>>,
    debate: JudgementIdentityNames,
    path: PathBuf,
}

impl FinishedDebateToRejudge {
    /// Reads a save for the judge named `judge`. Returns `None` if the debate is not finished.
    ///
    /// # Errors
    /// If the save cannot be read or followed.
    pub fn read_finished_debate(path: &Path, judge: &str) -> Result<Option<Self>, RejudgeError> {
        let save = Save::read_save(path).map_err(|error| of_save(path, error))?;
        Self::of_save(path, &save, judge)
    }

    /// Returns the debate of a save that was read from `path`, for the second judge `judge`; `None` if the debate is
    /// not finished.
    ///
    /// # Errors
    /// If the save cannot be followed.
    pub fn of_save(path: &Path, save: &Save, judge: &str) -> Result<Option<Self>, RejudgeError> {
        let setup = save.read_saved_scenario(&ScenarioLimits::default());
        let setup = setup.map_err(|error| of_save(path, error))?;
        Self::of_save_with_scenario(path, save, setup, judge)
    }

    /// Returns the debate of a save for the second judge `judge`, as [`Self::of_save`] does, with the scenario `setup`
    /// in place of the save's own text. `setup` may be a translation of it. `None` if the debate is not finished.
    ///
    /// # Errors
    /// If the save cannot be followed.
    pub fn of_save_with_scenario(
        path: &Path,
        save: &Save,
        setup: LoadedScenario,
        judge: &str,
    ) -> Result<Option<Self>, RejudgeError> {
        let named = |error| of_save(path, error);
        let instance = save.header.debated_instance(&setup).map_err(named)?;
        let history = save.history(&instance).map_err(named)?;
        if save.stated_debate_end().is_none() || history.state_at_cursor().request().is_some() {
            return Ok(None);
        }
        let moves = history.moves_never_undone();
        let condition = condition_of_rejudgements(&save.header, &setup);
        let debate = JudgementIdentityNames::of_save(path, &setup, condition, judge.to_owned());
        Ok(Some(Self {
            protocol: save.header.protocol.clone(),
            setup,
            instance,
            moves,
            debate,
            path: path.to_owned(),
        }))
    }

    /// Begins to show the debate.
    ///
    /// # Errors
    /// If its moves do not follow from the rules.
    pub fn begin_rejudgement(&self) -> Result<RejudgementInProgress<'_>, RejudgeError> {
        let named = |error| of_save(&self.path, error);
        let start = self.protocol.start(&self.instance);
        let state = start.map_err(|refused| named(refused.into()))?;
        RejudgementInProgress::begin_rejudgement(state, &self.moves)
            .map_err(|illegal| named(illegal.into()))
    }

    /// Returns the text for the second judge without the debate's result: the question and its answers, or the root
    /// claim.
    pub fn question_or_root_claim_text(&self) -> Vec<String> {
        let Some(question) = self.instance.as_two_answer_question() else {
            let claim = self.instance.text(self.instance.root());
            return vec![format!("Is this true: {claim}?")];
        };
        let [first, second] = question.answers().map(str::trim);
        vec![
            question.question_text().trim().to_owned(),
            format!("First answer: {first}"),
            format!("Second answer: {second}"),
        ]
    }

    /// Returns the prompt that asks the second judge for a probability.
    pub fn probability_prompt(&self) -> &'static str {
        match self.instance.as_two_answer_question() {
            Some(_) => "How likely is it that the first answer is right?",
            None => "How likely is it that the claim is true?",
        }
    }

    /// Returns the names of the debate and of its second judge, for a judgement.
    pub fn debate_and_second_judge_names(&self) -> JudgementIdentityNames {
        self.debate.clone()
    }
}

/// Returns text lines with the right answer, and with both judges' probabilities side by side, round by round.
pub fn compare_judgements(
    case: &FinishedDebateToRejudge,
    made: &Judgement,
    theirs: &[JudgeProbabilityAfterRound],
) -> Vec<String> {
    let right_answer_sentence = match (
        case.instance.as_two_answer_question(),
        made.correct_answer_index,
    ) {
        (Some(question), index) => {
            let answer = question.answers()[usize::from(index > 0)].trim();
            format!(
                "The right answer is “{answer}”.",
                answer = answer.trim_end_matches('.')
            )
        }
        (None, 0) => "The claim is true.".to_owned(),
        (None, _) => "The claim is false.".to_owned(),
    };
    let mut lines = vec![format!(
        "{right_answer_sentence} Probabilities of the right answer:"
    )];
    let rounds = made.by_round.iter().chain(theirs).map(|it| it.round);
    let last = rounds.max().unwrap_or(0);
    for round in 0..=last {
        let held = |beliefs: &[JudgeProbabilityAfterRound]| {
            let belief = beliefs.iter().find(|belief| belief.round == round);
            belief.map_or_else(|| "-".to_owned(), |belief| format_percent(belief.p_correct))
        };
        let when = match round {
            0 => "before round 1".to_owned(),
            round => format!("after round {round}"),
        };
        let yours = held(&made.by_round);
        let probability = held(theirs);
        let other = format!(", the other judge {probability}");
        let other = if theirs.is_empty() { "" } else { &other };
        lines.push(format!("  {when}: you {yours}{other}"));
    }
    if let Some(score) = made.reward {
        lines.push(format!(
            "Your score: {} bits.",
            format_with_decimals(score, 3)
        ));
    }
    lines
}
