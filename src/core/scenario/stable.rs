//! Decompositions made stable by independent evidence (PE Definition 8.2 and Theorem 8.3).
//!
//! In every support M(y_1 … y_w), each subclaim y_i is replaced by the majority of κ independent pieces of evidence for
//! y_i. Each piece is debated as y_i would be, with its own pieces of evidence for its subclaims. So κ^d pieces replace
//! a claim at depth d, and each piece is judged separately. A piece is created when it is requested; pieces that are
//! never requested use no memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use num_bigint::BigUint;
use num_traits::{ToPrimitive as _, Zero as _};

use super::decomposition::{
    ClaimDetailsInFile, Decomposition, DecompositionSize, LevelClaimAndLeafCounts, PossibleWorld,
    ProblemSupport, ProofReadByLeaves,
};
use super::key::{ClaimKey, ClaimKeyContent};
use super::{ScenarioValueError, ScenarioValuePath};
use crate::gate::GateError;
use crate::text::{number_in_words, ordinal};

/// A decomposition in which a majority of independent pieces of evidence replaces each subclaim.
#[derive(Debug)]
pub struct StableProblem {
    of: Arc<dyn Decomposition>,
    copies: u32,
    sizes: Box<[OnceLock<DecompositionSize>]>,
    /// Cached numbers of leaves below claims, by claim and instance of μ.
    leaves: Mutex<HashMap<(ClaimKey, usize), u64>>,
}

impl StableProblem {
    /// Builds the decomposition `of` with `copies` pieces of evidence in place of each subclaim.
    ///
    /// # Errors
    /// Returns an error if `copies` is even, if the problem has no claims under gates, if the prover writes claims, or
    /// if the decomposition is already stable. `at` is the path of the decomposition.
    pub fn build(
        of: Arc<dyn Decomposition>,
        copies: u32,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        Self::check_can_be_stable(of.as_ref(), at)?;
        if copies.is_multiple_of(2) {
            return Err(at.error_at_path(GateError::Even(copies)));
        }
        let sizes = of.worlds().iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            of,
            copies,
            sizes,
            leaves: Mutex::default(),
        })
    }

    /// Checks that a decomposition can be made stable.
    ///
    /// # Errors
    /// Returns the errors of [`Self::build`], except the one about `copies`.
    pub fn check_can_be_stable(
        of: &dyn Decomposition,
        at: &ScenarioValuePath,
    ) -> Result<(), ScenarioValueError> {
        if !of.can_split_root() {
            return Err(at.error_at_path(
                "this problem has no claims under gates that evidence could support; use a \
                 decomposition that has some, such as `Stable(copies: 5, of: Halves)`, or remove \
                 `decomposition`",
            ));
        }
        if of.as_open().is_some() {
            return Err(at.error_at_path(
                "claims that the prover writes have no evidence to multiply; remove \
                 `decomposition` or `open`",
            ));
        }
        match of.as_stable() {
            Some(_) => Err(at.error_at_path(
                "this decomposition is already `Stable`; write Stable once, with more copies",
            )),
            None => Ok(()),
        }
    }

    /// Returns the original decomposition, without pieces of evidence.
    pub fn original_decomposition(&self) -> &Arc<dyn Decomposition> {
        &self.of
    }

    /// Returns κ, the number of pieces of evidence for each subclaim.
    pub fn evidence_copies_per_subclaim(&self) -> u32 {
        self.copies
    }

    /// Returns the total number of claims if κ^k pieces of evidence replace each claim on level k. `levels` has the
    /// number of claims on each level of the original decomposition. The same holds for leaves.
    fn in_pieces<'l>(&self, levels: impl DoubleEndedIterator<Item = &'l BigUint>) -> BigUint {
        let deeper = |sum: BigUint, level: &BigUint| sum * self.copies + level;
        levels.rev().fold(BigUint::zero(), deeper)
    }

    /// Describes a piece of evidence by its number: "the second of five independent pieces of evidence". `None` for the
    /// root, and if there is only one piece per claim.
    fn piece_text(&self, key: &ClaimKey) -> Option<String> {
        let piece = *path(key).last()?;
        (self.copies > 1).then(|| {
            format!(
                "the {piece_ordinal} of {piece_count} independent pieces of evidence",
                piece_ordinal = ordinal(piece + 1),
                piece_count = number_in_words(self.copies)
            )
        })
    }
}

/// Returns, for each level from the root down to the claim, the number of the piece of evidence that contains the
/// claim.
fn path(key: &ClaimKey) -> &[u32] {
    match &key.0 {
        ClaimKeyContent::Piece(piece) => &piece.1,
        _ => &[],
    }
}

impl Decomposition for StableProblem {
    fn problem(&self) -> Option<&dyn Decomposition> {
        Some(&*self.of)
    }

    fn worlds(&self) -> &[PossibleWorld] {
        self.of.worlds()
    }

    fn root(&self, world: usize) -> ClaimKey {
        self.of.root(world)
    }

    fn supports(&self, key: &ClaimKey, world: usize) -> Vec<ProblemSupport> {
        let pieces = |of: &ClaimKey| {
            let piece = |number| {
                let mut numbers = path(key).to_vec();
                numbers.push(number);
                ClaimKey(ClaimKeyContent::Piece(Box::new((of.clone(), numbers))))
            };
            (0..self.copies).map(piece).collect::<Vec<_>>()
        };
        let supports = self
            .of
            .supports(key.claim_key_behind_evidence(), world)
            .into_iter();
        supports
            .map(|draft| ProblemSupport {
                gate: draft.gate.with_majority_at_each_input(self.copies),
                on: draft.on.iter().flat_map(pieces).collect(),
                sound: draft.sound,
            })
            .collect()
    }

    fn truth(&self, key: &ClaimKey, world: usize) -> Option<bool> {
        self.of.truth(key.claim_key_behind_evidence(), world)
    }

    fn is_decidable(&self, world: usize) -> bool {
        self.of.is_decidable(world)
    }

    fn size(&self, world: usize) -> DecompositionSize {
        let size = || {
            let size = self.of.size(world);
            let levels = self
                .of
                .levels(&self.of.root(world), world, usize::MAX)
                .unwrap_or_default();
            DecompositionSize {
                depth: size.depth,
                width: size.width.saturating_mul(self.copies),
                claims: self.in_pieces(levels.iter().map(|level| &level.claims)),
                leaves: self.in_pieces(levels.iter().map(|level| &level.leaves)),
            }
        };
        let kept = self.sizes.get(world);
        kept.map_or_else(size, |kept| kept.get_or_init(size).clone())
    }

    fn levels(
        &self,
        key: &ClaimKey,
        world: usize,
        most: usize,
    ) -> Option<Vec<LevelClaimAndLeafCounts>> {
        let mut levels = self
            .of
            .levels(key.claim_key_behind_evidence(), world, most)?;
        let mut pieces = BigUint::from(1_u32);
        for level in &mut levels {
            level.claims *= &pieces;
            level.leaves *= &pieces;
            pieces *= self.copies;
        }
        Some(levels)
    }

    fn leaf_count_under(&self, key: &ClaimKey, world: usize) -> u64 {
        let key = key.claim_key_behind_evidence();
        let mut known = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(leaves) = known.get(&(key.clone(), world)) {
            return *leaves;
        }
        let levels = self.of.levels(key, world, usize::MAX).unwrap_or_default();
        let leaves = self
            .in_pieces(levels.iter().map(|level| &level.leaves))
            .to_u64()
            .unwrap_or(u64::MAX);
        known.insert((key.clone(), world), leaves);
        leaves
    }

    fn text(&self, key: &ClaimKey, world: usize) -> String {
        let text = self.of.text(key.claim_key_behind_evidence(), world);
        let Some(piece) = self.piece_text(key) else {
            return text;
        };
        // The piece is named before the full stop of a sentence.
        match text.strip_suffix('.') {
            Some(text) => format!("{text}, by {piece}."),
            None => format!("{text}, by {piece}"),
        }
    }

    fn short_text(&self, key: &ClaimKey, world: usize) -> String {
        let text = self.of.short_text(key.claim_key_behind_evidence(), world);
        match path(key).last() {
            Some(piece) if self.copies > 1 => {
                format!("{text} ({} of {})", piece + 1, self.copies)
            }
            _ => text,
        }
    }

    fn evidence(&self, key: &ClaimKey, world: usize) -> Option<String> {
        let evidence = self.of.evidence(key.claim_key_behind_evidence(), world);
        let Some(piece) = self.piece_text(key) else {
            return evidence;
        };
        let alone = format!("This is {piece}. Judge this piece on its own.");
        Some(match evidence {
            Some(evidence) => format!("{alone}\n{evidence}"),
            None => alone,
        })
    }

    fn as_stable(&self) -> Option<&StableProblem> {
        Some(self)
    }

    fn as_annotated(&self) -> Option<&dyn ClaimDetailsInFile> {
        self.of.as_annotated()
    }

    fn as_proof(&self) -> Option<&dyn ProofReadByLeaves> {
        self.of.as_proof()
    }
}
