//! `verify` and `replay`: commands on saves.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::errors::print_warning;
use super::output::{print_json_line, stdout};
use super::{Command, CommandFailure, ReplayArgs, Result, VerifyArgs, rejudge, report};
use crate::app::{AppPage, ReplayPage, saved_debate_review_context, viewer_of_save};
use debate_core::number::Exact;
use debate_core::player::{Player, SeatedDebate};
use debate_core::protocol::{IllegalReply, LogViewerRole, Rules as _};
use debate_core::scenario::Instance;
use debate_core::text::{replace_unsafe_characters, replace_unsafe_multiline};
use debate_host::plan::{DebatePlan, SaveStorageOptions};
use debate_host::record::{
    Save, SaveDifference, SaveFileError, SaveListing, SavedDebateProgress, VerificationResult,
    list_saves, saves_folder,
};
use debate_solver::expectation::OneOrMany;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_study::{StudyFolder, verify_log, verify_logs_of_participants};
use debate_text::{
    DebateNarrator, FormulaCharacterSet, PayoffFormatter, ViewerPerspective, closing_lines,
    end_disclosure_lines, new_plain_lines,
};

/// A saved debate in sentences.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ReplayReport {
    /// The save's path as given.
    save: String,
    /// True if the save follows from its rules and its seed.
    verified: bool,
    first_difference: Option<SaveDifference>,
    title: String,
    lines: Vec<NumberedLine>,
}

/// An event in a sentence.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NumberedLine {
    /// The number, from 1.
    n: usize,
    text: String,
}

/// Parses a hash, written as `verify` prints it.
pub(super) fn parse_hash(text: &str) -> Result<String, String> {
    let hash = text.to_ascii_lowercase();
    let is_hexadecimal = hash.chars().all(|c| c.is_ascii_hexdigit());
    if is_hexadecimal && matches!(hash.len(), 32 | 64) {
        return Ok(hash);
    }
    Err("give the hash that `verify` prints, 32 or 64 hexadecimal digits".to_owned())
}

pub(super) fn run_verify_saves(args: &VerifyArgs, quiet: bool) -> Result {
    super::progress::install_exit_signal_handler()?;
    let expected = args.expect.as_deref();
    let mut documents = Vec::new();
    for path in &args.saves {
        documents.extend(verify_documents(path, expected)?);
    }
    if expected.is_some() && documents.len() > 1 {
        return Err(CommandFailure::from_input_error(
            "--expect needs exactly one save, because every save has a different last hash",
        ));
    }
    let mut worst = Ok(());
    for document in &documents {
        let line = format!(
            "{}: {}",
            document.path_as_given(),
            document.verification_result_sentence()
        );
        match document.is_verified() {
            _ if args.json => {}
            Some(true) if quiet => {}
            Some(true) => writeln!(stdout(), "{}", replace_unsafe_characters(&line))?,
            _ => print_warning(line)?,
        }
        worst = match (document.is_verified(), worst) {
            (None, _) => Err(CommandFailure::Reported),
            (Some(false), Ok(())) => Err(CommandFailure::No),
            (_, worst) => worst,
        };
    }
    if args.json {
        print_json_line(&OneOrMany::from(documents))?;
    }
    worst
}

/// Verifies a save, the log of a study session (a `.jsonl` file), or each log in the folder of a study. Returns one
/// result for each.
fn verify_documents(path: &Path, expected: Option<&str>) -> Result<Vec<VerificationResult>> {
    let folder = StudyFolder::new(path);
    let of_log = |log| VerificationResult::from_log_result(log, expected);
    if folder.study_file().is_file() {
        return Ok(verify_logs_of_participants(&folder)?
            .into_iter()
            .map(of_log)
            .collect());
    }
    if path.extension().is_some_and(|it| it == "jsonl") && path.is_file() {
        return Ok(vec![of_log(verify_log(path))]);
    }
    let limits = ScenarioLimits::default();
    Ok(vec![VerificationResult::verify_save(
        path, &limits, expected,
    )])
}

/// Replaces the flag `--last` by the path of the most recently written save; for `resume`, of the most recent
/// unfinished save. Changes nothing without `--last`.
pub(super) fn resolve_last_save_flag(
    command: &mut Option<Command>,
    save_folder: Option<&Path>,
) -> Result {
    match command {
        Some(Command::Resume(args)) if args.last => {
            let save = last_save(save_folder, |save| {
                save.condition == SavedDebateProgress::Unfinished
            })?;
            args.save = Some(save);
        }
        Some(Command::Replay(args)) if args.last => args.save = last_save(save_folder, |_| true)?,
        Some(Command::Verify(args)) if args.last => {
            args.saves = vec![last_save(save_folder, |_| true)?];
        }
        Some(Command::Export(args)) if args.last => {
            let path = last_save(save_folder, |_| true)?.into_os_string();
            let file = path.into_string().map_err(|path| {
                let path = Path::new(&path).display().to_string();
                CommandFailure::Input(format!(
                    "{path}: the file name is not UTF-8; --last needs file names in UTF-8"
                ))
            })?;
            args.files = vec![file];
        }
        _ => {}
    }
    Ok(())
}

/// Returns the path of the most recently written save for which `fits` is true.
fn last_save(save_folder: Option<&Path>, fits: impl Fn(&SaveListing) -> bool) -> Result<PathBuf> {
    let folder = saves_folder(save_folder)?;
    let listed = list_saves(&folder)?;
    let save = listed.into_iter().find(fits);
    save.map(|save| save.path).ok_or_else(|| {
        CommandFailure::Input(format!(
            "--last: no matching save in {folder}; `debate-tui list saves` lists the saves",
            folder = folder.display()
        ))
    })
}

/// Prints why a save does not verify and returns a failure; does nothing if `first_difference` is `None`. Called after
/// the debate was shown or exported.
pub(super) fn fail_if_save_does_not_verify(
    path: &Path,
    first_difference: Option<&SaveDifference>,
) -> Result {
    let Some(difference) = first_difference else {
        return Ok(());
    };
    print_warning(format!(
        "{path}: the save does not verify: {difference}",
        path = path.display()
    ))?;
    Err(CommandFailure::No)
}

pub(super) fn run_replay(args: &ReplayArgs) -> Result {
    if args.judge_again.is_some() {
        return rejudge::run_rejudge(args);
    }
    let read = Save::read_leniently(&args.save, &ScenarioLimits::default())
        .map_err(|error| CommandFailure::from_file_error(&args.save, error))?;
    let first_difference = read.0.first_difference().cloned();
    if args.display.uses_full_screen() {
        let save_options = SaveStorageOptions::from(&args.save_options);
        let page = ReplayPage::of_save(&args.save, read, args.from, args.seen_by(), save_options);
        args.display
            .show_page(&args.save_options, AppPage::Replay(Box::new(page)))?;
    } else {
        let (save, setup, instance) = &read;
        print(args, save, setup, instance)?;
    }
    fail_if_save_does_not_verify(&args.save, first_difference.as_ref())
}

/// Prints a saved debate as plain lines, or as JSON with `--json`.
fn print(args: &ReplayArgs, save: &Save, setup: &LoadedScenario, instance: &Instance) -> Result {
    let wrong = |error: SaveFileError| CommandFailure::from_file_error(&args.save, error);
    let seating = save
        .seat(
            instance,
            [Player::Outside, Player::Outside, Player::Outside],
        )
        .map_err(wrong)?;
    let reader = viewer_of_save(save, setup, instance, args.seen_by()).map_err(wrong)?;
    let mut out = stdout();
    let entries = seating.log().entries().iter();
    let enters = |round: u32| {
        let mut rounds = entries.map(|entry| entry.event.round_started_by_event());
        let index = rounds.position(|entered| entered == Some(round));
        index.ok_or_else(|| {
            CommandFailure::from_file_error(&args.save, format!("this debate has no round {round}"))
        })
    };
    let from = args.from.map_or(Ok(0), enters)?;
    let transcript = transcript_lines(reader, &seating, instance)
        .map_err(|illegal| wrong(SaveFileError::from(illegal)))?;
    let lines = (1..)
        .zip(transcript)
        .filter(|(_, (index, _))| *index >= from)
        .map(|(n, (_, text))| NumberedLine { n, text });
    if args.display.json {
        return print_json_line(&ReplayReport {
            save: args.save.display().to_string(),
            verified: save.first_difference().is_none(),
            first_difference: save.first_difference().cloned(),
            title: setup.scenario_texts(instance.world_index()).title,
            lines: lines.collect(),
        });
    }
    if let Some(warning) = save.verification_warning() {
        writeln!(out, "{}\n", replace_unsafe_characters(&warning))?;
    }
    let title = setup.scenario_texts(instance.world_index()).title;
    writeln!(out, "{}", replace_unsafe_characters(&title))?;
    for NumberedLine { n, text } in lines {
        writeln!(out, "{n:>3}. {}", replace_unsafe_multiline(&text))?;
    }
    if seating.turn().is_none() {
        report::write_lines(
            &mut out,
            &closing_lines(
                &seating,
                instance,
                &PayoffFormatter::in_unit_of_rules(ViewerPerspective::NEUTRAL),
            ),
        )?;
        let plan = DebatePlan::plan_of_saved_debate(&save.header, setup.clone(), instance);
        let case = plan
            .ok()
            .and_then(|plan| saved_debate_review_context(&plan, instance));
        if let Some(case) = case {
            let review = report::compute_review(&seating, &case)?;
            report::write_review(
                &mut out,
                &case,
                &review,
                ViewerPerspective::NEUTRAL,
                args.hints,
            )?;
        }
        let header = &save.header;
        report::write_lines(
            &mut out,
            &end_disclosure_lines(setup, instance.world_index(), &header.players, header.blind),
        )?;
    } else {
        match save.forfeit() {
            Some(forfeit) => writeln!(out, "The debate was {forfeit}.")?,
            None => writeln!(out, "The save ends here. The debate is not finished.")?,
        }
    }
    Ok(())
}

/// Returns the events of a debate in words, each with its index in the log. Until the debate's last move, only events
/// that `reader` observes after their move are included. A reader who does not follow the debate gets all events once
/// the debate is over.
fn transcript_lines(
    reader: LogViewerRole,
    seating: &SeatedDebate<'_, Exact>,
    instance: &Instance,
) -> Result<Vec<(usize, String)>, IllegalReply> {
    let mut narrator = DebateNarrator::new(instance, FormulaCharacterSet::Unicode);
    let is_spoken = instance.as_two_answer_question().is_some();
    let mut timeline = seating.timeline().copy_with_cursor_at_start();
    let mut count = 0;
    let mut lines = Vec::new();
    while timeline.move_cursor_forward()?.is_some() {
        let log = timeline.log_to_cursor();
        let reader = match timeline.state().request() {
            Some(_) => reader,
            None => LogViewerRole::ALL,
        };
        narrator.figures = is_spoken || reader.sees_estimates();
        if reader.is_shown_debate_during_play() {
            let new = count..log.entries().len();
            lines.extend(new_plain_lines(&narrator, log, new, reader));
            count = log.entries().len();
        }
    }
    Ok(lines)
}
