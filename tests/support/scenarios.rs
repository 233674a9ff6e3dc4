//! Small scenarios for the tests of analysis.

use debate_core::number::Number;
use debate_core::player::{Registry, StrategyEntry};
use debate_core::protocol::{Kind, Seat};
use debate_solver::setup::{Limits, Origin, Setup};

/// The scenario with this text.
pub fn setup(text: &str) -> Setup {
    Setup::from_text(text, Origin::Text("test".to_owned()), &Limits::default()).unwrap()
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
pub fn examples<N: Number>(registry: &Registry<N>, seat: Seat, kind: Kind) -> Vec<String> {
    let entries = registry.for_seat(seat, kind);
    entries.flat_map(StrategyEntry::example_arguments).collect()
}
