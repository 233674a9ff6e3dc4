//! Admission to a study: quotas by answer, claims of places, and the waiting list.
//!
//! A decision is made under the lock of the places and is written as a log line, so that it survives a kill.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{RunningStudySession, SessionClockReading};
use crate::Study;
use crate::error::Result;
use crate::folder::ScheduleRowClaim;
use crate::folder::log::StudySessionStatus;
use crate::folder::places::{
    ADMISSION, ParticipantPlaceAvailability, SessionAdmissionFacts, WAITING_LIST,
};
use crate::plan::{Quota, RecruitmentStoppingRule, StudyPlan};

/// The decision about a participant who wants to be admitted.
enum Decision {
    /// The participant is admitted. The value is the claim of a schedule row; `None` if a group claims one later.
    Admitted(Option<ScheduleRowClaim>),
    /// The participant is not admitted, because the quota with this index is full.
    QuotaFull(usize),
    /// The participant waits, because no place is free yet. The number is the position on the waiting list, from 1.
    Waits(u32),
    Full,
}

/// Returns the size of a quota for `sessions` simulated sessions. The size grows with them if they are more than the
/// stopping rule needs.
pub(crate) fn quota_limit_for_simulated_sessions(
    plan: &StudyPlan,
    quota: &Quota,
    sessions: u32,
) -> u32 {
    let RecruitmentStoppingRule::Participants(stop) = plan.stop;
    let scaled = (u64::from(quota.most) * u64::from(sessions)).div_ceil(u64::from(stop.max(1)));
    u32::try_from(scaled).unwrap_or(u32::MAX).max(quota.most)
}

/// The sessions and the conditions of their slots, from which the sessions that each quota counts are found.
pub(crate) struct SessionsForQuotas<'c> {
    study: &'c Study,
    sessions: &'c [SessionAdmissionFacts],
    /// The conditions that each slot (row of the schedule) contains, as far as looked up. Empty if no quota is for one
    /// condition.
    conditions: BTreeMap<u32, BTreeSet<usize>>,
}

impl<'c> SessionsForQuotas<'c> {
    /// Creates a counter for these sessions and for the conditions of the given free rows of the schedule.
    pub(crate) fn new(
        study: &'c Study,
        sessions: &'c [SessionAdmissionFacts],
        free: impl IntoIterator<Item = u32>,
    ) -> Self {
        let is_by_condition = study.plan.quotas.iter().any(|it| it.condition.is_some());
        let schedule = is_by_condition.then(|| study.schedule());
        let slots = sessions.iter().filter_map(|it| it.slot).chain(free);
        let conditions = schedule.map(|schedule| {
            let of_slot = |slot| {
                let trials = schedule.trials_of_slot_without_practice(slot);
                (slot, trials.iter().map(|it| it.condition).collect())
            };
            slots.map(of_slot).collect()
        });
        Self {
            study,
            sessions,
            conditions: conditions.unwrap_or_default(),
        }
    }

    /// True if the quota holds for all conditions, or if this schedule row contains the quota's condition. Without a
    /// row, false for a quota with a condition.
    fn is_in_condition(&self, quota: &Quota, slot: Option<u32>) -> bool {
        let Some(id) = &quota.condition else {
            return true;
        };
        let condition = self.study.plan.condition_index(id);
        let own = slot.and_then(|slot| self.conditions.get(&slot));
        condition.is_some_and(|condition| own.is_some_and(|own| own.contains(&condition)))
    }

    /// Returns the sessions that a quota counts: those with a place and a matching answer.
    pub(crate) fn sessions_counted_by_quota(
        &self,
        quota: &Quota,
    ) -> impl Iterator<Item = &'c SessionAdmissionFacts> {
        let has_answer = |it: &SessionAdmissionFacts| {
            let answer = it.answers.get(&quota.question);
            answer.is_some_and(|answer| quota.is.contains_answer(answer))
        };
        self.sessions
            .iter()
            .filter(move |it| it.holds_study_place() && has_answer(it))
            .filter(|it| self.is_in_condition(quota, it.slot))
    }

    /// Returns the index of the first full quota that a participant with these answers would exceed. Tests the quotas
    /// for all conditions together, and those for a condition of `slot` if it is given. `most` returns a quota's size.
    pub(crate) fn full_quota(
        &self,
        answers: &BTreeMap<String, Value>,
        slot: Option<u32>,
        most: impl Fn(&Quota) -> u32,
    ) -> Option<usize> {
        self.study.plan.quotas.iter().position(|quota| {
            let answer = answers.get(&quota.question);
            let is_own = answer.is_some_and(|answer| quota.is.contains_answer(answer));
            is_own
                && self.is_in_condition(quota, slot)
                && self.sessions_counted_by_quota(quota).count() >= most(quota) as usize
        })
    }
}

impl Study {
    /// Decides whether a session gets a place. The caller has locked the decisions about places.
    fn decide_admission(
        &self,
        session: &str,
        answers: &BTreeMap<String, Value>,
    ) -> Result<Decision> {
        let mut sessions = self.live_session_summaries()?;
        let before = self.count_waiting_before(session, &sessions);
        sessions.retain(|it| it.session != session);
        let rows = self.plan.max_claimed_schedule_rows();
        // If the program was killed after the claim, the session has its slot already.
        if self.plan.claims_slot_at_admission()
            && let Some(claim) = self.folder.current_schedule_row_reservation(session)?
        {
            return Ok(Decision::Admitted(Some(claim)));
        }
        let free = self.folder.unclaimed_schedule_rows(rows)?;
        let counter = SessionsForQuotas::new(self, &sessions, free.iter().copied());
        if let Some(quota) = counter.full_quota(answers, None, |quota| quota.most) {
            return Ok(Decision::QuotaFull(quota));
        }
        let state = self.place_availability()?;
        if state == ParticipantPlaceAvailability::Complete {
            return Ok(Decision::Full);
        }
        if !self.plan.claims_slot_at_admission() {
            return Ok(Decision::Admitted(None));
        }
        let quota_of_slot = |slot| counter.full_quota(answers, Some(slot), |quota| quota.most);
        let allowed = free.iter().filter(|slot| quota_of_slot(**slot).is_none());
        if allowed.clone().count() > before as usize {
            // Only slots whose conditions are known: another one may have become free meanwhile.
            let is_allowed = |slot| free.contains(&slot) && quota_of_slot(slot).is_none();
            if let Some(claim) = self.folder.claim_slot_if(session, rows, is_allowed)? {
                return Ok(Decision::Admitted(Some(claim)));
            }
        }
        let blocking = free.first().and_then(|slot| quota_of_slot(*slot));
        if let Some(quota) = blocking.filter(|_| allowed.count() == 0) {
            return Ok(Decision::QuotaFull(quota));
        }
        Ok(match self.plan.waiting_list {
            Some(_) => Decision::Waits(before + 1),
            None => Decision::Full,
        })
    }
}

impl RunningStudySession<'_> {
    /// Admits the participant if a place is free, or updates their position on the waiting list. Ends the session if
    /// a quota or the study is full, or if the participant has waited too long.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub(crate) fn admit_or_update_waiting_position(&mut self, now: &SessionClockReading) -> Result {
        if !self.is_live() || !self.participant.is_ready_for_admission() {
            return Ok(());
        }
        let study = self.participant.study();
        let lock = study.folder.lock_admission_decisions()?;
        let answers = self.participant.screening_answers();
        let mut decision = study.decide_admission(&self.session, answers)?;
        if matches!(decision, Decision::Waits(_)) && self.has_waited_too_long() {
            decision = Decision::Full;
        }
        match decision {
            Decision::Waits(position) => self.wait_for_place(position, now)?,
            Decision::Admitted(claim) => self.admit_with_claim(claim.as_ref(), now)?,
            Decision::QuotaFull(index) => {
                let payload = json!({"quota": index + 1});
                self.end_with_status(ADMISSION, StudySessionStatus::QuotaFull, payload, now)?;
            }
            Decision::Full => {
                self.end_with_status(ADMISSION, StudySessionStatus::Full, json!({}), now)?;
            }
        }
        drop(lock);
        if self.participant.is_ready_for_admission() {
            return Ok(());
        }
        study.folder.delete_last_request_time(&self.session)
    }

    /// True if the participant has waited for a place for the longest time that the study file allows.
    fn has_waited_too_long(&self) -> bool {
        let study = self.participant.study();
        let since = self.participant.waits_since();
        let since = since.and_then(|since| humantime::parse_rfc3339(since).ok());
        let now = study.folder.time.wall_clock_now();
        let waited = since.and_then(|since| now.duration_since(since).ok());
        let limit = study.plan.waiting_list.map(|list| u64::from(list.wait_s));
        waited
            .zip(limit)
            .is_some_and(|(waited, limit)| waited.as_secs() >= limit)
    }

    fn wait_for_place(&mut self, position: u32, now: &SessionClockReading) -> Result {
        let folder = &self.participant.study().folder;
        folder.store_last_request_time(&self.session)?;
        if self.participant.waits_since().is_none() {
            let note = self
                .participant
                .new_log_note(WAITING_LIST, json!({"waits": true, "position": position}));
            self.append(note, None, now)?;
            self.participant.join_waiting_list_for_place(&now.wall);
        }
        self.participant.set_waiting_position(position);
        Ok(())
    }

    fn admit_with_claim(
        &mut self,
        claim: Option<&ScheduleRowClaim>,
        now: &SessionClockReading,
    ) -> Result {
        let reclaimed = claim.and_then(|claim| claim.reclaimed_from.as_ref());
        let payload = json!({"reclaimed_from": reclaimed});
        self.admit_with(claim.map(|claim| claim.slot), payload, now)
    }

    fn admit(&mut self, slot: Option<u32>, now: &SessionClockReading) -> Result {
        self.admit_with(slot, json!({}), now)
    }

    /// Records the admission in the session's log and continues with the next page.
    fn admit_with(
        &mut self,
        slot: Option<u32>,
        payload: Value,
        now: &SessionClockReading,
    ) -> Result {
        let mut after = self.participant.clone();
        let note = after.new_log_note(ADMISSION, payload);
        after.continue_after_admission(slot)?;
        self.append(note, after.slot(), now)?;
        self.participant = after;
        Ok(())
    }

    /// Admits a simulated participant to the lowest free row of the schedule that no full quota forbids. Without such a
    /// row, ends the session as `quota_full`. `sessions` are the earlier sessions, and `all` is the number of simulated
    /// sessions. In a study with groups, admits every participant without a row.
    pub(crate) fn admit_simulated(
        &mut self,
        sessions: &[SessionAdmissionFacts],
        all: u32,
        now: &SessionClockReading,
    ) -> Result {
        let study = self.participant.study();
        if !study.plan.claims_slot_at_admission() {
            return self.admit(None, now);
        }
        let held: BTreeSet<u32> = sessions.iter().filter_map(|it| it.slot).collect();
        let free: Vec<u32> = (0..all).filter(|slot| !held.contains(slot)).collect();
        let counter = SessionsForQuotas::new(study, sessions, free.iter().copied());
        let answers = self.participant.screening_answers();
        let most = |quota: &Quota| quota_limit_for_simulated_sessions(&study.plan, quota, all);
        let quota_of_slot = |slot| counter.full_quota(answers, Some(slot), most);
        let slot = free.iter().find(|slot| quota_of_slot(**slot).is_none());
        let Some(slot) = slot.copied() else {
            let quota = free.first().and_then(|slot| quota_of_slot(*slot));
            let payload = json!({"quota": quota.map(|index| index + 1)});
            return self.end_with_status(ADMISSION, StudySessionStatus::QuotaFull, payload, now);
        };
        self.given_slot = Some(slot);
        self.admit(Some(slot), now)
    }
}
