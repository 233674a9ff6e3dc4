//! Runs of a plan, bit by bit: with random answers of the oracle, or with the true answers.

use crate::scenario::key::ClaimKeyContent;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::super::computation::{BitSource, Computation, RequiredStepOutput};
use super::super::process::{
    MAX_QUICK_STEPS, acceptance_probabilities, acceptance_probability_after, all_witnesses,
};
use super::super::{ClaimKey, RandomComputation};
use super::step::{
    InterchangeableSteps, PlanStepBitRule, StraightLineProgramStep, ids_of_steps_read,
    interchangeable_step_classes,
};
use crate::bits::BitString;
use crate::number::{Exact, ExactWithFloat, Number, index_saturating};

/// The steps of a plan, without those after the answer's step, and cached results.
#[derive(Debug)]
pub(super) struct StraightLineProgram {
    nodes: Vec<StraightLineProgramStep>,
    /// For each step of the plan, the bit that it writes on the witness `shown` if the oracle always answers truly;
    /// `None` if that is unknown.
    truths: Vec<Option<bool>>,
    /// The number of witness steps, which are the first steps.
    witness_length: u64,
    /// The first witness with which the plan outputs 1 under the oracle's true answers; if there is none, the last
    /// witness.
    shown: BitString,
    /// The witness with which a run with random answers is most likely to output 1.
    likeliest: OnceLock<BitString>,
    /// For each step, the last step that depends on its bit; the step itself if no later step does.
    last_use: Vec<usize>,
    /// The classes of interchangeable steps.
    classes: Vec<InterchangeableSteps>,
    lipschitz: Option<Exact>,
    /// The probability that the plan outputs 1 after every history; `None` if too many histories remain after merging
    /// those with the same future.
    acceptance_probabilities: OnceLock<Option<HashMap<Vec<bool>, Exact>>>,
}

/// Maximum number of histories for which the probability of output 1 is cached. If there are more, none is cached.
const MAX_CACHED_HISTORIES: usize = 4096;

impl StraightLineProgram {
    pub(super) fn new(nodes: Vec<StraightLineProgramStep>, lipschitz: Option<Exact>) -> Self {
        let mut last_use: Vec<usize> = (0..nodes.len()).collect();
        for (step, node) in nodes.iter().enumerate() {
            let mut note = |place: usize| {
                if let Some(last) = last_use.get_mut(place) {
                    *last = step;
                }
            };
            match &node.action {
                PlanStepBitRule::Ask { table, .. } => {
                    (0..table.longest_prefix_length_in_table()).for_each(&mut note);
                }
                PlanStepBitRule::Compute(compute) => {
                    compute.on.iter().copied().for_each(&mut note);
                }
                PlanStepBitRule::Witness => {}
            }
        }
        let is_witness =
            |node: &&StraightLineProgramStep| matches!(node.action, PlanStepBitRule::Witness);
        let mut straight = Self {
            witness_length: nodes.iter().take_while(is_witness).count() as u64,
            shown: BitString::default(),
            likeliest: OnceLock::new(),
            classes: interchangeable_step_classes(&nodes),
            nodes,
            truths: Vec::new(),
            last_use,
            lipschitz,
            acceptance_probabilities: OnceLock::new(),
        };
        for witness in all_witnesses(straight.witness_length) {
            straight.compute_truths(witness.into());
            if straight.truths.last() == Some(&Some(true)) {
                break;
            }
        }
        straight
    }

    /// Stores this witness, and computes the true bits of all steps for it.
    fn compute_truths(&mut self, witness: BitString) {
        self.shown = witness;
        self.truths.clear();
        for step in 0..self.nodes.len() {
            let truth = self.true_bit(step);
            self.truths.push(truth);
        }
    }

    fn likeliest(&self) -> &BitString {
        self.likeliest.get_or_init(|| {
            let mut best: Option<(Exact, Vec<bool>)> = None;
            for witness in all_witnesses(self.witness_length) {
                let accepts = acceptance_probability_after(self, &witness).unwrap_or_default();
                if best.as_ref().is_none_or(|(most, _)| accepts > *most) {
                    best = Some((accepts, witness));
                }
            }
            best.map(|(_, witness)| witness.into()).unwrap_or_default()
        })
    }

    /// Returns the true bit of a step, given the true bits of the steps before it.
    fn true_bit(&self, step: usize) -> Option<bool> {
        match &self.nodes.get(step)?.action {
            PlanStepBitRule::Witness => self.shown.bit_at(step as u64),
            PlanStepBitRule::Compute(compute) => {
                let truth = |place: &usize| self.truths.get(*place).copied()?;
                let read: Option<Vec<bool>> = compute.on.iter().map(truth).collect();
                Some(compute.output_bit(read?))
            }
            PlanStepBitRule::Ask { truth: Some(_), .. } => self.true_answer(step, &[]),
            PlanStepBitRule::Ask { table, .. } => {
                let before = self
                    .truths
                    .iter()
                    .take(table.longest_prefix_length_in_table())
                    .copied();
                self.true_answer(step, &before.collect::<Option<Vec<bool>>>()?)
            }
        }
    }

    /// Returns the oracle's true answer to the question of a step, given the bits of the earlier steps. `None` if the
    /// step asks no question, or if both answers are equally likely and the scenario states none.
    fn true_answer(&self, step: usize, bits: &[bool]) -> Option<bool> {
        let PlanStepBitRule::Ask { table, truth, .. } = &self.nodes.get(step)?.action else {
            return None;
        };
        truth.or_else(|| {
            let half = Exact::ratio(1, 2);
            let p = table.judge_yes_probability_after_bits(bits)?.exact();
            (*p != half).then(|| *p > half)
        })
    }

    /// Returns the probability that the plan outputs 1 after every possible history; `None` if there are too many
    /// histories.
    fn acceptance_probabilities(&self) -> Option<&HashMap<Vec<bool>, Exact>> {
        let probabilities = || acceptance_probabilities(self, MAX_CACHED_HISTORIES);
        self.acceptance_probabilities
            .get_or_init(probabilities)
            .as_ref()
    }

    /// If the claim says that the bit of a step is 0, returns this step; `None` for any other claim.
    pub(super) fn step_claimed_zero(&self, key: &ClaimKey) -> Option<usize> {
        let ClaimKeyContent::Step(step) = &key.0 else {
            return None;
        };
        let step = index_saturating(*step).checked_sub(self.nodes.len())?;
        (step < self.nodes.len()).then_some(step)
    }

    pub(super) fn step_at_index(&self, index: usize) -> Option<&StraightLineProgramStep> {
        self.nodes.get(index)
    }

    fn step(&self, step: u64) -> Option<&StraightLineProgramStep> {
        self.nodes.get(index_saturating(step))
    }

    /// Returns the number of the step whose bit is the plan's answer.
    pub(super) fn plan_answer_step(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    pub(super) fn are_all_true_bits_known(&self) -> bool {
        self.truths.iter().all(Option::is_some)
    }

    pub(super) fn truth(&self, key: &ClaimKey) -> Option<bool> {
        if let Some(step) = self.step_claimed_zero(key) {
            return self.truths.get(step).copied()?.map(|truth| !truth);
        }
        match &key.0 {
            ClaimKeyContent::Step(step) => *self.truths.get(index_saturating(*step))?,
            ClaimKeyContent::Word(history) => self.true_answer(history.len(), history.as_slice()),
            _ => None,
        }
    }

    /// True if some question has a probability other than 0 and 1 that a judge answers yes.
    pub(super) fn judge_may_err(&self) -> bool {
        self.nodes.iter().any(|step| match &step.action {
            PlanStepBitRule::Ask { table, .. } => table.judge_may_err(),
            PlanStepBitRule::Compute(_) | PlanStepBitRule::Witness => false,
        })
    }

    /// Returns the probability that a judge answers yes to the question of a step. It depends on the earlier bits:
    /// those in the key, or else the true ones.
    pub(super) fn judge_yes_probability_at_step(&self, key: &ClaimKey) -> Option<Exact> {
        let (step, bits) = match &key.0 {
            ClaimKeyContent::Step(step) => {
                let before = self.truths.iter().take(index_saturating(*step));
                (index_saturating(*step), before.copied().collect::<Vec<_>>())
            }
            ClaimKeyContent::Word(history) => {
                let bits = history.as_slice().iter().copied();
                (history.len(), bits.map(Some).collect())
            }
            _ => return None,
        };
        let PlanStepBitRule::Ask { table, .. } = &self.nodes.get(step)?.action else {
            return None;
        };
        let known = bits
            .iter()
            .take(table.longest_prefix_length_in_table())
            .all(Option::is_some);
        let bits: Vec<bool> = bits.iter().map(|bit| *bit == Some(true)).collect();
        table
            .judge_yes_probability_after_bits(&bits)
            .filter(|_| known)
            .map(|p| p.exact().clone())
    }

    pub(super) fn claim_text(&self, key: &ClaimKey) -> String {
        if let Some(node) = self
            .step_claimed_zero(key)
            .and_then(|step| self.nodes.get(step))
        {
            return format!("{} is not true", node.id);
        }
        let node = |step: usize| self.nodes.get(step);
        match &key.0 {
            ClaimKeyContent::Step(step) => {
                node(index_saturating(*step)).map_or_else(String::new, |it| it.text.clone())
            }
            ClaimKeyContent::Word(history) => {
                node(history.len()).map_or_else(String::new, |node| {
                    let bits = history.as_slice().iter().zip(&self.nodes);
                    let shown = bits.take(self.history_bits_used(history.len()));
                    let each = shown
                        .map(|(bit, node)| format!("{} is {bit}", node.id))
                        .collect::<Vec<_>>()
                        .join(", ");
                    format!("{} (if {each})", node.text)
                })
            }
            _ => String::new(),
        }
    }

    /// Returns how many of the run's first bits the answer to a step's question depends on; 0 if the step asks no
    /// question.
    fn history_bits_used(&self, step: usize) -> usize {
        match self.nodes.get(step).map(|node| &node.action) {
            Some(PlanStepBitRule::Ask { table, .. }) => table.longest_prefix_length_in_table(),
            _ => 0,
        }
    }
}

impl Computation for StraightLineProgram {
    fn steps(&self) -> u64 {
        self.nodes.len() as u64
    }

    fn input(&self, _place: u64) -> bool {
        false
    }

    fn witness_length(&self) -> u64 {
        self.witness_length
    }

    fn witness(&self) -> BitString {
        self.shown.clone()
    }

    fn witness_text(&self, witness: &BitString) -> Option<String> {
        let each = self
            .nodes
            .iter()
            .zip(witness.as_slice())
            .map(|(node, bit)| format!("{}: {}", node.id, u8::from(*bit)));
        Some(each.collect::<Vec<_>>().join(", "))
    }

    fn reads(&self, step: u64, into: &mut Vec<BitSource>) {
        into.clear();
        let Some(node) = self.step(step) else {
            return;
        };
        match &node.action {
            PlanStepBitRule::Witness => into.push(BitSource::Witness(step)),
            PlanStepBitRule::Ask { truth: Some(_), .. } => {}
            PlanStepBitRule::Ask { table, .. } => {
                into.extend(
                    (0..table.longest_prefix_length_in_table())
                        .map(|place| BitSource::Step(place as u64)),
                );
            }
            PlanStepBitRule::Compute(compute) => {
                into.extend(
                    compute
                        .on
                        .iter()
                        .map(|place| BitSource::Step(*place as u64)),
                );
            }
        }
    }

    fn rule(&self, step: u64, bits: &[bool]) -> RequiredStepOutput {
        let Some(node) = self.step(step) else {
            return RequiredStepOutput::Value(false);
        };
        match &node.action {
            PlanStepBitRule::Witness => RequiredStepOutput::Value(bits.first() == Some(&true)),
            PlanStepBitRule::Compute(compute) => {
                RequiredStepOutput::Value(compute.output_bit(bits.iter().copied()))
            }
            PlanStepBitRule::Ask { .. } if bits.is_empty() => {
                RequiredStepOutput::Oracle(ClaimKey(ClaimKeyContent::Step(step)))
            }
            // The history is padded with 0s, because the answer does not depend on bits that the step does not read.
            PlanStepBitRule::Ask { .. } => {
                let mut history = bits.to_vec();
                history.resize(index_saturating(step).max(bits.len()), false);
                RequiredStepOutput::Oracle(ClaimKey::from_bits(history.into()))
            }
        }
    }

    fn answer(&self, claim: &ClaimKey) -> Option<bool> {
        self.truth(claim)
    }

    fn step_text(&self, step: u64) -> String {
        let Some(node) = self.step(step) else {
            return String::new();
        };
        match &node.action {
            PlanStepBitRule::Witness => {
                format!("{step} = a bit of the witness", step = node.id)
            }
            PlanStepBitRule::Ask { question, .. } => format!("{} = {question}", node.id),
            PlanStepBitRule::Compute(compute) => {
                let ids = ids_of_steps_read(compute, &self.nodes);
                format!("{} = {} {ids}", node.id, compute.gate)
            }
        }
    }

    fn statement(&self, step: u64) -> Option<String> {
        Some(self.step(step)?.text.clone())
    }

    fn evidence(&self, step: u64) -> Option<String> {
        match &self.step(step)?.action {
            PlanStepBitRule::Ask { evidence, .. } => evidence.clone(),
            PlanStepBitRule::Compute(_) | PlanStepBitRule::Witness => None,
        }
    }

    fn source_text(&self, source: BitSource) -> String {
        let id = |node: &StraightLineProgramStep| node.id.clone();
        source.bit_source_name(|step| self.step(step).map_or_else(String::new, id))
    }
}

impl RandomComputation for StraightLineProgram {
    fn steps(&self) -> u64 {
        self.nodes.len() as u64
    }

    fn witness_length(&self) -> u64 {
        self.witness_length
    }

    fn witness(&self) -> BitString {
        self.likeliest().clone()
    }

    fn next(&self, bits: &[bool]) -> ExactWithFloat {
        match self.nodes.get(bits.len()).map(|node| &node.action) {
            Some(PlanStepBitRule::Compute(compute)) => compute.output_bit_after(bits).into(),
            // Every possible history has an entry, so this default is for impossible ones.
            Some(PlanStepBitRule::Ask { table, .. }) => table
                .judge_yes_probability_after_bits(bits)
                .cloned()
                .unwrap_or_else(|| false.into()),
            Some(PlanStepBitRule::Witness) => {
                let bit = self.likeliest().bit_at(bits.len() as u64);
                (bit == Some(true)).into()
            }
            None => false.into(),
        }
    }

    fn is_oracle(&self, step: u64) -> bool {
        let action = self.step(step).map(|node| &node.action);
        matches!(action, Some(PlanStepBitRule::Ask { .. }))
    }

    fn claim(&self, bits: &[bool]) -> ClaimKey {
        let reach = self.history_bits_used(bits.len());
        if reach == 0 {
            return ClaimKey(ClaimKeyContent::Step(bits.len() as u64));
        }
        let bits = bits.iter().enumerate();
        let kept = bits.map(|(place, bit)| *bit && place < reach);
        ClaimKey::from_bits(kept.collect())
    }

    fn forget(&self, bits: &mut [bool]) {
        let length = bits.len();
        if length >= self.nodes.len() {
            let kept = length.saturating_sub(1);
            bits.iter_mut().take(kept).for_each(|bit| *bit = false);
            return;
        }
        for (bit, last) in bits.iter_mut().zip(&self.last_use) {
            *bit &= *last >= length;
        }
        for class in &self.classes {
            class.sort_interchangeable_bits(bits);
        }
    }

    fn accepts_after(&self, bits: &[bool]) -> Option<Exact> {
        let Some(known) = self.acceptance_probabilities() else {
            return acceptance_probability_after(self, bits);
        };
        let mut history = bits.to_vec();
        self.forget(&mut history);
        known.get(&history).cloned()
    }

    fn is_acceptance_known(&self) -> bool {
        self.nodes.len() <= MAX_QUICK_STEPS || self.acceptance_probabilities().is_some()
    }

    fn claimed_lipschitz(&self) -> Option<Exact> {
        self.lipschitz.clone()
    }
}
