//! The debate of a trial, with the participant in the seat that the study file names; what its rules ask them, and
//! the reply that an answer makes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Asked, Halt, SPEECH, Telling, Trial, claims, failed, line};
use crate::error::{Result, StudyError};
use crate::plan::{AskWhen, ENGINE, Task};
use crate::session::page::Input;
use crate::session::program::{ProgramAnswer, ProgramFault, ProgramPool};
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number};
use debate_core::observe::Observation;
use debate_core::player::{Move, Seating, Spec};
use debate_core::protocol::{Kind, Log, Protocol, Reader, Reply, Seal, Seat, Spent, Turn};
use debate_core::scenario::{Instance, Speech, SpeechPart};
use debate_host::Debate;
use debate_host::engine::EngineFault;
use debate_host::plan::{DebatePlan, players};
use debate_host::record::ReplyMeta;
use debate_text::{
    DebateFacts, Line, Narrator, Perspective, ReplyChoice, Role, Script, opening_tells,
};

/// The rules of a consultancy: those of a debate whose opponent says one half of everything and is
/// not heard.
const CONSULTANCY: &str = "ProverEstimator(epsilon: 0.25, rho: 0.5)";
const UNHEARD: &str = "stubborn(0.5)";
/// The judge where the participant debates, and neither study nor scenario names one.
const JUDGE: &str = "oracle";

/// Where the debate of a trial is kept.
pub(super) struct Keeping<'k> {
    pub(super) folder: &'k Path,
    pub(super) name: String,
    /// Further tags of its header.
    pub(super) tags: BTreeMap<String, String>,
    pub(super) path: Option<PathBuf>,
}

/// The debate of a trial, with the participant in a seat.
pub(super) struct TrialDebate<'t, 's> {
    trial: &'t Trial<'s>,
    /// The participant's seat.
    seat: Seat,
    instance: Instance,
    plan: DebatePlan,
    /// True if the opponent is not heard.
    alone: bool,
}

impl<'t, 's> TrialDebate<'t, 's> {
    pub(super) fn of(trial: &'t Trial<'s>, task: &Task) -> Result<Self, Halt> {
        let own_judge = trial.item().setup().players.get(Seat::Judge);
        let (protocol, names, alone) = match task {
            Task::Debate {
                protocol,
                prover,
                opponent,
                judge,
            } => {
                let judge = judge.as_deref().or(own_judge).unwrap_or(JUDGE);
                let rules = protocol.protocol.as_ref().clone();
                (rules, [prover.as_str(), opponent.as_str(), judge], false)
            }
            Task::Consultancy { prover } => {
                let rules = Protocol::parse(CONSULTANCY).map_err(failed)?;
                (rules, [prover.as_str(), UNHEARD, JUDGE], true)
            }
            Task::Direct { .. } | Task::Rejudge { .. } => return Err(failed("it has none")),
        };
        let seat = trial.seat;
        let study = trial.study;
        let protocol = study.with_its_quotes(protocol);
        let people = &study.plan.roles;
        let spec = |of: Seat| {
            let name = names.get(of.index()).filter(|_| !people.contains(&of));
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
                return study.plan.player(name).map_err(failed);
            }
            let spec = Spec::parse(name).map_err(failed)?;
            let is_outside = spec.is_human() || spec.is_served() || spec.command().is_some();
            if is_outside && !people.contains(&of) {
                return Err(failed(format!(
                    "`{spec}` is no built-in player, and nobody else plays in a study"
                )));
            }
            Ok(spec)
        };
        let players = [
            spec(Seat::Prover)?,
            spec(Seat::Opponent)?,
            spec(Seat::Judge)?,
        ];
        let instance = trial.item().instance();
        let setup = trial.item().setup().clone();
        Ok(Self {
            trial,
            seat,
            plan: DebatePlan {
                debate: u64::from(trial.assigned.number),
                world: instance.world(),
                blind: true,
                ..DebatePlan::new(setup, protocol, Self::seed(trial)?, players)
            },
            instance,
            alone,
        })
    }

    /// Writes into the save what is kept of the debate besides.
    pub(super) fn tag(&mut self, keeping: Option<&Keeping<'_>>) {
        if let Some(keeping) = keeping {
            self.plan.tags.clone_from(&keeping.tags);
        }
    }

    /// True if a person sits there, the participant or somebody else.
    fn is_person(&self, seat: Seat) -> bool {
        self.trial.study.plan.roles.contains(&seat)
    }

    /// True if a program sits there, which plays now.
    fn is_program(&self, seat: Seat) -> bool {
        let player = self.plan.players.get(seat.index());
        player.is_some_and(|player| player.command().is_some())
    }

    /// The answer of the program whose turn it is, with its illegal replies: they cost as much as legal ones.
    fn ask(&self, seating: &Seating<'_, Exact>, pool: &ProgramPool) -> ProgramAnswer {
        let plan = DebatePlan {
            engines: pool.options,
            ..self.plan.clone()
        };
        let seated = plan.seat_engines(&self.instance, |command| pool.engines.engine(command));
        let mut refused = Vec::new();
        let reply = match seated {
            Err(error) => {
                let fault = EngineFault::Infrastructure;
                Err(ProgramFault::new(fault, error.to_string()))
            }
            Ok(engines) => {
                let mut engines = engines.metered(Arc::clone(&pool.meter));
                let said = engines.play(seating, &|| false, &mut |news| {
                    refused.extend(ProgramFault::of_news(news));
                });
                let reply = said.map(|(made, meta)| (made.reply, meta));
                reply.map_err(ProgramFault::from)
            }
        };
        ProgramAnswer { refused, reply }
    }

    fn seed(trial: &Trial<'_>) -> Result<Seed, Halt> {
        let seed = &trial.study.plan.seed;
        let text = format!("{seed}/{}/{}", trial.slot, trial.item().id);
        Seed::new(text.clone()).ok_or_else(|| failed(format!("`{text}` is no seed")))
    }

    fn debate(&self, keeping: Option<&mut Keeping<'_>>) -> Result<Debate<'_>, Halt> {
        let plan = &self.plan;
        let instance = &self.instance;
        let players = plan.build_players(instance, Budget::default());
        let seating = plan
            .seat(instance, players.map_err(failed)?)
            .map_err(failed)?;
        let Some(keeping) = keeping else {
            return Ok(Debate::new(seating, None));
        };
        let journal = plan
            .begin_save(instance, keeping.folder, &keeping.name, None)
            .map_err(failed)?;
        keeping.path = Some(journal.path().to_owned());
        Ok(Debate::new(seating, Some(journal)))
    }

    pub(super) fn tell(
        &self,
        telling: &mut Telling<'_>,
        keeping: Option<&mut Keeping<'_>>,
    ) -> Result<(), Halt> {
        // The rules of speeches ask their judge for probabilities themselves.
        let speaks = self.plan.protocol.kind() == Kind::Speeches && self.seat == Seat::Judge;
        if !speaks && self.trial.asks(AskWhen::Before) {
            telling.ask(Asked::Before)?;
        }
        let keeps = keeping.is_some();
        let mut running = self.debate(keeping)?;
        let mut shown = ShownEntries::default();
        let mut entered = 0;
        while let Some(turn) = running.seating().turn() {
            if turn.seat == self.seat {
                self.listen(running.seating(), &mut shown, telling);
                let reply = self.asked(&turn, running.seating().log(), telling)?;
                let taken = running.reply(reply, 0).map_err(failed)?;
                taken.map_err(|illegal| Halt::Failed(StudyError::Refused(illegal.to_string())))?;
                continue;
            }
            let is_program = self.is_program(turn.seat);
            if is_program || self.is_person(turn.seat) {
                self.listen(running.seating(), &mut shown, telling);
                let reply = match telling.hear(turn.seat) {
                    Err(moment) => {
                        if keeps {
                            forfeit(&mut running, turn.seat)?;
                        } else if let Some(pool) = telling.programs.filter(|_| is_program) {
                            telling.answer = Some(self.ask(running.seating(), pool));
                        }
                        return Err(moment.into());
                    }
                    Ok(heard) => heard.clone(),
                };
                let made = Move {
                    seat: turn.seat,
                    reply,
                    coin: None,
                    spent: Spent::default(),
                };
                running
                    .accept(made, &ReplyMeta::default())
                    .map_err(failed)?;
            } else {
                running.advance().map_err(failed)?;
            }
            let rounds = rounds(running.seating().log());
            if rounds > entered && !speaks && !self.alone {
                let is_first = entered == 0;
                entered = rounds;
                if !is_first {
                    self.listen(running.seating(), &mut shown, telling);
                    telling.round = entered - 1;
                    if self.trial.asks(AskWhen::EachRound) {
                        telling.ask(Asked::Round(telling.round))?;
                    }
                }
            }
        }
        self.listen(running.seating(), &mut shown, telling);
        if !speaks {
            telling.ask(Asked::Final)?;
        }
        running.flush().map_err(failed)
    }

    /// Adds the lines of the entries since the last call, and opens the lines whose seal was opened since.
    fn listen(
        &self,
        seating: &Seating<'_, Exact>,
        shown: &mut ShownEntries,
        telling: &mut Telling<'_>,
    ) {
        let narrator = self.narrator();
        let log = seating.log();
        shown.open(&narrator, log, telling);
        let entries = log.entries();
        for (index, entry) in entries.iter().enumerate().skip(shown.count) {
            let heard = !self.alone || entry.event.is_provers_case();
            let Some(line) = line(&narrator, log, index).filter(|_| heard) else {
                continue;
            };
            let seal = entry.seal.filter(|_| is_sealed(log, index));
            let place = telling.lines.len();
            shown
                .sealed
                .extend(seal.map(|seal| SealedLine { index, place, seal }));
            telling.lines.push(line);
        }
        shown.count = entries.len();
        let facts = DebateFacts::new(&self.instance, &self.plan.protocol);
        telling.claims = claims(&facts, !self.alone, seating.state(), log);
        if self.seat != Seat::Judge {
            telling.source = self.source(log);
        }
    }

    /// The source as somebody who debates reads it, line by line: what was quoted is a piece of its own.
    fn source(&self, log: &Log<Exact>) -> Vec<Line> {
        let Some(question) = self.instance.question() else {
            return Vec::new();
        };
        let source = question.source();
        let speeches = log
            .entries()
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| {
                let seen = log.seen_by(index, Reader::JUDGING_ANEW)?;
                matches!(seen, Observation::Open(_)).then(|| entry.event.speech())?
            });
        let quotes = speeches
            .flat_map(|speech| &speech.parts)
            .filter_map(|part| match part {
                SpeechPart::Quote(words) => source.find(words),
                SpeechPart::Text(_) => None,
            });
        marked(source.as_str(), quotes.collect())
    }

    /// Tells it from the participant's seat.
    fn narrator(&self) -> Narrator<'_> {
        Narrator::new(&self.instance, Script::Unicode).seen_from(Perspective::of(self.seat))
    }

    /// The participant's reply.
    fn asked(
        &self,
        turn: &Turn<Exact>,
        log: &Log<Exact>,
        telling: &mut Telling<'_>,
    ) -> Result<Reply<Exact>, Halt> {
        let mut narrator = self.narrator();
        if self.seat == Seat::Judge {
            narrator = Narrator::new(&self.instance, Script::Unicode);
        }
        let question = RulesQuestion::of(turn, log, &narrator)?;
        let asked = if self.seat == Seat::Judge && question.kind == "estimate" {
            telling.round = debate_core::protocol::speeches::continues(log);
            match telling.round {
                0 => Asked::Before,
                round => Asked::Round(round),
            }
        } else {
            Asked::Rules(question)
        };
        Ok(telling.ask_reply(asked)?.in_debate())
    }
}

/// The log entries that a participant was shown.
#[derive(Default)]
struct ShownEntries {
    count: usize,
    /// Lines whose seal is not open yet.
    sealed: Vec<SealedLine>,
}

/// The line of a sealed reply.
struct SealedLine {
    /// The entry in the log.
    index: usize,
    /// The index among the lines of the page.
    place: usize,
    seal: Seal,
}

impl ShownEntries {
    /// Replaces each sealed line whose seal is open by now. It counts as new if no other line tells its content.
    fn open(&mut self, narrator: &Narrator<'_>, log: &Log<Exact>, telling: &mut Telling<'_>) {
        let opened = self.sealed.extract_if(.., |it| !is_sealed(log, it.index));
        for SealedLine { index, place, seal } in opened {
            let Some((shown, line)) = telling.lines.get_mut(place).zip(line(narrator, log, index))
            else {
                continue;
            };
            *shown = line;
            if !opening_tells(seal) {
                telling.new_from = telling.new_from.min(place);
            }
        }
    }
}

/// True if an entry is still sealed from participants.
fn is_sealed(log: &Log<Exact>, index: usize) -> bool {
    let seen = log.seen_by(index, Reader::JUDGING_ANEW);
    seen.is_some_and(|seen| seen.is_sealed())
}

/// Ends a debate by the forfeit of a player who stayed away.
fn forfeit(running: &mut Debate<'_>, seat: Seat) -> Result<(), Halt> {
    let (fault, why) = ("timeout", "nobody replied in the time that the study gives");
    let noted = running.note_fault(seat, fault, why, ReplyMeta::default());
    noted
        .and_then(|()| running.forfeit_by(seat, fault))
        .map_err(failed)
}

/// The lines of a text, with the pieces in these ranges told apart.
fn marked(text: &str, mut ranges: Vec<Range<usize>>) -> Vec<Line> {
    ranges.sort_by_key(|range| range.start);
    let mut lines = vec![Line::default()];
    let mut put = |piece: &str, role: Role| {
        for (row, words) in piece.split('\n').enumerate() {
            if row > 0 {
                lines.push(Line::default());
            }
            if let Some(line) = lines.last_mut().filter(|_| !words.is_empty()) {
                *line = std::mem::take(line).then(role, words);
            }
        }
    };
    let mut from = 0;
    for range in ranges {
        // Quotes may overlap.
        let start = range.start.max(from);
        if start >= range.end {
            continue;
        }
        put(text.get(from..start).unwrap_or_default(), Role::Text);
        put(text.get(start..range.end).unwrap_or_default(), Role::Chosen);
        from = range.end;
    }
    put(text.get(from..).unwrap_or_default(), Role::Text);
    lines
}

/// The rounds that were entered.
fn rounds(log: &Log<Exact>) -> u32 {
    let entries = log.entries().iter();
    let entered = entries.filter(|entry| entry.event.round_entered().is_some());
    u32::try_from(entered.count()).unwrap_or(u32::MAX)
}

impl Trial<'_> {
    /// The probability of the root claim that the opponent gives for all to see; `None` where nobody
    /// gives one.
    ///
    /// # Errors
    /// If the debate cannot be played.
    pub(crate) fn public_number(&self) -> Result<Option<f64>> {
        if !matches!(self.task(), Task::Debate { .. }) {
            return Ok(None);
        }
        let find = || -> Result<Option<f64>, Halt> {
            if self.is_prepared() {
                let case = self.prepared()?;
                let mut judged = case.begin().map_err(failed)?;
                while judged.go_on().map_err(failed)?.is_some() {}
                let estimate = judged.log().root_estimate();
                return Ok(estimate.map(Number::to_float));
            }
            let debate = TrialDebate::of(self, self.task())?;
            let mut running = debate.debate(None)?;
            loop {
                let estimate = running.seating().log().root_estimate();
                let over = running.seating().turn().is_none_or(|turn| {
                    debate.is_person(turn.seat)
                        || debate.is_program(turn.seat)
                        || turn.seat == Seat::Judge
                });
                if estimate.is_some() || over {
                    return Ok(estimate.map(Number::to_float));
                }
                running.advance().map_err(failed)?;
            }
        };
        find().map_err(|halt| match halt {
            Halt::Failed(error) => error,
            Halt::Asked(_) => StudyError::Debate("a question stands where none can be".to_owned()),
        })
    }
}

/// The most options of a page.
const MOST_OPTIONS: usize = 30;
/// The most characters of a speech, where the rules allow more.
const MOST_SPEECH: usize = 4000;
/// The most characters of what a judge says to debaters.
const MOST_FEEDBACK: usize = 1000;

/// A request of the rules, as a page asks it.
#[derive(Clone, Debug, PartialEq)]
pub struct RulesQuestion {
    /// Its name in the log: `query`, `continue`, `feedback`, `move`, `estimate` or `speech`.
    pub kind: &'static str,
    pub question: String,
    /// What the judge sees of a small claim.
    pub evidence: Option<String>,
    pub form: AnswerForm,
    /// The option that is right, where there is one: for the tables and simulated judges alone.
    pub right: Option<usize>,
}

/// How a request is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerForm {
    OneOf(Vec<ReplyOption>),
    /// A whole percentage that somebody who debates gives for all to see.
    Percent,
    /// Text of so many characters at most.
    Text(usize),
}

/// An option of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyOption {
    pub label: String,
    pub reply: Reply<Exact>,
    /// What the log says of it.
    note: Value,
}

/// A whole percentage as a reply.
pub(crate) fn probability(percent: u8) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(i64::from(percent), 100))
}

impl RulesQuestion {
    /// The question of a turn of the participant, who sits in its seat.
    pub(super) fn of(
        turn: &Turn<Exact>,
        log: &Log<Exact>,
        narrator: &Narrator<'_>,
    ) -> Result<Self, Halt> {
        let prompt = narrator.ask(turn, log);
        let (kind, form) = form(turn, log, narrator);
        let options = match &form {
            AnswerForm::OneOf(options) => options.len(),
            AnswerForm::Percent | AnswerForm::Text(_) => 1,
        };
        let is_judge = turn.seat == Seat::Judge;
        let fits = match kind {
            "query" | "continue" | "feedback" => is_judge,
            "move" | "speech" => !is_judge && (1..=MOST_OPTIONS).contains(&options),
            _ => true,
        };
        if !fits {
            let wants = turn.request.wants();
            return Err(failed(if is_judge {
                format!("the judge is asked for {wants}")
            } else {
                format!(
                    "the participant would be asked for {wants}, which no page of a study asks for; take other rules"
                )
            }));
        }
        let claim = turn.request.claim().filter(|_| kind == "query");
        let truth = claim.and_then(|claim| narrator.instance.truth(claim));
        Ok(Self {
            kind,
            question: match kind {
                "feedback" => "Is there anything that you want to say to those who argue? Enter alone says nothing.".to_owned(),
                "continue" => "Do you want to hear another round?".to_owned(),
                _ => prompt.text,
            },
            evidence: prompt.evidence.filter(|_| is_judge),
            form,
            right: truth.map(|truth| usize::from(!truth)),
        })
    }

    /// The reply that an answer makes, and what the log says of it. A percentage is [`probability`].
    ///
    /// # Errors
    /// If it is no answer to this question.
    pub(crate) fn reply(&self, input: &Input) -> Result<(Reply<Exact>, Value)> {
        match (&self.form, input) {
            (AnswerForm::OneOf(options), Input::Choice(place)) if *place < options.len() => {
                let option = &options[*place];
                Ok((option.reply.clone(), option.note.clone()))
            }
            (AnswerForm::Text(_), Input::Text(text)) => {
                let note = json!({"characters": text.chars().count()});
                let speech = match self.kind {
                    "feedback" => Ok(Speech::text(text.trim())),
                    _ => Speech::parse(text.trim()),
                };
                let speech = speech.map_err(|why| StudyError::Refused(why.to_string()))?;
                Ok((Reply::Speech(Box::new(speech)), note))
            }
            _ => Err(StudyError::NotTaken("Type what you say.".to_owned())),
        }
    }

    /// An answer of somebody who is right about small claims and even about the rest; the options of a move are tried in
    /// turn.
    pub(super) fn rehearsed(&self, attempt: usize) -> Option<Reply<Exact>> {
        match &self.form {
            AnswerForm::OneOf(options) => {
                let place = self.right.unwrap_or(0) + attempt;
                options.get(place).map(|option| option.reply.clone())
            }
            AnswerForm::Percent => Some(probability(50)),
            AnswerForm::Text(_) => {
                let words = if self.kind == "speech" { SPEECH } else { "" };
                Some(Reply::Speech(Box::new(Speech::text(words))))
            }
        }
    }
}

/// The kind of a request, and how it is answered; without options where they cannot be listed.
fn form(
    turn: &Turn<Exact>,
    log: &Log<Exact>,
    narrator: &Narrator<'_>,
) -> (&'static str, AnswerForm) {
    let request = &turn.request;
    let kind = match request.reply_name() {
        "probability" => return ("estimate", AnswerForm::Percent),
        "speech" if request.argues_for().is_none() => {
            return ("feedback", AnswerForm::Text(MOST_FEEDBACK));
        }
        "speech" => return ("speech", AnswerForm::Text(MOST_SPEECH)),
        "oracle" => "query",
        "continue" => "continue",
        _ => "move",
    };
    let claim = request.judged_claim().map(|claim| {
        let name = narrator.instance.id(claim).map(str::to_owned);
        name.unwrap_or_else(|| narrator.instance.text(claim))
    });
    let choices = narrator.choices(turn, log, MOST_OPTIONS);
    let options = choices.into_iter().map(|ReplyChoice { label, reply }| {
        let note = match &reply {
            Reply::Oracle { holds, .. } => json!({"claim": claim, "answer": holds}),
            Reply::Continue(goes_on) => json!({"goes_on": goes_on}),
            _ => json!({"answer": label}),
        };
        ReplyOption { label, reply, note }
    });
    (kind, AnswerForm::OneOf(options.collect()))
}
