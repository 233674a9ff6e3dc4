//! Batches: many debates of one scenario that are stepped together. Requests contain only the data that a learner
//! needs.
//!
//! A batch runs on a separate thread. It plays in `f64`, as simulations do, and writes no save. Each slot of a batch
//! has one debate at a time. The first debate of slot i has the index `number` + i under the seed, with the `number` of
//! the request. Each later debate has the next index that no slot has used.
//!
//! A fork is a batch whose first debates are copies. A copy repeats the moves of the copied debate, so two batches
//! share no state.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use super::MessageWriter;
use super::debate::ServedDebateError;
use crate::message::{
    BatchDebateStatus, DebateBatchForkRequest, DebateBatchStartRequest, MessageRefusalKind,
    MessageToCaller, ReplyCounts,
};
use crate::plan::DebatePlan;
use debate_core::Instance;
use debate_core::budget::ComputationBudget;
use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
use debate_core::digest::fingerprint;
use debate_core::number::{COIN_BITS, Exact, Number};
use debate_core::observe::ObservationKeyBuilder;
use debate_core::player::{Move, Player, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{LogViewerRole, PendingTurn, Reply, Rules as _, Seat, State};
use debate_solver::expectation::BySeat;
use debate_solver::{every_reply, registry};
use debate_text::PayoffFormatter;

/// Maximum number of concurrent debates of a batch.
pub(super) const MAX_SLOTS: usize = 4096;
/// Maximum number of concurrent batches: each has a thread.
pub(super) const MAX_BATCHES: usize = 64;
/// Maximum number of evenly spaced probabilities that a player of a batch can state.
const MAX_POINTS: u32 = 1001;
/// Number of debates played at random to find the possible requests.
const TRIALS: u64 = 256;
/// Maximum total number of replies given in the debates played at random.
const TRIAL_REPLIES: u64 = 100_000;

/// One step of a batch.
pub(super) struct BatchStepInput {
    /// For each slot of the batch, the index of the reply that the caller chose. `None` begins the next debate in this
    /// slot.
    pub(super) replies: Vec<Option<usize>>,
    /// The indices of the slots of the batch that keep their current debate and state in this step.
    pub(super) keep: Vec<usize>,
}

/// An order to a batch.
pub(super) enum BatchStepOrForkCommand {
    Step(BatchStepInput),
    Fork(Box<CopyDebatesToBatchCommand>),
}

/// A command to the thread of a batch: copy debates of this batch into a new batch.
pub(super) struct CopyDebatesToBatchCommand {
    /// The handle of the new batch.
    pub(super) name: String,
    pub(super) fork: DebateBatchForkRequest,
    /// The seed of the copies' later coins; `None` to keep the coins of the copied debates.
    pub(super) seed: Option<Seed>,
    /// The channel to the thread of the new batch.
    pub(super) to: Sender<Result<DebateBatchPlan, ServedDebateError>>,
}

/// A debate that is to begin in a slot of the batch, with the moves that are repeated in it.
struct DebateStart {
    number: u64,
    world: usize,
    moves: Vec<Move<f64>>,
}

/// The copied debates of a fork, and facts about their batch that need not be computed again.
struct Copies {
    debates: Vec<DebateStart>,
    /// The index, among the debates with the same seed, of the debate that begins next.
    next: u64,
    replies: BySeat<ReplyCounts>,
}

/// The plan of a batch.
pub(super) struct DebateBatchPlan {
    pub(super) name: String,
    id: Option<String>,
    plan: DebatePlan,
    pub(super) count: usize,
    /// The probabilities that players in this batch may state: an evenly spaced grid from 0 to 1.
    grid: Vec<f64>,
    /// The copied debates with which the batch begins, if the message `fork` created it as a copy of another batch.
    copies: Option<Copies>,
}

impl DebateBatchPlan {
    /// Creates the plan of a batch from a request, and checks the request. `plan` is the plan of the batch's first
    /// debate.
    pub(super) fn new(
        name: String,
        open: &DebateBatchStartRequest,
        plan: DebatePlan,
    ) -> Result<Self, ServedDebateError> {
        let bad = |why: String| ServedDebateError::new(MessageRefusalKind::BadRequest, why);
        let count = usize::try_from(open.count).unwrap_or(usize::MAX);
        if !(1..=MAX_SLOTS).contains(&count) {
            return Err(bad(format!("`count` must be from 1 to {MAX_SLOTS}")));
        }
        if !(2..=MAX_POINTS).contains(&open.points) {
            return Err(bad(format!("`points` must be from 2 to {MAX_POINTS}")));
        }
        if plan
            .players
            .iter()
            .any(|player| player.command_or_model_name().is_some())
        {
            return Err(bad(
                "engines and models cannot play in a batch; name built-in players".to_owned(),
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
            copies: None,
        })
    }

    /// Sends the first requests of the batch to the caller, and carries out orders until the channel closes.
    pub(super) fn serve_batch_commands(
        mut self,
        commands: &Receiver<BatchStepOrForkCommand>,
        outlet: &Arc<MessageWriter>,
    ) {
        let copies = self.copies.take();
        if let Err(ServedDebateError { kind, why }) = self.try_serve(copies, commands, outlet) {
            outlet.send(&MessageToCaller::Error {
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
        copies: Option<Copies>,
        orders: &Receiver<BatchStepOrForkCommand>,
        outlet: &Arc<MessageWriter>,
    ) -> Result<(), ServedDebateError> {
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
            registry: registry::<f64>()
                .with_player_files(self.plan.setup.files_for_building_players()),
            worlds: &worlds,
        };
        let mut slots = Vec::new();
        let (replies, mut next) = if let Some(copies) = copies {
            for copy in copies.debates {
                slots.push(table.begin(copy)?);
            }
            (copies.replies, copies.next)
        } else {
            let replies = table.trials()?;
            let mut next = self.plan.debate;
            for _ in 0..self.count {
                slots.push(table.begin_next(&mut next)?);
            }
            (replies, next)
        };
        let world = slots.first().map_or(self.plan.world, |slot| slot.world);
        let schedule = table.start::<Exact>(world)?.schedule();
        outlet.send(&MessageToCaller::Opened {
            id: self.id.clone(),
            batch: self.name.clone(),
            replies: replies.clone(),
            point: PayoffFormatter::formatter_in_points_of_schedule(&schedule)
                .point
                .to_float(),
            slots: slots.iter().map(|slot| slot.shown.clone()).collect(),
        });
        outlet.flush();
        while let Ok(order) = orders.recv() {
            let step = match order {
                BatchStepOrForkCommand::Step(step) => step,
                BatchStepOrForkCommand::Fork(order) => {
                    let copied = self.copied(&order, &slots, next, &replies);
                    // An error means that the thread of the new batch has ended with the server.
                    let _ = order.to.send(copied);
                    continue;
                }
            };
            match table.step(&mut slots, &step, &mut next)? {
                Ok(()) => outlet.send(&MessageToCaller::Stepped {
                    batch: self.name.clone(),
                    slots: slots.iter().map(|slot| slot.shown.clone()).collect(),
                }),
                Err(why) => outlet.refuse(MessageRefusalKind::BadRequest, why, Some(&self.name)),
            }
            outlet.flush();
        }
        Ok(())
    }

    /// Returns the plan of a new batch, which begins with copies of these debates.
    fn copied(
        &self,
        order: &CopyDebatesToBatchCommand,
        slots: &[Slot<'_>],
        next: u64,
        replies: &BySeat<ReplyCounts>,
    ) -> Result<Self, ServedDebateError> {
        let mut debates = Vec::new();
        for (own_number, &position) in (0_u64..).zip(&order.fork.slots) {
            let slot = slots.get(position).ok_or_else(|| {
                let why = no_such_debate(position, slots.len());
                ServedDebateError::new(MessageRefusalKind::BadRequest, why)
            })?;
            let has_own_coins = order.seed.is_some();
            debates.push(DebateStart {
                number: if has_own_coins {
                    own_number
                } else {
                    slot.shown.number
                },
                world: slot.world,
                moves: slot.seating.moves().to_vec(),
            });
        }
        let count = debates.len();
        let mut plan = self.plan.clone();
        let mut next = next;
        if let Some(seed) = &order.seed {
            plan.seed = seed.clone();
            next = count as u64;
        }
        Ok(Self {
            name: order.name.clone(),
            id: order.fork.id.clone(),
            plan,
            count,
            grid: self.grid.clone(),
            copies: Some(Copies {
                debates,
                next,
                replies: replies.clone(),
            }),
        })
    }
}

fn no_such_debate(position: usize, count: usize) -> String {
    format!("the batch has no debate {position}; it has {count} debates, numbered from 0")
}

/// A debate of a batch.
struct Slot<'a> {
    seating: SeatedDebate<'a, f64>,
    world: usize,
    /// The number of entries of the debate's log that `observers` have processed.
    entries: usize,
    /// One observer each for prover, opponent and judge, with a running digest of the events that this seat has seen.
    observers: [(ObservationKeyBuilder<'a>, u64); 3],
    replies: Vec<Reply<f64>>,
    shown: BatchDebateStatus,
}

/// The data that the debates of a batch share.
struct BatchTable<'a, 'b> {
    batch: &'b DebateBatchPlan,
    registry: StrategyRegistry<f64>,
    worlds: &'a [OnceCell<Instance>],
}

impl<'a> BatchTable<'a, '_> {
    /// Returns the index of the instance for the debate with this number.
    fn world(&self, number: u64) -> usize {
        let plan = &self.batch.plan;
        if plan.fixed_world {
            plan.world
        } else {
            plan.setup.world_of_debate(&plan.seed, number)
        }
    }

    fn instance(&self, world: usize) -> &'a Instance {
        self.worlds[world].get_or_init(|| self.batch.plan.setup.instance(world))
    }

    fn start<N: Number>(&self, world: usize) -> Result<State<'a, N>, ServedDebateError> {
        let start = self.batch.plan.protocol.start(self.instance(world));
        start.map_err(|error| {
            ServedDebateError::new(MessageRefusalKind::BadRequest, error.to_string())
        })
    }

    /// Begins the next debate, up to its first request to the caller or its end.
    fn begin_next(&self, next: &mut u64) -> Result<Slot<'a>, ServedDebateError> {
        let number = *next;
        *next = number.checked_add(1).ok_or_else(|| {
            let why = format!(
                "debates are numbered up to {last}; give a smaller `number`",
                last = u64::MAX
            );
            ServedDebateError::new(MessageRefusalKind::BadRequest, why)
        })?;
        self.begin(DebateStart {
            number,
            world: self.world(number),
            moves: Vec::new(),
        })
    }

    /// Begins a debate in a slot of the batch. Repeats its recorded moves, and plays on until the caller must reply or
    /// the debate is over.
    fn begin(&self, start: DebateStart) -> Result<Slot<'a>, ServedDebateError> {
        let DebateStart {
            number,
            world,
            moves,
        } = start;
        let plan = &self.batch.plan;
        let instance = self.instance(world);
        let build = |seat: Seat| {
            if plan.players[seat.seat_index()].is_program_using_serve() {
                return Ok(Player::Outside);
            }
            let budget = ComputationBudget::default();
            let built =
                self.registry
                    .build_at(&plan.players, seat, instance, &plan.protocol, budget);
            let built = built.map(Player::Builtin);
            built.map_err(|error| {
                ServedDebateError::new(MessageRefusalKind::BadRequest, error.to_string())
            })
        };
        let [prover, opponent, judge] = Seat::PLAYERS.map(build);
        let players = [prover?, opponent?, judge?];
        let observer = |seat| {
            let reader = LogViewerRole::new(seat, plan.setup.judge_sees);
            (ObservationKeyBuilder::new(reader, instance, 0), 0)
        };
        let mut slot = Slot {
            seating: SeatedDebate::new(self.start(world)?, players, &plan.seed, number),
            world,
            entries: 0,
            observers: Seat::PLAYERS.map(observer),
            replies: Vec::new(),
            shown: BatchDebateStatus {
                number,
                ..BatchDebateStatus::default()
            },
        };
        for made in moves {
            let followed = slot.seating.apply_recorded_move(made).map(drop);
            followed.map_err(|illegal| {
                ServedDebateError::new(MessageRefusalKind::Failed, illegal.to_string())
            })?;
        }
        self.play_on(&mut slot)?;
        Ok(slot)
    }

    /// Gives each slot that is not kept its reply, or begins its next debate. The inner error says why the step is
    /// invalid; the slots are then unchanged.
    fn step(
        &self,
        slots: &mut [Slot<'a>],
        step: &BatchStepInput,
        next: &mut u64,
    ) -> Result<Result<(), String>, ServedDebateError> {
        let given = &step.replies;
        if given.len() != slots.len() {
            let (debate_count, reply_count) = (slots.len(), given.len());
            return Ok(Err(format!(
                "the batch has {debate_count} debates, but the step has {reply_count} replies"
            )));
        }
        let mut is_kept = vec![false; slots.len()];
        for &position in &step.keep {
            let Some(kept) = is_kept.get_mut(position) else {
                return Ok(Err(no_such_debate(position, slots.len())));
            };
            *kept = true;
        }
        for (position, (slot, reply)) in slots.iter().zip(given).enumerate() {
            if let Some(reply_index) = *reply
                && !is_kept[position]
                && (reply_index >= slot.replies.len() || slot.shown.illegal.contains(&reply_index))
            {
                return Ok(Err(format!(
                    "reply {reply_index} is not legal in debate {position} of the batch"
                )));
            }
        }
        for ((slot, reply), kept) in slots.iter_mut().zip(given).zip(is_kept) {
            if kept {
                continue;
            }
            let Some(reply) = *reply else {
                *slot = self.begin_next(next)?;
                continue;
            };
            let taken = slot
                .seating
                .reply(slot.replies.swap_remove(reply))
                .map(drop);
            taken.map_err(|illegal| {
                ServedDebateError::new(MessageRefusalKind::Failed, illegal.to_string())
            })?;
            self.play_on(slot)?;
        }
        Ok(Ok(()))
    }

    /// Lets the other players move until the caller is asked or the debate is over, and records the request.
    fn play_on(&self, slot: &mut Slot<'a>) -> Result<(), ServedDebateError> {
        let played = slot
            .seating
            .play_automatic_moves(&ComputationBudget::default());
        played.map_err(|stuck| {
            ServedDebateError::new(MessageRefusalKind::Failed, stuck.to_string())
        })?;
        let entries = slot.seating.log().entries();
        for entry in entries.get(slot.entries..).unwrap_or_default() {
            for (observer, digest) in &mut slot.observers {
                if observer.see(entry).is_some() {
                    *digest = fingerprint(&(*digest, observer.take_observation_key()))[0];
                }
            }
        }
        slot.entries = entries.len();
        let mut shown = BatchDebateStatus {
            number: slot.shown.number,
            payoff: slot.seating.state().payoff(),
            ..BatchDebateStatus::default()
        };
        slot.replies.clear();
        if let Some(turn) = slot.seating.turn() {
            slot.replies = self.replies(&turn)?;
            shown.fill(
                self.instance(slot.world),
                &slot.seating,
                &turn,
                &slot.replies,
            );
            if !turn.request.is_log_hidden_from_replying_player() {
                shown.seen = slot.observers[turn.seat.seat_index()].1;
            }
        }
        slot.shown = shown;
        Ok(())
    }

    fn replies(&self, turn: &PendingTurn<f64>) -> Result<Vec<Reply<f64>>, ServedDebateError> {
        let replies = every_reply(turn, &self.batch.grid).ok();
        // A support that the seat must compose cannot be listed either.
        let replies = replies.filter(|replies| !replies.is_empty());
        replies.ok_or_else(|| {
            let (seat, wanted_reply) = (turn.seat, turn.request.requested_reply_phrase());
            let why = format!("the {seat} is asked for {wanted_reply}, which has too many replies to number; use `new` for this debate");
            ServedDebateError::new(MessageRefusalKind::BadRequest, why)
        })
    }

    /// Plays debates with random replies in all seats. Returns, by seat and kind of request, the largest number of
    /// possible replies.
    fn trials(&self) -> Result<BySeat<BTreeMap<String, usize>>, ServedDebateError> {
        let mut most = [(); 3].map(|()| BTreeMap::new());
        let mut draws = RandomStream::for_player_in_debate(
            &self.batch.plan.seed,
            RandomStreamPurpose::Instance,
            u64::MAX,
        );
        let mut ordinal = 0;
        for number in 0..TRIALS {
            let nobody = [Player::Outside, Player::Outside, Player::Outside];
            let seed = &self.batch.plan.seed;
            let mut seating =
                SeatedDebate::new(self.start(self.world(number))?, nobody, seed, number);
            while ordinal < TRIAL_REPLIES {
                let played = seating.play_automatic_moves(&ComputationBudget::default());
                played.map_err(|stuck| {
                    ServedDebateError::new(MessageRefusalKind::Failed, stuck.to_string())
                })?;
                let Some(turn) = seating.turn() else { break };
                let served =
                    self.batch.plan.players[turn.seat.seat_index()].is_program_using_serve();
                let mut replies = match self.replies(&turn) {
                    Ok(replies) => replies,
                    Err(refusal) if served => return Err(refusal),
                    // The replies of the other seats cannot be enumerated.
                    Err(_) => break,
                };
                let name = turn.request.reply_name().to_owned();
                let count = most[turn.seat.seat_index()].entry(name).or_default();
                *count = replies.len().max(*count);
                loop {
                    ordinal += 1;
                    let wide =
                        u128::from(draws.random_53_bit_number_at(ordinal)) * replies.len() as u128;
                    let reply =
                        replies.swap_remove(usize::try_from(wide >> COIN_BITS).unwrap_or(0));
                    match seating.reply(reply) {
                        Ok(_) => break,
                        Err(illegal) if replies.is_empty() => {
                            return Err(ServedDebateError::new(
                                MessageRefusalKind::Failed,
                                illegal.to_string(),
                            ));
                        }
                        Err(_) => {}
                    }
                }
            }
        }
        Ok(most.into())
    }
}
