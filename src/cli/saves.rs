//! `verify` and `replay`: what can be done with saves.

use std::io::{self, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::plan::own_players;
use super::{Failure, ReplayArgs, VerifyArgs, plain, print_json, registry_for, report, screen};
use crate::analysis::review::Case;
use crate::number::signed;
use crate::player::Spec;
use crate::protocol::Event;
use crate::protocol::words::{Script, Teller};
use crate::record::{Header, RecordError, Replay, Save, Verdict, verify_file};
use crate::scenario::Instance;
use crate::setup::{Limits, Setup};
use crate::text::safe;

/// How a save fared: the exit code is the worst of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fared {
    Well,
    Differs,
    Unreadable,
}

pub(super) fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let mut worst = Fared::Well;
    let mut documents = Vec::new();
    for path in &args.saves {
        let name = path.display().to_string();
        let (fared, sentence, mut document) = match verify_file(path, &Limits::default()) {
            Ok(verdict) => told(&verdict),
            Err(error) => {
                let document = json!({"ok": false, "error": safe(&error.to_string())});
                (Fared::Unreadable, error.to_string(), document)
            }
        };
        worst = worst.max(fared);
        if args.json {
            document["save"] = json!(name);
            documents.push(document);
        } else if fared != Fared::Well {
            writeln!(
                io::stderr(),
                "debate-tui: {}: {}",
                safe(&name),
                safe(&sentence)
            )?;
        } else if !args.quiet {
            writeln!(io::stdout(), "{}: {}", safe(&name), safe(&sentence))?;
        }
    }
    if args.json {
        let document = match documents.len() {
            1 => documents.remove(0),
            _ => Value::Array(documents),
        };
        print_json(&document)?;
    }
    match worst {
        Fared::Well => Ok(()),
        Fared::Differs => Err(Failure::No),
        Fared::Unreadable => Err(Failure::Told),
    }
}

fn told(verdict: &Verdict) -> (Fared, String, Value) {
    let document = verdict.to_json(false);
    if let Some(difference) = &verdict.first_difference {
        return (
            Fared::Differs,
            format!("does not verify: {difference}"),
            document,
        );
    }
    let payoff = verdict
        .payoff
        .as_ref()
        .map_or(0.0, crate::number::Number::to_float);
    let end = match (verdict.finished, verdict.torn) {
        (true, _) => format!("finished, {} to Alice", signed(payoff, 6)),
        (false, None) => "not finished".to_owned(),
        (false, Some(torn)) => {
            format!(
                "not finished; line {} was cut off and is dropped",
                torn.line
            )
        }
    };
    (
        Fared::Well,
        format!("verified: {} replies, {end}", verdict.replies),
        document,
    )
}

/// Reads a save with the scenario in it.
pub(super) fn read(
    path: &Path,
    then: impl FnOnce(&Setup, &Instance, &Save) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let named = named(path);
    let save = Save::read(path).map_err(&named)?;
    let setup = save.setup(&Limits::default()).map_err(&named)?;
    let instance = save.header.instance(&setup).map_err(&named)?;
    then(&setup, &instance, &save)
}

/// What is wrong with a save, with its name.
fn named(path: &Path) -> impl Fn(RecordError) -> Failure {
    move |error| Failure::input(format!("{}: {error}", path.display()))
}

pub(super) fn replay(args: &ReplayArgs) -> Result<(), Failure> {
    read(&args.save, |setup, instance, save| {
        if args.display.wants_screen() {
            return screen::replay(setup, instance, save, args);
        }
        print(args, setup, instance, save)
    })
}

/// Prints a debate from a save in lines.
fn print(
    args: &ReplayArgs,
    setup: &Setup,
    instance: &Instance,
    save: &Save,
) -> Result<(), Failure> {
    let named = named(&args.save);
    let replay = Replay::new(save, instance).map_err(&named)?;
    let teller = Teller {
        instance,
        script: Script::Unicode,
    };
    let mut out = io::stdout().lock();
    let log = replay.log();
    let enters = |round: u32| {
        let entries = log.entries().iter();
        let mut entered = entries.map(|entry| match entry.event {
            Event::Entered { round, .. } => Some(round),
            _ => None,
        });
        entered
            .position(|entered| entered == Some(round))
            .ok_or_else(|| {
                Failure::input(format!(
                    "{}: this debate has no round {round}",
                    args.save.display()
                ))
            })
    };
    let from = args.from.map_or(Ok(0), enters)?;
    let mut number = 0;
    let mut lines = Vec::new();
    for index in 0..log.entries().len() {
        if let Some(text) = plain::line(&teller, log, index, None) {
            number += 1;
            if index >= from {
                lines.push((number, text));
            }
        }
    }
    if args.display.json {
        let told: Vec<Value> = lines
            .into_iter()
            .map(|(n, text)| json!({"n": n, "text": text}))
            .collect();
        return print_json(
            &json!({"save": args.save.display().to_string(), "title": setup.title, "lines": told}),
        );
    }
    writeln!(out, "{}", safe(&setup.title))?;
    for (number, text) in lines {
        writeln!(out, "{number:>3}. {}", safe(&text))?;
    }
    let seating = save.seat(instance, outside()).map_err(&named)?;
    if seating.turn().is_none() {
        report::conclude(&mut out, &seating, instance)?;
        if let Some(case) = case(&save.header, setup, instance) {
            report::skill_and_luck(&mut out, &seating, &case)?;
        }
    } else {
        writeln!(out, "The debate is not finished.")?;
    }
    Ok(())
}

/// The debate with its players, for what can be said of their replies. Of players that this program
/// does not know nothing can be said.
pub(super) fn case(header: &Header, setup: &Setup, instance: &Instance) -> Option<Case> {
    if instance.open().is_some() {
        return None;
    }
    let [prover, opponent, judge] = header.players.each_ref().map(|name| Spec::parse(name).ok());
    let players = [prover?, opponent?, judge?];
    let own = own_players(setup, &header.protocol);
    Some(Case::new(
        instance,
        &header.protocol,
        (players, own),
        registry_for(setup),
    ))
}

fn outside<'a>() -> [crate::player::Player<'a, crate::number::Exact>; 3] {
    use crate::player::Player::Outside;
    [Outside, Outside, Outside]
}
