//! Replies for tests.

use crate::bits::Bits;
use crate::protocol::{Reply, Request};

/// Every reply to a request that has few.
pub(super) fn all_replies(request: &Request<f64>) -> Vec<Reply<f64>> {
    match request {
        Request::Answer { .. } => vec![Reply::Answer(false), Reply::Answer(true)],
        // A gate of a descent has two inputs.
        Request::Select { .. } => vec![Reply::Select(0), Reply::Select(1)],
        Request::Bits { length, .. } => (0..1_u64 << length)
            .map(|number| Reply::Bits(Bits::of_number(number, *length)))
            .collect(),
        Request::Challenge { steps, .. } => std::iter::once(None)
            .chain(steps.clone().map(Some))
            .map(Reply::Challenge)
            .collect(),
        other => panic!("{other:?}"),
    }
}
