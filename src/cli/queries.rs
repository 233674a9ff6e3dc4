//! `queries`: lower and upper bounds on the fewest bits that a verifier must read to decide small functions.

use clap::Args;

use super::output::{PrintedFormat, print};
use super::progress::install_exit_signal_handler;
use super::{CommandFailure, Result};
use debate_theory::query_complexity::{
    BooleanFunction, FunctionComplexityReport, FunctionsByQueryComplexityReport, MAX_INPUTS,
    QueriesDocument, QueryComplexityReport,
};

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/queries.txt"))]
pub(super) struct QueryBoundsArgs {
    /// The truth table of a function of up to five inputs, beginning with all inputs 0: 1, 2, 4, 8, 16 or 32 digits.
    /// For five inputs, the bounds may differ. The default is all functions of up to three inputs.
    table: Option<String>,
    /// Examine all functions that depend on exactly N inputs, from 0 to 4: one per class of equivalent functions.
    /// Also check DQC Theorem 5 for circuits over several sets of gates.
    #[arg(long, value_name = "N", conflicts_with = "table")]
    inputs: Option<usize>,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn run_query_bounds(args: &QueryBoundsArgs) -> Result {
    install_exit_signal_handler()?;
    let document = match (&args.table, args.inputs) {
        (None, Some(inputs)) if inputs <= MAX_INPUTS => QueriesDocument::Inputs(Box::new(
            FunctionsByQueryComplexityReport::compute_for_all_functions_of_inputs(inputs),
        )),
        (None, Some(inputs)) => {
            return Err(CommandFailure::from_input_error(format!(
                "functions of {inputs} inputs are too many to search; --inputs takes 0 to {MAX_INPUTS}"
            )));
        }
        (None, None) => QueriesDocument::All(Box::new(QueryComplexityReport::new())),
        (Some(table), _) => {
            let function = BooleanFunction::parse(table).ok_or_else(|| {
                CommandFailure::from_input_error(
                    "write a function as its truth table of 1, 2, 4, 8, 16 or 32 digits 0 or 1, such as 0110",
                )
            })?;
            QueriesDocument::One(FunctionComplexityReport::report_on_function(function))
        }
    };
    print(&document, PrintedFormat::page_or_json(args.json))
}
