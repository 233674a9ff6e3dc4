//! Estimators that tests cannot tell from the truth (PE Algorithm 1, Lemma A.3).
//!
//! The estimator of one round starts from the uniform distribution over the outcomes z of the
//! subclaims. While some test tells it from the truth with an advantage of δ or more, it moves
//! every distribution by δ/|Z| towards what the test says and back onto the simplex. That takes at
//! most (|Z| − 1)/δ² steps: each one brings it nearer to the truth by at least δ²/|Z|, and it starts
//! at most 1 − 1/|Z| away, both in squares.

mod descent;
mod distinguishers;
mod document;
mod estimates;
mod player;
mod round;
mod rounds;
#[cfg(test)]
mod tests;

pub use descent::{DescentProblem, DescentResult, TestSet, TestValues, descend, onto_simplex};
pub use document::{Document, Unread};
pub use player::entries;
pub use round::TrainingError;
pub use rounds::{
    Arithmetic, RoundReport, TestReport, TrainedEstimator, TrainingDocument, TrainingReport, train,
};
