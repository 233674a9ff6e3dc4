//! Debate query complexity (DQC): the bits of a debate that a verifier must read.

use super::{Statement, figure};
use debate_lab::theory::papers::{self, Example, Functions, Outcome, Standing, plain};

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        standing: Standing {
            name: "DQC Definition 1",
            verdicts: &[plain(Outcome::HoldsHere(&[
                Example::Functions(Functions::MajorityOfThree),
                Example::Functions(Functions::ParityOfFour),
            ]))],
        },
        says: "DQC(f): the fewest bits that a verifier must read of input and transcript to decide f, whatever the transcript's length.",
        given: "Deterministic verifiers, the honest seat wins against every reply.",
        figures: &[
            figure(
                "The majority of three inputs: no verifier of two queries decides it, whatever is debated.",
                "debate-tui queries 00010111",
                "lower",
                "3",
                "By search of all verifiers of two queries; reading the input takes three too.",
            ),
            figure(
                "The parity of four inputs: no verifier of three queries decides it.",
                "debate-tui queries 0110100110010110",
                "lower",
                "4",
                "By search of all verifiers of three queries; reading the input takes four. Of up to four inputs all functions are exact.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "DQC Lemma 3",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Functions(
                Functions::VerifiersOverTwoInputs,
            )]))],
        },
        says: "Rounds whose bits the verifier never reads can be left out: 2^ℓ rounds are enough.",
        given: "A valid debate with a verifier of ℓ queries.",
        figures: &[
            figure(
                "Debates of which the construction leaves out a round: all small verifiers over two inputs.",
                "debate-tui queries",
                "lemma_3.shortened",
                "444",
                "Of 812.",
            ),
            figure(
                "Those that then decide anything else, or are lost by the proof's strategies on some input.",
                "debate-tui queries",
                "lemma_3.failures",
                "0",
                "The honest prover plays the long debate and takes the other's bits that nobody reads for 0.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "DQC Corollary 4",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Functions(
                Functions::UpToThreeInputs,
            )]))],
        },
        says: "A function that depends on all its n inputs needs at least log2 n queries.",
        given: "That it depends on every one of them.",
        figures: &[figure(
            "Functions of up to three inputs that need fewer than log2 of the inputs that they depend on.",
            "debate-tui queries",
            "corollary_4.failures",
            "0",
            "Of 256; on what each depends is examined.",
        )],
    },
    Statement {
        standing: papers::DQC_THEOREM_5,
        says: "A circuit of depth D gives a debate with D + 1 queries.",
        given: "AND, OR and NOT of fan-in 2, the section's convention. \"Any basis\" may be read to include XOR.",
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
            figure(
                "With XOR in the basis the parity of four inputs has depth 2, and would need three bits. It needs these.",
                "debate-tui queries 0110100110010110",
                "lower",
                "4",
                "All verifiers of three queries are searched: 10,448 of the 64,594 functions that use all four inputs are decided with three.",
            ),
        ],
    },
    Statement {
        standing: papers::DQC_THEOREM_6,
        says: "A circuit of m gates gives a debate with ⌈log2 m⌉ + 3 queries.",
        given: "Gates of at most two inputs. The paper takes sizes that are powers of two (its Section 3 says so); for others ⌈log2 m⌉ is read.",
        figures: &[figure(
            "The bits read for one bit of a product, against every Bob.",
            "debate-tui solve multiplier --prover honest --opponent best-response --exact",
            "ledger.bits_read",
            "9/1",
            "`check multiplier` has the promise.",
        )],
    },
    Statement {
        standing: Standing {
            name: "DQC Corollary 7",
            verdicts: &[plain(Outcome::HoldsHere(&[
                Example::Functions(Functions::UpToThreeInputs),
                Example::Functions(Functions::ParityOfSixteen),
            ]))],
        },
        says: "A function with DQC(f) ≥ log2 n + 6 has no circuit of fewer than 8n gates.",
        given: "As Theorem 6.",
        figures: &[
            figure(
                "Functions of up to three inputs that need log2 n + 6 queries. This is vacuous: reading the input takes n, and n is less up to nine.",
                "debate-tui queries",
                "corollary_7.hard",
                "0",
                "Of 230 that depend on some input.",
            ),
            figure(
                "Where it can bite, the parity of sixteen inputs: a circuit of this many gates of two inputs, fewer than 8n = 128,",
                "debate-tui queries",
                "corollary_7.gates",
                "15",
                "so that by the contrapositive fewer than log2 n + 6 = 10 queries do, where reading the input takes 16.",
            ),
            figure(
                "and these do, by cross-examination of that circuit.",
                "debate-tui queries",
                "corollary_7.bits",
                "7",
                "Theorem 6: ⌈log2 15⌉ + 3. The circuit is checked on all 65,536 inputs.",
            ),
        ],
    },
    Statement {
        standing: papers::DQC_LEMMA_8,
        says: "Any debate whose verifier is a circuit of m gates becomes one with ⌈log2 m⌉ + 3 queries: the verifier is cross-examined.",
        given: "Gates of at most two inputs.",
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
        standing: papers::DQC_THEOREM_9,
        says: "What O(log n) queries decide is exactly PSPACE/poly.",
        given: "One inclusion is shown by its construction, on a quantified formula; the other is Lemma 3 and a table of the verifier.",
        figures: &[figure(
            "One quantified formula, of 16 variables: the matrix is cross-examined.",
            "debate-tui solve qbf --protocol 'Quantifiers(verifier: CrossExamined)' --prover honest --opponent best-response --exact",
            "ledger.bits_read",
            "8/1",
            "Where the plain verifier reads 16. Honest Alice wins against every Bob. One formula shows no inclusion of classes.",
        )],
    },
    Statement {
        standing: Standing {
            name: "DQC Theorem 13",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Functions(
                Functions::ParityOfSixteen,
            )]))],
        },
        says: "A randomised verifier that errs at most one time in three needs at least log2 n − 3 queries.",
        given: "The function depends on all its n inputs.",
        figures: &[figure(
            "The parity of sixteen inputs, on the proof's hard distribution of 32 points: at how many every verifier of two queries is wrong at least.",
            "debate-tui queries",
            "theorem_13.least_errors.2",
            "14",
            "More than one in three, so no randomised verifier of two queries is right often enough (Yao). Promised is that one query or more is needed.",
        )],
    },
    Statement {
        standing: Standing {
            name: "DQC Theorem 14",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Functions(
                Functions::MajorityOfThree,
            )]))],
        },
        says: "A randomised verifier of q queries gives a deterministic debate with fewer than q + log2(2k + n) + 10.",
        given: "Error at most one in three on valid transcripts of k rounds.",
        figures: &[
            figure(
                "The majority of three inputs by a randomised verifier that reads two: what the construction's circuit, checked on all inputs, costs by cross-examination.",
                "debate-tui queries",
                "theorem_14.bits",
                "9",
                "A majority of 5 trees in 45 gates.",
            ),
            figure(
                "Promised were fewer than this.",
                "debate-tui queries",
                "theorem_14.promised",
                "14",
                "q + ⌈log2(2k + n)⌉ + 10.",
            ),
        ],
    },
];
