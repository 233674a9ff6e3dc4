//! `import`: converts debates from other programs into saves, and questions into scenarios.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};

use super::errors::{print_remark, print_warning};
use super::output::{PrintedFormat, is_terminal, print};
use super::{CommandFailure, Result};
use debate_lab::import::{
    self, DebatesInFile, FilesToImport, ImportError, ImportFileKind, ImportInProgress,
    ImportedSave, ImportedSpeechDebate, QuestionImporter, game, inspect, nyu, read_text_file, tree,
};
use debate_solver::setup::{DebatedWrongAnswers, QuestionFieldNames};

/// The number of imported files between two progress messages.
const STEP: usize = 50;

// Converts debates from other programs into saves, which can be replayed, verified and reported on. Converts questions
// into scenario files.
//
// If a file is not such a debate, the command reports its path and continues. The exit code is then 2. Files of
// another kind in a folder are listed and skipped. No file is replaced. Judgements of the finished debates by other
// judges are written to later-judgements.jsonl, which `report` reads.
#[derive(Debug, Args)]
#[command(after_help = include_str!("help/import.txt"))]
pub(super) struct ImportArgs {
    /// The format of the files.
    #[arg(value_enum, value_name = "FORMAT")]
    format: ImportFormat,
    /// Files, or folders of such files. Other kinds of files in a folder are skipped.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Write the saves or scenario files into this folder; it is created if missing.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// nyu: keep real names, and the participants' guesses of each other's names. By default, names become
    /// pseudonyms.
    #[arg(long)]
    keep_names: bool,
    /// questions: the wrong answers for questions with four options [default: best].
    #[arg(long, value_enum, value_name = "PAIRS")]
    pairs: Option<PairsArg>,
    /// questions: the fields of another JSONL format: `question`, `answer` (an index from 0, a letter or the text of a
    /// choice) and `choices` (a list of texts); also `id` and `source`. A dot leads into an object: `choices.text`.
    #[arg(long, value_name = "question=FIELD,answer=FIELD,choices=FIELD")]
    map: Option<QuestionFieldNames>,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
}

/// The formats that debates are imported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ImportFormat {
    /// The public debates of the NYU study (Michael et al. 2023), one JSON file each. Names become pseudonyms. With
    /// debates-metadata.json or .jsonl in the same folder or up to two folders above, `report` counts the debates
    /// that the paper includes.
    Nyu,
    /// The public format (`debate-tui schema transcript`), or Inspect logs with two debaters.
    Transcript,
    /// Debate trees of the DC-Debates data (scalable-oversight/dc-debates), one JSON file each. Each level of a tree
    /// becomes a round of speeches.
    Tree,
    /// Debates that `export --to game` wrote, as the same saves.
    Game,
    /// Questions with two answers, one per line (`debate-tui schema question`), or QuALITY's public files. Each
    /// becomes a scenario file.
    Questions,
}

impl ImportFormat {
    fn kind(self) -> ImportFileKind {
        match self {
            Self::Nyu => ImportFileKind::Nyu,
            Self::Transcript => ImportFileKind::Transcript,
            Self::Tree => ImportFileKind::Tree,
            Self::Game => ImportFileKind::Game,
            Self::Questions => ImportFileKind::Questions,
        }
    }
}

/// The value of `--pairs`. A QuALITY question has three wrong answers; this choice states if one or all of them are
/// debated against the right answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PairsArg {
    /// The answer that most annotators named as misleading; the first one in a tie.
    Best,
    /// All wrong answers, each as a separate question.
    All,
}

pub(super) fn run_import(args: &ImportArgs, quiet: bool) -> Result {
    super::progress::install_exit_signal_handler()?;
    if args.keep_names && args.format != ImportFormat::Nyu {
        return Err(CommandFailure::from_input_error(
            "--keep-names applies only to nyu; other formats keep names unchanged",
        ));
    }
    if args.format == ImportFormat::Questions {
        return import_questions(args);
    }
    if args.pairs.is_some() {
        return Err(CommandFailure::from_input_error(
            "--pairs applies only to questions; debates have two answers",
        ));
    }
    if args.map.is_some() {
        return Err(CommandFailure::from_input_error(
            "--map applies only to questions; debates have fixed fields",
        ));
    }
    let kind = args.format.kind();
    let found = import::find_files_to_import(&args.paths, kind)?;
    let mut importer = ImportInProgress::new(&args.out);
    for path in &found.others {
        importer.record_skipped_file(path);
    }
    let mut reader = reader(args, &found.files)?;
    let shows_progress = !quiet && is_terminal(&io::stderr());
    let mut skipped = 0;
    for (number, path) in (1..).zip(&found.files) {
        let text = read_text_file(path);
        if is_of_another_kind(path, text.as_deref().ok(), &found, kind) {
            importer.record_skipped_file(path);
            skipped += 1;
            continue;
        }
        let read = text.and_then(|text| reader(path, &text));
        for refused in importer.take(path, read)? {
            print_warning(format!("{}: {}", refused.file, refused.why))?;
        }
        if shows_progress && number % STEP == 0 {
            print_remark(format!("{number} of {} files", found.files.len()))?;
        }
    }
    if skipped == found.files.len() {
        return Err(kind.no_files_error(&args.paths).into());
    }
    let report = importer.write_judgements_by_other_judges()?;
    print(&report, PrintedFormat::page_or_json(args.json))?;
    CommandFailure::Reported.fail_unless(report.refused.is_empty())
}

/// True if the import skips a file: the user did not name the file itself, and it is readable but of another kind than
/// `kind`.
fn is_of_another_kind(
    path: &Path,
    text: Option<&str>,
    found: &FilesToImport,
    kind: ImportFileKind,
) -> bool {
    let was_found = !found.named.contains(path);
    was_found && text.is_some_and(|text| !kind.is_this_kind_or_damaged(text))
}

/// Writes a scenario file for each question of the imported files.
fn import_questions(args: &ImportArgs) -> Result {
    let pairs = match args.pairs {
        None | Some(PairsArg::Best) => DebatedWrongAnswers::Best,
        Some(PairsArg::All) => DebatedWrongAnswers::All,
    };
    let kind = ImportFileKind::Questions;
    let found = import::find_files_to_import(&args.paths, kind)?;
    let mut report = QuestionImporter::new(&args.out);
    for path in &found.others {
        report.record_skipped_file(path);
    }
    let mut skipped = 0;
    for path in &found.files {
        // The call of `import_questions` below reports an unreadable file.
        let text = read_text_file(path).ok();
        if args.map.is_none() && is_of_another_kind(path, text.as_deref(), &found, kind) {
            report.record_skipped_file(path);
            skipped += 1;
            continue;
        }
        for refused in report.import_questions(path, pairs, args.map.as_ref())? {
            print_warning(format!("{}: {}", refused.file, refused.why))?;
        }
    }
    if skipped == found.files.len() {
        return Err(kind.no_files_error(&args.paths).into());
    }
    print(&report, PrintedFormat::page_or_json(args.json))?;
    CommandFailure::Reported.fail_unless(report.refused.is_empty())
}

/// A function that reads the debates of a file.
type Reader<'a> = Box<dyn FnMut(&Path, &str) -> Result<DebatesInFile, ImportError> + 'a>;

fn reader<'a>(args: &ImportArgs, files: &[PathBuf]) -> Result<Reader<'a>> {
    let stem = |path: &Path| {
        let stem = path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    };
    Ok(match args.format {
        ImportFormat::Game => Box::new(move |path, text| {
            let save = game::import_game_text(&stem(path), text)?;
            Ok(DebatesInFile {
                debates: vec![(save, None)],
                ..DebatesInFile::default()
            })
        }),
        ImportFormat::Tree => Box::new(move |path, text| {
            Ok(single_debate(tree::import_tree_as_save(&stem(path), text)?))
        }),
        ImportFormat::Nyu => {
            let known = import::read_study_metadata(files)?;
            let mut names = nyu::Pseudonyms::new(args.keep_names);
            Box::new(move |path, text| {
                let name = stem(path);
                let included = known.get(&name).and_then(|entry| entry.included);
                Ok(single_debate(nyu::import_debate_as_save(
                    &name, text, included, &mut names,
                )?))
            })
        }
        ImportFormat::Transcript | ImportFormat::Questions => Box::new(|_, text| {
            if let Some(log) = inspect::read_inspect_log(text) {
                return log;
            }
            let transcript = ImportedSpeechDebate::parse_transcript(text)?;
            Ok(single_debate((transcript.to_imported_save()?, transcript)))
        }),
    })
}

/// Returns an imported debate as the contents of a file that contains no other debate.
fn single_debate((save, transcript): (ImportedSave, ImportedSpeechDebate)) -> DebatesInFile {
    DebatesInFile {
        debates: vec![(save, Some(transcript))],
        ..DebatesInFile::default()
    }
}
