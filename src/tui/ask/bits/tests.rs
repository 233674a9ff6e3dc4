use super::super::testing::picture;
use super::*;
use debate_core::scenario::{ClaimKey, Successor};

fn press(editor: &mut BitsEditor<BitRows>, keys: &str) {
    for key in keys.chars() {
        editor.press(key);
    }
}

fn sent(editor: &BitsEditor<BitRows>) -> String {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    bits.to_string()
}

#[test]
fn a_slash_goes_to_a_place_and_enter_ends_that_alone() {
    let mut editor = BitsEditor::meaning(None, 1_000_000, Meaning::Plain);
    editor.act(Action::Jump);
    press(&mut editor, "314159");
    assert_eq!(editor.grid.cursor(), 314_159);
    editor.erase();
    assert_eq!(editor.grid.cursor(), 31_415);
    insta::assert_snapshot!("jumping", picture(&mut editor, 78));
    assert!(editor.settle() && !editor.settle());
    press(&mut editor, "101");
    editor.act(Action::NextDifference);
    insta::assert_snapshot!("million", picture(&mut editor, 78));
    editor.act(Action::Jump);
    press(&mut editor, "99999999999999999999999");
    assert_eq!(editor.grid.cursor(), 999_999);
}

#[test]
fn edits_are_taken_back_in_turn() {
    let mut editor = BitsEditor::meaning(None, 4, Meaning::Plain);
    press(&mut editor, "101");
    editor.act(Action::Restore);
    assert_eq!(sent(&editor), "0000");
    for bits in ["1010", "1000", "0000"] {
        assert!(editor.is_edited() && editor.undo());
        assert_eq!(sent(&editor), bits);
    }
    assert!(!editor.is_edited() && !editor.undo());
}

/// A counter of three bits that accepts seven; eight digits with more than three 1s are none.
#[derive(Debug)]
struct Counter;

impl Run for Counter {
    fn steps(&self) -> u64 {
        7
    }
    fn length(&self) -> u32 {
        4
    }
    fn start(&self) -> Bits {
        Bits::zeros(4)
    }
    fn is_well_formed(&self, configuration: &Bits) -> bool {
        configuration.at(0) == Some(false)
    }
    fn accepts(&self, configuration: &Bits) -> bool {
        debate_core::bits::number(configuration.as_slice()) == 7
    }
    fn next(&self, configuration: &Bits) -> Successor {
        let next = debate_core::bits::number(configuration.as_slice()) + 1;
        Successor::To(Bits::of_number(next, 4))
    }
    fn answer(&self, _claim: &ClaimKey) -> Option<bool> {
        None
    }
    fn at(&self, time: u64) -> Option<Bits> {
        Some(Bits::of_number(time, 4))
    }
    fn accepting(&self, _like: &Bits) -> Bits {
        Bits::of_number(7, 4)
    }
    fn text(&self, configuration: &Bits) -> String {
        format!(
            "it counts [{}]",
            debate_core::bits::number(configuration.as_slice())
        )
    }
}

#[test]
fn a_configuration_says_what_it_means() {
    let meaning = Meaning::Configuration(Arc::new(Counter), None);
    let mut editor = BitsEditor::meaning(Bits::parse("0011"), 4, meaning);
    insta::assert_snapshot!(picture(&mut editor, 60), @r"
    0011
    Bit 0 of 4 is 0.
    That says: it counts [3]
    As prepared for you.
    ");
    editor.act(Action::PlaceOn);
    editor.act(Action::Turn);
    assert!(picture(&mut editor, 60).contains("it counts [7]"));
    editor.act(Action::PlaceBack);
    editor.act(Action::Turn);
    assert!(picture(&mut editor, 60).contains("That is no configuration."));
}

#[test]
fn a_click_goes_to_its_bit() {
    let mut editor = BitsEditor::meaning(None, 100, Meaning::Plain);
    let area = Rect::new(0, 3, 60, 3);
    editor.grid.fit(area);
    assert!(editor.click(Position::new(4, 4), area));
    assert_eq!(editor.grid.cursor(), 50);
    assert!(!editor.click(Position::new(0, 4), area));
    editor.scroll(-1);
    assert_eq!(editor.grid.cursor(), 0);
}
