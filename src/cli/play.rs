//! Playing: from the command line to a debate, on the screen or in plain lines.

use std::io::{self, Write};
use std::time::SystemTime;

use super::plain::{Plain, Stopped};
use super::{
    DisplayArgs, Failure, KeepingArgs, PlayArgs, ResumeArgs, Role, has_terminal, print_json,
    registry, report,
};
use crate::chance::{MAX_SEED, Seed};
use crate::number::Exact;
use crate::player::{Player, Registry, Seating, Spec};
use crate::protocol::{Protocol, Seat};
use crate::record::{Header, Journal, RecordError, Session, folder};
use crate::scenario::Instance;
use crate::setup::{Limits, Setup};
use crate::text::safe;

/// A debate about to begin.
struct Plan {
    setup: Setup,
    protocol: Protocol,
    seed: Seed,
    world: usize,
    players: [Spec; 3],
}

impl Plan {
    fn new(args: &PlayArgs) -> Result<Self, Failure> {
        let Some(scenario) = &args.scenario else {
            return Err(Failure::input(
                "name a scenario, such as `debate-tui primes`; `debate-tui list scenarios` lists \
                 what comes with the program",
            ));
        };
        let setup = Setup::find(scenario, &args.limits.limits()).map_err(Failure::input)?;
        let protocol = match &args.protocol {
            Some(text) => Protocol::parse(text).map_err(Failure::input)?,
            None => setup.protocol.clone(),
        };
        let seed = match &args.seed {
            None => Seed::random(),
            Some(text) => Seed::new(text.as_str()).ok_or_else(|| {
                Failure::input(format!(
                    "a seed is a text of 1 to {MAX_SEED} characters, without control characters"
                ))
            })?,
        };
        let world = match &args.instance {
            Some(name) => setup.instance_named(name).map_err(Failure::input)?,
            None => setup.draw(&seed, 0),
        };
        let players = players(args, &setup, &protocol)?;
        Ok(Self {
            setup,
            protocol,
            seed,
            world,
            players,
        })
    }
}

/// Who sits where: the flags, else the scenario's own players as far as they play this protocol,
/// else the protocol's defaults. With `--role`, exactly the named seats are human.
fn players(args: &PlayArgs, setup: &Setup, protocol: &Protocol) -> Result<[Spec; 3], Failure> {
    let registry = registry::<Exact>();
    let kind = protocol.kind();
    let mut players =
        Seat::PLAYERS.map(|seat| Spec::named(Registry::<Exact>::default_for(seat, kind)));
    for (seat, player) in Seat::PLAYERS.into_iter().zip(&mut players) {
        let (flag, role) = match seat {
            Seat::Prover => (&args.prover, Role::Prover),
            Seat::Opponent => (&args.opponent, Role::Opponent),
            _ => (&args.judge, Role::Judge),
        };
        let named = match (flag, setup.players.get(seat)) {
            (Some(flag), _) => Some(Spec::parse(flag).map_err(Failure::input)?),
            // A scenario's players are for its own rules; others may not know them.
            (None, Some(own)) => {
                let own = Spec::parse(own).map_err(Failure::input)?;
                let fits = own.is_human() || registry.find(&own.name, seat, kind).is_ok();
                (fits || protocol.kind() == setup.protocol.kind()).then_some(own)
            }
            (None, None) => None,
        };
        match named {
            _ if args.role.contains(&role) => *player = Spec::named("human"),
            Some(own) if own.is_human() && flag.is_none() && !args.role.is_empty() => {}
            Some(named) => *player = named,
            None => {}
        }
    }
    if args.role.contains(&Role::None) && args.role.len() > 1 {
        return Err(Failure::input(
            "--role none watches; it goes with no other --role",
        ));
    }
    Ok(players)
}

fn seated<'a>(
    players: &[Spec; 3],
    instance: &'a Instance,
    protocol: &Protocol,
) -> Result<[Player<'a, Exact>; 3], Failure> {
    let registry = registry::<Exact>();
    let sit = |seat: Seat| {
        let spec = &players[seat.index()];
        if spec.is_human() {
            return Ok(Player::Outside);
        }
        registry
            .build(spec, seat, instance, protocol)
            .map(Player::Builtin)
            .map_err(Failure::input)
    };
    Ok([sit(Seat::Prover)?, sit(Seat::Opponent)?, sit(Seat::Judge)?])
}

pub(super) fn play(args: &PlayArgs) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    let instance = plan.setup.instance(plan.world);
    let start = plan.protocol.start(&instance).map_err(Failure::input)?;
    let seating = Seating::new(
        start,
        seated(&plan.players, &instance, &plan.protocol)?,
        &plan.seed,
        0,
    );
    let journal = begin(&plan, &instance, &args.keeping)?;
    let mut session = Session::new(seating, journal);
    let table = Table {
        title: &plan.setup.title,
        instance: &instance,
        protocol: &plan.protocol,
        seed: &plan.seed,
        players: plan.players.each_ref().map(ToString::to_string),
        blind: args.blind,
    };
    if args.display.plain || args.display.json || !has_terminal() {
        return table.play_plain(&mut session, &args.display);
    }
    Err(Failure::input("the screen is not there yet; use --plain"))
}

pub(super) fn resume(args: &ResumeArgs) -> Result<(), Failure> {
    let named = |error: RecordError| Failure::input(format!("{}: {error}", args.save.display()));
    let (save, journal) = Journal::open(&args.save).map_err(named)?;
    let setup = save.header.setup(&Limits::default()).map_err(named)?;
    let instance = save.header.instance(&setup).map_err(named)?;
    let sat = |seat: Seat| Spec::parse(&save.header.players[seat.index()]).map_err(Failure::input);
    let players = [sat(Seat::Prover)?, sat(Seat::Opponent)?, sat(Seat::Judge)?];
    let protocol = &save.header.protocol;
    let seating = save
        .seat(&instance, seated(&players, &instance, protocol)?)
        .map_err(named)?;
    if let Some(torn) = save.torn() {
        writeln!(
            io::stderr(),
            "Line {} was cut off and is dropped.",
            torn.line
        )?;
    }
    let mut session = Session::new(seating, Some(journal));
    let table = Table {
        title: &setup.title,
        instance: &instance,
        protocol,
        seed: &save.header.seed,
        players: players.each_ref().map(ToString::to_string),
        blind: false,
    };
    if args.display.plain || args.display.json || !has_terminal() {
        return table.play_plain(&mut session, &args.display);
    }
    Err(Failure::input("the screen is not there yet; use --plain"))
}

fn begin(
    plan: &Plan,
    instance: &Instance,
    keeping: &KeepingArgs,
) -> Result<Option<Journal>, Failure> {
    if keeping.no_save {
        return Ok(None);
    }
    let system = |error: RecordError| Failure::System(error.to_string());
    let folder = folder(keeping.saves.as_deref()).map_err(system)?;
    let names = plan.players.each_ref().map(ToString::to_string);
    let header = Header::new(
        &plan.setup,
        plan.protocol.clone(),
        plan.seed.clone(),
        instance,
        names,
    )
    .started_at(SystemTime::now());
    let origin = plan.setup.origin.to_string();
    let word = std::path::Path::new(&origin)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    Journal::create(&folder, &word, &header)
        .map(Some)
        .map_err(system)
}

/// What is said about a debate around it.
struct Table<'t, 'a> {
    title: &'t str,
    instance: &'a Instance,
    protocol: &'t Protocol,
    seed: &'t Seed,
    players: [String; 3],
    blind: bool,
}

impl<'a> Table<'_, 'a> {
    fn play_plain(&self, session: &mut Session<'a>, display: &DisplayArgs) -> Result<(), Failure> {
        let mut input = io::stdin().lock();
        // With --json the one document is all that stdout gets; a person is asked on stderr.
        let out: Box<dyn Write> = if display.json {
            let someone = Seat::PLAYERS
                .iter()
                .any(|seat| session.seating().is_outside(*seat));
            if someone {
                Box::new(io::stderr())
            } else {
                Box::new(io::sink())
            }
        } else {
            Box::new(io::stdout())
        };
        let kind = self.protocol.kind();
        let mut plain = Plain::new(session, self.instance, move |seat| kind.title(seat), out);
        plain.introduce(&self.introduction(plain.session, display.quiet))?;
        let stopped = plain.run(&mut input)?;
        let mut out = plain.out;
        session
            .flush()
            .map_err(|error| Failure::System(error.to_string()))?;
        let seating = session.seating();
        if stopped == Stopped::Finished {
            report::conclude(&mut out, seating, self.instance)?;
        }
        out.flush()?;
        if display.json {
            let seed = self.seed.as_str();
            let players = &self.players;
            print_json(&report::outcome(
                seating,
                self.instance,
                self.protocol,
                seed,
                players,
            ))?;
        }
        say_where(session, stopped)
    }

    fn introduction(&self, session: &Session<'_>, quiet: bool) -> Vec<String> {
        if quiet {
            return Vec::new();
        }
        let kind = self.protocol.kind();
        let watched = Seat::PLAYERS
            .iter()
            .all(|seat| !session.seating().is_outside(*seat));
        // An instance's name may give away what a player is to find out.
        let instance = match self.instance.decomposition().worlds() {
            [_] => String::new(),
            _ if watched => format!(" (instance {})", self.instance.name()),
            worlds => format!(" (one of {} instances)", worlds.len()),
        };
        let mut lines = vec![
            format!("{}{instance}", self.title),
            format!(
                "{} {} · seed {}",
                kind.name(),
                self.protocol.summary(),
                self.seed.as_str()
            ),
        ];
        for (seat, player) in Seat::PLAYERS.into_iter().zip(&self.players) {
            let player = if session.seating().is_outside(seat) {
                "you"
            } else if self.blind {
                "not told before the end"
            } else {
                player
            };
            lines.push(format!(
                "{}, the {}: {player}",
                seat.person(),
                kind.title(seat)
            ));
        }
        if let Some(known) = self.instance.known_in_words() {
            lines.push(format!("Bob knows: {known}"));
        }
        lines
    }
}

/// The save's path goes to stderr: stdout is the same for the same debate.
fn say_where(session: &Session<'_>, stopped: Stopped) -> Result<(), Failure> {
    let Some(path) = session.path() else {
        return Ok(());
    };
    let path = path.display().to_string();
    let path = safe(&path);
    match stopped {
        Stopped::Finished => writeln!(io::stderr(), "Saved as {path}")?,
        Stopped::Left => writeln!(
            io::stderr(),
            "The debate is kept. To go on: debate-tui resume {path}"
        )?,
    }
    Ok(())
}
