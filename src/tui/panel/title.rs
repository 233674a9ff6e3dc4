//! The title line: what is debated, by which rules, and how far it is.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::TextSpan;

use super::PanelView;
use debate_lab::tell::{RewardTable, status};

/// A piece of a line; the one with the least weight gives way where there is no room for all.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    weight: u8,
    pub(super) spans: Vec<TextSpan>,
}

impl Piece {
    pub(super) fn new(weight: u8, role: StyleRole, text: impl Into<String>) -> Self {
        let spans = Vec::new();
        Self { weight, spans }.then(role, text)
    }

    #[must_use]
    pub(super) fn then(mut self, role: StyleRole, text: impl Into<String>) -> Self {
        let text = text.into();
        self.spans.push(TextSpan { text, role });
        self
    }

    pub(super) fn width(&self) -> usize {
        let spans = self.spans.iter();
        spans.map(|span| measure::width(&span.text)).sum()
    }
}

/// The pieces for which there is room; the heaviest is always there.
pub(super) fn fitting(mut pieces: Vec<Piece>, gap: usize, columns: usize) -> Vec<Piece> {
    pieces.retain(|piece| piece.width() > 0);
    loop {
        let width: usize = pieces.iter().map(|piece| piece.width() + gap).sum();
        if width <= columns + gap || pieces.len() <= 1 {
            return pieces;
        }
        let lightest = (0..pieces.len()).rev().min_by_key(|at| pieces[*at].weight);
        pieces.remove(lightest.unwrap_or(0));
    }
}

/// The title line.
pub(super) fn draw(
    view: &PanelView<'_, '_>,
    rewards: &RewardTable,
    look: &Appearance,
    buffer: &mut Buffer,
    area: Rect,
) {
    let scene = view.scene;
    let round = status::round(&view.viewpoint(), rewards);
    let seed = if scene.facts.seed.is_empty() {
        String::new()
    } else {
        format!("seed {}", scene.facts.seed)
    };
    let columns = usize::from(area.width).saturating_sub(1);
    // The round stays whatever else goes, and so does the front of the title.
    let most = columns
        .saturating_sub(measure::width(&round) + 3)
        .clamp(12, 48);
    let title = measure::clip(&scene.facts.title, most, look.glyphs.ellipsis).into_owned();
    let room = columns.saturating_sub(measure::width(&title) + 2);
    let (rules, parameters) = if view.viewpoint().tells_rules() {
        let parameters = look.script().spelled(&scene.facts.parameters);
        (scene.facts.kind.name(), parameters)
    } else {
        ("", Cow::Borrowed(""))
    };
    let piece = |weight, text: &str| Piece::new(weight, StyleRole::Faint, text);
    let pieces = vec![
        piece(4, rules),
        piece(3, &parameters),
        piece(2, &seed),
        piece(5, &round),
    ];
    let pieces = fitting(pieces, 3, room).into_iter();
    let texts = pieces.flat_map(|piece| piece.spans).map(|span| span.text);
    let right = texts.collect::<Vec<_>>().join("   ");
    measure::put(
        &format!(" {title}"),
        look.style(StyleRole::Title),
        buffer,
        area,
    );
    let taken = measure::width(&title) + measure::width(&right) + 3;
    if taken <= usize::from(area.width) {
        measure::put_right(
            &format!("{right} "),
            look.style(StyleRole::Faint),
            buffer,
            area,
        );
    }
}
