//! `merge`: combines shards of simulations and searches.

use std::fmt::Display;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use clap::Args;
use debate_core::text::decode_utf8;

use super::flags::OutputFormatArgs;
use super::output::{PrintedFormat, print};
use super::output_files::CheckedOutputFiles;
use super::{CommandFailure, Result};
use debate_solver::setup::{STDIN, read_one_past_limit};
use debate_solver::simulate::{MAX_DEBATES, SimulationShard, merge_shards};
use debate_text::results::{CounterexampleSearchResultText, SimulationResult};
use debate_theory::search::{CounterexampleGameSearchReport, SearchShard};

/// The maximum size of a shard's file, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The value of `--shard`: the number of a shard, and the number of all shards.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShardArg {
    part: u64,
    of: u64,
}

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (part, of) = text.split_once('/')?;
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            let fits = (1..=MAX_DEBATES).contains(&of) && part <= of;
            fits.then_some(Self { part, of })
        };
        read().ok_or_else(|| {
            "give the shard's number and the total number of shards, such as 3/7".to_owned()
        })
    }
}

impl ShardArg {
    /// Returns the range of debates that this shard plays. All shards together cover every debate.
    pub(super) fn debate_numbers(self, total: u64) -> Range<u64> {
        let index = self.part % self.of;
        let bound = |index: u64| {
            let bound = u128::from(total) * u128::from(index) / u128::from(self.of);
            u64::try_from(bound).unwrap_or(total)
        };
        bound(index)..bound(index + 1)
    }
}

/// Writes the text of a shard's document to a file, or to stdout.
pub(super) fn write_shard(text: &str, out: Option<&Path>, outputs: CheckedOutputFiles) -> Result {
    outputs.write(out.unwrap_or_else(|| Path::new(STDIN)), format!("{text}\n"))
}

/// Reads the text of a shard's document from a file.
pub(super) fn read_shard(path: &Path) -> Result<String> {
    let read = |error: io::Error| CommandFailure::from_file_error(path, error);
    let bytes = File::open(path)
        .and_then(|file| read_one_past_limit(file, MAX_FILE))
        .map_err(read)?;
    if bytes.len() as u64 > MAX_FILE {
        let most = MAX_FILE >> 20;
        let text = format!(
            "the file is too large for a shard of a simulation or search; such a file has at most {most} MiB"
        );
        return Err(CommandFailure::from_file_error(path, text));
    }
    let text = decode_utf8(&bytes).map(str::to_owned);
    text.map_err(|error| CommandFailure::from_file_error(path, error))
}

#[derive(Debug, Args)]
#[command(after_help = "--csv prints one line per side.")]
pub(super) struct MergeShardsArgs {
    /// The files that `simulate --shard` or `search --shard` wrote.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Merge the given shards even if some are missing.
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    form: OutputFormatArgs,
}

pub(super) fn run_merge_shards(args: &MergeShardsArgs) -> Result {
    super::progress::install_exit_signal_handler()?;
    let files = args.files.iter().map(|path| read_shard(path));
    let texts = files.collect::<Result<Vec<_>, _>>()?;
    if texts.iter().any(|text| SearchShard::is_search_shard(text)) {
        merge_search(args, &texts)
    } else {
        merge_simulation(args, &texts)
    }
}

impl MergeShardsArgs {
    /// Returns an error about the shard file at this index.
    fn error_in_file(&self, index: usize, error: impl Display) -> CommandFailure {
        let path = self.files.get(index);
        CommandFailure::from_file_error(path.map_or_else(|| Path::new(""), PathBuf::as_path), error)
    }

    /// Returns an error if a shard is missing (a `gap`) and --partial was not given.
    fn check_gap(&self, gap: Option<&Range<u64>>, noun: &str) -> Result {
        match gap {
            Some(gap) if !self.partial => Err(CommandFailure::Input(format!(
                "{noun} {} to {} are missing from these files; name all shards, or use --partial to \
                 merge the given shards",
                gap.start,
                gap.end - 1
            ))),
            _ => Ok(()),
        }
    }
}

fn merge_simulation(args: &MergeShardsArgs, texts: &[String]) -> Result {
    let mut parts = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        parts.push(
            SimulationShard::parse_shard_file(text)
                .map_err(|error| args.error_in_file(index, error))?,
        );
    }
    let merged = merge_shards(parts)
        .map_err(|(index, error)| args.error_in_file(index, error))?
        .ok_or_else(|| {
            CommandFailure::from_input_error("no shards given; name the files to merge")
        })?;
    args.check_gap(merged.missing.first(), "debates")?;
    let result = SimulationResult::from_shard(&merged.whole, None);
    print(&result?, &args.form)
}

fn merge_search(args: &MergeShardsArgs, texts: &[String]) -> Result {
    if args.form.csv {
        return Err(CommandFailure::from_input_error(
            "--csv prints only the result of `simulate`; remove --csv to merge shards of `search`",
        ));
    }
    let begun = Instant::now();
    let mut parts = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        parts.push(
            SearchShard::parse_search_shard_file(text)
                .map_err(|error| args.error_in_file(index, error))?,
        );
    }
    let merged =
        SearchShard::merged(parts).map_err(|(index, error)| args.error_in_file(index, error))?;
    let (merged, mut gaps) = merged.ok_or_else(|| {
        CommandFailure::from_input_error("no shards given; name the files to merge")
    })?;
    let (statement, space) = merged
        .statement_and_space()
        .map_err(|error| args.error_in_file(0, error))?;
    if merged.results.end < space.game_count() {
        gaps.push(merged.results.end..space.game_count());
    }
    args.check_gap(gaps.first(), "games")?;
    let report =
        CounterexampleGameSearchReport::of(&space, statement, &merged.results, begun.elapsed(), 1)?;
    let page = CounterexampleSearchResultText {
        report: &report,
        saved: None,
    };
    print(&page, PrintedFormat::page_or_json(args.form.json))
}
