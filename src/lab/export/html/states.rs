//! What the panels show after each event, so that the page's script has nothing to work out.
//!
//! Rows of the tree, rows of the table and lines are stored once each; a state is a list of their
//! numbers, and is written as what changes from the state before.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::export::SavedDebate;
use crate::tell::claim_tree::{Fold, RowMark};
use crate::tell::{Narration, Script, Signs};
use debate_core::protocol::{Illegal, Log, Sink as _};

/// The most rows of the tree that one state shows.
const ROWS: usize = 300;
/// The most rows of the table of rewards that one state shows: a debate may have thousands of rounds.
const REWARDS: usize = 200;
/// Deeper rows are drawn no further to the right.
const DEEPEST: u16 = 14;

/// The measures of the chart, in its own units.
pub(super) const BARS: Bars = Bars {
    pitch: 42,
    gap: 8,
    height: 144,
    zero: 62,
    reach: 56.0,
};

/// The layout of the bar chart, in units of its `viewBox`.
pub(super) struct Bars {
    /// From one bar to the next.
    pub(super) pitch: usize,
    /// Free room on both sides of a bar.
    pub(super) gap: usize,
    pub(super) height: usize,
    /// Where the line of zero stands.
    pub(super) zero: u32,
    /// How far the largest bar reaches.
    pub(super) reach: f64,
}

impl Bars {
    /// Where a bar begins and how high it is, for a reward from −1 to 1. Nothing, paid or to come,
    /// is a mark on the line of zero.
    pub(super) fn bar(&self, reward: Option<f64>) -> (f64, f64) {
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
pub(super) struct TreeRow {
    pub(super) depth: u16,
    pub(super) open: bool,
    pub(super) text: String,
    pub(super) full: String,
    pub(super) value: String,
    pub(super) class: &'static str,
    pub(super) sign: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct RewardCells {
    pub(super) cells: [String; 6],
    pub(super) class: String,
    pub(super) height: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct BecauseLine {
    pub(super) class: &'static str,
    pub(super) text: String,
}

/// Values that are stored once each.
struct Interner<T> {
    all: Vec<T>,
    /// By what is written of a value.
    places: HashMap<String, usize>,
}

impl<T: Serialize> Interner<T> {
    fn new() -> Self {
        let all = Vec::new();
        let places = HashMap::new();
        Self { all, places }
    }

    /// The values of these numbers.
    fn named(&self, places: Vec<usize>) -> Vec<&T> {
        places
            .into_iter()
            .filter_map(|place| self.all.get(place))
            .collect()
    }

    fn place(&mut self, value: T) -> usize {
        let next = self.all.len();
        // Texts and numbers can always be written.
        let key = serde_json::to_string(&value).unwrap_or_default();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.all.push(value);
        }
        place
    }
}

/// The numbers of what one state shows.
#[derive(Clone, Default)]
struct PanelState {
    tree: Vec<usize>,
    rewards: Vec<usize>,
    because: Vec<usize>,
    strip: usize,
    round: String,
}

/// All states of a page: before its first event, and after each.
pub(super) struct PanelStates {
    rows: Interner<TreeRow>,
    rewards: Interner<RewardCells>,
    lines: Interner<BecauseLine>,
    strips: Interner<String>,
    after: Vec<PanelState>,
}

impl PanelStates {
    /// The states from before one event to after another, counted from 1.
    ///
    /// # Errors
    /// Where a move is not legal any more.
    pub(super) fn of(debate: &SavedDebate<'_>, from: usize, to: usize) -> Result<Self, Illegal> {
        let mut states = Self {
            rows: Interner::new(),
            rewards: Interner::new(),
            lines: Interner::new(),
            strips: Interner::new(),
            after: Vec::with_capacity(to + 2 - from),
        };
        let mut log = Log::default();
        let mut known = 0;
        let mut read = None;
        let mut timeline = debate.seating.timeline().rewound();
        for n in from - 1..=to {
            let place = n.checked_sub(1);
            let transcript_event = place.and_then(|place| debate.transcript_events().get(place));
            // What nothing is told of belongs to the event before it.
            let next = debate.transcript_events().get(n).map(|next| next.entry);
            let end = next.unwrap_or_else(|| debate.log().entries().len());
            let entries = debate.log().entries().get(known..end).unwrap_or_default();
            let end = if n == 0 { 0 } else { end };
            for entry in entries.iter().filter(|_| n > 0) {
                log.note(entry.seat, entry.seal, entry.event.clone());
            }
            known = end;
            // Within a move the question that it answers is still the pending one.
            let step = transcript_event.map_or(0, |it| it.step - usize::from(!it.settles));
            timeline.to(step)?;
            let newest = transcript_event.map_or(0..0, |it| it.entry..end);
            let narration = Narration::after(read, &debate.facts, timeline.state(), &log, newest);
            let round = transcript_event.and_then(|transcript_event| transcript_event.round);
            let label = round.map_or_else(String::new, |round| narration.round_label(round));
            states.note(debate, &narration, label);
            read = Some(narration.into_state());
        }
        Ok(states)
    }

    fn note(&mut self, debate: &SavedDebate<'_>, narration: &Narration<'_, '_>, round: String) {
        let (rows, hidden) = narration.tree(ROWS);
        let signs = Signs::of(Script::Unicode);
        let mut tree = Vec::with_capacity(rows.len() + 1);
        for row in rows {
            let (class, sign) = match row.mark {
                RowMark::Plain => ("", ""),
                RowMark::Faint => ("faint", ""),
                RowMark::Current => ("current", signs.current),
                RowMark::Chosen => ("chosen", signs.chosen),
                RowMark::Newest => ("newest", signs.newest),
            };
            tree.push(self.rows.place(TreeRow {
                depth: row.branches.depth().min(DEEPEST),
                open: row.fold == Fold::Open,
                text: row.text.clone(),
                full: debate.instance.text(row.claim),
                value: row.value(),
                class,
                sign,
            }));
        }
        if hidden > 0 {
            tree.push(self.rows.place(TreeRow {
                depth: 1,
                open: false,
                text: format!("… and {hidden} more, not shown here"),
                full: String::new(),
                value: String::new(),
                class: "faint",
                sign: "",
            }));
        }
        let (paid, hidden) = narration.rewards_near(REWARDS);
        let rewards = paid.into_iter().map(|paid| {
            let mark = if paid.dominant { " ◆" } else { "" };
            let class = match paid.value() {
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
            let mut cells = paid.cells();
            cells[0] += mark;
            self.rewards.place(RewardCells {
                height: paid.value().map(|value| narration.height(value)),
                cells,
                class: class.concat(),
            })
        });
        let mut rewards_now: Vec<usize> = rewards.collect();
        if hidden > 0 {
            let mut cells: [String; 6] = Default::default();
            cells[0] = format!("… {hidden} more");
            rewards_now.push(self.rewards.place(RewardCells {
                cells,
                class: "open".to_owned(),
                height: None,
            }));
        }
        let because = narration.reward_reasons().into_iter().filter_map(|entry| {
            let text = entry.text();
            let class = super::class(entry.body.first()?.role);
            Some(self.lines.place(BecauseLine { class, text }))
        });
        let because_now = because.collect();
        let strip = self.strips.place(narration.status_line().join(" · "));
        self.after.push(PanelState {
            tree,
            rewards: rewards_now,
            because: because_now,
            strip,
            round,
        });
    }

    fn last(&self) -> PanelState {
        self.after.last().cloned().unwrap_or_default()
    }

    pub(super) fn final_tree(&self) -> Vec<&TreeRow> {
        self.rows.named(self.last().tree)
    }

    pub(super) fn final_rewards(&self) -> Vec<&RewardCells> {
        self.rewards.named(self.last().rewards)
    }

    pub(super) fn final_because(&self) -> Vec<&BecauseLine> {
        self.lines.named(self.last().because)
    }

    /// All states as JSON, for the page's script.
    pub(super) fn json(&self) -> Value {
        // What stands in the document as text has been made safe there; here too.
        let safe = |text: &str| debate_core::text::safe_multiline(text).into_owned();
        let rows = self.rows.all.iter().map(|row| {
            let [text, full, value] = [&row.text, &row.full, &row.value].map(|text| safe(text));
            let open = u8::from(row.open);
            json!([row.depth, open, text, full, value, row.class, row.sign])
        });
        let rewards = self.rewards.all.iter().map(|reward| {
            let (top, high) = BARS.bar(reward.height);
            let cells: Vec<String> = reward.cells.iter().map(|cell| safe(cell)).collect();
            json!([cells, reward.class, top, high])
        });
        let lines = self.lines.all.iter();
        let strips = self.strips.all.iter().map(|strip| safe(strip));
        let mut before = PanelState::default();
        let mut states = Vec::with_capacity(self.after.len());
        for state in &self.after {
            states.push(json!([
                splice(&before.tree, &state.tree),
                splice(&before.rewards, &state.rewards),
                splice(&before.because, &state.because),
                state.strip,
                state.round,
            ]));
            before = state.clone();
        }
        json!({
            "rows": rows.collect::<Vec<_>>(),
            "rewards": rewards.collect::<Vec<_>>(),
            "lines": lines.map(|line| json!([line.class, safe(&line.text)])).collect::<Vec<_>>(),
            "strips": strips.collect::<Vec<_>>(),
            "states": states,
        })
    }
}

/// What changes from one list to another: from where on, how many go, and what comes.
fn splice(before: &[usize], after: &[usize]) -> Value {
    let front = alike(before.iter().zip(after));
    let [old, new] = [before, after].map(|list| list.get(front..).unwrap_or_default());
    let back = alike(old.iter().rev().zip(new.iter().rev()));
    let come = new.get(..new.len() - back).unwrap_or_default();
    json!([front, old.len() - back, come])
}

/// The number of pairs up to the first that differ.
fn alike<'p>(pairs: impl Iterator<Item = (&'p usize, &'p usize)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}
