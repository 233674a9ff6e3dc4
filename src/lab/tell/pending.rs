//! The pending action of a seat, in words.

use super::Narrator;
use debate_core::number::Exact;
use debate_core::protocol::{Ask, Request, Seat};

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
