//! `equilibrium --all`: the value between all strategies of both debaters.

use std::io::{self, Write};

use super::{EquilibriumArgs, FEWER_INSTANCES, hypothesis_line};
use crate::cli::Failure;
use crate::cli::output::print_json;
use crate::cli::solve::{check_instance_limit, said_grid};
use crate::tui::widget::measure::wrap;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, parse, signed};
use debate_core::player::Spec;
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_core::text::{counted, safe};
use debate_lab::analysis::equilibrium::{
    EquilibriumDocument, GameOfAll, OptimalPlay, OptimalReport, UnsolvedGame, hypotheses,
};
use debate_lab::expectation::NumberFormat;
use debate_lab::plan::worlds;
use debate_lab::setup::Setup;

/// The probabilities that Bob may say where nothing else is asked.
const POINTS: u32 = 3;
/// Lines are folded at so many columns.
const COLUMNS: usize = 80;

pub(super) fn all(
    args: &EquilibriumArgs,
    setup: &Setup,
    protocol: &Protocol,
    judge: &Spec,
) -> Result<(), Failure> {
    let grid = grid(args, protocol)?;
    let alpha = args.alpha.as_deref().unwrap_or("0");
    let alpha = parse(alpha).map_err(|error| Failure::Input(format!("--alpha: {error}")))?;
    if alpha < Exact::default() {
        return Err(Failure::input("--alpha: take 0 or more"));
    }
    let instances = worlds(setup, None)?.into_iter();
    let instances: Vec<(Exact, Instance)> = instances
        .map(|(share, world)| (share, setup.instance(world)))
        .collect();
    check_instance_limit(instances.len(), args.max_instances, FEWER_INSTANCES)?;
    let seats = [Seat::Prover, Seat::Opponent];
    let knows = seats.map(|seat| setup.knowledge(seat));
    let mut blocks = Vec::with_capacity(2);
    for knowledge in &knows {
        let all = knowledge.blocks(setup.decomposition.as_ref());
        let all = all.map_err(Failure::input)?;
        let own: Vec<usize> = instances
            .iter()
            .map(|(_, instance)| all[instance.world()])
            .collect();
        blocks.push(own);
    }
    let game = GameOfAll {
        protocol,
        judge,
        instances: &instances,
        blocks: [&blocks[0], &blocks[1]],
        queries: seats.map(|seat| setup.queries[seat.index()]),
        grid: &grid,
        alpha: &alpha,
        rounds: args.max_rounds,
    };
    let budget = Budget {
        steps: args.max_positions,
        flag: Some("--max-positions"),
        ..Budget::default()
    };
    let found = game.solve(budget).map_err(|error| match error {
        UnsolvedGame::Unsolved(unsolved) => Failure::Input(format!(
            "{unsolved}: take fewer --points, or a smaller scenario"
        )),
        error => Failure::input(error),
    })?;
    let least = found.least_truth.as_ref();
    let hypotheses = hypotheses(setup, &game, least.map_or(&alpha, |least| &least.alpha));
    let form = if args.exact {
        NumberFormat::Fraction
    } else {
        NumberFormat::Decimal
    };
    let knows = [&knows[0], &knows[1]];
    let report = found.report(&setup.title, &game, knows, &hypotheses, form);
    if args.form.json {
        return print_json(&EquilibriumDocument::All(Box::new(report)));
    }
    if args.form.csv {
        return Err(Failure::input(
            "--csv is for the table of named players; take --json here",
        ));
    }
    tell(&mut io::stdout().lock(), &report, protocol, &found)
}

/// The probabilities that can be said: none where nobody says any.
fn grid(args: &EquilibriumArgs, protocol: &Protocol) -> Result<Vec<Exact>, Failure> {
    if let Some(text) = args.grid.as_deref() {
        return said_grid(text, protocol);
    }
    if !protocol.conditions().has_estimator() {
        return Ok(Vec::new());
    }
    let parts = i64::from(args.points.unwrap_or(POINTS).max(2)) - 1;
    Ok((0..=parts).map(|part| Exact::ratio(part, parts)).collect())
}

fn paragraph(out: &mut impl Write, text: &str) -> Result<(), Failure> {
    for line in wrap(text, COLUMNS) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn tell(
    out: &mut impl Write,
    report: &OptimalReport,
    protocol: &Protocol,
    found: &OptimalPlay,
) -> Result<(), Failure> {
    match protocol.summary() {
        summary if summary.is_empty() => writeln!(out, "{}", safe(&report.title))?,
        summary => writeln!(out, "{} ({summary})", safe(&report.title))?,
    }
    let instances = match report.instances {
        1 => String::new(),
        many => format!(", the mean over {many} instances"),
    };
    let (alice, bob) = (&report.prover_knows, &report.opponent_knows);
    paragraph(
        out,
        &format!(
            "Every strategy of Alice against every strategy of Bob{instances}; the judge is {}. \
             Alice knows of the instance: {alice}. Bob: {bob}.",
            report.judge
        ),
    )?;
    if !report.grid.is_empty() {
        let grid: Vec<String> = report.grid.iter().map(ToString::to_string).collect();
        paragraph(
            out,
            &format!(
                "Bob says one of {} probabilities: {}. That is a hypothesis: with more to say he \
                 can only leave her less.",
                grid.len(),
                grid.join(", ")
            ),
        )?;
    }
    writeln!(out)?;
    let ends = [&found.lower, &found.upper].map(|end| signed(end.to_float(), 10));
    let [low, high] = &ends;
    writeln!(out, "The value lies between {low} and {high}.")?;
    paragraph(
        out,
        &format!(
            "The lower end is what Alice's plan keeps against the best Bob, the upper what the best \
             Alice gets against Bob's plan, both exact; they are {} apart, {} of the range of \
             payoffs.",
            report.width.to_text(),
            debate_core::number::short(report.width_of_range, 2)
        ),
    )?;
    // Betting nothing keeps 0, so a bound below 0 says nothing.
    let keeps = (found.lower_of_all.as_ref()).is_some_and(|of_all| *of_all > Exact::default());
    if let Some(of_all) = report.lower_of_all_probabilities.as_ref().filter(|_| keeps) {
        paragraph(
            out,
            &format!(
                "Against a Bob who may say any probability she keeps at least {} by this, and the \
                 value is at most the upper end.",
                of_all.to_text()
            ),
        )?;
    }
    if let Some(correct) = &report.answer_correct {
        writeln!(
            out,
            "Under her plan Alice's answer is true with probability {}.",
            correct.to_text()
        )?;
    }
    truth(out, report)?;
    let by = match report.rounds {
        None => "linear programs in sequence form".to_owned(),
        Some(rounds) => format!("{} of double oracle", counted(rounds, "round", "rounds")),
    };
    writeln!(out)?;
    paragraph(
        out,
        &format!(
            "By {by}, over {} sequences of Alice and {} of Bob from {} positions, and exact best \
             replies to what they propose.",
            report.prover.sequences, report.opponent.sequences, report.positions
        ),
    )
}

/// PE Theorem 6.2.
fn truth(out: &mut impl Write, report: &OptimalReport) -> Result<(), Failure> {
    let Some(least) = &report.least_true else {
        return Ok(());
    };
    writeln!(out)?;
    paragraph(
        out,
        &format!(
            "Of all plans that guarantee the lower end less α = {}, the one found that answers truly \
             least does so with probability {}, and keeps {}.",
            least.alpha.to_text(),
            least.answer_correct.to_text(),
            least.keeps.to_text()
        ),
    )?;
    let Some(promised) = &least.promised else {
        return Ok(());
    };
    writeln!(
        out,
        "PE Theorem 6.2 promises more than 1 - 4ε = {} where all of this holds:",
        promised.to_text()
    )?;
    for one in &least.hypotheses {
        writeln!(out, "  {}", hypothesis_line(one.what, one.holds))?;
    }
    Ok(())
}
