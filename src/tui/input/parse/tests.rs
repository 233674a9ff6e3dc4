use super::*;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Vec<event::Event> {
    let mut parser = TerminalInputParser::default();
    parser.feed(bytes);
    parser.parse_pending_bytes_as_complete();
    parser.ready
}

fn plain_key(code: KeyCode) -> event::Event {
    key(code, KeyModifiers::NONE)
}

#[test]
fn key_sequences_of_terminals_are_parsed() {
    use KeyCode::{
        BackTab, Backspace, Char, Delete, End, Enter, Esc, F, Home, Left, PageUp, Tab, Up,
    };
    const NONE: KeyModifiers = KeyModifiers::NONE;
    const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
    const ALT: KeyModifiers = KeyModifiers::ALT;
    const CONTROL: KeyModifiers = KeyModifiers::CONTROL;
    let known: &[(&str, KeyCode, KeyModifiers)] = &[
        ("j", Char('j'), NONE),
        ("J", Char('J'), SHIFT),
        ("é", Char('é'), NONE),
        ("日", Char('日'), NONE),
        ("\r", Enter, NONE),
        ("\t", Tab, NONE),
        ("\x7f", Backspace, NONE),
        ("\0", Char(' '), CONTROL),
        ("\x1a", Char('z'), CONTROL),
        ("\x1b", Esc, NONE),
        ("\x1bx", Char('x'), ALT),
        ("\x1b[", Char('['), ALT),
        ("\x1b[A", Up, NONE),
        ("\x1bOA", Up, NONE),
        ("\x1b[1;2D", Left, SHIFT),
        ("\x1b[1;7D", Left, ALT.union(CONTROL)),
        ("\x1b[H", Home, NONE),
        ("\x1b[1~", Home, NONE),
        ("\x1b[4~", End, NONE),
        ("\x1b[3~", Delete, NONE),
        ("\x1b[5;5~", PageUp, CONTROL),
        ("\x1b[Z", BackTab, SHIFT),
        ("\x1bOP", F(1), NONE),
        ("\x1b[[B", F(2), NONE),
        ("\x1b[1;2R", F(3), SHIFT),
        ("\x1b[15~", F(5), NONE),
        ("\x1b[17~", F(6), NONE),
        ("\x1b[24~", F(12), NONE),
        ("\x1b[97;5u", Char('a'), CONTROL),
        ("\x1b[27;5;9~", Tab, CONTROL),
    ];
    for &(bytes, code, modifiers) in known {
        assert_eq!(read(bytes.as_bytes()), [key(code, modifiers)], "{bytes:?}");
    }
}

#[test]
fn unknown_escape_sequences_are_ignored() {
    for noise in [
        "\x1b[201~",
        "\x1b[I",
        "\x1b[O",
        "\x1b[12;40R",
        "\x1b[?62;4c",
        "\x1b[<35;4;4M",
    ] {
        let bytes = format!("{noise}q");
        assert_eq!(
            read(bytes.as_bytes()),
            [plain_key(KeyCode::Char('q'))],
            "{noise:?}"
        );
    }
    assert_eq!(read(b"\x1b[M\x20qqk"), [plain_key(KeyCode::Char('k'))]);
    assert_eq!(read(b"\xff\xc3q"), [plain_key(KeyCode::Char('q'))]);
}

#[test]
fn late_terminal_answers_are_not_typed_input() {
    for answer in [
        "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
        "\x1b]11;rgb:ff/ff/ff\x07",
        "\x1b]10;?\x1b\\\x1b[?62;22c",
    ] {
        assert_eq!(read(answer.as_bytes()), []);
        let then = format!("{answer}q");
        assert_eq!(read(then.as_bytes()), [plain_key(KeyCode::Char('q'))]);
        // Without the rest of the answer, its first part is not typing either.
        let half = &answer.as_bytes()[..answer.len() / 3];
        assert_eq!(read(half), []);
    }
    // A user may mean the key.
    let alt = key(KeyCode::Char(']'), KeyModifiers::ALT);
    assert_eq!(read(b"\x1b]"), std::slice::from_ref(&alt));
    let then = plain_key(KeyCode::Char('q'));
    assert_eq!(read(b"\x1b]q"), [alt, then.clone()]);
    // The interrupting key is read.
    assert_eq!(read(b"\x1b]11;\rq")[1..], [then]);
    let endless = format!("\x1b]1{}", "x".repeat(2000));
    assert!(read(endless.as_bytes()).len() > 100);
}

#[test]
fn a_sequence_may_arrive_in_pieces() {
    let mut parser = TerminalInputParser::default();
    for byte in *b"\x1b[1;2D" {
        assert!(parser.ready.is_empty());
        parser.feed(&[byte]);
    }
    assert_eq!(parser.ready, [key(KeyCode::Left, KeyModifiers::SHIFT)]);
    assert_eq!(parser.incomplete_input_timeout(), None);
}

#[test]
fn mouse_reports_are_parsed() {
    let event = |kind, modifiers| {
        event::Event::Mouse(MouseEvent {
            kind,
            column: 9,
            row: 4,
            modifiers,
        })
    };
    let none = KeyModifiers::NONE;
    assert_eq!(
        read(b"\x1b[<0;10;5M"),
        [event(MouseEventKind::Down(MouseButton::Left), none)]
    );
    assert_eq!(
        read(b"\x1b[<2;10;5m"),
        [event(MouseEventKind::Up(MouseButton::Right), none)]
    );
    assert_eq!(
        read(b"\x1b[<32;10;5M"),
        [event(MouseEventKind::Drag(MouseButton::Left), none)]
    );
    assert_eq!(
        read(b"\x1b[<65;10;5M"),
        [event(MouseEventKind::ScrollDown, none)]
    );
    let shifted = event(MouseEventKind::ScrollUp, KeyModifiers::SHIFT);
    assert_eq!(read(b"\x1b[<68;10;5M"), [shifted]);
}

#[test]
fn a_paste_is_one_text_with_any_content() {
    let text = event::Event::Paste("one\ntwo\x1b[A".into());
    let after = plain_key(KeyCode::Char('q'));
    assert_eq!(read(b"\x1b[200~one\rtwo\x1b[A\x1b[201~q"), [text, after]);
}

#[test]
fn a_paste_without_an_end_mark_ends_after_a_pause() {
    let mut parser = TerminalInputParser::default();
    parser.feed(b"\x1b[200~half");
    assert_eq!(parser.incomplete_input_timeout(), Some(PASTE_PATIENCE));
    parser.parse_pending_bytes_as_complete();
    parser.feed(b"q\x1b[201~r");
    let expected = [
        event::Event::Paste("half".into()),
        plain_key(KeyCode::Char('q')),
        plain_key(KeyCode::Char('r')),
    ];
    assert_eq!(parser.ready, expected);
}

#[test]
fn a_long_paste_arrives_in_complete_parts() {
    let text = "日本語 ".repeat(PASTE_PART / 4);
    let mut parser = TerminalInputParser::default();
    parser.feed(b"\x1b[200~");
    text.as_bytes()
        .chunks(4096)
        .for_each(|part| parser.feed(part));
    parser.feed(b"\x1b[201~");
    let parts = parser.ready.iter().map(|input| match input {
        event::Event::Paste(part) => part.as_str(),
        other => panic!("not a paste: {other:?}"),
    });
    assert_eq!(parts.collect::<String>(), text);
}

proptest! {
    #[test]
    fn parsing_is_independent_of_chunk_boundaries(
        bytes in prop::collection::vec(
            prop_oneof![Just(0x1b_u8), Just(b'['), Just(b'~'), Just(b'<'), b'0'..=b';', any::<u8>()],
            0..80,
        ),
        cut in 0_usize..80,
    ) {
        let (front, back) = bytes.split_at(cut.min(bytes.len()));
        let mut parser = TerminalInputParser::default();
        parser.feed(front);
        parser.feed(back);
        parser.parse_pending_bytes_as_complete();
        prop_assert_eq!(parser.ready, read(&bytes));
    }
}
