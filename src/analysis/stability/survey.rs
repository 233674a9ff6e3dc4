//! Stability and provability of a whole decomposition, over all of μ.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use num_traits::Zero as _;

use super::from_truths;
use crate::gate::Gate;
use crate::number::{Exact, Number as _};
use crate::scenario::{ClaimId, Decomposition, Informed, Instance, Oracle, Support};

/// The support that moves the most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// The claim in the scenario's id for it, else in few words.
    pub claim: String,
    /// The instance of μ.
    pub instance: String,
    /// The gate.
    pub gate: Gate,
    /// How many subclaims it has.
    pub width: usize,
    /// How many of them the estimator moves: those whose errors change the gate.
    pub moved: usize,
    /// The supremum of |P_p − P_q| (PE Definition 5.3).
    pub deviation: Exact,
}

/// What was found on every claim that honest Alice can be led to: those below sound supports.
/// Supports that do not carry their claim are no part of the decomposition, since she never
/// chooses one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The worst support; `None` where there is none, the root being a leaf.
    pub worst: Option<Worst>,
    /// What it may move: ρε.
    pub allowed: Exact,
    /// Every kind of support that was met, with the truths of its subclaims.
    pub supports: Vec<(Gate, Vec<bool>)>,
    /// The share of μ on which every support stays below ρε.
    pub stable: Exact,
    /// The share of μ on which honest Alice answers every such claim truly and has a sound support
    /// for each.
    pub provable: Exact,
    /// The greatest chance of the oracle's being wrong on a leaf; `None` where it cannot know one.
    pub oracle_error: Option<Exact>,
    /// The most proof bits that a leaf reads.
    pub bits_read: usize,
    /// A claim without a sound support, if there is one.
    pub unsupported: Option<String>,
    /// Whether some claims cannot be decided, so that nobody can tell.
    pub undecided: bool,
    /// Whether every claim was looked at; else the shares are of what was.
    pub complete: bool,
}

impl Survey {
    /// Whether it is stable on all of μ; `None` where that is not known.
    #[must_use]
    pub fn is_stable(&self) -> Option<bool> {
        let above = |worst: &Worst| worst.deviation > self.allowed;
        if self.worst.as_ref().is_some_and(above) {
            return Some(false);
        }
        (self.complete && !self.undecided).then_some(true)
    }
}

/// Looks at every claim of every instance, at most `claims` in all.
#[must_use]
pub fn survey(
    decomposition: &Arc<dyn Decomposition>,
    oracle: &Oracle,
    (epsilon, rho): (&Exact, &Exact),
    claims: usize,
) -> Survey {
    let mut surveyor = Surveyor {
        epsilon,
        left: claims,
        known: HashMap::new(),
        found: Survey {
            worst: None,
            allowed: rho * epsilon,
            supports: Vec::new(),
            stable: Exact::zero(),
            provable: Exact::zero(),
            oracle_error: Some(Exact::zero()),
            bits_read: 0,
            unsupported: None,
            undecided: false,
            complete: true,
        },
    };
    let (mut stable, mut provable, mut all) = (Exact::zero(), Exact::zero(), Exact::zero());
    for (number, world) in decomposition.worlds().iter().enumerate() {
        if surveyor.left == 0 {
            surveyor.found.complete = false;
            break;
        }
        let instance = Instance::new(Arc::clone(decomposition), number, oracle.clone());
        let (is_stable, is_provable) = surveyor.world(&instance);
        all += &world.weight;
        if is_stable {
            stable += &world.weight;
        }
        if is_provable {
            provable += &world.weight;
        }
    }
    let mut found = surveyor.found;
    if !all.is_zero() {
        found.stable = stable / &all;
        found.provable = provable / all;
    }
    found
}

struct Surveyor<'p> {
    epsilon: &'p Exact,
    /// How many more claims may be looked at.
    left: usize,
    /// What was found of each kind of support.
    known: HashMap<(Gate, Vec<bool>), Exact>,
    found: Survey,
}

impl Surveyor<'_> {
    /// Whether an instance is stable, and provable.
    fn world(&mut self, instance: &Instance) -> (bool, bool) {
        let (mut stable, mut provable) = (true, true);
        let mut met = HashSet::from([instance.root()]);
        let mut open = vec![instance.root()];
        while let Some(claim) = open.pop() {
            if self.left == 0 {
                self.found.complete = false;
                break;
            }
            self.left -= 1;
            if instance.truth(claim).is_none() {
                self.found.undecided = true;
                provable = false;
            }
            if instance.is_leaf(claim) {
                self.leaf(instance, claim);
                continue;
            }
            let informed = Informed::new(instance);
            let sound = |support: &&Support| informed.is_sound(support);
            let mut supports = instance.supports(claim).iter().filter(sound).peekable();
            if supports.peek().is_none() {
                provable = false;
                let name = || name(instance, claim);
                self.found.unsupported.get_or_insert_with(name);
            }
            for support in supports {
                stable &= self.support(instance, claim, support);
                open.extend(support.on.iter().filter(|below| met.insert(**below)));
            }
        }
        (stable, provable)
    }

    fn leaf(&mut self, instance: &Instance, leaf: ClaimId) {
        let reads = instance.reads(leaf);
        self.found.bits_read = self.found.bits_read.max(reads.len());
        let bits: Vec<bool> = reads.iter().map(|bit| instance.bit_truth(*bit)).collect();
        let error = match (instance.truth(leaf), instance.oracle(leaf, &bits)) {
            (Some(true), Some(yes)) => Some(Exact::ratio(1, 1) - yes.exact()),
            (Some(false), Some(yes)) => Some(yes.exact().clone()),
            _ => None,
        };
        self.found.oracle_error = match (self.found.oracle_error.take(), error) {
            (Some(most), Some(error)) => Some(most.max(error)),
            _ => None,
        };
    }

    /// Whether a support stays below ρε.
    fn support(&mut self, instance: &Instance, claim: ClaimId, support: &Support) -> bool {
        let truths: Option<Vec<bool>> = support.on.iter().map(|y| instance.truth(*y)).collect();
        let Some(truths) = truths else {
            self.found.undecided = true;
            return false;
        };
        let ones = truths.iter().filter(|truth| **truth).count();
        // Of a gate that counts, the number of true subclaims is all there is to know.
        let kind = if support.gate.is_symmetric() {
            let counted = (0..truths.len()).map(|place| place < ones).collect();
            (support.gate.clone(), counted)
        } else {
            (support.gate.clone(), truths)
        };
        let deviation = match self.known.get(&kind) {
            Some(known) => Some(known.clone()),
            None => from_truths(&kind.0, &kind.1, self.epsilon).inspect(|found| {
                self.found.supports.push(kind.clone());
                self.known.insert(kind, found.clone());
            }),
        };
        // A gate that does not fit its subclaims is refused where scenarios are read.
        let Some(deviation) = deviation else {
            self.found.undecided = true;
            return false;
        };
        // At the truth the supremum is never attained, so ρε itself is below.
        let stable = deviation <= self.found.allowed;
        let worse = |worst: &Worst| deviation > worst.deviation;
        if self.found.worst.as_ref().is_none_or(worse) {
            self.found.worst = Some(Worst {
                claim: name(instance, claim),
                instance: instance.name().to_owned(),
                gate: support.gate.clone(),
                width: support.on.len(),
                moved: moved(&support.gate, support.on.len(), ones),
                deviation,
            });
        }
        stable
    }
}

fn name(instance: &Instance, claim: ClaimId) -> String {
    let id = instance.id(claim).map(str::to_owned);
    id.unwrap_or_else(|| instance.short_text(claim))
}

/// How many subclaims stand in the way of a flip.
fn moved(gate: &Gate, width: usize, ones: usize) -> usize {
    let least = match gate {
        Gate::All => width,
        Gate::Any => 1,
        Gate::Majority => width / 2 + 1,
        Gate::AtLeast(least) => *least as usize,
        Gate::Not | Gate::Xor | Gate::Table(_) => return width,
    };
    if ones >= least { ones } else { width - ones }
}
