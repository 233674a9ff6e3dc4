//! `queries`: the fewest bits that a verifier must read to decide small functions.

use clap::Args;

use super::Failure;
use super::output::{OutputForm, print};
use debate_lab::theory::query_complexity::{
    BooleanFunction, FunctionReport, QueriesDocument, QueryReport,
};

const EXAMPLES: &str = "\
Examples:
  debate-tui queries                              all functions of up to three inputs, and what DQC
                                                  Lemma 3, Corollaries 4 and 7, Theorems 13 and 14
                                                  come to
  debate-tui queries 00010111                     the majority of three inputs
  debate-tui queries 0110100110010110             the parity of four: four

A verifier reads bits of the input (x1, x2, …) and of what two provers wrote, bit by bit and in turn
(α1, β1, α2, …); `a ? b : c` is b where a is 1, else c. All verifiers of at most two queries are looked
at, and of at most three for functions of four inputs; each end says what it rests on.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct QueriesArgs {
    /// The values of a function of up to four inputs, first where all are 0: 2, 4, 8 or 16 digits. All
    /// functions of up to three inputs where it is left out.
    table: Option<String>,
    /// Print one JSON document and nothing else on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn queries(args: &QueriesArgs) -> Result<(), Failure> {
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
