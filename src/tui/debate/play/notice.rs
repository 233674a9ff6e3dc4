//! The text in place of a question while the others move.

use super::live::people;
use crate::tui::panel::{DebatePanels, PanelView};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::scroll::Entry;
use debate_core::number::Exact;
use debate_core::player::Seating;
use debate_core::protocol::{Rules as _, Seat};
use debate_lab::tell::until_turn;

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
        let narrator = view.viewpoint().narrator(look.script());
        format!("{who} {} next.", narrator.pending_action(&turn.request))
    } else {
        "The others debate, and the judge is not shown it: let them move, and what is asked of you \
         comes next."
            .to_owned()
    };
    lines.push(plain(Role::Title, you).then(Role::Text, next));
    if let ([seat], true) = (&people[..], view.reader.follows()) {
        let (round, depth) = (view.state.round(), panels.depth().unwrap_or(0));
        let when = until_turn(*seat, &turn.request, round, depth, panels.is_parted());
        lines.extend(when.map(|when| plain(Role::Text, when)));
    }
    if let Some(stuck) = stuck {
        lines.push(plain(Role::Bad, format!("It cannot go on: {stuck}.")));
    }
    // A lesson says in its own words what it is about.
    if view.log.entries().is_empty() && scene.coach.is_none() {
        let alone = match people[..] {
            [seat] => Some(seat),
            _ => None,
        };
        for text in scene.facts.texts_for(alone) {
            lines.push(plain(Role::Faint, text.to_owned()));
        }
        if view.viewpoint().tells_rules() {
            lines.push(plain(
                Role::Faint,
                scene.facts.kind.introduction().rules.to_owned(),
            ));
        }
    }
    lines
}
