use super::super::testing::{Step, check_traces, picture};
use super::*;
use crate::tui::ask::widget::{Editor as _, Widget as _, WidgetInput};
use crate::tui::keys::Action;
use crate::tui::theme::Appearance;
use crate::tui::widget::testing::drawn_text;
use debate_core::scenario::{ClaimKey, Successor};
use std::cell::Cell;

fn press(editor: &mut GridEditor<BitRows>, keys: &str) {
    for key in keys.chars() {
        editor.press(key);
    }
}

fn sent_bits(editor: &GridEditor<BitRows>) -> String {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    bits.to_string()
}

#[test]
fn jump_moves_to_an_index_and_enter_ends_only_the_jump() {
    let mut editor = GridEditor::with_meaning(None, 1_000_000, Meaning::Plain);
    editor.act(Action::Jump);
    press(&mut editor, "314159");
    assert_eq!(editor.grid.cell(), 314_159);
    editor.erase();
    assert_eq!(editor.grid.cell(), 31_415);
    insta::assert_snapshot!("jumping", picture(&mut editor, 78));
    assert!(editor.finish_typing() && !editor.finish_typing());
    press(&mut editor, "101");
    editor.act(Action::NextDifference);
    insta::assert_snapshot!("million", picture(&mut editor, 78));
    editor.act(Action::Jump);
    press(&mut editor, "99999999999999999999999");
    assert_eq!(editor.grid.cell(), 999_999);
}

#[test]
fn edits_are_undone_in_reverse_order() {
    let mut editor = GridEditor::with_meaning(None, 4, Meaning::Plain);
    press(&mut editor, "101");
    editor.act(Action::Restore);
    assert_eq!(sent_bits(&editor), "0000");
    for bits in ["1010", "1000", "0000"] {
        assert!(editor.is_edited() && editor.undo());
        assert_eq!(sent_bits(&editor), bits);
    }
    assert!(!editor.is_edited() && !editor.undo());
}

/// A counter of three bits that accepts seven; eight digits with more than three 1s are none.
#[derive(Debug)]
struct Counter;

impl MachineRun for Counter {
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
        configuration.bit_at(0) == Some(false)
    }
    fn accepts(&self, configuration: &Bits) -> bool {
        debate_core::bits::number_from_bits(configuration.as_slice()) == 7
    }
    fn next(&self, configuration: &Bits) -> Successor {
        let next = debate_core::bits::number_from_bits(configuration.as_slice()) + 1;
        Successor::To(Bits::low_bits_of_number(next, 4))
    }
    fn answer(&self, _claim: &ClaimKey) -> Option<bool> {
        None
    }
    fn at(&self, time: u64) -> Option<Bits> {
        Some(Bits::low_bits_of_number(time, 4))
    }
    fn accepting_configuration(&self, _like: &Bits) -> Bits {
        Bits::low_bits_of_number(7, 4)
    }
    fn text(&self, configuration: &Bits) -> String {
        format!(
            "it counts [{}]",
            debate_core::bits::number_from_bits(configuration.as_slice())
        )
    }
}

#[test]
fn a_configuration_shows_its_meaning() {
    let meaning = Meaning::Configuration(Arc::new(Counter), None);
    let mut editor = GridEditor::with_meaning(Bits::parse("0011"), 4, meaning);
    insta::assert_snapshot!(picture(&mut editor, 60), @r"
    0011
    Bit 0 of 4 is 0.
    Meaning: it counts [3]
    Unchanged, as prepared.
    ");
    editor.act(Action::PlaceOn);
    editor.act(Action::Turn);
    assert!(picture(&mut editor, 60).contains("it counts [7]"));
    editor.act(Action::PlaceBack);
    editor.act(Action::Turn);
    assert!(picture(&mut editor, 60).contains("Not a configuration."));
}

#[test]
fn a_click_moves_the_cursor_to_its_bit() {
    let mut editor = GridEditor::with_meaning(None, 100, Meaning::Plain);
    let area = Rect::new(0, 3, 60, 3);
    editor.grid.fit(50, 3);
    assert!(editor.click(Position::new(4, 4), area));
    assert_eq!(editor.grid.cell(), 50);
    assert!(!editor.click(Position::new(0, 4), area));
    editor.input(WidgetInput::Wheel(-1));
    assert_eq!(editor.grid.cell(), 0);
}

#[test]
fn keys_and_clicks_match_the_recorded_traces_at_two_sizes() {
    let steps = [
        ("page below", Step::Act(Action::PageBelow)),
        ("below", Step::Act(Action::Below)),
        ("page above", Step::Act(Action::PageAbove)),
        ("above", Step::Act(Action::Above)),
        ("last", Step::Act(Action::LastPlace)),
        ("below the last", Step::Act(Action::Below)),
        ("page below the last", Step::Act(Action::PageBelow)),
        ("first", Step::Act(Action::FirstPlace)),
        ("above the first", Step::Act(Action::Above)),
        ("on", Step::Act(Action::PlaceOn)),
        ("back", Step::Act(Action::PlaceBack)),
        ("back at the first", Step::Act(Action::PlaceBack)),
        ("jump", Step::Act(Action::Jump)),
        ("no digit", Step::Press("x")),
        ("jump again", Step::Act(Action::Jump)),
        ("number", Step::Press("777")),
        ("no digit after the number", Step::Press("x")),
        ("erase a digit", Step::Erase),
        ("enter ends the number", Step::Enter),
        ("enter sends", Step::Enter),
        ("jump beyond", Step::Act(Action::Jump)),
        ("too large", Step::Press("999999")),
        ("a move ends the number", Step::Act(Action::Above)),
        ("jump and erase", Step::Act(Action::Jump)),
        ("erase nothing", Step::Erase),
        ("erase without a number", Step::Erase),
        ("text before keys", Step::Key('1')),
        ("write", Step::Press("11")),
        ("another digit", Step::Press("\u{0661}\u{0660}")),
        ("no bit", Step::Press("2")),
        ("paste", Step::Paste(" 101\n")),
        ("turn", Step::Act(Action::Turn)),
        ("restore", Step::Act(Action::Restore)),
        ("restore again", Step::Act(Action::Restore)),
        ("move", Step::Act(Action::LastPlace)),
        ("next change", Step::Act(Action::NextDifference)),
        ("previous change", Step::Act(Action::PreviousDifference)),
        ("undo 1", Step::Undo),
        ("undo 2", Step::Undo),
        ("undo 3", Step::Undo),
        ("undo 4", Step::Undo),
        ("undo 5", Step::Undo),
        ("undo 6", Step::Undo),
        ("undo 7", Step::Undo),
        ("undo 8", Step::Undo),
        ("wheel down", Step::Wheel(3)),
        ("wheel up", Step::Wheel(-1)),
        ("number before a click", Step::Act(Action::Jump)),
        ("click 0,0", Step::Click(0, 0)),
        ("click 5,0", Step::Click(5, 0)),
        ("click 9,1", Step::Click(9, 1)),
        ("click 16,1", Step::Click(16, 1)),
        ("click 60,2", Step::Click(60, 2)),
        ("click 77,5", Step::Click(77, 5)),
        ("click 5,5", Step::Click(5, 5)),
        ("unknown", Step::Act(Action::NoStep)),
    ];
    check_traces(
        "bits",
        || {
            Box::new(GridEditor::with_meaning(
                Bits::parse("0110").map(|bits| {
                    let mut all = bits.as_slice().to_vec();
                    all.resize(1234, false);
                    all.into()
                }),
                1234,
                Meaning::Plain,
            ))
        },
        &steps,
    );
}

fn drawn_bits(editor: &mut GridEditor<BitRows>, columns: u16, rows: u16) -> String {
    drawn_text(columns, rows, |buffer, area| {
        editor.draw(&mut Canvas::new(&Appearance::default(), buffer), area);
    })
}

#[test]
fn few_bits_fill_one_row_and_many_fill_rows_of_twenty() {
    let mut editor = GridEditor::with_meaning(Bits::parse("0110"), 4, Meaning::Plain);
    assert_eq!(drawn_bits(&mut editor, 20, 2), "0110\n");
    let mut editor = GridEditor::with_meaning(None, 47, Meaning::Plain);
    editor.grid.move_to(21);
    editor.grid.cycle_value();
    insta::assert_snapshot!(drawn_bits(&mut editor, 30, 3), @r"
     0  0000000000 0000000000
    20  0100000000 0000000000
    40  0000000
    ");
}

#[test]
fn a_typed_bit_is_written_and_the_cursor_advances() {
    let mut editor = GridEditor::with_meaning(Bits::parse("1100"), 4, Meaning::Plain);
    press(&mut editor, "01110");
    // The cursor stays on the last bit.
    assert_eq!(sent_bits(&editor), "0110");
}

#[test]
fn only_visible_bits_are_computed() {
    let mut grid = bit_grid(None, 1_000_000);
    for index in [0, 314_159, 999_999] {
        grid.move_to(index);
        let computed = Cell::new(0);
        drawn_text(78, 8, |buffer, area| {
            let rows = RowLayout::new(grid.cell_count(), area.width);
            grid.fit(rows.per_row, area.height.into());
            let bit = |index| {
                computed.set(computed.get() + 1);
                assert!(index < 1_000_000);
                false
            };
            let look = Appearance::default();
            rows.draw(&grid, bit, &mut Canvas::new(&look, buffer), area);
        });
        assert_eq!(computed.get(), 8 * 50);
        assert!(grid.visible_cells().contains(&index));
    }
}

#[test]
fn a_click_finds_its_bit_and_empty_grids_are_drawn() {
    let mut editor = GridEditor::with_meaning(None, 47, Meaning::Plain);
    drawn_bits(&mut editor, 30, 3);
    let area = Rect::new(0, 0, 30, 3);
    let hit = |x, y| {
        editor
            .cells
            .part_at(&editor.grid, Position::new(x, y), area)
    };
    assert_eq!(hit(4, 1), GridHit::Cell(20));
    assert_eq!(hit(15, 0), GridHit::Cell(10));
    assert_eq!(hit(14, 0), GridHit::Outside);
    assert_eq!(hit(29, 2), GridHit::Outside);
    for columns in 0..40 {
        for rows in 0..6 {
            drawn_bits(&mut editor, columns, rows);
            let mut empty = GridEditor::with_meaning(None, 0, Meaning::Plain);
            drawn_bits(&mut empty, columns, rows);
        }
    }
}
