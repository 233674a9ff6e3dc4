//! `dot`: the claims of a scenario as a graph that Graphviz draws.
//!
//! Claims are boxes, and leaves have rounded corners. The gate of a support is between a claim and its subclaims; each
//! of several supports has its own gate. The graph omits the truth of claims, because that is the subject of the
//! debate.

use std::io::Write;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use super::debate::{FirstClaimsInExport, first_claims_of};
use super::safe::quote_for_graphviz;
use super::{
    ExportError, ExportFormat, ExportFunctionByInput, ExportNotes, ExportOptions, ScenarioToExport,
};
use debate_core::scenario::{ClaimId, Instance};
use debate_text::fill_template;

pub(super) const FORMAT: ExportFormat = ExportFormat {
    name: "dot",
    dated: false,
    about: "the tree of claims, for Graphviz",
    ending: "dot",
    takes: &["--instance", "--most-claims"],
    of: ExportFunctionByInput::Scenario(write),
};

/// The template of the exported Graphviz file, with placeholders for the values of [`write()`].
const GRAPH: &str = include_str!("dot/graph.dot");
/// The maximum width of a label line, in columns.
const COLUMNS: usize = 28;
/// The maximum number of claims on a level in a top-down graph. With more, the graph is drawn from left to right.
const WIDE: usize = 12;
/// The maximum number of text lines of a claim's label. A longer label ends with a line `…`; the tooltip shows the full
/// text.
const LINES: usize = 6;

fn write(
    proposal: &ScenarioToExport<'_>,
    asked: &ExportOptions,
    out: &mut dyn Write,
) -> Result<ExportNotes, ExportError> {
    let instance = proposal.instance;
    if !instance.decomposition().can_split_root() {
        return Err(ExportError::NoClaims);
    }
    let excerpt = first_claims_of(instance, asked.most_claims);
    let part = excerpt.cut.then(|| {
        let shown = excerpt.claims.len();
        let all = &instance.size().claims;
        format!("\n(the first {shown} of {all} claims)")
    });
    let claims = excerpt.claims.iter().map(|claim| {
        let mut lines = wrapped(&instance.short_text(*claim));
        if lines.len() > LINES {
            lines.truncate(LINES);
            lines.push("…".to_owned());
        }
        json!({
            "label": lines.join("\n"),
            "tooltip": instance.text(*claim),
            "leaf": instance.is_leaf(*claim),
            "number": excerpt.index_of_claim(*claim),
            "supports": supports(instance, *claim, &excerpt),
        })
    });
    let document = json!({
        "title": format!("{}{}", proposal.setup.scenario_texts(instance.world_index()).title, part.unwrap_or_default()),
        "direction": if excerpt.widest > WIDE { "LR" } else { "TB" },
        "claims": claims.collect::<Vec<_>>(),
    });
    out.write_all(fill_template(GRAPH, &document, quote_for_graphviz).as_bytes())?;
    Ok(excerpt.left_out_claims_note(instance).into_iter().collect())
}

/// Returns the supports of a claim, each a gate over subclaims, for the graph's template.
fn supports(instance: &Instance, claim: ClaimId, tree: &FirstClaimsInExport) -> Vec<Value> {
    let numbered = instance.supports(claim).iter().enumerate();
    let supports = numbered.map(|(index, support)| {
        let mut gate = format!("{} {}", support.gate, support.on.len());
        if let Some(label) = instance.support_label(claim, index) {
            gate = format!("{label}\n{gate}");
        }
        let below = support
            .on
            .iter()
            .filter_map(|below| tree.index_of_claim(*below));
        let below: Vec<usize> = below.collect();
        let cut = Some(support.on.len() - below.len()).filter(|cut| *cut > 0);
        json!({ "place": index, "gate": gate, "below": below, "cut": cut })
    });
    supports.collect()
}

/// Wraps the words of a label into lines of at most [`COLUMNS`]. A longer word has a line of its own.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
