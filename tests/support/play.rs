//! A program that plays debates on the screen, in memory. It runs in a pseudo-terminal, or by hand:
//! `DEBATE_TRIAL=choose cargo test --test suite -- --exact screens::trial --nocapture`.

use std::{env, io};

use debate_core::protocol::Seat;
use debate_host::record::SavedDebateWithCursor;
use debate_tui::tui::debate::{DebateScreen, DebateScreenChoice, ReplayScreen};
use debate_tui::tui::input::MainLoopInbox;
use debate_tui::tui::keys;
use debate_tui::tui::menu::{SeatChoice, SeatChooserContents, SeatToPlayScreen};
use debate_tui::tui::screen::{ScreenOutcomeOrAppRequest, run as run_screen};
use debate_tui::tui::terminal::{LocalTerminal, TerminalFeaturesToEnable};
use debate_tui::tui::theme::ScreenAppearance;

use super::scenes::{Setup, bridge, bundled, primes, primes_recursive};

/// The environment variable that turns the test binary into the program: a seat, `none` or `choose`, optionally
/// followed by a colon and a scenario.
pub const ASKED: &str = "DEBATE_TRIAL";

pub fn run_if_asked() {
    if let Ok(wish) = env::var(ASKED) {
        let left = run(&wish).unwrap();
        println!("{left}");
    }
}

fn setup(name: &str) -> Setup {
    match name {
        "bridge" => bridge(),
        "recursive" => primes_recursive(),
        "" => primes(),
        name => bundled(name),
    }
}

fn run(wish: &str) -> io::Result<String> {
    let (seat, scenario) = wish.split_once(':').unwrap_or((wish, ""));
    let setup = setup(scenario);
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let mut inbox = MainLoopInbox::<()>::new();
    let mut screen = LocalTerminal::open(TerminalFeaturesToEnable::default(), &inbox)?;
    let mut look = ScreenAppearance::appearance_from_environment();
    let named = Seat::PLAYERS
        .into_iter()
        .find(|known| known.name_in_flags_and_json() == seat);
    let chair = match (named, seat) {
        (Some(seat), _) => SeatChoice::Play(seat),
        (None, "none") => SeatChoice::Watch,
        _ => {
            let offer = SeatChooserContents {
                draws_other_instance: false,
                last_results: &[],
                scene: &scene,
                preselected: SeatChoice::Play(Seat::Opponent),
                can_change_players: true,
                stronger: None,
            };
            match run_screen(
                &mut screen,
                &mut inbox,
                &mut SeatToPlayScreen::new(&offer, &keys),
                &mut look,
            )? {
                ScreenOutcomeOrAppRequest::Outcome(Some(chair)) => chair,
                _ => return Ok("No seat was taken.".to_owned()),
            }
        }
    };
    let people = match chair {
        SeatChoice::Play(seat) => vec![seat],
        SeatChoice::Stronger | SeatChoice::Watch | SeatChoice::Arrange => Vec::new(),
    };
    loop {
        let (mut running, players) = setup.debate(&people);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        let outcome = run_screen(&mut screen, &mut inbox, &mut debate, &mut look)?;
        let ScreenOutcomeOrAppRequest::Outcome(outcome) = outcome else {
            return Ok("Left for something else.".to_owned());
        };
        match outcome {
            DebateScreenChoice::Quit => {
                let over = running.state_and_players().turn().is_none();
                return Ok(format!("Left the debate, over: {over}."));
            }
            DebateScreenChoice::WatchAgain => {
                let start = setup.protocol.start(&setup.instance).unwrap();
                let history =
                    SavedDebateWithCursor::from_moves(start, running.state_and_players().moves())
                        .unwrap();
                let mut replay = ReplayScreen::new(history, &scene, &keys);
                run_screen(&mut screen, &mut inbox, &mut replay, &mut look)?;
                return Ok("Watched it again.".to_owned());
            }
            _ => {}
        }
    }
}
