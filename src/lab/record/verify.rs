//! Does a save follow from its rules and its seed? The first line that does not is named.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Difference, RecordError};
use super::follow::{Follower, check_field};
use super::history::History;
use super::line::LineKind;
use super::save::{Forfeit, Save, SaveEnd, TornLine};
use super::scan::{Scan, bytes, scan};
use super::syntax::quoted;
use super::writer::by_round;
use crate::setup::{Limits, Setup};
use debate_core::number::{Exact, Number as _, canonical};
use debate_core::protocol::{Rules as _, Seat};
use debate_core::scenario::Instance;

/// The result of verifying a save.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyReport {
    /// True if the debate came to its end.
    pub finished: bool,
    /// The fault that ended it, where one did.
    pub forfeit: Option<Forfeit>,
    /// The last line, where it was torn off; it is not counted as a difference.
    pub torn: Option<TornLine>,
    /// The number of replies that stand, coins included, as far as the save was followed.
    pub replies: usize,
    /// The prover's payoff so far; `None` where the save differs.
    pub payoff: Option<Exact>,
    /// The payoff by round, in the order of the schedule; empty where the save differs.
    pub by_round: Vec<Exact>,
    /// The first line that is not as it should be.
    pub first_difference: Option<Difference>,
    /// The hash of the last line, in hexadecimal: it follows from all that stands in the save.
    /// `None` where the save differs.
    pub last_hash: Option<String>,
}

/// What `verify` says of a save.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum VerifyDocument {
    Followed(FollowedSave),
    Log(FollowedLog),
    Unreadable(UnreadableSave),
}

/// The log of a study's session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FollowedLog {
    /// True if the log is what was written, by its chain and by the ledger of its folder.
    pub ok: bool,
    /// True if the session came to an end.
    pub finished: bool,
    /// Its lines; null where it is not what was written.
    pub entries: Option<u64>,
    /// What is not as it was written.
    pub error: Option<String>,
    /// The hash of the last line; null where the log is not what was written.
    pub last_hash: Option<String>,
    /// The log as it was named.
    pub log: String,
}

/// A save that was followed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FollowedSave {
    /// True if the save follows from its rules and its seed, and has the expected hash.
    pub ok: bool,
    /// True if the debate came to its end.
    pub finished: bool,
    /// The fault that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<Forfeit>,
    /// The replies that stand, coins included, as far as the save was followed.
    pub replies: usize,
    /// What Alice received; null where the save differs.
    pub payoff: Option<f64>,
    /// The same by round, in playing order; empty where the save differs.
    pub by_round: Vec<f64>,
    /// The last line, where it was torn off.
    pub torn: Option<usize>,
    pub first_difference: Option<Difference>,
    /// The hash of the last line; null where the save differs.
    pub last_hash: Option<String>,
    /// The hash of `--expect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_hash: Option<String>,
    /// The save as it was named.
    pub save: String,
}

/// A save that cannot be read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnreadableSave {
    /// Always false.
    pub ok: bool,
    pub error: String,
    /// The save as it was named.
    pub save: String,
}

impl VerifyReport {
    pub fn is_ok(&self) -> bool {
        self.first_difference.is_none()
    }

    /// The report on the save of this name for scripts.
    pub fn document(&self, save: &str) -> FollowedSave {
        FollowedSave {
            ok: self.is_ok(),
            finished: self.finished,
            forfeit: self.forfeit.clone(),
            replies: self.replies,
            payoff: self.payoff.as_ref().map(Exact::to_float),
            by_round: self.by_round.iter().map(Exact::to_float).collect(),
            torn: self.torn.map(|torn| torn.line),
            first_difference: self.first_difference.clone(),
            last_hash: self.last_hash.clone(),
            expected_hash: None,
            save: save.to_owned(),
        }
    }

    fn differs(difference: Difference) -> Self {
        Self {
            finished: false,
            forfeit: None,
            torn: None,
            replies: 0,
            payoff: None,
            by_round: Vec::new(),
            first_difference: Some(difference),
            last_hash: None,
        }
    }
}

/// Verifies the file of a save: the chain of hashes, every reply by the rules, every coin from
/// the seed, what was taken back, and the payoff. An unfinished save is as good as its lines.
///
/// # Errors
/// If there is nothing to verify: the file cannot be read, is no save, is a later version's,
/// or its scenario cannot be used. A save that does not verify is no error.
pub fn verify_file(path: &Path, limits: &Limits) -> Result<VerifyReport, RecordError> {
    follow(scan(&bytes(path)?), Some(path), limits)
}

/// Verifies the bytes of a save on its own, as [`verify_file`] does: what is kept beside it
/// counts as missing.
///
/// # Errors
/// As [`verify_file`].
pub fn verify(bytes: &[u8], limits: &Limits) -> Result<VerifyReport, RecordError> {
    follow(scan(bytes), None, limits)
}

fn follow(
    scanned: Result<Scan, RecordError>,
    path: Option<&Path>,
    limits: &Limits,
) -> Result<VerifyReport, RecordError> {
    let Scan {
        save,
        header,
        damage,
    } = match scanned {
        Err(RecordError::Damaged(difference)) => return Ok(VerifyReport::differs(difference)),
        scanned => scanned?,
    };
    let damage = match damage {
        Some(damage) if damage.line <= header => return Ok(VerifyReport::differs(damage)),
        damage => damage,
    };
    let save = match path {
        Some(path) => save.with_sidecars_of(path),
        None => save,
    };
    let setup = save.setup(limits)?;
    let instance = save.header.instance(&setup)?;
    let start = save.header.protocol.start(&instance)?;
    let mut follower = Follower::new(start, &save);
    // The rules may know better than the chain what is wrong with a line.
    let sound = damage.as_ref().map_or(usize::MAX, |damage| damage.line);
    let mut lines = save.lines().iter().take_while(|line| line.line <= sound);
    let followed = lines.try_for_each(|line| follower.step(line));
    let (replies, history) = (follower.replies(), follower.history());
    let first_difference = followed
        .and_then(|()| damage.map_or(Ok(()), Err))
        .and_then(|()| check_end(&save, history))
        .err();
    Ok(match first_difference {
        Some(difference) => VerifyReport {
            replies,
            ..VerifyReport::differs(difference)
        },
        None => VerifyReport {
            finished: save.end().is_some(),
            forfeit: save.forfeit(),
            torn: save.torn(),
            replies,
            payoff: Some(history.state().payoff()),
            by_round: by_round(history.state(), history.log()),
            first_difference: None,
            last_hash: Some(save.link().to_string()),
        },
    })
}

impl Save {
    /// Reads a save to show it, with its scenario and its instance, also where it does not verify:
    /// [`Self::first_difference`] then says why. What cannot be followed, and all that stands after it, is
    /// left out; a coin fell as the save says.
    ///
    /// # Errors
    /// If nothing of it can be shown: it cannot be read, is no save, its header is damaged, or
    /// its scenario cannot be used.
    pub fn read_leniently(
        path: &Path,
        limits: &Limits,
    ) -> Result<(Self, Setup, Instance), RecordError> {
        let Scan { save, damage, .. } = scan(&bytes(path)?)?;
        let mut save = save.with_sidecars_of(path);
        let setup = save.setup(limits)?;
        let instance = save.header.instance(&setup)?;
        save.examine(&instance, damage)?;
        Ok((save, setup, instance))
    }

    /// Finds the first difference, where there is one.
    fn examine(
        &mut self,
        instance: &Instance,
        damage: Option<Difference>,
    ) -> Result<(), RecordError> {
        let start = self.header.protocol.start(instance)?;
        let mut follower = Follower::new(start, self).lenient();
        let lines = self.lines.iter().enumerate();
        let mut stopped = None;
        for (place, line) in lines {
            if let Err(difference) = follower.step(line) {
                stopped = Some((place, difference));
                break;
            }
        }
        let end = match &stopped {
            None => check_end(self, follower.history()).err(),
            Some(_) => None,
        };
        let place = stopped.as_ref().map(|(place, _)| *place);
        let stopped = stopped.map(|(_, difference)| difference);
        let all = [damage, follower.into_first_difference(), stopped, end];
        self.first_difference = all
            .into_iter()
            .flatten()
            .min_by_key(|difference| difference.line);
        if let Some(place) = place {
            self.end = None;
            self.standing.clear();
            for line in std::mem::take(&mut self.lines).into_iter().take(place) {
                self.push(line)?;
            }
        }
        Ok(())
    }
}

/// Checks that a save ends as its replies have it.
pub(super) fn check_end(save: &Save, history: &History<'_>) -> Result<(), Difference> {
    let (Some(end), Some(line)) = (save.end(), save.end_line()) else {
        return Ok(());
    };
    if let Some(stated) = save.stated_costs() {
        let costs = check_field("costs", save.costs().write(), stated);
        costs.map_err(|mismatch| mismatch.on(line))?;
    }
    let (payoff, stated) = match end {
        SaveEnd::Finished { payoff, by_round } => (payoff, by_round),
        SaveEnd::Forfeit { seat, fault } => {
            return check_forfeit(save, history, (*seat, fault), line);
        }
    };
    if let Some(turn) = history.state().request() {
        let expected = format!("{} from the {}", turn.request.wants(), turn.seat);
        return Err(Difference::new(line, expected, "the end"));
    }
    let owed = by_round(history.state(), history.log());
    let owed: Vec<String> = owed.iter().map(canonical).collect();
    check_field(
        "payoff",
        quoted(&canonical(&history.state().payoff())),
        quoted(payoff),
    )
    .and_then(|()| check_field("by_round", format!("{owed:?}"), format!("{stated:?}")))
    .map_err(|mismatch| mismatch.on(line))
}

/// Checks that a debate that is forfeited was under way, and that its last event is that fault.
fn check_forfeit(
    save: &Save,
    history: &History<'_>,
    (seat, fault): (Seat, &str),
    line: usize,
) -> Result<(), Difference> {
    let ended = format!("end: Forfeit(seat: {seat:?}, fault: {})", quoted(fault));
    if history.state().request().is_none() {
        return Err(Difference::new(line, "end: Finished", ended));
    }
    match save.lines().last().map(|last| &last.kind) {
        Some(LineKind::Fault {
            seat: of,
            fault: noted,
            ..
        }) if *of == seat && noted == fault => Ok(()),
        _ => Err(Difference::new(line, "the fault as the last event", ended)),
    }
}
