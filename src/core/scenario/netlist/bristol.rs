//! Circuits in Bristol fashion, as secure computation uses them: groups of wires, least
//! significant bit first; gates in order; the outputs are the last wires.

use super::{Gate2, MAX_GATES, Netlist, NetlistError, TruthTable, Wire, numbers};

/// Reads a circuit from a file in Bristol fashion.
///
/// # Errors
/// If the text is no such file, or a gate reads a wire that has no value yet.
pub fn read_bristol(text: &str) -> Result<Netlist, NetlistError> {
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let mut header = |what: &str| -> Result<(usize, Vec<u32>), NetlistError> {
        let (number, line) = lines
            .next()
            .ok_or_else(|| NetlistError::new(1, format!("the file ends before {what}")))?;
        let wrong = || NetlistError::new(number, format!("{what} should stand here"));
        Ok((number, numbers(line).ok_or_else(wrong)?))
    };
    let (line, sizes) = header("the numbers of gates and wires")?;
    let wrong = |what: &str| Err(NetlistError::new(line, what));
    let &[gates, wires] = &sizes[..] else {
        return wrong("the first line has the numbers of gates and wires");
    };
    let inputs = group(header("the groups of inputs")?)?;
    let outputs = group(header("the groups of outputs")?)?;
    let fits = inputs.checked_add(gates).is_some_and(|all| all >= wires) && outputs <= wires;
    // A gate takes at least ten characters.
    if !fits || gates > MAX_GATES || u64::from(wires) > text.len() as u64 {
        return wrong("the header promises more than the file holds");
    }
    let mut netlist = Netlist::new(inputs);
    let mut of: Vec<Option<Wire>> = (0..wires)
        .map(|wire| (wire < inputs).then_some(wire))
        .collect();
    let mut read = 0;
    for (number, line) in lines {
        read += 1;
        gate(&mut netlist, &mut of, line).map_err(|what| NetlistError::new(number, what))?;
    }
    if read != gates {
        return wrong(&format!("{gates} gates are promised, {read} are there"));
    }
    for wire in wires - outputs..wires {
        let known = of.get(wire as usize).copied().flatten();
        if !known.is_some_and(|wire| netlist.output(wire)) {
            return wrong(&format!("the output wire {wire} has no gate"));
        }
    }
    Ok(netlist)
}

/// A count of groups, then their sizes; the sum.
fn group(header: (usize, Vec<u32>)) -> Result<u32, NetlistError> {
    let (line, numbers) = header;
    let wrong = "a count of groups should stand here, then their sizes";
    let wrong = || NetlistError::new(line, wrong);
    let (count, sizes) = numbers.split_first().ok_or_else(wrong)?;
    let sum = sizes
        .iter()
        .try_fold(0_u32, |sum, size| sum.checked_add(*size));
    sum.filter(|_| sizes.len() as u64 == u64::from(*count))
        .ok_or_else(wrong)
}

fn gate(netlist: &mut Netlist, of: &mut [Option<Wire>], line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let number = |word: &str| word.parse::<usize>().ok();
    let wire = |word: &str| {
        number(word)
            .and_then(|wire| of.get(wire).copied().flatten())
            .ok_or_else(|| format!("wire {word} has no value yet"))
    };
    let one = |table, read: &str| wire(read).map(|a| Gate2::new(table, a, a));
    let (gate, out) = match words[..] {
        ["2", "1", a, b, out, "AND"] => (Gate2::new(TruthTable::AND, wire(a)?, wire(b)?), out),
        ["2", "1", a, b, out, "XOR"] => (Gate2::new(TruthTable::XOR, wire(a)?, wire(b)?), out),
        ["1", "1", a, out, "INV" | "NOT"] => (one(TruthTable::NOT, a)?, out),
        ["1", "1", a, out, "EQW"] => (one(TruthTable::SAME, a)?, out),
        ["1", "1", "0", out, "EQ"] => (Gate2::new(TruthTable::FALSE, 0, 0), out),
        ["1", "1", "1", out, "EQ"] => (Gate2::new(TruthTable::TRUE, 0, 0), out),
        _ => {
            let forms = "`2 1 a b out AND` or XOR, `1 1 a out INV` or EQW, or `1 1 bit out EQ`";
            return Err(format!("a gate is written {forms}"));
        }
    };
    let place = number(out)
        .filter(|place| *place < of.len())
        .ok_or_else(|| format!("there is no wire {out}"))?;
    if of[place].is_some() {
        return Err(format!("wire {out} has two sources"));
    }
    of[place] = Some(netlist.push(gate).ok_or("there are too many gates")?);
    Ok(())
}
