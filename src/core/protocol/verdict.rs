//! Debates that pay once, at their end.

use super::event::{Event, Sink};
use super::reward::Reward;
use super::{Round, Seat};
use crate::number::Number;

/// The rounds from the first down to 0, which alone pays.
pub(super) fn schedule<N: Number>(first: u32) -> Vec<(Round, N)> {
    let rounds = (0..=first).rev();
    rounds
        .map(|k| (Round::Number(k), N::indicator(k == 0)))
        .collect()
}

/// True if the verifier decided for the prover; `None` while the debate goes on.
pub(super) fn of<N: Number>(over: bool, payoff: &N) -> Option<bool> {
    over.then(|| *payoff > N::zero())
}

/// Pays the only reward and ends the debate: what the prover receives in all.
pub(super) fn pay<N: Number>(reward: Reward<N>, sink: &mut dyn Sink<N>) -> N {
    let payoff = reward.value();
    sink.note_with(Seat::Chance, None, || Event::Rewarded(reward));
    sink.note_with(Seat::Chance, None, || Event::Ended {
        payoff: payoff.clone(),
    });
    payoff
}
