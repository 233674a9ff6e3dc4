//! Batches: many debates of one scenario that are stepped together. Requests contain only the data that a learner
//! needs.
//!
//! A batch runs on a separate thread. It plays in `f64`, as simulations do, and writes no save. Each slot of a batch
//! has one debate at a time. The first debate of slot i has the index of the batch plus i under the seed. Each later
//! debate has the next index that no slot has used.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::MessageWriter;
use super::debate::Refusal;
use crate::message::{BatchSlot, FromServer, OpenBatch, ServerErrorKind};
use crate::plan::DebatePlan;
use debate_core::Instance;
use debate_core::budget::Budget;
use debate_core::chance::{Draws, Stream};
use debate_core::digest::fingerprint;
use debate_core::number::{COIN_BITS, Exact, Number};
use debate_core::observe::Observer;
use debate_core::player::{Player, Registry, Seating};
use debate_core::protocol::{LogViewer, Reply, Rules as _, Seat, State, Turn};
use debate_solver::expectation::BySeat;
use debate_solver::{every_reply, registry};
use debate_text::Amounts;

/// Maximum number of concurrent debates of a batch.
pub(super) const MAX_SLOTS: usize = 4096;
/// Maximum number of concurrent batches: each has a thread.
pub(super) const MAX_BATCHES: usize = 64;
/// Maximum number of evenly spaced probabilities that a player of a batch can state.
const MAX_POINTS: u32 = 1001;
/// Number of debates played at random to find the possible requests.
const TRIALS: u64 = 256;
/// Maximum number of replies given in the trial debates.
const TRIAL_REPLIES: u64 = 100_000;

/// The replies of one step of a batch: an index of a reply for each slot. Null begins the slot's next debate.
pub(super) type BatchReplies = Vec<Option<usize>>;

/// The plan of a batch.
pub(super) struct BatchPlan {
    pub(super) name: String,
    id: Option<String>,
    plan: DebatePlan,
    pub(super) count: usize,
    /// The probabilities that a player can state.
    grid: Vec<f64>,
}

impl BatchPlan {
    /// Checks the request. `plan` is the plan of its first debate.
    pub(super) fn new(name: String, open: &OpenBatch, plan: DebatePlan) -> Result<Self, Refusal> {
        let bad = |why: String| Refusal::new(ServerErrorKind::BadRequest, why);
        let count = usize::try_from(open.count).unwrap_or(usize::MAX);
        if !(1..=MAX_SLOTS).contains(&count) {
            return Err(bad(format!("`count` must be from 1 to {MAX_SLOTS}")));
        }
        if !(2..=MAX_POINTS).contains(&open.points) {
            return Err(bad(format!("`points` must be from 2 to {MAX_POINTS}")));
        }
        if plan.players.iter().any(|player| player.command().is_some()) {
            return Err(bad(
                "programs cannot play in a batch; name built-in players".to_owned(),
            ));
        }
        let last = open.points - 1;
        Ok(Self {
            name,
            id: open.debate.id.clone(),
            plan,
            count,
            grid: (0..=last)
                .map(|point| f64::from(point) / f64::from(last))
                .collect(),
        })
    }

    /// Sends the first requests, and takes steps until the channel closes.
    pub(super) fn serve(self, steps: &Receiver<BatchReplies>, outlet: &Arc<MessageWriter>) {
        if let Err(Refusal { kind, why }) = self.try_serve(steps, outlet) {
            outlet.send(&FromServer::Error {
                kind,
                why,
                debate: Some(self.name),
                id: self.id,
            });
        }
        outlet.flush();
    }

    fn try_serve(
        &self,
        steps: &Receiver<BatchReplies>,
        outlet: &Arc<MessageWriter>,
    ) -> Result<(), Refusal> {
        let worlds: Vec<OnceCell<Instance>> = self
            .plan
            .setup
            .decomposition
            .worlds()
            .iter()
            .map(|_| OnceCell::new())
            .collect();
        let table = BatchTable {
            batch: self,
            registry: registry::<f64>().with_player_files(self.plan.setup.player_files()),
            worlds: &worlds,
        };
        let replies = table.trials()?;
        let mut next = self.plan.debate;
        let mut slots = Vec::new();
        for _ in 0..self.count {
            slots.push(table.begin(&mut next)?);
        }
        let schedule = table.start::<Exact>(self.plan.debate)?.schedule();
        outlet.send(&FromServer::Opened {
            id: self.id.clone(),
            batch: self.name.clone(),
            replies,
            point: Amounts::new(&schedule).point.to_float(),
            slots: slots.iter().map(|slot| slot.shown.clone()).collect(),
        });
        outlet.flush();
        while let Ok(given) = steps.recv() {
            match table.step(&mut slots, &given, &mut next)? {
                Ok(()) => outlet.send(&FromServer::Stepped {
                    batch: self.name.clone(),
                    slots: slots.iter().map(|slot| slot.shown.clone()).collect(),
                }),
                Err(why) => outlet.refuse(ServerErrorKind::BadRequest, why, Some(&self.name)),
            }
            outlet.flush();
        }
        Ok(())
    }
}

/// A debate of a batch.
struct Slot<'a> {
    seating: Seating<'a, f64>,
    /// The number of log entries that the observers of the slot have processed.
    entries: usize,
    /// One observer for each of prover, opponent and judge, with the running digest of its observations.
    observers: [(Observer<'a>, u64); 3],
    replies: Vec<Reply<f64>>,
    shown: BatchSlot,
}

/// The data that the debates of a batch share.
struct BatchTable<'a, 'b> {
    batch: &'b BatchPlan,
    registry: Registry<f64>,
    worlds: &'a [OnceCell<Instance>],
}

impl<'a> BatchTable<'a, '_> {
    fn instance(&self, number: u64) -> &'a Instance {
        let plan = &self.batch.plan;
        let world = if plan.fixed_world {
            plan.world
        } else {
            plan.setup.draw_world(&plan.seed, number)
        };
        self.worlds[world].get_or_init(|| plan.setup.instance(world))
    }

    fn start<N: Number>(&self, number: u64) -> Result<State<'a, N>, Refusal> {
        let start = self.batch.plan.protocol.start(self.instance(number));
        start.map_err(|error| Refusal::new(ServerErrorKind::BadRequest, error.to_string()))
    }

    /// Begins the next debate, up to its first request to the caller.
    fn begin(&self, next: &mut u64) -> Result<Slot<'a>, Refusal> {
        let number = *next;
        *next = number.checked_add(1).ok_or_else(|| {
            let why = format!(
                "debates are numbered up to {}; give a smaller `number`",
                u64::MAX
            );
            Refusal::new(ServerErrorKind::BadRequest, why)
        })?;
        let plan = &self.batch.plan;
        let instance = self.instance(number);
        let build = |seat: Seat| {
            if plan.players[seat.index()].is_tool_driven() {
                return Ok(Player::Outside);
            }
            let budget = Budget::default();
            let built =
                self.registry
                    .build_at(&plan.players, seat, instance, &plan.protocol, budget);
            let built = built.map(Player::Builtin);
            built.map_err(|error| Refusal::new(ServerErrorKind::BadRequest, error.to_string()))
        };
        let [prover, opponent, judge] = Seat::PLAYERS.map(build);
        let players = [prover?, opponent?, judge?];
        let observer = |seat| {
            let reader = LogViewer::new(seat, plan.setup.judge_sees);
            (Observer::new(reader, instance, 0), 0)
        };
        let mut slot = Slot {
            seating: Seating::new(self.start(number)?, players, &plan.seed, number),
            entries: 0,
            observers: Seat::PLAYERS.map(observer),
            replies: Vec::new(),
            shown: BatchSlot {
                number,
                ..BatchSlot::default()
            },
        };
        self.play_on(&mut slot)?;
        Ok(slot)
    }

    /// Gives each slot its reply, or begins its next debate. The inner error says why a reply is invalid; the slots are
    /// then unchanged.
    fn step(
        &self,
        slots: &mut [Slot<'a>],
        given: &[Option<usize>],
        next: &mut u64,
    ) -> Result<Result<(), String>, Refusal> {
        if given.len() != slots.len() {
            let (own, given) = (slots.len(), given.len());
            return Ok(Err(format!(
                "the batch has {own} debates, but the step has {given} replies"
            )));
        }
        for (position, (slot, reply)) in slots.iter().zip(given).enumerate() {
            if let Some(reply) = *reply
                && (reply >= slot.replies.len() || slot.shown.illegal.contains(&reply))
            {
                return Ok(Err(format!(
                    "reply {reply} is not legal in debate {position} of the batch"
                )));
            }
        }
        for (slot, reply) in slots.iter_mut().zip(given) {
            let Some(reply) = *reply else {
                *slot = self.begin(next)?;
                continue;
            };
            let taken = slot
                .seating
                .reply(slot.replies.swap_remove(reply))
                .map(drop);
            taken.map_err(|illegal| Refusal::new(ServerErrorKind::Failed, illegal.to_string()))?;
            self.play_on(slot)?;
        }
        Ok(Ok(()))
    }

    /// Lets the other players move until the caller is asked or the debate is over, and records the request.
    fn play_on(&self, slot: &mut Slot<'a>) -> Result<(), Refusal> {
        let played = slot.seating.play_until_outside_turn(&Budget::default());
        played.map_err(|stuck| Refusal::new(ServerErrorKind::Failed, stuck.to_string()))?;
        let entries = slot.seating.log().entries();
        for entry in entries.get(slot.entries..).unwrap_or_default() {
            for (observer, digest) in &mut slot.observers {
                if observer.see(entry).is_some() {
                    *digest = fingerprint(&(*digest, observer.take_observation_key()))[0];
                }
            }
        }
        slot.entries = entries.len();
        let mut shown = BatchSlot {
            number: slot.shown.number,
            payoff: slot.seating.state().payoff(),
            ..BatchSlot::default()
        };
        slot.replies.clear();
        if let Some(turn) = slot.seating.turn() {
            slot.replies = self.replies(&turn)?;
            shown.fill(
                self.instance(shown.number),
                &slot.seating,
                &turn,
                &slot.replies,
            );
            if !turn.request.is_proof_bit() {
                shown.seen = slot.observers[turn.seat.index()].1;
            }
        }
        slot.shown = shown;
        Ok(())
    }

    fn replies(&self, turn: &Turn<f64>) -> Result<Vec<Reply<f64>>, Refusal> {
        let replies = every_reply(turn, &self.batch.grid).ok();
        // A support that the seat must compose cannot be listed either.
        let replies = replies.filter(|replies| !replies.is_empty());
        replies.ok_or_else(|| {
            let (seat, wants) = (turn.seat, turn.request.requested_reply_phrase());
            let why = format!("the {seat} is asked for {wants}, which has too many replies to number; use `new` for this debate");
            Refusal::new(ServerErrorKind::BadRequest, why)
        })
    }

    /// Plays debates at random with all seats external, and counts the maximum number of replies to each kind of
    /// request.
    fn trials(&self) -> Result<BySeat<BTreeMap<String, usize>>, Refusal> {
        let mut most = [(); 3].map(|()| BTreeMap::new());
        let mut draws =
            Draws::for_player_in_debate(&self.batch.plan.seed, Stream::Instance, u64::MAX);
        let mut ordinal = 0;
        for number in 0..TRIALS {
            let nobody = [Player::Outside, Player::Outside, Player::Outside];
            let seed = &self.batch.plan.seed;
            let mut seating = Seating::new(self.start(number)?, nobody, seed, number);
            while ordinal < TRIAL_REPLIES {
                let played = seating.play_until_outside_turn(&Budget::default());
                played.map_err(|stuck| Refusal::new(ServerErrorKind::Failed, stuck.to_string()))?;
                let Some(turn) = seating.turn() else { break };
                let served = self.batch.plan.players[turn.seat.index()].is_tool_driven();
                let mut replies = match self.replies(&turn) {
                    Ok(replies) => replies,
                    Err(refusal) if served => return Err(refusal),
                    // The replies of the other seats cannot be enumerated.
                    Err(_) => break,
                };
                let name = turn.request.reply_name().to_owned();
                let count = most[turn.seat.index()].entry(name).or_default();
                *count = replies.len().max(*count);
                loop {
                    ordinal += 1;
                    let wide = u128::from(draws.draw_at(ordinal)) * replies.len() as u128;
                    let reply =
                        replies.swap_remove(usize::try_from(wide >> COIN_BITS).unwrap_or(0));
                    match seating.reply(reply) {
                        Ok(_) => break,
                        Err(illegal) if replies.is_empty() => {
                            return Err(Refusal::new(ServerErrorKind::Failed, illegal.to_string()));
                        }
                        Err(_) => {}
                    }
                }
            }
        }
        Ok(most.into())
    }
}
