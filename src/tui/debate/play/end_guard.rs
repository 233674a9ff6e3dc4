//! Keeps the end of a debate on the screen until the user has seen it.
//!
//! While the other players move, some keys let them play on or stop them. At the end, the same keys leave the screen. A
//! user who presses such a key just as the debate ends means the play, so the first key is not obeyed.

use std::time::{Duration, Instant};

use super::DebateScreen;

/// The period after a debate's end is first drawn in which a key press is ignored, if no key caused the last move. The
/// user may still have pressed that key for the debate.
const KEY_MEANT_FOR_PLAY: Duration = Duration::from_secs(1);

/// The stage of showing the debate's end: not drawn yet, just drawn, or seen. It decides if the next key press is meant
/// for the debate or for its final report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DebateEndKeyGuard {
    /// The debate is not over, or no frame has shown its end yet.
    #[default]
    NotDrawn,
    /// The debate's end is not drawn yet, and its last move came without a key press: by autoplay, or from a slow
    /// player.
    CameByItself,
    /// The time at which the debate's end was first drawn, if its last move came without a key press.
    DrawnAt(Instant),
    /// The end is on the screen, and the next key is meant for it.
    Seen,
}

impl DebateScreen<'_, '_> {
    /// Called after a move without a key press. If this move ended the debate, marks the end as one that came without a
    /// key press, unless a frame has already shown it.
    pub(super) fn note_end_without_key_press(&mut self) {
        if self.live.is_over() && self.end_guard == DebateEndKeyGuard::NotDrawn {
            self.end_guard = DebateEndKeyGuard::CameByItself;
        }
    }

    /// Notes that a frame has shown the debate. While coins are animated, the end is not shown.
    pub(super) fn note_end_drawn_for_key_guard(&mut self) {
        if !self.live.is_over() || self.live.animation.is_some() {
            return;
        }
        self.end_guard = match self.end_guard {
            DebateEndKeyGuard::NotDrawn => DebateEndKeyGuard::Seen,
            DebateEndKeyGuard::CameByItself => {
                DebateEndKeyGuard::DrawnAt(self.live.scene.time.monotonic_now())
            }
            drawn => drawn,
        };
    }

    /// True if the current key, pressed after the end of the debate, was meant for the play before it. That is the case
    /// until a frame has shown the end. If the end came without a key press, it is also the case for the first key
    /// within [`KEY_MEANT_FOR_PLAY`] after that frame; the call records that this key was pressed.
    pub(super) fn is_key_meant_for_play_before_end(&mut self) -> bool {
        let now = self.live.scene.time.monotonic_now();
        match self.end_guard {
            // Keys of one batch are handled without a frame between them.
            DebateEndKeyGuard::NotDrawn | DebateEndKeyGuard::CameByItself => true,
            DebateEndKeyGuard::DrawnAt(first) => {
                self.end_guard = DebateEndKeyGuard::Seen;
                now.saturating_duration_since(first) < KEY_MEANT_FOR_PLAY
            }
            DebateEndKeyGuard::Seen => false,
        }
    }
}
