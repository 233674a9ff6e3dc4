//! The title line: what is debated, the round, and who looks.

use ratatui::layout::Rect;

use super::rewards::{Piece, fitting};
use crate::tui::theme::Role;
use crate::tui::widget::{Canvas, measure};
use debate_core::protocol::Seat;
use debate_lab::tell::{RewardTable, Viewpoint, status};

/// Draws the title line. The round stays whatever else goes, and so does the front of the title.
pub fn draw_title(
    view: &Viewpoint<'_, '_>,
    rewards: &RewardTable,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let facts = view.facts;
    let round = status::round(view, rewards);
    let you = match view.perspective.seat() {
        None => String::new(),
        Some(Seat::Judge) => "you are the judge".to_owned(),
        Some(seat) if !view.tells_rules() => format!("you are {}", seat.person()),
        Some(seat) => format!("you are {}, the {}", seat.person(), facts.role(seat)),
    };
    let columns = usize::from(area.width).saturating_sub(1);
    let most = columns.saturating_sub(measure::width(&round) + 3).max(12);
    let title = measure::clip(&facts.title, most, canvas.look.glyphs.ellipsis).into_owned();
    let title_width = measure::width(&title);
    let room = columns.saturating_sub(title_width + 3);
    let pieces = vec![
        Piece::new(5, Role::Faint, round),
        Piece::new(4, Role::Faint, you),
    ];
    let pieces = fitting(pieces, 3, room);
    let taken: usize = pieces.iter().map(|piece| piece.width() + 3).sum();
    canvas.put(&format!(" {title}"), Role::Title, area);
    if taken > room + 3 {
        return;
    }
    let texts = pieces.into_iter().flat_map(|piece| piece.spans);
    let texts: Vec<String> = texts.map(|span| span.text).collect();
    canvas.put_right(&format!("{} ", texts.join("   ")), Role::Faint, area);
}
