use debate_core::chance;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::protocol::stochastic::constants::{
    MachineCheckedConstants, RequiredSamplesAndTests, SampleMeanTest, expected_query_bound,
};
use num_traits::One as _;

fn terms(text: &str, steps: u64) -> RequiredSamplesAndTests<Exact> {
    let parsed = debate_core::protocol::Protocol::parse(text).unwrap();
    let debate_core::protocol::Protocol::Stochastic(parameters) = parsed else {
        panic!("another protocol");
    };
    RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(&parameters, steps).unwrap()
}

/// Values that were computed independently.
#[test]
fn numbers_of_samples_are_exact() {
    let formal = terms("Stochastic(k: 2)", 4);
    assert_eq!(formal.alice, 133_693);
    assert_eq!(formal.bob.samples, 59_419);
    assert_eq!(formal.verifier.samples, 423_866);
    assert_eq!(formal.bob.limit, parse("7/400").unwrap());
    assert_eq!(formal.verifier.limit, parse("3/400").unwrap());
    let half = terms("Stochastic(k: \"1/2\")", 10);
    assert_eq!(half.alice, 9_502);
    assert_eq!(half.bob.samples, 4_223);
    assert_eq!(half.verifier.samples, 26_492);
    let paper = terms("Stochastic(k: \"1/150\", constants: Paper)", 33);
    assert_eq!((paper.alice, paper.bob.samples), (1556, 1556));
    assert_eq!(paper.verifier.samples, 885);
    assert_eq!(paper.bob.limit, parse("1/2").unwrap());
    assert_eq!(paper.verifier.limit, parse("1/4").unwrap());
    let custom = terms(
        "Stochastic(k: 1, constants: Custom(c: \"1/4\", s: \"3/4\", b: \"5/4\", q: 0.5, v: 0.5))",
        1,
    );
    assert_eq!((custom.alice, custom.max_samples_per_step()), (12, 12));
    assert_eq!(custom.bob.limit, Exact::one());
}

#[test]
fn drawn_samples_are_within_the_expected_queries() {
    for (k, steps) in [("1/2", 1), ("2", 4), ("7", 1000)] {
        let k = parse(k).unwrap();
        let terms = MachineCheckedConstants::constants_for_lipschitz_constant(&k, steps)
            .sample_counts_and_tests_unless_too_many()
            .unwrap();
        let expected_queries = expected_query_bound(&k, steps);
        let whole = |count: u64| Exact::from_integer(count.into()).to_float();
        let drawn = |each: u64| whole(each) * whole(steps);
        assert!(drawn(terms.alice) <= expected_queries.alice);
        assert!(drawn(terms.bob.samples) <= expected_queries.bob);
        assert!(whole(terms.verifier.samples) <= expected_queries.verifier);
    }
}

#[test]
fn a_test_passes_strictly_within_its_limit() {
    let test = SampleMeanTest {
        samples: 12,
        limit: Exact::ratio(1, 4),
    };
    let half = Exact::ratio(1, 2);
    // 3/12 and 9/12 differ by a quarter, which is too much.
    assert_eq!(test.passing_counts(&half), 4..9);
    assert!(
        test.stated_probability_passes(&half, 4)
            && !test.stated_probability_passes(&half, 3)
            && !test.stated_probability_passes(&half, 9)
    );
    assert_eq!(
        test.failure_probability(&half, &Exact::ratio(0, 1)),
        Exact::one()
    );
    let law = chance::binomial_distribution(12, &half);
    let within: Exact = law[4..9].iter().sum();
    assert_eq!(
        test.failure_probability(&half, &half),
        Exact::one() - within
    );
    // The same in floating point, with many samples.
    let many = SampleMeanTest {
        samples: 1200,
        limit: 0.05,
    };
    assert_eq!(many.passing_counts(&0.5), 541..660);
    assert!((many.failure_probability(&0.5, &0.5) - 0.000_597).abs() < 1e-4);
}
