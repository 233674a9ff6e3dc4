//! Built-in players of debates in free speeches. Debaters quote the source, or make prepared speeches from the scenario
//! or from a file.

use super::registry::{
    PlayableStrategy, StrategyBuildError, StrategyBuildInputs, StrategyEntry, StrategyParameter,
    boxed_strategy,
};
use super::spec::RECORDED;
use super::{Policy, ReplyDistribution, StrategyMemoryAndCosts};
use crate::number::{Number, index_saturating};
use crate::protocol::{Protocol, ProtocolKind, Reply, Request, Seat, SpeechDebate, View};
use crate::scenario::{
    PreparedSpeeches, QuotableSource, QuoteRule, Speech, SpeechCharacterLimits, SpeechError,
    SpeechPart, TwoAnswerQuestion, lower_case_words,
};

/// A debater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeechDebaterStrategy {
    /// Each round, quotes one sentence of the source: those that share the most words with its answer come first.
    Quoter,
    /// Each round, makes one of the scenario's arguments for its answer, and replies to the judge's words after the
    /// previous round. As [`Self::Quoter`] if the scenario has no prepared speeches for this answer.
    Advocate,
    /// Makes empty speeches.
    Silent,
    /// Quotes a random sentence of the source that is short enough for the speech limits, each equally likely.
    Random,
}

impl<'a, N: Number> Policy<N, SpeechDebate<'a, N>> for SpeechDebaterStrategy {
    fn choose(
        &self,
        view: View<'_, SpeechDebate<'a, N>>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let Request::Speech {
            argues_for: Some(answer),
            limits,
        } = request
        else {
            return None;
        };
        let speech = match self {
            Self::Silent => Speech::default(),
            Self::Random => return Some(uniform_quote(view.question(), limits)),
            Self::Advocate => match view.question().prepared_speeches_for_answer(*answer) {
                Some(material) => advocate(&view, material, limits),
                None => quote_of_round(&view, *answer, limits),
            },
            Self::Quoter => quote_of_round(&view, *answer, limits),
        };
        Some(ReplyDistribution::Certain(Reply::Speech(Box::new(speech))))
    }
}

/// Returns the sentence that the player [`SpeechDebaterStrategy::Quoter`] quotes in this round.
fn quote_of_round<N: Number>(
    view: &View<'_, SpeechDebate<'_, N>>,
    answer: u8,
    limits: &SpeechCharacterLimits,
) -> Speech {
    let nth = view.round().saturating_sub(1);
    quoting(view.question(), answer, nth as usize, limits)
}

/// The reply to a judge's question for which the scenario has no prepared speech.
const NO_MATERIAL: &str = "I have no material on this.";

/// Returns a speech: the reply to the judge, if there is one, then the argument of the round. Leaves the argument out
/// if it repeats a quote of the reply, or if both together exceed the speech limits. A reply that exceeds them, or an
/// argument without a reply that does, gives an empty speech.
fn advocate<N: Number>(
    view: &View<'_, SpeechDebate<'_, N>>,
    material: &PreparedSpeeches,
    limits: &SpeechCharacterLimits,
) -> Speech {
    let argument = material.prepared_argument(view.round()).cloned();
    let argument = argument.unwrap_or_default();
    let Some(reply) = reply_to_judge(view, material, limits) else {
        return within(argument, limits).unwrap_or_default();
    };
    let repeats = argument
        .quotes()
        .any(|quote| reply.quotes().any(|it| it == quote));
    let mut both = reply.clone();
    if !repeats && !argument.parts.is_empty() {
        both.parts.push(SpeechPart::Text("\n".to_owned()));
        both.parts.extend(argument.parts);
    }
    within(both, limits)
        .or_else(|| within(reply, limits))
        .unwrap_or_default()
}

/// Returns the debater's reply to the judge's words after the previous round. `None` if the judge said nothing, or
/// spoke only to the other debater.
fn reply_to_judge<N: Number>(
    view: &View<'_, SpeechDebate<'_, N>>,
    material: &PreparedSpeeches,
    limits: &SpeechCharacterLimits,
) -> Option<Speech> {
    let feedback = addressed_to(&view.judge_feedback().to_string(), view.viewing_seat());
    let words = lower_case_words(&feedback);
    let says = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    if words.is_empty() {
        return None;
    }
    // The judge asks for the sentences around the last quote.
    if says(&["sentence", "sentences", "quote", "quotes", "passage"]) {
        let [before, after] = [
            says(&["before", "previous", "around", "precedes"]),
            says(&["after", "next", "around", "follows"]),
        ];
        if let Some(quote) = view.own_last_quote().filter(|_| before || after) {
            let [earlier, later] = view.question().sentences_around_quote(quote);
            let sentences = [("Before", before, earlier), ("After", after, later)];
            let asked = sentences.into_iter().filter(|(_, asked, _)| *asked);
            return Some(neighbours(asked.map(|(place, _, it)| (place, it)), limits));
        }
    }
    let reply = material.reply_with_most_keywords_in(&feedback).cloned();
    Some(reply.unwrap_or_else(|| Speech::from_own_words(NO_MATERIAL)))
}

/// Returns the sentences of the judge that address a debater. A sentence with a debater's name starts a part for this
/// debater; sentences before the first name address both debaters.
fn addressed_to(feedback: &str, debater: Seat) -> String {
    let mut is_meant = true;
    let mut own = String::new();
    for sentence in feedback.split_inclusive(['.', '?', '!', '\n']) {
        let words = lower_case_words(sentence);
        let names = |seat: Seat| words.contains(&seat.player_name_of_seat().to_lowercase());
        let named = [Seat::Prover, Seat::Opponent].map(names);
        if named.contains(&true) {
            is_meant = names(debater);
        }
        if is_meant {
            own.push_str(sentence);
        }
    }
    own
}

/// Returns a speech that quotes the source's sentences before and after the debater's last quote, as far as the judge
/// asked for them and they fit into the limits.
fn neighbours<'q>(
    asked: impl Iterator<Item = (&'static str, Option<&'q str>)>,
    limits: &SpeechCharacterLimits,
) -> Speech {
    let mut speech = Speech::default();
    for (before_or_after, sentence) in asked {
        let mut longer = speech.clone();
        if !speech.parts.is_empty() {
            longer.parts.push(SpeechPart::Text("\n".to_owned()));
        }
        let words = match sentence {
            Some(_) => format!("{before_or_after} my last quote the text says: "),
            None => format!("{before_or_after} my last quote there is no sentence."),
        };
        longer.parts.push(SpeechPart::Text(words));
        let sentence = sentence.map(|sentence| SpeechPart::Quote(sentence.to_owned()));
        longer.parts.extend(sentence);
        speech = within(longer, limits).unwrap_or(speech);
    }
    if speech.parts.is_empty() {
        return Speech::from_own_words("That sentence is too long to quote here.");
    }
    speech
}

/// Returns the speech if its length is within the speech limits; otherwise `None`.
fn within(speech: Speech, limits: &SpeechCharacterLimits) -> Option<Speech> {
    let fits = |length: usize, most: Option<u32>| most.is_none_or(|most| length <= most as usize);
    let is_short = fits(speech.own_text_char_count(), limits.words)
        && fits(speech.quoted_char_count(), limits.quotes);
    is_short.then_some(speech)
}

/// A debater who makes prepared speeches, one per round. After the last one, it makes empty speeches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedSpeechDebater(Vec<Speech>);

/// The line that separates two speeches in a file.
const BETWEEN: &str = "---";

impl PreparedSpeechDebater {
    /// Reads speeches from a text. A line of three hyphens separates two speeches, and quotes are between `<quote>` and
    /// `</quote>`.
    ///
    /// # Errors
    /// Returns the number of the first speech that is illegal for this source, and the reason.
    pub fn read(
        text: &str,
        source: &QuotableSource,
        limits: &SpeechCharacterLimits,
        quotes: QuoteRule,
    ) -> Result<Self, (usize, SpeechError)> {
        let mut written = vec![String::new()];
        for line in text.lines() {
            match written.last_mut() {
                Some(speech) if line.trim_end() != BETWEEN => {
                    speech.push_str(line);
                    speech.push('\n');
                }
                _ => written.push(String::new()),
            }
        }
        let speeches = (1..).zip(written).map(|(number, text)| {
            let wrong = |why| (number, why);
            let speech = Speech::parse(text.trim()).map_err(wrong)?;
            speech
                .with_checked_quotes(source, limits, quotes)
                .map_err(wrong)
        });
        speeches.collect::<Result<_, _>>().map(Self)
    }
}

impl<'a, N: Number> Policy<N, SpeechDebate<'a, N>> for PreparedSpeechDebater {
    fn choose(
        &self,
        view: View<'_, SpeechDebate<'a, N>>,
        _request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let place = view.round().saturating_sub(1) as usize;
        let speech = self.0.get(place).cloned().unwrap_or_default();
        Some(ReplyDistribution::Certain(Reply::Speech(Box::new(speech))))
    }
}

/// Builds the debater who makes the speeches in the player file that the player's argument names.
fn recorded<'a, N: Number>(
    order: &StrategyBuildInputs<'a, '_>,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    let refused = |reason: String| StrategyBuildError::Refused {
        name: order.name,
        reason,
    };
    let name = order.file.unwrap_or_default();
    let missing = || refused(format!("{name}: the file is missing"));
    let bytes = order
        .player_files
        .player_file_bytes(name)
        .ok_or_else(missing)?;
    let broken = |error| refused(format!("{name}: not UTF-8: {error}"));
    let text = std::str::from_utf8(bytes).map_err(broken)?;
    let (Some(question), Protocol::Speeches(rules)) =
        (order.instance.as_two_answer_question(), order.protocol)
    else {
        return Err(refused(
            "this player only gives speeches about a question, and this debate has no question"
                .to_owned(),
        ));
    };
    let read = PreparedSpeechDebater::read(
        text,
        question.source(),
        &rules.speech_limits_of_seat(Seat::Prover),
        rules.quote_rule(),
    )
    .map_err(|(number, why)| refused(format!("{name}: speech {number}: {why}")))?;
    boxed_strategy(read)
}

/// A judge who believes the debater who quotes more characters, whatever they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuoteLengthJudge;

/// The surplus of quoted characters at which this judge gives a debater the probability ¾ instead of ½.
const MOVED: u32 = 100;

impl<'a, N: Number> Policy<N, SpeechDebate<'a, N>> for QuoteLengthJudge {
    fn choose(
        &self,
        view: View<'_, SpeechDebate<'a, N>>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        Some(ReplyDistribution::Certain(match request {
            Request::Probability { .. } => {
                let [first, second] = view.quoted_lengths_by_answer();
                let [top, least] = [first.max(second), first.min(second)];
                let ahead = i64::try_from(top - least).unwrap_or(i64::MAX / 4);
                let moved = N::ratio(ahead, 2 * (ahead + i64::from(MOVED)));
                let half = N::ratio(1, 2);
                let leads = first >= second;
                Reply::Probability(if leads { half + moved } else { half - moved })
            }
            Request::Speech { .. } => Reply::Speech(Box::default()),
            Request::Continue { .. } => Reply::Continue(true),
            _ => return None,
        }))
    }
}

/// Returns the distribution of a speech that quotes one random sentence of the source. All sentences that fit into the
/// speech limits are equally likely; the speech is empty if none fits.
fn uniform_quote<N: Number>(
    question: &TwoAnswerQuestion,
    limits: &SpeechCharacterLimits,
) -> ReplyDistribution<N> {
    let quotes: Vec<String> = fitting(question, limits).map(str::to_owned).collect();
    let count = quotes.len() as u64;
    ReplyDistribution::uniform_computed(count, move |number| {
        Reply::Speech(Box::new(of_quote(
            quotes.get(index_saturating(number)).cloned(),
        )))
    })
}

/// Returns the sentences of the source that fit into the speech limits.
fn fitting<'q>(
    question: &'q TwoAnswerQuestion,
    limits: &SpeechCharacterLimits,
) -> impl Iterator<Item = &'q str> + use<'q> {
    let source = question.source();
    let sentences = source.sentences().filter_map(|at| source.as_str().get(at));
    let limits = *limits;
    sentences.filter(move |sentence| fits(sentence, &limits))
}

/// True if the quote is no longer than the speech limits allow.
fn fits(quote: &str, limits: &SpeechCharacterLimits) -> bool {
    let most = limits.quotes.map_or(usize::MAX, |most| most as usize);
    quote.chars().count() <= most
}

/// Returns a quote of one source sentence that fits into the speech limits. Sentences are sorted by their similarity to
/// an answer, the most similar first; `place` counts from 0. An empty speech if there are no more.
fn quoting(
    question: &TwoAnswerQuestion,
    answer: u8,
    place: usize,
    limits: &SpeechCharacterLimits,
) -> Speech {
    let sentences = question.source_sentences_by_relevance(answer.into());
    let quote = sentences.filter(|it| fits(it, limits)).nth(place);
    of_quote(quote.map(str::to_owned))
}

/// Returns a speech that consists of one quote, or an empty speech if there is no quote.
fn of_quote(quote: Option<String>) -> Speech {
    let parts = quote.map(SpeechPart::Quote).into_iter().collect();
    Speech { parts }
}

/// Returns the built-in debaters of free speeches by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let seats = [Seat::Prover, Seat::Opponent].map(|seat| {
        let put = StrategyEntry::entry_builder(ProtocolKind::Speeches, seat);
        [
            put("quoter", |_| boxed_strategy(SpeechDebaterStrategy::Quoter)),
            put("advocate", |_| {
                boxed_strategy(SpeechDebaterStrategy::Advocate)
            }),
            put("silent", |_| boxed_strategy(SpeechDebaterStrategy::Silent)),
            put("random", |_| boxed_strategy(SpeechDebaterStrategy::Random)),
            put(RECORDED, recorded).with_parameters(&[StrategyParameter::File("file")]),
        ]
    });
    seats.into_iter().flatten().collect()
}

/// Returns the built-in judge of free speeches who does not use the oracle.
pub(super) fn judges<N: Number>() -> Vec<StrategyEntry<N>> {
    let put = StrategyEntry::entry_builder(ProtocolKind::Speeches, Seat::Judge);
    vec![put("swayed", |_| boxed_strategy(QuoteLengthJudge))]
}
