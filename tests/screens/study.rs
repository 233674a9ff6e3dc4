//! Study pages of every kind as participants see them, and the status page of the researcher.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_study::{
    CodeOrAddressByOutcome, Participant, ParticipantInput, SessionClock, SimulatedJudge,
    SimulatedJudgeBehaviour, Study, StudySessionPage, StudyTerminalTexts, TimeSource,
    create_example_study,
};
use debate_text::{DebateAnswerForm, QuestionToUser};
use debate_tui::tui::keys;
use debate_tui::tui::menu::{StudyPageOutcome, StudyPageScreen, StudyStatusScreen};
use debate_tui::tui::screen::{ScreenEffect, ScreenExt as _};
use debate_tui::tui::theme::ScreenAppearance;
use ratatui::{buffer::Buffer, layout::Rect};

use super::table::{Anything, Hand};
use super::{picture, press};
use crate::support::studies::indistinguishable;

/// Questions about a source, argued in speeches, for participants in a seat.
const SPEECHES: &str = r#"Study(
    format: 1, id: "speeches", title: "Speeches", stage: Pilot, seed: 7, roles: [{role}],
    conditions: [
        (id: "source", shown_as: "Task S", task: Direct(shows: Source)),
        (
            id: "argued", shown_as: "Task T",
            task: Debate(protocol: Speeches(rounds: 2, judge_feedback: true), prover: "quoter", opponent: "quoter", judge: "swayed"),
        ),
    ],
    items: (scenarios: ["items/*.ron"]),
    design: Within(blocks: 1, per_cell: 1),
    flow: [Consent("consent.md"), Trials],
    target: (participants: 2), stop: Participants(2),
    analysis: (primary: Difference(measure: Brier, of: "argued", against: "source")),
)
"#;

/// The example for participants in a seat, with a survey question that asks for a number.
fn example(folder: &Path, role: &str) -> Study {
    create_example_study(folder).unwrap();
    let change = |name: &str, change: &dyn Fn(String) -> String| {
        let path = folder.join(name);
        fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    };
    change("study.ron", &|text| {
        let text = text.replace("[Judge]", &format!("[{role}]"));
        // Debaters get no consultancy, in which only one side argues.
        match role {
            "Judge" => text,
            _ => text.replace("Consultancy(prover: \"honest\")", "Direct(shows: Evidence)"),
        }
    });
    change("after.ron", &|text| {
        let number = r#"Question(id: "age", ask: "How old are you, in years?", answer: Number(min: 18, max: 99)),"#;
        text.trim_end().trim_end_matches(']').to_owned() + number + "\n]\n"
    });
    Study::load(folder).unwrap()
}

fn speeches(folder: &Path, role: &str) -> Study {
    create_example_study(folder).unwrap();
    fs::write(folder.join("study.ron"), SPEECHES.replace("{role}", role)).unwrap();
    fs::remove_dir_all(folder.join("items")).unwrap();
    fs::create_dir(folder.join("items")).unwrap();
    let story =
        LoadedScenario::load_bundled_scenario("lighthouse", &ScenarioLimits::default()).unwrap();
    for name in ["items/one.ron", "items/two.ron"] {
        fs::write(folder.join(name), story.source.as_bytes()).unwrap();
    }
    Study::load(folder).unwrap()
}

/// The kind of a page, in one word.
fn kind(page: &StudySessionPage, participant: &Participant<'_>) -> &'static str {
    match page.page.heading.as_str() {
        "Your window" => "screener",
        "Before you begin" => "consent",
        "What you will do" => "instructions",
        "Did we explain it well?" => "quiz",
        "A short check" => "attention",
        "A break" => "break",
        "A few questions" if matches!(kind_of(page), Some(DebateAnswerForm::Text { .. })) => {
            "number"
        }
        "A few questions" => "survey",
        "Looking back" => "guess",
        "What this was about" => "debrief",
        "The end" => "end",
        heading if heading.contains("Practice") => "practice",
        _ => participant.current_trial().unwrap().2.asked.request_name(),
    }
}

fn kind_of(page: &StudySessionPage) -> Option<&DebateAnswerForm> {
    page.page.ask.as_ref().map(|ask| &ask.kind)
}

/// All pages of the first participant, each with its kind.
fn way(study: &Study) -> Vec<(&'static str, StudySessionPage)> {
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::PERFECT, "7").unwrap();
    let mut participant = Participant::new(study, CodeOrAddressByOutcome::default());
    let mut pages = Vec::new();
    loop {
        let page = participant.page();
        let kind = kind(&page, &participant);
        let mut aside = |name, input: &ParticipantInput| {
            let mut other = participant.clone();
            other.take_input(input).unwrap().unwrap();
            pages.push((name, other.page()));
        };
        match kind {
            "before" => aside("meant", &ParticipantInput::Text("0.5".to_owned())),
            "attention" => aside("leaving", &ParticipantInput::Leave),
            _ => {}
        }
        let over = page.is_session_over();
        let input = judge.answer_for_page(&page, &participant);
        pages.push((kind, page));
        if over {
            return pages;
        }
        participant.take_input(&input).unwrap().unwrap();
        if participant.must_claim_slot_next() {
            let mut late = participant.clone();
            late.start_trials_or_end_as_full(None).unwrap();
            pages.push(("full", late.page()));
            participant.start_trials_or_end_as_full(Some(0)).unwrap();
        }
    }
}

/// The last page of each of these kinds, which has the most content.
fn of_kinds(study: &Study, wanted: &[&str]) -> Vec<(&'static str, StudySessionPage)> {
    let mut found: Vec<(&str, StudySessionPage)> = Vec::new();
    for (kind, page) in way(study) {
        if wanted.contains(&kind) {
            found.retain(|(known, _)| *known != kind);
            found.push((kind, page));
        }
    }
    assert_eq!(found.len(), wanted.len(), "{wanted:?}");
    found
}

/// The pages of the example that are in the table of screens, computed once.
static IN_TABLE: LazyLock<Vec<(&str, StudySessionPage)>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), "Judge");
    of_kinds(&study, &["instructions", "query", "round", "number"])
});

/// The example study, whose pages have the standard words in a terminal.
static ENGLISH: LazyLock<Study> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    example(&folder.path().join("p"), "Judge")
});

fn words() -> StudyTerminalTexts<'static> {
    StudyTerminalTexts::terminal_words_of_plan(&ENGLISH.plan)
}

/// The titles, requests, remarks and key hints of a German study are German.
#[test]
fn the_terminal_speaks_the_language_of_the_study() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    create_example_study(&folder).unwrap();
    let path = folder.join("study.ron");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("stage:", "languages: [\"de\"], stage:")).unwrap();
    let study = Study::load(&folder).unwrap();
    let words = StudyTerminalTexts::terminal_words_of_plan(&study.plan);
    let keys = keys::default_key_map().unwrap();
    keys.replace_footer_words(words.key_labels_replaced_by_study());
    let mut shown = String::new();
    // The texts of these pages are English: only the words of the terminal are compared.
    let pages = of_kinds(&ENGLISH, &["instructions", "round", "query", "end"]);
    for (_, page) in pages {
        let mut clock = SessionClock::new(&TimeSource::System, 0, Some(0), 60);
        let mut screen = StudyPageScreen::new(page, words, &mut clock, &keys);
        shown += &picture::text(&screen.at(&ScreenAppearance::default(), 80, 24));
        press(&mut screen, "enter enter");
        shown += &picture::text(&screen.at(&ScreenAppearance::default(), 80, 24));
        shown.push('\n');
    }
    for part in [
        "╭ Zum Lesen ─",
        " Zum Antworten ─",
        "Der Text geht weiter",
        "Drücken Sie Enter, um diese Seite zu schließen.",
        "enter weiter  page↓ weiterlesen  ? Hilfe  q verlassen",
        "← senken  → erhöhen  enter antworten",
        "↓ wählen",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    for part in [
        "To read",
        "To answer",
        "Press Enter",
        "q leave",
        "You have read",
    ] {
        assert!(!shown.contains(part), "{part}: {shown}");
    }
}

/// Passes on a page of the example after these keys.
pub(super) fn page(wanted: &'static str, script: &str, hand: &mut Hand<'_>) {
    let (_, page) = IN_TABLE.iter().find(|(kind, _)| *kind == wanted).unwrap();
    let keys = keys::default_key_map().unwrap();
    let mut clock = SessionClock::new(&TimeSource::System, 0, Some(0), 60);
    let mut shown = StudyPageScreen::new(page.clone(), words(), &mut clock, &keys);
    press(&mut shown, script);
    hand(&mut shown);
}

/// Passes on the status page of a study.
pub(super) fn status(hand: &mut Hand<'_>) {
    let keys = keys::default_key_map().unwrap();
    let look_up = || {
        let session = |number| {
            format!("s{number:04}      started               3      7.5  2026-11-21T09:14:03Z")
        };
        let mut lines = vec!["pilot01, stage Pilot, not locked".to_owned()];
        lines.extend((0..40).map(session));
        Ok(lines)
    };
    hand(&mut StudyStatusScreen::new(look_up, &keys));
}

fn told(pages: &[(&'static str, StudySessionPage)]) {
    let keys = keys::default_key_map().unwrap();
    for (kind, page) in pages {
        let mut shown = String::new();
        for (columns, rows) in [(80, 24), (120, 36)] {
            let mut clock = SessionClock::new(&TimeSource::System, 0, Some(0), 60);
            let mut screen = StudyPageScreen::new(page.clone(), words(), &mut clock, &keys);
            shown += &picture::text(&screen.at(&ScreenAppearance::default(), columns, rows));
            shown.push('\n');
        }
        insta::assert_snapshot!(format!("study-{kind}"), shown);
    }
}

#[test]
fn every_kind_of_page_at_two_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), "Judge");
    told(&of_kinds(
        &study,
        &[
            "screener",
            "consent",
            "instructions",
            "quiz",
            "full",
            "practice",
            "before",
            "meant",
            "round",
            "query",
            "final",
            "attention",
            "leaving",
            "break",
            "survey",
            "number",
            "guess",
            "debrief",
            "end",
        ],
    ));
    let study = speeches(&folder.path().join("s"), "Judge");
    told(&of_kinds(&study, &["feedback", "continue"]));
}

#[test]
fn pages_of_participants_who_debate() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("bob"), "Opponent");
    told(&of_kinds(&study, &["estimate"]));
    let study = example(&folder.path().join("alice"), "Prover");
    told(&of_kinds(&study, &["move"]));
    let study = speeches(&folder.path().join("speaker"), "Prover");
    told(&of_kinds(&study, &["speech"]));
}

#[test]
fn answers_need_the_whole_text_and_scroll_positions_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), "Judge");
    let keys = keys::default_key_map().unwrap();
    let pages = of_kinds(&study, &["consent", "instructions", "round"]);
    let mut clock = SessionClock::new(&TimeSource::System, 0, Some(0), 60);
    let mut shown = StudyPageScreen::new(pages[1].1.clone(), words(), &mut clock, &keys);
    let mut turned = 0;
    loop {
        let text = picture::text(&shown.at(&ScreenAppearance::default(), 80, 24));
        let more = text.contains("There is more to read");
        assert_eq!(more, text.contains("page↓ read on"), "{text}");
        let effect = press(&mut shown, "enter");
        if !more {
            assert_eq!(
                effect,
                ScreenEffect::Leave(StudyPageOutcome::Input(ParticipantInput::Next))
            );
            break;
        }
        assert_eq!(effect, ScreenEffect::None);
        turned += 1;
    }
    assert!(turned > 0);
    drop(shown);
    // A participant cannot consent to text that was not shown.
    let mut consent = StudyPageScreen::new(pages[0].1.clone(), words(), &mut clock, &keys);
    consent.at(&ScreenAppearance::default(), 80, 24);
    assert_eq!(press(&mut consent, "1 enter"), ScreenEffect::None);
    let told = picture::text(&consent.at(&ScreenAppearance::default(), 80, 24));
    assert!(told.contains("You have read to the end"), "{told}");
    let agreed = ScreenEffect::Leave(StudyPageOutcome::Input(ParticipantInput::Choice(0)));
    assert_eq!(press(&mut consent, "ctrl-u enter"), agreed);
    drop(consent);
    // Another question about the same text.
    let round = &pages.iter().find(|(kind, _)| *kind == "round").unwrap().1;
    let mut before = StudyPageScreen::new(round.clone(), words(), &mut clock, &keys);
    before.at(&ScreenAppearance::default(), 80, 24);
    press(&mut before, "ctrl-u");
    let read = picture::text(&before.at(&ScreenAppearance::default(), 80, 24));
    let place = before.reading_position();
    drop(before);
    let options = vec!["Yes".to_owned(), "No".to_owned()];
    let ask = QuestionToUser::new(
        "",
        "Is that what you think?",
        DebateAnswerForm::OneOf(options),
    );
    let mut confirm = round.clone();
    confirm.page.ask = Some(ask);
    let mut after = StudyPageScreen::new(confirm, words(), &mut clock, &keys)
        .restore_study_page_position(Some(place));
    let again = picture::text(&after.at(&ScreenAppearance::default(), 80, 24));
    assert_eq!(again.lines().nth(2), read.lines().nth(2), "{read}\n{again}");
}

/// After a wait, a page is shown as if it had been opened: at its new text, with the numbers of its points. While the
/// page does not change, the reading position stays.
#[test]
fn a_page_after_a_wait_is_shown_as_if_it_had_been_opened() {
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    let mut compared = 0;
    for (kind, page) in way(&ENGLISH) {
        if page.is_session_over() {
            continue;
        }
        let mut waiting = page.clone();
        waiting.polls = true;
        waiting.page.ask = Some(QuestionToUser::new("", "", DebateAnswerForm::Next));
        let is_argued = waiting.arguments.iter().any(|line| !line.is_new);
        if is_argued {
            waiting.arguments.retain(|line| !line.is_new);
        } else {
            waiting.page.lines.truncate(1);
        }
        for (columns, rows) in [(80, 24), (60, 16)] {
            let (mut clock, mut other) = (
                SessionClock::new(&TimeSource::System, 0, Some(0), 60),
                SessionClock::new(&TimeSource::System, 0, Some(0), 60),
            );
            let mut opened = StudyPageScreen::new(page.clone(), words(), &mut other, &keys);
            let opened = picture::text(&opened.at(&look, columns, rows));
            let is_over = std::cell::Cell::new(false);
            let read_page = || {
                Ok(if is_over.get() {
                    page.clone()
                } else {
                    waiting.clone()
                })
            };
            let mut shown = StudyPageScreen::new(waiting.clone(), words(), &mut clock, &keys);
            shown = shown.polling(read_page);
            shown.at(&look, columns, rows);
            press(&mut shown, "pagedown");
            let before = picture::text(&shown.at(&look, columns, rows));
            shown.poll_waiting_page();
            assert_eq!(
                picture::text(&shown.at(&look, columns, rows)),
                before,
                "{kind}"
            );
            is_over.set(true);
            shown.poll_waiting_page();
            assert_eq!(
                picture::text(&shown.at(&look, columns, rows)),
                opened,
                "{kind}"
            );
        }
        compared += usize::from(is_argued);
    }
    assert!(compared > 3, "{compared}");
}

/// A click selects an answer, and a click on the key hint sends it.
#[test]
fn an_answer_is_given_with_clicks() {
    let (_, page) = IN_TABLE.iter().find(|(kind, _)| *kind == "query").unwrap();
    let Some(DebateAnswerForm::OneOf(options)) = page.page.ask.as_ref().map(|ask| &ask.kind) else {
        panic!("it asks to choose");
    };
    let keys = keys::default_key_map().unwrap();
    let mut clock = SessionClock::new(&TimeSource::System, 0, Some(0), 60);
    let mut shown = StudyPageScreen::new(page.clone(), words(), &mut clock, &keys);
    shown.at(&ScreenAppearance::default(), 80, 60);
    assert_eq!(
        super::hands::click(&mut shown, &options[1]),
        ScreenEffect::None
    );
    let answer = ScreenEffect::Leave(StudyPageOutcome::Input(ParticipantInput::Choice(1)));
    assert_eq!(super::hands::click(&mut shown, "enter answer"), answer);
}

/// The buffers of every page until the debrief.
fn drawn(study: &Study) -> Vec<Buffer> {
    let keys = keys::default_key_map().unwrap();
    let draw = |page: StudySessionPage| {
        let area = Rect::new(0, 0, 80, 24);
        let mut buffer = Buffer::empty(area);
        let mut clock = SessionClock::new(&TimeSource::System, 0, Some(0), 60);
        let mut screen = StudyPageScreen::new(page, words(), &mut clock, &keys);
        screen.draw(&ScreenAppearance::default(), &mut buffer, area);
        buffer
    };
    // The same answers in both studies, because a judge with knowledge would answer correctly.
    let mut participant = Participant::new(study, CodeOrAddressByOutcome::default());
    let mut buffers = Vec::new();
    loop {
        let page = participant.page();
        if page.page.heading == "What this was about" {
            return buffers;
        }
        let input = match kind_of(&page) {
            None | Some(DebateAnswerForm::Next | DebateAnswerForm::Reply(_)) => {
                ParticipantInput::Next
            }
            Some(DebateAnswerForm::Size) => ParticipantInput::Size(Some((80, 24))),
            Some(DebateAnswerForm::OneOf(_)) => ParticipantInput::Choice(0),
            Some(DebateAnswerForm::Percent { .. }) => ParticipantInput::Text("70".to_owned()),
            Some(DebateAnswerForm::Text { .. }) => ParticipantInput::Text(String::new()),
        };
        buffers.push(draw(page));
        participant.take_input(&input).unwrap().unwrap();
        if participant.must_claim_slot_next() {
            participant.start_trials_or_end_as_full(Some(0)).unwrap();
        }
    }
}

#[test]
fn study_screens_reveal_neither_truth_nor_players() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = indistinguishable(folder.path()).map(|folder| {
        let study = Study::load(&folder).unwrap();
        drawn(&study)
    });
    assert!(one.len() > 10, "{}", one.len());
    // Characters and styles.
    assert_eq!(one, other);
}
