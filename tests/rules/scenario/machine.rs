use debate_core::bits::BitString;
use debate_core::scenario::machine::{
    HeadMove, MAX_STEPS, MachineProblem, MachineProblemSpec, MachineRuleSpec, OracleAnswer,
    OracleQueryStateSpec, TuringMachineSpec,
};
use debate_core::scenario::{
    BitSource, ClaimKey, ComputationProblem as _, Decomposition as _, RequiredStepOutput,
    ScenarioValuePath, SuccessorOrOracleQuery,
};
use proptest::prelude::*;

use super::claim_key;

fn rule(text: &str) -> MachineRuleSpec {
    let [state, read, to, write, shift] = text.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{text}");
    };
    MachineRuleSpec {
        state: state.to_owned(),
        read: read.to_owned(),
        to: to.to_owned(),
        write: write.to_owned(),
        shift: match shift {
            "L" => HeadMove::Left,
            "R" => HeadMove::Right,
            _ => HeadMove::Stay,
        },
    }
}

/// A machine from rules such as "a 0 b 1 R", starting in `a`.
fn spec(rules: &[&str], input: &str, steps: u64) -> MachineProblemSpec {
    MachineProblemSpec {
        turing: TuringMachineSpec {
            states: None,
            start: "a".to_owned(),
            accept: "yes".to_owned(),
            reject: "no".to_owned(),
            rules: rules.iter().map(|text| rule(text)).collect(),
        },
        inputs: vec![input.to_owned()],
        steps,
        ..MachineProblemSpec::default()
    }
}

fn build(spec: MachineProblemSpec) -> MachineProblem {
    MachineProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem")).unwrap()
}

fn refused(spec: MachineProblemSpec) -> String {
    MachineProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
        .unwrap_err()
        .to_string()
}

/// Accepts words with an even number of 1.
const EVEN: [&str; 5] = [
    "a 0 a 0 R",
    "a 1 odd 1 R",
    "odd 0 odd 0 R",
    "odd 1 a 1 R",
    "a _ yes _ S",
];

/// Strikes out the ends of a word, pair by pair.
const PALINDROME: [&str; 16] = [
    "a 0 c0 _ R",
    "a 1 c1 _ R",
    "a _ yes _ S",
    "c0 0 c0 0 R",
    "c0 1 c0 1 R",
    "c0 _ l0 _ L",
    "c1 0 c1 0 R",
    "c1 1 c1 1 R",
    "c1 _ l1 _ L",
    "l0 0 back _ L",
    "l0 _ yes _ S",
    "l1 1 back _ L",
    "l1 _ yes _ S",
    "back 0 back 0 L",
    "back 1 back 1 L",
    "back _ a _ R",
];

/// Copies the input's first symbol over the blank after it, then asks the oracle.
fn asking(answers: &[(&str, bool)], input: &str, steps: u64) -> MachineProblemSpec {
    let mut spec = spec(&["a 0 a 0 R", "a 1 a 1 R", "a _ ask _ L"], input, steps);
    let answer = |truth| OracleAnswer {
        truth,
        ..OracleAnswer::default()
    };
    spec.oracle_state = Some(OracleQueryStateSpec {
        state: "ask".to_owned(),
        yes: "yes".to_owned(),
        no: "no".to_owned(),
        answers: answers
            .iter()
            .map(|(word, truth)| ((*word).to_owned(), answer(*truth)))
            .collect(),
    });
    spec
}

fn holds(machine: &MachineProblem) -> bool {
    machine.truth(&ClaimKey::key_of_claim_number(0), 0).unwrap()
}

#[test]
fn machines_decide_their_languages() {
    for number in 0..256_u64 {
        let word = BitString::low_bits_of_number(number, 8);
        let even = number.count_ones().is_multiple_of(2);
        assert_eq!(holds(&build(spec(&EVEN, &word.to_string(), 9))), even);
        assert!(
            !holds(&build(spec(&EVEN, &word.to_string(), 8))),
            "too few steps"
        );
        let mirrored: BitString = word.as_slice().iter().rev().copied().collect();
        let palindrome = build(spec(&PALINDROME, &word.to_string(), 64));
        assert_eq!(holds(&palindrome), mirrored == word, "{word}");
    }
}

#[test]
fn the_head_stays_at_the_left_end_and_leaves_at_the_right_end() {
    let left = build(spec(&["a 1 b 0 L", "b 0 yes 0 S"], "1", 2));
    assert!(holds(&left));
    let runaway = |cells| MachineProblemSpec {
        cells: Some(cells),
        ..spec(&["a _ a _ R", "a 1 yes 1 S"], "___1", 9)
    };
    assert!(holds(&build(runaway(4))));
    let beyond = MachineProblemSpec {
        inputs: vec!["____".to_owned()],
        ..runaway(4)
    };
    let run = build(beyond).run(0).unwrap();
    assert_eq!(run.text(&run.at(9).unwrap()), "no, head at 3: _ _ _[_]");
}

#[test]
fn configurations_read_back_and_other_bits_are_refused() {
    let machine = build(MachineProblemSpec {
        cells: Some(3),
        ..spec(&EVEN, "11", 4)
    });
    let run = machine.run(0).unwrap();
    let table = run.tape().unwrap();
    // Four states, three cells, three symbols: 2 + 2 + 3 · 2 bits.
    assert_eq!(run.length(), 10);
    let mut found = 0;
    for number in 0..1 << 10 {
        let bits = BitString::low_bits_of_number(number, 10);
        if let Some(at) = table.decode(&bits) {
            assert_eq!(table.encode(&at), bits);
            found += 1;
        }
        assert_eq!(run.is_well_formed(&bits), table.decode(&bits).is_some());
    }
    assert_eq!(found, 4 * 3 * 27);
    assert!(!run.is_well_formed(&BitString::low_bits_of_number(0, 9)));
}

#[test]
fn a_time_is_found_again_between_the_marks() {
    let machine = build(spec(&PALINDROME, "0110110", 100));
    let run = machine.run(0).unwrap();
    let mut at = run.start();
    for time in 0..=100 {
        assert_eq!(run.at(time), Some(at.clone()), "{time}");
        assert_eq!(run.follow(&run.start(), time), Some(at.clone()));
        at = run.after(&at).unwrap();
    }
    assert_eq!(run.at(1000), run.at(100));
}

#[test]
fn a_machine_runs_a_million_steps_on_a_small_tape() {
    // A binary counter that never stops: 20 digits, the lowest first.
    let rules = [
        "a _ a _ R",
        "a 0 back 1 L",
        "a 1 a 0 R",
        "back 0 back 0 L",
        "back # a # R",
        "a # a # R",
        "a $ back $ L",
    ];
    let spec = MachineProblemSpec {
        cells: Some(22),
        ..spec(&rules, "#00000000000000000000$", 1_000_000)
    };
    let machine = build(spec);
    let run = machine.run(0).unwrap();
    assert!(!holds(&machine));
    let (half, whole) = (run.at(500_000).unwrap(), run.at(1_000_000).unwrap());
    assert_eq!(run.follow(&half, 500_000), Some(whole));
}

#[test]
fn long_tapes_are_shown_around_the_head() {
    let input = "1".repeat(60);
    let machine = build(spec(&EVEN, &input, 100));
    let run = machine.run(0).unwrap();
    let text = run.text(&run.at(30).unwrap());
    assert!(text.starts_with("a, head at 30: … 1 1"), "{text}");
    assert!(text.contains("1[1]1") && text.ends_with(" …"), "{text}");
    assert!(text.chars().count() < 100);
    let short = build(MachineProblemSpec {
        cells: Some(5),
        ..spec(&EVEN, "101", 4)
    });
    let run = short.run(0).unwrap();
    assert_eq!(run.text(&run.start()), "a, head at 0: [1]0 1 _ _");
    assert_eq!(run.text(&run.at(1).unwrap()), "odd, head at 1: 1[0]1 _ _");
}

#[test]
fn the_oracle_is_asked_about_the_tape() {
    let machine = build(asking(&[("01", true), ("1", true)], "01", 8));
    let run = machine.run(0).unwrap();
    let ask = run.at(3).unwrap();
    let SuccessorOrOracleQuery::Oracle { claim, yes, no } = run.next(&ask) else {
        panic!("the oracle is asked");
    };
    assert_eq!(machine.text(&claim, 0), "the oracle says yes to 01");
    assert_eq!(run.answer(&claim), Some(true));
    assert!(run.accepts(&yes) && !run.accepts(&no));
    assert_eq!(run.at(4), Some(yes));
    assert!(holds(&machine));
    assert!(!holds(&build(asking(&[("01", false)], "01", 8))));
    assert!(
        !holds(&build(asking(&[("1", true)], "01", 8))),
        "not listed"
    );
}

fn specs() -> Vec<MachineProblemSpec> {
    vec![
        MachineProblemSpec {
            cells: Some(4),
            ..spec(&EVEN, "101", 5)
        },
        spec(&EVEN, "1101", 3),
        MachineProblemSpec {
            cells: Some(6),
            ..spec(&PALINDROME, "01010", 30)
        },
        MachineProblemSpec {
            cells: Some(7),
            ..spec(&PALINDROME, "011010", 40)
        },
        MachineProblemSpec {
            cells: Some(2),
            ..spec(&["a 1 a 1 R"], "11", 6)
        },
        asking(&[("01", true)], "01", 6),
        asking(&[("01", false)], "01", 6),
        asking(&[], "", 3),
        spec(&["a _ yes _ R"], "", 1),
    ]
}

#[test]
fn the_tableau_agrees_with_the_machine() {
    for spec in specs() {
        let machine = build(spec);
        let tableau = machine.computation(0).unwrap();
        let none = BitString::default();
        let truth = tableau.transcript(&none).unwrap();
        assert_eq!(truth.len() as u64, tableau.steps());
        assert_eq!(truth.as_slice().last(), Some(&holds(&machine)));
        assert_eq!(tableau.first_wrong_step(&none, truth.as_slice()), None);
        let mut sources = Vec::new();
        for step in 0..tableau.steps() {
            assert_eq!(
                machine.truth(&claim_key(&format!("step {step}")), 0),
                truth.bit_at(step),
                "{step}"
            );
            tableau.reads(step, &mut sources);
            for source in &sources {
                match source {
                    BitSource::Step(earlier) => assert!(*earlier < step),
                    BitSource::Input(place) => assert!(*place < 1000),
                    BitSource::Witness(_) => panic!("there is no witness"),
                }
            }
        }
        // In long tableaus every nth step, because the search for the wrong step reads all steps before it.
        let apart = 1 + tableau.steps() / 200;
        for step in (0..tableau.steps()).filter(|step| step.is_multiple_of(apart)) {
            let wrong = truth.with_bit_flipped(usize::try_from(step).unwrap());
            assert_eq!(
                tableau.first_wrong_step(&none, wrong.as_slice()),
                Some(step)
            );
        }
    }
}

#[test]
fn steps_of_the_tableau_have_readable_names() {
    let machine = build(MachineProblemSpec {
        cells: Some(4),
        ..spec(&EVEN, "101", 5)
    });
    let tableau = machine.computation(0).unwrap();
    // Two bits of the symbol, three of the state, four cells: twenty steps a row.
    assert_eq!(tableau.steps(), 5 * 20 + 4);
    assert_eq!(tableau.step_text(47), "time 3, cell 1, bit 1 of the state");
    assert_eq!(
        tableau.step_text(100),
        "the machine accepts with its head at a cell from 0 to 0"
    );
    assert_eq!(
        tableau.source_text(BitSource::Input(6)),
        "time 0, cell 1, bit 2 of the symbol"
    );
    let asking = build(asking(&[], "01", 2));
    let tableau = asking.computation(0).unwrap();
    assert_eq!(tableau.step_text(0), "time 1, the oracle's answer");
}

proptest! {
    /// Arbitrary rows, even invalid ones: the next row is determined, without a panic.
    #[test]
    fn any_transcript_has_a_first_wrong_step_or_is_true(
        bits in prop::collection::vec(any::<bool>(), 104..=104), which in 0..2_usize,
    ) {
        let spec = [
            MachineProblemSpec { cells: Some(4), ..spec(&EVEN, "101", 5) },
            MachineProblemSpec { cells: Some(4), ..asking(&[("01", true)], "01", 5) },
        ][which].clone();
        let machine = build(spec);
        let tableau = machine.computation(0).unwrap();
        let none = BitString::default();
        let mut given = bits;
        given.resize(usize::try_from(tableau.steps()).unwrap(), false);
        // Repairing one step after another gives the true transcript.
        while let Some(step) = tableau.first_wrong_step(&none, &given) {
            let place = usize::try_from(step).unwrap();
            given[place] = !given[place];
        }
        prop_assert_eq!(Some(BitString::from(given)), tableau.transcript(&none));
    }
}

#[test]
fn a_too_large_tableau_is_not_built() {
    let spec = MachineProblemSpec {
        cells: Some(30),
        ..spec(&EVEN, "1", 1_000_000)
    };
    let machine = build(spec);
    assert!(machine.computation(0).is_none());
    assert!(machine.run(0).is_some());
}

#[test]
fn an_oracle_step_reads_the_whole_row_and_asks_the_judge() {
    let machine = build(asking(&[("01", true)], "01", 6));
    let tableau = machine.computation(0).unwrap();
    let truth = tableau.transcript(&BitString::default()).unwrap();
    let row = (tableau.steps() - 7) / 6;
    let mut sources = Vec::new();
    tableau.reads(3 * row, &mut sources);
    let bits: Vec<bool> = sources
        .iter()
        .map(|source| tableau.bit(*source, &BitString::default(), truth.as_slice()))
        .collect();
    let RequiredStepOutput::Oracle(claim) = tableau.rule(3 * row, &bits) else {
        panic!("the oracle is asked at time 4");
    };
    assert_eq!(machine.text(&claim, 0), "the oracle says yes to 01");
}

#[test]
fn mistakes_are_refused() {
    let good = || spec(&EVEN, "101", 5);
    let with = |change: fn(&mut MachineProblemSpec)| {
        let mut spec = good();
        change(&mut spec);
        refused(spec)
    };
    let cases = [
        with(|spec| spec.steps = 0),
        with(|spec| spec.steps = MAX_STEPS + 1),
        with(|spec| spec.steps = MAX_STEPS),
        with(|spec| spec.cells = Some(0)),
        with(|spec| spec.cells = Some(2)),
        with(|spec| spec.inputs.clear()),
        with(|spec| spec.inputs.push("101".to_owned())),
        with(|spec| spec.inputs[0] = "1 1".to_owned()),
        with(|spec| spec.turing.reject = "yes".to_owned()),
        with(|spec| spec.turing.rules[1].read = "11".to_owned()),
        with(|spec| spec.turing.rules[1].read = "0".to_owned()),
        with(|spec| spec.turing.rules[1].state = "yes".to_owned()),
        with(|spec| spec.turing.states = Some(vec!["a".to_owned()])),
        with(|spec| spec.turing.states = Some(vec!["a".to_owned(); 2])),
        with(|spec| {
            *spec = asking(&[("", true)], "0", 3);
            spec.turing.rules[0].state = "ask".to_owned();
        }),
        refused(asking(&[("7", true)], "0", 3)),
        refused(asking(&[("_0", true)], "0", 3)),
    ];
    let said = [
        "problem.steps: the machine cannot run for 0 steps; use 1 to 10000000",
        "problem.steps: the machine cannot run for 10000001 steps; use 1 to 10000000",
        "problem.steps: the tape cannot have 10000001 cells; set `cells` to 1 to 100000",
        "problem.cells: the tape cannot have 0 cells; set `cells` to 1 to 100000",
        "problem.input: an input of 3 symbols does not fit on a tape of 2 cells",
        "problem: a machine needs an input",
        "problem.inputs[1]: this input is listed twice; remove one",
        "problem.input: a space is not a symbol",
        "problem.turing.reject: the accepting and the rejecting state must differ",
        "problem.turing.rules[1]: the text \"11\" is not a symbol",
        "problem.turing.rules[1]: there are two rules for the state \"a\" and the symbol \"0\"",
        "problem.turing.rules[1]: this rule is never used, because in the state \"yes\" the machine has halted",
        "problem.turing.accept: `states` does not contain the state \"yes\"",
        "problem.turing.states[1]: this state is listed twice; remove one",
        "problem.turing.rules[0]: this rule is never used, because in the state \"ask\" the oracle is asked",
        "problem.oracle_state.answers[\"7\"]: this query has a symbol that is in no rule and no input",
        "problem.oracle_state.answers[\"_0\"]: an oracle query cannot begin or end with a blank symbol",
    ];
    assert_eq!(cases.len(), said.len());
    for (case, said) in cases.iter().zip(said) {
        assert!(case.starts_with(said), "{case}");
    }
}

#[test]
fn claims_about_a_machine_have_texts() {
    let machine = build(asking(&[("01", true)], "01", 8));
    assert_eq!(
        machine.text(&ClaimKey::key_of_claim_number(0), 0),
        "the machine accepts 01 within 8 steps"
    );
    assert_eq!(
        machine.text(&claim_key("times 4..8"), 0),
        "steps 5 to 8 go as claimed"
    );
    assert_eq!(
        machine.text(&claim_key("times 4..5"), 0),
        "step 5 goes as claimed"
    );
    let evidence = machine
        .evidence(&ClaimKey::key_of_claim_number(0), 0)
        .unwrap();
    assert!(
        evidence.contains("a on _: write _, left, continue in ask"),
        "{evidence}"
    );
    let blank = build(asking(&[], "", 3));
    let run = blank.run(0).unwrap();
    let SuccessorOrOracleQuery::Oracle { claim, .. } = run.next(&run.at(1).unwrap()) else {
        panic!("the oracle is asked");
    };
    assert_eq!(
        blank.text(&claim, 0),
        "the oracle says yes to an empty tape"
    );
}
