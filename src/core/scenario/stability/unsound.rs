//! Hypotheses of soundness that a decomposition may break: supports that do not carry their claim, and
//! leaves that read bits which the prover writes.

use std::collections::HashSet;
use std::sync::Arc;

use super::survey::name;
use crate::scenario::{Decomposition, Informed, Instance, Oracle};

/// A support from whose subclaims the claim does not follow: the gate over their truths says
/// something else than the claim's own truth, or may do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsound {
    /// The claim in the scenario's id for it, else in few words.
    pub claim: String,
    /// The support's label, else its number from 1.
    pub support: String,
    /// The instance of μ in which it was met first.
    pub instance: String,
}

/// The first `most` unsound supports that the prover may choose, each told once; at most `claims`
/// claims are looked at. Soundness (PE Definition 5.1), and that plain recursion catches every liar
/// before a challenger who knows every truth, take that there are none.
pub fn unsound(
    decomposition: &Arc<dyn Decomposition>,
    oracle: &Oracle,
    most: usize,
    claims: usize,
) -> Vec<Unsound> {
    // Pieces of evidence for one claim are alike.
    let decomposition = decomposition
        .as_stable()
        .map_or(decomposition, |stable| stable.of());
    let (mut found, mut left) = (Vec::<Unsound>::new(), claims);
    for (number, world) in decomposition.worlds().iter().enumerate() {
        let instance = Instance::new(Arc::clone(decomposition), number, oracle.clone());
        let informed = Informed::new(&instance);
        let mut met = HashSet::from([instance.root()]);
        let mut open = vec![instance.root()];
        while let Some(claim) = open.pop() {
            if left == 0 || found.len() == most {
                return found;
            }
            left -= 1;
            for (place, support) in instance.supports(claim).iter().enumerate() {
                open.extend(support.on.iter().filter(|below| met.insert(**below)));
                // Of a claim that cannot be decided nobody can tell.
                if informed.is_sound(support) || informed.truth(claim).is_none() {
                    continue;
                }
                let label = instance.label(claim, place).map(str::to_owned);
                let one = Unsound {
                    claim: name(&instance, claim),
                    support: label.unwrap_or_else(|| (place + 1).to_string()),
                    instance: world.name.clone(),
                };
                let known = |it: &Unsound| it.claim == one.claim && it.support == one.support;
                if !found.iter().any(known) && found.len() < most {
                    found.push(one);
                }
            }
        }
    }
    found
}

/// The first leaf that reads proof bits, in the scenario's id for it, else in few words; at most
/// `claims` claims are looked at. Whoever claims the opposite of the root may give other bits, so
/// soundness (PE equation 10) takes that there is none, or that the claim fixes the machine that is
/// debated.
pub fn leaf_that_reads(
    decomposition: &Arc<dyn Decomposition>,
    oracle: &Oracle,
    claims: usize,
) -> Option<String> {
    let decomposition = decomposition
        .as_stable()
        .map_or(decomposition, |stable| stable.of());
    decomposition.as_proof()?;
    let mut left = claims;
    for number in 0..decomposition.worlds().len() {
        let instance = Instance::new(Arc::clone(decomposition), number, oracle.clone());
        let mut met = HashSet::from([instance.root()]);
        let mut open = vec![instance.root()];
        while let Some(claim) = open.pop() {
            if !instance.reads(claim).is_empty() {
                return Some(name(&instance, claim));
            }
            left = left.checked_sub(1)?;
            let below = instance
                .supports(claim)
                .iter()
                .flat_map(|support| &support.on);
            open.extend(below.filter(|below| met.insert(**below)));
        }
    }
    None
}
