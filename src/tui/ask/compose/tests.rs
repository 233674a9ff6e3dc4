use super::super::testing::draw_as_text;
use super::*;
use crate::tui::theme::ScreenAppearance;
use crate::tui::widget::Canvas;
use crate::tui::widget::testing::drawn_text;
use ratatui::crossterm::event::KeyModifiers;

fn task(listed: usize) -> SupportWritingTask {
    let ways = [
        "all of 2: “It pays”; “It lasts”",
        "one subclaim: “It pleases”",
    ];
    SupportWritingTask {
        claim: "It is worth it.".to_owned(),
        max_subclaims: 4,
        is_last_level: false,
        listed: ways.iter().take(listed).map(ToString::to_string).collect(),
    }
}

fn write(composer: &mut SupportComposer, text: &str) {
    for c in text.chars() {
        assert!(
            composer.write_typed_character(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))
        );
    }
}

fn key(composer: &mut SupportComposer, code: KeyCode) -> bool {
    composer.write_typed_character(KeyEvent::new(code, KeyModifiers::NONE))
}

fn sent_support(composer: &SupportComposer) -> Result<(Gate, Vec<String>), String> {
    match composer.reply()? {
        Reply::Compose(composed) => {
            let mark = |part: &ProverWrittenSubclaim| if part.judged { "!" } else { "" };
            let parts = composed
                .parts
                .iter()
                .map(|part| format!("{}{}", mark(part), part.text));
            Ok((composed.gate.clone(), parts.collect()))
        }
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn subclaims_are_written_reordered_given_to_the_judge_and_sent() {
    let mut composer = SupportComposer::new(task(2));
    write(&mut composer, "It pays?");
    assert!(composer.finish_typing());
    write(&mut composer, "q: 日本で");
    assert!(composer.act(Action::ToJudge));
    assert!(composer.finish_typing());
    insta::assert_snapshot!("written", draw_as_text(&mut composer, 60));
    // Enter on the empty line sends.
    assert!(!composer.finish_typing());
    let parts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        sent_support(&composer),
        Ok((Gate::All, parts(&["It pays?", "!q: 日本で"])))
    );
    composer.act(Action::Above);
    composer.act(Action::LineUp);
    composer.act(Action::NextGate);
    assert_eq!(
        sent_support(&composer),
        Ok((Gate::Any, parts(&["!q: 日本で", "It pays?"])))
    );
    composer.act(Action::RemoveLine);
    assert_eq!(
        sent_support(&composer),
        Ok((Gate::Any, parts(&["It pays?"])))
    );
}

#[test]
fn an_invalid_support_is_refused_with_the_reason() {
    let mut composer = SupportComposer::new(task(0));
    let nothing = sent_support(&composer).unwrap_err();
    assert_eq!(
        nothing,
        "Your support of this claim has no subclaims; name at least one."
    );
    write(&mut composer, "It pays");
    composer.finish_typing();
    write(&mut composer, "it pays.");
    let twice = sent_support(&composer).unwrap_err();
    assert_eq!(twice, "Subclaims 1 and 2 are equal; change or remove one.");
    for _ in 0..8 {
        assert!(key(&mut composer, KeyCode::Backspace));
    }
    write(&mut composer, "It lasts");
    composer.act(Action::Above);
    composer.act(Action::Above);
    composer.act(Action::TurnBack);
    let gate = sent_support(&composer).unwrap_err();
    assert_eq!(
        gate,
        "The gate `Not` takes exactly one subclaim, but there are 2."
    );
    let mut composer = SupportComposer::new(task(0));
    write(&mut composer, "a\u{202e}");
    assert!(sent_support(&composer).unwrap_err().contains("U+202E"));
}

#[test]
fn each_pasted_line_becomes_a_subclaim() {
    let mut composer = SupportComposer::new(task(0));
    write(&mut composer, "First: ");
    composer.paste("it pays\r\n\n  it lasts\nit pleases\nit is legal\nit is fun\n");
    let (_, parts) = sent_support(&composer).unwrap();
    assert_eq!(
        parts,
        ["First: it pays", "it lasts", "it pleases", "it is legal"]
    );
    let notes = composer.notes();
    assert_eq!(
        notes[0].1,
        "Only 4 of 5 pasted lines fit; at most 4 subclaims are allowed."
    );
    // The limit of lines is reached, so enter on the last line sends.
    assert!(!composer.finish_typing());
}

#[test]
fn listed_supports_are_chosen_with_the_arrows_the_mouse_or_by_number() {
    let mut composer = SupportComposer::new(task(2));
    for _ in 0..3 {
        composer.act(Action::Above);
    }
    assert_eq!(composer.reply(), Ok(Reply::Support(0)));
    assert!(!composer.finish_typing());
    assert!(composer.choose_listed('2') && !composer.choose_listed('3'));
    assert_eq!(composer.reply(), Ok(Reply::Support(1)));
    let area = Rect::new(0, 0, 40, 4);
    drawn_text(40, 4, |buffer, area| {
        composer.draw(&mut Canvas::new(&ScreenAppearance::default(), buffer), area);
    });
    assert!(composer.click(Position::new(3, 3), area));
    assert_eq!(composer.at, Cursor::Subclaim(0));
    // On the line of the gate, letters are keys again.
    composer.act(Action::Above);
    assert!(!key(&mut composer, KeyCode::Char('q')));
    // If no subclaim is written, enter on the gate's line starts one.
    assert!(composer.finish_typing());
    assert_eq!(composer.at, Cursor::Subclaim(0));
}

#[test]
fn the_gates_on_offer_depend_on_the_number_of_subclaims() {
    let mut composer = SupportComposer::new(task(0));
    composer.paste("a\nb\nc");
    let mut seen = Vec::new();
    for _ in 0..7 {
        seen.push(composer.gate.clone());
        composer.act(Action::NextGate);
    }
    let all = [
        Gate::All,
        Gate::Any,
        Gate::Majority,
        Gate::AtLeast(2),
        Gate::Xor,
        Gate::Not,
        Gate::All,
    ];
    assert_eq!(seen, all);
}

#[test]
fn the_cursor_line_stays_in_view_in_a_small_area() {
    let mut composer = SupportComposer::new(task(2));
    composer.paste("a\nb\nc");
    for rows in 0..6 {
        for columns in 0..30 {
            let shown = drawn_text(columns, rows, |buffer, area| {
                composer.draw(&mut Canvas::new(&ScreenAppearance::default(), buffer), area);
            });
            if rows > 0 && columns > 8 {
                assert!(shown.contains("3  c_"), "{shown}");
            }
        }
    }
}
