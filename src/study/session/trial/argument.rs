//! The arguments of a debate in everyday words: numbered points, with remarks below each of them.
//!
//! The words come from `words.ron`, so that a study file can translate them. In English, events of rules about
//! computations, such as bits and steps, use the sentences of [`DebateNarrator`].

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::text::log_entry_line;
use crate::plan::StudyPlan;
use crate::session::page::StudyPagePointOrRemark;
use debate_core::bits::BitString;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _, format_rounded, format_with_decimals};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{
    Bet, BitsMeaning, Event, Log, LogEntry, LogViewerRole, Protocol, ReplySeal, Seat,
};
use debate_core::scenario::{ClaimId, Instance, Speech};
use debate_text::{DebateNarrator, Line, TextRole, shortened_bits, text_role_of_seat};

/// Maximum number of parts or subclaims of a claim, or of steps with answers, that are listed. More of them are
/// described by one sentence.
const MAX_POINTS: usize = 20;

/// The part of a trial's log that the participant has already been shown.
#[derive(Clone, Debug, Default)]
pub(super) struct EntriesSeenByParticipant {
    /// The number of log entries that were shown.
    pub(super) count: usize,
    /// Indices of those seen log entries whose content was still sealed (hidden until later) when they were shown.
    pub(super) sealed: BTreeSet<usize>,
}

impl EntriesSeenByParticipant {
    /// Returns a record in which every entry of the log was shown, with the indices of the entries that are still
    /// sealed.
    pub(super) fn all_entries_of_log_seen(log: &Log<Exact>) -> Self {
        let is_sealed = |index: &usize| {
            let seen = log.observation_at(*index, LogViewerRole::JUDGING_ANEW);
            seen.is_some_and(|seen| seen.is_reply_content_sealed())
        };
        let count = log.entries().len();
        Self {
            count,
            sealed: (0..count).filter(is_sealed).collect(),
        }
    }
}

/// A debate as a participant may read it.
pub(super) struct ParticipantDebateView<'v> {
    pub(super) plan: &'v StudyPlan,
    pub(super) instance: &'v Instance,
    pub(super) protocol: &'v Protocol,
    pub(super) log: &'v Log<Exact>,
    pub(super) narrator: DebateNarrator<'v>,
    /// The participant's seat. `None` if the participant judges a debate that was played in advance.
    pub(super) seat: Option<Seat>,
    /// True if the participant sees probabilities, coins and bets.
    pub(super) figures: bool,
    /// True if the participant sees only the prover's arguments, and as the judge also the participant's own answers,
    /// as in a consultancy.
    pub(super) only_prover: bool,
    pub(super) seen: &'v EntriesSeenByParticipant,
}

/// Returns the lines that show the arguments of a debate to the participant: numbered points and remarks.
pub(super) fn argument_lines(source: &ParticipantDebateView<'_>) -> Vec<StudyPagePointOrRemark> {
    let mut builder = Builder {
        source,
        lines: Vec::new(),
        points: Vec::new(),
        cursor: 0,
        depth: 0,
        number: String::new(),
        answer: None,
        sealed: Vec::new(),
    };
    for (index, entry) in source.log.entries().iter().enumerate() {
        builder.add_entry(index, entry);
    }
    builder.add_sealed_remark();
    builder.lines
}

/// Builds the lines that show a debate's arguments to a participant, one log entry after another.
///
/// Lines are not added at the end: remarks about a point are below it, before the later points of its list.
struct Builder<'v> {
    source: &'v ParticipantDebateView<'v>,
    lines: Vec<StudyPagePointOrRemark>,
    /// For each line of the list `lines`: the claim whose point it is; `None` for a remark. A remark with a number for
    /// the question itself has the root claim.
    points: Vec<Option<ClaimId>>,
    /// The position in the list `lines` at which the builder inserts the next line.
    cursor: usize,
    /// The depth of the next line in the tree of points.
    depth: u16,
    /// The number of the point under discussion, such as "1.2"; empty for the question itself.
    number: String,
    /// The prover's answer to the debated question.
    answer: Option<bool>,
    /// Replies that were made and whose content is still hidden: each with its seat, and true if it is new to the
    /// participant.
    sealed: Vec<(Seat, bool)>,
}

impl Builder<'_> {
    fn add_entry(&mut self, index: usize, entry: &LogEntry<Exact>) {
        let source = self.source;
        // `JUDGING_ANEW` hides the judge's answers, but a participant in the judge's seat sees their own.
        let is_own_check =
            source.seat == Some(Seat::Judge) && matches!(entry.event, Event::Judged { .. });
        if source.only_prover && !entry.event.is_step_of_prover_argument() && !is_own_check {
            return;
        }
        if !source.figures && entry.event.is_estimate_coin_bet_or_payment_event() {
            return;
        }
        let observation = source
            .log
            .observation_at(index, LogViewerRole::JUDGING_ANEW);
        let is_open = matches!(observation, Some(ObservedLogEntry::Open(_)));
        let is_new = index >= source.seen.count || is_open && source.seen.sealed.contains(&index);
        if is_open || is_own_check {
            self.add_event(index, entry, is_new);
        } else if let Some(ObservedLogEntry::Sealed { seat, seal }) = observation
            && !matches!(seal, ReplySeal::Bet(_))
        {
            // A sealed bet gets no remark: it is opened with its round's reward, and study pages show no rewards.
            self.sealed.push((seat, is_new));
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm a kind")]
    fn add_event(&mut self, index: usize, entry: &LogEntry<Exact>, is_new: bool) {
        let plan = self.source.plan;
        let who = self.name_of(entry.seat);
        let is_question = self.source.instance.as_two_answer_question().is_some();
        match &entry.event {
            Event::Entered { round, .. } if is_question => {
                if *round == 1 {
                    self.add_argued_answers(is_new);
                }
                let text = plan.filled_text("argument round", &json!({"round": round}));
                self.add_remark(Line::unlabelled(TextRole::Title, text), is_new);
            }
            Event::Answered { answer, .. } => {
                self.answer = Some(*answer);
                let name = if *answer { "says true" } else { "says false" };
                self.add_sentence(
                    entry.seat,
                    plan.filled_text(name, &json!({"who": who})),
                    is_new,
                );
            }
            Event::Estimated {
                claim,
                alone: false,
                p,
                ..
            } if !is_question => {
                let percent = 100.0 * p.to_float();
                let percent_text =
                    plan.decimal_text(format_with_decimals(percent, 1).trim_end_matches(".0"));
                let places = json!({"who": who, "percent": percent_text});
                let note = plan.filled_text("estimate", &places);
                self.add_note(*claim, note, is_new);
                if let Some(line) = self.line_of(*claim) {
                    line.percent = Some(percent);
                }
            }
            Event::Tossed { claim, value, .. } => {
                let note = plan.filled_option("drawn", usize::from(!value), &Value::Null);
                self.add_note(*claim, note, is_new);
            }
            Event::Gated { holds, .. } => {
                let text = plan.filled_option("together", usize::from(!holds), &Value::Null);
                self.add_remark(Line::unlabelled(TextRole::Text, text), is_new);
            }
            Event::BetPlaced { bet, round, .. } => {
                let option = match bet {
                    Bet::TooLow => 0,
                    Bet::AboutRight => 1,
                    Bet::TooHigh => 2,
                };
                let percent = self.percent_of_round(*round, index);
                let places = json!({"who": who, "percent": percent});
                self.add_sentence(
                    entry.seat,
                    plan.filled_option("bet", option, &places),
                    is_new,
                );
            }
            Event::Supported { claim, support } => {
                let Some(chosen) = self.source.instance.support(*claim, *support) else {
                    return;
                };
                let text = self.reason(&who, &chosen.gate, chosen.on.len());
                self.add_sentence(entry.seat, text, is_new);
                if chosen.on.len() <= MAX_POINTS {
                    self.add_points(&chosen.on, is_new);
                }
            }
            Event::Claimed {
                claim,
                support,
                answers,
            } => {
                let answers = self
                    .source
                    .instance
                    .subclaims_with_answers(*claim, *support, answers);
                for (part, answer) in answers {
                    let places = json!({"who": who});
                    let note = plan.filled_option("claimed", usize::from(!answer), &places);
                    self.add_note(part, note, is_new);
                }
            }
            Event::Parts { claim, on } if on[..] == [*claim] => {}
            Event::Parts { claim, on } if on.len() <= MAX_POINTS && on.last() != Some(claim) => {
                let text = plan.filled_text("parts", &json!({"point": self.argued_point()}));
                self.add_remark(Line::unlabelled(TextRole::Text, text), is_new);
                self.add_points(on, is_new);
            }
            Event::Selected { by, chosen, .. } => {
                let is_only = self.source.log.is_after_split_into_one_subclaim(index);
                let text = match by {
                    _ if is_only => None,
                    Seat::Opponent => Some(plan.filled_text("doubted", &json!({"who": who}))),
                    _ => Some(plan.filled_text("looked at", &json!({"who": who}))),
                };
                self.continue_with(*chosen);
                if let Some(text) = text {
                    self.add_sentence(entry.seat, text, is_new);
                }
            }
            Event::Judged { answer, .. } => {
                let text = plan.filled_option("checked", usize::from(!answer), &Value::Null);
                self.add_remark(Line::unlabelled(TextRole::Title, text), is_new);
            }
            // A judge who writes nothing needs no line.
            Event::Spoke { speech, .. } if entry.seat == Seat::Judge && speech.is_empty() => {}
            Event::Spoke { speech, .. } => self.add_speech(index, &who, speech, is_new),
            // The content of the opened reply is at the position of the reply.
            Event::Opened(_) | Event::Entered { .. } => {}
            Event::Estimated { .. }
            | Event::Parts { .. }
            | Event::Gave { .. }
            | Event::Shared { .. }
            | Event::Challenged { .. }
            | Event::Read { .. }
            | Event::Sampled { .. }
            | Event::Checked { .. }
            | Event::GaveBit { .. }
            | Event::Continued { .. }
            | Event::Rewarded(_)
            | Event::Ended { .. } => self.add_narrated(index, is_new),
        }
    }

    /// Adds a sentence for each debater with the answer for which the debater argues.
    fn add_argued_answers(&mut self, is_new: bool) {
        let source = self.source;
        let (Protocol::Speeches(parameters), Some(question)) =
            (source.protocol, source.instance.as_two_answer_question())
        else {
            return;
        };
        let has_opponent = parameters.consultant.is_none();
        let debaters = [Seat::Prover, Seat::Opponent];
        for seat in debaters.into_iter().take(1 + usize::from(has_opponent)) {
            let argued = parameters.answer_argued_by_seat(seat).map(usize::from);
            let Some(answer) = argued.and_then(|index| question.answers().get(index).copied())
            else {
                continue;
            };
            let places = json!({"who": self.name_of(seat), "answer": answer});
            let text = source.plan.filled_text("argues for", &places);
            self.add_sentence(seat, text, is_new);
        }
    }

    /// Returns the words for the point under discussion: "point 2", or "the statement" at the root.
    fn argued_point(&self) -> String {
        let option = usize::from(!self.number.is_empty());
        let plan = self.source.plan;
        plan.filled_option("argued point", option, &json!({"number": self.number}))
    }

    /// Adds the remark that a reply is sealed, or several are: their content is shown later. Adds nothing if none is.
    fn add_sealed_remark(&mut self) {
        let is_new = self.sealed.iter().any(|(_, is_new)| *is_new);
        let mut seats: Vec<Seat> = self.sealed.iter().map(|(seat, _)| *seat).collect();
        seats.dedup();
        let text = match seats.as_slice() {
            [] => return,
            [seat] => {
                let places = json!({"who": self.name_of(*seat)});
                self.source.plan.filled_option("sealed", 0, &places)
            }
            _ => self.source.plan.filled_option("sealed", 1, &json!({})),
        };
        self.add_remark(Line::unlabelled(TextRole::Faint, text), is_new);
    }

    /// Returns the name of a player, marked if the participant has its seat.
    fn name_of(&self, seat: Seat) -> String {
        let plan = self.source.plan;
        let name = plan.filled_option("name", seat.seat_index(), &Value::Null);
        if self.source.seat == Some(seat) {
            return plan.filled_text("own name", &json!({"name": name}));
        }
        name
    }

    /// Returns the sentence that introduces the points of a support, its subclaims.
    fn reason(&self, who: &str, gate: &Gate, count: usize) -> String {
        let option = match (gate, count) {
            (Gate::All | Gate::Any, 1) => 0,
            (Gate::All, 2) => 1,
            (Gate::All, _) => 2,
            (Gate::Any, _) => 3,
            _ => 4,
        };
        let is_about_question = self.number.is_empty();
        let name = match self.answer {
            Some(true) if is_about_question && option < 4 => "reason",
            Some(false) if is_about_question && option < 4 => "reason against",
            _ => "depends",
        };
        let gate = self.source.plan.gate_in_words(gate, count);
        let point = self.argued_point();
        let places = json!({"who": who, "count": count, "gate": gate, "point": point});
        self.source.plan.filled_option(name, option, &places)
    }

    /// Returns the estimate that the bets of this round are about, as a percentage.
    fn percent_of_round(&self, round: u32, index: usize) -> String {
        let entries = self.source.log.entries().iter().take(index);
        let mut entered = entries.rev().filter_map(|entry| match &entry.event {
            Event::Entered { round: of, p, .. } if *of == round => p.as_ref(),
            _ => None,
        });
        let percent = entered.next().map_or(0.0, |p| 100.0 * p.to_float());
        let plan = self.source.plan;
        plan.decimal_text(format_with_decimals(percent, 1).trim_end_matches(".0"))
    }

    fn insert(&mut self, line: StudyPagePointOrRemark, point: Option<ClaimId>) {
        self.lines.insert(self.cursor, line);
        self.points.insert(self.cursor, point);
        self.cursor += 1;
    }

    fn add_remark(&mut self, body: Line, is_new: bool) {
        let line = StudyPagePointOrRemark {
            depth: self.depth,
            body,
            is_new,
            ..StudyPagePointOrRemark::default()
        };
        self.insert(line, None);
    }

    /// Adds a sentence in the colour of the player who acts in it.
    fn add_sentence(&mut self, seat: Seat, text: String, is_new: bool) {
        self.add_remark(Line::unlabelled(text_role_of_seat(seat), text), is_new);
    }

    /// Adds the sentence for an event that has no form of its own among the arguments, such as given bits. On a page in
    /// another language than English, the study's own words replace the narrator's sentence if they cover the event.
    fn add_narrated(&mut self, index: usize, is_new: bool) {
        let source = self.source;
        let is_translated = !source.plan.languages.is_empty() && !source.plan.is_in_english();
        let entry = source.log.entries().get(index).filter(|_| is_translated);
        let words = entry.and_then(|entry| Some((entry.seat, self.move_in_words(index, entry)?)));
        if let Some((seat, text)) = words {
            self.add_sentence(seat, text, is_new);
            return;
        }
        if let Some(line) = log_entry_line(&self.source.narrator, self.source.log, index) {
            self.add_remark(line, is_new);
        }
    }

    /// Returns a debater's move about bits, steps or a coin in the language of the page. `None` for other events.
    fn move_in_words(&self, index: usize, entry: &LogEntry<Exact>) -> Option<String> {
        let source = self.source;
        let plan = source.plan;
        let who = self.name_of(entry.seat);
        Some(match &entry.event {
            Event::GaveBit { bit, value } => {
                let bit = source.instance.proof_bit_name(*bit);
                let places = json!({"who": who, "bit": bit, "value": u8::from(*value)});
                plan.filled_text("gave a bit", &places)
            }
            Event::Shared { share, .. } => {
                let share = plan.decimal_text(&format_rounded(share.to_float(), 4));
                plan.filled_text("gave a share", &json!({"who": who, "share": share}))
            }
            Event::Gave { ask, bits } => {
                let statements = match ask {
                    BitsMeaning::Transcript { verifier: false } => self.answered_statements(bits),
                    _ => None,
                };
                let option = usize::from(statements.is_none());
                let answers = statements.unwrap_or_else(|| shortened_bits(bits));
                let places = json!({"who": who, "answers": answers});
                plan.filled_option("gave answers", option, &places)
            }
            Event::Challenged { step, .. } => {
                let before = source.log.entries().get(index.wrapping_sub(1));
                let is_step =
                    before.is_some_and(|it| it.event.claim_and_chosen_support().is_some());
                let kind = match source.log.last_transcript_is_verifiers() {
                    _ if is_step => 0,
                    None => 2,
                    Some(_) => 4,
                };
                let places = json!({"who": who, "number": step});
                plan.filled_option("challenged", kind + usize::from(step.is_none()), &places)
            }
            Event::Parts { on, .. } if (2..=MAX_POINTS).contains(&on.len()) => {
                let short = |claim: &ClaimId| {
                    let places = json!({"answer": source.instance.short_text(*claim)});
                    plan.filled_text("quoted answer", &places)
                };
                let points: Vec<String> = on.iter().map(short).collect();
                let places = json!({"count": on.len(), "points": points.join("; ")});
                plan.filled_text("listed steps", &places)
            }
            Event::Opened(_)
            | Event::Entered { .. }
            | Event::Answered { .. }
            | Event::Estimated { .. }
            | Event::Tossed { .. }
            | Event::Gated { .. }
            | Event::BetPlaced { .. }
            | Event::Supported { .. }
            | Event::Claimed { .. }
            | Event::Parts { .. }
            | Event::Selected { .. }
            | Event::Judged { .. }
            | Event::Spoke { .. }
            | Event::Read { .. }
            | Event::Sampled { .. }
            | Event::Checked { .. }
            | Event::Continued { .. }
            | Event::Rewarded(_)
            | Event::Ended { .. } => return None,
        })
    }

    /// Lists the statements of a computation's steps, each with the prover's answer. `None` if the steps have no
    /// statements, or too many.
    fn answered_statements(&self, bits: &BitString) -> Option<String> {
        let plan = self.source.plan;
        let computation = self.source.instance.computation()?;
        if bits.len() > MAX_POINTS {
            return None;
        }
        let answered = (0..).zip(bits.as_slice()).map(|(step, bit)| {
            let said = computation.statement(step)?;
            let said = plan.filled_text("quoted answer", &json!({"answer": said}));
            let answer = plan.filled_option("yes or no", usize::from(!bit), &json!({}));
            Some(format!("{said}: {answer}"))
        });
        Some(answered.collect::<Option<Vec<_>>>()?.join("; "))
    }

    /// Adds a speech. If the study file lists `languages`, the introduction to the speech is in the words of the study.
    fn add_speech(&mut self, index: usize, who: &str, speech: &Speech, is_new: bool) {
        let plan = self.source.plan;
        if plan.languages.is_empty() {
            self.add_narrated(index, is_new);
            return;
        }
        let Some(narrated) = log_entry_line(&self.source.narrator, self.source.log, index) else {
            return;
        };
        let option = usize::from(speech.is_empty());
        let words = plan.filled_option("speaks", option, &json!({"who": who}));
        let role = narrated
            .body
            .first()
            .map_or(TextRole::Text, |name| name.role);
        let mut line = Line::unlabelled(role, words);
        let narrated = narrated.body.into_iter();
        // The rows of the speech follow the narrator's own words.
        let rows = narrated.skip_while(|span| !span.text.starts_with('\n'));
        line.body.extend(rows.map(|mut span| {
            let quote = span.text.strip_prefix("\n> “");
            if let Some(quote) = quote.and_then(|it| it.strip_suffix('”')) {
                let quote = plan.filled_text("quoted answer", &json!({"answer": quote}));
                span.text = format!("\n> {quote}");
            }
            span
        }));
        self.add_remark(line, is_new);
    }

    /// Adds a list of numbered points below the point under discussion. Lines that are added later are below the list.
    fn add_points(&mut self, claims: &[ClaimId], is_new: bool) {
        for (claim, number) in claims.iter().zip(1..) {
            let number = match self.number.as_str() {
                "" => number.to_string(),
                above => format!("{above}.{number}"),
            };
            let line = StudyPagePointOrRemark {
                depth: self.depth,
                number: Some(number),
                body: Line::unlabelled(TextRole::Text, self.source.instance.text(*claim)),
                is_new,
                ..StudyPagePointOrRemark::default()
            };
            self.insert(line, Some(*claim));
        }
    }

    /// Returns the index of the last line before the cursor that shows this claim as a numbered point.
    fn position_of(&self, claim: ClaimId) -> Option<usize> {
        // The list under discussion ends at the cursor.
        let points = self.points.get(..self.cursor)?;
        points.iter().rposition(|point| *point == Some(claim))
    }

    fn line_of(&mut self, claim: ClaimId) -> Option<&mut StudyPagePointOrRemark> {
        let position = self.position_of(claim)?;
        self.lines.get_mut(position)
    }

    /// Adds a note to the line that shows the claim as a numbered point. If there is no such line, adds a remark
    /// instead.
    fn add_note(&mut self, claim: ClaimId, note: String, is_new: bool) {
        if let Some(line) = self.line_of(claim) {
            line.notes.push(note);
            line.is_new |= is_new;
            return;
        }
        self.add_remark(Line::unlabelled(TextRole::Text, note), is_new);
        // Later numbers for the question itself are notes beside this remark.
        if claim == self.source.instance.root()
            && let Some(point) = self.points.get_mut(self.cursor - 1)
        {
            *point = Some(claim);
        }
    }

    /// Makes the point of a claim the point under discussion, so that the next lines are inserted below it. Does
    /// nothing if the claim has no point.
    fn continue_with(&mut self, claim: ClaimId) {
        let Some(position) = self.position_of(claim) else {
            return;
        };
        for line in &mut self.lines {
            line.is_current = false;
        }
        if let Some(line) = self.lines.get_mut(position) {
            line.is_current = true;
            self.number = line.number.clone().unwrap_or_default();
            self.depth = line.depth.saturating_add(1);
        }
        self.cursor = position + 1;
    }
}
