use std::sync::Arc;

use debate_core::gate::{Gate, GateError};
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Instance, MAX_SUBCLAIM_CHARACTERS, Oracle,
    ProverSupportLimits, ProverWrittenSubclaim, ProverWrittenSupport, ProverWrittenSupportError,
    ScenarioValuePath, SupportSpec,
};
use proptest::prelude::*;

fn composed(gate: Gate, texts: &[&str]) -> ProverWrittenSupport {
    ProverWrittenSupport {
        gate,
        parts: texts
            .iter()
            .copied()
            .map(ProverWrittenSubclaim::new)
            .collect(),
    }
}

/// A claim with one listed support, which consists of a claim that may be split and one with evidence.
pub fn instance(depth: u32, width: u32) -> Instance {
    let claim = |text: &str| ClaimSpec {
        text: text.to_owned(),
        ..ClaimSpec::default()
    };
    let root = ClaimSpec {
        supports: vec![SupportSpec {
            label: None,
            gate: Gate::All,
            on: vec!["a".to_owned(), "b".to_owned()],
            sound: true,
        }],
        ..claim("It is worth it.")
    };
    let letter = ClaimSpec {
        evidence: Some("A letter of thanks.".to_owned()),
        ..claim("It pleases.")
    };
    let claims = [("r", root), ("a", claim("It pays.")), ("b", letter)];
    let spec = ArgumentProblemSpec {
        root: "r".to_owned(),
        claims: claims.map(|(id, claim)| (id.to_owned(), claim)).into(),
        open: Some(ProverSupportLimits { depth, width }),
        ..ArgumentProblemSpec::default()
    };
    let argument = ArgumentProblem::build(spec, &ScenarioValuePath::default()).unwrap();
    Instance::new(Arc::new(argument), 0, Oracle::Truth)
}

#[test]
fn each_mistake_in_a_support_is_named() {
    let long = "x".repeat(MAX_SUBCLAIM_CHARACTERS + 1);
    let wide = "日".repeat(MAX_SUBCLAIM_CHARACTERS);
    let check = |composed: &ProverWrittenSupport| composed.check_support("It is worth it.", 3);
    let refused = [
        (composed(Gate::All, &[]), ProverWrittenSupportError::Nothing),
        (
            composed(Gate::All, &["a", "b", "c", "d"]),
            ProverWrittenSupportError::TooMany { given: 4, most: 3 },
        ),
        (
            composed(Gate::Any, &["a", " "]),
            ProverWrittenSupportError::Empty(2),
        ),
        (
            composed(Gate::Any, &[&long]),
            ProverWrittenSupportError::TooLong(1),
        ),
        (
            composed(Gate::Any, &["a", "b\u{202e}"]),
            ProverWrittenSupportError::Unsafe {
                place: 2,
                code: 0x202e,
            },
        ),
        (
            composed(Gate::Any, &["It  pays.", "b", "it pays"]),
            ProverWrittenSupportError::Twice(1, 3),
        ),
        (
            composed(Gate::Any, &["a", " it is worth IT"]),
            ProverWrittenSupportError::Itself(2),
        ),
        (
            composed(Gate::AtLeast(3), &["a", "b"]),
            ProverWrittenSupportError::Gate(GateError::Threshold(3, 2)),
        ),
        (
            composed(Gate::Not, &["a", "b"]),
            ProverWrittenSupportError::Gate(GateError::NotArity(2)),
        ),
        (
            composed(Gate::Table([true, false].into()), &["a"]),
            ProverWrittenSupportError::Unspoken,
        ),
    ];
    for (composed, why) in refused {
        assert_eq!(check(&composed), Err(why), "{composed:?}");
    }
    for (gate, texts) in [
        (Gate::Not, &["a"][..]),
        (Gate::Xor, &["a", "b", "c"]),
        (Gate::AtLeast(2), &["a", &wide]),
    ] {
        assert_eq!(check(&composed(gate, texts)), Ok(()));
    }
}

#[test]
fn claims_can_be_split_down_to_the_depth_unless_they_are_to_be_judged() {
    let instance = instance(2, 3);
    let root = instance.root();
    assert_eq!(instance.max_prover_written_subclaims(root), Some(3));
    assert!(!instance.is_leaf(root) && !instance.are_all_truths_computable());
    assert_eq!((instance.size().depth, instance.size().width), (2, 3));

    // A claim with evidence is judged; a claim with neither evidence nor supports may be split.
    let listed = &instance.supports(root)[0].on;
    assert_eq!(instance.max_prover_written_subclaims(listed[0]), Some(3));
    assert!(instance.is_leaf(listed[1]));
    assert_eq!(instance.truth(listed[1]), None);
    assert_eq!(
        instance.add_prover_written_support(listed[1], &composed(Gate::All, &["a"])),
        Err(ProverWrittenSupportError::Closed)
    );

    let mut split = composed(Gate::All, &["one", "two"]);
    split.parts[1].judged = true;
    let number = instance.add_prover_written_support(root, &split).unwrap();
    assert_eq!(number, 1);
    let on = instance.support(root, number).unwrap().on.clone();
    assert_eq!(instance.text(on[0]), "one");
    assert!(!instance.is_leaf(on[0]) && instance.is_leaf(on[1]));
    let number = instance.add_prover_written_support(on[0], &composed(Gate::Any, &["three"]));
    let deep = instance.support(on[0], number.unwrap()).unwrap().on[0];
    assert!(instance.is_leaf(deep));
    assert_eq!(
        (
            instance.truth(deep),
            instance.oracle_yes_probability(deep, &[])
        ),
        (None, None)
    );
    assert_eq!(instance.evidence(deep), None);
}

#[test]
fn numbers_of_supports_are_unique_and_reused_for_equal_supports() {
    let instance = instance(3, 3);
    let root = instance.root();
    let first = composed(Gate::All, &["one", "two"]);
    let number = instance.add_prover_written_support(root, &first).unwrap();
    let other = instance
        .add_prover_written_support(root, &composed(Gate::Any, &["one", "two"]))
        .unwrap();
    assert_ne!(number, other);
    assert_eq!(
        instance.add_prover_written_support(root, &first),
        Ok(number)
    );
    let claims = &instance.support(root, number).unwrap().on;
    assert_eq!(claims, &instance.support(root, other).unwrap().on);
    // A written support is not added to the list.
    assert_eq!(instance.supports(root).len(), 1);
    for number in [number, other] {
        assert_eq!(instance.support(claims[0], number), None);
    }
    assert_eq!(instance.support(root, u32::MAX), None);
    assert_eq!(instance.prover_written_support(root, number), Some(first));
    assert_eq!(instance.prover_written_support(root, 0), None);
    // A new instance has no written support.
    assert_eq!(
        instance
            .copy_with_only_root_numbered()
            .support(root, number),
        None
    );
}

proptest! {
    #[test]
    fn accepted_supports_read_back_and_refused_ones_leave_no_trace(
        texts in prop::collection::vec("\\PC{0,12}|[ab] ?|\\u{202e}", 0..6),
        judged in any::<u8>(),
        gate in prop::sample::select(vec![
            Gate::All, Gate::Any, Gate::Majority, Gate::Xor, Gate::Not, Gate::AtLeast(2),
        ]),
    ) {
        let instance = instance(3, 4);
        let root = instance.root();
        let mut composed = composed(gate, &[]);
        for (place, text) in texts.iter().enumerate() {
            let mut part = ProverWrittenSubclaim::new(text.as_str());
            part.judged = judged >> place & 1 == 1;
            composed.parts.push(part);
        }
        match instance.add_prover_written_support(root, &composed) {
            Ok(number) => {
                let support = instance.support(root, number).unwrap();
                prop_assert_eq!(support.on.len(), texts.len());
                for (claim, part) in support.on.iter().zip(&composed.parts) {
                    prop_assert_eq!(instance.text(*claim), part.text.trim());
                    prop_assert_eq!(instance.is_leaf(*claim), part.judged);
                }
                prop_assert_eq!(support.gate.check_input_count(texts.len()), Ok(()));
            }
            Err(why) => {
                prop_assert!(!why.to_string().is_empty());
                prop_assert_eq!(instance.support(root, 1), None);
            }
        }
    }
}
