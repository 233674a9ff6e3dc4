use debate_core::number::{Exact, parse};
use debate_core::observe::{ObservationKeyBuilder, ObservedLogEntry};
use debate_core::protocol::{Log, Protocol, Reply, Rules as _, Seat, State};
use debate_core::scenario::Instance;

use crate::support::arguments;

fn p(text: &str) -> Reply<Exact> {
    Reply::Probability(parse(text).unwrap())
}

/// A log of these replies under prover-estimator debate, and the next request.
fn played<'a>(instance: &'a Instance, replies: &[Reply<Exact>]) -> (State<'a, Exact>, Log<Exact>) {
    let rules = "ProverEstimator(epsilon: \"1/4\", rho: \"1/2\")";
    let mut state = Protocol::parse(rules).unwrap().start(instance).unwrap();
    let mut log = Log::default();
    for reply in replies {
        state.reply(reply.clone(), &mut log).unwrap();
    }
    (state, log)
}

/// The observation key of a seat for a log.
fn key(log: &Log<Exact>, seat: Seat, instance: &Instance) -> Vec<u64> {
    let mut observer = ObservationKeyBuilder::new(Some(seat), instance, 0);
    for entry in log.entries() {
        observer.see(entry);
    }
    observer.take_observation_key()
}

#[test]
fn sealed_replies_look_equal_until_they_open() {
    let instance = arguments::instance("all(1, 0)");
    let before = [Reply::Answer(true), p("1/2")];
    let after = [Reply::Answer(false), p("1/2")];
    let keys = |replies: &[Reply<Exact>], seat| key(&played(&instance, replies).1, seat, &instance);
    assert_eq!(keys(&before, Seat::Opponent), keys(&after, Seat::Opponent));
    assert_ne!(keys(&before, Seat::Prover), keys(&after, Seat::Prover));
    // The root's coin opens the answer.
    let opened = [&before[..], &[Reply::Drawn(1)]].concat();
    let other = [&after[..], &[Reply::Drawn(1)]].concat();
    assert_ne!(keys(&opened, Seat::Opponent), keys(&other, Seat::Opponent));
    let mut observer = ObservationKeyBuilder::new(Some(Seat::Opponent), &instance, 0);
    let (_, log) = played(&instance, &before);
    let observations = log.entries().iter().map(|entry| observer.see(entry));
    let sealed = |observation| matches!(observation, Some(ObservedLogEntry::Sealed { .. }));
    assert_eq!(observations.map(sealed).filter(|sealed| *sealed).count(), 1);
    assert_eq!(observer.sealed_entry_keys().len(), 1);
}

#[test]
fn observers_distinguish_exactly_different_logs() {
    let instance = arguments::instance("any(1, all(0, 1))");
    let texts = ["0", "1/4", "3/4", "1"];
    let mut known: Vec<(Vec<String>, Vec<u64>)> = Vec::new();
    for answer in [true, false] {
        for first in texts {
            for coin in [0, 1] {
                let replies = [Reply::Answer(answer), p(first), Reply::Drawn(coin)];
                let mut state = played(&instance, &[]).0;
                let mut log = Log::default();
                if replies
                    .into_iter()
                    .all(|reply| state.reply(reply, &mut log).is_ok())
                {
                    let seen = log.all_observations(Some(Seat::Opponent));
                    let seen = seen.map(|seen| format!("{seen:?}")).collect();
                    known.push((seen, key(&log, Seat::Opponent, &instance)));
                }
            }
        }
    }
    assert!(known.len() > 8);
    for (seen, key) in &known {
        for (other, other_key) in &known {
            assert_eq!(seen == other, key == other_key);
        }
    }
}

#[test]
fn claims_that_differ_only_in_text_look_alike() {
    let [one, other] = ["all(1, 0)", "all(0, 0)"].map(arguments::instance);
    let [any] = ["any(1, 0)"].map(arguments::instance);
    let root = |instance: &Instance| instance.nontext_appearance_fingerprint(instance.root());
    assert_eq!(root(&one), root(&other));
    assert_ne!(root(&one), root(&any));
    let subclaims = &one.supports(one.root())[0].on;
    assert_ne!(
        one.nontext_appearance_fingerprint(subclaims[0]),
        one.nontext_appearance_fingerprint(subclaims[1])
    );
}

#[test]
fn knowledge_is_observed_first_and_lookups_are_private() {
    let instance = arguments::instance("all(1, 0)");
    let mut observers =
        [0, 0, 1].map(|block| ObservationKeyBuilder::new(Some(Seat::Prover), &instance, block));
    let keys = observers
        .each_mut()
        .map(ObservationKeyBuilder::take_observation_key);
    assert_eq!(keys[0], keys[1]);
    assert_ne!(keys[0], keys[2]);
    observers[0].add_observation_from_outside_log(&[1]);
    assert_ne!(
        observers[0].take_observation_key(),
        observers[1].take_observation_key()
    );
}
