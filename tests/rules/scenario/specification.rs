use debate_core::gate::Gate;
use debate_core::number::{Exact, parse};
use debate_core::scenario::machine::{
    HeadMove, MachineRuleSpec, OracleQueryStateSpec, TuringMachineSpec,
};
use debate_core::scenario::{
    ArgumentProblemSpec, ClaimSpec, ProverSupportLimits, SupportSpec, WorldSpec,
};
use num_traits::One;
use ron::extensions::Extensions;
use serde::de::DeserializeOwned;

fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    options
        .from_str(text)
        .map_err(|error| error.code.to_string())
}

fn world(name: &str, weight: Exact, truths: &[(&str, bool)]) -> WorldSpec {
    let truths = truths.iter().map(|(id, truth)| ((*id).to_owned(), *truth));
    WorldSpec {
        name: Some(name.to_owned()),
        weight,
        truths: truths.collect(),
        evidence: vec![],
    }
}

#[test]
fn text_gives_the_specification_that_rust_builds() {
    let text = r#"Argument(
        root: "r",
        claims: {
            "r": (text: "R.", estimate: 0.1, supports: [(gate: Any, on: ["a"])]),
            "a": Claim(text: "A.", truth: true, judged_true: "1/3"),
        },
        worlds: [World(name: "dry", weight: 2), World(name: "wet", truths: {"a": false})],
        open: true,
    )"#;
    let root = ClaimSpec {
        text: "R.".to_owned(),
        estimate: Some(Exact::new(1.into(), 10.into())),
        supports: vec![SupportSpec {
            label: None,
            gate: Gate::Any,
            on: vec!["a".to_owned()],
            sound: true,
        }],
        ..ClaimSpec::default()
    };
    let leaf = ClaimSpec {
        text: "A.".to_owned(),
        truth: Some(true),
        judged_true: Some(Exact::new(1.into(), 3.into())),
        ..ClaimSpec::default()
    };
    let spec = ArgumentProblemSpec {
        root: "r".to_owned(),
        claims: vec![("r".to_owned(), root), ("a".to_owned(), leaf)],
        proof: vec![],
        worlds: vec![
            world("dry", Exact::from_integer(2.into()), &[]),
            world("wet", Exact::one(), &[("a", false)]),
        ],
        open: Some(ProverSupportLimits::default()),
    };
    assert_eq!(read(text), Ok(spec));
}

#[test]
fn numbers_are_read_exactly() {
    let digits = "0.1000000000000000000000000000000000000001";
    for number in [digits.to_owned(), format!("\"{digits}\"")] {
        let claim: ClaimSpec = read(&format!("(text: \"t\", judged_true: {number})")).unwrap();
        assert_eq!(claim.judged_true, Some(parse(digits).unwrap()));
    }
    let above = read::<ClaimSpec>("(text: \"t\", estimate: \"3/2\")").unwrap_err();
    assert_eq!(
        above,
        "the number 1.5 is not a probability; use a number from 0 to 1"
    );
}

#[test]
fn repeated_keys_are_kept_in_file_order() {
    let world: WorldSpec = read(r#"(truths: {"b": true, "a": true, "b": false})"#).unwrap();
    let truths = world.truths.iter().map(|(id, truth)| (id.as_str(), *truth));
    let truths: Vec<_> = truths.collect();
    assert_eq!(truths, [("b", true), ("a", true), ("b", false)]);
}

#[test]
fn an_argument_is_open_by_a_word_or_by_limits() {
    let limits = |open: &str| {
        let spec = read(&format!("(root: \"r\", claims: {{}}, open: {open})"));
        spec.map(|spec: ArgumentProblemSpec| spec.open)
    };
    assert_eq!(limits("false"), Ok(None));
    assert_eq!(
        limits("true"),
        Ok(Some(ProverSupportLimits { depth: 3, width: 5 }))
    );
    let own = ProverSupportLimits { depth: 1, width: 2 };
    assert_eq!(limits("(depth: 1, width: 2)"), Ok(Some(own)));
    assert!(limits("\"yes\"").is_err());
}

#[test]
fn a_machine_has_its_rules_as_tuples() {
    let text = r#"(start: "a", accept: "y", reject: "n", rules: [("a", "0", "y", "1", Left)])"#;
    let rule = MachineRuleSpec {
        state: "a".to_owned(),
        read: "0".to_owned(),
        to: "y".to_owned(),
        write: "1".to_owned(),
        shift: HeadMove::Left,
    };
    let turing: TuringMachineSpec = read(text).unwrap();
    assert_eq!(turing.states, None);
    assert_eq!(turing.rules, [rule]);
    let text =
        r#"(state: "q", yes: "y", no: "n", answers: {"01": (truth: true, judged_true: 0.9)})"#;
    let oracle: OracleQueryStateSpec = read(text).unwrap();
    let (word, answer) = &oracle.answers[0];
    assert_eq!((word.as_str(), answer.truth), ("01", true));
    assert_eq!(answer.judged_true, Some(Exact::new(9.into(), 10.into())));
}
