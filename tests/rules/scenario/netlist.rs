mod basis;

use debate_core::scenario::netlist::{
    Gate2, Netlist, NetlistError, TruthTable, Wire, generated, read_aiger, read_bench, read_blif,
    read_bristol,
};
use proptest::prelude::*;

fn run(netlist: &Netlist, input: &str) -> String {
    let bits: Vec<bool> = input.chars().map(|bit| bit == '1').collect();
    let values = netlist.evaluate(&bits).unwrap();
    let output = |wire: &Wire| if values[*wire as usize] { '1' } else { '0' };
    netlist.outputs().iter().map(output).collect()
}

const HALF_ADDER: &str =
    "aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\ni0 x\nc\nhalf adder\n";

/// Every input of three bits, as text too.
fn rows() -> impl Iterator<Item = (String, [bool; 3])> {
    (0..8_u8).map(|row| {
        let bits = [4, 2, 1].map(|bit| row & bit != 0);
        let text = bits.map(|bit| if bit { '1' } else { '0' });
        (text.iter().collect(), bits)
    })
}

/// Each of these texts is refused at a line, for a reason that says so.
fn refuses(read: impl Fn(&str) -> Result<Netlist, NetlistError>, mistakes: &[(&str, usize, &str)]) {
    for (text, line, part) in mistakes {
        let error = read(text).unwrap_err();
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
    assert_eq!((netlist.gates(), netlist.depth()), (3, 2));
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
fn binary_files_say_the_same() {
    let bytes = b"aig 5 2 0 2 3\n10\n6\n\x02\x02\x03\x02\x01\x02";
    let netlist = read_aiger(bytes).unwrap();
    for (input, output) in [("00", "00"), ("01", "10"), ("10", "10"), ("11", "01")] {
        assert_eq!(run(&netlist, input), output, "{input}");
    }
}

#[test]
fn mistakes_are_named_by_their_line() {
    refuses(
        |text| read_aiger(text.as_bytes()),
        &[
            ("", 1, "ends before the header"),
            ("blif", 1, "begins with"),
            ("aag 1 1 0", 1, "five to nine numbers"),
            ("aag 1 1 0 x 0\n2\n", 1, "five to nine numbers"),
            ("aag 1 1 0 0 0 0 0 0 0 0\n2\n", 1, "five to nine numbers"),
            ("aag 2 1 1 0 0\n2\n4 2\n", 1, "latches"),
            ("aag 4000000000 4000000000 0 0 0\n", 1, "promises more"),
            ("aag 1 1 0 1 0\n2\n8\n", 3, "no literal 8"),
            ("aag 2 1 0 1 0\n2\n4\n", 3, "defines literal 4"),
            ("aag 1 1 0 1 0\n3\n2\n", 2, "cannot be an input"),
            ("aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", 4, "reads itself"),
            ("aag 2 1 0 1 1\n2\n4\n4 9 2\n", 4, "not defined"),
            ("aag 2 1 0 1 1\n2\n4\nxxxxxx\n", 4, "expected a gate here"),
            ("aig 2 1 0 1 1\n4\n\u{2}", 3, "ends within the gates"),
            ("aig 2 1 0 1 1\n4\n", 1, "promises more"),
        ],
    );
}

/// x ∧ y ∧ z over three inputs, with every section of AIGER 1.9. The properties are other literals
/// than the output, and none of them may be taken for a gate.
const SECTIONS: &str = "3\n10\n4\n2\n1\n7\n5\n6\n9\n";

#[test]
fn aiger_properties_do_not_change_what_an_output_computes() {
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
            assert_eq!((netlist.gates(), netlist.outputs().len()), (2, 1));
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
        |text| read_aiger(text.as_bytes()),
        &[
            ("aag 1 1 0 1 0 1\n2\n2\n2 2\n", 4, "a bad state (section B)"),
            ("aag 1 1 0 1 0 1\n2\n2\n4\n", 4, "no literal 4"),
            ("aag 2 1 0 1 0 1\n2\n2\n4\n", 4, "(section B)"),
            ("aag 1 1 0 1 0 0 1\n2\n2\nx\n", 4, "constraint (section C)"),
            (
                "aag 1 1 0 1 0 0 0 1\n2\n2\n9\n2\n",
                4,
                "justice properties (section J)",
            ),
            (
                "aag 1 1 0 1 0 0 0 1\n2\n2\n1\ni0 x\n",
                5,
                "justice property (section J)",
            ),
            (
                "aag 1 1 0 1 0 0 0 0 1\n2\n2\ni0 x\n",
                4,
                "fairness constraint (section F)",
            ),
            (
                "aag 1 1 0 0 0 1\n2\n2\n",
                1,
                "bad states (section B) are not read as outputs",
            ),
            ("aig 3 1 0 1 1\n4\n\u{2}\u{2}", 1, "M = 3"),
            ("aag 1 1 0 1 0\n2\n2\n4 2 2\n", 4, "promises 0 gates"),
            ("aag 1 1 0 1 0\n2\n2\ni1 x\n", 4, "symbol names number i1"),
            ("aag 1 1 0 1 0\n2\n2\nc0 x\n", 4, "symbol names number c0"),
            ("aag 1 1 0 1 0\n2\n2\ni0 x\ni0 y\n", 5, "given twice"),
            (
                "aig 2 1 0 1 1\n4\n\u{2}\u{0}\u{2}\u{0}",
                3,
                "promises 1 gate,",
            ),
            (
                "aig 2 1 0 1 1\n4\n\u{2}\u{0}i0 x\no1 y\n",
                4,
                "symbol names number o1",
            ),
        ],
    );
    // The bytes of the first gate were once taken from the section.
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
    let netlist = read_bench(text).unwrap();
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
            ("INPUT(a)\nOUTPUT(b)\n", 2, "no wire"),
            ("INPUT(a)\nb = FOO(a)\n", 2, "no gate"),
            ("INPUT(a)\nb = DFF(a)\n", 2, "combinational"),
            ("INPUT(a)\nb = AND(c, a)\n", 2, "no wire"),
            ("b = NOT(c)\nc = NOT(b)\n", 1, "reads itself"),
            ("INPUT(a)\na = NOT(a)\n", 2, "two sources"),
            ("INPUT a\n", 1, "write INPUT(a)"),
            ("INPUT(a)\nb = AND(a,)\n", 2, "write INPUT(a)"),
        ],
    );
}

#[test]
fn blif_covers_are_read_with_their_rows() {
    let text = ".model m\n.inputs a b \\\n c\n.outputs f g one none\n.names a b c f\n1-0 1\n-11 1\n\
                .names a b g # nand\n11 0\n.names one\n1\n.names none\n.end\nleft over";
    let netlist = read_blif(text).unwrap();
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
            (".model m\n.model n\n", 2, "second model"),
            (".model m\n.latch a b\n", 2, "combinational"),
            (".model m\n.subckt x a=b\n", 2, "flatten"),
            (".inputs a\n.names a f\n2 1\n", 3, "0, 1 and -"),
            (".inputs a\n.names a f\n1 1\n0 0\n", 4, "same output"),
            ("1 1\n", 1, "below .names"),
            (".outputs f\n", 1, "no wire"),
        ],
    );
}

#[test]
fn bristol_fashion_is_read_in_order() {
    let text =
        "5 7\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n1 1 2 3 INV\n1 1 1 4 EQ\n2 1 3 4 5 AND\n1 1 2 6 EQW\n";
    let netlist = read_bristol(text).unwrap();
    for (input, output) in [("00", "10"), ("01", "01"), ("10", "01"), ("11", "10")] {
        assert_eq!(run(&netlist, input), output, "{input}");
    }
    refuses(
        read_bristol,
        &[
            ("", 1, "ends before"),
            ("x\n", 1, "should stand here"),
            ("1 3\n2 1\n1 1\n", 2, "count of groups"),
            ("1 4000000000\n1 2\n1 1\n", 1, "promises more"),
            ("1 3\n1 2\n1 1\n2 1 0 9 2 AND\n", 4, "no value yet"),
            ("1 3\n1 2\n1 1\n2 1 0 1 1 AND\n", 4, "two sources"),
            ("1 3\n1 2\n1 1\n2 1 0 1 2 OR\n", 4, "a gate is written"),
            ("2 3\n1 2\n1 1\n2 1 0 1 2 AND\n", 1, "promised"),
        ],
    );
}

/// A number as bits, least significant first.
fn number(value: u64, bits: u32) -> String {
    (0..bits)
        .map(|bit| if value >> bit & 1 == 1 { '1' } else { '0' })
        .collect()
}

#[test]
fn made_circuits_compute_what_they_say() {
    for n in 1..=9_u32 {
        let (parity, majority) = (
            generated::parity(n).unwrap(),
            generated::majority(n).unwrap(),
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
            generated::adder(n).unwrap(),
            generated::multiplier(n).unwrap(),
        );
        for (a, b) in (0..1_u64 << n).flat_map(|a| (0..1_u64 << n).map(move |b| (a, b))) {
            let input = number(a, n) + &number(b, n);
            assert_eq!(run(&adder, &input), number(a + b, n + 1), "{a} + {b}");
            assert_eq!(run(&times, &input), number(a * b, 2 * n), "{a} × {b}");
        }
    }
    for make in [
        generated::parity,
        generated::majority,
        generated::adder,
        generated::multiplier,
    ] {
        assert!(make(0).is_none());
    }
}

#[test]
fn a_long_chain_is_no_problem() {
    let mut netlist = Netlist::new(2);
    let mut last = 1;
    for _ in 0..200_000 {
        last = netlist.push(Gate2::new(TruthTable::XOR, last, 0)).unwrap();
    }
    assert!(netlist.output(last));
    assert_eq!(netlist.depth(), 200_000);
    assert_eq!(run(&netlist, "11"), "1");
    assert!(
        netlist
            .push(Gate2::new(TruthTable::AND, last + 1, 0))
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
            prop_assert!(netlist.evaluate(&[true, false]).is_some());
        }
    }

    #[test]
    fn texts_never_panic(words in prop::collection::vec("[-.a-c01(),=\\n ]{0,6}|INPUT|\\.names|\\.inputs|AND|2 1", 0..40)) {
        let text = words.concat();
        let _ = (read_bench(&text), read_blif(&text), read_bristol(&text));
    }

    #[test]
    fn tables_read_turned_bits(row in 0_u8..4, table in 0_u8..16, turn_a: bool, turn_b: bool) {
        let (a, b) = (row >> 1 == 1, row & 1 == 1);
        let table = TruthTable::of(|a, b| table >> (u8::from(a) << 1 | u8::from(b)) & 1 == 1);
        let turned = table.reading(turn_a, turn_b);
        prop_assert_eq!(turned.at(a, b), table.at(a != turn_a, b != turn_b));
    }
}
