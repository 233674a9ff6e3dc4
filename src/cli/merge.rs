//! `merge`: the parts of a simulation or of a search put together.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::Failure;
use super::flags::OutputArgs;
use super::output::{OutputForm, print};
use super::shard::read_part;
use debate_lab::simulate::{Shard, merge as merge_shards};
use debate_lab::tell::results::{SearchPage, SimulationResult};
use debate_lab::theory::search::{SearchPart, SearchReport};

#[derive(Debug, Args)]
#[command(after_help = "--csv gives a line for each side.")]
pub(super) struct MergeArgs {
    /// What `simulate --shard` or `search --shard` wrote.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Sum up what there is although parts are missing.
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    form: OutputArgs,
}

pub(super) fn merge(args: &MergeArgs) -> Result<(), Failure> {
    let texts = args.files.iter().map(|path| read_part(path));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    if texts.iter().any(|text| SearchPart::is_one(text)) {
        merge_search(args, &texts)
    } else {
        merge_simulation(args, &texts)
    }
}

impl MergeArgs {
    /// What is wrong with the file in this place.
    fn wrong(&self, place: usize, error: impl Display) -> Failure {
        let path = self.files.get(place);
        Failure::at(path.map_or_else(|| Path::new(""), PathBuf::as_path), error)
    }

    /// Refuses a gap that nobody allowed.
    fn check_gap(&self, gap: Option<&std::ops::Range<u64>>, noun: &str) -> Result<(), Failure> {
        match gap {
            Some(gap) if !self.partial => Err(Failure::Input(format!(
                "{noun} {} to {} are in none of these files; name all parts, or take --partial to \
                 sum up what there is",
                gap.start,
                gap.end - 1
            ))),
            _ => Ok(()),
        }
    }
}

fn merge_simulation(args: &MergeArgs, texts: &[String]) -> Result<(), Failure> {
    let mut parts = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        parts.push(Shard::read(text).map_err(|error| args.wrong(place, error))?);
    }
    let merged = merge_shards(parts).map_err(|(place, error)| args.wrong(place, error))?;
    let merged = merged.ok_or_else(|| Failure::input("name the parts that are to be merged"))?;
    args.check_gap(merged.missing.first(), "debates")?;
    let result = SimulationResult::of(&merged.whole, None);
    print(&result.map_err(Failure::input)?, &args.form)
}

fn merge_search(args: &MergeArgs, texts: &[String]) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut parts = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        parts.push(SearchPart::read(text).map_err(|error| args.wrong(place, error))?);
    }
    let merged = SearchPart::merged(parts).map_err(|(place, error)| args.wrong(place, error))?;
    let (merged, mut gaps) = merged.ok_or_else(|| Failure::input("name the parts"))?;
    let (statement, space) = merged.space().map_err(|error| args.wrong(0, error))?;
    if merged.results.end < space.len() {
        gaps.push(merged.results.end..space.len());
    }
    args.check_gap(gaps.first(), "games")?;
    let report = SearchReport::of(&space, statement, &merged.results, begun.elapsed(), 1)?;
    let page = SearchPage {
        report: &report,
        saved: None,
    };
    print(&page, OutputForm::page_or_json(args.form.json))
}
