use std::io;
use std::sync::{Arc, Mutex};

use debate_core::scenario::ScenarioValuePath;
use debate_solver::setup::{
    ScenarioError, ScenarioLimits, ScenarioSourceText, ScenarioTextSource, SourceLocation,
};
use ron::error::{Position, Span, SpannedError};

const FILE: &str = r##"#![enable(implicit_some)]
// ( [ { "
Scenario(
    title: r#"a "quoted" (title"#, /* , ) /* nested */ */
    r#problem: Some(Argument(
        claims: {
            "a": Claim(text: "b: \"), c", check: 'x', on: ["1", "2"]),
            "\u{62}": Claim(text: "t"),
            "a": Claim(text: "again"),
        },
        numbers: Between(1, 2),
    )),
)"##;

/// The position in an error about a text.
fn place(text: &str, refuse: impl Fn(&ScenarioSourceText<'_>) -> ScenarioError) -> (usize, usize) {
    let limits = ScenarioLimits::default();
    let origin = ScenarioTextSource::Text("test".to_owned());
    let source = ScenarioSourceText {
        text,
        origin: &origin,
        limits: &limits,
    };
    match refuse(&source) {
        ScenarioError::Flawed { place, .. } | ScenarioError::Malformed { place, .. } => {
            let SourceLocation { line, column, .. } = place;
            (line, column)
        }
        other => panic!("{other}"),
    }
}

/// The line and column of an error about the value at a path.
fn located(text: &str, path: &ScenarioValuePath) -> (usize, usize) {
    place(text, |source| {
        source.flaw_error(&path.error_at_path("wrong"))
    })
}

fn at(path: &ScenarioValuePath) -> (usize, usize) {
    located(FILE, path)
}

#[test]
fn values_are_found_along_their_path() {
    let problem = ScenarioValuePath::path_of_top_level_field("problem");
    assert_eq!(
        at(&ScenarioValuePath::path_of_top_level_field("title")),
        (4, 12)
    );
    assert_eq!(at(&problem), (5, 16));
    let claims = problem.path_of_field("claims");
    let on = claims.then_map_entry("a").path_of_field("on");
    assert_eq!(at(&on.then_list_item(1)), (7, 65));
    assert_eq!(
        at(&claims.then_map_entry("b").path_of_field("text")),
        (8, 35)
    );
    assert_eq!(
        at(&problem.path_of_field("numbers").then_list_item(1)),
        (11, 29)
    );
}

#[test]
fn a_repeated_key_is_located_at_its_second_occurrence() {
    let claims = ScenarioValuePath::path_of_top_level_field("problem").path_of_field("claims");
    assert_eq!(at(&claims.then_map_entry("a")), (9, 13));
}

#[test]
fn a_missing_field_is_located_at_its_nearest_ancestor() {
    let claims = ScenarioValuePath::path_of_top_level_field("problem").path_of_field("claims");
    assert_eq!(
        at(&claims.then_map_entry("b").path_of_field("truth")),
        (8, 13)
    );
    assert_eq!(
        at(&ScenarioValuePath::path_of_top_level_field("oracle")),
        (3, 1)
    );
    // In a text that is not a scenario, the position is the first character.
    assert_eq!(
        located("", &ScenarioValuePath::path_of_top_level_field("title")),
        (1, 1)
    );
}

#[test]
fn an_error_of_the_parser_is_placed_at_its_line_and_column() {
    let placed = |text: &str, line: usize, col: usize| {
        let position = Position { line, col };
        let span = Span {
            start: position,
            end: position,
        };
        let error = SpannedError {
            code: ron::Error::ExpectedComma,
            span,
        };
        place(text, |source| source.parse_error(source.text, &error))
    };
    let text = "ab\nçd\n\ne";
    for (line, column) in [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)] {
        assert_eq!(placed(text, line, column), (line, column));
    }
    // An error between values has the position of the next value.
    assert_eq!(placed(text, 1, 3), (2, 1));
    assert_eq!(placed(text, 2, 3), (4, 1));
    assert_eq!(placed(text, 9, 9), (4, 2));
}

proptest::proptest! {
    #[test]
    fn any_text_is_walked_to_an_end(text in "[ra-c\"'#(){}\\[\\],:/* \\\\\\n]{0,40}") {
        let path = ScenarioValuePath::path_of_top_level_field("a").then_map_entry("b").then_list_item(1).path_of_field("c");
        located(&text, &path);
    }
}

/// Number of readings of the text for an error about the value at a path.
fn readings(text: &str, path: &ScenarioValuePath) -> usize {
    let log = Arc::new(Mutex::new(Vec::new()));
    let writer = Arc::clone(&log);
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || LogWriter(Arc::clone(&writer)))
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        // A test on another thread may have registered the event without a subscriber, which disables it for all
        // threads. The first call registers it at the latest, and the rebuild enables it for this subscriber.
        located(text, path);
        tracing::callsite::rebuild_interest_cache();
        log.lock().unwrap().clear();
        located(text, path);
    });
    let log = log.lock().unwrap();
    let log = String::from_utf8_lossy(&log);
    log.matches("parsing a scenario's text to locate a value in it")
        .count()
}

/// A writer that appends to a shared log.
struct LogWriter(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The work depends on the length of the text alone, not on the number of steps to the value.
#[test]
fn a_value_is_located_in_at_most_two_readings_of_the_text() {
    let list: Vec<String> = (0..5_000)
        .map(|row| format!("({row}, [1, 2]),\n"))
        .collect();
    let text = format!(
        "Scenario(problem: Argument(claims: {{\"a\": Claim(table: Table({{\"t\": [{}]}}), last: All)}}))",
        list.concat()
    );
    let claim = ScenarioValuePath::path_of_top_level_field("problem")
        .path_of_field("claims")
        .then_map_entry("a");
    let row = claim
        .path_of_field("table")
        .then_map_entry("t")
        .then_list_item(4_999);
    let end = located(&text, &row.then_list_item(1).then_list_item(1));
    assert_eq!(end, (5_000, 12));
    assert_eq!(readings(&text, &row.then_list_item(1).then_list_item(1)), 1);
    assert_eq!(readings(&text, &claim), 1);
    // The file has no such value, so the second reading ends at its innermost existing ancestor.
    assert_eq!(
        readings(
            &text,
            &row.then_list_item(1)
                .then_list_item(7)
                .path_of_field("more")
        ),
        2
    );
    assert_eq!(
        readings(&text, &claim.path_of_field("last").path_of_field("more")),
        2
    );
    assert_eq!(located(&text, &row.then_list_item(7)), (5_000, 1));
}
