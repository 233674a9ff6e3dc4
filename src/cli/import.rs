//! `import`: debates that were held elsewhere, as saves.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use schemars::JsonSchema;
use serde::Serialize;

use super::Failure;
use super::output::print_json;
use debate_core::text::{counted, safe};
use debate_lab::import::{
    self, DebateFiles, ImportError, ImportedSave, Kept, Transcript, inspect, keep, nyu, read_text,
};
use debate_lab::judgements::Judgement;

/// The file beside the saves with what others made of the finished debates.
const LATER: &str = "later-judgements.jsonl";

/// So many debates are told of at a time on the way.
const STEP: usize = 50;

const EXAMPLES: &str = "\
Examples:
  debate-tui import nyu debates --out nyu           the public debates of the NYU study, as saves
  debate-tui import transcript log.json --out mine  a transcript of one's own, or an Inspect log
  debate-tui report nyu                             then: what judges made of them
  debate-tui replay nyu --as judge                  or: judge them again";

// Turn debates that were held elsewhere into saves, which replay, verify and can be reported on.
//
// What is no such debate is refused with its place, and the rest goes on: the exit code is then 2.
// No file is replaced. Judgements that others made of the finished debates are put into
// later-judgements.jsonl, which `report` reads.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImportArgs {
    /// The kind of the files.
    #[arg(value_enum, value_name = "FORMAT")]
    format: ImportFormat,
    /// Files, or folders with such files.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Put the saves into this folder, which is made if need be.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// nyu: keep the names of people as they stand in the files, and whom they took each other for.
    #[arg(long)]
    keep_names: bool,
    /// Print one JSON document and nothing else on stdout.
    #[arg(long)]
    json: bool,
}

/// The kinds of files that debates are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ImportFormat {
    /// The public debates of the NYU study (Michael et al. 2023), one JSON file each; where
    /// debates-metadata.json or .jsonl stands beside them or up to two folders above, `report`
    /// counts what the paper includes. Names of people become pseudonyms.
    Nyu,
    /// The public format (`debate-tui schema transcript`), or Inspect logs with two debaters.
    Transcript,
}

/// The result of an import.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct ImportReport {
    /// The folder with the saves.
    out: String,
    /// Debates that were found.
    debates: usize,
    /// Debates that are saves now, those that were there already among them.
    imported: usize,
    /// Those of them that have an end.
    finished: usize,
    /// Those of them that were there already, unchanged.
    already_there: usize,
    /// Judgements that others made of finished debates.
    later_judgements: usize,
    /// The files that were refused, each with the place and the reason.
    refused: Vec<RefusedFile>,
    /// Quotes that ran past the end of their source, and are cut there.
    cut_quotes: usize,
    /// What of a debate is not in its save; its tag `oddities` has it too.
    notes: Vec<FileNotes>,
    /// Files beside the debates that are known to be none.
    skipped: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RefusedFile {
    file: String,
    why: String,
}

/// A debate of which something is not in its save.
#[derive(Debug, Serialize, JsonSchema)]
struct FileNotes {
    file: String,
    notes: Vec<String>,
}

/// An import under way: totals, and the judgements on the way.
struct Import<'a> {
    args: &'a ImportArgs,
    report: ImportReport,
    later: Vec<Judgement>,
    shows_progress: bool,
}

pub(super) fn import(args: &ImportArgs, quiet: bool) -> Result<(), Failure> {
    super::interrupt::ends_at_once(false)?;
    let DebateFiles {
        debates: files,
        others,
    } = import::files(&args.paths).map_err(Failure::input)?;
    let mut run = Import::of(args, quiet);
    let names = others.iter().map(|path| path.display().to_string());
    run.report.skipped = names.collect();
    match args.format {
        ImportFormat::Nyu => {
            let known = import::metadata(&files).map_err(Failure::input)?;
            let mut names = nyu::Names::new(args.keep_names);
            run.run(&files, |path, text| {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                let included = known.get(&*name).and_then(|entry| entry.included);
                let saved = nyu::save(&name, text, included, &mut names)?;
                Ok(vec![saved])
            })
        }
        ImportFormat::Transcript if args.keep_names => Err(Failure::input(
            "--keep-names goes with nyu: names in transcripts are kept as they stand",
        )),
        ImportFormat::Transcript => run.run(&files, |_, text| {
            let transcripts = match inspect::read(text) {
                Some(transcripts) => transcripts?,
                None => vec![Transcript::read(text)?],
            };
            let saved = transcripts.into_iter();
            saved.map(|read| Ok((read.to_save()?, read))).collect()
        }),
    }
}

impl<'a> Import<'a> {
    fn of(args: &'a ImportArgs, quiet: bool) -> Self {
        Self {
            args,
            report: ImportReport {
                out: args.out.display().to_string(),
                ..ImportReport::default()
            },
            later: Vec::new(),
            shows_progress: !quiet && io::stderr().is_terminal(),
        }
    }

    fn run(
        mut self,
        files: &[PathBuf],
        mut saves: impl FnMut(&Path, &str) -> Result<Vec<(ImportedSave, Transcript)>, ImportError>,
    ) -> Result<(), Failure> {
        for (number, path) in files.iter().enumerate() {
            let read = read_text(path).and_then(|text| saves(path, &text));
            match read {
                Ok(saves) => {
                    for (save, transcript) in saves {
                        self.report.debates += 1;
                        if let Err(error) = self.keep(path, save, &transcript) {
                            self.refuse(path, &error)?;
                        }
                    }
                }
                Err(error) => {
                    self.report.debates += 1;
                    self.refuse(path, &error)?;
                }
            }
            if self.shows_progress && (number + 1) % STEP == 0 {
                writeln!(io::stderr(), "{} of {} files", number + 1, files.len())?;
            }
        }
        self.end()
    }

    fn keep(
        &mut self,
        path: &Path,
        save: ImportedSave,
        transcript: &Transcript,
    ) -> Result<(), ImportError> {
        let kept = keep(&self.args.out, &format!("{}.ron", save.name), &save.text)?;
        self.report.imported += 1;
        self.report.finished += usize::from(save.finished);
        self.report.already_there += usize::from(kept == Kept::There);
        self.report.cut_quotes += save.cut_quotes;
        if !save.notes.is_empty() {
            self.report.notes.push(FileNotes {
                file: path.display().to_string(),
                notes: save.notes,
            });
        }
        let later = transcript.judgements.iter();
        self.later
            .extend(later.filter_map(|made| made.of(transcript)));
        Ok(())
    }

    fn refuse(&mut self, path: &Path, error: &ImportError) -> Result<(), Failure> {
        let file = path.display().to_string();
        let why = safe(&error.to_string()).into_owned();
        writeln!(io::stderr(), "debate-tui: {}: {why}", safe(&file))?;
        self.report.refused.push(RefusedFile { file, why });
        Ok(())
    }

    /// Puts the judgements of others beside the saves, and says what became of all.
    fn end(mut self) -> Result<(), Failure> {
        self.report.later_judgements = self.later.len();
        if !self.later.is_empty() {
            let mut lines = String::new();
            for made in &self.later {
                lines += &serde_json::to_string(made).map_err(io::Error::from)?;
                lines.push('\n');
            }
            keep(&self.args.out, LATER, &lines).map_err(Failure::input)?;
        }
        let report = &self.report;
        if self.args.json {
            print_json(report)?;
        } else {
            self.tell()?;
        }
        if report.refused.is_empty() {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }

    fn tell(&self) -> Result<(), Failure> {
        let report = &self.report;
        let mut out = io::stdout().lock();
        let unfinished = report.imported - report.finished;
        let mut told = format!(
            "{} of {} debates imported into {}",
            report.imported,
            report.debates,
            safe(&report.out)
        );
        for (count, what) in [
            (unfinished, "without an end"),
            (report.already_there, "there already"),
            (report.refused.len(), "refused"),
            (report.notes.len(), "with notes in the tag `oddities`"),
        ] {
            if count > 0 {
                // Writing to a string cannot fail.
                let _ = write!(told, "; {count} {what}");
            }
        }
        writeln!(out, "{told}.")?;
        if report.cut_quotes > 0 {
            writeln!(
                out,
                "Quotes that ran past the end of their source and are cut there: {}.",
                report.cut_quotes
            )?;
        }
        if !report.skipped.is_empty() {
            let names = report.skipped.join(", ");
            writeln!(out, "Skipped, as these are no debates: {}.", safe(&names))?;
        }
        if report.later_judgements > 0 {
            let count = report.later_judgements;
            let of = counted(count, "judgement of another is", "judgements of others are");
            writeln!(out, "{of} in {LATER}.")?;
        }
        Ok(())
    }
}
