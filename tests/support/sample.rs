//! Small problems for tests: arguments from a formula, `maj(1, all(0, 1), 1)`, and machines that
//! are a table of numbers.

use std::sync::Arc;

use serde_json::Value;

use debate_core::bits::{self, Bits};
use debate_core::gate::Gate;
use debate_core::number::{Exact, parse};
use debate_core::scenario::{
    Argument, ArgumentSpec, Belief, ClaimKey, ClaimSpec, ComputationProblem, Decomposition,
    Instance, Oracle, Path, Plan, PlanAction, PlanSpec, PlanStep, Run, Successor, SupportSpec,
    World,
};

/// The instance of a formula over `all`, `any`, `maj`, `not`, `xor`, `atleast2` … and the leaves
/// `0` and `1`. Claims are named by their preorder number, the root `c0`.
pub fn instance(formula: &str) -> Instance {
    let mut spec = ArgumentSpec {
        root: "c0".to_owned(),
        ..ArgumentSpec::default()
    };
    let text: String = formula.chars().filter(|c| !c.is_whitespace()).collect();
    let rest = claim(&text, &mut spec);
    assert!(rest.is_empty(), "left over: {rest}");
    let argument = Argument::build(spec, &Path::default()).unwrap();
    Instance::new(Arc::new(argument), 0, Oracle::Truth)
}

/// The instance of a random computation whose steps all ask the oracle: each history with the
/// probability of a 1 next.
pub fn random(steps: usize, oracle: &[(&str, &str)]) -> Instance {
    let steps = (0..steps).map(|step| {
        let table = oracle.iter().filter(|(history, _)| history.len() == step);
        let judged_true = table.map(|(history, p)| ((*history).to_owned(), parse(p).unwrap()));
        PlanStep {
            id: format!("s{step}"),
            text: None,
            does: PlanAction::Ask {
                question: format!("s{step}?"),
                judged_true: judged_true.collect(),
                evidence: None,
                truth: None,
            },
        }
    });
    plan(steps.collect())
}

/// The same as recorded values write it down: the probabilities in an object.
pub fn recorded(steps: u64, oracle: &Value) -> Instance {
    let oracle = oracle.as_object().unwrap().iter();
    let oracle: Vec<(&str, &str)> = oracle.map(|(h, p)| (&**h, p.as_str().unwrap())).collect();
    random(usize::try_from(steps).unwrap(), &oracle)
}

/// Three steps that ask the oracle, and what most of them say.
pub fn asked_and_computed() -> Instance {
    let ask = |id: &str, p: &str| PlanStep {
        id: id.to_owned(),
        text: None,
        does: PlanAction::Ask {
            question: id.to_owned(),
            judged_true: vec![(String::new(), parse(p).unwrap())],
            evidence: None,
            truth: None,
        },
    };
    let most = PlanStep {
        id: "most".to_owned(),
        text: None,
        does: PlanAction::Compute {
            gate: Gate::Majority,
            on: ["a", "b", "c"].map(str::to_owned).to_vec(),
            not: Vec::new(),
        },
    };
    plan(vec![
        ask("a", "0.7"),
        ask("b", "0.4"),
        ask("c", "0.3"),
        most,
    ])
}

/// The instance of a plan.
pub fn plan(steps: Vec<PlanStep>) -> Instance {
    let spec = PlanSpec {
        steps,
        ..PlanSpec::default()
    };
    let plan = Plan::build(spec, &Path::default()).unwrap();
    Instance::new(Arc::new(plan), 0, Oracle::PerLeaf)
}

fn claim<'t>(text: &'t str, spec: &mut ArgumentSpec) -> &'t str {
    let place = spec.claims.len();
    let id = format!("c{place}");
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
        spec.claims[place].1.truth = Some(name == "1");
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
    spec.claims[place].1.supports.push(SupportSpec {
        label: None,
        gate,
        on,
        sound: true,
    });
    rest.strip_prefix(')').unwrap()
}

/// Where a machine that is a table of numbers goes from one of them.
#[derive(Clone, Copy, Debug)]
pub enum Hop {
    /// To this number.
    To(u64),
    /// To the first where the oracle says yes, else to the second; and what it says.
    Ask(u64, u64, bool),
}

/// A machine that is a table of numbers, from `start`; it accepts in `accept`.
#[derive(Debug)]
pub struct Hops {
    /// Where it goes from each number.
    pub table: Vec<Hop>,
    /// Where it starts.
    pub start: u64,
    /// Where it accepts.
    pub accept: u64,
    /// For how many steps it is run.
    pub steps: u64,
}

impl Hops {
    fn bits(&self, number: u64) -> Bits {
        Bits::of_number(number, self.length())
    }

    fn hop(&self, configuration: &Bits) -> Option<Hop> {
        let number = usize::try_from(bits::number(configuration.as_slice())).ok()?;
        self.table.get(number).copied()
    }
}

impl Run for Hops {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn length(&self) -> u32 {
        bits::width(self.table.len() as u64)
    }

    fn start(&self) -> Bits {
        self.bits(self.start)
    }

    fn is_well_formed(&self, configuration: &Bits) -> bool {
        self.hop(configuration).is_some()
    }

    fn accepts(&self, configuration: &Bits) -> bool {
        *configuration == self.bits(self.accept)
    }

    fn next(&self, configuration: &Bits) -> Successor {
        match self.hop(configuration) {
            None => Successor::To(configuration.clone()),
            Some(Hop::To(next)) => Successor::To(self.bits(next)),
            Some(Hop::Ask(yes, no, _)) => Successor::Oracle {
                claim: ClaimKey::word(configuration.clone()),
                yes: self.bits(yes),
                no: self.bits(no),
            },
        }
    }

    fn answer(&self, claim: &ClaimKey) -> Option<bool> {
        match self.hop(claim.as_word()?)? {
            Hop::Ask(_, _, says) => Some(says),
            Hop::To(_) => None,
        }
    }

    fn at(&self, time: u64) -> Option<Bits> {
        self.follow(&self.start(), time.min(self.steps))
    }

    fn accepting(&self, _like: &Bits) -> Bits {
        self.bits(self.accept)
    }

    fn text(&self, configuration: &Bits) -> String {
        bits::number(configuration.as_slice()).to_string()
    }
}

/// The problem whether a machine accepts, with nothing else to it.
#[derive(Debug)]
struct Running(Arc<Hops>, Vec<World>);

impl Decomposition for Running {
    fn worlds(&self) -> &[World] {
        &self.1
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey::number(0)
    }

    fn truth(&self, key: &ClaimKey, _world: usize) -> Option<bool> {
        match key.as_number() {
            Some(_) => Some(self.0.accepts(&self.0.at(self.0.steps)?)),
            None => self.0.answer(key),
        }
    }

    fn text(&self, key: &ClaimKey, _world: usize) -> String {
        format!("{key:?}")
    }

    fn has_claims(&self) -> bool {
        false
    }

    fn belief(&self, _world: usize) -> Belief {
        Belief::Worlds(vec![(0, true.into())])
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl ComputationProblem for Running {
    fn run(&self, _world: usize) -> Option<Arc<dyn Run>> {
        let run: Arc<Hops> = self.0.clone();
        Some(run)
    }
}

/// The instance of a machine that is a table of numbers.
pub fn running(hops: Hops) -> Instance {
    let world = World {
        name: "hops".to_owned(),
        weight: Exact::from_integer(1.into()),
    };
    Instance::new(
        Arc::new(Running(Arc::new(hops), vec![world])),
        0,
        Oracle::Truth,
    )
}
