//! Text files of every kind give the same result, whichever program saved them.

use std::fs;
use std::io::BufReader;

use debate_host::message::{LineReadResult, read_line};
use debate_lab::import::read_text_file;
use debate_lab::judgements::{Judgement, read_judgement_lines, read_judgement_table};
use debate_lab::matches::MatchPlan;
use debate_solver::setup::{DebatedWrongAnswers, LoadedScenario, QuestionSet, ScenarioLimits};

const BENCH: &str = "INPUT(a)\nINPUT(b)\nOUTPUT(s)\nOUTPUT(c)\ns = XOR(a, b)\nc = AND(a, b)\n";
const BLIF: &str = ".model half\n.inputs a \\\nb\n.outputs s c\n.names a b s\n10 1\n01 1\n\
                    .names a b c\n11 1\n.end\n";

/// The root's truth in each world.
fn truths(setup: &LoadedScenario) -> Vec<Option<bool>> {
    let problem = &setup.decomposition;
    let worlds = 0..problem.worlds().len();
    worlds
        .map(|world| problem.truth(&problem.root(world), world))
        .collect()
}

/// A text as other programs may save it: with a byte-order mark, CRLF, trailing blanks, all of these, or without the
/// final newline.
fn saved_otherwise(text: &str) -> [Vec<u8>; 5] {
    let crlf = text.replace('\n', "\r\n");
    let blanks = text.replace('\n', " \t\n");
    let all = format!("\u{feff}{}\r\n \t", blanks.replace('\n', "\r\n"));
    let cut = text.trim_end().to_owned();
    let mark = format!("\u{feff}{text}");
    [mark, crlf, blanks, all, cut].map(String::into_bytes)
}

#[test]
fn text_files_of_every_format_may_be_saved_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.ron");
    let mut files: Vec<(&str, String, &str)> = Vec::new();
    for (name, circuit) in [
        ("f.bench", BENCH),
        ("f.blif", BLIF),
        (
            "f.aag",
            "aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\ni0 a\nc\nhalf an adder\n",
        ),
        ("f.txt", "2 4\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n"),
        ("old.txt", "2 4\n1 1 2\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n"),
    ] {
        files.push((name, circuit.to_owned(), "Circuit(file: \"NAME\")"));
    }
    let formula = "c two variables\np cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n".to_owned();
    files.push(("f.qdimacs", formula, "Qbf(file: \"NAME\")"));
    for (name, text, problem) in files {
        let problem = problem.replace("NAME", name);
        let rules = if problem.starts_with("Qbf") {
            "protocol: Quantifiers"
        } else {
            ""
        };
        let scenario =
            format!("Scenario(format: 1,\ntitle: \"t\",\nproblem: {problem},\n{rules})\n");
        let load = |scenario: &[u8], file: &[u8]| {
            fs::write(folder.path().join(name), file).unwrap();
            fs::write(&path, scenario).unwrap();
            let setup = LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default());
            truths(&setup.unwrap_or_else(|error| panic!("{name}: {error}")))
        };
        let expected = load(scenario.as_bytes(), text.as_bytes());
        for (scenario, file) in saved_otherwise(&scenario)
            .iter()
            .zip(saved_otherwise(&text))
        {
            assert_eq!(load(scenario, &file), expected, "{name} {file:?}");
        }
    }
}

#[test]
fn comments_in_another_encoding_are_no_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.ron");
    let latin = b"by M\xfcller\n";
    let bench = BENCH.as_bytes().to_vec();
    let blif = BLIF.as_bytes().to_vec();
    let formula = b"p cnf 1 1\ne 1 0\n1 0\n".to_vec();
    for (name, comment, text, problem) in [
        ("f.bench", &b"# "[..], bench, "Circuit(file: \"f.bench\")"),
        ("f.blif", b"# ", blif, "Circuit(file: \"f.blif\")"),
        ("f.cnf", b"c ", formula, "Qbf(file: \"f.cnf\")"),
    ] {
        fs::write(folder.path().join(name), [comment, latin, &text].concat()).unwrap();
        let rules = if name == "f.cnf" {
            "protocol: Quantifiers"
        } else {
            ""
        };
        let text = format!("Scenario(format: 1, title: \"t\", problem: {problem}, {rules})");
        fs::write(&path, text).unwrap();
        LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
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
    let judged = read_judgement_table(table.as_bytes()).unwrap();
    let rows: Vec<String> = judged
        .iter()
        .map(|row| serde_json::to_string(row).unwrap() + "\n")
        .collect();
    for text in saved_otherwise(table) {
        fs::write(&path, text).unwrap();
        let read = read_judgement_table(read_text_file(&path).unwrap().as_bytes()).unwrap();
        assert_eq!(as_json(&read), as_json(&judged));
    }
    for text in saved_otherwise(&rows.concat()) {
        fs::write(&path, text).unwrap();
        let read = read_judgement_lines(&read_text_file(&path).unwrap()).unwrap();
        assert_eq!(as_json(&read), as_json(&judged));
    }
    let plan = "Match(format: 1,\nscenarios: [\"primes\"],\nprovers: [\"honest\"])\n";
    for text in saved_otherwise(plan) {
        fs::write(&path, text).unwrap();
        assert_eq!(
            MatchPlan::read_match_plan(&path).unwrap().provers,
            ["honest"]
        );
    }
    let question = r#"{"id": "q1", "question": "Which?", "answers": ["a", "b"], "correct": 0, "source": "a it is"}"#;
    let set = path.with_extension("jsonl");
    // A set that was concatenated from two files contains a byte-order mark in the middle.
    let joined = format!("{question}\n\u{feff}{}\n", question.replace("q1", "q2"));
    for text in saved_otherwise(&joined) {
        fs::write(&set, text).unwrap();
        let read = QuestionSet::read_question_file(
            &set,
            DebatedWrongAnswers::Best,
            &ScenarioLimits::default(),
        )
        .unwrap();
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
        LineReadResult::Line
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
        LoadedScenario::load_scenario_file(&path, &ScenarioLimits::default())
            .unwrap_err()
            .to_string(),
        MatchPlan::read_match_plan(&path).unwrap_err().to_string(),
        read_text_file(&path).unwrap_err().to_string(),
    ];
    for error in refused {
        assert!(
            error.contains("this is UTF-16; save the file as UTF-8"),
            "{error}"
        );
    }
}
