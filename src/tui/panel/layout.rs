//! The layout: three columns, two, or one with tabs; the strip of rewards and the ask panel below.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};

use super::Panel;
use crate::tui::widget::measure;

/// From so many columns on a fourth column explains the step of the protocol.
const FOUR: u16 = 180;
/// Columns of that one.
const EXPLANATION: u16 = 38;
/// From so many columns on there are three columns, one of them for the rewards.
pub const THREE: u16 = 110;
/// From so many columns on there are two.
pub const TWO: u16 = 70;
/// From this size on the strip of rewards has two lines.
const STRIP: (u16, u16) = (60, 20);
/// Lines that each panel above the ask panel keeps, if it has as many.
const LEAST_LINES: u16 = 3;
/// Lines of the panels above for which the strip goes without its frame.
const BEFORE_FRAME: u16 = 6;

/// Rows that the ask panel asks for, inside its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskRows {
    /// Rows with which nothing of it scrolls.
    pub all: u16,
    /// Rows with which nothing is cut but a list that is made to scroll.
    pub needed: u16,
    /// Rows that it may take although panels above have more to show.
    pub fair: u16,
}

impl AskRows {
    /// So many rows, whatever the panels above have to show.
    pub fn fixed(rows: u16) -> Self {
        Self {
            all: rows,
            needed: rows,
            fair: rows,
        }
    }
}

/// The places of one frame. A panel without a place is behind a tab.
#[derive(Clone, Debug, Default)]
pub struct PanelLayout {
    pub title: Rect,
    pub tabs: Option<Rect>,
    /// The panels in view, with their frames.
    pub panels: Vec<(Panel, Rect)>,
    /// The column that explains the step of the protocol, where there is room for it.
    pub explanation: Option<Rect>,
    /// The ask panel with its frame; at the end, the report; in a replay, the timeline.
    pub ask: Rect,
    /// The rewards in short; empty where they have a panel that is always in view.
    pub strip: Rect,
    pub strip_framed: bool,
    pub footer: Rect,
    /// True if panels have frames: not where rows are scarce.
    pub framed: bool,
}

impl PanelLayout {
    /// Lays a screen out. `ask` are the rows that the ask panel would like, given its columns;
    /// `lines` are those that a panel above it has to show in so many columns, counted no further
    /// than a third number; `front` is the panel to show where not all can be.
    ///
    /// The ask panel gets what it asks for as long as no panel above loses a line by it; beyond
    /// that a fair share, and beyond that what it needs.
    pub fn of(
        area: Rect,
        front: Panel,
        ask: impl FnOnce(u16) -> AskRows,
        lines: impl Fn(Panel, u16, u16) -> u16,
    ) -> Self {
        let framed = area.height >= 18;
        let tabbed = area.width < TWO;
        let head = 1 + u16::from(tabbed);
        let strip = if area.width >= THREE {
            0
        } else if area.width >= STRIP.0 && area.height >= STRIP.1 {
            2
        } else {
            1
        };
        let between = area.height.saturating_sub(head + strip + 1);
        // Without a frame the ask panel still has a line for its title.
        let (around, sides) = if framed { (2, 2) } else { (1, 0) };
        let frame = sides;
        let upper = measure::rows(area, head.into(), between.into());
        let (columns, _) = columns(upper, front);
        let most = columns.iter().map(|(panel, place)| {
            let inside = place.width.saturating_sub(sides);
            lines(*panel, inside, between)
        });
        let shown = most.max().unwrap_or(0).max(1);
        let wanted = ask(area.width.saturating_sub(sides));
        let left_over = between.saturating_sub(frame + shown);
        let least = frame + shown.min(if framed { LEAST_LINES } else { 2 });
        let share = (wanted.needed.max(wanted.fair) + around).max(left_over);
        let ask = (wanted.all + around)
            .min(share)
            .min(between.saturating_sub(least));
        let above = between - ask;
        let strip_framed = framed && strip == 2 && above >= 2 + frame + shown.min(BEFORE_FRAME);
        let strip = strip + if strip_framed { 2 } else { 0 };
        let height = area.height.saturating_sub(head + strip + 1 + ask);
        let (panels, explanation) = self::columns(Rect { height, ..upper }, front);
        let last = usize::from(area.height).saturating_sub(1);
        let below = last.saturating_sub(ask.into());
        Self {
            title: measure::row(area, 0),
            tabs: tabbed.then(|| measure::row(area, 1)),
            panels,
            explanation,
            ask: measure::rows(area, below, ask.into()),
            strip: measure::rows(area, below.saturating_sub(strip.into()), strip.into()),
            strip_framed,
            footer: measure::row(area, last),
            framed,
        }
    }
}

/// The panels side by side, and the explanation of the step.
fn columns(area: Rect, front: Panel) -> (Vec<(Panel, Rect)>, Option<Rect>) {
    if area.width >= FOUR {
        let [rest, last] = Layout::horizontal([Fill(1), Length(EXPLANATION)]).areas(area);
        return (three(rest), Some(last));
    }
    if area.width >= THREE {
        return (three(area), None);
    }
    if area.width < TWO {
        return (vec![(front, area)], None);
    }
    let columns = Layout::horizontal([Length(area.width * 17 / 40), Fill(1)]);
    let [left, right] = columns.areas(area);
    let other = if front == Panel::Rewards {
        Panel::Rewards
    } else {
        Panel::Transcript
    };
    (vec![(Panel::Tree, left), (other, right)], None)
}

fn three(area: Rect) -> Vec<(Panel, Rect)> {
    let more = area.width.saturating_sub(THREE);
    let tree = 30 + more * 2 / 5;
    let rewards = 45 + more / 8;
    let columns = Layout::horizontal([Length(tree), Fill(1), Length(rewards)]);
    let [left, middle, right] = columns.areas(area);
    vec![
        (Panel::Tree, left),
        (Panel::Transcript, middle),
        (Panel::Rewards, right),
    ]
}
