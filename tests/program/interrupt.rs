//! One Ctrl-C ends every computation, also in the middle of a move. Values and hints fit into little memory.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use crate::program::simulate::awaits_interrupts;
use crate::support::program::{program, wait_for_end, wait_until};

/// Waits until a process handles interrupts and is in the middle of its work: it has computed for 0.1 s.
#[cfg(target_os = "linux")]
pub(crate) fn wait_until_it_works(child: &mut Child) {
    let id = child.id();
    wait_until("the program computes", || {
        let ended = child.try_wait().expect("a child");
        assert_eq!(ended, None, "the program has ended by itself");
        awaits_interrupts(id) && ticks(id) >= 10
    });
}

#[cfg(target_os = "linux")]
#[test]
fn one_interrupt_ends_what_would_take_hours() {
    let folder = tempfile::tempdir().expect("a folder");
    // Rounds of 3,000 words, each of which is one step that looks at no flag.
    let words: Vec<String> = (0..=3000).map(|word| format!("{word}/3000")).collect();
    let words = words.join(",");
    let often = "1000000000000";
    let best = ["--opponent", "best-response", "--grid", &words];
    let more = ["--max-replies", often];
    let table = ["equilibrium", "primes-small", "--prover", "honest"];
    let deep = folder.path().join("deep.ron");
    std::fs::write(&deep, levels(30)).expect("a file");
    let deep = deep.display().to_string();
    let cases = [
        [&["solve", &deep][..], &best, &more].concat(),
        [&table[..], &best, &more].concat(),
        vec!["export", "primes", "--to", "efg", "--most-nodes", often],
        vec!["simulate", &deep, "-n", "1e12"],
    ];
    for arguments in cases {
        let mut child = program(folder.path())
            .args(&arguments)
            .spawn()
            .expect("the program starts");
        let id = child.id();
        wait_until_it_works(&mut child);
        let pid = rustix::process::Pid::from_raw(id.try_into().expect("an id")).expect("an id");
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
        let ended = wait_for_end(child);
        assert_eq!(ended.status.code(), Some(130), "{:?}", &arguments[..2]);
    }
}

/// The time that a process has computed so far, in hundredths of a second on every common system.
#[cfg(target_os = "linux")]
fn ticks(id: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // After the name, which is in brackets, the 12th and the 13th word.
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

/// A walk asks for no more than it needs, so that a small machine is enough for values and hints.
#[cfg(target_os = "linux")]
#[test]
fn values_and_hints_fit_a_small_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let hint = ["primes", "--plain", "--seed", "1", "--role", "prover"];
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
        // The program may leave before it has read everything.
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
