//! Screening before consent, quotas, additional participants, the waiting list, and the pay and links of each outcome.

use std::time::Duration;

use super::*;

/// The screening survey of these tests.
const SURVEY: &str = r#"[
    (id: "age", ask: "How old are you?", answer: Number(min: 0, max: 120)),
    (id: "reads", ask: "How often do you read news?", answer: Choice(["daily", "weekly", "never"])),
]"#;

/// Creates a small study with these recruitment rules and this limit of participants.
fn recruiting(folder: &Path, stop: u32, rules: &str) -> Study {
    create_example_study(folder).unwrap();
    fs::write(folder.join("screening.ron"), SURVEY).unwrap();
    rewrite(folder, |_| {
        DIRECT
            .replace("Participants(12)", &format!("Participants({stop})"))
            .replace("    flow: [", &format!("    {rules}\n    flow: ["))
    });
    load(folder)
}

const SCREENING: &str = r#"screening: (
        survey: "screening.ron",
        screen_out: [(question: "age", is: Below(18)), (question: "reads", is: OneOf(["never"]))],
    ),"#;

fn codes() -> CodeOrAddressByOutcome {
    CodeOrAddressByOutcome {
        complete: Some("DONE".to_owned()),
        screened_out: Some("OUT".to_owned()),
        quota_full: Some("QUOTA".to_owned()),
        full: Some("FULL".to_owned()),
        ..CodeOrAddressByOutcome::default()
    }
}

/// Opens the participant's session.
fn open<'s>(study: &'s Study, id: &str) -> (RunningStudySession<'s>, SessionClock) {
    start_or_resume(study, Some(id), codes()).unwrap()
}

/// Gives these answers, and opens the session anew before each of them as after a kill. Returns the status at the end.
fn give(study: &Study, id: &str, answers: &[ParticipantInput]) -> StudySessionStatus {
    for answer in answers {
        let before = open(study, id).0.current_page();
        let (mut session, mut clock) = open(study, id);
        assert_eq!(session.current_page(), before, "{id} sees the same page");
        let taken = session.take_input(answer, &clock.record_key_press_times());
        taken.unwrap().unwrap();
    }
    open(study, id).0.participant().status()
}

fn age(years: &str) -> ParticipantInput {
    ParticipantInput::Text(years.to_owned())
}

/// Answers the screening survey with this age and option, and agrees to take part.
fn agree(study: &Study, id: &str, reads: usize) -> StudySessionStatus {
    let answers = [age("30"), ParticipantInput::Choice(reads)];
    let status = give(study, id, &answers);
    if status != StudySessionStatus::Started || open(study, id).0.current_page().polls {
        return status;
    }
    give(study, id, &[ParticipantInput::Choice(0)])
}

/// Answers all pages up to the end.
fn finish(study: &Study, id: &str) -> StudySessionStatus {
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::PERFECT, id).unwrap();
    let (mut session, mut clock) = open(study, id);
    loop {
        let page = session.current_page();
        if page.is_session_over() {
            return session.participant().status();
        }
        let input = judge.answer_for_page(&page, session.participant());
        let taken = session.take_input(&input, &clock.record_key_press_times());
        taken.unwrap().unwrap();
    }
}

fn withdraw(study: &Study, id: &str) {
    let status = give(
        study,
        id,
        &[ParticipantInput::Leave, ParticipantInput::Choice(2)],
    );
    assert_eq!(status, StudySessionStatus::Withdrawn);
}

fn text(page: &StudySessionPage) -> String {
    page.all_plain_text_lines().join("\n")
}

#[test]
fn an_answer_screens_out_before_consent_and_only_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let study = recruiting(
        &folder.path().join("p"),
        2,
        &format!(
            r#"{SCREENING}
    returns: (screened_out: "https://example.org/end?cc={{code}}"),
    outcome_pay: (screened_out: 15),"#
        ),
    );
    assert_eq!(
        give(&study, "young", &[age("17")]),
        StudySessionStatus::ScreenedOut
    );
    let rest = [age("30"), ParticipantInput::Choice(2)];
    assert_eq!(
        give(&study, "never", &rest),
        StudySessionStatus::ScreenedOut
    );
    let (session, _) = open(&study, "young");
    let end = session.current_page();
    let said = text(&end);
    assert!(
        said.contains("other answers") && said.contains("OUT"),
        "{said}"
    );
    assert!(said.contains("You will be paid"), "{said}");
    let link = end.return_link.as_deref();
    assert_eq!(link, Some("https://example.org/end?cc=OUT"));
    drop(session);
    // No consent was given, so nothing is locked, and no slot is taken.
    assert!(verify_lock(&study).unwrap().is_none());
    assert!(
        study
            .folder
            .all_schedule_row_reservations()
            .unwrap()
            .is_empty()
    );
    let path = study.folder.log_file(LiveOrSimulated::Live, "s0000");
    let records = read_log(&path).unwrap().records;
    let kinds = records.iter().filter(|it| it.kind != "resume");
    let kinds: Vec<&str> = kinds.map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds, ["start", "screening"]);
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    let by: Vec<&str> = rows
        .participants
        .iter()
        .map(|row| row.screened_by.as_str())
        .collect();
    assert_eq!(by, ["age", "reads"]);
    let outcomes = rows.participants.iter().map(|row| row.outcome.as_str());
    assert!(outcomes.eq(["screened_out"; 2]));
    let survey = rows.survey.iter();
    let survey: Vec<[&str; 3]> = survey
        .map(|row| [&*row.session, &*row.question, &*row.answer])
        .collect();
    assert_eq!(
        survey,
        [
            ["s0000", "age", "17"],
            ["s0001", "age", "30"],
            ["s0001", "reads", "never"]
        ]
    );
    let payments = participant_payments(&study).unwrap();
    let paid = payments.iter().map(|it| (it.cents, it.why));
    assert!(paid.eq([(15, "screened_out"); 2]));
}

#[test]
fn a_quota_admits_as_many_and_a_place_that_becomes_free_counts_again() {
    let folder = tempfile::tempdir().unwrap();
    let rules = format!(
        r#"{SCREENING}
    quotas: [(question: "reads", is: OneOf(["daily"]), most: 2)],"#
    );
    let study = recruiting(&folder.path().join("p"), 4, &rules);
    for (id, reads, expected) in [
        ("a", 0, StudySessionStatus::Started),
        ("b", 0, StudySessionStatus::Started),
        ("c", 0, StudySessionStatus::QuotaFull),
        ("d", 1, StudySessionStatus::Started),
    ] {
        assert_eq!(agree(&study, id, reads), expected, "{id}");
    }
    let said = text(&open(&study, "c").0.current_page());
    assert!(
        said.contains("like yours") && said.contains("QUOTA"),
        "{said}"
    );
    let counts = quota_counts(&study).unwrap();
    assert_eq!((counts[0].filled, counts[0].complete), (2, 0));
    assert_eq!(counts[0].quota_question_and_answers(), "reads: daily");
    assert_eq!(finish(&study, "a"), StudySessionStatus::Complete);
    withdraw(&study, "b");
    // The outcome of a session that ended does not change.
    assert_eq!(agree(&study, "e", 0), StudySessionStatus::Started);
    assert_eq!(agree(&study, "f", 0), StudySessionStatus::QuotaFull);
    let status = open(&study, "c").0.participant().status();
    assert_eq!(status, StudySessionStatus::QuotaFull);
    let counts = quota_counts(&study).unwrap();
    assert_eq!((counts[0].filled, counts[0].complete), (2, 1));
    let report = study_report(&study, LiveOrSimulated::Live).unwrap();
    assert_eq!(report.flow.quotas, counts);
    assert_eq!(report.flow.by_status["quota_full"], 2);
    let said = report_text(&report);
    assert!(
        said.contains("reads: daily") && said.contains("2 of 2"),
        "{said}"
    );
    let progress = StudyProgress::read_session_progress(&study).unwrap();
    assert_eq!(progress.quotas, counts);
}

#[test]
fn concurrent_participants_do_not_exceed_a_quota() {
    let folder = tempfile::tempdir().unwrap();
    let rules = format!(
        r#"{SCREENING}
    quotas: [(question: "reads", is: OneOf(["daily"]), most: 3)],"#
    );
    let study = recruiting(&folder.path().join("p"), 12, &rules);
    let names: Vec<String> = (0..8).map(|number| format!("p{number}")).collect();
    let statuses: Vec<StudySessionStatus> = std::thread::scope(|scope| {
        let come = |id: &String| agree(&study, id, 0);
        let threads: Vec<_> = names
            .iter()
            .map(|id| scope.spawn(move || come(id)))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.collect()
    });
    let of = |status: StudySessionStatus| statuses.iter().filter(|it| **it == status).count();
    assert_eq!(
        (
            of(StudySessionStatus::Started),
            of(StudySessionStatus::QuotaFull)
        ),
        (3, 5)
    );
}

#[test]
fn a_quota_of_a_condition_leaves_its_slots_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let rules = format!(
        r#"{SCREENING}
    quotas: [(question: "reads", is: OneOf(["daily"]), most: 1, condition: "one")],"#
    );
    let study = {
        let path = folder.path().join("p");
        recruiting(&path, 4, &rules);
        rewrite(&path, |text| {
            text.replace(
                "Within(order: Williams, blocks: 4, per_cell: 1)",
                "Between(block: [4], trials: 2)",
            )
        });
        load(&path)
    };
    let ids = ["a", "b", "c", "d"];
    let statuses = ids.map(|id| agree(&study, id, 0));
    let started = statuses
        .iter()
        .filter(|it| **it == StudySessionStatus::Started)
        .count();
    assert_eq!(started, 3, "{statuses:?}");
    let conditions = ids.iter().filter_map(|id| {
        let slot = open(&study, id).0.participant().slot()?;
        let trials = study.schedule().trials_of_slot_without_practice(slot);
        Some(study.plan.conditions[trials[0].condition].id.clone())
    });
    let mut conditions: Vec<String> = conditions.collect();
    conditions.sort();
    assert_eq!(conditions, ["one", "two", "two"]);
    // The remaining slot has the condition, and another answer gets it.
    assert_eq!(agree(&study, "e", 1), StudySessionStatus::Started);
    let counts = quota_counts(&study).unwrap();
    assert_eq!(counts[0].filled, 1);
}

#[test]
fn the_waiting_list_moves_in_order_and_ends_when_the_study_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let study = recruiting(
        &folder.path().join("p"),
        2,
        "over_recruit: 1, waiting_list: (wait_s: 1800),",
    );
    for id in ["a", "b", "c"] {
        assert_eq!(
            give(&study, id, &[ParticipantInput::Choice(0)]),
            StudySessionStatus::Started,
            "{id}"
        );
    }
    let position = |id: &str| {
        let (session, _) = open(&study, id);
        let page = session.current_page();
        assert!(page.polls, "{id} waits: {}", text(&page));
        let said = text(&page);
        let (_, rest) = said.split_once("waiting list: ").unwrap();
        rest.chars().next().unwrap()
    };
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(1));
    assert_eq!(position("d"), '1');
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(1));
    assert_eq!(position("e"), '2');
    assert_eq!((position("d"), position("e")), ('1', '2'));
    let said = text(&open(&study, "d").0.current_page());
    assert!(
        said.contains("30 minutes") && said.contains("24 hours"),
        "{said}"
    );
    // A free place goes to the first one, also if another one looks earlier.
    withdraw(&study, "b");
    assert_eq!(position("e"), '2');
    let (session, _) = open(&study, "d");
    assert!(!session.current_page().polls);
    drop(session);
    assert_eq!(
        give(&study, "d", &[ParticipantInput::Choice(0)]),
        StudySessionStatus::Started
    );
    assert_eq!(position("e"), '1');
    // The study is complete: who waits reads so, and the additional participant continues.
    assert_eq!(finish(&study, "a"), StudySessionStatus::Complete);
    assert_eq!(position("e"), '1');
    assert_eq!(finish(&study, "c"), StudySessionStatus::Complete);
    let (session, _) = open(&study, "e");
    assert_eq!(session.participant().status(), StudySessionStatus::Full);
    let said = text(&session.current_page());
    assert!(said.contains("FULL"), "{said}");
    drop(session);
    assert_eq!(finish(&study, "d"), StudySessionStatus::Complete);
    let late = start_or_resume(&study, Some("f"), codes());
    assert!(matches!(late.err(), Some(StudyError::Full(2))));
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    let waited = rows.participants.iter().map(|row| row.waited_s.is_some());
    assert!(waited.eq([false, false, false, true, true]));
}

#[test]
fn an_absent_participant_does_not_block_the_list_and_waiting_has_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let study = recruiting(&folder.path().join("p"), 1, "waiting_list: (wait_s: 600),");
    assert_eq!(
        give(&study, "a", &[ParticipantInput::Choice(0)]),
        StudySessionStatus::Started
    );
    let waits = |id: &str| open(&study, id).0.current_page().polls;
    assert!(waits("b"));
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(60));
    assert!(waits("c"));
    // The browser of the first one is silent for more than 75 seconds.
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(30));
    withdraw(&study, "a");
    assert!(!waits("c"));
    assert!(waits("b"));
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(510));
    let status = open(&study, "b").0.participant().status();
    assert_eq!(status, StudySessionStatus::Full);
}

#[test]
fn an_inactive_participant_loses_the_place_to_the_waiting_list() {
    let folder = tempfile::tempdir().unwrap();
    let study = recruiting(
        &folder.path().join("p"),
        1,
        "time: (resume_within_h: 1), waiting_list: (wait_s: 7200),",
    );
    assert_eq!(
        give(&study, "a", &[ParticipantInput::Choice(0)]),
        StudySessionStatus::Started
    );
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(1800));
    assert!(open(&study, "b").0.current_page().polls);
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(1801));
    end_expired_sessions(&study).unwrap();
    assert!(!open(&study, "b").0.current_page().polls);
}

#[test]
fn a_kill_between_claim_and_log_line_keeps_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let study = recruiting(&folder.path().join("p"), 1, SCREENING);
    let (mut session, mut clock) = open(&study, "a");
    let taken = session.take_input(&age("30"), &clock.record_key_press_times());
    taken.unwrap().unwrap();
    drop(session);
    let claim = study
        .folder
        .reserve_free_schedule_row("s0000", 1)
        .unwrap()
        .unwrap();
    assert_eq!(
        give(&study, "a", &[ParticipantInput::Choice(1)]),
        StudySessionStatus::Started
    );
    assert_eq!(open(&study, "a").0.participant().slot(), Some(claim.slot));
    // A participant who declines gives the place back.
    assert_eq!(
        give(&study, "a", &[ParticipantInput::Choice(1)]),
        StudySessionStatus::NoConsent
    );
    assert_eq!(agree(&study, "b", 0), StudySessionStatus::Started);
}

#[test]
fn unsuitable_recruitment_rules_are_refused_or_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    recruiting(&path, 4, SCREENING);
    let screening =
        |rules: &str| format!("screening: (survey: \"screening.ron\", screen_out: [{rules}]),");
    let quota = |rules: &str| format!("{SCREENING} quotas: [{rules}],");
    let with = |rules: &str| {
        rewrite(&path, |_| {
            DIRECT.replace("    flow: [", &format!("    {rules}\n    flow: ["))
        });
        Study::load(&path)
    };
    for (rules, said) in [
        (
            screening(r#"(question: "sex", is: OneOf(["x"]))"#),
            "no question `sex`",
        ),
        (
            screening(r#"(question: "reads", is: OneOf(["hourly"]))"#),
            "no answer `hourly`",
        ),
        (
            screening(r#"(question: "reads", is: Below(3))"#),
            "use OneOf",
        ),
        (
            screening(r#"(question: "age", is: OneOf(["17"]))"#),
            "use OneOf",
        ),
        (
            screening(r#"(question: "age", is: Between(30, 20))"#),
            "above the second",
        ),
        (
            quota(r#"(question: "reads", is: OneOf(["daily"]), most: 0)"#),
            "at least 1",
        ),
        (
            quota(r#"(question: "reads", is: OneOf(["daily"]), most: 1, condition: "three")"#),
            "no condition `three`",
        ),
        (
            r#"quotas: [(question: "age", is: Below(9), most: 1)],"#.to_owned(),
            "has no screening survey",
        ),
        ("waiting_list: (wait_s: 0),".to_owned(), "from 1 to 86400"),
        (
            r#"returns: (complete: "http://example.org"),"#.to_owned(),
            "https address",
        ),
        (
            r#"screening: (survey: "../screening.ron"),"#.to_owned(),
            "outside the study folder",
        ),
    ] {
        let error = with(&rules).unwrap_err().to_string();
        assert!(error.contains(said), "{rules}: {error}");
    }
    for (rules, said) in [
        (
            screening(r#"(question: "age", is: Above(120))"#),
            "no answer to `age` is above 120",
        ),
        (
            screening(r#"(question: "age", is: Below(30)), (question: "age", is: Above(29))"#),
            "every answer to `age` ends the session",
        ),
        (
            quota(r#"(question: "age", is: Below(18), most: 1)"#),
            "has no effect",
        ),
        (
            quota(
                r#"(question: "reads", is: OneOf(["daily"]), most: 5), (question: "reads", is: OneOf(["weekly"]), most: 6)"#,
            ),
            "at most 11 participants, but the study needs 12",
        ),
    ] {
        let problems = check_study(&with(&rules).unwrap()).unwrap().problems;
        assert!(
            problems.iter().any(|it| it.contains(said)),
            "{rules}: {problems:?}"
        );
    }
    let fine = with(&quota(
        r#"(question: "reads", is: OneOf(["daily"]), most: 6), (question: "reads", is: OneOf(["weekly"]), most: 6)"#,
    ));
    let checked = check_study(&fine.unwrap()).unwrap();
    assert!(checked.ok, "{:?}", checked.problems);
}

#[test]
fn simulated_judges_are_screened_and_fill_quotas_the_same_way_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let rules = format!(
        r#"{SCREENING}
    quotas: [(question: "reads", is: OneOf(["daily"]), most: 3)], waiting_list: (wait_s: 600),"#
    );
    let study = recruiting(&folder.path().join("p"), 12, &rules);
    let run = || {
        simulate(&study, 24, &SimulatedJudgeBehaviour::ALL, "7").unwrap();
        let paths = study
            .folder
            .session_log_files(LiveOrSimulated::Simulated)
            .unwrap();
        let logs: Vec<String> = paths
            .iter()
            .map(|it| fs::read_to_string(it).unwrap())
            .collect();
        logs
    };
    assert_eq!(run(), run());
    let report = study_report(&study, LiveOrSimulated::Simulated).unwrap();
    // The quota grows with the sessions: 24 sessions are two studies.
    let quota = &report.flow.quotas[0];
    assert_eq!((quota.most, quota.filled), (6, 6));
    let by_status = &report.flow.by_status;
    assert!(
        by_status["screened_out"] > 0 && by_status["quota_full"] > 0,
        "{by_status:?}"
    );
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Simulated).unwrap();
    let slots = rows.participants.iter().filter_map(|row| row.slot);
    let slots: Vec<u32> = slots.collect();
    assert_eq!(
        slots,
        (0..u32::try_from(slots.len()).unwrap()).collect::<Vec<_>>()
    );
}

#[test]
fn the_preview_has_the_pages_before_consent_and_the_page_of_each_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let rules = format!(
        r#"{SCREENING}
    quotas: [(question: "reads", is: OneOf(["daily"]), most: 12)], waiting_list: (wait_s: 600),"#
    );
    let study = recruiting(&folder.path().join("p"), 12, &rules);
    let pages = preview_pages(&study, &codes()).unwrap();
    let all: Vec<String> = pages.iter().map(|it| text(&it.page)).collect();
    let all = all.join("\n");
    for said in [
        "Your position on the waiting list: 1",
        "other answers",
        "like yours",
        "The researchers have ended this session",
    ] {
        assert!(all.contains(said), "{said}: {all}");
    }
    let asked: Vec<&str> = pages
        .iter()
        .filter_map(|it| Some(it.page.page.ask.as_ref()?.text.as_str()))
        .take(2)
        .collect();
    assert_eq!(
        asked,
        [
            "How old are you?\nType a whole number from 0 to 120.",
            "How often do you read news?"
        ]
    );
}

#[test]
fn links_contain_only_codes_without_special_signs() {
    let folder = tempfile::tempdir().unwrap();
    let study = recruiting(
        &folder.path().join("p"),
        2,
        r#"returns: (complete: "https://example.org/?cc={code}", full: "https://example.org/full"),"#,
    );
    let link = |code: &str, status| {
        let codes = CodeOrAddressByOutcome {
            complete: Some(code.to_owned()),
            ..CodeOrAddressByOutcome::default()
        };
        last_page_without_session(&study, status, &codes).return_link
    };
    let expected = Some("https://example.org/?cc=C1".to_owned());
    assert_eq!(link("C1", StudySessionStatus::Complete), expected);
    assert_eq!(link("a&b=c", StudySessionStatus::Complete), None);
    assert_eq!(link("", StudySessionStatus::Complete), None);
    let full = Some("https://example.org/full".to_owned());
    assert_eq!(link("C1", StudySessionStatus::Full), full);
    assert_eq!(link("C1", StudySessionStatus::NoConsent), None);
    let checked = check_study(&study).unwrap();
    let is_named = |it: &String| it.contains("the outcome `complete` has a link");
    assert!(checked.warnings.iter().any(is_named), "{checked:?}");
}

/// The pages before the trials are the same for all participants, so a preview shows each of them once.
#[test]
fn a_preview_shows_the_pages_before_the_trials_once() {
    let folder = tempfile::tempdir().unwrap();
    let waits = "waiting_list: (wait_s: 600),";
    for (number, rules) in ["", SCREENING, waits, &format!("{SCREENING} {waits}")]
        .into_iter()
        .enumerate()
    {
        let root = folder.path().join(number.to_string());
        recruiting(&root, 12, rules);
        // Each participant sees one condition, so the preview follows several rows of the schedule.
        rewrite(&root, |text| {
            text.replace(
                "Within(order: Williams, blocks: 4, per_cell: 1)",
                "Between(block: [2], trials: 2)",
            )
        });
        let study = load(&root);
        let pages = preview_pages(&study, &codes()).unwrap();
        let trials = pages.iter().filter(|page| page.condition.is_some());
        assert_eq!(trials.count(), 4, "{rules}");
        let consents = pages.iter().filter(|page| {
            page.page
                .page
                .ask
                .as_ref()
                .is_some_and(|ask| ask.text.contains("Do you agree"))
        });
        assert_eq!(consents.count(), 1, "{rules}");
        let first = pages
            .iter()
            .position(|page| page.condition.is_some())
            .unwrap();
        for (index, page) in pages[..first].iter().enumerate() {
            let repeated = pages[index + 1..]
                .iter()
                .any(|other| other.page == page.page);
            assert!(!repeated, "{rules}: {:?}", page.page.page);
        }
    }
}
