//! How wrong a judge may be: what the players expect before a judge who flips each answer with
//! probability f, and before one who is wrong about certain leaves.
//!
//! What named players expect is a polynomial in f, of a degree no higher than the number of answers
//! that a debate asks for. It is found exactly from its values at as many rates, and its first root is
//! isolated in rationals by Sturm's theorem.

mod polynomial;

use std::collections::HashSet;

use polynomial::Polynomial;
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{DebateSolver, SolveError};
use crate::expectimax::{Actor, BEST_RESPONSE, Expectimax};
use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;

/// The most leaves of an instance that are held wrong one at a time.
const MAX_LEAVES: usize = 256;

/// How wrong a judge may be, between these players; numbers are fractions, or written for a report.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "JudgeErrors")]
pub struct JudgeErrors<N = Exact> {
    /// What Alice expects as a polynomial in the rate at which the judge flips answers, from the
    /// constant on.
    pub polynomial: Vec<N>,
    /// The smallest rate at which she expects 0, between two numbers that are equal where it is
    /// found exactly; null where there is none from 0 to 1.
    pub break_even: Option<[N; 2]>,
    /// ρε: the rate up to which honest Alice keeps her bound against every Bob (PE Lemma A.5); null
    /// under rules without such a bound.
    pub allowed: Option<N>,
    /// The leaves that cost her the most where the judge is wrong about them alone; costs add up,
    /// and leaves that cost nothing are left out. Null where a debate asks for several answers, or
    /// there are too many leaves.
    pub worst_leaves: Option<Vec<CostlyLeaf<N>>>,
    /// What any set of wrong leaves costs her at most, of whatever size: the sum of what they cost one
    /// by one, where that is known. Else the judge is wrong wherever that costs her, after all that was
    /// said, which no set of leaves can exceed.
    pub any_leaves_cost_at_most: N,
}

/// What it costs Alice where the judge is wrong about a leaf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WrongLeaf")]
pub struct CostlyLeaf<N = Exact> {
    /// Its id, as the judge `wrong` takes it.
    pub leaf: String,
    /// The claim in few words.
    pub claim: String,
    pub cost: N,
}

impl JudgeErrors {
    /// The same, `number` writing each number.
    pub fn map<M>(&self, number: &dyn Fn(&Exact) -> M) -> JudgeErrors<M> {
        let leaf = |worst: &CostlyLeaf| CostlyLeaf {
            leaf: worst.leaf.clone(),
            claim: worst.claim.clone(),
            cost: number(&worst.cost),
        };
        let leaves = self.worst_leaves.as_ref();
        JudgeErrors {
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

/// A debate between named players, without its judge.
#[derive(Clone, Copy, Debug)]
pub struct JudgedDebate<'d> {
    pub registry: &'d Registry<Exact>,
    pub protocol: &'d Protocol,
    /// Prover, opponent and judge; the judge is replaced.
    pub players: &'d [Spec; 3],
    /// The instances, with their shares.
    pub instances: &'d [(Exact, Instance)],
}

impl JudgedDebate<'_> {
    /// Finds how wrong the judge may be.
    ///
    /// # Errors
    /// If a value is not found.
    pub fn errors(&self, budget: Budget<'_>) -> Result<JudgeErrors, SolveError> {
        if self.players.iter().any(|spec| spec.name == BEST_RESPONSE) {
            return Err(SolveError::FollowsTheJudge);
        }
        let answers = self.answers();
        let mut points = Vec::new();
        for place in 0..=answers {
            let rate = Exact::new(place.into(), answers.max(1).into());
            points.push((rate.clone(), self.value(&noisy(&rate), budget)?));
        }
        let payoff = Polynomial::through(&points);
        let right = payoff.at(&Exact::default());
        let worst_leaves = match answers {
            0 | 1 => self.worst_leaves(&right, budget)?,
            _ => None,
        };
        let any_leaves = match &worst_leaves {
            Some(leaves) => leaves.iter().map(|leaf| &leaf.cost).sum(),
            None => right - self.before_the_worst_judge(budget)?,
        };
        let bound = self.protocol.conditions().epsilon_and_rho();
        Ok(JudgeErrors {
            any_leaves_cost_at_most: any_leaves,
            allowed: bound.map(|(epsilon, rho)| epsilon * rho),
            break_even: payoff.first_root().map(|(low, high)| [low, high]),
            polynomial: payoff.into_coefficients(),
            worst_leaves,
        })
    }

    /// The most answers that a debate asks the judge for.
    fn answers(&self) -> u64 {
        let most = |instance: &Instance| {
            let mut bounds = self
                .protocol
                .conditions()
                .bounds(instance)
                .into_iter()
                .filter(|bound| bound.what == "oracle_queries");
            bounds.next().map_or(1, |bound| bound.most)
        };
        let each = self.instances.iter().map(|(_, instance)| most(instance));
        each.max().unwrap_or(0)
    }

    /// What Alice expects before a judge.
    fn value(&self, judge: &Spec, budget: Budget<'_>) -> Result<Exact, SolveError> {
        let [prover, opponent, _] = self.players;
        let players = [prover.clone(), opponent.clone(), judge.clone()];
        let solver = DebateSolver {
            registry: self.registry,
            protocol: self.protocol,
            players: &players,
            grid: &[],
        };
        let mut sum = Exact::default();
        for (share, instance) in self.instances {
            sum += share * solver.solve(instance, budget)?.expected.value();
        }
        Ok(sum)
    }

    /// What Alice expects before a judge who answers as costs her the most.
    fn before_the_worst_judge(&self, budget: Budget<'_>) -> Result<Exact, SolveError> {
        let mut sum = Exact::default();
        for (share, instance) in self.instances {
            let built = [Seat::Prover, Seat::Opponent].map(|seat| {
                self.registry
                    .build_at(self.players, seat, instance, self.protocol, budget)
            });
            let [prover, opponent] = built;
            let (prover, opponent) = (prover?, opponent?);
            let actors = [
                Actor::Plays(&*prover),
                Actor::Plays(&*opponent),
                Actor::BestResponse,
            ];
            let start = self.protocol.start::<Exact>(instance)?;
            let mut search = Expectimax::new(&start, actors, budget).for_value();
            sum += share * search.value(start)?.value();
        }
        Ok(sum)
    }

    /// The leaves that cost Alice something, those that cost the most first.
    fn worst_leaves(
        &self,
        right: &Exact,
        budget: Budget<'_>,
    ) -> Result<Option<Vec<CostlyLeaf>>, SolveError> {
        let Some(leaves) = self.leaves() else {
            return Ok(None);
        };
        let mut costly = Vec::new();
        for (leaf, claim) in leaves {
            let judge = Spec {
                name: "wrong".to_owned(),
                arguments: vec![leaf.clone()],
            };
            let cost = right - self.value(&judge, budget)?;
            if cost > Exact::default() {
                costly.push(CostlyLeaf { leaf, claim, cost });
            }
        }
        costly.sort_by(|one, other| other.cost.cmp(&one.cost));
        Ok(Some(costly))
    }

    /// All leaves, by id and in few words; `None` where they are too many.
    fn leaves(&self) -> Option<Vec<(String, String)>> {
        let mut leaves: Vec<(String, String)> = Vec::new();
        for (_, instance) in self.instances {
            let mut known = HashSet::from([instance.root()]);
            let mut open = vec![instance.root()];
            while let Some(claim) = open.pop() {
                let supports = instance.supports(claim);
                if supports.is_empty() {
                    let id = instance.id(claim).map(str::to_owned);
                    let name = id.unwrap_or_else(|| instance.key(claim).to_string());
                    if leaves.iter().all(|(known, _)| *known != name) {
                        leaves.push((name, instance.short_text(claim)));
                    }
                }
                let below = supports.iter().flat_map(|support| &support.on);
                open.extend(below.filter(|below| known.insert(**below)));
                if leaves.len() > MAX_LEAVES || known.len() > 64 * MAX_LEAVES {
                    return None;
                }
            }
        }
        Some(leaves)
    }
}

/// The judge who flips the oracle's answer at a rate.
fn noisy(rate: &Exact) -> Spec {
    Spec {
        name: "noisy".to_owned(),
        arguments: vec![rate.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::{Limits, Setup};
    use debate_core::number::Number as _;

    fn errors(name: &str, protocol: Option<&str>, players: [&str; 2]) -> JudgeErrors {
        let setup = Setup::bundled(name, &Limits::default()).unwrap();
        let protocol = protocol.map_or_else(
            || setup.protocol.clone(),
            |text| Protocol::parse(text).unwrap(),
        );
        let [prover, opponent] = players.map(|name| Spec::parse(name).unwrap());
        let instances = [(Exact::ratio(1, 1), setup.instance(0))];
        let debate = JudgedDebate {
            registry: &crate::registry(),
            protocol: &protocol,
            players: &[prover, opponent, Spec::named("oracle")],
            instances: &instances,
        };
        debate.errors(Budget::default()).unwrap()
    }

    /// The worst set of so many leaves, and what it costs: where a debate asks for one answer, the
    /// costs of leaves add up.
    fn worst_set(errors: &JudgeErrors, count: usize) -> (Vec<&str>, Exact) {
        let worst = errors.worst_leaves.as_ref().unwrap().iter().take(count);
        let names = worst.clone().map(|leaf| leaf.leaf.as_str()).collect();
        (names, worst.map(|leaf| &leaf.cost).sum())
    }

    /// A win counts 1, a loss −1: honesty breaks even where the judge is wrong half of the time.
    #[test]
    fn plain_recursion_breaks_even_at_one_half() {
        let found = errors("pull-request", Some("Recursive"), ["honest", "honest"]);
        let half = Exact::ratio(1, 2);
        assert_eq!(found.break_even, Some([half.clone(), half]));
        assert_eq!(found.polynomial, [Exact::ratio(1, 1), Exact::ratio(-2, 1)]);
        // One leaf is asked about, and all hangs on it.
        let (names, cost) = worst_set(&found, 1);
        assert_eq!((names.len(), cost), (1, Exact::ratio(2, 1)));
        assert_eq!(worst_set(&found, 3).1, Exact::ratio(2, 1));
        assert_eq!(found.any_leaves_cost_at_most, Exact::ratio(2, 1));
    }

    /// The rate is where the exact value with `noisy` is 0, and costs of leaves add up to what it
    /// costs to be wrong everywhere.
    #[test]
    fn the_polynomial_is_what_solving_says() {
        let found = errors("primes-stable", None, ["honest", "shifted(0.3)"]);
        let at = |rate: &Exact| Polynomial::new(found.polynomial.clone()).at(rate);
        // As the guide's page of theorems has it, of `noisy(0.125)`.
        assert_eq!(at(&Exact::ratio(1, 8)), Exact::ratio(1_151_759, 6_400_000));
        let [low, high] = found.break_even.clone().unwrap();
        assert!(low <= high && at(&low) >= Exact::default() && at(&high) <= Exact::default());
        let leaves = found.worst_leaves.as_ref().unwrap();
        let all: Exact = leaves.iter().map(|leaf| &leaf.cost).sum();
        assert_eq!(all, at(&Exact::default()) - at(&Exact::ratio(1, 1)));
        // Honest Alice never gains by a wrong answer, so that the worst judge is wrong everywhere.
        assert_eq!(all, found.any_leaves_cost_at_most);
    }

    /// The bound is what the worst set costs, though a judge who errs only sometimes costs more.
    #[test]
    fn the_worst_set_of_leaves_costs_the_bound() {
        for (name, players) in [
            ("hidden-flaw", ["liar", "bayes"]),
            ("hidden-flaw", ["exploiter", "stubborn(0.3)"]),
            ("pull-request", ["contrarian", "calibrated"]),
            ("primes-small", ["obfuscator", "marginal"]),
        ] {
            let found = errors(name, None, players);
            let (_, worst) = worst_set(&found, usize::MAX);
            assert_eq!(worst, found.any_leaves_cost_at_most, "{name} {players:?}");
        }
    }

    #[test]
    fn whoever_is_made_against_the_judge_is_refused() {
        let setup = Setup::bundled("five-parts", &Limits::default()).unwrap();
        let players = ["best-response", "truthful", "oracle"].map(Spec::named);
        let debate = JudgedDebate {
            registry: &crate::registry(),
            protocol: &setup.protocol,
            players: &players,
            instances: &[(Exact::ratio(1, 1), setup.instance(0))],
        };
        let refused = debate.errors(Budget::default()).unwrap_err();
        assert!(matches!(refused, SolveError::FollowsTheJudge), "{refused}");
    }
}
