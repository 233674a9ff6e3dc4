//! Machines for tests, defined by a table of numbers.

use std::sync::Arc;

use debate_core::bits::{self, BitString};
use debate_core::scenario::{
    ClaimKey, ComputationProblem, Decomposition, Instance, MachineRun, Oracle, PossibleWorld,
    SuccessorOrOracleQuery, TruthDistributionBelief,
};

/// The successor of a number in a machine defined by a table.
#[derive(Clone, Copy, Debug)]
pub enum Hop {
    /// A fixed successor.
    To(u64),
    /// The first number if the oracle says yes, else the second; and the oracle's answer.
    Ask(u64, u64, bool),
}

/// A machine that moves between numbers by a table.
#[derive(Debug)]
pub struct Hops {
    /// The successor of each number.
    pub table: Vec<Hop>,
    /// The first number.
    pub start: u64,
    /// The accepting number.
    pub accept: u64,
    /// The number of steps of a run.
    pub steps: u64,
}

impl Hops {
    fn bits(&self, number: u64) -> BitString {
        BitString::low_bits_of_number(number, self.length())
    }

    fn hop(&self, configuration: &BitString) -> Option<Hop> {
        let number = usize::try_from(bits::number_from_bits(configuration.as_slice())).ok()?;
        self.table.get(number).copied()
    }
}

impl MachineRun for Hops {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn length(&self) -> u32 {
        bits::bits_to_distinguish(self.table.len() as u64)
    }

    fn start(&self) -> BitString {
        self.bits(self.start)
    }

    fn is_well_formed(&self, configuration: &BitString) -> bool {
        self.hop(configuration).is_some()
    }

    fn accepts(&self, configuration: &BitString) -> bool {
        *configuration == self.bits(self.accept)
    }

    fn next(&self, configuration: &BitString) -> SuccessorOrOracleQuery {
        match self.hop(configuration) {
            None => SuccessorOrOracleQuery::To(configuration.clone()),
            Some(Hop::To(next)) => SuccessorOrOracleQuery::To(self.bits(next)),
            Some(Hop::Ask(yes, no, _)) => SuccessorOrOracleQuery::Oracle {
                claim: ClaimKey::from_bits(configuration.clone()),
                yes: self.bits(yes),
                no: self.bits(no),
            },
        }
    }

    fn answer(&self, claim: &ClaimKey) -> Option<bool> {
        match self.hop(claim.bits_of_key()?)? {
            Hop::Ask(_, _, says) => Some(says),
            Hop::To(_) => None,
        }
    }

    fn at(&self, time: u64) -> Option<BitString> {
        self.follow(&self.start(), time.min(self.steps))
    }

    fn accepting_configuration(&self, _like: &BitString) -> BitString {
        self.bits(self.accept)
    }

    fn text(&self, configuration: &BitString) -> String {
        bits::number_from_bits(configuration.as_slice()).to_string()
    }
}

/// The problem whether a machine accepts, which has only the structure of the machine's run.
#[derive(Debug)]
struct Running(Arc<Hops>, Vec<PossibleWorld>);

impl Decomposition for Running {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.1
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey::key_of_claim_number(0)
    }

    fn truth(&self, key: &ClaimKey, _world: usize) -> Option<bool> {
        match key.as_claim_number() {
            Some(_) => Some(self.0.accepts(&self.0.at(self.0.steps)?)),
            None => self.0.answer(key),
        }
    }

    fn text(&self, key: &ClaimKey, _world: usize) -> String {
        format!("{key:?}")
    }

    fn can_split_root(&self) -> bool {
        false
    }

    fn belief(&self, _world: usize) -> TruthDistributionBelief {
        TruthDistributionBelief::Worlds(vec![(0, true.into())])
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl ComputationProblem for Running {
    fn run(&self, _world: usize) -> Option<Arc<dyn MachineRun>> {
        let run: Arc<Hops> = self.0.clone();
        Some(run)
    }
}

/// The instance of such a machine.
pub fn running(hops: Hops) -> Instance {
    let running = Running(Arc::new(hops), vec![PossibleWorld::new("hops")]);
    Instance::new(Arc::new(running), 0, Oracle::Truth)
}
