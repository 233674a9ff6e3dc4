//! Arguments for tests, made from a formula: `maj(1, all(0, 1), 1)`.

use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Instance, Oracle, ScenarioValuePath,
    SupportSpec,
};

/// The instance of a formula over `all`, `any`, `maj`, `not`, `xor`, `atleast2` … and the leaves
/// `0` and `1`. Claims are named by their preorder number, the root `c0`.
pub fn instance(formula: &str) -> Instance {
    let mut spec = ArgumentProblemSpec {
        root: "c0".to_owned(),
        ..ArgumentProblemSpec::default()
    };
    let text: String = formula.chars().filter(|c| !c.is_whitespace()).collect();
    let rest = claim(&text, &mut spec);
    assert!(rest.is_empty(), "left over: {rest}");
    let argument = ArgumentProblem::build(spec, &ScenarioValuePath::default()).unwrap();
    Instance::new(Arc::new(argument), 0, Oracle::Truth)
}

fn claim<'t>(text: &'t str, spec: &mut ArgumentProblemSpec) -> &'t str {
    let index = spec.claims.len();
    let id = format!("c{index}");
    spec.claims.push((
        id.clone(),
        ClaimSpec {
            text: id,
            ..ClaimSpec::default()
        },
    ));
    let end = text.find(['(', ',', ')']).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    if matches!(name, "0" | "1") {
        spec.claims[index].1.truth = Some(name == "1");
        return rest;
    }
    let gate = match name {
        "all" => Gate::All,
        "any" => Gate::Any,
        "maj" => Gate::Majority,
        "not" => Gate::Not,
        "xor" => Gate::Xor,
        other => Gate::AtLeast(other.strip_prefix("atleast").unwrap().parse().unwrap()),
    };
    let mut on = Vec::new();
    while !rest.starts_with(')') {
        on.push(format!("c{}", spec.claims.len()));
        rest = claim(rest.strip_prefix(['(', ',']).unwrap(), spec);
    }
    spec.claims[index].1.supports.push(SupportSpec {
        label: None,
        gate,
        on,
        sound: true,
    });
    rest.strip_prefix(')').unwrap()
}
