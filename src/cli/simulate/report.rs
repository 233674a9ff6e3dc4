//! What a simulation came to: as lines, JSON or CSV.

use std::io::{self, Write as _};

use crate::cli::Failure;
use crate::cli::flags::OutputArgs;
use crate::cli::output::print_json;
use debate_core::number::{percent, short, signed, without_rounding};
use debate_core::protocol::{Protocol, Seat};
use debate_core::text::{counted, safe};
use debate_lab::expectation::EXPENSES;
use debate_lab::export::table;
use debate_lab::simulate::{Moments, Shard, SideNames, SimulationReport, Sums};
use debate_lab::tell::{expense, grouped};

/// Prints what was simulated; `scenario` is its name on the command line.
pub(in crate::cli) fn print(
    part: &Shard,
    scenario: Option<&str>,
    form: &OutputArgs,
) -> Result<(), Failure> {
    let protocols = part.identity.sides.iter();
    let protocols = protocols.map(|side| Protocol::parse(&side.protocol).map_err(Failure::input));
    let protocols = protocols.collect::<Result<Vec<_>, _>>()?;
    if form.json {
        return print_json(&SimulationReport::of(part).map_err(Failure::input)?);
    }
    let lines = if form.csv {
        csv(part)
    } else {
        lines(part, &protocols, scenario)
    };
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{}", safe(&line))?;
    }
    Ok(())
}

fn csv(part: &Shard) -> Vec<String> {
    let mut header: Vec<String> = [
        "scenario",
        "instance",
        "seed",
        "protocol",
        "prover",
        "opponent",
        "judge",
        "debates",
        "mean",
        "stderr",
        "ci95_low",
        "ci95_high",
        "prover_wins",
        "answer_correct",
    ]
    .map(str::to_owned)
    .into();
    header.extend(EXPENSES.map(str::to_owned));
    let mut lines = vec![table::line(header)];
    let identity = &part.identity;
    for (sums, seated) in part.simulated.sides.iter().zip(&identity.sides) {
        let [prover, opponent, judge] = &seated.players;
        let texts = [
            &identity.title,
            identity.instance.as_ref().unwrap_or(&String::new()),
            &identity.seed,
            &seated.protocol,
            prover,
            opponent,
            judge,
        ]
        .map(|text| table::text(text));
        let count = sums.debates;
        let interval = sums.payoff.interval(count);
        let numbers = [
            sums.payoff.mean(count),
            sums.payoff.standard_error(count),
            interval.map(|[low, _]| low),
            interval.map(|[_, high]| high),
            sums.prover_wins(),
            sums.answer_correct(),
        ];
        let mut cells = Vec::from(texts);
        cells.push(count.to_string());
        let written = |number: Option<f64>| number.map_or_else(String::new, |n| n.to_string());
        cells.extend(numbers.map(written));
        cells.extend(sums.spent(Seat::Judge).map(|mean| mean.to_string()));
        lines.push(table::line(cells));
    }
    lines
}

fn lines(part: &Shard, protocols: &[Protocol], scenario: Option<&str>) -> Vec<String> {
    let count = part.simulated.sides.first().map_or(0, |sums| sums.debates);
    let which = match &part.identity.instance {
        Some(name) => format!(" (instance {name})"),
        None => String::new(),
    };
    let mut lines = vec![
        format!("{}{which}", part.identity.title),
        format!(
            "{}, seed {}",
            counted(grouped(count), "debate", "debates"),
            part.identity.seed
        ),
    ];
    let sides = part.simulated.sides.iter().zip(&part.identity.sides);
    for ((sums, names), protocol) in sides.zip(protocols) {
        lines.push(String::new());
        lines.extend(side_lines(sums, names, protocol));
    }
    if let Some(difference) = &part.simulated.difference {
        lines.push(String::new());
        let scales = part.simulated.sides.iter().map(scale);
        lines.extend(compared(difference, count, scales.fold(0.0, f64::max)));
    }
    lines.push(String::new());
    let threads = counted(part.threads, "thread", "threads");
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate is at least 0"
    )]
    let rate = part.debates_per_second() as u64;
    lines.push(format!(
        "{} s on {threads}: {} debates a second.",
        short(part.seconds, 3),
        grouped(rate)
    ));
    if let Some(scenario) = scenario {
        lines.push(format!(
            "To watch the first of them: debate-tui {scenario} --role none --seed {} --debate 0",
            part.identity.seed
        ));
    }
    lines
}

fn side_lines(sums: &Sums, names: &SideNames, protocol: &Protocol) -> Vec<String> {
    let kind = protocol.kind();
    let summary = match protocol.summary().as_str() {
        "" => String::new(),
        summary => format!(" ({summary})"),
    };
    let mut lines = vec![
        format!("{} debate{summary}", capital(kind.name())),
        format!(
            "Alice, the prover: {}. Bob, the {}: {}. The judge: {}.",
            names.players[0],
            kind.title(Seat::Opponent),
            names.players[1],
            names.players[2]
        ),
    ];
    let (count, all) = (sums.debates, scale(sums));
    if let Some(mean) = sums.payoff.mean(count) {
        let range = sums.payoff.interval(count).map_or_else(
            || " (one debate tells nothing of how sure this is)".to_owned(),
            |[low, high]| format!("   95 %: {} to {}", paid(low, all), paid(high, all)),
        );
        lines.push(format!(
            "  Alice received on average  {}{range}",
            paid(mean, all)
        ));
    }
    if let Some(share) = sums.prover_wins() {
        lines.push(format!("  She came out ahead in      {}", percent(share)));
    }
    if let Some(share) = sums.answer_correct() {
        let what = if protocol.conditions().fixes_claim() {
            "The verdict was right in  "
        } else {
            "Her answer was right in   "
        };
        lines.push(format!("  {what} {}", percent(share)));
    }
    let paying: Vec<_> = sums
        .rounds()
        .filter(|(_, sum)| sum.weight != Some(0.0))
        .collect();
    if paying.len() > 1 {
        lines.push("  Round by round, with the most that a round can pay:".to_owned());
        for (round, sum) in paying {
            let weight = sum
                .weight
                .map_or_else(|| "varies".to_owned(), |w| short(w, 4));
            let most = sum.weight.unwrap_or(all);
            let mean = sums.mean_of(sum);
            let mean = mean.map_or_else(String::new, |mean| paid(mean, most));
            lines.push(format!(
                "    {:<6} {mean:>11}   of {weight}",
                round.to_string()
            ));
        }
    }
    for seat in Seat::PLAYERS {
        let spent = EXPENSES.iter().zip(sums.spent(seat));
        let spent: Vec<String> = spent
            .filter(|(_, mean)| *mean > 0.0)
            .map(|(kind, mean)| expense(kind, short(mean, 4)))
            .collect();
        if !spent.is_empty() {
            let who = if seat == Seat::Judge {
                "The verifier"
            } else {
                seat.person()
            };
            let who = format!("{who} spends");
            lines.push(format!("  {who:<25}  {}", spent.join(", ")));
        }
    }
    lines
}

/// The most that a round of a debate can pay.
fn scale(sums: &Sums) -> f64 {
    let weights = sums.rounds().filter_map(|(_, sum)| sum.weight);
    // Instances may differ in every weight, but none is above 1.
    weights
        .reduce(f64::max)
        .filter(|most| *most > 0.0)
        .unwrap_or(1.0)
}

/// What was received on average, where a debate pays so much at most.
fn paid(mean: f64, most: f64) -> String {
    signed(without_rounding(mean, most), 4)
}

/// By how much the first side's prover received more, in a sentence. `most`: what a debate of
/// either side can pay.
fn compared(difference: &Moments, count: u64, most: f64) -> Vec<String> {
    let Some(mean) = difference.mean(count) else {
        return Vec::new();
    };
    let Some(interval) = difference.interval(count) else {
        return vec![format!("The first received {} more.", paid(mean, most))];
    };
    let [low, high] = interval.map(|end| without_rounding(end, most));
    let sure = if low > 0.0 {
        "the first one received more"
    } else if high < 0.0 {
        "the second one received more"
    } else {
        "which one received more cannot be told from so many debates"
    };
    vec![
        "On the same instances and coins, the first less the second:".to_owned(),
        format!(
            "  {} on average   95 %: {} to {}: {sure}",
            paid(mean, most),
            paid(low, most),
            paid(high, most)
        ),
    ]
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}
