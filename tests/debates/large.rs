//! Arguments of very many claims, written down one by one.

use debate_tui::setup::{Limits, Origin, Setup, SetupError};

use crate::arguments;

fn read(text: &str) -> Result<Setup, SetupError> {
    let origin = Origin::Text("test.ron".to_owned());
    Setup::from_text(text, origin, &Limits::default())
}

#[test]
fn a_hundred_thousand_claims_are_read() {
    let setup = read(&arguments::argument(100_000)).expect("a scenario");
    let size = setup.decomposition.size(0);
    assert_eq!(size.claims, 100_000_u32.into());
    assert_eq!((size.depth, size.width), (5, 10));
    assert_eq!(size.leaves, 90_000_u32.into());
}

#[test]
fn an_error_at_the_end_is_found() {
    let text = arguments::argument(20_000);
    let text = text.replace("Observation 19999 was", "Observation \\u{9b}19999 was");
    let error = read(&text).expect_err("a control character").to_string();
    assert!(error.starts_with("test.ron:20000:"), "{error}");
    assert!(error.contains("problem.claims[\"c19999\"].text: a control character (U+009B)"));
}
