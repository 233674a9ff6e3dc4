//! The effects of keys and the mouse.

use debate_core::protocol::{Reply, Seat};
use debate_host::plan::LevelStep;
use debate_host::record::{SavedDebateStep, SavedDebateWithCursor, SavedStepKind};
use debate_tui::tui::debate::{DebateScreen, DebateScreenChoice, ReplayScreen, ReplayScreenChoice};
use debate_tui::tui::keys;
use debate_tui::tui::menu::{
    ChoicePage, HarderOpponentOffer, SeatChoice, SeatChooserContents, SeatToPlayScreen,
};
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenExt as _, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{picture, press};
use crate::support::scenes::{Setup, bridge, bundled, primes, primes_recursive, seated, thread};

/// Moves through the blocks of the formula to the steps that Alice wrote.
const TO_THE_STEPS: &str = "enter enter enter enter enter enter enter enter enter enter";

fn text(show: &mut impl Screen) -> String {
    picture::text(&picture::buffer(show, &ScreenAppearance::default(), 80, 24))
}

/// Plays to the end: one of these replies answers each request, and the other players move on their turns.
fn play_to_the_end(debate: &mut DebateScreen) -> usize {
    for presses in 0..400 {
        if text(debate).contains("The end") {
            return presses;
        }
        press(debate, "y 1 enter");
    }
    panic!("no end in sight:\n{}", text(debate));
}

#[test]
fn scripted_keys_play_whole_debates_from_every_seat() {
    let keys = keys::default_key_map().unwrap();
    let further = ["turing", "qbf"].map(bundled);
    for setup in [primes(), primes_recursive(), bridge()]
        .into_iter()
        .chain(further)
    {
        let scene = setup.scene();
        let everybody: &[Seat] = &Seat::PLAYERS;
        for people in [
            &everybody[..1],
            &everybody[1..2],
            &everybody[2..],
            everybody,
            &[],
        ] {
            let (mut running, players) = setup.debate(people);
            let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
            play_to_the_end(&mut debate);
            assert_eq!(
                press(&mut debate, "a"),
                ScreenEffect::Leave(DebateScreenChoice::PlayAgain)
            );
            assert_eq!(
                press(&mut debate, "r"),
                ScreenEffect::Leave(DebateScreenChoice::WatchAgain)
            );
            assert_eq!(
                press(&mut debate, "q"),
                ScreenEffect::Leave(DebateScreenChoice::Quit)
            );
            assert!(running.state_and_players().turn().is_none());
        }
    }
}

/// The end recommends a harder opponent after a win and an easier one otherwise. Both keys work in both cases.
#[test]
fn the_end_offers_the_opponents_of_adjacent_levels() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes();
    let mut scene = setup.scene();
    scene.facts.players = ["obfuscator", "bayes", "human"].map(str::to_owned);
    (scene.names_level, scene.offers_opponents) = (true, true);
    let steps = [("o", LevelStep::Harder), ("O", LevelStep::Easier)];
    let end = |scene, script| {
        let (mut running, players) = setup.debate(&[Seat::Judge]);
        let mut debate = DebateScreen::new(&mut running, players, scene, &keys);
        press(&mut debate, script);
        let shown = text(&mut debate);
        (shown, steps.map(|(key, _)| press(&mut debate, key)))
    };
    let left = steps.map(|(_, step)| ScreenEffect::Leave(DebateScreenChoice::OtherOpponent(step)));
    let (won, effects) = end(&scene, "enter y enter");
    assert_eq!(effects, left);
    insta::assert_snapshot!("next_opponent", won);
    let (lost, effects) = end(&scene, "enter n enter");
    assert_eq!(effects, left);
    insta::assert_snapshot!("easier_opponent", lost);
    let mut resumed = scene.clone();
    resumed.offers_opponents = false;
    let (unoffered, effects) = end(&resumed, "enter y enter");
    assert_eq!(effects, [ScreenEffect::None, ScreenEffect::None]);
    assert!(!unoffered.contains("(o)"), "{unoffered}");
}

/// The round number in the title line; 0 before the first.
fn round_of(shown: &str) -> u32 {
    let title = shown.lines().next().unwrap_or_default();
    let number = title.rsplit_once(" round ").map(|(_, number)| number);
    let number = number.and_then(|number| number.split(' ').next());
    number.map_or(0, |number| number.parse().unwrap())
}

#[test]
fn announcements_of_the_next_turn_are_correct() {
    const PROMISES: [(&str, Option<u32>); 4] = [
        ("Your turn comes in this round.", Some(0)),
        ("Your turn comes in the first round.", Some(1)),
        ("Your turn comes in the next round.", Some(1)),
        ("You have no more turns in this debate.", None),
    ];
    let mut kept = [0; PROMISES.len()];
    let further = [
        "turing",
        "hidden-flaw",
        "five-parts",
        "two-of-three",
        "parity",
    ]
    .map(bundled);
    let setups: Vec<Setup> = [primes(), primes_recursive(), bridge()]
        .into_iter()
        .chain(further)
        .collect();
    for (setup, seat) in setups.iter().flat_map(|setup| {
        let debaters = [Seat::Prover, Seat::Opponent];
        debaters.map(|seat| (setup, seat))
    }) {
        trial(setup, seat, |debate| {
            let mut promised: Option<(usize, u32)> = None;
            let mut shown = text(debate);
            for key in ["y", "1", "enter"].into_iter().cycle().take(600) {
                // One move at a time, so that every promise is checked.
                let others = shown.contains("├ Next move ─");
                press(debate, if others { "." } else { key });
                shown = text(debate);
                let is_over = shown.contains("The end");
                let asked = !is_over && !shown.contains("├ Next move ─");
                if let Some((number, told)) = promised.filter(|_| asked || is_over) {
                    let (words, rounds) = PROMISES[number];
                    let comes = asked.then(|| round_of(&shown));
                    assert_eq!(
                        comes,
                        rounds.map(|rounds| told + rounds),
                        "{words}\n{shown}"
                    );
                    kept[number] += 1;
                    promised = None;
                }
                if is_over {
                    return;
                }
                // The key that skips the others' moves does not offer a turn that never comes.
                if let Some(footer) = shown.lines().last().filter(|_| !asked) {
                    let has_turn = !shown.contains("You have no more turns");
                    assert_eq!(footer.contains("to my turn"), has_turn, "{shown}");
                    assert_eq!(footer.contains("to the end"), !has_turn, "{shown}");
                }
                let number = PROMISES.iter().position(|(words, _)| shown.contains(words));
                promised = number.map(|number| (number, round_of(&shown))).or(promised);
            }
            panic!("no end in sight:\n{}", text(debate));
        });
    }
    assert!(kept.iter().all(|count| *count > 0), "{kept:?}");
}

/// A debate with one human player, and a script.
fn trial(setup: &Setup, seat: Seat, test: impl FnOnce(&mut DebateScreen)) {
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[seat]);
    test(&mut DebateScreen::new(&mut running, players, &scene, &keys));
}

/// A claim with one support leaves nothing to choose, so the screen does not ask. An undo goes back to the last choice.
#[test]
fn a_request_with_one_possible_reply_is_answered_for_the_user() {
    trial(&primes(), Seat::Prover, |debate| {
        press(debate, "y enter");
        while !text(debate).contains("about right?") {
            press(debate, "enter");
        }
        press(debate, "3 enter");
        let shown = text(debate);
        assert!(!shown.contains("There is one way to split"), "{shown}");
        assert!(shown.contains("(the only choice)"), "{shown}");
        press(debate, "u");
        let undone = text(debate);
        assert!(undone.contains("about right?"), "{undone}");
        assert!(undone.contains("Your last reply is undone"), "{undone}");
    });
}

/// No debater reads what the judge says after the last round, so the judge is not asked for it.
#[test]
fn a_judge_is_asked_for_words_only_if_a_debater_can_read_them() {
    trial(&bundled("lighthouse"), Seat::Judge, |debate| {
        let mut asked = 0;
        for _ in 0..200 {
            let shown = text(debate);
            if shown.contains("The end") {
                assert!(asked > 0);
                return;
            }
            if shown.contains("What do you want to tell the debaters") {
                let last = shown.contains("round 3 of up to 3");
                assert!(!last, "{shown}");
                asked += 1;
                press(debate, "ctrl-s");
            } else {
                press(debate, "y 5 0 enter");
            }
        }
        panic!("no end in sight:\n{}", text(debate));
    });
}

#[test]
fn surplus_keys_send_no_answer() {
    trial(&primes(), Seat::Judge, |debate| {
        press(debate, "enter enter enter enter");
        assert!(text(debate).contains("Choose first (y or n)"));
    });
    trial(&primes(), Seat::Opponent, |debate| {
        press(debate, "enter enter");
        assert!(text(debate).contains("Type a percentage or use the arrows"));
        press(debate, "2 0 0 enter");
        let shown = text(debate);
        assert!(
            shown.contains("Type a number from 0 to 100") && shown.contains("200_"),
            "{shown}"
        );
        press(debate, "backspace backspace enter");
        assert!(text(debate).contains("You: 2 %"));
    });
}

#[test]
fn an_illegal_reply_shows_the_reason_and_keeps_the_input() {
    trial(&primes_recursive(), Seat::Prover, |debate| {
        press(debate, "y enter 2 enter");
        let shown = text(debate);
        assert!(
            shown.contains("The claim was stated to be true, but the answers to its subclaims"),
            "{shown}"
        );
        assert!(shown.contains("but they must make it"), "{shown}");
        press(debate, "2 enter");
        assert!(text(debate).contains("You: yes, "));
    });
}

#[test]
fn cells_are_edited_and_undone_and_a_losing_reply_asks_twice() {
    trial(&bundled("turing"), Seat::Prover, |debate| {
        assert!(text(debate).contains("What is the configuration after 64 steps?"));
        press(debate, "# 5");
        assert!(text(debate).contains("Go to cell 5_"));
        // Enter finishes the number without sending the reply.
        press(debate, "enter space");
        let changed = text(debate);
        assert!(
            changed.contains("Changed from the machine's configuration: cell 5."),
            "{changed}"
        );
        press(debate, "u");
        assert!(text(debate).contains("This is the machine's real configuration"));
        // The true answer is that the machine does not accept.
        press(debate, "enter");
        let warned = text(debate);
        assert!(warned.contains("This reply loses for certain"), "{warned}");
        press(debate, "enter");
        let sent = text(debate);
        assert!(
            sent.contains("The result is decided: you have lost"),
            "{sent}"
        );
        assert!(
            sent.contains("What is the configuration after 32 steps?"),
            "{sent}"
        );
        press(debate, "u");
        assert!(text(debate).contains("What is the configuration after 64 steps?"));
    });
}

#[test]
fn a_step_is_pointed_at_by_its_number() {
    trial(&bundled("qbf"), Seat::Opponent, |debate| {
        press(debate, TO_THE_STEPS);
        press(debate, "enter");
        assert!(text(debate).contains("Choose first: type a step's number"));
        // There is no step 99, so the second digit begins another number.
        press(debate, "9 9");
        assert!(text(debate).contains("Step 9_"));
        press(debate, "backspace 3 enter");
        let over = text(debate);
        assert!(
            over.contains("Alice wins against you, since step 3"),
            "{over}"
        );
        press(debate, "e end");
        let spent = "the verifier 8 bits read";
        assert!(text(debate).contains(spent), "{}", text(debate));
    });
}

#[test]
fn undo_is_refused_after_a_coin() {
    trial(&primes(), Seat::Opponent, |debate| {
        press(debate, "u");
        assert!(text(debate).contains("Not undone: you have made no reply yet."));
        press(debate, "enter 2 0 enter");
        assert!(text(debate).contains("You: 20 %"));
        press(debate, "u");
        let shown = text(debate);
        assert!(
            !shown.contains("You: 20 %") && shown.contains("100   ?"),
            "{shown}"
        );
        press(debate, "0 enter . u");
        assert!(text(debate).contains("Not undone: a coin was thrown"));
    });
}

#[test]
fn other_players_move_only_as_requested() {
    trial(&primes(), Seat::Judge, |debate| {
        press(debate, ".");
        assert!(text(debate).contains("answers (sealed"));
        assert!(text(debate).contains("about three rounds"));
        press(debate, "R");
        assert!(text(debate).contains("round 1 of 4"));
        press(debate, "R");
        let shown = text(debate);
        assert!(
            shown.contains("round 2 of 4") && shown.contains("about two rounds"),
            "{shown}"
        );
        press(debate, "enter");
        assert!(text(debate).contains("Evidence: 4331 = 32 × 135 + 11"));
    });
}

#[test]
fn only_automatic_play_sets_a_timer() {
    trial(&primes(), Seat::Judge, |debate| {
        assert_eq!(debate.deadline(), None);
        press(debate, "p");
        for _ in 0..60 {
            if debate.deadline().is_none() {
                break;
            }
            debate.wake();
        }
        // The judge is next, so autoplay stops.
        assert_eq!(debate.deadline(), None);
        assert!(text(debate).contains("Is this claim true"));
    });
}

#[test]
fn leaving_an_unsaved_debate_asks_for_confirmation() {
    trial(&primes(), Seat::Judge, |debate| {
        press(debate, "R");
        assert_eq!(press(debate, "q"), ScreenEffect::None);
        assert!(text(debate).contains("This debate is unsaved."));
        assert_eq!(press(debate, "R q"), ScreenEffect::None);
        assert_eq!(
            press(debate, "q"),
            ScreenEffect::Leave(DebateScreenChoice::Quit)
        );
    });
    let setup = primes();
    let scene = debate_tui::tui::scene::DebateScreenContext {
        save_notice: Some("It is kept.".to_owned()),
        ..setup.scene()
    };
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[Seat::Judge]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "R");
    assert_eq!(
        press(&mut debate, "q"),
        ScreenEffect::Leave(DebateScreenChoice::Quit)
    );
}

#[test]
fn digits_belong_to_the_estimate_and_esc_leads_back_to_it() {
    trial(&primes(), Seat::Opponent, |debate| {
        press(debate, "enter 4");
        assert!(text(debate).contains("4_ %"), "{}", text(debate));
        // Any panel can have the focus; a digit is still typed into the estimate.
        for panel in ["f2", "f3", "f4", "tab"] {
            press(debate, panel);
            assert!(text(debate).contains("esc question"), "{}", text(debate));
            press(debate, "2");
            assert!(text(debate).contains("42_ %"), "{}", text(debate));
            assert!(!text(debate).contains("esc question"), "{}", text(debate));
            press(debate, "backspace");
        }
        press(debate, "2 f4 esc enter");
        assert!(text(debate).contains("42 %"), "{}", text(debate));
        assert!(!text(debate).contains("42_ %"), "{}", text(debate));
    });
}

#[test]
fn the_tree_selects_too() {
    trial(&primes(), Seat::Prover, |debate| {
        press(debate, "y enter enter 1 enter enter enter");
        // The next panel is the recursion; its second row is the first subclaim.
        press(debate, "tab down down");
        assert!(
            text(debate).contains("›2  none of 18–33"),
            "{}",
            text(debate)
        );
        press(debate, "enter enter");
        assert!(text(debate).contains("You continue:"));
    });
}

#[test]
fn the_transcript_is_searched_and_copied() {
    trial(&primes(), Seat::Judge, |debate| {
        press(debate, "R R / 1 8 – enter");
        while !text(debate).contains("›") {
            assert!(debate.deadline().is_some(), "{}", text(debate));
            debate.wake();
        }
        press(debate, "/ x y z enter");
        // A search runs for a few milliseconds per wake-up.
        while !text(debate).contains("is not in the transcript") {
            assert!(debate.deadline().is_some(), "{}", text(debate));
            debate.wake();
        }
        let ScreenEffect::Copy(copied) = press(debate, "G y") else {
            panic!("nothing copied");
        };
        assert!(
            copied.starts_with("Round 2 of 4: “4331 has no divisor from 18 to 33”"),
            "{copied}"
        );
    });
}

/// Clicks on a text.
pub(super) fn click<S: Screen>(show: &mut S, wanted: &str) -> ScreenEffect<S::Outcome> {
    let shown = text(show);
    let (row, line) = shown
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(wanted))
        .unwrap_or_else(|| panic!("no {wanted} in\n{shown}"));
    let (before, _) = line.split_once(wanted).unwrap();
    let event = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: before.chars().count().try_into().unwrap(),
        row: row.try_into().unwrap(),
        modifiers: KeyModifiers::NONE,
    };
    show.mouse(event)
}

/// One click selects, and a second one on the same choice sends it. No click quits, not even on the hint.
#[test]
fn two_clicks_send_and_clicks_never_quit() {
    trial(&primes(), Seat::Judge, |debate| {
        click(debate, "to my turn");
        click(debate, "no, it is false");
        let asked = text(debate);
        assert!(asked.contains("Is this claim true"), "{asked}");
        click(debate, "yes, it is true");
        assert!(!text(debate).contains("The end"), "another choice");
        click(debate, "q leave");
        assert!(text(debate).contains("A click does not quit"));
        click(debate, "yes, it is true");
        assert!(text(debate).contains("The end"));
    });
}

#[test]
fn clicks_choose_focus_and_press_the_hints() {
    trial(&primes(), Seat::Judge, |debate| {
        click(debate, "to my turn");
        click(debate, "no, it is false");
        assert!(text(debate).contains("›n"), "{}", text(debate));
        click(debate, "Transcript");
        assert!(text(debate).contains("╭ Transcript"));
        click(debate, "yes, it is true");
        click(debate, "enter send");
        assert!(text(debate).contains("The end"));
    });
}

/// The last line lists the keys of the focused element, and a click on one has the same effect as the key.
#[test]
fn a_popup_lists_its_own_keys_and_they_can_be_clicked() {
    let footer = |shown: &str| shown.lines().last().unwrap().to_owned();
    trial(&primes(), Seat::Judge, |debate| {
        click(debate, "? help");
        let help = text(debate);
        assert!(help.contains("╭ Help ─"), "{help}");
        assert!(footer(&help).contains("esc close") && !footer(&help).contains("to my turn"));
        click(debate, ": commands");
        let palette = text(debate);
        assert!(palette.contains("╭ Commands: type a word ─"), "{palette}");
        assert!(footer(&palette).contains("enter do it"), "{palette}");
        press(debate, "p l a y - t o");
        click(debate, "enter do it");
        assert!(text(debate).contains("Is this claim true"));
        press(debate, ":");
        click(debate, "esc close");
        assert!(!text(debate).contains("Commands"));
    });
}

#[test]
fn a_page_of_choices_is_completed_with_clicks() {
    let keys = keys::default_key_map().unwrap();
    let choices = ["one", "two", "three"].map(|label| (label.to_owned(), String::new()));
    let mut page = ChoicePage::new("What next?", "Well done.", choices, &keys);
    click(&mut page, "two");
    assert_eq!(click(&mut page, "enter open"), ScreenEffect::Leave(Some(1)));
    assert_eq!(click(&mut page, "q leave"), ScreenEffect::None);
    click(&mut page, "three");
    assert_eq!(click(&mut page, "three"), ScreenEffect::Leave(Some(2)));
}

#[test]
fn the_chooser_gives_the_marked_seat() {
    let setup = primes();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let offer = SeatChooserContents {
        draws_other_instance: false,
        last_results: &[],
        scene: &scene,
        preselected: SeatChoice::Play(Seat::Judge),
        can_change_players: true,
        stronger: None,
    };
    let mut chooser = SeatToPlayScreen::new(&offer, &keys);
    let leave = |chair| ScreenEffect::Leave(Some(chair));
    assert_eq!(
        press(&mut chooser, "enter"),
        leave(SeatChoice::Play(Seat::Judge))
    );
    assert_eq!(press(&mut chooser, "down enter"), leave(SeatChoice::Watch));
    assert_eq!(
        press(&mut chooser, "1 enter"),
        leave(SeatChoice::Play(Seat::Prover))
    );
    assert_eq!(
        press(&mut chooser, "j enter"),
        leave(SeatChoice::Play(Seat::Opponent))
    );
    assert_eq!(press(&mut chooser, "q"), ScreenEffect::Leave(None));
}

#[test]
fn the_chooser_offers_harder_opponents_than_last_time() {
    let setup = primes();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let stronger = HarderOpponentOffer {
        seat: Seat::Opponent,
        names: "a player who may hide one false part (`obfuscator`)".to_owned(),
        about: "Level 4 of 5. This Alice exploits every estimate that is too low for your other estimates."
            .to_owned(),
    };
    let offer = SeatChooserContents {
        draws_other_instance: false,
        last_results: &[],
        scene: &scene,
        preselected: SeatChoice::Play(Seat::Judge),
        can_change_players: true,
        stronger: Some(&stronger),
    };
    let mut chooser = SeatToPlayScreen::new(&offer, &keys);
    let shown = picture::text(&picture::buffer(
        &mut chooser,
        &ScreenAppearance::default(),
        80,
        24,
    ));
    insta::assert_snapshot!("chooser-stronger-80x24", shown);
    let leave = |chair| ScreenEffect::Leave(Some(chair));
    assert_eq!(
        press(&mut chooser, "down enter"),
        leave(SeatChoice::Stronger)
    );
    assert_eq!(press(&mut chooser, "down enter"), leave(SeatChoice::Watch));
}

#[test]
fn the_chooser_tells_bob_how_the_first_opponent_bets() {
    let mut setup = primes();
    setup.players[0] = "errs(+, -)".to_owned();
    let keys = keys::default_key_map().unwrap();
    let bets = "Alice looks only at your estimate";
    let follows = "your last five debates decide which bets";
    for (prover_follows_person, seat, expected) in [
        (false, Seat::Opponent, [true, false]),
        (true, Seat::Opponent, [true, true]),
        (true, Seat::Prover, [false, false]),
        (true, Seat::Judge, [false, false]),
    ] {
        let mut scene = setup.scene();
        scene.facts.prover_follows_person = prover_follows_person;
        let offer = SeatChooserContents {
            draws_other_instance: false,
            last_results: &[],
            scene: &scene,
            preselected: SeatChoice::Play(seat),
            can_change_players: true,
            stronger: None,
        };
        let mut chooser = SeatToPlayScreen::new(&offer, &keys);
        let shown = picture::text(&picture::buffer(
            &mut chooser,
            &ScreenAppearance::default(),
            120,
            36,
        ));
        let found = [bets, follows].map(|text| shown.contains(text));
        assert_eq!(found, expected, "{seat}\n{shown}");
        assert!(!shown.contains("(+"), "{shown}");
    }
}

#[test]
fn a_replay_steps_both_ways_and_through_undone_moves() {
    let setup = primes();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let mut seating = setup.seating(&[Seat::Prover]);
    seating.reply(Reply::Answer(false)).unwrap();
    let mut steps = vec![SavedDebateStep {
        kind: SavedStepKind::Move(seating.moves()[0].clone()),
        ms: Some(2500),
    }];
    seating.undo_reply_of_user_or_driving_program().unwrap();
    steps.push(SavedDebateStep {
        kind: SavedStepKind::Undo { kept: 0 },
        ms: None,
    });
    seating.reply(Reply::Answer(true)).unwrap();
    seating.make_automatic_move().unwrap();
    seating.make_automatic_move().unwrap();
    steps.extend(seating.moves().iter().cloned().map(SavedDebateStep::from));
    let start = setup.protocol.start(&setup.instance).unwrap();
    let mut replay = ReplayScreen::new(
        SavedDebateWithCursor::new(start, steps).unwrap(),
        &scene,
        &keys,
    );
    press(&mut replay, "right");
    let first = text(&mut replay);
    assert!(first.contains("is false, after 2.5 s"), "{first}");
    press(&mut replay, "right");
    assert!(text(&mut replay).contains("undone"));
    press(&mut replay, "right");
    let third = text(&mut replay);
    assert!(third.contains("“4331 is prime” is true"), "{third}");
    press(&mut replay, "end");
    assert!(text(&mut replay).contains("Move 5 of 5"));
    press(&mut replay, "left left");
    assert_eq!(text(&mut replay), third);
    press(&mut replay, "home right");
    assert_eq!(text(&mut replay), first);
    click(&mut replay, "├ Timeline");
    assert_eq!(
        press(&mut replay, "q"),
        ScreenEffect::Leave(ReplayScreenChoice::Done)
    );
}

#[test]
fn moves_on_the_screen_are_saved() {
    use debate_core::chance::Seed;
    use debate_host::Debate;
    use debate_host::record::{Save, SaveHeader, SaveJournal};
    use debate_solver::setup::{LoadedScenario, ScenarioLimits};
    use debate_tui::tui::scene::DebateScreenContext;
    let setup =
        LoadedScenario::load_bundled_scenario("primes-4331", &ScenarioLimits::default()).unwrap();
    let instance = setup.instance(setup.world_index("4331").unwrap());
    let seed = Seed::new("7").unwrap();
    let names = ["obfuscator", "human", "oracle"];
    let named = names.map(String::from);
    let seating = seated(&instance, &setup.protocol, &named, seed.as_str());
    let protocol = setup.protocol.clone();
    let header = SaveHeader::new(&setup, protocol, seed, &instance, names.map(String::from));
    let folder = tempfile::tempdir().unwrap();
    let journal = SaveJournal::create_save(folder.path(), "primes-4331", &header).unwrap();
    let path = journal.save_path().to_owned();
    let mut running = Debate::new(seating, Some(journal));
    let players = thread(&instance, &setup.protocol, names.map(String::from), "7");
    let scene = DebateScreenContext {
        save_notice: Some(String::new()),
        ..DebateScreenContext::new(&instance, &setup.protocol)
    };
    let keys = keys::default_key_map().unwrap();
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    // An estimate is undone and another one given; then two coins follow.
    press(&mut debate, "enter 2 0 enter u 3 0 enter enter 9 0 enter .");
    let played = text(&mut debate);
    assert_eq!(
        press(&mut debate, "q"),
        ScreenEffect::Leave(DebateScreenChoice::Quit)
    );
    drop(running);

    let save = Save::read_save(&path).unwrap();
    let mut replay = ReplayScreen::new(save.history(&instance).unwrap(), &scene, &keys);
    press(&mut replay, "right right");
    assert!(text(&mut replay).contains("at 20 %"));
    press(&mut replay, "right");
    assert!(text(&mut replay).contains("undone"));
    press(&mut replay, "end");
    let watched = text(&mut replay);
    assert!(watched.contains("not played to its end") || watched.contains("Next: "));
    // A player reads "you", and a spectator reads a name.
    for (yours, theirs) in [
        ("You: 90 %", "Bob: 90 %"),
        ("⚄ none of 2–17: ", "⚄ none of 2–17: "),
    ] {
        assert!(
            played.contains(yours) && watched.contains(theirs),
            "{played}\n{watched}"
        );
    }
}

#[test]
fn a_replay_jumps_by_rounds() {
    let setup = primes();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let mut seating = setup.seating(&[]);
    while seating.make_automatic_move().is_ok() {}
    let start = setup.protocol.start(&setup.instance).unwrap();
    let history = SavedDebateWithCursor::from_moves(start, seating.moves()).unwrap();
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    let round = |replay: &mut ReplayScreen, keys: &str| {
        press(replay, keys);
        let shown = text(replay);
        let head = shown.lines().next().unwrap().trim();
        head.rsplit("  ").next().unwrap().trim().to_owned()
    };
    assert_eq!(round(&mut replay, "]"), "round 1 of 4");
    assert_eq!(round(&mut replay, "] ]"), "round 3 of 4");
    assert_eq!(round(&mut replay, "["), "round 2 of 4");
    assert_eq!(round(&mut replay, "right right ["), "round 2 of 4");
    assert_eq!(round(&mut replay, "["), "round 1 of 4");
    assert_eq!(round(&mut replay, "["), "first answer");
    assert_eq!(round(&mut replay, "] ] ] ] ] ] ]"), "the debate is over");
}

#[test]
fn the_palette_runs_the_selected_action() {
    trial(&primes(), Seat::Opponent, |debate| {
        press(debate, ":");
        assert!(text(debate).contains("╭ Commands: "));
        // No action matches the input, and the palette says so.
        press(debate, "x y z z y enter");
        assert!(text(debate).contains("No command contains the typed words"));
        press(debate, "esc");
        assert!(!text(debate).contains("Commands"));
        // An action of another panel, chosen from the question.
        press(debate, ": s e a r c h enter");
        assert!(text(debate).contains("Search: _"), "{}", text(debate));
        press(debate, "esc");
        // The palette says if an action is not available.
        press(debate, ": u n d o enter");
        assert!(text(debate).contains("Not now: no reply of yours can be undone."));
        press(debate, "esc");
        let effect = press(debate, ": q u i t enter");
        assert_eq!(effect, ScreenEffect::Leave(DebateScreenChoice::Quit));
        assert_eq!(press(debate, ": t h e m e enter"), ScreenEffect::Theme);
    });
}
