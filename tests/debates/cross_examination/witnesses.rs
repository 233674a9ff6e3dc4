//! DE Theorem 7.1 on circuits, formulas and plans: the claim is that some witness makes the output 1.

use debate_core::bits::BitString;
use debate_core::protocol::{Reply, Rules as _};
use debate_core::scenario::Instance;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

use super::{start, walk_with_witness};

fn setup(problem: &str) -> Result<LoadedScenario, String> {
    let text = format!(
        "Scenario(format: 1, title: \"t\", problem: {problem}, oracle: Truth, protocol: \
         CrossExamination(witness: true))"
    );
    let origin = ScenarioTextSource::Text("t".to_owned());
    LoadedScenario::from_text(&text, origin, &ScenarioLimits::default())
        .map_err(|error| error.to_string())
}

/// The problem in its first instance.
fn instance(problem: &str) -> Instance {
    let setup = setup(problem).unwrap_or_else(|error| panic!("{error}: {problem}"));
    setup.instance(0)
}

/// Checks that the side that is right wins every play, and that honest Alice has a witness if one exists. Returns true
/// if one exists.
fn decided(problem: &str) -> bool {
    let instance = instance(problem);
    let (right, _) = walk_with_witness(&instance);
    assert_eq!(
        instance.truth(instance.root()),
        Some(right > 0),
        "{problem}"
    );
    let mut state = start(&instance);
    let witness = state.honest_reply_bits().expect("a witness");
    state.reply(Reply::Bits(witness), &mut ()).expect("legal");
    let transcript = state.honest_reply_bits().expect("a transcript");
    let says = transcript.as_slice().last() == Some(&true);
    assert_eq!(says, right > 0, "{problem}");
    right > 0
}

/// All circuits of three gates over x and two witness bits; each gate reads the previous one.
#[test]
fn circuits_with_a_witness_are_decided() {
    let gates = ["AND", "OR", "XOR", "NAND"];
    let wires = ["x", "v", "w"];
    let mut found = [0, 0];
    for number in 0..gates.len().pow(3) * 9 {
        let of = |place: u32| gates[number / 9 / gates.len().pow(place) % gates.len()];
        let (first, last) = (wires[number % 3], wires[number / 3 % 3]);
        let text = format!(
            "INPUT(x)\nINPUT(v)\nINPUT(w)\nOUTPUT(c)\na = {}(v, {first})\nb = {}(a, w)\nc = \
             {}(b, {last})\n",
            of(0),
            of(1),
            of(2)
        );
        for input in ["000", "100"] {
            let text = text.replace('\n', "\\n");
            let problem = format!(
                "Circuit(inline: \"{text}\", format: Bench, input: \"{input}\", witness: 2)"
            );
            found[usize::from(decided(&problem))] += 1;
        }
    }
    assert!(found.iter().all(|count| *count > 20), "{found:?}");
}

/// All formulas of two clauses of two literals, over two existential variables.
#[test]
fn formulas_with_a_witness_are_decided() {
    let literals = [1, -1, 2, -2];
    let clause = |number: usize| [literals[number % 4], literals[number / 4 % 4]];
    let mut found = [0, 0];
    for number in 0..256 {
        let [a, b] = clause(number);
        let [c, d] = clause(number / 16);
        let problem = format!("Qbf(inline: \"p cnf 2 2\\ne 1 2 0\\n{a} {b} 0\\n{c} {d} 0\\n\")");
        found[usize::from(decided(&problem))] += 1;
    }
    assert!(found.iter().all(|count| *count > 3), "{found:?}");
}

/// A claim about all values of another player's variables is not a claim about a witness.
#[test]
fn a_formula_with_both_quantifiers_has_no_witness() {
    let formula = "Qbf(inline: \"p cnf 2 1\\na 1 0\\ne 2 0\\n1 2 0\\n\")";
    let error = setup(formula).expect_err("refused");
    assert!(error.contains("use one of Quantifiers"), "{error}");
}

/// If a witness is too long to be searched, the one in the input is used.
#[test]
fn a_long_witness_is_taken_from_the_input() {
    let bits = "1".repeat(29) + "0";
    let instance = instance(&format!(
        "Circuit(made: Parity(30), input: \"{bits}\", witness: 25)"
    ));
    assert_eq!(
        start(&instance).honest_reply_bits(),
        bits.get(5..).and_then(BitString::parse)
    );
    assert_eq!(instance.truth(instance.root()), Some(true));
    let text = instance.text(instance.root());
    assert!(
        text.ends_with("on input 11111 for some witness of 25 bits"),
        "{text}"
    );
    let wrong = setup("Circuit(made: Parity(30), witness: 25)").expect_err("no witness");
    assert!(wrong.contains("give a witness there"), "{wrong}");
    let more = setup("Circuit(made: Parity(3), witness: 4)").expect_err("too many");
    assert!(
        more.contains("problem.witness") && more.contains("which are 3"),
        "{more}"
    );
}
