//! Randomised verifiers (DQC §5): what they need at least, and how one is made deterministic.

use super::report::DerandomisedReport;
use super::verifier::{Debate, Tree, Variable};
use super::{BooleanFunction, pointer_bits};

/// An input with a transcript that is valid for it, and what the verifier must say there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardPoint {
    pub input: usize,
    pub transcript: Vec<bool>,
    pub says: bool,
}

/// The distribution of DQC Theorem 13's proof, uniform over these points: for every input bit two
/// inputs that differ in it alone and in the function, with one transcript that is valid for both:
/// Prover 0 as honest on the first, Prover 1 as honest on the second.
pub fn hard_points(n: usize, function: &impl Fn(usize) -> bool, debate: &Debate) -> Vec<HardPoint> {
    let mut points = Vec::new();
    for place in 0..n {
        let bit = 1_usize << (n - 1 - place);
        let differs = |input: &usize| !function(*input) && function(input ^ bit);
        let Some(no) = (0..1 << n).find(differs) else {
            continue;
        };
        let yes = no ^ bit;
        let mut transcript = Vec::new();
        for turn in 0..2 * debate.rounds {
            let input = if turn % 2 == 0 { no } else { yes };
            let honest = debate.honest_bit(input, &transcript);
            transcript.push(honest);
        }
        points.extend([(no, false), (yes, true)].map(|(input, says)| HardPoint {
            input,
            says,
            transcript: transcript.clone(),
        }));
    }
    points
}

/// The least number of these points at which a deterministic verifier of so many queries is wrong.
/// By Yao's principle no randomised one errs less often than that share.
pub fn least_errors(
    points: &[&HardPoint],
    inputs: usize,
    messages: usize,
    queries: usize,
) -> usize {
    let ones = points.iter().filter(|point| point.says).count();
    let least = ones.min(points.len() - ones);
    if queries == 0 || least == 0 {
        return least;
    }
    let split = Variable::all(inputs, messages).map(|variable| {
        let is_one = |point: &&&HardPoint| match variable {
            Variable::Input(place) => point.input >> (inputs - 1 - place) & 1 == 1,
            Variable::Message(place) => point.transcript[place],
        };
        let (yes, no): (Vec<&HardPoint>, Vec<&HardPoint>) =
            points.iter().partition(|point| is_one(point));
        [no, yes]
            .iter()
            .map(|side| least_errors(side, inputs, messages, queries - 1))
            .sum()
    });
    split.min().map_or(least, |best: usize| best.min(least))
}

/// A gate over earlier ones, or over a bit that is read.
#[derive(Clone, Copy, Debug)]
enum CircuitGate {
    Bit(Variable),
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

    /// Gates that find what a tree says; `None` where it always says 0, the inner `None` where 1.
    fn tree(&mut self, tree: &Tree) -> Wire {
        match tree {
            Tree::Says(value) => Wire::Fixed(*value),
            Tree::Reads(variable, then) => {
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

    /// Both where `unit` is true, either where it is not: the value that leaves the other as it is.
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

    /// At least `least` of these: by the first that many, or as many without the last.
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

    /// What the last gate says.
    fn says(&self, wire: Wire, bit: &impl Fn(Variable) -> bool) -> bool {
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
            Wire::Gate(place) => values[place],
        }
    }
}

/// A value, or the gate that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Fixed(bool),
    Gate(usize),
}

/// Makes a randomised verifier without messages deterministic, as in the proof of DQC Theorem 14: a
/// majority over a few of its trees, as a circuit, which is cross-examined. The verifier takes one of these trees, each as
/// likely. `None` where it errs more than one time in three at some input, or no few of its trees are
/// right by majority everywhere.
pub fn derandomised(function: BooleanFunction, trees: &[Tree]) -> Option<DerandomisedReport> {
    let n = function.inputs();
    let bit = |input: usize| {
        move |variable| match variable {
            Variable::Input(place) => input >> (n - 1 - place) & 1 == 1,
            Variable::Message(_) => false,
        }
    };
    let right = |tree: &Tree, input: usize| tree.says(&bit(input)) == function.at(input);
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
        let of_set = numbered.filter(move |(place, _)| set >> place & 1 == 1);
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
        .all(|input| circuit.says(output, &bit(input)) == function.at(input));
    let gates = circuit.0.len();
    let queries = trees.iter().map(Tree::queries).max().unwrap_or(0);
    agrees.then(|| DerandomisedReport {
        queries,
        trees: wires.len(),
        gates,
        bits: pointer_bits(gates as u64) + 3,
        promised: queries as u64 + pointer_bits(n as u64) + 10,
    })
}

/// A verifier of the majority of three inputs that reads two of them, any, and where they differ says
/// 0 or 1 with the same probability: it errs one time in three at most.
pub fn two_of_three() -> Vec<Tree> {
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let trees = pairs.into_iter().flat_map(|(first, second)| {
        [false, true].map(|tie| {
            let second = |no: bool, yes: bool| {
                if no == yes {
                    Tree::Says(no)
                } else {
                    Tree::reads(Variable::Input(second), Tree::Says(no), Tree::Says(yes))
                }
            };
            Tree::reads(
                Variable::Input(first),
                second(false, tie),
                second(tie, true),
            )
        })
    });
    trees.collect()
}
