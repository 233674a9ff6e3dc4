//! The layout: three columns, two, or one with tabs; the ask panel always below.

use ratatui::layout::{
    Constraint::{Fill, Length},
    Layout, Rect,
};

use super::Panel;

/// From so many columns on there are three columns.
pub const THREE: u16 = 110;
/// From so many columns on there are two.
pub const TWO: u16 = 70;
/// Rows that the panels above the ask panel keep, frames included.
const PANEL_ROWS: u16 = 5;

/// The title line, the body and the footer of a screen.
pub(in crate::tui::screen) fn page(area: Rect) -> [Rect; 3] {
    Layout::vertical([Length(1), Fill(1), Length(1)]).areas(area)
}

/// The places of one frame. A panel without a place is behind a tab.
#[derive(Clone, Debug, Default)]
pub(in crate::tui::screen) struct PanelLayout {
    pub(in crate::tui::screen) title: Rect,
    pub(in crate::tui::screen) tabs: Option<Rect>,
    /// The panels in view, with their frames.
    pub(in crate::tui::screen) panels: Vec<(Panel, Rect)>,
    /// The ask panel with its frame; at the end, the report; in a replay, the timeline.
    pub(in crate::tui::screen) ask: Rect,
    pub(in crate::tui::screen) strip: Rect,
    pub(in crate::tui::screen) footer: Rect,
    /// True if panels have frames: not where rows are scarce.
    pub(in crate::tui::screen) framed: bool,
}

impl PanelLayout {
    /// Lays a screen out. `ask_rows` are the rows that the ask panel would like inside its frame,
    /// given its columns; `front` is the panel to show where not all can be.
    pub(in crate::tui::screen) fn of(
        area: Rect,
        front: Panel,
        ask_rows: impl FnOnce(u16) -> u16,
    ) -> Self {
        let framed = area.height >= 18;
        let row = |y: u16| Rect {
            y,
            height: 1,
            ..area
        };
        let tabbed = area.width < TWO;
        let head = 1 + u16::from(tabbed);
        let bottom = area.bottom();
        let between = area.height.saturating_sub(head + 2);
        // Without a frame the ask panel still has a line for its title.
        let around = if framed { 2 } else { 1 };
        let inside = area.width.saturating_sub(if framed { 2 } else { 0 });
        let least = if framed { PANEL_ROWS } else { 2 };
        let ask = (ask_rows(inside) + around).min(between.saturating_sub(least));
        let ask_area = Rect {
            y: bottom - 2 - ask,
            height: ask,
            ..area
        };
        let upper = Rect {
            y: area.y + head,
            height: between - ask,
            ..area
        };
        Self {
            title: row(area.y),
            tabs: tabbed.then(|| row(area.y + 1)),
            panels: panels(upper, front),
            ask: ask_area,
            strip: row(bottom - 2),
            footer: row(bottom - 1),
            framed,
        }
    }
}

fn panels(area: Rect, front: Panel) -> Vec<(Panel, Rect)> {
    if area.width >= THREE {
        let tree = 34 + (area.width - THREE) / 4;
        let rewards = 37 + (area.width - THREE) / 8;
        let columns = Layout::horizontal([Length(tree), Fill(1), Length(rewards)]);
        let [left, middle, right] = columns.areas(area);
        return vec![
            (Panel::Tree, left),
            (Panel::Transcript, middle),
            (Panel::Rewards, right),
        ];
    }
    if area.width < TWO {
        return vec![(front, area)];
    }
    let columns = Layout::horizontal([Length(area.width * 17 / 40), Fill(1)]);
    let [left, right] = columns.areas(area);
    let mut panels = vec![(Panel::Tree, left)];
    if area.height >= 22 {
        let [upper, lower] = Layout::vertical([Fill(1), Length(10)]).areas(right);
        panels.extend([(Panel::Transcript, upper), (Panel::Rewards, lower)]);
    } else if front == Panel::Rewards {
        panels.push((Panel::Rewards, right));
    } else {
        panels.push((Panel::Transcript, right));
    }
    panels
}
