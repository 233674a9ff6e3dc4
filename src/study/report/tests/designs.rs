//! Each design and each kind of trial, with simulated judges.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Returns the conditions of each session.
fn met(rows: &StudyRows) -> BTreeMap<String, BTreeSet<String>> {
    let mut met: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for trial in rows.trials.iter().filter(|trial| !trial.key.is_practice) {
        let own = met.entry(trial.key.session.clone()).or_default();
        own.insert(trial.key.condition.clone());
    }
    met
}

fn run_sessions(study: &Study, sessions: u32) -> (StudyRows, StudyReport) {
    let checked = check_study(study).unwrap();
    assert!(checked.ok, "{:?}", checked.problems);
    simulate(study, sessions, &[SimulatedJudgeBehaviour::NOISY], "7").unwrap();
    let rows = StudyRows::read_study_rows(study, LiveOrSimulated::Simulated).unwrap();
    let sum = study_report(study, LiveOrSimulated::Simulated).unwrap();
    (rows, sum)
}

#[test]
fn between_participants_blocks_balance_the_conditions() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |_| {
        DIRECT.replace(
            "Within(order: Williams, blocks: 4, per_cell: 1)",
            "Between(block: [4, 8], trials: 3)",
        )
    });
    let (rows, sum) = run_sessions(&study, 16);
    let met = met(&rows);
    assert_eq!(met.len(), 16);
    assert!(met.values().all(|own| own.len() == 1), "{met:?}");
    // Blocks have four or eight slots, so that from four participants on the groups differ by few.
    for seen in 4..=16 {
        let of_one = met.values().take(seen).filter(|own| own.contains("one"));
        let gap = (2 * of_one.count()).abs_diff(seen);
        assert!(gap <= 4, "{seen}: {met:?}");
    }
    assert!(!sum.primary.paired);
    assert_eq!(sum.primary.participants, 16);
    assert!(sum.primary.t95.is_some() && sum.primary.bootstrap95.is_none());
    assert!(report_text(&sum).contains("between participants, Welch's t, n = 16"));
}

#[test]
fn mixed_groups_get_only_their_own_conditions() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| {
        text.replace(
            "Within(order: Williams, blocks: 2, per_cell: 1)",
            r#"Mixed(groups: [["direct", "consult"], ["direct", "pe-hon"]], block: [2], blocks: 2, per_cell: 1)"#,
        )
    });
    simulate(&study, 8, &[SimulatedJudgeBehaviour::PERFECT], "7").unwrap();
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Simulated).unwrap();
    let sum = study_report(&study, LiveOrSimulated::Simulated).unwrap();
    let group = |of: &str| BTreeSet::from(["direct".to_owned(), of.to_owned()]);
    let met = met(&rows);
    for (name, count) in [("consult", 4), ("pe-hon", 4)] {
        let own = met.values().filter(|own| **own == group(name));
        assert_eq!(own.count(), count, "{met:?}");
    }
    // Participants with both conditions are compared within participants.
    assert!(sum.primary.paired);
    assert_eq!(sum.primary.participants, 4);
    // No participant gets the fourth condition, and `check` reports 0 trials for it.
    assert_eq!(check_study(&study).unwrap().conditions[3].trials, 0);
}

/// A scenario with a stable decomposition and sound and complete supports.
const STABLE: &str = include_str!("../../../../scenarios/five-parts-stable.ron");

#[test]
fn a_bound_is_printed_only_if_every_item_meets_its_hypotheses() {
    let printed = |scenarios: &str| {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("p");
        let study = example(&folder, |text| {
            let stable = folder.join("stable");
            fs::create_dir(&stable).unwrap();
            for number in 0..8 {
                fs::write(stable.join(format!("{number}.ron")), STABLE).unwrap();
            }
            let items = r#"["items/*.ron", "variants/*.ron"], once_per_participant_by: "story""#;
            assert!(text.contains(items));
            // The decomposition of `STABLE` is stable for this ε.
            text.replace(items, scenarios)
                .replace("epsilon: 0.25", "epsilon: 0.1")
        });
        simulate(&study, 4, &[SimulatedJudgeBehaviour::PERFECT], "7").unwrap();
        let printed = report_text(&study_report(&study, LiveOrSimulated::Simulated).unwrap());
        printed.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let named = "pe-hon: every scenario meets the hypotheses of PE Lemma A.5, so honest Alice keeps her bound";
    let stable = printed(r#"["stable/*.ron"]"#);
    assert!(stable.contains(named), "{stable}");
    // The bundled items are not stable.
    let printed = printed(r#"["items/*.ron"]"#);
    assert!(!printed.contains("keeps her bound"), "{printed}");
}

#[test]
fn repeated_trials_are_last_and_excluded_from_means() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |_| {
        DIRECT.replace(
            "bonus:",
            "checks: [Repeat(fraction: 0.25), Attention(per_block: 1)], bonus:",
        )
    });
    let (rows, sum) = run_sessions(&study, 12);
    for slot in 0..12 {
        let trials = study.schedule().trials_of_slot_without_practice(slot);
        let (first, again) = trials.split_at(8);
        assert!(first.iter().all(|trial| !trial.repeat));
        assert_eq!(again.len(), 2);
        for trial in again {
            let same = |other: &&AssignedTrial| {
                (other.condition, other.item, other.swap)
                    == (trial.condition, trial.item, trial.swap)
            };
            assert!(trial.repeat && first.iter().any(|it| same(&it)));
        }
    }
    assert_eq!(
        rows.trials.iter().filter(|trial| trial.is_repeat).count(),
        24
    );
    assert_eq!(sum.quality.repeated, 24);
    // A judge with random errors gives different answers to the same trial.
    assert!(sum.quality.repeat_difference.unwrap() > 0.0);
    assert!(sum.conditions.iter().all(|condition| condition.n == 48));
    assert!(report_text(&sum).contains("Repeated trials: 24"));
}

/// A study of speeches: two questions about a source, each with a debate or with the source alone.
const SPEECHES: &str = r#"Study(
    format: 1, id: "speeches01", title: "Speeches", stage: Pilot, seed: 7,
    conditions: [
        (id: "source", shown_as: "Task S", task: Direct(shows: Source)),
        (
            id: "argued", shown_as: "Task T",
            task: Debate(protocol: Speeches(rounds: 2, judge_feedback: true), prover: "quoter", opponent: "quoter"),
        ),
    ],
    items: (scenarios: ["items/*.ron"]),
    design: Within(blocks: 1, per_cell: 1),
    flow: [Consent("consent.md"), Trials],
    score: Log2(per_continue: 0.05),
    target: (participants: 4), stop: Participants(4),
    analysis: (primary: Difference(measure: Score, of: "argued", against: "source")),
)
"#;

/// Creates the study of speeches in a folder.
fn speeches(folder: &Path) -> Study {
    create_example_study(folder).unwrap();
    rewrite(folder, |_| SPEECHES.to_owned());
    let items = folder.join("items");
    fs::remove_dir_all(&items).unwrap();
    fs::create_dir(&items).unwrap();
    let story = debate_solver::setup::LoadedScenario::load_bundled_scenario(
        "lighthouse",
        &debate_solver::setup::ScenarioLimits::default(),
    )
    .unwrap()
    .source
    .clone();
    fs::write(items.join("one.ron"), story.as_bytes()).unwrap();
    fs::write(
        items.join("two.ron"),
        story.replace("correct: 0", "correct: 1"),
    )
    .unwrap();
    load(folder)
}

#[test]
fn debaters_speak_in_the_language_of_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("p");
    speeches(&root);
    rewrite(&root, |text| {
        in_german(&text.replace("seed: 7,", "seed: 7, roles: [Prover],"))
    });
    let requests = requests(&load(&root)).join("\n");
    for german in ["die richtige Antwort ist.", "<quote>"] {
        assert!(requests.contains(german), "{german}: {requests}");
    }
    for english in ["Write why", "To quote the text", "Your own words may"] {
        assert!(!requests.contains(english), "{english}: {requests}");
    }
}

#[test]
fn speeches_are_judged_round_by_round_and_each_round_has_its_price() {
    let folder = tempfile::tempdir().unwrap();
    let study = speeches(&folder.path().join("p"));
    let (rows, sum) = run_sessions(&study, 4);
    let argued: Vec<_> = rows
        .trials
        .iter()
        .filter(|trial| trial.key.condition == "argued")
        .collect();
    assert_eq!(argued.len(), 4);
    for trial in &argued {
        assert!(trial.rounds >= 1, "{trial:?}");
        let price = 0.05 * f64::from(trial.rounds);
        assert!((trial.score - (trial.p_correct.log2() - price)).abs() < 1e-9);
        let own = rows.rounds.iter().filter(|round| {
            (round.key.session.as_str(), round.key.trial)
                == (trial.key.session.as_str(), trial.key.trial)
        });
        assert!(own.count() >= 2);
    }
    assert!(rows.events.iter().any(|record| record.kind == "feedback"));
    assert!(rows.events.iter().any(|record| record.kind == "continue"));
    // Only conditions that show the source print it.
    let told = |condition: &str| {
        let index = study.plan.condition_index(condition).unwrap();
        let assigned = AssignedTrial {
            condition: index,
            ..study.schedule().trials_of_slot_without_practice(0)[0]
        };
        let trial = ScheduledTrial {
            study: &study,
            assigned,
            slot: 0,
            seat: study.plan.participant_seat(),
            stand_ins: true,
        };
        let last = trial.rehearse_trial(&study.plan.roles).unwrap()[0].pop();
        let last = last.unwrap();
        let lines = last.lines.iter().map(debate_text::Line::plain_body_text);
        let arguments = last
            .arguments
            .iter()
            .map(StudyPagePointOrRemark::plain_text);
        lines.chain(arguments).collect::<Vec<_>>().join("\n")
    };
    assert!(told("source").contains("the wind took it away"));
    assert!(!told("argued").contains("the wind took it away"));
    assert_eq!(sum.primary.participants, 4);
}

/// The plan, the power, the preregistration and the report use one description of the design.
#[test]
fn each_design_has_its_own_power_and_its_own_test() {
    let folder = tempfile::tempdir().unwrap();
    let within = "Within(order: Williams, blocks: 4, per_cell: 1)";
    let groups = r#"Mixed(groups: [["one"], ["one", "two"]], block: [2], blocks: 1, per_cell: 2)"#;
    let cases = [
        (
            within,
            ContrastDesign::Within { participants: 8 },
            0.45..0.55,
            "paired t",
        ),
        (
            "Between(block: [4], trials: 2)",
            ContrastDesign::Between { of: 4, against: 4 },
            0.11..0.18,
            "Welch's",
        ),
        // Half of the participants judge under both conditions. The report has no verdict on four participants.
        (
            groups,
            ContrastDesign::Within { participants: 4 },
            0.0..0.001,
            "paired t",
        ),
    ];
    for (number, (design, contrast, power, test)) in cases.into_iter().enumerate() {
        let study = example(&folder.path().join(number.to_string()), |_| {
            DIRECT
                .replace(within, design)
                .replace("participants: 12", "participants: 8")
                .replace("Participants(12)", "Participants(8)")
                .replace(
                    "analysis: (",
                    "analysis: (power: (effect: -0.08, sd: 0.1), ",
                )
        });
        let checked = check_study(&study).unwrap();
        assert_eq!(checked.contrast, contrast, "{design}");
        let planned = checked.planned.unwrap();
        assert_eq!(planned.participants, contrast.compared_participants());
        let found = planned.power.unwrap();
        assert!(power.contains(&found), "{design}: {found}");
        let has_verdict = contrast.compared_participants() >= 5;
        let least = planned.detectable;
        assert_eq!(least.is_some(), has_verdict, "{design}");
        let sds = least.zip(checked.detectable_sds);
        assert!(sds.is_none_or(|(least, sds)| (least - 0.1 * sds).abs() < 1e-9));
        // The closed formula of the t test is the limit of the simulation.
        if has_verdict {
            let test = contrast.t_test_for_planned_participants();
            let exact = test.power(-0.8).unwrap();
            let error = planned.power_error.unwrap();
            assert!(
                (found - exact).abs() < 4.0 * error,
                "{design}: {found} {exact}"
            );
            let exact = test.smallest_detectable_effect().unwrap();
            let (_, sds) = sds.unwrap();
            assert!((sds / exact - 1.0).abs() < 0.06, "{design}: {sds} {exact}");
        }
        let made = lock_study(&study).unwrap();
        let registered = preregistration_text(&study, &checked, &made);
        assert!(registered.contains(test), "{registered}");
        assert!(
            registered.contains(&contrast.participants_in_words()),
            "{registered}"
        );
        simulate(&study, 8, &[SimulatedJudgeBehaviour::NOISY], "7").unwrap();
        let sum = study_report(&study, LiveOrSimulated::Simulated).unwrap();
        assert_eq!(sum.primary.paired, contrast.compares_within_participants());
        assert_eq!(
            sum.primary.participants,
            contrast.compared_participants() as usize
        );
        assert_eq!(sum.primary.stated_power, planned.power);
        assert!(report_text(&sum).contains(test), "{}", report_text(&sum));
    }
    // A contrast with a condition that no participant gets is rejected.
    let lonely = example(&folder.path().join("lonely"), |_| {
        let one = r#"Mixed(groups: [["one"]], block: [1], blocks: 1, per_cell: 2)"#;
        DIRECT.replace(within, one)
    });
    let problems = check_study(&lonely).unwrap().problems.join("\n");
    assert!(
        problems.contains("no participant judges under `two`"),
        "{problems}"
    );
}

#[test]
fn a_mixed_design_without_groups_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("p");
    example(&root, |_| DIRECT.to_owned());
    let within = "Within(order: Williams, blocks: 4, per_cell: 1)";
    for (groups, expected) in [
        ("[]", "`groups` lists no group"),
        (r#"[["one"], []]"#, "one of the `groups` lists no condition"),
    ] {
        let mixed = format!("Mixed(groups: {groups}, block: [2], blocks: 1, per_cell: 2)");
        rewrite(&root, |_| DIRECT.replace(within, &mixed));
        let error = Study::load(&root).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Differences between items and between trials lower the power, as the variance of a mean predicts.
#[test]
fn the_power_accounts_for_differences_between_items_and_trials() {
    let folder = tempfile::tempdir().unwrap();
    let planned = |name: &str, spread: &str| {
        let study = example(&folder.path().join(name), |_| {
            let power = format!("analysis: (power: (effect: -0.1, sd: 0.1{spread}), ");
            DIRECT.replace("analysis: (", &power)
        });
        check_study(&study).unwrap().planned.unwrap()
    };
    let plain = planned("plain", "");
    assert_eq!(plain.simulated_studies, 2000);
    let by_trials = planned("trials", ", trials: 0.2");
    let by_items = planned("items", ", items: 0.2");
    let power = |planned: PlannedPower| planned.power.unwrap();
    assert!(power(by_trials) < power(plain) && power(by_items) < power(plain));
    // A participant's difference is that of two means of four trials: its variance is 0.1² + 2 · 0.2² / 4.
    let sd = f64::sqrt(0.01 + 0.02);
    let test = debate_lab::judgements::statistics::TTestDesign::Paired(12);
    let exact = test.power(0.1 / sd).unwrap();
    let error = by_trials.power_error.unwrap();
    assert!(
        (power(by_trials) - exact).abs() < 4.0 * error,
        "{by_trials:?} {exact}"
    );
    assert!((error - (exact * (1.0 - exact) / 2000.0).sqrt()).abs() < 1e-3);
}

const STEPPED: &str = r#"Stepped(tag: "difficulty", tiers: ["easy", "hard"], per_cell: 2)"#;

/// Creates a study in tiers. The first `easy` of the eight items are easy.
fn stepped(folder: &Path, easy: usize) -> Result<Study, StudyError> {
    create_example_study(folder).unwrap();
    rewrite(folder, |_| {
        DIRECT.replace("Within(order: Williams, blocks: 4, per_cell: 1)", STEPPED)
    });
    let mut items: Vec<_> = fs::read_dir(folder.join("items")).unwrap().collect();
    items.sort_by_key(|entry| entry.as_ref().unwrap().path());
    for (number, entry) in items.into_iter().enumerate() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let tier = if number < easy { "easy" } else { "hard" };
        let tags = format!("tags: {{\"difficulty\": \"{tier}\", ");
        fs::write(&path, text.replace("tags: {", &tags)).unwrap();
    }
    Study::load(folder)
}

#[test]
fn a_stepped_design_deals_each_tier_in_turn_under_every_condition() {
    let folder = tempfile::tempdir().unwrap();
    let study = stepped(&folder.path().join("p"), 4).unwrap();
    for slot in 0..12 {
        let trials = study.schedule().trials_of_slot_without_practice(slot);
        assert_eq!(trials.len(), 8);
        let items: BTreeSet<usize> = trials.iter().map(|trial| trial.item).collect();
        assert_eq!(items.len(), 8, "no item twice: {trials:?}");
        for (tier, trials) in trials.chunks(4).enumerate() {
            for trial in trials {
                assert_eq!(study.items[trial.item].tier, Some(tier));
                assert_eq!(trial.block as usize, tier + 1);
            }
            let of_one = trials.iter().filter(|trial| trial.condition == 0);
            assert_eq!(of_one.count(), 2);
        }
    }
    // At the target, each condition has each item equally often.
    let checked = check_study(&study).unwrap();
    assert!(checked.ok, "{:?}", checked.problems);
    for condition in &checked.conditions {
        assert_eq!(condition.per_item, [6, 6]);
    }
    assert_eq!(
        checked.contrast,
        ContrastDesign::Within { participants: 12 }
    );
    let (rows, sum) = run_sessions(&study, 12);
    assert!(
        rows.trials
            .iter()
            .all(|it| (it.block == 1) == (it.key.trial <= 4))
    );
    assert_eq!(sum.primary.participants, 12);
    let error = stepped(&folder.path().join("few"), 3)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("4 items of the tier `easy` for one participant, but there are 3"),
        "{error}"
    );
    let error = stepped(&folder.path().join("none"), 0)
        .unwrap_err()
        .to_string();
    assert!(error.contains("of the tier `easy`"), "{error}");
}

#[test]
fn debates_of_a_study_are_judged_again_in_another_study() {
    let folder = tempfile::tempdir().unwrap();
    let first = speeches(&folder.path().join("first"));
    for id in ["anna", "bert"] {
        sessions::complete(&first, id, SimulatedJudgeBehaviour::NOISY);
    }
    let root = folder.path().join("second");
    create_example_study(&root).unwrap();
    let saves = first
        .folder
        .data_folder(LiveOrSimulated::Live)
        .join("debates");
    fs::rename(saves, root.join("saves")).unwrap();
    for stepped in [true, false] {
        rewrite(&root, |_| {
            let (before, rest) = SPEECHES.split_once("task: Debate(").unwrap();
            let (_, after) = rest.split_once("\"),\n").unwrap();
            format!("{before}task: Rejudge(saves: \"saves/*.ron\", stepped: {stepped}),\n{after}")
                .replace("Direct(shows: Source)", "Direct(shows: Question)")
        });
        let study = load(&root);
        assert_eq!(study.items_of_condition(1).len(), 2);
        let (rows, _) = run_sessions(&study, 4);
        let rounds = rows
            .rounds
            .iter()
            .filter(|round| round.key.condition == "argued" && round.asked == "round");
        assert_eq!(rounds.count() > 0, stepped);
        let judged = rows.trials.iter().filter(|it| it.key.condition == "argued");
        assert_eq!(judged.count(), 4);
    }
    // The same saves under two conditions: each participant gets each debate once.
    let again = |saves: &str| {
        let condition = |id: &str, label: &str| {
            format!(
                r#"(id: "{id}", shown_as: "Task {label}", task: Rejudge(saves: "saves/{saves}", stepped: true)),"#
            )
        };
        rewrite(&root, |_| {
            let (before, rest) = SPEECHES.split_once("        (id: \"source\"").unwrap();
            let (_, after) = rest.split_once("    ],\n").unwrap();
            let (one, two) = (condition("source", "S"), condition("argued", "T"));
            format!("{before}{one}\n{two}\n    ],\n{after}")
        });
    };
    again("*.ron");
    let study = load(&root);
    for slot in 0..4 {
        let trials = study.schedule().trials_of_slot_without_practice(slot);
        assert_eq!(trials.len(), 2);
        assert_ne!(trials[0].item, trials[1].item, "{slot}");
    }
    // Both debates are about one question, but no tag says so.
    let warned = check_study(&study).unwrap().warnings.join("\n");
    assert!(
        warned.contains("twice") && warned.contains("once_per_participant_by"),
        "{warned}"
    );
    // One debate is too few for two conditions.
    let mut saves = fs::read_dir(root.join("saves")).unwrap();
    fs::remove_file(saves.next().unwrap().unwrap().path()).unwrap();
    let error = Study::load(&root).unwrap_err().to_string();
    assert!(
        error.contains("`source`, `argued` need 2 items of different stories"),
        "{error}"
    );
}

#[test]
fn the_report_of_a_stepped_design_has_a_table_by_tier() {
    let folder = tempfile::tempdir().unwrap();
    let study = stepped(&folder.path().join("p"), 4).unwrap();
    simulate(&study, 12, &[SimulatedJudgeBehaviour::NOISY], "7").unwrap();
    let report = study_report(&study, LiveOrSimulated::Simulated).unwrap();
    let rows = report.tiers.iter();
    let rows: Vec<(&str, &str, usize, usize)> = rows
        .map(|row| (&*row.tier, &*row.condition, row.n, row.participants))
        .collect();
    let expected = [
        ("easy", "one", 24, 12),
        ("easy", "two", 24, 12),
        ("hard", "one", 24, 12),
        ("hard", "two", 24, 12),
    ];
    assert_eq!(rows, expected);
    // Each judge has as many trials in each tier, so the mean over tiers is that of the condition.
    for condition in &report.conditions {
        let own = report
            .tiers
            .iter()
            .filter(|it| it.condition == condition.id);
        let means: Vec<f64> = own.map(|it| it.brier.as_ref().unwrap().mean).collect();
        let mean = means.iter().sum::<f64>() / 2.0;
        let all = condition.brier.as_ref().unwrap().mean;
        assert!((mean - all).abs() < 1e-12, "{mean} {all}");
    }
    assert!(report_text(&report).contains("By difficulty tier"));
}
