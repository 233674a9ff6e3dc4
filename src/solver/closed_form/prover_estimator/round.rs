//! The dynamic program for one round: the estimator's best estimate for each subclaim.

use debate_core::gate::Gate;
use debate_core::number::Number;
use debate_core::player::prover_estimator::{MarkovProver, SubclaimSelectionRule};
use debate_core::protocol::prover_estimator::CarriedEstimateKind;
use debate_core::scenario::{ClaimId, Support};

/// The rule by which the estimator chooses its estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BestOrRandomEstimateRule {
    /// The estimator states the estimates that minimise Alice's expected payoff.
    Best,
    /// The estimator draws each estimate uniformly from the allowed values of the grid.
    Uniform,
}

impl BestOrRandomEstimateRule {
    /// Returns the index of the chosen estimate and the value of the choice. For `Best`: the first estimate with the
    /// least value. For `Uniform`: index 0 and the mean value. `values` has the index and the value of each allowed
    /// estimate.
    pub(super) fn settled<N: Number>(self, values: impl Iterator<Item = (u32, N)>) -> (u32, N) {
        let mut best: Option<(u32, N)> = None;
        let mut sum = N::zero();
        let mut count = 0;
        for (index, value) in values {
            count += 1;
            match self {
                Self::Uniform => sum += value,
                Self::Best if best.as_ref().is_none_or(|(_, least)| value < *least) => {
                    best = Some((index, value));
                }
                Self::Best => {}
            }
        }
        match (self, best) {
            (Self::Best, Some(best)) => best,
            _ => (0, sum / N::ratio(count.max(1), 1)),
        }
    }
}

/// The rule by which Alice selects the subclaim with which she continues.
#[derive(Clone, Debug)]
pub(super) enum ProverSubclaimSelectionRule<N> {
    /// Selects the subclaim whose stated estimate has the greatest score; the first such subclaim wins a tie. The list
    /// has the score of each subclaim with each estimate of the grid.
    Greatest(Vec<N>),
    /// Selects each subclaim with its listed probability, whatever the estimates are.
    Shares(Vec<N>),
}

impl<N: Number> ProverSubclaimSelectionRule<N> {
    /// Returns the prover's rule for selecting one of the subclaims `on`. Its scores are for pairs of a subclaim and an
    /// estimate of the `grid`.
    pub(super) fn selection_rule_of_prover(
        prover: &dyn MarkovProver<N>,
        on: &[ClaimId],
        grid: &[N],
    ) -> Self {
        let count = i64::try_from(on.len()).unwrap_or(i64::MAX);
        let indices = 0..on.len();
        match prover.selection() {
            SubclaimSelectionRule::Greatest => {
                let words = on.iter().flat_map(|claim| grid.iter().map(|p| (*claim, p)));
                Self::Greatest(words.map(|(claim, p)| prover.score(claim, p)).collect())
            }
            SubclaimSelectionRule::Uniform => {
                Self::Shares(indices.map(|_| N::ratio(1, count)).collect())
            }
            SubclaimSelectionRule::First => {
                Self::Shares(indices.map(|index| N::indicator(index == 0)).collect())
            }
        }
    }
}

/// A round to be solved. Lists have one entry for each pair of subclaim and grid estimate. Such a pair is called a
/// word; the word of subclaim `index` and estimate `grid[p]` has the number `index · grid.len() + p`.
pub(super) struct RoundSolver<'s, N> {
    pub(super) gate: &'s Gate,
    pub(super) width: usize,
    pub(super) grid: &'s [N],
    pub(super) said: BestOrRandomEstimateRule,
    /// Alice's reward if the round's gate is true: A·w, her bet times the stake.
    pub(super) stake: N,
    pub(super) selection: ProverSubclaimSelectionRule<N>,
    /// For each pair of subclaim and estimate: Alice's later payoff if she continues with this subclaim. `None` if the
    /// estimator may not state the estimate.
    pub(super) after: Vec<Option<N>>,
}

/// The solution of a round: Alice's expected payoff and the estimator's best estimates.
#[derive(Debug)]
pub(super) struct RoundValueAndEstimates<N> {
    /// Alice's expected payoff W from this round on, without the fixed term −A·w·p (bet, stake, estimate).
    pub(super) value: N,
    grid: usize,
    gate: Gate,
    selection: ProverSubclaimSelectionRule<N>,
    /// For each subclaim, the best conditional estimates, by the relevant part of the round so far.
    given: Vec<PolicyLayer>,
    /// For each subclaim, the best unconditional estimates, which are given before any coin.
    alone: Vec<PolicyLayer>,
}

/// The best estimates for one subclaim, by the class of the coins so far and the pair (subclaim and estimate) that
/// Alice would select.
#[derive(Debug, Default)]
struct PolicyLayer {
    words: usize,
    best: Vec<u32>,
}

/// The index of the pair of a subclaim and its estimate that Alice would select if the round ended now. `None` before
/// the first estimate.
type LeadingPairIndex = Option<usize>;

/// Returns the approximate number of steps to solve a round. `leading_word_matters` is true if Alice's selection
/// depends on the estimates.
pub(super) fn round_solution_step_count(
    support: &Support,
    grid: usize,
    leading_word_matters: bool,
) -> u64 {
    let width = support.on.len();
    let each = |index: usize| {
        let words = if leading_word_matters {
            (index * grid).max(1)
        } else {
            1
        };
        let ways = support.gate.distinct_tally_count(small(index));
        ways.saturating_mul(words).saturating_mul(grid)
    };
    (0..=width).map(each).fold(0, usize::saturating_add) as u64
}

impl<N: Number> RoundSolver<'_, N> {
    /// Returns the number of classes of outcomes for the first `seen` coins. Within a class, the gate cannot tell
    /// outcomes apart.
    fn ways(&self, seen: usize) -> usize {
        self.gate.distinct_tally_count(small(seen))
    }

    /// Returns the class of the coins' outcomes after one more coin. The gate cannot tell outcomes of one class apart.
    fn next_way(&self, seen: usize, tally_index: usize, coin: bool) -> usize {
        let tally = self.gate.tally_from_index(small(seen), tally_index);
        self.gate
            .tally_index(self.gate.tally_with_outcome(tally, coin))
    }

    /// Returns Alice's reward for her bet once all coins of the round are thrown: her bet times the stake if the gate
    /// is true, otherwise 0. `tally_index` is the class of the coins' outcomes.
    fn outcome(&self, tally_index: usize) -> N {
        if self
            .gate
            .value_of_tally(self.gate.tally_from_index(small(self.width), tally_index))
        {
            self.stake.clone()
        } else {
            N::zero()
        }
    }

    fn mean(p: &N, yes: &N, no: &N) -> N {
        if p.is_zero() {
            return no.clone();
        }
        p.clone() * yes.clone() + (N::one() - p.clone()) * no.clone()
    }

    /// Returns the number of pairs of subclaim and estimate that can be Alice's current selection before subclaim
    /// `index`; at least 1. Returns 1 if her selection does not depend on estimates.
    fn words(&self, index: usize) -> usize {
        match self.selection {
            ProverSubclaimSelectionRule::Greatest(_) => (index * self.grid.len()).max(1),
            ProverSubclaimSelectionRule::Shares(_) => 1,
        }
    }

    /// Returns the number of the pair (subclaim and estimate) that Alice would select after subclaim `index` got the
    /// estimate `grid[p]`. Returns 0 if her selection does not depend on estimates.
    fn leading_after(&self, leading: usize, index: usize, p: usize) -> usize {
        match &self.selection {
            ProverSubclaimSelectionRule::Greatest(scores) => {
                let leading = (index > 0).then_some(leading);
                leader(scores, leading, index * self.grid.len() + p)
            }
            ProverSubclaimSelectionRule::Shares(_) => 0,
        }
    }

    /// Returns the amount that a subclaim's estimate adds to the later payoff, if Alice's selection does not depend on
    /// estimates; otherwise 0.
    fn word_value(&self, index: usize, p: usize) -> N {
        match &self.selection {
            ProverSubclaimSelectionRule::Greatest(_) => N::zero(),
            ProverSubclaimSelectionRule::Shares(shares) => {
                shares[index].clone() * self.value_after(index * self.grid.len() + p)
            }
        }
    }

    /// Returns Alice's payoff after the round, for each possible final selection. A single 0 if her selection does not
    /// depend on estimates, because [`Self::word_value`] has added these payoffs already.
    fn ends(&self) -> Vec<N> {
        match self.selection {
            ProverSubclaimSelectionRule::Greatest(_) => (0..self.after.len())
                .map(|word| self.value_after(word))
                .collect(),
            ProverSubclaimSelectionRule::Shares(_) => vec![N::zero()],
        }
    }

    /// Returns Alice's payoff after the round if she continues with a subclaim and its estimate. 0 for an estimate that
    /// is never stated.
    fn value_after(&self, word: usize) -> N {
        self.after[word].clone().unwrap_or_else(N::zero)
    }

    /// Computes the estimator's best estimates for the round. If unconditional estimates are carried into the next
    /// round, the coins decide only the gate.
    pub(super) fn solve_round(self, carry: CarriedEstimateKind) -> RoundValueAndEstimates<N> {
        let (value, given, alone) = match carry {
            CarriedEstimateKind::Conditional => {
                let (value, given) = self.backwards(true, true);
                (value, given, Vec::new())
            }
            CarriedEstimateKind::Marginal => {
                let (coins, given) = self.backwards(true, false);
                let (words, alone) = self.backwards(false, true);
                (coins + words, given, alone)
            }
        };
        RoundValueAndEstimates {
            value,
            grid: self.grid.len(),
            gate: self.gate.clone(),
            selection: self.selection,
            given,
            alone,
        }
    }

    /// Solves the round from the last subclaim to the first. Returns Alice's payoff: the round's reward if `coins` is
    /// true, plus the later payoff if `carries` is true. Also returns the best estimate of each subclaim, by the
    /// earlier coins if `coins`, and by Alice's current selection if `carries`.
    fn backwards(&self, coins: bool, carries: bool) -> (N, Vec<PolicyLayer>) {
        let ways = |index| if coins { self.ways(index) } else { 1 };
        let words = |index| if carries { self.words(index) } else { 1 };
        // The values after the last coin, by outcome class and leading word.
        let mut next: Vec<N> = Vec::new();
        for tally_index in 0..ways(self.width) {
            match (coins, carries) {
                (true, false) => next.push(self.outcome(tally_index)),
                (false, _) => next.extend(self.ends()),
                (true, true) => {
                    let outcome = self.outcome(tally_index);
                    let ends = self.ends().into_iter();
                    next.extend(ends.map(|after| outcome.clone() + after));
                }
            }
        }
        let mut layers = Vec::new();
        for index in (0..self.width).rev() {
            let wide = words(index + 1);
            let mut layer = PolicyLayer {
                words: words(index),
                best: Vec::new(),
            };
            let mut here = Vec::new();
            for tally_index in 0..ways(index) {
                let fallen = |coin| self.next_way(index, tally_index, coin) * wide;
                let [no, yes] = if coins {
                    [false, true].map(fallen)
                } else {
                    [0, 0]
                };
                for leading in 0..layer.words {
                    let allowed = self
                        .grid
                        .iter()
                        .enumerate()
                        .filter(|(p, _)| self.after[index * self.grid.len() + p].is_some());
                    let values = allowed.map(|(p, chance)| {
                        let led = if carries {
                            self.leading_after(leading, index, p)
                        } else {
                            0
                        };
                        let value = if coins {
                            Self::mean(chance, &next[yes + led], &next[no + led])
                        } else {
                            next[led].clone()
                        };
                        let value = if carries {
                            value + self.word_value(index, p)
                        } else {
                            value
                        };
                        (small(p), value)
                    });
                    let (best, value) = self.said.settled(values);
                    layer.best.push(best);
                    here.push(value);
                }
            }
            layers.push(layer);
            next = here;
        }
        layers.reverse();
        (next.swap_remove(0), layers)
    }
}

fn small(seen: usize) -> u32 {
    u32::try_from(seen).unwrap_or(u32::MAX)
}

/// Returns Alice's selection after one more estimate: the pair of a subclaim and its estimate with the greatest score,
/// or the earlier such pair if scores are equal.
fn leader<N: Number>(scores: &[N], leading: LeadingPairIndex, word: usize) -> usize {
    match leading {
        Some(leading) if !scores[word].exceeds(&scores[leading]) => leading,
        _ => word,
    }
}

impl<N: Number> RoundValueAndEstimates<N> {
    /// Returns the index of the best estimate for the next subclaim, given the round's earlier estimates and coins.
    /// `None` if no such estimate is stored.
    pub(super) fn next_estimate(
        &self,
        words: &[usize],
        coins: &[bool],
        alone: bool,
    ) -> Option<usize> {
        let mut leading = None;
        if let ProverSubclaimSelectionRule::Greatest(scores) = &self.selection {
            for (index, p) in words.iter().enumerate() {
                leading = Some(leader(scores, leading, index * self.grid + p));
            }
        }
        let (layer, tally_index) = if alone {
            (self.alone.get(words.len())?, 0)
        } else {
            let tally = self.gate.tally_of_outcomes(coins.iter().copied());
            (self.given.get(coins.len())?, self.gate.tally_index(tally))
        };
        // If no word leads, or only the coins matter, the leading word makes no difference.
        let leading = leading.filter(|_| layer.words > 1).unwrap_or(0);
        let best = layer.best.get(tally_index * layer.words + leading)?;
        usize::try_from(*best).ok()
    }
}
