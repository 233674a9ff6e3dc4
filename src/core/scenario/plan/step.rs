//! The steps of a checked plan: their actions, the probabilities of a judge's answers given the earlier bits, and
//! classes of interchangeable steps.

use std::collections::{HashMap, HashSet};

use crate::bits::{BitString, number_from_bits};
use crate::gate::Gate;
use crate::number::{Exact, ExactWithFloat};
use crate::scenario::flaw::{ScenarioValueError, ScenarioValuePath};

/// The way in which a step of a checked plan gets its bit: from a judge's answer, a gate, or the prover's witness.
#[derive(Debug)]
pub(super) enum PlanStepBitRule {
    Ask {
        question: String,
        table: JudgeYesProbabilityByEarlierBits,
        evidence: Option<String>,
        truth: Option<bool>,
    },
    Compute(GateStep),
    Witness,
}

/// A gate over earlier steps.
#[derive(Debug)]
pub(super) struct GateStep {
    pub(super) gate: Gate,
    pub(super) on: Vec<usize>,
    /// The number of inputs that the gate reads unchanged. They come before the inputs that it reads negated.
    pub(super) plain: usize,
}

impl GateStep {
    /// Returns the steps that the gate reads, each with a flag: true if the step's bit is negated.
    pub(super) fn steps_read_with_negation(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let each = self.on.iter().enumerate();
        each.map(|(index, step)| (*step, index >= self.plain))
    }

    /// Returns the claim numbers of the gate's subclaims. The claim that step i is 1 has the number i; the claim that
    /// it is 0 has the number `first_negated_claim` + i.
    pub(super) fn subclaim_numbers(
        &self,
        first_negated_claim: usize,
    ) -> impl Iterator<Item = usize> + '_ {
        let each = self.steps_read_with_negation();
        each.map(move |(step, opposite)| step + if opposite { first_negated_claim } else { 0 })
    }

    /// Returns the gate's bit for these bits of the steps that it reads, in their order.
    pub(super) fn output_bit(&self, bits: impl IntoIterator<Item = bool>) -> bool {
        let turned = bits.into_iter().zip(self.steps_read_with_negation());
        self.gate
            .value_for_outcomes(turned.map(|(bit, (_, opposite))| bit != opposite))
    }

    /// Returns the bit that this step writes: the gate's value if the plan's earlier steps wrote these bits.
    pub(super) fn output_bit_after(&self, earlier_step_bits: &[bool]) -> bool {
        self.output_bit(
            self.on
                .iter()
                .map(|index| earlier_step_bits.get(*index) == Some(&true)),
        )
    }
}

/// A step of a checked plan: the plan that a scenario file states as its problem.
#[derive(Debug)]
pub(super) struct StraightLineProgramStep {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) action: PlanStepBitRule,
}

/// Formats the ids of the steps that a gate reads: "a, b, not c".
pub(super) fn ids_of_steps_read(compute: &GateStep, nodes: &[StraightLineProgramStep]) -> String {
    let each = compute
        .steps_read_with_negation()
        .filter_map(|(step, opposite)| {
            let not = if opposite { "not " } else { "" };
            Some(format!("{not}{}", nodes.get(step)?.id))
        });
    each.collect::<Vec<_>>().join(", ")
}

/// Maximum number of earlier bits on which a judge's answer may depend: the first bits of the run.
pub const MAX_LOOK_BACK: usize = 32;

/// The beginning of a history of bits: the number of its bits, and the bits as a binary number.
type Prefix = (usize, u64);

/// The probabilities that a judge answers yes to a question, by prefixes of the earlier bits. The longest prefix with
/// which the earlier bits begin applies.
#[derive(Debug)]
pub(super) struct JudgeYesProbabilityByEarlierBits {
    entries: HashMap<Prefix, ExactWithFloat>,
    reach: usize,
}

impl JudgeYesProbabilityByEarlierBits {
    /// Builds a table of answer probabilities. Returns an error if a prefix is malformed, repeated, or longer than
    /// [`MAX_LOOK_BACK`] or the number of earlier steps. Also returns one if a possible history begins with no prefix.
    pub(super) fn build(
        written: Vec<(String, Exact)>,
        before: &[StraightLineProgramStep],
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        let mut entries = HashMap::with_capacity(written.len());
        let mut reach = 0;
        for (key, p) in written {
            let start = parse_prefix(&key, before.len())
                .map_err(|what| at.then_map_entry(&key).error_at_path(what))?;
            reach = reach.max(start.0);
            if entries.insert(start, p.into()).is_some() {
                return Err(at
                    .then_map_entry(&key)
                    .error_at_path("this key occurs twice; remove one"));
            }
        }
        let table = Self { entries, reach };
        match table.uncovered_history(before) {
            None => Ok(table),
            Some(history) => Err(at.error_at_path(format_args!(
                "there is no probability after the bits {:?}{}; add that entry, or \"\" for all \
                 other bits",
                BitString::from(history.clone()).to_string(),
                history_text(&history, before)
            ))),
        }
    }

    /// True if the table has a probability other than 0 and 1.
    pub(super) fn judge_may_err(&self) -> bool {
        self.entries.values().any(|p| !p.exact().is_integer())
    }

    /// Returns the length of the table's longest prefix. The probability depends on no later bit of the history.
    pub(super) fn longest_prefix_length_in_table(&self) -> usize {
        self.reach
    }

    /// Returns the probability that the judge answers yes after these earlier bits; `None` if they begin with no prefix
    /// of the table.
    pub(super) fn judge_yes_probability_after_bits(
        &self,
        bits: &[bool],
    ) -> Option<&ExactWithFloat> {
        let longest = self.reach.min(bits.len());
        (0..=longest).rev().find_map(|length| {
            let start = bits.get(..length)?;
            self.entries.get(&(length, number_from_bits(start)))
        })
    }

    /// Returns first bits of a possible history to which no prefix of the table applies; `None` if some prefix applies
    /// to every possible history.
    fn uncovered_history(&self, before: &[StraightLineProgramStep]) -> Option<Vec<bool>> {
        let mut inner = HashSet::new();
        for (length, bits) in self.entries.keys().copied() {
            inner.extend((0..length).map(|shorter| (shorter, bits >> (length - shorter))));
        }
        let mut open: Vec<Vec<bool>> = vec![Vec::new()];
        while let Some(history) = open.pop() {
            let start = (history.len(), number_from_bits(&history));
            if self.entries.contains_key(&start) {
                continue;
            }
            let Some(next) = before.get(history.len()).filter(|_| inner.contains(&start)) else {
                return Some(history);
            };
            for bit in [true, false] {
                if next.can_write(bit, &history) {
                    open.push([&history[..], &[bit]].concat());
                }
            }
        }
        None
    }
}

impl StraightLineProgramStep {
    /// True if it is possible that the step writes the bit `bit` after the earlier bits `bits`.
    fn can_write(&self, bit: bool, bits: &[bool]) -> bool {
        let p = match &self.action {
            PlanStepBitRule::Witness => None,
            PlanStepBitRule::Ask { table, .. } => {
                table.judge_yes_probability_after_bits(bits).cloned()
            }
            PlanStepBitRule::Compute(compute) => Some(compute.output_bit_after(bits).into()),
        };
        p.is_none_or(|p| p != ExactWithFloat::from(!bit))
    }
}

fn parse_prefix(key: &str, before: usize) -> Result<Prefix, String> {
    if key.len() > MAX_LOOK_BACK {
        return Err(format!(
            "a key of a step's table has at most {MAX_LOOK_BACK} bits; shorten this key"
        ));
    }
    if !key.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
        return Err(
            "a key of a step's table lists bits of earlier steps; write them as 0 and 1".to_owned(),
        );
    }
    if key.len() > before {
        return Err(format!(
            "this table key has {bits} bits, but there are only {before} earlier steps; shorten it",
            bits = key.len()
        ));
    }
    let bits: Vec<bool> = key.bytes().map(|bit| bit == b'1').collect();
    Ok((bits.len(), number_from_bits(&bits)))
}

/// Formats the bits of the earlier steps: " (s1 is 0, s2 is 1)".
fn history_text(history: &[bool], nodes: &[StraightLineProgramStep]) -> String {
    let each = history
        .iter()
        .zip(nodes)
        .map(|(bit, node)| format!("{} is {}", node.id, u8::from(*bit)));
    match &each.collect::<Vec<_>>()[..] {
        [] => String::new(),
        each => format!(" ({})", each.join(", ")),
    }
}

/// Steps of a plan, given by index. The flag of a step is true if gates read the negation of its bit.
type SignedSteps = Vec<(usize, bool)>;

/// A class of interchangeable steps. The same gates read all of them, and each of these gates depends only on the
/// number of its true inputs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InterchangeableSteps(SignedSteps);

impl InterchangeableSteps {
    /// Reorders the bits that the steps of this class wrote in a history: those that the gates read as true come first.
    /// Histories with equally many such bits thus become equal and can be merged.
    pub(super) fn sort_interchangeable_bits(&self, bits: &mut [bool]) {
        let indices = self.0.iter();
        let each = indices.map_while(|(step, opposite)| Some(*bits.get(*step)? != *opposite));
        let mut left = each.filter(|counts| *counts).count();
        for (step, opposite) in &self.0 {
            if let Some(bit) = bits.get_mut(*step) {
                *bit = (left > 0) != *opposite;
                left = left.saturating_sub(1);
            }
        }
    }
}

/// Returns the classes of interchangeable steps with at least two members.
pub(super) fn interchangeable_step_classes(
    nodes: &[StraightLineProgramStep],
) -> Vec<InterchangeableSteps> {
    // The steps that read each step, and if they negate it; `None` if a reader does not only count its true inputs.
    let mut readers: Vec<Option<SignedSteps>> = vec![Some(Vec::new()); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        match &node.action {
            PlanStepBitRule::Ask { table, .. } => {
                readers
                    .iter_mut()
                    .take(table.longest_prefix_length_in_table())
                    .for_each(|it| *it = None);
            }
            PlanStepBitRule::Witness => {}
            PlanStepBitRule::Compute(compute) => {
                for (step, opposite) in compute.steps_read_with_negation() {
                    match readers.get_mut(step) {
                        Some(Some(read)) if compute.gate.ignores_subclaim_order() => {
                            read.push((number, opposite));
                        }
                        Some(read) => *read = None,
                        None => {}
                    }
                }
            }
        }
    }
    let mut classes: HashMap<SignedSteps, SignedSteps> = HashMap::new();
    for (step, readers) in readers.into_iter().enumerate() {
        let Some(mut readers) = readers.filter(|readers| !readers.is_empty()) else {
            continue;
        };
        // A step that all readers read with the opposite sign belongs to the same class, with its bit negated.
        let opposite = readers.first().is_some_and(|(_, opposite)| *opposite);
        for reader in &mut readers {
            reader.1 ^= opposite;
        }
        classes.entry(readers).or_default().push((step, opposite));
    }
    let several = classes.into_values().filter(|steps| steps.len() > 1);
    let mut classes: Vec<InterchangeableSteps> = several.map(InterchangeableSteps).collect();
    classes.sort_by_key(|class| class.0.first().copied());
    classes
}
