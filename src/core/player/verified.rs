//! Built-in players of a debate whose verifier is cross-examined: in the inner debate they play like the inner
//! protocol's built-in players. Then they write down the gate values of its verifier, or challenge one of them.

use super::cross_examination::TranscriptOrChallengeStrategy::{self, Point, Write};
use super::cross_examination::{StepChallengeStrategy, TranscriptWritingProver};
use super::registry::{
    PlayableStrategy, StrategyBuildError, StrategyBuildInputs, StrategyEntry, StrategyParameter,
    boxed_strategy,
};
use super::{
    ChallengeStrategy, PlayerSpec, Policy, ReplyDistribution, StrategyMemoryAndCosts,
    StrategyRegistry,
};
use crate::number::Number;
use crate::protocol::{DebateWithExaminedVerifier, Protocol, ProtocolKind, Request, Seat, View};

/// A player of a verified debate: `inner` plays the inner debate. Then `role` writes the transcript of the verifier or
/// challenges one of its gates.
struct VerifiedPlayer<'a, N> {
    inner: PlayableStrategy<'a, N>,
    role: TranscriptOrChallengeStrategy,
}

impl<'a, N: Number> Policy<N, DebateWithExaminedVerifier<'a, N>> for VerifiedPlayer<'a, N> {
    fn as_challenge_rule(&self) -> Option<ChallengeStrategy> {
        self.role.challenge_rule()
    }

    fn choose(
        &self,
        view: View<'_, DebateWithExaminedVerifier<'a, N>>,
        request: &Request<N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        if let Some(state) = view.unfinished_inner_debate_state() {
            let view = View::new(state, view.viewing_seat());
            return self.inner.choose(view, request, policy_state);
        }
        self.role.examination_reply(&view.transcript()?)
    }
}

fn player<'a, N: Number>(
    order: &StrategyBuildInputs<'a, '_>,
    inner: &str,
    role: TranscriptOrChallengeStrategy,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    let Protocol::Verified(parameters) = order.protocol else {
        return Err(StrategyBuildError::Unknown {
            name: order.name.to_owned(),
            title: order.protocol.kind().title(order.seat),
            protocol: order.protocol.kind().protocol_name(),
            known: String::new(),
        });
    };
    let registry = StrategyRegistry::registry_with_builtin_players();
    let spec = PlayerSpec::without_arguments(inner);
    let inner = registry.build(
        &spec,
        order.seat,
        order.instance,
        parameters.inner_protocol(),
    )?;
    boxed_strategy(VerifiedPlayer { inner, role })
}

/// Returns the built-in players of a debate whose verifier is cross-examined, by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(ProtocolKind::Verified, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(ProtocolKind::Verified, Seat::Opponent);
    vec![
        prover("honest", |order| {
            player(order, "honest", Write(TranscriptWritingProver::Honest))
        }),
        prover("liar", |order| {
            player(
                order,
                "liar",
                Write(TranscriptWritingProver::Liar(order.first_count_if_given())),
            )
        })
        .with_parameters(&[StrategyParameter::OptionalCount("at")]),
        prover("random", |order| {
            player(order, "random", Write(TranscriptWritingProver::Random))
        }),
        opponent("honest", |order| {
            player(order, "honest", Point(StepChallengeStrategy::Honest))
        }),
        opponent("silent", |order| {
            player(order, "honest", Point(StepChallengeStrategy::Silent))
        }),
        opponent("false-alarm", |order| {
            player(
                order,
                "false-alarm",
                Point(StepChallengeStrategy::FalseAlarm),
            )
        }),
        opponent("random", |order| {
            player(order, "random", Point(StepChallengeStrategy::Random))
        }),
    ]
}
