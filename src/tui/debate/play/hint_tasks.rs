//! Hints: what each reply to the pending request is worth, found on the side.

use super::Debate;
use crate::tui::background::{BackgroundTask, progress_text};
use crate::tui::debate::tasks::bar;
use crate::tui::scene::Valuation;
use crate::tui::theme::{Appearance, Role};
use debate_core::number::{Exact, Number as _};
use debate_core::player::Move;
use debate_core::protocol::Reply;
use debate_lab::analysis::review::{Hints, RatedReply, ReviewError};
use debate_lab::expectation::Unsolved;
use debate_lab::tell::{Agreement, Amounts, agreement, review};

/// Columns of the evaluation bar.
const BAR: usize = 20;

/// Hints with the scale of the evaluation bar.
type Hinted = (Hints, Scale);

/// The ends of the evaluation bar, as payoffs of the prover.
#[derive(Clone, Debug)]
enum Scale {
    /// The totals that are possible once this round is over.
    Round([Exact; 2]),
    /// The least and the most that the rules pay in all.
    Debate([Exact; 2]),
}

/// The worth of a typed number, or of bits; `None` where it is illegal.
type TypedWorth = BackgroundTask<Option<RatedReply>>;

/// The hints of a debate: shown or not, and for the pending request found or not.
#[derive(Debug)]
pub(super) struct HintTasks {
    pub(super) on: bool,
    found: BackgroundTask<Hinted>,
    /// The worth of a number that was typed.
    typed: Option<(Reply<Exact>, TypedWorth)>,
}

impl HintTasks {
    pub(super) fn new(on: bool) -> Self {
        Self {
            on,
            found: BackgroundTask::Idle,
            typed: None,
        }
    }

    /// Begins anew, for the request after these moves. `span` is what the prover can have in all
    /// once this round is over.
    pub(super) fn start(
        &mut self,
        values: &Valuation,
        moves: &[Move<Exact>],
        span: Option<[Exact; 2]>,
    ) {
        self.forget();
        if self.on {
            let case = values.case.clone();
            let moves = moves.to_vec();
            self.found = BackgroundTask::start(&values.waker, move |signals| {
                let hints = case.hints(&moves, signals.budget())?;
                let scale = match span {
                    Some(span) => Scale::Round(span),
                    None => Scale::Debate(case.range()?.into()),
                };
                Ok((hints, scale))
            });
        }
    }

    /// Forgets what was found and gives up what was not.
    pub(super) fn forget(&mut self) {
        self.found = BackgroundTask::Idle;
        self.typed = None;
    }

    /// Gives up what is being computed.
    pub(super) fn stop(&mut self) {
        self.found.stop();
        if let Some((_, typed)) = &mut self.typed {
            typed.stop();
        }
    }

    /// True if what was asked for was given up.
    pub(super) fn was_stopped(&self) -> bool {
        self.on
            && matches!(
                self.found,
                BackgroundTask::Done(Err(ReviewError::Unsolved(Unsolved::STOPPED)))
            )
    }

    pub(super) fn poll(&mut self) {
        self.found.poll();
        if let Some((_, typed)) = &mut self.typed {
            typed.poll();
        }
    }

    pub(super) fn is_running(&self) -> bool {
        let typed = self.typed.as_ref();
        self.found.is_running() || typed.is_some_and(|(_, typed)| typed.is_running())
    }

    /// Values what stands in the panel, where it is not among the replies that were valued.
    pub(super) fn follow(
        &mut self,
        values: &Valuation,
        moves: &[Move<Exact>],
        reply: Option<&Reply<Exact>>,
    ) {
        let (
            BackgroundTask::Done(Ok((hints, _))),
            Some(reply @ (Reply::Probability(_) | Reply::Bits(_))),
        ) = (&self.found, reply)
        else {
            return;
        };
        let known = self.typed.as_ref().is_some_and(|(typed, _)| typed == reply);
        if known || hints.of(reply).is_some() {
            return;
        }
        let (case, moves) = (values.case.clone(), moves.to_vec());
        let asked = reply.clone();
        let task = BackgroundTask::start(&values.waker, move |signals| {
            case.worth(&moves, &asked, signals.budget())
        });
        self.typed = Some((reply.clone(), task));
    }

    /// The worth of a reply in few words; empty where it is not known.
    pub(super) fn short_worth(&self, reply: &Reply<Exact>, amounts: &Amounts) -> String {
        let BackgroundTask::Done(Ok((hints, _))) = &self.found else {
            return String::new();
        };
        let Some(value) = hints.of(reply) else {
            return String::new();
        };
        review::worth(hints, value, amounts)
    }

    /// The notes below the question. `reply`: the answer as it stands.
    pub(super) fn notes(
        &self,
        values: &Valuation,
        reply: Option<&Reply<Exact>>,
        agreement: Option<&Agreement>,
        look: &Appearance,
        amounts: &Amounts,
    ) -> Vec<(Role, String)> {
        match &self.found {
            BackgroundTask::Idle => Vec::new(),
            BackgroundTask::Running(_) => {
                let text = format!(
                    "Hint: finding what each reply is worth, {}; esc stops.",
                    progress_text(self.found.parts())
                );
                vec![(Role::Faint, text)]
            }
            BackgroundTask::Done(Err(why)) => {
                vec![(Role::Faint, format!("No hint: {why}."))]
            }
            BackgroundTask::Done(Ok(hinted)) => {
                self.found_notes(values, hinted, reply, agreement, look, amounts)
            }
        }
    }

    fn found_notes(
        &self,
        values: &Valuation,
        (hints, scale): &Hinted,
        reply: Option<&Reply<Exact>>,
        agreement: Option<&Agreement>,
        look: &Appearance,
        amounts: &Amounts,
    ) -> Vec<(Role, String)> {
        let case = &values.case;
        let mut notes = Vec::new();
        let rated = match reply {
            Some(reply) => self.rated(hints, reply),
            None => hints.best(),
        };
        match (rated, agreement) {
            (Some(rated), _) => {
                let (role, fits) = match agreement {
                    Some(Agreement::Contradicts(why)) => {
                        (Role::Bad, format!(", but contradicts you: {why}"))
                    }
                    Some(Agreement::Agrees) => {
                        (Role::Text, " and agrees with what you said".to_owned())
                    }
                    None => (Role::Text, String::new()),
                };
                if let Some([guaranteed, against]) =
                    review::two_lines(case, hints, rated, &fits, amounts)
                {
                    notes.push((role, guaranteed));
                    notes.push((Role::Text, against));
                }
            }
            (None, Some(Agreement::Contradicts(why))) => {
                notes.push((Role::Bad, format!("That contradicts you: {why}.")));
            }
            (None, _) => {}
        }
        let before = amounts.signed(&hints.before);
        let to = review::to_whom(hints);
        let (ends, whole) = match scale {
            Scale::Round(ends) => (ends, "After this round"),
            Scale::Debate(ends) => (ends, "In all"),
        };
        let [least, most] = amounts.range_to_side(ends);
        let share = scale.share(&[&least, &most], &amounts.to_side(&hints.before));
        let bar = bar(share, BAR, look);
        let [least, most] = [least, most].map(|end| amounts.with_sign(&end));
        notes.push((
            Role::Current,
            format!("Now worth {before} to {to}. {whole}: {least} {bar} {most}."),
        ));
        // What the bar stands for is said right below it.
        let reference = review::reference(case, hints);
        notes.push((Role::Faint, format!("Exact values. {reference}")));
        notes
    }

    /// The worth of the answer as it stands, where it is known.
    fn rated<'h>(&'h self, hints: &'h Hints, reply: &Reply<Exact>) -> Option<&'h RatedReply> {
        hints.of(reply).or_else(|| {
            let (_, typed) = self.typed.as_ref().filter(|(typed, _)| typed == reply)?;
            match typed {
                BackgroundTask::Done(Ok(rated)) => rated.as_ref(),
                _ => None,
            }
        })
    }
}

impl Scale {
    /// The place of a value between the ends, from 0 to 1; at an end where later rounds are expected to bring more
    /// than this one can. Over a whole debate with bets it goes by square roots, so that little can be seen too.
    fn share(&self, [least, most]: &[&Exact; 2], value: &Exact) -> f64 {
        let [least, most, value] = [*least, *most, value].map(Exact::to_float);
        let share = match self {
            Self::Debate(_) if least < 0.0 && most > 0.0 => {
                0.5 + 0.5 * value.signum() * (value.abs() / most).sqrt()
            }
            _ => (value - least) / (most - least),
        };
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.5
        }
    }
}

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
        if self.ask.is_some() && !self.live.view().tells_worth() {
            let refusal =
                "No hints: what an answer is worth would say what is kept from the judge.";
            self.panels.note = Some(refusal.to_owned());
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
        let reply = ask.widget.reply().ok();
        if self.hint_tasks.on {
            let moves = self.live.seating().moves();
            self.hint_tasks.follow(values, moves, reply.as_ref());
        }
        let hint_tasks = &self.hint_tasks;
        let answer = reply.as_ref().filter(|_| hint_tasks.on);
        let agreement = answer.and_then(|reply| {
            let seating = self.live.seating();
            let instance = self.live.scene.facts.instance;
            agreement(instance, seating.log(), &seating.turn()?, reply)
        });
        ask.hint(
            &|reply| hint_tasks.short_worth(reply, &amounts),
            hint_tasks.notes(
                values,
                reply.as_ref(),
                agreement.as_ref(),
                &self.look,
                &amounts,
            ),
        );
    }
}
