//! Converts a transcript to a save: plays its speeches and judgements as replies under the rules.

use std::collections::BTreeMap;

use super::{ImportError, ImportedSpeech, ImportedSpeechDebate, RoundJudgement};
use debate_core::protocol::speeches::{AnswerSide, JudgeProbabilityTimes, SpeechParameters};
use debate_core::scenario::{QuotableSource, QuoteRule, Speech, SpeechCharacterLimits};
use debate_core::text::{
    count_with_noun, normalise_invisible_characters, replace_unsafe_characters,
    replace_unsafe_multiline,
};
use debate_core::{Exact, Player, Protocol, Reply, SeatedDebate, Seed};
use debate_host::record::{
    SaveHeader, protocol_text_for_save, ron_string_literal, whole_save_text,
};
use debate_solver::setup::{LoadedScenario, MAX_NAME, ScenarioLimits, ScenarioTextSource};

type Result<T, E = ImportError> = std::result::Result<T, E>;

/// A save that an import made from a debate of another project or from a text of the export format `game`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSave {
    /// The save's name, without `.ron`.
    pub name: String,
    /// The text of the save.
    pub text: String,
    /// True if the debate has ended.
    pub finished: bool,
    /// The facts of the imported file that the save's moves cannot represent. The save's tags also list them.
    pub notes: Vec<String>,
    /// For each kind of change to the debate's texts, a phrase with the number of changed characters; empty if no text
    /// was changed.
    pub normalised: Vec<String>,
    /// The number of notes about shortened quotes. The end of such a quote lay beyond the end of its source.
    pub cut_quotes: usize,
}

/// The limits on the length of speeches and feedback under which a debate was held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SpeechAndFeedbackLimits {
    pub(super) debaters: SpeechCharacterLimits,
    pub(super) feedback: Option<u32>,
}

/// A reply of a debater or judge, with its place in the imported file.
struct LocatedReply {
    place: String,
    reply: Reply<Exact>,
}

impl ImportedSpeechDebate {
    /// Converts this transcript of a debate to a save.
    ///
    /// # Errors
    /// The place and the reason, if this is not a debate under the rules of free speeches. Examples are a round without
    /// a speech, or a probability above 1.
    pub fn to_imported_save(&self) -> Result<ImportedSave> {
        self.to_imported_save_with_limits(SpeechAndFeedbackLimits::default())
    }

    /// Converts this transcript to a save under `limits`. If a speech is longer than a limit, the limit is dropped.
    pub(super) fn to_imported_save_with_limits(
        &self,
        limits: SpeechAndFeedbackLimits,
    ) -> Result<ImportedSave> {
        let replies = self.replies()?;
        let rules = self.rules(limits, &replies)?;
        let protocol = Protocol::Speeches(rules);
        let name = file_name_for_debate(&self.name);
        if name.is_empty() {
            let what = "the name has no letters or digits, which a file name needs; add some";
            return Err(ImportError::error_at_place("name", what));
        }
        let text = self.scenario(&protocol);
        let limits = ScenarioLimits::default();
        let origin = ScenarioTextSource::Text(self.name.clone());
        let setup =
            LoadedScenario::from_text(&text, origin, &limits).map_err(ImportError::whole)?;
        let instance = setup.instance(0);
        let seed = Seed::new("0").ok_or_else(|| ImportError::whole("the seed is not valid"))?;
        let players = ["human"; 3].map(str::to_owned);
        let mut header =
            SaveHeader::new(&setup, protocol.clone(), seed.clone(), &instance, players);
        header.started.clone_from(&self.started);
        let start = protocol.start(&instance).map_err(ImportError::whole)?;
        let outside = [Player::Outside, Player::Outside, Player::Outside];
        let mut seating = SeatedDebate::new(start, outside, &seed, 0);
        for LocatedReply { place, reply } in replies {
            let made = seating.reply(reply);
            made.map_err(|illegal| ImportError::error_at_place(place, illegal))?;
        }
        let save = whole_save_text(&header, &seating).map_err(ImportError::whole)?;
        Ok(ImportedSave {
            name,
            text: save.text,
            finished: seating.turn().is_none(),
            notes: Vec::new(),
            normalised: self.normalised_counts(),
            cut_quotes: 0,
        })
    }

    /// Returns the Speeches rules under which the transcript's debate was held.
    fn rules(
        &self,
        limits: SpeechAndFeedbackLimits,
        replies: &[LocatedReply],
    ) -> Result<SpeechParameters> {
        let numbered = || (1..).zip(&self.rounds);
        let simultaneous = self.rounds.iter().any(|round| round.simultaneous);
        // After the last simultaneous round, all rounds are in turn; before it, some may be.
        let last_at_once = numbered().filter(|(_, round)| round.simultaneous).last();
        let last = last_at_once.map_or(0, |(number, _)| number);
        let in_turn = numbered().filter(|(_, round)| simultaneous && !round.simultaneous);
        let in_turn = in_turn.map(|(number, _)| number);
        let judged = self.judged();
        let unjudged = if judged == JudgeProbabilityTimes::AtEnd {
            Vec::new()
        } else {
            let before_last = numbered().take(self.rounds.len().saturating_sub(1));
            let unasked = before_last.filter(|(_, round)| round.judgement.is_none());
            unasked.map(|(number, _)| number).collect()
        };
        let speeches = || {
            replies.iter().filter_map(|placed| match &placed.reply {
                Reply::Speech(speech) => Some((placed.place.contains("speeches"), speech)),
                _ => None,
            })
        };
        // A limit that a speech exceeds was not in force.
        let kept = |most: Option<u32>, debater: bool, length: fn(&Speech) -> usize| {
            let all = speeches().filter(|(by_debater, _)| *by_debater == debater);
            let longest = all.map(|(_, speech)| length(speech)).max().unwrap_or(0);
            most.filter(|most| longest <= *most as usize)
        };
        let source = QuotableSource::new(plain(&self.source));
        let are_exact =
            speeches().all(|(_, speech)| speech.quotes().all(|it| source.contains_quotation(it)));
        let rounds = u32::try_from(self.rounds.len()).unwrap_or(u32::MAX);
        Ok(SpeechParameters {
            rounds: (judged == JudgeProbabilityTimes::AtEnd).then_some(rounds),
            simultaneous,
            in_turn_from: in_turn.clone().find(|number| *number > last),
            in_turn: in_turn.filter(|number| *number < last).collect(),
            unjudged,
            consultant: match &self.debaters {
                [Some(_), Some(_)] => None,
                [Some(_), None] => Some(AnswerSide::First),
                [None, Some(_)] => Some(AnswerSide::Second),
                [None, None] => {
                    return Err(ImportError::error_at_place(
                        "debaters",
                        "the debate has no debaters; name at least one",
                    ));
                }
            },
            judged,
            judge_feedback: self.has_feedback(),
            speech_limit: kept(limits.debaters.words, true, Speech::own_text_char_count),
            quote_limit: kept(limits.debaters.quotes, true, Speech::quoted_char_count),
            feedback_limit: kept(limits.feedback, false, Speech::own_text_char_count),
            quotes: are_exact.then_some(QuoteRule::Strict),
            ..SpeechParameters::default()
        })
    }

    /// Determines the times at which the judge gave probabilities: from the start, after each round, or only at the
    /// end.
    fn judged(&self) -> JudgeProbabilityTimes {
        let last = self.rounds.len().saturating_sub(1);
        let before_last = self.rounds.iter().take(last);
        let asked = before_last
            .filter(|round| round.judgement.is_some())
            .count();
        if self.opening.is_none() && asked == 0 && last > 0 {
            return JudgeProbabilityTimes::AtEnd;
        }
        if self.opening.is_some() || self.rounds.is_empty() {
            return JudgeProbabilityTimes::FromStart;
        }
        JudgeProbabilityTimes::EachRound
    }

    /// Returns the judgements of the judge during the debate, each with its place in the file. Later judgements by
    /// other judges are not included.
    fn turns(&self) -> impl Iterator<Item = (String, &RoundJudgement)> {
        let opening = self.opening.iter().map(|turn| ("opening".to_owned(), turn));
        let rounds = self.rounds.iter().enumerate();
        let later = rounds.filter_map(|(place, round)| {
            let turn = round.judgement.as_ref()?;
            Some((format!("rounds[{place}].judgement"), turn))
        });
        opening.chain(later)
    }

    /// True if a judgement during the debate has a feedback text, even an empty one. Otherwise the debate was held
    /// without feedback.
    fn has_feedback(&self) -> bool {
        let mut turns = self.turns();
        turns.any(|(_, turn)| turn.says.is_some())
    }

    /// Returns all replies of the debate in the order in which the rules ask for them.
    fn replies(&self) -> Result<Vec<LocatedReply>> {
        let mut replies = Vec::new();
        let feedback = self.has_feedback();
        let rounds = self.rounds.len().checked_sub(1);
        let last = rounds.map(|last| format!("rounds[{last}].judgement"));
        let judge = |replies: &mut Vec<LocatedReply>, place: String, turn: &RoundJudgement| {
            let mut put = |part: &str, reply| {
                let place = format!("{place}.{part}");
                replies.push(LocatedReply { place, reply });
            };
            let p_first = turn.p_first.exact_probability();
            let p = p_first
                .map_err(|what| ImportError::error_at_place(format!("{place}.p_first"), what))?;
            put("p_first", Reply::Probability(p));
            if feedback {
                let says = spoken(turn.says.as_ref(), || format!("{place}.says"))?;
                put("says", Reply::Speech(Box::new(says.unwrap_or_default())));
            }
            let is_last = last.as_ref() == Some(&place);
            let ends = turn.ends.unwrap_or(is_last);
            if ends && !is_last && place != "opening" {
                let what = "the judge ended the debate, but more rounds follow";
                return Err(ImportError::error_at_place(format!("{place}.ends"), what));
            }
            Ok(ends)
        };
        if let Some(turn) = &self.opening
            && judge(&mut replies, "opening".to_owned(), turn)?
        {
            let what = "the judge ends the debate before the first speech";
            return Err(ImportError::error_at_place("opening.ends", what));
        }
        let judged = self.judged();
        for (number, round) in self.rounds.iter().enumerate() {
            let at = format!("rounds[{number}]");
            for (side, debater) in self.debaters.iter().enumerate() {
                let place = || format!("{at}.speeches[{side}]");
                let given = round.speeches.get(side).and_then(Option::as_ref);
                match (debater, spoken(given, place)?) {
                    (Some(_), Some(speech)) => replies.push(LocatedReply {
                        place: place(),
                        reply: Reply::Speech(Box::new(speech)),
                    }),
                    (None, None) => {}
                    (None, Some(_)) => {
                        let what = "this answer has a speech, but no debater";
                        return Err(ImportError::error_at_place(place(), what));
                    }
                    (Some(_), None) if self.is_cut_off(number, side) => return Ok(replies),
                    (Some(_), None) => {
                        let what = "the speech is missing, but more rounds follow";
                        return Err(ImportError::error_at_place(place(), what));
                    }
                }
            }
            let Some(turn) = &round.judgement else {
                continue;
            };
            let place = format!("{at}.judgement");
            let ends = judge(&mut replies, place.clone(), turn)?;
            if judged != JudgeProbabilityTimes::AtEnd
                && (ends || turn.ends.is_some() || self.continues(number))
            {
                let place = format!("{place}.ends");
                let reply = Reply::Continue(!ends);
                replies.push(LocatedReply { place, reply });
            }
        }
        Ok(replies)
    }

    /// Returns the texts of the transcript that the import normalises and counts, as they are in the file: question,
    /// source, remarks, answers, speeches and the judge's feedback.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let head = [&self.question, &self.source, &self.remarks];
        let spoken = self.rounds.iter().flat_map(|round| {
            let says = round.judgement.iter().flat_map(|turn| &turn.says);
            round.speeches.iter().flatten().chain(says)
        });
        let opening = self.opening.iter().flat_map(|turn| &turn.says);
        let spoken = opening
            .chain(spoken)
            .flat_map(ImportedSpeech::imported_speech_part_texts);
        let head = head.into_iter().chain(&self.answers).map(String::as_str);
        head.chain(spoken)
    }

    /// Returns phrases with the numbers of characters that normalisation drops or replaces in the texts. A number that
    /// is 0 is omitted.
    fn normalised_counts(&self) -> Vec<String> {
        let mut dropped = 0;
        let mut replaced = 0;
        for text in self.texts() {
            let normal = normalise_invisible_characters(text);
            dropped += normal.dropped;
            replaced += normal.replaced;
        }
        let mut counts = Vec::new();
        if dropped > 0 {
            counts.push(count_with_noun(
                dropped,
                "invisible character dropped",
                "invisible characters dropped",
            ));
        }
        if replaced > 0 {
            counts.push(count_with_noun(
                replaced,
                "tab or line end replaced",
                "tabs or line ends replaced",
            ));
        }
        counts
    }

    /// True if the transcript has another round after the one with index `number`.
    fn continues(&self, number: usize) -> bool {
        number + 1 < self.rounds.len()
    }

    /// True if the transcript ends before the speech of the debater `side` in the round with index `number`, so that
    /// the debate is unfinished.
    fn is_cut_off(&self, number: usize, side: usize) -> bool {
        let round = self.rounds.get(number);
        let after = round.is_some_and(|round| {
            let later = round.speeches.iter().skip(side + 1);
            round.judgement.is_some() || later.flatten().next().is_some()
        });
        !after && !self.continues(number)
    }

    /// Returns the text of the scenario file for the save.
    fn scenario(&self, protocol: &Protocol) -> String {
        let [first, second] = self.answers.each_ref().map(|answer| text(answer.trim()));
        let correct = self.correct.map(|place| place.to_string());
        let correct = correct.as_deref().unwrap_or("None");
        let tags = self
            .tags
            .iter()
            .map(|(name, value)| (line(name), line(value)));
        let mut tags: BTreeMap<String, String> = tags.collect();
        let [one, two] = &self.debaters;
        for (name, value) in [
            ("condition", &self.condition),
            ("story", &self.story),
            ("judge", &self.judge),
            ("first_debater", one),
            ("second_debater", two),
        ] {
            tags.extend(value.as_ref().map(|value| (name.to_owned(), line(value))));
        }
        tags.insert("debate".to_owned(), line(&self.name));
        let tag_lines = tags.iter().map(|(name, value)| {
            format!(
                "        {}: {},\n",
                ron_string_literal(name),
                ron_string_literal(value)
            )
        });
        let tag_lines: String = tag_lines.collect();
        format!(
            "Scenario(\n    format: 1,\n    title: {},\n    about: {},\n    debrief: {},\n    \
             problem: Question(\n        text: {},\n        answers: ({first}, {second}),\n        \
             source: {},\n        correct: {correct},\n    ),\n    protocol: {},\n    \
             players: (prover: \"human\", opponent: \"human\", judge: \"human\"),\n    tags: \
             {{\n{}    }},\n)\n",
            ron_string_literal(&line(&self.name)),
            text(self.question.trim()),
            text(&self.remarks),
            text(self.question.trim()),
            text(&self.source),
            protocol_text_for_save(protocol),
            tag_lines,
        )
    }
}

/// Quotes a multi-line text as a string of a scenario file.
fn text(text: &str) -> String {
    ron_string_literal(&plain(text))
}

/// Normalises the characters of a multi-line text for display.
fn plain(text: &str) -> String {
    replace_unsafe_multiline(&normalise_invisible_characters(text).text).into_owned()
}

/// Returns a text on one line, cut to the maximum length of a name.
fn line(text: &str) -> String {
    let line = normalise_invisible_characters(text).text.replace('\n', " ");
    replace_unsafe_characters(line.trim())
        .chars()
        .take(MAX_NAME)
        .collect()
}

/// Converts a speech of the transcript to a speech of the rules; `None` if there is no speech.
fn spoken(given: Option<&ImportedSpeech>, place: impl Fn() -> String) -> Result<Option<Speech>> {
    let speech = given.map(ImportedSpeech::to_displayable_speech).transpose();
    speech.map_err(|what| ImportError::error_at_place(place(), what))
}

/// Returns a file name for an imported debate: without a folder, not hidden, and of limited length.
pub(super) fn file_name_for_debate(name: &str) -> String {
    let is_other = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.');
    let short: String = name.trim().chars().take(100).collect();
    let plain = short.replace(is_other, "-");
    plain.trim_matches(['.', '-']).to_owned()
}

#[cfg(test)]
mod tests;
