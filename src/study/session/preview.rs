//! A preview of the pages of a study for the researcher. It needs no participants and writes no data.

use crate::Study;
use crate::error::Result;
use crate::folder::log::StudySessionStatus;
use crate::plan::CodeOrAddressByOutcome;
use crate::session::flow::{Participant, last_page_of_screened_out, last_page_without_session};
use crate::session::group::GroupRepliesByTrial;
use crate::session::page::{ParticipantInput, StudySessionPage};
use crate::session::simulate::{SimulatedJudge, SimulatedJudgeBehaviour};
use debate_core::protocol::Seat;

/// A page of the preview, as participants can get it.
#[derive(Clone, Debug)]
pub struct PreviewedStudyPage {
    /// The participant's row of the schedule; `None` before the row is claimed, and for pages that end a session.
    pub slot: Option<u32>,
    /// The id of the condition, if the page belongs to a trial.
    pub condition: Option<String>,
    pub page: StudySessionPage,
    /// True if a participant can leave the study from this page.
    pub leaves: bool,
}

/// Upper limit on the pages that each simulated participant of a schedule row answers.
const MAX_PAGES: usize = 2_000;
/// The statuses with which a participant's session can end, for the preview of final pages. `QuotaFull` is missing: it
/// needs quotas. Those after the first [`USUAL_ENDS`] need debates between participants.
const ENDS: [StudySessionStatus; 12] = [
    StudySessionStatus::Complete,
    StudySessionStatus::ScreenedOut,
    StudySessionStatus::NoConsent,
    StudySessionStatus::FailedQuiz,
    StudySessionStatus::FailedAttention,
    StudySessionStatus::Withdrawn,
    StudySessionStatus::Expired,
    StudySessionStatus::Full,
    StudySessionStatus::Closed,
    StudySessionStatus::Waited,
    StudySessionStatus::LeftAlone,
    StudySessionStatus::Forfeited,
];
/// The number of first entries of [`ENDS`], the session statuses, that can occur in every study.
const USUAL_ENDS: usize = 9;

/// Returns the pages of a study in the order in which a participant sees them. They come from the first row of the
/// schedule and from later rows with a new condition. The page about leaving and the pages that end a session follow.
///
/// # Errors
/// If a trial cannot be played.
pub fn preview_pages(
    study: &Study,
    codes: &CodeOrAddressByOutcome,
) -> Result<Vec<PreviewedStudyPage>> {
    let mut pages: Vec<PreviewedStudyPage> = Vec::new();
    for slot in 0..study.plan.schedule_rows_of_planned_participants() {
        let is_new = |id: &str| !pages.iter().any(|it| it.condition.as_deref() == Some(id));
        let dealt = study.schedule().trials_of_slot_without_practice(slot);
        let mut dealt = dealt.iter().map(|it| &study.plan.conditions[it.condition]);
        if slot == 0 || dealt.any(|condition| is_new(&condition.id)) {
            walk(study, codes, slot, &mut pages)?;
        }
    }
    let mut leaving = Participant::new(study, codes.clone());
    if leaving.take_input(&ParticipantInput::Leave)?.is_ok() {
        pages.push(PreviewedStudyPage {
            slot: None,
            condition: None,
            page: leaving.page(),
            leaves: false,
        });
    }
    let ends = if study.plan.has_several_participants_per_debate() {
        &ENDS[..]
    } else {
        &ENDS[..USUAL_ENDS]
    };
    let end = |page| PreviewedStudyPage {
        slot: None,
        condition: None,
        page,
        leaves: false,
    };
    let ends = ends
        .iter()
        .map(|status| last_page_without_session(study, *status, codes));
    pages.extend(ends.map(end));
    if study.plan.screening.is_some() {
        pages.push(end(last_page_of_screened_out(study, codes)));
    }
    if !study.plan.quotas.is_empty() {
        pages.push(end(last_page_without_session(
            study,
            StudySessionStatus::QuotaFull,
            codes,
        )));
    }
    Ok(pages)
}

/// Collects for the preview the pages of a slot (a row of the schedule). A simulated participant in each role of the
/// study answers every page.
fn walk(
    study: &Study,
    codes: &CodeOrAddressByOutcome,
    slot: u32,
    pages: &mut Vec<PreviewedStudyPage>,
) -> Result {
    let mut walkers = Vec::new();
    for seat in &study.plan.roles {
        let label = format!("preview/{slot}");
        walkers.push(Walker {
            seat: *seat,
            judge: SimulatedJudge::new(SimulatedJudgeBehaviour::PERFECT, &label)?,
            participant: Participant::new(study, codes.clone())
                .with_programs_replaced_by_builtins(),
            pages: Vec::new(),
        });
    }
    let mut replies = GroupRepliesByTrial::default();
    for _ in 0..MAX_PAGES {
        let mut continues = false;
        for (index, walker) in walkers.iter_mut().enumerate() {
            walker.participant.set_other_replies(&replies)?;
            let is_shown = slot == 0 && index == 0;
            continues |= walker.step(slot, is_shown, &mut replies)?;
        }
        if !continues {
            break;
        }
    }
    pages.extend(walkers.into_iter().flat_map(|walker| walker.pages));
    Ok(())
}

/// A simulated participant for the preview: gets a row of the schedule, answers every page, and collects the pages that
/// it was shown.
struct Walker<'s> {
    seat: Seat,
    judge: SimulatedJudge,
    participant: Participant<'s>,
    pages: Vec<PreviewedStudyPage>,
}

impl Walker<'_> {
    /// Answers the simulated participant's current page. Returns false if the page waits or is the last one. Pages
    /// before the claim of a slot are the same for all participants and are collected only if `is_shown`.
    fn step(
        &mut self,
        slot: u32,
        is_shown: bool,
        replies: &mut GroupRepliesByTrial,
    ) -> Result<bool> {
        let participant = &mut self.participant;
        let page = participant.page();
        if page.is_session_over() {
            return Ok(false);
        }
        let study = participant.study();
        let condition = participant.current_trial().map(|(trial, ..)| {
            let index = trial.assigned.condition;
            study.plan.conditions[index].id.clone()
        });
        let dealt = participant.slot();
        let depends_on_row = participant.is_past_schedule_row_assignment();
        let is_room = participant.is_waiting_for_group();
        let is_new = self.pages.last().is_none_or(|last| last.page != page);
        let mut shown = |page: StudySessionPage| {
            self.pages.push(PreviewedStudyPage {
                slot: dealt,
                condition: condition.clone(),
                page,
                leaves: true,
            });
        };
        if participant.awaits_admission() {
            if is_shown && study.plan.waiting_list.is_some() {
                participant.set_waiting_position(1);
                shown(participant.page());
            }
            let slot = study.plan.claims_slot_at_admission().then_some(slot);
            participant.continue_after_admission(slot)?;
            return Ok(true);
        }
        if is_room {
            if is_shown {
                shown(page);
            }
            participant.join_group_slot(slot, self.seat, replies)?;
            return Ok(true);
        }
        if page.polls {
            if is_new {
                shown(page);
            }
            return Ok(false);
        }
        let input = self.judge.answer_for_page(&page, participant);
        // If the rules refuse the reply, the next step chooses again.
        if let Ok(log_note) = participant.take_input(&input)? {
            // Participants in a browser do not see the page about the window's size.
            if (is_shown || depends_on_row) && !matches!(input, ParticipantInput::Size(_)) {
                shown(page);
            }
            if let Some((trial, reply)) = log_note.trial.zip(participant.last_answer_as_reply()) {
                replies.add_reply(trial.practice, trial.number, self.seat, reply.clone());
            }
        }
        if participant.must_claim_slot_next() && !participant.is_waiting_for_group() {
            participant.start_trials_or_end_as_full(Some(slot))?;
        }
        Ok(true)
    }
}
