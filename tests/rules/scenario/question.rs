use debate_core::scenario::{
    DebateQuestionSpec, Decomposition, ScenarioValuePath, TwoAnswerQuestion,
};

fn spec() -> DebateQuestionSpec {
    DebateQuestionSpec {
        text: "Who?".to_owned(),
        answers: ["She".to_owned(), "He".to_owned()],
        source: "  “She,” said\n\nhe — then left. ".to_owned(),
        correct: Some(1),
        material: None,
    }
}

#[test]
fn invalid_questions_are_refused_with_their_location() {
    let path = ScenarioValuePath::path_of_top_level_field("problem");
    let wrong = |change: fn(&mut DebateQuestionSpec)| {
        let mut spec = spec();
        change(&mut spec);
        TwoAnswerQuestion::build(spec, &path)
            .unwrap_err()
            .to_string()
    };
    let same = wrong(|spec| spec.answers[1] = " She ".to_owned());
    assert!(same.contains("two answers are equal"), "{same}");
    assert!(wrong(|spec| spec.correct = Some(2)).contains("no answer 2"));
    assert!(wrong(|spec| spec.text = " ".to_owned()).contains("is empty"));
    assert!(wrong(|spec| spec.answers[0].clear()).contains("is empty"));
}

#[test]
fn the_only_claim_is_that_the_first_answer_is_right() {
    let question = TwoAnswerQuestion::build(spec(), &ScenarioValuePath::default()).unwrap();
    let root = question.root(0);
    assert_eq!(Decomposition::text(&question, &root, 0), "Who? She");
    assert_eq!(question.truth(&root, 0), Some(false));
    let unknown = DebateQuestionSpec {
        correct: None,
        material: None,
        ..spec()
    };
    let unknown = TwoAnswerQuestion::build(unknown, &ScenarioValuePath::default()).unwrap();
    assert!(!unknown.is_decidable(0) && unknown.truth(&root, 0).is_none());
}
