//! Circuits: from a file, a text or a size to a checked problem.

use std::collections::HashSet;
use std::str;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::One;
use ron::value::RawValue;

use super::file::{self, CircuitFormat, Made};
use super::limits::Flag;
use super::read::{Reader, Result};
use super::safe::quoted;
use crate::bits::Bits;
use crate::chance::{Draws, Seed, Stream};
use crate::number::{Exact, Number as _};
use crate::scenario::netlist::{
    Netlist, NetlistError, generated, read_aiger, read_bench, read_blif, read_bristol,
};
use crate::scenario::{MAX_INSTANCES, Path, Wiring, World};

/// Up to so many inputs every input is an instance where the file names none.
const MAX_ALL: u32 = 12;

/// Beyond that so many are drawn, once and for all.
const DRAWN: u32 = 64;

/// But no more bits than this, as long as two inputs are drawn.
const MAX_DRAWN: u32 = 1 << 22;

/// Longer inputs are called by their number.
const MAX_NAMED: usize = 64;

/// A circuit as it is written.
#[derive(Default)]
struct Written<'f> {
    file: Option<String>,
    inline: Option<String>,
    made: Option<Made>,
    format: Option<CircuitFormat>,
    input: Option<String>,
    inputs: Option<&'f RawValue>,
    output: u32,
}

impl<'f> Written<'f> {
    /// `None` where another problem is written.
    fn of(problem: file::Problem<'f>) -> Option<Self> {
        use file::Problem as P;
        let made = match problem {
            P::Circuit {
                file,
                inline,
                made,
                format,
                input,
                inputs,
                output,
            } => {
                return Some(Self {
                    file,
                    inline,
                    made,
                    format,
                    input,
                    inputs,
                    output,
                });
            }
            P::Parity(n) => Made::Parity(n),
            P::MajorityOf(n) => Made::MajorityOf(n),
            P::Adder(n) => Made::Adder(n),
            P::Multiplier(n) => Made::Multiplier(n),
            _ => return None,
        };
        Some(Self {
            made: Some(made),
            ..Self::default()
        })
    }
}

/// The problem of a circuit as it is written.
pub(super) fn problem(
    reader: &Reader<'_>,
    written: file::Problem<'_>,
    method: Option<&file::Method>,
    at: &Path,
) -> Result<Wiring> {
    check_method(reader, method)?;
    let written = Written::of(written).unwrap_or_default();
    let netlist = Arc::new(netlist(reader, &written, at)?);
    let inputs = inputs(reader, &written, netlist.inputs(), at)?;
    Wiring::build(&netlist, written.output, inputs, at).map_err(|flaw| reader.flaw(&flaw))
}

/// Checks how the claim is decomposed, where the transcript is not split.
fn check_method(reader: &Reader<'_>, written: Option<&file::Method>) -> Result<()> {
    match written {
        None | Some(file::Method::Gates | file::Method::Explicit) => Ok(()),
        Some(_) => reader.flawed(
            &Path::field("decomposition"),
            "a circuit is decomposed by its Gates, or into Halves or Blocks(width: 8) of what its \
             gates write",
        ),
    }
}

fn netlist(reader: &Reader<'_>, written: &Written<'_>, at: &Path) -> Result<Netlist> {
    let sources = usize::from(written.file.is_some())
        + usize::from(written.inline.is_some())
        + usize::from(written.made.is_some());
    if sources != 1 {
        return reader.flawed(
            at,
            "a Circuit is read from a `file`, written `inline` or `made`, as in \
             `made: Parity(8)`; give one of these",
        );
    }
    let netlist = match written {
        Written {
            file: Some(name), ..
        } => {
            let path = || at.then("file");
            let bytes = reader.read_file(name, path)?;
            let format = match written.format.or_else(|| by_name(name)) {
                Some(format) => format,
                None => by_content(&bytes)
                    .map_or_else(|| reader.flawed(&at.then("format"), UNKNOWN), Ok)?,
            };
            read(&bytes, format)
                .map_err(|error| Reader::wrong_line(name, error.line, &error.what))?
        }
        Written {
            inline: Some(text), ..
        } => {
            let Some(format) = written.format.or_else(|| by_content(text.as_bytes())) else {
                return reader.flawed(&at.then("inline"), UNKNOWN);
            };
            read(text.as_bytes(), format)
                .map_err(|error| reader.flaw(&at.then("inline").flaw(error)))?
        }
        Written {
            made: Some(made), ..
        } => generate(reader, made, at)?,
        _ => Netlist::new(0),
    };
    check_gates(reader, netlist.gates().into(), at)?;
    check_inputs(reader, netlist.inputs(), at)?;
    if netlist.inputs() + netlist.gates() == 0 {
        return reader.flawed(at, "this circuit has no inputs and no gates; give it some");
    }
    Ok(netlist)
}

const UNKNOWN: &str =
    "this looks like no circuit that is known here; say `format: Aiger`, Bench, Blif or Bristol";

fn by_name(name: &str) -> Option<CircuitFormat> {
    let (_, ending) = name.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "aag" | "aig" => Some(CircuitFormat::Aiger),
        "bench" => Some(CircuitFormat::Bench),
        "blif" => Some(CircuitFormat::Blif),
        _ => None,
    }
}

/// The format of a circuit from its first line that says something.
fn by_content(bytes: &[u8]) -> Option<CircuitFormat> {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
    let first = str::from_utf8(first).ok()?;
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    match first.split_ascii_whitespace().next()? {
        "aag" | "aig" => Some(CircuitFormat::Aiger),
        word if word.starts_with('.') => Some(CircuitFormat::Blif),
        _ if first.contains('(') => Some(CircuitFormat::Bench),
        _ if first.split_ascii_whitespace().all(is_number) => Some(CircuitFormat::Bristol),
        _ => None,
    }
}

fn read(bytes: &[u8], format: CircuitFormat) -> std::result::Result<Netlist, NetlistError> {
    let text = || {
        str::from_utf8(bytes).map_err(|error| NetlistError {
            line: 1 + bytes
                .iter()
                .take(error.valid_up_to())
                .filter(|byte| **byte == b'\n')
                .count(),
            what: "this is no text; save the circuit as UTF-8, or say which `format` it has"
                .to_owned(),
        })
    };
    match format {
        CircuitFormat::Aiger => read_aiger(bytes),
        CircuitFormat::Bench => read_bench(text()?),
        CircuitFormat::Blif => read_blif(text()?),
        CircuitFormat::Bristol => read_bristol(text()?),
    }
}

fn generate(reader: &Reader<'_>, made: &Made, at: &Path) -> Result<Netlist> {
    // A little more than there will be, so that nothing is made that is refused afterwards.
    let (size, gates, make): (u32, u128, fn(u32) -> Option<Netlist>) = match *made {
        Made::Parity(n) => (n, n.into(), generated::parity),
        Made::MajorityOf(n) => (n, 6 * u128::from(n), generated::majority),
        Made::Adder(n) => (n, 5 * u128::from(n), generated::adder),
        Made::Multiplier(n) => (n, 6 * u128::from(n).pow(2), generated::multiplier),
    };
    if size == 0 {
        return reader.flawed(
            at,
            "a circuit for no bits has nothing to debate; take at least 1",
        );
    }
    check_gates(reader, gates, at)?;
    match make(size) {
        Some(netlist) => Ok(netlist),
        None => reader.flawed(at, "a circuit of this size cannot be made; take fewer bits"),
    }
}

fn check_gates(reader: &Reader<'_>, gates: u128, at: &Path) -> Result<()> {
    let most = reader.limits.gates;
    if gates <= u128::from(most) {
        return Ok(());
    }
    let what = format!("a circuit of about {gates} gates has more than {most}");
    Err(reader.source.too_large(at, what, Flag::Gates))
}

/// A header may promise any number of inputs, for they take no room in a binary file.
fn check_inputs(reader: &Reader<'_>, inputs: u32, at: &Path) -> Result<()> {
    let most = reader.limits.gates;
    if inputs <= most {
        return Ok(());
    }
    let what = format!("a circuit of {inputs} inputs has more than {most}");
    Err(reader.source.too_large(at, what, Flag::Gates))
}

fn inputs(
    reader: &Reader<'_>,
    written: &Written<'_>,
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
        (None, None) => Ok(all_or_drawn(count)),
    }
}

fn several(
    reader: &Reader<'_>,
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
        let written = if super::place::value(raw.get_ron()).starts_with(['"', 'r']) {
            file::Input {
                bits: reader.part::<String>(raw)?,
                name: None,
                weight: None,
            }
        } else {
            reader.part::<file::Input<'_>>(raw)?
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

/// An input is called by its name where it has one, by its bits where they are few.
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

fn bits(reader: &Reader<'_>, text: &str, count: u32, path: impl Fn() -> Path) -> Result<Bits> {
    let bare: String = text.chars().filter(|c| *c != '_').collect();
    let Some(bits) = Bits::parse(&bare) else {
        let what = format_args!("{} is no input; write 0 and 1 alone", quoted(text));
        return reader.flawed(&path(), what);
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
fn all_or_drawn(count: u32) -> Vec<(World, Bits)> {
    let named = |index: usize, bits: Bits| (world(&bits, index, None, Exact::one()), bits);
    if count <= MAX_ALL {
        let all = (0..1_u64 << count).zip(0..);
        return all
            .map(|(row, index)| named(index, Bits::of_number(row, count)))
            .collect();
    }
    let Some(seed) = Seed::new(format!("inputs {count}")) else {
        return Vec::new();
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
    numbered.map(|(index, bits)| named(index, bits)).collect()
}

#[cfg(test)]
mod tests;
