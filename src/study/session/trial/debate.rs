//! The debate of a trial, with the participant in the seat that the study file names.

use std::path::{Path, PathBuf};

use super::question::{RulesQuestion, probability};
use super::{Asked, Halt, Telling, Trial, TrialReply, failed, line};
use crate::error::StudyError;
use crate::plan::{AskWhen, Task};
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number};
use debate_core::player::Spec;
use debate_core::protocol::{Kind, Log, Protocol, Reply, Seat, Turn};
use debate_core::scenario::Instance;
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
