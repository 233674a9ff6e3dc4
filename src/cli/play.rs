//! Playing and resuming, on the screen or in plain lines.

use std::io::{self, Write as _};
use std::path::Path;

use super::plan::{Plan, begin, seated};
use super::{Failure, PlayArgs, ResumeArgs, home, lines, screen};
use debate_core::player::{Seating, Spec};
use debate_core::scenario::Instance;
use debate_lab::record::{Journal, RecordError, Session};
use debate_lab::setup::Limits;

pub(super) fn play(args: &PlayArgs) -> Result<(), Failure> {
    if args.scenario.is_none() && args.display.wants_screen() {
        return home::home(args);
    }
    let plan = Plan::new(args)?;
    if !args.display.wants_screen() {
        let instance = plan.setup.instance(plan.world);
        let start = plan.protocol.start(&instance).map_err(Failure::input)?;
        let players = seated(&plan, &instance)?;
        let seating = Seating::new(start, players, &plan.seed, plan.debate);
        let mut session = Session::new(seating, begin(&plan, &instance, &args.keeping, None)?);
        return lines::play(&plan, &instance, &mut session, &args.display, None);
    }
    // Nobody said who sits where, so the user is asked.
    let asks = args.role.is_empty() && !plan.players.iter().any(Spec::is_human);
    screen::play(plan, asks, &args.display, &args.keeping)
}

pub(super) fn resume(args: &ResumeArgs) -> Result<(), Failure> {
    resumed(&args.save, |plan, instance, session| {
        if args.display.wants_screen() {
            return screen::resume(plan, instance, session, &args.display);
        }
        let coach = plan.coach().filter(|_| !args.display.json);
        lines::play(plan, instance, session, &args.display, coach)
    })
}

/// Opens a kept debate and goes on with it.
pub(super) fn resumed(
    path: &Path,
    go_on: impl for<'a> FnOnce(&Plan, &'a Instance, &mut Session<'a>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let named = |error: RecordError| Failure::input(format!("{}: {error}", path.display()));
    let (save, journal) = Journal::open(path).map_err(named)?;
    let setup = save.setup(&Limits::default()).map_err(named)?;
    let instance = save.header.instance(&setup).map_err(named)?;
    let plan = Plan::of_save(&save.header, setup, &instance)?;
    let players = seated(&plan, &instance)?;
    let seating = save.seat(&instance, players).map_err(named)?;
    if let Some(torn) = save.torn() {
        writeln!(
            io::stderr(),
            "Line {} was cut off and is dropped.",
            torn.line
        )?;
    }
    let mut session = Session::new(seating, Some(journal));
    // Of a debate that is over only the closing line was lost.
    session
        .close_if_over()
        .map_err(|error| Failure::System(error.to_string()))?;
    go_on(&plan, &instance, &mut session)
}
