//! Animations: a coin that rolls as a die, a sealed bet that is opened, a bar that grows.
//!
//! The panels are drawn in their final state. An [`NewResultAnimationFrame`] then covers the results that it must not
//! show yet.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The die face that each frame of the coin animation shows.
const SIDES: [&str; 3] = ["⚂", "⚅", "⚀"];
/// The duration of a frame of the animation. Its three frames take less than 300 ms, at eleven frames a second.
const STAY: Duration = Duration::from_millis(90);

/// One of the three frames of the animation of new results: a coin rolls, a bet is still sealed, a bar grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewResultAnimationFrame(u8);

impl NewResultAnimationFrame {
    /// Returns the frame to show at this time after the animation's start; `None` after the last frame. Slow drawing
    /// skips frames.
    pub fn at(elapsed: Duration) -> Option<Self> {
        let number = u8::try_from(elapsed.as_millis() / STAY.as_millis()).ok()?;
        (usize::from(number) < SIDES.len()).then_some(Self(number))
    }

    /// Returns the time after the animation's start at which this frame ends.
    pub fn end_after_animation_start(self) -> Duration {
        STAY * (u32::from(self.0) + 1)
    }

    /// Returns the length of a growing bar in this frame. `full_length` is the bar's full length.
    pub fn growing_bar_length(self, full_length: usize) -> usize {
        (full_length * usize::from(self.0 + 1)).div_ceil(4)
    }

    /// Hides new results in a row of a panel. In all three frames a coin rolls and its result, yes or no, is hidden. In
    /// the first two frames a bet is sealed.
    pub fn hide_new_results(self, buffer: &mut Buffer, row: Rect) {
        let mut rolls = false;
        let mut word: Vec<(u16, u16)> = Vec::new();
        for at in row.intersection(buffer.area).positions() {
            let symbol = buffer[at].symbol();
            let (is_letter, is_bet) = (is_letter(symbol), ["▲", "○", "▼"].contains(&symbol));
            if ["⚄", "*"].contains(&symbol) {
                rolls = true;
                if symbol == "⚄" {
                    buffer[at].set_symbol(SIDES[usize::from(self.0)]);
                }
            } else if is_bet && self.0 < 2 {
                buffer[at].set_symbol("◇");
            }
            if is_letter {
                word.push((at.x, at.y));
            } else {
                hide(buffer, &word, rolls);
                word.clear();
            }
        }
        hide(buffer, &word, rolls);
    }
}

fn is_letter(symbol: &str) -> bool {
    symbol.chars().all(char::is_alphanumeric)
}

/// Hides a word (yes or no) that reveals the result of a coin, if the coin still rolls.
fn hide(buffer: &mut Buffer, word: &[(u16, u16)], rolls: bool) {
    let text: String = word.iter().map(|at| buffer[*at].symbol()).collect();
    if rolls && ["yes", "no"].contains(&text.as_str()) {
        for at in word {
            buffer[*at].set_symbol(" ");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(text: &str, frame: NewResultAnimationFrame) -> String {
        let mut buffer = Buffer::with_lines([text]);
        let area = buffer.area;
        frame.hide_new_results(&mut buffer, area);
        buffer
            .content
            .iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect()
    }

    #[test]
    fn three_frames_take_less_than_a_third_of_a_second() {
        let at = |milliseconds| NewResultAnimationFrame::at(Duration::from_millis(milliseconds));
        assert_eq!(at(0), Some(NewResultAnimationFrame(0)));
        assert_eq!(at(95), Some(NewResultAnimationFrame(1)));
        assert_eq!(at(269), Some(NewResultAnimationFrame(2)));
        assert_eq!(at(270), None);
        assert_eq!(at(1 << 40), None);
        assert!(Duration::from_secs(1) / 15 < STAY);
        assert_eq!(
            NewResultAnimationFrame(2).end_after_animation_start(),
            STAY * 3
        );
        assert_eq!(
            [0, 1, 2].map(|number| NewResultAnimationFrame(number).growing_bar_length(8)),
            [2, 4, 6]
        );
    }

    #[test]
    fn a_coin_rolls_before_its_result_is_shown() {
        let row = "├ none of 2–17  Alice ▲  ⚄ yes  75 %";
        let shown = [0, 1, 2].map(|number| covered(row, NewResultAnimationFrame(number)));
        assert_eq!(shown[0], "├ none of 2–17  Alice ◇  ⚂      75 %");
        assert_eq!(shown[1], "├ none of 2–17  Alice ◇  ⚅      75 %");
        assert_eq!(shown[2], "├ none of 2–17  Alice ▲  ⚀      75 %");
        assert_eq!(
            covered("⚄ 18–21: no", NewResultAnimationFrame(0)),
            "⚂ 18–21:   "
        );
        // Other words remain, and so does a reply without a coin.
        assert_eq!(
            covered("Alice: yes, none", NewResultAnimationFrame(0)),
            "Alice: yes, none"
        );
        assert_eq!(
            covered("* none: no", NewResultAnimationFrame(1)),
            "* none:   "
        );
    }
}
