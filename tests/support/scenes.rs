//! Scenarios built in code, and debates with players for them.

use std::sync::Arc;
use std::time::Duration;

use debate_core::chance::Seed;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number};
use debate_core::player::{Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Instance, NumbersTestedForPrimality, Oracle,
    PrimalityMethod, PrimalityProblem, PrimalitySpec, ScenarioValuePath, SupportSpec,
    TestedNumberVisibility,
};
use debate_host::Debate;
use debate_host::PlayersThread;
use debate_solver::setup;
use debate_text::DebateDescription;
use debate_tui::tui::scene::DebateScreenContext;

/// A scenario with its rules and the names of its players.
pub struct Setup {
    pub instance: Instance,
    pub protocol: Protocol,
    pub title: String,
    pub about: String,
    pub players: [String; 3],
    pub seed: String,
}

/// The first instance of a bundled scenario.
pub fn bundled(name: &str) -> Setup {
    of(
        setup::LoadedScenario::load_bundled_scenario(name, &setup::ScenarioLimits::default())
            .unwrap(),
    )
}

/// The first instance of any scenario.
pub fn of(setup: setup::LoadedScenario) -> Setup {
    let world = setup.requested_world.unwrap_or(0);
    let kind = setup.protocol.kind();
    let player = |seat: Seat| {
        let default = StrategyRegistry::<Exact>::registry_with_builtin_players()
            .default_strategy_name(seat, kind);
        setup
            .players
            .text_of_seat(seat)
            .unwrap_or(default)
            .to_owned()
    };
    Setup {
        instance: setup.instance(world),
        players: Seat::PLAYERS.map(player),
        title: setup.title,
        about: setup.about,
        protocol: setup.protocol,
        seed: "7".to_owned(),
    }
}

/// The question if 4331 is prime, with r = 1/10.
pub fn primes() -> Setup {
    let numbers = [
        4237_u32, 4247, 4267, 4307, 4309, 4313, 4321, 4331, 4343, 4351,
    ];
    let spec = PrimalitySpec {
        numbers: NumbersTestedForPrimality::List(numbers.map(Into::into).into()),
        estimator_knows: TestedNumberVisibility::Size,
        method: PrimalityMethod::Intervals {
            width: 4,
            primes_from: None,
        },
    };
    let problem =
        PrimalityProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap();
    Setup {
        instance: Instance::new(Arc::new(problem), 7, Oracle::Truth),
        protocol: Protocol::parse("ProverEstimator(epsilon: 0.45, rho: \"1/9\")").unwrap(),
        title: "Is 4331 prime?".to_owned(),
        about: "A liar says prime and splits the trial divisions. Both of you know it is \
                composite; neither knows where the factor is."
            .to_owned(),
        players: ["obfuscator", "bayes", "oracle"].map(str::to_owned),
        seed: "7".to_owned(),
    }
}

/// The same under plain recursion.
pub fn primes_recursive() -> Setup {
    Setup {
        protocol: Protocol::parse("Recursive").unwrap(),
        players: ["obfuscator", "bounded(0)", "oracle"].map(str::to_owned),
        ..primes()
    }
}

/// An argument in words about a bridge: a majority of three kinds of evidence, one of which reads a proof bit.
pub fn bridge() -> Setup {
    let support = |label: Option<&str>, gate, on: &[&str]| SupportSpec {
        label: label.map(str::to_owned),
        gate,
        on: on.iter().map(|id| (*id).to_owned()).collect(),
        sound: true,
    };
    let leaf = |text: &str, truth, evidence: &str| ClaimSpec {
        text: text.to_owned(),
        truth: Some(truth),
        evidence: Some(evidence.to_owned()),
        estimate: Some(Exact::ratio(7, 10)),
        ..ClaimSpec::default()
    };
    let claims = vec![
        (
            "safe".to_owned(),
            ClaimSpec {
                text: "The old bridge can carry lorries for another ten years".to_owned(),
                supports: vec![
                    support(
                        Some("three surveys"),
                        Gate::Majority,
                        &["steel", "load", "piers"],
                    ),
                    support(Some("the load test alone"), Gate::Any, &["load"]),
                ],
                ..ClaimSpec::default()
            },
        ),
        (
            "steel".to_owned(),
            ClaimSpec {
                text: "The steel is sound".to_owned(),
                supports: vec![support(None, Gate::All, &["cracks", "rust"])],
                ..ClaimSpec::default()
            },
        ),
        (
            "load".to_owned(),
            leaf(
                "It bore three times the usual load in the test",
                true,
                "Test report: 120 t held for one hour, deflection 11 mm, none left afterwards. \
                 The usual load is 38 t.",
            ),
        ),
        (
            "piers".to_owned(),
            ClaimSpec {
                text: "The piers have not moved".to_owned(),
                reads: vec!["survey".to_owned()],
                check: Some(Gate::All),
                evidence: Some("The surveyor's two readings differ by 0 or by 4 mm.".to_owned()),
                ..ClaimSpec::default()
            },
        ),
        (
            "cracks".to_owned(),
            leaf(
                "No crack is longer than a finger",
                true,
                "Photographs 1 to 40, with a ruler.",
            ),
        ),
        (
            "rust".to_owned(),
            leaf(
                "Rust has taken less than a tenth of any plate",
                false,
                "Plate 17: 9.1 mm of 12 mm are left.",
            ),
        ),
    ];
    let spec = ArgumentProblemSpec {
        root: "safe".to_owned(),
        claims,
        proof: vec![("survey".to_owned(), true)],
        worlds: Vec::new(),
        open: None,
    };
    let argument =
        ArgumentProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap();
    Setup {
        instance: Instance::new(Arc::new(argument), 0, Oracle::Truth),
        protocol: Protocol::parse("ProverEstimator(epsilon: 0.25, rho: \"1/2\")").unwrap(),
        title: "Is the bridge safe?".to_owned(),
        about: "An engineer defends a bridge; a clerk who has read nothing estimates.".to_owned(),
        players: ["honest", "stubborn(0.6)", "oracle"].map(str::to_owned),
        seed: "bridge".to_owned(),
    }
}

/// The names of the players, with human players in some seats.
fn with_people(players: &[String; 3], people: &[Seat]) -> [String; 3] {
    Seat::PLAYERS.map(|seat| {
        let name = if people.contains(&seat) {
            "human"
        } else {
            &players[seat.seat_index()]
        };
        name.to_owned()
    })
}

/// A debate with players given by name.
pub fn seated<'i>(
    instance: &'i Instance,
    protocol: &Protocol,
    names: &[String; 3],
    seed: &str,
) -> SeatedDebate<'i, Exact> {
    let registry = StrategyRegistry::registry_with_builtin_players();
    let player = |seat: Seat| {
        let spec = PlayerSpec::parse(&names[seat.seat_index()]).unwrap();
        if spec.is_human() {
            return Player::Outside;
        }
        let built = registry.build(&spec, seat, instance, protocol);
        Player::Builtin(built.unwrap())
    };
    let start = protocol.start(instance).unwrap();
    SeatedDebate::new(
        start,
        Seat::PLAYERS.map(player),
        &Seed::new(seed).unwrap(),
        0,
    )
}

/// The built-in players of a debate on a separate thread. The screen waits for each move.
pub fn thread(
    instance: &Instance,
    protocol: &Protocol,
    names: [String; 3],
    seed: &str,
) -> PlayersThread {
    let (protocol, seed) = (protocol.clone(), seed.to_owned());
    let thread = PlayersThread::new(
        instance,
        || (),
        move |instance, _| Ok(seated(instance, &protocol, &names, &seed).into()),
    );
    thread.with_max_wait_for_move(Duration::from_secs(120))
}

impl Setup {
    /// The debate with human players in these seats.
    pub fn seating(&self, people: &[Seat]) -> SeatedDebate<'_, Exact> {
        let names = with_people(&self.players, people);
        seated(&self.instance, &self.protocol, &names, &self.seed)
    }

    /// The same, and the thread of its built-in players.
    pub fn debate(&self, people: &[Seat]) -> (Debate<'_>, PlayersThread) {
        let running = Debate::new(self.seating(people), None);
        (running, self.thread(people))
    }

    /// The built-in players beside these human players, on a separate thread.
    pub fn thread(&self, people: &[Seat]) -> PlayersThread {
        let names = with_people(&self.players, people);
        thread(&self.instance, &self.protocol, names, &self.seed)
    }

    /// The scene of the debate.
    pub fn scene(&self) -> DebateScreenContext<'_> {
        DebateScreenContext {
            facts: DebateDescription {
                title: self.title.clone(),
                about: self.about.clone(),
                seed: self.seed.clone(),
                players: self.players.clone(),
                ..DebateDescription::new(&self.instance, &self.protocol)
            },
            ..DebateScreenContext::new(&self.instance, &self.protocol)
        }
    }
}
