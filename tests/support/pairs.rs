//! Small problems, each with rules under which it can be debated. Debates of random replies and the golden playthroughs
//! use every pair; a new protocol needs one more line.

/// A problem with rules.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The name of the pair.
    pub name: &'static str,
    /// The scenario without rules.
    scenario: &'static str,
    /// The decomposition of the claim, if it is not the problem's own.
    decomposition: Option<&'static str>,
    /// The protocol.
    pub protocol: &'static str,
    /// True if some reply is sealed from a seat under these rules.
    pub seals: bool,
}

impl Pair {
    /// The scenario with its rules.
    pub fn scenario(&self) -> String {
        written(self.scenario, self.decomposition, Some(self.protocol))
    }

    /// True if this pair has this problem, decomposition and protocol.
    pub fn is(&self, scenario: &str, decomposition: Option<&str>, protocol: &str) -> bool {
        self.scenario == scenario
            && self.decomposition == decomposition
            && self.protocol == protocol
    }
}

/// A scenario with a decomposition and rules.
pub fn written(scenario: &str, decomposition: Option<&str>, protocol: Option<&str>) -> String {
    let open = scenario.strip_suffix(')').expect("a scenario");
    let field = |name: &str, value: Option<&str>| {
        value.map_or_else(String::new, |value| format!("    {name}: {value},\n"))
    };
    format!(
        "{open}{}{})",
        field("decomposition", decomposition),
        field("protocol", protocol)
    )
}

/// One small scenario of every problem.
pub const PROBLEMS: &[&str] = &[
    ARGUMENT, OPEN, NUMBER, CIRCUIT, MACHINE, ASKING, PLAN, FORMULA, QUESTION,
];

/// Every decomposition that is not a problem's own.
pub const DECOMPOSITIONS: &[&str] = &[
    "Pratt",
    "Intervals(width: 2)",
    "Witnesses(bases: [2, 3])",
    "Gates",
    "Halves",
    "Blocks(width: 3)",
    "Stable(3)",
    "Stable(copies: 3, of: Halves)",
    "Stable(copies: auto, of: Blocks(width: 3))",
];

/// The rules that debate claims, for which the decomposition matters.
pub const OVER_CLAIMS: &[&str] = &[ESTIMATED, "Recursive"];

/// The rules that debate a problem directly.
pub const OVER_PROBLEMS: &[&str] = &[
    "Bisection",
    "CrossExamination",
    WITNESSED,
    "Descent",
    SAMPLED,
    ANSWERED,
    "Quantifiers(verifier: Direct)",
    "Verified(Descent)",
    "Verified(Quantifiers(verifier: Direct))",
    SPOKEN,
];

const ESTIMATED: &str = "ProverEstimator(epsilon: 0.25, rho: \"1/2\")";
const WITNESSED: &str = "CrossExamination(witness: true)";
const SAMPLED: &str = "Stochastic(k: 2, constants: Panel(size: 4, threshold: \"1/2\"))";
const SPOKEN: &str = "Speeches(rounds: 2)";
const ANSWERED: &str = "Quantifiers(verifier: CrossExamined)";

/// A claim that any of two leaves supports; one of them reads a proof bit.
const ARGUMENT: &str = r#"Scenario(
    format: 1, title: "Is it \"so\"?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "It is so — é.", supports: [Support(gate: Any, on: ["a", "b"])]),
        "a": Claim(text: "A.", reads: ["bit"], check: All),
        "b": Claim(text: "B.", truth: false),
    }, proof: {"bit": true}),
)"#;

/// A claim that Alice supports in her own words, or by the listed support.
const OPEN: &str = r#"Scenario(
    format: 1, title: "Is it worth it?",
    problem: Argument(root: "r", open: (depth: 3, width: 3), claims: {
        "r": Claim(text: "It is worth it.", supports: [Support(gate: Any, on: ["a", "b"])]),
        "a": Claim(text: "It pays."),
        "b": Claim(text: "It pleases.", evidence: "A letter of thanks."),
    }),
)"#;

/// A machine that accepts an even number of ones.
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

/// A machine that reads to the end and then asks the oracle about its tape.
const ASKING: &str = r#"Scenario(
    format: 1, title: "A trial?",
    problem: Machine(
        turing: (
            start: "read", accept: "yes", reject: "no",
            rules: [
                ("read", "0", "read", "0", Right), ("read", "1", "read", "1", Right),
                ("read", "_", "ask", "_", Stay),
            ],
        ),
        inputs: ["01", "11"], steps: 4, cells: 3,
        oracle_state: (
            state: "ask", yes: "yes", no: "no",
            answers: {
                "01": Answer(truth: true, text: "Paper 01 reports a trial."),
                "11": Answer(truth: false, text: "Paper 11 reports a trial."),
            },
        ),
    ),
)"#;

/// Two numbers, one of which is prime.
const NUMBER: &str = r#"Scenario(
    format: 1, title: "Is it prime?",
    problem: Primality(numbers: ["11", "25"]),
)"#;

/// The claim that the number of ones among three bits is odd.
const CIRCUIT: &str = r#"Scenario(
    format: 1, title: "An odd number of ones?",
    problem: Circuit(made: Parity(3), inputs: ["101", "111"]),
)"#;

/// Too long for a save to list the text of every step.
const LONG: &str = "Scenario(
    format: 1, title: \"An odd number of ones among many?\",
    problem: Circuit(made: Parity(400), input: \"\
        11010000110100001101000100000000110000110110010110101111101100101101110100000111\
        11011010011011011100011000100111100011000100110011010111111110010110011101011111\
        11001111111111110111000111010111000100001000001010011110001011110101011110111100\
        11000101010111101111101111101111010010100101101001101111000111101110001100011111\
        10110101111001110100010001101100000011000100000101001001011111001010100110011100\"),
)";

/// A true formula: for every y, x can have the same value.
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

/// A question with two answers, and the known facts about it.
const QUESTION: &str = r#"Scenario(
    format: 1, title: "Did the doctor lie?",
    problem: Question(
        text: "Did the doctor lie?", answers: ("Yes — é", "No"), correct: 0,
        source: "The doctor said that he had not slept. He had slept well.",
    ),
)"#;

/// Every pair.
pub const PAIRS: &[Pair] = &[
    sealing(pair("prover-estimator", ARGUMENT, ESTIMATED)),
    pair("recursive", ARGUMENT, "Recursive"),
    sealing(pair("prover-estimator-open", OPEN, ESTIMATED)),
    pair("recursive-open", OPEN, "Recursive"),
    pair("bisection", MACHINE, "Bisection"),
    pair("cross-examination", CIRCUIT, "CrossExamination"),
    pair("cross-examination-witness", CERTIFICATE, WITNESSED),
    pair("cross-examination-long", LONG, "CrossExamination"),
    pair("descent", CIRCUIT, "Descent"),
    pair("quantifiers", FORMULA, ANSWERED),
    pair(
        "quantifiers-direct",
        FORMULA,
        "Quantifiers(verifier: Direct)",
    ),
    pair("stochastic", PLAN, SAMPLED),
    sealing(pair(
        "stochastic-paper",
        PLAN,
        "Stochastic(k: 2, constants: Paper)",
    )),
    pair("speeches", QUESTION, SPOKEN),
    sealing(pair(
        "speeches-at-once",
        QUESTION,
        "Speeches(rounds: 3, simultaneous: true, in_turn_from: 2)",
    )),
    pair(
        "speeches-consultant",
        QUESTION,
        "Speeches(rounds: 2, consultant: Second, judge_feedback: false)",
    ),
    pair("verified", CIRCUIT, "Verified(Descent)"),
    pair(
        "verified-quantifiers",
        FORMULA,
        "Verified(Quantifiers(verifier: Direct))",
    ),
    pair("recursive-certificate", CERTIFICATE, "Recursive"),
    // The remaining combinations of problem and rules.
    pair("recursive-number", NUMBER, "Recursive"),
    sealing(pair("prover-estimator-number", NUMBER, ESTIMATED)),
    by("Pratt", pair("recursive-number-pratt", NUMBER, "Recursive")),
    sealing(by(
        "Pratt",
        pair("prover-estimator-number-pratt", NUMBER, ESTIMATED),
    )),
    by(
        "Intervals(width: 2)",
        pair("recursive-number-intervals", NUMBER, "Recursive"),
    ),
    sealing(by(
        "Intervals(width: 2)",
        pair("prover-estimator-number-intervals", NUMBER, ESTIMATED),
    )),
    by(
        "Witnesses(bases: [2, 3])",
        pair("recursive-number-witnesses", NUMBER, "Recursive"),
    ),
    sealing(by(
        "Witnesses(bases: [2, 3])",
        pair("prover-estimator-number-witnesses", NUMBER, ESTIMATED),
    )),
    pair("recursive-circuit", CIRCUIT, "Recursive"),
    sealing(pair("prover-estimator-circuit", CIRCUIT, ESTIMATED)),
    by(
        "Gates",
        pair("recursive-circuit-gates", CIRCUIT, "Recursive"),
    ),
    sealing(by(
        "Gates",
        pair("prover-estimator-circuit-gates", CIRCUIT, ESTIMATED),
    )),
    by(
        "Halves",
        pair("recursive-circuit-halves", CIRCUIT, "Recursive"),
    ),
    sealing(by(
        "Halves",
        pair("prover-estimator-circuit-halves", CIRCUIT, ESTIMATED),
    )),
    by(
        "Blocks(width: 3)",
        pair("recursive-circuit-blocks", CIRCUIT, "Recursive"),
    ),
    sealing(by(
        "Blocks(width: 3)",
        pair("prover-estimator-circuit-blocks", CIRCUIT, ESTIMATED),
    )),
    by(
        "Halves",
        pair("recursive-machine-halves", MACHINE, "Recursive"),
    ),
    sealing(by(
        "Halves",
        pair("prover-estimator-machine-halves", MACHINE, ESTIMATED),
    )),
    by(
        "Blocks(width: 3)",
        pair("recursive-machine-blocks", MACHINE, "Recursive"),
    ),
    sealing(by(
        "Blocks(width: 3)",
        pair("prover-estimator-machine-blocks", MACHINE, ESTIMATED),
    )),
    by(
        "Halves",
        pair("recursive-asking-halves", ASKING, "Recursive"),
    ),
    sealing(by(
        "Halves",
        pair("prover-estimator-asking-halves", ASKING, ESTIMATED),
    )),
    by(
        "Blocks(width: 3)",
        pair("recursive-asking-blocks", ASKING, "Recursive"),
    ),
    sealing(by(
        "Blocks(width: 3)",
        pair("prover-estimator-asking-blocks", ASKING, ESTIMATED),
    )),
    pair("recursive-plan", PLAN, "Recursive"),
    sealing(pair("prover-estimator-plan", PLAN, ESTIMATED)),
    by("Halves", pair("recursive-plan-halves", PLAN, "Recursive")),
    sealing(by(
        "Halves",
        pair("prover-estimator-plan-halves", PLAN, ESTIMATED),
    )),
    by(
        "Blocks(width: 3)",
        pair("recursive-plan-blocks", PLAN, "Recursive"),
    ),
    sealing(by(
        "Blocks(width: 3)",
        pair("prover-estimator-plan-blocks", PLAN, ESTIMATED),
    )),
    pair("cross-examination-witness-number", NUMBER, WITNESSED),
    pair("cross-examination-machine", MACHINE, "CrossExamination"),
    pair("bisection-asking", ASKING, "Bisection"),
    pair("cross-examination-asking", ASKING, "CrossExamination"),
    pair("cross-examination-plan", PLAN, "CrossExamination"),
    pair("stochastic-circuit", CIRCUIT, SAMPLED),
    by(
        "Halves",
        pair("recursive-number-halves", NUMBER, "Recursive"),
    ),
    sealing(by(
        "Halves",
        pair("prover-estimator-number-halves", NUMBER, ESTIMATED),
    )),
    by(
        "Blocks(width: 3)",
        pair("recursive-number-blocks", NUMBER, "Recursive"),
    ),
    sealing(by(
        "Blocks(width: 3)",
        pair("prover-estimator-number-blocks", NUMBER, ESTIMATED),
    )),
    by(
        "Stable(3)",
        pair("recursive-argument-stable", ARGUMENT, "Recursive"),
    ),
    sealing(by(
        "Stable(3)",
        pair("prover-estimator-argument-stable", ARGUMENT, ESTIMATED),
    )),
    by(
        "Stable(3)",
        pair("recursive-number-stable", NUMBER, "Recursive"),
    ),
    sealing(by(
        "Stable(3)",
        pair("prover-estimator-number-stable", NUMBER, ESTIMATED),
    )),
    by(
        "Stable(copies: 3, of: Halves)",
        pair("recursive-number-stable-halves", NUMBER, "Recursive"),
    ),
    sealing(by(
        "Stable(copies: 3, of: Halves)",
        pair("prover-estimator-number-stable-halves", NUMBER, ESTIMATED),
    )),
    sealing(by(
        "Stable(copies: auto, of: Blocks(width: 3))",
        pair("prover-estimator-number-stable-blocks", NUMBER, ESTIMATED),
    )),
    by(
        "Stable(3)",
        pair("recursive-circuit-stable", CIRCUIT, "Recursive"),
    ),
    sealing(by(
        "Stable(3)",
        pair("prover-estimator-circuit-stable", CIRCUIT, ESTIMATED),
    )),
    by(
        "Stable(copies: 3, of: Halves)",
        pair("recursive-circuit-stable-halves", CIRCUIT, "Recursive"),
    ),
    sealing(by(
        "Stable(copies: 3, of: Halves)",
        pair("prover-estimator-circuit-stable-halves", CIRCUIT, ESTIMATED),
    )),
    sealing(by(
        "Stable(copies: auto, of: Blocks(width: 3))",
        pair("prover-estimator-circuit-stable-blocks", CIRCUIT, ESTIMATED),
    )),
    by(
        "Stable(copies: 3, of: Halves)",
        pair("recursive-machine-stable-halves", MACHINE, "Recursive"),
    ),
    sealing(by(
        "Stable(copies: 3, of: Halves)",
        pair("prover-estimator-machine-stable-halves", MACHINE, ESTIMATED),
    )),
    sealing(by(
        "Stable(copies: auto, of: Blocks(width: 3))",
        pair("prover-estimator-machine-stable-blocks", MACHINE, ESTIMATED),
    )),
    by(
        "Stable(copies: 3, of: Halves)",
        pair("recursive-asking-stable-halves", ASKING, "Recursive"),
    ),
    sealing(by(
        "Stable(copies: 3, of: Halves)",
        pair("prover-estimator-asking-stable-halves", ASKING, ESTIMATED),
    )),
    sealing(by(
        "Stable(copies: auto, of: Blocks(width: 3))",
        pair("prover-estimator-asking-stable-blocks", ASKING, ESTIMATED),
    )),
    by(
        "Stable(3)",
        pair("recursive-plan-stable", PLAN, "Recursive"),
    ),
    sealing(by(
        "Stable(3)",
        pair("prover-estimator-plan-stable", PLAN, ESTIMATED),
    )),
    by(
        "Stable(copies: 3, of: Halves)",
        pair("recursive-plan-stable-halves", PLAN, "Recursive"),
    ),
    sealing(by(
        "Stable(copies: 3, of: Halves)",
        pair("prover-estimator-plan-stable-halves", PLAN, ESTIMATED),
    )),
    sealing(by(
        "Stable(copies: auto, of: Blocks(width: 3))",
        pair("prover-estimator-plan-stable-blocks", PLAN, ESTIMATED),
    )),
];

const fn pair(name: &'static str, scenario: &'static str, protocol: &'static str) -> Pair {
    Pair {
        name,
        scenario,
        decomposition: None,
        protocol,
        seals: false,
    }
}

/// The same pair with another decomposition.
const fn by(decomposition: &'static str, pair: Pair) -> Pair {
    Pair {
        decomposition: Some(decomposition),
        ..pair
    }
}

/// The same pair, with sealed replies.
const fn sealing(pair: Pair) -> Pair {
    Pair {
        seals: true,
        ..pair
    }
}
