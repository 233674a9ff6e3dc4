//! Speeches that are long, in any language, or hostile: on the screen, in the editor, and in searches.

use std::sync::Arc;

use debate_core::protocol::{Protocol, Reply, Seat};
use debate_core::scenario::{
    DebateQuestionSpec, Instance, MAX_SPEECH, Oracle, ScenarioValuePath, Speech, TwoAnswerQuestion,
};
use debate_core::text::is_unsafe_character;
use debate_host::Debate;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::screen::ScreenExt as _;
use debate_tui::tui::theme::ScreenAppearance;
use ratatui::{buffer::Buffer, layout::Rect};

use super::{picture, press};
use crate::support::scenes::Setup;

fn setup(source: &str) -> Setup {
    let spec = DebateQuestionSpec {
        text: "Wer war es? 誰ですか".to_owned(),
        answers: ["Sie".to_owned(), "מישהו אחר".to_owned()],
        source: source.to_owned(),
        correct: Some(0),
        material: None,
    };
    let question = TwoAnswerQuestion::build(spec, &ScenarioValuePath::default()).unwrap();
    Setup {
        instance: Instance::new(Arc::new(question), 0, Oracle::Truth),
        protocol: Protocol::parse("Speeches(rounds: 2)").unwrap(),
        title: "Wer war es?".to_owned(),
        about: String::new(),
        players: ["silent", "silent", "swayed"].map(str::to_owned),
        seed: "7".to_owned(),
    }
}

/// Makes Alice speak; returns true if the rules accept the speech.
fn say(running: &mut Debate<'_>, text: &str) -> bool {
    while running
        .state_and_players()
        .awaited_seat_of_user_or_driving_program()
        .is_none()
    {
        running.advance_by_one_move().unwrap();
    }
    let speech = Speech::parse(text).unwrap();
    running
        .reply(Reply::Speech(Box::new(speech)), 1)
        .unwrap()
        .is_ok()
}

fn shown(debate: &mut DebateScreen<'_, '_>, columns: u16, rows: u16) -> String {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    debate.draw(&ScreenAppearance::default(), &mut buffer, area);
    picture::text(&buffer)
}

#[test]
fn any_speech_is_shown_correctly_or_refused() {
    let setup = setup("Sie sagte: שלום עולם. 日本語の文。");
    let (mut running, players) = setup.debate(&[Seat::Prover]);
    for refused in ["\u{1b}[2J", "a\u{202e}b", "bell\u{7}", "<quote> </quote>"] {
        assert!(!say(&mut running, refused), "{refused:?}");
    }
    assert!(!say(&mut running, &"x".repeat(MAX_SPEECH + 1)));
    let words = "שלום 日本語 e\u{301} 👩\u{200d}🚀 ";
    let count = (MAX_SPEECH - 40) / words.chars().count();
    let long = format!(
        "{}<quote>עולם אחר</quote> needle<quote>שלום עולם</quote>",
        words.repeat(count)
    );
    assert!(say(&mut running, &long));
    let (scene, keys) = (setup.scene(), keys::default_key_map().unwrap());
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    for (columns, rows) in [(80, 24), (200, 60), (40, 12)] {
        let text = shown(&mut debate, columns, rows);
        assert!(
            !text.chars().any(|c| c != '\n' && is_unsafe_character(c)),
            "{text}"
        );
    }
    // The search finds it at its very end, after the quote that is not in the source.
    press(&mut debate, "f3 / n e e d l e enter");
    let end = shown(&mut debate, 80, 24);
    assert!(
        end.contains("needle") && end.contains("[not in the source]"),
        "{end}"
    );
}

#[test]
fn the_editor_takes_a_long_paste_and_marks_excess_length() {
    let setup = setup("日本語の文。");
    let (mut running, players) = setup.debate(&[Seat::Prover]);
    while running
        .state_and_players()
        .awaited_seat_of_user_or_driving_program()
        .is_none()
    {
        running.advance_by_one_move().unwrap();
    }
    let (scene, keys) = (setup.scene(), keys::default_key_map().unwrap());
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    debate.paste(&"語".repeat(MAX_SPEECH));
    assert!(shown(&mut debate, 80, 24).contains("100000 characters of your own"));
    debate.paste("<quote>日本</quote>\u{1b}[2J");
    let text = shown(&mut debate, 120, 40);
    assert!(text.contains("The quote is in the source."), "{text}");
    assert!(!text.contains('\u{1b}'));
    press(&mut debate, "ctrl-s");
    let refused = shown(&mut debate, 120, 40);
    assert!(refused.contains("shorten it to 100000"), "{refused}");
}

/// The rules ask the judge for words after the last round too. No debater reads them, so the program sends an empty
/// message in the judge's place. The report does not count this message as a reply of the judge.
#[test]
fn the_report_counts_only_the_replies_that_the_judge_gave() {
    let setup = setup("Sie sagte nichts.");
    let mut scene = setup.scene();
    scene.facts.players = ["silent", "silent", "human"].map(str::to_owned);
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[Seat::Judge]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    // Two replies before the first round, three after it, and one after the last round.
    let script = "enter 5 0 enter ctrl-s enter 6 0 enter ctrl-s y enter enter 7 0 enter";
    press(&mut debate, script);
    assert!(shown(&mut debate, 80, 24).contains("The end"));
    press(&mut debate, "e end");
    let report = shown(&mut debate, 80, 24);
    assert!(report.contains("you 6 replies"), "{report}");
}
