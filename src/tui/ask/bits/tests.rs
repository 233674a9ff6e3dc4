use super::super::testing::{
    WidgetTestInput, check_traces, draw_as_text, grid_editor_trace_steps,
    undo_and_wheel_trace_steps,
};
use super::*;
use crate::tui::ask::widget::{AnswerWidget as _, UndoableWidget as _, UnmappedWidgetInput};
use crate::tui::keys::Action;
use crate::tui::theme::ScreenAppearance;
use crate::tui::widget::testing::drawn_text;
use debate_core::scenario::{ClaimKey, SuccessorOrOracleQuery};
use std::cell::Cell;

fn press(editor: &mut GridEditor<BitRowsEditorBehaviour>, keys: &str) {
    for key in keys.chars() {
        editor.press(key);
    }
}

fn sent_bits(editor: &GridEditor<BitRowsEditorBehaviour>) -> String {
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
    assert_eq!(editor.grid.cell_under_cursor(), 314_159);
    editor.handle_backspace();
    assert_eq!(editor.grid.cell_under_cursor(), 31_415);
    insta::assert_snapshot!("jumping", draw_as_text(&mut editor, 78));
    assert!(editor.finish_typing() && !editor.finish_typing());
    press(&mut editor, "101");
    editor.act(Action::NextDifference);
    insta::assert_snapshot!("million", draw_as_text(&mut editor, 78));
    editor.act(Action::Jump);
    press(&mut editor, "99999999999999999999999");
    assert_eq!(editor.grid.cell_under_cursor(), 999_999);
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
    fn start(&self) -> BitString {
        BitString::zeros(4)
    }
    fn is_well_formed(&self, configuration: &BitString) -> bool {
        configuration.bit_at(0) == Some(false)
    }
    fn accepts(&self, configuration: &BitString) -> bool {
        debate_core::bits::number_from_bits(configuration.as_slice()) == 7
    }
    fn next(&self, configuration: &BitString) -> SuccessorOrOracleQuery {
        let next = debate_core::bits::number_from_bits(configuration.as_slice()) + 1;
        SuccessorOrOracleQuery::To(BitString::low_bits_of_number(next, 4))
    }
    fn answer(&self, _claim: &ClaimKey) -> Option<bool> {
        None
    }
    fn at(&self, time: u64) -> Option<BitString> {
        Some(BitString::low_bits_of_number(time, 4))
    }
    fn accepting_configuration(&self, _like: &BitString) -> BitString {
        BitString::low_bits_of_number(7, 4)
    }
    fn text(&self, configuration: &BitString) -> String {
        format!(
            "it counts [{}]",
            debate_core::bits::number_from_bits(configuration.as_slice())
        )
    }
}

#[test]
fn a_configuration_shows_its_meaning() {
    let meaning = Meaning::Configuration(Arc::new(Counter), None);
    let mut editor = GridEditor::with_meaning(BitString::parse("0011"), 4, meaning);
    insta::assert_snapshot!(draw_as_text(&mut editor, 60), @r"
    0011
    Bit 0 of 4 is 0.
    Meaning: it counts [3]
    Unchanged, as prepared.
    ");
    editor.act(Action::PlaceOn);
    editor.act(Action::Turn);
    assert!(draw_as_text(&mut editor, 60).contains("it counts [7]"));
    editor.act(Action::PlaceBack);
    editor.act(Action::Turn);
    assert!(draw_as_text(&mut editor, 60).contains("Not a configuration."));
}

#[test]
fn a_click_moves_the_cursor_to_its_bit() {
    let mut editor = GridEditor::with_meaning(None, 100, Meaning::Plain);
    let area = Rect::new(0, 3, 60, 3);
    editor.grid.lay_out_rows(50, 3);
    assert!(editor.click(Position::new(4, 4), area));
    assert_eq!(editor.grid.cell_under_cursor(), 50);
    assert!(!editor.click(Position::new(0, 4), area));
    editor.input(UnmappedWidgetInput::Wheel(-1));
    assert_eq!(editor.grid.cell_under_cursor(), 0);
}

#[test]
fn keys_and_clicks_match_the_recorded_traces_at_two_sizes() {
    let mut steps = grid_editor_trace_steps("777", "999999");
    steps.extend([
        ("text before keys", WidgetTestInput::Key('1')),
        ("write", WidgetTestInput::Press("11")),
        ("another digit", WidgetTestInput::Press("\u{0661}\u{0660}")),
        ("no bit", WidgetTestInput::Press("2")),
        ("paste", WidgetTestInput::Paste(" 101\n")),
        ("turn", WidgetTestInput::Act(Action::Turn)),
        ("restore", WidgetTestInput::Act(Action::Restore)),
        ("restore again", WidgetTestInput::Act(Action::Restore)),
        ("move", WidgetTestInput::Act(Action::LastPlace)),
        ("next change", WidgetTestInput::Act(Action::NextDifference)),
        (
            "previous change",
            WidgetTestInput::Act(Action::PreviousDifference),
        ),
    ]);
    steps.extend(undo_and_wheel_trace_steps());
    steps.extend([
        ("number before a click", WidgetTestInput::Act(Action::Jump)),
        ("click 0,0", WidgetTestInput::Click(0, 0)),
        ("click 5,0", WidgetTestInput::Click(5, 0)),
        ("click 9,1", WidgetTestInput::Click(9, 1)),
        ("click 16,1", WidgetTestInput::Click(16, 1)),
        ("click 60,2", WidgetTestInput::Click(60, 2)),
        ("click 77,5", WidgetTestInput::Click(77, 5)),
        ("click 5,5", WidgetTestInput::Click(5, 5)),
        ("unknown", WidgetTestInput::Act(Action::NoStep)),
    ]);
    check_traces(
        "bits",
        || {
            Box::new(GridEditor::with_meaning(
                BitString::parse("0110").map(|bits| {
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

fn drawn_bits(editor: &mut GridEditor<BitRowsEditorBehaviour>, columns: u16, rows: u16) -> String {
    drawn_text(columns, rows, |buffer, area| {
        editor.draw(&mut Canvas::new(&ScreenAppearance::default(), buffer), area);
    })
}

#[test]
fn few_bits_fill_one_row_and_many_fill_rows_of_twenty() {
    let mut editor = GridEditor::with_meaning(BitString::parse("0110"), 4, Meaning::Plain);
    assert_eq!(drawn_bits(&mut editor, 20, 2), "0110\n");
    let mut editor = GridEditor::with_meaning(None, 47, Meaning::Plain);
    editor.grid.move_to(21);
    editor.grid.cycle_cell_value();
    insta::assert_snapshot!(drawn_bits(&mut editor, 30, 3), @r"
     0  0000000000 0000000000
    20  0100000000 0000000000
    40  0000000
    ");
}

#[test]
fn a_typed_bit_is_written_and_the_cursor_advances() {
    let mut editor = GridEditor::with_meaning(BitString::parse("1100"), 4, Meaning::Plain);
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
            let rows = RowLayout::new(grid.grid_cell_count(), area.width);
            grid.lay_out_rows(rows.per_row, area.height.into());
            let bit = |index| {
                computed.set(computed.get() + 1);
                assert!(index < 1_000_000);
                false
            };
            let look = ScreenAppearance::default();
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
