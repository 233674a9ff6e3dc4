//! The rules' requests to a participant in the words of the study: the question, the labels of its options, and the
//! reasons why the rules do not allow an answer.
//!
//! The English words do not follow later changes of [`DebateNarrator::pending_question`], because participants of
//! locked studies have read them.

use serde_json::{Value, json};

use crate::plan::StudyPlan;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _, format_percent};
use debate_core::protocol::{
    Bet, BitsMeaning, IllegalReply, Log, PendingTurn, Reply, Request, Seat,
};
use debate_core::scenario::{ClaimId, MAX_QUOTES, MAX_SPEECH, Quantifier, SpeechError};
use debate_core::text::count_with_noun;
use debate_text::{DebateNarrator, with_thousands_separators};

/// Maximum number of outcomes that a question lists. If there are more, it gives the number of yes and the number of no
/// outcomes.
const MAX_OUTCOMES: usize = 8;

/// A request of the rules, with everything that its words depend on.
pub(super) struct RequestTextInputs<'w> {
    pub(super) plan: &'w StudyPlan,
    pub(super) turn: &'w PendingTurn<Exact>,
    pub(super) log: &'w Log<Exact>,
    pub(super) narrator: &'w DebateNarrator<'w>,
}

impl RequestTextInputs<'_> {
    /// Returns the question of the request. `None` if it needs no words of the study: the page asks it in other words,
    /// or the rules ask in English.
    pub(super) fn question(&self) -> Option<String> {
        let instance = self.narrator.instance;
        let is_step = |claim| instance.warranted_claim_and_support(claim).is_some();
        Some(match &self.turn.request {
            Request::Answer { claim } => {
                let places = json!({"claim": instance.text(*claim)});
                self.plan.filled_question("defend an answer", &places)
            }
            Request::Probability { claim, .. } if is_step(*claim) => {
                let places = self.step_places(*claim);
                self.plan.filled_question("likely step", &places)
            }
            Request::Probability { .. } if self.plan.is_in_english() => return None,
            Request::Probability { claim, alone, .. } => self.estimate(*claim, *alone),
            Request::Share { claim } => {
                let places = json!({"claim": instance.short_text(*claim)});
                self.plan.filled_question("share of a coin", &places)
            }
            Request::Direction { claim } => {
                let percent = self.log.claim_probability_at_round_start();
                let places = json!({
                    "who": self.name_of(Seat::Opponent),
                    "percent": percent.map(|p| self.percent(p)),
                    "claim": instance.text(*claim),
                });
                self.plan.filled_question("place a bet", &places)
            }
            Request::Support { claim, offered } => {
                let writes = instance.max_prover_written_subclaims(*claim).is_some();
                let option = match (writes, *offered) {
                    (true, _) => 2,
                    (false, 1) => 0,
                    (false, _) => 1,
                };
                let places = json!({"claim": instance.text(*claim)});
                self.plan.filled_option("choose a reason", option, &places)
            }
            Request::Select { claim, .. } => {
                let option = match (self.log.is_last_split_outside_supports(), self.turn.seat) {
                    (true, Seat::Opponent) => 0,
                    (true, _) => 1,
                    (false, Seat::Opponent) => 2,
                    (false, _) => 3,
                };
                let who = self.name_of(Seat::Prover);
                let places = json!({"who": who, "claim": instance.text(*claim)});
                self.plan.filled_option("choose a point", option, &places)
            }
            Request::Challenge { claim, steps } => {
                self.challenge(*claim, steps.end.saturating_sub(steps.start))
            }
            Request::Bits { ask, length } => self.bits(*ask, *length),
            Request::Oracle { claim } if is_step(*claim) => {
                let vote = self.log.trailing_judge_answer_count(*claim) + 1;
                let another = (vote > 1).then(|| {
                    let places = json!({"number": vote});
                    self.plan.filled_text("another vote", &places)
                });
                self.step_question(*claim) + &another.unwrap_or_default()
            }
            Request::Oracle { .. }
            | Request::Speech { .. }
            | Request::Continue { .. }
            | Request::Draw { .. } => return None,
        })
    }

    /// Returns the label of the option with this reply. `None` if it needs no words of the study.
    pub(super) fn option(&self, reply: &Reply<Exact>) -> Option<String> {
        let plan = self.plan;
        let instance = self.narrator.instance;
        let option = |name, index, places: Value| Some(plan.filled_option(name, index, &places));
        let request = &self.turn.request;
        match reply {
            Reply::Answer(holds) => option("defend an answer", usize::from(!holds), json!({})),
            Reply::Oracle { holds, .. } => option("judge a step", usize::from(!holds), json!({})),
            Reply::Direction(bet) => {
                let index = match bet {
                    Bet::TooLow => 0,
                    Bet::AboutRight => 1,
                    Bet::TooHigh => 2,
                };
                option("place a bet", index, json!({}))
            }
            Reply::Support(index) => {
                let support = instance.support(request.claim_of_request()?, *index)?;
                let places = json!({
                    "label": instance.support_label(request.claim_of_request()?, *index as usize),
                    "gate": plan.gate_in_words(&support.gate, support.on.len()),
                    "points": self.quoted_points(&support.on),
                });
                Some(plan.filled_text("listed reason", &places))
            }
            Reply::Select(index) => {
                let claim = request.claim_of_request()?;
                let points = self.log.subclaims_in_last_split(claim, instance);
                let number = json!({"number": u64::from(*index) + 1});
                Some(points.get(*index as usize).map_or_else(
                    || plan.filled_text("numbered point", &number),
                    |point| instance.text(*point),
                ))
            }
            Reply::Challenge(step) => {
                let name = match self.challenge_name(request.claim_of_request()?) {
                    "point at a step" => "wrong step",
                    name => name,
                };
                option(name, usize::from(step.is_some()), json!({"number": step}))
            }
            Reply::Bits(bits) => {
                let Some(BitsMeaning::Answers { claim, support, .. }) = request.meaning_of_bits()
                else {
                    return None;
                };
                let points = &instance.support(claim, support)?.on;
                let answers = points.iter().zip(bits.as_slice()).map(|(point, holds)| {
                    let places = json!({"point": instance.short_text(*point)});
                    plan.filled_option("answer to a point", usize::from(!holds), &places)
                });
                Some(answers.collect::<Vec<_>>().join(", "))
            }
            Reply::Probability(..)
            | Reply::Compose(..)
            | Reply::Speech(_)
            | Reply::Continue(_)
            | Reply::Drawn(_) => None,
        }
    }

    fn name_of(&self, seat: Seat) -> String {
        self.plan
            .filled_option("name", seat.seat_index(), &Value::Null)
    }

    fn percent(&self, probability: &Exact) -> String {
        self.plan
            .decimal_text(&format_percent(probability.to_float()))
    }

    fn quoted(&self, text: &str) -> String {
        self.plan
            .filled_text("quoted answer", &json!({"answer": text}))
    }

    fn quoted_points(&self, points: &[ClaimId]) -> String {
        let short = |point: &ClaimId| self.quoted(&self.narrator.instance.short_text(*point));
        points.iter().map(short).collect::<Vec<_>>().join("; ")
    }

    /// Returns the question for a debater's estimate, in a language other than English.
    fn estimate(&self, claim: ClaimId, alone: bool) -> String {
        let plan = self.plan;
        let is_conditional = self.turn.request.may_depend_on_sibling_coins();
        let given = is_conditional.then(|| {
            let mut coins = self.log.earlier_round_coins_conditioning_estimates();
            coins.extend(self.log.coins_since_split());
            self.given_coins(claim, coins)
        });
        let places = json!({"claim": self.narrator.instance.text(claim)});
        let own = alone.then(|| plan.filled_text("on its own", &json!({})));
        [
            given.unwrap_or_default(),
            plan.filled_question("likely true", &places),
            own.unwrap_or_default(),
        ]
        .concat()
    }

    /// Returns the outcomes of this round's draws for other points than `claim`; empty if there are none.
    fn given(&self, claim: ClaimId) -> String {
        self.given_coins(claim, self.log.coins_since_split())
    }

    /// Returns the outcomes of these draws, without those for `claim`; empty if there are no others.
    fn given_coins(&self, claim: ClaimId, mut coins: Vec<(ClaimId, bool)>) -> String {
        coins.retain(|(of, _)| *of != claim);
        if coins.is_empty() {
            return String::new();
        }
        if coins.len() > MAX_OUTCOMES {
            let yes = coins.iter().filter(|(_, value)| *value).count();
            let places = json!({"yes": yes, "no": coins.len() - yes});
            return self.plan.filled_option("given outcomes", 1, &places);
        }
        let outcomes = coins.iter().map(|(claim, value)| {
            let places = json!({"claim": self.narrator.instance.short_text(*claim)});
            self.plan
                .filled_option("outcome of a coin", usize::from(!value), &places)
        });
        let outcomes = outcomes.collect::<Vec<_>>().join(", ");
        self.plan
            .filled_option("given outcomes", 0, &json!({"outcomes": outcomes}))
    }

    /// Returns the placeholders of a question about a step of an argument. The question is whether the answers to the
    /// step's points decide the step's claim.
    fn step_places(&self, step: ClaimId) -> Value {
        let instance = self.narrator.instance;
        let Some((claim, number)) = instance.warranted_claim_and_support(step) else {
            return Value::Null;
        };
        let support = instance.support(claim, number);
        let short = |claim: ClaimId| {
            let text = instance.short_text(claim);
            text.trim_end_matches('.').to_owned()
        };
        let points = support.iter().flat_map(|it| &it.on);
        let points = points.map(|point| short(*point));
        json!({
            "gate": support.map(|it| self.plan.gate_in_words(&it.gate, it.on.len())),
            "points": points.collect::<Vec<_>>().join("; "),
            "claim": short(claim),
        })
    }

    /// Returns the question whether the answers to a step's points decide the step's claim; empty if the
    /// claim `step` is not a step of an argument.
    fn step_question(&self, step: ClaimId) -> String {
        let instance = self.narrator.instance;
        let Some((claim, number)) = instance.warranted_claim_and_support(step) else {
            return String::new();
        };
        let support = instance.support(claim, number);
        let points: Vec<String> = support
            .iter()
            .flat_map(|it| &it.on)
            .map(|point| self.quoted(&instance.text(*point)))
            .collect();
        let places = json!({
            "gate": support.map(|it| self.plan.gate_in_words(&it.gate, it.on.len())),
            "points": points.join("; "),
            "claim": instance.text(claim),
        });
        self.plan.filled_question("judge a step", &places)
    }

    /// Returns the name of the words for a challenge of this claim.
    fn challenge_name(&self, claim: ClaimId) -> &'static str {
        let is_step = self
            .narrator
            .instance
            .warranted_claim_and_support(claim)
            .is_some();
        match self.log.last_transcript_is_verifiers() {
            _ if is_step => "dispute the step",
            None => "have it checked",
            Some(_) => "point at a step",
        }
    }

    /// Returns the question that asks a debater for a challenge. `steps` is the number of steps that can be challenged.
    fn challenge(&self, claim: ClaimId, steps: u64) -> String {
        let plan = self.plan;
        let who = self.name_of(Seat::Prover);
        let name = self.challenge_name(claim);
        match name {
            "dispute the step" => {
                let places = json!({"step": self.step_question(claim)});
                plan.filled_question(name, &places)
            }
            "have it checked" => {
                let places = json!({
                    "given": self.given(claim),
                    "who": who,
                    "claim": self.narrator.instance.text(claim),
                    "percent": self.log.last_stated_probability().map(|p| self.percent(p)),
                });
                plan.filled_question(name, &places)
            }
            _ => {
                let wrote = match steps {
                    1 => "one step".to_owned(),
                    steps => format!("{} steps", with_thousands_separators(steps)),
                };
                let is_verifiers = self.log.last_transcript_is_verifiers() == Some(true);
                let option = self.steps_option(is_verifiers);
                let places = json!({"who": who, "wrote": wrote, "steps": steps});
                plan.filled_option(name, option, &places)
            }
        }
    }

    /// Returns the index of the words for a transcript: of steps in words, of bits, or of the verifier's bits.
    fn steps_option(&self, is_verifiers: bool) -> usize {
        if is_verifiers {
            return 2;
        }
        usize::from(!self.narrator.is_computation_in_words())
    }

    /// Returns the question for a string of bits.
    fn bits(&self, meaning: BitsMeaning, length: u32) -> String {
        let plan = self.plan;
        let instance = self.narrator.instance;
        match meaning {
            BitsMeaning::Answers {
                claim,
                support,
                result,
            } => {
                let support = instance.support(claim, support);
                let result =
                    plan.filled_option("answer each point", usize::from(!result), &json!({}));
                let places = json!({
                    "gate": support.map(|it| it.gate.to_string()),
                    "condition": support.map(|it| plan.gate_in_words(&it.gate, it.on.len())),
                    "result": result,
                });
                plan.filled_question("answer each point", &places)
            }
            BitsMeaning::Proof(bit) => {
                let places = json!({"bit": instance.proof_bit_name(bit)});
                plan.filled_question("proof bit", &places)
            }
            BitsMeaning::Configuration { time } => {
                let after = count_with_noun(time, "step", "steps");
                let places = json!({"after": after, "step": time});
                let option = usize::from(time > 0);
                let asked = plan.filled_option("configuration", option, &places);
                let is_last = instance.run().is_some_and(|run| run.steps() == time);
                let last = is_last.then(|| plan.filled_text("last configuration", &json!({})));
                asked + &last.unwrap_or_default()
            }
            BitsMeaning::Witness => plan.filled_question("witness", &json!({"bits": length})),
            BitsMeaning::Block { claim, block } => self.values(claim, block),
            BitsMeaning::Transcript { verifier } => {
                let option = self.steps_option(verifier);
                plan.filled_option("write the steps", option, &json!({"bits": length}))
            }
        }
    }

    /// Returns the question for the values of a block of variables.
    fn values(&self, claim: ClaimId, block: u32) -> String {
        let plan = self.plan;
        let instance = self.narrator.instance;
        let what = instance.short_text(claim);
        let Some(formula) = instance.formula() else {
            return plan.filled_option("choose values", 0, &json!({"what": what}));
        };
        let owner = formula.blocks().get(block as usize);
        let option = match owner.map(|owner| owner.quantifier) {
            None => 0,
            Some(Quantifier::Exists) => 1,
            Some(Quantifier::ForAll) => 2,
        };
        let places = json!({"what": what, "end": formula.what_matrix_requires_in_words()});
        let asked = plan.filled_option("choose values", option, &places);
        let chosen = self
            .log
            .bit_strings_given_by_players()
            .filter_map(|(meaning, bits)| match meaning {
                BitsMeaning::Block { block, .. } => {
                    formula.block_values_text_if_short(block as usize, bits)
                }
                _ => None,
            });
        let chosen: Vec<String> = chosen.collect();
        if chosen.is_empty() {
            return asked;
        }
        asked + &plan.filled_text("chosen values", &json!({"values": chosen.join(", ")}))
    }
}

impl StudyPlan {
    /// Returns a gate in the words of the study: the condition on `count` numbered points (subclaims) under which they
    /// make their statement (claim) true.
    pub(super) fn gate_in_words(&self, gate: &Gate, count: usize) -> String {
        let (of, copies) = gate.outer_gate_and_copies();
        let places = json!({"copies": copies});
        let majorities = |index| self.filled_option("gate of majorities", index, &places);
        let is_counted = matches!(gate, Gate::OfMajorities { .. });
        match (of, count / copies.max(1) as usize) {
            (Gate::Not, 1) if is_counted => majorities(1),
            (_, 1) if is_counted => majorities(2),
            (of, inputs) if is_counted => {
                let gate = self.plain_gate_in_words(of, inputs);
                let places = json!({"copies": copies, "gate": gate});
                self.filled_option("gate of majorities", 0, &places)
            }
            (of, inputs) => self.plain_gate_in_words(of, inputs),
        }
    }

    fn plain_gate_in_words(&self, gate: &Gate, inputs: usize) -> String {
        let option = match (gate, inputs) {
            (Gate::Not, _) => 5,
            (_, 1) => 8,
            (Gate::All, 2) => 0,
            (Gate::All, _) => 1,
            (Gate::Any, _) => 2,
            (Gate::Majority, _) => 3,
            (Gate::AtLeast(_), _) => 4,
            (Gate::Xor, _) => 6,
            (Gate::Table(_) | Gate::OfMajorities { .. }, _) => 7,
        };
        let least = match gate {
            Gate::AtLeast(least) => Some(least),
            _ => None,
        };
        self.filled_option("gate", option, &json!({"count": inputs, "least": least}))
    }

    /// Says to the participant why the rules rejected a reply, in the language of the study.
    pub(super) fn illegal_reply_sentence(&self, illegal: &IllegalReply) -> String {
        match illegal {
            IllegalReply::Speech(error) => self.speech_error_sentence(error),
            IllegalReply::NoDoubt(number) => {
                self.refusal(8, &json!({"number": self.decimal_text(number)}))
            }
            IllegalReply::Unsupported(stated) => self.refusal(9 + usize::from(!stated), &json!({})),
            // Pages offer no such answers, except in studies of earlier formats.
            illegal if self.is_in_english() => illegal.to_string(),
            _ => self.refusal(11, &json!({})),
        }
    }

    /// Says to the participant why a speech was rejected, in the language of the study.
    pub(super) fn speech_error_sentence(&self, error: &SpeechError) -> String {
        match error {
            SpeechError::Unclosed => self.refusal(0, &json!({})),
            SpeechError::Endless { given } => {
                self.refusal(1, &json!({"given": given, "most": MAX_SPEECH}))
            }
            SpeechError::TooLong { given, most } => {
                self.refusal(2, &json!({"given": given, "most": most}))
            }
            SpeechError::TooMuchQuoted { given, most } => {
                self.refusal(3, &json!({"given": given, "most": most}))
            }
            SpeechError::TooManyQuotes { given } => {
                self.refusal(4, &json!({"given": given, "most": MAX_QUOTES}))
            }
            SpeechError::EmptyQuote(number) => self.refusal(5, &json!({"number": number})),
            SpeechError::NotInSource { place, words } => {
                self.refusal(6, &json!({"number": place, "words": words}))
            }
            SpeechError::Unsafe { code } => {
                self.refusal(7, &json!({"code": format!("{code:04X}")}))
            }
        }
    }

    fn refusal(&self, option: usize, places: &Value) -> String {
        self.filled_option("reason for refusal", option, places)
    }
}
