//! A trial in progress, for any kind of task: it runs to its next request and takes the participant's answer.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::argument::{EntriesSeenByParticipant, ParticipantDebateView, argument_lines};
use super::debate::{ParticipantDebate, TrialDebateRun};
use super::text::{append_leaf_evidence, log_entry_line, page_claims, text_line};
use super::{
    ParticipantTrialReply, ScheduledTrial, ShownTrialState, TrialQuestion, TrialRepliesBySeat,
    failed,
};
use crate::error::Result;
use crate::plan::item::JudgedItemSource;
use crate::plan::{InformationShownWithQuestion, ProbabilityQuestionTime, TrialTask};
use crate::session::page::StudyPagePointOrRemark;
use crate::session::program::{ProgramAnswer, StudyProgramPool};
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Rules as _, Seat};
use debate_core::scenario::Instance;
use debate_lab::judgements::{FinishedDebateToRejudge, RejudgementInProgress};
use debate_text::{DebateDescription, DebateNarrator, FormulaCharacterSet};

/// The content of a trial. A trial can be run from it repeatedly.
pub(super) enum TrialContent<'t> {
    /// A question without a debate.
    Direct {
        trial: &'t ScheduledTrial<'t>,
        shows: InformationShownWithQuestion,
    },
    /// A finished debate, played in advance, that the participant judges again. If `stepped` is true, it is shown round
    /// by round.
    Rejudge {
        trial: &'t ScheduledTrial<'t>,
        case: &'t FinishedDebateToRejudge,
        stepped: bool,
    },
    Debate(Box<ParticipantDebate<'t>>),
}

/// The folder and the name for the save of a trial's debate.
#[derive(Clone, Copy)]
pub(super) struct SaveTarget<'k> {
    pub(super) folder: &'k Path,
    pub(super) name: &'k str,
}

impl<'t> TrialContent<'t> {
    pub(super) fn content_of_trial(trial: &'t ScheduledTrial<'t>) -> Result<Self> {
        let stepped = match (trial.task(), &trial.item().source) {
            (TrialTask::Direct { shows }, _) => {
                let shows = *shows;
                return Ok(Self::Direct { trial, shows });
            }
            (TrialTask::Rejudge { stepped, .. }, JudgedItemSource::Save(case)) => {
                return Ok(Self::Rejudge {
                    trial,
                    case,
                    stepped: *stepped,
                });
            }
            _ => true,
        };
        if trial.is_prepared() {
            return Ok(Self::Rejudge {
                trial,
                case: trial.prepared()?,
                stepped,
            });
        }
        let debate = ParticipantDebate::debate_of_trial(trial, trial.task())?;
        Ok(Self::Debate(Box::new(debate)))
    }

    /// Adds a tag to the save of the debate.
    pub(super) fn add_save_tag(&mut self, name: &str, value: String) {
        if let Self::Debate(debate) = self {
            debate.add_save_tag(name, value);
        }
    }

    /// Begins the trial and runs it to its first request. Saves the trial's debate if `save_target` is given.
    pub(super) fn begin(&self, save_target: Option<SaveTarget<'_>>) -> Result<TrialInProgress<'_>> {
        let course = match self {
            Self::Direct { trial, shows } => ActiveRun::Direct(DirectRun {
                trial,
                shows: *shows,
                next: DirectStep::Before,
            }),
            Self::Rejudge {
                trial,
                case,
                stepped,
            } => ActiveRun::Rejudge(Box::new(RejudgeRun {
                trial,
                case,
                stepped: *stepped,
                rejudged: case.begin_rejudgement()?,
                due: None,
                is_shown: false,
                seen: EntriesSeenByParticipant::default(),
            })),
            Self::Debate(debate) => ActiveRun::Debate(Box::new(debate.begin(save_target)?)),
        };
        let mut run = TrialInProgress {
            point: ShownTrialState::default(),
            course,
        };
        run.go_on()?;
        Ok(run)
    }
}

/// A trial in progress.
pub(super) struct TrialInProgress<'t> {
    /// The text of the trial so far, and its pending request.
    pub(super) point: ShownTrialState,
    course: ActiveRun<'t>,
}

enum ActiveRun<'t> {
    Direct(DirectRun<'t>),
    Rejudge(Box<RejudgeRun<'t>>),
    Debate(Box<TrialDebateRun<'t>>),
}

impl TrialInProgress<'_> {
    /// Runs to the next request.
    fn go_on(&mut self) -> Result {
        let point = &mut self.point;
        point.is_reply = false;
        point.asked = match &mut self.course {
            ActiveRun::Direct(run) => run.go_on(point),
            ActiveRun::Rejudge(run) => run.go_on(point)?,
            ActiveRun::Debate(run) => run.run_to_request(point)?,
        };
        Ok(())
    }

    /// Processes the participant's answer to the trial's request.
    fn answer(&mut self, reply: &ParticipantTrialReply) -> Result {
        self.point.new_from = self.point.lines.len();
        match &mut self.course {
            ActiveRun::Debate(run) => {
                run.mark_log_entries_seen();
                if self.point.is_reply {
                    run.make_participant_reply(reply.to_debate_reply())?;
                }
            }
            ActiveRun::Rejudge(run) => {
                run.seen =
                    EntriesSeenByParticipant::all_entries_of_log_seen(run.rejudged.shown_log());
            }
            ActiveRun::Direct(_) => {}
        }
        self.go_on()
    }

    /// Adds the reply of another player, for which the debate waits.
    fn apply_reply(&mut self, seat: Seat, reply: Reply<Exact>) -> Result {
        if let ActiveRun::Debate(run) = &mut self.course {
            run.apply_reply(seat, reply)?;
        }
        self.go_on()
    }

    /// Replays the given replies of the participant and of other players, as far as the trial requests them.
    pub(super) fn apply_earlier_replies(
        &mut self,
        replies: &[ParticipantTrialReply],
        heard: &TrialRepliesBySeat,
    ) -> Result {
        let mut replies = replies.iter();
        let mut heard = heard.each_ref().map(|replies| replies.iter());
        loop {
            match self.point.asked {
                TrialQuestion::Over => return Ok(()),
                TrialQuestion::Others(seat) => {
                    let Some(reply) = heard.get_mut(seat.seat_index()).and_then(Iterator::next)
                    else {
                        return Ok(());
                    };
                    self.apply_reply(seat, reply.clone())?;
                }
                _ => {
                    let Some(reply) = replies.next() else {
                        return Ok(());
                    };
                    self.answer(reply)?;
                }
            }
        }
    }

    /// Asks the program whose reply the debate waits for.
    ///
    /// # Errors
    /// If the debate waits for no program.
    pub(super) fn ask_program(&self, programs: &StudyProgramPool) -> Result<ProgramAnswer> {
        let answer = match (&self.course, &self.point.asked) {
            (ActiveRun::Debate(run), TrialQuestion::Others(seat)) => {
                run.ask_program_if_seated(*seat, programs)
            }
            _ => None,
        };
        answer.ok_or_else(|| failed("the debate is not waiting for a program's reply"))
    }

    /// Closes the save of the debate and returns its path, if it has one. A debate that waits for the reply of another
    /// player ends with that seat's forfeit.
    pub(super) fn close_save(self) -> Result<Option<PathBuf>> {
        match self.course {
            ActiveRun::Debate(run) => run.close_save(&self.point.asked),
            ActiveRun::Direct(_) | ActiveRun::Rejudge(_) => Ok(None),
        }
    }
}

/// A question without a debate.
struct DirectRun<'t> {
    trial: &'t ScheduledTrial<'t>,
    shows: InformationShownWithQuestion,
    next: DirectStep,
}

/// The next stage of a trial without a debate: the question before any information, the information with the final
/// question, or the end.
enum DirectStep {
    Before,
    Show,
    End,
}

impl DirectRun<'_> {
    fn go_on(&mut self, point: &mut ShownTrialState) -> TrialQuestion {
        match self.next {
            DirectStep::Before if self.trial.asks(ProbabilityQuestionTime::Before) => {
                self.next = DirectStep::Show;
                TrialQuestion::Before
            }
            DirectStep::Before | DirectStep::Show => {
                self.next = DirectStep::End;
                self.show(&self.trial.item().instance_to_judge(), point);
                TrialQuestion::Final
            }
            DirectStep::End => TrialQuestion::Over,
        }
    }

    fn show(&self, instance: &Instance, point: &mut ShownTrialState) {
        match self.shows {
            InformationShownWithQuestion::Question => {}
            InformationShownWithQuestion::Source => {
                let source = instance
                    .as_two_answer_question()
                    .map_or("", |it| it.source().as_str());
                point.lines.extend(source.lines().map(text_line));
            }
            InformationShownWithQuestion::Evidence => {
                let mut lines = Vec::new();
                let study = self.trial.study;
                let everyday = study.has_pages_of_format_4_or_later();
                let words = everyday.then_some(&study.plan);
                append_leaf_evidence(instance, instance.root(), words, &mut lines);
                if let Some(plan) = words.filter(|_| lines.len() > 1) {
                    lines.insert(0, plan.filled_text("points with evidence", &json!({})));
                }
                point.lines.extend(lines.into_iter().map(text_line));
            }
        }
    }
}

/// A trial that shows a debate which was played in advance.
struct RejudgeRun<'t> {
    trial: &'t ScheduledTrial<'t>,
    case: &'t FinishedDebateToRejudge,
    stepped: bool,
    rejudged: RejudgementInProgress<'t>,
    /// The question about the part of the debate that was shown last, still to be asked. It is dropped if no other part
    /// follows, because the final question then takes its place.
    due: Option<TrialQuestion>,
    /// True if the whole debate was shown to the participant.
    is_shown: bool,
    /// The log entries that the participant had seen at their last answer.
    seen: EntriesSeenByParticipant,
}

impl RejudgeRun<'_> {
    fn go_on(&mut self, point: &mut ShownTrialState) -> Result<TrialQuestion> {
        if self.is_shown {
            return Ok(TrialQuestion::Over);
        }
        loop {
            if self.due.is_some() && self.rejudged.has_more_questions_to_second_judge() {
                return Ok(self.due.take().unwrap_or_default());
            }
            let Some(new) = self
                .rejudged
                .show_debate_up_to_next_question()
                .map_err(failed)?
            else {
                self.is_shown = true;
                return Ok(TrialQuestion::Final);
            };
            self.show(new, point);
            point.round = self.rejudged.rounds_shown_so_far();
            self.due = match point.round {
                0 if self.trial.asks(ProbabilityQuestionTime::Before) => {
                    Some(TrialQuestion::Before)
                }
                round
                    if round > 0
                        && self.stepped
                        && self.trial.asks(ProbabilityQuestionTime::EachRound) =>
                {
                    Some(TrialQuestion::Round(round))
                }
                _ => None,
            };
        }
    }

    /// Updates the page after the log entries `new` were shown. In studies of format 3 and earlier, adds lines for
    /// these entries; later formats rebuild the arguments from the whole log.
    fn show(&self, new: Range<usize>, point: &mut ShownTrialState) {
        let instance = &self.case.instance;
        let study = self.trial.study;
        let log = self.rejudged.shown_log();
        let figures = study.shows_numbers_to_judge(self.trial.assigned.condition);
        let narrator = DebateNarrator {
            figures,
            ..DebateNarrator::new(instance, FormulaCharacterSet::Unicode)
        };
        if study.has_pages_of_format_4_or_later() {
            point.arguments = argument_lines(&ParticipantDebateView {
                plan: &study.plan,
                instance,
                protocol: &self.case.protocol,
                log,
                narrator,
                seat: None,
                figures,
                only_prover: false,
                seen: &self.seen,
            });
            point.arguments.extend(self.evidence_line());
            return;
        }
        let facts = DebateDescription::new(instance, &self.case.protocol);
        let lines = new.filter_map(|index| log_entry_line(&narrator, log, index));
        point.lines.extend(lines);
        let evidence = self.rejudged.question_and_evidence(&narrator).into_iter();
        point.lines.extend(evidence.map(text_line));
        point.claims = page_claims(&facts, true, self.rejudged.shown_state(), log);
    }

    /// Returns the line with the evidence that the debate's judge checked at this point, if there is any.
    fn evidence_line(&self) -> Option<StudyPagePointOrRemark> {
        let turn = self.rejudged.shown_state().request()?;
        let claim = turn.request.claim_for_judge_to_decide()?;
        let instance = &self.case.instance;
        let places = json!({"claim": instance.text(claim), "evidence": instance.evidence(claim)?});
        let plan = &self.trial.study.plan;
        Some(StudyPagePointOrRemark {
            body: text_line(plan.filled_text("evidence on", &places)),
            is_new: true,
            ..StudyPagePointOrRemark::default()
        })
    }
}
