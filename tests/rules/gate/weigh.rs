use debate_core::gate::{EXACT_BITS, Gate};
use debate_core::number::{Exact, Number};
use num_bigint::BigInt;
use num_traits::One as _;

fn near(found: &Exact, wanted: &Exact, bits: u32) {
    let off = if found > wanted {
        found - wanted
    } else {
        wanted - found
    };
    assert!(
        off <= Exact::new(BigInt::one(), BigInt::one() << bits),
        "{off}"
    );
}

#[test]
fn estimates_are_exact_up_to_512_bits_and_rounded_to_128_beyond() {
    let half = Exact::ratio(1, 2);
    let gates = [
        Gate::All,
        Gate::Any,
        Gate::Majority,
        Gate::Xor,
        Gate::AtLeast(9),
    ];
    for gate in &gates {
        // A denominator of 2 has two bits.
        let few = vec![half.clone(); 256];
        assert_eq!(
            gate.truth_probability_if_independent(&few),
            gate.probability(&few),
            "{gate:?}"
        );
        let many = vec![Exact::ratio(2, 5); 300];
        let found = gate.truth_probability_if_independent(&many);
        assert!(found.denom().bits() <= 129, "{gate:?}");
        near(&found, &gate.probability(&many), 118);
    }
    // Certain subclaims contribute no uncertainty.
    let sure = [vec![Exact::one(); 2000], vec![half.clone(); 2]].concat();
    assert_eq!(
        Gate::All.truth_probability_if_independent(&sure),
        Exact::ratio(1, 4)
    );
    let rows: Vec<bool> = (0..4096_u32).map(|row| row.count_ones() % 3 == 1).collect();
    let long = Exact::new(BigInt::one(), (BigInt::one() << 100_u32) + 1);
    let table = Gate::Table(rows.into());
    let each: Vec<Exact> = (0..12).map(|_| &half + &long).collect();
    near(
        &table.truth_probability_if_independent(&each),
        &table.probability(&each),
        118,
    );
    let each: Vec<Exact> = (0..15).map(|_| &half + &long).collect();
    let stable = Gate::All.with_majority_at_each_input(5);
    near(
        &stable.truth_probability_if_independent(&each),
        &stable.probability(&each),
        118,
    );
}

/// A majority of the default maximum width, each subclaim with probability one half.
#[test]
fn the_widest_majority_is_counted() {
    let each = vec![Exact::ratio(1, 2); 1024];
    // A tie is false, and has probability about 1/40.
    let found = Gate::Majority.truth_probability_if_independent(&each);
    assert!(found.denom().bits() <= 129);
    near(&found, &Exact::ratio(48754, 100_000), 16);
}

/// Levels of `All` and `Any` over the same two claims: each would double the number of digits.
#[test]
fn estimates_do_not_grow_with_the_depth() {
    let mut level = [Exact::ratio(1, 2), Exact::ratio(1, 3)];
    let mut exact = level.clone();
    for depth in 0..2000 {
        level = [
            Gate::All.truth_probability_if_independent(&level),
            Gate::Any.truth_probability_if_independent(&level),
        ];
        assert!(level.iter().all(|p| p.denom().bits() <= EXACT_BITS));
        assert!(level.iter().all(Exact::is_probability));
        if depth < 9 {
            exact = [Gate::All.probability(&exact), Gate::Any.probability(&exact)];
            near(&level[0], &exact[0], 120);
            near(&level[1], &exact[1], 120);
        }
    }
}

/// Probabilities with denominators of 301 bits: a product of two is rounded to multiples of 2⁻¹²⁸.
#[test]
fn products_are_rounded_to_the_nearest_multiple() {
    let nearly = |p: Exact| {
        let little = Exact::new(BigInt::one(), BigInt::one() << 300_u32);
        if p > Exact::ratio(1, 2) {
            p - little
        } else {
            p + little
        }
    };
    let product = |one: &Exact, other: &Exact| {
        let both = [nearly(one.clone()), nearly(other.clone())];
        assert!(both.iter().map(|p| p.denom().bits()).sum::<u64>() > EXACT_BITS);
        Gate::All.truth_probability_if_independent(&both)
    };
    let multiple = |count: BigInt| Exact::new(count, BigInt::one() << 128_u32);
    let [none, third, half, all] =
        [(0, 1), (1, 3), (1, 2), (1, 1)].map(|(n, d)| Exact::ratio(n, d));
    assert_eq!(product(&all, &all), all);
    assert_eq!(product(&none, &all), none);
    assert_eq!(
        product(&all, &third),
        multiple((BigInt::one() << 128_u32) / 3)
    );
    assert_eq!(product(&half, &half), Exact::ratio(1, 4));
    near(&product(&third, &third), &Exact::ratio(1, 9), 127);
    let below = |steps: u32| multiple((BigInt::one() << 128_u32) - steps);
    assert_eq!(product(&below(2), &below(2)), below(4));
}
