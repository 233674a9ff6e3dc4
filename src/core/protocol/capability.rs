//! Capabilities of some protocols: narrow traits that [`Rules`] returns if the protocol has them.

use std::ops::Range;
use std::sync::Arc;

use super::{Bits, ComputationTranscript, Rules, State};
use crate::gate::{Consistency, Gate};
use crate::number::{Exact, Number};
use crate::scenario::BitId;
use crate::scenario::netlist::Netlist;

/// Proof bits that the prover gives for leaves.
pub trait ProofSource {
    /// Returns the proof bits given for the leaf under discussion, in the order of its check.
    fn proof(&self) -> Vec<bool>;

    /// Returns the proof bits that the prover may still have to give ([`BitsMeaning::Proof`](super::BitsMeaning::Proof)), in increasing
    /// order; `None` if there are more than `most`. They are a function of the instance and the index of the bit, so
    /// the prover fixed them before the debate began.
    fn open_bits(&self, _most: usize) -> Option<Vec<BitId>> {
        Some(Vec::new())
    }
}

/// A computation that is written down or examined.
pub trait ExaminedComputation {
    /// Returns the computation whose transcript is requested or can be challenged.
    fn transcript(&self) -> Option<ComputationTranscript> {
        None
    }

    /// The honest reply to a pending [`Request::Bits`](super::Request::Bits), as far as it follows from the problem
    /// alone: a person edits it, and a save contains only the differences from it. `None` if bits are given one by one,
    /// or they are unknown.
    fn prepared(&self) -> Option<Bits>;
}

/// A verifier that is a circuit over the bits that it may read (DQC Lemma 8).
pub trait CircuitVerifier {
    /// Returns the circuit; `None` if these parameters have no verifier of this form, or it is too large.
    fn verifier(&self) -> Option<Arc<Netlist>>;

    /// Returns the bits that [`Self::verifier`] may read, once the debate is over.
    fn verifier_input(&self) -> Option<Bits>;
}

/// Capabilities of the protocol that is played, and their defaults for a protocol without them.
impl<N: Number> State<'_, N> {
    /// Returns the proof bits given for the leaf under discussion ([`ProofSource::proof`]); empty without proof bits.
    pub fn proof_bits_of_leaf(&self) -> Vec<bool> {
        self.proof_bits().map_or_else(Vec::new, ProofSource::proof)
    }

    /// Returns the proof bits still to be given ([`ProofSource::open_bits`]); empty without proof bits.
    pub fn open_proof_bits(&self, max_bits: usize) -> Option<Vec<BitId>> {
        match self.proof_bits() {
            Some(bits) => bits.open_bits(max_bits),
            None => Some(Vec::new()),
        }
    }

    /// As [`ExaminedComputation::transcript`].
    pub fn transcript(&self) -> Option<ComputationTranscript> {
        self.computed()?.transcript()
    }

    /// As [`ExaminedComputation::prepared`].
    pub fn prepared_bits(&self) -> Option<Bits> {
        self.computed()?.prepared()
    }

    /// As [`CircuitVerifier::verifier`].
    pub fn verifier_circuit(&self) -> Option<Arc<Netlist>> {
        self.circuit_verifier()?.verifier()
    }

    /// As [`CircuitVerifier::verifier_input`].
    pub fn verifier_input(&self) -> Option<Bits> {
        self.circuit_verifier()?.verifier_input()
    }

    /// Returns the probability that the root claim is decided true, if it depends on chance under these rules; `None`
    /// if it is true or false, or if there are too many histories to follow.
    pub fn root_truth_probability(&self) -> Option<Exact> {
        match self {
            Self::Stochastic(state) => state.probability(),
            _ => None,
        }
    }

    /// Returns the outcomes of the pending draw that lead to the same state; all other outcomes lead to one other
    /// state. `None` if each outcome may lead to a different state.
    pub fn equivalent_outcomes(&self) -> Option<Range<u64>> {
        match self {
            Self::Stochastic(state) => state.equivalent_outcomes(),
            _ => None,
        }
    }

    /// Returns the gate that the current coins decide, with the probabilities given for them so far; `None` if no gate
    /// depends on coins.
    pub fn coins_of_gate(&self) -> Option<(&Gate, &[N])> {
        match self {
            Self::ProverEstimator(state) => state.gate_with_coin_probabilities(),
            _ => None,
        }
    }

    /// Appends the coins of earlier rounds that the estimates of this round may depend on. A state key does not contain
    /// them, because the rules no longer need them.
    pub fn add_earlier_coins_to_key(&self, key: &mut Vec<u64>) {
        if let Self::ProverEstimator(state) = self {
            state.add_earlier_coins_to_key(key);
        }
    }

    /// Returns the estimates of the current round compared with their claim, while the next subclaim's estimate is
    /// requested; `None` at other times.
    pub fn consistency(&self) -> Option<Consistency<N>> {
        match self {
            Self::ProverEstimator(state) => state.consistency(),
            _ => None,
        }
    }
}
