//! A debate about to begin: what the command line and the scenario make of it together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::Failure;
use crate::tui::players::StandIn;
use crate::tui::scene::Reproduction;
use crate::tui::tutorial::{Coach, REFERENCE_PROVER};
use debate_core::budget::Budget;
use debate_core::chance::{MAX_SEED, Seed};
use debate_core::number::Exact;
use debate_core::player::{Player, Seating, Spec, bare, is_outside};
use debate_core::protocol::{Protocol, Reader, Seat};
use debate_core::scenario::Instance;
use debate_lab::analysis::review::ReviewContext;
use debate_lab::engine::{EngineDebate, EngineEnding, EngineLimits, EngineProcess, SeatedEngines};
use debate_lab::message::SeatTeller;
use debate_lab::record::{Branch, Header, Journal, Session, remember_scenario};
use debate_lab::registry;
use debate_lab::setup::{Limits, Origin, Setup, bundled_name};
use debate_lab::simulate::Side;
use debate_lab::tell::Perspective;

/// A debate about to begin.
#[derive(Clone)]
pub struct DebatePlan {
    pub setup: Setup,
    pub protocol: Protocol,
    pub seed: Seed,
    /// The number of the debate under the seed.
    pub debate: u64,
    pub world: usize,
    /// True if the world was asked for, so that another seed keeps it.
    pub fixed_world: bool,
    pub players: [Spec; 3],
    /// True if players, values and what the scenario is about are not told before the end.
    pub blind: bool,
    /// True if what replies are worth is shown from the start.
    pub hints: bool,
    /// Limits of programs that are started for a seat.
    pub engines: EngineOptions,
    /// Tags for the header of the save: of a match, its condition, rules and judge.
    pub tags: BTreeMap<String, String>,
}

/// Limits of programs that are started for a seat.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineOptions {
    /// True if commands may be run that a file names.
    pub allow_commands: bool,
    pub limits: EngineLimits,
    /// True if only built-in players sit at the table, whoever names others: no program is started, and no file of
    /// a player is read. For people who are not trusted with this machine.
    pub confined: bool,
}

impl EngineOptions {
    /// Refuses a player who is a program or comes from a file, where only built-in ones may play.
    pub fn admit(self, player: &Spec) -> Result<(), Failure> {
        let is_outside = player.command().is_some() || player.file().is_some();
        if self.confined && is_outside {
            let why =
                "only built-in players sit at the table here: no program, and none from a file";
            return Err(Failure::Input(why.to_owned()));
        }
        Ok(())
    }
}

/// With what a scenario is played: what the command line says, and the scenario's own where it does not.
#[derive(Clone, Debug, Default)]
pub struct DebateOptions {
    /// Players by name: prover, opponent, judge.
    pub players: [Option<String>; 3],
    /// The seats that people take; `None` watches.
    pub roles: Vec<Option<Seat>>,
    /// The rules, as a scenario writes them.
    pub protocol: Option<String>,
    /// The seed of all coins; else a random one.
    pub seed: Option<String>,
    /// The number of the debate under the seed.
    pub debate: u64,
    /// The instance by name; else the scenario's own, else one drawn from the seed.
    pub instance: Option<String>,
    /// True if players, values and what the scenario is about are not told before the end.
    pub blind: bool,
    /// True if what replies are worth is shown from the start.
    pub hints: bool,
    /// Limits of a scenario.
    pub limits: Limits,
    /// Limits of programs that are started for a seat.
    pub engines: EngineOptions,
}

impl DebateOptions {
    /// The plan of a scenario, by name or path.
    pub fn plan(&self, scenario: &str) -> Result<DebatePlan, Failure> {
        self.plan_of(Setup::find(scenario, &self.limits).map_err(Failure::input)?)
    }

    /// The plan of a scenario that was read.
    pub fn plan_of(&self, mut setup: Setup) -> Result<DebatePlan, Failure> {
        let named = self.players.each_ref().map(Option::as_deref);
        for name in named.into_iter().flatten() {
            self.engines
                .admit(&Spec::parse(name).map_err(Failure::input)?)?;
        }
        load_player_files(&mut setup, named.into_iter().flatten(), &self.limits)?;
        let protocol = rules(self.protocol.as_deref(), &setup, &self.limits)?;
        let seed = seed(self.seed.as_deref())?;
        let asked = world(self.instance.as_deref(), &setup)?;
        let world = asked.unwrap_or_else(|| setup.draw(&seed, self.debate));
        let players = players(named, &self.roles, &setup, &protocol)?;
        // Whoever names a command on the command line wants it run.
        let of_file =
            |(spec, named): (&Spec, Option<&str>)| spec.command().is_some() && named.is_none();
        let by_file = players.iter().zip(named).any(of_file);
        let engines = EngineOptions {
            allow_commands: self.engines.allow_commands || !by_file,
            ..self.engines
        };
        Ok(DebatePlan {
            setup,
            protocol,
            seed,
            debate: self.debate,
            world,
            fixed_world: asked.is_some(),
            players,
            blind: self.blind,
            hints: self.hints,
            engines,
            tags: BTreeMap::new(),
        })
    }
}

/// The folder of saves, or none.
#[derive(Clone, Debug, Default)]
pub struct SaveOptions {
    /// The folder of saves that was asked for.
    pub folder: Option<PathBuf>,
    /// True if no save is kept.
    pub no_save: bool,
}

impl SaveOptions {
    /// The folder of saves, asked for or not.
    pub fn folder(&self) -> Result<PathBuf, Failure> {
        debate_lab::record::folder(self.folder.as_deref()).map_err(Failure::system)
    }
}

impl DebatePlan {
    /// The plan of a debate that was kept.
    pub fn of_save(header: &Header, setup: Setup, instance: &Instance) -> Result<Self, Failure> {
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
            engines: EngineOptions::default(),
            // Whoever plays on from a save of a match plays no debate of the match.
            tags: BTreeMap::new(),
        })
    }

    /// This instance and these coins by other rules, between other players; nothing is hidden.
    pub fn with_side(&self, side: Side) -> Self {
        Self {
            protocol: side.protocol,
            players: side.players,
            fixed_world: true,
            blind: false,
            hints: false,
            ..self.clone()
        }
    }

    /// What plays the debate again. A debate from a save is named by the save, unless its scenario is a
    /// bundled one.
    pub fn reproduction(&self, save: Option<&Path>) -> Reproduction {
        let named = self.named_players();
        // An argument may give a lie away to whoever sits down.
        let telling = named.iter().any(|(_, name)| bare(name) != *name);
        let flags = self.flags(&named);
        let command = self.scenario_name().map(|name| {
            let words = ["debate-tui".to_owned(), name].into_iter().chain(flags);
            words
                .map(|word| quoted(&word))
                .collect::<Vec<_>>()
                .join(" ")
        });
        Reproduction {
            seed: Some(self.seed.as_str().to_owned()),
            command: command
                .or_else(|| Some(format!("debate-tui replay {}", path_in_shell(save?)))),
            tells_secrets: self.blind || telling,
            save: save.map(Path::to_owned),
        }
    }

    /// The name or the path by which the scenario is found again.
    fn scenario_name(&self) -> Option<String> {
        match &self.setup.origin {
            Origin::Bundled(name) => Some((*name).to_owned()),
            Origin::File(path) => Some(path.display().to_string()),
            Origin::Text(_) => bundled_name(&self.setup.source).map(str::to_owned),
        }
    }

    /// The seats that people take; nobody watches.
    fn roles(&self) -> Vec<Option<Seat>> {
        let human = |seat: &Seat| self.players[seat.index()].is_human();
        let roles: Vec<Option<Seat>> = Seat::PLAYERS.into_iter().filter(human).map(Some).collect();
        if roles.is_empty() { vec![None] } else { roles }
    }

    /// The built-in players whom the scenario would not seat itself.
    fn named_players(&self) -> Vec<(Seat, String)> {
        let own = players([None; 3], &self.roles(), &self.setup, &self.protocol);
        let named = Seat::PLAYERS.into_iter().filter_map(|seat| {
            let player = &self.players[seat.index()];
            let same = own.as_ref().is_ok_and(|own| own[seat.index()] == *player);
            (!player.is_human() && !same).then(|| (seat, player.to_string()))
        });
        named.collect()
    }

    /// The flags without which the debate would be another one.
    fn flags(&self, named: &[(Seat, String)]) -> Vec<String> {
        let mut flags = Vec::new();
        let mut flag = |name: &str, value: String| {
            // What begins like a flag is not to be taken for one.
            if value.starts_with('-') {
                flags.push(format!("--{name}={value}"));
            } else {
                flags.extend([format!("--{name}"), value]);
            }
        };
        for role in self.roles() {
            flag("role", role.map_or("none", Seat::name).to_owned());
        }
        flag("seed", self.seed.as_str().to_owned());
        if self.debate > 0 {
            flag("debate", self.debate.to_string());
        }
        if self.setup.draw(&self.seed, self.debate) != self.world {
            let worlds = self.setup.decomposition.worlds();
            let name = worlds.get(self.world).map(|world| world.name.clone());
            flag("instance", name.unwrap_or_default());
        }
        if self.protocol != self.setup.protocol {
            flag("protocol", self.protocol.to_string());
        }
        for (seat, name) in named {
            flag(seat.name(), name.clone());
        }
        if self.blind {
            flags.push("--blind".to_owned());
        } else if self.hints {
            flags.push("--hints".to_owned());
        }
        flags
    }

    /// The names of the players: prover, opponent, judge.
    pub fn names(&self) -> [String; 3] {
        self.players.each_ref().map(ToString::to_string)
    }

    /// The reader of the debate while it is under way.
    pub fn reader(&self) -> Reader {
        Reader::for_people(self.people(), self.setup.judge_sees)
    }

    /// The seat that the debate is told from: the one person's, or nobody's.
    pub fn perspective(&self) -> Perspective {
        Perspective::of_people(self.people())
    }

    fn people(&self) -> impl Iterator<Item = Seat> {
        let seats = Seat::PLAYERS.into_iter();
        seats.filter(|seat| self.players[seat.index()].is_human())
    }

    /// The coach of the debate, where it was kept in a lesson of the tutorial.
    pub fn coach(&self) -> Option<Coach> {
        let names = self.names();
        Coach::of(&self.setup.source, &self.seed, &names)
    }

    /// Remembers that a scenario file was opened, for home to offer it again.
    pub fn remember(&self, keeping: &SaveOptions) {
        if let (Origin::File(path), false) = (&self.setup.origin, keeping.no_save)
            && let Ok(folder) = keeping.folder()
        {
            // It is a convenience: where it cannot be kept, nothing is lost.
            let _ = remember_scenario(&folder, path);
        }
    }

    /// The debate before anybody has spoken, its players built here and now.
    pub fn seating<'a>(
        &self,
        instance: &'a Instance,
        budget: Budget<'_>,
    ) -> Result<Seating<'a, Exact>, Failure> {
        self.seat(instance, build_players(self, instance, budget)?)
    }

    /// The debate between these players before anybody has spoken.
    pub(super) fn seat<'a>(
        &self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
    ) -> Result<Seating<'a, Exact>, Failure> {
        let start = self.protocol.start(instance).map_err(Failure::input)?;
        Ok(Seating::new(start, players, &self.seed, self.debate))
    }

    /// The debate between these players, with a save of its own where one is to be kept.
    pub fn session<'a>(
        &self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
        keeping: &SaveOptions,
        branch: Option<Branch>,
    ) -> Result<Session<'a>, Failure> {
        let seating = self.seat(instance, players)?;
        let journal = begin(self, instance, keeping, branch)?;
        Ok(Session::new(seating, journal))
    }

    /// The programs that play, started; none where nobody is one.
    pub fn start_engines<'a>(&self, instance: &'a Instance) -> Result<SeatedEngines<'a>, Failure> {
        let start = |command: &str| {
            let engine = EngineProcess::start(command, self.engines.limits)?;
            Ok(Arc::new(engine))
        };
        self.seat_engines(instance, start)?.map_err(Failure::system)
    }

    /// The programs that play, of which `start` gives the processes; none where nobody is one. The inner
    /// error says which does not play.
    pub fn seat_engines<'a>(
        &self,
        instance: &'a Instance,
        start: impl Fn(&str) -> Result<Arc<EngineProcess>, String>,
    ) -> Result<Result<SeatedEngines<'a>, EngineEnding>, Failure> {
        for player in &self.players {
            self.engines.admit(player)?;
        }
        if let Some(command) = self.players.iter().find_map(Spec::command)
            && !self.engines.allow_commands
        {
            return Err(not_allowed(command));
        }
        let debate = EngineDebate {
            instance,
            protocol: self.protocol.clone(),
            seed: self.seed.clone(),
            number: self.debate,
            players: self.names(),
        };
        let teller =
            |seat| SeatTeller::new(&self.setup, &self.protocol, instance, seat, self.blind);
        Ok(SeatedEngines::start(debate, &self.players, start, teller))
    }

    /// With what values are found; `None` where they may not be told.
    pub fn case(&self, instance: &Instance) -> Option<ReviewContext> {
        let mut own = scenario_players(&self.setup, &self.protocol);
        if self.coach().is_some() {
            own[Seat::Prover.index()] = Some(Spec::named(REFERENCE_PROVER));
        }
        // Another program is valued as a person is: nobody knows what it would reply.
        let seated = self.players.clone().map(|player| {
            if is_outside(&player.name) {
                Spec::named("human")
            } else {
                player
            }
        });
        let players = (seated, own);
        // Nothing can be computed about what people will write.
        (!self.blind && instance.open().is_none()).then(|| {
            ReviewContext::new(
                instance,
                &self.protocol,
                players,
                registry().with(self.setup.player_files()),
            )
        })
    }
}

/// The sentence on a command that only a file names.
pub fn not_allowed(command: &str) -> Failure {
    Failure::Input(format!(
        "a file names the command `{command}` as a player; --allow-commands runs it"
    ))
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./=:@,+".contains(sign);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A path as a shell takes it for one word.
pub(super) fn path_in_shell(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// Reads the files of players who are named.
pub fn load_player_files<'n>(
    setup: &mut Setup,
    names: impl IntoIterator<Item = &'n str>,
    limits: &Limits,
) -> Result<(), Failure> {
    for name in names {
        // A name that is none is refused where it is used.
        if let Ok(spec) = Spec::parse(name) {
            setup
                .load_player_file(&spec, limits)
                .map_err(Failure::input)?;
        }
    }
    Ok(())
}

/// The rules that were given, else the scenario's own; the scenario can be played to its depth by
/// them.
pub fn rules(given: Option<&str>, setup: &Setup, limits: &Limits) -> Result<Protocol, Failure> {
    let protocol = match given {
        Some(text) => Protocol::parse(text).map_err(Failure::input)?,
        None => setup.protocol.clone(),
    };
    setup
        .check_depth(&protocol, limits)
        .map_err(Failure::input)?;
    Ok(protocol)
}

/// The instance that was asked for, by its number.
pub fn world(name: Option<&str>, setup: &Setup) -> Result<Option<usize>, Failure> {
    let world = name.map(|name| setup.instance_named(name));
    world.transpose().map_err(Failure::input)
}

/// The seed that was given, else a random one.
pub fn seed(given: Option<&str>) -> Result<Seed, Failure> {
    let Some(text) = given else {
        return Ok(Seed::random(&mut rand::rng()));
    };
    Seed::new(text).ok_or_else(|| {
        Failure::input(format!(
            "a seed is a text of 1 to {MAX_SEED} characters, without control characters"
        ))
    })
}

/// The players by the flags (prover, opponent, judge), else the scenario's own as far as they play this protocol,
/// else the protocol's defaults. With roles, exactly the named seats are human, and in an open
/// argument those as well that the scenario leaves to people.
pub fn players(
    named: [Option<&str>; 3],
    roles: &[Option<Seat>],
    setup: &Setup,
    protocol: &Protocol,
) -> Result<[Spec; 3], Failure> {
    let registry = registry::<Exact>();
    let kind = protocol.kind();
    // No strategy writes claims: in an open argument people stay in the seats that the scenario
    // gives them, unless nobody plays at all.
    let open = setup.decomposition.as_open().is_some();
    let gives_way = !roles.is_empty() && (!open || roles.contains(&None));
    let mut players = Seat::PLAYERS.map(|seat| Spec::named(registry.default_for(seat, kind)));
    for (seat, player) in Seat::PLAYERS.into_iter().zip(&mut players) {
        let flag = named[seat.index()];
        let named = match (flag, setup.players.get(seat)) {
            (Some(flag), _) => Some(Spec::parse(flag).map_err(Failure::input)?),
            // A scenario's players are for its own rules; others may not know them.
            (None, Some(own)) => {
                let own = Spec::parse(own).map_err(Failure::input)?;
                if is_outside(&own.name) || kind == setup.protocol.kind() {
                    Some(own)
                } else {
                    registry.known(&own, seat, kind)
                }
            }
            (None, None) => None,
        };
        match named {
            _ if roles.contains(&Some(seat)) => *player = Spec::named("human"),
            Some(own) if own.is_human() && flag.is_none() && gives_way => {}
            Some(named) => *player = named,
            None => {}
        }
    }
    if roles.contains(&None) && roles.len() > 1 {
        return Err(Failure::input(
            "--role none watches; it goes with no other --role",
        ));
    }
    Ok(players)
}

/// A scenario's own players, as far as they play by these rules; nobody in the place of people.
pub fn scenario_players(setup: &Setup, protocol: &Protocol) -> [Option<Spec>; 3] {
    let registry = registry::<Exact>();
    Seat::PLAYERS.map(|seat| {
        let own = Spec::parse(setup.players.get(seat)?).ok()?;
        let own = Some(own).filter(|own| !own.is_human())?;
        registry.known(&own, seat, protocol.kind())
    })
}

/// The players of a debate, built here and now; `budget` stops the training of those that are trained
/// first.
pub fn build_players<'a>(
    plan: &DebatePlan,
    instance: &'a Instance,
    budget: Budget<'_>,
) -> Result<[Player<'a, Exact>; 3], Failure> {
    let registry = registry::<Exact>().with(plan.setup.player_files());
    let (players, protocol) = (&plan.players, &plan.protocol);
    let sit = |seat: Seat| {
        let spec = &players[seat.index()];
        if spec.is_human() || spec.is_served() {
            return Ok(Player::Outside);
        }
        if spec.command().is_some() {
            return Ok(Player::Engine);
        }
        registry
            .build_at(players, seat, instance, protocol, budget)
            .map(Player::Builtin)
            .map_err(Failure::input)
    };
    Ok([sit(Seat::Prover)?, sit(Seat::Opponent)?, sit(Seat::Judge)?])
}

/// The players of a debate, built however long it takes.
pub fn built_now<'a>(
    plan: &DebatePlan,
    instance: &'a Instance,
) -> Result<[Player<'a, Exact>; 3], Failure> {
    build_players(plan, instance, Budget::default())
}

/// The people of a debate on the screen, and stand-ins for its built-in players, who are asked on a
/// thread of their own.
pub(super) fn stand_ins<'a>(plan: &DebatePlan) -> [Player<'a, Exact>; 3] {
    plan.players.each_ref().map(|player| {
        if player.is_human() {
            Player::Outside
        } else if player.command().is_some() {
            Player::Engine
        } else {
            Player::Builtin(Box::new(StandIn))
        }
    })
}

fn begin(
    plan: &DebatePlan,
    instance: &Instance,
    keeping: &SaveOptions,
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
    let folder = keeping.folder()?;
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
    header.tags.clone_from(&plan.tags);
    let origin = plan.setup.origin.to_string();
    let word = Path::new(&origin)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    Journal::create(&folder, &word, &header)
        .map(Some)
        .map_err(Failure::system)
}

/// The worlds that are asked for, with shares that sum to 1: one by its name, or `all`; where none
/// is named the scenario's own instance, else all.
pub fn worlds(setup: &Setup, asked: Option<&str>) -> Result<Vec<(Exact, usize)>, Failure> {
    let world = match asked {
        Some("all") => None,
        Some(name) => Some(setup.instance_named(name).map_err(Failure::input)?),
        None => setup.requested_world,
    };
    if let Some(world) = world {
        return Ok(vec![(Exact::from_integer(1.into()), world)]);
    }
    let worlds = setup.decomposition.worlds();
    let total: Exact = worlds.iter().map(|world| &world.weight).sum();
    let shares = worlds.iter().map(|world| &world.weight / &total);
    Ok(shares.zip(0..).collect())
}
