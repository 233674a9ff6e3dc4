//! Bits of the prover's implicit proof: the rules ask the prover for each bit at most once and store it.

use std::collections::BTreeSet;

use super::event::{Event, EventSink};
use super::request::{BitString, BitsMeaning, IllegalReply, Request};
use super::{PaymentsAndResourceCosts, Seat};
use crate::scenario::{BitId, ClaimId, Instance};

/// The proof bits that the prover gave in a debate, in the order in which the rules asked for them.
#[derive(Clone, Debug, Default)]
pub(super) struct ProofBitsGivenByProver(Vec<(BitId, bool)>);

impl ProofBitsGivenByProver {
    /// Removes all proof bits, and keeps the allocated memory.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Appends the proof bits given so far to the key. Their order has no effect on the key.
    pub(super) fn add_given_bits_to_key(&self, key: &mut Vec<u64>) {
        let word = |(bit, value): &(BitId, bool)| u64::from(*bit) << 1 | u64::from(*value);
        let mut given: Vec<u64> = self.0.iter().map(word).collect();
        given.sort_unstable();
        key.push(given.len() as u64);
        key.extend(given);
    }

    fn get(&self, bit: BitId) -> Option<bool> {
        let given = self.0.iter().find(|(given, _)| *given == bit);
        given.map(|(_, value)| *value)
    }

    /// Returns the first proof bit that the leaf's check reads and that the prover has not given yet.
    #[inline]
    pub(super) fn first_missing_proof_bit(
        &self,
        instance: &Instance,
        leaf: ClaimId,
    ) -> Option<BitId> {
        let mut reads = instance.proof_bits_read_by_leaf(leaf).iter().copied();
        reads.find(|bit| self.get(*bit).is_none())
    }

    /// Returns the proof bits that leaves below the root read and that the prover has not given yet, in increasing
    /// order; `None` if there are more than `most`.
    pub(super) fn missing_bits_below_root(
        &self,
        instance: &Instance,
        most: usize,
    ) -> Option<Vec<BitId>> {
        let mut bits = BTreeSet::new();
        if instance.decomposition().as_proof().is_none() {
            return Some(Vec::new());
        }
        for claim in instance.claim_and_descendants(instance.root()) {
            let read = instance.proof_bits_read_by_leaf(claim).iter().copied();
            bits.extend(read.filter(|bit| self.get(*bit).is_none()));
            if bits.len() > most {
                return None;
            }
        }
        Some(bits.into_iter().collect())
    }

    /// Returns the request to the prover for the leaf's first missing proof bit.
    pub(super) fn request<N>(&self, instance: &Instance, leaf: ClaimId) -> Option<Request<N>> {
        let bit = self.first_missing_proof_bit(instance, leaf)?;
        Some(Request::Bits {
            ask: BitsMeaning::Proof(bit),
            length: 1,
        })
    }

    /// Stores the prover's value of the leaf's first missing proof bit. Returns true if no other bit of the leaf is
    /// missing.
    pub(super) fn give<N>(
        &mut self,
        instance: &Instance,
        leaf: ClaimId,
        bits: &BitString,
        account: &mut PaymentsAndResourceCosts<N>,
        sink: &mut dyn EventSink<N>,
    ) -> Result<bool, IllegalReply> {
        let &[value] = bits.as_slice() else {
            return Err(IllegalReply::Length {
                wanted: 1,
                given: bits.as_slice().len(),
            });
        };
        let bit = self
            .first_missing_proof_bit(instance, leaf)
            .ok_or(IllegalReply::Over)?;
        self.0.push((bit, value));
        account.count_reply(Seat::Prover);
        account.judge_spending().bits_read += 1;
        sink.record_unsealed_event(Seat::Prover, || Event::GaveBit { bit, value });
        Ok(self.first_missing_proof_bit(instance, leaf).is_none())
    }

    /// Returns the proof bits that the prover gave for a leaf, in the order in which the leaf's check reads them.
    #[inline]
    pub(super) fn proof_bits_given_for_leaf(
        &self,
        instance: &Instance,
        leaf: ClaimId,
    ) -> Vec<bool> {
        let given = |bit: &BitId| self.get(*bit).unwrap_or(false);
        instance
            .proof_bits_read_by_leaf(leaf)
            .iter()
            .map(given)
            .collect()
    }
}
