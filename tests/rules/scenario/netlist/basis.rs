use debate_core::scenario::netlist::{
    CircuitLiteral, Netlist, RewrittenAndOrNotCircuit, TwoInputGate, TwoInputTruthTable,
};

/// The value of the output of a rewritten circuit.
fn output(circuit: &RewrittenAndOrNotCircuit, input: &[bool]) -> bool {
    let mut values = input.to_vec();
    for wire in circuit.input_count()..circuit.input_count() + circuit.gate_count() {
        let fork = circuit.and_or_gate(wire).expect("an AND or an OR");
        let [a, b] = fork
            .inputs
            .map(|(leg, turned)| values[leg as usize] != turned);
        values.push(if fork.is_or { a || b } else { a && b });
    }
    match circuit.output() {
        CircuitLiteral::Constant(value) => value,
        CircuitLiteral::Wire { wire, negated } => values[wire as usize] != negated,
    }
}

#[test]
fn every_pair_of_gates_is_equal_over_and_or_and_not() {
    let rows = |code: usize| {
        TwoInputTruthTable::from_function(move |a, b| {
            code >> (usize::from(a) * 2 + usize::from(b)) & 1 == 1
        })
    };
    for (first, second, third) in (0..16 * 16 * 4).map(|n| (n % 16, n / 16 % 16, n / 256)) {
        let mut netlist = Netlist::new(2);
        let gate = |table, a, b| TwoInputGate::new(table, a, b);
        let one = netlist.push(gate(rows(first), 0, 1)).unwrap();
        let (a, b) = [(one, 1), (one, one), (0, one), (one, 0)][third];
        let two = netlist.push(gate(rows(second), a, b)).unwrap();
        for wire in [0, one, two] {
            let rewritten = netlist.and_or_not_form(wire).unwrap();
            for input in [[false, false], [false, true], [true, false], [true, true]] {
                let values = netlist.evaluate_wires(&input).unwrap();
                assert_eq!(output(&rewritten, &input), values[wire as usize]);
            }
        }
    }
}

#[test]
fn an_exclusive_or_costs_two_levels_and_an_inverted_gate_one() {
    for (table, depth, gates) in [
        (TwoInputTruthTable::XOR, 2, 3),
        (TwoInputTruthTable::XOR.negation(), 2, 3),
        (TwoInputTruthTable::AND.negation(), 1, 1),
        (TwoInputTruthTable::NOT_FIRST, 0, 0),
        (TwoInputTruthTable::TRUE, 0, 0),
    ] {
        let mut netlist = Netlist::new(2);
        let (a, b) = if table == TwoInputTruthTable::TRUE {
            (0, 0)
        } else {
            (0, 1)
        };
        let wire = netlist.push(TwoInputGate::new(table, a, b)).unwrap();
        let rewritten = netlist.and_or_not_form(wire).unwrap();
        assert_eq!(
            (rewritten.and_or_depth(), rewritten.gate_count()),
            (depth, gates)
        );
    }
}
