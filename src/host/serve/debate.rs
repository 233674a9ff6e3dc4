//! One debate that is served: on a thread of its own, or where the messages are read.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Outlet;
use crate::debate::{Debate, DebateError, Step};
use crate::engine::{EngineEnding, EngineFault, shortened};
use crate::message::play::PlayReport;
use crate::message::{
    ActLine, ForfeitFault, FromServer, Handles, ReplyLine, SeatHistory, SeatTeller, ServerErrorKind,
};
use crate::plan::{DebatePlan, PlanError};
use crate::record::{Forfeit, RecordError};
use debate_core::protocol::{Reader, Seat};
use debate_core::{Exact, Instance, Seating};

/// Something for a debate to do.
pub(super) enum Order {
    Reply(Seat, Box<ReplyLine>),
    /// Puts the pending request of this seat once more.
    Again(Seat),
    /// Somebody takes this seat up again by its handle.
    Join(Seat, String),
    /// The player of this seat gives up.
    Forfeit(Seat, ForfeitFault),
    Leave,
}

/// The orders of one debate.
pub(super) struct Orders {
    received: Receiver<Order>,
    /// True if the debate has a thread of its own.
    has_thread: bool,
}

impl Orders {
    /// Orders of a debate that has a thread of its own, or that the reader of messages plays.
    pub(super) fn new(received: Receiver<Order>, has_thread: bool) -> Self {
        Self {
            received,
            has_thread,
        }
    }

    /// The next order; `None` where nobody gives any more. A debate with a thread blocks it here, any
    /// other is pending until it is polled after an order.
    pub(super) async fn next(&self) -> Option<Order> {
        if self.has_thread {
            return self.received.recv().ok();
        }
        poll_fn(|_| match self.received.try_recv() {
            Ok(order) => Poll::Ready(Some(order)),
            Err(TryRecvError::Empty) => Poll::Pending,
            Err(TryRecvError::Disconnected) => Poll::Ready(None),
        })
        .await
    }

    /// An order that is there already.
    pub(super) fn waiting(&self) -> Option<Order> {
        self.received.try_recv().ok()
    }
}

/// What the requests of a debate tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RequestParts {
    /// True if requests have texts.
    pub(super) text: bool,
    /// True if each tells all that the seat has seen, not only what came since the one before.
    pub(super) history: bool,
}

impl RequestParts {
    pub(super) const ALL: Self = Self {
        text: true,
        history: true,
    };
}

/// The input of a debate.
pub(super) struct Table {
    pub(super) outlet: Arc<Outlet>,
    pub(super) orders: Orders,
    /// The handles of the caller's seats: prover, opponent, judge.
    pub(super) handles: [Option<String>; 3],
    /// The caller's name of the debate until it has handles.
    pub(super) id: Option<String>,
    /// The place for the save's file name, once there is one.
    pub(super) save: Arc<OnceLock<String>>,
    /// Set once no more orders are taken.
    pub(super) closed: Arc<Mutex<bool>>,
}

impl Table {
    /// Flushes what was told before the debate keeps its thread waiting. The reader of messages, who plays
    /// others too, flushes for itself.
    fn flush_alone(&self) {
        if self.orders.has_thread {
            self.outlet.flush();
        }
    }

    async fn next_order(&self) -> Option<Order> {
        self.flush_alone();
        self.orders.next().await
    }

    /// Takes no more orders, and says so to whoever gave one too late.
    fn close(&self) {
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = true;
        while let Some(order) = self.orders.waiting() {
            if let Order::Reply(_, line) = order {
                let kind = ServerErrorKind::Over;
                let why = "the debate is over";
                self.outlet.refuse(kind, why, Some(&line.debate));
            }
        }
    }
}

/// The reason why a debate is not begun or does not go on.
pub(super) struct Refusal {
    pub(super) kind: ServerErrorKind,
    pub(super) why: String,
}

impl Refusal {
    pub(super) fn new(kind: ServerErrorKind, why: impl Into<String>) -> Self {
        Self {
            kind,
            why: why.into(),
        }
    }
}

impl From<PlanError> for Refusal {
    fn from(error: PlanError) -> Self {
        let kind = if error.is_of_system() {
            ServerErrorKind::Save
        } else {
            ServerErrorKind::BadRequest
        };
        Self::new(kind, error.to_string())
    }
}

impl From<RecordError> for Refusal {
    fn from(error: RecordError) -> Self {
        Self::new(ServerErrorKind::Save, error.to_string())
    }
}

impl From<DebateError> for Refusal {
    fn from(error: DebateError) -> Self {
        let kind = match error {
            DebateError::Save { .. } => ServerErrorKind::Save,
            _ => ServerErrorKind::Failed,
        };
        Self::new(kind, error.to_string())
    }
}

/// The end of a debate, for the holder of a seat.
pub(super) fn end(
    seating: &Seating<'_, Exact>,
    plan: &DebatePlan,
    instance: &Instance,
    teller: &SeatTeller<'_>,
    handle: &str,
    forfeit: Option<&Forfeit>,
) -> FromServer {
    FromServer::End {
        debate: handle.to_owned(),
        reward: teller.reward(seating),
        outcome: Box::new(outcome(seating, plan, instance, forfeit)),
    }
}

/// What a debate came to, by its rules or by a forfeit.
pub(super) fn outcome(
    seating: &Seating<'_, Exact>,
    plan: &DebatePlan,
    instance: &Instance,
    forfeit: Option<&Forfeit>,
) -> PlayReport {
    let protocol = &plan.protocol;
    let seed = plan.seed.as_str();
    let report = PlayReport::of(seating, instance, protocol, seed, plan.names(), Reader::ALL);
    report.forfeited(forfeit.cloned())
}

/// A debate under way.
pub(super) struct ServedDebate<'s, 'a> {
    debate: &'s mut Debate<'a>,
    plan: &'s DebatePlan,
    instance: &'a Instance,
    /// By prover, opponent and judge.
    tellers: [SeatTeller<'s>; 3],
    /// What each of them has sent.
    histories: [SeatHistory; 3],
    table: Table,
    parts: RequestParts,
    asked: Instant,
}

impl<'s, 'a: 's> ServedDebate<'s, 'a> {
    pub(super) fn new(
        debate: &'s mut Debate<'a>,
        plan: &'s DebatePlan,
        instance: &'a Instance,
        table: Table,
        parts: RequestParts,
    ) -> Self {
        let teller = |seat| plan.teller(instance, seat);
        Self {
            debate,
            plan,
            instance,
            tellers: Seat::PLAYERS.map(teller),
            histories: [(); 3].map(|()| SeatHistory::new(parts.history)),
            table,
            parts,
            asked: Instant::now(),
        }
    }

    pub(super) async fn run(&mut self) -> Result<(), Refusal> {
        let done = self.play().await;
        self.table.close();
        done
    }

    async fn play(&mut self) -> Result<(), Refusal> {
        self.debate.sync_late();
        let path = self.debate.path();
        self.table.outlet.tell(&FromServer::Started {
            id: self.table.id.take(),
            debates: Handles::new(self.table.handles.clone()),
            save: path.map(|path| path.display().to_string()),
        });
        self.table.flush_alone();
        loop {
            play_others(self.debate)?;
            let Some(seat) = self.debate.seating().awaited() else {
                self.finish();
                return Ok(());
            };
            self.ask(seat);
            if !self.wait_for(seat).await? {
                return Ok(());
            }
        }
    }

    fn handle(&self, seat: Seat) -> Option<&str> {
        self.table.handles.get(seat.index())?.as_deref()
    }

    /// Tells the engines and the callers how the debate ended, by its rules or by a forfeit.
    fn finish(&mut self) {
        self.table.close();
        self.debate.finish();
        for teller in &self.tellers {
            if let Some(handle) = self.handle(teller.seat()) {
                let seating = self.debate.seating();
                let forfeit = self.debate.forfeit();
                let end = end(seating, self.plan, self.instance, teller, handle, forfeit);
                self.table.outlet.tell(&end);
            }
        }
    }

    /// The player of a seat gives up, and has lost.
    fn forfeit(&mut self, seat: Seat, fault: ForfeitFault) -> Result<(), Refusal> {
        let ending = EngineEnding::new(seat, fault.into(), "whoever plays this seat gave up");
        self.debate.fail(&ending)?;
        self.finish();
        Ok(())
    }

    /// Puts the pending request to the seat that is asked, where somebody holds it.
    fn ask(&mut self, seat: Seat) {
        self.asked = Instant::now();
        let seating = self.debate.seating();
        let history = &mut self.histories[seat.index()];
        let act = self.tellers[seat.index()].act_after(seating, self.parts.text, history);
        if let (Some(debate), Some(act)) = (self.handle(seat), act) {
            self.table.outlet.tell(&FromServer::Act(Box::new(ActLine {
                debate: debate.to_owned(),
                deadline_ms: None,
                act,
            })));
        }
    }

    /// Somebody takes this seat up who may know nothing of the debate: it is told all once more.
    fn begin_anew(&mut self, seat: Seat, asked: Seat) {
        self.histories[seat.index()] = SeatHistory::new(self.parts.history);
        if seat == asked {
            self.ask(asked);
        }
    }

    /// Carries orders out until the seat that is asked has replied. `false`: nobody goes on.
    async fn wait_for(&mut self, asked: Seat) -> Result<bool, Refusal> {
        while let Some(order) = self.table.next_order().await {
            match order {
                Order::Leave => return Ok(false),
                Order::Forfeit(seat, fault) => {
                    self.forfeit(seat, fault)?;
                    return Ok(false);
                }
                Order::Again(seat) => self.begin_anew(seat, asked),
                Order::Join(seat, handle) => {
                    self.table.handles[seat.index()] = Some(handle);
                    self.begin_anew(seat, asked);
                }
                Order::Reply(seat, line) => {
                    if self.take(asked, seat, &line) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Takes a reply of a seat; says whether it is the one that is awaited, and legal.
    fn take(&mut self, asked: Seat, seat: Seat, line: &ReplyLine) -> bool {
        use ServerErrorKind::{Answered, NotYourTurn};
        let debate = line.debate.clone();
        let refuse = |kind, why: String| {
            self.table.outlet.refuse(kind, why, Some(&debate));
            false
        };
        let seating = self.debate.seating();
        let pending = self.tellers[seat.index()].request_number(seating);
        if line.id < pending {
            return refuse(Answered, format!("request {} is answered already", line.id));
        }
        if seat != asked || line.id > pending {
            return refuse(NotYourTurn, format!("request {} is not put yet", line.id));
        }
        let ms = u64::try_from(self.asked.elapsed().as_millis()).unwrap_or(u64::MAX);
        match give(self.debate, line, ms) {
            Ok(Ok(())) => true,
            Ok(Err(why)) => {
                let outlet = &self.table.outlet;
                let id = pending;
                outlet.tell(&FromServer::Illegal { debate, id, why });
                false
            }
            Err(error) => {
                let Refusal { kind, why } = error.into();
                refuse(kind, why)
            }
        }
    }
}

/// Gives the awaited reply, after so many milliseconds. The inner error tells why it cannot be read, or is illegal.
pub(super) fn give(
    debate: &mut Debate<'_>,
    line: &ReplyLine,
    ms: u64,
) -> Result<Result<(), String>, DebateError> {
    let seating = debate.seating();
    let Some(turn) = seating.turn() else {
        return Ok(Err("the debate is over".to_owned()));
    };
    let (read, meta) = line.read(seating, &turn, ms);
    let reply = match read {
        Ok(reply) => reply,
        Err(why) => {
            // It costs as much as a legal one.
            let fault = EngineFault::Illegal.name();
            debate.note_fault(turn.seat, fault, &shortened(&why), meta)?;
            return Ok(Err(why));
        }
    };
    let taken = debate.reply_with(reply, meta)?;
    Ok(taken.map_err(|illegal| illegal.to_string()))
}

/// Makes the moves of built-in players, chance and engines until an external player is asked or the debate is over.
pub(super) fn play_others(debate: &mut Debate<'_>) -> Result<(), Refusal> {
    loop {
        match debate.play()? {
            Step::Ask(_) | Step::Over => return Ok(()),
            Step::Failed(ending) => {
                return Err(Refusal::new(ServerErrorKind::Failed, ending.to_string()));
            }
            Step::Moved | Step::Pending | Step::Stopped => {}
        }
    }
}

/// Goes on with a debate until it waits for an order.
pub(super) fn poll<T>(debate: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    debate.poll(&mut Context::from_waker(Waker::noop()))
}

/// Plays a debate that has this thread.
pub(super) fn play_here<T>(debate: impl Future<Output = T>) -> T {
    let mut debate = pin!(debate);
    loop {
        // It blocks where it waits, so that it is never pending.
        if let Poll::Ready(done) = poll(debate.as_mut()) {
            return done;
        }
    }
}
