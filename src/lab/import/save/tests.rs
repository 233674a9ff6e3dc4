use super::*;
use debate_host::record::verify_save_bytes;

const DEBATE: &str = r#"{
    "format": 1, "name": "who left", "question": "Who left first?",
    "answers": ["The cook", "The pilot"], "correct": 1,
    "source": "The cook stayed.\n\nThe pilot left at noon.",
    "story": "galley", "condition": "model debate", "debaters": ["m1", "m2"], "judge": "J1",
    "opening": {"p_first": 0.5},
    "rounds": [
        {"simultaneous": true, "speeches": ["The cook.", "<quote>The pilot left</quote>!"],
         "judgement": {"p_first": "1/4", "says": "Why?"}},
        {"speeches": [[{"text": "So: "}, {"quote": "The cook stayed. The pilot"}], ""],
         "judgement": {"p_first": 0.15000000000000002}}
    ]
}"#;

fn read(change: impl FnOnce(&mut ImportedSpeechDebate)) -> Result<ImportedSave> {
    let mut transcript = ImportedSpeechDebate::parse_transcript(DEBATE).unwrap();
    change(&mut transcript);
    transcript.to_imported_save()
}

#[test]
fn a_transcript_becomes_a_save_that_verifies() {
    let save = read(|_| {}).unwrap();
    assert_eq!((save.name.as_str(), save.finished), ("who-left", true));
    let verdict = verify_save_bytes(save.text.as_bytes(), &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && verdict.finished);
    let rules = "protocol: Speeches(simultaneous: true, in_turn_from: 2)";
    assert!(save.text.contains(rules), "{}", save.text);
    assert!(
        save.text
            .contains("Probability(\\\"7500000000000001/50000000000000000\\\")")
            || save
                .text
                .contains("Probability(\"7500000000000001/50000000000000000\")")
    );
    assert!(save.text.contains("Quote(\"The cook stayed. The pilot\")"));
    assert!(
        save.text
            .contains("payoff: \"-17499999999999999/50000000000000000\"")
    );
}

#[test]
fn a_debate_without_an_end_is_imported_as_unfinished() {
    let save = read(|debate| {
        let last = debate.rounds.last_mut().unwrap();
        (last.speeches[1], last.judgement) = (None, None);
    });
    assert!(!save.unwrap().finished);
    let save = read(|debate| {
        debate.rounds[1].judgement.as_mut().unwrap().ends = Some(false);
    });
    assert!(!save.unwrap().finished);
    let save = read(|debate| (debate.rounds, debate.opening) = (Vec::new(), None));
    assert!(!save.unwrap().finished);
}

#[test]
fn consultancy_with_a_judge_at_the_end_is_imported() {
    let save = read(|debate| {
        (debate.opening, debate.rounds[0].judgement) = (None, None);
        debate.debaters[0] = None;
        for round in &mut debate.rounds {
            (round.simultaneous, round.speeches[0]) = (false, None);
        }
    })
    .unwrap();
    let rules = "Speeches(rounds: 2, consultant: Second, judged: AtEnd, judge_feedback: false)";
    assert!(save.finished && save.text.contains(rules), "{}", save.text);
}

#[test]
fn a_debate_with_a_quote_that_is_not_in_the_source_has_lenient_rules() {
    let exact = read(|_| {}).unwrap();
    assert!(!exact.text.contains("quotes:"), "{}", exact.text);
    let save = read(|debate| {
        debate.rounds[0].speeches[0] = Some(ImportedSpeech::Marked("<quote>never</quote>".into()));
    })
    .unwrap();
    assert!(save.text.contains("quotes: Lenient"), "{}", save.text);
    assert!(save.text.contains("Quote(\"never\")"));
    assert!(
        verify_save_bytes(save.text.as_bytes(), &ScenarioLimits::default())
            .unwrap()
            .ok
    );
}

#[test]
fn invalid_transcripts_are_refused_with_their_location() {
    type Change = fn(&mut ImportedSpeechDebate);
    let wrong: [(Change, &str); 6] = [
        (
            |debate| debate.rounds[0].speeches[1] = None,
            "rounds[0].speeches[1]: the speech is missing",
        ),
        (
            |debate| {
                debate.opening.as_mut().unwrap().p_first =
                    super::super::WrittenProbability::Number(1.5);
            },
            "opening.p_first: the value 1.5 is not a probability",
        ),
        (
            |debate| debate.rounds[0].judgement.as_mut().unwrap().ends = Some(true),
            "rounds[0].judgement.ends: the judge ended the debate",
        ),
        (
            |debate| debate.debaters = [None, None],
            "rounds[0].speeches[0]: this answer has a speech",
        ),
        (
            |debate| debate.correct = Some(2),
            "the question has no answer 2",
        ),
        (
            |debate| debate.name = "///".to_owned(),
            "name: the name has no letters or digits",
        ),
    ];
    for (change, told) in wrong {
        let error = read(change).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    assert!(ImportedSpeechDebate::parse_transcript("{").is_err());
    let unknown = DEBATE.replace("\"story\"", "\"tale\"");
    assert!(
        ImportedSpeechDebate::parse_transcript(&unknown)
            .unwrap_err()
            .what
            .contains("tale")
    );
    let later = DEBATE.replace("\"format\": 1", "\"format\": 2");
    assert_eq!(
        ImportedSpeechDebate::parse_transcript(&later)
            .unwrap_err()
            .place,
        "format"
    );
}

#[test]
fn hostile_texts_are_escaped_and_name_no_other_file() {
    let save = read(|debate| {
        debate.name = "../../etc/pass\u{202e}wd".to_owned();
        debate.question = "Is\u{1b}[2J it?".to_owned();
        debate.rounds[0].speeches[0] =
            Some(ImportedSpeech::Marked("a\u{1b}]0;x\u{7}\tb\r\nc".into()));
    })
    .unwrap();
    assert_eq!(save.name, "etc-pass-wd");
    assert!(
        !save
            .text
            .chars()
            .any(|c| c != '\n' && debate_core::text::is_unsafe_character(c))
    );
    assert!(save.text.contains("a\u{fffd}]0;x\u{fffd} b\\nc"));
    assert!(
        verify_save_bytes(save.text.as_bytes(), &ScenarioLimits::default())
            .unwrap()
            .ok
    );
}
