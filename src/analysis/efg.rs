//! A small debate as an extensive game, in the form that both Gambit and `OpenSpiel` read.
//!
//! The debaters are the two players; coins and the judge are chance. A player cannot tell nodes
//! apart at which it has seen the same entries of the log, so what is sealed makes information
//! sets. Probabilities are taken from a grid. Every node states its whole description, information
//! sets are numbered in the order of first visit, chance sets and outcomes are each a node's own,
//! and payoffs stand at terminals alone.

use std::collections::HashMap;
use std::fmt::Write as _;

use num_traits::ToPrimitive as _;

use super::walk::{Unsolved, every_reply, outcomes};
use crate::number::Exact;
use crate::player::{Mind, Strategy};
use crate::protocol::{Log, Reply, Request, Rules as _, Seat, State, Turn};

/// A game written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The file.
    pub text: String,
    /// How many nodes it has, terminals among them.
    pub nodes: u64,
    /// How many of them are terminals.
    pub terminals: u64,
    /// Whether some fraction has a part beyond 32 bits, which only Gambit reads.
    pub wide: bool,
}

/// What a game is made from.
#[derive(Clone, Copy)]
pub struct Plan<'p, 'a> {
    /// Its title.
    pub title: &'p str,
    /// Who answers the oracle's questions; what it draws becomes chance.
    pub judge: &'p dyn Strategy<'a, Exact>,
    /// The probabilities that can be said.
    pub grid: &'p [Exact],
    /// The most nodes.
    pub most: u64,
}

/// Writes a debate down as a game, from where it stands.
///
/// # Errors
/// Where it has more nodes than allowed, a seat has too many replies, or the judge has none.
pub fn game<'a>(start: &State<'a, Exact>, plan: Plan<'_, 'a>) -> Result<Game, Unsolved> {
    let mut writer = Writer {
        plan,
        text: String::new(),
        nodes: 0,
        terminals: 0,
        chances: 0,
        wide: false,
        sets: [HashMap::new(), HashMap::new()],
    };
    let title = label(plan.title);
    let _ = writeln!(
        writer.text,
        "EFG 2 R \"{title}\" {{ \"Prover\" \"Opponent\" }}"
    );
    // Nodes are written depth first; the next one is on top.
    let mut open = vec![(start.clone(), Log::default(), Mind::default())];
    while let Some((state, log, mind)) = open.pop() {
        let next = writer.node(state, log, mind)?;
        open.extend(next.into_iter().rev());
    }
    Ok(Game {
        text: writer.text,
        nodes: writer.nodes,
        terminals: writer.terminals,
        wide: writer.wide,
    })
}

/// Where a branch stands.
type Branch<'a> = (State<'a, Exact>, Log<Exact>, Mind);

struct Writer<'p, 'a> {
    plan: Plan<'p, 'a>,
    text: String,
    nodes: u64,
    terminals: u64,
    chances: u64,
    wide: bool,
    /// The information sets of prover and opponent, by what was seen.
    sets: [HashMap<String, usize>; 2],
}

impl<'a> Writer<'_, 'a> {
    /// Writes a node, and returns what follows it in order.
    fn node(
        &mut self,
        mut state: State<'a, Exact>,
        mut log: Log<Exact>,
        mut mind: Mind,
    ) -> Result<Vec<Branch<'a>>, Unsolved> {
        loop {
            let Some(turn) = state.request() else {
                self.terminal(&state);
                return Ok(Vec::new());
            };
            let each = self.replies(&state, &turn, &mut mind)?;
            // What happens for certain is no choice, and no node.
            if let [(_, only)] = &each[..] {
                state
                    .reply(only.clone(), &mut log)
                    .map_err(illegal(turn.seat))?;
                continue;
            }
            let mut legal = Vec::with_capacity(each.len());
            for (chance, reply) in each {
                let (mut next, mut seen) = (state.clone(), log.clone());
                if next.reply(reply.clone(), &mut seen).is_ok() {
                    legal.push((chance, reply, (next, seen, mind)));
                }
            }
            if legal.is_empty() {
                return Err(Unsolved::NoReply(turn.seat));
            }
            self.nodes += 1;
            if self.nodes > self.plan.most {
                return Err(Unsolved::TooLarge(self.plan.most));
            }
            match turn.seat {
                Seat::Prover | Seat::Opponent => self.choice(&turn, &log, &legal),
                Seat::Judge | Seat::Chance => self.chance(&turn, &legal),
            }
            return Ok(legal.into_iter().map(|(_, _, next)| next).collect());
        }
    }

    /// The replies to a request; of chance and the judge with their probabilities.
    fn replies(
        &self,
        state: &State<'a, Exact>,
        turn: &Turn<Exact>,
        mind: &mut Mind,
    ) -> Result<Vec<(Exact, Reply<Exact>)>, Unsolved> {
        if let Request::Draw { draw, .. } = &turn.request {
            return outcomes(draw, None);
        }
        if turn.seat == Seat::Judge {
            let choice = self
                .plan
                .judge
                .choose(state, turn.seat, &turn.request, mind);
            return Ok(choice.ok_or(Unsolved::NoReply(turn.seat))?.each());
        }
        let each = every_reply(turn, self.plan.grid)?;
        Ok(each
            .into_iter()
            .map(|reply| (Exact::default(), reply))
            .collect())
    }

    fn choice(
        &mut self,
        turn: &Turn<Exact>,
        log: &Log<Exact>,
        legal: &[(Exact, Reply<Exact>, Branch<'a>)],
    ) {
        let player = turn.seat.index();
        let seen: Vec<_> = log.all_seen_by(Some(turn.seat)).collect();
        let known = self.sets[player].len();
        let set = *self.sets[player]
            .entry(format!("{seen:?}"))
            .or_insert(known + 1);
        let name = what(&turn.request);
        let _ = write!(
            self.text,
            "p \"{name}\" {} {set} \"{} {set}\" {{",
            player + 1,
            ["Prover", "Opponent"][player]
        );
        for (_, reply, _) in legal {
            let _ = write!(self.text, " \"{}\"", action(reply));
        }
        self.text.push_str(" } 0\n");
    }

    fn chance(&mut self, turn: &Turn<Exact>, legal: &[(Exact, Reply<Exact>, Branch<'a>)]) {
        self.chances += 1;
        let (name, set) = (what(&turn.request), self.chances);
        let _ = write!(self.text, "c \"{name}\" {set} \"Chance {set}\" {{");
        for (chance, reply, _) in legal {
            self.note_size(chance);
            let _ = write!(self.text, " \"{}\" {chance}", action(reply));
        }
        self.text.push_str(" } 0\n");
    }

    fn terminal(&mut self, state: &State<'_, Exact>) {
        self.nodes += 1;
        self.terminals += 1;
        let payoff = state.payoff();
        self.note_size(&payoff);
        let number = self.terminals;
        let _ = writeln!(
            self.text,
            "t \"End {number}\" {number} \"Outcome {number}\" {{ {payoff} {} }}",
            -payoff.clone()
        );
    }

    fn note_size(&mut self, number: &Exact) {
        let small = |part: &num_bigint::BigInt| part.to_i32().is_some();
        self.wide |= !(small(number.numer()) && small(number.denom()));
    }
}

fn illegal(seat: Seat) -> impl Fn(crate::protocol::Illegal) -> Unsolved {
    move |illegal| Unsolved::Illegal { seat, illegal }
}

/// A text in printable ASCII without quotes.
fn label(text: &str) -> String {
    let plain = |c: char| {
        if (' '..='~').contains(&c) && c != '"' && c != '\\' {
            c
        } else {
            '?'
        }
    };
    text.chars().map(plain).collect()
}

/// What is asked, in a word.
fn what<N>(request: &Request<N>) -> &'static str {
    match request {
        Request::Answer { .. } => "Answer",
        Request::Probability { .. } => "Probability",
        Request::Direction { .. } => "Direction",
        Request::Support { .. } => "Support",
        Request::Select { .. } => "Select",
        Request::Share { .. } => "Share",
        Request::Challenge { .. } => "Challenge",
        Request::Bits { .. } => "Bits",
        Request::Oracle { .. } => "Oracle",
        Request::Draw { .. } => "Coin",
    }
}

/// A reply as an action's label.
fn action(reply: &Reply<Exact>) -> String {
    match reply {
        Reply::Answer(true) => "true".to_owned(),
        Reply::Answer(false) => "false".to_owned(),
        Reply::Probability(p) => format!("p={p}"),
        Reply::Direction(bet) => format!("bet={}", bet.sign()),
        Reply::Support(place) => format!("support={place}"),
        Reply::Select(place) => format!("select={place}"),
        Reply::Bits(bits) => format!("bits={bits}"),
        Reply::Challenge(None) => "none".to_owned(),
        Reply::Challenge(Some(step)) => format!("step={step}"),
        Reply::Oracle { holds, .. } => if *holds { "yes" } else { "no" }.to_owned(),
        Reply::Drawn(outcome) => format!("{outcome}"),
    }
}

#[cfg(test)]
mod tests;
