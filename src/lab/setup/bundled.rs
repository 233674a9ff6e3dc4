//! The scenarios that every program has with it.

use super::read;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundledScenario {
    pub name: &'static str,
    pub title: String,
    pub about: String,
}

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../scenarios/", $name, ".ron")))),*]
    };
}

/// Names and texts, in the order in which they are best read.
const SCENARIOS: &[(&str, &str)] = bundled![
    "primes",
    "primes-small",
    "primes-recursive",
    "primes-stable",
    "primes-liar-witness",
    "primes-certificate",
    "hidden-flaw",
    "hidden-flaw-count",
    "two-of-three",
    "five-parts",
    "five-parts-stable",
    "caffeine",
    "caffeine-plan",
    "one-question",
    "pull-request",
    "law",
    "parity",
    "multiplier",
    "turing",
    "qbf",
    "open",
    "lighthouse",
];

/// The bundled scenarios, in the order in which they are best read.
pub fn bundled() -> Vec<BundledScenario> {
    SCENARIOS
        .iter()
        .filter_map(|(name, text)| {
            let (title, about) = read::header(text)?;
            Some(BundledScenario { name, title, about })
        })
        .collect()
}

/// The names of the bundled scenarios, in the order in which they are best read.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    SCENARIOS.iter().map(|(name, _)| *name)
}

/// The name and the text of a bundled scenario.
pub(super) fn text(name: &str) -> Option<(&'static str, &'static str)> {
    SCENARIOS.iter().copied().find(|(known, _)| *known == name)
}
