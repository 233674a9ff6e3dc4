//! No debate that is laid out as a graph allocates, and no step of any.

use super::super::worker::PlayMethod;
use super::super::worker::{CHUNK, Worker};
use super::*;
use debate_core::budget::Budget;
use debate_core::protocol::{Event, Seal, Sink};

/// A scenario, protocol, prover and opponent for each protocol.
const EVERY_PROTOCOL: [(&str, &str, &str, &str); 10] = [
    (
        "primes",
        "ProverEstimator(epsilon: 0.45, rho: \"1/9\")",
        "honest",
        "calibrated",
    ),
    (
        "hidden-flaw",
        "ProverEstimator(epsilon: 0.25, rho: 0.5)",
        "random",
        "bayes",
    ),
    ("primes-recursive", "Recursive", "obfuscator", "random"),
    ("turing", "Bisection", "liar", "honest"),
    ("parity", "CrossExamination", "liar", "honest"),
    ("multiplier", "Descent", "liar", "honest"),
    ("qbf", "Quantifiers(verifier: Direct)", "honest", "honest"),
    ("caffeine-plan", "Stochastic(k: 3)", "honest", "honest"),
    ("multiplier", "Verified(Descent)", "liar", "honest"),
    ("lighthouse", "Speeches(rounds: 2)", "silent", "silent"),
];

/// How often a thread allocates over one debate and over a chunk of them, when what it needs has
/// been set up; and whether its debates are laid out as graphs.
fn allocations(setup: &Setup, side: &Side) -> ([u64; 2], bool) {
    let seed = Seed::new("allocations").unwrap();
    let simulation = Simulation {
        setup,
        world: None,
        seed: &seed,
        sides: std::slice::from_ref(side),
        debates: 0..3 * CHUNK,
        threads: 1,
    };
    let instances = no_instances(setup);
    let registries = (&Registry::builtin(), &Registry::builtin());
    let context = SimulationContext::new(
        &simulation,
        &instances,
        registries.0,
        registries.1,
        Budget::default(),
    );
    let mut worker = Worker::new(&context);
    let mut play =
        |chunk: Range<u64>| allocation_counter::measure(|| worker.play(chunk).unwrap()).count_total;
    play(0..2 * CHUNK);
    let each = [play(0..1), play(2 * CHUNK..3 * CHUNK)];
    let worlds = 0..instances.len();
    let graphs = worlds.map(|world| {
        matches!(
            context.runner(0, world).unwrap().method,
            PlayMethod::Graph(_)
        )
    });
    (each, graphs.filter(|graph| !graph).count() == 0)
}

#[test]
fn no_debate_allocates() {
    let mut seen = Vec::new();
    for (scenario, protocol, prover, opponent) in EVERY_PROTOCOL {
        let mut setup = Setup::find(scenario, &Limits::default()).unwrap();
        setup.protocol = Protocol::parse(protocol).unwrap();
        let side = side(&setup, [prover, opponent, "oracle"]);
        let ([one, chunk], graph) = allocations(&setup, &side);
        // A stochastic debate draws too many kinds of samples to be laid out: it is set up anew
        // each time, but its steps add nothing.
        let kind = setup.protocol.kind();
        assert_eq!(graph, kind != Kind::Stochastic, "{scenario}, {protocol}");
        // What a chunk allocates does not grow with its debates: its sums are added up once.
        let most = if graph { one + 4 } else { 8 * CHUNK };
        assert!(chunk <= most, "{scenario}, {protocol}: {one}, {chunk}");
        seen.push(kind);
    }
    assert!(Kind::ALL.iter().all(|kind| seen.contains(kind)));
}

/// Counts the events that it is given, and drops them.
struct Count {
    wants: bool,
    noted: u64,
}

impl Sink<Exact> for Count {
    fn wants(&self) -> bool {
        self.wants
    }

    fn note(&mut self, _seat: Seat, _seal: Option<Seal>, _event: Event<Exact>) {
        self.noted += 1;
    }
}

#[test]
fn no_event_is_built_that_nobody_wants() {
    let seed = Seed::new("allocations").unwrap();
    for (scenario, protocol, prover, opponent) in EVERY_PROTOCOL {
        let mut setup = Setup::find(scenario, &Limits::default()).unwrap();
        setup.protocol = Protocol::parse(protocol).unwrap();
        let instance = setup.instance(0);
        let side = side(&setup, [prover, opponent, "oracle"]);
        let players = built::<Exact>(&side, &instance);
        let players = players.each_ref().map(|player| &**player);
        let start = setup.protocol.start::<Exact>(&instance).unwrap();
        let play = |wants| {
            let mut state = start.clone();
            let mut chances = Seeded::new(&seed, 0, state.coins());
            let mut count = Count { wants, noted: 0 };
            let taken = allocation_counter::measure(|| {
                let budget = Budget::default();
                let played = play_between(&mut state, players, &mut chances, &mut count, &budget);
                assert!(played.is_ok());
            });
            (count.noted, taken.count_total)
        };
        let _ = play(true);
        let ((noted, loud), (unwanted, silent)) = (play(true), play(false));
        assert!(
            noted > 0 && unwanted == 0,
            "{protocol}: {noted}, {unwanted}"
        );
        // The events of these list claims; those of the others fit where they are.
        let lists = matches!(
            setup.protocol.kind(),
            Kind::Bisection | Kind::Descent | Kind::Quantifiers | Kind::Stochastic | Kind::Verified
        );
        assert_eq!(silent < loud, lists, "{protocol}: {silent}, {loud}");
    }
}
