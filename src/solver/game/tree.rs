//! The tree of a game between two debaters, made as it is walked: whose move it is, what may be
//! replied, and what the mover cannot tell apart.
//!
//! The sequence form and the exported file are folds over this tree. Coins and the judge are chance. What happens for certain is no move. Proof bits are a function of what Alice
//! knows of the instance and of the bit's index alone (PE Figure 2, step 3b), so that she settles all
//! of them in one move before anything else, and no request for one is a move. Before each reply a
//! debater who has queries left may look up a leaf, which nobody else sees.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use num_traits::Zero as _;

use super::{Node, Replies};
use crate::expectation::{Gain, Unsolved};
use debate_core::bits::digits;
use debate_core::number::{Exact, Number as _, small};
use debate_core::observe::Observer;
use debate_core::player::Strategy;
use debate_core::protocol::{Draw, Reply, Request, Rules as _, Seat, State, Turn};
use debate_core::scenario::{BitId, ClaimId, ClaimKey, Instance};

/// The most bits that are settled in one move: it has 2 to this power of replies.
const MAX_BITS: usize = 12;

/// An instance of a game, with a debate about it.
#[derive(Clone)]
pub struct GameStart<'p, 'a> {
    /// The probability that it is drawn. Those of all instances sum to 1.
    pub chance: Exact,
    pub instance: &'a Instance,
    /// The debate, as it stands.
    pub state: State<'a, Exact>,
    /// The judge; what it draws is chance.
    pub judge: &'p dyn Strategy<'a, Exact>,
    /// The blocks of instances in which prover and opponent find themselves.
    pub blocks: [usize; 2],
}

/// Which debater: 0 the prover, 1 the opponent.
pub(crate) type Side = usize;

/// The seats of both sides.
const SEATS: [Seat; 2] = [Seat::Prover, Seat::Opponent];

/// What a debater does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Reply(Reply<Exact>),
    /// Looks up a leaf.
    LookUp(ClaimKey),
    /// Settles the proof bits.
    Settle(Vec<(BitId, bool)>),
}

/// A position of a game.
#[derive(Clone)]
pub(crate) struct GameNode<'a> {
    /// The place of its instance.
    pub(crate) start: usize,
    pub(crate) debate: Node<'a, Exact, 2>,
    /// What each debater has seen, as a number.
    seen: [u64; 2],
    /// The queries that each debater has left.
    queries: [u32; 2],
    /// The leaves that each debater may still look up.
    leaves: [Rc<[ClaimKey]>; 2],
    /// What the prover may reply; `None` before the proof bits are settled.
    replies: Option<Rc<Replies<Exact>>>,
    /// What the coins paid on average that were left out, beyond what the state says.
    owed: Exact,
}

/// The next move of a game.
pub(crate) enum GameMove<'a> {
    /// It is over, with this payoff to the prover.
    Over(Exact),
    Chance {
        request: Request<Exact>,
        each: Vec<(Exact, Reply<Exact>, GameNode<'a>)>,
    },
    Choice {
        side: Side,
        /// The number of the information set, by side.
        set: u64,
        /// `None` where the proof bits are settled.
        request: Option<Request<Exact>>,
        each: Vec<(Action, GameNode<'a>)>,
    },
}

/// The rules of a game, and what its debaters have seen so far.
pub(crate) struct GameTree<'p, 'a> {
    pub(crate) starts: &'p [GameStart<'p, 'a>],
    pub(super) grid: &'p [Exact],
    /// The leaves that may be looked up by prover and opponent, and how many in a debate.
    queries: [u32; 2],
    /// Whether coins are left out on which nothing hangs but what they pay: their mean is paid. The
    /// value of the game stays, and so does the best reply to any plan.
    averages: bool,
    /// Whether of replies that decide nothing at the end a few are followed; the value stays.
    pub(super) ends_alone: bool,
    /// The probability with which the judge says yes to a leaf of a start, where it was asked for.
    pub(super) verdicts: RefCell<HashMap<(usize, ClaimId), Option<Exact>>>,
    /// The positions that were walked through, those without a move among them.
    pub(crate) positions: u64,
    /// The number of what was seen before and is seen now, by side.
    views: [HashMap<(u64, Vec<u64>), u64>; 2],
}

impl<'p, 'a> GameTree<'p, 'a> {
    /// The game of these debates, with probabilities from a grid.
    pub(crate) fn new(
        starts: &'p [GameStart<'p, 'a>],
        grid: &'p [Exact],
        queries: [u32; 2],
    ) -> Self {
        Self {
            starts,
            grid,
            queries,
            averages: false,
            ends_alone: false,
            verdicts: RefCell::default(),
            positions: 0,
            views: Default::default(),
        }
    }

    /// Leaves out what decides nothing: coins, and at the end replies of a prover who knows the instance and estimates
    /// before her last choice. The value of the game stays.
    pub(crate) fn reduced(mut self) -> Self {
        let blocks: BTreeSet<usize> = self.starts.iter().map(|start| start.blocks[0]).collect();
        let reads = |start: &GameStart<'_, '_>| {
            start.state.open_bits(0).is_none_or(|bits| !bits.is_empty())
        };
        self.averages = true;
        self.ends_alone = blocks.len() == self.starts.len() && !self.starts.iter().any(reads);
        self
    }

    /// The positions at which the game begins, one for each instance.
    pub(crate) fn roots(&mut self) -> Vec<GameNode<'a>> {
        let starts = self.starts;
        let each = starts.iter().enumerate().map(|(start, one)| {
            let observers = [0, 1].map(|side: Side| {
                let knowledge = one.blocks[side] as u64;
                Observer::new(Some(SEATS[side]), one.instance, knowledge)
            });
            let mut root = GameNode {
                start,
                debate: Node::new(one.state.clone()).before(observers),
                seen: [0, 0],
                queries: self.queries,
                leaves: [0, 1].map(|side| self.leaves(side, one.blocks[side])),
                replies: None,
                owed: Exact::zero(),
            };
            self.observe(&mut root, 0);
            self.observe(&mut root, 1);
            root
        });
        each.collect()
    }

    /// The instance of a position.
    pub(crate) fn instance(&self, at: &GameNode<'a>) -> &'a Instance {
        self.starts[at.start].instance
    }

    /// Numbers what a debater has seen, with what its observer has seen since it was last asked.
    fn observe(&mut self, at: &mut GameNode<'a>, side: Side) {
        let more = at.debate.observers[side].take();
        let next = self.views[side].len() as u64 + 1;
        let number = self.views[side].entry((at.seen[side], more));
        at.seen[side] = *number.or_insert(next);
    }

    /// The instances of a block of a debater.
    fn block(&self, side: Side, block: usize) -> impl Iterator<Item = &GameStart<'p, 'a>> + Clone {
        let starts = self.starts.iter();
        starts.filter(move |start| start.blocks[side] == block)
    }

    /// The leaves worth looking up in a block: whose truth is not the same in all of it.
    fn leaves(&self, side: Side, block: usize) -> Rc<[ClaimKey]> {
        if self.queries[side] == 0 {
            return Rc::default();
        }
        let instances = self.block(side, block).map(|start| start.instance);
        let mut leaves = leaves_of(instances.clone(), usize::MAX).unwrap_or_default();
        leaves.retain(|leaf| {
            let mut truths = instances.clone().map(|instance| truth_of(instance, leaf));
            let first = truths.next();
            truths.any(|truth| Some(truth) != first)
        });
        leaves.into()
    }

    /// The next move from a position on.
    ///
    /// # Errors
    /// If a debater has too many replies, or somebody has none.
    pub(crate) fn step(&mut self, mut at: GameNode<'a>) -> Result<GameMove<'a>, Unsolved> {
        loop {
            self.positions += 1;
            if at.replies.is_none() {
                let mut each = self.settled(&at)?;
                if each.len() > 1 {
                    return Ok(GameMove::Choice {
                        side: 0,
                        set: at.seen[0],
                        request: None,
                        each,
                    });
                }
                at = each.swap_remove(0).1;
            }
            let Some(turn) = at.debate.state.request() else {
                return Ok(GameMove::Over(at.debate.state.payoff() + at.owed));
            };
            let Some(side) = SEATS.iter().position(|seat| *seat == turn.seat) else {
                let mut each = self.chances(&mut at, &turn)?;
                if each.len() == 1 {
                    at = each.swap_remove(0).2;
                    continue;
                }
                let request = turn.request;
                return Ok(GameMove::Chance { request, each });
            };
            let mut each = self.choices(side, &at, &turn)?;
            if each.len() == 1 {
                at = each.swap_remove(0).1;
                continue;
            }
            return Ok(GameMove::Choice {
                side,
                set: at.seen[side],
                request: Some(turn.request),
                each,
            });
        }
    }

    /// The ways to settle the proof bits before anything else.
    fn settled(&mut self, at: &GameNode<'a>) -> Result<Vec<(Action, GameNode<'a>)>, Unsolved> {
        let mut bits: Vec<BitId> = Vec::new();
        for start in self.block(0, self.starts[at.start].blocks[0]) {
            let open = start.state.open_bits(MAX_BITS);
            bits.extend(open.ok_or(Unsolved::Endless(Seat::Prover))?);
        }
        bits.sort_unstable();
        bits.dedup();
        if bits.len() > MAX_BITS {
            return Err(Unsolved::Endless(Seat::Prover));
        }
        let each = (0..1_u64 << bits.len()).map(|number| {
            let values = digits(number, small(bits.len()));
            let settled: Vec<_> = bits.iter().copied().zip(values).collect();
            let mut next = at.clone();
            next.replies = Some(Rc::new(Replies {
                grid: self.grid.to_vec(),
                proof: settled.iter().copied().collect(),
                ..Replies::default()
            }));
            if !settled.is_empty() {
                next.debate.observers[0].learn(&[number]);
                self.observe(&mut next, 0);
            }
            (Action::Settle(settled), next)
        });
        Ok(each.collect())
    }

    /// The replies of chance or the judge, with their probabilities.
    fn chances(
        &mut self,
        at: &mut GameNode<'a>,
        turn: &Turn<Exact>,
    ) -> Result<Vec<(Exact, Reply<Exact>, GameNode<'a>)>, Unsolved> {
        let judge = self.starts[at.start].judge;
        let each = (at.debate).chances(turn, Some(judge), &mut Gain::default())?;
        let mut children = Vec::with_capacity(each.len());
        for (chance, reply) in each {
            if let Some(next) = self.after(at, turn, &reply, None) {
                children.push((chance, reply, next));
            }
        }
        if children.is_empty() {
            return Err(Unsolved::NoReply(turn.seat));
        }
        let coin = turn.request.draw();
        if self.averages && matches!(coin, Some((_, Draw::Bernoulli(_)))) {
            average(&mut children);
        }
        Ok(children)
    }

    /// What a debater may do.
    fn choices(
        &mut self,
        side: Side,
        at: &GameNode<'a>,
        turn: &Turn<Exact>,
    ) -> Result<Vec<(Action, GameNode<'a>)>, Unsolved> {
        let replies = at.replies.clone().unwrap_or_default();
        let mut actions = Vec::new();
        for (place, reply) in self.followed(side, at, turn, replies.to(turn)?) {
            if let Some(next) = self.after(at, turn, &reply, Some(place)) {
                actions.push((Action::Reply(reply), next));
            }
        }
        if actions.is_empty() {
            return Err(Unsolved::NoReply(turn.seat));
        }
        // A proof bit does not hang on what is looked up.
        if replies.proof.settles(turn) || at.queries[side] == 0 {
            return Ok(actions);
        }
        for (place, leaf) in (0..).zip(&*at.leaves[side]) {
            let mut next = at.clone();
            next.queries[side] -= 1;
            let left = at.leaves[side].iter().filter(|other| *other != leaf);
            next.leaves[side] = left.cloned().collect();
            let truth = truth_of(self.starts[at.start].instance, leaf);
            let answer = truth.map_or(0, |truth| u64::from(truth) + 1);
            next.debate.observers[side].learn(&[place, answer]);
            self.observe(&mut next, side);
            actions.push((Action::LookUp(leaf.clone()), next));
        }
        Ok(actions)
    }

    /// The position after a reply, which has this place among those of a debater; `None` where it is
    /// illegal.
    fn after(
        &mut self,
        at: &GameNode<'a>,
        turn: &Turn<Exact>,
        reply: &Reply<Exact>,
        place: Option<u64>,
    ) -> Option<GameNode<'a>> {
        let mut next = at.clone();
        let taken = next.debate.reply_to(turn.seat, reply.clone(), &mut ());
        taken.ok()?;
        for side in [0, 1] {
            // A debater knows its own reply.
            if let Some(place) = place.filter(|_| turn.seat == SEATS[side]) {
                next.debate.observers[side].learn(&[place]);
            }
            self.observe(&mut next, side);
        }
        Some(next)
    }
}

/// One way for all outcomes of a coin where the rest is the same after each but for what the coin
/// paid. A coin falls by a number that was said in the open, so that its outcome tells nobody
/// anything.
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

/// The truth of a leaf in an instance.
pub(crate) fn truth_of(instance: &Instance, leaf: &ClaimKey) -> Option<bool> {
    instance.truth(instance.claim_of(leaf.clone()))
}

/// The leaves of all these instances together, each once; `None` where they are more than `most`.
pub(crate) fn leaves_of<'i>(
    instances: impl Iterator<Item = &'i Instance>,
    most: usize,
) -> Option<Vec<ClaimKey>> {
    let mut leaves: Vec<ClaimKey> = Vec::new();
    for instance in instances {
        for claim in instance.claims_below(instance.root()) {
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
