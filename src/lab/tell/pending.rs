//! The pending action of a seat, in words.

use super::Narrator;
use debate_core::number::Exact;
use debate_core::protocol::{Ask, Request, Round, Seat};

/// The action that is asked of another seat than the one that looks, without its reply:
/// "estimates …".
pub fn pending_action(narrator: &Narrator<'_>, request: &Request<Exact>) -> String {
    let brief = |claim| narrator.brief(claim);
    match request {
        Request::Answer { claim } => format!("says whether {} is true", brief(*claim)),
        Request::Probability { claim, .. } => format!("estimates how likely {} is", brief(*claim)),
        Request::Direction { .. } => {
            let whose = narrator.perspective.whose(Seat::Opponent);
            format!("bets whether {whose} estimate is too low or too high")
        }
        Request::Support { claim, .. } => format!("supports {} by subclaims", brief(*claim)),
        Request::Select { claim, .. } => {
            format!("chooses where to go on with {}", brief(*claim))
        }
        Request::Bits {
            ask: Ask::Answers { .. },
            ..
        } => "claims answers".to_owned(),
        Request::Bits {
            ask: Ask::Proof(_), ..
        } => "gives a proof bit".to_owned(),
        Request::Bits { ask, .. } => {
            let gives = match ask {
                Ask::Block { .. } => "chooses the values of",
                Ask::Transcript { .. } => "writes down",
                _ => "gives",
            };
            format!("{gives} {}", narrator.what(*ask))
        }
        Request::Share { .. } => "gives a number for a coin".to_owned(),
        Request::Challenge { steps, .. } if steps.end - steps.start == 1 => {
            "says whether that should be checked".to_owned()
        }
        Request::Challenge { .. } => "looks for a wrong step".to_owned(),
        Request::Speech { argues_for, .. } => match argues_for {
            Some(_) => "argues".to_owned(),
            None => "speaks to the debaters".to_owned(),
        },
        Request::Continue { .. } => "decides whether to hear another round".to_owned(),
        Request::Oracle { claim } => format!("judges {}", brief(*claim)),
        Request::Draw { claim, .. } => format!("falls for {}", brief(*claim)),
    }
}

/// When the turn of a seat comes, in words, while this request to another one is pending; `None`
/// where it depends on what is said. `depth`: the number of the first round. `is_parted`: claims
/// fell into parts or were written down in bits.
pub fn until_turn(
    seat: Seat,
    pending: &Request<Exact>,
    round: Option<Round>,
    depth: u32,
    is_parted: bool,
) -> Option<String> {
    match pending {
        Request::Challenge { .. }
        | Request::Share { .. }
        | Request::Speech { .. }
        | Request::Continue { .. }
        | Request::Bits {
            ask:
                Ask::Configuration { .. } | Ask::Transcript { .. } | Ask::Block { .. } | Ask::Witness,
            ..
        } => return None,
        Request::Answer { .. }
        | Request::Probability { .. }
        | Request::Direction { .. }
        | Request::Support { .. }
        | Request::Select { .. }
        | Request::Bits {
            ask: Ask::Proof(_) | Ask::Answers { .. },
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
    if seat == Seat::Judge && is_parted {
        return Some("You may be asked something at the end.".to_owned());
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
        // Of the prover, a pair to go on with: this round is paid. Of the opponent, a part of a claim.
        Seat::Opponent | Seat::Prover if pending.is_selection() => {
            if rounds > 1 {
                "Your turn comes in the next round."
            } else {
                "You have nothing more to say in this debate."
            }
        }
        Seat::Opponent if is_last => "You have nothing more to say in this debate.",
        Seat::Prover if matches!(pending, Request::Oracle { .. }) => {
            "You have nothing more to say in this debate."
        }
        // The first estimate is a round without a number.
        Seat::Prover if round == Some(Round::Initial) => "Your turn comes in the first round.",
        Seat::Prover | Seat::Judge if is_last => "Your turn comes in this round.",
        _ if pending.draw().is_some() => "Your turn comes soon after.",
        _ => "Your turn comes in this round.",
    };
    Some(sentence.to_owned())
}
