//! Replies as a person types them.

use crate::number::{Exact, Number as _, parse};
use crate::protocol::{Bet, Bits, Reply, Request};

/// What a person typed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Typed {
    /// An answer to the request.
    Reply(Reply<Exact>),
    /// Take back my last reply.
    Undo,
    /// Stop here and keep the debate.
    Quit,
    /// Say what can be typed.
    Help,
}

/// Reads a line; `Err` says what would be understood.
pub(super) fn read(line: &str, request: &Request<Exact>) -> Result<Typed, String> {
    let line = line.trim();
    match line.to_ascii_lowercase().as_str() {
        "u" | "undo" => return Ok(Typed::Undo),
        "q" | "quit" => return Ok(Typed::Quit),
        "?" | "help" => return Ok(Typed::Help),
        _ => {}
    }
    reply(line, request)
        .map(Typed::Reply)
        .ok_or_else(|| expected(request))
}

/// What can be typed.
pub(super) fn expected(request: &Request<Exact>) -> String {
    match request {
        Request::Answer { .. } => "type yes or no".to_owned(),
        Request::Probability { .. } => {
            "type a percentage from 0 to 100, such as 33.3, or a fraction such as 1/3".to_owned()
        }
        Request::Direction { .. } => {
            "type low (+1: it is too low), right (0) or high (−1: it is too high)".to_owned()
        }
        Request::Support { offered: count, .. } | Request::Select { count, .. } => {
            format!("type a number from 1 to {count}")
        }
        Request::Share { .. } => "type a number from 0 to 1, such as 0.371".to_owned(),
        Request::Challenge { steps, .. } if steps.end - steps.start == 1 => {
            "type yes to have it checked, or none to go on".to_owned()
        }
        Request::Challenge { steps, .. } => format!(
            "type the number of a step from {} to {}, or none",
            steps.start,
            steps.end - 1
        ),
        Request::Bits { length: 1, .. } => "type 0 or 1".to_owned(),
        Request::Bits { length, .. } => format!("type {length} digits, 1 for true and 0 for false"),
        Request::Oracle { .. } => {
            "type yes or no, perhaps with how sure you are that it is true, such as yes 90"
                .to_owned()
        }
        Request::Draw { .. } => String::new(),
    }
}

fn reply(line: &str, request: &Request<Exact>) -> Option<Reply<Exact>> {
    Some(match request {
        Request::Answer { .. } => Reply::Answer(yes_or_no(line)?),
        Request::Probability { .. } => Reply::Probability(probability(line)?),
        Request::Direction { .. } => Reply::Direction(bet(line)?),
        Request::Support { .. } => Reply::Support(counted(line)?),
        Request::Select { .. } => Reply::Select(counted(line)?),
        Request::Share { .. } => {
            Reply::Probability(parse(line).ok().filter(Exact::is_probability)?)
        }
        Request::Challenge { steps, .. } => Reply::Challenge(match line {
            "none" | "no" | "n" | "-" => None,
            "yes" | "y" if steps.end - steps.start == 1 => Some(steps.start),
            step => Some(step.parse().ok()?),
        }),
        Request::Bits { .. } => {
            let digits: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            Reply::Bits(Bits::parse(&digits).filter(|bits| !bits.as_slice().is_empty())?)
        }
        Request::Oracle { .. } => {
            let (answer, sure) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let confidence = match sure.trim() {
                "" => None,
                sure => Some(probability(sure)?),
            };
            Reply::Oracle {
                holds: yes_or_no(answer)?,
                confidence,
            }
        }
        Request::Draw { .. } => return None,
    })
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "y" | "yes" | "t" | "true" | "1" => Some(true),
        "n" | "no" | "f" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// A bare number is a percentage, as on the screen; a fraction is itself.
fn probability(text: &str) -> Option<Exact> {
    let value = parse(text).ok()?;
    let bare = !text.contains(['/', '%']);
    let value = if bare {
        value / Exact::ratio(100, 1)
    } else {
        value
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::sample;

    #[test]
    fn replies_are_read_as_typed() {
        let instance = sample::instance("all(1, 1)");
        let claim = instance.root();
        let probability = Request::Probability {
            claim,
            place: None,
            alone: false,
        };
        let p = |n, d| Ok(Typed::Reply(Reply::Probability(Exact::ratio(n, d))));
        assert_eq!(read("33.3", &probability), p(333, 1000));
        assert_eq!(read(" 1/3 ", &probability), p(1, 3));
        assert_eq!(read("40 %", &probability), p(2, 5));
        assert!(read("101", &probability).is_err() && read("half", &probability).is_err());
        let direction = Request::Direction { claim };
        let bets = |text| read(text, &direction);
        assert_eq!(bets("low"), Ok(Typed::Reply(Reply::Direction(Bet::TooLow))));
        assert_eq!(bets("-1"), Ok(Typed::Reply(Reply::Direction(Bet::TooHigh))));
        let select = Request::Select { claim, count: 2 };
        assert_eq!(read("1", &select), Ok(Typed::Reply(Reply::Select(0))));
        assert!(read("0", &select).is_err());
        let oracle = Request::Oracle { claim };
        let confidence = Some(Exact::ratio(9, 10));
        let sure = Reply::Oracle {
            holds: true,
            confidence,
        };
        assert_eq!(read("yes 90", &oracle), Ok(Typed::Reply(sure)));
        assert_eq!(read("U", &oracle), Ok(Typed::Undo));
        assert_eq!(read("?", &oracle), Ok(Typed::Help));
    }
}
