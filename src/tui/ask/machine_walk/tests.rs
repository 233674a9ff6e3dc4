use debate_solver::setup::{LoadedScenario, ScenarioLimits};

use super::*;

/// The second half of the first half of `turing`: the steps 17 to 32.
fn machine_walk() -> MachineRunPosition {
    let setup =
        LoadedScenario::load_bundled_scenario("turing", &ScenarioLimits::default()).unwrap();
    let run = setup.instance(0).run().unwrap();
    let (from, middle, to) = (16, 24, 32);
    // The configuration in the middle is true. The last one is that of an earlier time.
    let claimed = [(middle, middle), (to, to - 1)].map(|(time, of)| (time, run.at(of).unwrap()));
    MachineRunPosition::new(ContestedPartOfRun {
        start: run.at(from).unwrap(),
        claimed,
        run,
        from,
        middle,
        to,
    })
    .unwrap()
}

#[test]
fn each_step_shows_the_configuration_of_the_machine() {
    let mut walk = machine_walk();
    let run = walk.contested.run.clone();
    let shown = |walk: &MachineRunPosition| walk.shown.clone().unwrap();
    let true_at = |time| (time, run.at(time).unwrap());
    for time in 17..=32 {
        assert!(walk.run_contested_step());
        assert_eq!(shown(&walk), true_at(time));
    }
    assert!(!walk.run_contested_step(), "the contested part ends at 32");
    for time in (16..32).rev() {
        assert!(walk.step_back());
        assert_eq!(shown(&walk), true_at(time));
    }
    assert!(!walk.step_back(), "the contested part begins at 16");
    assert!(walk.run_machine_to_middle_step());
    assert_eq!(shown(&walk), true_at(24));
}

#[test]
fn the_run_is_shown_below_the_given_configurations_after_the_first_key() {
    let given = ["After 16 steps: back, head at 4: _ 1 1 0[1]_".to_owned()];
    let mut walk = machine_walk();
    assert_eq!(walk.lines_with_current_configuration(&given), given);
    walk.run_machine_to_middle_step();
    let lines = walk.lines_with_current_configuration(&given);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines[1].starts_with("You, step 24: "), "{lines:?}");
    assert_eq!(
        lines[2],
        "This configuration agrees with Alice's: the part up to here is correct."
    );
    assert!(lines[3].starts_with("The next rule: in "), "{lines:?}");
}

#[test]
fn the_run_is_compared_with_each_configuration_that_alice_gave() {
    let mut walk = machine_walk();
    let compared = |walk: &MachineRunPosition| {
        let lines = walk.lines_with_current_configuration(&[]);
        lines.into_iter().find(|line| line.contains("Alice"))
    };
    for time in 17..=32 {
        assert!(walk.run_contested_step());
        let expected = match time {
            24 => Some("This configuration agrees with Alice's: the part up to here is correct."),
            32 => Some("This configuration differs from Alice's (head)."),
            _ => None,
        };
        assert_eq!(compared(&walk).as_deref(), expected, "{time}");
    }
}

#[test]
fn a_run_that_is_too_long_cannot_be_walked() {
    let MachineRunPosition { contested, .. } = machine_walk();
    let to = contested.from + MAX_STEPS + 1;
    assert!(MachineRunPosition::new(ContestedPartOfRun { to, ..contested }).is_none());
}
