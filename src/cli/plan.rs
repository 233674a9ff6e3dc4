//! A debate about to begin: what the command line and the scenario make of it together.

use std::io::{self, Write as _};
use std::path::Path;
use std::time::SystemTime;

use super::flags::{KeepingArgs, Role, take_files};
use super::{Failure, PlayArgs, registry, registry_for};
use crate::tui::coach::Coach;
use debate_core::chance::{MAX_SEED, Seed};
use debate_core::number::Exact;
use debate_core::player::{Player, Seating, Spec};
use debate_core::protocol::{Protocol, Reader, Seat};
use debate_core::scenario::Instance;
use debate_core::text::safe;
use debate_lab::analysis::review::Case;
use debate_lab::record::{Branch, Header, Journal, RecordError, Session, folder, remember};
use debate_lab::setup::{Origin, Setup};

/// A debate about to begin.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) setup: Setup,
    pub(super) protocol: Protocol,
    pub(super) seed: Seed,
    /// Which debate under the seed.
    pub(super) debate: u64,
    pub(super) world: usize,
    /// Whether the world was asked for, so that another seed keeps it.
    pub(super) fixed_world: bool,
    pub(super) players: [Spec; 3],
    /// Whether players, values and what the scenario is about are not told before the end.
    pub(super) blind: bool,
    /// Whether what replies are worth is shown from the start.
    pub(super) hints: bool,
}

impl Plan {
    pub(super) fn new(args: &PlayArgs) -> Result<Self, Failure> {
        let Some(scenario) = &args.scenario else {
            return Err(Failure::input(
                "name a scenario, such as `debate-tui primes`; `debate-tui list scenarios` lists \
                 what comes with the program",
            ));
        };
        Self::of(scenario, args)
    }

    /// The plan of a scenario, by name or path, with everything else as the flags say.
    pub(super) fn of(scenario: &str, args: &PlayArgs) -> Result<Self, Failure> {
        let limits = args.limits.limits();
        let mut setup = Setup::find(scenario, &limits).map_err(Failure::input)?;
        let named = args.seats.named();
        take_files(&mut setup, named.into_iter().flatten(), &limits)?;
        let protocol = args.rules.of(&setup, &limits)?;
        let seed = args.coins.seed()?;
        let debate = args.debate.number;
        let asked = args.coins.world(&setup)?;
        let world = asked.unwrap_or_else(|| setup.draw(&seed, debate));
        let players = players(named, &args.role, &setup, &protocol)?;
        let fixed_world = asked.is_some();
        Ok(Self {
            setup,
            protocol,
            seed,
            debate,
            world,
            fixed_world,
            players,
            blind: args.blind,
            hints: args.hints,
        })
    }

    /// The plan of a debate that was kept.
    pub(super) fn of_save(
        header: &Header,
        setup: Setup,
        instance: &Instance,
    ) -> Result<Self, Failure> {
        let sat = |seat: Seat| Spec::parse(&header.players[seat.index()]).map_err(Failure::input);
        Ok(Self {
            setup,
            protocol: header.protocol.clone(),
            seed: header.seed.clone(),
            debate: header.debate,
            world: instance.world(),
            fixed_world: true,
            players: [sat(Seat::Prover)?, sat(Seat::Opponent)?, sat(Seat::Judge)?],
            blind: header.blind,
            hints: false,
        })
    }

    /// The names of the players: prover, opponent, judge.
    pub(super) fn names(&self) -> [String; 3] {
        self.players.each_ref().map(ToString::to_string)
    }

    /// Who reads the debate while it is under way.
    pub(super) fn reader(&self) -> Reader {
        let people = Seat::PLAYERS.into_iter();
        let people = people.filter(|seat| self.players[seat.index()].is_human());
        Reader::among(people, self.setup.judge_sees)
    }

    /// The debate with its players, before anybody has spoken.
    pub(super) fn seating<'a>(
        &self,
        instance: &'a Instance,
    ) -> Result<Seating<'a, Exact>, Failure> {
        let start = self.protocol.start(instance).map_err(Failure::input)?;
        let players = seated(self, instance)?;
        Ok(Seating::new(start, players, &self.seed, self.debate))
    }

    /// Who explains the debate, where it was kept in a lesson of the tutorial.
    pub(super) fn coach(&self) -> Option<Coach> {
        let names = self.names();
        Coach::of(&self.setup.source, &self.seed, &names)
    }

    /// Remembers that a scenario file was opened, for home to offer it again.
    pub(super) fn remember(&self, keeping: &KeepingArgs) {
        if let (Origin::File(path), false) = (&self.setup.origin, keeping.no_save)
            && let Ok(folder) = folder(keeping.saves.as_deref())
        {
            // It is a convenience: where it cannot be kept, nothing is lost.
            let _ = remember(&folder, path);
        }
    }

    /// With what values are found; `None` where they may not be told.
    pub(super) fn case(&self, instance: &Instance) -> Option<Case> {
        let mut own = own_players(&self.setup, &self.protocol);
        if self.coach().is_some() {
            // Who is taught to be Alice is taught to be honest.
            own[Seat::Prover.index()] = Some(Spec::named("honest"));
        }
        let players = (self.players.clone(), own);
        // Nothing can be computed about what people will write.
        (!self.blind && instance.open().is_none())
            .then(|| Case::new(instance, &self.protocol, players, registry_for(&self.setup)))
    }
}

/// The seed that was given, else a random one.
pub(super) fn seed(given: Option<&str>) -> Result<Seed, Failure> {
    let Some(text) = given else {
        return Ok(Seed::random());
    };
    Seed::new(text).ok_or_else(|| {
        Failure::input(format!(
            "a seed is a text of 1 to {MAX_SEED} characters, without control characters"
        ))
    })
}

/// Who sits where: the flags (prover, opponent, judge), else the scenario's own players as far as they play this protocol,
/// else the protocol's defaults. With `--role`, exactly the named seats are human, and in an open
/// argument those as well that the scenario leaves to people.
pub(super) fn players(
    named: [Option<&str>; 3],
    roles: &[Role],
    setup: &Setup,
    protocol: &Protocol,
) -> Result<[Spec; 3], Failure> {
    let registry = registry::<Exact>();
    let kind = protocol.kind();
    // What people are to write nobody else can: in an open argument they stay where the scenario
    // seats them, unless nobody is to play at all.
    let open = setup.decomposition.open().is_some();
    let gives_way = !roles.is_empty() && (!open || roles.contains(&Role::None));
    let mut players = Seat::PLAYERS.map(|seat| Spec::named(registry.default_for(seat, kind)));
    for (seat, player) in Seat::PLAYERS.into_iter().zip(&mut players) {
        let flag = named[seat.index()];
        let role = match seat {
            Seat::Prover => Role::Prover,
            Seat::Opponent => Role::Opponent,
            _ => Role::Judge,
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
            _ if roles.contains(&role) => *player = Spec::named("human"),
            Some(own) if own.is_human() && flag.is_none() && gives_way => {}
            Some(named) => *player = named,
            None => {}
        }
    }
    if roles.contains(&Role::None) && roles.len() > 1 {
        return Err(Failure::input(
            "--role none watches; it goes with no other --role",
        ));
    }
    Ok(players)
}

/// Whom a scenario seats, as far as they play by these rules; nobody in the place of people.
pub(super) fn own_players(setup: &Setup, protocol: &Protocol) -> [Option<Spec>; 3] {
    let registry = registry::<Exact>();
    Seat::PLAYERS.map(|seat| {
        let own = Spec::parse(setup.players.get(seat)?).ok()?;
        let fits = registry.find(&own.name, seat, protocol.kind()).is_ok();
        (fits && !own.is_human()).then_some(own)
    })
}

pub(super) fn seated<'a>(
    plan: &Plan,
    instance: &'a Instance,
) -> Result<[Player<'a, Exact>; 3], Failure> {
    let registry = registry_for::<Exact>(&plan.setup);
    let (players, protocol) = (&plan.players, &plan.protocol);
    let sit = |seat: Seat| {
        let spec = &players[seat.index()];
        if spec.is_human() {
            return Ok(Player::Outside);
        }
        registry
            .build_at(players, seat, instance, protocol)
            .map(Player::Builtin)
            .map_err(Failure::input)
    };
    Ok([sit(Seat::Prover)?, sit(Seat::Opponent)?, sit(Seat::Judge)?])
}

pub(super) fn begin(
    plan: &Plan,
    instance: &Instance,
    keeping: &KeepingArgs,
    branch: Option<Branch>,
) -> Result<Option<Journal>, Failure> {
    tracing::info!(
        seed = plan.seed.as_str(),
        debate = plan.debate,
        protocol = plan.protocol.kind().name(),
        prover = %plan.players[0],
        opponent = %plan.players[1],
        judge = %plan.players[2],
        "debate begins"
    );
    if keeping.no_save {
        return Ok(None);
    }
    let system = |error: RecordError| Failure::System(error.to_string());
    let folder = folder(keeping.saves.as_deref()).map_err(system)?;
    let names = plan.names();
    let mut header = Header::new(
        &plan.setup,
        plan.protocol.clone(),
        plan.seed.clone(),
        instance,
        names,
    )
    .started_at(SystemTime::now());
    header.debate = plan.debate;
    header.blind = plan.blind;
    header.branch = branch;
    let origin = plan.setup.origin.to_string();
    let word = Path::new(&origin)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    Journal::create(&folder, &word, &header)
        .map(Some)
        .map_err(system)
}

/// Where a debate is kept, as a sentence; `None` where it is not. The save is read again first.
pub(super) fn where_kept(session: &mut Session<'_>, over: bool) -> Result<Option<String>, Failure> {
    let checked = session.check();
    checked.map_err(|error| Failure::System(error.to_string()))?;
    let Some(path) = session.path() else {
        return Ok(None);
    };
    let path = path.display().to_string();
    let path = safe(&path);
    Ok(Some(if over {
        format!("Saved as {path}")
    } else {
        format!("The debate is kept. To go on: debate-tui resume {path}")
    }))
}

/// The save's path goes to stderr: stdout is the same for the same debate.
pub(super) fn say_where(session: &mut Session<'_>, over: bool) -> Result<(), Failure> {
    if let Some(told) = where_kept(session, over)? {
        writeln!(io::stderr(), "{told}")?;
    }
    Ok(())
}

/// The worlds that are asked for, with shares that sum to 1: one by its name, or `all`; where none
/// is named the scenario's own instance, else all.
pub(super) fn worlds(setup: &Setup, asked: Option<&str>) -> Result<Vec<(Exact, usize)>, Failure> {
    let whole = || Exact::from_integer(1.into());
    let named = match (asked, &setup.instance) {
        (Some("all"), _) | (None, None) => None,
        (Some(name), _) => Some(name),
        (None, Some(name)) => Some(name.as_str()),
    };
    if let Some(name) = named {
        let world = setup.instance_named(name).map_err(Failure::input)?;
        return Ok(vec![(whole(), world)]);
    }
    let worlds = setup.decomposition.worlds();
    let total: Exact = worlds.iter().map(|world| &world.weight).sum();
    let shares = worlds.iter().map(|world| &world.weight / &total);
    Ok(shares.zip(0..).collect())
}
