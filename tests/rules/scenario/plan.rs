use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::number::{Exact, ExactWithFloat, Number as _};
use debate_core::scenario::{
    CheckedComputationPlan, ClaimDetailsInFile as _, ComputationProblem as _, Decomposition as _,
    PlanProblemStepSpec, ProgramStepActionSpec, RandomComputation, RequiredStepOutput,
    ScenarioValueError, ScenarioValuePath, StraightLineProgramSpec, lipschitz_bounds,
};
use num_traits::Zero as _;

use super::claim_key;

fn ask(id: &str, judged_true: &[(&str, (i64, i64))]) -> PlanProblemStepSpec {
    let entries = judged_true.iter();
    PlanProblemStepSpec {
        id: id.to_owned(),
        text: None,
        action: ProgramStepActionSpec::Ask {
            question: format!("{id}?"),
            judged_true: entries
                .map(|(bits, (n, d))| ((*bits).to_owned(), Exact::ratio(*n, *d)))
                .collect(),
            evidence: None,
            truth: None,
        },
    }
}

fn compute(id: &str, gate: Gate, on: &[&str]) -> PlanProblemStepSpec {
    PlanProblemStepSpec {
        id: id.to_owned(),
        text: None,
        action: ProgramStepActionSpec::Compute {
            gate,
            on: on.iter().map(|id| (*id).to_owned()).collect(),
            not: Vec::new(),
        },
    }
}

fn plan(steps: Vec<PlanProblemStepSpec>) -> Result<CheckedComputationPlan, ScenarioValueError> {
    let spec = StraightLineProgramSpec {
        steps,
        ..StraightLineProgramSpec::default()
    };
    CheckedComputationPlan::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
}

/// An oracle with a separate probability for every history.
fn tree(steps: usize, entries: &[(&str, (i64, i64))]) -> Arc<dyn RandomComputation> {
    let of_length = |length| entries.iter().filter(move |(bits, _)| bits.len() == length);
    let steps = (0..steps).map(|step| {
        let table: Vec<_> = of_length(step).copied().collect();
        ask(&format!("s{step}"), &table)
    });
    plan(steps.collect()).unwrap().process(0).unwrap()
}

#[test]
fn probabilities_follow_the_longest_beginning() {
    let steps = vec![
        ask("a", &[("", (1, 2))]),
        ask("b", &[("", (1, 2)), ("0", (1, 4)), ("1", (3, 4))]),
        ask("c", &[("", (1, 3)), ("01", (1, 1))]),
    ];
    let plan = plan(steps).unwrap();
    let process = plan.process(0).unwrap();
    let p = |bits: &[bool]| process.next(bits).exact().clone();
    assert_eq!(p(&[true]), Exact::ratio(3, 4));
    assert_eq!(p(&[false, true]), Exact::ratio(1, 1));
    assert_eq!(p(&[true, true]), Exact::ratio(1, 3));
    // 1/2 · 1/4 · 1 + (1 − 1/8) · 1/3.
    assert_eq!(process.accepts(), Some(Exact::ratio(5, 12)));
    assert_eq!(
        process.accepts_after(&[false, true]),
        Some(Exact::ratio(1, 1))
    );
    // The claim names the bits that matter, and a judge answers by them.
    let key = process.claim(&[false, true]);
    assert_eq!(plan.judged_true(&key), Some(Exact::ratio(1, 1)));
    assert_eq!(
        plan.text(&key, 0),
        "the answer to \"c?\" is yes (if a is false, b is true)"
    );
    assert_eq!(process.claim(&[]), claim_key("step 0"));
    // A step with probability one half has no truth value.
    assert_eq!(plan.truth(&claim_key("step 0"), 0), None);
    assert!(!plan.is_decidable(0));
}

#[test]
fn computed_steps_follow_from_their_inputs() {
    let steps = vec![
        ask("a", &[("", (9, 10))]),
        ask("b", &[("", (4, 5))]),
        ask("c", &[("", (1, 10))]),
        compute("most", Gate::Majority, &["a", "b", "c"]),
        compute("not", Gate::Not, &["most"]),
    ];
    let plan = plan(steps).unwrap();
    let process = plan.process(0).unwrap();
    assert!(process.is_oracle(2) && !process.is_oracle(3));
    assert_eq!(
        *process.next(&[true, false, true]).exact(),
        Exact::ratio(1, 1)
    );
    let most = Exact::ratio(746, 1000);
    assert_eq!(process.accepts(), Some(Exact::ratio(1, 1) - most));

    let computation = plan.computation(0).unwrap();
    let transcript = computation
        .transcript(&debate_core::bits::BitString::default())
        .unwrap();
    assert_eq!(transcript.to_string(), "11010");
    assert_eq!(
        computation.rule(0, &[]),
        RequiredStepOutput::Oracle(claim_key("step 0"))
    );
    assert_eq!(computation.step_text(3), "most = most of a, b, c");
    assert_eq!(plan.truth(&plan.root(0), 0), Some(false));
    assert_eq!((plan.size(0).depth, plan.size(0).width), (2, 3));
    assert_eq!(plan.leaf_count_under(&plan.root(0), 0), 3);
    assert_eq!(
        plan.supports(&claim_key("step 4"), 0)[0].on,
        [claim_key("step 3")]
    );
}

#[test]
fn a_long_plan_keeps_only_relevant_histories() {
    // The parity of 300 answers: only two histories per step differ.
    let mut steps = vec![ask("a0", &[("", (1, 3))])];
    let mut last = "a0".to_owned();
    for place in 1..300 {
        let (next, sum) = (format!("a{place}"), format!("x{place}"));
        steps.push(ask(&next, &[("", (1, 3))]));
        steps.push(compute(&sum, Gate::Xor, &[&last, &next]));
        last = sum;
    }
    let process = plan(steps).unwrap().process(0).unwrap();
    let accepts = process.accepts().unwrap().to_float();
    assert!((accepts - 0.5).abs() < 1e-12, "{accepts}");
    // A majority of thirty depends only on the number of yes answers.
    let ids: Vec<String> = (0..30).map(|place| format!("a{place}")).collect();
    let mut steps: Vec<PlanProblemStepSpec> =
        ids.iter().map(|id| ask(id, &[("", (1, 2))])).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut most = steps.clone();
    most.push(compute("most", Gate::Majority, &ids));
    let accepts = plan(most).unwrap().process(0).unwrap().accepts();
    assert_eq!(accepts, Some(Exact::ratio(57_414_019, 134_217_728)));
    // If neighbours are compared, every answer matters to the end.
    for (place, pair) in ids.windows(2).enumerate() {
        steps.push(compute(&format!("x{place}"), Gate::Any, pair));
    }
    assert_eq!(plan(steps).unwrap().process(0).unwrap().accepts(), None);
}

/// Counts mix steps read directly and steps read negated.
#[test]
fn negated_steps_count_and_are_separate_claims() {
    let lead = |ids: [&str; 4]| {
        let mut steps: Vec<PlanProblemStepSpec> =
            ids.iter().map(|id| ask(id, &[("", (1, 3))])).collect();
        steps.push(PlanProblemStepSpec {
            id: "lead".to_owned(),
            text: None,
            action: ProgramStepActionSpec::Compute {
                gate: Gate::AtLeast(3),
                on: vec![ids[0].to_owned(), ids[1].to_owned()],
                not: vec![ids[2].to_owned(), ids[3].to_owned()],
            },
        });
        plan(steps).unwrap()
    };
    let plan = lead(["a", "b", "c", "d"]);
    let process = plan.process(0).unwrap();
    let mut sum = Exact::zero();
    for run in 0..16_u32 {
        let bits: Vec<bool> = (0..4).map(|at| run >> at & 1 == 1).collect();
        let count = [bits[0], bits[1], !bits[2], !bits[3]]
            .iter()
            .filter(|bit| **bit)
            .count();
        assert_eq!(process.next(&bits), ExactWithFloat::from(count >= 3));
        let mut met = bits.clone();
        process.forget(&mut met);
        assert_eq!(process.next(&met), ExactWithFloat::from(count >= 3));
        if count >= 3 {
            let ones = bits.iter().filter(|bit| **bit).count();
            let each = |bit: bool| Exact::ratio(if bit { 1 } else { 2 }, 3);
            sum += bits.iter().map(|bit| each(*bit)).product::<Exact>();
            assert!(ones > 0);
        }
    }
    assert_eq!(process.accepts(), Some(sum));
    // As a tree of claims: "c is not true" depends on c.
    let drafts = plan.supports(&plan.root(0), 0);
    assert_eq!(
        drafts[0].on,
        [0, 1, 7, 8].map(|step| claim_key(&format!("step {step}")))
    );
    let turned = plan.supports(&claim_key("step 7"), 0);
    assert_eq!(
        (&turned[0].gate, &turned[0].on),
        (&Gate::Not, &vec![claim_key("step 2")])
    );
    assert_eq!(plan.text(&claim_key("step 7"), 0), "c is not true");
    assert_eq!(plan.truth(&claim_key("step 7"), 0), Some(true));
    let size = plan.size(0);
    assert_eq!(
        (size.depth, size.claims, size.leaves),
        (2, 7_u32.into(), 4_u32.into())
    );
}

#[test]
fn lipschitz_constants_lie_between_their_bounds() {
    // P[M = 1] = p changes as much as the oracle does.
    let one = lipschitz_bounds(tree(1, &[("", (2, 3))]).as_ref());
    assert_eq!(
        (one.low, one.high),
        (Exact::ratio(1, 1), Exact::ratio(1, 1))
    );
    // Oracles at 0 can only increase: an AND of two that never hold changes by the product of the two changes.
    let and = vec![
        ask("a", &[("", (0, 1))]),
        ask("b", &[("", (0, 1))]),
        compute("and", Gate::All, &["a", "b"]),
    ];
    let and = lipschitz_bounds(plan(and).unwrap().process(0).unwrap().as_ref());
    assert_eq!(
        (and.low, and.high),
        (Exact::ratio(1, 1), Exact::ratio(1, 1))
    );
    let entries = [
        ("", (1, 3)),
        ("0", (1, 1)),
        ("1", (1, 2)),
        ("00", (1, 5)),
        ("01", (4, 5)),
        ("10", (0, 1)),
        ("11", (2, 3)),
    ];
    let three = lipschitz_bounds(tree(3, &entries).as_ref());
    // The derivative downwards: the limit of small changes is the maximum.
    assert_eq!(three.low, Exact::ratio(173, 90));
    assert!(three.high >= three.low && three.high < Exact::ratio(32, 15));
}
