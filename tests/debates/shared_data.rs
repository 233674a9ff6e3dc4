//! Real circuits, formulas and numbers agree with their recorded results; skipped without the folder of data.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use debate_core::protocol::Protocol;
use debate_core::scenario::netlist::{Netlist, read_aiger, read_bench, read_blif, read_bristol};
use debate_core::scenario::{Formula, read_qdimacs};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use serde_json::Value;

use crate::support::played::played;

/// The folder of real inputs beside the checkout, which is not part of a clone.
fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no folder {}", folder.display());
    None
}

/// Reads a circuit in the format of its file extension.
fn read(file: &Path) -> Netlist {
    let bytes = fs::read(file).expect("the circuit");
    let ending = file.extension().and_then(|ending| ending.to_str());
    let read = match ending {
        Some("aig" | "aag") => read_aiger(&bytes),
        Some("bench") => read_bench(&bytes),
        Some("blif") => read_blif(&bytes),
        _ => read_bristol(&bytes),
    };
    read.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn bits(value: &Value) -> Vec<bool> {
    value
        .as_str()
        .expect("bits")
        .chars()
        .map(|bit| bit == '1')
        .collect()
}

fn run(netlist: &Netlist, input: &[bool]) -> Vec<bool> {
    let values = netlist
        .evaluate_wires(input)
        .expect("as many bits as inputs");
    netlist
        .outputs()
        .iter()
        .map(|wire| values[*wire as usize])
        .collect()
}

#[test]
fn circuits_give_the_recorded_outputs() {
    let Some(data) = data() else { return };
    let circuits = data.join("circuits");
    let text = fs::read_to_string(circuits.join("vectors.json")).expect("the vectors");
    let vectors: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    for vector in &vectors {
        let file = vector["file"].as_str().expect("a file");
        let netlist = read(&circuits.join(file));
        assert_eq!(
            run(&netlist, &bits(&vector["in"])),
            bits(&vector["out"]),
            "{file}"
        );
        // The data counts a wide gate once, and this program counts its tree.
        let narrow = !file.starts_with("iscas85/c432");
        if let Some(depth) = vector["depth"].as_u64().filter(|_| narrow) {
            // This program counts an inverted output as a separate gate.
            let own = u64::from(netlist.circuit_depth());
            assert!(
                own == depth || own == depth + 1,
                "{file}: {own} for {depth}"
            );
        }
    }
    assert!(vectors.len() >= 8);
}

#[test]
fn real_circuits_are_debated_as_scenarios() {
    let Some(data) = data() else { return };
    let circuits = data.join("circuits");
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(circuits.join("vectors.json")).expect("the vectors");
    let vectors: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    for vector in &vectors {
        let file = vector["file"].as_str().expect("a file");
        let name = Path::new(file).file_name().expect("a name");
        fs::copy(circuits.join(file), folder.path().join(name)).expect("a copy");
        let (input, outputs) = (vector["in"].as_str().expect("bits"), bits(&vector["out"]));
        for output in [0, outputs.len() - 1] {
            let scenario = format!(
                "Scenario(format: 1, title: \"t\", protocol: Descent, problem: Circuit(\
                 file: {name:?}, input: {input:?}, output: {output}))"
            );
            let path = folder.path().join("scenario.ron");
            fs::write(&path, scenario).expect("written");
            let setup = LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
                .expect("a sound scenario");
            let instance = setup.instance(0);
            let truth = outputs[output];
            assert_eq!(instance.truth(instance.root()), Some(truth), "{file}");

            let conditions = Protocol::parse("Descent").expect("a protocol");
            let most = conditions.protocol_parameters().bounds(&instance)[0].most;
            for bob in ["honest", "false-alarm", "random"] {
                let (payoff, read) = played(&setup, 0, "Descent", ["honest", bob, "oracle"]);
                assert!(payoff > 0.0 && read <= most, "{file}: {bob}");
            }
            for alice in ["liar", "random"] {
                let (payoff, read) = played(&setup, 0, "Descent", [alice, "honest", "oracle"]);
                assert!(
                    (payoff < 0.0 || alice == "random") && read <= most,
                    "{file}: {alice}"
                );
            }
            let (payoff, _) = played(&setup, 0, "CrossExamination", ["liar", "honest", "oracle"]);
            assert_eq!(payoff > 0.0, truth, "{file}");
            for decomposition in ["Gates", "Halves", "Blocks(width: 8)"] {
                let text = fs::read_to_string(&path).expect("the scenario");
                let start = format!("Scenario(decomposition: {decomposition}, ");
                let path = folder.path().join("split.ron");
                fs::write(&path, text.replacen("Scenario(", &start, 1)).expect("written");
                let setup = LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
                    .expect("a sound scenario");
                let (payoff, _) = played(&setup, 0, "Recursive", ["honest", "honest", "oracle"]);
                assert!(payoff > 0.0, "{file}: {decomposition}");
            }
        }
    }
}

/// The circuits that exist as a binary graph and as covers.
const IN_TWO_FORMATS: [&str; 2] = ["adder", "ctrl"];

#[test]
fn the_same_circuit_in_two_formats_is_the_same() {
    let Some(data) = data() else { return };
    for name in IN_TWO_FORMATS {
        let file = |ending: &str| data.join("circuits/epfl").join(format!("{name}.{ending}"));
        let (graph, covers) = (read(&file("aig")), read(&file("blif")));
        assert_eq!(graph.input_count(), covers.input_count());
        for salt in 1..20_u32 {
            let bit = |place: u32| (place + 7).wrapping_mul(salt).wrapping_mul(2_654_435_761) >> 31;
            let input: Vec<bool> = (0..graph.input_count())
                .map(|place| bit(place) == 1)
                .collect();
            assert_eq!(run(&graph, &input), run(&covers, &input), "{name}");
        }
    }
}

fn formula(file: &Path) -> Formula {
    let bytes = fs::read(file).expect("the formula");
    read_qdimacs(&bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// A scenario in a separate folder, optionally with another file beside it.
fn scenario(problem: &str, rest: &str, beside: Option<&Path>) -> LoadedScenario {
    let folder = tempfile::tempdir().expect("a folder");
    if let Some(file) = beside {
        let name = file.file_name().expect("a name");
        fs::copy(file, folder.path().join(name)).expect("a copy");
    }
    let path = folder.path().join("scenario.ron");
    let text = format!("Scenario(format: 1, title: \"t\", problem: {problem}, {rest})");
    fs::write(&path, &text).expect("written");
    LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn formulas_have_the_recorded_winners() {
    let Some(data) = data() else { return };
    let folder = data.join("qbf");
    let text = fs::read_to_string(folder.join("expected.json")).expect("the verdicts");
    let verdicts: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let mut undecided = Vec::new();
    for verdict in &verdicts {
        let file = verdict["file"].as_str().expect("a file");
        let problem = format!("Qbf(file: {file:?})");
        let setup = scenario(
            &problem,
            "protocol: Quantifiers(verifier: Direct)",
            Some(&folder.join(file)),
        );
        let instance = setup.instance(0);
        let Some(holds) = instance.truth(instance.root()) else {
            undecided.push(file);
            continue;
        };
        assert_eq!(holds, verdict["verdict"] == "SAT", "{file}");
        for verifier in ["Direct", "CrossExamined"] {
            let rules = format!("Quantifiers(verifier: {verifier})");
            let conditions = Protocol::parse(&rules).expect("a protocol");
            let most = conditions.protocol_parameters().bounds(&instance)[0].most;
            for bob in ["honest", "random"] {
                let (payoff, read) = played(&setup, 0, &rules, ["honest", bob, "oracle"]);
                assert!(!holds || payoff > 0.0, "{file}: {bob}");
                assert!(read <= most, "{file}: {read} of {most} bits");
            }
            for alice in ["honest", "liar", "random"] {
                let (payoff, read) = played(&setup, 0, &rules, [alice, "honest", "oracle"]);
                assert!(holds || payoff < 0.0, "{file}: {alice}");
                assert!(read <= most, "{file}: {read} of {most} bits");
            }
        }
    }
    let listed = verdicts
        .iter()
        .filter_map(|verdict| verdict["file"].as_str());
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert_eq!(files(&folder, &["qdimacs"]), listed);
    // This circuit takes other programs long as well.
    assert!(
        undecided.iter().all(|file| *file == "adder2.qdimacs"),
        "{undecided:?}"
    );
}

/// The files of a folder and its subfolders with one of these endings, as paths relative to the folder.
fn files(folder: &Path, endings: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).expect("a folder") {
            let path = entry.expect("an entry").path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() {
                open.push(path);
            } else if ending.is_some_and(|ending| endings.contains(&ending)) {
                let name = path.strip_prefix(folder).expect("within it");
                found.insert(name.to_str().expect("UTF-8").to_owned());
            }
        }
    }
    found
}

/// The small graphs, each with the values of its outputs on all inputs in order.
const GRAPHS: [(&str, &[&str]); 6] = [
    ("aiger/and.aag", &["0001"]),
    ("aiger/false.aag", &["0"]),
    ("aiger/true.aag", &["1"]),
    ("aiger/halfadder.aag", &["0110", "0001"]),
    ("aiger/xor1.aag", &["0110"]),
    // Two circuits for the same function never differ.
    ("aiger/xorxormiter.aag", &["0000"]),
];

#[test]
fn small_graphs_are_debated_on_every_input() {
    let Some(data) = data() else { return };
    for (file, outputs) in GRAPHS {
        let path = data.join("circuits").join(file);
        let name = path.file_name().expect("a name");
        for (output, values) in outputs.iter().enumerate() {
            let problem = format!("Circuit(file: {name:?}, output: {output})");
            let setup = scenario(&problem, "", Some(&path));
            assert_eq!(setup.decomposition.worlds().len(), values.len(), "{file}");
            for (world, value) in values.chars().enumerate() {
                let instance = setup.instance(world);
                let truth = value == '1';
                assert_eq!(instance.truth(instance.root()), Some(truth), "{file}");
                let end = |rules, alice| {
                    played(&setup, world, rules, [alice, "honest", "oracle"]).0 > 0.0
                };
                assert!(
                    end("Descent", "honest") && !end("Descent", "liar"),
                    "{file}"
                );
                assert_eq!(end("CrossExamination", "honest"), truth, "{file}");
                assert_eq!(end("CrossExamination", "liar"), truth, "{file}");
            }
        }
    }
}

#[test]
fn every_shared_circuit_has_an_expected_result() {
    let Some(data) = data() else { return };
    let circuits = data.join("circuits");
    let text = fs::read_to_string(circuits.join("vectors.json")).expect("the vectors");
    let vectors: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let mut known: BTreeSet<String> = vectors
        .iter()
        .filter_map(|vector| vector["file"].as_str())
        .map(str::to_owned)
        .collect();
    known.extend(GRAPHS.iter().map(|(file, _)| (*file).to_owned()));
    known.extend(IN_TWO_FORMATS.map(|name| format!("epfl/{name}.blif")));
    let mut there = files(&circuits, &["aig", "aag", "bench", "blif", "txt"]);
    there.retain(|name| !name.starts_with("README"));
    assert_eq!(there, known);
}

#[test]
fn shared_numbers_have_their_stated_kind() {
    let Some(data) = data() else { return };
    let text = fs::read_to_string(data.join("numbers.json")).expect("the numbers");
    let kinds: Value = serde_json::from_str(&text).expect("JSON");
    let mut count = 0;
    for (kind, numbers) in kinds.as_object().expect("kinds") {
        for number in numbers.as_array().into_iter().flatten() {
            let n = number["n"].as_str().expect("a number");
            let is_prime = kind == "primes";
            let bases = number["strong_pseudoprime_to_bases"].as_array();
            is_debated(n, is_prime);
            for base in bases.into_iter().flatten() {
                let rest = format!("decomposition: Witnesses(bases: [{base}])");
                let instance =
                    scenario(&format!("Primality(number: {n:?})"), &rest, None).instance(0);
                assert_eq!(instance.truth(instance.root()), Some(false), "{n}");
                let support = &instance.supports(instance.root())[0];
                assert_eq!(instance.truth(support.on[0]), Some(true), "{n} to {base}");
            }
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// Checks that the side that is right about a number wins.
fn is_debated(n: &str, is_prime: bool) {
    let problem = format!("Primality(number: {n:?})");
    for decomposition in ["Intervals(width: 4)", "Pratt"] {
        let rest = format!("decomposition: {decomposition}");
        let setup = scenario(&problem, &rest, None);
        let instance = setup.instance(0);
        let truth = instance.truth(instance.root());
        assert_eq!(truth, Some(is_prime), "{n}: {decomposition}");
        let (payoff, _) = played(&setup, 0, "Recursive", ["honest", "honest", "oracle"]);
        assert!(payoff > 0.0, "{n}: {decomposition}");
        let (payoff, _) = played(&setup, 0, "Recursive", ["obfuscator", "honest", "oracle"]);
        assert!(payoff < 0.0, "{n}: {decomposition}");
    }
    let setup = scenario(&problem, "", None);
    for alice in ["honest", "liar"] {
        let rules = "CrossExamination(witness: true)";
        let (payoff, _) = played(&setup, 0, rules, [alice, "honest", "oracle"]);
        assert_eq!(payoff > 0.0, is_prime, "{n}: {alice}");
    }
}

#[test]
fn the_winner_of_a_real_formula_wins_against_any_values() {
    let Some(data) = data() else { return };
    for file in [
        "lights",
        "pec_adder_sat",
        "pec_adder_unsat",
        "116_SAT",
        "arbiter_bug2",
        "bug9",
    ] {
        let formula = formula(&data.join("qbf").join(format!("{file}.qdimacs")));
        let holds = formula.is_formula_true().expect("decided");
        for salt in 1..40_u32 {
            let mut values = Vec::new();
            while let Some((number, block)) = formula.next_block(values.len()) {
                let length = u32::try_from(block.variables.len()).expect("few");
                if block.quantifier.choosing_player_wins(holds) {
                    let position = formula.solve_position(&values).expect("decided");
                    assert_eq!(position.holds, holds, "{file}: block {number}");
                    values.extend(position.values.as_slice());
                } else {
                    let bit = |place: u32| {
                        (place + 7).wrapping_mul(salt).wrapping_mul(2_654_435_761) >> 31 == 1
                    };
                    values.extend((0..length).map(bit));
                }
            }
            assert_eq!(
                formula.matrix_value_of_full_assignment(&values),
                Some(holds),
                "{file}"
            );
        }
    }
}
