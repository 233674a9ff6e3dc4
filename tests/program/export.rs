//! The output of `export` for other programs.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::program::examples::shell_words;
use crate::support::game_file::GameFile;
use crate::support::program::{json, run_here};

#[test]
fn a_small_debate_is_written_as_a_game() {
    let dir = tempfile::tempdir().expect("a folder");
    let said = run_here(dir.path(), &["export", "parity", "--to", "efg"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut lines = said.out.lines();
    let header = lines.next().expect("a header");
    assert!(header.starts_with("EFG 2 R \"") && header.ends_with("{ \"Prover\" \"Opponent\" }"));
    assert_eq!(
        said.err,
        "255 nodes in the game tree, of which 128 are terminal nodes\n"
    );
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
    let written = run_here(dir.path(), &arguments, "");
    assert_eq!((written.code, written.out.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(&out).expect("a file"), said.out);
    // Existing files are not overwritten.
    assert_eq!(run_here(dir.path(), &arguments, "").code, Some(2));
}

#[test]
#[ignore = "exhaustive: 1 s; every day: export::efg_export_explains_its_refusals"]
fn the_default_limit_of_nodes_is_explained() {
    let dir = tempfile::tempdir().expect("a folder");
    let said = run_here(dir.path(), &["export", "primes", "--to", "efg"], "");
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
    let why = "more than 100000 nodes; raise --most-nodes";
    assert!(said.err.contains(why), "{said:?}");
}

#[test]
fn efg_export_explains_its_refusals() {
    let dir = tempfile::tempdir().expect("a folder");
    for (arguments, why) in [
        (
            &["--most-nodes", "1000"][..],
            "more than 1000 nodes; raise --most-nodes",
        ),
        (&["--grid", "0,2"], "2 is not a number from 0 to 1"),
        (&["--judge", "nobody"], "there is no judge named"),
        (
            &["--protocol", "Descent"],
            "cannot be debated under Descent",
        ),
    ] {
        let arguments = [&["export", "primes", "--to", "efg"], arguments].concat();
        let said = run_here(dir.path(), &arguments, "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
    }
}

/// Reads the given games with pygambit.
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
fn every_node_has_a_unique_name_and_pygambit_reads_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut games = Vec::new();
    for arguments in [
        &["parity"][..],
        &["hidden-flaw", "--instance", "all", "--grid", "0,1"],
    ] {
        let arguments = [&["export"], arguments, &["--to", "efg"]].concat();
        let said = run_here(dir.path(), &arguments, "");
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
        println!("skipped: there is no python3 on the PATH.");
        return;
    };
    let read = String::from_utf8_lossy(&out.stdout);
    if read.trim() == "missing" {
        println!("skipped: python3 has no package pygambit.");
        return;
    }
    let why = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{why}");
    assert_eq!(read.lines().count(), games.len(), "{read}");
}

/// Solves a game with OpenSpiel's linear programs in sequence form, which need open_spiel, cvxpy and ecos, else with
/// pygambit.
const SOLVER: &str = "
import sys
try:
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp
    import ecos
    game = pyspiel.load_game(f'efg_game(filename={sys.argv[1]})')
    print('value', sequence_form_lp.solve_zero_sum_game(game)[0])
except ImportError as missing:
    try:
        import pygambit
    except ImportError as error:
        print('missing', missing, error)
        sys.exit(0)
    game = pygambit.read_efg(sys.argv[1])
    print('value', pygambit.nash.lp_solve(game, rational=False).equilibria[0].payoff('Prover'))
";

/// The value of a game by a program that shares no code with this one. Returns `None`, and prints the reason, if there
/// is no such program.
fn by_another_program(path: &Path) -> Option<f64> {
    let python = std::env::var_os("DEBATE_TUI_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    let Ok(solved) = command.arg("-c").arg(SOLVER).arg(path).output() else {
        println!("skipped: there is no python3 on the PATH.");
        return None;
    };
    let printed = String::from_utf8_lossy(&solved.stdout);
    let last = printed.lines().last().unwrap_or_default();
    if let Some(what) = last.strip_prefix("missing") {
        println!("skipped: python3 has neither OpenSpiel nor pygambit to solve it with:{what}");
        return None;
    }
    let value = last.strip_prefix("value ");
    let value = value.and_then(|value| value.parse::<f64>().ok());
    Some(value.unwrap_or_else(|| panic!("{solved:?}")))
}

/// Four numbers that Alice cannot distinguish; Bob cannot distinguish numbers of the same size.
const FOUR_NUMBERS: &str = r#"Scenario(
    format: 1, title: "Four numbers",
    problem: Primality(numbers: ["15", "21", "35", "25"], estimator_knows: Size),
    decomposition: Intervals(width: 2),
    protocol: Recursive,
)"#;

/// A claim over two bits that Alice writes.
const TWO_BITS: &str = r#"Scenario(
    format: 1, title: "Two bits",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "One of two.", supports: [Support(gate: Xor, on: ["a", "b"])]),
        "a": Claim(text: "A.", reads: ["u"], check: All),
        "b": Claim(text: "B.", reads: ["u", "v"], check: Xor),
    }, proof: {"u": true, "v": true}),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

/// The flags of games; the last game is large.
const GAMES: [&str; 6] = [
    "four.ron --prover-knows nothing",
    "four.ron --prover-knows nothing --opponent-knows 'instances(15 21)'",
    "four.ron --prover-knows 'instances(15 25)' --opponent-knows nothing",
    "bits.ron --grid 0,1",
    "hidden-flaw --grid 0,1 --prover-knows nothing",
    "hidden-flaw --grid 0,1 --prover-knows nothing --prover-queries 1",
];

/// Exports a game and solves it with `equilibrium --all`, then with a reader and a solver that share no code with the
/// program. That solver runs `rounds` rounds, which leave a bracket of at most `width`.
fn assert_exported_as_solved(flags: &str, rounds: u32, width: f64) -> (TempDir, f64) {
    let dir = tempfile::tempdir().expect("a folder");
    let mut words = shell_words(flags);
    for (name, text) in [("four.ron", FOUR_NUMBERS), ("bits.ron", TWO_BITS)] {
        if words[0] == name {
            words[0] = written(dir.path(), name, text);
        }
    }
    words.extend(["--judge", "noisy(1/10)"].map(str::to_owned));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let path = dir.path().join("game.efg");
    let out = ["--to", "efg", "--out", path.to_str().expect("UTF-8")];
    let exported = run_here(dir.path(), &[&["export"], &words[..], &out].concat(), "");
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let game = GameFile::read(&fs::read_to_string(&path).expect("a game"));
    let solve = [&["equilibrium"], &words[..], &["--all", "--json"]].concat();
    let ours = json(&run_here(dir.path(), &solve, ""));
    let [lower, upper] = ["lower", "upper"].map(|end| ours[end].as_f64().expect("a number"));
    assert!(upper - lower < 1e-9, "{flags} {ours}");
    let [low, high] = game.bracket(rounds);
    let meets = low < upper + 1e-9 && lower < high + 1e-9;
    assert!(meets, "{flags} {low} {high} {ours}");
    assert!(high - low < width, "{flags} {low} {high}");
    (dir, upper)
}

#[test]
fn the_exported_game_is_the_game_that_is_solved() {
    for flags in &GAMES[..5] {
        assert_exported_as_solved(flags, 300, 3e-2);
    }
}

#[test]
#[ignore = "exhaustive: 9 s; every day: export::the_exported_game_is_the_game_that_is_solved"]
fn other_programs_solve_the_exported_games() {
    for flags in GAMES {
        let (dir, value) = assert_exported_as_solved(flags, 1500, 5e-3);
        if let Some(other) = by_another_program(&dir.path().join("game.efg")) {
            println!("{flags}: another program {other}, here {value}");
            // Solvers in floating point stop at an accuracy of about 1e-8.
            assert!((other - value).abs() < 1e-6, "{flags} {other} {value}");
        }
    }
}

/// Writes this text to a file and returns its path.
fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    path.into_os_string().into_string().expect("UTF-8")
}

/// The number of information sets in which Alice makes her first move.
fn first_sets(game: &str) -> usize {
    let game = GameFile::read(game);
    let answers = game.kinds.iter().filter(|(_, _, kind)| kind == "Answer");
    let sets: std::collections::HashSet<_> = answers.map(|(_, set, _)| *set).collect();
    sets.len()
}

#[test]
fn knowledge_of_the_instance_splits_the_first_set_of_an_export() {
    let dir = tempfile::tempdir().expect("a folder");
    let four = &*written(dir.path(), "four.ron", FOUR_NUMBERS);
    for (knows, sets) in [("nothing", 1), ("instances(15 21)", 2), ("everything", 4)] {
        let flags = ["export", four, "--to", "efg", "--prover-knows", knows];
        let exported = run_here(dir.path(), &flags, "");
        assert_eq!(exported.code, Some(0), "{exported:?}");
        assert_eq!(first_sets(&exported.out), sets, "{knows}");
    }
    for (flags, why) in [
        (
            &["--prover-knows", "much"][..],
            "--prover-knows: \"much\" is not a kind of knowledge",
        ),
        (
            &["--prover-knows", "nothing", "--blind", "prover"],
            "cannot be used with",
        ),
    ] {
        let flags = [&["export", four, "--to", "efg"], flags].concat();
        let refused = run_here(dir.path(), &flags, "");
        assert_eq!(
            (refused.code, refused.out.as_str()),
            (Some(2), ""),
            "{refused:?}"
        );
        assert!(refused.err.contains(why), "{refused:?}");
    }
    let other = ["export", four, "--to", "json", "--prover-queries", "1"];
    let refused = run_here(dir.path(), &other, "");
    let why = "--prover-queries has no effect on `json` of a scenario; use this flag with efg";
    assert!(refused.err.contains(why), "{refused:?}");
}

/// The numbers of information sets of the prover and the opponent.
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
        let said = run_here(dir.path(), &[&arguments[..], more].concat(), "");
        assert_eq!(said.code, Some(0), "{said:?}");
        said
    };
    let one = export(&["--instance", "01"]);
    assert!(!one.out.contains("Instance"));
    assert_eq!(
        one.err,
        "475 nodes in the game tree, of which 288 are terminal nodes\n"
    );
    let [alice, bob] = sets(&one.out);
    // Bob gives estimates and sees no truth; Alice sees it.
    let all = export(&["--instance", "all"]);
    let draw = "c \"Instance\" 1 \"Chance 1\" { \"01\" 1/2 \"10\" 1/2 } 0";
    assert_eq!(all.out.lines().nth(1), Some(draw));
    assert_eq!(
        all.err,
        "951 nodes in the game tree, of which 576 are terminal nodes\n"
    );
    assert_eq!(sets(&all.out), [2 * alice, bob]);
    // This is the default of a scenario that names no instance.
    assert_eq!(export(&[]).out, all.out);
    let seeing = export(&["--blind", "none"]);
    assert_eq!(sets(&seeing.out), [2 * alice, 2 * bob]);
    let blind = export(&["--blind", "prover", "--blind", "opponent"]);
    assert_eq!(sets(&blind.out), [alice, bob]);
    let arguments = ["export", "hidden-flaw", "--to", "efg", "--blind", "judge"];
    let refused = run_here(dir.path(), &arguments, "");
    assert_eq!(
        (refused.code, refused.out.as_str()),
        (Some(2), ""),
        "{refused:?}"
    );
}
