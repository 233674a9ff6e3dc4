//! `queries`: the fewest bits that a verifier must read to decide small functions.

use super::{Page, Tell, cell};
use debate_core::text::counted;
use debate_solver::theory::query_complexity::{FunctionReport, QueriesDocument, QueryReport};
use schemars::JsonSchema;
use serde::Serialize;

impl Tell for QueriesDocument {
    fn document(&self) -> impl Serialize + JsonSchema {
        self
    }

    fn page(&self) -> Page {
        match self {
            Self::One(one) => {
                let mut page = Page::titled(format!("{}: {} queries", one.table, ends(one)));
                let inputs = counted(one.depends_on, "input", "inputs");
                page.row(format!("  depends on   {inputs}"));
                page.row(format!("  at least {}   {}", one.lower, one.lower_by));
                page.row(format!("  at most {}    {}", one.upper, one.upper_by));
                page.row(format!("  verifier     {}", one.verifier));
                page
            }
            Self::All(all) => {
                let mut page = Page::titled(format!(
                    "{:9} {:>6} {:>6} {:>7}  verifier",
                    "function", "inputs", "alike", "queries"
                ));
                for one in &all.functions {
                    let alike = cell(one.class_size);
                    page.row(format!(
                        "{:9} {:>6} {alike:>6} {:>7}  {}",
                        one.table,
                        one.depends_on,
                        ends(one),
                        one.verifier
                    ));
                }
                page.gap();
                for text in statements(all) {
                    page.paragraph(text);
                }
                page
            }
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
