//! The rewards: as a table in the columns of its panel, one row and one bar a round, and as a strip of
//! two lines, what was paid and what can still be.
//!
//! The strip stands on every screen of a debate: under the panels, or at the top of the panel of
//! rewards where that is always in view.

use std::borrow::Cow;

use num_traits::{Signed as _, Zero as _};
use ratatui::layout::Rect;

use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::measure::{align_right, clip, pad};
use crate::tui::widget::scroll::{Entries, Entry, Span};
use crate::tui::widget::{Canvas, measure};
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::Round;
use debate_lab::tell::{
    Amounts, Payment, RewardRow, RewardSummary, RewardTable, RoundStake, Unit, Viewpoint,
    bar_height, status,
};

/// Columns of the round, the stake, the bet, the outcome, the estimate and the reward.
const ROUND: usize = 7;
const STAKE: usize = 9;
const BET: usize = 6;
const OUTCOME: usize = 6;
const ESTIMATE: usize = 5;
/// Columns of the reward: in points, and as it is.
const PAID: [usize; 2] = [9, 18];
/// Columns of a bar at least and at most.
const BAR: (usize, usize) = (9, 41);

/// The rewards as entries of a scrolling list, each made when it is seen.
pub struct RewardLines<'t, 'v, 'a> {
    rewards: &'t RewardTable,
    view: &'t Viewpoint<'v, 'a>,
    amounts: Amounts,
    look: &'t Appearance,
    /// True if there is a column for the stakes.
    stakes: bool,
    paid: usize,
    /// Columns of the bars; none where there is no room.
    bar: usize,
    /// The least and the largest figure of the bars, in points.
    scale: (f64, f64),
    largest: Exact,
    /// The entries below the rows.
    below: Vec<Entry>,
}

impl<'t, 'v, 'a> RewardLines<'t, 'v, 'a> {
    /// The table and below it the last reward in words and as its formula.
    pub fn new(
        rewards: &'t RewardTable,
        view: &'t Viewpoint<'v, 'a>,
        amounts: Amounts,
        look: &'t Appearance,
        columns: usize,
    ) -> Self {
        let amounts = amounts.in_script(look.script());
        let paid = PAID[usize::from(amounts.unit == Unit::Payoff)];
        let least = ROUND + BET + OUTCOME + ESTIMATE + paid;
        // The stakes go first where there is no room: a bar shows how far it can reach.
        let stakes = columns >= least + STAKE + BAR.0 + 3;
        let free = columns.saturating_sub(least + if stakes { STAKE } else { 0 } + 1);
        let bar = if free < BAR.0 { 0 } else { free.min(BAR.1) };
        let largest = rewards.largest(view);
        let scale = (1.0, amounts.in_points(&largest).max(1.0));
        let mut below = rewards.explained(view, look.script());
        below.extend(exactly(rewards, view, &amounts));
        Self {
            rewards,
            view,
            amounts,
            look,
            stakes,
            paid,
            // Zero stands in the middle.
            bar: bar - usize::from(bar > 0 && bar % 2 == 0),
            scale,
            largest,
            below,
        }
    }

    /// The rows of the table, its head among them.
    fn rows(&self) -> usize {
        if self.rewards.compares() {
            self.rewards.len() + 1
        } else {
            0
        }
    }

    fn stake(&self, text: &str) -> String {
        if self.stakes {
            pad(text, STAKE)
        } else {
            String::new()
        }
    }

    fn head(&self) -> Entry {
        let head = format!(
            "{}{}{}{}{}{}",
            pad("round", ROUND),
            self.stake("stake"),
            pad("bet", BET),
            pad("came", OUTCOME),
            align_right("est.", ESTIMATE),
            align_right("reward", self.paid),
        );
        let entry = Entry::of(Role::Faint, head);
        match self.bar {
            0 => entry,
            columns => entry.then(Role::Faint, format!(" {}", self.axis(columns))),
        }
    }

    /// What the ends of the bars stand for.
    fn axis(&self, columns: usize) -> String {
        let most = self.amounts.size(&self.largest);
        let half = columns / 2;
        let left = format!("-{most}");
        let right = format!("+{most}");
        if half > measure::width(&right) {
            return format!("{}0{}", pad(&left, half), align_right(&right, half));
        }
        let most = self.amounts.either_way(&self.largest);
        align_right(&clip(&most, columns, self.look.glyphs.ellipsis), columns)
    }

    /// The row of a round that pays.
    fn row(&self, row: &RewardRow) -> Entry {
        let mut round = match row.round {
            Round::Initial => "first".to_owned(),
            Round::Number(_) => row.label.clone(),
        };
        let signs = self.look.signs();
        // Beside the sign of the round that counts the colour alone says that it is the newest: the
        // strip above says it in a word.
        match (row.dominant, row.newest) {
            (true, _) => round.push_str(signs.dominant),
            (false, true) => round.push_str(signs.newest),
            (false, false) => {}
        }
        let role = match (row.newest, &row.payment) {
            (true, _) => Role::Newest,
            (false, Payment::Skipped) => Role::Faint,
            (false, Payment::Open(_)) if row.p.is_none() => Role::Faint,
            _ => Role::Text,
        };
        // The colour of true and false, beside the word.
        let word_role = |word: &str| Role::of_word(word).unwrap_or(role);
        let stake = self.stake(&self.amounts.size(&row.weight));
        let mut entry = Entry::of(role, format!("{}{stake}", pad(&round, ROUND)))
            .then(word_role(row.bet), pad(row.bet, BET))
            .then(word_role(row.outcome), pad(row.outcome, OUTCOME))
            .then(
                role,
                align_right(&row.estimate().replace(' ', ""), ESTIMATE),
            );
        let (paid_role, paid) = match &row.payment {
            Payment::Paid(value) => {
                let own = self.amounts.to_side(value);
                (sign_role(&own), self.amounts.signed(value))
            }
            Payment::Open(_) => (role, String::new()),
            Payment::Skipped => (role, "none".to_owned()),
        };
        entry = entry.then(paid_role, align_right(&paid, self.paid));
        if self.bar > 0 {
            entry = entry.then(Role::Text, " ");
            for (role, text) in self.bar_of(&row.payment, paid_role) {
                entry = entry.then(role, text);
            }
        }
        entry
    }

    /// The bar of a round: what it paid, or how far it can still reach either way.
    fn bar_of(&self, payment: &Payment, role: Role) -> Vec<(Role, String)> {
        let glyphs = self.look.glyphs;
        let half = self.bar / 2;
        let (least, largest) = self.scale;
        let halves = u32::try_from(2 * half).unwrap_or(0);
        // Lengths in halves of a cell, from zero to the left and to the right.
        let length = |value: &Exact| {
            let height = bar_height(self.amounts.in_points(value), least, largest).abs();
            let shown = (0..=halves)
                .rev()
                .find(|n| f64::from(*n) - 0.5 <= height * f64::from(halves));
            // A round with a non-zero reward gets a bar.
            shown.unwrap_or(0).max(u32::from(height > 0.0)) as usize
        };
        let (side, [left, right]) = match payment {
            Payment::Paid(value) => {
                let own = self.amounts.to_side(value);
                let length = length(value);
                let ends = if own.is_negative() {
                    [length, 0]
                } else {
                    [0, length]
                };
                (role, ends)
            }
            Payment::Open(range) => {
                let [low, high] = self.amounts.range_to_side(range);
                let below = length(&low) * usize::from(low.is_negative());
                let above = length(&high) * usize::from(high.is_positive());
                (Role::Faint, [below, above])
            }
            Payment::Skipped => (Role::Faint, [0, 0]),
        };
        let (whole, part) = match payment {
            Payment::Paid(_) => (glyphs.whole, [glyphs.left_half, glyphs.right_half]),
            _ => (glyphs.open_stake, [glyphs.open_stake; 2]),
        };
        let blank = |cells: usize| " ".repeat(half.saturating_sub(cells));
        let [left_cells, right_cells] = [left.div_ceil(2), right.div_ceil(2)];
        let bar_left = part[0].repeat(left % 2) + &whole.repeat(left / 2);
        let bar_right = whole.repeat(right / 2) + &part[1].repeat(right % 2);
        vec![
            (side, blank(left_cells) + &bar_left),
            (Role::Faint, glyphs.axis.to_owned()),
            (side, bar_right + &blank(right_cells)),
        ]
    }
}

/// What a point is, or the payoff with all its digits.
fn exactly(rewards: &RewardTable, view: &Viewpoint<'_, '_>, amounts: &Amounts) -> [Entry; 2] {
    let narrator = view.narrator(amounts.script);
    let text = match amounts.unit {
        Unit::Points => format!("{}.", amounts.point_text(&narrator)),
        Unit::Payoff => {
            let total = amounts.exactly(&rewards.summary(view).total);
            format!("The payoff so far, exactly: {total}.")
        }
    };
    [Entry::default(), Entry::of(Role::Faint, text)]
}

impl Entries for RewardLines<'_, '_, '_> {
    fn len(&self) -> usize {
        self.rows() + self.below.len()
    }

    fn entry(&self, number: usize) -> Entry {
        if let Some(below) = number.checked_sub(self.rows()) {
            return self.below.get(below).cloned().unwrap_or_default();
        }
        let Some(row) = number.checked_sub(1) else {
            return self.head();
        };
        let row = self.rewards.row(row, self.view);
        row.map_or_else(Entry::default, |row| self.row(&row))
    }
}

/// Fewer words in fewer columns than these.
const BRIEF: usize = 80;
/// Columns of the bar of a round at least and at most.
const STAKE_BAR: (usize, usize) = (9, 31);

/// The rewards as a strip tells them.
pub struct RewardStrip<'s> {
    rewards: &'s RewardTable,
    summary: RewardSummary,
    pub amounts: Amounts,
    /// What one point is, in few words.
    point: Option<String>,
    look: Appearance,
}

/// Gained, lost or neither.
pub fn sign_role(value: &Exact) -> Role {
    if value.is_positive() {
        Role::Good
    } else if value.is_negative() {
        Role::Bad
    } else {
        Role::Text
    }
}

impl<'s> RewardStrip<'s> {
    pub fn new(
        rewards: &'s RewardTable,
        view: &Viewpoint<'_, '_>,
        amounts: Amounts,
        look: Appearance,
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
        let amounts = &self.amounts;
        let summary = &self.summary;
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
            let sign = self.look.signs().dominant;
            let name = self.rewards.name(*round);
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
    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let columns = usize::from(area.width);
        if area.height < 2 {
            let mut paid = self.paid(true).into_iter();
            let total = paid.next().into_iter();
            let pieces = total.chain(self.open().into_iter().take(1)).chain(paid);
            put(&fitting(pieces.collect(), GAP, columns), canvas, area);
            return;
        }
        let paid = fitting(self.paid(columns < BRIEF), GAP, columns);
        let rest = put(&paid, canvas, measure::row(area, 0));
        self.spark(canvas, measure::after(rest, 2));
        let mut at = measure::row(area, 1);
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
            at = put(&[piece], canvas, at);
            if spare > STAKE_BAR.0 + 1 {
                let columns = (spare - 1).min(STAKE_BAR.1);
                at = measure::after(at, 1);
                canvas.put_next(&self.bar(range, columns), Role::Focus, &mut at);
            }
            at = measure::after(at, measure::cells(GAP));
        }
        put(pieces.as_slice(), canvas, at);
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
    fn spark(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let rewards = self.rewards;
        let look = self.look;
        if !rewards.compares() {
            return;
        }
        let Some((least, largest)) = rewards.scale() else {
            return;
        };
        let Some(from) = area.width.checked_sub(measure::cells(rewards.len())) else {
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
            canvas.put(glyph, role, cell);
        }
    }
}

/// Draws pieces with gaps between them; returns the room after them.
fn put(pieces: &[Piece], canvas: &mut Canvas<'_>, mut area: Rect) -> Rect {
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 {
            area = measure::after(area, measure::cells(GAP));
        }
        for span in &piece.spans {
            canvas.put_next(&span.text, span.role, &mut area);
        }
    }
    area
}

/// Columns between two pieces.
const GAP: usize = 3;

/// A piece of a line; the one with the least weight gives way where there is no room for all.
#[derive(Clone, Debug)]
pub struct Piece {
    weight: u8,
    pub spans: Vec<Span>,
}

impl Piece {
    pub fn new(weight: u8, role: Role, text: impl Into<String>) -> Self {
        let spans = Vec::new();
        Self { weight, spans }.then(role, text)
    }

    #[must_use]
    pub fn then(mut self, role: Role, text: impl Into<String>) -> Self {
        let text = text.into();
        self.spans.push(Span { text, role });
        self
    }

    pub fn width(&self) -> usize {
        let spans = self.spans.iter();
        spans.map(|span| measure::width(&span.text)).sum()
    }
}

/// The pieces for which there is room; the heaviest is always there.
pub fn fitting(mut pieces: Vec<Piece>, gap: usize, columns: usize) -> Vec<Piece> {
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
pub fn draw_title(
    view: &Viewpoint<'_, '_>,
    rewards: &RewardTable,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let facts = view.facts;
    let round = status::round(view, rewards);
    let seed = if facts.seed.is_empty() {
        String::new()
    } else {
        format!("seed {}", facts.seed)
    };
    let columns = usize::from(area.width).saturating_sub(1);
    // The round stays whatever else goes, and so does the front of the title.
    let most = columns
        .saturating_sub(measure::width(&round) + 3)
        .clamp(12, 48);
    let title = measure::clip(&facts.title, most, canvas.look.glyphs.ellipsis).into_owned();
    let room = columns.saturating_sub(measure::width(&title) + 2);
    let (rules, parameters) = if view.tells_rules() {
        let parameters = canvas.look.script().spelled(&facts.parameters);
        (facts.kind.name(), parameters)
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
    canvas.put(&format!(" {title}"), Role::Title, area);
    let taken = measure::width(&title) + measure::width(&right) + 3;
    if taken <= usize::from(area.width) {
        canvas.put_right(&format!("{right} "), Role::Faint, area);
    }
}
