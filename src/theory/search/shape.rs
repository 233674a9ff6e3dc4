//! Small decompositions: a gate over leaves, or over gates over leaves.

use debate_core::Gate;
use debate_core::number::{Exact, Number as _};

use debate_core::scenario::stability::{ConditionalSubclaimProbabilities, largest_shift};

use crate::query_complexity::BooleanFunction;

/// A gate, together with its truth table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GateAndTruthTable {
    function: BooleanFunction,
    pub(super) gate: Gate,
}

impl GateAndTruthTable {
    /// Creates the gate with this truth table. Uses a named gate such as `All` if its truth table is the same.
    pub(super) fn new(function: BooleanFunction) -> Self {
        let width = function.input_count();
        let counting = (1..=width)
            .filter_map(|least| u32::try_from(least).ok())
            .map(Gate::AtLeast);
        let mut named = [Gate::All, Gate::Any, Gate::Majority, Gate::Xor]
            .into_iter()
            .chain(counting);
        let is = |gate: &Gate| {
            (0..1 << width).all(|row| {
                gate.value_for_outcomes(row_digits(width, row)) == function.value_at(row)
            })
        };
        let gate = named.find(is).unwrap_or_else(|| {
            Gate::Table((0..1 << width).map(|row| function.value_at(row)).collect())
        });
        Self { function, gate }
    }

    /// Returns the number of subclaims.
    #[inline]
    pub(super) fn subclaim_count(&self) -> usize {
        self.function.input_count()
    }

    #[inline]
    pub(super) fn value_at_row(&self, row: usize) -> bool {
        self.function.value_at(row)
    }

    /// Returns the nonempty sets of subclaims whose joint negation leaves the gate unchanged. If `allow_negated_value`
    /// is true, also the sets whose negation negates the gate's value. Each set is a bit mask over the subclaims.
    pub(super) fn symmetry_masks(&self, allow_negated_value: bool) -> Vec<usize> {
        let same = |mask: &usize| {
            let turned = self.function.with_inputs_negated(*mask);
            turned == self.function || (allow_negated_value && turned.negated() == self.function)
        };
        (1..1_usize << self.subclaim_count()).filter(same).collect()
    }
}

/// Returns the number by which gates are ordered: the values of the truth table as binary digits, the first row first.
fn ordering_number(function: BooleanFunction) -> u32 {
    function.true_rows_bitmask().reverse_bits() >> (32 - (1_u32 << function.input_count()))
}

/// True if no equivalent gate comes earlier in the order. Gates are equivalent if they differ only by negating
/// subclaims or, if `root` is true, the gate's value.
fn is_first(function: BooleanFunction, root: bool) -> bool {
    let after = |other| ordering_number(other) >= ordering_number(function);
    (0..1_usize << function.input_count()).all(|mask| {
        let turned = function.with_inputs_negated(mask);
        after(turned) && (!root || after(turned.negated()))
    })
}

/// Returns the truths of the subclaims in a row of the truth table: the binary digits of the row's number.
pub(super) fn row_digits(width: usize, row: usize) -> impl Iterator<Item = bool> + Clone {
    (0..width).rev().map(move |index| row >> index & 1 == 1)
}

/// A small decomposition: the root's gate over subclaims, each of which is a leaf or a gate over leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SmallDecomposition {
    pub(super) root: GateAndTruthTable,
    pub(super) parts: Vec<Option<GateAndTruthTable>>,
    /// True if the root claim follows from its subclaims. Otherwise, the root claim is false, whatever its subclaims
    /// are.
    pub(super) sound: bool,
}

impl SmallDecomposition {
    pub(super) fn leaf_count(&self) -> usize {
        let each = self.parts.iter();
        each.map(|part| part.as_ref().map_or(1, GateAndTruthTable::subclaim_count))
            .sum()
    }

    pub(super) fn depth(&self) -> u32 {
        1 + u32::from(self.parts.iter().any(Option::is_some))
    }

    /// Returns the truths of the root's subclaims. The binary digits of `row` are the truths of the leaves.
    pub(super) fn subclaim_truths(&self, row: usize) -> Vec<bool> {
        let mut left = self.leaf_count();
        let each = self.parts.iter().map(|part| {
            let width = part.as_ref().map_or(1, GateAndTruthTable::subclaim_count);
            left -= width;
            let own = row >> left & ((1 << width) - 1);
            part.as_ref()
                .map_or(own == 1, |gate| gate.value_at_row(own))
        });
        each.collect()
    }

    /// Returns the value of the root's gate. The binary digits of `row` are the truths of the leaves.
    pub(super) fn root_value_for_leaf_truths(&self, row: usize) -> bool {
        self.root
            .value_at_row(row_number_of_digits(&self.subclaim_truths(row)))
    }

    /// True if every gate is (ε, ρ)-stable. The binary digits of `row` are the truths of the leaves.
    pub(super) fn are_all_gates_stable_for_leaf_truths(
        &self,
        row: usize,
        epsilon: &Exact,
        rho: &Exact,
    ) -> bool {
        let stable = |gate: &Gate, truths: &[bool]| {
            let truths: Vec<Exact> = truths
                .iter()
                .map(|truth| Exact::indicator(*truth))
                .collect();
            largest_shift(
                gate,
                ConditionalSubclaimProbabilities::Each(&truths),
                epsilon,
            )
            .is_some_and(|shift| shift.is_shift_below(&(rho * epsilon)))
        };
        let mut left = self.leaf_count();
        let parts = self.parts.iter().all(|part| {
            let width = part.as_ref().map_or(1, GateAndTruthTable::subclaim_count);
            left -= width;
            let own: Vec<bool> = row_digits(width, row >> left & ((1 << width) - 1)).collect();
            part.as_ref().is_none_or(|part| stable(&part.gate, &own))
        });
        parts && stable(&self.root.gate, &self.subclaim_truths(row))
    }

    /// Returns all small decompositions with `leaves` leaves whose gates depend on all their subclaims, up to negating
    /// claims. The root is negated only if `sound` is true. If `counting` is true, only symmetric gates are used, and
    /// gates that differ by negating subclaims are all listed.
    pub(super) fn all_with_leaves(
        leaves: usize,
        depth: u32,
        counting: bool,
        sound: bool,
    ) -> Vec<Self> {
        let gates = |width: usize| -> Vec<GateAndTruthTable> {
            if width == 0 || width > MAX_LEAVES {
                return Vec::new();
            }
            let functions: Vec<BooleanFunction> = if counting {
                let counts = 0..1_u32 << (width + 1);
                let of = |wanted: u32| {
                    BooleanFunction::from_row_values(width, |row| {
                        wanted >> row.count_ones() & 1 == 1
                    })
                };
                counts.map(of).collect()
            } else {
                BooleanFunction::all_with_inputs(width).collect()
            };
            let is_listed = |function: &BooleanFunction| {
                let first = if counting {
                    !sound || ordering_number(*function) <= ordering_number(function.negated())
                } else {
                    is_first(*function, sound)
                };
                first && function.relevant_inputs().len() == width
            };
            let listed = functions.into_iter().filter(is_listed);
            let mut each: Vec<GateAndTruthTable> = listed.map(GateAndTruthTable::new).collect();
            // Named gates come first.
            each.sort_by_key(|table| {
                let unnamed = matches!(table.gate, Gate::Table(_));
                (unnamed, ordering_number(table.function))
            });
            each
        };
        let mut shapes: Vec<Self> = gates(leaves)
            .into_iter()
            .map(|root| Self {
                parts: vec![None; leaves],
                root,
                sound,
            })
            .collect();
        if depth > 1 {
            for parts in partitions(leaves, &gates(2)) {
                let roots = gates(parts.len()).into_iter();
                shapes.extend(roots.map(|root| Self {
                    root,
                    parts: parts.clone(),
                    sound,
                }));
            }
        }
        shapes
    }
}

/// Maximum number of leaves of a decomposition. A truth table then has at most 2^4 rows.
pub const MAX_LEAVES: usize = 4;

/// Returns the number of the truth-table row with the given binary digits.
#[inline]
pub(super) fn row_number_of_digits(digits: &[bool]) -> usize {
    digits
        .iter()
        .fold(0, |row, bit| 2 * row + usize::from(*bit))
}

/// Returns all ways to split `leaves` leaves into two or more groups of one or two leaves, at least one of them with
/// two. A group of two has one of the given gates.
fn partitions(leaves: usize, gates: &[GateAndTruthTable]) -> Vec<Vec<Option<GateAndTruthTable>>> {
    let mut partitions: Vec<Vec<Option<GateAndTruthTable>>> = Vec::new();
    let mut open: Vec<(usize, Vec<Option<GateAndTruthTable>>)> = vec![(leaves, Vec::new())];
    while let Some((left, parts)) = open.pop() {
        if left == 0 {
            if parts.len() > 1 && parts.iter().any(Option::is_some) {
                partitions.push(parts);
            }
            continue;
        }
        let with = |part: Option<GateAndTruthTable>| {
            parts.iter().cloned().chain([part]).collect::<Vec<_>>()
        };
        open.push((left - 1, with(None)));
        if left > 1 {
            open.extend(
                gates
                    .iter()
                    .map(|gate| (left - 2, with(Some(gate.clone())))),
            );
        }
    }
    partitions
}
