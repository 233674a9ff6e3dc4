//! Exports a small debate as an extensive-form game, in the EFG format that Gambit and `OpenSpiel` read.
//!
//! It is the game that `equilibrium --all` solves: both are folds over one tree (`game`). The debaters are
//! the two players. Coins, the judge and the draw of the instance are chance moves. A player cannot tell
//! nodes apart if its knowledge of the instance and its observations are equal. Sealed replies therefore
//! create information sets, and so do instances of one block. Probabilities are taken from a grid.
//!
//! Every node has a unique name. Information sets are numbered in the order in which they are first visited. Each
//! chance node has a set of its own, each terminal node has an outcome of its own, and only terminal nodes have
//! payoffs.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use num_traits::ToPrimitive as _;

use crate::expectation::PayoffNotComputedReason;
pub use crate::game::GameInstance;
use crate::game::{
    GameMove, GameNode, GameTreeDebaterAction, LazyGameTree, Side, action_name_of_reply,
};
use debate_core::budget::ComputationBudget;
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Request};
use debate_core::scenario::{ClaimKey, Instance};

/// A debate as the text of an EFG file, for Gambit and OpenSpiel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EfgFile {
    /// The text of the file.
    pub text: String,
    /// The number of nodes in the game tree, including terminal ones.
    pub nodes: u64,
    pub terminals: u64,
    /// True if a fraction in the file has a numerator or denominator of more than 32 bits. Only Gambit can read such a
    /// file.
    pub wide: bool,
}

/// The debates from which an extensive-form game is written, with their limits.
#[derive(Clone, Copy)]
pub struct ExtensiveGameExportInputs<'p, 'a> {
    /// The title of the game.
    pub title: &'p str,
    /// The debates' starts, one for each instance. If there are several, a chance move draws one.
    pub starts: &'p [GameInstance<'p, 'a>],
    /// The probabilities that a player may state as an estimate.
    pub grid: &'p [Exact],
    /// The maximum numbers of leaves that prover and opponent may each query in a debate.
    pub queries: [u32; 2],
    /// The maximum number of nodes.
    pub budget: ComputationBudget<'p>,
}

/// Writes debates as one extensive-form game (EFG). The game starts from the current states of the debates; if there
/// are several, a chance move draws one.
///
/// # Errors
/// Returns an error if the game has more nodes than allowed, if a seat has too many replies, or if the judge
/// has none.
pub fn write_efg_game(
    plan: ExtensiveGameExportInputs<'_, '_>,
) -> Result<EfgFile, PayoffNotComputedReason> {
    let mut tree = LazyGameTree::new(plan.starts, plan.grid, plan.queries);
    let mut writer = EfgWriter {
        plan,
        game: EfgFile::default(),
        chances: 0,
        sets: [HashMap::new(), HashMap::new()],
    };
    let title = printable_label(plan.title);
    let _ = writeln!(
        writer.game.text,
        "EFG 2 R \"{title}\" {{ \"Prover\" \"Opponent\" }}"
    );
    writer.draw_of_instance()?;
    // Nodes are written depth first, so the next one is on top of the stack.
    let mut open = tree.initial_positions();
    open.reverse();
    while let Some(node) = open.pop() {
        let instance = tree.instance(&node);
        let from = open.len();
        open.extend(writer.node(instance, tree.next_move(node)?)?);
        open[from..].reverse();
    }
    Ok(writer.game)
}

struct EfgWriter<'p, 'a> {
    plan: ExtensiveGameExportInputs<'p, 'a>,
    game: EfgFile,
    chances: u64,
    /// For prover and opponent: the number of each information set in the file, by its number in the game tree.
    sets: [HashMap<u64, usize>; 2],
}

impl<'a> EfgWriter<'_, 'a> {
    /// Counts a node.
    fn count_node(&mut self) -> Result<(), PayoffNotComputedReason> {
        self.game.nodes += 1;
        Ok(self
            .plan
            .budget
            .check_total_steps(self.game.nodes, "nodes")?)
    }

    /// Writes the chance node that draws the instance, if there are several.
    fn draw_of_instance(&mut self) -> Result<(), PayoffNotComputedReason> {
        if self.plan.starts.len() < 2 {
            return Ok(());
        }
        self.count_node()?;
        self.chances += 1;
        let chance_number = self.chances;
        let _ = write!(
            self.game.text,
            "c \"Instance\" {chance_number} \"Chance {chance_number}\" {{"
        );
        let mut known = HashSet::new();
        for (number, start) in self.plan.starts.iter().enumerate() {
            self.note_size(&start.chance);
            let mut name = printable_label(start.instance.world_name());
            // Two names may become equal when characters are replaced, so numbers are appended until they differ.
            while name.is_empty() || !known.insert(name.clone()) {
                let _ = write!(name, "#{}", number + 1);
            }
            let _ = write!(self.game.text, " \"{name}\" {}", start.chance);
        }
        self.game.text.push_str(" } 0\n");
        Ok(())
    }

    /// Writes the node of one move, and returns the node's children in order.
    fn node(
        &mut self,
        instance: &Instance,
        next: GameMove<'a>,
    ) -> Result<Vec<GameNode<'a>>, PayoffNotComputedReason> {
        self.count_node()?;
        Ok(match next {
            GameMove::Over(payoff) => {
                self.terminal(&payoff);
                Vec::new()
            }
            GameMove::Chance { request, each } => {
                let replies = each.iter().map(|(chance, reply, _)| (chance, reply));
                self.write_chance_node(&request, replies);
                each.into_iter().map(|(_, _, node)| node).collect()
            }
            GameMove::Choice {
                side,
                set,
                request,
                each,
            } => {
                let name = request.as_ref().map_or("Proof", request_kind);
                let actions = each
                    .iter()
                    .map(|(action, _)| action_label(instance, action));
                self.write_choice_node(name, side, set, actions);
                each.into_iter().map(|(_, node)| node).collect()
            }
        })
    }

    /// Writes the node of a player's choice: name, player, number and name of the information set, and actions.
    fn write_choice_node(
        &mut self,
        name: &str,
        side: Side,
        set: u64,
        actions: impl Iterator<Item = String>,
    ) {
        let next = self.sets[side].len() + 1;
        let set_number = *self.sets[side].entry(set).or_insert(next);
        let node = self.game.nodes;
        let _ = write!(
            self.game.text,
            "p \"{name} {node}\" {player} {set_number} \"{seat} {set_number}\" {{",
            player = side + 1,
            seat = ["Prover", "Opponent"][side]
        );
        for action in actions {
            let _ = write!(self.game.text, " \"{action}\"");
        }
        self.game.text.push_str(" } 0\n");
    }

    /// Writes a chance node: name, number and name of the information set, and outcomes with their probabilities.
    fn write_chance_node<'r>(
        &mut self,
        request: &Request<Exact>,
        each: impl Iterator<Item = (&'r Exact, &'r Reply<Exact>)>,
    ) {
        self.chances += 1;
        let kind_of_request = request_kind(request);
        let node_number = self.game.nodes;
        let chance_number = self.chances;
        let _ = write!(
            self.game.text,
            "c \"{kind_of_request} {node_number}\" {chance_number} \"Chance {chance_number}\" {{"
        );
        for (chance, reply) in each {
            self.note_size(chance);
            let _ = write!(
                self.game.text,
                " \"{}\" {chance}",
                action_name_of_reply(reply)
            );
        }
        self.game.text.push_str(" } 0\n");
    }

    fn terminal(&mut self, payoff: &Exact) {
        self.game.terminals += 1;
        self.note_size(payoff);
        let number = self.game.terminals;
        let _ = writeln!(
            self.game.text,
            "t \"End {number}\" {number} \"Outcome {number}\" {{ {prover_payoff} {opponent_payoff} }}",
            prover_payoff = payoff,
            opponent_payoff = -payoff
        );
    }

    fn note_size(&mut self, number: &Exact) {
        let small = |part: &num_bigint::BigInt| part.to_i32().is_some();
        self.game.wide |= !(small(number.numer()) && small(number.denom()));
    }
}

/// Converts a text to printable ASCII without quotes and backslashes.
fn printable_label(text: &str) -> String {
    let plain = |c: char| {
        if (' '..='~').contains(&c) && c != '"' && c != '\\' {
            c
        } else {
            '?'
        }
    };
    text.chars().map(plain).collect()
}

/// Returns one word for the type of a request.
fn request_kind<N>(request: &Request<N>) -> &'static str {
    match request.requested_draw() {
        Some(_) => "Coin",
        None => request.request_kind_name(),
    }
}

/// Returns the label of a debater's action.
fn action_label(instance: &Instance, action: &GameTreeDebaterAction) -> String {
    match action {
        GameTreeDebaterAction::Reply(reply) => action_name_of_reply(reply),
        GameTreeDebaterAction::LookUp(leaf) => format!("look up {}", leaf_name(instance, leaf)),
        GameTreeDebaterAction::Settle(bits) => {
            let digits = bits.iter().map(|(_, value)| if *value { '1' } else { '0' });
            format!("bits={}", digits.collect::<String>())
        }
    }
}

/// Returns a name for a leaf that is the same in all instances which a player cannot tell apart.
fn leaf_name(instance: &Instance, leaf: &ClaimKey) -> String {
    let id = instance.claim_id_in_file(instance.claim_with_key(leaf.clone()));
    printable_label(&id.map_or_else(|| leaf.to_string(), str::to_owned))
}
