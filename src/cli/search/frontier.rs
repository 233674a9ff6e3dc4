//! What each variant of the rules guarantees honesty, and what it leaves liars.

use std::io::{self, Write as _};

use super::report::{FrontierRow, SearchReport};
use super::{Failure, Run};
use crate::cli::json::print_json;
use debate_core::protocol::Warrants;
use debate_core::protocol::prover_estimator::{Carry, EarlyLeaf};
use debate_lab::theory::search::{Space, SpaceTerms};

/// Conventions of the rules.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    pub(super) carry: Carry,
    pub(super) early_leaf: EarlyLeaf,
    pub(super) warrants: Warrants,
}

impl Variant {
    /// The variants that differ on games of so many levels: up to one gate no leaf is early.
    fn all(depth: u32) -> Vec<Self> {
        let leaves: &[EarlyLeaf] = match depth {
            1 => &[EarlyLeaf::Jump],
            _ => &[EarlyLeaf::Jump, EarlyLeaf::InPlace],
        };
        let mut all = Vec::new();
        for warrants in [Warrants::None, Warrants::Challenge] {
            for carry in [Carry::Conditional, Carry::Marginal] {
                all.extend(leaves.iter().map(|early_leaf| Self {
                    carry,
                    early_leaf: *early_leaf,
                    warrants,
                }));
            }
        }
        all
    }
}

pub(super) fn frontier(run: &Run<'_>) -> Result<(), Failure> {
    if run.args.shard.is_some() || run.args.out.is_some() || run.args.save.is_some() {
        return Err(Failure::input(
            "a frontier is several searches: --shard, --out and --save are for one statement",
        ));
    }
    let mut rows = Vec::new();
    for variant in Variant::all(run.args.space.depth) {
        rows.push(FrontierRow::of(variant, searches(run, variant)?));
    }
    if run.args.json {
        return print_json(&rows);
    }
    let mut out = io::stdout().lock();
    for line in FrontierRow::lines(&rows) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// What is found of each statement under a variant.
fn searches(run: &Run<'_>, variant: Variant) -> Result<Vec<SearchReport>, Failure> {
    let mut found = Vec::new();
    for statement in FrontierRow::STATEMENTS {
        let terms = SpaceTerms {
            carry: variant.carry,
            early_leaf: variant.early_leaf,
            warrants: variant.warrants,
            ..run.args.space.terms(statement)?
        };
        let space = Space::new(terms).map_err(Failure::input)?;
        let (results, signal) = run.look(&space, statement, 0..space.len())?;
        if signal != 0 {
            return Err(Failure::Interrupted(signal));
        }
        let (time, threads) = (run.begun.elapsed(), run.threads());
        found.push(SearchReport::of(
            &space, statement, &results, time, threads,
        )?);
    }
    Ok(found)
}
