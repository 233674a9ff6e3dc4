//! A whole debate in plain lines, with what is said around it.

use std::io::{self, Write};

use super::output::print_json;
use super::plain::{PlainDebate, PlainEnding};
use super::{DisplayArgs, Failure, report};
use crate::app::{case, where_kept};
use crate::tui::tutorial::Coach;
use debate_core::protocol::Seat;
use debate_core::scenario::Instance;
use debate_core::text::safe;
use debate_lab::engine::SeatedEngines;
use debate_lab::export::play::Attribution;
use debate_lab::plan::DebatePlan;
use debate_lab::record::Session;
use debate_lab::tell::{conclusion, disclosure};

/// Plays a debate in plain lines on stdin and stdout, perhaps with somebody who explains it.
pub(super) fn play<'a>(
    plan: &DebatePlan,
    instance: &'a Instance,
    (session, engines): (&mut Session<'a>, SeatedEngines<'a>),
    display: &DisplayArgs,
    coach: Option<Coach>,
) -> Result<(), Failure> {
    let mut input = io::stdin().lock();
    // With --json the one document is all that stdout gets; a person is asked on stderr.
    let out: Box<dyn Write> = match (display.json, has_person(session)) {
        (false, _) => Box::new(io::stdout()),
        (true, true) => Box::new(io::stderr()),
        (true, false) => Box::new(io::sink()),
    };
    let plain = PlainDebate::new(session, instance, out).between(engines);
    let plain = plain.planned(plan);
    let mut plain = plain.valuing(case(plan, instance), plan.hints);
    if let Some(coach) = coach {
        plain = plain.coached(coach);
    }
    if !display.quiet {
        plain.introduce(&introduction(plan, instance, plain.session))?;
    }
    let stopped = plain.run(&mut input)?;
    let mut out = plain.out;
    session
        .flush()
        .map_err(|error| Failure::System(error.to_string()))?;
    let over = stopped == PlainEnding::Finished;
    let failed = match stopped {
        PlainEnding::Failed(ending) => Some(ending),
        _ => None,
    };
    let (seating, perspective) = (session.seating(), plan.perspective());
    let case = case(plan, instance);
    let case = case.filter(|_| over && (plan.hints || has_person(session)));
    let found = case
        .as_ref()
        .map(|case| report::review(seating, case, plan.hints));
    let found = found.transpose()?;
    let reviewed = case.as_ref().zip(found.as_ref());
    if over {
        report::put(&mut out, &conclusion(seating, instance, perspective))?;
        if let (true, Some((case, found))) = (plan.hints, reviewed) {
            report::skill_and_luck(&mut out, case, found, perspective)?;
        }
        report::put(
            &mut out,
            &disclosure(&plan.setup, &plan.names(), plan.blind),
        )?;
        if has_person(session) {
            let last = report::result(seating, reviewed, perspective);
            writeln!(out, "{}", safe(&last))?;
        }
    }
    out.flush()?;
    if display.json {
        let mut told = report::outcome(seating, instance, plan);
        if let Some(ending) = failed.as_ref().filter(|ending| ending.fault.forfeits()) {
            told = told.forfeited(ending.forfeit());
        }
        if let Some((case, Ok(review))) = reviewed {
            told.attribution = Some(Attribution::of(case, review));
        }
        print_json(&told)?;
    }
    // The save's path goes to stderr: stdout is the same for the same debate.
    if let Some(told) = where_kept(session, over)? {
        writeln!(io::stderr(), "{told}")?;
    }
    match failed {
        Some(ending) => Err(Failure::System(ending.to_string())),
        None => Ok(()),
    }
}

fn has_person(session: &Session<'_>) -> bool {
    Seat::PLAYERS
        .iter()
        .any(|seat| session.seating().is_outside(*seat))
}

/// What is debated, under which rules, by whom.
fn introduction(plan: &DebatePlan, instance: &Instance, session: &Session<'_>) -> Vec<String> {
    let kind = plan.protocol.kind();
    // An instance's name may give away what a player is to find out.
    let which = match plan.setup.decomposition.worlds() {
        [_] => String::new(),
        _ if !has_person(session) => format!(" (instance {})", instance.name()),
        worlds => format!(" (one of {} instances)", worlds.len()),
    };
    let (summary, seed) = (plan.protocol.summary(), plan.seed.as_str());
    let summary = match summary.as_str() {
        "" => String::new(),
        summary => format!(" ({summary})"),
    };
    let reader = plan.reader();
    let judges = reader.seat() == Some(Seat::Judge);
    // Which rules these are is not for a judge in a blind debate.
    let untold = plan.blind && judges;
    let mut lines = vec![format!("{}{which}", plan.setup.title)];
    if reader.follows() || reader.sees_path() {
        lines.push(format!("Debated: {}", instance.text(instance.root())));
    }
    if !untold {
        lines.push(format!(
            "Rules: {} debate{summary}: {}.",
            kind.name(),
            kind.about()
        ));
    }
    lines.push(match plan.debate {
        0 => format!("Seed: {seed}"),
        debate => format!("Seed: {seed}, debate {debate}"),
    });
    for (seat, player) in Seat::PLAYERS.into_iter().zip(&plan.players) {
        let player = if session.seating().is_outside(seat) {
            "you".to_owned()
        } else if plan.blind {
            "not told before the end".to_owned()
        } else if has_person(session) {
            player.name.clone()
        } else {
            player.to_string()
        };
        lines.push(match seat {
            Seat::Judge => format!("The judge: {player}"),
            seat if untold => format!("{}: {player}", seat.person()),
            seat => format!("{}, the {}: {player}", seat.person(), kind.title(seat)),
        });
    }
    lines.extend(
        plan.protocol
            .known_in_words(instance)
            .filter(|_| !judges)
            .map(|known| {
                let told = plan.perspective();
                let knows = told.verb(Seat::Opponent, "knows", "know");
                format!("{} {knows}: {known}", told.name(Seat::Opponent))
            }),
    );
    let briefing = reader.seat().and_then(|seat| plan.setup.briefing.get(seat));
    lines.extend(briefing.map(str::to_owned));
    lines
}
