//! `queries`: the fewest bits that a verifier must read to decide small functions.

use std::io::{self, Write as _};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::Failure;
use super::output::print_json;
use crate::tui::widget::measure::wrap;
use debate_core::text::counted;
use debate_lab::theory::query_complexity::{BooleanFunction, FunctionReport, QueryReport};

/// Lines are folded at so many columns.
const COLUMNS: usize = 80;

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

/// `queries --json`: of one function, or of all.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum QueriesDocument {
    One(FunctionReport),
    All(Box<QueryReport>),
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
    if args.json {
        return print_json(&document);
    }
    let mut out = io::stdout().lock();
    for line in lines(&document) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn lines(document: &QueriesDocument) -> Vec<String> {
    match document {
        QueriesDocument::One(one) => {
            let mut lines = vec![format!("{}: {} queries", one.table, ends(one))];
            let inputs = counted(one.depends_on, "input", "inputs");
            lines.push(format!("  depends on   {inputs}"));
            lines.push(format!("  at least {}   {}", one.lower, one.lower_by));
            lines.push(format!("  at most {}    {}", one.upper, one.upper_by));
            lines.push(format!("  verifier     {}", one.verifier));
            lines
        }
        QueriesDocument::All(all) => {
            let mut lines = vec![format!(
                "{:9} {:>6} {:>6} {:>7}  verifier",
                "function", "inputs", "alike", "queries"
            )];
            for one in &all.functions {
                let alike = one
                    .class_size
                    .map_or_else(String::new, |size| size.to_string());
                lines.push(format!(
                    "{:9} {:>6} {alike:>6} {:>7}  {}",
                    one.table,
                    one.depends_on,
                    ends(one),
                    one.verifier
                ));
            }
            lines.push(String::new());
            for text in statements(all) {
                lines.extend(wrap(&text, COLUMNS).into_iter().map(str::to_owned));
            }
            lines
        }
    }
}

/// Both ends, or the number where they meet.
fn ends(one: &FunctionReport) -> String {
    if one.exact {
        one.lower.to_string()
    } else {
        format!("{} to {}", one.lower, one.upper)
    }
}

fn statements(all: &QueryReport) -> [String; 6] {
    let (lemma, wide, made) = (&all.lemma_3, &all.theorem_13, &all.theorem_14);
    [
        "Functions that become each other by renaming or turning round inputs, or by turning the value \
         round, are alike and stand once."
            .to_owned(),
        format!(
            "Lemma 3: of {} debates {} had rounds of which nothing is read; without them {} decide \
             anything else, or are lost by the strategies of the proof.",
            lemma.debates, lemma.shortened, lemma.failures
        ),
        format!(
            "Corollary 4: {} of {} functions need fewer than log2 of the inputs that they depend on.",
            all.corollary_4.failures, all.corollary_4.functions
        ),
        format!(
            "Corollary 7: {} of {} functions need log2 n + 6 queries, which would take 8n gates: none of up \
             to nine inputs can. The parity of 16 inputs has {} gates, and takes {} queries at most \
             where 10 would need 128 gates.",
            all.corollary_7.hard, all.corollary_7.functions, all.corollary_7.gates, all.corollary_7.bits
        ),
        format!(
            "Theorem 13, parity of 16 inputs: of {} points every deterministic verifier of 0, 1, 2 \
             queries is wrong at {:?} at least, so a randomised one errs more than one time in three \
             with any of these; promised was that from {} query on.",
            wide.points, wide.least_errors, wide.promised
        ),
        made.as_ref().map_or_else(
            || "Theorem 14, majority of 3 inputs: no majority of few trees is right everywhere.".to_owned(),
            |made| {
                format!(
                    "Theorem 14, majority of 3 inputs: a randomised verifier of {} queries becomes a \
                     majority of {} trees, a circuit of {} gates, {} bits by cross-examination; \
                     promised were fewer than {}.",
                    made.queries, made.trees, made.gates, made.bits, made.promised
                )
            },
        ),
    ]
}
