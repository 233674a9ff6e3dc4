//! Random small scenarios, built through the public library.

use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::number::{Exact, Number};
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Instance, Oracle, ScenarioValuePath,
    SupportSpec, WorldSpec,
};
use proptest::prelude::*;

fn instance(spec: ArgumentProblemSpec, world: usize, oracle: Oracle) -> Instance {
    let argument = ArgumentProblem::build(spec, &ScenarioValuePath::default())
        .expect("the argument is well formed");
    Instance::new(Arc::new(argument), world, oracle)
}

/// A gate's number, and the steps to the subclaims.
type PlannedSupport = (u8, Vec<u8>);

/// A small argument as numbers. Each claim has supports, each a gate's number and steps to later claims, so the graph
/// has no cycles.
#[derive(Clone, Debug)]
pub struct Plan {
    claims: Vec<(Vec<PlannedSupport>, [bool; 3], u8)>,
    proof: [bool; 2],
    world: usize,
    oracle: u8,
}

/// Generates small arguments with up to ten claims in up to five levels, two worlds, proof bits and every oracle. A
/// claim may have several supports, of which only the first is sound.
pub fn plans() -> impl Strategy<Value = Plan> {
    let support = (any::<u8>(), prop::collection::vec(any::<u8>(), 1..=4));
    let claim = (
        prop::collection::vec(support, 0..=2),
        any::<[bool; 3]>(),
        any::<u8>(),
    );
    let claims = prop::collection::vec(claim, 1..=10);
    (claims, any::<[bool; 2]>(), 0_usize..2, any::<u8>()).prop_map(
        |(claims, proof, world, oracle)| Plan {
            claims,
            proof,
            world,
            oracle,
        },
    )
}

fn gate(number: u8, inputs: usize) -> Gate {
    match number % 7 {
        0 => Gate::All,
        1 => Gate::Any,
        2 => Gate::Majority,
        3 => Gate::AtLeast(u32::try_from(1 + usize::from(number / 7) % inputs).unwrap_or(1)),
        4 if inputs == 1 => Gate::Not,
        5 => {
            let rows: Vec<bool> = (0..1_usize << inputs)
                .map(|row| (row * 7 + usize::from(number)) % 3 == 0)
                .collect();
            let table = Gate::Table(rows.into());
            if table.check_input_count(inputs).is_ok() {
                table
            } else {
                Gate::Xor
            }
        }
        _ => Gate::Xor,
    }
}

impl Plan {
    /// The instance that the plan describes.
    pub fn build(&self) -> Instance {
        let last = self.claims.len() - 1;
        let mut spec = ArgumentProblemSpec {
            root: "c0".to_owned(),
            proof: vec![
                ("u0".to_owned(), self.proof[0]),
                ("u1".to_owned(), self.proof[1]),
            ],
            ..ArgumentProblemSpec::default()
        };
        let mut truths = Vec::new();
        for (index, (supports, [truth, other, _], kind)) in self.claims.iter().enumerate() {
            let mut claim = ClaimSpec {
                text: format!("claim {index}"),
                ..ClaimSpec::default()
            };
            let id = format!("c{index}");
            // Claims at most three steps later, so that the graph has some depth.
            let later = |step: &u8| index + 1 + usize::from(*step) % 3;
            for (number, (gate_number, steps)) in supports.iter().enumerate() {
                let on: Vec<usize> = steps.iter().map(later).filter(|to| *to <= last).collect();
                if on.is_empty() {
                    continue;
                }
                claim.supports.push(SupportSpec {
                    label: (number == 1).then(|| "the other way".to_owned()),
                    gate: gate(*gate_number, on.len()),
                    on: on.iter().map(|to| format!("c{to}")).collect(),
                    sound: claim.supports.is_empty(),
                });
            }
            if claim.supports.is_empty() && kind % 4 == 0 {
                claim.reads = vec!["u1".to_owned(), "u0".to_owned(), "u1".to_owned()];
                claim.check = Some(gate(*kind, 3));
            } else if claim.supports.is_empty() {
                claim.truth = Some(*truth);
                claim.judged_true = Some(Exact::ratio(i64::from(kind % 5), 4));
                claim.estimate = Some(Exact::ratio(i64::from(kind % 7), 6));
                truths.push((id.clone(), *other));
            }
            spec.claims.push((id, claim));
        }
        spec.worlds = vec![
            WorldSpec {
                name: None,
                weight: Exact::ratio(1, 3),
                truths: Vec::new(),
                evidence: Vec::new(),
            },
            WorldSpec {
                name: None,
                weight: Exact::ratio(2, 3),
                truths,
                evidence: Vec::new(),
            },
        ];
        let oracle = match self.oracle % 3 {
            0 => Oracle::Truth,
            1 => Oracle::PerLeaf,
            _ => Oracle::Noisy(Exact::ratio(1, 5)),
        };
        instance(spec, self.world, oracle)
    }
}
