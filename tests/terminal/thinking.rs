//! Players that need seconds: the screen answers meanwhile, and whoever waits can stop or leave.

use debate_lab::record::verify_file;
use debate_lab::setup::Limits;
use tempfile::TempDir;

use crate::support::pty::Pty;

/// How many parts the claim has. All of them are estimated one by one, and each estimate takes longer the more there
/// are: that is far longer than a test takes to type its keys, so none of them races with the end of the debate.
pub(crate) const PARTS: usize = 9_000;

/// A claim with very many parts, estimated by somebody who is calibrated.
pub(crate) fn wide() -> String {
    let names: Vec<String> = (0..PARTS).map(|part| format!("\"c{part}\"")).collect();
    let claims = names.iter().enumerate().map(|(part, name)| {
        format!("{name}: Claim(text: \"Part {part} holds\", truth: true, estimate: 0.9{part:05})")
    });
    let claims = claims.collect::<Vec<_>>().join(", ");
    let all = names.join(", ");
    format!(
        "Scenario(format: 1, title: \"Wide\", problem: Argument(root: \"most\", claims: {{\
         \"most\": Claim(text: \"Most parts hold\", supports: [Support(gate: Majority, on: [{all}])]), \
         {claims}}}), oracle: Truth, protocol: ProverEstimator(epsilon: 0.25, rho: \"1/4\"), \
         players: (prover: \"honest\", opponent: \"calibrated\", judge: \"oracle\"))"
    )
}

/// The scenario in a file of this folder, and how it is watched.
fn arguments(folder: &TempDir) -> [String; 7] {
    let scenario = folder.path().join("wide.ron");
    std::fs::write(&scenario, wide()).unwrap();
    let scenario = scenario.to_str().unwrap();
    let width = (PARTS + 1).to_string();
    let all = [
        scenario,
        "--role",
        "none",
        "--max-width",
        &width,
        "--seed",
        "1",
    ];
    all.map(str::to_owned)
}

/// The one save verifies and has moves. True if its debate is finished.
fn assert_kept(pty: &Pty) -> bool {
    let mut saves = pty.saves();
    // The list of files that were opened lately stands there too.
    saves.retain(|path| path.extension().is_some_and(|kind| kind == "ron"));
    let [save] = &saves[..] else {
        panic!("{saves:?}");
    };
    let limits = Limits {
        width: u32::try_from(PARTS).unwrap() + 1,
        ..Limits::default()
    };
    let verdict = verify_file(save, &limits).unwrap();
    assert!(verdict.ok && verdict.replies > 0, "{verdict:?}");
    verdict.finished
}

#[test]
fn the_screen_answers_while_the_players_think() {
    let folder = TempDir::new().unwrap();
    let arguments = arguments(&folder);
    let arguments = arguments.each_ref().map(String::as_str);
    let mut pty = Pty::program(&arguments);
    pty.wait_for("What comes next");
    pty.type_in("\r");
    pty.wait_for("is thinking (esc stops)");
    // Whoever waits can stop, and ask again.
    pty.type_in("\x1b");
    pty.wait_for("is not waited for");
    pty.type_in("\r");
    pty.wait_for("is thinking (esc stops)");
    // Moves are shown as they come.
    pty.wait_for("Part 1");
    // The help opens meanwhile, and Ctrl-C ends it all from there.
    pty.type_in("?");
    pty.wait_for("╭ Help ─");
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    pty.assert_restored();
    assert!(!assert_kept(&pty));
}

#[test]
fn ctrl_z_while_a_player_thinks_gives_the_terminal_to_the_shell_and_the_debate_goes_on() {
    let folder = TempDir::new().unwrap();
    let arguments = arguments(&folder);
    let arguments = arguments.each_ref().map(String::as_str);
    let mut pty = Pty::program_under_shell(&arguments);
    pty.wait_for("What comes next");
    pty.type_in("\r");
    pty.wait_for("is thinking (esc stops)");
    pty.type_in("\x1a");
    pty.wait_for("shell-has-it");
    pty.assert_restored();
    pty.type_in("\r");
    // The player goes on where it was stopped, and its moves come.
    pty.wait_for("is thinking (esc stops)");
    pty.wait_for("Part 1");
    pty.type_in("\x03");
    pty.wait_for("shell-is-done");
    pty.assert_restored();
    assert!(!assert_kept(&pty));
}
