//! A trial: a question, what is told of it, and what is asked between.
//!
//! A trial is worked out anew from what the participant said in it so far: the same words always lead
//! to the same place, so that a session that was cut off goes on where it stood.
//!
//! What the participant is told is what [`Reader::JUDGING_ANEW`] may see: no reward, no payoff, no
//! truth, nothing of how it came out.

mod debate;

pub(super) use debate::probability;
pub use debate::{AnswerForm, ReplyOption, RulesQuestion};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::{name_of, remove};
use crate::plan::item::{Item, ItemSource};
use crate::plan::schedule::Assigned;
use crate::plan::{AskWhen, Shows, Task};
use crate::session::page::PageClaim;
use crate::session::program::{ProgramAnswer, ProgramPool};
use debate::{Keeping, TrialDebate};
use debate_core::number::Exact;
use debate_core::protocol::{Log, Reader, Reply, Seat, State};
use debate_core::scenario::{ClaimId, Instance};
use debate_host::record::{Save, files_of_saves};
use debate_lab::judgements::RejudgeCase;
use debate_text::{
    ClaimTree, DebateFacts, Line, Narrator, Perspective, Role, Script, Viewpoint, seat_role,
};

/// The most leaves whose evidence is shown at once.
const MOST_LEAVES: usize = 60;

/// The speech of a rehearsed or simulated participant who argues.
pub(crate) const SPEECH: &str = "This answer is right.";

/// What a participant says within a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialReply {
    /// A percentage of the question's first answer, whatever stands first on the screen.
    Percent(u8),
    /// A reply to a request of the rules.
    Rules(Reply<Exact>),
}

impl TrialReply {
    /// The reply in the debate, of an answer that is one there.
    pub(crate) fn in_debate(&self) -> Reply<Exact> {
        match self {
            Self::Percent(percent) => probability(*percent),
            Self::Rules(reply) => reply.clone(),
        }
    }
}

/// What is asked at a point of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// How likely the first answer is, before anything was told.
    Before,
    /// The same after a round, from 1.
    Round(u32),
    /// The same at the end.
    Final,
    /// A request of the rules.
    Rules(RulesQuestion),
    /// Nothing as yet: it is for whoever sits in this seat to reply.
    Others(Seat),
    /// Nothing: the trial is over.
    Over,
}

impl Asked {
    /// The name of the question in the log.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Round(_) => "round",
            Self::Final => "final",
            Self::Rules(question) => question.kind,
            Self::Others(_) => "others",
            Self::Over => "over",
        }
    }
}

/// A point of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// All that was told so far.
    pub lines: Vec<Line>,
    /// The claims of the debate so far.
    pub claims: Vec<PageClaim>,
    /// The source, where the participant may read it, with what was quoted.
    pub source: Vec<Line>,
    /// The first line that came since the last question.
    pub new_from: usize,
    pub asked: Asked,
    /// True if the answer is a reply in the debate.
    pub is_reply: bool,
    /// How many rounds were told.
    pub round: u32,
}

/// The replies of others in the debate of a trial, seat by seat: people who sit in it with the participant.
pub type Heard = [Vec<Reply<Exact>>; 3];

/// A trial of a slot.
#[derive(Clone, Copy)]
pub struct Trial<'s> {
    pub study: &'s Study,
    pub assigned: Assigned,
    /// The slot: coins follow from it and the trial's number.
    pub slot: u32,
    /// The participant's seat.
    pub seat: Seat,
    /// True if the usual built-in players sit in the seats of programs that play now: nobody takes part.
    pub stand_ins: bool,
}

/// What is told as a trial goes, until a question has no answer yet.
struct Telling<'r> {
    lines: Vec<Line>,
    claims: Vec<PageClaim>,
    source: Vec<Line>,
    new_from: usize,
    replies: std::slice::Iter<'r, TrialReply>,
    heard: [std::slice::Iter<'r, Reply<Exact>>; 3],
    round: u32,
    /// Asked where a reply of a program is missing.
    programs: Option<&'r ProgramPool>,
    /// Its reply, or its fault.
    answer: Option<ProgramAnswer>,
}

impl<'r> Telling<'r> {
    fn new(replies: &'r [TrialReply], heard: &'r Heard) -> Self {
        Self {
            lines: Vec::new(),
            claims: Vec::new(),
            source: Vec::new(),
            new_from: 0,
            replies: replies.iter(),
            heard: heard.each_ref().map(|replies| replies.iter()),
            round: 0,
            programs: None,
            answer: None,
        }
    }

    /// The participant's answer to a question; the point where they stand where there is none yet.
    fn ask(&mut self, asked: Asked) -> Result<&'r TrialReply, Box<Moment>> {
        match self.replies.next() {
            Some(reply) => {
                self.new_from = self.lines.len();
                Ok(reply)
            }
            None => Err(Box::new(self.at(asked))),
        }
    }

    /// The participant's reply in the debate; the point where they stand where there is none yet.
    fn ask_reply(&mut self, asked: Asked) -> Result<&'r TrialReply, Box<Moment>> {
        self.ask(asked).map_err(|mut moment| {
            moment.is_reply = true;
            moment
        })
    }

    /// The reply of somebody else in a seat; the point where the participant stands where there is none yet.
    fn hear(&mut self, seat: Seat) -> Result<&'r Reply<Exact>, Box<Moment>> {
        let reply = self.heard.get_mut(seat.index()).and_then(Iterator::next);
        reply.ok_or_else(|| Box::new(self.at(Asked::Others(seat))))
    }

    fn at(&mut self, asked: Asked) -> Moment {
        Moment {
            lines: std::mem::take(&mut self.lines),
            claims: std::mem::take(&mut self.claims),
            source: std::mem::take(&mut self.source),
            new_from: self.new_from,
            asked,
            is_reply: false,
            round: self.round,
        }
    }
}

/// Why a trial stops being told: a question without an answer, or a failure.
enum Halt {
    Asked(Box<Moment>),
    Failed(StudyError),
}

impl From<Box<Moment>> for Halt {
    fn from(moment: Box<Moment>) -> Self {
        Self::Asked(moment)
    }
}

fn failed(error: impl std::fmt::Display) -> Halt {
    Halt::Failed(StudyError::Debate(error.to_string()))
}

impl<'s> Trial<'s> {
    pub fn item(&self) -> &'s Item {
        &self.study.pool(self.assigned.condition)[self.assigned.item]
    }

    pub fn task(&self) -> &'s Task {
        &self.study.plan.conditions[self.assigned.condition].task
    }

    /// The moment of the trial after the replies of the participant and of others.
    ///
    /// # Errors
    /// If a player fails or the rules refuse a move.
    pub fn moment(&self, replies: &[TrialReply], heard: &Heard) -> Result<Moment> {
        let mut telling = Telling::new(replies, heard);
        match self.tell(&mut telling, None) {
            Ok(()) => Ok(telling.at(Asked::Over)),
            Err(Halt::Asked(moment)) => Ok(*moment),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    /// True if its debate was played before.
    fn is_prepared(&self) -> bool {
        self.study.plan.is_prepared(self.assigned.condition)
    }

    /// Asks the program whose reply comes next.
    ///
    /// # Errors
    /// If none is to be asked, or the debate cannot be followed.
    pub(crate) fn ask_program(
        &self,
        replies: &[TrialReply],
        heard: &Heard,
        programs: &ProgramPool,
    ) -> Result<ProgramAnswer> {
        let mut telling = Telling::new(replies, heard);
        telling.programs = Some(programs);
        if let Err(Halt::Failed(error)) = self.tell(&mut telling, None) {
            return Err(error);
        }
        let nobody = || StudyError::Debate("no program is to be asked".to_owned());
        telling.answer.ok_or_else(nobody)
    }

    /// Keeps the debate of a trial that is over as a save; `None` where there is none. One in which somebody's reply is
    /// still missing ends with that seat's forfeit.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn keep(
        &self,
        replies: &[TrialReply],
        heard: &Heard,
        sessions: &[&str],
        folder: &Path,
    ) -> Result<Option<PathBuf>> {
        let plays = matches!(self.task(), Task::Debate { .. } | Task::Consultancy { .. });
        if !plays || self.is_prepared() {
            return Ok(None);
        }
        let place = Keeping {
            folder,
            name: self.save_name(sessions),
            tags: BTreeMap::from([("sessions".to_owned(), sessions.join(" "))]),
            path: None,
        };
        let mut place = Some(place);
        match self.tell(&mut Telling::new(replies, heard), place.as_mut()) {
            Err(Halt::Failed(error)) => Err(error),
            _ => Ok(place.and_then(|place| place.path)),
        }
    }

    /// The name of the save of its debate.
    fn save_name(&self, sessions: &[&str]) -> String {
        let number = self.assigned.number;
        let practice = if self.assigned.practice {
            "practice"
        } else {
            "trial"
        };
        format!("{}-{practice}-{number}", sessions.join("-"))
    }

    /// True if its debate is kept as a save that has an end. One that was cut off is taken away.
    pub(super) fn is_kept(&self, sessions: &[&str], folder: &Path) -> bool {
        let own = format!("-{}-", self.save_name(sessions));
        let paths = files_of_saves(folder).unwrap_or_default().into_iter();
        let mut own = paths.filter(|path| name_of(path).contains(&own));
        own.any(|path| {
            let is_whole = Save::read(&path).is_ok_and(|save| save.end().is_some());
            is_whole || remove(&path).is_err()
        })
    }

    fn tell(
        &self,
        telling: &mut Telling<'_>,
        keeping: Option<&mut Keeping<'_>>,
    ) -> Result<(), Halt> {
        match (self.task(), &self.item().source) {
            (Task::Direct { shows }, _) => self.direct(*shows, telling),
            (Task::Rejudge { stepped, .. }, ItemSource::Save(case)) => {
                self.rejudge(case, *stepped, telling)
            }
            _ if self.is_prepared() => self.rejudge(self.prepared()?, true, telling),
            (task, _) => {
                let mut debate = TrialDebate::of(self, task)?;
                debate.tag(keeping.as_deref());
                debate.tell(telling, keeping)
            }
        }
    }

    /// The debate of programs that was played before.
    fn prepared(&self) -> Result<&'s RejudgeCase, Halt> {
        let Assigned {
            condition, item, ..
        } = self.assigned;
        let prepared = self.study.prepared(condition, item);
        let prepared = prepared.ok_or_else(|| {
            let id = &self.item().id;
            failed(format!(
                "the debate of `{id}` is not played yet; `study prepare` plays it"
            ))
        })?;
        Ok(&prepared.case)
    }

    fn asks(&self, when: AskWhen) -> bool {
        self.study.plan.response.ask.contains(&when)
    }

    fn direct(&self, shows: Shows, telling: &mut Telling<'_>) -> Result<(), Halt> {
        if self.asks(AskWhen::Before) {
            telling.ask(Asked::Before)?;
        }
        let instance = self.item().instance();
        match shows {
            Shows::Question => {}
            Shows::Source => {
                let source = instance.question().map_or("", |it| it.source().as_str());
                telling.lines.extend(source.lines().map(text_line));
            }
            Shows::Evidence => {
                let mut lines = Vec::new();
                evidence(&instance, instance.root(), &mut lines);
                telling.lines.extend(lines.into_iter().map(text_line));
            }
        }
        telling.ask(Asked::Final)?;
        Ok(())
    }

    fn rejudge(
        &self,
        case: &RejudgeCase,
        stepped: bool,
        telling: &mut Telling<'_>,
    ) -> Result<(), Halt> {
        let mut rejudged = case.begin().map_err(|error| Halt::Failed(error.into()))?;
        let narrator = Narrator::new(&case.instance, Script::Unicode);
        let facts = DebateFacts::new(&case.instance, &case.protocol);
        // Asked once more is to come: at the end the final number is asked for.
        let mut due = None;
        while let Some(new) = rejudged.go_on().map_err(failed)? {
            if let Some(asked) = due.take() {
                telling.ask(asked)?;
            }
            let lines = new.filter_map(|index| line(&narrator, rejudged.log(), index));
            telling.lines.extend(lines);
            let evidence = rejudged.evidence(&narrator).into_iter();
            telling.lines.extend(evidence.map(text_line));
            telling.claims = claims(&facts, true, rejudged.state(), rejudged.log());
            telling.round = rejudged.rounds_shown();
            due = match telling.round {
                0 if self.asks(AskWhen::Before) => Some(Asked::Before),
                round if round > 0 && stepped && self.asks(AskWhen::EachRound) => {
                    Some(Asked::Round(round))
                }
                _ => None,
            };
        }
        telling.ask(Asked::Final)?;
        Ok(())
    }
}

/// The evidence of the leaves under a claim, each with its claim.
fn evidence(instance: &Instance, claim: ClaimId, lines: &mut Vec<String>) {
    if lines.len() >= MOST_LEAVES {
        return;
    }
    if instance.is_leaf(claim) {
        let text = instance.text(claim);
        let seen = instance.evidence(claim);
        let line = seen.map_or_else(|| text.clone(), |seen| format!("{text}\n  {seen}"));
        if !lines.contains(&line) {
            lines.push(line);
        }
        return;
    }
    for support in instance.supports(claim) {
        for below in &support.on {
            evidence(instance, *below, lines);
        }
    }
}

fn text_line(text: impl Into<String>) -> Line {
    Line::of(Role::Text, text)
}

/// An entry of a log as a participant reads it: what a judge may see of it, whoever reads.
fn line(narrator: &Narrator<'_>, log: &Log<Exact>, index: usize) -> Option<Line> {
    let narrated = narrator.tell(log, index, Reader::JUDGING_ANEW)?;
    let mut line = Line::default();
    if let Some(seat) = narrated.who {
        line = line
            .then(seat_role(seat), narrator.perspective.name(seat))
            .then(Role::Text, " ");
    }
    let speaks = log.entries().get(index)?.event.speech().is_some();
    for (row, text) in narrated.text.split('\n').enumerate() {
        // A row of somebody's own words never begins with the mark of a quote.
        let role = if speaks && text.starts_with(QUOTE) {
            Role::Chosen
        } else {
            narrated.role
        };
        let feed = if row == 0 { "" } else { "\n" };
        line = line.then(role, format!("{feed}{text}"));
    }
    Some(line)
}

/// The beginning of a row that quotes from the source.
const QUOTE: &str = "> “";

/// The claims of a debate as whoever judges it sees them, with the numbers that were said of them where `numbered`; none
/// where no claim has parts yet. Bets and coins are told in the lines.
fn claims(
    facts: &DebateFacts<'_>,
    numbered: bool,
    state: &State<'_, Exact>,
    log: &Log<Exact>,
) -> Vec<PageClaim> {
    let view = Viewpoint {
        facts,
        state,
        log,
        reader: Reader::JUDGING_ANEW,
        perspective: Perspective::NEUTRAL,
        newest: 0..0,
        marks: &[],
    };
    let figures = Viewpoint {
        reader: view.reader.with_figures(),
        ..view.clone()
    };
    let mut tree = ClaimTree::new(&view);
    tree.read(&view);
    if tree.rows() < 2 {
        return Vec::new();
    }
    let rows = (0..tree.rows().min(MOST_LEAVES)).filter_map(|row| {
        let claim = tree.row(&view, row, Script::Unicode)?;
        let p = tree.row(&figures, row, Script::Unicode)?.p;
        Some(PageClaim {
            depth: claim.branches.depth(),
            percent: p.filter(|_| numbered).map(|p| 100.0 * p),
            value: claim.value(),
            is_current: row == tree.current(),
            text: claim.text,
        })
    });
    rows.collect()
}

/// What is right of a leaf, by the name that the tables give it: its id, else its text.
pub(crate) fn leaf_truth(instance: &Instance, name: &str) -> Option<bool> {
    fn find(instance: &Instance, claim: ClaimId, name: &str, left: &mut usize) -> Option<ClaimId> {
        *left = left.checked_sub(1)?;
        if instance
            .id(claim)
            .map_or_else(|| instance.text(claim) == name, |id| id == name)
        {
            return Some(claim);
        }
        let below = instance
            .supports(claim)
            .iter()
            .flat_map(|support| &support.on);
        below
            .copied()
            .find_map(|claim| find(instance, claim, name, left))
    }
    // A tree without end is looked at so far.
    let mut left = 10_000;
    instance.truth(find(instance, instance.root(), name, &mut left)?)
}

impl Trial<'_> {
    /// Goes through a trial with participants who are right about small claims, even about the rest, and make the first
    /// move that the rules allow. Returns its points, as the participant in each of these seats meets them.
    ///
    /// # Errors
    /// If it cannot be played.
    pub(crate) fn rehearsed(&self, seats: &[Seat]) -> Result<Vec<Vec<Moment>>> {
        let mut heard = Heard::default();
        let mut said = vec![Vec::new(); seats.len()];
        let mut all: Vec<Vec<Moment>> = vec![Vec::new(); seats.len()];
        loop {
            let mut goes_on = false;
            for ((seat, replies), moments) in seats.iter().zip(&mut said).zip(&mut all) {
                let trial = Self {
                    seat: *seat,
                    ..*self
                };
                let mut moment = trial.moment(replies, &heard)?;
                while !matches!(moment.asked, Asked::Over | Asked::Others(_)) {
                    goes_on = true;
                    let next = if let Asked::Rules(question) = &moment.asked {
                        trial.first_legal(question, replies, &heard)?
                    } else {
                        replies.push(TrialReply::Percent(50));
                        trial.moment(replies, &heard)?
                    };
                    if let Some(reply) = replies.last().filter(|_| moment.is_reply)
                        && let Some(own) = heard.get_mut(seat.index())
                    {
                        own.push(reply.in_debate());
                    }
                    moments.push(std::mem::replace(&mut moment, next));
                }
                if moment.asked == Asked::Over
                    && moments.last().is_none_or(|last| last.asked != Asked::Over)
                {
                    moments.push(moment);
                }
            }
            let is_over = |moments: &Vec<Moment>| {
                let last = moments.last();
                last.is_some_and(|moment| moment.asked == Asked::Over)
            };
            if all.iter().all(is_over) {
                return Ok(all);
            }
            if !goes_on {
                return Err(StudyError::Debate(
                    "nobody is asked for anything".to_owned(),
                ));
            }
        }
    }

    /// Adds the first answer to a question that the rules allow. Returns where that leads.
    fn first_legal(
        &self,
        question: &RulesQuestion,
        replies: &mut Vec<TrialReply>,
        heard: &Heard,
    ) -> Result<Moment> {
        for attempt in 0.. {
            let Some(reply) = question.rehearsed(attempt) else {
                break;
            };
            replies.push(TrialReply::Rules(reply));
            match self.moment(replies, heard) {
                Err(StudyError::Refused(_)) if question.kind == "move" => replies.pop(),
                moment => return moment,
            };
        }
        Err(StudyError::Refused(
            "they allow none of the options".to_owned(),
        ))
    }
}
