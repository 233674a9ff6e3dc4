//! `simulate` and `merge`: many debates on all cores, and their parts put together.

pub(super) mod progress;
mod report;

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use clap::{Args, ValueHint};

use super::Failure;
use super::flags::{CoinArgs, LimitArgs, OutputArgs, RulesArgs, SeatArgs};
use crate::app::matchup::{seat_and_name, side, versus};
use crate::app::plan::load_player_files;
use debate_core::number::Exact;
use debate_lab::setup::{Setup, read_at_most};
use debate_lab::simulate::{self as analysis, Identity, MAX_DEBATES, Shard, Side, Simulation};
use debate_lab::theory::search::SearchPart;

/// The most bytes of a part that are read.
const MAX_FILE: u64 = 64 << 20;

const EXAMPLES: &str = "\
Examples:
  debate-tui simulate primes -n 1000000
  debate-tui simulate primes -n 1e6 --opponent 'shifted(0.1)' --seed 7
  debate-tui simulate primes -n 100000 --versus obfuscator    honest against a liar, same coins
  debate-tui simulate primes -n 100000 --versus Recursive     the same under other rules
  debate-tui primes --seed 7 --debate 41 --role none          watch debate 41 of such a run

In seven parts, on as many machines as you like; `merge` gives exactly what one run would:
  parallel debate-tui simulate primes -n 1e6 --seed 7 --shard {}/7 --out {}.part ::: {1..7}
  sbatch --array=1-7 --wrap 'debate-tui simulate primes -n 1e6 --seed 7 \\
      --shard $SLURM_ARRAY_TASK_ID/7 --out $SLURM_ARRAY_TASK_ID.part'
  debate-tui merge *.part

Debate number N takes its instance and all its coins from the seed and N alone, so the sums do
not depend on threads or parts. Ctrl-C prints what is done so far. --csv
gives a line for each side.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SimulateArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    /// How many debates; 1e6 is a million.
    #[arg(short = 'n', long, value_name = "N", default_value = "10000", value_parser = count)]
    debates: u64,
    /// How many threads; all cores where it is not said.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
    #[command(flatten)]
    coins: CoinArgs,
    #[command(flatten)]
    seats: SeatArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// Compare with another player or other rules on the same instances and coins: a name, a name
    /// with its seat (opponent=random), or a protocol.
    #[arg(long, value_name = "NAME|PROTOCOL")]
    versus: Option<String>,
    /// Play part I of M only, and write what `merge` needs. Parts count from 1 to M; 0 means M.
    #[arg(long, value_name = "I/M", requires = "seed", conflicts_with = "csv")]
    shard: Option<ShardArg>,
    /// Write the part to this file instead of stdout; it appears whole or not at all.
    #[arg(long, value_name = "FILE", requires = "shard", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    form: OutputArgs,
    /// No progress bar.
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "--csv gives a line for each side.")]
pub(super) struct MergeArgs {
    /// What `simulate --shard` or `search --shard` wrote.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Sum up what there is although parts are missing.
    #[arg(long)]
    pub(super) partial: bool,
    #[command(flatten)]
    pub(super) form: OutputArgs,
}

/// A whole number of debates, as digits or as in 1e6.
fn count(text: &str) -> Result<u64, String> {
    let whole = debate_core::number::parse(text)
        .ok()
        .filter(Exact::is_integer);
    let count = whole.and_then(|whole| u64::try_from(whole.to_integer()).ok());
    count
        .filter(|count| (1..=MAX_DEBATES).contains(count))
        .ok_or_else(|| format!("give a whole number from 1 to {MAX_DEBATES}"))
}

/// Which part of how many.
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
            (1..=MAX_DEBATES)
                .contains(&of)
                .then_some(Self { part, of })
                .filter(|_| part <= of)
        };
        read().ok_or_else(|| "write which part of how many, such as 3/7".to_owned())
    }
}

impl ShardArg {
    /// The numbers of its debates; the parts of as many as there are cover them all.
    pub(super) fn debates(self, all: u64) -> Range<u64> {
        let place = self.part % self.of;
        let bound = |place: u64| {
            let bound = u128::from(all) * u128::from(place) / u128::from(self.of);
            u64::try_from(bound).unwrap_or(all)
        };
        bound(place)..bound(place + 1)
    }
}

pub(super) fn simulate(args: &SimulateArgs) -> Result<(), Failure> {
    let limits = args.limits.limits();
    let mut setup = Setup::find(&args.scenario, &limits).map_err(Failure::input)?;
    let versus = args.versus.as_deref().map(|text| seat_and_name(text).1);
    let named = args.seats.named().into_iter().chain([versus]);
    load_player_files(&mut setup, named.flatten(), &limits)?;
    let seed = args.coins.seed()?;
    let sides = sides(args, &setup)?;
    let world = args.coins.world(&setup)?;
    let whole = 0..args.debates;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let simulation = Simulation {
        setup: &setup,
        world,
        seed: &seed,
        sides: &sides,
        debates: args.shard.map_or(whole, |part| part.debates(args.debates)),
        threads: args.threads.map_or_else(cores, usize::from),
    };
    let begun = Instant::now();
    let shown = !args.quiet;
    let counted = (&simulation.debates, "debates");
    let (simulated, signal) = progress::with_progress(counted, shown, |budget| {
        let registry = debate_lab::registry().with(setup.player_files());
        let exact = debate_lab::registry().with(setup.player_files());
        simulation.run(&registry, &exact, budget)
    })?;
    let part = Shard {
        identity: Identity::of(&simulation, args.debates),
        simulated: simulated.map_err(Failure::input)?,
        seconds: begun.elapsed().as_secs_f64(),
        threads: simulation.threads as u64,
    };
    if args.shard.is_some() {
        keep(&part.write(), args.out.as_deref())?;
    } else {
        report::print(&part, Some(&args.scenario), &args.form)?;
    }
    match signal {
        0 => Ok(()),
        signal => {
            let done = part.simulated.debates.end - part.simulated.debates.start;
            let text = "Interrupted; these are the debates that were played before";
            writeln!(io::stderr(), "{text}: {done}.")?;
            Err(Failure::Interrupted(signal))
        }
    }
}

/// The rules with their players, and what they are compared with.
fn sides(args: &SimulateArgs, setup: &Setup) -> Result<Vec<Side>, Failure> {
    let limits = args.limits.limits();
    let flags = args.seats.named();
    let side = side(setup, flags, args.rules.of(setup, &limits)?, &limits)?;
    let Some(text) = &args.versus else {
        return Ok(vec![side]);
    };
    let other = versus(setup, &side, flags, text, &limits)?;
    Ok(vec![side, other])
}

/// Writes a part to a file, which appears whole or not at all, or to stdout.
pub(super) fn keep(text: &str, out: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = out else {
        writeln!(io::stdout(), "{text}")?;
        return Ok(());
    };
    let told = |error: io::Error| Failure::System(format!("{}: {error}", path.display()));
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(told)?;
    writeln!(file, "{text}").map_err(told)?;
    file.as_file().sync_all().map_err(told)?;
    file.persist(path).map_err(|error| told(error.error))?;
    Ok(())
}

/// The text of a part in a file.
pub(super) fn read_part(path: &Path) -> Result<String, Failure> {
    let told = |error: io::Error| Failure::Input(format!("{}: {error}", path.display()));
    let bytes = File::open(path)
        .and_then(|file| read_at_most(file, MAX_FILE))
        .map_err(told)?;
    if bytes.len() as u64 > MAX_FILE {
        let most = MAX_FILE >> 20;
        let path = path.display();
        return Err(Failure::Input(format!(
            "{path}: this is too large for a part; it has at most {most} MiB"
        )));
    }
    String::from_utf8(bytes).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}

pub(super) fn merge(args: &MergeArgs) -> Result<(), Failure> {
    let named = |path: &Path, what: &dyn std::fmt::Display| {
        Failure::input(format!("{}: {what}", path.display()))
    };
    let read = args.files.iter().map(|path| read_part(path));
    let texts = read.collect::<Result<Vec<_>, _>>()?;
    if texts.iter().any(|text| SearchPart::is_one(text)) {
        return super::search::merge(args, &texts);
    }
    let mut parts = Vec::new();
    for (path, text) in args.files.iter().zip(&texts) {
        parts.push(Shard::read(text).map_err(|error| named(path, &error))?);
    }
    let merged = analysis::merge(parts).map_err(|(place, error)| {
        let path = args
            .files
            .get(place)
            .map_or_else(|| Path::new(""), PathBuf::as_path);
        named(path, &error)
    })?;
    let merged = merged.ok_or_else(|| Failure::input("name the parts that are to be merged"))?;
    if let (Some(missing), false) = (merged.missing.first(), args.partial) {
        return Err(Failure::input(format!(
            "debates {} to {} are in none of these files; name all parts, or take --partial to \
             sum up what there is",
            missing.start,
            missing.end - 1
        )));
    }
    report::print(&merged.whole, None, &args.form)
}
