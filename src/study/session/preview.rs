//! Every page of a study, for its researcher: nothing is kept of it, and nobody takes part.

use crate::Study;
use crate::error::Result;
use crate::folder::log::Status;
use crate::plan::Codes;
use crate::session::flow::{Participant, end};
use crate::session::page::{Input, SessionPage};
use crate::session::simulate::{JudgeModel, SimulatedJudge};

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
/// The ends of a session.
const ENDS: [Status; 8] = [
    Status::Complete,
    Status::ScreenedOut,
    Status::NoConsent,
    Status::FailedQuiz,
    Status::FailedAttention,
    Status::Withdrawn,
    Status::Expired,
    Status::Full,
];

/// The pages of a study in the order in which a participant meets them: those of the first slots until every condition
/// was met, then the page that asks what leaving means, and those that end a session.
///
/// # Errors
/// If a trial cannot be played.
pub fn preview(study: &Study, codes: &Codes) -> Result<Vec<PreviewPage>> {
    let mut pages: Vec<PreviewPage> = Vec::new();
    for slot in 0..study.plan.target.participants {
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
    pages.extend(ENDS.map(|status| PreviewPage {
        slot: None,
        condition: None,
        page: end(study, status, codes),
    }));
    Ok(pages)
}

/// Goes the way of a slot, as somebody who answers everything.
fn walk(study: &Study, codes: &Codes, slot: u32, pages: &mut Vec<PreviewPage>) -> Result {
    let mut judge = SimulatedJudge::new(JudgeModel::PERFECT, &format!("preview/{slot}"))?;
    let mut participant = Participant::new(study, codes.clone());
    for _ in 0..MOST_PAGES {
        let page = participant.page();
        if page.is_last() {
            break;
        }
        let condition = participant.trial().map(|(trial, ..)| {
            let place = trial.assigned.condition;
            study.plan.conditions[place].id.clone()
        });
        let dealt = participant.slot();
        let input = judge.answer(&page, &participant);
        // What the rules do not allow is chosen again.
        let is_taken = participant.take(&input)?.is_ok();
        // What comes before the trials is the same for every slot; no browser is asked for its size.
        if is_taken && (slot == 0 || dealt.is_some()) && !matches!(input, Input::Size(_)) {
            pages.push(PreviewPage {
                slot: dealt,
                condition,
                page,
            });
        }
        if participant.awaits_slot() {
            participant.place(Some(slot))?;
        }
    }
    Ok(())
}
