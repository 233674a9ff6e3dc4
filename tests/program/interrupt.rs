//! One Ctrl-C ends every computation, also in the middle of a move. Values and hints need little memory.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use crate::program::simulate::awaits_interrupts;
use crate::support::program::{program, say, wait_for_end, wait_until};

/// Waits until a process handles interrupts and has computed for 0.1 s.
#[cfg(target_os = "linux")]
pub(crate) fn wait_until_it_works(child: &mut Child) {
    let id = child.id();
    wait_until("the program computes", || {
        if let Some(status) = child.try_wait().expect("a child") {
            let mut said = String::new();
            let errors = child.stderr.as_mut().expect("a pipe");
            errors.read_to_string(&mut said).expect("UTF-8");
            panic!("the program has ended too early with {status}: {said}");
        }
        awaits_interrupts(id) && ticks(id) >= 10
    });
}

/// Sends an interrupt to a process and waits for its end. Checks the exit code, and that stderr contains this sentence.
#[cfg(target_os = "linux")]
fn check_interrupt(child: Child, arguments: &[&str], sentence: &str) {
    let id = child.id().try_into().expect("an id");
    let pid = rustix::process::Pid::from_raw(id).expect("an id");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    let ended = wait_for_end(child);
    let code = ended.status.code();
    assert_eq!(code, Some(130), "{arguments:?}: {ended:?}");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains(sentence), "{arguments:?}: {said}");
}

/// The sentence of a command that prints its result at its end.
#[cfg(target_os = "linux")]
const NOT_COMPLETE: &str = "interrupted before the output was complete";

/// A signal that arrives while the computation begins is not lost.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_at_the_start_of_a_computation_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for run in 0..24_u32 {
        let mut child = program(folder.path())
            .args(["simulate", "primes", "-n", "1e12"])
            .spawn()
            .expect("the program starts");
        let id = child.id();
        wait_until("the program handles interrupts", || {
            assert!(child.try_wait().expect("a child").is_none());
            awaits_interrupts(id)
        });
        // Different runs interrupt at different points of the start.
        for _ in 0..run * 40_000 {
            std::hint::spin_loop();
        }
        let pid = rustix::process::Pid::from_raw(id.try_into().expect("an id")).expect("an id");
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
        let ended = wait_for_end(child);
        assert_eq!(ended.status.code(), Some(130), "run {run}: {ended:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn one_interrupt_ends_long_computations() {
    let folder = tempfile::tempdir().expect("a folder");
    // Rounds of 3,000 words; each is one step, during which no interrupt flag is checked.
    let words: Vec<String> = (0..=3000).map(|word| format!("{word}/3000")).collect();
    let words = words.join(",");
    let often = "1000000000000";
    let best = ["--opponent", "best-response", "--grid", &words];
    let more = ["--max-replies", often];
    let table = ["equilibrium", "primes-small", "--prover", "honest"];
    let deep = folder.path().join("deep.ron");
    std::fs::write(&deep, levels(30)).expect("a file");
    let deep = deep.display().to_string();
    let space = [
        "--width", "4", "--depth", "2", "--worlds", "4", "--weight", "12",
    ];
    let cases = [
        ([&["solve", &deep][..], &best, &more].concat(), NOT_COMPLETE),
        (
            [&["solve", &deep, "--exact"][..], &best, &more].concat(),
            NOT_COMPLETE,
        ),
        ([&table[..], &best, &more].concat(), NOT_COMPLETE),
        (
            vec!["export", "primes", "--to", "efg", "--most-nodes", often],
            NOT_COMPLETE,
        ),
        (
            vec!["train", &deep, "--delta", "0.0001", "--max-replies", often],
            NOT_COMPLETE,
        ),
        (
            vec!["simulate", &deep, "-n", "1e12"],
            "debates played before",
        ),
        (
            [&["search", "soundness"][..], &space].concat(),
            "nterrupted",
        ),
        (vec!["theorems", "--run"], "nterrupted"),
    ];
    for (arguments, sentence) in cases {
        let mut child = program(folder.path())
            .args(&arguments)
            .spawn()
            .expect("the program starts");
        wait_until_it_works(&mut child);
        check_interrupt(child, &arguments[..2], sentence);
    }
    // A match keeps the saves of the debates that it finished before.
    let saves = folder.path().join("match");
    let named = saves.display().to_string();
    let long_match = [
        "match",
        "--scenario",
        &deep,
        "-n",
        "500",
        "--seed",
        "1",
        "--saves",
        &named,
    ];
    let child = program(folder.path())
        .args(long_match)
        .spawn()
        .expect("the program starts");
    let count = || std::fs::read_dir(&saves).map_or(0, Iterator::count);
    wait_until("a debate is saved", || count() > 0);
    check_interrupt(
        child,
        &long_match[..2],
        "the same command continues the match",
    );
    assert!((1..500).contains(&count()), "{}", count());
}

/// Signals are handled before the first file is read, so reading a large file can be interrupted.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_a_command_that_reads_its_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases: [&[&str]; 9] = [
        &["check", "-"],
        &["compare", "-", "--plain"],
        &["solve", "-", "--exact"],
        &["simulate", "-", "-n", "10"],
        &["equilibrium", "-", "--prover", "honest"],
        &["train", "-", "--delta", "0.1"],
        &["export", "-", "--to", "json"],
        &["search", "--resume", "/dev/stdin"],
        &["merge", "/dev/stdin"],
    ];
    for arguments in cases {
        let mut child = program(folder.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let id = child.id();
        // The pipe is empty, so the command waits for input.
        let input = child.stdin.take();
        wait_until("the program handles interrupts", || awaits_interrupts(id));
        check_interrupt(child, arguments, NOT_COMPLETE);
        drop(input);
    }
}

/// The refusal of a training that takes too long names the flag that raises the limit.
#[test]
fn a_training_that_takes_too_long_names_its_flag() {
    let folder = tempfile::tempdir().expect("a folder");
    let train = ["train", "primes-small", "--delta", "0.1", "--max-replies"];
    for few in ["1", "100"] {
        let refused = say(folder.path(), &[&train[..], &[few]].concat(), "");
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains("raise --max-replies"), "{refused:?}");
        assert_eq!(refused.out, "");
    }
    let trained = say(folder.path(), &[&train[..], &["60000000"]].concat(), "");
    let usual = say(folder.path(), &train[..4], "");
    assert_eq!(trained.code, Some(0), "{trained:?}");
    assert_eq!(trained.out, usual.out);
}

/// The processor time of a process so far, in hundredths of a second on every common system.
#[cfg(target_os = "linux")]
fn ticks(id: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The 12th and 13th words after the name, which is in brackets.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let words = after.split_whitespace().skip(11).take(2);
    words.map(|word| word.parse().unwrap_or(0)).sum()
}

/// Levels of two claims, each made of both claims of the next one.
#[cfg(target_os = "linux")]
fn levels(depth: usize) -> String {
    let mut claims = String::new();
    for level in 0..depth {
        for (name, gate) in [("a", "All"), ("b", "Any")] {
            let next = level + 1;
            let claim = format!(
                "\"{name}{level}\": Claim(text: \"{name}\", supports: [Support(gate: {gate}, \
                 on: [\"a{next}\", \"b{next}\"])]),\n"
            );
            claims.push_str(&claim);
        }
    }
    format!(
        "Scenario(format: 1, title: \"Deep\", problem: Argument(root: \"a0\", claims: {{ {claims}
            \"a{depth}\": Claim(text: \"A.\", truth: true, estimate: \"2/3\"),
            \"b{depth}\": Claim(text: \"B.\", truth: false, estimate: \"1/3\") }}),
            protocol: ProverEstimator(epsilon: 0.25, rho: 0.5))"
    )
}

/// A walk allocates no more memory than it needs, so a small machine can compute values and hints.
#[cfg(target_os = "linux")]
#[test]
fn values_and_hints_fit_a_small_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let hint = ["primes-4331", "--plain", "--seed", "1", "--role", "prover"];
    let cases: [(&[&str], &str, &str); 2] = [
        (&["solve", "primes"], "", "Alice expects"),
        (&hint, "hint\nq\n", "best"),
    ];
    for (arguments, input, wanted) in cases {
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -v 900000; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_debate-tui"))
            .args(arguments)
            .env("DEBATE_TUI_SAVES", folder.path())
            .env("DEBATE_TUI_CONFIG", folder.path().join("config.ron"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut typed = child.stdin.take().expect("a pipe");
        // The program may end before it has read everything.
        let _ = typed.write_all(input.as_bytes());
        drop(typed);
        let output = child.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && out.contains(wanted),
            "{output:?}"
        );
    }
}
