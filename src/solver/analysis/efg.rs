//! A small debate as an extensive game, in the form that both Gambit and `OpenSpiel` read.
//!
//! It is the game that `equilibrium --all` solves: both are folds over one tree (`game`). The debaters are the two players; coins and the judge are
//! chance, and so is which instance is drawn where there are several. A player cannot tell nodes apart
//! at which it knows the same of the instance and has seen the same, so what is sealed makes
//! information sets, and so do instances of one block. Probabilities are taken from a grid.
//! Every node states its whole description and has a name of its own, information sets are numbered in the order of first
//! visit, chance sets and outcomes are each a node's own, and payoffs stand at terminals alone.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use num_traits::ToPrimitive as _;

use crate::expectation::Unsolved;
pub use crate::game::GameStart;
use crate::game::{Action, GameMove, GameNode, GameTree, Side, reply_label};
use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Request};
use debate_core::scenario::{ClaimKey, Instance};

/// A game written down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The probabilities that can be said.
    pub grid: &'p [Exact],
    /// The leaves that prover and opponent may look up in a debate.
    pub queries: [u32; 2],
    /// The most nodes.
    pub budget: Budget<'p>,
}

/// Writes debates down as a game, from where they stand.
///
/// # Errors
/// If it has more nodes than allowed, a seat has too many replies, or the judge has none.
pub fn game(plan: GameSpec<'_, '_>) -> Result<Game, Unsolved> {
    let mut tree = GameTree::new(plan.starts, plan.grid, plan.queries);
    let mut writer = EfgWriter {
        plan,
        game: Game::default(),
        chances: 0,
        sets: [HashMap::new(), HashMap::new()],
    };
    let title = label(plan.title);
    let _ = writeln!(
        writer.game.text,
        "EFG 2 R \"{title}\" {{ \"Prover\" \"Opponent\" }}"
    );
    writer.draw_of_instance()?;
    // Nodes are written depth first; the next one is on top.
    let mut open = tree.roots();
    open.reverse();
    while let Some(node) = open.pop() {
        let instance = tree.instance(&node);
        let from = open.len();
        open.extend(writer.node(instance, tree.step(node)?)?);
        open[from..].reverse();
    }
    Ok(writer.game)
}

struct EfgWriter<'p, 'a> {
    plan: GameSpec<'p, 'a>,
    game: Game,
    chances: u64,
    /// The numbers of the information sets of prover and opponent, by those of the tree.
    sets: [HashMap<u64, usize>; 2],
}

impl<'a> EfgWriter<'_, 'a> {
    /// Counts a node.
    fn count(&mut self) -> Result<(), Unsolved> {
        self.game.nodes += 1;
        Ok(self.plan.budget.taken(self.game.nodes, "nodes")?)
    }

    /// Writes the draw of the instance, where there are several.
    fn draw_of_instance(&mut self) -> Result<(), Unsolved> {
        if self.plan.starts.len() < 2 {
            return Ok(());
        }
        self.count()?;
        self.chances += 1;
        let set = self.chances;
        let _ = write!(self.game.text, "c \"Instance\" {set} \"Chance {set}\" {{");
        let mut known = HashSet::new();
        for (number, start) in self.plan.starts.iter().enumerate() {
            self.note_size(&start.chance);
            let mut name = label(start.instance.name());
            // Signs that have no place in a label may leave two names alike.
            while name.is_empty() || !known.insert(name.clone()) {
                let _ = write!(name, "#{}", number + 1);
            }
            let _ = write!(self.game.text, " \"{name}\" {}", start.chance);
        }
        self.game.text.push_str(" } 0\n");
        Ok(())
    }

    /// Writes the node of a move, and returns what follows it in order.
    fn node(
        &mut self,
        instance: &Instance,
        next: GameMove<'a>,
    ) -> Result<Vec<GameNode<'a>>, Unsolved> {
        self.count()?;
        Ok(match next {
            GameMove::Over(payoff) => {
                self.terminal(&payoff);
                Vec::new()
            }
            GameMove::Chance { request, each } => {
                let replies = each.iter().map(|(chance, reply, _)| (chance, reply));
                self.chance(&request, replies);
                each.into_iter().map(|(_, _, node)| node).collect()
            }
            GameMove::Choice {
                side,
                set,
                request,
                each,
            } => {
                let name = request.as_ref().map_or("Proof", what);
                let actions = each.iter().map(|(action, _)| name_of(instance, action));
                self.choice(name, side, set, actions);
                each.into_iter().map(|(_, node)| node).collect()
            }
        })
    }

    fn choice(&mut self, name: &str, side: Side, set: u64, actions: impl Iterator<Item = String>) {
        let next = self.sets[side].len() + 1;
        let number = *self.sets[side].entry(set).or_insert(next);
        let node = self.game.nodes;
        let _ = write!(
            self.game.text,
            "p \"{name} {node}\" {} {number} \"{} {number}\" {{",
            side + 1,
            ["Prover", "Opponent"][side]
        );
        for action in actions {
            let _ = write!(self.game.text, " \"{action}\"");
        }
        self.game.text.push_str(" } 0\n");
    }

    fn chance<'r>(
        &mut self,
        request: &Request<Exact>,
        each: impl Iterator<Item = (&'r Exact, &'r Reply<Exact>)>,
    ) {
        self.chances += 1;
        let name = what(request);
        let node = self.game.nodes;
        let set = self.chances;
        let _ = write!(
            self.game.text,
            "c \"{name} {node}\" {set} \"Chance {set}\" {{"
        );
        for (chance, reply) in each {
            self.note_size(chance);
            let _ = write!(self.game.text, " \"{}\" {chance}", reply_label(reply));
        }
        self.game.text.push_str(" } 0\n");
    }

    fn terminal(&mut self, payoff: &Exact) {
        self.game.terminals += 1;
        self.note_size(payoff);
        let number = self.game.terminals;
        let _ = writeln!(
            self.game.text,
            "t \"End {number}\" {number} \"Outcome {number}\" {{ {payoff} {} }}",
            -payoff
        );
    }

    fn note_size(&mut self, number: &Exact) {
        let small = |part: &num_bigint::BigInt| part.to_i32().is_some();
        self.game.wide |= !(small(number.numer()) && small(number.denom()));
    }
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
    match request.draw() {
        Some(_) => "Coin",
        None => request.name(),
    }
}

/// What a debater does, as an action's label.
fn name_of(instance: &Instance, action: &Action) -> String {
    match action {
        Action::Reply(reply) => reply_label(reply),
        Action::LookUp(leaf) => format!("look up {}", leaf_name(instance, leaf)),
        Action::Settle(bits) => {
            let digits = bits.iter().map(|(_, value)| if *value { '1' } else { '0' });
            format!("bits={}", digits.collect::<String>())
        }
    }
}

/// The name of a leaf that is the same wherever somebody may look it up who cannot tell instances
/// apart.
fn leaf_name(instance: &Instance, leaf: &ClaimKey) -> String {
    let id = instance.id(instance.claim_of(leaf.clone()));
    label(&id.map_or_else(|| leaf.to_string(), str::to_owned))
}
