//! The best strategy of a seat that knows part of the instance, against players who are known.
//!
//! Two histories are in one information set of a seat if it knows the same of the instance and has
//! observed the same ([`debate_core::observe`]). The seat has perfect recall: what it has observed
//! and said is all that leads to an information set, so the best reply in one is the reply whose sum
//! over the set's histories, each with its weight, is the greatest. The others' private draws and
//! memory belong to the histories. The weights are those of μ times the chances on the way, not
//! normalised, so that sums go back up exactly; where histories meet, the rest is remembered by the
//! positions and the proportions of their weights, since what others said is a signal about the
//! instance.

mod proof_steps;

use std::collections::HashMap;

use proof_steps::{ProofSplit, ProofTrace};

use crate::expectation::{
    Expected, Gain, GivenBits, ProofPlan, RewardSink, RoundPlaces, UnderPlan, Unsolved, best_plan,
};
use crate::game::{Actor, Node, Replies, StateKey, leaves_of, truth_of};
use debate_core::budget::Budget;
use debate_core::number::{Number, small};
use debate_core::observe::Observer;
use debate_core::protocol::{Draw, Reply, Rules as _, Seat, Sink, Spent, State, Turn};
use debate_core::scenario::{ClaimKey, Instance};
pub use proof_steps::ProofStep;

/// A set of histories may be followed so many replies deep beyond what is certain.
const MAX_LEVELS: u32 = 600;

/// What is expected in each history of a set, and the plan for the proof bits that it takes.
type Planned<N> = (Vec<Expected<N>>, ProofPlan);

/// A search for the best strategy of a seat.
pub(crate) struct BestReply<'p, 'a, N: Number> {
    seat: Seat,
    cases: Vec<Case<'p, 'a, N>>,
    places: Vec<RoundPlaces>,
    /// What it may reply.
    pub(crate) replies: Replies<N>,
    /// The leaves that it may look up, and how many of them in a debate.
    leaves: Vec<ClaimKey>,
    queries: u32,
    /// r^0 … r^d where rewards are split by the steps of the soundness proof, else nothing.
    splits: Vec<N>,
    budget: Budget<'p>,
    /// The number of replies played so far.
    pub(crate) played: u64,
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
            replies: Replies::default(),
            leaves: Vec::new(),
            queries: 0,
            splits: Vec::new(),
            budget,
            played: 0,
            table: HashMap::new(),
        }
    }

    /// Lets it look up so many leaves in a debate, of those of all cases together.
    ///
    /// # Errors
    /// If there are more leaves than `most`.
    pub(crate) fn look_up(&mut self, queries: u32, most: usize) -> Result<(), Unsolved> {
        if queries == 0 {
            return Ok(());
        }
        self.queries = queries;
        let leaves = leaves_of(self.cases.iter().map(|case| case.instance), most);
        let exceeded = || self.budget.with_steps(most as u64).exceeded("leaves");
        self.leaves = leaves.ok_or_else(exceeded)?;
        Ok(())
    }

    /// Settles these proof bits, and no others.
    pub(crate) fn settle(&mut self, proof: ProofPlan) {
        self.replies.proof = proof;
        // What is known holds under the bits that were settled.
        self.table.clear();
    }

    /// Asks for the value alone.
    #[must_use]
    pub(crate) fn for_value(mut self) -> Self {
        self.places.fill(RoundPlaces::one());
        self
    }

    /// Asks for what each step of the soundness proof of prover-estimator debate accounts for, in
    /// place of rounds: [`ProofStep::all`]; `weights`: r^0 … r^d.
    pub(crate) fn split_by_proof_step(&mut self, weights: Vec<N>) {
        let depth = small(weights.len().saturating_sub(1));
        let steps = RoundPlaces::numbered(ProofStep::all(depth).len());
        self.places.fill(steps);
        self.splits = weights;
    }

    /// A history of a case that the seat has followed from here on.
    pub(crate) fn history(&self, case: usize, weight: N, at: Node<'a, N>) -> History<'a, N> {
        let observer = Observer::new(Some(self.seat), self.cases[case].instance, 0);
        History {
            case,
            weight,
            at: at.before([observer]),
            queries: self.queries,
            level: 0,
            trace: ProofTrace::default(),
        }
    }

    /// What is expected in each of these histories, which the seat cannot tell apart, where it
    /// replies as is best over all of them; and its plan for the proof bits, which it settles before
    /// anything that follows.
    ///
    /// # Errors
    /// If it takes too long, or a player has no reply.
    pub(crate) fn expected(&mut self, set: &[History<'a, N>]) -> Result<Planned<N>, Unsolved> {
        let values = self.planned(set, |search| search.value(set).map(Some))?;
        values.ok_or(Unsolved::NoReply(self.seat))
    }

    /// What `search` finds of a set under the best plan for the proof bits; `None` where it finds
    /// nothing.
    fn planned(
        &mut self,
        set: &[History<'a, N>],
        mut search: impl FnMut(&mut Self) -> Result<Option<Vec<Expected<N>>>, Unsolved>,
    ) -> Result<Option<Planned<N>>, Unsolved> {
        let settled = self.replies.proof.clone();
        let (values, plan) = best_plan(&settled, |plan| {
            let values = if *plan == settled {
                search(self)?
            } else {
                // What is known holds under the bits that are settled, and no others.
                let known = std::mem::take(&mut self.table);
                self.replies.proof = plan.clone();
                let values = search(self);
                self.table = known;
                self.replies.proof = settled.clone();
                values?
            };
            let mut given = GivenBits::default();
            let each = set.iter().zip(values.iter().flatten());
            for (_, expected) in each.filter(|(history, _)| !history.weight.is_zero()) {
                given.merge(&expected.given);
            }
            let worth = values.as_ref().map(|values| self.worth(set, values));
            Ok(UnderPlan {
                worth: worth.unwrap_or_else(N::zero),
                result: values,
                given,
            })
        })?;
        Ok(values.map(|values| (values, plan)))
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
    ) -> Result<Option<Vec<Expected<N>>>, Unsolved> {
        let values = self.planned(set, |search| search.replied(set, reply))?;
        Ok(values.map(|(values, _)| values))
    }

    /// As [`Self::expected`], looked up where histories meet.
    fn value(&mut self, set: &[History<'a, N>]) -> Result<Vec<Expected<N>>, Unsolved> {
        if set.first().is_some_and(|first| first.level > MAX_LEVELS) {
            let deep = self.budget.with_steps(MAX_LEVELS.into());
            return Err(deep.exceeded("replies one after the other").into());
        }
        let Some((key, classes)) = key_of(set) else {
            return self.worked_out(set);
        };
        let known = self.table.get(&key).cloned();
        let values = if let Some(known) = known {
            known
        } else {
            let merged = merged(set, &classes);
            let values = self.worked_out(&merged)?;
            self.table.insert(key, values.clone());
            values
        };
        Ok(classes.iter().map(|class| values[*class].clone()).collect())
    }

    fn worked_out(&mut self, set: &[History<'a, N>]) -> Result<Vec<Expected<N>>, Unsolved> {
        let Some(turn) = set.first().and_then(|first| first.at.state.request()) else {
            let over = |one: &History<'a, N>| self.places[one.case].over(one.at.state.finding());
            return Ok(set.iter().map(over).collect());
        };
        if turn.seat == self.seat && self.cases[set[0].case].chooses(self.seat) {
            if !self.splits.is_empty() && set.iter().all(|history| history.weight.is_zero()) {
                // No debate gets here: nothing is expected of it.
                let nothing = |one: &History<'a, N>| self.places[one.case].nothing();
                return Ok(set.iter().map(nothing).collect());
            }
            return self.best(set, &turn);
        }
        let mut branches = Vec::new();
        for (parent, history) in set.iter().enumerate() {
            self.branch(parent, history, &mut branches)?;
        }
        self.follow(set, branches)
    }

    /// Adds the ways on from a history where somebody else is asked.
    fn branch(
        &mut self,
        parent: usize,
        history: &History<'a, N>,
        branches: &mut Vec<Branch<'a, N>>,
    ) -> Result<(), Unsolved> {
        // Who is asked is the same in all histories of a set; the claim may be another.
        let request = history.at.state.request();
        let turn = request.ok_or(Unsolved::NoReply(Seat::Chance))?;
        if self.asks_truth(history, &turn) {
            branches.extend(self.by_truth(parent, history, &turn)?);
            if history.trace.is_truth() {
                return Ok(());
            }
        }
        let player = self.cases[history.case].players.get(turn.seat.index());
        let strategy = player.and_then(Actor::strategy);
        let (mut asked, mut spent) = (history.clone(), Gain::default());
        for (chance, reply) in asked.at.chances(&turn, strategy, &mut spent)? {
            let mut next = asked.clone();
            next.weight *= chance.clone();
            let (gain, seen) = self.reply(&mut next, turn.seat, reply)?;
            branches.push(Branch {
                parent,
                chance,
                gains: [spent.clone(), gain],
                next,
                seen,
            });
        }
        Ok(())
    }

    /// True where a coin is to fall as the truth too: rewards are split by the steps of the proof.
    fn asks_truth(&self, history: &History<'a, N>, turn: &Turn<N>) -> bool {
        let coin = turn.request.draw().is_some();
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
        let (Some((_, draw)), Some(claim)) = (turn.request.draw(), turn.request.claim()) else {
            return Ok(None);
        };
        let truth = self.cases[history.case].instance.truth(claim) == Some(true);
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
        Ok(Some(Branch::certain(parent, gain, next, seen)))
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
        let sink: &mut dyn Sink<N> = if self.splits.is_empty() {
            &mut paid
        } else {
            &mut split
        };
        let mut gain = history.at.reply_to(seat, reply, sink)?;
        for (place, amount) in split.parts {
            gain.reward(place, amount);
        }
        for reward in paid.paid {
            let place = self.places[case].of_round(reward.round());
            gain.reward(place, reward.value());
        }
        let [observer] = &mut history.at.observers;
        Ok((gain, observer.take()))
    }

    /// What is expected in each history of a set, these being all ways on from them.
    fn follow(
        &mut self,
        set: &[History<'a, N>],
        mut branches: Vec<Branch<'a, N>>,
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
            let histories = alike.iter().map(|branch| History {
                level: branch.next.level + 1,
                ..branch.next.clone()
            });
            let values = self.value(&histories.collect::<Vec<_>>())?;
            for (branch, rest) in alike.iter().zip(values) {
                let [asked, gain] = &branch.gains;
                sums[branch.parent].add(&branch.chance, &rest.after(gain).after(asked));
            }
        }
        Ok(sums)
    }

    /// The best that the seat can do, over all histories of a set.
    fn best(
        &mut self,
        set: &[History<'a, N>],
        turn: &Turn<N>,
    ) -> Result<Vec<Expected<N>>, Unsolved> {
        let mut best: Option<(N, Vec<Expected<N>>)> = None;
        let mut take = |worth: N, values: Vec<Expected<N>>| {
            if best.as_ref().is_none_or(|(most, _)| worth.exceeds(most)) {
                best = Some((worth, values));
            }
        };
        let is_bit = turn.request.proof_bit().is_some();
        for reply in self.replies.to(turn)? {
            if let Some(mut values) = self.replied(set, &reply)? {
                for expected in values.iter_mut().filter(|_| is_bit) {
                    expected.given.note(&turn.request, &reply);
                }
                take(self.worth(set, &values), values);
            }
        }
        // A proof bit does not hang on what is looked up.
        if set.iter().all(|history| history.queries > 0) && !is_bit {
            for leaf in self.leaves.clone() {
                if let Some(values) = self.looked_up(set, &leaf)? {
                    take(self.worth(set, &values), values);
                }
            }
        }
        best.map(|(_, values)| values)
            .ok_or(Unsolved::NoReply(turn.seat))
    }

    /// What the histories of a set are worth to the seat together.
    fn worth(&self, set: &[History<'a, N>], values: &[Expected<N>]) -> N {
        let each = set.iter().zip(values);
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
    ) -> Result<Option<Vec<Expected<N>>>, Unsolved> {
        let mut branches = Vec::with_capacity(set.len());
        for (parent, history) in set.iter().enumerate() {
            let mut next = history.clone();
            let (gain, seen) = match self.reply(&mut next, self.seat, reply.clone()) {
                Err(Unsolved::Illegal { .. }) => return Ok(None),
                done => done?,
            };
            branches.push(Branch::certain(parent, gain, next, seen));
        }
        self.follow(set, branches).map(Some)
    }

    /// The same where the seat first looks up a leaf; `None` where that tells it nothing.
    fn looked_up(
        &mut self,
        set: &[History<'a, N>],
        leaf: &ClaimKey,
    ) -> Result<Option<Vec<Expected<N>>>, Unsolved> {
        let truth = |history: &History<'a, N>| truth_of(self.cases[history.case].instance, leaf);
        let truths: Vec<Option<bool>> = set.iter().map(truth).collect();
        if truths.windows(2).all(|pair| pair[0] == pair[1]) {
            return Ok(None);
        }
        let mut spent = Gain::default();
        let after = Spent {
            oracle_queries: 1,
            ..Spent::default()
        };
        spent.spend(self.seat, &Spent::default(), &after);
        let branches = set.iter().zip(truths).enumerate();
        let branches: Vec<_> = branches
            .map(|(parent, (history, truth))| {
                let seen = vec![truth.map_or(0, |truth| u64::from(truth) + 1)];
                let next = History {
                    queries: history.queries - 1,
                    ..history.clone()
                };
                Branch::certain(parent, spent.clone(), next, seen)
            })
            .collect();
        self.follow(set, branches).map(Some)
    }
}

/// One instance that the seat may be in.
#[derive(Clone)]
pub(crate) struct Case<'p, 'a, N: Number> {
    pub(crate) instance: &'a Instance,
    /// The debate before anybody has spoken.
    pub(crate) start: State<'a, N>,
    /// Prover, opponent and judge; in the seat, as in any search, a strategy or whoever chooses.
    pub(crate) players: [Actor<'p, 'a, N>; 3],
}

impl<N: Number> Case<'_, '_, N> {
    /// True if whoever sits in a seat chooses among all replies.
    fn chooses(&self, seat: Seat) -> bool {
        self.players.get(seat.index()).is_some_and(Actor::chooses)
    }
}

/// A debate about one of the instances as it stands, hidden parts and all.
#[derive(Clone)]
pub(crate) struct History<'a, N> {
    /// The place of its case.
    pub(crate) case: usize,
    /// The probability of all that did not hang on the seat itself, up to a factor that all
    /// histories share.
    pub(crate) weight: N,
    /// The debate, before the seat's observer.
    pub(crate) at: Node<'a, N, 1>,
    /// The leaves that the seat may still look up; alike in all histories of a set.
    queries: u32,
    /// The replies one after the other so far; alike too.
    level: u32,
    /// Followed where rewards are split by the steps of a proof.
    trace: ProofTrace,
}

/// A way on from a history of a set.
struct Branch<'a, N: Number> {
    /// The history's place in the set.
    parent: usize,
    /// The probability of the way, the history given.
    chance: N,
    gains: [Gain<N>; 2],
    next: History<'a, N>,
    /// What the seat sees of it.
    seen: Vec<u64>,
}

impl<'a, N: Number> Branch<'a, N> {
    /// The only way on, with what it pays and costs.
    fn certain(parent: usize, gain: Gain<N>, next: History<'a, N>, seen: Vec<u64>) -> Self {
        Self {
            parent,
            chance: N::one(),
            gains: [Gain::default(), gain],
            next,
            seen,
        }
    }
}

/// The key of a set where its histories are at points where histories meet, and for each
/// history its place among those that are different.
fn key_of<N: Number>(set: &[History<'_, N>]) -> Option<(StateKey, Vec<usize>)> {
    let mut kinds: Vec<(Vec<u64>, N)> = Vec::new();
    let mut places = HashMap::new();
    let mut classes = Vec::with_capacity(set.len());
    let mut total = N::zero();
    for history in set {
        let state = history.at.state_key()?;
        let [observer] = &history.at.observers;
        let mut own = vec![
            history.case as u64,
            history.trace.key(),
            observer.sealed().len() as u64,
        ];
        own.extend(observer.sealed().flatten());
        own.extend(&*state);
        let next = kinds.len();
        let place = *places.entry(own.clone()).or_insert(next);
        if place == next {
            kinds.push((own, N::zero()));
        }
        kinds[place].1 += history.weight.clone();
        total += history.weight.clone();
        classes.push(place);
    }
    if total.is_zero() {
        return None;
    }
    let mut key = vec![set.first()?.queries.into()];
    for (own, weight) in kinds {
        key.push(own.len() as u64);
        key.extend(own);
        (weight / total.clone()).add_to_key(&mut key);
    }
    Some((key.into(), classes))
}

/// One history for those that are alike, with the sum of their weights.
fn merged<'a, N: Number>(set: &[History<'a, N>], classes: &[usize]) -> Vec<History<'a, N>> {
    let mut merged: Vec<History<'a, N>> = Vec::new();
    for (history, class) in set.iter().zip(classes) {
        match merged.get_mut(*class) {
            Some(one) => one.weight += history.weight.clone(),
            None => merged.push(history.clone()),
        }
    }
    merged
}

/// The branches that the seat cannot tell apart, together; in the order in which each is met first.
fn distinguished<N: Number>(branches: Vec<Branch<'_, N>>) -> Vec<Vec<Branch<'_, N>>> {
    let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut sets: Vec<Vec<Branch<'_, N>>> = Vec::new();
    for branch in branches {
        let next = sets.len();
        let place = *places.entry(branch.seen.clone()).or_insert(next);
        match sets.get_mut(place) {
            Some(set) => set.push(branch),
            None => sets.push(vec![branch]),
        }
    }
    sets
}
