mod encodings;
mod secrecy;

use super::*;

#[test]
fn long_lines_are_skipped() {
    let text = format!("one\n\n{}\ntwo", "x".repeat(100));
    let mut input = io::BufReader::with_capacity(7, text.as_bytes());
    let mut buffer = Vec::new();
    let mut read = || {
        let read = read_line(&mut input, &mut buffer, 5).unwrap();
        (read, String::from_utf8(buffer.clone()).unwrap())
    };
    assert_eq!(read(), (LineReadResult::Line, "one".to_owned()));
    assert_eq!(read(), (LineReadResult::Line, String::new()));
    assert_eq!(read(), (LineReadResult::TooLong, String::new()));
    assert_eq!(read(), (LineReadResult::Line, "two".to_owned()));
    assert_eq!(read(), (LineReadResult::End, String::new()));
}

#[test]
fn written_lines_escape_control_characters() {
    assert_eq!(
        json_line_with_newline(&"a\u{202e}\u{1b}").unwrap(),
        "\"a\\u202e\\u001b\"\n"
    );
}
