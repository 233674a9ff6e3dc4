//! The options for users who type their replies, and the parser of typed lines.

use serde_json::{Value, json};

use debate_core::gate::Gate;
use debate_core::number::{Exact, Number, format_rounded, parse};
use debate_core::protocol::{Bet, BitString, BitsMeaning, Log, PendingTurn, Reply, Request};
use debate_core::scenario::{ProverWrittenSubclaim, ProverWrittenSupport, Speech};
use debate_core::text::{number_in_words, to_ascii_number};
use num_traits::{One as _, Zero as _};

use super::narrator::subclaims_of_round_in_words;
use super::plain::FIRST_STEPS;
use super::{DebateNarrator, NamedTexts, PendingQuestionInLines, in_percent, shortened_bits};

/// Maximum number of requested bits for which the prompt offers to type every bit.
const MAX_TYPED: u32 = 60_000;

/// The meaning of a line that a user typed.
#[derive(Clone, Debug, PartialEq)]
pub enum ParsedTypedLine {
    /// A reply to the request.
    Reply(Reply<Exact>),
    /// Undo the user's last reply.
    Undo,
    /// Stop and save the debate.
    Quit,
    /// A command to list the lines that the user can type.
    Help,
    /// A command to show the value of each possible reply.
    Hint,
    /// A command to show the steps of the computation from the first number to the second, including both.
    Show(u64, u64),
    /// A command to show the source from which debaters quote.
    Source,
    /// A command to search for these words in the source.
    Find(String),
    /// An ambiguous number, such as 0.5 for 0.5 % or 50 %. The field is the question that asks the user which one is
    /// meant.
    Unclear(String),
}

impl PendingQuestionInLines<'_, '_> {
    /// Returns lines that list the possible replies to a request, or that describe the accepted input. Empty if the
    /// request needs neither.
    pub(super) fn option_lines(&self, request: &Request<Exact>) -> Vec<String> {
        let narrator = self.narrator();
        match request {
            Request::Support { claim, offered } => {
                let numbered =
                    |n: u32| format!("  {}. {}", n + 1, narrator.support_text(*claim, n));
                let mut lines: Vec<String> = (0..*offered).map(numbered).collect();
                if let (true, Some(most)) = (
                    self.typed,
                    self.instance.max_prover_written_subclaims(*claim),
                ) {
                    let up_to_n_subclaims = format!("up to {} subclaims", number_in_words(most));
                    lines.push(format!(
                        "  Or write {up_to_n_subclaims} in your own words, such as all: first; second"
                    ));
                }
                lines
            }
            Request::Select { .. } => {
                let mut lines = subclaims_of_round_in_words(self.seating.log(), self.instance);
                let context = narrator
                    .configuration_and_circuit_input_lines(self.seating.log())
                    .into_iter();
                lines.extend(context.map(|line| format!("  {line}")));
                lines
            }
            Request::Challenge { steps, .. } if steps.end - steps.start == 1 => {
                let typed = "  Type yes to challenge it, or none to accept it.".to_owned();
                self.typed.then_some(typed).into_iter().collect()
            }
            Request::Challenge { steps, .. } => {
                let few = (steps.end - steps.start).min(FIRST_STEPS);
                let mut lines = self.step_lines(steps.start, steps.start + few.saturating_sub(1));
                if steps.start + few < steps.end {
                    let more = " (show 17..25 lists steps 17 to 25)";
                    lines.push(format!("  …{}", if self.typed { more } else { "" }));
                }
                lines
            }
            Request::Bits {
                ask: BitsMeaning::Answers { claim, support, .. },
                ..
            } => {
                let chosen = self.instance.support(*claim, *support);
                let parts = (1..).zip(chosen.into_iter().flat_map(|support| &support.on));
                parts
                    .map(|(n, part)| format!("  {n}. {}", self.instance.text(*part)))
                    .collect()
            }
            Request::Bits { ask, .. } if ask.can_program_prepare_bits() => {
                self.prepared_bit_lines(*ask, request)
            }
            Request::Probability { .. } if self.typed => {
                vec!["  In percent from 0 to 100, or as a fraction such as 1/3.".to_owned()]
            }
            Request::Bits { .. }
            | Request::Probability { .. }
            | Request::Answer { .. }
            | Request::Direction { .. }
            | Request::Share { .. }
            | Request::Oracle { .. }
            | Request::Speech { .. }
            | Request::Continue { .. }
            | Request::Draw { .. } => Vec::new(),
        }
    }
}

/// Parses a line that a user typed as the reply to a request, or as a command. `prepared` returns the bits that the
/// problem prepared for a request for bits. `writes` is true if the user may write a support in their own words.
///
/// # Errors
/// Returns an error that lists the accepted input if the line is not understood.
pub fn read_line(
    line: &str,
    request: &Request<Exact>,
    writes: bool,
    prepared: impl FnOnce() -> BitString,
) -> Result<ParsedTypedLine, String> {
    let typed = line.trim();
    if let Some(rest) = typed.strip_prefix("show ") {
        let (first, last) = span(rest).ok_or_else(|| {
            "to see steps, type show and one or two step numbers, such as show 17..25".to_owned()
        })?;
        return Ok(ParsedTypedLine::Show(first, last));
    }
    if request
        .meaning_of_bits()
        .is_some_and(BitsMeaning::can_program_prepare_bits)
        && let Some(bits) = bits(
            typed,
            request.requested_bit_count().unwrap_or(0) as usize,
            prepared,
        )
    {
        return Ok(ParsedTypedLine::Reply(Reply::Bits(bits)));
    }
    command(typed, request)
        .or_else(|| reply(typed, request))
        .ok_or_else(|| accepted_input_help(request, writes))
}

/// Parses a typed command other than `show`. `None` if the line is not a command for this request: `source` and `find`
/// are commands only if a debater's speech is requested.
fn command(line: &str, request: &Request<Exact>) -> Option<ParsedTypedLine> {
    match line.to_ascii_lowercase().as_str() {
        "u" | "undo" => Some(ParsedTypedLine::Undo),
        "q" | "quit" => Some(ParsedTypedLine::Quit),
        "?" | "help" => Some(ParsedTypedLine::Help),
        "hint" => Some(ParsedTypedLine::Hint),
        "source" if request.argued_answer_index().is_some() && line == "source" => {
            Some(ParsedTypedLine::Source)
        }
        _ => {
            let words = line.strip_prefix("find ")?.trim();
            let find = || ParsedTypedLine::Find(words.to_owned());
            request.argued_answer_index().is_some().then(find)
        }
    }
}

/// Parses a range of steps: `17`, `17..25` or `17 25`.
fn span(text: &str) -> Option<(u64, u64)> {
    let text = to_ascii_number(text);
    let text = text.trim();
    let both = text
        .split_once("..")
        .or_else(|| text.split_once(char::is_whitespace));
    let (first, last) = both.unwrap_or((text, text));
    let number = |text: &str| text.trim().trim_start_matches('=').parse::<u64>().ok();
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some((first, last))
}

/// Parses a typed reply of bits: an empty line for the prepared bits, all bits as digits, or the indices of the
/// prepared bits to flip.
fn bits(line: &str, length: usize, prepared: impl FnOnce() -> BitString) -> Option<BitString> {
    if line.is_empty() {
        return Some(prepared());
    }
    let line = &*to_ascii_number(line);
    if let Some(bits) = digits(line).filter(|bits| bits.len() == length) {
        return Some(bits);
    }
    let words = line.strip_prefix("flip ").unwrap_or(line).split([' ', ',']);
    let numbers = words.filter(|word| !word.is_empty());
    let places: Option<Vec<usize>> = numbers
        .map(|word| word.parse().ok().filter(|place| *place < length))
        .collect();
    let mut bits = prepared().as_slice().to_vec();
    for place in places.filter(|places| !places.is_empty())? {
        if let Some(bit) = bits.get_mut(place) {
            *bit = !*bit;
        }
    }
    Some(bits.into())
}

/// Parses bits that a user typed as digits, with optional spaces between them.
fn digits(line: &str) -> Option<BitString> {
    let digits: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    BitString::parse(&digits)
}

static TYPINGS: NamedTexts = NamedTexts::new(include_str!("typed.ron"));

/// Describes the lines that are accepted as a reply to a request. `may_write_support` is true if the user may write a
/// support in their own words.
pub fn accepted_input_help(request: &Request<Exact>, may_write_support: bool) -> String {
    let number = |count: &u32| json!({ "count": count });
    let (name, places) = match request {
        Request::Answer { .. } => ("answer", Value::Null),
        Request::Probability { .. } => ("probability", Value::Null),
        Request::Direction { .. } => ("bet", Value::Null),
        Request::Support { offered: 0, .. } => ("own support", Value::Null),
        Request::Support { offered, .. } if may_write_support => ("support", number(offered)),
        Request::Support { offered: count, .. } | Request::Select { count, .. } => {
            ("number", number(count))
        }
        Request::Share { .. } => ("share", Value::Null),
        Request::Challenge { steps, .. } if steps.end - steps.start == 1 => ("check", Value::Null),
        Request::Challenge { steps, .. } => (
            "step",
            json!({ "first": steps.start, "last": steps.end - 1 }),
        ),
        Request::Bits { ask, length } if ask.can_program_prepare_bits() => {
            let all = (*length <= MAX_TYPED).then_some(length);
            ("prepared bits", json!({ "all": all }))
        }
        Request::Bits { length: 1, .. } => ("bit", Value::Null),
        Request::Bits { length, .. } => ("bits", number(length)),
        Request::Oracle { .. } => ("judgement", Value::Null),
        Request::Speech { argues_for, .. } => ("speech", json!({ "argues": argues_for.is_some() })),
        Request::Continue { .. } => ("another round", Value::Null),
        Request::Draw { .. } => return String::new(),
    };
    TYPINGS.filled_text(name, &places)
}

/// Parses a typed reply to a request. Returns [`ParsedTypedLine::Unclear`] for an ambiguous number, and `None` for an
/// invalid reply.
fn reply(typed: &str, request: &Request<Exact>) -> Option<ParsedTypedLine> {
    // Text keeps its characters as typed; in numbers and keywords, digits and number signs of other scripts become
    // ASCII.
    let line = &*to_ascii_number(typed);
    let reply = match request {
        Request::Answer { .. } => Reply::Answer(yes_or_no(line)?),
        Request::Probability { .. } => match unclear(line) {
            Some(question) => return Some(ParsedTypedLine::Unclear(question)),
            None => Reply::Probability(probability(line)?),
        },
        Request::Direction { .. } => Reply::Direction(bet(line)?),
        Request::Support { .. } => match counted(line) {
            Some(number) => Reply::Support(number),
            None => Reply::Compose(Box::new(parse_composed_support(typed)?)),
        },
        Request::Select { .. } => Reply::Select(counted(line)?),
        Request::Share { .. } => {
            Reply::Probability(parse(line).ok().filter(Exact::is_probability)?)
        }
        Request::Challenge { steps, .. } => Reply::Challenge(match line {
            "none" | "no" | "n" | "-" | "go on" => None,
            "yes" | "y" if steps.end - steps.start == 1 => Some(steps.start),
            step => Some(step.parse().ok()?),
        }),
        Request::Bits { .. } => {
            Reply::Bits(digits(line).filter(|bits| !bits.as_slice().is_empty())?)
        }
        Request::Oracle { .. } => {
            let (answer, sure) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if let Some(question) = unclear(sure) {
                return Some(ParsedTypedLine::Unclear(question));
            }
            let confidence = match sure.trim() {
                "" => None,
                sure => Some(probability(sure)?),
            };
            Reply::Oracle {
                holds: yes_or_no(answer)?,
                confidence,
            }
        }
        Request::Speech { argues_for, .. } => {
            let speech = Speech::parse(&typed.replace("\\n", "\n")).ok()?;
            let speaks = argues_for.is_none() || !speech.is_empty();
            speaks.then(|| Reply::Speech(Box::new(speech)))?
        }
        Request::Continue { .. } => Reply::Continue(yes_or_no(line)?),
        Request::Draw { .. } => return None,
    };
    Some(ParsedTypedLine::Reply(reply))
}

/// Parses a support that the user wrote: a gate, `:`, and subclaims separated by `;`, as in `all: first; !second`. A
/// subclaim with a leading `!` is decided by the judge directly.
fn parse_composed_support(line: &str) -> Option<ProverWrittenSupport> {
    let (word, rest) = line.split_once(':')?;
    let gate = gate(&word.trim().to_lowercase())?;
    let parts = rest.trim().trim_end_matches(';').split(';').map(|part| {
        let part = part.trim();
        let judged = part.strip_prefix('!');
        ProverWrittenSubclaim {
            text: judged.unwrap_or(part).trim().to_owned(),
            judged: judged.is_some(),
        }
    });
    Some(ProverWrittenSupport {
        gate,
        parts: parts.collect(),
    })
}

/// Parses the word for a gate, such as `all`.
fn gate(word: &str) -> Option<Gate> {
    Some(match word {
        "all" | "and" => Gate::All,
        "any" | "or" | "at least one" => Gate::Any,
        "most" | "majority" => Gate::Majority,
        "odd" | "xor" => Gate::Xor,
        "not" => Gate::Not,
        _ => {
            let spaced = word.strip_prefix("at least ");
            let number = spaced.or_else(|| word.strip_prefix("atleast "))?;
            Gate::AtLeast(to_ascii_number(number).trim().parse().ok()?)
        }
    })
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "y" | "yes" | "t" | "true" | "1" => Some(true),
        "n" | "no" | "f" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// For an ambiguous number such as 0.5, which may mean 0.5 % or 50 %, returns the question that asks the user which one
/// is meant.
fn unclear(text: &str) -> Option<String> {
    let text = text.trim();
    let value = parse(text).ok().filter(|_| !text.contains(['/', '%']))?;
    let between = Exact::zero() < value && value < Exact::one();
    between.then(|| {
        let hundredfold = format_rounded(value.to_float() * 100.0, 12);
        format!("{text} % or {hundredfold} %? Type it with a % sign, or as p={text}.")
    })
}

/// Parses a probability. A bare number is a percentage, as on the screen. A fraction, or a number after `p=`, is the
/// probability itself.
fn probability(text: &str) -> Option<Exact> {
    if let Some(text) = text.strip_prefix("p=") {
        return parse(text).ok().filter(Exact::is_probability);
    }
    let bare = !text.contains(['/', '%']);
    let percents = Exact::ratio(if bare { 100 } else { 1 }, 1);
    let value = parse(text).ok()? / percents;
    value.is_probability().then_some(value)
}

fn bet(text: &str) -> Option<Bet> {
    match text.to_ascii_lowercase().as_str() {
        "low" | "l" | "+1" | "+" | "1" => Some(Bet::TooLow),
        "right" | "r" | "0" => Some(Bet::AboutRight),
        "high" | "h" | "-1" | "−1" | "-" => Some(Bet::TooHigh),
        _ => None,
    }
}

fn counted(text: &str) -> Option<u32> {
    text.parse::<u32>().ok()?.checked_sub(1)
}

/// Describes a reply in a few words.
pub fn reply_words<N: Number>(reply: &Reply<N>) -> String {
    let yes = |holds: bool| if holds { "yes" } else { "no" }.to_owned();
    match reply {
        Reply::Answer(holds) | Reply::Oracle { holds, .. } => yes(*holds),
        Reply::Probability(p) => in_percent(p),
        Reply::Direction(bet) => bet.bet_in_words().to_owned(),
        Reply::Support(number) => format!("support {}", u64::from(*number) + 1),
        Reply::Compose(_) => "a support in the player's own words".to_owned(),
        Reply::Select(number) => format!("subclaim {}", u64::from(*number) + 1),
        Reply::Bits(bits) => shortened_bits(bits),
        Reply::Challenge(None) => "no step".to_owned(),
        Reply::Challenge(Some(step)) => format!("step {step}"),
        Reply::Speech(_) => "a speech".to_owned(),
        Reply::Continue(continues) => if *continues {
            "another round"
        } else {
            "the end"
        }
        .to_owned(),
        Reply::Drawn(outcome) => outcome.to_string(),
    }
}

/// Maximum number of requested bits for which all possible strings are listed as choices.
const MAX_BITS: u32 = 4;

/// A reply that a user can choose from a list, with its label.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledReply {
    pub label: String,
    pub reply: Reply<Exact>,
}

impl DebateNarrator<'_> {
    /// Lists the possible replies to a request; for a challenge, only the first `most` steps. Empty if the replies
    /// cannot be listed.
    pub fn reply_choices(
        &self,
        turn: &PendingTurn<Exact>,
        log: &Log<Exact>,
        most: usize,
    ) -> Vec<LabelledReply> {
        let instance = self.instance;
        let choice = |label: &str, reply| LabelledReply {
            label: label.to_owned(),
            reply,
        };
        let holds = |reply: fn(bool) -> Reply<Exact>| {
            let labels = [("Yes, it is true", true), ("No, it is not true", false)];
            labels.map(|(label, holds)| choice(label, reply(holds)))
        };
        match &turn.request {
            Request::Answer { .. } => holds(Reply::Answer).into(),
            Request::Oracle { .. } => {
                let verdict = |holds| Reply::Oracle {
                    holds,
                    confidence: None,
                };
                holds(verdict).into()
            }
            Request::Continue { .. } => vec![
                choice("Hear another round", Reply::Continue(true)),
                choice("Stop here", Reply::Continue(false)),
            ],
            Request::Direction { .. } => {
                let bets = [Bet::TooLow, Bet::AboutRight, Bet::TooHigh];
                let each = bets.map(|bet| (format!("It is {}", bet.bet_in_words()), bet));
                each.map(|(label, bet)| choice(&label, Reply::Direction(bet)))
                    .into()
            }
            Request::Support { claim, offered } => (0..*offered)
                .map(|place| choice(&self.support_text(*claim, place), Reply::Support(place)))
                .collect(),
            Request::Select { claim, count } => {
                let parts = log.subclaims_in_last_split(*claim, instance);
                let label = |place: u32| {
                    let part = parts.get(place as usize);
                    part.map_or_else(
                        || format!("Number {}", place + 1),
                        |part| instance.text(*part),
                    )
                };
                let places = 0..*count;
                places
                    .map(|place| choice(&label(place), Reply::Select(place)))
                    .collect()
            }
            Request::Challenge { steps, .. } if steps.end - steps.start == 1 => vec![
                choice("Accept it", Reply::Challenge(None)),
                choice("Challenge it", Reply::Challenge(Some(steps.start))),
            ],
            Request::Challenge { steps, .. } => {
                let none = choice("No step is wrong", Reply::Challenge(None));
                let named = steps.clone().take(most).map(|step| {
                    let label = format!("Step {step} is wrong");
                    choice(&label, Reply::Challenge(Some(step)))
                });
                std::iter::once(none).chain(named).collect()
            }
            Request::Bits { ask, length } if *length <= MAX_BITS => (0..1_u32 << length)
                .rev()
                .map(|number| {
                    let bits: Vec<bool> = (0..*length).map(|bit| number >> bit & 1 == 1).collect();
                    let label = self.bits_in_words(&bits, *ask);
                    choice(&label, Reply::Bits(BitString::from(bits)))
                })
                .collect(),
            Request::Bits { .. }
            | Request::Probability { .. }
            | Request::Share { .. }
            | Request::Speech { .. }
            | Request::Draw { .. } => Vec::new(),
        }
    }

    /// Describes a string of bits in words; answers to subclaims are listed with their subclaims.
    fn bits_in_words(&self, bits: &[bool], ask: BitsMeaning) -> String {
        let support = match ask {
            BitsMeaning::Answers { claim, support, .. } => self.instance.support(claim, support),
            _ => None,
        };
        let on = support.map_or(&[][..], |support| &support.on);
        let each = bits
            .iter()
            .enumerate()
            .map(|(place, bit)| match on.get(place) {
                Some(claim) => {
                    let is = if *bit { "true" } else { "not true" };
                    format!("{} {is}", self.short_claim(*claim))
                }
                None => u8::from(*bit).to_string(),
            });
        let between = if on.is_empty() { "" } else { ", " };
        each.collect::<Vec<_>>().join(between)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments;
    use debate_core::protocol::BitsMeaning;

    fn typed(line: &str, request: &Request<Exact>) -> Result<ParsedTypedLine, String> {
        read_line(line, request, false, BitString::default)
    }

    #[test]
    fn every_typing_hint_names_a_kind_of_input() {
        let code = include_str!("typed.rs");
        for name in TYPINGS.text_names() {
            let text = TYPINGS.get(name).unwrap();
            assert!(code.contains(&format!("\"{name}\",")), "{name} is no kind");
            assert!(
                text.starts_with("type ") || text.starts_with("press "),
                "{text}"
            );
        }
    }

    #[test]
    fn a_speech_is_a_line_with_quotes_and_the_source_is_for_debaters() {
        let ask = |argues_for| Request::Speech {
            argues_for,
            limits: debate_core::scenario::SpeechCharacterLimits::default(),
        };
        let said = |line: &str, argues_for| match typed(line, &ask(argues_for)) {
            Ok(ParsedTypedLine::Reply(Reply::Speech(speech))) => Ok(speech.to_string()),
            other => Err(format!("{other:?}")),
        };
        let spoken = said("one\\ntwo <quote>three</quote>", Some(0));
        assert_eq!(spoken.as_deref(), Ok("one\ntwo <quote>three</quote>"));
        assert_eq!(said("", None).as_deref(), Ok(""));
        assert!(said("", Some(1)).is_err() && said("<quote>x", None).is_err());
        assert_eq!(typed("source", &ask(Some(1))), Ok(ParsedTypedLine::Source));
        let find = ParsedTypedLine::Find("a b".to_owned());
        assert_eq!(typed("find a b", &ask(Some(0))), Ok(find));
        assert_eq!(said("source", None).as_deref(), Ok("source"));
        let more = Request::Continue { round: 2 };
        let continues = |line: &str| typed(line, &more);
        assert_eq!(
            continues("yes"),
            Ok(ParsedTypedLine::Reply(Reply::Continue(true)))
        );
        assert!(continues("").is_err());
    }

    #[test]
    fn bits_are_sent_as_prepared_written_out_or_turned_around() {
        let request = |length| Request::Bits {
            ask: BitsMeaning::Witness,
            length,
        };
        let prepared = || BitString::parse("0011").unwrap();
        let sent = |line: &str| match read_line(line, &request(4), false, prepared) {
            Ok(ParsedTypedLine::Reply(Reply::Bits(bits))) => bits.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(sent(""), "0011");
        assert_eq!(sent("1100"), "1100");
        assert_eq!(sent("11 00"), "1100");
        assert_eq!(sent("0 2"), "1001");
        assert_eq!(sent("flip 1, 3"), "0110");
        assert!(sent("4").starts_with("Err") && sent("x").starts_with("Err"));
        assert_eq!(
            read_line("q", &request(4), false, prepared),
            Ok(ParsedTypedLine::Quit)
        );
        let long = read_line("999999", &request(1_000_000), false, || {
            BitString::zeros(1_000_000)
        });
        let Ok(ParsedTypedLine::Reply(Reply::Bits(bits))) = long else {
            panic!("{long:?}");
        };
        assert!(bits.bit_at(999_999) == Some(true) && bits.bit_at(0) == Some(false));
        // Proof bits are not prepared.
        let proof = Request::Bits {
            ask: BitsMeaning::Proof(0),
            length: 1,
        };
        assert!(typed("", &proof).is_err());
    }

    #[test]
    fn steps_are_shown_and_pointed_at() {
        let instance = arguments::instance("1");
        let request = Request::Challenge {
            claim: instance.root(),
            steps: 0..64,
        };
        let points = |step| Ok(ParsedTypedLine::Reply(Reply::Challenge(step)));
        assert_eq!(typed("17", &request), points(Some(17)));
        assert_eq!(typed("none", &request), points(None));
        assert_eq!(
            typed("show 17..25", &request),
            Ok(ParsedTypedLine::Show(17, 25))
        );
        assert_eq!(typed("show 3", &request), Ok(ParsedTypedLine::Show(3, 3)));
        assert!(typed("show", &request).is_err() && typed("show 9..3", &request).is_err());
    }

    #[test]
    fn supports_are_written_in_a_line() {
        let instance = arguments::instance("1");
        let request = Request::Support {
            claim: instance.root(),
            offered: 1,
        };
        let reads = |line| match read_line(line, &request, true, BitString::default) {
            Ok(ParsedTypedLine::Reply(Reply::Compose(composed))) => {
                let parts: Vec<String> = composed
                    .parts
                    .iter()
                    .map(|part| format!("{}{}", if part.judged { "!" } else { "" }, part.text))
                    .collect();
                format!("{:?} {}", composed.gate, parts.join("|"))
            }
            other => format!("{other:?}"),
        };
        assert_eq!(
            reads("all: It rained: twice; the road is wet;"),
            "All It rained: twice|the road is wet"
        );
        assert_eq!(reads("At least 2:a;b; ! c"), "AtLeast(2) a|b|!c");
        assert_eq!(reads("most: a;;b"), "Majority a||b");
        assert_eq!(reads("1"), "Ok(Reply(Support(0)))");
        for wrong in ["", "both: a; b", "a; b", "at least: a", "at least -1: a"] {
            assert!(reads(wrong).contains("such as all:"), "{wrong}");
        }
        let closed = typed("both", &request).unwrap_err();
        assert_eq!(closed, "type a number from 1 to 1");
    }

    #[test]
    fn replies_are_read_as_typed() {
        let instance = arguments::instance("all(1, 1)");
        let claim = instance.root();
        let probability = Request::Probability {
            claim,
            place: None,
            alone: false,
        };
        let p = |n, d| {
            Ok(ParsedTypedLine::Reply(Reply::Probability(Exact::ratio(
                n, d,
            ))))
        };
        assert_eq!(typed("33.3", &probability), p(333, 1000));
        assert_eq!(typed(" 1/3 ", &probability), p(1, 3));
        assert_eq!(typed("40 %", &probability), p(2, 5));
        assert!(typed("101", &probability).is_err() && typed("half", &probability).is_err());
        let asked_back = |line, request| match typed(line, request) {
            Ok(ParsedTypedLine::Unclear(question)) => question,
            other => panic!("{line}: {other:?}"),
        };
        let halves = "0.5 % or 50 %? Type it with a % sign, or as p=0.5.";
        assert_eq!(asked_back("0.5", &probability), halves);
        let thirds = asked_back(".3333", &probability);
        assert!(thirds.starts_with(".3333 % or 33.33 %?"), "{thirds}");
        asked_back("1e-3", &probability);
        assert_eq!(typed("0.5 %", &probability), p(1, 200));
        assert_eq!(typed("p=0.5", &probability), p(1, 2));
        assert_eq!(typed("0", &probability), p(0, 1));
        assert_eq!(typed("1", &probability), p(1, 100));
        assert_eq!(typed("0.0", &probability), p(0, 1));
        assert!(typed("p=2", &probability).is_err());
        let share = Request::Share { claim };
        assert_eq!(typed("0.371", &share), p(371, 1000));
        let direction = Request::Direction { claim };
        let bets = |text| typed(text, &direction);
        assert_eq!(
            bets("low"),
            Ok(ParsedTypedLine::Reply(Reply::Direction(Bet::TooLow)))
        );
        assert_eq!(
            bets("-1"),
            Ok(ParsedTypedLine::Reply(Reply::Direction(Bet::TooHigh)))
        );
        let select = Request::Select { claim, count: 2 };
        assert_eq!(
            typed("1", &select),
            Ok(ParsedTypedLine::Reply(Reply::Select(0)))
        );
        assert!(typed("0", &select).is_err());
        let oracle = Request::Oracle { claim };
        let confidence = Some(Exact::ratio(9, 10));
        let sure = Reply::Oracle {
            holds: true,
            confidence,
        };
        assert_eq!(
            typed("yes 90", &oracle),
            Ok(ParsedTypedLine::Reply(sure.clone()))
        );
        assert_eq!(
            typed("yes p=0.9", &oracle),
            Ok(ParsedTypedLine::Reply(sure))
        );
        assert!(asked_back("yes 0.9", &oracle).starts_with("0.9 % or 90 %?"));
        assert_eq!(typed("U", &oracle), Ok(ParsedTypedLine::Undo));
        assert_eq!(typed("?", &oracle), Ok(ParsedTypedLine::Help));
        assert_eq!(typed("hint", &oracle), Ok(ParsedTypedLine::Hint));
    }

    #[test]
    fn digits_of_every_script_are_read_and_words_stay_as_typed() {
        let digits = "\u{662}\u{665}";
        let likely = Request::Probability {
            claim: arguments::instance("1").root(),
            place: None,
            alone: false,
        };
        let quarter = Ok(ParsedTypedLine::Reply(Reply::Probability(Exact::ratio(
            1, 4,
        ))));
        for line in [
            digits,
            "\u{FF12}\u{FF15}\u{FF05}",
            "p=\u{FF11}\u{FF0F}\u{FF14}",
        ] {
            assert_eq!(typed(line, &likely), quarter, "{line}");
        }
        assert_eq!(
            typed("show \u{661}..\u{662}", &likely),
            Ok(ParsedTypedLine::Show(1, 2))
        );
        let speech = Request::Speech {
            argues_for: None,
            limits: debate_core::scenario::SpeechCharacterLimits::default(),
        };
        let Ok(ParsedTypedLine::Reply(Reply::Speech(spoken))) = typed(digits, &speech) else {
            panic!("a speech");
        };
        assert_eq!(spoken.to_string(), digits);
        let bits = Request::Bits {
            ask: BitsMeaning::Witness,
            length: 2,
        };
        let both = BitString::parse("10").unwrap();
        assert_eq!(
            typed("\u{661}\u{660}", &bits),
            Ok(ParsedTypedLine::Reply(Reply::Bits(both)))
        );
    }
}
