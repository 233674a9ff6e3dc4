//! Debates whose verifier may read the input without cost, for comparison with DQC Theorem 13. In probabilistically
//! checkable debates (Condon, Feigenbaum, Lund and Shor 1995; Drucker 2011), only bits of the debate count.

use serde::Serialize;

use super::randomised::HardInputTranscriptAndOutput;

/// The results for the parity of sixteen inputs, with a verifier that reads the input without cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CheckableReport")]
pub struct FreeInputVerifierReport {
    /// The number of points in the hard distribution from the proof of DQC Theorem 13.
    pub points: usize,
    /// The number of points at which a verifier errs that reads the whole input without cost and no bit of the debate.
    /// It should be 0: the time of this verifier is not limited, so it computes the function itself.
    pub errors_with_free_input: usize,
    /// The number of gates in the circuit. Alice writes the value of each gate.
    pub gates: usize,
    /// The least number of gates whose values a lying Alice must write wrongly.
    pub wrong_gates: usize,
    /// The probability, as a fraction, that the verifier accepts a liar's transcript after checking the output and one
    /// random gate. The liar writes as few wrong gates as possible. The verifier reads at most four bits of the
    /// transcript and needs no second debater.
    pub accepted_after_one_gate: String,
    /// The least number of different random gates that the verifier must check so that it accepts the liar with
    /// probability at most 1/3.
    pub gates_for_one_third: usize,
}

/// Computes the report for a circuit of XOR gates. `points` are those of the hard distribution from the proof of DQC
/// Theorem 13.
pub(super) fn parity_circuit_report(
    points: &[HardInputTranscriptAndOutput],
    inputs: usize,
    gates: &[[usize; 2]],
) -> FreeInputVerifierReport {
    // Two points with the same input have the same value, so the input alone decides every point.
    let parity = |input: usize| input.count_ones() % 2 == 1;
    let errors = points
        .iter()
        .filter(|point| parity(point.input) != point.says);
    // By symmetry the least number of wrong gates is the same for every input.
    let wrong = fewest_contradictions_in_wrong_transcript(inputs, gates, 0);
    let count = gates.len();
    // The probability that none of the checked gates is wrong: a product of (right gates left) / (gates left).
    let mut missed = [1_u128, 1];
    let mut needed = 0;
    while 3 * missed[0] > missed[1] && needed < count {
        missed[0] *= (count - needed).saturating_sub(wrong) as u128;
        missed[1] *= (count - needed) as u128;
        needed += 1;
    }
    FreeInputVerifierReport {
        points: points.len(),
        errors_with_free_input: errors.count(),
        gates: count,
        wrong_gates: wrong,
        accepted_after_one_gate: format!("{}/{count}", count - wrong),
        gates_for_one_third: needed,
    }
}

/// Returns the least number of gates whose written value contradicts the written values of their inputs, in a
/// transcript with a wrong output. Tries all transcripts.
pub fn fewest_contradictions_in_wrong_transcript(
    inputs: usize,
    gates: &[[usize; 2]],
    input: usize,
) -> usize {
    let bit = |wire: usize, transcript: usize| {
        if wire < inputs {
            input >> (inputs - 1 - wire) & 1 == 1
        } else {
            transcript >> (wire - inputs) & 1 == 1
        }
    };
    let output = inputs + gates.len() - 1;
    let parity = input.count_ones() % 2 == 1;
    let lies = (0..1_usize << gates.len()).filter(|lie| bit(output, *lie) != parity);
    let wrong = lies.map(|lie| {
        let each = gates.iter().enumerate();
        let wrong = each.filter(|(gate, [left, right])| {
            bit(inputs + gate, lie) != (bit(*left, lie) != bit(*right, lie))
        });
        wrong.count()
    });
    wrong.min().unwrap_or(0)
}
