//! Which trials each slot has: a table that follows from the seed and the number of the slot.
//!
//! Orders of conditions come from Williams squares (every condition in every place, and right after
//! every other one, equally often) or are shuffled; groups of conditions come from permuted blocks;
//! items rotate over conditions in a Latin square, true ones and false ones in turn; answers change
//! places in one of each two slots.

use crate::Study;
use crate::plan::{CheckTrial, Design, FlowStep, Order, Swap};
use debate_core::digest::Digest;

/// A trial of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// From 1, in the order of the session.
    pub number: u32,
    /// From 1; 0 for practice.
    pub block: u32,
    /// The place of the condition in the study file.
    pub condition: usize,
    /// The place of the item in the condition's pool.
    pub item: usize,
    /// True if the second answer is shown first.
    pub swap: bool,
    /// True if it comes for the second time.
    pub repeat: bool,
    pub practice: bool,
}

/// The trials of all slots.
pub struct Schedule<'s> {
    study: &'s Study,
    /// The groups of conditions of which a participant meets one.
    groups: Vec<Vec<usize>>,
    order: Order,
    /// For each condition, its pool in the order in which items are dealt out.
    dealt: Vec<Vec<usize>>,
}

/// A number that follows from the seed and a label: the first eight bytes of their digest.
pub(crate) fn draw(seed: u64, label: &str) -> u64 {
    let digest = Digest::of(format!("{seed}/{label}").as_bytes()).to_string();
    let digits = digest.get(..16).unwrap_or_default();
    u64::from_str_radix(digits, 16).unwrap_or_default()
}

/// The numbers below `count`, shuffled.
pub(crate) fn shuffled(seed: u64, label: &str, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    all.sort_by_cached_key(|place| {
        Digest::of(format!("{seed}/{label}/{place}").as_bytes()).to_string()
    });
    all
}

/// The rows of a Williams square for so many conditions: as many rows, or twice as many where the
/// number is odd.
pub(crate) fn williams(count: usize) -> Vec<Vec<usize>> {
    // 0, 1, n − 1, 2, n − 2, …: the steps between neighbours are all different.
    let first: Vec<usize> = (0..count)
        .map(|place| {
            let half = place.div_ceil(2);
            if place % 2 == 1 {
                half
            } else {
                (count - half) % count
            }
        })
        .collect();
    let shifted = |by: usize| first.iter().map(|it| (it + by) % count).collect();
    let mut rows: Vec<Vec<usize>> = (0..count).map(shifted).collect();
    if count % 2 == 1 && count > 1 {
        let mirrored: Vec<Vec<usize>> = rows
            .iter()
            .map(|row| row.iter().rev().copied().collect())
            .collect();
        rows.extend(mirrored);
    }
    rows
}

impl<'s> Schedule<'s> {
    pub(crate) fn of(study: &'s Study) -> Self {
        let plan = &study.plan;
        let all: Vec<usize> = (0..plan.conditions.len()).collect();
        let (groups, order) = match &plan.design {
            Design::Within { order, .. } => (vec![all], *order),
            Design::Between { .. } => (
                all.into_iter().map(|it| vec![it]).collect(),
                Order::Williams,
            ),
            Design::Mixed { groups, order, .. } => {
                let places = |group: &Vec<String>| {
                    group.iter().filter_map(|id| plan.condition(id)).collect()
                };
                (groups.iter().map(places).collect(), *order)
            }
        };
        let dealt = (0..plan.conditions.len())
            .map(|condition| dealt(study, condition))
            .collect();
        Self {
            study,
            groups,
            order,
            dealt,
        }
    }

    /// The trials of a slot that count, in order; repetitions come last.
    pub fn slot(&self, slot: u32) -> Vec<Assigned> {
        let plan = &self.study.plan;
        let (group, turn) = self.group_of(slot);
        let conditions = &self.groups[group];
        let (blocks, per_cell) = plan.design.repeats();
        let cell = (blocks * per_cell) as usize;
        let rows = williams(conditions.len());
        let mut trials: Vec<Assigned> = Vec::new();
        for repeat in 0..blocks * per_cell {
            let order = match self.order {
                Order::Williams => rows[(turn + repeat as usize) % rows.len()].clone(),
                Order::Random => shuffled(
                    plan.seed,
                    &format!("order/{slot}/{repeat}"),
                    conditions.len(),
                ),
            };
            for place in order {
                let condition = conditions[place];
                let within = (repeat as usize + turn / 2 + place) % cell;
                trials.push(Assigned {
                    number: 0,
                    block: repeat / per_cell + 1,
                    condition,
                    item: self.item(group, place, turn, rows.len(), within, cell),
                    swap: self.swap(turn, condition, within),
                    repeat: false,
                    practice: false,
                });
            }
        }
        trials.extend(self.repeated(slot, &trials));
        for (trial, number) in trials.iter_mut().zip(1..) {
            trial.number = number;
        }
        trials
    }

    /// The practice trials of a slot, which have numbers of their own.
    pub fn practice(&self, slot: u32) -> Vec<Assigned> {
        let mut practice = Vec::new();
        for step in &self.study.plan.flow {
            let FlowStep::Practice {
                condition, trials, ..
            } = step
            else {
                continue;
            };
            let condition = self.study.plan.condition(condition).unwrap_or(0);
            let spare = self.spare(slot, condition);
            for item in spare.into_iter().take(*trials as usize) {
                practice.push(Assigned {
                    number: u32::try_from(practice.len() + 1).unwrap_or(u32::MAX),
                    block: 0,
                    condition,
                    item,
                    swap: false,
                    repeat: false,
                    practice: true,
                });
            }
        }
        practice
    }

    /// Items for practice: those that are named for it, which stand behind the pool, else those that
    /// the slot does not meet.
    fn spare(&self, slot: u32, condition: usize) -> Vec<usize> {
        let pool = self.study.pool(condition);
        let own: Vec<usize> = (0..pool.len()).filter(|it| pool[*it].practice).collect();
        if !own.is_empty() {
            return own;
        }
        let trials = self.slot(slot);
        let is_met = |item: &usize| {
            trials.iter().any(|trial| {
                self.study.pool(trial.condition)[trial.item].story == pool[*item].story
            })
        };
        (0..pool.len()).filter(|item| !is_met(item)).collect()
    }

    /// The conditions that the participants of each slot meet, from slot 0 on.
    pub(crate) fn conditions_by_slot(&self) -> impl Iterator<Item = &[usize]> {
        let groups = self.groups_by_slot();
        groups.map(|group| self.groups[group].as_slice())
    }

    /// The group of conditions of each slot, from slot 0 on.
    fn groups_by_slot(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        let count = self.groups.len();
        let sizes = match &self.study.plan.design {
            Design::Within { .. } => return Box::new(std::iter::repeat(0)),
            Design::Between { block, .. } | Design::Mixed { block, .. } => block,
        };
        let seed = self.study.plan.seed;
        Box::new((0_usize..).flat_map(move |number| {
            let drawn = draw(seed, &format!("size/{number}"));
            let size = sizes[usize::try_from(drawn).unwrap_or(0) % sizes.len()];
            let places = shuffled(seed, &format!("block/{number}"), size as usize);
            places.into_iter().map(move |place| place % count)
        }))
    }

    /// The group of a slot, and the number of slots before it that have the same one.
    fn group_of(&self, slot: u32) -> (usize, usize) {
        let mut seen = vec![0; self.groups.len()];
        let mut last = 0;
        if matches!(self.study.plan.design, Design::Within { .. }) {
            return (0, slot as usize);
        }
        for group in self.groups_by_slot().take(slot as usize + 1) {
            seen[group] += 1;
            last = group;
        }
        (last, seen[last] - 1)
    }

    fn item(
        &self,
        group: usize,
        place: usize,
        turn: usize,
        rows: usize,
        within: usize,
        cell: usize,
    ) -> usize {
        let conditions = &self.groups[group];
        let dealt = &self.dealt[conditions[place]];
        let hands = (dealt.len() / cell).max(1);
        // Conditions with finished debates deal from a pool of their own.
        let own = !self.study.saved_items[conditions[place]].is_empty();
        let seat = if own { 0 } else { place };
        let hand = (seat + turn + turn / self.round(rows, hands)) % hands;
        dealt[(hand * cell + within) % dealt.len().max(1)]
    }

    /// The slots after which hands shift by one more, so that no hand stays with one order of conditions. Up to then every
    /// hand is dealt equally often.
    fn round(&self, rows: usize, hands: usize) -> usize {
        if self.study.deals_by_rows {
            return rows;
        }
        let mut multiples = (1..=hands).map(|factor| factor * rows);
        multiples
            .find(|it| it.is_multiple_of(hands))
            .unwrap_or(rows)
    }

    fn swap(&self, turn: usize, condition: usize, within: usize) -> bool {
        let plan = &self.study.plan;
        let first = draw(
            plan.seed,
            &format!("swap/{}/{condition}/{within}", turn / 2),
        ) % 2
            == 1;
        plan.swap == Swap::Balanced && first != (turn % 2 == 1)
    }

    fn repeated(&self, slot: u32, trials: &[Assigned]) -> Vec<Assigned> {
        let plan = &self.study.plan;
        let fraction = plan.checks.iter().find_map(|check| match check {
            CheckTrial::Repeat { fraction } => Some(*fraction),
            CheckTrial::Attention { .. } => None,
        });
        let Some(fraction) = fraction.filter(|it| *it > 0.0) else {
            return Vec::new();
        };
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of few trials"
        )]
        let count = (fraction * trials.len() as f64).ceil() as usize;
        let mut chosen = shuffled(plan.seed, &format!("repeat/{slot}"), trials.len());
        chosen.truncate(count);
        let again = |place: usize| Assigned {
            repeat: true,
            ..trials[place]
        };
        chosen.into_iter().map(again).collect()
    }

    /// Whether every condition has the items that it needs, and nobody meets a story twice.
    pub(crate) fn flaw(&self) -> Option<String> {
        let plan = &self.study.plan;
        let (blocks, per_cell) = plan.design.repeats();
        let cell = (blocks * per_cell) as usize;
        for group in &self.groups {
            let shared = group
                .iter()
                .filter(|it| self.study.saved_items[**it].is_empty())
                .count();
            for condition in group {
                let own = !self.study.saved_items[*condition].is_empty();
                let needed = if own { cell } else { cell * shared };
                let there = self.dealt[*condition].len();
                if there < needed {
                    return Some(format!(
                        "items: `{}` needs {needed} items for one participant, and there are {there}; add \
                         items, or take fewer trials",
                        plan.conditions[*condition].id
                    ));
                }
            }
        }
        let wanted: u32 = plan
            .flow
            .iter()
            .map(|step| match step {
                FlowStep::Practice { trials, .. } => *trials,
                _ => 0,
            })
            .sum();
        for slot in 0..plan.target_rows() {
            if self.practice(slot).len() < wanted as usize {
                return Some(
                    "flow: practice needs items that nobody meets later; name some in its `scenarios`".to_owned(),
                );
            }
            if plan.items.once_per_participant_by.is_none() {
                continue;
            }
            let mut stories: Vec<&str> = self
                .slot(slot)
                .iter()
                .filter(|trial| !trial.repeat)
                .map(|trial| self.study.pool(trial.condition)[trial.item].story.as_str())
                .collect();
            stories.sort_unstable();
            let same = |pair: &&[&str]| matches!(pair, [one, other] if one == other);
            if let Some([story, ..]) = stories.windows(2).find(same) {
                return Some(format!(
                    "items: slot {slot} would meet the story `{story}` twice; add items, or take fewer trials"
                ));
            }
        }
        None
    }
}

/// A condition's pool in the order in which items are dealt: shuffled, then true and false ones,
/// and the strata of each, in turn.
fn dealt(study: &Study, condition: usize) -> Vec<usize> {
    let pool = study.pool(condition);
    let mut order = shuffled(study.plan.seed, "items", pool.len());
    order.retain(|item| !pool[*item].practice);
    let mut kinds: Vec<(bool, &[String])> = order
        .iter()
        .map(|it| (pool[*it].truth, pool[*it].strata.as_slice()))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    // True and false in turn: kinds of one truth stand apart.
    let (truths, lies): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|(truth, _)| *truth);
    let mut turns = Vec::new();
    for place in 0..truths.len().max(lies.len()) {
        turns.extend(truths.get(place));
        turns.extend(lies.get(place));
    }
    let mut dealt = Vec::with_capacity(order.len());
    while !order.is_empty() {
        for kind in &turns {
            let next = order
                .iter()
                .position(|it| (pool[*it].truth, pool[*it].strata.as_slice()) == *kind);
            dealt.extend(next.map(|at| order.remove(at)));
        }
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn williams_squares_balance_places_and_neighbours() {
        for count in 2..=9 {
            let rows = williams(count);
            let each = rows.len() / count;
            for place in 0..count {
                for condition in 0..count {
                    let there = rows.iter().filter(|row| row[place] == condition).count();
                    assert_eq!(there, each, "{count}: {condition} in place {place}");
                }
            }
            for before in 0..count {
                for after in (0..count).filter(|it| *it != before) {
                    let pairs = rows.iter().flat_map(|row| row.windows(2));
                    let found = pairs.filter(|pair| pair == &[before, after]).count();
                    assert_eq!(found, each, "{count}: {before} then {after}");
                }
            }
        }
    }
}
