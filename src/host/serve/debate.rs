//! A debate of the server. It is a value that processes the callers' messages. It can therefore run on a separate
//! thread, or on the thread that reads the messages.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use self_cell::self_cell;
use serde::{Deserialize, Serialize};

use super::MessageWriter;
use crate::debate::{AdvanceResult, Debate, DebateError};
use crate::engine::{EngineFailure, EngineFault, shortened_for_save};
use crate::message::play::DebateOutcomeReport;
use crate::message::{
    ForfeitReason, MessageRefusalKind, MessageToCaller, SeatHandles, SeatMessageBuilder,
    SeatReplyMessage, SeatRequestLine, SeenEventsOfOneSeat,
};
use crate::plan::{DebatePlan, DebatePlanError};
use crate::record::{Forfeit, SaveFileError};
use debate_core::protocol::{LogViewerRole, Seat};
use debate_core::{Exact, Instance, SeatedDebate};

/// An order to a debate.
pub(super) enum ServedDebateCommand {
    Reply(Seat, Box<SeatReplyMessage>),
    /// An order to send the pending request of this seat again.
    Again(Seat),
    /// A caller resumes the seat of this handle.
    Join(Seat, String),
    /// The player of this seat forfeits the debate.
    Forfeit(Seat, ForfeitReason),
    Leave,
}

/// The queue of messages from callers that a debate on a thread still has to process.
pub(super) struct ServedDebateCommandQueue {
    pub(super) received: Receiver<ServedDebateCommand>,
    /// True once the debate accepts no more messages from the programs that play its seats.
    pub(super) closed: Arc<Mutex<bool>>,
}

impl ServedDebateCommandQueue {
    /// Stops accepting orders, and answers each reply that is still in the queue with an error.
    fn close(&self, outlet: &MessageWriter) {
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = true;
        while let Ok(order) = self.received.try_recv() {
            if let ServedDebateCommand::Reply(_, line) = order {
                let kind = MessageRefusalKind::Over;
                outlet.refuse(kind, "the debate is over", Some(&line.debate));
            }
        }
    }
}

/// The state of a debate of the server after it has processed a message.
pub(super) enum ServedDebateStatus {
    /// The debate waits for the next message of a caller.
    Waits,
    /// The debate is over; the end is not reported yet.
    Over,
    /// The program that plays a seat (the caller) has left the debate. The debate can be resumed later if it has a
    /// save.
    Left,
    /// The debate cannot continue; the reason is not reported yet.
    Failed(ServedDebateError),
}

/// The optional parts of the requests that the server of `serve` sends to the callers of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RequestContentFlags {
    /// True if requests contain texts.
    pub(super) text: bool,
    /// True if each request to a seat repeats all events that the seat has seen so far. False if it contains only the
    /// events since the seat's last request.
    pub(super) history: bool,
}

impl RequestContentFlags {
    pub(super) const ALL: Self = Self {
        text: true,
        history: true,
    };
}

/// The callers of a debate.
pub(super) struct CallerSeatHandles {
    pub(super) outlet: Arc<MessageWriter>,
    /// The handles of the callers' seats: prover, opponent, judge.
    pub(super) handles: [Option<String>; 3],
    /// The caller's `id` for the debate until it has handles.
    pub(super) id: Option<String>,
}

impl CallerSeatHandles {
    /// Returns the first handle of the debate, which identifies the debate in errors.
    pub(super) fn first_seat_handle(&self) -> Option<&str> {
        self.handles.iter().flatten().next().map(String::as_str)
    }
}

/// The reason why a debate cannot start or continue.
pub(super) struct ServedDebateError {
    pub(super) kind: MessageRefusalKind,
    pub(super) why: String,
}

impl ServedDebateError {
    pub(super) fn new(kind: MessageRefusalKind, why: impl Into<String>) -> Self {
        Self {
            kind,
            why: why.into(),
        }
    }
}

impl From<DebatePlanError> for ServedDebateError {
    fn from(error: DebatePlanError) -> Self {
        let kind = match error {
            DebatePlanError::Save(_)
            | DebatePlanError::Kept { .. }
            | DebatePlanError::Debate(DebateError::Save { .. }) => MessageRefusalKind::Save,
            DebatePlanError::Engine(_) => MessageRefusalKind::Failed,
            _ => MessageRefusalKind::BadRequest,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<SaveFileError> for ServedDebateError {
    fn from(error: SaveFileError) -> Self {
        Self::new(MessageRefusalKind::Save, error.to_string())
    }
}

impl From<DebateError> for ServedDebateError {
    fn from(error: DebateError) -> Self {
        let kind = match error {
            DebateError::Save { .. } => MessageRefusalKind::Save,
            _ => MessageRefusalKind::Failed,
        };
        Self::new(kind, error.to_string())
    }
}

/// Builds the message that tells the holder of a seat about the end of the debate.
pub(super) fn end_message(
    seating: &SeatedDebate<'_, Exact>,
    plan: &DebatePlan,
    instance: &Instance,
    view_builder: &SeatMessageBuilder<'_>,
    handle: &str,
    forfeit: Option<&Forfeit>,
) -> MessageToCaller {
    MessageToCaller::End {
        debate: handle.to_owned(),
        reward: view_builder.debater_payoff_so_far(seating),
        outcome: Box::new(outcome_report(seating, plan, instance, forfeit)),
    }
}

/// Returns the outcome of a debate: decided by the rules or by a forfeit.
pub(super) fn outcome_report(
    seating: &SeatedDebate<'_, Exact>,
    plan: &DebatePlan,
    instance: &Instance,
    forfeit: Option<&Forfeit>,
) -> DebateOutcomeReport {
    let protocol = &plan.protocol;
    let seed = plan.seed.as_str();
    let report = DebateOutcomeReport::of(
        seating,
        instance,
        protocol,
        seed,
        plan.player_names(),
        LogViewerRole::ALL,
    );
    report.with_forfeit(forfeit.cloned())
}

/// A running debate of `serve`, with the callers that play its seats. It borrows its instance;
/// `DebateWithOwnInstance` holds both.
pub(super) struct ServedDebate<'a> {
    debate: Debate<'a>,
    plan: DebatePlan,
    instance: &'a Instance,
    /// For the prover, opponent and judge: the builders of the messages to the seat's caller.
    view_builders: [SeatMessageBuilder<'a>; 3],
    /// The events that the prover, opponent and judge have received.
    histories: [SeenEventsOfOneSeat; 3],
    callers: CallerSeatHandles,
    parts: RequestContentFlags,
    asked: Instant,
}

self_cell! {
    /// A running debate that owns its instance.
    pub(super) struct DebateWithOwnInstance {
        owner: Instance,
        #[not_covariant]
        dependent: ServedDebate,
    }
}

impl DebateWithOwnInstance {
    /// Reports to the callers that the debate has started, and runs it until it needs a message of a caller.
    pub(super) fn start_and_run_until_blocked(&mut self) -> ServedDebateStatus {
        let done = self.with_dependent_mut(|_, debate| debate.begin());
        done.unwrap_or_else(ServedDebateStatus::Failed)
    }

    /// Processes a caller's message, and runs the debate until it needs the next message.
    pub(super) fn carry_out_command(&mut self, command: ServedDebateCommand) -> ServedDebateStatus {
        let done = self.with_dependent_mut(|_, debate| debate.obey(command));
        done.unwrap_or_else(ServedDebateStatus::Failed)
    }

    /// Reports the end of a debate to its callers: the outcome to each handle, or a failure to the first handle.
    /// Reports nothing if a caller left.
    pub(super) fn report_end_to_callers(&mut self, debate_status: ServedDebateStatus) {
        self.with_dependent_mut(|_, debate| match debate_status {
            ServedDebateStatus::Over => debate.report_end(),
            ServedDebateStatus::Failed(ServedDebateError { kind, why }) => {
                let callers = &debate.callers;
                callers
                    .outlet
                    .refuse(kind, why, callers.first_seat_handle());
            }
            ServedDebateStatus::Waits | ServedDebateStatus::Left => {}
        });
    }

    /// Serves the debate on this thread until it ends, or until no caller can send it messages.
    pub(super) fn serve_commands(
        mut self,
        commands: &ServedDebateCommandQueue,
        outlet: &MessageWriter,
    ) {
        let mut debate_status = self.start_and_run_until_blocked();
        while matches!(debate_status, ServedDebateStatus::Waits) {
            // The reading thread flushes only its own messages.
            outlet.flush();
            let Ok(order) = commands.received.recv() else {
                break;
            };
            debate_status = self.carry_out_command(order);
        }
        // The queue is closed first, because callers may send commands as soon as they know the end.
        commands.close(outlet);
        self.report_end_to_callers(debate_status);
    }
}

impl<'a> ServedDebate<'a> {
    pub(super) fn new(
        debate: Debate<'a>,
        plan: DebatePlan,
        instance: &'a Instance,
        callers: CallerSeatHandles,
        parts: RequestContentFlags,
    ) -> Self {
        let view_builder = |seat| plan.view_builder(instance, seat);
        Self {
            debate,
            instance,
            view_builders: Seat::PLAYERS.map(view_builder),
            histories: [(); 3].map(|()| SeenEventsOfOneSeat::new(parts.history)),
            plan,
            callers,
            parts,
            asked: Instant::now(),
        }
    }

    fn begin(&mut self) -> Result<ServedDebateStatus, ServedDebateError> {
        self.debate.defer_disk_sync_to_end();
        let path = self.debate.save_path();
        self.callers.outlet.send(&MessageToCaller::Started {
            id: self.callers.id.take(),
            debates: SeatHandles::new(self.callers.handles.clone()),
            save: path.map(|path| path.display().to_string()),
        });
        self.go_on()
    }

    /// Makes the moves of the other players, and sends the next request to its seat.
    fn go_on(&mut self) -> Result<ServedDebateStatus, ServedDebateError> {
        play_until_external(&mut self.debate)?;
        let Some(seat) = self
            .debate
            .state_and_players()
            .awaited_seat_of_user_or_driving_program()
        else {
            return Ok(ServedDebateStatus::Over);
        };
        self.ask(seat);
        Ok(ServedDebateStatus::Waits)
    }

    fn handle(&self, seat: Seat) -> Option<&str> {
        self.callers.handles.get(seat.seat_index())?.as_deref()
    }

    /// Reports the outcome of the debate to the engines and the callers: decided by the rules or by a forfeit.
    fn report_end(&mut self) {
        self.debate.notify_engines_of_end();
        for view_builder in &self.view_builders {
            if let Some(handle) = self.handle(view_builder.seat()) {
                let seating = self.debate.state_and_players();
                let forfeit = self.debate.ending_forfeit();
                let end = end_message(
                    seating,
                    &self.plan,
                    self.instance,
                    view_builder,
                    handle,
                    forfeit,
                );
                self.callers.outlet.send(&end);
            }
        }
    }

    /// Ends the debate, because the player of a seat forfeits.
    fn forfeit(
        &mut self,
        seat: Seat,
        fault: ForfeitReason,
    ) -> Result<ServedDebateStatus, ServedDebateError> {
        let ending = EngineFailure::new(seat, fault.into(), "the player of this seat gave up");
        self.debate.save_failure_and_forfeit_on_fault(&ending)?;
        Ok(ServedDebateStatus::Over)
    }

    /// Sends the pending request to its seat, if a caller holds the seat.
    fn ask(&mut self, seat: Seat) {
        self.asked = Instant::now();
        let seating = self.debate.state_and_players();
        let history = &mut self.histories[seat.seat_index()];
        let act = self.view_builders[seat.seat_index()].pending_request_with_cache(
            seating,
            self.parts.text,
            history,
        );
        if let (Some(debate), Some(act)) = (self.handle(seat), act) {
            self.callers
                .outlet
                .send(&MessageToCaller::Act(Box::new(SeatRequestLine {
                    debate: debate.to_owned(),
                    deadline_ms: None,
                    act,
                })));
        }
    }

    /// Restarts a seat for a caller that may not know the debate: all events are sent again.
    fn begin_anew(&mut self, seat: Seat, asked: Seat) {
        self.histories[seat.seat_index()] = SeenEventsOfOneSeat::new(self.parts.history);
        if seat == asked {
            self.ask(asked);
        }
    }

    fn obey(
        &mut self,
        order: ServedDebateCommand,
    ) -> Result<ServedDebateStatus, ServedDebateError> {
        let Some(asked) = self
            .debate
            .state_and_players()
            .awaited_seat_of_user_or_driving_program()
        else {
            return Ok(ServedDebateStatus::Over);
        };
        match order {
            ServedDebateCommand::Leave => return Ok(ServedDebateStatus::Left),
            ServedDebateCommand::Forfeit(seat, fault) => return self.forfeit(seat, fault),
            ServedDebateCommand::Again(seat) => self.begin_anew(seat, asked),
            ServedDebateCommand::Join(seat, handle) => {
                self.callers.handles[seat.seat_index()] = Some(handle);
                self.begin_anew(seat, asked);
            }
            ServedDebateCommand::Reply(seat, line) => {
                if self.take(asked, seat, &line) {
                    return self.go_on();
                }
            }
        }
        Ok(ServedDebateStatus::Waits)
    }

    /// Processes a caller's reply for a seat. Returns true if the reply was expected and is legal.
    fn take(&mut self, asked: Seat, seat: Seat, line: &SeatReplyMessage) -> bool {
        use MessageRefusalKind::{Answered, NotYourTurn};
        let debate = line.debate.clone();
        let refuse = |kind, why: String| {
            self.callers.outlet.refuse(kind, why, Some(&debate));
            false
        };
        let seating = self.debate.state_and_players();
        let pending = self.view_builders[seat.seat_index()].pending_or_next_request_number(seating);
        if line.id < pending {
            return refuse(
                Answered,
                format!("request {id} was already answered", id = line.id),
            );
        }
        if seat != asked || line.id > pending {
            return refuse(
                NotYourTurn,
                format!("the debate has not asked request {id} yet", id = line.id),
            );
        }
        let ms = u64::try_from(self.asked.elapsed().as_millis()).unwrap_or(u64::MAX);
        match submit_reply(&mut self.debate, line, ms) {
            Ok(Ok(())) => true,
            Ok(Err(why)) => {
                let outlet = &self.callers.outlet;
                let id = pending;
                outlet.send(&MessageToCaller::Illegal { debate, id, why });
                false
            }
            Err(error) => {
                let ServedDebateError { kind, why } = error.into();
                refuse(kind, why)
            }
        }
    }
}

/// Gives a caller's reply to the debate, with the thinking time in milliseconds. The inner error is the reason why the
/// reply cannot be read or is illegal.
pub(super) fn submit_reply(
    debate: &mut Debate<'_>,
    line: &SeatReplyMessage,
    ms: u64,
) -> Result<Result<(), String>, DebateError> {
    let seating = debate.state_and_players();
    let Some(turn) = seating.turn() else {
        return Ok(Err("the debate is over".to_owned()));
    };
    let (read, meta) = line.read(seating, &turn, ms);
    let reply = match read {
        Ok(reply) => reply,
        Err(why) => {
            // An unreadable reply costs as much as a legal one.
            let fault = EngineFault::Illegal.engine_fault_name();
            debate.save_fault_comment(turn.seat, fault, &shortened_for_save(&why), meta)?;
            return Ok(Err(why));
        }
    };
    let taken = debate.reply_with_meta(reply, meta)?;
    Ok(taken.map_err(|illegal| illegal.to_string()))
}

/// Makes the moves of built-in players, chance and engines until an external player is asked or the debate is over.
pub(super) fn play_until_external(debate: &mut Debate<'_>) -> Result<(), ServedDebateError> {
    loop {
        match debate.play_until_blocked()? {
            AdvanceResult::Ask(_) | AdvanceResult::Over => return Ok(()),
            AdvanceResult::Failed(ending) => {
                return Err(ServedDebateError::new(
                    MessageRefusalKind::Failed,
                    ending.to_string(),
                ));
            }
            AdvanceResult::Moved | AdvanceResult::Pending | AdvanceResult::Stopped => {}
        }
    }
}
