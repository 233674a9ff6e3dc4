//! Provability (PE Definition 5.2): the proportion of instances in which a prover can answer every claim truly. The
//! prover has given knowledge and may query leaves before the debate.
//!
//! The prover's answers depend only on its knowledge and the queried leaves. A plan of queries therefore divides a
//! block of instances into cells. Instances are of the same kind if all their claims have the same truths. In each
//! cell, the prover can be right about all claims for one kind only. The best plan is found by dynamic programming over
//! sets of kinds. If there are too many sets, the result is a bracket.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::{One as _, Zero as _};

use debate_core::number::Exact;
use debate_core::scenario::{ClaimKey, Decomposition};

/// Maximum number of claims, over all instances, whose truths are compared.
const MAX_CLAIMS: usize = 4096;
/// Maximum number of instances for which [`proportion_by_knowledge`] computes the proportion that the prover can prove.
const MAX_INSTANCES: usize = 2000;
/// Maximum number of different instances in a block for which the best plan of queries is searched. Instances are
/// different if some claim's truth differs.
const MAX_KINDS: usize = 64;
/// Maximum number of results that the search for the best plan of queries stores: one for each set of kinds of
/// instances and each number of queries left.
const MAX_SETS: usize = 20_000;

/// A lower and an upper bound on a proportion of instances. They are equal if the proportion is exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvableProportionBounds {
    pub low: Exact,
    pub high: Exact,
}

impl ProvableProportionBounds {
    fn exactly(share: Exact) -> Self {
        Self {
            low: share.clone(),
            high: share,
        }
    }
}

/// Returns the probability that a prover can prove all claims of a problem about a hidden flaw. She reads the instance
/// and knows if it has a flaw. She queries single positions for the flaw, and then guesses its position. All possible
/// positions are equally likely. `None` if the problem is not to find a flaw.
pub fn proportion_by_queries(
    decomposition: &dyn Decomposition,
    queries: u32,
) -> Option<ProvableProportionBounds> {
    let decomposition = without_evidence(decomposition);
    let mut proved = Exact::zero();
    let mut all = Exact::zero();
    for (world, known) in decomposition.worlds().iter().enumerate() {
        let count = decomposition.flaw_position_count(world)?;
        // The last position needs no query: if the flaw is at no other position, it is there.
        let tried = BigUint::from(queries) + 1_u32;
        let share = if count <= tried {
            Exact::one()
        } else {
            Exact::new(tried.into(), count.into())
        };
        proved += &known.weight * share;
        all += &known.weight;
    }
    (!all.is_zero()).then(|| ProvableProportionBounds::exactly(proved / all))
}

/// Returns the proportion of instances in which a prover can prove all claims. She knows only the block of the
/// instance, and may query a number of leaves. `None` if there are too many claims or instances, or if some claims
/// cannot be decided.
pub fn proportion_by_knowledge(
    decomposition: &Arc<dyn Decomposition>,
    blocks: &[usize],
    queries: u32,
) -> Option<ProvableProportionBounds> {
    let decomposition = without_evidence(decomposition.as_ref());
    let worlds = decomposition.worlds();
    if worlds.len() > MAX_INSTANCES {
        return None;
    }
    let (claims, leaves) = claims(decomposition)?;
    let all: Exact = worlds.iter().map(|world| &world.weight).sum();
    let mut kinds: HashMap<(usize, Vec<bool>), Exact> = HashMap::new();
    for (world, known) in worlds.iter().enumerate() {
        let truths = claims
            .iter()
            .map(|key| decomposition.truth(key, world))
            .collect::<Option<Vec<bool>>>()?;
        *kinds.entry((blocks[world], truths)).or_default() += &known.weight / &all;
    }
    let mut of_block: HashMap<usize, Vec<Kind>> = HashMap::new();
    for ((block, truths), share) in kinds {
        let leaves = leaves.iter().map(|index| truths[*index]).collect();
        of_block
            .entry(block)
            .or_default()
            .push(Kind { share, leaves });
    }
    let mut total = ProvableProportionBounds::exactly(Exact::zero());
    for kinds in of_block.into_values() {
        let share = Block::of(kinds).share(queries);
        total.low += share.low;
        total.high += share.high;
    }
    Some(total)
}

/// Returns the decomposition without the pieces of evidence of `Stable`: these have the same truth as their claims.
fn without_evidence(decomposition: &dyn Decomposition) -> &dyn Decomposition {
    decomposition.as_stable().map_or(decomposition, |stable| {
        stable.original_decomposition().as_ref()
    })
}

/// Returns the different claims of all instances, and the indices of the leaves among them; `None` if there are too
/// many.
fn claims(decomposition: &dyn Decomposition) -> Option<(Vec<ClaimKey>, Vec<usize>)> {
    let mut claims = Vec::new();
    let mut leaves = Vec::new();
    let mut known = HashSet::new();
    for world in 0..decomposition.worlds().len() {
        let mut visited = HashSet::new();
        let mut open = vec![decomposition.root(world)];
        while let Some(key) = open.pop() {
            if !visited.insert(key.clone()) {
                continue;
            }
            let supports = decomposition.supports(&key, world);
            if known.insert(key.clone()) {
                if supports.is_empty() {
                    leaves.push(claims.len());
                }
                claims.push(key);
                if claims.len() > MAX_CLAIMS {
                    return None;
                }
            }
            open.extend(supports.into_iter().flat_map(|support| support.on));
        }
    }
    Some((claims, leaves))
}

/// The instances of a block in which all claims have the same truths.
#[derive(Clone, Debug)]
struct Kind {
    share: Exact,
    /// The truths of all leaves.
    leaves: Vec<bool>,
}

/// The instances of a block (which the prover cannot tell apart), in groups with equal truths of all claims ([`Kind`]).
/// The most probable group comes first.
#[derive(Debug)]
struct Block {
    kinds: Vec<Kind>,
    /// For each leaf, the set of groups in which the leaf is true, or the complement of this set, whichever is the
    /// smaller number. Leaves that distinguish the same groups are listed once. Empty if there are more than
    /// [`MAX_KINDS`] groups.
    splits: Vec<u64>,
    known: HashMap<(u64, u32), Exact>,
}

impl Block {
    fn of(mut kinds: Vec<Kind>) -> Self {
        kinds.sort_by(|one, other| (&other.share, &one.leaves).cmp(&(&one.share, &other.leaves)));
        let leaves = kinds.first().map_or(0, |kind| kind.leaves.len());
        let mut splits = HashSet::new();
        if kinds.len() <= MAX_KINDS {
            let every = mask(kinds.len());
            for leaf in 0..leaves {
                let each = kinds.iter().enumerate();
                let holding = each
                    .filter(|(_, kind)| kind.leaves[leaf])
                    .fold(0, |set, (index, _)| set | 1 << index);
                // Querying a leaf is the same as querying its negation.
                splits.insert(u64::min(holding, every & !holding));
            }
            splits.remove(&0);
        }
        let mut splits: Vec<u64> = splits.into_iter().collect();
        splits.sort_unstable();
        Self {
            kinds,
            splits,
            known: HashMap::new(),
        }
    }

    fn share(mut self, queries: u32) -> ProvableProportionBounds {
        if self.kinds.len() <= MAX_KINDS
            && let Some(share) = self.best_proportion(mask(self.kinds.len()), queries)
        {
            return ProvableProportionBounds::exactly(share);
        }
        // The prover is right about one kind in each cell, and the number of cells is at most the number of outcomes of
        // the queries.
        let most = |cells: usize| -> Exact {
            let kinds = self.kinds.iter().take(cells);
            kinds.map(|kind| &kind.share).sum()
        };
        let cells = 1_usize.checked_shl(queries).unwrap_or(usize::MAX);
        ProvableProportionBounds {
            low: most(1),
            high: most(cells),
        }
    }

    /// Returns the best total proportion that a prover can prove in a set of groups, with `queries` queries left.
    /// `None` if there are too many sets.
    fn best_proportion(&mut self, set: u64, queries: u32) -> Option<Exact> {
        let heaviest = || self.kinds[set.trailing_zeros() as usize].share.clone();
        if queries == 0 || set.count_ones() <= 1 {
            return Some(if set == 0 { Exact::zero() } else { heaviest() });
        }
        if let Some(known) = self.known.get(&(set, queries)) {
            return Some(known.clone());
        }
        if self.known.len() >= MAX_SETS {
            return None;
        }
        let mut best = heaviest();
        for split in self.splits.clone() {
            let inside = set & split;
            let outside = set & !split;
            if inside != 0 && outside != 0 {
                let share = self.best_proportion(inside, queries - 1)?
                    + self.best_proportion(outside, queries - 1)?;
                best = best.max(share);
            }
        }
        self.known.insert((set, queries), best.clone());
        Some(best)
    }
}

/// Returns the set that contains the first `kinds` groups.
fn mask(kinds: usize) -> u64 {
    u64::MAX
        .checked_shr(64 - u32::try_from(kinds).unwrap_or(64))
        .unwrap_or(0)
}
