//! Built-in players of a debate whose verifier is cross-examined: in the inner debate they play like the inner
//! protocol's built-in players. Then they write down the gate values of its verifier, or challenge one of them.

use super::cross_examination::ExaminationRole::{self, Point, Write};
use super::cross_examination::{Examiner, TranscriptWriter};
use super::registry::{
    BuildError, BuildInputs, Parameter, PlayableStrategy, StrategyEntry, boxed_strategy,
};
use super::{ChallengeRule, Policy, PolicyState, Registry, ReplyDistribution, Spec};
use crate::number::Number;
use crate::protocol::{Kind, Protocol, Request, Seat, Verified, View};

/// A player of a verified debate: `inner` plays the inner debate. Then `role` writes the transcript of the verifier or
/// challenges one of its gates.
struct VerifiedPlayer<'a, N> {
    inner: PlayableStrategy<'a, N>,
    role: ExaminationRole,
}

impl<'a, N: Number> Policy<N, Verified<'a, N>> for VerifiedPlayer<'a, N> {
    fn as_challenge_rule(&self) -> Option<ChallengeRule> {
        self.role.challenge_rule()
    }

    fn choose(
        &self,
        view: View<'_, Verified<'a, N>>,
        request: &Request<N>,
        policy_state: &mut PolicyState,
    ) -> Option<ReplyDistribution<N>> {
        if let Some(state) = view.inner_state() {
            let view = View::new(state, view.seat());
            return self.inner.choose(view, request, policy_state);
        }
        self.role.examination_reply(&view.transcript()?)
    }
}

fn player<'a, N: Number>(
    order: &BuildInputs<'a, '_>,
    inner: &str,
    role: ExaminationRole,
) -> Result<PlayableStrategy<'a, N>, BuildError> {
    let Protocol::Verified(parameters) = order.protocol else {
        return Err(BuildError::Unknown {
            name: order.name.to_owned(),
            title: order.protocol.kind().title(order.seat),
            protocol: order.protocol.kind().name(),
            known: String::new(),
        });
    };
    let registry = Registry::with_builtin_players();
    let spec = Spec::without_arguments(inner);
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
    let prover = StrategyEntry::entry_builder(Kind::Verified, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(Kind::Verified, Seat::Opponent);
    vec![
        prover("honest", |order| {
            player(order, "honest", Write(TranscriptWriter::Honest))
        }),
        prover("liar", |order| {
            player(
                order,
                "liar",
                Write(TranscriptWriter::Liar(order.optional_count_argument())),
            )
        })
        .with_parameters(&[Parameter::OptionalCount("at")]),
        prover("random", |order| {
            player(order, "random", Write(TranscriptWriter::Random))
        }),
        opponent("honest", |order| {
            player(order, "honest", Point(Examiner::Honest))
        }),
        opponent("silent", |order| {
            player(order, "honest", Point(Examiner::Silent))
        }),
        opponent("false-alarm", |order| {
            player(order, "false-alarm", Point(Examiner::FalseAlarm))
        }),
        opponent("random", |order| {
            player(order, "random", Point(Examiner::Random))
        }),
    ]
}
