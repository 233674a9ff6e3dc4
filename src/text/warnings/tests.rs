use super::*;
use crate::{DebateDescription, ViewerPerspective};
use debate_core::bits::BitString;
use debate_core::number::Number as _;
use debate_core::protocol::{Log, LogViewerRole};
use debate_core::scenario::Instance;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

/// A scenario with its instance, to test the warnings of debates.
struct Table {
    setup: LoadedScenario,
    instance: Instance,
}

impl Table {
    fn of(setup: LoadedScenario) -> Self {
        let instance = setup.instance(0);
        Self { setup, instance }
    }

    fn bundled(name: &str) -> Self {
        Self::of(LoadedScenario::find_scenario(name, &ScenarioLimits::default()).unwrap())
    }

    fn text(text: &str) -> Self {
        let origin = ScenarioTextSource::Text("t".to_owned());
        Self::of(LoadedScenario::from_text(text, origin, &ScenarioLimits::default()).unwrap())
    }

    /// Returns the warning that `seat` gets about `reply`, and the sentence about a decided debate, after these
    /// replies.
    fn told(
        &self,
        seat: Seat,
        replies: &[Reply<Exact>],
        reply: &Reply<Exact>,
    ) -> [Option<String>; 2] {
        let facts = DebateDescription::new(&self.instance, &self.setup.protocol);
        let mut state = self.setup.protocol.start::<Exact>(&self.instance).unwrap();
        let mut log = Log::default();
        for reply in replies {
            state.reply(reply.clone(), &mut log).unwrap();
        }
        let view = DebateViewpoint {
            facts: &facts,
            state: &state,
            log: &log,
            reader: LogViewerRole::new(seat, self.setup.judge_sees),
            perspective: ViewerPerspective::of_seat(seat),
            newest: 0..0,
            marks: &[],
        };
        let script = FormulaCharacterSet::default();
        [
            reply_warning(&view, reply, script),
            decided_result_sentence(&view, script),
        ]
    }
}

fn bits(text: &str) -> Reply<Exact> {
    Reply::Bits(BitString::parse(text).unwrap())
}

#[test]
fn a_rejecting_last_configuration_gives_the_debate_up() {
    let table = Table::bundled("turing");
    let run = table.instance.run().unwrap();
    let honest = Reply::Bits(run.at(run.steps()).unwrap());
    let lie = Reply::Bits(run.accepting_configuration(&run.start()));
    let [warning, decided] = table.told(Seat::Prover, &[], &honest);
    assert_eq!(
        warning.unwrap(),
        "This reply loses for certain, regardless of later moves: the last configuration does not accept."
    );
    assert_eq!(decided, None);
    assert_eq!(table.told(Seat::Prover, &[], &lie), [None, None]);
    // After sending the losing configuration, Alice is informed that the debate is decided, and gets no further
    // warning.
    let [warning, lost] = table.told(Seat::Prover, std::slice::from_ref(&honest), &honest);
    assert_eq!(warning, None);
    assert!(
        lost.unwrap()
            .starts_with("The result is decided: you have lost, regardless of later moves")
    );
    let [_, won] = table.told(Seat::Opponent, std::slice::from_ref(&honest), &honest);
    assert!(won.unwrap().contains("you have won"));
    // Bits that are not a configuration are rejected at the end.
    let none = Reply::Bits(BitString::low_bits_of_number(u64::MAX, run.length()));
    assert!(!run.is_well_formed(&BitString::low_bits_of_number(u64::MAX, run.length())));
    let [warning, _] = table.told(Seat::Prover, &[lie], &none);
    assert!(
        warning
            .unwrap()
            .contains("are not a configuration of the machine")
    );
}

#[test]
fn two_wrong_halves_decide_the_debate_and_one_does_not() {
    let table = Table::bundled("turing");
    let run = table.instance.run().unwrap();
    let at = |time| Reply::Bits(run.at(time).unwrap());
    let lie = Reply::Bits(run.accepting_configuration(&run.at(64).unwrap()));
    // Selects the last half each time, down to the two steps from 62 to 64.
    let mut replies = vec![lie.clone()];
    for time in [32, 48, 56, 60, 62] {
        replies.extend([at(time), Reply::Select(1)]);
    }
    let [warning, _] = table.told(Seat::Prover, &replies, &at(63));
    assert_eq!(warning, None, "Bob may still choose the wrong half");
    let [warning, _] = table.told(Seat::Prover, &replies, &at(3));
    let told = warning.unwrap();
    assert!(
        told.contains("does not follow from the one before"),
        "{told}"
    );
}

#[test]
fn a_transcript_that_ends_in_0_gives_the_debate_up() {
    let table = Table::bundled("multiplier");
    let computation = table.instance.computation().unwrap();
    let truth = computation.transcript(&BitString::default()).unwrap();
    assert_eq!(truth.as_slice().last(), Some(&false));
    let [warning, _] = table.told(Seat::Prover, &[], &Reply::Bits(truth.clone()));
    let told = warning.unwrap();
    assert!(
        told.starts_with("This reply concedes the debate: Bob can win by pointing at no step")
            && told.contains("the output is 0"),
        "{told}"
    );
    // Bob may overlook a lie at an earlier step from which the later steps follow.
    let begun = truth.with_bit_flipped(25);
    let lie = computation
        .complete_transcript(&BitString::default(), &begun.as_slice()[..26])
        .unwrap();
    assert_eq!(lie.as_slice().last(), Some(&true));
    let [warning, _] = table.told(Seat::Prover, &[], &Reply::Bits(lie.clone()));
    assert_eq!(warning, None);
    // Finding the wrong step is Bob's task, so no warning is given.
    for step in [None, Some(3), Some(25)] {
        let told = table.told(
            Seat::Opponent,
            &[Reply::Bits(lie.clone())],
            &Reply::Challenge(step),
        );
        assert_eq!(told, [None, None]);
    }
}

fn quantified(verifier: &str) -> Table {
    Table::text(&format!(
        "Scenario(format: 1, title: \"t\", problem: Qbf(inline: \"p cnf 3 2\\ne 1 0\\na 2 0\\ne 3 0\\n\
         1 2 0\\n-1 3 0\\n\", names: {{1: \"walk\", 2: \"sun\", 3: \"boots\"}}), protocol: \
         Quantifiers(verifier: {verifier}))"
    ))
}

#[test]
fn a_clause_that_fails_is_named() {
    let direct = quantified("Direct");
    // Alice does not walk, and Bob lets the sun not shine: the first clause fails.
    let [warning, _] = direct.told(Seat::Opponent, &[bits("0")], &bits("0"));
    assert_eq!(warning, None, "it is Alice who loses by it");
    let [_, decided] = direct.told(Seat::Prover, &[bits("0"), bits("0")], &bits("0"));
    assert!(decided.unwrap().contains("you have lost"));
    let [warning, _] = direct.told(Seat::Prover, &[bits("1"), bits("0")], &bits("0"));
    assert_eq!(
        warning.unwrap(),
        "This reply loses for certain: “not walk or boots” fails with these values."
    );
    let [warning, _] = direct.told(Seat::Opponent, &[bits("0")], &bits("1"));
    assert_eq!(
        warning.unwrap(),
        "This reply loses for certain: every clause holds with these values."
    );
    // If a gate is checked instead, a false gate may be overlooked.
    let examined = quantified("CrossExamined");
    let [warning, _] = examined.told(Seat::Prover, &[bits("1"), bits("0")], &bits("0"));
    assert!(
        warning
            .unwrap()
            .ends_with("only if Bob overlooks a false gate.")
    );
    let replies = [bits("1"), bits("0"), bits("0")];
    assert_eq!(examined.told(Seat::Prover, &replies, &bits("1"))[1], None);
}

/// The verdict and the shown limit of a claim's probability agree: a number just above the limit is not “possible”.
#[test]
fn a_number_just_outside_the_range_is_nearly_consistent() {
    let percent = |value: i64| Exact::ratio(value, 10_000);
    let root = Table::bundled("parity").instance.root();
    let sentence = |next: i64| {
        let mut fit = EstimateConsistency::new(&Gate::All, 3, percent(9200));
        fit.record_estimate_and_return_unweighted_gap(&percent(9800));
        fit.update_consistency_with_coin(&percent(9800), true);
        let estimates = PartialSubclaimEstimates {
            claim: root,
            name: "“none of 50–65”".to_owned(),
            given: vec![percent(9800)],
            fit,
            multiplies: true,
            claim_forces_estimates: false,
        };
        estimates.implied_claim_probability_sentence(Some(&percent(next)))
    };
    assert_eq!(
        sentence(9380),
        "With 98 % and 93.8 %, “none of 50–65” is at most 91.92 %; your 92 % is nearly consistent."
    );
    assert!(sentence(9700).ends_with("your 92 % is possible."));
    assert!(sentence(9000).ends_with("your 92 % is too high."));
}

/// Estimates in whole percentages, each with the outcome of its coin, for the subclaims of a claim with three
/// subclaims.
fn estimates_of_three(gate: &Gate, stated: i64, given: &[(i64, bool)]) -> PartialSubclaimEstimates {
    let percent = |value: i64| Exact::ratio(value, 100);
    let mut fit = EstimateConsistency::new(gate, 3, percent(stated));
    let claim_forces_estimates = allows_only_claim_estimate(&fit);
    for (p, coin) in given {
        fit.record_estimate_and_return_unweighted_gap(&percent(*p));
        fit.update_consistency_with_coin(&percent(*p), *coin);
    }
    PartialSubclaimEstimates {
        claim: Table::bundled("parity").instance.root(),
        name: "the claim".to_owned(),
        given: given.iter().map(|(p, _)| percent(*p)).collect(),
        fit,
        multiplies: *gate == Gate::All,
        claim_forces_estimates,
    }
}

#[test]
fn only_a_certain_claim_forces_the_estimates_of_its_subclaims() {
    let forced = |gate: &Gate, stated: i64, given: &[(i64, bool)]| {
        estimates_of_three(gate, stated, given).estimate_forced_by_certain_claim()
    };
    let certain = [(100, true), (100, true)];
    for count in 0..=2 {
        assert_eq!(
            forced(&Gate::All, 100, &certain[..count]),
            Some(Exact::one())
        );
    }
    assert_eq!(forced(&Gate::Any, 0, &[(0, false)]), Some(Exact::zero()));
    // The last number of a claim that is not certain is for the user to find.
    assert_eq!(forced(&Gate::All, 0, &[(50, true), (50, true)]), None);
    assert_eq!(forced(&Gate::All, 99, &[]), None);
    assert_eq!(forced(&Gate::Any, 100, &[]), None);
    // After an inconsistent number, the claim no longer decides the next one.
    assert_eq!(forced(&Gate::All, 100, &[(50, false)]), None);
}

#[test]
fn an_input_that_refutes_alice_causes_a_warning() {
    let table = Table::bundled("parity");
    let mut state = table
        .setup
        .protocol
        .start::<Exact>(&table.instance)
        .unwrap();
    // Alice and Bob select the first part each time; Alice's last selection ends the debate.
    let mut replies = Vec::new();
    let mut warned = 0;
    while let Some(turn) = state.request() {
        let reply = match turn.request {
            Request::Answer { .. } => Reply::Answer(true),
            _ => Reply::Select(0),
        };
        let [warning, decided] = table.told(turn.seat, &replies, &reply);
        assert_eq!(decided, None);
        state.reply(reply.clone(), &mut ()).unwrap();
        let lost = state.request().is_none() && loses(Seat::Prover, &state.payoff());
        assert_eq!(warning.is_some(), lost && turn.seat == Seat::Prover);
        warned += usize::from(warning.is_some());
        replies.push(reply);
    }
    assert!(warned <= 1);
}

#[test]
fn a_contradiction_of_an_earlier_reply_causes_a_warning() {
    let table = Table::text(
        "Scenario(format: 1, title: \"t\", problem: Argument(root: \"r\", claims: {\
         \"r\": Claim(text: \"The root.\", supports: [Support(gate: All, on: [\"a\", \"b\"])]), \
         \"a\": Claim(text: \"One.\", supports: [Support(gate: Any, on: [\"b\", \"c\"])]), \
         \"b\": Claim(text: \"Two.\", truth: true), \
         \"c\": Claim(text: \"Three.\", truth: true)}), protocol: Recursive)",
    );
    let replies = [
        Reply::Answer(true),
        Reply::Support(0),
        bits("11"),
        Reply::Select(0),
        Reply::Support(0),
    ];
    let [warning, _] = table.told(Seat::Prover, &replies, &bits("01"));
    assert_eq!(
        warning.unwrap(),
        "You said earlier that “Two.” is true. This reply says that it is false."
    );
    assert_eq!(table.told(Seat::Prover, &replies, &bits("11"))[0], None);
}

/// Plays rounds 1 and 2 of `primes` and returns the line of given coins before each estimate of a subclaim. Alice
/// continues with the subclaim `chosen`; the coins of the root and of the estimates numbered in `no` say no.
fn given_lines(chosen: u32, no: &[usize], max_words: usize) -> Vec<String> {
    let table = Table::bundled("primes");
    let narrator = DebateNarrator::new(&table.instance, FormulaCharacterSet::default());
    let mut state = table
        .setup
        .protocol
        .start::<Exact>(&table.instance)
        .unwrap();
    let mut log = Log::default();
    let mut lines = Vec::new();
    while let Some(turn) = state.request() {
        if turn.request.index_among_siblings().is_some() {
            let line = narrator.given_coins_line(&turn.request, &log, max_words);
            lines.push(line.unwrap_or_default());
        }
        let reply = match turn.request {
            Request::Answer { .. } => Reply::Answer(true),
            Request::Probability { place: None, .. } => Reply::Probability(Exact::zero()),
            Request::Probability { .. } => Reply::Probability(Exact::ratio(3, 4)),
            Request::Direction { .. } => Reply::Direction(debate_core::protocol::Bet::TooLow),
            Request::Support { .. } => Reply::Support(0),
            Request::Select { .. } if lines.len() > 4 => break,
            Request::Select { .. } => Reply::Select(chosen),
            _ => Reply::Drawn(u64::from(!lines.is_empty() && !no.contains(&lines.len()))),
        };
        state.reply(reply, &mut log).unwrap();
    }
    lines
}

/// The posterior depends on the coins before each chosen claim, so the line with the coins names them in later rounds.
#[test]
fn the_given_line_names_the_coins_before_the_chosen_claim() {
    assert_eq!(
        given_lines(2, &[], 13),
        [
            "",
            "Given: “none of 7–67” yes.",
            "Given: “none of 7–67” yes, “none of 71–149” yes.",
            "Given: “none of 7–67” yes, “none of 71–149” yes, “none of 151–233” yes.",
            "Given: “none of 7–67” yes, “none of 71–149” yes.",
            "Given: “none of 7–67” yes, “none of 71–149” yes, “none of 151–167” yes.",
            "Given: 2 yes in this round; 2 yes in earlier rounds.",
            "Given: 3 yes in this round; 2 yes in earlier rounds.",
        ]
    );
}

/// If Alice continues with the first subclaim, no coin counts for the next estimate. The line then says so, because the
/// board still shows the coins of the round before. The only coin that said no is named.
#[test]
fn the_given_line_says_that_no_coin_counts() {
    let lines = given_lines(0, &[3], 12);
    assert_eq!(
        lines[3],
        "Given: “none of 151–233” no, 2 others yes in this round."
    );
    assert_eq!(lines[4], "Given: no earlier coin counts.");
}

/// The briefing of `primes` says that exactly one of the 64 primes divides a composite number.
#[test]
fn one_candidate_divides_each_composite_number_of_primes() {
    let setup = LoadedScenario::find_scenario("primes", &ScenarioLimits::default()).unwrap();
    let briefing = setup.briefing.text_of_seat(Seat::Opponent).unwrap();
    assert!(briefing.contains("exactly one of the 64 primes from 7 to 331"));
    let is_prime = |n: u32| {
        (2..n)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
    };
    let candidates: Vec<u32> = (7..=331).filter(|n| is_prime(*n)).collect();
    assert_eq!(candidates.len(), 64);
    let mut composites = 0;
    for world in setup.decomposition.worlds() {
        let number: u32 = world.name.parse().unwrap();
        let divisors = candidates
            .iter()
            .filter(|p| number.is_multiple_of(**p))
            .count();
        assert_eq!(divisors, usize::from(!is_prime(number)), "{number}");
        composites += divisors;
    }
    assert_eq!(composites, 64);
}
