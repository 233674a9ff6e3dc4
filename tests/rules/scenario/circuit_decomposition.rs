use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::number::{Exact, Number as _};
use debate_core::scenario::netlist::{
    CircuitLiteral, Netlist, TwoInputGate, TwoInputTruthTable, generated, read_bench,
};
use debate_core::scenario::{
    CircuitDecomposition, CircuitWireClaim, ComputationProblem as _, Decomposition as _, Instance,
    Oracle, PossibleWorld, ScenarioValuePath,
};

fn world(name: &str) -> PossibleWorld {
    PossibleWorld {
        name: name.to_owned(),
        weight: Exact::ratio(1, 1),
    }
}

fn circuit(netlist: Netlist, output: u32, inputs: &[&str]) -> CircuitDecomposition {
    let inputs = inputs
        .iter()
        .map(|bits| (world(bits), BitString::parse(bits).unwrap()))
        .collect();
    CircuitDecomposition::build(
        &Arc::new(netlist),
        output,
        inputs,
        &ScenarioValuePath::path_of_top_level_field("problem"),
    )
    .unwrap()
}

/// Every claim under the root, with its support.
fn claims(instance: &Instance) -> Vec<debate_core::scenario::ClaimId> {
    let mut found = vec![instance.root()];
    let mut next = 0;
    while next < found.len() {
        for support in instance.supports(found[next]) {
            for claim in &support.on {
                if !found.contains(claim) {
                    found.push(*claim);
                }
            }
        }
        next += 1;
    }
    found
}

#[test]
fn every_gate_carries_its_claim_in_every_world() {
    let text = "INPUT(a)\nINPUT(b)\nINPUT(c)\nOUTPUT(o)\nd = NAND(a, b)\ne = XNOR(b, c)\n\
                f = NOT(d)\ng = AND(e, e)\nh = OR(f, g)\nk = CONST1()\no = XOR(h, k)\n";
    let text = text.replace("k = CONST1()\n", "k = OR(a, d)\n");
    let inputs: Vec<String> = (0..8)
        .map(|n| BitString::low_bits_of_number(n, 3).to_string())
        .collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let problem = Arc::new(circuit(read_bench(text.as_bytes()).unwrap(), 0, &inputs));
    for number in 0..8 {
        let instance = Instance::new(problem.clone(), number, Oracle::Truth);
        let all = claims(&instance);
        assert_eq!(instance.size().claims, all.len().into());
        let leaves = all.iter().filter(|claim| instance.is_leaf(**claim));
        assert_eq!(instance.size().leaves, leaves.count().into());
        for claim in all {
            for support in instance.supports(claim) {
                support.gate.check_input_count(support.on.len()).unwrap();
                let truths = support.on.iter().map(|y| instance.truth(*y).unwrap());
                let holds = support.gate.value_for_outcomes(truths);
                assert_eq!(
                    Some(holds),
                    instance.truth(claim),
                    "{}",
                    instance.text(claim)
                );
            }
        }
    }
}

#[test]
fn wires_of_a_descent_are_claims() {
    let problem = Arc::new(circuit(generated::parity_circuit(3).unwrap(), 0, &["101"]));
    let instance = Instance::new(problem.clone(), 0, Oracle::Truth);
    let circuit = problem.circuit(0).unwrap();
    let rewritten = circuit.and_or_not_form().unwrap();
    for wire in 0..rewritten.input_count() + rewritten.gate_count() {
        let (wire, part) = rewritten.original_wire_and_part(wire);
        for value in [false, true] {
            let place = CircuitWireClaim { wire, part, value };
            let claim = instance.claim_with_key(circuit.wire_claim_key(place));
            assert_eq!(
                instance.truth(claim),
                Some(circuit.is_wire_claim_true(place))
            );
            for support in instance.supports(claim) {
                let truths = support.on.iter().map(|y| instance.truth(*y).unwrap());
                let holds = support.gate.value_for_outcomes(truths);
                assert_eq!(
                    Some(holds),
                    instance.truth(claim),
                    "{}",
                    instance.text(claim)
                );
            }
        }
    }
    let half = circuit.wire_claim_key(CircuitWireClaim {
        wire: 3,
        part: 2,
        value: false,
    });
    assert_eq!(
        problem.text(&half, 0),
        "the term (not x0 and x1) of gate g0 is 0"
    );
    assert_eq!(
        problem.text(&problem.root(0), 0),
        "the output, gate g1 (g0 xor x2), is 1 on input 101"
    );
    assert!(matches!(
        rewritten.output(),
        CircuitLiteral::Wire { negated: false, .. }
    ));
}

#[test]
fn a_process_writes_the_transcript() {
    let problem = circuit(generated::multiplier_circuit(3).unwrap(), 2, &["110101"]);
    let (circuit, process) = (problem.circuit(0).unwrap(), problem.process(0).unwrap());
    let gates = circuit.gate_values().as_slice();
    for step in 0..gates.len() {
        assert_eq!(
            process.next(&gates[..step]).exact(),
            &Exact::indicator(gates[step])
        );
    }
    assert_eq!(process.steps(), gates.len() as u64);
    assert_eq!(
        process.accepts(),
        Some(Exact::indicator(circuit.true_output_value()))
    );
}

#[test]
fn a_hundred_thousand_levels_are_no_deeper_than_a_loop() {
    let mut netlist = Netlist::new(2);
    let mut last = 0;
    for place in 0..100_000_u32 {
        let table = if place % 2 == 0 {
            TwoInputTruthTable::AND
        } else {
            TwoInputTruthTable::XOR
        };
        last = netlist.push(TwoInputGate::new(table, last, 1)).unwrap();
    }
    netlist.add_output(last);
    let problem = Arc::new(circuit(netlist, 0, &["11"]));
    let instance = Instance::new(problem.clone(), 0, Oracle::Truth);
    assert_eq!(instance.size().depth, 100_000);
    assert_eq!(instance.leaf_count_under(instance.root()), 100_001);
    // AND, XOR, AND, XOR …: 1, 0, 0, 1, 1, 0, 0, 1 …
    assert_eq!(instance.truth(instance.root()), Some(true));
}

#[test]
fn invalid_decompositions_are_refused() {
    let at = ScenarioValuePath::path_of_top_level_field("problem");
    let netlist = Arc::new(generated::parity_circuit(3).unwrap());
    let build = |output, bits: &[&str]| {
        let inputs = bits
            .iter()
            .map(|bits| (world(bits), BitString::parse(bits).unwrap()));
        CircuitDecomposition::build(&netlist, output, inputs.collect(), &at)
            .map_err(|flaw| flaw.to_string())
    };
    assert_eq!(
        build(1, &["000"]).unwrap_err(),
        "problem.output: there is no output number 1; outputs are counted from 0, and the circuit has 1"
    );
    assert!(build(0, &["0"]).unwrap_err().contains("give 3 bits"));
    assert!(build(0, &[]).unwrap_err().contains("at least one input"));
}
