//! Debate query complexity (DQC Definition 1): the fewest bits of input and transcript that a verifier
//! must read to decide a small function, as a bracket of which each end says what it rests on.
//!
//! Verifiers of at most two queries are searched exhaustively: they read at most three different bits,
//! so three rounds of messages are enough (DQC Lemma 3). Above that the lower end is what the search
//! or Corollary 4 leaves, the upper end the best of reading the input and of Theorem 5.

mod formula;
mod randomised;
mod report;
#[cfg(test)]
mod tests;
mod verifier;

use std::collections::BTreeMap;
use std::fmt;

pub use randomised::{
    Derandomised, HardPoint, derandomised, hard_points, least_errors, two_of_three,
};
pub use report::{FunctionReport, QueryReport};
pub use verifier::{Debate, Tree, Variable};

/// The most inputs of a function.
pub const MAX_INPUTS: usize = 4;

/// The rounds in which three messages of any provers can be told, in any order.
const ROUNDS: usize = 3;

/// A Boolean function of few inputs. The first input is the most significant bit of a row's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BooleanFunction {
    inputs: usize,
    rows: u32,
}

impl fmt::Display for BooleanFunction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..1_usize << self.inputs).try_for_each(|row| write!(out, "{}", u8::from(self.at(row))))
    }
}

impl BooleanFunction {
    /// The function with these rows: bit n its value at row n. `None` of more than [`MAX_INPUTS`].
    pub fn new(inputs: usize, rows: u32) -> Option<Self> {
        let fits = inputs <= MAX_INPUTS && rows >> (1_u32 << inputs) == 0;
        fits.then_some(Self { inputs, rows })
    }

    /// Reads a table such as 0110: the value at each row, first that where all inputs are 0.
    pub fn parse(table: &str) -> Option<Self> {
        let inputs = (0..=MAX_INPUTS).find(|inputs| table.len() == 1 << inputs)?;
        let mut rows = 0;
        for (row, sign) in table.chars().enumerate() {
            match sign {
                '0' => {}
                '1' => rows |= 1 << row,
                _ => return None,
            }
        }
        Self::new(inputs, rows)
    }

    pub fn inputs(self) -> usize {
        self.inputs
    }

    /// Its value at a row.
    pub fn at(self, row: usize) -> bool {
        self.rows >> row & 1 == 1
    }

    fn of(inputs: usize, at: impl Fn(usize) -> bool) -> Self {
        let ones = (0..1_usize << inputs).filter(|row| at(*row));
        let rows = ones.fold(0, |rows, row| rows | 1 << row);
        Self { inputs, rows }
    }

    /// The bit of a row that an input is.
    fn bit(self, place: usize) -> usize {
        1 << (self.inputs - 1 - place)
    }

    /// The inputs that it depends on, each examined.
    pub fn relevant(self) -> Vec<usize> {
        let depends = |place: &usize| {
            let bit = self.bit(*place);
            (0..1_usize << self.inputs).any(|row| self.at(row) != self.at(row ^ bit))
        };
        (0..self.inputs).filter(depends).collect()
    }

    /// The same as a function of those inputs alone.
    #[must_use]
    pub fn reduced(self) -> Self {
        let relevant = self.relevant();
        let row_of = |row: usize| {
            let bits = relevant.iter().rev().enumerate();
            bits.filter(|(at, _)| row >> at & 1 == 1)
                .fold(0, |sum, (_, place)| sum | self.bit(*place))
        };
        Self::of(relevant.len(), |row| self.at(row_of(row)))
    }

    /// The function with an input put to a value, as one of as many inputs.
    fn with(self, place: usize, value: bool) -> Self {
        let bit = self.bit(place);
        Self::of(self.inputs, |row| {
            self.at(if value { row | bit } else { row & !bit })
        })
    }

    /// The first of all functions that it becomes by renaming inputs, and turning inputs or the value
    /// round: all of these have the same query complexity.
    #[must_use]
    pub fn class(self) -> Self {
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..self.inputs {
            let longer = orders.iter().flat_map(|order| {
                let rest = (0..self.inputs).filter(|place| !order.contains(place));
                rest.map(|place| order.iter().copied().chain([place]).collect::<Vec<_>>())
            });
            orders = longer.collect();
        }
        let mut least = self;
        for order in &orders {
            let renamed = |row: usize| {
                let places = order.iter().enumerate();
                places
                    .filter(|(at, _)| row & self.bit(*at) != 0)
                    .fold(0, |sum, (_, place)| sum | self.bit(*place))
            };
            for mask in 0..1_usize << self.inputs {
                for turned in [false, true] {
                    let other = Self::of(self.inputs, |row| self.at(renamed(row) ^ mask) != turned);
                    least = least.min(other);
                }
            }
        }
        least
    }

    /// A verifier that reads inputs alone, as few as can be.
    fn read_alone(self) -> Tree {
        let mut best: Option<Tree> = None;
        for place in self.relevant() {
            let [no, yes] = [false, true].map(|value| self.with(place, value).read_alone());
            let tree = Tree::reads(Variable::Input(place), no, yes);
            if best
                .as_ref()
                .is_none_or(|best| tree.queries() < best.queries())
            {
                best = Some(tree);
            }
        }
        best.unwrap_or_else(|| Tree::Says(self.at(0)))
    }
}

/// A bound on a query complexity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub queries: usize,
    /// What it rests on.
    pub by: &'static str,
}

/// What is known of the query complexity of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    pub lower: End,
    pub upper: End,
    /// A debate with the upper end's queries.
    pub debate: Debate,
}

impl Bracket {
    pub fn is_exact(&self) -> bool {
        self.lower.queries == self.upper.queries
    }
}

/// The functions that verifiers of two queries decide, each with the fewest queries.
#[derive(Debug, Default)]
pub struct TwoQueries(BTreeMap<BooleanFunction, Debate>);

impl TwoQueries {
    /// Looks at every verifier of two queries, of functions of this many inputs.
    pub fn of(inputs: usize) -> Self {
        let messages = (0..2 * ROUNDS).map(Variable::Message);
        let variables: Vec<Variable> = (0..inputs).map(Variable::Input).chain(messages).collect();
        let mut found: BTreeMap<BooleanFunction, Debate> = BTreeMap::new();
        for verifier in Tree::all(&variables, 2) {
            let debate = Debate {
                inputs,
                rounds: ROUNDS,
                verifier,
            };
            // Rounds of which nothing is read make no difference (Lemma 3, checked by itself).
            let debate = debate.shortened();
            let function = BooleanFunction {
                inputs,
                rows: debate.function(),
            };
            let fewer = |known: &Debate| {
                let size = |debate: &Debate| (debate.verifier.queries(), debate.rounds);
                size(&debate) < size(known)
            };
            if found.get(&function).is_none_or(fewer) {
                found.insert(function, debate);
            }
        }
        Self(found)
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// ⌈log2 n⌉, the bits that point at one of n.
fn pointer_bits(count: u64) -> u64 {
    u64::from(u64::BITS - count.saturating_sub(1).leading_zeros())
}

/// Brackets the query complexity of a function that depends on all its inputs; `two`: what verifiers
/// of two queries decide of functions of as many.
pub fn bracket(function: BooleanFunction, two: &TwoQueries) -> Bracket {
    if let Some(debate) = two.0.get(&function) {
        let queries = debate.verifier.queries();
        let end = |by| End { queries, by };
        return Bracket {
            lower: end("search of all verifiers with fewer queries"),
            upper: end("the verifier that the search found"),
            debate: debate.clone(),
        };
    }
    let inputs = function.inputs();
    let lower = if two.is_empty() {
        End {
            queries: usize::try_from(pointer_bits(inputs as u64 + 1)).unwrap_or(0),
            by: "DQC Corollary 4: so many queries read fewer than 2^ℓ different bits",
        }
    } else {
        End {
            queries: 3,
            by: "search of all verifiers of two queries",
        }
    };
    let alone = function.read_alone();
    let alone = Debate {
        inputs,
        rounds: 0,
        verifier: alone,
    };
    // Where reading the input meets the lower end nothing is better.
    let short = alone.verifier.queries() > lower.queries;
    let descent = short.then(|| formula::descent(function)).flatten();
    let (debate, by) = match descent {
        Some(debate) if debate.verifier.queries() < alone.verifier.queries() => {
            (debate, "DQC Theorem 5 on a formula of least depth")
        }
        _ => (alone, "reading the input"),
    };
    Bracket {
        lower,
        upper: End {
            queries: debate.verifier.queries(),
            by,
        },
        debate,
    }
}

/// Brackets the query complexity of any function.
pub fn bracket_of(function: BooleanFunction) -> Bracket {
    let reduced = function.reduced();
    let two = match reduced.inputs() {
        inputs @ 0..=3 => TwoQueries::of(inputs),
        _ => TwoQueries::default(),
    };
    bracket(reduced, &two)
}
