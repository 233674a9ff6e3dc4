//! Expected rewards, round by round, of debates with any number of rounds.

use std::collections::BTreeMap;
use std::sync::Arc;

use debate_core::number::Number;

/// The most rounds that stand in a sum itself. Of longer debates the rest is shared, so that a
/// round costs as much in a debate of 60,000 rounds as in one of 64.
const OWN: usize = 64;
/// The most shared parts of one sum.
const PARTS: usize = 8;

/// Expected rewards, each with its round's place in the schedule.
#[derive(Clone, Debug)]
pub(super) struct RoundRewards<N> {
    /// By place.
    own: Vec<(usize, N)>,
    /// Sums that count so often.
    shared: Vec<(N, Arc<SharedSum<N>>)>,
}

/// A sum that others are made of.
#[derive(Debug)]
struct SharedSum<N> {
    sum: RoundRewards<N>,
    /// Over all rounds.
    total: N,
    /// One more than that of the parts.
    height: usize,
}

impl<N> Default for RoundRewards<N> {
    fn default() -> Self {
        Self {
            own: Vec::new(),
            shared: Vec::new(),
        }
    }
}

/// True if the rewards are the same, however they are shared.
impl<N: Number> PartialEq for RoundRewards<N> {
    fn eq(&self, other: &Self) -> bool {
        let some = |sum: &Self| {
            let mut each = sum.each();
            each.retain(|_, reward| !reward.is_zero());
            each
        };
        some(self) == some(other)
    }
}

impl<N: Number> RoundRewards<N> {
    /// Over all rounds.
    pub(super) fn total(&self) -> N {
        let add = |sum: N, more: N| sum + more;
        let own = self.own.iter().map(|(_, reward)| reward.clone());
        let shared = self.shared.iter();
        let shared = shared.map(|(often, part)| often.clone() * part.total.clone());
        own.chain(shared).fold(N::zero(), add)
    }

    /// Adds to a round.
    pub(super) fn reward(&mut self, place: usize, reward: N) {
        match self.own.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(found) => self.own[found].1 += reward,
            Err(there) => self.own.insert(there, (place, reward)),
        }
        if self.own.len() > OWN {
            self.share();
        }
    }

    /// Adds what is expected with a probability.
    pub(super) fn add(&mut self, chance: &N, more: &Self) {
        for (often, part) in &more.shared {
            self.part(chance.clone() * often.clone(), part);
        }
        for (place, reward) in &more.own {
            if !reward.is_zero() {
                self.reward(*place, chance.clone() * reward.clone());
            }
        }
        if self.shared.len() > PARTS {
            let all = std::mem::take(self).each();
            self.own = all.into_iter().collect();
            self.share();
        }
    }

    fn part(&mut self, often: N, part: &Arc<SharedSum<N>>) {
        let same = |(_, other): &&mut (N, Arc<SharedSum<N>>)| Arc::ptr_eq(part, other);
        match self.shared.iter_mut().find(same) {
            Some((sum, _)) => *sum += often,
            None => self.shared.push((often, Arc::clone(part))),
        }
    }

    /// From here on what there is so far is shared.
    fn share(&mut self) {
        let heights = self.shared.iter().map(|(_, part)| part.height);
        let shared = SharedSum {
            total: self.total(),
            height: heights.max().unwrap_or(0) + 1,
            sum: std::mem::take(self),
        };
        self.shared.push((N::one(), Arc::new(shared)));
    }

    /// The rewards by place. Shared sums are taken from the highest down, so that each is looked
    /// at once, however many sums it is part of.
    pub(super) fn each(&self) -> BTreeMap<usize, N> {
        let mut found = BTreeMap::new();
        let mut open = BTreeMap::new();
        let one = N::one();
        let mut take = |often: &N, sum: &Self, open: &mut BTreeMap<_, (N, Arc<SharedSum<N>>)>| {
            for (place, reward) in &sum.own {
                let all = found.entry(*place).or_insert_with(N::zero);
                *all += often.clone() * reward.clone();
            }
            for (more, part) in &sum.shared {
                let more = often.clone() * more.clone();
                let key = (part.height, Arc::as_ptr(part) as usize);
                let known = open.entry(key);
                let (sum, _) = known.or_insert_with(|| (N::zero(), Arc::clone(part)));
                *sum += more;
            }
        };
        take(&one, self, &mut open);
        while let Some((_, (often, part))) = open.pop_last() {
            take(&often, &part.sum, &mut open);
        }
        found
    }

    /// Converts the numbers, and moves them to other places.
    pub(super) fn map<M: Number>(
        &self,
        convert: impl Fn(&N) -> M,
        place: impl Fn(usize) -> Option<usize>,
    ) -> RoundRewards<M> {
        let mut found = RoundRewards::default();
        for (at, reward) in self.each() {
            if let Some(at) = place(at) {
                found.reward(at, convert(&reward));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::number::Exact;

    /// A sum of 200 rounds in which each level is half of the one below it, twice, and a reward.
    #[test]
    fn a_shared_sum_is_the_plain_one() {
        let half = Exact::ratio(1, 2);
        let mut plain = vec![Exact::ratio(0, 1); 200];
        let mut sum = RoundRewards::default();
        for place in (0..200).rev() {
            let mut next = RoundRewards::default();
            next.add(&half, &sum);
            next.add(&Exact::ratio(1, 3), &sum);
            let reward = Exact::ratio(1, [1, 2, 3, 5, 7][place % 5]);
            next.reward(place, reward.clone());
            sum = next;
            for known in &mut plain {
                *known *= Exact::ratio(5, 6);
            }
            plain[place] += reward;
        }
        assert!(sum.own.len() <= OWN);
        let each: Vec<Exact> = sum.each().into_values().collect();
        assert_eq!(each, plain);
        assert_eq!(sum.total(), plain.into_iter().sum());
    }

    /// Sums of sums that have nothing in common do not pile up.
    #[test]
    fn many_parts_become_one() {
        let mut sum = RoundRewards::default();
        for part in 0..100 {
            let mut long = RoundRewards::default();
            for place in 0..=OWN {
                long.reward(place, Exact::ratio(part, 1));
            }
            sum.add(&Exact::ratio(1, 100), &long);
            assert!(sum.shared.len() <= PARTS);
        }
        let mean = Exact::ratio(4950, 100);
        assert!(sum.each().into_values().all(|reward| reward == mean));
    }
}
