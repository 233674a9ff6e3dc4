//! A slow built-in player: the screen stays responsive, names the player it waits for, and can stop waiting.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{
    Player, Policy, ReplyDistribution, SeatedDebate, StrategyMemoryAndCosts,
};
use debate_core::protocol::{Reply, Request, State, View};
use debate_core::scenario::Instance;
use debate_host::Debate;
use debate_host::PlayersThread;
use debate_host::record::TimeSource;
use debate_tui::tui::debate::{DebateScreen, DebateScreenChoice};
use debate_tui::tui::input::{MainLoopInbox, MainLoopMessage, MainLoopWaker};
use debate_tui::tui::keys;
use debate_tui::tui::scene::DebateScreenContext;
use debate_tui::tui::screen::{ScreenEffect, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;

use super::{picture, press};
use crate::support::patience::{PATIENCE, wait_until};
use crate::support::scenes::{Setup, primes};

/// A player that answers a claim only on request of the test.
struct Slow {
    told: Arc<Mutex<Receiver<()>>>,
}

impl<'a> Policy<Exact, State<'a, Exact>> for Slow {
    fn choose(
        &self,
        _view: View<'_, State<'a, Exact>>,
        _request: &Request<Exact>,
        _mind: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        // After the end of the test, no answer is needed.
        self.told.lock().unwrap().recv().ok()?;
        Some(ReplyDistribution::Certain(Reply::Answer(false)))
    }
}

/// The debate with slow Alice; external players hold the other seats.
fn seated<'i>(
    setup: (&debate_core::protocol::Protocol, &str),
    instance: &'i Instance,
    told: &Arc<Mutex<Receiver<()>>>,
) -> SeatedDebate<'i, Exact> {
    let slow = Player::Builtin(Box::new(Slow {
        told: Arc::clone(told),
    }));
    let start = setup.0.start(instance).unwrap();
    let players = [slow, Player::Outside, Player::Outside];
    SeatedDebate::new(start, players, &Seed::new(setup.1).unwrap(), 0)
}

/// Shows that debate with a manual clock; `tell` lets Alice answer once.
fn with_slow_alice(test: impl FnOnce(&mut DebateScreen<'_, '_>, &Sender<()>, &TimeSource)) {
    with_waker(MainLoopWaker::default(), test);
}

fn with_waker(
    waker: MainLoopWaker,
    test: impl FnOnce(&mut DebateScreen<'_, '_>, &Sender<()>, &TimeSource),
) {
    let setup: Setup = primes();
    let scene = DebateScreenContext {
        time: TimeSource::manual_clock(),
        ..setup.scene()
    };
    let keys = keys::default_key_map().unwrap();
    let (tell, told) = channel();
    let told = Arc::new(Mutex::new(told));
    let named = (&setup.protocol, setup.seed.as_str());
    let mut running = Debate::new(seated(named, &setup.instance, &told), None);
    let players = PlayersThread::new(&setup.instance, move || waker.wake(), {
        let (protocol, seed) = (setup.protocol.clone(), setup.seed.clone());
        move |instance, _budget| Ok(seated((&protocol, &seed), instance, &told).into())
    });
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    test(&mut debate, &tell, &scene.time);
}

fn text(debate: &mut DebateScreen<'_, '_>) -> String {
    picture::text(&picture::buffer(
        debate,
        &ScreenAppearance::default(),
        80,
        24,
    ))
}

/// Draws until the picture contains a text.
fn wait_for(debate: &mut DebateScreen<'_, '_>, wanted: &str) -> String {
    wait_until(wanted, || {
        Some(text(debate)).filter(|shown| shown.contains(wanted))
    })
}

#[test]
fn the_screen_responds_while_a_player_thinks() {
    with_slow_alice(|debate, tell, time| {
        press(debate, "enter");
        wait_for(debate, "Alice is thinking (esc stops)");
        // The time is shown from the first second on, and the screen asks to be drawn then.
        let second = Duration::from_secs(1);
        assert_eq!(debate.deadline(), Some(time.monotonic_now() + second));
        for seconds in ["1 s", "2 s"] {
            time.advance_both_clocks(second);
            debate.wake();
            wait_for(debate, &format!("Alice is thinking, {seconds} (esc stops)"));
        }
        press(debate, "?");
        assert!(text(debate).contains("╭ Help ─"));
        press(debate, "esc");
        assert!(text(debate).contains("Alice is thinking"));
        tell.send(()).unwrap();
        let shown = wait_for(debate, "Hand the keyboard to Bob");
        assert!(!shown.contains("is thinking"), "{shown}");
        assert!(debate.deadline().is_none());
    });
}

#[test]
fn esc_stops_waiting_for_a_player() {
    with_slow_alice(|debate, tell, _| {
        press(debate, "enter");
        wait_for(debate, "Alice is thinking");
        press(debate, "esc");
        let shown = text(debate);
        assert!(shown.contains("Alice was interrupted"), "{shown}");
        assert!(debate.deadline().is_none());
        // Her reply is not shown before the user requests it.
        tell.send(()).unwrap();
        assert!(text(debate).contains("Next move"));
        press(debate, "enter");
        wait_for(debate, "Hand the keyboard to Bob");
    });
    with_slow_alice(|debate, _, _| {
        press(debate, "enter");
        wait_for(debate, "Alice is thinking");
        assert_eq!(
            press(debate, "q"),
            ScreenEffect::Leave(DebateScreenChoice::Quit)
        );
    });
}

#[test]
fn a_move_wakes_the_screen_and_a_quick_one_shows_no_thinking() {
    let mut inbox = MainLoopInbox::new();
    with_waker(inbox.waker(), |debate, tell, _| {
        tell.send(()).unwrap();
        press(debate, "enter");
        // On a busy machine it may come after the first frame.
        let shown = wait_for(debate, "Hand the keyboard to Bob");
        assert!(!shown.contains("is thinking"), "{shown}");
        let woken = inbox.wait(Some(Instant::now() + PATIENCE)).next();
        assert_eq!(woken, Some(MainLoopMessage::Other(())));
    });
}
