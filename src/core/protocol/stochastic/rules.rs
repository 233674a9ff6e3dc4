//! The requests, and the effects of each reply.

use std::ops::Range;

use super::{Step, Stochastic};
use num_traits::{One as _, Zero as _};

use crate::number::{Exact, Number};
use crate::protocol::event::{Round, Sink};
use crate::protocol::request::{self, Ask, Bits, Draw, Illegal, Reply, Request, Turn};
use crate::protocol::{Ledger, Rules, Seat, reward};

impl<N: Number> Rules<N> for Stochastic<'_, N> {
    fn request(&self) -> Option<Turn<N>> {
        let place = self.place();
        let claim = || self.claim();
        let (seat, request) = match &self.step {
            Step::Over => return None,
            Step::Witness => (
                Seat::Prover,
                Request::Bits {
                    ask: Ask::Witness,
                    length: Self::small(self.process.witness_length()),
                },
            ),
            Step::Say => (
                Seat::Prover,
                Request::Probability {
                    claim: claim(),
                    place: Some(Self::small(place)),
                    alone: false,
                },
            ),
            Step::FirstShare => (Seat::Opponent, Request::Share { claim: claim() }),
            Step::SecondShare(_) => (Seat::Prover, Request::Share { claim: claim() }),
            Step::Challenge => (
                Seat::Opponent,
                Request::Challenge {
                    claim: claim(),
                    steps: place..place + 1,
                },
            ),
            Step::Coin => (
                Seat::Chance,
                Request::Draw {
                    ordinal: place,
                    claim: claim(),
                    draw: Draw::Bernoulli(self.said.clone()),
                },
            ),
            Step::Samples => (
                Seat::Chance,
                Request::Draw {
                    ordinal: self.process.steps(),
                    claim: claim(),
                    draw: Draw::Binomial {
                        count: self.terms.verifier.samples,
                        p: self.truth(),
                    },
                },
            ),
            Step::Votes { .. } => {
                let claim = self.voted_claim();
                (Seat::Judge, Request::Oracle { claim })
            }
        };
        Some(Turn { seat, request })
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        match (self.step.clone(), reply) {
            (Step::Witness, Reply::Bits(bits)) => {
                let length = Self::small(self.process.witness_length());
                self.give(request::of_length(bits, length)?, sink);
            }
            (Step::Say, Reply::Probability(p)) => self.say(request::probability(p)?, sink),
            (Step::FirstShare, Reply::Probability(share)) => {
                let share = request::probability(share)?;
                self.share(Seat::Opponent, &share, sink);
                self.step = Step::SecondShare(share);
            }
            (Step::SecondShare(first), Reply::Probability(share)) => {
                let share = request::probability(share)?;
                self.share(Seat::Prover, &share, sink);
                self.add_shares(first, share, sink);
            }
            (Step::Challenge, Reply::Challenge(step)) => {
                let place = self.place();
                self.challenge(request::step_in(step, &(place..place + 1))?, sink);
            }
            (Step::Coin, Reply::Drawn(outcome)) => {
                let bit = request::bernoulli(outcome, &self.said)?;
                self.fall(bit, sink);
                self.go_on(sink);
            }
            (Step::Samples, Reply::Drawn(outcome)) => {
                let count = self.terms.verifier.samples;
                let ones = request::binomial(outcome, count, &self.truth())?;
                self.sampled(ones, sink);
            }
            (Step::Votes { .. }, Reply::Oracle { holds, confidence }) => {
                self.vote(request::verdict(holds, confidence)?, sink);
            }
            (_, reply) => return Err(Illegal::kind(self.request(), &reply)),
        }
        Ok(())
    }

    fn payoff(&self) -> N {
        self.payoff.clone()
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        reward::schedule_of_end(self.round_of(self.process.witness_length()))
    }

    fn round(&self) -> Option<Round> {
        let open = self.step != Step::Over;
        let place = self.place().max(self.process.witness_length());
        open.then(|| Round::Number(self.round_of(place)))
    }

    /// Alice always claims that the computation says 1.
    fn answer(&self) -> Option<bool> {
        self.begun.then_some(true)
    }

    fn finding(&self) -> Option<bool> {
        reward::verdict(self.request().is_none(), &self.payoff)
    }

    fn odds(&self) -> Option<Exact> {
        let certain = |odds: &Exact| *odds == Exact::zero() || *odds == Exact::one();
        self.process.accepts().filter(|odds| !certain(odds))
    }

    /// Where Alice is asked of the next step the bits so far count, as far as any later step
    /// depends on them; where votes are cast, how many there were and how they went.
    fn state_key(&self, key: &mut Vec<u64>) -> bool {
        match &self.step {
            Step::Say => {
                let mut bits = self.bits.clone();
                self.process.forget(&mut bits);
                key.push(bits.len() as u64);
                key.extend(bits.chunks(64).map(crate::bits::number));
            }
            Step::Votes { yes, count } => {
                key.extend([u64::MAX, *yes, *count, self.bits.len() as u64]);
                key.extend(self.bits.chunks(64).map(crate::bits::number));
                self.said.add_to_key(key);
            }
            _ => return false,
        }
        true
    }

    fn proof(&self) -> Vec<bool> {
        Vec::new()
    }

    fn equivalent_outcomes(&self) -> Option<Range<u64>> {
        let pending = self.step == Step::Samples;
        pending.then(|| self.terms.verifier.passing(&self.said))
    }

    fn first_half(&self) -> Option<N> {
        match &self.step {
            Step::SecondShare(first) => Some(first.clone()),
            _ => None,
        }
    }

    /// The witness is for Alice to find.
    fn prepared(&self) -> Option<Bits> {
        None
    }

    /// One for each bit, and one for the verifier's samples.
    fn coins(&self) -> u64 {
        self.process.steps() + 1
    }
}
