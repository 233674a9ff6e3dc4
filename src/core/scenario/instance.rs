//! An instance under debate: its claims, numbered in the order of first use, and the oracle that decides its leaves.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use num_traits::Zero as _;

use super::belief::HypotheticalTruths;
use super::decomposition::{
    BitId, CarefulReaderEstimate, ClaimDetailsInFile, Decomposition, DecompositionSize,
};
use super::key::{ClaimKey, ClaimKeyContent};
use super::open::{
    ProverSupportLimits, ProverWrittenSubclaim, ProverWrittenSupport, ProverWrittenSupportError,
};
use super::{
    CircuitWithInput, Computation, Formula, MachineRun, OpponentEvidenceVisibility,
    RandomComputation, TwoAnswerQuestion,
};
use crate::bits::BitString;
use crate::digest::fingerprint;
use crate::gate::Gate;
use crate::number::{Exact, ExactWithFloat, to_u32_saturating};

/// A claim's number within its [`Instance`]. A claim gets its number when it is first requested, so numbers are never
/// saved or compared across instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClaimId(u32);

impl ClaimId {
    fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the claim's number within its instance.
    pub fn claim_number(self) -> u32 {
        self.0
    }
}

/// A support of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// The gate over the subclaims.
    pub gate: Gate,
    /// The subclaims, in order.
    pub on: Vec<ClaimId>,
    /// True if the support is sound: the claim is true if and only if the gate over the subclaims is. Only informed
    /// readers may read this flag, because it reveals truths.
    pub(super) sound: bool,
}

/// A support without subclaims: a placeholder until the prover chooses a support.
pub(crate) static NO_SUPPORT: Support = Support {
    gate: Gate::All,
    on: Vec::new(),
    sound: false,
};

#[derive(Debug)]
struct Claim {
    key: ClaimKey,
    /// If this claim is a warrant: the claim whose step it is about, and the number of the step's support. A warrant
    /// claims that the step from subclaims to claim is valid.
    warrant_of: Option<(ClaimId, u32)>,
    supports: OnceLock<Box<[Support]>>,
    reads: OnceLock<Box<[BitId]>>,
    truth: OnceLock<Option<bool>>,
    /// The claim's truth in every instance of μ, for the posteriors of blind players.
    truth_by_world: OnceLock<Box<[Option<bool>]>>,
    /// The probability that the oracle answers yes about this leaf, if the leaf's check reads no proof bits.
    oracle: OnceLock<Option<ExactWithFloat>>,
    appearance_fingerprint: OnceLock<[u64; 2]>,
}

/// The knowledge of the prover, the opponent and the judge: for each seat, the number of the block of every instance of
/// μ. The seat cannot tell apart the instances of one block. `None` if the problem does not state the seat's knowledge.
pub type KnownBlocks = [Option<Arc<[usize]>>; 3];

/// An instance x of a problem, with its decomposition and its oracle.
///
/// A claim gets its number when it is first requested. All methods take `&self` and may be called from any thread.
#[derive(Debug)]
pub struct Instance {
    decomposition: Arc<dyn Decomposition>,
    oracle: Oracle,
    world: usize,
    size: DecompositionSize,
    /// Hypothetical truths of claims, which replace the true ones of this instance.
    supposed: Option<HypotheticalTruths>,
    known: KnownBlocks,
    opponent_sees: OpponentEvidenceVisibility,
    open: Option<ProverSupportLimits>,
    claims: boxcar::Vec<Claim>,
    ids: Mutex<HashMap<ClaimKey, ClaimId>>,
    /// Supports that the prover wrote during a debate, each with its claim.
    composed: boxcar::Vec<(ClaimId, Support)>,
    written: Mutex<HashMap<(ClaimId, ProverWrittenSupport), usize>>,
}

impl Instance {
    /// Creates the instance of a problem for one of the instances of μ, given by its index `world`.
    ///
    /// # Panics
    /// If there is no such world.
    pub fn new(decomposition: Arc<dyn Decomposition>, world: usize, oracle: Oracle) -> Self {
        assert!(
            world < decomposition.worlds().len(),
            "no world number {world}"
        );
        let size = decomposition.size(world);
        Self::unvisited(decomposition, world, size, oracle, None)
    }

    /// Creates an instance in which only the root claim has a claim number ([`ClaimId`]). Other claims get theirs at
    /// their first use.
    fn unvisited(
        decomposition: Arc<dyn Decomposition>,
        world: usize,
        size: DecompositionSize,
        oracle: Oracle,
        supposed: Option<HypotheticalTruths>,
    ) -> Self {
        let instance = Self {
            world,
            size,
            supposed,
            known: KnownBlocks::default(),
            opponent_sees: OpponentEvidenceVisibility::default(),
            open: decomposition.as_open().map(|(open, _)| open),
            oracle,
            claims: boxcar::Vec::new(),
            ids: Mutex::default(),
            composed: boxcar::Vec::new(),
            written: Mutex::default(),
            decomposition,
        };
        let _ = instance.claim_with_key(instance.decomposition.root(world));
        instance
    }

    /// Returns a copy of the instance without the supports that the prover wrote. Only the root claim has a claim
    /// number ([`ClaimId`]); other claims get theirs at their first use.
    #[must_use]
    pub fn copy_with_only_root_numbered(&self) -> Self {
        self.with_supposed_truths(self.supposed.clone())
    }

    /// Returns a copy of this instance in which claims have hypothetical truths; `None` restores their true ones. The
    /// copy has new claim numbers, and no supports that the prover wrote.
    pub(super) fn with_supposed_truths(&self, supposed: Option<HypotheticalTruths>) -> Self {
        let decomposition = Arc::clone(&self.decomposition);
        let oracle = self.oracle.clone();
        let size = self.size.clone();
        Self::unvisited(decomposition, self.world, size, oracle, supposed)
            .with_seat_knowledge(self.known.clone())
            .with_opponent_view(self.opponent_sees)
    }

    /// Returns this instance with other blocks of instances known to the prover, the opponent and the judge.
    #[must_use]
    pub fn with_seat_knowledge(self, known: KnownBlocks) -> Self {
        Self { known, ..self }
    }

    /// Returns this instance with another setting for what the opponent is shown.
    #[must_use]
    pub fn with_opponent_view(self, opponent_sees: OpponentEvidenceVisibility) -> Self {
        Self {
            opponent_sees,
            ..self
        }
    }

    /// Returns what the opponent is shown about a claim that it estimates: the claim alone, or also evidence.
    pub fn opponent_sees(&self) -> OpponentEvidenceVisibility {
        self.opponent_sees
    }

    /// Returns the indices and weights of the instances of μ that a seat (prover 0, opponent 1, judge 2) cannot tell
    /// from this one. `None` if the problem does not state the seat's knowledge.
    pub fn indistinguishable_worlds(
        &self,
        seat_index: usize,
    ) -> Option<Vec<(usize, ExactWithFloat)>> {
        let blocks = self.known.get(seat_index)?.as_ref()?;
        let own = blocks.get(self.world)?;
        let worlds = self.decomposition.worlds().iter().enumerate();
        let alike = worlds.zip(&**blocks).filter(|(_, block)| *block == own);
        let known = alike.map(|((position, world), _)| (position, world.weight.clone().into()));
        Some(known.collect())
    }

    /// Returns another instance of the same distribution μ, given by its index.
    pub(super) fn instance_in_world(&self, world: usize) -> Self {
        Self::new(Arc::clone(&self.decomposition), world, self.oracle.clone())
            .with_seat_knowledge(self.known.clone())
            .with_opponent_view(self.opponent_sees)
    }

    /// Returns the claim with this key, which must be a key of this problem. Gives the claim a number if it has none.
    pub fn claim_with_key(&self, key: ClaimKey) -> ClaimId {
        let warrant = key.warranted_claim_and_support();
        let warrant_of = warrant.map(|(of, support)| (self.claim_with_key(of.clone()), support));
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        *ids.entry(key).or_insert_with_key(|key| {
            let index = self.claims.push(Claim {
                key: key.clone(),
                warrant_of,
                supports: OnceLock::new(),
                reads: OnceLock::new(),
                truth: OnceLock::new(),
                truth_by_world: OnceLock::new(),
                oracle: OnceLock::new(),
                appearance_fingerprint: OnceLock::new(),
            });
            ClaimId(to_u32_saturating(index))
        })
    }

    /// Returns the claim with this number, as in [`ClaimId::claim_number`]; `None` if no claim of this instance has
    /// this number yet.
    pub fn claim_with_id_number(&self, number: u32) -> Option<ClaimId> {
        let id = ClaimId(number);
        self.claims.get(id.index()).map(|_| id)
    }

    #[inline]
    fn claim(&self, id: ClaimId) -> &Claim {
        &self.claims[id.index()]
    }

    /// Returns the root claim: the claim under debate.
    pub fn root(&self) -> ClaimId {
        ClaimId(0)
    }

    /// Returns the supports that the problem lists for a claim; empty for a leaf.
    #[inline]
    pub fn supports(&self, id: ClaimId) -> &[Support] {
        let claim = self.claim(id);
        claim.supports.get_or_init(|| {
            if claim.warrant_of.is_some() {
                return Box::default();
            }
            let drafts = self.decomposition.supports(&claim.key, self.world);
            let supports = drafts.into_iter().map(|draft| Support {
                gate: draft.gate,
                on: draft
                    .on
                    .into_iter()
                    .map(|key| self.claim_with_key(key))
                    .collect(),
                sound: draft.sound,
            });
            supports.collect()
        })
    }

    /// Returns a claim and all claims below it through listed supports. Each claim below occurs once: after one of the
    /// claims that it supports, but perhaps before others of them.
    pub fn claim_and_descendants(&self, claim: ClaimId) -> impl Iterator<Item = ClaimId> {
        let mut visited = HashSet::from([claim]);
        let mut open = vec![claim];
        std::iter::from_fn(move || {
            let claim = open.pop()?;
            let below = self.supports(claim).iter().flat_map(|support| &support.on);
            open.extend(below.filter(|below| visited.insert(**below)));
            Some(claim)
        })
    }

    /// True if the claim is a leaf, which the oracle decides.
    #[inline]
    pub fn is_leaf(&self, id: ClaimId) -> bool {
        self.supports(id).is_empty() && self.max_prover_written_subclaims(id).is_none()
    }

    /// Returns a support of a claim by its number: a support that the problem lists, counted from 0, or one that
    /// [`Self::add_prover_written_support`] added.
    pub fn support(&self, id: ClaimId, number: u32) -> Option<&Support> {
        let (listed, number) = (self.supports(id), number as usize);
        listed.get(number).or_else(|| {
            let (of, support) = self.composed.get(number - listed.len())?;
            (*of == id).then_some(support)
        })
    }

    /// Returns the subclaims of support number `number` of a claim, each with the prover's answer.
    pub fn subclaims_with_answers(
        &self,
        id: ClaimId,
        number: u32,
        answers: &BitString,
    ) -> Vec<(ClaimId, bool)> {
        let on = &self.support(id, number).unwrap_or(&NO_SUPPORT).on;
        let answers = answers.as_slice().iter().copied();
        on.iter().copied().zip(answers).collect()
    }

    /// Returns the limits on claims that the prover writes; `None` if the prover may not write claims.
    pub fn prover_writing_limits(&self) -> Option<ProverSupportLimits> {
        self.open
    }

    /// Returns the maximum number of subclaims of a support that the prover may write for a claim. `None` if the prover
    /// cannot write one.
    #[inline]
    pub fn max_prover_written_subclaims(&self, id: ClaimId) -> Option<u32> {
        // Checked first for speed: headless play calls this for every leaf.
        self.open?;
        let (_, open) = self.decomposition.as_open()?;
        open.composing_limit(self.problem_key(id)?)
    }

    /// True if the prover may also write supports for the subclaims that it writes for this claim.
    pub fn written_subclaims_allow_prover_supports(&self, id: ClaimId) -> bool {
        self.decomposition.as_open().is_some_and(|(_, open)| {
            let below = open.written_claim(self.key(id), &ProverWrittenSubclaim::new(""));
            open.composing_limit(&below).is_some()
        })
    }

    /// Adds a support that the prover wrote for a claim, and returns the support's number. Adding an equal support of
    /// the same claim returns the same number. As with claims, the numbers depend on the order of the calls and are
    /// never saved.
    ///
    /// # Errors
    /// Returns the reason if the support is not accepted; the instance is unchanged then.
    pub fn add_prover_written_support(
        &self,
        id: ClaimId,
        composed: &ProverWrittenSupport,
    ) -> Result<u32, ProverWrittenSupportError> {
        let (_, open) = self
            .decomposition
            .as_open()
            .ok_or(ProverWrittenSupportError::Closed)?;
        let most = self
            .max_prover_written_subclaims(id)
            .ok_or(ProverWrittenSupportError::Closed)?;
        composed.check_support(&self.text(id), most)?;
        let key = self.key(id);
        let parts = composed.parts.iter();
        let on = parts.map(|part| self.claim_with_key(open.written_claim(key, part)));
        let support = Support {
            gate: composed.gate.clone(),
            on: on.collect(),
            sound: false,
        };
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let position = *written
            .entry((id, composed.clone()))
            .or_insert_with(|| self.composed.push((id, support)));
        Ok(to_u32_saturating(self.supports(id).len() + position))
    }

    /// Returns a support in the prover's words, if the prover wrote it; `None` for a support that the problem lists.
    pub fn prover_written_support(&self, id: ClaimId, number: u32) -> Option<ProverWrittenSupport> {
        let support = self.support(id, number)?;
        let parts = support
            .on
            .iter()
            .map(|part| self.key(*part).prover_written_subclaim().cloned());
        Some(ProverWrittenSupport {
            gate: support.gate.clone(),
            parts: parts.collect::<Option<_>>()?,
        })
    }

    /// Returns the warrant of a claim's support: a separate leaf claim that says "the answers to the subclaims decide
    /// if the claim is true". It is not an input of the gate.
    pub fn warrant_claim(&self, claim: ClaimId, support: u32) -> ClaimId {
        let key = ClaimKeyContent::Warrant(Box::new((self.key(claim).clone(), support)));
        self.claim_with_key(ClaimKey(key))
    }

    /// For a warrant (the claim that a step from subclaims to their claim is valid), returns that claim and the number
    /// of its support. `None` for a claim of the problem.
    #[inline]
    pub fn warranted_claim_and_support(&self, id: ClaimId) -> Option<(ClaimId, u32)> {
        self.claim(id).warrant_of
    }

    /// Returns the key by which the problem's decomposition identifies the claim; `None` for a warrant, which belongs
    /// to no decomposition.
    fn problem_key(&self, id: ClaimId) -> Option<&ClaimKey> {
        let claim = self.claim(id);
        claim.warrant_of.is_none().then_some(&claim.key)
    }

    /// True if, according to the problem, the claim `of` follows from the subclaims of a support in an instance of μ.
    /// `None` for a support that was written during a debate.
    fn follows(&self, of: ClaimId, support: u32, world: usize) -> Option<bool> {
        let supports = self.decomposition.supports(self.key(of), world);
        supports.get(support as usize).map(|draft| draft.sound)
    }

    /// Returns the true answer to a claim, or the hypothetical one if this instance has hypothetical truths; `None` if
    /// it cannot be computed. A warrant is true if its support is sound. For problems in words, the program checks
    /// soundness in every instance of μ when it loads the scenario.
    #[inline]
    pub fn truth(&self, id: ClaimId) -> Option<bool> {
        let claim = self.claim(id);
        let truth = || match (claim.warrant_of, &self.supposed) {
            (Some((of, support)), _) => self.follows(of, support, self.world),
            (None, Some(supposed)) => supposed.supposed_truth(&claim.key),
            (None, None) => self.decomposition.truth(&claim.key, self.world),
        };
        *claim.truth.get_or_init(truth)
    }

    /// Returns the claim's truth in each instance of μ.
    pub(super) fn truth_by_world(&self, id: ClaimId) -> &[Option<bool>] {
        let claim = self.claim(id);
        claim.truth_by_world.get_or_init(|| {
            (0..self.decomposition.worlds().len())
                .map(|world| match claim.warrant_of {
                    Some((of, support)) => self.follows(of, support, world),
                    None => self.decomposition.truth(&claim.key, world),
                })
                .collect()
        })
    }

    /// Returns the key that identifies the claim in its problem; it is the same in every instance.
    pub fn key(&self, id: ClaimId) -> &ClaimKey {
        &self.claim(id).key
    }

    /// Returns a [`fingerprint`] of everything that a player sees of a claim except its text: its key, the proof bits
    /// that it reads, and the gate and subclaims of each listed support. Claims of different instances have equal
    /// fingerprints if they look the same.
    pub fn nontext_appearance_fingerprint(&self, id: ClaimId) -> [u64; 2] {
        *self.claim(id).appearance_fingerprint.get_or_init(|| {
            let keys = |on: &[ClaimId]| on.iter().map(|claim| self.key(*claim)).collect::<Vec<_>>();
            let supports = self
                .supports(id)
                .iter()
                .map(|support| (&support.gate, keys(&support.on)));
            fingerprint(&(
                self.key(id),
                self.proof_bits_read_by_leaf(id),
                supports.collect::<Vec<_>>(),
            ))
        })
    }

    /// Returns the probability that the oracle answers yes about a leaf, given the proof bits that the leaf reads.
    /// `None` if the oracle cannot know the answer.
    #[inline]
    pub fn oracle_yes_probability(&self, id: ClaimId, bits: &[bool]) -> Option<ExactWithFloat> {
        let claim = self.claim(id);
        if self.proof_bits_read_by_leaf(id).is_empty() {
            let find = || self.oracle.yes_probability(self, id, self.truth(id));
            return claim.oracle.get_or_init(find).clone();
        }
        self.oracle
            .yes_probability(self, id, self.evaluate_leaf_check(id, bits))
    }

    /// Evaluates the check of a leaf on these proof bits; `None` if the leaf reads no proof bits.
    pub fn evaluate_leaf_check(&self, id: ClaimId, leaf_proof_bits: &[bool]) -> Option<bool> {
        let proof = self.decomposition.as_proof()?;
        let key = self
            .problem_key(id)
            .filter(|_| !self.proof_bits_read_by_leaf(id).is_empty())?;
        Some(proof.check(key.claim_key_behind_evidence(), leaf_proof_bits, self.world))
    }

    /// True if the truth of every claim can be computed.
    pub fn are_all_truths_computable(&self) -> bool {
        self.supposed.is_some() || self.decomposition.is_decidable(self.world)
    }

    /// Returns the size of the instance's decomposition.
    pub fn size(&self) -> &DecompositionSize {
        &self.size
    }

    /// Returns the number of leaves below a claim.
    pub fn leaf_count_under(&self, id: ClaimId) -> u64 {
        self.problem_key(id).map_or(1, |key| {
            self.decomposition.leaf_count_under(key, self.world)
        })
    }

    /// Returns the claim in words.
    pub fn text(&self, id: ClaimId) -> String {
        match self.warranted_claim_and_support(id) {
            Some((of, number)) => {
                let support = self.support(of, number).unwrap_or(&NO_SUPPORT);
                let text = |claim| self.short_text(claim).trim_end_matches('.').to_owned();
                let parts: Vec<String> = support.on.iter().map(|part| text(*part)).collect();
                format!(
                    "the answers to these subclaims ({gate}: {subclaims}) decide if {claim}",
                    gate = support.gate.describe_gate_over_inputs(support.on.len()),
                    subclaims = parts.join("; "),
                    claim = text(of)
                )
            }
            None => self.decomposition.text(self.key(id), self.world),
        }
    }

    /// Returns a short text of the claim.
    pub fn short_text(&self, id: ClaimId) -> String {
        match self.warranted_claim_and_support(id) {
            Some((of, _)) => format!("the step to {}", self.short_text(of)),
            None => self.decomposition.short_text(self.key(id), self.world),
        }
    }

    /// Returns the claim's id in the scenario file.
    pub fn claim_id_in_file(&self, id: ClaimId) -> Option<&str> {
        let key = self.problem_key(id)?.claim_key_behind_evidence();
        self.decomposition.as_annotated()?.id(key)
    }

    /// Returns the title of a claim's support.
    pub fn support_label(&self, id: ClaimId, support: usize) -> Option<&str> {
        let annotated = self.decomposition.as_annotated()?;
        annotated.label(self.problem_key(id)?.claim_key_behind_evidence(), support)
    }

    /// Describes the knowledge of a player who cannot decide every claim. If the problem states the opponent's
    /// knowledge, describes that.
    pub fn blind_player_knowledge_in_words(&self) -> Option<String> {
        match self.indistinguishable_worlds(1) {
            Some(alike) if alike.len() > 1 => Some(format!(
                "that {count} cases are possible, but not which one is real",
                count = alike.len()
            )),
            Some(_) => Some("the exact instance".to_owned()),
            None => self.decomposition.public_knowledge_in_words(self.world),
        }
    }

    /// Describes the kinds of facts that a player who cannot decide every claim knows, for readers who do not know the
    /// facts. The same text as [`Self::blind_player_knowledge_in_words`] if that text reveals no facts.
    pub fn public_knowledge_without_values(&self) -> Option<String> {
        let without_values = match self.indistinguishable_worlds(1) {
            Some(_) => None,
            None => self.decomposition.public_knowledge_without_values(),
        };
        without_values
            .map(str::to_owned)
            .or_else(|| self.blind_player_knowledge_in_words())
    }

    /// Returns the evidence that the judge is shown for a leaf.
    pub fn evidence(&self, id: ClaimId) -> Option<String> {
        self.decomposition
            .evidence(self.problem_key(id)?, self.world)
    }

    /// Returns the probability that a human judge answers yes about a leaf, if the scenario states it.
    pub fn human_judge_yes_probability(&self, id: ClaimId) -> Option<Exact> {
        let annotated = self.decomposition.as_annotated()?;
        annotated.judged_true(self.problem_key(id)?.claim_key_behind_evidence())
    }

    /// True if the scenario states a probability of yes for an answer of the oracle that can make the answer wrong, or
    /// a probability above 0 of wrong answers ([`Oracle::Noisy`]). In a table ([`Oracle::Table`]), only probabilities
    /// other than 0 and 1 are noticed.
    pub fn has_stated_oracle_errors(&self) -> bool {
        match &self.oracle {
            Oracle::Truth => false,
            Oracle::PerLeaf => {
                let annotated = self.decomposition.as_annotated();
                annotated.is_some_and(ClaimDetailsInFile::judge_may_err)
            }
            Oracle::Noisy(flip) => !flip.is_zero(),
            Oracle::Table(table) => table.values().any(|p| !p.is_integer()),
        }
    }

    /// Returns the probability that a careful reader with little time would give to a claim.
    pub fn estimate(&self, id: ClaimId) -> CarefulReaderEstimate {
        let annotated = self.decomposition.as_annotated().zip(self.problem_key(id));
        let estimate =
            annotated.map(|(claims, key)| claims.estimate(key.claim_key_behind_evidence()));
        estimate.unwrap_or(CarefulReaderEstimate::Posterior)
    }

    /// Returns the proof bits that the leaf's check reads.
    #[inline]
    pub fn proof_bits_read_by_leaf(&self, id: ClaimId) -> &[BitId] {
        let claim = self.claim(id);
        claim.reads.get_or_init(|| {
            let proof = self.decomposition.as_proof().zip(self.problem_key(id));
            let reads = proof.map(|(proof, key)| {
                proof
                    .reads(key.claim_key_behind_evidence(), self.world)
                    .into()
            });
            reads.unwrap_or_default()
        })
    }

    /// Returns the name of a proof bit.
    pub fn proof_bit_name(&self, bit: BitId) -> Cow<'_, str> {
        let proof = self.decomposition.as_proof();
        proof.map_or_else(Cow::default, |proof| proof.bit_name(bit, self.world))
    }

    /// Returns the value of a proof bit in the true proof.
    pub fn true_proof_bit(&self, bit: BitId) -> bool {
        let proof = self.decomposition.as_proof();
        proof.is_some_and(|proof| proof.bit_truth(bit, self.world))
    }

    /// Returns the problem as a computation that writes one bit per step, if it has this form.
    pub fn computation(&self) -> Option<Arc<dyn Computation>> {
        self.decomposition.as_computation()?.computation(self.world)
    }

    /// Returns the problem as a circuit, if it has this form.
    pub fn circuit(&self) -> Option<Arc<CircuitWithInput>> {
        self.decomposition.as_computation()?.circuit(self.world)
    }

    /// Returns the problem as a run of a machine, if it has this form.
    pub fn run(&self) -> Option<Arc<dyn MachineRun>> {
        self.decomposition.as_computation()?.run(self.world)
    }

    /// Returns the problem as a random computation, if it has this form.
    pub fn random_computation(&self) -> Option<Arc<dyn RandomComputation>> {
        self.decomposition.as_computation()?.process(self.world)
    }

    /// Returns the problem as a quantified Boolean formula, if it has this form.
    pub fn formula(&self) -> Option<Arc<Formula>> {
        self.decomposition.as_computation()?.formula(self.world)
    }

    /// Returns the problem as an open question with two answers, if it has this form.
    pub fn as_two_answer_question(&self) -> Option<&TwoAnswerQuestion> {
        self.decomposition.as_question()
    }

    /// Returns the decomposition of this instance.
    pub fn decomposition(&self) -> &Arc<dyn Decomposition> {
        &self.decomposition
    }

    /// Returns the index of this instance in the distribution μ.
    pub fn world_index(&self) -> usize {
        self.world
    }

    /// Returns the name of this instance in the distribution μ.
    pub fn world_name(&self) -> &str {
        &self.decomposition.worlds()[self.world].name
    }
}

/// The oracle: it determines the probability that a leaf is answered "yes". In a debate, the player in the judge's seat
/// gives the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Oracle {
    /// The leaf's truth.
    #[default]
    Truth,
    /// The oracle answers with the leaf's probability `judged_true` if the scenario states it, else with the leaf's
    /// truth.
    PerLeaf,
    /// The oracle gives the true answer, except for a wrong answer with this probability.
    Noisy(Exact),
    /// The probability of "yes" for each leaf, by the leaf's id or text.
    Table(HashMap<String, Exact>),
}

impl Oracle {
    /// Returns the probability that the oracle answers "yes" about a leaf. `fact` is the leaf's truth or, if the leaf
    /// reads proof bits, the result of its check. `None` if the oracle cannot know it.
    pub(super) fn yes_probability(
        &self,
        instance: &Instance,
        leaf: ClaimId,
        fact: Option<bool>,
    ) -> Option<ExactWithFloat> {
        let stated = match self {
            Self::Truth => None,
            Self::PerLeaf => instance.human_judge_yes_probability(leaf),
            Self::Noisy(flip) if fact? => Some(Exact::from_integer(1.into()) - flip),
            Self::Noisy(flip) => Some(flip.clone()),
            Self::Table(table) => {
                let id = instance.claim_id_in_file(leaf).and_then(|id| table.get(id));
                let stated = id.or_else(|| table.get(&instance.text(leaf)));
                // A table has no entries for warrants; their truths decide them.
                if stated.is_none() && instance.warranted_claim_and_support(leaf).is_none() {
                    return None;
                }
                stated.cloned()
            }
        };
        stated.map_or_else(
            || fact.map(ExactWithFloat::from),
            |stated| Some(stated.into()),
        )
    }
}
