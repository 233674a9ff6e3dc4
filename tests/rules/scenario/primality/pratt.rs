use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::gate::Gate;
use debate_core::scenario::{
    BitSource, Computation, ComputationProblem as _, Decomposition, Instance,
    NumbersTestedForPrimality, Oracle, PrimalityMethod, PrimalityProblem, PrimalitySpec,
    RequiredStepOutput, ScenarioValuePath, TestedNumberVisibility,
};
use num_bigint::BigUint;
use num_traits::One as _;

/// A number's certificate: the computation that all problems about it share.
fn certificate(n: impl Into<BigUint>) -> Arc<dyn Computation> {
    let spec = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(vec![n.into()]),
        estimator_knows: TestedNumberVisibility::Size,
        method: PrimalityMethod::Intervals {
            width: 2,
            primes_from: None,
        },
    };
    let problem =
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .expect("well formed");
    problem.computation(0).expect("the numbers are factored")
}

/// Number of bits of each number in a certificate.
fn width(n: u64) -> u32 {
    n.checked_ilog2().unwrap_or(0) + 1
}

fn says(certificate: &Arc<dyn Computation>, witness: &BitString) -> bool {
    let transcript = certificate.transcript(witness).expect("nothing is asked");
    transcript.as_slice().last() == Some(&true)
}

fn is_prime(n: u64) -> bool {
    n >= 2
        && (2..n)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
}

#[test]
fn the_best_witness_certifies_exactly_the_primes() {
    for n in (0..600).chain([1009, 1729, 2047, 4331, 65_537, 104_729]) {
        let certificate = certificate(n);
        let witness = certificate.witness();
        assert_eq!(witness.len() as u64, certificate.witness_length());
        assert_eq!(says(&certificate, &witness), is_prime(n), "{n}");
    }
}

#[test]
fn large_primes_have_certificates() {
    for n in [
        "18446744073709551557",
        "170141183460469231731687303715884105727",
    ] {
        let n: BigUint = n.parse().expect("digits");
        let bits = n.bits();
        let certificate = certificate(n);
        assert!(says(&certificate, &certificate.witness()));
        // At most as many numbers as n has bits, each except n itself with a base.
        assert!(certificate.witness_length() <= (2 * bits - 1) * bits);
    }
}

#[test]
fn no_witness_at_all_shows_a_composite_prime() {
    for n in [0_u32, 1, 4, 6, 9] {
        let certificate = certificate(n);
        let length = u32::try_from(certificate.witness_length()).unwrap();
        assert!(length <= 15, "{n}");
        for number in 0..1 << length {
            let witness = BitString::low_bits_of_number(number, length);
            assert!(!says(&certificate, &witness), "{n}: {witness}");
        }
    }
}

#[test]
fn a_forged_witness_shows_no_composite_prime() {
    let mut salt = 1_u64;
    let mut bit = || {
        salt = salt.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        salt >> 63 == 1
    };
    for n in (4..120).filter(|n| !is_prime(*n)) {
        let certificate = certificate(n);
        let best = certificate.witness();
        // Every g for the true factors, and noise.
        for g in 0..n {
            let own = BitString::low_bits_of_number(g, width(n));
            let rest = best.as_slice().iter().skip(own.len()).copied();
            let witness: BitString = own.as_slice().iter().copied().chain(rest).collect();
            assert!(!says(&certificate, &witness), "{n}: {g}");
        }
        for _ in 0..20 {
            let noise = best.as_slice().iter().map(|one| *one != (bit() && bit()));
            assert!(!says(&certificate, &noise.collect()), "{n}");
        }
    }
}

#[test]
fn false_factors_are_distinguished_from_true_ones() {
    // 4 instead of 2 also gives 5 − 1 as a product, but 4 is not proved prime.
    let certificate = certificate(5_u32);
    let words = |words: [u64; 3]| -> BitString {
        let bits = words.map(|word| BitString::low_bits_of_number(word, width(5)));
        bits.iter()
            .flat_map(|bits| bits.as_slice().to_vec())
            .collect()
    };
    assert!(says(&certificate, &words([2, 2, 1])));
    for base in 0..8 {
        assert!(!says(&certificate, &words([2, 4, base])));
    }
}

#[test]
fn of_the_best_certificate_of_561_one_check_is_false() {
    let certificate = certificate(561_u32);
    let witness = certificate.witness();
    let transcript = certificate.transcript(&witness).expect("nothing is asked");
    let wrong: Vec<String> = (0..certificate.steps())
        .filter(|step| transcript.bit_at(*step) == Some(false))
        .map(|step| certificate.step_text(step))
        .collect();
    assert_eq!(
        wrong,
        [
            "g^(560/p1) ≢ 1 (mod 561)",
            "561 passes all its checks, so it is prime"
        ]
    );
    assert_eq!(
        certificate.witness_text(&witness).unwrap(),
        "g = 5, p1 = 7, g1 = 3, p2 = 5, g2 = 2, p3 = 3, g3 = 2, p4 = 2, g4 = 1"
    );
    assert_eq!(certificate.source_text(BitSource::Input(0)), "bit 0 of 561");
    assert_eq!(certificate.source_text(BitSource::Witness(9)), "bit 9 of g");
    assert_eq!(
        certificate.source_text(BitSource::Witness(10)),
        "bit 0 of p1"
    );
    assert_eq!(
        certificate.source_text(BitSource::Witness(20)),
        "bit 0 of g1"
    );
    // 561, g and a prime of ten bits each.
    assert_eq!(certificate.max_bits_read(), 40);
}

fn instance(n: u64) -> Instance {
    let spec = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(vec![n.into()]),
        estimator_knows: TestedNumberVisibility::Size,
        method: PrimalityMethod::Pratt,
    };
    let problem =
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .expect("well formed");
    Instance::new(Arc::new(problem), 0, Oracle::Truth)
}

#[test]
fn every_support_carries_its_claim_and_every_leaf_can_be_judged() {
    for n in (0..200).chain([561, 1009, 2047]) {
        let instance = instance(n);
        let mut open = vec![(instance.root(), 0)];
        let mut seen = std::collections::HashMap::new();
        while let Some((claim, level)) = open.pop() {
            let met: &mut u32 = seen.entry(claim).or_default();
            *met = level.max(*met);
            for support in instance.supports(claim) {
                let truths: Option<_> = support
                    .on
                    .iter()
                    .map(|child| instance.truth(*child))
                    .collect::<Option<Vec<bool>>>();
                let holds = support.gate.value_for_outcomes(truths.unwrap());
                assert_eq!(instance.truth(claim), Some(holds), "{n}");
                open.extend(support.on.iter().map(|child| (*child, level + 1)));
            }
            if instance.is_leaf(claim) {
                assert!(instance.evidence(claim).unwrap().len() > 8);
            }
        }
        let size = instance.size();
        let leaves = seen
            .keys()
            .filter(|claim| instance.is_leaf(**claim))
            .count();
        assert_eq!(size.claims, seen.len().into(), "{n}");
        assert_eq!(size.leaves, leaves.into(), "{n}");
        assert_eq!(Some(&size.depth), seen.values().max(), "{n}");
    }
}

#[test]
fn a_composite_is_refuted_by_its_divisor() {
    let instance = instance(561);
    let supports = instance.supports(instance.root());
    assert_eq!(supports.len(), 2);
    assert_eq!(supports[0].gate, Gate::Not);
    let claim = supports[0].on[0];
    assert_eq!(instance.text(claim), "3 divides 561");
    assert_eq!(instance.evidence(claim).unwrap(), "561 = 3 × 187");
    let checks: Vec<String> = supports[1].on.iter().map(|on| instance.text(*on)).collect();
    assert_eq!(
        checks,
        [
            "5^560 leaves 1 modulo 561",
            "5^(560/2) does not leave 1 modulo 561",
            "5^(560/5) does not leave 1 modulo 561",
            "5^(560/7) does not leave 1 modulo 561",
            "no prime but 2, 5, 7 divides 560",
            "2 is prime",
            "5 is prime",
            "7 is prime"
        ]
    );
}

#[test]
fn numbers_that_cannot_be_certified_are_refused() {
    // Twice the product of two large primes, and one.
    let mersenne = |bits: u32| (BigUint::one() << bits) - 1_u32;
    let n = mersenne(89) * mersenne(107) * 2_u32 + 1_u32;
    let spec = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(vec![n]),
        estimator_knows: TestedNumberVisibility::Size,
        method: PrimalityMethod::Pratt,
    };
    let flaw = PrimalityProblem::build(
        spec.clone(),
        &ScenarioValuePath::path_of_top_level_field("problem"),
    )
    .unwrap_err();
    assert!(flaw.to_string().contains("there is no certificate"));
    let method = PrimalityMethod::Intervals {
        width: 4,
        primes_from: None,
    };
    let spec = PrimalitySpec { method, ..spec };
    let problem =
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .expect("well formed");
    assert!(problem.computation(0).is_none());
}

#[test]
fn every_decomposition_has_a_computation() {
    let spec = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(vec![323_u32.into()]),
        estimator_knows: TestedNumberVisibility::Size,
        method: PrimalityMethod::Intervals {
            width: 4,
            primes_from: None,
        },
    };
    let problem =
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .expect("well formed");
    let computation = problem.computation(0).expect("small");
    let key = computation.claim(0);
    assert_eq!(problem.text(&key, 0), computation.step_text(0));
}

/// Power checks on numbers that a prover may write instead of the true ones.
#[test]
fn powers_in_machine_words_agree_with_big_integers() {
    let certificate = certificate(u32::MAX);
    let step_of = |text: &str| {
        let mut steps = 0..certificate.steps();
        let found = steps.find(|step| certificate.step_text(*step).starts_with(text));
        found.expect("a check of n itself")
    };
    let power = step_of("g^4294967294 ≡ 1");
    let order = step_of("g^(4294967294/");
    let rule = |step: u64, numbers: &[u32]| {
        let bits = numbers.iter().flat_map(|number| {
            let bits = BitString::low_bits_of_number(u64::from(*number), 32);
            bits.as_slice().to_vec()
        });
        certificate.rule(step, &bits.collect::<Vec<_>>())
    };
    for p in (2..40).chain([4331, 65_537, u32::MAX - 4, u32::MAX]) {
        for g in [0, 1, 2, 3, 1000, u32::MAX] {
            let is_one = |e: u32| BigUint::from(g).modpow(&e.into(), &p.into()).is_one();
            assert_eq!(
                rule(power, &[p, g]),
                RequiredStepOutput::Value(is_one(p - 1)),
                "{g} modulo {p}"
            );
            for q in [0, 1, 2, 3, 5, 65_536, p - 1] {
                let divides = q > 0 && (p - 1).is_multiple_of(q);
                let holds = divides && !is_one((p - 1) / q);
                assert_eq!(
                    rule(order, &[p, g, q]),
                    RequiredStepOutput::Value(holds),
                    "{g}, {q} modulo {p}"
                );
            }
        }
    }
}
