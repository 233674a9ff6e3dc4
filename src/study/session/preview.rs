//! Every page of a study, for its researcher: nothing is kept of it, and nobody takes part.

use crate::Study;
use crate::error::Result;
use crate::folder::log::Status;
use crate::plan::Codes;
use crate::session::flow::{Participant, end};
use crate::session::group::Replies;
use crate::session::page::{Input, SessionPage};
use crate::session::simulate::{JudgeModel, SimulatedJudge};
use debate_core::protocol::Seat;

/// A page as a participant may meet it.
#[derive(Clone, Debug)]
pub struct PreviewPage {
    /// The row of the schedule; none before the trials, and of pages that end a session.
    pub slot: Option<u32>,
    /// The id of the trial's condition, where it is one of a trial.
    pub condition: Option<String>,
    pub page: SessionPage,
}

/// The longest way through a study that is shown.
const MOST_PAGES: usize = 2_000;
/// The ends of a session; the last ones only where people debate with each other.
const ENDS: [Status; 11] = [
    Status::Complete,
    Status::ScreenedOut,
    Status::NoConsent,
    Status::FailedQuiz,
    Status::FailedAttention,
    Status::Withdrawn,
    Status::Expired,
    Status::Full,
    Status::Waited,
    Status::LeftAlone,
    Status::Forfeited,
];
/// The number of ends that every study has.
const USUAL_ENDS: usize = 8;

/// The pages of a study in the order in which a participant meets them: those of the first slots until every condition
/// was met, then the page that asks what leaving means, and those that end a session.
///
/// # Errors
/// If a trial cannot be played.
pub fn preview(study: &Study, codes: &Codes) -> Result<Vec<PreviewPage>> {
    let mut pages: Vec<PreviewPage> = Vec::new();
    for slot in 0..study.plan.target_rows() {
        let is_new = |id: &str| !pages.iter().any(|it| it.condition.as_deref() == Some(id));
        let dealt = study.schedule().slot(slot);
        let mut dealt = dealt.iter().map(|it| &study.plan.conditions[it.condition]);
        if slot == 0 || dealt.any(|condition| is_new(&condition.id)) {
            walk(study, codes, slot, &mut pages)?;
        }
    }
    let mut leaving = Participant::new(study, codes.clone());
    if leaving.take(&Input::Leave)?.is_ok() {
        pages.push(PreviewPage {
            slot: None,
            condition: None,
            page: leaving.page(),
        });
    }
    let ends = if study.plan.is_group() {
        &ENDS[..]
    } else {
        &ENDS[..USUAL_ENDS]
    };
    pages.extend(ends.iter().map(|status| PreviewPage {
        slot: None,
        condition: None,
        page: end(study, *status, codes),
    }));
    Ok(pages)
}

/// Goes the way of a slot, as somebody who answers everything; of those who debate with each other, as each of them.
fn walk(study: &Study, codes: &Codes, slot: u32, pages: &mut Vec<PreviewPage>) -> Result {
    let mut walkers = Vec::new();
    for seat in &study.plan.roles {
        let label = format!("preview/{slot}");
        walkers.push(Walker {
            seat: *seat,
            judge: SimulatedJudge::new(JudgeModel::PERFECT, &label)?,
            participant: Participant::new(study, codes.clone()).with_stand_ins(),
            pages: Vec::new(),
        });
    }
    let mut replies = Replies::default();
    for _ in 0..MOST_PAGES {
        let mut goes_on = false;
        for (place, walker) in walkers.iter_mut().enumerate() {
            walker.participant.hear(&replies)?;
            let is_shown = slot == 0 && place == 0;
            goes_on |= walker.step(slot, is_shown, &mut replies)?;
        }
        if !goes_on {
            break;
        }
    }
    pages.extend(walkers.into_iter().flat_map(|walker| walker.pages));
    Ok(())
}

/// Somebody on the way of a slot, and the pages that they met.
struct Walker<'s> {
    seat: Seat,
    judge: SimulatedJudge,
    participant: Participant<'s>,
    pages: Vec<PreviewPage>,
}

impl Walker<'_> {
    /// Answers a page; false where there is nothing to answer. Of what comes before the trials, which is the same for
    /// everybody, pages are kept where `is_shown`.
    fn step(&mut self, slot: u32, is_shown: bool, replies: &mut Replies) -> Result<bool> {
        let participant = &mut self.participant;
        let page = participant.page();
        if page.is_last() {
            return Ok(false);
        }
        let study = participant.study();
        let condition = participant.trial().map(|(trial, ..)| {
            let place = trial.assigned.condition;
            study.plan.conditions[place].id.clone()
        });
        let dealt = participant.slot();
        let is_room = participant.is_waiting();
        let is_new = self.pages.last().is_none_or(|last| last.page != page);
        let mut shown = |page: SessionPage| {
            self.pages.push(PreviewPage {
                slot: dealt,
                condition: condition.clone(),
                page,
            });
        };
        if is_room {
            if is_shown {
                shown(page);
            }
            participant.join(slot, self.seat, replies)?;
            return Ok(true);
        }
        if page.polls {
            if is_new {
                shown(page);
            }
            return Ok(false);
        }
        let input = self.judge.answer(&page, participant);
        // A reply that the rules refuse is chosen again.
        if let Ok(noted) = participant.take(&input)? {
            // No browser is asked for its size.
            if (is_shown || dealt.is_some()) && !matches!(input, Input::Size(_)) {
                shown(page);
            }
            if let Some((trial, reply)) = noted.trial.zip(participant.reply()) {
                replies.push(trial.practice, trial.number, self.seat, reply.clone());
            }
        }
        if participant.awaits_slot() && !participant.is_waiting() {
            participant.place(Some(slot))?;
        }
        Ok(true)
    }
}
