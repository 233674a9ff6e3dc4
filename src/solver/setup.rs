//! Scenario files: the debated problem, the rules and the players.
//!
//! Start with [`LoadedScenario::find_scenario`], which takes the user's text (a path, a question of a [`QuestionSet`],
//! or the name of a [`bundled_scenarios()`] scenario). [`LoadedScenario::world_of_debate`] returns the index of the
//! scenario's own instance or draws one from μ; [`LoadedScenario::instance`] creates the instance.
//!
//! A scenario file deserializes into the specifications of `debate_core::scenario`. `written` has the types of fields
//! that only a file has, such as `decomposition` and `knows`. `read` checks all of them and builds the
//! [`LoadedScenario`], with one module for each kind of problem; [`PROBLEMS`] lists the kinds with an example of each.
//!
//! ```
//! use debate_core::chance::Seed;
//! use debate_solver::setup::{ScenarioLimits, LoadedScenario};
//!
//! let setup = LoadedScenario::find_scenario("primes", &ScenarioLimits::default()).unwrap();
//! let seed = Seed::new("7").unwrap();
//! let instance = setup.instance(setup.world_of_debate(&seed, 0));
//! assert_eq!(instance.text(instance.root()), "109,931 is prime");
//! ```

mod argument;
mod bundled;
mod circuit;
mod error;
mod load;
mod locator;
mod machine;
mod plan;
mod primality;
mod qbf;
mod question;
mod question_set;
mod read;
mod reader;
mod scenario;
mod texts;
mod written;

use std::sync::{Arc, LazyLock};

use serde::Serialize;

pub use bundled::{
    BundledScenario, RecommendedSeat, SECONDS_PER_REPLY, SECONDS_TO_READ, ScenarioDifficulty,
    bundled_names, bundled_scenarios, minutes_of_replies, name_of_bundled_text,
    other_recommended_seat,
};
use debate_core::protocol;
use debate_core::scenario::Decomposition;
pub use error::{
    MAX_NAME, ScenarioError, ScenarioLimits, ScenarioSourceText, ScenarioTextSource,
    SourceLocation, nearest_name,
};
pub use load::STDIN;
pub use question_set::{
    DebatedWrongAnswers, QuestionFieldNames, QuestionSet, QuestionSetEntry, RefusedRow,
};
pub use read::scenario_title;
pub use reader::{ScenarioInputFile, check_regular_file, read_one_past_limit, ron_options};
pub use scenario::{EvidenceErrorDependence, LoadedScenario, default_protocol};
pub use texts::{ScenarioTitleAndBriefings, TextBySeat};
pub use written::{MapEntries, ProblemKind};

/// The types of problem that a scenario file can have, with their descriptions.
pub static PROBLEMS: LazyLock<Vec<ProblemKind>> =
    // A test checks that the file can be parsed.
    LazyLock::new(|| ron::from_str(include_str!("setup/problems.ron")).unwrap_or_default());

/// The protocols under which a problem can be debated in one of its decompositions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FittingProtocols")]
pub struct ProtocolsOfDecomposition {
    /// The decomposition in the syntax of scenario files; `None` if the file omits the field.
    pub decomposition: Option<&'static str>,
    /// The protocols in the syntax of scenario files.
    pub protocols: Vec<&'static str>,
}

impl ProblemKind {
    /// Returns the text of a scenario file for the problem's example, without a protocol.
    pub fn example_scenario_text(&self, decomposition: Option<&str>) -> String {
        let Self { name, example, .. } = self;
        let decomposition = decomposition.map_or_else(String::new, |decomposition| {
            format!("    decomposition: {decomposition},\n")
        });
        format!(
            "Scenario(\n    format: 1,\n    title: \"{name}\",\n    problem: {example},\n\
             {decomposition})\n"
        )
    }

    /// Returns, for each decomposition of the problem's example, the examples of protocols under which it can be
    /// debated.
    ///
    /// # Errors
    /// Returns an error if the example is not a valid scenario.
    pub fn fitting_protocol_examples(
        &self,
    ) -> Result<Vec<ProtocolsOfDecomposition>, ScenarioError> {
        let each = self.decompositions.iter();
        each.map(|decomposition| {
            let built = self.built(*decomposition)?;
            Ok(ProtocolsOfDecomposition {
                decomposition: *decomposition,
                protocols: protocol::fitting_protocol_examples(built.as_ref()),
            })
        })
        .collect()
    }

    fn built(&self, decomposition: Option<&str>) -> Result<Arc<dyn Decomposition>, ScenarioError> {
        let origin = ScenarioTextSource::Text(format!("the example of {}", self.name));
        read::build_decomposition(&self.example_scenario_text(decomposition), &origin)
    }
}
