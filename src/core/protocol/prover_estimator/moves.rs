//! The effects of each reply.

use super::{
    Bet, Bits, Carry, Event, Illegal, ProverEstimator, Reward, Seal, Seat, Sink, Step, request,
    warrants,
};
use crate::number::Number;
use crate::scenario::ComposedSupport;

impl<N: Number> ProverEstimator<'_, N> {
    #[inline]
    pub(super) fn answer_with(&mut self, answer: bool, sink: &mut dyn Sink<N>) {
        let claim = self.claim;
        self.answer = answer;
        self.ledger.spoke(Seat::Prover);
        sink.note_with(Seat::Prover, Some(Seal::Answer), || Event::Answered {
            claim,
            answer,
        });
        self.step = Step::RootProbability;
    }

    /// Notes the opponent's probability of the root or of a subclaim.
    #[inline]
    pub(super) fn estimated(
        &mut self,
        place: Option<u32>,
        alone: bool,
        p: &N,
        sink: &mut dyn Sink<N>,
    ) {
        self.ledger.spoke(Seat::Opponent);
        let claim = match (self.step, place) {
            (Step::Doubt, _) => self.warrant.unwrap_or(self.claim),
            (_, Some(place)) => self.child(place),
            (_, None) => self.claim,
        };
        sink.note_with(Seat::Opponent, None, || Event::Estimated {
            claim,
            place,
            alone,
            p: p.clone(),
        });
    }

    #[inline]
    pub(super) fn estimate_root(&mut self, p: N, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        let p = request::probability(p)?;
        self.estimated(None, false, &p, sink);
        self.root_p = p;
        self.step = Step::RootCoin;
        Ok(())
    }

    #[inline]
    pub(super) fn estimate_alone(&mut self, p: N, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        let p = request::probability(p)?;
        let place = u32::try_from(self.alone.len()).unwrap_or(u32::MAX);
        self.estimated(Some(place), true, &p, sink);
        self.alone.push(p);
        if self.alone.len() == self.chosen.on.len() {
            self.step = Step::Estimate;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn estimate(&mut self, p: N, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        let p = request::probability(p)?;
        self.estimated(Some(self.place()), false, &p, sink);
        self.given.push(p);
        self.step = Step::Coin;
        Ok(())
    }

    #[inline]
    pub(super) fn bet_on(&mut self, bet: Bet, sink: &mut dyn Sink<N>) {
        let (round, claim) = (self.round, self.claim);
        self.bet = bet;
        self.ledger.spoke(Seat::Prover);
        sink.note_with(Seat::Prover, self.seal_of_bet(), || Event::Betted {
            round,
            claim,
            bet,
        });
        self.step = if !self.leaf {
            Step::Support
        } else if self.missing_bit() {
            Step::ProofBit
        } else {
            Step::Oracle
        };
    }

    #[inline]
    pub(super) fn support_by(
        &mut self,
        support: u32,
        sink: &mut dyn Sink<N>,
    ) -> Result<(), Illegal> {
        if self.offered.is_empty() {
            return Err(Illegal::NothingListed);
        }
        let offered = u32::try_from(self.offered.len()).unwrap_or(u32::MAX);
        self.chosen = &self.offered[request::in_range(support, offered)?];
        self.supported(support, sink);
        Ok(())
    }

    /// Apart, so that [`Rules::reply`](crate::protocol::Rules::reply) stays small.
    #[cold]
    pub(super) fn compose(
        &mut self,
        composed: &ComposedSupport,
        sink: &mut dyn Sink<N>,
    ) -> Result<(), Illegal> {
        let (support, chosen) = request::composed(self.instance, self.claim, composed)?;
        self.chosen = chosen;
        self.supported(support, sink);
        Ok(())
    }

    #[inline]
    fn supported(&mut self, support: u32, sink: &mut dyn Sink<N>) {
        let claim = self.claim;
        self.ledger.spoke(Seat::Prover);
        sink.note_with(Seat::Prover, None, || Event::Supported { claim, support });
        if self.terms.warrants.can_be_disputed() {
            self.warrant = Some(self.instance.warrant(claim, support));
            self.step = Step::Dispute;
        } else {
            self.step = self.first_estimate();
        }
    }

    #[inline]
    fn first_estimate(&self) -> Step {
        match self.terms.carry {
            Carry::Conditional => Step::Estimate,
            Carry::Marginal => Step::Alone,
        }
    }

    /// Apart, as [`Self::compose`].
    #[cold]
    pub(super) fn dispute(
        &mut self,
        step: Option<u64>,
        sink: &mut dyn Sink<N>,
    ) -> Result<(), Illegal> {
        let step = request::step_in(step, &(0..1))?;
        self.ledger.spoke(Seat::Opponent);
        sink.challenged(step);
        self.step = match step {
            Some(_) => Step::Doubt,
            None => self.first_estimate(),
        };
        Ok(())
    }

    /// The debate jumps to the warrant, as the leaf of round 0; the bet of the round falls away.
    #[cold]
    pub(super) fn doubt(&mut self, p: N, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        let p = warrants::doubt(p)?;
        self.estimated(Some(self.width()), true, &p, sink);
        if self.terms.sealed_bets {
            Self::open(Seal::Bet(self.round), sink);
        }
        self.claim = self.warrant.unwrap_or(self.claim);
        (self.p, self.round) = (p, 0);
        (self.offered, self.leaf) = (&[], true);
        self.begin_round(sink);
        Ok(())
    }

    pub(super) fn prove(&mut self, bits: &Bits, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        let leaf = self.claim;
        if self
            .proof
            .give(self.instance, leaf, bits, &mut self.ledger, sink)?
        {
            self.step = Step::Oracle;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn root_coin(&mut self, coin: bool, sink: &mut dyn Sink<N>) {
        let exponent = self.terms.depth + 1;
        let p = &self.root_p;
        sink.note_with(Seat::Chance, None, || Event::Tossed {
            claim: self.claim,
            place: None,
            p: p.clone(),
            value: coin,
        });
        Self::open(Seal::Answer, sink);
        let weight = self.terms.weights[exponent as usize].clone();
        let reward = Reward::Agreement {
            weight,
            exponent,
            coin,
            answer: self.answer,
        };
        self.pay(&reward, sink);
        self.p = self.root_p.clone();
        self.enter(sink);
    }

    #[inline]
    pub(super) fn coin(&mut self, value: bool, sink: &mut dyn Sink<N>) {
        let place = self.place();
        let claim = self.child(place);
        sink.note_with(Seat::Chance, None, || Event::Tossed {
            claim,
            place: Some(place),
            p: self.given[place as usize].clone(),
            value,
        });
        self.coins.push(value);
        let support = self.chosen;
        self.tally = support.gate.take(self.tally, value);
        if (self.tally.seen as usize) < support.on.len() {
            self.step = Step::Estimate;
            return;
        }
        let holds = support.gate.holds(self.tally);
        sink.note_with(Seat::Chance, None, || Event::Gated {
            claim: self.claim,
            holds,
        });
        self.pay_bet(holds, false, sink);
        self.step = Step::Select;
    }

    #[inline]
    pub(super) fn select(&mut self, place: usize, sink: &mut dyn Sink<N>) {
        let chosen = self.chosen.on[place];
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        sink.selected(Seat::Prover, self.claim, number, chosen);
        self.p = self.carried()[place].clone();
        self.claim = chosen;
        self.round -= 1;
        self.enter(sink);
    }

    #[inline]
    pub(super) fn judge(&mut self, verdict: (bool, Option<N>), sink: &mut dyn Sink<N>) {
        let answer = verdict.0;
        sink.judged(self.claim, verdict, &mut self.ledger);
        self.pay_bet(answer, true, sink);
        self.step = Step::Over;
        sink.note_with(Seat::Chance, None, || Event::Ended {
            payoff: self.payoff.clone(),
        });
    }

    /// The probabilities of which one is carried into the next round.
    #[inline]
    pub(super) fn carried(&self) -> &[N] {
        match self.terms.carry {
            Carry::Conditional => &self.given,
            Carry::Marginal => &self.alone,
        }
    }
}
