//! An engine in a seat of a debate: asked, told what was wrong, waited for, given up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::process::{Answer, is_ending};
use super::{EngineEnding, EngineFault, EngineLimits, EngineProcess, options};
use crate::export::play::PlayReport;
use crate::message::{Act, ActLine, EngineErrorKind, FromEngine, ReplyLine, SeatTeller, ToEngine};
use crate::record::{Forfeit, ReplyMeta, Session, SessionError};
use debate_core::chance::{Draws, Seed, Stream};
use debate_core::protocol::{Protocol, Reader, Reply, Rules as _, Seat, Spent, Turn};
use debate_core::{Exact, Instance, Move, Seating, Spec};

/// An event while an engine is attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineNews {
    /// It says something of its thinking.
    Info {
        text: String,
        /// How much else it said since the last news of this kind: the newest is told, so often and no more.
        dropped: u64,
    },
    /// It gave a reply that the rules refuse.
    Refused {
        reply: Reply<Exact>,
        why: String,
        meta: Box<ReplyMeta>,
    },
    /// It failed otherwise, and is asked again.
    Failed { fault: &'static str, why: String },
}

/// An engine in a seat.
pub struct EngineSeat<'t> {
    engine: Arc<EngineProcess>,
    teller: SeatTeller<'t>,
    /// What the debate is called to it.
    debate: String,
    /// The values of its options, as the save has them.
    options: BTreeMap<String, String>,
    /// True once its name stands in the save.
    named: bool,
}

/// A debate in which engines play.
#[derive(Clone, Debug)]
pub struct EngineDebate<'t> {
    pub instance: &'t Instance,
    pub protocol: Protocol,
    pub seed: Seed,
    /// The number of the debate under the seed.
    pub number: u64,
    /// The names of the players: prover, opponent, judge.
    pub players: [String; 3],
}

/// The engines of a debate, by seat.
pub struct SeatedEngines<'t> {
    debate: EngineDebate<'t>,
    seats: [Option<EngineSeat<'t>>; 3],
}

impl<'t> SeatedEngines<'t> {
    /// Seats an engine for each player that is one; `start` gives the process of a command.
    ///
    /// # Errors
    /// The first that does not start, has not an option that is set, or does not play this seat or
    /// protocol: its fault is [`EngineFault::Infrastructure`].
    pub fn start(
        debate: EngineDebate<'t>,
        players: &[Spec; 3],
        start: impl Fn(&str) -> Result<Arc<EngineProcess>, String>,
        teller: impl Fn(Seat) -> SeatTeller<'t>,
    ) -> Result<Self, EngineEnding> {
        let mut seats = [None, None, None];
        for (seat, player) in Seat::PLAYERS.into_iter().zip(players) {
            let Some(command) = player.command() else {
                continue;
            };
            let fault = EngineFault::Infrastructure;
            let ending = |why| EngineEnding { seat, fault, why };
            let engine = start(command).map_err(ending)?;
            let seated = EngineSeat::new(engine, player, &debate, teller(seat));
            seats[seat.index()] = Some(seated.map_err(ending)?);
        }
        Ok(Self { debate, seats })
    }

    /// True if no program plays.
    pub fn is_empty(&self) -> bool {
        self.seats.iter().all(Option::is_none)
    }

    /// Has the engine move that is to be asked now. `stop` says whether its reply is not wanted any
    /// more.
    ///
    /// # Errors
    /// Why it makes no move; `None` where it was stopped, or no engine is to be attempt.
    pub fn play(
        &mut self,
        seating: &Seating<'_, Exact>,
        stop: &dyn Fn() -> bool,
        news: &mut dyn FnMut(EngineNews),
    ) -> Result<(Move<Exact>, ReplyMeta), Option<EngineEnding>> {
        let seat = seating.engine_to_ask().ok_or(None)?;
        let engine = self.seats.get_mut(seat.index()).and_then(Option::as_mut);
        engine.ok_or(None)?.play(seating, stop, news)
    }

    /// Asks the engine whose turn it is, tells it that its reply was not legal, whatever it was, and
    /// waits for another one.
    ///
    /// # Errors
    /// Why none came.
    pub fn check_illegal(&mut self, seating: &Seating<'_, Exact>) -> Result<(), String> {
        let seat = seating.engine_to_ask();
        let engine = seat.and_then(|seat| self.seats.get_mut(seat.index())?.as_mut());
        let pending = engine.zip(seating.turn());
        let (engine, turn) = pending.ok_or_else(|| "no engine is to be asked".to_owned())?;
        let act = engine
            .teller
            .act(seating, true)
            .ok_or_else(|| "nobody is to be asked".to_owned())?;
        let mut ignored = |_| ();
        let mut attempt = EngineTurn::new(engine.engine.limits, true, &|| false, &mut ignored);
        match engine.ask(seating, &turn, &act, &mut attempt) {
            Ok(_) => Ok(()),
            Err(NoReply::Ended(fault, why)) => Err(format!("{fault}: {why}")),
            Err(NoReply::Again(_)) => Err("it failed in passing".to_owned()),
            Err(NoReply::Stopped) => Err("it was stopped".to_owned()),
        }
    }

    /// Tells every engine that no more is asked of it, and how the debate ended, by its rules or by a
    /// forfeit, where it has.
    pub fn end(&mut self, seating: &Seating<'_, Exact>, forfeit: Option<&Forfeit>) {
        for engine in self.seats.iter().flatten() {
            engine.engine.say(&ToEngine::End {
                debate: engine.debate.clone(),
                reward: engine.teller.reward(seating),
                outcome: self.debate.outcome(seating, forfeit).map(Box::new),
            });
        }
    }
}

impl EngineDebate<'_> {
    /// What a debate that has ended came to. The seed stays untold: other debates may have it too.
    fn outcome(
        &self,
        seating: &Seating<'_, Exact>,
        forfeit: Option<&Forfeit>,
    ) -> Option<PlayReport> {
        if seating.turn().is_some() && forfeit.is_none() {
            return None;
        }
        let seed = "not told";
        let players = self.players.clone();
        let instance = self.instance;
        let protocol = &self.protocol;
        let report = PlayReport::of(seating, instance, protocol, seed, players, Reader::ALL);
        Some(report.forfeited(forfeit.cloned()))
    }
}

/// Keeps why an engine makes no move: a fault of its own ends the debate, an outage does not.
///
/// # Errors
/// If it cannot be kept.
pub fn settle(session: &mut Session<'_>, ending: &EngineEnding) -> Result<(), SessionError> {
    let EngineEnding { seat, fault, why } = ending;
    session.note_fault(*seat, fault.name(), why, ReplyMeta::default())?;
    if fault.forfeits() {
        session.forfeit(*seat, fault.name())
    } else {
        session.flush()
    }
}

/// Has the engine move that is to be asked now, and keeps what it says in a session. `stop` says
/// whether its reply is not wanted any more, `hear` takes the news as they come. The inner error says
/// why it makes no move; that is kept too.
///
/// # Errors
/// If something cannot be kept, or the move does not follow.
pub fn engine_turn(
    session: &mut Session<'_>,
    engines: &mut SeatedEngines<'_>,
    stop: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(&EngineNews),
) -> Result<Result<(), EngineEnding>, SessionError> {
    let Some(seat) = session.seating().engine_to_ask() else {
        return Ok(Ok(()));
    };
    let mut faults = Vec::new();
    let moved = engines.play(session.seating(), stop, &mut |news| {
        hear(&news);
        // Of its thinking, which may have no end, nothing is kept.
        if !matches!(news, EngineNews::Info { .. }) {
            faults.push(news);
        }
    });
    for fault in faults {
        keep_news(session, seat, fault)?;
    }
    match moved {
        Ok((made, meta)) => session.accept(made, &meta).map(Ok),
        Err(Some(ending)) => {
            settle(session, &ending)?;
            Ok(Err(ending))
        }
        Err(None) => Ok(Ok(())),
    }
}

/// Keeps what was heard of an engine while it was attempt.
///
/// # Errors
/// If it cannot be kept.
pub fn keep_news(
    session: &mut Session<'_>,
    seat: Seat,
    news: EngineNews,
) -> Result<(), SessionError> {
    match news {
        EngineNews::Info { .. } => Ok(()),
        EngineNews::Refused { reply, why, meta } => session.note_refused(&reply, &why, *meta),
        EngineNews::Failed { fault, why } => {
            session.note_fault(seat, fault, &why, ReplyMeta::default())
        }
    }
}

/// Digits for the randomness of whoever sits in a seat. They come from the seat's private stream, so
/// that no coin follows from them.
fn private_seed(seed: &Seed, debate: u64, seat: Seat) -> String {
    let stream = match seat {
        Seat::Prover => Stream::Prover,
        Seat::Opponent => Stream::Opponent,
        _ => Stream::Judge,
    };
    let mut draws = Draws::private(seed, stream, debate);
    format!("{:014x}{:014x}", draws.at(0), draws.at(1))
}

impl<'t> EngineSeat<'t> {
    /// Seats an engine, and tells it that the debate begins.
    ///
    /// # Errors
    /// If it does not play this seat or protocol, or has not an option that is set, as the end of a
    /// sentence.
    pub fn new(
        engine: Arc<EngineProcess>,
        player: &Spec,
        debate: &EngineDebate<'_>,
        teller: SeatTeller<'t>,
    ) -> Result<Self, String> {
        let seat = teller.seat();
        let hello = engine.hello();
        let protocol = &debate.protocol;
        let takes = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|other| other == name)
        };
        if !takes(&hello.seats, seat.name()) {
            let seats = hello.seats.join(", ");
            return Err(format!("it plays {seats} only"));
        }
        if !takes(&hello.protocols, protocol.kind().name()) {
            let protocols = hello.protocols.join(", ");
            return Err(format!("it plays by these rules only: {protocols}"));
        }
        let values = options::resolve(hello, player)?;
        let name = format!("{seat}-{}", engine.next_debate());
        let kept_options = options::kept(&values);
        engine.say(&ToEngine::New {
            debate: name.clone(),
            protocol: protocol.kind().name(),
            parameters: protocol.to_string(),
            seat: seat.name(),
            seed: private_seed(&debate.seed, debate.number, seat),
            options: values,
        });
        Ok(Self {
            engine,
            debate: name,
            teller,
            options: kept_options,
            named: false,
        })
    }

    /// Has it move.
    fn play(
        &mut self,
        seating: &Seating<'_, Exact>,
        stop: &dyn Fn() -> bool,
        news: &mut dyn FnMut(EngineNews),
    ) -> Result<(Move<Exact>, ReplyMeta), Option<EngineEnding>> {
        let turn = seating.turn().ok_or(None)?;
        let act = self.teller.act(seating, true).ok_or(None)?;
        let mut attempt = EngineTurn::new(self.engine.limits, false, stop, news);
        loop {
            let answer = self.ask(seating, &turn, &act, &mut attempt);
            attempt.tell_thought(Duration::ZERO);
            match answer {
                Ok((reply, mut meta)) => {
                    if !self.named {
                        let hello = self.engine.hello();
                        let name = format!("{} {}", hello.name, hello.version);
                        meta.engine = Some(name.trim().to_owned());
                        meta.options.clone_from(&self.options);
                        self.named = true;
                    }
                    let made = Move {
                        seat: turn.seat,
                        reply,
                        coin: None,
                        spent: Spent::default(),
                    };
                    return Ok((made, meta));
                }
                Err(NoReply::Stopped) => return Err(None),
                Err(NoReply::Again(after)) => {
                    if !attempt.wait(after) {
                        return Err(None);
                    }
                }
                Err(NoReply::Ended(fault, why)) => {
                    if fault.spoils() {
                        self.engine.spoil();
                    }
                    let why = shortened(&why);
                    let seat = turn.seat;
                    return Err(Some(EngineEnding { seat, fault, why }));
                }
            }
        }
    }

    /// Puts the request once, and waits for a legal reply to it.
    fn ask(
        &mut self,
        seating: &Seating<'_, Exact>,
        turn: &Turn<Exact>,
        act: &Act,
        attempt: &mut EngineTurn<'_>,
    ) -> Result<(Reply<Exact>, ReplyMeta), NoReply> {
        let ((id, mailbox), limits) = (self.engine.next_request(), self.engine.limits);
        let put = Instant::now();
        let stall = attempt.begun + limits.stall;
        self.engine.say(&ToEngine::Act(Box::new(ActLine {
            debate: self.debate.clone(),
            deadline_ms: u64::try_from(limits.reply.as_millis()).ok(),
            act: Act { id, ..act.clone() },
        })));
        let mut until = (put + limits.reply).min(stall);
        loop {
            if (attempt.stop)() {
                self.stop(id);
                return Err(NoReply::Stopped);
            }
            attempt.tell_thought(INFO_PACE);
            let look = until.min(Instant::now() + LOOK);
            let wrong = match self.engine.hear(&mailbox, look) {
                Answer::Late if Instant::now() < until => continue,
                Answer::Late => {
                    self.stop(id);
                    return Err(NoReply::late(until >= stall, limits));
                }
                // This program ends, and has ended it.
                Answer::Ended(_) if is_ending() => return Err(NoReply::Stopped),
                Answer::Ended(how) => return Err(NoReply::Ended(EngineFault::Crash, how)),
                Answer::Unread(why) => {
                    attempt.failed(EngineFault::BadJson.name(), &why);
                    (EngineFault::BadJson, why)
                }
                Answer::Message(FromEngine::Info { id: of, text }) if of == id => {
                    until = (Instant::now() + limits.reply).min(stall);
                    attempt.thoughts.hear(&text);
                    continue;
                }
                Answer::Message(FromEngine::Error {
                    id: of,
                    kind,
                    why,
                    retry_after_ms,
                }) if of == id => {
                    return Err(attempt.error(kind, &why, retry_after_ms));
                }
                Answer::Message(FromEngine::Reply(line)) if self.is_to(&line, id) => {
                    let ms = u64::try_from(put.elapsed().as_millis()).unwrap_or(u64::MAX);
                    match line.read(seating, turn, ms) {
                        Ok(_) if attempt.doubts => {
                            attempt.doubts = false;
                            let why = "this is a check: give another reply".to_owned();
                            (EngineFault::Illegal, why)
                        }
                        Ok((reply, meta)) => match refused(seating, &reply) {
                            None => return Ok((reply, meta)),
                            Some(why) => {
                                let meta = Box::new(meta);
                                let refused = why.clone();
                                (attempt.news)(EngineNews::Refused {
                                    reply,
                                    why: refused,
                                    meta,
                                });
                                (EngineFault::Illegal, why)
                            }
                        },
                        Err(why) => {
                            attempt.failed(EngineFault::Illegal.name(), &why);
                            (EngineFault::Illegal, why)
                        }
                    }
                }
                // Late, double, or not of this debate.
                Answer::Message(_) => continue,
            };
            let (fault, why) = wrong;
            if attempt.retries == 0 {
                return Err(NoReply::Ended(fault, why));
            }
            attempt.retries -= 1;
            self.engine.say(&ToEngine::Illegal {
                debate: self.debate.clone(),
                id,
                why,
                retries_left: attempt.retries,
            });
            until = (Instant::now() + limits.reply).min(stall);
        }
    }

    fn is_to(&self, line: &ReplyLine, id: u64) -> bool {
        line.id == id && (line.debate.is_empty() || line.debate == self.debate)
    }

    fn stop(&self, id: u64) {
        let debate = self.debate.clone();
        self.engine.say(&ToEngine::Stop { debate, id });
    }
}

/// Why the rules refuse a reply; `None` where they take it.
fn refused(seating: &Seating<'_, Exact>, reply: &Reply<Exact>) -> Option<String> {
    let taken = seating.state().clone().reply(reply.clone(), &mut ());
    taken.err().map(|illegal| illegal.to_string())
}

/// The time between two looks at whether a reply is still wanted.
pub(super) const LOOK: Duration = Duration::from_millis(50);
/// The time between two news of its thinking.
pub(super) const INFO_PACE: Duration = Duration::from_millis(100);
/// The first time that is waited after a passing failure, and the longest.
const BACK_OFF: Duration = Duration::from_secs(1);
const MOST_BACK_OFF: Duration = Duration::from_secs(60);
/// The most characters of what an engine says of its thinking, or of a failure.
const MOST_SAID: usize = 300;

pub(super) fn shortened(text: &str) -> String {
    text.chars().take(MOST_SAID).collect()
}

/// A turn of an engine.
pub(super) struct EngineTurn<'n> {
    pub(super) begun: Instant,
    pub(super) retries: u32,
    patience: u32,
    /// The most that is waited after a passing failure, whatever the engine asks for.
    longest_wait: Duration,
    /// True if the first legal reply is refused all the same.
    pub(super) doubts: bool,
    pub(super) stop: &'n dyn Fn() -> bool,
    pub(super) news: &'n mut dyn FnMut(EngineNews),
    pub(super) thoughts: Thoughts,
}

/// What an engine says of its thinking, which it may say without end: the newest is kept.
#[derive(Default)]
pub(super) struct Thoughts {
    newest: Option<String>,
    /// Those before the newest that nobody was told.
    dropped: u64,
    told: Option<Instant>,
}

impl Thoughts {
    pub(super) fn hear(&mut self, text: &str) {
        self.dropped += u64::from(self.newest.is_some());
        self.newest = Some(shortened(text));
    }
}

/// The reason why a request has no reply.
pub(super) enum NoReply {
    Stopped,
    /// It is put again after so long.
    Again(Duration),
    Ended(EngineFault, String),
}

impl NoReply {
    pub(super) fn late(stalled: bool, limits: EngineLimits) -> Self {
        let EngineLimits { stall, reply, .. } = limits;
        if stalled && stall > reply {
            let why = format!("no reply within {stall:?}, though it said that it thinks");
            return Self::Ended(EngineFault::Stall, why);
        }
        Self::Ended(EngineFault::Timeout, format!("no reply within {reply:?}"))
    }
}

impl<'n> EngineTurn<'n> {
    pub(super) fn new(
        limits: EngineLimits,
        doubts: bool,
        stop: &'n dyn Fn() -> bool,
        news: &'n mut dyn FnMut(EngineNews),
    ) -> Self {
        Self {
            begun: Instant::now(),
            retries: limits.retries,
            patience: limits.patience,
            longest_wait: limits.reply,
            doubts,
            stop,
            news,
            thoughts: Thoughts::default(),
        }
    }

    pub(super) fn failed(&mut self, fault: &'static str, why: &str) {
        let why = shortened(why);
        (self.news)(EngineNews::Failed { fault, why });
    }

    /// The consequence of an error that it reports.
    pub(super) fn error(
        &mut self,
        kind: EngineErrorKind,
        why: &str,
        after: Option<u64>,
    ) -> NoReply {
        let name = match kind {
            EngineErrorKind::Bug => return NoReply::Ended(EngineFault::Bug, why.to_owned()),
            EngineErrorKind::ModelRefusal => {
                return NoReply::Ended(EngineFault::ModelRefusal, why.to_owned());
            }
            EngineErrorKind::Transient => "transient",
            EngineErrorKind::Infrastructure => "infrastructure",
        };
        if self.patience == 0 {
            return NoReply::Ended(EngineFault::Infrastructure, why.to_owned());
        }
        self.failed(name, why);
        self.patience -= 1;
        let pause = after.map_or(BACK_OFF, Duration::from_millis);
        NoReply::Again(pause.min(MOST_BACK_OFF).min(self.longest_wait))
    }

    /// Tells the newest of its thinking, unless something of it was told within this time.
    pub(super) fn tell_thought(&mut self, pace: Duration) {
        let thoughts = &mut self.thoughts;
        if thoughts.told.is_some_and(|last| last.elapsed() < pace) {
            return;
        }
        if let Some(text) = thoughts.newest.take() {
            let dropped = std::mem::take(&mut thoughts.dropped);
            thoughts.told = Some(Instant::now());
            (self.news)(EngineNews::Info { text, dropped });
        }
    }

    /// Waits; says whether a reply is still wanted.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while Instant::now() < until {
            if (self.stop)() {
                return false;
            }
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        true
    }
}
