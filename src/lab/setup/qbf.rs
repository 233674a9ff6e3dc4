//! Quantified formulas: from a file beside the scenario, or a text within it, to the problem.

use serde::Deserialize;

use super::ProblemKind;
use super::file::RonDecomposition;
use super::limits::LimitFlag;
use super::read::{Reader, Result};
use debate_core::scenario::{Decomposition as _, Formula, Matrix, Path, Qbf, read_qdimacs};

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
}

/// The problem that a file or a text in QDIMACS asks about.
pub(super) fn problem(
    reader: &Reader<'_>,
    written: RonQbf,
    method: Option<&RonDecomposition>,
    at: &Path,
) -> Result<Qbf> {
    let why = "a formula is played block by block; leave `decomposition` out";
    reader.own_decomposition(method, why)?;
    let (formula, place) = match (written.file, written.inline) {
        (Some(name), None) => {
            let place = at.then("file");
            let bytes = reader.read_file(&name, || place.clone())?;
            let formula = read_qdimacs(&bytes)
                .map_err(|error| Reader::wrong_line(&name, error.line, &error.what))?;
            (formula, place)
        }
        (None, Some(text)) => {
            let place = at.then("inline");
            let formula = read_qdimacs(text.as_bytes()).map_err(|error| {
                let what = format!("line {} of this text: {}", error.line, error.what);
                reader.flaw(&place.flaw(what))
            })?;
            (formula, place)
        }
        (None, None) => {
            return reader.flawed(
                at,
                "Qbf asks about a `file: \"….qdimacs\"` or a text, `inline: \"p cnf …\"`; give \
                 one of them",
            );
        }
        (Some(_), Some(_)) => {
            return reader.flawed(
                &at.then("inline"),
                "`file` and `inline` stand together; keep one of them",
            );
        }
    };
    check_size(reader, &formula, &place)?;
    let problem = Qbf::new(formula);
    reader.depth(problem.size(0).depth, &place)?;
    Ok(problem)
}

fn check_size(reader: &Reader<'_>, formula: &Formula, place: &Path) -> Result<()> {
    let clauses = match formula.matrix() {
        Matrix::Clauses(clauses) => clauses.len(),
        Matrix::Circuit { netlist, .. } => netlist.gates() as usize,
    };
    let most = reader.limits.claims;
    if clauses <= most {
        return Ok(());
    }
    let what = format!("a formula of {clauses} clauses is more than {most} claims");
    Err(reader.source.too_large(place, what, LimitFlag::Claims))
}
