//! The table of a match.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::estimate::{Estimate, Observation};
use super::result::DebateResult;
use crate::expectation::BySeat;
use crate::record::{CostSum, SeatCosts};
use debate_core::protocol::Seat;

/// What a match came to so far. It follows from the saves of its debates alone.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MatchReport {
    /// The version of this document: 1.
    pub format: u32,
    pub title: String,
    pub seed: String,
    /// How many debates there are to be.
    pub debates: usize,
    /// How many of them are over.
    pub finished: usize,
    pub matchups: Vec<MatchupReport>,
    /// What all replies cost, those of unfinished debates among them.
    pub cost: PrintedCost,
}

/// The same players under the same rules. Where several scenarios are debated there is a row for each,
/// and one for all.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MatchupReport {
    /// As the plan names it; null for all together.
    pub scenario: Option<String>,
    /// The plan's name for the rules, else the protocol's name.
    pub condition: String,
    pub players: BySeat<String>,
    pub debates: usize,
    pub finished: usize,
    /// What Alice received, of debates that ended by the rules.
    pub payoff: Option<Estimate>,
    /// How often she came out ahead. A seat that forfeits has lost; a debate that a judge forfeits does
    /// not count.
    pub prover_wins: Option<Estimate>,
    /// How often the debate's answer was true.
    pub answer_correct: Option<Estimate>,
    /// How often the judge was right where Alice argued for what is true.
    pub judge_right_honest: Option<Estimate>,
    /// The same where she argued for what is false.
    pub judge_right_dishonest: Option<Estimate>,
    /// Debates that a seat forfeited, by fault.
    pub forfeits: BySeat<Faults>,
    /// Replies that the rules refused.
    pub illegal_replies: BySeat<u64>,
    pub cost: BySeat<PrintedCost>,
}

/// How often each fault ended a debate: `illegal`, `timeout`, `stall`, `crash`, `bad_json`, `bug` or
/// `model_refusal`.
pub type Faults = BTreeMap<String, u64>;

/// What replies cost together, as the programs say that gave them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PrintedCost {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// US dollars, as a decimal number.
    pub usd: String,
}

impl From<CostSum> for PrintedCost {
    fn from(sum: CostSum) -> Self {
        Self {
            calls: sum.calls,
            tokens_in: sum.tokens_in,
            tokens_out: sum.tokens_out,
            usd: sum.usd(),
        }
    }
}

/// The results of a matchup.
#[derive(Clone, Debug)]
pub struct MatchupResults<'r> {
    pub scenario: Option<String>,
    pub condition: String,
    pub players: [String; 3],
    /// How many debates there are to be.
    pub debates: usize,
    /// Each debate that is over: its instance, its place in the match, its result.
    pub finished: Vec<(&'r str, usize, &'r DebateResult)>,
}

impl MatchupResults<'_> {
    /// What they come to.
    pub fn report(&self) -> MatchupReport {
        let mut forfeits = [Faults::new(), Faults::new(), Faults::new()];
        let (mut illegal, mut costs) = ([0; 3], SeatCosts::default());
        for (_, _, result) in &self.finished {
            if let Some((seat, fault)) = &result.forfeit
                && let Some(faults) = forfeits.get_mut(seat.index())
            {
                *faults.entry(fault.clone()).or_default() += 1;
            }
            for (sum, count) in illegal.iter_mut().zip(result.illegal) {
                *sum += count;
            }
            for (sum, cost) in costs.0.iter_mut().zip(result.costs.0) {
                *sum += cost;
            }
        }
        let share = |of: fn(&DebateResult) -> Option<bool>| {
            Estimate::share(
                &self.observed(|result| of(result).into_iter().map(one_or_zero).collect()),
            )
        };
        let judge_right = |honest: bool| {
            Estimate::share(&self.observed(|result| {
                if result.prover_honest != Some(honest) {
                    return Vec::new();
                }
                result.judged.iter().copied().map(one_or_zero).collect()
            }))
        };
        MatchupReport {
            scenario: self.scenario.clone(),
            condition: self.condition.clone(),
            players: self.players.clone().into(),
            debates: self.debates,
            finished: self.finished.len(),
            payoff: Estimate::mean(&self.observed(|it| it.payoff.into_iter().collect())),
            prover_wins: share(prover_won),
            answer_correct: share(|result| result.answer_correct),
            judge_right_honest: judge_right(true),
            judge_right_dishonest: judge_right(false),
            forfeits: forfeits.into(),
            illegal_replies: illegal.into(),
            cost: costs.0.map(PrintedCost::from).into(),
        }
    }

    fn observed(&self, values: impl Fn(&DebateResult) -> Vec<f64>) -> Vec<Observation<'_>> {
        let mut observed = Vec::new();
        for (instance, debate, result) in &self.finished {
            let (instance, debate) = (*instance, *debate);
            observed.extend(values(result).into_iter().map(|value| Observation {
                instance,
                debate,
                value,
            }));
        }
        observed
    }
}

fn one_or_zero(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

/// Whether Alice came out ahead; `None` where the judge forfeited.
fn prover_won(result: &DebateResult) -> Option<bool> {
    match &result.forfeit {
        None => Some(result.payoff? > 0.0),
        Some((Seat::Prover, _)) => Some(false),
        Some((Seat::Opponent, _)) => Some(true),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(payoff: f64, honest: bool, judged: &[bool]) -> DebateResult {
        DebateResult {
            payoff: Some(payoff),
            forfeit: None,
            prover_honest: Some(honest),
            answer_correct: Some(honest),
            judged: judged.to_vec(),
            illegal: [0, 2, 0],
            costs: SeatCosts::default(),
        }
    }

    #[test]
    fn a_forfeit_is_lost_and_the_judge_is_counted_by_who_was_honest() {
        let forfeited = |seat| DebateResult {
            payoff: None,
            forfeit: Some((seat, "model_refusal".to_owned())),
            answer_correct: None,
            ..result(0.0, true, &[])
        };
        let results = [
            result(0.5, true, &[true, true]),
            result(-0.5, false, &[false]),
            result(0.0, false, &[true]),
            forfeited(Seat::Opponent),
            forfeited(Seat::Prover),
            forfeited(Seat::Judge),
        ];
        let table = MatchupResults {
            scenario: None,
            condition: "debate".to_owned(),
            players: ["a", "b", "c"].map(str::to_owned),
            debates: 9,
            finished: results
                .iter()
                .zip(0..)
                .map(|(it, n)| ("x", n, it))
                .collect(),
        };
        let report = table.report();
        let figure = |of: &Option<Estimate>| of.as_ref().map(|it| (it.mean, it.of));
        assert_eq!(figure(&report.payoff), Some((0.0, 3)));
        // One by play, one by forfeit, of five: the judge's forfeit counts for nobody.
        assert_eq!(figure(&report.prover_wins), Some((0.4, 5)));
        assert_eq!(figure(&report.judge_right_honest), Some((1.0, 2)));
        assert_eq!(figure(&report.judge_right_dishonest), Some((0.5, 2)));
        assert_eq!(report.forfeits.opponent["model_refusal"], 1);
        assert_eq!(report.illegal_replies.opponent, 12);
        assert_eq!((report.debates, report.finished), (9, 6));
        assert_eq!(report.payoff.unwrap().ci95, None);
    }
}
