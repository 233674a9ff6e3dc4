//! Players that take long for a move: the screen responds meanwhile, and the user can stop waiting or leave.

use std::fs;
use std::path::Path;

use debate_host::record::verify_file;
use debate_solver::setup::ScenarioLimits;
use tempfile::TempDir;

use crate::support::engines::script;
use crate::support::pty::Pty;

/// A player that replies to four requests once [`release`] was called, and never to a fifth. A debate with it waits
/// for the test, and never ends.
fn slow_player(folder: &Path) -> String {
    let released = folder.join("released");
    let at_request = format!(
        r#"while [ ! -e {} ]; do sleep 0.01; done
    [ $n -le 4 ] && echo '{{"type":"reply","id":'$n',"reply":{{"probability":"1/2"}}}}'"#,
        released.display()
    );
    format!("engine:{}", script(folder, "slow", &at_request))
}

/// Lets the slow player reply.
fn release(folder: &Path) {
    fs::write(folder.join("released"), "").unwrap();
}

/// Waits until the screen shows that Bob is thinking; after a second it also shows the elapsed time.
fn wait_for_thinking(pty: &Pty) {
    pty.wait_until("a player that thinks", |shown| {
        shown.contains("Bob is thinking") && shown.contains("(esc stops)")
    });
}

/// Checks that the only save verifies, has moves, and is not finished.
fn assert_kept(pty: &Pty) {
    let mut saves = pty.saves();
    saves.retain(|path| path.extension().is_some_and(|kind| kind == "ron"));
    let [save] = &saves[..] else {
        panic!("{saves:?}");
    };
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.replies > 0, "{verdict:?}");
    assert!(!verdict.finished);
}

#[test]
fn the_screen_answers_while_the_players_think() {
    let folder = TempDir::new().unwrap();
    let player = slow_player(folder.path());
    let watched = ["primes", "--role", "none", "--seed", "7", "--opponent"];
    let mut pty = Pty::program(&[&watched[..], &[&player]].concat());
    pty.begin();
    pty.wait_for("Next move");
    pty.type_in("\r");
    wait_for_thinking(&pty);
    // The user stops waiting, and asks again.
    pty.type_in("\x1b");
    pty.wait_for("was interrupted");
    pty.type_in("\r");
    wait_for_thinking(&pty);
    // Moves appear as they arrive.
    release(folder.path());
    pty.wait_for("Bob: 50 %");
    wait_for_thinking(&pty);
    // The help can be opened meanwhile, and Ctrl-C ends the program from there.
    pty.type_in("?");
    pty.wait_for("╭ Help ─");
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    pty.assert_restored();
    assert_kept(&pty);
}

#[test]
fn ctrl_z_while_a_player_thinks_suspends_and_the_debate_continues() {
    let folder = TempDir::new().unwrap();
    let player = slow_player(folder.path());
    let watched = ["primes", "--role", "none", "--seed", "7", "--opponent"];
    let mut pty = Pty::program_under_shell(&[&watched[..], &[&player]].concat());
    pty.begin();
    pty.wait_for("Next move");
    pty.type_in("\r");
    wait_for_thinking(&pty);
    pty.type_in("\x1a");
    pty.wait_for("shell-has-it");
    pty.assert_restored();
    pty.type_in("\r");
    // The program still waits for the player, and then shows its moves.
    wait_for_thinking(&pty);
    release(folder.path());
    pty.wait_for("Bob: 50 %");
    pty.type_in("\x03");
    pty.wait_for("shell-is-done");
    pty.assert_restored();
    assert_kept(&pty);
}
