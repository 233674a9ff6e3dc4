//! Saves of debates, which are append-only: writing, reading, verification and replay.
//!
//! Entry points: a [`SaveJournal`] writes a debate to the disk while it is played, and opens it again to continue. A
//! [`Save`] is the content of a file. [`verify_file`] checks that a save follows from the rules and the seed. A
//! [`SavedDebateWithCursor`] steps through a save, including undone moves. A [`FileHashLedger`] records the written
//! length of each chained file of a folder.
//!
//! A save is a RON document. Its header contains the inputs of the debate: the scenario's text, the protocol, the seed,
//! the instance and the players. Each event (a move, an undo, a refused reply or a fault) is one line, and a finished
//! debate has a closing line. Each line has a hash of its content and of the lines before it. `scan` reads the lines
//! and checks the chain of hashes. A file that ends within a line was cut off: that line is dropped. Any other line
//! that does not follow is damage, and is reported.
//!
//! ```
//! use debate_core::chance::Seed;
//! use debate_core::player::{Player, StrategyRegistry, SeatedDebate, PlayerSpec};
//! use debate_core::protocol::{Reply, Rules, Seat};
//! use debate_host::record::{SaveHeader, SaveJournal, Save, verify_file};
//! use debate_solver::setup::{ScenarioLimits, LoadedScenario};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let limits = ScenarioLimits::default();
//! let setup = LoadedScenario::load_bundled_scenario("primes", &limits)?;
//! let seed = Seed::new("7").ok_or("no seed")?;
//! let instance = setup.instance(setup.world_of_debate(&seed, 0));
//! let names = ["human", "calibrated", "oracle"].map(str::to_owned);
//! let build = |header: &SaveHeader, seat| {
//!     let spec = PlayerSpec::parse(header.player_name(seat).unwrap_or_default()).unwrap();
//!     let built = StrategyRegistry::registry_with_builtin_players().build(&spec, seat, &instance, &header.protocol);
//!     Player::Builtin(built.unwrap())
//! };
//! let players = |header: &SaveHeader| {
//!     [Player::Outside, build(header, Seat::Opponent), build(header, Seat::Judge)]
//! };
//!
//! // Play and save: flush before a person is asked again.
//! let header = SaveHeader::new(&setup, setup.protocol.clone(), seed, &instance, names);
//! let mut journal = SaveJournal::create_save(folder, &setup.title, &header)?;
//! let start = header.protocol.start(&instance)?;
//! let mut seating = SeatedDebate::new(start, players(&header), &header.seed, 0);
//! journal.append_latest_move(seating.reply(Reply::Answer(true))?)?;
//! while seating.awaited_seat_of_user_or_driving_program().is_none() {
//!     journal.append_latest_move(seating.make_automatic_move()?)?;
//! }
//! journal.flush()?;
//! let path = journal.save_path().to_owned();
//! drop(journal);
//!
//! // Go on later.
//! let (save, mut journal) = SaveJournal::open_to_continue(&path)?;
//! let mut seating = save.seat(&instance, players(&save.header))?;
//! assert_eq!(seating.awaited_seat_of_user_or_driving_program(), Some(Seat::Prover));
//!
//! // Check it, and look at it.
//! let verdict = verify_file(&path, &limits)?;
//! assert!(verdict.ok && !verdict.finished);
//! let mut history = save.history(&instance)?;
//! history.move_cursor_and_tell_if_log_shrank(1)?;
//! assert_eq!(history.state_at_cursor().answer(), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod caps;
mod chain;
mod cost;
mod error;
mod folder;
mod game_text;
mod header;
mod history;
mod journal;
mod ledger;
mod line;
mod long_bits;
mod measures;
mod output_file;
mod protocol;
mod reply;
mod save;
mod scan;
mod sidecar;
mod small_files;
mod syntax;
mod time;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use caps::TotalCostCaps;
pub use chain::{
    CONVERTED, ChainHash, ChainedLineHashMarker, JSON_CLOSER, LOG_HASH_POSITION, LockedAppendFile,
    RawLine, RawLineIterator, accept_missing_lock_support,
};
pub use cost::{AnsweringModel, ReplyCost, ReplyCostSum, ReplyCostsBySeat};
use error::Result;
pub use error::{SaveDifference, SaveFileError, SidecarError};
pub use folder::{
    FOLDER_VARIABLE, MAX_LISTED, SaveListing, SavedDebateProgress, latest_saves_with_moves,
    list_save_files, list_saves, saves_folder,
};
pub use game_text::{GameFormatSaveMistake, SaveTextExportError, read_game_text, write_game_text};
pub use header::{DAILY_TAG, FileReadByDebate, MAX_TEXT, SaveBranchPoint, SaveHeader};
pub use history::{SavedDebateStep, SavedDebateWithCursor, SavedStepKind};
pub(crate) use journal::SaveJournalSavepoint;
pub use journal::{SaveJournal, delete_save_and_label};
pub use ledger::{FileHashLedger, FileHashLedgerLine, HashLedgerContent, NewestLedgerLineOfFile};
#[cfg(feature = "schema")]
pub use line::SaveLineSchema;
pub use line::{ReplyMeta, SaveEventLine, SavedEventKind};
pub use long_bits::{LongBitsStorageInSave, MAX_FLIPS, MAX_WRITTEN, SavedLongBits};
pub use measures::UserMeasuresOfFinishedDebate;
pub use output_file::{
    OutputDestination, OutputFileError, check_output, is_system_failure, stream_output,
    write_output,
};
pub use protocol::{parse_saved_protocol, protocol_text_for_save};
pub use reply::SavedReply;
pub use save::{Forfeit, IncompleteLine, Save, SavedDebateEnd};
pub use scan::first_line_ends_with_crlf;
pub use sidecar::{RegularFileOpenError, Sidecar, open_regular_file};
pub use small_files::TutorialProgress;
pub use small_files::{MAX_SAVE_NAME, UserSaveLabel};
pub use small_files::{add_recent_scenario, recent_scenarios};
pub use small_files::{
    create_file_atomically, create_private_folder, is_temporary_file, paths_in, write_atomically,
    write_file_without_sync,
};
pub use syntax::ron_string_literal;
pub use syntax::{FORMAT, MAX_LINE, MAX_SAVE};
pub use syntax::{format_utc, saved_time_plus_duration};
pub use time::TimeSource;
pub use verify::{
    SaveVerificationResult, StudyLogVerificationResult, UnreadableSaveVerifyReport,
    VerificationResult, verify_file, verify_save_bytes,
};
pub use writer::{SaveLineFormatter, SaveLinesToWrite, by_round, whole_save_text};
