//! Studies that were locked by another version of the program.

use super::sessions::{complete, through};
use super::*;
use crate::folder::lock::STUDY_FORMAT;
use crate::plan::schedule::ItemDealingMethod;
use debate_core::digest::Digest;

/// Writes the lock of a study as another version of the program would. In format 1, the hash covers the program's
/// version.
fn lock_by(study: &Study, program: &str, format: u32) -> StudyLock {
    let made = lock_study(study).unwrap();
    let version = if format == 1 { program } else { "1" };
    let all = format!(
        "{}\n{version}\n{:?}\n{}",
        made.study, made.files, made.schedule
    );
    let other = StudyLock {
        format,
        study_format: (format > 1).then_some(1),
        program: program.to_owned(),
        hash: Digest::digest_of_bytes(all.as_bytes()).to_string(),
        ..made
    };
    let text = serde_json::to_string_pretty(&other).unwrap();
    fs::write(study.folder.study_lock_file(), text).unwrap();
    other
}

#[test]
fn a_study_locked_by_another_version_continues_and_logs_it() {
    let folder = tempfile::tempdir().unwrap();
    for format in [1, 2] {
        let mut study = direct(&folder.path().join(format!("p{format}")));
        study.dealing = ItemDealingMethod::Hands;
        study.study_format = 1;
        study.plan.has_words_of_format_3 = true;
        let made = lock_by(&study, "0.0.9", format);
        let found = verify_lock(&study).unwrap().unwrap();
        assert_eq!(found, made);
        let said = found.study_locked_by_other_version_note().unwrap();
        assert!(
            said.contains("0.0.9") && said.contains(env!("CARGO_PKG_VERSION")),
            "{said}"
        );
        assert_eq!(
            through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 100).0,
            StudySessionStatus::Complete
        );
        let log = study.folder.log_file(LiveOrSimulated::Live, "s0000");
        let records = read_log(&log).unwrap().records;
        let resumed = records.iter().find(|it| it.kind == "resume").unwrap();
        for record in [&records[0], resumed] {
            assert_eq!(
                record.payload_string_field("program"),
                Some(env!("CARGO_PKG_VERSION"))
            );
        }
        let found = study_report(&study, LiveOrSimulated::Live).unwrap();
        assert_eq!(found.programs, [env!("CARGO_PKG_VERSION")]);
        assert_eq!(found.lock, Some(made.hash));
        // The lock still detects changes.
        rewrite(study.folder.root(), |text| {
            text.replace("seed: 7", "seed: 8")
        });
        let changed = load(study.folder.root());
        let refused = verify_lock(&changed).unwrap_err().to_string();
        assert!(refused.contains("study.ron"), "{refused}");
    }
}

#[test]
fn a_lock_of_this_version_names_the_format_and_a_later_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    let made = lock_study(&study).unwrap();
    assert_eq!((made.format, made.study_format), (2, Some(6)));
    assert_eq!(made.study_locked_by_other_version_note(), None);
    let path = study.folder.study_lock_file();
    let text = fs::read_to_string(&path).unwrap();
    for (old, new, said) in [
        ("\"format\": 2", "\"format\": 3", "newer than this program"),
        (
            "\"study_format\": 6",
            "\"study_format\": 7",
            "would use study format 6",
        ),
        (&made.hash, &made.schedule, "changed"),
    ] {
        fs::write(&path, text.replace(old, new)).unwrap();
        let error = verify_lock(&study).unwrap_err().to_string();
        assert!(error.contains(said), "{new}: {error}");
    }
}

#[test]
fn items_are_dealt_equally_and_locked_studies_keep_their_deal() {
    let folder = tempfile::tempdir().unwrap();
    // Six hands of one item under two orders of conditions, and four hands of two items under one order.
    let six = r#"["items/cake.ron", "items/dog.ron", "items/footbridge.ron", "items/journey.ron", "items/letter.ron", "items/newsletter.ron"]"#;
    for (name, design, items) in [
        (
            "within",
            "Within(order: Williams, blocks: 1, per_cell: 1)",
            six,
        ),
        (
            "between",
            "Between(block: [4], trials: 2)",
            r#"["items/*.ron"]"#,
        ),
    ] {
        let root = folder.path().join(name);
        let four = "Within(order: Williams, blocks: 4, per_cell: 1)";
        direct(&root);
        rewrite(&root, |text| {
            text.replace(four, design)
                .replace(r#"["items/*.ron"]"#, items)
                .replace("Participants(12)", "Participants(24)")
                .replace("participants: 12", "participants: 24")
        });
        let mut study = load(&root);
        let checked = check_study(&study).unwrap();
        assert!(checked.unused_items.is_empty(), "{:?}", checked.warnings);
        let even = |it: &PlannedConditionTrialsReport| it.per_item[0] == it.per_item[1];
        assert!(checked.conditions.iter().all(even));
        // A locked study keeps its dealing method.
        for dealing in [
            ItemDealingMethod::Rows,
            ItemDealingMethod::Hands,
            ItemDealingMethod::Decks,
        ] {
            study.dealing = dealing;
            study.study_format = match dealing {
                ItemDealingMethod::Decks => STUDY_FORMAT,
                ItemDealingMethod::Rows | ItemDealingMethod::Hands => 1,
            };
            study.schedule_digest = std::sync::OnceLock::new();
            let before = study.schedule().trials_of_slot_without_practice(5);
            lock_study(&study).unwrap();
            let again = load(&root);
            assert_eq!(again.dealing, dealing);
            assert!(verify_lock(&again).unwrap().is_some());
            assert_eq!(again.schedule().trials_of_slot_without_practice(5), before);
            fs::remove_file(again.folder.study_lock_file()).unwrap();
        }
        assert_eq!(load(&root).dealing, ItemDealingMethod::Decks);
    }
}

#[test]
fn tables_of_another_kind_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    complete(&study, "anna", SimulatedJudgeBehaviour::NOISY);
    simulate(&study, 2, &[SimulatedJudgeBehaviour::NOISY], "7").unwrap();
    let out = folder.path().join("out");
    let target = |replace| StudyExportDestination {
        folder: out.clone(),
        replace,
    };
    let write = |kind, anonymise| export(&study, kind, &target(true), anonymise);
    write(LiveOrSimulated::Live, true).unwrap();
    let table = out.join("data/study-direct01_description-trials_data.csv");
    let anonymous = fs::read(&table).unwrap();
    for (kind, anonymise) in [
        (LiveOrSimulated::Live, false),
        (LiveOrSimulated::Simulated, false),
        (LiveOrSimulated::Simulated, true),
    ] {
        let error = write(kind, anonymise).unwrap_err().to_string();
        assert!(error.contains("the anonymous tables of people"), "{error}");
        assert!(error.contains("--out"), "{error}");
        assert_eq!(fs::read(&table).unwrap(), anonymous);
    }
    // An export of the same kind is replaced only with `replace`.
    let again = |replace| export(&study, LiveOrSimulated::Live, &target(replace), true);
    let error = again(false).unwrap_err().to_string();
    assert!(error.contains("--replace"), "{error}");
    again(true).unwrap();
    let own = folder.path().join("own");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("README.md"), "# Mine").unwrap();
    assert!(
        export(
            &study,
            LiveOrSimulated::Live,
            &StudyExportDestination::new(&own),
            false
        )
        .is_err()
    );
    assert_eq!(fs::read_to_string(own.join("README.md")).unwrap(), "# Mine");
}
