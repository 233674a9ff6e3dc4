//! Arguments with very many claims, each written in the file.

use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_host::{AdvanceResult, Debate, PlayersThread};
use debate_solver::setup::{LoadedScenario, ScenarioError, ScenarioLimits, ScenarioTextSource};
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::scene::DebateScreenContext;
use debate_tui::tui::screen::ScreenExt as _;
use debate_tui::tui::theme::ScreenAppearance;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use crate::support::large;

fn read(text: &str) -> Result<LoadedScenario, ScenarioError> {
    let origin = ScenarioTextSource::Text("test.ron".to_owned());
    LoadedScenario::from_text(text, origin, &ScenarioLimits::default())
}

/// Reads an argument with `claims` claims, nine in ten of them leaves.
fn check_size(claims: usize, depth: u32) {
    let setup = read(&large::argument(claims)).expect("a scenario");
    let size = setup.decomposition.size(0);
    assert_eq!(size.claims, claims.into());
    assert_eq!((size.depth, size.width), (depth, 10));
    assert_eq!(size.leaves, (claims / 10 * 9).into());
}

#[test]
fn ten_thousand_claims_are_read() {
    check_size(10_000, 4);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: ten_thousand_claims_are_read"]
fn a_hundred_thousand_claims_are_read() {
    check_size(100_000, 5);
}

/// A debate between players that can play any such problem.
fn seated<'i>(instance: &'i Instance, protocol: &Protocol) -> SeatedDebate<'i, Exact> {
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let player = |(seat, name)| {
        let built = registry.build(
            &PlayerSpec::without_arguments(name),
            seat,
            instance,
            protocol,
        );
        Player::Builtin(built.expect("a player"))
    };
    let names = ["honest", "bayes", "oracle"];
    let players = [0, 1, 2].map(|at| player((Seat::PLAYERS[at], names[at])));
    let start = protocol.start(instance).expect("a debate");
    let seed = Seed::new("7").expect("a seed");
    SeatedDebate::new(start, players, &seed, 0)
}

/// Claims are made when a player first refers to them.
#[test]
fn a_million_claims_open_and_are_played_on_the_screen_in_little_memory() {
    let text = "Scenario(format: 1, title: \"t\", decomposition: Intervals(width: 4), \
                problem: Primality(number: \"1000036000099\"), \
                protocol: ProverEstimator(epsilon: 0.1, rho: \"1/2\"))";
    let (area, look) = (Rect::new(0, 0, 120, 40), ScreenAppearance::default());
    let mut buffer = Buffer::empty(area);
    let all = keys::default_key_map().expect("the keys");
    let taken = allocation_counter::measure(|| {
        let setup = read(text).expect("a scenario");
        assert!(setup.decomposition.size(0).claims > 1_000_000_u32.into());
        let instance = setup.instance(0);
        let thread = || {
            let protocol = setup.protocol.clone();
            PlayersThread::new(
                &instance,
                || (),
                move |instance, _| Ok(seated(instance, &protocol).into()),
            )
        };
        let debate = || Debate::new(seated(&instance, &setup.protocol), None);
        let scene = DebateScreenContext::new(&instance, &setup.protocol);
        buffer.reset();
        let mut begun = debate();
        DebateScreen::new(&mut begun, thread(), &scene, &all).draw(&look, &mut buffer, area);
        drop(begun);
        // Only this thread's allocations are measured, so the players move on this thread.
        let mut running = debate();
        assert!(matches!(
            running.play_until_blocked(),
            Ok(AdvanceResult::Over)
        ));
        let mut debate = DebateScreen::new(&mut running, thread(), &scene, &all);
        for code in [KeyCode::End, KeyCode::PageUp, KeyCode::Home] {
            buffer.reset();
            debate.draw(&look, &mut buffer, area);
            let _ = debate.key(KeyEvent::new(code, KeyModifiers::NONE));
        }
        buffer.reset();
        debate.draw(&look, &mut buffer, area);
    });
    let drawn: String = buffer
        .content
        .iter()
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert!(drawn.contains("the debate is over"), "{drawn}");
    assert!(taken.bytes_max < 4 << 20, "{taken:?}");
}

/// Checks that building a player takes at most `bytes` of memory, less than a byte for each claim.
fn check_players(claims: usize, bytes: u64) {
    let setup = read(&large::argument(claims)).expect("a scenario");
    let instance = setup.instance(0);
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    for (name, seat) in [
        ("honest", Seat::Prover),
        ("calibrated", Seat::Opponent),
        ("bayes", Seat::Opponent),
    ] {
        let taken = allocation_counter::measure(|| {
            let built = registry.build(
                &PlayerSpec::without_arguments(name),
                seat,
                &instance,
                &setup.protocol,
            );
            drop(built.expect("a player"));
        });
        assert!(taken.bytes_total < bytes, "{name}: {taken:?}");
    }
}

#[test]
fn players_of_a_large_argument_are_built_without_computing() {
    check_players(10_000, 1 << 13);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: players_of_a_large_argument_are_built_without_computing"]
fn players_of_a_huge_argument_are_built_without_computing() {
    check_players(100_000, 1 << 16);
}

/// Checks that an error in the last claim names its line and its field.
fn check_last_error(claims: usize) {
    let last = claims - 1;
    let text = large::argument(claims).replace(
        &format!("Observation {last} was"),
        &format!("Observation \\u{{9b}}{last} was"),
    );
    let error = read(&text).expect_err("a control character").to_string();
    assert!(error.starts_with(&format!("test.ron:{claims}:")), "{error}");
    let field = format!("problem.claims[\"c{last}\"].text: a control character (U+009B)");
    assert!(error.contains(&field), "{error}");
}

#[test]
fn an_error_at_the_end_of_a_large_file_is_located() {
    check_last_error(2_000);
}

#[test]
#[ignore = "exhaustive: 3 s; every day: an_error_at_the_end_of_a_large_file_is_located"]
fn an_error_at_the_end_of_a_huge_file_is_located() {
    check_last_error(20_000);
}
