//! Small scenarios for the tests of analysis.

use debate_core::number::Number;
use debate_core::player::{StrategyEntry, StrategyRegistry};
use debate_core::protocol::{ProtocolKind, Seat};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

/// The scenario with this text.
pub fn setup(text: &str) -> LoadedScenario {
    LoadedScenario::from_text(
        text,
        ScenarioTextSource::Text("test".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

/// An `All` over three claims, one of which is an `Any` over the other two. One leaf is false.
pub const ALL_OF_THREE: &str = r#"Scenario(
    format: 1, title: "All?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "All.", supports: [Support(gate: All, on: ["a", "b", "m"])]),
        "a": Claim(text: "A.", truth: true, estimate: "2/3"),
        "b": Claim(text: "B.", truth: false, estimate: "1/2"),
        "m": Claim(text: "M.", supports: [Support(gate: Any, on: ["a", "b"])]),
    }),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

/// The names of the built-in players of a seat, with examples of their parameters.
pub fn examples<N: Number>(
    registry: &StrategyRegistry<N>,
    seat: Seat,
    kind: ProtocolKind,
) -> Vec<String> {
    let entries = registry.strategies_for_seat(seat, kind);
    entries
        .flat_map(StrategyEntry::example_specs_with_arguments)
        .collect()
}
