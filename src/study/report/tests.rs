//! Whole studies, from the example study to tables and a report.

mod checks;
mod damage;
mod designs;
mod groups;
mod languages;
mod locks;
mod pages;
mod roles;
mod schedules;
mod screening;
mod sessions;
mod tables;

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use crate::*;

/// Loads a study with a manual clock.
fn load(folder: &Path) -> Study {
    let mut study = Study::load(folder).unwrap();
    study.folder.time = TimeSource::manual_clock();
    study
}

/// Creates the example study in a folder, with a changed study file.
fn example(folder: &Path, change: impl Fn(String) -> String) -> Study {
    create_example_study(folder).unwrap();
    rewrite(folder, change);
    load(folder)
}

/// Copies a folder recursively.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let copy = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &copy);
        } else {
            fs::copy(path, copy).unwrap();
        }
    }
}

fn rewrite(folder: &Path, change: impl Fn(String) -> String) {
    let path = folder.join("study.ron");
    let text = change(fs::read_to_string(&path).unwrap());
    fs::write(path, text).unwrap();
}

/// Changes a study file so that the study is in German.
fn in_german(text: &str) -> String {
    text.replace("stage:", "languages: [\"de\"], stage:")
}

/// Runs a session of a simulated participant. Returns the request of each page as a terminal shows it.
fn requests(study: &Study) -> Vec<String> {
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::PERFECT, "7").unwrap();
    let (mut session, mut clock) =
        start_or_resume(study, Some("a"), CodeOrAddressByOutcome::default()).unwrap();
    let mut requests = Vec::new();
    loop {
        let page = session.current_page();
        requests.push(
            session
                .participant_terminal_words()
                .request_lines(&page)
                .join("\n"),
        );
        if page.is_session_over() {
            return requests;
        }
        let input = judge.answer_for_page(&page, session.participant());
        session
            .take_input(&input, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
    }
}

/// A small study without debates, which runs quickly.
const DIRECT: &str = r#"Study(
    format: 1, id: "direct01", title: "Questions alone", stage: Pilot, seed: 7,
    conditions: [
        (id: "one", shown_as: "Task K", task: Direct(shows: Question)),
        (id: "two", shown_as: "Task L", task: Direct(shows: Evidence)),
    ],
    items: (scenarios: ["items/*.ron"]),
    design: Within(order: Williams, blocks: 4, per_cell: 1),
    flow: [Consent("consent.md"), Trials, Debrief(reveal: true)],
    response: Probability(ask: [Final], confirm: false),
    target: (participants: 12), stop: Participants(12),
    bonus: OneTrial(score: Quadratic, cents: 300),
    analysis: (primary: Difference(measure: Brier, of: "two", against: "one")),
)
"#;

fn direct(folder: &Path) -> Study {
    example(folder, |_| DIRECT.to_owned())
}

#[test]
fn the_example_study_works_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    let checked = check_study(&study).unwrap();
    assert!(checked.ok, "{:?}", checked.problems);
    assert!(checked.warnings.is_empty(), "{:?}", checked.warnings);
    assert_eq!((checked.items, checked.trials_per_participant), (16, 8));
    // 2.8 standard errors of a mean of sixteen, and slightly more by the noncentral t distribution.
    let planned = checked.planned.unwrap();
    assert_eq!((planned.participants, planned.stated.sd), (16, 0.12));
    let least = planned.detectable.unwrap();
    assert!((0.084..0.098).contains(&least), "{least}");
    assert!((0.8..0.9).contains(&planned.power.unwrap()));
    // At the target, each condition has each item equally often, and each order of the answers equally often.
    for condition in &checked.conditions {
        assert_eq!((condition.trials, condition.per_item), (32, [2, 2]));
        assert!((condition.swapped - 0.5).abs() < 1e-9, "{}", condition.id);
        assert!(
            (condition.first_is_right - 0.5).abs() < 1e-9,
            "{}",
            condition.id
        );
    }
    simulate(&study, 10, &SimulatedJudgeBehaviour::ALL, "7").unwrap();
    let found = study_report(&study, LiveOrSimulated::Simulated).unwrap();
    assert_eq!(found.flow.sessions, 10);
    assert_eq!(found.flow.by_status["complete"], 8);
    assert_eq!(found.flow.by_status["failed_attention"], 2);
    assert!(found.conditions.iter().all(|condition| condition.n == 16));
    assert!(report_html(&found).contains("<svg") && report_markdown(&found).starts_with("# "));
    // The report of live data excludes simulated judges.
    assert!(study_report(&study, LiveOrSimulated::Live).is_err());
    // The same seed gives the same logs.
    let log = study.folder.log_file(LiveOrSimulated::Simulated, "s0003");
    let before = fs::read(&log).unwrap();
    simulate(&study, 10, &SimulatedJudgeBehaviour::ALL, "7").unwrap();
    assert_eq!(fs::read(&log).unwrap(), before);
}

#[test]
fn faults_that_spoil_a_study_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let changes: [(&str, &str, &str); 4] = [
        (
            r#"shown_as: "Task K""#,
            r#"shown_as: "Task honest""#,
            "neutral name",
        ),
        (
            r#"opponent: "calibrated")"#,
            r#"opponent: "truthful")"#,
            "public number",
        ),
        (
            r#"shown_as: "Task C""#,
            r#"shown_as: "Task M""#,
            "their lengths differ",
        ),
        (r#"prover: "honest")"#, r#"prover: "nobody")"#, "nobody"),
    ];
    for (number, (old, new, expected)) in changes.into_iter().enumerate() {
        let study = example(&folder.path().join(number.to_string()), |text| {
            text.replace(old, new)
        });
        let checked = check_study(&study).unwrap();
        assert!(!checked.ok, "{new}");
        let said = checked.problems.join("\n");
        assert!(said.contains(expected), "{new}: {said}");
    }
    let malformed: [(&str, &str, &str); 6] = [
        ("format: 1", "format: 2", "format 2"),
        ("stage: Pilot", "stage: Pilot, surprise: 1", "surprise"),
        ("min: 1, max: 99", "min: 0, max: 100", "infinite"),
        ("per_cell: 1", "per_cell: 3", "24 items"),
        (
            r#"of: "pe-hon""#,
            r#"of: "nothing""#,
            "no condition `nothing`",
        ),
        (r#""items/*.ron""#, r#""../*.ron""#, "are outside"),
    ];
    for (number, (old, new, expected)) in malformed.into_iter().enumerate() {
        let root = folder.path().join(format!("malformed-{number}"));
        create_example_study(&root).unwrap();
        rewrite(&root, |text| text.replacen(old, new, 1));
        let error = Study::load(&root).unwrap_err().to_string();
        assert!(error.contains(expected), "{new}: {error}");
    }
}

/// Checks the reports about three kinds of simulated judges, for the seeds below `seeds`.
fn check_simulated_judges(seeds: u32) {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    let calibrated = SimulatedJudgeBehaviour::NOISY;
    let overconfident = SimulatedJudgeBehaviour {
        held: 95,
        ..SimulatedJudgeBehaviour::NOISY
    };
    let leaning = SimulatedJudgeBehaviour {
        error: 0.5,
        held: 50,
        lean: 20,
        ..SimulatedJudgeBehaviour::NOISY
    };
    for seed in 0..seeds {
        let told = |model: SimulatedJudgeBehaviour| {
            simulate(&study, 60, &[model], &format!("seed {seed}")).unwrap();
            study_report(&study, LiveOrSimulated::Simulated).unwrap()
        };
        // 240 judgements per condition: four standard errors of a proportion of 0.2 are 0.10.
        for condition in told(calibrated).conditions {
            let brier = condition.brier.unwrap().mean;
            assert!((brier - 0.16).abs() < 0.07, "{seed}: {brier}");
            let accuracy = condition.accuracy.unwrap().mean;
            assert!((accuracy - 0.8).abs() < 0.105, "{seed}: {accuracy}");
            assert!(condition.ece.unwrap() < 0.105);
        }
        for condition in told(overconfident).conditions {
            assert!((condition.ece.unwrap() - 0.15).abs() < 0.105, "{seed}");
        }
        for condition in told(leaning).conditions {
            assert!(condition.chose_first.unwrap() > 0.99, "{seed}");
            let accuracy = condition.accuracy.unwrap().mean;
            assert!((accuracy - condition.first_was_right.unwrap()).abs() < 1e-9);
        }
    }
}

#[test]
fn a_report_recovers_the_model_of_simulated_judges() {
    check_simulated_judges(1);
}

#[test]
#[ignore = "exhaustive: 3 s; every day: a_report_recovers_the_model_of_simulated_judges"]
fn a_report_recovers_the_model_of_simulated_judges_over_many_seeds() {
    check_simulated_judges(5);
}

#[test]
fn errors_about_small_claims_make_an_oracle_that_errs_as_often() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    simulate(&study, 12, &[SimulatedJudgeBehaviour::NOISY], "queries").unwrap();
    let found = study_report(&study, LiveOrSimulated::Simulated)
        .unwrap()
        .queries;
    // Six queries per judge; at n = 72, four standard errors of a rate of 0.2 are 0.19.
    assert_eq!(found.n, 72);
    let rate = f64::from(u32::try_from(found.errors).unwrap()) / 72.0;
    assert!(rate > 0.0 && (rate - 0.2).abs() < 0.19, "{rate}");
    let scenario = fs::read_to_string(folder.path().join("p/items/cake.ron")).unwrap();
    let oracle = format!("oracle: {}", found.oracle.unwrap());
    let scenario = scenario.replace("oracle: Truth", &oracle);
    let origin = debate_solver::setup::ScenarioTextSource::Text("fitted".to_owned());
    let setup = debate_solver::setup::LoadedScenario::from_text(
        &scenario,
        origin,
        &debate_solver::setup::ScenarioLimits::default(),
    )
    .unwrap();
    assert!(matches!(
        setup.oracle,
        debate_core::scenario::Oracle::Noisy(_)
    ));
}

/// Checks the coverage of both intervals in `studies` studies of twelve participants. A participant's value is the
/// difference between the means of two skewed measures.
fn check_coverage(studies: u32, resamples: u32, expected: RangeInclusive<f64>) {
    use debate_core::chance::{RandomStream, RandomStreamPurpose, Seed};
    use debate_lab::judgements::statistics::{studentised_bootstrap, t_interval};
    let seed = Seed::new("coverage").unwrap();
    let mut draws = RandomStream::for_player_in_debate(&seed, RandomStreamPurpose::Instance, 1);
    let mut ordinal = 0;
    let mut chance = || {
        ordinal += 1;
        #[expect(clippy::cast_precision_loss, reason = "53 bits")]
        let share = draws.random_53_bit_number_at(ordinal) as f64 / (1_u64 << 53) as f64;
        share
    };
    // A participant's Brier score over two trials: right with probability 0.8 after a debate, 0.65 without one.
    let mut brier = |right: f64| {
        let mut sum = 0.0;
        for _ in 0..2 {
            let held = 0.6 + 0.35 * chance();
            let p = if chance() < right { held } else { 1.0 - held };
            sum += (1.0 - p) * (1.0 - p) / 2.0;
        }
        sum
    };
    let mut differences =
        |count: u32| -> Vec<f64> { (0..count).map(|_| brier(0.8) - brier(0.65)).collect() };
    let many = differences(100 * studies);
    let truth = debate_lab::judgements::statistics::mean(&many);
    let (mut by_t, mut by_bootstrap) = (0, 0);
    for study in 0..studies {
        let own = differences(12);
        let t = t_interval(&own).unwrap();
        by_t += u32::from((t.low..=t.high).contains(&truth));
        let seed = Seed::new(format!("study {study}")).unwrap();
        let (low, high) = studentised_bootstrap(&own, resamples, &seed).unwrap();
        by_bootstrap += u32::from((low..=high).contains(&truth));
    }
    let share = |hits: u32| f64::from(hits) / f64::from(studies);
    println!(
        "paired t {:.3}, studentised bootstrap {:.3}",
        share(by_t),
        share(by_bootstrap)
    );
    for covered in [share(by_t), share(by_bootstrap)] {
        assert!(expected.contains(&covered), "{covered}");
    }
}

#[test]
fn intervals_of_twelve_participants_cover_the_mean() {
    // Three standard errors of a proportion of 0.95 in 200 studies are 0.046.
    check_coverage(200, 200, 0.90..=0.995);
}

#[test]
#[ignore = "exhaustive: 9 s; every day: intervals_of_twelve_participants_cover_the_mean"]
fn intervals_of_twelve_participants_cover_the_mean_in_many_studies() {
    check_coverage(2000, 1000, 0.91..=0.97);
}

#[test]
fn conditions_are_grouped_by_shared_settings_and_charted() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    simulate(&study, 10, &SimulatedJudgeBehaviour::ALL, "7").unwrap();
    let found = study_report(&study, LiveOrSimulated::Simulated).unwrap();
    let debated = found
        .conditions
        .iter()
        .find(|it| it.id == "pe-hon")
        .unwrap();
    assert_eq!(debated.compared.opponent, "calibrated");
    assert_eq!(debated.compared.judge, "participants");
    // Two conditions have the same rules, and no two have the same prover.
    let rules = &debated.compared.rules;
    let group = found.groups.iter().find(|it| it.value == *rules).unwrap();
    assert_eq!(group.conditions, ["pe-hon", "pe-obf"]);
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Simulated).unwrap();
    let own: Vec<_> = rows
        .counted_trials()
        .filter(|trial| trial.key.condition.starts_with("pe-"))
        .collect();
    assert_eq!(
        (group.n, group.participants),
        (own.len(), found.flow.counted)
    );
    // Each participant has the same number of judgements.
    let brier = own.iter().map(|trial| trial.brier).sum::<f64>()
        / debate_lab::judgements::statistics::count_to_float(own.len());
    assert!((group.brier.as_ref().unwrap().mean - brier).abs() < 1e-9);
    // The chart shows the intervals of the table.
    let drawn = report_charts(&found);
    let bars = drawn["vconcat"][0]["data"]["values"].as_array().unwrap();
    for (bar, condition) in bars.iter().zip(&found.conditions) {
        assert_eq!(bar["condition"], condition.id);
        let accuracy = condition.accuracy.as_ref().unwrap();
        assert_eq!(bar["right"], accuracy.mean);
        let low = accuracy.participants95.map(|ends| ends.low.max(0.0));
        assert_eq!(bar["low"].as_f64(), low);
    }
    let page = report_html(&found);
    for label in [
        "proportion of right judgements",
        "the judge's probability",
        "proportion right",
        "probability from ",
    ] {
        assert!(page.contains(label), "{label}");
    }
}

#[test]
fn an_inconclusive_contrast_states_the_required_sample_size() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    simulate(&study, 12, &SimulatedJudgeBehaviour::ALL, "3").unwrap();
    let contrast = study_report(&study, LiveOrSimulated::Simulated)
        .unwrap()
        .primary;
    assert!(
        contrast.verdict.starts_with("Too few participants to tell"),
        "{}",
        contrast.verdict
    );
    let (difference, sd) = (contrast.difference.unwrap(), contrast.sd.unwrap());
    let enough = contrast.enough.unwrap();
    let power = |count| {
        let test = debate_lab::judgements::statistics::TTestDesign::Paired(count);
        test.power(difference.abs() / sd).unwrap()
    };
    assert!(power(enough) >= 0.8 && power(enough - 1) < 0.8, "{enough}");
    assert!(
        contrast
            .verdict
            .contains(&format!(" {enough} participants would detect it")),
        "{}",
        contrast.verdict
    );
}
