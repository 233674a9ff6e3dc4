//! The dealing of study format 1, which studies locked with it still use: true and false items alternate, in hands that
//! rotate over the conditions.

use super::{AssignedTrial, ItemDealingMethod, pseudorandom_number, shuffled_indices};
use crate::Study;
use crate::plan::AnswerSwapRule;

/// The items of each condition, in dealing order.
#[derive(Debug)]
pub(super) struct DealingOrderByCondition(Vec<Vec<usize>>);

/// A trial to deal.
pub(super) struct TrialToDeal<'g> {
    /// Conditions of the group.
    pub(super) group: &'g [usize],
    /// Index of the trial's condition in the group of conditions.
    pub(super) place: usize,
    /// Number of earlier slots (rows of the schedule) with the same group of conditions.
    pub(super) turn: usize,
    /// Number of rows of the Williams square.
    pub(super) rows: usize,
    /// Number of the trial, from 0, among the slot's trials under the same condition.
    pub(super) repeat: usize,
    /// Number of trials of each condition that are dealt together: those of a difficulty tier, or all of the slot.
    pub(super) cell: usize,
}

impl DealingOrderByCondition {
    pub(super) fn item_dealing_order(study: &Study) -> Self {
        let conditions = 0..study.plan.conditions.len();
        Self(
            conditions
                .map(|condition| dealt(study, condition))
                .collect(),
        )
    }

    /// Returns the number of items of a condition that can be dealt.
    pub(super) fn dealable_item_count(&self, condition: usize) -> usize {
        self.0[condition].len()
    }

    /// Returns the item that a trial gets, and true if its answers are shown in swapped order.
    pub(super) fn deal_item_and_answer_order(
        &self,
        study: &Study,
        trial: &TrialToDeal<'_>,
    ) -> (usize, bool) {
        let TrialToDeal {
            place, turn, cell, ..
        } = *trial;
        let condition = trial.group[place];
        let within = (trial.repeat + turn / 2 + place) % cell;
        let dealt = &self.0[condition];
        let hands = (dealt.len() / cell).max(1);
        // Conditions with finished debates have separate pools.
        let own = !study.saved_items[condition].is_empty();
        let seat = if own { 0 } else { place };
        let hand = (seat + turn + turn / round(study, trial.rows, hands)) % hands;
        let item = dealt[(hand * cell + within) % dealt.len().max(1)];
        let label = format!("swap/{}/{condition}/{within}", turn / 2);
        let first = pseudorandom_number(study.plan.seed, &label) % 2 == 1;
        let swap = study.plan.swap == AnswerSwapRule::Balanced && first != (turn % 2 == 1);
        (item, swap)
    }

    /// Returns a story that a participant would get twice in these trials; `None` if there is none.
    pub(super) fn repeated_story(study: &Study, trials: &[AssignedTrial]) -> Option<String> {
        let mut stories: Vec<&str> = trials
            .iter()
            .filter(|trial| !trial.repeat)
            .map(|trial| {
                study.items_of_condition(trial.condition)[trial.item]
                    .story
                    .as_str()
            })
            .collect();
        stories.sort_unstable();
        let same = |pair: &&[&str]| matches!(pair, [one, other] if one == other);
        let pair = stories.windows(2).find(same)?;
        pair.first().map(|story| (*story).to_owned())
    }
}

/// Returns the number of slots after which the dealt hands shift by one more. A hand is the set of items that one
/// participant gets under one condition. Without the shift, a hand would always meet the same order of conditions. By
/// the method `Rows`, these are the slots of one pass through the Williams square. Otherwise, they are the slots of the
/// fewest passes in which each hand is dealt equally often.
fn round(study: &Study, rows: usize, hands: usize) -> usize {
    if study.dealing == ItemDealingMethod::Rows {
        return rows;
    }
    let mut multiples = (1..=hands).map(|factor| factor * rows);
    multiples
        .find(|it| it.is_multiple_of(hands))
        .unwrap_or(rows)
}

/// Returns a condition's items in dealing order, without practice items: shuffled, then alternating between true and
/// false items and between the strata of each.
fn dealt(study: &Study, condition: usize) -> Vec<usize> {
    let pool = study.items_of_condition(condition);
    let mut order = shuffled_indices(study.plan.seed, "items", pool.len());
    order.retain(|item| !pool[*item].practice);
    let mut kinds: Vec<(bool, &[String])> = order
        .iter()
        .map(|it| (pool[*it].truth, pool[*it].strata.as_slice()))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    // True and false kinds alternate, so the kinds of one truth are not adjacent.
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
