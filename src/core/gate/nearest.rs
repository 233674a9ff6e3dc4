//! The outcomes nearest to what somebody wishes that give a gate the value they need.

use super::{Gate, Tally};

/// The value wished for an input, and the cost of the opposite value.
type WeightedWish = (bool, u32);

impl Gate {
    /// The outcomes nearest to `wish` (fewest changes, changing later places first) that give the
    /// gate the value `target`. `None` only for a gate that does not fit or is constant.
    pub fn nearest(&self, wish: &[bool], target: bool) -> Option<Vec<bool>> {
        if self.says(wish.iter().copied()) == target {
            return Some(wish.to_vec());
        }
        match self {
            Self::Table(_) => {
                let each: Vec<WeightedWish> = wish.iter().map(|wished| (*wished, 1)).collect();
                self.cheapest(&each, target)
            }
            Self::OfMajorities { of, copies } => {
                let pieces: Vec<&[bool]> = wish.chunks((*copies).max(1) as usize).collect();
                let each: Vec<WeightedWish> =
                    pieces.iter().map(|pieces| majority(pieces)).collect();
                let most = of.cheapest(&each, target)?;
                let majorities = pieces.iter().zip(each).zip(most);
                let voted = majorities.flat_map(|((pieces, (wished, cost)), most)| {
                    let changes = if most == wished { 0 } else { cost };
                    changed(pieces, wished, changes as usize)
                });
                Some(voted.collect())
            }
            _ => self.nearest_count(wish, target),
        }
    }

    /// The same for a gate that looks at the number of true inputs alone.
    fn nearest_count(&self, wish: &[bool], target: bool) -> Option<Vec<bool>> {
        let ones = wish.iter().filter(|outcome| **outcome).count();
        let width = u32::try_from(wish.len()).ok()?;
        let count = (0..=wish.len())
            .filter(|count| self.holds(self.tally_of(width, *count)) == target)
            .min_by_key(|count| count.abs_diff(ones))?;
        Some(changed(wish, count < ones, count.abs_diff(ones)))
    }

    /// The values at the least cost that give the gate the value `target`, changing later places
    /// first.
    fn cheapest(&self, wish: &[WeightedWish], target: bool) -> Option<Vec<bool>> {
        let width = u32::try_from(wish.len()).ok()?;
        // What the rest costs at least, from each way on in which the values so far matter.
        let end = (0..self.ways(width)).map(|way| {
            let fits = self.holds(self.tally_of(width, way)) == target;
            fits.then_some(0_u32)
        });
        let mut costs: Vec<Vec<Option<u32>>> = vec![end.collect()];
        for (seen, (wished, change)) in (0..width).zip(wish).rev() {
            let rest = costs.last()?;
            let cost = |tally, value: bool| {
                let cost = rest[self.way(self.take(tally, value))]?;
                Some(cost.saturating_add(if value == *wished { 0 } else { *change }))
            };
            let least = |way| {
                let tally = self.tally_of(seen, way);
                [cost(tally, false), cost(tally, true)]
                    .into_iter()
                    .flatten()
                    .min()
            };
            let here = (0..self.ways(seen)).map(least).collect();
            costs.push(here);
        }
        let mut left = costs.pop()?[0]?;
        let mut tally = Tally::default();
        let mut values = Vec::with_capacity(wish.len());
        for ((wished, change), rest) in wish.iter().zip(costs.iter().rev()) {
            let keeps = rest[self.way(self.take(tally, *wished))] == Some(left);
            if !keeps {
                left = left.saturating_sub(*change);
            }
            let value = *wished == keeps;
            tally = self.take(tally, value);
            values.push(value);
        }
        Some(values)
    }
}

/// The majority's value, and how many must change to turn the majority around.
fn majority(pieces: &[bool]) -> WeightedWish {
    let yes = pieces.iter().filter(|piece| **piece).count();
    let wished = 2 * yes > pieces.len();
    let with = if wished { yes } else { pieces.len() - yes };
    let change = with - pieces.len() / 2;
    (wished, u32::try_from(change).unwrap_or(u32::MAX))
}

/// `wish` with the last `changes` values that equal `from` turned around.
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
