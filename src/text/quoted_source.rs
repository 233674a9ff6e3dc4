//! The question of a debate in free speeches, and its source text. The text marks each sentence with the debaters who
//! quoted it.

use std::ops::Range;
use std::sync::Arc;

use debate_core::number::{Exact, Number as _, format_percent};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{Event, LogViewerRole, Seat, SpeechDebate};
use debate_core::scenario::{QuotableSource, SpeechPart};

use super::{DebateViewpoint, Line, TextRole, text_role_of_seat};

/// A list with the question and its source as one reader sees them: lines about the question, then one entry for each
/// sentence of the source.
#[derive(Clone, Debug)]
pub struct QuestionSourceView {
    source: Arc<QuotableSource>,
    sentences: Vec<Sentence>,
    /// The lines with the question and its answers, above the source.
    head: Vec<Line>,
    /// The lines with the judge's probabilities so far, below the answers.
    beliefs: Vec<Line>,
    /// The reader from whose point of view the log was read.
    reader: LogViewerRole,
    /// Number of log entries that have been processed.
    read: usize,
    /// Indices of the processed log entries whose content is still sealed.
    sealed: Vec<usize>,
    /// The number of the round that started last.
    round: u32,
}

#[derive(Clone, Debug)]
struct Sentence {
    at: Range<usize>,
    /// Two flags: true if Alice quoted words of the sentence, and true if Bob did.
    quoted: [bool; 2],
    /// True if the sentence is the last one of a line of the source.
    ends_paragraph: bool,
}

impl QuestionSourceView {
    /// Creates the list for a debate's question and source. `None` if the debate is not about an open question.
    pub fn new(view: &DebateViewpoint<'_, '_>) -> Option<Self> {
        let question = view.facts.instance.as_two_answer_question()?;
        let source = Arc::clone(question.source());
        let starts: Vec<Range<usize>> = source.sentences().collect();
        let text = source.as_str();
        let ends = starts
            .iter()
            .skip(1)
            .map(|next| next.start)
            .chain([text.len()]);
        let sentences = starts.iter().zip(ends).map(|(at, end)| Sentence {
            at: at.clone(),
            quoted: [false; 2],
            ends_paragraph: text.get(at.end..end).is_some_and(|it| it.contains('\n')),
        });
        let mut head = vec![Line::unlabelled(
            TextRole::Title,
            question.question_text().trim(),
        )];
        let debate: &SpeechDebate<'_, Exact> = view.state.try_into().ok()?;
        for (place, answer) in (0..).zip(question.answers()) {
            let argues = |seat: &Seat| {
                let own = debate.parameters().answer_argued_by_seat(*seat) == Some(place);
                own && view.facts.is_seat_ever_asked(*seat)
            };
            // A consultant has no opponent.
            let entry = match [Seat::Prover, Seat::Opponent].into_iter().find(argues) {
                Some(seat) => {
                    let initial: String = seat.player_name_of_seat().chars().take(1).collect();
                    Line::new(initial, text_role_of_seat(seat), answer.trim())
                }
                None => Line::unlabelled(TextRole::Text, answer.trim()),
            };
            head.push(entry);
        }
        let mut read = Self {
            sentences: sentences.collect(),
            source,
            head,
            beliefs: Vec::new(),
            reader: view.reader,
            read: 0,
            sealed: Vec::new(),
            round: 0,
        };
        read.read_new_log_entries(view);
        Some(read)
    }

    /// True if the reader may see the source: a debater, or a reader who sees everything.
    pub fn may_see_source(&self) -> bool {
        !matches!(self.reader.viewer_seat(), Some(Seat::Judge | Seat::Chance))
    }

    /// Updates the list for new log entries. Starts over if the reader changed or the log became shorter.
    pub fn read_new_log_entries(&mut self, view: &DebateViewpoint<'_, '_>) {
        let count = view.log.entries().len();
        if self.reader != view.reader || count < self.read {
            self.reader = view.reader;
            self.read = 0;
            self.round = 0;
            self.sealed.clear();
            self.beliefs.clear();
            for sentence in &mut self.sentences {
                sentence.quoted = [false; 2];
            }
        }
        let sealed = std::mem::take(&mut self.sealed);
        for index in sealed.into_iter().chain(self.read..count) {
            match view.log.observation_at(index, view.reader) {
                Some(ObservedLogEntry::Open(entry)) => self.note(entry.seat, &entry.event),
                Some(ObservedLogEntry::Sealed { .. }) => self.sealed.push(index),
                None => {}
            }
        }
        self.read = count;
    }

    fn note(&mut self, seat: Seat, event: &Event<Exact>) {
        if let Some(round) = event.round_started_by_event() {
            self.round = round;
        }
        if let Some(p) = event.estimate().filter(|_| seat == Seat::Judge) {
            let when = match self.round {
                0 => "before".to_owned(),
                round => format!("after round {round}"),
            };
            let held = format!(
                "judge, {when}: first answer {probability}",
                probability = format_percent(p.to_float())
            );
            self.beliefs.push(Line::unlabelled(TextRole::Faint, held));
        }
        let debaters = [Seat::Prover, Seat::Opponent];
        let side = debaters.iter().position(|debater| *debater == seat);
        let Some((speech, side)) = event.speech().zip(side) else {
            return;
        };
        for part in &speech.parts {
            if let SpeechPart::Quote(words) = part {
                self.mark(side, words);
            }
        }
    }

    fn mark(&mut self, side: usize, words: &str) {
        let Some(place) = self.source.find_in_exact_case(words) else {
            return;
        };
        for sentence in &mut self.sentences {
            let is_quoted = sentence.at.end > place.start && sentence.at.start < place.end;
            if let Some(quoted) = sentence.quoted.get_mut(side) {
                *quoted |= is_quoted;
            }
        }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        let shown = if self.may_see_source() {
            self.sentences.len()
        } else {
            1
        };
        self.before() + shown
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of entries above the source: lines of the question and of the judge's probabilities, and the
    /// line that explains the marks.
    fn before(&self) -> usize {
        self.head.len() + self.beliefs.len() + 1
    }

    /// Returns the entry with this number, from 0, as a line: the lines of the question and of the judge's
    /// probabilities, a line that explains the marks, then the sentences of the source. If the viewer may not see the
    /// source, the line about the marks is empty, and a note replaces the sentences.
    pub fn source_list_row_line(&self, number: usize) -> Line {
        let above = self.head.iter().chain(&self.beliefs);
        if let Some(entry) = above.clone().nth(number) {
            return entry.clone();
        }
        let Some(place) = number.checked_sub(self.before()) else {
            let legend = if self.may_see_source() {
                "A and B mark what Alice and Bob quoted."
            } else {
                ""
            };
            return Line::unlabelled(TextRole::Faint, legend);
        };
        if !self.may_see_source() {
            let note = "The source is shown after the debate. A quotation that it does not contain is marked.";
            return Line::unlabelled(TextRole::Faint, note);
        }
        let Some(sentence) = self.sentences.get(place) else {
            return Line::default();
        };
        let [first, second] = sentence.quoted;
        let (label, role) = match (first, second) {
            (true, true) => ("AB", Some(TextRole::Newest)),
            (true, false) => ("A", Some(text_role_of_seat(Seat::Prover))),
            (false, true) => ("B", Some(text_role_of_seat(Seat::Opponent))),
            (false, false) => ("", None),
        };
        let gap = if sentence.ends_paragraph { "\n" } else { "" };
        Line {
            label: label.to_owned(),
            label_role: role,
            ..Line::default()
        }
        .append_span(TextRole::Text, self.words(place).unwrap_or_default())
        .append_span(TextRole::Text, gap)
    }

    fn words(&self, place: usize) -> Option<&str> {
        let sentence = self.sentences.get(place)?;
        self.source.as_str().get(sentence.at.clone())
    }

    /// Returns the source sentence at the list entry with this number; `None` if the entry is not a visible sentence.
    pub fn source_sentence_in_list_row(&self, number: usize) -> Option<&str> {
        let place = number.checked_sub(self.before())?;
        self.words(place).filter(|_| self.may_see_source())
    }

    /// Returns the number of the list entry with the first sentence of the source. `None` if the reader may not see the
    /// source.
    pub fn first_sentence_row(&self) -> Option<usize> {
        let first = self.before();
        self.source_sentence_in_list_row(first).map(|_| first)
    }
}
