//! The game tree of two debaters, built node by node: the player to move, the possible replies, and the information
//! sets.
//!
//! The sequence form and the exported file are folds over this tree. Coins and the judge are chance moves. A
//! certain event is not a move. Proof bits are a function only of Alice's knowledge of the instance and of
//! the bit's index (PE Figure 2, step 3b). She therefore fixes all of them in one first move, and a request
//! for a proof bit is not a move. Before each reply, a debater with queries left may query a leaf, unseen by
//! the other players.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use num_traits::Zero as _;

use super::{CandidateReplies, DebateAndStrategyStates, StateKey, dominant_replies};
use crate::expectation::{CertainRewardsAndExpenses, PayoffNotComputedReason};
use debate_core::bits::low_binary_digits_highest_first;
use debate_core::number::{Exact, Number as _, to_u32_saturating};
use debate_core::observe::ObservationKeyBuilder;
use debate_core::player::Strategy;
use debate_core::protocol::{ChanceDraw, PendingTurn, Reply, Request, Rules as _, Seat, State};
use debate_core::scenario::{BitId, ClaimId, ClaimKey, Instance};

/// Maximum number of proof bits that one move can fix. n bits give 2ⁿ possible moves.
const MAX_BITS: usize = 12;

/// One instance of the game, with a debate about it.
#[derive(Clone)]
pub struct GameInstance<'p, 'a> {
    /// The probability that this instance is drawn. The probabilities of all instances sum to 1.
    pub chance: Exact,
    pub instance: &'a Instance,
    /// The current state of the debate about this instance.
    pub state: State<'a, Exact>,
    /// The judge's strategy. Its random choices are chance moves of the game.
    pub judge: &'p dyn Strategy<'a, Exact>,
    /// For prover and opponent, the number of the block that contains this instance. A debater cannot tell the
    /// instances of one block apart.
    pub blocks: [usize; 2],
}

/// The index of a debater in arrays: 0 for the prover, 1 for the opponent.
pub(crate) type Side = usize;

/// The seats of both sides.
const SEATS: [Seat; 2] = [Seat::Prover, Seat::Opponent];

/// An action of a debater.
#[derive(Clone, Debug)]
pub(crate) enum GameTreeDebaterAction {
    Reply(Reply<Exact>),
    /// Queries a leaf.
    LookUp(ClaimKey),
    /// Fixes the proof bits.
    Settle(Vec<(BitId, bool)>),
}

/// A position of a game.
#[derive(Clone)]
pub(crate) struct GameNode<'a> {
    /// The index of its instance.
    pub(crate) start: usize,
    pub(crate) debate: DebateAndStrategyStates<'a, Exact, 2>,
    /// For prover and opponent, the id of everything that the debater has observed.
    seen: [u64; 2],
    /// The number of leaf queries that each debater may still make.
    queries: [u32; 2],
    /// The leaves that each debater has not queried yet and whose truth the debater does not know from the start.
    leaves: [Rc<[ClaimKey]>; 2],
    /// The replies that a debater may give, with the prover's planned proof bits; `None` before she has planned them.
    replies: Option<Rc<CandidateReplies<Exact>>>,
    /// A correction of the payoff for coins that are no nodes of the tree. For each such coin: the mean payoff over its
    /// outcomes, minus the payoff of the outcome that this node follows.
    owed: Exact,
    /// True if a game starts at this position. The position is then not treated as a subgame again.
    pub(crate) is_root: bool,
}

impl GameNode<'_> {
    /// Returns the prover's payoff up to this position. It includes the mean payoffs of coins that were replaced by
    /// their mean.
    pub(crate) fn payments_to_prover_so_far(&self) -> Exact {
        self.debate.state.payoff() + &self.owed
    }
}

/// The next move of a game.
pub(crate) enum GameMove<'a> {
    /// The game is over; the field is the prover's payoff.
    Over(Exact),
    Chance {
        request: Request<Exact>,
        each: Vec<(Exact, Reply<Exact>, GameNode<'a>)>,
    },
    Choice {
        side: Side,
        /// The number of the information set, counted separately for each debater.
        set: u64,
        /// `None` if the move fixes the proof bits.
        request: Option<Request<Exact>>,
        each: Vec<(GameTreeDebaterAction, GameNode<'a>)>,
    },
}

/// The next event of a game tree in which moves without effect are left out.
#[expect(
    clippy::large_enum_variant,
    reason = "the large enum is used at once and never stored, so its size costs nothing"
)]
pub(crate) enum MoveOrSubgame<'a> {
    Move(GameMove<'a>),
    /// A closed subgame begins: both debaters know the instance and the whole history. Subgames with equal keys have
    /// the same value, apart from earlier payments.
    Subgame {
        key: StateKey,
        node: GameNode<'a>,
    },
}

/// A game whose tree is generated on demand: its instances, its limits, and ids for what each debater observed so far.
pub(crate) struct LazyGameTree<'p, 'a> {
    pub(crate) starts: &'p [GameInstance<'p, 'a>],
    pub(super) grid: &'p [Exact],
    /// The maximum numbers of leaves that prover and opponent may each query in a debate.
    queries: [u32; 2],
    /// True if a coin that affects only the payoff is replaced by its mean payoff. This leaves the value of the game
    /// and the best replies unchanged.
    averages: bool,
    /// True if final replies that cannot improve the value are left out. This leaves the value unchanged.
    pub(super) ends_alone: bool,
    /// For each instance of the game, true if both debaters know it from the beginning. All false in a tree that
    /// includes the moves without effect on the value.
    known: Vec<bool>,
    /// The probabilities with which the judge accepts leaves, as computed so far, by instance and leaf.
    pub(super) verdicts: RefCell<HashMap<(usize, ClaimId), Option<Exact>>>,
    /// The number of visited positions, including those that have only one continuation.
    pub(crate) positions: u64,
    /// For each side, the ids of observations: by the id of the earlier observations and the newly observed events.
    views: [HashMap<(u64, Vec<u64>), u64>; 2],
}

impl<'p, 'a> LazyGameTree<'p, 'a> {
    /// Creates the game tree of the given debates. Estimates are taken from `grid`.
    pub(crate) fn new(
        starts: &'p [GameInstance<'p, 'a>],
        grid: &'p [Exact],
        queries: [u32; 2],
    ) -> Self {
        Self {
            starts,
            grid,
            queries,
            averages: false,
            ends_alone: false,
            known: vec![false; starts.len()],
            verdicts: RefCell::default(),
            positions: 0,
            views: Default::default(),
        }
    }

    /// Leaves out moves that do not affect the value: coins that affect only the payoff, and some final replies and
    /// estimates if the prover knows every instance and writes no proof bits. Closed subgames become
    /// [`MoveOrSubgame::Subgame`].
    pub(crate) fn without_moves_irrelevant_to_value(mut self) -> Self {
        let blocks: BTreeSet<usize> = self.starts.iter().map(|start| start.blocks[0]).collect();
        let reads = |start: &GameInstance<'_, '_>| {
            start
                .state
                .ungiven_proof_bits_unless_too_many(0)
                .is_none_or(|bits| !bits.is_empty())
        };
        let is_alone = |side: Side, start: &GameInstance<'_, '_>| {
            self.block(side, start.blocks[side]).nth(1).is_none()
        };
        let known = |start| is_alone(0, start) && is_alone(1, start);
        self.known = self.starts.iter().map(known).collect();
        self.averages = true;
        self.ends_alone = blocks.len() == self.starts.len() && !self.starts.iter().any(reads);
        self
    }

    /// Returns the first position of the game for each instance.
    pub(crate) fn initial_positions(&mut self) -> Vec<GameNode<'a>> {
        let starts = self.starts;
        let each = starts.iter().enumerate().map(|(start, one)| {
            let observers = [0, 1].map(|side: Side| {
                let knowledge = one.blocks[side] as u64;
                ObservationKeyBuilder::new(Some(SEATS[side]), one.instance, knowledge)
            });
            let mut root = GameNode {
                start,
                debate: DebateAndStrategyStates::new(one.state.clone()).with_observers(observers),
                seen: [0, 0],
                queries: self.queries,
                leaves: [0, 1].map(|side| self.leaves(side, one.blocks[side])),
                replies: None,
                owed: Exact::zero(),
                is_root: true,
            };
            self.observe(&mut root, 0);
            self.observe(&mut root, 1);
            root
        });
        each.collect()
    }

    /// Returns the instance that is debated at a position.
    pub(crate) fn instance(&self, at: &GameNode<'a>) -> &'a Instance {
        self.starts[at.start].instance
    }

    /// Assigns an id to everything that a debater has observed, including events since its last request.
    fn observe(&mut self, at: &mut GameNode<'a>, side: Side) {
        let more = at.debate.observers[side].take_observation_key();
        let next = self.views[side].len() as u64 + 1;
        let number = self.views[side].entry((at.seen[side], more));
        at.seen[side] = *number.or_insert(next);
    }

    /// Returns the instances of a block, which the debater cannot tell apart.
    fn block(
        &self,
        side: Side,
        block: usize,
    ) -> impl Iterator<Item = &GameInstance<'p, 'a>> + Clone {
        let starts = self.starts.iter();
        starts.filter(move |start| start.blocks[side] == block)
    }

    /// Returns the leaves that a debater may usefully query: those whose truth differs between instances of its block.
    fn leaves(&self, side: Side, block: usize) -> Rc<[ClaimKey]> {
        if self.queries[side] == 0 {
            return Rc::default();
        }
        let instances = self.block(side, block).map(|start| start.instance);
        let mut leaves = distinct_leaves(instances.clone(), usize::MAX).unwrap_or_default();
        leaves.retain(|leaf| {
            let mut truths = instances.clone().map(|instance| leaf_truth(instance, leaf));
            let first = truths.next();
            truths.any(|truth| Some(truth) != first)
        });
        leaves.into()
    }

    /// Returns the next move from a position.
    ///
    /// # Errors
    /// Returns an error if a debater has too many replies, or if a player has none.
    pub(crate) fn next_move(
        &mut self,
        mut at: GameNode<'a>,
    ) -> Result<GameMove<'a>, PayoffNotComputedReason> {
        loop {
            at = match self.next_event(at)? {
                MoveOrSubgame::Move(next) => return Ok(next),
                MoveOrSubgame::Subgame { node, .. } => GameNode {
                    is_root: true,
                    ..node
                },
            };
        }
    }

    /// Returns the next move from a position, or the subgame that begins there if both debaters know the whole history.
    ///
    /// # Errors
    /// As [`Self::next_move`].
    pub(crate) fn next_event(
        &mut self,
        mut at: GameNode<'a>,
    ) -> Result<MoveOrSubgame<'a>, PayoffNotComputedReason> {
        loop {
            self.positions += 1;
            if at.replies.is_none() {
                let mut each = self.proof_bit_choices(&at)?;
                if each.len() > 1 {
                    return Ok(MoveOrSubgame::Move(GameMove::Choice {
                        side: 0,
                        set: at.seen[0],
                        request: None,
                        each,
                    }));
                }
                at = each.swap_remove(0).1;
            }
            let Some(turn) = at.debate.state.request() else {
                return Ok(MoveOrSubgame::Move(GameMove::Over(
                    at.payments_to_prover_so_far(),
                )));
            };
            if let Some(key) = self.subgame_key(&at).filter(|_| !at.is_root) {
                return Ok(MoveOrSubgame::Subgame { key, node: at });
            }
            at.is_root = false;
            let Some(side) = SEATS.iter().position(|seat| *seat == turn.seat) else {
                let mut each = self.reply_distribution(&mut at, &turn)?;
                if each.len() == 1 {
                    at = each.swap_remove(0).2;
                    continue;
                }
                let request = turn.request;
                return Ok(MoveOrSubgame::Move(GameMove::Chance { request, each }));
            };
            let mut each = self.choices(side, &at, &turn)?;
            if each.len() == 1 {
                at = each.swap_remove(0).1;
                continue;
            }
            return Ok(MoveOrSubgame::Move(GameMove::Choice {
                side,
                set: at.seen[side],
                request: Some(turn.request),
                each,
            }));
        }
    }

    /// Returns the table key of a closed subgame that begins at this position; `None` if none begins here.
    fn subgame_key(&self, at: &GameNode<'a>) -> Option<StateKey> {
        let mut key = vec![at.start as u64];
        (self.is_known(at) && at.debate.state.game_key(&mut key)).then(|| key.into())
    }

    /// True if both debaters know the instance and the whole history. Always false in a tree that includes the moves
    /// without effect on the value.
    fn is_known(&self, at: &GameNode<'a>) -> bool {
        let has_plan = at
            .replies
            .as_ref()
            .is_none_or(|replies| !replies.proof.is_empty());
        let has_secrets = self.queries != [0, 0]
            || has_plan
            || at
                .debate
                .observers
                .iter()
                .any(ObservationKeyBuilder::awaits_unsealing_of_reply);
        self.known[at.start] && !has_secrets
    }

    /// Returns the prover's possible plans for her proof bits, which she makes before any other move.
    fn proof_bit_choices(
        &mut self,
        at: &GameNode<'a>,
    ) -> Result<Vec<(GameTreeDebaterAction, GameNode<'a>)>, PayoffNotComputedReason> {
        let mut bits: Vec<BitId> = Vec::new();
        for start in self.block(0, self.starts[at.start].blocks[0]) {
            let open = start.state.ungiven_proof_bits_unless_too_many(MAX_BITS);
            bits.extend(open.ok_or(PayoffNotComputedReason::Endless(Seat::Prover))?);
        }
        bits.sort_unstable();
        bits.dedup();
        if bits.len() > MAX_BITS {
            return Err(PayoffNotComputedReason::Endless(Seat::Prover));
        }
        let each = (0..1_u64 << bits.len()).map(|number| {
            let values = low_binary_digits_highest_first(number, to_u32_saturating(bits.len()));
            let settled: Vec<_> = bits.iter().copied().zip(values).collect();
            let mut next = at.clone();
            next.replies = Some(Rc::new(CandidateReplies {
                grid: self.grid.to_vec(),
                proof: settled.iter().copied().collect(),
                ..CandidateReplies::default()
            }));
            if !settled.is_empty() {
                next.debate.observers[0].add_observation_from_outside_log(&[number]);
                self.observe(&mut next, 0);
            }
            (GameTreeDebaterAction::Settle(settled), next)
        });
        Ok(each.collect())
    }

    /// Returns the possible replies of chance or the judge, with their probabilities.
    fn reply_distribution(
        &mut self,
        at: &mut GameNode<'a>,
        turn: &PendingTurn<Exact>,
    ) -> Result<Vec<(Exact, Reply<Exact>, GameNode<'a>)>, PayoffNotComputedReason> {
        let judge = self.starts[at.start].judge;
        let each = (at.debate).reply_distribution(
            turn,
            Some(judge),
            &mut CertainRewardsAndExpenses::default(),
        )?;
        let mut children = Vec::with_capacity(each.len());
        for (chance, reply) in each {
            if let Some(next) = self.after(at, turn, &reply, None) {
                children.push((chance, reply, next));
            }
        }
        if children.is_empty() {
            return Err(PayoffNotComputedReason::NoReply(turn.seat));
        }
        let coin = turn.request.requested_draw();
        if self.averages && matches!(coin, Some((_, ChanceDraw::Bernoulli(_)))) {
            average(&mut children);
        }
        Ok(children)
    }

    /// Returns a debater's available actions.
    fn choices(
        &mut self,
        side: Side,
        at: &GameNode<'a>,
        turn: &PendingTurn<Exact>,
    ) -> Result<Vec<(GameTreeDebaterAction, GameNode<'a>)>, PayoffNotComputedReason> {
        let replies = at.replies.clone().unwrap_or_default();
        let dominant = if is_long(turn) && self.is_known(at) {
            dominant_replies(&at.debate.state, turn)
        } else {
            None
        };
        let each = match dominant {
            Some(dominant) => dominant,
            None => replies.for_request(turn)?,
        };
        let mut actions = Vec::new();
        for (index, reply) in self.relevant_replies(side, at, turn, each) {
            if let Some(next) = self.after(at, turn, &reply, Some(index)) {
                actions.push((GameTreeDebaterAction::Reply(reply), next));
            }
        }
        if actions.is_empty() {
            return Err(PayoffNotComputedReason::NoReply(turn.seat));
        }
        // A proof bit does not depend on queries.
        if replies.proof.determines_reply(turn) || at.queries[side] == 0 {
            return Ok(actions);
        }
        for (index, leaf) in (0..).zip(&*at.leaves[side]) {
            let mut next = at.clone();
            next.queries[side] -= 1;
            let left = at.leaves[side].iter().filter(|other| *other != leaf);
            next.leaves[side] = left.cloned().collect();
            let truth = leaf_truth(self.starts[at.start].instance, leaf);
            let answer = truth.map_or(0, |truth| u64::from(truth) + 1);
            next.debate.observers[side].add_observation_from_outside_log(&[index, answer]);
            self.observe(&mut next, side);
            actions.push((GameTreeDebaterAction::LookUp(leaf.clone()), next));
        }
        Ok(actions)
    }

    /// Returns the position after a reply; `None` if the reply is illegal. `index` is the index of a debater's reply
    /// among the possible replies, and `None` for chance and the judge.
    fn after(
        &mut self,
        at: &GameNode<'a>,
        turn: &PendingTurn<Exact>,
        reply: &Reply<Exact>,
        index: Option<u64>,
    ) -> Option<GameNode<'a>> {
        let mut next = at.clone();
        let taken = next.debate.reply_to(turn.seat, reply.clone(), &mut ());
        taken.ok()?;
        for side in [0, 1] {
            // A debater knows its own reply.
            if let Some(index) = index.filter(|_| turn.seat == SEATS[side]) {
                next.debate.observers[side].add_observation_from_outside_log(&[index]);
            }
            self.observe(&mut next, side);
        }
        Some(next)
    }
}

/// Maximum number of bits, or of steps that can be challenged, for which all replies are tried. For more, only dominant
/// replies are tried, if both debaters know the whole game and such replies are known.
const FEW: u64 = 4;

/// True if a request has too many possible replies to try all.
fn is_long(turn: &PendingTurn<Exact>) -> bool {
    let bits = turn.request.requested_bit_count().map_or(0, u64::from);
    let steps = turn.request.challengeable_steps();
    bits > FEW || steps.is_some_and(|steps| steps.end - steps.start > FEW)
}

/// Merges the outcomes of a coin into one branch if they differ only in the payoff. The coin's probability is public,
/// so its outcome carries no information.
fn average(each: &mut Vec<(Exact, Reply<Exact>, GameNode<'_>)>) {
    let key = |(_, _, node): &(Exact, Reply<Exact>, GameNode<'_>)| {
        let mut key = Vec::new();
        node.debate.state.game_key(&mut key).then_some(key)
    };
    let mut keys = each.iter().map(key);
    let Some(Some(first)) = keys.next() else {
        return;
    };
    if !keys.all(|key| key.as_ref() == Some(&first)) {
        return;
    }
    let paid = each
        .iter()
        .map(|(chance, _, node)| chance * node.debate.state.payoff());
    let mean: Exact = paid.sum();
    each.truncate(1);
    for (chance, _, node) in each {
        node.owed += &mean - node.debate.state.payoff();
        *chance = Exact::indicator(true);
    }
}

/// Returns the truth of a leaf in an instance; `None` if it is undecided.
pub(crate) fn leaf_truth(instance: &Instance, leaf: &ClaimKey) -> Option<bool> {
    instance.truth(instance.claim_with_key(leaf.clone()))
}

/// Returns the different leaves of the given instances; `None` if there are more than `most`.
pub(crate) fn distinct_leaves<'i>(
    instances: impl Iterator<Item = &'i Instance>,
    most: usize,
) -> Option<Vec<ClaimKey>> {
    let mut leaves: Vec<ClaimKey> = Vec::new();
    for instance in instances {
        for claim in instance.claim_and_descendants(instance.root()) {
            if instance.supports(claim).is_empty() && !leaves.contains(instance.key(claim)) {
                leaves.push(instance.key(claim).clone());
            }
            if leaves.len() > most {
                return None;
            }
        }
    }
    Some(leaves)
}
