//! Gates: Boolean functions that compute a claim's truth from its subclaims' truths. Also computes the probability that
//! a gate is true.
//!
//! A gate takes its subclaims' outcomes in order ([`Gate::tally_with_outcome`]). It stores them as a
//! [`GateEvaluationState`] of fixed size: most gates need only the number of true outcomes, and [`Gate::Table`] its
//! row so far. [`Gate::OfMajorities`] also needs the votes of the majority that is being counted.

mod consistency;
mod weigh;

use std::fmt;
use std::sync::Arc;

use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use crate::number::{Number, to_u32_saturating};
pub use consistency::{
    EstimateConsistency, ProbabilityToShareEvenly, is_rounding_gap, is_visible_gap,
};
pub use weigh::EXACT_BITS;

/// Maximum number of subclaims a truth table may have: 2¹² rows.
pub const MAX_TABLE_INPUTS: u32 = 12;

/// A Boolean function that computes a claim's truth from the truths of its subclaims.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename = "gate")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Gate {
    All,
    Any,
    /// A gate that is true if more than half of the subclaims are true. If exactly half are true, it is false.
    Majority,
    /// A gate that is true if at least this number of subclaims are true.
    AtLeast(u32),
    Not,
    /// A gate that is true if an odd number of subclaims are true.
    Xor,
    /// A truth table. The subclaims' truths, read as a binary number, are the index of the row; the first subclaim is
    /// the most significant bit.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<bool>"))]
    Table(#[serde(deserialize_with = "read_rows")] Arc<[bool]>),
    /// A gate over majorities: its first input is the majority of the first `copies` subclaims, its second input the
    /// majority of the next `copies` subclaims, and so on. PE Theorem 8.3 builds it from a gate; it does not occur in
    /// files.
    #[serde(skip)]
    OfMajorities {
        /// The gate whose inputs are the majorities; any gate except `OfMajorities`.
        of: Arc<Self>,
        /// The number of subclaims each majority counts: an odd number, so that there are no ties.
        copies: u32,
    },
}

/// A summary of the outcomes (true or false) of a gate's first subclaims, of fixed size. It may contain more than the
/// gate's final value depends on. Of equally many outcomes, tallies with the same [`Gate::tally_index`] are equivalent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GateEvaluationState {
    /// The number of known outcomes.
    pub seen: u32,
    /// The number of subclaims that came out true. For a gate over majorities, the number of true majorities.
    ones: u32,
    /// The outcomes so far as a binary number, the latest one as the lowest bit; only the last 32 outcomes. Only truth
    /// tables use it. For a gate over majorities, the values of the majorities take the place of the subclaims.
    row: u32,
    /// For a gate over majorities: the number of true subclaims in the majority whose subclaims are being counted now.
    votes: u32,
}

impl GateEvaluationState {
    #[inline]
    fn with(self, outcome: bool) -> Self {
        let bit = u32::from(outcome);
        Self {
            seen: self.seen + 1,
            ones: self.ones + bit,
            row: (self.row << 1) | bit,
            votes: self.votes,
        }
    }
}

/// The reason why a gate is not valid for a number of subclaims.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GateError {
    #[error("a gate needs at least one subclaim")]
    Empty,
    #[error("the gate `Not` takes exactly one subclaim, but there are {subclaim_count}", subclaim_count = .0)]
    NotArity(usize),
    /// A threshold gate (`AtLeast`) whose threshold makes its value constant.
    #[error("the gate AtLeast({threshold}) of {inputs} subclaims is always true or always false; use a number from 1 to {inputs}", threshold = .0, inputs = .1)]
    Threshold(u32, usize),
    #[error("a truth table over {inputs} subclaims needs {needed} rows, but it has {rows}", needed = 1_u64 << inputs)]
    Rows { inputs: usize, rows: usize },
    /// A truth table over more than [`MAX_TABLE_INPUTS`] subclaims.
    #[error(
        "a table may have at most {MAX_TABLE_INPUTS} subclaims, but there are {0}; use AtLeast, \
         Majority or Xor"
    )]
    TableTooWide(usize),
    #[error("all rows of the table are {value}; change at least one row to the other value", value = .0)]
    Constant(bool),
    /// The number of copies per majority is even, so that a majority could be a tie, or it is 0.
    #[error("a majority of {copies} pieces of evidence can be undecided; use an odd number, at least 1", copies = .0)]
    Even(u32),
    /// The number of subclaims is not a multiple of the number of copies per majority.
    #[error(
        "{inputs} subclaims cannot be divided into groups of {copies}; give each majority \
             {copies} subclaims"
    )]
    Uneven { inputs: usize, copies: u32 },
    #[error(
        "the inputs of this gate are majorities already, so they cannot be replaced by majorities again"
    )]
    Nested,
}

impl Gate {
    /// Checks that the gate is valid for `inputs` subclaims and is not constant.
    ///
    /// A constant gate is refused because a claim it supports could not be argued both ways: plain recursion would have
    /// no legal reply.
    ///
    /// # Errors
    /// If the number of subclaims does not fit, or the gate is constant.
    pub fn check_input_count(&self, inputs: usize) -> Result<(), GateError> {
        if inputs == 0 {
            return Err(GateError::Empty);
        }
        match self {
            Self::Not if inputs != 1 => Err(GateError::NotArity(inputs)),
            Self::AtLeast(least) if *least == 0 || *least as usize > inputs => {
                Err(GateError::Threshold(*least, inputs))
            }
            Self::Table(_) if inputs > MAX_TABLE_INPUTS as usize => {
                Err(GateError::TableTooWide(inputs))
            }
            Self::Table(rows) if rows.len() != 1 << inputs => Err(GateError::Rows {
                inputs,
                rows: rows.len(),
            }),
            Self::Table(rows) if rows.iter().all(|row| *row == rows[0]) => {
                Err(GateError::Constant(rows[0]))
            }
            Self::OfMajorities { of, copies } => of.fits_majorities(inputs, *copies),
            _ => Ok(()),
        }
    }

    fn fits_majorities(&self, inputs: usize, copies: u32) -> Result<(), GateError> {
        let size = copies as usize;
        match self {
            Self::OfMajorities { .. } => Err(GateError::Nested),
            _ if copies.is_multiple_of(2) => Err(GateError::Even(copies)),
            _ if !inputs.is_multiple_of(size) => Err(GateError::Uneven { inputs, copies }),
            // The maximum number of subclaims of a gate over majorities is its table's maximum times the copies.
            _ => self.check_input_count(inputs / size),
        }
    }

    /// Returns this gate with a majority of `copies` pieces of evidence in place of each input.
    #[must_use]
    pub fn with_majority_at_each_input(self, copies: u32) -> Self {
        Self::OfMajorities {
            of: Arc::new(self),
            copies,
        }
    }

    /// For a gate over majorities, returns the gate whose inputs are the majorities, and the number of subclaims per
    /// majority. For any other gate, returns the gate itself and 1.
    pub fn outer_gate_and_copies(&self) -> (&Self, u32) {
        match self {
            Self::OfMajorities { of, copies } => (of, *copies),
            gate => (gate, 1),
        }
    }

    /// Adds the outcome of one more subclaim to a tally of subclaims' outcomes, and returns the new tally.
    #[inline]
    pub fn tally_with_outcome(
        &self,
        tally: GateEvaluationState,
        outcome: bool,
    ) -> GateEvaluationState {
        match self {
            Self::OfMajorities { copies, .. } => {
                let votes = tally.votes + u32::from(outcome);
                let counted = GateEvaluationState { votes, ..tally };
                if (tally.seen + 1).is_multiple_of(*copies) {
                    let most = counted.with(2 * votes > *copies);
                    GateEvaluationState { votes: 0, ..most }
                } else {
                    let seen = tally.seen + 1;
                    GateEvaluationState { seen, ..counted }
                }
            }
            _ => tally.with(outcome),
        }
    }

    pub fn tally_of_outcomes(
        &self,
        outcomes: impl IntoIterator<Item = bool>,
    ) -> GateEvaluationState {
        let each = outcomes.into_iter();
        each.fold(GateEvaluationState::default(), |tally, outcome| {
            self.tally_with_outcome(tally, outcome)
        })
    }

    /// Returns the value of the gate for these truths of its subclaims.
    pub fn value_for_outcomes(&self, outcomes: impl IntoIterator<Item = bool>) -> bool {
        self.value_of_tally(self.tally_of_outcomes(outcomes))
    }

    /// Returns the number of different tallies of `outcome_count` outcomes: the number of states of a dynamic program
    /// over the gate's subclaims.
    pub fn distinct_tally_count(&self, outcome_count: u32) -> usize {
        match self {
            Self::Table(_) => 1_usize.checked_shl(outcome_count).unwrap_or(usize::MAX),
            Self::OfMajorities { of, copies } => {
                let votes = (outcome_count % copies + 1) as usize;
                of.distinct_tally_count(outcome_count / copies)
                    .saturating_mul(votes)
            }
            _ => outcome_count as usize + 1,
        }
    }

    /// Returns the index of a tally, from 0, among the [`Self::distinct_tally_count`] tallies of the same number of
    /// outcomes.
    #[inline]
    pub fn tally_index(&self, tally: GateEvaluationState) -> usize {
        match self {
            Self::Table(_) => tally.row as usize,
            Self::OfMajorities { of, copies } => {
                let votes = (tally.seen % copies + 1) as usize;
                of.tally_index(tally) * votes + tally.votes as usize
            }
            _ => tally.ones as usize,
        }
    }

    /// Returns the tally with this index among the [`Self::distinct_tally_count`] tallies of `seen` outcomes: the
    /// inverse of [`Self::tally_index`].
    #[inline]
    pub fn tally_from_index(&self, seen: u32, tally_index: usize) -> GateEvaluationState {
        match self {
            Self::OfMajorities { of, copies } => {
                let votes = (seen % copies + 1) as usize;
                GateEvaluationState {
                    seen,
                    votes: to_u32_saturating(tally_index % votes),
                    ..of.tally_from_index(seen / copies, tally_index / votes)
                }
            }
            // A gate uses either `ones` or `row`.
            _ => GateEvaluationState {
                seen,
                ones: to_u32_saturating(tally_index),
                row: to_u32_saturating(tally_index),
                votes: 0,
            },
        }
    }

    /// Returns the value of the gate once the tally holds the outcomes of all subclaims.
    #[inline]
    pub fn value_of_tally(&self, tally: GateEvaluationState) -> bool {
        match self {
            Self::All => tally.ones == tally.seen,
            Self::Any => tally.ones > 0,
            Self::Majority => 2 * tally.ones > tally.seen,
            Self::AtLeast(least) => tally.ones >= *least,
            Self::Not => tally.ones == 0,
            Self::Xor => tally.ones % 2 == 1,
            Self::Table(rows) => rows[tally.row as usize],
            Self::OfMajorities { of, copies } => of.value_of_tally(GateEvaluationState {
                seen: tally.seen / copies,
                ..tally
            }),
        }
    }

    /// True if the gate's evaluation stores more than one bit: the number of true subclaims, or which ones are true.
    /// False for `All`, `Any`, `Not` and `Xor`, which store one bit. Other gates count as true even if one bit suffices
    /// for their inputs.
    pub fn needs_several_memory_bits(&self) -> bool {
        !matches!(self, Self::All | Self::Any | Self::Not | Self::Xor)
    }

    /// True if the value depends on the number of true subclaims alone, not on their order.
    pub fn ignores_subclaim_order(&self) -> bool {
        !matches!(self, Self::Table(_) | Self::OfMajorities { .. })
    }

    /// Returns the values that the gate can still take after `tally`, if `further_outcomes` subclaims are still
    /// undecided: (can be false, can be true).
    pub fn reachable_false_and_true(
        &self,
        tally: GateEvaluationState,
        further_outcomes: u32,
    ) -> (bool, bool) {
        match self {
            Self::Table(rows) => {
                let first = (tally.row << further_outcomes) as usize;
                values(rows.iter().skip(first).take(1 << further_outcomes).copied())
            }
            Self::OfMajorities { of, copies } => {
                let before = GateEvaluationState {
                    seen: tally.seen / copies,
                    ..tally
                };
                let counted = tally.seen % copies;
                if counted == 0 {
                    return of.reachable_false_and_true(before, further_outcomes / copies);
                }
                // The majority that is being counted, then the majorities not yet started.
                let open = copies - counted;
                let later = (further_outcomes + counted) / copies - 1;
                let won = |votes: u32| 2 * votes > *copies;
                let open = [won(tally.votes), won(tally.votes + open)];
                let each = open.map(|most| {
                    of.reachable_false_and_true(of.tally_with_outcome(before, most), later)
                });
                (each[0].0 || each[1].0, each[0].1 || each[1].1)
            }
            // Constant time, because a claim may have thousands of subclaims.
            Self::All if tally.ones < tally.seen => (true, false),
            Self::Any if tally.ones > 0 => (false, true),
            Self::All | Self::Any if further_outcomes > 0 => (true, true),
            _ => values((0..=further_outcomes).map(|more| {
                self.value_of_tally(GateEvaluationState {
                    seen: tally.seen + further_outcomes,
                    ones: tally.ones + more,
                    ..tally
                })
            })),
        }
    }

    /// Returns the least and the greatest possible P[gate = 1] if the next subclaim is true with probability `p`, and
    /// `rest` later subclaims are still undecided.
    pub fn implied_range<N: Number>(&self, tally: GateEvaluationState, rest: u32, p: &N) -> (N, N) {
        let side = |outcome: bool| {
            self.reachable_false_and_true(self.tally_with_outcome(tally, outcome), rest)
        };
        let no = side(false);
        let yes = side(true);
        let q = N::one() - p.clone();
        let sum = |a: bool, b: bool| N::indicator(a) * p.clone() + N::indicator(b) * q.clone();
        (sum(!yes.0, !no.0), sum(yes.1, no.1))
    }

    /// Returns P[gate = 1] if the subclaims are independent and true with the given probabilities.
    ///
    /// Exact if the number type is. It sums over counts (Poisson-binomial) for symmetric gates, over rows for tables,
    /// and over majorities for gates over majorities.
    pub fn probability<N: Number>(&self, each: &[N]) -> N {
        if let Some(found) = N::by_weights(each, |weights| self.weigh(weights)) {
            return found;
        }
        if let Self::OfMajorities { of, copies } = self {
            let majorities = each.chunks((*copies).max(1) as usize);
            let most = majorities.map(|pieces| Self::Majority.probability(pieces));
            return of.probability(&most.collect::<Vec<_>>());
        }
        // Gives the same value as the sum below, but computes only the counts that matter.
        match self {
            Self::All => return each.iter().fold(N::one(), |all, p| all * p.clone()),
            Self::Any => {
                let mut any = N::zero();
                let mut none = N::one();
                for p in each {
                    any += none.clone() * p.clone();
                    none *= N::one() - p.clone();
                }
                return any;
            }
            _ => {}
        }
        let mut chances = vec![N::one()];
        let mut seen = 0;
        for p in each {
            let mut next = vec![N::zero(); self.distinct_tally_count(seen + 1)];
            for (tally_index, chance) in chances.into_iter().enumerate() {
                let tally = self.tally_from_index(seen, tally_index);
                let no = self.tally_with_outcome(tally, false);
                let yes = self.tally_with_outcome(tally, true);
                next[self.tally_index(no)] += chance.clone() * (N::one() - p.clone());
                next[self.tally_index(yes)] += chance * p.clone();
            }
            chances = next;
            seen += 1;
        }
        let holding = |(tally_index, chance)| {
            self.value_of_tally(self.tally_from_index(seen, tally_index))
                .then_some(chance)
        };
        let holding = chances.into_iter().enumerate().filter_map(holding);
        holding.fold(N::zero(), |sum, chance| sum + chance)
    }

    /// Describes the gate over `inputs` subclaims in words: "all of 5", "all of 5, each by most of 3 pieces". For a
    /// single subclaim the gate's name is left out, unless the gate negates it.
    pub fn describe_gate_over_inputs(&self, inputs: usize) -> String {
        let (of, copies) = self.outer_gate_and_copies();
        let counted = matches!(self, Self::OfMajorities { .. });
        match (of, inputs / copies.max(1) as usize) {
            (Self::Not, 1) if counted => format!("not most of {copies}"),
            (_, 1) if counted => format!("most of {copies}"),
            (gate, subclaim_count) if counted => {
                format!("{gate} {subclaim_count}, each by most of {copies} pieces")
            }
            (Self::Not, 1) => of.to_string(),
            (_, 1) => "one subclaim".to_owned(),
            (of, inputs) => format!("{of} {inputs}"),
        }
    }
}

/// For one input of a gate: the value that the caller prefers, and the cost if the input gets the opposite value.
type WeightedWish = (bool, u32);

impl Gate {
    /// Returns the inputs nearest to `wanted` (fewest changes, later inputs changed first) for which the gate has the
    /// value `target_value`. `None` only if the gate has the wrong number of inputs or is constant.
    pub fn nearest_outcomes_giving_value(
        &self,
        wanted: &[bool],
        target_value: bool,
    ) -> Option<Vec<bool>> {
        if self.value_for_outcomes(wanted.iter().copied()) == target_value {
            return Some(wanted.to_vec());
        }
        match self {
            Self::Table(_) => {
                let each: Vec<WeightedWish> = wanted.iter().map(|wished| (*wished, 1)).collect();
                self.cheapest(&each, target_value)
            }
            Self::OfMajorities { of, copies } => {
                let pieces: Vec<&[bool]> = wanted.chunks((*copies).max(1) as usize).collect();
                let each: Vec<WeightedWish> =
                    pieces.iter().map(|pieces| majority(pieces)).collect();
                let most = of.cheapest(&each, target_value)?;
                let majorities = pieces.iter().zip(each).zip(most);
                let voted = majorities.flat_map(|((pieces, (wished, cost)), most)| {
                    let changes = if most == wished { 0 } else { cost };
                    changed(pieces, wished, changes as usize)
                });
                Some(voted.collect())
            }
            _ => self.nearest_count(wanted, target_value),
        }
    }

    /// As [`Self::nearest_outcomes_giving_value`], for a gate that depends only on the number of true inputs.
    fn nearest_count(&self, wish: &[bool], target: bool) -> Option<Vec<bool>> {
        let ones = wish.iter().filter(|outcome| **outcome).count();
        let width = u32::try_from(wish.len()).ok()?;
        let count = (0..=wish.len())
            .filter(|count| self.value_of_tally(self.tally_from_index(width, *count)) == target)
            .min_by_key(|count| count.abs_diff(ones))?;
        Some(changed(wish, count < ones, count.abs_diff(ones)))
    }

    /// Returns the inputs for which the gate has the value `target`, at the least total cost of changing wanted inputs;
    /// later inputs are changed first. `None` if no inputs give this value.
    fn cheapest(&self, wish: &[WeightedWish], target: bool) -> Option<Vec<bool>> {
        let width = u32::try_from(wish.len()).ok()?;
        // The least cost of the remaining values, from each state of the gate.
        let end = (0..self.distinct_tally_count(width)).map(|tally_index| {
            let fits = self.value_of_tally(self.tally_from_index(width, tally_index)) == target;
            fits.then_some(0_u32)
        });
        let mut costs: Vec<Vec<Option<u32>>> = vec![end.collect()];
        for (seen, (wished, change)) in (0..width).zip(wish).rev() {
            let rest = costs.last()?;
            let cost = |tally, value: bool| {
                let cost = rest[self.tally_index(self.tally_with_outcome(tally, value))]?;
                Some(cost.saturating_add(if value == *wished { 0 } else { *change }))
            };
            let least = |tally_index| {
                let tally = self.tally_from_index(seen, tally_index);
                let sides = [cost(tally, false), cost(tally, true)];
                sides.into_iter().flatten().min()
            };
            let here = (0..self.distinct_tally_count(seen)).map(least).collect();
            costs.push(here);
        }
        let mut left = costs.pop()?[0]?;
        let mut tally = GateEvaluationState::default();
        let mut values = Vec::with_capacity(wish.len());
        for ((wished, change), rest) in wish.iter().zip(costs.iter().rev()) {
            let keeps =
                rest[self.tally_index(self.tally_with_outcome(tally, *wished))] == Some(left);
            if !keeps {
                left = left.saturating_sub(*change);
            }
            let value = *wished == keeps;
            tally = self.tally_with_outcome(tally, value);
            values.push(value);
        }
        Some(values)
    }
}

/// Returns the majority value of some pieces of evidence, and the number of them that must change to flip it.
fn majority(pieces: &[bool]) -> WeightedWish {
    let yes = pieces.iter().filter(|piece| **piece).count();
    let wished = 2 * yes > pieces.len();
    let with = if wished { yes } else { pieces.len() - yes };
    let change = with - pieces.len() / 2;
    (wished, to_u32_saturating(change))
}

/// Returns a copy of `wish`, the preferred values of a gate's inputs, in which the last `changes` values equal to
/// `from` are flipped.
fn changed(wish: &[bool], from: bool, mut changes: usize) -> Vec<bool> {
    let mut outcomes = wish.to_vec();
    for outcome in outcomes.iter_mut().rev() {
        if changes > 0 && *outcome == from {
            *outcome = !from;
            changes -= 1;
        }
    }
    outcomes
}

/// Returns two flags about a sequence of booleans: true if it contains `false`, and true if it contains `true`.
fn values(each: impl Iterator<Item = bool>) -> (bool, bool) {
    let mut can = (false, false);
    for value in each {
        can = (can.0 || !value, can.1 || value);
        if can == (true, true) {
            break;
        }
    }
    can
}

/// Reads the rows of a truth table in a file.
fn read_rows<'de, D: Deserializer<'de>>(reader: D) -> Result<Arc<[bool]>, D::Error> {
    struct RowsVisitor;

    impl<'de> Visitor<'de> for RowsVisitor {
        type Value = Arc<[bool]>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("a truth table: a list of rows, each true, false, 1 or 0")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut rows = Vec::new();
            while let Some(TableRow(holds)) = list.next_element()? {
                // Stops here: no gate takes more rows, and a hostile list could take very long to read.
                if rows.len() == 1 << MAX_TABLE_INPUTS {
                    return Err(A::Error::custom(format_args!(
                        "a table has at most {} rows, for {MAX_TABLE_INPUTS} subclaims; use \
                         AtLeast, Majority or Xor",
                        rows.len()
                    )));
                }
                rows.push(holds);
            }
            Ok(rows.into())
        }
    }

    reader.deserialize_seq(RowsVisitor)
}

/// A row of a truth table in a file: `true` or `false`, 1 or 0.
struct TableRow(bool);

impl<'de> Deserialize<'de> for TableRow {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct RowVisitor;

        impl Visitor<'_> for RowVisitor {
            type Value = TableRow;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a row of a truth table: true, false, 1 or 0")
            }

            fn visit_bool<E: Error>(self, row: bool) -> Result<TableRow, E> {
                Ok(TableRow(row))
            }

            fn visit_u64<E: Error>(self, row: u64) -> Result<TableRow, E> {
                match row {
                    0 | 1 => Ok(TableRow(row == 1)),
                    _ => Err(E::invalid_value(Unexpected::Unsigned(row), &self)),
                }
            }
        }

        reader.deserialize_any(RowVisitor)
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => out.write_str("all of"),
            Self::Any => out.write_str("at least one of"),
            Self::Majority => out.write_str("most of"),
            Self::AtLeast(least) => write!(out, "at least {least} of"),
            Self::Not => out.write_str("not"),
            Self::Xor => out.write_str("an odd number of"),
            Self::Table(_) => out.write_str("a truth table over"),
            Self::OfMajorities {
                of: outer_gate,
                copies,
            } => {
                write!(out, "{outer_gate} the majorities of {copies} pieces each")
            }
        }
    }
}
