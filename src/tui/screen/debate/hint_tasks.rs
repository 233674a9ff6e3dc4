//! Hints: what each reply to the pending request is worth, found on the side.

use crate::tui::scene::Valuation;
use crate::tui::screen::tasks::{BackgroundTask, bar, progress_text};
use crate::tui::theme::{Appearance, StyleRole};
use debate_core::number::{Exact, Number as _};
use debate_core::player::Move;
use debate_core::protocol::words::{Amounts, Perspective};
use debate_core::protocol::{Reply, Seat};
use debate_lab::analysis::Unsolved;
use debate_lab::analysis::review::{Hints, RatedReply, ReviewContext, ReviewError, words};
use debate_lab::narration::Agreement;

/// Columns of the evaluation bar.
const BAR: usize = 20;

/// Hints with where the debate stands between the least and the most, from 0 to 1.
type Hinted = (Hints, f64);

/// The worth of a typed number; `None` where it is illegal.
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
                let share = match span {
                    Some(span) => between(&span, &hints.before),
                    None => share(&case, &hints.before),
                };
                Ok((hints, share))
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

    /// Values the number that stands in the panel, where it is not on the grid.
    pub(super) fn follow(
        &mut self,
        values: &Valuation,
        moves: &[Move<Exact>],
        reply: Option<&Reply<Exact>>,
    ) {
        let (BackgroundTask::Done(Ok((hints, _))), Some(reply @ Reply::Probability(_))) =
            (&self.found, reply)
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
    pub(super) fn beside(&self, reply: &Reply<Exact>, amounts: &Amounts) -> String {
        let BackgroundTask::Done(Ok((hints, _))) = &self.found else {
            return String::new();
        };
        let Some(value) = hints.of(reply) else {
            return String::new();
        };
        words::beside(hints, value, amounts)
    }

    /// The notes below the question. `reply`: the answer as it stands.
    pub(super) fn notes(
        &self,
        values: &Valuation,
        reply: Option<&Reply<Exact>>,
        agreement: Option<&Agreement>,
        (look, amounts): (&Appearance, &Amounts),
    ) -> Vec<(StyleRole, String)> {
        match &self.found {
            BackgroundTask::Idle => Vec::new(),
            BackgroundTask::Running(_) => {
                let text = format!(
                    "Hint: finding what each reply is worth, {}; esc stops.",
                    progress_text(self.found.parts())
                );
                vec![(StyleRole::Faint, text)]
            }
            BackgroundTask::Done(Err(why)) => {
                vec![(StyleRole::Faint, format!("No hint: {why}."))]
            }
            BackgroundTask::Done(Ok(hinted)) => {
                self.found_notes(values, hinted, reply, agreement, (look, amounts))
            }
        }
    }

    fn found_notes(
        &self,
        values: &Valuation,
        (hints, share): &Hinted,
        reply: Option<&Reply<Exact>>,
        agreement: Option<&Agreement>,
        (look, amounts): (&Appearance, &Amounts),
    ) -> Vec<(StyleRole, String)> {
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
                        (StyleRole::Bad, format!(", but contradicts you: {why}"))
                    }
                    Some(Agreement::Agrees) => {
                        (StyleRole::Text, " and agrees with what you said".to_owned())
                    }
                    None => (StyleRole::Text, String::new()),
                };
                if let Some([guaranteed, against]) =
                    words::two_lines(case, hints, rated, &fits, amounts)
                {
                    notes.push((role, guaranteed));
                    notes.push((StyleRole::Text, against));
                }
            }
            (None, Some(Agreement::Contradicts(why))) => {
                notes.push((StyleRole::Bad, format!("That contradicts you: {why}.")));
            }
            (None, _) => {}
        }
        let before = amounts.signed(&hints.before);
        let perspective = Perspective::of(hints.seat);
        // It fills for whoever looks.
        let share = match perspective.receiver() {
            Seat::Opponent => 1.0 - share,
            _ => *share,
        };
        let bar = bar(share, BAR, look);
        let [rival, receiver] =
            [perspective.rival(), perspective.receiver()].map(|seat| perspective.name(seat));
        let to = words::to_whom(hints);
        notes.push((
            StyleRole::Current,
            format!("{rival} {bar} {receiver}, over this round: now worth {before} to {to}."),
        ));
        // What the bar stands for is said right below it.
        let reference = words::reference(case, hints);
        notes.push((StyleRole::Faint, format!("Exact values. {reference}")));
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

/// The place of a value in a range, from 0 to 1; at its end where later rounds are expected to bring
/// more than this one can.
fn between([least, most]: &[Exact; 2], value: &Exact) -> f64 {
    let share = ((value - least).to_float()) / (most - least).to_float();
    if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.5
    }
}

/// The place of a value between the least and the most that the rules pay Alice, from 0 to 1;
/// where rounds differ in weight, on a scale of square roots, so that little can be seen too.
fn share(case: &ReviewContext, value: &Exact) -> f64 {
    let value = value.to_float();
    let Ok((least, most)) = case.range() else {
        return 0.5;
    };
    let (least, most) = (least.to_float(), most.to_float());
    let share = if least < 0.0 {
        0.5 + 0.5 * value.signum() * (value.abs() / most).sqrt()
    } else {
        (value - least) / (most - least)
    };
    if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.5
    }
}
