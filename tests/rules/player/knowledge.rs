use debate_core::number::Exact;
use debate_core::player::{KnowledgeError, KnowledgePartition};
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, ScenarioValuePath, SupportSpec, WorldSpec,
};

/// A claim that both of two pages are right; three instances.
fn pages() -> ArgumentProblem {
    let leaf = |id: &str| {
        let claim = ClaimSpec {
            text: id.to_owned(),
            truth: Some(true),
            ..ClaimSpec::default()
        };
        (id.to_owned(), claim)
    };
    let support = SupportSpec {
        label: None,
        gate: debate_core::gate::Gate::All,
        on: vec!["a".into(), "b".into()],
        sound: true,
    };
    let root = ClaimSpec {
        text: "both".into(),
        supports: vec![support],
        ..ClaimSpec::default()
    };
    let world = |name: &str, wrong: &[&str]| WorldSpec {
        name: Some(name.to_owned()),
        weight: Exact::from_integer(1.into()),
        truths: wrong.iter().map(|id| ((*id).to_owned(), false)).collect(),
        evidence: Vec::new(),
    };
    let spec = ArgumentProblemSpec {
        root: "both".into(),
        claims: vec![("both".into(), root), leaf("a"), leaf("b")],
        worlds: vec![world("01", &["a"]), world("10", &["b"]), world("11", &[])],
        ..ArgumentProblemSpec::default()
    };
    ArgumentProblem::build(spec, &ScenarioValuePath::default()).unwrap()
}

#[test]
fn a_partition_is_read_as_it_is_written_and_blocks_follow() {
    let pages = pages();
    for (text, blocks) in [
        ("everything", [0, 1, 2]),
        ("nothing", [0, 0, 0]),
        ("offered", [0, 0, 0]),
        ("leaves(a)", [0, 1, 1]),
        ("leaves(a, b)", [0, 1, 2]),
        ("leaves(both)", [0, 0, 1]),
        ("instances(01 11)", [1, 0, 1]),
        ("instances(01 | 10 11)", [1, 2, 2]),
    ] {
        let knowledge = KnowledgePartition::parse(text).unwrap();
        assert_eq!(knowledge.to_string(), text);
        assert_eq!(
            *knowledge.instance_blocks(&pages).unwrap(),
            blocks,
            "{text}"
        );
    }
}

#[test]
fn unknown_names_in_knowledge_are_refused() {
    for text in ["", "all", "leaves()", "leaves(a", "instances()", "some(a)"] {
        let error = KnowledgePartition::parse(text).unwrap_err();
        assert_eq!(error, KnowledgeError::Malformed(text.to_owned()));
    }
    let pages = pages();
    let refused = |text| {
        KnowledgePartition::parse(text)
            .unwrap()
            .instance_blocks(&pages)
            .unwrap_err()
    };
    assert_eq!(
        refused("leaves(c)"),
        KnowledgeError::NoClaim("c".to_owned())
    );
    assert_eq!(
        refused("instances(12)"),
        KnowledgeError::NoInstance {
            name: "`12`".to_owned(),
            known: "`01`, `10`, `11`".to_owned()
        }
    );
    assert_eq!(
        refused("instances(01 | 01 10)"),
        KnowledgeError::Twice("01".to_owned())
    );
}
