//! Finds replies at the end of a prover-estimator debate that cannot affect the value, if the prover knows the
//! instance.
//!
//! Let e be the probability with which the judge accepts a leaf. A prover who knows the instance knows e. Her bet A on
//! a leaf with estimate p pays w·A·(O − p), where O is 1 if the judge accepts, and no replies follow. So the sign of e
//! − p is a best bet, and its value is w·|e − p|. If all subclaims of a round are leaves, a best choice is a leaf for
//! which this value is greatest. Only this bet and this choice are followed.
//!
//! The opponent's last estimate p of such a round precedes that choice. Its value to a prover of any
//! instance, with any bet on the round, has two parts. One is linear in p, for the coin that it weighs. The
//! other is the maximum of w·|e − p| and a number m that the earlier estimates fix. The value is piecewise
//! linear, with corners at e − m, e, and e + m. A number between two others, with no corner of any instance
//! between them, is therefore equivalent to drawing one of these two with chances whose mean is that number.
//! Of a grid, its ends and the neighbours of all corners suffice.

use std::collections::BTreeSet;

use num_traits::Signed as _;

use super::tree::{GameNode, LazyGameTree, Side};
use debate_core::number::Exact;
use debate_core::player::StrategyMemoryAndCosts;
use debate_core::player::prover_estimator::PeView;
use debate_core::protocol::{Bet, PendingTurn, Reply, Request, Seat, View};
use debate_core::scenario::{ClaimId, Support};

impl<'a> LazyGameTree<'_, 'a> {
    /// Returns the replies at this node of the game tree that the search must try, each with its index among all
    /// replies. The other replies cannot change the value.
    pub(super) fn relevant_replies(
        &self,
        side: Side,
        at: &GameNode<'a>,
        turn: &PendingTurn<Exact>,
        all: Vec<Reply<Exact>>,
    ) -> Vec<(u64, Reply<Exact>)> {
        let kept = self.sufficient_replies(side, at, turn);
        let each = (0..).zip(all);
        each.filter(|(_, reply)| kept.as_ref().is_none_or(|kept| kept.contains(reply)))
            .collect()
    }

    /// Returns a set of replies that contains a best one; `None` if every reply may be needed.
    fn sufficient_replies(
        &self,
        side: Side,
        at: &GameNode<'a>,
        turn: &PendingTurn<Exact>,
    ) -> Option<Vec<Reply<Exact>>> {
        if !self.ends_alone {
            return None;
        }
        let view: PeView<'_, 'a, Exact> = View::new(&at.debate.state, Seat::Judge).under()?;
        let instance = self.starts[at.start].instance;
        let all_leaves =
            |support: &Support| support.on.iter().all(|claim| instance.is_leaf(*claim));
        let request = &turn.request;
        let yes = |claim: &ClaimId| self.acceptance_probability(at.start, *claim);
        if side == 0 && request.is_bet_request() && view.available_supports().is_empty() {
            let excess = yes(&request.claim_of_request()?)? - view.claim_probability();
            return Some(vec![Reply::Direction(Bet::beyond(
                &excess,
                &Exact::default(),
            ))]);
        }
        if !all_leaves(view.last_chosen_support_or_empty()) {
            return None;
        }
        let on = &view.last_chosen_support_or_empty().on;
        if side == 0 && request.is_subclaim_selection_request() {
            let each = on.iter().zip(view.next_round_estimate_per_subclaim());
            let gains = each.map(|(claim, p)| Some((yes(claim)? - p).abs()));
            let gains: Vec<Exact> = gains.collect::<Option<_>>()?;
            let most = gains.iter().max()?;
            let index = (0..).zip(&gains).find(|(_, gain)| *gain == most)?.0;
            return Some(vec![Reply::Select(index)]);
        }
        let is_last = request
            .index_among_siblings()
            .is_some_and(|index| index as usize + 1 == on.len());
        if side == 1 && request.may_depend_on_sibling_coins() && is_last {
            let kept = neighbours(self.grid, &self.corners(at, view)?);
            return Some(kept.into_iter().map(Reply::Probability).collect());
        }
        None
    }

    /// Returns the corners of the payoff as a piecewise linear function of the last estimate in a round. All instances
    /// that the opponent considers possible contribute. `None` if the probability that the judge accepts a leaf is
    /// unknown.
    fn corners(&self, at: &GameNode<'a>, view: PeView<'_, 'a, Exact>) -> Option<BTreeSet<Exact>> {
        let on = &view.last_chosen_support_or_empty().on;
        let earlier = view.next_round_estimate_per_subclaim();
        // If marginals are carried, the last conditional estimate affects only a coin.
        if earlier.len() == on.len() {
            return Some(BTreeSet::new());
        }
        let own = self.starts[at.start].instance;
        let block = self.starts[at.start].blocks[1];
        let mut corners = BTreeSet::new();
        for (start, of) in self.starts.iter().enumerate() {
            if of.blocks[1] != block {
                continue;
            }
            let there = |claim: &ClaimId| of.instance.claim_with_key(own.key(*claim).clone());
            let yes = |claim| self.acceptance_probability(start, there(claim));
            let each = on.iter().zip(earlier);
            let gains = each.map(|(claim, p)| Some((yes(claim)? - p).abs()));
            let gains: Vec<Exact> = gains.collect::<Option<_>>()?;
            let last = yes(on.last()?)?;
            let most = gains.into_iter().max().unwrap_or_default();
            corners.extend([&last - &most, &last + &most, last]);
        }
        Some(corners)
    }

    /// Returns the probability with which the judge accepts a leaf, in the debate with index `start`. `None` if the
    /// judge has no reply or its replies cannot be listed.
    fn acceptance_probability(&self, start: usize, claim: ClaimId) -> Option<Exact> {
        if let Some(known) = self.verdicts.borrow().get(&(start, claim)) {
            return known.clone();
        }
        let found = self.compute_acceptance_probability(start, claim);
        let mut verdicts = self.verdicts.borrow_mut();
        verdicts.insert((start, claim), found.clone());
        found
    }

    fn compute_acceptance_probability(&self, start: usize, claim: ClaimId) -> Option<Exact> {
        let start = &self.starts[start];
        let view = View::new(&start.state, Seat::Judge);
        let asked = Request::Oracle { claim };
        let choice = start
            .judge
            .choose(view, &asked, &mut StrategyMemoryAndCosts::default())?;
        let yes = |(chance, reply): (Exact, Reply<Exact>)| match reply {
            Reply::Oracle { holds: true, .. } => chance,
            _ => Exact::default(),
        };
        Some(choice.weighted_replies()?.into_iter().map(yes).sum())
    }
}

/// Returns the least and the greatest value of a grid, and the nearest grid values on both sides of each number in
/// `corners`.
fn neighbours(grid: &[Exact], corners: &BTreeSet<Exact>) -> BTreeSet<Exact> {
    let ends = [grid.iter().min(), grid.iter().max()];
    let beside = corners.iter().flat_map(|corner| {
        let below = grid.iter().filter(|p| *p <= corner).max();
        let above = grid.iter().filter(|p| *p >= corner).min();
        [below, above]
    });
    ends.into_iter().chain(beside).flatten().cloned().collect()
}
