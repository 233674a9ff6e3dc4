//! Programs in the seats: requests per second that `serve` answers without saves, and the time of an engine's move
//! including its records.
//!
//! `cargo bench --bench programs` prints both. The server's time is its processor time from `/proc`, so the driver's
//! own time does not count.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{Player, PlayerSpec, SeatedDebate};
use debate_core::protocol::Seat;
use debate_host::engine::{
    DebateFactsForEngines, EngineProcess, EngineWaitAndRetryLimits, ModelProgramAndNamedModels,
    SeatedEngines,
};
use debate_host::message::SeatMessageBuilder;
use debate_host::record::{SaveHeader, SaveJournal};
use debate_host::{AdvanceResult, Debate};
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use serde_json::{Value, json};

/// The argument that makes this program play as an engine.
const ENGINE: &str = "engine";
/// Number of concurrent debates, and of all requests.
const DEBATES: usize = 64;
const REQUESTS: u32 = 20_000;
const ENGINE_DEBATES: u64 = 200;

fn main() {
    if std::env::args().any(|argument| argument == ENGINE) {
        play();
    } else {
        serve(true);
        serve(false);
        moves();
    }
}

/// Returns a legal reply to a request of prover-estimator debate.
fn reply(act: &Value) -> Value {
    match act["request"]["kind"].as_str() {
        Some("answer") => json!({"answer": true}),
        Some("probability") => json!({"probability": "1/2"}),
        Some("direction") => json!({"direction": "about_right"}),
        Some("support") => json!({"support": 0}),
        Some("oracle") => json!({"oracle": {"holds": true}}),
        _ => json!({"select": 0}),
    }
}

/// Plays as an engine that replies at once.
fn play() {
    for line in std::io::stdin().lines() {
        let said: Value = serde_json::from_str(&line.expect("UTF-8")).expect("JSON");
        let answer = match said["type"].as_str() {
            Some("hello") => json!({"type": "hello", "name": "bench"}),
            Some("act") => json!({
                "type": "reply", "debate": said["debate"], "id": said["id"], "reply": reply(&said),
            }),
            Some("bye") => return,
            _ => continue,
        };
        println!("{answer}");
    }
}

/// The processor time of a process so far, in hundredths of a second.
fn ticks(child: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let times = fields.split(' ').skip(11).take(2);
    times.filter_map(|time| time.parse::<u64>().ok()).sum()
}

/// Measures requests that contain the whole history, or only the new events.
fn serve(history: bool) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_debate-tui"))
        .args(["serve", "--stdio", "--no-save"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let new = json!({
        "type": "new", "scenario": "primes-small", "seats": ["prover", "opponent", "judge"],
        "save": false, "text": false, "history": history,
    });
    for _ in 0..DEBATES {
        writeln!(input, "{new}").expect("it reads");
    }
    let (begun, before, mut answered) = (Instant::now(), ticks(&child), 0);
    for line in output.lines() {
        let said: Value = serde_json::from_str(&line.expect("UTF-8")).expect("JSON");
        if said["type"] == "act" {
            let (debate, id) = (&said["debate"], &said["id"]);
            let line = json!({"type": "reply", "debate": debate, "id": id, "reply": reply(&said)});
            writeln!(input, "{line}").expect("it reads");
            answered += 1;
        } else if said["type"] == "end" && said["reward"].is_null() {
            // The judge has no reward, so exactly one of the three `end` messages starts the next debate.
            writeln!(input, "{new}").expect("it reads");
        }
        if answered >= REQUESTS {
            break;
        }
    }
    let (took, own) = (begun.elapsed().as_secs_f64(), ticks(&child) - before);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate per second need not be exact"
    )]
    let own = own as f64 / 100.0;
    let rate = |seconds: f64| f64::from(answered) / seconds;
    println!(
        "serve with history {history}: {answered} requests, {:.0} a second of the clock, {:.0} a second of its processor",
        rate(took),
        rate(own)
    );
}

fn moves() {
    let setup = LoadedScenario::load_bundled_scenario("primes-small", &ScenarioLimits::default())
        .expect("a scenario");
    let instance = setup.instance(0);
    let seed = Seed::new("bench").expect("a seed");
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("a path");
    let command = format!("{} {ENGINE}", program.display());
    let engine = EngineProcess::start(
        &command,
        EngineWaitAndRetryLimits::default(),
        &ModelProgramAndNamedModels::default(),
    )
    .expect("an engine");
    let engine = Arc::new(engine);
    let registry = registry::<Exact>();
    let (mut count, mut spent, mut longest) = (0_u32, Duration::ZERO, Duration::ZERO);
    for number in 0..ENGINE_DEBATES {
        let built = |name, seat| {
            let spec = PlayerSpec::without_arguments(name);
            let player = registry.build(&spec, seat, &instance, &setup.protocol);
            Player::Builtin(player.expect("a player"))
        };
        let players = [
            built("honest", Seat::Prover),
            Player::Engine,
            built("oracle", Seat::Judge),
        ];
        let names = ["honest", "engine:bench", "oracle"].map(str::to_owned);
        let protocol = setup.protocol.clone();
        let mut header = SaveHeader::new(
            &setup,
            protocol.clone(),
            seed.clone(),
            &instance,
            names.clone(),
        );
        header.debate = number;
        let journal = SaveJournal::create_save(folder.path(), "bench", &header).expect("a save");
        let start = protocol.start(&instance).expect("a debate");
        let seating = SeatedDebate::new(start, players, &seed, number);
        let mut running = Debate::new(seating, Some(journal));
        running.defer_disk_sync_to_end();
        let debate = DebateFactsForEngines {
            instance: &instance,
            protocol: protocol.clone(),
            seed: seed.clone(),
            number,
            players: names.clone(),
        };
        let view_builder =
            |seat| SeatMessageBuilder::new(&setup, &protocol, &instance, seat, false);
        let start = |_: &str| Ok(Arc::clone(&engine));
        let specs = names
            .each_ref()
            .map(|name| PlayerSpec::parse(name).expect("a player"));
        let engines = SeatedEngines::start(debate, &specs, start, view_builder);
        running = running.with_engines(engines.expect("it plays the opponent"));
        loop {
            let asks = running.state_and_players().engine_seat_to_ask().is_some();
            let begun = Instant::now();
            match running.advance_by_one_move().expect("a move") {
                AdvanceResult::Over => break,
                AdvanceResult::Moved => {}
                step => panic!("{step:?}"),
            }
            if asks {
                let took = begun.elapsed();
                (count, spent, longest) = (count + 1, spent + took, longest.max(took));
            }
        }
        running.notify_engines_of_end();
    }
    println!(
        "engine: {count} moves, {:.3} ms each with the engine's own time, at most {:.3} ms",
        spent.as_secs_f64() * 1000.0 / f64::from(count),
        longest.as_secs_f64() * 1000.0
    );
}
