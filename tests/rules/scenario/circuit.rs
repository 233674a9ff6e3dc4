use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::scenario::netlist::{Netlist, generated, read_bench};
use debate_core::scenario::{CircuitWithInput, Computation as _};

fn circuit(netlist: Netlist, input: &str) -> CircuitWithInput {
    let output = netlist.outputs()[0];
    CircuitWithInput::new(&Arc::new(netlist), output, BitString::parse(input).unwrap()).unwrap()
}

#[test]
fn the_cone_of_a_wire_computes_the_same_value() {
    let text = "INPUT(a)\nINPUT(b)\nOUTPUT(s)\nOUTPUT(c)\ns = XOR(a, b)\nc = AND(a, b)\n\
                d = OR(s, c)\n";
    let netlist = Arc::new(read_bench(text.as_bytes()).unwrap());
    for row in 0..4_u64 {
        let input = BitString::low_bits_of_number(row, 2);
        let all = netlist.evaluate_wires(input.as_slice()).unwrap();
        for wire in 0..netlist.input_count() + netlist.gate_count() {
            let circuit = CircuitWithInput::new(&netlist, wire, input.clone()).unwrap();
            assert_eq!(
                circuit.true_output_value(),
                all[wire as usize],
                "wire {wire} on {input}"
            );
            assert_eq!(
                circuit.transcript(&BitString::default()),
                Some(circuit.gate_values().clone())
            );
        }
    }
}

#[test]
fn a_false_gate_is_found_and_only_that() {
    let circuit = circuit(generated::parity_circuit(4).unwrap(), "1101");
    let truth = circuit.gate_values().clone();
    assert_eq!(
        circuit.first_wrong_step(&BitString::default(), truth.as_slice()),
        None
    );
    for place in 0..truth.len() {
        let wrong = truth.with_bit_flipped(place);
        let found = circuit.first_wrong_step(&BitString::default(), wrong.as_slice());
        assert_eq!(found, Some(place as u64));
    }
}
