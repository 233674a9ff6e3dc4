//! Quantified formulas: from a file beside the scenario, or a text within it, to the problem.

use serde::Deserialize;

use super::error::LimitFlag;
use super::reader::{OneOf, Result, ScenarioReader};
use super::written::{MapEntries, ProblemKind, RonDecomposition};
use debate_core::scenario::{Decomposition as _, Matrix, Path, Qbf, read_qdimacs};

pub(super) const PROBLEM: ProblemKind = ProblemKind {
    name: "Qbf",
    kind: "qbf",
    about: "whether a quantified formula is true: a game between ∃ and ∀",
    example: r#"Qbf(inline: "p cnf 2 2\na 1 0\ne 2 0\n-1 2 0\n1 -2 0\n")"#,
    decompositions: &[None],
};

#[derive(Deserialize)]
#[serde(rename = "Qbf", deny_unknown_fields)]
pub(super) struct RonQbf {
    file: Option<String>,
    inline: Option<String>,
    /// Names of variables, by number.
    #[serde(default)]
    names: MapEntries<String, u32>,
}

/// The problem that a file or a text in QDIMACS asks about.
pub(super) fn problem(
    reader: &ScenarioReader<'_>,
    written: RonQbf,
    method: Option<&RonDecomposition>,
    at: &Path,
) -> Result<Qbf> {
    let why = "a formula is played block by block; leave `decomposition` out";
    reader.own_decomposition(method, why)?;
    let neither = "Qbf asks about a `file: \"….qdimacs\"` or a text, `inline: \"p cnf …\"`; give one \
                   of them";
    let given = (written.file, written.inline);
    let (formula, place) = match reader.one_of(at, ["file", "inline"], given, neither)? {
        OneOf::First(name) => {
            let place = at.then("file");
            let bytes = reader.read_file(&name, || place.clone())?;
            let formula = read_qdimacs(&bytes)
                .map_err(|error| ScenarioReader::wrong_line(&name, error.line, &error.what))?;
            (formula, place)
        }
        OneOf::Second(text) => {
            let place = at.then("inline");
            let formula = read_qdimacs(text.as_bytes()).map_err(|error| {
                let what = format!("line {} of this text: {}", error.line, error.what);
                reader.flaw(&place.flaw(what))
            })?;
            (formula, place)
        }
    };
    let clauses = match formula.matrix() {
        Matrix::Clauses(clauses) => clauses.len(),
        Matrix::Circuit { netlist, .. } => netlist.gates() as usize,
    };
    let count = clauses as u128;
    reader.limit(LimitFlag::Claims, count, || place.clone(), "clauses")?;
    let named = formula.named(written.names.0);
    let formula = named.map_err(|what| reader.flaw(&at.then("names").flaw(what)))?;
    let problem = Qbf::new(formula);
    reader.depth(problem.size(0).depth, &place)?;
    Ok(problem)
}
