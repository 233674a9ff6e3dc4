//! Tests on small functions if a third debater saves queries (an open question of DQC §6).
//!
//! The third debater argues for 0 or for 1. It either sees all earlier messages, and all later writers see its
//! messages; or it is sealed: it sees only the input, and no debater sees its messages. The debates decide a function
//! if, for each input, the debaters of the right value have a joint strategy that wins against all replies of the
//! others.

use std::collections::BTreeSet;

use serde::Serialize;

use super::verifier::{VerifierDecisionTree, VerifierReadableBit};
use super::{BooleanFunction, FunctionsOfFewQueries, complexity_bounds};

/// The number of messages in a debate. Two queries can read at most three different bits.
const MESSAGES: usize = 3;

/// The writer of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageSideAndSeal {
    /// The output (true or false) that the writer of this message wants the verifier to give.
    pub side: bool,
    /// True if this message is sealed: its writer has seen no other message, and no debater sees it.
    pub sealed: bool,
}

/// The results of the test if a third debater saves queries, for functions of up to three inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ThirdDebaterReport")]
pub struct ThirdDebaterQuerySavingsReport {
    /// The number of functions of up to three inputs that were tested.
    pub functions: usize,
    /// The number of functions that two debaters decide with at most two queries.
    pub by_two: usize,
    /// The number of functions that three debaters decide with at most two queries.
    pub by_three: usize,
    /// The number of functions for which three debaters need fewer queries than two debaters.
    pub fewer: usize,
}

impl ThirdDebaterQuerySavingsReport {
    /// Tests all functions with all verifiers of at most two queries, and with all orders and writers of three
    /// messages.
    pub fn from_tests_of_all_functions() -> Self {
        const INPUTS: usize = 3;
        let searched: Vec<FunctionsOfFewQueries> = (0..=INPUTS)
            .map(FunctionsOfFewQueries::from_exhaustive_search)
            .collect();
        let [none, one, two] = [0, 1, 2].map(|queries| decided_with_third_debater(INPUTS, queries));
        let mut report = Self::default();
        for function in BooleanFunction::all_with_inputs(INPUTS) {
            let relevant = function.drop_irrelevant_inputs();
            let by_two = complexity_bounds(relevant, &searched[relevant.input_count()]);
            let by_two = by_two.upper.queries;
            let rows = function.true_rows_bitmask();
            let by_three = [&none, &one, &two]
                .iter()
                .position(|decided| decided.contains(&rows));
            report.functions += 1;
            report.by_two += usize::from(by_two <= 2);
            report.by_three += usize::from(by_three.is_some());
            report.fewer += usize::from(by_three.is_some_and(|queries| queries < by_two));
        }
        report
    }
}

/// Returns the truth tables of all functions that verifiers with at most `queries` queries decide. Each of the three
/// messages may have any writer.
fn decided_with_third_debater(inputs: usize, queries: usize) -> BTreeSet<u32> {
    let variables: Vec<VerifierReadableBit> =
        VerifierReadableBit::input_and_message_bits(inputs, MESSAGES).collect();
    let writers =
        [false, true].map(|side| [false, true].map(|sealed| MessageSideAndSeal { side, sealed }));
    let writers = writers.as_flattened();
    let mut decided = BTreeSet::new();
    for verifier in VerifierDecisionTree::all_with_at_most_queries(&variables, queries) {
        for first in writers {
            for second in writers {
                for third in writers {
                    // The messages are numbered in the order of writing; verifiers read them in any order.
                    let by = [*first, *second, *third];
                    decided.extend(truth_table_decided_by_three_debaters(
                        inputs, &verifier, &by,
                    ));
                }
            }
        }
    }
    decided
}

/// Returns the truth table of the function that a debate decides; `None` if for some input neither side can force the
/// output.
pub fn truth_table_decided_by_three_debaters(
    inputs: usize,
    verifier: &VerifierDecisionTree,
    writers: &[MessageSideAndSeal],
) -> Option<u32> {
    let mut rows = 0;
    for input in 0..1_usize << inputs {
        let forces = |side: bool| {
            let mut messages = [false; MESSAGES];
            let order = order_for(side, writers);
            forced_output(inputs, input, verifier, writers, &order, &mut messages) == side
        };
        match (forces(false), forces(true)) {
            (true, false) => {}
            (false, true) => rows |= 1 << input,
            _ => return None,
        }
    }
    Some(rows)
}

/// Returns the order in which messages are fixed if the debaters of `side` must win for certain. Their own sealed
/// messages come first, because these depend on the input alone. The opponents' sealed messages come last, because the
/// strategies of `side` cannot depend on them.
fn order_for(side: bool, writers: &[MessageSideAndSeal]) -> Vec<usize> {
    let of = |wanted: &dyn Fn(&MessageSideAndSeal) -> bool| {
        let numbered = writers.iter().enumerate();
        let chosen = numbered.filter(|(_, writer)| wanted(writer));
        chosen.map(|(index, _)| index).collect::<Vec<usize>>()
    };
    let own = of(&|writer| writer.sealed && writer.side == side);
    let open = of(&|writer| !writer.sealed);
    let other = of(&|writer| writer.sealed && writer.side != side);
    [own, open, other].concat()
}

/// Returns the verifier's output if the remaining messages are fixed in this order, each with the value that is best
/// for its writer.
fn forced_output(
    inputs: usize,
    input: usize,
    verifier: &VerifierDecisionTree,
    writers: &[MessageSideAndSeal],
    order: &[usize],
    messages: &mut [bool; MESSAGES],
) -> bool {
    let Some((next, rest)) = order.split_first() else {
        return verifier.output(&|variable| match variable {
            VerifierReadableBit::Input(index) => input >> (inputs - 1 - index) & 1 == 1,
            VerifierReadableBit::Message(index) => messages[index],
        });
    };
    let wish = writers[*next].side;
    let reaches = |bit: bool| {
        messages[*next] = bit;
        forced_output(inputs, input, verifier, writers, rest, messages) == wish
    };
    if [false, true].into_iter().any(reaches) {
        wish
    } else {
        !wish
    }
}
