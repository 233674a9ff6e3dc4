//! The decomposition of a computation's transcript into blocks of steps (PE §5). The root claim is split into claims
//! that the steps from a to b are right, down to single steps.
//!
//! The proof consists of the witness, if there is one, and the transcript. A leaf reads the bit of its step and the
//! proof bits that the step depends on; the prover gives them. Bits of the input are read from the input. The leaf's
//! check: the step's rule gives its bit. The leaf of the last step also checks that its bit is 1.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use super::decomposition::{
    BitId, CarefulReaderEstimate, ClaimDetailsInFile, Decomposition, DecompositionSize,
    LevelClaimAndLeafCounts, PossibleWorld, ProblemSupport, ProofReadByLeaves,
    balanced_tree_levels, balanced_tree_size,
};
use super::key::{ClaimKey, ClaimKeyContent};
use super::{BitSource, Computation, RequiredStepOutput, ScenarioValueError, ScenarioValuePath};
use crate::bits::BitString;
use crate::gate::Gate;
use crate::number::Exact;

/// A problem whose root claim is decomposed into claims about blocks of its computation's transcript.
#[derive(Debug)]
pub struct ComputationTranscriptDecomposition {
    problem: Arc<dyn Decomposition>,
    width: u32,
    /// For each instance of μ, the computation and its true proof (witness and transcript).
    worlds: Box<[OnceLock<Option<ComputationProof>>]>,
}

/// The computation of one world.
#[derive(Debug)]
struct ComputationProof {
    computation: Arc<dyn Computation>,
    steps: u64,
    /// The witness, and the true transcript for this witness; `None` if an oracle's answer is unknown.
    proof: OnceLock<Option<(BitString, BitString)>>,
}

impl ComputationProof {
    fn new(computation: Arc<dyn Computation>) -> Option<Self> {
        let steps = computation.steps();
        let bits = steps.checked_add(computation.witness_length())?;
        (steps > 0 && BitId::try_from(bits).is_ok()).then(|| Self {
            computation,
            steps,
            proof: OnceLock::new(),
        })
    }

    fn proof(&self) -> Option<&(BitString, BitString)> {
        let proof = self.proof.get_or_init(|| {
            let witness = self.computation.witness();
            let transcript = self.computation.transcript(&witness)?;
            Some((witness, transcript))
        });
        proof.as_ref()
    }

    /// Returns the number of the proof bit that comes from this source; `None` for a bit of the input.
    fn bit(&self, source: BitSource) -> Option<BitId> {
        let bit = match source {
            BitSource::Input(_) => return None,
            BitSource::Step(step) => step,
            BitSource::Witness(place) => self.steps + place,
        };
        BitId::try_from(bit).ok()
    }

    fn bit_name(&self, bit: BitId) -> String {
        let bit = u64::from(bit);
        match bit.checked_sub(self.steps) {
            None => format!("step {bit}"),
            Some(place) => self.computation.source_text(BitSource::Witness(place)),
        }
    }

    fn reads(&self, step: u64) -> Vec<BitId> {
        let mut sources = Vec::new();
        self.computation.reads(step, &mut sources);
        let own = BitId::try_from(step).ok().into_iter();
        let others = sources.into_iter().filter_map(|source| self.bit(source));
        own.chain(others).collect()
    }

    fn check(&self, step: u64, bits: &[bool]) -> bool {
        let mut given = bits.iter().copied();
        let Some(own) = given.next() else {
            return false;
        };
        let mut sources = Vec::new();
        self.computation.reads(step, &mut sources);
        let read: Vec<bool> = sources
            .into_iter()
            .map(|source| match source {
                BitSource::Input(place) => self.computation.input(place),
                _ => given.next().unwrap_or(false),
            })
            .collect();
        let follows = match self.computation.rule(step, &read) {
            RequiredStepOutput::Value(value) => value == own,
            RequiredStepOutput::Oracle(claim) => self.computation.answer(&claim) == Some(own),
        };
        follows && (own || step + 1 < self.steps)
    }
}

impl ComputationTranscriptDecomposition {
    /// Builds the decomposition of a problem whose computation's transcript is split into `width` blocks. Each block is
    /// split again, down to single steps.
    ///
    /// # Errors
    /// Returns an error if `width` is less than 2, or if the problem is not a computation. Also returns an error if the
    /// first instance's computation has no steps, or 2³² or more steps and witness bits together. `at` is the path of
    /// the decomposition.
    pub fn build(
        problem: Arc<dyn Decomposition>,
        width: u32,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        if width < 2 {
            let what = "a transcript must be split into at least 2 blocks; use a larger width";
            return Err(at.error_at_path(what));
        }
        let computed = problem.as_computation();
        let Some(first) = computed.and_then(|computed| computed.computation(0)) else {
            return Err(at.error_at_path(
                "this decomposition splits the transcript of a computation, but the problem has \
                 none; remove `decomposition`",
            ));
        };
        if ComputationProof::new(first).is_none() {
            return Err(at.error_at_path(
                "the computation has no steps, or too many to be split; use another one, or remove `decomposition`",
            ));
        }
        let worlds = problem.worlds().iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            problem,
            width,
            worlds,
        })
    }

    fn proved(&self, world: usize) -> Option<&ComputationProof> {
        let computation = || self.problem.as_computation()?.computation(world);
        let proof = || ComputationProof::new(computation()?);
        self.worlds.get(world)?.get_or_init(proof).as_ref()
    }

    /// Returns the computation and the block of steps that a claim is about: the first step, and the step after the
    /// last one. The root claim is about all steps. `None` for other claims, and if the instance has no computation.
    fn block(&self, key: &ClaimKey, world: usize) -> Option<(&ComputationProof, u64, u64)> {
        let proved = self.proved(world)?;
        match &key.0 {
            ClaimKeyContent::Block(from, to) => Some((proved, *from, *to)),
            _ => (*key == self.problem.root(world)).then_some((proved, 0, proved.steps)),
        }
    }

    /// Returns the scenario's annotations, if the claim is a claim of the original problem. Claims about blocks have
    /// none.
    fn annotated(&self, key: &ClaimKey) -> Option<&dyn ClaimDetailsInFile> {
        let problem = self.problem.as_annotated();
        problem.filter(|_| !matches!(key.0, ClaimKeyContent::Block(..)))
    }

    /// Returns the computation and the step, if the claim is about a single step.
    fn leaf(&self, key: &ClaimKey, world: usize) -> Option<(&ComputationProof, u64)> {
        let (proved, from, to) = self.block(key, world)?;
        (to - from == 1).then_some((proved, from))
    }
}

/// Splits a block of steps into at most `width` smaller blocks, larger ones first.
fn split(from: u64, to: u64, width: u64) -> impl Iterator<Item = ClaimKey> {
    let steps = to - from;
    let mut start = from;
    let parts = width.min(steps);
    (0..parts).map(move |part| {
        let end = start + steps / parts + u64::from(part < steps % parts);
        let block = ClaimKey(ClaimKeyContent::Block(start, end));
        start = end;
        block
    })
}

impl Decomposition for ComputationTranscriptDecomposition {
    fn problem(&self) -> Option<&dyn Decomposition> {
        Some(&*self.problem)
    }

    fn worlds(&self) -> &[PossibleWorld] {
        self.problem.worlds()
    }

    fn root(&self, world: usize) -> ClaimKey {
        self.problem.root(world)
    }

    fn supports(&self, key: &ClaimKey, world: usize) -> Vec<ProblemSupport> {
        match self.block(key, world) {
            None => self.problem.supports(key, world),
            Some((_, from, to)) if to - from <= 1 => Vec::new(),
            Some((_, from, to)) => {
                vec![ProblemSupport::sound_support(
                    Gate::All,
                    split(from, to, self.width.into()),
                )]
            }
        }
    }

    fn truth(&self, key: &ClaimKey, world: usize) -> Option<bool> {
        match (&key.0, self.proved(world)) {
            (ClaimKeyContent::Block(_, to), Some(proved)) => {
                // Every step of the true transcript is right, but its last bit may be 0.
                let (_, transcript) = proved.proof()?;
                Some(*to < proved.steps || transcript.as_slice().last() == Some(&true))
            }
            _ => self.problem.truth(key, world),
        }
    }

    fn is_decidable(&self, world: usize) -> bool {
        let proof = self.proved(world).and_then(ComputationProof::proof);
        proof.is_some() && self.problem.truth(&self.root(world), world).is_some()
    }

    fn size(&self, world: usize) -> DecompositionSize {
        let steps = self.proved(world).map_or(1, |proved| proved.steps);
        balanced_tree_size(&steps.into(), self.width, false)
    }

    fn levels(
        &self,
        key: &ClaimKey,
        world: usize,
        most: usize,
    ) -> Option<Vec<LevelClaimAndLeafCounts>> {
        match self.block(key, world) {
            Some((_, from, to)) => {
                Some(balanced_tree_levels(&(to - from).into(), self.width, false))
            }
            None => self.problem.levels(key, world, most),
        }
    }

    fn leaf_count_under(&self, key: &ClaimKey, world: usize) -> u64 {
        match self.block(key, world) {
            Some((_, from, to)) => to - from,
            None => self.problem.leaf_count_under(key, world),
        }
    }

    fn text(&self, key: &ClaimKey, world: usize) -> String {
        match (&key.0, self.proved(world)) {
            (ClaimKeyContent::Block(from, to), Some(proved)) => {
                let result_clause = match (to - from, *to == proved.steps) {
                    (_, false) => "",
                    (1, true) => ", and its result is 1",
                    (_, true) => ", and the result of the last step is 1",
                };
                if to - from > 1 {
                    return format!("steps {from} to {to} are right{result_clause}", to = to - 1);
                }
                let rule = proved.computation.step_text(*from);
                format!("step {from} ({rule}) is right{result_clause}")
            }
            _ => self.problem.text(key, world),
        }
    }

    fn short_text(&self, key: &ClaimKey, world: usize) -> String {
        match &key.0 {
            ClaimKeyContent::Block(from, to) if to - from == 1 => format!("step {from}"),
            ClaimKeyContent::Block(from, to) => format!("steps {from}–{}", to - 1),
            _ => self.problem.short_text(key, world),
        }
    }

    fn evidence(&self, key: &ClaimKey, world: usize) -> Option<String> {
        let Some((proved, step)) = self.leaf(key, world) else {
            return self.problem.evidence(key, world);
        };
        let computation = &proved.computation;
        let mut sources = Vec::new();
        computation.reads(step, &mut sources);
        let mut text = format!(
            "Step {step} of {steps} steps, counted from 0: {rule}.",
            steps = proved.steps,
            rule = computation.step_text(step)
        );
        for source in sources {
            if let BitSource::Input(place) = source {
                let value = u8::from(computation.input(place));
                let name = computation.source_text(source);
                let _ = write!(text, " In the input {name} = {value}.");
            }
        }
        text.push_str(
            " The step is right if the bit that the transcript gives for it equals the step's result",
        );
        text.push_str(if step + 1 == proved.steps {
            ", and that bit is 1."
        } else {
            "."
        });
        Some(text)
    }

    fn as_annotated(&self) -> Option<&dyn ClaimDetailsInFile> {
        self.problem.as_annotated().map(|_| self as _)
    }

    fn as_proof(&self) -> Option<&dyn ProofReadByLeaves> {
        Some(self)
    }
}

impl ClaimDetailsInFile for ComputationTranscriptDecomposition {
    fn id(&self, key: &ClaimKey) -> Option<&str> {
        self.problem.as_annotated()?.id(key)
    }

    fn judged_true(&self, key: &ClaimKey) -> Option<Exact> {
        self.annotated(key)?.judged_true(key)
    }

    fn judge_may_err(&self) -> bool {
        let problem = self.problem.as_annotated();
        problem.is_some_and(ClaimDetailsInFile::judge_may_err)
    }

    fn estimate(&self, key: &ClaimKey) -> CarefulReaderEstimate {
        let annotated = self.annotated(key);
        annotated.map_or(CarefulReaderEstimate::Posterior, |problem| {
            problem.estimate(key)
        })
    }
}

impl ProofReadByLeaves for ComputationTranscriptDecomposition {
    fn reads(&self, key: &ClaimKey, world: usize) -> Cow<'_, [BitId]> {
        match self.leaf(key, world) {
            Some((proved, step)) => Cow::Owned(proved.reads(step)),
            None => Cow::Borrowed(&[]),
        }
    }

    fn bit_name(&self, bit: BitId, world: usize) -> Cow<'_, str> {
        let name = self.proved(world).map(|proved| proved.bit_name(bit));
        Cow::Owned(name.unwrap_or_default())
    }

    fn bit_truth(&self, bit: BitId, world: usize) -> bool {
        let proved = self.proved(world);
        let truth = proved.and_then(|proved| {
            let (witness, transcript) = proved.proof()?;
            let bit = u64::from(bit);
            match bit.checked_sub(proved.steps) {
                None => transcript.bit_at(bit),
                Some(place) => witness.bit_at(place),
            }
        });
        truth.unwrap_or(false)
    }

    fn check(&self, key: &ClaimKey, bits: &[bool], world: usize) -> bool {
        let leaf = self.leaf(key, world);
        leaf.is_some_and(|(proved, step)| proved.check(step, bits))
    }
}
