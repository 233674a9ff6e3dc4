//! An engine in a seat of a debate: asked, told what was wrong, waited for, given up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::meter::{CostMeter, NoCall, PendingCall};
use super::pipes::{Mailbox, UnreadLine};
use super::process::{Answer, is_ending};
use super::{EngineEnding, EngineFault, EngineLimits, EngineProcess, options};
use crate::message::play::PlayReport;
use crate::message::{Act, ActLine, EngineErrorKind, FromEngine, ReplyLine, SeatTeller, ToEngine};
use crate::record::{Cost, Forfeit, ReplyMeta};
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
    /// It gave an unreadable reply or failed otherwise, and is asked again.
    Failed {
        fault: &'static str,
        why: String,
        meta: Box<ReplyMeta>,
    },
}

/// The reason why an engine makes no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// Its reply is not wanted any more, or no engine is to be asked.
    Stopped,
    /// A cap on costs leaves no room for another call: which one, in words.
    Capped(String),
    /// It failed.
    Ended(EngineEnding),
}

/// An engine in a seat.
pub struct EngineSeat<'t> {
    engine: Arc<EngineProcess>,
    command: String,
    player: Spec,
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

/// Gives a process of a command.
type StartEngine<'t> = dyn Fn(&str) -> Result<Arc<EngineProcess>, String> + 't;

/// The engines of a debate, by seat.
pub struct SeatedEngines<'t> {
    debate: EngineDebate<'t>,
    seats: [Option<EngineSeat<'t>>; 3],
    /// Also gives the process that takes the place of one that has ended.
    start: Box<StartEngine<'t>>,
    /// Holds the costs of calls against a cap.
    meter: Option<Arc<CostMeter>>,
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
        start: impl Fn(&str) -> Result<Arc<EngineProcess>, String> + 't,
        teller: impl Fn(Seat) -> SeatTeller<'t>,
    ) -> Result<Self, EngineEnding> {
        let mut seats = [None, None, None];
        for (seat, player) in Seat::PLAYERS.into_iter().zip(players) {
            let Some(command) = player.command() else {
                continue;
            };
            let fault = EngineFault::Infrastructure;
            let ending = |why: String| EngineEnding::new(seat, fault, why);
            let engine = start(command).map_err(ending)?;
            let seated = EngineSeat::new(engine, player, &debate, teller(seat));
            seats[seat.index()] = Some(seated.map_err(ending)?);
        }
        Ok(Self {
            debate,
            seats,
            start: Box::new(start),
            meter: None,
        })
    }

    /// Holds the costs of calls against the cap of a meter, which many debates share.
    #[must_use]
    pub fn metered(self, meter: Arc<CostMeter>) -> Self {
        Self {
            meter: Some(meter),
            ..self
        }
    }

    /// True if no program plays.
    pub fn is_empty(&self) -> bool {
        self.seats.iter().all(Option::is_none)
    }

    /// Makes the move of the engine that is to be asked now. `stop` returns true once its reply is not wanted any
    /// more.
    ///
    /// # Errors
    /// Why it makes no move.
    pub fn play(
        &mut self,
        seating: &Seating<'_, Exact>,
        stop: &dyn Fn() -> bool,
        news: &mut dyn FnMut(EngineNews),
    ) -> Result<(Move<Exact>, ReplyMeta), NoMove> {
        let Some(seat) = seating.engine_to_ask() else {
            return Err(NoMove::Stopped);
        };
        let engine = self.seats.get_mut(seat.index()).and_then(Option::as_mut);
        let engine = engine.ok_or(NoMove::Stopped)?;
        let ended = |fault, why: String| NoMove::Ended(EngineEnding::new(seat, fault, why));
        let mut restarts = engine.engine.limits.patience;
        loop {
            let mut attempt = EngineTurn::new(engine.engine.limits, false, stop, news);
            if let Some(meter) = &self.meter {
                let player = self.debate.players.get(seat.index());
                attempt.meter = player.map(|player| (Arc::clone(meter), player.clone()));
            }
            let how = match engine.play(seating, &mut attempt) {
                Ok(moved) => return Ok(moved),
                Err(NoReply::Lost(how)) if restarts > 0 => how,
                Err(NoReply::Lost(how)) => return Err(ended(EngineFault::Crash, how)),
                Err(NoReply::Ended { fault, why, cost }) => {
                    return Err(NoMove::Ended(EngineEnding {
                        cost,
                        ..EngineEnding::new(seat, fault, why)
                    }));
                }
                Err(NoReply::Capped(why)) => return Err(NoMove::Capped(why)),
                Err(NoReply::Stopped | NoReply::Again(_)) => return Err(NoMove::Stopped),
            };
            restarts -= 1;
            let why = format!("the process ended in another debate, so a new one is asked: {how}");
            attempt.failed(
                EngineFault::Infrastructure.name(),
                &why,
                ReplyMeta::default(),
            );
            let fresh = (self.start)(&engine.command);
            let joined = fresh.and_then(|fresh| {
                engine.engine = fresh;
                engine.join(&self.debate)
            });
            joined.map_err(|why| ended(EngineFault::Infrastructure, why))?;
        }
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
            Err(NoReply::Ended { fault, why, .. }) => Err(format!("{fault}: {why}")),
            Err(NoReply::Lost(how)) => Err(format!("{}: {how}", EngineFault::Crash)),
            Err(NoReply::Again(_)) => Err("it failed in passing".to_owned()),
            Err(NoReply::Stopped | NoReply::Capped(_)) => Err("it was stopped".to_owned()),
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
        let mut seated = Self {
            engine,
            command: player.command().unwrap_or_default().to_owned(),
            player: player.clone(),
            teller,
            debate: String::new(),
            options: BTreeMap::new(),
            named: false,
        };
        seated.join(debate)?;
        Ok(seated)
    }

    /// Tells the process that the debate begins.
    ///
    /// # Errors
    /// As of [`Self::new`].
    fn join(&mut self, debate: &EngineDebate<'_>) -> Result<(), String> {
        let engine = &self.engine;
        let seat = self.teller.seat();
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
        let values = options::resolve(hello, &self.player)?;
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
        self.debate = name;
        self.options = kept_options;
        Ok(())
    }

    /// Makes its move.
    fn play(
        &mut self,
        seating: &Seating<'_, Exact>,
        attempt: &mut EngineTurn<'_>,
    ) -> Result<(Move<Exact>, ReplyMeta), NoReply> {
        let turn = seating.turn().ok_or(NoReply::Stopped)?;
        let act = self.teller.act(seating, true).ok_or(NoReply::Stopped)?;
        loop {
            let answer = self.ask(seating, &turn, &act, attempt);
            attempt.call = None;
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
                Err(NoReply::Again(after)) => {
                    if !attempt.wait(after) {
                        return Err(NoReply::Stopped);
                    }
                }
                Err(no_reply) => {
                    if no_reply.spoils() {
                        self.engine.spoil();
                    }
                    return Err(no_reply);
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
        attempt.begin_call()?;
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
                Answer::Ended(how) => return Err(NoReply::of_end(&mailbox, how)),
                Answer::Unread(UnreadLine { why, cost, .. }) => {
                    attempt.end_call(cost.as_deref());
                    let meta = ReplyMeta {
                        cost: cost.map(|cost| *cost),
                        ..ReplyMeta::default()
                    };
                    attempt.failed(EngineFault::BadJson.name(), &why, meta);
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
                    cost,
                }) if of == id => {
                    // The save takes no cost that no sum takes.
                    let cost = cost.and_then(|cost| cost.sound()).map(Box::new);
                    attempt.end_call(cost.as_deref());
                    return Err(attempt.error(kind, &why, retry_after_ms, cost));
                }
                Answer::Message(FromEngine::Reply(line)) if self.is_to(&line, id) => {
                    let ms = u64::try_from(put.elapsed().as_millis()).unwrap_or(u64::MAX);
                    let (read, meta) = line.read(seating, turn, ms);
                    attempt.end_call(meta.cost.as_ref());
                    match read {
                        Ok(_) if attempt.doubts => {
                            attempt.doubts = false;
                            let why = "this is a check: give another reply".to_owned();
                            (EngineFault::Illegal, why)
                        }
                        Ok(reply) => match refused(seating, &reply) {
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
                            attempt.failed(EngineFault::Illegal.name(), &why, meta);
                            (EngineFault::Illegal, why)
                        }
                    }
                }
                // Late, double, or not of this debate.
                Answer::Message(_) => continue,
            };
            let (fault, why) = wrong;
            if attempt.retries == 0 {
                return Err(NoReply::ended(fault, &why));
            }
            attempt.retries -= 1;
            if let Err(no_call) = attempt.begin_call() {
                self.stop(id);
                return Err(no_call);
            }
            self.engine.say(&ToEngine::Illegal {
                debate: self.debate.clone(),
                id,
                why,
                retries_left: attempt.retries,
            });
            until = (Instant::now() + limits.reply).min(attempt.begun + limits.stall);
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

/// The beginning of a text, as long as a save keeps it.
pub(crate) fn shortened(text: &str) -> String {
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
    /// The meter that calls are reserved with, and the player's name there.
    meter: Option<(Arc<CostMeter>, String)>,
    /// The call whose reply is awaited.
    call: Option<PendingCall>,
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
    /// A cap leaves no room for the call: which one, in words.
    Capped(String),
    /// It is put again after so long.
    Again(Duration),
    /// The process ended, which counts against a request of another debate: how it ended.
    Lost(String),
    Ended {
        fault: EngineFault,
        why: String,
        cost: Option<Box<Cost>>,
    },
}

impl From<NoCall> for NoReply {
    fn from(no_call: NoCall) -> Self {
        match no_call {
            NoCall::Stopped => Self::Stopped,
            NoCall::Capped(why) => Self::Capped(why),
        }
    }
}

impl NoReply {
    fn ended(fault: EngineFault, why: &str) -> Self {
        let why = shortened(why);
        let cost = None;
        Self::Ended { fault, why, cost }
    }

    /// The consequence of the end of the process for the request of a mailbox.
    fn of_end(mailbox: &Mailbox, how: String) -> Self {
        if mailbox.is_to_blame() {
            Self::ended(EngineFault::Crash, &how)
        } else {
            Self::Lost(how)
        }
    }

    /// True if the process is not to be trusted with another debate.
    fn spoils(&self) -> bool {
        match self {
            Self::Lost(_) => true,
            Self::Ended { fault, .. } => fault.spoils(),
            Self::Stopped | Self::Capped(_) | Self::Again(_) => false,
        }
    }

    pub(super) fn late(stalled: bool, limits: EngineLimits) -> Self {
        let EngineLimits { stall, reply, .. } = limits;
        if stalled && stall > reply {
            let why = format!("no reply within {stall:?}, though it said that it thinks");
            return Self::ended(EngineFault::Stall, &why);
        }
        Self::ended(EngineFault::Timeout, &format!("no reply within {reply:?}"))
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
            meter: None,
            call: None,
        }
    }

    /// Reserves the cost of the next call. The wait for room in a cap is no time of the engine's.
    fn begin_call(&mut self) -> Result<(), NoReply> {
        if let Some((meter, player)) = &self.meter {
            let began = Instant::now();
            self.call = Some(meter.reserve(player, self.stop)?);
            self.begun += began.elapsed();
        }
        Ok(())
    }

    /// Adds the cost of the reply to the pending call, legal or not.
    fn end_call(&mut self, cost: Option<&Cost>) {
        if let Some(call) = self.call.take() {
            call.settle(cost);
        }
    }

    pub(super) fn failed(&mut self, fault: &'static str, why: &str, meta: ReplyMeta) {
        let why = shortened(why);
        let meta = Box::new(meta);
        (self.news)(EngineNews::Failed { fault, why, meta });
    }

    /// The consequence of an error that it reports.
    pub(super) fn error(
        &mut self,
        kind: EngineErrorKind,
        why: &str,
        after: Option<u64>,
        cost: Option<Box<Cost>>,
    ) -> NoReply {
        let ended = |fault, cost| {
            let why = shortened(why);
            NoReply::Ended { fault, why, cost }
        };
        let name = match kind {
            EngineErrorKind::Bug => return ended(EngineFault::Bug, cost),
            EngineErrorKind::ModelRefusal => return ended(EngineFault::ModelRefusal, cost),
            EngineErrorKind::Transient => "transient",
            EngineErrorKind::Infrastructure => "infrastructure",
        };
        if self.patience == 0 {
            return ended(EngineFault::Infrastructure, cost);
        }
        let meta = ReplyMeta {
            cost: cost.map(|cost| *cost),
            ..ReplyMeta::default()
        };
        self.failed(name, why, meta);
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
