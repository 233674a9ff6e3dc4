//! Keeps the end of a debate on the screen until the user has seen it.
//!
//! While the other players move, some keys let them play on or stop them. At the end, the same keys leave the screen. A
//! user who presses such a key just as the debate ends means the play, so the first key is not obeyed.

use std::time::{Duration, Instant};

use super::DebateScreen;

/// The time after the first frame of an end that came by itself, in which a key is still meant for the play.
const KEY_MEANT_FOR_PLAY: Duration = Duration::from_secs(1);

/// The part of the end that the user can have seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EndGuard {
    /// The debate is not over, or no frame has shown its end yet.
    #[default]
    NotDrawn,
    /// As [`Self::NotDrawn`], and the last move came without a key: by autoplay, or from a slow player.
    CameByItself,
    /// An end that came by itself was first drawn at this time.
    DrawnAt(Instant),
    /// The end is on the screen, and the next key is meant for it.
    Seen,
}

impl DebateScreen<'_, '_> {
    /// Notes that a move was made without a key of the user.
    pub(super) fn note_automatic_move(&mut self) {
        if self.live.is_over() && self.end_guard == EndGuard::NotDrawn {
            self.end_guard = EndGuard::CameByItself;
        }
    }

    /// Notes that a frame has shown the debate. While coins are animated, the end is not shown.
    pub(super) fn note_frame(&mut self) {
        if !self.live.is_over() || self.live.animation.is_some() {
            return;
        }
        self.end_guard = match self.end_guard {
            EndGuard::NotDrawn => EndGuard::Seen,
            EndGuard::CameByItself => EndGuard::DrawnAt(self.live.scene.time.monotonic_now()),
            drawn => drawn,
        };
    }

    /// True if the current key, pressed after the end of the debate, was meant for the play before it. The next key is
    /// not.
    pub(super) fn is_key_meant_for_play(&mut self) -> bool {
        let now = self.live.scene.time.monotonic_now();
        match self.end_guard {
            // Keys of one batch are handled without a frame between them.
            EndGuard::NotDrawn | EndGuard::CameByItself => true,
            EndGuard::DrawnAt(first) => {
                self.end_guard = EndGuard::Seen;
                now.saturating_duration_since(first) < KEY_MEANT_FOR_PLAY
            }
            EndGuard::Seen => false,
        }
    }
}
