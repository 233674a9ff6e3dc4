//! A headless cross-examination of a computation with a million steps. The verifier reads two dozen bits, and a step
//! allocates no memory.

use std::sync::Arc;

use crate::support::computed::Computed;
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::player::cross_examination::{
    StepChallengeStrategy, TranscriptOrChallengeStrategy, TranscriptWritingProver,
};
use debate_core::player::{
    OracleJudge, PayoffAndSpending, PolicyAsStrategy, SeededRandomness, play_between,
};
use debate_core::protocol::cross_examination::CrossExaminationProtocolParameters;
use debate_core::protocol::{
    BitString, CrossExaminationDebate, Rules, Seat, SeatResourceCosts, State,
};
use debate_core::scenario::netlist::generated::multiplier_circuit;
use debate_core::scenario::{CircuitWithInput, InformedReader, Instance};

/// The bits of each factor.
const WIDTH: u32 = 430;

/// The claim that the highest bit of a product of two numbers of [`WIDTH`] bits is set. The factors are 2^WIDTH − 1 and
/// a number with a given highest bit and given lowest bits.
fn instance(highest: bool) -> (Arc<CircuitWithInput>, Instance) {
    let netlist = Arc::new(multiplier_circuit(WIDTH).expect("not too many gates"));
    let output = *netlist.outputs().last().expect("an output");
    let other = (0..WIDTH).map(|place| place % 3 == 0 || place + 1 == WIDTH);
    let other = other
        .enumerate()
        .map(|(place, bit)| bit && (highest || place < 9));
    let input = (0..WIDTH).map(|_| true).chain(other).collect();
    let circuit = CircuitWithInput::new(&netlist, output, input).expect("as many bits as inputs");
    let circuit = Arc::new(circuit);
    let instance = Computed::instance(circuit.clone());
    (circuit, instance)
}

fn debate(
    instance: &Instance,
    writer: TranscriptWritingProver,
    examiner: StepChallengeStrategy,
) -> (PayoffAndSpending<f64>, SeatResourceCosts) {
    let seed = Seed::new("a million").expect("a seed");
    let mut chances = SeededRandomness::new(&seed, 0, 0);
    let judge = OracleJudge::new(InformedReader::new(instance));
    let judge = PolicyAsStrategy::<_, CrossExaminationDebate<'_, f64>>::new(judge);
    let rules =
        CrossExaminationDebate::new(instance, &CrossExaminationProtocolParameters::default())
            .expect("fits");
    let mut state = State::CrossExamination(rules);
    let played = play_between(
        &mut state,
        [
            &PolicyAsStrategy::new(TranscriptOrChallengeStrategy::Write(writer)),
            &PolicyAsStrategy::new(TranscriptOrChallengeStrategy::Point(examiner)),
            &judge,
        ],
        &mut chances,
        &mut (),
        &ComputationBudget::default(),
    );
    let played = played.expect("it comes to its end");
    (played, *state.ledger().spending_of_seat(Seat::Judge))
}

#[test]
fn a_million_gates_are_debated_at_once() {
    let (circuit, false_claim) = instance(false);
    let (sound, true_claim) = instance(true);
    let gates = u64::from(circuit.netlist().gate_count());
    assert!(gates >= 1_000_000, "{gates}");
    assert!(!circuit.true_output_value() && sound.true_output_value());
    let lie_at = gates / 2;
    let cases = [
        (
            &false_claim,
            TranscriptWritingProver::Liar(None),
            StepChallengeStrategy::Honest,
            -1.0,
        ),
        (
            &false_claim,
            TranscriptWritingProver::Liar(None),
            StepChallengeStrategy::Silent,
            -1.0,
        ),
        (
            &false_claim,
            TranscriptWritingProver::Liar(Some(lie_at)),
            StepChallengeStrategy::Honest,
            -1.0,
        ),
        (
            &false_claim,
            TranscriptWritingProver::Honest,
            StepChallengeStrategy::Honest,
            -1.0,
        ),
        (
            &false_claim,
            TranscriptWritingProver::Honest,
            StepChallengeStrategy::FalseAlarm,
            1.0,
        ),
        (
            &false_claim,
            TranscriptWritingProver::Random,
            StepChallengeStrategy::Honest,
            -1.0,
        ),
        (
            &true_claim,
            TranscriptWritingProver::Honest,
            StepChallengeStrategy::Silent,
            1.0,
        ),
        (
            &true_claim,
            TranscriptWritingProver::Honest,
            StepChallengeStrategy::FalseAlarm,
            1.0,
        ),
        (
            &true_claim,
            TranscriptWritingProver::Liar(Some(lie_at)),
            StepChallengeStrategy::Honest,
            -1.0,
        ),
    ];
    for (instance, writer, examiner, payoff) in cases {
        let mut result = None;
        let allocated = allocation_counter::measure(|| {
            result = Some(debate(instance, writer, examiner));
        });
        let (played, spent) = result.expect("played");
        assert!(
            played.payoff.total_cmp(&payoff).is_eq(),
            "{writer:?} {examiner:?}"
        );
        // 2²⁰ < m ≤ 2²¹.
        assert!((21..=24).contains(&spent.bits_read), "{spent:?}");
        assert_eq!(spent.oracle_queries, 0);
        assert!(
            allocated.count_total < 100,
            "{writer:?} {examiner:?}: {} allocations",
            allocated.count_total
        );
    }
}

#[test]
fn a_lie_anywhere_among_a_million_is_found() {
    let (circuit, instance) = instance(false);
    let truth = circuit.gate_values();
    let gates = truth.len();
    for place in [0, 1, gates / 3, gates - 2, gates - 1] {
        let found = instance.computation().expect("a circuit").first_wrong_step(
            &BitString::default(),
            truth.with_bit_flipped(place).as_slice(),
        );
        assert_eq!(found, Some(place as u64));
    }
}
