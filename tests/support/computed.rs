//! Small computations as problems, built through the public library.

use std::sync::Arc;

use debate_core::number::{Exact, Number};
use debate_core::scenario::{
    ClaimKey, Computation, ComputationProblem, Decomposition, Instance, Oracle, PossibleWorld,
    TruthDistributionBelief,
};

/// A computation as a problem: the claim that its output is 1.
#[derive(Debug)]
pub struct Computed {
    computation: Arc<dyn Computation>,
    worlds: [PossibleWorld; 1],
}

impl Computed {
    /// The only instance of a computation.
    pub fn instance(computation: Arc<dyn Computation>) -> Instance {
        let world = PossibleWorld {
            name: "x".to_owned(),
            weight: Exact::ratio(1, 1),
        };
        let problem = Self {
            computation,
            worlds: [world],
        };
        Instance::new(Arc::new(problem), 0, Oracle::Truth)
    }
}

impl Decomposition for Computed {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey::key_of_claim_number(0)
    }

    fn truth(&self, key: &ClaimKey, _world: usize) -> Option<bool> {
        let _query = key.bits_of_key()?;
        self.computation.answer(key)
    }

    fn text(&self, key: &ClaimKey, _world: usize) -> String {
        format!("{key:?}")
    }

    fn can_split_root(&self) -> bool {
        false
    }

    fn belief(&self, _world: usize) -> TruthDistributionBelief {
        TruthDistributionBelief::Each {
            root: Exact::ratio(1, 2),
            other: Exact::ratio(1, 2),
        }
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl ComputationProblem for Computed {
    fn computation(&self, _world: usize) -> Option<Arc<dyn Computation>> {
        Some(self.computation.clone())
    }
}
