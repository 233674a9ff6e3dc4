//! Replies and debates about primes for the tests of players.

use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::protocol::{Reply, Request};
use debate_core::scenario::{
    Instance, NumbersTestedForPrimality, Oracle, PrimalityMethod, PrimalityProblem, PrimalitySpec,
    ScenarioValuePath, TestedNumberVisibility,
};

/// Returns every legal reply to a request with few of them.
pub fn all_replies(request: &Request<f64>) -> Vec<Reply<f64>> {
    match request {
        Request::Answer { .. } => vec![Reply::Answer(false), Reply::Answer(true)],
        // A gate of a descent has two inputs.
        Request::Select { .. } => vec![Reply::Select(0), Reply::Select(1)],
        Request::Bits { length, .. } => (0..1_u64 << length)
            .map(|number| Reply::Bits(BitString::low_bits_of_number(number, *length)))
            .collect(),
        Request::Challenge { steps, .. } => std::iter::once(None)
            .chain(steps.clone().map(Some))
            .map(Reply::Challenge)
            .collect(),
        other => panic!("{other:?}"),
    }
}

/// The claim that a number is prime; divisors are searched in `width` intervals at a time.
pub fn prime(number: u32, width: u32) -> Instance {
    let problem = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(vec![number.into()]),
        estimator_knows: TestedNumberVisibility::Number,
        method: PrimalityMethod::Intervals {
            width,
            primes_from: None,
        },
    };
    let problem = PrimalityProblem::build(
        problem,
        &ScenarioValuePath::path_of_top_level_field("problem"),
    )
    .unwrap();
    Instance::new(Arc::new(problem), 0, Oracle::Truth)
}
