//! A study in two languages: translations, the choice of a language, and the data.

use super::*;
use crate::plan::languages::Translation;
use crate::session::terminal::StudyTerminalTexts;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The direct study with a survey, in English and German. Every German text of the study begins with `DE `.
fn bilingual(folder: &Path) -> PathBuf {
    create_example_study(folder).unwrap();
    let text = DIRECT
        .replace(
            "stage:",
            "languages: [\"en\", \"de\"], texts: {\"de\": \"de/texts.ron\"}, stage:",
        )
        .replace(
            "scenarios: [\"items/*.ron\"]",
            "scenarios: [\"items/*.ron\"], translated: {\"de\": \"de\"}",
        )
        .replace("Trials, Debrief", "Trials, Survey(\"after.ron\"), Debrief");
    assert!(text.contains("translated"), "{text}");
    fs::write(folder.join("study.ron"), text).unwrap();
    copy_items(folder, |text| text.replace("text: \"", "text: \"DE "));
    let mut study = Study::load_in_first_language_only(folder).unwrap();
    let file = study.translation_file_for_translators("de").unwrap();
    let mut texts: Translation = ron::from_str(&file).unwrap();
    for text in texts.values_mut() {
        *text = format!("DE {text}");
    }
    save_texts(folder, &texts);
    folder.to_owned()
}

/// A locked study whose translation lacks texts that the program got later shows them in English. An unlocked study is
/// refused.
#[test]
fn a_locked_translation_may_lack_texts_that_were_added_later() {
    let dir = tempfile::tempdir().unwrap();
    let folder = bilingual(&dir.path().join("p"));
    let path = folder.join("study.ron");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("\"de\"", "\"fr\"");
    let text = text.replace("{\"fr\": \"fr\"}", "{\"fr\": \"de\"}");
    fs::write(&path, text).unwrap();
    let mut study = Study::load_in_first_language_only(&folder).unwrap();
    let file = study.translation_file_for_translators("fr").unwrap();
    let whole: Translation = ron::from_str(&file).unwrap();
    let mut few = whole.clone();
    few.retain(|key, _| !key.starts_with("words.unknown link"));
    assert_eq!(few.len() + 2, whole.len(), "{file}");
    save_texts(&folder, &few);
    let why = Study::load(&folder).unwrap_err().to_string();
    assert!(
        why.contains("lacks 2 of") && why.contains("words.unknown link.text"),
        "{why}"
    );
    save_texts(&folder, &whole);
    crate::folder::lock::lock_study(&load(&folder)).unwrap();
    save_texts(&folder, &few);
    let study = load(&folder);
    let french = study.in_language("fr").unwrap();
    let words = french
        .plan
        .filled_wording("unknown link", &serde_json::Value::Null);
    assert_eq!(words.heading.as_deref(), Some("This link does not work"));
    few.remove("words.continue.text");
    save_texts(&folder, &few);
    let why = Study::load(&folder).unwrap_err().to_string();
    assert!(why.contains("words.continue.text"), "{why}");
}

/// Writes the items of the folder `de`, changed by `change`.
fn copy_items(folder: &Path, change: impl Fn(String) -> String) {
    fs::create_dir_all(folder.join("de/items")).unwrap();
    for entry in fs::read_dir(folder.join("items")).unwrap() {
        let path = entry.unwrap().path();
        let text = change(fs::read_to_string(&path).unwrap());
        let copy = folder.join("de/items").join(path.file_name().unwrap());
        fs::write(copy, text).unwrap();
    }
}

fn save_texts(folder: &Path, texts: &Translation) {
    let text = ron::to_string(texts).unwrap();
    fs::write(folder.join("de/texts.ron"), text).unwrap();
}

fn texts(folder: &Path) -> Translation {
    ron::from_str(&fs::read_to_string(folder.join("de/texts.ron")).unwrap()).unwrap()
}

/// Runs a session in a language to its end. Returns its pages as text.
fn run(study: &Study, id: &str, language: &str) -> Vec<String> {
    let mut pages = Vec::new();
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::PERFECT, "7").unwrap();
    let (mut session, mut clock) =
        start_or_resume(study, Some(id), CodeOrAddressByOutcome::default()).unwrap();
    let now = clock.record_key_press_times();
    assert!(session.choose_language(language, &now).unwrap());
    assert!(!session.choose_language("en", &now).unwrap());
    loop {
        let page = session.current_page();
        let lines = [
            vec![page.page.heading.clone()],
            page.all_plain_text_lines(),
            session.participant_terminal_words().request_lines(&page),
        ];
        pages.push(lines.concat().join("\n"));
        if page.is_session_over() {
            return pages;
        }
        let input = judge.answer_for_page(&page, session.participant());
        session
            .take_input(&input, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
        // A resumed session stays in its language.
        if pages.len() == 3 {
            drop(session);
            (session, clock) =
                start_or_resume(study, Some(id), CodeOrAddressByOutcome::default()).unwrap();
        }
    }
}

#[test]
fn a_participant_chooses_a_language_and_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = bilingual(&folder.path().join("p"));
    let study = load(&folder);
    let checked = check_study(&study).unwrap();
    assert!(checked.ok, "{:?}", checked.problems);
    let first = Participant::new(&study, CodeOrAddressByOutcome::default()).page();
    assert_eq!(first.page.heading, "Language · Sprache");
    let lines = StudyTerminalTexts::terminal_words_of_plan(&study.plan).request_lines(&first);
    assert!(
        lines[0].contains("take part?\nIn welcher Sprache"),
        "{lines:?}"
    );
    assert_eq!(lines[1..], ["  1. English", "  2. Deutsch"]);
    let german = run(&study, "a", "de").join("\n");
    for part in [
        "Bevor Sie beginnen",
        "DE # About this study",
        "Wie wahrscheinlich ist es, dass dies wahr ist?\n„DE ",
        "DE How hard did you find the tasks?",
        "1 (DE very easy)",
        "DE never",
        "Ihre durchschnittliche Punktzahl: −0,",
        "Ihr Bonus: ",
        " Cent.",
    ] {
        assert!(german.contains(part), "{part}: {german}");
    }
    let english = run(&study, "b", "en").join("\n");
    assert!(
        english.contains("Before you begin") && !english.contains("DE "),
        "{english}"
    );
    assert!(english.contains("Your average score: −0."), "{english}");
    // The lock, the schedule and the data do not depend on the language.
    assert!(verify_lock(&study.translations[0]).unwrap().is_some());
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    let languages = rows.participants.iter().map(|row| row.language.as_str());
    assert_eq!(languages.collect::<Vec<_>>(), ["de", "en"]);
    let survey = rows
        .survey
        .iter()
        .filter(|row| row.question == "debates_before");
    let answers: Vec<&str> = survey.map(|row| row.answer.as_str()).collect();
    assert_eq!(answers, ["never", "never"]);
    let report = study_report(&study, LiveOrSimulated::Live).unwrap();
    assert_eq!(
        report.flow.by_language,
        BTreeMap::from([("de".to_owned(), 1), ("en".to_owned(), 1)])
    );
    assert!(report_text(&report).contains("language de"));
    let trials = rows
        .trials
        .iter()
        .filter(|row| row.key.participant == rows.participants[0].participant);
    assert!(trials.clone().count() > 3 && trials.clone().all(|row| row.p_correct > 0.5));
}

#[test]
fn incomplete_translations_are_refused_with_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let folder = bilingual(&folder.path().join("p"));
    let whole = texts(&folder);
    let keys: Vec<&str> = whole.keys().map(String::as_str).collect();
    for key in [
        "title",
        "conditions.one.shown_as",
        "consent.md",
        "after.ron.effort.ask",
        "after.ron.effort.ends.2",
        "after.ron.debates_before.options.3",
    ] {
        assert!(keys.contains(&key), "{key}: {keys:?}");
    }
    let refused = |texts: &Translation| {
        save_texts(&folder, texts);
        Study::load(&folder).unwrap_err().to_string()
    };
    let mut few = whole.clone();
    few.remove("title");
    few.insert("after.ron.effort.ask".to_owned(), " ".to_owned());
    let why = refused(&few);
    assert!(why.contains("lacks 2 of"), "{why}");
    assert!(why.contains("title, after.ron.effort.ask"), "{why}");
    assert!(
        why.contains("de/texts.ron") && why.contains("study texts --lang de"),
        "{why}"
    );
    for (key, part) in [
        (
            "nonsense",
            "`nonsense` is not the name of a text of this study",
        ),
        (
            "words.nonsense.text",
            "`words.nonsense.text` is not the name of a page's text",
        ),
        ("words.next.ask", "is not the name of a page's text"),
        (
            "words.consent.options.3",
            "is not the name of a page's text",
        ),
        (
            "words.consent.options.0",
            "is not the name of a page's text",
        ),
        ("words.consent", "is not the name of a page's text"),
    ] {
        let mut more = whole.clone();
        more.insert(key.to_owned(), "x".to_owned());
        let why = refused(&more);
        assert!(why.contains(part), "{why}");
    }
    // A translated standard text replaces the program's own one.
    let mut more = whole.clone();
    more.insert(
        "words.consent.options.2".to_owned(),
        "Lieber nicht".to_owned(),
    );
    save_texts(&folder, &more);
    let study = Study::load(&folder).unwrap();
    let options = study.translations[0]
        .plan
        .wording("consent")
        .options
        .unwrap();
    assert_eq!(options, ["Ja, ich nehme teil", "Lieber nicht"]);
    fs::write(
        folder.join("de/texts.ron"),
        "{\"title\": \"a\", \"title\": \"b\"}",
    )
    .unwrap();
    assert!(
        Study::load(&folder)
            .unwrap_err()
            .to_string()
            .contains("defined twice")
    );
}

#[test]
fn translated_items_differ_in_texts_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = bilingual(&folder.path().join("p"));
    for (old, new, part) in [
        ("truth: true", "truth: false", "differs from `true`"),
        ("\"story\": \"", "\"story\": \"other ", "differs from"),
    ] {
        copy_items(&folder, |text| text.replacen(old, new, 1));
        let why = Study::load(&folder).unwrap_err().to_string();
        assert!(why.contains("de/items/") && why.contains(part), "{why}");
    }
    copy_items(&folder, |text| text);
    assert!(Study::load(&folder).is_ok());
    fs::remove_file(folder.join("de/items/cake.ron")).unwrap();
    let why = Study::load(&folder).unwrap_err().to_string();
    assert!(why.contains("de/items/cake.ron"), "{why}");
    copy_items(&folder, |text| text);
    for (old, new, part) in [
        (
            "translated: {\"de\": \"de\"}",
            "translated: {\"de\": \"../de\"}",
            "outside the study folder",
        ),
        (
            "translated: {\"de\": \"de\"}",
            "translated: {}",
            "the language `de` has no items",
        ),
        (
            "\"de/texts.ron\"",
            "\"/etc/passwd\"",
            "outside the study folder",
        ),
        (
            "[\"en\", \"de\"]",
            "[\"en\"]",
            "there is a translation for `de`",
        ),
        (
            "[\"en\", \"de\"]",
            "[\"en\", \"de\", \"en\"]",
            "list each language once",
        ),
        (
            "[\"en\", \"de\"]",
            "[\"en\", \"D<E\"]",
            "is not a language tag",
        ),
        (
            "languages:",
            "language: \"en\", languages:",
            "remove `language`",
        ),
        (
            "[\"en\", \"de\"]",
            "[\"fr\", \"de\"]",
            "no standard texts in `fr`",
        ),
    ] {
        let path = folder.join("study.ron");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{old}");
        fs::write(&path, text.replace(old, new)).unwrap();
        let why = Study::load(&folder).unwrap_err().to_string();
        assert!(why.contains(part), "{new}: {why}");
        fs::write(&path, text).unwrap();
    }
}

#[test]
fn labels_and_placeholders_of_a_translation_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = bilingual(&folder.path().join("p"));
    let whole = texts(&folder);
    for (key, text, part) in [
        (
            "conditions.one.shown_as",
            "DE Task L",
            "is equal in one language and different",
        ),
        (
            "conditions.two.shown_as",
            "Aufgabe one",
            "which contains `one`",
        ),
        (
            "words.next.text",
            "Weiter {{nowhere}}",
            "unknown placeholder `{{nowhere}}`",
        ),
    ] {
        let mut changed = whole.clone();
        changed.insert(key.to_owned(), text.to_owned());
        save_texts(&folder, &changed);
        let checked = check_study(&load(&folder)).unwrap();
        let problem = checked.problems.iter().find(|it| it.contains(part));
        assert!(
            problem.is_some_and(|it| it.starts_with("language `de`: ")),
            "{:?}",
            checked.problems
        );
    }
}

/// Rules about answers name the options of the first language.
#[test]
fn a_translated_answer_screens_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = bilingual(&folder.path().join("p"));
    let survey = r#"[Question(id: "reads", ask: "How often do you read?", answer: Choice(["daily", "never"]))]"#;
    fs::write(folder.join("screen.ron"), survey).unwrap();
    let rule = "screening: (survey: \"screen.ron\", screen_out: [(question: \"reads\", is: OneOf([\"never\"]))]), stage:";
    rewrite(&folder, |text| text.replacen("stage:", rule, 1));
    let why = Study::load(&folder).unwrap_err().to_string();
    assert!(why.contains("screen.ron.reads.options.2"), "{why}");
    let mut translated = texts(&folder);
    for (key, text) in [
        ("screen.ron.reads.ask", "Wie oft lesen Sie?"),
        ("screen.ron.reads.options.1", "täglich"),
        ("screen.ron.reads.options.2", "nie"),
    ] {
        translated.insert(key.to_owned(), text.to_owned());
    }
    save_texts(&folder, &translated);
    let study = load(&folder);
    let (mut session, mut clock) =
        start_or_resume(&study, Some("a"), CodeOrAddressByOutcome::default()).unwrap();
    let now = clock.record_key_press_times();
    assert!(session.choose_language("de", &now).unwrap());
    let page = session.current_page();
    let asked = ["Wie oft lesen Sie?", "  1. täglich", "  2. nie"];
    assert_eq!(
        session.participant_terminal_words().request_lines(&page),
        asked
    );
    session
        .take_input(&ParticipantInput::Choice(1), &now)
        .unwrap()
        .unwrap();
    assert_eq!(
        session.participant().status(),
        StudySessionStatus::ScreenedOut
    );
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    assert_eq!(rows.participants[0].language, "de");
    let log = fs::read_to_string(
        study
            .folder
            .log_file(LiveOrSimulated::Live, session.session_name()),
    )
    .unwrap();
    assert!(log.contains("\"answer\":\"never\""), "{log}");
}

/// While a participant chooses a language, all pages that they can reach are in all languages of the study.
#[test]
fn leaving_before_the_choice_of_a_language_is_in_every_language() {
    let folder = tempfile::tempdir().unwrap();
    let folder = bilingual(&folder.path().join("p"));
    let study = load(&folder);
    let whole = |page: &StudySessionPage| {
        let words = StudyTerminalTexts::terminal_words_of_plan(&study.plan);
        let lines = [
            vec![page.page.heading.clone()],
            page.all_plain_text_lines(),
            words.request_lines(page),
            page.button.clone().into_iter().collect(),
        ];
        lines.concat().join("\n")
    };
    let mut participant = Participant::new(&study, CodeOrAddressByOutcome::default());
    let mut take = |input: ParticipantInput| {
        participant.take_input(&input).unwrap().unwrap();
        participant.clone()
    };
    let leaving = take(ParticipantInput::Leave).page();
    let names = ["leave", "continue"];
    let expect = |text: &str, names: &[&str]| {
        for language in ["en", "de"] {
            let plan = &study.in_language(language).unwrap().plan;
            let places = plan.duration_placeholders(plan.time.resume_within_s());
            for name in names {
                let places = if *name == "continue" || *name == "withdrawn" {
                    &serde_json::Value::Null
                } else {
                    &places
                };
                let words = plan.filled_wording(name, places);
                let parts = [words.heading, words.text, words.ask].into_iter().flatten();
                for part in parts.chain(words.options.unwrap_or_default()) {
                    assert!(text.contains(&part), "{language} {name}: {part}: {text}");
                }
            }
        }
    };
    expect(&whole(&leaving), &names);
    assert!(matches!(
        leaving.page.ask.unwrap().kind,
        debate_text::DebateAnswerForm::OneOf(options) if options.len() == 3
    ));
    let paused = take(ParticipantInput::Choice(1));
    assert!(paused.has_paused_session());
    let words = paused.pause_wording();
    let words = [words.heading, words.text, words.ask].map(Option::unwrap_or_default);
    expect(&words.join("\n"), &["paused"]);
    let started = start_or_resume(&study, Some("a"), CodeOrAddressByOutcome::default());
    let parting = started.unwrap().0.session_resume_sentence().unwrap();
    expect(&parting, &["same command"]);
    take(ParticipantInput::Leave);
    let withdrawn = take(ParticipantInput::Choice(2));
    assert_eq!(withdrawn.status(), StudySessionStatus::Withdrawn);
    expect(&whole(&withdrawn.page()), &["withdrawn"]);
    // After the choice, the pages are in the chosen language alone.
    let mut german = Participant::new(&study, CodeOrAddressByOutcome::default());
    for input in [ParticipantInput::Choice(1), ParticipantInput::Leave] {
        german.take_input(&input).unwrap().unwrap();
    }
    let text = whole(&german.page());
    assert!(
        text.contains("Was möchten Sie tun?") && !text.contains("What do you"),
        "{text}"
    );
}

/// The standard texts of all languages name the same, exact durations.
#[test]
fn durations_are_exact_in_every_language() {
    let folder = tempfile::tempdir().unwrap();
    let english = direct(&folder.path().join("en"));
    let root = folder.path().join("de");
    direct(&root);
    rewrite(&root, |text| in_german(&text));
    let german = load(&root);
    for seconds in [
        1, 40, 59, 60, 61, 90, 119, 120, 300, 3599, 3600, 3601, 5430, 86_400,
    ] {
        for name in ["your time", "waiting", "break", "paused", "same command"] {
            let text = |study: &Study| {
                let places = study.plan.duration_placeholders(seconds);
                study.plan.filled_text(name, &places)
            };
            let words = debate_core::text::exact_duration_in_words(seconds);
            assert!(
                text(&english).contains(&words),
                "{name}: {}",
                text(&english)
            );
            let short = debate_core::text::exact_duration_in_short_units(seconds);
            assert!(text(&german).contains(&short), "{name}: {}", text(&german));
        }
    }
    // Only the estimate of the remaining time is in rounded minutes.
    for study in [&english, &german] {
        for name in crate::plan::words::standard_text_names() {
            let words = study.plan.wording(name);
            let parts = [words.heading, words.text, words.ask].into_iter().flatten();
            for part in parts.chain(words.options.unwrap_or_default()) {
                for place in debate_text::placeholders(&part) {
                    let is_rounded = ["minutes", "hours", "held_hours"].contains(&place);
                    assert!(!is_rounded || name == "minutes left", "{name}: {part}");
                }
            }
        }
    }
}
