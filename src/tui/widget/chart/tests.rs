use super::*;
use crate::tui::theme::ASCII;
use crate::tui::theme::Appearance;
use crate::tui::widget::Canvas;
use crate::tui::widget::testing::drawn;
use proptest::prelude::*;

fn rewards() -> Vec<Bar> {
    vec![
        Bar::new("init", -0.0001),
        Bar::new("3", 0.001),
        Bar::new("2", 0.0),
        Bar::new("1", -0.1),
        Bar::new("0", f64::NAN),
    ]
}

#[test]
fn both_signs_share_the_rows_and_the_dominant_bar_is_marked() {
    let picture = |look: &Appearance| {
        drawn(30, 7, |buffer, area| {
            render(&rewards(), None, &mut Canvas::of(look, buffer), area);
        })
    };
    insta::assert_snapshot!(picture(&Appearance::default()), @r"

         ▄▄
         ██   ─         ·
    ▀▀             ██
                   ██
                   ██
    init 3    2    1◆   0
    ");
    insta::assert_snapshot!(picture(&Appearance { glyphs: &ASCII, ..Appearance::default() }), @r"

         ::
         ##   -         .
    ::             ##
                   ##
                   ##
    init 3    2    1*   0
    ");
}

#[test]
fn one_sign_has_all_the_rows_and_old_bars_give_way() {
    let bars: Vec<_> = (0..9)
        .map(|n| Bar::new(n.to_string(), 10_f64.powi(n - 8)))
        .collect();
    let picture = drawn(17, 5, |buffer, area| {
        render(
            &bars,
            None,
            &mut Canvas::of(&Appearance::default(), buffer),
            area,
        );
    });
    insta::assert_snapshot!(picture, @r"
          ▁▁ ▄▄ ██
    ▂▂ ▅▅ ██ ██ ██
    ██ ██ ██ ██ ██
    ██ ██ ██ ██ ██
    4  5  6  7  8◆
    ");
}

#[test]
fn a_given_scale_keeps_the_picture_still() {
    let one = [Bar::new("3", 0.001)];
    let two = [Bar::new("3", 0.001), Bar::new("2", -0.01)];
    let column = |bars: &[Bar]| {
        let picture = drawn(9, 7, |buffer, area| {
            render(
                bars,
                Some((1e-4, 1.0)),
                &mut Canvas::of(&Appearance::default(), buffer),
                area,
            );
        });
        picture
            .lines()
            .take(6)
            .map(|line| line.chars().take(2).collect::<String>())
            .collect::<Vec<_>>()
    };
    assert_eq!(column(&one), ["", "▂▂", "██", "", "", ""]);
    assert_eq!(column(&two).concat().trim_end(), "▂▂██");
}

proptest! {
    #[test]
    fn no_values_and_no_size_break_it(
        values in prop::collection::vec(prop_oneof![any::<f64>(), -1.0..1.0_f64], 0..9),
        columns in 0_u16..30,
        rows in 0_u16..9,
    ) {
        let bars: Vec<_> = values.iter().map(|value| Bar::new("素", *value)).collect();
        drawn(columns, rows, |buffer, area| render(&bars, None, &mut Canvas::of(&Appearance::default(), buffer), area));
    }
}
