//! Small problems, each with rules under which it can be debated. Debates of random replies and
//! the golden playthroughs go through all of them; a new protocol joins with a line.
#![allow(dead_code, reason = "each test takes what it needs")]

/// A problem with rules.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// A name for both.
    pub name: &'static str,
    /// The scenario, which names no rules.
    scenario: &'static str,
    /// The rules.
    pub protocol: &'static str,
    /// Whether something is sealed from somebody under them.
    pub seals: bool,
}

impl Pair {
    /// The scenario with its rules.
    pub fn scenario(&self) -> String {
        let open = self.scenario.strip_suffix(')').expect("a scenario");
        format!("{open}    protocol: {},\n)", self.protocol)
    }
}

/// One claim that any of two leaves supports, one of which reads a proof bit.
const ARGUMENT: &str = r#"Scenario(
    format: 1, title: "Is it \"so\"?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "It is so — é.", supports: [Support(gate: Any, on: ["a", "b"])]),
        "a": Claim(text: "A.", reads: ["bit"], check: All),
        "b": Claim(text: "B.", truth: false),
    }, proof: {"bit": true}),
)"#;

/// A machine that accepts where the number of ones is even.
const MACHINE: &str = r#"Scenario(
    format: 1, title: "An even number of ones?",
    problem: Machine(
        turing: (
            start: "even", accept: "yes", reject: "no",
            rules: [
                ("even", "0", "even", "0", Right), ("even", "1", "odd", "1", Right),
                ("odd", "0", "odd", "0", Right), ("odd", "1", "even", "1", Right),
                ("even", "_", "yes", "_", Stay), ("odd", "_", "no", "_", Stay),
            ],
        ),
        inputs: ["101", "111"], steps: 4, cells: 4,
    ),
)"#;

/// Whether the ones among three bits are odd in number.
const CIRCUIT: &str = r#"Scenario(
    format: 1, title: "An odd number of ones?",
    problem: Circuit(made: Parity(3), inputs: ["101", "111"]),
)"#;

/// So long that what every step says is not written out in a save.
const LONG: &str = "Scenario(
    format: 1, title: \"An odd number of ones among many?\",
    problem: Circuit(made: Parity(400), input: \"\
        11010000110100001101000100000000110000110110010110101111101100101101110100000111\
        11011010011011011100011000100111100011000100110011010111111110010110011101011111\
        11001111111111110111000111010111000100001000001010011110001011110101011110111100\
        11000101010111101111101111101111010010100101101001101111000111101110001100011111\
        10110101111001110100010001101100000011000100000101001001011111001010100110011100\"),
)";

/// A formula that is true: whatever y is, x can be the same.
const FORMULA: &str = r#"Scenario(
    format: 1, title: "Can Alice say the same?",
    problem: Qbf(inline: "p cnf 2 2\na 1 0\ne 2 0\n-1 2 0\n1 -2 0\n"),
)"#;

/// Certificates that a small number is prime.
const CERTIFICATE: &str = r#"Scenario(
    format: 1, title: "Is 7 prime?",
    problem: Primality(number: 7), decomposition: Pratt,
)"#;

/// A plan that asks twice, the second time depending on the first answer.
const PLAN: &str = r#"Scenario(
    format: 1, title: "Is it both?",
    problem: Plan(steps: [
        Step(id: "a", ask: "Is it the one?", judged_true: "3/4"),
        Step(id: "b", ask: "Is it the other?", judged_true: {"0": "1/2", "1": "1/4"}),
        Step(id: "c", compute: Any, on: ["a", "b"]),
    ], answer: "c"),
)"#;

/// Every pair.
pub const PAIRS: &[Pair] = &[
    sealing(pair(
        "prover-estimator",
        ARGUMENT,
        "ProverEstimator(epsilon: 0.25, rho: \"1/2\")",
    )),
    pair("recursive", ARGUMENT, "Recursive"),
    pair("bisection", MACHINE, "Bisection"),
    pair("cross-examination", CIRCUIT, "CrossExamination"),
    pair(
        "cross-examination-witness",
        CERTIFICATE,
        "CrossExamination(witness: true)",
    ),
    pair("cross-examination-long", LONG, "CrossExamination"),
    pair("descent", CIRCUIT, "Descent"),
    pair(
        "quantifiers",
        FORMULA,
        "Quantifiers(verifier: CrossExamined)",
    ),
    pair(
        "quantifiers-direct",
        FORMULA,
        "Quantifiers(verifier: Direct)",
    ),
    pair(
        "stochastic",
        PLAN,
        "Stochastic(k: 2, constants: Panel(size: 4, threshold: \"1/2\"))",
    ),
    sealing(pair(
        "stochastic-paper",
        PLAN,
        "Stochastic(k: 2, constants: Paper)",
    )),
    pair("verified", CIRCUIT, "Verified(Descent)"),
    pair(
        "verified-quantifiers",
        FORMULA,
        "Verified(Quantifiers(verifier: Direct))",
    ),
    pair("recursive-gates", CIRCUIT, "Recursive"),
    pair("recursive-certificate", CERTIFICATE, "Recursive"),
];

const fn pair(name: &'static str, scenario: &'static str, protocol: &'static str) -> Pair {
    Pair {
        name,
        scenario,
        protocol,
        seals: false,
    }
}

/// The same, where something is sealed.
const fn sealing(pair: Pair) -> Pair {
    Pair {
        seals: true,
        ..pair
    }
}
