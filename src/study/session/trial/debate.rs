//! The debate of a trial, with the participant in the seat that the study file names; what its rules ask them, and
//! the reply that an answer makes.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Asked, Halt, SPEECH, Telling, Trial, TrialReply, failed, line};
use crate::error::StudyError;
use crate::plan::{AskWhen, Task};
use crate::session::page::Input;
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number};
use debate_core::player::Spec;
use debate_core::protocol::{Ask, Bet, Bits, Kind, Log, Protocol, Reply, Request, Seat, Turn};
use debate_core::scenario::{Instance, Speech};
use debate_lab::plan::DebatePlan;
use debate_lab::record::Session;
use debate_lab::tell::{Narrator, Perspective, Script};

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
    pub(super) path: Option<PathBuf>,
}

/// The debate of a trial, with the participant in a seat.
pub(super) struct Debate<'t, 's> {
    trial: &'t Trial<'s>,
    /// The participant's seat.
    seat: Seat,
    instance: Instance,
    plan: DebatePlan,
    /// True if the opponent is not heard.
    alone: bool,
}

impl<'t, 's> Debate<'t, 's> {
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
        let seat = trial.study.plan.role().seat();
        let spec = |of: Seat| {
            let name = names.get(of.index()).filter(|_| of != seat);
            let spec = Spec::parse(name.unwrap_or(&"human")).map_err(failed)?;
            let is_outside = spec.is_human() || spec.is_served() || spec.command().is_some();
            if is_outside && of != seat {
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

    fn seed(trial: &Trial<'_>) -> Result<Seed, Halt> {
        let seed = &trial.study.plan.seed;
        let text = format!("{seed}/{}/{}", trial.slot, trial.item().id);
        Seed::new(text.clone()).ok_or_else(|| failed(format!("`{text}` is no seed")))
    }

    fn session(&self, keeping: Option<&mut Keeping<'_>>) -> Result<Session<'_>, Halt> {
        let (plan, instance) = (&self.plan, &self.instance);
        let players = plan.build_players(instance, Budget::default());
        let seating = plan
            .seat(instance, players.map_err(failed)?)
            .map_err(failed)?;
        let Some(keeping) = keeping else {
            return Ok(Session::new(seating, None));
        };
        let journal = plan
            .begin_save(instance, keeping.folder, &keeping.name, None)
            .map_err(failed)?;
        keeping.path = Some(journal.path().to_owned());
        Ok(Session::new(seating, Some(journal)))
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
        let mut session = self.session(keeping)?;
        let (mut shown, mut entered) = (0, 0);
        while let Some(turn) = session.seating().turn() {
            if turn.seat == self.seat {
                self.listen(session.seating().log(), &mut shown, telling);
                let reply = self.asked(&turn, session.seating().log(), telling)?;
                let taken = session.reply(reply, 0).map_err(failed)?;
                taken.map_err(|illegal| Halt::Failed(StudyError::Refused(illegal.to_string())))?;
                continue;
            }
            session.advance().map_err(failed)?;
            let rounds = rounds(session.seating().log());
            if rounds > entered && !speaks && !self.alone {
                let is_first = entered == 0;
                entered = rounds;
                if !is_first {
                    self.listen(session.seating().log(), &mut shown, telling);
                    telling.round = entered - 1;
                    if self.trial.asks(AskWhen::EachRound) {
                        telling.ask(Asked::Round(telling.round))?;
                    }
                }
            }
        }
        self.listen(session.seating().log(), &mut shown, telling);
        if !speaks {
            telling.ask(Asked::Final)?;
        }
        session.flush().map_err(failed)
    }

    /// Tells what was said since the last time.
    fn listen(&self, log: &Log<Exact>, shown: &mut usize, telling: &mut Telling<'_>) {
        let narrator = self.narrator();
        let entries = log.entries();
        for (index, entry) in entries.iter().enumerate().skip(*shown) {
            let heard = !self.alone || entry.event.is_provers_case();
            telling
                .lines
                .extend(line(&narrator, log, index).filter(|_| heard));
        }
        *shown = entries.len();
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
        Ok(match telling.ask(asked)? {
            TrialReply::Percent(percent) => probability(*percent),
            TrialReply::Rules(reply) => reply.clone(),
        })
    }
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
    pub(crate) fn public_number(&self) -> Result<Option<f64>, StudyError> {
        if !matches!(self.task(), Task::Debate { .. }) {
            return Ok(None);
        }
        let find = || -> Result<Option<f64>, Halt> {
            let debate = Debate::of(self, self.task())?;
            let mut session = debate.session(None)?;
            loop {
                let estimate = session.seating().log().root_estimate();
                let over = session
                    .seating()
                    .turn()
                    .is_none_or(|turn| turn.seat == debate.seat || turn.seat == Seat::Judge);
                if estimate.is_some() || over {
                    return Ok(estimate.map(Number::to_float));
                }
                session.advance().map_err(failed)?;
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
/// The most bits that are chosen as one of all strings.
const MOST_BITS: u32 = 4;
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

impl ReplyOption {
    fn new(label: impl Into<String>, reply: Reply<Exact>, note: Value) -> Self {
        let label = label.into();
        Self { label, reply, note }
    }

    /// A move of somebody who debates.
    fn of_move(label: impl Into<String>, reply: Reply<Exact>) -> Self {
        let label = label.into();
        Self::new(label.clone(), reply, json!({"answer": label}))
    }
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
    pub(crate) fn reply(&self, input: &Input) -> Result<(Reply<Exact>, Value), StudyError> {
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
    let instance = narrator.instance;
    let options: Vec<ReplyOption> = match &turn.request {
        Request::Oracle { claim } => {
            let name = instance.id(*claim).map(str::to_owned);
            let name = name.unwrap_or_else(|| instance.text(*claim));
            let option = |label: &str, holds| {
                let confidence = None;
                let reply = Reply::Oracle { holds, confidence };
                ReplyOption::new(label, reply, json!({"claim": name, "answer": holds}))
            };
            let options = [
                option("Yes, it is true", true),
                option("No, it is not true", false),
            ];
            return ("query", AnswerForm::OneOf(options.into()));
        }
        Request::Continue { .. } => {
            let option = |label: &str, goes_on| {
                ReplyOption::new(label, Reply::Continue(goes_on), json!({"goes_on": goes_on}))
            };
            let options = [
                option("Hear another round", true),
                option("Stop here", false),
            ];
            return ("continue", AnswerForm::OneOf(options.into()));
        }
        Request::Speech { argues_for, .. } => {
            return match argues_for {
                None => ("feedback", AnswerForm::Text(MOST_FEEDBACK)),
                Some(_) => ("speech", AnswerForm::Text(MOST_SPEECH)),
            };
        }
        Request::Probability { .. } | Request::Share { .. } => {
            return ("estimate", AnswerForm::Percent);
        }
        Request::Answer { .. } => vec![
            ReplyOption::of_move("Yes, it is true", Reply::Answer(true)),
            ReplyOption::of_move("No, it is not true", Reply::Answer(false)),
        ],
        Request::Direction { .. } => vec![
            ReplyOption::of_move("It is too low", Reply::Direction(Bet::TooLow)),
            ReplyOption::of_move("It is about right", Reply::Direction(Bet::AboutRight)),
            ReplyOption::of_move("It is too high", Reply::Direction(Bet::TooHigh)),
        ],
        Request::Support { claim, offered } => (0..*offered)
            .map(|place| {
                ReplyOption::of_move(narrator.support(*claim, place), Reply::Support(place))
            })
            .collect(),
        Request::Select { claim, count } => {
            let parts = log.parts_of(*claim, instance);
            let label = |place: u32| {
                let part = parts.get(place as usize);
                part.map_or_else(
                    || format!("Number {}", place + 1),
                    |part| instance.text(*part),
                )
            };
            (0..*count)
                .map(|place| ReplyOption::of_move(label(place), Reply::Select(place)))
                .collect()
        }
        Request::Challenge { steps, .. } => {
            let none = ReplyOption::of_move("No step is wrong", Reply::Challenge(None));
            let named = steps.clone().take(MOST_OPTIONS).map(|step| {
                let label = format!("Step {step} is wrong");
                ReplyOption::of_move(label, Reply::Challenge(Some(step)))
            });
            std::iter::once(none).chain(named).collect()
        }
        Request::Bits { ask, length } if *length <= MOST_BITS => (0..1_u32 << length)
            .rev()
            .map(|number| {
                let bits: Vec<bool> = (0..*length).map(|bit| number >> bit & 1 == 1).collect();
                let label = bits_in_words(&bits, *ask, narrator);
                ReplyOption::of_move(label, Reply::Bits(Bits::from(bits)))
            })
            .collect(),
        Request::Bits { .. } | Request::Draw { .. } => Vec::new(),
    };
    ("move", AnswerForm::OneOf(options))
}

/// A string of bits: where they are answers about subclaims, each with its subclaim.
fn bits_in_words(bits: &[bool], ask: Ask, narrator: &Narrator<'_>) -> String {
    let on = match ask {
        Ask::Answers { claim, support, .. } => {
            let support = narrator.instance.support(claim, support);
            support
                .map(|support| support.on.as_slice())
                .unwrap_or_default()
        }
        _ => &[],
    };
    let each = bits
        .iter()
        .enumerate()
        .map(|(place, bit)| match on.get(place) {
            Some(claim) => {
                let is = if *bit { "true" } else { "not true" };
                format!("{} {is}", narrator.brief(*claim))
            }
            None => u8::from(*bit).to_string(),
        });
    let between = if on.is_empty() { "" } else { ", " };
    each.collect::<Vec<_>>().join(between)
}
