//! Netlists in the Berkeley Logic Interchange Format: one model of single-output covers.

use super::named::{Definition, GateFormula, Named, build};
use super::{Netlist, NetlistError};

/// Reads a circuit from a BLIF file: one `.model` with `.inputs`, `.outputs` and `.names`.
///
/// # Errors
/// If the text is no such file, has latches or subcircuits, or does not fit together.
pub fn read_blif(text: &str) -> Result<Netlist, NetlistError> {
    let mut reader = BlifReader::default();
    for (number, words) in logical_lines(text) {
        let Some((first, rest)) = words.split_first() else {
            continue;
        };
        if *first == ".end" {
            break;
        }
        reader.take(number, first, rest)?;
    }
    reader.close();
    build(&reader.inputs, &reader.outputs, &reader.gates)
}

/// Lines without comments, those that end in a backslash joined with the next.
fn logical_lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let mut lines = (1..).zip(text.lines());
    std::iter::from_fn(move || {
        let mut joined: Option<(usize, Vec<&str>)> = None;
        for (number, line) in lines.by_ref() {
            let line = line.split('#').next().unwrap_or_default().trim_end();
            let (line, goes_on) = match line.strip_suffix('\\') {
                Some(line) => (line, true),
                None => (line, false),
            };
            joined
                .get_or_insert((number, Vec::new()))
                .1
                .extend(line.split_ascii_whitespace());
            if !goes_on {
                break;
            }
        }
        joined
    })
}

#[derive(Default)]
struct BlifReader<'t> {
    models: usize,
    inputs: Vec<Named<'t>>,
    outputs: Vec<Named<'t>>,
    gates: Vec<Definition<'t>>,
    /// The cover that is being read: its rows fit where the gate has this value.
    open: Option<(Definition<'t>, Option<bool>)>,
}

impl<'t> BlifReader<'t> {
    fn close(&mut self) {
        let Some((mut gate, value)) = self.open.take() else {
            return;
        };
        if let GateFormula::Cover(_, turned) = &mut gate.formula {
            *turned = value == Some(false);
        }
        self.gates.push(gate);
    }

    fn take(
        &mut self,
        number: usize,
        first: &'t str,
        rest: &[&'t str],
    ) -> Result<(), NetlistError> {
        let wrong = |what: &str| NetlistError::new(number, what);
        if !first.starts_with('.') {
            return self.row(number, first, rest);
        }
        self.close();
        let names = rest.iter().map(|name| (number, *name));
        match first {
            ".model" if self.models == 0 => self.models = 1,
            ".model" => return Err(wrong("a second model is not taken; flatten the circuit")),
            ".inputs" => self.inputs.extend(names),
            ".outputs" => self.outputs.extend(names),
            ".names" => {
                let (name, reads) = rest
                    .split_last()
                    .ok_or_else(|| wrong(".names needs an output"))?;
                let formula = GateFormula::Cover(Vec::new(), false);
                let gate = Definition {
                    line: number,
                    name,
                    reads: reads.to_vec(),
                    formula,
                };
                self.open = Some((gate, None));
            }
            ".latch" => return Err(wrong("latches are not taken; give a combinational circuit")),
            ".subckt" | ".gate" | ".mlatch" => {
                return Err(wrong("subcircuits are not taken; flatten the circuit"));
            }
            // Delays, areas and the like change nothing of what is computed.
            _ => {}
        }
        Ok(())
    }

    fn row(&mut self, number: usize, first: &str, rest: &[&str]) -> Result<(), NetlistError> {
        let wrong = |what: &str| NetlistError::new(number, what);
        let Some((gate, value)) = &mut self.open else {
            return Err(wrong("a row of a cover belongs below .names"));
        };
        let (pattern, out) = match (gate.reads.len(), rest) {
            (0, []) => ("", first),
            (_, [out]) => (first, *out),
            _ => {
                return Err(wrong(
                    "a row of a cover has its inputs, a space and its output",
                ));
            }
        };
        let cells: Option<Vec<Option<bool>>> = pattern
            .chars()
            .map(|cell| match cell {
                '0' => Some(Some(false)),
                '1' => Some(Some(true)),
                '-' => Some(None),
                _ => None,
            })
            .collect();
        let cells = cells
            .filter(|cells| cells.len() == gate.reads.len())
            .ok_or_else(|| wrong("a row has one of 0, 1 and - for each input"))?;
        let out = match out {
            "0" => false,
            "1" => true,
            _ => return Err(wrong("a row's output is 0 or 1")),
        };
        if value.is_some_and(|value| value != out) {
            return Err(wrong("all rows of a cover have the same output"));
        }
        *value = Some(out);
        if let GateFormula::Cover(rows, _) = &mut gate.formula {
            rows.push(cells);
        }
        Ok(())
    }
}
