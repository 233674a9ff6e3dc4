//! The judge errors that Alice tolerates: her expected payoff if the judge inverts each answer with probability f, or
//! errs on certain leaves.
//!
//! The expected payoff between named players is a polynomial in f. Its degree is at most the number of answers that the
//! judge gives in a debate. It is interpolated exactly from its values at enough rates, and Sturm's theorem brackets
//! its first root between rationals.

mod polynomial;

pub use polynomial::Polynomial;
use serde::Serialize;

use debate_core::budget::ComputationBudget;
use debate_core::number::Exact;
use debate_core::player::PlayerSpec;
use debate_core::protocol::Seat;
use debate_core::scenario::Instance;
use debate_solver::analysis::{DebateSolutionInputs, SolveError};
use debate_solver::expectimax::{BEST_RESPONSE, ExhaustiveExpectimax, SeatDecisionMaker};

/// Maximum number of different leaves, over all instances, for which the cost of an error on a single leaf is computed.
const MAX_LEAVES: usize = 256;

/// The judge errors that Alice tolerates against a given opponent. Numbers are fractions, or formatted for a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JudgeErrors"))]
#[serde(rename = "JudgeErrors")]
pub struct TolerableJudgeErrors<N = Exact> {
    /// The coefficients of a polynomial, the constant term first. Its value is Alice's expected payoff if the judge
    /// inverts each answer with the rate x.
    pub polynomial: Vec<N>,
    /// The smallest rate of inverted answers at which Alice expects a payoff of 0, as an interval. Its ends are equal
    /// if the rate is exact. Null if there is none from 0 to 1.
    pub break_even: Option<[N; 2]>,
    /// The greatest rate of inverted answers at which honest Alice keeps the bound of PE Lemma A.5 against every Bob.
    /// It is ρε if the oracle never errs. Null unless every hypothesis of the lemma holds.
    pub allowed: Option<N>,
    /// The leaves on which an error of the judge costs Alice payoff, the costliest first. The costs of several leaves
    /// add up. Null if the judge answers several times in a debate, or if there are too many leaves.
    pub worst_leaves: Option<Vec<LeafWithJudgeErrorCost<N>>>,
    /// An upper bound on Alice's cost if the judge errs on any set of leaves. If the costs of single leaves are known,
    /// it is their sum. Otherwise it is the cost of a judge who errs after each history in which this costs Alice
    /// payoff.
    pub any_leaves_cost_at_most: N,
}

/// A leaf, with the payoff that Alice loses if the judge errs on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WrongLeaf"))]
#[serde(rename = "CostlyLeaf")]
pub struct LeafWithJudgeErrorCost<N = Exact> {
    /// The leaf's id, in the syntax of the player `wrong` for the judge.
    pub leaf: String,
    /// The claim of the leaf in a short form.
    pub claim: String,
    pub cost: N,
}

impl TolerableJudgeErrors {
    /// Converts each number with `number`.
    pub fn map<M>(&self, number: &dyn Fn(&Exact) -> M) -> TolerableJudgeErrors<M> {
        let leaf = |worst: &LeafWithJudgeErrorCost| LeafWithJudgeErrorCost {
            leaf: worst.leaf.clone(),
            claim: worst.claim.clone(),
            cost: number(&worst.cost),
        };
        let leaves = self.worst_leaves.as_ref();
        TolerableJudgeErrors {
            polynomial: self.polynomial.iter().map(number).collect(),
            break_even: self
                .break_even
                .as_ref()
                .map(|ends| ends.each_ref().map(number)),
            allowed: self.allowed.as_ref().map(number),
            worst_leaves: leaves.map(|leaves| leaves.iter().map(leaf).collect()),
            any_leaves_cost_at_most: number(&self.any_leaves_cost_at_most),
        }
    }
}

/// Computes the judge errors that Alice tolerates in debates about these instances, which have the given probabilities.
/// The judge of `solver` is replaced. `allowed` is the rate up to which PE Lemma A.5 holds.
///
/// # Errors
/// Returns an error if a value is not found, or if a player is a best response, because it would adapt to the judge.
pub fn judge_errors(
    solver: &DebateSolutionInputs<'_, Exact>,
    instances: &[(Exact, Instance)],
    allowed: Option<Exact>,
    budget: ComputationBudget<'_>,
) -> Result<TolerableJudgeErrors, SolveError> {
    if solver.players.iter().any(|spec| spec.name == BEST_RESPONSE) {
        return Err(SolveError::FollowsTheJudge);
    }
    // Computes Alice's expected payoff with a judge.
    let before = |name: &str, argument: String| {
        let mut players = solver.players.clone();
        players[Seat::Judge.seat_index()] = PlayerSpec {
            name: name.to_owned(),
            arguments: vec![argument],
        };
        let players = &players;
        let judged = DebateSolutionInputs { players, ..*solver };
        mean(instances, |instance| judged.debate_value(instance, budget))
    };
    let each = instances
        .iter()
        .map(|(_, instance)| max_answer_count(solver, instance));
    let most = each.max().unwrap_or(0);
    let mut points = Vec::new();
    for position in 0..=most {
        let rate = Exact::new(position.into(), most.max(1).into());
        points.push((rate.clone(), before("noisy", rate.to_string())?));
    }
    let payoff = Polynomial::polynomial_through_points(&points);
    let right = payoff.value_at(&Exact::default());
    let mut worst_leaves = leaves(instances).filter(|_| most <= 1);
    for leaf in worst_leaves.iter_mut().flatten() {
        leaf.cost = &right - before("wrong", leaf.leaf.clone())?;
    }
    if let Some(leaves) = &mut worst_leaves {
        leaves.retain(|leaf| leaf.cost > Exact::default());
        leaves.sort_by(|one, other| other.cost.cmp(&one.cost));
    }
    let any_leaves = match &worst_leaves {
        Some(leaves) => leaves.iter().map(|leaf| &leaf.cost).sum(),
        None => {
            right
                - mean(instances, |one| {
                    payoff_with_worst_judge(solver, one, budget)
                })?
        }
    };
    Ok(TolerableJudgeErrors {
        any_leaves_cost_at_most: any_leaves,
        allowed,
        break_even: payoff
            .first_root_in_unit_interval()
            .map(|(low, high)| [low, high]),
        polynomial: payoff.0,
        worst_leaves,
    })
}

/// Returns the maximum number of answers that the rules request from the judge in a debate; 1 if the rules state no
/// bound.
fn max_answer_count(solver: &DebateSolutionInputs<'_, Exact>, instance: &Instance) -> u64 {
    let bounds = solver.protocol.protocol_parameters().bounds(instance);
    let mut queries = bounds.iter().filter(|bound| bound.what == "oracle_queries");
    queries.next().map_or(1, |bound| bound.most)
}

/// Returns Alice's expected payoff with the judge whose answers are worst for her.
fn payoff_with_worst_judge(
    solver: &DebateSolutionInputs<'_, Exact>,
    instance: &Instance,
    budget: ComputationBudget<'_>,
) -> Result<Exact, SolveError> {
    let prover = solver.build(Seat::Prover, instance, budget)?;
    let opponent = solver.build(Seat::Opponent, instance, budget)?;
    let (prover, opponent) = (
        SeatDecisionMaker::player_or_best_response(Some(&prover)),
        SeatDecisionMaker::player_or_best_response(Some(&opponent)),
    );
    let start = solver.protocol.start::<Exact>(instance)?;
    let actors = [prover, opponent, SeatDecisionMaker::BestResponse];
    let mut search = ExhaustiveExpectimax::new(&start, actors, budget).restrict_to_total_payoff();
    Ok(search.expectation_from_state(start)?.expected_payoff())
}

/// Returns the mean over instances.
fn mean(
    instances: &[(Exact, Instance)],
    of: impl Fn(&Instance) -> Result<Exact, SolveError>,
) -> Result<Exact, SolveError> {
    let each = instances.iter();
    each.map(|(share, instance)| Ok(share * of(instance)?))
        .sum()
}

/// Returns all leaves of the instances, with costs of 0; `None` if there are too many.
fn leaves(instances: &[(Exact, Instance)]) -> Option<Vec<LeafWithJudgeErrorCost>> {
    let mut leaves: Vec<LeafWithJudgeErrorCost> = Vec::new();
    for (_, instance) in instances {
        for (count, claim) in instance.claim_and_descendants(instance.root()).enumerate() {
            if instance.supports(claim).is_empty() {
                let id = instance.claim_id_in_file(claim).map(str::to_owned);
                let name = id.unwrap_or_else(|| instance.key(claim).to_string());
                if leaves.iter().all(|known| known.leaf != name) {
                    leaves.push(LeafWithJudgeErrorCost {
                        leaf: name,
                        claim: instance.short_text(claim),
                        cost: Exact::default(),
                    });
                }
            }
            if leaves.len() > MAX_LEAVES || count >= 64 * MAX_LEAVES {
                return None;
            }
        }
    }
    Some(leaves)
}
