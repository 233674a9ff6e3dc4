//! The problems that can be debated, each with a small example.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Origin, SetupError};
use super::written::ProblemKind;
use super::{argument, circuit, machine, plan, primality, qbf, question, read};
use debate_core::protocol;
use debate_core::scenario::Decomposition;

/// Every problem that a scenario may ask about.
pub const PROBLEMS: &[ProblemKind] = &[
    argument::PROBLEM,
    primality::PROBLEM,
    machine::PROBLEM,
    qbf::PROBLEM,
    circuit::PROBLEM,
    plan::PROBLEM,
    question::PROBLEM,
];

/// The protocols under which a problem can be debated in one of its decompositions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FittingProtocols {
    /// As scenario files write it; `None` where the field is left out.
    pub decomposition: Option<&'static str>,
    /// Each as scenario files write it.
    pub protocols: Vec<&'static str>,
}

impl ProblemKind {
    /// A scenario of the example, without a protocol.
    pub fn scenario(&self, decomposition: Option<&str>) -> String {
        let Self { name, example, .. } = self;
        let decomposition = decomposition.map_or_else(String::new, |decomposition| {
            format!("    decomposition: {decomposition},\n")
        });
        format!(
            "Scenario(\n    format: 1,\n    title: \"{name}\",\n    problem: {example},\n\
             {decomposition})\n"
        )
    }

    /// The protocols that the example can be debated under, for each of its decompositions.
    ///
    /// # Errors
    /// If the example is not a valid scenario.
    pub fn debated(&self) -> Result<Vec<FittingProtocols>, SetupError> {
        let each = self.decompositions.iter();
        each.map(|decomposition| {
            let built = self.built(*decomposition)?;
            Ok(FittingProtocols {
                decomposition: *decomposition,
                protocols: protocol::fitting_protocols(built.as_ref()),
            })
        })
        .collect()
    }

    fn built(&self, decomposition: Option<&str>) -> Result<Arc<dyn Decomposition>, SetupError> {
        let origin = Origin::Text(format!("the example of {}", self.name));
        read::decomposition(&self.scenario(decomposition), &origin)
    }
}
