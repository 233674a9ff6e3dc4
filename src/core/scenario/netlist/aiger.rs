//! And-inverter graphs in the AIGER format (Biere, "The AIGER And-Inverter Graph (AIG) Format
//! Version 20071012"), ascii and binary, combinational.

use std::collections::HashMap;

use super::{Gate2, MAX_GATES, Netlist, NetlistError, TruthTable, Wire, numbers, sorted};

/// Reads a circuit from an AIGER file, ascii (`aag`) or binary (`aig`).
///
/// An and-gate with inverted inputs is one gate; an inverted or constant output is one more.
///
/// # Errors
/// If the bytes are no such file, have latches, or describe too many gates or a cycle.
pub fn read_aiger(bytes: &[u8]) -> Result<Netlist, NetlistError> {
    let mut lines = Lines {
        rest: bytes,
        line: 0,
    };
    let header = lines.next_text("the header")?;
    let mut words = header.split_ascii_whitespace();
    let binary = match words.next() {
        Some("aag") => false,
        Some("aig") => true,
        _ => return Err(lines.wrong("an AIGER file begins with `aag` or `aig`")),
    };
    let numbers: Vec<u32> = words.map_while(|word| word.parse().ok()).collect();
    let &[most, inputs, latches, outputs, ands, ..] = &numbers[..] else {
        return Err(lines.wrong("the header needs five numbers: M I L O A"));
    };
    if latches > 0 {
        return Err(lines.wrong("latches are not taken; give a combinational circuit"));
    }
    let variables = inputs
        .checked_add(ands)
        .filter(|all| *all <= most && ands <= MAX_GATES);
    let fits = variables.is_some_and(|all| !binary || all == most);
    // Every input and gate of an ascii file takes a line, every gate of a binary one two bytes.
    let least = u64::from(ands) * 2 + if binary { 0 } else { u64::from(inputs) * 2 };
    if !fits || least > bytes.len() as u64 || most > MAX_GATES {
        return Err(lines.wrong("the header promises more than the file holds"));
    }
    let header = Header {
        inputs,
        outputs,
        ands,
    };
    let read = if binary { read_binary } else { read_ascii };
    read(&mut lines, &header)
}

struct Header {
    inputs: u32,
    outputs: u32,
    ands: u32,
}

/// A variable, perhaps turned around: twice its number, plus one where it is.
type Literal = u32;

struct Lines<'b> {
    rest: &'b [u8],
    line: usize,
}

impl<'b> Lines<'b> {
    fn wrong(&self, what: impl Into<String>) -> NetlistError {
        NetlistError::new(self.line.max(1), what)
    }

    fn next_text(&mut self, what: &str) -> Result<&'b str, NetlistError> {
        self.line += 1;
        if self.rest.is_empty() {
            return Err(self.wrong(format!("the file ends where {what} should stand")));
        }
        let mut parts = self.rest.splitn(2, |byte| *byte == b'\n');
        let line = parts.next().unwrap_or_default();
        self.rest = parts.next().unwrap_or_default();
        std::str::from_utf8(line).map_err(|_error| self.wrong("this line is not text"))
    }

    fn numbers<const N: usize>(&mut self, what: &str) -> Result<[u32; N], NetlistError> {
        let line = self.next_text(what)?;
        let numbers = numbers(line).and_then(|numbers| numbers.try_into().ok());
        numbers.ok_or_else(|| self.wrong(format!("{what} should stand here, as {N} numbers")))
    }

    /// The literals of the outputs, each with its line.
    fn outputs(&mut self, header: &Header) -> Result<Vec<(usize, Literal)>, NetlistError> {
        let literal = |_| {
            let [literal] = self.numbers("an output")?;
            Ok((self.line, literal))
        };
        (0..header.outputs).map(literal).collect()
    }

    /// A number in seven-bit groups, the lowest first.
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
        Err(self.wrong("a difference between literals is too large"))
    }
}

/// Adds an and-gate over literals whose variables have these wires. A constant is folded in.
fn push_and(
    netlist: &mut Netlist,
    literals: [Literal; 2],
    wire_of: impl Fn(u32) -> Option<Wire>,
) -> Option<Wire> {
    let [first, second] = literals;
    let turned = |literal: Literal| literal & 1 == 1;
    let gate = match (first, second) {
        (0, _) | (_, 0) => Gate2::new(TruthTable::FALSE, 0, 0),
        (1, 1) => Gate2::new(TruthTable::TRUE, 0, 0),
        (1, other) | (other, 1) => {
            let wire = wire_of(other >> 1)?;
            Gate2::new(TruthTable::repeating(turned(other)), wire, wire)
        }
        _ => Gate2::new(
            TruthTable::AND.reading(turned(first), turned(second)),
            wire_of(first >> 1)?,
            wire_of(second >> 1)?,
        ),
    };
    netlist.push(gate)
}

fn push_outputs(
    mut netlist: Netlist,
    outputs: &[(usize, Literal)],
    wire_of: impl Fn(u32) -> Option<Wire>,
) -> Result<Netlist, NetlistError> {
    for (line, literal) in outputs {
        let mut wire = || match literal {
            0 | 1 => netlist.push(Gate2::new(TruthTable::constant(*literal == 1), 0, 0)),
            literal if literal & 1 == 1 => {
                let wire = wire_of(literal >> 1)?;
                netlist.push(Gate2::new(TruthTable::NOT, wire, wire))
            }
            literal => wire_of(literal >> 1),
        };
        if !wire().is_some_and(|wire| netlist.output(wire)) {
            let what = format!("there is no literal {literal}");
            return Err(NetlistError::new(*line, what));
        }
    }
    Ok(netlist)
}

fn read_binary(lines: &mut Lines<'_>, header: &Header) -> Result<Netlist, NetlistError> {
    let outputs = lines.outputs(header)?;
    lines.line += 1;
    let mut netlist = Netlist::new(header.inputs);
    // The file is long enough for as many gates as the header promises.
    netlist.reserve(header.ands);
    // Variable v is wire v − 1: inputs first, gates in their order.
    let wire_of = |variable: u32| variable.checked_sub(1);
    for gate in 0..header.ands {
        let own = 2 * (header.inputs + gate + 1);
        let first = own
            .checked_sub(lines.delta()?)
            .filter(|literal| *literal < own)
            .ok_or_else(|| lines.wrong("a gate reads itself or a later one"))?;
        let second = first
            .checked_sub(lines.delta()?)
            .ok_or_else(|| lines.wrong("a gate reads a literal below 0"))?;
        push_and(&mut netlist, [first, second], wire_of)
            .ok_or_else(|| lines.wrong("a gate reads what is not there"))?;
    }
    let known = header.inputs + header.ands;
    let wire = |variable| wire_of(variable).filter(|wire| *wire < known);
    push_outputs(netlist, &outputs, wire)
}

fn read_ascii(lines: &mut Lines<'_>, header: &Header) -> Result<Netlist, NetlistError> {
    let mut wires: HashMap<u32, Wire> = HashMap::new();
    let mut netlist = Netlist::new(header.inputs);
    for wire in 0..header.inputs {
        let [literal] = lines.numbers("an input")?;
        if literal < 2 || literal & 1 == 1 || wires.insert(literal >> 1, wire).is_some() {
            return Err(lines.wrong(format!("{literal} cannot be an input here")));
        }
    }
    let outputs = lines.outputs(header)?;
    let mut gates: Vec<(usize, u32, [Literal; 2])> = Vec::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    for place in 0..header.ands as usize {
        let [own, first, second] = lines.numbers("a gate")?;
        let variable = own >> 1;
        let twice = wires.contains_key(&variable) || places.insert(variable, place).is_some();
        if own < 2 || own & 1 == 1 || twice {
            return Err(lines.wrong(format!("{own} cannot be a gate here")));
        }
        gates.push((lines.line, variable, [first, second]));
    }
    let place = |literal: &Literal| places.get(&(literal >> 1)).copied();
    let reads =
        |(_, _, literals): &(usize, u32, [Literal; 2])| literals.iter().filter_map(place).collect();
    let reads: Vec<Vec<usize>> = gates.iter().map(reads).collect();
    let order = sorted(0..gates.len(), &reads).map_err(|(gate, read)| {
        let line = gates[reads[gate][read]].0;
        NetlistError::new(line, "this gate reads itself; break the cycle")
    })?;
    for place in order {
        let (line, variable, literals) = gates[place];
        let wire = push_and(&mut netlist, literals, |read| wires.get(&read).copied());
        let missing = || NetlistError::new(line, "this gate reads a literal that is not there");
        let wire = wire.ok_or_else(missing)?;
        wires.insert(variable, wire);
    }
    push_outputs(netlist, &outputs, |read| wires.get(&read).copied())
}
