//! The rewards in two lines: what was paid, and what can still be.
//!
//! The strip stands on every screen of a debate: under the panels, or at the top of the panel of
//! rewards where that is always in view.

use std::borrow::Cow;

use num_traits::{Signed as _, Zero as _};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::PanelView;
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::measure;
use crate::tui::widget::scroll::Span;
use debate_core::number::{Exact, Number as _};
use debate_lab::tell::{
    Amounts, RewardSummary, RewardTable, RoundStake, Unit, Viewpoint, bar_height, status,
};

/// Fewer words in fewer columns than these.
const BRIEF: usize = 80;
/// Columns of the bar of a round at least and at most.
const BAR: (usize, usize) = (9, 31);

/// The rewards as a strip tells them.
pub(super) struct RewardStrip<'s> {
    rewards: &'s RewardTable,
    summary: RewardSummary,
    pub(super) amounts: Amounts,
    /// What one point is, in few words.
    point: Option<String>,
    look: &'s Appearance,
}

/// Gained, lost or neither.
pub(super) fn sign_role(value: &Exact) -> Role {
    if value.is_positive() {
        Role::Good
    } else if value.is_negative() {
        Role::Bad
    } else {
        Role::Text
    }
}

impl<'s> RewardStrip<'s> {
    pub(super) fn new(
        rewards: &'s RewardTable,
        view: &Viewpoint<'_, '_>,
        amounts: Amounts,
        look: &'s Appearance,
    ) -> Self {
        Self {
            rewards,
            summary: rewards.summary(view),
            point: Some(&amounts)
                .filter(|amounts| amounts.unit == Unit::Points)
                .and_then(|amounts| amounts.point_in_short(&view.narrator(look.script()))),
            amounts: amounts.in_script(look.script()),
            look,
        }
    }

    /// What was paid: in all, last, and by which round mostly. `brief`: fewer words.
    fn paid(&self, brief: bool) -> Vec<Piece> {
        let (amounts, summary) = (&self.amounts, &self.summary);
        let figure = |value: &Exact| (sign_role(&amounts.to_side(value)), amounts.signed(value));
        let (role, total) = figure(&summary.total);
        let mut pieces = vec![
            Piece::new(9, Role::Text, format!("total to {} ", amounts.recipient()))
                .then(role, total),
        ];
        pieces.push(match &summary.last {
            None => Piece::new(8, Role::Faint, "nothing paid yet"),
            Some((round, value, newest)) => {
                let (role, value) = figure(value);
                let name = self.rewards.name(*round);
                let (named, sign) = if *newest {
                    (Role::Newest, self.look.signs().newest)
                } else {
                    (Role::Text, "")
                };
                let piece = Piece::new(8, named, format!("{sign}last "));
                piece.then(role, value).then(named, format!(" ({name})"))
            }
        });
        if let Some((round, value)) = &summary.dominant
            && self.rewards.compares()
        {
            let (sign, name) = (self.look.signs().dominant, self.rewards.name(*round));
            let (role, value) = figure(value);
            pieces.push(if brief {
                Piece::new(7, Role::Text, format!("{sign} {name}"))
            } else {
                Piece::new(7, Role::Text, format!("{sign} mostly {name} ")).then(role, value)
            });
        }
        pieces
    }

    /// What this round can still bring, and the rounds after it.
    fn open(&self) -> Vec<Piece> {
        let amounts = &self.amounts;
        let mut pieces = vec![match &self.summary.now {
            RoundStake::Over => Piece::new(9, Role::Text, "the debate is over"),
            RoundStake::Nothing => Piece::new(9, Role::Faint, "this round pays nothing"),
            RoundStake::Paid => Piece::new(9, Role::Faint, "this round is paid"),
            RoundStake::Open(range) => {
                let when = if self.rewards.pays_belief() {
                    "at the end "
                } else {
                    "this round "
                };
                Piece::new(9, Role::Text, when).then(Role::Title, amounts.range(range))
            }
        }];
        if let Some([least, most]) = &self.summary.later {
            let alone = self.rewards.len() == 1;
            let most_paid = amounts.either_way(most);
            let text = if alone {
                format!("at the end {most_paid}")
            } else if least == most {
                format!("then {most_paid}")
            } else {
                format!("then {} to {most_paid}", amounts.either_way(least))
            };
            pieces.push(Piece::new(7, Role::Text, text));
        }
        pieces.extend(
            self.point
                .iter()
                .map(|point| Piece::new(4, Role::Faint, point.clone())),
        );
        pieces
    }

    /// Draws the two lines; where there is one, what is left of both.
    pub(super) fn draw(&self, buffer: &mut Buffer, area: Rect) {
        let columns = usize::from(area.width);
        if area.height < 2 {
            let mut paid = self.paid(true).into_iter();
            let total = paid.next().into_iter();
            let pieces = total.chain(self.open().into_iter().take(1)).chain(paid);
            self.put(&fitting(pieces.collect(), GAP, columns), buffer, area);
            return;
        }
        let first = measure::row(area, 0);
        let taken = self.put(
            &fitting(self.paid(columns < BRIEF), GAP, columns),
            buffer,
            first,
        );
        self.spark(buffer, measure::after(first, taken + 2));
        let second = measure::row(area, 1);
        let mut at = second;
        let mut pieces = fitting(self.open(), GAP, columns).into_iter();
        let used: usize = pieces
            .as_slice()
            .iter()
            .map(|piece| piece.width() + GAP)
            .sum();
        let spare = columns.saturating_sub(used);
        // The bar stands behind the range that it shows.
        if let RoundStake::Open(range) = &self.summary.now
            && range[0] != range[1]
            && let Some(piece) = pieces.next()
        {
            at = measure::after(at, self.put(&[piece], buffer, at));
            if spare > BAR.0 + 1 {
                let columns = (spare - 1).min(BAR.1);
                at = measure::after(at, 1);
                let bar = self.bar(range, columns);
                let drawn = measure::put(&bar, self.look.style(Role::Focus), buffer, at);
                at = measure::after(at, drawn);
            }
            at = measure::after(at, u16::try_from(GAP).unwrap_or(0));
        }
        self.put(pieces.as_slice(), buffer, at);
    }

    fn put(&self, pieces: &[Piece], buffer: &mut Buffer, area: Rect) -> u16 {
        let mut at = area;
        for (number, piece) in pieces.iter().enumerate() {
            if number > 0 {
                at = measure::after(at, u16::try_from(GAP).unwrap_or(0));
            }
            for span in &piece.spans {
                let drawn = measure::put(&span.text, self.look.style(span.role), buffer, at);
                at = measure::after(at, drawn);
            }
        }
        area.width - at.width
    }

    /// From the least to the most that the round can still bring, with zero where it lies.
    fn bar(&self, range: &[Exact; 2], columns: usize) -> String {
        let [least, most] = self.amounts.range_to_side(range);
        let glyphs = self.look.glyphs;
        let inside = columns.saturating_sub(2);
        let width = &most - &least;
        let zero = if width.is_zero() || least.is_positive() || most.is_negative() {
            None
        } else {
            let steps = u32::try_from(inside.saturating_sub(1)).unwrap_or(0);
            let share = (-&least / &width).to_float() * f64::from(steps);
            (0..=steps).find(|step| f64::from(*step) + 0.5 > share)
        };
        let cell = |at: usize| match zero {
            Some(zero) if zero as usize == at => glyphs.axis,
            _ => glyphs.open_stake,
        };
        let cells: String = (0..inside).map(cell).collect();
        format!("{}{cells}{}", glyphs.stake_left, glyphs.stake_right)
    }

    /// The rounds as a chart of one row at the right edge, where there is room for it: the sign and
    /// the size of each reward, on the scale of the large chart.
    fn spark(&self, buffer: &mut Buffer, area: Rect) {
        let (rewards, look) = (self.rewards, self.look);
        if !rewards.compares() {
            return;
        }
        let Some((least, largest)) = rewards.scale() else {
            return;
        };
        let Some(from) = u16::try_from(rewards.len())
            .ok()
            .and_then(|columns| area.width.checked_sub(columns))
        else {
            return;
        };
        let turned = self.amounts.to_side(&Exact::ratio(1, 1)).to_float();
        for (value, cell) in rewards.values().zip(measure::after(area, from).columns()) {
            let height = bar_height(value * turned, least, largest);
            let (glyphs, role) = if height < 0.0 {
                (look.glyphs.hanging, Role::Bad)
            } else {
                (look.glyphs.rising, Role::Good)
            };
            // The first of n glyphs stands for up to one n-th, and so on.
            let all = u8::try_from(glyphs.len()).unwrap_or(u8::MAX);
            let step = (1..all)
                .rev()
                .find(|step| height.abs() * f64::from(all) > f64::from(*step))
                .unwrap_or(0);
            let glyph = glyphs.get(usize::from(step)).copied().unwrap_or("");
            // The two ASCII sets have signs in common, so there the plain signs of numbers stand.
            let (glyph, role) = if value.is_nan() {
                (look.glyphs.unplayed, Role::Faint)
            } else if height == 0.0 {
                ("0", Role::Faint)
            } else if look.glyphs.unicode {
                (glyph, role)
            } else {
                (if height < 0.0 { "-" } else { "+" }, role)
            };
            look.put(glyph, role, buffer, cell);
        }
    }
}

/// Columns between two pieces.
const GAP: usize = 3;

/// A piece of a line; the one with the least weight gives way where there is no room for all.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    weight: u8,
    pub(super) spans: Vec<Span>,
}

impl Piece {
    pub(super) fn new(weight: u8, role: Role, text: impl Into<String>) -> Self {
        let spans = Vec::new();
        Self { weight, spans }.then(role, text)
    }

    #[must_use]
    pub(super) fn then(mut self, role: Role, text: impl Into<String>) -> Self {
        let text = text.into();
        self.spans.push(Span { text, role });
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
pub(super) fn draw_title(
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
    let piece = |weight, text: &str| Piece::new(weight, Role::Faint, text);
    let pieces = vec![
        piece(4, rules),
        piece(3, &parameters),
        piece(2, &seed),
        piece(5, &round),
    ];
    let pieces = fitting(pieces, 3, room).into_iter();
    let texts = pieces.flat_map(|piece| piece.spans).map(|span| span.text);
    let right = texts.collect::<Vec<_>>().join("   ");
    look.put(&format!(" {title}"), Role::Title, buffer, area);
    let taken = measure::width(&title) + measure::width(&right) + 3;
    if taken <= usize::from(area.width) {
        look.put_right(&format!("{right} "), Role::Faint, buffer, area);
    }
}
