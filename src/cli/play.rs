//! Playing and resuming, on the screen or in plain lines.

use super::{Failure, PlayArgs, ResumeArgs, on_screen, plain_play};
use crate::app::plan::{DebateOptions, SaveOptions, built_now};
use crate::app::{AppPage, DebateStart, HomePage, PlayPage, resumed};
use debate_core::player::Spec;

pub(super) fn play(args: &PlayArgs) -> Result<(), Failure> {
    let keeping = SaveOptions::from(&args.keeping);
    let options = args.options();
    let wants_screen = args.display.wants_screen();
    let Some(scenario) = &args.scenario else {
        if wants_screen {
            let home = AppPage::Home(HomePage::default());
            return on_screen(args.display.app(keeping, options), home);
        }
        return Err(Failure::input(
            "name a scenario, such as `debate-tui primes`; `debate-tui list scenarios` lists \
             what comes with the program",
        ));
    };
    let plan = options.plan(scenario)?;
    let instance = plan.setup.instance(plan.world);
    if !wants_screen {
        let players = built_now(&plan, &instance)?;
        let mut session = plan.session(&instance, players, &keeping, None)?;
        return plain_play::play(&plan, &instance, &mut session, &args.display, None);
    }
    plan.remember(&keeping);
    let options = args.display.app(keeping.clone(), options);
    // Nobody said who sits where, so the user is asked.
    let asks = args.role.is_empty() && !plan.players.iter().any(Spec::is_human);
    let page = if asks {
        // What is wrong with the players is said before a seat is asked for.
        drop(built_now(&plan, &instance)?);
        AppPage::Seat {
            plan: Box::new(plan),
            played: None,
            keeping,
        }
    } else {
        PlayPage::new(DebateStart::New(plan), keeping).into()
    };
    on_screen(options, page)
}

pub(super) fn resume(args: &ResumeArgs) -> Result<(), Failure> {
    if args.display.wants_screen() {
        let options = args
            .display
            .app(SaveOptions::default(), DebateOptions::default());
        let page = PlayPage::new(DebateStart::Kept(args.save.clone()), SaveOptions::default());
        return on_screen(options, page.into());
    }
    resumed(&args.save, built_now, |plan, instance, session| {
        let coach = plan.coach().filter(|_| !args.display.json);
        plain_play::play(plan, instance, session, &args.display, coach)
    })
}
