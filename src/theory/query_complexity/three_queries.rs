//! Exhaustive search over verifiers with three queries, and the functions that they decide (DQC Definition 1).
//!
//! A verifier of three queries is a tree: it reads one bit at the root, then one of two bits in the middle, then one of
//! four bits at the bottom. The following observations reduce the number of trees without losing a function:
//!
//! - A bottom query with its two leaves gives a constant, the bit that it reads, or the negation of that bit.
//! - Consider a message that only the bottom reads, everywhere unchanged or everywhere negated. Its writer always
//!   writes the value that helps the writer, so the message is a constant. Therefore a message that only the bottom
//!   reads must be read there at least once unchanged and at least once negated. At most two such messages exist, in
//!   addition to those that the root and the middle read.
//! - A message that one side reads in the middle may also be read at the bottom of the other side.
//!
//! The value of a debate is computed for all inputs at once: as a word with one bit for each input. There is a table of
//! such words, with an entry for each combination of messages. Beginning with the last message, each message halves the
//! table: of the two entries that differ only in this message, the writer takes the minimum (Prover 0) or the maximum
//! (Prover 1). All orders and writers of the messages are tried.
//!
//! A verifier of three queries reads at most seven different bits. For functions that depend on five inputs, only
//! verifiers that read all five inputs are tried, so at most two messages remain.

use std::collections::HashMap;

use super::verifier::{QueryDebateDefinition, VerifierDecisionTree, VerifierReadableBit};
use super::{BooleanFunction, MAX_INPUTS};

/// The number of different messages (bits that a prover writes) that a verifier of three queries can use. It can read
/// one at the first query, one after each value of this bit, and two at the third query.
const MESSAGES: usize = 5;
const ROOT: u8 = 0;
const MIDDLE: [u8; 2] = [1, 2];
const BOTTOM: [u8; 2] = [3, 4];

/// A bit that the verifier reads: an input bit, or a message by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bit {
    Input(u8),
    Message(u8),
}

/// The verifier's third and last query, after given values of the first two bits: either a constant output, or the bit
/// that determines the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastQuery {
    Says(bool),
    /// The verifier outputs this bit; if the flag is true, it outputs the bit's negation.
    Reads(Bit, bool),
}

impl LastQuery {
    /// Returns the bit that the last query reads; `None` if the output is constant.
    fn bit(self) -> Option<Bit> {
        match self {
            Self::Reads(bit, _) => Some(bit),
            Self::Says(_) => None,
        }
    }
}

/// A verifier of three queries. In each pair, the first entry is used if the bit that was read before is 0.
#[derive(Clone, Copy, Debug)]
struct Verifier {
    root: Bit,
    middle: [Bit; 2],
    bottom: [[LastQuery; 2]; 2],
}

/// The messages of a debate, each with its writer (false: Prover 0, true: Prover 1). The last message of the debate
/// comes first.
type Order = Vec<(u8, bool)>;

/// The functions of a given number of inputs that three queries decide, each with the first debate that was found.
#[derive(Debug)]
pub struct FunctionsDecidedByThreeQueries {
    inputs: Inputs,
    found: FoundDebates,
}

/// The first debate that was found for each function, by the function's truth table.
#[derive(Debug)]
enum FoundDebates {
    /// A list indexed by the truth table, for functions of up to four inputs.
    Table(Vec<Option<(Verifier, Order)>>),
    /// A map from the truth tables of functions that depend on five inputs.
    Map(HashMap<Rows, (Verifier, Order)>),
}

impl FoundDebates {
    fn get(&self, rows: Rows) -> Option<&(Verifier, Order)> {
        match self {
            Self::Table(table) => table.get(rows as usize)?.as_ref(),
            Self::Map(map) => map.get(&rows),
        }
    }

    fn record(&mut self, rows: Rows, verifier: Verifier, order: &Order) {
        match self {
            Self::Table(table) => {
                let found = &mut table[rows as usize];
                if found.is_none() {
                    *found = Some((verifier, order.clone()));
                }
            }
            Self::Map(map) => {
                map.entry(rows).or_insert_with(|| (verifier, order.clone()));
            }
        }
    }
}

impl FunctionsDecidedByThreeQueries {
    /// Tries every verifier of three queries, for functions of `inputs` inputs. For five inputs, finds only functions
    /// that depend on all of them.
    pub fn search_functions_of_three_queries(inputs: usize) -> Self {
        let found = if inputs <= MAX_INPUTS {
            FoundDebates::Table(vec![None; 1 << (1 << inputs)])
        } else {
            FoundDebates::Map(HashMap::new())
        };
        let mut queries = Self {
            inputs: Inputs::of(inputs),
            found,
        };
        queries.try_all_roots();
        if let FoundDebates::Map(map) = &mut queries.found {
            map.retain(|rows, _| {
                let function = BooleanFunction::new(inputs, *rows);
                function.is_some_and(|function| function.relevant_inputs().len() == inputs)
            });
        }
        queries
    }

    /// Returns a debate that decides the function. `None` if no verifier of three queries does, or if a function of
    /// five inputs ignores an input.
    pub fn debate_deciding(&self, function: BooleanFunction) -> Option<QueryDebateDefinition> {
        let (verifier, order) = self.found.get(function.rows)?;
        Some(verifier.debate(self.inputs.ones.len(), order))
    }

    /// Returns the decided functions.
    pub fn decided_functions(&self) -> impl Iterator<Item = BooleanFunction> {
        let decided: Vec<Rows> = match &self.found {
            FoundDebates::Table(table) => (0..)
                .zip(table)
                .filter_map(|(rows, known)| known.as_ref().map(|_| rows))
                .collect(),
            FoundDebates::Map(map) => map.keys().copied().collect(),
        };
        let inputs = self.inputs.ones.len();
        decided
            .into_iter()
            .filter_map(move |rows| BooleanFunction::new(inputs, rows))
    }
}

/// A set of rows of a truth table, one bit for each row.
type Rows = u32;

/// The rows of a truth table: for each input, the set of rows in which it is 1, and the set of all rows.
#[derive(Debug)]
struct Inputs {
    ones: Vec<Rows>,
    all: Rows,
}

impl Inputs {
    fn of(inputs: usize) -> Self {
        let index = |index: usize| {
            let bit = 1 << (inputs - 1 - index);
            BooleanFunction::from_row_values(inputs, |row| row & bit != 0).rows
        };
        Self {
            ones: (0..inputs).map(index).collect(),
            all: BooleanFunction::from_row_values(inputs, |_| true).rows,
        }
    }

    fn bits(&self) -> impl Iterator<Item = Bit> {
        (0_u8..).zip(&self.ones).map(|(index, _)| Bit::Input(index))
    }

    /// True if a verifier that reads these bits and `more` other bits can read enough input bits to be worth trying.
    /// Functions of five inputs need all five inputs read; for fewer inputs, always true.
    fn can_be_read(&self, bits: impl IntoIterator<Item = Bit>, more: usize) -> bool {
        if self.ones.len() <= MAX_INPUTS {
            return true;
        }
        let read = bits.into_iter().fold(0_u32, |read, bit| match bit {
            Bit::Input(index) => read | 1 << index,
            Bit::Message(_) => read,
        });
        read.count_ones() as usize + more >= self.ones.len()
    }
}

impl FunctionsDecidedByThreeQueries {
    fn try_all_roots(&mut self) {
        let inputs: Vec<Bit> = self.inputs.bits().collect();
        let with = |message: u8| inputs.iter().copied().chain([Bit::Message(message)]);
        for root in with(ROOT) {
            for first in with(MIDDLE[0]).filter(|bit| *bit != root) {
                // The second side may also read the message that the first side reads.
                let second = with(MIDDLE[1]).chain(Some(first).filter(|bit| is_message(*bit)));
                for second in second.filter(|bit| *bit != root) {
                    self.try_all_bottoms(root, [first, second]);
                }
            }
        }
    }

    fn try_all_bottoms(&mut self, root: Bit, middle: [Bit; 2]) {
        let lasts = [0, 1].map(|side: usize| {
            let messages = [middle[0], middle[1]]
                .into_iter()
                .filter(|bit| is_message(*bit))
                .chain(BOTTOM.map(Bit::Message));
            let bits = self
                .inputs
                .bits()
                .chain(messages)
                .filter(|bit| *bit != root && *bit != middle[side]);
            let each =
                bits.flat_map(|bit| [false, true].map(|turned| LastQuery::Reads(bit, turned)));
            each.chain([false, true].map(LastQuery::Says))
                .collect::<Vec<LastQuery>>()
        });
        let [one, other] = lasts;
        let above = [root, middle[0], middle[1]];
        let can_end = |inputs: &Inputs, last: &[LastQuery]| {
            let bits = above
                .into_iter()
                .chain(last.iter().filter_map(|last| last.bit()));
            inputs.can_be_read(bits, 4 - last.len())
        };
        for a in &one {
            for b in &one {
                if !can_end(&self.inputs, &[*a, *b]) {
                    continue;
                }
                for c in &other {
                    if !can_end(&self.inputs, &[*a, *b, *c]) {
                        continue;
                    }
                    for d in &other {
                        let bottom = [[*a, *b], [*c, *d]];
                        if are_messages_useful(&bottom)
                            && can_end(&self.inputs, bottom.as_flattened())
                        {
                            self.record_decided_functions(Verifier {
                                root,
                                middle,
                                bottom,
                            });
                        }
                    }
                }
            }
        }
    }

    /// Records the functions that a verifier decides, for all writers and all orders of its messages.
    fn record_decided_functions(&mut self, verifier: Verifier) {
        let messages = verifier.messages();
        let mut values = [0; 1 << MESSAGES];
        for (message, rows) in values.iter_mut().enumerate().take(1 << messages.len()) {
            *rows = verifier.says(&|bit| match bit {
                Bit::Input(index) => self.inputs.ones[usize::from(index)],
                Bit::Message(number) => {
                    let at = messages.iter().position(|known| *known == number);
                    if at.is_some_and(|at| message >> at & 1 == 1) {
                        self.inputs.all
                    } else {
                        0
                    }
                }
            });
            *rows &= self.inputs.all;
        }
        self.try_message_orders(verifier, &values, &messages, &mut Vec::new());
    }

    /// Tries all orders and writers of the messages that have no place yet. Chooses the last of these messages and its
    /// writer (either prover), then the message before it, and so on.
    fn try_message_orders(
        &mut self,
        verifier: Verifier,
        values: &[Rows; 1 << MESSAGES],
        messages: &[u8],
        order: &mut Order,
    ) {
        if messages.is_empty() {
            self.found.record(values[0], verifier, order);
            return;
        }
        for at in 0..messages.len() {
            let mut rest = [0; MESSAGES];
            let kept = messages
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != at);
            for (slot, (_, message)) in rest.iter_mut().zip(kept) {
                *slot = *message;
            }
            for greatest in [false, true] {
                let mut halved = [0; 1 << MESSAGES];
                let half = 1 << (messages.len() - 1);
                for (index, rows) in halved.iter_mut().enumerate().take(half) {
                    // The indices of the same messages, with this one inserted as 0 and as 1.
                    let low = index & ((1 << at) - 1);
                    let no = (index - low) << 1 | low;
                    let (no, yes) = (values[no], values[no | 1 << at]);
                    *rows = if greatest { no | yes } else { no & yes };
                }
                order.push((messages[at], greatest));
                self.try_message_orders(verifier, &halved, &rest[..messages.len() - 1], order);
                order.pop();
            }
        }
    }
}

fn is_message(bit: Bit) -> bool {
    matches!(bit, Bit::Message(_))
}

/// True if a verifier makes full use of the messages that only its third queries read. Each of these is read both
/// unchanged and negated, or not at all. The first of them is also read before the second: exchanging the two gives an
/// equivalent verifier.
fn are_messages_useful(bottom: &[[LastQuery; 2]; 2]) -> bool {
    let ways = |message: u8| {
        [false, true].map(|turned| {
            let read = LastQuery::Reads(Bit::Message(message), turned);
            bottom.as_flattened().iter().position(|last| *last == read)
        })
    };
    let [first, second] = BOTTOM.map(ways);
    let is_whole = |ways: [Option<usize>; 2]| ways[0].is_some() == ways[1].is_some();
    let in_order = match (first[0].min(first[1]), second[0].min(second[1])) {
        (Some(first), Some(second)) => first < second,
        (first, second) => first.is_some() || second.is_none(),
    };
    is_whole(first) && is_whole(second) && in_order
}

impl Verifier {
    /// Returns the numbers of the messages that the verifier reads.
    fn messages(&self) -> Vec<u8> {
        let last = self.bottom.as_flattened().iter();
        let last = last.filter_map(|last| last.bit());
        let all = [self.root, self.middle[0], self.middle[1]]
            .into_iter()
            .chain(last);
        let mut messages: Vec<u8> = all
            .filter_map(|bit| match bit {
                Bit::Message(number) => Some(number),
                Bit::Input(_) => None,
            })
            .collect();
        messages.sort_unstable();
        messages.dedup();
        messages
    }

    /// Returns the verifier's output in each row of the truth table. `bit` returns a bit's value in each row.
    fn says(&self, bit: &impl Fn(Bit) -> Rows) -> Rows {
        let choose = |bit: Rows, [no, yes]: [Rows; 2]| bit & yes | !bit & no;
        let last = |last: LastQuery| match last {
            LastQuery::Says(value) => Rows::from(value).wrapping_neg(),
            LastQuery::Reads(read, turned) => bit(read) ^ Rows::from(turned).wrapping_neg(),
        };
        let side = |side: usize| choose(bit(self.middle[side]), self.bottom[side].map(last));
        choose(bit(self.root), [0, 1].map(side))
    }

    /// Converts the verifier to a debate in rounds. Prover 0 writes the messages with even numbers.
    fn debate(&self, inputs: usize, order: &Order) -> QueryDebateDefinition {
        let mut indices = [0; MESSAGES];
        let mut next = 0;
        for (message, greatest) in order.iter().rev() {
            next += usize::from((next % 2 == 1) != *greatest);
            indices[usize::from(*message)] = next;
            next += 1;
        }
        let variable = |bit: Bit| match bit {
            Bit::Input(index) => VerifierReadableBit::Input(usize::from(index)),
            Bit::Message(number) => VerifierReadableBit::Message(indices[usize::from(number)]),
        };
        let last = |last: LastQuery| match last {
            LastQuery::Says(value) => VerifierDecisionTree::Says(value),
            LastQuery::Reads(bit, turned) => VerifierDecisionTree::reading(
                variable(bit),
                VerifierDecisionTree::Says(turned),
                VerifierDecisionTree::Says(!turned),
            ),
        };
        let side = |side: usize| {
            let [no, yes] = self.bottom[side].map(last);
            if no == yes {
                no
            } else {
                VerifierDecisionTree::reading(variable(self.middle[side]), no, yes)
            }
        };
        QueryDebateDefinition {
            inputs,
            rounds: next.div_ceil(2),
            verifier: VerifierDecisionTree::reading(variable(self.root), side(0), side(1)),
        }
    }
}
