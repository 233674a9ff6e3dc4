//! Cross-examination: the side that is right wins against every reply, and the verifier reads no more than the theorems
//! allow. Small computations are walked in full.
#![expect(clippy::float_cmp, reason = "a payoff is exactly 1, 0 or -1")]

mod programs;
mod recorded;
mod witnesses;

use std::collections::BTreeMap;
use std::sync::Arc;

use debate_core::player::cross_examination::{StepChallengeStrategy, TranscriptWritingProver};
use debate_core::player::{PlayerSpec, ReplyDistribution, StrategyRegistry};
use debate_core::protocol::{
    BitString, ComputationAndTranscript, Event, Log, Protocol, Reply, Request, Rules, Seat,
    SeatResourceCosts, State, View,
};
use debate_core::scenario::netlist::TwoInputTruthTable;
use debate_core::scenario::{BitSource, Instance};

use crate::support::computed::Computed;
use programs::{Does, Program, circuit};

fn protocol(instance: &Instance) -> Protocol {
    let reads = instance.computation().expect("one").witness_length() > 0;
    let text = if reads {
        "CrossExamination(witness: true)"
    } else {
        "CrossExamination"
    };
    Protocol::parse(text).expect("a protocol")
}

fn start(instance: &Instance) -> State<'_, f64> {
    protocol(instance).start(instance).expect("fits")
}

fn computed(state: &State<'_, f64>) -> ComputationAndTranscript {
    state.transcript().expect("a computation")
}

fn said(choice: Option<ReplyDistribution<f64>>) -> Reply<f64> {
    match choice {
        Some(ReplyDistribution::Certain(reply)) => reply,
        other => panic!("no sure reply: {other:?}"),
    }
}

/// Plays to the end: a transcript, a pointer, and the oracle's true answer if it is asked.
fn played(
    instance: &Instance,
    transcript: Reply<f64>,
    pointer: Reply<f64>,
) -> (f64, SeatResourceCosts) {
    let mut state = start(instance);
    let mut replies = [transcript, pointer].into_iter();
    while let Some(turn) = state.request() {
        let reply = match turn.request {
            Request::Oracle { claim } => Reply::Oracle {
                holds: instance.truth(claim).expect("decidable"),
                confidence: None,
            },
            _ => replies.next().expect("two questions"),
        };
        state.reply(reply, &mut ()).expect("legal");
    }
    (
        state.payoff(),
        *state.ledger().spending_of_seat(Seat::Judge),
    )
}

/// The honest opponent's answer to a transcript.
fn honest_pointer(instance: &Instance, transcript: &BitString) -> Reply<f64> {
    let mut state = start(instance);
    let given = Reply::Bits(transcript.clone());
    state.reply(given, &mut ()).expect("legal");
    said(StepChallengeStrategy::Honest.challenge(&computed(&state)))
}

/// The verifier's maximum number of bits and queries over all plays.
#[derive(Debug, Default, PartialEq)]
struct Most {
    bits: u64,
    queries: u64,
}

/// Walks every play of a computation without a witness: the honest seat wins each, and no bound is exceeded. Returns
/// the computation's output and the maximum cost.
fn walk(instance: &Instance) -> (bool, Most) {
    let truth = said(TranscriptWritingProver::Honest.transcript(&computed(&start(instance))));
    let Reply::Bits(values) = &truth else {
        panic!("bits")
    };
    let output = values.as_slice().last() == Some(&true);
    let steps = u32::try_from(values.len()).expect("small");
    let pointers = || std::iter::once(None).chain((0..steps.into()).map(Some));
    let mut most = Most::default();
    let mut note = |spent: SeatResourceCosts| {
        most.bits = most.bits.max(spent.bits_read);
        most.queries = most.queries.max(spent.oracle_queries);
    };
    for pointer in pointers() {
        let (payoff, _) = played(instance, truth.clone(), Reply::Challenge(pointer));
        let right = output || pointer.is_some_and(|step| step + 1 < steps.into());
        assert_eq!(payoff, if right { 1.0 } else { -1.0 }, "{pointer:?}");
    }
    for number in 0..1_u64 << steps {
        let transcript = BitString::low_bits_of_number(number, steps);
        for pointer in pointers() {
            let given = Reply::Bits(transcript.clone());
            note(played(instance, given, Reply::Challenge(pointer)).1);
        }
        let pointer = honest_pointer(instance, &transcript);
        let (payoff, _) = played(instance, Reply::Bits(transcript.clone()), pointer);
        let caught = !output || transcript != *values;
        assert_eq!(payoff, if caught { -1.0 } else { 1.0 }, "{transcript}");
    }
    let bounds = protocol(instance).protocol_parameters().bounds(instance);
    let bound = |what| {
        let bound = bounds.iter().find(|bound| bound.what == what);
        bound.map_or(0, |bound| bound.most)
    };
    assert_eq!(most.bits, bound("bits_read"), "the bound is reached");
    assert!(most.queries <= bound("oracle_queries"));
    (output, most)
}

const TABLES: [TwoInputTruthTable; 6] = [
    TwoInputTruthTable::AND,
    TwoInputTruthTable::OR,
    TwoInputTruthTable::XOR,
    TwoInputTruthTable::NOT_FIRST,
    TwoInputTruthTable::FIRST,
    TwoInputTruthTable::TRUE,
];

#[test]
fn every_play_of_every_circuit_of_up_to_two_gates() {
    let inputs = 2;
    let first = |a, b| TABLES.map(|table| vec![(table, a, b)]);
    let one: Vec<_> = (0..4).flat_map(|pair| first(pair / 2, pair % 2)).collect();
    let second = |gates: &Vec<_>, a, b| {
        TABLES.map(|table| {
            let mut gates = gates.clone();
            gates.push((table, a, b));
            gates
        })
    };
    let two = one
        .iter()
        .flat_map(|gates| (0..9).flat_map(move |pair| second(gates, pair / 3, pair % 3)));
    let mut outputs = [0_u32; 2];
    for gates in one.iter().cloned().chain(two) {
        for row in 0..4 {
            let input = BitString::low_bits_of_number(row, inputs);
            let circuit = circuit(inputs, &gates, &input);
            let (output, _) = walk(&Computed::instance(circuit.clone()));
            assert_eq!(output, circuit.true_output_value());
            outputs[usize::from(output)] += 1;
        }
    }
    assert!(outputs.iter().all(|count| *count > 1000), "{outputs:?}");
}

#[test]
fn every_play_of_some_circuits_of_three_and_four_gates() {
    let mut salt = 1_u32;
    let mut draw = |below: u32| {
        salt = salt.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (salt >> 16) % below
    };
    for round in 0..120 {
        let inputs = 3;
        let size = 3 + round % 2;
        let gates: Vec<_> = (0..size)
            .map(|gate| {
                let table = TABLES[draw(6) as usize];
                (table, draw(inputs + gate), draw(inputs + gate))
            })
            .collect();
        let input = BitString::low_bits_of_number(draw(8).into(), inputs);
        let circuit = circuit(inputs, &gates, &input);
        let (output, _) = walk(&Computed::instance(circuit.clone()));
        assert_eq!(output, circuit.true_output_value());
    }
}

/// Step 0: x0 xor x1. Step 1: the oracle on (step 0, x0). Step 2: step 0 or step 1. Step 3: the oracle on step 2,
/// twice.
fn asking(input: &str, oracle: [bool; 4]) -> Program {
    let words = ["00", "01", "10", "11"].map(str::to_owned);
    let table = |rows: [u8; 4]| Does::Table(rows.map(|row| row == 1).to_vec());
    let (first, second) = (BitSource::Input(0), BitSource::Input(1));
    Program {
        steps: vec![
            (vec![first, second], table([0, 1, 1, 0])),
            (vec![BitSource::Step(0), first], Does::Oracle),
            (
                vec![BitSource::Step(0), BitSource::Step(1)],
                table([0, 1, 1, 1]),
            ),
            (vec![BitSource::Step(2), BitSource::Step(2)], Does::Oracle),
        ],
        input: BitString::parse(input).expect("bits"),
        oracle: words.into_iter().zip(oracle).collect(),
        witness: BitString::default(),
    }
}

#[test]
fn every_play_of_computations_that_ask_the_oracle() {
    for oracle in 0..16_u8 {
        let oracle = [0, 1, 2, 3].map(|place| oracle >> place & 1 == 1);
        for input in ["00", "01", "10", "11"] {
            let instance = Computed::instance(Arc::new(asking(input, oracle)));
            let (_, most) = walk(&instance);
            // Two bits select one of four steps, which reads two bits and writes one.
            assert_eq!(
                most,
                Most {
                    bits: 5,
                    queries: 1
                }
            );
        }
    }
}

#[test]
fn a_repeated_coordinate_is_read_once() {
    let instance = Computed::instance(Arc::new(asking("00", [false; 4])));
    let given = Reply::Bits(BitString::zeros(4));
    let (_, spent) = played(&instance, given, Reply::Challenge(Some(3)));
    assert_eq!((spent.bits_read, spent.oracle_queries), (4, 1));
}

/// The witness (w0, w1) must be (x0, not x0).
fn witnessed(witness: &str) -> Program {
    let table = |rows: [u8; 4]| Does::Table(rows.map(|row| row == 1).to_vec());
    let x = BitSource::Input(0);
    Program {
        steps: vec![
            (vec![x, BitSource::Witness(0)], table([1, 0, 0, 1])),
            (vec![x, BitSource::Witness(1)], table([0, 1, 1, 0])),
            (
                vec![BitSource::Step(0), BitSource::Step(1)],
                table([0, 0, 0, 1]),
            ),
        ],
        input: BitString::parse("1").expect("bits"),
        oracle: BTreeMap::new(),
        witness: BitString::parse(witness).expect("bits"),
    }
}

/// Walks every play of a small computation with a witness. After a witness with output 1 the honest prover wins each
/// play, after any other the honest challenger. No bound is exceeded. Returns the number of right witnesses and the
/// maximum number of bits read.
fn walk_with_witness(instance: &Instance) -> (usize, u64) {
    let computation = instance.computation().expect("one");
    let length = u32::try_from(computation.witness_length()).expect("small");
    let steps = u32::try_from(computation.steps()).expect("small");
    let pointers = || std::iter::once(None).chain((0..steps.into()).map(Some));
    let pointed = |written: &State<'_, f64>, pointer| {
        let mut state = written.clone();
        let reply = Reply::Challenge(pointer);
        state.reply(reply, &mut ()).expect("legal");
        (
            state.payoff(),
            state.ledger().spending_of_seat(Seat::Judge).bits_read,
        )
    };
    let (mut right, mut most) = (0, 0);
    for number in 0..1_u64 << length {
        let mut begun = start(instance);
        let mut log = Log::default();
        let witness = Reply::Bits(BitString::low_bits_of_number(number, length));
        begun.reply(witness, &mut log).expect("legal");
        assert!(matches!(log.entries()[0].event, Event::Gave { .. }));
        let truth = begun.honest_reply_bits().expect("a transcript");
        let good = truth.as_slice().last() == Some(&true);
        right += usize::from(good);
        for number in 0..1_u64 << steps {
            let transcript = BitString::low_bits_of_number(number, steps);
            let mut written = begun.clone();
            let given = Reply::Bits(transcript.clone());
            written.reply(given, &mut ()).expect("legal");
            for pointer in pointers() {
                let (payoff, bits) = pointed(&written, pointer);
                most = most.max(bits);
                assert!(
                    !(good && transcript == truth) || payoff == 1.0,
                    "{pointer:?}"
                );
            }
            if !good || transcript != truth {
                let pointer = said(StepChallengeStrategy::Honest.challenge(&computed(&written)));
                written.reply(pointer, &mut ()).expect("legal");
                assert_eq!(written.payoff(), -1.0, "{transcript}");
            }
        }
    }
    let bounds = protocol(instance).protocol_parameters().bounds(instance);
    let bound = bounds.iter().find(|bound| bound.what == "bits_read");
    assert!(bound.is_some_and(|bound| most <= bound.most));
    (right, most)
}

#[test]
fn with_a_witness_the_honest_seat_wins_every_play() {
    let instance = Computed::instance(Arc::new(witnessed("10")));
    assert_eq!(start(&instance).honest_reply_bits(), BitString::parse("10"));
    let (right, most) = walk_with_witness(&instance);
    assert_eq!(right, 1);
    let bounds = protocol(&instance).protocol_parameters().bounds(&instance);
    let bound = bounds.iter().find(|bound| bound.what == "bits_read");
    assert_eq!(Some(most), bound.map(|bound| bound.most), "it is reached");
}

#[test]
fn witness_rules_need_a_computation_with_a_witness() {
    let plain = Computed::instance(Arc::new(asking("00", [true; 4])));
    let witness = Computed::instance(Arc::new(witnessed("10")));
    let without = Protocol::parse("CrossExamination").expect("a protocol");
    let with = Protocol::parse("CrossExamination(witness: true)").expect("a protocol");
    assert_eq!(with.to_string(), "CrossExamination(witness: true)");
    assert_eq!(
        Protocol::parse("CrossExamination(witness: false)").map(|one| one.to_string()),
        Ok("CrossExamination".to_owned())
    );
    let refused = |protocol: &Protocol, instance| {
        let error = protocol.start::<f64>(instance).expect_err("refused");
        error.to_string()
    };
    let error = refused(&without, &witness);
    assert!(
        error.contains("use one of CrossExamination(witness: true)"),
        "{error}"
    );
    let error = refused(&with, &plain);
    assert!(error.ends_with("use one of CrossExamination"), "{error}");
}

#[test]
fn illegal_replies_have_no_effect() {
    let instance = Computed::instance(Arc::new(asking("01", [true; 4])));
    let mut state = start(&instance);
    let refused = |state: &mut State<'_, f64>, reply| {
        let mut log = Log::default();
        let before = state.request();
        state.reply(reply, &mut log).expect_err("illegal");
        assert!(log.entries().is_empty());
        assert_eq!(state.request(), before);
    };
    refused(&mut state, Reply::Bits(BitString::zeros(3)));
    refused(&mut state, Reply::Challenge(None));
    let given = Reply::Bits(BitString::zeros(4));
    state.reply(given, &mut ()).expect("legal");
    refused(&mut state, Reply::Challenge(Some(4)));
    refused(&mut state, Reply::Bits(BitString::zeros(4)));
    let asked = Reply::Challenge(Some(1));
    state.reply(asked, &mut ()).expect("legal");
    refused(
        &mut state,
        Reply::Oracle {
            holds: true,
            confidence: Some(2.0),
        },
    );
    assert_eq!(state.payoff(), 0.0);
}

/// The false steps of a prover's transcript, and its output.
fn lies(prover: &str, instance: &Instance) -> (Vec<u64>, bool) {
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    let spec = PlayerSpec::parse(prover).expect("a name");
    let player = registry
        .build(&spec, Seat::Prover, instance, &protocol(instance))
        .expect("a player");
    let state = start(instance);
    let request = state.request().expect("a question").request;
    let choice = player.choose(
        View::new(&state, Seat::Prover),
        &request,
        &mut debate_core::player::StrategyMemoryAndCosts::default(),
    );
    let Reply::Bits(given) = said(choice) else {
        panic!("bits")
    };
    let computation = instance.computation().expect("one");
    let wrong = |step: &u64| {
        let value = computation.value(*step, &BitString::default(), given.as_slice());
        value != given.bit_at(*step)
    };
    let wrong = (0..computation.steps()).filter(wrong).collect();
    (wrong, given.as_slice().last() == Some(&true))
}

#[test]
fn a_liar_lies_once_if_one_lie_suffices() {
    // g0 = x0 and x1, g1 = g0 or x1, g2 = g1 and x0, g3 = g2 and g1.
    let gates = [
        (TwoInputTruthTable::AND, 0, 1),
        (TwoInputTruthTable::OR, 2, 1),
        (TwoInputTruthTable::AND, 3, 0),
        (TwoInputTruthTable::AND, 4, 3),
    ];
    let on = |input: &str| {
        let input = BitString::parse(input).expect("bits");
        Computed::instance(circuit(2, &gates, &input))
    };
    assert_eq!(lies("honest", &on("10")), (vec![], false));
    assert_eq!(lies("liar", &on("10")), (vec![3], true));
    assert_eq!(lies("liar(3)", &on("10")), (vec![3], true));
    // A false g0 alone makes the output 1; a false g2 does not, because g1 remains 0.
    assert_eq!(lies("liar(0)", &on("10")), (vec![0], true));
    assert_eq!(lies("liar(2)", &on("10")), (vec![2, 3], true));
    assert_eq!(lies("liar(99)", &on("10")), (vec![3], true));
    // If the output is 1, no lie is needed.
    assert_eq!(lies("liar", &on("11")), (vec![], true));
}

#[test]
fn built_in_opponents_point_as_documented() {
    let gates = [
        (TwoInputTruthTable::AND, 0, 1),
        (TwoInputTruthTable::OR, 2, 1),
        (TwoInputTruthTable::NOT_FIRST, 3, 3),
    ];
    let instance = Computed::instance(circuit(2, &gates, &BitString::zeros(2)));
    let at = |opponent: StepChallengeStrategy, transcript: &str| {
        let mut state = start(&instance);
        let given = Reply::Bits(BitString::parse(transcript).expect("bits"));
        state.reply(given, &mut ()).expect("legal");
        said(opponent.challenge(&computed(&state)))
    };
    assert_eq!(
        at(StepChallengeStrategy::Honest, "001"),
        Reply::Challenge(None)
    );
    assert_eq!(
        at(StepChallengeStrategy::Honest, "110"),
        Reply::Challenge(Some(0))
    );
    assert_eq!(
        at(StepChallengeStrategy::Silent, "110"),
        Reply::Challenge(None)
    );
    assert_eq!(
        at(StepChallengeStrategy::FalseAlarm, "110"),
        Reply::Challenge(Some(1))
    );
    // Only the output is right, so no step is left for a false alarm.
    assert_eq!(
        at(StepChallengeStrategy::FalseAlarm, "100"),
        Reply::Challenge(None)
    );
}
