//! Capabilities of some protocols: narrow traits that [`Rules`] returns if the protocol has them.

use std::ops::Range;
use std::sync::Arc;

use super::{BitString, ComputationAndTranscript, Rules, State};
use crate::gate::{EstimateConsistency, Gate};
use crate::number::{Exact, Number};
use crate::scenario::BitId;
use crate::scenario::netlist::Netlist;

/// Read access to the proof bits that the prover gives for leaves.
pub trait ProofBitSource {
    /// Returns the proof bits that the prover gave for the leaf under discussion, in the order in which the leaf's
    /// check reads them.
    fn proof(&self) -> Vec<bool>;

    /// Returns the proof bits that the prover may still have to give
    /// ([`BitsMeaning::Proof`](super::BitsMeaning::Proof)), in increasing order; `None` if there are more than `most`.
    /// They are a function of the instance and the index of the bit, so the prover fixed them before the debate began.
    fn open_bits(&self, _most: usize) -> Option<Vec<BitId>> {
        Some(Vec::new())
    }
}

/// Access to the computation that the prover writes down or the opponent examines.
pub trait DebateWithExaminedComputation {
    /// Returns the computation under examination with the prover's transcript, if it is given; `None` if no computation
    /// is examined at this point.
    fn transcript(&self) -> Option<ComputationAndTranscript> {
        None
    }

    /// Returns the honest reply to a pending [`Request::Bits`](super::Request::Bits), as far as the problem determines
    /// it; all 0 for the values of a block of variables. A user edits this reply, and a save contains only the
    /// differences from it. `None` if no bits are requested, if they are given one by one, or if they are unknown.
    fn prepared(&self) -> Option<BitString>;
}

/// A verifier that can be written as a circuit over the bits that it may read (DQC Lemma 8).
pub trait DebateWithCircuitVerifier {
    /// Returns the verifier's circuit; `None` if the verifier is not a circuit under these parameters, or if the
    /// circuit is too large.
    fn verifier(&self) -> Option<Arc<Netlist>>;

    /// Returns the bits that the verifier's circuit may read; `None` before the end of the debate.
    fn verifier_input(&self) -> Option<BitString>;
}

/// Capabilities that only some protocols have, with defaults for a protocol without the capability.
impl<N: Number> State<'_, N> {
    /// Returns the proof bits that the prover gave for the leaf under discussion ([`ProofBitSource::proof`]); empty
    /// without proof bits.
    pub fn proof_bits_of_leaf(&self) -> Vec<bool> {
        self.proof_bits()
            .map_or_else(Vec::new, ProofBitSource::proof)
    }

    /// Returns the proof bits that the prover may still have to give ([`ProofBitSource::open_bits`]); empty without
    /// proof bits. `None` if there are more than `max_bits`.
    pub fn ungiven_proof_bits_unless_too_many(&self, max_bits: usize) -> Option<Vec<BitId>> {
        match self.proof_bits() {
            Some(bits) => bits.open_bits(max_bits),
            None => Some(Vec::new()),
        }
    }

    /// Returns the computation under examination with its transcript, as [`DebateWithExaminedComputation::transcript`]; `None`
    /// also if the protocol examines no computation.
    pub fn transcript(&self) -> Option<ComputationAndTranscript> {
        self.computed()?.transcript()
    }

    /// Returns the honest reply to a pending request for bits, as [`DebateWithExaminedComputation::prepared`]; `None` also if the
    /// protocol examines no computation.
    pub fn honest_reply_bits(&self) -> Option<BitString> {
        self.computed()?.prepared()
    }

    /// As [`DebateWithCircuitVerifier::verifier`].
    pub fn verifier_circuit(&self) -> Option<Arc<Netlist>> {
        self.circuit_verifier()?.verifier()
    }

    /// As [`DebateWithCircuitVerifier::verifier_input`].
    pub fn verifier_input(&self) -> Option<BitString> {
        self.circuit_verifier()?.verifier_input()
    }

    /// Returns the probability that the root claim is true, if its truth is random under these rules. `None` if its
    /// truth is fixed, or if there are too many histories to enumerate.
    pub fn root_truth_probability(&self) -> Option<Exact> {
        match self {
            Self::Stochastic(state) => state.root_truth_probability(),
            _ => None,
        }
    }

    /// Returns the range of random outcomes of the pending draw that lead to one state, if all outcomes outside the
    /// range lead to one other state. `None` for other draws, such as coins, and if no draw is pending.
    pub fn draw_outcomes_that_pass(&self) -> Option<Range<u64>> {
        match self {
            Self::Stochastic(state) => state.draw_outcomes_that_pass(),
            _ => None,
        }
    }

    /// Returns the gate that the coins of the current round decide, and the estimates of its subclaims so far. They are
    /// the probabilities of the round's coins, including a coin that is tossed next. `None` unless the pending request
    /// is for a subclaim's estimate given the coins, or for a subclaim's coin.
    pub fn gate_decided_by_coins_with_estimates(&self) -> Option<(&Gate, &[N])> {
        match self {
            Self::ProverEstimator(state) => state.gate_decided_by_coins_with_estimates(),
            _ => None,
        }
    }

    /// Appends the coins of earlier rounds that the estimates of this round may depend on. A state key does not contain
    /// these coins, because the rules no longer need them.
    pub fn add_earlier_rounds_coins_to_key(&self, key: &mut Vec<u64>) {
        if let Self::ProverEstimator(state) = self {
            state.add_earlier_coins_to_key(key);
        }
    }

    /// Returns the consistency of the current round's estimates with the estimate of their claim. `None` unless the
    /// pending request is for the next subclaim's estimate given the coins.
    pub fn consistency(&self) -> Option<EstimateConsistency<N>> {
        match self {
            Self::ProverEstimator(state) => state.consistency(),
            _ => None,
        }
    }
}
