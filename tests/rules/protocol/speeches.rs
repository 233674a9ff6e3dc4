use std::sync::Arc;

use debate_core::number::{Exact, Number as _};
use debate_core::protocol::speeches::{
    JudgeScoring, judge_probabilities_by_round, rounds_heard_by_judge,
};
use debate_core::protocol::{IllegalReply, Log, Protocol, Reply, Rules as _, Seat, State};
use debate_core::scenario::{
    DebateQuestionSpec, Instance, Oracle, ScenarioValuePath, Speech, SpeechError, TwoAnswerQuestion,
};

fn instance() -> Instance {
    let spec = DebateQuestionSpec {
        text: "Did the doctor lie?".to_owned(),
        answers: ["Yes".to_owned(), "No".to_owned()],
        source: "The doctor said that he had not slept. He had slept well.".to_owned(),
        correct: Some(0),
        material: None,
    };
    let question =
        TwoAnswerQuestion::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap();
    Instance::new(Arc::new(question), 0, Oracle::Truth)
}

fn p(top: i64, bottom: i64) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(top, bottom))
}

fn say(text: &str) -> Reply<Exact> {
    Reply::Speech(Box::new(Speech::parse(text).unwrap()))
}

/// Plays replies; each must be legal.
fn play<'a>(
    protocol: &str,
    instance: &'a Instance,
    replies: &[Reply<Exact>],
) -> (State<'a, Exact>, Log<Exact>) {
    let protocol = Protocol::parse(protocol).unwrap();
    let mut debate = protocol.start(instance).unwrap();
    let mut log = Log::default();
    for reply in replies {
        debate.reply(reply.clone(), &mut log).unwrap();
    }
    (debate, log)
}

#[test]
fn the_first_debater_receives_the_last_probability_minus_one_half() {
    let instance = instance();
    let replies = [
        p(1, 2),
        say(""),
        say("He <quote>had slept well</quote>."),
        say("He said so."),
        p(3, 5),
        say("Why would he?"),
        Reply::Continue(true),
        say("To be sent home."),
        say("No."),
        p(17, 20),
        say(""),
        Reply::Continue(false),
    ];
    let (debate, log) = play("Speeches", &instance, &replies);
    assert_eq!(debate.request(), None);
    assert_eq!(debate.payoff(), Exact::ratio(7, 20));
    assert_eq!(debate.finding(), Some(true));
    let half = (0, Exact::ratio(1, 2));
    let later = [(1, Exact::ratio(3, 5)), (2, Exact::ratio(17, 20))];
    assert_eq!(
        judge_probabilities_by_round(&log),
        [&[half], &later[..]].concat()
    );
    assert_eq!(rounds_heard_by_judge(&log), 2);
    let score = JudgeScoring::default().judge_score(0.85, 2);
    assert!((score - (-0.334_465_253_637_023)).abs() < 1e-12, "{score}");
}

#[test]
fn speeches_of_one_round_are_sealed_until_both_are_in() {
    let instance = instance();
    let rules = "Speeches(simultaneous: true, in_turn_from: 2, judge_feedback: false)";
    let first = [p(1, 2), say("one"), say("two")];
    let hidden = |log: &Log<Exact>, seat: Seat| {
        let seen = log.all_observations(Some(seat));
        seen.map(|entry| usize::from(entry.is_reply_content_sealed()))
            .sum::<usize>()
    };
    let (_, log) = play(rules, &instance, first.get(..2).unwrap());
    let seen = [Seat::Prover, Seat::Opponent, Seat::Judge].map(|seat| hidden(&log, seat));
    assert_eq!(seen, [0, 1, 1]);
    let (_, log) = play(rules, &instance, &first);
    assert_eq!(hidden(&log, Seat::Opponent), 0);
    let next = [p(1, 2), Reply::Continue(true), say("three")];
    let (_, log) = play(rules, &instance, &[&first[..], &next].concat());
    assert_eq!(hidden(&log, Seat::Opponent), 0);
}

#[test]
fn a_consultant_is_alone_and_may_argue_for_the_second_answer() {
    let instance = instance();
    let rules = "Speeches(rounds: 1, consultant: Second)";
    let replies = [p(1, 2), say(""), say("He did not."), p(1, 5), say("")];
    let (debate, _) = play(rules, &instance, &replies);
    assert_eq!(debate.request(), None);
    assert_eq!(debate.payoff(), Exact::ratio(3, 10));
    assert_eq!(debate.answer(), Some(false));
    assert_eq!(debate.finding(), Some(false));
}

#[test]
fn a_judge_who_is_asked_at_the_end_is_asked_once() {
    let instance = instance();
    let rules = "Speeches(rounds: 2, judged: AtEnd, judge_feedback: false)";
    let replies = [say("a"), say("b"), say("c"), say("d"), p(1, 1)];
    let (debate, log) = play(rules, &instance, &replies);
    assert_eq!(debate.request(), None);
    assert_eq!(
        judge_probabilities_by_round(&log),
        [(2, Exact::ratio(1, 1))]
    );
    let rules = "Speeches(judged: EachRound, judge_feedback: false)";
    let replies = [say("a"), say("b"), p(1, 2), Reply::Continue(false)];
    let (debate, log) = play(rules, &instance, &replies);
    assert_eq!((debate.request(), rounds_heard_by_judge(&log)), (None, 1));
    assert_eq!(debate.finding(), None);
}

#[test]
fn illegal_speeches_have_no_effect() {
    let instance = instance();
    let rules = "Speeches(speech_limit: 5, quote_limit: 4, feedback_limit: 3, quotes: Strict)";
    let (mut debate, mut log) = play(rules, &instance, &[p(1, 2), say("abc")]);
    let before = (debate.request(), log.entries().len());
    let mut refused = |reply| debate.reply(reply, &mut log).unwrap_err();
    let given = 6;
    let long = SpeechError::TooLong { given, most: 5 };
    assert_eq!(refused(say("abcdef")), IllegalReply::Speech(long));
    let not_there = refused(say("<quote>ill</quote>"));
    assert!(matches!(
        not_there,
        IllegalReply::Speech(SpeechError::NotInSource { .. })
    ));
    assert!(matches!(refused(p(1, 2)), IllegalReply::Kind { .. }));
    assert_eq!((debate.request(), log.entries().len()), before);
}

/// The last speech of a log.
fn last_speech(log: &Log<Exact>) -> String {
    let mut speeches = log.entries().iter().filter_map(|it| it.event.speech());
    speeches.next_back().unwrap().to_string()
}

#[test]
fn near_quotes_become_the_source_words_and_others_are_marked() {
    let instance = instance();
    for (given, shown) in [
        (
            "<quote>he had SLEPT well</quote>",
            "<quote>He had slept well</quote>",
        ),
        (
            "<quote>He had  slept\nwell.</quote>",
            "<quote>He had slept well.</quote>",
        ),
        (
            "<quote>he had not slept. he</quote>",
            "<quote>he had not slept. He</quote>",
        ),
        (
            "<quote>the doctor said.</quote>",
            "<quote>The doctor said</quote>",
        ),
        (
            "So: <quote>he was ill</quote>!",
            "So: “he was ill” [not in the source]!",
        ),
        ("<quote>...</quote>", "“...” [not in the source]"),
        ("<quote>.</quote>", "<quote>.</quote>"),
    ] {
        for rules in ["Speeches", "Speeches(quotes: Lenient)"] {
            let (_, log) = play(rules, &instance, &[p(1, 2), say(""), say(given)]);
            assert_eq!(last_speech(&log), shown, "{given}");
        }
    }
    // A quote that is not in the source does not count as a quote.
    let (mut debate, mut log) = play("Speeches(quote_limit: 3)", &instance, &[p(1, 2), say("")]);
    let refused = |debate: &mut State<'_, Exact>, log: &mut Log<Exact>, text: &str| {
        debate.reply(say(text), log).unwrap_err()
    };
    for text in ["<quote>lie!</quote>", "<quote> </quote>", "\u{1b}"] {
        let illegal = refused(&mut debate, &mut log, text);
        assert!(matches!(illegal, IllegalReply::Speech(_)), "{text:?}");
    }
    let many = "<quote>he</quote>".repeat(1001);
    let (mut debate, mut log) = play("Speeches", &instance, &[p(1, 2), say("")]);
    assert_eq!(
        refused(&mut debate, &mut log, &many),
        IllegalReply::Speech(SpeechError::TooManyQuotes { given: 1001 })
    );
}

#[test]
fn parameters_out_of_range_are_refused() {
    for wrong in [
        "Speeches(rounds: 0, consultant: First)",
        "Speeches(rounds: 1001)",
        "Speeches(in_turn_from: 2)",
        "Speeches(simultaneous: true, in_turn_from: 1)",
        "Speeches(speech_limit: 0)",
        "Speeches(scoring: Log2(per_continue: -1))",
        "Speeches(scoring: Brier)",
        "Speeches(turns: 3)",
        "Speeches(judged: AtEnd)",
    ] {
        assert!(Protocol::parse(wrong).is_err(), "{wrong}");
    }
    for right in [
        "Speeches",
        "Speeches(rounds: 3, simultaneous: true, judge_feedback: false)",
        "Speeches(consultant: Second, scoring: Log2(per_continue: 0.1))",
    ] {
        assert_eq!(Protocol::parse(right).unwrap().to_string(), right);
    }
}
