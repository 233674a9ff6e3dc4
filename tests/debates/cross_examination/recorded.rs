//! Exact values that were computed elsewhere; skipped without the folder of data.

use std::sync::Arc;

use debate_core::protocol::{BitString, Reply};
use debate_core::scenario::{BitSource, Computation as _};
use serde_json::Value;

use super::programs::{Does, Program, circuit};
use super::{honest_pointer, played, walk};
use crate::support::computed::Computed;
use crate::support::vector_circuits::{self, bits};
use crate::support::vectors::{self, whole};

#[test]
fn circuits_agree_with_the_exact_values() {
    for vector in vectors::of("circuit") {
        let (input, expect) = (&vector["input"], &vector["expect"]);
        let written = &input["circuit"];
        let gates = vector_circuits::gates(written);
        let steps: Vec<_> = gates
            .iter()
            .map(|gate| (gate.table, gate.a, gate.b))
            .collect();
        let inputs = u32::try_from(whole(&written["n"])).expect("a small number");
        let circuit = circuit(inputs, &steps, &bits(&input["x"]));
        let instance = Computed::instance(circuit.clone());
        assert_eq!(circuit.gate_values(), &bits(&expect["values"]));

        let (output, most) = walk(&instance);
        assert_eq!(u64::from(output), whole(&expect["ce_minimax"]));
        assert_eq!(expect["ce_honest_wins"], true);
        assert_eq!(most.bits, whole(&expect["ce_max_bits"]));
        let pointer = debate_core::bits::bits_to_distinguish(gates.len() as u64);
        assert_eq!(u64::from(pointer), whole(&expect["pointer_bits"]));
        let lie = &expect["lie_first_gate"];
        let transcript = bits(&lie["transcript"]);
        let pointer = honest_pointer(&instance, &transcript);
        assert_eq!(
            pointer,
            Reply::Challenge(Some(whole(&lie["honest_pointer"])))
        );
        let (payoff, spent) = played(&instance, Reply::Bits(transcript), pointer);
        // In the data the writer defends 0 (DQC's Prover 0), so a lie that is caught makes the output 1.
        assert_eq!(u64::from(payoff < 0.0), whole(&lie["output"]));
        assert_eq!(spent.bits_read, whole(&lie["bits"]));
    }
}

#[test]
fn programs_agree_with_the_exact_values() {
    for vector in vectors::of("transcript") {
        let (input, expect) = (&vector["input"], &vector["expect"]);
        let coordinate = |value: &Value| match value.as_i64().expect("a coordinate") {
            step @ 0.. => BitSource::Step(step.unsigned_abs()),
            input => BitSource::Input((-1 - input).unsigned_abs()),
        };
        let steps = input["program"].as_array().expect("a program");
        let steps = steps.iter().map(|step| {
            let reads = step[1].as_array().expect("coordinates");
            let does = match step[0].as_str() {
                Some("table") => Does::Table(bits(&step[2]).as_slice().to_vec()),
                Some("oracle") => Does::Oracle,
                other => panic!("no step {other:?}"),
            };
            (reads.iter().map(coordinate).collect(), does)
        });
        let oracle = input["oracle"].as_object().expect("an oracle");
        let program = Program {
            steps: steps.collect(),
            input: bits(&input["x"]),
            oracle: oracle
                .iter()
                .map(|(word, bit)| (word.clone(), whole(bit) == 1))
                .collect(),
            witness: BitString::default(),
        };
        assert_eq!(
            program.transcript(&BitString::default()),
            Some(bits(&expect["transcript"]))
        );
        let (output, most) = walk(&Computed::instance(Arc::new(program)));
        assert_eq!(u64::from(output), whole(&expect["value"]));
        assert_eq!(expect["honest_wins"], true);
        assert_eq!(most.queries, whole(&expect["max_oracle_queries"]));
    }
}
