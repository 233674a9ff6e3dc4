//! `queries`: lower and upper bounds on the fewest bits that a verifier must read to decide small functions.

use clap::Args;

use super::output::{OutputForm, print};
use super::progress::ends_at_once;
use super::{Failure, Result};
use debate_theory::query_complexity::{
    BooleanFunction, CensusReport, FunctionReport, MAX_INPUTS, QueriesDocument, QueryReport,
};

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/queries.txt"))]
pub(super) struct QueriesArgs {
    /// The values of a function of up to four inputs, first where all are 0: 2, 4, 8 or 16 digits. All
    /// functions of up to three inputs where it is left out.
    table: Option<String>,
    /// All functions that depend on so many inputs, from 0 to 4: each class of those that are alike, and DQC Theorem 5
    /// over several bases.
    #[arg(long, value_name = "N", conflicts_with = "table")]
    inputs: Option<usize>,
    /// Print one JSON document and nothing else on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn queries(args: &QueriesArgs) -> Result {
    ends_at_once()?;
    let document = match (&args.table, args.inputs) {
        (None, Some(inputs)) if inputs <= MAX_INPUTS => {
            QueriesDocument::Inputs(Box::new(CensusReport::of(inputs)))
        }
        (None, Some(inputs)) => {
            return Err(Failure::input(format!(
                "functions of {inputs} inputs are too many to search; --inputs takes 0 to {MAX_INPUTS}"
            )));
        }
        (None, None) => QueriesDocument::All(Box::new(QueryReport::new())),
        (Some(table), _) => {
            let function = BooleanFunction::parse(table).ok_or_else(|| {
                Failure::input(
                    "a function is written as its values, such as 0110: 1, 2, 4, 8 or 16 digits 0 or 1",
                )
            })?;
            QueriesDocument::One(FunctionReport::of(function))
        }
    };
    print(&document, OutputForm::page_or_json(args.json))
}
