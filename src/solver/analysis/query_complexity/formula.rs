//! Formulas of AND and OR over inputs and their opposites, and the descent through one (DQC Theorem 5).

use std::collections::HashMap;

use super::BooleanFunction;
use super::verifier::{Debate, Tree, Variable};

/// A formula.
#[derive(Clone, Debug)]
enum Formula {
    /// An input, or its opposite.
    Literal(usize, bool),
    And(Box<[Self; 2]>),
    Or(Box<[Self; 2]>),
}

/// The deepest formulas that are looked for.
const MAX_DEPTH: usize = 2;

/// The debate that goes down a formula of least depth; `None` where that is more than [`MAX_DEPTH`].
pub(super) fn descent(function: BooleanFunction) -> Option<Debate> {
    let inputs = function.inputs();
    let literals = (0..inputs).flat_map(|place| [false, true].map(|turned| (place, turned)));
    let mut known: HashMap<u32, Formula> = literals
        .map(|(place, turned)| {
            let bit = 1 << (inputs - 1 - place);
            let rows = BooleanFunction::of(inputs, |row| (row & bit != 0) != turned).rows;
            (rows, Formula::Literal(place, turned))
        })
        .collect();
    for depth in 0..=MAX_DEPTH {
        if let Some(formula) = known.get(&function.rows) {
            return Some(debate(inputs, formula));
        }
        if depth == MAX_DEPTH || known.len() > MAX_FORMULAS {
            return None;
        }
        let each: Vec<(u32, Formula)> = known
            .iter()
            .map(|(rows, formula)| (*rows, formula.clone()))
            .collect();
        for (left_rows, left) in &each {
            for (right_rows, right) in &each {
                let pair = || Box::new([left.clone(), right.clone()]);
                known
                    .entry(left_rows & right_rows)
                    .or_insert_with(|| Formula::And(pair()));
                known
                    .entry(left_rows | right_rows)
                    .or_insert_with(|| Formula::Or(pair()));
            }
        }
    }
    None
}

/// The most formulas whose pairs are looked at.
const MAX_FORMULAS: usize = 600;

/// Level by level Prover 0 chooses the input of an AND, Prover 1 that of an OR.
fn debate(inputs: usize, formula: &Formula) -> Debate {
    let mut rounds = 0;
    let verifier = tree(formula, 0, &mut rounds);
    Debate {
        inputs,
        rounds,
        verifier,
    }
}

fn tree(formula: &Formula, level: usize, rounds: &mut usize) -> Tree {
    let (pair, message) = match formula {
        Formula::Literal(place, turned) => {
            let says = |value: bool| Tree::Says(value != *turned);
            return Tree::reads(Variable::Input(*place), says(false), says(true));
        }
        Formula::And(pair) => (pair, 2 * level),
        Formula::Or(pair) => (pair, 2 * level + 1),
    };
    *rounds = (*rounds).max(level + 1);
    let [left, right] = [&pair[0], &pair[1]].map(|part| tree(part, level + 1, rounds));
    Tree::reads(Variable::Message(message), left, right)
}
