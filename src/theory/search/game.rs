//! A small game that the search for counterexamples examines, and its conversion to a scenario.

use std::fmt::Write as _;

use debate_core::Gate;
use debate_core::number::format_canonical;
use debate_core::protocol::prover_estimator::ProverEstimatorParameters;
use debate_core::protocol::{Protocol, SupportDisputeRule, recursive};

use num_integer::Integer as _;

use super::shape::{SmallDecomposition, row_digits};
use super::space::GameSpace;

/// A small game: a decomposition, a distribution over instances, and parameters of the rules.
#[derive(Clone, Copy, Debug)]
pub struct GameOfSearchSpace<'s> {
    pub(super) space: &'s GameSpace,
    pub(super) shape: usize,
    pub(super) parameters: usize,
    /// For each instance of the game, the truths of its leaves, as the binary digits of a number.
    pub(super) rows: &'s [usize],
    pub(super) weights: &'s [u32],
}

impl GameSpace {
    /// Returns the game with this number; `None` if there is none, or if it differs from an earlier game only by
    /// negating claims.
    pub fn game_unless_negation_of_earlier(&self, number: u64) -> Option<GameOfSearchSpace<'_>> {
        let after = self.blocks.partition_point(|block| block.first <= number);
        let block = self.blocks.get(after.checked_sub(1)?)?;
        let offset = usize::try_from(number - block.first).ok()?;
        let leaves = self.shapes[block.shape].leaf_count();
        let rows = self.rows.get(&(leaves, block.worlds))?;
        let weights = self.weights.get(&(block.worlds, block.weight))?;
        let (offset, parameters) = offset.div_rem(&self.parameters.len());
        let (offset, weight) = offset.div_rem(&weights.len());
        let (rows, weights) = (rows.get(offset)?, weights.get(weight)?);
        let repeats = self.symmetries[block.shape]
            .iter()
            .any(|mask| is_before(*mask, rows, weights));
        (!repeats).then_some(GameOfSearchSpace {
            space: self,
            shape: block.shape,
            parameters,
            rows,
            weights,
        })
    }
}

impl<'s> GameOfSearchSpace<'s> {
    pub(super) fn shape(&self) -> &'s SmallDecomposition {
        &self.space.shapes[self.shape]
    }

    pub(super) fn parameters(&self) -> &'s ProverEstimatorParameters {
        &self.space.parameters[self.parameters]
    }

    /// True if the root claim is true. The binary digits of `row` are the truths of the leaves. Always false if the
    /// root's support is unsound.
    pub(super) fn is_root_true(&self, row: usize) -> bool {
        self.shape().sound && self.shape().root_value_for_leaf_truths(row)
    }

    /// True if Bob can refute the step from the subclaims to the root claim: the step is unsound, and the rules allow
    /// disputes.
    pub(super) fn is_root_inference_refutable(&self) -> bool {
        self.parameters().warrants == SupportDisputeRule::Challenge && !self.shape().sound
    }

    pub(super) fn is_stable(&self, world_index: usize) -> bool {
        self.space
            .is_shape_stable_at_row(self.shape, self.parameters, self.rows[world_index])
    }

    /// Returns the name of an instance: the truths of its leaves as binary digits.
    pub(super) fn instance_name(&self, world: usize) -> String {
        let bits = row_digits(self.shape().leaf_count(), self.rows[world]);
        bits.map(|bit| if bit { '1' } else { '0' }).collect()
    }

    /// Describes the game in one line of text.
    pub fn searched_game_summary(&self) -> String {
        let shape = self.shape();
        let parts: Vec<String> = shape
            .parts
            .iter()
            .map(|part| {
                let gate = part.as_ref();
                gate.map_or_else(|| "leaf".to_owned(), |part| gate_name(&part.gate))
            })
            .collect();
        let over = if shape.depth() > 1 {
            format!(" over ({})", parts.join(", "))
        } else {
            match parts.len() {
                1 => " 1 leaf".to_owned(),
                count => format!(" {count} leaves"),
            }
        };
        let worlds: Vec<String> = self
            .rows
            .iter()
            .enumerate()
            .zip(self.weights)
            .map(|((world, _), weight)| format!("{}: {weight}", self.instance_name(world)))
            .collect();
        let terms = self.parameters();
        let support = if shape.sound { "" } else { ", unsound" };
        format!(
            "{gate}{over_subclaims}{unsound}; instances {instances}; ε = {epsilon}, ρ = {rho}",
            over_subclaims = over,
            unsound = support,
            gate = gate_name(&shape.root.gate),
            instances = worlds.join(", "),
            epsilon = format_canonical(&terms.epsilon.0),
            rho = format_canonical(&terms.rho.0)
        )
    }

    /// Returns the text of a scenario file for the game.
    pub fn generated_scenario_text(&self) -> String {
        let shape = self.shape();
        let mut leaves = (1..).map(|number| format!("leaf{number}"));
        let mut claims = String::new();
        let mut on = Vec::new();
        for (number, part) in shape.parts.iter().enumerate() {
            let Some(gate) = part else {
                on.extend(leaves.next());
                continue;
            };
            let (id, below): (_, Vec<String>) = (
                format!("part{}", number + 1),
                leaves.by_ref().take(gate.subclaim_count()).collect(),
            );
            let _ = writeln!(
                claims,
                "            {}",
                claim_source(&id, &gate.gate, &below, true)
            );
            on.push(id);
        }
        let root = claim_source("root", &shape.root.gate, &on, shape.sound);
        let count = shape.leaf_count();
        for number in 1..=count {
            let _ = writeln!(
                claims,
                "            \"leaf{number}\": Claim(text: \"Leaf {number} is true.\", truth: true),"
            );
        }
        let mut worlds = String::new();
        for (world, (row, weight)) in self.rows.iter().zip(self.weights).enumerate() {
            let false_ones = row_digits(count, *row).zip(1..).filter(|(bit, _)| !bit);
            let truths: Vec<String> = false_ones
                .map(|(_, number)| format!("\"leaf{number}\": false"))
                .collect();
            let _ = writeln!(
                worlds,
                "            World(name: \"{}\", weight: {weight}, truths: {{{}}}),",
                self.instance_name(world),
                truths.join(", ")
            );
        }
        format!(
            "Scenario(\n    format: 1,\n    title: \"A small game\",\n    about: \"A game that a \
             search found: {}.\",\n    problem: Argument(\n        root: \"root\",\n        claims: \
             {{\n            {root}\n{claims}        }},\n        worlds: [\n{worlds}        \
             ],\n    ),\n    oracle: Truth,\n    protocol: {},\n)\n",
            self.searched_game_summary(),
            self.prover_estimator_protocol()
        )
    }

    /// Returns the rules of plain recursion that correspond to the game's rules.
    pub(super) fn recursive_protocol(&self) -> Protocol {
        let warrants = self.parameters().warrants;
        Protocol::Recursive(recursive::RecursiveProtocolParameters { warrants })
    }

    /// Returns the rules of prover-estimator debate with this game's parameters.
    pub(super) fn prover_estimator_protocol(&self) -> Protocol {
        Protocol::ProverEstimator(self.parameters().clone())
    }
}

/// True if negating the leaves in `mask` gives an equivalent game that comes earlier in the order of games.
fn is_before(mask: usize, rows: &[usize], weights: &[u32]) -> bool {
    let mut turned: Vec<(usize, u32)> = rows
        .iter()
        .zip(weights)
        .map(|(row, weight)| (row ^ mask, *weight))
        .collect();
    turned.sort_unstable();
    let own = rows.iter().copied().zip(weights.iter().copied());
    turned.into_iter().lt(own)
}

/// Describes a gate in words; a gate without a name by its truth table.
fn gate_name(gate: &Gate) -> String {
    match gate {
        Gate::Table(_) => gate_source(gate),
        gate => gate.to_string(),
    }
}

/// Formats a gate in the syntax of scenario files.
fn gate_source(gate: &Gate) -> String {
    match gate {
        Gate::Table(rows) => {
            let rows: Vec<&str> = rows
                .iter()
                .map(|row| if *row { "1" } else { "0" })
                .collect();
            format!("Table([{}])", rows.join(", "))
        }
        gate => format!("{gate:?}"),
    }
}

/// Formats a claim with its support in the syntax of scenario files.
fn claim_source(id: &str, gate: &Gate, on: &[String], sound: bool) -> String {
    let on: Vec<String> = on.iter().map(|id| format!("\"{id}\"")).collect();
    let (truth_field, sound_field) = if sound {
        ("", "")
    } else {
        ("truth: false, ", ", sound: false")
    };
    let gate = gate_source(gate);
    format!(
        "\"{id}\": Claim(text: \"Its subclaims satisfy the gate ({id}).\", {truth_field}supports: \
         [Support(label: \"its parts\", gate: {gate}, on: [{subclaim_ids}]{sound_field})]),",
        subclaim_ids = on.join(", ")
    )
}
