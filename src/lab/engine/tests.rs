//! Processes that say and do what engines should not: the shell plays them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::process::Answer;
use super::{EngineLimits, EnginePool, EngineProcess};
use crate::message::FromEngine;

const HELLO: &str = r#"read line; echo '{"type":"hello","max_parallel":2}'"#;

/// What an engine says to its first request, which it is not even asked, and how long that took.
fn heard(rest: &str) -> (Answer, EngineProcess, Duration) {
    let command = format!("{HELLO}; {rest}");
    let engine = EngineProcess::start(&command, EngineLimits::default()).unwrap();
    let (_, mailbox) = engine.next_request();
    let begun = Instant::now();
    let heard = engine.hear(&mailbox, begun + Duration::from_secs(60));
    drop(mailbox);
    (heard, engine, begun.elapsed())
}

#[test]
fn what_comes_after_the_end_is_heard() {
    // The shell ends at once. What it started says the rest, long after.
    let (said, ..) = heard(r#"(sleep 0.4; echo '{"type":"reply","id":1,"reply":{}}') & exit 0"#);
    assert!(matches!(said, Answer::Message(FromEngine::Reply(_))));
    let (said, ..) = heard("(sleep 0.4; echo what) & exit 0");
    assert!(matches!(said, Answer::Unread(_)));
}

#[test]
fn an_end_is_noticed_although_the_output_is_held_open() {
    let (said, engine, took) = heard("sleep 1000 & exit 3");
    let Answer::Ended(how) = said else {
        panic!("it has ended");
    };
    assert!(how.contains("exit status: 3"), "{how}");
    assert!(took < Duration::from_secs(30), "{took:?}");
    assert!(engine.is_spoiled());
}

#[test]
fn a_pool_starts_no_more_processes_than_it_needs() {
    let pool = EnginePool::new(EngineLimits::default());
    let command = format!("{HELLO}; cat > /dev/null");
    let engines: Vec<_> = (0..3).map(|_| pool.engine(&command).unwrap()).collect();
    assert!(Arc::ptr_eq(&engines[0], &engines[1]));
    assert!(!Arc::ptr_eq(&engines[0], &engines[2]));
    // A place that is free again is taken, but for that of an engine that failed.
    let [first, second, third] = <[_; 3]>::try_from(engines).ok().unwrap();
    drop(second);
    let again = pool.engine(&command).unwrap();
    assert!(Arc::ptr_eq(&first, &again) || Arc::ptr_eq(&third, &again));
    drop(again);
    first.spoil();
    third.spoil();
    let new = pool.engine(&command).unwrap();
    assert!(!Arc::ptr_eq(&first, &new) && !Arc::ptr_eq(&third, &new));
    assert!(pool.engine("exit 3").is_err());
}
