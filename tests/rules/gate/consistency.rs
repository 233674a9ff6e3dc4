use debate_core::gate::{EstimateConsistency, Gate, ProbabilityToShareEvenly, is_visible_gap};
use debate_core::number::{Exact, Number as _};
use proptest::prelude::*;

fn n(numerator: i64, denominator: i64) -> Exact {
    Exact::ratio(numerator, denominator)
}

/// The even shares if every coin comes up yes.
fn shares(gate: &Gate, inputs: usize, p: Exact) -> Vec<Exact> {
    let mut fit = EstimateConsistency::new(gate, inputs, p);
    let each = (0..inputs).map(|_| {
        let share = fit.estimate_sharing_doubt_evenly();
        assert_eq!(
            fit.record_estimate_and_return_unweighted_gap(&share),
            n(0, 1)
        );
        fit.update_consistency_with_coin(&share, true);
        share
    });
    each.collect()
}

#[test]
fn the_even_share_has_the_values_of_the_lessons() {
    let refuted = [n(3, 4), n(2, 3), n(1, 2), n(0, 1)];
    assert_eq!(shares(&Gate::All, 4, n(0, 1)), refuted);
    assert_eq!(shares(&Gate::Not, 1, n(1, 3)), [n(2, 3)]);
    // Once a subclaim is false, the refuted claim has its flaw, so the other subclaims are believed.
    let mut fit = EstimateConsistency::new(&Gate::All, 4, n(0, 1));
    fit.record_estimate_and_return_unweighted_gap(&n(3, 4));
    fit.update_consistency_with_coin(&n(3, 4), false);
    assert_eq!(fit.estimate_sharing_doubt_evenly(), n(1, 1));
    let any = EstimateConsistency::new(&Gate::Any, 4, n(1, 2));
    assert_eq!(any.estimate_sharing_doubt_evenly(), n(1, 8));
}

#[test]
fn the_gap_of_inconsistent_estimates_is_exact() {
    // The estimate is 90 %; four subclaims of 90 % each give at most 66 %.
    let mut fit = EstimateConsistency::new(&Gate::All, 4, n(9, 10));
    let mut misses = n(0, 1);
    for _ in 0..4 {
        misses += fit.record_estimate_and_return_unweighted_gap(&n(9, 10));
        fit.update_consistency_with_coin(&n(9, 10), true);
    }
    assert!(misses < n(0, 1));
    assert!(fit.is_gate_decided());
    // The estimate is 0 and four subclaims get 75 %: the last one leaves three quarters too much.
    let mut fit = EstimateConsistency::new(&Gate::All, 4, n(0, 1));
    let misses: Vec<Exact> = (0..4)
        .map(|_| {
            let gap = fit.record_estimate_and_return_unweighted_gap(&n(3, 4));
            fit.update_consistency_with_coin(&n(3, 4), true);
            gap
        })
        .collect();
    assert_eq!(misses, [n(0, 1), n(0, 1), n(0, 1), n(3, 4)]);
}

fn gates() -> impl Strategy<Value = (Gate, usize)> {
    (1_usize..=4).prop_flat_map(|inputs| {
        let tables = proptest::collection::vec(any::<bool>(), 1 << inputs)
            .prop_map(|rows| Gate::Table(rows.into()));
        let most = u32::try_from(inputs).expect("few");
        let gate = prop_oneof![
            Just(Gate::All),
            Just(Gate::Any),
            Just(Gate::Majority),
            Just(Gate::Xor),
            (1..=most).prop_map(Gate::AtLeast),
            tables,
        ];
        gate.prop_map(move |gate| (gate, inputs))
            .prop_filter("a gate that decides", |(gate, inputs)| {
                gate.check_input_count(*inputs).is_ok()
            })
    })
}

proptest! {
    /// Estimates from one joint distribution over the subclaims are consistent on every path.
    #[test]
    fn no_coherent_distribution_is_accused(
        (gate, inputs) in gates(),
        weights in proptest::collection::vec(0_i64..5, 16),
        path in 0_usize..16,
    ) {
        let rows = 1_usize << inputs;
        let weights = &weights[..rows];
        let bit = |row: usize, place: usize| row >> (inputs - 1 - place) & 1 == 1;
        let sum = |keep: &dyn Fn(usize) -> bool| -> i64 {
            (0..rows).filter(|row| keep(*row)).map(|row| weights[row]).sum()
        };
        let total = sum(&|_| true);
        prop_assume!(total > 0);
        let holds = |row: usize| gate.value_for_outcomes((0..inputs).map(|place| bit(row, place)));
        let mut fit = EstimateConsistency::new(&gate, inputs, n(sum(&holds), total));
        for place in 0..inputs {
            let agrees = |row: usize| (0..place).all(|before| bit(row, before) == bit(path, before));
            let (reached, yes) = (sum(&agrees), sum(&|row| agrees(row) && bit(row, place)));
            if reached == 0 {
                break;
            }
            let estimate = n(yes, reached);
            prop_assert_eq!(fit.record_estimate_and_return_unweighted_gap(&estimate), n(0, 1));
            let range = fit.consistent_estimate_range();
            prop_assert!(*range.start() <= *range.end());
            fit.update_consistency_with_coin(&estimate, bit(path, place));
        }
    }

    /// The even share is consistent on every path, after any estimates. A number is consistent if and only if it is in
    /// the range.
    #[test]
    fn the_even_share_fits(
        (gate, inputs) in gates(),
        said in 0_i64..=20,
        each in proptest::collection::vec((0_i64..=20, any::<bool>(), any::<bool>()), 4),
    ) {
        let mut fit = EstimateConsistency::new(&gate, inputs, n(said, 20));
        for (other, is_even, coin) in each.into_iter().take(inputs) {
            let even = fit.estimate_sharing_doubt_evenly();
            prop_assert!(even.is_probability());
            prop_assert_eq!(fit.signed_unweighted_subclaim_estimate_gap(&even), n(0, 1));
            // The number equals the share that is shown, as long as the coins have not decided.
            let left = n(fit.untossed_subclaim_count().into(), 1);
            match fit.evenly_shared_quantity().filter(|_| !fit.is_gate_decided()) {
                Some(ProbabilityToShareEvenly::Doubt(doubt)) => prop_assert_eq!(&even, &(n(1, 1) - doubt / left)),
                Some(ProbabilityToShareEvenly::Chance(chance)) => prop_assert_eq!(&even, &(chance / left)),
                Some(ProbabilityToShareEvenly::Alike) | None => {}
            }
            let other = n(other, 20);
            prop_assert_eq!(fit.consistent_estimate_range().contains(&other), fit.signed_unweighted_subclaim_estimate_gap(&other) == n(0, 1));
            let estimate = if is_even { even } else { other };
            fit.record_estimate_and_return_unweighted_gap(&estimate);
            let coin = coin && estimate > n(0, 1) || estimate == n(1, 1);
            fit.update_consistency_with_coin(&estimate, coin);
            let (low, high) = fit.claim_range_given_coins();
            prop_assert!(low <= high);
        }
    }

    /// Under `All` and `Any`, the gaps of a claim add up to the distance from its estimate to the nearest probability
    /// that the estimates so far allow.
    #[test]
    fn the_gaps_of_a_claim_add_up_to_its_distance(
        is_all in any::<bool>(),
        said in 0_i64..=20,
        estimates in proptest::collection::vec(0_i64..=20, 1..=4),
    ) {
        let gate = if is_all { Gate::All } else { Gate::Any };
        let claim = n(said, 20);
        let mut fit = EstimateConsistency::new(&gate, estimates.len(), claim.clone());
        let mut gaps = n(0, 1);
        for estimate in estimates {
            let estimate = n(estimate, 20);
            let (least, most) = fit.claim_range_after_estimate(&estimate);
            let nearest = claim.clone().clamp(least, most);
            gaps += fit.signed_gap_times_coin_probability(&estimate);
            prop_assert_eq!(&gaps, &(nearest - &claim));
            fit.record_estimate_and_return_unweighted_gap(&estimate);
            // The other outcome of the coin decides the gate.
            fit.update_consistency_with_coin(&estimate, is_all);
        }
    }
}

#[test]
fn a_gap_is_visible_from_half_a_percentage_point_on() {
    for (thousandths, visible) in [(0, false), (4, false), (5, true), (-4, false), (-5, true)] {
        assert_eq!(is_visible_gap(&n(thousandths, 1000)), visible);
    }
}
