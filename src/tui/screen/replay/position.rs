//! A position in a debate that was kept, as the panels show it.

use std::ops::Range;

use crate::tui::scene::Scene;
use crate::tui::screen::panels::{DebatePanels, PanelView};
use debate_core::number::Exact;
use debate_core::protocol::{Log, Reader, State};
use debate_lab::narration::ReplyMark;
use debate_lab::record::History;

/// A position in a debate: after so many of its steps.
#[derive(Clone, Debug)]
pub(in crate::tui::screen) struct Position<'a> {
    history: History<'a>,
    /// Whether the log has been cut since somebody asked.
    cut: bool,
    /// Why the last step that was asked for cannot be made.
    broken: Option<String>,
}

impl<'a> Position<'a> {
    /// Before the first step.
    pub(in crate::tui::screen) fn at_start(history: History<'a>) -> Self {
        let mut position = Self {
            history,
            cut: false,
            broken: None,
        };
        position.go(0);
        // Nobody has read anything of it yet.
        position.cut = false;
        position
    }

    /// The debate with its steps.
    pub(in crate::tui::screen) fn history(&self) -> &History<'a> {
        &self.history
    }

    pub(in crate::tui::screen) fn at(&self) -> usize {
        self.history.at()
    }

    pub(in crate::tui::screen) fn len(&self) -> usize {
        self.history.steps().len()
    }

    pub(in crate::tui::screen) fn state(&self) -> &State<'a, Exact> {
        self.history.state()
    }

    pub(in crate::tui::screen) fn log(&self) -> &Log<Exact> {
        self.history.log()
    }

    /// Has the panels read on, or anew where the log was cut.
    pub(in crate::tui::screen) fn show(&mut self, panels: &mut DebatePanels, scene: &Scene<'a>) {
        let anew = std::mem::take(&mut self.cut);
        let sight = self.sight(scene, &[]);
        if anew {
            panels.reread(&sight);
        } else {
            panels.refresh(&sight);
        }
    }

    /// What the scene's reader sees.
    pub(in crate::tui::screen) fn sight<'s>(
        &'s self,
        scene: &'s Scene<'a>,
        marks: &'s [ReplyMark],
    ) -> PanelView<'s, 'a> {
        PanelView {
            marks,
            scene,
            state: self.state(),
            log: self.log(),
            reader: self.reader(scene),
            newest: self.newest(),
        }
    }

    /// Who looks: the scene's reader, until the debate is over.
    pub(in crate::tui::screen) fn reader(&self, scene: &Scene<'_>) -> Reader {
        scene.facts.reader_in(self.state())
    }

    pub(in crate::tui::screen) fn newest(&self) -> Range<usize> {
        self.history.newest()
    }

    pub(in crate::tui::screen) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Goes to where so many steps have been made.
    pub(in crate::tui::screen) fn go(&mut self, to: usize) {
        match self.history.to(to) {
            Ok(cut) => {
                self.cut |= cut;
                self.broken = None;
            }
            Err(illegal) => {
                self.cut = true;
                self.broken = Some(illegal.to_string());
            }
        }
    }

    /// Goes on, or back, to where the round changes.
    pub(in crate::tui::screen) fn go_round(&mut self, on: bool) {
        self.go(if on {
            self.history.next_round()
        } else {
            self.history.previous_round()
        });
    }
}
