use debate_core::number::{Exact, Number as _};
use debate_theory::amplification::{MajorityWinProbability, debates_needed, repetition_reports};

/// The greatest probability of winning more than half of `debates`, if a player chooses one of these chances before
/// each debate, in view of all earlier results.
fn adaptive(debates: u32, chances: &[Exact]) -> Exact {
    // Indexed by the number of debates won so far, from the last debate backwards.
    let mut values: Vec<Exact> = (0..=debates)
        .map(|wins| Exact::indicator(2 * wins > debates))
        .collect();
    for played in (0..debates).rev() {
        values = (0..=played as usize)
            .map(|wins| {
                let of =
                    |p: &Exact| p * &values[wins + 1] + (Exact::ratio(1, 1) - p) * &values[wins];
                chances.iter().map(of).max().unwrap()
            })
            .collect();
    }
    values.swap_remove(0)
}

#[test]
fn adapting_to_earlier_debates_gains_nothing() {
    let chances = [Exact::ratio(1, 10), Exact::ratio(2, 5), Exact::ratio(1, 3)];
    for debates in [1, 3, 5, 11] {
        let majority =
            MajorityWinProbability::majority_win_probability_of_debates(debates, &chances[1]);
        assert_eq!(majority.wins, adaptive(debates, &chances), "{debates}");
        let float = MajorityWinProbability::majority_win_probability_of_debates(debates, &0.4);
        assert!((float.wins - majority.wins.to_float()).abs() < 1e-14);
    }
}

#[test]
fn the_number_of_debates_is_the_least() {
    for (p, error) in [(3, 3), (3, 10), (4, 100), (3, 100)] {
        let p = Exact::ratio(p, 5);
        let error = Exact::ratio(1, error);
        let needed = debates_needed(&p, &error).unwrap();
        let errs = |debates: u32| {
            Exact::ratio(1, 1)
                - MajorityWinProbability::majority_win_probability_of_debates(debates, &p).wins
        };
        assert!(errs(needed) <= error);
        assert!(needed == 1 || errs(needed - 2) > error);
    }
    assert_eq!(
        debates_needed(&Exact::ratio(1, 2), &Exact::ratio(1, 3)),
        None
    );
    let each = repetition_reports(&Exact::ratio(3, 5));
    assert!(
        each.is_sorted_by_key(|one| one.debates) && each.len() == 5,
        "{each:?}"
    );
}
