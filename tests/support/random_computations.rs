//! Random computations for tests: plans whose steps ask the oracle.

use std::sync::Arc;

use serde_json::Value;

use debate_core::gate::Gate;
use debate_core::number::parse;
use debate_core::scenario::{
    CheckedComputationPlan, Instance, Oracle, PlanProblemStepSpec, ProgramStepActionSpec,
    ScenarioValuePath, StraightLineProgramSpec,
};

/// An instance of a random computation whose steps all ask the oracle. `oracle` gives each history the probability that
/// the next bit is 1.
pub fn random(steps: usize, oracle: &[(&str, &str)]) -> Instance {
    let steps = (0..steps).map(|step| {
        let table = oracle.iter().filter(|(history, _)| history.len() == step);
        let judged_true = table.map(|(history, p)| ((*history).to_owned(), parse(p).unwrap()));
        PlanProblemStepSpec {
            id: format!("s{step}"),
            text: None,
            action: ProgramStepActionSpec::Ask {
                question: format!("s{step}?"),
                judged_true: judged_true.collect(),
                evidence: None,
                truth: None,
            },
        }
    });
    plan(steps.collect())
}

/// The same from recorded values, which have the probabilities in an object.
pub fn recorded(steps: u64, oracle: &Value) -> Instance {
    let oracle = oracle.as_object().unwrap().iter();
    let oracle: Vec<(&str, &str)> = oracle.map(|(h, p)| (&**h, p.as_str().unwrap())).collect();
    random(usize::try_from(steps).unwrap(), &oracle)
}

/// Three steps that ask the oracle, and their majority.
pub fn asked_and_computed() -> Instance {
    let ask = |id: &str, p: &str| PlanProblemStepSpec {
        id: id.to_owned(),
        text: None,
        action: ProgramStepActionSpec::Ask {
            question: id.to_owned(),
            judged_true: vec![(String::new(), parse(p).unwrap())],
            evidence: None,
            truth: None,
        },
    };
    let most = PlanProblemStepSpec {
        id: "most".to_owned(),
        text: None,
        action: ProgramStepActionSpec::Compute {
            gate: Gate::Majority,
            on: ["a", "b", "c"].map(str::to_owned).to_vec(),
            not: Vec::new(),
        },
    };
    plan(vec![
        ask("a", "0.7"),
        ask("b", "0.4"),
        ask("c", "0.3"),
        most,
    ])
}

/// The instance of a plan.
pub fn plan(steps: Vec<PlanProblemStepSpec>) -> Instance {
    let spec = StraightLineProgramSpec {
        steps,
        ..StraightLineProgramSpec::default()
    };
    let plan = CheckedComputationPlan::build(spec, &ScenarioValuePath::default()).unwrap();
    Instance::new(Arc::new(plan), 0, Oracle::PerLeaf)
}
