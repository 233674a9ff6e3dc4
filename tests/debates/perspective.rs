//! Every golden playthrough from every seat: no player reads their own name, and every figure is the amount that their
//! seat receives. The parts of the payoff add up to it.

use std::ops::Range;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, format_rounded_with_sign};
use debate_core::player::{PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{Event, LogViewerRole, Round, Rules as _, Seat};
use debate_core::scenario::JudgeSees;
use debate_solver::analysis::review::{LastJudgeVerdict, ReviewContext};
use debate_text::review;
use debate_text::transcript::TranscriptFormatter;
use debate_text::{
    ClaimTree, DebateDescription, DebateViewpoint, Line, RewardTable, RoundPaymentStatus,
    closing_lines, judge_record_sentence, report, status,
};
use debate_text::{DebateNarrator, FormulaCharacterSet, PayoffFormatter, ViewerPerspective};

use crate::debates::golden::{Golden, PLAYED};

const SCRIPT: FormulaCharacterSet = FormulaCharacterSet::Unicode;

/// The text of an entry, starting with its label.
fn text(entry: &Line) -> String {
    let body = entry.body.iter().map(|span| &*span.text);
    format!("{}: {}", entry.label, body.collect::<String>())
}

/// Checks that a folded tree shows some of its claims in the same order, including the claim under discussion. After
/// unfolding, each claim has its old row.
fn check_fold(tree: &mut ClaimTree) {
    let claims = |tree: &ClaimTree| {
        (0..tree.row_count())
            .map(|row| tree.claim(row))
            .collect::<Vec<_>>()
    };
    let all = claims(tree);
    let asked = tree.claim(tree.row_of_claim_of_request());
    tree.set_claims_beside_path_hidden(true, 0);
    let folded = claims(tree);
    let mut rest = all.iter();
    assert!(folded.iter().all(|claim| rest.any(|other| other == claim)));
    assert_eq!(tree.claim(tree.row_of_claim_of_request()), asked);
    assert_eq!(tree.has_folded_claims(), folded.len() < all.len());
    for (row, claim) in folded.iter().enumerate() {
        let open = tree.set_claims_beside_path_hidden(false, row);
        assert_eq!(tree.claim(open), *claim);
        assert_eq!(tree.set_claims_beside_path_hidden(true, open), row);
    }
    tree.set_claims_beside_path_hidden(false, 0);
    assert_eq!(claims(tree), all);
}

/// All texts that the player of a seat can currently read about a debate, without formulas.
#[expect(clippy::too_many_lines, reason = "a list of all texts")]
fn read_by(seat: Seat, golden: &Golden, seating: &SeatedDebate<'_, Exact>) -> Vec<String> {
    let perspective = ViewerPerspective::of_seat(seat);
    let facts = DebateDescription {
        players: Seat::PLAYERS
            .map(|other| if other == seat { "human" } else { "random(1)" }.to_owned()),
        ..DebateDescription::new(&golden.instance, &golden.protocol)
    };
    let view = DebateViewpoint {
        facts: &facts,
        state: seating.state(),
        log: seating.log(),
        reader: match seating.turn() {
            Some(_) => LogViewerRole::new(seat, JudgeSees::Transcript),
            None => LogViewerRole::ALL,
        },
        perspective,
        newest: Range::default(),
        marks: &[],
    };
    let mut rewards = RewardTable::new(&view, &seating.state().schedule());
    rewards.read_new_log_entries(&view);
    let mut tree = ClaimTree::new(&view);
    tree.read_new_log_entries(&view);
    let narrator = view.narrator(SCRIPT);
    let mut texts = Vec::new();
    for piece in status::status_texts(&view, &rewards, SCRIPT) {
        texts.push(piece);
    }
    for number in 0..tree.row_count() {
        let row = tree.row(&view, number, SCRIPT).expect("a row");
        texts.extend([row.text.clone(), row.prover_response_and_outcome_text()]);
    }
    check_fold(&mut tree);
    let amounts = PayoffFormatter::formatter_in_points_of_schedule(&seating.state().schedule())
        .with_perspective(perspective);
    for row in rewards.rows(&view) {
        texts.push(format!("{} {}", row.bet, row.outcome));
        if let RoundPaymentStatus::Paid(value) = &row.payment {
            let (figure, own) = (
                amounts.signed_for_viewer(value),
                perspective.value(value.clone()),
            );
            let signs = [own > Exact::default(), own < Exact::default()];
            assert_eq!(
                ['+', '-'].map(|sign| figure.contains(sign)),
                signs,
                "{figure}"
            );
        }
    }
    // With plain amounts as in files, and with points as on the screen.
    for in_points in [false, true] {
        let transcript = TranscriptFormatter {
            view: view.clone(),
            script: SCRIPT,
            in_points,
            brief: None,
            withheld: usize::MAX,
        };
        for number in 0..seating.log().entries().len() {
            let event = &seating.log().entries()[number].event;
            let entry = transcript.entry_line(number);
            let mut told = text(&entry);
            if let Event::Rewarded(reward) = event {
                // The formula follows the text.
                let formula = narrator.reward_formula(reward);
                let value = perspective.value(reward.payment_to_prover());
                let end = if value == Exact::default() {
                    "0".to_owned()
                } else {
                    format_rounded_with_sign(value.to_float(), 4)
                };
                assert!(formula.ends_with(&format!(" {end}")), "{formula}: {end}");
                told = told.replace(&formula, "");
            }
            if let Event::BetPlaced { .. } = event {
                // The amount of a bet is not a reward.
                told = told.replace("(+1)", "").replace("(-1)", "");
            }
            texts.push(told);
        }
    }
    match seating.turn() {
        Some(turn) if turn.seat == seat => {
            let question = narrator.pending_question(&turn, seating.log());
            texts.push(question.title.to_owned());
            texts.push(question.text);
        }
        Some(turn) => texts.push(narrator.pending_action(&turn.request)),
        None => {
            texts.extend(closing_lines(
                seating,
                &golden.instance,
                &PayoffFormatter::in_unit_of_rules(perspective),
            ));
            let ledger = seating.spending_by_seat();
            let rounded = PayoffFormatter::formatter_with_three_digits(perspective);
            let formulas: Vec<String> = rewards_of(seating)
                .map(|reward| narrator.reward_formula(reward))
                .collect();
            let report = report::debate_report(&view, &rewards, &ledger, None, &rounded);
            let told = report.iter().map(text);
            texts
                .extend(told.filter(|told| !formulas.iter().any(|formula| told.contains(formula))));
        }
    }
    texts
}

fn rewards_of<'s>(
    seating: &'s SeatedDebate<'_, Exact>,
) -> impl Iterator<Item = &'s debate_core::protocol::Reward<Exact>> {
    seating.log().paid_rewards()
}

/// A text without its quotations, which may contain any words of a scenario.
fn unquoted(text: &str) -> String {
    let mut left = String::new();
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '“' => depth += 1,
            '”' => depth -= 1,
            c if depth == 0 => left.push(c),
            _ => {}
        }
    }
    left
}

/// Words that refer to a seat in the third person.
fn third_person(seat: Seat) -> &'static [&'static str] {
    match seat {
        Seat::Prover => &["Alice", "she", "She", "her", "Her"],
        Seat::Opponent => &["Bob", "he", "He", "him", "his", "His"],
        _ => &["judge", "Judge"],
    }
}

fn is_told_to(seat: Seat, text: &str) {
    let left = unquoted(text);
    let mut told = left.split(|c: char| !c.is_alphabetic());
    let named = told.find(|word| third_person(seat).contains(word));
    assert_eq!(named, None, "to the {seat}: {text}");
}

/// All figures with a sign that a text may contain: rewards and their sums, as the seat receives them.
fn figures(seat: Seat, seating: &SeatedDebate<'_, Exact>) -> Vec<String> {
    let each = rewards_of(seating).map(debate_core::protocol::Reward::payment_to_prover);
    let mut values: Vec<Exact> = each.collect();
    values.push(seating.state().payoff());
    let mut told = Vec::new();
    for value in values {
        let own = ViewerPerspective::of_seat(seat).value(value.clone());
        let points = PayoffFormatter::formatter_in_points_of_schedule(&seating.state().schedule());
        let points = points.with_perspective(ViewerPerspective::of_seat(seat));
        told.push(points.format_with_sign(&own));
        if seat == Seat::Judge {
            told.push(points.format_with_sign(&-own.clone()));
        }
        let own = own.to_float();
        for digits in 2..=4 {
            told.push(format_rounded_with_sign(own, digits));
            // A judge receives no reward and reads the rewards of both debaters.
            if seat == Seat::Judge {
                told.push(format_rounded_with_sign(-own, digits));
            }
        }
    }
    told
}

fn has_own_signs(seat: Seat, text: &str, figures: &[String]) {
    let text = unquoted(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    for (place, word) in words.iter().enumerate() {
        // A judge's score is not a payoff.
        if words
            .get(place + 1)
            .is_some_and(|unit| unit.starts_with("bits"))
        {
            continue;
        }
        let word = word.trim_matches(|c: char| "():;,.".contains(c));
        let is_signed = word.starts_with(['+', '-', '−']) && word.len() > 1;
        let number = word.trim_start_matches(['+', '-', '−']).parse::<f64>();
        if is_signed && number.is_ok() {
            assert!(
                figures.iter().any(|figure| figure == word),
                "to the {seat}: {word} in {text:?}, not among {figures:?}"
            );
        }
    }
}

#[test]
fn sentences_address_the_seat_that_looks() {
    let (mut sentences, mut signs) = (0, 0);
    for (name, players, seed) in PLAYED {
        let golden = Golden::new(name, players, seed);
        let mut seating = golden.seating();
        loop {
            for seat in Seat::PLAYERS {
                let figures = figures(seat, &seating);
                for text in read_by(seat, &golden, &seating) {
                    is_told_to(seat, &text);
                    // Amounts that can still be won or lost appear with both signs.
                    if !text.contains("One reward, at the end") {
                        has_own_signs(seat, &text, &figures);
                    }
                    sentences += 1;
                    signs += usize::from(text.contains(" to you"));
                }
            }
            if seating.turn().is_none() {
                break;
            }
            seating.make_automatic_move().expect("it goes on");
        }
    }
    assert!(sentences > 3000 && signs > 50, "{sentences} {signs}");
}

/// A scenario's lesson is about its own players. If another player had a seat that the lesson names, a sentence says so.
#[test]
fn a_lesson_about_other_players_names_them() {
    let (name, players, seed) = &PLAYED[0];
    let golden = Golden::new(name, players, seed);
    let lesson = |player: &str, debrief: &str| {
        let facts = DebateDescription {
            debrief: debrief.to_owned(),
            scenario_players: ["errs(+, -)", "bayes", "oracle"].map(str::to_owned),
            players: [player, "bayes", "oracle"].map(str::to_owned),
            ..DebateDescription::new(&golden.instance, &golden.protocol)
        };
        facts.debrief_with_remark()
    };
    let about_errs = "`errs` bets on the sign.";
    for player in ["errs(-, -)", "errs", "human", ""] {
        assert_eq!(lesson(player, about_errs), about_errs);
    }
    assert_eq!(
        lesson("honest", about_errs),
        "In this debate, Alice was `honest`; the following text is about the scenario's own player, `errs`. \
         `errs` bets on the sign."
    );
    let about_nobody = "The number is composite.";
    assert_eq!(lesson("honest", about_nobody), about_nobody);
}

/// While the screen still shows a move, the table is behind the log. A round whose payment it has not read is not shown
/// as skipped, and no round as larger than all others together.
#[test]
fn a_round_is_skipped_only_after_the_table_has_read_the_log() {
    let mut rows_behind = 0;
    for (name, players, seed) in PLAYED {
        let golden = Golden::new(name, players, seed);
        let facts = DebateDescription::new(&golden.instance, &golden.protocol);
        let mut seating = golden.seating();
        let schedule = seating.state().schedule();
        let mut rewards: Option<RewardTable> = None;
        loop {
            let view = DebateViewpoint {
                facts: &facts,
                state: seating.state(),
                log: seating.log(),
                reader: LogViewerRole::ALL,
                perspective: ViewerPerspective::NEUTRAL,
                newest: Range::default(),
                marks: &[],
            };
            let rewards = rewards.get_or_insert_with(|| RewardTable::new(&view, &schedule));
            let behind = rewards.rows(&view);
            rewards.read_new_log_entries(&view);
            let is_over = seating.turn().is_none();
            for (row, behind) in rewards.rows(&view).into_iter().zip(behind) {
                let is_paid_by_last_move = matches!(row.payment, RoundPaymentStatus::Paid(_))
                    && !matches!(behind.payment, RoundPaymentStatus::Paid(_));
                if is_paid_by_last_move {
                    assert_ne!(behind.payment, RoundPaymentStatus::Skipped, "{name}");
                    assert!(!behind.dominant, "{name}");
                    rows_behind += 1;
                }
                assert!(is_over || !row.dominant, "{name}");
            }
            if is_over {
                break;
            }
            seating.make_automatic_move().expect("it goes on");
        }
    }
    assert!(rows_behind > 10, "{rows_behind}");
}

/// A heading numbers rounds like the schedule, as do the screen's first line, the home screen and the rewards.
#[test]
fn a_round_has_one_number() {
    let mut headings = 0;
    for (name, players, seed) in PLAYED {
        let golden = Golden::new(name, players, seed);
        let mut seating = golden.seating();
        while seating.turn().is_some() {
            seating.make_automatic_move().expect("it goes on");
        }
        let Some(first) = Round::first_of(&seating.state().schedule()) else {
            continue;
        };
        let narrator = DebateNarrator::new(&golden.instance, SCRIPT);
        for (number, entry) in seating.log().entries().iter().enumerate() {
            let Event::Entered { round, .. } = entry.event else {
                continue;
            };
            let heading = narrator.narrate(seating.log(), number, LogViewerRole::ALL);
            let heading = heading.expect("a heading").text;
            // The number of free speeches is not known in advance.
            if golden.instance.as_two_answer_question().is_some() {
                continue;
            }
            let (counted, last) = (
                Round::round_ordinal(round, first),
                Round::round_ordinal(0, first),
            );
            let expected = format!("Round {counted} of {last}");
            assert!(
                heading.starts_with(&expected),
                "{name}: {expected}, not {heading}"
            );
            headings += 1;
        }
    }
    assert!(headings > 20, "{headings}");
}

/// The golden playthroughs whose review takes seconds if Alice is a human player: it searches all bits that she could
/// write.
const SLOW_FOR_ALICE: [&str; 2] = ["bisection", "cross-examination-witness"];

/// True for each debater who is a human player; strategies that played hold the other seats.
type People = [bool; 2];

const ALL_PEOPLE: [People; 4] = [[false, false], [true, false], [false, true], [true, true]];

/// The reviews of a debate with these human players.
fn reviews(golden: &Golden, players: &[&str; 3], people: &[People]) -> Vec<ReviewContext> {
    let mut cases = Vec::new();
    for people in people {
        let mut sits = players.map(|player| PlayerSpec::parse(player).expect("a player"));
        for (spec, person) in sits.iter_mut().zip(people) {
            if *person {
                *spec = PlayerSpec::without_arguments("human");
            }
        }
        cases.push(ReviewContext::new(
            &golden.instance,
            &golden.protocol,
            sits,
            Default::default(),
            StrategyRegistry::registry_with_builtin_players(),
        ));
    }
    cases
}

/// Checks the parts of the payoff of each golden playthrough, for the human players that `chosen` returns for its name.
fn check_payoff_parts(chosen: impl Fn(&str) -> Vec<People>) {
    let mut told = 0;
    for (name, players, seed) in PLAYED {
        let golden = Golden::new(name, players, seed);
        let mut seating = golden.seating();
        while seating.turn().is_some() {
            seating.make_automatic_move().expect("it goes on");
        }
        let payoff = seating.state().payoff();
        for case in reviews(&golden, players, &chosen(name)) {
            let found = case.review_moves(seating.moves(), ComputationBudget::default());
            let found = found.unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(found.payoff, payoff, "{name}");
            let Some(parts) = &found.parts else { continue };
            assert_eq!(parts.total_payoff(), payoff, "{name}");
            for seat in Seat::PLAYERS {
                let amounts =
                    PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(seat));
                let line = review::payoff_parts_text(&found, &amounts).expect("there are parts");
                let last = format!("last claim {}", amounts.signed_for_viewer(&parts.last));
                assert!(line.ends_with(&last), "{name}: {line}");
                told += 1;
            }
        }
    }
    assert!(told > 0);
}

#[test]
fn payoff_parts_have_the_sign_of_each_seat() {
    check_payoff_parts(|name| {
        let mut people = ALL_PEOPLE.to_vec();
        people.retain(|[alice, _]| !alice || !SLOW_FOR_ALICE.contains(&name));
        people
    });
}

#[test]
#[ignore = "exhaustive: 15 s; every day: payoff_parts_have_the_sign_of_each_seat"]
fn payoff_parts_have_the_sign_of_each_seat_if_alice_searches_all_bits() {
    check_payoff_parts(|name| {
        if SLOW_FOR_ALICE.contains(&name) {
            ALL_PEOPLE.to_vec()
        } else {
            // One playthrough with parts, so that the check for their existence passes.
            vec![[true, false]]
        }
    });
}

/// A judge reads at the end whether the verdict was right; nobody else reads it.
#[test]
fn judges_hear_whether_they_were_right() {
    let mut heard = 0;
    for (name, players, seed) in PLAYED {
        let golden = Golden::new(name, players, seed);
        let mut seating = golden.seating();
        while seating.turn().is_some() {
            seating.make_automatic_move().unwrap();
        }
        let lines = |seat: Seat| {
            let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(seat));
            closing_lines(&seating, &golden.instance, &amounts)
        };
        let is_praise = |line: &String| line.starts_with("You were right");
        let is_blame = |line: &String| line.starts_with("You were wrong");
        let verdict =
            LastJudgeVerdict::last_verdict(seating.state(), seating.log(), &golden.instance);
        let is_right = verdict.and_then(|verdict| verdict.is_right);
        let own = lines(Seat::Judge);
        assert_eq!(
            own.iter().any(is_praise),
            is_right == Some(true),
            "{name}: {own:?}"
        );
        assert_eq!(
            own.iter().any(is_blame),
            is_right == Some(false),
            "{name}: {own:?}"
        );
        let others = lines(Seat::Opponent);
        assert!(!others.iter().any(|line| is_praise(line) || is_blame(line)));
        heard += usize::from(is_right.is_some());
    }
    assert!(heard > 2, "{heard}");
}

#[test]
fn a_record_of_verdicts_counts_and_averages() {
    assert_eq!(judge_record_sentence(0, 0, &[]), None);
    let seven = judge_record_sentence(7, 9, &[0.9, 0.7]).unwrap();
    let expected = "As the judge you were right in 7 of 9 verdicts; mean stated certainty 80 %.";
    assert_eq!(seven, expected);
    let one = judge_record_sentence(1, 1, &[]).unwrap();
    assert_eq!(one, "As the judge you were right in 1 of 1 verdict.");
}
