//! Real circuits agree with their recorded results, where the folder of data is there.

use std::fs;
use std::path::{Path, PathBuf};

use debate_tui::scenario::netlist::{Netlist, read_aiger, read_bench, read_blif, read_bristol};
use debate_tui::scenario::{Formula, read_qdimacs};
use serde_json::Value;

/// The folder of real inputs beside the checkout, which a clone alone does not have.
fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no folder {}", folder.display());
    None
}

/// Reads a circuit by the ending of its file's name.
fn read(file: &Path) -> Netlist {
    let bytes = fs::read(file).expect("the circuit");
    let text = || std::str::from_utf8(&bytes).expect("UTF-8");
    let ending = file.extension().and_then(|ending| ending.to_str());
    let read = match ending {
        Some("aig" | "aag") => read_aiger(&bytes),
        Some("bench") => read_bench(text()),
        Some("blif") => read_blif(text()),
        _ => read_bristol(text()),
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
    let values = netlist.evaluate(input).expect("as many bits as inputs");
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
        // Wide gates are counted once there and as trees here.
        let narrow = !file.starts_with("iscas85/c432");
        if let Some(depth) = vector["depth"].as_u64().filter(|_| narrow) {
            // An inverted output is a gate of its own here.
            let own = u64::from(netlist.depth());
            assert!(
                own == depth || own == depth + 1,
                "{file}: {own} for {depth}"
            );
        }
    }
    assert!(vectors.len() >= 8);
}

#[test]
fn the_same_circuit_in_two_formats_is_the_same() {
    let Some(data) = data() else { return };
    for name in ["adder", "ctrl"] {
        let file = |ending: &str| data.join("circuits/epfl").join(format!("{name}.{ending}"));
        let (graph, covers) = (read(&file("aig")), read(&file("blif")));
        assert_eq!(graph.inputs(), covers.inputs());
        for salt in 1..20_u32 {
            let bit = |place: u32| (place + 7).wrapping_mul(salt).wrapping_mul(2_654_435_761) >> 31;
            let input: Vec<bool> = (0..graph.inputs()).map(|place| bit(place) == 1).collect();
            assert_eq!(run(&graph, &input), run(&covers, &input), "{name}");
        }
    }
}

fn formula(file: &Path) -> Formula {
    let bytes = fs::read(file).expect("the formula");
    read_qdimacs(&bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
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
        let formula = formula(&folder.join(file));
        match formula.holds() {
            None => undecided.push(file),
            Some(holds) => assert_eq!(holds, verdict["verdict"] == "SAT", "{file}"),
        }
    }
    assert!(verdicts.len() > 20);
    // The one that takes other programs long as well.
    assert!(
        undecided.iter().all(|file| *file == "adder2.qdimacs"),
        "{undecided:?}"
    );
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
        let holds = formula.holds().expect("decided");
        for salt in 1..40_u32 {
            let mut values = Vec::new();
            while let Some((number, block)) = formula.next_block(values.len()) {
                let length = u32::try_from(block.variables.len()).expect("few");
                if block.quantifier.wins(holds) {
                    let position = formula.play(&values).expect("decided");
                    assert_eq!(position.holds, holds, "{file}: block {number}");
                    values.extend(position.values.as_slice());
                } else {
                    let bit = |place: u32| {
                        (place + 7).wrapping_mul(salt).wrapping_mul(2_654_435_761) >> 31 == 1
                    };
                    values.extend((0..length).map(bit));
                }
            }
            assert_eq!(formula.value(&values), Some(holds), "{file}");
        }
    }
}
