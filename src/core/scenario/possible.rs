//! The instances that somebody thinks possible.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

use super::belief::{Belief, PlaceCount};
use super::instance::{ClaimId, Instance};
use super::key::ClaimKey;
use crate::number::{Exact, Number as _};

/// Truths that are supposed.
#[derive(Clone, Debug)]
pub(super) enum SupposedTruths {
    /// The one flaw is in this place; `None`: there is none.
    Flaw(Option<BigUint>),
    /// These claims have these truths.
    Truths(Arc<HashMap<ClaimKey, bool>>),
}

impl SupposedTruths {
    pub(super) fn truth(&self, key: &ClaimKey) -> Option<bool> {
        match (self, key.span()) {
            (Self::Flaw(place), Some(span)) => {
                let within = |place: &BigUint| span.0 <= *place && *place <= span.1;
                Some(!place.as_ref().is_some_and(within))
            }
            (Self::Flaw(place), None) => Some(place.is_none()),
            (Self::Truths(truths), _) => truths.get(key.claim()).copied(),
        }
    }
}

impl Instance {
    /// Every instance of μ with its probability; `None` where they are more than so many.
    pub fn of_distribution(&self, most: usize) -> Option<Vec<(Exact, Self)>> {
        let worlds = self.decomposition().worlds();
        let weights = worlds.iter().map(|world| world.weight.clone());
        self.worlds(weights.enumerate().collect(), most)
    }

    /// Every instance that a player thinks possible who cannot decide claims and is told what the
    /// scenario grants such a player (`estimator_knows`), with its probability; `None` where they
    /// are more than so many. This instance itself need not be among them: of a single number,
    /// whose divisor is not known, there is one for each place where it may be.
    pub fn believed(&self, most: usize) -> Option<Vec<(Exact, Self)>> {
        match self.decomposition().belief(self.world()) {
            Belief::Worlds(worlds) => {
                let exact = |(world, weight): (usize, crate::number::Known)| {
                    (world, weight.exact().clone())
                };
                self.worlds(worlds.into_iter().map(exact).collect(), most)
            }
            Belief::Place { none, count, all } => {
                let places = places(&count, &all, most)?;
                let share = (Exact::one() - &none)
                    / Exact::ratio(i64::try_from(places.len()).ok()?.max(1), 1);
                let flaws = places.into_iter().map(|place| (share.clone(), Some(place)));
                let each = std::iter::once((none.clone(), None)).chain(flaws);
                let each = each.filter(|(chance, _)| !chance.is_zero());
                let supposed = each.map(|(chance, place)| {
                    (
                        chance,
                        self.with_supposed_truths(Some(SupposedTruths::Flaw(place))),
                    )
                });
                Some(supposed.collect())
            }
            Belief::Each { root, other } => self.each(&root, &other, most),
        }
    }

    /// Every instance that a seat (prover 0, opponent 1, judge 2) cannot tell from this one, with
    /// its probability: the block that the scenario says, else for an opponent [`Self::believed`],
    /// for others all of μ. `None` where they are more than so many.
    pub fn known_to(&self, seat: usize, most: usize) -> Option<Vec<(Exact, Self)>> {
        match self.block(seat) {
            Some(block) => {
                let exact = |(world, weight): (usize, crate::number::Known)| {
                    (world, weight.exact().clone())
                };
                self.worlds(block.into_iter().map(exact).collect(), most)
            }
            None if seat == 1 => self.believed(most),
            None => self.of_distribution(most),
        }
    }

    fn worlds(&self, weights: Vec<(usize, Exact)>, most: usize) -> Option<Vec<(Exact, Self)>> {
        if weights.len() > most {
            return None;
        }
        let all: Exact = weights.iter().map(|(_, weight)| weight).sum();
        let each = weights.into_iter().filter(|(_, weight)| !weight.is_zero());
        let each = each.map(|(world, weight)| (weight / &all, self.in_world(world)));
        Some(each.collect())
    }

    /// Every way in which claims may be true, each by itself.
    fn each(&self, root: &Exact, other: &Exact, most: usize) -> Option<Vec<(Exact, Self)>> {
        let mut keys: Vec<ClaimKey> = Vec::new();
        let mut open: Vec<ClaimId> = vec![self.root()];
        while let Some(claim) = open.pop() {
            let key = self.key(claim).claim();
            if keys.contains(key) {
                continue;
            }
            keys.push(key.clone());
            if keys.len() > most {
                return None;
            }
            let supports = self.supports(claim).iter();
            open.extend(supports.flat_map(|support| &support.on));
        }
        let mut found: Vec<(Exact, HashMap<ClaimKey, bool>)> = vec![(Exact::one(), HashMap::new())];
        for (place, key) in keys.into_iter().enumerate() {
            let p = if place == 0 { root } else { other };
            let sides = [(true, p.clone()), (false, Exact::one() - p)];
            let sides = sides.iter().filter(|(_, share)| !share.is_zero());
            let with = |(truth, share): &(bool, Exact)| {
                let longer = found.iter().map(|(chance, truths)| {
                    let mut truths = truths.clone();
                    truths.insert(key.clone(), *truth);
                    (chance * share, truths)
                });
                longer.collect::<Vec<_>>()
            };
            found = sides.flat_map(with).collect();
            if found.len() > most {
                return None;
            }
        }
        let supposed = found.into_iter().map(|(chance, truths)| {
            let truths = SupposedTruths::Truths(Arc::new(truths));
            (chance, self.with_supposed_truths(Some(truths)))
        });
        Some(supposed.collect())
    }
}

/// The places where a flaw may be; `None` where they are more than so many.
fn places(count: &PlaceCount, all: &(BigUint, BigUint), most: usize) -> Option<Vec<BigUint>> {
    let (first, last) = all;
    let places: Vec<BigUint> = match count {
        PlaceCount::Primes(primes) => {
            let each = primes.iter().map(|prime| BigUint::from(*prime));
            let within = each.filter(|prime| first <= prime && prime <= last);
            within.take(most + 1).collect()
        }
        PlaceCount::Integers => {
            let number = (last + 1_u32 - first).to_usize()?;
            (0..number.min(most + 1))
                .map(|place| first + place)
                .collect()
        }
    };
    (places.len() <= most).then_some(places)
}
