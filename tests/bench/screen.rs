//! Time to draw screens, compared with an empty frame in the same terminal.
//!
//! `cargo bench --bench screen -- ratios` prints only the ratios of one run. A frame includes drawing, the comparison
//! with the previous frame, and the bytes written.

#[path = "../support/long.rs"]
mod long;
#[path = "../support/scenes.rs"]
mod scenes;

use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group};
use debate_core::chance::Seed;
use debate_core::player::{Player, SeatedDebate};
use debate_core::protocol::{Reply, Seat};
use debate_core::scenario::{Speech, SpeechPart};
use debate_host::Debate;
use debate_host::record::SavedDebateWithCursor;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_tui::tui::actions::KeyMap;
use debate_tui::tui::debate::{DebateScreen, ReplayScreen};
use debate_tui::tui::keys;
use debate_tui::tui::keys::Action;
use debate_tui::tui::menu::{SeatChoice, SeatChooserContents, SeatToPlayScreen};
use debate_tui::tui::scene::DebateScreenContext;
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenExt as _, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

const COLUMNS: u16 = 120;
const ROWS: u16 = 36;
/// Levels of the long debate, which has slightly more than a million events.
const LEVELS: usize = 490;
/// Number of frames per measurement.
const FRAMES: u32 = 50;

type Paper = Terminal<CrosstermBackend<io::Sink>>;

fn paper() -> Paper {
    let viewport = Viewport::Fixed(Rect::new(0, 0, COLUMNS, ROWS));
    let backend = CrosstermBackend::new(io::sink());
    Terminal::with_options(backend, TerminalOptions { viewport }).expect("a terminal")
}

fn draw(paper: &mut Paper, show: &mut impl Screen) {
    let look = ScreenAppearance::default();
    let drawn = paper.draw(|frame| {
        let area = frame.area();
        show.draw(&look, frame.buffer_mut(), area);
    });
    black_box(drawn.expect("a frame").count);
}

fn press(show: &mut impl Screen, code: KeyCode) {
    let effect = show.key(KeyEvent::new(code, KeyModifiers::NONE));
    assert!(matches!(effect, ScreenEffect::None));
}

fn write(show: &mut impl Screen, text: &str) {
    for character in text.chars() {
        press(show, KeyCode::Char(character));
    }
}

/// Mean time of a few consecutive runs; the best of several attempts, because some are not interrupted on a busy
/// machine.
fn best(mut work: impl FnMut()) -> Duration {
    let attempt = || {
        let start = Instant::now();
        (0..FRAMES).for_each(|_| work());
        start.elapsed() / FRAMES
    };
    let mut attempts: Vec<Duration> = std::iter::repeat_with(attempt).take(8).collect();
    attempts.sort();
    attempts[0]
}

/// Time of a single run, as a user would wait for it.
fn once(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn empty() -> Duration {
    let mut paper = paper();
    best(|| {
        paper.draw(|_| {}).expect("a frame");
    })
}

/// Time of the first frame on an empty terminal.
fn first(show: &mut impl Screen) -> Duration {
    best(|| draw(&mut paper(), show))
}

/// Time of one key and the frame that shows its effect. The keys alternate.
fn typed(show: &mut impl Screen, codes: &[KeyCode]) -> Duration {
    let mut paper = paper();
    draw(&mut paper, show);
    let mut codes = codes.iter().cycle();
    best(|| {
        press(show, *codes.next().expect("a key"));
        draw(&mut paper, show);
    })
}

fn replay_scene(instance: &debate_core::scenario::Instance) -> DebateScreenContext<'_> {
    DebateScreenContext::new(instance, &long::protocol())
}

fn ratios() {
    let empty = empty();
    let line = |name: &str, took: Duration| {
        let ratio = took.as_secs_f64() / empty.as_secs_f64();
        println!(
            "  {name:<46} {ratio:9.1} ×  {:10.3} ms",
            1e3 * took.as_secs_f64()
        );
    };
    println!("{COLUMNS} × {ROWS}; × is against drawing an empty frame");
    line("an empty frame", empty);
    let keys = keys::default_key_map().expect("the keys");
    let primes = scenes::primes();
    let scene = primes.scene();
    let offer = SeatChooserContents {
        draws_other_instance: false,
        last_results: &[],
        scene: &scene,
        preselected: SeatChoice::Watch,
        can_change_players: true,
        stronger: None,
    };
    let mut chooser = SeatToPlayScreen::new(&offer, &keys);
    line("chooser: first frame", first(&mut chooser));
    line(
        "chooser: key to frame",
        typed(&mut chooser, &[KeyCode::Down, KeyCode::Up]),
    );
    let (mut running, players) = primes.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, KeyCode::Enter);
    line("debate: first frame", first(&mut debate));
    line(
        "debate: key to frame (slider)",
        typed(&mut debate, &[KeyCode::Right, KeyCode::Left]),
    );
    press(&mut debate, KeyCode::Char('?'));
    line("help: first frame", first(&mut debate));
    press(&mut debate, KeyCode::Esc);
    press(&mut debate, KeyCode::Char(':'));
    line("palette: first frame", first(&mut debate));
    line(
        "palette: key to frame",
        typed(&mut debate, &[KeyCode::Down, KeyCode::Up]),
    );
    let further = [
        ("recursive", scenes::primes_recursive()),
        ("bridge", scenes::bridge()),
        ("turing", scenes::bundled("turing")),
    ];
    for (name, setup) in further {
        let scene = setup.scene();
        let (mut running, players) = setup.debate(&[Seat::Opponent]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        press(&mut debate, KeyCode::Enter);
        line(&format!("{name}: first frame"), first(&mut debate));
    }
    speeches(&line, &keys);
    wide(&line, &keys);
    million(&line, &keys);
    long_debates(&line, &keys);
}

/// Measures debates with speeches of 700 characters: one with two speeches, one with sixty.
fn speeches(line: &impl Fn(&str, Duration), keys: &KeyMap<Action>) {
    let text = |rounds: u32| {
        format!(
            "Scenario(format: 1, title: \"t\", problem: Question(text: \"Who?\", \
             answers: (\"She\", \"He\"), source: \"Nobody saw it.\", correct: 0), \
             protocol: Speeches(rounds: {rounds}, judged: AtEnd))"
        )
    };
    for rounds in [1, 30] {
        let origin = ScenarioTextSource::Text("speeches.ron".to_owned());
        let setup = LoadedScenario::from_text(&text(rounds), origin, &ScenarioLimits::default());
        let setup = setup.expect("a scenario");
        let instance = setup.instance(0);
        let start = || setup.protocol.start(&instance).expect("a debate");
        let outside = [Player::Outside, Player::Outside, Player::Outside];
        let seed = Seed::new("7").expect("a seed");
        let mut seating = SeatedDebate::new(start(), outside, &seed, 0);
        for _ in 0..2 * rounds {
            let parts = vec![
                SpeechPart::Text("It was she, as everybody knows. ".repeat(22)),
                SpeechPart::Quote("Nobody saw it.".to_owned()),
            ];
            let said = Reply::Speech(Box::new(Speech { parts }));
            seating.reply(said).expect("a legal speech");
        }
        println!("{} speeches", 2 * rounds);
        let history =
            SavedDebateWithCursor::from_moves(start(), seating.moves()).expect("they are legal");
        let scene = DebateScreenContext::new(&instance, &setup.protocol);
        let mut replay = ReplayScreen::new(history, &scene, keys);
        press(&mut replay, KeyCode::End);
        press(&mut replay, KeyCode::F(3));
        line("speeches: first frame at the end", first(&mut replay));
        line(
            "speeches: scroll by a line",
            typed(&mut replay, &[KeyCode::Up, KeyCode::Down]),
        );
        line(
            "speeches: search through all of it",
            once(|| {
                press(&mut replay, KeyCode::Char('/'));
                write(&mut replay, "nowhere");
                press(&mut replay, KeyCode::Enter);
                while replay.deadline().is_some() {
                    replay.wake();
                }
            }),
        );
    }
}

/// Measures the estimate of the middle one of 1,024 subclaims.
fn wide(line: &impl Fn(&str, Duration), keys: &KeyMap<Action>) {
    let rules = long::protocol();
    let instance = long::instance(1);
    let (moves, _) = long::moves(&instance, &rules);
    let start = rules.start(&instance).expect("a debate");
    let outside = [Player::Outside, Player::Outside, Player::Outside];
    let seed = Seed::new("7").expect("a seed");
    let mut seating = SeatedDebate::new(start, outside, &seed, 0);
    for made in moves {
        let turn = seating.turn().expect("the debate goes on");
        let place = turn.request.index_among_siblings();
        if place.is_some_and(|place| place >= long::WIDTH / 2) {
            break;
        }
        seating.apply_recorded_move(made).expect("a legal move");
    }
    let mut running = Debate::new(seating, None);
    let people = [(); 3].map(|()| "human".to_owned());
    let players = scenes::thread(&instance, &rules, people, "7");
    let scene = DebateScreenContext::new(&instance, &rules);
    let mut debate = DebateScreen::new(&mut running, players, &scene, keys);
    press(&mut debate, KeyCode::Enter);
    println!("a claim with 1,024 subclaims");
    line("1,024 subclaims: first frame", first(&mut debate));
    line(
        "1,024 subclaims: key to frame (slider)",
        typed(&mut debate, &[KeyCode::Right, KeyCode::Left]),
    );
}

/// Measures a scenario with more than a million claims before any move.
fn million(line: &impl Fn(&str, Duration), keys: &KeyMap<Action>) {
    let text = "Scenario(format: 1, title: \"t\", decomposition: Intervals(width: 4), \
                problem: Primality(number: \"1000036000099\"), \
                protocol: ProverEstimator(epsilon: 0.1, rho: \"1/2\"))";
    let took = best(|| {
        let origin = ScenarioTextSource::Text("million.ron".to_owned());
        let setup = LoadedScenario::from_text(text, origin, &ScenarioLimits::default())
            .expect("a scenario");
        let instance = setup.instance(0);
        let start = setup.protocol.start(&instance).expect("a debate");
        let scene = DebateScreenContext::new(&instance, &setup.protocol);
        let players = [Player::Outside, Player::Outside, Player::Outside];
        let seed = Seed::new("7").expect("a seed");
        let mut running = Debate::new(SeatedDebate::new(start, players, &seed, 0), None);
        let people = [(); 3].map(|()| "human".to_owned());
        let players = scenes::thread(&instance, &setup.protocol, people, "7");
        let mut debate = DebateScreen::new(&mut running, players, &scene, keys);
        draw(&mut paper(), &mut debate);
    });
    line("a million claims: read, first frame", took);
}

/// Measures transcripts of ten thousand and of a million events.
fn long_debates(line: &impl Fn(&str, Duration), keys: &KeyMap<Action>) {
    let rules = long::protocol();
    for levels in [LEVELS / 100, LEVELS] {
        let instance = long::instance(levels);
        let (moves, events) = long::moves(&instance, &rules);
        println!("a transcript of {events} events");
        let scene = replay_scene(&instance);
        let start = rules.start(&instance).expect("a debate");
        let mut history =
            Some(SavedDebateWithCursor::from_moves(start, &moves).expect("they are legal"));
        let mut replay = None;
        line(
            "replay: opens",
            once(|| {
                let history = history.take().expect("one debate");
                let replay = replay.insert(ReplayScreen::new(history, &scene, keys));
                draw(&mut paper(), replay);
            }),
        );
        let mut replay = replay.expect("just opened");
        line(
            "replay: to the end",
            once(|| press(&mut replay, KeyCode::End)),
        );
        line("replay: first frame at the end", first(&mut replay));
        let mut paper = paper();
        line(
            "replay: back one step, once",
            once(|| {
                press(&mut replay, KeyCode::Left);
                draw(&mut paper, &mut replay);
            }),
        );
        line(
            "replay: a step back and forth",
            typed(&mut replay, &[KeyCode::Left, KeyCode::Right]),
        );
        line(
            "replay: back a round, once",
            once(|| press(&mut replay, KeyCode::Char('['))),
        );
        press(&mut replay, KeyCode::End);
        press(&mut replay, KeyCode::Char('2'));
        line(
            "transcript: scroll by a line",
            typed(&mut replay, &[KeyCode::Up]),
        );
        line(
            "transcript: scroll by a page",
            typed(&mut replay, &[KeyCode::PageUp]),
        );
        line(
            "transcript: to its ends",
            typed(&mut replay, &[KeyCode::Char('g'), KeyCode::Char('G')]),
        );
        press(&mut replay, KeyCode::Char('g'));
        let mut longest = Duration::ZERO;
        line(
            "transcript: search through all of it",
            once(|| {
                press(&mut replay, KeyCode::Char('/'));
                write(&mut replay, "nowhere");
                let start = Instant::now();
                press(&mut replay, KeyCode::Enter);
                longest = start.elapsed();
                while replay.deadline().is_some() {
                    let start = Instant::now();
                    replay.wake();
                    draw(&mut paper, &mut replay);
                    longest = longest.max(start.elapsed());
                }
            }),
        );
        line("  the longest wait for a frame meanwhile", longest);
        press(&mut replay, KeyCode::Char('1'));
        line(
            "tree: to its ends",
            typed(&mut replay, &[KeyCode::Char('g'), KeyCode::Char('G')]),
        );
    }
}

fn frames(criterion: &mut Criterion) {
    let keys = keys::default_key_map().expect("the keys");
    let primes = scenes::primes();
    let scene = primes.scene();
    let mut group = criterion.benchmark_group("frames");
    group.sample_size(20);
    let mut blank = paper();
    group.bench_function("empty", |bencher| {
        bencher.iter(|| blank.draw(|_| {}).expect("a frame").count);
    });
    let (mut running, players) = primes.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, KeyCode::Enter);
    group.bench_function("first", |bencher| {
        bencher.iter(|| draw(&mut paper(), &mut debate));
    });
    let mut paper = paper();
    group.bench_function("key", |bencher| {
        bencher.iter(|| {
            press(&mut debate, KeyCode::Right);
            draw(&mut paper, &mut debate);
        });
    });
    let rules = long::protocol();
    let instance = long::instance(LEVELS);
    let (moves, _) = long::moves(&instance, &rules);
    let scene = replay_scene(&instance);
    let start = rules.start(&instance).expect("a debate");
    let history = SavedDebateWithCursor::from_moves(start, &moves).expect("they are legal");
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    press(&mut replay, KeyCode::End);
    press(&mut replay, KeyCode::Char('2'));
    group.bench_function("scroll in a million events", |bencher| {
        bencher.iter(|| {
            press(&mut replay, KeyCode::Up);
            draw(&mut paper, &mut replay);
        });
    });
    group.finish();
}

criterion_group!(benches, frames);

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
