//! The public debates of the NYU study, imported and judged again in a terminal, each to its end.

use std::fs;
use std::process::Command;

use crate::support::pty::Pty;

#[test]
fn all_debates_of_a_folder_are_judged_to_their_ends() {
    let dir = tempfile::tempdir().unwrap();
    let saves = dir.path().join("nyu");
    let program = env!("CARGO_BIN_EXE_debate-tui");
    let mut import = Command::new(program);
    let imported = import
        .args(["--quiet", "import", "nyu", "tests/nyu/official", "--out"])
        .arg(&saves)
        .status()
        .unwrap();
    assert!(imported.success());
    let saves = saves.to_str().unwrap();
    let mut pty = Pty::program(&["replay", saves, "--as", "judge", "--seed", "7"]);
    for number in 1..=8 {
        pty.wait_for(&format!("debate {number} of 8"));
        let mut round = 0;
        loop {
            pty.wait_for(&match round {
                0 => "before round 1".to_owned(),
                round => format!("after round {round}"),
            });
            pty.type_in("50\r");
            if round > 0 {
                pty.wait_for("You said 50 %.");
                pty.type_in("\r");
            }
            round += 1;
            let next = format!("after round {round}");
            pty.wait_until("the next round or the end", |shown| {
                shown.contains("Both judges") || shown.contains(&next)
            });
            if pty.screen(|screen| screen.contents().contains("Both judges")) {
                break;
            }
        }
        pty.wait_for("you 50 %, the other judge");
        pty.type_in("\r");
    }
    assert_eq!(pty.exit_code(), 0);
    pty.assert_told_after_leaving("8 debates judged.");
    let results = fs::read_to_string(format!("{saves}/rejudgements.jsonl")).unwrap();
    assert_eq!(results.lines().count(), 8);
    // The second run does not ask about the judged debates again.
    let mut again = Pty::program(&["replay", saves, "--as", "judge"]);
    assert_eq!(again.exit_code(), 0);
}
