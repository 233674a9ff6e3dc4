//! Plays a debate through, every reply of either debater, and writes it down in sequence form.

use std::collections::{BTreeMap, HashMap};

use num_traits::Zero as _;

use super::{InformationSet, SeatForm, SequenceForm, Side, Start};
use crate::analysis::expectimax::{Unsolved, every_reply, outcomes};
use crate::analysis::information::observation::{Observer, Sealed, Signatures};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::PolicyState;
use debate_core::protocol::{Reply, Request, Rules as _, Seat, State, Turn, View};

/// A position that is not played on yet.
struct Branch<'a> {
    start: usize,
    state: State<'a, Exact>,
    /// The judge's memory.
    mind: PolicyState,
    /// The probability of all draws on the way.
    chance: Exact,
    sealed: [Sealed; 2],
    /// What each debater has seen, as a number.
    seen: [u64; 2],
    /// The sequence of each debater.
    said: [usize; 2],
}

/// A legal reply with its probability, and what follows: the state, what is sealed then, and what
/// either debater sees of it.
type LegalReply<'a> = (
    Exact,
    Reply<Exact>,
    State<'a, Exact>,
    [Sealed; 2],
    [Vec<u64>; 2],
);

pub(super) struct Builder<'b, 'p, 'a> {
    starts: &'b [Start<'p, 'a>],
    grid: &'b [Exact],
    budget: Budget<'b>,
    signatures: [Signatures; 2],
    /// The number of what was seen before and is seen now.
    views: [HashMap<(u64, Vec<u64>), u64>; 2],
    /// The set of what was seen.
    sets: [HashMap<u64, usize>; 2],
    form: SequenceForm<Exact>,
}

impl<'b, 'p, 'a> Builder<'b, 'p, 'a> {
    pub(super) fn new(starts: &'b [Start<'p, 'a>], grid: &'b [Exact], budget: Budget<'b>) -> Self {
        let seat = SeatForm {
            sets: Vec::new(),
            sequences: 1,
        };
        Self {
            starts,
            grid,
            budget,
            signatures: Default::default(),
            views: Default::default(),
            sets: Default::default(),
            form: SequenceForm {
                seats: [seat.clone(), seat],
                payoff: vec![BTreeMap::new()],
                truly: Some(Vec::new()),
                positions: 0,
            },
        }
    }

    pub(super) fn built(mut self) -> Result<SequenceForm<Exact>, Unsolved> {
        let starts = self.starts;
        let mut open: Vec<Branch<'a>> = Vec::new();
        for (start, one) in starts.iter().enumerate() {
            let seen = [0, 1].map(|side| self.view(side, 0, vec![one.blocks[side] as u64]));
            open.push(Branch {
                start,
                state: one.state.clone(),
                mind: PolicyState::default(),
                chance: one.chance.clone(),
                sealed: Default::default(),
                seen,
                said: [0, 0],
            });
        }
        while let Some(branch) = open.pop() {
            self.form.positions += 1;
            self.budget.taken(self.form.positions, "positions")?;
            self.position(branch, &mut open)?;
        }
        let instances = self.form.truly.as_ref().map_or(0, Vec::len);
        if instances != starts.len() {
            self.form.truly = None;
        }
        self.form.reduce();
        Ok(self.form)
    }

    /// The number of what a debater sees after what it has seen.
    fn view(&mut self, side: Side, before: u64, words: Vec<u64>) -> u64 {
        let next = self.views[side].len() as u64 + 1;
        *self.views[side].entry((before, words)).or_insert(next)
    }

    fn position(&mut self, mut at: Branch<'a>, open: &mut Vec<Branch<'a>>) -> Result<(), Unsolved> {
        let Some(turn) = at.state.request() else {
            let payoff = at.chance * at.state.payoff();
            if !payoff.is_zero() {
                let row = &mut self.form.payoff[at.said[0]];
                *row.entry(at.said[1]).or_default() += payoff;
            }
            return Ok(());
        };
        let each = self.replies(&mut at, &turn)?;
        let mut legal = Vec::with_capacity(each.len());
        for (chance, reply) in each {
            let (mut state, mut sealed) = (at.state.clone(), at.sealed.clone());
            if let Some(words) = self.reply(&mut state, &mut sealed, at.start, &turn, &reply) {
                legal.push((chance, reply, state, sealed, words));
            }
        }
        if legal.is_empty() {
            return Err(Unsolved::NoReply(turn.seat));
        }
        let side = match turn.seat {
            Seat::Prover => Some(0),
            Seat::Opponent => Some(1),
            Seat::Judge | Seat::Chance => None,
        };
        let first = side.map(|side| self.set(side, &at, legal.len()));
        self.note_truth(&turn, &at, &legal, first);
        for (place, (chance, _, state, sealed, words)) in legal.into_iter().enumerate() {
            let mut said = at.said;
            if let (Some(side), Some(first)) = (side, first) {
                said[side] = first + place;
            }
            let [prover, opponent] = words;
            open.push(Branch {
                start: at.start,
                state,
                mind: at.mind,
                chance: &at.chance * chance,
                sealed,
                seen: [
                    self.view(0, at.seen[0], prover),
                    self.view(1, at.seen[1], opponent),
                ],
                said,
            });
        }
        Ok(())
    }

    /// The replies to a request; of chance and the judge with their probabilities.
    fn replies(
        &self,
        at: &mut Branch<'a>,
        turn: &Turn<Exact>,
    ) -> Result<Vec<(Exact, Reply<Exact>)>, Unsolved> {
        if let Request::Draw { draw, .. } = &turn.request {
            return outcomes(draw, at.state.equivalent_outcomes());
        }
        if turn.seat == Seat::Judge {
            let judge = self.starts[at.start].judge;
            let view = View::new(&at.state, turn.seat);
            let choice = judge.choose(view, &turn.request, &mut at.mind);
            let each = choice.ok_or(Unsolved::NoReply(turn.seat))?.each();
            let mut each = each.ok_or(Unsolved::Countless(turn.seat))?;
            each.retain(|(chance, _)| !chance.is_zero());
            return Ok(each);
        }
        let each = every_reply(turn, self.grid)?.into_iter();
        Ok(each.map(|reply| (Exact::indicator(true), reply)).collect())
    }

    /// Takes a reply: what either debater sees of it; `None` where it is illegal.
    fn reply(
        &mut self,
        state: &mut State<'a, Exact>,
        sealed: &mut [Sealed; 2],
        start: usize,
        turn: &Turn<Exact>,
        reply: &Reply<Exact>,
    ) -> Option<[Vec<u64>; 2]> {
        let instance = (start, self.starts[start].instance);
        let [of_prover, of_opponent] = sealed;
        let [prover, opponent] = &mut self.signatures;
        let mut nobody = ();
        let mut bob = Observer {
            seat: Seat::Opponent,
            signatures: opponent,
            instance,
            sealed: of_opponent,
            words: Vec::new(),
            inner: &mut nobody,
        };
        let mut alice = Observer {
            seat: Seat::Prover,
            signatures: prover,
            instance,
            sealed: of_prover,
            words: Vec::new(),
            inner: &mut bob,
        };
        state.reply(reply.clone(), &mut alice).ok()?;
        let words = alice.words;
        let next = state
            .request()
            .map_or(0, |turn| turn.seat.index() as u64 + 1);
        let mut both = [words, bob.words];
        for (side, words) in both.iter_mut().enumerate() {
            // A debater knows its own reply, and everybody whose turn it is.
            if turn.seat.index() == side {
                words.push(u64::MAX - 1);
            }
            words.push(next);
        }
        Some(both)
    }

    /// The first sequence of the set in which a debater finds itself.
    fn set(&mut self, side: Side, at: &Branch<'a>, replies: usize) -> usize {
        let seat = &mut self.form.seats[side];
        let next = seat.sets.len();
        let place = *self.sets[side].entry(at.seen[side]).or_insert(next);
        if place == next {
            seat.sets.push(InformationSet {
                parent: at.said[side],
                first: seat.sequences,
                replies,
            });
            seat.sequences += replies;
            if side == 0 {
                self.form.payoff.resize(seat.sequences, BTreeMap::new());
            }
        }
        seat.sets[place].first
    }

    /// Notes which answer to the root claim is true, where it is said before anything else.
    fn note_truth(
        &mut self,
        turn: &Turn<Exact>,
        at: &Branch<'a>,
        legal: &[LegalReply<'a>],
        first: Option<usize>,
    ) {
        let Request::Answer { claim } = turn.request else {
            return;
        };
        let instance = self.starts[at.start].instance;
        let truth = instance.truth(claim).filter(|_| claim == instance.root());
        let place = truth.and_then(|truth| {
            let mut each = legal.iter();
            each.position(|(_, reply, ..)| *reply == Reply::Answer(truth))
        });
        let found = first.zip(place).filter(|_| at.said == [0, 0]);
        match (found, &mut self.form.truly) {
            (Some((first, place)), Some(truly)) => truly.push((first + place, at.chance.clone())),
            _ => self.form.truly = None,
        }
    }
}
