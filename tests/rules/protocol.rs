mod bisection;
mod conditions;
mod descent;
mod parameter;
mod prover_estimator;
mod reward;
mod speeches;
mod stochastic;
mod verified;

use debate_core::protocol::Protocol;

#[test]
fn protocols_are_read_as_they_are_written() {
    for text in [
        "Recursive",
        "ProverEstimator(epsilon: 0.45, rho: \"1/9\")",
        "ProverEstimator(epsilon: 0.25, rho: 0.5, carry: Marginal, early_leaf: InPlace)",
    ] {
        assert_eq!(Protocol::parse(text).unwrap().to_string(), text);
    }
    let spaced = Protocol::parse(" ProverEstimator(epsilon:\"1/4\", rho: 50e-2,) ").unwrap();
    assert_eq!(
        spaced.to_string(),
        "ProverEstimator(epsilon: 0.25, rho: 0.5)"
    );
}

#[test]
fn invalid_protocols_are_refused() {
    for text in [
        "",
        "Chess",
        "Recursive(1)",
        "ProverEstimator(epsilon: 0.1)",
        "((((((",
        "\u{1b}",
    ] {
        assert!(Protocol::parse(text).is_err(), "{text:?}");
    }
    let error = Protocol::parse("ProverEstimator(epsilon: 2, rho: 0.5)").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the protocol parameter epsilon is 2; it must be above 0 and below 1/2"
    );
    let message = |text: &str| Protocol::parse(text).unwrap_err().to_string();
    let unknown = message("Chess(1)");
    assert!(
        unknown
            .starts_with("`Chess` is not the name of a protocol; write one of ProverEstimator, "),
        "{unknown}"
    );
    let field = message("Recursive(epsilon: 1)");
    assert!(
        field.starts_with("the parameters of `Recursive` cannot be read: "),
        "{field}"
    );
    assert!(field.ends_with("; write it as Recursive"), "{field}");
}
