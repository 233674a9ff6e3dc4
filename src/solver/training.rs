//! Trains estimators whose estimates a prover's tests cannot distinguish from the truth (PE Algorithm 1, Lemma A.3).
//!
//! The estimator of one round starts from the uniform distribution over the outcomes z of the subclaims.
//! While some test distinguishes it from the truth with an advantage of δ or more, it takes another step. A
//! step moves every distribution by δ/|Z| in the direction of the test and projects it back onto the simplex.
//! That takes at most (|Z| − 1)/δ² steps. Each step decreases the squared distance to the truth by at least
//! δ²/|Z|, and the initial squared distance is at most 1 − 1/|Z|.

mod descent;
mod document;
mod estimates;
mod round;
mod rounds;

use debate_core::number::{ExactWithFloat, Number};
use debate_core::player::prover_estimator::{EstimateQuery, Estimator, EstimatorPolicy, PeView};
use debate_core::player::{
    PlayableStrategy, ReplyDistribution, StrategyBuildError, StrategyBuildInputs, StrategyEntry,
    StrategyParameter, TRAINED, boxed_strategy,
};
use debate_core::protocol::{ProtocolKind, ProverEstimatorDebate, Reply, Seat};
pub use descent::{
    EstimatorDescentResult, EstimatorTestSequence, TestValuesByInputAndOutcome, TrainingTarget,
    descend, project_onto_simplex,
};
pub use document::{TrainedTableDocument, TrainedTableError};
use estimates::EstimateTable;
pub use round::TrainingError;
use round::information_set;
pub use rounds::{
    Arithmetic, EstimatorTestReport, EstimatorTrainingReport, MAX_REPLIES, RoundTrainingReport,
    TrainCommandReport, TrainedEstimator, train,
};

/// An estimator that replies from a table of trained estimates (PE Lemma A.4).
///
/// At an information set that training never reached, the estimator uses the estimates of the likeliest information set
/// for the same claim and support. If there is none, it gives one half.
#[derive(Debug)]
struct Indistinguishable(EstimateTable);

impl<N: Number> Estimator<N> for Indistinguishable {
    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        let say = |p: Option<&ExactWithFloat>| {
            ReplyDistribution::Certain(Reply::Probability(p.map_or_else(|| N::ratio(1, 2), N::of)))
        };
        if asked.place.is_none() {
            return say(Some(&self.0.root));
        }
        let row = self.0.estimates_at(
            &information_set(view),
            view.last_chosen_support_or_empty().on.len(),
        );
        let before = view.tossed_subclaims().map(|(_, outcome)| outcome);
        say(row.and_then(|row| row.estimate_for(asked, before)))
    }
}

/// Returns the registry's two entries for trained estimators. One trains when it is built; the other reads a table that
/// `train` saved.
pub fn entries<N: Number>() -> [StrategyEntry<N>; 2] {
    [
        StrategyEntry {
            name: "indistinguishable",
            seat: Seat::Opponent,
            protocol: Some(ProtocolKind::ProverEstimator),
            parameters: &[StrategyParameter::Probability("delta")],
            about: Some(
                "gives estimates that were trained against the prover until no test distinguishes \
                 them from the truth (PE Algorithm 1)",
            ),
            uses_no_claim_knowledge: false,
            build: trained_now,
        },
        StrategyEntry {
            name: TRAINED,
            seat: Seat::Opponent,
            protocol: Some(ProtocolKind::ProverEstimator),
            parameters: &[StrategyParameter::File("file")],
            about: Some(
                "gives the estimates in a file that `debate-tui train … --out` wrote, also against other provers",
            ),
            uses_no_claim_knowledge: false,
            build: trained_before,
        },
    ]
}

fn trained_now<'a, N: Number>(
    order: &StrategyBuildInputs<'a, '_>,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    let prover = order.spec_of_other_seat(Seat::Prover)?;
    let name = order.name;
    let refused = |error| match error {
        TrainingError::Exceeded(exceeded) => StrategyBuildError::Exceeded { name, exceeded },
        error => StrategyBuildError::Refused {
            name,
            reason: error.to_string(),
        },
    };
    let (instance, delta) = (order.instance, order.first_argument_as_number());
    let trained = train(
        instance,
        order.protocol,
        prover,
        delta.exact(),
        order.budget.with_computation_step_limit(MAX_REPLIES),
    )
    .map_err(refused)?;
    let learnt = trained
        .worlds
        .get(order.instance.world_index())
        .cloned()
        .unwrap_or_default();
    seated(EstimateTable::new(&learnt, order.instance))
}

fn trained_before<'a, N: Number>(
    order: &StrategyBuildInputs<'a, '_>,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    let file = order.file.unwrap_or_default();
    let read = || {
        let bytes = order
            .player_files
            .player_file_bytes(file)
            .ok_or(TrainedTableError::Missing)?;
        let matter = order
            .player_files
            .matter
            .ok_or(TrainedTableError::Missing)?;
        let document = TrainedTableDocument::parse_document(bytes)?;
        document.table(matter, order.protocol, order.instance)
    };
    let table = read().map_err(|unread| StrategyBuildError::Refused {
        name: order.name,
        reason: format!("{file}: {unread}"),
    })?;
    seated(table)
}

fn seated<'a, N: Number>(
    table: EstimateTable,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    boxed_strategy::<N, ProverEstimatorDebate<'a, N>>(EstimatorPolicy(Indistinguishable(table)))
}
