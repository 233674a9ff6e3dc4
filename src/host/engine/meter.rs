//! The costs of the engines of many debates, limited by shared caps.
//!
//! A call is reserved before it is made, and settled once its reply has arrived. The reservation is the largest cost of
//! a reply of this player so far. Under a cap, the first call of a player, whose cost is unknown, is made while no
//! other call is pending. So only a reply that costs more than every earlier one of its player can exceed a cap.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::locked;
use super::seat::LOOK;
use crate::record::{ReplyCost, ReplyCostSum, TotalCostCaps};

/// The costs of many debates, shared by the threads that play them.
#[derive(Debug, Default)]
pub struct SharedCostMeterWithCaps {
    caps: TotalCostCaps,
    state: Mutex<MeterState>,
    settled: Condvar,
}

#[derive(Debug, Default)]
struct MeterState {
    spent: ReplyCostSum,
    /// The costs reserved for the pending calls to players, as estimated from their earlier replies.
    reserved: ReplyCostSum,
    /// The number of pending calls.
    pending: usize,
    /// True if the pending call is the first call to its player, whose cost cannot be estimated yet.
    is_alone: bool,
    /// The largest cost of a reply so far, for each player; each amount (calls, tokens, money) separately.
    largest: BTreeMap<String, ReplyCostSum>,
    /// The reason why a cost cap refused a call, for the first refused call.
    refusal: Option<String>,
}

/// The reason why a call to an engine is not made.
pub(super) enum EngineNotCalledReason {
    /// The engine's reply is no longer wanted.
    Stopped,
    /// A cap leaves no room for the call; the text names the cap.
    Capped(String),
}

/// A pending call to the engine of a player, with its estimated cost reserved under the caps. Dropping the call without
/// a reply releases the reservation.
#[derive(Debug)]
pub(super) struct EngineCallCostReservation {
    meter: Arc<SharedCostMeterWithCaps>,
    player: String,
    reserved: ReplyCostSum,
    is_alone: bool,
    /// The cost that the reply states, zero if it states none; `None` until the reply has arrived.
    cost: Option<ReplyCostSum>,
}

impl SharedCostMeterWithCaps {
    /// Creates a meter without costs.
    pub fn new(caps: TotalCostCaps) -> Self {
        Self {
            caps,
            ..Self::default()
        }
    }

    /// Adds the cost of a reply that a player gave before this run.
    pub fn add_earlier_cost(&self, player: &str, cost: &ReplyCost) {
        let mut sum = ReplyCostSum::default();
        sum.add(cost);
        locked(&self.state).add(player, sum);
    }

    /// Returns the costs of all replies so far.
    pub fn total_cost_so_far(&self) -> ReplyCostSum {
        locked(&self.state).spent
    }

    /// Returns the reason for the first call that a cap refused; `None` if no cap refused a call.
    pub fn reason_of_first_refused_call(&self) -> Option<String> {
        locked(&self.state).refusal.clone()
    }

    /// Reserves the cost of a call to a player. Waits while the costs reserved for pending calls leave no room under
    /// the caps. Under a cap, the first call of a player waits for all pending calls, and other calls wait for it.
    pub(super) fn reserve(
        self: &Arc<Self>,
        player: &str,
        stop: &dyn Fn() -> bool,
    ) -> Result<EngineCallCostReservation, EngineNotCalledReason> {
        let mut state = locked(&self.state);
        loop {
            if stop() {
                return Err(EngineNotCalledReason::Stopped);
            }
            let known = state.largest.get(player).copied();
            let mut next = known.unwrap_or_default();
            next.calls = next.calls.max(1);
            if let Some(why) = self.caps.call_refusal_reason(&state.spent, &next) {
                state.refusal.get_or_insert_with(|| why.clone());
                return Err(EngineNotCalledReason::Capped(why));
            }
            let is_alone = known.is_none() && self.caps.has_any_cap();
            let mut pending = state.spent;
            pending += state.reserved;
            let waits = state.is_alone
                || is_alone && state.pending > 0
                || state.pending > 0 && self.caps.call_refusal_reason(&pending, &next).is_some();
            if !waits {
                state.pending += 1;
                state.reserved += next;
                state.is_alone = is_alone;
                return Ok(EngineCallCostReservation {
                    meter: Arc::clone(self),
                    player: player.to_owned(),
                    reserved: next,
                    is_alone,
                    cost: None,
                });
            }
            let woken = self.settled.wait_timeout(state, LOOK);
            (state, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl MeterState {
    fn add(&mut self, player: &str, cost: ReplyCostSum) {
        self.spent += cost;
        match self.largest.get_mut(player) {
            Some(largest) => *largest = largest.max_of_each_amount(&cost),
            None => drop(self.largest.insert(player.to_owned(), cost)),
        }
    }
}

impl EngineCallCostReservation {
    /// Settles the call: adds the cost of its reply, legal or not, to the meter, and releases the reservation. A reply
    /// without a cost counts as zero.
    pub(super) fn settle_call_with_reply_cost(mut self, cost: Option<&ReplyCost>) {
        let mut sum = ReplyCostSum::default();
        if let Some(cost) = cost {
            sum.add(cost);
        }
        self.cost = Some(sum);
    }
}

impl Drop for EngineCallCostReservation {
    fn drop(&mut self) {
        let mut state = locked(&self.meter.state);
        state.pending -= 1;
        state.reserved = state.reserved.added_since(&self.reserved);
        state.is_alone &= !self.is_alone;
        if let Some(cost) = self.cost {
            state.add(&self.player, cost);
        }
        drop(state);
        self.meter.settled.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn dollars(usd: &str) -> ReplyCost {
        ReplyCost {
            calls: 1,
            usd: Some(usd.to_owned()),
            ..ReplyCost::default()
        }
    }

    fn meter(usd: &str) -> Arc<SharedCostMeterWithCaps> {
        Arc::new(SharedCostMeterWithCaps::new(TotalCostCaps {
            usd: Some(usd.to_owned()),
            ..TotalCostCaps::default()
        }))
    }

    /// Reserves the estimated cost of a call under the caps; `None` if the call would have to wait for pending calls.
    fn at_once(
        meter: &Arc<SharedCostMeterWithCaps>,
        player: &str,
    ) -> Option<Result<EngineCallCostReservation, String>> {
        // `stop` is checked once before the call waits, and again afterwards.
        let looks = Cell::new(0);
        let stop = || looks.replace(looks.get() + 1) > 0;
        match meter.reserve(player, &stop) {
            Ok(call) => Some(Ok(call)),
            Err(EngineNotCalledReason::Capped(why)) => Some(Err(why)),
            Err(EngineNotCalledReason::Stopped) => None,
        }
    }

    #[test]
    fn calls_are_reserved_so_that_a_cap_binds() {
        let meter = meter("5.5");
        // The cost of the first call is unknown, so no other call is made before its reply.
        let first = at_once(&meter, "bob").unwrap().unwrap();
        assert!(at_once(&meter, "bob").is_none() && at_once(&meter, "alice").is_none());
        first.settle_call_with_reply_cost(Some(&dollars("1")));
        let calls: Vec<_> = (0..4).map(|_| at_once(&meter, "bob").unwrap()).collect();
        let mut calls: Vec<_> = calls.into_iter().map(Result::unwrap).collect();
        // Half a dollar is left, unless a pending call costs less than reserved or has no reply.
        assert!(at_once(&meter, "bob").is_none());
        drop(calls.pop());
        calls.push(at_once(&meter, "bob").unwrap().unwrap());
        for call in calls {
            call.settle_call_with_reply_cost(Some(&dollars("1")));
        }
        let why = at_once(&meter, "bob").unwrap().unwrap_err();
        assert_eq!(
            why,
            "5 US dollars of at most 5.5, and the next reply may cost 1"
        );
        assert_eq!(meter.reason_of_first_refused_call(), Some(why));
        assert_eq!(meter.total_cost_so_far().cost_in_decimal_dollars(), "5");
        // A cheaper player still has room.
        meter.add_earlier_cost("carol", &dollars("0.1"));
        assert!(at_once(&meter, "carol").unwrap().is_ok());
    }

    #[test]
    fn without_a_cap_every_call_is_made_at_once() {
        let meter = Arc::new(SharedCostMeterWithCaps::default());
        let calls: Vec<_> = (0..8)
            .map(|_| at_once(&meter, "bob").unwrap().unwrap())
            .collect();
        for call in calls {
            call.settle_call_with_reply_cost(Some(&dollars("2")));
        }
        assert_eq!(meter.total_cost_so_far().cost_in_decimal_dollars(), "16");
        assert_eq!(meter.reason_of_first_refused_call(), None);
    }
}
