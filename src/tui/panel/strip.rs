//! The rewards in two lines: what was paid, and what can still be.
//!
//! The strip stands on every screen of a debate: under the panels, or at the top of the panel of
//! rewards where that is always in view.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::measure;
use debate_core::number::{Exact, Number as _};
use debate_lab::tell::{Amounts, Unit};
use debate_lab::tell::{RewardSummary, RewardTable, RoundStake, Viewpoint, bar_height};
use num_traits::{Signed as _, Zero as _};

use super::title::{Piece, fitting};

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
pub(super) fn sign_role(value: &Exact) -> StyleRole {
    match () {
        () if value.is_positive() => StyleRole::Good,
        () if value.is_negative() => StyleRole::Bad,
        () => StyleRole::Text,
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
                .filter(|amounts| amounts.unit() == Unit::Points)
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
            Piece::new(
                9,
                StyleRole::Text,
                format!("total to {} ", amounts.recipient()),
            )
            .then(role, total),
        ];
        pieces.push(match &summary.last {
            None => Piece::new(8, StyleRole::Faint, "nothing paid yet"),
            Some((round, value, newest)) => {
                let (role, value) = figure(value);
                let name = self.rewards.name(*round);
                let (named, sign) = if *newest {
                    (StyleRole::Newest, self.look.signs().newest)
                } else {
                    (StyleRole::Text, "")
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
                Piece::new(7, StyleRole::Text, format!("{sign} {name}"))
            } else {
                Piece::new(7, StyleRole::Text, format!("{sign} mostly {name} ")).then(role, value)
            });
        }
        pieces
    }

    /// What this round can still bring, and the rounds after it.
    fn open(&self) -> Vec<Piece> {
        let amounts = &self.amounts;
        let mut pieces = vec![match &self.summary.now {
            RoundStake::Over => Piece::new(9, StyleRole::Text, "the debate is over"),
            RoundStake::Nothing => Piece::new(9, StyleRole::Faint, "this round pays nothing"),
            RoundStake::Paid => Piece::new(9, StyleRole::Faint, "this round is paid"),
            RoundStake::Open(range) => {
                let when = if self.rewards.pays_belief() {
                    "at the end "
                } else {
                    "this round "
                };
                Piece::new(9, StyleRole::Text, when).then(StyleRole::Title, amounts.range(range))
            }
        }];
        if let Some([least, most]) = &self.summary.later {
            let alone = self.rewards.len() == 1;
            let text = match () {
                () if alone => format!("at the end {}", amounts.either_way(most)),
                () if least == most => format!("then {}", amounts.either_way(most)),
                () => format!(
                    "then {} to {}",
                    amounts.either_way(least),
                    amounts.either_way(most)
                ),
            };
            pieces.push(Piece::new(7, StyleRole::Text, text));
        }
        pieces.extend(
            self.point
                .iter()
                .map(|point| Piece::new(4, StyleRole::Faint, point.clone())),
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
                let drawn = measure::put(&bar, self.look.style(StyleRole::Focus), buffer, at);
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
                (look.glyphs.hanging, StyleRole::Bad)
            } else {
                (look.glyphs.rising, StyleRole::Good)
            };
            // The first of n glyphs stands for up to one n-th, and so on.
            let all = u8::try_from(glyphs.len()).unwrap_or(u8::MAX);
            let step = (1..all)
                .rev()
                .find(|step| height.abs() * f64::from(all) > f64::from(*step))
                .unwrap_or(0);
            let glyph = glyphs.get(usize::from(step)).copied().unwrap_or("");
            // The two ASCII sets have signs in common, so there the plain signs of numbers stand.
            let (glyph, role) = match () {
                () if value.is_nan() => (look.glyphs.unplayed, StyleRole::Faint),
                () if height == 0.0 => ("0", StyleRole::Faint),
                () if look.glyphs.unicode => (glyph, role),
                () if height < 0.0 => ("-", role),
                () => ("+", role),
            };
            measure::put(glyph, look.style(role), buffer, cell);
        }
    }
}

/// Columns between two pieces.
const GAP: usize = 3;
