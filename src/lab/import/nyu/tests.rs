mod study;

use super::*;
use debate_host::record::verify_save_bytes;
use debate_solver::setup::ScenarioLimits;

/// Returns a small debate in the study's form.
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

fn imported(rounds: &[String]) -> Result<(ImportedSave, ImportedSpeechDebate)> {
    let mut names = Pseudonyms::new(false);
    import_debate_as_save(
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
    let verdict = verify_save_bytes(save.text.as_bytes(), &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok);
    assert_eq!(
        transcript.source,
        "“He didn't go,” said she.\n\n(It's noon)"
    );
    for there in [
        "Quote(\"“He didn't go,”\")",
        "Quote(\"(It's noon)\")",
        // The exact complements of 0.6 and 0.85.
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
    // No quote limit: the quotes are longer than the rules allow.
    for gone in ["quote_limit", "Jo", "Ann", "Real Name"] {
        assert!(!save.text.contains(gone), "{gone}");
    }
}

#[test]
fn names_are_kept_with_the_flag() {
    let text = debate(&judged("0.5", "0.5", false));
    let (saved, transcript) =
        import_debate_as_save("noon-1", &text, None, &mut Pseudonyms::new(true)).unwrap();
    assert!(!saved.finished && saved.text.contains("Real Name"));
    assert_eq!(transcript.judge.as_deref(), Some("Jo"));
}

#[test]
fn invalid_debates_of_the_study_are_refused_with_their_location() {
    let half = || judged("0.5", "0.5", false);
    for (rounds, told) in [
        (
            vec![half(), spoken("SequentialSpeeches", "[4, 3]")],
            "rounds[1].SequentialSpeeches.speeches.0.content[1].Quote.span: the span [4, 3] begins after its end; the source has 17 \
             words",
        ),
        (
            vec![judged("0.5", "0.6", false)],
            "rounds[0].JudgeFeedback.distribution: 0.5 and 0.6",
        ),
        (
            vec![judged("-0.5", "1.5", false)],
            "are not two probabilities",
        ),
        (vec![r#"{"Vote": {}}"#.to_owned()], "unknown variant `Vote`"),
    ] {
        let error = imported(&rounds).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let mut names = Pseudonyms::new(false);
    let three = debate("").replace("[\"Yes\", \"No\"]", "[\"Yes\", \"No\", \"So\"]");
    let error = import_debate_as_save("x", &three, None, &mut names)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("setup.answers: the debate has 3 answers"),
        "{error}"
    );
    let cut = import_debate_as_save("x", "{\"setup\": ", None, &mut names).unwrap_err();
    assert!(cut.to_string().contains("line 1 column"), "{cut}");
}

#[test]
fn a_quote_past_its_source_is_cut_and_noted_in_the_save() {
    for (span, words, cut) in [
        ("[13, 17]", "Quote(\"It's noon)\")", 0),
        ("[13, 19]", "Quote(\"It's noon)\")", 1),
        ("[13, 18446744073709551615]", "Quote(\"It's noon)\")", 1),
        ("[17, 17]", "Text(\"He did: \")", 0),
        ("[18, 20]", "Text(\"He did: \")", 1),
    ] {
        let rounds = [
            judged("0.5", "0.5", false),
            spoken("SequentialSpeeches", span),
            judged("0.2", "0.8", true),
        ];
        let (save, transcript) = imported(&rounds).unwrap();
        assert!(
            save.finished && save.text.contains(words),
            "{span}: {}",
            save.text
        );
        assert_eq!((save.cut_quotes, save.notes.len()), (cut, cut), "{span}");
        let note = transcript.tags.get("oddities");
        assert_eq!(note.is_some(), cut > 0, "{span}");
        if let Some(note) = note {
            let place = "rounds[1].SequentialSpeeches.speeches.0.content[1].Quote.span ends at";
            assert!(
                note.contains(place) && note.contains("the source has only 17 words"),
                "{note}"
            );
        }
        let verdict = verify_save_bytes(save.text.as_bytes(), &ScenarioLimits::default()).unwrap();
        assert!(verdict.ok, "{span}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of shapes")]
fn every_legal_shape_of_a_file_is_imported() {
    let half = || judged("0.5", "0.5", false);
    let vote = || r#"{"NegotiateEnd": {"votes": {"0": true, "1": false}}}"#.to_owned();
    let later = || {
        let turns = [judged("0.5", "0.5", false), judged("0.2", "0.8", true)];
        let turns = turns.map(|turn| {
            let turn: Value = serde_json::from_str(&turn).unwrap();
            turn["JudgeFeedback"].to_string()
        });
        format!(
            r#"{{"OfflineJudgments": {{"judgments": {{"Flo": {{"mode": "stepped", "startTimeMillis": 1, "judgments": [{}]}}, "Moe": {{"mode": "timed", "startTimeMillis": 1, "judgments": []}}}}}}}}"#,
            turns.join(", ")
        )
    };
    let at_once = || spoken("SimultaneousSpeeches", "[0, 7]");
    let in_turn = || spoken("SequentialSpeeches", "[12, 17]");
    let alone = |kind: &str, side: u8| {
        format!(
            r#"{{"{kind}": {{"speeches": {{"{side}": {{"speaker": "Ann", "timestamp": 2, "content": [{{"Text": {{"text": "Alone\u200b\ttext <quote>"}}}}]}}}}}}}}"#
        )
    };
    let end = || judged("1.0000000000000002", "-2.220446049250313e-16", true);
    let silent = || judged("0.5", "0.5", false).replace("[0.5, 0.5]", "[]");
    let one = |kind: &str| format!(r#"{{"{kind}": {{"speeches": {{}}}}}}"#);
    for (name, rounds, finished, there) in [
        ("nothing yet", vec![], false, &["oddities"][..0]),
        ("only the judge", vec![half()], false, &[]),
        (
            "numbers missed by rounding",
            vec![half(), at_once(), end()],
            true,
            &[],
        ),
        (
            "a vote on the end",
            vec![half(), at_once(), half(), in_turn(), vote(), end()],
            true,
            &["the debaters voted"],
        ),
        (
            "judged after some rounds alone",
            vec![at_once(), at_once(), half(), in_turn(), in_turn(), end()],
            true,
            &["unjudged: [1, 3]", "in_turn_from: 3"],
        ),
        (
            "at once again after a round in turn",
            vec![
                half(),
                in_turn(),
                half(),
                at_once(),
                half(),
                in_turn(),
                end(),
            ],
            true,
            &["in_turn: [1]", "in_turn_from: 3"],
        ),
        (
            "the judge twice in a row",
            vec![half(), half(), at_once(), half(), end()],
            true,
            &["spoke once more"],
        ),
        (
            "a judge without numbers",
            vec![silent(), at_once(), silent(), in_turn(), end()],
            true,
            &[],
        ),
        (
            "ended at once",
            vec![judged("0.5", "0.5", true)],
            false,
            &["before anybody had spoken"],
        ),
        (
            "more after the end",
            vec![half(), at_once(), end(), in_turn(), later()],
            true,
            &["the judge had already ended the debate"],
        ),
        (
            "somebody does not speak",
            vec![
                half(),
                alone("SimultaneousSpeeches", 1),
                half(),
                alone("SequentialSpeeches", 0),
                end(),
            ],
            true,
            &["Speech([])"],
        ),
        (
            "broken off by the second speaker",
            vec![half(), at_once(), half(), alone("SimultaneousSpeeches", 1)],
            false,
            &[],
        ),
        (
            "broken off by the first",
            vec![half(), at_once(), half(), alone("SequentialSpeeches", 0)],
            false,
            &["Alone"],
        ),
        (
            "a round that nobody has begun",
            vec![half(), one("SimultaneousSpeeches")],
            false,
            &[],
        ),
        (
            "an empty quote, and one of the end of a line",
            vec![
                half(),
                spoken("SequentialSpeeches", "[3, 3]"),
                half(),
                spoken("SequentialSpeeches", "[10, 12]"),
                end(),
            ],
            true,
            &[],
        ),
        (
            "judged later",
            vec![half(), at_once(), end(), later()],
            true,
            &["later_judges"],
        ),
    ] {
        let imported = imported(&rounds).map_err(|error| error.to_string());
        let (save, transcript) = imported.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(save.finished, finished, "{name}");
        for there in there {
            assert!(save.text.contains(there), "{name}: {there}: {}", save.text);
        }
        let verdict = verify_save_bytes(save.text.as_bytes(), &ScenarioLimits::default()).unwrap();
        assert!(verdict.ok, "{name}: {verdict:?}");
        for judge in &transcript.judgements {
            let _ = judge.final_judgement_in(&transcript);
        }
    }
    // Without roles, rules, surveys and times, and with an unknown role.
    let bare = debate(&[half(), at_once(), end()].join(", "))
        .replace(
            r#""Debater A": "Ann", "Debater B": "GPT-4", "Judge": "Jo""#,
            r#""Facilitator": "Kim""#,
        )
        .replace(r#""creationTime": 1691436466492"#, r#""creationTime": -1"#)
        .replace(r#""charLimit": 20"#, r#""charLimit": "many""#)
        .replace("QuALITYSourceMaterial", "CustomSourceMaterial")
        .replace(r#""articleId": "7", "#, "");
    let (save, _) =
        super::import_debate_as_save("bare", &bare, None, &mut Pseudonyms::new(false)).unwrap();
    assert!(
        save.finished && save.text.contains("human consultancy"),
        "{}",
        save.text
    );
}

#[test]
fn metadata_are_read_as_a_list_and_as_lines() {
    let one = r#"{"name": "a-1", "includedInPaper": true, "status": {}}"#;
    let two = r#"{"name": "a-2", "includedInPaper": false}"#;
    for text in [format!("[{one}, {two}]"), format!("{one}\n\n{two}\n")] {
        let read = read_nyu_metadata(&text).unwrap();
        let read: Vec<_> = read
            .iter()
            .map(|entry| (&*entry.name, entry.included))
            .collect();
        assert_eq!(read, [("a-1", Some(true)), ("a-2", Some(false))]);
    }
    let wrong = read_nyu_metadata(&format!("{one}\n{{")).unwrap_err();
    assert_eq!(wrong.place, "line 2");
}
