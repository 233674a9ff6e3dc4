mod basis;

use debate_core::scenario::netlist::{
    Netlist, NetlistError, TwoInputGate, TwoInputTruthTable, Wire, generated, read_aiger,
    read_bench, read_blif, read_bristol,
};
use proptest::prelude::*;

fn run(netlist: &Netlist, input: &str) -> String {
    let bits: Vec<bool> = input.chars().map(|bit| bit == '1').collect();
    let values = netlist.evaluate_wires(&bits).unwrap();
    let output = |wire: &Wire| if values[*wire as usize] { '1' } else { '0' };
    netlist.outputs().iter().map(output).collect()
}

const HALF_ADDER: &str =
    "aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\ni0 x\nc\nhalf adder\n";

/// Every input of three bits, with its text.
fn rows() -> impl Iterator<Item = (String, [bool; 3])> {
    (0..8_u8).map(|row| {
        let bits = [4, 2, 1].map(|bit| row & bit != 0);
        let text = bits.map(|bit| if bit { '1' } else { '0' });
        (text.iter().collect(), bits)
    })
}

/// Checks that each of these texts is refused at its line, with the expected reason.
fn refuses(
    read: impl Fn(&[u8]) -> Result<Netlist, NetlistError>,
    mistakes: &[(&str, usize, &str)],
) {
    for (text, line, part) in mistakes {
        let error = read(text.as_bytes()).expect_err(text);
        assert!(
            error.line == *line && error.what.contains(part),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn a_half_adder_adds() {
    let netlist = read_aiger(HALF_ADDER.as_bytes()).unwrap();
    for (input, output) in [("00", "00"), ("01", "10"), ("10", "10"), ("11", "01")] {
        assert_eq!(run(&netlist, input), output, "{input}");
    }
    assert_eq!((netlist.gate_count(), netlist.circuit_depth()), (3, 2));
}

#[test]
fn constants_and_turned_outputs_are_gates() {
    assert_eq!(run(&read_aiger(b"aag 0 0 0 1 0\n0\n").unwrap(), ""), "0");
    assert_eq!(run(&read_aiger(b"aag 0 0 0 1 0\n1\n").unwrap(), ""), "1");
    let turned = read_aiger(b"aag 1 1 0 2 0\n2\n3\n2\n").unwrap();
    assert_eq!(
        (run(&turned, "0").as_str(), run(&turned, "1").as_str()),
        ("10", "01")
    );
}

/// The half adder again, its gates renumbered and delta-coded: 6 = 4·2, 8 = 5·3, 10 = 9·7.
#[test]
fn binary_files_equal_text_files() {
    let bytes = b"aig 5 2 0 2 3\n10\n6\n\x02\x02\x03\x02\x01\x02";
    let netlist = read_aiger(bytes).unwrap();
    for (input, output) in [("00", "00"), ("01", "10"), ("10", "10"), ("11", "01")] {
        assert_eq!(run(&netlist, input), output, "{input}");
    }
}

#[test]
fn mistakes_are_named_by_their_line() {
    refuses(
        read_aiger,
        &[
            ("", 1, "ends before the header"),
            ("blif", 1, "must begin with"),
            ("aag 1 1 0", 1, "five to nine numbers"),
            ("aag 1 1 0 x 0\n2\n", 1, "five to nine numbers"),
            ("aag 1 1 0 0 0 0 0 0 0 0\n2\n", 1, "five to nine numbers"),
            ("aag 2 1 1 0 0\n2\n4 2\n", 1, "latches"),
            (
                "aag 4000000000 4000000000 0 0 0\n",
                1,
                "announces more content",
            ),
            ("aag 1 1 0 1 0\n2\n8\n", 3, "the literal 8 is too large"),
            ("aag 2 1 0 1 0\n2\n4\n", 3, "defines literal 4"),
            ("aag 1 1 0 1 0\n3\n2\n", 2, "cannot be an input"),
            ("aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", 4, "reads itself"),
            ("aag 2 1 0 1 1\n2\n4\n4 9 2\n", 4, "not defined"),
            ("aag 2 1 0 1 1\n2\n4\nxxxxxx\n", 4, "expected a gate here"),
            ("aig 2 1 0 1 1\n4\n\u{2}", 3, "ends within the gates"),
            ("aig 2 1 0 1 1\n4\n", 1, "announces more content"),
        ],
    );
}

/// x ∧ y ∧ z over three inputs, with every section of AIGER 1.9. The properties are literals other than the output, and
/// a reader must not take one for a gate.
const SECTIONS: &str = "3\n10\n4\n2\n1\n7\n5\n6\n9\n";

#[test]
fn aiger_properties_do_not_change_the_outputs() {
    let symbols =
        "i0 x\no0 and of all\nb1 never\nc0 assumed\nj1 often\nf0 fair\nc\nany \u{fc} text\n";
    let mut binary = format!("aig 5 3 0 1 2 2 1 2 1\n10\n{SECTIONS}").into_bytes();
    binary.extend(b"\x04\x02\x02\x02");
    let ascii = format!("aag 5 3 0 1 2 2 1 2 1\n2\n4\n6\n10\n{SECTIONS}8 4 2\n10 8 6\n");
    for file in [binary, ascii.into_bytes()] {
        for rest in [
            &b""[..],
            symbols.as_bytes(),
            b"c\n\xff\x00raw",
            b"cn\x00\x01",
            b"\n \n",
        ] {
            let netlist = read_aiger(&[&file, rest].concat()).unwrap();
            assert_eq!((netlist.gate_count(), netlist.outputs().len()), (2, 1));
            for (input, [x, y, z]) in rows() {
                assert_eq!(run(&netlist, &input) == "1", x && y && z, "{input}");
            }
        }
    }
}

#[test]
fn every_size_in_an_aiger_header_is_checked_against_the_file() {
    let ascii = |sizes: [u32; 8]| {
        let [
            most,
            inputs,
            outputs,
            ands,
            bad,
            constraints,
            justice,
            fairness,
        ] = sizes;
        format!(
            "aag {most} {inputs} 0 {outputs} {ands} {bad} {constraints} {justice} {fairness}\n\
             2\n4\n6\n10\n{SECTIONS}8 4 2\n10 8 6\ni0 x\n"
        )
    };
    let right = [5, 3, 1, 2, 2, 1, 2, 1];
    read_aiger(ascii(right).as_bytes()).unwrap();
    for (place, size) in right.iter().enumerate() {
        // A larger M is allowed in ASCII.
        for wrong in [size - 1, size + 1] {
            let mut sizes = right;
            sizes[place] = wrong;
            let read = read_aiger(ascii(sizes).as_bytes());
            assert_eq!(
                read.is_ok(),
                place == 0 && wrong > *size,
                "{sizes:?} {read:?}"
            );
        }
    }
    refuses(
        read_aiger,
        &[
            (
                "aag 1 1 0 1 0 1\n2\n2\n2 2\n",
                4,
                "a bad state (section B of the AIGER file)",
            ),
            (
                "aag 1 1 0 1 0 1\n2\n2\n4\n",
                4,
                "the literal 4 is too large",
            ),
            (
                "aag 2 1 0 1 0 1\n2\n2\n4\n",
                4,
                "(section B of the AIGER file)",
            ),
            (
                "aag 1 1 0 1 0 0 1\n2\n2\nx\n",
                4,
                "constraint (section C of the AIGER file)",
            ),
            (
                "aag 1 1 0 1 0 0 0 1\n2\n2\n9\n2\n",
                4,
                "the sizes of the justice properties",
            ),
            (
                "aag 1 1 0 1 0 0 0 1\n2\n2\n1\ni0 x\n",
                5,
                "justice property (section J of the AIGER file)",
            ),
            (
                "aag 1 1 0 1 0 0 0 0 1\n2\n2\ni0 x\n",
                4,
                "fairness constraint (section F of the AIGER file)",
            ),
            (
                "aag 1 1 0 0 0 1\n2\n2\n",
                1,
                "list the bad states (section B)",
            ),
            ("aig 3 1 0 1 1\n4\n\u{2}\u{2}", 1, "M = 3"),
            ("aag 1 1 0 1 0\n2\n2\n4 2 2\n", 4, "promises 0 gates"),
            ("aag 1 1 0 1 0\n2\n2\ni1 x\n", 4, "symbol names i1"),
            ("aag 1 1 0 1 0\n2\n2\nc0 x\n", 4, "symbol names c0"),
            ("aag 1 1 0 1 0\n2\n2\ni0 x\ni0 y\n", 5, "given twice"),
            (
                "aig 2 1 0 1 1\n4\n\u{2}\u{0}\u{2}\u{0}",
                3,
                "promises 1 gate;",
            ),
            (
                "aig 2 1 0 1 1\n4\n\u{2}\u{0}i0 x\no1 y\n",
                4,
                "symbol names o1",
            ),
        ],
    );
    // Regression: the reader took the first gate's bytes from the section.
    let mut file = b"aig 62 60 0 1 2 1\n124\n123\n".to_vec();
    file.extend([122 - 4, 4 - 2, 124 - 122, 122 - 6]);
    let netlist = read_aiger(&file).unwrap();
    let input = |ones: usize| "1".repeat(ones) + &"0".repeat(60 - ones);
    assert_eq!([2, 3].map(|ones| run(&netlist, &input(ones))), ["0", "1"]);
}

#[test]
fn bench_gates_read_any_number_of_wires_in_any_order() {
    let text = "# three\nINPUT(a)\nINPUT(b)\nINPUT(c)\nOUTPUT(z)\nOUTPUT(n)\nz = and(x, c) # late\n\
                x = XOR(a, b, c)\nn = NOR(a, b, c)\n";
    let netlist = read_bench(text.as_bytes()).unwrap();
    for (input, [a, b, c]) in rows() {
        let expected = [(a ^ b ^ c) && c, !(a || b || c)].map(u8::from);
        assert_eq!(
            run(&netlist, &input),
            format!("{}{}", expected[0], expected[1]),
            "{input}"
        );
    }
    refuses(
        read_bench,
        &[
            ("INPUT(a)\nOUTPUT(b)\n", 2, "no wire for the output"),
            ("INPUT(a)\nb = FOO(a)\n", 2, "no gate"),
            ("INPUT(a)\nb = DFF(a)\n", 2, "combinational"),
            ("INPUT(a)\nb = AND(c, a)\n", 2, "no wire"),
            ("b = NOT(c)\nc = NOT(b)\n", 1, "reads itself"),
            ("INPUT(a)\na = NOT(a)\n", 2, "already an input"),
            ("INPUT a\n", 1, "this line must be INPUT(a)"),
            ("INPUT(a)\nb = AND(a,)\n", 2, "this line must be INPUT(a)"),
            (
                "INPUT(a)\nb = AND()\n",
                2,
                "`.bench` gate AND reads at least one wire",
            ),
            (
                "INPUT(a)\nb = NOT(a, a)\n",
                2,
                "`.bench` gate NOT reads 1 wire, not 2",
            ),
            (
                "INPUT(a)\nb = GT(a)\n",
                2,
                "`.bench` gate GT reads 2 wires, not 1",
            ),
            (
                "INPUT(a)\nb = MUX(a, a, a)\n",
                2,
                "`.bench` circuit has no gate type \"MUX\"",
            ),
            ("INPUT(a)\nb = LUT 0x5 (a)\n", 2, "`.bench` LUT over 1 wire"),
            (
                "INPUT(a)\nb = LUT 8 (a, a)\n",
                2,
                "`.bench` LUT over 2 wires",
            ),
            (
                "INPUT(a)\nb = LUT 0x (a, a)\n",
                2,
                "`.bench` LUT over 2 wires",
            ),
            (
                "INPUT(a)\nb = LUT 0xg (a, a)\n",
                2,
                "`.bench` LUT over 2 wires",
            ),
            ("INPUT(a)\n = a\n", 2, "this line must be INPUT(a)"),
            ("INPUT(a)\nb = c\n", 2, "no wire"),
            (
                "INPUT(a)\n# \u{fc}\n\u{1}b = a a\n",
                3,
                "this line must be INPUT(a)",
            ),
        ],
    );
}

/// A function of three bits.
type Function = fn(bool, bool, bool) -> bool;

#[test]
fn bench_files_of_abc_and_cirbo_are_read() {
    let text = "INPUT(a)\nINPUT(b)\nINPUT(c)\nOUTPUT(z)\n";
    let cases: [(&str, Function); 21] = [
        ("z = LUT 0x8 ( a, b )", |a, b, _| a && b),
        ("z = LUT 0x2 (a, b)", |a, b, _| a && !b),
        ("z = LUT 0x2 ( a )", |a, _, _| a),
        ("z = LUT 0x1 (a)", |a, _, _| !a),
        ("z = LUT 0x1 ()", |_, _, _| true),
        ("z = LUT 0x96 (a, b, c)", |a, b, c| a ^ b ^ c),
        ("z = LUT 0xCA (a, b, c)", |a, b, c| if c { b } else { a }),
        ("z = LUT 0x00e8(a,b,c)", |a, b, c| {
            u8::from(a) + u8::from(b) + u8::from(c) >= 2
        }),
        ("z = lut 0xFF (a, b, c)", |_, _, _| true),
        ("z = vdd", |_, _, _| true),
        ("z = gnd", |_, _, _| false),
        ("z = XOR(a, VDD)", |a, _, _| !a),
        ("n = NOT(gnd)\nz = AND(n, c)", |_, _, c| c),
        ("z = y\ny = OR(a, c)", |a, _, c| a || c),
        ("z = ALWAYS_TRUE()", |_, _, _| true),
        ("z = ALWAYS_FALSE( )", |_, _, _| false),
        ("x = GT(a, b)\ny = LT(b, c)\nz = OR(x, y)", |a, b, c| {
            (a || c) && !b
        }),
        ("x = GEQ(a, b)\ny = LEQ(b, c)\nz = AND(x, y)", |a, b, c| {
            a && c || !b
        }),
        (
            "x = LNOT(a, b)\ny = RNOT(a, b)\nz = NXOR(x, y, c)",
            |a, b, c| !(a ^ b ^ c),
        ),
        ("x = LIFF(a, b)\ny = RIFF(a, b)\nz = GT(x, y)", |a, b, _| {
            a && !b
        }),
        ("gnd = NOT(a)\nz = gnd", |a, _, _| !a),
    ];
    for (gates, function) in cases {
        let netlist = read_bench(format!("{text}{gates}\n").as_bytes()).unwrap();
        for (input, [a, b, c]) in rows() {
            let expected = u8::from(function(a, b, c)).to_string();
            assert_eq!(run(&netlist, &input), expected, "{gates} {input}");
        }
    }
    let parity = read_bench(format!("{text}z = LUT 0x96 (a, b, c)\n").as_bytes()).unwrap();
    assert_eq!(parity.gate_count(), 2);
}

#[test]
fn blif_covers_are_read_with_their_rows() {
    let text = ".model m\n.inputs a b \\\n c\n.outputs f g one none\n.names a b c f\n1-0 1\n-11 1\n\
                .names a b g # nand\n11 0\n.names one\n1\n.names none\n.end\nleft over";
    let netlist = read_blif(text.as_bytes()).unwrap();
    for (input, [a, b, c]) in rows() {
        let expected = [a && !c || b && c, !(a && b)].map(u8::from);
        assert_eq!(
            run(&netlist, &input),
            format!("{}{}10", expected[0], expected[1]),
            "{input}"
        );
    }
    refuses(
        read_blif,
        &[
            (".model m\n.model n\n", 2, "second .model"),
            (".model m\n.latch a b\n", 2, "combinational"),
            (".model m\n.subckt x a=b\n", 2, "flatten"),
            (".inputs a\n.names a f\n2 1\n", 3, "0, 1 or -"),
            (".inputs a\n.names a f\n1 1\n0 0\n", 4, "same output"),
            ("1 1\n", 1, "must follow .names"),
            (".outputs f\n", 1, "no wire for the output"),
            (
                ".inputs a\n.mlatch x a=b c\n",
                2,
                "BLIF: .mlatch is a latch",
            ),
            (
                ".inputs a\n.gate and2 a=a O=b\n",
                2,
                "BLIF: .gate is a part",
            ),
            (".inputs a\n.conn a\n", 2, "`.conn source target`"),
            (
                ".inputs a\n.table a b\n",
                2,
                "BLIF: the command \".table\" is unknown",
            ),
            (".inputs a\n.names a f\n1 x\n", 3, "- (don't care)"),
            (".inputs a\n.exdc\n.names a f\n1 2\n", 4, "- (don't care)"),
        ],
    );
}

#[test]
fn blif_dont_cares_and_connections_do_not_change_the_other_rows() {
    let text = ".model m\n.inputs a b c\n.outputs f g h\n.area 3\n.names a b c f\n1-0 1\n001 -\n\
                .names a b i\n00 -\n11 0\n.conn i g\n.barbuf c h\n.exdc\n.inputs a b c\n.outputs f g\n\
                .names a b f\n11 1\n.conn a g\n.end\n";
    let netlist = read_blif(text.as_bytes()).unwrap();
    for (input, [a, b, c]) in rows() {
        let expected: String = [a && !c, !(a && b), c]
            .map(|bit| if bit { '1' } else { '0' })
            .iter()
            .collect();
        assert_eq!(run(&netlist, &input), expected, "{input}");
    }
}

#[test]
fn bristol_fashion_is_read_in_order() {
    let text =
        "5 7\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n1 1 2 3 INV\n1 1 1 4 EQ\n2 1 3 4 5 AND\n1 1 2 6 EQW\n";
    let netlist = read_bristol(text.as_bytes()).unwrap();
    for (input, output) in [("00", "10"), ("01", "01"), ("10", "01"), ("11", "10")] {
        assert_eq!(run(&netlist, input), output, "{input}");
    }
    refuses(
        read_bristol,
        &[
            ("", 1, "ends before"),
            ("x\n", 1, "expected the numbers"),
            ("1 3\n2 1\n1 1\n", 2, "number of input or output values"),
            ("1 4000000000\n1 2\n1 1\n", 1, "announces more content"),
            (
                "1 3\n1 2\n1 1\n2 1 0 9 2 AND\n",
                4,
                "no input or earlier gate defines it",
            ),
            ("1 3\n1 2\n1 1\n2 1 0 1 1 AND\n", 4, "already an input"),
            (
                "1 3\n1 2\n1 1\n2 1 0 1 2 OR\n",
                4,
                "the Bristol format has no gate \"OR\"",
            ),
            (
                "1 3\n1 2\n1 1\n2 1 0 2 AND\n",
                4,
                "a gate needs its numbers",
            ),
            (
                "1 3\n1 2\n1 1\n1 1 0 2 AND\n",
                4,
                "Bristol gate AND has 2 inputs and 1 output",
            ),
            (
                "1 4\n1 3\n1 1\n3 1 0 1 2 3 MAND\n",
                4,
                "MAND has 2 inputs and 1 output",
            ),
            (
                "1 3\n1 2\n1 1\n1 1 2 2 EQ\n",
                4,
                "Bristol gate EQ reads 0 or 1",
            ),
            ("1 3\n1 2\n1 1\n2 1 0 1 3 AND\n", 4, "there is no wire"),
            ("2 3\n1 2\n1 1\n2 1 0 1 2 AND\n", 1, "promises"),
            ("1 4\n1 2\n1 1\n2 1 0 1 2 AND\n", 1, "wire 3 has no gate"),
            (
                "1 3\n1 4\n1 1\n2 1 0 1 2 AND\n",
                1,
                "fewer wires than inputs",
            ),
            (
                "1 3\n2 1 1 1\n2 1 0 1 2 AND\n",
                2,
                "number of input or output values",
            ),
        ],
    );
}

/// (a ∧ c, b ∧ d) of the inputs (a, b), (c, d): the first inputs of all ANDs are listed first.
#[test]
fn bristol_takes_the_older_header_and_many_ands_at_once() {
    for header in [
        "1 6\n2 2 2\n1 2\n",
        "1 6\n2 2 2\n\n",
        "1 6\n4 0 2\n",
        "1 6\n1 4\n2 1 1\n",
    ] {
        let text = format!("{header}4 2 0 1 2 3 4 5 MAND\n");
        let netlist = read_bristol(text.as_bytes()).unwrap();
        for (input, [a, b, c]) in rows() {
            for d in [false, true] {
                let bits = format!("{input}{}", u8::from(d));
                let expected = format!("{}{}", u8::from(a && c), u8::from(b && d));
                assert_eq!(run(&netlist, &bits), expected, "{header:?} {bits}");
            }
        }
    }
    // Many inputs need no separate text.
    let text = "1 2001\n2 1000 1000\n1 1\n2 1 0 1999 2000 AND\n";
    assert_eq!(read_bristol(text.as_bytes()).unwrap().input_count(), 2000);
}

/// A number as bits, least significant first.
fn number(value: u64, bits: u32) -> String {
    (0..bits)
        .map(|bit| if value >> bit & 1 == 1 { '1' } else { '0' })
        .collect()
}

#[test]
fn generated_circuits_compute_their_functions() {
    for n in 1..=9_u32 {
        let (parity, majority) = (
            generated::parity_circuit(n).unwrap(),
            generated::majority_circuit(n).unwrap(),
        );
        for value in 0..1_u64 << n {
            let ones = value.count_ones();
            let input = number(value, n);
            assert_eq!(
                run(&parity, &input),
                number(u64::from(ones % 2), 1),
                "{n} {value}"
            );
            assert_eq!(
                run(&majority, &input),
                number(u64::from(2 * ones > n), 1),
                "{n} {value}"
            );
        }
    }
    for n in 1..=4_u32 {
        let (adder, times) = (
            generated::adder_circuit(n).unwrap(),
            generated::multiplier_circuit(n).unwrap(),
        );
        for (a, b) in (0..1_u64 << n).flat_map(|a| (0..1_u64 << n).map(move |b| (a, b))) {
            let input = number(a, n) + &number(b, n);
            assert_eq!(run(&adder, &input), number(a + b, n + 1), "{a} + {b}");
            assert_eq!(run(&times, &input), number(a * b, 2 * n), "{a} × {b}");
        }
    }
    for make in [
        generated::parity_circuit,
        generated::majority_circuit,
        generated::adder_circuit,
        generated::multiplier_circuit,
    ] {
        assert!(make(0).is_none());
    }
}

#[test]
fn a_chain_of_200_000_gates_is_evaluated() {
    let mut netlist = Netlist::new(2);
    let mut last = 1;
    for _ in 0..200_000 {
        last = netlist
            .push(TwoInputGate::new(TwoInputTruthTable::XOR, last, 0))
            .unwrap();
    }
    assert!(netlist.add_output(last));
    assert_eq!(netlist.circuit_depth(), 200_000);
    assert_eq!(run(&netlist, "11"), "1");
    assert!(
        netlist
            .push(TwoInputGate::new(TwoInputTruthTable::AND, last + 1, 0))
            .is_none()
    );
}

proptest! {
    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), binary: bool) {
        let mut file = if binary { b"aig 5 2 0 1 3\n".to_vec() } else { b"aag 5 2 0 1 3\n".to_vec() };
        let _ = read_aiger(&bytes);
        file.extend(bytes);
        if let Ok(netlist) = read_aiger(&file) {
            prop_assert!(netlist.evaluate_wires(&[true, false]).is_some());
        }
    }

    #[test]
    fn texts_never_panic(words in prop::collection::vec("[-.a-c01(),=\\n ]{0,6}|INPUT|LUT 0x|vdd|\\.exdc|4 2|MAND|\\.names|\\.inputs|AND|2 1", 0..40)) {
        let text = words.concat();
        let _ = (read_bench(text.as_bytes()), read_blif(text.as_bytes()), read_bristol(text.as_bytes()));
    }

    #[test]
    fn tables_read_turned_bits(row in 0_u8..4, table in 0_u8..16, turn_a: bool, turn_b: bool) {
        let (a, b) = (row >> 1 == 1, row & 1 == 1);
        let table = TwoInputTruthTable::from_function(|a, b| table >> (u8::from(a) << 1 | u8::from(b)) & 1 == 1);
        let turned = table.with_inputs_negated(turn_a, turn_b);
        prop_assert_eq!(turned.value_at(a, b), table.value_at(a != turn_a, b != turn_b));
    }
}
