use std::fs;

use debate_solver::setup::{LoadedScenario, ScenarioError, ScenarioLimits, ScenarioTextSource};

fn scenario(problem: &str, rest: &str) -> Result<LoadedScenario, ScenarioError> {
    let text = format!("Scenario(format: 1, title: \"t\", problem: {problem}, {rest})");
    let origin = ScenarioTextSource::Text("test.ron".to_owned());
    LoadedScenario::from_text(&text, origin, &ScenarioLimits::default())
}

fn refused(problem: &str, rest: &str) -> String {
    scenario(problem, rest).unwrap_err().to_string()
}

/// The root's truth in each world.
fn truths(setup: &LoadedScenario) -> Vec<bool> {
    let problem = &setup.decomposition;
    let worlds = 0..problem.worlds().len();
    worlds
        .map(|world| problem.truth(&problem.root(world), world).unwrap())
        .collect()
}

/// An adder of two bits in four formats; its carry is the second output.
const HALF_ADDERS: [&str; 4] = [
    "INPUT(a)\\nINPUT(b)\\nOUTPUT(s)\\nOUTPUT(c)\\ns = XOR(a, b)\\nc = AND(a, b)\\n",
    ".model half\\n.inputs a b\\n.outputs s c\\n.names a b s\\n10 1\\n01 1\\n.names a b c\\n11 1\\n.end\\n",
    "aag 7 2 0 2 3\\n2\\n4\\n6\\n12\\n6 13 15\\n12 2 4\\n14 3 5\\n",
    "2 4\\n2 1 1\\n1 2\\n\\n2 1 0 1 2 XOR\\n2 1 0 1 3 AND\\n",
];

#[test]
fn the_format_of_a_circuit_is_detected() {
    for text in HALF_ADDERS {
        for (output, expected) in [
            (0, [false, true, true, false]),
            (1, [false, false, false, true]),
        ] {
            let problem = format!("Circuit(inline: \"{text}\", output: {output})");
            let setup = match scenario(&problem, "") {
                Ok(setup) => setup,
                // Bristol fashion has one list of outputs with two bits; both ways name them alike.
                Err(error) => panic!("{error}: {text}"),
            };
            assert_eq!(truths(&setup), expected, "{text}");
            let names = setup.decomposition.worlds().iter().map(|world| &world.name);
            assert_eq!(names.collect::<Vec<_>>(), ["00", "01", "10", "11"]);
        }
    }
}

#[test]
fn circuits_are_made_to_order() {
    assert!(truths(&scenario("Parity(3)", "").unwrap())[4]);
    let majority = truths(&scenario("MajorityOf(3)", "").unwrap());
    assert_eq!(
        majority,
        [false, false, false, true, false, true, true, true]
    );
    let adder = "Circuit(made: Adder(2), output: 2, inputs: [\"10_11\", (bits: \"0100\", name: \"no\", weight: \"1/2\")])";
    let adder = scenario(adder, "").unwrap();
    assert_eq!(truths(&adder), [true, false]);
    assert_eq!(adder.world_index("no").unwrap(), 1);
    assert_eq!(adder.problem, "circuit");
    let one = scenario(
        "Circuit(made: Multiplier(2), output: 3, input: \"1111\")",
        "",
    )
    .unwrap();
    assert_eq!(truths(&one), [true]);
    // Too many worlds to list, so a fixed sample is drawn.
    let drawn = |_| {
        let setup = scenario("Parity(100)", "protocol: Descent").unwrap();
        truths(&setup)
    };
    assert_eq!(drawn(0).len(), 64);
    assert_eq!(drawn(0), drawn(1));
    assert!(drawn(0).contains(&true) && drawn(0).contains(&false));
}

#[test]
fn transcripts_are_split_for_any_computation() {
    let depth = |decomposition| {
        let setup = scenario("MajorityOf(9)", &format!("decomposition: {decomposition}")).unwrap();
        let computed = setup.decomposition.as_computation();
        assert!(computed.is_some_and(|problem| problem.circuit(0).is_some()));
        setup.decomposition.size(0)
    };
    let steps = u64::try_from(depth("Halves").leaves).unwrap();
    assert_eq!(depth("Halves").width, 2);
    assert_eq!(
        1 << (depth("Halves").depth - 1),
        steps.next_power_of_two() / 2
    );
    assert_eq!(
        (
            depth("Blocks(width: 8)").depth,
            depth("Blocks(width: 8)").width
        ),
        (2, 8)
    );
    assert_ne!(depth("Gates").leaves, steps.into());
    insta::assert_snapshot!(refused("Primality(number: \"7\")", "decomposition: Gates"), @"test.ron:1:81: decomposition: Primality cannot be decomposed like this; use Intervals(width: 4), Witnesses(bases: [2, 3, 5]) or Pratt");
    insta::assert_snapshot!(refused("Parity(3)", "decomposition: Blocks(width: 1)"), @"test.ron:1:68: decomposition: a transcript must be split into at least 2 blocks; use a larger width");
    insta::assert_snapshot!(refused("Parity(3)", "decomposition: Blocks(width: 5000)"), @"test.ron:1:68: decomposition: 5000 subclaims in one support are more than the limit of 1024; `--max-width` raises the limit");
    insta::assert_snapshot!(refused("Argument(root: \"r\", claims: {\"r\": (text: \"t\", truth: true)})", "decomposition: Halves"), @"test.ron:1:119: decomposition: this decomposition splits the transcript of a computation, but the problem has none; remove `decomposition`");
}

#[test]
fn circuit_files_are_read_beside_the_scenario_and_faults_located() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.ron");
    let load = |file: &str, circuit: &[u8], rest: &str| {
        fs::write(folder.path().join(file), circuit).unwrap();
        let problem = format!("Circuit(file: \"{file}\", {rest})");
        let text = format!("Scenario(format: 1, title: \"t\", problem: {problem})");
        fs::write(&path, text).unwrap();
        LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
    };
    let bench = HALF_ADDERS[0].replace("\\n", "\n");
    let setup = load("half.bench", bench.as_bytes(), "input: \"11\"").unwrap();
    assert_eq!(truths(&setup), [false]);
    assert_eq!(setup.files.len(), 1);
    let wrong = bench.replace("XOR(a, b)", "XOR(a, z)");
    let error = load("half.bench", wrong.as_bytes(), "").unwrap_err();
    insta::assert_snapshot!(error.to_string(), @r#"half.bench:5:1: there is no wire "z"; add a gate or an input"#);
    let error = load("half.bench", b"INPUT(a)\n\xff\n", "").unwrap_err();
    insta::assert_snapshot!(error.to_string(), @"half.bench:2:1: this line is not UTF-8 text; save the circuit as UTF-8, or state its `format`");
    let error = load("half.bench", b"", "format: Aiger").unwrap_err();
    insta::assert_snapshot!(error.to_string(), @"half.bench:1:1: the file ends before the header");
    let error = load("half.txt", b"hello\n", "").unwrap_err();
    assert!(
        error.to_string().contains("write `format: Aiger`"),
        "{error}"
    );
}

#[test]
fn limits_are_checked_before_circuits_are_built() {
    insta::assert_snapshot!(refused("Multiplier(4000000000)", ""), @"test.ron:1:42: problem: 96000000000000000000 gates are more than the limit of 16777216; `--max-gates` raises the limit");
    insta::assert_snapshot!(refused("Parity(4000000000)", ""), @"test.ron:1:42: problem: 4000000000 gates are more than the limit of 16777216; `--max-gates` raises the limit");
    insta::assert_snapshot!(refused("MajorityOf(0)", ""), @"test.ron:1:42: problem: a circuit of 0 bits cannot be debated; use at least 1");
    // A deep circuit is allowed if no round weighs less than another.
    let deep = "Circuit(made: Adder(3000), output: 3000)";
    insta::assert_snapshot!(refused(deep, ""), @"test.ron:1:1: decomposition: 6001 levels of claims are more than the limit of 4096; `--max-depth` raises the limit");
    let setup = scenario(deep, "protocol: Descent").unwrap();
    let limits = ScenarioLimits::default();
    let estimated = debate_solver::setup::default_protocol();
    assert!(setup.check_depth(&setup.protocol, &limits).is_ok());
    assert!(setup.check_depth(&estimated, &limits).is_err());
}
