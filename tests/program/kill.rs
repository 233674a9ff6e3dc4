//! The program loses no acknowledged reply, even if it is killed at any moment.

use std::io::{BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};

use crate::support::program::{program, say};
use debate_core::protocol::Seat;
use debate_host::record::{Save, list_save_files, verify_file};
use debate_solver::setup::ScenarioLimits;

fn start(folder: &std::path::Path) -> Child {
    program(folder)
        .args([
            "primes-small",
            "--plain",
            "--seed",
            "11",
            "--role",
            "estimator",
            "--role",
            "prover",
        ])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// A reply to the last question: an answer, a bet, a choice or a percentage.
fn reply(asked: &str) -> &'static str {
    // The output before the last question includes the rules, which contain words of other questions.
    let (_, asked) = asked.rsplit_once("You are ").expect("a question");
    if asked.contains("How likely") || asked.contains("how likely") {
        "40\n"
    } else if asked.contains("about right") {
        "low\n"
    } else if asked.contains("Is this true") {
        "yes\n"
    } else {
        "1\n"
    }
}

/// Gives `replies` replies, each when the program asks for it, then one more, and kills the program after some spins.
/// Returns the number of replies that the program acknowledged by its next question.
fn killed_after(folder: &std::path::Path, replies: u32, spins: u64) -> u32 {
    let mut child = start(folder);
    let mut input = child.stdin.take().expect("a pipe");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut acknowledged = 0;
    let mut alive = until_asked(&mut out);
    for _ in 0..replies {
        let Some(asked) = &alive else { break };
        if input.write_all(reply(asked).as_bytes()).is_err() {
            break;
        }
        alive = until_asked(&mut out);
        acknowledged += u32::from(alive.is_some());
    }
    if let Some(asked) = &alive {
        // This reply is not acknowledged, so the save may have it or not.
        let _ = input.write_all(reply(asked).as_bytes());
        for _ in 0..spins {
            std::hint::spin_loop();
        }
    }
    child.kill().expect("SIGKILL");
    child.wait().expect("it is gone");
    let mut rest = Vec::new();
    let _ = out.read_to_end(&mut rest);
    acknowledged
}

/// Returns the output up to the next prompt; `None` if the program has ended.
fn until_asked(out: &mut impl std::io::Read) -> Option<String> {
    let mut said = Vec::new();
    let mut byte = [0_u8; 1];
    while out.read(&mut byte).is_ok_and(|count| count == 1) {
        said.push(byte[0]);
        if said.ends_with(b"\n> ") {
            return Some(String::from_utf8_lossy(&said).into_owned());
        }
    }
    None
}

#[test]
fn no_acknowledged_reply_is_lost() {
    killed_so_often(15);
}

#[test]
#[ignore = "exhaustive: 7 s; every day: no_acknowledged_reply_is_lost"]
fn no_acknowledged_reply_is_lost_by_two_hundred_kills() {
    killed_so_often(200);
}

fn killed_so_often(kills: u32) {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for kill in 1..=kills {
        let dir = tempfile::tempdir().expect("a folder");
        let replies = u32::try_from(random(22)).expect("small");
        let acknowledged = killed_after(dir.path(), replies, random(60_000));
        let saves = list_save_files(dir.path()).expect("a folder");
        let save = saves.first().expect("a save");
        let read = Save::read_save(save).unwrap_or_else(|error| panic!("{error}, after {replies}"));
        let kept = read
            .moves_not_undone()
            .filter(|line| {
                matches!(
                    line.kind.seat_unless_undo(),
                    Some(Seat::Prover | Seat::Opponent)
                )
            })
            .count();
        assert!(
            kept >= acknowledged as usize,
            "{kept} of {acknowledged} replies are left"
        );
        let verdict = verify_file(save, &ScenarioLimits::default()).expect("a save");
        assert!(verdict.ok, "{verdict:?}");
        if kill % 5 == 0 && !verdict.finished {
            let path = save.to_str().expect("UTF-8");
            let resumed = say(dir.path(), &["resume", "--plain", path], "");
            assert_eq!(resumed.code, Some(0), "{resumed:?}");
        }
    }
}
