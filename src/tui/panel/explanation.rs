//! The explanation panel at the side of a wide screen. It contains the rule of the current step, the estimates of the
//! round as a split bar, the evidence for the selected claim, and the meanings of the symbols.

use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{ProtocolKind, Rules as _, Seat};
use debate_core::scenario::{ClaimId, OpponentEvidenceVisibility};
use debate_text::{
    DebateViewpoint, EstimateSplitBar, ProbabilityBarSegment, SignCharacters, SplitBarSegmentsSide,
    pending_step_rule,
};
use ratatui::layout::Rect;

use super::percent_that_fits;
use crate::tui::theme::TextRole;
use crate::tui::widget::labels::{LabelToShorten, shorten_at_common_start};
use crate::tui::widget::{Canvas, measure};

/// The title of the panel.
pub const TITLE: &str = "Explanation";
/// Columns of the number at the end of a bar's row, such as "66.67 %". The tree of claims has the same digits.
const NUMBER: u16 = 7;
/// Minimum width of the bars in columns, including their end marks.
const MIN_BAR: u16 = 8;

/// The state of the question to the user, as far as the panels above the question depend on it.
#[derive(Clone, Debug, Default)]
pub struct PendingQuestionState {
    /// True if the marked choice of the question is also marked in the tree of claims.
    pub is_marking_in_tree: bool,
    /// The estimate of a subclaim that the user has entered but not sent.
    pub draft: Option<Exact>,
    /// True if the ask panel shows the evidence for the claim in question.
    pub shows_evidence: bool,
    /// True if the ask panel already shows what follows from the pending step of the debate.
    pub shows_consequence: bool,
}

/// The contents of the explanation panel. A field is `None` if there is nothing to show, if the viewer may not see it,
/// or if the ask panel already shows it.
#[derive(Debug, Default)]
pub struct ExplanationPanel<'a> {
    /// The rule of the pending step with the step's consequence, or without the consequence if the ask panel already
    /// shows it.
    rule: Option<String>,
    /// The step alone.
    short_rule: Option<String>,
    estimates: Option<&'a EstimateSplitBar>,
    /// The sentence on the gap of the estimates; may be empty.
    verdict: String,
    /// The claim that is selected in the tree, and its evidence.
    evidence: Option<[String; 2]>,
    /// True if the panel explains the symbols of bets: the debate has bets, and the viewer may see them.
    explains_signs: bool,
}

/// The optional parts of the explanation that are drawn because there is room.
#[derive(Clone, Copy, Debug)]
struct ShownDetails {
    /// True if the current step is drawn.
    rule: bool,
    /// True if the explanation of the debate's current step also says what follows from the step.
    consequence: bool,
    /// True if the sentence on how to read the bars is drawn.
    explains_bars: bool,
}

/// The split bar of the last round, kept from frame to frame: the exact fractions of a claim with many subclaims take
/// milliseconds.
#[derive(Debug, Default)]
pub struct EstimateSplitBarCache {
    /// The inputs from which the split bar in the field `bar` was computed. `None` if no bar was computed since the
    /// start or the last [`Self::clear`].
    inputs: Option<SplitBarInputs>,
    bar: Option<EstimateSplitBar>,
}

/// The values on which the split bar of a debate depends. The entries of a log change only by an undo.
#[derive(Debug, PartialEq)]
struct SplitBarInputs {
    log_entries: usize,
    draft: Option<Exact>,
}

impl EstimateSplitBarCache {
    /// Discards the cached split bar of the estimates. Called if entries of the log may have been replaced, as after an
    /// undo.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the split bar of the last round, with the estimate `draft` that the user has not sent. `None` if the
    /// round has no split bar.
    fn bar(
        &mut self,
        view: &DebateViewpoint<'_, '_>,
        draft: Option<&Exact>,
    ) -> Option<&EstimateSplitBar> {
        let inputs = SplitBarInputs {
            log_entries: view.log.entries().len(),
            draft: draft.cloned(),
        };
        if self.inputs.as_ref() != Some(&inputs) {
            self.bar = EstimateSplitBar::of_last_round(view.facts.instance, view.log, draft);
            self.inputs = Some(inputs);
        }
        self.bar.as_ref()
    }
}

impl<'a> ExplanationPanel<'a> {
    /// Creates the contents of the explanation panel. `claim` is the claim that is selected in the tree.
    pub fn new(
        view: &DebateViewpoint<'_, '_>,
        claim: Option<ClaimId>,
        asked: &PendingQuestionState,
        split_bar: &'a mut EstimateSplitBarCache,
    ) -> Self {
        let instance = view.facts.instance;
        let shows_estimates = view.viewer_may_see_estimates_and_rewards()
            && view.reader.is_shown_debate_during_play();
        let estimates = if shows_estimates {
            split_bar.bar(view, asked.draft.as_ref())
        } else {
            None
        };
        let claim = claim.filter(|claim| may_read_evidence(view, *claim) && !asked.shows_evidence);
        let verdict = estimates.and_then(|bar| bar.gap_or_no_gap_sentence(view.perspective));
        Self {
            rule: pending_step_rule(view, !asked.shows_consequence),
            short_rule: pending_step_rule(view, false),
            estimates,
            verdict: verdict.unwrap_or_default(),
            explains_signs: shows_estimates && view.facts.kind == ProtocolKind::ProverEstimator,
            evidence: claim.and_then(|claim| {
                let evidence = instance.evidence(claim)?;
                Some([instance.short_text(claim), evidence])
            }),
        }
    }

    /// Draws the explanation's parts below each other. If room is scarce, the consequence of the step is left out, then
    /// the sentence on how to read the bars, then the step; then the first pieces of the split bar share one row. Other
    /// text is cut at the end.
    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let choices = [
            (true, true, true),
            (true, false, true),
            (true, false, false),
            (false, false, false),
        ];
        let choices = choices.map(|(rule, consequence, explains_bars)| ShownDetails {
            rule,
            consequence,
            explains_bars,
        });
        let choices = &choices[..choices.len() - usize::from(self.estimates.is_none())];
        let height = usize::from(area.height);
        let fitting = choices.iter().copied().find(|details| {
            let pieces = self.estimates.map_or(0, piece_count);
            self.rows(*details, area.width) + pieces <= height
        });
        let details = fitting.unwrap_or(choices[choices.len() - 1]);
        let room = height.saturating_sub(self.rows(details, area.width));
        let mut rows = FreeRows { canvas, left: area };
        if let Some(rule) = self.rule(details) {
            rows.heading("This step");
            rows.text(TextRole::Text, rule);
            rows.blank();
        }
        if let Some(bar) = self.estimates {
            rows.heading("The estimates");
            self.draw_estimates(bar, details, room, &mut rows);
            rows.blank();
        }
        if let Some([claim, evidence]) = &self.evidence {
            rows.heading(&format!("Evidence: {claim}"));
            rows.text(TextRole::Text, evidence);
            rows.blank();
        }
        if self.explains_signs {
            draw_signs(&mut rows);
        }
    }

    fn rule(&self, details: ShownDetails) -> Option<&str> {
        let rule = if details.consequence {
            &self.rule
        } else {
            &self.short_rule
        };
        rule.as_deref().filter(|_| details.rule)
    }

    /// Returns the number of rows for the rule and for the estimates without the rows of single subclaims.
    fn rows(&self, details: ShownDetails, columns: u16) -> usize {
        let lines = |text: &str| measure::wrap(text, columns.into()).len();
        let mut rows = self.rule(details).map_or(0, |rule| lines(rule) + 2);
        if let Some(bar) = self.estimates {
            rows += 2 + usize::from(bar.estimate_count() > 0);
            rows += if self.verdict.is_empty() {
                0
            } else {
                lines(&self.verdict)
            };
            if details.explains_bars {
                rows += lines(bar.estimate_bar_explanation());
            }
        }
        rows
    }

    fn draw_estimates(
        &self,
        bar: &EstimateSplitBar,
        details: ShownDetails,
        room: usize,
        rows: &mut FreeRows<'_, '_>,
    ) {
        let width = rows.left.width.saturating_sub(1 + NUMBER);
        let labels = bar
            .pieces
            .iter()
            .map(|piece| measure::width(&piece.label) + 1);
        let longest = labels
            .chain([
                measure::width(&bar.label),
                measure::width(sum_label(bar)[0]),
            ])
            .max()
            .unwrap_or(0);
        // The bars leave room for the labels, so that no label is cut while a bar could be shorter.
        let length = width
            .saturating_sub(measure::to_u16_saturating(longest + 1))
            .min(width / 2)
            .max(MIN_BAR)
            .min(width);
        let row = |label: &str, number: String, indent: u16| BarRow {
            label: label.to_owned(),
            indent,
            length,
            number,
        };
        let number = number_text(&bar.stated);
        let claim = ProbabilityBarSegment {
            from: Exact::default(),
            to: bar.stated.clone(),
        };
        rows.bar(&row(&bar.label, number, 0), &[(Fill::Whole, &claim)]);
        if bar.order != SplitBarSegmentsSide::NoPieces {
            draw_pieces(bar, room, rows, &row);
        }
        if bar.estimate_count() > 0 {
            draw_sum(bar, rows, &row);
        }
        if details.explains_bars {
            rows.text(TextRole::Faint, bar.estimate_bar_explanation());
        }
        let role = if bar.gap().is_some() {
            TextRole::Bad
        } else {
            TextRole::Text
        };
        if !self.verdict.is_empty() {
            rows.text(role, &self.verdict);
        }
    }
}

/// Draws the meanings of the debate's symbols below each other, if all of them fit.
fn draw_signs(rows: &mut FreeRows<'_, '_>) {
    let signs = SignCharacters::symbols_for_character_set(rows.canvas.look.formula_script());
    let columns = usize::from(rows.left.width);
    let meanings = signs.symbol_explanations();
    let taken: usize = meanings
        .iter()
        .map(|meaning| measure::wrap(meaning, columns).len())
        .sum();
    if taken < usize::from(rows.left.height) {
        rows.heading("Signs");
        for meaning in &meanings {
            rows.text(TextRole::Faint, meaning);
        }
    }
}

/// Returns the number of rows of a split bar in which each subclaim's piece has its own row.
fn piece_count(bar: &EstimateSplitBar) -> usize {
    match bar.order {
        SplitBarSegmentsSide::NoPieces => 0,
        SplitBarSegmentsSide::FromRight | SplitBarSegmentsSide::FromLeft => bar.pieces.len(),
    }
}

/// Draws a row for each subclaim's piece of the split bar. If there are too few rows, the first pieces share one row,
/// so that the last estimate has a row with its number, and the rows of later subclaims are left out first.
fn draw_pieces(
    bar: &EstimateSplitBar,
    room: usize,
    rows: &mut FreeRows<'_, '_>,
    row: &impl Fn(&str, String, u16) -> BarRow,
) {
    let columns = label_columns(rows.left.width, row("", String::new(), 0).length);
    // The rows of subclaims without an estimate are the first to go.
    let shown = bar.pieces.len().min(room.max(bar.estimate_count()).max(1));
    let joined = if shown > room {
        shown + 1 - room.max(1)
    } else {
        0
    };
    // A claim can have a thousand subclaims, so only the labels in view are shortened.
    let in_view = match joined {
        1 => 0..shown,
        joined => joined..shown,
    };
    let labels: Vec<LabelToShorten<'_>> = bar.pieces[in_view.clone()]
        .iter()
        .map(|piece| LabelToShorten {
            text: &piece.label,
            id: None,
            family: 0,
            columns: usize::from(columns.saturating_sub(1)),
        })
        .collect();
    // Subclaims often differ only in their last word.
    let labels = shorten_at_common_start(&labels, rows.canvas.look.glyphs.ellipsis);
    // Doubt has another sign than probability.
    let fill = match bar.order {
        SplitBarSegmentsSide::FromRight => Fill::Other,
        _ => Fill::Whole,
    };
    if joined > 0 {
        let fills = [Fill::Whole, Fill::Other].into_iter().cycle();
        let pieces = bar.pieces.iter().take(joined);
        let parts = pieces.filter_map(|piece| piece.part.as_ref());
        let parts: Vec<(Fill, &ProbabilityBarSegment)> = fills.zip(parts).collect();
        let label = match joined {
            1 => labels.first().cloned().unwrap_or_default(),
            _ => format!("subclaims 1 to {joined}"),
        };
        rows.bar(&row(&label, String::new(), 1), &parts);
    }
    let pieces = bar.pieces[in_view.clone()].iter().zip(&labels);
    for (piece, label) in pieces.skip(joined - in_view.start) {
        let number = piece.estimate.as_ref();
        let number = number.map_or_else(String::new, number_text);
        let part = piece.part.as_ref().map(|part| (fill, part));
        rows.bar(&row(label, number, 1), part.as_slice());
    }
}

/// Returns the width of the labels in a panel, beside bars of this length and the numbers.
fn label_columns(width: u16, bar_length: u16) -> u16 {
    width.saturating_sub(bar_length + 1 + NUMBER + 1)
}

/// Formats the number at the end of a bar's row.
fn number_text(probability: &Exact) -> String {
    percent_that_fits(probability.to_float(), usize::from(NUMBER))
}

/// Returns the label of the range of probabilities that the subclaims' estimates allow, in a long and a short form. It
/// says which end of the range the number beside it is.
fn sum_label(bar: &EstimateSplitBar) -> [&'static str; 2] {
    let (least, most) = &bar.allowed;
    if least == most {
        ["together", "together"]
    } else if *least == Exact::default() {
        ["together at most", "at most"]
    } else if *most == Exact::ratio(1, 1) {
        ["together at least", "at least"]
    } else {
        ["together", "together"]
    }
}

/// Draws the range of probabilities that the subclaims' estimates allow for the claim. A gap between the claim's
/// estimate and this range is drawn as a hole.
fn draw_sum(
    bar: &EstimateSplitBar,
    rows: &mut FreeRows<'_, '_>,
    row: &impl Fn(&str, String, u16) -> BarRow,
) {
    let (least, most) = bar.allowed.clone();
    let number = if least == most || least == Exact::default() {
        number_text(&most)
    } else if most == Exact::ratio(1, 1) {
        number_text(&least)
    } else {
        String::new()
    };
    let columns = label_columns(rows.left.width, row("", String::new(), 0).length);
    let [long, short] = sum_label(bar);
    let fits = measure::width(long) < usize::from(columns);
    let label = if fits { long } else { short };
    let certain = ProbabilityBarSegment {
        from: Exact::default(),
        to: least.clone(),
    };
    let open = ProbabilityBarSegment {
        from: least,
        to: most,
    };
    let gap = bar.gap();
    let mut parts = vec![(Fill::Whole, &certain), (Fill::Open, &open)];
    parts.extend(gap.as_ref().map(|gap| (Fill::Hole, gap)));
    rows.bar(&row(label, number, 0), &parts);
}

/// True if the viewer may read the evidence for a claim. The judge may read it only when asked about the claim.
fn may_read_evidence(view: &DebateViewpoint<'_, '_>, claim: ClaimId) -> bool {
    match view.reader.viewer_seat() {
        None => true,
        // Under rules with estimates, Alice knows only the distribution of the instances, as her hints do.
        Some(Seat::Prover) => {
            let instance = view.facts.instance;
            view.facts.kind != ProtocolKind::ProverEstimator
                || instance.decomposition().worlds().len() == 1
                || instance.opponent_sees() == OpponentEvidenceVisibility::Evidence
                || view.state.request().is_none()
        }
        Some(Seat::Opponent) => {
            view.facts.instance.opponent_sees() == OpponentEvidenceVisibility::Evidence
        }
        Some(Seat::Judge) => {
            let asked = view.state.request();
            asked.is_some_and(|turn| turn.request.claim_for_judge_to_decide() == Some(claim))
        }
        Some(Seat::Chance) => false,
    }
}

/// The pattern with which a segment of a bar is drawn. Each pattern has its own symbol, so that no meaning depends on
/// colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    Whole,
    /// A second pattern for a filled segment, so that it differs from the segment beside it.
    Other,
    /// The pattern for the range of probabilities that the estimates given so far still allow for the claim.
    Open,
    /// The pattern for a gap between the claim's estimate and the range that the subclaims' estimates allow.
    Hole,
}

/// The texts and widths of a row with a bar.
struct BarRow {
    label: String,
    indent: u16,
    length: u16,
    number: String,
}

/// The rows of the explanation panel that are still free.
struct FreeRows<'r, 'c> {
    canvas: &'r mut Canvas<'c>,
    left: Rect,
}

impl FreeRows<'_, '_> {
    /// Takes the next free row of the panel; `None` if no row is left.
    fn next(&mut self) -> Option<Rect> {
        let row = Rect {
            height: 1,
            ..self.left
        };
        let height = self.left.height.checked_sub(1)?;
        self.left = Rect {
            y: self.left.y + 1,
            height,
            ..self.left
        };
        Some(row)
    }

    fn blank(&mut self) {
        self.next();
    }

    fn heading(&mut self, text: &str) {
        if let Some(row) = self.next() {
            self.canvas.draw_text_clipped(text, TextRole::Title, row);
        }
    }

    /// Draws a wrapped text in the next free rows. If it does not fit, its last row ends with an ellipsis.
    fn text(&mut self, role: TextRole, text: &str) {
        let columns = usize::from(self.left.width);
        let ellipsis = self.canvas.look.glyphs.ellipsis;
        let lines: Vec<&str> = text
            .lines()
            .flat_map(|line| measure::wrap(line, columns))
            .collect();
        for (number, line) in lines.iter().enumerate() {
            let Some(row) = self.next() else { return };
            let is_cut = self.left.height == 0 && number + 1 < lines.len();
            if is_cut {
                let line = measure::clip(line, columns.saturating_sub(1), "");
                self.canvas
                    .draw_text_line(&format!("{line}{ellipsis}"), role, row);
            } else {
                self.canvas.draw_text_line(line, role, row);
            }
        }
    }

    /// Draws a row with a label, a bar with these parts and a number. Later parts are drawn over earlier ones.
    fn bar(&mut self, row: &BarRow, parts: &[(Fill, &ProbabilityBarSegment)]) {
        let Some(area) = self.next() else { return };
        let glyphs = self.canvas.look.glyphs;
        let taken = row.length + 1 + NUMBER;
        let label = measure::first_columns(area, label_columns(area.width, row.length));
        self.canvas.draw_text_clipped(
            &row.label,
            TextRole::Text,
            measure::skip_columns(label, row.indent),
        );
        let bar = measure::skip_columns(area, area.width.saturating_sub(taken));
        self.canvas
            .draw_text_line(glyphs.stake_left, TextRole::Faint, bar);
        let inside =
            measure::first_columns(measure::skip_columns(bar, 1), row.length.saturating_sub(2));
        for (fill, part) in parts {
            let (sign, role) = match fill {
                Fill::Whole => (glyphs.whole, TextRole::Party(1)),
                Fill::Other => (glyphs.other, TextRole::Party(1)),
                Fill::Open => (glyphs.open_stake, TextRole::Faint),
                Fill::Hole => (glyphs.hole, TextRole::Bad),
            };
            let [from, to] = cell_range(part, inside.width, *fill != Fill::Open);
            let at = measure::first_columns(measure::skip_columns(inside, from), to - from);
            let text = sign.repeat(usize::from(at.width));
            self.canvas.draw_text_line(&text, role, at);
        }
        let end = measure::skip_columns(bar, row.length.saturating_sub(1));
        self.canvas
            .draw_text_line(glyphs.stake_right, TextRole::Faint, end);
        let number = measure::skip_columns(bar, row.length);
        self.canvas.draw_text_right_aligned(
            &row.number,
            TextRole::Text,
            measure::first_columns(number, NUMBER),
        );
    }
}

/// Returns the range of cells that a part of a bar takes: its first cell, and the cell after its last one. If
/// `is_visible`, a part with a positive length has at least one cell.
fn cell_range(part: &ProbabilityBarSegment, columns: u16, is_visible: bool) -> [u16; 2] {
    let cell = |value: &Exact| {
        let at = value.to_float() * f64::from(columns);
        (0..=columns)
            .rev()
            .find(|cell| f64::from(*cell) - 0.5 <= at)
            .unwrap_or(0)
    };
    let [from, to] = [cell(&part.from), cell(&part.to)];
    if from == to && is_visible && part.from < part.to {
        let from = from.min(columns.saturating_sub(1));
        return [from, (from + 1).min(columns)];
    }
    [from, to]
}
