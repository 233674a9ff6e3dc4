use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::number::Exact;
use debate_core::scenario::netlist::generated;
use debate_core::scenario::{
    BlindReader, CircuitDecomposition, Decomposition, InformedReader, Instance,
    NumbersTestedForPrimality, Oracle, PossibleWorld, PrimalityMethod, PrimalityProblem,
    PrimalitySpec, ScenarioValuePath, StableProblem, TestedNumberVisibility,
};
use num_bigint::BigUint;

use crate::support::arguments;

fn at() -> ScenarioValuePath {
    ScenarioValuePath::path_of_top_level_field("decomposition")
}

fn stable(of: &Arc<dyn Decomposition>, copies: u32) -> Instance {
    let stable = StableProblem::build(of.clone(), copies, &at()).unwrap();
    Instance::new(Arc::new(stable), 0, Oracle::Truth)
}

/// The decomposition of a number's primality by intervals.
fn number(digits: &str) -> Arc<dyn Decomposition> {
    let spec = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(vec![digits.parse().unwrap()]),
        estimator_knows: TestedNumberVisibility::Size,
        method: PrimalityMethod::Intervals {
            width: 4,
            primes_from: None,
        },
    };
    Arc::new(PrimalityProblem::build(spec, &at()).unwrap())
}

/// Every claim of an instance, level by level.
fn levels(instance: &Instance) -> Vec<Vec<debate_core::scenario::ClaimId>> {
    let mut levels = vec![vec![instance.root()]];
    while let Some(last) = levels.last().filter(|last| !last.is_empty()) {
        let mut next = Vec::new();
        for claim in last {
            let supports = instance.supports(*claim).iter();
            next.extend(supports.flat_map(|support| support.on.iter().copied()));
        }
        next.sort();
        next.dedup();
        levels.push(next);
    }
    levels.pop();
    levels
}

/// An `All` over a majority: three pieces of evidence per level, each with separate pieces below it.
#[test]
fn a_claim_at_depth_d_has_copies_to_the_power_d() {
    let of = arguments::instance("all(maj(1, 0, 1), 1)");
    let instance = stable(of.decomposition(), 3);
    let size = instance.size().clone();
    let levels = levels(&instance);
    // 1 + 2·3 + 3·9 claims; the leaves are 3 pieces of one and 9 of each of three others.
    let counts: Vec<usize> = levels.iter().map(Vec::len).collect();
    assert_eq!(counts, [1, 6, 27]);
    assert_eq!((size.depth, size.width), (2, 9));
    assert_eq!((size.claims, size.leaves), (34_u32.into(), 30_u32.into()));
    assert_eq!(instance.leaf_count_under(instance.root()), 30);
    let informed = InformedReader::new(&instance);
    for claim in levels.concat() {
        for support in instance.supports(claim) {
            let truths = support.on.iter().map(|y| instance.truth(*y).unwrap());
            assert_eq!(
                Some(support.gate.value_for_outcomes(truths)),
                instance.truth(claim)
            );
            assert!(informed.is_sound(support));
            assert_eq!(support.gate.outer_gate_and_copies().1, 3);
        }
    }
    let piece = instance.supports(instance.root())[0].on[2];
    let text = "c1, by the third of three independent pieces of evidence";
    assert_eq!(instance.text(piece), text);
    assert_eq!(instance.short_text(piece), "c1 (3 of 3)");
    assert_eq!(instance.leaf_count_under(piece), 9);
    // Its evidence is separate from that of its siblings.
    let below = |piece| instance.supports(piece)[0].on.clone();
    let first = instance.supports(instance.root())[0].on[0];
    assert!(below(piece).iter().all(|y| !below(first).contains(y)));
}

/// Pieces are counted even if they are too many to store, and made only on request.
#[test]
fn pieces_of_evidence_are_built_on_demand() {
    let of = number("1000000007");
    let instance = stable(&of, 15);
    let size = instance.size();
    assert_eq!((size.width, size.depth), (60, of.size(0).depth));
    assert!(size.claims > BigUint::from(15_u32).pow(size.depth));
    let mut claim = instance.root();
    let mut depth = 0;
    while let Some(support) = instance.supports(claim).first() {
        claim = support.on[support.on.len() / 2];
        depth += 1;
    }
    assert!(depth + 1 >= size.depth);
    assert_eq!(instance.truth(claim), Some(true));
}

/// A player who cannot decide claims knows that pieces of evidence for one claim agree.
#[test]
fn pieces_of_evidence_for_a_claim_agree() {
    let of = number("323");
    let plain = Instance::new(of.clone(), 0, Oracle::Truth);
    let instance = stable(&of, 3);
    let (once, thrice) = (BlindReader::new(&plain), BlindReader::new(&instance));
    let spans = plain.supports(plain.root())[0].on.clone();
    let pieces = instance.supports(instance.root())[0].on.clone();
    let alone: Exact = once.marginal(spans[1]);
    let ask = |place: usize, given: &[bool]| -> Exact {
        let given = pieces.iter().copied().zip(given.iter().copied());
        thrice.posterior(pieces[place], given)
    };
    assert_eq!(ask(3, &[]), alone);
    // All later pieces give the same answer as the first one.
    assert_eq!(ask(1, &[true]), Exact::from_integer(1.into()));
    assert_eq!(ask(2, &[false, false]), Exact::from_integer(0.into()));
    // Three true pieces for the first span give as much information about the second as the span itself.
    let after: Exact = once.posterior(spans[1], [(spans[0], true)].into_iter());
    assert_eq!(ask(3, &[true, true, true]), after);
    assert_eq!(ask(3, &[false]), Exact::from_integer(1.into()));
}

#[test]
fn problems_that_cannot_be_made_stable_give_the_reason() {
    let of = arguments::instance("all(1, 1)").decomposition().clone();
    for copies in [0, 4] {
        let flaw = StableProblem::build(of.clone(), copies, &at()).unwrap_err();
        assert!(flaw.to_string().contains("odd number"), "{flaw}");
    }
    let once: Arc<dyn Decomposition> = Arc::new(StableProblem::build(of, 3, &at()).unwrap());
    let twice = StableProblem::build(once, 3, &at()).unwrap_err();
    assert!(twice.to_string().contains("already `Stable`"), "{twice}");
}

/// Gates of a circuit over majorities: an exclusive or, and a gate over one wire.
#[test]
fn any_gate_can_be_over_majorities() {
    let world = PossibleWorld {
        name: "101".to_owned(),
        weight: Exact::from_integer(1.into()),
    };
    let netlist = Arc::new(generated::parity_circuit(3).unwrap());
    let inputs = vec![(world, debate_core::bits::BitString::parse("101").unwrap())];
    let of: Arc<dyn Decomposition> =
        Arc::new(CircuitDecomposition::build(&netlist, 0, inputs, &at()).unwrap());
    let instance = stable(&of, 5);
    let support = &instance.supports(instance.root())[0];
    assert_eq!(support.gate, Gate::Xor.with_majority_at_each_input(5));
    assert_eq!(support.on.len(), 10);
    assert_eq!(support.gate.check_input_count(support.on.len()), Ok(()));
    let levels = levels(&instance);
    let all: usize = levels.iter().map(Vec::len).sum();
    assert_eq!(instance.size().claims, all.into());
}
