mod quality;

use std::fs;
use std::path::PathBuf;

use debate_solver::setup::{DebatedWrongAnswers, LoadedScenario, QuestionSet, ScenarioLimits};
use serde_json::{Value, json};

/// Writes a set with these lines into a separate folder.
fn set_of(lines: &[String]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.jsonl");
    fs::write(&path, lines.join("\n")).unwrap();
    (folder, path)
}

fn row(id: &str) -> Value {
    json!({"id": id, "question": "Who \"did\" it?", "answers": ["She", "He"], "correct": 1})
}

/// A line in the layout of QuALITY.
fn article(changes: &[(&str, Value)]) -> Value {
    let mut question = json!({
        "question": "Why?", "question_unique_id": "7_A_1", "options": ["a", "b", "c", "d"],
        "writer_label": 3, "gold_label": 3, "difficult": 1,
        "validation": [
            {"untimed_annotator_id": "1", "untimed_answer": 3, "untimed_best_distractor": 4},
            {"untimed_eval3_distractor": 2},
            {"untimed_best_distractor": 4},
            {"untimed_best_distractor": 3},
        ],
    });
    for (name, value) in changes {
        question[*name] = value.clone();
    }
    json!({"article_id": "7", "set_unique_id": "7_A", "article": "<p>Long&nbsp;ago</p>", "questions": [question],
           "title": "T", "year": 1950})
}

#[test]
fn a_line_is_a_scenario_under_its_id() {
    let mut second = row("b.2");
    second["source_file"] = json!("texts/b.txt");
    second["difficulty"] = json!("hard");
    second["group"] = json!("story \"one\"");
    let (folder, path) = set_of(&[row("a").to_string(), String::new(), second.to_string()]);
    fs::create_dir(folder.path().join("texts")).unwrap();
    fs::write(folder.path().join("texts/b.txt"), "The \\ source.").unwrap();
    let limits = ScenarioLimits::default();
    let set = QuestionSet::load_question_file(&path, &limits).unwrap();
    assert_eq!(set.rows.len(), 2);
    assert_eq!(set.files[0].name, "texts/b.txt");
    let setup = set.scenario_of_question("b.2", &limits).unwrap();
    assert_eq!(setup.title, "Who \"did\" it?");
    assert_eq!(setup.tags["difficulty"], "hard");
    assert_eq!(setup.tags["group"], "story \"one\"");
    let instance = setup.instance(0);
    assert_eq!(instance.truth(instance.root()), Some(false));
    let question = instance.as_two_answer_question().unwrap();
    assert_eq!(question.source().as_str(), "The \\ source.");
    // The names that a user types.
    let name = path.display().to_string();
    let found = LoadedScenario::find_scenario(&format!("{name}#a"), &limits).unwrap();
    assert_eq!(
        found.source,
        set.scenario_of_question("a", &limits).unwrap().source
    );
    let names = |name: &str| {
        let all = LoadedScenario::find_all_scenarios(name, &limits)
            .unwrap()
            .into_iter();
        all.map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(&name), [format!("{name}#a"), format!("{name}#b.2")]);
    assert_eq!(names("primes"), ["primes"]);
    let error = |name: &str| {
        LoadedScenario::find_scenario(name, &limits)
            .unwrap_err()
            .to_string()
    };
    assert!(error(&format!("{name}#b.3")).contains("did you mean `b.2`?"));
    assert!(error(&name).contains("#a"), "{}", error(&name));
}

#[test]
fn invalid_questions_are_refused_with_their_line() {
    let changed = |name: &str, value: Value| {
        let mut row = row("x");
        row[name] = value;
        row.to_string()
    };
    let both = json!({"id": "x", "question": "q", "answers": ["a", "b"], "source": "s", "source_file": "t"});
    for (line, why) in [
        ("[]".to_owned(), "JSON object"),
        ("{".to_owned(), "JSON object"),
        (changed("answer", json!(1)), "answer"),
        (changed("answers", json!(["a"])), "invalid length"),
        (changed("answers", json!(["a", "b", "c"])), "3"),
        (changed("id", json!("../x")), "not a valid id"),
        (changed("id", json!(".x")), "not a valid id"),
        (changed("id", json!("")), "not a valid id"),
        (changed("id", json!("a")), "occurs twice"),
        (
            changed("source_file", json!("../../etc/passwd")),
            "cannot be read",
        ),
        (
            changed("source_file", json!("/etc/passwd")),
            "cannot be read",
        ),
        (both.to_string(), "remove one"),
        (
            article(&[("gold_label", json!(5))]).to_string(),
            "not one of 4",
        ),
        (
            article(&[("gold_label", json!(0))]).to_string(),
            "not one of 4",
        ),
        (
            article(&[("options", json!([]))]).to_string(),
            "not one of 0",
        ),
        (
            format!("{}1{}", "[".repeat(5000), "]".repeat(5000)),
            "JSON object",
        ),
    ] {
        let (_folder, path) = set_of(&[row("a").to_string(), line.clone()]);
        let set = QuestionSet::read_question_file(
            &path,
            DebatedWrongAnswers::Best,
            &ScenarioLimits::default(),
        )
        .unwrap();
        let [refused] = set.refused.as_slice() else {
            panic!("{line}: {:?}", set.refused)
        };
        assert_eq!((refused.line, set.rows.len()), (2, 1), "{line}");
        assert!(refused.what.contains(why), "{line}: {}", refused.what);
        let error = QuestionSet::load_question_file(&path, &ScenarioLimits::default()).unwrap_err();
        assert!(error.to_string().contains("set.jsonl:2:1"), "{error}");
    }
    // The scenario's refusal names the id.
    for (name, value, why) in [
        ("correct", json!(2), "no answer 2"),
        ("question", json!("\u{1b}[2J"), "escape character"),
        ("answers", json!(["a", "a"]), "two answers are equal"),
    ] {
        let (_folder, path) = set_of(&[changed(name, value)]);
        let set = QuestionSet::load_question_file(&path, &ScenarioLimits::default()).unwrap();
        let error = set
            .scenario_of_question("x", &ScenarioLimits::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("set.jsonl#x") && error.contains(why),
            "{error}"
        );
    }
    let (_folder, path) = set_of(&[row("a").to_string()]);
    let small = ScenarioLimits {
        file: 10,
        ..ScenarioLimits::default()
    };
    assert!(
        QuestionSet::load_question_file(&path, &small)
            .unwrap_err()
            .to_string()
            .contains("--max-file")
    );
    let (_folder, path) = set_of(&[]);
    assert!(
        QuestionSet::load_question_file(&path, &ScenarioLimits::default())
            .unwrap_err()
            .to_string()
            .contains("no question")
    );
}

#[test]
fn articles_are_read_as_they_are_published() {
    let read = |changes: &[(&str, Value)], pairs| {
        let (_folder, path) = set_of(&[article(changes).to_string()]);
        QuestionSet::read_question_file(&path, pairs, &ScenarioLimits::default()).unwrap()
    };
    let set = read(&[], DebatedWrongAnswers::Best);
    let [only] = set.rows.as_slice() else {
        panic!("{set:?}")
    };
    // Answer three is right. Two of the four annotators call answer four the best distractor; one names the right
    // answer.
    assert_eq!(only.answers, ["c", "d"]);
    assert_eq!(only.correct, Some(0));
    assert_eq!((only.id.as_str(), &*only.source), ("7_A_1", "Long ago"));
    assert_eq!(only.difficulty.as_deref(), Some("1"));
    assert_eq!(only.group.as_deref(), Some("7"));
    let tie = json!([{"untimed_best_distractor": 4}, {"untimed_eval3_distractor": 2}]);
    let set = read(&[("validation", tie)], DebatedWrongAnswers::Best);
    assert_eq!(set.rows[0].answers, ["b", "c"]);
    assert_eq!(set.rows[0].correct, Some(1));
    let set = read(&[("validation", json!([]))], DebatedWrongAnswers::Best);
    assert_eq!(set.rows[0].answers, ["a", "c"]);
    let set = read(&[], DebatedWrongAnswers::All);
    let ids: Vec<&str> = set.rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids, ["7_A_1-1", "7_A_1-2", "7_A_1-4"]);
    let places: Vec<_> = set.rows.iter().map(|row| row.correct).collect();
    assert_eq!(places, [Some(1), Some(1), Some(0)]);
    let set = read(&[("gold_label", Value::Null)], DebatedWrongAnswers::Best);
    assert_eq!((set.rows.len(), set.unlabelled), (0, 1));
}
