//! All debates that given players can have about an instance, as a graph whose nodes are random draws. The moves
//! between two draws are computed once, exactly, and then looked up.
//!
//! Two histories share the nodes that follow if the rest of the debate is the same by the rules
//! ([`Rules::state_key`](debate_core::protocol::Rules::state_key)). While the coins of a gate are thrown, histories
//! with equal tallies share nodes if neither debater's replies depend on these coins.

use std::collections::HashMap;

use num_integer::Integer as _;
use num_traits::ToPrimitive as _;

use super::sums::{SimulationSums, ToFixedPoint as _};
use crate::expectation::{ReplyRewardSink, SeatExpenses, add_expense_difference};
use debate_core::gate::GateEvaluationState;
use debate_core::number::{COIN_BITS, Exact, Number as _};
use debate_core::player::{ReplyDistribution, Strategy, StrategyMemoryAndCosts};
use debate_core::protocol::{ChanceDraw, Reply, Request, Round, Rules as _, Seat, State, View};

/// The cause of a random draw in a debate: a coin of the rules, or a random choice of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoinOrPlayerDraw {
    /// A coin that the rules throw; the field is its ordinal.
    Coin(u64),
    /// A random choice of the player in a seat, at the move with this number.
    Private(Seat, u64),
}

/// A random draw with its possible outcomes. The index of the outcome is the number of limits that do not exceed the
/// drawn number.
#[derive(Debug)]
struct Node {
    /// For a coin of the rules, its ordinal; for other draws, the index in `drawn`.
    ordinal: u32,
    /// The index of the graph edge that is followed if the draw has outcome 0. The edges for the outcomes 1, 2, … come
    /// directly after it.
    first: u32,
    /// For a coin of the rules: it shows true if the drawn number is below this limit. [`DRAWN`] marks a draw that is
    /// not a coin.
    limit: u64,
}

/// A value of `limit` that marks a draw other than a coin of the rules. The draw is described in `drawn`.
const DRAWN: u64 = u64::MAX;

/// An edge of the graph of a debate: the moves from one random draw to the next draw or to the debate's end.
#[derive(Clone, Copy, Debug)]
pub(super) struct RandomDrawGraphEdge {
    /// The sum of the prover's rewards from the moves on this edge, in multiples of 2⁻⁸⁰.
    gain: i128,
    /// The index of the node for the next draw; [`END`] if the debate ends.
    to: u32,
}

const END: u32 = u32::MAX;

/// The amounts that the moves of an edge add to the simulation's sums, except for the payoff.
#[derive(Clone, Debug, Default)]
struct EdgeContributions {
    rewards: Vec<(Round, i128)>,
    spent: SeatExpenses,
    /// True if the debate's answer is right. `None` if that is unknown, and on edges that do not end the debate.
    correct: Option<bool>,
    to: u32,
}

impl EdgeContributions {
    /// Returns the amounts that were added after a point. `rewards` is the number of rewards up to this point, and
    /// `spent` the expenses up to it.
    fn since(&self, rewards: usize, spent: &SeatExpenses) -> Self {
        let mut rest = self.clone();
        rest.rewards.drain(..rewards);
        let flat = rest.spent.iter_mut().flatten();
        flat.zip(spent.iter().flatten())
            .for_each(|(sum, before)| *sum -= before);
        rest
    }

    fn join(&mut self, rest: &Self) {
        self.rewards.extend_from_slice(&rest.rewards);
        let flat = self.spent.iter_mut().flatten();
        flat.zip(rest.spent.iter().flatten())
            .for_each(|(sum, more)| *sum += more);
        self.correct = rest.correct;
        self.to = rest.to;
    }
}

/// The graph of all debates between given players about one instance.
#[derive(Debug)]
pub(super) struct SimulationTransitionGraph {
    nodes: Vec<Node>,
    pub(super) edges: Vec<RandomDrawGraphEdge>,
    /// The draws other than coins: the origin of each, and its outcomes' limits.
    drawn: Vec<(CoinOrPlayerDraw, Vec<u64>)>,
    /// The contribution of each edge.
    passages: Vec<EdgeContributions>,
}

impl SimulationTransitionGraph {
    /// Plays one debate with the given draws. Counts the edges taken, and returns the prover's payoff in multiples of
    /// 2⁻⁸⁰.
    #[inline]
    pub(super) fn play(
        &self,
        counts: &mut [u64],
        mut coin: impl FnMut(u32) -> u64,
        mut draw: impl FnMut(CoinOrPlayerDraw) -> u64,
    ) -> i128 {
        let mut position = 0;
        let mut payoff = 0;
        loop {
            let edge = &self.edges[position];
            counts[position] += 1;
            payoff += edge.gain;
            let Some(node) = self.nodes.get(edge.to as usize) else {
                return payoff;
            };
            let outcome = if node.limit == DRAWN {
                let (source, limits) = &self.drawn[node.ordinal as usize];
                let drawn = draw(*source);
                limits.partition_point(|limit| *limit <= drawn)
            } else {
                usize::from(coin(node.ordinal) >= node.limit)
            };
            position = node.first as usize + outcome;
        }
    }

    /// Adds the contributions of the graph's edges to `sums`, except for payoffs. `edge_counts` has the number of times
    /// that the simulated debates took each edge.
    pub(super) fn add_edge_contributions_except_payoffs_to(
        &self,
        sums: &mut SimulationSums,
        edge_counts: &[u64],
    ) {
        for (passage, count) in self.passages.iter().zip(edge_counts) {
            if *count == 0 {
                continue;
            }
            for (round, reward) in &passage.rewards {
                sums.add_round_reward(*round, num_bigint::BigInt::from(*reward) * count);
            }
            let flat = sums.spent.iter_mut().flatten();
            for (sum, amount) in flat.zip(passage.spent.iter().flatten()) {
                *sum += u128::from(*amount) * u128::from(*count);
            }
            if let (END, Some(correct)) = (passage.to, passage.correct) {
                sums.answered += count;
                sums.correct += if correct { *count } else { 0 };
            }
        }
    }
}

/// The key of a position that several histories can reach.
type Key = Box<[u64]>;

/// A possible random reply with its limit. A drawn number below the limit, but not below the previous limit, selects
/// it.
type BoundedReply = (u64, Reply<Exact>);

/// A debate in progress, from which the builder of the graph still has to continue.
struct PendingBranch<'a> {
    state: State<'a, Exact>,
    policy_states: [StrategyMemoryAndCosts; 3],
    /// The number of replies in the debate so far.
    number: u64,
    /// The reply that [`SimulationGraphBuilder`] must apply before it continues this debate, if there is one.
    due: Option<Reply<Exact>>,
    /// The edge that begins here.
    edge: u32,
    /// If a gate's coins are being thrown and only their tally matters: the graph edge on which the first of these
    /// coins was thrown, and the tally so far.
    gate: Option<(u32, GateEvaluationState)>,
}

/// No graph of the debates can be built. It would be too large, a draw or a player's reply has too many outcomes to
/// list, or a reward is too large. Or a player has no legal reply. Debates are then played move by move.
pub(super) struct TransitionGraphError;

/// Builds the graph of all debates between given players about one instance.
pub(super) struct SimulationGraphBuilder<'p, 'a> {
    pub(super) players: [&'p dyn Strategy<'a, Exact>; 3],
    /// The root claim's truth.
    pub(super) truth: Option<bool>,
    /// The remaining budget: the number of replies that may still be computed to build this graph.
    pub(super) replies: u64,
}

impl<'a> SimulationGraphBuilder<'_, 'a> {
    pub(super) fn build(
        mut self,
        start: State<'a, Exact>,
    ) -> Result<SimulationTransitionGraph, TransitionGraphError> {
        let mut graph = SimulationTransitionGraph {
            nodes: Vec::new(),
            edges: vec![],
            drawn: Vec::new(),
            passages: vec![EdgeContributions::default()],
        };
        let mut known = HashMap::new();
        let mut open = vec![PendingBranch {
            state: start,
            policy_states: [StrategyMemoryAndCosts::default(); 3],
            number: 0,
            due: None,
            edge: 0,
            gate: None,
        }];
        while let Some(next) = open.pop() {
            self.follow(next, &mut graph, &mut known, &mut open)?;
        }
        let edge = |passage: &EdgeContributions| RandomDrawGraphEdge {
            gain: passage.rewards.iter().map(|(_, reward)| reward).sum(),
            to: passage.to,
        };
        graph.edges = graph.passages.iter().map(edge).collect();
        Ok(graph)
    }

    /// Follows a debate to its next random draw, to its end, or to a position that the graph already contains.
    fn follow(
        &mut self,
        mut at: PendingBranch<'a>,
        graph: &mut SimulationTransitionGraph,
        known: &mut HashMap<Key, EdgeContributions>,
        open: &mut Vec<PendingBranch<'a>>,
    ) -> Result<(), TransitionGraphError> {
        let mut passage = EdgeContributions::default();
        let mut meeting_points: Vec<(Key, usize, SeatExpenses)> = Vec::new();
        if let Some(reply) = at.due.take() {
            reply_to(&mut at, reply, &mut passage)?;
        }
        loop {
            let Some(turn) = at.state.request() else {
                passage.to = END;
                passage.correct = at.state.finding().zip(self.truth).map(|(a, b)| a == b);
                break;
            };
            self.watch_gate(&mut at);
            if let Some(key) = self.key_of(&at, &turn.request) {
                if let Some(rest) = known.get(&key) {
                    passage.join(rest);
                    break;
                }
                meeting_points.push((key, passage.rewards.len(), passage.spent));
            }
            let (source, each) = self.outcomes(&mut at, turn.seat, &turn.request, &mut passage)?;
            if let [(_, reply)] = each.as_slice() {
                reply_to(&mut at, reply.clone(), &mut passage)?;
                continue;
            }
            passage.to = node(graph, source, &each)?;
            let first = graph.nodes[passage.to as usize].first;
            for ((_, reply), edge) in each.into_iter().zip(first..) {
                open.push(PendingBranch {
                    state: at.state.clone(),
                    policy_states: at.policy_states,
                    number: at.number,
                    due: Some(reply),
                    edge,
                    gate: at.gate,
                });
            }
            break;
        }
        for (key, rewards, spent) in meeting_points {
            known.insert(key, passage.since(rewards, &spent));
        }
        graph.passages[at.edge as usize] = passage;
        Ok(())
    }

    fn watch_gate(&self, at: &mut PendingBranch<'a>) {
        let steady = |position: usize| self.players[position].ignores_round_coins();
        let falling =
            at.state.gate_decided_by_coins_with_estimates().is_some() && steady(0) && steady(1);
        at.gate = falling.then(|| {
            at.gate
                .unwrap_or_else(|| (at.edge, GateEvaluationState::default()))
        });
    }

    /// Returns the possible outcomes of a request and the origin of the draw. A drawn number below an outcome's limit
    /// selects it, or an earlier outcome.
    fn outcomes(
        &mut self,
        at: &mut PendingBranch<'a>,
        seat: Seat,
        request: &Request<Exact>,
        passage: &mut EdgeContributions,
    ) -> Result<(CoinOrPlayerDraw, Vec<BoundedReply>), TransitionGraphError> {
        self.count_reply()?;
        if let Some((ordinal, draw)) = request.requested_draw() {
            let ChanceDraw::Bernoulli(p) = draw else {
                return Err(TransitionGraphError);
            };
            let weights = vec![
                (p.clone(), Reply::Drawn(1)),
                (Exact::ratio(1, 1) - p, Reply::Drawn(0)),
            ];
            return Ok((CoinOrPlayerDraw::Coin(ordinal), with_draw_limits(weights)?));
        }
        let position = seat.seat_index();
        let strategy = self.players.get(position).ok_or(TransitionGraphError)?;
        let policy_state = &mut at.policy_states[position];
        let before = policy_state.spent;
        let choice = strategy.choose(View::new(&at.state, seat), request, policy_state);
        add_expense_difference(&mut passage.spent[position], &before, &policy_state.spent);
        let weights = match choice.ok_or(TransitionGraphError)? {
            ReplyDistribution::Computed { .. } | ReplyDistribution::Mean { .. } => {
                return Err(TransitionGraphError);
            }
            few => few.weighted_replies().ok_or(TransitionGraphError)?,
        };
        Ok((
            CoinOrPlayerDraw::Private(seat, at.number),
            with_draw_limits(weights)?,
        ))
    }

    /// Returns a key of everything that the remaining debate depends on. `None` if the rules give no key for this
    /// position, so that it is not shared.
    fn key_of(&self, at: &PendingBranch<'_>, request: &Request<Exact>) -> Option<Key> {
        let answer = at.state.answer().map_or(2, u64::from);
        let mut key = vec![at.number, answer];
        if let (Some((edge, tally)), Some(_)) = (at.gate, request.requested_draw()) {
            let (gate, _) = at.state.gate_decided_by_coins_with_estimates()?;
            let fallen = gate.tally_index(tally) as u64;
            key.extend([0, edge.into(), tally.seen.into(), fallen]);
        } else {
            key.push(1);
            if !at.state.state_key(&mut key) {
                return None;
            }
            let mut players = self.players.iter();
            if players.any(|player| player.uses_earlier_coins()) {
                at.state.add_earlier_rounds_coins_to_key(&mut key);
            }
        }
        for policy_state in &at.policy_states {
            key.extend(policy_state.memory.0);
        }
        Some(key.into())
    }

    fn count_reply(&mut self) -> Result<(), TransitionGraphError> {
        self.replies = self.replies.checked_sub(1).ok_or(TransitionGraphError)?;
        Ok(())
    }
}

/// Applies a reply to a debate and records its rewards and expenses.
fn reply_to(
    at: &mut PendingBranch<'_>,
    reply: Reply<Exact>,
    passage: &mut EdgeContributions,
) -> Result<(), TransitionGraphError> {
    if let (Some((_, tally)), Reply::Drawn(outcome)) = (&mut at.gate, &reply)
        && let Some((gate, _)) = at.state.gate_decided_by_coins_with_estimates()
    {
        *tally = gate.tally_with_outcome(*tally, *outcome == 1);
    }
    let before = *at.state.ledger();
    let mut rewards = ReplyRewardSink::default();
    at.state
        .reply(reply, &mut rewards)
        .map_err(|_illegal| TransitionGraphError)?;
    for seat in Seat::PLAYERS {
        let sums = &mut passage.spent[seat.seat_index()];
        add_expense_difference(
            sums,
            before.spending_of_seat(seat),
            at.state.ledger().spending_of_seat(seat),
        );
    }
    for reward in rewards.paid {
        let value = reward
            .payment_to_prover()
            .fixed()
            .ok_or(TransitionGraphError)?;
        passage.rewards.push((reward.round_of_reward(), value));
    }
    at.number += 1;
    Ok(())
}

/// Returns the replies that a draw can select, each with its limit: the sum of the probabilities so far, in units of
/// 2⁻⁵³, rounded up. A drawn number selects the first reply whose limit is greater.
fn with_draw_limits(
    weights: Vec<(Exact, Reply<Exact>)>,
) -> Result<Vec<BoundedReply>, TransitionGraphError> {
    let last = weights.len().checked_sub(1).ok_or(TransitionGraphError)?;
    let all = 1_u64 << COIN_BITS;
    let mut sum = Exact::ratio(0, 1);
    let mut below = 0;
    let mut each = Vec::new();
    for (position, (weight, reply)) in weights.into_iter().enumerate() {
        sum += weight;
        let beyond = (sum.numer() << COIN_BITS).div_ceil(sum.denom());
        let limit = match beyond.to_u64() {
            Some(limit) if position < last => limit.min(all),
            _ => all,
        };
        if limit > below {
            each.push((limit, reply));
            below = limit;
        }
    }
    Ok(each)
}

/// Adds a node for a draw to the graph, with edges that are still to be followed.
fn node(
    graph: &mut SimulationTransitionGraph,
    source: CoinOrPlayerDraw,
    each: &[BoundedReply],
) -> Result<u32, TransitionGraphError> {
    let small = |position: usize| u32::try_from(position).map_err(|_large| TransitionGraphError);
    let first = small(graph.passages.len())?;
    graph.passages.resize(
        graph.passages.len() + each.len(),
        EdgeContributions::default(),
    );
    let (ordinal, limit) =
        if let (CoinOrPlayerDraw::Coin(ordinal), [(limit, _), _]) = (source, each) {
            let ordinal = u32::try_from(ordinal).map_err(|_large| TransitionGraphError)?;
            (ordinal, *limit)
        } else {
            let limits = each
                .iter()
                .map(|(limit, _)| *limit)
                .take(each.len() - 1)
                .collect();
            graph.drawn.push((source, limits));
            (small(graph.drawn.len() - 1)?, DRAWN)
        };
    graph.nodes.push(Node {
        ordinal,
        first,
        limit,
    });
    small(graph.nodes.len() - 1)
}
