//! The status line: the current round, its stake, the total payments so far, and the round that dominates their sum.

use super::{DebateViewpoint, FormulaCharacterSet, RewardTable, SignCharacters};
use debate_core::number::{Exact, Number, format_rounded, format_rounded_with_sign};
use debate_core::protocol::{Round, Rules, Seat, SpeechDebate};

pub fn current_round_in_words(view: &DebateViewpoint<'_, '_>, rewards: &RewardTable) -> String {
    if !view.reader.is_shown_debate_during_play() {
        return String::new();
    }
    if let (Some(round), Some(_)) = (spoken_round(view), view.state.round()) {
        return round;
    }
    match (view.state.round(), rewards.debate_depth()) {
        (None, _) => "the debate is over".to_owned(),
        (Some(Round::Initial), _) => "first answer".to_owned(),
        (Some(Round::Number(0)), None | Some(0)) => "the only round".to_owned(),
        (Some(Round::Number(k)), depth) => {
            let depth = depth.unwrap_or(k);
            let whose = match k {
                0 if view.perspective.is_viewer_seat(Seat::Judge) => ", yours",
                0 if view.facts.is_seat_ever_asked(Seat::Judge) => ", the judge's",
                0 => ", the last",
                _ => "",
            };
            let counted = Round::round_ordinal(k, depth);
            format!("round {counted} of {}{whose}", depth.saturating_add(1))
        }
    }
}

/// Formats the current round of a debate in free speeches, in which the number of rounds is not known in advance.
fn spoken_round(view: &DebateViewpoint<'_, '_>) -> Option<String> {
    let debate: &SpeechDebate<'_, Exact> = view.state.try_into().ok()?;
    let most = debate.parameters().rounds;
    Some(match (debate.current_round(), most) {
        (0, _) => "before round 1".to_owned(),
        (round, Some(most)) => format!("round {round} of up to {most}"),
        (round, None) => format!("round {round}"),
    })
}

/// Returns the texts of the status line: the current round, its stake, the payments so far, and the round that
/// dominates their sum. A text is empty if the debate has no such value.
pub fn status_texts(
    view: &DebateViewpoint<'_, '_>,
    rewards: &RewardTable,
    script: FormulaCharacterSet,
) -> [String; 4] {
    let stake = view.state.round().map(|round| {
        let Some(weight) = rewards.weight(round).map(Number::to_float) else {
            // Some rules pay only at the end.
            return "at stake 1, paid at the end".to_owned();
        };
        format!("at stake {}", format_rounded(weight, 2))
    });
    let payoff = view.perspective.value(view.state.payoff()).to_float();
    let to = match view.perspective.payoff_recipient_word() {
        to if payoff != 0.0 => format!(" to {to}"),
        _ => String::new(),
    };
    let so_far = format!("so far {}{to}", format_rounded_with_sign(payoff, 3));
    let dominating_round_and_reward = rewards
        .dominating_round_and_reward()
        .filter(|_| rewards.has_several_paying_rounds());
    let dominating_round_and_reward = dominating_round_and_reward.map(|(round, value)| {
        let name = match round {
            Round::Initial => "first answer".to_owned(),
            Round::Number(_) => format!("round {}", rewards.label(round)),
        };
        let sign = SignCharacters::symbols_for_character_set(script).dominant;
        let value = view.perspective.value(value.to_float());
        format!(
            "{sign} mostly {name} ({})",
            format_rounded_with_sign(value, 2)
        )
    });
    [
        current_round_in_words(view, rewards),
        stake.unwrap_or_default(),
        so_far,
        dominating_round_and_reward.unwrap_or_default(),
    ]
}
