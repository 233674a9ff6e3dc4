//! `train`: trains an estimator that no test can distinguish from the truth, and reports how it was trained.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueHint};

use super::errors::print_remark;
use super::flags::{ProtocolReplacementArgs, ScenarioLimitArgs};
use super::output::PrintedFormat;
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::progress::install_exit_signal_handler;
use super::solve::step_budget;
use super::{CommandFailure, Result};
use debate_core::number::parse;
use debate_core::player::PlayerSpec;
use debate_core::protocol::Seat;
use debate_host::record::OutputDestination;
use debate_solver::training::{MAX_REPLIES, TrainedTableDocument, train as train_estimator};
use debate_text::results::TrainingResult;

// Trains an estimator against a prover until no test distinguishes it from the truth (PE Algorithm 1).
//
// In debates this estimator is called `indistinguishable(DELTA)` and is trained again against the prover of each
// debate. `--out` saves it. `--opponent 'trained(FILE)'` then plays by the file in `play`, `solve`, `simulate` and
// `equilibrium`, against any prover. A scenario beside the file can also name it.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs"))]
pub(super) struct TrainArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    /// The largest advantage that any test may still have after the training, between 0 and 1.
    #[arg(long, value_name = "DELTA")]
    delta: String,
    /// The prover to train against (see `list strategies`).
    #[arg(long, value_name = "NAME")]
    prover: Option<String>,
    #[command(flatten)]
    rules: ProtocolReplacementArgs,
    /// Write the trained estimator to this file; play it as `trained(FILE)`.
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
    /// Give up after N replies. The limits on the steps of the gradient descent and on the outcomes of a round are
    /// proportional to N.
    #[arg(long, value_name = "N", default_value_t = MAX_REPLIES, value_parser = clap::value_parser!(u64).range(1..))]
    max_replies: u64,
    /// List every test with its advantage before and after the training.
    #[arg(long)]
    show_tests: bool,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
}

pub(super) fn run_train(args: &TrainArgs) -> Result {
    install_exit_signal_handler()?;
    let setup = args.limits.find_scenario(&args.scenario)?;
    let protocol = args
        .rules
        .given_or_scenario_rules(&setup, &args.limits.limits())?;
    let delta = parse(&args.delta)?;
    let named = args.prover.as_deref();
    let name = named.or_else(|| setup.players.text_of_seat(Seat::Prover));
    let strategy = name.filter(|name| *name != "human").unwrap_or("honest");
    let prover = PlayerSpec::parse(strategy)?;
    let instance = setup.instance(0);
    let outputs = CheckedOutputFiles::check(args.replace, [args.out.as_ref()])?;
    let budget = step_budget(args.max_replies, "--max-replies")
        .with_step_limit_for_long_numbers(setup.approximate_digits_of_smallest_stake(&protocol));
    let trained = train_estimator(&instance, &protocol, &prover, &delta, budget)?;
    let report = &trained.report;
    let result = TrainingResult {
        title: &setup.title,
        prover: &prover,
        report,
        tests: args.show_tests,
    };
    outputs.print(&result, PrintedFormat::page_or_json(args.json))?;
    if !report.is_indistinguishable_within_step_bound() {
        return Err(CommandFailure::No);
    }
    if let Some(path) = &args.out {
        let document = TrainedTableDocument::new(
            &trained,
            setup.problem_digest(),
            &instance,
            &protocol,
            &prover,
        );
        write_estimator(&document.trained_table_file_text(), path, outputs)?;
    }
    Ok(())
}

/// Writes the trained estimator to `path`. If `path` is a regular file, prints on stderr how to play the estimator.
fn write_estimator(text: &str, path: &Path, outputs: CheckedOutputFiles) -> Result {
    let kind = OutputDestination::destination_of(path);
    outputs.write(path, text)?;
    let done = match kind {
        Ok(OutputDestination::NewFile) => "Saved in",
        Ok(OutputDestination::ExistingFile) => "Replaced",
        _ => return Ok(()),
    };
    print_remark(format!(
        "{saved_or_replaced} {file}; to use this trained player: --opponent 'trained({file})'",
        saved_or_replaced = done,
        file = path.display()
    ))
}
