//! A small debate as an extensive game, in the form that both Gambit and `OpenSpiel` read.
//!
//! The debaters are the two players; coins and the judge are chance, and so is which instance is
//! drawn where there are several. A player cannot tell nodes apart at which it has seen the same
//! entries of the log about the same claims, so what is sealed makes information sets, and so do
//! instances that a blind seat cannot tell apart (`observations`). Probabilities are taken from a grid.
//! Every node states its whole description and has a name of its own, information sets are numbered in the order of first
//! visit, chance sets and outcomes are each a node's own, and payoffs stand at terminals alone.

mod observations;

use std::collections::HashMap;
use std::collections::HashSet;
use std::fmt::Write as _;

use num_traits::ToPrimitive as _;

use super::expectimax::{Unsolved, every_reply, outcomes};
use debate_core::budget::Budget;
use debate_core::digest::Digest;
use debate_core::number::Exact;
use debate_core::player::{PolicyState, Strategy};
use debate_core::protocol::{Log, Reply, Request, Rules as _, Seat, State, Turn, View};
use debate_core::scenario::Instance;
use observations::SeatObservations;

/// A game written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The file.
    pub text: String,
    /// The number of nodes, terminals among them.
    pub nodes: u64,
    pub terminals: u64,
    /// True if some fraction has a part beyond 32 bits, which only Gambit reads.
    pub wide: bool,
}

/// The debates that a game is made from.
#[derive(Clone, Copy)]
pub struct GameSpec<'p, 'a> {
    /// Its title.
    pub title: &'p str,
    /// The instances, one of which is drawn; of one alone there is no draw.
    pub starts: &'p [GameStart<'p, 'a>],
    /// True if prover and opponent are blind: they cannot tell instances apart by truths.
    pub blind: [bool; 2],
    /// The probabilities that can be said.
    pub grid: &'p [Exact],
    /// The most nodes.
    pub budget: Budget<'p>,
}

/// An instance with a debate about it.
#[derive(Clone)]
pub struct GameStart<'p, 'a> {
    /// The probability that it is drawn. Those of all instances sum to 1.
    pub chance: Exact,
    /// The instance.
    pub instance: &'a Instance,
    /// The debate, as it stands.
    pub state: State<'a, Exact>,
    /// The judge; what it draws becomes chance.
    pub judge: &'p dyn Strategy<'a, Exact>,
}

/// Writes debates down as a game, from where they stand.
///
/// # Errors
/// If it has more nodes than allowed, a seat has too many replies, or the judge has none.
pub fn game(plan: GameSpec<'_, '_>) -> Result<Game, Unsolved> {
    // Counting takes a small part of the time that writing takes.
    written(plan, false)?;
    written(plan, true)
}

/// Goes through a game, and writes it down or only counts its nodes.
fn written(plan: GameSpec<'_, '_>, writes: bool) -> Result<Game, Unsolved> {
    let mut writer = EfgWriter {
        plan,
        writes,
        text: String::new(),
        nodes: 0,
        terminals: 0,
        chances: 0,
        wide: false,
        sets: [HashMap::new(), HashMap::new()],
        observations: plan
            .starts
            .iter()
            .map(|start| SeatObservations::new(start.instance, plan.blind))
            .collect(),
    };
    let title = label(plan.title);
    let _ = writeln!(
        writer.text,
        "EFG 2 R \"{title}\" {{ \"Prover\" \"Opponent\" }}"
    );
    writer.draw_of_instance()?;
    // Nodes are written depth first; the next one is on top.
    let drawn = plan.starts.iter().enumerate().rev();
    let mut open: Vec<Branch<'_>> = drawn
        .map(|(world, start)| Branch {
            world,
            state: start.state.clone(),
            log: Log::default(),
            mind: PolicyState::default(),
        })
        .collect();
    while let Some(branch) = open.pop() {
        let next = writer.node(branch)?;
        open.extend(next.into_iter().rev());
    }
    Ok(Game {
        text: writer.text,
        nodes: writer.nodes,
        terminals: writer.terminals,
        wide: writer.wide,
    })
}

/// A node that is not written yet.
struct Branch<'a> {
    /// The number of its instance.
    world: usize,
    state: State<'a, Exact>,
    log: Log<Exact>,
    /// The judge's memory.
    mind: PolicyState,
}

struct EfgWriter<'p, 'a> {
    plan: GameSpec<'p, 'a>,
    writes: bool,
    text: String,
    nodes: u64,
    terminals: u64,
    chances: u64,
    wide: bool,
    /// The information sets of prover and opponent, by the digest of what was seen, which grows as
    /// long as a debate.
    sets: [HashMap<Digest, usize>; 2],
    /// The observations of the seats, for each instance.
    observations: Vec<SeatObservations<'a>>,
}

impl<'a> EfgWriter<'_, 'a> {
    /// Counts a node.
    fn count(&mut self) -> Result<(), Unsolved> {
        self.nodes += 1;
        Ok(self.plan.budget.taken(self.nodes, "nodes")?)
    }

    /// Writes the draw of the instance, where there are several.
    fn draw_of_instance(&mut self) -> Result<(), Unsolved> {
        if self.plan.starts.len() < 2 {
            return Ok(());
        }
        self.count()?;
        self.chances += 1;
        let set = self.chances;
        let _ = write!(self.text, "c \"Instance\" {set} \"Chance {set}\" {{");
        let mut known = HashSet::new();
        for (number, start) in self.plan.starts.iter().enumerate() {
            self.note_size(&start.chance);
            let mut name = label(start.instance.name());
            // Signs that have no place in a label may leave two names alike.
            while name.is_empty() || !known.insert(name.clone()) {
                let _ = write!(name, "#{}", number + 1);
            }
            let _ = write!(self.text, " \"{name}\" {}", start.chance);
        }
        self.text.push_str(" } 0\n");
        Ok(())
    }

    /// Writes a node, and returns what follows it in order.
    fn node(&mut self, mut at: Branch<'a>) -> Result<Vec<Branch<'a>>, Unsolved> {
        loop {
            let Some(turn) = at.state.request() else {
                self.count()?;
                if self.writes {
                    self.terminal(&at.state);
                }
                return Ok(Vec::new());
            };
            let each = self.replies(&mut at, &turn)?;
            // What happens for certain is no choice, and no node.
            if let [(_, only)] = &each[..] {
                at.state
                    .reply(only.clone(), &mut at.log)
                    .map_err(illegal(turn.seat))?;
                continue;
            }
            let mut legal = Vec::with_capacity(each.len());
            for (chance, reply) in each {
                let (mut state, mut log) = (at.state.clone(), at.log.clone());
                if state.reply(reply.clone(), &mut log).is_ok() {
                    let (world, mind) = (at.world, at.mind);
                    let next = Branch {
                        world,
                        state,
                        log,
                        mind,
                    };
                    legal.push((chance, reply, next));
                }
            }
            if legal.is_empty() {
                return Err(Unsolved::NoReply(turn.seat));
            }
            self.count()?;
            match turn.seat {
                _ if !self.writes => {}
                Seat::Prover | Seat::Opponent => self.choice(&turn, &at, &legal),
                Seat::Judge | Seat::Chance => self.chance(&turn, &legal),
            }
            return Ok(legal.into_iter().map(|(_, _, next)| next).collect());
        }
    }

    /// The replies to a request; of chance and the judge with their probabilities.
    fn replies(
        &self,
        at: &mut Branch<'a>,
        turn: &Turn<Exact>,
    ) -> Result<Vec<(Exact, Reply<Exact>)>, Unsolved> {
        if let Request::Draw { draw, .. } = &turn.request {
            return outcomes(draw, None);
        }
        if turn.seat == Seat::Judge {
            let judge = self.plan.starts[at.world].judge;
            let choice = judge.choose(View::new(&at.state, turn.seat), &turn.request, &mut at.mind);
            let each = choice.ok_or(Unsolved::NoReply(turn.seat))?.each();
            return each.ok_or(Unsolved::Countless(turn.seat));
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
        at: &Branch<'a>,
        legal: &[(Exact, Reply<Exact>, Branch<'a>)],
    ) {
        let player = turn.seat.index();
        let mut seen = self.observations[at.world].seen(turn, &at.log);
        for (_, reply, _) in legal {
            seen.push('\n');
            seen.push_str(&action(reply));
        }
        let known = self.sets[player].len();
        let set = *self.sets[player]
            .entry(Digest::of(seen.as_bytes()))
            .or_insert(known + 1);
        let (name, node) = (what(&turn.request), self.nodes);
        let _ = write!(
            self.text,
            "p \"{name} {node}\" {} {set} \"{} {set}\" {{",
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
        let (name, node, set) = (what(&turn.request), self.nodes, self.chances);
        let _ = write!(self.text, "c \"{name} {node}\" {set} \"Chance {set}\" {{");
        for (chance, reply, _) in legal {
            self.note_size(chance);
            let _ = write!(self.text, " \"{}\" {chance}", action(reply));
        }
        self.text.push_str(" } 0\n");
    }

    fn terminal(&mut self, state: &State<'_, Exact>) {
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

fn illegal(seat: Seat) -> impl Fn(debate_core::protocol::Illegal) -> Unsolved {
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

/// The kind of a request, in a word.
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
        Request::Speech { .. } => "Speech",
        Request::Continue { .. } => "Continue",
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
        Reply::Compose(composed) => format!("support of {}", composed.parts.len()),
        Reply::Select(place) => format!("select={place}"),
        Reply::Bits(bits) => format!("bits={bits}"),
        Reply::Challenge(None) => "none".to_owned(),
        Reply::Challenge(Some(step)) => format!("step={step}"),
        Reply::Oracle { holds, .. } => if *holds { "yes" } else { "no" }.to_owned(),
        Reply::Speech(speech) if speech.is_empty() => "silence".to_owned(),
        Reply::Speech(_) => "speech".to_owned(),
        Reply::Continue(true) => "continue".to_owned(),
        Reply::Continue(false) => "end".to_owned(),
        Reply::Drawn(outcome) => format!("{outcome}"),
    }
}

#[cfg(test)]
mod tests;
