//! Reader for combinational and-inverter graphs in the AIGER format, ASCII and binary: the format of 2007 (Biere, "The
//! AIGER And-Inverter Graph (AIG) Format Version 20071012") and that of 2011 (Biere, Heljanko and Wieringa, "AIGER 1.9
//! And Beyond").
//!
//! AIGER 1.9 adds four sections of properties between the outputs and the gates: bad states (B), invariant constraints
//! (C), justice (J) and fairness (F). They are checked and then ignored, because no output depends on them.

use std::collections::{HashMap, HashSet};

use super::{
    MAX_GATES, Netlist, NetlistError, TwoInputGate, TwoInputTruthTable, Wire, numbers,
    topological_order,
};
use crate::text::{count_with_noun, strip_byte_order_mark_bytes};

/// Reads a circuit from an AIGER file, ASCII (`aag`) or binary (`aig`).
///
/// An AND gate with inverted inputs becomes one gate. An inverted or constant output becomes one more gate.
///
/// # Errors
/// Returns an error if the bytes are not an AIGER file or do not match its header. Also returns an error if the circuit
/// has latches, undefined literals, too many gates or a cycle, or has bad states but no outputs.
pub fn read_aiger(bytes: &[u8]) -> Result<Netlist, NetlistError> {
    let mut lines = Lines {
        rest: strip_byte_order_mark_bytes(bytes),
        line: 0,
    };
    let header = Header::read(&mut lines)?;
    let netlist = if header.binary {
        read_binary(&mut lines, &header)?
    } else {
        read_ascii(&mut lines, &header)?
    };
    check_symbols(&mut lines, &header)?;
    Ok(netlist)
}

/// The sizes in the first line (header) of an AIGER file.
struct Header {
    binary: bool,
    /// M, the largest variable.
    most: u32,
    /// I.
    inputs: u32,
    /// O.
    outputs: u32,
    /// A.
    ands: u32,
    /// B.
    bad: u32,
    /// C.
    constraints: u32,
    /// J.
    justice: u32,
    /// F.
    fairness: u32,
}

impl Header {
    fn read(lines: &mut Lines<'_>) -> Result<Self, NetlistError> {
        let line = lines.next_text("the header")?;
        let mut words = line.split_ascii_whitespace();
        let binary = match words.next() {
            Some("aag") => false,
            Some("aig") => true,
            _ => return Err(lines.wrong("an AIGER file must begin with `aag` or `aig`")),
        };
        let sizes: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
        let Some(stated) = sizes.filter(|sizes| (5..=9).contains(&sizes.len())) else {
            let what =
                "an AIGER header needs five to nine numbers: M I L O A, then optionally B C J F";
            return Err(lines.wrong(what));
        };
        // The numbers at the end may be left out if they are 0.
        let number = |index: usize| stated.get(index).copied().unwrap_or(0);
        let [most, inputs, latches, outputs, ands] = [0, 1, 2, 3, 4].map(number);
        let [bad, constraints, justice, fairness] = [5, 6, 7, 8].map(number);
        let header = Self {
            binary,
            most,
            inputs,
            outputs,
            ands,
            bad,
            constraints,
            justice,
            fairness,
        };
        if latches > 0 {
            let what = "the header has latches (L); use a combinational circuit";
            return Err(lines.wrong(what));
        }
        if header.least_bytes() > lines.rest.len() as u64 + 1 || most.max(ands) > MAX_GATES {
            return Err(lines.wrong("the header announces more content than the file has, or too many variables or gates"));
        }
        let variables = u64::from(inputs) + u64::from(ands);
        if variables > most.into() || binary && variables < most.into() {
            let what = format!("the header says M = {most}, but I + A is {variables}");
            return Err(lines.wrong(what));
        }
        if outputs == 0 && bad > 0 {
            let what = "the file has no outputs; list the bad states (section B) as outputs (O)";
            return Err(lines.wrong(what));
        }
        Ok(header)
    }

    /// Returns the minimum number of bytes of a file with the numbers of lines and gates that the header states. The
    /// last line may lack its newline.
    fn least_bytes(&self) -> u64 {
        let Self {
            outputs,
            bad,
            constraints,
            justice,
            fairness,
            ..
        } = *self;
        let sections = [outputs, bad, constraints, justice, fairness];
        let lines: u64 = sections.into_iter().map(u64::from).sum();
        // A line with one number has at least two bytes. A binary file has no lines for inputs and at
        // least two bytes for a gate; a gate of an ASCII file is a line with three numbers.
        let [inputs, ands] = [self.inputs, self.ands].map(u64::from);
        if self.binary {
            2 * (lines + ands)
        } else {
            2 * (lines + inputs) + 6 * ands
        }
    }
}

/// A literal of an AIGER file: twice the number of a variable, plus one if it is negated.
type Literal = u32;

/// A literal that the AIGER file lists on a separate line: an output, or part of a property.
struct Listed {
    line: usize,
    literal: Literal,
    /// The kind of list that contains the literal, such as the outputs, as error messages name it.
    what: &'static str,
}

struct Lines<'b> {
    rest: &'b [u8],
    line: usize,
}

impl<'b> Lines<'b> {
    fn wrong(&self, what: impl Into<String>) -> NetlistError {
        NetlistError::new(self.line.max(1), what)
    }

    /// Reads the next line, without its newline, as bytes; `None` at the end of the file.
    fn next_bytes(&mut self) -> Option<&'b [u8]> {
        self.line += 1;
        if self.rest.is_empty() {
            return None;
        }
        let mut parts = self.rest.splitn(2, |byte| *byte == b'\n');
        let line = parts.next().unwrap_or_default();
        self.rest = parts.next().unwrap_or_default();
        Some(line)
    }

    fn next_text(&mut self, wanted_line: &str) -> Result<&'b str, NetlistError> {
        let Some(line) = self.next_bytes() else {
            return Err(self.wrong(format!("the file ends before {wanted_line}")));
        };
        std::str::from_utf8(line).map_err(|_error| {
            let what = format!("expected {wanted_line}, but this line is not text");
            self.wrong(what)
        })
    }

    fn numbers<const N: usize>(&mut self, what: &str) -> Result<[u32; N], NetlistError> {
        let line = self.next_text(what)?;
        let numbers = numbers(line).and_then(|numbers| numbers.try_into().ok());
        numbers.ok_or_else(|| {
            let count = count_with_noun(N, "number", "numbers");
            self.wrong(format!("expected {what} here ({count})"))
        })
    }

    /// Reads `count` literals, one per line.
    fn literals(
        &mut self,
        count: u32,
        what: &'static str,
        header: &Header,
    ) -> Result<Vec<Listed>, NetlistError> {
        let listed = |_| {
            let [literal] = self.numbers(what)?;
            if literal >> 1 > header.most {
                let what = format!(
                    "the literal {literal} is too large: the header allows variables up to M = {largest}",
                    largest = header.most
                );
                return Err(self.wrong(what));
            }
            let line = self.line;
            Ok(Listed {
                line,
                literal,
                what,
            })
        };
        (0..count).map(listed).collect()
    }

    /// Reads the sections B, C, J and F of an AIGER file, which contain properties.
    fn properties(&mut self, header: &Header) -> Result<Vec<Listed>, NetlistError> {
        let mut all = self.literals(
            header.bad,
            "a bad state (section B of the AIGER file)",
            header,
        )?;
        let what = "an invariant constraint (section C of the AIGER file)";
        all.extend(self.literals(header.constraints, what, header)?);
        // The sizes of all justice properties come before the literals of the first.
        let mut justice = 0_u32;
        for _ in 0..header.justice {
            let [size] =
                self.numbers("the size of a justice property (section J of the AIGER file)")?;
            let sum = justice.checked_add(size);
            let fits = sum.filter(|sum| u64::from(*sum) * 2 <= self.rest.len() as u64 + 1);
            justice = fits.ok_or_else(|| {
                self.wrong(
                    "the sizes of the justice properties (section J) add up to more literals than the file \
                     can hold",
                )
            })?;
        }
        let what = "a literal of a justice property (section J of the AIGER file)";
        all.extend(self.literals(justice, what, header)?);
        let what = "a fairness constraint (section F of the AIGER file)";
        all.extend(self.literals(header.fairness, what, header)?);
        Ok(all)
    }

    /// Reads a number of a gate in a binary AIGER file: the difference between two literals. It is stored in groups of
    /// seven bits, the lowest group first.
    fn delta(&mut self) -> Result<u32, NetlistError> {
        let mut value = 0_u32;
        for group in 0..5 {
            let Some((byte, rest)) = self.rest.split_first() else {
                return Err(self.wrong("the file ends within the gates"));
            };
            self.rest = rest;
            let bits = u32::from(byte & 0x7f);
            if group == 4 && bits > 0xf {
                break;
            }
            value |= bits << (7 * group);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.wrong(
            "a gate has a number (the difference between two of its literals) of more than 32 bits",
        ))
    }
}

/// Checks the part of the AIGER file after the gates: comments, and symbols (names of inputs, outputs and properties).
fn check_symbols(lines: &mut Lines<'_>, header: &Header) -> Result<(), NetlistError> {
    let mut named = HashSet::new();
    while let Some(line) = lines.next_bytes() {
        let line = line.trim_ascii_end();
        let Some((kind, rest)) = line.split_first() else {
            continue;
        };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (index, name) = rest.split_at(digits);
        let is_symbol = digits > 0 && name.first().is_none_or(|byte| *byte == b' ');
        let count = match kind {
            b'i' => Some(header.inputs),
            // There are no latches: a header with any was rejected.
            b'l' => Some(0),
            b'o' => Some(header.outputs),
            b'b' => Some(header.bad),
            b'c' => Some(header.constraints),
            b'j' => Some(header.justice),
            b'f' => Some(header.fairness),
            _ => None,
        };
        let Some(count) = count.filter(|_| is_symbol) else {
            // Comments have no form, and may hold other data.
            if *kind == b'c' {
                return Ok(());
            }
            let gates = count_with_noun(header.ands, "gate", "gates");
            let what = format!(
                "the header promises {gates}; after them, expected a symbol such as `i0 name`, or `c` and \
                 comments"
            );
            return Err(lines.wrong(what));
        };
        let symbol_letter = char::from(*kind);
        let parsed = std::str::from_utf8(index).ok();
        let index = parsed.and_then(|index| index.parse::<u32>().ok());
        let Some(index) = index.filter(|index| *index < count) else {
            let what = format!(
                "this symbol names {symbol_letter}{index}, but the header promises only {symbol_count}",
                symbol_count = count,
                index = parsed.unwrap_or_default()
            );
            return Err(lines.wrong(what));
        };
        if !named.insert((symbol_letter, index)) {
            let what = format!("the symbol {symbol_letter}{index} is given twice; remove one");
            return Err(lines.wrong(what));
        }
    }
    Ok(())
}

/// Adds an AND gate of two literals. `wire_of` returns the wire of a variable. If a literal is constant, adds a simpler
/// gate.
fn push_and(
    netlist: &mut Netlist,
    literals: [Literal; 2],
    wire_of: impl Fn(u32) -> Option<Wire>,
) -> Option<Wire> {
    let [first, second] = literals;
    let turned = |literal: Literal| literal & 1 == 1;
    let gate = match (first, second) {
        (0, _) | (_, 0) => TwoInputGate::new(TwoInputTruthTable::FALSE, 0, 0),
        (1, 1) => TwoInputGate::new(TwoInputTruthTable::TRUE, 0, 0),
        (1, other) | (other, 1) => {
            let wire = wire_of(other >> 1)?;
            TwoInputGate::new(
                TwoInputTruthTable::first_input_function(turned(other)),
                wire,
                wire,
            )
        }
        _ => TwoInputGate::new(
            TwoInputTruthTable::AND.with_inputs_negated(turned(first), turned(second)),
            wire_of(first >> 1)?,
            wire_of(second >> 1)?,
        ),
    };
    netlist.push(gate)
}

/// Checks the literals of the properties, and adds the outputs to the circuit.
fn finish(
    mut netlist: Netlist,
    outputs: &[Listed],
    properties: &[Listed],
    wire_of: impl Fn(u32) -> Option<Wire>,
) -> Result<Netlist, NetlistError> {
    let missing = |listed: &Listed| {
        let (literal, kind_of_list) = (listed.literal, listed.what);
        let what = format!("no input or gate defines literal {literal}, {kind_of_list}");
        NetlistError::new(listed.line, what)
    };
    let is_defined =
        |listed: &&Listed| listed.literal < 2 || wire_of(listed.literal >> 1).is_some();
    if let Some(listed) = properties.iter().find(|listed| !is_defined(listed)) {
        return Err(missing(listed));
    }
    for listed in outputs {
        let mut wire = || match listed.literal {
            literal @ (0 | 1) => netlist.push(TwoInputGate::new(
                TwoInputTruthTable::constant(literal == 1),
                0,
                0,
            )),
            literal if literal & 1 == 1 => {
                let wire = wire_of(literal >> 1)?;
                netlist.push(TwoInputGate::new(TwoInputTruthTable::NOT_FIRST, wire, wire))
            }
            literal => wire_of(literal >> 1),
        };
        if !wire().is_some_and(|wire| netlist.add_output(wire)) {
            return Err(missing(listed));
        }
    }
    Ok(netlist)
}

fn read_binary(lines: &mut Lines<'_>, header: &Header) -> Result<Netlist, NetlistError> {
    let outputs = lines.literals(header.outputs, OUTPUT, header)?;
    let properties = lines.properties(header)?;
    lines.line += 1;
    let gates = lines.rest;
    let mut netlist = Netlist::new(header.inputs);
    // The file was checked to be long enough for the gates in the header.
    netlist.reserve(header.ands);
    // Variable v is wire v − 1: inputs first, gates in their order.
    let wire_of = |variable: u32| variable.checked_sub(1);
    for gate in 0..header.ands {
        let own = 2 * (header.inputs + gate + 1);
        let first = own
            .checked_sub(lines.delta()?)
            .filter(|literal| *literal < own)
            .ok_or_else(|| lines.wrong("a gate reads itself or a later gate"))?;
        let second = first
            .checked_sub(lines.delta()?)
            .ok_or_else(|| lines.wrong("a gate reads a literal below 0"))?;
        push_and(&mut netlist, [first, second], wire_of)
            .ok_or_else(|| lines.wrong("a gate reads a literal that is not defined"))?;
    }
    // The symbols follow the last gate without a newline, so they begin on the line on which the gates end. The next
    // `next_bytes` adds 1 to the line number.
    let (gates, _) = gates.split_at(gates.len() - lines.rest.len());
    let parts = gates.split(|byte| *byte == b'\n').count();
    lines.line = lines.line + parts - 2;
    let known = header.inputs + header.ands;
    let wire = |variable| wire_of(variable).filter(|wire| *wire < known);
    finish(netlist, &outputs, &properties, wire)
}

const OUTPUT: &str = "an output";

fn read_ascii(lines: &mut Lines<'_>, header: &Header) -> Result<Netlist, NetlistError> {
    let mut wires: HashMap<u32, Wire> = HashMap::new();
    let mut netlist = Netlist::new(header.inputs);
    for wire in 0..header.inputs {
        let [literal] = lines.numbers("an input")?;
        let variable = literal >> 1;
        let is_positive = literal >= 2 && literal & 1 == 0 && variable <= header.most;
        if !is_positive || wires.insert(variable, wire).is_some() {
            return Err(lines.wrong(format!(
                "the literal {literal} cannot be an input; use an unused even literal from 2 to 2M"
            )));
        }
    }
    let outputs = lines.literals(header.outputs, OUTPUT, header)?;
    let properties = lines.properties(header)?;
    let mut gates: Vec<(usize, u32, [Literal; 2])> = Vec::new();
    let mut positions: HashMap<u32, usize> = HashMap::new();
    for position in 0..header.ands as usize {
        let [output, first, second] = lines.numbers("a gate")?;
        let variable = output >> 1;
        let is_positive = output >= 2 && output & 1 == 0 && variable <= header.most;
        let twice = wires.contains_key(&variable) || positions.insert(variable, position).is_some();
        if !is_positive || twice {
            return Err(lines.wrong(format!(
                "the literal {output} cannot be a gate's output; use an unused even literal from 2 to 2M"
            )));
        }
        gates.push((lines.line, variable, [first, second]));
    }
    let position = |literal: &Literal| positions.get(&(literal >> 1)).copied();
    let reads = |(_, _, literals): &(usize, u32, [Literal; 2])| {
        literals.iter().filter_map(position).collect()
    };
    let reads: Vec<Vec<usize>> = gates.iter().map(reads).collect();
    let order = topological_order(0..gates.len(), &reads).map_err(|(gate, read)| {
        let line = gates[reads[gate][read]].0;
        NetlistError::new(line, "this gate reads itself; break the cycle")
    })?;
    for position in order {
        let (line, variable, literals) = gates[position];
        let wire = push_and(&mut netlist, literals, |read| wires.get(&read).copied());
        let missing = || NetlistError::new(line, "this gate reads a literal that is not defined");
        let wire = wire.ok_or_else(missing)?;
        wires.insert(variable, wire);
    }
    finish(netlist, &outputs, &properties, |read| {
        wires.get(&read).copied()
    })
}
