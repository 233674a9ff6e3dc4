use std::fs;
use std::path::Path;

use debate_core::player::PlayerSpec;
use debate_solver::setup::{
    LoadedScenario, ScenarioError, ScenarioInputFile, ScenarioLimits, ScenarioTextSource,
};

/// The text of a scenario about the circuit in a file.
fn about(file: &str) -> String {
    format!(
        "Scenario(format: 1, title: \"t\", problem: Circuit(file: {file:?}, format: Bench, \
         input: \"1\"), protocol: Descent)"
    )
}

/// A circuit whose output is its only input.
const WIRE: &str = "INPUT(a)\nOUTPUT(b)\nb = BUF(a)\n";

/// Reads a scenario in a folder about the circuit in a file.
fn load(folder: &Path, file: &str) -> Result<LoadedScenario, ScenarioError> {
    let path = folder.join("s.ron");
    fs::write(&path, about(file)).unwrap();
    LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
}

#[test]
fn names_stay_within_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = |name: &str| load(folder.path(), name).unwrap_err().to_string();
    // These names are allowed, but the files do not exist.
    for name in ["c17.bench", "circuits/c17.bench", "a.b/c"] {
        let refused = refusal(name);
        assert!(refused.contains("cannot be read"), "{name}: {refused}");
    }
    for name in ["", "/etc/passwd", "../x", "a/../../x", "a\\..\\x", "."] {
        let refused = refusal(name);
        assert!(
            refused.contains("is outside the scenario's folder"),
            "{name}: {refused}"
        );
    }
}

#[test]
fn a_file_is_read_once_and_stored_with_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x"), WIRE).unwrap();
    let setup = load(folder.path(), "x").unwrap();
    assert!(load(folder.path(), "y").is_err());
    let [read] = setup.files.as_slice() else {
        panic!("{:?}", setup.files);
    };
    assert_eq!((read.name.as_str(), &*read.bytes), ("x", WIRE.as_bytes()));
    let abc = ScenarioInputFile::new("abc", *b"abc");
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(abc.digest.to_string(), digest);
    assert_eq!(
        read.digest,
        ScenarioInputFile::new("x", WIRE.as_bytes()).digest
    );
    // A save gives the files, so no others are read.
    let given = |file: &str| {
        let origin = ScenarioTextSource::Text("a save".to_owned());
        LoadedScenario::from_text_and_files(
            &about(file),
            &setup.files,
            origin,
            &ScenarioLimits::default(),
        )
    };
    assert_eq!(given("x").unwrap().files, setup.files);
    assert!(given("y").is_err());
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_followed_out() {
    let inside = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), WIRE).unwrap();
    let link = inside.path().join("link");
    std::os::unix::fs::symlink(outside.path().join("secret"), link).unwrap();
    fs::create_dir(inside.path().join("folder")).unwrap();
    let refusal = |name: &str| load(inside.path(), name).unwrap_err().to_string();
    let refused = refusal("link");
    assert!(refused.contains("a link to a file outside"), "{refused}");
    let refused = refusal("folder");
    assert!(
        refused.contains("the file is not a regular file"),
        "{refused}"
    );
    // A device is not opened, because reading one may never end.
    let mut setup =
        LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
    let player = PlayerSpec::parse("trained(/dev/zero)").unwrap();
    let device = setup.load_player_file(&player, &ScenarioLimits::default());
    let refused = device.unwrap_err().to_string();
    assert!(
        refused.contains("the file is not a regular file"),
        "{refused}"
    );
}
