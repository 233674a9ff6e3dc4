use super::*;
use crate::record::verify;
use crate::setup::Limits;

/// A small debate in the study's form.
fn debate(rounds: &str) -> String {
    format!(
        r#"{{"setup": {{
            "rules": {{"fixedOpening": [{{"JudgeFeedbackRound": {{"reportBeliefs": true, "charLimit": 750}}}}],
                "repeatingStructure": [{{"SequentialSpeechesRound": {{"charLimit": 20, "quoteLimit": 9, "assignedDebatersOnly": false}}}}],
                "fixedClosing": null, "globalQuoteRestriction": null, "scoringFunction": {{}}}},
            "sourceMaterial": {{"QuALITYSourceMaterial": {{"articleId": "7", "title": "Noon",
                "contents": ["``", "He", "did", "n't", "go", ",", "''", "said", "she", ".", "\n", "\n", "-LRB-", "It", "'s", "noon", "-RRB-"]}}}},
            "question": "Did he go?", "answers": ["Yes", "No"], "correctAnswerIndex": 1,
            "roles": {{"Debater A": "Ann", "Debater B": "GPT-4", "Judge": "Jo"}},
            "offlineJudges": {{}}, "creationTime": 1691436466492}},
        "rounds": [{rounds}],
        "feedback": {{"Jo": {{"Judge": {{"answers": {{"clarity": {{"first": 1, "second": 2}}, "identity guesses": {{"Debater A": "Real Name"}}}}}}}}}},
        "scratchpads": {{}}}}"#
    )
}

fn judged(first: &str, second: &str, ends: bool) -> String {
    format!(
        r#"{{"JudgeFeedback": {{"distribution": [{first}, {second}], "feedback": {{"speaker": "Jo", "timestamp": 1, "content": []}}, "endDebate": {ends}}}}}"#
    )
}

fn spoken(kind: &str, span: &str) -> String {
    format!(
        r#"{{"{kind}": {{"speeches": {{"0": {{"speaker": "Ann", "timestamp": 2, "content": [{{"Text": {{"text": "He did: "}}}}, {{"Quote": {{"span": {span}}}}}]}}, "1": {{"speaker": "GPT-4", "timestamp": 3, "content": []}}}}}}}}"#
    )
}

fn imported(rounds: &[String]) -> Result<(ImportedSave, Transcript)> {
    let mut names = Names::new(false);
    save(
        "noon-1",
        &debate(&rounds.join(", ")),
        Some(true),
        &mut names,
    )
}

#[test]
fn a_debate_of_the_study_becomes_a_save() {
    let rounds = [
        judged("0.5", "0.5", false),
        spoken("SimultaneousSpeeches", "[0, 7]"),
        judged("0.4000000000000001", "0.6", false),
        spoken("SequentialSpeeches", "[12, 17]"),
        judged("0.14999999999999997", "0.85", true),
    ];
    let (save, transcript) = imported(&rounds).unwrap();
    assert!(save.finished);
    let verdict = verify(save.text.as_bytes(), &Limits::default()).unwrap();
    assert!(verdict.is_ok());
    assert_eq!(
        transcript.source,
        "“He didn't go,” said she.\n\n(It's noon)"
    );
    for there in [
        "Quote(\"“He didn't go,”\")",
        "Quote(\"(It's noon)\")",
        // What is left of one beside 0.6 and 0.85, to the last digit.
        "Probability(\"2/5\")",
        "Probability(\"3/20\")",
        "payoff: \"-7/20\"",
        "started: \"2023-08-07T19:27:46Z\"",
        "\\\"model debate\\\"",
        "person-01",
        "speech_limit: 20",
        "clarity: first 1, second 2",
    ] {
        assert!(save.text.contains(there), "{there} is not in {}", save.text);
    }
    // The quotes are longer than the rules allow.
    for gone in ["quote_limit", "Jo", "Ann", "Real Name"] {
        assert!(!save.text.contains(gone), "{gone}");
    }
}

#[test]
fn names_are_kept_where_that_is_asked() {
    let text = debate(&judged("0.5", "0.5", false));
    let (saved, transcript) = save("noon-1", &text, None, &mut Names::new(true)).unwrap();
    assert!(!saved.finished && saved.text.contains("Real Name"));
    assert_eq!(transcript.judge.as_deref(), Some("Jo"));
}

#[test]
fn what_is_no_debate_of_the_study_is_refused_with_its_place() {
    let half = || judged("0.5", "0.5", false);
    for (rounds, told) in [
        (
            vec![half(), spoken("SequentialSpeeches", "[3, 99]")],
            "rounds[1].SequentialSpeeches.speeches.0.content[1].Quote.span: the span [3, 99]",
        ),
        (
            vec![half(), spoken("SequentialSpeeches", "[3, 3]")],
            "the span [3, 3] is none of a source of 17 words",
        ),
        (
            vec![
                half(),
                spoken("SequentialSpeeches", "[3, 18446744073709551615]"),
            ],
            "is none of a source",
        ),
        (
            vec![judged("0.5", "0.6", false)],
            "rounds[0].JudgeFeedback.distribution: 0.5 and 0.6",
        ),
        (vec![judged("-0.5", "1.5", false)], "no probabilities"),
        (vec![half(), half()], "the judge speaks twice in a row"),
        (
            vec![judged("0.5", "0.5", true)],
            "opening.ends: nobody has spoken yet",
        ),
        (
            vec![r#"{"NegotiateEnd": {"votes": {}}}"#.to_owned()],
            "rounds[0].NegotiateEnd: the debaters vote",
        ),
        (vec![r#"{"Vote": {}}"#.to_owned()], "unknown variant `Vote`"),
    ] {
        let error = imported(&rounds).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let mut names = Names::new(false);
    let three = debate("").replace("[\"Yes\", \"No\"]", "[\"Yes\", \"No\", \"So\"]");
    let error = save("x", &three, None, &mut names).unwrap_err().to_string();
    assert!(error.contains("setup.answers: 3 answers"), "{error}");
    let cut = save("x", "{\"setup\": ", None, &mut names).unwrap_err();
    assert!(cut.to_string().contains("line 1 column"), "{cut}");
}

#[test]
fn metadata_are_read_as_a_list_and_as_lines() {
    let one = r#"{"name": "a-1", "includedInPaper": true, "status": {}}"#;
    let two = r#"{"name": "a-2", "includedInPaper": false}"#;
    for text in [format!("[{one}, {two}]"), format!("{one}\n\n{two}\n")] {
        let read = read_metadata(&text).unwrap();
        let read: Vec<_> = read
            .iter()
            .map(|entry| (&*entry.name, entry.included))
            .collect();
        assert_eq!(read, [("a-1", Some(true)), ("a-2", Some(false))]);
    }
    let wrong = read_metadata(&format!("{one}\n{{")).unwrap_err();
    assert_eq!(wrong.place, "line 2");
}
