//! `solve`: the exact expected payoff of named players, round by round. With `--soundness`, also the amounts that the
//! soundness proof promises for a prover.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::json;

use super::{HeadedTextPage, PrintableCommandResult, cell, in_brackets, spending};
use crate::{Line, NamedTexts, TextRole, table};
use debate_core::number::{
    Exact, Number, format_as_short_decimal_or_fraction, format_canonical, format_percent,
    format_rounded, format_rounded_with_sign,
};
use debate_core::protocol::{ProtocolKind, Round, Seat};
use debate_core::text::count_with_noun;
use debate_solver::analysis::{DebateSolution, SoundnessProofStep};
use debate_solver::expectation::{DecimalOrFractionNumber, EXPENSES, ExpectedRewardsAndExpenses};
use debate_solver::setup::LoadedScenario;
use debate_theory::{
    BestResponseConstraints, PayoffBySoundnessProofStep, SolveDocument, SweepPointReport,
    SweepPointResults, SweepPointRulesAndPlayers, TolerableJudgeErrors,
};

/// Maximum number of instances that the printed table lists.
const MAX_ROWS: usize = 12;
/// Maximum number of leaves that are listed as those where the judge's errors cost most.
const MAX_WRONG: usize = 3;

/// The exact solution of a debate, or one solution for each value of a varied parameter.
#[derive(Debug)]
pub struct SolveResult<'s, N: Number> {
    pub setup: &'s LoadedScenario,
    pub points: Vec<SweepPointResults<N>>,
    /// The parameter whose value differs between the solutions; `None` for a single solution.
    pub sweep: Option<String>,
    /// True if the page omits the rules, the players, the costs, the instances and the analyses.
    pub quiet: bool,
}

impl<N: Number> PrintableCommandResult for SolveResult<'_, N> {
    fn document(&self) -> impl Serialize {
        let Some(sweep) = &self.sweep else {
            let point = self.points.first().map(SweepPointResults::report);
            return point.map(|report| SolveDocument::Point(Box::new(report)));
        };
        let points = self.points.iter().map(|solved| {
            let value = solved.point.value.as_ref().map(N::from_exact);
            let parameter = value.map(|value| (sweep.clone(), DecimalOrFractionNumber::of(&value)));
            SweepPointReport {
                report: solved.report(),
                parameter: parameter.into_iter().collect(),
            }
        });
        Some(SolveDocument::Sweep {
            points: points.collect(),
            sweep: sweep.clone(),
        })
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        match (&self.sweep, self.points.first()) {
            (_, None) => {}
            (None, Some(solved)) => self.add_point(&mut page, solved),
            (Some(name), Some(first)) => self.add_sweep(&mut page, first, name),
        }
        page
    }

    /// Returns a table with one row for each value of the varied parameter. Without one, it has a row for each instance
    /// and, if there are several, a row for their mean.
    fn table(&self) -> Vec<Vec<String>> {
        let Some(first) = self.points.first() else {
            return Vec::new();
        };
        let schedule = first.mean.schedule.iter();
        let rounds: Vec<Round> = schedule.map(|(round, _)| *round).collect();
        let mut header: Vec<String> = self.sweep.iter().cloned().collect();
        header.extend(table::csv_header_from_comma_list(
            "instance,value,variance,answer_correct",
        ));
        header.extend(rounds.iter().map(|round| match round {
            Round::Initial => "r_init".to_owned(),
            Round::Number(k) => format!("r_{k}"),
        }));
        let mut rows = vec![header];
        for solved in &self.points {
            if self.sweep.is_none() && solved.instances.len() > 1 {
                for (name, solution) in &solved.instances {
                    rows.push(cells(&solved.point, name, solution, &rounds));
                }
            }
            let (name, solution) = match solved.instances.as_slice() {
                [(name, solution)] => (name.as_str(), solution),
                _ => ("all", &solved.mean),
            };
            rows.push(cells(&solved.point, name, solution, &rounds));
        }
        rows
    }
}

/// Returns the cells of a row of the table.
fn cells<N: Number>(
    point: &SweepPointRulesAndPlayers,
    name: &str,
    solution: &DebateSolution<N>,
    rounds: &[Round],
) -> Vec<String> {
    let number = |value: &N| DecimalOrFractionNumber::of(value).to_string();
    let swept = point.value.as_ref().map(N::from_exact);
    let mut cells: Vec<String> = swept.iter().map(number).collect();
    cells.push(table::spreadsheet_safe_cell_text(name));
    cells.push(number(&point.value(solution)));
    cells.push(number(&point.variance(solution)));
    cells.push(cell(solution.answer_correct.as_ref().map(number)));
    let schedule = solution.schedule.iter().zip(point.round_payoffs(solution));
    let paid = schedule.map(|((round, _), reward)| (*round, reward));
    let rewards: HashMap<_, _> = paid.collect();
    cells.extend(
        rounds
            .iter()
            .map(|round| cell(rewards.get(round).map(number))),
    );
    cells
}

/// Formats a number for the page: as a decimal and, if it is exact, also as a fraction.
fn figure<N: Number>(value: &N) -> String {
    let figure = format_rounded_with_sign(value.to_float(), 6);
    match DecimalOrFractionNumber::of(value) {
        DecimalOrFractionNumber::Fraction(text) if !text.ends_with("/1") => {
            format!("{figure} = {text}")
        }
        _ => figure,
    }
}

fn chance<N: Number>(p: &N) -> String {
    match DecimalOrFractionNumber::of(p) {
        DecimalOrFractionNumber::Fraction(text) if !text.ends_with("/1") => {
            format!("{} ({text})", format_percent(p.to_float()))
        }
        _ => format_percent(p.to_float()),
    }
}

impl<N: Number> SolveResult<'_, N> {
    /// Adds lines about the rules and the players.
    fn introduce(&self, page: &mut HeadedTextPage, solved: &SweepPointResults<N>) {
        let point = &solved.point;
        let kind = point.protocol.kind();
        let instances = match solved.instances.as_slice() {
            [(name, _)] if self.setup.decomposition.worlds().len() == 1 || name.is_empty() => {
                String::new()
            }
            [(name, _)] => format!(" Instance {name}."),
            each => format!(" The mean over {count} instances.", count = each.len()),
        };
        let debated = match solved.instances.as_slice() {
            [(name, _)] => self.setup.world_index(name).ok(),
            _ => None,
        };
        page.add_row(match debated {
            Some(world) => self.setup.scenario_texts(world).title,
            None => self.setup.title.clone(),
        });
        let parameters = in_brackets(&point.protocol);
        page.add_paragraph(format!(
            "Rules: {} debate{parameters}.{instances}",
            kind.protocol_name()
        ));
        let [alices_player, bobs_player, judge] = &point.players;
        page.add_paragraph(format!(
            "Alice, the {alices_title}, plays {alices_player}; Bob, the {bobs_title}, plays {bobs_player}; the judge is {judge}.", alices_title = kind.title(Seat::Prover), bobs_title = kind.title(Seat::Opponent)));
    }

    /// Adds one solution, with the expected reward of each round.
    fn add_point(&self, page: &mut HeadedTextPage, solved: &SweepPointResults<N>) {
        let point = &solved.point;
        let mean = &solved.mean;
        if !self.quiet {
            self.introduce(page, solved);
            page.add_empty_line();
        }
        let value = figure(&mean.expected_prover_payoff());
        if point.rules_have_winner() {
            let probability = chance(&mean.prover_win_probability());
            page.add_row(format!("Alice wins with probability {probability}."));
            page.add_row(format!(
                "Alice expects {value} (a win pays her 1, a loss −1)."
            ));
        } else {
            rounds(page, mean);
            page.add_empty_line();
            let deviation = format_rounded(deviation(&mean.expected), 4);
            let deviation_clause = format!("the standard deviation is {deviation}");
            page.add_row(format!(
                "Alice expects {value} per debate, and Bob the opposite; {deviation_clause}."
            ));
        }
        if let Some(majority) = &solved.majority {
            page.add_row(format!(
                "Alice wins the majority of {debates} such debates with probability {probability}.",
                debates = majority.debates,
                probability = chance(&majority.wins)
            ));
        }
        if let Some(correct) = &mean.answer_correct {
            let what = if point
                .protocol
                .protocol_parameters()
                .prover_always_claims_true()
            {
                "The verdict on the claim is right"
            } else {
                "Alice's answer about the claim is true"
            };
            page.add_row(format!("{what} with probability {}.", chance(correct)));
        }
        if self.quiet {
            return;
        }
        let amounts = |seat| {
            let spent = mean.expected.expected_expenses(seat);
            std::array::from_fn(|kind| match EXPENSES[kind] {
                // The solver does not compute the cost of replies.
                "calls" => 0.0,
                _ => spent[kind].to_float(),
            })
        };
        for (player_name, costs) in spending(amounts, 6) {
            page.add_row(format!("{player_name} spends on average: {costs}."));
        }
        if solved.instances.len() > 1 {
            instances(page, solved);
        }
        if let Some(errors) = &solved.judge_errors {
            judge_errors(page, errors);
        }
        if let Some(proof) = &solved.soundness {
            add_soundness(page, proof, point);
        }
        if let Some(text) = best_response(point) {
            page.add_empty_line();
            page.add_paragraph(text);
        }
    }

    /// Adds a table with one row for every value of the varied parameter.
    fn add_sweep(&self, page: &mut HeadedTextPage, first: &SweepPointResults<N>, parameter: &str) {
        if !self.quiet {
            self.introduce(page, first);
            page.add_row(format!("The first column has the values of {parameter}."));
            page.add_empty_line();
        }
        let mut rules = self.points.iter().map(|solved| &solved.point.protocol);
        let prover_always_claims_true =
            rules.any(|rules| rules.protocol_parameters().prover_always_claims_true());
        let truly = if prover_always_claims_true {
            "the verdict is right"
        } else {
            "Alice answers truly"
        };
        page.add_row(format!("  {parameter:<12} {:<24} {truly}", "value"));
        for solved in &self.points {
            let at = cell(
                solved
                    .point
                    .value
                    .as_ref()
                    .map(format_as_short_decimal_or_fraction),
            );
            let correct = match &solved.mean.answer_correct {
                Some(correct) => chance(correct),
                None => "not decidable".to_owned(),
            };
            let value = figure(&solved.point.value(&solved.mean));
            page.add_row(format!("  {at:<12} {value:<24} {correct}"));
        }
    }
}

/// Returns the standard deviation.
fn deviation<N: Number>(expected: &ExpectedRewardsAndExpenses<N>) -> f64 {
    expected.payoff_variance().to_float().max(0.0).sqrt()
}

fn rounds<N: Number>(page: &mut HeadedTextPage, mean: &DebateSolution<N>) {
    page.add_row("  round         at stake   Alice's expected reward");
    for ((round, weight), reward) in mean
        .schedule
        .iter()
        .zip(mean.expected.expected_rewards_by_round())
    {
        let most = weight.as_ref().map(N::to_float);
        let stake = most.map_or_else(|| "differs".to_owned(), |most| format_rounded(most, 4));
        let name = match round {
            Round::Initial => "root".to_owned(),
            Round::Number(0) => "0 (leaf)".to_owned(),
            Round::Number(k) => k.to_string(),
        };
        let reward = figure(&reward);
        page.add_row(format!("  {name:<8}{stake:>14}   {reward}"));
    }
}

fn instances<N: Number>(page: &mut HeadedTextPage, solved: &SweepPointResults<N>) {
    page.add_empty_line();
    page.add_row("By instance:");
    for (name, solution) in solved.instances.iter().take(MAX_ROWS) {
        let value = figure(&solved.point.value(solution));
        page.add_row(format!("  {name:<24} {value}"));
    }
    if let Some(omitted_instances @ 1..) = solved.instances.len().checked_sub(MAX_ROWS) {
        page.add_row(format!(
            "  … {omitted_instances} more (--json and --csv list them)"
        ));
    }
}

/// Adds the errors of the judge that are tolerable.
fn judge_errors(page: &mut HeadedTextPage, errors: &TolerableJudgeErrors) {
    let term = |(power, coefficient): (usize, &Exact)| {
        let number = format_rounded_with_sign(coefficient.to_float(), 6);
        match power {
            0 => number,
            1 => format!("{number}·f"),
            power => format!("{number}·f^{power}"),
        }
    };
    let coefficients = errors.polynomial.iter().enumerate();
    let terms: Vec<String> = coefficients.map(term).collect();
    let root = errors.break_even.as_ref().map(|[low, high]| {
        if low == high {
            format_canonical(low)
        } else {
            format_rounded(low.to_float(), 10)
        }
    });
    let named: Option<Vec<String>> = errors.worst_leaves.as_ref().map(|leaves| {
        let worst = leaves.iter().take(MAX_WRONG).map(|leaf| {
            let cost = format_rounded(leaf.cost.to_float(), 4);
            format!("{} `{}` ({cost})", leaf.leaf, leaf.claim)
        });
        worst.collect()
    });
    let values = json!({
        "terms": (!terms.is_empty()).then(|| terms.join(" ")),
        "root": root,
        "allowed": errors.allowed.as_ref().map(format_as_short_decimal_or_fraction),
        "most": format_rounded(errors.any_leaves_cost_at_most.to_float(), 4),
        "leaves": named.as_ref().map(|named| named.join(", ")),
    });
    page.add_empty_line();
    page.add_paragraph(TEXTS.filled_text("judge errors", &values));
    page.add_paragraph(match named {
        None => TEXTS.filled_text("too many leaves", &values),
        Some(named) if named.is_empty() => TEXTS.filled_text("no leaves", &values),
        Some(_) => TEXTS.filled_text("worst leaves", &values),
    });
}

/// Sentences of the page, with placeholders for the numbers.
static TEXTS: NamedTexts = NamedTexts::new(include_str!("solve.ron"));

/// Describes the set of strategies from which a best response was chosen, and the knowledge of its player.
fn best_response(point: &SweepPointRulesAndPlayers) -> Option<String> {
    let grid: Vec<String> = point
        .grid
        .iter()
        .map(format_as_short_decimal_or_fraction)
        .collect();
    if let Some(terms) = &point.knowing {
        return Some(knowing_response(terms, &grid));
    }
    let seat = point.best_response()?;
    let stochastic = point.protocol.kind() == ProtocolKind::Stochastic;
    let name = match seat {
        Seat::Prover if !stochastic => "prover",
        Seat::Prover if grid.is_empty() => "prover of any number",
        Seat::Prover => "on a grid",
        _ if stochastic => "objector",
        _ if grid.is_empty() => "opponent",
        _ => "on a grid",
    };
    let values =
        json!({ "who": seat.player_name_of_seat(), "count": grid.len(), "grid": grid.join(", ") });
    Some(TEXTS.filled_text(name, &values))
}

/// Describes the best response of a player who knows only part of the instance.
fn knowing_response(terms: &BestResponseConstraints, grid: &[String]) -> String {
    let (who, pronoun, other) = match terms.seat {
        Seat::Prover => ("Alice", "she", "Bob"),
        _ => ("Bob", "he", "Alice"),
    };
    let on_grid = terms.seat == Seat::Opponent && !grid.is_empty();
    let values = json!({
        "who": who,
        "pronoun": pronoun,
        "other": other,
        "knows": terms.knows.to_string(),
        "blocks": Some(terms.blocks).filter(|blocks| *blocks != 1),
        "queries": (terms.queries > 0).then(|| count_with_noun(terms.queries, "leaf", "leaves")),
        "answers": terms.answers.map(|answer| answer.to_string()),
        "grid": on_grid.then(|| json!({ "count": grid.len(), "numbers": grid.join(", ") })),
    });
    TEXTS.filled_text("knowing", &values)
}

/// Maximum length of a printed fraction, in characters; longer fractions are rounded.
const LONGEST_FRACTION: usize = 12;

/// The soundness proof's steps that rely on a hypothesis, each with words for the source of Alice's gain if the
/// hypothesis fails.
const OWED: [(SoundnessProofStep, &str); 4] = [
    (
        SoundnessProofStep::Unsound,
        "supports that do not imply their claim",
    ),
    (
        SoundnessProofStep::Oracle,
        "answers of the oracle that differ from the truth",
    ),
    (
        SoundnessProofStep::Bits,
        "bits of a proof that Alice wrote differently (PE equation 10)",
    ),
    (
        SoundnessProofStep::Swap,
        "samples that are used as truths (PE equation 9)",
    ),
];

/// Adds the section about soundness, the protection against a false answer of Alice, to the page.
fn add_soundness(
    page: &mut HeadedTextPage,
    soundness: &PayoffBySoundnessProofStep,
    point: &SweepPointRulesAndPlayers,
) {
    let value = |value: &Exact| format_rounded_with_sign(value.to_float(), 6);
    let few = |value: &Exact| match format_as_short_decimal_or_fraction(value) {
        text if text.len() <= LONGEST_FRACTION => text,
        _ => format_rounded(value.to_float(), 6),
    };
    let [prover, opponent, _] = &point.players;
    page.add_empty_line();
    page.add_paragraph(format!(
        "The soundness proof (PE Lemma A.4, Theorem 6.1) for {prover} against {opponent}: n = \
         r^−(d+1) = {}, d = {}, q = {}, δ = {}, η = (2d + 2)δ = {}.",
        few(&soundness.prize.recip()),
        soundness.depth,
        soundness.width,
        few(&soundness.delta),
        few(&soundness.soundness_bound_additive_error()),
    ));
    let mut row = |label: &str, amount: &Exact, text: &str| {
        page.add_row(format!("  {label:<8}  {:>14}   {text}", value(amount)));
    };
    let true_answer = few(&soundness.prover_true_answer_probability());
    let promise = format!("P[A = L]/n + η, with P[A = L] = {true_answer}");
    row("promised", &soundness.prover_payoff_upper_bound(), &promise);
    let payoff_is_within_bound = soundness.payoff_is_within_bound();
    let verdict = if payoff_is_within_bound {
        "within the bound"
    } else {
        "more than promised"
    };
    let verdict = format!("{verdict}; the sum of:");
    row("kept", &soundness.prover_payoff(), &verdict);
    row(
        "",
        &soundness.prover_payoff_contribution(SoundnessProofStep::Answer),
        "P[A = L]/n",
    );
    for (step, advantage) in soundness.estimator_tests_with_advantages() {
        let name = match step {
            SoundnessProofStep::GateTest(k) => {
                format!(
                    "the advantage of the test that distinguishes round {k}'s gate (PE equation 6)"
                )
            }
            SoundnessProofStep::SelectionTest(k) => {
                format!("the test of the claim chosen for round {k} (PE equation 8)")
            }
            _ => "the test of the root's coin (PE equation 5)".to_owned(),
        };
        if *advantage != Exact::default() {
            row("", advantage, &name);
        }
    }
    for (step, name) in OWED {
        let amount = soundness.prover_payoff_contribution(step);
        if amount != Exact::default() {
            row("", &amount, name);
        }
    }
    page.add_paragraph("Hypotheses of the lemma, for this Alice:");
    for hypothesis in soundness.hypotheses() {
        let gives = format!(
            "; because this hypothesis fails, Alice gains {payoff}",
            payoff = value(&hypothesis.gives)
        );
        let (label, gives) = if hypothesis.holds {
            ("  yes", "")
        } else {
            ("  no", &*gives)
        };
        let text = format!("{}{gives}", hypothesis.what);
        page.lines.push(Line::new(label, TextRole::Text, text));
    }
    let cost = soundness.estimator_cost();
    page.add_paragraph(format!(
        "A Bob by Algorithm 1 takes at most (2^q − 1)/δ² = {} steps per round, and asks Alice q·2^q \
         times per step: {} questions.",
        format_rounded(cost.steps.to_float(), 6),
        format_rounded(cost.questions_to_prover.to_float(), 6),
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_used_in_the_code() {
        let code = include_str!("solve.rs");
        for name in TEXTS.text_names() {
            let told = [format!("=> \"{name}\","), format!("filled_text(\"{name}\"")];
            assert!(told.iter().any(|told| code.contains(told)), "{name}");
        }
    }
}
