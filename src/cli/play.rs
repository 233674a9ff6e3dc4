//! Starts and resumes debates, on the full screen or in plain lines.

use std::path::Path;

use super::list::list_unfinished_saves;
use super::{
    CommandFailure, DisplayArgs, PlayArgs, Result, ResumeArgs, on_screen, plain, progress,
};
use crate::app::{
    AppPage, DebateStart, DebateToPlay, HomePageToOpen, lesson_texts_of_plan, open_save,
    seat_prover_using_past_estimates,
};
use debate_core::budget::ComputationBudget;
use debate_core::player::PlayerSpec;
use debate_core::scenario::Instance;
use debate_host::engine::SeatedEngines;
use debate_host::plan::{
    DebateOptions, DebatePlan, ExternalPlayerOptions, OpenedDebate, SaveStorageOptions,
};

pub(super) fn run_play(args: &PlayArgs) -> Result {
    let save_options = SaveStorageOptions::from(&args.save_options);
    let options = args.debate_options();
    let wants_screen = args.display.uses_full_screen();
    let Some(scenario) = &args.scenario else {
        if wants_screen {
            let home = AppPage::Home(HomePageToOpen::default());
            return on_screen(args.display.app_options(save_options, options), home);
        }
        return Err(CommandFailure::from_input_error(
            "no scenario given; try `debate-tui primes`. `debate-tui list scenarios` lists \
             the bundled scenarios",
        ));
    };
    let mut plan = options.plan_named_scenario(scenario)?;
    let instance = plan.instance();
    if !wants_screen {
        seat_prover_using_past_estimates(&mut plan, &save_options);
        let players = plan.build_players(&instance, ComputationBudget::default())?;
        let engines = start_engines(&plan, &instance)?;
        let debate = plan.debate(&instance, players, &save_options, None)?;
        let mut debate = debate.with_engines(engines);
        return plain::play_in_lines(&plan, &instance, &mut debate, &args.display, None);
    }
    save_options.add_to_recent_scenarios(&plan.setup);
    let options = args.display.app_options(save_options.clone(), options);
    // Without a role or a human player in the plan, the user is asked for a seat.
    let asks = args.role.is_empty() && !plan.players.iter().any(PlayerSpec::is_human);
    let page = if asks {
        // Errors about the players are reported before the user picks a seat.
        drop(plan.build_players(&instance, ComputationBudget::default())?);
        AppPage::Seat {
            plan: Box::new(plan),
            played: None,
            save_options,
        }
    } else {
        DebateToPlay::new(DebateStart::New(plan), save_options).into()
    };
    on_screen(options, page)
}

/// Starts the external engines that play in a debate. The engines end with this program.
fn start_engines<'a>(plan: &DebatePlan, instance: &'a Instance) -> Result<SeatedEngines<'a>> {
    if plan
        .players
        .iter()
        .any(|player| player.command_or_model_name().is_some())
    {
        progress::install_engine_ending_signal_handler()?;
    }
    Ok(plan.start_engines(instance)?)
}

pub(super) fn run_resume(args: &ResumeArgs) -> Result {
    let engines = args.engines.external_player_options();
    let save_options = SaveStorageOptions {
        folder: args.folder.clone(),
        ..SaveStorageOptions::default()
    };
    if args.display.uses_full_screen() {
        let options = args.display.app_options(
            save_options.clone(),
            DebateOptions {
                engines,
                ..DebateOptions::default()
            },
        );
        let page = match &args.save {
            Some(save) => DebateToPlay::new(DebateStart::Kept(save.clone()), save_options).into(),
            None => AppPage::Home(HomePageToOpen::home_page_selecting_latest_unfinished(
                &save_options,
            )?),
        };
        return on_screen(options, page);
    }
    let Some(save) = &args.save else {
        return list_unfinished_saves(args.folder.as_deref(), args.display.json);
    };
    resume_in_lines(save, engines, &args.display)
}

/// Resumes a saved debate in plain lines.
pub(super) fn resume_in_lines(
    save: &Path,
    engines: ExternalPlayerOptions,
    display: &DisplayArgs,
) -> Result {
    let OpenedDebate {
        plan,
        instance,
        file,
    } = open_save(save, engines)?;
    let players = plan.build_players(&instance, ComputationBudget::default())?;
    let debate = file.debate(&instance, players)?;
    let mut debate = debate.with_engines(start_engines(&plan, &instance)?);
    let coach = lesson_texts_of_plan(&plan).filter(|_| !display.json);
    plain::play_in_lines(&plan, &instance, &mut debate, display, coach)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::Cli;
    use debate_core::protocol::{Protocol, Seat};

    /// Splits a command line into words at spaces. Single quotes keep words together, and `\'` is a single quote.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut rest = line;
        while !rest.is_empty() {
            let word = words.last_mut().unwrap();
            if let Some(text) = rest.strip_prefix('\'') {
                let (within, after) = text.split_once('\'').unwrap();
                word.push_str(within);
                rest = after;
            } else if let Some(after) = rest.strip_prefix("\\'") {
                word.push('\'');
                rest = after;
            } else if let Some(after) = rest.strip_prefix(' ') {
                words.push(String::new());
                rest = after;
            } else {
                let mut signs = rest.chars();
                word.extend(signs.next());
                rest = signs.as_str();
            }
        }
        words
    }

    fn read(line: &str) -> DebatePlan {
        let cli = Cli::try_parse_from(words(line)).unwrap();
        let scenario = cli.play.scenario.clone().unwrap();
        cli.play
            .debate_options()
            .plan_named_scenario(&scenario)
            .unwrap()
    }

    fn parts(plan: &DebatePlan) -> impl PartialEq + std::fmt::Debug + use<> {
        (
            plan.protocol.to_string(),
            plan.seed.as_str().to_owned(),
            (plan.debate, plan.world),
            plan.player_names(),
            (plan.blind, plan.hints),
        )
    }

    #[test]
    fn the_command_line_that_repeats_a_debate_gives_the_same_plan() {
        let mut lines = Vec::new();
        for (scenario, change) in [
            ("primes", (|_| ()) as fn(&mut DebatePlan)),
            ("primes", |plan| {
                plan.players[1] = PlayerSpec::without_arguments("human");
            }),
            ("primes", |plan| {
                plan.players = ["human", "stubborn(0.5)", "human"]
                    .map(|name| PlayerSpec::parse(name).unwrap());
                plan.hints = true;
            }),
            ("primes", |plan| {
                plan.protocol = Protocol::parse("Recursive").unwrap();
                plan.players[1] = PlayerSpec::parse("bounded(3)").unwrap();
                plan.blind = true;
            }),
            ("primes", |plan| {
                plan.seed = debate_core::chance::Seed::new("it's -- two words").unwrap();
                plan.world = 2;
                plan.debate = 4;
            }),
            ("primes-stable", |plan| {
                plan.seed = debate_core::chance::Seed::new("-7").unwrap();
                plan.world = plan.setup.world_of_debate(&plan.seed, plan.debate);
            }),
            ("open", |_| ()),
            ("pull-request", |plan| {
                plan.players[1] = PlayerSpec::without_arguments("human");
            }),
        ] {
            let mut plan = DebateOptions::default()
                .plan_named_scenario(scenario)
                .unwrap();
            change(&mut plan);
            let told = plan.reproduction_info(None);
            let line = told.command.unwrap();
            assert_eq!(parts(&read(&line)), parts(&plan), "{line}");
            assert_eq!(told.seed.as_deref(), Some(plan.seed.as_str()));
            lines.push((line, told.tells_secrets));
        }
        // The prover who follows a person would be another one next time. Other players of the scenario are not named,
        // so the command reveals nothing about them.
        assert!(lines[1].0.ends_with("--prover 'errs(+, -)'"), "{lines:?}");
        assert!(!lines[7].0.contains("obfuscator"), "{lines:?}");
        let telling: Vec<bool> = lines.iter().map(|(_, telling)| *telling).collect();
        assert_eq!(
            telling,
            [false, true, true, true, false, false, false, false],
            "{lines:?}"
        );
        assert!(
            lines[1]
                .0
                .starts_with("debate-tui primes --role opponent --seed ")
        );
        let bob = Seat::Opponent.seat_index();
        assert!(read(&lines[1].0).players[bob].is_human());
    }
}
