//! The bundled saves verify, and can be replayed to their ends.

use std::fs;
use std::path::PathBuf;

use debate_core::protocol::Rules as _;
use debate_host::record::{Save, verify_file};
use debate_solver::setup::ScenarioLimits;

fn saves() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("saves");
    let entries = fs::read_dir(folder).expect("the folder of saves");
    entries
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

#[test]
fn the_sample_saves_verify() {
    assert!(saves().len() >= 5);
    for path in saves() {
        let verdict = verify_file(&path, &ScenarioLimits::default()).expect("a save");
        assert!(
            verdict.ok && verdict.finished,
            "{}: {verdict:?}",
            path.display()
        );
    }
}

#[test]
fn the_sample_saves_replay_to_the_payoff_they_state() {
    for path in saves() {
        let save = Save::read_save(&path).expect("a save");
        let setup = save
            .read_saved_scenario(&ScenarioLimits::default())
            .expect("its scenario");
        let instance = save.header.debated_instance(&setup).expect("its instance");
        let history = save.history(&instance).expect("it follows");
        let verdict = verify_file(&path, &ScenarioLimits::default()).expect("a save");
        let end = history.state_at_cursor();
        assert_eq!(Some(end.payoff()), verdict.payoff, "{}", path.display());
        assert!(end.request().is_none());
    }
}
