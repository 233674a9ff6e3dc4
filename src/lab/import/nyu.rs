//! Importer for the public debates of the NYU study (Michael et al. 2023, arXiv:2311.08702), one JSON document each.
//!
//! A debate's `setup` has rules, question, answers and source; its `rounds` have the speeches. A metadata file in the
//! folder of the debates, or up to two folders above, states which debates the paper includes.

mod file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::Value;

use super::save::SpeechAndFeedbackLimits;
use super::{
    FORMAT, ImportError, ImportedSave, ImportedSpeech, ImportedSpeechDebate, ImportedSpeechRound,
    RoundJudgement, RoundJudgementsByAnotherJudge, WrittenProbability,
};
use debate_core::scenario::SpeechCharacterLimits;
use debate_core::text::numbered_lines;
use debate_host::message::SerializedSpeechPart;
use debate_host::record::format_utc;

use file::{
    NyuDebate, NyuJudgeTurn, NyuRound, NyuRoundStructure, NyuSourceText, NyuSpeechLimits,
    NyuSpeechSegment, NyuSpokenTurn,
};

type Result<T, E = ImportError> = std::result::Result<T, E>;

/// The name of the model that argued in place of a human debater in some debates of the NYU study.
const MODEL: &str = "GPT-4";

/// The name given to a debater for whom the study's file gives no role.
const UNKNOWN_PERSON: &str = "somebody";

/// The tolerance for computed probabilities.
const ROUNDING: f64 = 1e-6;

/// Pseudonyms that replace people's names.
#[derive(Clone, Debug, Default)]
pub struct Pseudonyms {
    keep: bool,
    known: BTreeMap<String, String>,
}

impl Pseudonyms {
    /// Creates pseudonyms for the people in the study, numbered in order of appearance. If `keeps_names_of_people` is
    /// true, original names are kept instead.
    pub fn new(keeps_names_of_people: bool) -> Self {
        Self {
            keep: keeps_names_of_people,
            known: BTreeMap::new(),
        }
    }

    fn of(&mut self, name: &str) -> String {
        if self.keep || name == MODEL {
            return name.to_owned();
        }
        let number = self.known.len() + 1;
        let known = self.known.entry(name.to_owned());
        known
            .or_insert_with(|| format!("person-{number:02}"))
            .clone()
    }
}

/// The metadata of a debate.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "NyuMetadata")]
pub struct NyuDebateMetadata {
    pub name: String,
    /// True if the study's paper includes this debate in its results.
    #[serde(default, rename = "includedInPaper")]
    pub included: Option<bool>,
}

/// Reads the study's metadata: `debates-metadata.json`, a list, or `debates-metadata.jsonl`, with one entry per line.
///
/// # Errors
/// If the text is neither.
pub fn read_nyu_metadata(text: &str) -> Result<Vec<NyuDebateMetadata>> {
    if text.trim_start().starts_with('[') {
        return Ok(serde_json::from_str(text)?);
    }
    let written = numbered_lines(text).filter(|(_, line)| !line.is_empty());
    written
        .map(|(number, line)| {
            let entry = serde_json::from_str(line);
            entry.map_err(|error| ImportError::error_at_place(format!("line {number}"), error))
        })
        .collect()
}

/// Converts a debate of the NYU study to a save.
///
/// `name` is the name of its file. `included` is the metadata's entry on inclusion, if there is one.
///
/// # Errors
/// If the file is not a debate of the study; the error gives the place and the reason.
pub fn import_debate_as_save(
    name: &str,
    text: &str,
    included: Option<bool>,
    names: &mut Pseudonyms,
) -> Result<(ImportedSave, ImportedSpeechDebate)> {
    let debate: NyuDebate = serde_json::from_str(text)?;
    // Rules in another form state no limits.
    let rules = NyuRoundStructure::deserialize(&debate.setup.rules).unwrap_or_default();
    let limits = stated_limits(&rules);
    let (transcript, oddities) = transcript(name, debate, included, names)?;
    let save = ImportedSave {
        cut_quotes: oddities.cut_quotes,
        notes: oddities.notes,
        ..transcript.to_imported_save_with_limits(limits)?
    };
    Ok((save, transcript))
}

/// Returns the limits of speeches and feedback: for each, the maximum over all rounds of the study's rules.
fn stated_limits(rules: &NyuRoundStructure) -> SpeechAndFeedbackLimits {
    let opening = rules.fixed_opening.iter();
    let all = opening.chain(&rules.repeating_structure).flatten();
    let most = |judge: bool, of: fn(&NyuSpeechLimits) -> Option<u32>| {
        let rounds = all.clone();
        rounds
            .filter(|(kind, _)| (*kind == "JudgeFeedbackRound") == judge)
            .filter_map(|(_, rules)| of(rules))
            .max()
            .filter(|most| *most > 0)
    };
    SpeechAndFeedbackLimits {
        debaters: SpeechCharacterLimits {
            words: most(false, |rules| rules.char_limit),
            quotes: most(false, |rules| rules.quote_limit),
        },
        feedback: most(true, |rules| rules.char_limit),
    }
}

fn transcript(
    name: &str,
    debate: NyuDebate,
    included: Option<bool>,
    names: &mut Pseudonyms,
) -> Result<(ImportedSpeechDebate, Oddities)> {
    let NyuDebate {
        setup,
        rounds,
        feedback,
    } = debate;
    let answers = two_answers(setup.answers)?;
    let source = setup.source_material.into_values().next();
    let none = || ImportError::error_at_place("setup.sourceMaterial", "the source is missing");
    let source = source.ok_or_else(none)?;
    let story = NyuSourceText::nyu_source_text_from_tokens(&source.contents);
    let debater = |letter: &str| setup.roles.get(&format!("Debater {letter}"));
    let debaters = ["A", "B"].map(debater);
    let is_model = setup.roles.values().any(|name| name == MODEL);
    let kind = match debaters {
        [Some(_), Some(_)] => "debate",
        _ => "consultancy",
    };
    let who = if is_model { "model" } else { "human" };
    let mut reader = RoundReader {
        story: &story,
        right: setup.correct_answer_index,
        names,
        opening: None,
        rounds: Vec::new(),
        later: Vec::new(),
        held: [0.5; 2],
        ended: false,
        oddities: Oddities::default(),
    };
    for (number, round) in rounds.into_iter().enumerate() {
        reader.take(number, round)?;
    }
    let RoundReader {
        opening,
        mut rounds,
        later,
        oddities,
        ..
    } = reader;
    // A debater who speaks takes part, with or without a role. If neither has spoken yet, both take part.
    let spoke = |side: usize| {
        let mut speeches = rounds.iter().map(|round| &round.speeches[side]);
        speeches.any(Option::is_some)
    };
    let mut sides = [0, 1].map(|side| match debaters[side] {
        Some(name) => Some(names.of(name)),
        None => spoke(side).then(|| UNKNOWN_PERSON.to_owned()),
    });
    if sides == [None, None] {
        sides = [0, 1].map(|_| Some(UNKNOWN_PERSON.to_owned()));
    }
    fill(&mut rounds, &sides);
    let mut tags = BTreeMap::from([("study".to_owned(), "NYU 2023".to_owned())]);
    tags.insert("source_title".to_owned(), source.title.clone());
    if let Some(included) = included {
        tags.insert("included".to_owned(), included.to_string());
    }
    if !oddities.notes.is_empty() {
        tags.insert("oddities".to_owned(), oddities.notes.join("; "));
    }
    if !later.is_empty() {
        tags.insert("later_judges".to_owned(), later.len().to_string());
    }
    let started = setup.creation_time.and_then(|at| u64::try_from(at).ok());
    let transcript = ImportedSpeechDebate {
        format: FORMAT,
        name: name.to_owned(),
        question: worded(setup.question, "A question without words"),
        answers,
        correct: Some(setup.correct_answer_index),
        story: Some(source.article_id.unwrap_or(source.title)),
        source: story.text,
        condition: Some(format!("{who} {kind}")),
        debaters: sides,
        judge: setup.roles.get("Judge").map(|name| names.of(name)),
        started: started.map(|at| format_utc(UNIX_EPOCH + Duration::from_millis(at))),
        opening,
        rounds,
        judgements: later,
        remarks: remarks(&feedback, names),
        tags,
    };
    Ok((transcript, oddities))
}

/// The facts of a debate file of the NYU study that a debate under the rules Speeches cannot represent.
#[derive(Default)]
struct Oddities {
    /// Descriptions in words.
    notes: Vec<String>,
    /// The number of quotes whose end lay beyond the end of the source; the import shortened them.
    cut_quotes: usize,
}

impl Oddities {
    fn push(&mut self, note: String) {
        self.notes.push(note);
    }
}

/// Reads the rounds of a debate file of the NYU study in order.
struct RoundReader<'r> {
    story: &'r NyuSourceText,
    /// The index of the question's right answer (0 or 1).
    right: u32,
    names: &'r mut Pseudonyms,
    opening: Option<RoundJudgement>,
    rounds: Vec<ImportedSpeechRound>,
    later: Vec<RoundJudgementsByAnotherJudge>,
    /// The latest probabilities that a judge gave for the two answers.
    held: [f64; 2],
    /// True once the judge has ended the debate.
    ended: bool,
    oddities: Oddities,
}

/// Adds an empty speech for every debater who is silent in a round. An unfinished last round is not filled. A speech in
/// it is removed if the rules could not have asked for it.
fn fill(rounds: &mut Vec<ImportedSpeechRound>, sides: &[Option<String>; 2]) {
    let last = rounds.len().saturating_sub(1);
    for (number, round) in rounds.iter_mut().enumerate() {
        if number == last && round.judgement.is_none() {
            if round.speeches[0].is_none() && sides[0].is_some() {
                round.speeches[1] = None;
            }
            continue;
        }
        for (speech, side) in round.speeches.iter_mut().zip(sides) {
            if side.is_some() {
                speech.get_or_insert_with(|| ImportedSpeech::Parts(Vec::new()));
            }
        }
    }
    let said_nothing = |round: &mut ImportedSpeechRound| round.speeches == [None, None];
    if rounds.last_mut().is_some_and(said_nothing) {
        rounds.pop();
    }
}

impl RoundReader<'_> {
    fn take(&mut self, number: usize, round: NyuRound) -> Result<()> {
        let round_path = format!("rounds[{number}]");
        if self.ended && !matches!(round, NyuRound::OfflineJudgments { .. }) {
            let note =
                format!("{round_path} is left out, because the judge had already ended the debate");
            self.oddities.push(note);
            return Ok(());
        }
        match round {
            NyuRound::SimultaneousSpeeches { speeches } => self.speeches(
                &format!("{round_path}.SimultaneousSpeeches"),
                &speeches,
                true,
            ),
            NyuRound::SequentialSpeeches { speeches } => self.speeches(
                &format!("{round_path}.SequentialSpeeches"),
                &speeches,
                false,
            ),
            NyuRound::JudgeFeedback(feedback) => {
                self.feedback(&format!("{round_path}.JudgeFeedback"), &feedback)
            }
            NyuRound::NegotiateEnd(_) => {
                let note = format!("in {round_path} the debaters voted whether to end the debate");
                self.oddities.push(note);
                Ok(())
            }
            NyuRound::OfflineJudgments { judgments } => {
                for (name, judgement) in judgments {
                    let judgments_path = format!("{round_path}.OfflineJudgments.judgments");
                    let held = std::mem::replace(&mut self.held, [0.5; 2]);
                    let turns = judgement.judgments.iter().enumerate();
                    let read = turns.map(|(place, turn)| {
                        self.turn(&format!("{judgments_path}[{place}]"), turn)
                    });
                    let turns = read.collect::<Result<_>>()?;
                    self.held = held;
                    let judge = self.names.of(&name);
                    self.later
                        .push(RoundJudgementsByAnotherJudge { judge, turns });
                }
                Ok(())
            }
        }
    }

    fn speeches(
        &mut self,
        at: &str,
        speeches: &BTreeMap<String, NyuSpokenTurn>,
        simultaneous: bool,
    ) -> Result<()> {
        let mut round = ImportedSpeechRound {
            simultaneous,
            ..ImportedSpeechRound::default()
        };
        for (side, content) in speeches {
            let place = format!("{at}.speeches.{side}");
            let number = side.parse::<usize>().ok();
            let Some(speech) = number.and_then(|side| round.speeches.get_mut(side)) else {
                let what = "this is not the number of a debater; give 0 or 1";
                return Err(ImportError::error_at_place(place, what));
            };
            *speech = Some(self.spoken(&place, content)?);
        }
        self.rounds.push(round);
        Ok(())
    }

    fn feedback(&mut self, round_path: &str, feedback: &NyuJudgeTurn) -> Result<()> {
        let turn = self.turn(round_path, feedback)?;
        let ends = turn.ends == Some(true);
        let opens = self.rounds.is_empty();
        let place = match self.rounds.last_mut() {
            Some(round) => &mut round.judgement,
            None => &mut self.opening,
        };
        if let Some(before) = place.take() {
            let note = format!("in {round_path} the judge spoke once more before the debaters");
            self.oddities.push(note);
            *place = Some(RoundJudgement {
                says: joined(before.says, turn.says),
                ..turn
            });
        } else {
            *place = Some(turn);
        }
        if let (true, true, Some(opening)) = (ends, opens, &mut self.opening) {
            opening.ends = Some(false);
            let note = format!("in {round_path} the judge ended before anybody had spoken");
            self.oddities.push(note);
        }
        self.ended |= ends;
        Ok(())
    }

    fn turn(&mut self, at: &str, feedback: &NyuJudgeTurn) -> Result<RoundJudgement> {
        let wrong = |what: String| {
            Err(ImportError::error_at_place(
                format!("{at}.distribution"),
                what,
            ))
        };
        let [first, second] = match feedback.distribution[..] {
            [first, second] => [first, second],
            // A judge who was not asked for probabilities keeps the previous ones.
            [] => self.held,
            _ => {
                let count = feedback.distribution.len();
                return wrong(format!(
                    "the judge's feedback has {count} probabilities; give exactly two"
                ));
            }
        };
        let sum = first + second;
        // The study's probabilities were computed, so their last digits have rounding errors.
        let is_near = |p: f64| (-ROUNDING..=1.0 + ROUNDING).contains(&p);
        if !is_near(first) || !is_near(second) || (sum - 1.0).abs() > ROUNDING {
            return wrong(format!(
                "{first} and {second} are not two probabilities that add up to 1"
            ));
        }
        let [first, second] = [first, second].map(|p| p.clamp(0.0, 1.0));
        self.held = [first, second];
        // The file stores both probabilities, which may not sum to exactly 1. The right answer's probability is kept
        // exactly.
        let p_first = if self.right == 1 {
            WrittenProbability::Text(one_less(second))
        } else {
            WrittenProbability::Number(first)
        };
        Ok(RoundJudgement {
            p_first,
            says: Some(self.spoken(&format!("{at}.feedback"), &feedback.said)?),
            ends: Some(feedback.end_debate),
        })
    }

    fn spoken(&mut self, at: &str, speech: &NyuSpokenTurn) -> Result<ImportedSpeech> {
        let mut parts = Vec::with_capacity(speech.content.len());
        for (place, segment) in speech.content.iter().enumerate() {
            match segment {
                NyuSpeechSegment::Text { text } => {
                    parts.push(SerializedSpeechPart::Text(text.clone()));
                }
                NyuSpeechSegment::Quote { span } => {
                    let place = || format!("{at}.content[{place}].Quote.span");
                    let ((start, end), count) = (*span, self.story.source_token_count());
                    let words = self
                        .story
                        .source_words_of_span(start, end)
                        .map_err(|what| ImportError::error_at_place(place(), what))?;
                    if end > count {
                        let cut_clause = format!(
                            "but the source has only {count} words, so the quotation is cut there"
                        );
                        self.oddities.cut_quotes += 1;
                        self.oddities.push(format!(
                            "{quotation_path} ends at word {end}, {cut_clause}",
                            quotation_path = place()
                        ));
                    }
                    // An empty text or a lone line break is not a quote.
                    if !words.is_empty() {
                        parts.push(SerializedSpeechPart::Quote(words.to_owned()));
                    }
                }
            }
        }
        Ok(ImportedSpeech::Parts(parts))
    }
}

/// Returns the two answers of the question. Replaces an empty answer, and marks the second one if it equals the first.
fn two_answers(answers: Vec<String>) -> Result<[String; 2]> {
    let count = answers.len();
    let wrong = format!("the debate has {count} answers; give exactly two");
    let answers: Result<[String; 2], _> = answers.try_into();
    let [first, second] =
        answers.map_err(|_answers| ImportError::error_at_place("setup.answers", wrong))?;
    let first = worded(first, "Answer A");
    let second = worded(second, "Answer B");
    if second.trim() == first.trim() {
        return Ok([first, format!("{second} (Answer B)")]);
    }
    Ok([first, second])
}

/// Returns `text`, or the text `without` if `text` is blank.
fn worded(text: String, without: &str) -> String {
    if text.trim().is_empty() {
        return without.to_owned();
    }
    text
}

/// Joins two speeches' parts to one speech. If one of them is missing, returns the other.
fn joined(first: Option<ImportedSpeech>, second: Option<ImportedSpeech>) -> Option<ImportedSpeech> {
    match (first, second) {
        (Some(ImportedSpeech::Parts(mut parts)), Some(ImportedSpeech::Parts(more))) => {
            parts.extend(more);
            Some(ImportedSpeech::Parts(parts))
        }
        (first, second) => second.or(first),
    }
}

/// Returns 1 − p exactly, as an integer or a fraction, for the shortest decimal that reads back as p.
fn one_less(p: f64) -> String {
    use debate_core::number::{Exact, Number as _, format_canonical, parse};
    let p = parse(&p.to_string()).unwrap_or_default();
    format_canonical(&(Exact::ratio(1, 1) - p))
}

/// Returns the questionnaire answers that judge and debaters gave after the debate, one per line. If names are
/// replaced, guesses about other people's identity are left out.
fn remarks(feedback: &Value, names: &mut Pseudonyms) -> String {
    let mut text = String::new();
    for (name, roles) in feedback.as_object().into_iter().flatten() {
        for (role, survey) in roles.as_object().into_iter().flatten() {
            let answers = survey.get("answers").and_then(Value::as_object);
            let Some(answers) = answers else { continue };
            let name = names.of(name);
            let _ = writeln!(text, "{role} ({name}) said afterwards:");
            for (question, answer) in answers {
                if question == "identity guesses" && !names.keep {
                    continue;
                }
                let answer = match answer {
                    Value::String(text) => text.clone(),
                    Value::Object(sides) => {
                        let answers = sides.iter().map(|(side, given)| format!("{side} {given}"));
                        answers.collect::<Vec<_>>().join(", ")
                    }
                    given => given.to_string(),
                };
                let _ = writeln!(text, "  {question}: {answer}");
            }
        }
    }
    text
}
