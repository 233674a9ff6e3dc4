//! The contents of the HTML page's panels after each event. They are computed here, so that the page's script needs no
//! logic.
//!
//! Each distinct tree row, table row and line is stored once. A state is a list of their numbers, written as its
//! changes from the previous state. Everything is stored in the page's format, so the memory for a page is about its
//! size.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::export::ReplayedSave;
use crate::export::safe::escape_json_for_page;
use debate_core::protocol::{EventSink as _, IllegalReply, Log, Rules as _};
use debate_text::claim_tree::{FoldState, RowMark};
use debate_text::{FormulaCharacterSet, ReplayFrame, SignCharacters};

/// The maximum number of rows of the claim tree that one state shows.
const ROWS: usize = 300;
/// The maximum number of rows of rewards that one state shows. A debate may have thousands of rounds.
const REWARDS: usize = 200;
/// The maximum indentation depth of rows of the claim tree.
const DEEPEST: u16 = 14;

/// The dimensions of the chart of rewards.
pub(super) const BAR_CHART: HtmlBarChartLayout = HtmlBarChartLayout {
    pitch: 42,
    gap: 8,
    height: 144,
    zero: 62,
    reach: 56.0,
};

/// The layout of the bar chart, in units of its `viewBox`.
pub(super) struct HtmlBarChartLayout {
    /// The distance between the left edges of neighbouring bars.
    pub(super) pitch: usize,
    /// The free space on each side of a bar.
    pub(super) gap: usize,
    pub(super) height: usize,
    /// The vertical position of the zero line.
    pub(super) zero: u32,
    /// The height of the bar of a reward of ±1, the largest one.
    pub(super) reach: f64,
}

impl HtmlBarChartLayout {
    /// Returns the top and the height of the bar for a reward, which is scaled to −1 to 1. A zero or unpaid reward is a
    /// mark on the zero line.
    pub(super) fn bar_or_mark_top_and_height(&self, reward: Option<f64>) -> (f64, f64) {
        let height = reward.unwrap_or(0.0).clamp(-1.0, 1.0);
        if height == 0.0 {
            return (f64::from(self.zero) - 1.5, 3.0);
        }
        let size = (height.abs() * self.reach * 10.0).round() / 10.0;
        let zero = f64::from(self.zero);
        let top = if height > 0.0 { zero - size } else { zero };
        ((top * 10.0).round() / 10.0, size)
    }
}

#[derive(Debug, Serialize)]
#[serde(rename = "TreeRow")]
pub(super) struct HtmlClaimTreeRow {
    pub(super) depth: u16,
    pub(super) open: bool,
    pub(super) text: String,
    pub(super) full: String,
    pub(super) value: String,
    pub(super) class: &'static str,
    pub(super) sign: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename = "RewardCells")]
pub(super) struct HtmlRewardTableRow {
    pub(super) cells: [String; 6],
    pub(super) class: String,
    pub(super) height: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename = "ReasonLine")]
pub(super) struct RewardReasonLine {
    pub(super) class: &'static str,
    pub(super) text: String,
}

/// A list of distinct values, such as panel rows, written once into the HTML page and referred to by index.
#[derive(Default)]
struct Interner {
    /// The index in `all` of each value, by the value's JSON text.
    places: HashMap<String, usize>,
    /// Each distinct value as JSON text in the page's format.
    all: Vec<String>,
}

impl Interner {
    /// Returns the index of a value among the distinct values. Stores a new value in the form that `written` returns.
    fn place<T: Serialize>(&mut self, value: &T, written: impl FnOnce(&T) -> Value) -> usize {
        let next = self.all.len();
        // Strings and numbers can always be serialised.
        let key = serde_json::to_string(value).unwrap_or_default();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.all.push(written(value).to_string());
        }
        place
    }

    /// Writes the distinct values, such as panel rows, as a JSON list for the script of the HTML page.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut separator = '[';
        for text in &self.all {
            write!(out, "{separator}{}", escape_json_for_page(text))?;
            separator = ',';
        }
        let rest = if self.all.is_empty() { "[]" } else { "]" };
        out.write_all(rest.as_bytes())
    }
}

/// The contents of the page's panels after one event, as indices into the lists of distinct rows and lines.
#[derive(Default)]
struct PanelState {
    tree: Vec<usize>,
    rewards: Vec<usize>,
    because: Vec<usize>,
}

/// The contents of the page's panels after the last event on the page.
#[derive(Default)]
struct FinalPanels {
    tree: Vec<HtmlClaimTreeRow>,
    rewards: Vec<HtmlRewardTableRow>,
    because: Vec<RewardReasonLine>,
}

/// All states of an exported page: before its first event and after each event.
#[derive(Default)]
pub(super) struct HtmlPageStates {
    rows: Interner,
    rewards: Interner,
    lines: Interner,
    strips: Interner,
    /// Each state as JSON: the changes since the previous state.
    states: Vec<String>,
    latest: PanelState,
    last: FinalPanels,
}

impl HtmlPageStates {
    /// Returns the states of the page, from the one before event `from` to the one after event `to`, both counted from
    /// 1.
    ///
    /// # Errors
    /// If a move is no longer legal.
    pub(super) fn for_events_between(
        debate: &ReplayedSave<'_>,
        from: usize,
        to: usize,
    ) -> Result<Self, IllegalReply> {
        let mut states = Self::default();
        let mut log = Log::default();
        let mut known = 0;
        let mut read = None;
        // The log of the state's own replies is not needed: entries are copied from the debate's log.
        let mut state = debate.seating.state_at_start().clone();
        let mut moves = debate.seating.moves().iter();
        let mut made = 0;
        for n in from - 1..=to {
            let place = n.checked_sub(1);
            let transcript_event = place.and_then(|place| debate.transcript_events().get(place));
            // Entries without a text belong to the event before them.
            let next = debate.transcript_events().get(n).map(|next| next.entry);
            let end = next.unwrap_or_else(|| debate.log().entries().len());
            let entries = debate.log().entries().get(known..end).unwrap_or_default();
            let end = if n == 0 { 0 } else { end };
            for entry in entries.iter().filter(|_| n > 0) {
                log.note(entry.seat, entry.seal, entry.event.clone());
            }
            known = end;
            // Within a move, the question that it answers is still pending.
            let step = transcript_event.map_or(0, |it| it.step - usize::from(!it.settles));
            for next in moves.by_ref().take(step.saturating_sub(made)) {
                state.reply(next.reply.clone(), &mut ())?;
                made += 1;
            }
            let newest = transcript_event.map_or(0..0, |it| it.entry..end);
            let narration = ReplayFrame::after(read, &debate.facts, &state, &log, newest);
            let round = transcript_event.and_then(|transcript_event| transcript_event.round);
            let label = round.map_or_else(String::new, |round| narration.round_label(round));
            states.note(debate, &narration, &label);
            read = Some(narration.into_state());
        }
        Ok(states)
    }

    fn note(&mut self, debate: &ReplayedSave<'_>, narration: &ReplayFrame<'_, '_>, round: &str) {
        let panels = FinalPanels {
            tree: tree_rows(debate, narration),
            rewards: reward_cells(narration),
            because: because_lines(narration),
        };
        let tree = panels.tree.iter();
        let rewards = panels.rewards.iter();
        let because = panels.because.iter();
        let state = PanelState {
            tree: tree
                .map(|row| self.rows.place(row, HtmlClaimTreeRow::written))
                .collect(),
            rewards: rewards
                .map(|row| self.rewards.place(row, HtmlRewardTableRow::written))
                .collect(),
            because: because
                .map(|line| self.lines.place(line, RewardReasonLine::written))
                .collect(),
        };
        let strip = narration.exported_page_status_parts().join(" · ");
        let strip = self.strips.place(&strip, |strip| Value::from(safe(strip)));
        let before = &self.latest;
        let changes = json!([
            splice(&before.tree, &state.tree),
            splice(&before.rewards, &state.rewards),
            splice(&before.because, &state.because),
            strip,
            round,
        ]);
        self.states.push(changes.to_string());
        self.latest = state;
        self.last = panels;
    }

    pub(super) fn tree_rows_after_last_event(&self) -> &[HtmlClaimTreeRow] {
        &self.last.tree
    }

    pub(super) fn reward_rows_after_last_event(&self) -> &[HtmlRewardTableRow] {
        &self.last.rewards
    }

    pub(super) fn reason_lines_after_last_event(&self) -> &[RewardReasonLine] {
        &self.last.because
    }

    /// Writes the states of all panels as JSON, for the page's script.
    pub(super) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"lines\":")?;
        self.lines.write(out)?;
        write!(out, ",\"rewards\":")?;
        self.rewards.write(out)?;
        write!(out, ",\"rows\":")?;
        self.rows.write(out)?;
        write!(out, ",\"states\":")?;
        let mut separator = '[';
        for state in &self.states {
            write!(out, "{separator}{}", escape_json_for_page(state))?;
            separator = ',';
        }
        // The list of states is never empty: a page has a state before its first event.
        write!(out, "],\"strips\":")?;
        self.strips.write(out)?;
        write!(out, "}}")
    }
}

/// Returns a text without control characters, for the HTML page.
fn safe(text: &str) -> String {
    debate_core::text::replace_unsafe_multiline(text).into_owned()
}

impl HtmlClaimTreeRow {
    /// Returns a row of the claim tree as JSON for the page's script.
    fn written(&self) -> Value {
        let [text, full, value] = [&self.text, &self.full, &self.value].map(|text| safe(text));
        let open = u8::from(self.open);
        json!([self.depth, open, text, full, value, self.class, self.sign])
    }
}

impl HtmlRewardTableRow {
    /// Returns a row of the reward table as JSON for the page's script.
    fn written(&self) -> Value {
        let (top, high) = BAR_CHART.bar_or_mark_top_and_height(self.height);
        let cells: Vec<String> = self.cells.iter().map(|cell| safe(cell)).collect();
        json!([cells, self.class, top, high])
    }
}

impl RewardReasonLine {
    /// Returns a line that explains a reward as JSON for the page's script.
    fn written(&self) -> Value {
        json!([self.class, safe(&self.text)])
    }
}

/// Returns the rows of the claim tree in one state of the debate.
fn tree_rows(debate: &ReplayedSave<'_>, narration: &ReplayFrame<'_, '_>) -> Vec<HtmlClaimTreeRow> {
    let (rows, hidden) = narration.tree_rows(ROWS);
    let signs = SignCharacters::symbols_for_character_set(FormulaCharacterSet::Unicode);
    let mut tree = Vec::with_capacity(rows.len() + 1);
    for row in rows {
        let (class, sign) = match row.mark {
            RowMark::Plain => ("", ""),
            RowMark::Faint => ("faint", ""),
            RowMark::Current => ("current", signs.current),
            RowMark::Chosen => ("chosen", signs.chosen),
            RowMark::Newest => ("newest", signs.newest),
        };
        tree.push(HtmlClaimTreeRow {
            depth: row.branches.depth_in_claim_tree().min(DEEPEST),
            open: row.fold == FoldState::Open,
            text: row.text.clone(),
            full: debate.instance.text(row.claim),
            value: row.prover_response_and_outcome_text(),
            class,
            sign,
        });
    }
    if hidden > 0 {
        tree.push(HtmlClaimTreeRow {
            depth: 1,
            open: false,
            text: format!("… and {hidden} more claims, not shown"),
            full: String::new(),
            value: String::new(),
            class: "faint",
            sign: "",
        });
    }
    tree
}

/// Returns the rows of the reward table in one state of the debate.
fn reward_cells(narration: &ReplayFrame<'_, '_>) -> Vec<HtmlRewardTableRow> {
    let (paid, hidden) = narration.reward_rows_near_current_round_and_omitted(REWARDS);
    let rewards = paid.into_iter().map(|paid| {
        let mark = if paid.dominant { " ◆" } else { "" };
        let class = match paid.payment_to_prover() {
            Some(value) if value > 0.0 => "good",
            Some(value) if value < 0.0 => "bad",
            Some(_) => "nil",
            None => "open",
        };
        let class = [
            class,
            if paid.newest { " newest" } else { "" },
            if paid.dominant { " dominant" } else { "" },
        ];
        let mut cells = paid.third_person_table_cells();
        cells[0] += mark;
        HtmlRewardTableRow {
            height: paid
                .payment_to_prover()
                .map(|value| narration.signed_log_reward_bar_height(value)),
            cells,
            class: class.concat(),
        }
    });
    let mut rewards: Vec<HtmlRewardTableRow> = rewards.collect();
    if hidden > 0 {
        let mut cells: [String; 6] = Default::default();
        cells[0] = format!("… {hidden} more");
        rewards.push(HtmlRewardTableRow {
            cells,
            class: "open".to_owned(),
            height: None,
        });
    }
    rewards
}

/// Returns the lines that explain the last reward.
fn because_lines(narration: &ReplayFrame<'_, '_>) -> Vec<RewardReasonLine> {
    let because = narration
        .last_reward_explanation_lines()
        .into_iter()
        .filter_map(|entry| {
            let text = entry.plain_body_text();
            let class = super::class(entry.body.first()?.role);
            Some(RewardReasonLine { class, text })
        });
    because.collect()
}

/// Returns the change from one list to another as JSON: the index of the first difference, the number of removed
/// entries, and the inserted entries.
fn splice(before: &[usize], after: &[usize]) -> Value {
    let front = alike(before.iter().zip(after));
    let [old, new] = [before, after].map(|list| list.get(front..).unwrap_or_default());
    let back = alike(old.iter().rev().zip(new.iter().rev()));
    let come = new.get(..new.len() - back).unwrap_or_default();
    json!([front, old.len() - back, come])
}

/// Returns the length of the common start of two lists, given as pairs of the numbers at the same position.
fn alike<'p>(pairs: impl Iterator<Item = (&'p usize, &'p usize)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}
