mod pratt;

use std::sync::Arc;

use debate_core::number::{Exact, Number as _};
use debate_core::scenario::{
    BlindReader, ClaimId, Decomposition as _, Instance, NumbersTestedForPrimality, Oracle,
    PrimalityMethod, PrimalityProblem, PrimalitySpec, ScenarioValuePath, TestedNumberVisibility,
};
use num_bigint::BigUint;
use num_traits::One as _;

fn problem(numbers: &[u64], width: u32) -> Arc<PrimalityProblem> {
    Arc::new(
        PrimalityProblem::build(
            PrimalitySpec {
                numbers: NumbersTestedForPrimality::List(
                    numbers.iter().map(|n| (*n).into()).collect(),
                ),
                estimator_knows: TestedNumberVisibility::Size,
                method: PrimalityMethod::Intervals {
                    width,
                    primes_from: None,
                },
            },
            &ScenarioValuePath::path_of_top_level_field("problem"),
        )
        .unwrap(),
    )
}

const TEN: [u64; 10] = [4237, 4247, 4267, 4307, 4309, 4313, 4321, 4331, 4343, 4351];

#[test]
fn the_first_scenario_has_85_claims_in_depth_3() {
    let size = problem(&TEN, 4).size(7);
    assert_eq!((size.depth, size.width), (3, 4));
    assert_eq!((size.claims, size.leaves), (85_u32.into(), 64_u32.into()));
}

#[test]
fn sizes_match_the_tree_itself() {
    for n in (0..400).chain([1009, 4331, 65537]) {
        for width in [2, 3, 5] {
            let problem = problem(&[n], width);
            let instance = Instance::new(problem.clone(), 0, Oracle::Truth);
            let mut open = vec![(instance.root(), 0)];
            let (mut claims, mut leaves, mut depth, mut widest) = (0_u32, 0_u32, 0, 0);
            while let Some((claim, level)) = open.pop() {
                claims += 1;
                depth = depth.max(level);
                leaves += u32::from(instance.is_leaf(claim));
                for support in instance.supports(claim) {
                    widest = widest.max(support.on.len());
                    open.extend(support.on.iter().map(|child| (*child, level + 1)));
                    let truths = support
                        .on
                        .iter()
                        .map(|child| instance.truth(*child).unwrap());
                    assert_eq!(
                        instance.truth(claim),
                        Some(truths.into_iter().all(|t| t)),
                        "{n}"
                    );
                }
            }
            let size = problem.size(0);
            assert_eq!(
                (size.claims, size.leaves),
                (claims.into(), leaves.into()),
                "{n} {width}"
            );
            assert_eq!(
                (size.depth, size.width as usize),
                (depth, widest),
                "{n} {width}"
            );
        }
    }
}

#[test]
fn a_blind_reader_knows_composite_but_not_where() {
    let instance = Instance::new(problem(&TEN, 4), 7, Oracle::Truth);
    let blind = BlindReader::new(&instance);
    let parts = &instance.supports(instance.root())[0].on;
    assert_eq!(blind.marginal::<Exact>(instance.root()), Exact::ratio(0, 1));
    assert_eq!(blind.marginal::<Exact>(parts[0]), Exact::ratio(9, 10));
    let given = [(parts[0], true)];
    assert_eq!(
        blind.posterior::<Exact>(parts[1], given.into_iter()),
        Exact::ratio(1, 3)
    );
}

#[test]
fn for_one_number_the_factor_is_uniform_over_the_primes() {
    // 8051 = 83 · 97; candidates 2..89, 24 primes among them.
    let instance = Instance::new(problem(&[8051], 4), 0, Oracle::Truth);
    let blind = BlindReader::new(&instance);
    let parts = &instance.supports(instance.root())[0].on;
    assert_eq!(instance.short_text(parts[0]), "none of 2–23");
    // 2, 3, 5, 7, 11, 13, 17, 19 and 23.
    assert_eq!(blind.marginal::<Exact>(parts[0]), Exact::ratio(24 - 9, 24));
    // 47, 53, 59, 61 and 67 are left of the 11 primes above 45 after the first two parts.
    let given = [(parts[0], true), (parts[1], true)];
    let chance: Exact = blind.posterior(parts[2], given.into_iter());
    let (third, fourth) = (instance.short_text(parts[2]), instance.short_text(parts[3]));
    assert_eq!(
        (third.as_str(), fourth.as_str()),
        ("none of 46–67", "none of 68–89")
    );
    assert_eq!(chance, Exact::ratio(5, 10));
    let known = [(parts[0], true), (parts[1], false)];
    assert_eq!(
        blind.posterior::<Exact>(parts[2], known.into_iter()),
        Exact::ratio(1, 1)
    );
}

#[test]
fn numbers_of_any_length_open_at_once() {
    let n = (BigUint::one() << 2048_u32) + 1_u32;
    let problem = Arc::new(
        PrimalityProblem::build(
            PrimalitySpec {
                numbers: NumbersTestedForPrimality::List(vec![n]),
                estimator_knows: TestedNumberVisibility::Size,
                method: PrimalityMethod::Intervals {
                    width: 16,
                    primes_from: None,
                },
            },
            &ScenarioValuePath::path_of_top_level_field("problem"),
        )
        .unwrap(),
    );
    let instance = Instance::new(problem, 0, Oracle::Truth);
    assert_eq!(instance.truth(instance.root()), Some(false));
    assert_eq!(instance.size().depth, 256);
    let first = instance.supports(instance.root())[0].on[0];
    assert_eq!(
        instance.truth(first),
        None,
        "where a factor lies is not known"
    );
}

#[test]
fn liar_witnesses_pass() {
    let bases = vec![2, 3, 5, 7, 11];
    let spec = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(vec![2047_u32.into(), 10_007_u32.into()]),
        estimator_knows: TestedNumberVisibility::Size,
        method: PrimalityMethod::Witnesses {
            bases: bases.clone(),
        },
    };
    let problem =
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap();
    let passing = |world: usize| {
        let tests = &problem.supports(&problem.root(world), world)[0].on;
        let passed = tests
            .iter()
            .map(|test| problem.truth(test, world) == Some(true));
        let passed = bases.iter().zip(passed).filter(|(_, passed)| *passed);
        passed.map(|(base, _)| *base).collect::<Vec<u64>>()
    };
    assert_eq!(passing(0), [2, 11]);
    assert_eq!(problem.truth(&problem.root(0), 0), Some(false));
    assert_eq!(passing(1), bases);
    assert_eq!(problem.truth(&problem.root(1), 1), Some(true));
}

/// A base that the number divides proves nothing: the number passes, and the evidence says why. The witnesses have no
/// positions of a flaw, not even for a prime.
#[test]
fn a_base_that_the_number_divides_tests_nothing() {
    let spec = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(vec![3_u32.into(), 15_u32.into()]),
        estimator_knows: TestedNumberVisibility::Size,
        method: PrimalityMethod::Witnesses { bases: vec![3, 15] },
    };
    let problem =
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap();
    for (world, index) in [(0, 0), (0, 1), (1, 1)] {
        let root = problem.root(world);
        let test = problem.supports(&root, world)[0].on[index].clone();
        assert_eq!(problem.truth(&test, world), Some(true));
        let evidence = problem.evidence(&test, world).unwrap();
        assert!(evidence.contains("tests nothing"), "{evidence}");
    }
    for world in [0, 1] {
        assert_eq!(problem.flaw_position_count(world), None);
    }
}

#[test]
fn semiprimes_are_reproducible_and_have_a_known_factor() {
    let build = || {
        let spec = PrimalitySpec {
            numbers: NumbersTestedForPrimality::Semiprimes {
                bits: 128,
                count: 3,
            },
            estimator_knows: TestedNumberVisibility::Size,
            method: PrimalityMethod::Intervals {
                width: 2,
                primes_from: None,
            },
        };
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap()
    };
    // The division by the smaller factor, found by descending into the false subclaim.
    let division = |problem: &PrimalityProblem, world: usize| {
        let mut key = problem.root(world);
        assert_eq!(problem.truth(&key, world), Some(false));
        while let [support] = &problem.supports(&key, world)[..] {
            let mut wrong = support
                .on
                .iter()
                .filter(|part| problem.truth(part, world) == Some(false));
            key = wrong.next().expect("a part with the factor").clone();
            assert_eq!(wrong.next(), None, "one factor is at most the root");
        }
        problem.evidence(&key, world).expect("a division")
    };
    let (first, second) = (build(), build());
    assert_eq!(first.worlds().len(), 3);
    for world in 0..3 {
        let text = division(&first, world);
        assert_eq!(text, division(&second, world));
        let (n, rest) = text.split_once(" = ").unwrap();
        assert_eq!(n.parse::<BigUint>().unwrap().bits(), 128);
        assert!(!rest.contains('+'), "{text}");
    }
}

#[test]
fn invalid_primality_problems_are_refused() {
    let build = |numbers, method| {
        let spec = PrimalitySpec {
            numbers,
            estimator_knows: TestedNumberVisibility::Size,
            method,
        };
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap_err()
            .to_string()
    };
    let halves = || PrimalityMethod::Intervals {
        width: 2,
        primes_from: None,
    };
    let list = |n: &[u32]| NumbersTestedForPrimality::List(n.iter().map(|n| (*n).into()).collect());
    assert_eq!(
        build(list(&[]), halves()),
        "problem: the list of numbers is empty; give at least one number"
    );
    assert_eq!(
        build(list(&[7, 7]), halves()),
        "problem: the number 7 is listed twice; remove one"
    );
    let narrow = build(
        list(&[7]),
        PrimalityMethod::Intervals {
            width: 1,
            primes_from: None,
        },
    );
    assert_eq!(
        narrow,
        "decomposition: the method Intervals needs a width of at least 2"
    );
    let wide = NumbersTestedForPrimality::Between(1_u32.into(), 10_000_000_u32.into());
    assert!(build(wide, halves()).contains("too many"));
}

fn numbers(each: &[u32]) -> NumbersTestedForPrimality {
    NumbersTestedForPrimality::List(each.iter().map(|n| (*n).into()).collect())
}

/// With prime candidates only, the claims are about primes, and a composite divisor of a number is no divisor of a
/// group.
#[test]
fn prime_candidates_are_split_evenly_and_only_primes_count() {
    let method = PrimalityMethod::Intervals {
        width: 4,
        primes_from: Some(7),
    };
    let spec = PrimalitySpec {
        // 109,931 = 211 × 521; 110,957 = 7 × 11² × 131, whose divisors 77 and 131 are in different groups.
        numbers: numbers(&[109_931, 110_957]),
        estimator_knows: TestedNumberVisibility::Size,
        method,
    };
    let problem = Arc::new(
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap(),
    );
    let instance = |world| Instance::new(problem.clone(), world, Oracle::Truth);
    let groups = |instance: &Instance| {
        let [support] = instance.supports(instance.root()) else {
            panic!("one support");
        };
        let text = |claim: &ClaimId| (instance.text(*claim), instance.truth(*claim));
        support.on.iter().map(text).collect::<Vec<_>>()
    };
    let first = instance(0);
    assert_eq!(first.size().depth, 3);
    assert_eq!(
        groups(&first),
        [
            (
                "no prime from 7 to 67 divides 109,931".to_owned(),
                Some(true)
            ),
            (
                "no prime from 71 to 149 divides 109,931".to_owned(),
                Some(true)
            ),
            (
                "no prime from 151 to 233 divides 109,931".to_owned(),
                Some(false)
            ),
            (
                "no prime from 239 to 331 divides 109,931".to_owned(),
                Some(true)
            ),
        ]
    );
    let second = groups(&instance(1));
    let truths: Vec<_> = second.iter().map(|(_, truth)| *truth).collect();
    // 77 lies between 71 and 149, but only 131 makes that claim false.
    assert_eq!(truths, [Some(false), Some(false), Some(true), Some(true)]);
}

#[test]
fn numbers_with_a_divisor_below_the_prime_candidates_are_refused() {
    let refused = |numbers: NumbersTestedForPrimality, primes_from| {
        let spec = PrimalitySpec {
            numbers,
            estimator_knows: TestedNumberVisibility::Size,
            method: PrimalityMethod::Intervals {
                width: 4,
                primes_from: Some(primes_from),
            },
        };
        let built =
            PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"));
        built.err().map(|error| error.what)
    };
    assert!(refused(numbers(&[109_931]), 7).is_none());
    assert!(refused(numbers(&[109_931, 7]), 7).is_none());
    let even = refused(numbers(&[109_932]), 7).unwrap();
    assert!(
        even.contains("109,932 is divisible by 2, below primes_from: 7"),
        "{even}"
    );
    let tiny = refused(numbers(&[109_931]), 1).unwrap();
    assert!(tiny.contains("primes_from must be at least 2"), "{tiny}");
}
