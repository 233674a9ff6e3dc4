//! The worth of replies on the debate screen: hints on a person's turn, the review at the end.

use super::Debate;
use debate_lab::tell::agreement;

impl Debate<'_, '_> {
    /// True if something is being computed, or waited for.
    pub(super) fn is_computing(&self) -> bool {
        self.pending.is_some() || self.is_analysing()
    }

    /// True if it is being computed what replies are worth.
    pub(super) fn is_analysing(&self) -> bool {
        self.hint_tasks.is_running() || self.tasks.is_running()
    }

    /// Shows hints, or stops showing them; where they were given up, finds them after all.
    pub(super) fn toggle_hints(&mut self) {
        let Some(values) = &self.live.scene.values else {
            return;
        };
        if self.ask.is_some() && !self.live.view().viewpoint().tells_worth() {
            let told = "No hints: what an answer is worth would say what is kept from the judge.";
            self.panels.said = Some(told.to_owned());
            return;
        }
        self.hint_tasks.on = !self.hint_tasks.on || self.hint_tasks.was_stopped();
        let span = self.panels.span(&self.live.view());
        let moves = self.live.seating().moves();
        self.hint_tasks.start(values, moves, span);
    }

    /// Opens the review of the debate.
    pub(super) fn open_review(&mut self) {
        self.tasks
            .open_review(self.live.seating().moves(), self.keys);
    }

    /// Gives up what is being computed.
    pub(super) fn stop(&mut self) {
        if self.stop_waiting() {
            return;
        }
        self.hint_tasks.stop();
        self.tasks.stop();
        if self.live.is_over() {
            self.notice = self.report();
        }
    }

    /// Takes in what has been computed since.
    pub(super) fn poll_results(&mut self) {
        self.poll_moves();
        self.hint_tasks.poll();
        if self.tasks.poll(&mut self.live.marks) && self.live.is_over() {
            self.notice = self.report();
        }
        let (Some(values), Some(ask)) = (&self.live.scene.values, &mut self.ask) else {
            return;
        };
        let amounts = self.panels.amounts(&self.live.view());
        let reply = ask.reply().ok();
        if self.hint_tasks.on {
            let moves = self.live.seating().moves();
            self.hint_tasks.follow(values, moves, reply.as_ref());
        }
        let hint_tasks = &self.hint_tasks;
        let said = reply.as_ref().filter(|_| hint_tasks.on);
        let agreement = said.and_then(|reply| {
            let seating = self.live.seating();
            let instance = self.live.scene.facts.instance;
            agreement(instance, seating.log(), &seating.turn()?, reply)
        });
        ask.hint(
            &|reply| hint_tasks.beside(reply, &amounts),
            hint_tasks.notes(
                values,
                reply.as_ref(),
                agreement.as_ref(),
                (&self.look, &amounts),
            ),
        );
    }
}
