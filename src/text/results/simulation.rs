//! `simulate` and `merge`: the results of many debates.

use super::{HeadedTextPage, PrintableCommandResult, cell, in_brackets, spending};
use crate::{capitalized, table, with_thousands_separators};
use debate_core::number::{format_percent, format_rounded, format_rounded_with_sign};
use debate_core::protocol::{Protocol, ProtocolError, Seat};
use debate_core::text::count_with_noun;
use debate_solver::expectation::EXPENSES;
use debate_solver::simulate::{
    MeanAndErrorReport, RulesAndPlayerNames, SimulationReport, SimulationShard, SimulationSums,
};
use serde::Serialize;

/// The result of simulated debates, of one or two sides. A side is a set of rules with its players.
#[derive(Clone, Debug)]
pub struct SimulationResult<'p> {
    part: &'p SimulationShard,
    protocols: Vec<Protocol>,
    report: Option<SimulationReport>,
    /// The scenario as the user named it; `None` if the user cannot watch one of its debates.
    scenario: Option<&'p str>,
}

impl<'p> SimulationResult<'p> {
    /// Creates the result of a simulation from one shard. The shard may be the whole simulation, or what `merge_shards`
    /// made of several shards.
    ///
    /// # Errors
    /// Returns an error if this program does not know a side's protocol.
    pub fn from_shard(
        part: &'p SimulationShard,
        scenario: Option<&'p str>,
    ) -> Result<Self, ProtocolError> {
        let sides = part.identity.sides.iter();
        Ok(Self {
            part,
            protocols: sides
                .map(|side| Protocol::parse(&side.protocol))
                .collect::<Result<_, _>>()?,
            report: SimulationReport::report_if_shard_has_results(part)?,
            scenario,
        })
    }
}

impl PrintableCommandResult for SimulationResult<'_> {
    fn document(&self) -> impl Serialize {
        &self.report
    }

    fn page(&self) -> HeadedTextPage {
        let part = self.part;
        let identity = &self.part.identity;
        let sides = &part.simulated.sides;
        let count = sides.first().map_or(0, |sums| sums.debates);
        let instance = match &identity.instance {
            Some(name) => format!(" (instance {name})"),
            None => String::new(),
        };
        let mut page = HeadedTextPage::titled(format!("{}{instance}", identity.title));
        let debates = count_with_noun(with_thousands_separators(count), "debate", "debates");
        page.add_row(format!("{debates}, seed {}", identity.seed));
        for ((sums, names), protocol) in sides.iter().zip(&identity.sides).zip(&self.protocols) {
            page.add_empty_line();
            side(&mut page, sums, names, protocol);
        }
        let difference = self.report.as_ref().map(|report| &report.difference);
        if let Some(difference) = difference.into_iter().flatten().next() {
            page.add_empty_line();
            comparison(&mut page, difference);
        }
        page.add_empty_line();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number of debates a second is never negative, and is shown without its fraction"
        )]
        let rate = with_thousands_separators(part.debates_per_second() as u64);
        let threads = count_with_noun(part.threads, "thread", "threads");
        let seconds = format_rounded(part.seconds, 3);
        page.add_row(format!(
            "{seconds} s on {threads}: {rate} debates a second."
        ));
        if let Some(scenario) = self.scenario {
            page.add_row(format!(
                "To watch the first debate: debate-tui {scenario} --role none --seed {seed} --debate 0", seed = identity.seed));
        }
        page
    }

    /// Returns a table with one row for each set of rules and players that was simulated.
    fn table(&self) -> Vec<Vec<String>> {
        let mut header = table::csv_header_from_comma_list(
            "scenario,instance,seed,protocol,prover,opponent,judge,debates,mean,stderr,ci95_low,\
             ci95_high,prover_wins,answer_correct",
        );
        header.extend(EXPENSES.map(str::to_owned));
        let mut rows = vec![header];
        let identity = &self.part.identity;
        for (sums, names) in self.part.simulated.sides.iter().zip(&identity.sides) {
            let instance = identity.instance.as_deref().unwrap_or_default();
            let texts = [&identity.title, instance, &identity.seed, &names.protocol];
            let players = names.players.iter().map(String::as_str);
            let mut cells: Vec<String> = texts
                .into_iter()
                .chain(players)
                .map(table::spreadsheet_safe_cell_text)
                .collect();
            let count = sums.debates;
            let payoff = sums.payoff_report();
            cells.push(count.to_string());
            cells.extend([
                cell(payoff.mean),
                cell(payoff.stderr),
                cell(payoff.ci95.map(|[low, _]| low)),
                cell(payoff.ci95.map(|[_, high]| high)),
                cell(sums.positive_payoff_rate_of_prover()),
                cell(sums.correct_root_answer_rate()),
            ]);
            cells.extend(
                sums.mean_expenses_by_kind(Seat::Judge)
                    .map(|mean| mean.to_string()),
            );
            rows.push(cells);
        }
        rows
    }
}

fn side(
    page: &mut HeadedTextPage,
    sums: &SimulationSums,
    names: &RulesAndPlayerNames,
    protocol: &Protocol,
) {
    let kind = protocol.kind();
    let parameters = in_brackets(protocol);
    page.add_row(format!(
        "{} debate{parameters}",
        capitalized(kind.protocol_name())
    ));
    let [prover, opponent, judge] = &names.players;
    page.add_row(format!(
        "Alice, the prover: {prover}. Bob, the {bobs_title}: {opponent}. The judge: {judge}.",
        bobs_title = kind.title(Seat::Opponent)
    ));
    let figures = sums.payoff_report();
    if let Some(mean) = figures.mean {
        let range = figures.ci95.map_or_else(
            || " (one debate gives no confidence interval)".to_owned(),
            |[low, high]| {
                format!(
                    "   95 %: {low} to {high}",
                    low = payoff(low),
                    high = payoff(high)
                )
            },
        );
        let mean = payoff(mean);
        page.add_row(format!("  Alice received on average  {mean}{range}"));
    }
    if let Some(share) = sums.positive_payoff_rate_of_prover() {
        page.add_row(format!(
            "  Alice ended ahead in       {share}",
            share = format_percent(share)
        ));
    }
    if let Some(share) = sums.correct_root_answer_rate() {
        let prover_always_claims_true = protocol.protocol_parameters().prover_always_claims_true();
        let what = if prover_always_claims_true {
            "The verdict was right in"
        } else {
            "Alice was right in"
        };
        page.add_row(format!("  {what:<25}  {}", format_percent(share)));
    }
    let paying = || sums.rounds().filter(|(_, sum)| sum.weight != Some(0.0));
    if paying().count() > 1 {
        page.add_row("  By round, with the largest possible reward:");
        for (round, sum) in paying() {
            let mean = sums.mean_reward(sum);
            let mean = cell(mean.map(payoff));
            let weight = match sum.weight {
                Some(weight) => format_rounded(weight, 4),
                None => "varies".to_owned(),
            };
            let round = round.to_string();
            page.add_row(format!("    {round:<6} {mean:>11}   of {weight}"));
        }
    }
    for (name, spent) in spending(|seat| sums.mean_expenses_by_kind(seat), 4) {
        let spends = format!("{name} spends");
        page.add_row(format!("  {spends:<25}  {spent}"));
    }
}

/// Formats a mean payoff.
fn payoff(mean: f64) -> String {
    format_rounded_with_sign(mean, 4)
}

/// Adds the mean difference between Alice's payoffs on the two compared sides: the first side's minus the second
/// side's. A side is a set of rules with its players.
fn comparison(page: &mut HeadedTextPage, difference: &MeanAndErrorReport) {
    let Some(mean_difference) = difference.mean.map(payoff) else {
        return;
    };
    let Some([low, high]) = difference.ci95 else {
        return page.add_row(format!(
            "Alice's payoff in the first set of debates minus that in the second set: {mean_difference}."
        ));
    };
    let verdict = if low > 0.0 {
        "Alice received more in the first set of debates"
    } else if high < 0.0 {
        "Alice received more in the second set of debates"
    } else {
        "too few debates to tell in which set Alice received more"
    };
    page.add_row(
        "On the same instances and coins, Alice's payoff in the first set of debates minus that in the second set:",
    );
    let [low, high] = [low, high].map(payoff);
    page.add_row(format!(
        "  {mean_difference} on average   95 % interval: {low} to {high}; {verdict}"
    ));
}
