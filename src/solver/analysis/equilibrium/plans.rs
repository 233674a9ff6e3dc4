//! Optimal plans of both sides, with exact bounds on the game's value. The plans are computed in floating point. The
//! best reply to each plan is computed exactly, so rounding cannot make a bound wrong.
//!
//! Most games are solved by one linear program (`programs`). A larger game is solved by double oracle: each round
//! solves the game between a few sequences of either side, and adds each side's best reply to the other's plan
//! (McMahan, Gordon and Blum 2003; in sequence form Bošanský, Kiekintveld, Lisý and Pěchouček 2014). Every round gives
//! a bracket.

use std::collections::{BTreeMap, HashMap};

use super::programs::{LinearProgramSize, optimal_plans};
use super::sequence_form::{InformationSet, SequenceForm, SequenceFormSide};
use crate::analysis::SolveError;
use crate::game::Side;
use debate_core::budget::ComputationBudget;
use debate_core::number::Exact;

/// Maximum number of payoffs of a game that a single linear program may solve. Larger games need double oracle.
pub(super) const MAX_PAYOFFS: usize = 600_000;

/// Limits of a search for optimal plans of both sides.
#[derive(Clone, Copy, Debug)]
pub struct EquilibriumToleranceAndRounds {
    /// The distance between the two bounds at which a game counts as solved.
    pub tolerance: f64,
    /// Maximum number of rounds of the double-oracle algorithm.
    pub rounds: u32,
}

/// A game's solution: the plans of both sides and the bounds on the value that they guarantee.
#[derive(Clone, Debug)]
pub struct SolvedSequenceForm {
    /// The plans of prover and opponent: the weight of each sequence of moves.
    pub plans: [Vec<Exact>; 2],
    /// The payoff that the prover's plan guarantees.
    pub lower: Exact,
    /// The largest payoff that any prover can get against the opponent's plan.
    pub upper: Exact,
    /// The number of rounds of double oracle; `None` if a single linear program solved the game.
    pub rounds: Option<u32>,
    /// The size of the largest linear program that was solved.
    pub size: LinearProgramSize,
    /// True if the search was stopped or reached its maximum number of rounds.
    pub stopped: bool,
}

/// Solves a game in sequence form. If the budget's flag stops the search early, the bounds are less close.
///
/// # Errors
/// Returns an error if the solver of linear programs fails.
pub fn solve_form(
    form: &SequenceForm<Exact>,
    limits: EquilibriumToleranceAndRounds,
    budget: ComputationBudget<'_>,
) -> Result<SolvedSequenceForm, SolveError> {
    let payoffs: usize = form.payoff.iter().map(BTreeMap::len).sum();
    let float_form = form.float_form();
    let has_choices = form.seats.iter().any(|seat| !seat.sets.is_empty());
    let (found, rounds) = if !has_choices {
        let found = DoubleOracleResult {
            stopped: false,
            ..DoubleOracleResult::uniform_plans(&float_form)
        };
        (found, None)
    } else if payoffs <= MAX_PAYOFFS {
        let found = match optimal_plans(&float_form, budget) {
            Ok(found) => DoubleOracleResult {
                plans: found.plans,
                rounds: 0,
                size: found.size,
                stopped: found.stopped,
            },
            Err(_) if budget.check_not_cancelled().is_err() => {
                DoubleOracleResult::uniform_plans(&float_form)
            }
            Err(error) => return Err(error),
        };
        (found, None)
    } else {
        let found = solve_by_double_oracle(&float_form, limits.rounds, limits.tolerance, budget)?;
        let rounds = found.rounds;
        (found, Some(rounds))
    };
    let plans = [0, 1].map(|side| {
        let plan = without_rare_replies(&float_form, side, &found.plans[side]);
        form.exact_plan_near_weights(side, &plan)
    });
    Ok(SolvedSequenceForm {
        lower: form.prover_payoff_under_best_reply(1, &plans[0]),
        upper: form.prover_payoff_under_best_reply(0, &plans[1]),
        plans,
        rounds,
        size: found.size,
        stopped: found.stopped,
    })
}

/// Thresholds of rare replies: a reply with a smaller proportion of its set's weight may be removed from a plan.
const RARE: [f64; 3] = [0.0, 1e-9, 1e-6];

/// Returns the plan without rare replies, if the plan then guarantees at least as much. Interior-point methods give
/// every reply a positive weight; without rare replies, a plan may be exactly optimal.
fn without_rare_replies(form: &SequenceForm<f64>, side: Side, plan: &[f64]) -> Vec<f64> {
    let sign = if side == 0 { 1.0 } else { -1.0 };
    let mut best: Option<(f64, Vec<f64>)> = None;
    for least in RARE {
        let mut cleaned = vec![0.0; plan.len()];
        cleaned[0] = 1.0;
        for set in &form.seats[side].sets {
            let own = set.first..set.first + set.replies;
            let sum: f64 = plan[own.clone()].iter().map(|weight| weight.max(0.0)).sum();
            let kept = |weight: f64| if weight > least * sum { weight } else { 0.0 };
            let total: f64 = plan[own.clone()].iter().map(|weight| kept(*weight)).sum();
            for reply in own {
                #[expect(clippy::cast_precision_loss, reason = "few replies")]
                let share = if total > 0.0 {
                    kept(plan[reply]) / total
                } else {
                    1.0 / set.replies as f64
                };
                cleaned[reply] = cleaned[set.parent] * share;
            }
        }
        let guarantee = sign * form.prover_payoff_under_best_reply(1 - side, &cleaned);
        if best.as_ref().is_none_or(|(most, _)| guarantee >= *most) {
            best = Some((guarantee, cleaned));
        }
    }
    best.map_or_else(|| plan.to_vec(), |(_, plan)| plan)
}

/// Plans in floating point, found by [`solve_by_double_oracle`] or by a single linear program.
#[derive(Clone, Debug)]
pub struct DoubleOracleResult {
    /// The plans of prover and opponent that give the closest bounds on the value.
    pub plans: [Vec<f64>; 2],
    pub rounds: u32,
    /// The size of the largest linear program that was solved.
    pub size: LinearProgramSize,
    /// True if the search ended before the bounds were as close as possible.
    pub stopped: bool,
}

impl DoubleOracleResult {
    /// Returns the state before any search: plans in which all replies have equal weight.
    pub(super) fn uniform_plans(form: &SequenceForm<f64>) -> Self {
        Self {
            plans: [0, 1].map(|side| uniform_plan(form, side)),
            rounds: 0,
            size: LinearProgramSize::default(),
            stopped: true,
        }
    }
}

/// A smaller game, in which each side may use only some of its sequences of moves.
struct PartialGame {
    form: SequenceForm<f64>,
    /// For each side and each sequence of the partial game, the sequence's index in the whole game.
    sequences: [Vec<usize>; 2],
}

impl PartialGame {
    /// Restricts the game to the sequences marked in `kept`. If a sequence is kept, all sequences that lead to it must
    /// be kept, and at least one reply at each information set after it.
    fn of(form: &SequenceForm<f64>, kept: &[Vec<bool>; 2]) -> Self {
        let sequences = kept.each_ref().map(|kept| -> Vec<usize> {
            let numbered = kept.iter().enumerate().filter(|(_, kept)| **kept);
            numbered.map(|(sequence, _)| sequence).collect()
        });
        let numbers = sequences.each_ref().map(|sequences| {
            let each = sequences.iter().zip(0..).map(|(of, number)| (*of, number));
            each.collect::<HashMap<usize, usize>>()
        });
        let seats = [0, 1].map(|side: Side| {
            let number = |sequence: usize| numbers[side].get(&sequence).copied();
            let set = |set: &InformationSet| {
                let own = set.first..set.first + set.replies;
                let replies: Vec<usize> = own.filter_map(number).collect();
                Some(InformationSet {
                    parent: number(set.parent)?,
                    first: *replies.first()?,
                    replies: replies.len(),
                })
            };
            SequenceFormSide {
                sets: form.seats[side].sets.iter().filter_map(set).collect(),
                sequences: sequences[side].len(),
            }
        });
        let row = |own: &usize| {
            let each = form.payoff[*own].iter();
            each.filter_map(|(other, payoff)| Some((*numbers[1].get(other)?, *payoff)))
                .collect()
        };
        Self {
            form: SequenceForm {
                seats,
                payoff: sequences[0].iter().map(row).collect(),
                truly: None,
                positions: form.positions,
            },
            sequences,
        }
    }

    /// Extends a plan of the partial game to the whole game, in which the side has `sequences` sequences.
    fn whole(&self, side: Side, plan: &[f64], sequences: usize) -> Vec<f64> {
        let mut whole = vec![0.0; sequences];
        for (sequence, weight) in self.sequences[side].iter().zip(plan) {
            whole[*sequence] = *weight;
        }
        whole
    }
}

/// Returns the payoff of a side's best reply to the other side's plan. At each reached information set, adds the best
/// reply to `kept` if it beats all kept replies by more than `least`. Also returns true if `kept` grew.
fn best_reply_value(
    form: &SequenceForm<f64>,
    side: Side,
    plan: &[f64],
    least: f64,
    kept: &mut [bool],
) -> (f64, bool) {
    let worth = form.sequence_values_with_best_replies(side, plan);
    let sign = if side == 0 { 1.0 } else { -1.0 };
    let mut grown = false;
    kept[0] = true;
    for set in &form.seats[side].sets {
        if !kept[set.parent] {
            continue;
        }
        let own = set.first..set.first + set.replies;
        let best = |among: &mut dyn Iterator<Item = usize>| {
            among.max_by(|a, b| (sign * worth[*a]).total_cmp(&(sign * worth[*b])))
        };
        let known = best(&mut own.clone().filter(|reply| kept[*reply]));
        let Some(most) = best(&mut own.clone().rev()) else {
            continue;
        };
        if known.is_none_or(|known| sign * (worth[most] - worth[known]) > least) {
            kept[most] = true;
            grown = true;
        }
    }
    (worth[0], grown)
}

/// Returns a side's plan in which all replies at an information set have equal weight.
fn uniform_plan(form: &SequenceForm<f64>, side: Side) -> Vec<f64> {
    let seat = &form.seats[side];
    let mut uniform_plans = vec![0.0; seat.sequences];
    uniform_plans[0] = 1.0;
    for set in &seat.sets {
        #[expect(clippy::cast_precision_loss, reason = "few replies")]
        let share = uniform_plans[set.parent] / set.replies as f64;
        uniform_plans[set.first..set.first + set.replies].fill(share);
    }
    uniform_plans
}

/// Solves a game by double oracle. Each round solves the game between the sequences found so far, and adds each side's
/// best reply to the other's plan. The first sequences are the best replies to uniform plans. The search ends if the
/// bounds differ by at most `tolerance`, if a round adds nothing, after `rounds` rounds, or if the budget's flag stops
/// it.
///
/// # Errors
/// Returns an error if the solver of linear programs fails.
pub fn solve_by_double_oracle(
    form: &SequenceForm<f64>,
    rounds: u32,
    tolerance: f64,
    budget: ComputationBudget<'_>,
) -> Result<DoubleOracleResult, SolveError> {
    let sequences = form.seats.each_ref().map(|seat| seat.sequences);
    let mut reached = DoubleOracleResult::uniform_plans(form);
    let mut kept = sequences.map(|count| vec![false; count]);
    let [upper, lower] = [0, 1].map(|side| {
        let other = &reached.plans[1 - side];
        best_reply_value(form, side, other, 0.0, &mut kept[side]).0
    });
    let mut bracket = [lower, upper];
    while reached.rounds < rounds && budget.check_not_cancelled().is_ok() {
        let part = PartialGame::of(form, &kept);
        let planned = optimal_plans(&part.form, budget)?;
        if planned.stopped {
            break;
        }
        reached.rounds += 1;
        reached.size = reached.size.max(planned.size);
        budget.add_to_progress(ComputationBudget::STEP);
        for (side, planned) in planned.plans.iter().enumerate() {
            let plan = part.whole(side, planned, sequences[side]);
            let other = 1 - side;
            let (value, _) =
                best_reply_value(form, other, &plan, tolerance / 8.0, &mut kept[other]);
            let better = match side {
                0 => value > bracket[0],
                _ => value < bracket[1],
            };
            if better {
                bracket[side] = value;
                reached.plans[side] = plan;
            }
        }
        let grown = [0, 1].map(|side| kept[side].iter().filter(|kept| **kept).count())
            != part.sequences.each_ref().map(Vec::len);
        if bracket[1] - bracket[0] <= tolerance || !grown {
            reached.stopped = false;
            break;
        }
    }
    Ok(reached)
}
