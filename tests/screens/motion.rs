//! The animation of a coin takes three frames; any key skips them, and no wake-up remains afterwards.

use std::time::Duration;

use debate_core::protocol::Seat;
use debate_host::record::TimeSource;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::scene::DebateScreenContext;
use debate_tui::tui::screen::ScreenWithTimedUpdates as _;
use debate_tui::tui::theme::ScreenAppearance;

use super::{picture, press, wait_until_due};
use crate::support::scenes::primes;

/// A debate in which Bob has just given 90 % for the first subclaim, so that the animation of its coin starts.
fn falling(animated: bool, test: impl FnOnce(&mut DebateScreen, &TimeSource)) {
    let setup = primes();
    let scene = DebateScreenContext {
        animated,
        time: TimeSource::manual_clock(),
        ..setup.scene()
    };
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "enter 0 enter enter 9 0 enter enter");
    test(&mut debate, &scene.time);
}

fn text(debate: &mut DebateScreen) -> String {
    picture::text(&picture::buffer(
        debate,
        &ScreenAppearance::default(),
        80,
        24,
    ))
}

#[test]
fn a_coin_lands_in_three_frames() {
    falling(true, |debate, time| {
        let mut frames = vec![text(debate)];
        while debate.deadline().is_some() {
            wait_until_due(debate, time);
            frames.push(text(debate));
            assert!(frames.len() < 10, "the screen never rests");
        }
        assert_eq!(frames.len(), 4);
        frames.dedup();
        assert_eq!(frames.len(), 4, "each frame is another picture");
        falling(false, |still, _| assert_eq!(frames[3], text(still)));
    });
}

#[test]
fn a_slow_screen_leaves_frames_out() {
    falling(true, |debate, time| {
        time.advance_both_clocks(Duration::from_secs(1));
        debate.wake();
        assert_eq!(debate.deadline(), None);
        let settled = text(debate);
        falling(false, |still, _| assert_eq!(settled, text(still)));
    });
}

#[test]
fn any_key_ends_the_motion_and_is_taken() {
    falling(true, |debate, _| {
        press(debate, "3");
        assert_eq!(debate.deadline(), None);
        assert!(text(debate).contains("3_ %"));
    });
}

#[test]
fn no_frame_is_animated_if_animation_is_off() {
    falling(false, |debate, _| assert_eq!(debate.deadline(), None));
}

#[test]
fn a_reward_appears_after_its_coin_has_landed() {
    let setup = primes();
    let scene = DebateScreenContext {
        animated: true,
        time: TimeSource::manual_clock(),
        ..setup.scene()
    };
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    let large = |debate: &mut DebateScreen| {
        let look = ScreenAppearance::default();
        picture::text(&picture::buffer(debate, &look, 120, 36))
    };
    let total = |shown: &str| {
        let (_, after) = shown.split_once("total ").expect(shown);
        after.split_whitespace().next().expect(shown).to_owned()
    };
    let (mut rewards, mut ended) = (0, false);
    for _ in 0..400 {
        let before = large(&mut debate);
        if before.contains("The end") {
            ended = true;
            break;
        }
        press(&mut debate, ".");
        let falling = large(&mut debate);
        if debate.deadline().is_none() {
            continue;
        }
        scene.time.advance_both_clocks(Duration::from_secs(1));
        debate.wake();
        let landed = large(&mut debate);
        assert_eq!(total(&falling), total(&before), "{falling}");
        let paid = |shown: &str| shown.matches("•+").count() + shown.matches("•-").count();
        assert!(
            paid(&landed) == 0 || paid(&falling) < paid(&landed),
            "{falling}"
        );
        rewards += usize::from(total(&landed) != total(&before));
    }
    assert!(ended && rewards > 1, "{rewards} rewards");
}
