//! An engine in one seat of a debate: requests, refusals of illegal replies, timeouts and forfeits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::meter::{EngineCallCostReservation, EngineNotCalledReason, SharedCostMeterWithCaps};
use super::pipes::{EngineMessageMailbox, InvalidEngineLine};
use super::process::{EngineMessageOrFailure, is_shutting_down};
use super::{EngineFailure, EngineFault, EngineProcess, EngineWaitAndRetryLimits, options};
use crate::message::play::DebateOutcomeReport;
use crate::message::{
    EngineReportedErrorKind, MessageFromEngine, MessageToEngine, SeatMessageBuilder,
    SeatReplyMessage, SeatRequest, SeatRequestLine,
};
use crate::record::{Forfeit, ReplyCost, ReplyMeta};
use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
use debate_core::protocol::{
    LogViewerRole, PendingTurn, Protocol, Reply, Rules as _, Seat, SeatResourceCosts,
};
use debate_core::{Exact, Instance, Move, PlayerSpec, SeatedDebate};

/// An event while an engine is asked for a move: a report of its thinking, or a failed attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineThinkingOrFailedAttempt {
    /// The engine reports its thinking.
    Info {
        text: String,
        /// The number of reports of the engine's thinking that were dropped since the last report that was passed on.
        /// At most one report per interval, the newest, is passed on.
        dropped: u64,
    },
    /// The engine gave a reply that the rules refuse.
    Refused {
        reply: Reply<Exact>,
        why: String,
        meta: Box<ReplyMeta>,
    },
    /// The engine gave an unreadable reply or failed in another way. The engine is asked again if a retry is left.
    Failed {
        fault: &'static str,
        why: String,
        meta: Box<ReplyMeta>,
    },
}

/// The reason why an engine makes no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoEngineMoveReason {
    /// The wait for the engine was stopped because its reply is no longer wanted, or it is not an engine's turn.
    Stopped,
    /// A cost cap leaves no room for another call; the text names the cap.
    Capped(String),
    /// The engine failed.
    Ended(EngineFailure),
}

/// An engine in a seat.
pub struct EngineSeat<'t> {
    engine: Arc<EngineProcess>,
    command: String,
    player: PlayerSpec,
    view_builder: SeatMessageBuilder<'t>,
    /// The name that identifies this debate in messages between the program and the engine.
    debate: String,
    /// Values of the engine's options, in the form of the save.
    options: BTreeMap<String, String>,
    /// True once a line of the save states the engine's name and version.
    named: bool,
}

/// The facts from which messages to a debate's engines are made: instance, rules, seed, players.
#[derive(Clone, Debug)]
pub struct DebateFactsForEngines<'t> {
    pub instance: &'t Instance,
    pub protocol: Protocol,
    pub seed: Seed,
    /// Index of the debate among the debates with the same seed.
    pub number: u64,
    /// Names of the prover, opponent and judge.
    pub players: [String; 3],
}

/// A function that returns a process for an engine's command: a new one, or one that is already running.
type StartEngine<'t> = dyn Fn(&str) -> Result<Arc<EngineProcess>, String> + 't;

/// The engines of a debate, by seat.
pub struct SeatedEngines<'t> {
    debate: DebateFactsForEngines<'t>,
    seats: [Option<EngineSeat<'t>>; 3],
    /// Function that returns a process for an engine, at first and after its process has ended.
    start: Box<StartEngine<'t>>,
    /// Limits the costs of calls.
    meter: Option<Arc<SharedCostMeterWithCaps>>,
}

impl<'t> SeatedEngines<'t> {
    /// Seats an engine for each player that is an engine. `start` returns the process of a command.
    ///
    /// # Errors
    /// Returns the first engine that does not start, lacks an option that is set, or does not play this seat or
    /// protocol. The fault is [`EngineFault::Infrastructure`].
    pub fn start(
        debate: DebateFactsForEngines<'t>,
        players: &[PlayerSpec; 3],
        start: impl Fn(&str) -> Result<Arc<EngineProcess>, String> + 't,
        view_builder: impl Fn(Seat) -> SeatMessageBuilder<'t>,
    ) -> Result<Self, EngineFailure> {
        let mut seats = [None, None, None];
        for (seat, player) in Seat::PLAYERS.into_iter().zip(players) {
            let Some(command) = player.command_or_model_name() else {
                continue;
            };
            let fault = EngineFault::Infrastructure;
            let ending = |why: String| EngineFailure::new(seat, fault, why);
            let engine = start(command).map_err(ending)?;
            let seated = EngineSeat::new(engine, player, &debate, view_builder(seat));
            seats[seat.seat_index()] = Some(seated.map_err(ending)?);
        }
        Ok(Self {
            debate,
            seats,
            start: Box::new(start),
            meter: None,
        })
    }

    /// Limits the costs of calls by a meter, which many debates can share.
    #[must_use]
    pub fn with_cost_meter(self, meter: Arc<SharedCostMeterWithCaps>) -> Self {
        Self {
            meter: Some(meter),
            ..self
        }
    }

    /// True if no player is an engine.
    pub fn is_empty(&self) -> bool {
        self.seats.iter().all(Option::is_none)
    }

    /// Asks the engine to move and returns its move. `stop` returns true once the reply is no longer wanted.
    ///
    /// # Errors
    /// Returns the reason why the engine makes no move.
    pub fn play(
        &mut self,
        seating: &SeatedDebate<'_, Exact>,
        stop: &dyn Fn() -> bool,
        news: &mut dyn FnMut(EngineThinkingOrFailedAttempt),
    ) -> Result<(Move<Exact>, ReplyMeta), NoEngineMoveReason> {
        let Some(seat) = seating.engine_seat_to_ask() else {
            return Err(NoEngineMoveReason::Stopped);
        };
        let engine = self
            .seats
            .get_mut(seat.seat_index())
            .and_then(Option::as_mut);
        let engine = engine.ok_or(NoEngineMoveReason::Stopped)?;
        let ended =
            |fault, why: String| NoEngineMoveReason::Ended(EngineFailure::new(seat, fault, why));
        let mut restarts = engine.engine.limits.patience;
        loop {
            let mut attempt = EngineTurnInProgress::new(engine.engine.limits, false, stop, news);
            if let Some(meter) = &self.meter {
                let player = self.debate.players.get(seat.seat_index());
                attempt.meter = player.map(|player| (Arc::clone(meter), player.clone()));
            }
            let how_it_ended = match engine.play(seating, &mut attempt) {
                Ok(moved) => return Ok(moved),
                Err(NoReplyReason::Lost(how)) if restarts > 0 => how,
                Err(NoReplyReason::Lost(how)) => return Err(ended(EngineFault::Crash, how)),
                Err(NoReplyReason::Ended { fault, why, cost }) => {
                    return Err(NoEngineMoveReason::Ended(EngineFailure {
                        cost,
                        ..EngineFailure::new(seat, fault, why)
                    }));
                }
                Err(NoReplyReason::Capped(why)) => return Err(NoEngineMoveReason::Capped(why)),
                Err(NoReplyReason::Stopped | NoReplyReason::Again(_)) => {
                    return Err(NoEngineMoveReason::Stopped);
                }
            };
            restarts -= 1;
            let why = format!(
                "the engine's process ended during another debate ({how_it_ended}); a new process gets the request"
            );
            attempt.report_failed_request(
                EngineFault::Infrastructure.engine_fault_name(),
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

    /// Asks the engine to move, refuses its first reply even if it is legal, and waits for a second reply.
    ///
    /// # Errors
    /// Returns the reason why no second reply came.
    pub fn check_reply_after_refusal(
        &mut self,
        seating: &SeatedDebate<'_, Exact>,
    ) -> Result<(), String> {
        let seat = seating.engine_seat_to_ask();
        let engine = seat.and_then(|seat| self.seats.get_mut(seat.seat_index())?.as_mut());
        let pending = engine.zip(seating.turn());
        let (engine, turn) = pending.ok_or_else(|| "the seat to move has no engine".to_owned())?;
        let act = engine
            .view_builder
            .pending_request(seating, true)
            .ok_or_else(|| "no request is pending".to_owned())?;
        let mut ignored = |_| ();
        let mut attempt =
            EngineTurnInProgress::new(engine.engine.limits, true, &|| false, &mut ignored);
        match engine.ask(seating, &turn, &act, &mut attempt) {
            Ok(_) => Ok(()),
            Err(NoReplyReason::Ended { fault, why, .. }) => Err(format!("{fault}: {why}")),
            Err(NoReplyReason::Lost(how)) => Err(format!("{}: {how}", EngineFault::Crash)),
            Err(NoReplyReason::Again(_)) => Err("it failed temporarily".to_owned()),
            Err(NoReplyReason::Stopped | NoReplyReason::Capped(_)) => {
                Err("it was stopped".to_owned())
            }
        }
    }

    /// Tells every engine that no more requests follow. If the debate is over, the message contains its outcome, by the
    /// rules or by a forfeit.
    pub fn announce_debate_end(
        &mut self,
        seating: &SeatedDebate<'_, Exact>,
        forfeit: Option<&Forfeit>,
    ) {
        for engine in self.seats.iter().flatten() {
            engine.engine.send_message(&MessageToEngine::End {
                debate: engine.debate.clone(),
                reward: engine.view_builder.debater_payoff_so_far(seating),
                outcome: self.debate.outcome(seating, forfeit).map(Box::new),
            });
        }
    }
}

impl DebateFactsForEngines<'_> {
    /// Returns the message to engines about the outcome of an ended debate; `None` if the debate is unfinished. The
    /// message does not reveal the seed, because other debates may use the same seed.
    fn outcome(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        forfeit: Option<&Forfeit>,
    ) -> Option<DebateOutcomeReport> {
        if seating.turn().is_some() && forfeit.is_none() {
            return None;
        }
        let seed = "not told";
        let players = self.players.clone();
        let instance = self.instance;
        let protocol = &self.protocol;
        let report = DebateOutcomeReport::of(
            seating,
            instance,
            protocol,
            seed,
            players,
            LogViewerRole::ALL,
        );
        Some(report.with_forfeit(forfeit.cloned()))
    }
}

/// Returns a seed for the engine's own randomness. It comes from the seat's private stream, so it reveals no coin of
/// the debate.
fn private_seed(seed: &Seed, debate: u64, seat: Seat) -> String {
    let stream = match seat {
        Seat::Prover => RandomStreamPurpose::Prover,
        Seat::Opponent => RandomStreamPurpose::Opponent,
        _ => RandomStreamPurpose::Judge,
    };
    let mut draws = RandomStream::for_player_in_debate(seed, stream, debate);
    format!(
        "{:014x}{:014x}",
        draws.random_53_bit_number_at(0),
        draws.random_53_bit_number_at(1)
    )
}

impl<'t> EngineSeat<'t> {
    /// Seats an engine and tells it that the debate begins.
    ///
    /// # Errors
    /// If the engine does not play this seat or protocol, or lacks an option that is set. The error is the end of a
    /// sentence.
    pub fn new(
        engine: Arc<EngineProcess>,
        player: &PlayerSpec,
        debate: &DebateFactsForEngines<'_>,
        view_builder: SeatMessageBuilder<'t>,
    ) -> Result<Self, String> {
        let mut seated = Self {
            engine,
            command: player
                .command_or_model_name()
                .unwrap_or_default()
                .to_owned(),
            player: player.clone(),
            view_builder,
            debate: String::new(),
            options: BTreeMap::new(),
            named: false,
        };
        seated.join(debate)?;
        Ok(seated)
    }

    /// Tells the engine's process that the debate begins.
    ///
    /// # Errors
    /// As [`Self::new`].
    fn join(&mut self, debate: &DebateFactsForEngines<'_>) -> Result<(), String> {
        let engine = &self.engine;
        let seat = self.view_builder.seat();
        let hello = engine.hello_message();
        let protocol = &debate.protocol;
        let takes = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|other| other == name)
        };
        if !takes(&hello.seats, seat.name_in_flags_and_json()) {
            let seats = hello.seats.join(", ");
            return Err(format!("the engine plays only these seats: {seats}"));
        }
        if !takes(&hello.protocols, protocol.kind().protocol_name()) {
            let protocols = hello.protocols.join(", ");
            return Err(format!(
                "the engine plays only these protocols: {protocols}"
            ));
        }
        let values = options::resolve(hello, &self.player, &engine.options_of_settings)?;
        let name = format!("{seat}-{}", engine.allocate_engine_debate_number());
        let kept_options = options::engine_option_texts_for_save(&values);
        engine.send_message(&MessageToEngine::New {
            debate: name.clone(),
            protocol: protocol.kind().protocol_name(),
            parameters: protocol.to_string(),
            seat: seat.name_in_flags_and_json(),
            seed: private_seed(&debate.seed, debate.number, seat),
            options: values,
        });
        self.debate = name;
        self.options = kept_options;
        Ok(())
    }

    /// Asks the engine for its move, and repeats the request after each transient failure. Does not apply the move.
    fn play(
        &mut self,
        seating: &SeatedDebate<'_, Exact>,
        attempt: &mut EngineTurnInProgress<'_>,
    ) -> Result<(Move<Exact>, ReplyMeta), NoReplyReason> {
        let turn = seating.turn().ok_or(NoReplyReason::Stopped)?;
        let act = self
            .view_builder
            .pending_request(seating, true)
            .ok_or(NoReplyReason::Stopped)?;
        loop {
            let answer = self.ask(seating, &turn, &act, attempt);
            attempt.call = None;
            attempt.forward_newest_thinking_report(Duration::ZERO);
            match answer {
                Ok((reply, mut meta)) => {
                    if !self.named {
                        let hello = self.engine.hello_message();
                        let name = format!("{} {}", hello.name, hello.version);
                        meta.engine = Some(name.trim().to_owned());
                        meta.options.clone_from(&self.options);
                        self.named = true;
                    }
                    let made = Move {
                        seat: turn.seat,
                        reply,
                        coin: None,
                        spent: SeatResourceCosts::default(),
                    };
                    return Ok((made, meta));
                }
                Err(NoReplyReason::Again(after)) => {
                    if !attempt.wait_unless_stopped(after) {
                        return Err(NoReplyReason::Stopped);
                    }
                }
                Err(no_reply) => {
                    if no_reply.spoils() {
                        self.engine.mark_engine_unusable();
                    }
                    return Err(no_reply);
                }
            }
        }
    }

    /// Sends the request to the engine once, and waits for a legal reply.
    #[expect(
        clippy::too_many_lines,
        reason = "one `match` arm for each kind of event from the engine"
    )]
    fn ask(
        &mut self,
        seating: &SeatedDebate<'_, Exact>,
        turn: &PendingTurn<Exact>,
        act: &SeatRequest,
        attempt: &mut EngineTurnInProgress<'_>,
    ) -> Result<(Reply<Exact>, ReplyMeta), NoReplyReason> {
        attempt.begin_call()?;
        let ((id, mailbox), limits) = (self.engine.new_request_with_mailbox(), self.engine.limits);
        let put = Instant::now();
        let mut stall = attempt.begun + limits.stall;
        self.engine
            .send_message(&MessageToEngine::Act(Box::new(SeatRequestLine {
                debate: self.debate.clone(),
                deadline_ms: u64::try_from(limits.reply.as_millis()).ok(),
                act: SeatRequest { id, ..act.clone() },
            })));
        let mut until = (put + limits.reply).min(stall);
        loop {
            if (attempt.stop)() {
                self.stop(id);
                return Err(NoReplyReason::Stopped);
            }
            attempt.forward_newest_thinking_report(INFO_PACE);
            let look = until.min(Instant::now() + LOOK);
            let wrong = match self.engine.wait_for_answer(&mailbox, look) {
                EngineMessageOrFailure::Late if Instant::now() < until => continue,
                EngineMessageOrFailure::Late => {
                    self.stop(id);
                    return Err(NoReplyReason::no_reply_after_timeout(
                        until >= stall,
                        limits,
                    ));
                }
                // The program is exiting and has ended the process itself.
                EngineMessageOrFailure::Ended(_) if is_shutting_down() => {
                    return Err(NoReplyReason::Stopped);
                }
                EngineMessageOrFailure::Ended(how) => {
                    return Err(NoReplyReason::of_end(&mailbox, how));
                }
                EngineMessageOrFailure::Unread(InvalidEngineLine { why, cost, .. }) => {
                    attempt.end_call(cost.as_deref());
                    let meta = ReplyMeta {
                        cost: cost.map(|cost| *cost),
                        ..ReplyMeta::default()
                    };
                    attempt.report_failed_request(
                        EngineFault::BadJson.engine_fault_name(),
                        &why,
                        meta,
                    );
                    (EngineFault::BadJson, why)
                }
                EngineMessageOrFailure::Message(MessageFromEngine::Info { id: of, text })
                    if of == id =>
                {
                    until = (Instant::now() + limits.reply).min(stall);
                    attempt.thoughts.replace_newest_thinking_report(&text);
                    continue;
                }
                EngineMessageOrFailure::Message(MessageFromEngine::Error {
                    id: of,
                    kind,
                    why,
                    retry_after_ms,
                    cost,
                    is_final,
                }) if of == id => {
                    // A save accepts only costs that can be summed.
                    let cost = cost.and_then(|cost| cost.cost_if_valid()).map(Box::new);
                    attempt.end_call(cost.as_deref());
                    if is_final {
                        attempt.patience = 0;
                    }
                    return Err(attempt.error(kind, &why, retry_after_ms, cost));
                }
                EngineMessageOrFailure::Message(MessageFromEngine::Reply(line))
                    if self.is_to(&line, id) =>
                {
                    let ms = u64::try_from(put.elapsed().as_millis()).unwrap_or(u64::MAX);
                    let (read, meta) = line.read(seating, turn, ms);
                    attempt.end_call(meta.cost.as_ref());
                    match read {
                        Ok(_) if attempt.doubts => {
                            attempt.doubts = false;
                            let why = "as a test, `engine check` refuses even a legal reply once; send a legal reply again".to_owned();
                            (EngineFault::Illegal, why)
                        }
                        Ok(reply) => match refused(seating, &reply) {
                            None => return Ok((reply, meta)),
                            Some(why) => {
                                let meta = Box::new(meta);
                                let refused = why.clone();
                                (attempt.news)(EngineThinkingOrFailedAttempt::Refused {
                                    reply,
                                    why: refused,
                                    meta,
                                });
                                (EngineFault::Illegal, why)
                            }
                        },
                        Err(why) => {
                            let fault = EngineFault::Illegal;
                            attempt.report_failed_request(fault.engine_fault_name(), &why, meta);
                            (fault, why)
                        }
                    }
                }
                // The message is late, a duplicate, or belongs to another debate.
                EngineMessageOrFailure::Message(_) => continue,
            };
            let (fault, why) = wrong;
            if attempt.retries == 0 {
                return Err(NoReplyReason::ended(fault, &why));
            }
            attempt.retries -= 1;
            if let Err(no_call) = attempt.begin_call() {
                self.stop(id);
                return Err(no_call);
            }
            self.refuse(id, why, attempt.retries);
            stall = attempt.begun + limits.stall;
            until = (Instant::now() + limits.reply).min(stall);
        }
    }

    fn is_to(&self, line: &SeatReplyMessage, id: u64) -> bool {
        line.id == id && (line.debate.is_empty() || line.debate == self.debate)
    }

    /// Asks the engine for another reply to a request, with the reason why the last one was refused.
    fn refuse(&self, id: u64, why: String, retries_left: u32) {
        let debate = self.debate.clone();
        self.engine.send_message(&MessageToEngine::Illegal {
            debate,
            id,
            why,
            retries_left,
        });
    }

    fn stop(&self, id: u64) {
        let debate = self.debate.clone();
        self.engine
            .send_message(&MessageToEngine::Stop { debate, id });
    }
}

/// Returns the reason why the rules refuse the engine's reply; `None` if the reply is legal.
fn refused(seating: &SeatedDebate<'_, Exact>, reply: &Reply<Exact>) -> Option<String> {
    let taken = seating.state().clone().reply(reply.clone(), &mut ());
    taken.err().map(|illegal| illegal.to_string())
}

/// Interval between two checks of the stop signal.
pub(super) const LOOK: Duration = Duration::from_millis(50);
/// Minimum time between two reports of an engine's thinking.
pub(super) const INFO_PACE: Duration = Duration::from_millis(100);
/// First wait before a request is repeated after an engine's transient failure; each later wait is twice as long. An
/// engine that names a wait is asked again after that wait, at most [`MAX_BACK_OFF`].
const BACK_OFF: Duration = Duration::from_secs(1);
const MAX_BACK_OFF: Duration = Duration::from_secs(60);
/// Maximum number of characters of an engine's report or failure message.
const MAX_STDERR: usize = 300;

/// Cuts a text of an engine to the maximum length that a save stores.
pub(crate) fn shortened_for_save(text: &str) -> String {
    text.chars().take(MAX_STDERR).collect()
}

/// The state of an engine's turn until its reply arrives: retries, limits on waiting, and the pending call.
pub(super) struct EngineTurnInProgress<'n> {
    pub(super) begun: Instant,
    pub(super) retries: u32,
    patience: u32,
    /// The next wait after a transient failure, if the engine names none.
    next_pause: Duration,
    /// Upper limit of the wait after a transient failure; overrides the engine's request.
    longest_wait: Duration,
    /// True if the engine's first readable reply is refused on purpose, to check that the engine then gives another
    /// one.
    pub(super) doubts: bool,
    pub(super) stop: &'n dyn Fn() -> bool,
    pub(super) news: &'n mut dyn FnMut(EngineThinkingOrFailedAttempt),
    pub(super) thoughts: NewestThinkingReport,
    /// The meter that reserves the costs of calls, and the engine's player name in this meter.
    meter: Option<(Arc<SharedCostMeterWithCaps>, String)>,
    /// The pending call to the program that plays the seat, with its reserved cost, until the reply arrives.
    call: Option<EngineCallCostReservation>,
}

/// Reports of an engine's thinking. Only the newest is kept, because an engine may report without end.
#[derive(Default)]
pub(super) struct NewestThinkingReport {
    newest: Option<String>,
    /// Number of thinking reports dropped since the last one that was passed on.
    dropped: u64,
    told: Option<Instant>,
}

impl NewestThinkingReport {
    pub(super) fn replace_newest_thinking_report(&mut self, text: &str) {
        self.dropped += u64::from(self.newest.is_some());
        self.newest = Some(shortened_for_save(text));
    }
}

/// The reason why no reply to a request was received from the engine.
pub(super) enum NoReplyReason {
    Stopped,
    /// A cost cap leaves no room for the call; the text names the cap.
    Capped(String),
    /// The engine failed for a transient reason: the request is sent again after this time.
    Again(Duration),
    /// The engine's process ended, and its exit is blamed on a request of another debate. The text says how it ended.
    Lost(String),
    Ended {
        fault: EngineFault,
        why: String,
        cost: Option<Box<ReplyCost>>,
    },
}

impl From<EngineNotCalledReason> for NoReplyReason {
    fn from(no_call: EngineNotCalledReason) -> Self {
        match no_call {
            EngineNotCalledReason::Stopped => Self::Stopped,
            EngineNotCalledReason::Capped(why) => Self::Capped(why),
        }
    }
}

impl NoReplyReason {
    fn ended(fault: EngineFault, why: &str) -> Self {
        let why = shortened_for_save(why);
        let cost = None;
        Self::Ended { fault, why, cost }
    }

    /// Decides which of the pending requests the exit of the engine's process fails: the request of this mailbox, or
    /// another one.
    fn of_end(mailbox: &EngineMessageMailbox, how: String) -> Self {
        if mailbox.is_request_blamed_for_exit() {
            Self::ended(EngineFault::Crash, &how)
        } else {
            Self::Lost(how)
        }
    }

    /// True if the engine's process must not be used for another debate.
    fn spoils(&self) -> bool {
        match self {
            Self::Lost(_) => true,
            Self::Ended { fault, .. } => fault.spoils(),
            Self::Stopped | Self::Capped(_) | Self::Again(_) => false,
        }
    }

    pub(super) fn no_reply_after_timeout(stalled: bool, limits: EngineWaitAndRetryLimits) -> Self {
        let EngineWaitAndRetryLimits { stall, reply, .. } = limits;
        if stalled && stall > reply {
            let why =
                format!("no reply within {stall:?}, although the engine reported that it thinks");
            return Self::ended(EngineFault::Stall, &why);
        }
        Self::ended(EngineFault::Timeout, &format!("no reply within {reply:?}"))
    }
}

impl<'n> EngineTurnInProgress<'n> {
    pub(super) fn new(
        limits: EngineWaitAndRetryLimits,
        doubts: bool,
        stop: &'n dyn Fn() -> bool,
        news: &'n mut dyn FnMut(EngineThinkingOrFailedAttempt),
    ) -> Self {
        Self {
            begun: Instant::now(),
            retries: limits.retries,
            patience: limits.patience,
            next_pause: BACK_OFF,
            longest_wait: limits.reply,
            doubts,
            stop,
            news,
            thoughts: NewestThinkingReport::default(),
            meter: None,
            call: None,
        }
    }

    /// Reserves the cost of the next call to the engine. Time spent waiting for room under a cap does not count as the
    /// engine's time.
    fn begin_call(&mut self) -> Result<(), NoReplyReason> {
        if let Some((meter, player)) = &self.meter {
            let began = Instant::now();
            self.call = Some(meter.reserve(player, self.stop)?);
            self.begun += began.elapsed();
        }
        Ok(())
    }

    /// Ends the pending call, and adds the cost of the engine's reply, legal or not, to the meter.
    fn end_call(&mut self, cost: Option<&ReplyCost>) {
        if let Some(call) = self.call.take() {
            call.settle_call_with_reply_cost(cost);
        }
    }

    pub(super) fn report_failed_request(
        &mut self,
        fault: &'static str,
        why: &str,
        meta: ReplyMeta,
    ) {
        let why = shortened_for_save(why);
        let meta = Box::new(meta);
        (self.news)(EngineThinkingOrFailedAttempt::Failed { fault, why, meta });
    }

    /// Converts an error that the engine reports: the engine is asked again, or it makes no move.
    pub(super) fn error(
        &mut self,
        kind: EngineReportedErrorKind,
        why: &str,
        after: Option<u64>,
        cost: Option<Box<ReplyCost>>,
    ) -> NoReplyReason {
        let ended = |fault, cost| {
            let why = shortened_for_save(why);
            NoReplyReason::Ended { fault, why, cost }
        };
        let name = match kind {
            EngineReportedErrorKind::Bug => return ended(EngineFault::Bug, cost),
            EngineReportedErrorKind::ModelRefusal => return ended(EngineFault::ModelRefusal, cost),
            EngineReportedErrorKind::Transient => "transient",
            EngineReportedErrorKind::Infrastructure => "infrastructure",
        };
        if self.patience == 0 {
            return ended(EngineFault::Infrastructure, cost);
        }
        let meta = ReplyMeta {
            cost: cost.map(|cost| *cost),
            ..ReplyMeta::default()
        };
        self.report_failed_request(name, why, meta);
        self.patience -= 1;
        let pause = if let Some(milliseconds) = after {
            Duration::from_millis(milliseconds)
        } else {
            let pause = self.next_pause;
            self.next_pause = pause.saturating_mul(2);
            pause
        };
        NoReplyReason::Again(pause.min(MAX_BACK_OFF).min(self.longest_wait))
    }

    /// Passes on the newest report of the engine's thinking, unless another one was passed on within the last
    /// `min_interval`.
    pub(super) fn forward_newest_thinking_report(&mut self, min_interval: Duration) {
        let thoughts = &mut self.thoughts;
        if thoughts
            .told
            .is_some_and(|last| last.elapsed() < min_interval)
        {
            return;
        }
        if let Some(text) = thoughts.newest.take() {
            let dropped = std::mem::take(&mut thoughts.dropped);
            thoughts.told = Some(Instant::now());
            (self.news)(EngineThinkingOrFailedAttempt::Info { text, dropped });
        }
    }

    /// Sleeps for the given time. Returns false early if the engine's reply is no longer wanted.
    pub(super) fn wait_unless_stopped(&self, time: Duration) -> bool {
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
