//! `queries`: the fewest bits that a verifier must read to decide small functions.

use clap::Args;

use super::output::{OutputForm, print};
use super::{Failure, Result};
use debate_lab::theory::query_complexity::{
    BooleanFunction, FunctionReport, QueriesDocument, QueryReport,
};

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/queries.txt"))]
pub(super) struct QueriesArgs {
    /// The values of a function of up to four inputs, first where all are 0: 2, 4, 8 or 16 digits. All
    /// functions of up to three inputs where it is left out.
    table: Option<String>,
    /// Print one JSON document and nothing else on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn queries(args: &QueriesArgs) -> Result {
    let document = match &args.table {
        None => QueriesDocument::All(Box::new(QueryReport::new())),
        Some(table) => {
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
