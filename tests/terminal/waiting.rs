//! Players that take long to build, and debates that take long to play: the screen names the reason for waiting, and
//! the user can leave.

use tempfile::TempDir;

use crate::support::BEGIN;
use crate::support::pty::Pty;

const BUILT: &str = "The players are being prepared";
const PLAYED: &str = "Both debates are being played";

/// The number of subclaims of a claim. Bob estimates every subclaim, and each estimate takes longer with more
/// subclaims. The two debates take a fast machine a minute.
const PARTS: usize = 9_000;

/// A claim with very many subclaims, estimated by a calibrated player.
fn wide() -> String {
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

/// An estimator that is trained for minutes.
const SLOW: [&str; 4] = ["--opponent", "indistinguishable(0.0001)", "--seed", "7"];

/// The number of saves.
fn saved(pty: &Pty) -> usize {
    let saves = pty.saves().into_iter();
    saves
        .filter(|path| path.extension().is_some_and(|kind| kind == "ron"))
        .count()
}

#[test]
fn waiting_for_players_to_be_built_can_be_stopped() {
    for (keys, code) in [("\x1b", 0), ("q", 0), ("\x03", 130)] {
        let arguments = [&["primes", "--role", "none"], &SLOW[..]].concat();
        let mut pty = Pty::program(&arguments);
        pty.wait_for(BUILT);
        pty.type_in("?");
        pty.wait_for("╭ Help ─");
        pty.type_in("\x1b");
        pty.wait_for(BUILT);
        pty.type_in(keys);
        assert_eq!(pty.exit_code(), code, "{keys:?}");
        pty.assert_restored();
        assert_eq!(saved(&pty), 0);
    }
}

#[test]
fn the_lobby_returns_if_the_user_stops_waiting_for_players() {
    let mut pty = Pty::program(&SLOW);
    for (keys, wanted) in [
        ("", "Preview"),
        ("jjo", "Players and rules"),
        ("lll", "no seat: watch"),
        ("\r", BUILT),
        ("\x1b", "Players and rules"),
        // The form keeps its values.
        ("", "no seat: watch"),
        ("\r", BUILT),
        ("q", "Players and rules"),
        // This player needs no training.
        ("jje\x15bayes\r", "< bayes >"),
        ("\r", BEGIN),
        ("\r", "Next move"),
        ("q", "Preview"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn the_lobby_reports_players_that_cannot_be_built() {
    let mut pty = Pty::program(&["--seed", "7"]);
    for (keys, wanted) in [
        ("", "Preview"),
        ("jjo", "Players and rules"),
        // A human player has Bob's seat, and a best response needs a strategy there.
        ("je\x15best-response\r", "< best-response >"),
        ("\r", "is computed against"),
        ("", "Players and rules"),
    ] {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
    pty.type_in("\x03");
    assert_eq!(pty.exit_code(), 130);
    pty.assert_restored();
}

#[test]
fn waiting_for_compared_debates_can_be_stopped() {
    let folder = TempDir::new().unwrap();
    let scenario = folder.path().join("wide.ron");
    std::fs::write(&scenario, wide()).unwrap();
    let width = (PARTS + 1).to_string();
    let arguments = [
        "compare",
        scenario.to_str().unwrap(),
        "--max-width",
        &width,
        "--seed",
        "1",
    ];
    for (keys, code) in [("\x1b", 0), ("q", 0), ("\x03", 130)] {
        let mut pty = Pty::program(&arguments);
        pty.wait_for(PLAYED);
        pty.type_in(keys);
        assert_eq!(pty.exit_code(), code, "{keys:?}");
        pty.assert_restored();
    }
}
