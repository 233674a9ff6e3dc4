//! The inputs on which a circuit is debated.

use std::collections::HashSet;

use num_bigint::BigInt;
use num_traits::One;
use ron::value::RawValue;
use serde::Deserialize;

use super::RonCircuit;
use crate::setup::locator;
use crate::setup::quoting::quoted;
use crate::setup::read::{Result, ScenarioReader};
use debate_core::bits::Bits;
use debate_core::chance::{Draws, Seed, Stream};
use debate_core::number::{Exact, Number as _};
use debate_core::scenario::{MAX_INSTANCES, Path, World};

/// A circuit with at most so many input bits is debated on all inputs where the file names none.
const MAX_ALL: u32 = 12;

/// With more input bits so many inputs are drawn, always the same.
const DRAWN: u32 = 64;

/// The most bits of all drawn inputs together; at least two inputs are drawn.
const MAX_DRAWN: u32 = 1 << 22;

/// Inputs with more bits are named by their number.
const MAX_NAMED: usize = 64;

/// One of the inputs that a circuit may be debated on.
#[derive(Deserialize)]
#[serde(rename = "Input", deny_unknown_fields)]
struct RonInput<'f> {
    bits: String,
    name: Option<String>,
    #[serde(borrow)]
    weight: Option<&'f RawValue>,
}

/// The inputs as they are written, else every one, or some of them.
pub(super) fn inputs(
    reader: &ScenarioReader<'_>,
    written: &RonCircuit<'_>,
    count: u32,
    at: &Path,
) -> Result<Vec<(World, Bits)>> {
    match (&written.input, written.inputs) {
        (Some(_), Some(_)) => reader.flawed(
            &at.then("inputs"),
            "`input` and `inputs` stand together; keep one of them",
        ),
        (Some(text), None) => {
            let bits = bits(reader, text, count, || at.then("input"))?;
            Ok(vec![(world(&bits, 0, None, Exact::one()), bits)])
        }
        (None, Some(many)) => several(reader, many, count, &at.then("inputs")),
        (None, None) => all_or_drawn(reader, count, at),
    }
}

fn several(
    reader: &ScenarioReader<'_>,
    raw: &RawValue,
    count: u32,
    at: &Path,
) -> Result<Vec<(World, Bits)>> {
    let list = reader.part::<Vec<&RawValue>>(raw)?;
    if list.is_empty() {
        return reader.flawed(at, "give at least one input");
    }
    if list.len() > MAX_INSTANCES {
        let many = list.len();
        let what = format_args!("{many} inputs are too many; at most {MAX_INSTANCES} are taken");
        return reader.flawed(at, what);
    }
    let mut common = BigInt::one();
    let mut names = HashSet::with_capacity(list.len());
    let mut inputs = Vec::with_capacity(list.len());
    for (index, raw) in list.into_iter().enumerate() {
        let path = || at.item(index);
        let written = if locator::value(raw.get_ron()).starts_with(['"', 'r']) {
            RonInput {
                bits: reader.part::<String>(raw)?,
                name: None,
                weight: None,
            }
        } else {
            reader.part::<RonInput<'_>>(raw)?
        };
        if let Some(name) = &written.name {
            reader.name(name, || path().then("name"))?;
        }
        let weight = reader.weight(written.weight, &mut common, || path().then("weight"))?;
        if weight <= Exact::ratio(0, 1) {
            return reader.flawed(
                &path().then("weight"),
                "a weight must be above 0; leave the input out",
            );
        }
        let bits = bits(reader, &written.bits, count, path)?;
        let world = world(&bits, index, written.name, weight);
        if !names.insert(world.name.clone()) {
            return reader.flawed(
                &path(),
                format_args!(
                    "another input is named {}; give each its own name",
                    quoted(&world.name)
                ),
            );
        }
        inputs.push((world, bits));
    }
    Ok(inputs)
}

/// The input's instance: named as written, else by its bits, or by its number where they are many.
fn world(bits: &Bits, index: usize, name: Option<String>, weight: Exact) -> World {
    let name = name.unwrap_or_else(|| {
        if (1..=MAX_NAMED).contains(&bits.len()) {
            bits.to_string()
        } else {
            (index + 1).to_string()
        }
    });
    World { name, weight }
}

fn bits(
    reader: &ScenarioReader<'_>,
    text: &str,
    count: u32,
    path: impl Fn() -> Path,
) -> Result<Bits> {
    let bare: String = text.chars().filter(|c| *c != '_').collect();
    let Some(bits) = Bits::parse(&bare) else {
        return reader.flawed(
            &path(),
            format_args!("{} is no input; write 0 and 1 alone", quoted(text)),
        );
    };
    if bits.len() != count as usize {
        return reader.flawed(
            &path(),
            format_args!(
                "the circuit has {count} inputs, and here are {} bits; write one for each, in the \
                 circuit's order",
                bits.len()
            ),
        );
    }
    Ok(bits)
}

/// Every input, each as likely, or some that are the same every time.
fn all_or_drawn(reader: &ScenarioReader<'_>, count: u32, at: &Path) -> Result<Vec<(World, Bits)>> {
    let named = |index: usize, bits: Bits| (world(&bits, index, None, Exact::one()), bits);
    if count <= MAX_ALL {
        let all = (0..1_u64 << count).zip(0..);
        let all = all.map(|(row, index)| named(index, Bits::of_number(row, count)));
        return Ok(all.collect());
    }
    let Some(seed) = Seed::new(format!("inputs {count}")) else {
        return reader.flawed(
            at,
            "no inputs can be drawn for this circuit; give its `inputs`",
        );
    };
    let mut draws = Draws::private(&seed, Stream::Instance, 0);
    let mut seen = HashSet::new();
    let many = (MAX_DRAWN / count).clamp(2, DRAWN);
    let drawn = (0..u64::from(many)).map(|number| {
        let first = number * u64::from(count);
        (0..u64::from(count))
            .map(|place| draws.at(first + place) & 1 == 1)
            .collect::<Bits>()
    });
    let different: Vec<Bits> = drawn.filter(|bits| seen.insert(bits.clone())).collect();
    let numbered = different.into_iter().enumerate();
    Ok(numbered.map(|(index, bits)| named(index, bits)).collect())
}
