//! The dealing of items to trials since study format 2: the item of each trial, and the answer that is shown first.
//!
//! Conditions of a group whose items share stories deal from one deck of stories, so that a participant gets each story
//! at most once. A *pass* deals the deck once: in each pass, a condition gets a story at most once, and stories that do
//! not fill a hand are left out. The order of a pass and the order of a participant's trials are drawn anew, and
//! nothing depends on the right answers. So the trials of one participant reveal nothing about the next one's, and
//! changing a right answer in a study file moves no page.

use std::collections::{BTreeMap, BTreeSet};

use super::{pseudorandom_number, shuffled_indices};
use crate::Study;
use crate::plan::AnswerSwapRule;
use crate::plan::item::ItemToJudge;
use debate_lab::judgements::statistics::count_to_float;

/// A deck: conditions of a group whose trials are dealt from the same stories.
#[derive(Debug)]
pub(super) struct ConditionsSharingStories {
    /// Indices of the conditions in the study file.
    pub(super) conditions: Vec<usize>,
    /// Stories that have an item in each of the deck's conditions.
    pub(super) stories: Vec<DeckStory>,
    /// Index of the difficulty tier of all items; `None` if the design has no tiers.
    pub(super) tier: Option<usize>,
}

/// A story of a deck, from which trials of the deck's conditions are dealt.
#[derive(Debug)]
pub(super) struct DeckStory {
    /// For each condition of the deck, the story's items (its versions) as indices in the condition's item list.
    pub(super) items: Vec<Vec<usize>>,
}

/// A trial that needs an item: its condition, and the trial's number among the participant's trials under this
/// condition.
pub(super) struct TrialAwaitingItem {
    pub(super) condition: usize,
    pub(super) tier: Option<usize>,
    /// Number of the trial among the participant's trials of this condition in its difficulty tier, from 0.
    pub(super) repeat: usize,
    /// Number of trials that each participant has of each condition, in each difficulty tier.
    pub(super) size: usize,
}

/// Returns, by story, a condition's items in one difficulty tier that are not for practice, in the order of the study.
fn by_story(pool: &[ItemToJudge], tier: Option<usize>) -> BTreeMap<&str, Vec<usize>> {
    let mut stories: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let is_dealt = |item: &ItemToJudge| !item.practice && item.tier == tier;
    for (index, item) in pool.iter().enumerate().filter(|(_, item)| is_dealt(item)) {
        stories.entry(&item.story).or_default().push(index);
    }
    stories
}

impl ConditionsSharingStories {
    /// Returns the decks of a group of conditions, for each difficulty tier separately. Conditions with a common story
    /// share a deck.
    pub(super) fn decks_of_condition_group(study: &Study, group: &[usize]) -> Vec<Self> {
        match study.plan.design.difficulty_tiers() {
            None => Self::decks_of_tier(study, group, None),
            Some(tiers) => (0..tiers.len())
                .flat_map(|tier| Self::decks_of_tier(study, group, Some(tier)))
                .collect(),
        }
    }

    fn decks_of_tier(study: &Study, group: &[usize], tier: Option<usize>) -> Vec<Self> {
        let mut sets: Vec<(Vec<usize>, BTreeSet<&str>)> = Vec::new();
        for condition in group {
            let mut conditions = vec![*condition];
            let mut stories: BTreeSet<&str> = by_story(study.items_of_condition(*condition), tier)
                .into_keys()
                .collect();
            // A condition may connect decks that were separate before it.
            let connected: Vec<_> = sets
                .extract_if(.., |(_, known)| !known.is_disjoint(&stories))
                .collect();
            for (others, known) in connected {
                conditions.extend(others);
                stories.extend(known);
            }
            conditions.sort_unstable();
            sets.push((conditions, stories));
        }
        sets.into_iter()
            .map(|(conditions, stories)| Self::of(study, conditions, stories, tier))
            .collect()
    }

    fn of(
        study: &Study,
        conditions: Vec<usize>,
        stories: BTreeSet<&str>,
        tier: Option<usize>,
    ) -> Self {
        let pools: Vec<BTreeMap<&str, Vec<usize>>> = conditions
            .iter()
            .map(|condition| by_story(study.items_of_condition(*condition), tier))
            .collect();
        let in_each = |story: &str| -> Option<Vec<Vec<usize>>> {
            pools.iter().map(|pool| pool.get(story).cloned()).collect()
        };
        let stories = stories.into_iter().filter_map(|story| {
            let items = in_each(story)?;
            Some(DeckStory { items })
        });
        Self {
            stories: stories.collect(),
            conditions,
            tier,
        }
    }

    /// Returns the number of stories that a participant needs for `trials_per_condition` trials of each condition that
    /// deals from the deck.
    pub(super) fn needed_stories_per_participant(&self, trials_per_condition: usize) -> usize {
        trials_per_condition * self.conditions.len()
    }

    /// Returns the proportion of the deck's trials that an informed judge guesses right. This judge knows the deck and
    /// the right answer of the previous trial.
    ///
    /// The right answer is the truth of a claim, or the position of a question's right answer. `None` with fewer than
    /// two stories.
    pub(super) fn share_guessed_from_deck_and_previous_answer(&self, study: &Study) -> Option<f64> {
        let pool = study.items_of_condition(self.conditions[0]);
        let share = |story: &DeckStory| {
            let items = story.items.first().map_or(&[][..], Vec::as_slice);
            let first_is_right = |item: &usize| {
                let item = &pool[*item];
                if study.plan.swap == AnswerSwapRule::Balanced
                    && item.question_or_root_claim().is_ok()
                {
                    return 0.5;
                }
                f64::from(u8::from(item.truth))
            };
            items.iter().map(first_is_right).sum::<f64>() / count_to_float(items.len().max(1))
        };
        let shares: Vec<f64> = self.stories.iter().map(share).collect();
        let count = count_to_float(shares.len());
        let pairs = count * (count - 1.0);
        if pairs <= 0.0 {
            return None;
        }
        let both = |of: &dyn Fn(&f64) -> f64| {
            let sum: f64 = shares.iter().map(of).sum();
            let squares: f64 = shares.iter().map(|share| of(share).powi(2)).sum();
            (sum.powi(2) - squares) / pairs
        };
        let same = both(&|share| *share) + both(&|share| 1.0 - share);
        let base = shares.iter().sum::<f64>() / count;
        let guesses = [base, 1.0 - base, same, 1.0 - same];
        guesses.into_iter().max_by(f64::total_cmp)
    }

    /// Returns the index of the item (scenario to judge) that a trial gets from this deck. The flag is true if its two
    /// answers are shown in swapped order. `turn` is the number of earlier slots (rows of the schedule) with the same
    /// group of conditions. `None` if the deck has another tier, lacks the trial's condition or has too few stories.
    pub(super) fn deal_item(
        &self,
        study: &Study,
        turn: usize,
        cell: &TrialAwaitingItem,
    ) -> Option<(usize, bool)> {
        if self.tier != cell.tier {
            return None;
        }
        let seed = study.plan.seed;
        let index = self
            .conditions
            .iter()
            .position(|it| *it == cell.condition)?;
        // A hand: the stories of one participant's trials under one condition.
        let hands = (self.stories.len() / cell.size).max(1);
        let pass = turn / hands;
        let hand = self.hand(hands, turn % hands, index);
        let order = self.order(study, pass);
        let within = shuffled_indices(
            seed,
            &format!("within/{turn}/{}", cell.condition),
            cell.size,
        );
        let story = *order.get(hand * cell.size + within.get(cell.repeat)?)?;
        let versions = self.stories.get(story)?.items.get(index)?;
        // Each pass takes the next version of a story. The first version is drawn for each story.
        let first = pseudorandom_number(seed, &format!("version/{story}"));
        let count = versions.len();
        let version = (pass + usize::try_from(first % count as u64).unwrap_or(0)) % count;
        let item = *versions.get(version)?;
        let swap = study.plan.swap == AnswerSwapRule::Balanced
            && self.is_swapped(seed, cell.condition, story, (pass / count, pass % count));
        Some((item, swap))
    }

    /// Returns the index of the hand that a condition gets. A hand is the set of stories that one participant judges
    /// under one condition.
    ///
    /// A pass is dealt in rounds of a few participants, and each condition gets the same hands within a round. Each
    /// round has at least twice as many hands as one participant needs, if the deck has enough stories.
    fn hand(&self, hands: usize, turn: usize, index: usize) -> usize {
        let rounds = (hands / (2 * self.conditions.len())).max(1);
        let start = |round: usize| round * hands / rounds;
        let round = (0..rounds).rev().find(|it| start(*it) <= turn).unwrap_or(0);
        let from = start(round);
        let size = start(round + 1) - from;
        from + (turn - from + index) % size
    }

    /// Returns the stories of the deck in the order in which pass number `pass` deals them: shuffled, with the strata
    /// spread evenly.
    fn order(&self, study: &Study, pass: usize) -> Vec<usize> {
        const SCALE: u64 = 1 << 32;
        let label = format!("deal/{}/{pass}", self.conditions[0]);
        let mut order = shuffled_indices(study.plan.seed, &label, self.stories.len());
        if study.plan.items.strata.is_empty() {
            return order;
        }
        let strata = |story: usize| -> &[String] {
            let first = self.stories[story].items[0][0];
            &study.items_of_condition(self.conditions[0])[first].strata
        };
        let mut sizes: BTreeMap<&[String], u64> = BTreeMap::new();
        for story in &order {
            *sizes.entry(strata(*story)).or_default() += 1;
        }
        // Story number i of a stratum of n is placed at (2i + 1) / 2n of the pass.
        let mut seen: BTreeMap<&[String], u64> = BTreeMap::new();
        let mut shares = BTreeMap::new();
        for story in &order {
            let own = seen.entry(strata(*story)).or_default();
            shares.insert(*story, (2 * *own + 1) * SCALE / sizes[&strata(*story)]);
            *own += 1;
        }
        order.sort_by_key(|story| shares[story]);
        order
    }

    /// True if a trial shows the two answers of its question in swapped order. `occurrence` is the number of earlier
    /// passes in which this condition gets this version of the story.
    ///
    /// In each pass, half of the stories are swapped. Each item is swapped in one of two successive occurrences.
    fn is_swapped(
        &self,
        seed: u64,
        condition: usize,
        story: usize,
        (occurrence, version): (usize, usize),
    ) -> bool {
        let count = self.stories.len();
        let label = format!("swap/{condition}/{version}/{}", occurrence / 2);
        let order = shuffled_indices(seed, &label, count);
        let is_first_half = order.iter().take(count / 2).any(|it| *it == story);
        is_first_half != (occurrence % 2 == 1)
    }
}
