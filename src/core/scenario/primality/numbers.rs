//! Which numbers are asked about: those of a list, of a range, or products that are made.

use std::collections::{BTreeMap, HashSet};

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::number::{self, TestedNumber};
use super::{MAX_INSTANCES, MAX_NUMBER_BITS, Numbers, shortened};
use crate::chance::{Draws, Seed, Stream};
use crate::scenario::flaw::{Flaw, Path};

/// The numbers, tested; never none.
pub(super) fn tested(numbers: Numbers, at: &Path) -> Result<Vec<TestedNumber>, Flaw> {
    let too_many = |count: &dyn std::fmt::Display| {
        at.flaw(format_args!(
            "{count} numbers are too many; at most {MAX_INSTANCES} are taken"
        ))
    };
    match numbers {
        Numbers::List(list) if list.is_empty() => Err(at.flaw("give at least one number")),
        Numbers::List(list) if list.len() > MAX_INSTANCES => Err(too_many(&list.len())),
        Numbers::List(list) => {
            if let Some(long) = list.iter().find(|n| n.bits() > MAX_NUMBER_BITS) {
                return Err(at.flaw(format_args!(
                    "a number of {} bits is too long; at most {MAX_NUMBER_BITS} are taken",
                    long.bits()
                )));
            }
            let mut seen = HashSet::new();
            if let Some(twice) = list.iter().find(|n| !seen.insert(*n)) {
                return Err(at.flaw(format_args!("{} stands twice", shortened(twice))));
            }
            Ok(list.into_iter().map(TestedNumber::new).collect())
        }
        Numbers::Between(low, high) => {
            if low > high {
                return Err(at.flaw("Between takes the smaller number first"));
            }
            if high.bits() > 64 {
                return Err(at.flaw("Between takes numbers below 2^64"));
            }
            let count = &high - &low + 1_u32;
            if count > BigUint::from(MAX_INSTANCES) {
                return Err(too_many(&count));
            }
            let mut list = Vec::new();
            let mut n = low;
            while n <= high {
                list.push(TestedNumber::new(n.clone()));
                n += 1_u32;
            }
            Ok(list)
        }
        Numbers::Semiprimes { bits, count } => {
            if !(6..=MAX_NUMBER_BITS).contains(&u64::from(bits)) || bits % 2 == 1 {
                return Err(at.flaw(format_args!(
                    "Semiprimes takes an even number of bits from 6 to {MAX_NUMBER_BITS}"
                )));
            }
            if count == 0 || count as usize > MAX_INSTANCES {
                return Err(at.flaw(format_args!(
                    "Semiprimes takes a count from 1 to {MAX_INSTANCES}"
                )));
            }
            semiprimes(bits, count).ok_or_else(|| {
                at.flaw(format_args!(
                    "there are fewer than {count} products of {bits} bits"
                ))
            })
        }
    }
}

/// Distinct products of two primes of `bits / 2` bits, both with their top two bits set.
fn semiprimes(bits: u32, count: u32) -> Option<Vec<TestedNumber>> {
    let seed = Seed::new(format!("semiprimes {bits} {count}"))?;
    let mut draws = Draws::private(&seed, Stream::Instance, 0);
    let mut ordinal = 0;
    let mut prime = || {
        let half = u64::from(bits / 2);
        loop {
            let mut candidate = BigUint::zero();
            for _ in 0..half.div_ceil(32) {
                candidate = (candidate << 32) + (draws.at(ordinal) & 0xffff_ffff);
                ordinal += 1;
            }
            candidate %= BigUint::one() << half;
            candidate.set_bit(0, true);
            candidate.set_bit(half - 1, true);
            candidate.set_bit(half - 2, true);
            if number::is_prime(&candidate) {
                return candidate;
            }
        }
    };
    let mut found = BTreeMap::new();
    let mut tries = 0_u32;
    while found.len() < count as usize {
        tries += 1;
        if tries > 100 * count + 1000 {
            return None;
        }
        let (p, q) = (prime(), prime());
        found
            .entry(&p * &q)
            .or_insert_with(|| TestedNumber::semiprime(p, q));
    }
    Some(found.into_values().collect())
}
