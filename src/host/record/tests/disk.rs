//! Tests of saves on the disk.

use std::fs;
use std::time::{Duration, SystemTime};

use super::*;

fn journal(folder: &std::path::Path, table: &Fixture) -> SaveJournal {
    SaveJournal::create_save(folder, "Is it “so”?", &table.header).unwrap()
}

#[test]
fn a_debate_is_saved_during_play() {
    let folder = tempfile::tempdir().unwrap();
    let saves = folder.path().join("made/for/it");
    let table = Fixture::small(RULES[0]);
    let mut seating = table.seating();
    let mut journal = journal(&saves, &table);
    let path = journal.save_path().to_owned();
    let mut entropy = entropy(4);
    while step(&mut seating, &mut entropy) {
        journal
            .append_latest_move(seating.latest().unwrap())
            .unwrap();
        journal.flush().unwrap();
        let save = Save::read_save(&path).unwrap();
        assert_eq!(save.moves_not_undone().len(), seating.moves().len());
    }
    journal.finish_save(&seating).unwrap();
    assert!(matches!(
        journal.finish_save(&seating),
        Err(SaveFileError::Finished)
    ));
    assert!(matches!(
        journal.append_undo(0),
        Err(SaveFileError::Finished)
    ));
    drop(journal);
    let verdict = verify_file(&path, &ScenarioLimits::default()).unwrap();
    assert!(verdict.finished);
    assert_eq!(fs::read_to_string(&path).unwrap(), table.save(&seating));
    assert!(matches!(
        SaveJournal::open_to_continue(&path),
        Err(SaveFileError::Finished)
    ));
}

#[test]
fn a_list_shows_outcome_and_label_of_each_save() {
    let folder = tempfile::tempdir().unwrap();
    let table = Fixture::small(RULES[0]);
    let mut seating = table.seating();
    let mut journal = journal(folder.path(), &table);
    let path = journal.save_path().to_owned();
    let mut entropy = entropy(4);
    while step(&mut seating, &mut entropy) {
        journal
            .append_latest_move(seating.latest().unwrap())
            .unwrap();
    }
    journal.finish_save(&seating).unwrap();
    drop(journal);
    let before = fs::read(&path).unwrap();
    let label = UserSaveLabel {
        name: Some("mine".to_owned()),
        is_hidden: true,
    };
    label.write_label(&path).unwrap();
    let listed = list_saves(folder.path()).unwrap();
    let [save] = &listed[..] else {
        panic!("{listed:?}")
    };
    assert_eq!(save.prover_payoff(), Some(seating.state().payoff()));
    assert_eq!(
        (&save.label, save.save_name_in_lists()),
        (&label, "mine".to_owned())
    );
    // The save is as it was, and verifies.
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(verify_file(&path, &ScenarioLimits::default()).unwrap().ok);
    // Deleting a save deletes its label.
    delete_save_and_label(&path).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn file_names_of_saves_are_unique() {
    let folder = tempfile::tempdir().unwrap();
    let table = Fixture::small(RULES[0]);
    let paths: Vec<_> = (0..20)
        .map(|_| journal(folder.path(), &table).save_path().to_owned())
        .collect();
    let mut apart = paths.clone();
    apart.sort();
    apart.dedup();
    assert_eq!(apart.len(), paths.len());
    for path in &paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.contains("-is-it-so-"), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn saves_are_private_and_follow_no_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = tempfile::tempdir().unwrap();
    let table = Fixture::small(RULES[0]);
    let saves = folder.path().join("saves");
    let journal = journal(&saves, &table);
    let path = journal.save_path().to_owned();
    drop(journal);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&saves)), (0o600, 0o700));

    let link = saves.join("link.ron");
    symlink(&path, &link).unwrap();
    assert!(matches!(
        SaveJournal::open_to_continue(&link),
        Err(SaveFileError::NotAFile)
    ));
    assert!(matches!(
        SaveJournal::open_to_continue(&saves),
        Err(SaveFileError::NotAFile)
    ));
    assert_eq!(list_saves(&saves).unwrap().len(), 1);
}

#[test]
fn a_save_has_a_single_writer() {
    let folder = tempfile::tempdir().unwrap();
    let table = Fixture::small(RULES[0]);
    let journal = journal(folder.path(), &table);
    let path = journal.save_path().to_owned();
    assert!(matches!(
        SaveJournal::open_to_continue(&path),
        Err(SaveFileError::Locked)
    ));
    drop(journal);
    let (_, again) = SaveJournal::open_to_continue(&path).unwrap();
    assert!(matches!(
        SaveJournal::open_to_continue(&path),
        Err(SaveFileError::Locked)
    ));
    drop(again);
}

/// Cuts a save at every `stride`-th byte and at line ends. Checks that the debate continues to the same save.
fn check_torn_lines(stride: usize) {
    let folder = tempfile::tempdir().unwrap();
    let table = Fixture::new(SMALL, RULES[0], "9", ["random", "random", "oracle"]);
    let played = table.played(&mut entropy(0), usize::MAX);
    let whole = table.save(&played);
    let start = whole.find("events: [\n").unwrap() + "events: [\n".len();
    let path = folder.path().join("cut.ron");
    for at in cuts(&whole, start, stride) {
        fs::write(&path, &whole.as_bytes()[..at]).unwrap();
        let (save, mut journal) = SaveJournal::open_to_continue(&path).unwrap();
        let mut seating = save.seat(&table.instance, table.players()).unwrap();
        while seating.make_automatic_move().is_ok() {
            journal
                .append_latest_move(seating.latest().unwrap())
                .unwrap();
        }
        journal.finish_save(&seating).unwrap();
        drop(journal);
        assert_eq!(fs::read_to_string(&path).unwrap(), whole, "cut at {at}");
    }
}

#[test]
fn a_torn_line_is_cut_off_and_the_debate_continues() {
    check_torn_lines(12);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: a_torn_line_is_cut_off_and_the_debate_continues"]
fn a_line_that_is_torn_anywhere_is_cut_off_and_the_debate_continues() {
    check_torn_lines(1);
}

#[test]
fn damaged_saves_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let table = Fixture::small(RULES[0]);
    let text = table
        .save(&table.played(&mut entropy(0), 5))
        .replacen("n: 2", "n: 7", 1);
    let path = folder.path().join("damaged.ron");
    fs::write(&path, &text).unwrap();
    let error = SaveJournal::open_to_continue(&path).unwrap_err();
    assert!(matches!(error, SaveFileError::Damaged(_)), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_file_that_changed_under_a_journal_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let table = Fixture::small(RULES[0]);
    let seating = table.played(&mut entropy(0), 1);
    let made = seating.latest().unwrap();

    let mut grown = journal(folder.path(), &table);
    grown.append_latest_move(made).unwrap();
    let before = fs::read_to_string(grown.save_path()).unwrap();
    fs::write(grown.save_path(), format!("{before} ")).unwrap();
    assert!(matches!(grown.flush(), Err(SaveFileError::ChangedOnDisk)));
    // The waiting lines are kept, and are written once the file is restored.
    fs::write(grown.save_path(), before).unwrap();
    grown.flush().unwrap();
    assert_eq!(
        Save::read_save(grown.save_path())
            .unwrap()
            .moves_not_undone()
            .len(),
        1
    );

    if cfg!(unix) {
        let mut removed = journal(folder.path(), &table);
        removed.append_latest_move(made).unwrap();
        fs::remove_file(removed.save_path()).unwrap();
        assert!(matches!(removed.flush(), Err(SaveFileError::ChangedOnDisk)));
    }
}

#[test]
fn the_last_save_is_listed_first() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(list_saves(&folder.path().join("none")).unwrap(), []);
    let table = Fixture::small(RULES[1]);
    let whole = table.save(&table.played(&mut entropy(0), usize::MAX));
    let begun = table.save(&table.played(&mut entropy(0), 3));
    let torn = whole.strip_suffix('\n').unwrap();
    let put = |name: &str, text: &str, hour: u64| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(hour * 3600);
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    // The save of a later version.
    put("0.ron", &whole.replacen("format: 1,", "format: 2,", 1), 0);
    put("1.ron", &whole, 1);
    put("2.ron", &begun, 2);
    put("3.ron", torn, 3);
    put("4.ron", "Save(\n    format: 9, app: \"x\"\n", 4);
    put("5.ron", "Scenario()", 5);
    put("6.txt", &whole, 6);
    put("7.ron", &table.save(&table.played(&mut entropy(0), 0)), 7);
    // A debate in which only another player has moved.
    let other = Fixture::new(SMALL, RULES[1], "7", ["random", "human", "human"]);
    put("8.ron", &other.save(&other.played(&mut entropy(0), 1)), 8);
    // All moves were made before the debate branched off.
    let mut branched = Fixture::small(RULES[1]);
    branched.header.branch = Some(SaveBranchPoint { from: 3, of: None });
    let at_the_fork = branched.played(&mut entropy(0), 3);
    put("9.ron", &branched.save(&at_the_fork), 9);
    let listed = list_saves(folder.path()).unwrap();
    let shown: Vec<(SavedDebateProgress, Option<&str>)> = listed
        .iter()
        .map(|listing| (listing.condition, listing.title.as_deref()))
        .collect();
    let title = Some("Is it \"so\"?");
    assert_eq!(
        shown,
        [
            (SavedDebateProgress::Unplayed, title),
            (SavedDebateProgress::Unfinished, title),
            (SavedDebateProgress::Unplayed, title),
            (SavedDebateProgress::Unclear, None),
            (SavedDebateProgress::Unfinished, title),
            (SavedDebateProgress::Unfinished, title),
            (SavedDebateProgress::Finished, title),
            (SavedDebateProgress::Unclear, None),
        ]
    );
    // Saves without a move do not count towards the limit.
    let latest = [listed[1].clone(), listed[3].clone()];
    assert_eq!(latest_saves_with_moves(folder.path(), 2).unwrap(), latest);
}

#[test]
fn a_save_is_deleted_only_if_it_is_not_open() {
    let folder = tempfile::tempdir().unwrap();
    let table = Fixture::small(RULES[0]);
    let journal = journal(folder.path(), &table);
    let path = journal.save_path().to_owned();
    assert!(matches!(
        delete_save_and_label(&path),
        Err(SaveFileError::Locked)
    ));
    drop(journal);
    delete_save_and_label(&path).unwrap();
    assert!(!path.exists());
    assert!(delete_save_and_label(&path).is_err() && delete_save_and_label(folder.path()).is_err());
}

#[test]
fn the_requested_folder_is_used() {
    let asked = std::path::Path::new("/somewhere");
    assert_eq!(saves_folder(Some(asked)).unwrap(), asked);
}
