//! A finished debate on the screen of another judge. The screen does not reveal how the debate continued. At the end
//! both judges are shown side by side.

use std::cell::RefCell;

use debate_lab::judgements::Judgement;
use debate_tui::tui::debate::{RejudgeScreen, RejudgeScreenChoice};
use debate_tui::tui::keys;
use debate_tui::tui::screen::{ScreenEffect, ScreenExt as _};
use debate_tui::tui::theme::ScreenAppearance;
use ratatui::{buffer::Buffer, layout::Rect};

use super::table::finished;
use super::{picture, press};

fn text(screen: &mut RejudgeScreen<'_>) -> String {
    let area = Rect::new(0, 0, 120, 200);
    let mut buffer = Buffer::empty(area);
    screen.draw(&ScreenAppearance::default(), &mut buffer, area);
    picture::text(&buffer)
}

/// Judges a debate of a bundled scenario to its end. Passes every picture on the way to `look`; returns the last one
/// and the saved judgements.
fn judged(name: &str, mut look: impl FnMut(&str)) -> (String, Vec<Judgement>) {
    let (case, keys) = (finished(name), keys::default_key_map().unwrap());
    let kept = RefCell::new(Vec::new());
    let keep = Box::new(|made: &Judgement| {
        kept.borrow_mut().push(made.clone());
        Ok(())
    });
    let begun = case.begin_rejudgement().unwrap();
    let mut screen = RejudgeScreen::new(&case, begun, String::new(), keep, &keys).unwrap();
    for number in 0..99 {
        let shown = text(&mut screen);
        if shown.contains("Both judges") {
            drop(screen);
            return (shown, kept.take());
        }
        look(&shown);
        let asks = shown.contains("Your probability");
        press(&mut screen, if asks { "6 0 enter" } else { "enter" });
        assert!(number < 90, "{name} has no end");
    }
    unreachable!("it ends before");
}

#[test]
fn rejudging_hides_the_later_course_of_the_debate() {
    for name in [
        "lighthouse",
        "primes",
        "primes-recursive",
        "law",
        "parity",
        "pull-request",
    ] {
        let mut pictures = 0;
        let (end, kept) = judged(name, |shown| {
            pictures += 1;
            for hidden in [
                "The debate is over",
                "receives",
                "decides for",
                "No payment",
                "both sides receive",
                "The verifier reads",
                "Judge   says that",
                "Judge • says that",
                "Judge   estimates",
                "Judge • estimates",
                "wants to hear",
                "The right answer",
                "Paid",
                "swayed",
            ] {
                assert!(!shown.contains(hidden), "{name}: {hidden}\n{shown}");
            }
        });
        assert!(pictures > 2, "{name}: {pictures}");
        let [made] = &kept[..] else {
            panic!("{name}: {kept:?}");
        };
        assert!(made.by_round.len() > 1, "{made:?}");
        assert!(end.contains("Probabilities of the right answer"), "{end}");
        // The hidden parts are open now.
        assert!(end.contains("The debate is over"), "{name}: {end}");
    }
}

#[test]
fn both_judges_are_shown_and_unsaved_judgements_are_reported() {
    let (end, kept) = judged("lighthouse", |_| {});
    assert_eq!(kept[0].continues, 3);
    assert!(
        end.contains("before round 1: you 60 %, the other judge 50 %"),
        "{end}"
    );
    let (case, keys) = (finished("lighthouse"), keys::default_key_map().unwrap());
    let keep = Box::new(|_: &Judgement| Err("the disk is full".to_owned()));
    let begun = case.begin_rejudgement().unwrap();
    let mut screen = RejudgeScreen::new(&case, begun, String::new(), keep, &keys).unwrap();
    press(&mut screen, "6 0 enter 7 0 enter e");
    let end = text(&mut screen);
    assert!(
        end.contains("Your judgement is not saved: the disk is full"),
        "{end}"
    );
    assert_eq!(
        press(&mut screen, "enter"),
        ScreenEffect::Leave(RejudgeScreenChoice::Next)
    );
}

#[test]
fn leaving_early_asks_for_confirmation_and_is_not_counted() {
    let (case, keys) = (finished("lighthouse"), keys::default_key_map().unwrap());
    let keep = Box::new(|_: &Judgement| panic!("nothing was judged"));
    let begun = case.begin_rejudgement().unwrap();
    let mut screen = RejudgeScreen::new(&case, begun, String::new(), keep, &keys).unwrap();
    press(&mut screen, "6 0 enter q");
    assert!(text(&mut screen).contains("again to leave; your numbers are then discarded"));
    assert_eq!(
        press(&mut screen, "q"),
        ScreenEffect::Leave(RejudgeScreenChoice::Left)
    );
}

#[test]
fn the_transcript_is_searched_while_rejudging() {
    let (case, keys) = (finished("lighthouse"), keys::default_key_map().unwrap());
    let keep = Box::new(|_: &Judgement| Ok(()));
    let begun = case.begin_rejudgement().unwrap();
    let mut screen = RejudgeScreen::new(&case, begun, String::new(), keep, &keys).unwrap();
    press(&mut screen, "6 0 enter ctrl-f n o t h e r e enter");
    assert!(text(&mut screen).contains("“nothere” is not in the transcript"));
}
