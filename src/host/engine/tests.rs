//! Tests with processes that break the engine protocol. The shell plays the engines.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::process::EngineMessageOrFailure;
use super::seat::{EngineTurnInProgress, NoReplyReason};
use super::{EnginePool, EngineProcess, EngineWaitAndRetryLimits, ModelProgramAndNamedModels};
use crate::message::{EngineReportedErrorKind, MessageFromEngine};

const HELLO: &str = r#"read line; echo '{"type":"hello","max_parallel":2}'"#;

/// Long enough for any machine: these tests wait for messages that do arrive.
const PATIENT: EngineWaitAndRetryLimits = EngineWaitAndRetryLimits {
    hello: Duration::from_secs(600),
    reply: Duration::from_secs(600),
    stall: Duration::from_secs(6000),
    quit: Duration::from_secs(600),
    retries: 2,
    patience: 5,
};

/// Time limit for engines that never send the awaited message.
const IMPATIENT: Duration = Duration::from_millis(20);

/// Starts an engine that runs a command after its hello. Returns the engine's first message after that.
fn heard(limits: EngineWaitAndRetryLimits, rest: &str) -> (EngineMessageOrFailure, EngineProcess) {
    let command = format!("{HELLO}; {rest}");
    let engine =
        EngineProcess::start(&command, limits, &ModelProgramAndNamedModels::default()).unwrap();
    let (_, mailbox) = engine.new_request_with_mailbox();
    let heard = engine.wait_for_answer(&mailbox, Instant::now() + Duration::from_secs(600));
    drop(mailbox);
    (heard, engine)
}

/// The shell ends at once. Its child writes only after that, with any delay.
#[test]
fn output_after_the_end_of_the_engine_is_read() {
    let after_the_end = |line: &str| {
        let child = format!("(while kill -0 $$ 2> /dev/null; do sleep 0.01; done; echo '{line}')");
        heard(PATIENT, &format!("{child} & exit 0")).0
    };
    let said = after_the_end(r#"{"type":"reply","id":1,"reply":{}}"#);
    assert!(matches!(
        said,
        EngineMessageOrFailure::Message(MessageFromEngine::Reply(_))
    ));
    let said = after_the_end("no message");
    assert!(matches!(said, EngineMessageOrFailure::Unread(_)));
}

/// The child never writes and never ends, so only the end of the shell can be noticed.
#[test]
fn an_end_is_noticed_although_the_output_is_held_open() {
    let limits = EngineWaitAndRetryLimits {
        quit: IMPATIENT,
        ..PATIENT
    };
    let (said, engine) = heard(limits, "sleep 1000 & exit 3");
    let EngineMessageOrFailure::Ended(how) = said else {
        panic!("it has ended");
    };
    assert!(how.contains("exit status: 3"), "{how}");
    assert!(engine.is_engine_unusable());
}

/// A child of the engine keeps its stderr open and writes to it after the end of the engine.
#[test]
fn the_end_of_an_engine_includes_its_last_stderr_line() {
    let child = "(while kill -0 $$ 2> /dev/null; do sleep 0.01; done; echo last >&2) > /dev/null";
    let (said, _) = heard(PATIENT, &format!("echo first >&2; {child} & exit 7"));
    let EngineMessageOrFailure::Ended(how) = said else {
        panic!("it has ended");
    };
    assert_eq!(how, "it ended (exit status: 7): last");
}

#[test]
fn an_engine_that_ignores_bye_is_killed() {
    let start = |quit, rest: &str| {
        let limits = EngineWaitAndRetryLimits { quit, ..PATIENT };
        EngineProcess::start(
            &format!("{HELLO}; {rest}"),
            limits,
            &ModelProgramAndNamedModels::default(),
        )
        .unwrap()
    };
    assert!(start(PATIENT.quit, "read bye; exit").end_engine_within_time_limit());
    assert!(!start(IMPATIENT, "exec sleep 1000").end_engine_within_time_limit());
}

#[test]
fn a_process_without_hello_is_not_an_engine() {
    let limits = EngineWaitAndRetryLimits {
        hello: IMPATIENT,
        quit: IMPATIENT,
        ..PATIENT
    };
    let started = EngineProcess::start(
        "exec sleep 1000",
        limits,
        &ModelProgramAndNamedModels::default(),
    );
    let why = started.err().unwrap();
    assert!(
        why.contains("the engine sent no `hello` within 20ms"),
        "{why}"
    );
}

/// An engine may ask for a pause, but for at most its time limit for a reply.
#[test]
fn a_pause_is_never_longer_than_the_time_for_a_reply() {
    let never = || false;
    let mut ignored = |_| ();
    let mut pauses = |reply: Duration, asked: Option<u64>| {
        let limits = EngineWaitAndRetryLimits { reply, ..PATIENT };
        let mut turn = EngineTurnInProgress::new(limits, false, &never, &mut ignored);
        match turn.error(EngineReportedErrorKind::Transient, "429", asked, None) {
            NoReplyReason::Again(pause) => pause,
            _ => panic!("it is asked again"),
        }
    };
    let second = Duration::from_secs(1);
    assert_eq!(pauses(600 * second, Some(7)), Duration::from_millis(7));
    assert_eq!(pauses(600 * second, None), second);
    assert_eq!(pauses(600 * second, Some(u64::MAX)), 60 * second);
    assert_eq!(pauses(second, Some(u64::MAX)), second);
}

/// Only waits that the engine does not name are doubled. After the last one, the engine is not asked again.
#[test]
fn pauses_after_transient_failures_are_doubled() {
    let never = || false;
    let mut ignored = |_| ();
    let mut turn = EngineTurnInProgress::new(PATIENT, false, &never, &mut ignored);
    let mut failed =
        |asked: Option<u64>| turn.error(EngineReportedErrorKind::Transient, "", asked, None);
    let asked = [None, None, Some(7), None, None];
    let milliseconds = [1000, 2000, 7, 4000, 8000];
    for (asked, wanted) in asked.into_iter().zip(milliseconds) {
        let NoReplyReason::Again(pause) = failed(asked) else {
            panic!("it is asked again");
        };
        assert_eq!(pause, Duration::from_millis(wanted));
    }
    assert!(matches!(failed(None), NoReplyReason::Ended { .. }));
}

#[test]
fn a_pool_starts_no_more_processes_than_it_needs() {
    let pool = EnginePool::new(PATIENT, Arc::default());
    let command = format!("{HELLO}; cat > /dev/null");
    let engines: Vec<_> = (0..3)
        .map(|_| pool.process_for_command(&command).unwrap())
        .collect();
    assert!(Arc::ptr_eq(&engines[0], &engines[1]));
    assert!(!Arc::ptr_eq(&engines[0], &engines[2]));
    // A free process is used again, unless its engine failed.
    let [first, second, third] = <[_; 3]>::try_from(engines).ok().unwrap();
    drop(second);
    let again = pool.process_for_command(&command).unwrap();
    assert!(Arc::ptr_eq(&first, &again) || Arc::ptr_eq(&third, &again));
    drop(again);
    first.mark_engine_unusable();
    third.mark_engine_unusable();
    let new = pool.process_for_command(&command).unwrap();
    assert!(!Arc::ptr_eq(&first, &new) && !Arc::ptr_eq(&third, &new));
    assert!(pool.process_for_command("exit 3").is_err());
}
