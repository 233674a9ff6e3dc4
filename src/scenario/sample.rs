//! Small problems for tests: arguments from a formula, `maj(1, all(0, 1), 1)`, and machines that
//! are a table of numbers.

use std::sync::Arc;

use super::{
    Argument, ArgumentSpec, Belief, ClaimSpec, Decomposition, Draft, Instance, Key, Next, Oracle,
    Path, Run, Size, SupportSpec, World,
};
use crate::bits::{self, Bits};
use crate::gate::Gate;
use crate::number::Exact;

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

    fn next(&self, configuration: &Bits) -> Next {
        match self.hop(configuration) {
            None => Next::To(configuration.clone()),
            Some(Hop::To(next)) => Next::To(self.bits(next)),
            Some(Hop::Ask(yes, no, _)) => Next::Oracle {
                claim: Key::Word(configuration.clone()),
                yes: self.bits(yes),
                no: self.bits(no),
            },
        }
    }

    fn answer(&self, claim: &Key) -> Option<bool> {
        match claim {
            Key::Word(word) => match self.hop(word)? {
                Hop::Ask(_, _, says) => Some(says),
                Hop::To(_) => None,
            },
            _ => None,
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

    fn root(&self, _world: usize) -> Key {
        Key::At(0)
    }

    fn supports(&self, _key: &Key, _world: usize) -> Vec<Draft> {
        Vec::new()
    }

    fn truth(&self, key: &Key, _world: usize) -> Option<bool> {
        match key {
            Key::At(_) => Some(self.0.accepts(&self.0.at(self.0.steps)?)),
            key => self.0.answer(key),
        }
    }

    fn size(&self, _world: usize) -> Size {
        Size {
            depth: 0,
            width: 0,
            claims: 1_u32.into(),
            leaves: 1_u32.into(),
        }
    }

    fn leaves_under(&self, _key: &Key, _world: usize) -> u64 {
        1
    }

    fn text(&self, key: &Key, _world: usize) -> String {
        format!("{key:?}")
    }

    fn has_claims(&self) -> bool {
        false
    }

    fn run(&self, _world: usize) -> Option<Arc<dyn Run>> {
        let run: Arc<Hops> = self.0.clone();
        Some(run)
    }

    fn belief(&self, _world: usize) -> Belief {
        Belief::Worlds(vec![(0, true.into())])
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
