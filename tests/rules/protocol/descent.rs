use std::sync::Arc;

use debate_core::protocol::descent::{CircuitDescentDebate, DescentProtocolParameters};
use debate_core::protocol::{
    BitString, DebateWithCircuitVerifier as _, Event, Log, Protocol, Reply, Request, Rules as _,
    Seat, State, VerifierCheck,
};
use debate_core::scenario::netlist::{Netlist, TwoInputGate, TwoInputTruthTable, generated};
use debate_core::scenario::{
    CircuitDecomposition, Instance, Oracle, PossibleWorld, ScenarioValuePath,
};

/// The first output of a circuit on an input.
pub(super) fn instance(netlist: &Arc<Netlist>, output: u32, input: &BitString) -> Instance {
    let world = PossibleWorld {
        name: input.to_string(),
        weight: debate_core::number::Exact::from_integer(1.into()),
    };
    let inputs = vec![(world, input.clone())];
    let problem = CircuitDecomposition::build(
        netlist,
        output,
        inputs,
        &ScenarioValuePath::path_of_top_level_field("problem"),
    )
    .unwrap();
    Instance::new(Arc::new(problem), 0, Oracle::Truth)
}

/// All ends of a debate, by a walk over every reply.
fn ends(instance: &Instance) -> Vec<CircuitDescentDebate<'_, f64>> {
    let mut open =
        vec![CircuitDescentDebate::new(instance, &DescentProtocolParameters::default()).unwrap()];
    let mut ends = Vec::new();
    while let Some(descent) = open.pop() {
        let Some(turn) = descent.request() else {
            ends.push(descent);
            continue;
        };
        for choice in 0..2 {
            let reply = match turn.request {
                Request::Answer { .. } => Reply::Answer(choice == 1),
                _ => Reply::Select(choice),
            };
            let mut next = descent.clone();
            next.reply(reply, &mut ()).unwrap();
            open.push(next);
        }
    }
    ends
}

#[test]
fn the_verifier_as_a_circuit_decides_as_the_rules_do() {
    let circuits = [
        generated::parity_circuit(3).unwrap(),
        generated::majority_circuit(3).unwrap(),
        generated::multiplier_circuit(2).unwrap(),
    ];
    for netlist in circuits.map(Arc::new) {
        for output in 0..u32::try_from(netlist.outputs().len()).unwrap() {
            for row in 0..1_u64 << netlist.input_count() {
                let input = BitString::low_bits_of_number(row, netlist.input_count());
                let instance = instance(&netlist, output, &input);
                let depth = instance
                    .circuit()
                    .unwrap()
                    .and_or_not_form()
                    .unwrap()
                    .and_or_depth();
                let mut most = 0;
                for end in ends(&instance) {
                    let verifier = end.verifier().unwrap();
                    let spoken = end.verifier_input().unwrap();
                    assert_eq!(verifier.input_count() as usize, spoken.len());
                    let wires = verifier.evaluate_wires(spoken.as_slice()).unwrap();
                    assert_eq!(wires.last(), Some(&(end.payoff() > 0.0)));
                    most = most.max(end.ledger().spending_of_seat(Seat::Judge).bits_read);
                }
                assert_eq!(most, u64::from(depth) + 1);
            }
        }
    }
}

#[test]
fn a_constant_is_decided_without_reading() {
    let mut netlist = Netlist::new(1);
    let gate = |table, a, b| TwoInputGate { table, a, b };
    let not = netlist
        .push(gate(TwoInputTruthTable::NOT_FIRST, 0, 0))
        .unwrap();
    let zero = netlist.push(gate(TwoInputTruthTable::AND, 0, not)).unwrap();
    netlist.add_output(zero);
    let instance = instance(&Arc::new(netlist), 0, &BitString::zeros(1));
    let ends = ends(&instance);
    assert_eq!(ends.len(), 2);
    for end in ends {
        let right = end.answer() == Some(false);
        assert_eq!(end.payoff() > 0.0, right);
        assert_eq!(end.ledger().spending_of_seat(Seat::Judge).bits_read, 0);
        let (verifier, spoken) = (end.verifier().unwrap(), end.verifier_input().unwrap());
        let wires = verifier.evaluate_wires(spoken.as_slice()).unwrap();
        assert_eq!(wires.last(), Some(&right));
    }
}

#[test]
fn the_current_claim_is_always_alices_claim() {
    // not (a and (b xor c)), on 1, 1, 0: false.
    let text = "INPUT(a)\nINPUT(b)\nINPUT(c)\nOUTPUT(o)\nd = XOR(b, c)\no = NAND(a, d)\n";
    let netlist = Arc::new(debate_core::scenario::netlist::read_bench(text.as_bytes()).unwrap());
    let instance = instance(&netlist, 0, &BitString::parse("110").unwrap());
    let mut state: State<'_, f64> = Protocol::parse("Descent")
        .unwrap()
        .start(&instance)
        .unwrap();
    let mut log = Log::default();
    let mut say = |reply| state.reply(reply, &mut log).unwrap();
    say(Reply::Answer(true));
    say(Reply::Select(1));
    say(Reply::Select(0));
    say(Reply::Select(0));
    assert!(state.request().is_none());
    let parts: Vec<Vec<String>> = log
        .entries()
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Parts { on, .. } => {
                Some(on.iter().map(|claim| instance.short_text(*claim)).collect())
            }
            _ => None,
        })
        .collect();
    // For output 1 one input must be 0. Alice selects d and Bob the half that is 1, so she must claim a wrong value for
    // one of its inputs.
    assert_eq!(
        parts,
        [
            vec!["x0 is 0", "g0 is 0"],
            vec!["(x1 and not x2) is 0", "(not x1 and x2) is 0"],
            vec!["x1 is 0", "x2 is 1"],
        ]
    );
    assert!(state.payoff() < 0.0);
    assert_eq!(state.ledger().spending_of_seat(Seat::Judge).bits_read, 4);
    let checks = log.entries().iter().filter(|entry| {
        matches!(
            entry.event,
            Event::Checked {
                check: VerifierCheck::Output,
                ..
            }
        )
    });
    assert_eq!(checks.count(), 0);
    let seats: Vec<Seat> = log
        .entries()
        .iter()
        .filter_map(|entry| match entry.event {
            Event::Selected { by, .. } => Some(by),
            _ => None,
        })
        .collect();
    assert_eq!(seats, [Seat::Prover, Seat::Opponent, Seat::Prover]);
}

#[test]
fn unrequested_replies_have_no_effect() {
    let netlist = Arc::new(generated::parity_circuit(2).unwrap());
    let instance = instance(&netlist, 0, &BitString::parse("11").unwrap());
    let mut descent =
        CircuitDescentDebate::<f64>::new(&instance, &DescentProtocolParameters::default()).unwrap();
    assert!(descent.reply(Reply::Select(0), &mut ()).is_err());
    descent.reply(Reply::Answer(true), &mut ()).unwrap();
    assert!(descent.reply(Reply::Select(2), &mut ()).is_err());
    assert!(descent.reply(Reply::Answer(true), &mut ()).is_err());
    assert_eq!(descent.ledger().spending_of_seat(Seat::Judge).bits_read, 0);
    assert!(descent.verifier_input().is_none());
}

#[test]
fn problems_without_a_circuit_are_refused() {
    let argument = crate::support::arguments::instance("all(1, 1)");
    let error = CircuitDescentDebate::<f64>::new(&argument, &DescentProtocolParameters::default())
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("cannot be debated under Descent; use one of")
    );
}
