//! Arguments in scenario files: checks the texts and the sizes.

use std::collections::{HashMap, HashSet};

use num_bigint::BigInt;
use num_traits::One;

use super::error::ScenarioLimitFlag;
use super::reader::{ProblemInFile, RequestedDecomposition, Result, ScenarioReader};
use debate_core::number::Exact;
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Decomposition, ScenarioValuePath, SupportSpec,
    WorldSpec,
};

impl ProblemInFile for ArgumentProblemSpec {
    type Problem = ArgumentProblem;
    const KIND: &'static str = "argument";
    const OWN_DECOMPOSITION: Option<&'static str> = Some(
        "an Argument is decomposed by its own supports; write `decomposition: Explicit` or remove `decomposition`",
    );

    fn problem(
        mut self,
        reader: &ScenarioReader<'_>,
        _: RequestedDecomposition<'_>,
    ) -> Result<ArgumentProblem> {
        let at = &Self::path();
        check(reader, &mut self, at)?;
        let built = ArgumentProblem::build(self, at)
            .map_err(|flaw| reader.scenario_error_in_value(&flaw))?;
        reader.check_decomposition_depth(built.size(0).depth, &at.path_of_field("claims"))?;
        Ok(built)
    }
}

/// Checks the texts and the sizes of an argument in a scenario file. Normalises its line ends and tabs.
fn check(
    reader: &ScenarioReader<'_>,
    spec: &mut ArgumentProblemSpec,
    at: &ScenarioValuePath,
) -> Result<()> {
    reader.check_one_line_text(&spec.root, || at.path_of_field("root"))?;
    let count = spec.claims.len() as u128;
    reader.limit(
        ScenarioLimitFlag::Claims,
        count,
        || at.path_of_field("claims"),
        "claims",
    )?;
    reader.check_unique_keys(&spec.claims, || at.path_of_field("claims"))?;
    reader.check_unique_keys(&spec.proof, || at.path_of_field("proof"))?;
    for (id, claim) in &mut spec.claims {
        check_claim(reader, claim, || {
            at.path_of_field("claims").then_map_entry(id)
        })?;
    }
    let mut common = BigInt::one();
    for (index, world) in spec.worlds.iter_mut().enumerate() {
        check_world(reader, world, &mut common, || {
            at.path_of_field("worlds").then_list_item(index)
        })?;
    }
    Ok(())
}

fn check_claim(
    reader: &ScenarioReader<'_>,
    claim: &mut ClaimSpec,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<()> {
    let text_path = || path().path_of_field("text");
    reader.normalise_lines(&mut claim.text, text_path)?;
    reader.check_not_blank(
        &claim.text,
        text_path,
        "the claim's text is empty in the file; write it",
    )?;
    if let Some(short) = &claim.short {
        reader.check_one_line_text(short, || path().path_of_field("short"))?;
    }
    for (index, bit) in claim.reads.iter().enumerate() {
        reader.check_one_line_text(bit, || path().path_of_field("reads").then_list_item(index))?;
    }
    reader.check_subclaim_count(claim.reads.len(), || path().path_of_field("reads"))?;
    for (index, support) in claim.supports.iter().enumerate() {
        check_support(reader, support, || {
            path().path_of_field("supports").then_list_item(index)
        })?;
    }
    if let Some(evidence) = &mut claim.evidence {
        reader.normalise_lines(evidence, || path().path_of_field("evidence"))?;
    }
    Ok(())
}

fn check_support(
    reader: &ScenarioReader<'_>,
    support: &SupportSpec,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<()> {
    if let Some(label) = &support.label {
        reader.check_one_line_text(label, || path().path_of_field("label"))?;
    }
    reader.check_subclaim_count(support.on.len(), || path().path_of_field("on"))?;
    for (index, id) in support.on.iter().enumerate() {
        reader.check_one_line_text(id, || path().path_of_field("on").then_list_item(index))?;
    }
    Ok(())
}

/// Checks one instance of an argument. `common` is the common denominator of the weights of earlier instances, and is
/// extended by the weight of this one.
fn check_world(
    reader: &ScenarioReader<'_>,
    world: &mut WorldSpec,
    common: &mut BigInt,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<()> {
    if let Some(name) = &world.name {
        reader.check_one_line_text(name, || path().path_of_field("name"))?;
    }
    reader.check_unique_keys(&world.truths, || path().path_of_field("truths"))?;
    reader.check_unique_keys(&world.evidence, || path().path_of_field("evidence"))?;
    for (id, text) in &mut world.evidence {
        reader.normalise_lines(text, || path().path_of_field("evidence").then_map_entry(id))?;
    }
    reader.check_weight(&world.weight, common, || path().path_of_field("weight"))
}

/// Checks that the oracle's table has an entry for each leaf of the argument, and no others.
pub(super) fn check_table(
    reader: &ScenarioReader<'_>,
    table: &HashMap<String, Exact>,
    argument: &dyn Decomposition,
    at: &ScenarioValuePath,
) -> Result<()> {
    let annotated = argument.as_annotated();
    let mut known = HashSet::new();
    let mut seen = HashSet::new();
    let mut open = vec![argument.root(0)];
    while let Some(key) = open.pop() {
        let supports = argument.supports(&key, 0);
        if supports.is_empty() {
            let id = annotated.and_then(|claims| claims.id(&key));
            let names: Vec<String> = id
                .map(str::to_owned)
                .into_iter()
                .chain([argument.text(&key, 0)])
                .collect();
            if !names.iter().any(|name| table.contains_key(name)) {
                return reader.flaw_error(
                    at,
                    format_args!(
                        "the table of the oracle has no entry for the leaf {leaf:?}; add its probability",
                        leaf = names[0]
                    ),
                );
            }
            if let [id, text] = &names[..]
                && id != text
                && table.contains_key(id)
                && table.contains_key(text)
            {
                return reader.flaw_error(
                    &at.then_map_entry(text),
                    format_args!(
                        "the leaf {id:?} is listed twice, by its id and by its text; remove one entry"
                    ),
                );
            }
            known.extend(names);
        }
        for child in supports.into_iter().flat_map(|support| support.on) {
            if seen.insert(child.clone()) {
                open.push(child);
            }
        }
    }
    // A hash map is unordered, so the least key is chosen to make the error deterministic.
    match table.keys().filter(|key| !known.contains(*key)).min() {
        None => Ok(()),
        Some(stranger) => reader.flaw_error(
            &at.then_map_entry(stranger),
            "no leaf below the root has this id or text; remove this entry, or use another id",
        ),
    }
}
