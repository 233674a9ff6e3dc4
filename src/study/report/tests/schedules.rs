//! The order of items, truths and answers: unpredictable, balanced, and independent of the right answers.

use std::collections::BTreeMap;

use super::*;

/// Creates a study of questions about sources, with two answers each.
fn questions(folder: &Path, count: usize) -> Study {
    create_example_study(folder).unwrap();
    rewrite(folder, |_| {
        let text = DIRECT.replace(r#"scenarios: ["items/*.ron"]"#, r#"questions: "set.jsonl""#);
        quiet(&text)
    });
    write_questions(folder, count, None);
    load(folder)
}

/// Writes a set of questions. In the question `flipped`, the other answer is right.
fn write_questions(folder: &Path, count: usize, flipped: Option<usize>) {
    let row = |number: usize| {
        let correct = (number / 3 % 2) ^ usize::from(flipped == Some(number));
        serde_json::json!({
            "id": format!("q{number}"), "question": format!("Question {number}?"), "answers": ["Yes", "No"],
            "correct": correct, "source": "A source.",
        })
    };
    let rows: Vec<String> = (0..count).map(|number| row(number).to_string()).collect();
    fs::write(folder.join("set.jsonl"), rows.join("\n")).unwrap();
}

/// Changes a study so that its pages reveal nothing about the right answers.
fn quiet(text: &str) -> String {
    text.replace(", Debrief(reveal: true)", "")
        .replace("bonus:", "score: Log2(shown: Never), bonus:")
}

/// Returns the sessions of many seeds. Each trial is its condition, the truth of its claim, and true if the answer
/// shown first is right.
fn sessions(study: &mut Study) -> Vec<Vec<(usize, bool, bool)>> {
    let mut sessions = Vec::new();
    for seed in 0..40 {
        study.plan.seed = seed;
        let schedule = study.schedule();
        for slot in 0..16 {
            let trials = schedule.trials_of_slot_without_practice(slot).into_iter();
            let trials = trials.map(|trial| {
                let truth = study.items_of_condition(trial.condition)[trial.item].truth;
                (trial.condition, truth, truth != trial.swap)
            });
            sessions.push(trials.collect());
        }
    }
    sessions
}

/// Returns the proportion of trials in the second half of the sessions that a judge guesses right after learning from
/// the first half. `known` returns the judge's information about a trial and the trials before it.
fn guessed<K: Ord>(
    sessions: &[Vec<(usize, bool)>],
    known: impl Fn(&[(usize, bool)], usize) -> K,
) -> f64 {
    let (first, second) = sessions.split_at(sessions.len() / 2);
    let mut counts: BTreeMap<K, i32> = BTreeMap::new();
    for session in first {
        for (at, (condition, right)) in session.iter().enumerate() {
            let count = counts.entry(known(&session[..at], *condition)).or_default();
            *count += if *right { 1 } else { -1 };
        }
    }
    let mut hits = 0;
    let mut all = 0;
    for session in second {
        for (at, (condition, right)) in session.iter().enumerate() {
            let count = counts.get(&known(&session[..at], *condition));
            hits += i32::from(count.is_some_and(|count| *count > 0) == *right);
            all += 1;
        }
    }
    f64::from(hits) / f64::from(all)
}

/// Returns the best proportion over judges that know the family of schedules and the right answers of earlier trials.
fn best_guess(sessions: &[Vec<(usize, bool)>]) -> f64 {
    let last = |before: &[(usize, bool)], _: usize| (before.len(), before.last().map(|it| it.1));
    let all =
        |before: &[(usize, bool)], _: usize| before.iter().map(|it| it.1).collect::<Vec<bool>>();
    let same = |before: &[(usize, bool)], condition: usize| {
        let own = before.iter().filter(|it| it.0 == condition);
        own.map(|it| it.1).collect::<Vec<bool>>()
    };
    let guesses = [
        guessed(sessions, last),
        guessed(sessions, all),
        guessed(sessions, same),
        guessed(sessions, |before, condition| (before.len(), condition)),
    ];
    guesses.into_iter().max_by(f64::total_cmp).unwrap()
}

#[test]
fn schedules_do_not_reveal_the_next_truth() {
    let folder = tempfile::tempdir().unwrap();
    let mut claims = example(&folder.path().join("claims"), |text| text);
    let mut asked = questions(&folder.path().join("questions"), 48);
    for study in [&mut claims, &mut asked] {
        let sessions = sessions(study);
        let pick = |of: fn(&(usize, bool, bool)) -> (usize, bool)| -> Vec<Vec<(usize, bool)>> {
            sessions
                .iter()
                .map(|it| it.iter().map(of).collect())
                .collect()
        };
        for (name, guess) in [
            ("truths", best_guess(&pick(|it| (it.0, it.1)))),
            ("places", best_guess(&pick(|it| (it.0, it.2)))),
        ] {
            assert!(guess <= 0.55, "{name} of {}: {guess}", study.plan.id);
        }
    }
    // The dealing of study format 1 was predictable.
    claims.dealing = crate::plan::schedule::ItemDealingMethod::Hands;
    let old = sessions(&mut claims);
    let old: Vec<Vec<(usize, bool)>> = old
        .iter()
        .map(|it| it.iter().map(|it| (it.0, it.1)).collect())
        .collect();
    assert!(best_guess(&old) > 0.8, "{}", best_guess(&old));
}

#[test]
fn a_guessable_item_pool_causes_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let few = direct(&folder.path().join("few"));
    let checked = check_study(&few).unwrap();
    // With four true and four false claims, 4 of the 7 other claims differ from the previous one.
    assert!((checked.guessed.unwrap() - 4.0 / 7.0).abs() < 1e-9);
    let said = checked.warnings.join("\n");
    assert!(said.contains("guesses the next one in 57 %"), "{said}");
}

/// Returns the pages of a study as texts, without the final pages.
fn pages(study: &Study) -> Vec<String> {
    let pages = preview_pages(study, &CodeOrAddressByOutcome::default())
        .unwrap()
        .into_iter();
    let pages = pages.filter(|page| page.slot.is_some());
    pages.map(|page| format!("{:?}", page.page)).collect()
}

#[test]
fn truths_do_not_change_the_order_of_pages() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("questions");
    let asked = questions(&root, 12);
    let before = pages(&asked);
    assert!(before.len() >= 8, "{}", before.len());
    for flipped in 0..12 {
        write_questions(&root, 12, Some(flipped));
        assert_eq!(pages(&load(&root)), before, "{flipped}");
    }
    let root = folder.path().join("claims");
    let claims = example(&root, |_| quiet(DIRECT));
    let before = pages(&claims);
    let names = ["cake", "dog", "letter"];
    for name in names {
        let path = root.join(format!("items/{name}.ron"));
        let text = fs::read_to_string(&path).unwrap();
        // The first leaf of each item is true.
        let other = if text.contains("truth: false") {
            text.replace("truth: false", "truth: true")
        } else {
            text.replacen("truth: true", "truth: false", 1)
        };
        fs::write(&path, other).unwrap();
        let changed = load(&root);
        let truths = |study: &Study| study.items.iter().filter(|item| item.truth).count();
        assert_ne!(truths(&changed), truths(&claims), "{name}");
        assert_eq!(pages(&changed), before, "{name}");
        fs::write(&path, text).unwrap();
    }
}

#[test]
fn versions_of_a_story_are_balanced_and_seen_once_per_participant() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| {
        text.replace(
            "order: Williams, blocks: 2, per_cell: 1",
            "order: Random, blocks: 1, per_cell: 1",
        )
    });
    for slot in 0..study.plan.schedule_rows_of_planned_participants() {
        let trials = study.schedule().trials_of_slot_without_practice(slot);
        let stories = trials.iter().map(|it| study.items[it.item].story.as_str());
        let met: std::collections::BTreeSet<&str> = stories.collect();
        assert_eq!(met.len(), trials.len(), "{slot}");
    }
    let checked = check_study(&study).unwrap();
    assert!(
        checked.conditions.iter().all(|it| it.per_item == [1, 1]),
        "{:?}",
        checked.conditions
    );
}

/// Creates a study with these steps of practice and this number of scenarios that are reserved for practice.
fn practised(folder: &Path, reserved: usize, steps: &[(&str, usize)]) -> Study {
    create_example_study(folder).unwrap();
    let parcel = fs::read_to_string(folder.join("practice/parcel.ron")).unwrap();
    fs::remove_file(folder.join("practice/parcel.ron")).unwrap();
    for number in 0..reserved {
        let text = parcel.replace("\"parcel\"", &format!("\"parcel {number}\""));
        fs::write(folder.join(format!("practice/parcel-{number}.ron")), text).unwrap();
    }
    let steps = steps
        .iter()
        .enumerate()
        .map(|(index, (condition, trials))| {
            let scenarios = if index == 0 && reserved > 0 {
                ", scenarios: [\"practice/*.ron\"]"
            } else {
                ""
            };
            format!("Practice(condition: \"{condition}\", trials: {trials}{scenarios}), ")
        });
    let steps: String = steps.collect();
    rewrite(folder, |_| {
        DIRECT
            .replace("blocks: 4", "blocks: 2")
            .replace("Trials, ", &format!("{steps}Trials, "))
    });
    load(folder)
}

/// Steps of practice deal each item once before any item is dealt again. Studies that were locked before keep a deal
/// that begins anew in each step.
#[test]
fn later_practice_deals_items_that_the_participant_has_not_had() {
    let folder = tempfile::tempdir().unwrap();
    let steps: [&[(&str, usize)]; 4] = [
        &[("one", 1), ("one", 1)],
        &[("one", 2), ("two", 1)],
        &[("two", 1), ("one", 2), ("two", 3)],
        &[("one", 3), ("two", 3), ("one", 1)],
    ];
    for (number, steps) in steps.into_iter().enumerate() {
        for reserved in [0, 3, 5] {
            let root = folder.path().join(format!("{number}-{reserved}"));
            let mut study = practised(&root, reserved, steps);
            let deal = |study: &Study, slot| {
                let trials = study.schedule().practice_trials_of_slot(slot).into_iter();
                let ids = trials.map(|it| study.items[it.item].id.clone());
                ids.collect::<Vec<String>>()
            };
            for slot in 0..4 {
                study.study_format = crate::folder::lock::STUDY_FORMAT;
                let dealt = deal(&study, slot);
                // Without reserved items, the four of eight that the other trials do not use.
                let pool = if reserved == 0 { 4 } else { reserved };
                let count: usize = steps.iter().map(|(_, trials)| trials).sum();
                assert_eq!(dealt.len(), count);
                let distinct: std::collections::BTreeSet<&String> = dealt.iter().collect();
                assert_eq!(
                    distinct.len(),
                    count.min(pool),
                    "{steps:?} {reserved}: {dealt:?}"
                );
                study.study_format = 5;
                let old = deal(&study, slot);
                let mut rest = old.as_slice();
                let by_step = steps.iter().map(|(_, trials)| {
                    let (step, after) = rest.split_at(*trials);
                    rest = after;
                    step
                });
                let by_step: Vec<&[String]> = by_step.collect();
                let longest = by_step.iter().max_by_key(|step| step.len()).unwrap();
                assert!(
                    by_step.iter().all(|step| longest.starts_with(step)),
                    "{old:?}"
                );
            }
        }
    }
}
