//! A cross-examination of a million gates, compared with evaluating them once. The ratio of the two times is the
//! result.

#[path = "../support/computed.rs"]
mod computed;

use std::sync::Arc;

use computed::Computed;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::player::cross_examination::{
    StepChallengeStrategy, TranscriptOrChallengeStrategy, TranscriptWritingProver,
};
use debate_core::player::{OracleJudge, PolicyAsStrategy, SeededRandomness, play_between};
use debate_core::protocol::cross_examination::CrossExaminationProtocolParameters;
use debate_core::protocol::{CrossExaminationDebate, State};
use debate_core::scenario::netlist::generated::multiplier_circuit;
use debate_core::scenario::{CircuitWithInput, InformedReader};

const WIDTH: u32 = 430;

fn examination(criterion: &mut Criterion) {
    let netlist = Arc::new(multiplier_circuit(WIDTH).expect("not too many gates"));
    let output = *netlist.outputs().last().expect("an output");
    let input = (0..2 * WIDTH).map(|place| place < WIDTH + 9).collect();
    let circuit = CircuitWithInput::new(&netlist, output, input).expect("as many bits as inputs");
    let circuit = Arc::new(circuit);
    let instance = Computed::instance(circuit.clone());
    let judge = OracleJudge::new(InformedReader::new(&instance));
    let judge = PolicyAsStrategy::<_, CrossExaminationDebate<'_, f64>>::new(judge);
    let seed = Seed::new("bench").expect("a seed");
    let mut group = criterion.benchmark_group("a multiplier of a million gates");
    group.throughput(Throughput::Elements(circuit.netlist().gate_count().into()));
    group.sample_size(20);
    group.bench_function("evaluate", |bencher| {
        let input = circuit.input_bits().as_slice();
        bencher.iter(|| circuit.netlist().evaluate_wires(input));
    });
    let players = [
        (
            "liar against honest",
            TranscriptWritingProver::Liar(None),
            StepChallengeStrategy::Honest,
        ),
        (
            "liar against silent",
            TranscriptWritingProver::Liar(None),
            StepChallengeStrategy::Silent,
        ),
    ];
    for (name, writer, examiner) in players {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let rules = CrossExaminationDebate::new(
                    &instance,
                    &CrossExaminationProtocolParameters::default(),
                );
                let mut chances = SeededRandomness::new(&seed, 0, 0);
                play_between(
                    &mut State::CrossExamination(rules.expect("it fits")),
                    [
                        &PolicyAsStrategy::new(TranscriptOrChallengeStrategy::Write(writer)),
                        &PolicyAsStrategy::new(TranscriptOrChallengeStrategy::Point(examiner)),
                        &judge,
                    ],
                    &mut chances,
                    &mut (),
                    &ComputationBudget::default(),
                )
            });
        });
    }
    group.finish();
}

criterion_group!(benches, examination);
criterion_main!(benches);
