//! Simulated judges, which answer every page as a participant would. They test the pipeline and are no evidence about
//! human judges.

use std::time::{Duration, UNIX_EPOCH};

use rayon::prelude::*;
use serde_json::json;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::LiveOrSimulated;
use crate::folder::log::read_session_status_and_records;
use crate::folder::places::SessionAdmissionFacts;
use crate::plan::{CodeOrAddressByOutcome, SurveyAnswerForm};
use crate::session::RunningStudySession;
use crate::session::SessionClockReading;
use crate::session::flow::Participant;
use crate::session::group::PlayingParticipantGroup;
use crate::session::page::{ParticipantInput, StudySessionPage};
use crate::session::trial::TrialQuestion;
use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
use debate_core::number::COIN_BITS;
use debate_host::record::format_utc;
use debate_text::DebateAnswerForm;

/// The behaviour of a simulated judge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedJudgeBehaviour {
    pub name: &'static str,
    /// Probability that the judge errs in a judgement or in an answer about a small claim.
    pub error: f64,
    /// The probability, in percent, that the judge states for the answer that it believes; 0 draws a random percentage.
    pub held: u8,
    /// Bias toward the answer that is shown first, in percentage points.
    pub lean: i8,
    /// True if the judge answers attention questions correctly.
    pub reads: bool,
    /// Mean time that the judge spends on a page, in seconds.
    pub seconds: f64,
}

impl SimulatedJudgeBehaviour {
    /// A judge without bias that reads the pages and takes twenty seconds for each.
    const fn new(name: &'static str, error: f64, held: u8) -> Self {
        Self {
            name,
            error,
            held,
            lean: 0,
            reads: true,
            seconds: 20.0,
        }
    }

    /// Model of a judge that is always right; gives the right answer 99 %.
    pub const PERFECT: Self = Self::new("perfect", 0.0, 99);
    /// Model of a judge that is wrong one time in five; gives the believed answer 80 %, so it is calibrated.
    pub const NOISY: Self = Self::new("noisy", 0.2, 80);
    /// Model of a judge that prefers the answer which is shown first.
    pub const ALWAYS_FIRST: Self = Self {
        lean: 40,
        ..Self::new("always-first", 0.5, 50)
    };
    /// Model of a judge that clicks through the pages without reading them.
    pub const IMPATIENT: Self = Self {
        reads: false,
        seconds: 0.8,
        ..Self::new("impatient", 0.45, 60)
    };
    /// Model of a judge that gives random percentages.
    pub const RANDOM: Self = Self::new("random", 0.5, 0);
    pub const ALL: [Self; 5] = [
        Self::PERFECT,
        Self::NOISY,
        Self::ALWAYS_FIRST,
        Self::IMPATIENT,
        Self::RANDOM,
    ];

    /// Returns the model of a judge with this name.
    pub fn judge_behaviour_named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name == name)
    }
}

/// Maximum number of other answers that a simulated judge tries after its answer is rejected, and maximum number of
/// draws for an answer that does not screen the judge out.
const MAX_TRIES: usize = 200;
/// Maximum number of pages of a simulated session, so that no session is endless.
const MAX_PAGES: usize = 20_000;

/// Runs `count` simulated judges through a study and replaces earlier simulated data. The judges' models alternate. The
/// same seed gives the same logs. In a study with groups, runs only complete groups of judges.
///
/// # Errors
/// If the seed is not valid, a trial cannot be played, a session does not end, or a file cannot be read or written.
pub fn simulate(
    study: &Study,
    count: u32,
    models: &[SimulatedJudgeBehaviour],
    seed: &str,
) -> Result {
    study.folder.delete_simulated_sessions()?;
    let one = |number: u32| {
        let model = models[number as usize % models.len().max(1)];
        session(study, number, model, seed)
    };
    if study.plan.has_several_participants_per_debate() {
        let size = u32::try_from(study.plan.roles.len()).unwrap_or(1);
        let groups = (0..count / size).into_par_iter();
        return groups.try_for_each(|slot| group(study, slot, size, models, seed));
    }
    if study.plan.has_admission_before_consent() {
        return admitted_sessions(study, count, models, seed);
    }
    (0..count).into_par_iter().try_for_each(one)
}

/// Returns the number of possible answers to a question for a whole number from `least` to `most`, at most a million.
fn answer_count(least: i64, most: i64) -> usize {
    let count = most.saturating_sub(least).saturating_add(1);
    usize::try_from(count.clamp(1, 1_000_000)).unwrap_or(1)
}

/// Runs simulated judges through a study with admission, one after the other: a quota depends on all earlier sessions.
fn admitted_sessions(
    study: &Study,
    count: u32,
    models: &[SimulatedJudgeBehaviour],
    seed: &str,
) -> Result {
    let mut sessions: Vec<SessionAdmissionFacts> = Vec::new();
    for number in 0..count {
        let model = models[number as usize % models.len().max(1)];
        let mut simulated = Simulated::begin(study, number, number, model, seed)?;
        simulated.run(|it| it.live.admit_simulated(&sessions, count, &it.now))?;
        let path = study
            .folder
            .log_file(LiveOrSimulated::Simulated, simulated.live.session_name());
        let (_, records) = read_session_status_and_records(&path)?;
        let mut summary = SessionAdmissionFacts::summary_of_records(study, &records);
        // A place that becomes free is for the next session.
        if !summary.holds_study_place() {
            summary.slot = None;
        }
        sessions.push(summary);
    }
    Ok(())
}

/// A simulated judge with the session in which it answers.
struct Simulated<'s> {
    live: RunningStudySession<'s>,
    judge: SimulatedJudge,
    now: SessionClockReading,
}

impl<'s> Simulated<'s> {
    fn begin(
        study: &'s Study,
        number: u32,
        slot: u32,
        model: SimulatedJudgeBehaviour,
        seed: &str,
    ) -> Result<Self> {
        let judge = SimulatedJudge::new(model, &format!("{seed}/{number}"))?;
        let now = SessionClockReading {
            wall: SimulatedJudge::wall(0),
            mono_ms: 0,
            active_ms: Some(0),
        };
        let name = format!("s{number:04}");
        let live = RunningStudySession::begin(
            study,
            name,
            CodeOrAddressByOutcome::default(),
            Some(slot),
            &now.wall,
        )?;
        Ok(Self { live, judge, now })
    }

    /// Answers pages up to the end of the simulated session. `admit` decides whether the session gets a place.
    fn run(&mut self, admit: impl Fn(&mut Self) -> Result) -> Result {
        for _ in 0..MAX_PAGES {
            if self.live.participant().awaits_admission() {
                admit(self)?;
            }
            let page = self.live.current_page();
            if page.is_session_over() {
                return Ok(());
            }
            self.answer(&page)?;
        }
        Err(StudyError::Debate(
            "a simulated session does not end".to_owned(),
        ))
    }

    /// Answers a page as the simulated judge. Tries other answers if the first one is rejected.
    fn answer(&mut self, page: &StudySessionPage) -> Result {
        let mut refusal = None;
        for _ in 0..=MAX_TRIES {
            let input = self.judge.answer_for_page(page, self.live.participant());
            let ms = self.judge.thinks();
            self.now.mono_ms += ms;
            self.now.active_ms = Some(self.now.mono_ms);
            self.now.wall = SimulatedJudge::wall(self.now.mono_ms);
            match self.live.take_input(&input, &self.now)? {
                Ok(()) => return Ok(()),
                Err(why) => refusal = Some((input, why)),
            }
        }
        let (input, why) = refusal.unwrap_or((ParticipantInput::Next, String::new()));
        Err(StudyError::Debate(format!(
            "the study rejected the answer {input:?} of a simulated judge: {why}"
        )))
    }
}

/// Runs a group of simulated judges through a study.
fn group(
    study: &Study,
    slot: u32,
    size: u32,
    models: &[SimulatedJudgeBehaviour],
    seed: &str,
) -> Result {
    let begin = |number: u32| {
        let model = models[number as usize % models.len().max(1)];
        Simulated::begin(study, number, slot, model, seed)
    };
    let numbers = slot * size..(slot + 1) * size;
    let mut members: Vec<Simulated<'_>> = numbers.map(begin).collect::<Result<_>>()?;
    for _ in 0..MAX_PAGES {
        let mut continues = false;
        for member in &mut members {
            member.live.refresh_from_group(&member.now)?;
            if member.live.participant().awaits_admission() {
                member.live.admit_simulated(&[], 0, &member.now)?;
            }
            let page = member.live.current_page();
            if !page.is_session_over() && !page.polls {
                member.answer(&page)?;
                continues = true;
            }
        }
        if members
            .iter()
            .all(|member| member.live.current_page().is_session_over())
        {
            return Ok(());
        }
        if continues {
            continue;
        }
        // The remaining members wait for each other.
        if members
            .iter()
            .all(|member| member.live.participant().is_waiting_for_group())
        {
            let names = members.iter().map(|member| member.live.session_name());
            let shared = PlayingParticipantGroup::new(study, slot, names).into_shared();
            for member in &mut members {
                member.live.join_group(shared.clone(), None, &member.now)?;
            }
            continue;
        }
        for member in &mut members {
            if member.live.participant().is_waiting_for_group() {
                member.live.end_session_for_unfilled_group(&member.now)?;
            }
        }
    }
    Err(StudyError::Debate(
        "a simulated session does not end".to_owned(),
    ))
}

/// Runs one simulated judge through a study.
fn session(study: &Study, number: u32, model: SimulatedJudgeBehaviour, seed: &str) -> Result {
    let mut simulated = Simulated::begin(study, number, number, model, seed)?;
    simulated.run(|_| Ok(()))
}

/// A simulated judge with the source of its random draws.
pub struct SimulatedJudge {
    model: SimulatedJudgeBehaviour,
    draws: RandomStream,
    ordinal: u64,
}

impl SimulatedJudge {
    /// Creates a judge whose answers are a function of the seed.
    ///
    /// # Errors
    /// If the text is not a valid seed.
    pub fn new(model: SimulatedJudgeBehaviour, seed: &str) -> Result<Self> {
        let seed = Seed::new(seed)
            .ok_or_else(|| StudyError::Plan(format!("the seed `{seed}` is not valid")))?;
        Ok(Self {
            model,
            draws: RandomStream::for_player_in_debate(&seed, RandomStreamPurpose::Judge, 0),
            ordinal: 0,
        })
    }

    /// Returns the simulated wall-clock time, `ms` milliseconds after the start.
    fn wall(ms: u64) -> String {
        // 1 January 2026.
        format_utc(UNIX_EPOCH + Duration::from_secs(1_767_225_600) + Duration::from_millis(ms))
    }

    /// Draws a number from 0 up to, but not including, 1.
    fn chance(&mut self) -> f64 {
        self.ordinal += 1;
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let share =
            self.draws.random_53_bit_number_at(self.ordinal) as f64 / (1_u64 << COIN_BITS) as f64;
        share
    }

    /// Draws an index below `count`.
    fn below(&mut self, count: usize) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "few options"
        )]
        let place = (self.chance() * count as f64) as usize;
        place
    }

    /// Draws the milliseconds until the next answer: 0.5 to 1.5 times the model's mean.
    fn thinks(&mut self) -> u64 {
        let share = 0.5 + self.chance();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "seconds"
        )]
        let ms = (self.model.seconds * 1000.0 * share) as u64;
        ms
    }

    /// Returns the simulated judge's answer to a page.
    pub fn answer_for_page(
        &mut self,
        page: &StudySessionPage,
        participant: &Participant<'_>,
    ) -> ParticipantInput {
        if let Some(input) = self.screening_answer(participant) {
            return input;
        }
        match page.page.ask.as_ref().map(|ask| &ask.kind) {
            None | Some(DebateAnswerForm::Next | DebateAnswerForm::Reply(_)) => {
                ParticipantInput::Next
            }
            Some(DebateAnswerForm::Size) => ParticipantInput::Size(Some((120, 40))),
            Some(DebateAnswerForm::Text { .. }) => {
                ParticipantInput::Text(participant.simulated_text_answer())
            }
            Some(DebateAnswerForm::Percent { min, max, .. }) => {
                ParticipantInput::Text(self.percent(participant, *min, *max).to_string())
            }
            Some(DebateAnswerForm::OneOf(options)) => {
                ParticipantInput::Choice(self.choose(participant, options.len()))
            }
        }
    }

    /// Draws an answer to a question of the screening survey. `None` on another page. One answer in ten may screen the
    /// judge out, unless the judge makes no errors.
    fn screening_answer(&mut self, participant: &Participant<'_>) -> Option<ParticipantInput> {
        let (question, out) = participant.screening_question_with_exclusions()?;
        let may_fail = self.model.error > 0.0 && self.chance() < 0.1;
        let (least, count) = match &question.answer {
            SurveyAnswerForm::Choice(options) => (0, options.len()),
            SurveyAnswerForm::Scale { from, to, .. } => {
                (i64::from(*from), answer_count((*from).into(), (*to).into()))
            }
            SurveyAnswerForm::Number { min, max } => (*min, answer_count(*min, *max)),
            SurveyAnswerForm::Text(_) => return Some(ParticipantInput::Text(String::new())),
        };
        let mut index = self.below(count);
        for _ in 0..MAX_TRIES {
            let number = least.saturating_add(i64::try_from(index).unwrap_or(i64::MAX));
            let answer = match &question.answer {
                SurveyAnswerForm::Choice(options) => json!(options.get(index)),
                _ => json!(number),
            };
            if may_fail || !out.iter().any(|set| set.contains_answer(&answer)) {
                break;
            }
            index = self.below(count);
        }
        Some(match question.answer {
            SurveyAnswerForm::Number { min, .. } => {
                let number = min.saturating_add(i64::try_from(index).unwrap_or(i64::MAX));
                ParticipantInput::Text(number.to_string())
            }
            _ => ParticipantInput::Choice(index),
        })
    }

    fn choose(&mut self, participant: &Participant<'_>, count: usize) -> usize {
        if let Some((_, _, point)) = participant.current_trial()
            && let TrialQuestion::Rules(question) = &point.asked
        {
            match question.right {
                Some(right) if self.chance() < self.model.error => return 1 - right,
                Some(right) => return right,
                None if question.kind == "move" => return self.below(count),
                None => {}
            }
        }
        match participant.quiz_or_attention_answer_and_is_attention() {
            Some((right, attention)) if self.model.reads || !attention => right,
            Some((right, _)) => (right + 1) % count.max(1),
            // Consent, confirmations, another round.
            None => 0,
        }
    }

    fn percent(&mut self, participant: &Participant<'_>, min: u8, max: u8) -> u8 {
        let Some((trial, _, point)) = participant.current_trial() else {
            return 50;
        };
        let before = point.asked == TrialQuestion::Before;
        let first_is_right = trial.item().truth != trial.assigned.swap;
        let draw = self.chance();
        let errs = draw < self.model.error;
        let held = match self.model.held {
            _ if before => 50,
            0 => {
                #[expect(clippy::cast_possible_truncation, reason = "percent")]
                let any = (self.chance() * 100.0) as i32;
                any
            }
            held => i32::from(held),
        };
        let first = if first_is_right == errs {
            100 - held
        } else {
            held
        };
        let shown = (first + i32::from(self.model.lean)).clamp(min.into(), max.into());
        u8::try_from(shown).unwrap_or(50)
    }
}
