//! Prover-estimator debate (PE): definitions, figure, algorithm, lemmas and theorems.

use super::{Statement, figure};
use debate_lab::theory::papers::{
    self, Example, Outcome, Reading, Standing, Variant, plain, verdict,
};

pub(super) const STATEMENTS: &[Statement] = &[
    Statement {
        standing: Standing {
            name: "PE Definition 5.1",
            verdicts: &[
                plain(Outcome::HoldsHere(&[
                    Example::Scenario("primes"),
                    Example::Scenario("primes-recursive"),
                ])),
                verdict(Outcome::VariantFails(Variant::UnsoundSupports), 7),
            ],
        },
        says: "A recursive decomposition: a claim follows by a gate from q subclaims, d levels deep, and the oracle decides the leaves.",
        given: "None: a scenario's problem states its own, or it is made.",
        figures: &[
            figure(
                "The depth of the search for a divisor of 4331.",
                "debate-tui check primes",
                "depth",
                "3",
                "Sixty-four candidates, four intervals a level.",
            ),
            figure(
                "Under plain recursion a liar hides one false part among 64 from a challenger who cannot find it, and wins 63 debates of 64 (PE §7).",
                "debate-tui solve primes-recursive --exact",
                "value",
                "31/32",
                "A win counts 1, a loss −1. A challenger who can search all of it wins.",
            ),
            figure(
                "A hypothesis that is easily missed: a claim must follow from whatever subclaims Alice chooses. A support that does not carry its claim is outside the definition, which computes a claim from the true answers of its own queries. Where there is one, a liar wins under plain recursion against a Bob who knows every truth.",
                "debate-tui solve pull-request --protocol Recursive --prover best-response --opponent honest --exact",
                "value",
                "1/1",
                "All tests pass, and the change is not safe. Nobody can dispute the step from the subclaims to the claim (Errata 7). `check pull-request` names the support.",
            ),
            figure(
                "The smallest game in which a liar beats a Bob who knows all under plain recursion: one leaf that carries nothing.",
                "debate-tui search recursion --worlds 1",
                "smallest.units",
                "1",
                "Found from the statement alone; there is none where supports carry their claims (`--supports sound`).",
            ),
            figure(
                "And under PE such a support pays Alice, against a Bob who says the truth of every claim.",
                "debate-tui solve pull-request --prover best-response --opponent truthful --exact",
                "value",
                "33/1048576",
                "r⁴ + r³ with r = 1/32, where r³ is paid for the support, after a true answer and after a false one alike.",
            ),
            figure(
                "Honesty gets a part in 33 of that.",
                "debate-tui solve pull-request --prover honest --opponent truthful --exact",
                "value",
                "1/1048576",
                "r⁴: what the true answer is paid.",
            ),
            figure(
                "Where Bob may dispute the step (ours), the lie loses under plain recursion whatever Alice chooses.",
                "debate-tui solve pull-request --protocol 'Recursive(warrants: Challenge)' --prover best-response --prover-answers true --opponent honest --exact",
                "value",
                "-1/1",
                "So it does in every bundled scenario of claims, and in 1,000 random ones with supports that do not carry their claim: not where the claims or the proof are written by Alice.",
            ),
            figure(
                "And under PE nothing is left of the lie.",
                "debate-tui solve pull-request --protocol 'ProverEstimator(epsilon: 0.25, rho: 0.5, warrants: Challenge)' --prover best-response --prover-answers true --opponent truthful --exact",
                "value",
                "0/1",
                "Without the dispute it was r³.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "PE Definition 5.2",
            verdicts: &[plain(Outcome::HoldsHere(&[
                Example::Scenario("primes"),
                Example::Scenario("primes-stable"),
            ]))],
        },
        says: "A decomposition is provable by a class of debaters with probability 1 − γ: one of them answers every claim of it truly.",
        given: "The class: who knows all that can be computed, or so much of the instance and looks up so many leaves.",
        figures: &[
            figure(
                "The share of μ on which all can be decided.",
                "debate-tui check primes-stable --exact",
                "provable",
                "1/1",
                "Undecidable claims, such as those of `one-question`, would be left out.",
            ),
            figure(
                "Of whoever knows which ten numbers there are, not which it is, and looks up three divisors.",
                "debate-tui check primes --prover-knows nothing --prover-queries 3 --exact",
                "provable_by.low",
                "7/10",
                "By the best of all plans of what to look up next.",
            ),
            figure(
                "Of whoever has the number and tries nine divisors.",
                "debate-tui check primes --prover-queries 9 --exact",
                "provable_by.low",
                "5/9",
                "Not over μ: one of 18 primes up to 65 is the divisor, each with the same chance, nine are tried and one more is guessed. Over μ whoever has the number could know its divisor (`provable`, above).",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "PE Definition 5.3",
            verdicts: &[plain(Outcome::HoldsHere(&[
                Example::Scenario("primes-stable"),
                Example::Scenario("hidden-flaw"),
            ]))],
        },
        says: "(ε, ρ)-stability: estimates off by less than ε move the gate's probability by less than ρε.",
        given: "The conditional probabilities are the truths, 0 or 1.",
        figures: &[
            figure(
                "The most that a support of five witnesses under a majority moves, where 1/8 is allowed.",
                "debate-tui check primes-stable --exact",
                "stability.worst_deviation",
                "53/512",
                "By induction over prefixes, counts where the gate is symmetric.",
            ),
            figure(
                "All of two is not stable.",
                "debate-tui check hidden-flaw --exact",
                "stability.stable",
                "false",
                "One of two subclaims off by 1/4 moves it by 1/4, more than 1/8.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "PE Definition 8.1",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "five-parts-stable",
            )]))],
        },
        says: "A language is s-supported if every question to the judge has s independent pieces of evidence.",
        given: "That the pieces are independent is assumed; nothing can check it.",
        figures: &[figure(
            "Whether each piece is right with the probability that the definition asks for, whatever the other pieces say.",
            "debate-tui check five-parts-stable --exact",
            "stability.evidence.errors.s_supported",
            "true",
            "On this instance, whose s = κ^d = 5 pieces for a claim are stated to be independent and never wrong; 1 − ε/(4n) = 255999/256000 is asked for.",
        )],
    },
    Statement {
        standing: Standing {
            name: "PE Definition 8.2",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "five-parts-stable",
            )]))],
        },
        says: "The stable transformation: each question becomes a majority over its pieces of evidence.",
        given: "As for Definition 8.1.",
        figures: &[figure(
            "The width of the support that five parts become with five pieces each.",
            "debate-tui check five-parts-stable --require-stable",
            "stability.evidence.width",
            "25",
            "`decomposition: Stable(auto)` does it to any decomposition.",
        )],
    },
    Statement {
        standing: Standing {
            name: "PE Definition A.1",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "hidden-flaw",
            )]))],
        },
        says: "Estimates are (δ, F)-indistinguishable from the truth if no test of F has an advantage of δ.",
        given: "F: the round's test, the selection test and the point indicators (`train --show-tests`).",
        figures: &[figure(
            "The largest advantage that a test keeps over trained estimates, where δ = 1/100.",
            "debate-tui train hidden-flaw --delta 0.01",
            "rounds.0.worst_advantage_after",
            "≈ 0.008958333333333334",
            "Before training it is 1/4.",
        )],
    },
    Statement {
        standing: papers::PE_FIGURE_2,
        says: "The protocol: an answer, an estimate, then in every round a bet, a support, conditional estimates with a coin each, and a choice of where to go on.",
        given: "0 < ε < 1/2, 0 < ρ < 1; r = ε(1 − ρ)/4. Figure 2 must let the claim fix the machine, as PE Definition 5.1 speaks of it (\"the machine that verifies proofs for x ∈ L (or x ∉ L respectively)\").",
        figures: &[
            figure(
                "Where one machine is played whichever way Alice claims, and leaves read bits that she writes: three true leaves under a majority, of which she says that the majority is false. She spoils the bits and bets down, against a Bob who says the truth of every claim.",
                "debate-tui solve three-receipts --prover best-response --prover-answers false --opponent truthful --exact",
                "value",
                "1/1",
                "A test holds that no built-in Bob keeps her below r² = 1/6400, where soundness allows εr² = 1/64000. If the claim fixes the machine, and truth is relative to the bits given, PE equation 10 is an equality.",
            ),
            figure(
                "All of it is owed to that hypothesis.",
                "debate-tui solve three-receipts --prover best-response --prover-answers false --opponent truthful --soundness --exact",
                "soundness.hypotheses.4.gives",
                "1/1",
                "\"No leaf reads the prover's bits, or the claim fixes the machine\". `check`, `solve --soundness` and `equilibrium` list it. The truth that `equilibrium --all` finds of such a file shows nothing more: there Alice mixes her bits, and Bob cannot ask for them as the paper's B can.",
            ),
            figure(
                "On the number on which plain recursion fails the same liar earns nothing.",
                "debate-tui solve primes --instance 4331 --exact",
                "value",
                "0/1",
                "Against this estimator, who knows that the number is composite but not where.",
            ),
            figure(
                "There the honest Alice of Lemma A.5's proof earns what a true answer is paid, and no more: where the root is estimated within ε, her rule is to bet nothing in any round.",
                "debate-tui solve primes --instance 4331 --prover honest --exact",
                "value",
                "1/10000",
                "r^(d+1), with r = 1/10 and d = 3. It is a rule of the proof, and not all that honesty can earn.",
            ),
            figure(
                "The same answer with bets in every round, by equation (13) alone, earns more.",
                "debate-tui solve primes --instance 4331 --prover 'honest(markov)' --exact",
                "value",
                "4331/6000",
                "Bob does not know where the divisor is; she does.",
            ),
            figure(
                "The most that any Alice gets from this Bob.",
                "debate-tui solve primes --instance 4331 --prover best-response --exact",
                "value",
                "9033/10000",
                "She answers truly too.",
            ),
            figure(
                "The same of anybody who knows of the number no more than which ten it may be, over all ten: more than four times what the best built-in liar gets there, `exploiter` with 157/30000.",
                "debate-tui solve primes --prover best-response --prover-knows nothing --exact",
                "value",
                "233/10000",
                "Against this Bob, `bayes`. The best of all strategies that are functions of what such a seat sees, by dynamic programming over its information sets.",
            ),
            figure(
                "The best of those who say that it is prime, a lie of each of the ten.",
                "debate-tui solve primes --prover best-response --prover-knows nothing --prover-answers true --exact",
                "value",
                "29/1250",
                "It is 232/10000: what a true answer is paid, 1/10000, is all that the lie costs her.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "PE Algorithm 1",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "hidden-flaw",
            )]))],
        },
        says: "Online gradient descent over μ makes estimates that no test of F tells from the truth.",
        given: "δ > 0; a constant step δ/|Z|, from the uniform distribution.",
        figures: &[figure(
            "Its steps at δ = 1/100.",
            "debate-tui train hidden-flaw --delta 0.01",
            "rounds.0.steps",
            "558",
            "In rationals, so that anybody gets the same table.",
        )],
    },
    Statement {
        standing: Standing {
            name: "PE Lemma A.3",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "hidden-flaw",
            )]))],
        },
        says: "Estimates that are (δ, F)-indistinguishable exist and take no more than some |Z|²/δ² steps.",
        given: "F is finite and its tests lie between −1 and 1.",
        figures: &[
            figure(
                "Training ends below δ.",
                "debate-tui train hidden-flaw --delta 0.01",
                "indistinguishable",
                "true",
                "After 558 steps.",
            ),
            figure(
                "The most steps that a constant step can take: (|Z| − 1)/δ².",
                "debate-tui train hidden-flaw --delta 0.01",
                "rounds.0.bound",
                "30000.0",
                "Four outcomes, δ = 1/100.",
            ),
        ],
    },
    Statement {
        standing: papers::PE_LEMMA_A4,
        says: "Soundness: against every prover of the class some estimator keeps the payoff to P[A = L]·r^(d+1) and an offset of order δ.",
        given: "The estimator's tests cover what the prover does; blindness stands in for hardness below. No leaf reads the prover's bits, or the claim fixes the machine; a claim follows from whatever subclaims Alice chooses.",
        figures: &[
            figure(
                "The proof: from estimates that no blind test tells from the truth, a liar who knows nothing earns 1/2.",
                "debate-tui solve hidden-flaw --exact",
                "value",
                "1/2",
                "The estimator gives its exact posterior; F is restricted to blind tests. What this does not show: with only two instances in μ the paper's own F holds tests that read x, so it says nothing against the lemma's B. Since B may query any A in the class, Theorem 6.2 is untouched. The statement stays open.",
            ),
            figure(
                "The smallest games in which such an estimator loses to a liar who knows nothing, found by search: All of two leaves that hang together.",
                "debate-tui search posterior --epsilon 1/4 --rho 1/2",
                "smallest.value",
                "1025/2048",
                "1/2, and what half a true answer is paid. The bound would be at most 5/6144.",
            ),
            figure(
                "Algorithm 1's own output, at δ = 1/100, leaves her nearly as much.",
                "debate-tui solve hidden-flaw --opponent 'indistinguishable(0.01)' --exact",
                "value",
                "75977/153600",
                "The bound that the lemma would give is 3δ = 0.03.",
            ),
            figure(
                "Every step of the proof by itself: of what she keeps before that Bob, all tests that he must pass account for 0.0017 at most each,",
                "debate-tui solve hidden-flaw --opponent 'indistinguishable(0.01)' --soundness --exact",
                "soundness.largest_advantage",
                "1/600",
                "He is (δ, F)-indistinguishable for this Alice at δ = 1/100.",
            ),
            figure(
                "and the step of equation (9), which takes samples for truths, for the rest.",
                "debate-tui solve hidden-flaw --opponent 'indistinguishable(0.01)' --soundness --exact",
                "soundness.hypotheses.3.gives",
                "1183/2400",
                "`solve --soundness` says which hypothesis fails, for named players and for the best of all who know no more.",
            ),
            figure(
                "An estimator who leaves the coins aside gives her r²/4.",
                "debate-tui solve hidden-flaw --opponent marginal --exact",
                "value",
                "1/4096",
                "So some estimator does satisfy the lemma here; it is the best of those that do not know the place.",
            ),
            figure(
                "The statement with blindness in place of hardness: \"not exactly two of four\", two being true, leaves every blind estimator's liar at least 5r²/8.",
                "debate-tui solve hidden-flaw-count --exact",
                "value",
                "5/8192",
                "At Theorem 6.2's δ the bound is r²/4 = 1/4096. In general, for d = 1 and rq ≤ 1, a liar keeps at least r²·P_product[M = 1] against any blind estimator. On paper only, not by a command: a family breaks the statement where B's circuits have no O-gates; Figure 2 gives all parties O, and with O-gates no counterexample is known.",
            ),
            figure(
                "A smaller game of that kind, found by search: whether two leaves differ, which never do. Every blind Bob leaves the liar r²/2, where the bound is r²/3 even with (2d + 2)δ.",
                "debate-tui search soundness --epsilon 1/4 --rho 1/2",
                "smallest.value",
                "1/2048",
                "A gate of two inputs, two instances; `debate-tui search soundness --stable --epsilon 1/20 --width 3..3 --weight 5` finds one where all is stable.",
            ),
        ],
    },
    Statement {
        standing: papers::PE_LEMMA_A5,
        says: "Completeness: honest Alice expects at least (1 − ε)·r^(d+1) from every estimator.",
        given: "Stable and provable; conditionals are carried, as printed. The proof conditions on the last violating round, which biases z; with φ = P[path violates] the bound G_k ≥ r^k(ε(1 − ρ) − φ) + φG_{k−1} mends that, and the lemma stands (Errata 9).",
        figures: &[
            figure(
                "Nobody on the grid brings her lower, and the bound is reached.",
                "debate-tui solve primes-stable --opponent best-response --exact",
                "value",
                "3/4096",
                "(1 − 1/4)·(1/32)². The estimator chooses among the numbers of a grid that the command names.",
            ),
            figure(
                "Nor where the estimator may dispute steps as well (ours).",
                "debate-tui solve primes-stable --protocol 'ProverEstimator(epsilon: 0.25, rho: 0.5, warrants: Challenge)' --opponent best-response --exact",
                "value",
                "3/4096",
                "Whoever disputes a step that follows gives honest Alice one half at least.",
            ),
            figure(
                "Without stability the lemma says nothing, and the bound fails.",
                "debate-tui solve five-parts --opponent best-response --grid 0,0.1,0.101,0.5,0.899,0.9,1 --exact",
                "value",
                "-118909/32000000",
                "The bound would be 9/64000. All of five parts is not stable: `check five-parts` says by how much.",
            ),
            figure(
                "With evidence it holds against the same estimator, and is reached.",
                "debate-tui solve five-parts-stable --opponent best-response --grid 0,0.1,0.101,0.5,0.899,0.9,1 --exact",
                "value",
                "9/64000",
                "(1 − 1/10)·(1/80)². The same five parts, each by five pieces.",
            ),
            figure(
                "Our variant `carry: Marginal` mends soundness (given Errata 6 and 7) and breaks completeness.",
                "debate-tui solve two-of-three --exact",
                "value",
                "17/128000",
                "The lemma would promise 18/128000. Printed rules carry conditionals.",
            ),
            figure(
                "The smallest game in which they do, found by search: most of three leaves, of which sometimes two are wrong together.",
                "debate-tui search completeness --carry marginal --counting --width 3..3 --worlds 4..4 --weight 8..8 --epsilon 1/4 --rho 3/4",
                "smallest.units",
                "5/8",
                "Of r²; the lemma would promise 3/4.",
            ),
            figure(
                "With conditionals no game of a small space breaks it.",
                "debate-tui search completeness",
                "violations",
                "0",
                "Up to two leaves and two instances; `--width 3 --worlds 4 --weight 8` looks at more.",
            ),
            figure(
                "With conditionals she gets what is promised.",
                "debate-tui solve two-of-three --protocol 'ProverEstimator(epsilon: 0.1, rho: 0.5)' --exact",
                "value",
                "16017/128000",
                "On this instance, against this estimator.",
            ),
            figure(
                "A judge who errs costs honest Alice no more than the lemma leaves, up to ρε.",
                "debate-tui solve primes-stable --judge 'noisy(0.125)' --opponent 'shifted(0.3)' --exact",
                "value",
                "1151759/6400000",
                "`check` prints ρε as what the judge may be wrong. Sweep the number in `noisy` to see her share shrink.",
            ),
            figure(
                "Between named players what she expects is linear in the rate at which the judge errs, and the rate at which it is 0 is found exactly.",
                "debate-tui solve primes-stable --opponent 'shifted(0.3)' --judge-errors --exact",
                "judge_errors.break_even.0",
                "1951759/6400000",
                "Against this Bob, who is off by 0.3 everywhere; ρε = 1/8 holds against every Bob. `--judge-errors` also names the leaves about which it costs her the most that the judge is wrong.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "PE Theorem 6.1",
            verdicts: &[
                verdict(Outcome::ProofFails(None), 1),
                verdict(Outcome::ProofFails(Some(Reading::OneMachine)), 6),
                verdict(Outcome::VariantFails(Variant::Blindness), 1),
                verdict(Outcome::VariantFails(Variant::UnsoundSupports), 7),
            ],
        },
        says: "Completeness (1 − ε)/n and soundness P[A = L]/n + η, where n = r^−(d+1).",
        given: "Completeness: provable and stable; that half holds as Lemma A.5 does. Soundness: as Lemma A.4, whose printed proof fails.",
        figures: &[
            figure(
                "The completeness that is promised, and kept.",
                "debate-tui check primes-stable --exact",
                "bounds.completeness",
                "3/4096",
                "(1 − ε)·r². `--require-stable` makes stability a condition of the exit code.",
            ),
            figure(
                "What a blind liar keeps where r²/4 would be the most.",
                "debate-tui solve hidden-flaw-count --opponent marginal --exact",
                "value",
                "5/8192",
                "5r²/8, of every blind estimator: blindness stands in for hardness, and the statement stays open.",
            ),
        ],
    },
    Statement {
        standing: Standing {
            name: "PE Theorem 6.2",
            verdicts: &[plain(Outcome::HoldsHere(&[Example::Scenario(
                "five-parts-stable",
            )]))],
        },
        says: "In a leader's equilibrium the prover answers truly with probability above 1 − 4ε.",
        given: "Stable and provable; the estimator may ask whoever finds what the prover knows; no leaf reads the prover's bits, or the claim fixes the machine; a claim follows from whatever subclaims Alice chooses.",
        figures: &[
            figure(
                "Of the named players the one who leads is honest, where those hypotheses hold that the scenario decides.",
                "debate-tui equilibrium five-parts-stable",
                "leader_choice",
                "honest",
                "1 − 4ε = 3/5. Among the named players alone, and no Bob there asks anybody; the table names the best reply to each.",
            ),
            figure(
                "By all strategies: an Alice who knows which page is wrong keeps 1/2 + r² against the best Bob who does not, saying 0, 1/2 or 1.",
                "debate-tui equilibrium hidden-flaw --all",
                "lower",
                "≈ 0.5009765625",
                "Both ends of the bracket are exact, 1e-14 apart. OpenSpiel's linear programs find 0.50097656 for the exported game (`export hidden-flaw --to efg`). The grid is a hypothesis: it limits Bob alone. Theorem 6.2 is not touched: its hypotheses fail here, and the command says which.",
            ),
            figure(
                "An Alice who does not know it either keeps 3r²/4 against the best Bob: nearly all of `exploiter`'s half is lost to a Bob who knows how to play.",
                "debate-tui equilibrium hidden-flaw --all --prover-knows nothing --points 5",
                "upper",
                "≈ 0.000732421875",
                "Against all Bobs who say 0, 1/4, 1/2, 3/4 or 1 and know as little. With 0, 1/2 and 1 alone they leave her 17r²/2.",
            ),
        ],
    },
    Statement {
        standing: papers::PE_THEOREM_8_3,
        says: "An s-supported language has a stable decomposition: κ pieces of evidence for each subclaim are enough.",
        given: "Independent pieces, ε < 1/2. κ stands in the proof alone. For ε ≥ 1/3 the weakening to 3ε/2 says nothing, and the sharper bound (27) of the proof still does it.",
        figures: &[
            figure(
                "The least κ, by exact search.",
                "debate-tui check five-parts-stable --require-stable",
                "stability.evidence.copies_least",
                "5",
                "κ = 5 makes five parts (1/10, 1/2)-stable.",
            ),
            figure(
                "What stability needs by the proof.",
                "debate-tui check five-parts-stable --require-stable",
                "stability.evidence.copies_needed",
                "15",
                "2 ln(2w/ε) / ln(1/(6ε(1 − 3ε/2))), rounded up to an odd number.",
            ),
            figure(
                "What the proof prints: two expressions that differ by a factor of 2, of which this is the smaller.",
                "debate-tui check five-parts-stable --require-stable",
                "stability.evidence.copies_printed",
                "21",
                "Both are more than stability needs, and κ ≥ 3 is from (25): harmless.",
            ),
            figure(
                "The greater of the two.",
                "debate-tui check five-parts-stable --require-stable",
                "stability.evidence.copies_printed_first",
                "43",
                "3 ln(2w/ε) / D(½ ‖ 1 − 3ε/2).",
            ),
            figure(
                "At ε = 2/5, above 1/3, the least κ for five parts.",
                "debate-tui check five-parts --protocol 'ProverEstimator(epsilon: 0.4, rho: 0.5)'",
                "stability.copies",
                "73",
                "By exact search; the sharper bound in the proof takes more (`copies_needed`).",
            ),
        ],
    },
];
