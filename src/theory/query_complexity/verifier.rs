//! Debates as games: two provers write bits, and a verifier reads a few bits of input and transcript (DQC §2).

use std::fmt;

/// A bit that a verifier may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VerifierReadableBit {
    /// A bit of the input x; the field is its index from 0.
    Input(usize),
    /// A bit of the transcript; the field is its index from 0. Prover 0 writes those with an even index, Prover 1 the
    /// others.
    Message(usize),
}

impl VerifierReadableBit {
    /// Lists the bits that a verifier may read: the first `input_count` bits of the input, then the first
    /// `message_count` bits of the transcript.
    pub(super) fn input_and_message_bits(
        input_count: usize,
        message_count: usize,
    ) -> impl Iterator<Item = Self> {
        let message_count = (0..message_count).map(Self::Message);
        (0..input_count).map(Self::Input).chain(message_count)
    }
}

impl fmt::Display for VerifierReadableBit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(place) => write!(out, "x{}", place + 1),
            Self::Message(place) if place % 2 == 0 => write!(out, "α{}", place / 2 + 1),
            Self::Message(place) => write!(out, "β{}", place / 2 + 1),
        }
    }
}

/// A verifier as a decision tree. It reads one bit at a time; the bits read so far determine the next bit or the
/// output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VerifierDecisionTree {
    Says(bool),
    /// Reads a bit. Continues with the first subtree if the bit is 0, with the second if it is 1.
    Reads(VerifierReadableBit, Box<[Self; 2]>),
}

impl fmt::Display for VerifierDecisionTree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Says(value) => write!(out, "{}", u8::from(*value)),
            Self::Reads(variable, then) => {
                write!(
                    out,
                    "{variable} ? {if_one} : {if_zero}",
                    if_one = Subtree(&then[1]),
                    if_zero = Subtree(&then[0])
                )
            }
        }
    }
}

/// A tree within another tree.
struct Subtree<'t>(&'t VerifierDecisionTree);

impl fmt::Display for Subtree<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            VerifierDecisionTree::Says(_) => self.0.fmt(out),
            VerifierDecisionTree::Reads(..) => write!(out, "({})", self.0),
        }
    }
}

impl VerifierDecisionTree {
    /// Creates a decision tree that reads a bit and continues with `no` if it is 0, with `yes` if it is 1.
    pub fn reading(variable: VerifierReadableBit, no: Self, yes: Self) -> Self {
        Self::Reads(variable, Box::new([no, yes]))
    }

    /// Returns the largest number of bits that the verifier reads on any path.
    pub fn max_queries(&self) -> usize {
        match self {
            Self::Says(_) => 0,
            Self::Reads(_, then) => 1 + then[0].max_queries().max(then[1].max_queries()),
        }
    }

    /// Returns the verifier's output. `bit` returns the value of a bit.
    pub fn output(&self, bit: &impl Fn(VerifierReadableBit) -> bool) -> bool {
        match self {
            Self::Says(value) => *value,
            Self::Reads(variable, then) => then[usize::from(bit(*variable))].output(bit),
        }
    }

    /// Returns the different bits that the verifier may read, in order.
    pub fn readable_bits(&self) -> Vec<VerifierReadableBit> {
        let mut trees = Vec::new();
        let mut open = vec![self];
        while let Some(tree) = open.pop() {
            if let Self::Reads(variable, then) = tree {
                trees.push(*variable);
                open.extend(then.iter());
            }
        }
        trees.sort_unstable();
        trees.dedup();
        trees
    }

    /// Returns a copy of the verifier in which `name` renames the bits.
    pub(super) fn with_bits_renamed(
        &self,
        name: &impl Fn(VerifierReadableBit) -> VerifierReadableBit,
    ) -> Self {
        match self {
            Self::Says(value) => Self::Says(*value),
            Self::Reads(variable, then) => Self::reading(
                name(*variable),
                then[0].with_bits_renamed(name),
                then[1].with_bits_renamed(name),
            ),
        }
    }

    /// Returns all verifiers that read at most `queries` of the given bits on each path. Omits verifiers that read a
    /// bit twice on a path, or that continue in the same way after both values of a bit.
    pub fn all_with_at_most_queries(
        variables: &[VerifierReadableBit],
        queries: usize,
    ) -> Vec<Self> {
        let mut trees = vec![Self::Says(false), Self::Says(true)];
        if queries == 0 {
            return trees;
        }
        for variable in variables {
            let rest: Vec<VerifierReadableBit> = variables
                .iter()
                .copied()
                .filter(|other| other != variable)
                .collect();
            let then = Self::all_with_at_most_queries(&rest, queries - 1);
            for no in &then {
                for yes in then.iter().filter(|yes| *yes != no) {
                    trees.push(Self::reading(*variable, no.clone(), yes.clone()));
                }
            }
        }
        trees
    }
}

/// A debate between two provers before a verifier. Prover 0 wants the output 0, and Prover 1 wants the output 1. In
/// every round, each writes one bit, Prover 0 first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryDebateDefinition {
    /// The number n of input bits.
    pub inputs: usize,
    /// k, the number of rounds.
    pub rounds: usize,
    pub verifier: VerifierDecisionTree,
}

impl QueryDebateDefinition {
    /// Returns the verifier's output for a transcript and an input. The input's first bit is the most significant.
    pub fn verifier_output_for_transcript(&self, input: usize, transcript: &[bool]) -> bool {
        self.verifier.output(&|variable| match variable {
            VerifierReadableBit::Input(place) => input >> (self.inputs - 1 - place) & 1 == 1,
            VerifierReadableBit::Message(place) => transcript.get(place).copied().unwrap_or(false),
        })
    }

    /// Returns the verifier's output if both provers continue the transcript optimally.
    pub fn verifier_output_after_optimal_play(
        &self,
        input: usize,
        transcript: &mut Vec<bool>,
    ) -> bool {
        if transcript.len() == 2 * self.rounds {
            return self.verifier_output_for_transcript(input, transcript);
        }
        let wish = transcript.len() % 2 == 1;
        let reaches = |bit| {
            transcript.push(bit);
            let value = self.verifier_output_after_optimal_play(input, transcript);
            transcript.pop();
            value == wish
        };
        if [false, true].into_iter().any(reaches) {
            wish
        } else {
            !wish
        }
    }

    /// Returns the truth table of the function that the debate decides: bit n is the value at input n.
    pub fn truth_table_of_decided_function(&self) -> u32 {
        let inputs = 0..1_usize << self.inputs;
        let ones =
            inputs.filter(|input| self.verifier_output_after_optimal_play(*input, &mut Vec::new()));
        ones.fold(0, |rows, input| rows | 1 << input)
    }

    /// Returns the bit that the next prover honestly writes: one that wins, if there is one; otherwise 0.
    pub(super) fn next_honest_bit(&self, input: usize, transcript: &[bool]) -> bool {
        let wish = transcript.len() % 2 == 1;
        let mut after = transcript.to_vec();
        after.push(true);
        self.verifier_output_after_optimal_play(input, &mut after) == wish
    }

    /// Returns the rounds of the debate of which the verifier may read a bit.
    fn rounds_read(&self) -> Vec<usize> {
        let variables = self.verifier.readable_bits();
        let is_read = |round: &usize| {
            let bits = [2 * round, 2 * round + 1];
            bits.iter()
                .any(|place| variables.contains(&VerifierReadableBit::Message(*place)))
        };
        (0..self.rounds).filter(is_read).collect()
    }

    /// Returns the debate without the rounds of which the verifier reads no bit (DQC Lemma 3).
    #[must_use]
    pub fn without_rounds_unread_by_verifier(&self) -> Self {
        let kept = self.rounds_read();
        let place_of = |place: usize| {
            let round = kept.iter().position(|round| *round == place / 2);
            2 * round.unwrap_or(0) + place % 2
        };
        let name = |variable| match variable {
            VerifierReadableBit::Message(place) => VerifierReadableBit::Message(place_of(place)),
            input @ VerifierReadableBit::Input(_) => input,
        };
        Self {
            inputs: self.inputs,
            rounds: kept.len(),
            verifier: self.verifier.with_bits_renamed(&name),
        }
    }

    /// True if the honest prover of an input wins the shortened debate against all replies, with the strategy of Lemma
    /// 3's proof. This strategy plays the long debate: in each removed round, the prover writes its own honest bit, and
    /// assumes that the other prover writes 0.
    pub fn honest_prover_wins_shortened(&self, input: usize) -> bool {
        let honest = self.verifier_output_after_optimal_play(input, &mut Vec::new());
        let kept = self.rounds_read();
        let short = self.without_rounds_unread_by_verifier();
        self.wins_shortened(
            &short,
            &kept,
            honest,
            input,
            &mut Vec::new(),
            &mut Vec::new(),
        )
    }

    fn wins_shortened(
        &self,
        short: &Self,
        kept: &[usize],
        honest: bool,
        input: usize,
        full: &mut Vec<bool>,
        shortened_transcript: &mut Vec<bool>,
    ) -> bool {
        let before = full.len();
        let turn = full.len() % 2 == 1;
        if before == 2 * self.rounds {
            return short.verifier_output_for_transcript(input, shortened_transcript) == honest;
        }
        let is_kept = kept.contains(&(before / 2));
        let own = self.next_honest_bit(input, full);
        let bits: &[bool] = match (turn == honest, is_kept) {
            (true, _) => &[own],
            (false, true) => &[false, true],
            (false, false) => &[false],
        };
        bits.iter().all(|bit| {
            full.push(*bit);
            if is_kept {
                shortened_transcript.push(*bit);
            }
            let wins = self.wins_shortened(short, kept, honest, input, full, shortened_transcript);
            full.pop();
            if is_kept {
                shortened_transcript.pop();
            }
            wins
        })
    }
}
