//! Quantified Boolean formulas: reads a formula from a file beside the scenario file, or from the scenario file itself.

use serde::Deserialize;

use super::error::ScenarioLimitFlag;
use super::reader::{
    OneOfTwoFields, ProblemInFile, RequestedDecomposition, Result, ScenarioReader,
};
use super::written::MapEntries;
use debate_core::scenario::{Decomposition as _, FormulaMatrix, QbfProblem, read_qdimacs};

/// A formula as the scenario file states it: the name of a file, or the formula itself.
#[derive(Deserialize)]
#[serde(rename = "Qbf", deny_unknown_fields)]
pub(super) struct QbfInFile {
    file: Option<String>,
    inline: Option<String>,
    /// Names of variables, by number.
    #[serde(default)]
    names: MapEntries<String, u32>,
}

impl ProblemInFile for QbfInFile {
    type Problem = QbfProblem;
    const KIND: &'static str = "qbf";
    const OWN_DECOMPOSITION: Option<&'static str> =
        Some("a formula is debated one block of quantifiers at a time; remove `decomposition`");

    /// Builds the problem from a formula in the QDIMACS format, in a file or in the scenario.
    fn problem(
        self,
        reader: &ScenarioReader<'_>,
        _: RequestedDecomposition<'_>,
    ) -> Result<QbfProblem> {
        let at = &Self::path();
        let neither = "Qbf needs `file: \"….qdimacs\"` or `inline: \"p cnf …\"`; give one of them";
        let given = (self.file, self.inline);
        let (formula, path) = match reader.exactly_one_of(at, ["file", "inline"], given, neither)? {
            OneOfTwoFields::First(name) => {
                let path = at.path_of_field("file");
                let bytes = reader.read_file(&name, || path.clone())?;
                let formula = read_qdimacs(&bytes)
                    .map_err(|error| ScenarioReader::line_error(&name, error.line, &error.what))?;
                (formula, path)
            }
            OneOfTwoFields::Second(text) => {
                let path = at.path_of_field("inline");
                let formula = read_qdimacs(text.as_bytes()).map_err(|error| {
                    let what = format!(
                        "line {line} of this formula: {problem}",
                        line = error.line,
                        problem = error.what
                    );
                    reader.scenario_error_in_value(&path.error_at_path(what))
                })?;
                (formula, path)
            }
        };
        let clauses = match formula.matrix() {
            FormulaMatrix::Clauses(clauses) => clauses.len(),
            FormulaMatrix::Circuit { netlist, .. } => netlist.gate_count() as usize,
        };
        let count = clauses as u128;
        reader.limit(ScenarioLimitFlag::Claims, count, || path.clone(), "clauses")?;
        let named = formula.with_names(self.names.0);
        let formula = named.map_err(|what| {
            reader.scenario_error_in_value(&at.path_of_field("names").error_at_path(what))
        })?;
        let problem = QbfProblem::new(formula);
        reader.check_decomposition_depth(problem.size(0).depth, &path)?;
        Ok(problem)
    }
}
