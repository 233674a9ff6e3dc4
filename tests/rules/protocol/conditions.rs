use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Protocol, ProtocolKind, Reply, Rules as _, fitting_protocol_examples};
use debate_core::scenario::{
    ClaimKey, Decomposition, DecompositionSize, Instance, Oracle, PossibleWorld, ProblemSupport,
    TruthDistributionBelief,
};

/// The claim that all of some bits are 1: claims under a gate, without other structure.
#[derive(Debug)]
struct AllOnes {
    bits: Vec<bool>,
    worlds: [PossibleWorld; 1],
}

impl Decomposition for AllOnes {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey::key_of_claim_number(0)
    }

    fn supports(&self, key: &ClaimKey, world: usize) -> Vec<ProblemSupport> {
        let each = 1..=self.bits.len() as u64;
        let support = ProblemSupport {
            gate: Gate::All,
            on: each.map(ClaimKey::key_of_claim_number).collect(),
            sound: true,
        };
        Vec::from_iter((*key == self.root(world)).then_some(support))
    }

    fn truth(&self, key: &ClaimKey, _world: usize) -> Option<bool> {
        match usize::try_from(key.as_claim_number()?).ok()? {
            0 => Some(self.bits.iter().all(|bit| *bit)),
            place => self.bits.get(place - 1).copied(),
        }
    }

    fn size(&self, _world: usize) -> DecompositionSize {
        DecompositionSize {
            depth: 1,
            width: u32::try_from(self.bits.len()).unwrap(),
            claims: (self.bits.len() + 1).into(),
            leaves: self.bits.len().into(),
        }
    }

    fn leaf_count_under(&self, key: &ClaimKey, world: usize) -> u64 {
        let root = *key == self.root(world);
        if root { self.bits.len() as u64 } else { 1 }
    }

    fn text(&self, key: &ClaimKey, _world: usize) -> String {
        format!("{key} is 1")
    }

    fn belief(&self, _world: usize) -> TruthDistributionBelief {
        TruthDistributionBelief::Worlds(vec![(0, true.into())])
    }
}

#[test]
fn a_problem_of_claims_alone_fits_the_rules_that_split_claims() {
    let world = PossibleWorld {
        name: "x".to_owned(),
        weight: Exact::ratio(1, 1),
    };
    let problem = AllOnes {
        bits: vec![true, false, true],
        worlds: [world],
    };
    let kinds = [ProtocolKind::ProverEstimator, ProtocolKind::Recursive];
    let introductions = kinds.iter().map(|kind| kind.protocol_texts());
    let examples: Vec<&str> = introductions
        .flat_map(|one| &one.examples)
        .copied()
        .collect();
    assert_eq!(fitting_protocol_examples(&problem), examples);

    let instance = Instance::new(Arc::new(problem), 0, Oracle::Truth);
    let protocol = Protocol::parse("Recursive").unwrap();
    let mut debate = protocol.start::<Exact>(&instance).unwrap();
    for reply in [
        Reply::Answer(true),
        Reply::Support(0),
        Reply::Bits(vec![true; 3].into()),
        Reply::Select(1),
    ] {
        debate.reply(reply, &mut ()).unwrap();
    }
    let judged = instance.supports(instance.root())[0].on[1];
    let holds = instance.truth(judged) == Some(true);
    let verdict = Reply::Oracle {
        holds,
        confidence: None,
    };
    debate.reply(verdict, &mut ()).unwrap();
    assert_eq!(debate.payoff(), Exact::ratio(-1, 1));
}

#[test]
fn the_claim_is_fixed_if_no_debater_answers_the_question() {
    let is_open = |kind: &&ProtocolKind| {
        let example = kind.protocol_texts().examples[0];
        let protocol = Protocol::parse(example).unwrap();
        !protocol.protocol_parameters().prover_always_claims_true()
    };
    let open: Vec<&str> = ProtocolKind::ALL
        .iter()
        .filter(is_open)
        .map(|kind| kind.protocol_name_in_scenarios())
        .collect();
    assert_eq!(
        open,
        [
            "ProverEstimator",
            "Recursive",
            "CrossExamination",
            "Descent",
            "Verified"
        ]
    );
}
