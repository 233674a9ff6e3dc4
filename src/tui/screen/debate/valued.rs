//! What replies are worth, on the debate screen: hints on a person's turn, the review at the end.

use super::Debate;

impl Debate<'_, '_> {
    /// Whether something is being computed, or waited for.
    pub(super) fn is_computing(&self) -> bool {
        self.thinking.is_some() || self.is_analysing()
    }

    /// Whether it is being computed what replies are worth.
    pub(super) fn is_analysing(&self) -> bool {
        self.hinting.is_running() || self.tasks.is_running()
    }

    /// Shows hints, or stops showing them; where they were given up, finds them after all.
    pub(super) fn toggle_hints(&mut self) {
        let Some(values) = &self.scene.values else {
            return;
        };
        if self.ask.is_some() && !self.sight().tells_worth() {
            let told = "No hints: what an answer is worth would say what is kept from the judge.";
            self.panels.said = Some(told.to_owned());
            return;
        }
        self.hinting.on = !self.hinting.on || self.hinting.was_stopped();
        self.hinting.start(values, self.table.seating().moves());
    }

    /// Gives up what is being computed.
    pub(super) fn stop(&mut self) {
        if self.stop_waiting() {
            return;
        }
        self.hinting.stop();
        self.tasks.stop();
        if self.is_over() {
            self.notice = self.report();
        }
    }

    /// Takes in what has been computed since.
    pub(super) fn take_in(&mut self) {
        self.take_in_moves();
        self.hinting.poll();
        if self.tasks.poll() && self.is_over() {
            self.notice = self.report();
        }
        let (Some(values), Some(ask)) = (&self.scene.values, &mut self.ask) else {
            return;
        };
        let reply = ask.reply().ok();
        if self.hinting.on {
            let moves = self.table.seating().moves();
            self.hinting.follow(values, moves, reply.as_ref());
        }
        let hinting = &self.hinting;
        ask.hint(
            &|reply| hinting.beside(reply),
            hinting.notes(values, reply.as_ref(), &self.look),
        );
    }
}
