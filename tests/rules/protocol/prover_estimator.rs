use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::number::{Exact, parse};
use debate_core::protocol::prover_estimator::{
    BetDisclosureTime, CarriedEstimateKind, EarlyLeafWeight, ProverEstimatorDebate,
    ProverEstimatorParameters,
};
use debate_core::protocol::{
    Bet, BitsMeaning, Event, IllegalReply, Log, ProofBitSource as _, ProtocolParameters as _,
    Reply, Request, Round, Rules as _, Seat, View,
};
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Instance, Oracle, ScenarioValuePath,
};

use crate::support::arguments;

type Pe<'a> = ProverEstimatorDebate<'a, Exact>;

fn q(text: &str) -> Exact {
    parse(text).unwrap()
}

fn parameters(epsilon: &str, rho: &str) -> ProverEstimatorParameters {
    ProverEstimatorParameters::new(q(epsilon), q(rho))
}

fn debate<'a>(instance: &'a Instance, parameters: &ProverEstimatorParameters) -> Pe<'a> {
    ProverEstimatorDebate::new(instance, parameters).unwrap()
}

fn answer(holds: bool) -> Reply<Exact> {
    Reply::Answer(holds)
}
fn p(text: &str) -> Reply<Exact> {
    Reply::Probability(q(text))
}
fn coin(value: u64) -> Reply<Exact> {
    Reply::Drawn(value)
}
fn bet(sign: i64) -> Reply<Exact> {
    Reply::Direction(Bet::ALL[usize::try_from(sign + 1).unwrap()])
}
fn judge(holds: bool) -> Reply<Exact> {
    Reply::Oracle {
        holds,
        confidence: None,
    }
}

/// Plays the replies and returns the rewards as they were paid.
fn run(rules: &mut Pe<'_>, replies: Vec<Reply<Exact>>) -> Vec<Exact> {
    let mut log = Log::default();
    for reply in replies {
        let turn = rules.request();
        rules
            .reply(reply.clone(), &mut log)
            .unwrap_or_else(|e| panic!("{reply:?} to {turn:?}: {e}"));
    }
    log.entries()
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Rewarded(reward) => Some(reward.payment_to_prover()),
            _ => None,
        })
        .collect()
}

/// ε = ¼ and ρ = ½, so r = 1/32. Alice lies that both hold. Bob's estimate is ¼; the root's coin comes up false, so
/// r_init = 0. She bets +1; both coins come up true, so M = 1 and r₁ = 1/32 · (1 − ¼) = 3/128. She continues with the
/// false leaf, whose estimate was ¾, bets −1 and wins r₀ = ¾.
#[test]
fn a_lie_over_an_all_gate_by_hand() {
    let instance = arguments::instance("all(1, 0)");
    let mut rules = debate(&instance, &parameters("1/4", "1/2"));
    let rewards = run(
        &mut rules,
        vec![
            answer(true),
            p("1/4"),
            coin(0),
            bet(1),
            Reply::Support(0),
            p("1/2"),
            coin(1),
            p("3/4"),
            coin(1),
            Reply::Select(1),
            bet(-1),
            judge(false),
        ],
    );
    assert_eq!(rewards, [q("0"), q("3/128"), q("3/4")]);
    assert_eq!(rules.payoff(), q("99/128"));
    assert_eq!(rules.request(), None);
    assert_eq!(rules.reply(judge(true), &mut ()), Err(IllegalReply::Over));
}

/// ε = 0.45 and ρ = 1/9, so r = 1/10, depth 2: a majority over (all of two true leaves, a false leaf, a true leaf).
/// Alice says yes; Bob's estimate is 2/5; the root's coin agrees: r_init = 1/1000. She bets +1. Bob gives the first 1/2
/// (coin true), the second 1/5 *given that* (coin false), the third 9/10 given both (coin true): M = 1, r₂ = 1/100 · (1
/// − 2/5) = 3/500. She continues with the first at p₁ = 1/2 and bets −1; its leaves get 3/4 (true) and 1/3 (false): M =
/// 0, r₁ = −1/10 · (0 − 1/2) = 1/20. She continues with its second leaf at 1/3, bets +1, the judge says yes: r₀ = 2/3.
#[test]
fn a_majority_with_conditional_probabilities_by_hand() {
    let instance = arguments::instance("maj(all(1, 1), 0, 1)");
    let mut rules = debate(&instance, &parameters("0.45", "1/9"));
    let rewards = run(
        &mut rules,
        vec![
            answer(true),
            p("2/5"),
            coin(1),
            bet(1),
            Reply::Support(0),
            p("1/2"),
            coin(1),
            p("1/5"),
            coin(0),
            p("9/10"),
            coin(1),
            Reply::Select(0),
            bet(-1),
            Reply::Support(0),
            p("3/4"),
            coin(1),
            p("1/3"),
            coin(0),
            Reply::Select(1),
            bet(1),
            judge(true),
        ],
    );
    assert_eq!(rewards, [q("1/1000"), q("3/500"), q("1/20"), q("2/3")]);
    assert_eq!(
        rules.payoff(),
        q("1/1000") + q("3/500") + q("1/20") + q("2/3")
    );
    assert_eq!(
        rules.ledger().spending_of_seat(Seat::Judge).oracle_queries,
        1
    );
}

fn to_the_early_leaf(early_leaf: EarlyLeafWeight) -> (Vec<Exact>, Option<Round>) {
    let instance = arguments::instance("maj(all(1, 1), 0, 1)");
    let mut rules = debate(
        &instance,
        &ProverEstimatorParameters {
            early_leaf,
            ..parameters("0.45", "1/9")
        },
    );
    let mut replies = vec![answer(true), p("0"), coin(0), bet(0), Reply::Support(0)];
    replies.extend([p("1"), coin(1), p("1"), coin(1), p("1"), coin(1)]);
    replies.push(Reply::Select(1));
    run(&mut rules, replies);
    let round = rules.round();
    (run(&mut rules, vec![bet(-1), judge(false)]), round)
}

#[test]
fn a_leaf_met_early_jumps_to_round_0_or_stays() {
    assert_eq!(
        to_the_early_leaf(EarlyLeafWeight::Jump),
        (vec![q("1")], Some(Round::Number(0)))
    );
    assert_eq!(
        to_the_early_leaf(EarlyLeafWeight::InPlace),
        (vec![q("1/10")], Some(Round::Number(1)))
    );
}

#[test]
fn a_root_that_is_a_leaf_is_judged_at_once() {
    let instance = arguments::instance("1");
    let mut rules = debate(&instance, &parameters("1/4", "1/2"));
    let rewards = run(
        &mut rules,
        vec![answer(true), p("1/2"), coin(1), bet(1), judge(true)],
    );
    assert_eq!(rewards, [q("1/32"), q("1/2")]);
}

#[test]
fn marginals_are_asked_before_the_first_coin_and_carried() {
    let instance = arguments::instance("all(1, 1)");
    let mut rules = debate(
        &instance,
        &ProverEstimatorParameters {
            carry: CarriedEstimateKind::Marginal,
            ..parameters("1/4", "1/2")
        },
    );
    run(
        &mut rules,
        vec![answer(true), p("1/2"), coin(1), bet(0), Reply::Support(0)],
    );
    let asked = |rules: &Pe<'_>| match rules.request().unwrap().request {
        Request::Probability { place, alone, .. } => (place.unwrap(), alone),
        other => panic!("{other:?}"),
    };
    for (place, alone) in [(0, true), (1, true)] {
        assert_eq!(asked(&rules), (place, alone));
        run(&mut rules, vec![p("3/5")]);
    }
    for place in [0, 1] {
        assert_eq!(asked(&rules), (place, false));
        run(&mut rules, vec![p("1/10"), coin(0)]);
    }
    let rewards = run(&mut rules, vec![Reply::Select(1), bet(1), judge(true)]);
    assert_eq!(
        rewards,
        [q("2/5")],
        "p₀ is 3/5, what was said of the subclaim on its own"
    );
}

fn with_proof() -> Instance {
    let leaf = ClaimSpec {
        text: "the bits agree".into(),
        reads: vec!["u1".into(), "u2".into(), "u1".into()],
        check: Some(Gate::Majority),
        ..ClaimSpec::default()
    };
    let spec = ArgumentProblemSpec {
        root: "root".into(),
        claims: vec![("root".into(), leaf)],
        proof: vec![("u1".into(), true), ("u2".into(), false)],
        worlds: Vec::new(),
        open: None,
    };
    Instance::new(
        Arc::new(ArgumentProblem::build(spec, &ScenarioValuePath::default()).unwrap()),
        0,
        Oracle::Truth,
    )
}

#[test]
fn each_proof_bit_is_asked_once_and_the_judge_decides_on_the_bits_given() {
    let instance = with_proof();
    let mut rules = debate(&instance, &parameters("1/4", "1/2"));
    run(&mut rules, vec![answer(true), p("1/2"), coin(1), bet(1)]);
    let asked = |rules: &Pe<'_>| rules.request().unwrap();
    for bit in [0, 1] {
        let turn = asked(&rules);
        let Request::Bits { ask, length: 1 } = turn.request else {
            panic!("{turn:?}")
        };
        assert_eq!((turn.seat, ask), (Seat::Prover, BitsMeaning::Proof(bit)));
        assert!(ask.is_proof_bit());
        run(&mut rules, vec![Reply::Bits(vec![bit == 1].into())]);
    }
    assert!(matches!(asked(&rules).request, Request::Oracle { .. }));
    // u1 was given as false and u2 as true: false, true, false has no majority.
    assert_eq!(rules.proof(), [false, true, false]);
    assert_eq!(
        instance
            .oracle_yes_probability(instance.root(), &rules.proof())
            .unwrap()
            .exact(),
        &q("0")
    );
    assert_eq!(instance.truth(instance.root()), Some(true));
    assert_eq!(rules.ledger().spending_of_seat(Seat::Judge).bits_read, 2);
}

#[test]
fn an_illegal_reply_has_no_effect() {
    let instance = arguments::instance("all(1, 0)");
    let mut rules = debate(&instance, &parameters("1/4", "1/2"));
    let mut log = Log::default();
    let legal = [
        answer(true),
        p("0"),
        coin(0),
        bet(1),
        Reply::Support(0),
        p("1"),
        coin(1),
        p("1/2"),
        coin(1),
        Reply::Select(1),
        bet(1),
        judge(true),
    ];
    let bad = [
        answer(true),
        p("-1/10"),
        p("11/10"),
        coin(2),
        coin(1),
        coin(0),
        bet(0),
        Reply::Support(1),
        Reply::Select(2),
        Reply::Bits(vec![true].into()),
        Reply::Oracle {
            holds: true,
            confidence: Some(q("2")),
        },
    ];
    for reply in legal {
        for bad in &bad {
            let mut other = rules.clone();
            let mut other_log = log.clone();
            if other.reply(bad.clone(), &mut other_log).is_err() {
                assert_eq!(other.request(), rules.request());
                assert_eq!((other.payoff(), other_log), (rules.payoff(), log.clone()));
            }
        }
        rules.reply(reply, &mut log).unwrap();
    }
}

#[test]
fn an_impossible_coin_is_illegal() {
    let instance = arguments::instance("1");
    for (probability, impossible) in [("0", 1), ("1", 0)] {
        let mut rules = debate(&instance, &parameters("1/4", "1/2"));
        run(&mut rules, vec![answer(true), p(probability)]);
        assert_eq!(
            rules.reply(coin(impossible), &mut ()),
            Err(IllegalReply::NoOutcome(impossible))
        );
    }
}

#[test]
fn the_answer_and_the_bet_are_sealed_from_the_estimator() {
    let instance = arguments::instance("all(1, 0)");
    let mut rules = debate(&instance, &parameters("1/4", "1/2"));
    let mut log = Log::default();
    let seals = |log: &Log<Exact>| {
        log.all_observations(Some(Seat::Opponent))
            .map(|seen| usize::from(seen.is_reply_content_sealed()))
            .sum::<usize>()
    };
    rules.reply(answer(true), &mut log).unwrap();
    assert_eq!(
        View::new(&rules, Seat::Opponent).visible_root_answer(),
        None
    );
    assert_eq!(
        View::new(&rules, Seat::Prover).visible_root_answer(),
        Some(true)
    );
    assert_eq!(seals(&log), 1);
    rules.reply(p("1/2"), &mut log).unwrap();
    assert_eq!(
        View::new(&rules, Seat::Opponent).visible_root_answer(),
        None
    );
    rules.reply(coin(1), &mut log).unwrap();
    assert_eq!(
        View::new(&rules, Seat::Opponent).visible_root_answer(),
        Some(true)
    );
    assert_eq!(seals(&log), 0);
    rules.reply(bet(1), &mut log).unwrap();
    rules.reply(Reply::Support(0), &mut log).unwrap();
    assert_eq!(View::new(&rules, Seat::Opponent).visible_bet(), None);
    assert_eq!(
        View::new(&rules, Seat::Prover).visible_bet(),
        Some(Bet::TooLow)
    );
    assert_eq!(seals(&log), 1);
    for reply in [p("1/2"), coin(1), p("1/2"), coin(0)] {
        assert_eq!(View::new(&rules, Seat::Opponent).visible_bet(), None);
        rules.reply(reply, &mut log).unwrap();
    }
    assert_eq!(
        View::new(&rules, Seat::Opponent).visible_bet(),
        Some(Bet::TooLow)
    );
    assert_eq!(seals(&log), 0);
}

#[test]
fn public_bets_are_seen_at_once() {
    let instance = arguments::instance("all(1, 0)");
    let parameters = ProverEstimatorParameters {
        direction: BetDisclosureTime::Public,
        ..parameters("1/4", "1/2")
    };
    let mut rules = debate(&instance, &parameters);
    run(&mut rules, vec![answer(true), p("1/2"), coin(1), bet(-1)]);
    assert_eq!(
        View::new(&rules, Seat::Opponent).visible_bet(),
        Some(Bet::TooHigh)
    );
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (epsilon, rho, name) in [
        ("0", "1/2", "epsilon"),
        ("1/2", "1/2", "epsilon"),
        ("1/4", "0", "rho"),
        ("1/4", "1", "rho"),
    ] {
        let refused = parameters(epsilon, rho).check().unwrap_err();
        let start = format!("the protocol parameter {name} is");
        assert!(refused.to_string().starts_with(&start), "{refused}");
    }
}

#[test]
fn a_restarted_debate_equals_a_new_one() {
    let instance = arguments::instance("all(1, 0)");
    let mut rules = debate(&instance, &parameters("1/4", "1/2"));
    let fresh = format!("{rules:?}");
    run(
        &mut rules,
        vec![
            answer(true),
            p("1/4"),
            coin(0),
            bet(1),
            Reply::Support(0),
            p("1/2"),
        ],
    );
    rules.reset_debate_to_start();
    assert_eq!(
        rules.request(),
        debate(&instance, &parameters("1/4", "1/2")).request()
    );
    assert_eq!(rules.payoff(), q("0"));
    assert_eq!(rules.round(), Some(Round::Initial));
    assert!(fresh.contains("step: Answer"));
}
