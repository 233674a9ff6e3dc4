//! Headless debates, compared with filling the same coins in bulk and with a vectorised numpy program.
//!
//! `cargo bench --bench headless -- ratios` prints only the ratios of one run.

#[path = "../support/full.rs"]
mod full;

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use debate_core::budget::ComputationBudget;
use debate_core::chance::{BulkDebateCoins, Seed};
use debate_core::gate::Gate;
use debate_core::player::{
    PlayableStrategy, PlayerSpec, SeededRandomness, Strategy, StrategyRegistry, play_between,
};
use debate_core::protocol::{Protocol, Rules as _, Seat, State};
use debate_core::scenario::Instance;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_solver::simulate::{PlannedSimulation, RulesAndPlayers};

/// Full trees of `All`, by width and depth.
const SHAPES: [(usize, u32); 2] = [(2, 4), (4, 5)];

fn protocol() -> Protocol {
    Protocol::parse("ProverEstimator(epsilon: 0.1, rho: 0.5)").expect("legal")
}

/// Fills the coins of `debates` debates without playing them.
fn coins_alone(coins: u64, debates: u64) -> u64 {
    let seed = Seed::new("bench").expect("a seed");
    let mut bulk = BulkDebateCoins::new(&seed, 0, coins);
    let mut buffer = vec![0; bulk.buffer_entries_per_debate() * 64];
    let mut sum = 0;
    for _ in 0..debates / 64 {
        bulk.fill_with_one_coin_per_entry(&mut buffer);
        sum ^= black_box(&buffer)[0];
    }
    sum
}

/// Plays `debates` debates of the honest prover against `shifted(0.1)`, move by move. `simulate` plays debates this way
/// if it cannot lay them out as a graph.
fn played<'a>(start: &State<'a, f64>, players: [&dyn Strategy<'a, f64>; 3], debates: u64) -> f64 {
    let seed = Seed::new("bench").expect("a seed");
    let mut sum = 0.0;
    for debate in 0..debates {
        let mut state = start.clone();
        let mut chances = SeededRandomness::new(&seed, debate, state.coins());
        let played = play_between(
            &mut state,
            players,
            &mut chances,
            &mut (),
            &ComputationBudget::default(),
        );
        sum += played.expect("a debate").payoff;
    }
    sum
}

/// Builds the honest prover, `shifted(0.1)` and the oracle from their names.
fn seats<'a>(instance: &'a Instance, protocol: &Protocol) -> [PlayableStrategy<'a, f64>; 3] {
    let registry = StrategyRegistry::registry_with_builtin_players();
    Seat::PLAYERS.map(|seat| {
        let name = ["honest", "shifted(0.1)", "oracle"][seat.seat_index()];
        let spec = PlayerSpec::parse(name).expect("a player");
        let built = registry.build(&spec, seat, instance, protocol);
        built.expect("fits")
    })
}

fn debates(criterion: &mut Criterion) {
    const DEBATES: u64 = 4096;
    let mut group = criterion.benchmark_group("headless");
    group.throughput(Throughput::Elements(DEBATES));
    for (width, depth) in SHAPES {
        let instance = full::tree(&Gate::All, width, depth);
        let protocol = protocol();
        let start = protocol.start(&instance).expect("legal");
        let seats = seats(&instance, &protocol);
        let players = seats.each_ref().map(|player| &**player);
        let coins = start.coins();
        let shape = format!("q = {width}, d = {depth}");
        group.bench_function(BenchmarkId::new("coins alone", &shape), |bencher| {
            bencher.iter(|| coins_alone(coins, DEBATES));
        });
        group.bench_function(BenchmarkId::new("move by move", &shape), |bencher| {
            bencher.iter(|| played(&start, players, DEBATES));
        });
    }
    group.finish();
}

/// The scenario of a full tree whose leaves are true.
fn scenario(width: usize, depth: u32) -> String {
    let mut claims = String::new();
    let mut level = vec!["r".to_owned()];
    for k in (0..=depth).rev() {
        let mut next = Vec::new();
        for id in level {
            let on: Vec<String> = (0..if k == 0 { 0 } else { width })
                .map(|place| format!("{id}{place}"))
                .collect();
            let rest = if k == 0 {
                "truth: true".to_owned()
            } else {
                format!("supports: [Support(gate: All, on: {on:?})]")
            };
            write!(claims, "{id:?}: Claim(text: {id:?}, {rest}), ").expect("a text");
            next.extend(on);
        }
        level = next;
    }
    format!(
        "Scenario(format: 1, title: \"Full\", problem: Argument(root: \"r\", claims: {{{claims}}}), \
         protocol: ProverEstimator(epsilon: 0.1, rho: 0.5))"
    )
}

/// Plays named players as `simulate` does on one thread, including the statistics.
fn simulate(setup: &LoadedScenario, opponent: &str, debates: u64) {
    let seed = Seed::new("bench").expect("a seed");
    let side = RulesAndPlayers {
        protocol: setup.protocol.clone(),
        players: ["honest", opponent, "oracle"]
            .map(|name| PlayerSpec::parse(name).expect("a player")),
    };
    let simulation = PlannedSimulation {
        setup,
        world: None,
        seed: &seed,
        sides: &[side],
        debates: 0..debates,
        threads: 1,
    };
    let (floats, exacts) = (
        StrategyRegistry::registry_with_builtin_players(),
        StrategyRegistry::registry_with_builtin_players(),
    );
    let found = simulation.run(&floats, &exacts, ComputationBudget::default());
    assert_eq!(found.expect("played").sides[0].debates, debates);
}

fn setup(width: usize, depth: u32) -> LoadedScenario {
    let origin = ScenarioTextSource::Text("bench".to_owned());
    LoadedScenario::from_text(&scenario(width, depth), origin, &ScenarioLimits::default())
        .expect("sound")
}

fn simulated(criterion: &mut Criterion) {
    const DEBATES: u64 = 1 << 18;
    let mut group = criterion.benchmark_group("simulate");
    group.throughput(Throughput::Elements(DEBATES));
    group.sample_size(10);
    for (width, depth) in SHAPES {
        let setup = setup(width, depth);
        for opponent in ["shifted(0.1)", "calibrated"] {
            let shape = format!("q = {width}, d = {depth}, honest against {opponent}");
            group.bench_function(BenchmarkId::new("one thread", &shape), |bencher| {
                bencher.iter(|| simulate(&setup, opponent, DEBATES));
            });
        }
    }
    group.finish();
}

/// Debates per second of `tests/bench/vectorised.py`, which plays the smaller tree with `batch` debates per array.
/// Returns the reason if the script cannot run.
fn vectorised(batch: u32) -> Result<f64, String> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/vectorised.py");
    let ran = Command::new("python3")
        .args([program, &batch.to_string()])
        .output();
    let ran = ran.map_err(|error| format!("python3 does not start: {error}"))?;
    let said = String::from_utf8_lossy(&ran.stdout);
    let first = said.split(' ').next().and_then(|rate| rate.parse().ok());
    first.ok_or_else(|| {
        let error = String::from_utf8_lossy(&ran.stderr);
        let last = error.lines().last().unwrap_or("it printed nothing");
        last.to_owned()
    })
}

/// Seconds per debate if `work` plays `debates` debates. Returns the best of several runs, so that other load on the
/// machine counts little.
fn seconds(debates: u64, mut work: impl FnMut(u64)) -> f64 {
    let mut once = || {
        let begin = Instant::now();
        work(debates);
        begin.elapsed().as_secs_f64()
    };
    let best = (0..20).map(|_| once()).fold(f64::INFINITY, f64::min);
    best / f64::from(u32::try_from(debates).unwrap_or(u32::MAX))
}

/// Prints the ratios of one run.
fn ratios() {
    // Short pieces, because some runs are then not interrupted on a busy machine. A simulation includes laying out the
    // graph, so that measurement plays a million debates.
    const FEW: u64 = 1 << 12;
    const MANY: u64 = 1 << 20;
    println!("honest against shifted(0.1), one thread; × is against the coins alone");
    for (width, depth) in SHAPES {
        let instance = full::tree(&Gate::All, width, depth);
        let protocol = protocol();
        let start = protocol.start(&instance).expect("legal");
        let seats = seats(&instance, &protocol);
        let players = seats.each_ref().map(|player| &**player);
        let setup = setup(width, depth);
        let coins = seconds(FEW, |count| {
            black_box(coins_alone(start.coins(), count));
        });
        let line = |name: &str, took: f64| {
            println!(
                "  q = {width}, d = {depth}: {name:<14} {:6.1} ns a debate  {:5.1} ×  {:5.1} M a second",
                took * 1e9,
                took / coins,
                1e-6 / took
            );
        };
        line("coins alone", coins);
        let by_moves = seconds(FEW, |count| {
            black_box(played(&start, players, count));
        });
        let by_graph = seconds(MANY, |count| simulate(&setup, "shifted(0.1)", count));
        let calibrated = seconds(MANY, |count| simulate(&setup, "calibrated", count));
        line("simulate", by_graph);
        line("  calibrated", calibrated);
        line("move by move", by_moves);
        if (width, depth) != SHAPES[0] {
            continue;
        }
        for (name, batch) in [("numpy, at once", 1 << 18), ("numpy, cached", 1 << 13)] {
            match vectorised(batch) {
                Ok(rate) => {
                    line(name, 1.0 / rate);
                    println!(
                        "  simulate plays {:.1} times as many",
                        rate.recip() / by_graph
                    );
                }
                Err(why) => println!("  {name}: skipped, python3 with numpy is not here ({why})"),
            }
        }
    }
}

criterion_group!(benches, debates, simulated);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = words.iter().find(|word| !word.starts_with('-'));
    let measured = words.iter().any(|word| word == "--bench");
    if measured && asked.is_none_or(|word| word == "ratios") {
        ratios();
    }
    if asked.is_none_or(|word| word != "ratios") {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
}
