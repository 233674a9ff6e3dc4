//! Words for debates in free speeches.

use debate_core::number::Number;
use debate_core::protocol::{Request, Seat};
use debate_core::scenario::{self, Speech, SpeechLimits, SpeechPart};

use super::Narrator;
use super::narrator::{Question, in_percent};

impl Narrator<'_> {
    /// A pending request of a debate in free speeches.
    pub(super) fn ask_about<N>(
        &self,
        question: &scenario::Question,
        request: &Request<N>,
    ) -> Question {
        let [first, second] = question.answers().map(|answer| self.quote(answer.trim()));
        let asked = question.text().trim();
        let (title, text) = match request {
            Request::Speech {
                argues_for: Some(answer),
                limits,
            } => {
                let own = if *answer == 0 { &first } else { &second };
                let text = format!("{asked} Argue for {own}.{}", limited(*limits));
                ("Your speech", text)
            }
            Request::Speech { limits, .. } => (
                "Your words",
                format!(
                    "What do you say to the debaters? You may ask, or say nothing.{}",
                    limited(*limits)
                ),
            ),
            Request::Continue { round } => (
                "Your decision",
                format!("Do you want to hear round {round}, or end the debate here?"),
            ),
            _ => (
                "Your probability",
                format!("{asked} How likely is {first}? The other answer is {second}."),
            ),
        };
        Question::plain(title, text)
    }

    /// A speech, line by line: own words are indented, and a line of the source begins with `>`, so
    /// that no words can pass for a quote.
    pub(super) fn speech(&self, seat: Seat, speech: &Speech) -> String {
        let says = self.perspective.verb(seat, "says", "say");
        if speech.is_empty() {
            return format!("{says} nothing");
        }
        let mut told = format!("{says}:");
        for part in &speech.parts {
            let (mark, words) = match part {
                SpeechPart::Text(words) => ("  ", words),
                SpeechPart::Quote(words) => ("> ", words),
            };
            let lines = words.split('\n').map(str::trim);
            for line in lines.filter(|line| !line.is_empty()) {
                told.push('\n');
                told.push_str(mark);
                match part {
                    SpeechPart::Text(_) => told.push_str(line),
                    SpeechPart::Quote(_) => told.push_str(&self.quote(line)),
                }
            }
        }
        told
    }

    /// The judge's probabilities of both answers.
    pub(super) fn likely<N: Number>(&self, seat: Seat, p: &N) -> String {
        let Some(question) = self.instance.question() else {
            return in_percent(p);
        };
        let [first, second] = question.answers().map(|answer| self.quote(answer.trim()));
        let other = N::one() - p.clone();
        let holds = self.perspective.verb(seat, "holds", "hold");
        format!(
            "{holds} {first} {} likely, {second} {}",
            in_percent(p),
            in_percent(&other)
        )
    }

    pub(super) fn continued(&self, seat: Seat, goes_on: bool) -> String {
        let does = |third, second| self.perspective.verb(seat, third, second);
        if goes_on {
            format!("{} to hear another round", does("wants", "want"))
        } else {
            format!("{} the debate", does("ends", "end"))
        }
    }
}

/// The limits of a speech, as a sentence after another.
fn limited(limits: SpeechLimits) -> String {
    match (limits.words, limits.quotes) {
        (None, None) => String::new(),
        (Some(words), None) => format!(" At most {words} characters of your own."),
        (None, Some(quotes)) => format!(" At most {quotes} characters of quotes."),
        (Some(words), Some(quotes)) => {
            format!(" At most {words} characters of your own and {quotes} of quotes.")
        }
    }
}
