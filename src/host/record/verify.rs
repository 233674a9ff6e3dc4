//! Verification of saves: follows every line through the rules, checks every coin against the seed, and reports the
//! first line that differs.

use std::fmt::Display;
use std::path::Path;

use serde::{Serialize, Serializer};

use super::error::{SaveDifference, SaveDifferenceWithoutLine, SaveFileError};
use super::line::{SaveEventLine, SavedEventKind, bits_read};
use super::scan::{LenientlyReadSave, read_save_despite_damage, read_save_file_or_stdin};
use super::sidecar::SidecarFolder;
use super::syntax::{excerpt_for_error, ron_string_literal};
use super::{
    AnsweringModel, Forfeit, LongBitsStorageInSave, Result, Save, SaveHeader, SavedDebateEnd,
    SavedDebateStep, SavedDebateWithCursor, SavedReply, SavedStepKind, by_round,
};
use debate_core::chance::RandomStream;
use debate_core::number::{Exact, Number as _, format_canonical, format_rounded_with_sign};
use debate_core::player::{CoinDrawFromSeed, Move, Player, SeatedDebate};
use debate_core::protocol::{
    ChanceDraw, Reply, Request, Rules as _, Seat, SeatResourceCosts, State,
};
use debate_core::scenario::Instance;
use debate_core::text::{count_with_noun, replace_unsafe_characters};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

/// The result of `verify` for one file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "VerifyDocument")]
pub enum VerificationResult {
    Followed(Box<SaveVerificationResult>),
    Log(StudyLogVerificationResult),
    Unreadable(UnreadableSaveVerifyReport),
}

/// The result of `verify` for the log of a study session.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FollowedLog")]
pub struct StudyLogVerificationResult {
    /// True if the hash chain confirms that the log is unchanged. The folder's ledger and the expected hash, if
    /// present, must also agree with the log.
    pub ok: bool,
    /// True if the session is over: completed, or ended early, for example by withdrawal.
    pub finished: bool,
    /// Number of lines of the log; null if the log was changed or cannot be read.
    pub entries: Option<u64>,
    /// The first difference between the log and its content when it was written, or the reason why it cannot be read.
    /// Null if the log verifies.
    pub error: Option<String>,
    /// The hash of the last line; null if the log was changed or cannot be read.
    pub last_hash: Option<String>,
    /// The path of the log, as given by the caller.
    pub log: String,
}

/// The result of `verify` for a save whose lines could be checked against the rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FollowedSave")]
pub struct SaveVerificationResult {
    /// True if the save verifies: its rules and its seed lead to exactly the moves and coins that it states, and it has
    /// the expected hash.
    pub ok: bool,
    /// True if the save follows from its rules and its seed, and has a closing line.
    pub finished: bool,
    /// The fault of a player that ended the debate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<Forfeit>,
    /// Number of replies in the save, including coins but not undone replies, up to the line where verification
    /// stopped.
    pub replies: usize,
    /// Alice's payoff; null if a line of the save differs.
    #[serde(serialize_with = "as_float")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub payoff: Option<Exact>,
    /// Alice's payoff by round, in playing order; empty if a line of the save differs.
    #[serde(serialize_with = "as_floats")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<f64>"))]
    pub by_round: Vec<Exact>,
    /// The number of the save's last line, if that line was cut off.
    pub torn: Option<usize>,
    pub first_difference: Option<SaveDifference>,
    /// The hash of the save's last line; null if a line of the save differs.
    pub last_hash: Option<String>,
    /// The hash given by `--expect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_hash: Option<String>,
    /// The language models that answered in the debate; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<AnsweringModel>,
    /// The path of the save, as given by the caller.
    pub save: String,
}

/// The result of `verify` for a save that cannot be checked: it cannot be read, or its scenario cannot be used.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "UnreadableSave")]
pub struct UnreadableSaveVerifyReport {
    /// Always false.
    pub ok: bool,
    pub error: String,
    /// The path of the save, as given by the caller.
    pub save: String,
}

#[expect(clippy::ref_option, reason = "serde's signature")]
fn as_float<S: Serializer>(value: &Option<Exact>, out: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(Exact::to_float).serialize(out)
}

fn as_floats<S: Serializer>(values: &[Exact], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(values.iter().map(Exact::to_float))
}

impl VerificationResult {
    /// Verifies the file of a save. `expected_last_hash` is the hash of its last line, as recorded elsewhere.
    pub fn verify_save(
        path: &Path,
        limits: &ScenarioLimits,
        expected_last_hash: Option<&str>,
    ) -> Self {
        let save = path.display().to_string();
        match verify_file(path, limits) {
            Ok(followed) => {
                let is_other = expected_last_hash
                    .is_some_and(|hash| followed.last_hash.as_deref() != Some(hash));
                Self::Followed(Box::new(SaveVerificationResult {
                    ok: followed.ok && !is_other,
                    expected_hash: expected_last_hash.map(str::to_owned),
                    save,
                    ..followed
                }))
            }
            Err(error) => Self::Unreadable(UnreadableSaveVerifyReport {
                ok: false,
                error: replace_unsafe_characters(&error.to_string()).into_owned(),
                save,
            }),
        }
    }

    /// Returns the verdict on the log of a study session. `expected_last_hash` is the hash of its last line, as
    /// recorded elsewhere.
    pub fn from_log_result(
        log: StudyLogVerificationResult,
        expected_last_hash: Option<&str>,
    ) -> Self {
        let last = log.last_hash.as_deref().unwrap_or_default();
        let other =
            expected_last_hash.filter(|expected_last_hash| log.ok && *expected_last_hash != last);
        let error = other
            .map(|expected_last_hash| format!("the last hash is {last}, not {expected_last_hash}"));
        Self::Log(StudyLogVerificationResult {
            ok: log.ok && error.is_none(),
            error: error.or(log.error),
            ..log
        })
    }

    /// Returns the path of the verified file as the caller gave it.
    pub fn path_as_given(&self) -> &str {
        match self {
            Self::Followed(followed) => &followed.save,
            Self::Log(log) => &log.log,
            Self::Unreadable(unreadable) => &unreadable.save,
        }
    }

    /// True if the file verifies; `None` if it cannot be checked, for example because it cannot be read.
    pub fn is_verified(&self) -> Option<bool> {
        match self {
            Self::Followed(save) => Some(save.ok),
            Self::Log(log) => Some(log.ok),
            Self::Unreadable(_) => None,
        }
    }

    /// Returns the result of the verification as a sentence.
    pub fn verification_result_sentence(&self) -> String {
        match self {
            Self::Followed(save) => save.sentence(),
            Self::Unreadable(unreadable) => unreadable.error.clone(),
            Self::Log(log) => {
                if let Some(error) = &log.error {
                    return format!("does not verify: {error}");
                }
                let count = log.entries.unwrap_or(0);
                let ended_or_not = if log.finished { "ended" } else { "not ended" };
                let last = log.last_hash.as_deref().unwrap_or_default();
                format!("verified: {count} log lines, session {ended_or_not}; last hash {last}")
            }
        }
    }
}

impl SaveVerificationResult {
    fn sentence(&self) -> String {
        if let Some(difference) = &self.first_difference {
            return format!("does not verify: {difference}");
        }
        let last = self.last_hash.as_deref().unwrap_or_default();
        if let Some(expected) = self.expected_hash.as_ref().filter(|_| !self.ok) {
            return format!(
                "it follows from its rules and its seed, but its last hash is {last}, not \
                 {expected}: it is not the save whose hash was recorded"
            );
        }
        let payoff = self.payoff.as_ref().filter(|_| self.finished);
        let outcome = match (&self.forfeit, payoff, self.torn) {
            (Some(forfeit), ..) => forfeit.to_string(),
            (None, Some(payoff), _) => {
                format!(
                    "finished, {} to Alice",
                    format_rounded_with_sign(payoff.to_float(), 6)
                )
            }
            (None, None, None) => "not finished".to_owned(),
            (None, None, Some(line)) => {
                format!("not finished; line {line} was incomplete and was dropped")
            }
        };
        let replies = count_with_noun(self.replies, "reply", "replies");
        let models: Vec<String> = self.models.iter().map(ToString::to_string).collect();
        let models = match models.as_slice() {
            [] => String::new(),
            models => format!("; models: {}", models.join(", ")),
        };
        format!("verified: {replies}, {outcome}; last hash {last}{models}")
    }

    fn differs(difference: SaveDifference) -> Self {
        Self {
            first_difference: Some(difference),
            ..Self::default()
        }
    }
}

/// Verifies the file of a save: the hash chain, every reply by the rules, every coin by the seed, every undo, and the
/// payoff. An unfinished save is valid if its lines are.
///
/// # Errors
/// If the file cannot be read, is not a save, was written by a later version, or its scenario cannot be used. A save
/// that does not verify is not an error.
pub fn verify_file(path: &Path, limits: &ScenarioLimits) -> Result<SaveVerificationResult> {
    follow(
        read_save_despite_damage(&read_save_file_or_stdin(path)?),
        Some(path),
        limits,
    )
}

/// Verifies the bytes of a save without its folder, as [`verify_file`] does. Files stored beside the save count as
/// missing.
///
/// # Errors
/// As [`verify_file`].
pub fn verify_save_bytes(bytes: &[u8], limits: &ScenarioLimits) -> Result<SaveVerificationResult> {
    follow(read_save_despite_damage(bytes), None, limits)
}

fn follow(
    scanned: Result<LenientlyReadSave>,
    path: Option<&Path>,
    limits: &ScenarioLimits,
) -> Result<SaveVerificationResult> {
    let LenientlyReadSave {
        save,
        header,
        damage,
    } = match scanned {
        Err(SaveFileError::Damaged(difference)) => {
            return Ok(SaveVerificationResult::differs(difference));
        }
        scanned => scanned?,
    };
    let damage = match damage {
        Some(damage) if damage.line <= header => {
            return Ok(SaveVerificationResult::differs(damage));
        }
        damage => damage,
    };
    let save = match path {
        Some(path) => save.with_sidecar_folder_of(path),
        None => save,
    };
    let setup = save.read_saved_scenario(limits)?;
    let instance = save.header.debated_instance(&setup)?;
    let start = save.header.protocol.start(&instance)?;
    let mut follower = SaveChecker::new(start, &save);
    // The rules may explain the difference in a line better than the hash chain.
    let sound = damage.as_ref().map_or(usize::MAX, |damage| damage.line);
    let mut lines = save
        .events_with_undone()
        .iter()
        .take_while(|line| line.line <= sound);
    let followed = lines.try_for_each(|line| follower.check_next_line(line));
    let replies = follower.numbers.len();
    let history = &follower.history;
    let first_difference = followed
        .and_then(|()| damage.map_or(Ok(()), Err))
        .and_then(|()| check_saved_end(&save, history))
        .err();
    Ok(match first_difference {
        Some(difference) => SaveVerificationResult {
            replies,
            ..SaveVerificationResult::differs(difference)
        },
        None => SaveVerificationResult {
            ok: true,
            finished: save.stated_debate_end().is_some(),
            forfeit: save.forfeit(),
            torn: save.torn.map(|torn| torn.line),
            replies,
            payoff: Some(history.state_at_cursor().payoff()),
            by_round: by_round(history.state_at_cursor(), history.log()),
            last_hash: Some(save.link.to_string()),
            models: save.models_of_visible_seats(|_| true),
            ..SaveVerificationResult::default()
        },
    })
}

impl Save {
    /// Reads a save for display, with its scenario and its instance, even if it does not verify.
    /// [`Self::first_difference`] then returns the reason. The history ends before the first line that cannot be
    /// followed; coins have the values that the save states.
    ///
    /// # Errors
    /// If no part can be shown: the file cannot be read or is not a save, its header cannot be parsed, or its scenario
    /// cannot be used.
    pub fn read_leniently(
        path: &Path,
        limits: &ScenarioLimits,
    ) -> Result<(Self, LoadedScenario, Instance)> {
        let LenientlyReadSave { save, damage, .. } =
            read_save_despite_damage(&read_save_file_or_stdin(path)?)?;
        let mut save = save.with_sidecar_folder_of(path);
        let setup = save.read_saved_scenario(limits)?;
        let instance = save.header.debated_instance(&setup)?;
        save.examine(&instance, damage)?;
        Ok((save, setup, instance))
    }

    /// Sets `first_difference` to the first difference between the save and its rules and seed, if any. Drops the lines
    /// from the first one that cannot be followed.
    fn examine(&mut self, instance: &Instance, damage: Option<SaveDifference>) -> Result<()> {
        let start = self.header.protocol.start(instance)?;
        let mut follower = SaveChecker::new(start, self).continue_after_legal_differences();
        let mut lines = self.lines.iter();
        let stopped = lines.find_map(|line| follower.check_next_line(line).err());
        let index = stopped
            .is_some()
            .then(|| self.lines.len() - lines.len() - 1);
        let last = match stopped {
            None => check_saved_end(self, &follower.history).err(),
            stopped => stopped,
        };
        let all = [damage, follower.first_difference, last]
            .into_iter()
            .flatten();
        self.first_difference = all.min_by_key(|difference| difference.line);
        if let Some(index) = index {
            self.end = None;
            self.current_moves.clear();
            for line in std::mem::take(&mut self.lines).into_iter().take(index) {
                self.push_with_valid_number_and_undo(line)?;
            }
        }
        Ok(())
    }
}

/// Checks that the end of a save agrees with its replies.
pub(super) fn check_saved_end(
    save: &Save,
    history: &SavedDebateWithCursor<'_>,
) -> Result<(), SaveDifference> {
    let Some((line, end)) = &save.end else {
        return Ok(());
    };
    let line = *line;
    if let Some(stated) = &save.stated_costs {
        let costs = check_field(
            "costs",
            save.reply_costs_by_seat().nonzero_costs_in_save_notation(),
            stated,
        );
        costs.map_err(|mismatch| mismatch.at_line(line))?;
    }
    let (payoff, stated) = match end {
        SavedDebateEnd::Finished { payoff, by_round } => (payoff, by_round),
        SavedDebateEnd::Forfeit { seat, fault } => {
            return check_forfeit(save, history, (*seat, fault), line);
        }
    };
    if let Some(turn) = history.state_at_cursor().request() {
        let expected = format!(
            "{} from the {}",
            turn.request.requested_reply_phrase(),
            turn.seat
        );
        return Err(SaveDifference::new(line, expected, "the end"));
    }
    let owed: Vec<String> = by_round(history.state_at_cursor(), history.log())
        .iter()
        .map(format_canonical)
        .collect();
    let paid = ron_string_literal(&format_canonical(&history.state_at_cursor().payoff()));
    check_field("payoff", paid, ron_string_literal(payoff))
        .and_then(|()| check_field("by_round", format!("{owed:?}"), format!("{stated:?}")))
        .map_err(|mismatch| mismatch.at_line(line))
}

/// Checks that a forfeited debate was not over by the rules, and that its last event is the stated fault.
fn check_forfeit(
    save: &Save,
    history: &SavedDebateWithCursor<'_>,
    (seat, fault): (Seat, &str),
    line: usize,
) -> Result<(), SaveDifference> {
    let ended = format!(
        "end: Forfeit(seat: {seat:?}, fault: {fault})",
        fault = ron_string_literal(fault)
    );
    if history.state_at_cursor().request().is_none() {
        return Err(SaveDifference::new(line, "end: Finished", ended));
    }
    let last = save.events_with_undone().last().map(|last| &last.kind);
    match last {
        Some(SavedEventKind::Fault {
            seat: of,
            fault: noted,
            ..
        }) if (*of, &**noted) == (seat, fault) => Ok(()),
        _ => Err(SaveDifference::new(
            line,
            "the fault that ended the debate, as the last event",
            ended,
        )),
    }
}

/// A checker that follows the lines of a save, and compares each with the result of the rules and the seed.
#[derive(Clone, Debug)]
pub(super) struct SaveChecker<'a> {
    history: SavedDebateWithCursor<'a>,
    draws: RandomStream,
    /// The event numbers of the moves that are not undone.
    numbers: Vec<u64>,
    sidecars: SidecarFolder,
    /// True if the checker continues after lines that contradict the rules or the seed, as long as the rules allow the
    /// line.
    lenient: bool,
    /// The difference between the current line and the rules or the seed, if any. `first_difference` is the earliest
    /// one.
    line_difference: Option<SaveDifferenceWithoutLine>,
    first_difference: Option<SaveDifference>,
}

impl<'a> SaveChecker<'a> {
    /// Creates the checker of a save's lines. It has followed none of the lines yet.
    pub(super) fn new(start: State<'a, Exact>, save: &Save) -> Self {
        let draws =
            RandomStream::for_coins_of_debate(&save.header.seed, save.header.debate, start.coins());
        Self {
            history: SavedDebateWithCursor::history_without_moves(start),
            draws,
            numbers: Vec::new(),
            sidecars: save.sidecars.clone(),
            lenient: save.first_difference().is_some(),
            line_difference: None,
            first_difference: None,
        }
    }

    /// Makes the check of the save lenient: it continues after a difference if the rules allow the line.
    pub(super) fn continue_after_legal_differences(mut self) -> Self {
        self.lenient = true;
        self
    }

    fn state(&self) -> &State<'a, Exact> {
        self.history.state_at_cursor()
    }

    /// Records a difference. If the check is lenient, it continues; otherwise returns the difference as an error.
    fn allow(
        &mut self,
        compared: Result<(), SaveDifferenceWithoutLine>,
    ) -> Result<(), SaveDifferenceWithoutLine> {
        match compared {
            Err(mismatch) if self.lenient => {
                self.line_difference.get_or_insert(mismatch);
                Ok(())
            }
            compared => compared,
        }
    }

    /// Checks one line against the rules and the seed, and applies its step to the history.
    pub(super) fn check_next_line(&mut self, line: &SaveEventLine) -> Result<(), SaveDifference> {
        let differs = |mismatch: SaveDifferenceWithoutLine| mismatch.at_line(line.line);
        if let Some(kind) = self.kind_of(&line.kind).map_err(differs)? {
            self.take(kind, line).map_err(differs)?;
        }
        if let Some(mismatch) = self.line_difference.take() {
            self.first_difference
                .get_or_insert_with(|| differs(mismatch));
        }
        Ok(())
    }

    /// Returns the step of the debate that a save's line records; `None` if the line records a refused reply or a
    /// fault.
    fn kind_of(
        &mut self,
        kind: &SavedEventKind,
    ) -> Result<Option<SavedStepKind>, SaveDifferenceWithoutLine> {
        if let SavedEventKind::Undo { from } = kind {
            let kept = self.numbers.binary_search(from).map_err(|_place| {
                SaveDifferenceWithoutLine::new(
                    "the number of a move that was not undone",
                    format!("undo: {from}"),
                )
            })?;
            return Ok(Some(SavedStepKind::Undo { kept }));
        }
        let over = || {
            SaveDifferenceWithoutLine::new(
                "the line that ends the save, because the debate is over",
                "another event",
            )
        };
        let turn = self.state().request().ok_or_else(over)?;
        let seat = kind.seat_unless_undo().unwrap_or(Seat::Chance);
        if seat != turn.seat {
            let named = |seat: Seat| format!("seat: {seat:?}");
            return Err(SaveDifferenceWithoutLine::new(
                named(turn.seat),
                named(seat),
            ));
        }
        match kind {
            SavedEventKind::Undo { .. } | SavedEventKind::Fault { .. } => Ok(None),
            SavedEventKind::Refused { reply, .. } => {
                let refused = match self.refused(reply, &turn.request)? {
                    None => true,
                    Some(reply) => self.state().clone().reply(reply, &mut ()).is_err(),
                };
                if !refused {
                    let found = format!("refused: {}", brief(reply));
                    self.allow(Err(SaveDifferenceWithoutLine::new(
                        "a reply that the rules refuse, as this line claims",
                        found,
                    )))?;
                }
                Ok(None)
            }
            SavedEventKind::Toss { integer, .. } | SavedEventKind::Sample { integer, .. } => {
                let drawn = |integer: &u64| format!("Drawn({integer})");
                let coin = self.coin(&turn.request).ok_or_else(|| {
                    SaveDifferenceWithoutLine::new(
                        turn.request.requested_reply_phrase(),
                        format!("reply: {}", drawn(integer)),
                    )
                })?;
                let owed = coin.draw.outcome_for_random_integer(coin.integer);
                self.allow(check_field("reply", drawn(&coin.integer), drawn(integer)))?;
                let outcome = outcome_of(kind, &coin.draw)?;
                self.allow(check_coin(kind, &coin.draw, owed))?;
                Ok(Some(SavedStepKind::Move(Move {
                    seat,
                    reply: Reply::Drawn(outcome),
                    coin: Some(CoinDrawFromSeed {
                        integer: *integer,
                        ..coin
                    }),
                    spent: SeatResourceCosts::default(),
                })))
            }
            SavedEventKind::Reply { reply, spent, .. } => Ok(Some(SavedStepKind::Move(Move {
                seat,
                reply: self.meant(reply, &turn.request)?,
                coin: None,
                spent: *spent,
            }))),
        }
    }

    /// Returns the reply that a save's line states.
    fn meant(
        &self,
        saved: &SavedReply,
        request: &Request<Exact>,
    ) -> Result<Reply<Exact>, SaveDifferenceWithoutLine> {
        let bulk = match saved {
            SavedReply::Whole(reply) => return Ok(reply.clone()),
            SavedReply::LongBits(bulk) => bulk,
        };
        let Some(length) = request.requested_bit_count() else {
            let reply = format!("reply: {}", brief(saved));
            return Err(SaveDifferenceWithoutLine::new(
                request.requested_reply_phrase(),
                reply,
            ));
        };
        bulk.bits(length, || self.state().honest_reply_bits(), &self.sidecars)
            .map(Reply::Bits)
    }

    /// Returns a refused reply as it was given. `None` if it was a bit string that was not requested, of which the save
    /// stores only the digest.
    fn refused(
        &self,
        saved: &SavedReply,
        request: &Request<Exact>,
    ) -> Result<Option<Reply<Exact>>, SaveDifferenceWithoutLine> {
        let wanted = request.requested_bit_count().map(u64::from);
        match saved {
            SavedReply::LongBits(bits) if wanted != Some(bits.length) => {
                if bits.storage == LongBitsStorageInSave::Nowhere {
                    return Ok(None);
                }
                let expected =
                    "only the digest of these bits, because the request did not ask for them";
                Err(SaveDifferenceWithoutLine::new(
                    expected,
                    format!("refused: {}", brief(saved)),
                ))
            }
            _ => self.meant(saved, request).map(Some),
        }
    }

    fn take(
        &mut self,
        kind: SavedStepKind,
        line: &SaveEventLine,
    ) -> Result<(), SaveDifferenceWithoutLine> {
        let ms = line.meta.ms;
        if let SavedStepKind::Undo { kept } = kind {
            self.numbers.truncate(kept);
        }
        let pushed = self.history.push(SavedDebateStep { kind, ms });
        let latest = pushed.map_err(|illegal| {
            let found = match &line.kind {
                SavedEventKind::Reply { reply, .. } => {
                    format!("reply: {}, but {illegal}", brief(reply))
                }
                _ => illegal.to_string(),
            };
            SaveDifferenceWithoutLine::new("a legal reply", found)
        })?;
        let Some(latest) = latest else {
            return Ok(());
        };
        let read = bits_read(latest.events.iter().map(|entry| &entry.event));
        self.allow(check_bits_read(&read, &line.read))?;
        self.numbers.push(line.n);
        Ok(())
    }

    fn coin(&mut self, request: &Request<Exact>) -> Option<CoinDrawFromSeed<Exact>> {
        let (ordinal, draw) = request.requested_draw()?;
        Some(CoinDrawFromSeed {
            ordinal,
            integer: self.draws.random_53_bit_number_at(ordinal),
            draw: draw.clone(),
        })
    }
}

impl Save {
    /// Returns every step of the debate, with undos and thinking times. The cursor is at the end. Refused replies are
    /// not steps. `instance` is the result of [`super::SaveHeader::debated_instance`].
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed.
    pub fn history<'a>(&self, instance: &'a Instance) -> Result<SavedDebateWithCursor<'a>> {
        let mut follower = SaveChecker::new(self.header.protocol.start(instance)?, self);
        for line in self.events_with_undone() {
            follower.check_next_line(line)?;
        }
        Ok(follower.history)
    }

    /// Seats players (prover, opponent, judge) in the debate, in the state at the end of the save. `instance` is the
    /// result of [`super::SaveHeader::debated_instance`].
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed.
    pub fn seat<'a>(
        &self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
    ) -> Result<SeatedDebate<'a, Exact>> {
        let timeline = self.history(instance)?.timeline;
        let SaveHeader { seed, debate, .. } = &self.header;
        Ok(SeatedDebate::resume(timeline, players, seed, *debate))
    }
}

/// Returns the outcome of a random draw that a save's line states.
fn outcome_of(
    kind: &SavedEventKind,
    draw: &ChanceDraw<Exact>,
) -> Result<u64, SaveDifferenceWithoutLine> {
    match (draw, kind) {
        (ChanceDraw::Bernoulli(_), SavedEventKind::Toss { value, .. }) => Ok(u64::from(*value)),
        (ChanceDraw::Binomial { .. }, SavedEventKind::Sample { ones, .. }) => Ok(*ones),
        (ChanceDraw::Bernoulli(_), _) => {
            Err(SaveDifferenceWithoutLine::new("one coin", "count: many"))
        }
        (ChanceDraw::Binomial { .. }, _) => {
            Err(SaveDifferenceWithoutLine::new("many samples", "one coin"))
        }
    }
}

/// Checks the probability, the number of samples and the outcome that a save's line states for a draw of chance.
/// `outcome` is the one that the seed determines. The caller checks the drawn integer.
fn check_coin(
    kind: &SavedEventKind,
    draw: &ChanceDraw<Exact>,
    outcome: u64,
) -> Result<(), SaveDifferenceWithoutLine> {
    match (draw, kind) {
        (ChanceDraw::Bernoulli(asked), SavedEventKind::Toss { p, value, .. }) => {
            check_field(
                "p",
                ron_string_literal(&format_canonical(asked)),
                ron_string_literal(p),
            )?;
            check_field("value", outcome == 1, value)
        }
        (
            ChanceDraw::Binomial { count, p: asked },
            SavedEventKind::Sample {
                count: stated,
                p,
                ones,
                ..
            },
        ) => {
            check_field(
                "p",
                ron_string_literal(&format_canonical(asked)),
                ron_string_literal(p),
            )?;
            check_field("count", count, stated)?;
            check_field("ones", outcome, ones)
        }
        _ => Ok(()),
    }
}

/// Formats a reply for an error message.
fn brief(saved: &SavedReply) -> String {
    excerpt_for_error(saved.to_string().as_bytes())
}

/// Checks the bits that a save's line lists as read by the verifier, and reports the first that differs.
fn check_bits_read(expected: &[String], found: &[String]) -> Result<(), SaveDifferenceWithoutLine> {
    let shown = |bit: Option<&String>| match bit {
        Some(bit) => ron_string_literal(&excerpt_for_error(bit.as_bytes())),
        None => "nothing more".to_owned(),
    };
    let pairs =
        (0..expected.len().max(found.len())).map(|index| (expected.get(index), found.get(index)));
    match pairs
        .into_iter()
        .find(|(expected, found)| expected != found)
    {
        Some((expected, found)) => check_field("read", shown(expected), shown(found)),
        None => Ok(()),
    }
}

/// Checks a field of a save's line against its expected value.
pub(super) fn check_field(
    field: &str,
    expected: impl Display,
    found: impl Display,
) -> Result<(), SaveDifferenceWithoutLine> {
    let (expected, found) = (format!("{field}: {expected}"), format!("{field}: {found}"));
    if expected == found {
        Ok(())
    } else {
        Err(SaveDifferenceWithoutLine::new(expected, found))
    }
}
