mod constants;

use debate_core::number::{Exact, Number as _};
use debate_core::protocol::stochastic::StochasticDebate;
use debate_core::protocol::{
    ChanceDraw, Log, PendingTurn, Protocol, ProtocolError, Reply, Request, Round, Rules, Seat, View,
};
use debate_core::scenario::Instance;

use crate::support::random_computations;

const PAPER: &str = "Stochastic(k: \"1/150\", constants: Paper)";
const PANEL: &str = "Stochastic(k: 1, constants: Panel(size: 3, threshold: 0.5))";
const TWO: &[(&str, &str)] = &[("", "1/2"), ("0", "1/4"), ("1", "3/4")];

fn start<'a>(instance: &'a Instance, text: &str) -> StochasticDebate<'a, Exact> {
    match Protocol::parse(text).unwrap() {
        Protocol::Stochastic(parameters) => StochasticDebate::new(instance, &parameters).unwrap(),
        other => panic!("{other}"),
    }
}

fn p(numerator: i64, denominator: i64) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(numerator, denominator))
}

fn play(debate: &mut StochasticDebate<'_, Exact>, log: &mut Log<Exact>, replies: &[Reply<Exact>]) {
    for reply in replies {
        debate.reply(reply.clone(), log).unwrap();
    }
}

/// The view that a seat has of a log.
fn seen(log: &Log<Exact>, seat: Seat) -> Vec<String> {
    let all = log.all_observations(Some(seat));
    all.map(|seen| format!("{seen:?}")).collect()
}

#[test]
fn a_sealed_share_leaves_no_trace() {
    let instance = random_computations::random(2, TWO);
    let mut ends = Vec::new();
    for first in [p(1, 8), p(7, 8)] {
        let mut debate = start(&instance, PAPER);
        let mut log = Log::default();
        play(&mut debate, &mut log, &[p(1, 2), first]);
        ends.push((debate.request(), seen(&log, Seat::Prover), debate, log));
    }
    assert_eq!(ends[0].0, ends[1].0);
    assert_eq!(ends[0].1, ends[1].1);
    // Once both are in they are open, and their sum determines the bit: 1/8 + 1/4 ≤ 1/2 < 7/8 + 1/4 − 0.
    for (_, _, debate, log) in &mut ends {
        play(debate, log, &[p(3, 8)]);
        assert!(
            log.all_observations(Some(Seat::Prover))
                .all(|s| !s.is_reply_content_sealed())
        );
    }
    let bit = |debate| View::new(debate, Seat::Opponent).written_step_bit();
    let bits: Vec<_> = ends.iter().map(|end| bit(&end.2)).collect();
    // 1/8 + 3/8 = 1/2 is 1; 7/8 + 3/8 = 1/4 modulo 1 is 1 as well.
    assert_eq!(bits, [Some(true), Some(true)]);
}

#[test]
fn the_sum_of_the_shares_decides_modulo_one() {
    let instance = random_computations::random(2, TWO);
    for (first, second, bit) in [
        (p(1, 8), p(3, 8), true),
        (p(1, 8), p(1, 2), false),
        (p(7, 8), p(5, 8), true),
        (p(7, 8), p(3, 4), false),
        (p(1, 1), p(1, 1), true),
    ] {
        let mut debate = start(&instance, PAPER);
        play(&mut debate, &mut Log::default(), &[p(1, 2), first, second]);
        let bob = View::new(&debate, Seat::Opponent);
        assert_eq!(bob.written_step_bit(), Some(bit));
        assert_eq!(bob.step_number(), 0, "Bob may still object");
        assert!(bob.bits_before_step().is_empty());
    }
}

#[test]
fn under_the_formal_rules_bob_moves_before_the_coin() {
    let instance = random_computations::random(2, TWO);
    let mut debate = start(&instance, "Stochastic(k: 2)");
    let mut log = Log::default();
    play(&mut debate, &mut log, &[p(1, 2)]);
    let turn = debate.request().unwrap();
    assert_eq!(turn.seat, Seat::Opponent);
    assert_eq!(View::new(&debate, Seat::Opponent).written_step_bit(), None);
    play(
        &mut debate,
        &mut log,
        &[Reply::Challenge(None), Reply::Drawn(1), p(1, 1)],
    );
    assert_eq!(
        View::new(&debate, Seat::Opponent).bits_before_step(),
        [true]
    );
    let wrong = debate.reply(Reply::Challenge(Some(0)), &mut log);
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "step 0 cannot be challenged; choose a step from 1 to 1, or none"
    );
    play(&mut debate, &mut log, &[Reply::Challenge(Some(1))]);
    let Some(PendingTurn {
        request: Request::Draw { ordinal, draw, .. },
        ..
    }) = debate.request()
    else {
        panic!("no draw");
    };
    // 0.75 of 423 866 samples would be right; 1 is wrong by more than 3/400.
    let count = View::new(&debate, Seat::Judge).terms().verifier.samples;
    assert_eq!((ordinal, count), (2, 423_866));
    assert_eq!(
        draw,
        ChanceDraw::Binomial {
            count,
            p: Exact::ratio(3, 4)
        }
    );
    play(&mut debate, &mut log, &[Reply::Drawn(318_000)]);
    assert_eq!(debate.payoff(), Exact::ratio(-1, 1));
    assert_eq!(debate.request(), None);
    let judge = debate.ledger().spending_of_seat(Seat::Judge);
    assert_eq!((judge.samples, judge.oracle_queries), (count, count));
}

#[test]
fn a_panel_votes_in_turn_on_the_earlier_steps() {
    let instance = random_computations::random(2, TWO);
    let mut debate = start(&instance, PANEL);
    let mut log = Log::default();
    let steps = [p(1, 2), Reply::Challenge(None), Reply::Drawn(0), p(1, 1)];
    play(&mut debate, &mut log, &steps);
    play(&mut debate, &mut log, &[Reply::Challenge(Some(1))]);
    let vote = |holds| Reply::Oracle {
        holds,
        confidence: None,
    };
    for (number, holds) in [true, false, true].into_iter().enumerate() {
        let Some(PendingTurn {
            seat: Seat::Judge,
            request: Request::Oracle { claim },
        }) = debate.request()
        else {
            panic!("vote {number}");
        };
        assert!(instance.text(claim).contains("s0 is false"));
        assert_eq!(
            instance.human_judge_yes_probability(claim),
            Some(Exact::ratio(1, 4))
        );
        play(&mut debate, &mut log, &[vote(holds)]);
    }
    // 2/3 differs from 1 by one third, which is less than the threshold.
    assert_eq!(debate.payoff(), Exact::ratio(1, 1));
    assert_eq!(
        debate.ledger().spending_of_seat(Seat::Judge).oracle_queries,
        3
    );
}

#[test]
fn without_an_objection_the_last_bit_decides() {
    let instance = random_computations::random(2, TWO);
    for (bit, payoff) in [(1, 1), (0, -1)] {
        let mut debate = start(&instance, PANEL);
        let mut log = Log::default();
        let round = |bit| [p(1, 2), Reply::Challenge(None), Reply::Drawn(bit)];
        assert_eq!(debate.round(), Some(Round::Number(1)));
        play(&mut debate, &mut log, &round(1));
        assert_eq!(debate.round(), Some(Round::Number(0)));
        play(&mut debate, &mut log, &round(bit));
        assert_eq!(debate.payoff(), Exact::ratio(payoff, 1));
        assert_eq!(debate.round(), None);
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (text, message) in [
        (
            "Stochastic(k: 0)",
            "the protocol parameter k is 0; it must be above 0 and at most 100",
        ),
        (
            "Stochastic(k: 1, constants: Panel(size: 0, threshold: 0.5))",
            "the protocol parameter size is 0; it must be from 1 to 1000",
        ),
        (
            "Stochastic(k: 1, constants: Panel(size: 5, threshold: 0))",
            "the protocol parameter threshold is 0; it must be above 0 and at most 1",
        ),
        (
            "Stochastic(k: 1, constants: Custom(c: 0.2, s: 0.1, b: 0.3, q: 0.1, v: 0.1))",
            "the protocol parameter s is 0.1; it must be above c",
        ),
    ] {
        assert_eq!(Protocol::parse(text).unwrap_err().to_string(), message);
    }
    // A witness is requested if the computation reads one.
    let instance = random_computations::random(2, TWO);
    let unread = Protocol::parse("Stochastic(k: 1, witness: true)").unwrap();
    let refused = unread.start::<Exact>(&instance).unwrap_err().to_string();
    assert!(
        refused.starts_with("this problem cannot be debated under Stochastic"),
        "{refused}"
    );
    let fine = "Stochastic(k: 1, constants: Custom(c: 1e-9, s: 2e-9, b: 3e-9, q: 0.1, v: 0.1))";
    assert!(matches!(
        Protocol::parse(fine),
        Err(ProtocolError::Parameter {
            name: "constants",
            ..
        })
    ));
    for text in [
        "Stochastic(k: 2)",
        "Stochastic(k: 0.5, constants: Paper)",
        "Stochastic(k: 1, constants: Panel(size: 7, threshold: 0.5))",
        "Stochastic(k: 1, constants: Custom(c: 0.1, s: 0.2, b: 0.3, q: \"1/3\", v: 0.1))",
    ] {
        assert_eq!(Protocol::parse(text).unwrap().to_string(), text);
    }
}
