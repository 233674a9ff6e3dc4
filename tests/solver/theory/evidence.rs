use debate_core::number::{Exact, Number as _};
use debate_core::protocol::Protocol;
use debate_theory::{JointEvidenceErrors, evidence_errors};
use num_traits::{One as _, Zero as _};

use crate::support::scenarios::setup;

fn errors(gate: &str, leaves: [bool; 2], flip: &str, evidence: &str) -> JointEvidenceErrors<Exact> {
    let setup = setup(&format!(
        "Scenario(format: 1, title: \"Two\", problem: Argument(root: \"r\", claims: {{\
         \"r\": Claim(text: \"R.\", supports: [Support(gate: {gate}, on: [\"a\", \"b\"])]), \
         \"a\": Claim(text: \"A.\", truth: {}), \"b\": Claim(text: \"B.\", truth: {})}}), \
         decomposition: Stable(3), oracle: Noisy(\"{flip}\"), evidence: {evidence}, \
         protocol: ProverEstimator(epsilon: 0.1, rho: 0.5))",
        leaves[0], leaves[1]
    ));
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("the scenario names its rules");
    };
    evidence_errors(&setup, parameters, Exact::clone).unwrap()
}

/// An `All` over six pieces, three per leaf, walked one by one, with the common cause of each leaf.
#[test]
fn the_error_of_the_debated_claim_agrees_with_enumeration() {
    for (gate, holds) in [
        ("All", (|a, b| a && b) as fn(bool, bool) -> bool),
        ("Any", |a, b| a || b),
        ("Xor", |a, b| a != b),
    ] {
        for leaves in [[true, true], [true, false], [false, false]] {
            let (flip, shared) = (Exact::ratio(1, 5), Exact::ratio(1, 7));
            let mut wrong = Exact::zero();
            for outcome in 0_u32..1 << 8 {
                let mut chance = Exact::one();
                let mut said = [0, 0];
                for leaf in 0..2 {
                    let struck = outcome >> (6 + leaf) & 1 == 1;
                    chance *= if struck {
                        shared.clone()
                    } else {
                        Exact::one() - &shared
                    };
                    for piece in 0..3 {
                        let errs = outcome >> (3 * leaf + piece) & 1 == 1;
                        chance *= match (struck, errs) {
                            (true, true) => Exact::one(),
                            (true, false) => Exact::zero(),
                            (false, true) => flip.clone(),
                            (false, false) => Exact::one() - &flip,
                        };
                        said[leaf] += u32::from(leaves[leaf] != errs);
                    }
                }
                if holds(said[0] > 1, said[1] > 1) != holds(leaves[0], leaves[1]) {
                    wrong += chance;
                }
            }
            let found = errors(gate, leaves, "1/5", "SharedCause(\"1/7\")");
            assert_eq!(found.wrong, [wrong.clone(), wrong], "{gate} {leaves:?}");
        }
    }
}

/// Pieces that are always right except for a shared cause add no information after the others. A thousandth of shared
/// cause breaks Definition 8.1, and Theorem 8.3 with it.
#[test]
fn a_shared_cause_breaks_a_hypothesis_of_the_theorem() {
    let alone = errors("All", [true, true], "0", "Independent");
    assert!(alone.s_supported);
    assert_eq!(
        (alone.supported.clone(), alone.wrong[1].clone()),
        (Exact::one(), Exact::zero())
    );
    let together = errors("All", [true, true], "0", "SharedCause(0.001)");
    assert!(!together.s_supported);
    assert_eq!(together.supported, Exact::zero());
    assert_eq!(together.wrong[0], Exact::ratio(1999, 1_000_000));
    assert!(together.wrong[0] > together.allowed);
}

/// The second half of Theorem 8.3, for pieces that err so rarely that it holds, and for pieces that err too often.
#[test]
fn the_intended_claim_holds_where_the_debated_claim_nearly_always_does() {
    let rare = errors("All", [true, true], "1/100000", "Independent");
    assert_eq!(rare.membership, Some(true));
    assert_eq!(rare.true_if_true, Some(Exact::one() - &rare.wrong[1]));
    assert!(rare.true_if_true.unwrap() > rare.required && rare.true_if_false.is_none());
    let false_claim = errors("All", [true, false], "1/100000", "Independent");
    assert_eq!(false_claim.membership, Some(true));
    assert_eq!(
        false_claim.true_if_false.as_ref(),
        Some(&false_claim.wrong[1])
    );
    let often = errors("All", [true, true], "1/5", "Independent");
    assert_eq!(often.membership, Some(false));
}
