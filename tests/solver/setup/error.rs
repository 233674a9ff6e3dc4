use std::collections::HashMap;

use debate_core::scenario::ScenarioValuePath;
use debate_solver::setup::{
    LoadedScenario, ScenarioLimits, ScenarioSourceText, ScenarioTextSource, nearest_name,
};
use ron::error::{Position, Span, SpannedError};

/// The refusal of a scenario with this title and this description.
fn refusal(title: &str, about: &str) -> Option<String> {
    let text = format!(
        "Scenario(format: 1, title: {title:?}, about: {about:?}, problem: Parity(3), \
         protocol: Descent)"
    );
    let origin = ScenarioTextSource::Text("test".to_owned());
    let read = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default());
    read.err().map(|error| error.to_string())
}

#[test]
fn error_sentences_have_no_control_characters() {
    let limits = ScenarioLimits::default();
    let origin = ScenarioTextSource::Text("a\u{1b}[2Jb\u{202e}".to_owned());
    let source = ScenarioSourceText {
        text: "",
        origin: &origin,
        limits: &limits,
    };
    let flaw = |what: &str| {
        source
            .flaw_error(&ScenarioValuePath::default().error_at_path(what))
            .to_string()
    };
    let shown = flaw("c\u{1b}d");
    assert!(shown.starts_with("a\\u{1b}[2Jb\\u{202e}:1:1"), "{shown}");
    assert!(shown.ends_with("c\\u{1b}d"), "{shown}");
    // 600 characters and an ellipsis.
    let long = flaw(&"x".repeat(10_000));
    assert_eq!(long.matches('x').count(), 600);
    assert!(long.ends_with("x…"), "{long}");
    let unknown = LoadedScenario::find_scenario("über", &limits)
        .unwrap_err()
        .to_string();
    assert!(unknown.contains("über"), "{unknown}");
}

#[test]
fn prose_may_break_lines_and_names_may_not() {
    assert_eq!(refusal("a", "a\n\tb"), None);
    // Emoji and some scripts use joiners.
    assert_eq!(
        refusal("👩\u{200d}💻 क\u{94d}\u{200d}ष", "👩\u{200d}💻"),
        None
    );
    for (title, about, named) in [
        ("a\nb", "", "a line break"),
        ("a\tb", "", "a tab"),
        ("a", "é\u{9b}", "a control character"),
        ("a", "a\rb", "a line break"),
        ("a", "a\u{202e}b", "changes the reading direction"),
    ] {
        let refused = refusal(title, about).expect("a refusal");
        assert!(refused.contains(named), "{refused}");
    }
}

/// The error explains every mistake by the name that the parser gives it.
#[test]
fn mistakes_are_explained_by_the_names_that_the_parser_gives_them() {
    use ron::Error as E;
    let name = String::new;
    let known = [
        E::Eof,
        E::ExpectedComma,
        E::ExpectedMapColon,
        E::ExpectedBoolean,
        E::ExpectedString,
        E::ExpectedStringEnd,
        E::ExpectedInteger,
        E::IntegerOutOfBounds,
        E::ExpectedFloat,
        E::ExpectedArray,
        E::ExpectedArrayEnd,
        E::ExpectedMap,
        E::ExpectedMapEnd,
        E::ExpectedStructLike,
        E::ExpectedNamedStructLike(""),
        E::ExpectedStructLikeEnd,
        E::ExpectedOptionEnd,
        E::ExpectedIdentifier,
        E::InvalidIdentifier(name()),
        E::SuggestRawIdentifier(name()),
        E::UnclosedBlockComment,
        E::TrailingCharacters,
    ];
    let table: HashMap<&str, &str> =
        ron::from_str(include_str!("../../../src/solver/setup/mistakes.ron")).expect("mistakes");
    assert_eq!(table.len(), known.len());
    let limits = ScenarioLimits::default();
    let origin = ScenarioTextSource::Text("test".to_owned());
    let source = ScenarioSourceText {
        text: "x",
        origin: &origin,
        limits: &limits,
    };
    for code in known {
        let position = Position { line: 1, col: 1 };
        let span = Span {
            start: position,
            end: position,
        };
        let mistake = SpannedError { code, span };
        let shown = source.parse_error(source.text, &mistake).to_string();
        assert!(
            table
                .values()
                .any(|text| shown == format!("test:1:1: {text}")),
            "{mistake:?}: {shown}"
        );
    }
}

#[test]
fn slips_find_the_name_that_was_meant() {
    let known = ["title", "about", "problem", "oracle"];
    assert_eq!(nearest_name("tittle", &known), Some("title"));
    assert_eq!(nearest_name("Orcale", &known), Some("oracle"));
    assert_eq!(nearest_name("weather", &known), None);
    assert_eq!(nearest_name(&"t".repeat(100_000), &known), None);
}
