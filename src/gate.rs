//! Gates: how a claim's truth follows from its subclaims', and with what probability.
//!
//! Every gate but [`Gate::Table`] looks at the number of true subclaims alone, so a [`Tally`]
//! (how many were seen, how many were true, and the truth-table row so far) is all that a debate
//! has to carry along while the coins fall.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::number::Number;

/// The most subclaims a truth table may have: 2¹² rows.
pub const MAX_TABLE_INPUTS: u32 = 12;

/// A Boolean function of a claim's subclaims.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// True where every subclaim is.
    All,
    /// True where at least one subclaim is.
    Any,
    /// True where more than half of the subclaims are; a tie is false.
    Majority,
    /// True where at least so many subclaims are.
    AtLeast(u32),
    /// True where its one subclaim is false.
    Not,
    /// True where an odd number of subclaims are.
    Xor,
    /// A truth table; the first subclaim is the most significant bit of the row's number.
    Table(Arc<[bool]>),
}

/// The outcomes of a gate's subclaims so far, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// How many outcomes are known.
    pub seen: u32,
    /// How many of them are true.
    pub ones: u32,
    /// The first [`MAX_TABLE_INPUTS`] outcomes as a number, the first one most significant.
    pub row: u32,
}

impl Tally {
    /// The tally after one more outcome.
    #[inline]
    #[must_use]
    pub fn with(self, outcome: bool) -> Self {
        let bit = u32::from(outcome);
        Self {
            seen: self.seen + 1,
            ones: self.ones + bit,
            row: (self.row << 1) | bit,
        }
    }
}

impl FromIterator<bool> for Tally {
    fn from_iter<I: IntoIterator<Item = bool>>(outcomes: I) -> Self {
        outcomes.into_iter().fold(Self::default(), Self::with)
    }
}

/// Why a gate does not fit its subclaims.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GateError {
    /// A gate over nothing.
    #[error("a gate needs at least one subclaim")]
    Empty,
    /// `Not` over other than one subclaim.
    #[error("Not takes exactly one subclaim, here there are {0}")]
    NotArity(usize),
    /// A threshold that makes the gate constant.
    #[error("AtLeast({0}) of {1} subclaims is always the same; take a number from 1 to {1}")]
    Threshold(u32, usize),
    /// A truth table whose length is not 2 to the number of subclaims.
    #[error("a table over {inputs} subclaims needs {} rows, here there are {rows}", 1_u64 << inputs)]
    Rows {
        /// The number of subclaims.
        inputs: usize,
        /// The number of rows that were given.
        rows: usize,
    },
    /// A truth table over too many subclaims.
    #[error(
        "a table may have at most {MAX_TABLE_INPUTS} subclaims, here there are {0}; use AtLeast, Majority or Xor"
    )]
    TableTooWide(usize),
    /// A truth table that never changes.
    #[error("a table that is always {0} decides nothing; give it both a true and a false row")]
    Constant(bool),
}

impl Gate {
    /// Checks that the gate fits `inputs` subclaims and takes both values.
    ///
    /// A constant gate is refused because a claim it supports could not be argued both ways: plain
    /// recursion would be left without a legal reply.
    ///
    /// # Errors
    /// Where the number of subclaims does not fit, or the gate is constant.
    pub fn fits(&self, inputs: usize) -> Result<(), GateError> {
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
            _ => Ok(()),
        }
    }

    /// Whether the gate is true, all of its subclaims' outcomes being in the tally.
    #[inline]
    #[must_use]
    pub fn holds(&self, tally: Tally) -> bool {
        match self {
            Self::All => tally.ones == tally.seen,
            Self::Any => tally.ones > 0,
            Self::Majority => 2 * tally.ones > tally.seen,
            Self::AtLeast(least) => tally.ones >= *least,
            Self::Not => tally.ones == 0,
            Self::Xor => tally.ones % 2 == 1,
            Self::Table(rows) => rows[tally.row as usize],
        }
    }

    /// Whether the gate looks at the number of true subclaims alone.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        !matches!(self, Self::Table(_))
    }

    /// The values the gate can still take after `tally`, `rest` more outcomes being open:
    /// (can be false, can be true).
    #[must_use]
    pub fn reachable(&self, tally: Tally, rest: u32) -> (bool, bool) {
        let mut can = (false, false);
        let mut note = |holds: bool| if holds { can.1 = true } else { can.0 = true };
        if let Self::Table(rows) = self {
            let first = (tally.row << rest) as usize;
            for row in rows.iter().skip(first).take(1 << rest) {
                note(*row);
            }
        } else {
            for more in 0..=rest {
                note(self.holds(Tally {
                    seen: tally.seen + rest,
                    ones: tally.ones + more,
                    row: 0,
                }));
            }
        }
        can
    }

    /// What is implied for P[gate = 1] once the next outcome has probability `p` and `rest` more
    /// are open: the least and the greatest it can be.
    #[must_use]
    pub fn implied<N: Number>(&self, tally: Tally, rest: u32, p: &N) -> (N, N) {
        let side = |outcome: bool| self.reachable(tally.with(outcome), rest);
        let (no, yes) = (side(false), side(true));
        let q = N::one() - p.clone();
        let sum = |a: bool, b: bool| N::indicator(a) * p.clone() + N::indicator(b) * q.clone();
        (sum(!yes.0, !no.0), sum(yes.1, no.1))
    }

    /// P[gate = 1] where the subclaims are independent with the given probabilities.
    ///
    /// Exact: by counts (Poisson-binomial) for symmetric gates, row by row for tables.
    #[must_use]
    pub fn probability<N: Number>(&self, each: &[N]) -> N {
        let seen = u32::try_from(each.len()).unwrap_or(u32::MAX);
        if self.is_symmetric() {
            let counts = counts(each);
            (0..=seen)
                .zip(counts)
                .fold(N::zero(), |sum, (ones, chance)| {
                    if self.holds(Tally { seen, ones, row: 0 }) {
                        sum + chance
                    } else {
                        sum
                    }
                })
        } else {
            let mut rows = vec![(Tally::default(), N::one())];
            for p in each {
                rows = rows
                    .into_iter()
                    .flat_map(|(tally, chance)| {
                        let no = chance.clone() * (N::one() - p.clone());
                        [
                            (tally.with(false), no),
                            (tally.with(true), chance * p.clone()),
                        ]
                    })
                    .collect();
            }
            rows.into_iter().fold(N::zero(), |sum, (tally, chance)| {
                if self.holds(tally) { sum + chance } else { sum }
            })
        }
    }

    /// The outcomes nearest to `wish` (fewest changes, changing later places first) that give the
    /// gate the value `target`. `None` only for a gate that does not fit or is constant.
    #[must_use]
    pub fn nearest(&self, wish: &[bool], target: bool) -> Option<Vec<bool>> {
        let holds = |outcomes: &[bool]| self.holds(outcomes.iter().copied().collect());
        if holds(wish) == target {
            return Some(wish.to_vec());
        }
        if self.is_symmetric() {
            let ones = wish.iter().filter(|outcome| **outcome).count();
            let reachable = |count: usize| {
                let seen = u32::try_from(wish.len()).unwrap_or(u32::MAX);
                let ones = u32::try_from(count).unwrap_or(u32::MAX);
                self.holds(Tally { seen, ones, row: 0 }) == target
            };
            let count = (0..=wish.len())
                .filter(|count| reachable(*count))
                .min_by_key(|count| count.abs_diff(ones))?;
            let from = count < ones;
            let mut left = count.abs_diff(ones);
            let mut outcomes = wish.to_vec();
            for outcome in outcomes.iter_mut().rev() {
                if left > 0 && *outcome == from {
                    *outcome = !from;
                    left -= 1;
                }
            }
            return Some(outcomes);
        }
        let Self::Table(rows) = self else { return None };
        let row = wish.iter().copied().collect::<Tally>().row as usize;
        let best = (0..rows.len())
            .filter(|candidate| rows[*candidate] == target)
            .min_by_key(|candidate| ((candidate ^ row).count_ones(), candidate ^ row))?;
        let places = wish.len();
        Some(
            (0..places)
                .map(|place| best >> (places - 1 - place) & 1 == 1)
                .collect(),
        )
    }
}

/// The distribution of the number of true ones among independent events.
fn counts<N: Number>(each: &[N]) -> Vec<N> {
    let mut counts = vec![N::one()];
    for p in each {
        let mut next = vec![N::zero(); counts.len() + 1];
        for (ones, chance) in counts.into_iter().enumerate() {
            next[ones] += chance.clone() * (N::one() - p.clone());
            next[ones + 1] += chance * p.clone();
        }
        counts = next;
    }
    counts
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
        }
    }
}

#[cfg(test)]
mod tests {
    use num_traits::{One, Zero};
    use proptest::prelude::*;

    use super::*;
    use crate::number::Exact;

    fn table(rows: &str) -> Gate {
        Gate::Table(rows.chars().map(|row| row == '1').collect())
    }

    #[test]
    fn each_gate_holds_as_documented() {
        let of = |gate: &Gate, outcomes: &[bool]| gate.holds(outcomes.iter().copied().collect());
        let (t, f) = (true, false);
        assert!(of(&Gate::All, &[t, t]) && !of(&Gate::All, &[t, f]));
        assert!(of(&Gate::Any, &[f, t]) && !of(&Gate::Any, &[f, f]));
        assert!(of(&Gate::Majority, &[t, t, f]) && !of(&Gate::Majority, &[t, f]));
        assert!(of(&Gate::AtLeast(2), &[t, f, t]) && !of(&Gate::AtLeast(2), &[t, f, f]));
        assert!(of(&Gate::Not, &[f]) && !of(&Gate::Not, &[t]));
        assert!(of(&Gate::Xor, &[t, t, t]) && !of(&Gate::Xor, &[t, t]));
        // Row 2 is "true, false": the first subclaim is the most significant bit.
        assert!(of(&table("0010"), &[t, f]) && !of(&table("0010"), &[f, t]));
    }

    #[test]
    fn what_does_not_fit_says_why() {
        assert_eq!(Gate::All.fits(0), Err(GateError::Empty));
        assert_eq!(Gate::Not.fits(2), Err(GateError::NotArity(2)));
        assert_eq!(Gate::AtLeast(0).fits(3), Err(GateError::Threshold(0, 3)));
        assert_eq!(Gate::AtLeast(4).fits(3), Err(GateError::Threshold(4, 3)));
        assert_eq!(
            table("01").fits(2),
            Err(GateError::Rows { inputs: 2, rows: 2 })
        );
        assert_eq!(table("1111").fits(2), Err(GateError::Constant(true)));
        assert_eq!(table("0110").fits(2), Ok(()));
    }

    fn gates(inputs: u32) -> impl Strategy<Value = Gate> {
        prop_oneof![
            Just(Gate::All),
            Just(Gate::Any),
            Just(Gate::Majority),
            (1..=inputs).prop_map(Gate::AtLeast),
            Just(Gate::Xor),
            prop::collection::vec(any::<bool>(), 1 << inputs)
                .prop_map(|rows| Gate::Table(rows.into())),
        ]
    }

    fn cases() -> impl Strategy<Value = (Gate, Vec<u8>)> {
        (1_u32..=5).prop_flat_map(|n| (gates(n), prop::collection::vec(0_u8..=10, n as usize)))
    }

    fn each_row(inputs: usize) -> impl Iterator<Item = Vec<bool>> {
        (0_usize..1 << inputs).map(move |row| (0..inputs).map(|i| row >> i & 1 == 1).collect())
    }

    proptest! {
        #[test]
        fn probability_is_the_sum_over_rows((gate, tenths) in cases()) {
            let each: Vec<Exact> = tenths.iter().map(|t| Exact::ratio(i64::from(*t), 10)).collect();
            let sum = each_row(each.len())
                .filter(|row| gate.holds(row.iter().copied().collect()))
                .map(|row| row.iter().zip(&each).fold(Exact::one(), |chance, (outcome, p)| {
                    chance * if *outcome { p.clone() } else { Exact::one() - p }
                }))
                .fold(Exact::zero(), |sum, chance| sum + chance);
            prop_assert_eq!(gate.probability(&each), sum);
        }

        #[test]
        fn nearest_changes_as_little_as_possible((gate, tenths) in cases(), target: bool) {
            let wish: Vec<bool> = tenths.iter().map(|t| *t > 5).collect();
            let distance = |row: &[bool]| row.iter().zip(&wish).filter(|(a, b)| a != b).count();
            let least = each_row(wish.len())
                .filter(|row| gate.holds(row.iter().copied().collect()) == target)
                .map(|row| distance(&row))
                .min();
            let found = gate.nearest(&wish, target);
            if let Some(row) = &found {
                prop_assert_eq!(gate.holds(row.iter().copied().collect()), target);
            }
            prop_assert_eq!(found.map(|row| distance(&row)), least);
        }

        #[test]
        fn reachable_values_are_those_of_some_completion((gate, tenths) in cases(), seen in 0_usize..5) {
            let outcomes: Vec<bool> = tenths.iter().map(|t| *t > 5).collect();
            let seen = seen.min(outcomes.len());
            let rest = outcomes.len() - seen;
            let can = each_row(rest).fold((false, false), |can, row| {
                let holds = gate.holds(outcomes.iter().copied().take(seen).chain(row).collect());
                (can.0 || !holds, can.1 || holds)
            });
            let tally: Tally = outcomes.iter().copied().take(seen).collect();
            prop_assert_eq!(gate.reachable(tally, u32::try_from(rest).unwrap()), can);
        }
    }
}
