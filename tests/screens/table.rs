//! A table of all screens with content. The tests of styles, sizes and keys use it.

use std::any::type_name;
use std::fmt::Debug as Printed;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::protocol::Seat;
use debate_host::Debate;
use debate_host::record::{SaveHeader, SaveJournal, SavedDebateWithCursor};
use debate_lab::judgements::{FinishedDebateToRejudge, RejudgeQueue};
use debate_solver::setup;
use debate_tui::tui::actions::ScreenKeyContext;
use debate_tui::tui::debate::{
    CompareScreen, ComparedDebatePair, DebateScreen, RejudgeScreen, ReplayScreen,
};
use debate_tui::tui::input::MainLoopWaker;
use debate_tui::tui::keys;
use debate_tui::tui::menu::{
    ChoicePage, ComputationWaitScreen, Form, HomeScreen, ReadingPage, SeatChoice,
    SeatChooserContents, SeatToPlayScreen,
};
use debate_tui::tui::scene::DebateScreenContext;
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenExt as _};
use debate_tui::tui::settings::{Settings, SettingsForm};
use debate_tui::tui::theme::{ScreenAppearance, ThemeChoice};
use debate_tui::tui::tutorial::TUTORIAL;
use ratatui::crossterm::event::KeyEvent;
use ratatui::{buffer::Buffer, layout::Rect};

use super::lessons::in_lesson;
use super::lists::{Few, Paint};
use super::side_by_side::half;
use super::values::{settled, valued};
use super::{event, press};
use crate::support::scenes::{Setup, bridge, bundled, primes, primes_recursive, seated};

/// A screen of any type.
pub(super) trait Anything {
    /// The name of the screen's type.
    fn kind(&self) -> &'static str;
    fn paint(&mut self, look: &ScreenAppearance, buffer: &mut Buffer, area: Rect);
    fn place(&self) -> ScreenKeyContext;
    /// Handles a key. Returns the effect that the main loop must handle, if any.
    fn type_in(&mut self, event: KeyEvent) -> Option<String>;
    fn wakes(&mut self) -> Option<Instant>;

    fn press(&mut self, script: &str) -> Option<String> {
        let mut came = None;
        for key in script.split_whitespace() {
            came = self.type_in(event(key));
        }
        came
    }

    fn at(&mut self, look: &ScreenAppearance, columns: u16, rows: u16) -> Buffer {
        let area = Rect::new(0, 0, columns, rows);
        let mut buffer = Buffer::empty(area);
        self.paint(look, &mut buffer, area);
        buffer
    }
}

impl<S: Screen<Outcome: Printed>> Anything for S {
    fn kind(&self) -> &'static str {
        let path = type_name::<S>().split('<').next().unwrap();
        path.rsplit("::").next().unwrap()
    }

    fn paint(&mut self, look: &ScreenAppearance, buffer: &mut Buffer, area: Rect) {
        self.draw(look, buffer, area);
    }

    fn place(&self) -> ScreenKeyContext {
        self.context_with_shared_facts()
    }

    fn type_in(&mut self, event: KeyEvent) -> Option<String> {
        match self.key(event) {
            ScreenEffect::None => None,
            effect => Some(format!("{effect:?}")),
        }
    }

    fn wakes(&mut self) -> Option<Instant> {
        self.timer()?.deadline()
    }
}

/// A callback that gets a screen.
pub(super) type Hand<'h> = dyn FnMut(&mut dyn Anything) + 'h;

/// The name of a screen, and the function that makes it and passes it on.
pub(super) struct Made {
    pub(super) name: &'static str,
    pub(super) hand_out: fn(&mut Hand<'_>),
}

const fn made(name: &'static str, hand_out: fn(&mut Hand<'_>)) -> Made {
    Made { name, hand_out }
}

const PROVER: &[Seat] = &[Seat::Prover];
const OPPONENT: &[Seat] = &[Seat::Opponent];
const JUDGE: &[Seat] = &[Seat::Judge];
const ALL: &[Seat] = &Seat::PLAYERS;

/// Alice's keys up to the bet on the first estimate.
const TO_THE_BET: &str = "y enter enter";
/// The keys of all players up to a line of a support in a user's own words.
const TO_THE_LINE: &str = "y enter enter 5 0 enter enter enter 1 enter";

/// Every screen, in every state with a different look or different keys.
pub(super) const TABLE: &[Made] = &[
    made("home", |hand| home("", hand)),
    made("home-search", |hand| home("/ p r i", hand)),
    made("chooser", chooser),
    made("form", |hand| form("", hand)),
    made("form-typing", |hand| form("down e 4", hand)),
    made("settings", |hand| settings("down down down", hand)),
    made("settings-keys", |hand| {
        settings("up up down down down down down down down down e", hand);
    }),
    made("ask-answer", |hand| debate(&primes(), PROVER, "y", hand)),
    made("ask-estimate-first", |hand| {
        debate(&primes(), OPPONENT, "enter", hand);
    }),
    made("ask-estimate", |hand| {
        debate(&primes(), OPPONENT, super::TO_THE_PICTURE, hand);
    }),
    made("ask-bet", |hand| {
        debate(&primes(), PROVER, &format!("{TO_THE_BET} 1"), hand);
    }),
    made("ask-support", |hand| {
        debate(&bridge(), PROVER, "y enter enter 1 enter down", hand);
    }),
    made("ask-choice", |hand| {
        debate(
            &primes(),
            PROVER,
            "y enter enter 1 enter enter enter 2",
            hand,
        );
    }),
    made("ask-contest", |hand| {
        debate(&primes_recursive(), OPPONENT, "enter 3", hand);
    }),
    made("ask-proof-bit", |hand| {
        let script = "y enter enter 1 enter 1 enter enter 3 enter 2 enter 1";
        debate(&bridge(), PROVER, script, hand);
    }),
    made("ask-answers", |hand| {
        debate(
            &primes_recursive(),
            PROVER,
            "y enter enter down space enter",
            hand,
        );
    }),
    made("ask-bits", |hand| {
        debate(&bundled("turing"), PROVER, "enter", hand);
    }),
    made("ask-halves", |hand| {
        debate(&bundled("turing"), OPPONENT, "enter 2", hand);
    }),
    made("ask-variables", |hand| {
        debate(&bundled("qbf"), OPPONENT, "enter 0 1", hand);
    }),
    made("ask-transcript", |hand| {
        debate(&bundled("multiplier"), PROVER, "", hand);
    }),
    made("ask-steps", |hand| {
        // Unchanged values of a day need a second key.
        let script = "enter enter enter enter enter enter enter enter enter enter 3";
        debate(&bundled("qbf"), OPPONENT, script, hand);
    }),
    made("ask-share", |hand| {
        debate(&bundled("one-question"), OPPONENT, "enter 0 . 4", hand);
    }),
    made("ask-oracle", |hand| {
        debate(&primes(), JUDGE, "enter y", hand);
    }),
    made("ask-hints", |hand| {
        let setup = bridge();
        let scene = valued(&setup, PROVER, true);
        in_scene(&setup, &scene, PROVER, TO_THE_BET, true, hand);
    }),
    made("ask-speech", |hand| {
        let script = "enter F u l l : ctrl-f b r i m enter ctrl-y ctrl-q d r y ctrl-q";
        debate(&bundled("lighthouse"), PROVER, script, hand);
    }),
    made("source", |hand| {
        let script = "enter ctrl-f b r i m enter ctrl-y ctrl-s f2 down";
        debate(&bundled("lighthouse"), PROVER, script, hand);
    }),
    made("ask-feedback", |hand| {
        let script = "5 0 enter ctrl-s enter 6 2 enter W h y ?";
        debate(&bundled("lighthouse"), JUDGE, script, hand);
    }),
    made("ask-continue", |hand| {
        let script = "5 0 enter ctrl-s enter 6 2 enter ctrl-s n";
        debate(&bundled("lighthouse"), JUDGE, script, hand);
    }),
    made("spoken-end", |hand| {
        let script = "5 0 enter ctrl-s enter 6 2 enter ctrl-s n enter";
        debate(&bundled("lighthouse"), JUDGE, script, hand);
    }),
    made("watch", |hand| {
        debate(&primes(), JUDGE, "R R", hand);
    }),
    made("tree", |hand| {
        debate(&primes(), JUDGE, "R R tab", hand);
    }),
    made("search", |hand| {
        debate(&primes(), JUDGE, "R R / 3 4 –", hand);
    }),
    made("compose", |hand| {
        let script = format!("{TO_THE_LINE} O n e enter 図 書 館");
        debate(&bundled("open"), ALL, &script, hand);
    }),
    made("compose-gate", |hand| {
        debate(&bundled("open"), ALL, &format!("{TO_THE_LINE} up"), hand);
    }),
    made("hand-over", |hand| {
        debate(&bundled("open"), ALL, "y enter", hand);
    }),
    made("shared-judge", |hand| {
        let script = "y enter enter 5 0 enter enter enter 1 enter 2 enter enter 5 0 enter enter \
                      enter enter 1 enter enter";
        debate(&bridge(), ALL, script, hand);
    }),
    made("end", |hand| {
        debate(&primes(), JUDGE, "enter y enter", hand);
    }),
    made("end-review", |hand| review("", hand)),
    made("review", |hand| review("e", hand)),
    made("many", |hand| review("m", hand)),
    made("replay", |hand| replay("] ] right right", hand)),
    made("replay-transcript", |hand| replay("right tab tab", hand)),
    made("compare", |hand| compare(hand)),
    made("rejudge", |hand| rejudge("lighthouse", "6 0", hand)),
    made("rejudge-more", |hand| {
        rejudge("lighthouse", "5 0 enter 6 0 enter", hand);
    }),
    made("rejudge-end", |hand| {
        rejudge("lighthouse", "5 0 enter 6 0 enter e", hand);
    }),
    made("rejudge-claims", |hand| {
        rejudge("primes-4331", "5 0 enter 6 0 enter enter 4", hand);
    }),
    made("lesson", |hand| {
        in_lesson(0, "", &mut |lesson| hand(lesson));
    }),
    made("lesson-question", |hand| {
        in_lesson(1, "n enter enter", &mut |lesson| hand(lesson));
    }),
    made("lesson-end", |hand| {
        in_lesson(2, "enter n enter", &mut |lesson| hand(lesson));
    }),
    made("lecture", |hand| lecture(&[TUTORIAL.differs], false, hand)),
    made("lecture-computing", |hand| {
        lecture(&[TUTORIAL.after], true, hand);
    }),
    made("next-steps", next_steps),
    made("waiting", waiting),
    made("study-page", |hand| {
        super::study::page("instructions", "", hand);
    }),
    made("study-choice", |hand| {
        super::study::page("query", "2", hand);
    }),
    made("study-number", |hand| {
        super::study::page("round", "7 0", hand);
    }),
    made("study-text", |hand| super::study::page("number", "4", hand)),
    made("study-status", super::study::status),
    made("help", |hand| debate(&primes(), OPPONENT, "enter ?", hand)),
    made("palette", |hand| {
        debate(&primes(), OPPONENT, "enter :", hand);
    }),
];

fn home(script: &str, hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let mut few = Few::new();
    let mut home = HomeScreen::new(&mut few, &keys, Some(&"Is 4331 prime?"));
    press(&mut home, script);
    hand(&mut home);
}

fn chooser(hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let setup = primes();
    let scene = setup.scene();
    let offer = SeatChooserContents {
        draws_other_instance: false,
        last_results: &[],
        scene: &scene,
        preselected: SeatChoice::Play(Seat::Opponent),
        can_change_players: true,
        stronger: None,
    };
    hand(&mut SeatToPlayScreen::new(&offer, &keys));
}

fn form(script: &str, hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let mut paint = Paint {
        colour: 1,
        number: 6,
    };
    let mut form = Form::new(&mut paint, &keys);
    press(&mut form, script);
    hand(&mut form);
}

fn settings(script: &str, hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let looks = |settings: &Settings| ScreenAppearance {
        theme: match settings.theme {
            ThemeChoice::Theme(theme) => theme,
            ThemeChoice::Auto => panic!("nothing is changed"),
        },
        ..ScreenAppearance::default()
    };
    let path = Path::new("~/.config/debate-tui/config.ron");
    let mut sheet = SettingsForm::new(Settings::default(), path, &looks);
    let mut form = Form::new(&mut sheet, &keys);
    press(&mut form, script);
    hand(&mut form);
}

/// A debate with these human players after these keys.
fn debate(setup: &Setup, people: &[Seat], script: &str, hand: &mut Hand<'_>) {
    in_scene(setup, &setup.scene(), people, script, false, hand);
}

fn in_scene(
    setup: &Setup,
    scene: &DebateScreenContext<'_>,
    people: &[Seat],
    script: &str,
    settles: bool,
    hand: &mut Hand<'_>,
) {
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(people);
    let mut debate = DebateScreen::new(&mut running, players, scene, &keys);
    press(&mut debate, script);
    if settles {
        settled(&mut debate, &ScreenAppearance::default(), 80, 24);
    }
    hand(&mut debate);
}

fn review(script: &str, hand: &mut Hand<'_>) {
    let setup = primes();
    let scene = valued(&setup, JUDGE, false);
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(JUDGE);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "enter y enter");
    settled(&mut debate, &ScreenAppearance::default(), 80, 24);
    press(&mut debate, script);
    settled(&mut debate, &ScreenAppearance::default(), 80, 24);
    hand(&mut debate);
}

fn replay(script: &str, hand: &mut Hand<'_>) {
    let setup = primes();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let mut played = setup.seating(&[]);
    while played.make_automatic_move().is_ok() {}
    let start = setup.protocol.start(&setup.instance).unwrap();
    let history = SavedDebateWithCursor::from_moves(start, played.moves()).unwrap();
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    press(&mut replay, script);
    hand(&mut replay);
}

/// A debate of a bundled scenario's own players, played to its end and saved.
pub(super) fn finished(name: &str) -> FinishedDebateToRejudge {
    let setup =
        setup::LoadedScenario::load_bundled_scenario(name, &setup::ScenarioLimits::default())
            .unwrap();
    let played = bundled(name);
    let seed = Seed::new("7").unwrap();
    let seating = seated(&played.instance, &played.protocol, &played.players, "7");
    let names = played.players.clone();
    let header = SaveHeader::new(
        &setup,
        played.protocol.clone(),
        seed,
        &played.instance,
        names,
    );
    let folder = tempfile::tempdir().unwrap();
    let journal = SaveJournal::create_save(folder.path(), name, &header).unwrap();
    let save = journal.save_path().to_owned();
    let mut running = Debate::new(seating, Some(journal));
    while running.state_and_players().turn().is_some() {
        running.advance_by_one_move().unwrap();
    }
    running.close_save_if_over().unwrap();
    let mut queue = RejudgeQueue::new(&save, "7", None, "me").unwrap();
    queue.next_debate_to_rejudge().unwrap().unwrap()
}

/// A finished debate that is judged again.
fn rejudge(name: &str, script: &str, hand: &mut Hand<'_>) {
    let case = finished(name);
    let keys = keys::default_key_map().unwrap();
    let heading = "debate 1 of 2".to_owned();
    let keep = Box::new(|_: &_| Ok(()));
    let mut shown = RejudgeScreen::new(
        &case,
        case.begin_rejudgement().unwrap(),
        heading,
        keep,
        &keys,
    )
    .unwrap();
    press(&mut shown, script);
    hand(&mut shown);
}

fn compare(hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let (left, right) = (primes_recursive(), primes());
    let pair = ComparedDebatePair::new([half(&left), half(&right)]);
    let mut compare = CompareScreen::new(&pair, &keys);
    press(&mut compare, "right right");
    hand(&mut compare);
}

fn lecture(texts: &[&str], computes: bool, hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let told = texts.iter().map(|text| (String::new(), (*text).to_owned()));
    let mut page = ReadingPage::new("Lesson 4 of 4: a title", told.collect(), &keys);
    if computes {
        // The computation ends only when the user leaves the page.
        page = page.with_figures(
            |watch| {
                let cancelled = || watch.stop.is_none_or(|cancel| cancel.load(Relaxed));
                while !cancelled() {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                Ok(Vec::new())
            },
            Vec::new(),
            &MainLoopWaker::default(),
        );
    }
    hand(&mut page);
}

fn next_steps(hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let choices = TUTORIAL
        .next
        .iter()
        .map(|next| (next.label.to_owned(), next.about.to_owned()));
    hand(&mut ChoicePage::new(
        "What next?",
        TUTORIAL.done,
        choices,
        &keys,
    ));
}

fn waiting(hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let endless = |watch: ComputationBudget<'_>| {
        let cancelled = || watch.stop.is_none_or(|cancel| cancel.load(Relaxed));
        while !cancelled() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    };
    let waker = MainLoopWaker::default();
    hand(&mut ComputationWaitScreen::new(
        "The players are being prepared",
        &waker,
        &keys,
        endless,
    ));
}
