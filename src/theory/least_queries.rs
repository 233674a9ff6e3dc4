//! A lower bound on the number of queries that an estimator needs (an open question of PE §9).
//!
//! The games have depth 1. A gate M over q leaves is false in every instance of μ, and Alice claims that it is true.
//! She does not know the instance. Bob may look up k leaves one after the other before he gives estimates, and Alice
//! sees what he finds. If rq ≤ 1, she then keeps at least r²·P. P is the probability of M if all leaves were
//! independent, each with its remaining marginal. Reason: an estimate that differs from a marginal by e pays her e at
//! the leaf, and changes the bet on M by at most r times the sum of these differences.
//!
//! Soundness allows (2d + 2)δ = 4εr²/3, at the δ of PE Theorem 6.2. The search finds the gates for which Bob needs the
//! most queries to get there. Looking up leaves stands in for queries to a player who can decide them.

use serde::Serialize;

/// Maximum number of leaves.
pub const MAX_LEAVES: u32 = 4;
/// The tolerance for comparing probabilities in floating point.
const TOLERANCE: f64 = 1e-12;

/// The greatest number of leaves that Bob must query for any gate over a few leaves, and a gate that needs it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "LeastQueries")]
pub struct MostLeafQueriesReport {
    /// The number q of leaves of each gate.
    pub leaves: u32,
    /// The number of gates that were examined: all Boolean functions of the leaves that are false in some instance.
    pub gates: usize,
    /// The greatest number of queries that any examined gate needs.
    pub queries: u32,
    /// The truth table of the first gate that needs the most queries. Its first value is for all leaves false.
    pub gate: String,
    /// The payoff that Alice keeps for the gate `gate` if Bob makes one query fewer, in units of r². Null if no query
    /// is needed.
    pub kept: Option<f64>,
    /// The greatest payoff of a liar that soundness allows, in units of r²: 4ε/3.
    pub allowed: f64,
    /// The number of gates for which an instance exists in which the gate is false and (ε, 1/2)-stable.
    pub stable_gates: usize,
    /// The greatest number of leaves that Bob must look up for a gate, if each gate is debated only in instances where
    /// it is false and stable.
    pub queries_if_stable: u32,
    /// The truth table of the first gate for which Bob must look up `queries_if_stable` leaves.
    pub gate_if_stable: String,
}

/// Examines all gates over `leaves` leaves. For each gate, μ is uniform over the instances in which the gate is false.
pub fn gates_needing_most_queries(leaves: u32, epsilon: f64) -> MostLeafQueriesReport {
    let instances = 1_u32 << leaves;
    let mut found = MostLeafQueriesReport {
        leaves,
        gates: 0,
        queries: 0,
        gate: String::new(),
        kept: None,
        allowed: 4.0 * epsilon / 3.0,
        stable_gates: 0,
        queries_if_stable: 0,
        gate_if_stable: String::new(),
    };
    // The gate that is always true is false in no instance.
    for table in 0..(1_u64 << instances) - 1 {
        let game = EstimatorLeafQueryGame::new(leaves, table, |_| true);
        found.gates += 1;
        let queries = game.min_leaves_to_limit_payoff(found.allowed);
        if queries > found.queries || found.gate.is_empty() {
            found.queries = queries;
            found.gate = game.gate_text();
            found.kept = queries
                .checked_sub(1)
                .map(|fewer| game.alice_payoff_after_queries(fewer));
        }
        let stable = EstimatorLeafQueryGame::new(leaves, table, |instance| {
            is_stable(leaves, table, instance, epsilon)
        });
        if stable.instances.is_empty() {
            continue;
        }
        found.stable_gates += 1;
        let queries = stable.min_leaves_to_limit_payoff(found.allowed);
        if queries > found.queries_if_stable || found.gate_if_stable.is_empty() {
            found.queries_if_stable = queries;
            found.gate_if_stable = stable.gate_text();
        }
    }
    found
}

/// A gate, with the equally likely instances in which it is debated. The binary digits of an instance are the leaves'
/// truths: digit i is leaf i.
#[derive(Clone, Debug)]
pub struct EstimatorLeafQueryGame {
    leaves: u32,
    /// The gate's truth table: bit x is its value in instance x.
    table: u64,
    instances: Vec<u32>,
}

impl EstimatorLeafQueryGame {
    /// Creates the game about a gate. Its instances are those in which the gate is false and `includes_instance` is
    /// true.
    pub fn new(leaves: u32, table: u64, includes_instance: impl Fn(u32) -> bool) -> Self {
        let all = 0..1_u32 << leaves;
        let instances =
            all.filter(|instance| table >> instance & 1 == 0 && includes_instance(*instance));
        Self {
            leaves,
            table,
            instances: instances.collect(),
        }
    }

    /// Returns the gate's truth table as text. The first value is for all leaves false.
    fn gate_text(&self) -> String {
        let values = (0..1_u32 << self.leaves).map(|instance| self.table >> instance & 1);
        values.map(|value| value.to_string()).collect()
    }

    /// Returns the least number of leaves that Bob must look up to limit Alice's payoff to `max_alice_payoff`, in units
    /// of r².
    pub fn min_leaves_to_limit_payoff(&self, max_alice_payoff: f64) -> u32 {
        let enough = |queries: &u32| {
            self.alice_payoff_after_queries(*queries) <= max_alice_payoff + TOLERANCE
        };
        (0..self.leaves).find(enough).unwrap_or(self.leaves)
    }

    /// Returns Alice's payoff, in units of r², if Bob makes this number of queries.
    pub fn alice_payoff_after_queries(&self, bob_queries: u32) -> f64 {
        let all = as_float(self.instances.len());
        self.kept_in(&self.instances, bob_queries) / all
    }

    /// Returns Alice's payoff in a block of instances that Bob cannot tell apart, in units of r². The payoff is
    /// multiplied by the block's number of instances.
    fn kept_in(&self, block: &[u32], queries: u32) -> f64 {
        if block.is_empty() {
            return 0.0;
        }
        let now = self.product_probability(block) * as_float(block.len());
        if queries == 0 {
            return now;
        }
        let split = |leaf: u32| {
            let is_true = |instance: &&u32| **instance >> leaf & 1 == 1;
            let (yes, no): (Vec<u32>, Vec<u32>) = block.iter().partition(is_true);
            self.kept_in(&yes, queries - 1) + self.kept_in(&no, queries - 1)
        };
        (0..self.leaves).map(split).fold(now, f64::min)
    }

    /// Returns the probability that the gate is true if the leaves are independent. Each leaf is true with its
    /// proportion in the block.
    fn product_probability(&self, block: &[u32]) -> f64 {
        let marginals: Vec<f64> = (0..self.leaves)
            .map(|leaf| {
                let yes = block.iter().filter(|instance| **instance >> leaf & 1 == 1);
                as_float(yes.count()) / as_float(block.len())
            })
            .collect();
        let all = 0..1_u32 << self.leaves;
        let holds = all.filter(|instance| self.table >> instance & 1 == 1);
        holds
            .map(|instance| {
                let each = marginals.iter().enumerate();
                each.map(|(leaf, p)| {
                    if instance >> leaf & 1 == 1 {
                        *p
                    } else {
                        1.0 - p
                    }
                })
                .product::<f64>()
            })
            .sum()
    }
}

/// True if the gate is (ε, 1/2)-stable in this instance: errors of at most ε, which may depend on earlier coins, change
/// its probability by at most ε/2.
fn is_stable(leaves: u32, table: u64, instance: u32, epsilon: f64) -> bool {
    let value = table >> instance & 1;
    // The greatest probability of the opposite value, by the outcomes of the leaves so far.
    let mut opposite: Vec<f64> = (0..1_u32 << leaves)
        .map(|outcome| f64::from(u8::from(table >> outcome & 1 != value)))
        .collect();
    for leaf in (0..leaves).rev() {
        let truth = instance >> leaf & 1;
        opposite = (0..1_usize << leaf)
            .map(|before| {
                let [no, yes] = [opposite[before], opposite[before | 1 << leaf]];
                let [right, wrong] = if truth == 1 { [yes, no] } else { [no, yes] };
                right + epsilon * (wrong - right).max(0.0)
            })
            .collect();
    }
    opposite[0] <= epsilon / 2.0 + TOLERANCE
}

#[expect(clippy::cast_precision_loss, reason = "at most 16 instances")]
fn as_float(count: usize) -> f64 {
    count as f64
}
