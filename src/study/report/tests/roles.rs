//! Participants who debate, in each seat and under several rules.

use super::*;
use debate_text::DebateAnswerForm;

/// Creates the example study with its participants in this seat, and with these rules and players.
fn seated(folder: &Path, role: &str, rules: &str, prover: &str, opponent: &str) -> Study {
    example(folder, |text| {
        let (before, rest) = text.split_once("    conditions: [").unwrap();
        let (_, after) = rest.split_once("    items:").unwrap();
        let conditions = format!(
            r#"    conditions: [
        (id: "alone", shown_as: "Task K", task: Direct(shows: Question)),
        (
            id: "seated", shown_as: "Task M",
            task: Debate(protocol: {rules}, prover: "{prover}", opponent: "{opponent}"),
        ),
    ],
    items:"#
        );
        format!("{before}{conditions}{after}")
            .replace("blocks: 2", "blocks: 1")
            .replace("roles: [Judge]", &format!("roles: [{role}]"))
            .replace("pe-hon", "seated")
            .replace("\"direct\"", "\"alone\"")
    })
}

const ESTIMATOR: &str = "ProverEstimator(epsilon: 0.25, rho: 0.5)";

/// Returns the kinds of answers in debates.
fn kinds(rows: &StudyRows) -> Vec<&str> {
    let mut kinds: Vec<&str> = rows
        .events
        .iter()
        .filter(|record| record.condition.as_deref() == Some("seated"))
        .map(|record| record.kind.as_str())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn debaters_estimate_in_the_language_of_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("p");
    seated(&root, "Opponent", ESTIMATOR, "honest", "calibrated");
    rewrite(&root, |text| in_german(&text));
    let requests = requests(&load(&root)).join("\n");
    let wanted = "Wie wahrscheinlich ist es, dass dies wahr ist?";
    assert!(requests.contains(wanted), "{requests}");
    assert!(!requests.contains("How likely is"), "{requests}");
}

/// A participant's seat, the rules, the prover, the opponent, and the kind of the participant's answers.
type RoleCase = [&'static str; 5];

const OPPONENT: RoleCase = ["Opponent", ESTIMATOR, "honest", "calibrated", "estimate"];
const RECURSIVE_PROVER: RoleCase = ["Prover", "Recursive()", "random", "random", "move"];
const RECURSIVE_JUDGE: RoleCase = ["Judge", "Recursive()", "obfuscator", "random", "query"];
const MORE: [RoleCase; 2] = [
    ["Prover", ESTIMATOR, "honest", "calibrated", "move"],
    ["Opponent", "Recursive()", "obfuscator", "random", "move"],
];

#[test]
fn participants_take_each_seat() {
    check_roles(&[OPPONENT, RECURSIVE_PROVER, RECURSIVE_JUDGE]);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: participants_take_each_seat"]
fn participants_take_each_seat_under_other_rules() {
    check_roles(&MORE);
}

fn check_roles(cases: &[RoleCase]) {
    let folder = tempfile::tempdir().unwrap();
    for (number, &[role, rules, prover, opponent, kind]) in cases.iter().enumerate() {
        let root = folder.path().join(number.to_string());
        let study = seated(&root, role, rules, prover, opponent);
        let checked = check_study(&study).unwrap();
        assert!(checked.ok, "{role} {rules}: {:?}", checked.problems);
        simulate(&study, 2, &[SimulatedJudgeBehaviour::NOISY], "7").unwrap();
        let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Simulated).unwrap();
        let found = kinds(&rows);
        for wanted in ["before", "final", kind] {
            assert!(found.contains(&wanted), "{role} {rules}: {found:?}");
        }
        // A debater does not decide for the judge, and does not see the judge's decision.
        assert_eq!(found.contains(&"query"), role == "Judge", "{found:?}");
        let role_name = study.plan.participant_seat().name_in_flags_and_json();
        assert!(rows.events.iter().all(|record| record.role == role_name));
        // A participant in a seat replaces the player that the study file names.
        let played =
            |seat: &str, named: &str| if role == seat { "human" } else { named }.to_owned();
        for trial in rows.trials.iter().filter(|it| it.key.condition == "seated") {
            let expected = [played("Prover", prover), played("Opponent", opponent)];
            assert_eq!([trial.prover.clone(), trial.opponent.clone()], expected);
        }
        let found = study_report(&study, LiveOrSimulated::Simulated).unwrap();
        let own = found
            .conditions
            .iter()
            .find(|it| it.id == "seated")
            .unwrap();
        let named = [own.compared.prover.as_str(), own.compared.opponent.as_str()];
        for (name, (seat, named)) in named
            .into_iter()
            .zip([("Prover", prover), ("Opponent", opponent)])
        {
            assert_eq!(name, if role == seat { "participants" } else { named });
        }
        let judged = rows.trials.iter().filter(|it| it.key.condition == "seated");
        assert_eq!(
            judged.count(),
            4,
            "one for practice and one that counts, each"
        );
    }
}

#[test]
fn the_debate_of_an_opponent_is_a_save_and_continues_after_a_kill() {
    check_saves("Opponent", 1);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: the_debate_of_an_opponent_is_a_save_and_continues_after_a_kill"]
fn the_debate_of_a_prover_is_a_save_and_continues_after_a_kill() {
    check_saves("Prover", 0);
}

/// Takes a participant through the study in this seat, and checks the saves of the debates.
fn check_saves(role: &str, seat: usize) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("p");
    let study = seated(&root, role, ESTIMATOR, "honest", "calibrated");
    let (status, _) = sessions::through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 300);
    assert_eq!(status, StudySessionStatus::Complete);
    let debates = study
        .folder
        .data_folder(LiveOrSimulated::Live)
        .join("debates");
    for entry in fs::read_dir(debates).unwrap() {
        let path = entry.unwrap().path();
        let save = debate_host::record::Save::read_save(&path).unwrap();
        assert_eq!(save.header.players[seat], "human");
        assert_eq!(save.header.players[2], "oracle");
        let limits = debate_solver::setup::ScenarioLimits::default();
        let verdict = debate_host::record::verify_file(&path, &limits).unwrap();
        assert!(verdict.ok && verdict.finished);
    }
}

#[test]
fn pages_of_debaters_show_their_seat_but_not_the_decision() {
    let folder = tempfile::tempdir().unwrap();
    let study = seated(
        folder.path().join("p").as_path(),
        "Opponent",
        ESTIMATOR,
        "honest",
        "calibrated",
    );
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::NOISY, "7").unwrap();
    let mut participant = Participant::new(&study, CodeOrAddressByOutcome::default());
    let (mut estimates, mut you) = (0, false);
    loop {
        let shown = participant.page();
        let page = &shown.page;
        if shown.is_session_over() || page.heading == "What this was about" {
            break;
        }
        // In conditions without debates, participants have no seat.
        if shown.details.starts_with("Task K") {
            assert!(!shown.details.contains("Your role"), "{}", shown.details);
        }
        if shown.details.starts_with("Task M") {
            assert!(
                shown.details.contains("Your role: Bob"),
                "{}",
                shown.details
            );
            estimates += usize::from(matches!(
                page.ask.as_ref().map(|ask| &ask.kind),
                Some(DebateAnswerForm::Percent { answers, .. }) if answers[0] == "true"
            ));
            for text in shown.all_plain_text_lines() {
                you |= text.contains("Bob (you): ");
                for hidden in ["Judge", "No payment", "receive", "decides for", "is over"] {
                    assert!(!text.contains(hidden), "{text}");
                }
            }
        }
        let input = judge.answer_for_page(&shown, &participant);
        participant.take_input(&input).unwrap().unwrap();
        if participant.must_claim_slot_next() {
            participant.start_trials_or_end_as_full(Some(0)).unwrap();
        }
    }
    assert!(estimates > 4 && you, "{estimates}");
}

#[test]
fn a_seat_that_no_page_can_ask_for_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (old, new, expected)) in [
        (
            "roles: [Judge]",
            "roles: [Judge, Prover]",
            "`group` is missing",
        ),
        ("roles: [Judge]", "roles: [Judge, Judge]", "each once"),
        ("roles: [Judge]", "roles: []", "each once"),
        (
            "roles: [Judge]",
            "roles: [Prover]",
            "participants can only judge",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let root = folder.path().join(number.to_string());
        create_example_study(&root).unwrap();
        rewrite(&root, |text| text.replacen(old, new, 1));
        let error = Study::load(&root).unwrap_err().to_string();
        assert!(error.contains(expected), "{new}: {error}");
    }
}

/// A live debate counts as many rounds as the same debate when it is judged again. Studies that were locked before keep
/// a count without the last round.
#[test]
fn live_debates_count_the_rounds_of_debates_that_are_judged_again() {
    let folder = tempfile::tempdir().unwrap();
    for (number, &[role, rules, prover, opponent, _]) in
        [OPPONENT, RECURSIVE_PROVER, RECURSIVE_JUDGE]
            .iter()
            .enumerate()
    {
        for (format, without_last) in [(crate::folder::lock::STUDY_FORMAT, 0), (5, 1)] {
            let root = folder.path().join(format!("{number}-{format}"));
            let mut study = seated(&root, role, rules, prover, opponent);
            study.study_format = format;
            let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::NOISY, "anna").unwrap();
            let (mut session, mut clock) =
                start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
            for _ in 0..1000 {
                let page = session.current_page();
                if page.is_session_over() {
                    break;
                }
                // If the rules refuse a move, the judge chooses again.
                let input = judge.answer_for_page(&page, session.participant());
                let now = clock.record_key_press_times();
                let _taken_or_refused = session.take_input(&input, &now).unwrap();
            }
            assert_eq!(session.participant().status(), StudySessionStatus::Complete);
            let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
            let debates = study.folder.debates_folder();
            let mut compared = 0;
            for trial in rows.trials.iter().filter(|it| it.key.condition == "seated") {
                let kind = if trial.key.is_practice {
                    "practice"
                } else {
                    "trial"
                };
                let name = format!("-s0000-{kind}-{}-", trial.key.trial);
                let saves = debate_host::record::list_save_files(&debates).unwrap();
                let save = saves
                    .iter()
                    .find(|path| path.to_string_lossy().contains(&name));
                let case = debate_lab::judgements::FinishedDebateToRejudge::read_finished_debate(
                    save.unwrap(),
                    "second",
                );
                let case = case.unwrap().unwrap();
                let mut judged = case.begin_rejudgement().unwrap();
                while judged.show_debate_up_to_next_question().unwrap().is_some() {}
                let rounds = judged.rounds_shown_so_far();
                assert_eq!(
                    trial.rounds,
                    rounds - without_last,
                    "{role} {rules} {trial:?}"
                );
                let price = study.plan.score_rule_or_default().per_continue;
                let score = trial.p_correct.log2() - price * f64::from(trial.rounds);
                assert!((trial.score - score).abs() < 1e-9);
                compared += 1;
            }
            assert_eq!(compared, 2, "{role} {rules}");
        }
    }
}
