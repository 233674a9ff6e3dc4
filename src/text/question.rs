//! Describes requests in words: the questions to the seat that must reply, the actions for the seats that wait, and the
//! consequences.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use debate_core::bits::BitString;
use debate_core::number::{Exact, format_rounded};
use debate_core::protocol::speeches::rounds_heard_by_judge;
use debate_core::protocol::{
    self, ChanceDraw, Log, PendingTurn, ProtocolKind, Request, Round, Rules as _, Seat,
    SpeechDebate,
};
use debate_core::scenario::{
    self, ClaimId, Instance, MachineRun, OpponentEvidenceVisibility, Quantifier, QuoteRule,
    SpeechCharacterLimits,
};
use debate_core::text::count_with_noun;

use super::{
    DebateAnswerForm, DebateNarrator, DebateViewpoint, EstimateSplitBar, FormulaCharacterSet, Line,
    NamedTexts, PayoffFormatter, QuestionToUser, TextRole, ViewerPerspective, capitalized,
    fill_template, in_percent, shortened_bits, with_thousands_separators, yes_no_word,
};

/// Maximum number of coins that a question lists. If there are more, it gives the number of yes and of no outcomes, so
/// that the question stays short.
const MAX_NAMED: usize = 8;
/// Maximum number of a formula's clauses that are examined for a question.
const MAX_CLAUSES: usize = 60;

/// The title and the text of each question, by the question's name.
static QUESTIONS: NamedTexts<(String, String)> = NamedTexts::new(include_str!("question.ron"));

/// For each request, the requested action in words, for the seats that wait.
static ACTIONS: NamedTexts = NamedTexts::new(include_str!("action.ron"));

impl DebateNarrator<'_> {
    /// Returns the question to the seat that must reply to the pending request.
    pub fn pending_question(&self, turn: &PendingTurn<Exact>, log: &Log<Exact>) -> QuestionToUser {
        let request = &turn.request;
        let ask = |name: &str, places: Value| self.worded(name, request, places);
        if let Some(question) = self.instance.as_two_answer_question() {
            return self.ask_about(question, request, log);
        }
        let evidence = |claim: &ClaimId| self.instance.evidence(*claim);
        let given = |claim: &ClaimId| self.given(*claim, log);
        match request {
            Request::Answer { .. } => ask("answer", Value::Null),
            Request::Probability { claim, .. }
                if self.instance.warranted_claim_and_support(*claim).is_some() =>
            {
                ask("doubt", json!({ "text": self.instance.text(*claim) }))
            }
            Request::Probability { claim, alone, .. } => {
                let given = request
                    .may_depend_on_sibling_coins()
                    .then(|| self.given_estimate_coins(*claim, log))
                    .flatten();
                // A prover states probabilities, not beliefs, and reads the same evidence as the judge who is asked.
                let reads = turn.seat == Seat::Prover
                    || self.instance.opponent_sees() == OpponentEvidenceVisibility::Evidence;
                let ask = ask("estimate", json!({ "given": given, "alone": alone }));
                QuestionToUser { given, ..ask }.with_evidence(evidence(claim).filter(|_| reads))
            }
            Request::Direction { .. } => ask(
                "bet",
                json!({ "p": log.claim_probability_at_round_start().map(in_percent) }),
            ),
            Request::Support { claim, offered } => {
                let writes = self.instance.max_prover_written_subclaims(*claim).is_some();
                let denied = json!({ "denied": self.is_denied_under_bets(*claim, log) });
                match (writes, *offered) {
                    (false, 1) => ask("only support", denied),
                    (false, _) => ask("support", denied),
                    (true, offered) => ask("own support", json!({ "listed": offered > 0 })),
                }
            }
            Request::Select { .. } => {
                let name = match (log.is_last_split_outside_supports(), turn.seat) {
                    (true, Seat::Opponent) => "error",
                    (true, _) => "proof",
                    (false, Seat::Opponent) => "contest",
                    (false, _) => "choice",
                };
                ask(name, Value::Null)
            }
            Request::Bits { ask, length } => self.ask_bits(*ask, *length, log, request),
            Request::Share { .. } => ask("share", Value::Null),
            Request::Challenge { claim, steps } => match log.last_transcript_is_verifiers() {
                _ if self.instance.warranted_claim_and_support(*claim).is_some() => {
                    ask("dispute", json!({ "warrant": self.ask_warrant(*claim) }))
                }
                None => {
                    let p = log.last_stated_probability().map(in_percent);
                    let given = given(claim);
                    let ask = ask("check", json!({ "given": given, "p": p }));
                    QuestionToUser { given, ..ask }.with_evidence(evidence(claim))
                }
                Some(verifier) => {
                    let count = match steps.end.saturating_sub(steps.start) {
                        1 => "one step".to_owned(),
                        count => format!("{} steps", with_thousands_separators(count)),
                    };
                    let computation = self.instance.computation().filter(|_| !verifier);
                    let last = steps.end.saturating_sub(1);
                    let words = computation.is_some_and(|steps| steps.statement(last).is_some());
                    let values = json!({ "count": count, "verifier": verifier, "words": words });
                    ask("step", values)
                }
            },
            Request::Oracle { claim } => {
                let warrant = self.ask_warrant(*claim);
                let vote =
                    Some(log.trailing_judge_answer_count(*claim) + 1).filter(|vote| *vote > 1);
                ask("judgement", json!({ "warrant": warrant, "vote": vote }))
                    .with_evidence(evidence(claim))
            }
            Request::Draw { draw, .. } => match draw {
                ChanceDraw::Bernoulli(_) => ask("coin", Value::Null),
                ChanceDraw::Binomial { count, .. } => ask(
                    "samples",
                    json!({ "count": with_thousands_separators(*count) }),
                ),
            },
            // Only debates about a question have speeches.
            Request::Speech { .. } | Request::Continue { .. } => {
                QuestionToUser::new("", "", DebateAnswerForm::Reply(request.clone()))
            }
        }
    }

    /// Returns a question from the file `question.ron`, with its claim and its other placeholders filled in.
    fn worded(&self, name: &str, request: &Request<Exact>, mut places: Value) -> QuestionToUser {
        if let Some(claim) = request.claim_of_request() {
            places["claim"] = self.quoted_claim(claim).into();
            places["brief"] = self.short_claim(claim).into();
        }
        let wording = QUESTIONS.get(name);
        let (title, text) =
            wording.map_or(("", ""), |(title, text)| (title.as_str(), text.as_str()));
        let text = fill_template(text, &places, str::to_owned);
        QuestionToUser::new(title, text, DebateAnswerForm::Reply(request.clone()))
    }

    /// Returns the question for the pending request of a debate in free speeches.
    fn ask_about(
        &self,
        question: &scenario::TwoAnswerQuestion,
        request: &Request<Exact>,
        log: &Log<Exact>,
    ) -> QuestionToUser {
        let answers = question
            .answers()
            .map(|answer| self.in_quotes_of_script(answer.trim()));
        let mut places = json!({
            "subject": question.question_text().trim(),
            "first": answers[0],
            "second": answers[1],
            "heard": rounds_heard_by_judge(log) > 0,
        });
        let name = match request {
            Request::Speech { argues_for, limits } => {
                places["limits"] = limited(*limits).into();
                let own = argues_for.and_then(|place| answers.get(usize::from(place)));
                places["own"] = own.cloned().into();
                own.map_or("words", |_| "speech")
            }
            Request::Continue { round } => {
                places["round"] = (*round).into();
                "decision"
            }
            Request::Answer { .. }
            | Request::Probability { .. }
            | Request::Direction { .. }
            | Request::Support { .. }
            | Request::Select { .. }
            | Request::Share { .. }
            | Request::Challenge { .. }
            | Request::Bits { .. }
            | Request::Oracle { .. }
            | Request::Draw { .. } => "belief",
        };
        self.worded(name, request, places)
    }

    /// Returns a sentence that lists the claims on the path from the root to the requested claim, without the requested
    /// claim. `None` if there are no such claims.
    pub fn claim_path_sentence(
        &self,
        turn: &PendingTurn<Exact>,
        log: &Log<Exact>,
    ) -> Option<String> {
        let asked = turn.request.claim_of_request();
        let mut path: Vec<ClaimId> = Vec::new();
        for claim in std::iter::once(self.instance.root()).chain(log.claims_on_path()) {
            if Some(claim) != asked && !path.contains(&claim) {
                path.push(claim);
            }
        }
        let claims: Vec<String> = path
            .into_iter()
            .map(|claim| self.quoted_claim(claim))
            .collect();
        (!claims.is_empty()).then(|| {
            format!(
                "The claims above this one: {claims}.",
                claims = claims.join("; ")
            )
        })
    }

    /// Returns the question about a warrant: "Suppose you knew which of these are true: …. Would that decide …?" `None`
    /// if the claim is not a warrant.
    fn ask_warrant(&self, warrant: ClaimId) -> Option<String> {
        let (of, number) = self.instance.warranted_claim_and_support(warrant)?;
        let support = self.instance.support(of, number);
        let (gate, on) = support.map_or((String::new(), &[][..]), |support| {
            (
                support.gate.describe_gate_over_inputs(support.on.len()),
                &support.on[..],
            )
        });
        let each: Vec<String> = on.iter().map(|part| self.quoted_claim(*part)).collect();
        let (each, claim) = (each.join("; "), self.quoted_claim(of));
        Some(format!(
            "Suppose you knew which of these are true: {each}. Would that decide ({gate}) whether \
             {claim}?"
        ))
    }

    /// True if the prover denied the claim under rules where bets, not the split, argue for an answer.
    fn is_denied_under_bets(&self, claim: ClaimId, log: &Log<Exact>) -> bool {
        let answers = log.logged_answers_of_seat(Seat::Prover, self.instance);
        log.claim_probability_at_round_start().is_some() && answers.contains(&(claim, false))
    }

    /// Returns a phrase with the outcomes of this round's coins: "Given the coins (yes for a, no for b): ". The claim's
    /// own coin is left out. `None` if no other coin was thrown.
    fn given(&self, claim: ClaimId, log: &Log<Exact>) -> Option<String> {
        self.given_coins(claim, log.coins_since_split())
    }

    /// As [`Self::given`], for an estimate: with the coins of earlier rounds that it depends on.
    fn given_estimate_coins(&self, claim: ClaimId, log: &Log<Exact>) -> Option<String> {
        let mut coins = log.earlier_round_coins_conditioning_estimates();
        coins.extend(log.coins_since_split());
        self.given_coins(claim, coins)
    }

    fn given_coins(&self, claim: ClaimId, mut coins: Vec<(ClaimId, bool)>) -> Option<String> {
        coins.retain(|(of, _)| *of != claim);
        if coins.is_empty() {
            return None;
        }
        if coins.len() > MAX_NAMED {
            let yes_count = coins.iter().filter(|(_, value)| *value).count();
            let no_count = coins.len() - yes_count;
            return Some(format!(
                "Given the earlier coins ({yes_count} yes, {no_count} no): "
            ));
        }
        let outcome = |(claim, value): &(ClaimId, bool)| {
            let claim = self.short_claim(*claim);
            format!("{} for {claim}", yes_no_word(*value))
        };
        let each: Vec<String> = coins.iter().map(outcome).collect();
        Some(format!("Given the coins ({}): ", each.join(", ")))
    }

    /// Lists briefly the coins on which an estimate depends: this round's coins, and those before each chosen claim.
    /// "Given: “none of 7–67” yes, “none of 71–149” no." A list that is too long is counted instead. `None` before
    /// the first choice of a claim if there are no such coins, or if the request does not depend on coins.
    pub fn given_coins_line(
        &self,
        request: &Request<Exact>,
        log: &Log<Exact>,
        max_words: usize,
    ) -> Option<String> {
        let claim = request.claim_of_request()?;
        let mut coins = log.coins_since_split();
        coins.retain(|(of, _)| *of != claim);
        let earlier = log.earlier_round_coins_conditioning_estimates();
        if !request.may_depend_on_sibling_coins() {
            return None;
        }
        let outcome = |(claim, value): &(ClaimId, bool)| {
            let text = self.instance.short_text(*claim);
            format!("“{text}” {}", yes_no_word(*value))
        };
        let listed = |coins: &[(ClaimId, bool)]| {
            let each: Vec<String> = coins.iter().map(outcome).collect();
            each.join(", ")
        };
        let counted = |coins: &[(ClaimId, bool)]| {
            let yes = coins.iter().filter(|(_, value)| *value).count();
            match (yes, coins.len() - yes) {
                (yes_coins, 0) => format!("{yes_coins} yes"),
                (0, no_coins) => format!("{no_coins} no"),
                (yes_coins, no_coins) => format!("{yes_coins} yes and {no_coins} no"),
            }
        };
        // A coin that said no changes most, so one or two of them are named.
        let no_named = |coins: &[(ClaimId, bool)]| {
            let no_coins: Vec<(ClaimId, bool)> =
                coins.iter().filter(|(_, value)| !value).copied().collect();
            let yes_count = coins.len() - no_coins.len();
            match no_coins.len() {
                1 | 2 if yes_count > 1 => {
                    format!("{}, {yes_count} others yes", listed(&no_coins))
                }
                _ => counted(coins),
            }
        };
        let of_round = |counts: String| format!("{counts} in this round");
        let before = |counts: String| format!("{counts} in earlier rounds");
        let all = [&earlier[..], &coins[..]].concat();
        // From the most to the least detailed form.
        let forms = match (earlier.is_empty(), coins.is_empty()) {
            (true, true) if log.last_selected_claim().is_none() => return None,
            (true, true) => vec!["no earlier coin counts".to_owned(), "no coin".to_owned()],
            (true, false) => vec![
                listed(&coins),
                of_round(no_named(&coins)),
                of_round(counted(&coins)),
            ],
            (false, true) => vec![
                listed(&earlier),
                before(no_named(&earlier)),
                before(counted(&earlier)),
            ],
            (false, false) => vec![
                format!("{}, {}", listed(&earlier), listed(&coins)),
                format!("{}; {}", listed(&coins), before(no_named(&earlier))),
                format!(
                    "{}; {}",
                    of_round(no_named(&coins)),
                    before(no_named(&earlier))
                ),
                format!("{}; {}", listed(&coins), before(counted(&earlier))),
                format!(
                    "{}; {}",
                    of_round(no_named(&coins)),
                    before(counted(&earlier))
                ),
                format!(
                    "{}; {}",
                    of_round(counted(&coins)),
                    before(counted(&earlier))
                ),
                format!("{} so far", no_named(&all)),
                format!("{} so far", counted(&all).replace(" and", ",")),
            ],
        };
        let mut lines = forms.into_iter().map(|form| format!("Given: {form}."));
        let fits = |line: &String| line.split_whitespace().count() <= max_words;
        lines.clone().find(fits).or_else(|| lines.next_back())
    }

    fn ask_bits(
        &self,
        wanted: protocol::BitsMeaning,
        length: u32,
        log: &Log<Exact>,
        request: &Request<Exact>,
    ) -> QuestionToUser {
        use protocol::BitsMeaning as Wanted;
        let ask = |name: &str, places: Value| self.worded(name, request, places);
        let bits = with_thousands_separators(length.into());
        match wanted {
            Wanted::Answers {
                claim,
                support,
                result,
            } => {
                let support = self.instance.support(claim, support);
                let gate = support.map(|support| support.gate.to_string());
                let result = Self::truth_word(result);
                ask("claimed answers", json!({ "gate": gate, "result": result }))
            }
            Wanted::Proof(bit) => ask(
                "proof bit",
                json!({ "bit": self.instance.proof_bit_name(bit) }),
            ),
            Wanted::Configuration { time } => {
                let last = self.instance.run().is_some_and(|run| run.steps() == time);
                let what = self.requested_bits_name(wanted);
                ask("configuration", json!({ "what": what, "last": last }))
            }
            Wanted::Witness => ask("witness", json!({ "bits": bits })),
            Wanted::Block { claim, block } => {
                let clauses = self.clauses_left(log);
                // The question lists the open clauses.
                let formula = self.instance.formula();
                let listed = formula.and_then(|formula| formula.unsatisfied_clauses(&[], 0));
                let evidence = self.instance.evidence(claim);
                let ask = ask("values", self.block_places(wanted, block, log));
                QuestionToUser { clauses, ..ask }
                    .with_evidence(evidence.filter(|_| listed.is_none()))
            }
            Wanted::Transcript { .. } => {
                let what = self.requested_bits_name(wanted);
                let (unit, no) = if self.is_computation_in_words() {
                    ("answers", "no")
                } else {
                    ("bits", "0")
                };
                let bits = format!("{bits} {unit}");
                ask(
                    "transcript",
                    json!({ "what": what, "bits": bits, "no": no }),
                )
            }
        }
    }

    /// Returns the values for the placeholders of a question about a block of variables: the values to choose, the
    /// goal, and the values chosen before.
    fn block_places(&self, wanted: protocol::BitsMeaning, block: u32, log: &Log<Exact>) -> Value {
        let what = self.requested_bits_name(wanted);
        let formula = self.instance.formula();
        let blocks = formula.as_ref().map_or(&[][..], |formula| formula.blocks());
        let (Some(formula), Some(owner)) = (&formula, blocks.get(block as usize)) else {
            return json!({ "what": what });
        };
        let wins = match owner.quantifier {
            Quantifier::Exists => "if",
            Quantifier::ForAll => "unless",
        };
        let blocks = log
            .bit_strings_given_by_players()
            .filter_map(|(given, bits)| match given {
                protocol::BitsMeaning::Block { block, .. } => {
                    formula.block_values_text_if_short(block as usize, bits)
                }
                _ => None,
            });
        let chosen: Vec<String> = blocks.collect();
        let chosen = (!chosen.is_empty()).then(|| chosen.join(", "));
        json!({ "what": what, "wins": wins, "end": formula.what_matrix_requires_in_words(), "chosen": chosen })
    }

    /// Lists the clauses of the formula that are false or undecided under the values chosen so far. Each group of
    /// clauses is one line.
    fn clauses_left(&self, log: &Log<Exact>) -> String {
        let formula = self.instance.formula();
        let values = log.chosen_variable_values();
        let Some(open) =
            formula.and_then(|formula| formula.unsatisfied_clauses(&values, MAX_CLAUSES))
        else {
            return String::new();
        };
        let broken = ("Broken", open.broken);
        let next = ("Yours to decide", open.next);
        let groups = [broken, next, ("Later", open.later)];
        let kept = groups.iter().filter(|(_, clauses)| !clauses.is_empty());
        let lines = kept.map(|(name, clauses)| format!("{name}: {}.", clauses.join("; ")));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Returns lines that help to select a subclaim: the machine configurations at the ends of the halves, and the
    /// input of a circuit, on which its gates depend.
    pub fn configuration_and_circuit_input_lines(&self, log: &Log<Exact>) -> Vec<String> {
        let mut lines = self.configuration_lines(log);
        if let Some(circuit) = self.instance.circuit() {
            let bits = shortened_bits(circuit.input_bits());
            lines.push(format!("The input, starting with x0: {bits}"));
        }
        lines
    }

    /// Formats each configuration of [`Self::nearest_configurations`] as a line of text, with its step number.
    fn configuration_lines(&self, log: &Log<Exact>) -> Vec<String> {
        let nearest = self.nearest_configurations(log);
        // The state can be called "yes", which would read like an answer.
        let has_states = self.instance.run().is_some_and(|run| run.tape().is_some());
        let state = if has_states { "state " } else { "" };
        let texts = nearest.iter().filter_map(|(time, bits)| {
            let steps = count_with_noun(with_thousands_separators(*time), "step", "steps");
            let text = self.machine_configuration_or_invalid_bits_text(bits)?;
            Some(format!("After {steps}: {state}{text}"))
        });
        align_tapes(&texts.collect::<Vec<_>>(), 0)
    }

    /// Returns the machine configuration that the prover stated last in the debate, and its neighbours: the nearest
    /// known configurations at an earlier and at a later step. The result is in the order of steps.
    fn nearest_configurations(&self, log: &Log<Exact>) -> Vec<(u64, BitString)> {
        let Some(run) = self.instance.run() else {
            return Vec::new();
        };
        let mut times = BTreeMap::from([(0, run.start())]);
        let mut last = None;
        for (given, bits) in log.bit_strings_given_by_players() {
            if let protocol::BitsMeaning::Configuration { time } = given {
                times.insert(time, bits.clone());
                last = Some(time);
            }
        }
        let Some(middle) = last else {
            return Vec::new();
        };
        let until = times.range(..=middle).rev().take(2).collect::<Vec<_>>();
        let nearest = until
            .into_iter()
            .rev()
            .chain(times.range(middle + 1..).take(1));
        nearest.map(|(time, bits)| (*time, bits.clone())).collect()
    }

    /// Returns the part of the machine's run that the debaters contest. `None` if there is none, if the oracle decides
    /// some steps, or if the part's first configuration is malformed.
    pub fn contested_part_of_machine_run(&self, log: &Log<Exact>) -> Option<ContestedPartOfRun> {
        let run = self.instance.run().filter(|run| !run.asks())?;
        let nearest = self.nearest_configurations(log);
        let [(from, start), (middle, claimed), (to, end)] = <[_; 3]>::try_from(nearest).ok()?;
        run.is_well_formed(&start).then_some(ContestedPartOfRun {
            run,
            from,
            start,
            middle,
            to,
            claimed: [(middle, claimed), (to, end)],
        })
    }

    /// Describes the action that a request asks of another seat: "estimates …".
    pub fn pending_action(&self, request: &Request<Exact>) -> String {
        let name = match request {
            Request::Answer { .. } => "answer",
            Request::Probability { .. } => "estimate",
            Request::Direction { .. } => "bet",
            Request::Support { .. } => "support",
            Request::Select { .. } => "choice",
            Request::Bits { ask, .. } => match ask {
                protocol::BitsMeaning::Answers { .. } => "claimed answers",
                protocol::BitsMeaning::Proof(_) => "proof bit",
                protocol::BitsMeaning::Block { .. } => "values",
                protocol::BitsMeaning::Transcript { .. } => "transcript",
                protocol::BitsMeaning::Configuration { .. } | protocol::BitsMeaning::Witness => {
                    "bits"
                }
            },
            Request::Share { .. } => "share",
            Request::Challenge { steps, .. } if steps.end - steps.start == 1 => "check",
            Request::Challenge { .. } => "step",
            Request::Speech { argues_for, .. } => match argues_for {
                Some(_) => "speech",
                None => "words",
            },
            Request::Continue { .. } => "decision",
            Request::Oracle { .. } => "judgement",
            Request::Draw { .. } => "coin",
        };
        let places = json!({
            "claim": request.claim_of_request().map(|claim| self.short_claim(claim)),
            "what": request.meaning_of_bits().map(|ask| self.requested_bits_name(ask)),
            "whose": self.perspective.possessive(Seat::Opponent),
        });
        ACTIONS.filled_text(name, &places)
    }
}

/// The text shown to a user whose seat will not have to reply again in the debate.
pub const NOTHING_MORE: &str = "You have no more turns in this debate.";

/// The facts about a debate from which the program predicts when a waiting seat has its next turn.
#[derive(Clone, Copy, Debug)]
pub struct DebateStateForTurnPrediction<'r> {
    /// The request that the debate waits for. The seat that must reply to it is not the waiting seat.
    pub pending: &'r Request<Exact>,
    /// The current round.
    pub round: Option<Round>,
    /// The number of the debate's first round. Round numbers count down from it to 0.
    pub depth: u32,
    /// True if a claim was already split without a support, such as a run into halves, or if a player has written bits.
    /// The choice of a support does not count.
    pub is_divided: bool,
    /// True if the estimator has given its estimates for all subclaims of the debate's current round.
    pub is_round_estimated: bool,
}

/// Returns a sentence that predicts when it is this seat's turn again. `None` if this depends on later replies.
pub fn next_turn_of_seat_sentence(
    seat: Seat,
    forecast: DebateStateForTurnPrediction<'_>,
) -> Option<String> {
    let DebateStateForTurnPrediction {
        pending,
        round,
        depth,
        is_divided,
        is_round_estimated,
    } = forecast;
    match pending {
        Request::Challenge { .. }
        | Request::Share { .. }
        | Request::Speech { .. }
        | Request::Continue { .. }
        | Request::Bits {
            ask:
                protocol::BitsMeaning::Configuration { .. }
                | protocol::BitsMeaning::Transcript { .. }
                | protocol::BitsMeaning::Block { .. }
                | protocol::BitsMeaning::Witness,
            ..
        } => return None,
        Request::Answer { .. }
        | Request::Probability { .. }
        | Request::Direction { .. }
        | Request::Support { .. }
        | Request::Select { .. }
        | Request::Bits {
            ask: protocol::BitsMeaning::Proof(_) | protocol::BitsMeaning::Answers { .. },
            ..
        }
        | Request::Oracle { .. }
        | Request::Draw { .. } => {}
    }
    let rounds = match round {
        Some(Round::Number(number)) => number,
        _ => depth,
    };
    let is_last = round == Some(Round::Number(0));
    if seat == Seat::Judge && is_divided {
        return Some("You may be asked a question at the end of the debate.".to_owned());
    }
    if seat == Seat::Judge && !is_last {
        let rounds = match rounds {
            0 | 1 => "one round".to_owned(),
            2 => "two rounds".to_owned(),
            3 => "three rounds".to_owned(),
            rounds => format!("{rounds} rounds"),
        };
        return Some(format!("Your turn comes in about {rounds}."));
    }
    let sentence = match seat {
        // A prover selects the subclaim with which the debate continues, and then this round is paid. An opponent
        // selects the subclaim that it contests.
        Seat::Opponent | Seat::Prover if pending.is_subclaim_selection_request() && rounds > 1 => {
            "Your turn comes in the next round."
        }
        Seat::Opponent | Seat::Prover if pending.is_subclaim_selection_request() => NOTHING_MORE,
        Seat::Opponent if is_last => NOTHING_MORE,
        Seat::Opponent if pending.requested_draw().is_some() && is_round_estimated => {
            match rounds {
                0 | 1 => NOTHING_MORE,
                _ => "Your turn comes in the next round.",
            }
        }
        Seat::Prover if pending.claim_for_judge_to_decide().is_some() => NOTHING_MORE,
        // The first estimate is a round without a number.
        Seat::Prover if round == Some(Round::Initial) => "Your turn comes in the first round.",
        Seat::Prover | Seat::Judge if is_last => "Your turn comes in this round.",
        // In a round, Alice moves again after all of Bob's estimates and their coins.
        Seat::Prover if pending.requested_draw().is_some() && !is_round_estimated => {
            "Your turn comes after Bob's other numbers."
        }
        _ if pending.requested_draw().is_some() => "Your turn comes soon after the coin.",
        _ => "Your turn comes in this round.",
    };
    Some(sentence.to_owned())
}

/// Describes the length limits of a speech in a sentence that begins with a space; empty without limits.
fn limited(limits: SpeechCharacterLimits) -> String {
    match (limits.words, limits.quotes) {
        (None, None) => String::new(),
        (Some(own_limit), None) => format!(" At most {own_limit} characters of your own."),
        (None, Some(quote_limit)) => format!(" At most {quote_limit} characters of quotes."),
        (Some(own_limit), Some(quote_limit)) => {
            format!(" At most {own_limit} characters of your own and {quote_limit} of quotes.")
        }
    }
}

/// A text for users that explains the debate's current step in two or three sentences: who must do what, and to what
/// effect.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "StepExplanation")]
pub struct PendingTurnExplanation {
    /// The current step.
    pub now: String,
    /// The consequence of the step.
    pub then: String,
}

/// Explains the pending step of the debate. `None` if the debate is over.
pub fn explain_pending_step(view: &DebateViewpoint<'_, '_>) -> Option<PendingTurnExplanation> {
    let turn = view.state.request()?;
    let claim = turn.request.claim_of_request();
    let warranted = claim.and_then(|claim| view.facts.instance.warranted_claim_and_support(claim));
    let is_in_words = || {
        DebateNarrator::new(view.facts.instance, FormulaCharacterSet::default())
            .is_computation_in_words()
    };
    let name = match step_name(&turn, view.facts.kind, warranted.is_some()) {
        "speech of a debater" if view.facts.quotes == QuoteRule::Strict => {
            "debater's speech, exact quotes"
        }
        "computation" if is_in_words() => "answers to steps",
        "challenge" if is_in_words() => "challenge of an answer",
        name => name,
    };
    let PendingTurnExplanation { now, then } = STEPS.get(name)?;
    let filled = |text| filled(text, turn.seat, view.perspective);
    Some(PendingTurnExplanation {
        now: filled(now),
        then: filled(then).replace("{cost}", &cost_of_round_in_words(view)),
    })
}

/// Describes the cost of one more round in the judge's score: "0.05 bits".
fn cost_of_round_in_words(view: &DebateViewpoint<'_, '_>) -> String {
    let debate: Result<&SpeechDebate<'_, Exact>, _> = view.state.try_into();
    let cost = debate.map_or(0.0, |debate| {
        let scoring = &debate.parameters().scoring;
        scoring.judge_score(1.0, 0) - scoring.judge_score(1.0, 1)
    });
    format!("{} bits", format_rounded(cost, 3))
}

/// Maximum number of words of the text that [`pending_step_rule`] returns.
const RULE_WORDS: usize = 60;

/// Explains the pending step in at most 60 words. If `with_consequence` is set and it fits, the text includes the
/// step's consequence. `None` if the debate is over or hides its rules.
pub fn pending_step_rule(view: &DebateViewpoint<'_, '_>, with_consequence: bool) -> Option<String> {
    let turn = view
        .state
        .request()
        .filter(|_| view.viewer_may_see_rules())?;
    if !view.reader.is_shown_debate_during_play() && turn.seat != Seat::Judge {
        return Some(CLOSED.to_owned());
    }
    let PendingTurnExplanation { now, then } = explain_pending_step(view)?;
    // A judge must not see how the answer pays.
    let tells = view.reader.viewer_seat() != Some(Seat::Judge)
        || turn.request.claim_for_judge_to_decide().is_none();
    let count = now.split_whitespace().count() + then.split_whitespace().count();
    Some(if with_consequence && tells && count <= RULE_WORDS {
        format!("{now} {then}")
    } else {
        now
    })
}

/// The text for a judge who may not see the debate while it is played.
const CLOSED: &str = "The judge sees the debate only after its end.";

/// Explains to a judge who may not see the debate while it is played why it is hidden.
const CLOSED_REASON: &str = "You see only the questions that the judge must answer. The rest is hidden until the end, so \
     that it cannot influence your answers.";

/// The explanations of all steps, with marks that [`filled`] replaces.
static STEPS: NamedTexts<PendingTurnExplanation> = NamedTexts::new(include_str!("step.ron"));

/// Replaces the marks in a text of `step.ron` by names and verbs that suit the viewer's seat. `turn` is the seat whose
/// turn it is.
fn filled(text: &str, turn: Seat, perspective: ViewerPerspective) -> String {
    let mut out = String::new();
    for (place, part) in text.split(['[', ']']).enumerate() {
        if place % 2 == 0 {
            out.push_str(part);
            continue;
        }
        let (name, verbs) = part.split_once(' ').unwrap_or((part, ""));
        let seat = match name.trim_end_matches([':', '\'', 's']) {
            "Bob" | "bob" => Seat::Opponent,
            "Judge" | "judge" => Seat::Judge,
            "Asked" if turn == Seat::Opponent => Seat::Opponent,
            _ => Seat::Prover,
        };
        let (third, second) = verbs.split_once('/').unwrap_or((verbs, verbs));
        let verb = if perspective.is_viewer_seat(seat) {
            second
        } else {
            third
        };
        let subject = || {
            format!(
                "{} {verb}",
                perspective.player_name_or_you_in_sentence(seat)
            )
        };
        match name {
            _ if verbs.is_empty() && out.trim_end().ends_with('.') => {
                out.push_str(&capitalized(perspective.possessive(seat)));
            }
            _ if verbs.is_empty() && !out.is_empty() => out.push_str(perspective.possessive(seat)),
            _ if verbs.is_empty() => out.push_str(&capitalized(perspective.possessive(seat))),
            _ if name.ends_with(':') => out.push_str(verb),
            _ if name.starts_with(char::is_uppercase) => out.push_str(&capitalized(&subject())),
            _ => out.push_str(&subject()),
        }
    }
    out
}

/// Returns the name under which the file `step.ron` explains the pending step. `is_about_disputable_step` is true if
/// the claim of the request says that a step from subclaims to a claim is valid.
fn step_name(
    turn: &PendingTurn<Exact>,
    kind: ProtocolKind,
    is_about_disputable_step: bool,
) -> &'static str {
    let estimates = kind == ProtocolKind::ProverEstimator;
    match &turn.request {
        Request::Answer { .. } if estimates => "answer, estimated",
        Request::Answer { .. } => "answer",
        Request::Probability { place, alone, .. } => match kind {
            ProtocolKind::ProverEstimator if place.is_none() => "first estimate",
            ProtocolKind::ProverEstimator if is_about_disputable_step => {
                "estimate of a disputed step"
            }
            ProtocolKind::ProverEstimator if *alone => "estimate alone",
            ProtocolKind::ProverEstimator => "estimate",
            ProtocolKind::Stochastic => "probability of a step",
            ProtocolKind::Speeches => "belief",
            _ => "probability",
        },
        Request::Direction { .. } if estimates => "bet on an estimate",
        Request::Direction { .. } => "bet",
        Request::Support { .. } if estimates => "support, estimated",
        Request::Support { .. } => "support",
        Request::Select { .. } if estimates => "choice, estimated",
        Request::Select { .. } => "choice",
        Request::Bits { ask, .. } => match ask {
            protocol::BitsMeaning::Answers { .. } => "claimed answers",
            protocol::BitsMeaning::Proof(_) => "proof bit",
            protocol::BitsMeaning::Block { .. } => "values",
            protocol::BitsMeaning::Configuration { .. }
            | protocol::BitsMeaning::Witness
            | protocol::BitsMeaning::Transcript { .. } => "computation",
        },
        Request::Challenge { .. } => match kind {
            ProtocolKind::ProverEstimator => "dispute, estimated",
            ProtocolKind::Stochastic => "check of a number",
            _ if is_about_disputable_step => "dispute",
            _ => "challenge",
        },
        Request::Share { .. } if kind == ProtocolKind::Stochastic => "share of a step",
        Request::Share { .. } => "share",
        Request::Oracle { .. } | Request::Draw { .. } if kind == ProtocolKind::Stochastic => {
            "samples"
        }
        Request::Oracle { .. } if estimates => "judgement, estimated",
        Request::Oracle { .. } => "judgement",
        Request::Draw { .. } if estimates => "coin, estimated",
        Request::Draw { .. } => "coin",
        Request::Speech { argues_for, .. } => match argues_for {
            Some(_) => "speech of a debater",
            None => "speech of the judge",
        },
        Request::Continue { .. } => "another round",
    }
}

fn heading(text: &str) -> Line {
    Line::unlabelled(TextRole::Title, text)
}

fn paragraph(text: impl Into<String>) -> [Line; 2] {
    [Line::unlabelled(TextRole::Text, text), Line::default()]
}

/// Explains the pending step and the rules in lines with headings, as far as the viewer may know them.
pub fn step_and_rules_lines(view: &DebateViewpoint<'_, '_>) -> Vec<Line> {
    if !view.viewer_may_see_rules() || !view.reader.is_shown_debate_during_play() {
        let mut lines = vec![heading(CLOSED)];
        if view.viewer_may_see_rules() {
            lines.extend(paragraph(CLOSED_REASON));
        }
        return lines;
    }
    let mut lines = Vec::new();
    if let Some(step) = explain_pending_step(view) {
        lines.push(heading("Now"));
        lines.extend(paragraph(step.now));
        lines.push(heading("Then"));
        lines.extend(paragraph(step.then));
    }
    lines.push(heading("The rules"));
    lines.extend(paragraph(view.facts.kind.protocol_texts().rules));
    lines
}

/// Returns lines with background for the pending question: the step, the rules, the value of a point, and the seed.
/// `draft` is the estimate of a subclaim that the user has entered but not sent.
pub fn question_explanation_lines(
    view: &DebateViewpoint<'_, '_>,
    draft: Option<&Exact>,
    amounts: &PayoffFormatter,
) -> Vec<Line> {
    let mut lines = step_and_rules_lines(view);
    if view.viewer_may_see_rules() && view.reader.is_shown_debate_during_play() {
        let narrator = view.narrator(amounts.script);
        let facts = view.facts;
        let shows_estimates = view.viewer_may_see_estimates_and_rewards();
        let bar = EstimateSplitBar::of_last_round(facts.instance, view.log, draft);
        let gap = bar
            .filter(|_| shows_estimates)
            .and_then(|bar| bar.gap_or_no_gap_sentence(view.perspective));
        if let Some(gap) = gap {
            lines.push(heading("The estimates"));
            lines.extend(paragraph(gap));
        }
        // A judge gets no points.
        if amounts.points_differ_from_payoffs() && view.reader.viewer_seat() != Some(Seat::Judge) {
            lines.push(heading("Points"));
            let value = amounts.payoff_of_one_point_sentence(&narrator);
            let stakes = match facts.kind {
                ProtocolKind::ProverEstimator => {
                    format!(" {}.", capitalized(&facts.parameters_in_words))
                }
                _ => String::new(),
            };
            let stakes = amounts.script.spell_greek_letters(&stakes);
            lines.extend(paragraph(format!("{value}.{stakes}")));
        }
        lines.push(heading("Rules and seed"));
        let rules = format!("{} debate", facts.kind.protocol_name());
        lines.extend(paragraph(match facts.seed.as_str() {
            "" => format!("{rules}."),
            seed => format!("{rules}; seed {seed}."),
        }));
        if !facts.parameter_meanings.is_empty() {
            lines.push(heading("Symbols of the rules"));
            for meaning in &facts.parameter_meanings {
                let meaning = amounts.script.spell_greek_letters(meaning);
                lines.push(Line::unlabelled(TextRole::Text, meaning));
            }
            lines.push(Line::default());
        } else if !facts.parameters.is_empty() {
            lines.push(heading("Parameters"));
            lines.extend(paragraph(
                amounts.script.spell_greek_letters(&facts.parameters),
            ));
        }
        lines.extend(narrator.machine_rules_and_run(view.log));
    }
    lines
}

/// Returns lines with the subject of the debate and the briefing of the user's seat. `seat` is `None` if the user has
/// no seat.
pub fn statement_and_briefing(
    view: &DebateViewpoint<'_, '_>,
    script: FormulaCharacterSet,
    seat: Option<Seat>,
) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(seat) = seat {
        lines.push(heading(&view.facts.role_announcement(seat)));
    }
    for text in view.facts.introduction_texts(seat) {
        lines.extend(paragraph(text));
    }
    let tells_known = !view.facts.blind && seat != Some(Seat::Judge);
    let (known, text) = match seat {
        Some(Seat::Opponent) => (&view.facts.known, "You know"),
        _ => (&view.facts.known_without_values, "Bob knows"),
    };
    let own = (seat == Some(Seat::Prover) && tells_known)
        .then(|| prover_knowledge(view.facts.kind, view.facts.instance))
        .flatten();
    if let Some(own) = own {
        lines.push(heading("You know"));
        lines.extend(paragraph(own));
    }
    if let Some(known) = known.as_ref().filter(|_| tells_known) {
        lines.push(heading(text));
        lines.extend(paragraph(format!("{}.", capitalized(known))));
    }
    let closed = !view.reader.is_shown_debate_during_play() && view.reader.sees_path_to_question();
    if let Some(turn) = view.state.request().filter(|_| closed) {
        let path = view.narrator(script).claim_path_sentence(&turn, view.log);
        lines.extend(path.into_iter().flat_map(paragraph));
    }
    if !view.reader.is_shown_debate_during_play() {
        lines.extend(paragraph("The rest of the debate is shown at the end."));
    }
    lines.pop();
    lines
}

/// Returns the condition under which a user in the seat wins a prover-estimator debate, as a clause about "you".
pub fn win_condition_with_estimates(seat: Seat) -> &'static str {
    match seat {
        Seat::Opponent => "your gaps in each round add up to less than 0.5 percentage points",
        Seat::Prover => "your total is positive",
        _ => "your answer is right",
    }
}

/// Returns lines with the goal of a user in the seat, with a heading. Empty under rules without estimates.
pub fn goal_of_seat(kind: ProtocolKind, seat: Seat) -> Vec<Line> {
    if kind != ProtocolKind::ProverEstimator {
        return Vec::new();
    }
    let condition = win_condition_with_estimates(seat);
    let goal = match seat {
        Seat::Opponent => format!(
            "Give numbers that agree with each other: your numbers for the subclaims must imply your number for the \
             claim above them. If they do not, there is a gap. You win if {condition}, even if you lose points. The \
             panel “Rewards” shows the most that each round can pay."
        ),
        Seat::Prover => format!(
            "You win if {condition}. The panel “Rewards” shows the most that each round can pay."
        ),
        _ => format!("You win if {condition}."),
    };
    let mut lines = vec![Line::default(), heading("Your goal")];
    lines.extend(paragraph(goal));
    lines.pop();
    lines
}

/// Maximum number of claims in which the program looks for the false ones that Alice's briefing names.
const MAX_LISTED_CLAIMS: usize = 200;
/// Maximum number of false claims that Alice's briefing names.
const MAX_NAMED_CLAIMS: usize = 3;

/// Describes Alice's knowledge of the debated instance, which her hints and the review assume. `None` under rules that
/// hide nothing from her, and if the truth is unknown.
pub fn prover_knowledge(kind: ProtocolKind, instance: &Instance) -> Option<String> {
    let hides_truths = matches!(
        kind,
        ProtocolKind::ProverEstimator | ProtocolKind::Recursive
    );
    if !hides_truths {
        return None;
    }
    let cases = instance.initially_indistinguishable_instance_count(Seat::Prover.seat_index());
    if cases > 1 {
        let cases = with_thousands_separators(cases as u64);
        return Some(format!(
            "That {cases} cases are possible, but not which one is real. Hints and the review assume that you know no more, even if you know the real case from an earlier debate or could work it out."
        ));
    }
    // Looking at claims numbers them, so the debate's own instance stays untouched.
    let instance = instance.copy_with_only_root_numbered();
    instance.truth(instance.root())?;
    let knowledge_sentence =
        "The truth of every claim; hints and the review assume that you know it.";
    Some(match false_leaves(&instance) {
        Some(named) if !named.is_empty() && named.len() <= MAX_NAMED_CLAIMS => {
            let named: Vec<String> = named.iter().map(|text| format!("“{text}”")).collect();
            format!(
                "{knowledge_sentence} Of the claims without subclaims, only these are false: {false_claims}.",
                false_claims = named.join(", ")
            )
        }
        Some(named) if named.is_empty() => {
            format!("{knowledge_sentence} All claims without subclaims are true.")
        }
        _ => knowledge_sentence.to_owned(),
    })
}

/// Returns the short texts of the false claims without subclaims. `None` if there are too many claims to look at, or if
/// a truth is unknown.
fn false_leaves(instance: &Instance) -> Option<Vec<String>> {
    let mut open = vec![instance.root()];
    let mut seen = open.clone();
    let mut named = Vec::new();
    while let Some(claim) = open.pop() {
        if instance.is_leaf(claim) && !instance.truth(claim)? {
            named.push(instance.short_text(claim));
        }
        for support in instance.supports(claim) {
            for subclaim in &support.on {
                // A claim may have a million subclaims, so the limit is checked at each.
                if seen.len() > MAX_LISTED_CLAIMS {
                    return None;
                }
                if !seen.contains(subclaim) {
                    seen.push(*subclaim);
                    open.push(*subclaim);
                }
            }
        }
    }
    Some(named)
}

/// The part of a machine's run that the debaters contest.
#[derive(Clone, Debug)]
pub struct ContestedPartOfRun {
    pub run: Arc<dyn MachineRun>,
    /// The time, in steps, of the first configuration of the contested part.
    pub from: u64,
    /// The first configuration of the contested part: the machine's start, or a configuration that the opponent
    /// accepted.
    pub start: BitString,
    /// The time, in steps, of the configuration that the prover gave last.
    pub middle: u64,
    /// The time, in steps, of the last configuration of the contested part.
    pub to: u64,
    /// The configurations that the prover gave for the middle and for the end, each with its time.
    pub claimed: [(u64, BitString); 2],
}

impl ContestedPartOfRun {
    /// Returns a sentence that compares a computed configuration with the prover's configuration for the same time.
    /// `None` if the prover gave none for this time, or if they differ and the machine has no tape.
    pub fn comparison_with_claim(&self, time: u64, computed: &BitString) -> Option<String> {
        let (_, claimed) = self.claimed.iter().find(|(given, _)| *given == time)?;
        // At the end of the contested part, an error can be in either half.
        let is_middle = time == self.middle;
        if claimed == computed {
            let part = if is_middle {
                ": the part up to here is correct"
            } else {
                ""
            };
            return Some(format!("This configuration agrees with Alice's{part}."));
        }
        let part = if is_middle {
            ": the part up to here contains an error"
        } else {
            ""
        };
        let machine = self.run.tape()?;
        let (Some(own), Some(other)) = (machine.decode(computed), machine.decode(claimed)) else {
            return Some(format!(
                "This configuration differs from Alice's bits{part}."
            ));
        };
        let parts = [
            ("state", own.state != other.state),
            ("head", own.head != other.head),
            ("tape", own.tape != other.tape),
        ];
        let different: Vec<&str> = parts
            .iter()
            .filter_map(|(name, differs)| differs.then_some(*name))
            .collect();
        Some(format!(
            "This configuration differs from Alice's ({different_parts}){part}.",
            different_parts = different.join(", ")
        ))
    }
}

/// Aligns lines such as “name: tape” so that the first cells of the tapes are below each other. Lines that are already
/// aligned can be aligned again. Lines without a colon are dropped. `min_name_width` is the minimum width of the names.
pub fn align_tapes(texts: &[String], min_name_width: usize) -> Vec<String> {
    let halves: Vec<(&str, &str)> = texts
        .iter()
        .filter_map(|text| text.rsplit_once(": "))
        .map(|(head, tape)| (head, tape.trim_start()))
        .collect();
    let most = halves
        .iter()
        .map(|(head, _)| head.width())
        .max()
        .unwrap_or(0)
        .max(min_name_width);
    let line = |(head, tape): &(&str, &str)| {
        // The bracket around the head fills one column of the gap, unless it precedes the first cell.
        let gap = most - head.width() + usize::from(!tape.starts_with('['));
        format!("{head}: {}{tape}", " ".repeat(gap))
    };
    halves.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use debate_core::gate::is_visible_gap;
    use debate_core::number::Number as _;

    #[test]
    fn the_file_has_exactly_the_questions_in_use() {
        let (code, _) = include_str!("question.rs")
            .split_once("#[cfg(test)]")
            .unwrap();
        let texts: BTreeSet<&str> = code.split('"').skip(1).step_by(2).collect();
        for name in QUESTIONS
            .text_names()
            .into_iter()
            .chain(ACTIONS.text_names())
        {
            assert!(texts.contains(name), "{name} is not asked");
        }
    }

    #[test]
    fn the_file_has_exactly_the_steps_in_use() {
        let (_, names) = include_str!("question.rs")
            .split_once("fn step_name(")
            .unwrap();
        let (names, _) = names.split_once("\n}\n").unwrap();
        let mut names: Vec<&str> = names.split('"').skip(1).step_by(2).collect();
        // `explain_pending_step` chooses these texts by the scenario.
        names.extend([
            "debater's speech, exact quotes",
            "answers to steps",
            "challenge of an answer",
        ]);
        names.sort_unstable();
        assert_eq!(STEPS.text_names(), names);
        let steps = names.iter().filter_map(|name| STEPS.get(name));
        for text in steps.flat_map(|step| [&step.now, &step.then]) {
            let told = filled(text, Seat::Prover, ViewerPerspective::NEUTRAL);
            assert!(
                told.ends_with('.') && !told.contains(['[', '/', ']']),
                "{told}"
            );
            assert!(told.split_whitespace().count() <= RULE_WORDS, "{told}");
        }
    }

    /// The number in the sentence is the least visible gap, with which Bob no longer wins.
    #[test]
    fn the_win_condition_of_bob_names_the_least_visible_gap() {
        let condition = win_condition_with_estimates(Seat::Opponent);
        assert!(condition.contains("less than 0.5 percentage points"));
        assert!(is_visible_gap(&Exact::ratio(5, 1000)));
        assert!(!is_visible_gap(&Exact::ratio(4_999, 1_000_000)));
    }
}
