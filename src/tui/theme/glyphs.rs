//! The signs and lines that panels are drawn with, each one column wide.

use ratatui::symbols::border;

/// A set of glyphs.
#[derive(Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// True if this set uses more than ASCII; key labels follow it.
    pub unicode: bool,
    /// Lines around panels.
    pub border: border::Set<'static>,
    /// Lines around the panel that has the keys.
    pub focus_border: border::Set<'static>,
    /// A child with siblings after it.
    pub branch: &'static str,
    /// The last child.
    pub last_branch: &'static str,
    /// A line that passes by to a later sibling.
    pub rail: &'static str,
    /// A branch that shows its children.
    pub open: &'static str,
    /// A branch that hides its children.
    pub shut: &'static str,
    /// Before the line that keys act on.
    pub cursor: &'static str,
    /// The slider's left end.
    pub slider_left: &'static str,
    /// The slider's right end.
    pub slider_right: &'static str,
    /// The slider's track.
    pub slider_track: &'static str,
    /// The slider's knob.
    pub slider_knob: &'static str,
    /// Marks cut text.
    pub ellipsis: &'static str,
    /// There is more above.
    pub more_up: &'static str,
    /// There is more below.
    pub more_down: &'static str,
    /// Bars that rise, from an eighth (or the least there is) to a whole cell.
    pub rising: &'static [&'static str],
    /// Bars that hang, from the least there is to a whole cell.
    pub hanging: &'static [&'static str],
    /// The line of zero in a chart.
    pub zero: &'static str,
    /// A value that is not known yet in a chart.
    pub unplayed: &'static str,
    /// Zero on a scale that lies.
    pub axis: &'static str,
    /// A part of a scale that can still be reached.
    pub open_stake: &'static str,
    /// The left and the right end of such a part.
    pub stake_left: &'static str,
    pub stake_right: &'static str,
    /// A lying bar: a whole cell, and the half of a cell at the right of zero and at its left.
    pub whole: &'static str,
    pub right_half: &'static str,
    pub left_half: &'static str,
    /// Before something that was won.
    pub won: &'static str,
    /// Before something that was played, and not won.
    pub played: &'static str,
}

/// For terminals that show Unicode.
pub static UNICODE: Glyphs = Glyphs {
    unicode: true,
    border: border::PLAIN,
    focus_border: border::THICK,
    branch: "├",
    last_branch: "└",
    rail: "│",
    open: "▾",
    shut: "▸",
    cursor: "›",
    slider_left: "◂",
    slider_right: "▸",
    slider_track: "─",
    slider_knob: "●",
    ellipsis: "…",
    more_up: "↑",
    more_down: "↓",
    rising: &["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    hanging: &["▔", "▀", "█"],
    zero: "─",
    unplayed: "·",
    axis: "│",
    open_stake: "·",
    stake_left: "▕",
    stake_right: "▏",
    whole: "█",
    right_half: "▌",
    left_half: "▐",
    won: "✓",
    played: "·",
};

/// For terminals that show only ASCII.
pub static ASCII: Glyphs = Glyphs {
    unicode: false,
    border: border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    },
    focus_border: border::Set {
        top_left: "#",
        top_right: "#",
        bottom_left: "#",
        bottom_right: "#",
        vertical_left: "#",
        vertical_right: "#",
        horizontal_top: "=",
        horizontal_bottom: "=",
    },
    branch: "|",
    last_branch: "`",
    rail: "|",
    open: "v",
    shut: ">",
    cursor: ">",
    slider_left: "<",
    slider_right: ">",
    slider_track: "-",
    slider_knob: "O",
    ellipsis: "~",
    more_up: "^",
    more_down: "v",
    rising: &[".", ":", "#"],
    hanging: &["'", ":", "#"],
    zero: "-",
    unplayed: ".",
    axis: "|",
    open_stake: ".",
    stake_left: "[",
    stake_right: "]",
    whole: "#",
    right_half: "-",
    left_half: "-",
    won: "+",
    played: ".",
};

/// The ASCII form of a typographic sign; `None` of every other one. Letters of other scripts have no
/// other form.
pub fn in_ascii(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "“" | "”" | "„" => "\"",
        "‘" | "’" => "'",
        "–" | "—" | "−" => "-",
        "…" | "≈" => "~",
        "·" | "•" => "*",
        "×" => "x",
        "ε" => "e",
        "ρ" => "p",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn signs(set: &Glyphs) -> Vec<&'static str> {
        let mut signs = vec![
            set.branch,
            set.last_branch,
            set.rail,
            set.open,
            set.shut,
            set.cursor,
            set.slider_left,
            set.slider_right,
            set.slider_track,
            set.slider_knob,
            set.ellipsis,
            set.more_up,
            set.more_down,
            set.zero,
            set.unplayed,
            set.axis,
            set.open_stake,
            set.stake_left,
            set.stake_right,
            set.whole,
            set.right_half,
            set.left_half,
        ];
        for border in [&set.border, &set.focus_border] {
            signs.extend([
                border.top_left,
                border.top_right,
                border.bottom_left,
                border.bottom_right,
                border.vertical_left,
                border.vertical_right,
                border.horizontal_top,
                border.horizontal_bottom,
            ]);
        }
        signs.extend(set.rising);
        signs.extend(set.hanging);
        signs
    }

    #[test]
    fn every_glyph_is_one_column_wide() {
        for sign in signs(&UNICODE).into_iter().chain(signs(&ASCII)) {
            assert_eq!(sign.width(), 1, "{sign}");
        }
    }

    #[test]
    fn the_ascii_set_is_ascii() {
        assert!(signs(&ASCII).iter().all(|sign| sign.is_ascii()));
    }
}
