//! The best strategy of a seat that knows part of the instance, against players who are known.
//!
//! It has perfect recall: what it has seen and said is all that leads to an information set, so the
//! best reply in one is the reply whose sum over the set's histories, each with its weight, is the
//! greatest. The others' private draws and memory belong to the histories. The weights are those of
//! μ times the chances on the way, not normalised; where histories meet, the rest is remembered by
//! the positions and the proportions of their weights, since what others said is a signal about
//! the instance.

use std::collections::HashMap;

use super::history::{Branch, Case, History, distinguished, key_of, merged};
use super::proof_steps::{ProofSplit, ProofStep, ProofTrace};
use super::tree::{leaves_of, truth_of};
use super::watch::Watch;
use crate::expectation::{
    Expected, Gain, GivenBits, ProofPlan, RewardSink, RoundPlaces, UnderPlan, Unsolved, best_plan,
};
use crate::expectimax::{Actor, Position, StateKey, outcomes};
use debate_core::budget::Budget;
use debate_core::number::Number;
use debate_core::observe::Observer;
use debate_core::protocol::{Draw, Reply, Request, Rules as _, Seat, Turn};
use debate_core::scenario::ClaimKey;

/// A set of histories may be followed so many replies deep beyond what is certain.
const MAX_LEVELS: u32 = 600;

/// What is expected in each history of a set, and the plan for the proof bits that it takes.
type Planned<N> = (Vec<Expected<N>>, ProofPlan);

/// A search for the best strategy of a seat.
pub(crate) struct BestReply<'p, 'a, N: Number> {
    seat: Seat,
    cases: Vec<Case<'p, 'a, N>>,
    places: Vec<RoundPlaces>,
    /// The probabilities that it may say.
    grid: Vec<N>,
    /// The only answer to the root claim that it may give.
    answers: Option<bool>,
    /// The leaves that it may look up.
    leaves: Vec<ClaimKey>,
    /// r^0 … r^d where rewards are split by the steps of the soundness proof, else nothing.
    splits: Vec<N>,
    /// Whether the seat's own player replies, and nothing is left to choose.
    plays: bool,
    budget: Budget<'p>,
    played: u64,
    /// The proof bits that are settled before the search.
    proof: ProofPlan,
    table: HashMap<StateKey, Vec<Expected<N>>>,
}

impl<'p, 'a, N: Number> BestReply<'p, 'a, N> {
    pub(crate) fn new(seat: Seat, cases: Vec<Case<'p, 'a, N>>, budget: Budget<'p>) -> Self {
        let places = cases
            .iter()
            .map(|case| RoundPlaces::of(&case.start.schedule()));
        Self {
            seat,
            places: places.collect(),
            cases,
            grid: Vec::new(),
            answers: None,
            leaves: Vec::new(),
            splits: Vec::new(),
            plays: false,
            budget,
            played: 0,
            proof: ProofPlan::default(),
            table: HashMap::new(),
        }
    }

    /// Lets it choose among these probabilities.
    #[must_use]
    pub(crate) fn on_grid(mut self, grid: Vec<N>) -> Self {
        self.grid = grid;
        self
    }

    /// Lets it give this answer to the root claim alone.
    #[must_use]
    pub(crate) fn answering(mut self, answer: Option<bool>) -> Self {
        self.answers = answer;
        self
    }

    /// Lets it look up leaves: those of all cases together.
    ///
    /// # Errors
    /// If there are more leaves than `most`.
    pub(crate) fn looking_up(mut self, most: usize) -> Result<Self, Unsolved> {
        let leaves = leaves_of(self.cases.iter().map(|case| case.instance), most);
        let exceeded = || self.budget.with_steps(most as u64).exceeded("leaves");
        self.leaves = leaves.ok_or_else(exceeded)?;
        Ok(self)
    }

    /// Settles these proof bits, and no others.
    pub(crate) fn settle(&mut self, proof: ProofPlan) {
        self.proof = proof;
        // What is known holds under the bits that were settled.
        self.table.clear();
    }

    /// Asks for the value alone.
    #[must_use]
    pub(crate) fn for_value(mut self) -> Self {
        self.places.fill(RoundPlaces::one());
        self
    }

    /// Lets the seat's own player reply, in place of the best.
    #[must_use]
    pub(crate) fn playing(mut self) -> Self {
        self.plays = true;
        self
    }

    /// Asks for what each step of the soundness proof of prover-estimator debate accounts for, in
    /// place of rounds: [`ProofStep::all`]; `weights`: r^0 … r^d.
    #[must_use]
    pub(crate) fn by_proof_step(mut self, weights: Vec<N>) -> Self {
        let depth = u32::try_from(weights.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let steps = RoundPlaces::numbered(ProofStep::all(depth).len());
        self.places.fill(steps);
        self.splits = weights;
        self
    }

    /// A history of a case that the seat has followed from here on.
    pub(crate) fn history(&self, case: usize, weight: N, at: Position<'a, N>) -> History<'a, N> {
        History {
            case,
            weight,
            at,
            observer: Observer::new(Some(self.seat), self.cases[case].instance, 0),
            trace: ProofTrace::default(),
        }
    }

    /// The number of replies played so far.
    pub(crate) fn played(&self) -> u64 {
        self.played
    }

    /// What is expected in each of these histories, which the seat cannot tell apart, where it
    /// replies as is best over all of them; and its plan for the proof bits, which it settles before
    /// anything that follows.
    ///
    /// # Errors
    /// If it takes too long, or a player has no reply.
    pub(crate) fn expected(
        &mut self,
        set: &[History<'a, N>],
        queries: u32,
    ) -> Result<Planned<N>, Unsolved> {
        let found = self.planned(set, |search| {
            search.value(set, queries, 0).map(Option::Some)
        })?;
        found.ok_or(Unsolved::NoReply(self.seat))
    }

    /// What `search` finds of a set under the best plan for the proof bits; `None` where it finds
    /// nothing.
    fn planned(
        &mut self,
        set: &[History<'a, N>],
        mut search: impl FnMut(&mut Self) -> Result<Option<Vec<Expected<N>>>, Unsolved>,
    ) -> Result<Option<Planned<N>>, Unsolved> {
        let settled = self.proof.clone();
        let (found, plan) = best_plan(&settled, |plan| {
            let found = if *plan == settled {
                search(self)?
            } else {
                // What is known holds under the bits that are settled, and no others.
                let known = std::mem::take(&mut self.table);
                self.proof = plan.clone();
                let found = search(self);
                self.table = known;
                self.proof = settled.clone();
                found?
            };
            let mut given = GivenBits::default();
            let each = set.iter().zip(found.iter().flatten());
            for (_, expected) in each.filter(|(history, _)| !history.weight.is_zero()) {
                given.merge(&expected.given);
            }
            let worth = found.as_ref().map(|found| self.worth(set, found));
            Ok(UnderPlan {
                worth: worth.unwrap_or_else(N::zero),
                found,
                given,
            })
        })?;
        Ok(found.map(|found| (found, plan)))
    }

    /// What is expected in each of these histories after the seat's reply; `None` where it is
    /// illegal.
    ///
    /// # Errors
    /// As [`Self::expected`].
    pub(crate) fn after(
        &mut self,
        set: &[History<'a, N>],
        reply: &Reply<N>,
        queries: u32,
    ) -> Result<Option<Vec<Expected<N>>>, Unsolved> {
        let found = self.planned(set, |search| search.replied(set, reply, queries, 0))?;
        Ok(found.map(|(found, _)| found))
    }

    /// As [`Self::expected`], looked up where histories meet.
    fn value(
        &mut self,
        set: &[History<'a, N>],
        queries: u32,
        level: u32,
    ) -> Result<Vec<Expected<N>>, Unsolved> {
        if level > MAX_LEVELS {
            let deep = self.budget.with_steps(MAX_LEVELS.into());
            return Err(deep.exceeded("replies one after the other").into());
        }
        let Some((key, classes)) = key_of(set, queries) else {
            return self.worked_out(set, queries, level);
        };
        let known = self.table.get(&key).cloned();
        let found = if let Some(known) = known {
            known
        } else {
            let merged = merged(set, &classes);
            let found = self.worked_out(&merged, queries, level)?;
            self.table.insert(key, found.clone());
            found
        };
        Ok(classes.iter().map(|class| found[*class].clone()).collect())
    }

    fn worked_out(
        &mut self,
        set: &[History<'a, N>],
        queries: u32,
        level: u32,
    ) -> Result<Vec<Expected<N>>, Unsolved> {
        let Some(turn) = set.first().and_then(|first| first.at.state.request()) else {
            let over = |one: &History<'a, N>| self.places[one.case].over(one.at.state.finding());
            return Ok(set.iter().map(over).collect());
        };
        if turn.seat == self.seat && !self.plays {
            if !self.splits.is_empty() && set.iter().all(|history| history.weight.is_zero()) {
                // No debate gets here: nothing is expected of it.
                let nothing = |one: &History<'a, N>| self.places[one.case].nothing();
                return Ok(set.iter().map(nothing).collect());
            }
            return self.best(set, &turn, queries, level);
        }
        let mut branches = Vec::new();
        for (parent, history) in set.iter().enumerate() {
            if self.asks_truth(history, &turn) {
                branches.extend(self.by_truth(parent, history, &turn)?);
                if history.trace.is_truth() {
                    continue;
                }
            }
            let mut at = history.clone();
            let mut asked = Gain::nothing();
            for (chance, reply) in self.replies(&mut at, &mut asked)? {
                let mut next = at.clone();
                next.weight *= chance.clone();
                let (gain, seen) = self.reply(&mut next, turn.seat, reply)?;
                branches.push(Branch {
                    parent,
                    chance,
                    gains: [asked.clone(), gain],
                    next,
                    seen,
                });
            }
        }
        self.follow(set, branches, queries, level)
    }

    /// True where a coin is to fall as the truth too: rewards are split by the steps of the proof.
    fn asks_truth(&self, history: &History<'a, N>, turn: &Turn<N>) -> bool {
        let coin = matches!(turn.request, Request::Draw { .. });
        let asked = history.trace.is_truth() || history.trace.is_before_coins();
        coin && asked && !self.splits.is_empty()
    }

    /// The way on where a coin falls as the truth; `None` if it cannot.
    fn by_truth(
        &mut self,
        parent: usize,
        history: &History<'a, N>,
        turn: &Turn<N>,
    ) -> Result<Option<Branch<'a, N>>, Unsolved> {
        let Request::Draw { claim, draw, .. } = &turn.request else {
            return Ok(None);
        };
        let truth = self.cases[history.case].instance.truth(*claim) == Some(true);
        let possible = match draw {
            Draw::Bernoulli(p) if truth => !p.is_zero(),
            Draw::Bernoulli(p) => !p.is_one(),
            Draw::Binomial { .. } => false,
        };
        if !possible {
            return Ok(None);
        }
        let mut next = history.clone();
        next.weight = N::zero();
        next.trace = history.trace.with_truth();
        let (gain, seen) = self.reply(&mut next, turn.seat, Reply::Drawn(truth.into()))?;
        Ok(Some(Branch {
            parent,
            chance: N::one(),
            gains: [Gain::nothing(), gain],
            next,
            seen,
        }))
    }

    /// What somebody else may reply, each with its probability.
    fn replies(
        &self,
        history: &mut History<'a, N>,
        gain: &mut Gain<N>,
    ) -> Result<Vec<(N, Reply<N>)>, Unsolved> {
        let turn = history.at.state.request();
        let turn = turn.ok_or(Unsolved::NoReply(Seat::Chance))?;
        if let Request::Draw { draw, .. } = &turn.request {
            return outcomes(draw, history.at.state.equivalent_outcomes());
        }
        let players = &self.cases[history.case].players;
        let Some(Actor::Plays(strategy)) = players.get(turn.seat.index()) else {
            return Err(Unsolved::NoReply(turn.seat));
        };
        let each = history.at.choice(&turn, *strategy, gain)?.each();
        let mut each = each.ok_or(Unsolved::Countless(turn.seat))?;
        each.retain(|(chance, _)| !chance.is_zero());
        Ok(each)
    }

    /// Takes a reply: what it pays and costs, and what the seat sees of it.
    fn reply(
        &mut self,
        history: &mut History<'a, N>,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<(Gain<N>, Vec<u64>), Unsolved> {
        self.played += 1;
        self.budget.taken(self.played, "replies")?;
        let case = history.case;
        let instance = self.cases[case].instance;
        let mut paid = RewardSink::default();
        let mut split = ProofSplit {
            instance,
            weights: &self.splits,
            trace: &mut history.trace,
            parts: Vec::new(),
        };
        let mut watch = Watch {
            observers: std::slice::from_mut(&mut history.observer),
            inner: if self.splits.is_empty() {
                &mut paid
            } else {
                &mut split
            },
        };
        let mut gain = history.at.reply_to(seat, reply, &mut watch)?;
        let mut seen = history.observer.take();
        for (place, amount) in split.parts {
            gain.reward(place, amount);
        }
        for reward in paid.paid {
            let place = self.places[case].of_round(reward.round());
            gain.reward(place, reward.value());
        }
        // Everybody sees whose turn it is.
        let turn = history.at.state.request();
        seen.push(turn.map_or(0, |turn| turn.seat.index() as u64 + 1));
        Ok((gain, seen))
    }

    /// What is expected in each history of a set, these being all ways on from them.
    fn follow(
        &mut self,
        set: &[History<'a, N>],
        mut branches: Vec<Branch<'a, N>>,
        queries: u32,
        level: u32,
    ) -> Result<Vec<Expected<N>>, Unsolved> {
        let nothing = |history: &History<'a, N>| self.places[history.case].nothing();
        let mut sums: Vec<Expected<N>> = set.iter().map(nothing).collect();
        let over = |branch: &mut Branch<'a, N>| branch.next.trace.is_over();
        for branch in branches.extract_if(.., over) {
            let [asked, gain] = &branch.gains;
            let rest = self.places[branch.next.case].nothing();
            sums[branch.parent].add(&branch.chance, &rest.after(gain).after(asked));
        }
        for alike in distinguished(branches) {
            let histories: Vec<History<'a, N>> =
                alike.iter().map(|branch| branch.next.clone()).collect();
            let found = self.value(&histories, queries, level + 1)?;
            for (branch, rest) in alike.iter().zip(found) {
                let [asked, gain] = &branch.gains;
                let rest = rest.after(gain).after(asked);
                sums[branch.parent].add(&branch.chance, &rest);
            }
        }
        Ok(sums)
    }

    /// The best that the seat can do, over all histories of a set.
    fn best(
        &mut self,
        set: &[History<'a, N>],
        turn: &Turn<N>,
        queries: u32,
        level: u32,
    ) -> Result<Vec<Expected<N>>, Unsolved> {
        let mut best: Option<(N, Vec<Expected<N>>)> = None;
        let mut take = |worth: N, found: Vec<Expected<N>>| {
            if best.as_ref().is_none_or(|(most, _)| worth.exceeds(most)) {
                best = Some((worth, found));
            }
        };
        let is_bit = turn.request.proof_bit().is_some();
        for reply in self.proof.replies(turn, &self.grid)? {
            if let (Reply::Answer(answer), Some(only)) = (&reply, self.answers)
                && *answer != only
            {
                continue;
            }
            if let Some(mut found) = self.replied(set, &reply, queries, level)? {
                for expected in found.iter_mut().filter(|_| is_bit) {
                    expected.given.note(&turn.request, &reply);
                }
                take(self.worth(set, &found), found);
            }
        }
        // A proof bit does not hang on what is looked up.
        if queries > 0 && !is_bit {
            for leaf in self.leaves.clone() {
                if let Some(found) = self.looked_up(set, &leaf, queries, level)? {
                    take(self.worth(set, &found), found);
                }
            }
        }
        best.map(|(_, found)| found)
            .ok_or(Unsolved::NoReply(turn.seat))
    }

    /// What the histories of a set are worth to the seat together.
    fn worth(&self, set: &[History<'a, N>], found: &[Expected<N>]) -> N {
        let each = set.iter().zip(found);
        let sum = each.fold(N::zero(), |sum, (history, expected)| {
            sum + history.weight.clone() * expected.value()
        });
        match self.seat {
            Seat::Opponent => -sum,
            _ => sum,
        }
    }

    fn replied(
        &mut self,
        set: &[History<'a, N>],
        reply: &Reply<N>,
        queries: u32,
        level: u32,
    ) -> Result<Option<Vec<Expected<N>>>, Unsolved> {
        let mut branches = Vec::with_capacity(set.len());
        for (parent, history) in set.iter().enumerate() {
            let mut next = history.clone();
            let (gain, seen) = match self.reply(&mut next, self.seat, reply.clone()) {
                Err(Unsolved::Illegal { .. }) => return Ok(None),
                done => done?,
            };
            branches.push(Branch {
                parent,
                chance: N::one(),
                gains: [Gain::nothing(), gain],
                next,
                seen,
            });
        }
        self.follow(set, branches, queries, level).map(Some)
    }

    /// The same where the seat first looks up a leaf; `None` where that tells it nothing.
    fn looked_up(
        &mut self,
        set: &[History<'a, N>],
        leaf: &ClaimKey,
        queries: u32,
        level: u32,
    ) -> Result<Option<Vec<Expected<N>>>, Unsolved> {
        let truth = |history: &History<'a, N>| truth_of(self.cases[history.case].instance, leaf);
        let truths: Vec<Option<bool>> = set.iter().map(truth).collect();
        if truths.windows(2).all(|pair| pair[0] == pair[1]) {
            return Ok(None);
        }
        let mut spent = Gain::nothing();
        let (before, mut after) = (
            debate_core::protocol::Spent::default(),
            debate_core::protocol::Spent::default(),
        );
        after.oracle_queries += 1;
        spent.spend(self.seat, &before, &after);
        let branches = set.iter().zip(truths).enumerate();
        let branches = branches.map(|(parent, (history, truth))| Branch {
            parent,
            chance: N::one(),
            gains: [Gain::nothing(), spent.clone()],
            next: history.clone(),
            seen: vec![truth.map_or(0, |truth| u64::from(truth) + 1)],
        });
        let branches: Vec<_> = branches.collect();
        self.follow(set, branches, queries - 1, level).map(Some)
    }
}
