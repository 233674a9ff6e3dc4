//! `compare`: the same instance and coins under two sets of rules, or with two sets of players.

use std::io;

use clap::Args;
use serde::Serialize;

use super::flags::{
    DebateNumberArgs, DisplayArgs, ScenarioLimitArgs, SeatPlayerArgs, SeedAndInstanceArgs,
};
use super::output::{print_json_line, stdout};
use super::progress::install_exit_signal_handler;
use super::{CommandFailure, Result, report};
use crate::app::{AppPage, DebatesToCompare, review_context};
use crate::tui::widget::measure::{pad, wrap};
use debate_core::budget::ComputationBudget;
use debate_core::number::Exact;
use debate_core::player::SeatedDebate;
use debate_core::protocol::{Protocol, Rules as _, Seat};
use debate_core::scenario::Instance;
use debate_core::text::replace_unsafe_characters;
use debate_host::Debate;
use debate_host::message::play::DebateOutcomeReport;
use debate_host::plan::{
    DebatePlan, SaveStorageOptions, recursion_and_prover_estimator_protocols, side,
    side_of_usual_protocol, split_seat_and_player, versus,
};
use debate_solver::analysis::review::{
    ManyDebatesEstimateMeasures, ManyDebatesPayoffs, PayoffsWithReplacedPlayers,
};
use debate_solver::expectation::DecimalOrFractionNumber;
use debate_solver::setup::LoadedScenario;
use debate_solver::simulate::RulesAndPlayers;
use debate_text::{
    DebateNarrator, PayoffFormatter, ViewerPerspective, cost_with_kind_text, review,
};

/// The number of debates over which the averages are computed.
const AVERAGED_DEBATES: u32 = 1000;
/// The number of columns of an output line.
const COLUMNS: usize = 80;
/// The number of columns of the labels.
const LABELS: usize = 9;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/compare.txt"))]
pub(super) struct CompareArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    /// The rules or player of the debate on the left [default: plain recursion].
    #[arg(long, value_name = "NAME|PROTOCOL")]
    left: Option<String>,
    /// The rules or player of the debate on the right. The default is prover-estimator debate, or the scenario's own
    /// rules and players if --left names a player.
    #[arg(long, value_name = "NAME|PROTOCOL")]
    right: Option<String>,
    #[command(flatten)]
    seats: SeatPlayerArgs,
    #[command(flatten)]
    coins: SeedAndInstanceArgs,
    #[command(flatten)]
    debate: DebateNumberArgs,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
}

impl CompareArgs {
    /// Returns the display flags.
    pub(super) fn display_args(&mut self) -> &mut DisplayArgs {
        &mut self.display
    }
}

pub(super) fn run_debate_comparison(args: &CompareArgs) -> Result {
    if !args.display.uses_full_screen() {
        // On a terminal the screen handles signals.
        install_exit_signal_handler()?;
    }
    let sides = [&args.left, &args.right].map(Option::as_deref);
    let players = sides.map(|text| text.map(|text| split_seat_and_player(text).1));
    let named = args
        .seats
        .player_names()
        .into_iter()
        .chain(players)
        .flatten();
    let setup = args
        .limits
        .find_scenario_with_players(&args.scenario, named)?;
    let seed = args.coins.seed()?;
    let debate = args.debate.number;
    let asked = args.coins.index_of_instance_flag(&setup)?;
    let world = asked.unwrap_or_else(|| setup.world_of_debate(&seed, debate));
    let plans = self::sides(args, &setup)?.map(|side| DebatePlan {
        debate,
        world,
        fixed_world: true,
        ..DebatePlan::new(setup.clone(), side.protocol, seed.clone(), side.players)
    });
    if args.display.uses_full_screen() {
        let plans = DebatesToCompare::Both(Box::new(plans));
        let page = AppPage::Compare(plans);
        return args.display.show_page(SaveStorageOptions::default(), page);
    }
    print(&plans, args)
}

/// Returns both sides of a comparison. A side given as a player uses the rules that the other side names, else the
/// scenario's rules. A side without a flag is plain recursion on the left and prover-estimator debate on the right; if
/// the other side is given as a player, it has the scenario's rules and players.
fn sides(args: &CompareArgs, setup: &LoadedScenario) -> Result<[RulesAndPlayers; 2]> {
    let limits = args.limits.limits();
    let flags = args.seats.player_names();
    let usual = recursion_and_prover_estimator_protocols(setup);
    let texts = [&args.left, &args.right].map(Option::as_deref);
    let named = texts.map(|text| Protocol::parse(text?).ok());
    // If neither side names rules, a side with a player uses the scenario's own rules.
    let base = named.iter().flatten().next().unwrap_or(&setup.protocol);
    let of = |at: usize| match (texts[at], &usual) {
        (Some(text), _) => {
            // A player of the flags for seats may be unknown under `base`, but known under the rules in `text`.
            let side = side(setup, flags, base.clone(), &limits)
                .or_else(|_unknown| side(setup, [None; 3], base.clone(), &limits))?;
            Ok(versus(setup, &side, flags, text, &limits)?)
        }
        (None, _) if texts[1 - at].is_some() && named[1 - at].is_none() => {
            Ok(side(setup, flags, base.clone(), &limits)?)
        }
        (None, Some(usual)) => Ok(side_of_usual_protocol(setup, &usual[at], flags, &limits)?),
        (None, None) => Err(CommandFailure::from_input_error(format!(
            "this problem has no debate under plain recursion and prover-estimator; choose what to \
             compare with --left and --right, each one of: {}",
            debate_core::protocol::fitting_protocol_examples(setup.decomposition.as_ref())
                .join(", ")
        ))),
    };
    Ok([of(0)?, of(1)?])
}

/// The same instance and coins, debated under two sets of rules or between two sets of players.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename = "CompareReport")]
pub(super) struct DebateComparisonReport {
    /// The scenario's title.
    scenario: String,
    seed: String,
    instance: String,
    left: ComparedSide,
    right: ComparedSide,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ComparedSide {
    #[serde(flatten)]
    play: DebateOutcomeReport,
    /// Averages over many debates of these players; null if they were not computed.
    average: Option<AverageReport>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AverageReport {
    debates: usize,
    mean: f64,
    /// Half the width of the 95 % confidence interval of Alice's mean payoff.
    ci95_half_width: f64,
    /// The expected payoff of Alice, as `num/den`; null if it was not found.
    exact: Option<String>,
    /// The measures of the estimates; null under rules without estimates.
    measures: Option<AverageMeasures>,
}

/// Measures of the estimates over many debates. The gap and the parts of Alice's payoff are averages per debate.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AverageMeasures {
    /// The sum of the gaps, as a probability: 0.25 is 25 percentage points.
    gap: f64,
    /// The payoff that Alice would get on average from her bets if every bet were in the right direction. The right
    /// direction is "too low" or "too high", as the gap of Bob's estimates says.
    right_side: f64,
    /// The mean squared error against the truth, over these estimates of Bob: the root's estimate, and first-round
    /// estimates whose earlier coins agree with the truth. Null if there are none.
    squared_error: Option<f64>,
    /// The mean squared error of the reference estimator's estimates for the same claims.
    reference_squared_error: Option<f64>,
    /// The mean squared distance of Bob's estimates to the posterior; null if Bob reads evidence, or if his seat has no
    /// prior.
    posterior_distance: Option<f64>,
    /// The mean squared distance of the reference estimator's estimates to the posterior.
    reference_posterior_distance: Option<f64>,
    /// The number of Bob's estimates over which `squared_error` is averaged.
    estimates: u64,
    /// The part of Alice's payoff that is due to the luck of the coins.
    coins: f64,
    /// The part of Alice's payoff from her bet on the debate's last claim.
    last_claim: f64,
}

impl From<&ManyDebatesEstimateMeasures> for AverageMeasures {
    fn from(measures: &ManyDebatesEstimateMeasures) -> Self {
        let has_estimates = measures.count > 0;
        Self {
            gap: measures.gap,
            right_side: measures.open,
            squared_error: has_estimates.then_some(measures.own),
            reference_squared_error: has_estimates.then_some(measures.reference),
            posterior_distance: measures.to_posterior.map(|[own, _]| own),
            reference_posterior_distance: measures.to_posterior.map(|[_, reference]| reference),
            estimates: measures.count,
            coins: measures.coins,
            last_claim: measures.last,
        }
    }
}

impl AverageReport {
    fn of(trials: &ManyDebatesPayoffs) -> Self {
        let exact = trials.exact.as_ref().ok();
        Self {
            debates: trials.payoffs.len(),
            mean: trials.mean_payoff(),
            ci95_half_width: trials.confidence_half_width(),
            exact: exact.map(|exact| DecimalOrFractionNumber::of(exact).to_string()),
            measures: trials.measures.as_ref().map(AverageMeasures::from),
        }
    }
}

/// Prints both debates of a comparison, side by side or as one JSON document.
fn print(plans: &[DebatePlan; 2], args: &CompareArgs) -> Result {
    if !args.display.json {
        return print_debates_side_by_side(&mut stdout(), plans);
    }
    let instance = plans[0].instance();
    let sides = play_both(plans, &instance)?;
    let side = |at: usize| {
        let (debate, trials) = &sides[at];
        ComparedSide {
            play: report::play_report(debate.state_and_players(), &instance, &plans[at]),
            average: trials
                .as_ref()
                .map(|trials| AverageReport::of(&trials.pair)),
        }
    };
    print_json_line(&DebateComparisonReport {
        scenario: plans[0].setup.scenario_texts(instance.world_index()).title,
        seed: plans[0].seed.as_str().to_owned(),
        instance: instance.world_name().to_owned(),
        left: side(0),
        right: side(1),
    })
}

/// A debate after it was played, and the averages over many such debates if they are shown.
type PlayedDebate<'a> = (Debate<'a>, Option<PayoffsWithReplacedPlayers>);

/// Plays both debates of a comparison. Returns each with the averages over many such debates.
fn play_both<'a>(plans: &[DebatePlan; 2], instance: &'a Instance) -> Result<[PlayedDebate<'a>; 2]> {
    let one = |plan: &DebatePlan| {
        let debate = plan.play_out(instance, &ComputationBudget::default())?;
        // With long numbers this many debates would take minutes.
        let trials =
            ComputationBudget::default().with_computation_step_limit(AVERAGED_DEBATES.into());
        let trials = trials
            .with_step_limit_for_long_numbers(
                plan.setup
                    .approximate_digits_of_smallest_stake(&plan.protocol),
            )
            .steps;
        let averages = trials >= u64::from(AVERAGED_DEBATES) / 4;
        let trials = review_context(plan, instance)
            .filter(|_| averages)
            .map(|case| {
                case.trials(
                    &[],
                    &plan.seed,
                    AVERAGED_DEBATES,
                    ComputationBudget::default(),
                    &|_| {},
                )
            })
            .transpose();
        Ok::<_, CommandFailure>((debate, trials.map_err(CommandFailure::from_system_error)?))
    };
    Ok([one(&plans[0])?, one(&plans[1])?])
}

/// Prints the two debates of a comparison side by side, in lines.
pub(super) fn print_debates_side_by_side(
    out: &mut impl io::Write,
    plans: &[DebatePlan; 2],
) -> Result {
    let instance = plans[0].instance();
    let [(left, often_left), (right, often_right)] = &play_both(plans, &instance)?;
    let title = plans[0].setup.scenario_texts(instance.world_index()).title;
    writeln!(out, "{}", replace_unsafe_characters(&title))?;
    let seed = replace_unsafe_characters(plans[0].seed.as_str());
    let has_other_rules = plans[0].protocol.kind() != plans[1].protocol.kind();
    let note_on_players = if has_other_rules && plans[0].players != plans[1].players {
        "\nEach set of rules has its own moves, so it also has its own players."
    } else {
        ""
    };
    writeln!(
        out,
        "Both debates have the same instance and coins, from seed {seed}.{note_on_players}\n"
    )?;
    let left = side_lines(
        &plans[0],
        &instance,
        left.state_and_players(),
        often_left.as_ref(),
    );
    let right = side_lines(
        &plans[1],
        &instance,
        right.state_and_players(),
        often_right.as_ref(),
    );
    print_side_by_side(out, &[left, right])
}

/// Returns the lines of one side of the comparison: pairs of label and text.
fn side_lines(
    plan: &DebatePlan,
    instance: &Instance,
    seating: &SeatedDebate<'_, Exact>,
    trials: Option<&PayoffsWithReplacedPlayers>,
) -> Vec<(&'static str, String)> {
    let names = plan.players.each_ref().map(ToString::to_string);
    let state = seating.state();
    let payoff = state.payoff();
    let answer = match state.answer() {
        Some(answer) => format!("Alice's answer: {}.", DebateNarrator::truth_word(answer)),
        None => "Alice gave no answer.".to_owned(),
    };
    let ledger = seating.spending_by_seat();
    let queries: u64 = Seat::PLAYERS
        .map(|seat| ledger.spending_of_seat(seat).oracle_queries)
        .into_iter()
        .sum();
    let mut lines = vec![
        ("Rules", plan.protocol.kind().protocol_name().to_owned()),
        ("Players", names.join(", ")),
        ("Answer", answer),
        (
            "Payoff",
            ViewerPerspective::NEUTRAL.payoff_sentence(&payoff, true),
        ),
    ];
    if let Some(trials) = trials {
        let amounts = PayoffFormatter::formatter_with_three_digits(ViewerPerspective::NEUTRAL);
        let results =
            review::trial_result_sentences(instance, plan.protocol.kind(), &trials.pair, &amounts);
        lines.push(("Average", results.join(" ")));
    }
    lines.push((
        "Spent",
        format!("{}.", cost_with_kind_text("oracle_queries", queries)),
    ));
    lines
}

/// Prints each label, with the texts of both sides next to it in two columns.
fn print_side_by_side(
    out: &mut impl io::Write,
    columns: &[Vec<(&'static str, String)>; 2],
) -> Result {
    let width = (COLUMNS - LABELS - 3) / 2;
    for (left, right) in columns[0].iter().zip(&columns[1]) {
        let one = replace_unsafe_characters(&left.1);
        let other = replace_unsafe_characters(&right.1);
        let (one, other) = (wrap(&one, width), wrap(&other, width));
        for row in 0..one.len().max(other.len()) {
            let label = if row == 0 { left.0 } else { "" };
            let [one, other] = [&one, &other].map(|lines| lines.get(row).unwrap_or(&""));
            let line = format!("{} {}  {other}", pad(label, LABELS), pad(one, width));
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}
