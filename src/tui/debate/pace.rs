//! At what speed the others' moves come by themselves.

use std::time::{Duration, Instant};

use crate::tui::keys::Action;
use crate::tui::scene::Tempo;

/// Milliseconds a move at each speed.
const SPEEDS: [u64; Tempo::FASTEST as usize] = [3000, 1500, 800, 400, 150, 40];

/// True if a debate plays by itself, and how fast.
#[derive(Clone, Copy, Debug)]
pub(in crate::tui) struct Pace {
    playing: bool,
    speed: usize,
    next: Option<Instant>,
}

impl Pace {
    pub(in crate::tui) fn new(tempo: Tempo) -> Self {
        Self {
            playing: tempo.by_itself,
            speed: usize::from(tempo.speed()) - 1,
            next: None,
        }
    }

    pub(in crate::tui) fn is_playing(&self) -> bool {
        self.playing
    }

    pub(in crate::tui) fn stop(&mut self) {
        self.playing = false;
        self.next = None;
    }

    /// Takes a key of autoplay; returns what to say of it.
    pub(in crate::tui) fn act(&mut self, action: Action) -> String {
        match action {
            Action::Faster => self.speed = (self.speed + 1).min(SPEEDS.len() - 1),
            Action::Slower => self.speed = self.speed.saturating_sub(1),
            _ => self.playing = !self.playing,
        }
        self.words()
    }

    /// Sets one alarm where there is something to wait for, and none elsewhere.
    pub(in crate::tui) fn rest(&mut self, moving: bool) {
        let pause = Duration::from_millis(SPEEDS[self.speed]);
        self.next = (self.playing && moving).then(|| Instant::now() + pause);
    }

    pub(in crate::tui) fn deadline(&self) -> Option<Instant> {
        self.next
    }

    /// True once the alarm has come.
    pub(in crate::tui) fn is_due(&self) -> bool {
        self.next.is_some_and(|next| next <= Instant::now())
    }

    fn words(&self) -> String {
        if !self.playing {
            return "Stopped; the same key goes on.".to_owned();
        }
        let milliseconds = SPEEDS[self.speed];
        let (whole, tenth) = (milliseconds / 1000, milliseconds % 1000 / 10);
        format!("A move every {whole}.{tenth:02} s; < and > change that, the same key stops it.")
    }
}
