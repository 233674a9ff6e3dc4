//! The game as lines of text: for screen readers, pipes and tests.

mod options;

use std::io::{self, BufRead, Read as _, Write};
use std::time::Instant;

use num_traits::Zero as _;

use super::Failure;
use super::replies::{self, PlainInput};
use super::report::{PATIENCE, within};
use crate::app::plan::DebatePlan;
use crate::tui::tutorial::{Coach, InputMode};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, short, signed};
use debate_core::player::keep_playing;
use debate_core::protocol::words::{Amounts, Narrator, Perspective, Script};
use debate_core::protocol::{Event, Log, Reader, Request, Round, Rules, Seat, Turn, VisibleEntry};
use debate_core::scenario::Instance;
use debate_core::text::{safe, safe_multiline};
use debate_lab::analysis::Unsolved;
use debate_lab::analysis::review::{ReviewContext, ReviewError, words};
use debate_lab::record::{Session, SessionError};

/// The longest line that is read from a person.
const MAX_LINE: u64 = 512 * 1024;

/// How a debate in plain lines ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlainEnding {
    /// It is over.
    Finished,
    /// The person left, or there was no more input.
    Left,
}

/// Plays a debate in plain lines. What is told goes to `out`; replies come from `input`.
pub(super) struct PlainDebate<'s, 'a, O, T> {
    pub(super) session: &'s mut Session<'a>,
    pub(super) out: O,
    instance: &'a Instance,
    title: T,
    /// With what values are found, and whether they are told at each question.
    values: Option<(ReviewContext, bool)>,
    /// Who explains it, in the tutorial, and what was explained last.
    coach: Option<(Coach, String)>,
    /// Who reads along while the debate is under way.
    reader: Reader,
    /// The seat that the debate is told from.
    perspective: Perspective,
    /// Whether what replies are worth is not told.
    blind: bool,
    /// How many events have been told, and how many lines.
    told: usize,
    lines: usize,
}

impl<'s, 'a, O: Write, T: Fn(Seat) -> &'static str> PlainDebate<'s, 'a, O, T> {
    /// Plain lines of a session; `title` is what a seat is called.
    pub(super) fn new(
        session: &'s mut Session<'a>,
        instance: &'a Instance,
        title: T,
        out: O,
    ) -> Self {
        Self {
            session,
            out,
            instance,
            title,
            values: None,
            coach: None,
            reader: Reader::ALL,
            perspective: Perspective::NEUTRAL,
            blind: false,
            told: 0,
            lines: 0,
        }
    }

    /// The same, telling what replies are worth where that is asked for, or at each question.
    pub(super) fn valuing(mut self, case: Option<ReviewContext>, always: bool) -> Self {
        self.values = case.map(|case| (case, always));
        self
    }

    /// The same, as a debate is planned: for whoever reads along, told from their seat, and without
    /// what replies are worth where that is not told.
    pub(super) fn planned(mut self, plan: &DebatePlan) -> Self {
        self.reader = plan.reader();
        self.perspective = plan.perspective();
        self.blind = plan.blind;
        self
    }

    /// The same with somebody who explains it as it goes.
    pub(super) fn coached(mut self, coach: Coach) -> Self {
        self.coach = Some((coach, String::new()));
        self
    }

    /// Says what there is to explain, once.
    fn explain(&mut self) -> Result<(), Failure> {
        let Some((coach, last)) = &mut self.coach else {
            return Ok(());
        };
        let says = coach.advice(self.session.seating(), self.instance, InputMode::Lines);
        let says = says.unwrap_or_default();
        if !says.is_empty() && says != *last {
            writeln!(self.out, "\nTutorial: {}", safe(&says))?;
        }
        *last = says;
        Ok(())
    }

    /// Says what is debated and by whom.
    pub(super) fn introduce(&mut self, lines: &[String]) -> Result<(), Failure> {
        for line in lines {
            writeln!(self.out, "{}", safe(line))?;
        }
        Ok(())
    }

    fn narrator(&self) -> Narrator<'_> {
        Narrator::new(self.instance, Script::Unicode).seen_from(self.perspective)
    }

    /// Who reads along: at the end everything is open.
    fn reader(&self) -> Reader {
        match self.session.seating().turn() {
            Some(_) => self.reader,
            None => Reader::ALL,
        }
    }

    pub(super) fn run(&mut self, input: &mut impl BufRead) -> Result<PlainEnding, Failure> {
        let mut stopped = PlainEnding::Finished;
        keep_playing(&Budget::default(), |_| {
            self.tell_news()?;
            self.explain()?;
            let Some(turn) = self.session.seating().turn() else {
                return Ok(false);
            };
            let stays = self.turn(&turn, input)?;
            if !stays {
                stopped = PlainEnding::Left;
            }
            Ok::<_, Failure>(stays)
        })?;
        Ok(stopped)
    }

    /// Has whoever's turn it is reply. `false`: a person left.
    fn turn(&mut self, turn: &Turn<Exact>, input: &mut impl BufRead) -> Result<bool, Failure> {
        if self.session.seating().is_outside(turn.seat) {
            return self.ask(turn, input);
        }
        match self.session.advance() {
            Ok(()) => Ok(true),
            Err(error) => self.insist(error, input, Session::flush),
        }
    }

    fn tell_news(&mut self) -> Result<(), Failure> {
        let reader = self.reader();
        // Whoever does not follow the debate reads it when it is over.
        if !reader.follows() {
            return Ok(());
        }
        let log = self.session.seating().log();
        let mut lines = Vec::new();
        for index in self.told..log.entries().len() {
            lines.extend(line(&self.narrator(), log, index, reader));
        }
        self.told = log.entries().len();
        for text in lines {
            self.lines += 1;
            writeln!(self.out, "{:>3}. {}", self.lines, safe_multiline(&text))?;
        }
        Ok(())
    }

    /// Asks the person whose turn it is until they reply. `false`: they left.
    fn ask(&mut self, turn: &Turn<Exact>, input: &mut impl BufRead) -> Result<bool, Failure> {
        self.put_question(turn)?;
        if self.values.as_ref().is_some_and(|(_, always)| *always) && self.tells_worth(turn.seat) {
            self.put_hint()?;
        }
        let asked = Instant::now();
        loop {
            let Some(line) = self.line(input)? else {
                return Ok(false);
            };
            let prepared = || self.prepared(&turn.request);
            match replies::read(&line, &turn.request, self.writes(turn), prepared) {
                Ok(PlainInput::Quit) => return Ok(false),
                Ok(PlainInput::Help) => self.put_help(turn)?,
                Ok(PlainInput::Hint) => self.put_hint()?,
                Ok(PlainInput::Unclear(question)) => writeln!(self.out, "Not taken: {question}")?,
                Ok(PlainInput::Show(first, last)) => {
                    for line in self.steps(first, last) {
                        writeln!(self.out, "{}", safe(&line))?;
                    }
                }
                Ok(PlainInput::Source) => self.put_source(None)?,
                Ok(PlainInput::Find(words)) => self.put_source(Some(&words))?,
                Ok(PlainInput::Undo) if self.is_anothers(turn.seat) => writeln!(
                    self.out,
                    "Not taken back: the last reply is somebody else's."
                )?,
                Ok(PlainInput::Undo) => match self.session.undo() {
                    Ok(()) => {
                        self.told = self.told.min(self.session.seating().log().entries().len());
                        writeln!(self.out, "Your last reply is taken back.")?;
                        return Ok(true);
                    }
                    Err(error) => writeln!(self.out, "Not taken back: {error}.")?,
                },
                Ok(PlainInput::Reply(reply)) => {
                    let ms = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
                    let mut taken = Ok(());
                    let mut give = |session: &mut Session<'_>| {
                        taken = session.reply(reply.clone(), ms)?;
                        Ok(())
                    };
                    if let Err(error) = give(self.session)
                        && !self.insist(error, input, give)?
                    {
                        return Ok(false);
                    }
                    match taken {
                        Ok(()) => return Ok(true),
                        Err(illegal) => writeln!(self.out, "Not taken: {illegal}.")?,
                    }
                }
                Err(expected) => writeln!(self.out, "Not understood; {expected}, or ? for help.")?,
            }
        }
    }

    /// Tries again what the disk refused, as often as the person wishes. They leave with `q`;
    /// where nobody is there to say so, the refusal is the end. `false`: they left.
    fn insist(
        &mut self,
        mut refused: SessionError,
        input: &mut impl BufRead,
        mut again: impl FnMut(&mut Session<'a>) -> Result<(), SessionError>,
    ) -> Result<bool, Failure> {
        loop {
            if !refused.is_passing() {
                return Err(kept(refused));
            }
            let told = refused.to_string();
            writeln!(self.out, "Not kept: {}.", safe(&told))?;
            loop {
                writeln!(self.out, "Press enter to try again, or type q to leave.")?;
                match self.line(input)?.as_deref().map(str::trim) {
                    None => return Err(kept(refused)),
                    Some("q" | "quit") => return Ok(false),
                    Some("") => break,
                    // Whatever it answers, it is no answer to this.
                    Some(_) => {}
                }
            }
            match again(self.session) {
                Ok(()) => return Ok(true),
                Err(error) => refused = error,
            }
        }
    }

    /// The next line that is typed; `None` where there is no more input.
    fn line(&mut self, input: &mut impl BufRead) -> Result<Option<String>, Failure> {
        write!(self.out, "> ")?;
        self.out.flush()?;
        let mut line = String::new();
        let read = input.take(MAX_LINE).read_line(&mut line);
        if read.map_err(unreadable)? > 0 {
            return Ok(Some(line));
        }
        writeln!(self.out)?;
        Ok(None)
    }

    fn put_question(&mut self, turn: &Turn<Exact>) -> Result<(), Failure> {
        let log = self.session.seating().log();
        let question = self.narrator().ask(turn, log);
        let who = match turn.seat {
            Seat::Judge => "the judge".to_owned(),
            seat => format!("{}, the {}", seat.person(), (self.title)(seat)),
        };
        let mut text = vec![format!("You are {who}. {}", question.text)];
        text.extend(Some(question.clauses).filter(|clauses| !clauses.is_empty()));
        text.extend(
            question
                .evidence
                .map(|evidence| format!("Evidence: {evidence}")),
        );
        if !self.reader.follows() && self.reader.sees_path() {
            text.extend(self.narrator().path(turn, log));
        }
        text.extend(self.options(&turn.request));
        text.extend(self.stake(&turn.request));
        writeln!(self.out)?;
        for line in text {
            writeln!(self.out, "{}", safe_multiline(&line))?;
        }
        Ok(())
    }

    /// The source that debaters quote from: all of it, or its lines with these words.
    fn put_source(&mut self, words: Option<&str>) -> Result<(), Failure> {
        let source = self
            .instance
            .question()
            .map_or("", |it| it.source().as_str());
        let wanted = words.map(str::to_lowercase);
        let has = |line: &&str| match &wanted {
            None => true,
            Some(words) => line.to_lowercase().contains(words),
        };
        let mut lines = source.lines().filter(has).peekable();
        if lines.peek().is_none() {
            writeln!(self.out, "There is no such line in the source.")?;
        }
        for line in lines {
            writeln!(self.out, "  {}", safe(line))?;
        }
        Ok(())
    }

    /// Whether a seat may be told what its replies are worth: none in a blind debate, and no judge
    /// from whom something is kept that follows from it.
    fn tells_worth(&self, seat: Seat) -> bool {
        let mut log = self.session.seating().log().all_seen_by(self.reader);
        let keeps =
            !self.reader.follows() || log.any(|seen| matches!(seen, VisibleEntry::Sealed { .. }));
        !(self.blind || seat == Seat::Judge && keeps)
    }

    /// What the reply is worth.
    fn stake(&self, request: &Request<Exact>) -> Option<String> {
        let seating = self.session.seating();
        if let Request::Oracle { .. } = request {
            if !self.tells_worth(Seat::Judge) {
                return None;
            }
            let worth = |holds| {
                seating.immediate_reward(debate_core::protocol::Reply::Oracle {
                    holds,
                    confidence: None,
                })
            };
            let (yes, no) = (worth(true)?, worth(false)?);
            if yes != no {
                let (yes, no) = (signed(yes.to_float(), 4), signed(no.to_float(), 4));
                return Some(format!("Worth to Alice: yes {yes}, no {no}."));
            }
            let mut log = seating.log().entries().iter();
            let bets = log.any(|entry| matches!(entry.event, Event::Betted { .. }));
            return bets.then(|| "Alice bets nothing: your answer moves no reward.".to_owned());
        }
        let round = seating.state().round()?;
        let schedule = seating.state().schedule();
        let paying = schedule.iter().filter(|(_, weight)| !weight.is_zero());
        let once = paying.count() == 1;
        // Where one round alone pays, that is what every reply is about.
        let mut here = schedule
            .iter()
            .filter(|(of, weight)| *of == round || once && !weight.is_zero());
        let weight = here.next_back()?.1.to_float();
        (weight > 0.0).then(|| {
            let when = match round {
                _ if once => "at the end".to_owned(),
                Round::Initial => "now".to_owned(),
                Round::Number(k) => {
                    let first = Round::first_of(&schedule).unwrap_or(k);
                    format!("in round {}", Round::counted(k, first))
                }
            };
            let so_far = if once {
                String::new()
            } else {
                let payoff = self.perspective.value(seating.state().payoff());
                let to = self.perspective.recipient();
                format!(" So far: {} to {to}.", signed(payoff.to_float(), 4))
            };
            format!("At stake {when}: {}.{so_far}", short(weight, 4))
        })
    }

    /// What each reply is worth.
    fn put_hint(&mut self) -> Result<(), Failure> {
        let Some((case, _)) = &self.values else {
            writeln!(self.out, "There are no hints in this debate.")?;
            return Ok(());
        };
        let awaited = self.session.seating().awaited();
        if awaited.is_some_and(|seat| !self.tells_worth(seat)) {
            writeln!(
                self.out,
                "No hints: what an answer is worth would say what is kept from the judge."
            )?;
            return Ok(());
        }
        let moves = self.session.seating().moves();
        let lines = match within(PATIENCE, |watch| case.hints(moves, watch))? {
            Ok(hints) => {
                let amounts = Amounts::rounded(Perspective::of(hints.seat));
                words::lines(case, &hints, &amounts)
            }
            Err(ReviewError::Unsolved(Unsolved::STOPPED)) => {
                let seconds = PATIENCE.as_secs();
                vec![format!(
                    "No hint: it was not found within {seconds} seconds."
                )]
            }
            Err(why) => vec![format!("No hint: {why}.")],
        };
        for line in lines {
            writeln!(self.out, "{}", safe(&line))?;
        }
        Ok(())
    }

    /// Whether an undo would take back the reply of another person.
    fn is_anothers(&self, seat: Seat) -> bool {
        self.session
            .seating()
            .undone_seat()
            .is_ok_and(|made| made != seat)
    }

    /// Whether subclaims of one's own are an answer.
    fn writes(&self, turn: &Turn<Exact>) -> bool {
        let claim = turn.request.claim();
        claim.is_some_and(|claim| self.instance.composing(claim).is_some())
    }

    fn put_help(&mut self, turn: &Turn<Exact>) -> Result<(), Failure> {
        writeln!(
            self.out,
            "To reply, {}. `u` takes your last reply back, `hint` says what each reply is worth, `q` \
             leaves; the debate is kept.",
            replies::expected(&turn.request, self.writes(turn))
        )?;
        Ok(())
    }
}

/// A player that cannot go on is the scenario's doing; a disk that says no is the system's.
fn kept(error: SessionError) -> Failure {
    match error {
        SessionError::Save { .. } => Failure::System(error.to_string()),
        other => Failure::input(other),
    }
}

fn unreadable(error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::InvalidData {
        Failure::input("a reply is not UTF-8")
    } else {
        error.into()
    }
}

/// An event as a line, with who did it; what goes on over several lines is set in.
pub(super) fn line(
    narrator: &Narrator<'_>,
    log: &Log<Exact>,
    index: usize,
    reader: Reader,
) -> Option<String> {
    let told = narrator.tell(log, index, reader)?;
    let text = told.text.replace('\n', "\n     ");
    Some(match told.who {
        Some(seat) => format!("{} {text}", narrator.perspective.name(seat)),
        None => text,
    })
}
