use std::fmt::Write as _;
use std::sync::Arc;

use debate_core::number::{Exact, Number as _};
use debate_core::player::KnowledgePartition;
use debate_core::scenario::Decomposition;
use debate_theory::provability::{
    ProvableProportionBounds, proportion_by_knowledge, proportion_by_queries,
};
use num_traits::One as _;

use crate::support::scenarios::setup;

/// A deterministic sequence of pseudorandom numbers.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) % below
    }
}

/// Instances with their weights and the truths of three leaves.
type Worlds = Vec<(Exact, [bool; 3])>;

/// A random argument over three leaves with its truths in each world.
fn random(seed: u64) -> (Arc<dyn Decomposition>, Worlds) {
    let mut below = numbers(seed);
    let gate = ["All", "Any", "Majority", "Xor"][usize::try_from(below(4)).unwrap()];
    let (mut worlds, mut text) = (Vec::new(), String::new());
    for world in 0..2 + below(4) {
        let truths = [0; 3].map(|_: u8| below(2) == 0);
        let weight = i64::try_from(1 + below(3)).unwrap();
        let false_ones: Vec<String> = (0..3)
            .filter(|leaf| !truths[*leaf])
            .map(|leaf| format!("\"l{leaf}\": false"))
            .collect();
        let _ = write!(
            text,
            "World(name: \"w{world}\", weight: {weight}, truths: {{{}}}),",
            false_ones.join(", ")
        );
        worlds.push((Exact::ratio(weight, 1), truths));
    }
    let mut leaves = String::new();
    for leaf in 0..3 {
        let _ = write!(
            leaves,
            "\"l{leaf}\": Claim(text: \"L{leaf}.\", truth: true),"
        );
    }
    let setup = setup(&format!(
        "Scenario(format: 1, title: \"Random\", problem: Argument(root: \"r\", claims: {{\
         \"r\": Claim(text: \"R.\", supports: [Support(gate: {gate}, on: [\"l0\", \"l1\", \"l2\"])]), \
         {leaves}}}, worlds: [{text}]), protocol: Recursive)"
    ));
    (setup.decomposition.clone(), worlds)
}

/// The maximum over all functions from the queried truths to an answer about all leaves, tried one by one.
fn enumerated(worlds: &[(Exact, [bool; 3])], queries: u32) -> Exact {
    let right = |guess: u32| -> Exact {
        let fits = |truths: &[bool; 3]| (0..3).all(|leaf| truths[leaf] == (guess >> leaf & 1 == 1));
        worlds
            .iter()
            .filter(|(_, truths)| fits(truths))
            .map(|(weight, _)| weight)
            .sum()
    };
    let guess = (0..8).map(right).max().unwrap();
    if queries == 0 {
        return guess;
    }
    let asks = (0..3_usize).map(|leaf| {
        let side = |truth: bool| -> Worlds {
            let there = worlds.iter().filter(|(_, truths)| truths[leaf] == truth);
            there.cloned().collect()
        };
        enumerated(&side(true), queries - 1) + enumerated(&side(false), queries - 1)
    });
    asks.chain([guess]).max().unwrap()
}

fn exactly(share: Exact) -> ProvableProportionBounds {
    ProvableProportionBounds {
        low: share.clone(),
        high: share,
    }
}

#[test]
fn the_best_plan_is_the_best_of_all_plans() {
    for seed in 0..200 {
        let (decomposition, worlds) = random(seed);
        let all: Exact = worlds.iter().map(|(weight, _)| weight).sum();
        for queries in 0..4 {
            let blocks = vec![0; worlds.len()];
            let found = proportion_by_knowledge(&decomposition, &blocks, queries).unwrap();
            let wanted = enumerated(&worlds, queries) / &all;
            assert_eq!(found, exactly(wanted), "{seed} {queries}");
        }
        let told = KnowledgePartition::Everything
            .instance_blocks(decomposition.as_ref())
            .unwrap();
        let found = proportion_by_knowledge(&decomposition, &told, 0).unwrap();
        assert_eq!(found.low, Exact::one());
    }
}

/// A product of two 32-bit primes has one divisor among about 4.3 thousand million candidates. A thousand queries
/// almost never find it.
#[test]
fn a_hard_semiprime_is_not_provable_by_trying() {
    let setup = setup(
        "Scenario(format: 1, title: \"Hard\", problem: Primality(number: \"18446743979220271189\"), \
         decomposition: Intervals(width: 4), protocol: Recursive)",
    );
    let found = proportion_by_queries(setup.decomposition.as_ref(), 999).unwrap();
    // ⌊√n⌋ = 4294967284, so there are 4294967283 candidates from 2 on.
    assert_eq!(found, exactly(Exact::ratio(1000, 4_294_967_283)));
}
