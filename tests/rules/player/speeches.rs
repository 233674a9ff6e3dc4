use std::sync::Arc;

use debate_core::number::{Exact, Number as _};
use debate_core::player::speeches::{Debater, QuoteCountingJudge, RecordedDebater};
use debate_core::player::{Policy, PolicyState};
use debate_core::protocol::{Protocol, Reply, Request, Rules as _, Seat, Speeches, State, View};
use debate_core::scenario::{
    Instance, Oracle, Question, QuestionSpec, Quotes, ScenarioPath, SourceText, Speech,
    SpeechError, SpeechLimits,
};

fn question(spec: QuestionSpec) -> Instance {
    let question = Question::build(spec, &ScenarioPath::default()).unwrap();
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
    P: for<'a> Policy<Exact, Speeches<'a, Exact>>,
{
    let view = View::new(debate, seat).under().unwrap();
    let choice = player.choose(view, request, &mut PolicyState::default());
    choice.unwrap().reply_for_draw(|| 0)
}

/// The speeches of a debater who argues for an answer, round by round; all other speeches are empty.
fn speeches<P>(
    player: &P,
    instance: &Instance,
    answer: u8,
    limits: SpeechLimits,
    rounds: usize,
) -> Vec<String>
where
    P: for<'a> Policy<Exact, Speeches<'a, Exact>>,
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
    let instance = question(QuestionSpec {
        text: "Who?".to_owned(),
        answers: ["She".to_owned(), "He".to_owned()],
        source: quote.clone(),
        correct: None,
    });
    let mut debate = start(
        &instance,
        "Speeches(judged: EachRound, judge_feedback: false)",
    );
    let held = |debate: &State<'_, Exact>| {
        let request = debate.request().unwrap().request;
        reply(&QuoteCountingJudge, debate, Seat::Judge, &request)
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
    let source = SourceText::new("It was too late.".to_owned());
    let free = SpeechLimits::default();
    let read = |text| RecordedDebater::read(text, &source, &free, Quotes::Strict);
    let recorded = read("One.\n\nMore: <quote>too late</quote>\n---\n---\nThree").unwrap();
    let instance = question(QuestionSpec {
        text: "Was it too late?".to_owned(),
        answers: ["Yes".to_owned(), "No".to_owned()],
        source: "It was too late.".to_owned(),
        correct: None,
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
    let spec = QuestionSpec {
        text: "What did the captain carry?".to_owned(),
        answers: ["A silver lantern".to_owned(), "A rope".to_owned()],
        source: "The captain came late. In the lantern light his silver coat shone! \
                 Nobody saw a rope."
            .to_owned(),
        correct: None,
    };
    let instance = question(spec);
    let free = SpeechLimits::default();
    let quotes = |answer, limits| speeches(&Debater::Quoter, &instance, answer, limits, 4);
    let lantern = "<quote>In the lantern light his silver coat shone!</quote>";
    let captain = "<quote>The captain came late.</quote>";
    let rope = "<quote>Nobody saw a rope.</quote>";
    assert_eq!(quotes(0, free)[..2], [lantern, captain]);
    assert_eq!(quotes(1, free)[0], rope);
    // There is no fourth sentence.
    assert_eq!(quotes(1, free)[3], "");
    let short = SpeechLimits {
        quotes: Some(20),
        ..free
    };
    assert_eq!(quotes(0, short)[0], rope);
    let source = instance.question().unwrap().source();
    let speech = Speech::parse(lantern).unwrap();
    assert_eq!(speech.check(source, &free), Ok(()));
}
