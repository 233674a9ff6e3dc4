use super::*;

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

fn at(path: &Path) -> Option<(usize, usize)> {
    locate(FILE, path)
}

#[test]
fn values_are_found_along_their_path() {
    let problem = Path::field("problem");
    assert_eq!(at(&Path::field("title")), Some((4, 12)));
    assert_eq!(at(&problem), Some((5, 16)));
    let claims = problem.then("claims");
    let on = claims.entry("a").then("on");
    assert_eq!(at(&on.item(1)), Some((7, 65)));
    assert_eq!(at(&claims.entry("b").then("text")), Some((8, 35)));
    assert_eq!(at(&problem.then("numbers").item(1)), Some((11, 29)));
}

#[test]
fn a_key_that_stands_twice_is_found_where_it_stands_again() {
    let claims = Path::field("problem").then("claims");
    assert_eq!(at(&claims.entry("a")), Some((9, 13)));
}

#[test]
fn what_is_not_there_is_found_as_far_as_it_is() {
    let claims = Path::field("problem").then("claims");
    assert_eq!(at(&claims.entry("b").then("truth")), Some((8, 13)));
    assert_eq!(at(&Path::field("oracle")), Some((3, 1)));
    assert_eq!(locate("", &Path::field("title")), None);
}

#[test]
fn lines_and_columns_lead_there_and_back() {
    let text = "ab\nçd\n\ne";
    for (index, _) in text.char_indices() {
        let (line, column) = line_and_column(text, index);
        assert_eq!(offset(text, line, column), index);
    }
    assert_eq!(line_and_column(text, 5), (2, 2));
}

proptest::proptest! {
    #[test]
    fn any_text_is_walked_to_an_end(text in "[ra-c\"'#(){}\\[\\],:/* \\\\\\n]{0,40}") {
        let path = Path::field("a").entry("b").item(1).then("c");
        locate(&text, &path);
    }
}
