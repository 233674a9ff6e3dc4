//! The trials of each slot (a row of the schedule), as a function of the seed and the slot's number.
//!
//! Conditions are ordered by Williams squares or shuffled. In a Williams square, each condition is equally often in
//! each position, and follows each other condition equally often. Permuted blocks assign groups of conditions. `decks`
//! deals the items; `hands` deals those of studies that were locked with study format 1.

mod decks;
mod hands;

use crate::Study;
use crate::plan::item::ItemToJudge;
use crate::plan::{AttentionOrRepeatTrial, ConditionOrder, ExperimentDesign, StudyFlowStep};
use debate_core::digest::Digest;
use decks::{ConditionsSharingStories, TrialAwaitingItem};
use hands::{DealingOrderByCondition, TrialToDeal};

/// The method that deals items to trials. A locked study keeps the method of its lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ItemDealingMethod {
    /// The first dealing method of study format 1: the dealt hands of items shift by one after each pass through the
    /// Williams square.
    Rows,
    /// The second dealing method of study format 1. A hand is the set of items that one participant gets under one
    /// condition. The hands shift by one only at the end of a pass through the Williams square after which each hand
    /// was dealt equally often.
    Hands,
    /// Study format 2 and later: the order of true and false items is drawn at random, and reveals nothing that
    /// participants must not know.
    #[default]
    Decks,
}

impl ItemDealingMethod {
    /// Returns the first study format that deals items by this method.
    pub(crate) fn first_study_format(self) -> u32 {
        match self {
            Self::Rows | Self::Hands => 1,
            Self::Decks => 2,
        }
    }
}

/// A trial of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssignedTrial {
    /// Position of the trial among the session's trials without practice, from 1; of a practice trial, among the
    /// practice trials.
    pub number: u32,
    /// Number of the trial's block, from 1; 0 for practice.
    pub block: u32,
    /// Index of the condition in the study file.
    pub condition: usize,
    /// Index of the item in the condition's list of items.
    pub item: usize,
    /// True if the question's second answer is shown first.
    pub swap: bool,
    /// True if the trial repeats an earlier trial of the session.
    pub repeat: bool,
    pub practice: bool,
}

impl AssignedTrial {
    /// Returns the text of the trial in the digest of a locked study. Locks on the disk depend on every character.
    pub(crate) fn text_for_digest(&self) -> String {
        let Self {
            number,
            block,
            condition,
            item,
            swap,
            repeat,
            practice,
        } = self;
        format!(
            "Assigned {{ number: {number}, block: {block}, condition: {condition}, item: {item}, swap: {swap}, \
             repeat: {repeat}, practice: {practice} }}"
        )
    }
}

/// The trials of all slots.
pub struct TrialSchedule<'s> {
    study: &'s Study,
    /// Groups of conditions. Each participant gets the conditions of one group.
    groups: Vec<Vec<usize>>,
    order: ConditionOrder,
    dealer: Dealer,
}

/// The items in dealing order.
enum Dealer {
    Hands(DealingOrderByCondition),
    /// For each group of conditions: its decks. A deck contains the stories that its conditions share.
    Decks(Vec<Vec<ConditionsSharingStories>>),
}

/// Returns a pseudorandom number that depends only on the study's seed and on `label`: the first eight bytes of their
/// digest.
pub(crate) fn pseudorandom_number(seed: u64, label: &str) -> u64 {
    let digest = Digest::digest_of_bytes(format!("{seed}/{label}").as_bytes()).to_string();
    let digits = digest.get(..16).unwrap_or_default();
    u64::from_str_radix(digits, 16).unwrap_or_default()
}

/// Returns the numbers below `count` in pseudorandom order.
pub(crate) fn shuffled_indices(seed: u64, label: &str, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    all.sort_by_cached_key(|place| {
        Digest::digest_of_bytes(format!("{seed}/{label}/{place}").as_bytes()).to_string()
    });
    all
}

/// Returns the rows of a Williams square for `count` conditions: `count` rows, or `2 * count` if `count` is odd and
/// above 1.
pub(crate) fn williams_square_rows(count: usize) -> Vec<Vec<usize>> {
    // 0, 1, n − 1, 2, n − 2, …: all differences between neighbours are distinct.
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

impl<'s> TrialSchedule<'s> {
    pub(crate) fn schedule_of_study(study: &'s Study) -> Self {
        let plan = &study.plan;
        let all: Vec<usize> = (0..plan.conditions.len()).collect();
        let (groups, order) = match &plan.design {
            ExperimentDesign::Within { order, .. } | ExperimentDesign::Stepped { order, .. } => {
                (vec![all], *order)
            }
            ExperimentDesign::Between { .. } => (
                all.into_iter().map(|it| vec![it]).collect(),
                ConditionOrder::Williams,
            ),
            ExperimentDesign::Mixed { groups, order, .. } => {
                let places = |group: &Vec<String>| {
                    group
                        .iter()
                        .filter_map(|id| plan.condition_index(id))
                        .collect()
                };
                (groups.iter().map(places).collect(), *order)
            }
        };
        let dealer = match study.dealing {
            ItemDealingMethod::Rows | ItemDealingMethod::Hands => {
                Dealer::Hands(DealingOrderByCondition::item_dealing_order(study))
            }
            ItemDealingMethod::Decks => {
                let groups = groups.iter();
                Dealer::Decks(
                    groups
                        .map(|group| {
                            ConditionsSharingStories::decks_of_condition_group(study, group)
                        })
                        .collect(),
                )
            }
        };
        Self {
            study,
            groups,
            order,
            dealer,
        }
    }

    /// Returns the trials of a slot except those for practice, in order. Trials that repeat an earlier one come last.
    pub fn trials_of_slot_without_practice(&self, slot: u32) -> Vec<AssignedTrial> {
        let plan = &self.study.plan;
        let (group, turn) = self.group_of(slot);
        let conditions = &self.groups[group];
        let (blocks, per_cell) = plan.design.blocks_and_trials_per_condition();
        let cell = plan.design.trials_per_condition_in_deck() as usize;
        let rows = williams_square_rows(conditions.len());
        let mut trials: Vec<AssignedTrial> = Vec::new();
        for repeat in 0..blocks * per_cell {
            let order = match self.order {
                ConditionOrder::Williams => rows[(turn + repeat as usize) % rows.len()].clone(),
                ConditionOrder::Random => shuffled_indices(
                    plan.seed,
                    &format!("order/{slot}/{repeat}"),
                    conditions.len(),
                ),
            };
            for place in order {
                let trial = TrialToDeal {
                    group: conditions,
                    place,
                    turn,
                    rows: rows.len(),
                    repeat: repeat as usize,
                    cell,
                };
                let (item, swap) = self.deal(group, &trial);
                trials.push(AssignedTrial {
                    number: 0,
                    block: repeat / per_cell + 1,
                    condition: conditions[place],
                    item,
                    swap,
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

    /// Returns the item that a trial gets, and true if its answers are shown in swapped order.
    fn deal(&self, group: usize, trial: &TrialToDeal<'_>) -> (usize, bool) {
        let decks = match &self.dealer {
            Dealer::Hands(hands) => return hands.deal_item_and_answer_order(self.study, trial),
            Dealer::Decks(decks) => &decks[group],
        };
        let tiers = self.study.plan.design.difficulty_tiers();
        let cell = TrialAwaitingItem {
            condition: trial.group[trial.place],
            tier: tiers.map(|_| trial.repeat / trial.cell),
            repeat: trial.repeat % trial.cell,
            size: trial.cell,
        };
        let dealt = decks
            .iter()
            .find_map(|deck| deck.deal_item(self.study, trial.turn, &cell));
        // `dealing_flaw` rejects decks that are too small when the study is loaded.
        dealt.unwrap_or_default()
    }

    /// Returns how often an informed judge can guess right: the maximum over all decks of the proportion of trials.
    /// This judge knows the deck and the previous trial's right answer. `None` for the dealing methods of study format
    /// 1, or if no deck has two stories.
    pub(crate) fn share_guessed_from_deck_and_previous_answer(&self) -> Option<f64> {
        let Dealer::Decks(decks) = &self.dealer else {
            return None;
        };
        let guesses = decks
            .iter()
            .flatten()
            .filter_map(|deck| deck.share_guessed_from_deck_and_previous_answer(self.study));
        guesses.max_by(f64::total_cmp)
    }

    /// Returns the practice trials of a slot, which are numbered separately from its other trials.
    pub fn practice_trials_of_slot(&self, slot: u32) -> Vec<AssignedTrial> {
        let mut practice: Vec<AssignedTrial> = Vec::new();
        for step in &self.study.plan.flow {
            let StudyFlowStep::Practice {
                condition, trials, ..
            } = step
            else {
                continue;
            };
            let condition = self.study.plan.condition_index(condition).unwrap_or(0);
            let mut spare = self.spare(slot, condition);
            if self.study.deals_new_items_in_later_practice() {
                let pool = self.study.items_of_condition(condition);
                // The sort is stable, so equal items keep their order.
                spare.sort_by_key(|item| {
                    let item = &pool[*item];
                    let mut had = practice.iter().map(|trial| self.item_of_trial(trial));
                    let has_had_story = had.clone().any(|it| it.story == item.story);
                    (had.any(|it| it.id == item.id), has_had_story)
                });
            }
            for item in spare.into_iter().take(*trials as usize) {
                practice.push(AssignedTrial {
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

    fn item_of_trial(&self, trial: &AssignedTrial) -> &ItemToJudge {
        &self.study.items_of_condition(trial.condition)[trial.item]
    }

    /// Returns the items for practice trials: those that the study reserves for practice, or else those whose stories
    /// the slot's other trials do not use.
    fn spare(&self, slot: u32, condition: usize) -> Vec<usize> {
        let pool = self.study.items_of_condition(condition);
        let own: Vec<usize> = (0..pool.len()).filter(|it| pool[*it].practice).collect();
        if !own.is_empty() {
            return own;
        }
        let trials = self.trials_of_slot_without_practice(slot);
        let is_met = |item: &usize| {
            trials
                .iter()
                .any(|trial| self.item_of_trial(trial).story == pool[*item].story)
        };
        (0..pool.len()).filter(|item| !is_met(item)).collect()
    }

    /// Returns the conditions that each slot gets, from slot 0 on.
    pub(crate) fn conditions_by_slot(&self) -> impl Iterator<Item = &[usize]> {
        let groups = self.groups_by_slot();
        groups.map(|group| self.groups[group].as_slice())
    }

    /// Returns, for each slot from 0 on, the index of its group of conditions.
    fn groups_by_slot(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        let count = self.groups.len();
        let sizes = match &self.study.plan.design {
            ExperimentDesign::Within { .. } | ExperimentDesign::Stepped { .. } => {
                return Box::new(std::iter::repeat(0));
            }
            ExperimentDesign::Between { block, .. } | ExperimentDesign::Mixed { block, .. } => {
                block
            }
        };
        let seed = self.study.plan.seed;
        Box::new((0_usize..).flat_map(move |number| {
            let drawn = pseudorandom_number(seed, &format!("size/{number}"));
            let size = sizes[usize::try_from(drawn).unwrap_or(0) % sizes.len()];
            let places = shuffled_indices(seed, &format!("block/{number}"), size as usize);
            places.into_iter().map(move |place| place % count)
        }))
    }

    /// Returns the group of conditions that a slot gets, and the number of earlier slots with the same group.
    fn group_of(&self, slot: u32) -> (usize, usize) {
        let mut seen = vec![0; self.groups.len()];
        let mut last = 0;
        if self.groups.len() == 1 {
            return (0, slot as usize);
        }
        for group in self.groups_by_slot().take(slot as usize + 1) {
            seen[group] += 1;
            last = group;
        }
        (last, seen[last] - 1)
    }

    fn repeated(&self, slot: u32, trials: &[AssignedTrial]) -> Vec<AssignedTrial> {
        let plan = &self.study.plan;
        let fraction = plan.checks.iter().find_map(|check| match check {
            AttentionOrRepeatTrial::Repeat { fraction } => Some(*fraction),
            AttentionOrRepeatTrial::Attention { .. } => None,
        });
        let Some(fraction) = fraction.filter(|it| *it > 0.0) else {
            return Vec::new();
        };
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the rounded number is at most the number of a participant's trials, so the cast is exact"
        )]
        let count = (fraction * trials.len() as f64).ceil() as usize;
        let mut chosen = shuffled_indices(plan.seed, &format!("repeat/{slot}"), trials.len());
        chosen.truncate(count);
        let again = |place: usize| AssignedTrial {
            repeat: true,
            ..trials[place]
        };
        chosen.into_iter().map(again).collect()
    }

    /// Returns the reason why the study has no valid schedule, if it has none: a condition or its practice has too few
    /// items, or a participant would get a story twice.
    pub(crate) fn dealing_flaw(&self) -> Option<String> {
        let plan = &self.study.plan;
        let cell = plan.design.trials_per_condition_in_deck() as usize;
        let too_few = match &self.dealer {
            Dealer::Hands(hands) => self.few_items(hands, cell),
            Dealer::Decks(decks) => self.few_stories(decks, cell),
        };
        if too_few.is_some() {
            return too_few;
        }
        let wanted: u32 = plan
            .flow
            .iter()
            .map(|step| match step {
                StudyFlowStep::Practice { trials, .. } => *trials,
                _ => 0,
            })
            .sum();
        for slot in 0..plan.schedule_rows_of_planned_participants() {
            if self.practice_trials_of_slot(slot).len() < wanted as usize {
                return Some(
                    "flow: practice needs items that are in no trial; list some in its `scenarios`"
                        .to_owned(),
                );
            }
            let is_by_hands = matches!(self.dealer, Dealer::Hands(_));
            if plan.items.once_per_participant_by.is_none() || !is_by_hands {
                continue;
            }
            if let Some(story) = DealingOrderByCondition::repeated_story(
                self.study,
                &self.trials_of_slot_without_practice(slot),
            ) {
                return Some(format!(
                    "items: slot {slot} would get the story `{story}` twice; add items, or use fewer trials"
                ));
            }
        }
        None
    }

    /// Describes the first condition with fewer items than one participant needs, in study format 1.
    fn few_items(&self, hands: &DealingOrderByCondition, cell: usize) -> Option<String> {
        for group in &self.groups {
            let is_own = |condition: usize| !self.study.saved_items[condition].is_empty();
            let shared = group.iter().filter(|it| !is_own(**it)).count();
            for condition in group {
                let needed = if is_own(*condition) {
                    cell
                } else {
                    cell * shared
                };
                let there = hands.dealable_item_count(*condition);
                if there < needed {
                    return Some(format!(
                        "items: `{}` needs {needed} items for one participant, but there are {there}; add items, or \
                         use fewer trials",
                        self.study.plan.conditions[*condition].id
                    ));
                }
            }
        }
        None
    }

    /// Describes the first deck with fewer stories than one participant needs, who gets each story at most once. `None`
    /// if there is none.
    fn few_stories(&self, decks: &[Vec<ConditionsSharingStories>], cell: usize) -> Option<String> {
        let conditions = &self.study.plan.conditions;
        let mut decks = decks.iter().flatten();
        let deck =
            decks.find(|deck| deck.stories.len() < deck.needed_stories_per_participant(cell))?;
        let names = deck.conditions.iter().map(|it| conditions[*it].id.as_str());
        let (names, needed, there) = (
            names.collect::<Vec<_>>().join("`, `"),
            deck.needed_stories_per_participant(cell),
            deck.stories.len(),
        );
        let rejudges = |condition: &&usize| !self.study.saved_items[**condition].is_empty();
        let needs = if deck.conditions.len() > 1 {
            "need"
        } else {
            "needs"
        };
        let (what, add) = match deck.conditions.iter().filter(rejudges).count() {
            0 => ("", "items"),
            _ => (
                " of different stories",
                "finished debates about other stories",
            ),
        };
        let tier = deck.tier.zip(self.study.plan.design.difficulty_tiers());
        let tier = tier.map_or_else(String::new, |(tier, tiers)| {
            format!(" of the tier `{}`", tiers[tier])
        });
        Some(format!(
            "items: `{names}` {needs} {needed} items{what}{tier} for one participant, but there are {there}; add {add}, or \
             use fewer trials"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn williams_squares_balance_places_and_neighbours() {
        for count in 2..=9 {
            let rows = williams_square_rows(count);
            let each = rows.len() / count;
            for place in 0..count {
                for condition in 0..count {
                    let there = rows.iter().filter(|row| row[place] == condition).count();
                    assert_eq!(
                        there, each,
                        "{count} conditions: condition {condition} at position {place}"
                    );
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
