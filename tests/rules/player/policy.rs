use debate_core::number::{Exact, Number as _};
use debate_core::player::ReplyDistribution;
use debate_core::protocol::Reply;

#[test]
fn even_choices_split_the_range_of_draws_evenly() {
    let thirds = || ReplyDistribution::<Exact>::Even {
        count: 3,
        nth: Reply::Select,
    };
    assert_eq!(thirds().reply_for_draw(|| 0), Reply::Select(0));
    assert_eq!(thirds().reply_for_draw(|| 1 << 52), Reply::Select(1));
    assert_eq!(thirds().reply_for_draw(|| (1 << 53) - 1), Reply::Select(2));
    let third = Exact::ratio(1, 3);
    let mut each = thirds().weighted_replies().unwrap().into_iter();
    assert!(each.all(|(weight, _)| weight == third));
}

#[test]
fn means_are_drawn_as_often_as_they_are_likely() {
    let two = || ReplyDistribution::Mean {
        samples: 2,
        p: Exact::ratio(1, 3),
    };
    let each = two().weighted_replies().unwrap();
    assert_eq!(
        each[1],
        (Exact::ratio(4, 9), Reply::Probability(Exact::ratio(1, 2)))
    );
    assert_eq!(
        two().reply_for_draw(|| 0),
        Reply::Probability(Exact::ratio(0, 1))
    );
    assert_eq!(
        two().reply_for_draw(|| (1 << 53) - 1),
        Reply::Probability(Exact::ratio(1, 1))
    );
    // Many samples: the same distribution, with sum one.
    let many = ReplyDistribution::Mean {
        samples: 1_000_000,
        p: 0.25,
    };
    let (sum, first) = many.weighted_replies().unwrap().into_iter().fold(
        (0.0, 0.0),
        |(sum, first), (chance, reply)| {
            let Reply::Probability(p) = reply else {
                panic!("no mean");
            };
            (sum + chance, first + chance * p)
        },
    );
    assert!((sum - 1.0_f64).abs() < 1e-12 && (first - 0.25_f64).abs() < 1e-12);
}

#[test]
fn too_many_replies_are_not_listed() {
    let many = [
        ReplyDistribution::<f64>::Share { parts: 1 << 30 },
        ReplyDistribution::Even {
            count: u32::MAX,
            nth: Reply::Select,
        },
        ReplyDistribution::uniform_computed(u64::MAX, |_| Reply::Select(0)),
        ReplyDistribution::Mean {
            samples: u64::MAX,
            p: 0.5,
        },
    ];
    for choice in many {
        let mut listed = true;
        let taken = allocation_counter::measure(|| listed = choice.weighted_replies().is_some());
        assert!(!listed && taken.bytes_total < 1 << 10, "{taken:?}");
    }
    let few = ReplyDistribution::<f64>::Share { parts: 4 };
    assert_eq!(few.weighted_replies().unwrap().len(), 4);
}

#[test]
fn a_sure_choice_takes_no_draw() {
    let sure = ReplyDistribution::<f64>::Certain(Reply::Select(4));
    assert_eq!(
        sure.reply_for_draw(|| unreachable!("there is nothing to draw")),
        Reply::Select(4)
    );
}
