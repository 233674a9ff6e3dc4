//! Every screen there is: its styles in each theme, and that it fits anywhere.

use std::cell::RefCell;

use debate_tui::protocol::Seat;
use debate_tui::tui::screen::{Chair, Chooser, Compare, Debate, Form, Home, Offer, Replay, keys};
use debate_tui::tui::screen::{Show, Tape};
use debate_tui::tui::theme::{ASCII, Look, Theme};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use ratatui::{buffer::Buffer, layout::Rect};

use super::lists::{Few, Paint};
use super::side_by_side::half;
use super::values::{settled, valued};
use super::{picture, press};
use crate::scenes::{primes, primes_recursive};

type Draw<'s> = Box<dyn FnMut(&Look, &mut Buffer, Rect) + 's>;

/// A screen as something that draws.
struct Screen<'s> {
    name: &'static str,
    draw: Draw<'s>,
}

impl<'s> Screen<'s> {
    fn new(name: &'static str, mut show: impl Show + 's) -> Self {
        let draw = move |look: &Look, buffer: &mut Buffer, area| show.draw(look, buffer, area);
        Self {
            name,
            draw: Box::new(draw),
        }
    }

    fn at(&mut self, look: &Look, columns: u16, rows: u16) -> Buffer {
        let area = Rect::new(0, 0, columns, rows);
        let mut buffer = Buffer::empty(area);
        (self.draw)(look, &mut buffer, area);
        buffer
    }
}

/// Hands out every screen, with something on it.
fn with_every(test: impl FnOnce(&mut [Screen<'_>])) {
    let keys = keys::map().unwrap();
    let (left, right) = (primes_recursive(), primes());
    let (scene, watched) = (right.scene(), valued(&right, &[Seat::Judge], false));
    let look = Look::default();
    let offer = Offer {
        scene: &scene,
        preselected: Chair::At(Seat::Opponent),
        arrangeable: true,
    };
    let mut few = [Few::new(), Few::new(), Few::new()];
    let [few, helped, listed] = &mut few;
    let mut paint = Paint {
        colour: 1,
        number: 6,
    };
    let halves = [half(&left), half(&right)];
    let mut seatings = [
        right.seating(&[Seat::Opponent]),
        right.seating(&[Seat::Judge]),
        right.seating(&[Seat::Judge]),
        right.seating(&[]),
    ];
    let [asked, ended, reviewed, played] = &mut seatings;

    let mut debate = Debate::new(asked, &scene, &keys);
    press(&mut debate, "enter 0 enter enter 9 0 enter enter 3 3");
    let mut end = Debate::new(ended, &scene, &keys);
    press(&mut end, "enter y enter");
    let mut review = Debate::new(reviewed, &watched, &keys);
    press(&mut review, "enter y enter e");
    settled(&mut review, &look, 80, 24);
    while played.advance().is_ok() {}
    let start = right.protocol.start(&right.instance).unwrap();
    let tape = Tape::of_moves(start, played.moves());
    let mut replay = Replay::new(tape, &scene, &keys);
    press(&mut replay, "] ] right right");
    let mut compare = Compare::new(&halves, &keys);
    press(&mut compare, "right right");
    let mut help = Home::new(helped, &keys, None);
    press(&mut help, "?");
    let mut palette = Home::new(listed, &keys, None);
    press(&mut palette, ":");
    let mut screens = [
        Screen::new("home", Home::new(few, &keys, Some(&"Is 4331 prime?"))),
        Screen::new("chooser", Chooser::new(&offer, &keys)),
        Screen::new("form", Form::new(&mut paint, &keys)),
        Screen::new("debate", debate),
        Screen::new("end", end),
        Screen::new("review", review),
        Screen::new("replay", replay),
        Screen::new("compare", compare),
        Screen::new("help", help),
        Screen::new("palette", palette),
    ];
    test(&mut screens);
}

#[test]
fn every_screen_has_its_styles_in_every_theme() {
    with_every(|screens| {
        for screen in screens {
            for (columns, rows) in [(80, 24), (160, 50)] {
                let text = picture::text(&screen.at(&Look::default(), columns, rows));
                let themes = [Theme::Dark, Theme::Light, Theme::Monochrome];
                let styles = themes.map(|theme| {
                    let look = Look {
                        theme,
                        ..Look::default()
                    };
                    let shown = screen.at(&look, columns, rows);
                    assert_eq!(picture::text(&shown), text, "{}", screen.name);
                    format!("-- {}\n{}", theme.name(), picture::styles(&shown))
                });
                insta::assert_snapshot!(
                    format!("{}-{columns}x{rows}", screen.name),
                    format!("{text}\n{}", styles.concat())
                );
            }
        }
    });
}

#[test]
fn every_screen_fits_every_size() {
    with_every(|screens| {
        let screens = RefCell::new(screens);
        let config = ProptestConfig {
            cases: 96,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let size = |columns: u16, rows: u16| (1..=columns, 1..=rows);
        // Small sizes are the hard ones.
        let sizes = prop_oneof![size(250, 80), size(70, 26), size(12, 12)];
        let outcome = TestRunner::new(config).run(&(sizes, any::<bool>()), |(size, ascii)| {
            let area = Rect::new(2, 1, size.0, size.1);
            let mut look = Look::default();
            if ascii {
                look.glyphs = &ASCII;
            }
            for screen in screens.borrow_mut().iter_mut() {
                let mut buffer = Buffer::empty(Rect::new(0, 0, size.0 + 4, size.1 + 2));
                // A second frame, after the panels have got used to the size.
                (screen.draw)(&look, &mut buffer, area);
                (screen.draw)(&look, &mut buffer, area);
                let outside = |position: &ratatui::layout::Position| !area.contains(*position);
                for position in buffer.area.positions().filter(outside) {
                    prop_assert_eq!(buffer[position].symbol(), " ", "{}", screen.name);
                }
            }
            Ok(())
        });
        outcome.unwrap();
    });
}

#[test]
fn no_screen_wants_to_be_woken_while_nothing_is_computed() {
    let keys = keys::map().unwrap();
    let setup = primes();
    let scene = setup.scene();
    let mut few = Few::new();
    assert_eq!(Home::new(&mut few, &keys, None).deadline(), None);
    let mut seating = setup.seating(&[Seat::Opponent]);
    let mut debate = Debate::new(&mut seating, &scene, &keys);
    for keys in ["", "enter", "?", "esc :", "esc 4 0 enter", "/ a enter"] {
        press(&mut debate, keys);
        assert_eq!(debate.deadline(), None, "{keys}");
    }
}
