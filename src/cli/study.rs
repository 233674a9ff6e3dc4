//! `study`: pilot studies with human judges.

mod plain;
mod print;
#[cfg(feature = "web")]
mod serve;

#[cfg(test)]
pub(super) use print::StudyStatus;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::{ArgGroup, Args, Subcommand, ValueHint};

use super::errors::print_warning;
#[cfg(not(feature = "web"))]
use super::feature::{ArgsOfMissingFeature, missing_web, refuse_without_web};
use super::flags::{EngineArgs, OutputFormatArgs};
use super::matches::{self, MatchLimitArgs};
use super::output::{print, print_json_line, stdout, write_json};
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::progress::{print_covered_part_and_fail_if_interrupted, with_progress};
use super::{CommandFailure, DisplayArgs, Result};
use crate::app::{AppPage, StudySessionStart, TerminalStudyStatusPage, participant_failure};
use debate_core::budget::ComputationBudget;
use debate_core::text::{replace_unsafe_characters, replace_unsafe_multiline};
use debate_host::plan::SaveStorageOptions;
use debate_host::record::{format_utc, is_system_failure};
use debate_study::{
    LiveOrSimulated, SimulatedJudgeBehaviour, Study, StudyError, StudyExportDestination,
    check_study, check_study_within, create_example_study, delete_names_and_payments, export,
    export_participant, lock_study, match_of_prepared_debates, max_simulated_studies,
    power_at_planned_participant_count, preregistration_text, report_charts, report_html,
    report_markdown, report_text, simulate, study_report, verify_lock, write_payments,
};

/// The environment variable that contains the token of a joining participant. A command-line argument would be visible
/// to other users of the machine.
const TOKEN_VARIABLE: &str = "DEBATE_TUI_TOKEN";

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/study.txt"))]
pub(super) struct StudyArgs {
    #[command(subcommand)]
    command: StudyCommand,
}

#[derive(Debug, Subcommand)]
enum StudyCommand {
    /// Create a folder with a complete example study.
    New(FolderArgs),
    /// Print what participants would see: conditions, items, minutes, balance. Exit with 1 if a fault would spoil
    /// the study.
    Check(CheckStudyArgs),
    /// Print every text of the study for a translation: its key, and its translation or else the text in the study's
    /// first language.
    Texts(TextsArgs),
    /// Run simulated judges through the whole study. Simulated judges test the study, and say nothing about human
    /// judges.
    Simulate(SimulateStudyArgs),
    /// Play the debates between programs that participants are to judge, and store them in items/prepared. Continue
    /// if it was stopped.
    Prepare(PrepareArgs),
    /// Lock the study, so that later changes are refused. The first consent locks it automatically.
    Lock(FolderArgs),
    /// Print hypotheses, contrast, rules and the lock's hash. Lock the study if it is unlocked.
    Preregister(FolderArgs),
    /// Guide one participant through the study, on the screen or in plain lines.
    Run(RunArgs),
    /// Guide the participant of a token through the study, as the forced command of an SSH key.
    Join(JoinArgs),
    /// Serve the study to participants' browsers.
    #[cfg(feature = "web")]
    Serve(serve::ServeStudyArgs),
    /// Invite participants: print links with tokens, read a list of names, or print a link for Prolific.
    #[cfg(feature = "web")]
    Invite(serve::InviteArgs),
    /// Show every page of the study in a browser, condition by condition. No participant takes part, and no data is
    /// stored.
    #[cfg(feature = "web")]
    Preview(serve::PreviewArgs),
    /// Serve the study to participants' browsers (not in this build).
    #[cfg(not(feature = "web"))]
    #[command(hide = true)]
    Serve(ArgsOfMissingFeature),
    /// Invite participants (not in this build).
    #[cfg(not(feature = "web"))]
    #[command(hide = true)]
    Invite(ArgsOfMissingFeature),
    /// Show every page of the study in a browser (not in this build).
    #[cfg(not(feature = "web"))]
    #[command(hide = true)]
    Preview(ArgsOfMissingFeature),
    /// Show the participants and their progress, on a screen that updates itself or in plain lines.
    Status(StatusArgs),
    /// Export tables for other programs, as Psych-DS.
    Export(ExportStudyArgs),
    /// Report on the judgements: intervals, the primary contrast, calibration, quality.
    Report(ReportStudyArgs),
    /// Compute the payments of all participants who completed the study or could not because of others. Write them
    /// to private/payments.csv.
    Pay(PayArgs),
    /// Delete all data of a participant, and leave a tombstone; or the data of all participants after the day that
    /// the study file names.
    Forget(ForgetArgs),
}

#[derive(Debug, Args)]
struct FolderArgs {
    /// The study's folder.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

impl FolderArgs {
    fn study(&self) -> Result<Study> {
        Ok(Study::load(&self.folder)?)
    }
}

/// Returns the kind of study data: simulated judges if `simulated` is true, else participants.
fn data_kind(simulated: bool) -> LiveOrSimulated {
    if simulated {
        LiveOrSimulated::Simulated
    } else {
        LiveOrSimulated::Live
    }
}

#[derive(Debug, Args)]
struct CheckStudyArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct TextsArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// The language tag of the translation, such as de or pt-BR.
    #[arg(long, value_name = "TAG")]
    lang: String,
}

#[derive(Debug, Args)]
struct SimulateStudyArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// The number of sessions.
    #[arg(short = 'n', long, default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    sessions: u32,
    /// The kinds of judges, in turn: perfect, noisy, always-first, impatient, random [default: all].
    #[arg(long, value_name = "NAME")]
    judge: Vec<String>,
    /// The seed of their answers.
    #[arg(long, default_value = "simulated")]
    seed: String,
}

#[derive(Debug, Args)]
struct PrepareArgs {
    #[command(flatten)]
    of: FolderArgs,
    #[command(flatten)]
    pace: MatchLimitArgs,
    /// Play no debates, and print the results of the existing saves.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    form: OutputFormatArgs,
    #[command(flatten)]
    engines: EngineArgs,
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// The participant's name, stored only in `private/`. With it they can continue where they left off.
    #[arg(long, value_name = "ID")]
    participant: Option<String>,
    /// The language of the pages, if the study has several. Without this flag the first page asks for it.
    #[arg(long, value_name = "TAG")]
    lang: Option<String>,
    #[command(flatten)]
    display: DisplayArgs,
}

#[derive(Debug, Args)]
struct JoinArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// The participant's token. The default is $DEBATE_TUI_TOKEN, which does not appear in lists of processes.
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// The language of the pages, if the study has several. Without this flag the first page asks for it.
    #[arg(long, value_name = "TAG")]
    lang: Option<String>,
    #[command(flatten)]
    display: DisplayArgs,
}

#[derive(Debug, Args)]
struct StatusArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// In plain lines: print the status again every few seconds until Ctrl-C. A screen does so automatically.
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Serve the dashboard to your browser, with figures that update themselves and actions: pause recruiting, close
    /// a session with pay, message participants who wait. The address contains a secret key.
    #[cfg(feature = "web")]
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["json", "watch"])]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8081")]
    serve: Option<std::net::SocketAddr>,
    /// Serve the dashboard to your browser (not in this build).
    #[cfg(not(feature = "web"))]
    #[arg(long, value_name = "ADDRESS", hide = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    serve: Option<String>,
    #[command(flatten)]
    display: DisplayArgs,
}

#[derive(Debug, Args)]
struct ExportStudyArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// Write into this folder. Without this flag, write into `export` in the study's folder and replace the export
    /// there.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Replace an existing export of the same kind in the folder of --out.
    #[arg(long, requires = "out")]
    replace: bool,
    /// Give new names in a new order, and leave out times of day, slots, hashes and free texts.
    #[arg(long)]
    anonymise: bool,
    /// Export simulated judges instead of participants.
    #[arg(long)]
    simulated: bool,
    /// Export everything that is stored about one participant, by their own name or by the name in the data, into the
    /// folder of --out.
    #[arg(long, value_name = "PARTICIPANT", requires = "out")]
    #[arg(conflicts_with_all = ["anonymise", "simulated"])]
    participant: Option<String>,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs").multiple(true))]
struct ReportStudyArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// Report on simulated judges instead of participants.
    #[arg(long)]
    simulated: bool,
    /// Print the result as one JSON document on stdout.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the report as Markdown.
    #[arg(long)]
    markdown: bool,
    /// Write one page with charts to this file (HTML).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
    /// Write the charts to this file (Vega-Lite).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    vega: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
}

#[derive(Debug, Args)]
struct PayArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// After all payments: delete the names and the payments.
    #[arg(long)]
    close: bool,
}

#[derive(Debug, Args)]
struct ForgetArgs {
    #[command(flatten)]
    of: FolderArgs,
    /// The participant, by their own name or by the name in the data.
    #[arg(value_name = "PARTICIPANT", required_unless_present = "due")]
    participant: Option<String>,
    /// Delete the logs, debates, names and payments of all participants, if `delete_raw_after` is over. Exports stay.
    #[arg(long, conflicts_with = "participant")]
    due: bool,
}

impl From<StudyError> for CommandFailure {
    fn from(error: StudyError) -> Self {
        match &error {
            StudyError::Io { cause, .. } if is_system_failure(cause) => {
                Self::from_system_error(error)
            }
            _ => Self::from_input_error(error),
        }
    }
}

impl StudyArgs {
    /// Returns the flags for engines.
    pub(super) fn engines(&mut self) -> Option<&mut EngineArgs> {
        match &mut self.command {
            StudyCommand::Prepare(args) => Some(&mut args.engines),
            #[cfg(feature = "web")]
            StudyCommand::Serve(args) => Some(args.engines()),
            _ => None,
        }
    }

    pub(super) fn display_args(&mut self) -> Option<&mut DisplayArgs> {
        match &mut self.command {
            StudyCommand::Run(args) => Some(&mut args.display),
            StudyCommand::Join(args) => Some(&mut args.display),
            StudyCommand::Status(args) => Some(&mut args.display),
            _ => None,
        }
    }
}

pub(super) fn run_study(args: &StudyArgs) -> Result {
    match &args.command {
        StudyCommand::New(args) => create_study(&args.folder),
        StudyCommand::Check(args) => print_study_check(args),
        StudyCommand::Texts(args) => print_texts(args),
        StudyCommand::Simulate(args) => simulate_study(args),
        StudyCommand::Prepare(args) => prepare_debates(args),
        StudyCommand::Lock(args) => lock_study_folder(&args.folder),
        StudyCommand::Preregister(args) => print_preregistration(&args.folder),
        StudyCommand::Run(args) => {
            let id = args.participant.as_deref();
            let study = args.of.study()?;
            note_other_program(&study)?;
            run_participant(study, id, args.lang.as_deref(), &args.display)
        }
        StudyCommand::Join(args) => join_with_token(args),
        #[cfg(feature = "web")]
        StudyCommand::Serve(args) => serve::run_study_serve(args),
        #[cfg(feature = "web")]
        StudyCommand::Invite(args) => serve::run_study_invite(args),
        #[cfg(feature = "web")]
        StudyCommand::Preview(args) => serve::run_study_preview(args),
        #[cfg(not(feature = "web"))]
        StudyCommand::Serve(args) | StudyCommand::Invite(args) | StudyCommand::Preview(args) => {
            refuse_without_web(args)
        }
        StudyCommand::Status(args) => status(args),
        StudyCommand::Export(args) => export_study(args),
        StudyCommand::Report(args) => report_study(args),
        StudyCommand::Pay(args) => compute_payments(args),
        StudyCommand::Forget(args) => forget_participants(args),
    }
}

/// Prints a line on stdout.
fn print_sentence(line: &str) -> Result {
    Ok(writeln!(stdout(), "{}", replace_unsafe_multiline(line))?)
}

/// Returns a path as the user typed it, with unsafe characters replaced. Used for the study's folder and other files.
fn folder_as_typed(folder: &Path) -> String {
    replace_unsafe_characters(&folder.display().to_string()).into_owned()
}

fn create_study(folder: &Path) -> Result {
    let written = create_example_study(folder)?;
    let study_folder = folder_as_typed(folder);
    print_sentence(&format!(
        "Wrote {file_count} files to {study_folder}: study.ron, its texts, items/, variants/ and practice/.",
        file_count = written.len()
    ))?;
    print_sentence(&format!("Next: debate-tui study check {study_folder}"))
}

fn print_study_check(args: &CheckStudyArgs) -> Result {
    super::progress::install_exit_signal_handler()?;
    let study = args.of.study()?;
    let count = max_simulated_studies();
    let (checked, signal) = with_progress(count, "simulated studies", !args.json, |budget| {
        check_study_within(&study, budget)
    })?;
    let checked = checked?;
    if args.json {
        print_json_line(&checked)?;
    } else {
        print::print_study_check_report(&checked)?;
    }
    print_covered_part_and_fail_if_interrupted(signal, "studies simulated before")?;
    CommandFailure::No.fail_unless(checked.ok)
}

fn print_texts(args: &TextsArgs) -> Result {
    let mut study = Study::load_in_first_language_only(&args.of.folder)?;
    let text = study.translation_file_for_translators(&args.lang)?;
    Ok(write!(stdout(), "{}", replace_unsafe_multiline(&text))?)
}

fn simulate_study(args: &SimulateStudyArgs) -> Result {
    super::progress::install_exit_signal_handler()?;
    let study = args.of.study()?;
    let known = SimulatedJudgeBehaviour::ALL.map(|model| model.name);
    let model = |name: &String| {
        SimulatedJudgeBehaviour::judge_behaviour_named(name)
            .ok_or_else(|| super::unknown_name("unknown simulated judge", name, &known))
    };
    let models = match args.judge.as_slice() {
        [] => SimulatedJudgeBehaviour::ALL.to_vec(),
        names => names.iter().map(model).collect::<Result<_, _>>()?,
    };
    simulate(&study, args.sessions, &models, &args.seed)?;
    let names: Vec<&str> = models.iter().map(|model| model.name).collect();
    let study_folder = folder_as_typed(&args.of.folder);
    print_sentence(&format!(
        "Wrote {session_count} simulated sessions to {study_folder}/simulated. The simulated judges, in turn: {judges}.",
        session_count = args.sessions,
        judges = names.join(", ")
    ))?;
    if let Some(planned) = power_at_planned_participant_count(&study, ComputationBudget::default())
    {
        print_sentence(&print::power_in_words(&planned))?;
    }
    print_sentence(&format!(
        "Next: debate-tui study report {study_folder} --simulated"
    ))
}

fn prepare_debates(args: &PrepareArgs) -> Result {
    super::progress::install_match_signal_handler()?;
    let study = args.of.study()?;
    let caps = args.pace.override_caps(study.plan.caps.clone());
    caps.validate_money_cap()
        .map_err(CommandFailure::from_input_error)?;
    let game = match_of_prepared_debates(
        &study,
        args.pace.jobs(),
        args.engines.external_player_options(),
        caps,
    )?;
    matches::play_unfinished(&game, args.dry_run, false, |report| {
        print(report, &args.form)
    })?;
    if args.dry_run {
        return Ok(());
    }
    // A debate that a program abandoned has an end, but judges cannot judge it.
    Ok(Study::load(&args.of.folder)?.check_program_debates_were_played()?)
}

fn lock_study_folder(folder: &Path) -> Result {
    let study = Study::load(folder)?;
    let made = lock_study(&study)?;
    print_sentence(&format!("Locked {}: {}", made.locked, made.hash))
}

fn print_preregistration(folder: &Path) -> Result {
    let study = Study::load(folder)?;
    let checked = check_study(&study)?;
    if !checked.ok {
        print::print_study_check_report(&checked)?;
        return Err(CommandFailure::No);
    }
    let made = lock_study(&study)?;
    let text = preregistration_text(&study, &checked, &made);
    Ok(write!(stdout(), "{}", replace_unsafe_multiline(&text))?)
}

/// Prints a note if another version of the program locked the study.
fn note_other_program(study: &Study) -> Result {
    let note = verify_lock(study)?.and_then(|lock| lock.study_locked_by_other_version_note());
    note.map_or(Ok(()), print_warning)
}

/// Guides the participant who has this token through the study.
fn join_with_token(args: &JoinArgs) -> Result {
    let variable = || {
        std::env::var(TOKEN_VARIABLE)
            .ok()
            .filter(|it| !it.is_empty())
    };
    let asked = || format!("no token given; use --token TOKEN or {TOKEN_VARIABLE}");
    let token = args.token.clone().or_else(variable);
    let token = token.ok_or_else(|| CommandFailure::Input(asked()))?;
    // A participant may be on another machine: errors must not reveal the contents or the names of the study's files.
    let study = Study::load(&args.of.folder).map_err(|error| participant_failure(&error))?;
    run_participant(study, Some(&token), args.lang.as_deref(), &args.display)
}

/// Returns an error if a flag names a language that the study does not have.
fn check_language(study: &Study, language: Option<&str>) -> Result {
    let Some(language) = language else {
        return Ok(());
    };
    if study.in_language(language).is_some() {
        return Ok(());
    }
    let own = [study.plan.language()];
    let known: Vec<&str> = match study.offered_languages() {
        [] => own.to_vec(),
        languages => languages.iter().map(String::as_str).collect(),
    };
    Err(super::unknown_name(
        "--lang: the study does not have the language",
        language,
        &known,
    ))
}

fn run_participant(
    study: Study,
    id: Option<&str>,
    language: Option<&str>,
    display: &DisplayArgs,
) -> Result {
    check_language(&study, language)?;
    let id = id.map(str::trim).filter(|id| !id.is_empty());
    if id.is_some_and(|id| id.chars().count() > 200 || id.chars().any(char::is_control)) {
        return Err(CommandFailure::from_input_error(
            "a participant's name has at most 200 characters and no control characters",
        ));
    }
    if !display.uses_full_screen() {
        return plain::run_session_in_plain_lines(&study, id, language);
    }
    let page = StudySessionStart {
        study,
        id: id.map(str::to_owned),
        language: language.map(str::to_owned),
    };
    display.show_page(
        SaveStorageOptions::default(),
        AppPage::Study(Box::new(page)),
    )
}

fn status(args: &StatusArgs) -> Result {
    #[cfg(feature = "web")]
    if let Some(address) = args.serve {
        return serve::serve_study_dashboard(&args.of, address);
    }
    #[cfg(not(feature = "web"))]
    if args.serve.is_some() {
        return Err(missing_web());
    }
    let folder = &args.of.folder;
    if args.display.json {
        return print_json_line(&print::end_expired_sessions_and_read_status(folder)?);
    }
    if !args.display.uses_full_screen() {
        return print::end_expired_sessions_and_print_status(folder, args.watch);
    }
    // Errors that are known at once are reported before the screen opens.
    print::end_expired_sessions_and_read_status(folder)?;
    let folder = folder.clone();
    let look_up = move || {
        let status = print::end_expired_sessions_and_read_status(&folder)
            .map_err(|failure| failure.to_string())?;
        Ok(print::status_lines(&status))
    };
    let page = TerminalStudyStatusPage {
        look_up: Box::new(look_up),
    };
    args.display
        .show_page(SaveStorageOptions::default(), AppPage::StudyStatus(page))
}

fn export_study(args: &ExportStudyArgs) -> Result {
    let study = args.of.study()?;
    let default = || args.of.folder.join("export");
    let folder = args.out.clone().unwrap_or_else(default);
    let target = StudyExportDestination {
        folder,
        replace: args.replace || args.out.is_none(),
    };
    let made = match &args.participant {
        Some(name) => export_participant(&study, name, &target)?,
        None => export(&study, data_kind(args.simulated), &target, args.anonymise)?,
    };
    print_sentence(&format!(
        "Exported {session_count} sessions to {file_count} files in {folder}.",
        session_count = made.sessions,
        file_count = made.files.len(),
        folder = folder_as_typed(&made.folder)
    ))?;
    made.damage
        .damage_sentences()
        .iter()
        .try_for_each(|it| print_sentence(it))
}

fn report_study(args: &ReportStudyArgs) -> Result {
    super::progress::install_exit_signal_handler()?;
    let outputs =
        CheckedOutputFiles::check(args.replace, [args.html.as_ref(), args.vega.as_ref()])?;
    let study = args.of.study()?;
    let report = study_report(&study, data_kind(args.simulated))?;
    if let Some(path) = &args.html {
        outputs.write(path, report_html(&report))?;
    }
    outputs.write_chart(args.vega.as_deref(), || report_charts(&report))?;
    let mut out = outputs.result_stream();
    if args.json {
        return write_json(&mut out, &report);
    }
    let words = if args.markdown {
        report_markdown
    } else {
        report_text
    };
    Ok(write!(
        out,
        "{}",
        replace_unsafe_multiline(&words(&report))
    )?)
}

fn compute_payments(args: &PayArgs) -> Result {
    let study = args.of.study()?;
    if args.close {
        let participant_count = delete_names_and_payments(&study)?;
        return print_sentence(&format!(
            "The payments and the names of the participants ({participant_count}) are deleted."
        ));
    }
    let (payments, path) = write_payments(&study)?;
    let cents: u32 = payments.iter().map(|payment| payment.cents).sum();
    print_sentence(&format!(
        "{payments_or_bonuses}: {payment_count}, {cents} cents in all, written to {file}",
        payments_or_bonuses = if payments.iter().all(|payment| payment.bonus.is_some()) {
            "Bonuses"
        } else {
            "Payments"
        },
        payment_count = payments.len(),
        file = folder_as_typed(&path)
    ))?;
    let nameless_count = payments
        .iter()
        .filter(|payment| payment.id.is_none())
        .count();
    if nameless_count > 0 {
        print_sentence(&format!(
            "Participants without a name, who cannot be paid: {nameless_count}."
        ))?;
    }
    for sentence in study.folder.live_data_damage()?.damage_sentences() {
        print_sentence(&sentence)?;
    }
    print_sentence("After the payments, `study pay --close` deletes the names.")
}

fn forget_participants(args: &ForgetArgs) -> Result {
    let study = args.of.study()?;
    let Some(participant) = &args.participant else {
        let session_count = study.delete_participant_data_after_study_deletion_day()?;
        return print_sentence(&format!(
            "The logs, debates, names and payments of {session_count} sessions are deleted. Exports stay."
        ));
    };
    let now = format_utc(SystemTime::now());
    let deletion = study.folder.delete_participant(participant, &now)?;
    let Some(session) = deletion.session else {
        return print_sentence(
            "The name is removed from the list of invited participants. No session had this name.",
        );
    };
    print_sentence(&format!(
        "The session {session} is deleted, with its log, its debates and the participant's name. Its slot, if it had one, is free again."
    ))?;
    if deletion.keeps_payment {
        print_sentence(
            "private/payments.csv keeps the amount, so that the total stays known; the name, the trial and the \
             score are deleted.",
        )?;
    }
    print_sentence(&format!(
        "data/raw/{session}.forgotten keeps the session's number and the time, so that the report counts the deletion. \
         data/ledger.log keeps the length, the hash and the time of each deleted line, without its content."
    ))?;
    print_sentence("Earlier exports still contain the session.")
}
