//! A circuit of a million gates and one of a hundred thousand levels, from their files through a debate to a save that
//! verifies. The tests check sizes, not times.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::program::{path, run_here, say};
use debate_core::protocol::Protocol;
use debate_core::scenario::netlist::read_aiger;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use tempfile::TempDir;

/// Number of inputs of every circuit here.
const INPUTS: u32 = 64;

/// Number of gates of the large circuit.
const MILLION: u32 = 1 << 20;

/// A binary and-inverter graph in which every gate reads the previous gate and one shortly before it, so its depth
/// equals its size. Its outputs are the gate in the middle and the last one.
fn graph(gates: u32) -> Vec<u8> {
    let all = INPUTS + gates;
    let middle = 2 * (INPUTS + gates / 2);
    let header = format!("aig {all} {INPUTS} 0 2 {gates}\n{middle}\n{}\n", 2 * all);
    let mut file = header.into_bytes();
    for gate in 0..gates {
        // Differences of literals: 1 is the previous wire inverted, 2 is the previous wire.
        let first = if gate % 5 < 2 { 1 } else { 2 };
        let second = u8::try_from(1 + gate * 7 % 90).expect("below 128");
        file.extend([first, second]);
    }
    file
}

fn input() -> String {
    (0..INPUTS)
        .map(|place| if place % 3 == 0 { '1' } else { '0' })
        .collect()
}

/// Writes a scenario about an output of a circuit in a file beside it.
fn written(folder: &Path, gates: u32, output: u32, rules: &str) -> PathBuf {
    fs::write(folder.join("graph.aig"), graph(gates)).expect("written");
    let path = folder.join("scenario.ron");
    let input = input();
    let text = format!(
        "Scenario(format: 1, title: \"t\", protocol: {rules}, problem: Circuit(\
         file: \"graph.aig\", input: \"{input}\", output: {output}))"
    );
    fs::write(&path, text).expect("written");
    path
}

/// Plays a debate between built-in players. Returns Alice's payoff and the bits that the verifier read, which are at
/// most as many as the rules promise.
fn played(setup: &LoadedScenario, protocol: &str, players: [&str; 3]) -> (f64, u64) {
    let (payoff, read) = crate::support::played::played(setup, 0, protocol, players);
    let rules = Protocol::parse(protocol).expect("a protocol");
    let most = rules.protocol_parameters().bounds(&setup.instance(0))[0].most;
    assert!(read <= most, "{read} > {most}");
    (payoff, read)
}

#[test]
fn a_graph_takes_at_most_24_bytes_a_gate() {
    let most = 24 * u64::from(MILLION);
    let input: Vec<bool> = input().chars().map(|bit| bit == '1').collect();
    let file = graph(MILLION);
    let read = allocation_counter::measure(|| {
        let netlist = read_aiger(&file).expect("a graph");
        let values = netlist
            .evaluate_wires(&input)
            .expect("as many bits as inputs");
        assert_eq!(values.len(), (INPUTS + MILLION) as usize);
    });
    assert!(read.bytes_max + file.len() as u64 <= most, "{read:?}");

    // The same as a problem: the save includes the file, and the first output needs half of it.
    let folder = TempDir::new().expect("a folder");
    for output in [0, 1] {
        let path = written(folder.path(), MILLION, output, "CrossExamination");
        let loaded = allocation_counter::measure(|| {
            let setup = LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
                .expect("a sound scenario");
            let instance = setup.instance(0);
            assert!(instance.truth(instance.root()).is_some());
        });
        assert!(loaded.bytes_max <= most, "{loaded:?}");
    }
}

#[test]
fn a_hundred_thousand_levels_are_debated() {
    let folder = TempDir::new().expect("a folder");
    let levels = 100_000;
    let netlist = read_aiger(&graph(levels)).expect("a graph");
    assert!(netlist.circuit_depth() >= levels);
    let path = written(folder.path(), levels, 1, "CrossExamination");
    let setup = LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
        .expect("a sound scenario");
    let instance = setup.instance(0);
    let truth = instance.truth(instance.root()).expect("decidable");
    let circuit = instance.circuit().expect("a circuit");
    let rewritten = circuit.and_or_not_form().expect("not too many gates");
    assert!(
        rewritten.and_or_depth() > levels / 2,
        "{}",
        rewritten.and_or_depth()
    );
    let (payoff, read) = played(&setup, "CrossExamination", ["honest", "honest", "oracle"]);
    assert!((payoff > 0.0) == truth && read >= 17);
    let (payoff, _) = played(
        &setup,
        "CrossExamination",
        ["liar(50000)", "honest", "oracle"],
    );
    assert!(payoff < 0.0);
    for bob in ["honest", "false-alarm", "random"] {
        let (payoff, _) = played(&setup, "Descent", ["honest", bob, "oracle"]);
        assert!(payoff > 0.0, "{bob}");
    }
    let (payoff, _) = played(&setup, "Descent", ["liar", "honest", "oracle"]);
    assert!(payoff < 0.0);
}

/// A number in a header allocates no memory that the file's content does not need.
#[test]
fn hostile_headers_are_refused_cheaply() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("scenario.ron");
    let files: [(&str, &[u8], &str); 9] = [
        (
            "a.aig",
            b"aig 4294967295 0 0 1 4294967295\n2\n",
            "a.aig:1:1",
        ),
        ("b.aig", b"aig 4294967295 4294967295 0 0 0\n", "b.aig:1:1"),
        (
            "c.aig",
            b"aig 268435455 0 0 1 268435455\n2\n\x01\x01",
            "c.aig:1:1",
        ),
        // Inputs take no space in a binary file, so a header may claim any number.
        (
            "d.aig",
            b"aig 268435456 268435456 0 1 0\n2\n",
            "--max-gates",
        ),
        ("e.aig", b"aig 3 1 0 4294967295 2\n2\n", "e.aig:1:1"),
        ("f.aag", b"aag 4294967295 4294967295 0 0 0\n", "f.aag:1:1"),
        ("g.aag", b"aag 3 1 0 4294967295 0\n2\n", "g.aag:1:1"),
        ("h.txt", b"4294967295 4294967295\n1 1\n1 1\n", "h.txt:1:1"),
        (
            "i.blif",
            b".inputs a\n.outputs f\n.names g f\n1 1\n.names f g\n1 1\n",
            "i.blif:3:1",
        ),
    ];
    for (name, bytes, place) in files {
        fs::write(folder.path().join(name), bytes).expect("written");
        let text = format!("Scenario(format: 1, title: \"t\", problem: Circuit(file: {name:?}))");
        fs::write(&path, text).expect("written");
        let mut said = String::new();
        let taken = allocation_counter::measure(|| {
            let error = LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
                .expect_err(name);
            said = error.to_string();
        });
        assert!(said.contains(place), "{name}: {said}");
        assert!(taken.bytes_max < 1 << 20, "{name}: {taken:?}");
    }
    // Two of the inputs are drawn, not all 64.
    fs::write(
        folder.path().join("j.aig"),
        b"aig 1048576 1048576 0 1 0\n2\n",
    )
    .expect("written");
    let text = "Scenario(format: 1, title: \"t\", problem: Circuit(file: \"j.aig\"))";
    fs::write(&path, text).expect("written");
    let taken = allocation_counter::measure(|| {
        LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
            .expect("a sound scenario");
    });
    assert!(taken.bytes_max < 10 << 20, "{taken:?}");
}

/// The files in a folder of saves: the ending and the size of each.
fn sizes(folder: &Path) -> Vec<(String, u64)> {
    let mut sizes: Vec<(String, u64)> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let entry = entry.expect("an entry");
            let path = entry.path();
            let ending = path.extension().expect("an ending").to_string_lossy();
            (ending.into_owned(), entry.metadata().expect("a file").len())
        })
        .collect();
    sizes.sort();
    sizes
}

#[test]
fn a_save_holds_the_bits_that_were_read_and_the_digest_of_the_rest() {
    const GATES: u32 = 100_000;
    let folder = TempDir::new().expect("a folder");
    let path = written(folder.path(), GATES, 1, "CrossExamination");
    let scenario = path.to_str().expect("UTF-8");
    // One lie differs from the prepared bits in one position. Random bits are stored beside the save.
    for (prover, kept) in [("liar(1000)", 0), ("random", u64::from(GATES) / 8)] {
        let saves = TempDir::new().expect("a folder");
        let players = ["--prover", prover, "--opponent", "honest"];
        let rest = ["--role", "none", "--plain", "--seed", "7"];
        let arguments = [&[scenario][..], &players, &rest].concat();
        let said = say(saves.path(), &arguments, "");
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.out.len() < 10_000, "long bit strings are shortened");
        assert!(said.out.contains("Alice receives -1"), "{}", said.out);

        let sizes = sizes(saves.path());
        let of = |ending: &str| -> Vec<u64> {
            let fits = sizes.iter().filter(|(other, _)| other == ending);
            fits.map(|(_, size)| *size).collect()
        };
        let bits: Vec<u64> = (kept > 0).then_some(kept).into_iter().collect();
        assert_eq!(of("bits"), bits, "{prover}");
        assert_eq!(of("input"), [graph(GATES).len() as u64]);
        assert!(matches!(of("ron")[..], [save] if save < 4096), "{sizes:?}");
        assert_eq!(sizes.len(), 2 + bits.len());

        let save = fs::read_dir(saves.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .find(|path| path.extension().is_some_and(|ending| ending == "ron"));
        let save = save.expect("a save");
        let text = fs::read_to_string(&save).expect("a save");
        assert!(
            text.contains("digest: ") && text.contains("read: [\"step "),
            "{text}"
        );
        let save = save.to_str().expect("UTF-8");
        let verified = say(saves.path(), &["verify", save], "");
        assert_eq!(verified.code, Some(0), "{}", verified.err);
        assert!(verified.out.contains("verified"), "{}", verified.out);
        let replayed = say(saves.path(), &["replay", save, "--plain"], "");
        assert_eq!(replayed.code, Some(0), "{}", replayed.err);
        assert!(replayed.out.contains("Alice receives -1"));
        assert!(replayed.out.len() < 10_000);
    }
}

/// Players that would make the screen wait are named, with the duration.
#[test]
fn slow_players_cause_a_warning() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("large.ron");
    let path = path.to_str().expect("UTF-8");
    for (claims, warned) in [(2_000, false), (40_000, true)] {
        let parts = |first: u32| (10 * first + 1..=10 * first + 10).filter(|part| *part < claims);
        let claim = |number: u32| {
            let on: Vec<String> = parts(number).map(|part| format!("\"c{part}\"")).collect();
            let rest = if on.is_empty() {
                "truth: true".to_owned()
            } else {
                format!("supports: [Support(gate: All, on: [{}])]", on.join(","))
            };
            format!("\"c{number}\": Claim(text: \"t\", {rest}),")
        };
        let text: String = (0..claims).map(claim).collect();
        let text = format!(
            "Scenario(format: 1, title: \"t\", problem: Argument(root: \"c0\", claims: {{{text}}}), \
             protocol: ProverEstimator(epsilon: 0.25, rho: 0.5))"
        );
        fs::write(path, text).expect("written");
        let said = say(folder.path(), &["check", path], "");
        assert_eq!(said.code, Some(0), "{said:?}");
        let warning = "calibrated as Bob takes about 0.2 s for a reply here";
        assert_eq!(said.out.contains(warning), warned, "{said:?}");
    }
}

/// A chain of `claims` claims under an ε with `digits` digits.
fn chain_with_long_numbers(claims: usize, digits: usize) -> String {
    let claim = |number: usize| {
        let next = number + 1;
        format!(
            "\"c{number}\": (text: \"step {number}\", supports: [(gate: All, on: [\"c{next}\"])]),"
        )
    };
    let claims_text: String = (0..claims).map(claim).collect();
    let epsilon = format!("0.2{}", "7".repeat(digits));
    format!(
        "Scenario(format: 1, title: \"Chain\", problem: Argument(root: \"c0\", claims: {{{claims_text} \
         \"c{claims}\": (text: \"the last step\", truth: true)}}), \
         protocol: ProverEstimator(epsilon: {epsilon:?}, rho: \"1/2\"))"
    )
}

/// A debate between built-in players, as one JSON document.
const PLAY: [&str; 5] = ["--role", "none", "--seed", "7", "--json"];

/// The limit prevents powers of a long number through many rounds. It can be raised, and saves remain readable.
#[test]
fn long_numbers_on_a_long_chain_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let scenario = folder.path().join("chain.ron");
    let file = path(&scenario);
    for (claims, limit) in [(1000, &[][..]), (20, &["--max-digits", "5000"])] {
        fs::write(&scenario, chain_with_long_numbers(claims, 188)).expect("written");
        for arguments in [
            [&["check", file][..], limit].concat(),
            [&[file][..], &PLAY, limit].concat(),
        ] {
            let said = run_here(folder.path(), &arguments, "");
            assert_eq!(said.code, Some(2), "{said:?}");
            for part in [
                "digits in the highest power of the reward ratio",
                "`--max-digits` raises the limit",
            ] {
                assert!(said.err.contains(part), "{said:?}");
            }
        }
    }
    let played = run_here(folder.path(), &[&[file][..], &PLAY].concat(), "");
    assert_eq!(played.code, Some(0), "{played:?}");
    verify_the_save_beside(&scenario);
    // A short debate may have long numbers, and a long debate short ones.
    for text in [
        chain_with_long_numbers(4, 188),
        chain_with_long_numbers(1000, 0),
    ] {
        fs::write(&scenario, text).expect("written");
        let said = run_here(folder.path(), &["check", file], "");
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

#[test]
#[ignore = "exhaustive: 5 s; every day: at_scale::long_numbers_on_a_long_chain_are_refused"]
fn a_save_beyond_the_limit_of_digits_stays_readable() {
    let folder = TempDir::new().expect("a folder");
    let scenario = folder.path().join("chain.ron");
    let file = path(&scenario);
    fs::write(&scenario, chain_with_long_numbers(60, 188)).expect("written");
    let refused = run_here(folder.path(), &["check", file], "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let raised = [&[file][..], &PLAY, &["--max-digits", "100000"]].concat();
    let played = run_here(folder.path(), &raised, "");
    assert_eq!(played.code, Some(0), "{played:?}");
    verify_the_save_beside(&scenario);
    fs::write(&scenario, chain_with_long_numbers(4000, 0)).expect("written");
    let said = run_here(folder.path(), &["check", file], "");
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// Verifies the other file in the folder of a scenario.
fn verify_the_save_beside(scenario: &Path) {
    let folder = scenario.parent().expect("a folder");
    let mut files = fs::read_dir(folder).expect("a folder");
    let save = files.find_map(|entry| {
        let path = entry.expect("an entry").path();
        (path != scenario && path.extension()? == "ron").then_some(path)
    });
    let verified = run_here(folder, &["verify", path(&save.expect("a save"))], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
}
