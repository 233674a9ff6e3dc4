use std::sync::Arc;

use debate_core::number::{Exact, Number as _};
use debate_core::player::speeches::{
    PreparedSpeechDebater, QuoteLengthJudge, SpeechDebaterStrategy,
};
use debate_core::player::{Policy, StrategyMemoryAndCosts};
use debate_core::protocol::{
    Protocol, Reply, Request, Rules as _, Seat, SpeechDebate, State, View,
};
use debate_core::scenario::{
    DebateQuestionSpec, Instance, Oracle, PreparedReplyToJudge, PreparedSpeechesSpec,
    QuotableSource, QuoteRule, ScenarioValuePath, Speech, SpeechCharacterLimits, SpeechError,
    TwoAnswerQuestion,
};

fn question(spec: DebateQuestionSpec) -> Instance {
    let question = TwoAnswerQuestion::build(spec, &ScenarioValuePath::default()).unwrap();
    Instance::new(Arc::new(question), 0, Oracle::Truth)
}

fn start<'a>(instance: &'a Instance, protocol: &str) -> State<'a, Exact> {
    let protocol = Protocol::parse(protocol).unwrap();
    protocol.start(instance).unwrap()
}

fn say(text: &str) -> Reply<Exact> {
    Reply::Speech(Box::new(Speech::parse(text).unwrap()))
}

/// A player's reply to a request in the current debate.
fn reply<P>(
    player: &P,
    debate: &State<'_, Exact>,
    seat: Seat,
    request: &Request<Exact>,
) -> Reply<Exact>
where
    P: for<'a> Policy<Exact, SpeechDebate<'a, Exact>>,
{
    let view = View::new(debate, seat).under().unwrap();
    let choice = player.choose(view, request, &mut StrategyMemoryAndCosts::default());
    choice.unwrap().reply_for_draw(|| 0)
}

/// The speeches of a debater who argues for an answer, round by round; all other speeches are empty.
fn speeches<P>(
    player: &P,
    instance: &Instance,
    answer: u8,
    limits: SpeechCharacterLimits,
    rounds: usize,
) -> Vec<String>
where
    P: for<'a> Policy<Exact, SpeechDebate<'a, Exact>>,
{
    let argues_for = Some(answer);
    let own = Request::Speech { argues_for, limits };
    let mut debate = start(
        instance,
        "Speeches(rounds: 9, judged: AtEnd, judge_feedback: false)",
    );
    let mut made = Vec::new();
    while made.len() < rounds {
        let turn = debate.request().expect("nine rounds");
        if turn.seat == Seat::Prover {
            let Reply::Speech(speech) = reply(player, &debate, Seat::Prover, &own) else {
                panic!("a debater speaks");
            };
            made.push(speech.to_string());
        }
        debate.reply(say(""), &mut ()).unwrap();
    }
    made
}

#[test]
fn a_swayed_judge_counts_characters() {
    let quote = "x".repeat(100);
    let instance = question(DebateQuestionSpec {
        text: "Who?".to_owned(),
        answers: ["She".to_owned(), "He".to_owned()],
        source: quote.clone(),
        correct: None,
        material: None,
    });
    let mut debate = start(
        &instance,
        "Speeches(judged: EachRound, judge_feedback: false)",
    );
    let held = |debate: &State<'_, Exact>| {
        let request = debate.request().unwrap().request;
        reply(&QuoteLengthJudge, debate, Seat::Judge, &request)
    };
    debate.reply(say(""), &mut ()).unwrap();
    debate
        .reply(say(&format!("<quote>{quote}</quote>")), &mut ())
        .unwrap();
    assert_eq!(held(&debate), Reply::Probability(Exact::ratio(1, 4)));
    debate.reply(held(&debate), &mut ()).unwrap();
    assert_eq!(held(&debate), Reply::Continue(true));
}

#[test]
fn recorded_speeches_are_given_in_order() {
    let source = QuotableSource::new("It was too late.".to_owned());
    let free = SpeechCharacterLimits::default();
    let read = |text| PreparedSpeechDebater::read(text, &source, &free, QuoteRule::Strict);
    let recorded = read("One.\n\nMore: <quote>too late</quote>\n---\n---\nThree").unwrap();
    let instance = question(DebateQuestionSpec {
        text: "Was it too late?".to_owned(),
        answers: ["Yes".to_owned(), "No".to_owned()],
        source: "It was too late.".to_owned(),
        correct: None,
        material: None,
    });
    assert_eq!(
        speeches(&recorded, &instance, 0, free, 4),
        ["One.\n\nMore: <quote>too late</quote>", "", "Three", ""]
    );
    let (number, why) = read("One\n---\n<quote>too early</quote>").unwrap_err();
    assert!(
        number == 2 && why.to_string().contains("too early"),
        "{why}"
    );
    assert!(matches!(read("<quote>"), Err((1, SpeechError::Unclosed))));
}

#[test]
fn the_quoter_quotes_the_nearest_sentence() {
    let spec = DebateQuestionSpec {
        text: "What did the captain carry?".to_owned(),
        answers: ["A silver lantern".to_owned(), "A rope".to_owned()],
        source: "The captain came late. In the lantern light his silver coat shone! \
                 Nobody saw a rope."
            .to_owned(),
        correct: None,
        material: None,
    };
    let instance = question(spec);
    let free = SpeechCharacterLimits::default();
    let quotes =
        |answer, limits| speeches(&SpeechDebaterStrategy::Quoter, &instance, answer, limits, 4);
    let lantern = "<quote>In the lantern light his silver coat shone!</quote>";
    let captain = "<quote>The captain came late.</quote>";
    let rope = "<quote>Nobody saw a rope.</quote>";
    assert_eq!(quotes(0, free)[..2], [lantern, captain]);
    assert_eq!(quotes(1, free)[0], rope);
    // There is no fourth sentence.
    assert_eq!(quotes(1, free)[3], "");
    let short = SpeechCharacterLimits {
        quotes: Some(20),
        ..free
    };
    assert_eq!(quotes(0, short)[0], rope);
    let source = instance.as_two_answer_question().unwrap().source();
    let speech = Speech::parse(lantern).unwrap();
    assert_eq!(speech.check_quotes_and_length(source, &free), Ok(()));
}

/// A question with speeches for both answers.
fn prepared_question() -> Instance {
    let material = |argument: &str, reply: &str| PreparedSpeechesSpec {
        arguments: vec![argument.to_owned(), "More.".to_owned()],
        replies: vec![
            PreparedReplyToJudge {
                to: vec!["watch".to_owned(), "clock".to_owned()],
                text: reply.to_owned(),
            },
            PreparedReplyToJudge {
                to: vec!["rain".to_owned()],
                text: "<quote>Rain fell all day.</quote>".to_owned(),
            },
        ],
    };
    question(DebateQuestionSpec {
        text: "Was the train late?".to_owned(),
        answers: ["Yes".to_owned(), "No".to_owned()],
        source: "The train left at nine. Rain fell all day. The watch was slow.".to_owned(),
        correct: None,
        material: Some((
            material(
                "Late: <quote>Rain fell all day.</quote>",
                "My watch was right.",
            ),
            material(
                "In time: <quote>The train left at nine.</quote>",
                "It was slow.",
            ),
        )),
    })
}

/// Plays rounds of two advocates; the judge says these words before each of them. Returns the speeches of each round.
fn advocates(words: &[&str], protocol: &str) -> Vec<[String; 2]> {
    let instance = prepared_question();
    let mut debate = start(&instance, protocol);
    let mut words = words.iter();
    let mut spoken: Vec<String> = Vec::new();
    while let Some(turn) = debate.request() {
        let made = match (&turn.request, turn.seat) {
            (Request::Speech { .. }, Seat::Judge) => say(words.next().unwrap_or(&"")),
            (Request::Speech { .. }, seat) => reply(
                &SpeechDebaterStrategy::Advocate,
                &debate,
                seat,
                &turn.request,
            ),
            _ => reply(&QuoteLengthJudge, &debate, turn.seat, &turn.request),
        };
        if let (Reply::Speech(speech), Seat::Prover | Seat::Opponent) = (&made, turn.seat) {
            spoken.push(speech.to_string());
        }
        debate.reply(made, &mut ()).unwrap();
    }
    let rounds = spoken.chunks(2);
    rounds
        .map(|both| [both[0].clone(), both[1].clone()])
        .collect()
}

#[test]
fn advocates_argue_for_their_own_answers_and_reply_to_the_judge() {
    let spoken = advocates(
        &[
            "",
            "Which clock?",
            "Alice, did it rain? And what is the time?",
        ],
        "Speeches(rounds: 3)",
    );
    assert_eq!(
        spoken,
        [
            [
                "Late: <quote>Rain fell all day.</quote>",
                "In time: <quote>The train left at nine.</quote>"
            ],
            ["My watch was right.\nMore.", "It was slow.\nMore."],
            ["<quote>Rain fell all day.</quote>", ""],
        ]
    );
}

#[test]
fn an_advocate_without_material_for_a_question_says_so() {
    let spoken = advocates(&["Who drove?"], "Speeches(rounds: 1)");
    assert_eq!(
        spoken[0][0],
        "I have no material on this.\nLate: <quote>Rain fell all day.</quote>"
    );
}

#[test]
fn an_advocate_quotes_the_sentences_around_the_last_quote() {
    let around = advocates(
        &["", "Which sentences are before and after your quote?"],
        "Speeches(rounds: 2)",
    );
    assert_eq!(
        around[1],
        [
            "Before my last quote the text says: <quote>The train left at nine.</quote>\n\
             After my last quote the text says: <quote>The watch was slow.</quote>\nMore.",
            "Before my last quote there is no sentence.\n\
             After my last quote the text says: <quote>Rain fell all day.</quote>\nMore."
        ]
    );
    let short = advocates(
        &["", "Which sentences are before and after your quote?"],
        "Speeches(rounds: 2, quote_limit: 25)",
    );
    assert!(short[1][0].starts_with("Before my last quote"), "{short:?}");
    assert!(!short[1][0].contains("After"), "{short:?}");
}

#[test]
fn an_advocate_leaves_out_an_argument_that_does_not_fit_beside_the_reply() {
    let spoken = advocates(
        &["", "Which clock?"],
        "Speeches(rounds: 2, speech_limit: 20)",
    );
    assert_eq!(spoken[1], ["My watch was right.", "It was slow.\nMore."]);
}
