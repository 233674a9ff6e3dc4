//! Steps that are as good as each other: of their bits only the number matters.

use std::collections::HashMap;

use super::{Action, Node};

/// Steps, each with whether its opposite is meant.
type Places = Vec<(usize, bool)>;

/// Steps that are read by the same gates, each of which counts what it reads. Each with whether its
/// bit counts where it is 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Class(Places);

impl Class {
    /// Puts the bits that count first, as far as the steps were taken: runs with as many of them
    /// become the same.
    pub(super) fn sort(&self, bits: &mut [bool]) {
        let taken = |bits: &[bool], (step, opposite): (usize, bool)| {
            let bit = bits.get(step).copied();
            bit.map(|bit| bit != opposite)
        };
        let each = self.0.iter().map_while(|step| taken(bits, *step));
        let mut left = each.filter(|counts| *counts).count();
        for (step, opposite) in &self.0 {
            if let Some(bit) = bits.get_mut(*step) {
                *bit = (left > 0) != *opposite;
                left = left.saturating_sub(1);
            }
        }
    }
}

/// The classes of two and more steps.
pub(super) fn classes(nodes: &[Node]) -> Vec<Class> {
    // By whom each step is read, and whether as its opposite; nothing where bits are told apart.
    let mut readers: Vec<Option<Places>> = vec![Some(Vec::new()); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        match &node.action {
            Action::Ask { table, .. } => {
                for read in readers.iter_mut().take(table.reach()) {
                    *read = None;
                }
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
    let mut classes: HashMap<Places, Places> = HashMap::new();
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
    let mut classes: Vec<Class> = classes
        .into_values()
        .filter(|steps| steps.len() > 1)
        .map(Class)
        .collect();
    classes.sort_by_key(|class| class.0.first().copied());
    classes
}
