//! The steps of a checked plan: their actions, the probabilities of asked steps given the bits so far, and which steps
//! are interchangeable.

use std::collections::{HashMap, HashSet};

use crate::bits::{Bits, number_from_bits};
use crate::gate::Gate;
use crate::number::{Exact, ExactWithFloat};
use crate::scenario::flaw::{LocatedError, Path};

/// The action of a checked step.
#[derive(Debug)]
pub(super) enum Action {
    Ask {
        question: String,
        table: AnswerTable,
        evidence: Option<String>,
        truth: Option<bool>,
    },
    Compute(Compute),
    Witness,
}

/// A gate over earlier steps.
#[derive(Debug)]
pub(super) struct Compute {
    pub(super) gate: Gate,
    pub(super) on: Vec<usize>,
    /// The number of inputs, from the first one, that are read unchanged; the later ones are negated.
    pub(super) plain: usize,
}

impl Compute {
    /// Returns the steps that it reads; the boolean is true if the step is negated.
    pub(super) fn reads(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let each = self.on.iter().enumerate();
        each.map(|(index, step)| (*step, index >= self.plain))
    }

    /// Returns the numbers of the claims that it needs; those of opposites begin at `opposites`.
    pub(super) fn claims(&self, opposites: usize) -> impl Iterator<Item = usize> + '_ {
        let each = self.reads();
        each.map(move |(step, opposite)| step + if opposite { opposites } else { 0 })
    }

    /// Returns the bit that it writes if the steps that it reads wrote these bits, in their order.
    pub(super) fn holds(&self, bits: impl IntoIterator<Item = bool>) -> bool {
        let turned = bits.into_iter().zip(self.reads());
        self.gate
            .value_for_outcomes(turned.map(|(bit, (_, opposite))| bit != opposite))
    }

    /// Its value after these bits of the steps before.
    pub(super) fn holds_in(&self, bits: &[bool]) -> bool {
        self.holds(self.on.iter().map(|index| bits.get(*index) == Some(&true)))
    }
}

/// A checked step.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) action: Action,
}

/// Returns the ids of the steps that a gate reads: "a, b, not c".
pub(super) fn ids(compute: &Compute, nodes: &[Node]) -> String {
    let each = compute.reads().filter_map(|(step, opposite)| {
        let not = if opposite { "not " } else { "" };
        Some(format!("{not}{}", nodes.get(step)?.id))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// Maximum number of history bits that a table may use: the first bits of a run.
pub const MAX_LOOK_BACK: usize = 32;

/// The beginning of a history: how many bits, and the bits as a number.
type Start = (usize, u64);

/// The probability that a judge answers yes, for beginnings of the bits so far; the longest match counts.
#[derive(Debug)]
pub(super) struct AnswerTable {
    entries: HashMap<Start, ExactWithFloat>,
    reach: usize,
}

impl AnswerTable {
    /// Checks that keys have no more bits than there are earlier steps, and that every possible history of the earlier
    /// steps begins with one of them.
    pub(super) fn build(
        written: Vec<(String, Exact)>,
        before: &[Node],
        at: &Path,
    ) -> Result<Self, LocatedError> {
        let mut entries = HashMap::with_capacity(written.len());
        let mut reach = 0;
        for (key, p) in written {
            let start = start(&key, before.len()).map_err(|what| at.entry(&key).flaw(what))?;
            reach = reach.max(start.0);
            if entries.insert(start, p.into()).is_some() {
                return Err(at.entry(&key).flaw("this key occurs twice; remove one"));
            }
        }
        let table = Self { entries, reach };
        match table.uncovered(before) {
            None => Ok(table),
            Some(history) => Err(at.flaw(format_args!(
                "there is no probability after the bits {:?}{}; add that entry, or \"\" for all \
                 other bits",
                Bits::from(history.clone()).to_string(),
                named(&history, before)
            ))),
        }
    }

    /// Returns the number of leading bits that the probability depends on.
    pub(super) fn reach(&self) -> usize {
        self.reach
    }

    /// Returns the probability after these bits.
    pub(super) fn at(&self, bits: &[bool]) -> Option<&ExactWithFloat> {
        let longest = self.reach.min(bits.len());
        (0..=longest).rev().find_map(|length| {
            let start = bits.get(..length)?;
            self.entries.get(&(length, number_from_bits(start)))
        })
    }

    /// Returns a possible history that no key is a beginning of.
    fn uncovered(&self, before: &[Node]) -> Option<Vec<bool>> {
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
                if next.can(bit, &history) {
                    open.push([&history[..], &[bit]].concat());
                }
            }
        }
        None
    }
}

impl Node {
    /// True if the step can write a bit after these.
    fn can(&self, bit: bool, bits: &[bool]) -> bool {
        let p = match &self.action {
            Action::Witness => None,
            Action::Ask { table, .. } => table.at(bits).cloned(),
            Action::Compute(compute) => Some(compute.holds_in(bits).into()),
        };
        p.is_none_or(|p| p != ExactWithFloat::from(!bit))
    }
}

fn start(key: &str, before: usize) -> Result<Start, String> {
    if key.len() > MAX_LOOK_BACK {
        return Err(format!(
            "a key of a table has at most {MAX_LOOK_BACK} bits; shorten this key"
        ));
    }
    if !key.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
        return Err("write the bits of the earlier steps as 0 and 1".to_owned());
    }
    if key.len() > before {
        return Err(format!(
            "this key has {} bits, but there are only {before} earlier steps; shorten it",
            key.len()
        ));
    }
    let bits: Vec<bool> = key.bytes().map(|bit| bit == b'1').collect();
    Ok((bits.len(), number_from_bits(&bits)))
}

/// Formats a history: " (s1 is 0, s2 is 1)".
fn named(history: &[bool], nodes: &[Node]) -> String {
    let each = history
        .iter()
        .zip(nodes)
        .map(|(bit, node)| format!("{} is {}", node.id, u8::from(*bit)));
    match &each.collect::<Vec<_>>()[..] {
        [] => String::new(),
        each => format!(" ({})", each.join(", ")),
    }
}

/// Steps, each with whether its opposite is meant.
type SignedSteps = Vec<(usize, bool)>;

/// Steps that are read by the same gates, each of which counts its inputs. The boolean is true if a step's bit counts
/// when it is 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Class(SignedSteps);

impl Class {
    /// Moves the bits that count to the front, among the steps taken so far, so that runs with equally many of them
    /// become equal.
    pub(super) fn sort(&self, bits: &mut [bool]) {
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

/// Returns the classes of two or more steps.
pub(super) fn classes(nodes: &[Node]) -> Vec<Class> {
    // The readers of each step, and if they negate it; `None` if a reader distinguishes the bits.
    let mut readers: Vec<Option<SignedSteps>> = vec![Some(Vec::new()); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        match &node.action {
            Action::Ask { table, .. } => {
                readers
                    .iter_mut()
                    .take(table.reach())
                    .for_each(|it| *it = None);
            }
            Action::Witness => {}
            Action::Compute(compute) => {
                for (step, opposite) in compute.reads() {
                    match readers.get_mut(step) {
                        Some(Some(read)) if compute.gate.is_symmetric() => {
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
        // Read as opposites by all is read as they are, bits turned.
        let opposite = readers.first().is_some_and(|(_, opposite)| *opposite);
        for reader in &mut readers {
            reader.1 ^= opposite;
        }
        classes.entry(readers).or_default().push((step, opposite));
    }
    let several = classes.into_values().filter(|steps| steps.len() > 1);
    let mut classes: Vec<Class> = several.map(Class).collect();
    classes.sort_by_key(|class| class.0.first().copied());
    classes
}
