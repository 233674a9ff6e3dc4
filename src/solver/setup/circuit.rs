//! Circuits in scenario files: reads or generates the circuit, and builds the problem.

use std::collections::HashSet;
use std::str;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::One;
use ron::value::RawValue;
use serde::Deserialize;

use super::error::ScenarioLimitFlag;
use super::reader::{ProblemInFile, RequestedDecomposition, Result, ScenarioReader};
use super::written::DecompositionInFile;
use debate_core::bits::BitString;
use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
use debate_core::number::{Exact, Number as _};
use debate_core::scenario::netlist::{
    Netlist, NetlistError, generated, read_aiger, read_bench, read_blif, read_bristol,
};
use debate_core::scenario::written::weight;
use debate_core::scenario::{
    CircuitDecomposition, MAX_INSTANCES, PossibleWorld, ScenarioValuePath,
};
use debate_core::text::numbered_byte_lines;
use debate_core::text::shortened_in_backticks;

/// The circuit of a scenario file, with its inputs: the file names a circuit file, contains the circuit, or asks for a
/// generated one.
#[derive(Default, Deserialize)]
#[serde(rename = "Circuit", deny_unknown_fields)]
pub(super) struct CircuitInFile<'f> {
    file: Option<String>,
    inline: Option<String>,
    made: Option<GeneratedCircuit>,
    format: Option<CircuitFormat>,
    input: Option<String>,
    #[serde(borrow)]
    inputs: Option<&'f RawValue>,
    #[serde(default)]
    output: u32,
    /// The number of inputs that form the witness: the last ones of the circuit.
    #[serde(default)]
    witness: u32,
}

impl CircuitInFile<'_> {
    /// Returns the fields of a scenario file for a generated circuit without stated inputs. It is debated on all
    /// inputs, or on a fixed sample if there are too many.
    pub(super) fn from_generated_circuit(circuit: GeneratedCircuit) -> Self {
        Self {
            made: Some(circuit),
            ..Self::default()
        }
    }
}

/// A circuit that the program generates, such as `Parity(8)`. The number is the count of input bits; for `Adder` and
/// `Multiplier`, the bits of each of the two numbers.
#[derive(Deserialize)]
#[serde(rename = "generated circuit")]
pub(super) enum GeneratedCircuit {
    Parity(u32),
    MajorityOf(u32),
    Adder(u32),
    Multiplier(u32),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename = "circuit format")]
enum CircuitFormat {
    Aiger,
    Bench,
    Blif,
    Bristol,
}

impl ProblemInFile for CircuitInFile<'_> {
    type Problem = CircuitDecomposition;
    const KIND: &'static str = "circuit";
    fn problem(
        self,
        reader: &ScenarioReader<'_>,
        method: RequestedDecomposition<'_>,
    ) -> Result<Self::Problem> {
        let at = &Self::path();
        check_method(reader, method)?;
        let netlist = Arc::new(netlist(reader, &self, at)?);
        let inputs = inputs(reader, &self, netlist.input_count(), at)?;
        CircuitDecomposition::build(&netlist, self.output, inputs, at)
            .and_then(|problem| problem.with_witness(self.witness, at))
            .map_err(|flaw| reader.scenario_error_in_value(&flaw))
    }
}

/// Checks that the requested decomposition is possible for a circuit. Decompositions of the transcript (`Halves`,
/// `Blocks`) are handled by the caller and do not reach this function.
fn check_method(reader: &ScenarioReader<'_>, written: RequestedDecomposition<'_>) -> Result<()> {
    match written {
        None | Some(DecompositionInFile::Gates | DecompositionInFile::Explicit) => Ok(()),
        Some(_) => reader.flaw_error(
            &ScenarioValuePath::path_of_top_level_field("decomposition"),
            "a circuit cannot be decomposed like this; use Gates, or Halves or Blocks(width: 8) of \
             its gates' values",
        ),
    }
}

fn netlist(
    reader: &ScenarioReader<'_>,
    written: &CircuitInFile<'_>,
    at: &ScenarioValuePath,
) -> Result<Netlist> {
    let netlist = match (&written.file, &written.inline, &written.made) {
        (Some(name), None, None) => {
            let path = || at.path_of_field("file");
            let bytes = reader.read_file(name, path)?;
            let format = match written.format.or_else(|| by_name(name)) {
                Some(format) => format,
                None => by_content(&bytes).map_or_else(
                    || reader.flaw_error(&at.path_of_field("format"), UNKNOWN),
                    Ok,
                )?,
            };
            read(&bytes, format)
                .map_err(|error| ScenarioReader::line_error(name, error.line, &error.what))?
        }
        (None, Some(text), None) => {
            let Some(format) = written.format.or_else(|| by_content(text.as_bytes())) else {
                return reader.flaw_error(&at.path_of_field("inline"), UNKNOWN);
            };
            read(text.as_bytes(), format).map_err(|error| {
                reader.scenario_error_in_value(&at.path_of_field("inline").error_at_path(error))
            })?
        }
        (None, None, Some(made)) => generate(reader, made, at)?,
        _ => {
            return reader.flaw_error(
                at,
                "a Circuit needs one of `file`, `inline` and `made`, as in `made: Parity(8)`; give \
                 one of them",
            );
        }
    };
    let path = || at.clone();
    reader.limit(
        ScenarioLimitFlag::Gates,
        netlist.gate_count().into(),
        path,
        "gates",
    )?;
    // A header may declare any number of inputs, because they take no space in a binary file.
    reader.limit(
        ScenarioLimitFlag::Gates,
        netlist.input_count().into(),
        path,
        "inputs",
    )?;
    if netlist.input_count() + netlist.gate_count() == 0 {
        return reader.flaw_error(at, "this circuit has no inputs and no gates; add some");
    }
    Ok(netlist)
}

const UNKNOWN: &str =
    "the format of this circuit is unknown; write `format: Aiger`, Bench, Blif or Bristol";

fn by_name(name: &str) -> Option<CircuitFormat> {
    let (_, ending) = name.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "aag" | "aig" => Some(CircuitFormat::Aiger),
        "bench" => Some(CircuitFormat::Bench),
        "blif" => Some(CircuitFormat::Blif),
        _ => None,
    }
}

/// Guesses the format of a circuit file from its first line that is neither empty nor a comment. `None` if this line
/// fits no format.
fn by_content(bytes: &[u8]) -> Option<CircuitFormat> {
    let mut lines = numbered_byte_lines(bytes).map(|(_, line)| line.trim_ascii_start());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
    let first = str::from_utf8(first).ok()?;
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    match first.split_ascii_whitespace().next()? {
        "aag" | "aig" => Some(CircuitFormat::Aiger),
        word if word.starts_with('.') => Some(CircuitFormat::Blif),
        _ if first.contains(['(', '=']) => Some(CircuitFormat::Bench),
        _ if first.split_ascii_whitespace().all(is_number) => Some(CircuitFormat::Bristol),
        _ => None,
    }
}

fn read(bytes: &[u8], format: CircuitFormat) -> std::result::Result<Netlist, NetlistError> {
    match format {
        CircuitFormat::Aiger => read_aiger(bytes),
        CircuitFormat::Bench => read_bench(bytes),
        CircuitFormat::Blif => read_blif(bytes),
        CircuitFormat::Bristol => read_bristol(bytes),
    }
}

fn generate(
    reader: &ScenarioReader<'_>,
    made: &GeneratedCircuit,
    at: &ScenarioValuePath,
) -> Result<Netlist> {
    // The sizes are checked first, by upper bounds, so that a circuit that is too large is not generated at all.
    let (size, gates, make): (u32, u128, fn(u32) -> Option<Netlist>) = match *made {
        GeneratedCircuit::Parity(n) => (n, n.into(), generated::parity_circuit),
        GeneratedCircuit::MajorityOf(n) => (n, 6 * u128::from(n), generated::majority_circuit),
        GeneratedCircuit::Adder(n) => (n, 5 * u128::from(n), generated::adder_circuit),
        GeneratedCircuit::Multiplier(n) => {
            (n, 6 * u128::from(n).pow(2), generated::multiplier_circuit)
        }
    };
    if size == 0 {
        return reader.flaw_error(at, "a circuit of 0 bits cannot be debated; use at least 1");
    }
    reader.limit(ScenarioLimitFlag::Gates, gates, || at.clone(), "gates")?;
    match make(size) {
        Some(netlist) => Ok(netlist),
        None => reader.flaw_error(
            at,
            "a circuit of this size cannot be generated; use fewer bits",
        ),
    }
}

/// Maximum number of input bits for which a circuit is debated on all inputs, if the scenario file names no inputs.
const MAX_ALL: u32 = 12;

/// Maximum number of inputs drawn at random for a circuit with more than [`MAX_ALL`] input bits. The same inputs are
/// drawn each time.
const DRAWN: u32 = 64;

/// Maximum total number of bits in all randomly drawn inputs. At least two inputs are drawn.
const MAX_DRAWN: u32 = 1 << 22;

/// Maximum number of bits of an input that is named by its bits. A longer input is named by a number.
const MAX_NAMED: usize = 64;

/// One input of a circuit in a scenario file. Each input is an instance of the problem.
#[derive(Deserialize)]
#[serde(rename = "Input", deny_unknown_fields)]
struct InputSpec {
    bits: String,
    name: Option<String>,
    #[serde(default = "Exact::one", deserialize_with = "weight")]
    weight: Exact,
}

/// Returns the inputs that the scenario file names; by default, all inputs or a fixed random sample.
pub(super) fn inputs(
    reader: &ScenarioReader<'_>,
    written: &CircuitInFile<'_>,
    count: u32,
    at: &ScenarioValuePath,
) -> Result<Vec<(PossibleWorld, BitString)>> {
    match (&written.input, written.inputs) {
        (Some(_), Some(_)) => reader.flaw_error(
            &at.path_of_field("inputs"),
            "`input` and `inputs` exclude each other; remove one",
        ),
        (Some(text), None) => {
            let bits = bits(reader, text, count, || at.path_of_field("input"))?;
            Ok(vec![(world(&bits, 0, None, Exact::one()), bits)])
        }
        (None, Some(many)) => several(reader, many, count, &at.path_of_field("inputs")),
        (None, None) => all_or_drawn(reader, count, at),
    }
}

fn several(
    reader: &ScenarioReader<'_>,
    raw: &RawValue,
    count: u32,
    at: &ScenarioValuePath,
) -> Result<Vec<(PossibleWorld, BitString)>> {
    let list = reader.parse_slice::<Vec<&RawValue>>(raw)?;
    if list.is_empty() {
        return reader.flaw_error(at, "give at least one input of the circuit");
    }
    if list.len() > MAX_INSTANCES {
        let many = list.len();
        let what =
            format_args!("the circuit has {many} listed inputs; use at most {MAX_INSTANCES}");
        return reader.flaw_error(at, what);
    }
    let mut common = BigInt::one();
    let mut names = HashSet::with_capacity(list.len());
    let mut inputs = Vec::with_capacity(list.len());
    for (index, raw) in list.into_iter().enumerate() {
        let path = || at.then_list_item(index);
        let written = if raw.trim().get_ron().starts_with(['"', 'r']) {
            InputSpec {
                bits: reader.parse_slice::<String>(raw)?,
                name: None,
                weight: Exact::one(),
            }
        } else {
            reader.parse_slice::<InputSpec>(raw)?
        };
        if let Some(name) = &written.name {
            reader.check_one_line_text(name, || path().path_of_field("name"))?;
        }
        let weight = written.weight;
        reader.check_weight(&weight, &mut common, || path().path_of_field("weight"))?;
        if weight <= Exact::ratio(0, 1) {
            return reader.flaw_error(
                &path().path_of_field("weight"),
                "an input's weight must be above 0; change it or remove the input",
            );
        }
        let bits = bits(reader, &written.bits, count, path)?;
        let world = world(&bits, index, written.name, weight);
        if !names.insert(world.name.clone()) {
            return reader.flaw_error(
                &path(),
                format_args!(
                    "two inputs are named {name}; give each input its own name",
                    name = shortened_in_backticks(&world.name)
                ),
            );
        }
        inputs.push((world, bits));
    }
    Ok(inputs)
}

/// Creates the instance for an input. Its name is the one in the file, or its bits, or its number if there are many
/// bits.
fn world(bits: &BitString, index: usize, name: Option<String>, weight: Exact) -> PossibleWorld {
    let name = name.unwrap_or_else(|| {
        if (1..=MAX_NAMED).contains(&bits.len()) {
            bits.to_string()
        } else {
            (index + 1).to_string()
        }
    });
    PossibleWorld { name, weight }
}

fn bits(
    reader: &ScenarioReader<'_>,
    text: &str,
    count: u32,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<BitString> {
    let bare: String = text.chars().filter(|c| *c != '_').collect();
    let Some(bits) = BitString::parse(&bare) else {
        return reader.flaw_error(
            &path(),
            format_args!(
                "the text {text} is not an input; write only 0 and 1",
                text = shortened_in_backticks(text)
            ),
        );
    };
    if bits.len() != count as usize {
        return reader.flaw_error(
            &path(),
            format_args!(
                "the circuit has {count} inputs, but this has {} bits; write one bit for each \
                 input, in the circuit's order",
                bits.len()
            ),
        );
    }
    Ok(bits)
}

/// Returns every input of a circuit with equal weights, or a fixed random sample if there are too many.
fn all_or_drawn(
    reader: &ScenarioReader<'_>,
    count: u32,
    at: &ScenarioValuePath,
) -> Result<Vec<(PossibleWorld, BitString)>> {
    let named = |index: usize, bits: BitString| (world(&bits, index, None, Exact::one()), bits);
    if count <= MAX_ALL {
        let all = (0..1_u64 << count)
            .zip(0..)
            .map(|(row, index)| named(index, BitString::low_bits_of_number(row, count)));
        return Ok(all.collect());
    }
    let Some(seed) = Seed::new(format!("inputs {count}")) else {
        return reader.flaw_error(
            at,
            "the program cannot choose random inputs for this circuit; list its `inputs`",
        );
    };
    let mut draws = RandomStream::for_player_in_debate(&seed, RandomStreamPurpose::Instance, 0);
    let mut seen = HashSet::new();
    let many = (MAX_DRAWN / count).clamp(2, DRAWN);
    let drawn = (0..u64::from(many)).map(|number| {
        let first = number * u64::from(count);
        (0..u64::from(count))
            .map(|position| draws.random_53_bit_number_at(first + position) & 1 == 1)
            .collect::<BitString>()
    });
    let different: Vec<BitString> = drawn.filter(|bits| seen.insert(bits.clone())).collect();
    let numbered = different.into_iter().enumerate();
    Ok(numbered.map(|(index, bits)| named(index, bits)).collect())
}
