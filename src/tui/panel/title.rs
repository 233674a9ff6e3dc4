//! The title line of a debate's screen: the question, the round, and the viewer's seat.

use ratatui::layout::Rect;

use super::rewards::{DroppableLinePiece, pieces_that_fit};
use crate::tui::theme::TextRole;
use crate::tui::widget::{Canvas, measure};
use debate_core::protocol::Seat;
use debate_text::{DebateViewpoint, RewardTable, status};

/// Draws the title line of a debate's screen. A long title is cut to at least 12 columns so that the round is shown. It
/// is cut for the seat too if at least 24 columns then remain for it.
pub fn draw_title(
    view: &DebateViewpoint<'_, '_>,
    rewards: &RewardTable,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let facts = view.facts;
    let round = status::current_round_in_words(view, rewards);
    // The round and the role beside the title take at most 50 columns.
    let title_columns = measure::width(&facts.title);
    // The seat is more important than the remark after the round: "round 2 of 2, the judge's".
    let is_remark_too_long = title_columns + measure::width(&round) + 18 > usize::from(area.width);
    let round = match round.split_once(", ") {
        Some((counted, _)) if is_remark_too_long => counted.to_owned(),
        _ => round,
    };
    let is_long = title_columns + 50 > usize::from(area.width);
    // A title that would be cut beside "you are Bob" gets the columns of these words.
    let is_tight = title_columns + measure::width(&round) + 18 > usize::from(area.width);
    let you = match view.perspective.viewer_seat() {
        None => String::new(),
        Some(Seat::Judge) => "you are the judge".to_owned(),
        Some(seat) if is_tight => seat.player_name_of_seat().to_owned(),
        Some(seat) if is_long || !view.viewer_may_see_rules() => {
            format!("you are {}", seat.player_name_of_seat())
        }
        Some(seat) => format!(
            "you are {player}, the {role}",
            player = seat.player_name_of_seat(),
            role = facts.role_title(seat)
        ),
    };
    let columns = usize::from(area.width).saturating_sub(1);
    let room = columns.saturating_sub(measure::width(&round) + 3).max(12);
    let beside_you = room.saturating_sub(measure::width(&you) + 3);
    let most = if beside_you < 24 { room } else { beside_you };
    let title = measure::clip(&facts.title, most, canvas.look.glyphs.ellipsis).into_owned();
    let room = columns.saturating_sub(measure::width(&title) + 3);
    let pieces = [(5, round), (4, you)];
    let pieces =
        pieces.map(|(weight, text)| DroppableLinePiece::new(weight, TextRole::Faint, text));
    let pieces = pieces_that_fit(pieces.into(), 3, room);
    let taken: usize = pieces.iter().map(|piece| piece.width() + 3).sum();
    canvas.draw_text_line(&format!(" {title}"), TextRole::Title, area);
    if taken > room + 3 {
        return;
    }
    let texts = pieces.into_iter().flat_map(|piece| piece.spans);
    let texts: Vec<String> = texts.map(|span| span.text).collect();
    canvas.draw_text_right_aligned(&format!("{} ", texts.join("   ")), TextRole::Faint, area);
}
