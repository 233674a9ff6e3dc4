//! Debate query complexity (DQC): the bits of a debate that a verifier must read.

use super::{Outcome, Statement, figure};

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        name: "DQC Definition 1",
        says: "DQC(f): the fewest bits that a verifier must read of input and transcript to decide f, whatever the transcript's length.",
        given: "Deterministic verifiers, the honest seat wins against every reply.",
        outcome: Outcome::NotDecided("no command searches for the best verifier yet"),
        figures: &[],
    },
    Statement {
        name: "DQC Lemma 3",
        says: "Rounds whose bits the verifier never reads can be left out: 2^ℓ rounds are enough.",
        given: "A valid debate with a verifier of ℓ queries.",
        outcome: Outcome::NotDecided("the construction is not built yet"),
        figures: &[],
    },
    Statement {
        name: "DQC Corollary 4",
        says: "A function that depends on all its n inputs needs at least log2 n queries.",
        given: "That it depends on every one of them.",
        outcome: Outcome::NotDecided(
            "whether a function depends on its inputs is not looked into yet",
        ),
        figures: &[],
    },
    Statement {
        name: "DQC Theorem 5",
        says: "A circuit of depth D gives a debate with D + 1 queries.",
        given: "AND, OR and NOT; \"any basis\" is not what the proof covers.",
        outcome: Outcome::Holds,
        figures: &[
            figure(
                "The bits read for the parity of eight inputs, a circuit of depth 6 in that basis.",
                "debate-tui solve parity --prover honest --opponent best-response --exact",
                "ledger.bits_read",
                "7/1",
                "Against the best of all replies.",
            ),
            figure(
                "Honest Alice wins there.",
                "debate-tui solve parity --prover honest --opponent best-response --exact",
                "value",
                "1/1",
                "Against every Bob.",
            ),
        ],
    },
    Statement {
        name: "DQC Theorem 6",
        says: "A circuit of m gates gives a debate with ⌈log2 m⌉ + 3 queries.",
        given: "Gates of at most two inputs. (Printed without the rounding up, Errata 6.)",
        outcome: Outcome::Holds,
        figures: &[figure(
            "The bits read for one bit of a product, against every Bob.",
            "debate-tui solve multiplier --prover honest --opponent best-response --exact",
            "ledger.bits_read",
            "9/1",
            "`check multiplier` has the promise.",
        )],
    },
    Statement {
        name: "DQC Corollary 7",
        says: "A function with DQC(f) ≥ log2 n + 6 has no circuit of fewer than 8n gates.",
        given: "As Theorem 6.",
        outcome: Outcome::NotDecided("its contrapositive is not looked at on circuits yet"),
        figures: &[],
    },
    Statement {
        name: "DQC Lemma 8",
        says: "Any debate whose verifier is a circuit of m gates becomes one with ⌈log2 m⌉ + 3 queries: the verifier is cross-examined.",
        given: "Gates of at most two inputs.",
        outcome: Outcome::Holds,
        figures: &[
            figure(
                "A descent, its verifier cross-examined.",
                "debate-tui solve parity --protocol 'Verified(Descent)' --prover honest --opponent best-response --exact",
                "value",
                "1/1",
                "Honest Alice wins against every Bob.",
            ),
            figure(
                "The bits that its verifier reads.",
                "debate-tui solve parity --protocol 'Verified(Descent)' --prover honest --opponent best-response --exact",
                "ledger.bits_read",
                "9/1",
                "More than the seven of the descent itself: the verifier is small here.",
            ),
        ],
    },
    Statement {
        name: "DQC Theorem 9",
        says: "What O(log n) queries decide is exactly PSPACE/poly.",
        given: "One inclusion is shown by its construction, on a quantified formula; the other is Lemma 3 and a table of the verifier.",
        outcome: Outcome::Holds,
        figures: &[figure(
            "A quantified formula of 16 variables: the matrix is cross-examined.",
            "debate-tui solve qbf --protocol 'Quantifiers(verifier: CrossExamined)' --prover honest --opponent best-response --exact",
            "ledger.bits_read",
            "8/1",
            "Where the plain verifier reads 16. Honest Alice wins against every Bob.",
        )],
    },
    Statement {
        name: "DQC Theorem 13",
        says: "A randomised verifier that errs at most one time in three needs at least log2 n − 3 queries.",
        given: "The function depends on all its n inputs.",
        outcome: Outcome::NotDecided("randomised verifiers are not built yet"),
        figures: &[],
    },
    Statement {
        name: "DQC Theorem 14",
        says: "A randomised verifier of q queries gives a deterministic debate with fewer than q + log2(2k + n) + 10.",
        given: "Error at most one in three on valid transcripts of k rounds.",
        outcome: Outcome::NotDecided("the construction is not built yet"),
        figures: &[],
    },
];
