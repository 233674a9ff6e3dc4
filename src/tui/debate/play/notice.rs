//! The text in place of a question while the others move.

use super::live::people;
use crate::tui::panel::{DebatePanels, PanelView};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::scroll::Entry;
use debate_core::number::Exact;
use debate_core::player::Seating;
use debate_core::protocol::{Ask, Request, Round, Rules as _, Seat};
use debate_lab::tell::pending_action;

/// When the turn of a seat comes, in words.
fn until_turn(
    view: &PanelView<'_, '_>,
    panels: &DebatePanels,
    seat: Seat,
    pending: &Request<Exact>,
) -> String {
    let depth = panels.depth().unwrap_or(0);
    let rounds = match view.state.round() {
        Some(Round::Number(k)) => k,
        _ => depth,
    };
    let number = |rounds: u32| match rounds {
        1 => "one round".to_owned(),
        2 => "two rounds".to_owned(),
        3 => "three rounds".to_owned(),
        _ => format!("{rounds} rounds"),
    };
    // Where bits and steps are debated, whose turn comes when depends on what is said.
    let proof = |ask: &Ask| matches!(ask, Ask::Proof(_) | Ask::Answers { .. });
    match pending {
        Request::Bits { ask, .. } if !proof(ask) => return String::new(),
        Request::Challenge { .. }
        | Request::Share { .. }
        | Request::Speech { .. }
        | Request::Continue { .. } => return String::new(),
        _ => {}
    }
    if seat == Seat::Judge && panels.is_parted() {
        return "You may be asked something at the end.".to_owned();
    }
    let last = rounds == 0 && view.state.round() == Some(Round::Number(0));
    match seat {
        Seat::Judge if last => "Your turn comes in this round.".to_owned(),
        Seat::Judge => format!("Your turn comes in about {}.", number(rounds.max(1))),
        // Of the prover, a pair to go on with: this round is paid. Of the opponent, a part of a claim.
        Seat::Opponent | Seat::Prover
            if matches!(pending, Request::Select { .. }) && rounds > 1 =>
        {
            "Your turn comes in the next round.".to_owned()
        }
        Seat::Opponent | Seat::Prover if matches!(pending, Request::Select { .. }) => {
            "You have nothing more to say in this debate.".to_owned()
        }
        Seat::Opponent if last => "You have nothing more to say in this debate.".to_owned(),
        Seat::Prover if matches!(pending, Request::Oracle { .. }) => {
            "You have nothing more to say in this debate.".to_owned()
        }
        // The first estimate is a round without a number.
        Seat::Prover if view.state.round() == Some(Round::Initial) => {
            "Your turn comes in the first round.".to_owned()
        }
        Seat::Prover if last => "Your turn comes in this round.".to_owned(),
        _ if matches!(pending, Request::Draw { .. }) => "Your turn comes soon after.".to_owned(),
        _ => "Your turn comes in this round.".to_owned(),
    }
}

/// The text of the ask panel on others' turns.
pub(super) fn notice(
    view: &PanelView<'_, '_>,
    seating: &Seating<'_, Exact>,
    panels: &DebatePanels,
    stuck: Option<&str>,
    look: &Appearance,
) -> Vec<Entry> {
    let Some(turn) = seating.turn() else {
        return Vec::new();
    };
    let scene = view.scene;
    let mut lines = Vec::new();
    let plain = |role, text: String| Entry::default().then(role, text);
    let people: Vec<Seat> = people(seating).collect();
    let who = match turn.seat {
        Seat::Chance => "A coin".to_owned(),
        seat => {
            let named = match (&people[..], scene.facts.occupant(seat)) {
                // Whoever watches may know everything.
                ([], Some(sitter)) if !scene.facts.blind => Some(sitter.player.as_str()),
                _ => scene.facts.player(seat),
            };
            let named = named.filter(|named| !named.is_empty());
            let player = named.map_or_else(String::new, |named| format!(", played by {named},"));
            match seat {
                Seat::Judge => format!("The judge{player}"),
                _ if !view.viewpoint().tells_rules() => format!("{}{player}", seat.person()),
                _ => format!("{}, the {}{player}", seat.person(), scene.facts.role(seat)),
            }
        }
    };
    let you = match &people[..] {
        [] => "You watch. ".to_owned(),
        [seat] => scene.facts.you_are(*seat) + " ",
        _ => "Several people play at this keyboard. ".to_owned(),
    };
    let next = if view.reader.follows() {
        format!(
            "{who} {} next.",
            pending_action(&view.viewpoint().narrator(look.script()), &turn.request)
        )
    } else {
        "The others debate, and the judge is not shown it: let them move, and what is asked of you \
         comes next."
            .to_owned()
    };
    lines.push(plain(StyleRole::Title, you).then(StyleRole::Text, next));
    if let ([seat], true) = (&people[..], view.reader.follows()) {
        let when = until_turn(view, panels, *seat, &turn.request);
        if !when.is_empty() {
            lines.push(plain(StyleRole::Text, when));
        }
    }
    if let Some(stuck) = stuck {
        lines.push(plain(StyleRole::Bad, format!("It cannot go on: {stuck}.")));
    }
    // A lesson says in its own words what it is about.
    if view.log.entries().is_empty() && scene.coach.is_none() {
        let alone = match people[..] {
            [seat] => Some(seat),
            _ => None,
        };
        for text in scene.facts.texts_for(alone) {
            lines.push(plain(StyleRole::Faint, text.to_owned()));
        }
        if view.viewpoint().tells_rules() {
            lines.push(plain(
                StyleRole::Faint,
                scene.facts.kind.introduction().rules.to_owned(),
            ));
        }
    }
    lines
}
