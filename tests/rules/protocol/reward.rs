use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Bet, RewardBeforePayment, Round};

fn open(p: Option<(i64, i64)>, bet: Option<Bet>, outcome: Option<bool>) -> [Exact; 2] {
    let open = RewardBeforePayment {
        round: Round::Number(1),
        weight: Exact::ratio(1, 10),
        p: p.map(|(over, under)| Exact::ratio(over, under)),
        bet,
        outcome,
    };
    open.least_and_greatest_round_reward()
}

#[test]
fn the_open_range_of_a_round_follows_from_its_known_replies() {
    let range = |least, most| [Exact::ratio(least, 100), Exact::ratio(most, 100)];
    assert_eq!(open(None, None, None), range(-10, 10));
    // With a sealed bet both signs are possible: the amount is known, the direction is not.
    assert_eq!(open(Some((1, 5)), None, None), range(-8, 8));
    assert_eq!(open(Some((1, 5)), Some(Bet::TooLow), None), range(-2, 8));
    assert_eq!(open(Some((1, 5)), Some(Bet::TooHigh), None), range(-8, 2));
    assert_eq!(open(Some((1, 5)), Some(Bet::AboutRight), None), range(0, 0));
    assert_eq!(open(Some((1, 5)), None, Some(false)), range(-2, 2));
    assert_eq!(
        open(Some((1, 5)), Some(Bet::TooLow), Some(true)),
        range(8, 8)
    );
    let first = RewardBeforePayment {
        round: Round::Initial,
        weight: Exact::ratio(1, 100),
        p: None,
        bet: None,
        outcome: None,
    };
    assert_eq!(first.least_and_greatest_round_reward(), range(0, 1));
}
