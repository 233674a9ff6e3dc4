//! Full trees, built through the public library.

use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Instance, Oracle, ScenarioValuePath,
    SupportSpec,
};

/// A full tree with the same gate everywhere and true leaves.
pub fn tree(gate: &Gate, width: usize, depth: u32) -> Instance {
    let mut spec = ArgumentProblemSpec {
        root: "r".to_owned(),
        ..ArgumentProblemSpec::default()
    };
    let mut level = vec!["r".to_owned()];
    for k in (0..=depth).rev() {
        let mut next = Vec::new();
        for id in level {
            let on: Vec<String> = (0..if k == 0 { 0 } else { width })
                .map(|i| format!("{id}{i}"))
                .collect();
            next.extend(on.iter().cloned());
            let support = SupportSpec {
                label: None,
                gate: gate.clone(),
                on,
                sound: true,
            };
            let claim = ClaimSpec {
                text: id.clone(),
                truth: (k == 0).then_some(true),
                supports: if k == 0 { Vec::new() } else { vec![support] },
                ..ClaimSpec::default()
            };
            spec.claims.push((id, claim));
        }
        level = next;
    }
    let argument = ArgumentProblem::build(spec, &ScenarioValuePath::default())
        .expect("the argument is well formed");
    Instance::new(Arc::new(argument), 0, Oracle::Truth)
}
