//! The layout of the panels on the screen: three columns, two, or one with tabs. The strip of rewards and the ask panel
//! are below them.

use ratatui::layout::Rect;

use super::Panel;
use crate::tui::widget::measure;

/// Minimum width of the screen for three columns, one of which shows the rewards.
pub const MIN_THREE_COLUMN_WIDTH: u16 = 110;
/// Minimum width for two columns.
pub const MIN_TWO_COLUMN_WIDTH: u16 = 70;
/// Width of the screen with three columns above which the transcript gets half of the additional columns, for whole
/// sentences. It gets them in addition to a sixth of the columns above [`MIN_THREE_COLUMN_WIDTH`].
const MIN_WIDE_TRANSCRIPT_WIDTH: u16 = 160;
/// Minimum height for frames.
const MIN_FRAMED_HEIGHT: u16 = 18;
/// Minimum size of the screen for a strip of rewards with two lines.
const MIN_STRIP_SIZE: (u16, u16) = (60, 20);
/// Minimum number of lines of each framed panel above the ask panel, unless the panel has fewer lines. Without frames,
/// the minimum is 2.
const MIN_PANEL_LINES: u16 = 3;
/// Minimum number of rows of the transcript below the rewards at the end of a debate, including its frame. With fewer
/// than two lines it shows nothing useful.
const MIN_TRANSCRIPT_HEIGHT: u16 = 4;
/// Minimum number of rows of a column in which the table of rewards has room for a heading above the explanation panel.
const MIN_HEIGHT_WITH_HEADING: u16 = 40;
/// Minimum number of rows of the explanation panel, including its frame.
const MIN_EXPLANATION: u16 = 10;

/// The numbers of rows that the ask panel requests, without its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskPanelHeights {
    /// The height at which the ask panel needs no scrolling.
    pub all: u16,
    /// The height at which the ask panel shows everything in full except a list that scrolls.
    pub needed: u16,
    /// The height that the ask panel may take even if this hides lines of the panels above it.
    pub fair: u16,
}

impl AskPanelHeights {
    /// Requests a fixed number of rows, whatever the panels above need.
    pub fn fixed(rows: u16) -> Self {
        Self {
            all: rows,
            needed: rows,
            fair: rows,
        }
    }
}

/// The facts that decide which panels are in view.
#[derive(Clone, Copy, Debug)]
pub struct PanelLayoutInputs {
    /// The panel that is shown if the screen has room for only one.
    pub front: Panel,
    /// The panel with the focus, which may take the place of the tree of claims.
    pub main: Panel,
    /// True if the debate consists of speeches. Its source gets 17/40 of the width, and its transcript the remaining
    /// columns.
    pub is_speech_debate: bool,
    /// The number of lines of the rewards; 0 if they are not shown.
    pub rewards: u16,
    /// True if the explanation panel has something to explain.
    pub has_explanation: bool,
    /// Maximum number of rows of the panels above the ask panel.
    pub max_upper_rows: u16,
    /// True if the debate is over. The ask panel then shows the report, which already contains the last lines of the
    /// transcript.
    pub is_over: bool,
}

/// The areas of the panels in one frame. A panel without an area is not in view.
#[derive(Clone, Debug, Default)]
pub struct PanelLayout {
    pub title: Rect,
    pub tabs: Option<Rect>,
    /// The panels in view with their areas, which include the frames. Neighbours share a border.
    pub panels: Vec<(Panel, Rect)>,
    /// The area of the explanation panel, including its frame; empty if there is no room.
    pub side: Rect,
    /// The area of the lowest panel, including its frame: the question, at the end the report, in a replay the
    /// timeline.
    pub ask: Rect,
    /// The area of the strip of rewards; empty if the rewards have a panel or are hidden.
    pub strip: Rect,
    pub footer: Rect,
    /// True if panels have frames, which are left out if rows are scarce.
    pub has_frames: bool,
}

impl PanelLayout {
    /// Returns the width inside the frame of the transcript, in columns; 0 if the transcript is not in view.
    pub fn transcript_columns(&self) -> u16 {
        let mut shown = self.panels.iter();
        let found = shown.find(|(panel, _)| *panel == Panel::Transcript);
        found.map_or(0, |(_, area)| area.width.saturating_sub(2))
    }

    /// Computes the layout of a screen. `ask` returns the rows that the ask panel requests at a given width. `lines`
    /// returns the lines of an upper panel at a given width, counted up to its third argument.
    ///
    /// The ask panel gets the rows it asks for if no panel above loses a line. Otherwise it gets its fair share, or the
    /// rows that it needs if they are more.
    pub fn compute(
        area: Rect,
        inputs: PanelLayoutInputs,
        ask: impl FnOnce(u16) -> AskPanelHeights,
        lines: impl Fn(Panel, u16, u16) -> u16,
    ) -> Self {
        let has_frames = area.height >= MIN_FRAMED_HEIGHT;
        let tabbed = area.width < MIN_TWO_COLUMN_WIDTH;
        let head = 1 + u16::from(tabbed);
        let has_panel = has_frames && !tabbed && !inputs.is_speech_debate;
        let strip = if has_panel || inputs.rewards == 0 {
            0
        } else if area.width >= MIN_STRIP_SIZE.0 && area.height >= MIN_STRIP_SIZE.1 {
            2
        } else {
            1
        };
        let between = area.height.saturating_sub(head + strip + 1);
        // Frames share a border. Without a frame the ask panel still has a line for its title.
        let shared = u16::from(has_frames && strip == 0);
        let (around, sides) = if has_frames { (2, 2) } else { (1, 0) };
        let frame = sides;
        let upper = measure::rows(area, head.into(), between.into());
        let most = columns(upper, inputs, has_frames)
            .into_iter()
            .map(|(panel, panel_area)| {
                let inside = panel_area.width.saturating_sub(sides);
                // A panel below the rewards needs room for both.
                let above = panel_area.y.saturating_sub(upper.y);
                let shown = lines(panel, inside, between);
                if above > 0 {
                    above + shown.min(MIN_PANEL_LINES)
                } else {
                    shown
                }
            });
        let shown = most.max().unwrap_or(0).max(1);
        let wanted = ask(area.width.saturating_sub(sides));
        let left_over = (between + shared).saturating_sub(frame + shown);
        let least = frame + shown.min(if has_frames { MIN_PANEL_LINES } else { 2 });
        // At the end all rewards are in view, up to half of the rows; the report scrolls.
        let all_rewards = if inputs.is_over && has_panel && inputs.rewards > 0 {
            (inputs.rewards + frame).min(between / 2)
        } else {
            0
        };
        let least = least.max(all_rewards);
        let share = (wanted.needed.max(wanted.fair) + around).max(left_over);
        let ask = (wanted.all + around)
            .min(share)
            .min((between + shared).saturating_sub(least));
        let ask = ask.max((between + shared).saturating_sub(inputs.max_upper_rows));
        let height = (between + shared).saturating_sub(ask);
        let mut panels = columns(Rect { height, ..upper }, inputs, has_frames);
        let side = if has_frames {
            split_side(&mut panels, inputs)
        } else {
            Rect::ZERO
        };
        let last = usize::from(area.height).saturating_sub(1);
        let below = last.saturating_sub(ask.into());
        Self {
            title: measure::row(area, 0),
            tabs: tabbed.then(|| measure::row(area, 1)),
            panels,
            side,
            ask: measure::rows(area, below, ask.into()),
            strip: measure::rows(area, below.saturating_sub(strip.into()), strip.into()),
            footer: measure::row(area, last),
            has_frames,
        }
    }
}

/// Takes the area for the explanation from the last column of a wide screen. The panel of this column keeps the lines
/// of its rewards, or else half of its rows. Returns an empty area if the screen is not wide, if too few rows are left,
/// if the panel has the focus, or if there is nothing to explain.
fn split_side(panels: &mut [(Panel, Rect)], inputs: PanelLayoutInputs) -> Rect {
    let columns = panels.iter().map(|(_, area)| area.right()).max();
    let is_wide = columns.is_some_and(|columns| columns >= MIN_THREE_COLUMN_WIDTH);
    let Some((panel, area)) = panels.last_mut() else {
        return Rect::ZERO;
    };
    // A panel that is being read keeps its whole column.
    if !is_wide || !inputs.has_explanation || inputs.main == *panel {
        return Rect::ZERO;
    }
    let lines = match panel {
        // A high column has room for the heading of the rounds.
        Panel::Rewards if area.height >= MIN_HEIGHT_WITH_HEADING => inputs.rewards + 1,
        Panel::Rewards => inputs.rewards,
        _ => area.height / 2,
    };
    let height = lines + 2;
    if area.height < height + MIN_EXPLANATION - 1 {
        return Rect::ZERO;
    }
    // Neighbours share a border.
    let side = Rect {
        y: area.y + height - 1,
        height: area.height - height + 1,
        ..*area
    };
    area.height = height;
    side
}

/// Returns the upper panels that are in view, with their areas including frames.
fn columns(area: Rect, inputs: PanelLayoutInputs, has_frames: bool) -> Vec<(Panel, Rect)> {
    use Panel::{Rewards, Transcript, Tree};
    let PanelLayoutInputs { front, main, .. } = inputs;
    if area.width < MIN_TWO_COLUMN_WIDTH {
        return vec![(front, area)];
    }
    let shared = u16::from(has_frames);
    // Neighbours share a column of borders.
    let split = |area: Rect, right: u16| {
        let left = measure::first_columns(area, area.width.saturating_sub(right) + shared);
        [
            left,
            measure::skip_columns(area, area.width.saturating_sub(right)),
        ]
    };
    if inputs.is_speech_debate || !has_frames {
        let [left, right] = split(area, area.width - area.width * 17 / 40);
        let other = if main == Rewards { main } else { Transcript };
        return vec![(Tree, left), (other, right)];
    }
    let more = area.width.saturating_sub(MIN_THREE_COLUMN_WIDTH);
    if area.width >= MIN_THREE_COLUMN_WIDTH && inputs.rewards > 0 {
        let [rest, right] = split(area, 36 + more / 8);
        let sentences = area.width.saturating_sub(MIN_WIDE_TRANSCRIPT_WIDTH) / 2;
        let [left, middle] = split(rest, 27 + more / 6 + sentences);
        return vec![(Tree, left), (Transcript, middle), (Rewards, right)];
    }
    if area.width >= MIN_THREE_COLUMN_WIDTH {
        let [left, right] = split(area, 40 + more / 3);
        return vec![(Tree, left), (Transcript, right)];
    }
    let [left, right] = split(area, 26 + area.width.saturating_sub(80) / 4);
    if inputs.rewards == 0 {
        let [first, second] = if main == Transcript {
            [Transcript, Tree]
        } else {
            [Tree, Transcript]
        };
        return vec![(first, left), (second, right)];
    }
    // The focused panel replaces the claims, and they take its area.
    let [upper, lower] = match main {
        Rewards => [Tree, Transcript],
        Transcript => [Rewards, Tree],
        Tree | Panel::Ask => [Rewards, Transcript],
    };
    let main = if main == Panel::Ask { Tree } else { main };
    let rows = inputs.rewards + 2;
    // At the end, all rewards are more important than the end of the transcript, which the report repeats.
    let below = if inputs.is_over { 0 } else { MIN_PANEL_LINES };
    let most = area.height.saturating_sub(below).max(MIN_PANEL_LINES + 2);
    let top = Rect {
        height: rows.min(most).min(area.height),
        ..right
    };
    let y = top.bottom().saturating_sub(1);
    let bottom = Rect {
        y,
        height: area.bottom().saturating_sub(y),
        ..right
    };
    if inputs.is_over && lower == Transcript && bottom.height < MIN_TRANSCRIPT_HEIGHT {
        return vec![(main, left), (upper, right)];
    }
    vec![(main, left), (upper, top), (lower, bottom)]
}
