use super::super::testing::picture;
use super::*;
use crate::tui::ask::widget::Widget as _;
use crate::tui::keys::Action;
use crate::tui::theme::Appearance;
use crate::tui::widget::Canvas;
use debate_core::protocol::Reply;
use debate_core::scenario::read_qdimacs;

/// Rain on Monday is chosen first, then what to wear and to ride.
fn formula() -> Arc<Formula> {
    let text = "p cnf 5 5\ne 1 0\na 2 0\ne 3 4 5 0\n4 5 0\n-5 1 0\n-5 -2 3 0\n-3 2 0\n1 -4 0\n";
    let names = ["bicycle", "rain", "coat", "bus", "ride"].map(str::to_owned);
    let formula = read_qdimacs(text.as_bytes()).unwrap();
    Arc::new(formula.named((1..).zip(names)).unwrap())
}

/// The last block once Alice has no bicycle and it does not rain.
fn editor() -> BitsEditor<Variables> {
    BitsEditor::<Variables>::of(formula(), 2, vec![false, false], None).unwrap()
}

fn press(editor: &mut BitsEditor<Variables>, keys: &str) {
    for key in keys.chars() {
        assert!(editor.press(key));
    }
}

fn sent(editor: &BitsEditor<Variables>) -> String {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    bits.to_string()
}

#[test]
fn variables_have_the_scenario_s_names_and_clauses_say_whether_they_hold() {
    let mut editor = editor();
    insta::assert_snapshot!("beside", picture(&mut editor, 78));
    insta::assert_snapshot!("below", picture(&mut editor, 38));
    // A ride without a bicycle breaks a clause.
    editor.act(Action::LastPlace);
    press(&mut editor, "1");
    assert_eq!(sent(&editor), "001");
    let shown = picture(&mut editor, 78);
    assert!(shown.contains("✘ not ride or bicycle"), "{shown}");
    assert!(shown.contains("✔ bus or ride"), "{shown}");
    insta::assert_snapshot!("broken", shown);
}

#[test]
fn what_the_blocks_outside_have_made_true_is_not_listed_and_the_count_says_so() {
    let mut editor = BitsEditor::<Variables>::of(formula(), 2, vec![true, false], None).unwrap();
    let shown = picture(&mut editor, 78);
    // Of five clauses three read the bicycle or the sun and hold.
    assert!(!shown.contains("not ride or bicycle"), "{shown}");
    assert!(shown.contains("1 fails, 4 hold"), "{shown}");
    press(&mut editor, "1");
    let shown = picture(&mut editor, 78);
    assert!(shown.contains("2 fail, 3 hold"), "{shown}");
}

#[test]
fn edits_are_taken_back_and_clauses_follow() {
    let mut editor = editor();
    let before = picture(&mut editor, 78);
    press(&mut editor, "111");
    assert_ne!(picture(&mut editor, 78), before);
    while editor.is_edited() {
        assert!(editor.undo());
    }
    editor.act(Action::FirstPlace);
    assert_eq!(picture(&mut editor, 78), before);
}

#[test]
fn a_click_marks_a_variable() {
    let mut editor = editor();
    picture(&mut editor, 78);
    let area = Rect::new(0, 3, 78, 6);
    assert!(editor.click(Position::new(2, 5), area));
    assert_eq!(editor.grid.cursor(), 2);
    assert!(!editor.click(Position::new(60, 5), area));
    assert_eq!(sent(&editor), "000", "a click changes nothing");
}

#[test]
fn any_room_and_any_number_of_variables_are_drawn() {
    let many: Vec<u32> = (1..=5000).collect();
    let list: Vec<String> = many.iter().map(u32::to_string).collect();
    let text = format!("p cnf 5000 1\ne {} 0\n1 -5000 0\n", list.join(" "));
    let large = Arc::new(read_qdimacs(text.as_bytes()).unwrap());
    for formula in [formula(), large] {
        for columns in [0, 1, 9, 20, 40, 59, 60, 200] {
            for rows in [0, 1, 2, 8] {
                let formula = formula.clone();
                let mut editor = BitsEditor::<Variables>::of(formula, 0, Vec::new(), None).unwrap();
                editor.act(Action::LastPlace);
                crate::tui::widget::testing::drawn(columns, rows, |buffer, area| {
                    editor.draw(&mut Canvas::of(&Appearance::default(), buffer), area);
                });
            }
        }
    }
}
