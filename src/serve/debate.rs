//! One debate that is served, on its thread.

use std::path::Path;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::handles::{KeptHandle, RequestParts};
use super::{Order, Outlet, ServeOptions, file_name};
use crate::app::plan::{DebateOptions, DebatePlan, SaveOptions, built_now};
use crate::app::{Failure, resumed};
use debate_core::number::Exact;
use debate_core::player::{Player, SERVED, Seating, Spec};
use debate_core::protocol::{Reader, Seat};
use debate_core::scenario::Instance;
use debate_lab::engine::{SeatedEngines, engine_turn};
use debate_lab::export::play::PlayReport;
use debate_lab::message::{
    ActLine, FromServer, Handles, NewDebate, ReplyLine, SeatHistory, SeatName, SeatTeller,
    ServerErrorKind, read_reply,
};
use debate_lab::narration::prepared_bits;
use debate_lab::record::{RecordError, ReplyMeta, Save, Session, SessionError};
use debate_lab::setup::{Limits, STDIN};

/// The most characters of a remark on a reply.
const MAX_NOTE: usize = 20_000;

/// The input of a debate's thread.
pub(super) struct Table {
    pub(super) outlet: Arc<Outlet>,
    pub(super) orders: Receiver<Order>,
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
    /// Takes no more orders, and says so to whoever gave one too late.
    fn close(&self) {
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = true;
        while let Ok(order) = self.orders.try_recv() {
            if let Order::Reply(_, line) = order {
                let why = "the debate is over";
                self.outlet
                    .refuse(ServerErrorKind::Over, why, Some(&line.debate));
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

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let kind = match failure {
            Failure::Input(_) => ServerErrorKind::BadRequest,
            _ => ServerErrorKind::Save,
        };
        Self::new(kind, failure.to_string())
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        let kind = match error {
            SessionError::Save { .. } => ServerErrorKind::Save,
            _ => ServerErrorKind::Failed,
        };
        Self::new(kind, error.to_string())
    }
}

/// Begins a debate and serves it to its end.
pub(super) fn begin(new: &NewDebate, options: &ServeOptions, table: Table) {
    let (outlet, id) = (Arc::clone(&table.outlet), table.id.clone());
    let mut begun = None;
    if let Err(Refusal { kind, why }) = try_begin(new, options, table, &mut begun) {
        outlet.tell(&FromServer::Error {
            kind,
            why,
            id: id.filter(|_| begun.is_none()),
            debate: begun,
        });
    }
}

/// `begun` is given a handle once the debate has begun.
fn try_begin(
    new: &NewDebate,
    options: &ServeOptions,
    table: Table,
    begun: &mut Option<String>,
) -> Result<(), Refusal> {
    let plan = plan(new, options)?;
    let instance = plan.setup.instance(plan.world);
    let players = built_now(&plan, &instance)?;
    let keeping = SaveOptions {
        no_save: new.save == Some(false) || options.keeping.no_save,
        ..options.keeping.clone()
    };
    let engines = plan.start_engines(&instance)?;
    let mut session = plan.session(&instance, players, &keeping, None)?;
    let parts = RequestParts {
        text: new.text != Some(false),
        history: new.history != Some(false),
    };
    if let Some(save) = keep_handles(&session, &table.handles, parts)? {
        let _ = table.save.set(save);
    }
    *begun = table.handles.iter().flatten().next().cloned();
    let players = (&mut session, engines);
    ServedDebate::new(players, &plan, &instance, table, parts).run()
}

/// Keeps the handles of a debate beside its save; returns the save's file name, if it has one.
pub(super) fn keep_handles(
    session: &Session<'_>,
    handles: &[Option<String>; 3],
    parts: RequestParts,
) -> Result<Option<String>, Refusal> {
    let place = session
        .path()
        .and_then(|path| Some((path.parent()?, file_name(path)?)));
    let Some((folder, save)) = place else {
        return Ok(None);
    };
    for (seat, handle) in SEATS.into_iter().zip(handles) {
        let Some(handle) = handle else { continue };
        let kept = KeptHandle {
            save: save.clone(),
            seat,
            parts,
        };
        let written = kept.keep(folder, handle);
        written.map_err(|error| Refusal::new(ServerErrorKind::Save, error.to_string()))?;
    }
    Ok(Some(save))
}

const SEATS: [SeatName; 3] = [SeatName::Prover, SeatName::Opponent, SeatName::Judge];

/// The debate that is asked for, its seats that the caller plays taken.
pub(super) fn plan(new: &NewDebate, options: &ServeOptions) -> Result<DebatePlan, Refusal> {
    let bad = |why: &str| Err(Refusal::new(ServerErrorKind::BadRequest, why));
    if new.scenario.is_empty() {
        return bad("`scenario` is missing: a bundled scenario's name, or a file's path");
    }
    if new.scenario == STDIN {
        return bad("a scenario cannot be read from stdin, which has the messages");
    }
    if new.seats.is_empty() {
        return bad("`seats` is empty; name the seats that you play, such as [\"judge\"]");
    }
    let players = &new.players;
    let options = DebateOptions {
        players: [&players.prover, &players.opponent, &players.judge].map(Clone::clone),
        roles: new.seats.iter().map(|seat| Some((*seat).into())).collect(),
        protocol: new.protocol.clone(),
        seed: new.seed.clone(),
        debate: new.number,
        instance: new.instance.clone(),
        blind: new.blind,
        hints: false,
        limits: options.limits.clone(),
        engines: options.engines,
    };
    let allows = options.engines.allow_commands;
    let mut plan = options.plan(&new.scenario)?;
    // To whoever runs the server a message is a file of somebody else's.
    plan.engines.allow_commands = allows;
    for (seat, player) in SEATS.into_iter().zip(&mut plan.players) {
        if new.seats.contains(&seat) {
            *player = Spec::named(SERVED);
        } else if player.is_human() || player.is_served() {
            let seat = Seat::from(seat);
            return bad(&format!(
                "nobody plays the {seat}; name it in `seats`, or a player for it in `players`"
            ));
        }
    }
    Ok(plan)
}

/// Takes a debate up again from its save, and serves it to its end.
pub(super) fn resume(folder: &Path, kept: &KeptHandle, options: &ServeOptions, table: Table) {
    let (outlet, handle) = (
        Arc::clone(&table.outlet),
        table.handles.iter().flatten().next().cloned(),
    );
    let path = folder.join(&kept.save);
    let _ = table.save.set(kept.save.clone());
    let done = match Save::read(&path) {
        Ok(save) if save.end().is_some() => tell_end(&save, &options.limits, &table),
        Ok(_) => resumed(
            &path,
            options.engines,
            built_now,
            |plan, instance, session| {
                session.sync_late();
                let players = (session, plan.start_engines(instance)?);
                ServedDebate::new(players, plan, instance, table, kept.parts).run()
            },
        ),
        Err(error) => Err(Refusal::new(ServerErrorKind::Save, error.to_string())),
    };
    if let Err(Refusal { kind, why }) = done {
        outlet.refuse(kind, why, handle.as_deref());
    }
}

/// Tells the end of a debate that was over before anybody heard of it.
fn tell_end(save: &Save, limits: &Limits, table: &Table) -> Result<(), Refusal> {
    let unread = |error: RecordError| Refusal::new(ServerErrorKind::Save, error.to_string());
    let setup = save.setup(limits).map_err(unread)?;
    let instance = save.header.instance(&setup).map_err(unread)?;
    let nobody = [Player::Outside, Player::Outside, Player::Outside];
    let seating = save.seat(&instance, nobody).map_err(unread)?;
    let plan = DebatePlan::of_save(&save.header, setup, &instance)?;
    for (seat, handle) in Seat::PLAYERS.into_iter().zip(&table.handles) {
        if let Some(handle) = handle {
            let teller = SeatTeller::new(&plan.setup, &plan.protocol, &instance, seat, plan.blind);
            table
                .outlet
                .tell(&end(&seating, &plan, &instance, &teller, handle));
        }
    }
    Ok(())
}

/// The end of a debate, for the holder of a seat.
fn end(
    seating: &Seating<'_, Exact>,
    plan: &DebatePlan,
    instance: &Instance,
    teller: &SeatTeller<'_>,
    handle: &str,
) -> FromServer {
    let (protocol, seed) = (&plan.protocol, plan.seed.as_str());
    let outcome = PlayReport::of(seating, instance, protocol, seed, plan.names(), Reader::ALL);
    FromServer::End {
        debate: handle.to_owned(),
        reward: teller.reward(seating),
        outcome: Box::new(outcome),
    }
}

/// A debate under way.
struct ServedDebate<'s, 'a> {
    session: &'s mut Session<'a>,
    engines: SeatedEngines<'a>,
    plan: &'s DebatePlan,
    instance: &'a Instance,
    /// By prover, opponent and judge.
    tellers: [SeatTeller<'s>; 3],
    /// What each of them has told.
    told: [SeatHistory; 3],
    table: Table,
    parts: RequestParts,
    asked: Instant,
}

impl<'s, 'a: 's> ServedDebate<'s, 'a> {
    fn new(
        (session, engines): (&'s mut Session<'a>, SeatedEngines<'a>),
        plan: &'s DebatePlan,
        instance: &'a Instance,
        table: Table,
        parts: RequestParts,
    ) -> Self {
        let teller =
            |seat| SeatTeller::new(&plan.setup, &plan.protocol, instance, seat, plan.blind);
        Self {
            session,
            engines,
            plan,
            instance,
            tellers: Seat::PLAYERS.map(teller),
            told: [(); 3].map(|()| SeatHistory::new(parts.history)),
            table,
            parts,
            asked: Instant::now(),
        }
    }

    fn run(&mut self) -> Result<(), Refusal> {
        let done = self.play();
        self.table.close();
        done
    }

    fn play(&mut self) -> Result<(), Refusal> {
        self.session.sync_late();
        let path = self.session.path();
        self.table.outlet.tell(&FromServer::Started {
            id: self.table.id.take(),
            debates: Handles::new(self.table.handles.clone()),
            save: path.map(|path| path.display().to_string()),
        });
        loop {
            play_others(self.session, &mut self.engines)?;
            let Some(seat) = self.session.seating().awaited() else {
                self.table.close();
                self.engines.end(self.session.seating(), None);
                self.tell_end();
                return Ok(());
            };
            self.ask(seat);
            if !self.wait_for(seat) {
                return Ok(());
            }
        }
    }

    fn handle(&self, seat: Seat) -> Option<&str> {
        self.table.handles.get(seat.index())?.as_deref()
    }

    fn tell_end(&self) {
        for teller in &self.tellers {
            if let Some(handle) = self.handle(teller.seat()) {
                let seating = self.session.seating();
                let end = end(seating, self.plan, self.instance, teller, handle);
                self.table.outlet.tell(&end);
            }
        }
    }

    /// Puts the pending request to the seat that is asked, where somebody holds it.
    fn ask(&mut self, seat: Seat) {
        self.asked = Instant::now();
        let seating = self.session.seating();
        let told = &mut self.told[seat.index()];
        let act = self.tellers[seat.index()].act_after(seating, self.parts.text, told);
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
        self.told[seat.index()] = SeatHistory::new(self.parts.history);
        if seat == asked {
            self.ask(asked);
        }
    }

    /// Carries orders out until the seat that is asked has replied. `false`: nobody goes on.
    fn wait_for(&mut self, asked: Seat) -> bool {
        while let Ok(order) = self.table.orders.recv() {
            match order {
                Order::Leave => return false,
                Order::Again(seat) => self.begin_anew(seat, asked),
                Order::Join(seat, handle) => {
                    self.table.handles[seat.index()] = Some(handle);
                    self.begin_anew(seat, asked);
                }
                Order::Reply(seat, line) => {
                    if self.take(asked, seat, *line) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Takes a reply of a seat; says whether it is the one that is awaited, and legal.
    fn take(&mut self, asked: Seat, seat: Seat, line: ReplyLine) -> bool {
        use ServerErrorKind::{Answered, NotYourTurn};
        let debate = line.debate.clone();
        let refuse = |kind, why: String| {
            self.table.outlet.refuse(kind, why, Some(&debate));
            false
        };
        let seating = self.session.seating();
        let pending = self.tellers[seat.index()].request_number(seating);
        if line.id < pending {
            return refuse(Answered, format!("request {} is answered already", line.id));
        }
        if seat != asked || line.id > pending {
            return refuse(NotYourTurn, format!("request {} is not put yet", line.id));
        }
        let ms = u64::try_from(self.asked.elapsed().as_millis()).unwrap_or(u64::MAX);
        match give(self.session, line, ms) {
            Ok(Ok(())) => true,
            Ok(Err(why)) => {
                let id = pending;
                self.table
                    .outlet
                    .tell(&FromServer::Illegal { debate, id, why });
                false
            }
            Err(error) => {
                let Refusal { kind, why } = error.into();
                self.table.outlet.refuse(kind, why, Some(&debate));
                false
            }
        }
    }
}

/// Gives the awaited reply, after so many milliseconds. The inner error says why it is none, or illegal.
pub(super) fn give(
    session: &mut Session<'_>,
    line: ReplyLine,
    ms: u64,
) -> Result<Result<(), String>, SessionError> {
    let seating = session.seating();
    let Some(turn) = seating.turn() else {
        return Ok(Err("the debate is over".to_owned()));
    };
    let reply = read_reply(&line.reply, &turn.request, || {
        prepared_bits(seating, &turn.request)
    });
    let reply = match reply {
        Ok(reply) => reply,
        Err(unread) => return Ok(Err(unread.to_string())),
    };
    if let Some(Err(why)) = line.cost.as_ref().map(debate_lab::record::Cost::check) {
        return Ok(Err(why));
    }
    if line.note.as_ref().is_some_and(|note| note.len() > MAX_NOTE) {
        return Ok(Err(format!("`note` has more than {MAX_NOTE} bytes")));
    }
    let meta = ReplyMeta {
        ms: Some(ms),
        note: line.note,
        cost: line.cost,
        ..ReplyMeta::default()
    };
    let taken = session.reply_with(reply, meta)?;
    Ok(taken.map_err(|illegal| illegal.to_string()))
}

/// Has built-in players, chance and engines move until somebody outside is asked or the debate is over.
pub(super) fn play_others<'a>(
    session: &mut Session<'a>,
    engines: &mut SeatedEngines<'a>,
) -> Result<(), Refusal> {
    while session.seating().turn().is_some() && session.seating().awaited().is_none() {
        if session.seating().engine_to_ask().is_none() {
            session.advance()?;
        } else if let Err(ending) = engine_turn(session, engines, &|| false, &mut |_| ())? {
            return Err(Refusal::new(ServerErrorKind::Failed, ending.to_string()));
        }
    }
    Ok(())
}
