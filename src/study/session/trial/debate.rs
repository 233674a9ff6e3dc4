//! The debate of a trial, in which the participant has a seat that the study file names.

use std::path::PathBuf;
use std::sync::Arc;

use super::argument::{EntriesSeenByParticipant, ParticipantDebateView, argument_lines};
use super::question::RequestToParticipant;
use super::run::SaveTarget;
use super::text::{log_entry_line, mark_quotes, page_claims};
use super::{ScheduledTrial, ShownTrialState, TrialQuestion, failed};
use crate::error::{Result, StudyError};
use crate::plan::{ENGINE, ProbabilityQuestionTime, TrialTask};
use crate::session::program::{ProgramAnswer, ProgramPlayerFault, StudyProgramPool};
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _};
use debate_core::observe::ObservedLogEntry;
use debate_core::player::{Move, PlayerSpec, SeatedDebate};
use debate_core::protocol::speeches::SpeechDebate;
use debate_core::protocol::{
    Log, LogViewerRole, PendingTurn, Protocol, ProtocolKind, Reply, ReplySeal, Seat,
    SeatResourceCosts,
};
use debate_core::scenario::{Instance, SpeechPart};
use debate_host::Debate;
use debate_host::engine::EngineFault;
use debate_host::plan::{DebatePlan, players};
use debate_host::record::ReplyMeta;
use debate_text::{
    DebateDescription, DebateNarrator, FormulaCharacterSet, Line, ViewerPerspective,
    seal_opening_sentence_states_reply,
};

/// The rules of a consultancy: a debate whose opponent is hidden from the participant. [`UNHEARD`] is the opponent, who
/// gives every claim the probability one half.
const CONSULTANCY: &str = "ProverEstimator(epsilon: 0.25, rho: 0.5)";
const UNHEARD: &str = "stubborn(0.5)";
/// The default judge if the participant is a debater and neither the study nor the scenario names a judge.
const JUDGE: &str = "oracle";

/// The debate of a trial, in which the participant has a seat.
pub(super) struct ParticipantDebate<'t> {
    trial: &'t ScheduledTrial<'t>,
    /// The participant's seat.
    seat: Seat,
    instance: Instance,
    plan: DebatePlan,
    /// True if the participant does not see the opponent, as in a consultancy.
    alone: bool,
}

impl<'t> ParticipantDebate<'t> {
    pub(super) fn debate_of_trial(trial: &'t ScheduledTrial<'t>, task: &TrialTask) -> Result<Self> {
        let own_judge = trial.item().setup().players.text_of_seat(Seat::Judge);
        let (protocol, names, alone) = match task {
            TrialTask::Debate {
                protocol,
                prover,
                opponent,
                judge,
            } => {
                let judge = judge.as_deref().or(own_judge).unwrap_or(JUDGE);
                let rules = protocol.protocol.as_ref().clone();
                (rules, [prover.as_str(), opponent.as_str(), judge], false)
            }
            TrialTask::Consultancy { prover } => {
                let rules = Protocol::parse(CONSULTANCY).map_err(failed)?;
                (rules, [prover.as_str(), UNHEARD, JUDGE], true)
            }
            TrialTask::Direct { .. } | TrialTask::Rejudge { .. } => {
                return Err(failed("the condition of this trial has no debate to play"));
            }
        };
        let seat = trial.seat;
        let study = trial.study;
        let protocol = study.with_quote_rule_of_lock(protocol);
        let people = &study.plan.roles;
        let spec = |of: Seat| {
            let name = names.get(of.seat_index()).filter(|_| !people.contains(&of));
            let name = name.copied().unwrap_or("human");
            if name.starts_with(ENGINE) {
                if trial.stand_ins {
                    let usual = players([None; 3], &[None], trial.item().setup(), &protocol);
                    let [prover, opponent, judge] = usual.map_err(failed)?;
                    return Ok(match of {
                        Seat::Prover => prover,
                        Seat::Opponent => opponent,
                        _ => judge,
                    });
                }
                return study.plan.parse_player(name).map_err(failed);
            }
            let spec = PlayerSpec::parse(name).map_err(failed)?;
            let is_outside = spec.is_human()
                || spec.is_program_using_serve()
                || spec.command_or_model_name().is_some();
            if is_outside && !people.contains(&of) {
                return Err(failed(format!(
                    "the player `{spec}` is not built in; name a built-in player or `engine:NAME`"
                )));
            }
            Ok(spec)
        };
        let players = [
            spec(Seat::Prover)?,
            spec(Seat::Opponent)?,
            spec(Seat::Judge)?,
        ];
        let instance = trial.item().instance_to_judge();
        let setup = trial.item().setup().clone();
        Ok(Self {
            trial,
            seat,
            plan: DebatePlan {
                debate: u64::from(trial.assigned.number),
                world: instance.world_index(),
                blind: true,
                ..DebatePlan::new(setup, protocol, Self::seed(trial)?, players)
            },
            instance,
            alone,
        })
    }

    /// Adds a tag to the header of the debate's save.
    pub(super) fn add_save_tag(&mut self, name: &str, value: String) {
        self.plan.tags.insert(name.to_owned(), value);
    }

    /// True if participants of the study play this seat.
    fn is_human_seat(&self, seat: Seat) -> bool {
        self.trial.study.plan.roles.contains(&seat)
    }

    /// True if a live program has this seat.
    fn is_program(&self, seat: Seat) -> bool {
        let player = self.plan.players.get(seat.seat_index());
        player.is_some_and(|player| player.command_or_model_name().is_some())
    }

    /// Returns the answer of the program whose turn it is, with its illegal replies, which cost as much as legal
    /// ones.
    fn ask(&self, seating: &SeatedDebate<'_, Exact>, pool: &StudyProgramPool) -> ProgramAnswer {
        let plan = DebatePlan {
            engines: pool.options.clone(),
            ..self.plan.clone()
        };
        let seated = plan.seat_engines(&self.instance, |command| {
            pool.engines.process_for_command(command)
        });
        let mut refused = Vec::new();
        let reply = match seated {
            Err(error) => {
                let fault = EngineFault::Infrastructure;
                Err(ProgramPlayerFault::new(fault, error.to_string()))
            }
            Ok(engines) => {
                let mut engines = engines.with_cost_meter(Arc::clone(&pool.meter));
                let said = engines.play(seating, &|| false, &mut |news| {
                    refused.extend(ProgramPlayerFault::fault_of_engine_event(news));
                });
                let reply = said.map(|(made, meta)| (made.reply, meta));
                reply.map_err(ProgramPlayerFault::from)
            }
        };
        ProgramAnswer { refused, reply }
    }

    fn seed(trial: &ScheduledTrial<'_>) -> Result<Seed> {
        let seed = &trial.study.plan.seed;
        let trial_seed = format!("{seed}/{}/{}", trial.slot, trial.item().id);
        Seed::new(trial_seed.clone())
            .ok_or_else(|| failed(format!("the seed `{trial_seed}` is not valid")))
    }

    /// Begins the trial's debate. Saves the debate if `save_target` is given.
    pub(super) fn begin(&self, save_target: Option<SaveTarget<'_>>) -> Result<TrialDebateRun<'_>> {
        // The rules of speeches already ask the judge for probabilities.
        let rules_ask =
            self.plan.protocol.kind() == ProtocolKind::Speeches && self.seat == Seat::Judge;
        Ok(TrialDebateRun {
            debate: self,
            running: self.start(save_target)?,
            shown: ShownEntries::default(),
            seen: EntriesSeenByParticipant::default(),
            entered: 0,
            may_enter: false,
            phase: Phase::Before,
            rules_ask,
        })
    }

    fn start(&self, save_target: Option<SaveTarget<'_>>) -> Result<Debate<'_>> {
        let plan = &self.plan;
        let instance = &self.instance;
        let players = plan.build_players(instance, ComputationBudget::default());
        let seating = plan
            .seat(instance, players.map_err(failed)?)
            .map_err(failed)?;
        let Some(SaveTarget { folder, name }) = save_target else {
            return Ok(Debate::new(seating, None));
        };
        let journal = plan.begin_save(instance, folder, name, None);
        Ok(Debate::new(seating, Some(journal.map_err(failed)?)))
    }

    /// Returns the lines of the source text for a debater. Quoted passages are separate spans.
    fn source(&self, log: &Log<Exact>) -> Vec<Line> {
        let Some(question) = self.instance.as_two_answer_question() else {
            return Vec::new();
        };
        let source = question.source();
        let speeches = log
            .entries()
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| {
                let seen = log.observation_at(index, LogViewerRole::JUDGING_ANEW)?;
                matches!(seen, ObservedLogEntry::Open(_)).then(|| entry.event.speech())?
            });
        let quotes = speeches
            .flat_map(|speech| &speech.parts)
            .filter_map(|part| match part {
                SpeechPart::Quote(words) => source.find_in_exact_case(words),
                SpeechPart::Text(_) => None,
            });
        mark_quotes(source.as_str(), quotes.collect())
    }

    /// Returns the narrator that describes events from the participant's seat.
    fn narrator(&self) -> DebateNarrator<'_> {
        DebateNarrator::new(&self.instance, FormulaCharacterSet::Unicode)
            .seen_from(ViewerPerspective::of_seat(self.seat))
    }

    /// Returns the page's request for the participant's turn. The number is the count of rounds that the judge has
    /// heard when the rules ask for the judge's probability; `None` for all other requests.
    fn question(
        &self,
        turn: &PendingTurn<Exact>,
        log: &Log<Exact>,
    ) -> Result<(TrialQuestion, Option<u32>)> {
        let mut narrator = self.narrator();
        if self.seat == Seat::Judge {
            narrator = DebateNarrator::new(&self.instance, FormulaCharacterSet::Unicode);
        }
        let plan = &self.trial.study.plan;
        let question = RequestToParticipant::of(turn, log, &narrator, plan)?;
        if self.seat != Seat::Judge || question.kind != "estimate" {
            return Ok((TrialQuestion::Rules(question), None));
        }
        let round = debate_core::protocol::speeches::rounds_heard_by_judge(log);
        let asked = match round {
            0 => TrialQuestion::Before,
            round => TrialQuestion::Round(round),
        };
        Ok((asked, Some(round)))
    }
}

/// The phase of a trial with a debate: the question before it, the debate itself, or the end.
enum Phase {
    /// The question before the debate.
    Before,
    Play,
    Over,
}

/// A trial's debate in progress.
pub(super) struct TrialDebateRun<'t> {
    debate: &'t ParticipantDebate<'t>,
    running: Debate<'t>,
    shown: ShownEntries,
    /// The log entries that had been shown to the participant when they last answered.
    seen: EntriesSeenByParticipant,
    /// The number of rounds that the debate has entered so far.
    entered: u32,
    /// True if another player has moved since the rounds were last counted. The move may have begun a new round.
    may_enter: bool,
    phase: Phase,
    /// True if the participant judges a debate in speeches, whose rules ask for the judge's probabilities. The trial
    /// then asks for none itself.
    rules_ask: bool,
}

impl TrialDebateRun<'_> {
    /// Runs to the participant's next request, to another player's turn, or to the end.
    pub(super) fn run_to_request(
        &mut self,
        snapshot: &mut ShownTrialState,
    ) -> Result<TrialQuestion> {
        let trial = self.debate.trial;
        match self.phase {
            Phase::Before => {
                self.phase = Phase::Play;
                if !self.rules_ask && trial.asks(ProbabilityQuestionTime::Before) {
                    return Ok(TrialQuestion::Before);
                }
            }
            Phase::Play => {}
            Phase::Over => return Ok(TrialQuestion::Over),
        }
        loop {
            if let Some(round) = self.round_over(snapshot)
                && trial.asks(ProbabilityQuestionTime::EachRound)
            {
                return Ok(TrialQuestion::Round(round));
            }
            let Some(turn) = self.running.state_and_players().turn() else {
                break;
            };
            if self.asks_for_skipped_words(turn.seat) {
                self.make_participant_reply(Reply::Speech(Box::default()))?;
                continue;
            }
            if turn.seat == self.debate.seat {
                self.listen(snapshot);
                let log = self.running.state_and_players().log();
                let (asked, round) = self.debate.question(&turn, log)?;
                snapshot.round = round.unwrap_or(snapshot.round);
                snapshot.is_last_round = self.is_last_speech_round();
                snapshot.is_reply = true;
                return Ok(asked);
            }
            if self.debate.is_program(turn.seat) || self.debate.is_human_seat(turn.seat) {
                self.listen(snapshot);
                return Ok(TrialQuestion::Others(turn.seat));
            }
            self.running.advance_by_one_move().map_err(failed)?;
            self.may_enter = true;
        }
        self.phase = Phase::Over;
        self.listen(snapshot);
        if self.rules_ask {
            return Ok(TrialQuestion::Over);
        }
        // A consultancy has no price, so it counts no rounds.
        if trial.study.counts_last_round_of_live_debates() && !self.debate.alone {
            // A debate without named rounds has one, as when it is judged again.
            snapshot.round = rounds(self.running.state_and_players().log()).max(1);
        }
        Ok(TrialQuestion::Final)
    }

    /// True if the rules now ask a participant in this seat for words that no other player reads, and the study does
    /// not want these words.
    fn asks_for_skipped_words(&self, seat: Seat) -> bool {
        let spoken: Result<&SpeechDebate<'_, Exact>, _> =
            self.running.state_and_players().state().try_into();
        self.debate.is_human_seat(seat)
            && !self.debate.trial.study.asks_judge_for_private_reasons()
            && spoken.is_ok_and(SpeechDebate::asks_for_words_after_last_round)
    }

    /// True in the last round of a debate in speeches.
    fn is_last_speech_round(&self) -> bool {
        let spoken: Result<&SpeechDebate<'_, Exact>, _> =
            self.running.state_and_players().state().try_into();
        spoken.is_ok_and(SpeechDebate::is_last_round)
    }

    /// If a round has just ended, updates the page and returns the number of ended rounds. `None` otherwise, and always
    /// in a consultancy and for the judge of a debate in speeches.
    fn round_over(&mut self, point: &mut ShownTrialState) -> Option<u32> {
        if !std::mem::take(&mut self.may_enter) || self.rules_ask || self.debate.alone {
            return None;
        }
        let entered = rounds(self.running.state_and_players().log());
        let before = std::mem::replace(&mut self.entered, entered);
        if entered == before || before == 0 {
            return None;
        }
        self.listen(point);
        point.round = entered - 1;
        Some(point.round)
    }

    /// Records that the participant has seen the current log entries.
    pub(super) fn mark_log_entries_seen(&mut self) {
        self.seen = EntriesSeenByParticipant::all_entries_of_log_seen(
            self.running.state_and_players().log(),
        );
    }

    /// Makes the participant's reply.
    pub(super) fn make_participant_reply(&mut self, reply: Reply<Exact>) -> Result {
        let taken = self.running.reply(reply, 0).map_err(failed)?;
        let plan = &self.debate.trial.study.plan;
        taken.map_err(|illegal| StudyError::Refused(plan.illegal_reply_sentence(&illegal)))
    }

    /// Adds the reply of another player to the debate.
    pub(super) fn apply_reply(&mut self, seat: Seat, reply: Reply<Exact>) -> Result {
        let made = Move {
            seat,
            reply,
            coin: None,
            spent: SeatResourceCosts::default(),
        };
        self.may_enter = true;
        self.running
            .apply_player_move(made, &ReplyMeta::default())
            .map_err(failed)
    }

    /// Asks the program that plays a seat for its reply; `None` if no program plays it.
    pub(super) fn ask_program_if_seated(
        &self,
        seat: Seat,
        programs: &StudyProgramPool,
    ) -> Option<ProgramAnswer> {
        let is_program = self.debate.is_program(seat);
        is_program.then(|| self.debate.ask(self.running.state_and_players(), programs))
    }

    /// Closes the debate's save and returns the save's path. If the debate still waits for a player other than this
    /// participant, that player forfeits.
    pub(super) fn close_save(mut self, asked: &TrialQuestion) -> Result<Option<PathBuf>> {
        if let TrialQuestion::Others(seat) = *asked {
            let (fault, why) = (
                "timeout",
                "the player did not reply within the study's time limit",
            );
            let log_note = self
                .running
                .save_fault_comment(seat, fault, why, ReplyMeta::default());
            log_note
                .and_then(|()| self.running.end_by_forfeit(seat, fault))
                .map_err(failed)?;
        }
        self.running.flush_save().map_err(failed)?;
        Ok(self.running.save_path().map(PathBuf::from))
    }

    /// Updates the page's content to the current log. In studies of format 3 and earlier, adds lines for new log
    /// entries, and replaces lines whose hidden content was revealed since the last call.
    fn listen(&mut self, point: &mut ShownTrialState) {
        let debate = self.debate;
        let seating = self.running.state_and_players();
        let log = seating.log();
        if debate.seat != Seat::Judge {
            point.source = debate.source(log);
        }
        let study = debate.trial.study;
        let figures = debate.seat != Seat::Judge
            || study.shows_numbers_to_judge(debate.trial.assigned.condition);
        let narrator = DebateNarrator {
            figures,
            ..debate.narrator()
        };
        if study.has_pages_of_format_4_or_later() {
            point.arguments = argument_lines(&ParticipantDebateView {
                plan: &study.plan,
                instance: &debate.instance,
                protocol: &debate.plan.protocol,
                log,
                narrator,
                seat: Some(debate.seat),
                figures,
                only_prover: debate.alone,
                seen: &self.seen,
            });
            return;
        }
        let shown = &mut self.shown;
        shown.open(&narrator, log, point);
        let entries = log.entries();
        for (index, entry) in entries.iter().enumerate().skip(shown.count) {
            let heard = !debate.alone || entry.event.is_step_of_prover_argument();
            let Some(line) = log_entry_line(&narrator, log, index).filter(|_| heard) else {
                continue;
            };
            let seal = entry.seal.filter(|_| is_sealed(log, index));
            let position = point.lines.len();
            shown.sealed.extend(seal.map(|seal| SealedLine {
                index,
                position,
                seal,
            }));
            point.lines.push(line);
        }
        shown.count = entries.len();
        let facts = DebateDescription::new(&debate.instance, &debate.plan.protocol);
        point.claims = page_claims(&facts, !debate.alone, seating.state(), log);
    }
}

/// The log entries that are shown to the participant.
#[derive(Default)]
struct ShownEntries {
    count: usize,
    /// The lines of the page whose log entries are still sealed (their content is hidden).
    sealed: Vec<SealedLine>,
}

/// A line of the page about a reply that is sealed (its content is hidden).
struct SealedLine {
    /// Index of the reply's entry in the debate's log.
    index: usize,
    /// Index of the sealed reply's line on the page.
    position: usize,
    seal: ReplySeal,
}

impl ShownEntries {
    /// Replaces the line of each hidden reply that was revealed. The line counts as new unless another line gives its
    /// content.
    fn open(
        &mut self,
        narrator: &DebateNarrator<'_>,
        log: &Log<Exact>,
        point: &mut ShownTrialState,
    ) {
        let opened = self.sealed.extract_if(.., |it| !is_sealed(log, it.index));
        for SealedLine {
            index,
            position,
            seal,
        } in opened
        {
            let Some((shown, line)) = point
                .lines
                .get_mut(position)
                .zip(log_entry_line(narrator, log, index))
            else {
                continue;
            };
            *shown = line;
            if !seal_opening_sentence_states_reply(seal) {
                point.new_from = point.new_from.min(position);
            }
        }
    }
}

/// True if the content of a log entry is still hidden from participants.
fn is_sealed(log: &Log<Exact>, index: usize) -> bool {
    let seen = log.observation_at(index, LogViewerRole::JUDGING_ANEW);
    seen.is_some_and(|seen| seen.is_reply_content_sealed())
}

/// Returns the number of rounds that the debate has entered so far.
fn rounds(log: &Log<Exact>) -> u32 {
    let entries = log.entries().iter();
    let entered = entries.filter(|entry| entry.event.round_started_by_event().is_some());
    u32::try_from(entered.count()).unwrap_or(u32::MAX)
}

impl ScheduledTrial<'_> {
    /// Returns the probability of the root claim that the opponent states in public, if it states one.
    ///
    /// # Errors
    /// If the debate cannot be played.
    pub(crate) fn opponents_public_root_estimate(&self) -> Result<Option<f64>> {
        if !matches!(self.task(), TrialTask::Debate { .. }) {
            return Ok(None);
        }
        if self.is_prepared() {
            let case = self.prepared()?;
            let mut judged = case.begin_rejudgement().map_err(failed)?;
            while judged
                .show_debate_up_to_next_question()
                .map_err(failed)?
                .is_some()
            {}
            let estimate = judged.shown_log().root_estimate();
            return Ok(estimate.map(Exact::to_float));
        }
        let debate = ParticipantDebate::debate_of_trial(self, self.task())?;
        let mut running = debate.start(None)?;
        loop {
            let estimate = running.state_and_players().log().root_estimate();
            let over = running.state_and_players().turn().is_none_or(|turn| {
                debate.is_human_seat(turn.seat)
                    || debate.is_program(turn.seat)
                    || turn.seat == Seat::Judge
            });
            if estimate.is_some() || over {
                return Ok(estimate.map(Exact::to_float));
            }
            running.advance_by_one_move().map_err(failed)?;
        }
    }
}
