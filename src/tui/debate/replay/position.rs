//! A position in a debate that was kept, as the panels show it.

use std::ops::Range;

use crate::tui::keys::Action;
use crate::tui::panel::{DebatePanels, PanelView};
use crate::tui::scene::Scene;
use debate_core::number::Exact;
use debate_core::protocol::{Log, State};
use debate_lab::record::History;
use debate_lab::tell::ReplyMark;

/// A position in a debate: after so many of its steps.
#[derive(Clone, Debug)]
pub(in crate::tui) struct Position<'t, 'a> {
    pub(in crate::tui) scene: &'t Scene<'a>,
    history: History<'a>,
    /// Remarks on people's replies, once they are valued.
    pub(in crate::tui) marks: Vec<ReplyMark>,
    /// True if the log has been cut since the panels read it.
    cut: bool,
    /// The reason why the last step that was asked for cannot be made.
    broken: Option<String>,
}

impl<'t, 'a> Position<'t, 'a> {
    /// Before the first step.
    pub(in crate::tui) fn at_start(history: History<'a>, scene: &'t Scene<'a>) -> Self {
        let mut position = Self {
            scene,
            history,
            marks: Vec::new(),
            cut: false,
            broken: None,
        };
        position.go(0);
        // Nobody has read anything of it yet.
        position.cut = false;
        position
    }

    /// The debate with its steps.
    pub(in crate::tui) fn history(&self) -> &History<'a> {
        &self.history
    }

    pub(in crate::tui) fn at(&self) -> usize {
        self.history.at()
    }

    pub(in crate::tui) fn len(&self) -> usize {
        self.history.steps().len()
    }

    pub(in crate::tui) fn state(&self) -> &State<'a, Exact> {
        self.history.state()
    }

    pub(in crate::tui) fn log(&self) -> &Log<Exact> {
        self.history.log()
    }

    /// True at the last step, and where the next one cannot be made.
    pub(in crate::tui) fn is_at_end(&self) -> bool {
        self.at() == self.len() || self.broken.is_some()
    }

    /// Has the panels read on, or anew where the log was cut.
    pub(in crate::tui) fn show(&mut self, panels: &mut DebatePanels) {
        let anew = std::mem::take(&mut self.cut);
        if anew {
            panels.reread(&self.view());
        } else {
            panels.refresh(&self.view());
        }
    }

    /// The debate as the scene's reader sees it; all of it once it is over. Remarks stand where it
    /// went on as it did in the end.
    pub(in crate::tui) fn view(&self) -> PanelView<'_, 'a> {
        let marks = &self.marks[..];
        PanelView {
            marks: if self.history.leads_to_end() {
                marks
            } else {
                &[]
            },
            scene: self.scene,
            state: self.state(),
            log: self.log(),
            reader: self.scene.facts.reader_in(self.state()),
            perspective: self.scene.replayed_from,
            newest: self.newest(),
        }
    }

    pub(in crate::tui) fn newest(&self) -> Range<usize> {
        self.history.newest()
    }

    pub(in crate::tui) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Goes to where so many steps have been made.
    pub(in crate::tui) fn go(&mut self, to: usize) {
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

    /// Goes where one of the keys of a replay leads.
    pub(in crate::tui) fn act(&mut self, action: Action) {
        self.go(match action {
            Action::Forward => self.at() + 1,
            Action::Back => self.at().saturating_sub(1),
            Action::Start => 0,
            Action::Finish => usize::MAX,
            Action::RoundOn => self.history.next_round(),
            Action::RoundBack => self.history.previous_round(),
            _ => return,
        });
    }
}
