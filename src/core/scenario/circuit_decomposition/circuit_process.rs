//! Circuits among random computations.

use crate::scenario::key::Key;
use std::sync::Arc;

use crate::number::{Exact, Known, Number as _};
use crate::scenario::{Circuit, ClaimKey, Computation, Process};

/// A circuit as a random computation that leaves nothing to chance.
#[derive(Debug)]
pub(super) struct CircuitProcess(pub(super) Arc<Circuit>);

impl Process for CircuitProcess {
    fn steps(&self) -> u64 {
        self.0.steps()
    }

    fn next(&self, bits: &[bool]) -> Known {
        let value = Computation::value(&*self.0, bits.len() as u64, &self.0.witness(), bits);
        value.unwrap_or(false).into()
    }

    fn is_oracle(&self, _step: u64) -> bool {
        false
    }

    fn claim(&self, bits: &[bool]) -> ClaimKey {
        ClaimKey(Key::Step(bits.len() as u64))
    }

    fn accepts(&self) -> Option<Exact> {
        Some(Exact::indicator(self.0.output()))
    }
}
