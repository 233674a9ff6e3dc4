//! Arguments: from claims as they are written to a checked specification.

use std::collections::{HashMap, HashSet};
use std::fmt;

use num_bigint::BigInt;
use num_traits::One;
use ron::value::RawValue;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::error::LimitFlag;
use super::reader::{Method, ProblemForm, Result, ScenarioReader};
use super::written::MapEntries;
use debate_core::gate::Gate;
use debate_core::number::Exact;
use debate_core::scenario::{
    Argument, ArgumentSpec, ClaimSpec, Decomposition, OpenLimits, Path, SupportSpec, WorldSpec,
};

#[derive(Deserialize)]
#[serde(rename = "Argument", deny_unknown_fields)]
pub(super) struct RonArgument<'f> {
    root: String,
    #[serde(borrow)]
    claims: MapEntries<RonClaim<'f>>,
    #[serde(default)]
    proof: MapEntries<bool>,
    #[serde(borrow, default)]
    worlds: Vec<RonWorld<'f>>,
    #[serde(borrow)]
    open: Option<&'f RawValue>,
}

/// `true`, `false`, or how far: `(depth: 3, width: 5)`.
struct RonOpen(Option<OpenLimits>);

impl<'f> Deserialize<'f> for RonOpen {
    fn deserialize<D: Deserializer<'f>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_any(Self(None))
    }
}

impl<'f> Visitor<'f> for RonOpen {
    type Value = Self;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("true, false or (depth: 3, width: 5)")
    }

    fn visit_bool<E>(self, open: bool) -> std::result::Result<Self, E> {
        Ok(Self(open.then(OpenLimits::default)))
    }

    fn visit_map<A: MapAccess<'f>>(self, map: A) -> std::result::Result<Self, A::Error> {
        let limits = OpenLimits::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Self(Some(limits)))
    }
}

#[derive(Deserialize)]
#[serde(rename = "Claim", deny_unknown_fields)]
struct RonClaim<'f> {
    text: String,
    short: Option<String>,
    truth: Option<bool>,
    evidence: Option<String>,
    #[serde(borrow)]
    judged_true: Option<&'f RawValue>,
    #[serde(borrow)]
    estimate: Option<&'f RawValue>,
    #[serde(default)]
    supports: Vec<SupportSpec>,
    #[serde(default)]
    reads: Vec<String>,
    check: Option<Gate>,
}

#[derive(Deserialize)]
#[serde(rename = "World", deny_unknown_fields)]
struct RonWorld<'f> {
    name: Option<String>,
    #[serde(borrow)]
    weight: Option<&'f RawValue>,
    #[serde(default)]
    truths: MapEntries<bool>,
    #[serde(default)]
    evidence: MapEntries<String>,
}

impl ProblemForm for RonArgument<'_> {
    type Problem = Argument;
    const KIND: &'static str = "argument";
    const OWN_DECOMPOSITION: Option<&'static str> =
        Some("an Argument is decomposed by its own supports; write `Explicit` or leave this out");

    fn problem(self, reader: &ScenarioReader<'_>, _: Method<'_>) -> Result<Argument> {
        let at = &Self::path();
        let spec = spec(reader, self, at)?;
        let built = Argument::build(spec, at).map_err(|flaw| reader.flaw(&flaw))?;
        reader.depth(built.size(0).depth, &at.then("claims"))?;
        Ok(built)
    }
}

fn spec(reader: &ScenarioReader<'_>, written: RonArgument<'_>, at: &Path) -> Result<ArgumentSpec> {
    let open = written.open.map(|raw| reader.part::<RonOpen>(raw));
    let open = open.transpose()?.and_then(|open| open.0);
    reader.name(&written.root, || at.then("root"))?;
    let count = written.claims.0.len() as u128;
    reader.limit(LimitFlag::Claims, count, || at.then("claims"), "claims")?;
    reader.unique(&written.claims, || at.then("claims"))?;
    reader.unique(&written.proof, || at.then("proof"))?;
    let claims = written
        .claims
        .0
        .into_iter()
        .map(|(id, written)| {
            let spec = claim(reader, written, || at.then("claims").entry(&id))?;
            Ok((id, spec))
        })
        .collect::<Result<_>>()?;
    let mut common = BigInt::one();
    let worlds = written
        .worlds
        .into_iter()
        .enumerate()
        .map(|(index, written)| {
            let path = || at.then("worlds").item(index);
            world(reader, written, &mut common, path)
        })
        .collect::<Result<_>>()?;
    Ok(ArgumentSpec {
        root: written.root,
        claims,
        proof: written.proof.0,
        worlds,
        open,
    })
}

fn claim(
    reader: &ScenarioReader<'_>,
    written: RonClaim<'_>,
    path: impl Fn() -> Path,
) -> Result<ClaimSpec> {
    let probability = |raw: Option<_>, field| {
        raw.map(|raw| reader.probability(raw, || path().then(field)))
            .transpose()
    };
    let text_path = || path().then("text");
    let text = reader.prose(written.text, text_path)?;
    reader.not_blank(
        &text,
        text_path,
        "a claim needs words; write what is claimed",
    )?;
    if let Some(short) = &written.short {
        reader.name(short, || path().then("short"))?;
    }
    for (index, bit) in written.reads.iter().enumerate() {
        reader.name(bit, || path().then("reads").item(index))?;
    }
    reader.width(written.reads.len(), || path().then("reads"))?;
    for (index, support) in written.supports.iter().enumerate() {
        check_support(reader, support, || path().then("supports").item(index))?;
    }
    Ok(ClaimSpec {
        text,
        short: written.short,
        truth: written.truth,
        evidence: reader.optional_prose(written.evidence, || path().then("evidence"))?,
        judged_true: probability(written.judged_true, "judged_true")?,
        estimate: probability(written.estimate, "estimate")?,
        supports: written.supports,
        reads: written.reads,
        check: written.check,
    })
}

fn check_support(
    reader: &ScenarioReader<'_>,
    written: &SupportSpec,
    path: impl Fn() -> Path,
) -> Result<()> {
    if let Some(label) = &written.label {
        reader.name(label, || path().then("label"))?;
    }
    reader.width(written.on.len(), || path().then("on"))?;
    for (index, id) in written.on.iter().enumerate() {
        reader.name(id, || path().then("on").item(index))?;
    }
    Ok(())
}

fn world(
    reader: &ScenarioReader<'_>,
    written: RonWorld<'_>,
    common: &mut BigInt,
    path: impl Fn() -> Path,
) -> Result<WorldSpec> {
    if let Some(name) = &written.name {
        reader.name(name, || path().then("name"))?;
    }
    reader.unique(&written.truths, || path().then("truths"))?;
    reader.unique(&written.evidence, || path().then("evidence"))?;
    let evidence = written
        .evidence
        .0
        .into_iter()
        .map(|(id, text)| {
            let text = reader.prose(text, || path().then("evidence").entry(&id))?;
            Ok((id, text))
        })
        .collect::<Result<_>>()?;
    Ok(WorldSpec {
        name: written.name,
        weight: reader.weight(written.weight, common, || path().then("weight"))?,
        truths: written.truths.0,
        evidence,
    })
}

/// Checks that a table of the oracle has every leaf of an argument and nothing else.
pub(super) fn check_table(
    reader: &ScenarioReader<'_>,
    table: &HashMap<String, Exact>,
    argument: &dyn Decomposition,
    at: &Path,
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
                return reader.flawed(
                    at,
                    format_args!(
                        "the table leaves out the leaf {:?}; add its probability",
                        names[0]
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
    // A hash map has no first entry: take one that is the same every time.
    match table.keys().filter(|key| !known.contains(*key)).min() {
        None => Ok(()),
        Some(stranger) => reader.flawed(
            &at.entry(stranger),
            "no leaf below the root has this id or text; remove it, or name another",
        ),
    }
}
