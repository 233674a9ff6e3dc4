use debate_solver::setup::{LoadedScenario, ScenarioLimits, bundled_names};

use super::*;

/// The part with the error is false, and it has no smaller part with the error. Scenarios with a true claim have none.
#[test]
fn the_part_with_the_error_is_false_and_as_small_as_possible() {
    let mut found = 0;
    for name in bundled_names() {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        let instance = setup.instance(0);
        let Some(claim) = deepest_false_claim(&instance) else {
            continue;
        };
        found += 1;
        assert_eq!(instance.truth(instance.root()), Some(false), "{name}");
        assert_eq!(instance.truth(claim), Some(false), "{name}");
        let [support] = instance.supports(claim) else {
            continue;
        };
        let false_parts = support
            .on
            .iter()
            .filter(|part| instance.truth(**part) == Some(false));
        let can_descend = support.gate == Gate::All && support.on.len() <= MAX_EXAMINED_SUBCLAIMS;
        assert!(!can_descend || false_parts.count() != 1, "{name}");
    }
    assert!(found > 0);
}
