//! The game of a quantified formula (Irving, Christiano and Amodei 2018, arXiv:1805.00899; DQC Theorem 9): the players
//! choose the values of the variables, from the outermost block inwards, and the verifier checks the quantifier-free
//! part (matrix).
//!
//! Requests in order: for each block, Prover (for ∃) or Opponent (for ∀) [`Request::Bits`], its values. `Direct`: the
//! verifier then evaluates the matrix, reading every variable that occurs in it. `CrossExamined`: Prover
//! [`Request::Bits`], the value of every gate of the matrix; Opponent [`Request::Challenge`], a gate that does not
//! follow, or none; the verifier checks only that gate (DQC Lemma 8).
//!
//! Under `Direct`, a formula without blocks counts as one with an empty ∃ block, so that there is a move before the
//! verifier's check.
//!
//! DQC numbers the provers and lets Prover 0, who claims 0, write the gates down. Here the prover claims that the
//! formula is true, owns ∃ and writes: the same game with 0 and 1 exchanged.
//!
//! Payoff to the prover: +1 if the verifier decides for her, else −1.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event::{EventSink, Round, VerifierCheck};
use super::examination::{self, CrossExaminedComputationState};
use super::parameter::one_of;
use super::request::{self, BitString, BitsMeaning, IllegalReply, PendingTurn, Reply, Request};
use super::{
    ComputationAndTranscript, DebateWithCircuitVerifier, DebateWithExaminedComputation,
    ParameterValue, PaymentsAndResourceCosts, ProtocolError, ProtocolParameters, Rules, Seat,
    VerifierCostBound, View, reward,
};
use crate::number::{Number, to_u32_saturating};
use crate::scenario::netlist::Netlist;
use crate::scenario::{ClaimId, Decomposition, Formula, Instance, Quantifier};

/// The method by which the verifier checks the quantifier-free part (matrix) of the formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Verifier")]
pub enum FormulaMatrixCheckMethod {
    /// The verifier reads the value of every variable that occurs in the matrix.
    Direct,
    /// The prover writes down all gates of the matrix, and the verifier checks one of them (DQC Lemma 8).
    #[default]
    CrossExamined,
}

/// The parameters of the game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Parameters")]
pub struct QuantifierProtocolParameters {
    /// The verifier; [`FormulaMatrixCheckMethod::CrossExamined`] by default.
    #[serde(default)]
    pub verifier: FormulaMatrixCheckMethod,
}

impl ProtocolParameters for QuantifierProtocolParameters {
    fn prover_always_claims_true(&self) -> bool {
        true
    }

    fn fits(&self, problem: &dyn Decomposition) -> bool {
        let computed = problem.as_computation();
        computed.is_some_and(|problem| problem.formula(0).is_some())
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        let all = [
            FormulaMatrixCheckMethod::Direct,
            FormulaMatrixCheckMethod::CrossExamined,
        ];
        with("verifier", one_of(&mut self.verifier, &all));
    }

    fn summary(&self) -> String {
        match self.verifier {
            FormulaMatrixCheckMethod::Direct => {
                "the verifier reads every variable of the inner formula"
            }
            FormulaMatrixCheckMethod::CrossExamined => "the verifier checks one gate",
        }
        .to_owned()
    }

    fn has_verifier(&self) -> bool {
        self.verifier == FormulaMatrixCheckMethod::Direct
    }

    fn asks(&self, seat: Seat, instance: &Instance) -> bool {
        let owns = |owner: Quantifier| {
            let formula = instance.formula();
            let blocks = formula.as_ref().map_or(&[][..], |formula| formula.blocks());
            // A formula without blocks has an empty ∃ block.
            blocks.iter().any(|block| block.quantifier == owner)
                || owner == Quantifier::Exists && blocks.is_empty()
        };
        match seat {
            Seat::Prover => {
                self.verifier == FormulaMatrixCheckMethod::CrossExamined || owns(Quantifier::Exists)
            }
            Seat::Opponent => {
                self.verifier == FormulaMatrixCheckMethod::CrossExamined || owns(Quantifier::ForAll)
            }
            Seat::Judge | Seat::Chance => false,
        }
    }

    fn bounds(&self, instance: &Instance) -> Vec<VerifierCostBound> {
        let Some(formula) = instance.formula() else {
            return Vec::new();
        };
        match self.verifier {
            FormulaMatrixCheckMethod::Direct => {
                let most = formula.count_inputs_read_by_formula();
                vec![VerifierCostBound::new(
                    "bits_read",
                    most,
                    "arXiv:1805.00899",
                )]
            }
            FormulaMatrixCheckMethod::CrossExamined => {
                let values = vec![false; formula.variable_count() as usize];
                let matrix = formula.computation_on_values(&values);
                matrix.map_or_else(Vec::new, |matrix| {
                    examination::verifier_spending_bounds(matrix.as_ref(), "DQC Lemma 8")
                })
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// The player to move must choose values for the variables of the block with this number.
    Block(usize),
    Examination(Box<CrossExaminedComputationState>),
    Over,
}

/// The state of a debate about a quantified formula.
#[derive(Clone, Debug)]
pub struct QuantifierDebate<'a, N> {
    instance: &'a Instance,
    formula: Arc<Formula>,
    verifier: FormulaMatrixCheckMethod,
    step: Step,
    /// The values of variables that players chose so far, in the order of the blocks.
    values: Vec<bool>,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> QuantifierDebate<'a, N> {
    /// Starts a debate about a quantified formula, before the first reply.
    ///
    /// # Errors
    /// Returns an error if the instance offers no formula.
    pub fn new(
        instance: &'a Instance,
        parameters: &QuantifierProtocolParameters,
    ) -> Result<Self, ProtocolError> {
        let formula = instance.formula().ok_or_else(|| {
            ProtocolError::Text("this game needs a quantified formula; use a Qbf".to_owned())
        })?;
        let mut game = Self {
            instance,
            formula,
            verifier: parameters.verifier,
            step: Step::Block(0),
            values: Vec::new(),
            account: PaymentsAndResourceCosts::new(true),
        };
        if game.formula.blocks().is_empty()
            && game.verifier == FormulaMatrixCheckMethod::CrossExamined
        {
            game.step = game.examination();
        }
        Ok(game)
    }

    /// Returns the seat that chooses a block's values, and the block's number of variables.
    fn block(&self, number: usize) -> (Seat, u32) {
        let block = self.formula.blocks().get(number);
        let length = to_u32_saturating(block.map_or(0, |block| block.variables.len()));
        let seat = match block.map(|block| block.quantifier) {
            Some(Quantifier::ForAll) => Seat::Opponent,
            Some(Quantifier::Exists) | None => Seat::Prover,
        };
        (seat, length)
    }

    fn claim(&self, number: usize) -> ClaimId {
        self.instance
            .claim_with_key(self.formula.claim_of_remaining_quantifier_blocks(number))
    }

    fn ask(&self, number: usize) -> BitsMeaning {
        BitsMeaning::Block {
            block: to_u32_saturating(number),
            claim: self.claim(number),
        }
    }

    fn examination(&self) -> Step {
        // Every variable has a value here.
        match self.formula.computation_on_values(&self.values) {
            Some(matrix) => {
                let examination =
                    CrossExaminedComputationState::new(matrix, BitString::default(), true);
                Step::Examination(Box::new(examination))
            }
            None => Step::Over,
        }
    }

    fn rounds(&self) -> u32 {
        to_u32_saturating(self.formula.blocks().len())
    }

    fn give(&mut self, number: usize, bits: &BitString, sink: &mut dyn EventSink<N>) {
        let (seat, _) = self.block(number);
        self.account.count_reply(seat);
        self.values.extend(bits.as_slice());
        let blocks = self.formula.blocks().len();
        // Each later round begins when the one before it is over.
        if number == 0 && blocks > 0 {
            sink.log_round_start(self.rounds(), self.claim(0));
        }
        sink.log_given_bits(seat, self.ask(number), bits);
        if number < blocks {
            let claim = self.claim(number);
            let chosen = self.claim(number + 1);
            sink.log_split_without_support(seat, claim, &[chosen]);
            sink.log_selection(seat, claim, 0, chosen);
            sink.log_round_start(self.rounds() - to_u32_saturating(number + 1), chosen);
        }
        if number + 1 < blocks {
            self.step = Step::Block(number + 1);
        } else if self.verifier == FormulaMatrixCheckMethod::CrossExamined {
            self.step = self.examination();
        } else {
            let holds = self
                .formula
                .matrix_value_of_full_assignment(&self.values)
                .unwrap_or(false);
            self.account.judge_spending().bits_read += self.formula.count_inputs_read_by_formula();
            sink.log_check(Seat::Judge, VerifierCheck::Matrix, holds);
            self.account.end_by_verifier(holds, sink);
            self.step = Step::Over;
        }
    }
}

impl<N: Number> Rules<N> for QuantifierDebate<'_, N> {
    fn request(&self) -> Option<PendingTurn<N>> {
        match &self.step {
            Step::Block(number) => {
                let (seat, length) = self.block(*number);
                let ask = self.ask(*number);
                let request = Request::Bits { ask, length };
                Some(PendingTurn { seat, request })
            }
            Step::Examination(examination) => examination.request(self.instance),
            Step::Over => None,
        }
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        match (&mut self.step, reply) {
            (Step::Block(number), Reply::Bits(bits)) => {
                let number = *number;
                let bits = request::check_bit_count(bits, self.block(number).1)?;
                self.give(number, &bits, sink);
            }
            (Step::Examination(examination), reply) => {
                examination.reply(self.instance, reply, &mut self.account, sink)?;
            }
            (_, reply) => return Err(IllegalReply::kind(self.request(), &reply)),
        }
        Ok(())
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        reward::schedule_of_end(self.rounds())
    }

    fn round(&self) -> Option<Round> {
        match &self.step {
            Step::Block(number) => {
                let left = self.rounds().saturating_sub(to_u32_saturating(*number));
                Some(Round::Number(left))
            }
            Step::Examination(examination) if !examination.is_computation_examination_decided() => {
                Some(Round::Number(0))
            }
            Step::Examination(_) | Step::Over => None,
        }
    }

    /// Returns true: the prover always claims that the formula is true.
    fn answer(&self) -> Option<bool> {
        Some(true)
    }

    fn decided_outcome(&self) -> Option<(bool, VerifierCheck)> {
        let direct = self.verifier == FormulaMatrixCheckMethod::Direct;
        let for_prover = direct.then(|| self.formula.matrix_value_if_decided(&self.values))??;
        Some((for_prover, VerifierCheck::Matrix))
    }

    fn computed(&self) -> Option<&dyn DebateWithExaminedComputation> {
        Some(self)
    }

    fn circuit_verifier(&self) -> Option<&dyn DebateWithCircuitVerifier> {
        Some(self)
    }
}

impl<N: Number> DebateWithExaminedComputation for QuantifierDebate<'_, N> {
    fn transcript(&self) -> Option<ComputationAndTranscript> {
        match &self.step {
            Step::Examination(examination) => {
                Some(examination.examined_computation_and_transcript())
            }
            _ => None,
        }
    }

    fn prepared(&self) -> Option<BitString> {
        match &self.step {
            Step::Block(number) => Some(BitString::zeros(self.block(*number).1 as usize)),
            Step::Examination(examination) => examination.requested_true_transcript(),
            Step::Over => None,
        }
    }
}

impl<N: Number> DebateWithCircuitVerifier for QuantifierDebate<'_, N> {
    fn verifier(&self) -> Option<Arc<Netlist>> {
        (self.verifier == FormulaMatrixCheckMethod::Direct)
            .then(|| self.formula.matrix_as_circuit().clone())
    }

    fn verifier_input(&self) -> Option<BitString> {
        let is_over = self.request().is_none();
        (is_over && self.verifier == FormulaMatrixCheckMethod::Direct).then(|| {
            let given = self.formula.nonvariable_input_bits();
            self.values.iter().chain(given).copied().collect()
        })
    }
}

/// The view of a seat. No event of this protocol is sealed, so every seat sees everything.
impl<'v, N: Number> View<'v, QuantifierDebate<'_, N>> {
    /// Returns the formula.
    pub fn formula(&self) -> &'v Formula {
        &self.rules.formula
    }

    /// Returns the values that players have chosen so far for the formula's variables, in the order of the blocks.
    pub fn chosen_variable_values(&self) -> &'v [bool] {
        &self.rules.values
    }
}
