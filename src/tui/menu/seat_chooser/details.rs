//! The panel beside the seats on a wide screen: the players, the rules, and the user's last results. It contains no
//! briefing, because the user could read the secrets of one seat and then choose another.

use super::{SeatChoice, SeatChooserContents};
use crate::tui::theme::TextRole;
use crate::tui::widget::scroll::{Entry, measure_lines};
use debate_core::protocol::{ProtocolKind, Seat};

/// Returns the lines of the panel for the marked choice, as far as they fit into this many columns and rows. Paragraphs
/// that do not fit are left out.
pub(super) fn details_that_fit(
    model: &SeatChooserContents<'_>,
    marked: SeatChoice,
    columns: u16,
    rows: usize,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for mut paragraph in paragraphs(model, marked) {
        if !entries.is_empty() {
            paragraph.insert(0, Entry::default());
        }
        let needed = measure_lines(&entries, columns) + measure_lines(&paragraph, columns);
        if needed <= rows {
            entries.append(&mut paragraph);
        }
    }
    entries
}

/// Returns the title of the panel for the marked choice.
pub(super) fn details_title(model: &SeatChooserContents<'_>, marked: SeatChoice) -> String {
    match seat_of_choice(model, marked) {
        Some(Seat::Judge) => "If you are the judge".to_owned(),
        Some(seat) => format!("If you are {}", seat.player_name_of_seat()),
        None => "The debate".to_owned(),
    }
}

/// Returns the seat that the user takes with this choice; `None` if the user takes no seat or chooses it later.
pub(super) fn seat_of_choice(model: &SeatChooserContents<'_>, choice: SeatChoice) -> Option<Seat> {
    match choice {
        SeatChoice::Play(seat) => Some(seat),
        SeatChoice::Stronger => model.stronger.map(|offer| offer.seat),
        SeatChoice::Watch | SeatChoice::Arrange => None,
    }
}

/// Returns the description of the player in `seat` for a user who takes the seat `own`. To a judge, Alice's player would
/// tell if she lies, so a text says that it is hidden. Under rules without estimates, this is so for Bob's player too,
/// because he points at what is wrong.
pub(super) fn player_unless_hidden_from_judge(
    own: Option<Seat>,
    seat: Seat,
    kind: ProtocolKind,
    player: String,
) -> String {
    let is_hidden = match seat {
        Seat::Prover => true,
        Seat::Opponent => kind != ProtocolKind::ProverEstimator,
        _ => false,
    };
    if own == Some(Seat::Judge) && is_hidden {
        return "hidden from the judge".to_owned();
    }
    player
}

/// Returns the paragraphs of the panel, the most important one first. Each begins with its heading.
fn paragraphs(model: &SeatChooserContents<'_>, marked: SeatChoice) -> Vec<Vec<Entry>> {
    let facts = &model.scene.facts;
    let own = seat_of_choice(model, marked);
    let heading = |text: &str| Entry::unlabelled(TextRole::Title, text);
    let text = |text: String| Entry::unlabelled(TextRole::Text, text);
    let mut paragraphs = Vec::new();
    let player = |seat: Seat| {
        let name = match seat {
            Seat::Judge => "Judge",
            _ => seat.player_name_of_seat(),
        };
        let player = match (own, marked) {
            (Some(own), _) if own == seat => "you".to_owned(),
            // The offer names the opponents, who replace the scenario's players.
            (_, SeatChoice::Stronger) => return None,
            (own, _) => player_unless_hidden_from_judge(
                own,
                seat,
                facts.kind,
                facts.player_in_words_before_end(seat)?,
            ),
        };
        Some(text(format!("{name}: {player}.")))
    };
    let asked = Seat::PLAYERS
        .into_iter()
        .filter(|seat| facts.is_seat_ever_asked(*seat));
    let players: Vec<Entry> = asked.filter_map(player).collect();
    if players.len() > 1 {
        paragraphs.push([vec![heading("The players")], players].concat());
    }
    if !facts.blind {
        let rules = facts.kind.protocol_texts().rules;
        paragraphs.push(vec![heading("The rules"), text(rules.to_owned())]);
    }
    if !model.last_results.is_empty() {
        let results = model.last_results.iter().cloned().map(text);
        let heading = heading("Your last debates of this scenario");
        paragraphs.push(std::iter::once(heading).chain(results).collect());
    }
    paragraphs
}
