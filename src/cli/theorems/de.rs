//! Doubly-efficient debate (DE), and its machine-checked version (Lean).

use super::{Statement, figure};
use debate_lab::theory::papers::{self, Example, Outcome, Standing, plain};

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        standing: Standing {
            name: "DE Definition 4.1",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario("turing")]))],
        },
        says: "A (P, V, q)-debate protocol: debaters in time P, a verifier in time V with q oracle queries, completeness and soundness.",
        given: "None.",
        figures: &[figure(
            "The most oracle queries of the verifier of a program of a hundred steps.",
            "debate-tui check turing",
            "bounds.oracle_queries",
            "1",
            "`check` prints what every protocol that fits promises; `solve` what is spent, by seat.",
        )],
    },
    Statement {
        standing: Standing {
            name: "DE Definition 6.1",
            verdicts: &[plain(Outcome::Bracket(&[Example::Scenario(
                "caffeine-plan",
            )]))],
        },
        says: "A machine is K-Lipschitz at an oracle if its acceptance moves by less than K times what the oracle moves.",
        given: "Oracles are indexed by history, as in the machine-checked version.",
        figures: &[
            figure(
                "The least K of the plan of the caffeine study.",
                "debate-tui check caffeine-plan --exact",
                "lipschitz.low",
                "181/100",
                "Found by a step at the stated oracle.",
            ),
            figure(
                "The most that K can be there.",
                "debate-tui check caffeine-plan",
                "lipschitz.high",
                "≈ 1.9091428571428573",
                "The plan claims 3, which is enough.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "DE Figure 1",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "multiplier",
            )]))],
        },
        says: "Cross-examination: Alice writes the whole computation, Bob points at a step, the verifier checks that one.",
        given: "The figure's body is missing in the text: read as Theorem 5.3 says.",
        figures: &[figure(
            "A liar about a product of 4-bit numbers is caught.",
            "debate-tui solve multiplier --prover liar --opponent honest --exact",
            "value",
            "-1/1",
            "One false step, as late as it can be; Bob points at it.",
        )],
    },
    Statement {
        standing: Standing {
            name: "DE Figure 2",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "caffeine-plan",
            )]))],
        },
        says: "Stochastic debate: Alice names each bit's probability, coins make it, Bob may have one probability sampled.",
        given: "Oracles by history; the figure's constants are `constants: Paper`.",
        figures: &[figure(
            "Between honest players Alice is accepted as often as the machine says 1.",
            "debate-tui solve caffeine-plan --protocol 'Stochastic(k: 3)' --prover honest",
            "value",
            "≈ 0.212",
            "P[M = 1], by dynamic programming over prefixes with binomial tails.",
        )],
    },
    Statement {
        standing: Standing {
            name: "DE Figure 3",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "primes-certificate",
            )]))],
        },
        says: "The same with a witness, which Alice gives first.",
        given: "The figure's body is missing in the text: read as Theorem 7.1 says.",
        figures: &[figure(
            "A false certificate that 561 is prime is caught.",
            "debate-tui solve primes-certificate --prover liar --opponent honest --exact",
            "value",
            "-1/1",
            "Its transcript is true for its witness, and ends in 0 wherever it is.",
        )],
    },
    Statement {
        standing: papers::DE_FIGURE_4,
        says: "Bisection: Alice names the middle configuration, Bob a half, until one step is left.",
        given: "One label is swapped: step 1(b)'s meaning of b and the half in which the debate goes on; the verifier never checks b. Theorem 5.1's proof says \"which half was incorrect\", and here the debate goes on in the disputed half.",
        figures: &[
            figure(
                "As the label is printed honest Bob loses.",
                "debate-tui solve turing --protocol 'Bisection(half: Printed)' --prover liar --opponent honest --exact",
                "value",
                "1/1",
                "The built-in liar against honest Bob; a test plays the best one on a small machine.",
            ),
            figure(
                "In the disputed half it is caught.",
                "debate-tui solve turing --prover liar --opponent honest --exact",
                "value",
                "-1/1",
                "The rules that are played by default.",
            ),
        ],
    },
    Statement {
        standing: papers::DE_THEOREM_5_1,
        says: "A machine of T steps and space S is debated in log T rounds; the verifier reads log T configurations and asks the oracle once.",
        given: "Debaters who can run the machine.",
        figures: &[figure(
            "The configurations read where ⌈log2 T⌉ + 2 = 8 are promised.",
            "debate-tui solve turing --prover honest --opponent best-response --exact",
            "ledger.configurations_read",
            "8/1",
            "Against the best of all replies. Tests play every reply of either seat on small machines.",
        )],
    },
    Statement {
        standing: papers::DE_THEOREM_5_3,
        says: "With cross-examination the verifier reads a pointer and one step, whatever T is.",
        given: "Copies of the debaters that answer alike without context.",
        figures: &[figure(
            "The bits read of a transcript of 47 gates.",
            "debate-tui solve multiplier --prover honest --opponent best-response --exact",
            "ledger.bits_read",
            "9/1",
            "⌈log2 m⌉ + 3, against the best of all Bobs.",
        )],
    },
    Statement {
        standing: papers::DE_THEOREM_6_2,
        says: "There is a stochastic debate that decides a K-Lipschitz machine with completeness 3/5 and soundness 2/5; the verifier's samples depend on K alone.",
        given: "K-Lipschitz at the oracle; P[M = 1] above 2/3 or below 1/3. The proof redefines the oracle at a question that comes again; the machine-checked version indexes oracles by history, and is not affected.",
        figures: &[
            figure(
                "Where the machine says 1 at most one time in three, honest Bob keeps every Alice at 2/5 or below.",
                "debate-tui solve caffeine-plan --protocol 'Stochastic(k: 3)' --prover best-response --opponent honest",
                "value",
                "≈ 0.2275245086",
                "The machine-checked constants; the best of all Alices.",
            ),
            figure(
                "One far lie of Alice's is caught.",
                "debate-tui solve caffeine-plan --protocol 'Stochastic(k: 3)' --prover 'liar(1)'",
                "value",
                "≈ 0",
                "She is accepted with probability below 1e-15.",
            ),
            figure(
                "Figure 2's protocol where oracles are indexed by the question alone: a plan that asks one question 32 times hardly moves with it, yet a prover who claims 7/8 and later 1/8 is accepted.",
                "debate-tui solve one-question",
                "prover_wins",
                "≈ 0.9604926556",
                "K is below 1/150 in that reading, and the paper's constants are those for K = 1/150. In the machine-checked reading, where the answer may hang on the history, K is at least 2.58 (`check one-question`), and that theorem is not affected.",
            ),
            figure(
                "The truth there is about one in a thousand.",
                "debate-tui solve one-question --prover exact --opponent silent",
                "prover_wins",
                "≈ 0.0010512008",
                "P[M = 1] = 4514873/2³².",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "DE Theorem 7.1",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "primes-certificate",
            )]))],
        },
        says: "With a witness cross-examination decides NP with an oracle: one step is checked.",
        given: "A right witness, where the claim is true.",
        figures: &[figure(
            "The bits read where a liar gives a certificate of 561 and honest Bob points at a step.",
            "debate-tui solve primes-certificate --prover liar --opponent honest --exact",
            "ledger.bits_read",
            "14/1",
            "`check primes-certificate` promises 46 at most: another step reads more bits. Figure 3 has the verdict. Tests walk every play \
             of 1,152 circuits and 256 formulas with a witness of two bits.",
        )],
    },
    Statement {
        standing: Standing {
            name: "DE Theorem 7.2",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "caffeine-choice",
            )]))],
        },
        says: "The same for stochastic debate: Alice gives a witness first, and the machine reads it.",
        given: "K-Lipschitz for every witness; some witness is accepted above 2/3, or all below 1/3.",
        figures: &[
            figure(
                "A plan that begins with a choice of trials, which is Alice's to make: against the best of all Bobs she loses nothing to speak of of the 81/100 that the right choice has.",
                "debate-tui solve caffeine-choice --protocol 'Stochastic(k: 2, witness: true)' --prover honest --opponent best-response",
                "value",
                "≈ 0.81",
                "Tests hold 3/5 and 2/5 exactly for K of 1/2, 1 and 3 on random computations with a witness of one bit, for K of 1 and 3 also of two, and up to four bits after it, with both constants, and of three bits at K = 3 with the machine-checked ones; the best of all Alices tries every witness.",
            ),
            figure(
                "Far lies about a computation that reads the witness are caught.",
                "debate-tui solve caffeine-choice --protocol 'Stochastic(k: 2, witness: true)' --prover 'liar(2)' --opponent honest",
                "value",
                "≈ 0",
                "She calls it certain that people find the choice fair.",
            ),
        ],
    },
    Statement {
        standing: papers::FORMAL_CORRECTNESS,
        says: "The machine-checked Theorem 6.2: completeness 3/5 and soundness 2/5 with its own constants.",
        given: "K-Lipschitz with oracles by history.",
        figures: &[
            figure(
                "The best of all Alices against honest Bob, where the machine says 1 less than one time in three.",
                "debate-tui solve caffeine-plan --protocol 'Stochastic(k: 3)' --prover best-response --opponent honest",
                "value",
                "≈ 0.2275245086",
                "At most 2/5 is promised. Tests hold 3/5 and 2/5 exactly for K of 1/2, 1 and 3 on random machines of up to seven bits.",
            ),
            figure(
                "Honest Alice against the best of all Bobs loses nothing to speak of of P[M = 1] = 0.212.",
                "debate-tui solve caffeine-plan --protocol 'Stochastic(k: 3)' --prover honest --opponent best-response",
                "value",
                "≈ 0.212",
                "What is promised is 3/5 where the machine says 1 two times in three.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "Lean: Alice's cost",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "caffeine-plan",
            )]))],
        },
        says: "Honest Alice asks at most (t + 1)(5000k² ln(200(t + 1)) + 1) times on average.",
        given: "t + 1 bits, the default constants.",
        figures: &[
            figure(
                "What honest Alice asks on average in the plan of three steps at k = 3.",
                "debate-tui solve caffeine-plan --protocol 'Stochastic(k: 3)' --prover honest --opponent honest",
                "ledger_by_seat.prover.oracle_queries",
                "≈ 863586",
                "Computed for honest players.",
            ),
            figure(
                "The bound.",
                "debate-tui check caffeine-plan --protocol 'Stochastic(k: 3)'",
                "bounds.queries_on_average.alice",
                "≈ 863588.5034541797",
                "Tests hold what is measured against it.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "Lean: Bob's cost",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "caffeine-plan",
            )]))],
        },
        says: "Honest Bob asks at most (t + 1)(20000/9 k² ln(200(t + 1)) + 1) times on average.",
        given: "As for Alice.",
        figures: &[
            figure(
                "What honest Bob asks on average in the plan of three steps at k = 3.",
                "debate-tui solve caffeine-plan --protocol 'Stochastic(k: 3)' --prover honest --opponent honest",
                "ledger_by_seat.opponent.oracle_queries",
                "≈ 383817",
                "Computed for honest players.",
            ),
            figure(
                "The bound.",
                "debate-tui check caffeine-plan --protocol 'Stochastic(k: 3)'",
                "bounds.queries_on_average.bob",
                "≈ 383818.7793129688",
                "Tests hold what is measured against it.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "Lean: Vera's cost",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "caffeine-plan",
            )]))],
        },
        says: "The verifier asks at most 106000k² + 1 times on average, whatever t is.",
        given: "As for Alice.",
        figures: &[
            figure(
                "What the verifier asks where a Bob has every debate checked.",
                "debate-tui solve caffeine-plan --protocol 'Stochastic(k: 3)' --prover honest --opponent false-alarm",
                "ledger_by_seat.judge.oracle_queries",
                "≈ 953698",
                "953698 samples for one check; honest players make none, but for less than 1e-15.",
            ),
            figure(
                "The bound.",
                "debate-tui check caffeine-plan --protocol 'Stochastic(k: 3)'",
                "bounds.queries_on_average.verifier",
                "≈ 954001",
                "Tests hold what is measured against it.",
            ),
        ],
    },
];
