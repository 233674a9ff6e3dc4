//! Text files of every kind are read alike, whatever program saved them.

use std::fs;
use std::io::BufReader;

use debate_lab::import::read_text;
use debate_lab::judgements::{Judgement, read_lines, read_table};
use debate_lab::matches::MatchPlan;
use debate_lab::message::{LineRead, read_line};
use debate_lab::setup::{AnswerPairs, Limits, QuestionSet, Setup};

/// A text as other programs may save it: with a byte-order mark, CRLF, trailing blanks, all of
/// these, or without the newline at its end.
fn saved_otherwise(text: &str) -> [Vec<u8>; 5] {
    let crlf = text.replace('\n', "\r\n");
    let blanks = text.replace('\n', " \t\n");
    let all = format!("\u{feff}{}\r\n \t", blanks.replace('\n', "\r\n"));
    let cut = text.trim_end().to_owned();
    let mark = format!("\u{feff}{text}");
    [mark, crlf, blanks, all, cut].map(String::into_bytes)
}

fn as_json(judgements: &[Judgement]) -> String {
    serde_json::to_string(judgements).unwrap()
}

#[test]
fn tables_lines_and_documents_may_be_saved_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.txt");
    let table = "condition,debate,judge,story,p_correct,continues,correct_answer_index\n\
                 a,d1,J1,51461,0.4,3,1\na,d2,J1,51461,0.6,1,0\n";
    let judged = read_table(table.as_bytes()).unwrap();
    let rows: Vec<String> = judged
        .iter()
        .map(|row| serde_json::to_string(row).unwrap() + "\n")
        .collect();
    for text in saved_otherwise(table) {
        fs::write(&path, text).unwrap();
        let read = read_table(read_text(&path).unwrap().as_bytes()).unwrap();
        assert_eq!(as_json(&read), as_json(&judged));
    }
    for text in saved_otherwise(&rows.concat()) {
        fs::write(&path, text).unwrap();
        let read = read_lines(&read_text(&path).unwrap()).unwrap();
        assert_eq!(as_json(&read), as_json(&judged));
    }
    let plan = "Match(format: 1,\nscenarios: [\"primes\"],\nprovers: [\"honest\"])\n";
    for text in saved_otherwise(plan) {
        fs::write(&path, text).unwrap();
        assert_eq!(MatchPlan::read(&path).unwrap().provers, ["honest"]);
    }
    let question = r#"{"id": "q1", "question": "Which?", "answers": ["a", "b"], "correct": 0, "source": "a it is"}"#;
    let set = path.with_extension("jsonl");
    // A set that was joined from two files has a mark within.
    let joined = format!("{question}\n\u{feff}{}\n", question.replace("q1", "q2"));
    for text in saved_otherwise(&joined) {
        fs::write(&set, text).unwrap();
        let read = QuestionSet::read(&set, AnswerPairs::Best, &Limits::default()).unwrap();
        assert_eq!(
            (read.rows.len(), read.refused.len()),
            (2, 0),
            "{:?}",
            read.refused
        );
    }
}

#[test]
fn a_byte_order_mark_before_the_lines_of_a_program_is_dropped() {
    let mut lines = BufReader::new("\u{feff}{\"a\":1}\r\nrest".as_bytes());
    let mut buffer = Vec::new();
    assert_eq!(
        read_line(&mut lines, &mut buffer, 99).unwrap(),
        LineRead::Line
    );
    let value: serde_json::Value = serde_json::from_slice(&buffer).unwrap();
    assert_eq!(value["a"], 1);
}

#[test]
fn other_encodings_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.ron");
    let utf16: Vec<u8> = "\u{feff}Match(format: 1)"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(&path, &utf16).unwrap();
    let refused = [
        Setup::load(&path, &Limits::default())
            .unwrap_err()
            .to_string(),
        MatchPlan::read(&path).unwrap_err().to_string(),
        read_text(&path).unwrap_err().to_string(),
    ];
    for error in refused {
        assert!(
            error.contains("this is UTF-16; save the file as UTF-8"),
            "{error}"
        );
    }
}
