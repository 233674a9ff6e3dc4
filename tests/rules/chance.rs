use debate_core::chance::{
    BulkDebateCoins, MAX_SEED, RandomStream, RandomStreamPurpose, Seed, binomial_distribution,
    binomial_outside_probability, binomial_sample, pick,
};
use debate_core::number::{COIN_BITS, Exact, Number};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

#[test]
fn bulk_and_single_coins_agree() {
    let seed = Seed::new("7").unwrap();
    let coins = 9;
    let mut bulk = BulkDebateCoins::new(&seed, 3, coins);
    let mut buffer = vec![0; 2 * bulk.buffer_entries_per_debate()];
    bulk.fill_with_one_coin_per_entry(&mut buffer);
    for debate in 0..2 {
        let mut draws = RandomStream::for_coins_of_debate(&seed, 3 + debate, coins);
        for ordinal in (0..coins).rev() {
            let place = usize::try_from(debate).unwrap() * bulk.buffer_entries_per_debate()
                + usize::try_from(ordinal).unwrap();
            assert_eq!(draws.random_53_bit_number_at(ordinal), buffer[place]);
        }
    }
}

#[test]
fn streams_are_apart() {
    let seed = Seed::new("7").unwrap();
    let mut firsts: Vec<u64> = [
        RandomStreamPurpose::Prover,
        RandomStreamPurpose::Opponent,
        RandomStreamPurpose::Judge,
        RandomStreamPurpose::Instance,
    ]
    .map(|stream| RandomStream::for_player_in_debate(&seed, stream, 0).random_53_bit_number_at(0))
    .into();
    firsts.push(RandomStream::for_coins_of_debate(&seed, 0, 1).random_53_bit_number_at(0));
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 5);
}

/// The published rule, computed by hand: anyone with ChaCha8 can check a coin.
#[test]
fn a_coin_follows_from_the_seed_alone() {
    let mut generator = ChaCha8Rng::from_seed(Sha256::digest(b"seed").into());
    generator.set_word_pos(5 * 32 + 2 * 4);
    let coin = generator.next_u64() >> 11;
    assert_eq!(
        RandomStream::for_coins_of_debate(&Seed::new("seed").unwrap(), 5, 9)
            .random_53_bit_number_at(4),
        coin
    );
}

#[test]
fn picking_follows_the_running_sum() {
    let thirds = || (0..3).map(|_| Exact::ratio(1, 3));
    assert_eq!(pick(0, thirds()), Some(0));
    assert_eq!(pick(1 << 52, thirds()), Some(1));
    assert_eq!(pick((1 << 53) - 1, thirds()), Some(2));
    assert_eq!(pick(0, [Exact::ratio(0, 1), Exact::ratio(1, 1)]), Some(1));
}

#[test]
fn seeds_with_control_characters_are_refused() {
    assert!(Seed::new("").is_none() && Seed::new("a\u{1b}[2J").is_none());
    assert!(Seed::new("x".repeat(MAX_SEED + 1)).is_none());
    assert!(Seed::new("über 7").is_some());
}

#[test]
fn binomial_outcomes_split_the_integers_by_their_probabilities() {
    let all = 1_u64 << COIN_BITS;
    // P[no 1 among 2] = 1/4, P[at most one] = 3/4.
    for (integer, outcome) in [
        (0, 0),
        (all / 4 - 10, 0),
        (all / 4 + 10, 1),
        (all / 4 * 3 - 10, 1),
        (all / 4 * 3 + 10, 2),
        (all - 1, 2),
    ] {
        assert_eq!(binomial_sample(integer, 2, 0.5), outcome, "{integer}");
    }
    assert_eq!(binomial_sample(0, 9, 1.0), 9);
    assert_eq!(binomial_sample(all - 1, 9, 0.0), 0);
    let middle = binomial_sample(all / 2, 423_866, 0.25);
    assert!(middle.abs_diff(105_966) < 3, "{middle}");
}

/// A hundred million samples: the quantiles agree with the normal law.
#[test]
fn many_samples_stay_exact() {
    let (count, all) = (106_000_000_u64, 1_u64 << COIN_BITS);
    let deviation = 4458.0;
    for (z, share) in [
        (-1.0, 0.158_655_25),
        (-0.1, 0.460_172_16),
        (0.1, 0.539_827_84),
    ] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "below 2⁵³"
        )]
        #[expect(clippy::cast_precision_loss, reason = "for a comparison")]
        let ones = binomial_sample((share * all as f64) as u64, count, 0.25) as f64;
        assert!(
            (ones - 26_500_000.0 - z * deviation).abs() < 3.0,
            "{z}: {ones}"
        );
    }
}

#[test]
fn exact_and_rounded_binomial_laws_agree() {
    let third = Exact::ratio(1, 3);
    let law = binomial_distribution(5, &third);
    assert_eq!(law[2], Exact::ratio(80, 243));
    assert_eq!(law.iter().sum::<Exact>(), Exact::ratio(1, 1));
    assert_eq!(
        binomial_distribution(2, &Exact::ratio(1, 1))[2],
        Exact::ratio(1, 1)
    );
    let inside: f64 = law[1..4].iter().map(Number::to_float).sum();
    assert!((binomial_outside_probability(5, 1.0 / 3.0, &(1..4)) - (1.0 - inside)).abs() < 1e-15);
    let wide = binomial_distribution(3000, &0.001);
    assert!((wide.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!((binomial_outside_probability(3000, 0.001, &(1..3001)) - wide[0]).abs() < 1e-15);
}
