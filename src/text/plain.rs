//! Formats the pending request as lines of text, with the options and the stake.
//!
//! Plain mode shows these lines to users, and an external program in a seat reads the same lines.

use debate_core::number::{Exact, Number as _, format_rounded, format_rounded_with_sign};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{
    BitString, BitsMeaning, LogViewerRole, PendingTurn, Reply, Request, Round, Rules, Seat,
};
use debate_core::{Instance, SeatedDebate};
use num_traits::Zero as _;

use super::{
    DebateNarrator, FormulaCharacterSet, StepWithWrittenBit, ViewerPerspective, shortened_bits,
};

/// Number of steps that a question shows; `MAX_STEPS` is the maximum number of steps that a user can list at once.
pub(super) const FIRST_STEPS: u64 = 8;
const MAX_STEPS: u64 = 100;
/// Maximum number of a formula's variables that a text names.
const NAMED: usize = 24;

/// The pending question of a debate in progress, which is shown as lines of plain text.
#[derive(Clone, Copy)]
pub struct PendingQuestionInLines<'q, 'a> {
    pub seating: &'q SeatedDebate<'a, Exact>,
    pub instance: &'q Instance,
    /// The reader of the question.
    pub reader: LogViewerRole,
    pub perspective: ViewerPerspective,
    /// True if the values of replies are hidden from the user.
    pub blind: bool,
    /// True if a user types the reply, so that the text lists the options. False for a program, which gets the options
    /// as data.
    pub typed: bool,
}

/// Returns the bits that are prepared for the user to edit: the honest bits if the problem determines them, else zeros.
pub fn prepared_reply_bits(
    seating: &SeatedDebate<'_, Exact>,
    request: &Request<Exact>,
) -> BitString {
    let length = request.requested_bit_count().unwrap_or(0) as usize;
    let prepared = seating.state().honest_reply_bits();
    prepared
        .filter(|bits| bits.len() == length)
        .unwrap_or_else(|| BitString::zeros(length))
}

impl PendingQuestionInLines<'_, '_> {
    pub(super) fn narrator(&self) -> DebateNarrator<'_> {
        DebateNarrator::new(self.instance, FormulaCharacterSet::Unicode).seen_from(self.perspective)
    }

    /// Returns the question to the seat that must reply, with its options and its stake.
    pub fn question_lines(&self, turn: &PendingTurn<Exact>) -> Vec<String> {
        let log = self.seating.log();
        let ask = self.narrator().pending_question(turn, log);
        let title = self.seating.state().kind().title(turn.seat);
        let who = match turn.seat {
            Seat::Judge => "the judge".to_owned(),
            seat => format!("{}, the {title}", seat.player_name_of_seat()),
        };
        let mut text = vec![format!("You are {who}. {}", ask.text)];
        text.extend(Some(ask.clauses).filter(|clauses| !clauses.is_empty()));
        text.extend(ask.evidence.map(|evidence| format!("Evidence: {evidence}")));
        if !self.reader.is_shown_debate_during_play() && self.reader.sees_path_to_question() {
            text.extend(self.narrator().claim_path_sentence(turn, log));
        }
        text.extend(self.option_lines(&turn.request));
        text.extend(self.stake(&turn.request));
        text
    }

    /// Says what each answer of the judge would pay Alice. `None` if this would reveal information that is hidden from
    /// the judge, or if both answers pay the same and Alice placed no bet.
    fn answer_values(&self) -> Option<String> {
        let mut log = self.seating.log().all_observations(self.reader);
        let is_sealed = log.any(|seen| matches!(seen, ObservedLogEntry::Sealed { .. }));
        if self.blind || is_sealed || !self.reader.is_shown_debate_during_play() {
            return None;
        }
        let worth = |holds| {
            self.seating.immediate_reward_if_legal(Reply::Oracle {
                holds,
                confidence: None,
            })
        };
        let reward_if_yes = worth(true)?;
        let reward_if_no = worth(false)?;
        if reward_if_yes != reward_if_no {
            let (reward_if_yes, reward_if_no) = (
                format_rounded_with_sign(reward_if_yes.to_float(), 4),
                format_rounded_with_sign(reward_if_no.to_float(), 4),
            );
            return Some(format!(
                "Reward to Alice: yes {reward_if_yes}, no {reward_if_no}."
            ));
        }
        let bets = self.seating.log().contains_prover_bet();
        bets.then(|| {
            "Alice bets that the estimate is about right: your answer changes no reward.".to_owned()
        })
    }

    /// Says what is at stake with the reply; `None` if nothing is, or if it is unknown.
    fn stake(&self, request: &Request<Exact>) -> Option<String> {
        if request.claim_for_judge_to_decide().is_some() {
            return self.answer_values();
        }
        let seating = self.seating;
        let round = seating.state().round()?;
        let schedule = seating.state().schedule();
        let paying = schedule.iter().filter(|(_, weight)| !weight.is_zero());
        let once = paying.count() == 1;
        // If only one round pays, every reply is about that round.
        let mut rounds = schedule.iter().rev();
        let (_, weight) = rounds.find(|(of, weight)| *of == round || once && !weight.is_zero())?;
        let weight = weight.to_float();
        (weight > 0.0).then(|| {
            let when = match round {
                _ if once => "at the end".to_owned(),
                Round::Initial => "now".to_owned(),
                Round::Number(k) => {
                    let first = Round::first_of(&schedule).unwrap_or(k);
                    format!("in round {}", Round::round_ordinal(k, first))
                }
            };
            let so_far = if once {
                String::new()
            } else {
                let payoff = self.perspective.value(seating.state().payoff());
                let recipient = self.perspective.payoff_recipient_word();
                format!(
                    " Payoff so far: {payoff} to {recipient}.",
                    payoff = format_rounded_with_sign(payoff.to_float(), 4)
                )
            };
            format!("At stake {when}: {}.{so_far}", format_rounded(weight, 4))
        })
    }

    /// Returns the prepared bits, shortened, and lines that explain how to edit them.
    pub(super) fn prepared_bit_lines(
        &self,
        ask: BitsMeaning,
        request: &Request<Exact>,
    ) -> Vec<String> {
        let prepared = prepared_reply_bits(self.seating, request);
        let mut lines = vec![format!("  Prepared: {}", shortened_bits(&prepared))];
        if let BitsMeaning::Configuration { .. } = ask {
            let text = self
                .narrator()
                .machine_configuration_or_invalid_bits_text(&prepared);
            lines.extend(text.map(|text| format!("  As a configuration: {text}")));
        }
        if let BitsMeaning::Transcript { .. } = ask {
            lines.extend(self.unwritten());
        }
        if let (BitsMeaning::Block { block, .. }, Some(formula)) = (ask, self.instance.formula())
            && let Some(block) = formula.blocks().get(block as usize)
        {
            let names = block.variables.iter().take(NAMED);
            let letter = block.quantifier.variable_letter();
            let names: Vec<String> = names.map(|name| format!("{letter}{name}")).collect();
            let is_cut = block.variables.len() > NAMED;
            let ellipsis = if is_cut { " …" } else { "" };
            lines.push(format!(
                "  The variables, in order: {variable_names}{ellipsis}",
                variable_names = names.join(" ")
            ));
        }
        if self.typed {
            let other_ways = "or type all bits, or the indices to flip, for example flip 0 3";
            lines.push(format!(
                "Press Enter to send the prepared bits, {other_ways}."
            ));
        }
        lines
    }

    /// Lists the steps `first` to `last` of the computation under discussion, at most `MAX_STEPS` of them. Each step
    /// has the bit that the prover wrote and the bits that the step reads.
    pub fn step_lines(&self, first: u64, last: u64) -> Vec<String> {
        let Some(computed) = self.seating.state().transcript() else {
            return vec!["This debate has no computation steps to show.".to_owned()];
        };
        let count = computed.computation.steps();
        if first >= count {
            let last = count - 1;
            return vec![format!("There is no step {first}: the last is {last}.")];
        }
        let last = last.min(count - 1).min(first + MAX_STEPS - 1);
        let steps =
            (first..=last).map(|step| StepWithWrittenBit::from_prover_transcript(&computed, step));
        let lines = steps.flat_map(|written| {
            with_evidence(
                &written.sentence_about_written_step(self.perspective),
                &written,
            )
        });
        lines.collect()
    }

    /// Lists the first steps of the computation that the prover must write down.
    fn unwritten(&self) -> Vec<String> {
        let Some(computed) = self.seating.state().transcript() else {
            return Vec::new();
        };
        let steps = 0..computed.computation.steps().min(FIRST_STEPS);
        let steps = steps.map(|step| StepWithWrittenBit::from_prover_transcript(&computed, step));
        let lines =
            steps.flat_map(|written| with_evidence(&written.step_number_and_text(), &written));
        lines.collect()
    }
}

/// Returns the line of a computation's step, followed by the evidence for the step.
fn with_evidence(line: &str, written: &StepWithWrittenBit) -> Vec<String> {
    let evidence = written.evidence_in_words("\n    ");
    let lines = std::iter::once(format!("  {line}"));
    lines
        .chain(evidence.map(|text| format!("    {text}")))
        .collect()
}
