//! `dot`: the claims of a scenario as a graph that Graphviz draws.
//!
//! Claims are boxes, leaves have rounded corners; the gate of a support stands between a claim and
//! its subclaims. Where a claim has several supports each has its own. Whether a claim is true is
//! not told: that is what is debated.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use super::safe::dot;
use super::tree::{ClaimExcerpt, tree};
use super::{ExportError, ExportOptions, ExportedText, Format, FormatWriter, SelectedScenario};
use debate_core::scenario::{ClaimId, Instance};

pub(super) const FORMAT: Format = Format {
    name: "dot",
    dated: false,
    about: "the tree of claims, for Graphviz",
    ending: "dot",
    takes: &["--instance", "--most-claims"],
    of: FormatWriter::Scenario(write),
};

/// Columns of a label.
const COLUMNS: usize = 28;
/// With more claims than this on a level, the graph grows from left to right.
const WIDE: usize = 12;
/// Lines of a label; a longer claim stands in full in its tooltip.
const LINES: usize = 6;

fn write(
    proposal: &SelectedScenario<'_>,
    asked: &ExportOptions,
) -> Result<ExportedText, ExportError> {
    let instance = proposal.instance;
    if !instance.decomposition().has_claims() {
        return Err(ExportError::NoClaims);
    }
    let excerpt = tree(instance, asked.most_claims);
    let mut text = String::new();
    put(&mut text, &proposal.setup.title, instance, &excerpt);
    let notes = excerpt.note(instance).into_iter().collect();
    Ok(ExportedText { text, notes })
}

/// Writing to a string cannot fail.
fn put(out: &mut String, title: &str, instance: &Instance, tree: &ClaimExcerpt) {
    let _ = writeln!(out, "digraph debate {{");
    let title = if tree.cut {
        let (shown, all) = (tree.claims.len(), &instance.size().claims);
        format!("{title}\n(the first {shown} of {all} claims)")
    } else {
        title.to_owned()
    };
    let _ = writeln!(out, "  label={};", dot(&title));
    let direction = if tree.widest > WIDE { "LR" } else { "TB" };
    let _ = writeln!(
        out,
        "  labelloc=t; rankdir={direction}; ranksep=0.35; nodesep=0.2; bgcolor=transparent;"
    );
    let _ = writeln!(
        out,
        "  graph [fontname=\"Helvetica\", fontsize=16]; edge [color=\"#6b7280\", arrowsize=0.6];"
    );
    let _ = writeln!(
        out,
        "  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=filled, \
         fillcolor=\"#eef2ff\", color=\"#4f46e5\"];"
    );
    for (number, claim) in tree.claims.iter().enumerate() {
        put_claim(out, number, *claim, instance);
    }
    for number in 0..tree.claims.len() {
        put_supports(out, number, instance, tree);
    }
    let _ = writeln!(out, "}}");
}

fn put_claim(out: &mut String, number: usize, claim: ClaimId, instance: &Instance) {
    let mut lines = wrapped(&instance.short_text(claim));
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("…".to_owned());
    }
    let leaf = if instance.is_leaf(claim) {
        ", style=\"rounded,filled\", fillcolor=\"#ecfdf5\", color=\"#059669\""
    } else {
        ""
    };
    let (label, tooltip) = (dot(&lines.join("\n")), dot(&instance.text(claim)));
    let _ = writeln!(out, "  c{number} [label={label}, tooltip={tooltip}{leaf}];");
}

/// The words of a label in lines of about [`COLUMNS`].
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

fn put_supports(out: &mut String, number: usize, instance: &Instance, tree: &ClaimExcerpt) {
    let claim = tree.claims[number];
    for (place, support) in instance.supports(claim).iter().enumerate() {
        let mut gate = format!("{} {}", support.gate, support.on.len());
        if let Some(label) = instance.label(claim, place) {
            gate = format!("{label}\n{gate}");
        }
        let _ = writeln!(
            out,
            "  c{number}s{place} [shape=ellipse, style=filled, fillcolor=\"#f3f4f6\", \
             color=\"#9ca3af\", fontsize=9, height=0.2, label={}];",
            dot(&gate)
        );
        let _ = writeln!(out, "  c{number} -> c{number}s{place} [arrowhead=none];");
        let shown = support.on.iter().filter_map(|below| tree.number(*below));
        for below in shown.clone() {
            let _ = writeln!(out, "  c{number}s{place} -> c{below};");
        }
        let cut = support.on.len() - shown.count();
        if cut > 0 {
            let _ = writeln!(
                out,
                "  c{number}s{place}more [shape=plaintext, style=\"\", \
                 fontcolor=\"#6b7280\", label=\"… {cut} more\"];"
            );
            let support = format!("c{number}s{place}");
            let _ = writeln!(
                out,
                "  {support} -> {support}more [style=dashed, arrowhead=none];"
            );
        }
    }
}
