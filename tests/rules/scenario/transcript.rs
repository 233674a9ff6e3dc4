use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::number::Exact;
use debate_core::scenario::netlist::{Netlist, generated};
use debate_core::scenario::{
    CircuitDecomposition, ComputationTranscriptDecomposition, Decomposition, Instance, Oracle,
    PossibleWorld, ProofReadByLeaves as _, ScenarioValuePath,
};

use super::claim_key;

fn problem(netlist: Netlist, input: &str) -> Arc<dyn Decomposition> {
    let world = PossibleWorld {
        name: input.to_owned(),
        weight: Exact::from_integer(1.into()),
    };
    let inputs = vec![(world, BitString::parse(input).unwrap())];
    let at = ScenarioValuePath::path_of_top_level_field("problem");
    Arc::new(CircuitDecomposition::build(&Arc::new(netlist), 0, inputs, &at).unwrap())
}

fn split_in(problem: &Arc<dyn Decomposition>, width: u32) -> ComputationTranscriptDecomposition {
    ComputationTranscriptDecomposition::build(
        problem.clone(),
        width,
        &ScenarioValuePath::path_of_top_level_field("decomposition"),
    )
    .unwrap()
}

#[test]
fn blocks_cover_every_step_once_and_carry_the_claim() {
    for (steps, width) in [
        (1, 2),
        (2, 2),
        (3, 2),
        (7, 2),
        (8, 2),
        (9, 8),
        (64, 8),
        (20, 3),
    ] {
        for odd in [false, true] {
            let input: String = (0..=steps)
                .map(|n| if n == 0 && odd { '1' } else { '0' })
                .collect();
            let netlist = generated::parity_circuit(u32::try_from(steps + 1).unwrap()).unwrap();
            let problem = split_in(&problem(netlist, &input), width);
            let instance = Instance::new(Arc::new(problem), 0, Oracle::Truth);
            let mut open = vec![instance.root()];
            let (mut claims, mut depth, mut leaves) = (0_u32, 0_u32, Vec::new());
            while !open.is_empty() {
                let mut next = Vec::new();
                for claim in open {
                    claims += 1;
                    for support in instance.supports(claim) {
                        let truths = support.on.iter().map(|y| instance.truth(*y).unwrap());
                        let holds = support.gate.value_for_outcomes(truths);
                        assert_eq!(Some(holds), instance.truth(claim));
                        next.extend_from_slice(&support.on);
                    }
                    if instance.is_leaf(claim) {
                        let bits: Vec<bool> = instance
                            .proof_bits_read_by_leaf(claim)
                            .iter()
                            .map(|bit| instance.true_proof_bit(*bit))
                            .collect();
                        let yes = instance.oracle_yes_probability(claim, &bits).unwrap();
                        assert_eq!(yes, instance.truth(claim).unwrap().into());
                        leaves.push(instance.text(claim));
                    }
                }
                depth += u32::from(!next.is_empty());
                open = next;
            }
            let size = instance.size();
            assert_eq!((size.claims.clone(), size.depth), (claims.into(), depth));
            assert_eq!((leaves.len(), size.leaves.clone()), (steps, steps.into()));
            let levels = (0..64)
                .find(|d| u64::from(width).pow(*d) >= steps as u64)
                .unwrap();
            assert_eq!(depth, levels, "{steps} steps, width {width}");
        }
    }
}

#[test]
fn a_leaf_is_checked_on_the_bits_that_are_given() {
    // g0 = x0 xor x1, g1 = x2 xor x3, g2 = g0 xor g1.
    let inner = problem(generated::parity_circuit(4).unwrap(), "1000");
    let problem = split_in(&inner, 2);
    let key = |step: u64| claim_key(&format!("block {step}..{}", step + 1));
    assert_eq!(problem.reads(&key(0), 0).as_ref(), [0]);
    assert_eq!(problem.reads(&key(2), 0).as_ref(), [2, 0, 1]);
    assert!(problem.check(&key(0), &[true], 0) && !problem.check(&key(0), &[false], 0));
    assert!(problem.check(&key(2), &[true, true, false], 0));
    // It follows, but the output must be 1.
    assert!(!problem.check(&key(2), &[false, true, true], 0));
    assert_eq!(problem.bit_name(2, 0), "step 2");
    assert_eq!(
        problem.text(&claim_key("block 0..2"), 0),
        "steps 0 to 1 are right"
    );
    assert_eq!(
        problem.text(&claim_key("block 2..3"), 0),
        "step 2 (g2 = g0 xor g1) is right, and its result is 1"
    );
    assert_eq!(
        problem.text(&problem.root(0), 0),
        inner.text(&inner.root(0), 0)
    );
}

#[test]
fn a_million_steps_are_split_on_demand() {
    let mut netlist = Netlist::new(1);
    let table = debate_core::scenario::netlist::TwoInputTruthTable::NOT_FIRST;
    let mut last = 0;
    for _ in 0..1_000_000 {
        last = netlist
            .push(debate_core::scenario::netlist::TwoInputGate::new(
                table, last, last,
            ))
            .unwrap();
    }
    netlist.add_output(last);
    let problem = split_in(&problem(netlist, "1"), 2);
    let instance = Instance::new(Arc::new(problem), 0, Oracle::Truth);
    assert_eq!(instance.size().depth, 20);
    let mut claim = instance.root();
    while let [support] = instance.supports(claim) {
        claim = support.on[1];
    }
    assert_eq!(instance.proof_bits_read_by_leaf(claim), [999_999, 999_998]);
    assert_eq!(instance.truth(claim), Some(true));
}

#[test]
fn invalid_computations_are_refused() {
    let argument = crate::support::arguments::instance("all(1, 1)");
    let at = ScenarioValuePath::path_of_top_level_field("decomposition");
    let error = ComputationTranscriptDecomposition::build(argument.decomposition().clone(), 2, &at)
        .unwrap_err();
    assert!(error.to_string().contains("the problem has none"));
    let circuit = problem(generated::parity_circuit(2).unwrap(), "11");
    assert!(ComputationTranscriptDecomposition::build(circuit, 1, &at).is_err());
}
