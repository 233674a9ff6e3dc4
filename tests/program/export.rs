//! What `export` writes for other programs.

use std::fs;
use std::process::Command;

use crate::support::say;

#[test]
fn a_small_debate_is_written_as_a_game() {
    let dir = tempfile::tempdir().expect("a folder");
    let said = say(dir.path(), &["export", "parity", "--to", "efg"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut lines = said.out.lines();
    let header = lines.next().expect("a header");
    assert!(header.starts_with("EFG 2 R \"") && header.ends_with("{ \"Prover\" \"Opponent\" }"));
    assert_eq!(said.err, "255 nodes, 128 of them terminals\n");
    assert_eq!(lines.count(), 255);
    let out = dir.path().join("parity.efg");
    let arguments = [
        "export",
        "parity",
        "--to",
        "efg",
        "--out",
        out.to_str().expect("UTF-8"),
    ];
    let written = say(dir.path(), &arguments, "");
    assert_eq!((written.code, written.out.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(&out).expect("a file"), said.out);
    // What stands there already is left alone.
    assert_eq!(say(dir.path(), &arguments, "").code, Some(2));
}

#[test]
fn what_cannot_be_written_is_explained() {
    let dir = tempfile::tempdir().expect("a folder");
    for (arguments, why) in [
        (
            &["--most-nodes", "1000"][..],
            "more than 1000 nodes; raise --most-nodes",
        ),
        (&[], "more than 100000 nodes; raise --most-nodes"),
        (&["--grid", "0,2"], "2 is no number from 0 to 1"),
        (&["--judge", "nobody"], "there is no judge named"),
        (
            &["--protocol", "Descent"],
            "cannot be debated under Descent",
        ),
    ] {
        let arguments = [&["export", "primes", "--to", "efg"], arguments].concat();
        let said = say(dir.path(), &arguments, "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
    }
}

/// What pygambit makes of the games that it is given.
const READER: &str = "
import sys
try:
    import pygambit
except ImportError:
    print('missing')
    sys.exit(0)
for name in sys.argv[1:]:
    pygambit.read_efg(name)
    print('read')
";

#[test]
fn every_node_has_a_name_of_its_own_and_pygambit_reads_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut games = Vec::new();
    for arguments in [
        &["parity"][..],
        &["hidden-flaw", "--instance", "all", "--grid", "0,1"],
    ] {
        let arguments = [&["export"], arguments, &["--to", "efg"]].concat();
        let said = say(dir.path(), &arguments, "");
        assert_eq!(said.code, Some(0), "{said:?}");
        let mut names: Vec<&str> = said
            .out
            .lines()
            .skip(1)
            .map(|line| line.split('"').nth(1).expect("a name"))
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{arguments:?}");
        let path = dir.path().join(format!("{}.efg", games.len()));
        fs::write(&path, &said.out).expect("a file");
        games.push(path);
    }
    let python = std::env::var_os("DEBATE_TUI_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    command.arg("-c").arg(READER);
    let Ok(out) = command.args(&games).output() else {
        println!("Skipped: there is no python3 on the PATH.");
        return;
    };
    let read = String::from_utf8_lossy(&out.stdout);
    if read.trim() == "missing" {
        println!("Skipped: python3 has no package pygambit.");
        return;
    }
    let why = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{why}");
    assert_eq!(read.lines().count(), games.len(), "{read}");
}

/// The value of a game by OpenSpiel's linear programs in sequence form; needs open_spiel, cvxpy, ecos.
const SOLVER: &str = "
import sys
try:
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp
    import ecos
except ImportError as error:
    print('missing', error)
    sys.exit(0)
game = pyspiel.load_game(f'efg_game(filename={sys.argv[1]})')
print('value', sequence_form_lp.solve_zero_sum_game(game)[0])
";

#[test]
fn open_spiel_finds_the_same_value_of_a_game() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("hidden-flaw.efg");
    let scenario = ["hidden-flaw", "--grid", "0,1/2,1"];
    let out = ["--to", "efg", "--instance", "all", "--out"];
    let out = [&out[..], &[path.to_str().expect("UTF-8")]].concat();
    let arguments = [&["export"], &scenario[..], &out].concat();
    assert_eq!(say(dir.path(), &arguments, "").code, Some(0));
    let python = std::env::var_os("DEBATE_TUI_PYTHON").unwrap_or_else(|| "python3".into());
    let Ok(solved) = Command::new(python)
        .arg("-c")
        .arg(SOLVER)
        .arg(&path)
        .output()
    else {
        println!("Skipped: there is no python3 on the PATH.");
        return;
    };
    let printed = String::from_utf8_lossy(&solved.stdout);
    let last = printed.lines().last().unwrap_or_default();
    if let Some(what) = last.strip_prefix("missing") {
        println!("Skipped: python3 has no OpenSpiel to solve it with:{what}");
        return;
    }
    let value = last
        .strip_prefix("value ")
        .and_then(|value| value.parse::<f64>().ok());
    let value = value.unwrap_or_else(|| panic!("{solved:?}"));
    let arguments = [&["equilibrium"], &scenario[..], &["--all", "--json"]].concat();
    let ours = crate::support::json(&say(dir.path(), &arguments, ""));
    let upper = ours["upper"].as_f64().expect("a number");
    println!("OpenSpiel: {value}, here at most {upper}");
    // Its solver stops at an accuracy of about 1e-8.
    assert!((value - upper).abs() < 1e-7, "{value} {ours}");
}

/// The numbers of the information sets of prover and opponent.
fn sets(game: &str) -> [usize; 2] {
    ["1", "2"].map(|player| {
        let of = |line: &str| {
            let mut words = line.split('"').nth(2)?.split_whitespace();
            let set = (words.next()? == player).then(|| words.next())??;
            set.parse().ok()
        };
        let nodes = game.lines().filter(|line| line.starts_with("p "));
        nodes.filter_map(of).max().unwrap_or(0)
    })
}

#[test]
fn a_game_of_all_instances_begins_with_their_draw() {
    let dir = tempfile::tempdir().expect("a folder");
    let export = |more: &[&str]| {
        let arguments = ["export", "hidden-flaw", "--to", "efg", "--grid", "0,1"];
        let said = say(dir.path(), &[&arguments[..], more].concat(), "");
        assert_eq!(said.code, Some(0), "{said:?}");
        said
    };
    let one = export(&["--instance", "01"]);
    assert!(!one.out.contains("Instance"));
    assert_eq!(one.err, "475 nodes, 288 of them terminals\n");
    let [alice, bob] = sets(&one.out);
    // Bob gives estimates and sees no truth; Alice does.
    let all = export(&["--instance", "all"]);
    let draw = "c \"Instance\" 1 \"Chance 1\" { \"01\" 1/2 \"10\" 1/2 } 0";
    assert_eq!(all.out.lines().nth(1), Some(draw));
    assert_eq!(all.err, "951 nodes, 576 of them terminals\n");
    assert_eq!(sets(&all.out), [2 * alice, bob]);
    // It is the default of a scenario that asks for no instance of its own.
    assert_eq!(export(&[]).out, all.out);
    let seeing = export(&["--blind", "none"]);
    assert_eq!(sets(&seeing.out), [2 * alice, 2 * bob]);
    let blind = export(&["--blind", "prover", "--blind", "opponent"]);
    assert_eq!(sets(&blind.out), [alice, bob]);
    let arguments = ["export", "hidden-flaw", "--to", "efg", "--blind", "judge"];
    let refused = say(dir.path(), &arguments, "");
    assert_eq!(
        (refused.code, refused.out.as_str()),
        (Some(2), ""),
        "{refused:?}"
    );
}
