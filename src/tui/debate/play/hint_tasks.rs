//! Hints for the user: advice on the pending request, computed in the background.

use super::DebateScreen;
use crate::tui::background::{BackgroundTaskState, progress_text};
use crate::tui::keys::{Action, WATCH};
use crate::tui::scene::HintAndReviewInputs;
use crate::tui::theme::TextRole;
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::Reply;
use debate_solver::analysis::review::{ReplyPayoffHint, RequestAdvice, ReviewError};
use debate_solver::expectation::PayoffNotComputedReason;
use debate_text::{PayoffFormatter, review};

/// The hint setting of a debate, on or off, and the computation of the hint for the pending request.
#[derive(Debug)]
pub(super) struct HintTasks {
    pub(super) on: bool,
    /// True once the computation of a hint was started in this debate.
    pub(super) was_used: bool,
    /// Set after the user was warned that a daily debate with a hint counts only as practice.
    is_warned: bool,
    advice: BackgroundTaskState<RequestAdvice>,
}

impl HintTasks {
    pub(super) fn new(hints_on: bool) -> Self {
        Self {
            on: hints_on,
            was_used: false,
            is_warned: false,
            advice: BackgroundTaskState::Idle,
        }
    }

    /// Discards the current hint. If hints are on, computes the hint for the request that follows these moves.
    pub(super) fn start_hint(&mut self, values: &HintAndReviewInputs, moves: &[Move<Exact>]) {
        self.discard_hint();
        if self.on {
            self.was_used = true;
            let case = values.case.clone();
            let moves = moves.to_vec();
            self.advice = BackgroundTaskState::start(&values.waker, move |signals| {
                case.advice_on_request(&moves, signals.cancellable_search_budget())
            });
        }
    }

    /// Drops the hint and cancels its computation.
    pub(super) fn discard_hint(&mut self) {
        self.advice = BackgroundTaskState::Idle;
    }

    /// Cancels the running computation.
    pub(super) fn cancel_hint(&mut self) {
        self.advice.cancel();
    }

    /// True if hints are on and the last one was not cancelled.
    pub(super) fn shows_hints(&self) -> bool {
        self.on && !self.was_hint_cancelled()
    }

    /// True if a requested hint was cancelled.
    pub(super) fn was_hint_cancelled(&self) -> bool {
        self.on
            && matches!(
                self.advice,
                BackgroundTaskState::Done(Err(ReviewError::Unsolved(
                    PayoffNotComputedReason::STOPPED
                )))
            )
    }

    pub(super) fn poll(&mut self) {
        self.advice.poll();
    }

    pub(super) fn is_hint_computation_running(&self) -> bool {
        self.advice.is_running()
    }

    /// Returns the values (expected payoffs) of the replies to the pending request, if they are computed.
    fn hints(&self) -> Option<&ReplyPayoffHint> {
        match &self.advice {
            BackgroundTaskState::Done(Ok(RequestAdvice::Replies(hints))) => Some(hints),
            _ => None,
        }
    }

    /// Returns the value (expected payoff) of a reply in a few words; empty if it is unknown.
    pub(super) fn short_value(
        &self,
        values: &HintAndReviewInputs,
        reply: &Reply<Exact>,
        amounts: &PayoffFormatter,
    ) -> String {
        let rated = self
            .hints()
            .and_then(|hints| Some((hints, hints.rated_reply(reply)?)));
        rated.map_or_else(String::new, |(hints, rated)| {
            review::reply_value_text(&values.case, hints, rated, amounts)
        })
    }

    /// Returns the notes of the hint, for display below the question. `reply` is the user's draft, `stop_key` the label
    /// of the key that cancels a computation.
    pub(super) fn notes(
        &self,
        values: &HintAndReviewInputs,
        reply: Option<&Reply<Exact>>,
        amounts: &PayoffFormatter,
        stop_key: &str,
    ) -> Vec<(TextRole, String)> {
        match &self.advice {
            BackgroundTaskState::Idle => Vec::new(),
            BackgroundTaskState::Running(_) => {
                let text = format!(
                    "Hint: still computing ({progress}); {stop_key} stops.",
                    progress = progress_text(self.advice.finished_parts())
                );
                vec![(TextRole::Faint, text)]
            }
            BackgroundTaskState::Done(Err(why)) => {
                vec![(
                    TextRole::Faint,
                    format!("No hint for this question: {why}."),
                )]
            }
            BackgroundTaskState::Done(Ok(RequestAdvice::Share(advice))) => {
                let mut notes = vec![(TextRole::Current, review::estimate_advice_sentence(advice))];
                // The first claim's number has no other numbers with which it could be inconsistent.
                let is_in_round = advice.left > 0;
                if let Some(Reply::Probability(p)) = reply
                    && is_in_round
                {
                    let role = if review::would_have_visible_gap(advice, p) {
                        TextRole::Bad
                    } else {
                        TextRole::Faint
                    };
                    notes.push((role, review::consistency_sentence(advice, p)));
                }
                notes
            }
            BackgroundTaskState::Done(Ok(RequestAdvice::Replies(hints))) => {
                let rated = match reply {
                    Some(reply) => hints.rated_reply(reply),
                    None => hints.best_reply(),
                };
                let hint = rated
                    .and_then(|rated| review::hint_sentence(&values.case, hints, rated, amounts));
                hint.map(|hint| (TextRole::Current, hint))
                    .into_iter()
                    .collect()
            }
        }
    }
}

impl DebateScreen<'_, '_> {
    /// True if a computation is running or a move of another player is awaited.
    pub(super) fn is_computing_or_awaiting_move(&self) -> bool {
        self.pending.is_some() || self.is_computing_hint_or_review()
    }

    /// True if a hint or the review is being computed.
    pub(super) fn is_computing_hint_or_review(&self) -> bool {
        self.hint_tasks.is_hint_computation_running() || self.tasks.has_running_review_tasks()
    }

    /// True if hints are on.
    pub fn are_hints_on(&self) -> bool {
        self.hint_tasks.on
    }

    /// Switches hints on or off. If the computation of a hint was cancelled, restarts it. The first call in a daily
    /// debate without hints so far only warns that hints turn the debate into practice.
    pub(super) fn toggle_hints(&mut self) {
        let Some(values) = &self.live.scene.values else {
            return;
        };
        let makes_practice = self.live.scene.daily.is_some() && !self.hint_tasks.was_used;
        if makes_practice && !self.hint_tasks.is_warned {
            self.hint_tasks.is_warned = true;
            let note = "A hint turns this debate into practice. Press {hint} again to see it.";
            self.panels.note = Some(self.keys.with_key_names(note));
            return;
        }
        self.hint_tasks.on = !self.hint_tasks.on || self.hint_tasks.was_hint_cancelled();
        if !self.hint_tasks.on {
            // Hints stay on at the next question, where the user may expect the key to show one.
            let note = "Hints are off. {hint} turns them on again.";
            self.panels.note = Some(self.keys.with_key_names(note));
        }
        let moves = self.live.seating().moves();
        self.hint_tasks.start_hint(values, moves);
    }

    /// Opens the review of the debate.
    pub(super) fn open_review(&mut self) {
        let report = self.full_report_of_finished_debate();
        self.tasks
            .open_review(self.live.seating().moves(), self.keys, report);
    }

    /// Stops waiting for moves of other players. If no move is awaited, cancels the computations of hints and the
    /// review.
    pub(super) fn stop_waiting_or_cancel_computations(&mut self) {
        if self.stop_waiting() {
            return;
        }
        self.hint_tasks.cancel_hint();
        self.tasks.cancel_computations();
        if self.live.is_over() {
            self.notice = self.short_report_at_end();
        }
    }

    /// Collects the results of background computations: moves, hints and the review.
    pub(super) fn poll_results(&mut self) {
        self.apply_arrived_moves();
        self.hint_tasks.poll();
        if self.tasks.poll_review_results(&mut self.live.reply_marks) && self.live.is_over() {
            self.notice = self.short_report_at_end();
        }
        let (Some(values), Some(ask)) = (&self.live.scene.values, &mut self.ask) else {
            return;
        };
        let amounts = self.panels.amount_format(&self.live.view());
        let reply = ask.reply().ok();
        let stop_key = self.keys.key_or_command_name(WATCH, Action::Stop);
        let hint_tasks = &self.hint_tasks;
        ask.show_hints(
            &|reply| hint_tasks.short_value(values, reply, &amounts),
            hint_tasks.notes(values, reply.as_ref(), &amounts, &stop_key),
        );
    }
}
