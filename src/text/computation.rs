//! Sentences about computations: bits that players give, steps that they challenge, bits that the verifier reads, and
//! its checks.

use serde::Serialize;
use serde_json::{Value, json};

use debate_core::bits::BitString;
use debate_core::number::{Exact, format_percent};
use debate_core::protocol::{
    BitsMeaning, ComputationAndTranscript, Log, LogEntry, Reward, Seat, VerifierCheck,
};
use debate_core::scenario::{BitSource, ClaimId, Computation, MachineRun, RequiredStepOutput};
use debate_core::text::{count_with_noun, shortened_around};

use super::{
    DebateNarrator, NamedTexts, ViewerPerspective, capitalized, fill_template, in_percent,
    lowercase_first, shortened_bits, with_thousands_separators, yes_no_word,
};

/// Maximum length of the text of a machine configuration, in characters; longer texts are shortened.
const MEANING: usize = 160;

/// Maximum number of subclaims of which a sentence names all; of more subclaims it names the first and the last.
const LISTED_PARTS: usize = 4;

/// Maximum number of steps of a computation in which the report searches for the first wrong one.
const MAX_SEARCHED_STEPS: u64 = 4096;

/// Maximum number of answers to the steps of an argument that a sentence lists.
const LISTED_ANSWERS: usize = 12;

/// Maximum number of consecutive bits read by the verifier that get a sentence each. More bits for one step of the
/// prover's transcript are combined into one sentence.
const READ_SINGLY: usize = 8;

/// Describes a well-formed machine configuration, shortened around the head: `last 0, head at 4:   _ _ 1[1]0`.
pub fn shortened_configuration(run: &dyn MachineRun, bits: &BitString) -> String {
    shortened_around(&run.text(bits), '[', MEANING)
}

/// Returns the name of a verifier's check in the file `check.ron`.
pub fn verifier_check_text_name(check: VerifierCheck) -> &'static str {
    match check {
        VerifierCheck::WellFormed { .. } => "well_formed",
        VerifierCheck::Start => "start",
        VerifierCheck::Accepts => "accepts",
        VerifierCheck::Follows { .. } => "follows",
        VerifierCheck::Step { .. } => "step",
        VerifierCheck::Output => "output",
        VerifierCheck::Estimate { .. } => "estimate",
        VerifierCheck::Matrix => "matrix",
    }
}

/// For each kind of check, two sentences: for a check that holds, and for a check that fails.
static FINDINGS: NamedTexts<(String, String)> = NamedTexts::new(include_str!("check.ron"));

impl DebateNarrator<'_> {
    /// Returns a sentence about samples, which are repeated answers about one step: the number of yes answers and their
    /// proportion.
    pub(super) fn yes_sample_count_sentence(ones: u64, count: u64) -> String {
        #[expect(clippy::cast_precision_loss, reason = "for reading")]
        let share = format_percent(ones as f64 / count.max(1) as f64);
        let say = if ones == 1 { "says" } else { "say" };
        let (count, yes_count) = (
            with_thousands_separators(count),
            with_thousands_separators(ones),
        );
        format!("Of {count} answers, {yes_count} {say} yes, a proportion of {share}")
    }

    /// Returns a sentence at the last of several consecutive checks that configurations are well formed. `None` at the
    /// earlier checks.
    pub(super) fn well_formed_configurations_sentence(
        &self,
        log: &Log<Exact>,
        index: usize,
    ) -> Option<String> {
        let holds = |entry: &&LogEntry<Exact>| {
            matches!(
                entry.event.verifier_check(),
                Some((VerifierCheck::WellFormed { .. }, true))
            )
        };
        let entries = log.entries();
        if entries.get(index + 1).as_ref().is_some_and(holds) {
            return None;
        }
        let before = entries.get(..=index)?.iter().rev();
        let prover = self
            .perspective
            .player_name_or_you_in_sentence(Seat::Prover);
        Some(match before.take_while(holds).count() {
            0 | 1 => format!(
                "Check passed: the bits that {prover} gave are a configuration of the machine"
            ),
            count => {
                let count = with_thousands_separators(count as u64);
                format!(
                    "Check passed: all {count} bit strings that {prover} gave are configurations of the machine"
                )
            }
        })
    }

    /// Returns a sentence about a bit that the verifier reads. If it reads many bits for one step, the first bit gets a
    /// sentence about all of them, and the others get `None`.
    pub(super) fn read_bit_sentence(
        &self,
        log: &Log<Exact>,
        index: usize,
        source: BitSource,
        value: bool,
        verifier: bool,
    ) -> Option<String> {
        let is_read = |entry: &&LogEntry<Exact>| {
            entry
                .event
                .read_bit_source_value_and_is_verifier_examined()
                .is_some()
        };
        let (before, after) = log.entries().split_at_checked(index)?;
        let earlier = before.iter().rev().take_while(is_read).count();
        let count = earlier + after.iter().take_while(is_read).count();
        let step = || self.written_for(log, index - earlier, index);
        match (count > READ_SINGLY).then(step).flatten() {
            Some(_) if earlier > 0 => None,
            Some(step) => {
                let (bit_count, written_bit) = (
                    count_with_noun(count, "bit", "bits"),
                    step.written_bit_text(),
                );
                let step_number = step.step;
                let bits_that_step_reads = step.step_input_values_text();
                Some(format!(
                    "The verifier reads {bit_count}: step {step_number} = {written_bit}; {bits_that_step_reads}"
                ))
            }
            None => {
                let bit = self.bit_read(source, value, verifier);
                Some(match self.statement_read(source, verifier) {
                    // An argument in words has no verifier beside the judge.
                    Some(_) => format!("For the check, {bit}"),
                    None => format!("The verifier reads {bit}"),
                })
            }
        }
    }

    /// Returns the step of the prover's transcript that the verifier checks by reading bits from log entry `first` on.
    /// `index` ends the part of the log in which the transcript is looked up. `None` without a challenge or a
    /// transcript, or if the verifier checks a step of its own computation.
    fn written_for(
        &self,
        log: &Log<Exact>,
        first: usize,
        index: usize,
    ) -> Option<StepWithWrittenBit> {
        let (pointed, false) = log.last_challenge_with_verifier_flag(first)? else {
            return None;
        };
        // Pointing at no step means that the output is checked.
        let last = || Some(self.instance.computation()?.steps().saturating_sub(1));
        self.written(log, index, pointed.or_else(last)?)
    }

    /// Formats a bit that the verifier reads: "g3 = 1", or, for a step that is a claim in words, "Alice's answer to
    /// “the delay is excused” is no".
    fn bit_read(&self, source: BitSource, value: bool, verifier: bool) -> String {
        if let Some(said) = self.statement_read(source, verifier) {
            let possessive = self.perspective.possessive(Seat::Prover);
            return format!(
                "{alices} answer to {statement} is {answer}",
                alices = possessive,
                statement = said,
                answer = yes_no_word(value)
            );
        }
        format!("{} = {}", self.source(source, verifier), u8::from(value))
    }

    /// Returns the claim in words, in quotation marks, to which a read bit is the prover's answer. `None` if the bit is
    /// no such answer.
    fn statement_read(&self, source: BitSource, verifier: bool) -> Option<String> {
        match (source, verifier) {
            (BitSource::Step(step), false) => self.statement(step),
            _ => None,
        }
    }

    /// True if all steps of the problem's computation are claims in words.
    pub fn is_computation_in_words(&self) -> bool {
        self.instance.computation().is_some_and(|computation| {
            (0..computation.steps()).all(|step| computation.statement(step).is_some())
        })
    }

    /// Describes the bits that a request asks a player to write: “the bit of every step”.
    pub fn requested_bits_name(&self, meaning: BitsMeaning) -> String {
        match meaning {
            BitsMeaning::Proof(bit) => format!("proof bit {}", self.instance.proof_bit_name(bit)),
            BitsMeaning::Answers { .. } => "answers".to_owned(),
            BitsMeaning::Configuration { time: 0 } => "the initial configuration".to_owned(),
            BitsMeaning::Configuration { time } => {
                format!(
                    "the configuration after {}",
                    count_with_noun(time, "step", "steps")
                )
            }
            BitsMeaning::Witness => "the witness".to_owned(),
            BitsMeaning::Transcript { verifier: false } if self.is_computation_in_words() => {
                "the answer to every step".to_owned()
            }
            BitsMeaning::Transcript { verifier: false } => "the bit of every step".to_owned(),
            BitsMeaning::Transcript { verifier: true } => {
                "the bit of every step of the verifier".to_owned()
            }
            BitsMeaning::Block { claim, .. } => self.instance.short_text(claim),
        }
    }

    pub(super) fn given_bits_sentence(
        &self,
        seat: Seat,
        ask: BitsMeaning,
        bits: &BitString,
    ) -> String {
        let does = |third, second| self.perspective.verb_form(seat, third, second);
        let meaning = match ask {
            BitsMeaning::Configuration { .. } => {
                self.machine_configuration_or_invalid_bits_text(bits)
            }
            BitsMeaning::Witness => {
                let computation = self.instance.computation();
                computation.and_then(|computation| computation.witness_text(bits))
            }
            BitsMeaning::Block { block, .. } => {
                let formula = self.instance.formula();
                let number = usize::try_from(block).unwrap_or(usize::MAX);
                let values =
                    formula.and_then(|formula| formula.block_values_text_if_short(number, bits));
                if let Some(values) = values {
                    return format!("{} {values}", does("chooses", "choose"));
                }
                None
            }
            _ => None,
        };
        let listed = match ask {
            BitsMeaning::Transcript { verifier: false } => self.listed_answers(bits),
            _ => None,
        };
        let gives_bits = format!(
            "{} {}",
            does("gives", "give"),
            self.requested_bits_name(ask)
        );
        if let Some(listed) = listed {
            return format!("{gives_bits}:{listed}");
        }
        let bits = meaning.unwrap_or_else(|| shortened_bits(bits));
        format!("{gives_bits}: {bits}")
    }

    /// True if the prover's answers to the steps of a computation are listed one by one. All steps must be claims in
    /// words, and there may be at most `LISTED_ANSWERS` answers.
    pub fn lists_step_answers(&self, bits: &BitString) -> bool {
        bits.len() <= LISTED_ANSWERS && self.is_computation_in_words()
    }

    /// Lists the prover's answers to the steps of an argument in words, each with its claim on a separate line. `None`
    /// if they are not listed.
    fn listed_answers(&self, bits: &BitString) -> Option<String> {
        if !self.lists_step_answers(bits) {
            return None;
        }
        let each = (0..).zip(bits.as_slice()).map(|(step, bit)| {
            let said = self.statement(step)?;
            Some(format!("{step} {said}: {}", yes_no_word(*bit)))
        });
        // The semicolons separate the steps in a list that shows each event in one line.
        Some(format!(
            "\n{}",
            each.collect::<Option<Vec<_>>>()?.join(";\n")
        ))
    }

    /// Describes a machine configuration in words and symbols, or says that the bits are not a configuration. `None` if
    /// the problem is not a run of a machine.
    pub fn machine_configuration_or_invalid_bits_text(&self, bits: &BitString) -> Option<String> {
        let run = self.instance.run()?;
        if !run.is_well_formed(bits) {
            return Some(format!(
                "{bits}, which is not a configuration",
                bits = shortened_bits(bits)
            ));
        }
        Some(shortened_configuration(&*run, bits))
    }

    /// Lists the subclaims of a claim: their number, and the names of all, or of the first and the last if there are
    /// many.
    pub(super) fn claim_count_and_names(&self, noun: &str, claims: &[ClaimId]) -> Option<String> {
        let first = claims.first()?;
        let last = claims.last()?;
        let count = with_thousands_separators(claims.len() as u64);
        if claims.len() <= LISTED_PARTS {
            let each: Vec<String> = claims.iter().map(|part| self.short_claim(*part)).collect();
            return Some(format!("{count} {noun}: {}", each.join("; ")));
        }
        let (first_claim, last_claim) = (self.short_claim(*first), self.short_claim(*last));
        Some(format!(
            "{count} {noun}, from {first_claim} to {last_claim}"
        ))
    }

    pub(super) fn challenge_sentence(
        &self,
        log: &Log<Exact>,
        index: usize,
        seat: Seat,
        step: Option<u64>,
        verifier: bool,
    ) -> String {
        let does = |third, second| self.perspective.verb_form(seat, third, second);
        let points = does("points", "point");
        let before = log.entries().get(index.wrapping_sub(1));
        let disputes = before.is_some_and(|entry| entry.event.claim_and_chosen_support().is_some());
        match (step, verifier) {
            (Some(_), _) if disputes => {
                let what = "that the claim follows from these subclaims";
                format!("{} {what}", does("disputes", "dispute"))
            }
            (None, _) if disputes => format!("{} the step", does("accepts", "accept")),
            (None, _) if log.last_transcript_is_verifiers().is_none() => {
                format!("{} it", does("accepts", "accept"))
            }
            (Some(_), false) if log.last_transcript_is_verifiers().is_none() => {
                format!("{} it checked", does("has", "have"))
            }
            (None, _) => format!("{points} at no step"),
            (Some(step), false) => {
                let written = self.written(log, index, step);
                let wrote = written.as_ref().and_then(|written| written.value);
                match (written, wrote.zip(self.statement(step))) {
                    (_, Some((wrote, claimed_step))) => {
                        let prover = self
                            .perspective
                            .player_name_or_you_in_sentence(Seat::Prover);
                        format!(
                            "{points} at {claimed_step}, where {prover} wrote {yes_or_no}",
                            yes_or_no = yes_no_word(wrote)
                        )
                    }
                    (Some(written), None) => {
                        format!(
                            "{points} at {}",
                            written.sentence_about_written_step(self.perspective)
                        )
                    }
                    (None, None) => format!("{points} at {}", self.step(step, verifier)),
                }
            }
            (Some(step), true) => {
                let bits = log.bits_given_before_entry(index, BitsMeaning::Transcript { verifier });
                let wrote = bits
                    .and_then(|bits| bits.bit_at(step))
                    .map(|bit| {
                        let prover = self
                            .perspective
                            .player_name_or_you_in_sentence(Seat::Prover);
                        format!(", where {prover} wrote {bit}", bit = u8::from(bit))
                    })
                    .unwrap_or_default();
                format!("{points} at {}{wrote}", self.step(step, verifier))
            }
        }
    }

    /// Returns a step of the last transcript that the prover gave before a log entry.
    fn written(&self, log: &Log<Exact>, index: usize, step: u64) -> Option<StepWithWrittenBit> {
        let computation = self.instance.computation()?;
        let transcript =
            log.bits_given_before_entry(index, BitsMeaning::Transcript { verifier: false })?;
        let none = BitString::default();
        let witness = log
            .bits_given_before_entry(index, BitsMeaning::Witness)
            .unwrap_or(&none);
        Some(StepWithWrittenBit::of(
            &*computation,
            witness,
            step,
            |step| transcript.bit_at(step),
        ))
    }

    /// Returns the first wrong step of the prover's last transcript of the problem's computation, in words. `None`
    /// without such a transcript or wrong step, and for computations of more than [`MAX_SEARCHED_STEPS`] steps.
    pub(super) fn first_wrong_step_in_words(&self, log: &Log<Exact>) -> Option<String> {
        let computation = self.instance.computation()?;
        if computation.steps() > MAX_SEARCHED_STEPS {
            return None;
        }
        let end = log.entries().len();
        let transcript =
            log.bits_given_before_entry(end, BitsMeaning::Transcript { verifier: false })?;
        let none = BitString::default();
        let witness = log
            .bits_given_before_entry(end, BitsMeaning::Witness)
            .unwrap_or(&none);
        let step = computation.first_wrong_step(witness, transcript.as_slice())?;
        Some(self.step(step, false))
    }

    /// Returns a step in words.
    fn step(&self, step: u64, verifier: bool) -> String {
        if verifier {
            // In a formula's game, the verifier computes the formula's matrix.
            return match self.instance.formula() {
                Some(formula) => {
                    format!("step {step} ({})", formula.quantifier_free_gate_text(step))
                }
                None => format!("step {step} of the verifier"),
            };
        }
        if let Some(computation) = self.instance.computation() {
            let text = computation.step_text(step);
            let told = || format!("step {step} ({text})");
            return self.statement(step).unwrap_or_else(told);
        }
        format!("step {step}")
    }

    /// Returns the claim in words that a step of the problem's computation decides, in quotation marks. `None` if the
    /// step has no claim in words.
    fn statement(&self, step: u64) -> Option<String> {
        let said = self.instance.computation()?.statement(step)?;
        Some(format!("“{said}”"))
    }

    /// Returns the steps of the prover's transcript that are claims in words, each as a text with a mark of the
    /// prover's answer.
    pub(super) fn written_claims_in_words(
        &self,
        log: &Log<Exact>,
    ) -> Vec<(ProverAnswerCorrectnessMark, String)> {
        let Some(computation) = self.instance.computation() else {
            return Vec::new();
        };
        let step = |step: u64| {
            let said = self.statement(step)?;
            let written = self.written(log, log.entries().len(), step)?;
            let value = written.value?;
            let truth = self
                .instance
                .truth(self.instance.claim_with_key(computation.claim(step)));
            let right = written.bit_required_by_step_rule(&*computation).or(truth);
            let mark = if right.is_some_and(|right| right != value) {
                ProverAnswerCorrectnessMark::Wrong
            } else if truth.is_some_and(|truth| truth != value) {
                ProverAnswerCorrectnessMark::FollowsFromWrongStep
            } else {
                ProverAnswerCorrectnessMark::True
            };
            Some((mark, format!("{said}: {}", yes_no_word(value))))
        };
        (0..computation.steps()).map_while(step).collect()
    }

    /// True if the step with this number of the problem's computation asks the oracle. False without a computation.
    pub(super) fn step_asks_oracle(&self, step: u64) -> bool {
        let computation = self.instance.computation();
        computation.is_some_and(|computation| {
            StepWithWrittenBit::of(&*computation, &BitString::default(), step, |_| None).asked
        })
    }

    /// Returns the name of a bit that the verifier reads, by its source.
    fn source(&self, source: BitSource, verifier: bool) -> String {
        if let (BitSource::Input(position), Some(formula)) = (source, self.instance.formula()) {
            return formula.variable_or_bit_name_at(u32::try_from(position).unwrap_or(u32::MAX));
        }
        match (source, verifier, self.instance.computation()) {
            (BitSource::Input(position), true, _) => {
                format!("its input bit {position}")
            }
            (BitSource::Step(step), true, _) => format!("its own step {step}"),
            (source, _, Some(computation)) => computation.source_text(source),
            (BitSource::Input(position), ..) => format!("x{position}"),
            (BitSource::Witness(position), ..) => format!("w{position}"),
            (BitSource::Step(step), ..) => format!("step {step}"),
        }
    }

    /// Returns a sentence about the result of a verifier's check, without a full stop.
    pub fn check_sentence(&self, log: &Log<Exact>, check: VerifierCheck, holds: bool) -> String {
        let (name, mut positions) = match check {
            VerifierCheck::Output if log.last_transcript_is_verifiers().is_none() => {
                ("last_step", Value::Null)
            }
            VerifierCheck::WellFormed { time } => {
                let steps = count_with_noun(time, "step", "steps");
                (verifier_check_text_name(check), json!({ "steps": steps }))
            }
            VerifierCheck::Follows { time } => (
                verifier_check_text_name(check),
                json!({ "number": time + 1 }),
            ),
            VerifierCheck::Step { step, verifier } => {
                let asked = !verifier && self.step_asks_oracle(step);
                let name = if asked {
                    "asked_step"
                } else {
                    verifier_check_text_name(check)
                };
                let step = self.step(step, verifier);
                let says = capitalized(&self.judge_says_or_you_say());
                let positions =
                    json!({ "oracle_step": step, "step": capitalized(&step), "judge_says": says });
                (name, positions)
            }
            VerifierCheck::Estimate { .. } => {
                let stated = log.last_stated_probability().map(in_percent);
                let possessive = capitalized(self.perspective.possessive(Seat::Prover));
                (
                    verifier_check_text_name(check),
                    json!({ "whose": possessive, "stated": stated }),
                )
            }
            VerifierCheck::Start
            | VerifierCheck::Accepts
            | VerifierCheck::Output
            | VerifierCheck::Matrix => (verifier_check_text_name(check), Value::Null),
        };
        positions["prover"] = self
            .perspective
            .player_name_or_you_in_sentence(Seat::Prover)
            .into();
        if let (VerifierCheck::Follows { time }, false) = (check, holds) {
            positions["right"] = self.right_configuration(log, time).into();
        }
        let finding = FINDINGS.get(name);
        let (yes, no) = finding.map_or(("", ""), |(yes, no)| (yes.as_str(), no.as_str()));
        fill_template(if holds { yes } else { no }, &positions, str::to_owned)
    }

    /// Describes the configuration that follows from the prover's configuration for this time, or at time 0 from the
    /// start. `None` if the machine asks the oracle, or if the prover's configuration is missing or malformed.
    fn right_configuration(&self, log: &Log<Exact>, time: u64) -> Option<String> {
        let run = self.instance.run().filter(|run| !run.asks())?;
        let given = |(ask, bits): (BitsMeaning, &BitString)| match ask {
            BitsMeaning::Configuration { time: given } if given == time => Some(bits.clone()),
            _ => None,
        };
        let before = match log.bit_strings_given_by_players().find_map(given) {
            Some(before) => before,
            None if time == 0 => run.start(),
            None => return None,
        };
        let after = run.is_well_formed(&before).then(|| run.after(&before))??;
        Some(shortened_configuration(&*run, &after))
    }

    /// Returns the reason for a reward in words. If a verifier decided, the reason includes the result of its decisive
    /// check, or else the last bit that it read.
    pub fn reward_reason_with_check_result(
        &self,
        reward: &Reward<Exact>,
        log: &Log<Exact>,
    ) -> String {
        let reward_reason = self.reward_reason(reward);
        match reward {
            Reward::Decided { .. } => match self.verifier_decision_reason(log) {
                Some(finding) => format!("{reward_reason}, since {finding}"),
                None => reward_reason,
            },
            _ => reward_reason,
        }
    }

    /// Returns a clause, without a full stop, that gives the reason for the verifier's decision: its decisive check, or
    /// else the last bit that it read. `None` if there is neither.
    pub fn verifier_decision_reason(&self, log: &Log<Exact>) -> Option<String> {
        let checks = log
            .entries()
            .iter()
            .filter_map(|entry| entry.event.verifier_check());
        // The first check that fails is decisive; if all hold, the last one is.
        let settled = checks.fold(None, |settled, check| match settled {
            Some((_, false)) => settled,
            _ => Some(check),
        });
        if let Some((check, holds)) = settled {
            let finding = self.check_sentence(log, check, holds);
            let begins_name = finding.starts_with("Alice");
            return Some(if begins_name {
                finding
            } else {
                lowercase_first(&finding)
            });
        }
        let (source, value, verifier) = log.last_bit_read_by_verifier()?;
        let bit = self.bit_read(source, value, verifier);
        Some(match self.statement_read(source, verifier) {
            Some(_) => bit,
            None => format!("the verifier reads {bit}"),
        })
    }
}

/// The mark beside a prover's answer to a step that is a claim in words. It says in the final report if the answer is
/// right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProverAnswerCorrectnessMark {
    /// The mark of an answer that is true, or whose truth is not known.
    True,
    /// The mark of a false answer to a step that asks the oracle, or of an answer that does not follow from the
    /// prover's answers to the steps it uses.
    Wrong,
    /// The mark of a false answer that follows from other answers of the prover, so the mistake is in an earlier step.
    FollowsFromWrongStep,
}

/// Maximum number of bits that a text lists one by one.
const LISTED: usize = 6;

/// A step of a computation, with the bit that the prover wrote for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "StepMessage"))]
#[serde(rename = "WrittenStep")]
pub struct StepWithWrittenBit {
    pub step: u64,
    pub text: String,
    /// The written bit; null if none was written.
    #[serde(rename = "wrote")]
    pub value: Option<bool>,
    pub reads: Vec<BitReadByStep>,
    /// True if the step asks the oracle.
    #[serde(rename = "asks")]
    pub asked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The joint meaning of the bits that the step reads, if the computation can express it in words.
    #[serde(skip)]
    pub meaning: Option<String>,
    /// The claim of the step, if the computation consists of claims in words.
    #[serde(skip)]
    pub statement: Option<String>,
}

/// A bit that a step of the computation reads, with its value: a bit of the input, of the witness or of an earlier
/// step. The value is false for an earlier step whose bit was not written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ReadMessage"))]
pub struct BitReadByStep {
    pub name: String,
    pub value: bool,
}

impl StepWithWrittenBit {
    /// Describes a step of a computation on this witness. `value` returns the bit that a step of the transcript wrote,
    /// if there is one.
    pub fn of(
        computation: &dyn Computation,
        witness: &BitString,
        step: u64,
        value: impl Fn(u64) -> Option<bool>,
    ) -> Self {
        let mut sources = Vec::new();
        computation.reads(step, &mut sources);
        let bit = |source: &BitSource| match source {
            BitSource::Step(step) => value(*step).unwrap_or(false),
            other => computation.bit(*other, witness, &[]),
        };
        let bits: Vec<bool> = sources.iter().map(bit).collect();
        let reads = sources
            .iter()
            .zip(&bits)
            .map(|(source, bit)| BitReadByStep {
                name: computation.source_text(*source),
                value: *bit,
            });
        Self {
            step,
            text: computation.step_text(step),
            value: value(step),
            statement: computation.statement(step),
            meaning: computation.reads_text(step, &bits),
            asked: matches!(computation.rule(step, &bits), RequiredStepOutput::Oracle(_)),
            evidence: computation.evidence(step),
            reads: reads.collect(),
        }
    }

    /// Describes a step of a computation, with the prover's transcript as far as it was given.
    pub fn from_prover_transcript(computed: &ComputationAndTranscript, step: u64) -> Self {
        let transcript = computed.transcript.as_ref();
        Self::of(&*computed.computation, &computed.witness, step, |step| {
            transcript.and_then(|bits| bits.bit_at(step))
        })
    }

    /// Returns the bit that the step must write by its rule. `None` if the oracle decides.
    pub fn bit_required_by_step_rule(&self, computation: &dyn Computation) -> Option<bool> {
        let bits: Vec<bool> = self.reads.iter().map(|bit| bit.value).collect();
        match computation.rule(self.step, &bits) {
            RequiredStepOutput::Value(value) => Some(value),
            RequiredStepOutput::Oracle(_) => None,
        }
    }

    /// Formats the bits that the step reads: "g3 = 1, x2 = 0"; empty if it reads none. Returns the computation's own
    /// description of these bits if it has one.
    pub fn step_input_values_text(&self) -> String {
        if let Some(meaning) = &self.meaning {
            return meaning.clone();
        }
        let listed = self.reads.iter().take(LISTED);
        let mut each: Vec<String> = listed
            .map(|BitReadByStep { name, value }| match self.statement {
                Some(_) => format!("{name}: {}", yes_no_word(*value)),
                None => format!("{name} = {}", u8::from(*value)),
            })
            .collect();
        if let Some(more @ 1..) = self.reads.len().checked_sub(LISTED) {
            each.push(format!("and {more} more"));
        }
        each.join(", ")
    }

    /// Says what determines the step's bit: "reads g3 = 1, x2 = 0", or "a judge is asked".
    pub fn step_inputs_or_judge_in_words(&self) -> String {
        match self.step_input_values_text() {
            _ if self.asked => "a judge is asked".to_owned(),
            read if read.is_empty() => "reads nothing".to_owned(),
            read => format!("reads {read}"),
        }
    }

    /// Formats the bit that the prover wrote: as yes or no for a claim in words, else as a digit, or `?` if it wrote
    /// none.
    pub fn written_bit_text(&self) -> &'static str {
        match (self.value, &self.statement) {
            (Some(value), Some(_)) => yes_no_word(value),
            (Some(true), None) => "1",
            (Some(false), None) => "0",
            (None, _) => "?",
        }
    }

    /// Describes the step by its rule, "g3 = g1 and x2", or for a claim in words by its name, claim and rule, "excused:
    /// the delay is excused (all of beyond, told)".
    pub fn step_text(&self) -> String {
        match (&self.statement, self.text.split_once(" = ")) {
            (Some(said), Some((name, _))) if self.asked => format!("{name}: {said}"),
            (Some(said), Some((name, rule))) => format!("{name}: {said} ({rule})"),
            _ => self.text.clone(),
        }
    }

    /// Returns the evidence for the judge who answers the step's question, if there is any, with `separator` between
    /// its lines.
    pub fn evidence_in_words(&self, separator: &str) -> Option<String> {
        let evidence = self.evidence.as_ref()?.replace('\n', separator);
        Some(format!("Evidence for a judge: {evidence}"))
    }

    /// Describes the step with its number: "step 3, told: the seller announced the delay".
    pub fn step_number_and_text(&self) -> String {
        let joint = if self.statement.is_some() { "," } else { ":" };
        format!("step {}{joint} {}", self.step, self.step_text())
    }

    /// Describes the whole step in one sentence without a full stop: its rule, the written bit, and the bits that it
    /// reads.
    pub fn sentence_about_written_step(&self, perspective: ViewerPerspective) -> String {
        let prover = perspective.player_name_or_you_in_sentence(Seat::Prover);
        let wrote = self.value.map_or_else(String::new, |_| {
            format!("; {prover} wrote {}", self.written_bit_text())
        });
        let read = match self.step_input_values_text() {
            read if read.is_empty() => String::new(),
            read => format!(", from {read}"),
        };
        format!("{}{wrote}{read}", self.step_number_and_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::scenario::CircuitWithInput;
    use debate_core::scenario::netlist::read_bench;
    use std::sync::Arc;

    #[test]
    fn every_check_has_a_finding() {
        let code = include_str!("computation.rs");
        for name in FINDINGS.text_names() {
            assert!(code.contains(&format!("\"{name}\"")), "{name} is no check");
            let (yes, no) = FINDINGS.get(name).unwrap();
            assert!(!yes.is_empty() && !no.is_empty() && yes != no, "{yes}");
        }
    }

    #[test]
    fn a_step_is_shown_with_its_inputs() {
        let text = "INPUT(a)\nINPUT(b)\nOUTPUT(o)\ns = XOR(a, b)\no = AND(s, b)\n";
        let netlist = Arc::new(read_bench(text.as_bytes()).unwrap());
        let output = netlist.outputs()[0];
        let circuit =
            CircuitWithInput::new(&netlist, output, BitString::parse("01").unwrap()).unwrap();
        let computed = ComputationAndTranscript {
            computation: Arc::new(circuit),
            witness: BitString::default(),
            transcript: BitString::parse("01"),
        };
        let written = StepWithWrittenBit::from_prover_transcript(&computed, 1);
        assert_eq!(
            written.sentence_about_written_step(ViewerPerspective::NEUTRAL),
            "step 1: g1 = g0 and x1; Alice wrote 1, from g0 = 0, x1 = 1"
        );
        assert_eq!(
            written.sentence_about_written_step(ViewerPerspective::of_seat(Seat::Prover)),
            "step 1: g1 = g0 and x1; you wrote 1, from g0 = 0, x1 = 1"
        );
        assert_eq!(
            written.bit_required_by_step_rule(&*computed.computation),
            Some(false)
        );
        let asked = ComputationAndTranscript {
            transcript: None,
            ..computed
        };
        assert_eq!(
            StepWithWrittenBit::from_prover_transcript(&asked, 0).written_bit_text(),
            "?"
        );
    }
}
