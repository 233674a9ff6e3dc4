//! Randomised verifiers (DQC §5): lower bounds on their numbers of queries, and conversion to deterministic verifiers.

use serde::Serialize;

use debate_core::number::{Exact, Number as _};

use super::report::DerandomisedVerifierReport;
use super::verifier::{QueryDebateDefinition, VerifierDecisionTree, VerifierReadableBit};
use super::{BooleanFunction, pointer_bits};

/// One point of the hard distribution from the proof of DQC Theorem 13 ([`hard_points`]): an input, a transcript that
/// is valid for it, and the output that the verifier must give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardInputTranscriptAndOutput {
    pub input: usize,
    pub transcript: Vec<bool>,
    pub says: bool,
}

/// Returns the points of the hard distribution from the proof of DQC Theorem 13. For every input bit on which the
/// function depends, two inputs differ only in this bit and have different values. One transcript is valid for both:
/// Prover 0 is honest for the first input, Prover 1 for the second.
pub fn hard_points(
    n: usize,
    function: &impl Fn(usize) -> bool,
    debate: &QueryDebateDefinition,
) -> Vec<HardInputTranscriptAndOutput> {
    let mut points = Vec::new();
    for index in 0..n {
        let bit = 1_usize << (n - 1 - index);
        let differs = |input: &usize| !function(*input) && function(input ^ bit);
        let Some(no) = (0..1 << n).find(differs) else {
            continue;
        };
        let yes = no ^ bit;
        let mut transcript = Vec::new();
        for turn in 0..2 * debate.rounds {
            let input = if turn % 2 == 0 { no } else { yes };
            let honest = debate.next_honest_bit(input, &transcript);
            transcript.push(honest);
        }
        points.extend([(no, false), (yes, true)].map(|(input, says)| {
            HardInputTranscriptAndOutput {
                input,
                says,
                transcript: transcript.clone(),
            }
        }));
    }
    points
}

/// The results of the test of DQC Definition 12, by which a randomised verifier's errors count only on valid
/// transcripts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ValidityReport")]
pub struct ErrorsOnValidTranscriptsReport {
    /// For a verifier of the majority of three inputs that reads two random ones: its greatest error probability on any
    /// input, as a fraction.
    pub majority_error: String,
    /// The number of queries of the verifier of the majority.
    pub majority_queries: usize,
    /// The number of pairs of an input and a valid transcript in a debate about one input bit. Each prover writes a
    /// message. Prover 1 may concede with a 0; the verifier reads this message, then the input.
    pub valid: usize,
    /// The largest number of queries of the verifier for the debate about one input bit.
    pub queries: usize,
    /// The number of valid transcripts on which a verifier that reads only the input errs.
    pub errors_on_valid: usize,
    /// The number of invalid transcripts on which a verifier that reads only the input errs. DQC Definition 12 does not
    /// count them.
    pub errors_on_others: usize,
}

impl ErrorsOnValidTranscriptsReport {
    /// Computes the report.
    pub fn compute() -> Self {
        let trees = majority_verifier_of_two_random_inputs();
        let majority = BooleanFunction::from_row_values(3, |row| row.count_ones() > 1);
        let wrong = |input: usize| {
            let bit = |variable| match variable {
                VerifierReadableBit::Input(index) => input >> (2 - index) & 1 == 1,
                VerifierReadableBit::Message(_) => false,
            };
            let differs =
                |tree: &&VerifierDecisionTree| tree.output(&bit) != majority.value_at(input);
            trees.iter().filter(differs).count()
        };
        let worst = (0..8).map(wrong).max().unwrap_or(0);
        let reads = |variable| {
            VerifierDecisionTree::reading(
                variable,
                VerifierDecisionTree::Says(false),
                VerifierDecisionTree::Says(true),
            )
        };
        let concession = QueryDebateDefinition {
            inputs: 1,
            rounds: 1,
            verifier: VerifierDecisionTree::reading(
                VerifierReadableBit::Message(1),
                VerifierDecisionTree::Says(false),
                reads(VerifierReadableBit::Input(0)),
            ),
        };
        let short = QueryDebateDefinition {
            verifier: reads(VerifierReadableBit::Input(0)),
            ..concession.clone()
        };
        let mut report = Self {
            majority_error: Exact::ratio(
                i64::try_from(worst).unwrap_or(i64::MAX),
                i64::try_from(trees.len()).unwrap_or(1),
            )
            .to_string(),
            majority_queries: trees
                .iter()
                .map(VerifierDecisionTree::max_queries)
                .max()
                .unwrap_or(0),
            valid: 0,
            queries: concession.verifier.max_queries(),
            errors_on_valid: 0,
            errors_on_others: 0,
        };
        for input in 0..2 {
            let valid = transcripts_with_honest_prover(&concession, input);
            report.valid += valid.len();
            for number in 0..4 {
                let transcript = [number & 2 != 0, number & 1 != 0];
                let errs = short.verifier_output_for_transcript(input, &transcript)
                    != concession.verifier_output_for_transcript(input, &transcript);
                let is_valid = valid.contains(&transcript.to_vec());
                report.errors_on_valid += usize::from(errs && is_valid);
                report.errors_on_others += usize::from(errs && !is_valid);
            }
        }
        report
    }
}

impl Default for ErrorsOnValidTranscriptsReport {
    fn default() -> Self {
        Self::compute()
    }
}

/// Returns the valid transcripts for an input (DQC Definition 2): the honest prover follows its strategy, the other
/// prover writes anything. The honest prover writes 1 if that wins, otherwise 0.
pub fn transcripts_with_honest_prover(
    debate: &QueryDebateDefinition,
    input: usize,
) -> Vec<Vec<bool>> {
    let honest = debate.verifier_output_after_optimal_play(input, &mut Vec::new());
    let mut transcripts: Vec<Vec<bool>> = vec![Vec::new()];
    for turn in 0..2 * debate.rounds {
        let is_honest = (turn % 2 == 1) == honest;
        transcripts = transcripts
            .into_iter()
            .flat_map(|before| {
                let own = debate.next_honest_bit(input, &before);
                let bits = [false, true]
                    .into_iter()
                    .filter(move |bit| !is_honest || *bit == own);
                bits.map(move |bit| [&before[..], &[bit]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    transcripts
}

/// Returns the least number of `points` at which a deterministic verifier with at most `queries` queries errs. A point
/// has an input and a transcript. By Yao's principle, the proportion of these points is a lower bound on every
/// randomised verifier's error.
pub fn least_errors(
    points: &[&HardInputTranscriptAndOutput],
    inputs: usize,
    messages: usize,
    queries: usize,
) -> usize {
    let ones = points.iter().filter(|point| point.says).count();
    let least = ones.min(points.len() - ones);
    if queries == 0 || least == 0 {
        return least;
    }
    let split = VerifierReadableBit::input_and_message_bits(inputs, messages).map(|variable| {
        let is_one = |point: &&&HardInputTranscriptAndOutput| match variable {
            VerifierReadableBit::Input(index) => point.input >> (inputs - 1 - index) & 1 == 1,
            VerifierReadableBit::Message(index) => point.transcript[index],
        };
        let (yes, no): (
            Vec<&HardInputTranscriptAndOutput>,
            Vec<&HardInputTranscriptAndOutput>,
        ) = points.iter().partition(|point| is_one(point));
        [no, yes]
            .iter()
            .map(|side| least_errors(side, inputs, messages, queries - 1))
            .sum()
    });
    split.min().map_or(least, |best: usize| best.min(least))
}

/// A gate of a circuit: an operation on earlier gates, or a bit that the verifier reads.
#[derive(Clone, Copy, Debug)]
enum CircuitGate {
    Bit(VerifierReadableBit),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
}

/// A circuit under construction.
#[derive(Default)]
struct Circuit(Vec<CircuitGate>);

impl Circuit {
    fn push(&mut self, gate: CircuitGate) -> usize {
        self.0.push(gate);
        self.0.len() - 1
    }

    /// Adds gates to the circuit that compute the output of a decision tree. A constant output needs no gate.
    fn tree(&mut self, tree: &VerifierDecisionTree) -> Wire {
        match tree {
            VerifierDecisionTree::Says(value) => Wire::Fixed(*value),
            VerifierDecisionTree::Reads(variable, then) => {
                let no = self.tree(&then[0]);
                let yes = self.tree(&then[1]);
                let bit = self.push(CircuitGate::Bit(*variable));
                let not = self.push(CircuitGate::Not(bit));
                let [left, right] = [(not, no), (bit, yes)]
                    .map(|(when, then)| self.join(true, Wire::Gate(when), then));
                self.join(false, left, right)
            }
        }
    }

    /// Adds a gate of two wires to the circuit: AND if `unit` is true, OR otherwise. If one wire is constant, no gate
    /// is needed. A wire with the constant value `unit` leaves the other wire unchanged.
    fn join(&mut self, unit: bool, left: Wire, right: Wire) -> Wire {
        match (left, right) {
            (Wire::Fixed(value), other) | (other, Wire::Fixed(value)) if value == unit => other,
            (Wire::Fixed(_), _) | (_, Wire::Fixed(_)) => Wire::Fixed(!unit),
            (Wire::Gate(left), Wire::Gate(right)) if unit => {
                Wire::Gate(self.push(CircuitGate::And(left, right)))
            }
            (Wire::Gate(left), Wire::Gate(right)) => {
                Wire::Gate(self.push(CircuitGate::Or(left, right)))
            }
        }
    }

    /// Adds gates that decide if at least `least` of the given wires are 1. Either the last wire and `least - 1` others
    /// are 1, or `least` others.
    fn at_least(&mut self, wires: &[Wire], least: usize) -> Wire {
        let Some((last, rest)) = wires.split_last() else {
            return Wire::Fixed(least == 0);
        };
        match least {
            0 => Wire::Fixed(true),
            least if least > wires.len() => Wire::Fixed(false),
            least => {
                let others = self.at_least(rest, least - 1);
                let with = self.join(true, *last, others);
                let without = self.at_least(rest, least);
                self.join(false, with, without)
            }
        }
    }

    /// Returns the value that a wire has for the given bits.
    fn value_of(&self, wire: Wire, bit: &impl Fn(VerifierReadableBit) -> bool) -> bool {
        let mut values: Vec<bool> = Vec::with_capacity(self.0.len());
        for gate in &self.0 {
            values.push(match gate {
                CircuitGate::Bit(variable) => bit(*variable),
                CircuitGate::Not(of) => !values[*of],
                CircuitGate::And(left, right) => values[*left] && values[*right],
                CircuitGate::Or(left, right) => values[*left] || values[*right],
            });
        }
        match wire {
            Wire::Fixed(value) => value,
            Wire::Gate(index) => values[index],
        }
    }
}

/// A wire: a constant, or the index of the gate whose value it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Fixed(bool),
    Gate(usize),
}

/// Derandomises a verifier without messages, as in the proof of DQC Theorem 14. The verifier chooses one of `trees`
/// uniformly. A circuit computes the majority of a few of these trees, and this circuit is cross-examined. Returns
/// `None` if the verifier's error rate exceeds one third at some input, or if no majority of its trees is right at
/// every input. Also returns `None` for more than 16 trees.
pub fn derandomise(
    function: BooleanFunction,
    trees: &[VerifierDecisionTree],
) -> Option<DerandomisedVerifierReport> {
    let n = function.input_count();
    let bit = |input: usize| {
        move |variable| match variable {
            VerifierReadableBit::Input(index) => input >> (n - 1 - index) & 1 == 1,
            VerifierReadableBit::Message(_) => false,
        }
    };
    let right = |tree: &VerifierDecisionTree, input: usize| {
        tree.output(&bit(input)) == function.value_at(input)
    };
    let inputs = 0..1_usize << n;
    let errs_seldom = inputs.clone().all(|input| {
        let wrong = trees.iter().filter(|tree| !right(tree, input)).count();
        3 * wrong <= trees.len()
    });
    if !errs_seldom || trees.len() > 16 {
        return None;
    }
    let chosen = |set: u32| {
        let numbered = trees.iter().enumerate();
        let of_set = numbered.filter(move |(index, _)| set >> index & 1 == 1);
        of_set.map(|(_, tree)| tree)
    };
    let by_majority = |set: &u32| {
        inputs.clone().all(|input| {
            let votes = chosen(*set).filter(|tree| right(tree, input)).count();
            2 * votes > set.count_ones() as usize
        })
    };
    let sets = (1_u32..1 << trees.len()).filter(by_majority);
    let set = sets.min_by_key(|set| set.count_ones())?;
    let mut circuit = Circuit::default();
    let wires: Vec<Wire> = chosen(set).map(|tree| circuit.tree(tree)).collect();
    let output = circuit.at_least(&wires, wires.len() / 2 + 1);
    let agrees = inputs
        .clone()
        .all(|input| circuit.value_of(output, &bit(input)) == function.value_at(input));
    let gates = circuit.0.len();
    let queries = trees
        .iter()
        .map(VerifierDecisionTree::max_queries)
        .max()
        .unwrap_or(0);
    agrees.then(|| DerandomisedVerifierReport {
        queries,
        trees: wires.len(),
        gates,
        bits: pointer_bits(gates as u64) + 3,
        promised: queries as u64 + pointer_bits(n as u64) + 10,
    })
}

/// Returns a randomised verifier for the majority of three inputs. It reads at most two of them, chosen uniformly; if
/// they differ, it outputs 0 or 1 with equal probability. Its error rate is at most one third.
pub fn majority_verifier_of_two_random_inputs() -> Vec<VerifierDecisionTree> {
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let trees = pairs.into_iter().flat_map(|(first, second)| {
        [false, true].map(|tie| {
            let second = |no: bool, yes: bool| {
                if no == yes {
                    VerifierDecisionTree::Says(no)
                } else {
                    VerifierDecisionTree::reading(
                        VerifierReadableBit::Input(second),
                        VerifierDecisionTree::Says(no),
                        VerifierDecisionTree::Says(yes),
                    )
                }
            };
            VerifierDecisionTree::reading(
                VerifierReadableBit::Input(first),
                second(false, tie),
                second(tie, true),
            )
        })
    });
    trees.collect()
}
