//! Statistics of the debates of a match, computed from their saves: means with intervals, as JSON, text and table.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One as _, Zero as _};
use serde::Serialize;

use super::ratings::MatchRatings;
use super::sprt::SprtState;
use crate::judgements::cluster_interval;
use debate_core::number::{
    Exact, Number as _, format_percent, format_rounded, format_rounded_with_sign,
    zero_if_rounding_error,
};
use debate_core::text::{count_with_noun, replace_unsafe_characters};
use debate_core::{Instance, Protocol, Reply, Rules as _, Seat};
use debate_host::record::{ReplyCostSum, ReplyCostsBySeat, Save, SaveFileError, SavedDebateEnd};
use debate_solver::expectation::BySeat;
use debate_solver::simulate::wilson_interval;
use debate_text::HeadedTextPage;
use debate_text::results::PrintableCommandResult;
use debate_text::table::{self, ColumnAlignment, TextTable};

/// The report on a match so far. It is computed only from the saves of the match's debates.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchReport {
    /// The version of the report's JSON format: 1.
    pub format: u32,
    pub title: String,
    pub seed: String,
    /// The number of planned debates.
    pub debates: usize,
    /// The number of finished debates.
    pub finished: usize,
    /// The state of the match's sequential test; null if the match has no such test.
    pub sprt: Option<SprtState>,
    pub matchups: Vec<MatchupReport>,
    /// The players' ratings, one table for each pair of rules and judge. A pair has a table if more than two players
    /// met under it, or if two players exchanged seats.
    pub ratings: Vec<MatchRatings>,
    /// The cost of all replies in the match, including replies in unfinished debates.
    pub cost: TotalCostReport,
}

/// A row of the report: the results of debates between the same players under the same rules. Each scenario has its own
/// row. If there are several scenarios, one more row covers them all.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchupReport {
    /// The scenario's name as the match plan writes it; null in the row for all scenarios.
    pub scenario: Option<String>,
    /// The name of the rules in the match plan, or the protocol's name if the plan gives none.
    pub condition: String,
    pub players: BySeat<String>,
    pub debates: usize,
    pub finished: usize,
    /// Alice's mean payoff in the debates that no player forfeited; null if there are none.
    pub payoff: Option<MeanWithInterval>,
    /// The proportion of debates that Alice won. The debater who forfeits has lost; a debate that the judge forfeits
    /// does not count. Null if no debate counts.
    pub prover_wins: Option<MeanWithInterval>,
    /// The proportion of debates whose final answer to the root claim was right; null if no such answer can be checked.
    pub answer_correct: Option<MeanWithInterval>,
    /// The proportion of questions that the judge answered correctly when Alice argued for the truth; null without such
    /// questions.
    pub judge_right_honest: Option<MeanWithInterval>,
    /// The proportion of questions that the judge answered correctly when Alice argued for a falsehood; null without
    /// such questions.
    pub judge_right_dishonest: Option<MeanWithInterval>,
    /// For each seat, the number of debates that its player forfeited, by kind of fault.
    pub forfeits: BySeat<FaultCounts>,
    /// For each seat, the number of illegal or unreadable replies in the finished debates.
    pub illegal_replies: BySeat<u64>,
    pub cost: BySeat<TotalCostReport>,
}

/// The number of debates that ended because of each kind of fault: `illegal`, `timeout`, `stall`, `crash`, `bad_json`,
/// `bug` or `model_refusal`.
pub type FaultCounts = BTreeMap<String, u64>;

/// The total cost of replies, as reported by the programs that gave them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PrintedCost")]
pub struct TotalCostReport {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// The cost in US dollars, as a decimal number.
    pub usd: String,
}

impl From<ReplyCostSum> for TotalCostReport {
    fn from(sum: ReplyCostSum) -> Self {
        Self {
            calls: sum.calls,
            tokens_in: sum.tokens_in,
            tokens_out: sum.tokens_out,
            usd: sum.cost_in_decimal_dollars(),
        }
    }
}

/// The results of a matchup.
#[derive(Clone, Debug)]
pub struct MatchupResults<'r> {
    pub scenario: Option<String>,
    pub condition: String,
    pub players: [String; 3],
    /// The number of planned debates.
    pub debates: usize,
    /// The finished debates of this row of the report: each with its instance, its index in the match and its result.
    pub finished: Vec<(&'r str, usize, &'r DebateResult)>,
}

impl MatchupResults<'_> {
    /// Returns the statistics of the debates in this row of the report.
    pub fn report(&self) -> MatchupReport {
        let mut forfeits = [FaultCounts::new(), FaultCounts::new(), FaultCounts::new()];
        let mut illegal = [0; 3];
        let mut costs = ReplyCostsBySeat::default();
        for (_, _, result) in &self.finished {
            if let Some((seat, fault)) = &result.forfeit
                && let Some(faults) = forfeits.get_mut(seat.seat_index())
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
            let ones = |result: &_| of(result).into_iter().map(one_or_zero).collect();
            MeanWithInterval::share(&self.observed(ones))
        };
        let judge_right = |honest: bool| {
            MeanWithInterval::share(&self.observed(|result| {
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
            payoff: MeanWithInterval::mean(&self.observed(|it| it.payoff.into_iter().collect())),
            prover_wins: share(prover_won),
            answer_correct: share(|result| result.answer_correct),
            judge_right_honest: judge_right(true),
            judge_right_dishonest: judge_right(false),
            forfeits: forfeits.into(),
            illegal_replies: illegal.into(),
            cost: costs.0.map(TotalCostReport::from).into(),
        }
    }

    fn observed(&self, values: impl Fn(&DebateResult) -> Vec<f64>) -> Vec<Observation<'_>> {
        let mut observed = Vec::new();
        for (instance, debate, result) in &self.finished {
            let (instance, debate) = (*instance, *debate);
            let values = values(result).into_iter();
            observed.extend(values.map(|value| Observation {
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

/// Returns true if Alice won the debate: her payoff is positive, or Bob forfeited. `None` if the judge forfeited.
fn prover_won(result: &DebateResult) -> Option<bool> {
    match &result.forfeit {
        None => Some(result.payoff? > 0.0),
        Some((Seat::Prover, _)) => Some(false),
        Some((Seat::Opponent, _)) => Some(true),
        Some(_) => None,
    }
}

/// The result of a finished debate.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateResult {
    /// Alice's payoff; `None` if a player forfeited.
    pub payoff: Option<f64>,
    /// The seat that forfeited the debate and the kind of its fault; `None` if no player forfeited.
    pub forfeit: Option<(Seat, String)>,
    /// True if Alice argued for the truth. `None` if the truth is unknown or random, if Alice has given no answer, or
    /// if the rules never ask Alice.
    pub prover_honest: Option<bool>,
    /// True if the debate's final answer to the root claim was right.
    pub answer_correct: Option<bool>,
    /// For each question to the judge whose right answer is known: true if the judge was right. In debates of speeches,
    /// the judge's last probability counts as the answer.
    pub judged: Vec<bool>,
    /// The numbers of illegal or unreadable replies by prover, opponent and judge.
    pub illegal: [u64; 3],
    pub costs: ReplyCostsBySeat,
}

impl DebateResult {
    /// Returns the result of the debate in a save; `None` if it has not ended. `instance` is the debated instance.
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed.
    pub fn result_of_save(save: &Save, instance: &Instance) -> Result<Option<Self>, SaveFileError> {
        let Some(end) = save.stated_debate_end() else {
            return Ok(None);
        };
        let history = save.history(instance)?;
        let state = history.state_at_cursor();
        let protocol = &save.header.protocol;
        let truth = instance.truth(instance.root());
        let known = truth.filter(|_| state.root_truth_probability().is_none());
        let right = |answer: Option<bool>| Some(answer? == known?);
        let asked = protocol.protocol_parameters().asks(Seat::Prover, instance);
        let forfeit = match end {
            SavedDebateEnd::Forfeit { seat, fault } => Some((*seat, fault.clone())),
            SavedDebateEnd::Finished { .. } => None,
        };
        let over = forfeit.is_none();
        let judged = match protocol {
            Protocol::Speeches(_) if over => known.map(|truth| state.finding() == Some(truth)),
            _ => None,
        };
        let mut illegal = [0; 3];
        let mut lines = save.events_with_undone();
        if !over {
            // The last line repeats the reason for the forfeit; it is not a reply.
            lines = lines.split_last().map_or(lines, |(_, rest)| rest);
        }
        for line in lines {
            if let Some(seat) = line.kind.seat_of_illegal_reply()
                && let Some(count) = illegal.get_mut(seat.seat_index())
            {
                *count += 1;
            }
        }
        Ok(Some(Self {
            payoff: over.then(|| state.payoff().to_float()),
            forfeit,
            prover_honest: right(state.answer().filter(|_| asked)),
            answer_correct: right(state.finding()).filter(|_| over),
            judged: match judged {
                Some(right) => vec![right],
                None => answers(history.timeline(), instance)?,
            },
            illegal,
            costs: save.reply_costs_by_seat(),
        }))
    }
}

/// Returns one entry for each oracle query to the judge that has a single right answer: true if the judge gave it.
fn answers(
    timeline: &debate_core::player::DebateTimeline<'_, Exact>,
    instance: &Instance,
) -> Result<Vec<bool>, SaveFileError> {
    let mut past = timeline.copy_with_cursor_at_start();
    let mut judged = Vec::new();
    loop {
        let turn = past.state().request();
        let claim = turn
            .filter(|turn| turn.seat == Seat::Judge)
            .and_then(|turn| turn.request.claim_of_request());
        let truth = claim.and_then(|claim| {
            instance.oracle_yes_probability(claim, &past.state().proof_bits_of_leaf())
        });
        let Some(latest) = past.move_cursor_forward()? else {
            return Ok(judged);
        };
        if let (Some(yes), Reply::Oracle { holds, .. }) = (truth, &latest.made.reply) {
            let share = yes.exact();
            // If the oracle may give either answer, no single answer is right.
            if share.is_one() || share.is_zero() {
                judged.push(*holds == share.is_one());
            }
        }
    }
}

/// The minimum number of independent units (debates or instances) for which an interval is computed.
pub const MIN_UNITS: usize = 10;

/// A mean over the debates of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Estimate"))]
pub struct MeanWithInterval {
    pub mean: f64,
    /// The number of values averaged.
    pub of: usize,
    /// The unit (debate or instance) that the interval treats as independent.
    pub by: InstanceOrDebateUnit,
    /// The number of units.
    pub units: usize,
    /// The 95 % interval of the mean; null with fewer than ten independent units.
    pub ci95: Option<[f64; 2]>,
}

/// The unit whose values an interval treats as independent. Debates about the same instance are not independent, except
/// if all averaged debates are about one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "EstimateUnit"))]
#[serde(rename_all = "snake_case")]
pub enum InstanceOrDebateUnit {
    Instance,
    Debate,
}

/// A value that was measured in one debate, with its instance.
#[derive(Clone, Debug)]
struct Observation<'d> {
    instance: &'d str,
    /// The index of the debate in the match's list of debates.
    debate: usize,
    value: f64,
}

impl MeanWithInterval {
    /// Returns the mean of the values, with its interval; `None` without values.
    fn mean(values: &[Observation<'_>]) -> Option<Self> {
        Self::with(values, |units| cluster_interval(units.iter().copied()))
    }

    /// Returns the proportion of ones among values of 0 or 1, with its interval; `None` without values.
    fn share(values: &[Observation<'_>]) -> Option<Self> {
        let estimate = Self::with(values, share_interval)?;
        let within = |[low, high]: [f64; 2]| [low.max(0.0), high.min(1.0)];
        Some(Self {
            ci95: estimate.ci95.map(within),
            ..estimate
        })
    }

    fn with(
        values: &[Observation<'_>],
        interval: impl Fn(&[(&str, f64)]) -> Option<(f64, f64)>,
    ) -> Option<Self> {
        let instances: BTreeSet<&str> = values.iter().map(|it| it.instance).collect();
        let by = match instances.len() {
            0 => return None,
            1 => InstanceOrDebateUnit::Debate,
            _ => InstanceOrDebateUnit::Instance,
        };
        let unit = |it: &Observation<'_>| match by {
            InstanceOrDebateUnit::Instance => it.instance.to_owned(),
            InstanceOrDebateUnit::Debate => it.debate.to_string(),
        };
        let named: Vec<(String, f64)> = values.iter().map(|it| (unit(it), it.value)).collect();
        let pairs = named.iter().map(|(unit, value)| (unit.as_str(), *value));
        let named: Vec<(&str, f64)> = pairs.collect();
        let units = named
            .iter()
            .map(|(unit, _)| *unit)
            .collect::<BTreeSet<_>>()
            .len();
        let sum: f64 = values.iter().map(|it| it.value).sum();
        #[expect(clippy::cast_precision_loss, reason = "nobody plays 2⁵³ debates")]
        let mean = sum / values.len() as f64;
        let sizes = values.iter().map(|it| it.value.abs());
        let mean = zero_if_rounding_error(mean, sizes.fold(0.0, f64::max));
        let enough = units >= MIN_UNITS;
        let ci95 = enough.then(|| interval(&named)).flatten();
        Some(Self {
            mean,
            of: values.len(),
            by,
            units,
            ci95: ci95.map(|(low, high)| [low, high]),
        })
    }
}

/// Returns the interval of a proportion: Wilson's interval over the independent units if each unit has one value or all
/// values are equal, otherwise an interval from the spread between units. Equal values of one unit count as one value.
fn share_interval(values: &[(&str, f64)]) -> Option<(f64, f64)> {
    let units: BTreeSet<&str> = values.iter().map(|(unit, _)| *unit).collect();
    let ones = values.iter().filter(|(_, value)| *value > 0.5).count();
    let same = ones == 0 || ones == values.len();
    if !same && units.len() < values.len() {
        return cluster_interval(values.iter().copied());
    }
    let ones = ones.min(units.len()) as u64;
    wilson_interval(ones, units.len() as u64).map(|[low, high]| (low, high))
}

/// The column headings of the text report.
const HEADS: [&str; 8] = [
    "debates",
    "payoff to Alice",
    "Alice ahead",
    "answer right",
    "judge right: honest",
    "and dishonest Alice",
    "forfeits",
    "cost",
];

/// The names of a row's estimates: fields of the JSON report, and column headings of the CSV table.
const ESTIMATES: [&str; 5] = [
    "payoff",
    "prover_wins",
    "answer_correct",
    "judge_right_honest",
    "judge_right_dishonest",
];

impl PrintableCommandResult for MatchReport {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        page.add_row(&self.title);
        let finished = self.finished;
        let debates = self.debates;
        let seed = &self.seed;
        let cost_clause = spent(&self.cost);
        page.add_row(format!(
            "{finished} of {debates} debates finished, seed {seed}{cost_clause}"
        ));
        // The test is printed before the table, because a live table is cut at the height of the terminal.
        for row in self.sprt.iter().flat_map(SprtState::printed_sprt_rows) {
            page.add_row(row);
        }
        page.add_empty_line();
        let mut table = TextTable::new(HEADS.map(|name| (name, ColumnAlignment::Left)));
        for matchup in &self.matchups {
            table.row(cells(matchup));
        }
        let mut rows = table
            .aligned_table_lines()
            .into_iter()
            .map(|row| format!("  {row}"));
        page.add_row(rows.next().unwrap_or_default());
        for (matchup, cells) in self.matchups.iter().zip(rows) {
            let players = &matchup.players;
            let condition = &matchup.condition;
            let scenario = matchup.scenario.as_deref().unwrap_or("all scenarios");
            page.add_row(format!(
                "{scenario}, {condition}: {alice} against {bob}, judged by {judge}",
                alice = players.prover,
                bob = players.opponent,
                judge = players.judge
            ));
            page.add_row(cells);
        }
        page.add_empty_line();
        page.add_row(
            "In brackets: the 95 % interval, by instances (by debates if all are about one instance); \
             with fewer than ten of",
        );
        page.add_row(
            "these, \"too few\". Honest Alice argues for the truth. A debater who forfeits has lost; no \
             payoff is counted.",
        );
        // The rows without a scenario are sums of the others, if others exist.
        let has_scenarios = self
            .matchups
            .iter()
            .any(|matchup| matchup.scenario.is_some());
        let is_counted = |matchup: &&MatchupReport| matchup.scenario.is_some() == has_scenarios;
        let counted = self.matchups.iter().filter(is_counted);
        let illegal = counted
            .map(|matchup| &matchup.illegal_replies)
            .map(|by| by.prover + by.opponent + by.judge);
        if let illegal @ 1.. = illegal.sum::<u64>() {
            page.add_row(format!("Illegal replies: {illegal}."));
        }
        for ratings in &self.ratings {
            page.add_empty_line();
            ratings
                .printed_rating_rows()
                .into_iter()
                .for_each(|row| page.add_row(row));
        }
        page
    }

    /// Returns the CSV table: a header, and one row for each entry of `matchups`.
    fn table(&self) -> Vec<Vec<String>> {
        let mut header = table::csv_header_from_comma_list(
            "scenario,condition,prover,opponent,judge,seed,debates,finished",
        );
        for estimate in ESTIMATES {
            let parts = ["", "_of", "_low", "_high", "_units", "_by"];
            header.extend(parts.map(|part| format!("{estimate}{part}")));
        }
        for seat in ["prover", "opponent", "judge"] {
            let parts = "forfeits,refusals,illegal,calls,tokens_in,tokens_out,usd".split(',');
            header.extend(parts.map(|part| format!("{seat}_{part}")));
        }
        let mut rows = vec![header];
        let matchups = self.matchups.iter();
        rows.extend(matchups.map(|matchup| csv_cells(matchup, &self.seed)));
        rows
    }
}

/// Returns the estimates of one row of the report, in the order of [`ESTIMATES`].
fn estimates(matchup: &MatchupReport) -> [Option<&MeanWithInterval>; 5] {
    [
        matchup.payoff.as_ref(),
        matchup.prover_wins.as_ref(),
        matchup.answer_correct.as_ref(),
        matchup.judge_right_honest.as_ref(),
        matchup.judge_right_dishonest.as_ref(),
    ]
}

fn cells(matchup: &MatchupReport) -> [String; 8] {
    let [payoff, wins, correct, honest, dishonest] = estimates(matchup);
    [
        format!("{}/{}", matchup.finished, matchup.debates),
        figure(payoff, |value| format_rounded_with_sign(value, 4)),
        figure(wins, format_percent),
        figure(correct, format_percent),
        figure(honest, format_percent),
        figure(dishonest, format_percent),
        replace_unsafe_characters(&faults(&matchup.forfeits)).into_owned(),
        total(&matchup.cost),
    ]
}

/// Formats a mean with its interval: "62.5 % [48 %, 75 %]". Without an interval: "62.5 % (too few)". Without
/// a mean: "-".
fn figure(estimate: Option<&MeanWithInterval>, written: impl Fn(f64) -> String) -> String {
    let Some(estimate) = estimate else {
        return "-".to_owned();
    };
    let mean = written(estimate.mean);
    match estimate.ci95 {
        Some([low, high]) => format!("{mean} [{}, {}]", written(low), written(high)),
        None => format!("{mean} (too few)"),
    }
}

/// Formats the numbers of forfeits by seat and kind of fault: "Bob timeout 2, crash 1".
fn faults(forfeits: &BySeat<FaultCounts>) -> String {
    let by_seat = [&forfeits.prover, &forfeits.opponent, &forfeits.judge];
    let seats = ["Alice", "Bob", "judge"].into_iter().zip(by_seat);
    let some = seats.filter(|(_, faults)| !faults.is_empty());
    let texts = some.map(|(who, faults)| {
        let counts = faults
            .iter()
            .map(|(fault, count)| format!("{fault} {count}"));
        format!("{who} {}", counts.collect::<Vec<_>>().join(", "))
    });
    match texts.collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => "-".to_owned(),
        texts => texts,
    }
}

fn total(cost: &BySeat<TotalCostReport>) -> String {
    let seats = [&cost.prover, &cost.opponent, &cost.judge];
    let calls: u64 = seats.iter().map(|cost| cost.calls).sum();
    let dollars = seats.iter().filter_map(|cost| cost.usd.parse::<f64>().ok());
    let usd: f64 = dollars.sum();
    if calls == 0 && usd == 0.0 {
        return "-".to_owned();
    }
    format!(
        "{}, ${}",
        count_with_noun(calls, "call", "calls"),
        format_rounded(usd, 4)
    )
}

/// Formats the total cost with a comma before it; empty if no cost is known.
fn spent(cost: &TotalCostReport) -> String {
    let tokens = cost.tokens_in + cost.tokens_out;
    if cost.calls == 0 && tokens == 0 && cost.usd == "0" {
        return String::new();
    }
    let calls = count_with_noun(cost.calls, "call", "calls");
    let tokens = count_with_noun(tokens, "token", "tokens");
    format!(", {calls}, {tokens}, ${}", cost.usd)
}

fn csv_cells(matchup: &MatchupReport, seed: &str) -> Vec<String> {
    let players = "players.prover,players.opponent,players.judge";
    let mut cells = table::csv_row(matchup, &format!("scenario,condition,{players}"));
    cells.push(table::spreadsheet_safe_cell_text(seed));
    cells.extend(table::csv_row(matchup, "debates,finished"));
    for estimate in ESTIMATES {
        let parts = ["mean", "of", "ci95.0", "ci95.1", "units", "by"];
        let columns = parts.map(|part| format!("{estimate}.{part}"));
        cells.extend(table::csv_row(matchup, &columns.join(",")));
    }
    let forfeits = &matchup.forfeits;
    for (seat, faults) in [
        ("prover", &forfeits.prover),
        ("opponent", &forfeits.opponent),
        ("judge", &forfeits.judge),
    ] {
        let all: u64 = faults.values().sum();
        let refusals = faults.get("model_refusal").copied().unwrap_or(0);
        cells.extend([all, refusals].map(|count| count.to_string()));
        let costs = ["calls", "tokens_in", "tokens_out", "usd"];
        let costs = costs.map(|cost| format!("cost.{seat}.{cost}"));
        let columns = format!("illegal_replies.{seat},{}", costs.join(","));
        cells.extend(table::csv_row(matchup, &columns));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(values: &[(&'static str, usize, f64)]) -> Vec<Observation<'static>> {
        let values = values.iter();
        values
            .map(|(instance, debate, value)| Observation {
                instance,
                debate: *debate,
                value: *value,
            })
            .collect()
    }

    const TEN: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

    #[test]
    fn debates_about_one_instance_count_once() {
        let once: Vec<_> = TEN
            .iter()
            .zip(0..)
            .map(|(it, n)| (*it, n, f64::from(u8::from(n % 2 == 1))))
            .collect();
        let twice: Vec<_> = once
            .iter()
            .chain(&once)
            .zip(0..)
            .map(|((it, _, value), n)| (*it, n, *value))
            .collect();
        let (once, twice) = (observed(&once), observed(&twice));
        let mean = |values: &[Observation<'_>]| MeanWithInterval::mean(values).unwrap();
        assert_eq!(mean(&once).by, InstanceOrDebateUnit::Instance);
        assert_eq!((mean(&twice).of, mean(&twice).units), (20, 10));
        let [low, high] = mean(&once).ci95.unwrap();
        let [same_low, same_high] = mean(&twice).ci95.unwrap();
        assert!((low - same_low).abs() < 1e-9 && (high - same_high).abs() < 1e-9);
        // 5 of 10: Wilson's interval.
        let share = MeanWithInterval::share(&once).unwrap();
        let expected = wilson_interval(5, 10).unwrap();
        assert_eq!(share.ci95, Some(expected));
    }

    #[test]
    fn intervals_need_ten_units_or_debates_of_one_instance() {
        let nine: Vec<_> = TEN[..9]
            .iter()
            .zip(0..)
            .map(|(it, n)| (*it, n, 1.0))
            .collect();
        assert_eq!(
            MeanWithInterval::share(&observed(&nine)).unwrap().ci95,
            None
        );
        let one: Vec<_> = (0..10).map(|n| ("a", n, 1.0)).collect();
        let share = MeanWithInterval::share(&observed(&one)).unwrap();
        assert_eq!((share.by, share.units), (InstanceOrDebateUnit::Debate, 10));
        // Ten successes of ten do not prove certainty.
        let [low, high] = share.ci95.unwrap();
        assert!(
            low > 0.7 && low < 0.75 && (high - 1.0).abs() < 1e-9,
            "{low}"
        );
        assert_eq!(MeanWithInterval::mean(&[]), None);
    }

    fn result(payoff: f64, honest: bool, judged: &[bool]) -> DebateResult {
        DebateResult {
            payoff: Some(payoff),
            forfeit: None,
            prover_honest: Some(honest),
            answer_correct: Some(honest),
            judged: judged.to_vec(),
            illegal: [0, 2, 0],
            costs: ReplyCostsBySeat::default(),
        }
    }

    #[test]
    fn forfeits_lose_and_judge_accuracy_splits_by_honesty() {
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
        let figure = |of: &Option<MeanWithInterval>| of.as_ref().map(|it| (it.mean, it.of));
        assert_eq!(figure(&report.payoff), Some((0.0, 3)));
        // One win by play and one by forfeit, of five debates: a debate that the judge forfeits is not counted.
        assert_eq!(figure(&report.prover_wins), Some((0.4, 5)));
        assert_eq!(figure(&report.judge_right_honest), Some((1.0, 2)));
        assert_eq!(figure(&report.judge_right_dishonest), Some((0.5, 2)));
        assert_eq!(report.forfeits.opponent["model_refusal"], 1);
        assert_eq!(report.illegal_replies.opponent, 12);
        assert_eq!((report.debates, report.finished), (9, 6));
        assert_eq!(report.payoff.unwrap().ci95, None);
    }
}
